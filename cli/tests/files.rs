//! What is written, and what is read back: vectors as options make them, files of others, results that make no sense, names that are not plain.

use serde_json::{Value as Json, json};
use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with files, and the program called in it.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        files.iter().for_each(|(name, text)| place.write(name, text));
        place
    }
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
    }
    fn call_in(&self, folder: &str, arguments: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chaincover"));
        let output = command.current_dir(self.path(folder)).args(arguments).output();
        said(&output.expect("the program should start"))
    }
    fn call(&self, arguments: &[&str]) -> (i32, String, String) {
        self.call_in("", arguments)
    }
    /// Calls the program, which must end with this code; what it says on standard error.
    fn ends(&self, code: i32, arguments: &[&str]) -> String {
        let (found, out, error) = self.call(arguments);
        assert_eq!(found, code, "{arguments:?}: {out}{error}");
        error
    }
    fn files(&self, folder: &str) -> Vec<String> {
        let listed = std::fs::read_dir(self.path(folder)).expect("a folder");
        let mut names: Vec<String> =
            listed.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
    /// The columns of a table by name.
    fn column(&self, table: &str, name: &str) -> Vec<String> {
        let text = self.read(table);
        let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let at = rows.next().and_then(|header| header.iter().position(|cell| *cell == name));
        let at = at.unwrap_or_else(|| panic!("{name} in {text}"));
        rows.map(|row| row[at].to_owned()).collect()
    }
}

fn said(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("an exit code"), text(&output.stdout), text(&output.stderr))
}

/// `in` is stored in the first step and does not matter in the others; `low` is a constant that slicing puts in its place.
const KEEPER: &str = "int low = 4; int y, st;
void step(int in, int mode) { if (mode == 1) { y = in; st = 1; } else { y = 7; if (st && st < 5) st++; } }
void p(int in, int mode) { step(in, mode); __CPROVER_assume(st == 3); }
";
const CONFIG: &str = "[model]\nsources = ['m.c']\nstep = 'step'\noutputs = ['y']\n";
const OPTIONS: [&str; 4] = ["hold", "zero", "default", "mark"];

/// Whether a value is one that an assumption allows.
type Holds = fn(i64) -> bool;

/// What an assumption excludes is written by no option; the outputs are those that the code has for what is written.
#[test]
fn filled_vectors_keep_assumptions() {
    let is_odd = |value: i64| value % 3 == 2;
    let above = |value: i64| value > 4;
    let table: [(&str, Holds); 2] = [("step.in != 0 && step.in % 3 == 2", is_odd), ("step.in > low", above)];
    for (assumption, holds) in table {
        let place = Place::new(&[("m.c", KEEPER)]);
        place.write("chaincover.toml", &format!("{CONFIG}[[assume]]\nexpr = '{assumption}'\n"));
        for option in OPTIONS {
            place.ends(0, &["chain", ".", "-o", option, "-q", "--no-replay", "--dont-care", option]);
            let cells = place.column(&format!("{option}/chain.csv"), "in");
            assert_eq!(cells.len(), 3);
            let mut held = None;
            for cell in cells {
                // An empty cell holds what was there before.
                held = if cell.is_empty() { held } else { cell.parse().ok() };
                assert!(held.is_some_and(holds), "{assumption}, {option}: {held:?}");
            }
        }
    }
}

