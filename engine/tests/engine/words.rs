//! Random systems of words with wide inputs against breadth-first search over their tables.
//!
//! The automata of `random` choose among a handful of letters; here inputs have hundreds of values
//! of which few differ in what they do, and transitions, assumptions and goals are arithmetic. So
//! it matters that every class of inputs is found, whatever engine and solver. The tables are made
//! by the word-level evaluator.

use crate::automaton::{Automaton, WindowGoal, cheapest, count, first_seed, goal, optimum};
use crate::random::{Tally, check_against, check_statuses};
use engine::error::EngineError;
use engine::find_chains;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::{EngineChoice, EngineId, Options};
use engine::session::Silent;
use model::eval::Evaluator;
use model::id::Id;
use model::simulate::Simulator;
use model::sort::Sort;
use model::system::{Assumption, Goal, InputRole, TransitionSystem};
use model::term::{BinaryOp, SymbolId, TermId, TermPool, UnaryOp};
use model::validate::{Validated, validate};
use model::value::Value;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use solver::sat::Backend;

/// Sizes of a random system.
#[derive(Clone, Copy)]
struct Words {
    /// Widths of the state words.
    states: &'static [u32],
    /// Widths of the inputs.
    inputs: &'static [u32],
    /// Number of goals.
    goals: usize,
    /// Longest window.
    steps: u32,
    /// Words depend on few others, and goals speak about few: projections and parts of the state
    /// have something to say.
    loose: bool,
}

const SMALL: Words = Words { states: &[3, 2], inputs: &[1, 1, 1], goals: 4, steps: 2, loose: false };
const WIDE: Words = Words { states: &[3, 1, 2], inputs: &[5, 1, 3], goals: 4, steps: 1, loose: false };
const LOOSE: Words = Words { states: &[3, 2, 2], inputs: &[2, 2], goals: 5, steps: 2, loose: true };

/// A condition on one transition: a term over (state, input, next state) and, made the same way,
/// over later frames.
struct Transition {
    seed: u64,
    depth: u32,
    /// The only state word it speaks about, if there is one.
    only: Option<usize>,
}

fn words(pool: &mut TermPool, symbols: &[SymbolId], frame: u32) -> Vec<TermId> {
    symbols.iter().map(|&symbol| pool.framed(symbol, frame)).collect()
}

fn random_word(
    pool: &mut TermPool,
    leaves: &[TermId],
    width: u32,
    depth: u32,
    random: &mut SmallRng,
) -> TermId {
    use BinaryOp::{Add, And, Eq, LShr, Mul, Or, SLt, Shl, Sub, UDiv, ULe, URem, Xor};
    if depth == 0 {
        if random.random_range(0..4) == 0 {
            return pool.word(width, random.random_range(0..1 << width));
        }
        let leaf = leaves[random.random_range(0..leaves.len())];
        return pool.resize(leaf, width, random.random());
    }
    let mut part = |pool: &mut TermPool, width| random_word(pool, leaves, width, depth - 1, random);
    let (first, second, condition) = (part(pool, width), part(pool, width), part(pool, 1));
    let (lhs, rhs) = (part(pool, 3), part(pool, 3));
    match random.random_range(0..8) {
        0..=2 => pool.ite(condition, first, second),
        3..=4 if width == 1 => pool.binary([Eq, ULe, SLt][random.random_range(0..3)], lhs, rhs),
        5 => pool.unary(if random.random() { UnaryOp::Not } else { UnaryOp::Neg }, first),
        _ => {
            let operators = [Add, Add, Sub, And, Or, Xor, Mul, Shl, LShr, URem, UDiv];
            pool.binary(operators[random.random_range(0..operators.len())], first, second)
        }
    }
}

impl Transition {
    fn random(random: &mut SmallRng, shape: Words) -> Self {
        let only = (shape.loose && random.random_range(0..3) > 0)
            .then(|| random.random_range(0..shape.states.len()));
        let deepest = if shape.loose { 3 } else { 4 };
        Self { seed: random.random(), depth: random.random_range(1..deepest), only }
    }

