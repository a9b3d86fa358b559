//! Costs of steps and chains of least cost, as a user calls them.

use crate::support::call;
use serde_json::{Value as Json, json};
use std::process::Command;

/// The model of the chapter "Least cost" of the cookbook.
const HEATER: &str = "struct { _Bool ignition, boost; } in;
unsigned char heat;
void step(void) {
    if (in.ignition)
        heat += heat > 12 ? 0 : in.boost ? 3 : 1;
    else
        heat -= heat > 0;
}
";

const GOALS: &str = "[model]
sources = ['heater.c']
inputs = ['in']
[[goal]]
name = 'hot'
when = 'heat >= 9'
[[goal]]
name = 'starts_warm'
when = 'heat == 5 && in.ignition'
[[goal]]
name = 'off_while_warm'
when = 'heat >= 6 && !in.ignition'
";

const COST: &str = "[cost]
unit = 's'
step = 1
add = [
    { when = 'in.ignition != old(in.ignition)', cost = 50 },
    { when = 'in.boost', cost = 10 },
]
";

fn heater(cost: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("heater.c"), HEATER).expect("a file");
    std::fs::write(folder.path().join("chaincover.toml"), format!("{GOALS}{cost}")).expect("a file");
    folder
}

#[test]
fn chains_of_fewest_steps_tell_their_cost() {
    let folder = heater(COST);
    let (code, text, errors) = call(folder.path(), &["chain", "."]);
    assert_eq!(code, 0, "{errors}");
    assert!(text.contains("3 of 3 goals covered, one chain of 6 steps, proven minimal\ncost: "), "{text}");
    let (code, text, _) = call(heater("").path(), &["chain", "."]);
    assert!(code == 0 && !text.contains("cost"), "{text}");
}

#[test]
fn the_chain_of_least_cost_is_longer() {
    let folder = heater(COST);
    let arguments = ["chain", ".", "--minimise", "cost", "-o", "out", "--format", "csv,html", "--proofs"];
    let (code, text, errors) = call(folder.path(), &arguments);
    assert_eq!(code, 0, "{errors}");
    let expected = "3 of 3 goals covered, one chain of 10 steps, at least 6 steps are needed\ncost: 60 s, proven least\n";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("replayed on the compiled code"), "{text}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    let file: Json = serde_json::from_str(&read("out/chain.json")).expect("JSON");
    assert_eq!(file["summary"]["cost"], json!({ "total": 60, "unit": "s", "lower_bound": 60 }));
    assert_eq!((&file["chains"][0]["cost"], &file["summary"]["minimal"]), (&json!(60), &json!("gap")));
    assert!(read("out/report.html").contains("<b>60 s</b><span>cost, proven least</span>"));
    let (code, text, errors) = call(folder.path(), &["verify", "out"]);
    let all = format!("{code} {text}{errors}");
    assert!(all.contains("the chains cost 60 s, by the evaluator"), "{all}");
    assert!(all.contains("no chains cost less than 60: costs have no evidence"), "{all}");
    for (old, new, expected) in [
        ("\"total\": 60", "\"total\": 59", "the summary says that the chains cost 59, not 60"),
        ("\"cost\": 60", "\"cost\": 61", "a chain costs something else than recorded"),
        ("\"lower_bound\": 60", "\"lower_bound\": 61", "a lower bound above its cost"),
        ("\"unit\": \"s\"", "\"unit\": \"ms\"", ""),
    ] {
        let forged = tempfile::tempdir_in(folder.path()).expect("a folder");
        for name in ["chain.json", "proofs"] {
            let from = folder.path().join("out").join(name);
            Command::new("cp").arg("-r").arg(from).arg(forged.path()).status().expect("a copy");
        }
        let path = forged.path().join("chain.json");
        let text = std::fs::read_to_string(&path).expect("a file");
        assert!(text.contains(old), "{old}: {text}");
        std::fs::write(&path, text.replace(old, new)).expect("a file");
        let (code, text, errors) = call(folder.path(), &["verify", &forged.path().to_string_lossy()]);
        assert!(code != 0 && format!("{text}{errors}").contains(expected), "{old}: {code} {text}{errors}");
    }
}

/// The second goal excludes the first one in the same chain.
#[test]
fn several_chains_are_left_as_they_are() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let code = "int mode; void step(int to) { if (!mode) mode = to == 1 ? 1 : 2;\n__CPROVER_cover(mode == 1);\n__CPROVER_cover(mode == 2); }";
    std::fs::write(folder.path().join("m.c"), code).expect("a file");
    let configuration = "[model]\nsources = ['m.c']\n[cost]\nstep = 3";
    std::fs::write(folder.path().join("chaincover.toml"), configuration).expect("a file");
    let (code, text, errors) = call(folder.path(), &["chain", ".", "--minimise", "cost"]);
    assert!(code == 0 && text.contains("cost: 6, proven least\n"), "{code} {text}{errors}");
    assert!(errors.contains("least cost is sought for what one chain covers"), "{errors}");
}

#[test]
fn what_has_no_meaning_is_refused() {
    let (plain, priced) = (heater(""), heater(COST));
    let (plain, priced) = (plain.path(), priced.path());
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/");
    let timed = format!("{examples}atm.tio");
    for (folder, arguments, expected) in [
        (plain, &["--minimise", "cost"][..], "`[cost]` in the chaincover.toml of a model in C says it"),
        (priced, &["--minimise", "time"], "`--minimise cost` is about costs"),
        (priced, &["--minimise", "cost", "--reset-cost", "3"], "`--reset-cost` counts steps"),
        (priced, &["--minimise", "cost", "--violations", "append"], "leave `--violations append` away"),
        (priced, &["--minimise", "cost", "--coverage", "mcdc-pairs"], "ask for another criterion"),
    ] {
        let (code, _, errors) = call(folder, &[&["chain", "."], arguments].concat());
        assert!(code == 2 && errors.contains(expected), "{arguments:?}: {code} {errors}");
    }
    let (code, _, errors) = call(plain, &["chain", &timed, "--minimise", "cost"]);
    assert!(code == 2 && errors.contains("nothing is said of what steps cost"), "{code} {errors}");
    // Other languages have no such costs.
    std::fs::copy(&timed, plain.join("atm.tio")).expect("a copy");
    std::fs::write(plain.join("timed.toml"), "[model]\nsources = ['atm.tio']\n[cost]\nstep = 2")
        .expect("a file");
    let (code, _, errors) = call(plain, &["chain", "timed.toml"]);
    assert!(code != 0 && errors.contains("costs of steps are about C code"), "{code} {errors}");
    for (cost, expected) in [
        ("[cost]\nadd = [{ when = 'in.boots', cost = 1 }]", "chaincover.toml:14"),
        ("[cost]\nprice = 1", "unknown field `price`"),
        ("[cost]\nstep = -1", "expected u32"),
        ("[cost]\nstep = 0", "no step costs anything"),
    ] {
        let folder = heater(cost);
        let (code, _, errors) = call(folder.path(), &["check", "."]);
        assert!(code != 0 && errors.contains(expected), "{cost}: {code} {errors}");
    }
}

#[test]
fn the_configuration_is_written_with_its_costs() {
    let folder = heater(COST);
    let (code, text, errors) = call(folder.path(), &["check", ".", "--write-config"]);
    assert_eq!(code, 0, "{errors}");
    assert!(text.contains("[cost]\nunit = \"s\"\nstep = 1\n"), "{text}");
    assert!(text.contains("when = \"in.ignition != old(in.ignition)\"\ncost = 50\n"), "{text}");
}