/// Where only a range is declared, inputs that do not matter are known, and get what is asked for, if the range has it.
#[test]
fn declared_ranges_leave_inputs_free() {
    let place = Place::new(&[("m.c", KEEPER)]);
    let input = "[input.'step.in']\nrange = [3, 9]\ndefault = 5\n[input.'step.mode']\nrange = [0, 1]\n";
    place.write("chaincover.toml", &format!("{CONFIG}{input}"));
    place.ends(0, &["chain", ".", "-o", "out", "-q"]);
    let stored: Json = serde_json::from_str(&place.read("out/chain.json")).expect("JSON");
    for step in 1..3 {
        assert_eq!(stored["chains"][0]["steps"][step]["dont_care"], json!(["in"]));
    }
    let export = |option: &str| {
        let error = place.ends(0, &["export", "out/chain.json", "-o", option, "--dont-care", option]);
        (place.column(&format!("{option}/chain.csv"), "in"), error)
    };
    assert_eq!(export("hold").0, ["5", "5", "5"]);
    assert_eq!(export("mark").0, ["5", "", ""]);
    assert_eq!(export("default").0, ["5", "5", "5"]);
    let (cells, error) = export("zero");
    assert_eq!(cells, ["5", "5", "5"]);
    assert!(error.contains("`in` keeps the chain's own value in steps 1 and 2: with zero"), "{error}");
    let wide = input.replace("[3, 9]", "[0, 9]");
    place.write("chaincover.toml", &format!("{CONFIG}{wide}"));
    place.ends(0, &["chain", ".", "-o", "out", "-q", "--dont-care", "zero"]);
    assert_eq!(place.column("out/chain.csv", "in"), ["5", "0", "0"]);
}

/// A list of inputs that do not matter is not believed: what would change the chain is not written, and said.
#[test]
fn wrong_lists_of_free_inputs_change_nothing() {
    let place = Place::new(&[("m.c", KEEPER)]);
    place.ends(0, &["chain", "m.c", "-o", "out", "-q", "--step", "step"]);
    let mut file: Json = serde_json::from_str(&place.read("out/chain.json")).expect("JSON");
    let own = place.column("out/chain.csv", "mode");
    for step in 0..3 {
        file["chains"][0]["steps"][step]["dont_care"] = json!(["in", "mode"]);
    }
    place.write("forged.json", &file.to_string());
    for option in ["zero", "mark"] {
        let error = place.ends(0, &["export", "forged.json", "-o", "f", "--dont-care", option]);
        assert!(error.contains("`mode` keeps the chain's own value in step"), "{error}");
        let mut held = String::new();
        for (cell, own) in place.column("f/chain.csv", "mode").into_iter().zip(&own) {
            held = if cell.is_empty() { held } else { cell };
            assert_eq!(held, *own, "{option}");
        }
    }
    // Without the sources nothing can be replayed, so nothing else is written than what the file holds.
    std::fs::rename(place.path("m.c"), place.path("gone.c")).expect("it can be renamed");
    let error = place.ends(0, &["export", "forged.json", "-o", "f", "--dont-care", "zero"]);
    assert!(error.contains("m.c is not here"), "{error}");
    assert_eq!(place.column("f/chain.csv", "mode"), own);
}

/// The rows behind the end, which a late rig plays, are replayed, too.
#[test]
fn rows_behind_the_end_are_replayed() {
    let place = Place::new(&[("m.c", KEEPER)]);
    place.write("chaincover.toml", &format!("{CONFIG}[[assume]]\nexpr = 'step.in != prev(step.in)'\n"));
    let late = place.ends(0, &["chain", ".", "-o", "out", "--output-latency", "2"]);
    assert!(late.contains("hold the last inputs, which violates an assumption in row 3"), "{late}");
    let error = place.ends(0, &["chain", ".", "-o", "out"]);
    assert!(!error.contains("hold the last inputs"), "{error}");
    place.ends(2, &["chain", ".", "-o", "out", "--output-latency", "4294967295"]);
}

/// Limits that the search was asked to keep are kept by what is filled in.
#[test]
fn filled_vectors_keep_limits() {
    let place = Place::new(&[("m.c", KEEPER)]);
    let input = "[input.'step.in']\nrange = [0, 90]\n";
    let assume = "[[goal]]\nname = 'q'\nafter = 'y == 60'\n";
    place.write("chaincover.toml", &format!("{CONFIG}{input}{assume}"));
    let common = ["chain", ".", "-o", "out", "--dont-care", "zero"];
    place.ends(0, &common);
    assert_eq!(place.column("out/chain.csv", "in"), ["60", "0", "0"]);
    let error = place.ends(0, &[&common[..], &["--slew", "in=5"]].concat());
    assert_eq!(place.column("out/chain.csv", "in"), ["60", "60", "60"]);
    assert!(error.contains("`in` keeps the chain's own value in steps 1 and 2"), "{error}");
}

