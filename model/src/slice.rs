//! Leaving out what nothing asked depends on, with a way back.
//!
//! * [`cone_of_influence`] finds the states and inputs that goals, assumptions, end, and what else
//!   is to be kept, depend on, directly or through `next`.
//! * [`constant_states`] finds states that never leave their constant initial value: assume it of
//!   all candidates at once, drop those whose `next` is not that constant under the assumption,
//!   until none drops. What is left is an inductive invariant.
//! * [`slice`](fn@slice) copies what is needed into a fresh pool, with constant states replaced by
//!   their values, and [`reduce`] repeats that until nothing more goes.
//!
//! Assumptions are never left out, even those over inputs that nothing else depends on: two of them
//! could contradict each other, and then the system has no execution. Goals keep their ids; so do
//! hazards, outputs and assumptions where they are kept. A [`SliceMap`] brings traces of the
//! smaller system back to the original one.

use crate::eval::apply_term;
use crate::external::Call;
use crate::id::{Id, IdVec};
use crate::system::{
    Assumption, Goal, Hazard, InitialInputId, Input, InputId, Invariant, Output, State, StateId,
    TransitionSystem,
};
use crate::term::{BinaryOp, SymbolId, Term, TermId, TermPool};
use crate::trace::{Start, Trace};
use crate::validate::{Meaning, Validated, validate};
use crate::value::Value;
use crate::visit::{Transfer, cone, cone_beyond};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a slice keeps besides goals, assumptions and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// Outputs, with all they depend on; else none.
    pub outputs: bool,
    /// Hazards, with all they depend on; else none.
    pub hazards: bool,
    /// Invariants, with all they depend on; else those over states that are kept anyway.
    pub invariants: bool,
    /// External calls whose results are kept, with all that their arguments depend on; else none.
    pub external_calls: bool,
}

/// States and inputs on which something kept depends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cone {
    /// For each state word: whether it is needed.
    pub states: IdVec<StateId, bool>,
    /// For each input.
    pub inputs: IdVec<InputId, bool>,
    /// For each initial input.
    pub initial_inputs: IdVec<InitialInputId, bool>,
}

impl Cone {
    /// Number of states needed.
    pub fn state_count(&self) -> usize {
        self.states.values().filter(|&&needed| needed).count()
    }
    /// Number of inputs needed.
    pub fn input_count(&self) -> usize {
        self.inputs.values().filter(|&&needed| needed).count()
    }
    /// Number of state bits needed.
    pub fn state_bits(&self, system: &TransitionSystem) -> u32 {
        let needed = system.states.iter().filter(|(id, _)| self.states[*id]);
        needed.map(|(_, state)| system.terms.symbol(state.symbol).sort.width()).sum()
    }
}

/// The states and inputs that a slice needs.
pub fn cone_of_influence(system: &Validated, keep: Keep) -> Cone {
    cone_under(system, keep, &system.states.ids().map(|_| None).collect())
}

/// As [`cone_of_influence`], where states with a value are known to be that constant and are not
/// needed.
fn cone_under(system: &Validated, keep: Keep, constants: &IdVec<StateId, Option<Value>>) -> Cone {
    let mut cone = Cone {
        states: system.states.ids().map(|_| false).collect(),
        inputs: system.inputs.ids().map(|_| false).collect(),
        initial_inputs: system.initial_inputs.ids().map(|_| false).collect(),
    };
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut open = kept_roots(system, keep);
    while !open.is_empty() {
        let found = cone_beyond(&system.terms, &open, |term| seen.contains(&term));
        open.clear();
        seen.extend(&found);
        for symbol in found.into_iter().filter_map(|term| system.terms.as_symbol(term)) {
            match unframed(system, symbol) {
                Meaning::State(id) if constants[id].is_none() && !cone.states[id] => {
                    cone.states[id] = true;
                    open.extend([system.states[id].init, system.states[id].next]);
                }
                Meaning::Input(id) => {
                    if keep.external_calls && !cone.inputs[id] {
                        let calls = system.external_calls.iter().filter(|call| call.input == id);
                        open.extend(calls.flat_map(|call| call.arguments.iter().copied()));
                    }
                    cone.inputs[id] = true;
                }
                Meaning::Initial(id) => cone.initial_inputs[id] = true,
                _ => {}
            }
        }
    }
    cone
}

