//! A recording with values at the edges, for tests.

use super::recording::{Chain, Datum, Goal, Kind, Recording, Signal, Status, Tolerance, Verdict};
use crate::output::chain_file::{Counterexample, Minimal, Origin, RequirementVerdict, Saw, VerdictName};
use std::time::Duration;

/// A signal without unit and tolerance.
pub(crate) fn signal(name: &str, kind: Kind, bits: u32, type_name: &str) -> Signal {
    Signal {
        name: name.to_owned(),
        lvalue: format!("rt.{name}"),
        type_name: type_name.to_owned(),
        kind,
        bits,
        step: None,
        unit: None,
        text: None,
        enumerators: Vec::new(),
        tolerance: Tolerance::default(),
        initial: None,
    }
}

fn goal(name: &str, status: Status, at: Option<(usize, usize)>, expectation: Verdict) -> Goal {
    Goal {
        name: name.to_owned(),
        requirement: Some(format!("REQ-{name}")),
        text: Some("says \"<this>\" & that".to_owned()),
        origin: Some(("model.c".to_owned(), 7)),
        steps: 1,
        status,
        at,
        expectation,
        violation: at.filter(|_| expectation == Verdict::Violated),
        reason: at.is_none().then(|| "a proof".to_owned()),
    }
}

/// A verdict of each kind: on a covered goal, and on requirements that are no goals.
fn verdicts() -> Vec<RequirementVerdict> {
    let verdict = |name: &str, verdict: VerdictName| RequirementVerdict {
        name: name.to_owned(),
        kind: "assertion".to_owned(),
        requirement: None,
        text: None,
        origin: Some(Origin { file: "model.c".to_owned(), line: 9 }),
        steps: 1,
        verdict,
        reason: Some("a proof".to_owned()).filter(|_| verdict != VerdictName::Violated),
        depth: None,
        counterexample: None,
        applies: None,
    };
    let counterexample = Counterexample {
        length: 3,
        lower_bound: 3,
        minimal: Minimal::Proven,
        at: 2,
        step: 2,
        expression: Some("x < 3 && y".to_owned()),
        origin: None,
        saw: vec![Saw { expression: "x".to_owned(), value: 3.into(), named: None }],
        undefined_before: Vec::new(),
        shown: None,
        file: Some("violation_first.json".to_owned()),
        replayed: true.into(),
        replayed_how: None,
    };
    vec![
        RequirementVerdict {
            counterexample: Some(counterexample),
            ..verdict("first", VerdictName::Violated)
        },
        verdict("model.c:9", VerdictName::Proven),
        verdict("model.c:10", VerdictName::Vacuous),
        verdict("model.c:11", VerdictName::Undecided),
    ]
}

/// Two inputs and two outputs over three steps, one goal of each status.
pub(crate) fn recording() -> Recording {
    let mode = Signal {
        enumerators: vec![("OFF".to_owned(), 0), ("ON".to_owned(), 1)],
        ..signal("mode", Kind::Unsigned, 32, "enum mode")
    };
    let level = Signal { unit: Some("V".to_owned()), ..signal("level", Kind::Single, 32, "float") };
    let integers = |values: &[i128]| values.iter().map(|&value| Datum::Integer(value)).collect::<Vec<_>>();
    let chain = Chain {
        inputs: vec![integers(&[0, -9]), integers(&[1, i128::from(i64::MIN)]), integers(&[1, 3])],
        free: vec![vec![false, false], vec![false, false], vec![true, false]],
        outputs: vec![
            vec![Datum::Integer(0), Datum::Single(0.1)],
            vec![Datum::Integer(1), Datum::Single(-0.0)],
            vec![Datum::Integer(1), Datum::Single(1e-45)],
        ],
        covers: vec![vec![], vec![0], vec![1]],
        expected: vec![vec![], vec![], vec![]],
        states: Vec::new(),
        ends: None,
        order: vec!["first".to_owned(), "second".to_owned()],
        initial_inputs: Vec::new(),
        replayed: true,
    };
    Recording {
        tool: "chaincover 1".to_owned(),
        model: "plant".to_owned(),
        step: "step".to_owned(),
        sources: vec![("plant.c".to_owned(), "00ff".to_owned())],
        period: Some(Duration::from_millis(5)),
        inputs: vec![signal("on", Kind::Bool, 1, "_Bool"), signal("count", Kind::Signed, 64, "long long")],
        outputs: vec![mode, level],
        goals: vec![
            goal("first", Status::Covered, Some((0, 1)), Verdict::Held),
            goal("second", Status::Covered, Some((0, 2)), Verdict::Violated),
            goal("third", Status::Unreachable, None, Verdict::None),
            goal("fourth", Status::Undecided, None, Verdict::None),
        ],
        requirements: Vec::new(),
        verdicts: verdicts(),
        chains: vec![chain],
        latency: 0,
    }
}
