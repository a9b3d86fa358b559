//! Typed timed symbolic systems.
//!
//! A system is (Q, q0, Tr) over data variables, clocks and channels (Bannour, Lapitre, Le Gall,
//! Nguyen: "Symbolic Path-guided Test Cases for Models with Data and Time", FACS 2023, definition
//! 1). Time is dense: clocks and delays are non-negative rationals.

use num_rational::BigRational;
use spec::lexer::Extent;
use spec::scope::{Scope, VariableId};
use spec::typed::Expr;
use spec::types::Type;
use spec::value::Value;
use std::collections::HashMap;

/// A timed symbolic system. Positions in its tables name states, channels and edges.
#[derive(Clone, Debug)]
pub struct System {
    /// Its name.
    pub name: String,
    /// Names and types of data variables and clocks.
    pub scope: Scope,
    /// Data variables in the order of the text.
    pub data: Vec<Data>,
    /// Clocks in the order of the text.
    pub clocks: Vec<VariableId>,
    /// Channels in the order of the text.
    pub channels: Vec<Channel>,
    /// Names of the states: the initial one first, then in the order of the text.
    pub states: Vec<String>,
    /// States in which a chain may end; empty: all.
    pub finals: Vec<usize>,
    /// Transitions in the order of the text.
    pub edges: Vec<Edge>,
    /// Paths that tests are made for.
    pub purposes: Vec<Purpose>,
    /// What chains are to cover.
    pub goals: Vec<Goal>,
    /// How long a tester waits for an event.
    pub timeout: Option<BigRational>,
    /// The distance of times in a search over ticks, where the text gives one.
    pub tick: Option<BigRational>,
}

/// A data variable.
#[derive(Clone, Debug)]
pub struct Data {
    /// The variable.
    pub variable: VariableId,
    /// Whether it never changes.
    pub is_param: bool,
    /// The value at the start; none: unknown.
    pub initial: Option<Value>,
}

/// Who sends on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The tester.
    Input,
    /// Others, whom the tester can only observe.
    Uncontrollable,
    /// The system.
    Output,
}

/// A channel.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// Who sends on it.
    pub direction: Direction,
    /// Types of the values of a message; none: integers without bounds.
    pub args: Vec<Option<Type>>,
    /// Where it is declared.
    pub extent: Extent,
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Its name.
    pub name: String,
    /// The state in which it starts.
    pub from: usize,
    /// The state in which it ends.
    pub to: usize,
    /// When it can be taken: a truth over data (received values included) and clocks.
    pub guard: Expr,
    /// The channel.
    pub channel: usize,
    /// What happens on it.
    pub action: Action,
    /// Clocks set to 0, as positions in [`System::clocks`].
    pub resets: Vec<usize>,
    /// New values of data, all computed before any is assigned.
    pub updates: Vec<(VariableId, Expr)>,
    /// Where its name stands.
    pub extent: Extent,
}

/// What happens on a channel.
#[derive(Clone, Debug)]
pub enum Action {
    /// Values are received into variables.
    Receive(Vec<VariableId>),
    /// Values are sent.
    Send(Vec<Expr>),
}

/// A path that a test is made for.
#[derive(Clone, Debug)]
pub struct Purpose {
    /// Its name.
    pub name: String,
    /// Its transitions.
    pub edges: Vec<usize>,
    /// Where its name stands.
    pub extent: Extent,
}

/// What chains are to cover.
#[derive(Clone, Debug)]
pub enum Goal {
    /// Every transition.
    Transitions(Extent),
    /// Every pair of transitions that join.
    Pairs(Extent),
    /// Every state.
    States(Extent),
    /// Every purpose.
    Purposes(Extent),
    /// A condition on data and clocks after a step.
    Condition(String, Expr, Extent),
}

impl Goal {
    /// Where it stands.
    pub fn place(&self) -> Extent {
        match self {
            Self::Transitions(place)
            | Self::Pairs(place)
            | Self::States(place)
            | Self::Purposes(place)
            | Self::Condition(_, _, place) => *place,
        }
    }
}

/// What a chain is to reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// These transitions in a row.
    Path(Vec<usize>),
    /// A state, before or behind a transition.
    State(usize),
    /// A condition on data and clocks behind a transition: its position in [`System::goals`].
    Condition(usize),
}