fn unframed(system: &Validated, symbol: SymbolId) -> Meaning {
    match system.meaning(symbol) {
        Meaning::Framed { base, .. } => system.meaning(base),
        meaning => meaning,
    }
}

fn kept_roots(system: &TransitionSystem, keep: Keep) -> Vec<TermId> {
    let mut roots = Vec::new();
    roots.extend(system.initial_assumptions.iter().map(|assumption| assumption.condition));
    roots.extend(system.assumptions.iter().map(|assumption| assumption.condition));
    for goal in system.goals.values() {
        roots.push(goal.antecedent);
        roots.extend(goal.expectation);
    }
    roots.extend(system.end);
    if keep.outputs {
        roots.extend(system.outputs.iter().map(|output| output.value));
    }
    if keep.hazards {
        roots.extend(system.hazards.iter().map(|hazard| hazard.condition));
    }
    if keep.invariants {
        roots.extend(system.invariants.iter().map(|invariant| invariant.condition));
    }
    roots
}

/// The states that keep their constant initial value in every execution, with that value.
///
/// This is constant propagation over the flat lattice constant < unknown, optimistic in the states'
/// values and run to its fixpoint along uses; it takes time linear in the number of operands.
pub fn constant_states(system: &Validated) -> IdVec<StateId, Option<Value>> {
    let roots: Vec<TermId> = system.states.values().map(|state| state.next).collect();
    let mut propagation = Propagation::new(system, &roots);
    propagation.run(system);
    propagation.states
}

/// A constant propagation in progress. Values only ever go from constant to unknown (`None`).
struct Propagation {
    terms: Vec<TermId>,
    positions: FxHashMap<TermId, usize>,
    values: Vec<Option<Value>>,
    /// By position: the terms that have it as an operand.
    uses: Vec<Vec<usize>>,
    /// By position: the states of which it is `next`.
    next_of: Vec<Vec<StateId>>,
    /// By state: the position of its symbol, where a root depends on it.
    symbols: IdVec<StateId, Option<usize>>,
    states: IdVec<StateId, Option<Value>>,
}

impl Propagation {
    fn new(system: &Validated, roots: &[TermId]) -> Self {
        let pool = &system.terms;
        let terms = cone(pool, roots);
        let positions: FxHashMap<TermId, usize> =
            terms.iter().enumerate().map(|(position, &term)| (term, position)).collect();
        let mut uses = vec![Vec::new(); terms.len()];
        for (position, &term) in terms.iter().enumerate() {
            for operand in pool.node(term).operands() {
                uses[positions[&operand]].push(position);
            }
        }
        let mut next_of = vec![Vec::new(); terms.len()];
        for (id, state) in system.states.iter() {
            next_of[positions[&state.next]].push(id);
        }
        let mut symbols: IdVec<StateId, Option<usize>> = system.states.ids().map(|_| None).collect();
        for (position, &term) in terms.iter().enumerate() {
            if let Some(Meaning::State(id)) = pool.as_symbol(term).map(|symbol| system.meaning(symbol)) {
                symbols[id] = Some(position);
            }
        }
        let states = system.states.values().map(|state| pool.as_const(state.init)).collect();
        Self { values: vec![None; terms.len()], terms, positions, uses, next_of, symbols, states }
    }

    fn run(&mut self, system: &Validated) {
        for position in 0..self.terms.len() {
            self.values[position] = self.value(system, position);
        }
        let mut open: Vec<usize> = Vec::new();
        for id in system.states.ids() {
            let next = self.positions[&system.states[id].next];
            self.meet_next(id, next, &mut open);
        }
        while let Some(position) = open.pop() {
            let known = self.values[position];
            if known.is_none() || self.value(system, position) == known {
                continue;
            }
            self.values[position] = None;
            open.extend(&self.uses[position]);
            for id in self.next_of[position].clone() {
                self.meet_next(id, position, &mut open);
            }
        }
    }

