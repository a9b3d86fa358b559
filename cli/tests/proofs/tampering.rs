//! Results and evidence that were changed: every change is told, with the reason.

use crate::proofs::{Case, TWO_WAYS, edit};
use serde_json::{Value as Json, json};
use std::path::PathBuf;

#[test]
fn tampering_is_rejected_with_the_reason() {
    let case = Case::text(TWO_WAYS, &[]);
    let proofs = |file: &str| format!("result/proofs/{file}");
    let manifest = proofs("manifest.json");
    case.expect_rejected(&proofs("step-0.lrat"), "step-0.lrat: proof, line", |text| {
        text.lines().skip(1).map(|line| format!("{line}\n")).collect()
    });
    case.expect_rejected(&proofs("step-0.lrat"), "the proof ends without the empty clause", |_| {
        String::new()
    });
    case.expect_rejected(
        &proofs("step-0.cnf"),
        "step-0.cnf: not the query that the evidence needs, from line 1",
        |text| text.replacen("p cnf ", "p cnf 1", 1),
    );
    case.expect_rejected(
        &proofs("initial.cnf"),
        "initial.cnf: not the query that the evidence needs",
        |_| "p cnf 1 2\n1 0\n-1 0\n".to_owned(),
    );
    // Without one of its edges the graph no longer stands for the system: other queries are needed.
    let edge =
        |text: &str| text.lines().find(|line| line.starts_with("edge")).map(str::to_owned).expect("an edge");
    case.expect_rejected(&proofs("graph.graph"), "another size than the manifest says", |text| {
        text.replacen(&format!("{}\n", edge(text)), "", 1)
    });
    case.expect_rejected(&proofs("graph.graph"), "not the query that the evidence needs", |text| {
        let labelled = text.lines().find(|line| line.starts_with("edge") && line.split(' ').count() == 4);
        let (bare, _) = labelled.and_then(|line| line.rsplit_once(' ')).expect("an edge with a label");
        text.replacen(labelled.expect("an edge"), bare, 1)
    });
    case.expect_rejected(&proofs("graph.graph"), "not the query that the evidence needs", |text| {
        text.replacen("node e", "node -", 1)
    });
    case.expect_rejected(&proofs("graph.graph"), "graph.graph: line 1", |_| String::new());
    case.expect_rejected(&manifest, "the manifest does not list this claim", |text| {
        edit(text, |json| drop(json["claims"].as_array_mut().expect("claims").remove(0)))
    });
    case.expect_rejected(&manifest, "chain.json does not claim this", |text| {
        edit(text, |json| json["claims"][3]["steps"] = json!(51))
    });
    case.expect_rejected(&manifest, "the manifest has no evidence `other`", |text| {
        edit(text, |json| json["claims"][0]["evidence"] = json!("other"))
    });
    case.expect_rejected(&manifest, "another transition system", |text| {
        edit(text, |json| json["system_sha256"] = json!("0"))
    });
    case.expect_rejected(&manifest, "queries, the manifest lists", |text| {
        edit(text, |json| drop(json["evidence"][0]["queries"].as_array_mut().expect("queries").pop()))
    });
    case.expect_rejected(&manifest, "no name of a file beside the manifest", |text| {
        edit(text, |json| json["evidence"][0]["file"] = json!("../chain.json"))
    });
    let (code, output) = case.verify();
    assert_eq!(code, 0, "{output}");
}

#[test]
fn a_changed_result_is_rejected_with_the_reason() {
    let case = Case::corpus("cruise-1");
    let chain = "result/chain.json";
    case.expect_rejected(chain, "chain 1: state", |text| {
        edit(text, |json| {
            let step = &mut json["chains"][0]["steps"][0]["inputs"];
            for name in ["gas", "acc", "dec", "brake"] {
                step[name] = json!(0);
            }
            step["button"] = json!(1);
        })
    });
    case.expect_rejected(chain, "recorded as covered by chain 1 at 0", |text| {
        edit(text, |json| json["goals"][0]["at"] = json!(0))
    });
    case.expect_rejected(chain, "the goals of the file are not those of the model", |text| {
        edit(text, |json| drop(json["goals"].as_array_mut().expect("goals").remove(0)))
    });
    case.expect_rejected(chain, "proven that is not its lower bound", |text| {
        edit(text, |json| json["summary"]["lower_bound"] = json!(8))
    });
    case.expect_rejected(chain, "the manifest does not list this claim", |text| {
        edit(text, |json| json["summary"]["lower_bound"] = json!(10))
    });
    case.expect_rejected(chain, "p_1: recorded as unreachable by chain 1", |text| {
        edit(text, |json| json["goals"][0]["status"] = json!("unreachable"))
    });
    let (code, output) = case.verify_changed("cruise-1/cruise.c", |text| format!("{text}\n/* more */\n"));
    assert_eq!(code, 4, "{output}");
    assert!(output.contains("cruise.c has changed since the chain was made"), "{output}");
}

