//! What a front end gives back: the system, how its words and places appear to the user, and the
//! way back to the source.

use crate::coverage::Coverage;
use crate::diagnostics::Diagnostics;
use crate::request::{InputOption, Request};
use crate::requirement::{ObservedPlace, Requirement};
use crate::source::{SourceMap, Span};
use model::system::{GoalId, HazardEffect, InitialInputId, InputId, OriginId, StateId, TransitionSystem};
use model::term::{SymbolId, TermId};
use model::trace::{Execution, Trace};
use model::value::Value;
use std::any::Any;
use std::path::PathBuf;

/// Why there is no translation: messages, of which at least one is an error, and the files they
/// speak of.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The messages.
    pub diagnostics: Diagnostics,
    /// The files.
    pub sources: SourceMap,
}

/// A model as transition system, with the way back.
pub struct Translated {
    /// The system, not yet validated or sliced.
    pub system: TransitionSystem,
    /// Inputs, outputs and state as the user knows them.
    pub signals: Signals,
    /// What was found and assumed: step, init, classification of objects, ignored functions, in
    /// sentences for `check`.
    pub findings: Vec<Finding>,
    /// Warnings and notes.
    pub diagnostics: Diagnostics,
    /// The files.
    pub sources: SourceMap,
    /// The request with everything that was detected filled in: what `check --write-config` prints.
    pub resolved: Request,
    /// Numbers for `check` and `-v`.
    pub size: Size,
    /// Where a step may end the program before it returns, in the order of execution. Goals in the
    /// code that it reached before count; no step follows. Empty where nothing can be reached
    /// before.
    pub early_end: Vec<EndPlace>,
    /// What must hold in all executions.
    pub requirements: Vec<Requirement>,
    /// The places of memory that [observed](Requirement::observed) requirements read.
    pub observed: Vec<ObservedPlace>,
    /// For each entry of [`CostRequest::add`](crate::CostRequest::add) the truth over (state, input)
    /// that a step costs it.
    pub costs: Vec<TermId>,
    /// Undefined operations that initialisation runs into; they have no place in the system.
    pub start_hazards: Vec<StartHazard>,
    /// Origins of [hazards](model::system::Hazard) that are loops which never end; with
    /// [`marks_long_loops`](Request::marks_long_loops) alone.
    pub endless: Vec<OriginId>,
    /// Assumptions that say what every library gives as results of external calls; they exclude no
    /// execution of the program.
    pub library_facts: Vec<TermId>,
    /// The way back to the source.
    pub source: Box<dyn Source>,
}

/// A place where a step may end the program.
#[derive(Clone, Debug)]
pub struct EndPlace {
    /// Truth over the state before the step and its inputs: false where the execution ends there,
    /// if it has not ended before.
    pub goes_on: TermId,
    /// Where it stands.
    pub origin: OriginId,
    /// What ends it.
    pub end: End,
}

/// What ends an execution within a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// An assumption does not hold.
    Assumption,
    /// A function of this name is called that ends the program.
    Call(String),
    /// An operation is undefined, as it is described here, and the request forbids that.
    Undefined(&'static str),
}

impl Translated {
    /// What initialisation runs into behind which C leaves open what the variables hold, and where;
    /// `None`: nothing.
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
    /// Whether it is a loop that never ends.
    pub is_endless: bool,
    /// Where it happens.
    pub span: Span,
}

/// What a [`Finding`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// An assumption that was written as one.
    Assumption,
    /// Executions of the code that are left out without having been written as assumptions.
    Assumed,
    /// What a pointer points to.
    Binding,
    /// A constant.
    Constant,
    /// A function without a body.
    Extern,
    /// A property.
    Goal,
    /// What plays no part.
    Ignored,
    /// Initialisation.
    Init,
    /// An input.
    Input,
    /// A function of the C library whose results nobody can choose on a rig.
    Library,
    /// A function of mathematics, of whose results bounds are known.
    Mathematics,
    /// An output.
    Output,
    /// A call through a pointer.
    Pointer,
    /// The values that an input may take.
    Range,
    /// Operations that could be undefined by their kind.
    Robustness,
    /// What registers and memories hold when an execution begins.
    Start,
    /// A variable that keeps its value from step to step.
    State,
    /// The step.
    Step,
}

