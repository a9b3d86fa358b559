//! Mutants of action systems through the facade: lengths, bounds and verdicts of the car alarm system.

use chaincover::{
    ActionRun, ActionTests, ActionWishes, Kill, MutateOptions, Operators, Tests, import_action_system,
    mutate, read_action_tests, run_action_tests,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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

/// The notation of the paper tells the same system, which has the same mutants.
#[test]
fn the_notation_of_the_paper_is_read() {
    let text = include_str!("../../examples/car_alarm.pl");
    let inputs = ["Lock", "Unlock", "Close", "Open"].map(str::to_owned).to_vec();
    let wishes = ActionWishes { name: "car_alarm".to_owned(), inputs, ..ActionWishes::default() };
    let imported = import_action_system(text, &wishes).expect("the example should be right");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("car_alarm.as");
    std::fs::write(&path, &imported.text).expect("a file");
    let options = MutateOptions { kill: Kill::State, ..MutateOptions::default() };
    let file = mutate(&path, &options).expect("a system");
    assert_eq!(
        ["killed", "conforms", "equivalent", "initial"].map(|verdict| file.count(verdict)),
        [172, 28, 0, 6],
        "{}",
        imported.text
    );
    assert_eq!((imported.count, file.length, file.lower_bound), (11, 25, 25));
    // Places of errors are those of the text.
    let wrong = text.replace("a #= 5 => a := 6", "a #= 5 => c := 6");
    let why = import_action_system(&wrong, &wishes).expect_err("no such variable").message;
    assert!(why.ends_with("the variable `c` is not declared") && why.starts_with("31:"), "{why}");
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

/// The reports of a test against a system that plays.
fn played(tests: &ActionTests, sut: &Path, mutant: Option<&str>, seed: u64) -> Vec<&'static str> {
    let (sut, mutant) = (sut.display().to_string(), mutant.map(str::to_owned));
    let options = ActionRun { sut, mutant, seed, answer: Duration::from_secs(10), deadline: None };
    let reports = run_action_tests(tests, &options).expect("the mutant should be a system");
    reports.iter().map(|report| report.verdict.name()).collect()
}

/// What mutants may do is what a player does by chance: conforming ones never fail, and no test is
/// passed by a mutant that it surely kills.
#[test]
fn tests_tell_players_as_verdicts_say() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in [Tests::Chain, Tests::Adaptive] {
        let options = MutateOptions { tests: kind, sample: Some(40), ..MutateOptions::default() };
        let deadline = Instant::now().checked_add(Duration::from_secs(2));
        let search = chaincover::Options { deadline, ..chaincover::Options::default() };
        let file = mutate(&car_alarm(), &MutateOptions { search, ..options }).expect("a right system");
        assert_eq!(file.tests.len(), file.chains.len());
        for (number, test) in file.tests.iter().enumerate() {
            let path = folder.path().join("test.json");
            std::fs::write(&path, serde_json::to_string(test).expect("a test")).expect("a file");
            let tests = read_action_tests(&path).expect("a right test").expect("a test");
            for seed in 0..4 {
                let verdict = played(&tests, &car_alarm(), None, seed)[0];
                assert_ne!(verdict, "fail", "the original does what it specifies");
                assert!(!test.certain || verdict == "pass");
            }
            for mutant in &file.mutants {
                let verdict = played(&tests, &car_alarm(), Some(&mutant.id), number as u64)[0];
                match mutant.verdict.as_str() {
                    "killed" if kind == Tests::Chain && mutant.surely && mutant.chain == Some(number) => {
                        assert_ne!(verdict, "pass", "{} {}", mutant.id, mutant.change());
                    }
                    "conforms" | "equivalent" => assert_ne!(verdict, "fail", "{}", mutant.id),
                    _ => {}
                }
            }
        }
    }
}

/// One answer of two, either of which leads on: a chain wants one of them, a tree takes both.
#[test]
fn trees_are_certain_where_chains_are_not() {
    let text = "system horn\nvar n : 0..3 := 0\nctr Press when n = 0 is n := 1\n\
                obs Flash when n = 1 is n := 2\nobs Sound when n = 1 is n := 2\nobs Stop when n = 2 is n := 3\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("horn.as");
    std::fs::write(&path, text).expect("a file");
    for (tests, certain) in [(Tests::Chain, false), (Tests::Adaptive, true)] {
        let operators: Operators = "guard-false".parse().expect("an operator");
        let operators = Some(operators);
        let options = MutateOptions {
            tests,
            operators,
            lines: Some(vec![(path.clone(), 6)]),
            ..MutateOptions::default()
        };
        let file = mutate(&path, &options).expect("a right system");
        assert_eq!(file.count("killed"), 1);
        assert_eq!(file.tests.iter().map(|test| test.certain).collect::<Vec<_>>(), [certain], "{tests}");
        let stored = folder.path().join("test.json");
        std::fs::write(&stored, serde_json::to_string(&file.tests[0]).expect("a test")).expect("a file");
        let tests = read_action_tests(&stored).expect("a right test").expect("a test");
        let verdicts: BTreeSet<&str> = (0..20).map(|seed| played(&tests, &path, None, seed)[0]).collect();
        let expected: &[&str] = if certain { &["pass"] } else { &["inconclusive", "pass"] };
        assert_eq!(verdicts.into_iter().collect::<Vec<_>>(), expected);
        let id = file.mutants[0].id.clone();
        let verdicts: BTreeSet<&str> =
            (0..20).map(|seed| played(&tests, &path, Some(&id), seed)[0]).collect();
        let expected: &[&str] = if certain { &["fail"] } else { &["fail", "inconclusive"] };
        assert_eq!(verdicts.into_iter().collect::<Vec<_>>(), expected);
    }
}