/// Two runs never write into one folder; a run that was killed leaves no lock.
#[test]
fn a_folder_is_locked() {
    let place = Place::new(&[("m.c", KEEPER)]);
    place.ends(0, &["chain", "m.c", "-o", "out", "-q"]);
    let folder = File::open(place.path("out")).expect("a folder");
    folder.try_lock().expect("nobody else has it");
    for arguments in [&["chain", "m.c", "-o", "out"][..], &["export", "out/chain.json", "-o", "out"]] {
        let (code, out, error) = place.call(arguments);
        assert_eq!((code, &*out), (2, ""), "nothing was searched for: {error}");
        assert!(error.contains("another run of chaincover is writing into out; wait"), "{error}");
    }
    drop(folder);
    place.ends(0, &["chain", "m.c", "-o", "out", "-q"]);
}

/// Files of the user stay, unless the user wants otherwise; it is known before the search.
#[test]
fn files_of_others_stay() {
    let place = Place::new(&[("m.c", KEEPER), ("out/chain.csv", "mine"), ("json/chain.json", "mine")]);
    for (folder, name) in [("out", "out/chain.csv"), ("json", "json/chain.json")] {
        let (code, out, error) = place.call(&["chain", "m.c", "-o", folder]);
        assert_eq!((code, &*out), (2, ""), "{error}");
        assert!(error.contains(&format!("{name} was not written by chaincover")), "{error}");
        assert_eq!(place.read(name), "mine");
        place.ends(0, &["chain", "m.c", "-o", folder, "--force", "-q"]);
        assert_ne!(place.read(name), "mine");
        place.ends(0, &["chain", "m.c", "-o", folder, "-q"]);
    }
    // Names that depend on the number of chains are known after the search: everything else is written.
    place.write("late/chain.vcd", "mine");
    let (code, out, error) = place.call(&["chain", "m.c", "-o", "late", "--format", "vcd,csv"]);
    assert_eq!(code, 2, "{error}");
    assert!(out.contains("1 of 1 goals covered") && error.contains("late/chain.vcd was not"), "{error}");
    assert_eq!(place.read("late/chain.vcd"), "mine");
    assert!(place.path("late/chain.csv").is_file() && place.path("late/chain.json").is_file());
    // Evidence of others: what is not ours among the proofs.
    place.write("proven/proofs/mine.graph", "mine");
    place.ends(2, &["chain", "m.c", "-o", "proven", "--proofs"]);
    assert_eq!(place.read("proven/proofs/mine.graph"), "mine");
    for _ in 0..2 {
        place.ends(0, &["chain", "m.c", "-o", "clean", "--proofs", "-q"]);
    }
    // Into the current folder without -o, twice.
    for _ in 0..2 {
        place.ends(0, &["export", "out/chain.json", "-q"]);
    }
    place.write("chain.csv", "mine");
    place.ends(2, &["export", "out/chain.json", "-q"]);
    assert_eq!(place.read("chain.csv"), "mine");
}

#[test]
fn links_are_not_followed_out_of_the_folder() {
    let place = Place::new(&[("m.c", KEEPER), ("outside/kept", "kept"), ("out/readme", "")]);
    let link = |to: &str, from: &str| {
        std::os::unix::fs::symlink(to, place.path(from)).expect("a link");
    };
    link("../outside/kept", "out/chain.csv");
    link("../outside", "out/proofs");
    for more in [&["--force"][..], &["--force", "--format", "junit", "--proofs"]] {
        let error = place.ends(2, &[&["chain", "m.c", "-o", "out"], more].concat());
        assert!(error.contains("is a link out of its folder"), "{error}");
    }
    assert_eq!(place.read("outside/kept"), "kept");
    assert_eq!(place.files("outside"), ["kept"]);
}