/// One goal that chains are to cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedGoal {
    /// What it is called.
    pub name: String,
    /// What is to be reached.
    pub target: Target,
    /// Where it comes from.
    pub extent: Extent,
}

impl System {
    /// Each goal that chains are to cover, once: all transitions where none are declared.
    pub fn named_goals(&self) -> Vec<NamedGoal> {
        let all = self.edges.first().map(|edge| Goal::Transitions(edge.extent));
        let declared = match self.goals.is_empty() {
            true => all.as_slice(),
            false => &self.goals[..],
        };
        let mut found: Vec<NamedGoal> = Vec::new();
        let mut known: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, goal) in declared.iter().enumerate() {
            for goal in self.named(goal, position) {
                let same = known.entry(goal.name.clone()).or_default();
                if same.iter().all(|&index| found[index].target != goal.target) {
                    same.push(found.len());
                    found.push(goal);
                }
            }
        }
        found
    }
    fn named(&self, goal: &Goal, position: usize) -> Vec<NamedGoal> {
        let one =
            |name: &str, target: Target, extent: Extent| NamedGoal { name: name.to_owned(), target, extent };
        match goal {
            Goal::Transitions(_) => {
                let edges = self.edges.iter().enumerate();
                edges.map(|(index, edge)| one(&edge.name, Target::Path(vec![index]), edge.extent)).collect()
            }
            Goal::Pairs(_) => self
                .joined()
                .map(|[first, second]| {
                    let (before, behind) = (&self.edges[first], &self.edges[second]);
                    one(
                        &format!("{}.{}", before.name, behind.name),
                        Target::Path(vec![first, second]),
                        before.extent,
                    )
                })
                .collect(),
            Goal::States(place) => {
                let states = self.states.iter().enumerate();
                states.map(|(state, name)| one(&format!("in {name}"), Target::State(state), *place)).collect()
            }
            Goal::Purposes(_) => {
                let purposes = self.purposes.iter();
                purposes
                    .map(|purpose| one(&purpose.name, Target::Path(purpose.edges.clone()), purpose.extent))
                    .collect()
            }
            Goal::Condition(name, _, place) => vec![one(name, Target::Condition(position), *place)],
        }
    }
    /// The pairs of transitions that join.
    fn joined(&self) -> impl Iterator<Item = [usize; 2]> {
        let pairs =
            move |first: usize| self.edges_from(self.edges[first].to).map(move |second| [first, second]);
        (0..self.edges.len()).flat_map(pairs)
    }
    /// The type of a variable.
    pub fn ty(&self, variable: VariableId) -> &Type {
        &self.scope.variable(variable).ty
    }
    /// The name of a variable.
    pub fn name_of(&self, variable: VariableId) -> &str {
        &self.scope.variable(variable).name
    }
    /// The channel of an edge.
    pub fn channel(&self, edge: &Edge) -> &Channel {
        &self.channels[edge.channel]
    }
    /// The position of a channel.
    pub fn channel_named(&self, name: &str) -> Option<usize> {
        self.channels.iter().position(|channel| channel.name == name)
    }
    /// The purpose of a name.
    pub fn purpose(&self, name: &str) -> Option<&Purpose> {
        self.purposes.iter().find(|purpose| purpose.name == name)
    }
    /// The transitions of a text that has their names with dots between; none where a part is no name.
    /// Names with dots of their own are found, too, the longest first.
    pub fn path_named(&self, text: &str) -> Option<Vec<usize>> {
        let mut named: Vec<usize> = (0..self.edges.len()).collect();
        named.sort_by_key(|&edge| std::cmp::Reverse(self.edges[edge].name.len()));
        named.into_iter().find_map(|edge| {
            let rest = text.strip_prefix(self.edges[edge].name.as_str())?;
            let Some(rest) = rest.strip_prefix('.') else { return rest.is_empty().then(|| vec![edge]) };
            let mut path = self.path_named(rest)?;
            path.insert(0, edge);
            Some(path)
        })
    }
    /// The transitions that start in a state, as positions.
    pub fn edges_from(&self, state: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.edges.len()).filter(move |&edge| self.edges[edge].from == state)
    }
    /// Names of some edges, with dots between.
    pub fn path_text(&self, edges: &[usize]) -> String {
        edges.iter().map(|&edge| self.edges[edge].name.as_str()).collect::<Vec<_>>().join(".")
    }
}
