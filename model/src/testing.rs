//! Random systems for tests.

use crate::id::Id;
use crate::sort::Sort;
use crate::system::{Assumption, Goal, Hazard, HazardEffect, InputRole, Invariant, Output, TransitionSystem};
use crate::term::{BinaryOp, SymbolId, TermId, TermPool, UnaryOp};
use crate::trace::{Start, Trace};
use crate::validate::{Validated, validate};
use crate::value::Value;
use rand::Rng;
use rand::rngs::SmallRng;

/// A random word of the given width over some terms.
pub(crate) fn random_word(
    pool: &mut TermPool,
    leaves: &[TermId],
    width: u32,
    depth: u32,
    random: &mut SmallRng,
) -> TermId {
    use BinaryOp::*;
    if depth == 0 || random.random_range(0..5) == 0 {
        if leaves.is_empty() || random.random_range(0..4) == 0 {
            return pool.word(width, random.random());
        }
        let leaf = leaves[random.random_range(0..leaves.len())];
        return pool.resize(leaf, width, random.random());
    }
    let word = |pool: &mut TermPool, random: &mut SmallRng, width| {
        random_word(pool, leaves, width, depth - 1, random)
    };
    match random.random_range(0..9) {
        0 => {
            let (condition, then) = (word(pool, random, 1), word(pool, random, width));
            let otherwise = word(pool, random, width);
            pool.ite(condition, then, otherwise)
        }
        1 => {
            let arg = word(pool, random, width);
            pool.unary(if random.random() { UnaryOp::Not } else { UnaryOp::Neg }, arg)
        }
        2 if width > 1 => {
            let low = random.random_range(1..width);
            let (upper, lower) = (word(pool, random, width - low), word(pool, random, low));
            pool.binary(Concat, upper, lower)
        }
        3..=5 if width == 1 => {
            let inner = random.random_range(1..=4);
            let (lhs, rhs) = (word(pool, random, inner), word(pool, random, inner));
            let op = [Eq, Eq, ULt, ULe, SLt, SLe][random.random_range(0..6)];
            pool.binary(op, lhs, rhs)
        }
        _ => {
            const OPS: [BinaryOp; 15] =
                [And, Or, Xor, Add, Add, Sub, Sub, Mul, UDiv, URem, SDiv, SRem, Shl, LShr, AShr];
            let (lhs, rhs) = (word(pool, random, width), word(pool, random, width));
            pool.binary(OPS[random.random_range(0..OPS.len())], lhs, rhs)
        }
    }
}

/// A random system of a few small words, with all kinds of entries.
pub(crate) fn random_system(random: &mut SmallRng) -> TransitionSystem {
    let mut system = TransitionSystem { name: "random".to_owned(), ..TransitionSystem::default() };
    let sort = |random: &mut SmallRng| Sort::word(random.random_range(1..=4));
    for index in 0..random.random_range(0..3) {
        let sort = sort(random);
        system.add_initial_input(&format!("n{index}"), sort, InputRole::Stimulus);
    }
    for index in 0..random.random_range(1..4) {
        let (sort, choice) = (sort(random), random.random());
        let role = if choice { InputRole::Choice } else { InputRole::Stimulus };
        system.add_input(&format!("i{index}"), sort, role);
    }
    for index in 0..random.random_range(1..6) {
        let sort = sort(random);
        system.add_state(&format!("s{index}"), sort);
    }
    define_states(&mut system, random);
    define_conditions(&mut system, random);
    for index in 0..random.random_range(1..4) {
        let goal = random_goal(&mut system, index, random);
        system.goals.push(goal);
    }
    system
}

fn symbols(system: &TransitionSystem) -> (Vec<SymbolId>, Vec<SymbolId>, Vec<SymbolId>) {
    (
        system.initial_inputs.values().map(|input| input.symbol).collect(),
        system.states.values().map(|state| state.symbol).collect(),
        system.inputs.values().map(|input| input.symbol).collect(),
    )
}

fn terms(pool: &mut TermPool, symbols: &[SymbolId]) -> Vec<TermId> {
    symbols.iter().map(|&symbol| pool.symbol_term(symbol)).collect()
}

