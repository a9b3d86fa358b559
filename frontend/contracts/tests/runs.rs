//! Runs under given inputs: what is allowed, what is certain, and the first inputs that do.

use crate::support::{BUFFER, document};
use contracts::Interface;
use contracts::log::parse_inputs;
use contracts::runs::{Finder, Goals, Runs, grade, witness};
use contracts::semantics::{Effort, Valuation};
use frontend::limit::Limit;
use spec::value::Value;

fn shown(steps: &[Valuation]) -> String {
    let bit = |value: &Option<Value>| match value {
        Some(Value::Bool(value)) => u8::from(*value).to_string(),
        _ => "?".to_owned(),
    };
    steps.iter().map(|now| format!("{}{}", bit(&now[0]), bit(&now[1]))).collect::<Vec<_>>().join(" ")
}

fn all(interface: &Interface) -> Vec<String> {
    interface.goals().map(str::to_owned).collect()
}

#[test]
fn the_inputs_of_the_paper_fill_the_buffer() {
    let document = document(BUFFER);
    let interface = &document.interface;
    let runs = Runs::new(interface, &[]);
    let goals = Goals::new(interface, ["full"]).expect("few goals");
    let inputs = parse_inputs(interface, "enq,deq\n1,1\n1,0\n1,0\n", &Limit::default()).expect("inputs");
    let graded = grade(&runs, &goals, &inputs, &mut Effort::default()).expect("few runs");
    let rows: Vec<String> = graded.rows.iter().map(|row| row.allowed.describe(interface)).collect();
    assert_eq!(rows, ["E & !F & pc <= 2", "!E & !F & pc <= 2", "!E & F & pc <= 2"]);
    assert_eq!(graded.rows[2].met, ["full"]);
    assert!(graded.is_certain);
}

#[test]
fn the_first_inputs_that_meet_all_goals() {
    let document = document(BUFFER);
    let interface = &document.interface;
    let runs = Runs::new(interface, &[]);
    let goals = Goals::new(interface, all(interface).iter().map(String::as_str)).expect("few goals");
    let mut effort = Effort::default();
    for is_certain in [true, false] {
        let mut finder = Finder::new(&runs, &goals, is_certain);
        assert_eq!(finder.first(6, &mut effort), Ok(None));
        let inputs = finder.first(7, &mut effort).expect("few runs").expect("a chain");
        assert_eq!(shown(&inputs), "00 01 10 01 10 10 10");
        let run = witness(&runs, &goals, &inputs, &mut effort).expect("few runs").expect("a run");
        assert_eq!(shown(&run), "00 01 10 01 10 10 10");
        let graded = grade(&runs, &goals, &inputs, &mut effort).expect("few runs");
        assert!(graded.is_certain && graded.missed.is_empty());
    }
    let full = Goals::new(interface, ["full"]).expect("one goal");
    let mut finder = Finder::new(&runs, &full, true);
    assert_eq!(finder.first(2, &mut effort), Ok(None));
    let inputs = finder.first(3, &mut effort).expect("few runs").expect("a chain");
    assert_eq!(shown(&inputs), "00 10 10");
}

#[test]
fn a_system_that_may_refuse_makes_no_certain_chain() {
    let text =
        "input a : bool  output b : bool  req x assume a' guarantee true  req y initially guarantee not b'
                purpose lit: b' and not b";
    let document = document(text);
    let interface = &document.interface;
    let runs = Runs::new(interface, &[]);
    let goals = Goals::new(interface, ["x", "lit"]).expect("few goals");
    let mut effort = Effort::default();
    for length in 1..6 {
        assert_eq!(Finder::new(&runs, &goals, true).first(length, &mut effort), Ok(None));
    }
    let inputs = Finder::new(&runs, &goals, false).first(2, &mut effort).expect("few runs").expect("a chain");
    let graded = grade(&runs, &goals, &inputs, &mut effort).expect("few runs");
    assert!(!graded.is_certain);
    assert_eq!(graded.missed, ["lit"]);
    assert_eq!(graded.rows[1].perhaps, ["lit"]);
}
