use super::aims::{Aims, take_one};
use super::archive::Hold;
use super::guards::Guards;
use super::hold::HeldInputs;
use super::player::{Ended, Order, Player, Position, step_goals};
use super::search::Budget;
use super::shorten::cut_loops;
use crate::domain::Domain;
use crate::find_chains;
use crate::finders::simulate::fronts::{Fronts, Near, Places};
use crate::finders::simulate::nearness::Nearness;
use crate::knowledge::chains::cut;
use crate::knowledge::status::{GoalStatus, Minimality};
use crate::knowledge::task::{Task, all_goals};
use crate::knowledge::vertex::{Vertex, numbered};
use crate::options::{EngineChoice, Options};
use crate::random_simulation::Random;
use crate::session::{Session, Silent};
use crate::step::code::Program;
use crate::step::external::complete;
use crate::step::initial::initial_states;
use crate::step::lanes::{LANES, lanes};
use model::external::{Call, Function};
use model::simulate::Simulator;
use model::sort::{FloatFormat, Sort};
use model::system::{InputId, TransitionSystem};
use model::term::TermId;
use model::text::parse;
use model::trace::{Start, Trace};
use model::validate::{Validated, validate};
use model::value::Value;

/// Every operator, in words that fit 32, 64 and 128 bits.
const OPERATORS: [&str; 5] = [
    "input u w5 input v w32 input t w1
     state a w5 init 3 next (ite t (add a u) (sub (mul a u) 1))
     state b w32 init 9 next (ite (slt b v) (xor b v) (add (ite (eq u 0) b (udiv b v)) (urem v 7)))
     state c w32 init 1 next (shl v (concat 0:w27 a))
     state d w32 init 1 next (or (lshr b (concat 0:w27 u)) (ashr v 3))
     state e w8 init 200 next (extract 12 5 (not v))
     state f w16 init 5 next (sext w16 e)
     state g w5 init 0 next (ite (sle (neg a) u) (sdiv a u) (srem a u))
     state h w1 init 0 next (and t (ult b v) (ule c d))
     goal one when (and h (eq e 7)) goal two steps 2 when (and t (eq u@1 3)) end (ult a 20)",
    "input u w64 input x f64
     state a w64 init 5 next (add (mul a u) 12345678912345)
     state r f64 next (float-add (float-mul r x) x)
     state s w1 next (or (float-lt r x) (float-is-nan r))
     state n w7 next (extract 40 34 a)
     assume (not (eq u 3)) goal one when (ult a u)",
    "input u w32 input x f32 input y f32 input t w1
     state a f32 next (ite t (float-add x a) (float-sub x y))
     state b f32 next (ite t (float-mul x y) (float-div x y))
     state c f32 next (ite t (float-sqrt x) (float-neg (float-abs y)))
     state d w8 next (concat (concat (float-eq x y) (concat (float-lt x y) (float-le x y)))
       (concat (float-is-nan b) (concat (float-is-infinite b) (concat (float-is-nan x) (concat (float-is-infinite x) (float-lt a b))))))
     state e w16 next (ite t (float-to-signed w16 x) (float-to-unsigned w16 b))
     state f f32 next (ite t (float-from-signed f32 u) (float-from-unsigned f32 u))
     state g f32 next (ite t (float-round-down x) (float-fma x y a))
     goal one when (and t (eq u 1)) end (float-le a a)",
    "input u w64 input x f64 input z f32 input t w1 input s w9
     state a f64 next (ite t (float-add x a) (float-convert f64 z))
     state b f32 next (ite t (float-convert f32 x) (float-div z b))
     state c w64 next (ite t (float-to-signed w64 x) (float-to-unsigned w64 z))
     state d f64 next (ite t (float-from-signed f64 s) (float-from-unsigned f64 u))
     state e f64 next (ite t (float-sub (float-mul x d) x) (float-sqrt (float-div x d)))
     goal one when (and t (float-lt x a)) end (ult c 9)",
    "input u w64 state a w64 init 7
     next (extract 95 32 (mul (zext w128 u) (zext w128 (xor a u)))) goal one when (slt a 0)",
];

fn system(text: &str) -> Validated {
    validate(parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))).expect("a valid system")
}

