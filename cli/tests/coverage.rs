//! Coverage goals as a user asks for them: `chain --coverage`, justifications, `judge`, `verify`.

use crate::support::{call, chaincover};
use serde_json::Value as Json;
use std::path::Path;
use std::process::Output;

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
    // Decisions of one size on one line are one group: the format cannot tell them apart.
    std::fs::write(
        folder.path().join("line.c"),
        "int y; void step(_Bool a, _Bool b) { y = (a && b) + (a || b); }\n",
    )
    .expect("a file");
    let line = ["chain", "line.c", "--goals", "none", "--coverage", "mcdc", "-o", "l", "--format", "lcov"];
    assert_eq!(code(&chaincover(folder.path(), &line)), 0);
    let tracefile = std::fs::read_to_string(folder.path().join("l/coverage.info")).expect("a file");
    assert!(tracefile.contains("MCDC:1,4,t,1,3,b\n") && tracefile.contains("MCF:8\nMCH:8\n"), "{tracefile}");
    // What filters leave may be nothing.
    let filtered = "[model]\nsources = ['line.c']\n[coverage]\ngoals = ['mcdc']\nexclude = ['step']\n";
    std::fs::write(folder.path().join("chaincover.toml"), filtered).expect("a file");
    let found = chaincover(folder.path(), &["chain", "."]);
    assert_eq!(code(&found), 2);
    assert!(texts(&found).contains("`include` and `exclude` under [coverage]"), "{}", texts(&found));
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
fn the_compiler_judges_sources_beside_the_folder_of_the_model_and_each_call() {
    let folder = door();
    let path = folder.path();
    std::fs::create_dir(path.join("model")).expect("a folder");
    let configured = "[model]\nname = \"door\"\nsources = [\"../door.c\"]\n\
                      [coverage]\ngoals = [\"statement\", \"mcdc\"]\nper_call = true\ninit = true\n";
    std::fs::write(path.join("model/chaincover.toml"), configured).expect("a file");
    let found = chaincover(path, &["chain", "model", "-o", "out", "--format", "lcov,cobertura"]);
    assert_eq!(code(&found), 0, "{}", texts(&found));
    let text = texts(&chaincover(path, &["judge", "out"]));
    assert!(text.contains("agrees with 7 of 7 statements") && !text.contains("differs"), "{text}");
    // Without a folder files go to the current one.
    let exported = chaincover(path, &["export", "out/chain.json", "--format", "c"]);
    assert_eq!(code(&exported), 0, "{}", texts(&exported));
    assert!(path.join("chain_replay.c").is_file());
}

/// The last step of each chain ends the program: the compiler's measure goes up to there.
#[test]
fn the_compiler_judges_chains_that_end_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "#include <stdlib.h>\n#include <assert.h>\n#include <stdbool.h>\nstatic unsigned char n;\nint out;\n\
                void step(bool go, unsigned char code) {\n    n = go && n < 4 ? n + 1 : 0;\n    if (n > 1) {\n\
                \x20       if (code > 5 && go)\n            abort();\n        if (code == 3)\n            exit(2);\n\
                \x20       assert(code != 4);\n    }\n    out = n;\n}\n";
    std::fs::write(folder.path().join("m.c"), text).expect("a file");
    let ask = [
        "chain",
        "m.c",
        "--coverage",
        "statement,mcdc",
        "--violations",
        "off",
        "--timeout",
        "20",
        "-o",
        "out",
    ];
    let found = chaincover(folder.path(), &ask);
    assert!([0, 124].contains(&code(&found)), "{}", texts(&found));
    let ends: Vec<Json> = result(folder.path(), "out/chain.json")["chains"]
        .as_array()
        .expect("chains")
        .iter()
        .map(|chain| chain["steps"].as_array().expect("steps").last().expect("a step")["ends"].clone())
        .collect();
    assert!(ends.len() == 2 && ends.iter().all(Json::is_string), "{ends:?}");
    let text = texts(&chaincover(folder.path(), &["judge", "out"]));
    assert!(text.contains("agrees with 7 of 7 statements") && !text.contains("differs"), "{text}");
}

/// An alarm that shows a latch one step later, and a decision that nothing shows.
const RELAY: &str = "#include <stdbool.h>
static bool latch;
bool alarm;
void step(bool hot, bool fan, bool reset) {
    static bool last;
    if (hot && !fan)
        latch = true;
    else if (reset)
        latch = false;
    bool unused = hot || reset;
    (void)unused;
    alarm = last;
    last = latch;
}
";

