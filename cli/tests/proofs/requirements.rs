//! What a result says of chains of requirement interfaces beside their goals: grades, adaptive
//! tests, what is allowed, what requirements say, how they are written.

use crate::proofs::Case;
use serde_json::{Value as Json, json};

/// The system may prevent `top`.
const POSSIBLE: &str = "interface t
input a : bool
output y : 0..3
req r1 assume a' guarantee y' >= y
purpose top: y' = 3 and y = 0
";

/// Which input meets `q` depends on the output before.
const ADAPTIVE: &str = "interface t
input a : bool
output y : bool
req r0 always guarantee y' or not y'
purpose q: a' != y
";

const CERTAIN: &str = include_str!("../../../examples/buffer.ri");

/// What is told of a change, and the change.
type Forgery = (&'static str, fn(&mut Json));

#[test]
fn what_is_said_of_chains_of_requirements_is_checked() {
    fn grade(json: &mut Json, to: &str) {
        json["chains"][0]["grade"] = json!(to);
    }
    fn without_tree(json: &mut Json) {
        json["chains"][0].as_object_mut().expect("a chain").remove("tree");
    }
    let grade_or_tree = "its grade or its tree is another than recorded";
    let table: [(&str, &str, &[Forgery]); 3] = [
        (
            POSSIBLE,
            "possible",
            &[
                (grade_or_tree, |json| grade(json, "certain")),
                (grade_or_tree, |json| grade(json, "adaptive")),
                (grade_or_tree, |json| grade(json, "sure")),
                ("step 1 allows other outputs", |json| {
                    json["chains"][0]["steps"][1]["allowed"] = json!("y = 3");
                }),
                ("are not those of the text", |json| {
                    json["contracts"][0]["contracts"][0] = json!("always guarantee y' = 3");
                }),
            ],
        ),
        (
            ADAPTIVE,
            "adaptive",
            &[
                (grade_or_tree, |json| {
                    grade(json, "certain");
                    without_tree(json);
                }),
                (grade_or_tree, without_tree),
                (grade_or_tree, |json| {
                    let nodes = json["chains"][0]["tree"].as_array_mut().expect("a tree");
                    for given in nodes.iter_mut().filter_map(|node| node.get_mut("inputs")) {
                        given["a"] = json!(given["a"] != true);
                    }
                }),
            ],
        ),
        (
            CERTAIN,
            "certain",
            &[
                (grade_or_tree, |json| grade(json, "possible")),
                ("`marks` of step 0 say something else", |json| {
                    json["chains"][0]["steps"][0]["marks"]["r0"]["triggered"] = json!("never");
                }),
                ("`marks` of step 2 say something else", |json| {
                    json["chains"][0]["steps"][2].as_object_mut().expect("a step").remove("marks");
                }),
            ],
        ),
    ];
    for (text, expected, changes) in table {
        let case = Case::named("t.ri", text, &[]);
        let (code, output) = case.verify();
        assert_eq!(code, 0, "{output}");
        let written = std::fs::read_to_string(case.path("result/chain.json")).expect("a result");
        assert!(written.contains(&format!("\"grade\": \"{expected}\"")), "{written}");
        for (reason, change) in changes {
            case.forge_result(change);
            let (code, output) = case.verify();
            assert!(code == 4 && output.contains(reason), "{expected}, {reason}: {output}");
            case.forge_result(|json| *json = serde_json::from_str(&written).expect("JSON"));
        }
        assert_eq!(case.verify().0, 0);
    }
}
