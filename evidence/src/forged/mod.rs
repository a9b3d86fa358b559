//! Forged results: bundles of claims, manifest and files, changed in every way that a forger may
//! think of, against small systems whose truth is known from their tables.
//!
//! The forger also has this program: of what he changed he makes the queries that it needs, and
//! proofs of those that have one. `CHAINCOVER_BUNDLES` says how many mutants there are,
//! `CHAINCOVER_RANDOM_SEED` where they begin.

mod bundle;
mod forge;
#[path = "../../../checker/tests/mutants/mutate.rs"]
mod mutate;
#[path = "../../../checker/tests/mutants/random.rs"]
mod random;
#[path = "../../../checker/tests/mutants/system.rs"]
mod system;
mod table;

use super::check::{Verdict, check};
use super::claims::Claim;
use super::{Part, Stored};
use bundle::Bundle;
use random::Random;
use report::output::chain_file::ChainFile;
use std::collections::BTreeMap;
use std::path::Path;
use system::System;

/// Mutants if the environment does not say.
const MUTANTS: u64 = 3_000;
/// Mutants of one bundle.
const OF_EACH: u64 = 60;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect("a number"))
}

/// What is true of a claim about chains that cover the goals of these names.
fn is_true(claim: &Claim, system: &System, covered: &[String]) -> bool {
    let place = |name: &String| {
        name.strip_prefix('g').and_then(|number| number.parse::<usize>().ok()).expect("a goal of the table")
    };
    let goals = covered.iter().fold(0u32, |set, name| set | 1 << place(name));
    // Where no chains cover the goals, every bound holds.
    match claim {
        Claim::Unreachable { goal } => !system.is_reachable(place(goal)),
        Claim::NoWayToFinal { goal } => system.coverable() >> place(goal) & 1 == 0,
        Claim::FewestChains { chains } => {
            system.fewest(goals).is_none_or(|fewest| *chains <= fewest as usize)
        }
        Claim::Length { chains, steps } => {
            let chains = u32::try_from(*chains).unwrap_or(u32::MAX).min(8);
            system.steps_of(goals, chains).is_none_or(|least| *steps <= least)
        }
        Claim::Cost { reset, cost } => system.cost(goals, *reset).is_none_or(|least| *cost <= least),
    }
}

/// Writes what differs from the files that are there.
fn write(place: &Path, there: &mut BTreeMap<String, String>, files: &BTreeMap<String, String>) {
    for name in there.keys().filter(|name| !files.contains_key(*name)) {
        std::fs::remove_file(place.join(name)).expect("a file");
    }
    for (name, text) in files.iter().filter(|(name, text)| there.get(*name) != Some(*text)) {
        std::fs::write(place.join(name), text).expect("a file");
    }
    there.clone_from(files);
}

/// Folder of a bundle, and what is in it.
struct Place {
    folder: tempfile::TempDir,
    there: BTreeMap<String, String>,
}

/// How many claims were accepted and true, and a false one if there is any.
fn judge(bundle: &Bundle, place: &mut Place) -> Result<u64, String> {
    write(&place.folder.path().join("proofs"), &mut place.there, &bundle.files);
    let Ok(file) = serde_json::from_value::<ChainFile>(bundle.result.clone()) else { return Ok(0) };
    let stored = Stored { folder: place.folder.path(), name: "chain.json", file: &file };
    let Ok(report) = check(Part::Chains, stored, &bundle.validated) else { return Ok(0) };
    let covered = super::claims::covered(&file);
    let mut accepted = 0;
    for (claim, verdict) in report.verdicts {
        if let Verdict::Checked(evidence) = verdict {
            if !is_true(&claim, &bundle.system, &covered) {
                return Err(format!("{claim} ({evidence})\n{:?}\n{:#?}", bundle.system, bundle.files));
            }
            accepted += 1;
        }
    }
    Ok(accepted)
}

#[test]
fn no_forged_bundle_is_accepted_with_a_false_claim() {
    let (mutants, seed) = (number("CHAINCOVER_BUNDLES", MUTANTS), number("CHAINCOVER_RANDOM_SEED", 1));
    let start = std::time::Instant::now();
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("proofs")).expect("a folder");
    let mut place = Place { folder, there: BTreeMap::new() };
    let mut donor = bundle::make(&mut random);
    let (mut accepted, mut claims, mut kinds) = (0u64, 0u64, BTreeMap::<String, u64>::new());
    for round in 0..mutants.div_ceil(OF_EACH) {
        let state = random.clone();
        let honest = bundle::make(&mut random);
        for name in honest.names() {
            let kind = name.split('-').next().unwrap_or_default().to_owned();
            *kinds.entry(kind).or_default() += 1;
        }
        let shown = judge(&honest.with_claims(), &mut place).expect("honest evidence");
        assert!(shown > 0, "round {round}: honest evidence shows nothing\n{:#?}", honest.files);
        for _ in 0..OF_EACH {
            let forged = honest.forged(&donor, &mut random);
            match judge(&forged, &mut place) {
                Ok(true_claims) => {
                    accepted += u64::from(true_claims > 0);
                    claims += true_claims;
                }
                Err(what) => panic!("round {round} from {state:?}: {what}"),
            }
        }
        donor = honest;
    }
    let rate = mutants as f64 / start.elapsed().as_secs_f64();
    println!(
        "bundles: {mutants} mutants, {accepted} accepted with {claims} true claims, 0 with false ones; {rate:.0} a second; evidence: {kinds:?}"
    );
    assert!(accepted * 50 > mutants, "{accepted} of {mutants} accepted");
    for kind in
        ["graph", "families", "parts", "never", "dead", "exclusive", "bounded", "apart", "states", "tour"]
    {
        assert!(
            kinds.contains_key(kind) || mutants < MUTANTS || seed != 1,
            "no evidence of kind {kind}: {kinds:?}"
        );
    }
}
