//! Coverage goals as a user asks for them: `chain --coverage`, justifications, `judge`, `verify`.

use serde_json::Value as Json;
use std::path::Path;
use std::process::{Command, Output};

/// A lift door: one dead goal of `switch`, one dead half, everything else is reached.
const DOOR: &str = "#include <stdbool.h>
static unsigned char level; static bool door; static int timer; int out;
void step(unsigned char call, _Bool obstacle, _Bool key) {
    if (door && (obstacle || key))
        timer = 3;
    else if (timer > 0)
        timer--;
    switch (level) {
    case 0:
    case 1:
        if (call == 2)
            level++;
        break;
    case 2:
        level--;
        break;
    }
    door = timer == 0 && !obstacle;
    if (level > 2 && key)
        out = 2;
    out = (call > 2 & key) | door;
    __CPROVER_cover(level == 2);
}
";

fn chaincover(folder: &Path, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_chaincover");
    Command::new(program).current_dir(folder).args(arguments).output().expect("the program should start")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

fn texts(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

fn door() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("door.c"), DOOR).expect("a file");
    folder
}

fn result(folder: &Path, name: &str) -> Json {
    let text = std::fs::read_to_string(folder.join(name)).expect("a result");
    serde_json::from_str(&text).expect("JSON")
}

fn column(result: &Json, criterion: &str) -> [u64; 5] {
    let criteria = result["coverage"]["criteria"].as_array().expect("totals");
    let total = criteria.iter().find(|total| total["name"] == criterion).expect("the criterion");
    ["goals", "covered", "dead", "justified", "undecided"].map(|key| total[key].as_u64().expect("a number"))
}

fn dead(result: &Json) -> Vec<(String, String)> {
    let goals = result["coverage"]["goals"].as_array().expect("goals");
    let text = |value: &Json| value.as_str().expect("a text").to_owned();
    let dead = goals.iter().filter(|goal| goal["status"] == "dead");
    dead.map(|goal| (text(&goal["name"]), text(&goal["identity"]))).collect()
}

const ALL: &str = "statement,decision,condition,mcdc";

#[test]
fn one_chain_covers_requirements_and_code() {
    let folder = door();
    let found = chaincover(folder.path(), &["chain", "door.c", "--coverage", ALL, "--json", "r.json"]);
    assert_eq!(code(&found), 0, "{}", texts(&found));
    let result = result(folder.path(), "r.json");
    assert_eq!(column(&result, "statement"), [7, 6, 1, 0, 0]);
    assert_eq!(column(&result, "decision"), [15, 13, 2, 0, 0]);
    assert_eq!(column(&result, "condition"), [24, 21, 3, 0, 0]);
    assert_eq!(column(&result, "mcdc"), [24, 21, 3, 0, 0]);
    let names: Vec<String> = dead(&result).into_iter().map(|(name, _)| name).collect();
    for expected in [
        "door.c:8 decision level no label",
        "door.c:19 decision level > 2 && key true",
        "door.c:19 mcdc level > 2 true",
        "door.c:19 mcdc key false",
        "door.c:20 statement out = 2",
    ] {
        assert!(names.iter().any(|name| name == expected), "{expected}: {names:?}");
    }
    assert!(result["goals"].as_array().expect("goals").iter().any(|goal| goal["name"] == "door.c:22"));
    let text = texts(&found);
    assert!(text.contains("dead (proven)") && text.contains("replayed on the compiled code"), "{text}");
    // Every covered goal stands in the step that it names.
    let steps = result["chains"][0]["steps"].as_array().expect("steps");
    for goal in result["coverage"]["goals"].as_array().expect("goals") {
        if let Some(at) = goal["at"].as_u64() {
            let covers = steps[at as usize]["covers"].as_array().expect("a list");
            assert!(covers.contains(&goal["goal"]), "{goal}");
        }
    }
}

