//! Whether a mutant conforms to its original: tioco, timed input-output conformance.
//!
//! A mutant is *killed* by a trace of the original that it can follow and behind which it can show
//! an output, or stay silent for a time, that the original does not allow there (FACS 2023, section
//! 3). [`Search`] tries traces of the mutant level by level, one event longer each, by symbolic
//! execution of both: the path condition of the mutant, and that no path of the original over the
//! same channels allows the last observation. Below a shared prefix the two have the same symbols
//! of times and messages; each chooses its own initial values. [`proof`] finds mutants that conform
//! at any depth; [`replay`] runs witnesses again, without symbols.

pub mod proof;
pub mod replay;

use crate::purpose::{declaration, other_initials};
use crate::smt::{Answer, SmtError, Solver, symbol};
use crate::symbolic::{Context, Execution, LATER, Role, Sort, Term, all, any, not, number};
use crate::system::{Data, Direction, System};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use spec::scope::VariableId;
use spec::types::Type;
use spec::value::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The suffix of initial values of the original where a run of it has to exist.
const SPEC: &str = "_spec";

/// An event of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The channel, as a position.
    pub channel: usize,
    /// The time since the event before.
    pub delay: BigRational,
    /// The values of the message.
    pub values: Vec<Value>,
}

/// A trace that kills a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The events; the original allows all of them, or all but the last where there is no silence.
    pub events: Vec<Event>,
    /// The time for which the mutant stays silent behind the events, where it is killed by that.
    pub silence: Option<BigRational>,
    /// The transitions of the mutant.
    pub edges: Vec<usize>,
    /// Values of the mutant's unknown data at the start.
    pub start: Vec<(VariableId, Value)>,
}

/// What a level of a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A shortest witness.
    Witness(Box<Witness>),
    /// No trace of this length kills.
    Nothing,
    /// No longer trace needs to be tried: none differs.
    Exhausted,
}

/// A path of the original that shares a trace with a path of the mutant.
#[derive(Clone, Debug)]
struct Spec {
    edges: Vec<usize>,
    context: Context,
}

/// A path of the mutant.
#[derive(Clone, Debug)]
struct Node {
    edges: Vec<usize>,
    context: Context,
    /// Whether it takes the transition that was changed.
    is_changed: bool,
    specs: Vec<Spec>,
}

/// Answers about pairs of paths of the original, which all its mutants share.
#[derive(Debug, Default)]
pub struct Cache(HashMap<(Vec<usize>, Vec<usize>), bool>);

/// A search for a trace that kills a mutant.
#[derive(Debug)]
pub struct Search<'s> {
    original: Execution<'s>,
    mutant: Execution<'s>,
    /// The transition that was changed.
    edge: usize,
    /// States in which the two offer different events at once.
    differing: Vec<usize>,
    /// States from which those can be reached where the change starts.
    relevant: Vec<bool>,
    /// The events of a test that is followed; none: all traces are tried.
    guide: Option<&'s [Event]>,
    frontier: Vec<Node>,
    /// Number of events of the paths in `frontier`.
    depth: usize,
    /// Whether the solver has answered all questions.
    is_exact: bool,
}

