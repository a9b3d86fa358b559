//! What the requirements of an interface say of the steps of a run.

use super::chain_file::Origin;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

/// A requirement of an interface as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenRequirement {
    /// Its identifier.
    pub name: String,
    /// The view that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
    /// What it says, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its contracts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contracts: Vec<String>,
    /// Where it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// In which of the runs that are possible an assumption holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Triggered {
    /// In none of them.
    Never,
    /// In some of them.
    Sometimes,
    /// In all of them.
    Always,
}

/// What a requirement says of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Whether its assumption holds.
    pub triggered: Triggered,
    /// Whether some answer would keep all other requirements and break this one; absent where that
    /// was not found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deciding: Option<bool>,
    /// Whether what was observed breaks it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub broken: bool,
}

/// The requirements that say something of a step, by their identifiers.
pub type Marks = BTreeMap<String, Mark>;

/// A step of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MarkedStep {
    /// Its number.
    pub step: usize,
    /// What the tester gave; nothing where any inputs do.
    #[serde(rename = "in")]
    pub inputs: Map<String, Json>,
    /// What the system answered, as far as that is known.
    #[serde(rename = "out", default, skip_serializing_if = "Map::is_empty")]
    pub outputs: Map<String, Json>,
    /// The outputs that requirements allow, as a formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// What each requirement says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub marks: Marks,
    /// What is shown here first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shows: Vec<String>,
}
