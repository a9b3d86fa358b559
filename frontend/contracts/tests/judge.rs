//! Verdicts on recorded runs and on systems, of the buffer.

use crate::support::{BUFFER, document};
use contracts::judge::{Test, describe, monitor, run};
use contracts::log::{LogError, parse, parse_inputs};
use contracts::vcd::Sampling;
use contracts::{Interface, Player};
use frontend::limit::{Limit, Reason};
use harness::{Broken, Fields, Report, Synchronous, Verdict};
use serde_json::json;
use std::time::Instant;

/// A buffer in code, with faults.
struct Buffer {
    places: u64,
    filled: u64,
    power: u64,
}

impl Synchronous for Buffer {
    fn reset(&mut self) -> Result<(), Broken> {
        self.filled = 0;
        Ok(())
    }
    fn step(&mut self, number: u64, inputs: &Fields) -> Result<Fields, Broken> {
        let holds = |name: &str| inputs[name].as_bool().expect("a truth");
        match (holds("enq"), holds("deq")) {
            (true, false) if number > 0 && self.filled < self.places => self.filled += 1,
            (false, true) if number > 0 && self.filled > 0 => self.filled -= 1,
            _ => {}
        }
        let power = if holds("enq") || holds("deq") { self.power } else { 0 };
        let outputs = json!({ "E": self.filled == 0, "F": self.filled == self.places, "pc": power });
        Ok(outputs.as_object().expect("an object").clone())
    }
}

fn test(interface: &Interface, inputs: &str, goals: &[&str]) -> Test {
    let table = String::from("enq,deq\n")
        + &inputs.split(' ').map(|pair| format!("{},{}\n", &pair[..1], &pair[1..])).collect::<String>();
    Test {
        steps: parse_inputs(interface, &table, &Limit::default()).expect("inputs"),
        goals: goals.iter().map(|goal| (*goal).to_owned()).collect(),
    }
}

fn judged(inputs: &str, goals: &[&str], places: u64, power: u64) -> Report {
    let document = document(BUFFER);
    let interface = &document.interface;
    let mut system = Buffer { places, filled: 0, power };
    run(interface, &test(interface, inputs, goals), &mut system, None, &Default::default()).report
}

const CHAIN: &str = "00 01 10 01 10 10 10";
const GOALS: [&str; 12] =
    ["r0", "r1", "r2", "r3", "r4", "r5", "ra", "rb", "full", "overflow", "underflow", "drained"];

#[test]
fn a_buffer_with_two_places_passes() {
    assert_eq!(judged(CHAIN, &GOALS, 2, 2).verdict, Verdict::Pass);
    assert_eq!(judged("11 10 10", &["full"], 2, 1).verdict, Verdict::Pass);
}

#[test]
fn a_buffer_with_three_places_fails_and_is_explained() {
    let report = judged(CHAIN, &GOALS, 3, 2);
    assert_eq!((report.verdict, report.step), (Verdict::Fail, Some(5)));
    assert_eq!(report.explanations, [["r4"], ["r1"]]);
    assert_eq!(report.more["hidden"], json!(["k = 2", "k = 1"]));
    assert!(describe(&report).starts_with(
        "fail at step 5: no allowed behaviour has these outputs\n  smallest explanations: {r4} (k = 2), {r1} (k = 1)\n  allowed: !E & F & pc <= 2\n"
    ), "{}", describe(&report));
    let paper = judged("11 10 10", &["full"], 3, 2);
    assert_eq!((paper.verdict, paper.step), (Verdict::Fail, Some(2)));
    let traced = json!([
        { "hidden": "k=0,1,0", "violated": ["r1", "r3"] },
        { "hidden": "k=0,1,2", "violated": ["r4"] },
    ]);
    assert_eq!(paper.more["traced"], traced);
    assert_eq!(paper.explanations, [["r4"], ["r1"]]);
}

#[test]
fn one_view_suffices_to_fail() {
    let (behaviour, _) = BUFFER.split_once("view power").expect("two views");
    let purposes = "purpose full: F'\n";
    let document = document(&format!("{behaviour}\n{purposes}"));
    let log = "enq,deq,E,F\n1,1,1,0\n1,0,0,0\n1,0,0,0\n";
    let steps = parse(&document.interface, log, &Sampling::default(), &Limit::default()).expect("a log");
    let report = monitor(&document.interface, &steps, &[], &Default::default());
    assert_eq!((report.verdict, report.step), (Verdict::Fail, Some(2)));
    assert_eq!(report.more["traced"][0]["hidden"], "k=0,1,0");
}

#[test]
fn too_much_power_is_found_and_outside_values_are_told() {
    let report = judged(CHAIN, &GOALS, 2, 3);
    assert_eq!((report.verdict, report.step), (Verdict::Fail, Some(1)));
    assert_eq!(report.explanations, [["rb"]]);
    let report = judged(CHAIN, &GOALS, 2, 7);
    assert_eq!(report.reason.as_deref(), Some("pc = 7 is outside 0..5"));
    assert_eq!((report.rule.as_deref(), report.step), (Some("OUTSIDE"), Some(1)));
}

