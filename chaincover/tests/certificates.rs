//! Evidence for what `check` says of random requirement interfaces: honest evidence is accepted,
//! and whatever is forged of it shows nothing that enumeration of all values finds to be false.
//!
//! `CHAINCOVER_RANDOM_INTERFACES` says how many interfaces there are, `CHAINCOVER_RANDOM_SEED` where
//! they begin.

use crate::brute::Random;
use chaincover::requirements::{consistency_after, read_interface, write_proofs};
use chaincover::{Against, Finding, Limit, sha256, verify};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Interfaces if the environment does not say.
const INTERFACES: u64 = 24;
/// Forgeries of the evidence for one interface.
const FORGERIES: u64 = 8;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Writes an interface and evidence for it; false where the library does not accept the text.
fn write(folder: &Path, random: &Random) -> bool {
    let path = folder.join("random.ri");
    std::fs::write(&path, random.text()).expect("a file");
    let Ok(document) = read_interface(std::slice::from_ref(&path), &[]) else { return false };
    let found = consistency_after(&document.interface, [0, 0], &Limit::default());
    let written =
        write_proofs(folder, &document, &[path], &found, &Limit::default()).expect("files should be written");
    assert_eq!(written.open, [], "{}", random.text());
    true
}

/// Whether all that a result says is so.
fn is_true(random: &Random, json: &Json) -> bool {
    let depth = random.solve(&random.all()).1;
    let told = json["depth"].as_u64().map(|depth| depth as usize);
    let number = |name: &Json| name.as_str().and_then(|name| name.strip_prefix('r')?.parse::<usize>().ok());
    let sets = |key: &str| -> BTreeSet<Vec<usize>> {
        let set = |set: &Json| {
            let mut members: Vec<usize> = set.as_array().into_iter().flatten().filter_map(number).collect();
            members.sort_unstable();
            members.dedup();
            members
        };
        json[key].as_array().into_iter().flatten().map(set).collect()
    };
    let are_minimal = || {
        depth.is_none()
            || sets("conflicts").is_subset(&random.conflicts(depth))
                && sets("conflicts_any_depth").is_subset(&random.conflicts(None))
    };
    match json["consistent"].as_bool() {
        Some(true) => depth.is_none(),
        Some(false) => depth.is_some() && told.is_none_or(|told| Some(told) == depth) && are_minimal(),
        None => true,
    }
}

