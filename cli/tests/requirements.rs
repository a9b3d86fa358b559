//! Requirement interfaces as a user meets them: the walk through the buffer of the documents.

use crate::support::chaincover;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

fn buffer() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/buffer.ri")
}

/// Exit code and standard output.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = chaincover(folder, arguments);
    let code = output.status.code().expect("an exit code");
    (code, String::from_utf8(output.stdout).expect("UTF-8"))
}

/// A folder with the buffer, one with three places, and one that contradicts itself.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = std::fs::read_to_string(buffer()).expect("the example");
    for (name, text) in [
        ("buffer.ri", text.clone()),
        ("three.ri", text.replace("const N = 2", "const N = 3")),
        ("bad.ri", text.replace(" and k > 0", "")),
    ] {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

#[test]
fn the_buffer_is_consistent_and_a_wrong_one_is_not() {
    let folder = folder();
    let (code, text) = run(folder.path(), &["check", "buffer.ri"]);
    let expected = "buffer: 2 views, 8 requirements (3 initial and 7 update contracts)
consistent: for all inputs, at every depth        (strategy proven)
void: none     implied by others: none\n";
    assert_eq!((code, text.as_str()), (0, expected));
    let (code, text) = run(folder.path(), &["check", "bad.ri"]);
    let expected = "buffer: 2 views, 8 requirements (3 initial and 7 update contracts)
inconsistent from step 1: {r0, r2}
  inputs: any, then deq alone
  r2 asks for k' = -1, outside 0..2
at any depth: {r2}
consistent without: {r2}\n";
    assert_eq!((code, text.as_str()), (11, expected));
    let (code, text) = run(folder.path(), &["check", "bad.ri", "--json", "-"]);
    let json: Json = serde_json::from_str(&text).expect("JSON");
    assert_eq!((code, json["depth"].as_u64(), json["consistent"].as_bool()), (11, Some(1), Some(false)));
    assert_eq!(json["conflicts"], serde_json::json!([["r0", "r2"]]));
    assert_eq!(json["conflicts_any_depth"], serde_json::json!([["r2"]]));
    assert_eq!(run(folder.path(), &["chain", "bad.ri"]).0, 11);
}

#[test]
fn one_chain_for_all_goals_and_its_verdicts() {
    let folder = folder();
    let (code, text) = run(folder.path(), &["chain", "buffer.ri", "-o", "out"]);
    let expected = "12 of 12 goals, one chain of 7 observations (steps 0-6), proven minimal, certain (no allowed output prevents a goal)
  step enq deq | allowed outputs   goals
     0   0   0 | E & !F & pc = 0   r0, ra
     1   0   1 | E & !F & pc <= 2  r3, r4, rb, r5, underflow
     2   1   0 | !E & !F & pc <= 2 r1
     3   0   1 | E & !F & pc <= 2  r2, drained
     4   1   0 | !E & !F & pc <= 2
     5   1   0 | !E & F & pc <= 2  full
     6   1   0 | !E & F & pc <= 2  overflow\n";
    let names = |text: &str| text.replace("r3, r4, r5, rb", "r3, r4, rb, r5");
    assert_eq!((code, names(&text).as_str()), (0, expected));
    let (code, text) = run(folder.path(), &["run", "out/chain.json", "--sut", "three.ri"]);
    let begin = "fail at step 5: no allowed behaviour has these outputs\n  smallest explanations: {r4} (k = 2), {r1} (k = 1)\n";
    assert_eq!(code, 10);
    assert!(text.starts_with(begin), "{text}");
    assert_eq!(
        run(folder.path(), &["run", "out/chain.json", "--sut", "buffer.ri"]),
        (0, "pass\n".to_owned())
    );
    let (code, text) = run(folder.path(), &["run", "out/chain.json", "--sut", "exit 7"]);
    assert_eq!(code, 13);
    assert!(text.contains("the system ended (exit status: 7)"), "{text}");
}

/// `r5` applies for three reasons, `rb` for two; all others for one.
#[test]
fn branches_are_goals() {
    let folder = folder();
    let (code, text) = run(folder.path(), &["chain", "buffer.ri", "--goals", "branches", "-o", "out"]);
    assert_eq!(code, 0);
    assert!(
        text.starts_with("11 of 11 goals, one chain of 6 observations (steps 0-5), proven minimal"),
        "{text}"
    );
    assert!(text.contains("r5#1, r5#2\n") && text.contains("r5#3, rb#2\n"), "{text}");
    let written = std::fs::read_to_string(folder.path().join("out/chain.json")).expect("a file");
    let json: Json = serde_json::from_str(&written).expect("JSON");
    let goals = json["goals"].as_array().expect("goals");
    let found = goals.iter().find(|goal| goal["name"] == "r5#2").expect("a branch");
    assert_eq!(found["requirement"], "r5");
    assert_eq!(found["text"], "All else has no effect. [enq' and F]");
    assert_eq!(
        run(folder.path(), &["run", "out/chain.json", "--sut", "buffer.ri"]),
        (0, "pass\n".to_owned())
    );
    assert_eq!(run(folder.path(), &["chain", "buffer.ri", "--goals", "branch"]).0, 2);
    let (_, text) = run(folder.path(), &["chain", "buffer.ri", "--goals", "branches", "--view", "power"]);
    assert!(text.starts_with("3 of 3 goals"), "{text}");
}

const DOCUMENT: &str = include_str!("../../docs/requirement-interfaces.md");

/// What follows a line of the document up to the end of its block.
fn block(first: &str) -> &'static str {
    let (_, rest) =
        DOCUMENT.split_once(&format!("\n{first}\n")).unwrap_or_else(|| panic!("no line `{first}`"));
    rest.split_once("```").map_or(rest, |(block, _)| block)
}

