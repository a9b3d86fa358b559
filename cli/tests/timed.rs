//! Timed symbolic systems through the whole program; Debian's package `z3` is needed.

use crate::support::call;
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::process::Command;

fn example(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name);
    path.to_string_lossy().into_owned()
}

#[test]
fn purposes_are_judged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (code, json, errors) = call(folder.path(), &["check", &example("atm.tio"), "--json", "-"]);
    assert_eq!(code, 0, "{errors}");
    let json: Json = serde_json::from_str(&json).expect("JSON");
    let expected =
        serde_json::json!([{ "name": "paid", "feasible": true, "deterministic": true, "quiescent_at": [0] }]);
    assert_eq!((&json["kind"], &json["purposes"]), (&Json::from("timed"), &expected));
}

#[test]
fn test_cases_are_written_judge_and_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let system = example("atm.tio");
    let make = ["testcase", &system, "--purpose", "paid", "--timeout", "5", "-o", "out"];
    let (code, text, errors) = call(at, &make);
    assert_eq!(code, 0, "{errors}");
    assert!(text.contains("test case of 38 transitions: 1 stimulate, 2 observe, 1 pass"), "{text}");
    for ending in ["json", "smt2", "dot", "html"] {
        assert!(at.join(format!("out/testcase.{ending}")).exists(), "{ending}");
    }
    let page = std::fs::read_to_string(at.join("out/testcase.html")).expect("a page");
    assert_eq!(page.matches("FAIL_out").count() + page.matches("FAIL_dur").count(), 20, "{page}");
    assert!(page.contains("<b>Debit?</b> tr2") && page.contains("(&lt;= 10 Transc_1_1)"), "{page}");
    let start = "{\"in\":\"Transc\",\"args\":[50,60],\"after\":\"0\"}\n";
    let table = [
        ("{\"out\":\"Abort\",\"args\":[],\"after\":\"1\"}", 10, "FAIL_out"),
        ("{\"quiet\":\"5\"}", 10, "FAIL_dur"),
        ("{\"out\":\"Debit\",\"args\":[1,50,7],\"after\":\"1\"}", 12, "INC_out"),
    ];
    for (line, expected, rule) in table {
        std::fs::write(at.join("log"), format!("{start}{line}\n")).expect("a file");
        let (code, json, errors) = call(at, &["monitor", "out/testcase.json", "log", "--json", "-"]);
        let json: Json = serde_json::from_str(&json).unwrap_or_else(|_| panic!("{errors}"));
        assert_eq!((code, &json["rule"]), (expected, &Json::from(rule)), "{line}");
    }
    let (code, ..) = call(at, &["run", "out/testcase.json", "--sut", &system, "--seed", "4"]);
    assert!([0, 12].contains(&code), "a conforming system should not fail: {code}");
    let (code, ..) = call(at, &["run", "out/testcase.json", "--sut", "exit 1"]);
    assert_eq!(code, 13);
    // Answers that are none.
    for answer in [
        r#"{"out":"Debit","args":[1,51],"after":"1"}"#,
        r#"{"out":"Debit","args":[1,true,7],"after":"1"}"#,
        r#"{"out":"Nothing","args":[],"after":"1"}"#,
        r#"{"out":"Transc","args":[1,1],"after":"1"}"#,
        r#"{"quiet":"2"}"#,
    ] {
        let sut = format!(
            r#"while read line; do case $line in *watch*) echo '{answer}';; *) echo '{{"ok":true}}';; esac; done"#
        );
        let (code, text, errors) = call(at, &["run", "out/testcase.json", "--sut", &sut]);
        assert!(code == 13 && text.contains("ill-formed"), "{answer}: {code} {text} {errors}");
    }
}

#[test]
fn chains_are_short_in_steps_and_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (code, text, errors) = call(folder.path(), &["chain", &example("dummy.tio")]);
    assert_eq!(code, 0, "{errors}");
    assert!(text.contains("one chain of 5 steps, proven minimal"), "{text}");
    assert!(text.contains("time: 69, the least of 5 steps, proven over ticks"), "{text}");
    // Two of its transitions exclude each other, whatever stands between them.
    let (code, text, errors) = call(folder.path(), &["chain", &example("atm.tio")]);
    assert_eq!(code, 0, "{errors}");
    assert!(text.contains("2 chains of 17 steps in all, proven minimal"), "{text}");
    assert!(text.contains("time: 10, the least of 17 steps, proven\n"), "{text}");
}

