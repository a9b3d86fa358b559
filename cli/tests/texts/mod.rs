//! Random systems as C text through the whole program, and their evidence through `verify`, against search over their tables.

#[allow(dead_code)] // the engine's own tests use the rest
#[path = "../../../engine/tests/engine/automaton.rs"]
mod automaton;

use automaton::{Automaton, WindowGoal, optimum};
use automaton::{SHAPES, count};
use serde_json::Value as Json;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The automaton as a C program with property functions `g0`, `g1`, ... It starts in its first initial state.
fn c_text(automaton: &Automaton) -> String {
    let mut text =
        "typedef struct { unsigned char letter; } in_t;\ntypedef struct { unsigned char state; } st_t;\n"
            .to_owned();
    let _ = writeln!(text, "void init(st_t *s) {{ s->state = {}; }}", automaton.initial[0]);
    text.push_str("void step(in_t *i, st_t *s) {\n    switch (s->state) {\n");
    for (state, row) in automaton.next.iter().enumerate() {
        let _ = write!(text, "    case {state}:");
        for (letter, target) in row.iter().enumerate() {
            if let Some(target) = target {
                let _ = write!(text, " if (i->letter == {letter}) {{ s->state = {target}; break; }}");
            }
        }
        text.push_str(" break;\n");
    }
    text.push_str("    }\n}\n");
    let allowed: Vec<Vec<bool>> =
        automaton.next.iter().map(|row| row.iter().map(Option::is_some).collect()).collect();
    let _ = writeln!(text, "void chaincover_assume(in_t *i, st_t *s) {{ {} }}", assume(&cells(&allowed)));
    for (number, goal) in automaton.goals.iter().enumerate() {
        let _ = writeln!(text, "void g{number}(in_t *i, st_t *s) {{ {} }}", property(goal));
    }
    if let Some(end) = &automaton.end {
        let _ = writeln!(text, "void chaincover_final(st_t *s) {{ {} }}", assume(&states(end)));
    }
    text
}

fn property(goal: &WindowGoal) -> String {
    let steps = goal.frames.iter().map(|frame| format!("{} step(i, s); ", assume(&cells(frame))));
    steps.collect::<String>() + &assume(&states(&goal.after))
}

fn assume(condition: &str) -> String {
    format!("__CPROVER_assume({condition});")
}

fn any(conditions: Vec<String>) -> String {
    if conditions.is_empty() { "0".to_owned() } else { conditions.join(" || ") }
}

fn cells(allowed: &[Vec<bool>]) -> String {
    let mut conditions = Vec::new();
    for (state, row) in allowed.iter().enumerate() {
        for (letter, _) in row.iter().enumerate().filter(|&(_, &allowed)| allowed) {
            conditions.push(format!("(s->state == {state} && i->letter == {letter})"));
        }
    }
    any(conditions)
}

fn states(allowed: &[bool]) -> String {
    let numbers = (0..allowed.len()).filter(|&state| allowed[state]);
    any(numbers.map(|state| format!("s->state == {state}")).collect())
}

fn call(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_chaincover")).args(arguments).output();
    let output = output.expect("the program should start");
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.code().expect("an exit code"), text)
}

/// Whether the result was proven minimal; `None`: there was nothing to search for.
fn check(seed: u64, automaton: &Automaton, engine: &str, folder: &Path) -> Option<bool> {
    let model = folder.join("m.c");
    std::fs::write(&model, c_text(automaton)).expect("a file");
    let path = |name: &str| folder.join(name).to_str().expect("a plain path").to_owned();
    let (model, result) = (path("m.c"), path("result"));
    let (code, output) =
        call(&["chain", &model, "-q", "--no-replay", "--engine", engine, "-o", &result, "--proofs"]);
    if code == 2 && output.contains("admit no execution") && !automaton.has_execution() {
        return None;
    }
    assert!([0, 5, 20].contains(&code), "seed {seed}: exit code {code}: {output}");
    let text = std::fs::read_to_string(path("result/chain.json")).expect("a result");
    let file: Json = serde_json::from_str(&text).expect("JSON");
    let proven = compare(seed, automaton, &file);
    let (code, output) = call(&["verify", "-q", &result]);
    assert_eq!(code, 0, "seed {seed}: {output}");
    Some(proven)
}

fn compare(seed: u64, automaton: &Automaton, file: &Json) -> bool {
    let optimum = optimum(automaton);
    for (number, (&reachable, &coverable)) in optimum.reachable.iter().zip(&optimum.coverable).enumerate() {
        let goal = &file["goals"][number];
        assert_eq!(goal["name"], format!("g{number}"), "seed {seed}");
        let never =
            goal["reason"].as_str().is_some_and(|reason| reason.starts_with("no execution reaches it"));
        let fits = match goal["status"].as_str() {
            Some("covered") => coverable,
            Some("unreachable") if never => !reachable,
            Some("unreachable" | "undecided") => !coverable,
            _ => false,
        };
        assert!(fits, "seed {seed}: {goal}, truth {reachable} {coverable}");
    }
    let summary = &file["summary"];
    let number = |key: &str| summary[key].as_u64().expect("a number") as usize;
    let (chains, length) = optimum.chains.unwrap_or((0, 0));
    let found = (number("chains"), number("length"));
    let proven = summary["minimal"] == "proven";
    if proven {
        assert_eq!((found, number("lower_bound")), ((chains, length), length), "seed {seed}");
    } else {
        let bounded = found.0 > chains || number("lower_bound") <= length;
        assert!(found >= (chains, length) && bounded, "seed {seed}: {summary}, truth {chains} {length}");
    }
    proven
}

#[test]
fn c_texts_get_the_optimum_with_evidence_that_is_accepted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut systems, mut proven) = (0, 0);
    for (number, &shape) in SHAPES.iter().enumerate() {
        for seed in 0..count(2) {
            let seed = 10_000 * number as u64 + seed;
            let mut automaton = Automaton::random(seed, shape);
            automaton.initial.truncate(1);
            let engine = if seed.is_multiple_of(2) { "auto" } else { "sat" };
            if let Some(found) = check(seed, &automaton, engine, folder.path()) {
                systems += 1;
                proven += usize::from(found);
            }
        }
    }
    println!("{proven} of {systems} proven");
    assert!(systems > 0 && proven * 100 >= systems * 95, "{proven} of {systems} proven");
}
