//! Which rooms of the engine may know which: each only those below it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// From the ground up. A file beside the folders is a room of its own.
const FLOORS: [&str; 23] = [
    "error",
    "tuning",
    "exchange",
    "options",
    "session",
    "domain",
    "random_simulation",
    "game",
    "knowledge",
    "turn",
    "threads",
    "step",
    "search",
    "provers",
    "finders",
    "optimum",
    "outcome",
    "smooth",
    "schedule",
    "components",
    "baselines",
    "pipeline",
    "refinement",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => sources(&path, found),
            false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            false => {}
        }
    }
}

/// Code without comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The rooms that `crate::room::...` names in a text.
fn named(code: &str) -> BTreeSet<String> {
    let behind = code.split("crate::").skip(1);
    let name =
        |rest: &str| rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect::<String>();
    behind.map(name).filter(|name| !name.is_empty()).collect()
}

#[test]
fn rooms_know_only_those_below_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let floor = |room: &str| FLOORS.iter().position(|known| *known == room);
    let (mut upward, mut arrows) = (Vec::new(), 0);
    for file in files.iter().filter(|file| !file.ends_with("lib.rs") && !file.ends_with("tests.rs")) {
        let inside = file.strip_prefix(&root).expect("a file below the root");
        let first = inside.iter().next().expect("a name").to_string_lossy();
        let room = first.trim_end_matches(".rs").to_owned();
        let own = floor(&room).unwrap_or_else(|| panic!("{room} has no floor: add it to the list"));
        for other in named(&code(&fs::read_to_string(file).expect("a text"))) {
            arrows += 1;
            match floor(&other) {
                Some(floor) if floor <= own => {}
                Some(_) => upward.push(format!("{} -> {other}", inside.display())),
                None => upward.push(format!("{} -> {other}, which has no floor", inside.display())),
            }
        }
    }
    assert!(arrows > 300, "only {arrows} imports were found: is the test still reading the sources?");
    assert!(upward.is_empty(), "rooms know rooms above them:\n{}", upward.join("\n"));
}
