//! What a front end is asked for.

use crate::coverage::CoverageRequest;
use crate::kept::Kept;
use crate::limit::Limit;
use crate::translated::Location;
use model::term::{TermId, TermPool};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Values that words of memory may have behind steps, by numbers that the front end gave to the
/// words; `None`: any.
pub type WordValues = BTreeMap<usize, Option<Vec<u128>>>;

/// A model to be read: the resolved form of `chaincover.toml` and the command line.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Name of the model; empty: the stem of the first source.
    pub name: String,
    /// The C files of the model.
    pub sources: Vec<PathBuf>,
    /// Property files; they may also define `chaincover_assume`, `chaincover_final`.
    pub goal_files: Vec<PathBuf>,
    /// Include folders, in order.
    pub include: Vec<PathBuf>,
    /// Macro definitions, `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// The data model.
    pub target: Target,
    /// Initialisation function: `None`: find one; `Some("")`: there is none.
    pub init: Option<String>,
    /// Step functions in call order; empty: find it.
    pub step: Vec<StepFunction>,
    /// Lvalues written by the environment before each step; `None`: find them.
    pub inputs: Option<Vec<String>>,
    /// Lvalues shown as outputs; `None`: find them.
    pub outputs: Option<Vec<String>>,
    /// What pointers point to: path of the pointer, and `new` or `&object`.
    pub bind: Vec<(String, String)>,
    /// Values fixed before init: lvalue and constant expression.
    pub constants: Vec<(String, String)>,
    /// Restrictions and names of inputs.
    pub input_options: Vec<InputOption>,
    /// Conditions in force in every step.
    pub assumptions: Vec<String>,
    /// Claims about reachable states.
    pub invariants: Vec<String>,
    /// Goals written as expressions.
    pub goals: Vec<GoalText>,
    /// Final as an expression.
    pub end: Option<String>,
    /// What steps cost; `None`: nothing is said.
    pub cost: Option<CostRequest>,
    /// Rounds of one loop (and depth of recursion) that are unrolled at most; `None`:
    /// [`DEFAULT_UNWIND`].
    pub unwind: Option<u32>,
    /// Whether executions in which a loop or a recursion goes on beyond that are left out;
    /// otherwise they are an error.
    pub assumes_unwound: bool,
    /// Whether a loop that never ends, or that goes on beyond what is unrolled whatever the inputs
    /// are, is an undefined operation of the step, not an error. With
    /// [`assumes_unwound`](Self::assumes_unwound), so is every loop that goes on beyond that:
    /// nothing is left out then.
    pub marks_long_loops: bool,
    /// What the values of words are guessed from at first: those of a similar program, as they
    /// stand in its [`resolved`](crate::Translated::resolved) request. What a step makes of them is
    /// added, so that only time is lost where the programs differ.
    pub word_values: Arc<WordValues>,
    /// Whether operations that the language leaves undefined are
    /// [requirements](crate::Requirement), too.
    pub robustness: bool,
    /// Whether executions end where they run into what the language leaves undefined: such
    /// operations are then no [hazards](model::system::Hazard) of the system.
    pub forbids_undefined: bool,
    /// Where the expressions above were written, as far as that is known.
    pub places: Vec<(TextRole, Location)>,
    /// Whether [`goal_parts`](crate::Source::goal_parts),
    /// [`assumption_parts`](crate::Source::assumption_parts) and
    /// [`decisions`](crate::Source::decisions) are wanted.
    pub keep_wording: bool,
    /// Lines of the step's code whose decisions (`if`, `switch`) may go either way, in every step
    /// anew: the system then has the executions of the code and more.
    pub open_decisions: Vec<Location>,
    /// Goals that follow from the structure of the code.
    pub coverage: CoverageRequest,
    /// What specifications are asked for beyond that; C has no use for it.
    pub specification: SpecificationRequest,
    /// What hardware models are asked for beyond that.
    pub hardware: HardwareRequest,
    /// Time between two steps. FMUs advance by it, and say it themselves where the request does
    /// not; nothing else depends on it.
    pub period: Option<Duration>,
    /// What is known of outputs. Nobody asks for it: front ends fill it in.
    pub output_options: Vec<OutputOption>,
    /// Changes of the files, which make a mutant of the model; those of one file do not overlap.
    pub edits: Vec<TextEdit>,
    /// Values that are inverted; `None`: the code is read as it is.
    pub inversion: Option<Inversion>,
    /// What is kept from one reading to the next.
    pub kept: Kept,
    /// How long reading may take.
    pub limit: Limit,
}