/// A disk that is full, as a limit of file sizes makes it, leaves old files as they were, and nothing half written.
#[test]
fn a_full_disk_leaves_old_files() {
    let model =
        "unsigned char n; int y[8]; void step(int up) { if (up == 1 && n < GOAL) n++; y[n % 8] = n * 1000; }
        void p(int up) { step(up); __CPROVER_assume(n == GOAL); }\n";
    let place = Place::new(&[("m.c", model)]);
    place.ends(0, &["chain", "m.c", "-D", "GOAL=2", "-o", "out", "-q", "--no-replay"]);
    let kept = |place: &Place| ["chain.json", "chain.csv"].map(|name| place.read(&format!("out/{name}")));
    let (before, names) = (kept(&place), place.files("out"));
    // Enough for temporary headers, too little for a chain of 250 steps.
    let script = "trap '' XFSZ; ulimit -f 80; exec \"$0\" chain m.c -D GOAL=250 -o out --no-replay";
    let output = Command::new("sh")
        .current_dir(place.path(""))
        .args(["-c", script, env!("CARGO_BIN_EXE_chaincover")])
        .output()
        .expect("a shell");
    let (code, out, error) = said(&output);
    assert_eq!(code, 2, "{out}{error}");
    assert!(out.contains("1 of 1 goals covered") && error.contains("File too large"), "{out}{error}");
    assert_eq!((kept(&place), place.files("out")), (before, names));
    // The run that follows goes on where that one ended.
    place.ends(0, &["chain", "m.c", "-D", "GOAL=3", "-o", "out", "-q", "--no-replay"]);
}

/// Where chains are not to be run, the compiler preprocesses and does nothing else, whatever is
/// written.
#[test]
fn without_a_replay_nothing_is_compiled() {
    let place = Place::new(&[
        ("m.c", "int n; void step(int up) { n = up; __CPROVER_cover(n); __CPROVER_assert(n < 9, \"low\"); }"),
        (
            "bin/cc",
            "#!/bin/sh\ncase \"$*\" in *-E*) PATH=${PATH#*:} exec cc \"$@\";; esac\ntouch \"$0.called\"\nexit 1\n",
        ),
    ]);
    let compiler = place.path("bin/cc");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).expect("a file");
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").expect("a path"));
    for command in ["chain", "prove"] {
        let output = Command::new(env!("CARGO_BIN_EXE_chaincover"))
            .current_dir(place.path(""))
            .env("PATH", &path)
            .args([
                command,
                "m.c",
                "-o",
                command,
                "--format",
                "html",
                "-q",
                "--no-replay",
                "--timeout",
                "20s",
            ])
            .output();
        let (code, out, error) = said(&output.expect("the program should start"));
        assert_eq!(code, 10, "{out}{error}");
        assert_eq!(place.files("bin"), ["cc"]);
    }
    assert!(place.files("chain").contains(&"report.html".to_owned()), "{:?}", place.files("chain"));
}

/// What cannot be written is known before anything is searched for.
#[test]
fn targets_are_tried_before_the_search() {
    let place = Place::new(&[("m.c", KEEPER), ("file", ""), ("atsp", "NAME: x\n")]);
    let table: [(&[&str], &str); 7] = [
        (&["chain", "m.c", "--json", "missing/r.json"], "cannot write missing/r.json: No such file"),
        (&["chain", "m.c", "--json", "."], "cannot write .: is a directory"),
        (&["chain", "m.c", "-o", "file"], "cannot write file: "),
        (&["chain", "m.c", "-o", "file/under"], "cannot write file/under: "),
        (&["chain", "m.c", "-o", "out", "--format", "cvs"], "invalid value 'cvs' for '--format"),
        (&["check", "m.c", "--json", "missing/r.json"], "cannot write missing/r.json"),
        (&["replay", "none.json", "--json", "missing/r.json"], "cannot write missing/r.json"),
    ];
    for (arguments, message) in table {
        let (code, out, error) = place.call(arguments);
        assert_eq!((code, &*out), (2, ""), "{arguments:?}: {error}");
        assert!(error.contains(message), "{arguments:?}: {error}");
    }
    assert!(!place.path("missing").exists());
}

