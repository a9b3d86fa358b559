//! What may be observed under given inputs: all sequences of outputs that are allowed, whatever the
//! hidden values are (OutMonitor of Aichernig, Hoermaier, Lorber, Nickovic, Tiran: "Require, test,
//! and trace IT", STTT 19(4), 2017).
//!
//! Where hidden values leave a choice, the outputs of a step may depend on those of earlier steps:
//! the sequences are then no product of steps, and what each step allows by itself says too little.
//! They are always those of an automaton whose states are beliefs, the sets of positions that fit
//! the outputs so far. States of a step behind which the same is allowed are made one, so that the
//! automaton is the least one, and has one state for each step if and only if the sequences are a
//! product.

use crate::allowed::{Allowed, compare_rows};
use crate::interface::Interface;
use crate::moves::{number_of, number_of_position, only};
use crate::runs::Runs;
use crate::semantics::{Effort, Position, Step, Undecided, Valuation, id_index};
use crate::syntax::Role;
use crate::values::fields;
use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// States before those with the same future are made one, at most.
const MOST_STATES: usize = 1 << 16;

/// Edges of all these states at most, outputs counted one by one.
const MOST_EDGES: usize = 1 << 18;

/// The least automaton of what may be observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutMonitor {
    /// The states in the order of their steps; observation begins in the first one.
    pub states: Vec<State>,
}

/// A state of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Number of steps that were observed.
    pub step: usize,
    /// What comes next.
    pub next: Next,
}

/// What comes next in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing: all inputs have been given.
    Over,
    /// Nothing is required, since the environment does not give the inputs of the step.
    NotGiven,
    /// A step: outputs in ascending order, with the state to which they lead.
    Outputs(Vec<(Valuation, usize)>),
}

/// What is known of a state while the automaton is made, where its step is given: for each number
/// of outputs a state of the next layer.
type Edges = BTreeMap<usize, usize>;

/// All states of one step; none for a state without the inputs.
type Layer = Vec<Option<Edges>>;

impl OutMonitor {
    /// The automaton for given inputs.
    ///
    /// # Errors
    /// There are too many states, or values to try.
    pub fn new(runs: &Runs<'_>, inputs: &[Valuation], effort: &mut Effort) -> Result<Self, Undecided> {
        let mut making = Making::default();
        let mut layers: Vec<Layer> = Vec::new();
        let mut beliefs: Vec<Vec<usize>> = vec![vec![0]];
        making.positions.push(None);
        for known in inputs {
            let mut numbers: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
            let mut next: Vec<Vec<usize>> = Vec::new();
            let mut layer = Layer::new();
            for belief in &beliefs {
                let behind = making.behind(runs, belief, known, effort)?;
                let edges = behind.map(|behind| {
                    let edges = behind.into_iter().map(|(outputs, belief)| {
                        let number = *numbers.entry(belief).or_insert_with_key(|belief| {
                            next.push(belief.clone());
                            next.len() - 1
                        });
                        (outputs, number)
                    });
                    edges.collect()
                });
                layer.push(edges);
            }
            layers.push(layer);
            beliefs = next;
        }
        Ok(Self { states: making.numbered(&layers, &merged(&layers, beliefs.len())) })
    }
    /// Whether outputs are allowed in each step whatever the earlier ones were.
    pub fn is_product(&self) -> bool {
        self.states.windows(2).all(|pair| pair[0].step < pair[1].step)
    }
    /// Whether a sequence of outputs is allowed; steps behind inputs that are not given are.
    pub fn allows(&self, observed: &[Valuation]) -> bool {
        let mut at = 0;
        for now in observed {
            match self.states.get(at).map(|state| &state.next) {
                Some(Next::Outputs(edges)) => match edges.iter().find(|(outputs, _)| outputs == now) {
                    Some(&(_, next)) => at = next,
                    None => return false,
                },
                Some(Next::NotGiven) => return true,
                Some(Next::Over) | None => return false,
            }
        }
        true
    }
    /// The states behind a state with the outputs that lead there, in the order of the least of
    /// these.
    pub fn grouped(&self, interface: &Interface, state: usize) -> Vec<(Allowed, usize)> {
        let mut groups: Vec<(Allowed, usize)> = Vec::new();
        let Some(Next::Outputs(edges)) = self.states.get(state).map(|state| &state.next) else {
            return groups;
        };
        for (outputs, next) in edges {
            let place = groups.iter().position(|(_, known)| known == next).unwrap_or_else(|| {
                groups.push((Allowed::new(interface), *next));
                groups.len() - 1
            });
            groups[place].0.add(outputs);
        }
        groups
    }
    /// The states as JSON: `step`, and `edges` with `allowed` (words), `outputs` (all of them) and
    /// `next`; `not_given` where the environment does not give the inputs of the step.
    pub fn to_json(&self, interface: &Interface) -> Json {
        let state = |(number, state): (usize, &State)| {
            let edge = |(allowed, next): (Allowed, usize)| {
                let outputs = match &state.next {
                    Next::Outputs(edges) => edges.as_slice(),
                    Next::Over | Next::NotGiven => &[],
                };
                let own = outputs.iter().filter(|(_, behind)| *behind == next);
                let outputs: Vec<_> =
                    own.map(|(outputs, _)| fields(interface, Role::Output, outputs)).collect();
                json!({ "allowed": allowed.describe(interface), "outputs": outputs, "next": next })
            };
            let edges: Vec<Json> = self.grouped(interface, number).into_iter().map(edge).collect();
            match state.next {
                Next::Over => json!({ "step": state.step }),
                Next::NotGiven => json!({ "step": state.step, "not_given": true }),
                Next::Outputs(_) => json!({ "step": state.step, "edges": edges }),
            }
        };
        self.states.iter().enumerate().map(state).collect()
    }
}

