//! The command line calls the facade and nothing below it; neither has circles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Crates of this workspace that the command line may name.
const FACADE: [&str; 3] = ["chaincover", "bench", "campaign"];

/// Crates from outside: arguments, terminal, signals, text forms of results, temporary folders.
const OUTSIDE: [&str; 12] = [
    "clap",
    "clap_complete",
    "clap_mangen",
    "comfy-table",
    "ctrlc",
    "indicatif",
    "nix",
    "serde",
    "serde_json",
    "tempfile",
    "toml",
    "thiserror",
];

/// The crates that a manifest names in a section.
fn dependencies(manifest: &str, section: &str) -> Vec<String> {
    let manifest: toml::Table = manifest.parse().expect("a manifest");
    let section = manifest.get(section).and_then(toml::Value::as_table);
    section.map(|entries| entries.keys().cloned().collect()).unwrap_or_default()
}

/// All Rust files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let below = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    entries.flat_map(below).filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect()
}

#[test]
fn only_the_facade_is_called() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(here.join("Cargo.toml")).expect("the manifest");
    for name in dependencies(&manifest, "dependencies") {
        let is_known = FACADE.contains(&name.as_str()) || OUTSIDE.contains(&name.as_str());
        assert!(is_known, "the command line depends on `{name}`: call it through the crate chaincover");
    }
    let workspace =
        std::fs::read_to_string(here.join("../Cargo.toml")).expect("the manifest of the workspace");
    let workspace: toml::Table = workspace.parse().expect("a manifest");
    let members = workspace["workspace"]["dependencies"].as_table().expect("a table").clone();
    let own = members.iter().filter(|(_, entry)| entry.get("path").is_some()).map(|(name, _)| name.as_str());
    let below: Vec<&str> = own.filter(|name| !FACADE.contains(name)).collect();
    assert!(below.contains(&"engine") && below.contains(&"frontend"), "{below:?}");
    for path in sources(&here.join("src")) {
        let text = std::fs::read_to_string(&path).expect("a source");
        for line in text.lines().map(str::trim_start).filter(|line| line.starts_with("use ")) {
            let first = line["use ".len()..]
                .trim_start_matches("::")
                .split([':', ';', ' '])
                .next()
                .unwrap_or_default();
            assert!(!below.contains(&first), "{}: {line}", path.display());
        }
    }
}

/// Code without comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The names that a text takes from a module: `module::name` and `module::{name, other::thing}`.
fn named(code: &str, module: &str) -> BTreeSet<String> {
    let word = |text: &str| -> String {
        text.trim_start()
            .chars()
            .take_while(|c| c.is_ascii_lowercase() || matches!(c, '_' | '0'..='9'))
            .collect()
    };
    let mut found = BTreeSet::new();
    for rest in code.split(module).skip(1) {
        let Some(list) = rest.strip_prefix('{') else {
            found.insert(word(rest));
            continue;
        };
        let (mut depth, mut is_first) = (0, true);
        for (at, character) in list.char_indices() {
            if is_first && depth == 0 {
                found.insert(word(&list[at..]));
            }
            is_first = character == ',';
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                _ => {}
            }
        }
    }
    found
}

/// A circle of rooms, each of which knows the next one.
fn circle(arrows: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut left = arrows.clone();
    // A room that knows nobody who is left is in no circle.
    while let Some(room) = left.keys().find(|room| !left[*room].iter().any(|other| left.contains_key(other)))
    {
        let room = room.clone();
        left.remove(&room);
    }
    let mut way = vec![left.keys().next()?.clone()];
    loop {
        let next = left[&way[way.len() - 1]].iter().find(|other| left.contains_key(*other))?.clone();
        if let Some(begin) = way.iter().position(|room| *room == next) {
            return Some(way.split_off(begin));
        }
        way.push(next);
    }
}

/// Files of the facade (with the folders of their names) and of the commands know one another in one
/// direction only.
#[test]
fn rooms_of_the_facade_and_commands_have_no_circles() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (folder, module, least) in [("../chaincover/src", "crate::", 120), ("src/commands", "super::", 80)] {
        let root = here.join(folder);
        let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for path in sources(&root) {
            let inside = path.strip_prefix(&root).expect("a file below the root");
            let first = inside.iter().next().expect("a name").to_string_lossy();
            let room = first.trim_end_matches(".rs").to_owned();
            if ["lib", "mod"].contains(&room.as_str()) {
                continue;
            }
            let text = code(&std::fs::read_to_string(&path).expect("a source"));
            let others = named(&text, module).into_iter().filter(|other| *other != room);
            arrows.entry(room.clone()).or_default().extend(others);
        }
        let rooms: BTreeSet<String> = arrows.keys().cloned().collect();
        arrows.values_mut().for_each(|known| known.retain(|other| rooms.contains(other)));
        let count: usize = arrows.values().map(BTreeSet::len).sum();
        assert!(count > least, "only {count} imports in {folder}: is the test still reading the sources?");
        assert_eq!(circle(&arrows), None, "files in {folder} know one another in a circle");
    }
}

#[test]
fn circles_are_found() {
    let arrows = |pairs: &[(&str, &str)]| {
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (from, to) in pairs {
            found.entry((*from).to_owned()).or_default().insert((*to).to_owned());
            found.entry((*to).to_owned()).or_default();
        }
        found
    };
    assert_eq!(circle(&arrows(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    let found = circle(&arrows(&[("a", "b"), ("b", "c"), ("c", "b")]));
    assert_eq!(found, Some(vec!["b".to_owned(), "c".to_owned()]));
    let text = "use super::{args::{X, y}, print, tell};\nuse super::load;\nlet x = super::exit::f();";
    let names: Vec<String> = named(text, "super::").into_iter().collect();
    assert_eq!(names, ["args", "exit", "load", "print", "tell"]);
}
