//! Translating texts with coverage goals, and running every step that is possible.

use frontend::coverage::{Coverage, CoverageRequest, Criterion};
use frontend::{Failure, Request, Translated};
use frontend_c::translate;
use model::id::Id;
use model::simulate::Simulator;
use model::sort::Sort;
use model::system::GoalId;
use model::validate::{Validated, validate};
use model::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Most steps that are looked at.
const MOST_STEPS: usize = 200_000;

/// Translates a text with goals of all criteria; `adjust` completes the request.
pub(crate) fn translated(text: &str, adjust: impl FnOnce(&mut Request)) -> Translated {
    try_translate(text, adjust).unwrap_or_else(|failure| panic!("{:?}\n{text}", failure.diagnostics))
}

/// Translates a text like [`translated`]; returns nothing where it cannot be translated so.
pub(crate) fn translated_if_possible(text: &str, adjust: impl FnOnce(&mut Request)) -> Option<Translated> {
    try_translate(text, adjust).ok()
}

fn try_translate(text: &str, adjust: impl FnOnce(&mut Request)) -> Result<Translated, Failure> {
    let folder = tempfile::tempdir().expect("there should be a place for temporary files");
    let path = folder.path().join("m.c");
    std::fs::write(&path, text).expect("a temporary file should be writable");
    let coverage =
        CoverageRequest { criteria: Criterion::ALL.into_iter().collect(), alone: true, ..Default::default() };
    let mut request = Request { sources: vec![path], coverage, ..Request::default() };
    adjust(&mut request);
    translate(&request)
}

/// The coverage goals.
pub(crate) fn coverage(translated: &Translated) -> &Coverage {
    translated.source.coverage().expect("coverage goals were asked for")
}

/// The system, checked.
pub(crate) fn checked(translated: &Translated) -> Validated {
    validate(translated.system.clone()).unwrap_or_else(|malformed| panic!("{malformed:?}"))
}

/// All values of each input: inputs of more than a byte take a few.
pub(crate) fn input_rows(system: &Validated) -> Vec<Vec<Value>> {
    let is_small = system.inputs.len() < 3;
    let mut rows = vec![Vec::new()];
    for input in system.inputs.values() {
        let sort = system.terms.symbol(input.symbol).sort;
        let values: Vec<Value> = match sort {
            Sort::Word(_) if sort.mask() < 2 || is_small && sort.mask() < 256 => {
                (0..=sort.mask()).map(|bits| Value::new(sort, bits)).collect()
            }
            Sort::Word(_) => [0, 1, 2, 3, 5, sort.mask()].map(|bits| Value::new(sort, bits)).to_vec(),
            Sort::Float(_) => [0.0, 1.0, -1.0, 2.5].map(Value::single).to_vec(),
        };
        rows = rows
            .iter()
            .flat_map(|row: &Vec<Value>| {
                values.iter().map(move |&value| row.iter().copied().chain([value]).collect())
            })
            .collect();
    }
    rows
}

/// Runs every possible step from every reachable state. `visit` gets the state, the inputs, the goals
/// that hold, and the state after the step.
pub(crate) fn explore(
    system: &Validated,
    mut visit: impl FnMut(&[Value], &[Value], &BTreeSet<GoalId>, &[Value]),
) {
    let mut simulator = Simulator::new(system);
    let rows = input_rows(system);
    let start = simulator.initial(&[]).state;
    let key = |state: &[Value]| state.iter().map(|value| value.bits()).collect::<Vec<_>>();
    let mut seen = BTreeMap::from([(key(&start), ())]);
    let mut waiting = vec![start];
    let mut steps = 0;
    while let Some(state) = waiting.pop() {
        for row in &rows {
            steps += 1;
            assert!(steps < MOST_STEPS, "the model is too large for this test");
            let result = simulator.step(&state, row);
            if result.violated.is_some() {
                continue;
            }
            let sightings = simulator.goals(&[state.as_slice()], &[row.as_slice()]);
            let goals = sightings.iter().map(|sighting| sighting.goal).collect();
            visit(&state, row, &goals, &result.next);
            if seen.insert(key(&result.next), ()).is_none() {
                waiting.push(result.next);
            }
        }
    }
}

/// The goals that some execution reaches.
pub(crate) fn reachable(system: &Validated) -> BTreeSet<GoalId> {
    let mut all: BTreeSet<GoalId> = BTreeSet::new();
    explore(system, |_, _, goals, _| all.extend(goals));
    assert!(all.iter().all(|goal| goal.index() < system.goals.len()));
    all
}