/// Truth values of decisions or conditions that are inverted: what the code would have done, had
/// they been otherwise. Inverted and original step have the same state words, those that either of
/// them writes, and each is right in all states that the two lead to, in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inversion {
    /// The values, as [`Site::values`](crate::coverage::Site::values) and
    /// [`Condition::values`](crate::coverage::Condition::values) name them for the same text.
    pub values: Vec<usize>,
    /// Whether the step that is read is the inverted one, in which each evaluation of these values
    /// gives the opposite; otherwise it is the original one.
    pub is_now: bool,
}

/// What hardware models are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HardwareRequest {
    /// The top module of a Verilog design; `None`: the one that no other instantiates.
    pub top: Option<String>,
    /// Values of parameters of the top module, as Verilog writes constants.
    pub parameters: Vec<(String, String)>,
    /// Which reset is held in the first steps.
    pub reset: Option<Reset>,
    /// Whether registers and memories without an initial value start with zero; otherwise they
    /// start with any value.
    pub zero_init: bool,
}

/// A reset that is held in the first steps. No goal counts before it has been released once, and no
/// requirement is asked for; behind these steps it is an input like any other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reset {
    /// The input.
    pub input: String,
    /// Whether the reset is active where the input is 0.
    pub is_low: bool,
    /// Number of steps, at least 1.
    pub steps: u32,
}

impl Reset {
    /// Reads `NAME`, `!NAME` (active low), and either with `=STEPS` behind it.
    ///
    /// # Errors
    /// A sentence that shows the form.
    ///
    /// ```
    /// use frontend::Reset;
    /// let reset = Reset::parse("!rst_n=2").expect("a reset");
    /// assert_eq!((reset.input.as_str(), reset.is_low, reset.steps), ("rst_n", true, 2));
    /// assert_eq!(reset.to_string(), "!rst_n=2");
    /// assert!(Reset::parse("rst=0").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, steps) = match text.rsplit_once('=') {
            Some((name, steps)) => {
                (name, steps.parse().ok().filter(|steps| (1..=MOST_RESET_STEPS).contains(steps)))
            }
            None => (text, Some(1)),
        };
        let (input, is_low) = name.strip_prefix('!').map_or((name, false), |name| (name, true));
        match steps {
            Some(steps) if !input.is_empty() => Ok(Self { input: input.to_owned(), is_low, steps }),
            _ => Err(format!(
                "`{text}` is no reset: write NAME, !NAME for one that is active low, and =STEPS behind it (1 to {MOST_RESET_STEPS})"
            )),
        }
    }
}

impl std::fmt::Display for Reset {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { input, is_low, steps } = self;
        write!(out, "{}{input}", if *is_low { "!" } else { "" })?;
        if *steps > 1 { write!(out, "={steps}") } else { Ok(()) }
    }
}

/// Steps that a reset may be held.
const MOST_RESET_STEPS: u32 = 1_000_000;

/// A change of the text of a file, behind its preprocessor: what is compiled and what is translated
/// has it, the file on disk stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextEdit {
    /// The file: index into [`Request::sources`].
    pub file: usize,
    /// Bytes of the preprocessed text without line markers that are replaced.
    pub range: std::ops::Range<usize>,
    /// What takes their place, with as many line ends.
    pub text: String,
}

/// What steps cost: `[cost]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CostRequest {
    /// What stands behind costs; empty: nothing.
    pub unit: String,
    /// What each step costs.
    pub step: u32,
    /// What steps cost in addition; several may apply to one step.
    pub add: Vec<AddedCost>,
}

impl CostRequest {
    /// What one step costs at most.
    pub fn most(&self) -> u64 {
        self.add.iter().map(|added| u64::from(added.cost)).fold(u64::from(self.step), u64::saturating_add)
    }
}

/// What a step costs in addition where a condition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedCost {
    /// The condition: an expression over the state before the step and its inputs.
    pub when: String,
    /// The cost.
    pub cost: u32,
}

/// What specifications are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpecificationRequest {
    /// The goals that are to be covered, by name; empty: all.
    pub goals: Vec<String>,
    /// The part of the specification whose goals are to be covered.
    pub view: Option<String>,
    /// Whether steps in which nothing is assumed are left out.
    pub no_idle: bool,
}

