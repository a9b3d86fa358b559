//! The command line calls the facade and nothing below it.

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
