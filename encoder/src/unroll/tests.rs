use super::*;
use crate::bits::{BitBuilder, Lanes};
use crate::testing::{Shape, operators, parsed, random_system, random_values};
use model::id::Id;
use model::simulate::{Simulator, WindowEvaluator};
use model::text;
use model::trace::{self, Trace, replay};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use solver::sat::{Backend, Budget, IncrementalSat, Verdict};
use std::collections::BTreeSet;

fn solver() -> Box<dyn IncrementalSat + Send> {
    Backend::Batsat.open()
}

fn solve(solver: &mut dyn IncrementalSat, assumptions: &[Lit]) -> bool {
    match solver.solve(assumptions, &Budget::default()) {
        Verdict::Sat => true,
        Verdict::Unsat => false,
        Verdict::Unknown => panic!("an unlimited query should be answered"),
    }
}

/// Predicate number `index`, in the order in which the text names its goals: their antecedents.
fn goal(system: &Validated, index: usize) -> TermId {
    system.goals.values().nth(index).expect("a goal of that number").antecedent
}

const MIXED: Shape = Shape {
    widths: &[1, 2, 3, 5, 8, 16, 17, 32, 64],
    states: 4,
    inputs: 3,
    initial_inputs: 2,
    operators: 40,
    window: 3,
    floats: false,
};
const TINY: Shape = Shape {
    widths: &[1, 2],
    states: 2,
    inputs: 1,
    initial_inputs: 1,
    operators: 14,
    window: 2,
    floats: false,
};

const FRAMES: u32 = 4;

/// 64 random executions without regard to assumptions.
struct Executions {
    states: Vec<Vec<Vec<Value>>>,
    inputs: Vec<Vec<Vec<Value>>>,
    initial: Vec<Vec<Value>>,
}

impl Executions {
    fn random(system: &Validated, rng: &mut SmallRng, from_initial: bool) -> Self {
        let mut simulator = Simulator::new(system);
        let mut executions = Self { states: Vec::new(), inputs: Vec::new(), initial: Vec::new() };
        let sort = |symbol| system.terms.symbol(symbol).sort;
        for _ in 0..64 {
            let initial = random_values(rng, system.initial_inputs.values().map(|input| sort(input.symbol)));
            let mut states = vec![if from_initial {
                simulator.initial(&initial).state
            } else {
                random_values(rng, system.states.values().map(|state| sort(state.symbol)))
            }];
            let mut inputs = Vec::new();
            for step in 0..FRAMES as usize {
                inputs.push(random_values(rng, system.inputs.values().map(|input| sort(input.symbol))));
                states.push(simulator.step(&states[step], &inputs[step]).next);
            }
            executions.states.push(states);
            executions.inputs.push(inputs);
            executions.initial.push(initial);
        }
        executions
    }
}

/// The values of all nodes of the unrolling's graph in the 64 executions.
fn evaluate(unrolling: &Unrolling, executions: &Executions) -> Vec<u64> {
    let mut inputs = vec![0; unrolling.aig.inputs()];
    let mut assign = |word: Option<&[Literal]>, values: Vec<u128>| {
        for (literal, lanes) in
            word.unwrap_or(&[]).iter().zip(Lanes::pack(word.unwrap_or(&[]).len(), &values))
        {
            if let crate::aig::Node::Input(number) = unrolling.aig.node(literal.node()) {
                inputs[number as usize] = lanes;
            }
        }
    };
    let system = unrolling.system;
    let width = |symbol| system.terms.symbol(symbol).sort.width();
    for (id, input) in system.initial_inputs.iter() {
        let values = executions.initial.iter().map(|values| values[id.index()].bits()).collect();
        assign(unrolling.initial.inputs.get(id.index(), width(input.symbol)), values);
    }
    for (number, frame) in unrolling.frames.iter().enumerate() {
        if number == 0 && unrolling.start == Start::Free {
            for (id, state) in system.states.iter() {
                let values = executions.states.iter().map(|states| states[0][id.index()].bits()).collect();
                assign(frame.states.get(id.index(), width(state.symbol)), values);
            }
        }
        for (id, input) in system.inputs.iter().filter(|_| number < FRAMES as usize) {
            let values = executions.inputs.iter().map(|inputs| inputs[number][id.index()].bits()).collect();
            assign(frame.inputs.get(id.index(), width(input.symbol)), values);
        }
    }
    unrolling.aig.evaluate(|input| inputs[input])
}