/// What a mutant may do beside what it shows, by the level at which it is killed.
#[test]
fn surely_killed_is_what_each_run_shows() {
    // `n := 1` goes wrong in any case; where only one of two branches is changed, it need not.
    let text = "system s\nvar n : 0..3 := 0\nctr A when n = 0 is n := 1\nctr B when n = 0 is n := 2 [] n := 3\n\
                obs C when n = 1 is n := 0\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("s.as");
    std::fs::write(&path, text).expect("a file");
    for kill in [Kill::State, Kill::Step] {
        let operators = Some("constant".parse().expect("an operator"));
        let file =
            mutate(&path, &MutateOptions { kill, operators, ..MutateOptions::default() }).expect("a system");
        let surely: Vec<(String, bool)> = file
            .mutants
            .iter()
            .filter(|mutant| mutant.verdict == "killed" && mutant.change().starts_with(|c: char| c != '0'))
            .map(|mutant| (format!("{}:{} {}", mutant.line, mutant.column, mutant.change()), mutant.surely))
            .collect();
        let of = |start: &str| surely.iter().find(|(text, _)| text.starts_with(start)).map(|(_, sure)| *sure);
        assert_eq!(of("3:26 1 -> 2"), Some(true), "{surely:?}");
        assert_eq!(of("4:36 3 -> 0"), Some(false), "{surely:?}");
    }
}

#[test]
fn pairs_of_changes_and_patches_are_mutants() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lamp.as");
    let text = "system lamp\nvar n : 0..3 := 0\nctr Press when n < 3 is n := n + 1\nobs Shine when n = 3 is n := 0\n";
    std::fs::write(&path, text).expect("a file");
    let options = MutateOptions { pairs: true, sample: Some(6), ..MutateOptions::default() };
    let file = mutate(&path, &options).expect("a right system");
    assert_eq!((file.mutants.len(), file.order), (6, 2));
    for mutant in &file.mutants {
        // Both changes, written down, are another version with the same verdict.
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let second = &mutant.further[0];
        let mut changes = [
            (mutant.line, mutant.column, &mutant.old, &mutant.new),
            (second.line, second.column, &second.old, &second.new),
        ];
        changes.sort();
        for (line, column, old, new) in changes.into_iter().rev() {
            let at = column as usize - 1;
            lines[line as usize - 1].replace_range(at..at + old.len(), new);
        }
        let other = folder.path().join("other.as");
        std::fs::write(&other, lines.join("\n")).expect("a file");
        let patch = folder.path().join("other.patch");
        let (before, after): (String, String) = (
            text.lines().map(|line| format!("-{line}\n")).collect(),
            lines.iter().map(|line| format!("+{line}\n")).collect(),
        );
        std::fs::write(&patch, format!("--- lamp.as\n+++ lamp.as\n@@ -1,4 +1,4 @@\n{before}{after}"))
            .expect("a file");
        let options = MutateOptions { others: vec![other, patch], ..MutateOptions::default() };
        let versions = mutate(&path, &options).expect("versions");
        for version in &versions.mutants {
            assert_eq!(
                (&version.verdict, version.alone),
                (&mutant.verdict, mutant.alone),
                "{}",
                mutant.change()
            );
        }
    }
    let stale = folder.path().join("stale.diff");
    std::fs::write(&stale, "--- lamp.as\n+++ lamp.as\n@@ -2 +2 @@\n-var m : 0..3 := 0\n+var n : 0..2 := 0\n")
        .expect("a file");
    let options = MutateOptions { others: vec![stale], ..MutateOptions::default() };
    let file = mutate(&path, &options).expect("a right system");
    assert_eq!(file.mutants[0].verdict, "unviable");
    assert!(file.mutants[0].by.contains("line 2 is"), "{}", file.mutants[0].by);
}

