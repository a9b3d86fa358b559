//! Runs the tests of the Python package: its texts and the extension module that cargo has built
//! are put into a temporary folder.

use std::path::{Path, PathBuf};
use std::process::Command;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The extension module: cargo puts it beside the programs of its tests.
fn extension() -> PathBuf {
    let test = std::env::current_exe().expect("this program should have a place");
    let name = format!("{}_native{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let path = test.with_file_name(name);
    assert!(path.is_file(), "cargo should have built {}", path.display());
    path
}

/// Copies the files of a folder that has no others below.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder should be made");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            std::fs::copy(&path, to.join(path.file_name().expect("a name")))
                .expect("a file should be copied");
        }
    }
}

#[test]
fn the_tests_in_python_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let package = folder.path().join("chaincover");
    copy(&here().join("chaincover"), &package);
    copy(&here().join("chaincover/engines"), &package.join("engines"));
    std::fs::copy(extension(), package.join("_native.abi3.so")).expect("the extension should be copied");
    let tests = folder.path().join("tests");
    copy(&here().join("tests"), &tests);
    let mut command = Command::new("python3");
    // Not in the folder of the manifest: Python would take the package there, without the extension.
    command.args(["-m", "unittest"]).current_dir(&tests);
    command.env("PYTHONPATH", folder.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("CHAINCOVER_REPOSITORY", std::fs::canonicalize(here().join("..")).expect("the repository"));
    let output = command.output().expect("python3 should start: install the package of this name");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    // Nothing found would be a success, too.
    let count =
        told.lines().find_map(|line| line.strip_prefix("Ran ")?.split(' ').next()?.parse::<u32>().ok());
    assert!(count.is_some_and(|count| count >= 30), "{told}");
}

/// Crates of this workspace that the extension may name.
const BELOW: [&str; 2] = ["chaincover", "cli"];

#[test]
fn only_the_facade_and_the_program_are_called() {
    let text = std::fs::read_to_string(here().join("Cargo.toml")).expect("the manifest");
    let manifest: toml::Table = text.parse().expect("a manifest");
    let dependencies = manifest["dependencies"].as_table().expect("a table");
    let own = dependencies.iter().filter(|(_, entry)| entry.get("workspace").is_some());
    let own: Vec<&String> = own.map(|(name, _)| name).collect();
    assert_eq!(own, BELOW);
}