    fn term(&self, system: &mut TransitionSystem, frame: u32) -> TermId {
        let mut states: Vec<SymbolId> = system.states.values().map(|state| state.symbol).collect();
        let inputs: Vec<SymbolId> = system.inputs.values().map(|input| input.symbol).collect();
        if let Some(only) = self.only {
            states = vec![states[only]];
        }
        let pool = &mut system.terms;
        let mut leaves = words(pool, &states, frame);
        leaves.extend(words(pool, &inputs, frame));
        leaves.extend(words(pool, &states, frame + 1));
        let mut random = SmallRng::seed_from_u64(self.seed);
        let any = random_word(pool, &leaves, 1, self.depth, &mut random);
        // Mostly for one value of a state word only.
        let word = leaves[random.random_range(0..states.len())];
        let width = pool.width(word);
        let value = pool.word(width, random.random_range(0..1 << width));
        let here = pool.equal(word, value);
        if random.random_range(0..4) == 0 { any } else { pool.and(here, any) }
    }
}

/// A random system, and its goals' conditions by transition.
fn random_system(random: &mut SmallRng, shape: Words) -> (Validated, Vec<Vec<TermId>>) {
    let mut system = TransitionSystem { name: "words".to_owned(), ..TransitionSystem::default() };
    for (number, &width) in shape.states.iter().enumerate() {
        system.add_state(&format!("s{number}"), Sort::word(width));
    }
    for (number, &width) in shape.inputs.iter().enumerate() {
        system.add_input(&format!("i{number}"), Sort::word(width), InputRole::Stimulus);
    }
    let states: Vec<SymbolId> = system.states.values().map(|state| state.symbol).collect();
    let inputs: Vec<SymbolId> = system.inputs.values().map(|input| input.symbol).collect();
    let state_words = words(&mut system.terms, &states, 0);
    let input_words = words(&mut system.terms, &inputs, 0);
    let all: Vec<TermId> = state_words.iter().chain(&input_words).copied().collect();
    for (id, &width) in system.states.ids().zip(shape.states) {
        system.states[id].init = system.terms.word(width, random.random_range(0..1 << width));
        let depth = random.random_range(1..4);
        let own = state_words[id.index()];
        let mut leaves = all.clone();
        if shape.loose {
            let others = state_words[..id.index()].iter().filter(|_| random.random_range(0..3) == 0);
            leaves = others.chain([&own]).chain(&input_words).copied().collect();
        }
        let other = random_word(&mut system.terms, &leaves, width, depth, random);
        // Counting now and then keeps most values within reach.
        let (condition, one) =
            (random_word(&mut system.terms, &leaves, 1, 2, random), system.terms.word(width, 1));
        let counted = system.terms.binary(BinaryOp::Add, own, one);
        let mut next = system.terms.ite(condition, counted, other);
        if shape.loose {
            let number = system.terms.word(shape.inputs[0], id.index() as u128);
            let is_moved = system.terms.equal(input_words[0], number);
            next = system.terms.ite(is_moved, next, own);
        }
        system.states[id].next = next;
    }
    for leaves in [&all, &input_words] {
        if random.random_range(0..2) == 0 {
            let condition = random_word(&mut system.terms, leaves, 1, 2, random);
            system.assumptions.push(Assumption { condition, origin: None });
        }
    }
    let mut conditions = Vec::new();
    for number in 0..shape.goals {
        let steps = random.random_range(1..=shape.steps);
        let transitions: Vec<Transition> = (0..steps).map(|_| Transition::random(random, shape)).collect();
        let frames: Vec<TermId> =
            (0..steps).zip(&transitions).map(|(frame, at)| at.term(&mut system, frame)).collect();
        conditions.push(transitions.iter().map(|transition| transition.term(&mut system, 0)).collect());
        let antecedent = system.terms.conjunction(frames);
        let name = format!("g{number}");
        let (requirement, text, origin, expectation) = (None, None, None, None);
        system.goals.push(Goal { name, requirement, text, origin, steps, antecedent, expectation });
    }
    if random.random() {
        system.end = Some(random_word(&mut system.terms, &state_words, 1, 2, random));
    }
    (validate(system).expect("a random system should be valid"), conditions)
}

/// All valuations of words of these widths, numbered.
fn valuations(widths: &[u32]) -> Vec<Vec<Value>> {
    let total: u32 = widths.iter().sum();
    let split = |mut number: u128| {
        widths
            .iter()
            .map(|&width| {
                let bits = number & ((1 << width) - 1);
                number >>= width;
                Value::new(Sort::word(width), bits)
            })
            .collect()
    };
    (0..1u128 << total).map(split).collect()
}

