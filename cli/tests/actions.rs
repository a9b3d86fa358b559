//! Action systems through the whole program.

use crate::support::call;
use serde_json::Value as Json;

/// Pressing thrice makes it shine, once.
const LAMP: &str =
    "system lamp\nvar n : 0..3 := 0\nctr Press when n < 3 is n := n + 1\nobs Shine when n = 3 is n := 0\n";

fn lamp() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("lamp.as"), LAMP).expect("a file");
    folder
}

fn json(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn chains_cover_branches_actions_or_states() {
    let folder = lamp();
    for (goals, covered, length) in [("branches", 2, 4), ("actions", 2, 4), ("states", 3, 3)] {
        let arguments = ["chain", "lamp.as", "--goals", goals, "-q", "--json", "-"];
        let (code, text, errors) = call(folder.path(), &arguments);
        assert_eq!(code, 0, "{errors}");
        let file = json(&text);
        assert_eq!(file["goals"].as_array().map(Vec::len), Some(covered), "{goals}");
        assert_eq!(
            (&file["summary"]["length"], &file["chains"][0]["replayed"]),
            (&length.into(), &true.into())
        );
    }
    let (code, _, errors) = call(folder.path(), &["chain", "lamp.as", "--goals", "loops"]);
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("actions, branches, states"), "{errors}");
}

#[test]
fn the_notation_of_the_paper_becomes_a_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("car.pl");
    std::fs::write(&path, include_str!("../../examples/car_alarm.pl")).expect("a file");
    let inputs = "Lock,Unlock,Close,Open";
    let import = |more: &[&str]| call(folder.path(), &[&["import", "car.pl"], more].concat());
    let (code, text, errors) = import(&["--input", inputs, "-o", "car.as"]);
    assert_eq!(
        (code, text.as_str(), errors.as_str()),
        (0, "car.as: 11 actions; next: chaincover chain car.as\n", "")
    );
    let (code, text, _) = call(folder.path(), &["chain", "car.as", "-q"]);
    assert!(code == 0 && text.contains("29 of 29 goals covered"), "{text}");
    assert_eq!(import(&["-o", "car.as"]).0, 2);
    let (code, text, errors) = import(&[]);
    assert!(code == 0 && text.contains("system car\n") && text.contains("obs Lock"), "{text}");
    assert!(errors.starts_with("note: all actions are the system's"), "{errors}");
    assert_eq!(import(&["--input", "Look"]).0, 3);
    assert_eq!(import(&["--output", "Lock"]).0, 2);
    std::fs::write(&path, "type(int, X) :- X in 0..").expect("a file");
    let (code, _, errors) = import(&[]);
    assert!(
        code == 3 && errors.contains("car.pl:1:25: a number is expected, not the end of the file"),
        "{errors}"
    );
}

#[test]
fn the_summary_says_who_replayed() {
    let folder = lamp();
    let (_, text, _) = call(folder.path(), &["chain", "lamp.as", "-q"]);
    assert!(text.contains("replayed by the interpreter"), "{text}");
}