/// Positions and outputs by number. Position 0 is the place before step 0.
#[derive(Default)]
struct Making {
    positions: Vec<Option<Position>>,
    position_numbers: FxHashMap<Position, usize>,
    outputs: Vec<Valuation>,
    output_numbers: FxHashMap<Valuation, usize>,
    states: usize,
    edges: usize,
}

impl Making {
    /// For each outputs the belief behind them; none where the environment gives the inputs at no
    /// position.
    fn behind(
        &mut self,
        runs: &Runs<'_>,
        belief: &[usize],
        known: &Valuation,
        effort: &mut Effort,
    ) -> Result<Option<BTreeMap<usize, Vec<usize>>>, Undecided> {
        let semantics = &runs.semantics;
        let shown: Vec<usize> = semantics.interface.variables(Role::Output).map(id_index).collect();
        let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut is_given = false;
        for &number in belief {
            let before = self.positions[number].clone();
            if runs.is_refused(before.as_ref(), known) {
                continue;
            }
            is_given = true;
            let mut visit = |now: &Valuation| {
                let outputs = number_of(only(now, &shown), &mut self.output_numbers, &mut self.outputs);
                let position = semantics.position(now);
                let position = number_of_position(position, &mut self.position_numbers, &mut self.positions);
                found.entry(outputs).or_default().push(position);
            };
            runs.answers(Step { before: before.as_ref(), known }, &mut visit, effort)?;
        }
        for belief in found.values_mut() {
            belief.sort_unstable();
            belief.dedup();
        }
        self.states += 1;
        self.edges += found.len();
        if self.states > MOST_STATES || self.edges > MOST_EDGES {
            return Err(Undecided::TooLarge);
        }
        Ok(is_given.then_some(found))
    }

    /// The states that the first one leads to, where those of one class are one.
    fn numbered(&self, layers: &[Layer], classes: &[Vec<usize>]) -> Vec<State> {
        let mut states = Vec::new();
        // A member of each class of the layer at hand, in the order of their numbers.
        let mut members = vec![0];
        for (step, layer) in layers.iter().enumerate() {
            let first_behind = states.len() + members.len();
            let mut behind: Vec<usize> = Vec::new();
            for &member in &members {
                let Some(edges) = &layer[member] else {
                    states.push(State { step, next: Next::NotGiven });
                    continue;
                };
                let mut outputs: Vec<(&Valuation, usize)> =
                    edges.iter().map(|(&outputs, &next)| (&self.outputs[outputs], next)).collect();
                outputs.sort_by(|(left, _), (right, _)| compare_rows(left, right));
                let edge = |(outputs, next): (&Valuation, usize)| {
                    let is_same = |known: &usize| classes[step + 1][*known] == classes[step + 1][next];
                    let place = behind.iter().position(is_same).unwrap_or_else(|| {
                        behind.push(next);
                        behind.len() - 1
                    });
                    (outputs.clone(), first_behind + place)
                };
                let next = Next::Outputs(outputs.into_iter().map(edge).collect());
                states.push(State { step, next });
            }
            members = behind;
        }
        let over = members.iter().map(|_| State { step: layers.len(), next: Next::Over });
        states.extend(over);
        states
    }
}

/// For each layer, and the states behind the last one, the class of each state: those of one class
/// have the same future.
fn merged(layers: &[Layer], last: usize) -> Vec<Vec<usize>> {
    let mut classes = vec![vec![0; last]];
    for layer in layers.iter().rev() {
        let behind = &classes[classes.len() - 1];
        let mut numbers: FxHashMap<Option<Vec<(usize, usize)>>, usize> = FxHashMap::default();
        let class = |state: &Option<Edges>| {
            let future = state.as_ref().map(|edges| {
                edges.iter().map(|(&outputs, &next)| (outputs, behind[next])).collect::<Vec<_>>()
            });
            let next = numbers.len();
            *numbers.entry(future).or_insert(next)
        };
        let found = layer.iter().map(class).collect();
        classes.push(found);
    }
    classes.reverse();
    classes
}