/// The chain of the document; what `check` says of requirements that never decide is proven here,
/// too, and other answers that are recorded are checked.
#[test]
fn deciding_steps_are_goals() {
    let folder = folder();
    let arguments = ["chain", "buffer.ri", "--goals", "deciding", "--timeout", "60", "-o", "out", "--proofs"];
    let expected = block("$ chaincover chain examples/buffer.ri --goals deciding");
    let (code, text) = run(folder.path(), &arguments);
    assert!(code == 0 && text.starts_with(expected), "{code} {text}");
    assert_eq!(run(folder.path(), &["verify", "out"]).0, 0);
    assert_eq!(
        run(folder.path(), &["run", "out/chain.json", "--sut", "buffer.ri", "--timeout", "60"]),
        (0, "pass\n".to_owned())
    );
    let path = folder.path().join("out/chain.json");
    let written = std::fs::read_to_string(&path).expect("a file");
    let mut json: Json = serde_json::from_str(&written).expect("JSON");
    let goals = json["goals"].as_array().expect("goals");
    let found = goals.iter().find(|goal| goal["name"] == "r1#deciding").expect("a goal");
    assert_eq!(found["requirement"], "r1");
    assert_eq!(found["text"], "enq enqueues when not full. [other answers would break this alone]");
    // r1 asks for k' = 1 there.
    let other = &mut json["chains"][0]["steps"][2]["choices"]["k (r1#deciding)"];
    assert_ne!(*other, 1, "another answer breaks r1");
    *other = 1.into();
    std::fs::write(&path, json.to_string()).expect("a file");
    let (code, text) = run(folder.path(), &["replay", "out/chain.json"]);
    assert!(code == 5 && text.contains("r1#deciding is no longer covered\n"), "{code} {text}");
    let (code, text) = run(folder.path(), &["verify", "out"]);
    assert!(code == 4 && text.contains("chain 1: step 2 does not cover what is recorded\n"), "{code} {text}");
}

#[test]
fn requirements_that_never_decide_are_unreachable_goals() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "interface never  input a : bool  output x, y : 0..3
        req r0 initially guarantee x' = 0 and y' = 0
        req r1 guarantee x' <= x + 1
        req r2 guarantee y' = x'
        req r3 assume a' guarantee x' <= y + 1
        req r4 assume x = 3 and y = 0 guarantee x' = 1
        req r5 assume x != y guarantee x' != y'";
    std::fs::write(folder.path().join("never.ri"), text).expect("a file");
    let (_, text) = run(folder.path(), &["check", "never.ri", "--json", "-", "--timeout", "60"]);
    let json: Json = serde_json::from_str(&text).expect("JSON");
    let none: Vec<&Json> = ["void", "implied", "never_deciding"]
        .iter()
        .flat_map(|key| json[*key].as_array().into_iter().flatten())
        .collect();
    let arguments = ["chain", "never.ri", "--goals", "deciding", "--timeout", "60"];
    let (code, text) = run(folder.path(), &arguments);
    let unreachable: Vec<&str> =
        text.lines().filter_map(|line| line.strip_suffix("#deciding: unreachable")).collect();
    assert!(code == 20 && text.starts_with("3 of 6 goals"), "{code} {text}");
    assert_eq!(unreachable, ["r3", "r4", "r5"], "{text}");
    assert!(none.len() == 3 && none.iter().all(|name| unreachable.iter().any(|one| *name == one)), "{json}");
    let explain = ["explain", "r3#deciding", "never.ri", "--timeout", "60"];
    let (code, text) = run(folder.path(), &explain);
    assert!(code == 20 && text.starts_with("r3#deciding: unreachable"), "{code} {text}");
}

