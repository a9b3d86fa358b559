//! Verdicts of runs of the cash machine and the dummy.

use num_rational::BigRational;
use std::path::PathBuf;
use timed::judge::{TestFile, trace};
use timed::smt::Solver;
use timed::testcase::generate;

fn test_file(name: &str, purpose: &str, timeout: i64, is_pruned: bool) -> TestFile {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let model = timed::read::read(&path, &[]).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    let mut solver = Solver::start("z3").unwrap_or_else(|error| panic!("{error}"));
    let edges = model.system.purpose(purpose).expect("the purpose").edges.clone();
    let timeout = BigRational::from_integer(timeout.into());
    let mut test = generate(&model.system, (purpose, &edges), &timeout, &mut solver).expect("a test case");
    if is_pruned {
        test.prune(&mut solver).expect("answers");
    }
    TestFile::read(&timed::write::json(&test.into()).to_string()).expect("what was written")
}

/// `(0,Transc 50 60)(1,Debit 1 51 7)`, `(5)` for silence, as JSON lines.
fn lines(text: &str) -> String {
    let events = text.trim_matches(['(', ')']).split(")(");
    let line = |event: &str| match event.split_once(',') {
        None => format!("{{\"quiet\":\"{event}\"}}\n"),
        Some((delay, message)) => {
            let mut words = message.split(' ');
            let name = words.next().unwrap_or_default();
            let args: Vec<&str> = words.collect();
            format!("{{\"event\":\"{name}\",\"args\":[{}],\"after\":\"{delay}\"}}\n", args.join(","))
        }
    };
    events.map(line).collect()
}

fn check(test: &TestFile, table: &[(&str, &str)]) {
    let mut solver = Solver::start("z3").unwrap_or_else(|error| panic!("{error}"));
    for (text, expected) in table {
        let trace = trace(&lines(text)).expect("a trace");
        let report = timed::run::monitor(test, &trace, &mut solver).expect("a verdict");
        assert_eq!(report.rule.as_deref(), Some(*expected), "{text}");
    }
}

#[test]
fn runs_of_the_cash_machine() {
    let table = [
        ("(0,Transc 50 60)(1,Debit 1 51 7)(2,Auth 1 7 1)(1,Cash 50)", "PASS"),
        ("(0,Transc 50 60)(1,Debit 1 40 7)", "FAIL_out"),
        ("(0,Transc 50 60)(2,Debit 1 51 7)", "FAIL_out"),
        ("(0,Transc 50 60)(1,Abort)", "FAIL_out"),
        ("(0,Transc 50 60)(1,Debit 1 50 7)", "INC_out"),
        ("(0,Transc 50 60)(5)", "FAIL_dur"),
        ("(0,Transc 50 60)(1,Debit 1 51 7)(5)", "INC_dur"),
        ("(0,Auth 1 7 1)", "INC_ucInSpec"),
        ("(0,Transc 50 60)(0,Auth 1 7 1)", "INC_ucInUspec"),
        ("(0,Transc 50 60)(1,Debit 1 51 7)(2,Auth 9 7 1)(1,Log 9 7)", "INC_out"),
        ("(0,Transc 50 60)(1,Debit 1 51 7)(2,Auth 1 7 0)(1,Abort)", "INC_out"),
        ("(0,Transc 5 60)", "refused"),
    ];
    for is_pruned in [false, true] {
        check(&test_file("atm.tio", "paid", 5, is_pruned), &table);
    }
}

#[test]
fn runs_of_the_dummy() {
    let table = [
        ("(0,In 1)(41,Out 0)", "PASS"),
        ("(0,In 1)(40,Out 0)", "FAIL_out"),
        ("(0,In 1)(41,Out 1)", "FAIL_out"),
        ("(0,In 1)(60)", "FAIL_dur"),
        ("(0,In 7)", "refused"),
    ];
    check(&test_file("dummy.tio", "short", 60, false), &table);
}

/// What comes at the time-out ends a silence that is shorter than that.
#[test]
fn the_last_moment_may_be_that_of_the_time_out() {
    let table = [
        ("(0,In 2)(40,Out 0)", "PASS"),
        ("(0,In 1)(41,Out 0)", "INC_dur"),
        ("(0,In 1)(41,Out 1)", "FAIL_dur"),
        ("(0,In 1)(42,Out 0)", "FAIL_dur"),
        ("(0,In 1)(41)", "FAIL_dur"),
    ];
    check(&test_file("dummy.tio", "short", 41, false), &table);
}

#[test]
fn a_conforming_system_never_fails() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/atm.tio");
    let model = timed::read::read(&path, &[]).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    let test = test_file("atm.tio", "paid", 5, false);
    let mut solver = Solver::start("z3").unwrap_or_else(|error| panic!("{error}"));
    let mut verdicts = std::collections::BTreeMap::new();
    for seed in 0..60 {
        let mut player = timed::play::Player::new(&model.system, seed, "z3");
        let (report, observed) =
            timed::run::run(&test, &mut player, &mut solver, None, None).expect("a verdict");
        let shown: Vec<String> = observed.iter().map(|one| one.to_json().to_string()).collect();
        assert_ne!(report.verdict, harness::Verdict::Fail, "seed {seed}: {shown:?}");
        *verdicts.entry(report.rule).or_insert(0) += 1;
    }
    assert!(verdicts.len() > 2, "runs should differ: {verdicts:?}");
}

