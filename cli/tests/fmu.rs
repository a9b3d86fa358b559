//! FMUs as a user meets them: the walk through the seat heater of the documents, and what is
//! refused.

use crate::support::call;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/heater")
}

/// A folder with a copy of the seat heater, whose files may be changed.
fn heater(change: impl Fn(&str, String) -> String) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir_all(folder.path().join("heater/sources")).expect("a folder");
    for name in ["modelDescription.xml", "chaincover.toml", "sources/heater.c", "sources/unused.c"] {
        let text = std::fs::read_to_string(example().join(name)).expect("the example");
        std::fs::write(folder.path().join("heater").join(name), change(name, text)).expect("a file");
    }
    folder
}

fn unchanged(_: &str, text: String) -> String {
    text
}

fn result(path: &Path) -> Json {
    serde_json::from_str(&std::fs::read_to_string(path).expect("a result")).expect("JSON")
}

#[test]
fn the_walk_through_the_heater() {
    let folder = heater(unchanged);
    let (code, out, err) =
        call(folder.path(), &["chain", "heater", "-o", "out", "--proofs", "--format", "csv,pytest"]);
    assert_eq!(code, 0, "{out}{err}");
    let head = "heater: 5 of 5 goals covered, one chain of 7 steps, proven minimal

   full                      covered at step 2
   weary                     covered at step 6
   locked                    covered at step 0
   free again                covered at step 1
   never warm and locked     covered at step 0  expectation held  PROVEN (exhaustive: 17 reachable states)

chain: 7 steps in 700 ms, locked -> never warm and locked -> free again -> full -> weary, replayed on the compiled code
";
    assert!(out.starts_with(head), "{out}");
    let file = result(&folder.path().join("out/chain.json"));
    let names = |key: &str| -> Vec<String> {
        let list = file[key].as_array().expect("a list").iter();
        list.map(|signal| signal["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names("inputs"), ["seat.temperature", "wish"]);
    assert_eq!(names("outputs"), ["power", "locked", "state.warm"]);
    assert_eq!(file["inputs"][0]["unit"], "degC");
    assert_eq!((&file["model"]["period"], &file["model"]["target"]), (&"100ms".into(), &"lp64".into()));
    let (code, out, err) = call(folder.path(), &["verify", "out"]);
    assert!(code == 0 && out.contains("the compiled code agrees (native)"), "{out}{err}");
    let (code, out, err) = call(folder.path(), &["replay", "out/chain.json"]);
    assert!(code == 0 && out.contains("5 of 5 goals covered"), "{out}{err}");
    let (code, _, err) = call(
        folder.path(),
        &["export", "out/chain.json", "-o", "files", "--format", "vcd,html,junit,csv-fmi"],
    );
    assert_eq!(code, 0, "{err}");
    let (_, _, err) = call(folder.path(), &["export", "out/chain.json", "-o", "files", "--format", "fmpy"]);
    assert!(err.contains("the model is no FMU (*.fmu)"), "{err}");
}

#[test]
fn check_lists_what_was_taken() {
    let folder = heater(unchanged);
    let (code, out, err) = call(folder.path(), &["check", "heater"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for line in [
        "FMI 2.0, Co-Simulation: one communication step of 0.1 s",
        "parameters: they keep their start values, unless [const] gives them others",
        "seat.temperature  double  fmu.seat_temperature",
        "executions that call `abort` here, which ends the program, are left out",
    ] {
        assert!(out.contains(line), "{line}\n{out}");
    }
    let (code, written, err) = call(folder.path(), &["check", "heater", "--write-config"]);
    assert_eq!(code, 0, "{err}");
    for line in [
        "sources = [\"heater/modelDescription.xml\"]",
        "period = \"100ms\"",
        "range = [\"(-40.0)\", \"120.0\"]",
        "1 = \"mild\"",
        "text = \"of the heating mat, in %\"",
    ] {
        assert!(written.contains(line), "{line}\n{written}");
    }
    std::fs::write(folder.path().join("again.toml"), &written).expect("a file");
    let (code, again, err) = call(folder.path(), &["check", "again.toml", "--write-config"]);
    assert_eq!((code, again), (0, written), "{err}");
}

#[test]
fn parameters_and_steps_are_the_configurations() {
    let folder = heater(|name, text| match name {
        "chaincover.toml" => {
            let goal =
                "[[goal]]\nname = \"cool\"\nwhen = \"fmu.seat_temperature < 1\"\nafter = \"fmu.locked\"\n";
            let assumption = "[input.wish]\nvalues = [2]\n[const]\nlimit = -10.5\n";
            format!("[model]\nsources = [\"modelDescription.xml\"]\n{assumption}{goal}")
        }
        _ => text,
    });
    let arguments = ["chain", "heater", "--period", "20ms", "-q", "-o", "out"];
    let (code, out, err) = call(folder.path(), &arguments);
    assert_eq!(code, 0, "{out}{err}");
    let file = result(&folder.path().join("out/chain.json"));
    assert_eq!(file["model"]["period"], "20ms");
    assert_eq!(file["chains"][0]["steps"][0]["inputs"]["wish"], 2);
    let (code, out, err) = call(folder.path(), &["replay", "out/chain.json"]);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn coverage_is_that_of_the_sources() {
    let folder = heater(unchanged);
    let arguments = ["chain", "heater", "--coverage", "decision", "-q", "-o", "out", "--fail-on", "violated"];
    let (code, out, err) = call(folder.path(), &arguments);
    assert_eq!(code, 0, "{out}{err}");
    let file = result(&folder.path().join("out/chain.json"));
    let sites = file["coverage"]["sites"].as_array().expect("sites");
    let files: Vec<&str> = sites.iter().filter_map(|site| site["file"].as_str()).collect();
    assert!(!files.is_empty() && files.iter().all(|file| !file.starts_with("<fmu>")), "{files:?}");
}

#[test]
fn an_fmu_that_fails_at_once_is_told() {
    let folder = heater(|name, text| match name {
        // It wants to be told how far it is, and is never content.
        "sources/heater.c" => text.replace("if (heater->temperature > 110)", "if (point >= 0)"),
        _ => text,
    });
    let (code, out, err) = call(folder.path(), &["check", "heater"]);
    assert!(code == 3 && err.contains("error[no-step-possible]"), "{code} {out}{err}");
    let folder = heater(|name, text| match name {
        "sources/heater.c" => text.replace("if (heater->temperature > 110)", "if (point > 0.25)"),
        _ => text,
    });
    let (code, out, err) = call(folder.path(), &["check", "heater"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        err.starts_with("warning[fmu-ends-soon]: every execution of the FMU ends within 8 steps"),
        "{err}"
    );
}

#[test]
fn chains_are_adapted_to_a_changed_fmu() {
    let folder = heater(unchanged);
    let (code, out, err) = call(folder.path(), &["chain", "heater", "--timeout", "60s", "-q", "-o", "out"]);
    assert_eq!(code, 0, "{out}{err}");
    let source = folder.path().join("heater/sources/heater.c");
    let text = std::fs::read_to_string(&source).expect("the source");
    assert!(text.contains("MOST_FULL 5"), "{text}");
    std::fs::write(&source, text.replace("MOST_FULL 5", "MOST_FULL 6")).expect("a file");
    let arguments = ["adapt", "out/chain.json", "heater", "--timeout", "60s", "-q", "-o", "new"];
    let (code, out, err) = call(folder.path(), &arguments);
    assert_eq!(code, 0, "{out}{err}");
    let chain = &result(&folder.path().join("new/chain.json"))["chains"][0];
    assert_eq!((&chain["length"], &chain["replayed"]), (&8.into(), &true.into()));
}

#[test]
fn an_fmu_in_the_working_folder_has_the_name_that_it_says() {
    let folder = heater(|name, text| match name {
        "modelDescription.xml" => text.replace("modelIdentifier=\"heater\"", "modelIdentifier=\"seat\""),
        _ => text,
    });
    let inner = folder.path().join("heater");
    std::fs::remove_file(inner.join("chaincover.toml")).expect("a file");
    let (code, out, err) = call(&inner, &["check", "."]);
    assert!(code == 0 && out.contains("seat (lp64 target)"), "{code} {out}{err}");
}

#[test]
fn an_fmu_that_loops_for_longer_than_is_unrolled_points_at_the_option() {
    let folder = heater(|name, text| {
        match name {
        "sources/heater.c" => text.replace(
            "if (heater->temperature > 110)",
            "for (int i = 0; i < 20 + heater->wish; i++) heater->warm += 0;\n    if (heater->temperature > 110)",
        ),
        _ => text,
    }
    });
    let arguments = ["chain", "heater", "--unwind", "3", "--assume-unwound", "--timeout", "60s"];
    let (code, out, err) = call(folder.path(), &arguments);
    assert_eq!(code, 2, "{out}{err}");
    assert!(err.contains("a larger --unwind keeps more of them"), "{err}");
}

#[test]
fn wrong_fmus_have_their_exit_codes() {
    let without = |part: &'static str| {
        heater(move |name, text| if name == "modelDescription.xml" { text.replace(part, "") } else { text })
    };
    let table = [
        (without("stepSize=\"0.1\""), 2, "fmu-no-step-size"),
        (without("</CoSimulation>"), 3, "fmu-description"),
        (without("fmiVersion=\"2.0\""), 3, "fmu-description"),
        (without("guid=\"{heater-1}\""), 3, "fmu-description"),
    ];
    for (folder, expected, code) in table {
        let (exit, out, err) = call(folder.path(), &["check", "heater"]);
        assert!(exit == expected && err.contains(&format!("error[{code}]")), "{code}: {exit} {out}{err}");
    }
    let folder = heater(unchanged);
    std::fs::write(folder.path().join("m.fmu"), "no archive").expect("a file");
    let (exit, _, err) = call(folder.path(), &["chain", "m.fmu"]);
    assert!(exit == 3 && err.contains("error[fmu-archive]"), "{exit} {err}");
    let (exit, _, err) = call(folder.path(), &["chain", "m.fmu", "m.fmu"]);
    assert!(exit == 2 && err.contains("error[several-files]"), "{exit} {err}");
    let (exit, _, err) = call(folder.path(), &["mutate", "m.fmu"]);
    assert_ne!(exit, 0, "{err}");
    let (exit, _, err) = call(folder.path(), &["check", "heater", "--period", "0s"]);
    assert!(exit == 2 && err.contains("--period: must be longer than zero"), "{exit} {err}");
}