/// In the cash machine the bank decides; a lamp has no choice but when to go on.
#[test]
fn goals_can_be_forced_or_need_cooperation() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (code, text, errors) = call(folder.path(), &["chain", &example("atm.tio"), "--json", "-"]);
    assert_eq!(code, 0, "{errors}");
    let json: Json = serde_json::from_str(&text).expect("JSON");
    let goals = json["goals"].as_array().expect("goals");
    assert_eq!(goals.len(), 11);
    for goal in goals {
        assert_eq!(goal["forcing"], json!({ "verdict": "cooperation" }), "{goal}");
    }
    let lamp = "timed lamp clock c input Press() output On(), Off() initial dark
        edge press: dark -> turning Press? reset c
        edge on: turning -> lit when c <= 2 On! reset c
        edge off: lit -> dark when c >= 5 and c <= 6 Off!
        edge early: lit -> dark when c < 6 and c > 5 Press?";
    std::fs::write(folder.path().join("lamp.tio"), lamp).expect("a file");
    let (code, text, errors) = call(folder.path(), &["chain", "lamp.tio", "-o", "out", "--format", "html"]);
    assert_eq!(code, 5, "{errors}");
    for (goal, forced) in [("press", "can be forced"), ("on", "can be forced"), ("off", "can be forced")] {
        let line = text.lines().find(|line| line.trim_start().starts_with(&format!("{goal} ")));
        let line = line.unwrap_or_else(|| panic!("{text}"));
        assert!(line.ends_with(&format!("{forced} (events at ticks of 1)")), "{line}");
    }
    let page = std::fs::read_to_string(folder.path().join("out/report.html")).expect("a page");
    assert!(page.contains("covered, can be forced (events at ticks of 1)"), "{page}");
}

#[test]
fn paths_are_purposes_and_files_have_names_of_sptg() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let atm = example("atm.tio");
    let testcase = |path: &str| {
        call(at, &["testcase", &atm, "--purpose", path, "--timeout", "5", "-o", "out", "--format", "sptg"])
    };
    let (code, text, errors) = testcase("tr1.tr2.tr3.tr4");
    assert_eq!(code, 0, "{errors}");
    assert!(text.contains("test case of 38 transitions"), "{text}");
    let text = std::fs::read_to_string(at.join("out/testcase.sptg.json")).expect("a file");
    let json: Json = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["SUT"]["uncontrollable_input_ports"][0]["name"], "Auth");
    assert_eq!(json["SUT"]["input_ports"][0]["parameters"][1], json!({ "name": "$1", "type": "Int" }));
    let states = json["TESTCASE"]["states"].as_array().expect("states");
    let transitions: Vec<&Json> =
        states.iter().filter_map(|state| state["transitions"].as_array()).flatten().collect();
    assert_eq!((states.len(), transitions.len()), (4, 38));
    let count = |key: &str, value: &str| transitions.iter().filter(|one| one[key] == value).count();
    let failures = count("verdict", "FAIL_OUTPUT") + count("verdict", "FAIL_DURATION");
    assert_eq!((count("verdict", "PASS"), failures, count("next", "ec_2")), (1, 20, 1));
    assert_eq!(count("verdict", "INCONCLUSIVE_UNCROLLABLE_INPUT_UNSPECIFIED"), 4);
    assert_eq!(transitions[0]["name"], "tr_ec2_Transc");
    assert_eq!(transitions[0]["action"]["nature"], "STIMULATION");
    for (path, expected) in [
        ("tr1.tr3", "`tr3` does not start in `q1`"),
        ("tr1", "ends in an input"),
        ("tr1.tr", "no purpose `tr1.tr` and no transitions of these names"),
    ] {
        let (code, _, errors) = testcase(path);
        assert!(code == 2 && errors.contains(expected), "{code} {errors}");
    }
}

