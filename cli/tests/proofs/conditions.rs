//! What verdicts are about: configuration, options and undefined operations are those on disk and
//! those that are told.

use crate::proofs::{Case, call, text};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

const COUNTER: &str = "unsigned char by, n, limit = 100;
void step(void) { if (by < STEP) n = n < limit ? n + by : n; }
void p_ten(void) { __CPROVER_assume(n == 10); step(); }
";

/// A model whose configuration restricts an input more than the code does.
fn toml(more: &str) -> String {
    format!("[model]\nsources = ['m.c']\nstep = 'step'\ninputs = ['by']\ndefine = ['STEP=4']\n{more}")
}

fn case(configuration: &str, options: &[&str]) -> Case {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("m.c"), COUNTER).expect("a file");
    let model = folder.path().join("chaincover.toml");
    std::fs::write(&model, configuration).expect("a file");
    Case { folder }.solve(&model, options)
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Chains and evidence are of a stricter configuration, the one on disk and its hash of the real
/// one.
#[test]
fn a_restriction_that_only_the_result_knows_is_rejected() {
    for (forged, key) in [
        ("[[assume]]\nexpr = 'by < 2'\n", "assume"),
        ("[input.'by']\nrange = [0, 1]\n", "input.by"),
        ("[input.'by']\nvalues = [0, 1]\n", "input.by"),
        ("[final]\nwhen = 'n == 12'\n", "final.when"),
        ("[const]\nlimit = 90\n", "const.limit"),
    ] {
        let case = case(&toml(forged), &[]);
        let (code, output) = case.verify();
        assert_eq!(code, 0, "{forged}: {output}");
        let honest = toml("");
        std::fs::write(case.path("chaincover.toml"), &honest).expect("a file");
        case.forge_result(|json| json["model"]["configuration_file"]["sha256"] = json!(digest(&honest)));
        let (code, output) = case.verify();
        assert_eq!(code, 4, "{forged}: {output}");
        assert!(output.contains("REJECTED       the configuration says"), "{forged}: {output}");
        assert!(output.contains(key), "{forged}: {output}");
        // Nor does it help to say that there was no configuration file.
        case.forge_result(|json| {
            drop(json["model"].as_object_mut().expect("a section").remove("configuration_file"));
        });
        let (code, output) = case.verify();
        assert_ne!(code, 0, "{forged}: {output}");
        assert!(!output.contains("claims verified\n"), "{forged}: {output}");
    }
}

#[test]
fn options_that_the_result_does_not_tell_are_rejected() {
    for (options, key) in [
        (&["-D", "STEP=2", "-D", "OTHER"][..], "model.define"),
        (&["--target", "lp64"], "model.target"),
        (&["--unwind", "7"], "model.unwind"),
        (&["--assume-unwound"], "model.assume_unwound"),
    ] {
        let case = case(&toml(""), options);
        let (code, output) = case.verify();
        assert_eq!(code, 0, "{options:?}: {output}");
        let (code, output) = case.verify_as(&[text(&case.path("chaincover.toml"))]);
        assert_eq!(code, 4, "{options:?}: {output}");
        assert!(output.contains(&format!("for {key}, but")), "{options:?}: {output}");
        let model = case.path("chaincover.toml");
        let (code, output) = case.verify_as(&[&[text(&model)], options].concat());
        assert_eq!(code, 0, "{options:?}: {output}");
        case.forge_result(|json| drop(json["model"].as_object_mut().expect("a section").remove("options")));
        let (code, output) = case.verify();
        assert_eq!(code, 4, "{options:?}: {output}");
        assert!(output.contains(&format!("for {key}, but")), "{options:?}: {output}");
    }
}

