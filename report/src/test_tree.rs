//! `test-N.json`, version 1: a test of a system of events as a finite tree, and what tools for
//! transition systems and graphs read of it. The nodes of adaptive tests of requirements, which
//! stand in `chain.json`, are the same with all inputs, and all outputs, of a step at once.

use crate::mutation::{Chain, Step};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The value of the `schema` key.
pub const SCHEMA: &str = "chaincover/test/1";

/// A test. Whatever a node that watches does not list, and the specification does not allow, fails.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestTree {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Name of the system.
    pub system: String,
    /// The file of the specification, as it was given.
    pub specification: String,
    /// Values of its constants, `NAME=VALUE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<String>,
    /// The operators by which mutants are numbered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operators: Vec<String>,
    /// Whether all mutants of the test are revealed whatever a correct system answers; otherwise
    /// some of its answers end the test without a verdict.
    pub certain: bool,
    /// The nodes; the test begins at the first one.
    pub nodes: Vec<TestNode>,
}

/// A node: a stimulus (`in`, or `inputs`), a watch (`watch`) or an end (`verdict`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TestNode {
    /// The stimulus.
    #[serde(rename = "in", default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Values of its parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Value>,
    /// Instead of one stimulus the values of all inputs of a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Map<String, Value>>,
    /// The node behind the stimulus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<usize>,
    /// The answers that the specification allows, where the tester watches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<Vec<Answer>>,
    /// Whether the specification allows more than is listed; that ends the test without a verdict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// Whether the specification may refuse the stimulus; what follows then is no failure by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refusable: bool,
    /// The mutants that may be revealed here first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reveals: Vec<String>,
    /// The end: `pass` or `inconclusive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
}

/// An answer and the node behind it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The output; none: nothing happens.
    #[serde(rename = "out", default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Values of its parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Value>,
    /// Where the answer stands for several, the greatest value of each parameter; `args` are the
    /// least.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub upto: Vec<Value>,
    /// Instead of one output the values of all outputs of a step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Map<String, Value>>,
    /// Nothing happens.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quiet: bool,
    /// The node behind it.
    pub next: usize,
}

/// The verdict that is no node: of all that is not allowed.
const FAIL: &str = "fail";
/// The verdict of what is allowed, but not listed.
const INCONCLUSIVE: &str = "inconclusive";

/// Labels that one answer is written as at most; of more, each parameter is written as a range.
const MOST_LABELS: i128 = 1000;

impl Answer {
    /// The labels for which it stands.
    fn labels(&self) -> Vec<String> {
        let label = |args: &[Value]| step_of(None, self.output.clone(), args, self.quiet).to_string();
        if self.output.is_none() {
            // Invisible steps for ever are silence as well.
            return vec!["quiet".to_owned()];
        }
        if self.upto.is_empty() {
            return vec![label(&self.args)];
        }
        let integer = |value: &Value| match value {
            Value::String(text) => text.parse().ok(),
            value => value.as_i64().map(i128::from),
        };
        let range = |(least, greatest): (&Value, &Value)| Some((integer(least)?, integer(greatest)?));
        let ranges: Vec<Option<(i128, i128)>> = self.args.iter().zip(&self.upto).map(range).collect();
        let size = |range: &Option<(i128, i128)>| range.map_or(1, |(least, greatest)| greatest - least + 1);
        let count = ranges.iter().map(size).fold(1_i128, i128::saturating_mul);
        let mut found: Vec<Vec<Value>> = vec![Vec::new()];
        for ((range, least), greatest) in ranges.iter().zip(&self.args).zip(&self.upto) {
            let values: Vec<Value> = match *range {
                Some((least, greatest)) if count <= MOST_LABELS => {
                    (least..=greatest).map(|value| json!(value as i64)).collect()
                }
                Some((least, greatest)) if least < greatest => vec![json!(format!("{least}..{greatest}"))],
                _ if least == greatest => vec![least.clone()],
                _ => vec![json!(format!("{least}..{greatest}"))],
            };
            let longer =
                |args: &Vec<Value>, value: &Value| args.iter().cloned().chain([value.clone()]).collect();
            found =
                found.iter().flat_map(|args| values.iter().map(move |value| longer(args, value))).collect();
        }
        found.iter().map(|args| label(args)).collect()
    }
}

fn step_of(input: Option<String>, output: Option<String>, args: &[Value], quiet: bool) -> Step {
    Step { input, output, args: args.to_vec(), quiet, ..Step::default() }
}