fn with_task<T>(text: &str, test: impl FnOnce(&Task<'_>) -> T) -> T {
    let system = system(text);
    test(&Task::new(&system, &all_goals(&system), Vec::new()))
}

fn bits(values: &[Value]) -> Vec<u64> {
    values.iter().map(|value| value.bits() as u64).collect()
}

/// What stands for a result of the library is computed and not taken from the inputs; also where
/// one call needs the result of another, and where a goal looks at a later step.
#[test]
fn the_library_is_asked_in_the_place_of_inputs() {
    let text = "input x f32 input y f32 input z f32 state a f32 next (float-add a y)
        state b f32 next z goal now when (float-lt x y) goal then steps 2 when (float-lt x@1 z@1)";
    let mut system: TransitionSystem = parse(text).expect("a text of a system");
    let ids: Vec<InputId> = system.inputs.ids().collect();
    let terms: Vec<TermId> = ids.iter().map(|&id| system.input_term(id)).collect();
    let call = |function, input: usize, arguments: &[usize]| Call {
        function,
        format: FloatFormat::Single,
        input: ids[input],
        arguments: arguments.iter().map(|&argument| terms[argument]).collect(),
        origin: None,
    };
    system.external_calls = vec![call(Function::Cos, 1, &[0]), call(Function::Atan2, 2, &[1, 0])];
    let system = validate(system).expect("a valid system");
    let task = Task::new(&system, &all_goals(&system), Vec::new());
    let program = Program::with_library(&task);
    let (mut lanes, mut simulator) = (lanes(&program), Simulator::new(&system));
    let mut state = simulator.initial(&[]).state;
    lanes.load(0, &bits(&state));
    for step in 0..50 {
        let row = [step as f32 / 4.0, 100.0, -7.0].map(Value::single).to_vec();
        let trace = Trace { start: Start::Initial(Vec::new()), inputs: vec![row.clone()] };
        let real = complete(&system, trace).inputs.remove(0);
        assert_ne!(real[1..], row[1..]);
        lanes.feed(0, &bits(&row));
        lanes.evaluate();
        let (x, y, z) = (real[0].bits() as u32, real[1].bits() as u32, real[2].bits() as u32);
        let [x, y, z] = [x, y, z].map(f32::from_bits);
        assert_eq!(y, x.cos());
        assert_eq!(lanes.word(program.labels[Vertex::of_position(0)][0], 0) == 1, x < y, "step {step}");
        assert_eq!(lanes.word(program.labels[Vertex::of_position(1)][1], 0) == 1, x < z, "step {step}");
        state = simulator.step(&state, &real).next;
        lanes.advance();
        let mut found = Vec::new();
        lanes.save(0, &mut found);
        assert_eq!(found, bits(&state), "step {step}");
    }
}

#[test]
fn lanes_do_what_the_evaluator_does() {
    for text in OPERATORS {
        with_task(text, |task| {
            let program = Program::compile(task);
            let (mut lanes, mut simulator) = (lanes(&program), Simulator::new(task.system));
            let mut random = Random::new(1);
            let start = simulator.initial(&[]).state;
            let mut states = vec![start; LANES];
            states.iter().enumerate().for_each(|(lane, state)| lanes.load(lane, &bits(state)));
            for step in 0..200 {
                let mut inputs = Vec::new();
                for lane in 0..LANES {
                    let kind = random.below(4);
                    let draw = |sort: &Sort| {
                        let bits = match (kind, *sort) {
                            (0, _) => random.below(9) as u64,
                            (1, Sort::Float(format)) => {
                                let number = (random.below(4_001) as f64 - 2_000.0) / 8.0;
                                match format {
                                    FloatFormat::Single => u64::from((number as f32).to_bits()),
                                    FloatFormat::Double => number.to_bits(),
                                }
                            }
                            _ => random.next_word(),
                        };
                        Value::new(*sort, bits.into())
                    };
                    inputs.push(program.input_sorts.iter().map(draw).collect::<Vec<Value>>());
                    lanes.feed(lane, &bits(&inputs[lane]));
                }
                lanes.evaluate();
                for lane in 0..LANES {
                    let allowed = lanes.word(program.allowed, lane) == 1;
                    let result = simulator.step(&states[lane], &inputs[lane]);
                    assert_eq!(allowed, result.violated.is_none(), "step {step}");
                    assert_eq!(
                        lanes.word(program.end, lane) == 1,
                        simulator.may_end(&states[lane]),
                        "step {step}"
                    );
                    let seen = simulator.goals(&[&states[lane], &result.next], &[&inputs[lane]]);
                    for vertex in task.vertices().filter(|&vertex| task.steps(vertex) == 1) {
                        let labelled = lanes.word(program.labels[vertex][0], lane) == 1;
                        let goal = task.goal(vertex);
                        assert_eq!(
                            labelled,
                            seen.iter().any(|sighting| sighting.goal == goal),
                            "step {step}"
                        );
                    }
                    if allowed {
                        states[lane] = result.next;
                    }
                }
                lanes.advance();
                let mut state = Vec::new();
                for lane in 0..LANES {
                    lanes.save(lane, &mut state);
                    assert_eq!(state, bits(&states[lane]), "step {step}");
                }
            }
        });
    }
}

/// A divider, a scheduler of three phases, counters up and down that meet, a signed word, and goals
/// of one and two steps.
const COUNTING: &str = "input hold w1 input fast w1
    state divider w8 init 0 next (ite (eq divider 4) 0 (add divider 1))
    state phase w2 init 0 next (ite (eq phase 2) 0 (add phase 1))
    state up w16 init 0 next (ite hold (ite (eq divider 0) (add up (ite fast 3 1)) up) 0)
    state down w16 init 9000 next (ite (eq phase 1) (ite (ult down 2) 9000 (sub down 2)) down)
    state drift w16 init 30000 next (ite hold (sub drift 5) (add drift 1))
    state mode w2 init 0 next (ite (and hold (ule down up)) 1 (ite (slt drift 0) 2 mode))
    assume (not (and fast (eq up 700)))
    goal met when (and (eq mode 0) (eq mode@1 1))
    goal late steps 2 when (and (eq up 600) (ult up@2 601) (eq divider@1 2))
    goal turned when (and (slt drift 0) (sle 65533:w16 drift))
    end (ult 3 phase)";

#[test]
fn leaps_do_what_single_steps_do() {
    with_task(COUNTING, |task| {
        let program = Program::compile(task);
        let (mut random, mut leapt) = (Random::new(5), 0);
        let mut simulator = Simulator::new(task.system);
        for _ in 0..12 {
            let mut player = Player::new(&program);
            let mut position = Position::start(bits(&task.initial_state(&[])));
            let mut plain = position.clone();
            for _ in 0..6 {
                let inputs = [random.below(2) as u64, random.below(2) as u64];
                let steps = 1 + random.below(6_000) as u64;
                let is_exact = random.below(2) == 0;
                let order = if is_exact { Order::exactly(steps) } else { Order::steps(steps) };
                let ended = player.hold(&mut position, &inputs, order);
                let taken = position.steps - plain.steps;
                assert!(taken == steps || ended == Ended::Refused || (ended == Ended::Idle && !is_exact));
                for _ in 0..taken {
                    step(&mut simulator, &program, &mut plain, &inputs);
                }
                assert_eq!(position, plain, "after {steps} steps under {inputs:?}");
            }
            leapt += u64::from(player.cost < plain.steps * program.cost / 4);
        }
        assert!(leapt > 4, "{leapt} of 12 executions were faster than step by step");
    });
}

/// One step by the evaluator, with the goals that it covers.
fn step(simulator: &mut Simulator, program: &Program, position: &mut Position, inputs: &[u64]) {
    let mut lanes = crate::step::lanes::solo(program);
    lanes.load(0, &position.state);
    lanes.feed(0, inputs);
    lanes.evaluate();
    step_goals(program, position, |slot| lanes.word(slot, 0));
    let values = |bits: &[u64], sorts: &[Sort]| -> Vec<Value> {
        bits.iter().zip(sorts).map(|(&bits, &sort)| Value::new(sort, bits.into())).collect()
    };
    let (state, inputs) =
        (values(&position.state, &program.state_sorts), values(inputs, &program.input_sorts));
    let result = simulator.step(&state, &inputs);
    assert_eq!(result.violated, None, "a step that was taken should be allowed");
    position.state = bits(&result.next);
    position.steps += 1;
}

const BUDGET: Budget = Budget { total: 40_000_000, idle: 10_000_000 };

fn simulated(text: &str, seed: u64) -> Vec<Trace> {
    with_task(text, |task| {
        let options = Options { seed, ..Options::default() };
        let session = Session::new(&options, &Silent);
        let Ok(Some(initial)) = initial_states(task, 10, &session) else { panic!("few initial states") };
        let goals: Vec<Vertex> = task.vertices().collect();
        let Ok(chains) = super::chains::chains(task, &goals, &initial, Vec::new(), (BUDGET, 0), &session)
        else {
            panic!("no limit should be reached")
        };
        chains.into_iter().map(|chain| chain.trace.as_ref().clone()).collect()
    })
}

/// A lock that opens after a long hold at the right value, and a mode that is left for good.
const LOCK: &str = "input key w8 input go w1
    state count w16 init 0 next (ite (eq key 77) (ite (ult count 3000) (add count 1) count) 0)
    state mode w2 init 0 next (ite (and go (eq count 3000)) 1 (ite (and go (eq key 200) (eq mode 0)) 2 mode))
    goal opened when (eq mode 1)
    goal left when (and (eq mode 2) (eq key 9))
    goal almost when (and (eq count 2999) (not (eq key 77)))
    goal never when (and (eq mode 3) go)
    end (ult mode 3)";

/// A test of a channel: its reading must be near a stimulus that moves by three with each step; a
/// reading that is not begins it anew.
const FOLLOWED: &str = "input reading w12 input go w1 input other w12
    let near (and (ule stimulus (add reading 2)) (ule reading (add stimulus 2)))
    state stimulus w12 init 0 next (ite (and go near) (add stimulus 3) 0)
    state passed w1 init 0 next (or passed (ult 240 stimulus))
    goal passes when passed";

#[test]
fn inputs_follow_what_a_test_expects() {
    let chains = simulated(FOLLOWED, 1);
    assert_eq!(chains.len(), 1, "a chain");
    assert!((82..200).contains(&chains[0].inputs.len()), "{} steps", chains[0].inputs.len());
}

#[test]
fn a_seed_determines_the_chains() {
    let chains = simulated(LOCK, 3);
    assert_eq!(chains, simulated(LOCK, 3));
    assert_eq!(chains.len(), 1, "the lock can still be opened after the mode was left");
    assert!(chains[0].inputs.len() < 9_100, "{} steps", chains[0].inputs.len());
    assert!(!simulated(LOCK, 4).is_empty());
}

#[test]
fn simulation_claims_nothing() {
    let system = system(LOCK);
    let options = Options { engine: EngineChoice::Simulate, ..Options::default() };
    let outcome = find_chains(&system, &options, &Silent).expect("a system with goals");
    assert_eq!(outcome.minimal, Minimality::Unknown);
    assert_eq!(outcome.lower_bound, 0);
    let statuses: Vec<bool> =
        outcome.goals.values().map(|goal| matches!(goal.status, GoalStatus::Covered { .. })).collect();
    assert_eq!(statuses, [true, true, true, false]);
    assert_eq!(outcome.goals.values().last().map(|goal| &goal.status), Some(&GoalStatus::NotChained));
}

#[test]
fn loops_are_cut_but_no_first_occurrence() {
    let text = "input x w1 state a w3 next (ite x (add a 1) a) state b w3 next (ite x b (add b 1))
                goal one when (eq a 1) goal two steps 2 when (and (eq b 2) (eq b@2 3))";
    with_task(text, |task| {
        let inputs = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1];
        let inputs = inputs.map(|x| vec![Value::truth(x == 1)]).to_vec();
        let trace = Trace { start: Start::Initial(vec![]), inputs };
        let goals = numbered([1, 2]);
        let Ok(Some(chain)) = cut(task, &trace, &goals) else { panic!("both goals occur") };
        let straight = cut_loops(task, &chain, &goals);
        let Ok(Some(shorter)) = cut(task, &straight, &goals) else { panic!("both goals still occur") };
        assert_eq!((chain.length(), shorter.length()), (14, 6));
    });
}