fn number(words: &[Value]) -> usize {
    words.iter().rev().fold(0, |number, word| number << word.sort().width() | word.bits() as usize)
}

/// The tables of a system.
fn tabulate(system: &Validated, shape: Words, conditions: &[Vec<TermId>]) -> Automaton {
    let mut simulator = Simulator::new(system);
    let (states, letters) = (valuations(shape.states), valuations(shape.inputs));
    let mut next = vec![vec![None; letters.len()]; states.len()];
    let frame = || vec![vec![false; letters.len()]; states.len()];
    let mut goals: Vec<WindowGoal> = conditions
        .iter()
        .map(|transitions| WindowGoal {
            frames: transitions.iter().map(|_| frame()).collect(),
            after: vec![true; states.len()],
        })
        .collect();
    let mut evaluator = Evaluator::new(&system.terms, conditions.iter().flatten().copied());
    let place = places(system, &evaluator);
    for (from, state) in states.iter().enumerate() {
        for (letter, inputs) in letters.iter().enumerate() {
            let step = simulator.step(state, inputs);
            if step.violated.is_none() {
                next[from][letter] = Some(number(&step.next));
            }
            let all: Vec<Value> = state.iter().chain(inputs).chain(&step.next).copied().collect();
            place.iter().enumerate().for_each(|(position, &from)| evaluator.set(position, all[from]));
            evaluator.execute();
            let frames = goals.iter_mut().flat_map(|goal| &mut goal.frames);
            frames.enumerate().for_each(|(root, frame)| frame[from][letter] = evaluator.holds(root));
        }
    }
    let end = system.end.map(|_| states.iter().map(|state| simulator.may_end(state)).collect());
    Automaton { initial: vec![number(&simulator.initial(&[]).state)], next, goals, end }
}

/// For each symbol of the evaluator its position in state, inputs, next state.
fn places(system: &Validated, evaluator: &Evaluator) -> Vec<usize> {
    let mut pool = system.terms.clone();
    let states: Vec<SymbolId> = system.states.values().map(|state| state.symbol).collect();
    let inputs: Vec<SymbolId> = system.inputs.values().map(|input| input.symbol).collect();
    let mut all: Vec<TermId> = words(&mut pool, &states, 0);
    all.extend(words(&mut pool, &inputs, 0));
    all.extend(words(&mut pool, &states, 1));
    let position = |symbol: SymbolId| {
        all.iter()
            .position(|&term| pool.as_symbol(term) == Some(symbol))
            .expect("a condition should speak about one transition")
    };
    evaluator.symbols().iter().map(|&(symbol, _)| position(symbol)).collect()
}

fn run(engine: EngineChoice, shape: Words, seeds: std::ops::Range<u64>) -> Tally {
    run_with(&Options { engine, ..Options::default() }, shape, seeds)
}

fn run_with(options: &Options, shape: Words, seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds.map(|seed| first_seed() + seed) {
        let mut random = SmallRng::seed_from_u64(seed);
        let (system, conditions) = random_system(&mut random, shape);
        let automaton = tabulate(&system, shape, &conditions);
        let backend = Backend::ALL[seed as usize % Backend::ALL.len()];
        let options = Options { backend, ..options.clone() };
        match options.reset_cost {
            None => check_against(seed, &system, &automaton, &options, &mut tally),
            Some(reset) => check_price(seed, &system, &automaton, reset, &options, &mut tally),
        }
    }
    println!("{}, {:?} states: {tally:?}", options.engine, options.most_states);
    tally
}

/// Compares what chains cost at a price of further ones with the least cost.
fn check_price(
    seed: u64,
    system: &Validated,
    automaton: &Automaton,
    reset: u64,
    options: &Options,
    tally: &mut Tally,
) {
    let outcome = match find_chains(system, options, &Silent) {
        Err(EngineError::NoExecution(_)) if !automaton.has_execution() => return,
        outcome => outcome.unwrap_or_else(|error| panic!("seed {seed}: {error}")),
    };
    tally.systems += 1;
    check_statuses(seed, &outcome, &optimum(automaton), tally);
    let Some(least) = cheapest(automaton, reset as usize) else {
        return assert!(outcome.chains.is_empty(), "seed {seed}: chains although nothing can be covered");
    };
    let chains = outcome.chains.len() as u64;
    let cost = outcome.length() + reset * chains.saturating_sub(1);
    let is_complete = outcome.goals.values().all(|goal| goal.status.name() != "undecided");
    match outcome.minimal {
        Minimality::Proven => {
            assert_eq!(cost, least as u64, "seed {seed}: proven, but not the least cost");
            assert_eq!(outcome.lower_bound, outcome.length(), "seed {seed}");
            tally.proven += 1;
        }
        Minimality::Gap | Minimality::Unknown => {
            assert!(!is_complete || cost >= least as u64, "seed {seed}: less than the least cost");
            tally.gaps += 1;
        }
    }
}