/// A result whose parts contradict one another is neither exported nor replayed.
#[test]
fn results_that_make_no_sense_are_refused() {
    let place = Place::new(&[("m.c", KEEPER)]);
    place.ends(0, &["chain", "m.c", "-o", "out", "-q"]);
    let file: Json = serde_json::from_str(&place.read("out/chain.json")).expect("JSON");
    let table: [(&str, Json, &str); 17] = [
        ("/chains/0/length", json!(2), "its length is said to be 2, but it has 3 steps"),
        ("/chains/0/steps", json!([]), "but it has 0 steps"),
        ("/goals/0/at", json!(7), "covered at step 7 of chain 1, which has no such steps"),
        ("/goals/0/at", json!(1), "covers `p`, but the goal is said to occur elsewhere"),
        ("/goals/0/chain", json!(3), "of chain 4, which has no such steps"),
        ("/goals/0/chain", json!(null), "its status does not fit"),
        ("/goals/0/steps", json!(0), "its window has no step"),
        ("/goals/0/name", json!("q"), "its order names `p`, which is no goal"),
        ("/goals/0/name", json!("p\n"), "characters that are not seen"),
        ("/chains/0/steps/2/covers", json!(["x"]), "it covers `x`, which is no goal"),
        ("/chains/0/steps/2/covers", json!([]), "the step that completes it does not list it"),
        ("/chains/0/steps/1/inputs", json!({ "in": 0 }), "input `mode` has no value"),
        ("/chains/0/steps/1/inputs/in", json!(2_147_483_648_u32), "is no value of input `in`"),
        ("/chains/0/steps/1/inputs/in", json!("one"), "is no value of input `in`"),
        ("/chains/0/steps/1/dont_care", json!(["x"]), "`x` does not matter, but is no input"),
        ("/summary/length", json!(9), "the summary says length 9, but there are 3"),
        ("/inputs/0/bits", json!(0), "cannot have 0 bits"),
    ];
    for (pointer, value, message) in table {
        let mut wrong = file.clone();
        match wrong.pointer_mut(pointer) {
            Some(place) => *place = value,
            None => wrong["chains"][0]["steps"][1]["dont_care"] = value,
        }
        place.write("wrong.json", &wrong.to_string());
        for arguments in
            [&["export", "wrong.json", "-o", "f", "--format", "csv,html"][..], &["replay", "wrong.json"]]
        {
            let (code, out, error) = place.call(arguments);
            assert_eq!((code, &*out), (2, ""), "{pointer}: {error}");
            assert!(
                error.contains("not a result as it was written: ") && error.contains(message),
                "{pointer}: {error}"
            );
        }
    }
    place.ends(0, &["replay", "out/chain.json"]);
}

