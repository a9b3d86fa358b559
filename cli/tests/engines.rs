//! Engines as a user meets them: their list, leaving some out, their accounts, and a gap that is enough.

use crate::support::call;
use serde_json::Value as Json;

/// A counter of 16 bits with a wide input: its states are too many to enumerate.
const WIDE: &str = "unsigned short n; unsigned sum;
void step(unsigned in) { sum += in; if ((in & 3u) == 1u && n < 40) n++; }
void p_top(unsigned in) { step(in); __CPROVER_assume(n == 20); }
void p_beyond(unsigned in) { step(in); __CPROVER_assume(n == 41); }
";

fn run(arguments: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.c"), WIDE).expect("a file");
    call(folder.path(), arguments)
}

fn names() -> Vec<String> {
    let (code, out, err) = run(&["engines"]);
    assert_eq!(code, 0, "{err}");
    let is_head = |line: &&str| line.contains(" prover  ") || line.contains(" finder  ");
    let heads = out.lines().filter(is_head);
    heads.filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect()
}

#[test]
fn engines_are_listed_with_what_their_turns_cost() {
    let names = names();
    for expected in ["enumeration", "simulation", "latched", "optimum", "ranges"] {
        assert!(names.iter().any(|name| name == expected), "{expected}: {names:?}");
    }
    let (_, out, _) = run(&["engines"]);
    assert_eq!(out.matches("a turn costs ").count(), names.len(), "{out}");
}

/// Constants that were set change what is tried, not what is said; unknown ones are refused.
#[test]
fn constants_can_be_set() {
    let (_, out, _) = run(&["engines", "--constants"]);
    let listed: Vec<(&str, String)> = out
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(name, _)| name.contains('.') && !name.starts_with("ENGINE"))
        .map(|(name, rest)| {
            let usual: String = rest.trim_start().chars().take_while(|c| *c != ':').collect();
            (name, usual.chars().filter(char::is_ascii_digit).collect())
        })
        .collect();
    assert!(listed.len() > 15 && listed.iter().all(|(_, usual)| !usual.is_empty()), "{out}");
    let least: Vec<String> = listed.iter().map(|(name, _)| format!("{name}=0")).collect();
    for set in [least.join(","), "optimum.first-turn=10,optimum.growth=3,ranges.first-turn=0".to_owned()] {
        let arguments = ["chain", "m.c", "--timeout", "20s", "--json", "-", "--quiet", "--set", &set];
        let (code, out, err) = run(&arguments);
        assert!([0, 5, 20, 124].contains(&code), "{set}: {code} {err}");
        let result: Json = serde_json::from_str(&out).expect("JSON");
        let goals = result["goals"].as_array().expect("goals");
        let beyond = goals.iter().find(|goal| goal["name"] == "p_beyond").expect("the goal");
        assert_ne!(beyond["status"], "covered", "{set}: {out}");
    }
    for (set, expected) in [
        ("optimum.strid=3", "no constant is called `optimum.strid`"),
        ("optimum.stride=three", "should be a whole number"),
        ("optimum.stride", "should be NAME=VALUE"),
    ] {
        let (code, _, err) = run(&["chain", "m.c", "--set", set]);
        assert!(code == 2 && err.contains(expected), "{set}: {code} {err}");
    }
}

/// Whatever is left out, nothing false is said; what was left out had no turn.
#[test]
fn each_engine_can_be_left_out() {
    for name in names() {
        let arguments = ["chain", "m.c", "--timeout", "20s", "--json", "-", "--quiet", "--without", &name];
        let (code, out, err) = run(&arguments);
        assert!([0, 5, 20, 124].contains(&code), "{name}: {code} {err}");
        let result: Json = serde_json::from_str(&out).expect("JSON");
        let engines = result["engines"].as_array().expect("accounts of engines");
        assert!(engines.iter().all(|engine| engine["name"] != *name), "{name}: {out}");
        let goals = result["goals"].as_array().expect("goals");
        let status = |goal: &str| {
            goals.iter().find(|found| found["name"] == goal).map(|found| found["status"].clone())
        };
        assert_eq!(status("p_top"), Some("covered".into()), "{name}: {out}");
        assert_ne!(status("p_beyond"), Some("covered".into()), "{name}: {out}");
        assert!(result["summary"]["lower_bound"].as_u64() <= Some(20), "{name}: {out}");
    }
}

#[test]
fn unknown_engines_and_shares_are_refused() {
    for (arguments, expected) in [
        (["--without", "magic"], "unknown name `magic`"),
        (["--gap", "often"], "`often` is no percentage"),
        (["--gap", "150%"], "`150%` is no percentage"),
    ] {
        let (code, _, err) = run(&[&["chain", "m.c"][..], &arguments].concat());
        assert_eq!(code, 2, "{err}");
        assert!(err.contains(expected), "{err}");
    }
}

/// Where every gap is enough the chains need not be proven minimal.
#[test]
fn a_gap_is_enough_where_it_is_asked_for() {
    let (code, out, err) =
        run(&["chain", "m.c", "--gap", "100", "--timeout", "60s", "--json", "-", "--quiet"]);
    assert_eq!(code, 20, "{err}");
    let result: Json = serde_json::from_str(&out).expect("JSON");
    assert_eq!(result["summary"]["covered"], 1, "{out}");
}

#[test]
fn accounts_are_shown_where_asked_for() {
    let (_, _, err) = run(&["chain", "m.c", "--timeout", "60s", "-v"]);
    assert!(err.lines().any(|line| line.starts_with("enumeration ") && line.contains("turn")), "{err}");
}