impl Topic {
    /// The word in front of findings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Assumption => "assume",
            Self::Assumed => "assumed",
            Self::Binding => "bind",
            Self::Constant => "constant",
            Self::Extern => "extern",
            Self::Goal => "goal",
            Self::Ignored => "ignored",
            Self::Init => "init",
            Self::Input => "input",
            Self::Library => "library",
            Self::Mathematics => "libm",
            Self::Output => "output",
            Self::Pointer => "pointer",
            Self::Range => "range",
            Self::Robustness => "robust",
            Self::Start => "start",
            Self::State => "state",
            Self::Step => "step",
        }
    }
}

/// Something that was decided without being told, or that the user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub topic: Topic,
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
    /// What its type tells of its values, which is assumed of them: `0 or 1`, `one of its
    /// enumerators`.
    pub by_type: Option<&'static str>,
    /// The assumption that states its range or values, as declared or by its type. Other
    /// assumptions may restrict it further.
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
    /// A number that is counted in steps: the bits times the step.
    Counted {
        /// Whether the count is signed.
        signed: bool,
        /// Numerator and denominator of the step.
        step: (i128, i128),
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

impl Size {
    /// Sizes of a system none of whose words is left out, written as this text.
    pub fn of(system: &TransitionSystem, text: &str) -> Self {
        let bits = |symbol| system.terms.symbol(symbol).sort.width() as usize;
        Self {
            lines: text.lines().count(),
            state_words: system.states.len(),
            state_bits: system.states.values().map(|state| bits(state.symbol)).sum(),
            input_bits: system.inputs.values().map(|input| bits(input.symbol)).sum(),
        }
    }
}

/// How chains were replayed that [`Source::interpret`] accepts; results hold it in place of the way
/// in which code was compiled.
pub const INTERPRETED: &str = "interpreter";

/// The simulator on which chains of Verilog designs are replayed; results hold it in place of the way
/// in which code was compiled, perhaps with more behind it.
pub const SIMULATED: &str = "iverilog";

/// Where a chain was run, as the end of "replayed": `how` as results have it.
///
/// ```
/// # use frontend::{SIMULATED, replayed_where};
/// assert_eq!(replayed_where(Some("native -m32")), "on the compiled code");
/// assert_eq!(replayed_where(Some(SIMULATED)), "in iverilog");
/// ```
pub fn replayed_where(how: Option<&str>) -> &'static str {
    match how {
        Some(how) if how == INTERPRETED => "by the interpreter",
        Some(how) if how.starts_with(SIMULATED) => "in iverilog",
        _ => "on the compiled code",
    }
}