/// A machine that may refuse, after which it is asked again.
#[test]
fn tests_of_chains_go_on_behind_deviations() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let machine = "timed machine clock c input Ask(0..3) output Yes(0..3), No() initial idle var x: 0..3
        timeout 4
        edge ask: idle -> asked Ask?(x) reset c
        edge yes: asked -> done when c <= 2 Yes!(x)
        edge no: asked -> idle when c <= 2 and x <= 1 No!
        goal states";
    std::fs::write(at.join("machine.tio"), machine).expect("a file");
    let (code, _, errors) = call(at, &["chain", "machine.tio", "-o", "out"]);
    assert_eq!(code, 0, "{errors}");
    let make = |depth: &str| {
        let make =
            ["testcase", "machine.tio", "--chain", "out/chain.json", "--adaptive", depth, "-o", "tests"];
        let (code, text, errors) = call(at, &make);
        assert_eq!(code, 0, "{errors}");
        text
    };
    let judged = |log: &str| {
        std::fs::write(at.join("log"), log).expect("a file");
        let (_, json, errors) = call(at, &["monitor", "tests/testcase.json", "log", "--json", "-"]);
        let json: Json = serde_json::from_str(&json).unwrap_or_else(|_| panic!("{errors}"));
        json["rule"].as_str().map(str::to_owned)
    };
    let ask = "{\"in\":\"Ask\",\"args\":[1],\"after\":\"0\"}\n";
    let no = "{\"out\":\"No\",\"args\":[],\"after\":\"1\"}\n";
    let yes = "{\"out\":\"Yes\",\"args\":[1],\"after\":\"2\"}\n";
    let wrong = "{\"out\":\"Yes\",\"args\":[2],\"after\":\"2\"}\n";
    let refused = format!("{ask}{no}");
    make("0");
    assert_eq!(judged(&refused).as_deref(), Some("INC_out"));
    let text = make("1");
    assert!(text.contains("in 2 parts: it goes on behind 1 deviation, 1 ends it inconclusively"), "{text}");
    assert_eq!(judged(&refused), None);
    assert_eq!(judged(&format!("{refused}{ask}{yes}")).as_deref(), Some("PASS"));
    assert_eq!(judged(&format!("{refused}{ask}{wrong}")).as_deref(), Some("FAIL_out"));
    assert_eq!(judged(&format!("{refused}{ask}{no}")).as_deref(), Some("INC_out"));
    // On the fly.
    let run = |more: &[&str]| {
        let arguments = ["run", "out/chain.json", "--sut", "machine.tio", "--json", "-"];
        let (code, json, errors) = call(at, &[&arguments[..], more].concat());
        let json: Json = serde_json::from_str(&json).unwrap_or_else(|_| panic!("{errors}"));
        (code, json["rule"].as_str().map(str::to_owned))
    };
    let all: Vec<_> = (1..20).map(|seed| run(&["--seed", &seed.to_string()])).collect();
    assert!(all.contains(&(12, Some("INC_out".to_owned()))), "one refuses: {all:?}");
    for seed in 1..20 {
        let (code, rule) = run(&["--seed", &seed.to_string(), "--adaptive", "20"]);
        assert_ne!(rule.as_deref(), Some("INC_out"), "{code} with seed {seed}");
    }
    for (arguments, expected) in [
        (
            &["run", "tests/testcase.json", "--sut", "machine.tio", "--adaptive", "1"][..],
            "for the chain.json",
        ),
        (&["run", "out/chain.json", "--sut", "true", "--unit", "1ms"], "until a continuation is planned"),
        (&["testcase", "machine.tio", "--chain", "machine.tio"], "no chain file"),
        (&["testcase", "machine.tio", "--adaptive", "1"], "--chain"),
        (&["testcase", &example("dummy.tio"), "--chain", "out/chain.json"], "no transition `ask`"),
    ] {
        let (code, _, errors) = call(at, arguments);
        assert!(code == 2 && errors.contains(expected), "{code} {errors}");
    }
}

/// What is planned behind the refusal needs another value than the one that was sent.
#[test]
fn plans_that_do_not_suit_the_values_are_no_failures() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let machine = "timed machine clock c input Ask(0..3) output Yes(0..3), No(), End() initial idle
        var x: 0..3 var over: 0..1 = 0
        timeout 4
        edge ask: idle -> asked Ask?(x) reset c
        edge yes: asked -> done when c <= 2 Yes!(x) do over := 1
        edge no: asked -> waiting when c <= 2 and x <= 1 No!
        edge end: waiting -> done when c <= 3 and x >= 1 End! do over := 1
        goal finished when over = 1";
    std::fs::write(at.join("machine.tio"), machine).expect("a file");
    let (code, text, errors) = call(at, &["chain", "machine.tio", "-o", "out"]);
    assert_eq!(code, 0, "{text}{errors}");
    let mut rules = std::collections::BTreeSet::new();
    for seed in 1..12 {
        let seed = seed.to_string();
        let arguments = ["run", "out/chain.json", "--sut", "machine.tio", "--json", "-", "--adaptive", "3"];
        let (_, json, errors) = call(at, &[&arguments[..], &["--seed", &seed]].concat());
        let json: Json = serde_json::from_str(&json).unwrap_or_else(|_| panic!("seed {seed}: {errors}"));
        rules.insert(json["rule"].as_str().unwrap_or_default().to_owned());
    }
    // 0 is sent, behind which the machine may finish by `yes` or stay silent.
    assert_eq!(rules.into_iter().collect::<Vec<_>>(), ["INC_dur", "PASS"]);
}