/// What is lost after very many steps is a conflict with evidence, and what applies after very many
/// is not void.
#[test]
fn very_many_steps_are_no_obstacle() {
    let folder = folder();
    let many = ["-D", "N=1000000", "--timeout", "60"];
    let (code, text) =
        run(folder.path(), &[&["check", "bad.ri", "--json", "-", "--proofs", "deep"], &many[..]].concat());
    let json: Json = serde_json::from_str(&text).expect("JSON");
    assert_eq!((code, &json["conflicts_any_depth"]), (11, &json!([["r2"]])), "{json}");
    assert_eq!(run(folder.path(), &["verify", "deep"]).0, 0);
    let text = "interface far  input up : bool  output k : 0..1000000  output lamp : bool
        req a initially guarantee k' = 0
        req b assume up' and k < 1000000 guarantee k' = k + 1
        req c assume not up' guarantee k' = 0
        req d assume k = 1000 guarantee lamp' or k' = 1001
        req e assume k < 0 guarantee lamp'";
    std::fs::write(folder.path().join("far.ri"), text).expect("a file");
    let (_, text) = run(folder.path(), &["check", "far.ri", "--json", "-", "--timeout", "60"]);
    let json: Json = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&json["void"], &json["unknown_void"]), (&json!(["e"]), &json!([])), "{json}");
}

/// The lamp of the document: as a table, as an automaton, as JSON.
#[test]
fn outputs_that_depend_on_earlier_ones_are_an_automaton() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!("interface lamp\n{}", block("interface lamp"));
    std::fs::write(folder.path().join("lamp.ri"), text).expect("a file");
    std::fs::write(folder.path().join("inputs.csv"), "off\n1\n0\n1\n0\n").expect("a file");
    let arguments = ["chain", "lamp.ri", "--inputs", "inputs.csv", "--timeout", "60"];
    let expected = block("$ chaincover chain lamp.ri --inputs inputs.csv");
    assert_eq!(run(folder.path(), &arguments), (0, expected.to_owned()));
    let (code, text) = run(folder.path(), &[&arguments[..], &["--json", "-"]].concat());
    let json: Json = serde_json::from_str(&text).expect("nothing but JSON");
    assert_eq!(
        (code, &json["product"], &json["steps"][1]["allowed"]),
        (0, &false.into(), &"light >= 1".into())
    );
    let edges = json!([
        { "allowed": "light = 1", "outputs": [{ "light": 1 }], "next": 2 },
        { "allowed": "light = 2", "outputs": [{ "light": 2 }], "next": 3 },
    ]);
    assert_eq!(json["states"][1], json!({ "step": 1, "edges": edges }));
    assert_eq!(json["states"][6], json!({ "step": 4 }));
    // With the first colour known each step says all.
    std::fs::write(folder.path().join("inputs.csv"), "off\n1\n0\n").expect("a file");
    let (_, text) = run(folder.path(), &arguments);
    assert!(!text.contains("depends on"), "{text}");
}

/// The evaluator executes a model in C, step by step.
#[test]
fn models_in_c_are_systems_under_test() {
    let folder = folder();
    let code = include_str!("../../examples/buffer.c");
    let write = |name: &str, old: &str, new: &str| {
        assert!(code.contains(old), "{old}");
        std::fs::write(folder.path().join(name), code.replace(old, new)).expect("a file");
    };
    write("right.c", "", "");
    write("words.c", "_Bool E, F;", "double E; int F;");
    write("two.c", "out.E = held == 0;", "out.E2 = 2 * (held == 0);");
    write("other.c", "out.E = ", "out.G = ");
    write("divides.c", "out.E =", "out.pc = 1 / (2 - held); out.E =");
    write("ends.c", "out.E =", "if (held == 2) __builtin_abort(); out.E =");
    let declared = |name: &str, new: &str| {
        let path = folder.path().join(name);
        let text = std::fs::read_to_string(&path).expect("a file");
        std::fs::write(path, text.replace("_Bool E, F;", new)).expect("a file");
    };
    declared("two.c", "_Bool F; unsigned char E2;");
    declared("other.c", "_Bool G, F;");
    assert_eq!(run(folder.path(), &["chain", "buffer.ri", "-o", "out"]).0, 0);
    let table: &[(&[&str], i32, &str)] = &[
        (&["right.c"], 0, "pass\n"),
        (&["words.c"], 0, "pass\n"),
        (&["right.c", "-D", "PLACES=3"], 10, "fail at step 5: no allowed behaviour has these outputs\n"),
        (&["right.c", "--map", "E=out.F"], 10, "fail at step 0: no allowed behaviour has these outputs\n"),
        (
            &["two.c", "--map", "E=E2"],
            13,
            "error at step 0: the system answered ill-formed: \"2\" is no value of `E`",
        ),
        (&["other.c", "--map", "E=G"], 0, "pass\n"),
        (
            &["divides.c"],
            13,
            "error at step 5: the system says that it cannot go on: division by zero at divides.c:",
        ),
        (
            &["ends.c"],
            13,
            "error at step 5: the system says that it cannot go on: an assumption of the model does not hold (ends.c:",
        ),
        (&["other.c"], 2, ""),
        (&["right.c", "--map", "E=nothing"], 2, ""),
        (&["right.c", "--map", "nothing=E"], 2, ""),
        (&["right.c", "--mutant", "r1.1"], 2, ""),
        (&["buffer.ri", "--map", "E=F"], 2, ""),
        (&["."], 2, ""),
    ];
    for (arguments, expected, begin) in table {
        let (code, text) = run(folder.path(), &[&["run", "out/chain.json", "--sut"], *arguments].concat());
        assert!(code == *expected && text.starts_with(begin), "{arguments:?} {code} {text}");
    }
}

