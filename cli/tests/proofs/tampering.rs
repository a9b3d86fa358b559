//! Results and evidence that were changed: every change is told, with the reason.

use crate::{Case, TWO_WAYS, edit};
use serde_json::json;
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