#[test]
fn the_treatment_of_undefined_operations_is_told_and_must_be_that_of_the_evidence() {
    let forbid = case(&toml(""), &["--ub", "forbid"]);
    let (code, output) = forbid.verify();
    assert_eq!(code, 0, "{output}");
    assert!(output.contains("--ub         forbid: executions end at undefined operations"), "{output}");
    let (code, output) = forbid.verify_as(&["--ub", "report"]);
    assert_eq!(code, 4, "{output}");
    assert!(output.contains("undefined operations were treated otherwise: --ub forbid"), "{output}");
    for other in [json!("avoid"), Json::Null] {
        forbid.forge_result(|json| json["model"]["undefined_behaviour"] = other.clone());
        let (code, output) = forbid.verify();
        assert_eq!(code, 4, "{output}");
        assert!(output.contains("the evidence is about --ub forbid, but chain.json about --ub"), "{output}");
    }
    forbid.forge_result(|json| json["model"]["undefined_behaviour"] = json!("never"));
    assert_eq!(forbid.verify().0, 4);
    let avoid = case(&toml(""), &[]);
    assert_eq!(avoid.verify_as(&["--ub", "report"]).0, 0);
    assert_eq!(avoid.verify_as(&["--ub", "forbid"]).0, 4);
}

/// Whoever reads the verdicts sees what they are about.
#[test]
fn all_conditions_are_told() {
    let restricted = toml(
        "[[assume]]\nexpr = 'n < 200'\n[input.'by']\nrange = [0, 3]\n[const]\nlimit = 90\n[final]\nwhen = 'n > 3'\n",
    );
    let case = case(&restricted, &["-D", "MORE=1", "--target", "ip16", "--unwind", "9", "--assume-unwound"]);
    let (code, output) = case.verify();
    assert_eq!(code, 0, "{output}");
    for line in [
        "target       ip16",
        "--ub         avoid",
        "define       STEP=4",
        "define       MORE=1",
        "const        limit = 90",
        "input        by from 0 to 3",
        "assume       n < 200",
        "final        n > 3",
        "left out     executions in which a loop or a recursion goes on too long (unwind 9)",
    ] {
        assert!(output.contains(&format!("\n  {line}\n")), "{line}\n{output}");
    }
    assert!(output.contains("model        ") && output.contains("chaincover.toml\n"), "{output}");
}

/// A result about C files alone has nothing that these do not say.
#[test]
fn sources_without_configuration_are_read_as_they_are() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let model = folder.path().join("m.c");
    std::fs::write(&model, COUNTER.replace("STEP", "4")).expect("a file");
    let case = Case { folder }.solve(&model, &[]);
    let (code, output) = case.verify();
    assert_eq!(code, 0, "{output}");
    assert!(output.contains("model        no configuration file"), "{output}");
    case.forge_result(|json| json["model"]["configuration"]["assume"] = json!([{ "expr": "by < 2" }]));
    let (code, output) = case.verify();
    assert_eq!(code, 4, "{output}");
    assert!(output.contains("for assume, but model and options give nothing"), "{output}");
    // What the file says of the model in words is compared, too.
    for (pointer, value) in [
        ("/model/target", json!("lp64")),
        ("/model/step", json!("other")),
        ("/model/period", json!("5ms")),
        ("/inputs/0/name", json!("other")),
        ("/chains/0/steps/0/covers", json!(["p_ten"])),
        ("/chains/0/holds/0/steps", json!(1000)),
    ] {
        case.expect_rejected("result/chain.json", "", |text| {
            crate::proofs::edit(text, |json| *json.pointer_mut(pointer).expect("a place") = value.clone())
        });
    }
}

/// A configuration that is gone is not believed.
#[test]
fn a_configuration_that_is_gone_is_an_error() {
    let case = case(&toml(""), &[]);
    std::fs::remove_file(case.path("chaincover.toml")).expect("a file");
    let (code, output) = case.verify();
    assert_eq!(code, 2, "{output}");
    assert!(output.contains("chaincover.toml"), "{output}");
    let (code, output) = call(&["verify", "-q", text(&case.path("nothing"))]);
    assert_eq!(code, 2, "{output}");
}
