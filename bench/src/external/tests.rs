//! Harnesses against the evaluator, and the answers of CBMC as its documentation describes them.

use super::fuzz::{chain_of, prepared};
use super::*;
use crate::subject;
use engine::find_chains;
use engine::options::Options;
use engine::session::Silent;
use model::system::TransitionSystem;
use model::validate::{Validated, validate};
use std::io::Write;
use std::process::{Command, Stdio};

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/corpus").join(name)
}

/// The bytes that make a fuzzing harness follow a run.
fn bytes(system: &TransitionSystem, trace: &Trace) -> Vec<u8> {
    let size = |value: &Value| value.sort().width().div_ceil(8) as usize;
    let values = trace.inputs.iter().flatten().filter(|_| !system.inputs.is_empty());
    values.flat_map(|value| value.bits().to_le_bytes()[..size(value)].to_vec()).collect()
}

/// The generated program is compiled with the C compiler and fed with a chain: it must see all
/// goals at the same step as the evaluator.
fn follows(system: &Validated) {
    let outcome = find_chains(system, &Options::default(), &Silent).expect("an outcome");
    assert_eq!((outcome.covered(), outcome.chains.len()), (system.goals.len(), 1));
    let chain = &outcome.chains[0].trace;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let compiler = ["cc", "-O1", "-w", "-DREADS_STANDARD_INPUT", "-o", "fuzz", "harness.c", "-lm"];
    assert!(prepared(system, folder.path(), &compiler).expect("files"), "the harness should compile");
    for (missing, complete) in [(1, false), (0, true)] {
        let part = Trace { start: chain.start.clone(), inputs: chain.inputs[missing..].to_vec() };
        let mut child = Command::new(folder.path().join("fuzz"))
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the harness should start");
        child
            .stdin
            .take()
            .expect("a pipe")
            .write_all(&bytes(system, &part))
            .expect("the harness should read");
        assert_eq!(child.wait().expect("an end").success(), !complete);
        assert_eq!(chain_of(system, folder.path()), complete.then(|| chain.clone()));
    }
}

#[test]
fn the_harness_sees_what_the_evaluator_sees() {
    for name in ["cruise-1", "robotarm-1", "elevator-2", "window-1"] {
        follows(&subject::load(&case(name)).expect("a model").reduced);
    }
}

#[test]
fn windows_of_several_steps_are_latched() {
    let text = "
        input up w1
        state count w4 next (ite (and up (ult count 9)) (add count 1) count)
        goal rise steps 3 when (and up (and up@1 up@2))
        goal third steps 2 when (and (eq count@1 3) (and (not up@1) (eq count@2 3)))
        goal late when (and (eq count 4) (eq count@1 5))
    ";
    follows(&validate(model::text::parse(text).expect("a text")).expect("a system"));
}

#[test]
fn harnesses_for_cbmc_are_c() {
    let system = subject::load(&case("cruise-1")).expect("a model").reduced;
    for text in [harness::latched(&system), harness::covers(&system)] {
        let text = text.expect("a harness").replace("__CPROVER_cover(", "(void)(");
        let text = format!(
            "#define __CPROVER_assume(e) ((void)(e))\n#define __CPROVER_assert(e, m) ((void)(e))\n#define __CPROVER_input(n, e) ((void)(e))\n{text}"
        );
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("harness.c"), text).expect("a file");
        let mut compiler = Command::new("cc");
        let status = compiler.args(["-fsyntax-only", "-w", "harness.c"]).current_dir(folder.path()).status();
        assert!(status.expect("a compiler").success());
    }
}

#[test]
fn answers_of_cbmc_are_read() {
    let text = "
        input up w1
        state count w4 next (ite (and up (ult count 9)) (add count 1) count)
        goal two when (eq count 2)
    ";
    let system = validate(model::text::parse(text).expect("a text")).expect("a system");
    let step = |bit: u8| {
        format!(
            r#"{{"stepType": "input", "inputID": "i0", "values": [{{"binary": "0000000{bit}", "data": "{bit}"}}]}}"#
        )
    };
    let other = r#"{"stepType": "assignment", "lhs": "i0", "value": {"binary": "1"}}"#;
    let trace = format!("[{}, {other}, {}, {}, {}]", step(1), step(0), step(1), step(0));
    let failed = format!(
        r#"[{{"program": "CBMC"}}, {{"result": [{{"property": "main.assertion.1", "status": "FAILURE", "trace": {trace}}}]}}]"#
    );
    let lengths =
        |text: &str| cbmc::runs(&system, text).iter().map(|run| run.inputs.len()).collect::<Vec<_>>();
    assert_eq!(lengths(&failed), [4]);
    let test = r#"{"coveredGoals": ["main.1"], "inputs": [{"id": "i0", "value": {"binary": "1"}}, {"id": "i0", "value": {"binary": "1"}}, {"id": "i0", "value": {"binary": "0"}}, {"id": "i0", "value": {"binary": "0"}}]}"#;
    assert_eq!(lengths(&format!(r#"[{{"tests": [{test}]}}]"#)), [3], "cut after the goal");
    assert_eq!(lengths("[{\"result\": ["), [] as [usize; 0], "a tool that was stopped");
}