fn define_states(system: &mut TransitionSystem, random: &mut SmallRng) {
    let (initial, states, inputs) = symbols(system);
    let initial = terms(&mut system.terms, &initial);
    let states = terms(&mut system.terms, &states);
    let inputs = terms(&mut system.terms, &inputs);
    let leaves: Vec<TermId> = states.iter().chain(&inputs).copied().collect();
    for id in system.states.ids() {
        let width = system.terms.width(states[id.index()]);
        let init = if random.random() { &initial[..] } else { &[] };
        system.states[id].init = random_word(&mut system.terms, init, width, 1, random);
        // Some states depend on a few others only, so that slicing finds something.
        let start = random.random_range(0..leaves.len());
        let leaves = if random.random() { &leaves[start..] } else { &states[id.index()..=id.index()] };
        let depth = random.random_range(1..4);
        system.states[id].next = random_word(&mut system.terms, leaves, width, depth, random);
    }
}

fn define_conditions(system: &mut TransitionSystem, random: &mut SmallRng) {
    let (initial, states, inputs) = symbols(system);
    let initial = terms(&mut system.terms, &initial);
    let states = terms(&mut system.terms, &states);
    let inputs = terms(&mut system.terms, &inputs);
    let step: Vec<TermId> = states.iter().chain(&inputs).copied().collect();
    let word = |system: &mut TransitionSystem, leaves: &[TermId], width, random: &mut SmallRng| {
        random_word(&mut system.terms, leaves, width, 2, random)
    };
    if random.random() {
        let condition = word(system, &initial, 1, random);
        system.initial_assumptions.push(Assumption { condition, origin: None });
    }
    for index in 0..random.random_range(0..3) {
        let value = word(system, &step, 3, random);
        system.outputs.push(Output { name: format!("o{index}"), value });
    }
    if random.random() {
        let condition = word(system, &step, 1, random);
        system.assumptions.push(Assumption { condition, origin: Some(Id::new(3)) });
    }
    if random.random() {
        let condition = word(system, &step, 1, random);
        system.hazards.push(Hazard {
            condition,
            description: "hazard".to_owned(),
            effect: HazardEffect::Open,
            origin: None,
        });
    }
    if random.random() {
        let condition = word(system, &states, 1, random);
        system.invariants.push(Invariant { condition, origin: None, text: "invariant".to_owned() });
    }
    if random.random() {
        system.end = Some(word(system, &states, 1, random));
    }
}

fn random_goal(system: &mut TransitionSystem, index: u32, random: &mut SmallRng) -> Goal {
    let (_, states, inputs) = symbols(system);
    let steps = random.random_range(1..=3);
    let mut leaves = Vec::new();
    for offset in 0..=steps {
        leaves.extend(states.iter().map(|&symbol| system.terms.framed(symbol, offset)));
        if offset < steps {
            leaves.extend(inputs.iter().map(|&symbol| system.terms.framed(symbol, offset)));
        }
    }
    let leaves: Vec<TermId> = leaves.into_iter().filter(|_| random.random_range(0..3) == 0).collect();
    let antecedent = random_word(&mut system.terms, &leaves, 1, 3, random);
    let expectation = random.random::<bool>().then(|| random_word(&mut system.terms, &leaves, 1, 2, random));
    Goal {
        name: format!("g{index}"),
        requirement: None,
        text: None,
        origin: None,
        steps,
        antecedent,
        expectation,
    }
}

/// A validated random system.
pub(crate) fn random_validated(random: &mut SmallRng) -> Validated {
    validate(random_system(random))
        .unwrap_or_else(|why| panic!("a random system should be well-formed: {why:?}"))
}

/// Random values, one for each entry.
pub(crate) fn random_values<'a>(
    system: &TransitionSystem,
    symbols: impl Iterator<Item = &'a SymbolId>,
    random: &mut SmallRng,
) -> Vec<Value> {
    symbols.map(|&symbol| Value::new(system.terms.symbol(symbol).sort, random.random())).collect()
}

/// A random trace from the initial state, which may violate assumptions.
pub(crate) fn random_trace(system: &TransitionSystem, steps: usize, random: &mut SmallRng) -> Trace {
    let initial: Vec<SymbolId> = system.initial_inputs.values().map(|input| input.symbol).collect();
    let inputs: Vec<SymbolId> = system.inputs.values().map(|input| input.symbol).collect();
    let start = Start::Initial(random_values(system, initial.iter(), random));
    let inputs = (0..steps).map(|_| random_values(system, inputs.iter(), random)).collect();
    Trace { start, inputs }
}