#[test]
fn mutants_are_decided_written_and_scored() {
    let folder = lamp();
    let (code, text, errors) = call(folder.path(), &["mutate", "lamp.as", "-o", "out"]);
    assert_eq!(code, 0, "{errors}");
    assert!(text.starts_with("lamp: 8 mutants: 2 guard, 1 =, 4 constant, 1 initial\n"), "{text}");
    let read = |name: &str| {
        std::fs::read_to_string(folder.path().join("out").join(name)).expect("a file of the result")
    };
    let file = json(&read("mutate.json"));
    assert_eq!(file["schema"], "chaincover/mutate/1");
    let verdicts = ["killed", "conforms", "equivalent", "initial", "unviable", "undecided"];
    for mutant in file["mutants"].as_array().expect("mutants") {
        assert!(verdicts.contains(&mutant["verdict"].as_str().expect("a verdict")), "{mutant}");
        for key in ["id", "operator", "file", "line", "column", "old", "new", "surely", "chain", "step", "by"]
        {
            assert!(mutant.get(key).is_some(), "{key}: {mutant}");
        }
    }
    let steps: u64 = file["chains"]
        .as_array()
        .expect("chains")
        .iter()
        .map(|chain| chain["steps"].as_array().map_or(0, Vec::len) as u64)
        .sum();
    assert_eq!(file["length"], steps);
    assert!(read("report.html").contains("Survivors"));
    assert!(read("chain-0.aut").starts_with("des (0, "));
    assert!(read("chain-0.dot").starts_with("digraph"));

    let (code, scored, errors) =
        call(folder.path(), &["mutate", "lamp.as", "--score", "out/mutate.json", "--json", "-"]);
    assert_eq!(code, 0, "{errors}");
    let killed = |file: &Json| {
        let mutants = file["mutants"].as_array().expect("mutants");
        mutants.iter().filter(|mutant| mutant["verdict"] == "killed").count()
    };
    assert_eq!(killed(&json(&scored)), killed(&file));
}

#[test]
fn versions_are_told_apart_or_proven_equal() {
    let folder = lamp();
    let version = |text: String| std::fs::write(folder.path().join("other.as"), text).expect("a file");
    let against = || {
        let (code, text, errors) =
            call(folder.path(), &["mutate", "lamp.as", "--against", "other.as", "--json", "-"]);
        let file = json(&text);
        let verdict = file["mutants"][0]["verdict"].as_str().expect("a verdict").to_owned();
        assert_eq!(code, if verdict == "unviable" { 5 } else { 0 }, "{errors}");
        (verdict, file["length"].clone())
    };
    version(LAMP.replace("n = 3", "n >= 3"));
    assert_eq!(against(), ("equivalent".to_owned(), 0.into()));
    // It does not shine after three presses, which watching then shows.
    version(LAMP.replace("obs Shine when n = 3", "obs Shine when n = 4"));
    assert_eq!(against(), ("killed".to_owned(), 4.into()));
    version(LAMP.replace("Shine", "Glow"));
    assert_eq!(against().0, "unviable");
    let (code, text, _) = call(folder.path(), &["mutate", "lamp.as", "--against", "other.as"]);
    assert!(code == 5 && text.contains("v1: "), "{code} {text}");
    let (code, _, errors) = call(folder.path(), &["mutate", "lamp.as", "--against", "none.as"]);
    assert!(code == 2 && errors.contains("there is no file none.as"), "{code} {errors}");
}

#[test]
fn parts_of_the_mutants() {
    let folder = lamp();
    let lines = |arguments: &[&str]| {
        let (code, text, errors) =
            call(folder.path(), &[&["mutate", "lamp.as", "--list"], arguments].concat());
        assert_eq!(code, 0, "{errors}");
        text.lines().count()
    };
    assert_eq!(lines(&[]), 8);
    assert_eq!(lines(&["--sample", "3"]), 3);
    assert_eq!(lines(&["--operators", "guard,="]), 3);
    std::fs::write(folder.path().join("d"), "--- a/lamp.as\n+++ b/lamp.as\n@@ -4 +4 @@\n-x\n+y\n")
        .expect("a file");
    assert_eq!(lines(&["--in-diff", "d"]), 4);
    for arguments in
        [&["mutate", "lamp.c"][..], &["mutate", "lamp.as", "--operators", "x"], &["mutate", "none.as"]]
    {
        let (code, _, errors) = call(folder.path(), arguments);
        assert!([2, 3].contains(&code), "{arguments:?}: {code} {errors}");
        assert!(!errors.is_empty() && !errors.contains("internal error"), "{errors}");
    }
}