/// Whether `verify` accepts everything.
fn is_accepted(folder: &Path) -> bool {
    match verify(folder, Against::default()) {
        Ok(found) => found.count(Finding::Rejected) == 0 && found.count(Finding::NotCertified) == 0,
        Err(_) => false,
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a file")
}

/// Another result.
fn claim_otherwise(json: &mut Json, requirements: usize, chance: &mut StdRng) {
    let some = |chance: &mut StdRng| format!("r{}", chance.random_range(0..requirements));
    match chance.random_range(0..5) {
        0 => json["depth"] = json!(chance.random_range(0..4)),
        1 => {
            json["consistent"] = json!(!json["consistent"].as_bool().unwrap_or(false));
            json["depth"] = if json["consistent"] == true { Json::Null } else { json!(0) };
            json["conflicts"] = json!([]);
            json["conflicts_any_depth"] = json!([]);
        }
        _ => {
            let key = if chance.random_bool(0.5) { "conflicts" } else { "conflicts_any_depth" };
            let sets = json[key].as_array_mut().expect("a list");
            match sets.first_mut().and_then(Json::as_array_mut) {
                Some(set) if set.len() > 1 && chance.random_bool(0.5) => drop(set.pop()),
                Some(set) if chance.random_bool(0.5) => set.push(json!(some(chance))),
                _ => sets.push(json!([some(chance)])),
            }
        }
    }
}

/// A line of a certificate less, twice, or with another claim.
fn change_game(text: &str, chance: &mut StdRng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let place = chance.random_range(0..lines.len());
    match chance.random_range(0..4) {
        0 => drop(lines.remove(place)),
        1 => lines.push(lines[place].clone()),
        2 => {
            lines[0] = ["kept", "kept 1", "kept 2", "lost 1", "lost 2"][chance.random_range(0..5)].to_owned()
        }
        _ => lines[place] = lines[place].replace("=1", "=0"),
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Changes something; hashes are made to fit.
fn forge(folder: &Path, requirements: usize, chance: &mut StdRng) {
    let (result, manifest) = (folder.join("check.json"), folder.join("check-proofs/manifest.json"));
    let mut json: Json = serde_json::from_str(&read(&result)).expect("JSON");
    let mut told: Json = serde_json::from_str(&read(&manifest)).expect("JSON");
    let games = told["games"].as_array().map_or(0, Vec::len);
    let kind = if games == 0 { 0 } else { chance.random_range(0..5) };
    match kind {
        0 | 1 => claim_otherwise(&mut json, requirements, chance),
        2 => {
            let game =
                told["games"][chance.random_range(0..games)]["file"].as_str().expect("a name").to_owned();
            let path = folder.join("check-proofs").join(&game);
            let text = change_game(&read(&path), chance);
            std::fs::write(&path, &text).expect("a file");
            told["files"][game] = json!(sha256(&text));
        }
        3 => {
            let names = &mut told["games"][chance.random_range(0..games)]["requirements"];
            let names = names.as_array_mut().expect("a list");
            if names.pop().is_none() || chance.random_bool(0.5) {
                names.push(json!(format!("r{}", chance.random_range(0..requirements))));
            }
            claim_otherwise(&mut json, requirements, chance);
        }
        _ => {
            // The certificate of one game for another one.
            let (from, to) = (chance.random_range(0..games), chance.random_range(0..games));
            told["games"][to]["requirements"] = told["games"][from]["requirements"].clone();
            claim_otherwise(&mut json, requirements, chance);
        }
    }
    let text = json.to_string();
    told["files"]["check.json"] = json!(sha256(&text));
    std::fs::write(result, text).expect("a file");
    std::fs::write(manifest, told.to_string()).expect("a file");
}

#[test]
fn honest_evidence_is_accepted_and_forged_evidence_shows_nothing_false() {
    let first = setting("CHAINCOVER_RANDOM_SEED", 1);
    let (mut honest, mut inconsistent, mut refused, mut harmless) = (0, 0, 0, 0);
    for seed in first..first + setting("CHAINCOVER_RANDOM_INTERFACES", INTERFACES) {
        let random = if seed % 2 == 0 { Random::new(seed) } else { Random::restricted(seed) };
        let mut chance = StdRng::seed_from_u64(seed);
        let context = format!("seed {seed}\n{}", random.text());
        for forgery in 0..=FORGERIES {
            let folder = tempfile::tempdir().expect("a temporary folder");
            if !write(folder.path(), &random) {
                break;
            }
            if forgery == 0 {
                assert!(is_accepted(folder.path()), "{context}");
                honest += 1;
                inconsistent += u64::from(random.solve(&random.all()).1.is_some());
                continue;
            }
            forge(folder.path(), random.requirements.len(), &mut chance);
            if !is_accepted(folder.path()) {
                refused += 1;
                continue;
            }
            let json: Json = serde_json::from_str(&read(&folder.path().join("check.json"))).expect("JSON");
            assert!(is_true(&random, &json), "{json:#}\n{context}");
            harmless += 1;
        }
    }
    println!(
        "{honest} interfaces, {inconsistent} inconsistent; {refused} forgeries refused, {harmless} true"
    );
    assert!(inconsistent * 5 > honest && honest > inconsistent && refused > harmless && harmless > 0);
}

/// Files that are damaged, without new hashes, are told by their names.
#[test]
fn damaged_files_are_refused() {
    let text = include_str!("../../examples/buffer.ri");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("buffer.ri");
    std::fs::write(&path, text.replace(" and k > 0", "")).expect("a file");
    let document = read_interface(std::slice::from_ref(&path), &[]).expect("an interface");
    let found = consistency_after(&document.interface, [1_000_000, 0], &Limit::default());
    let written =
        write_proofs(folder.path(), &document, std::slice::from_ref(&path), &found, &Limit::default());
    let written = written.expect("files should be written");
    assert_eq!((written.statements, written.open), (4, vec![]));
    let about = verify(folder.path(), Against::default()).expect("a report");
    let held: Vec<&str> = about.claims.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        held,
        [
            "no system can answer all inputs up to step 1",
            "a system can answer all inputs before step 1",
            "{r0, r2} is a minimal conflict up to step 1",
            "{r2} is a minimal conflict at some depth"
        ]
    );
    for name in written.files.iter().map(String::as_str).chain(["check.json", "buffer.ri"]) {
        let path = folder.path().join(name);
        let text = read(&path);
        std::fs::write(&path, text.replacen('1', "0", 1) + "\n").expect("a file");
        assert!(!is_accepted(folder.path()), "{name}");
        std::fs::remove_file(&path).expect("a file");
        assert!(!is_accepted(folder.path()), "{name} is gone");
        std::fs::write(&path, text).expect("a file");
    }
    assert!(is_accepted(folder.path()));
}
