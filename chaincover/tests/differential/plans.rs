//! Programs for data models that the host does not have: on the replays that the tool itself makes for them.

use crate::differential::case::{Case, Prepared};
use crate::differential::support::{differing_lines, expected_lines, normal_lines, run_plan};
use frontend::ReplayPlan;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Runs each program by its replay plan; rewritten programs are compiled together. The lines of each, or why there are none.
pub(crate) fn run(cases: &[(&Case, &Prepared)]) -> Result<BTreeMap<u64, Result<String, String>>, String> {
    let mut found = BTreeMap::new();
    let mut rewritten: Vec<(u64, String)> = Vec::new();
    for (case, prepared) in cases {
        match prepared.translated.source.replay_plan(&prepared.trace) {
            Err(why) => {
                found.insert(case.seed, Err(format!("planning: {why:?}")));
            }
            Ok(plan) if plan.how.starts_with("rewritten") => {
                rewritten.push((case.seed, plan.files[0].1.clone()));
            }
            Ok(plan) => {
                found.insert(case.seed, run_plan(&plan));
            }
        }
    }
    if !rewritten.is_empty() {
        found.extend(run_rewritten(&rewritten)?.into_iter().map(|(seed, lines)| (seed, Ok(lines))));
    }
    Ok(found)
}

/// Links all programs into one that runs each in a process of its own.
fn run_rewritten(programs: &[(u64, String)]) -> Result<BTreeMap<u64, String>, String> {
    let mut files = Vec::new();
    let options = "cc -std=gnu11 -O0 -w -fwrapv -fno-strict-aliasing -ffp-contract=off -frounding-math -fno-builtin -o run run.c";
    let mut compile: Vec<String> = options.split(' ').map(str::to_owned).collect();
    let mut found: BTreeMap<u64, String> = BTreeMap::new();
    let mut main =
        String::from("#include <stdio.h>\n#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\n");
    let mut calls = String::new();
    for (seed, text) in programs {
        found.insert(*seed, String::new());
        let name = format!("main_{seed}");
        files.push((format!("p{seed}.c"), text.replace("int main(void)", &format!("int {name}(void)"))));
        compile.push(format!("p{seed}.c"));
        let _ = writeln!(main, "int {name}(void);");
        let _ = writeln!(
            calls,
            "    printf(\"P {seed}\\n\"); fflush(stdout); if (fork() == 0) exit({name}()); wait(0);"
        );
    }
    let _ = writeln!(main, "int main(void) {{\n{calls}    return 0;\n}}");
    files.push(("run.c".to_owned(), main));
    compile.push("-lm".to_owned());
    let commands = vec![compile, vec!["./run".to_owned()]];
    let printed = run_plan(&ReplayPlan {
        files,
        commands,
        how: String::new(),
        goals: Vec::new(),
        secrets: Vec::new(),
    })?;
    let mut current = 0;
    for line in printed.lines() {
        match line.strip_prefix("P ") {
            Some(seed) => current = seed.parse().map_err(|_| format!("unexpected line {line}"))?,
            None => *found.entry(current).or_default() += &format!("{line}\n"),
        }
    }
    Ok(found)
}

/// Compares the lines of a replay with what the evaluator computes; the number of lines.
pub(crate) fn compare(prepared: &Prepared, printed: &str) -> Result<usize, String> {
    let expected = expected_lines(&prepared.translated, &prepared.system, &prepared.trace);
    let printed = normal_lines(&prepared.translated, printed, &expected);
    differing_lines(&printed, &expected)
        .map_or(Ok(expected.lines().count()), |why| Err(format!("step: {why}")))
}