fn assert_settled(tally: &Tally) {
    assert!(tally.proven * 100 >= tally.systems * 95, "{tally:?}");
    assert!(tally.unreachable > 0 && tally.longest > 4, "{tally:?}");
}

#[test]
fn wide_inputs_with_any_engine() {
    assert_settled(&run(EngineChoice::Auto, WIDE, 0..count(60)));
}

#[test]
fn wide_inputs_with_the_sat_engine() {
    assert_settled(&run(EngineChoice::Sat, WIDE, 1000..1000 + count(20)));
}

#[test]
fn windows_over_words_with_any_engine() {
    assert_settled(&run(EngineChoice::Auto, SMALL, 2000..2000 + count(60)));
}

/// Without the states of the whole system: what cones, projections, parts and queries from concrete
/// states claim must be true.
#[test]
fn engines_without_all_states_claim_what_is_true() {
    let few = Options { most_states: Some(1), ..Options::default() };
    let tally = run_with(&few, LOOSE, 3000..3000 + count(10));
    assert!(tally.proven * 100 >= tally.systems * 80, "{tally:?}");
    assert!(tally.unreachable > 0 && tally.longest > 4, "{tally:?}");
    let without_simulation = Options { simulation: false, jobs: 2, ..few.clone() };
    let tally = run_with(&without_simulation, LOOSE, 4000..4000 + count(10));
    assert!(tally.proven * 100 >= tally.systems * 80, "{tally:?}");
    let priced = Options { reset_cost: Some(3), ..few };
    let tally = run_with(&priced, LOOSE, 5000..5000 + count(5));
    assert!(tally.proven > 0, "{tally:?}");
}

/// Localizations alone: what they exclude is unreachable, and that is most of what is; their bounds
/// are no greater than the fewest steps.
#[test]
fn localizations_claim_what_is_true() {
    let others = EngineId::ALL.iter().copied().filter(|&engine| engine != EngineId::Localization);
    let options = Options { without: others.collect(), most_states: Some(1), ..Options::default() };
    let (mut excluded, mut unreachable, mut bounds) = (0, 0, 0);
    for (shape, seeds) in [(LOOSE, 6000..6000 + count(60)), (SMALL, 7000..7000 + count(60))] {
        for seed in seeds.map(|seed| first_seed() + seed) {
            let mut random = SmallRng::seed_from_u64(seed);
            let (system, conditions) = random_system(&mut random, shape);
            let automaton = tabulate(&system, shape, &conditions);
            let outcome = match find_chains(&system, &options, &Silent) {
                Err(EngineError::NoExecution(_)) if !automaton.has_execution() => continue,
                outcome => outcome.unwrap_or_else(|error| panic!("seed {seed}: {error}")),
            };
            let truth = optimum(&automaton);
            for (number, &is_reachable) in truth.reachable.iter().enumerate() {
                let status = &outcome.goals[goal(number)].status;
                let is_excluded = matches!(status, GoalStatus::Unreachable { .. });
                assert!(!(is_excluded && is_reachable), "seed {seed}: goal {number} is {status:?}");
                excluded += usize::from(is_excluded);
                unreachable += usize::from(!is_reachable);
            }
            // Without chains the bound is about all goals.
            let Some((_, length)) = truth.chains.filter(|_| truth.coverable.iter().all(|&is| is)) else {
                continue;
            };
            let bound = outcome.lower_bound;
            assert!(bound <= length as u64, "seed {seed}: bound {bound} above {length}");
            bounds += usize::from(bound > 2);
        }
    }
    println!("{excluded} of {unreachable} unreachable goals are excluded, {bounds} bounds above 2");
    assert!(excluded > 20 && excluded * 10 >= unreachable * 8, "{excluded} of {unreachable}");
    assert!(bounds > 2, "{bounds} bounds");
}