#[test]
fn holds_with_the_same_inputs_are_one() {
    let mut holds = Vec::new();
    for (inputs, steps) in [(1, 2), (1, 3), (2, 0), (1, 1), (2, 4)] {
        super::archive::join(&mut holds, Hold { inputs, steps });
    }
    assert_eq!(holds, [Hold { inputs: 1, steps: 6 }, Hold { inputs: 2, steps: 4 }]);
}

/// Four cells of which the smallest and the greatest are looked at, and a timer that runs while
/// they are in order: what chance hardly keeps.
const CELLS: &str = "input a w16 input b w16 input c w16 input d w16 input on w1
    state t w16 init 0 next (ite (and (and (and (ule 2800 a) (ule 2800 b)) (and (ule 2800 c) (ule 2800 d)))
        (and (and (ule a 4250) (ule b 4250)) (and (ule c 4250) (ule d 4250)))) (ite (ult t 900) (add t 1) t) 0)
    state mode w2 init 0 next (ite (and on (ule 700 t)) 1 (ite (eq mode 1) (ite (not on) 2 1) mode))
    assume (and (ule 2000 a) (ule a 4500)) assume (and (ule 2000 b) (ule b 4500))
    assume (and (ule 2000 c) (ule c 4500)) assume (and (ule 2000 d) (ule d 4500))
    goal late when (eq mode 2)";

