//! The shape of `chaincover.toml`, key by key.

use crate::coverage::CoverageSection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The JSON schema (draft 2020-12) of the file, from which editors complete keys and tell wrong ones.
///
/// ```
/// let schema: serde_json::Value = serde_json::from_str(&config::file::schema()).unwrap();
/// assert!(schema["properties"]["model"].is_object());
/// ```
pub fn schema() -> String {
    let schema = schemars::schema_for!(ConfigFile);
    format!("{:#}\n", schema.as_value())
}

/// A whole `chaincover.toml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// `[model]`.
    #[serde(default)]
    pub model: ModelSection,
    /// `[bind]`: pointer path to `new` or `&object`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bind: BTreeMap<String, String>,
    /// `[const]`: values fixed before init.
    #[serde(default, rename = "const", skip_serializing_if = "BTreeMap::is_empty")]
    pub constants: BTreeMap<String, Scalar>,
    /// `[input."lvalue"]`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub input: BTreeMap<String, InputSection>,
    /// `[output."lvalue"]`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub output: BTreeMap<String, OutputSection>,
    /// `[[assume]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assume: Vec<ExpressionSection>,
    /// `[[invariant]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invariant: Vec<ExpressionSection>,
    /// `[[goal]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goal: Vec<GoalSection>,
    /// `[final]`.
    #[serde(default, rename = "final", skip_serializing_if = "Option::is_none")]
    pub end: Option<FinalSection>,
    /// `[cost]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostSection>,
    /// `[hardware]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware: Option<HardwareSection>,
    /// `[coverage]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageSection>,
    /// `[a2l]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a2l: Option<A2lSection>,
}

impl ConfigFile {
    /// The text of the file.
    ///
    /// # Errors
    /// Why it cannot be written as TOML.
    pub fn to_toml(&self) -> Result<String, String> {
        toml::to_string(self).map_err(|error| error.to_string())
    }
}

/// `[model]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelSection {
    /// Name for reports; absent: the stem of the file that defines the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// C files.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Include folders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Macros, `NAME` or `NAME=VALUE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub define: Vec<String>,
    /// Data model: `ip16`, `ilp32` (default), `lp64`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Initialisation function; empty: none; absent: found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init: Option<String>,
    /// Step function or functions; absent: found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<StepSection>,
    /// Time between two steps, such as `5ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<String>,
    /// Lvalues written by the environment; absent: found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<String>>,
    /// Lvalues shown as outputs; absent: found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Vec<String>>,
    /// Property files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<String>,
    /// Rounds of one loop that are unrolled at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unwind: Option<u32>,
    /// Whether executions in which a loop or a recursion goes on beyond that are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assume_unwound: bool,
    /// Whether operations that C leaves undefined are requirements.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub robustness: bool,
}

/// `[hardware]`: what hardware models are asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HardwareSection {
    /// The top module of a Verilog design; absent: the one that no other instantiates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<String>,
    /// Parameters of the top module, `NAME=VALUE` each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<String>,
    /// The reset that is held in the first steps: `rst`, `!rst_n`, `rst=2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reset: Option<String>,
    /// Whether registers without an initial value start with zero.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub zero_init: bool,
}

/// `[a2l]`: a description of variables, whose contents are defaults of `[input]` and `[output]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct A2lSection {
    /// The A2L file (ASAM MCD-2 MC).
    pub file: String,
    /// Whether limits of the file are ranges of inputs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ranges: bool,
}

/// `step = "f"`, `step = ["f", "g"]` or `step = [{ fn = "f", every = 10, phase = 0 }]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum StepSection {
    /// One function.
    One(String),
    /// Several, in call order.
    Several(Vec<StepEntry>),
}

/// One of several step functions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum StepEntry {
    /// Called in every step.
    Name(String),
    /// With a rate.
    Rated(RatedStep),
}

/// A step function with its rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RatedStep {
    /// The function.
    #[serde(rename = "fn")]
    pub function: String,
    /// Called in every `every`-th step.
    #[serde(default = "one")]
    pub every: u32,
    /// The first step with a call.
    #[serde(default)]
    pub phase: u32,
}

const fn one() -> u32 {
    1
}

/// A scalar value; a string is a C expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Scalar {
    /// `true`, `false`.
    Truth(bool),
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Float(f64),
    /// A C constant expression.
    Text(String),
}

/// The least number, as C writes it.
const LEAST: &str = "(-9223372036854775807-1)";

impl Scalar {
    /// The value as a C constant expression.
    pub fn to_c(&self) -> String {
        match self {
            Self::Truth(holds) => u8::from(*holds).to_string(),
            // C has no negative literals, and none for the magnitude of the least number.
            Self::Integer(i64::MIN) => LEAST.to_owned(),
            Self::Integer(number) if *number < 0 => format!("({number})"),
            Self::Integer(number) => number.to_string(),
            Self::Float(number) => format!("({number:?})"),
            Self::Text(text) => text.clone(),
        }
    }
    /// The scalar that [`Scalar::to_c`] makes `text` of.
    pub fn from_c(text: &str) -> Self {
        if text == LEAST {
            return Self::Integer(i64::MIN);
        }
        let bare = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
        bare.parse().map_or_else(|_| Self::Text(text.to_owned()), Self::Integer)
    }
}

/// `[input."lvalue"]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InputSection {
    /// Inclusive range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[Scalar; 2]>,
    /// Allowed values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<Scalar>>,
    /// Physical unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Preferred value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Scalar>,
    /// Name in reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Names of values, such as `0 = "off"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// `[output."lvalue"]`: what it means, and how far a measured value may be off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputSection {
    /// Physical unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Absolute difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abs: Option<f64>,
    /// Difference relative to the expected value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rel: Option<f64>,
    /// Units in the last place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ulp: Option<u32>,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Names of values, such as `0 = "off"`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// `[[assume]]` and `[[invariant]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExpressionSection {
    /// A C expression.
    pub expr: String,
}

/// `[[goal]]`: one step with `when`, `after`, or several in `step`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GoalSection {
    /// Unique name.
    pub name: String,
    /// Identifier of the requirement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirement: Option<String>,
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Condition before the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Condition after the step, part of the antecedent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Several steps instead of `when` and `after`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub step: Vec<GoalStepSection>,
    /// Consequent, after the last step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
}

/// One step of a goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GoalStepSection {
    /// Condition before the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Condition after the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// `[final]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FinalSection {
    /// A C expression over the state.
    pub when: String,
}

/// `[cost]`: what steps cost, in seconds, wear, hazard or whatever a rig counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CostSection {
    /// What stands behind costs, such as `s`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// What each step costs; absent: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// What steps cost in addition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add: Vec<CostEntry>,
}

/// What a step costs in addition where a condition holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CostEntry {
    /// A C expression over the state before the step and its inputs.
    pub when: String,
    /// The cost.
    pub cost: u32,
}