impl<'s> Search<'s> {
    /// A search at its beginning. `edge` is the transition that was changed; the systems have the
    /// same data, channels and states, and the same transitions beside that one.
    pub fn new(original: &'s System, mutant: &'s System, edge: usize) -> Self {
        let (original, root) = Execution::start(original);
        let (mutant, other) = Execution::start(mutant);
        let spec = Spec { edges: Vec::new(), context: root };
        let node = Node { edges: Vec::new(), context: other, is_changed: false, specs: vec![spec] };
        let differing = vec![original.system.edges[edge].from, mutant.system.edges[edge].from];
        let relevant = relevant(mutant.system, edge, &differing);
        Self {
            original,
            mutant,
            edge,
            differing,
            relevant,
            guide: None,
            frontier: vec![node],
            depth: 0,
            is_exact: true,
        }
    }
    /// Restricts the search to what a test reveals: it follows only the test's traces, and a
    /// deviation comes before the test sends its next input.
    #[must_use]
    pub fn along(mut self, events: &'s [Event]) -> Self {
        self.guide = Some(events);
        self
    }
    /// Number of events that traces without a kill have at least.
    pub fn depth(&self) -> usize {
        self.depth
    }
    /// Number of paths that are gone on with.
    pub fn paths(&self) -> usize {
        self.frontier.len()
    }
    /// Whether the solver has answered all questions so far.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Tries all traces that are one event, or silence, longer than those before.
    ///
    /// # Errors
    /// If the solver cannot be used, or the time is up; the search is at its end then.
    pub fn deepen(&mut self, solver: &mut Solver, cache: &mut Cache) -> Result<Found, SmtError> {
        let nodes = std::mem::take(&mut self.frontier);
        let mut next = Vec::new();
        for node in &nodes {
            let edges: Vec<usize> = self.mutant.system.edges_from(node.context.state).collect();
            for edge in edges {
                let child = self.child(node, edge);
                if child.is_changed
                    && self.direction(&self.mutant, edge) == Direction::Output
                    && let Some(witness) = self.output(node, &child, solver)?
                {
                    return Ok(Found::Witness(Box::new(witness)));
                }
                next.extend(self.kept(child, solver, cache)?);
            }
        }
        // An output says more than a silence.
        for node in &nodes {
            if let Some(witness) = self.silence(node, solver)? {
                return Ok(Found::Witness(Box::new(witness)));
            }
        }
        self.frontier = next;
        self.depth += 1;
        Ok(if self.frontier.is_empty() && self.is_exact { Found::Exhausted } else { Found::Nothing })
    }