#[test]
fn exit_codes_tell_of_what_is_asked_for() {
    let folder = door();
    std::fs::write(folder.path().join("c.btor2"), "1 sort bitvec 1\n2 input 1\n3 bad 2\n").expect("a file");
    for (arguments, expected) in [
        (&["chain", "door.c", "--goals", "none", "--coverage", "mcdc"][..], 0),
        (&["chain", "door.c", "--goals", "none", "--coverage", "mcdc", "--fail-on", "uncovered"], 20),
        (&["chain", "door.c", "--goals", "none", "--coverage", "statement", "--fail-on", "stale"], 0),
        (&["chain", "door.c", "--goals", "none"], 2),
        (&["chain", "door.c", "--coverage", "mdc"], 2),
        (&["chain", "c.btor2", "--coverage", "mcdc"], 2),
        (&["chain", "door.c", "--coverage", "mcdc", "-o", "o", "--format", "lcov,cobertura,html"], 0),
        (&["chain", "door.c", "-o", "p", "--format", "lcov"], 2),
    ] {
        let found = chaincover(folder.path(), arguments);
        assert_eq!(code(&found), expected, "{arguments:?}: {}", texts(&found));
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join("o").join(name)).expect("a file");
    assert!(read("coverage.info").contains("MCDC:4,3,t,1,0,door\n"));
    assert!(read("cobertura.xml").contains("<line number=\"4\" hits=\"1\""));
    let page = read("report.html");
    assert!(page.contains("id=\"coverage\"") && page.contains("<span class=\"whole\""), "{page}");
}

#[test]
fn justifications_excuse_and_grow_stale() {
    let folder = door();
    let arguments = ["chain", "door.c", "--goals", "none", "--coverage", "mcdc", "--json", "r.json"];
    assert_eq!(code(&chaincover(folder.path(), &arguments)), 0);
    let first = result(folder.path(), "r.json");
    let mut goals = first["coverage"]["goals"].as_array().expect("goals").iter();
    let covered = goals.find(|goal| goal["status"] == "covered").expect("a covered goal");
    let entry = |goal: &str| {
        format!("[[justified]]\ngoal = '{goal}'\nreason = 'r'\nauthor = 'a'\ndate = '2026-01-31'\n")
    };
    let mut text: String = dead(&first).iter().map(|(_, identity)| entry(identity)).collect();
    let write = |text: &str| std::fs::write(folder.path().join("coverage.toml"), text).expect("a file");
    write(&text);
    let with = |more: &[&str]| {
        let all: Vec<&str> = arguments.iter().chain(more).copied().collect();
        chaincover(folder.path(), &all)
    };
    assert_eq!(code(&with(&["--fail-on", "uncovered,stale"])), 0);
    text += &entry(covered["identity"].as_str().expect("a text"));
    text += &entry("door.c:step:decision-00000000:mcdc:0:true");
    write(&text);
    assert_eq!(code(&with(&["--fail-on", "stale"])), 20);
    let stale = result(folder.path(), "r.json");
    assert_eq!(
        stale["coverage"]["stale"].as_array().map(Vec::len),
        Some(2),
        "{}",
        stale["coverage"]["stale"]
    );
    write("[[justified]]\ngoal = 'x'\n");
    let refused = with(&[]);
    assert!(code(&refused) == 2 && texts(&refused).contains("coverage.toml"), "{}", texts(&refused));
}

#[test]
fn configurations_ask_for_coverage() {
    let folder = door();
    let text = "[model]\nsources = ['door.c']\n[coverage]\ngoals = ['decision']\nrequirements = false\n\
                decisions = 'branch'\n";
    std::fs::write(folder.path().join("chaincover.toml"), text).expect("a file");
    let found = chaincover(folder.path(), &["chain", "chaincover.toml", "-o", "out"]);
    assert_eq!(code(&found), 0, "{}", texts(&found));
    let result = result(folder.path(), "out/chain.json");
    assert_eq!(column(&result, "decision"), [11, 9, 2, 0, 0]);
    let replayed = chaincover(folder.path(), &["replay", "out/chain.json"]);
    assert_eq!(code(&replayed), 0, "{}", texts(&replayed));
}