#[test]
fn a_neighbour_turns_one_guard_and_is_allowed() {
    with_task(CELLS, |task| {
        let program = Program::compile(task);
        let mut guards = Guards::new(task, Options::default().backend);
        let (mut random, mut cost) = (Random::new(1), 0);
        let in_order = |cells: &[u64]| cells.iter().all(|cell| (2800..=4250).contains(cell));
        let (mut inputs, mut seen) = (vec![0; program.inputs], [[0; 2]; 2]);
        for _ in 0..200 {
            let before = inputs.clone();
            if !guards.turn(&mut inputs, &mut random, &mut cost) {
                assert_eq!(inputs, before);
                continue;
            }
            assert!(inputs[..4].iter().all(|cell| (2000..=4500).contains(cell)), "{inputs:?}");
            let (order, on) = (in_order(&inputs[..4]), inputs[4] == 1);
            seen[usize::from(order)][usize::from(on)] += 1;
            if before[0] != 0 && on != (before[4] == 1) {
                assert_eq!(inputs[..4], before[..4], "the cells do not matter to the other guard");
            }
        }
        assert!(seen.iter().flatten().all(|&count| count > 10), "{seen:?}");
    });
}

#[test]
fn assumptions_about_one_input_give_its_range() {
    let system = system(
        "input a w8 input b w8 input c w8 state s w1 next s assume (ule 10 a) assume (ule a 99)
         assume (and (sle 240 b) (sle b 20)) assume (ult a b) assume (or (eq c 1) (eq c 200))",
    );
    let domains = Domain::all(&system);
    let allowed = |domain: &Domain<'_>| (0..256).filter(|&value| domain.holds(value)).collect::<Vec<u64>>();
    assert_eq!(allowed(&domains[0]), (10..100).collect::<Vec<u64>>());
    assert_eq!(domains[0].range(&[10, 50, 99]), Some((10, 99)));
    assert_eq!(allowed(&domains[1]), (0..21).chain(240..256).collect::<Vec<u64>>());
    assert_eq!(domains[1].range(&[0, 20, 240, 241]), Some((240, 20)), "signed");
    assert_eq!(allowed(&domains[2]), [1, 200]);
    assert_eq!(domains[2].range(&[1, 200]), None);
}