fn check_against_evaluator(system: &Validated, rng: &mut SmallRng, from_initial: bool) {
    let start = if from_initial { Start::Initial } else { Start::Free };
    let mut unrolling = Unrolling::new(system, start);
    let goals: Vec<Vec<Literal>> = system
        .goals
        .values()
        .flat_map(|goal| (0..=FRAMES - goal.steps).map(move |at| (goal.antecedent, at)))
        .map(|(antecedent, at)| unrolling.word(antecedent, at).expect("all operators have circuits"))
        .collect();
    let states: Vec<Vec<Vec<Literal>>> = (0..=FRAMES)
        .map(|at| {
            let states = system.states.ids();
            states
                .map(|state| unrolling.state_word(state, at).expect("all operators have circuits"))
                .collect()
        })
        .collect();
    let executions = Executions::random(system, rng, from_initial);
    let values = evaluate(&unrolling, &executions);
    let lane = |word: &[Literal], lane: usize| {
        let word: Vec<u64> = word.iter().map(|literal| literal.among(&values)).collect();
        Lanes::unpack(&word, lane)
    };
    let antecedents = system.goals.values().map(|goal| goal.antecedent);
    let mut evaluators: Vec<_> = antecedents.map(|term| WindowEvaluator::new(system, [term])).collect();
    for execution in 0..64 {
        let (expected, inputs) = (&executions.states[execution], &executions.inputs[execution]);
        for (at, words) in states.iter().enumerate() {
            for (state, word) in words.iter().enumerate() {
                assert_eq!(lane(word, execution), expected[at][state].bits(), "state {state} at {at}");
            }
        }
        let mut goals = goals.iter();
        for (index, goal) in system.goals.values().enumerate() {
            for at in 0..=(FRAMES - goal.steps) as usize {
                evaluators[index].run(&expected[at..], &inputs[at..]);
                let word = goals.next().expect("as many words as windows");
                assert_eq!(lane(word, execution) == 1, evaluators[index].holds(0), "goal {index} at {at}");
            }
        }
    }
}

#[test]
fn circuits_agree_with_the_evaluator_on_random_systems() {
    let mut rng = SmallRng::seed_from_u64(11);
    let mut seen = 0;
    for _ in 0..60 {
        let system = random_system(&mut rng, &MIXED);
        seen += operators(&system);
        check_against_evaluator(&system, &mut rng, false);
        check_against_evaluator(&system, &mut rng, true);
    }
    assert!(seen > 60 * 40, "random systems should not be trivial");
}

#[test]
fn circuits_agree_with_the_evaluator_on_systems_with_floats() {
    let mut rng = SmallRng::seed_from_u64(12);
    let shape = Shape { widths: &[1, 8, 32], floats: true, window: 1, ..MIXED };
    for _ in 0..12 {
        let system = random_system(&mut rng, &shape);
        check_against_evaluator(&system, &mut rng, false);
        check_against_evaluator(&system, &mut rng, true);
    }
}

/// Everything reachable in exactly k steps from some states, by brute force.
struct Explorer<'s> {
    system: &'s Validated,
    simulator: Simulator,
    inputs: Vec<Vec<Value>>,
}