#[test]
fn evidence_stands_for_dead_goals_and_forged_coverage_is_rejected() {
    let folder = door();
    let arguments = ["chain", "door.c", "--coverage", "decision,mcdc", "-o", "out", "--proofs"];
    let found = chaincover(folder.path(), &arguments);
    assert_eq!(code(&found), 0, "{}", texts(&found));
    let verified = chaincover(folder.path(), &["verify", "out"]);
    assert_eq!(code(&verified), 0, "{}", texts(&verified));
    let path = folder.path().join("out/chain.json");
    let mut forged = result(folder.path(), "out/chain.json");
    let goals = forged["coverage"]["goals"].as_array_mut().expect("goals");
    let dead = goals.iter_mut().find(|goal| goal["status"] == "dead").expect("a dead goal");
    dead["status"] = Json::from("covered");
    std::fs::write(&path, serde_json::to_string_pretty(&forged).expect("JSON")).expect("a file");
    let rejected = chaincover(folder.path(), &["verify", "out"]);
    let text = texts(&rejected);
    assert!(code(&rejected) == 4 && text.contains("what is recorded of coverage does not follow"), "{text}");
}

#[test]
fn the_compiler_judges() {
    let folder = door();
    let found = chaincover(folder.path(), &["chain", "door.c", "--coverage", "statement,mcdc", "-o", "out"]);
    assert_eq!(code(&found), 0, "{}", texts(&found));
    let judged = chaincover(folder.path(), &["judge", "out"]);
    let text = texts(&judged);
    assert!(text.contains("agrees with 7 of 7 statements") && !text.contains("differs"), "{text}");
    let measures_conditions = !text.contains("gcc 14 or clang 18, or later, is needed");
    assert_eq!(code(&judged), if measures_conditions { 0 } else { 4 }, "{text}");
    let path = folder.path().join("out/chain.json");
    let mut forged = result(folder.path(), "out/chain.json");
    let goals = forged["coverage"]["goals"].as_array_mut().expect("goals");
    for goal in goals.iter_mut().filter(|goal| goal["criterion"] == "statement") {
        goal["status"] = Json::from(if goal["status"] == "dead" { "covered" } else { "dead" });
    }
    std::fs::write(&path, serde_json::to_string_pretty(&forged).expect("JSON")).expect("a file");
    let judged = chaincover(folder.path(), &["judge", "out"]);
    let text = texts(&judged);
    assert!(
        code(&judged) == 4 && text.contains("differs: door.c:20 statement out = 2: does not run"),
        "{text}"
    );
    assert!(text.contains("differs: door.c:5 statement timer = 3: runs"), "{text}");
    let without = chaincover(folder.path(), &["chain", "door.c", "-o", "plain"]);
    assert_eq!(code(&without), 0, "{}", texts(&without));
    assert_eq!(code(&chaincover(folder.path(), &["judge", "plain"])), 2);
}

#[test]
fn what_simulation_reaches_is_never_dead() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/corpus");
    let folder = tempfile::tempdir().expect("a folder");
    for case in ["window-lift", "light", "pump", "timer-5"] {
        let model = corpus.join(case).display().to_string();
        let names = |more: &[&str], status: &str| -> Vec<String> {
            let mut arguments =
                vec!["chain", &model, "--goals", "none", "--coverage", ALL, "--json", "r.json"];
            arguments.extend_from_slice(more);
            let found = chaincover(folder.path(), &arguments);
            assert!([0, 5, 124].contains(&code(&found)), "{}", texts(&found));
            let result = result(folder.path(), "r.json");
            let goals = result["coverage"]["goals"].as_array().expect("goals").clone();
            let of_status = goals.iter().filter(|goal| goal["status"] == status);
            of_status.map(|goal| goal["name"].as_str().expect("a name").to_owned()).collect()
        };
        let dead = names(&["--timeout", "20s", "--no-replay"], "dead");
        let met =
            names(&["--engine", "simulate", "--seed", "7", "--timeout", "5s", "--no-replay"], "covered");
        let wrong: Vec<&String> = dead.iter().filter(|name| met.contains(name)).collect();
        assert!(wrong.is_empty() && met.len() > 50, "{case}: {wrong:?}");
    }
}