#[test]
fn missed_goals_are_inconclusive() {
    let report = judged("11 10", &["full", "r1"], 2, 1);
    assert_eq!((report.verdict, report.more["missed"].clone()), (Verdict::Inconclusive, json!(["full"])));
}

#[test]
fn logs_may_lack_outputs() {
    let document = document(BUFFER);
    let verdict = |log: &str| {
        let steps = parse(&document.interface, log, &Sampling::default(), &Limit::default())
            .unwrap_or_else(|error| panic!("{error}"));
        let report = monitor(&document.interface, &steps, &[], &Default::default());
        (report.verdict, report.step)
    };
    let table = [
        ("enq,deq,F\n1,1,0\n1,0,0\n1,0,1\n", (Verdict::Pass, None)),
        ("enq,deq,F\n1,1,0\n1,0,0\n1,0,0\n", (Verdict::Fail, Some(2))),
        ("enq,deq,E,F\n1,1,,\n1,0,,\n1,0,,1\n", (Verdict::Pass, None)),
        ("enq,deq,E,F\n1,1,,\n1,0,,\n1,0,,0\n", (Verdict::Fail, Some(2))),
        ("step,enq,deq,E,note\n0,true,false,1,\"a, b\"\n", (Verdict::Pass, None)),
        ("{\"enq\":true,\"deq\":true,\"E\":false}\n", (Verdict::Fail, Some(0))),
        ("{\"step\":0,\"in\":{\"enq\":true,\"deq\":true},\"out\":{\"E\":true}}\n", (Verdict::Pass, None)),
    ];
    for (log, expected) in table {
        assert_eq!(verdict(log), expected, "{log}");
    }
    let steps = parse(&document.interface, "enq,deq,F\n1,1,0\n", &Sampling::default(), &Limit::default())
        .expect("a log");
    let report = monitor(&document.interface, &steps, &[], &Default::default());
    assert_eq!(report.more["unseen"], json!(["E", "pc"]));
    let log = "enq,deq,E,F,pc\n1,1,1,0,1\n0,0,,0,0\n1,0,0,,2\n0,0,,,0\n";
    let steps = parse(&document.interface, log, &Sampling::default(), &Limit::default()).expect("a log");
    let report = monitor(&document.interface, &steps, &[], &Default::default());
    let reason = "all was allowed, but nothing was seen of E in 2 of 4 steps, F in 2 of 4 steps";
    assert_eq!((report.verdict, report.reason.as_deref()), (Verdict::Pass, Some(reason)));
}

#[test]
fn inputs_that_the_environment_does_not_give_are_not_given() {
    let document =
        document("input a: bool output o: bool req r guarantee o' or not o' environment not a' or o");
    let interface = &document.interface;
    let steps = parse_inputs(interface, "a\n0\n1\n", &Limit::default()).expect("inputs");
    struct Never(usize);
    impl Synchronous for Never {
        fn reset(&mut self) -> Result<(), Broken> {
            Ok(())
        }
        fn step(&mut self, _: u64, _: &Fields) -> Result<Fields, Broken> {
            self.0 += 1;
            Ok(json!({"o": false}).as_object().expect("an object").clone())
        }
    }
    let mut system = Never(0);
    let test = Test { steps, goals: Vec::new() };
    let report = run(interface, &test, &mut system, None, &Default::default()).report;
    assert_eq!((report.verdict, report.step), (Verdict::Inconclusive, Some(1)));
    assert_eq!((report.rule.as_deref(), system.0), (Some("NOT_OCCURRING"), 1));
}

/// Behind inputs that do not occur nothing is required, of the types of outputs neither.
#[test]
fn outputs_outside_their_types_matter_where_inputs_occur() {
    let document = document("input a: bool output n: 0..2 req r guarantee n' >= n environment not a'");
    let verdict = |log: &str| {
        let steps = parse(&document.interface, log, &Sampling::default(), &Limit::default()).expect("a log");
        let report = monitor(&document.interface, &steps, &[], &Default::default());
        (report.rule, report.step)
    };
    assert_eq!(verdict("a,n\n0,1\n1,7\n"), (Some("NOT_OCCURRING".to_owned()), Some(1)));
    assert_eq!(verdict("a,n\n0,1\n0,7\n"), (Some("OUTSIDE".to_owned()), Some(1)));
}