/// The way back from the system to the source.
pub trait Source: Send + Sync {
    /// `file:line` of an origin.
    fn locate(&self, origin: OriginId) -> Location;
    /// A self-contained C program for the chain. Compiled together with the model's files as the
    /// returned plan says, it runs the chain and prints one line for each step; see [`ReplayPlan`].
    fn replay_plan(&self, trace: &Trace) -> Result<ReplayPlan, Diagnostics>;
    /// How the word of an initial input is to be read.
    fn initial_kind(&self, _input: InitialInputId) -> SignalKind {
        SignalKind::Unsigned
    }
    /// Whether the model is code that is compiled somewhere, so that chains could be run on it.
    fn has_code(&self) -> bool {
        true
    }
    /// Whether the interpreter of the language itself, where it has one and no compiled code,
    /// accepts an execution; else what it says against it.
    fn interpret(&self, _trace: &Trace, _run: &Execution) -> Option<Result<(), String>> {
        None
    }
    /// Whether an address in the compiled code, printed as pointers are (see [`ReplayPlan`]), is
    /// what a pointer of the system stands for. An object whose address the replay cannot know (a
    /// variable that lives no more, a string literal) is taken to be wherever no other object is.
    fn is_same_address(&self, computed: u128, observed: u128) -> bool {
        computed == observed
    }
    /// Where a goal was written, and its text; empty for goals that others have added.
    fn goal_text(&self, goal: GoalId) -> String;
    /// The program with its version that made the model from its sources, where one did beside this
    /// one.
    fn translator(&self) -> Option<&str> {
        None
    }
    /// The conditions whose conjunction is the goal's antecedent, as they were written; none unless
    /// [`keep_wording`](crate::Request::keep_wording).
    fn goal_parts(&self, _goal: GoalId) -> &[Written] {
        &[]
    }
    /// Likewise for the assumptions on every step.
    fn assumption_parts(&self) -> &[Written] {
        &[]
    }
    /// What the code of the step decides upon, in the order in which it was met; none unless
    /// [`keep_wording`](crate::Request::keep_wording).
    fn decisions(&self) -> &[Decision] {
        &[]
    }
    /// The goals that follow from the structure of the code; `None` where none are asked for, or
    /// the front end knows none.
    fn coverage(&self) -> Option<&Coverage> {
        None
    }
    /// The witness that a goal of one step holds in the step with number `at` of a trace, in the
    /// format that tools for the source language share; `None` where there is no such format.
    fn witness(&self, _trace: &Trace, _goal: GoalId, _at: usize) -> Option<String> {
        None
    }
    /// Benches that play a trace and compare the outputs, which are given by step; `None` where the
    /// language has none. Inside: why this trace cannot be played.
    fn bench(&self, _trace: &Trace, _outputs: &[Vec<Value>]) -> Option<Result<Benches, String>> {
        None
    }
    /// The calls of functions that no file defines, in the order of execution.
    fn outside_calls(&self) -> Vec<OutsideCall> {
        Vec::new()
    }
    /// The typed intermediate representation, printed, for `--emit ir`.
    fn ir_text(&self) -> String;
    /// The source itself, for callers that know its language.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }
}

/// A call of a function that no file defines, by which the program may take a value from outside.
#[derive(Clone, Debug)]
pub struct OutsideCall {
    /// Name of the function.
    pub function: String,
    /// Whether initialisation calls it.
    pub is_initial: bool,
    /// The truth that it is called: of initialisation over initial inputs, else over the state
    /// before the step and its inputs.
    pub is_called: TermId,
    /// What it gives.
    pub gives: Gives,
}

/// What a call of a function that no file defines gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gives {
    /// The number that any function whose name says so returns (`__VERIFIER_nondet_int`): an input
    /// or initial input of the system, what its values are, and its type.
    Number(SymbolId, SignalKind, String),
    /// Such a number, which the program does not use.
    Unused,
    /// Nothing.
    Nothing,
    /// Values of other functions, or more than a number.
    Other,
}

/// Programs that play a chain on hardware in a simulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Benches {
    /// In plain SystemVerilog.
    pub verilog: String,
    /// In Python, for cocotb.
    pub cocotb: String,
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
/// Files are written into an empty folder; each command runs there (program, arguments) and must
/// succeed; the last one prints the protocol on stdout: lines `S <step> <state-index> <hex bits>`
/// for every shown state word before the step (and after the last step with the number of steps),
/// `O <step> <output-index> <hex bits>` for outputs after the step. Indices are into
/// [`Signals::states`] and [`Signals::outputs`]. A step that was entered prints `B <step>` first,
/// flushed, so a crash can be placed. Simulators of hardware print `X S <step> <state-index>` or
/// `X O <step> <output-index>` for values with unknown bits, and `G <step> <goal>` where one of
/// [`ReplayPlan::goals`] occurs. Where the model's code can print, lines of the protocol stand
/// behind the first of [`ReplayPlan::secrets`], and everything else is the code's own.
#[derive(Clone, Debug)]
pub struct ReplayPlan {
    /// File names and contents.
    pub files: Vec<(String, String)>,
    /// Compiler and program calls, in order. The program name `cc` stands for the host compiler.
    pub commands: Vec<Vec<String>>,
    /// In words, how the data model of the target is met: `native -m32`, `rewritten with
    /// fixed-width types`, `native`.
    pub how: String,
    /// Goals of one step whose occurrences the program prints, all of them.
    pub goals: Vec<GoalId>,
    /// Words made up for this plan, which the model's code cannot know. Messages leave them out.
    pub secrets: Vec<String>,
}
