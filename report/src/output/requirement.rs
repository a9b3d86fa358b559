//! Requirements in `chain.json`, in a form in which others can judge them: conditions as expression
//! trees over inputs and over what memory holds between steps.

use super::chain_file::{Kind, Origin};
use serde::{Deserialize, Serialize};

/// What must hold in all executions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatedRequirement {
    /// Its name: that of the goal which states it, else its place.
    pub name: String,
    /// What states it: `property`, `assertion`, `error` or `hazard`.
    pub kind: String,
    /// Identifier of the user's requirement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirement: Option<String>,
    /// What it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Where it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Length of its window in steps.
    pub steps: u32,
    /// Its conditions, where they can be told from between steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Conditions>,
    /// Why there are none, as a clause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<String>,
}

/// Conditions over a window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// The nodes of all expression trees; arguments stand before what uses them.
    pub nodes: Vec<Node>,
    /// Index of the truth that the requirement applies to the window.
    pub antecedent: usize,
    /// Index of the truth that must hold then.
    pub consequent: usize,
    /// What the consequent consists of.
    pub claims: Vec<StatedClaim>,
}

/// One claim of a consequent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatedClaim {
    /// The formula as it was written.
    pub text: String,
    /// Where it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// Index of the truth that it is made and does not hold.
    pub fails: usize,
    /// What the formula reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<StatedReading>,
}

/// A value that a claim reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatedReading {
    /// What is read, as it was written.
    pub expression: String,
    /// Index of the truth that it is read.
    pub is_read: usize,
    /// Index of its value.
    pub value: usize,
    /// How its bits are to be read.
    pub kind: Kind,
}

/// A node of an expression tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Node {
    /// The operator, `constant`, or where a value is looked up: `input`, `output`, `state`.
    pub op: String,
    /// `w8` for a word of 8 bits, `f32` and `f64` for IEEE numbers; truths are `w1`.
    #[serde(rename = "type")]
    pub sort: String,
    /// Indices of the arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<usize>,
    /// Of an input, output or state word its name; of a state word without one its lvalue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Of inputs the step of the window in which they are applied; of outputs and state words the
    /// number of steps of the window behind which they are read, 0: before the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Of a constant its bits, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<String>,
    /// Of an extract the lowest bit taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<u32>,
}

impl Node {
    /// Bits of its value.
    pub fn width(&self) -> u32 {
        self.sort.get(1..).and_then(|digits| digits.parse().ok()).unwrap_or(0)
    }

    /// Whether its value is an IEEE number.
    pub fn is_float(&self) -> bool {
        self.sort.starts_with('f')
    }
}

impl Conditions {
    /// Number of steps that they look at.
    pub fn steps(&self) -> u32 {
        let needed = |node: &Node| node.step.map_or(0, |step| step + u32::from(node.op == "input"));
        self.nodes.iter().map(needed).max().unwrap_or(0)
    }
    /// Names of the state words that are no outputs, which nobody sees from outside.
    pub fn internal(&self) -> Vec<&str> {
        let state = self.nodes.iter().filter(|node| node.op == "state");
        let mut names: Vec<&str> = state.filter_map(|node| node.name.as_deref()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
    /// Whether a truth, by its index, depends on state words that are no outputs.
    pub fn is_internal(&self, root: usize) -> bool {
        let mut is_read = vec![false; self.nodes.len()];
        is_read.get_mut(root).into_iter().for_each(|root| *root = true);
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if is_read[index] {
                node.args.iter().for_each(|&argument| is_read[argument] = true);
            }
        }
        self.nodes.iter().zip(is_read).any(|(node, is_read)| is_read && node.op == "state")
    }
}

/// What is expected of an output in a step, where it is not what the chain recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// The value that a requirement fixes; absent: the requirement is violated by what was
    /// recorded, so that nothing is expected of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    /// Name of the requirement.
    pub requirement: String,
}