#[test]
fn states_are_nearer_the_less_is_missing() {
    let text = "input go w1 state t w16 init 0 next (ite go (add t 1) 0) state late w1 init 0 next (ite (ule 300 t) go late)
        goal late when late@1";
    with_task(text, |task| {
        let program = Program::compile(task);
        let mut nearness = Nearness::new(&program, &numbered([1]));
        let mut distance = |t: u64, late: u64| nearness.look(&[t, late])[0];
        assert_eq!((distance(300, 0), distance(0, 1), distance(301, 0)), (0.0, 0.0, 0.0));
        assert!((0..300).all(|t| distance(t + 1, 0) < distance(t, 0)));
    });
}

/// A goal over the state alone is seen from the state before.
#[test]
fn states_are_nearer_the_less_is_missing_one_step_before() {
    let text = "input go w1 state t w16 init 0 next (ite go (add t 1) 0)
        state late w1 init 0 next (or late (and (ule 300 t) go)) goal late when late";
    with_task(text, |task| {
        let program = Program::compile(task);
        let mut nearness = Nearness::new(&program, &numbered([1]));
        let mut distance = |t: u64, late: u64| nearness.look(&[t, late])[0];
        assert_eq!(distance(0, 1), 0.0);
        assert!(distance(300, 0) > 0.0, "the goal is a step away");
        assert!((0..300).all(|t| distance(t + 1, 0) < distance(t, 0)));
    });
}

