//! Mutants of action systems through the facade: lengths, bounds and verdicts of the car alarm system.

use chaincover::{Kill, MutateOptions, Operators, mutate};
use std::path::{Path, PathBuf};

fn car_alarm() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/car_alarm.as")
}

#[test]
fn the_shortest_chain_through_all_unsafe_states() {
    let options = MutateOptions { kill: Kill::State, ..MutateOptions::default() };
    let file = mutate(&car_alarm(), &options).expect("the example should be right");
    assert_eq!(
        ["killed", "conforms", "equivalent", "initial"].map(|verdict| file.count(verdict)),
        [172, 28, 0, 6]
    );
    assert_eq!((file.chains.len(), file.length, file.lower_bound, file.single), (1, 25, 25, 139));
}

#[test]
fn what_can_be_seen_is_revealed_by_two_short_chains() {
    let file = mutate(&car_alarm(), &MutateOptions::default()).expect("the example should be right");
    assert_eq!(["killed", "conforms", "equivalent"].map(|verdict| file.count(verdict)), [196, 10, 0]);
    assert_eq!((file.chains.len(), file.lower_bound, file.single), (2, 61, 1470));
    assert!(file.length <= 77, "{}", file.length);
    let places = file.mutants.iter().filter(|mutant| mutant.verdict == "killed");
    for mutant in places {
        let (chain, step) = (mutant.chain.expect("a chain"), mutant.step.expect("a step"));
        assert!(file.chains[chain].steps[step].reveals.contains(&mutant.id), "{}", mutant.id);
    }
}

/// The system with all times multiplied.
fn slower(folder: &Path, factor: u64) -> PathBuf {
    let mut text = std::fs::read_to_string(car_alarm()).expect("the example");
    let times = [("w = 20 ", 20), ("w = 30 ", 30), ("w = 270 ", 270)];
    for (written, time) in times {
        text = text.replace(written, &format!("w = {} ", time * factor));
    }
    text = text.replace("0..270", &format!("0..{}", 270 * factor));
    let path = folder.join(format!("car_alarm_{factor}.as"));
    std::fs::write(&path, text).expect("a folder for tests");
    path
}

#[test]
fn longer_times_cost_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = MutateOptions { kill: Kill::State, ..MutateOptions::default() };
    for factor in [10, 1000, 1_000_000] {
        let file = mutate(&slower(folder.path(), factor), &options).expect("the same system");
        assert_eq!((file.count("killed"), file.length, file.lower_bound), (172, 25, 25), "{factor}");
    }
}

#[test]
fn operators_make_what_they_say() {
    let lamp = "system lamp\nvar n : 0..3 := 0\nvar on : bool := false\n\
                ctr Press when n < 3 and not on is n := n + 1\nobs Shine when n >= 2 or on is on := true\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lamp.as");
    std::fs::write(&path, lamp).expect("a folder for tests");
    let table = [
        ("guard", vec!["n < 3 and not on -> true", "n >= 2 or on -> true"]),
        ("guard-false", vec!["n < 3 and not on -> false", "n >= 2 or on -> false"]),
        ("boundary", vec!["< -> <=", ">= -> >"]),
        ("negated", vec!["n < 3 -> not (n < 3)", "n >= 2 -> not (n >= 2)"]),
        ("connective", vec!["and -> or", "or -> and"]),
        ("arithmetic", vec!["+ -> -"]),
        ("constant", vec!["3 -> 0", "1 -> 2", "2 -> 3"]),
        ("constant-minus", vec!["0 -> 3", "3 -> 2", "1 -> 0", "2 -> 1"]),
        ("initial", vec!["0 -> 1"]),
        ("removed", vec!["n := n + 1 -> skip", "on := true -> skip"]),
        ("=,!=", vec![]),
    ];
    for (operators, expected) in table {
        let operators: Operators = operators.parse().expect("names of operators");
        let options = MutateOptions { operators: Some(operators.clone()), ..MutateOptions::default() };
        let file = chaincover::list_mutants(&path, &options).expect("a right system");
        let found: Vec<String> =
            file.mutants.iter().map(|mutant| format!("{} -> {}", mutant.old, mutant.new)).collect();
        assert_eq!(found, expected, "{operators:?}");
    }
}

#[test]
fn errors_come_together_with_their_places() {
    let text = "system s\nvar x : 0..3 := 5\nvar y 0..2 := 0\nctr A when x = 1 is z := 1\nobs A is skip\n\
                do A; A od\nint B(w : 0..2) is w := 1\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.as");
    std::fs::write(&path, text).expect("a folder for tests");
    let error = mutate(&path, &MutateOptions::default()).expect_err("a wrong system");
    let message = error.text(false);
    for part in ["between a variable and its type", "`;` cannot join actions"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    std::fs::write(&path, text.replace("y 0", "y : 0").replace("A; A", "A [] C"))
        .expect("a folder for tests");
    let message = mutate(&path, &MutateOptions::default()).expect_err("a wrong system").text(false);
    let parts = [
        "the initial value 5 lies outside 0..3",
        "there is no variable `z`",
        "the action `A` is declared twice",
        "`w` is a parameter",
    ];
    for part in parts {
        assert!(message.contains(part), "{part}: {message}");
    }
}