/// Claims that the graph does not show are refused even if result and manifest agree on them.
#[test]
fn a_claim_that_does_not_follow_is_rejected() {
    let case = Case::corpus("example-1");
    let result = case.path("result/chain.json");
    let before = std::fs::read_to_string(&result).expect("a result");
    std::fs::write(
        &result,
        edit(&before, |json| {
            json["summary"]["lower_bound"] = json!(5);
            json["summary"]["minimal"] = json!("gap");
        }),
    )
    .expect("a file");
    case.expect_rejected("result/proofs/manifest.json", "the graph shows only 4 steps", |text| {
        edit(text, |json| json["claims"][0]["steps"] = json!(5))
    });
}

/// Numbers without sense, names that lead elsewhere, evidence that is none: each is rejected, and
/// nothing ends the program.
#[test]
fn evidence_without_sense_is_rejected_with_the_reason() {
    let case = Case::text(TWO_WAYS, &[]);
    let manifest = "result/proofs/manifest.json";
    let query = json!({ "formula": "initial.cnf", "proof": "initial.lrat" });
    let pair = json!({ "file": "graph.graph", "queries": [] });
    let tour = json!({ "steps": u64::MAX, "file": "graph.graph" });
    let leg = |steps: u64| json!([{ "from": "p_two", "to": "p_right", "steps": steps }]);
    let table = [
        (
            json!({ "kind": "exclusive", "goals": ["p_two", "p_two"], "pairs": [pair] }),
            "p_two is named twice",
        ),
        (
            json!({ "kind": "exclusive", "goals": ["p_two", "p_never"], "pairs": [pair] }),
            "no chain covers p_never",
        ),
        (json!({ "kind": "exclusive", "goals": ["p_two", "p_right"], "pairs": [] }), "1 pairs of goals need"),
        (
            json!({ "kind": "apart", "legs": leg(4_000_000_000), "query": query }),
            "more than one query looks ahead",
        ),
        (json!({ "kind": "apart", "legs": leg(121), "query": query }), "more than one query looks ahead"),
        (json!({ "kind": "apart", "legs": [], "query": query }), "distances should be from one goal"),
        (json!({ "kind": "apart", "legs": leg(3), "query": query }), "not the query that the evidence needs"),
        (
            json!({ "kind": "tour", "distances": ["graph"], "chains": u64::MAX, "tour": tour }),
            "orders are bounded for 1 to",
        ),
        (
            json!({ "kind": "tour", "distances": ["graph"], "chains": 0, "tour": tour }),
            "orders are bounded for 1 to",
        ),
        (json!({ "kind": "tour", "distances": ["x"], "chains": 2, "tour": tour }), "should be listed before"),
        (json!({ "kind": "bounded", "steps": u32::MAX, "query": query }), "more than one query asks about"),
        (
            json!({ "kind": "parts", "file": "graph.graph", "chains": 1, "tours": [], "queries": [] }),
            "no parts",
        ),
        (json!({ "kind": "states", "file": "/dev/zero", "clauses": 0, "queries": [] }), "no name of a file"),
        (json!({ "kind": "states", "file": "..", "clauses": 0, "queries": [] }), "no name of a file"),
        (json!({ "kind": "states", "file": "", "clauses": 0, "queries": [] }), "no name of a file"),
    ];
    for (evidence, why) in table {
        let mut evidence = evidence.clone();
        evidence["name"] = json!("x");
        // Whether a claim rests on it or none does.
        for used in [true, false] {
            case.expect_rejected(manifest, why, |text| {
                edit(text, |json| {
                    json["evidence"].as_array_mut().expect("evidence").push(evidence.clone());
                    if used {
                        json["claims"][0]["evidence"] = json!("x");
                    }
                })
            });
        }
    }
    case.expect_rejected(manifest, "no name of a file beside the manifest", |text| {
        edit(text, |json| json["files"]["../../m.c"] = json!("0"))
    });
    case.expect_rejected("result/chain.json", "a lower bound above its length", |text| {
        edit(text, |json| {
            json["summary"]["minimal"] = json!("gap");
            json["summary"]["lower_bound"] = json!(1000);
        })
    });
    case.expect_rejected("result/chain.json", "the manifest does not list this claim", |text| {
        edit(text, |json| json["summary"]["reset_cost"] = json!(u64::MAX))
    });
    assert_eq!(case.verify().0, 0);
}

/// A link may lead anywhere, also to what never ends.
#[cfg(unix)]
#[test]
fn links_and_devices_are_not_read() {
    let case = Case::text(TWO_WAYS, &[]);
    let proof = case.path("result/proofs/step-0.lrat");
    let kept = case.path("kept");
    std::fs::rename(&proof, &kept).expect("a file");
    for target in [kept.as_path(), std::path::Path::new("/dev/zero")] {
        std::os::unix::fs::symlink(target, &proof).expect("a link");
        let (code, output) = case.verify();
        assert_eq!(code, 4, "{output}");
        assert!(output.contains("`step-0.lrat` is a link, or no file at all"), "{output}");
        std::fs::remove_file(&proof).expect("a link");
    }
    std::fs::rename(&kept, &proof).expect("a file");
    assert_eq!(case.verify().0, 0);
    let manifest = case.path("result/proofs/manifest.json");
    std::fs::remove_file(&manifest).expect("a file");
    std::os::unix::fs::symlink("/dev/zero", &manifest).expect("a link");
    let (code, output) = case.verify();
    assert_eq!(code, 2, "{output}");
    assert!(output.contains("`manifest.json` is a link, or no file at all"), "{output}");
}