#[test]
fn given_inputs_show_what_is_allowed() {
    let folder = folder();
    std::fs::write(folder.path().join("paper.csv"), "enq,deq\n1,1\n1,0\n1,0\n").expect("a file");
    let arguments = ["chain", "buffer.ri", "--view", "behaviour", "--goals", "full", "--inputs", "paper.csv"];
    let (code, text) = run(folder.path(), &arguments);
    let expected = "  step enq deq | allowed outputs   goals
     0   1   1 | E & !F & pc <= 2
     1   1   0 | !E & !F & pc <= 2
     2   1   0 | !E & F & pc <= 2  full\n";
    assert_eq!((code, text.as_str()), (0, expected));
    let (_, text) = run(folder.path(), &["chain", "buffer.ri", "-D", "N=5"]);
    assert!(
        text.starts_with("12 of 12 goals, one chain of 10 observations (steps 0-9), proven minimal, certain"),
        "{text}"
    );
}

#[test]
fn a_goal_alone_is_explained_under_all_contracts() {
    let folder = folder();
    let (code, text) = run(folder.path(), &["explain", "full", "buffer.ri"]);
    assert_eq!(code, 0);
    assert!(text.starts_with("full: covered, by a chain of 3 steps"), "{text}");
}

#[test]
fn logs_are_judged() {
    let folder = folder();
    let log = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    log("good.csv", "enq,deq,E,F,pc\n1,1,1,0,2\n1,0,0,0,1\n1,0,0,1,0\n");
    log("bad.csv", "enq,deq,E,F,pc\n1,1,1,0,2\n1,0,0,0,1\n1,0,0,0,0\n");
    log("odd.csv", "enq,E\n1,1\n");
    assert_eq!(run(folder.path(), &["monitor", "buffer.ri", "good.csv"]), (0, "pass\n".to_owned()));
    let (_, verdict) = run(folder.path(), &["monitor", "-q", "buffer.ri", "bad.csv"]);
    assert_eq!(verdict.lines().count(), 1, "{verdict}");
    let missed = ["monitor", "buffer.ri", "good.csv", "--goals", "drained"];
    assert_eq!(run(folder.path(), &missed).0, 12);
    let (code, text) = run(folder.path(), &[&missed[..], &["--verdicts", "paper"]].concat());
    assert_eq!((code, text.as_str()), (0, "pass: all was allowed, but drained may have been missed\n"));
    // What is not allowed fails all the same.
    assert_eq!(run(folder.path(), &["monitor", "buffer.ri", "bad.csv", "--verdicts", "paper"]).0, 10);
    assert_eq!(run(folder.path(), &["monitor", "buffer.ri", "good.csv", "--goals", "r5#1"]).0, 12);
    assert_eq!(run(folder.path(), &["monitor", "buffer.ri", "good.csv", "--goals", "rb#1,rb#2"]).0, 0);
    assert_eq!(run(folder.path(), &["monitor", "buffer.ri", "good.csv", "--goals", "r5#4"]).0, 2);
    let (code, text) = run(folder.path(), &["monitor", "buffer.ri", "bad.csv", "--json", "-"]);
    let json: Json = serde_json::from_str(&text).expect("JSON");
    assert_eq!((code, json["verdict"].as_str(), json["step"].as_u64()), (10, Some("fail"), Some(2)));
    assert_eq!(json["explanations"], serde_json::json!([["r4"], ["r1"]]));
    let traced = serde_json::json!([
        { "hidden": "k=0,1,0", "violated": ["r1", "r3"] },
        { "hidden": "k=0,1,2", "violated": ["r4"] },
    ]);
    assert_eq!(json["traced"], traced);
    assert_eq!(run(folder.path(), &["monitor", "buffer.ri", "odd.csv"]).0, 2);
    assert_eq!(run(folder.path(), &["monitor", "buffer.ri", "none.csv"]).0, 2);
}

