//! Calls the comparison script.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the script ends with where a reader is not installed.
const NOT_INSTALLED: i32 = 77;

/// Compares the exports of each folder with its `chain.json`.
pub(crate) fn compare(folders: &[PathBuf]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/roundtrip/compare.py");
    let python = std::env::var("CHAINCOVER_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let ended = match Command::new(&python).arg(script).args(folders).output() {
        Ok(ended) => ended,
        Err(error) => return eprintln!("reference readers: not run: {python}: {error}"),
    };
    let said = String::from_utf8_lossy(&ended.stdout);
    match ended.status.code() {
        Some(0) => eprintln!("reference readers: {} folders agree", folders.len()),
        Some(NOT_INSTALLED) => {
            eprintln!("reference readers: {}", String::from_utf8_lossy(&ended.stderr).trim());
        }
        _ => panic!("{said}\n{}", String::from_utf8_lossy(&ended.stderr)),
    }
}
