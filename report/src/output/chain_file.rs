//! `chain.json`, version 1: the shape of the file.
//!
//! Every other output format derives from it. [`crate::build`] fills it; `replay` and `export` read
//! it.

pub use super::marks::{Mark, MarkedStep, Marks, Triggered, WrittenRequirement};
pub use super::requirement::{Conditions, Expected, Node, StatedClaim, StatedReading, StatedRequirement};
pub use super::values::Values;
pub use super::verdict::{Applies, Counterexample, RequirementVerdict, Saw, VerdictName};
use crate::coverage::{Coverage, Seen};
use crate::test_tree::TestNode;
use config::file::ConfigFile;
use frontend::diagnostics::visible;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::path::Path;

/// The value of the `schema` key.
pub const SCHEMA: &str = "chaincover/chain/1";

/// A whole file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainFile {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Who wrote it.
    pub tool: Tool,
    /// What was tested.
    pub model: Model,
    /// All declared inputs.
    pub inputs: Vec<Signal>,
    /// Outputs.
    pub outputs: Vec<Signal>,
    /// State words.
    pub state: Vec<Signal>,
    /// The goals in order of definition.
    pub goals: Vec<Goal>,
    /// The requirements of an interface as they are written; absent for other models.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contracts: Vec<WrittenRequirement>,
    /// What must hold, in a form in which others can judge it; absent where nothing is required.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<StatedRequirement>,
    /// What holds of all executions; absent where nothing is required, or nobody asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<RequirementVerdict>,
    /// The chains; each starts from Init.
    pub chains: Vec<Chain>,
    /// Proven shortest distances in steps, from the first step of one goal to that of another, as
    /// far as they were computed: by the names of the two, where `Init` and `Final` stand for the
    /// ends of a chain.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub graph: BTreeMap<String, BTreeMap<String, u32>>,
    /// Goals that follow from the structure of the code, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// What old tests that the search began with miss; absent where there were none, or they miss
    /// nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complement: Option<Complement>,
    /// The result in numbers.
    pub summary: Summary,
    /// Where time went.
    pub stages: Vec<Stage>,
    /// What each engine cost and came to, in the order of their first turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineAccount>,
    /// Which engine found or proved what, and when.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub milestones: Vec<Milestone>,
    /// What the user should know: trusted invariants, undefined operations met, what minimality
    /// rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl ChainFile {
    /// Reads a file. Every crate that reads it with serde itself would hold the code for all of its
    /// parts again.
    ///
    /// # Errors
    /// It is no JSON, or JSON of another kind.
    #[inline(never)]
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }
}

/// What old tests miss, and how few steps cover it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complement {
    /// Names of the goals that the tests miss and the chains of this result cover.
    pub goals: Vec<String>,
    /// What goes on from the ends of tests.
    pub behind: Vec<Continuation>,
    /// A chain of its own; absent where none was found that covers all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<Added>,
    /// Number of tests whose ends were not gone on from.
    pub untried: usize,
}

/// What goes on from the end of an old test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Continuation {
    /// The file of the test.
    pub file: String,
    /// Its number in the file, from 1.
    pub test: usize,
    /// Steps that cover all goals that are missed; absent where none were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<Added>,
    /// Goals that no execution reaches from there, which is proven.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub out_of_reach: Vec<String>,
}

/// Steps that are added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// Their number.
    pub steps: usize,
    /// Whether it is proven that no fewer do.
    pub shortest: bool,
}

/// What an engine cost and came to in all its turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineAccount {
    /// Its name, as `chaincover engines` lists it.
    pub name: String,
    /// Number of turns.
    pub turns: u32,
    /// Time in seconds.
    pub seconds: f64,
    /// SAT queries.
    pub sat_calls: u64,
    /// Turns that covered goals, made chains better or raised the bound.
    pub facts: u32,
}

/// What an engine came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Milestone {
    /// Since the search began.
    pub seconds: f64,
    /// `simulation`, `explicit` or `sat`.
    pub engine: String,
    /// What it found or proved.
    pub what: String,
}