/// Two pairs of conditions that need other steps for pairs than for halves, and a condition that
/// never changes alone.
const VALVES: &str = "#include <stdbool.h>
bool both, either;
void step(bool a, bool b, bool c, bool d) {
    both = (a || b) && (c || d);
    bool closed = !a;
    either = (a && b) || (closed && b);
}
";

#[test]
fn values_are_seen_at_outputs() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("relay.c"), RELAY).expect("a file");
    let mcdc = ["chain", "relay.c", "--goals", "none", "--coverage", "mcdc", "-o", "out", "--proofs"];
    for (depth, totals) in [("0", [10, 0, 10, 0, 0]), ("1", [10, 6, 4, 0, 0])] {
        let found = chaincover(folder.path(), &[&mcdc[..], &["--observe", depth]].concat());
        assert_eq!(code(&found), 0, "{}", texts(&found));
        assert_eq!(column(&result(folder.path(), "out/chain.json"), "mcdc"), totals, "{depth}");
        let verified = chaincover(folder.path(), &["verify", "out"]);
        assert_eq!(code(&verified), 0, "{}", texts(&verified));
    }
    let mut told = result(folder.path(), "out/chain.json");
    let names: Vec<String> = dead(&told).into_iter().map(|(name, _)| name).collect();
    assert!(names.iter().all(|name| name.starts_with("relay.c:10 mcdc")), "{names:?}");
    let steps = told["chains"][0]["steps"].as_array().expect("steps").clone();
    let goals = told["coverage"]["goals"].as_array_mut().expect("goals");
    for goal in goals.iter().filter(|goal| goal["status"] == "covered") {
        let seen = &goal["seen"];
        let at = seen["step"].as_u64().expect("a step");
        assert_eq!((Some(at), &seen["output"]), (goal["at"].as_u64().map(|at| at + 1), &Json::from("alarm")));
        let shown = steps[at as usize]["outputs"]["alarm"].to_string();
        let is_on = ["1", "true"].contains(&shown.as_str());
        assert_eq!(seen["value"], if is_on { "1" } else { "0" }, "{goal}: {shown}");
        assert_eq!(seen["otherwise"], if is_on { "0" } else { "1" }, "{goal}: {shown}");
    }
    let covered = goals.iter_mut().find(|goal| goal["status"] == "covered").expect("a covered goal");
    covered["seen"]["step"] = Json::from(0);
    let forged = serde_json::to_string_pretty(&told).expect("JSON");
    std::fs::write(folder.path().join("out/chain.json"), forged).expect("a file");
    let rejected = chaincover(folder.path(), &["verify", "out"]);
    assert_eq!(code(&rejected), 4, "{}", texts(&rejected));
}

/// What a step writes but never reads is read by the step behind it, or by the inverted one alone.
#[test]
fn memory_that_one_of_the_executions_does_not_read_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let blend = "struct { unsigned char a; _Bool b; } in; struct { unsigned char y; } out;
        static unsigned char s0, s1;
        void step(void) {
            s0 = 0;
            if (in.b && s0 > 2) s1 = 2; else if (in.a == 2) s0 = (unsigned char)(s1 % 2);
            if (in.b) s1 = 1;
            out.y = (unsigned char)(s1 & s0);
        }";
    let dead = "struct { unsigned char a; _Bool b; } in; struct { unsigned char y; } out;
        static unsigned char s0, s1;
        void step(void) { unsigned char t = 0; if (t == 2) { if (s1 == 1) s0 = in.a; } s1 = in.b; out.y = s0; }";
    for (name, text) in [("blend", blend), ("dead", dead)] {
        std::fs::write(folder.path().join(format!("{name}.c")), text).expect("a file");
        let toml = format!(
            "[model]\nsources = ['{name}.c']\nstep = 'step'\ninputs = ['in']\noutputs = ['out']\n[input.'in.a']\nrange = [0, 2]\n"
        );
        std::fs::write(folder.path().join(format!("{name}.toml")), toml).expect("a file");
    }
    let chain = |model: &str, depth: &str| {
        let asked = ["--goals", "none", "--coverage", "decision", "--observe", depth, "-o", "out", "--force"];
        chaincover(folder.path(), &[&["chain", model][..], &asked].concat())
    };
    let found = chain("blend.toml", "1");
    assert!(texts(&found).contains("covered, one chain"), "{}", texts(&found));
    let told = result(folder.path(), "out/chain.json");
    let goals = told["coverage"]["goals"].as_array().expect("goals");
    let goal = goals.iter().find(|goal| goal["name"] == "blend.c:5 decision in.b && s0 > 2 false");
    let goal = goal.expect("the goal of the first decision");
    // The inverted step leaves other memory behind only where its output differs as well.
    assert_eq!(goal["at"], goal["seen"]["step"], "{goal}");
    // Inverted, the first decision reads what the step before it has written; the original keeps no
    // such memory.
    let found = chain("dead.toml", "0");
    let text = texts(&found);
    assert!(code(&found) == 5 && text.contains("it reads s1 of the step before"), "{text}");
    assert!(text.contains("undecided  dead.c:3 decision t == 2 true"), "{text}");
}

