//! BTOR2 models through the whole program.

use crate::support::{call, chaincover};
use serde_json::Value as Json;

/// A counter that `up` moves, and a register that keeps what it begins with.
const COUNTER: &str = "; a counter\n1 sort bitvec 1\n2 sort bitvec 4\n3 input 1 up\n4 zero 2\n5 state 2 count\n\
    6 init 2 5 4\n7 one 2\n8 add 2 5 7\n9 ite 2 3 8 5\n10 next 2 5 9\n11 state 2 key\n12 next 2 11 11\n\
    13 constd 2 5\n14 eq 1 5 13\n15 bad 14 five\n16 eq 1 5 11\n17 constd 2 3\n18 eq 1 5 17\n19 and 1 16 18\n\
    20 bad 19 key_of_three\n21 constd 2 12\n22 ult 1 21 5\n23 not 1 22\n24 constraint 23\n25 bad 22 beyond\n\
    26 output 9 next_count\n";

fn run(text: &str, arguments: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.btor2"), text).expect("a file");
    call(folder.path(), arguments)
}

#[test]
fn bad_lines_are_goals() {
    let (code, json, errors) = run(COUNTER, &["chain", "m.btor2", "-q", "--json", "-"]);
    assert_eq!(code, 20, "{json}\n{errors}");
    let end = json.rfind('}').expect("a JSON object");
    let file: Json = serde_json::from_str(&json[json.find('{').expect("a JSON object")..=end]).expect("JSON");
    let statuses: Vec<(&str, &str)> = (file["goals"].as_array().expect("goals").iter())
        .map(|goal| (goal["name"].as_str().expect("a name"), goal["status"].as_str().expect("a status")))
        .collect();
    let expected = [("five", "covered"), ("key_of_three", "covered"), ("beyond", "unreachable")];
    assert_eq!(statuses, expected);
    // `five` holds before the sixth step; `key_of_three` on the way, where the register began with 3.
    assert_eq!(
        (&file["summary"]["length"], &file["summary"]["minimal"]),
        (&Json::from(6), &Json::from("proven"))
    );
    assert_eq!(file["chains"][0]["replayed"], Json::from("evaluator"));
    assert_eq!(file["goals"][0]["origin"]["line"], Json::from(16));
}

#[test]
fn evidence_of_hardware_models_is_verified() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.btor2"), COUNTER).expect("a file");
    let made = chaincover(folder.path(), &["chain", "m.btor2", "-q", "-o", "out", "--proofs"]);
    assert_eq!(made.status.code(), Some(20), "{}", String::from_utf8_lossy(&made.stderr));
    let verified = chaincover(folder.path(), &["verify", "out"]);
    let text = String::from_utf8_lossy(&verified.stdout);
    // There is no compiled code to run chains on: the evaluator runs the model, which is all there is.
    assert_eq!(verified.status.code(), Some(0), "{text}");
    assert!(text.contains("by the evaluator; the model has no compiled code"), "{text}");
    assert!(!text.contains("ilp32"), "{text}");
    assert!(
        text.contains("beyond is unreachable (graph)") && text.contains("no chain of less than 6 steps"),
        "{text}"
    );
    assert!(!text.contains("REJECTED"), "{text}");
}

#[test]
fn what_is_wrong_is_told_with_file_and_line() {
    let table = [
        (COUNTER.replace("14 eq 1 5 13", "14 eq 1 5 1"), 3, "m.btor2:15", "no value above"),
        (COUNTER.replace("26 output 9", "26 justice 1 9"), 3, "m.btor2:27", "not supported"),
        (String::new(), 2, "", "no goal"),
    ];
    for (text, expected, place, message) in table {
        let (code, _, errors) = run(&text, &["chain", "m.btor2"]);
        assert_eq!(code, expected, "{errors}");
        assert!(errors.contains(place) && errors.contains(message), "{errors}");
    }
    let (code, _, errors) = run(COUNTER, &["chain", "m.btor2", "--step", "f"]);
    assert!(code == 2 && errors.contains("step and initialisation functions"), "{errors}");
}

/// Witnesses of a BTOR2 model: one file for each covered goal, which the format's rules and the model's evaluation accept.
#[test]
fn witnesses_are_written_for_covered_goals() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.btor2"), COUNTER).expect("a file");
    let made =
        chaincover(folder.path(), &["chain", "m.btor2", "-q", "-o", "out", "--format", "btor2-witness"]);
    assert_eq!(made.status.code(), Some(20), "{}", String::from_utf8_lossy(&made.stderr));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name));
    for (bad, steps, last) in [(0, 6, "count is five"), (1, 4, "count and key are three")] {
        let text = read(&format!("out/witness_b{bad}.wit")).expect("a witness");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..3], ["sat", &format!("b{bad}"), "#0"], "{text}");
        assert_eq!(lines.last(), Some(&"."), "{text}");
        // The register `key` is the state with number 1, `up` the input with number 0. The bad state comes before the last step.
        let key =
            lines.iter().find_map(|line| line.strip_prefix("1 ")).and_then(|rest| rest.split(' ').next());
        let ups: Vec<bool> =
            lines.iter().filter(|line| line.contains(" up@")).map(|line| line.starts_with("0 1 ")).collect();
        let count = ups[..ups.len() - 1].iter().filter(|&&up| up).count();
        assert!(ups.len() >= steps, "{last}: {text}");
        match bad {
            0 => assert_eq!(count, 5, "{text}"),
            _ => assert_eq!((count, key), (3, Some("0011")), "{text}"),
        }
    }
    assert!(read("out/witness_b2.wit").is_err(), "the third goal is unreachable");
    let exported =
        chaincover(folder.path(), &["export", "out/chain.json", "-o", "again", "--format", "btor2-witness"]);
    assert_eq!(exported.status.code(), Some(0), "{}", String::from_utf8_lossy(&exported.stderr));
    for name in ["witness_b0.wit", "witness_b1.wit"] {
        let [first, second] =
            ["out", "again"].map(|place| read(&format!("{place}/{name}")).expect("a witness"));
        assert_eq!(first, second);
    }
}