impl TestTree {
    /// The nodes of a chain as a test: it goes on where the answer is the one that the chain wants,
    /// and passes at its end. What else is allowed ends it without a verdict.
    pub fn of_chain(chain: &Chain) -> Vec<TestNode> {
        let last = chain.steps.len();
        let node = |(place, step): (usize, &Step)| match &step.input {
            Some(_) => TestNode {
                input: step.input.clone(),
                args: step.args.clone(),
                next: Some(place + 1),
                reveals: step.reveals.clone(),
                ..TestNode::default()
            },
            None => TestNode {
                watch: Some(vec![Answer {
                    output: step.output.clone(),
                    args: step.args.clone(),
                    quiet: step.quiet,
                    next: place + 1,
                    ..Answer::default()
                }]),
                partial: true,
                reveals: step.reveals.clone(),
                ..TestNode::default()
            },
        };
        let mut nodes: Vec<TestNode> = chain.steps.iter().enumerate().map(node).collect();
        nodes.push(TestNode { verdict: Some("pass".to_owned()), ..TestNode::default() });
        debug_assert_eq!(nodes.len(), last + 1);
        nodes
    }

    /// From, label, to; behind the last node are *fail* and, where a node does not list all that is
    /// allowed, *inconclusive*. Ends are loops with their verdict.
    fn transitions(&self) -> Vec<(usize, String, usize)> {
        let fail = self.nodes.len();
        let mut found = Vec::new();
        for (place, node) in self.nodes.iter().enumerate() {
            if let (Some(_), Some(next)) = (&node.input, node.next) {
                let label = step_of(node.input.clone(), None, &node.args, false).to_string();
                if node.refusable {
                    found.push((place, format!("{label} (refused)"), fail + 1));
                }
                found.push((place, label, next));
            }
            if let Some(answers) = &node.watch {
                let labels = |answer: &Answer| {
                    let next = answer.next;
                    answer.labels().into_iter().map(move |label| (place, label, next)).collect::<Vec<_>>()
                };
                found.extend(answers.iter().flat_map(labels));
                let other = if node.partial { fail + 1 } else { fail };
                found.push((place, "other".to_owned(), other));
            }
            if let Some(verdict) = &node.verdict {
                found.push((place, verdict.to_uppercase(), place));
            }
        }
        found.push((fail, FAIL.to_uppercase(), fail));
        if self.is_partial() {
            found.push((fail + 1, INCONCLUSIVE.to_uppercase(), fail + 1));
        }
        found
    }
    /// Whether some node does not list all that is allowed.
    fn is_partial(&self) -> bool {
        self.nodes.iter().any(|node| node.partial || node.refusable)
    }
    /// The test in the Aldebaran format of CADP; ends are loops labelled PASS, INCONCLUSIVE, FAIL.
    pub fn aldebaran(&self) -> String {
        let transitions = self.transitions();
        let mut text = {
            let states = self.nodes.len() + 1 + usize::from(self.is_partial());
            format!("des (0, {}, {states})\n", transitions.len())
        };
        for (from, label, to) in transitions {
            let _ = writeln!(text, "({from}, \"{}\", {to})", label.replace('"', "'"));
        }
        text
    }
    /// The test for Graphviz.
    pub fn graphviz(&self) -> String {
        let fail = self.nodes.len();
        let mut text = "digraph test {\n  rankdir=LR;\n  node [shape=circle, label=\"\"];\n".to_owned();
        let ends = self.nodes.iter().enumerate();
        let ends = ends.filter_map(|(place, node)| Some((place, node.verdict.as_deref()?)));
        let inconclusive = self.is_partial().then_some((fail + 1, INCONCLUSIVE));
        for (place, verdict) in ends.chain([(fail, FAIL)]).chain(inconclusive) {
            let _ = writeln!(text, "  {place} [shape=box, label=\"{verdict}\"];");
        }
        for (from, label, to) in self.transitions().into_iter().filter(|(from, _, to)| from != to) {
            let label = label.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "  {from} -> {to} [label=\"{label}\"];");
        }
        text + "}\n"
    }
    /// How many steps a run takes at most.
    pub fn depth(&self) -> usize {
        let mut longest = vec![0; self.nodes.len()];
        // What follows a node has a greater number.
        for (place, node) in self.nodes.iter().enumerate().rev() {
            let behind = node.watch.iter().flatten().map(|answer| answer.next).chain(node.next);
            longest[place] = behind.filter_map(|next| longest.get(next)).max().map_or(0, |steps| steps + 1);
        }
        longest.first().copied().unwrap_or(0)
    }
    /// Why the nodes are no tree.
    ///
    /// # Errors
    /// The first node that is wrong.
    pub fn check(&self) -> Result<(), String> {
        if self.nodes.is_empty() {
            return Err("the test has no nodes".to_owned());
        }
        for (place, node) in self.nodes.iter().enumerate() {
            let is_stimulus = node.input.is_some() || node.inputs.is_some();
            let kinds =
                [node.input.is_some(), node.inputs.is_some(), node.watch.is_some(), node.verdict.is_some()];
            if kinds.into_iter().filter(|is_so| *is_so).count() != 1 || is_stimulus != node.next.is_some() {
                return Err(format!("node {place} is neither a stimulus, a watch nor an end"));
            }
            if node.verdict.as_ref().is_some_and(|verdict| verdict != "pass" && verdict != "inconclusive") {
                return Err(format!("the verdict of node {place} is neither pass nor inconclusive"));
            }
            let mut behind = node.watch.iter().flatten().map(|answer| answer.next).chain(node.next);
            if let Some(next) = behind.find(|&next| next <= place || next >= self.nodes.len()) {
                return Err(format!("node {place} goes on at {next}, which is not behind it"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lamp() -> TestTree {
        let stimulus = Step { input: Some("Press".to_owned()), ..Step::default() };
        let watch = Step { output: Some("Shine".to_owned()), ..Step::default() };
        let mut nodes = TestTree::of_chain(&Chain { steps: vec![stimulus, watch] });
        nodes[1].partial = false;
        let quiet = Answer { quiet: true, next: 3, ..Answer::default() };
        nodes[1].watch.as_mut().expect("a watch").push(quiet);
        nodes.push(TestNode { verdict: Some("inconclusive".to_owned()), ..TestNode::default() });
        TestTree { nodes, ..TestTree::default() }
    }

    #[test]
    fn tests_end_in_verdicts() {
        let expected = "des (0, 7, 5)\n(0, \"?Press\", 1)\n(1, \"!Shine\", 2)\n(1, \"quiet\", 3)\n(1, \"other\", 4)\n\
                        (2, \"PASS\", 2)\n(3, \"INCONCLUSIVE\", 3)\n(4, \"FAIL\", 4)\n";
        assert_eq!(lamp().aldebaran(), expected);
        assert!(lamp().graphviz().contains("1 -> 3 [label=\"quiet\"];"));
        assert_eq!((lamp().depth(), lamp().check()), (2, Ok(())));
    }

    /// What is allowed, but not listed, is no failure; an answer that stands for several is written as
    /// these.
    #[test]
    fn answers_that_are_allowed_do_not_fail() {
        let mut test = lamp();
        test.nodes[1].partial = true;
        assert!(test.aldebaran().contains("(1, \"other\", 5)\n"), "{}", test.aldebaran());
        assert!(test.aldebaran().contains("(5, \"INCONCLUSIVE\", 5)\n"), "{}", test.aldebaran());
        let answer = |upto: Vec<Value>| Answer {
            output: Some("Out".to_owned()),
            args: vec![json!(2), json!("ON")],
            upto,
            ..Answer::default()
        };
        assert_eq!(answer(Vec::new()).labels(), ["!Out(2, ON)"]);
        assert_eq!(
            answer(vec![json!(4), json!("ON")]).labels(),
            ["!Out(2, ON)", "!Out(3, ON)", "!Out(4, ON)"]
        );
        assert_eq!(answer(vec![json!(9_000), json!("ON")]).labels(), ["!Out(2..9000, ON)"]);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        type Break = fn(&mut TestTree);
        let table: [(Break, &str); 4] = [
            (|test| test.nodes.clear(), "no nodes"),
            (|test| test.nodes[0].next = None, "node 0 is neither"),
            (|test| test.nodes[0].next = Some(0), "node 0 goes on at 0"),
            (|test| test.nodes[2].verdict = Some("good".to_owned()), "the verdict of node 2"),
        ];
        for (change, expected) in table {
            let mut test = lamp();
            change(&mut test);
            let message = test.check().expect_err("no tree");
            assert!(message.contains(expected), "{message}");
        }
    }
}