impl<'s> Explorer<'s> {
    fn new(system: &'s Validated) -> Self {
        let sorts: Vec<Sort> =
            system.inputs.values().map(|input| system.terms.symbol(input.symbol).sort).collect();
        Self { system, simulator: Simulator::new(system), inputs: all_values(&sorts) }
    }
    fn initial_states(&mut self) -> BTreeSet<Vec<u128>> {
        let symbols = self.system.initial_inputs.values().map(|input| input.symbol);
        let sorts: Vec<Sort> = symbols.map(|symbol| self.system.terms.symbol(symbol).sort).collect();
        let results = all_values(&sorts).into_iter().map(|inputs| self.simulator.initial(&inputs));
        results.filter(|result| result.violated.is_none()).map(|result| bits(&result.state)).collect()
    }
    fn all_states(&self) -> BTreeSet<Vec<u128>> {
        let sorts: Vec<Sort> = self.sorts().collect();
        all_values(&sorts).iter().map(|state| bits(state)).collect()
    }
    fn sorts(&self) -> impl Iterator<Item = Sort> + use<'s> {
        let system = self.system;
        system.states.values().map(|state| system.terms.symbol(state.symbol).sort)
    }
    fn values(&self, state: &[u128]) -> Vec<Value> {
        self.sorts().zip(state).map(|(sort, &bits)| Value::new(sort, bits)).collect()
    }
    fn successors(&mut self, states: &BTreeSet<Vec<u128>>) -> BTreeSet<Vec<u128>> {
        let mut successors = BTreeSet::new();
        for state in states {
            let state = self.values(state);
            for inputs in &self.inputs {
                let result = self.simulator.step(&state, inputs);
                if result.violated.is_none() {
                    successors.insert(bits(&result.next));
                }
            }
        }
        successors
    }
    /// Whether a window of a predicate that starts in this state exists.
    fn occurs(&mut self, predicate: TermId, steps: u32, state: &[u128]) -> bool {
        let mut evaluator = WindowEvaluator::new(self.system, [predicate]);
        let mut open = vec![(vec![self.values(state)], Vec::new())];
        while let Some((states, inputs)) = open.pop() {
            if inputs.len() == steps as usize {
                evaluator.run(&states, &inputs);
                if evaluator.holds(0) {
                    return true;
                }
                continue;
            }
            for input in &self.inputs {
                let result = self.simulator.step(states.last().expect("a state"), input);
                if result.violated.is_none() {
                    let (mut states, mut inputs) = (states.clone(), inputs.clone());
                    states.push(result.next);
                    inputs.push(input.clone());
                    open.push((states, inputs));
                }
            }
        }
        false
    }
}

fn bits(values: &[Value]) -> Vec<u128> {
    values.iter().map(|value| value.bits()).collect()
}

fn all_values(sorts: &[Sort]) -> Vec<Vec<Value>> {
    sorts.iter().fold(vec![Vec::new()], |tuples, &sort| {
        let extended = tuples.into_iter().flat_map(|tuple: Vec<Value>| {
            (0..1u128 << sort.width()).map(move |bits| {
                let mut tuple = tuple.clone();
                tuple.push(Value::new(sort, bits));
                tuple
            })
        });
        extended.collect()
    })
}

/// Asks whether each goal occurs at each depth, compares with brute force and replays the
/// witnesses.
fn check_against_exploration(system: &Validated, start: Start, tally: &mut [usize; 2]) {
    let mut explorer = Explorer::new(system);
    let mut layer = match &start {
        Start::Free => explorer.all_states(),
        Start::Initial => explorer.initial_states(),
        Start::Concrete(values) => BTreeSet::from([bits(values)]),
        Start::Partial(values) => {
            let fits = |state: &Vec<u128>| {
                values.iter().zip(state).all(|(value, &bits)| value.is_none_or(|value| value.bits() == bits))
            };
            explorer.all_states().into_iter().filter(fits).collect()
        }
    };
    let (mut unrolling, mut solver) = (Unrolling::new(system, start.clone()), solver());
    for at in 0..4 {
        for (id, goal) in system.goals.iter() {
            let literal = unrolling.literal(goal.antecedent, at, &mut solver).expect("a circuit");
            let running = unrolling.running(at + goal.steps, &mut solver).expect("a circuit");
            let found = solve(&mut solver, &[literal, running]);
            let expected = layer.iter().any(|state| explorer.occurs(goal.antecedent, goal.steps, state));
            assert_eq!(found, expected, "{} at {at} from {start:?}:\n{}", goal.name, text::print(system));
            tally[usize::from(found)] += 1;
            if found {
                let trace = unrolling.lift(0, at + goal.steps, &solver);
                let execution = replay(system, &trace).expect("a witness should be an execution");
                assert!(execution.occurrences[id].iter().any(|occurrence| occurrence.step == at as usize));
                check_states(&mut unrolling, at + goal.steps, &mut solver, &[literal, running]);
            }
        }
        layer = explorer.successors(&layer);
    }
}