#[test]
fn errors_show_the_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("s.as"), "system s\nvar x : 0..1 := 0\nctr A when y = 1 is x := 1\n")
        .expect("a file");
    for command in ["check", "chain", "mutate"] {
        let (code, _, errors) = call(folder.path(), &[command, "s.as"]);
        assert_eq!(code, 3, "{errors}");
        assert!(
            errors.contains("s.as:3:12") && errors.contains("there is no variable or constant `y`"),
            "{errors}"
        );
    }
}

/// A system of the shell that takes all inputs and answers each watch alike.
fn answers(watch: &str) -> String {
    format!(
        "while read line; do case \"$line\" in *watch*) echo '{watch}';; *) echo '{{\"ok\":true}}';; esac; done"
    )
}

#[test]
fn tests_are_made_and_run() {
    let folder = lamp();
    let at = folder.path();
    let (code, text, errors) = call(at, &["testcase", "lamp.as", "-o", "tests"]);
    assert_eq!(code, 0, "{errors}");
    assert!(text.contains("test 0: ") && text.contains("certain"), "{text}");
    for ending in ["json", "aut", "dot"] {
        assert!(at.join(format!("tests/test-0.{ending}")).exists(), "{ending}");
    }
    let quiet = answers("{\"quiet\":true}");
    let shines = answers("{\"out\":\"Shine\",\"args\":[]}");
    let unknown = answers("{\"out\":\"Ring\",\"args\":[]}");
    let ill_formed = answers("{\"ok\":true}");
    let table: [(&[&str], i32, &str); 7] = [
        (&["lamp.as"], 0, "pass"),
        (&["lamp.as", "--mutant", "m1"], 10, "fail"),
        (&[&quiet], 10, "allowed is Shine"),
        (&[&shines], 10, "allowed is quiet"),
        (&[&unknown], 10, "Ring came"),
        (&[&ill_formed], 13, "is the answer to `watch`"),
        (&["exit 3"], 13, "the system ended"),
    ];
    for (sut, expected, told) in table {
        let (code, text, errors) = call(at, &[&["run", "tests/test-0.json", "--sut"], sut].concat());
        assert_eq!(code, expected, "{sut:?}: {text}{errors}");
        assert!(text.contains(told), "{sut:?}: {text}");
    }
    let (code, text, _) = call(at, &["run", "tests/test-0.json", "--sut", "lamp.as", "--json", "-"]);
    let report = json(&text);
    assert_eq!((code, report["verdict"].as_str()), (0, Some("pass")));
    assert!(report["log"].as_array().is_some_and(|log| log.len() > 3), "{text}");
}

/// Files for other tools list all values that are allowed, not one that stands for them.
#[test]
fn exported_tests_allow_all_values_of_parameters() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "system p  var n : 0..3 := 0  ctr Go(k : 0..9) when n = 0 and k = 4 is n := 1
        obs Out(v : 0..9) when n = 1 and v >= 3 and v < 8 is n := 2  obs End when n = 2 is n := 3";
    std::fs::write(folder.path().join("p.as"), text).expect("a file");
    let (code, _, errors) = call(folder.path(), &["testcase", "p.as", "-o", "out"]);
    assert_eq!(code, 0, "{errors}");
    let aut = std::fs::read_to_string(folder.path().join("out/test-0.aut")).expect("a test");
    let listed: Vec<bool> = (0..10).map(|value| aut.contains(&format!("!Out({value})"))).collect();
    assert_eq!(listed, [false, false, false, true, true, true, true, true, false, false], "{aut}");
}