/// What the system of a text does under the test of its purpose `z`, for so many seeds.
fn rules(text: &str, seeds: std::ops::Range<u64>) -> Vec<Option<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("system.tio");
    std::fs::write(&path, text).expect("a file");
    let model = timed::read::read(&path, &[]).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    let mut solver = Solver::start("z3").unwrap_or_else(|error| panic!("{error}"));
    let edges = &model.system.purpose("z").expect("the purpose").edges;
    let timeout = BigRational::from_integer(5.into());
    let test = generate(&model.system, ("z", edges), &timeout, &mut solver).expect("a test case");
    let test = TestFile::read(&timed::write::json(&test.into()).to_string()).expect("what was written");
    let run = |seed| {
        let mut player = timed::play::Player::new(&model.system, seed, "z3");
        timed::run::run(&test, &mut player, &mut solver, None, None).expect("a verdict").0.rule
    };
    seeds.map(run).collect()
}

/// A system that plays may choose unknown data as late as it is asked for them: an input that other
/// values take is not ignored.
#[test]
fn unknown_data_suit_the_inputs_that_come() {
    for range in ["0..1", "0..99999", "rational"] {
        let text = format!(
            "timed t var x, y: {range} input U(0..9), V output P, Q initial A \
             edge e1: A -> B when x = 1 V? edge e2: B -> C P! edge e3: A -> D Q! \
             edge e4: C -> E when y = 2 * x U?x edge e5: E -> F P! edge e6: F -> A Q! \
             purpose z = e1.e2.e4.e5"
        );
        let rules = rules(&text, 0..20);
        let is_met = |rule: &&Option<String>| rule.as_deref() == Some("PASS");
        let is_other = |rule: &&Option<String>| rule.as_deref() == Some("INC_out");
        let (met, other) = (rules.iter().filter(is_met).count(), rules.iter().filter(is_other).count());
        assert!(met > 2 && met + other == rules.len(), "{range}: {rules:?}");
    }
}

#[test]
fn damaged_traces_are_refused() {
    let test = test_file("dummy.tio", "short", 60, false);
    let mut solver = Solver::start("z3").unwrap_or_else(|error| panic!("{error}"));
    for text in
        ["{\"out\":\"Out\"", "{\"out\":\"Out\",\"after\":\"-1\"}", "{\"wrong\":1}", "[]", "{\"quiet\":true}"]
    {
        assert!(trace(text).is_err(), "{text}");
    }
    for text in
        ["(0,Nothing 1)", "(0,In 1 2)", "(0,In [])", "(0,In true)", "(0,In \"x\")", "(0,In 1)(5)(4,Out 0)"]
    {
        let trace = trace(&lines(text)).expect("a trace");
        assert!(timed::run::monitor(&test, &trace, &mut solver).is_err(), "{text}");
    }
    for text in
        ["{\"out\":\"In\",\"args\":[1],\"after\":\"0\"}", "{\"in\":\"Out\",\"args\":[0],\"after\":\"0\"}"]
    {
        let trace = trace(text).expect("a trace");
        assert!(timed::run::monitor(&test, &trace, &mut solver).is_err(), "{text}");
    }
}

/// Silences that follow one another are one, and times are those since the event before.
#[test]
fn silences_add_up() {
    let table = [
        ("(0,In 1)(30)(30)", "FAIL_dur"),
        ("(0,In 1)(30)(10)(41,Out 0)", "PASS"),
        ("(0,In 1)(30)(10)(40,Out 0)", "FAIL_out"),
    ];
    check(&test_file("dummy.tio", "short", 60, false), &table);
}

/// Truths and enumerators are sent as such, and integers are judged as what they are.
#[test]
fn values_are_those_of_their_types() {
    let text = "timed t type M = {OFF, ON} var b: bool var m: M var n: 0..9 input In(bool, M, 0..9) \
                output Out(0..9, bool) initial A edge e1: A -> B when b and m = ON and n = 3 In?(b, m, n) \
                edge e2: B -> A Out!(n, b) purpose z = e1.e2";
    assert_eq!(rules(text, 0..1), [Some("PASS".to_owned())]);
    let path = tempfile::tempdir().expect("a folder");
    let file = path.path().join("t.tio");
    std::fs::write(&file, text).expect("a file");
    let model = timed::read::read(&file, &[]).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    let mut solver = Solver::start("z3").unwrap_or_else(|error| panic!("{error}"));
    let timeout = BigRational::from_integer(5.into());
    let test = generate(&model.system, ("z", &[0, 1]), &timeout, &mut solver).expect("a test case");
    let test = TestFile::read(&timed::write::json(&test.into()).to_string()).expect("what was written");
    let verdict = |answer: &str, solver: &mut Solver| {
        let start = "{\"event\":\"In\",\"args\":[true,\"ON\",3],\"after\":\"0\"}\n";
        let trace =
            trace(&format!("{start}{{\"out\":\"Out\",\"args\":{answer},\"after\":\"0\"}}")).expect("a trace");
        timed::run::monitor(&test, &trace, solver).map(|report| report.rule)
    };
    for (answer, expected) in [
        ("[3,true]", Some("PASS")),
        ("[\"3\",true]", Some("PASS")),
        ("[3,false]", Some("FAIL_out")),
        ("[12,true]", Some("FAIL_out")),
        ("[3.5,true]", Some("FAIL_out")),
        ("[\"7/2\",true]", Some("FAIL_out")),
        ("[3,1]", None),
        ("[true,true]", None),
        ("[3]", None),
    ] {
        match (verdict(answer, &mut solver), expected) {
            (Ok(rule), Some(expected)) => assert_eq!(rule.as_deref(), Some(expected), "{answer}"),
            (Err(_), None) => {}
            (found, _) => panic!("{answer}: {found:?}"),
        }
    }
}