/// What an expression of a request is for; numbers are indices into the request's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRole {
    /// An lvalue of [`Request::inputs`].
    Input(usize),
    /// An lvalue of [`Request::outputs`].
    Output(usize),
    /// The pointer of an entry of [`Request::bind`].
    BindPointer(usize),
    /// What it points to, where that is not `new`.
    BindTarget(usize),
    /// The lvalue of an entry of [`Request::constants`].
    ConstantPlace(usize),
    /// Its value.
    ConstantValue(usize),
    /// The lvalue of an entry of [`Request::input_options`].
    OptionPlace(usize),
    /// Least value of its range.
    RangeLow(usize),
    /// Greatest value of its range.
    RangeHigh(usize),
    /// One of its allowed values: entry, and index of the value.
    AllowedValue(usize, usize),
    /// An entry of [`Request::assumptions`].
    Assumption(usize),
    /// An entry of [`Request::invariants`].
    Invariant(usize),
    /// The `when` of a step of an entry of [`Request::goals`].
    When(usize, usize),
    /// The `after` of a step of an entry of [`Request::goals`].
    After(usize, usize),
    /// The `expect` of an entry of [`Request::goals`].
    Expect(usize),
    /// [`Request::end`].
    End,
    /// The condition of an entry of [`CostRequest::add`].
    Cost(usize),
}

impl Request {
    /// What the request says that only models in C have a use for: what other languages say
    /// themselves. `None`: nothing.
    pub fn only_for_c(&self) -> Option<&'static str> {
        let parts = [
            (!self.goal_files.is_empty(), "property files"),
            (!self.goals.is_empty(), "goals of a configuration"),
            (!self.step.is_empty() || self.init.is_some(), "step and initialisation functions"),
            (!self.assumptions.is_empty() || !self.invariants.is_empty(), "assumptions and invariants in C"),
            (!self.input_options.is_empty() || self.inputs.is_some(), "inputs of a configuration"),
            (self.outputs.is_some(), "outputs of a configuration"),
            (!self.constants.is_empty() || !self.bind.is_empty(), "constants and bindings"),
            (self.end.is_some(), "conditions on the end of a chain"),
            (self.cost.is_some(), "costs of steps"),
        ];
        parts.into_iter().find(|(is_there, _)| *is_there).map(|(_, what)| what)
    }

    /// Where an expression was written.
    pub fn place(&self, role: TextRole) -> Option<&Location> {
        self.places.iter().find(|(known, _)| *known == role).map(|(_, place)| place)
    }
    /// All expressions of the request with their roles. The C front end makes one condition of
    /// each, in this order.
    pub fn texts(&self) -> Vec<(TextRole, &str)> {
        let mut found: Vec<(TextRole, &str)> = Vec::new();
        let inputs = self.inputs.iter().flatten().enumerate();
        found.extend(inputs.map(|(index, text)| (TextRole::Input(index), &**text)));
        let outputs = self.outputs.iter().flatten().enumerate();
        found.extend(outputs.map(|(index, text)| (TextRole::Output(index), &**text)));
        for (index, (pointer, target)) in self.bind.iter().enumerate() {
            found.push((TextRole::BindPointer(index), pointer));
            if target != "new" {
                found.push((TextRole::BindTarget(index), target));
            }
        }
        for (index, (place, value)) in self.constants.iter().enumerate() {
            found.push((TextRole::ConstantPlace(index), place));
            found.push((TextRole::ConstantValue(index), value));
        }
        for (index, option) in self.input_options.iter().enumerate() {
            found.push((TextRole::OptionPlace(index), &option.lvalue));
            if let Some((low, high)) = &option.range {
                found.push((TextRole::RangeLow(index), low));
                found.push((TextRole::RangeHigh(index), high));
            }
            for (value, text) in option.values.iter().flatten().enumerate() {
                found.push((TextRole::AllowedValue(index, value), text));
            }
        }
        let assumptions = self.assumptions.iter().enumerate();
        found.extend(assumptions.map(|(index, text)| (TextRole::Assumption(index), &**text)));
        let invariants = self.invariants.iter().enumerate();
        found.extend(invariants.map(|(index, text)| (TextRole::Invariant(index), &**text)));
        for (index, goal) in self.goals.iter().enumerate() {
            for (step, conditions) in goal.steps.iter().enumerate() {
                let when = conditions.when.iter().map(|text| (TextRole::When(index, step), &**text));
                let after = conditions.after.iter().map(|text| (TextRole::After(index, step), &**text));
                found.extend(when.chain(after));
            }
            found.extend(goal.expect.iter().map(|text| (TextRole::Expect(index), &**text)));
        }
        found.extend(self.end.iter().map(|text| (TextRole::End, &**text)));
        let costs = self.cost.iter().flat_map(|cost| &cost.add).enumerate();
        found.extend(costs.map(|(index, added)| (TextRole::Cost(index), &*added.when)));
        found
    }
}

