//! Chains of random requirement interfaces by the search, against enumeration of all values.

#[path = "../../frontend/contracts/tests/brute/mod.rs"]
mod brute;

use brute::Random;
use chaincover::requirements::{consistency, read_interface, refine};
use chaincover::{GoalStatus, Limit, Minimality, Options, Settings, Silent, find_chains, read};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Steps up to which chains are compared.
const MOST: usize = 7;

#[test]
fn lengths_are_those_of_enumeration() {
    let setting = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
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