/// A specification that may refuse a stimulus does not fail its own test.
#[test]
fn what_may_be_refused_is_no_failure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "system g  var x : 0..1 := 0  var z : 0..1 := 0  ctr D is x :in 0..1
        ctr A when x = 1 is z := 1  obs C when z = 1 is z := 0";
    std::fs::write(folder.path().join("g.as"), text).expect("a file");
    let (code, text, errors) = call(folder.path(), &["testcase", "g.as", "-o", "out"]);
    assert!(code == 0 && !text.contains("certain:"), "{text} {errors}");
    let aut = std::fs::read_to_string(folder.path().join("out/test-0.aut")).expect("a test");
    assert!(aut.contains("?A (refused)") && aut.contains("INCONCLUSIVE"), "{aut}");
    let (mut refused, mut passed) = (0, 0);
    for seed in 1..12 {
        let seed = seed.to_string();
        let (code, text, _) =
            call(folder.path(), &["run", "out/test-0.json", "--sut", "g.as", "--seed", &seed, "--json", "-"]);
        assert!([0, 12].contains(&code), "{seed}: {code} {text}");
        passed += usize::from(code == 0);
        refused += usize::from(text.contains("refused"));
    }
    assert!(passed > 0 && refused > 0, "{passed} {refused}");
}

/// What may be refused does not tell a system from itself.
#[test]
fn a_system_that_chooses_what_to_take_is_equivalent_to_itself() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "system g  var x : 0..1 := 0  ctr Set is x := 0 [] x := 1
        ctr Go when x = 0 is skip  obs Out when x = 1 is skip";
    for name in ["g.as", "same.as"] {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let all = ["output", "step", "state"];
    for level in all {
        let arguments = ["mutate", "g.as", "--against", "same.as", "--kill", level, "--json", "-"];
        let (code, out, errors) = call(folder.path(), &arguments);
        assert_eq!((code, json(&out)["mutants"][0]["verdict"].as_str()), (0, Some("equivalent")), "{errors}");
    }
}

#[test]
fn what_is_no_test_is_refused() {
    let folder = lamp();
    let at = folder.path();
    call(at, &["testcase", "lamp.as", "-o", "tests", "--tests", "chain"]);
    call(at, &["mutate", "lamp.as", "--kill", "step", "--json", "step.json"]);
    let good = std::fs::read_to_string(at.join("tests/chain-0.json")).expect("a test");
    let table = [
        ("a.json", good.replace("\"next\": 1\n", "\"next\": 0\n"), "which is not behind it"),
        ("b.json", good.replace("\"Press\"", "\"Push\""), "`Push` with these parameters is no stimulus"),
        ("c.json", good.replace("lamp.as", "gone.as"), "the specification `gone.as` is not there"),
        ("d.json", good.replace("\"nodes\"", "\"knots\""), "missing field"),
    ];
    for (name, text, told) in table {
        assert_ne!(text, good, "{name}");
        std::fs::write(at.join(name), text).expect("a file");
        let (code, _, errors) = call(at, &["run", name, "--sut", "lamp.as"]);
        assert_eq!(code, 2, "{name}: {errors}");
        assert!(errors.contains(told), "{name}: {errors}");
    }
    let table: [(&[&str], &str); 8] = [
        (&["mutate", "lamp.as", "--kill", "state", "--within", "1", "--timeout", "20"], "--kill output"),
        (&["mutate", "lamp.as", "--within", "-1", "--timeout", "20"], "-1 is not in 0.."),
        (&["mutate", "lamp.as", "--within", "soon", "--timeout", "20"], "invalid digit"),
        (&["run", "step.json", "--sut", "lamp.as"], "chains that kill by `step` are no tests"),
        (&["run", "tests/chain-0.json", "--sut", "lamp.as", "--mutant", "m99"], "names m1 to m8"),
        (&["run", "tests/chain-0.json", "--sut", "true", "--mutant", "m1"], "--mutant names a mutant"),
        (&["testcase", "lamp.as", "--purpose", "p"], "for timed systems"),
        (&["mutate", "lamp.as", "--kill", "state", "--tests", "adaptive"], "--kill output"),
    ];
    for (arguments, told) in table {
        let (code, _, errors) = call(at, arguments);
        assert_eq!(code, 2, "{arguments:?}: {errors}");
        assert!(errors.contains(told), "{arguments:?}: {errors}");
    }
}