/// A difference comes out of a pipe of three variables: seen at once, in time, too late.
#[test]
fn a_difference_is_seen_in_time_or_too_late() {
    let text = "system pipe\nvar a : 0..3 := 0\nvar b : 0..3 := 0\nvar c : 0..3 := 0\n\
                ctr Put is a := 1\n\
                ctr Shift is c := b; b := a; a := 0\n\
                int Turn when a = 3 is c := 0\n\
                obs Show when c = 1 is c := 0\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pipe.as");
    std::fs::write(&path, text).expect("a file");
    let table = [
        // The silence of the mutant is the first difference.
        ("Show when c = 1", "Show when c = 2", 0),
        ("c := b;", "(b = 1 => c := 2 // c := b);", 1),
        ("b := a;", "b := 2;", 2),
        ("a := 1", "a := 2", 3),
        // It ignores what the original takes.
        ("Put is", "Put when false is", 3),
        // An invisible step is part of the step before.
        ("Turn when a = 3 is c := 0", "Turn when a = 1 is a := 2", 3),
        // A mutant that starts elsewhere differs before the first step.
        ("b : 0..3 := 0", "b : 0..3 := 1", 2),
        ("c : 0..3 := 0", "c : 0..3 := 1", 1),
        ("c : 0..3 := 0", "c : 0..3 := 2", u32::MAX),
        ("a := 0", "(a := 0 [] a := 0)", u32::MAX),
    ];
    let others: Vec<PathBuf> = (0..table.len()).map(|row| folder.path().join(format!("{row}.as"))).collect();
    for ((old, new, _), other) in table.iter().zip(&others) {
        std::fs::write(other, text.replacen(old, new, 1)).expect("a file");
    }
    let mut before = None;
    for within in [None, Some(u32::MAX), Some(30), Some(3), Some(2), Some(1), Some(0)] {
        let options = MutateOptions { others: others.clone(), within, ..MutateOptions::default() };
        let file = mutate(&path, &options).expect("a right system");
        assert_eq!(file.within, within);
        for (mutant, (old, new, steps)) in file.mutants.iter().zip(table) {
            let about = format!("{old} -> {new} within {within:?}: {} {}", mutant.verdict, mutant.by);
            let is_never = steps == u32::MAX;
            let is_seen = !is_never && within.is_none_or(|most| steps <= most);
            let is_same = new.contains("[]");
            let expected = match (is_seen, is_same) {
                (true, _) => "killed",
                (false, true) => "equivalent",
                (false, false) => "conforms",
            };
            assert_eq!(mutant.verdict, expected, "{about}");
            assert_eq!(mutant.by.contains("after the first difference"), !is_seen && !is_never, "{about}");
        }
        let killed = file.count("killed");
        // What these chains kill is what the same chains kill when they are judged.
        let score = Some(file.chains.clone());
        let options = MutateOptions { score, ..options };
        let scored = mutate(&path, &options).expect("stored chains");
        assert_eq!(scored.count("killed"), killed);
        // Chains that kill whenever it is seen kill only what is seen in time.
        if let Some(chains) = before.replace(file.chains) {
            let scored = mutate(&path, &MutateOptions { score: Some(chains), ..options }).expect("chains");
            assert_eq!(scored.count("killed") + scored.count("undecided"), killed);
        }
    }
    for kill in [Kill::State, Kill::Step] {
        let options = MutateOptions { kill, within: Some(1), ..MutateOptions::default() };
        let refused = mutate(&path, &options).expect_err("no level for it");
        assert!(refused.to_string().contains("--kill output"), "{refused}");
    }
}

/// Verdicts of mutants by the states that may be enumerated.
fn equivalents(text: &str, states: usize) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("system.as");
    std::fs::write(&path, text).expect("a file");
    let operators = "standard".parse::<Operators>().ok();
    let deadline = Instant::now().checked_add(Duration::from_secs(300));
    let search = chaincover::Options { deadline, ..Default::default() };
    let options = MutateOptions { operators, states, kill: Kill::Step, search, ..MutateOptions::default() };
    let file = mutate(&path, &options).expect("a system with equivalent mutants");
    let is_one = |mutant: &&chaincover::mutation::Mutant| mutant.verdict == "equivalent";
    file.mutants.iter().filter(is_one).map(|mutant| mutant.id.clone()).collect()
}

const COUNTER: &str = "system counter
    var n : 0..LIMIT := 0
    var full : bool := false
    ctr Add(k : 1..3) when not full is n + k < LIMIT => n := n + k
        [] n + k >= LIMIT => n := LIMIT; full := true
    ctr Reset is n := 0; full := false
    obs Full when full and n >= LIMIT is skip
    obs Low when n < 5 and n >= 0 and not full is skip";

/// Proofs tell the mutants that are the original where states are too many, and no others.
#[test]
fn mutants_of_what_is_not_enumerated_are_proven_to_be_the_original() {
    let small = COUNTER.replace("LIMIT", "20");
    let all = equivalents(&small, 1 << 20);
    assert!(!all.is_empty());
    assert_eq!(equivalents(&small, 10), all);
    let large = COUNTER.replace("LIMIT", "5000");
    assert_eq!(equivalents(&large, 1000), all);
}

/// Mutants are killed soon, however many states lie behind.
#[test]
fn mutants_that_are_killed_soon_are_so_among_many_states() {
    let text = COUNTER.replace("LIMIT", "60000");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("system.as");
    std::fs::write(&path, text).expect("a file");
    let operators = "initial".parse::<Operators>().ok();
    let file = mutate(&path, &MutateOptions { operators, ..MutateOptions::default() }).expect("a system");
    let verdicts: Vec<&str> = file.mutants.iter().map(|mutant| mutant.verdict.as_str()).collect();
    assert!(!verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == "killed"), "{verdicts:?}");
}
