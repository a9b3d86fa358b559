//! Systems that behave and systems that do not, as shell scripts.

use frontend::limit::Limit;
use harness::{Broken, Event, Events, Fields, Process, Reply, Synchronous, Time};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A shell script that answers the n-th request by the n-th line; what is no JSON is run.
fn answering(lines: &[&str]) -> Process {
    let mut script = String::new();
    for line in lines {
        script += "read request || exit 0; ";
        script += &if line.starts_with('{') { format!("echo '{line}'; ") } else { format!("{line}; ") };
    }
    script += "while read rest; do :; done";
    Process::new(script, Duration::from_millis(1500))
}

const OK: &str = r#"{"ok":true}"#;

fn step(lines: &[&str]) -> Result<Fields, Broken> {
    let mut system = answering(lines);
    Synchronous::reset(&mut system)?;
    system.step(0, &Fields::new())
}

#[test]
fn steps_are_answered() {
    let outputs = step(&[OK, r#"{"out":{"E":false}}"#]).expect("an answer");
    assert_eq!(json!(outputs), json!({"E": false}));
    let numbered = step(&[OK, r#"{"step":0,"out":{}}"#]).expect("an answer");
    assert!(numbered.is_empty());
}

#[test]
fn requests_are_single_lines_of_json() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = folder.path().join("log");
    let script = format!("while read -r line; do echo \"$line\" >> {}; echo '{OK}'; done", log.display());
    let mut system = Process::new(script, Duration::from_secs(5));
    Events::reset(&mut system).expect("an answer");
    let event = Event { name: "Close".to_owned(), args: vec![json!(1)], after: Time::parse("0.5") };
    assert_eq!(system.input(&event), Ok(Reply::Accepted));
    let untimed = Event { after: None, ..event };
    assert_eq!(system.input(&untimed), Ok(Reply::Accepted));
    let written = std::fs::read_to_string(log).expect("the log");
    let expected =
        ["{\"reset\":true}", r#"{"in":"Close","args":[1],"after":"0.5"}"#, r#"{"in":"Close","args":[1]}"#];
    assert_eq!(written.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn nothing_is_waited_for_beyond_the_end_of_the_run() {
    let ends_in = |time| Limit { deadline: Some(Instant::now() + time), ..Limit::default() };
    let soon = ends_in(Duration::from_millis(200));
    let mut silent = Process::new("sleep 60", Duration::from_secs(30)).until(soon);
    assert_eq!(Synchronous::reset(&mut silent), Err(Broken::TimeIsUp));
    // Within the time of an answer the system is told of, not the run.
    let late = ends_in(Duration::from_secs(30));
    let mut silent = Process::new("sleep 60", Duration::from_millis(100)).until(late);
    assert!(matches!(Synchronous::reset(&mut silent), Err(Broken::Silent { .. })));
    // Nor where the user wants an end.
    let stop = Limit { stop: Some(Arc::new(AtomicBool::new(true))), ..Limit::default() };
    let mut silent = Process::new("sleep 60", Duration::from_secs(30)).until(stop);
    assert_eq!(Synchronous::reset(&mut silent), Err(Broken::Interrupted));
}

#[test]
fn systems_that_cannot_be_used_are_told_apart() {
    let table: [(&[&str], &str); 10] = [
        (&["exit 3"], "the system ended (exit status: 3) instead of answering"),
        (&["echo gone >&2; exit 3"], "it wrote: gone"),
        (&[OK, "kill -9 $$"], "signal: 9"),
        (&[OK, "sleep 60"], "the system gave no answer within 1.5s"),
        (&[OK, "echo hello"], "no JSON"),
        (&[OK, "echo 3"], "not a JSON object: 3"),
        (&[OK, r#"{"out":3}"#], "is the answer to a step"),
        (&[OK, r#"{"step":7,"out":{}}"#], "step 0 was asked for"),
        (&[OK, r#"{"error":"no power"}"#], "the system says that it cannot go on: no power"),
        (&[r#"{"out":{}}"#], "is the answer to a reset"),
    ];
    for (lines, expected) in table {
        let broken = step(lines).expect_err("it should be of no use").to_string();
        assert!(broken.contains(expected), "{lines:?}: {broken}");
    }
}

#[test]
fn what_is_written_unasked_is_no_answer() {
    let mut system = answering(&[&format!("echo '{OK}'; sleep 0.1; echo '{OK}'")]);
    Synchronous::reset(&mut system).expect("an answer");
    std::thread::sleep(Duration::from_millis(300));
    let broken = system.step(0, &Fields::new()).expect_err("an answer to nothing").to_string();
    assert!(broken.contains("nothing was asked"), "{broken}");
    let mut system = answering(&[&format!("printf '%s\\n' '{OK}' '{OK}'")]);
    let broken = Synchronous::reset(&mut system).expect_err("two answers").to_string();
    assert!(broken.contains("more than one line"), "{broken}");
}

/// An answer that comes twice, the second time while the next one is waited for, shifts all that
/// follow: what resets the system behind a test gets one of them.
#[test]
fn shifted_answers_are_found_behind_the_test() {
    let out = r#"{"out":{}}"#;
    let twice = format!("echo '{out}'; (sleep 0.2; echo '{out}') & sleep 0.05");
    let mut shifted = answering(&[OK, &twice, &format!("sleep 0.4; echo '{out}'"), OK]);
    Synchronous::reset(&mut shifted).expect("an answer");
    for number in 0..2 {
        shifted.step(number, &Fields::new()).expect("an answer, or what is taken for one");
    }
    assert!(matches!(Synchronous::end(&mut shifted), Err(Broken::IllFormed { .. })));
    // A system that has answered once is fresh for the next test, and one that ends has answered all.
    let mut honest = answering(&[OK, out, OK, out]);
    for number in 0..2 {
        Synchronous::reset(&mut honest).expect("an answer");
        honest.step(number, &Fields::new()).expect("an answer");
        assert_eq!((Synchronous::end(&mut honest), honest.starts()), (Ok(()), 1));
    }
    let mut ending = answering(&[OK, &format!("echo '{out}'; exit 0")]);
    Synchronous::reset(&mut ending).expect("an answer");
    ending.step(0, &Fields::new()).expect("an answer");
    assert_eq!(Synchronous::end(&mut ending), Ok(()));
}

#[test]
fn a_process_that_broke_is_started_again() {
    let mut system = answering(&[OK, "exit 1"]);
    for starts in 1..=3 {
        Synchronous::reset(&mut system).expect("an answer");
        assert_eq!(system.starts(), starts);
        assert!(matches!(system.step(0, &Fields::new()), Err(Broken::Ended { .. })));
        assert!(matches!(system.step(1, &Fields::new()), Err(Broken::NotStarted(_))));
    }
    let mut healthy = answering(&[OK, OK]);
    for _ in 0..2 {
        Synchronous::reset(&mut healthy).expect("an answer");
    }
    assert_eq!(healthy.starts(), 1);
}

#[test]
fn events_are_answered() {
    let time = Time::parse("5");
    let output =
        |after: Option<Time>| Reply::Output(Event { name: "Armed".to_owned(), args: vec![json!(2)], after });
    let table: [(&str, Option<&Time>, Result<Reply, &str>); 7] = [
        (r#"{"out":"Armed","args":[2],"after":"3/2"}"#, time.as_ref(), Ok(output(Time::parse("1.5")))),
        (r#"{"out":"Armed","args":[2]}"#, None, Ok(output(None))),
        (r#"{"out":"Armed","args":[2]}"#, time.as_ref(), Err("without `after`")),
        (r#"{"quiet":"5"}"#, time.as_ref(), Ok(Reply::Quiet(Time::parse("5")))),
        (r#"{"quiet":true}"#, None, Ok(Reply::Quiet(None))),
        (r#"{"quiet":"never"}"#, time.as_ref(), Err("`never` is no time")),
        (OK, None, Err("is the answer to `watch`")),
    ];
    for (line, time, expected) in table {
        let mut system = answering(&[OK, line]);
        Events::reset(&mut system).expect("an answer");
        match (system.watch(time), expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{line}"),
            (Err(found), Err(expected)) => assert!(found.to_string().contains(expected), "{line}: {found}"),
            (found, expected) => panic!("{line}: {found:?} instead of {expected:?}"),
        }
    }
}