/// A system of the shell in real time, a unit of 20 ms.
#[test]
fn test_cases_run_in_real_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let text = "timed t var x: 0..9 clock c input Ask(0..9) output Ans(0..9) initial q
        edge ask: q -> r Ask?x reset c
        edge ans: r -> q when c <= LAST Ans!1
        edge exact: r -> q when c = 3 Ans!2
        const LAST = 40";
    std::fs::write(at.join("t.tio"), text).expect("a file");
    for purpose in ["ans", "exact"] {
        let path = format!("ask.{purpose}");
        let (code, _, errors) =
            call(at, &["testcase", "t.tio", "--purpose", &path, "--timeout", "50", "-o", purpose]);
        assert_eq!(code, 0, "{errors}");
    }
    let sut = |answer: &str| {
        format!(
            "while read line; do case $line in *reset*) echo '{{\"ok\":true}}';; *Ask*) {answer};; esac; done"
        )
    };
    let say = |value: u32| format!("sleep 0.06; echo '{{\"out\":\"Ans\",\"args\":[{value}]}}'");
    for (test, answer, (unit, slack), expected, exit) in [
        ("ans", say(1), ("100ms", "100ms"), "PASS", 0),
        ("ans", say(3), ("100ms", "100ms"), "FAIL_out", 10),
        ("ans", "true".to_owned(), ("20ms", "100ms"), "FAIL_dur", 10),
        // No clock shows that an output came at 3 exactly.
        ("exact", say(2), ("20ms", "4s"), "INC_slack", 12),
        ("ans", "echo '{\"ok\":true}'".to_owned(), ("100ms", "100ms"), "in real time outputs are all", 13),
        ("ans", "exit 3".to_owned(), ("100ms", "100ms"), "the system ended", 13),
    ] {
        let (code, text, errors) = call(
            at,
            &[
                "run",
                &format!("{test}/testcase.json"),
                "--sut",
                &sut(&answer),
                "--unit",
                unit,
                "--slack",
                slack,
            ],
        );
        assert!(code == exit && text.contains(expected), "{code} {text}{errors}");
    }
    for (arguments, expected) in [
        (&["--unit", "0ms", "--sut", "true"][..], "longer than 0"),
        (&["--unit", "1ms", "--sut", "t.tio"], "simulated time"),
        (&["--slack", "1ms", "--sut", "true"], "--unit"),
    ] {
        let (code, _, errors) = call(at, &[&["run", "ans/testcase.json"], arguments].concat());
        assert!(code == 2 && errors.contains(expected), "{code} {errors}");
    }
}

/// Two ways to what is to be sent: one of one step that waits for 9, one of two that wait for 2.
const WAYS: &str = "timed ways clock k var sent: bool = false output A, B, C initial p final z
    edge slow: p -> r when k >= 9 A!  edge first: p -> q when k >= 1 B! reset k
    edge second: q -> r when k >= 1 A!  edge last: r -> r C! do sent := true
    edge out: r -> z B!  goal done when sent";

#[test]
fn the_quickest_chains_may_be_longer() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("ways.tio"), WAYS).expect("a file");
    let (code, text, errors) = call(folder.path(), &["chain", "ways.tio"]);
    assert_eq!(code, 0, "{errors}");
    assert!(text.contains("time: 9, the least of 3 steps, proven\n"), "{text}");
    let (code, text, errors) = call(folder.path(), &["chain", "ways.tio", "--minimise", "time"]);
    assert_eq!(code, 0, "{errors}");
    let expected =
        "time: 2, the least of one chain, proven; 4 steps, the fewest of that time over ticks, proven";
    assert!(text.contains(expected), "{text}");
    // The result holds the chains that are printed.
    for (minimise, steps, time, least, minimal) in
        [("steps", 3, "9", 3, "proven"), ("time", 4, "2", 4, "gap")]
    {
        let arguments = ["chain", "ways.tio", "--minimise", minimise, "-o", minimise, "--proofs"];
        let (code, text, errors) = call(folder.path(), &arguments);
        assert_eq!(code, 0, "{text} {errors}");
        let file =
            std::fs::read_to_string(folder.path().join(minimise).join("chain.json")).expect("a result");
        let json: Json = serde_json::from_str(&file).expect("JSON");
        let told = &json["summary"]["time"];
        assert_eq!((&told["total"], &told["lower_bound"]), (&Json::from(time), &Json::from(time)), "{file}");
        assert_eq!(
            (&told["steps"], &told["least_steps"]),
            (&Json::from(steps), &Json::from(least)),
            "{file}"
        );
        assert_eq!(json["summary"]["minimal"], minimal, "{file}");
        let events = json["chains"][0]["events"].as_array().expect("events");
        let delays: f64 =
            events.iter().filter_map(|event| event["delay"].as_str()?.parse::<f64>().ok()).sum();
        assert_eq!((events.len(), delays.to_string()), (steps, time.to_owned()), "{file}");
        let (code, text, errors) = call(folder.path(), &["verify", minimise]);
        assert_eq!(code, 0, "{text} {errors}");
        let (code, text, errors) = call(folder.path(), &["replay", &format!("{minimise}/chain.json")]);
        assert_eq!(code, 0, "{text} {errors}");
    }
    let (code, _, errors) = call(folder.path(), &["chain", &example("car_alarm.as"), "--minimise", "time"]);
    assert_eq!(code, 2, "{errors}");
}