/// Models in other languages have no such witnesses, and a result whose model has changed has none, either.
#[test]
fn witnesses_are_refused_without_a_btor2_model() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let c = "int on; void step(int press) { if (press) on = !on; __CPROVER_cover(on); }";
    std::fs::write(folder.path().join("m.c"), c).expect("a file");
    std::fs::write(folder.path().join("m.btor2"), COUNTER).expect("a file");
    let wish = ["-q", "--no-replay", "--format", "btor2-witness", "-o"];
    let refused = chaincover(folder.path(), &[&["chain", "m.c"], &wish[..], &["c"]].concat());
    let told = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{told}");
    assert!(told.contains("cannot make btor2-witness: the model is not written in BTOR2"), "{told}");
    chaincover(folder.path(), &["chain", "m.btor2", "-q", "-o", "out"]);
    std::fs::write(folder.path().join("m.btor2"), format!("{COUNTER}; changed\n")).expect("a file");
    let gone =
        chaincover(folder.path(), &["export", "out/chain.json", "--format", "btor2-witness", "-o", "again"]);
    let told = String::from_utf8_lossy(&gone.stderr);
    assert_eq!(gone.status.code(), Some(2), "{told}");
    assert!(told.contains("cannot make btor2-witness: the model is not at hand"), "{told}");
}

/// Nothing is lost where the front end keeps no wording of goals and constraints.
#[test]
fn goals_and_constraints_are_explained() {
    let (code, text, errors) = run(COUNTER, &["explain", "five", "m.btor2"]);
    assert_eq!(code, 0, "{text}\n{errors}");
    assert!(text.contains("6 steps"), "{text}");
    let (code, text, errors) = run(COUNTER, &["explain", "beyond", "m.btor2"]);
    assert_eq!(code, 20, "{text}\n{errors}");
    assert!(text.contains("1 of 1 assumptions are needed"), "{text}");
}

/// `check --witness` writes what `witness` accepts; forgeries and what is no witness are refused
/// with their codes.
#[test]
fn witnesses_are_written_and_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write(
        "on.btor2",
        "1 sort bitvec 1\n2 input 1 go\n3 zero 1\n4 state 1 on\n5 init 1 4 3\n6 next 1 4 2\n7 bad 4 lit\n8 bad 3 never\n",
    );
    let call = |arguments: &[&str]| call(folder.path(), arguments);
    let (code, out, err) = call(&["check", "on.btor2", "--witness", "on.wit"]);
    assert!(code == 20 && out.contains("lit       covered at step 1"), "{out}{err}");
    let (code, out, _) = call(&["witness", "on.btor2", "on.wit"]);
    assert_eq!((code, out.as_str()), (0, "accepted: b0 (lit) holds in step 1\n"));
    let witness = std::fs::read_to_string(folder.path().join("on.wit")).expect("the witness");
    assert_eq!(call(&["check", "on.btor2", "--witness", "-", "-q"]).1, witness);
    write("forged.wit", &witness.replace("0 1 go@0", "0 0 go@0"));
    write("short.wit", "sat\nb0\n#0\n");
    write("unsat.wit", "unsat\nb0\n");
    write("c.c", "int on; void step(int go) { on = go; __CPROVER_cover(on); }");
    let cases = [
        (
            &["witness", "on.btor2", "forged.wit"][..],
            10,
            "error: forged.wit: witness from line 1 on: b0 (lit) holds in none of its 2 steps\n",
        ),
        (
            &["witness", "on.btor2", "short.wit"],
            3,
            "error: short.wit: line 1: the witness that begins here does not end with `.`\n",
        ),
        (
            &["witness", "on.btor2", "unsat.wit"],
            2,
            "error: unsat.wit: it claims that a `bad` line cannot be reached, and has no execution that could be checked\n",
        ),
        (
            &["witness", "c.c", "on.wit"],
            3,
            "error: c.c: the model cannot be played: line 1: a line begins with its number, not `int`\n",
        ),
        (
            &["witness", "on.btor2", "absent"],
            2,
            "error: cannot read absent: No such file or directory (os error 2)\n",
        ),
        (&["check", "c.c", "--witness", "c.wit"], 2, "error: the model is not written in BTOR2\n"),
    ];
    for (arguments, code, expected) in cases {
        let found = call(arguments);
        assert!(found.0 == code && found.2.starts_with(expected), "{arguments:?}: {found:?}");
    }
    assert!(!folder.path().join("c.wit").exists());
}
