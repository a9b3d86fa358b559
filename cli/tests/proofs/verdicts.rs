//! Verdicts and their evidence: what is true is verified, and no forged verdict is.

use crate::proofs::{call_in, edit};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A lift with a requirement of each verdict.
const LIFT: &str = "void __CPROVER_assert(int, const char *); void __CPROVER_assume(int);
typedef struct { unsigned char up, down; } In; typedef struct { unsigned char motor; signed char level; } Out;
In I; Out Y; static int pos;
void step(void) {
  if (I.up && pos < 5) { pos++; Y.motor = 1; } else if (I.down && pos > 0) { pos--; Y.motor = 2; } else Y.motor = 0;
  if (pos == 3 && I.down && I.up) Y.motor = MOST;
  Y.level = pos;
  __CPROVER_assert(pos <= 5, \"range\");
  if (pos > 7) __CPROVER_assert(pos < 0, \"never\");
}
void up(void) { __CPROVER_assume(I.up == 1 && I.down == 0 && Y.level < 5); step(); __CPROVER_assert(Y.motor == 1, \"\"); }
void motor(void) { step(); __CPROVER_assert(Y.motor <= 2, \"\"); }
";

/// Changes the entry of a verdict.
type Change<'c> = &'c dyn Fn(&mut Json);
/// Changes the list of verdicts.
type Cut<'c> = &'c dyn Fn(&mut Vec<Json>);

/// A folder with the model and a result.
struct Result {
    folder: TempDir,
}

impl Result {
    /// Of `chain` or `prove`, with or without the defect.
    fn of(command: &str, most: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("lift.c"), LIFT.replace("MOST", most)).expect("a file");
        let result = Self { folder };
        let code =
            call_in(result.path(), &[command, "lift.c", "-o", "out", "--proofs", "-q", "--no-replay"]).0;
        assert_eq!(code, if most == "3" { 10 } else { 0 });
        result
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path().join("out").join(name)
    }

    fn verify(&self) -> (i32, String) {
        call_in(self.path(), &["verify", "out", "-q"])
    }

    /// Changes a file and renews all hashes, as a forger would.
    fn forge(&self, name: &str, change: impl Fn(&mut Json)) {
        let path = self.file(name);
        let text = std::fs::read_to_string(&path).expect("a text file");
        std::fs::write(&path, edit(&text, change)).expect("a file");
        for folder in ["proofs", "proofs-of-verdicts"] {
            let manifest = self.file(folder).join("manifest.json");
            let Ok(text) = std::fs::read_to_string(&manifest) else { continue };
            let hash = digest(&path);
            let renewed = edit(&text, |json| {
                if json["files"][name] != Json::Null {
                    json["files"][name] = json!(hash);
                }
            });
            std::fs::write(&manifest, renewed).expect("a file");
        }
    }
}

fn digest(path: &Path) -> String {
    let bytes = std::fs::read(path).expect("a file");
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Changes the verdict on a requirement, and that of its goal.
fn call_it(json: &mut Json, name: &str, verdict: &str, more: &dyn Fn(&mut Json)) {
    for list in ["verdicts", "goals"] {
        let entries = json[list].as_array_mut().expect("a list");
        for entry in entries.iter_mut().filter(|entry| entry["name"] == name) {
            entry["verdict"] = json!(verdict);
            if list == "verdicts" {
                more(entry);
            }
        }
    }
}

#[test]
fn verdicts_are_verified_with_what_they_rest_on() {
    for (command, applies) in [("chain", "in step 0 of chain 1"), ("prove", "in step 0 of an execution")] {
        let result = Result::of(command, "3");
        let (code, text) = result.verify();
        assert_eq!(code, 0, "{text}");
        for claim in [
            &format!("up is proven: no execution violates it (graph), and it applies {applies}")[..],
            "motor is violated in step 2 of violation_motor.json, which was run again",
            "lift.c:9 is vacuous: no execution reaches its antecedent (graph)",
        ] {
            assert!(text.contains(&format!("verified       {claim}")), "{claim}\n{text}");
        }
    }
}

#[test]
fn forged_verdicts_are_rejected() {
    let proven = |entry: &mut Json| {
        entry["reason"] = json!("k-induction with k = 1");
        entry["applies"] = json!({ "chain": 0, "at": 0 });
        drop(entry.as_object_mut().expect("an entry").remove("counterexample"));
    };
    let elsewhere = |entry: &mut Json| entry["counterexample"]["at"] = json!(1);
    let no_more = |entry: &mut Json| entry["applies"]["at"] = json!(2);
    let steps = |entry: &mut Json| entry["steps"] = json!(2);
    let nothing = |_: &mut Json| {};
    let table: [(&str, &str, Change<'_>, &str); 6] = [
        (
            "motor",
            "proven",
            &proven,
            "motor is proven: no execution violates it: the manifest does not list this claim",
        ),
        (
            "motor",
            "violated",
            &elsewhere,
            "motor is violated: violation_motor.json does not violate it at step 1",
        ),
        (
            "up",
            "vacuous",
            &nothing,
            "up is vacuous: no execution reaches its antecedent: the manifest does not list this claim",
        ),
        (
            "lift.c:9",
            "proven",
            &nothing,
            "lift.c:9 is proven: no execution violates it: the manifest does not list this claim",
        ),
        ("up", "proven", &no_more, "up applies: not in step 2 of chain 1"),
        ("up", "proven", &steps, "up is described otherwise than the model has it"),
    ];
    for (name, verdict, change, reason) in table {
        let result = Result::of("chain", "3");
        result.forge("chain.json", |json| call_it(json, name, verdict, change));
        let (code, text) = result.verify();
        assert_eq!(code, 4, "{reason}\n{text}");
        assert!(text.contains(&format!("REJECTED       {reason}")), "{reason}\n{text}");
    }
}

/// What a result says beside its claims must be as the model and the executions have it.
#[test]
fn forged_descriptions_are_rejected() {
    let violated = |json: &mut Json, change: &dyn Fn(&mut Json)| {
        let entries = json["verdicts"].as_array_mut().expect("a list");
        let entry = entries.iter_mut().find(|entry| entry["name"] == "motor").expect("a verdict");
        change(&mut entry["counterexample"]);
    };
    let described = |json: &mut Json, change: &dyn Fn(&mut Json)| {
        let goals = json["goals"].as_array_mut().expect("a list");
        change(goals.iter_mut().find(|goal| goal["name"] == "motor").expect("a goal"));
    };
    let table: [(Change<'_>, &str); 13] = [
        (&|json| json["requirements"] = json!([]), "the model has 4 requirements, not 0"),
        (&|json| drop(json.as_object_mut().expect("a file").remove("requirements")), "requirements, not 0"),
        (
            &|json| {
                for step in json["chains"][0]["steps"].as_array_mut().expect("steps") {
                    drop(step.as_object_mut().expect("a step").remove("expected"));
                }
            },
            "what requirements expect of its outputs",
        ),
        (
            &|json| described(json, &|goal| goal["requirement"] = json!("R-666")),
            "motor is described otherwise",
        ),
        (
            &|json| described(json, &|goal| goal["text"] = json!("all is well")),
            "motor is described otherwise",
        ),
        (&|json| described(json, &|goal| goal["origin"]["line"] = json!(99)), "motor is described otherwise"),
        (&|json| json["chains"][0]["order"] = json!(["nothing"]), "it does not cover nothing"),
        (&|json| json["chains"][0]["holds"] = json!([]), "its inputs are not held as recorded"),
        (&|json| violated(json, &|found| found["saw"][0]["value"] = json!(1)), "`saw` of the counterexample"),
        (&|json| violated(json, &|found| found["expression"] = json!("1 == 1")), "`expression` of the"),
        (&|json| violated(json, &|found| found["step"] = json!(1)), "`step` of the counterexample"),
        (&|json| violated(json, &|found| found["lower_bound"] = json!(9)), "lower bound is above its length"),
        (&|json| violated(json, &|found| found["minimal"] = json!("gap")), "`minimal` of the counterexample"),
    ];
    let result = Result::of("chain", "3");
    let names = ["chain.json", "proofs/manifest.json", "proofs-of-verdicts/manifest.json"];
    let before = names.map(|name| std::fs::read(result.file(name)).expect("a file"));
    for (change, reason) in table {
        result.forge("chain.json", change);
        let (code, text) = result.verify();
        assert_eq!(code, 4, "{reason}\n{text}");
        assert!(text.contains("REJECTED") && text.contains(reason), "{reason}\n{text}");
        for (name, bytes) in names.iter().zip(&before) {
            std::fs::write(result.file(name), bytes).expect("a file");
        }
    }
    let (code, text) = result.verify();
    assert_eq!(code, 0, "{text}");
}

#[test]
fn verdicts_cannot_be_left_out_or_have_two_names() {
    let table: [(Cut<'_>, &str); 3] = [
        (&|list| list.retain(|entry| entry["name"] != "motor"), "there is no verdict on motor"),
        (&|list| list.push(list[0].clone()), "there are two verdicts on up"),
        (
            &|list| list[0]["name"] = json!("other"),
            "there is no requirement other, of which there is a verdict",
        ),
    ];
    for (change, reason) in table {
        let result = Result::of("chain", "3");
        result.forge("chain.json", |json| change(json["verdicts"].as_array_mut().expect("verdicts")));
        let (code, text) = result.verify();
        assert_eq!(code, 4, "{reason}\n{text}");
        assert!(text.contains(&format!("REJECTED       {reason}")), "{reason}\n{text}");
    }
}

/// Evidence that is right, but about the model without the defect.
#[test]
fn evidence_about_another_model_shows_nothing() {
    let (wrong, mended) = (Result::of("chain", "3"), Result::of("chain", "2"));
    for (name, folder) in [("chain.json", "out"), ("manifest.json", "out/proofs-of-verdicts")] {
        std::fs::copy(mended.path().join(folder).join(name), wrong.path().join(folder).join(name))
            .expect("a file");
    }
    for entry in std::fs::read_dir(mended.file("proofs-of-verdicts")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        std::fs::copy(&path, wrong.file("proofs-of-verdicts").join(name)).expect("a file");
    }
    let (code, text) = wrong.verify();
    assert_eq!(code, 4, "{text}");
    let reason = "motor is proven: no execution violates it: the proofs are about another transition system";
    assert!(text.contains(&format!("REJECTED       {reason}")), "{text}");
}

#[test]
fn without_evidence_verdicts_are_not_certified() {
    let result = Result::of("chain", "3");
    std::fs::remove_dir_all(result.file("proofs-of-verdicts")).expect("a folder");
    let (code, text) = result.verify();
    assert_eq!(code, 5, "{text}");
    assert!(text.contains("NOT CERTIFIED  up is proven: no execution violates it: "), "{text}");
    assert!(text.contains("verified       motor is violated in step 2"), "{text}");
    let result = Result::of("prove", "3");
    result.forge("verdicts.json", |json| {
        for entry in json["verdicts"].as_array_mut().expect("verdicts") {
            drop(entry.as_object_mut().expect("an entry").remove("applies"));
        }
    });
    let (code, text) = result.verify();
    assert_eq!(code, 5, "{text}");
    assert!(text.contains("but whether its antecedent is ever reached is not shown"), "{text}");
}