/// Where nothing can happen no goal is reached: that is an answer.
#[test]
fn systems_in_which_nothing_happens_reach_no_goal() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (guard, later, expected) in [("c <= 3", "c >= 1", 20), ("c < 3", "c > 1", 20), ("c < 0", "c > 1", 5)]
    {
        let first = if guard == "c < 0" { guard.to_owned() } else { format!("x > 5 and {guard}") };
        let text = format!(
            "timed none var x: 0..9 = 0 clock c input V output P initial A \
             edge e1: A -> B when {first} V? edge e2: B -> A when {later} P!"
        );
        std::fs::write(folder.path().join("none.tio"), text).expect("a file");
        let (code, text, errors) = call(folder.path(), &["chain", "none.tio"]);
        assert!(code == expected && text.contains("0 of 2 goals covered"), "{code} {text} {errors}");
        assert!(errors.contains("no transition can be taken in the initial state"), "{errors}");
        let (code, text, errors) = call(folder.path(), &["explain", "e1", "none.tio"]);
        assert_eq!(code, expected, "{text}{errors}");
    }
    let (code, text, errors) = call(folder.path(), &["chain", "none.tio", "-o", "out", "--proofs"]);
    assert_eq!(code, 5, "{text} {errors}");
}

/// The second event has to come more than 5 after the start, and no run needs more than a little more.
#[test]
fn an_infimum_is_named_where_it_is_not_attained() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (bound, expected) in [
        (">", "time: 6, at least 5 at 2 steps; infimum 5, proven, not attained by its transitions"),
        (">=", "time: 5, the least of 2 steps, proven\n"),
    ] {
        let text = format!(
            "timed late clock c, d output A, B initial p
            edge a: p -> q A! reset d  edge b: q -> p when c {bound} 5 and d < 3 B!"
        );
        std::fs::write(folder.path().join("late.tio"), text).expect("a file");
        let (code, text, errors) = call(folder.path(), &["chain", "late.tio"]);
        assert!(code == 0 && text.contains(expected), "{code} {text}{errors}");
    }
}

/// Between two ticks there is a time that strict bounds allow.
#[test]
fn strict_bounds_are_not_refuted_over_ticks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "timed gap clock k output A, B initial p
        edge a: p -> p A! reset k  edge b: p -> p when k > 1 and k < 2 B! reset k";
    std::fs::write(folder.path().join("gap.tio"), text).expect("a file");
    let (code, text, errors) = call(folder.path(), &["chain", "gap.tio", "--json", "-"]);
    assert_eq!(code, 5, "{errors}");
    let json: Json = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["goals"][1]["status"], "undecided", "{json}");
    let (code, text, errors) = call(folder.path(), &["explain", "b", "gap.tio"]);
    assert_eq!(code, 5, "{text}{errors}");
    let finer = "tick 1/2\n";
    let file = std::fs::read_to_string(folder.path().join("gap.tio")).expect("a file");
    std::fs::write(folder.path().join("gap.tio"), file + "\n" + finer).expect("a file");
    let (code, text, errors) = call(folder.path(), &["chain", "gap.tio"]);
    assert_eq!(code, 0, "{errors}");
    assert!(text.contains("time: 3/2, at least 1 at 2 steps; infimum 1, proven, not attained"), "{text}");
}

/// Goals that only numbers between ticks, beyond those tried, or times between coarse ticks reach.
#[test]
fn what_ticks_leave_out_is_not_excluded() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let table = [
        ("x: rational", "edge a: q0 -> q0 when 0 < x < 1 In?x", "transitions", 5),
        ("x: rational", "edge a: q0 -> q0 when x > 1000 In?x", "transitions", 5),
        ("x: rational", "edge a: q0 -> q1 when x > 600 In?x do x := 2*x edge b: q0 -> q2 In?x", "states", 5),
        ("x: rational", "edge a: q0 -> q1 when 0 < x < 1 In?x edge b: q1 -> q2 A!", "g when c > 3", 5),
        // What is computed from rational data is as little known.
        (
            "x: rational var y: bool = false",
            "edge a: q0 -> q0 In?x do y := 0 < x and x < 1 edge b: q0 -> q1 when y A!",
            "transitions",
            5,
        ),
        ("x: rational", "edge a: q0 -> q0 when c = 1/3 A! tick 1/2", "transitions", 5),
        // What data and times have no part in is excluded still.
        ("x: rational", "edge a: q0 -> q1 In?x edge b: q2 -> q1 In?x", "transitions", 20),
        (
            "x: rational var n: 0..3 = 0",
            "edge a: q0 -> q0 when x > 0 and n < 2 In?x do n := n + 1 edge b: q0 -> q1 when n = 3 A!",
            "transitions",
            20,
        ),
    ];
    for (data, edges, goal, expected) in table {
        let text = format!(
            "timed sparse var {data} clock c input In(rational) output A initial q0 {edges} goal {goal}"
        );
        std::fs::write(folder.path().join("sparse.tio"), &text).expect("a file");
        let (code, told, errors) = call(folder.path(), &["chain", "sparse.tio", "-o", "out", "--proofs"]);
        assert_eq!(code, expected, "{text}\n{told}{errors}");
        let (code, told, errors) = call(folder.path(), &["verify", "out"]);
        assert!([0, 5].contains(&code), "{text}\n{told}{errors}");
        assert!(expected == 20 || !told.contains("is unreachable"), "{told}");
        std::fs::remove_dir_all(folder.path().join("out")).expect("a folder");
    }
}