/// The states read from a model must be those of the lifted trace, and those of the encoded bits.
fn check_states(
    unrolling: &mut Unrolling,
    last: u32,
    solver: &mut Box<dyn IncrementalSat + Send>,
    assumptions: &[Lit],
) {
    let system = unrolling.system;
    let mut words = Vec::new();
    for at in 0..=last {
        for state in system.states.ids() {
            words.push(unrolling.state_literals(state, at, solver).expect("a circuit"));
        }
    }
    assert!(solve(solver, assumptions));
    let states = unrolling.states(last, solver);
    let mut words = words.into_iter();
    for (at, values) in states.iter().enumerate() {
        assert_eq!(unrolling.state_at(at as u32, solver), *values);
        for value in values {
            let word = words.next().expect("a word for each state");
            for (index, literal) in word.into_iter().enumerate() {
                let encoded = solver.value(literal).unwrap_or(false);
                assert_eq!(encoded, value.bits() >> index & 1 == 1, "bit {index} at {at}");
            }
        }
    }
    let trace = unrolling.lift(1, last, solver);
    assert_eq!(trace.start, trace::Start::State(states[1].clone()));
    assert_eq!(trace.inputs.len(), last as usize - 1);
    let execution = replay(system, &trace).expect("the end of an execution should be one");
    assert_eq!(execution.states, states[1..]);
}

#[test]
fn queries_agree_with_exploration_on_tiny_systems() {
    let mut rng = SmallRng::seed_from_u64(5);
    let mut tally = [0; 2];
    for _ in 0..60 {
        let system = random_system(&mut rng, &TINY);
        let sorts = system.states.values().map(|state| system.terms.symbol(state.symbol).sort);
        let concrete = random_values(&mut rng, sorts);
        let partial = concrete.iter().enumerate().map(|(word, &value)| (word > 0).then_some(value)).collect();
        for start in [Start::Free, Start::Initial, Start::Partial(partial), Start::Concrete(concrete)] {
            check_against_exploration(&system, start, &mut tally);
        }
    }
    assert!(tally.iter().all(|&count| count > 100), "both answers should occur often, not {tally:?}");
}

#[test]
fn solutions_of_wide_systems_replay() {
    let mut rng = SmallRng::seed_from_u64(17);
    let shape = Shape { widths: &[1, 4, 8, 12], operators: 25, ..MIXED };
    let mut found = 0;
    for _ in 0..25 {
        let system = random_system(&mut rng, &shape);
        let (mut unrolling, mut solver) = (Unrolling::new(&system, Start::Initial), solver());
        for (id, goal) in system.goals.iter() {
            let at = rng.random_range(0..3);
            let literal = unrolling.literal(goal.antecedent, at, &mut solver).expect("a circuit");
            let running = unrolling.running(at + goal.steps, &mut solver).expect("a circuit");
            if solve(&mut solver, &[literal, running]) {
                found += 1;
                let trace = unrolling.lift(0, at + goal.steps, &solver);
                let execution = replay(&system, &trace).expect("a witness should be an execution");
                assert!(execution.occurrences[id].iter().any(|occurrence| occurrence.step == at as usize));
            }
        }
    }
    assert!(found > 25, "only {found} solutions");
}

const DEADLOCK: &str = "
    system deadlock
    input up w1
    state count w4 next (ite up (add count 1) count)
    assume (ult count 3)
    goal three when (eq count 3)
    goal two when (eq count 2)
    goal pair steps 2 when (and (eq count 1) (eq count@1 2) (eq count@2 3) up@1)
";

#[test]
fn an_execution_may_end_in_a_deadlock_but_not_pass_it() {
    let system = parsed(DEADLOCK);
    let (mut unrolling, mut solver) = (Unrolling::new(&system, Start::Initial), solver());
    let three = unrolling.literal(goal(&system, 0), 3, &mut solver).expect("a circuit");
    let running: Vec<Lit> =
        (0..5).map(|steps| unrolling.running(steps, &mut solver).expect("a circuit")).collect();
    assert!(solve(&mut solver, &[three, running[3]]));
    assert_eq!(unrolling.state_at(3, &solver), [Value::word(4, 3)]);
    assert!(!solve(&mut solver, &[three, running[4]]));
    for (longer, shorter) in [(4, 3), (4, 0), (2, 1)] {
        assert!(!solve(&mut solver, &[running[longer], !running[shorter]]), "{longer} implies {shorter}");
    }
}

