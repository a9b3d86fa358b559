//! What the C front end is asked for and what it gives back.

use crate::ir::target::Target;
use frontend::diagnostics::Diagnostics;
use frontend::limit::Limit;
use frontend::source::{SourceMap, Span};
use model::system::{GoalId, HazardEffect, InputId, OriginId, StateId, TransitionSystem};
use model::term::{TermId, TermPool};
use model::trace::Trace;
use std::path::PathBuf;

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
    /// Rounds of one loop (and depth of recursion) that are unrolled at most; `None`: [`DEFAULT_UNWIND`].
    pub unwind: Option<u32>,
    /// Whether executions in which a loop or a recursion goes on beyond that are left out; otherwise they are an error.
    pub assumes_unwound: bool,
    /// Where the expressions above were written, as far as that is known.
    pub places: Vec<(TextRole, Location)>,
    /// Whether [`Source::goal_parts`], [`Source::assumption_parts`] and [`Source::decisions`] are wanted.
    pub keep_wording: bool,
    /// Lines of the step's code whose decisions (`if`, `switch`) may go either way, in every step anew: the system then has the executions of the
    /// code and more.
    pub open_decisions: Vec<Location>,
    /// How long reading may take.
    pub limit: Limit,
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
}

impl Request {
    /// Where an expression was written.
    pub fn place(&self, role: TextRole) -> Option<&Location> {
        self.places.iter().find(|(known, _)| *known == role).map(|(_, place)| place)
    }
    /// All expressions of the request with their roles. [`Program::conditions`](crate::ir::Program::conditions) has one entry for
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
        found
    }
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

/// Says whether truths can hold together: asked where the front end's own reasoning does not show that a recursion or a loop ends.
pub trait Judge: Sync {
    /// Whether there may be values of the symbols under which all of the truths hold. Yes is always right; an effort of 1 is all that
    /// is worth spending on the answer, less is that part of it.
    fn may_hold(&self, terms: &TermPool, truths: &[TermId], effort: f64) -> bool;
}

/// The judge that knows nothing.
pub struct NoJudge;

impl Judge for NoJudge {
    fn may_hold(&self, _: &TermPool, _: &[TermId], _: f64) -> bool {
        true
    }
}

/// Why there is no translation: messages, of which at least one is an error, and the files they speak of.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The messages.
    pub diagnostics: Diagnostics,
    /// The files.
    pub sources: SourceMap,
}

/// A C model as transition system, with the way back.
pub struct Translated {
    /// The system, not yet validated or sliced.
    pub system: TransitionSystem,
    /// Inputs, outputs and state as the user knows them.
    pub signals: Signals,
    /// What was found and assumed: step, init, classification of objects, ignored functions, in sentences for `check`.
    pub findings: Vec<Finding>,
    /// Warnings and notes.
    pub diagnostics: Diagnostics,
    /// The files.
    pub sources: SourceMap,
    /// The request with everything that was detected filled in: what `check --write-config` prints.
    pub resolved: Request,
    /// Numbers for `check` and `-v`.
    pub size: Size,
    /// Where a step may end the program before it returns, in the order of execution. Goals in the code that it reached before count; no step
    /// follows. Empty where nothing can be reached before.
    pub early_end: Vec<EndPlace>,
    /// Undefined operations that initialisation runs into; they have no place in the system.
    pub start_hazards: Vec<StartHazard>,
    /// The way back to the source.
    pub source: Box<dyn Source>,
}

/// A place where a step may end the program.
#[derive(Clone, Debug)]
pub struct EndPlace {
    /// Truth over the state before the step and its inputs: false where the execution ends there, if it has not ended before.
    pub goes_on: TermId,
    /// Where it stands.
    pub origin: OriginId,
    /// The function that ends the program there; `None`: an assumption does not hold.
    pub function: Option<String>,
}

impl Translated {
    /// What initialisation runs into behind which C leaves open what the variables hold, and where; `None`: nothing.
    pub fn open_start(&self) -> Option<String> {
        let open = self.start_hazards.iter().find(|hazard| hazard.effect == HazardEffect::Open)?;
        Some(format!("{} at {}", open.description, self.sources.describe(open.span)))
    }
}

/// An operation that the source language leaves undefined, which initialisation runs into.
#[derive(Clone, Debug)]
pub struct StartHazard {
    /// What happens.
    pub description: &'static str,
    /// What the compiled program may do there.
    pub effect: HazardEffect,
    /// Where it happens.
    pub span: Span,
}

/// The topic of findings that say which executions of the code are left out without having been written as assumptions.
pub const ASSUMED: &str = "assumed";

/// The topic of findings that name functions of the C library whose results nobody can choose on a
/// rig.
pub const UNCONTROLLED: &str = "library";

/// Something that was decided without being told, or that the user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// A short group: `step`, `init`, `input`, `output`, `state`, `constant`, `bind`, `goal`,
    /// `extern`, `ignored`, [`ASSUMED`], [`UNCONTROLLED`].
    pub topic: &'static str,
    /// The object concerned: a name or lvalue.
    pub subject: String,
    /// What was decided and why, one sentence.
    pub reason: String,
}