/// A number between ticks would do in one step what takes two over ticks.
#[test]
fn a_chain_is_minimal_only_among_the_numbers_tried() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "timed short var x: rational var z: 0..1 = 0 input In(rational) output A initial q0
        edge a: q0 -> q2 when 0 < x < 1 In?x  edge b: q0 -> q1 In?x  edge d: q1 -> q2 A!
        edge e: q2 -> q3 A! do z := 1  goal g when z = 1";
    std::fs::write(folder.path().join("short.tio"), text).expect("a file");
    let (code, text, errors) = call(folder.path(), &["chain", "short.tio"]);
    assert_eq!(code, 0, "{text}{errors}");
    assert!(text.contains("one chain of 3 steps, at least 2 steps are needed"), "{text}");
    assert!(errors.contains("minimal over ticks of 1 only: rational data"), "{errors}");
}

#[test]
fn a_clock_with_a_factor_has_finer_ticks() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "timed half clock k output A initial p edge a: p -> p when 2 * k = 3 A! reset k";
    std::fs::write(folder.path().join("half.tio"), text).expect("a file");
    let (code, text, errors) = call(folder.path(), &["chain", "half.tio"]);
    assert_eq!(code, 0, "{errors}");
    assert!(text.contains("time: 3/2, the least of 1 steps, proven\n"), "{text}");
}

#[test]
fn mutants_are_decided_listed_and_stored() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let dummy = example("dummy.tio");
    let (code, text, errors) = call(at, &["mutate", &dummy, "--list", "--operators", "sink,negation"]);
    assert_eq!((code, text.lines().count()), (0, 8), "{text}{errors}");
    assert!(text.contains("dummy.tio:9:17  q1 -> sink"), "{text}");
    let make = ["mutate", &dummy, "--operators", "sink,output", "--depth", "3", "-o", "out"];
    let (code, text, errors) = call(at, &make);
    assert!([0, 5].contains(&code), "{text}{errors}");
    assert!(text.contains("by the 1 covering chain of 5 steps: score"), "{text}");
    assert!(at.join("out/report.html").exists());
    let json = std::fs::read_to_string(at.join("out/mutate.json")).expect("a result");
    let json: Json = serde_json::from_str(&json).expect("JSON");
    let mutants = json["mutants"].as_array().expect("mutants");
    assert_eq!((mutants.len(), &json["kind"], &json["kill"]), (8, &Json::Null, &Json::from("tioco")));
    for mutant in mutants.iter().filter(|mutant| mutant["verdict"] == "killed") {
        let witness = mutant["witness"].as_array().expect("a witness");
        assert!(witness.iter().all(|step| step["after"].is_string()), "{mutant}");
    }
    let answer = mutants.iter().find(|mutant| mutant["new"] == "x + 1").expect("a mutant");
    assert_eq!((&answer["verdict"], answer["line"].as_u64()), (&Json::from("killed"), Some(11)));
}

#[test]
fn mutants_of_timed_systems_refuse_what_makes_no_sense() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let dummy = example("dummy.tio");
    let table = [
        (&["--operators", "nothing"][..], "there is no mutation operator `nothing`"),
        (&["--functions", "f"], "--functions is for C"),
        (&["--kill", "state"], "killed by what is seen"),
        (&["--within", "1", "--timeout", "20"], "--within is for C, action systems, not for timed systems"),
        (&["--against", "other.tio"], "--against is for action systems"),
    ];
    for (options, expected) in table {
        let (code, _, errors) = call(at, &[&["mutate", &dummy], options].concat());
        assert!(code == 2 && errors.contains(expected), "{options:?}: {code} {errors}");
    }
    let (code, _, errors) = call(at, &["mutate", &example("car_alarm.as"), "--depth", "2"]);
    assert!(code == 2 && errors.contains("--depth is for timed systems"), "{errors}");
    std::fs::write(at.join("broken.tio"), "timed t\nedge a: p -> when").expect("a file");
    let (code, _, errors) = call(at, &["mutate", "broken.tio"]);
    assert!(code == 3 && errors.contains("broken.tio:2"), "{code} {errors}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_chaincover"));
    let output = command.env("PATH", at).args(["mutate", &dummy]).output().expect("the program should start");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && errors.contains("Debian's package `z3`"), "{errors}");
}