#[test]
fn patches_of_c_are_mutants() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::create_dir(at.join("p")).expect("a folder");
    std::fs::write(at.join("m.h"), "#define NEXT(x) ((x) + 1)\n").expect("a file");
    std::fs::write(
        at.join("m.c"),
        "#include \"m.h\"\nint n;\nvoid step(_Bool up) { if (up) n = NEXT(n); }\n",
    )
    .expect("a file");
    let header =
        "--- a/m.h\n+++ b/m.h\n@@ -1 +1 @@\n-#define NEXT(x) ((x) + 1)\n+#define NEXT(x) ((x) + 2)\n";
    std::fs::write(at.join("p/two.patch"), header).expect("a file");
    let (code, text, errors) = call(at, &["mutate", "m.c", "--mutants", "p"]);
    assert_eq!(code, 0, "{errors}");
    assert!(text.starts_with("m: 1 mutant: 1 patch\n    1 killed "), "{text}");
    std::fs::write(at.join("p/old.diff"), header.replace("+ 1)\n+", "+ 0)\n+")).expect("a file");
    let (code, text, errors) = call(at, &["mutate", "m.c", "--mutants", "p"]);
    assert_eq!(code, 5, "{errors}");
    assert!(
        text.contains("old.diff unviable") && text.contains("the patch does not apply: m.h: line 1 is"),
        "{text}"
    );
    let (code, _, errors) = call(at, &["mutate", "m.c", "--mutants", "p", "--order", "2"]);
    assert_eq!(code, 2, "{errors}");
}

/// How soon a difference has to be seen stands in the result, the summary and the reasons.
#[test]
fn differences_have_to_be_seen_soon() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    std::fs::write(at.join("m.c"), "static int a; int y;\nvoid step(_Bool up) { y = a; a = up; }\n")
        .expect("a file");
    let system = "system m\nvar a : 0..3 := 0\nctr Put is a := 1\nobs Show when a = 1 is a := 0\n";
    std::fs::write(at.join("m.as"), system).expect("a file");
    let operators = [("m.c", "statement", 1), ("m.as", "removed", 2)];
    for (model, operators, late) in operators {
        for (within, seen) in [("0", 2 - late), ("1", 2)] {
            let call = |more: &[&str]| {
                let own = ["mutate", model, "--operators", operators, "--within", within, "--timeout", "20"];
                call(at, &[&own, more].concat())
            };
            let (code, text, errors) = call(&["--json", "m.json"]);
            assert_eq!(code, 0, "{text} {errors}");
            let file = json(&std::fs::read_to_string(at.join("m.json")).expect("a result"));
            assert_eq!(file["within"].to_string(), within);
            let (_, text, _) = call(&[]);
            let steps = if within == "1" { "1 step" } else { "0 steps" };
            assert!(text.contains(&format!("    {seen} killed ")), "{model} {text}");
            assert!(
                text.contains(&format!("at most {steps} after the first difference\n")),
                "{model} {text}"
            );
            let told = format!("no test can tell at most {steps} after the first difference");
            assert_eq!(text.contains(&told), seen < 2, "{model} {text}");
            let (code, text, errors) = call(&["--score", "m.json"]);
            assert_eq!(code == 0, seen == 2 || model == "m.as", "{text} {errors}");
            assert!(text.contains(&format!("    {seen} killed ")), "{model} {text}");
        }
    }
    let refusals: [(&[&str], &str); 2] = [
        (
            &["mutate", "m.c", "--kill", "step", "--within", "1", "--timeout", "20"],
            "with --kill output, not with --kill step",
        ),
        (&["mutate", "m.c", "--within", "-1", "--timeout", "20"], "-1 is not in 0.."),
    ];
    for (arguments, told) in refusals {
        let (code, _, errors) = call(at, arguments);
        assert!(code == 2 && errors.contains(told), "{arguments:?}: {code} {errors}");
    }
}