    /// Drops the state's constant where its `next` is not the same.
    fn meet_next(&mut self, id: StateId, next: usize, open: &mut Vec<usize>) {
        if self.states[id].is_some() && self.values[next] != self.states[id] {
            self.states[id] = None;
            open.extend(self.symbols[id]);
        }
    }

    fn value(&self, system: &Validated, position: usize) -> Option<Value> {
        let pool = &system.terms;
        let known = |operand: TermId| self.values[self.positions[&operand]];
        match pool.node(self.terms[position]) {
            Term::Symbol(symbol) => match system.meaning(symbol) {
                Meaning::State(id) => self.states[id],
                _ => None,
            },
            Term::Const(constant) => Some(pool.constant_value(constant)),
            node => known_result(pool, node, known),
        }
    }
}

/// The value of a node, some of whose operands are known.
fn known_result(pool: &TermPool, node: Term, known: impl Fn(TermId) -> Option<Value>) -> Option<Value> {
    match node {
        Term::Ite { condition, then, otherwise } => match known(condition) {
            Some(value) => known(if value.is_true() { then } else { otherwise }),
            None => known(then).filter(|_| known(then) == known(otherwise)),
        },
        Term::Binary { op: op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Mul), lhs, rhs } => {
            let absorber = if op == BinaryOp::Or { pool.sort(lhs).mask() } else { 0 };
            let absorber = Value::new(pool.sort(lhs), absorber);
            match (known(lhs), known(rhs)) {
                (Some(value), _) | (_, Some(value)) if value == absorber => Some(absorber),
                (Some(left), Some(right)) => apply_term(&node, &[left, right]),
                _ => None,
            }
        }
        _ => {
            let values: Option<Vec<Value>> = node.operands().map(known).collect();
            apply_term(&node, &values?)
        }
    }
}

/// What became of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateFate {
    /// It is this state of the smaller system.
    Kept(StateId),
    /// It always has this value.
    Constant(Value),
    /// Nothing kept depends on it.
    Dropped,
}

/// How a smaller system relates to the original one. Goals have the same ids in both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceMap {
    /// What became of each state of the original system.
    pub states: IdVec<StateId, StateFate>,
    /// The input of the smaller system for each original input, `None` where it was dropped.
    pub inputs: IdVec<InputId, Option<InputId>>,
    /// The same for initial inputs.
    pub initial_inputs: IdVec<InitialInputId, Option<InitialInputId>>,
}

impl SliceMap {
    /// A trace of the original system that does what the trace of the smaller one does. Dropped
    /// inputs are zero; so are dropped states of a start state, which nothing kept depends on.
    pub fn raise(&self, original: &TransitionSystem, trace: &Trace) -> Trace {
        let start = match &trace.start {
            Start::Initial(values) => {
                let ids = original.initial_inputs.ids();
                let value = |id: InitialInputId| {
                    let zero = zero(original, original.initial_inputs[id].symbol);
                    self.initial_inputs[id].map_or(zero, |kept| values[kept.index()])
                };
                Start::Initial(ids.map(value).collect())
            }
            Start::State(values) => Start::State(self.raise_state(original, values)),
        };
        let inputs = trace.inputs.iter().map(|values| self.raise_inputs(original, values)).collect();
        Trace { start, inputs }
    }
    /// A state of the original system for one of the smaller system; dropped states are zero.
    pub fn raise_state(&self, original: &TransitionSystem, values: &[Value]) -> Vec<Value> {
        let value = |(id, fate): (StateId, &StateFate)| match *fate {
            StateFate::Kept(kept) => values[kept.index()],
            StateFate::Constant(value) => value,
            StateFate::Dropped => zero(original, original.states[id].symbol),
        };
        self.states.iter().map(value).collect()
    }
    /// Inputs of the original system for those of the smaller one; dropped inputs are zero.
    pub fn raise_inputs(&self, original: &TransitionSystem, values: &[Value]) -> Vec<Value> {
        let value = |(id, kept): (InputId, &Option<InputId>)| match kept {
            Some(kept) => values[kept.index()],
            None => zero(original, original.inputs[id].symbol),
        };
        self.inputs.iter().map(value).collect()
    }
    /// The state of the smaller system for one of the original system.
    pub fn lower_state(&self, values: &[Value]) -> Vec<Value> {
        let kept = self.states.values().zip(values);
        kept.filter(|(fate, _)| matches!(fate, StateFate::Kept(_))).map(|(_, &value)| value).collect()
    }
    /// The inputs of the smaller system for those of the original system.
    pub fn lower_inputs(&self, values: &[Value]) -> Vec<Value> {
        let kept = self.inputs.values().zip(values);
        kept.filter(|(kept, _)| kept.is_some()).map(|(_, &value)| value).collect()
    }
    /// The trace of the smaller system that does what a trace of the original system does.
    pub fn lower(&self, trace: &Trace) -> Trace {
        let start = match &trace.start {
            Start::Initial(values) => {
                let kept = self.initial_inputs.values().zip(values);
                Start::Initial(kept.filter(|(kept, _)| kept.is_some()).map(|(_, &value)| value).collect())
            }
            Start::State(values) => Start::State(self.lower_state(values)),
        };
        Trace { start, inputs: trace.inputs.iter().map(|values| self.lower_inputs(values)).collect() }
    }
    /// The map from this map's original system to the smaller system of `next`, which was made from
    /// this map's smaller system.
    pub fn then(&self, next: &Self) -> Self {
        let fate = |fate: &StateFate| match *fate {
            StateFate::Kept(kept) => next.states[kept],
            gone => gone,
        };
        Self {
            states: self.states.values().map(fate).collect(),
            inputs: self.inputs.values().map(|kept| kept.and_then(|kept| next.inputs[kept])).collect(),
            initial_inputs: self
                .initial_inputs
                .values()
                .map(|kept| kept.and_then(|kept| next.initial_inputs[kept]))
                .collect(),
        }
    }
}