#[test]
fn what_cannot_be_observed_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("relay.c"), RELAY).expect("a file");
    let text = "[model]\nsources = ['relay.c']\n[coverage]\nobserve = 1\n";
    std::fs::write(folder.path().join("alone.toml"), text).expect("a file");
    let text = "[model]\nsources = ['relay.c']\n[coverage]\ngoals = ['mcdc']\nobserve = 101\n";
    std::fs::write(folder.path().join("far.toml"), text).expect("a file");
    for (arguments, message) in [
        (&["relay.c", "--coverage", "mcdc", "--observe", "101"][..], "a number of steps up to 100"),
        (&["far.toml"], "a number of steps up to 100"),
        (&["relay.c", "--observe", "1"], "name a criterion (--coverage decision"),
        (&["alone.toml"], "`goals` under [coverage]"),
        (&["relay.c", "--coverage", "statement", "--observe", "1"], "name a criterion"),
    ] {
        let found = chaincover(folder.path(), &[&["chain"], arguments].concat());
        assert!(code(&found) == 2 && texts(&found).contains(message), "{arguments:?}: {}", texts(&found));
    }
}

/// A requirement about the latch is seen where the alarm tells the latch; one about the alarm is, as
/// it stands.
#[test]
fn requirements_about_memory_are_seen_at_outputs() {
    let folder = tempfile::tempdir().expect("a folder");
    let properties = "void latched(bool hot, bool fan, bool reset) {\n    __CPROVER_assume(hot && !fan);\n    step(hot, fan, reset);\n\
                      \x20   __CPROVER_assert(latch, \"latched\");\n}\n\
                      void told(bool hot, bool fan, bool reset) {\n    bool before = latch;\n    step(hot, fan, reset);\n\
                      \x20   __CPROVER_assert(alarm == before, \"told\");\n}\n";
    std::fs::write(folder.path().join("relay.c"), RELAY.to_owned() + properties).expect("a file");
    let chain = |depth: &str| {
        let asked = ["--observe", depth, "--timeout", "30", "-o", "out", "--force", "--proofs"];
        chaincover(folder.path(), &[&["chain", "relay.c"][..], &asked].concat())
    };
    let status = |name: &str| {
        let told = result(folder.path(), "out/chain.json");
        let goals = told["goals"].as_array().expect("goals").clone();
        let goal = goals.into_iter().find(|goal| goal["name"] == name);
        goal.unwrap_or_else(|| panic!("there is no {name}"))
    };
    for depth in ["0", "1"] {
        assert_eq!(code(&chain(depth)), 20);
        assert_eq!(status("latched (seen)")["status"], "unreachable");
    }
    let explain = ["explain", "latched (seen)", "relay.c", "--observe"];
    let explained = chaincover(folder.path(), &[&explain[..], &["1", "--timeout", "20"]].concat());
    assert!(
        code(&explained) == 20 && texts(&explained).contains("latched (seen): unreachable"),
        "{}",
        texts(&explained)
    );
    // What was written of a decision does not say that outputs have to show it.
    let explain = ["explain", "relay.c:10 mcdc hot true", "relay.c", "--coverage", "mcdc", "--timeout", "20"];
    for (observe, word) in [(&[][..], "covered"), (&["--observe", "1"], "unreachable")] {
        let explained = chaincover(folder.path(), &[&explain[..], observe].concat());
        assert!(texts(&explained).contains(&format!("hot true: {word}")), "{}", texts(&explained));
    }
    let checked = chaincover(folder.path(), &["check", "relay.c", "--observe", "1"]);
    assert!(
        texts(&checked).contains("would be seen at outputs within 1 further step\n"),
        "{}",
        texts(&checked)
    );
    let found = chain("2");
    let text = texts(&found);
    let goal = status("latched (seen)");
    assert_eq!(
        (&goal["status"], &goal["seen"]["output"]),
        (&Json::from("covered"), &Json::from("alarm")),
        "{text}"
    );
    assert!(
        goal["seen"]["altered"]["word"] == "latch" && goal["seen"]["altered"]["otherwise"] == "0",
        "{goal}"
    );
    assert!(text.contains("alarm = 1, or 0 with latch = 0 in place of 1"), "{text}");
    let verified = chaincover(folder.path(), &["verify", "out"]);
    assert_eq!(code(&verified), 0, "{}", texts(&verified));
    let mut told = result(folder.path(), "out/chain.json");
    let goals = told["goals"].as_array_mut().expect("goals");
    let seen = goals.iter_mut().find(|goal| !goal["seen"].is_null()).expect("a goal that is seen");
    seen["seen"]["altered"]["word"] = Json::from("alarm");
    let forged = serde_json::to_string_pretty(&told).expect("JSON");
    std::fs::write(folder.path().join("out/chain.json"), forged).expect("a file");
    let rejected = chaincover(folder.path(), &["verify", "out"]);
    assert_eq!(code(&rejected), 4, "{}", texts(&rejected));
}

