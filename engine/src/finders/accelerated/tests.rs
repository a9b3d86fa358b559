use super::system::Accelerated;
use super::{AcceleratedQueries, Ways};
use crate::knowledge::chains::longest_run;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::{Task, all_goals};
use crate::knowledge::vertex::{Vertex, numbered};
use crate::options::Options;
use crate::random_simulation::Random;
use crate::session::{Session, Silent};
use crate::step::initial::initial_states;
use crate::turn::{Finder, Found};
use model::text::parse;
use model::trace::{Start, Trace};
use model::validate::{Validated, validate};
use model::value::Value;

fn system(text: &str) -> Validated {
    validate(parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))).expect("a valid system")
}

/// Systems whose words move at constant rates for long, with the period of what they do.
const MOVING: [(&str, usize); 4] = [
    // A timer with a limit, behind feedback.
    (
        "input ok w1 state t w8 next (ite ok (ite (ult t 200) (add t 1) t) 0)
         state m w2 next (ite (ule 150 t) 2 (ite ok 1 0)) goal g when (eq m 2)",
        1,
    ),
    // What happens at one moment alone.
    (
        "input ok w1 state t w8 next (add t 1)
         state m w2 next (ite (and (eq t 40) ok) (add m 1) m) goal g when (eq m 2)",
        1,
    ),
    // Two rates, one of them falling, as signed numbers.
    (
        "input up w1 state a w8 next (ite up (add a 3) (sub a 2))
         state b w8 next (ite (slt a 50) (add b 1) (sub b 1)) goal g when (eq b 100)",
        1,
    ),
    // A timer behind a divider.
    (
        "input ok w1 state d w3 next (ite (ule 4 d) 0 (add d 1))
         state t w8 next (ite (eq d 0) (ite ok (add t 1) 0) t) goal g when (ule 30 t)",
        5,
    ),
];

/// Random executions with leaps end where the real system ends after as many steps.
#[test]
fn leaps_end_where_their_steps_end() {
    for (text, period) in MOVING {
        let system = system(text);
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let accelerated = Accelerated::new(&task, period).expect("a valid system").expect("moving words");
        let with_leaps = accelerated.task(&task);
        let mut random = Random::new(7);
        let mut leaps = 0;
        for _ in 0..400 {
            let row = |random: &mut Random| {
                let missing = 0xffff - random.below(60);
                vec![
                    Value::truth(random.below(2) == 1),
                    Value::truth(random.below(2) == 1),
                    Value::word(16, missing as u128),
                ]
            };
            let inputs = (0..12).map(|_| row(&mut random)).collect();
            let start = Start::Initial(Vec::new());
            let reached = longest_run(&with_leaps, &Trace { start, inputs }).expect("an execution");
            leaps += reached.trace.inputs.iter().filter(|row| row[1].is_true()).count();
            let raised = accelerated.raise(&reached.trace).expect("few steps");
            let real = longest_run(&task, &raised).expect("an execution");
            assert_eq!(real.trace.inputs.len(), raised.inputs.len(), "{text}");
            assert_eq!(real.run.states.last(), reached.run.states.last(), "{text}");
        }
        assert!(leaps > 100, "{leaps} leaps of {text}");
    }
}

/// Three phases in which several feedbacks must stay as they are: hundreds of steps, a few leaps.
#[test]
fn phases_behind_feedback_are_held() {
    let text = "input fb w12
        state s w3 next (ite (eq s 0) (ite (eq fb 1911) 1 0)
          (ite (eq s 1) (ite (not (eq (extract 5 0 fb) 44)) 0 (ite (ule 300 t) 2 1))
          (ite (eq s 2) (ite (not (eq (extract 11 6 fb) 19)) 0 (ite (ule 400 t) 3 2)) 3)))
        state t w16 next (ite (or (eq s 0) (or (and (eq s 1) (ule 300 t)) (and (eq s 2) (ule 400 t)))) 0
          (ite (ult t 60000) (add t 1) t))
        goal g when (eq s 3)";
    let system = system(text);
    let task = Task::new(&system, &all_goals(&system), Vec::new());
    let options = Options::default();
    let session = Session::new(&options, &Silent);
    let mut found = Found::default();
    let known = Knowledge::nothing(&task, None);
    AcceleratedQueries::new(&task).run(&known, &mut found, 100_000, &session).expect("no limit");
    let sets = found.into_sets();
    let [chains] = &sets[..] else { panic!("one set of chains, not {}", sets.len()) };
    let [chain] = &chains[..] else { panic!("one chain, not {}", chains.len()) };
    assert!(
        chain.covers(task.goal(Vertex::of_position(0))) && chain.length() >= 700,
        "{} steps",
        chain.length()
    );
}

/// Two goals in two chains; from the end of one, the other is behind a long way back.
#[test]
fn chains_are_joined_over_long_ways_back() {
    let text = "input fb w8
        state s w2 next (ite (eq s 0) (ite (eq fb 171) 1 (ite (eq fb 77) 2 0))
          (ite (and (eq fb 60) (ule 500 t)) 0 s))
        state t w16 next (ite (eq s 0) 0 (ite (eq fb 60) (add t 1) 0))
        goal one when (eq s 1) goal two when (eq s 2)";
    let system = system(text);
    let task = Task::new(&system, &all_goals(&system), Vec::new());
    let options = Options::default();
    let session = Session::new(&options, &Silent);
    let initial = initial_states(&task, 1, &session).expect("no limit").expect("one state");
    let accelerated = Accelerated::new(&task, 1).expect("a valid system").expect("moving words");
    let goals = numbered([1, 2]);
    let ways =
        Ways { task: &task, system: &accelerated, initial: &initial, goals: &goals, session: &session };
    let alone = |goal| ways.find(&[], &[goal], 100_000).expect("no limit").remove(0);
    let joined = ways.joined(&goals.map(alone), 100_000).expect("no limit");
    let [chain] = &joined[..] else { panic!("one chain, not {}", joined.len()) };
    assert!(chain.length() > 500 && goals.iter().all(|&goal| chain.covers(task.goal(goal))));
}