/// How the words of the system appear to the user.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// Every declared input (also those without influence), in order of declaration.
    pub inputs: Vec<InputSignal>,
    /// Outputs; `index` is into [`TransitionSystem::outputs`].
    pub outputs: Vec<(Signal, usize)>,
    /// State words that are shown: all memory that the step reads before writing it.
    pub states: Vec<(Signal, StateId)>,
}

/// An input as the user knows it.
#[derive(Clone, Debug)]
pub struct InputSignal {
    /// Name, type.
    pub signal: Signal,
    /// The input of the system.
    pub input: InputId,
    /// What the configuration says of it: unit, default.
    pub option: InputOption,
    /// What its type tells of its values, which is assumed of them: `0 or 1`, `one of its enumerators`.
    pub by_type: Option<&'static str>,
    /// The assumption that states its range or values, as declared or by its type. Other assumptions may restrict it further.
    pub limit: Option<TermId>,
}

/// A scalar as the user knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Unique short name for tables and files.
    pub name: String,
    /// How C reaches it: `compute.i->gas`, `rtU.speed`, `function.return`.
    pub lvalue: String,
    /// C type: `_Bool`, `unsigned char`, `enum mode`, ...
    pub type_name: String,
    /// Value bits (1 for `_Bool`, the width of a bit-field, ...).
    pub bits: u32,
    /// How its bits are to be read.
    pub kind: SignalKind,
}

/// How the bits of a scalar are to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// 0 or 1.
    Bool,
    /// An unsigned number.
    Unsigned,
    /// A two's complement number.
    Signed,
    /// An IEEE number.
    Float,
    /// An enumeration over a signed or unsigned number: names and values.
    Enum {
        /// Whether the number is signed.
        signed: bool,
        /// Names and values.
        enumerators: Vec<(String, i128)>,
    },
    /// An address: shown as the name of what it points to.
    Pointer,
}

/// Sizes for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Lines of C after preprocessing that belong to the model.
    pub lines: usize,
    /// State words before slicing.
    pub state_words: usize,
    /// Bits of state before slicing.
    pub state_bits: usize,
    /// Bits of input.
    pub input_bits: usize,
}

/// The way back from the system to the source.
pub trait Source: Send + Sync {
    /// `file:line` of an origin.
    fn locate(&self, origin: OriginId) -> Location;
    /// A self-contained C program for the chain. Compiled together with the model's files as the returned plan says, it runs the chain and
    /// prints one line for each step; see [`ReplayPlan`].
    fn replay_plan(&self, trace: &Trace) -> Result<ReplayPlan, Diagnostics>;
    /// Whether an address in the compiled code, printed as pointers are (see [`ReplayPlan`]), is
    /// what a pointer of the system stands for. An object whose address the replay cannot know (a
    /// variable that lives no more, a string literal) is taken to be wherever no other object is.
    fn is_same_address(&self, computed: u128, observed: u128) -> bool;
    /// Where a goal was written, and its text.
    fn goal_text(&self, goal: GoalId) -> String;
    /// The conditions whose conjunction is the goal's antecedent, as they were written; none unless
    /// [`Request::keep_wording`].
    fn goal_parts(&self, goal: GoalId) -> &[Written];
    /// Likewise for the assumptions on every step.
    fn assumption_parts(&self) -> &[Written];
    /// What the code of the step decides upon, in the order in which it was met; none unless
    /// [`Request::keep_wording`].
    fn decisions(&self) -> &[Decision];
    /// The typed intermediate representation, printed, for `--emit ir`.
    fn ir_text(&self) -> String;
}

/// A line of code that branches on a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The line.
    pub text: String,
    /// Where it stands.
    pub place: Location,
}

/// A condition as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The truth.
    pub condition: TermId,
    /// Its text: an operand of `&&`, or more where the text does not show the operands.
    pub text: String,
    /// Where it was written.
    pub place: Option<Location>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file as the user gave it.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u32,
}

/// How to run a chain natively.
///
/// Files are written into an empty folder; each command runs there (program, arguments) and must succeed; the last
/// one prints the protocol on stdout: lines `S <step> <state-index> <hex bits>` for every shown state word before the step (and
/// after the last step with the number of steps), `O <step> <output-index> <hex bits>` for outputs after the step. Indices are into
/// [`Signals::states`] and [`Signals::outputs`]. A step that was entered prints `B <step>` first, flushed, so a crash can be placed.
#[derive(Clone, Debug)]
pub struct ReplayPlan {
    /// File names and contents.
    pub files: Vec<(String, String)>,
    /// Compiler and program calls, in order. The program name `cc` stands for the host compiler.
    pub commands: Vec<Vec<String>>,
    /// In words, how the data model of the target is met: `native -m32`, `rewritten with fixed-width types`, `native`.
    pub how: String,
}