/// Outputs that are others than recorded have a code of their own, also where the code was changed; `--fail-on` chooses.
#[test]
fn replay_tells_of_other_outputs() {
    let place = Place::new(&[("m.c", KEEPER), ("chaincover.toml", CONFIG)]);
    place.ends(0, &["chain", ".", "-o", "out", "-q"]);
    let stored = place.read("out/chain.json");
    place.write("m.c", &KEEPER.replace("y = 7", "y = 8"));
    let (code, out, error) = place.call(&["replay", "out/chain.json"]);
    assert_eq!(code, 10, "{out}{error}");
    assert!(
        out.contains("output y at step 1: recorded 7, the model has 8") && out.contains("m.c has changed"),
        "{out}"
    );
    place.ends(0, &["replay", "out/chain.json", "--fail-on", "undecided"]);
    let error = place.ends(0, &["export", "out/chain.json", "-o", "f", "--dont-care", "zero"]);
    assert!(error.contains("m.c has changed since the chain was made"), "{error}");

    // With the code as it was, a record that it does not keep is exported by nobody.
    place.write("m.c", KEEPER);
    place.write("out/edited.json", &stored.replacen("\"y\": 7", "\"y\": 6", 1));
    for command in ["replay", "export"] {
        let (code, out, error) = place.call(&[command, "out/edited.json"]);
        assert_eq!(code, 10, "{command}: {out}{error}");
        assert!(format!("{out}{error}").contains("recorded 6, the model has 7"), "{command}: {out}{error}");
    }
    assert!(!place.path("chain.csv").exists());

    // An output that is no more differs; an internal word of changed code may.
    place.write("m.c", &KEEPER.replace("int y, st;", "int y, st, other;"));
    place.ends(0, &["replay", "out/chain.json"]);
    place.write("chaincover.toml", &CONFIG.replace("'y'", "'low'"));
    let (code, out, _) = place.call(&["replay", "out/chain.json"]);
    assert!(code == 10 && out.contains("output y: recorded, but the model has no such output"), "{out}");
}

/// Sources from elsewhere than the current folder are named.
#[test]
fn replay_says_where_sources_are_from() {
    let place = Place::new(&[("project/m.c", KEEPER)]);
    assert_eq!(place.call_in("project", &["chain", "m.c", "-o", "results/out", "-q"]).0, 0);
    let replay = |folder: &str, chain: &str| {
        let (code, out, error) = place.call_in(folder, &["replay", chain]);
        assert_eq!(code, 0, "{out}{error}");
        out
    };
    assert!(!replay("project", "results/out/chain.json").contains("the sources are taken"));
    let above = replay("", "project/results/out/chain.json");
    assert!(
        above.contains("the sources are taken from ") && above.contains("project, a folder above"),
        "{above}"
    );
    let error = place.ends(0, &["export", "project/results/out/chain.json", "-o", "f"]);
    assert!(error.contains("note: the sources are taken from "), "{error}");
}