#[test]
fn mutants_take_no_longer_than_allowed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let begun = std::time::Instant::now();
    let (code, text, errors) = call(folder.path(), &["mutate", &example("atm.tio"), "--timeout", "3"]);
    assert_eq!(code, 5, "{errors}");
    assert!(begun.elapsed().as_secs_f64() < 4.0, "{:?}", begun.elapsed());
    assert!(text.contains("atm: 239 mutants") && text.contains("undecided"), "{text}");
}

#[test]
fn stored_tests_are_judged_by_the_mutants_they_kill() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let dummy = example("dummy.tio");
    let (code, _, errors) = call(at, &["chain", &dummy, "--goals", "tr2", "--minimise", "time", "-o", "out"]);
    assert_eq!(code, 0, "{errors}");
    let short = "{\"in\":\"In\",\"args\":[6],\"after\":\"0\"}\n\n{\"event\":\"Out\",\"args\":[6],\"after\":\"36\"}\n{\"quiet\":\"1\"}\n";
    std::fs::write(at.join("short.jsonl"), short).expect("a file");
    let killed = |files: &[&str]| {
        let score =
            [&["mutate", &dummy, "--operators", "sink,output", "--json", "-", "--score"], files].concat();
        let (code, text, errors) = call(at, &score);
        assert_eq!(code, 5, "{errors}");
        let json: Json = serde_json::from_str(&text).expect("JSON");
        let mutants = json["mutants"].as_array().expect("mutants");
        let of = |verdict: &str| mutants.iter().filter(|mutant| mutant["verdict"] == verdict).count();
        assert_eq!(of("killed") + of("alive"), mutants.len(), "{text}");
        of("killed")
    };
    let (chain, run, both) =
        (killed(&["out/chain.json"]), killed(&["short.jsonl"]), killed(&["short.jsonl", "out/chain.json"]));
    assert!(0 < run && run < both && chain < both, "{chain} {run} {both}");
    // Events that are no run of the system, each with its file.
    let table = [
        (
            "{\"in\":\"In\",\"args\":[11],\"after\":\"0\"}",
            "other.jsonl: event 1 is none that `dummy` allows there",
        ),
        ("{\"in\":\"Of\",\"args\":[1],\"after\":\"0\"}", "other.jsonl:1: there is no channel `Of`"),
        ("{\"in\":\"In\",\"args\":[],\"after\":\"0\"}", "other.jsonl:1: `In` takes 1 values, not 0"),
        ("{\"in\":\"In\",\"args\":[[]],\"after\":\"0\"}", "other.jsonl:1: [] is no value of `In`"),
        ("{\"in\":\"In\"", "other.jsonl:1: EOF"),
    ];
    for (text, expected) in table {
        std::fs::write(at.join("other.jsonl"), text).expect("a file");
        let (code, _, errors) = call(at, &["mutate", &dummy, "--score", "other.jsonl"]);
        assert!(code == 2 && errors.contains(expected), "{code} {errors}");
    }
    let (code, _, errors) = call(at, &["mutate", &dummy, "--score", "none.json"]);
    assert!(code == 2 && errors.contains("none.json: cannot be read"), "{code} {errors}");
}

#[test]
fn what_is_wrong_with_a_recorded_run_has_its_line_and_what_run_prints_is_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let dummy = example("dummy.tio");
    let make = ["testcase", &dummy, "--purpose", "short", "--timeout", "60", "-o", "out"];
    let (code, _, errors) = call(at, &make);
    assert_eq!(code, 0, "{errors}");
    let table = [
        ("{\"in\":\"Of\",\"after\":\"0\"}", "run.jsonl:3: there is no channel `Of`"),
        ("[", "run.jsonl:3: EOF"),
    ];
    for (text, expected) in table {
        let text = format!("\n{{\"in\":\"In\",\"args\":[1],\"after\":\"0\"}}\n{text}\n");
        std::fs::write(at.join("run.jsonl"), text).expect("a file");
        let (code, _, errors) = call(at, &["monitor", "out/testcase.json", "run.jsonl"]);
        assert!(code == 2 && errors.contains(expected), "{code} {errors}");
    }
    let (code, text, errors) = call(at, &["run", "out/testcase.json", "--sut", &dummy]);
    assert_eq!(code, 0, "{text}{errors}");
    let events: Vec<&str> = text.lines().filter(|line| line.starts_with('{')).collect();
    std::fs::write(at.join("run.jsonl"), events.join("\n")).expect("a file");
    let (code, judged, errors) = call(at, &["monitor", "out/testcase.json", "run.jsonl"]);
    assert!(code == 0 && text.ends_with(&judged), "{code} {judged}{errors}");
}