    fn direction(&self, of: &Execution<'_>, edge: usize) -> Direction {
        of.system.channel(&of.system.edges[edge]).direction
    }
    /// The path one transition longer, with all paths of the original over the same channels.
    fn child(&mut self, node: &Node, edge: usize) -> Node {
        let channel = self.mutant.system.edges[edge].channel;
        let context = self.mutant.follow(&node.context, edge, "").context;
        let mut specs = Vec::new();
        for spec in &node.specs {
            let edges: Vec<usize> = self.original.system.edges_from(spec.context.state).collect();
            for edge in edges {
                if self.original.system.edges[edge].channel == channel {
                    let context = self.original.follow(&spec.context, edge, "").context;
                    specs.push(Spec { edges: longer(&spec.edges, edge), context });
                }
            }
        }
        let is_changed = node.is_changed || edge == self.edge;
        Node { edges: longer(&node.edges, edge), context, is_changed, specs }
    }
    /// A child as a place from which to go on, with the paths of the original that share a trace
    /// with it; none where there are none, or nothing behind it can differ.
    fn kept(
        &mut self,
        mut child: Node,
        solver: &mut Solver,
        cache: &mut Cache,
    ) -> Result<Option<Node>, SmtError> {
        if !child.is_changed && !self.relevant[child.context.state] {
            return Ok(None);
        }
        if let Some(guide) = self.guide {
            let Some(event) = guide.get(self.depth) else { return Ok(None) };
            let edge = child.edges.last().copied().unwrap_or_default();
            if self.mutant.system.edges[edge].channel != event.channel {
                return Ok(None);
            }
            let pins = self.pins(event);
            child.context.condition.extend(pins);
        }
        let mut specs = Vec::new();
        for spec in std::mem::take(&mut child.specs) {
            let key = (child.edges.clone(), spec.edges.clone());
            let known = if child.is_changed { None } else { cache.0.get(&key).copied() };
            let is_shared = match known {
                Some(known) => known,
                None => {
                    let mut terms = child.context.condition.clone();
                    let is_same = child.edges == spec.edges && !child.is_changed;
                    let own = spec.context.condition.iter().filter(|_| !is_same);
                    terms.extend(own.map(|term| other_initials(&self.original, term, SPEC)));
                    let answer = self.ask(&terms, solver)?;
                    if !child.is_changed && answer != Answer::Unknown {
                        cache.0.insert(key, answer == Answer::Sat);
                    }
                    // Where the solver gives up, a path that may share a trace can only excuse
                    // more.
                    answer != Answer::Unsat
                }
            };
            if is_shared {
                specs.push(spec);
            }
        }
        child.specs = specs;
        Ok((!child.specs.is_empty()).then_some(child))
    }
    /// That an event is the one of the test.
    fn pins(&self, event: &Event) -> Vec<Term> {
        let time = format!("z{}", self.depth + 1);
        let mut pins = vec![equation(&time, &event.delay, Sort::Real)];
        let channel = &self.mutant.system.channels[event.channel];
        for (position, value) in event.values.iter().enumerate() {
            let name = format!("{}_{}_{}", channel.name, self.depth + 1, position + 1);
            let sort = channel.args[position].as_ref().map_or(Sort::Int, Sort::of);
            pins.push(equation(&name, &plain(value), sort));
        }
        pins
    }
    /// That an observation comes before the next input of the test.
    fn limit(&self) -> Option<Term> {
        let event = self.guide?.get(self.depth)?;
        let is_input = self.mutant.system.channels[event.channel].direction == Direction::Input;
        let time = format!("z{}", self.depth + 1);
        let text = format!("(<= {} {})", symbol(&time), number(&event.delay, Sort::Real));
        is_input.then(|| with_symbol(text, &time))
    }
    /// A trace of some path of the original before the last observation.
    fn shared(&self, specs: &[Spec]) -> Term {
        let of = |spec: &Spec| {
            let terms = spec.context.condition.iter();
            let terms: Vec<Term> = terms.map(|term| other_initials(&self.original, term, SPEC)).collect();
            all(&terms)
        };
        any(&specs.iter().map(of).collect::<Vec<_>>())
    }
    /// A witness whose last event is the output of a path and no output of the original.
    fn output(
        &mut self,
        before: &Node,
        child: &Node,
        solver: &mut Solver,
    ) -> Result<Option<Witness>, SmtError> {
        let mut terms = child.context.condition.clone();
        terms.extend(self.limit());
        terms.push(self.shared(&before.specs));
        for spec in &child.specs {
            terms.push(not(&self.for_some_start(&spec.context.condition)));
        }
        self.witness(&terms, &child.edges, false, solver)
    }
    /// A witness that ends in a silence of a path that the original does not allow.
    fn silence(&mut self, node: &Node, solver: &mut Solver) -> Result<Option<Witness>, SmtError> {
        if !node.is_changed && !self.differing.contains(&node.context.state) {
            return Ok(None);
        }
        let time = format!("z{}", self.depth + 1);
        let mut terms = node.context.condition.clone();
        terms.push(with_symbol(format!("(<= 0.0 {})", symbol(&time)), &time));
        terms.extend(self.limit());
        terms.push(silent(&mut self.mutant, &node.context));
        terms.push(self.shared(&node.specs));
        for spec in &node.specs {
            let mut condition = spec.context.condition.clone();
            condition.push(silent(&mut self.original, &spec.context));
            terms.push(not(&self.for_some_start(&condition)));
        }
        self.witness(&terms, &node.edges, true, solver)
    }
    /// That conditions of the original hold for some initial values.
    fn for_some_start(&self, conditions: &[Term]) -> Term {
        let symbols = &self.original.symbols;
        let is_initial = |name: &str| symbols.get(name).is_some_and(|known| known.role == Role::Initial);
        self.original.exists_perhaps(conditions, &is_initial)
    }