/// The program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// `chaincover`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The SAT solver with its version.
    pub solver: String,
    /// What made the model from its sources, with its version (yosys); absent where nothing else
    /// did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translator: Option<String>,
}

/// The model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Name.
    pub name: String,
    /// C files with their hashes.
    pub sources: Vec<SourceFile>,
    /// Data model.
    pub target: String,
    /// Initialisation function; empty where there is none.
    pub init: String,
    /// Step function (several: separated by commas).
    pub step: String,
    /// Time between two steps as written in the configuration.
    pub period: Option<String>,
    /// The configuration file with its hash, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration_file: Option<SourceFile>,
    /// The A2L file that completed the configuration and what it includes, with their hashes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub a2l: Vec<SourceFile>,
    /// The complete configuration, detected parts filled in: what `replay` reads the model with.
    pub configuration: ConfigFile,
    /// What the command line added to the configuration file, or to the sources where there was
    /// none.
    #[serde(default, skip_serializing_if = "ModelOptions::is_none")]
    pub options: ModelOptions,
    /// Treatment of undefined operations (`--ub`): with `forbid` executions
    /// end there. Absent in files of early versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined_behaviour: Option<String>,
}

/// Options that say how the model is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelOptions {
    /// Folders with included files (`-I`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Macros (`-D`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub define: Vec<String>,
    /// Property files (`--goals`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<String>,
    /// Data model (`--target`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Step functions (`--step`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Initialisation function (`--init`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init: Option<String>,
    /// Rounds of a loop (`--unwind`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unwind: Option<u32>,
    /// Whether executions that go on beyond are left out (`--assume-unwound`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub assume_unwound: bool,
    /// Whether undefined operations are requirements (`--robustness`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub robustness: bool,
    /// Whether executions end at undefined operations (`--ub forbid`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forbids_undefined: bool,
    /// Criteria of coverage (`--coverage`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<String>,
    /// Whether only decisions count that control a branch (`--decisions branch`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub branches_only: bool,
    /// Whether goals of requirements are left out (`--goals none`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub coverage_alone: bool,
    /// Within how many further steps values have to be seen (`--observe`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observe: Option<u32>,
    /// The part of a specification whose goals are covered (`--view`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
    /// Whether steps of a specification in which nothing is assumed are left out (`--no-idle`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_idle: bool,
    /// The A2L file (`--a2l`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a2l: Option<String>,
    /// Whether its limits are ranges (`--a2l-ranges`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub a2l_ranges: bool,
    /// Time between two steps (`--period`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<String>,
}

impl ModelOptions {
    /// Whether none was given.
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Path as given.
    pub path: String,
    /// SHA-256 of its bytes in hexadecimal.
    pub sha256: String,
}

/// An input, output or state word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    /// Key in the steps.
    pub name: String,
    /// How C reaches it.
    pub lvalue: String,
    /// C type.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Value bits.
    pub bits: u32,
    /// How its bits are to be read; absent in files of early versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Where values are counted in steps, the step as `numerator/denominator`: a value of 3 and a step
    /// of `1/2` mean 1.5. Files for test rigs hold the number that is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Physical unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// What it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Names of values.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub enumerators: Map<String, Json>,
    /// What an output that requirements read holds before the first step, where that is one value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<Json>,
}

/// How the bits of a signal are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// 0 or 1.
    Bool,
    /// An unsigned number.
    Unsigned,
    /// A two's complement number.
    Signed,
    /// An IEEE number.
    Float,
    /// An address: object number above, byte offset below.
    Pointer,
}

/// Whether a goal was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// By one of the chains.
    Covered,
    /// Proven impossible.
    Unreachable,
    /// Neither.
    Undecided,
}

/// What became of the consequent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expectation {
    /// True at every occurrence along the chains.
    Held,
    /// False at some occurrence.
    Violated,
    /// The goal claims nothing, or was not reached.
    None,
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// File.
    pub file: String,
    /// Line.
    pub line: u32,
}