#[test]
fn chains_compare_clocks_and_cover_the_goals_that_are_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let text = "timed clocks clock c, d output A initial q\n\
                edge wait: q -> q when d >= 1 A! reset d\n\
                edge far: q -> r when c >= d + 3 A! reset d\n\
                edge exact: r -> s when c - d = 5 A!\n\
                edge never: r -> s when c < d A!\n";
    std::fs::write(at.join("clocks.tio"), text).expect("a file");
    let (code, text, errors) = call(at, &["chain", "clocks.tio"]);
    assert_eq!(code, 20, "{errors}");
    assert!(
        text.contains("unreachable: no execution reaches it") && text.contains("one chain of 3 steps"),
        "{text}"
    );
    assert!(text.contains("time: 5, the least of 3 steps, proven"), "{text}");
    let (code, text, errors) = call(at, &["chain", "clocks.tio", "--goals", "far"]);
    assert_eq!(code, 0, "{errors}");
    assert!(text.contains("1 of 1 goals covered, one chain of 2 steps, proven minimal"), "{text}");
    let (code, _, errors) = call(at, &["chain", "clocks.tio", "--goals", "fur"]);
    assert!(
        code == 2 && errors.contains("there is no goal `fur`") && errors.contains("did you mean `far`?"),
        "{errors}"
    );
    let sum = "timed clocks clock c, d output A initial q\nedge e: q -> q when c + d <= 3 A!";
    std::fs::write(at.join("sum.tio"), sum).expect("a file");
    let (code, _, errors) = call(at, &["chain", "sum.tio"]);
    assert!(code == 3 && errors.contains("error[clock-difference]"), "{code} {errors}");
}

#[test]
fn check_warns_of_what_can_never_be_taken_and_of_outputs_that_may_never_come() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let text = "timed t\nvar x: 0..5\nclock c\ninput I(0..5)\noutput P\ninitial q\n\
                edge a: q -> r I?(x) reset c\n\
                edge b: r -> q when c <= 3 and x <= 2 P!\n\
                edge d: q -> q when x > 5 and c > 3 P!\n\
                edge e: q -> q when c > 3 P!\n\
                purpose p = a.b\n";
    std::fs::write(at.join("t.tio"), text).expect("a file");
    let (code, _, errors) = call(at, &["check", "t.tio"]);
    let expected = [
        "warning[never-enabled]: `d` can never be taken: no values of data and clocks admit it\n --> t.tio:9:6",
        "warning[silent-trap]: behind `a` no output of `r` may be possible any more: then `p` waits for `b` for ever\n --> t.tio:8:6",
    ];
    assert_eq!(code, 0, "{errors}");
    assert!(expected.iter().all(|text| errors.contains(text)), "{errors}");
    assert_eq!(errors.matches("warning[").count(), 2, "{errors}");
    for example in ["atm.tio", "dummy.tio"].map(example) {
        let (_, _, errors) = call(at, &["check", &example]);
        assert!(!errors.contains("silent-trap") && !errors.contains("never-enabled"), "{errors}");
    }
}

#[test]
fn what_excuses_a_silence_is_chosen() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let text = "timed t clock c input I output P initial q\n\
                edge a: q -> r when c <= 3 P!\n\
                edge b: q -> q I?\n\
                purpose p = a\n";
    std::fs::write(at.join("t.tio"), text).expect("a file");
    std::fs::write(at.join("run.jsonl"), "{\"quiet\":\"10\"}\n").expect("a file");
    let table = [
        (&[][..], 10, "FAIL_dur at event 1: by rule R10"),
        (&["--silence", "others"], 10, "FAIL_dur at event 1: by rule R10"),
        (&["--silence", "any"], 12, "INC_dur at event 1: by rule R8"),
    ];
    for (options, expected, verdict) in table {
        let make = ["testcase", "t.tio", "--purpose", "p", "--timeout", "10", "-o", "out"];
        let (code, _, errors) = call(at, &[&make[..], options].concat());
        assert_eq!(code, 0, "{errors}");
        let (code, text, errors) = call(at, &["monitor", "out/testcase.json", "run.jsonl"]);
        assert!(code == expected && text.starts_with(verdict), "{code} {text}{errors}");
    }
}