#[test]
fn chains_have_all_pairs_that_can_be_had() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("valves.c"), VALVES).expect("a file");
    let arguments =
        ["chain", "valves.c", "--goals", "none", "--coverage", "mcdc-pairs", "-o", "out", "--proofs"];
    let found = chaincover(folder.path(), &arguments);
    assert_eq!(code(&found), 0, "{}", texts(&found));
    let told = result(folder.path(), "out/chain.json");
    assert_eq!(column(&told, "mcdc-pairs")[1..], [8, 1, 0, 0], "{}", texts(&found));
    for pair in told["coverage"]["pairs"].as_array().expect("pairs") {
        if pair["status"] == "dead" {
            assert_eq!(pair["name"], "valves.c:6 mcdc-pairs closed");
            continue;
        }
        let values: Vec<Vec<u8>> = pair["evaluations"]
            .as_array()
            .expect("evaluations")
            .iter()
            .map(|evaluation| evaluation["values"].as_str().expect("a text").as_bytes().to_vec())
            .collect();
        let differ: Vec<usize> = (0..values[0].len() - 2)
            .filter(|&at| values.iter().all(|one| one[at] != b'-') && values[0][at] != values[1][at])
            .collect();
        assert_eq!(vec![pair["condition"].as_u64().expect("a number") as usize], differ, "{pair}");
        assert_ne!(values[0].last(), values[1].last(), "{pair}");
    }
    let verified = chaincover(folder.path(), &["verify", "out"]);
    let text = texts(&verified);
    assert!(code(&verified) == 0 && text.contains("that pairs of MC/DC are dead"), "{text}");
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
        let dead = names(&["--timeout", "8s", "--no-replay"], "dead");
        let met =
            names(&["--engine", "simulate", "--seed", "7", "--timeout", "2s", "--no-replay"], "covered");
        let wrong: Vec<&String> = dead.iter().filter(|name| met.contains(name)).collect();
        assert!(wrong.is_empty() && met.len() > 50, "{case}: {wrong:?}");
    }
}

/// A requirement that the record violates says nothing against what was measured.
#[test]
fn a_chain_that_violates_a_requirement_is_judged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write("m.c", "unsigned char s, o;\nvoid step(_Bool a) { if (a && s < 2) s++; else s = 0; o = s; }\n");
    write(
        "chaincover.toml",
        "[model]\nsources = [\"m.c\"]\nstep = \"step\"\noutputs = [\"o\"]\n\
         [[goal]]\nname = \"g\"\nwhen = \"step.a\"\nexpect = \"o == 1\"\n",
    );
    let (code, _, err) = call(folder.path(), &["chain", ".", "--coverage", "statement", "-o", "out"]);
    assert_eq!(code, 10, "{err}");
    let (_, out, err) = call(folder.path(), &["judge", "out"]);
    assert!(out.contains("agrees with 3 of 3 statements"), "{out}{err}");
    // An assertion of the code that the chain violates does not end what is measured.
    write(
        "asserts.c",
        "#include <assert.h>\nunsigned char s, o;\nvoid step(_Bool a) {\n    if (a && s < 3) s++;\n    else s = 0;\n\
         \x20   assert(s < 2);\n    o = s;\n    if (s == 3)\n        o = 9;\n}\n",
    );
    let (code, _, err) = call(folder.path(), &["chain", "asserts.c", "--coverage", "statement", "-o", "out"]);
    assert_eq!(code, 10, "{err}");
    let (_, out, err) = call(folder.path(), &["judge", "out"]);
    assert!(out.contains("agrees with") && !err.contains("nothing was measured"), "{out}{err}");
}