/// A data model. All are two's complement, little endian, with 8-bit bytes and plain `char` signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum DataModel {
    /// 16-bit `int` and pointers, 32-bit `long`, 64-bit `long long`; nothing is aligned to more
    /// than 2 bytes.
    Ip16,
    /// 32-bit `int`, `long` and pointers; 8-byte types aligned to 4 (as gcc does for i386).
    #[default]
    Ilp32,
    /// 32-bit `int`, 64-bit `long` and pointers; natural alignment.
    Lp64,
}

/// The target the code is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Target {
    /// The data model.
    pub model: DataModel,
}

/// Rounds of one loop unrolled at most where the request says nothing.
pub const DEFAULT_UNWIND: u32 = 10_000;

/// A step function and its rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepFunction {
    /// Name of the function.
    pub function: String,
    /// Called in every `every`-th step; at least 1.
    pub every: u32,
    /// First step of the call; below `every`.
    pub phase: u32,
}

/// What the configuration says of one input: `[input."lvalue"]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InputOption {
    /// The lvalue.
    pub lvalue: String,
    /// Inclusive range, as C constant expressions.
    pub range: Option<(String, String)>,
    /// Allowed values, as C constant expressions.
    pub values: Option<Vec<String>>,
    /// Physical unit for reports.
    pub unit: Option<String>,
    /// Preferred value where nothing else decides.
    pub default: Option<String>,
    /// Name in reports.
    pub name: Option<String>,
    /// What it means, for reports.
    pub text: Option<String>,
    /// Names of values, for reports.
    pub labels: Vec<(i64, String)>,
}

/// What a front end knows of one output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputOption {
    /// The lvalue.
    pub lvalue: String,
    /// Name in reports.
    pub name: Option<String>,
    /// Physical unit for reports.
    pub unit: Option<String>,
    /// What it means, for reports.
    pub text: Option<String>,
    /// Names of values, for reports.
    pub labels: Vec<(i64, String)>,
}

/// A goal of the configuration: `[[goal]]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoalText {
    /// Unique name.
    pub name: String,
    /// Identifier of the requirement.
    pub requirement: Option<String>,
    /// What it means.
    pub text: Option<String>,
    /// Conditions of each step, at least one: before (`when`) and after (`after`).
    pub steps: Vec<GoalStepText>,
    /// What must hold after the last step.
    pub expect: Option<String>,
}

/// One step of a [`GoalText`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoalStepText {
    /// Condition over pre-state and inputs.
    pub when: Option<String>,
    /// Condition after the step; `old(x)` is the value before it.
    pub after: Option<String>,
}

/// Says whether truths can hold together: asked where the front end's own reasoning does not show
/// that a recursion or a loop ends.
pub trait Judge: Sync {
    /// Whether there may be values of the symbols under which all of the truths hold. Yes is always
    /// right; an effort of 1 is all that is worth spending on the answer, less is that part of it.
    fn may_hold(&self, terms: &TermPool, truths: &[TermId], effort: f64) -> bool;

    /// Which of these cases may hold together with all of the truths; each is a question of its own
    /// with this effort.
    fn may_hold_each(&self, terms: &TermPool, truths: &[TermId], cases: &[TermId], effort: f64) -> Vec<bool> {
        let with = |&case: &TermId| [truths, &[case]].concat();
        cases.iter().map(|case| self.may_hold(terms, &with(case), effort)).collect()
    }
}

/// The judge that knows nothing.
pub struct NoJudge;

impl Judge for NoJudge {
    fn may_hold(&self, _: &TermPool, _: &[TermId], _: f64) -> bool {
        true
    }
}