/// That a counter at zero is not counted down does not make it near to its largest values.
#[test]
fn counters_at_zero_are_not_near_their_end() {
    let text = "input up w1 state n w16 init 0 next (ite up (add n 5) (ite (eq n 0) n (sub n 1))) goal late when (ule 40 n)";
    with_task(text, |task| {
        let program = Program::compile(task);
        let mut nearness = Nearness::new(&program, &numbered([1]));
        assert!((0..40).all(|n| nearness.look(&[n + 1])[0] < nearness.look(&[n])[0] || n >= 35));
    });
}

#[test]
fn ranges_of_floats_are_found() {
    let text = "input x f32 input y f64 input z f32 assume (and (float-le -2.5:f32 x) (float-le x 80.0:f32))
        assume (and (float-le 0.0:f64 y) (or (float-le y 1.0:f64) (float-le 9.0:f64 y))) goal g when (float-lt x z)";
    let system = system(text);
    let domains = Domain::all(&system);
    let bits = |number: f32| u64::from(number.to_bits());
    let range = domains[0].range(&[bits(1.0), bits(80.0), bits(-2.5), bits(0.0)]);
    assert_eq!(range, Some((bits(-2.5), bits(80.0))));
    assert_eq!(domains[1].range(&[0.0, 1.0, 9.0, 20.0].map(f64::to_bits)), None, "there is a gap");
    assert_eq!(domains[2].range(&[bits(0.0), bits(1.0)]), None, "nothing is assumed");
}

/// A counter of implausible differences between a value and its average: only a value that swings
/// with the average reaches its end.
#[test]
fn counters_that_only_swinging_inputs_fill_are_filled() {
    let average = "(add average (ashr (sub wheel average) 2))";
    let apart = format!("(sub wheel {average})");
    let is_far = format!("(or (slt 40 {apart}) (slt {apart} -40))");
    let text = format!(
        "input wheel w16 assume (ule wheel 80) state average w16 init 0 next {average}
        state far w16 init 0 next (ite {is_far} (ite (ult far 200) (add far 5) far) (ite (eq far 0) 0 (sub far 1)))
        state failed w1 init 0 next (or failed (ule 100 far)) goal g20 when (ule 20 far) goal g40 when (ule 40 far) goal g70 when (ule 70 far) goal failed when failed"
    );
    let options = Options { engine: EngineChoice::Simulate, ..Options::default() };
    let outcome = find_chains(&system(&text), &options, &Silent).expect("a system with goals");
    let is_covered = |status: &GoalStatus| matches!(status, GoalStatus::Covered { .. });
    assert!(outcome.goals.values().all(|goal| is_covered(&goal.status)));
}

#[test]
fn fronts_keep_what_differs_in_words_that_count() {
    let text = "input a w16 state n w16 init 0 next (add n a) state mode w16 init 0 next (ite (eq n 9) mode 1) state other w16 init 0 next a
        goal g when (eq n 99) goal m when (eq mode 1)";
    let places = with_task(text, |task| {
        let mut places = Places::new(&Program::compile(task), &numbered([1, 2]));
        (0..20).for_each(|value| places.note(&[value, value % 2, value]));
        places
    });
    let of = |n: u64, mode: u64, other: u64| places.of(1, &[n, mode, other]);
    let (low, high, other) = (of(30, 0, 5), of(90, 0, 5), of(30, 1, 5));
    assert!(low != high && low != other);
    assert_eq!(low, of(30, 0, 6), "the goal does not depend on it");
    assert_eq!(places.of(0, &[30, 0, 5]), places.of(0, &[30, 1, 5]), "nor the other goal on the mode");
    let mut fronts = Fronts::new(1);
    let near = |distance: f64, entry: u32| Near { distance, length: 5, entry };
    fronts.enter(0, 0, low, near(0.5, 1));
    assert!(fronts.wants(0, 0, high, 0.9, 5), "there is room");
    fronts.enter(0, 0, high, near(0.9, 2));
    assert!(!fronts.wants(0, 0, low, 0.5, 5) && fronts.wants(0, 0, low, 0.5, 4));
    assert!(fronts.wants(0, 0, other, 2.0, 9), "nothing is known there");
    let mut random = Random::new(1);
    let mut picked: Vec<u32> = (0..200).filter_map(|_| fronts.pick(0, &mut random)).collect();
    picked.sort_unstable();
    picked.dedup();
    assert_eq!(picked, [1, 2]);
    assert_eq!(fronts.nearest(0), 0.5);
}