#[test]
fn bad_logs_are_refused() {
    let document = document(BUFFER);
    let table = [
        ("", "line 1: the log is empty"),
        ("enq,E\n1,1\n", "the log has no column for the input `deq`; all inputs have to be known"),
        ("enq,deq,enq\n1,1,1\n", "the log has two columns `enq`"),
        ("enq,deq,E\n1,,1\n", "line 2: `` is no value of `deq`: bool"),
        ("enq,deq,e\n1,1,1\n", "the log has no column for an output; its columns are: enq, deq, e"),
        ("enq,deq,E\n1,1,1\n1,0\n", "line 3: fields of the row: 2, of the header: 3"),
        ("enq,deq,E\n1,1,1,0\n", "line 2: fields of the row: 4, of the header: 3"),
        ("enq,deq,pc\n1,0,high\n", "line 2: `high` is no value of `pc`: 0..5"),
        ("enq,deq,E\n", "line 1: the log has no rows"),
        ("step,enq,deq,E\n3,1,1,1\n4,1,0,0\n6,0,0,0\n", "line 4: step 6 follows step 4"),
        (
            "{\"step\":0,\"enq\":true,\"deq\":true}\n{\"step\":2,\"enq\":true,\"deq\":true}\n",
            "line 2: step 2 follows step 0",
        ),
        ("{\"enq\":true}\n", "line 1: the input `deq` is missing; all inputs have to be known"),
        (
            "{\"enq\":true,\"deq\":true,\"enq\":false}\n",
            "line 1: no JSON object (`enq` twice in one object at line 1 column 35)",
        ),
        (
            "{\"in\":{\"enq\":true,\"deq\":true},\"out\":{\"E\":true,\"E\":false}}\n",
            "line 1: no JSON object (`E` twice in one object at line 1 column 56)",
        ),
        (
            "{\"in\":{\"enq\":true,\"deq\":true},\"out\":{\"enq\":false}}\n",
            "line 1: `enq` stands in both `in` and `out`",
        ),
        ("[]\n", "the log has no column for the input `enq`; all inputs have to be known"),
        ("{\"enq\":true\n", "line 1: no JSON object (EOF while parsing an object at line 1 column 11)"),
    ];
    for (log, expected) in table {
        let error = parse(&document.interface, log, &Sampling::default(), &Limit::default())
            .expect_err("it should be refused");
        assert_eq!(error.to_string(), expected, "{log}");
    }
    // In a table of one column, a blank line could be a step.
    let document = crate::support::document("output o : bool  req r always guarantee o'");
    let read = |log: &str| parse(&document.interface, log, &Sampling::default(), &Limit::default());
    assert_eq!(read("o\n1\n\"\"\n\n").map(|steps| steps.len()).ok(), Some(2));
    let why = "line 3: a blank line in a table of one column: an unknown value is written \"\"";
    assert_eq!(read("o\n1\n\n0\n").expect_err("it should be refused").to_string(), why);
    let over = Limit { deadline: Some(Instant::now()), ..Limit::default() };
    let long = format!("o\n{}", "1\n".repeat(2_000));
    let stopped = parse(&document.interface, &long, &Sampling::default(), &over);
    assert_eq!(stopped, Err(LogError::Stopped(Reason::Deadline)));
}

/// JSON has names of enumerators, tables may count them.
#[test]
fn enumerators_in_json_are_names() {
    let document = document("type Mode = { OFF, ON }  output m : Mode  req r always guarantee m' = ON");
    let sampling = Sampling::default();
    let read = |log: &str| {
        parse(&document.interface, log, &sampling, &Limit::default()).map_err(|error| error.to_string())
    };
    assert_eq!(read("{\"m\":\"ON\"}\n"), read("m\n1\n"));
    assert_eq!(read("{\"m\":1}\n"), Err("line 1: `1` is no value of `m`: Mode".to_owned()));
}

#[test]
fn an_interface_that_plays_the_system_never_fails() {
    let document = document(BUFFER);
    let interface = &document.interface;
    for seed in 0..50 {
        let mut player = Player::new(interface, &[], seed);
        let report =
            run(interface, &test(interface, CHAIN, &GOALS), &mut player, None, &Default::default()).report;
        assert_eq!(report.verdict, Verdict::Pass, "{seed}: {report:?}");
    }
}

#[test]
fn systems_that_cannot_be_used_are_errors() {
    struct Odd(Fields);
    impl Synchronous for Odd {
        fn reset(&mut self) -> Result<(), Broken> {
            Ok(())
        }
        fn step(&mut self, number: u64, _: &Fields) -> Result<Fields, Broken> {
            if number == 1 { Err(Broken::Refuses("no power".to_owned())) } else { Ok(self.0.clone()) }
        }
    }
    let document = document(BUFFER);
    let interface = &document.interface;
    let table = [
        (json!({}), Some(1), "the system says that it cannot go on: no power"),
        (json!({"E": "maybe"}), Some(0), "is no value of `E`: bool"),
        (json!({"G": true}), Some(0), "`G` is no output of the interface"),
        (json!({"pc": 1.2345678901234567e25}), Some(0), "e+25 is no value of `pc`: 0..5"),
    ];
    for (answer, step, expected) in table {
        let mut system = Odd(answer.as_object().expect("an object").clone());
        let report =
            run(interface, &test(interface, CHAIN, &[]), &mut system, None, &Default::default()).report;
        assert_eq!((report.verdict, report.step), (Verdict::Error, step));
        let reason = report.reason.expect("a reason");
        assert!(reason.contains(expected), "{reason}");
    }
}