impl Origin {
    /// The place without its folder, which may be another where a result is verified.
    #[must_use]
    pub fn without_folder(&self) -> Self {
        let name = Path::new(&self.file).file_name();
        Self { file: name.unwrap_or_default().to_string_lossy().into_owned(), line: self.line }
    }
}

/// An occurrence of a goal that violates its consequent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// Index of the chain.
    pub chain: usize,
    /// First step of the occurrence.
    pub at: usize,
}

/// Whether a tester can force a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Force {
    /// It can be forced: the tester reaches it whatever others do.
    Forced,
    /// It needs the cooperation of the system, or of others who send messages.
    Cooperation,
    /// Not known.
    Undecided,
}

/// What is known of whether a tester can force a goal of a timed system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forcing {
    /// Whether he can.
    pub verdict: Force,
    /// The distance of the times at which events come for the verdict to hold; absent: any times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<String>,
    /// Why it is undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Forcing {
    /// In words, for one line.
    pub fn words(&self) -> String {
        let ticks =
            self.tick.as_ref().map_or_else(String::new, |tick| format!(" (events at ticks of {tick})"));
        let reason = self.reason.as_deref().unwrap_or("no reason given");
        match self.verdict {
            Force::Forced => format!("can be forced{ticks}"),
            Force::Cooperation => format!("needs cooperation{ticks}"),
            Force::Undecided => format!("undecided whether it can be forced: {reason}"),
        }
    }
}

/// A goal and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// Name.
    pub name: String,
    /// Requirement.
    pub requirement: Option<String>,
    /// Text.
    pub text: Option<String>,
    /// Where it was written.
    pub origin: Option<Origin>,
    /// Length of its window in steps.
    pub steps: u32,
    /// Whether it was reached.
    pub status: Status,
    /// Index of the first chain that covers it.
    pub chain: Option<usize>,
    /// First step of its first occurrence there.
    pub at: Option<usize>,
    /// What became of the consequent.
    pub expectation: Expectation,
    /// Where the consequent is violated first: not every occurrence need do so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violation: Option<Violation>,
    /// What holds of all executions, where the goal states a requirement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictName>,
    /// For unreachable and undecided goals: what was proven, which bound was reached, what blocks.
    pub reason: Option<String>,
    /// Whether a tester can force it; absent where nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forcing: Option<Forcing>,
    /// Where outputs show that a requirement about memory holds; absent where that was not asked
    /// for (`--observe`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen>,
}

/// An event of a chain of a timed system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimedEvent {
    /// The time since the beginning, a decimal or `p/q`, in the unit of the system.
    pub at: String,
    /// The time since the event before.
    pub delay: String,
    /// The transition that is taken.
    pub transition: String,
    /// The channel of the message.
    pub channel: String,
    /// Who sends: `input` (the tester), `uncontrollable` (others), `output` (the system).
    pub direction: String,
    /// The values of the message.
    pub args: Vec<Json>,
}

/// A chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// Number of steps.
    pub length: usize,
    /// The goals it was made for, in order.
    pub order: Vec<String>,
    /// Inputs chosen before the first step, by the initialisation code.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub initial_inputs: Map<String, Json>,
    /// Whether the goals are met whatever an allowed system chooses: `certain`, `adaptive` where
    /// they are by the inputs of `tree`, or `possible` where it may prevent one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<String>,
    /// Of requirements: a test for the same goals whose inputs depend on the outputs that are seen.
    /// Stimuli and watches alternate; what a watch does not list ends the test.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tree: Vec<TestNode>,
    /// Of timed systems: the events of the steps, in exact time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<TimedEvent>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The state after the last step; nothing where that does not return.
    pub end_state: Values,
    /// The same inputs by how long they are held.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<Hold>,
    /// How long the chain takes, where the period is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// What its steps cost together, where the configuration says what they cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// Number of changes of inputs from one step to the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_changes: Option<usize>,
    /// The same number before inputs were smoothed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_input_changes: Option<usize>,
    /// Whether it was run: `true` on the compiled code, `"evaluator"` on the evaluator alone,
    /// `false` if the two disagree.
    pub replayed: Json,
    /// How the compiled code was made to fit the target, or why it was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed_how: Option<String>,
}

