//! CBMC (Clarke, Kroening, Lerda, TACAS 2004), the bounded model checker the paper's tool was built
//! on.

use super::harness::{covers, latched as latched_harness};
use super::process::Watched;
use super::{Answer, cut, trace, write};
use engine::baselines::suite::cover::{Item, greedy};
use model::trace::Trace;
use model::validate::Validated;
use serde_json::Value as Json;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Unwindings that are tried first; doubled until all goals are covered.
const FIRST_UNWIND: u32 = 4;

/// The shortest chain by `--incremental-loop`: one unwinding more at a time until the assertion
/// fails.
pub(super) fn latched(system: &Validated, folder: &Path, limit: Duration) -> io::Result<Answer> {
    let Ok(text) = latched_harness(system) else { return Ok(too_wide()) };
    write(folder, "harness.c", &text)?;
    let mut watched = Watched::default();
    let command =
        ["cbmc", "harness.c", "--incremental-loop", "main.0", "--no-standard-checks", "--trace", "--json-ui"];
    watched.call(&command, folder, "cbmc.json", limit, || false)?;
    let traces: Vec<Trace> = read(system, &folder.join("cbmc.json"));
    let trouble = traces.is_empty().then(|| trouble(&watched));
    Ok(Answer { traces, watched, shortest: true, trouble })
}

/// A suite: all covers with a growing number of unwindings.
pub(super) fn cover(system: &Validated, folder: &Path, limit: Duration) -> io::Result<Answer> {
    let Ok(text) = covers(system) else { return Ok(too_wide()) };
    write(folder, "harness.c", &text)?;
    let mut watched = Watched::default();
    let mut suite = Vec::new();
    let mut unwind = FIRST_UNWIND;
    while watched.seconds < limit.as_secs_f64() {
        let bound = unwind.to_string();
        let command =
            ["cbmc", "harness.c", "--cover", "cover", "--unwind", &bound, "--show-test-suite", "--json-ui"];
        let left = limit.saturating_sub(Duration::from_secs_f64(watched.seconds));
        watched.call(&command, folder, "cbmc.json", left, || false)?;
        let found = read(system, &folder.join("cbmc.json"));
        let better = minimised(system, found);
        if better.1 > covered(system, &suite) {
            suite = better.0;
        }
        if watched.late || covered(system, &suite) == system.goals.len() {
            break;
        }
        unwind *= 2;
    }
    let trouble = suite.is_empty().then(|| trouble(&watched));
    Ok(Answer { traces: suite, watched, shortest: false, trouble })
}

fn too_wide() -> Answer {
    let trouble = Some("the system has words of more than 64 bits".to_owned());
    Answer { traces: Vec::new(), watched: Watched::default(), shortest: false, trouble }
}

fn trouble(watched: &Watched) -> String {
    if watched.late { "the time is up" } else { "no chain in its answer" }.to_owned()
}

/// Greedy minimisation of a suite, and how many goals it covers.
fn minimised(system: &Validated, traces: Vec<Trace>) -> (Vec<Trace>, usize) {
    let item = |trace: &Trace| Item { covers: goals(system, trace), cost: trace.inputs.len() as u64 };
    let items: Vec<Item> = traces.iter().map(item).collect();
    let suite: Vec<Trace> = greedy(&items).into_iter().map(|position| traces[position].clone()).collect();
    let count = covered(system, &suite);
    (suite, count)
}

fn covered(system: &Validated, traces: &[Trace]) -> usize {
    let mut all: Vec<usize> = traces.iter().flat_map(|trace| goals(system, trace)).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

fn goals(system: &Validated, trace: &Trace) -> Vec<usize> {
    let run = model::trace::replay(system, trace).ok();
    let occurs = run.map(|run| run.occurrences.values().map(|found| !found.is_empty()).collect::<Vec<_>>());
    occurs.into_iter().flatten().enumerate().filter(|(_, occurs)| *occurs).map(|(goal, _)| goal).collect()
}

/// All runs in an answer in JSON: traces of failed assertions, tests of a suite.
fn read(system: &Validated, path: &Path) -> Vec<Trace> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    runs(system, &text)
}

/// The same from its text; none where it is no JSON (the tool was stopped).
pub(super) fn runs(system: &Validated, text: &str) -> Vec<Trace> {
    let Ok(json) = serde_json::from_str::<Json>(text) else { return Vec::new() };
    let mut lists = Vec::new();
    collect(&json, &mut lists);
    lists.iter().filter_map(|events| run(system, events)).collect()
}

/// The lists of events in a document: what stands under `trace` or, in a test, under `inputs`.
fn collect<'j>(json: &'j Json, lists: &mut Vec<&'j Vec<Json>>) {
    match json {
        Json::Array(items) => items.iter().for_each(|item| collect(item, lists)),
        Json::Object(members) => {
            for (name, member) in members {
                match member {
                    Json::Array(events) if name == "trace" || name == "inputs" => lists.push(events),
                    _ => collect(member, lists),
                }
            }
        }
        _ => {}
    }
}

/// The inputs among the events, in their order: each input of a step is announced once.
fn run(system: &Validated, events: &[Json]) -> Option<Trace> {
    let mut initial = vec![0; system.initial_inputs.len()];
    let mut steps: Vec<Vec<u128>> = Vec::new();
    for event in events {
        let Some((name, bits)) = input(event) else { continue };
        let (kind, number) = name.split_at_checked(1)?;
        let number: usize = number.parse().ok()?;
        if kind == "n" {
            *initial.get_mut(number)? = bits;
            continue;
        }
        if number == 0 {
            steps.push(vec![0; system.inputs.len()]);
        }
        *steps.last_mut()?.get_mut(number)? = bits;
    }
    cut(system, trace(system, &initial, &steps))
}

/// Name and bits of an input event, as `--trace` and `--show-test-suite` write them.
fn input(event: &Json) -> Option<(&str, u128)> {
    let name = event.get("inputID").or_else(|| event.get("id"))?.as_str()?;
    let value = event.get("values").and_then(|values| values.get(0)).or_else(|| event.get("value"))?;
    let bits = u128::from_str_radix(value.get("binary")?.as_str()?, 2).ok()?;
    Some((name, bits))
}