fn zero(system: &TransitionSystem, symbol: SymbolId) -> Value {
    Value::zero(system.terms.symbol(symbol).sort)
}

/// The part of a system that matters for what is kept, in a fresh pool, all terms rewritten anew.
pub fn slice(system: &Validated, keep: Keep) -> (TransitionSystem, SliceMap) {
    let constants = constant_states(system);
    let cone = cone_under(system, keep, &constants);
    let mut slicing = Slicing::new(system, &cone, constants);
    slicing.copy_tables(system, keep, &cone);
    (slicing.target, slicing.map)
}

/// Slices until no state or input goes any more.
pub fn reduce(system: &Validated, keep: Keep) -> (Validated, SliceMap) {
    let (mut smaller, mut map) = validated_slice(system, keep);
    loop {
        let (next, next_map) = validated_slice(&smaller, keep);
        let size =
            |system: &Validated| (system.states.len(), system.inputs.len() + system.initial_inputs.len());
        let shrunk = size(&next) != size(&smaller);
        map = map.then(&next_map);
        smaller = next;
        if !shrunk {
            return (smaller, map);
        }
    }
}

fn validated_slice(system: &Validated, keep: Keep) -> (Validated, SliceMap) {
    let (smaller, map) = slice(system, keep);
    let smaller = validate(smaller).unwrap_or_else(|why| panic!("a slice should be well-formed: {why:?}"));
    (smaller, map)
}

/// A slice in the making.
struct Slicing {
    target: TransitionSystem,
    transfer: Transfer,
    map: SliceMap,
    constants: IdVec<StateId, Option<Value>>,
    /// Symbols of the source that were kept, with those of the target.
    symbols: FxHashMap<SymbolId, SymbolId>,
}