    fn sort_of(&self, name: &str) -> Sort {
        let base = name.strip_suffix(SPEC).unwrap_or(name);
        let known = self.mutant.symbols.get(name).or_else(|| self.original.symbols.get(name));
        let known = known.or_else(|| self.original.symbols.get(base));
        known.map_or(Sort::Real, |known| known.sort)
    }
    /// Asserts conditions in a new scope and asks; the scope stays open.
    fn open(&mut self, terms: &[Term], solver: &mut Solver) -> Result<Answer, SmtError> {
        solver.push()?;
        let names: BTreeSet<&String> = terms.iter().flat_map(|term| &*term.symbols).collect();
        let mut text: String = names.iter().map(|name| declaration(name, self.sort_of(name))).collect();
        for term in terms {
            text += &format!("(assert {})\n", term.text);
        }
        solver.tell(&text)?;
        let answer = solver.check()?;
        self.is_exact &= answer != Answer::Unknown;
        Ok(answer)
    }
    fn ask(&mut self, terms: &[Term], solver: &mut Solver) -> Result<Answer, SmtError> {
        let answer = self.open(terms, solver)?;
        solver.pop()?;
        Ok(answer)
    }
    fn witness(
        &mut self,
        terms: &[Term],
        edges: &[usize],
        is_silent: bool,
        solver: &mut Solver,
    ) -> Result<Option<Witness>, SmtError> {
        let answer = self.open(terms, solver)?;
        if answer != Answer::Sat {
            solver.pop()?;
            return Ok(None);
        }
        let names: BTreeSet<&String> = terms.iter().flat_map(|term| &*term.symbols).collect();
        let count = edges.len() + usize::from(is_silent);
        let times: Vec<String> = (1..=count).map(|event| format!("z{event}")).collect();
        let times: Vec<&String> = times.iter().filter(|name| names.contains(name)).collect();
        settle(&times, solver)?;
        let mut values = BTreeMap::new();
        for name in names {
            let value = solver.values(&[symbol(name)])?.pop().unwrap_or_default();
            values.insert(name.clone(), value);
        }
        solver.pop()?;
        Ok(Some(self.read(&values, edges, is_silent)))
    }
    /// The witness that the solver's values make.
    fn read(&self, values: &BTreeMap<String, BigRational>, edges: &[usize], is_silent: bool) -> Witness {
        let system = self.mutant.system;
        let value = |name: &str| values.get(name).cloned();
        let time = |event: usize| value(&format!("z{event}")).unwrap_or_default();
        let event = |(index, &edge): (usize, &usize)| {
            let channel = system.channel(&system.edges[edge]);
            let of = |(position, ty): (usize, &Option<Type>)| {
                let name = format!("{}_{}_{}", channel.name, index + 1, position + 1);
                typed(value(&name), ty.as_ref())
            };
            let values = channel.args.iter().enumerate().map(of).collect();
            Event { channel: system.edges[edge].channel, delay: time(index + 1), values }
        };
        Witness {
            events: edges.iter().enumerate().map(event).collect(),
            silence: is_silent.then(|| time(edges.len() + 1)),
            edges: edges.to_vec(),
            start: start_of(system, values),
        }
    }
}

/// Values of unknown data at the start, of values of symbols.
fn start_of(system: &System, values: &BTreeMap<String, BigRational>) -> Vec<(VariableId, Value)> {
    let unknown = system.data.iter().filter(|data| data.initial.is_none());
    let value = |data: &Data| {
        let value = values.get(&initial(system, data.variable)).cloned();
        (data.variable, typed(value, Some(system.ty(data.variable))))
    };
    unknown.map(value).collect()
}
/// The symbol of the unknown value of a variable at the start.
fn initial(system: &System, variable: VariableId) -> String {
    format!("{}_0", system.name_of(variable))
}

/// The value of a type that stands for a number; where no condition speaks of it, any.
fn typed(value: Option<BigRational>, ty: Option<&Type>) -> Value {
    match (value, ty) {
        (value, Some(Type::Bool)) => Value::Bool(value.is_some_and(|value| !value.is_zero())),
        (value, Some(Type::Enum(_))) => {
            let position = value.and_then(|value| u32::try_from(value.to_integer()).ok());
            Value::Enumerator(position.unwrap_or_default())
        }
        (Some(value), _) => Value::number(value),
        (None, Some(Type::Set(set))) => {
            set.units().first().map_or(Value::Integer(0), |&units| set.range().value(units))
        }
        (None, ty) => ty.and_then(Type::range).map_or(Value::Integer(0), |range| range.value(range.lo())),
    }
}

