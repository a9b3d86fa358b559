//! Chains of random requirement interfaces by the search, against enumeration of all values.

#[path = "../../frontend/contracts/tests/brute/mod.rs"]
mod brute;

use brute::Random;
use chaincover::requirements::{consistency, consistency_after, read_interface, refine};
use chaincover::{GoalStatus, Limit, Minimality, Options, Settings, Silent, find_chains, read};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Steps up to which chains are compared.
const MOST: usize = 7;

/// The buffer of the example with a million places, empty or nearly full at the start.
#[test]
fn interfaces_that_are_too_large_to_enumerate() {
    let text = include_str!("../../examples/buffer.ri");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("buffer.ri");
    for (old, new) in [("N = 2", "N = 3"), ("k' = 0 and E'", "k' = N - 2 and not E'")] {
        let faulty = text.replacen(old, new, 1);
        assert_ne!(faulty, text, "{old}");
        std::fs::write(&path, &faulty).expect("a file");
        let document =
            read_interface(std::slice::from_ref(&path), &["N=1000000".to_owned()]).expect("an interface");
        let found = consistency_after(&document.interface, 10_000, &Limit::default()).expect("a decision");
        // The part with the counter is not enumerated, the other one is.
        let unknown = document.interface.names(found.unknown_void.iter().copied());
        assert_eq!((found.depth, unknown.len()), (None, 6), "{old} -> {new}");
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Two solvers that refute each other, against enumeration of all values: depths and all conflicts.
#[test]
fn games_are_decided_as_by_enumeration() {
    let (mut consistent, mut deep) = (0, 0);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let first = setting("CHAINCOVER_RANDOM_SEED", 1);
    for seed in first..first + setting("CHAINCOVER_RANDOM_INTERFACES", 300) {
        let random = Random::new(seed);
        let path = folder.path().join("random.ri");
        std::fs::write(&path, random.text()).expect("a file");
        let Ok(document) = read_interface(std::slice::from_ref(&path), &[]) else { continue };
        let context = format!("seed {seed}\n{}", random.text());
        let found = consistency_after(&document.interface, 0, &Limit::default())
            .unwrap_or_else(|error| panic!("{error}\n{context}"));
        let (_, depth) = random.solve(&random.all());
        assert_eq!(found.depth, depth, "{context}");
        match depth {
            None => {
                // Nothing was enumerated.
                assert_eq!(found.unknown_void.len(), document.interface.requirements.len(), "{context}");
                consistent += 1;
            }
            Some(depth) => {
                let sets = |sets: &[Vec<usize>]| sets.iter().cloned().collect::<BTreeSet<_>>();
                assert_eq!(sets(&found.conflicts.sets), random.conflicts(Some(depth)), "{context}");
                assert_eq!(sets(&found.any_depth.sets), random.conflicts(None), "{context}");
                // The reference interpreter has accepted the play.
                let play = found.refutation.unwrap_or_else(|| panic!("no play\n{context}"));
                assert_eq!(play.inputs.len(), depth + 1, "{context}");
                deep += usize::from(depth > 0);
            }
        }
    }
    assert!(consistent > 20 && deep > 10, "{consistent} {deep}");
}

#[test]
fn lengths_are_those_of_enumeration() {
    let first = setting("CHAINCOVER_RANDOM_SEED", 1);
    let (mut covered, mut long, mut unreachable) = (0, 0, 0);
    let folder = tempfile::tempdir().expect("a temporary folder");
    for seed in first..first + setting("CHAINCOVER_RANDOM_INTERFACES", 60) {
        let random = Random::new(seed);
        let path = folder.path().join("random.ri");
        std::fs::write(&path, random.text()).expect("a file");
        let Ok(document) = read_interface(std::slice::from_ref(&path), &[]) else { continue };
        let is_consistent = random.solve(&random.all()).1.is_none();
        let found = consistency(&document.interface, &Limit::default()).expect("a small interface");
        assert_eq!(found.is_consistent(), is_consistent, "seed {seed}\n{}", random.text());
        let names: Vec<String> = document.interface.goals().map(str::to_owned).collect();
        for (goal, name) in names.iter().enumerate() {
            let settings = Settings { goals: vec![PathBuf::from(name)], ..Settings::default() };
            let context = format!("seed {seed} {name}\n{}", random.text());
            let model = match read([&path], &settings) {
                Ok(model) => model,
                Err(error) => {
                    assert!(!is_consistent, "{error}\n{context}");
                    continue;
                }
            };
            assert!(is_consistent, "{context}");
            let mut outcome = find_chains(&model, &Options::default(), &Silent)
                .unwrap_or_else(|error| panic!("{error}\n{context}"));
            let answers = refine(&model, &mut outcome, &Limit::default());
            answers.unwrap_or_else(|error| panic!("{error}\n{context}"));
            match random.shortest(&BTreeSet::from([goal]), MOST) {
                Some(expected) => {
                    assert_eq!(
                        (outcome.length(), outcome.minimal),
                        (expected as u64, Minimality::Proven),
                        "{context}"
                    );
                    covered += 1;
                    long += usize::from(expected > 1);
                }
                None => {
                    let statuses: Vec<&GoalStatus> =
                        outcome.goals.values().map(|goal| &goal.status).collect();
                    assert!(outcome.length() == 0 || outcome.length() > MOST as u64, "{context}");
                    unreachable += usize::from(matches!(statuses[..], [GoalStatus::Unreachable { .. }]));
                }
            }
        }
    }
    assert!(covered > 40 && long > 10 && unreachable > 3, "{covered} {long} {unreachable}");
}
