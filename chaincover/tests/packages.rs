//! Licences of all packages, and dependencies that nothing uses.

use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Licences that the program may be built with: none of them asks anything of whoever links it, but
/// to name the authors.
const ALLOWED: [&str; 9] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// All that cargo knows of the packages that are built on this machine.
fn metadata() -> Json {
    let mut command = Command::new(env!("CARGO"));
    command.args([
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--filter-platform",
        "x86_64-unknown-linux-gnu",
    ]);
    let output = command.current_dir(root()).output().expect("cargo should start");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text<'j>(json: &'j Json, key: &str) -> &'j str {
    json[key].as_str().unwrap_or_default()
}

fn packages(metadata: &Json) -> &[Json] {
    metadata["packages"].as_array().expect("packages")
}

/// Whether a licence expression (SPDX; `/` is an old form of `OR`) leaves a choice that is allowed.
/// `AND` binds more than `OR`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let (allowed, rest) = any(&words);
    allowed && rest.is_empty()
}

fn any<'w, 't>(words: &'w [&'t str]) -> (bool, &'w [&'t str]) {
    let (mut allowed, mut rest) = all(words);
    while let ["OR", behind @ ..] = rest {
        let (next, behind) = all(behind);
        (allowed, rest) = (allowed | next, behind);
    }
    (allowed, rest)
}

fn all<'w, 't>(words: &'w [&'t str]) -> (bool, &'w [&'t str]) {
    let (mut allowed, mut rest) = one(words);
    while let ["AND", behind @ ..] = rest {
        let (next, behind) = one(behind);
        (allowed, rest) = (allowed & next, behind);
    }
    (allowed, rest)
}

fn one<'w, 't>(words: &'w [&'t str]) -> (bool, &'w [&'t str]) {
    match words {
        ["(", inner @ ..] => match any(inner) {
            (allowed, [")", rest @ ..]) => (allowed, rest),
            _ => (false, words),
        },
        [name, "WITH", exception, rest @ ..] => {
            (ALLOWED.contains(&format!("{name} WITH {exception}").as_str()), rest)
        }
        [name, rest @ ..] => (ALLOWED.contains(name), rest),
        [] => (false, words),
    }
}

#[test]
fn licence_expressions() {
    let table = [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0-only", false),
        ("GPL-3.0-only OR MIT", true),
        ("MIT AND GPL-3.0-only", false),
        ("(MIT OR GPL-3.0-only) AND Unicode-3.0", true),
        ("MIT AND GPL-2.0 OR Zlib", true),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("GPL-2.0 WITH Classpath-exception-2.0", false),
        ("CC-BY-NC-4.0", false),
        ("(MIT", false),
        ("", false),
    ];
    for (expression, expected) in table {
        assert_eq!(is_allowed(expression), expected, "{expression}");
    }
}

#[test]
fn every_package_has_a_licence_that_is_allowed() {
    let metadata = metadata();
    assert!(packages(&metadata).len() > 50, "cargo names too few packages");
    let refused = packages(&metadata).iter().filter(|package| !is_allowed(text(package, "license")));
    let refused: Vec<String> =
        refused.map(|package| format!("{}: {}", text(package, "name"), text(package, "license"))).collect();
    assert!(refused.is_empty(), "{refused:?}");
}

/// All Rust texts below a folder, without those of other packages.
fn sources(folder: &Path) -> String {
    let mut all = String::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return all };
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        let has_own_manifest = path.join("Cargo.toml").exists();
        if path.is_dir() && !has_own_manifest && !path.ends_with("target") {
            all += &sources(&path);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source");
            // Modules that stand elsewhere.
            for part in text.split("#[path = \"").skip(1) {
                let elsewhere = part.split('"').next().map(|name| path.with_file_name(name));
                all += &elsewhere.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
            }
            all += &text;
        }
    }
    all
}

/// Whether a text names a crate: as the beginning of a path, or in `use` or `extern crate`.
fn names(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let begins = text[..at].chars().next_back().is_none_or(|before| !is_word(before));
        let behind = &text[at + name.len()..];
        let is_used = ["use ", "extern crate "].iter().any(|word| text[..at].ends_with(word));
        begins && (behind.starts_with("::") || is_used && behind.starts_with([';', ' ']))
    })
}

#[test]
fn every_dependency_is_used() {
    let table = [
        ("use rand::Rng;", true),
        ("use rand;", true),
        ("strand::x", false),
        ("// rand and others", false),
        ("&rand::x()", true),
    ];
    for (text, expected) in table {
        assert_eq!(names(text, "rand"), expected, "{text}");
    }
    let metadata = metadata();
    let members = metadata["workspace_members"].as_array().expect("members");
    let mut unused = Vec::new();
    for package in packages(&metadata).iter().filter(|package| members.contains(&package["id"])) {
        let folder = Path::new(text(package, "manifest_path")).parent().expect("a folder").to_owned();
        let (everything, production) = (sources(&folder), sources(&folder.join("src")));
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let name = dependency["rename"].as_str().unwrap_or(text(dependency, "name")).replace('-', "_");
            let is_ordinary = dependency["kind"].is_null();
            if !names(if is_ordinary { &production } else { &everything }, &name) {
                unused.push(format!("{}: {name}", text(package, "name")));
            }
        }
    }
    assert!(unused.is_empty(), "nothing uses {unused:?}");
}

/// What the workspace declares for its members is declared by one of them.
#[test]
fn every_shared_dependency_is_declared() {
    let metadata = metadata();
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    let shared = manifest.split("[workspace.dependencies]").nth(1).expect("a section").lines().skip(1);
    let shared = shared.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once(" = "));
    let shared: Vec<&str> = shared.map(|(name, _)| name).collect();
    assert!(shared.contains(&"rustc-hash"), "{shared:?}");
    let members = packages(&metadata).iter().filter(|package| package["source"].is_null());
    let declared: Vec<&Json> =
        members.flat_map(|package| package["dependencies"].as_array().expect("dependencies")).collect();
    for name in shared {
        let is_declared = |entry: &&Json| entry["rename"].as_str().unwrap_or(text(entry, "name")) == name;
        assert!(declared.iter().any(is_declared), "no member depends on `{name}`");
    }
}