/// A value as a number: truths as 0 and 1, enumerators as their positions.
fn plain(value: &Value) -> BigRational {
    match value {
        Value::Bool(value) => BigRational::from_integer(u8::from(*value).into()),
        Value::Enumerator(position) => BigRational::from_integer((*position).into()),
        value => value.as_number().unwrap_or_default(),
    }
}

fn equation(name: &str, value: &BigRational, sort: Sort) -> Term {
    let text = match sort {
        Sort::Bool => format!("(= {} {})", symbol(name), value.is_one()),
        Sort::Int if !value.is_integer() => "false".to_owned(),
        sort => format!("(= {} {})", symbol(name), number(value, sort)),
    };
    with_symbol(text, name)
}
fn with_symbol(text: String, name: &str) -> Term {
    let mut term = Term::truth(text, []);
    Rc::make_mut(&mut term.symbols).insert(name.to_owned());
    term
}

fn longer(edges: &[usize], edge: usize) -> Vec<usize> {
    edges.iter().copied().chain([edge]).collect()
}

/// Chooses integers for times where the conditions that are asserted admit them.
fn settle(times: &[&String], solver: &mut Solver) -> Result<(), SmtError> {
    for name in times {
        let written = symbol(name);
        let value = solver.values(std::slice::from_ref(&written))?.pop().unwrap_or_default();
        let mut chosen = value.clone();
        if !value.is_integer() || value.is_negative() {
            for tried in [value.floor(), value.ceil()] {
                let equation = equation(name, &tried, Sort::Real);
                if solver.check_with([&*equation.text])? == Answer::Sat {
                    chosen = tried;
                    break;
                }
            }
        }
        solver.assert(&equation(name, &chosen, Sort::Real).text)?;
        // Values are asked of the last answer.
        if solver.check()? != Answer::Sat {
            return Err(SmtError::GaveUp("a value that it has named is one".to_owned()));
        }
    }
    Ok(())
}

/// The states from which one of `wanted` is reached without the transition that was changed.
fn relevant(system: &System, changed: usize, wanted: &[usize]) -> Vec<bool> {
    let mut reached: Vec<bool> = (0..system.states.len()).map(|state| wanted.contains(&state)).collect();
    loop {
        let mut has_changed = false;
        for (index, edge) in system.edges.iter().enumerate() {
            if index != changed && reached[edge.to] && !reached[edge.from] {
                reached[edge.from] = true;
                has_changed = true;
            }
        }
        if !has_changed {
            return reached;
        }
    }
}

/// That a system may stay silent in a context for the duration behind it: it never sends from here,
/// or an output or uncontrollable input is possible later.
pub(crate) fn silent(execution: &mut Execution<'_>, context: &Context) -> Term {
    let system = execution.system;
    let now = Execution::duration(context, "");
    let later = Execution::duration(context, LATER);
    let mut after = Term::truth(format!("(< {} {})", symbol(&now), symbol(&later)), []);
    Rc::make_mut(&mut after.symbols).extend([now, later]);
    let (mut never, mut cases) = (Vec::new(), Vec::new());
    for edge in system.edges_from(context.state) {
        let direction = system.channel(&system.edges[edge]).direction;
        if direction == Direction::Input {
            continue;
        }
        let mut guard = execution.follow(context, edge, LATER).guard;
        let is_bound = |name: &str| name.ends_with(LATER);
        if direction == Direction::Output {
            never.push(not(&execution.exists_perhaps(&guard, &is_bound)));
        }
        guard.push(after.clone());
        cases.push(execution.exists_perhaps(&guard, &is_bound));
    }
    cases.push(all(&never));
    any(&cases)
}