#[test]
fn windows_reach_over_several_frames() {
    let system = parsed(DEADLOCK);
    let (mut unrolling, mut solver) = (Unrolling::new(&system, Start::Initial), solver());
    for (at, expected) in [(0, false), (1, true), (2, true)] {
        let pair = unrolling.literal(goal(&system, 2), at, &mut solver).expect("a circuit");
        let running = unrolling.running(at + 2, &mut solver).expect("a circuit");
        assert_eq!(solve(&mut solver, &[pair, running]), expected, "at {at}");
        if expected {
            let ups: Vec<bool> =
                unrolling.lift(at, at + 2, &solver).inputs.iter().map(|inputs| inputs[0].is_true()).collect();
            assert_eq!(ups, [true, true]);
        }
    }
}

#[test]
fn initial_assumptions_are_in_force_from_the_initial_states_only() {
    let system = parsed(
        "system start
         initial-input first w4
         initial-assume (ult first 5)
         state count w4 init (add first 1)
         goal nine when (eq count 9)
         goal five when (eq count 5)",
    );
    for (start, possible) in [(Start::Initial, false), (Start::Free, true)] {
        let (mut unrolling, mut solver) = (Unrolling::new(&system, start), solver());
        let nine = unrolling.literal(goal(&system, 0), 2, &mut solver).expect("a circuit");
        let five = unrolling.literal(goal(&system, 1), 2, &mut solver).expect("a circuit");
        let running = unrolling.running(0, &mut solver).expect("a circuit");
        assert_eq!(solve(&mut solver, &[nine, running]), possible);
        assert!(solve(&mut solver, &[five, running]));
    }
    let (mut unrolling, mut solver) = (Unrolling::new(&system, Start::Initial), solver());
    let five = unrolling.literal(goal(&system, 1), 2, &mut solver).expect("a circuit");
    assert!(solve(&mut solver, &[five]));
    let lifted = unrolling.lift(0, 1, &solver);
    assert_eq!(lifted, Trace { start: trace::Start::Initial(vec![Value::word(4, 4)]), inputs: vec![vec![]] });
}

#[test]
fn invariants_restrict_a_free_start() {
    let system = parsed(
        "system ring
         state count w4 next (ite (eq count 9) 0 (add count 1))
         invariant (ule count 9)
         goal twelve when (eq count 12)",
    );
    let (mut unrolling, mut solver) = (Unrolling::new(&system, Start::Free), solver());
    let twelve = unrolling.literal(goal(&system, 0), 1, &mut solver).expect("a circuit");
    assert!(solve(&mut solver, &[twelve]));
    unrolling.strengthen(system.invariants[0].condition, &mut solver).expect("a circuit");
    assert!(!solve(&mut solver, &[twelve]));
}

const TIMER: &str = "
    system timer
    input start w1
    state ticks w16 next (add ticks 1)
    state running w1 next (or running start)
    state held w16 next (ite running (add held 1) 0)
    goal late when (eq ticks 10000)
    goal early when (eq ticks 9999)
    goal hold when (and running (eq held 3))
";

#[test]
fn deep_unrollings_fold_and_need_no_stack() {
    let system = parsed(TIMER);
    let mut unrolling = Unrolling::new(&system, Start::Initial);
    assert_eq!(unrolling.truth(goal(&system, 0), 10_000), Ok(Literal::TRUE));
    assert_eq!(unrolling.truth(goal(&system, 1), 10_000), Ok(Literal::FALSE));
    assert_eq!(unrolling.statistics().conjunctions, 0);
    let mut solver = solver();
    let hold = unrolling.literal(goal(&system, 2), 10_000, &mut solver).expect("a circuit");
    assert!(solve(&mut solver, &[hold]));
    assert_eq!(unrolling.state_at(10_000, &solver)[2], Value::word(16, 3));
}

