//! Claims and their evidence: what `chain --proofs` writes `verify` accepts, and nothing that was tampered with.

mod conditions;
mod corpus;
mod graphs;
mod large;
mod requirements;
mod tampering;
mod verdicts;

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn call(arguments: &[&str]) -> (i32, String) {
    call_in(Path::new("."), arguments)
}

/// The same from another folder.
fn call_in(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_chaincover")).current_dir(folder).args(arguments).output();
    let output = output.expect("the program should start");
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.code().expect("an exit code"), text)
}

/// A result with its evidence, and the model it is about.
struct Case {
    folder: TempDir,
}

impl Case {
    /// Of a corpus case, in a copy of the corpus.
    fn corpus(name: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks/corpus"), folder.path());
        let model = folder.path().join(name);
        Self { folder }.solve(&model, &[])
    }

    /// Of a C file.
    fn text(c: &str, options: &[&str]) -> Self {
        Self::named("m.c", c, options)
    }

    /// Writes a text into a file of that name, and searches for its chains.
    fn named(name: &str, text: &str, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let model = folder.path().join(name);
        std::fs::write(&model, text).expect("a file");
        Self { folder }.solve(&model, options)
    }

    fn solve(self, model: &Path, options: &[&str]) -> Self {
        let result = self.path("result");
        let fixed = [
            "chain",
            text(model),
            "-q",
            "--proofs",
            "--no-replay",
            "--violations",
            "off",
            "-o",
            text(&result),
        ];
        let (code, output) = call(&[&fixed[..], options].concat());
        assert!([0, 5, 10, 20, 124].contains(&code), "{output}");
        self
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn verify(&self) -> (i32, String) {
        call(&["verify", "-q", text(&self.path("result"))])
    }

    /// Changes a file of the result, verifies, and changes it back.
    fn verify_changed(&self, file: &str, change: impl Fn(&str) -> String) -> (i32, String) {
        let path = self.path(file);
        let before = std::fs::read_to_string(&path).expect("a text file");
        let changed = change(&before);
        assert_ne!(before, changed, "{file}: the change should change something");
        std::fs::write(&path, changed).expect("a file");
        let result = self.verify();
        std::fs::write(&path, before).expect("a file");
        result
    }

    /// Changes `chain.json` for good, and what the manifest says of it as a forger would.
    fn forge_result(&self, change: impl Fn(&mut Json)) {
        let path = self.path("result/chain.json");
        let forged = edit(&std::fs::read_to_string(&path).expect("a result"), change);
        let hash: String = Sha256::digest(&forged).iter().map(|byte| format!("{byte:02x}")).collect();
        std::fs::write(path, forged).expect("a file");
        let path = self.path("result/proofs/manifest.json");
        let manifest = std::fs::read_to_string(&path).expect("a manifest");
        let renewed = edit(&manifest, |json| json["files"]["chain.json"] = json!(hash));
        std::fs::write(path, renewed).expect("a file");
    }

    /// Verifies with further arguments.
    fn verify_as(&self, options: &[&str]) -> (i32, String) {
        call(&[&["verify", "-q", text(&self.path("result"))], options].concat())
    }

    fn expect_rejected(&self, file: &str, reason: &str, change: impl Fn(&str) -> String) {
        let (code, output) = self.verify_changed(file, change);
        assert_eq!(code, 4, "{file}: {output}");
        assert!(output.contains("REJECTED") && output.contains(reason), "{file}: {output}");
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).expect("a copy")),
        }
    }
}

fn edit(text: &str, change: impl Fn(&mut Json)) -> String {
    let mut json: Json = serde_json::from_str(text).expect("JSON");
    change(&mut json);
    json.to_string()
}

/// Two ways that exclude each other, a window of two steps, goals that cannot be covered.
const TWO_WAYS: &str = "typedef struct { _Bool go, left; } in_t;
typedef struct { unsigned char n; } st_t;
void init(st_t *s) { s->n = 0; }
void step(in_t *i, st_t *s) {
    if (s->n == 0) s->n = i->go ? (i->left ? 1 : 4) : 0;
    else if (s->n < 3 && i->go) s->n++;
    else if (s->n == 4 && i->go) s->n = 5;
}
void p_two(in_t *i, st_t *s) { __CPROVER_assume(s->n == 1); step(i, s); step(i, s); __CPROVER_assume(s->n == 3); }
void p_right(in_t *i, st_t *s) { __CPROVER_assume(s->n == 4); step(i, s); }
void p_dead(in_t *i, st_t *s) { __CPROVER_assume(s->n == 5); step(i, s); }
void p_never(in_t *i, st_t *s) { __CPROVER_assume(s->n == 6); step(i, s); }
void chaincover_final(st_t *s) { __CPROVER_assume(s->n == 3 || s->n == 4); }
";