/// Every file of a result in every way that a file may be damaged.
#[test]
fn any_damage_to_any_file_is_rejected() {
    let case = Case::text(TWO_WAYS, &[]);
    let result = case.path("result");
    let proofs = result.join("proofs");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&proofs).expect("a folder").flatten().map(|entry| entry.path()).collect();
    // One file of each kind.
    files.retain(|file| {
        ["step-0.cnf", "step-0.lrat", "graph.graph", "manifest.json"].iter().any(|name| file.ends_with(name))
    });
    files.push(result.join("chain.json"));
    files.sort();
    assert_eq!(files.len(), 5, "{files:?}");
    let expect_refused = |what: &str, codes: &[i32]| {
        let (code, output) = case.verify();
        assert!(codes.contains(&code), "{what}: exit code {code}\n{output}");
        assert!(output.contains("REJECTED") || output.contains("error"), "{what}: {output}");
    };
    for file in &files {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let before = std::fs::read(file).expect("a file");
        let is_read_first = name == "manifest.json" || name == "chain.json";
        // Without manifest or result there is nothing to check.
        let codes: &[i32] = if is_read_first { &[2, 4] } else { &[4] };
        let mut damaged: Vec<(&str, Vec<u8>)> = vec![("cut", before[..before.len() / 2].to_vec())];
        if name != "manifest.json" {
            for (what, place) in [("a bit at the beginning", 0), ("a bit in the middle", before.len() / 2)] {
                let mut bytes = before.clone();
                bytes[place] ^= 1;
                damaged.push((what, bytes));
            }
            let lines: Vec<&[u8]> = before.split_inclusive(|&byte| byte == b'\n').collect();
            damaged.push((
                "a line",
                [&lines[..lines.len() / 2], &lines[lines.len() / 2 + 1..]].concat().concat(),
            ));
        }
        for (what, bytes) in damaged {
            std::fs::write(file, bytes).expect("a file");
            expect_refused(&format!("{name}: {what}"), codes);
        }
        std::fs::remove_file(file).expect("a file");
        expect_refused(&format!("{name}: removed"), codes);
        std::fs::write(file, before).expect("a file");
    }
    for pair in files.windows(2) {
        let texts = [&pair[0], &pair[1]].map(|file| std::fs::read(file).expect("a file"));
        std::fs::write(&pair[0], &texts[1]).expect("a file");
        std::fs::write(&pair[1], &texts[0]).expect("a file");
        expect_refused(&format!("{} and {} swapped", pair[0].display(), pair[1].display()), &[2, 4]);
        std::fs::write(&pair[0], &texts[0]).expect("a file");
        std::fs::write(&pair[1], &texts[1]).expect("a file");
    }
    assert_eq!(case.verify().0, 0);
}

/// A counter of which a goal is covered.
const COUNTER: &str = "1 sort bitvec 1\n2 sort bitvec 3\n3 input 1 up\n4 state 2 n\n5 zero 2\n6 init 2 4 5\n7 one 2\n\
    8 add 2 4 7\n9 ite 2 3 8 4\n10 next 2 4 9\n11 constd 2 2\n12 eq 1 4 11\n13 bad 12 two\n14 eq 1 4 7\n15 bad 14 one\n";

/// What no claim rests on is compared, too, wherever it follows from the chains.
#[test]
fn what_a_result_says_beside_its_claims_is_checked() {
    let case = Case::named("count.btor2", COUNTER, &[]);
    let (code, output) = case.verify();
    assert_eq!(code, 0, "{output}");
    let original = std::fs::read_to_string(case.path("result/chain.json")).expect("the result");
    type Forgery = (&'static str, fn(&mut Json));
    let forgeries: [Forgery; 6] = [
        ("which `input_changes` does not say", |chain| chain["input_changes"] = json!(7)),
        ("`order` is not the order", |chain| chain["order"] = json!(["two", "one"])),
        ("`order` is not the order", |chain| chain["order"] = json!(["one"])),
        ("is none that it can have", |chain| chain["steps"][0]["inputs"]["up"] = json!(-1)),
        ("there is no code on which it was replayed", |chain| chain["replayed"] = json!(true)),
        ("`replayed` says nothing that is known", |chain| chain["replayed"] = json!("surely")),
    ];
    for (reason, forge) in forgeries {
        case.forge_result(|json| forge(&mut json["chains"][0]));
        let (code, output) = case.verify();
        assert!(code == 4 && output.contains(reason), "{reason}: {code}, {output}");
        case.forge_result(|json| *json = serde_json::from_str(&original).expect("a result"));
    }
    case.forge_result(|json| json["goals"][0]["origin"]["file"] = json!("other.btor2"));
    let (code, output) = case.verify();
    assert!(code == 4 && output.contains("two is described otherwise"), "{output}");
}