#[test]
fn only_what_is_asked_is_encoded() {
    let system = parsed(TIMER);
    let (mut unrolling, mut solver) = (Unrolling::new(&system, Start::Free), solver());
    unrolling
        .literal(system.states.values().nth(1).expect("a state").next, 3, &mut solver)
        .expect("a circuit");
    let statistics = unrolling.statistics();
    assert_eq!((statistics.inputs, statistics.variables), (5, 6), "the flag, four inputs, their disjunction");
    assert_eq!(statistics.frames.len(), 4);
    assert_eq!(statistics.frames.iter().map(|frame| frame.nodes).sum::<u64>(), statistics.conjunctions);
    assert_eq!(statistics.frames[3].clauses, statistics.clauses);
}

#[test]
fn forgetting_memos_changes_no_literal() {
    let system = random_system(&mut SmallRng::seed_from_u64(2), &MIXED);
    let mut remembering = Unrolling::new(&system, Start::Free);
    let mut forgetting = Unrolling::new(&system, Start::Free);
    forgetting.memo_limit = 0;
    for goal in system.goals.values().chain(system.goals.values()) {
        for at in [3, 0, 2, 3] {
            assert_eq!(remembering.truth(goal.antecedent, at), forgetting.truth(goal.antecedent, at));
        }
    }
    assert_eq!(remembering.statistics(), forgetting.statistics());
}

#[test]
fn two_unrollings_share_a_solver() {
    let system = parsed(DEADLOCK);
    let mut solver = solver();
    let (mut free, mut initial) =
        (Unrolling::new(&system, Start::Free), Unrolling::new(&system, Start::Initial));
    let three = free.literal(goal(&system, 0), 0, &mut solver).expect("a circuit");
    let two = initial.literal(goal(&system, 1), 2, &mut solver).expect("a circuit");
    assert!(solve(&mut solver, &[three, two]));
    assert_eq!(free.state_at(0, &solver), [Value::word(4, 3)]);
    assert_eq!(initial.state_at(2, &solver), [Value::word(4, 2)]);
}

#[test]
fn what_has_no_value_is_an_error() {
    let system = parsed(
        "system wrong
         initial-input first w1
         initial-assume first
         state count w4
         goal all when (eq count 9)",
    );
    let mut unrolling = Unrolling::new(&system, Start::Initial);
    let first = system.initial_assumptions[0].condition;
    let error = unrolling.truth(first, 0).expect_err("an initial input has no value in a step");
    assert_eq!(error.to_string(), "`first` has no value in a step");
    let count = system.states.values().next().expect("a state").next;
    let error = unrolling.truth(count, 0).expect_err("a word is no truth");
    assert!(error.to_string().starts_with("a truth should be asked for, not a term of sort w4"), "{error}");
}

/// Words that are identified have the same circuits in all frames; without that they differ.
#[test]
fn identified_words_share_their_circuits() {
    let system = parsed(
        "system s input x f32 state first f32 next (float-add first x) state other w8 next (add other 1)
         state second f32 next (float-add second x) state third f32 next (float-add third x)
         goal same when (and (float-eq first second) (float-eq second third))",
    );
    let words: Vec<StateId> = system.states.ids().collect();
    let [first, _, second, third] = words[..] else { panic!("there are four words") };
    for identified in [false, true] {
        let mut unrolling = Unrolling::new(&system, Start::Free);
        if identified {
            unrolling.identify([third, second]);
            unrolling.identify([third, first]);
        }
        for at in [2, 0, 1] {
            let [first, second, third] =
                [first, second, third].map(|word| unrolling.state_word(word, at).expect("a word"));
            assert_eq!((first == second, second == third), (identified, identified), "frame {at}");
        }
    }
}