/// A stretch of a chain in which no input changes; it ends at the latest where something is
/// covered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hold {
    /// The first step.
    pub at: usize,
    /// Number of steps.
    pub steps: usize,
    /// How long they take, where the period is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// What the tester applies.
    pub inputs: Values,
    /// Goals whose first occurrence the last of these steps completes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<String>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What the tester applies.
    pub inputs: Values,
    /// What the step answers; nothing where it does not return.
    pub outputs: Values,
    /// What requirements expect of outputs, where that is not simply the record.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expected: BTreeMap<String, Expected>,
    /// What the system under test chooses, as words of the model: one way among those that are
    /// allowed.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub choices: Map<String, Json>,
    /// The outputs that requirements allow, as a formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// What each requirement of an interface says of the step, in the runs that are allowed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub marks: Marks,
    /// The state before the step.
    pub state: Values,
    /// Goals whose first occurrence this step completes.
    pub covers: Vec<String>,
    /// Inputs that do not matter in this step: whatever values they take together (of their
    /// declared ranges), outputs and coverage stay as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dont_care: Vec<String>,
    /// What ends the program in this step, before the step returns, with file and line. It is the
    /// last step then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<String>,
}

/// How far minimality is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Minimal {
    /// No fewer chains and no shorter ones cover what is covered.
    Proven,
    /// `lower_bound` is proven and lies below.
    Gap,
    /// Nothing is proven.
    Unknown,
}

/// What chains cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// All chains together.
    pub total: u64,
    /// What stands behind costs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// No chains that are as few and cover the same goals cost less; absent where least cost was not
    /// sought (`--minimise cost`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<u64>,
}

impl Cost {
    /// In words, for one line.
    pub fn words(&self) -> String {
        let unit = visible(&self.unit);
        let with_unit = |cost: u64| if unit.is_empty() { cost.to_string() } else { format!("{cost} {unit}") };
        let total = with_unit(self.total);
        match self.lower_bound {
            None => total,
            Some(bound) if bound >= self.total => format!("{total}, proven least"),
            Some(bound) => format!("{total}, at least {}", with_unit(bound)),
        }
    }
}

/// The result in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of goals.
    pub goals: usize,
    /// Number of goals covered.
    pub covered: usize,
    /// Number of chains.
    pub chains: usize,
    /// Steps of all chains together.
    pub length: usize,
    /// No chains with fewer steps cover the same goals (for the same number of chains).
    pub lower_bound: u64,
    /// How far minimality is proven.
    pub minimal: Minimal,
    /// Price of a further chain in steps, where minimality is about steps and chains together
    /// (`--reset-cost`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reset_cost: Option<u64>,
    /// What the chains cost together, where the configuration says what steps cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// What is known of the time that chains of a timed system take together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<ChainTime>,
    /// Largest distance asked for.
    pub k: u32,
    /// Wall-clock time.
    pub seconds: f64,
    /// Greatest resident memory of the process, where the system tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_kib: Option<u64>,
}

/// Time of chains of a timed system, in its own unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainTime {
    /// The time of all chains together.
    pub total: String,
    /// No set of as many chains takes less time: of those of as few steps, or with `--minimise time`
    /// of any.
    pub lower_bound: String,
    /// The steps of all chains together.
    pub steps: u64,
    /// No set of as many chains has fewer steps; with `--minimise time`: of as little time.
    pub least_steps: u64,
    /// Whether the bound holds of dense time; else of multiples of a tick only.
    pub dense: bool,
}

/// Where time went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Name.
    pub name: String,
    /// Wall-clock time.
    pub seconds: f64,
    /// Solver queries.
    pub sat_calls: u64,
}
