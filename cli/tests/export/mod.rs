//! Exported files, read back by the reference readers of their formats.
//!
//! The readers are Python packages (`scripts/roundtrip/requirements.txt`). Where they are not installed the comparison is not
//! run, and says so; the unit tests beside the writers and the replay program do not need them. `CHAINCOVER_PYTHON` names another
//! interpreter than `python3`.

mod corpus;
mod edges;
mod judging;
mod programs;
mod readers;

use std::path::Path;
use std::process::Command;

/// Formats that need the chain alone.
const FORMATS: &str = "csv,csv-veristand,csv-canoe,csv-simulink,csv-fmi,mat,mf4,vcd,xlsx,junit,trace,pytest";

fn export(chain: &Path, formats: &str, folder: &Path) -> (Option<i32>, String) {
    let ended = Command::new(env!("CARGO_BIN_EXE_chaincover"))
        .arg("export")
        .arg(chain)
        .args(["--format", formats, "-q", "-o"])
        .arg(folder)
        .output()
        .expect("the program should start");
    (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
}

#[test]
fn edge_values_read_back() {
    let mut folders = Vec::new();
    let root = tempfile::tempdir().expect("a temporary folder");
    for (name, file) in edges::files() {
        let folder = root.path().join(name);
        std::fs::create_dir(&folder).expect("a folder");
        let chain = folder.join("chain.json");
        std::fs::write(&chain, format!("{file:#}")).expect("a file");
        let formats =
            if name == "infinite" { FORMATS.replace("csv-simulink,", "") } else { FORMATS.to_owned() };
        assert_eq!(export(&chain, &formats, &folder), (Some(0), String::new()), "{name}");
        folders.push(folder);
    }
    readers::compare(&folders);
}

#[test]
fn what_cannot_be_written_is_refused() {
    let root = tempfile::tempdir().expect("a temporary folder");
    let chain = root.path().join("chain.json");
    let (_, file) = edges::files().into_iter().find(|(name, _)| *name == "infinite").expect("a case");
    std::fs::write(&chain, file.to_string()).expect("a file");
    let (code, message) = export(&chain, "csv-simulink", root.path());
    assert_eq!(code, Some(2));
    assert!(message.contains("csv-simulink cannot express"), "{message}");
    assert!(!root.path().join("chain_simulink.csv").exists());
    std::fs::write(&chain, file.to_string().replace("\"5ms\"", "\"soon\"")).expect("a file");
    let (code, message) = export(&chain, "csv", root.path());
    assert_eq!((code, message.as_str()), (Some(2), "error: the period `soon` is not a duration\n"));
}