/// A word that is identified with a fixed one is fixed too, whichever has the lower number; two
/// fixed ones stay what they are.
#[test]
fn identified_words_are_fixed_together() {
    let system = parsed(
        "system s state first w8 next second state second w8 next first state third w8 next third
         goal same when (eq first second)",
    );
    let words: Vec<StateId> = system.states.ids().collect();
    let starts: [[Option<u128>; 3]; 3] =
        [[Some(7), None, Some(9)], [None, Some(7), Some(9)], [Some(7), Some(8), None]];
    for (start, expected) in starts.into_iter().zip([[7, 7, 9], [7, 7, 9], [7, 8, 8]]) {
        let values = start.map(|bits| bits.map(|bits| Value::word(8, bits))).to_vec();
        let mut unrolling = Unrolling::new(&system, Start::Partial(values));
        unrolling.identify([words[0], words[1]]);
        unrolling.identify([words[1], words[2]]);
        let found: Vec<Option<u128>> = words
            .iter()
            .map(|&word| {
                let word = unrolling.state_word(word, 0).expect("a word");
                unrolling.graph().known_word(&word)
            })
            .collect();
        assert_eq!(found, expected.map(Some), "{start:?}");
    }
}

/// Where a predicate has the value that it is fixed to, all words are what they are otherwise.
#[test]
fn circuits_over_fixed_predicates_agree_with_the_evaluator() {
    let mut rng = SmallRng::seed_from_u64(13);
    let shape = Shape { window: 1, ..MIXED };
    let mut compared = [0; 2];
    for _ in 0..60 {
        let system = random_system(&mut rng, &shape);
        let executions = Executions::random(&system, &mut rng, false);
        let predicate = goal(&system, 0);
        let mut evaluator = WindowEvaluator::new(&system, [predicate]);
        for value in [false, true] {
            let mut unrolling = Unrolling::new(&system, Start::Free);
            unrolling.fix(predicate, value, &mut solver()).expect("all operators have circuits");
            let states = system.states.ids();
            let words: Vec<Vec<Literal>> = states
                .map(|state| unrolling.state_word(state, 1).expect("all operators have circuits"))
                .collect();
            let values = evaluate(&unrolling, &executions);
            for execution in 0..64 {
                let (expected, inputs) = (&executions.states[execution], &executions.inputs[execution]);
                evaluator.run(expected, inputs);
                if evaluator.holds(0) != value {
                    continue;
                }
                compared[usize::from(value)] += 1;
                for (state, word) in words.iter().enumerate() {
                    let word: Vec<u64> = word.iter().map(|literal| literal.among(&values)).collect();
                    assert_eq!(Lanes::unpack(&word, execution), expected[1][state].bits(), "state {state}");
                }
            }
        }
    }
    assert!(compared.iter().all(|&compared| compared > 300), "{compared:?}");
}

/// No step is possible where a predicate has another value than the one that it is fixed to.
#[test]
fn fixed_predicates_restrict_the_first_step() {
    let system = parsed(
        "system s input x w4 state n w4 next (add n x)
         goal low when (and (ult x 5) (ult n 5)) goal high when (ult 9 n)",
    );
    let [low, high] = [0, 1].map(|index| goal(&system, index));
    for value in [false, true] {
        let mut solver = solver();
        let mut unrolling = Unrolling::new(&system, Start::Free);
        unrolling.fix(low, value, &mut solver).expect("a predicate");
        let mut can_be = |predicate: TermId, at: u32| {
            let literal = unrolling.literal(predicate, at, &mut solver).expect("a predicate");
            [literal, !literal].map(|literal| solve(&mut *solver, &[literal]))
        };
        assert_eq!(can_be(low, 0), [value, !value]);
        assert_eq!(can_be(high, 1), [!value, true]);
    }
}

/// Terms that are merged have one circuit, and so have those over either.
#[test]
fn merged_terms_share_their_circuits() {
    let sum = "(add n x)";
    let other = "(add (xor n x) (shl (and n x) 1))";
    let system = parsed(&format!(
        "system s input x w8 state n w8 next {sum} state m w8 next {other}
         state p w8 next (mul {sum} n) state q w8 next (mul {other} n) goal same when (eq p q)"
    ));
    let words: Vec<StateId> = system.states.ids().collect();
    for merged in [false, true] {
        let mut unrolling = Unrolling::new(&system, Start::Free);
        if merged {
            let terms = [0, 1].map(|word: usize| system.states[words[word]].next);
            unrolling.merge(terms, 0).expect("terms of a step");
        }
        let next: Vec<Vec<Literal>> =
            words.iter().map(|&word| unrolling.state_word(word, 1).expect("a word")).collect();
        assert_eq!((next[0] == next[1], next[2] == next[3]), (merged, merged));
    }
}