#[test]
fn mutants_are_listed_and_revealed() {
    let folder = folder();
    let (code, text) = run(folder.path(), &["mutate", "buffer.ri", "--json", "-"]);
    let json: Json = serde_json::from_str(&text).expect("JSON");
    assert_eq!(code, 0);
    let mutants = json["mutants"].as_array().expect("mutants");
    let killed = mutants.iter().find(|mutant| mutant["verdict"] == "killed" && mutant["surely"] == true);
    let id = killed.expect("a mutant that is surely revealed")["id"].as_str().expect("a name");
    assert_eq!(run(folder.path(), &["chain", "buffer.ri", "-o", "out"]).0, 0);
    let arguments = ["run", "out/chain.json", "--sut", "buffer.ri", "--mutant", id];
    assert!([0, 10, 12, 13].contains(&run(folder.path(), &arguments).0));
    // The chains that reveal mutants are tests.
    assert_eq!(run(folder.path(), &["mutate", "buffer.ri", "--json", "faults.json"]).0, 0);
    let faults =
        |more: &[&str]| run(folder.path(), &[&["run", "faults.json", "--sut", "buffer.ri"], more].concat());
    assert_eq!(faults(&[]), (0, "chain 1: pass\nchain 2: pass\nchain 3: pass\n".to_owned()));
    let (code, text) = faults(&["--mutant", id]);
    assert!(code == 10 && text.contains("fail at step"), "{text}");
    let (code, _) = run(folder.path(), &["run", "faults.json", "--sut", "three.ri", "-o", "page"]);
    assert!(code == 10 && folder.path().join("page/report.html").is_file());
    std::fs::write(
        folder.path().join("other.json"),
        json.to_string().replace("\"sha256\":\"", "\"sha256\":\"0"),
    )
    .expect("a file");
    assert_eq!(run(folder.path(), &["run", "other.json", "--sut", "buffer.ri"]).0, 2);
    let unknown = ["run", "out/chain.json", "--sut", "buffer.ri", "--mutant", "r9.1"];
    assert_eq!(run(folder.path(), &unknown).0, 2);
}