#[test]
fn timers_behind_guards_over_several_inputs_are_waited_for() {
    let system = system(CELLS);
    let options = Options { engine: EngineChoice::Simulate, ..Options::default() };
    let outcome = find_chains(&system, &options, &Silent).expect("a system with goals");
    assert_eq!(outcome.chains.len(), 1);
    let length = outcome.chains[0].trace.inputs.len();
    assert!((703..800).contains(&length), "{length}");
}

/// The pump starts every 2000 steps, if the tank is full and it does not rain.
const PUMP: &str = "input tank w16 input rain w8 input other w8
    state time w16 init 0 next (ite (eq time 1999) 0 (add time 1))
    state pump w1 init 0 next (and (eq time 1999) (and (ule 31000 tank) (ult rain 3)))
    state seen w8 init 0 next other
    goal starts when (eq pump 1) goal never when (and (eq pump 1) (eq time 7))";

#[test]
fn inputs_that_a_goal_needs_are_told_from_others() {
    with_task(PUMP, |task| {
        let (options, program) = (Options::default(), Program::with_library(task));
        let session = Session::new(&options, &Silent);
        // The step in which the pump runs needs nothing; a step before it is none in which a goal
        // occurs.
        let goals: Vec<Vertex> = task.vertices().collect();
        let mut aims = Aims::default();
        let cost = aims.ask(task, &goals, &mut Player::new(&program), &session).expect("no limit");
        assert!(cost > 0 && aims.of(&goals).is_empty());
        assert_eq!(aims.ask(task, &goals, &mut Player::new(&program), &session).ok(), Some(0));
        let mut inputs = vec![1, 2, 3];
        take_one(&[], &mut inputs, &mut Random::new(1));
        assert_eq!(inputs, [1, 2, 3]);
        take_one(&[vec![(0, 9), (2, 8)]], &mut inputs, &mut Random::new(1));
        assert_eq!(inputs, [9, 2, 8]);
    });
    let text = PUMP.replace(
        "goal starts when (eq pump 1)",
        "goal starts when (and (eq time 1999) (and (ule 31000 tank) (ult rain 3)))",
    );
    with_task(&text, |task| {
        let (options, program) = (Options::default(), Program::with_library(task));
        let session = Session::new(&options, &Silent);
        let starts = Vertex::of_position(0);
        let mut aims = Aims::default();
        aims.ask(task, &[starts], &mut Player::new(&program), &session).expect("no limit");
        let found = aims.of(&[starts]);
        assert_eq!(found.len(), 1);
        let numbers: Vec<usize> = found[0].iter().map(|&(input, _)| input).collect();
        assert_eq!(numbers, [0, 1]);
        assert!(found[0][0].1 >= 31_000 && found[0][1].1 < 3);
        let (mut chains, mut open) = (Vec::new(), vec![starts]);
        let mut held = HeldInputs::new(task);
        held.hold(&mut chains, &mut open, 2_000_000, &session).expect("no limit");
        assert!(open.is_empty() && chains.len() == 1);
    });
}

#[test]
fn what_counts_pulses_is_filled_by_inputs_that_swing() {
    let text = "input pulse w1 input stop w1
        state old w1 init 0 next pulse
        state count w8 init 0 next (ite (eq stop 1) 0 (ite (and (eq pulse 1) (and (eq old 0) (ult count 255))) (add count 1) count))
        goal filled when (ule 200 count)";
    with_task(text, |task| {
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let (mut chains, mut open) = (Vec::new(), task.vertices().collect());
        HeldInputs::new(task).hold(&mut chains, &mut open, 5_000_000, &session).expect("no limit");
        assert!(open.is_empty(), "{open:?}");
        // Each pulse takes two steps at least, and ten at most.
        let length = chains[0].length();
        assert!((400..=1_024).contains(&length), "{length}");
    });
}