/// Characters that steer terminals or hide text.
fn hidden(text: &str) -> Vec<char> {
    let is_hidden = |c: &char| {
        (c.is_control() && *c != '\n') || matches!(*c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().filter(is_hidden).collect()
}

const NAMES: &str = "
[input.'step.in']
name = '=in'
unit = \"\\u001B[31m\\u202E'*/\"
range = [0, 9]
[[goal]]
name = \"=cmd|' /C calc'!A0\\u001B[2J\\u202E\\u0000\\n\\\"%s*/\\\\\"
requirement = \"@REQ\\n\\u009B\"
text = \"-1+1\\u001B]0;title\\u0007\\u2066\\nsecond\"
after = 'st == 2'
[[goal]]
name = \"never\\nword x\"
requirement = '+R'
when = 'low == 5'
";

/// Names and texts of users reach terminals and files without what steers them; an honest result with such names is verified.
#[test]
fn names_are_shown_as_they_are() {
    let place = Place::new(&[("m.c", KEEPER)]);
    place.write("chaincover.toml", &format!("{CONFIG}{NAMES}"));
    let formats =
        "csv,csv-veristand,csv-canoe,csv-simulink,csv-fmi,junit,trace,sarif,vcd,c,pytest,html,mat,mf4,xlsx";
    let (code, out, error) = place.call(&["chain", ".", "-o", "out", "--proofs", "-v", "--format", formats]);
    assert_eq!(code, 20, "{out}{error}");
    assert!(
        out.contains("=cmd|' /C calc'!A0\\u{1b}[2J\\u{202e}\\u{0}\\n\"%s*/\\")
            && out.contains("never\\nword x"),
        "{out}"
    );
    let mut texts = vec![("out".to_owned(), out), ("error".to_owned(), error)];
    for arguments in [
        &["verify", "out"][..],
        &["replay", "out/chain.json"],
        &["check", "."],
        &["graph", "."],
        &["graph", ".", "--format", "dot"],
    ] {
        let (code, out, error) = place.call(arguments);
        assert_eq!(code, 0, "{arguments:?}: {out}{error}");
        texts.push((arguments.join(" "), out + &error));
    }
    let is_text = |name: &String| {
        !name.starts_with('.') && ["mat", "mf4", "xlsx"].iter().all(|ending| !name.ends_with(ending))
    };
    let names = place.files("out").into_iter().filter(|name| is_text(name) && name != "proofs");
    texts.extend(names.map(|name| (name.clone(), place.read(&format!("out/{name}")))));
    for (name, text) in &texts {
        assert_eq!(hidden(text), [], "{name}: {text}");
        let is_table = name.ends_with(".csv");
        let starts_formula = |cell: &str| {
            let cell = cell.trim_start_matches('"');
            cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err()
        };
        let found =
            text.lines().flat_map(|line| line.split(',')).find(|cell| is_table && starts_formula(cell));
        assert_eq!(found, None, "{name}: {text}");
    }
    assert!(place.read("out/traceability.csv").contains("\\n"), "ends of lines are escaped");
    let python =
        Command::new("python3").args(["-m", "py_compile"]).arg(place.path("out/test_chain.py")).output();
    if let Ok(output) = python {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(play(&place.path("out"), &place.read("out/chain_replay.c")), "3 steps, 0 wrong outputs\n");
}

/// Compiles a program as its head says, and runs it; what it prints.
fn play(folder: &Path, program: &str) -> String {
    let command = program.lines().find_map(|line| line.strip_prefix(" *   gcc")).expect("how to compile it");
    let script = format!("gcc -Wall -Wextra -Werror -Wno-unused-parameter{command}");
    let ended = Command::new("sh").current_dir(folder).args(["-c", &script]).output().expect("a shell");
    assert!(ended.status.success(), "{}{program}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

/// Paths of sources that shells, compilers and Python read in ways of their own.
#[test]
fn sources_may_have_any_path() {
    let folders = ["a b", "a'b", "a\"b", "a\\b", "50%s", "-x", "a\nb", "x*", "$(echo)", "\u{202e}x", "#;&"];
    let model =
        format!("#include \"own.h\"\n#include \"far.h\"\n{}", KEEPER.replace("st == 3", "st == OWN && FAR"));
    let model = model + "void q(int in, int mode) { step(in, mode); __CPROVER_cover(in == 8); }\n";
    let names = folders.map(|folder| (folder, "m.c")).into_iter();
    for (folder, name) in names.chain([("a b", "m'\"%d\\.c"), ("-x", "m\n.c")]) {
        {
            let (source, include) = (format!("{folder}/{name}"), format!("{folder}/inc"));
            let place = Place::new(&[(&source, &model)]);
            place.write(&format!("{folder}/own.h"), "#define OWN 3\n");
            place.write(&format!("{include}/far.h"), "#define FAR 1\n");
            let (path, option) = (format!("./{source}"), format!("-I./{include}"));
            let arguments = [
                "chain",
                &path,
                &option,
                "--step",
                "step",
                "--init",
                "",
                "-o",
                "out",
                "--format",
                "c,pytest,sarif,junit",
            ];
            let (code, out, error) = place.call(&arguments);
            assert_eq!(code, 0, "{source:?}: {out}{error}");
            assert!(out.contains("replayed on the compiled code"), "{source:?}: {out}{error}");
            assert_eq!(hidden(&(out + &error)), [], "{source:?}");
            let program = place.read("out/chain_replay.c");
            assert_eq!(play(&place.path("out"), &program), "3 steps, 0 wrong outputs\n", "{source:?}");
            place.ends(0, &["replay", "out/chain.json"]);
        }
    }
}