impl Slicing {
    /// Declares the kept states and inputs.
    fn new(system: &Validated, cone: &Cone, constants: IdVec<StateId, Option<Value>>) -> Self {
        let mut target = TransitionSystem { name: system.name.clone(), ..TransitionSystem::default() };
        let mut symbols = FxHashMap::default();
        let mut declare = |target: &mut TransitionSystem, symbol: SymbolId| {
            let old = system.terms.symbol(symbol);
            let new = target.terms.fresh_symbol(&old.name, old.sort);
            symbols.insert(symbol, new);
            new
        };
        let initial_inputs = system.initial_inputs.iter().map(|(id, input)| {
            let Input { symbol, role } = *input;
            cone.initial_inputs[id].then(|| {
                let symbol = declare(&mut target, symbol);
                target.initial_inputs.push(Input { symbol, role })
            })
        });
        let initial_inputs = initial_inputs.collect();
        let inputs = system.inputs.iter().map(|(id, input)| {
            let Input { symbol, role } = *input;
            cone.inputs[id].then(|| {
                let symbol = declare(&mut target, symbol);
                target.inputs.push(Input { symbol, role })
            })
        });
        let inputs = inputs.collect();
        let mut states = IdVec::new();
        for (id, state) in system.states.iter() {
            states.push(match constants[id] {
                Some(value) => StateFate::Constant(value),
                None if cone.states[id] => {
                    let symbol = declare(&mut target, state.symbol);
                    let term = target.terms.symbol_term(symbol);
                    StateFate::Kept(target.states.push(State { symbol, init: term, next: term }))
                }
                None => StateFate::Dropped,
            });
        }
        let map = SliceMap { states, inputs, initial_inputs };
        Self { target, transfer: Transfer::new(), map, constants, symbols }
    }

    fn term(&mut self, system: &Validated, root: TermId) -> TermId {
        let (symbols, constants) = (&self.symbols, &self.constants);
        self.transfer.copy(&system.terms, &mut self.target.terms, root, |pool, symbol| {
            let (base, offset) = match system.meaning(symbol) {
                Meaning::Framed { base, offset } => (base, offset),
                _ => (symbol, 0),
            };
            match system.meaning(base) {
                Meaning::State(id) if constants[id].is_some() => {
                    pool.constant(constants[id].expect("the state should be constant"))
                }
                _ => pool.framed(symbols[&base], offset),
            }
        })
    }

    fn copy_tables(&mut self, system: &Validated, keep: Keep, cone: &Cone) {
        for (id, state) in system.states.iter() {
            if let StateFate::Kept(kept) = self.map.states[id] {
                let (init, next) = (self.term(system, state.init), self.term(system, state.next));
                let symbol = self.target.states[kept].symbol;
                self.target.states[kept] = State { symbol, init, next };
            }
        }
        self.target.initial_assumptions = self.assumptions(system, &system.initial_assumptions);
        self.target.assumptions = self.assumptions(system, &system.assumptions);
        for (_, goal) in system.goals.iter() {
            let antecedent = self.term(system, goal.antecedent);
            let expectation = goal.expectation.map(|expectation| self.term(system, expectation));
            self.target.goals.push(Goal { antecedent, expectation, ..goal.clone() });
        }
        self.target.end = system.end.map(|end| self.term(system, end));
        for output in system.outputs.iter().filter(|_| keep.outputs) {
            let value = self.term(system, output.value);
            self.target.outputs.push(Output { name: output.name.clone(), value });
        }
        for hazard in system.hazards.iter().filter(|_| keep.hazards) {
            let condition = self.term(system, hazard.condition);
            self.target.hazards.push(Hazard { condition, ..hazard.clone() });
        }
        for call in system.external_calls.iter().filter(|_| keep.external_calls) {
            if let Some(input) = self.map.inputs[call.input] {
                let arguments = call.arguments.iter().map(|&argument| self.term(system, argument)).collect();
                self.target.external_calls.push(Call { input, arguments, ..call.clone() });
            }
        }
        for invariant in &system.invariants {
            if keep.invariants || self.is_within(system, cone, invariant.condition) {
                let condition = self.term(system, invariant.condition);
                self.target.invariants.push(Invariant { condition, ..invariant.clone() });
            }
        }
    }

    fn assumptions(&mut self, system: &Validated, assumptions: &[Assumption]) -> Vec<Assumption> {
        let copy = |assumption: &Assumption| {
            let condition = self.term(system, assumption.condition);
            Assumption { condition, origin: assumption.origin }
        };
        assumptions.iter().map(copy).collect()
    }

    /// Whether the term depends only on states that are kept or constant.
    fn is_within(&self, system: &Validated, cone: &Cone, term: TermId) -> bool {
        let support = crate::visit::support(&system.terms, &[term]);
        support.into_iter().all(|symbol| match system.meaning(symbol) {
            Meaning::State(id) => cone.states[id] || self.constants[id].is_some(),
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests;
