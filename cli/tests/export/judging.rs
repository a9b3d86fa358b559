//! A rig judges requirements by what it measures: the right cases fail, also where the record has the same wrong value.
//!
//! The rig is a program in Python that does what the mended code should do, with one value made wrong; the cases run
//! without pytest, by as much of it as they use.

use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const LIFT: &str = "void __CPROVER_assert(int, const char *); void __CPROVER_assume(int);
typedef struct { unsigned char up, down; } In;
typedef struct { unsigned char motor; signed char level; float speed; _Bool alarm; } Out;
In I; Out Y; static int pos;
void step(void) {
  if (I.up && pos < 5) { pos++; Y.motor = 1; } else if (I.down && pos > 0) { pos--; Y.motor = 2; } else Y.motor = 0;
  if (pos == 3 && I.down && I.up) Y.motor = 3;
  Y.level = pos;
  Y.speed = pos * 2.5f;
  Y.alarm = pos == 5;
  __CPROVER_assert(pos <= 5, \"range\");
}
void up(void) { __CPROVER_assume(I.up == 1 && I.down == 0 && Y.level < 5); step(); __CPROVER_assert(Y.motor == 1, \"\"); }
void motor(void) { step(); __CPROVER_assert(Y.motor <= 2, \"\"); }
void alarm(void) { step(); __CPROVER_assume(Y.level == 5); __CPROVER_assert(Y.alarm, \"\"); }
void speed(void) { step(); __CPROVER_assert(Y.speed <= 12.5f, \"\"); }
void inner(void) { __CPROVER_assume(pos == 2); step(); __CPROVER_assert(Y.level <= 3, \"\"); }
void hidden(void) { step(); __CPROVER_assert(pos >= 0, \"\"); }
";

/// Answers `LATENCY` steps late; `FIX`: without the defect; `WRONG`: `name:step:value`.
const DRIVER: &str = r#"
import os

class Driver:
    def reset(self):
        self.position, self.inputs, self.number, self.late = 0, {}, -1, []
    def set_input(self, name, value):
        self.inputs[name] = value
    def step(self):
        self.number += 1
        up, down, motor = self.inputs["up"], self.inputs["down"], 0
        if up and self.position < 5:
            self.position, motor = self.position + 1, 1
        elif down and self.position > 0:
            self.position, motor = self.position - 1, 2
        if self.position == 3 and up and down and "FIX" not in os.environ:
            motor = 3
        outputs = {"motor": motor, "level": self.position, "speed": self.position * 2.5, "alarm": self.position == 5}
        name, step, value = os.environ.get("WRONG", "none:-1:0").split(":")
        if int(step) == self.number:
            outputs[name] = float(value)
        self.late.append(outputs)
    def get_output(self, name):
        return self.late[-1 - int(os.environ.get("LATENCY", "0"))][name]
    def close(self):
        pass
"#;

fn chaincover(folder: &Path, arguments: &[&str]) -> String {
    let program = env!("CARGO_BIN_EXE_chaincover");
    let ended =
        Command::new(program).current_dir(folder).args(arguments).output().expect("the program should start");
    assert!(
        [0, 10].contains(&ended.status.code().expect("a code")),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

/// Two outputs, one of which the model never changes.
const LAMP: &str = "unsigned char level; _Bool alarm, seen;
void init(void) { level = 7; }
void step(_Bool up, _Bool off) {
  level = up ? 9 : 5;
  seen = up;
  if (off) seen = 0;
  if (seen && off) alarm = 1;
}
";

/// What is asked of it.
const LAMP_GOALS: &str = "[model]
sources = [\"lift.c\"]
init = \"init\"
step = \"step\"
outputs = [\"level\", \"alarm\"]
[[goal]]
name = \"quiet\"
when = \"step.up && !step.off\"
expect = \"!alarm\"
[[goal]]
name = \"rises\"
when = \"!step.up\"
expect = \"level <= 3 && level >= old(level)\"
";

/// Sets the alarm where it must not, measures `ALARM` for it, or does as recorded.
const LAMP_DRIVER: &str = r#"
import os

class Driver:
    def reset(self):
        self.inputs = {}
    def set_input(self, name, value):
        self.inputs[name] = value
    def step(self):
        pass
    def get_output(self, name):
        up = self.inputs["up"]
        return float(os.environ.get("ALARM", "0")) * up if name == "alarm" else 9 if up else 5
    def close(self):
        pass
"#;

fn searched(model: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("lift.c"), model).expect("a file");
    chaincover(folder.path(), &["chain", "lift.c", "-q", "-o", "out"]);
    folder
}

/// A folder with the exported cases of a result, the rig, and what stands for pytest.
fn rig(folder: &Path, result: &str, options: &[&str]) -> TempDir {
    let rig = tempfile::tempdir().expect("a temporary folder");
    let to = rig.path().to_str().expect("a plain path");
    chaincover(folder, &[&["export", result, "--format", "pytest", "-q", "-o", to], options].concat());
    std::fs::write(rig.path().join("chain_driver.py"), DRIVER).expect("a file");
    std::fs::write(rig.path().join("pytest.py"), include_str!("pytest_shim.py")).expect("a file");
    rig
}

/// What became of each case.
fn on_rig(rig: &TempDir, environment: &[(&str, &str)]) -> Vec<String> {
    let mut command = Command::new("python3");
    command.current_dir(rig.path()).args(["-B", "-c", "import pytest; pytest.main()"]);
    let ended = command.envs(environment.iter().copied()).output().expect("Python should start");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8_lossy(&ended.stdout).lines().map(str::to_owned).collect()
}

/// The names of the cases of which this was said.
fn named(lines: &[String], what: &str) -> Vec<String> {
    let of = lines.iter().filter_map(|line| line.strip_prefix(what)?.strip_prefix(' '));
    let name = |line: &str| line.split(':').next().unwrap_or_default().to_owned();
    let short = |name: String| {
        name.trim_start_matches("test_").trim_start_matches("requirement").trim_matches(['[', ']']).to_owned()
    };
    of.map(|line| short(name(line))).collect()
}

#[test]
fn exactly_the_right_cases_fail() {
    let folder = searched(LIFT);
    // The chain is five steps up, in which `down` is pressed in step 2, where the record has the defect.
    let table: [(&str, Option<&str>, bool, &[&str]); 10] = [
        ("as recorded", None, false, &["motor"]),
        ("mended", None, true, &[]),
        ("another wrong value", Some("motor:2:7"), true, &["motor"]),
        ("what a requirement fixes", Some("motor:0:2"), true, &["recorded_outputs[0", "up"]),
        ("the record alone", Some("motor:4:0"), true, &["recorded_outputs[0"]),
        ("the record alone", Some("level:1:9"), true, &["recorded_outputs[0"]),
        ("a truth", Some("alarm:4:0"), true, &["recorded_outputs[0", "alarm"]),
        ("beyond the tolerance", Some("speed:4:12.7"), true, &["recorded_outputs[0", "speed"]),
        ("within the tolerance", Some("speed:4:12.55"), true, &[]),
        ("a number beside it", Some("speed:3:10.3"), true, &["recorded_outputs[0"]),
    ];
    for latency in ["0", "2"] {
        let options = ["--output-latency", latency, "--tolerance", "speed=abs:0.1"];
        let rig = rig(folder.path(), "out/chain.json", &options);
        for (what, wrong, is_mended, expected) in table {
            let mut environment = vec![("LATENCY", latency)];
            environment.extend(wrong.map(|wrong| ("WRONG", wrong)));
            environment.extend(is_mended.then_some(("FIX", "1")));
            let lines = on_rig(&rig, &environment);
            assert_eq!(named(&lines, "failed"), expected, "{what}, latency {latency}\n{}", lines.join("\n"));
        }
    }
}

#[test]
fn failures_tell_expression_values_and_step_and_what_is_unseen_is_skipped_by_name() {
    let folder = searched(LIFT);
    let lines = on_rig(&rig(folder.path(), "out/chain.json", &[]), &[]).join("\n");
    assert!(lines.contains("failed test_requirement[motor]: motor is violated\nchain 1, step 2: expect Y.motor <= 2   saw Y.motor = 3   lift.c:14"), "{lines}");
    assert!(
        lines.contains("skipped test_unseen_requirement[hidden]: hidden: a rig does not see pos"),
        "{lines}"
    );
    assert!(lines.contains("lift.c:11: it stands in the code of the step"), "{lines}");
}

/// An antecedent that reads state which a rig does not see is told by the record, as long as what is
/// measured agrees with it.
#[test]
fn a_hidden_antecedent_is_told_by_the_record() {
    let inside =
        "void inside(void) { step(); __CPROVER_assume(pos == 3); __CPROVER_assert(Y.motor <= 2, \"\"); }\n";
    let folder = searched(
        &(LIFT.replace(
            "void motor(void) { step();",
            "void motor(void) { step(); __CPROVER_assume(Y.level < 0);",
        ) + inside),
    );
    let rig = rig(folder.path(), "out/violation_inside.json", &[]);
    let table: [(Option<&str>, bool, &[&str], bool); 4] = [
        // As recorded; mended; wrong before, so that it is another execution; wrong in a value that
        // the consequent does not read, likewise.
        (None, false, &["inside"], false),
        (None, true, &[], false),
        (Some("level:1:0"), false, &["recorded_outputs[0"], true),
        (Some("alarm:2:1"), false, &["recorded_outputs[0"], true),
    ];
    for (wrong, is_mended, expected, is_skipped) in table {
        let mut environment: Vec<(&str, &str)> = wrong.map(|wrong| ("WRONG", wrong)).into_iter().collect();
        environment.extend(is_mended.then_some(("FIX", "1")));
        let lines = on_rig(&rig, &environment);
        let text = lines.join("\n");
        assert_eq!(named(&lines, "failed"), expected, "{wrong:?}\n{text}");
        assert_eq!(named(&lines, "skipped").contains(&"inside".to_owned()), is_skipped, "{wrong:?}\n{text}");
        assert_eq!(expected == ["inside"], text.contains("saw Y.motor = 3   (pos as recorded)"), "{text}");
    }
}

/// What is measured counts, also where the model never changes it; what an output holds before the
/// first step is known, also where no state word tells it.
#[test]
fn outputs_that_the_model_never_changes_are_judged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("lift.c"), LAMP).expect("a file");
    std::fs::write(folder.path().join("chaincover.toml"), LAMP_GOALS).expect("a file");
    chaincover(folder.path(), &["chain", ".", "-q", "-o", "out"]);
    let rig = rig(folder.path(), "out/chain.json", &[]);
    std::fs::write(rig.path().join("chain_driver.py"), LAMP_DRIVER).expect("a file");
    let table: [(&str, &[&str]); 3] = [
        ("0", &["rises"]),
        ("1", &["recorded_outputs[0", "quiet", "rises"]),
        // No truth: it does not count as the one that it is cut to.
        ("0.7", &["recorded_outputs[0", "quiet", "rises"]),
    ];
    for (alarm, expected) in table {
        let lines = on_rig(&rig, &[("ALARM", alarm)]);
        assert_eq!(named(&lines, "failed"), expected, "{alarm}\n{}", lines.join("\n"));
    }
}

/// The counterexample by itself: it fails while the defect is there, and passes without it.
#[test]
fn a_counterexample_is_the_failing_regression_test() {
    let folder = searched(LIFT);
    let result = "out/violation_motor.json";
    let rig = rig(folder.path(), result, &[]);
    assert_eq!(named(&on_rig(&rig, &[]), "failed"), ["motor"]);
    assert_eq!(named(&on_rig(&rig, &[("FIX", "1")]), "failed"), [""; 0]);
    chaincover(folder.path(), &["export", result, "--format", "c", "-q", "-o", "out/c"]);
    let play = || {
        let text = std::fs::read_to_string(folder.path().join("out/c/chain_replay.c")).expect("the program");
        let command = text.lines().find_map(|line| line.strip_prefix(" *   gcc")).expect("how to compile it");
        let command = format!("gcc -Wall -Wextra -Werror -Wno-unused-parameter{command}");
        let ended =
            Command::new("sh").current_dir(folder.path().join("out/c")).args(["-c", &command]).output();
        let ended = ended.expect("a shell");
        let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
        (ended.status.code(), String::from_utf8_lossy(&ended.stdout).into_owned() + &errors)
    };
    let (code, text) = play();
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("motor, step 2: expect Y.motor <= 2   saw Y.motor = 3   lift.c:14\nmotor: VIOLATED"),
        "{text}"
    );
    // The program sees internal state, too.
    assert!(text.contains("3 steps, 0 wrong outputs") && text.contains("inner: holds"), "{text}");
    let mended = LIFT.replace("Y.motor = 3;", "Y.motor = 1;");
    std::fs::write(folder.path().join("lift.c"), mended).expect("a file");
    let (code, text) = play();
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("motor: holds")
            && text.contains("lift.c:11: not judged: it stands in the code of the step"),
        "{text}"
    );
}