/// Evidence for both answers is certified, and refused where it is damaged.
#[test]
fn answers_of_check_are_certified() {
    let folder = folder();
    let place = folder.path();
    for (file, code, claims) in [("buffer.ri", 0, 1), ("bad.ri", 11, 4)] {
        let output = chaincover(place, &["check", file, "--proofs", "out"]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{told}");
        assert!(told.contains(&format!("proofs: {claims} of {claims} claims certified, in out")), "{told}");
        let (code, text) = run(place, &["verify", "out"]);
        assert!(text.contains(&format!("all {claims} claims verified")), "{text}");
        assert_eq!(code, 0);
    }
    let (code, text) = run(place, &["verify", "out", "buffer.ri"]);
    assert!(text.contains("REJECTED"), "{text}");
    assert_eq!(code, 4);
    let game = place.join("out/check-proofs/game-0.game");
    let text = std::fs::read_to_string(&game).expect("a certificate");
    std::fs::write(&game, text + "move 1\n").expect("a file");
    let (code, text) = run(place, &["verify", "out"]);
    assert!(text.contains("game-0.game has changed since the evidence was written"), "{text}");
    assert_eq!(code, 4);
    std::fs::write(place.join("m.c"), "void step(void) {}").expect("a file");
    assert_eq!(run(place, &["check", "m.c", "--proofs", "out"]).0, 2);
    assert_eq!(run(place, &["check", "buffer.ri", "--proofs", "m.c"]).0, 2);
}

/// Pages of all results hold requirements by steps, and nothing from elsewhere.
#[test]
fn results_are_pages() {
    let folder = folder();
    let place = folder.path();
    let log = "enq,deq,E,F,pc\n1,1,1,0,2\n1,0,0,0,1\n1,0,0,0,0\n";
    std::fs::write(place.join("bad.csv"), log).expect("a file");
    assert_eq!(run(place, &["chain", "buffer.ri", "-o", "out", "--format", "html"]).0, 0);
    assert_eq!(run(place, &["check", "buffer.ri", "-o", "kept"]).0, 0);
    assert_eq!(run(place, &["check", "bad.ri", "-o", "lost"]).0, 11);
    assert_eq!(run(place, &["run", "out/chain.json", "--sut", "three.ri", "-o", "run"]).0, 10);
    assert_eq!(run(place, &["monitor", "buffer.ri", "bad.csv", "-o", "monitor"]).0, 10);
    let page = |name: &str| std::fs::read_to_string(place.join(name).join("report.html")).expect("a page");
    for name in ["out", "kept", "lost", "run", "monitor"] {
        let page = page(name);
        for foreign in ["http://", "https://", "src=", "@import"] {
            assert!(!page.contains(foreign), "{name}: {foreign}");
        }
        assert!(page.contains("At most 2 else.") && page.contains("guarantee pc&#39; &lt;= 2"), "{name}");
        assert_eq!(page.contains("class=\"matrix\""), name != "kept", "{name}");
    }
    let broken = |name: &str| {
        let page = page(name);
        let cells = page.match_indices("<td class=\"broken\" title=\"").map(|(at, found)| at + found.len());
        cells.map(|at| page[at..].split(':').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert!(broken("out").is_empty());
    assert_eq!(broken("run"), ["r1", "r4"]);
    assert_eq!(broken("monitor"), ["r1", "r4"]);
    // The play ends where r2 asks for less than nothing.
    assert_eq!(broken("lost"), ["r2"]);
    let json = |name: &str| -> Json {
        serde_json::from_str(&std::fs::read_to_string(place.join(name)).expect("a file")).expect("JSON")
    };
    let verdict = json("monitor/verdict.json");
    assert_eq!(
        (verdict["verdict"].as_str(), verdict["steps"].as_array().map(Vec::len)),
        (Some("fail"), Some(3))
    );
    assert_eq!(verdict["steps"][2]["allowed"], "!E & F & pc <= 2");
    assert_eq!(verdict["steps"][2]["marks"]["r4"]["broken"], true);
    assert_eq!(json("lost/check.json")["conflicts"], serde_json::json!([["r0", "r2"]]));
    let chain = json("out/chain.json");
    assert_eq!(
        chain["contracts"][1]["contracts"][0],
        "assume enq' and not deq' and k < N guarantee k' = k + 1"
    );
    assert_eq!(chain["chains"][0]["steps"][0]["marks"]["r0"]["triggered"], "always");
    // A file of the user is not replaced.
    std::fs::write(place.join("kept/report.html"), "mine").expect("a file");
    assert_eq!(run(place, &["check", "buffer.ri", "-o", "kept"]).0, 2);
    assert_eq!(run(place, &["check", "buffer.ri", "-o", "kept", "--force"]).0, 0);
}

/// Inputs that depend on what is seen keep to steps that are not idle.
#[test]
fn adaptive_tests_without_idle_steps() {
    let folder = folder();
    let text =
        "input a : bool  output b : bool\nreq r1 assume a' guarantee b' or not b'\npurpose same : a' = b\n";
    let both = text.to_owned() + "req r2 assume not a' guarantee b' or not b'\n";
    for (name, text) in [("one.ri", text), ("both.ri", both.as_str())] {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    for (arguments, expected) in [
        (
            vec!["chain", "one.ri", "--goals", "same"],
            "adaptive (the tree below meets all goals in at most 2 observations)",
        ),
        (
            vec!["chain", "both.ri", "--goals", "same", "--no-idle"],
            "adaptive (the tree below meets all goals in at most 2",
        ),
        (
            vec!["chain", "one.ri", "--goals", "same", "--no-idle"],
            "possible (allowed outputs may prevent a goal)",
        ),
    ] {
        let (code, text) = run(folder.path(), &arguments);
        assert!(code == 0 && text.contains(expected), "{arguments:?}\n{text}");
    }
}

/// The buffer as a game, and as a contract that is read back.
#[test]
fn other_languages() {
    let folder = folder();
    let place = folder.path();
    let (code, text) = run(place, &["emit", "buffer.ri", "--format", "aiger"]);
    assert_eq!(code, 0);
    assert!(
        text.starts_with("aag ") && text.contains("\ni0 enq\n") && text.contains("controllable_k[0]\n"),
        "{text}"
    );
    assert_eq!(run(place, &["emit", "buffer.ri", "--format", "kind2", "-o", "made"]).0, 0);
    let refused = run(place, &["import", "made/buffer.lus", "--input", "enq"]);
    assert_eq!(refused.0, 2);
    let arguments = ["import", "made/buffer.lus", "--hidden", "k", "-o", "again.ri"];
    assert_eq!(
        run(place, &arguments),
        (0, "again.ri: 8 requirements; next: chaincover check again.ri\n".to_owned())
    );
    let (code, text) = run(place, &["check", "again.ri"]);
    assert!(code == 0 && text.contains("consistent: for all inputs, at every depth"), "{text}");
    std::fs::write(
        place.join("wrong.lus"),
        "node imported n (a: bool) returns (b: bool);\ncon guarantee b <;\nnoc",
    )
    .expect("a file");
    let output = chaincover(place, &["import", "wrong.lus"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("expected a name, found `;`") && told.contains("2 | con guarantee b <;"), "{told}");
}

/// What a simulator of hardware records, by the edges of its clock.
#[test]
fn dumps_are_judged() {
    let folder = folder();
    let place = folder.path();
    let dump = "$timescale 1ns $end $scope module top $end $var wire 1 c clk $end $var wire 1 e enq $end
        $var wire 1 d deq $end $var wire 1 E E $end $var wire 1 F full $end $var wire 3 p pc $end $upscope $end
        $enddefinitions $end
        #0 0c 1e 1d 1E 0F b10 p #5 1c #6 0d 0E b1 p #10 0c #15 1c #16 1F b0 p #20 0c #25 1c\n";
    std::fs::write(place.join("run.vcd"), dump).expect("a file");
    let judged = |log: &str, rest: &[&str]| {
        let arguments: Vec<&str> = ["monitor", "buffer.ri", log].iter().chain(rest).copied().collect();
        run(place, &arguments)
    };
    assert_eq!(judged("run.vcd", &["--clock", "clk", "--map", "F=full"]), (0, "pass\n".to_owned()));
    std::fs::write(place.join("wrong.vcd"), dump.replace("1F", "0F")).expect("a file");
    let (code, text) = judged("wrong.vcd", &["--clock", "clk", "--map", "F=full"]);
    assert!(code == 10 && text.starts_with("fail at step 2: "), "{text}");
    assert_eq!(judged("run.vcd", &[]).0, 2);
    assert_eq!(judged("run.vcd", &["--every", "soon"]).0, 2);
}

/// Options that other languages have are refused, and nothing is lost where the time is up.
#[test]
fn mutants_of_requirements_know_their_options() {
    let folder = folder();
    for option in [
        &["--order", "2"][..],
        &["--within", "1", "--timeout", "20"],
        &["--list"],
        &["-o", "out"],
        &["--operators", "paper"],
    ] {
        let (code, _) = run(folder.path(), &[&["mutate", "buffer.ri"], option].concat());
        assert_eq!(code, 2, "{option:?}");
    }
    let (code, text) = run(folder.path(), &["mutate", "buffer.ri", "--timeout", "1ms"]);
    assert!(code == 5 && text.contains("mutants: 0 killed"), "{code} {text}");
}

/// What a rig gets is the value that is meant, and what it gets can be read again.
#[test]
fn values_with_steps_stand_in_files_as_they_are_meant() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "interface scales  type Mode = { OFF, ON }
        input t : 0..10 step 0.5  input m : Mode  output y : 0..20 step 0.25
        req twice always guarantee y' = t' * 2
        purpose first: t' = 1.5 and m' = ON  purpose last: t' = 4.5 and m' = OFF and t = 1.5";
    std::fs::write(folder.path().join("scales.ri"), text).expect("a file");
    let formats = "csv,csv-fmi,csv-simulink,csv-canoe,vcd";
    let (code, _) = run(folder.path(), &["chain", "scales.ri", "-o", "out", "--format", formats]);
    assert_eq!(code, 0);
    let file = |name: &str| std::fs::read_to_string(folder.path().join("out").join(name)).expect("a file");
    assert_eq!(file("chain.csv").lines().nth(1), Some("0,1.5,1,twice first"));
    assert_eq!(file("chain_canoe.csv").lines().nth(2), Some("1.0,4.5,0"));
    assert!(file("chain_fmi.csv").contains("\n0,1.5,1\n1,1.5,1\n1,4.5,0\n"));
    assert!(file("chain_simulink.csv").contains("Type: double,Type: uint8"));
    assert!(file("chain.vcd").contains("r1.5 "), "{}", file("chain.vcd"));
    let json: Json = serde_json::from_str(&file("chain.json")).expect("JSON");
    assert_eq!(json["inputs"][0]["step"], "1/2");
    let (code, _) = run(folder.path(), &["run", "out/chain.json", "--sut", "scales.ri"]);
    assert_eq!(code, 0);
    let (code, text) = run(folder.path(), &["chain", "scales.ri", "--inputs", "out/chain.csv"]);
    assert!(code == 0 && text.contains("1.5  ON | y = 3"), "{code} {text}");
    let (code, _) = run(folder.path(), &["export", "out/chain.json", "--format", "c", "-o", "more"]);
    assert_eq!(code, 2);
    // A chain is one of the text that it was made of.
    std::fs::write(folder.path().join("scales.ri"), text.replace("* 2", "* 1")).expect("a file");
    assert_eq!(run(folder.path(), &["run", "out/chain.json", "--sut", "scales.ri"]).0, 2);
}

/// An interface plays with the constants of the chain, and files that it includes are a part of it.
#[test]
fn chains_belong_to_all_of_their_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write("n.ri", "const N = 3");
    let text = "interface e  include \"n.ri\"  const M = 2  input a : bool  output x : 0..5
        req r always guarantee x' = M or x' = N";
    write("e.ri", text);
    assert_eq!(run(folder.path(), &["chain", "e.ri", "-D", "M=1", "-o", "out"]).0, 0);
    for seed in ["1", "2", "3"] {
        let play = ["run", "out/chain.json", "--sut", "e.ri", "--seed", seed];
        assert_eq!(run(folder.path(), &play).0, 0);
    }
    let code = |seed: &str| {
        run(folder.path(), &["run", "out/chain.json", "--sut", "e.ri", "-D", "M=4", "--seed", seed]).0
    };
    let codes: Vec<i32> = ["1", "2", "3", "4", "5", "6"].into_iter().map(code).collect();
    assert!(codes.contains(&10) && codes.iter().all(|code| [0, 10].contains(code)), "{codes:?}");
    write("n.ri", "const N = 4");
    assert_eq!(run(folder.path(), &["run", "out/chain.json", "--sut", "e.ri"]).0, 2);
}

/// Tables that this program writes are read as they are meant.
#[test]
fn tables_of_chains_are_inputs() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "interface s  input a : 0..2  output x : 0..1  environment a' = a
        req r0 assume a' = 1 guarantee x' = 0  req r1 assume a' = 2 guarantee x' = 1";
    std::fs::write(folder.path().join("s.ri"), text).expect("a file");
    assert_eq!(run(folder.path(), &["chain", "s.ri", "-o", "out", "--format", "csv"]).0, 0);
    assert_eq!(run(folder.path(), &["chain", "s.ri", "--inputs", "out/chain.csv"]).0, 2);
    std::fs::write(folder.path().join("held.csv"), "step,a\n0,1\n1,\n2,1\n").expect("a file");
    let (code, text) = run(folder.path(), &["chain", "s.ri", "--inputs", "held.csv"]);
    assert!(
        code == 0 && text.lines().nth(2).is_some_and(|line| line.starts_with("     1 1 | x = 0")),
        "{text}"
    );
}

/// Systems that answer more than once are not judged.
#[test]
fn systems_that_answer_twice_cannot_be_used() {
    let folder = folder();
    assert_eq!(run(folder.path(), &["chain", "buffer.ri", "--goals", "ra", "-o", "out"]).0, 0);
    let answer = r#"echo '{"out":{"E":true,"F":false,"pc":0}}'"#;
    let twice = format!(
        r#"while read line; do case $line in *reset*) echo '{{"ok":true}}';; *) {answer}; {answer};; esac; done"#
    );
    for _ in 0..5 {
        let (code, text) = run(folder.path(), &["run", "out/chain.json", "--sut", &twice]);
        assert!(code == 13 && text.contains("ill-formed"), "{code} {text}");
    }
}

/// A system that chooses: six is shown in the end, however long it takes, if the rest of the chain is
/// planned anew.
#[test]
fn a_run_goes_on_where_the_system_answers_otherwise() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "interface die\ninput roll : bool\noutput face : 1..6\n\
                req first initially guarantee face' = 1\n\
                req rests assume not roll' guarantee face' = face\n\
                req moves assume roll' guarantee face' != face\n\
                purpose six: face' = 6\npurpose again: face = 6 and face' = 1\n";
    std::fs::write(folder.path().join("die.ri"), text).expect("a file");
    let (code, out) = run(folder.path(), &["chain", "die.ri", "--goals", "six,again", "-o", "out"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("possible"), "{out}");
    let mut codes = Vec::new();
    for seed in 1..=4 {
        let seed = seed.to_string();
        let arguments = ["run", "out/chain.json", "--sut", "die.ri", "--seed", &seed, "--json", "-"];
        codes.push(run(folder.path(), &arguments).0);
        let (code, json) = run(folder.path(), &[&arguments[..], &["--adaptive", "200"]].concat());
        assert_eq!(code, 0, "{json}");
        let report: Json = serde_json::from_str(&json).expect("JSON");
        assert!(report["steps"].as_u64() >= Some(3), "{report}");
    }
    assert!(codes.contains(&12), "{codes:?}");
    // A broken die is found behind its deviation as well.
    let broken = text.replace("face' != face", "face' = face or face' = 2");
    std::fs::write(folder.path().join("broken.ri"), broken).expect("a file");
    let arguments = ["run", "out/chain.json", "--sut", "broken.ri", "--adaptive", "200", "--seed", "1"];
    let (code, out) = run(folder.path(), &arguments);
    assert!(code == 10 && out.contains("moves"), "{code} {out}");
    let (code, _) = run(folder.path(), &["run", "out/chain.json", "--sut", "die.ri", "--wait", "5"]);
    assert_eq!(code, 2);
}
