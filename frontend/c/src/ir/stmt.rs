//! Places and statements.

use super::coverage::BlockId;
use super::expr::Expr;
use super::types::{BitField, TypeId};
use super::{FunctionId, GlobalId, LocalId};
use frontend::source::Span;

/// An lvalue: an object and the way into it.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where it starts.
    pub base: PlaceBase,
    /// The way from there, outermost first.
    pub path: Vec<Projection>,
    /// Type of what is found there.
    pub ty: TypeId,
    /// Where it stands.
    pub span: Span,
}

/// Where a place starts.
#[derive(Clone, Debug)]
pub enum PlaceBase {
    /// An object of static storage duration.
    Global(GlobalId),
    /// A parameter, local variable or temporary of the current function (or condition).
    Local(LocalId),
    /// What a pointer points to; the pointed-to type is the type the path starts from.
    Deref(Box<Expr>),
    /// Only in configured conditions: what belongs to a function, seen as an object
    /// (`step.parameter`, `read.return`).
    Part(FunctionPart),
}

/// Something that belongs to a function and has a name in configurations alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionPart {
    /// The function: a step function, or one that no file defines.
    pub function: FunctionId,
    /// What of it.
    pub kind: PartKind,
    /// Which call of a step is meant where values come from outside, from 1.
    pub call: u32,
}

/// What belongs to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// The parameter of the given index: of a step function the variable; of an undefined function,
    /// what it is passed last.
    Parameter(usize),
    /// What an undefined function writes where its parameter of the given index points to.
    Written(usize),
    /// What it returns.
    Result,
    /// Whether the step called it.
    Called,
}

/// One step into an object.
#[derive(Clone, Debug)]
pub enum Projection {
    /// A member of a record: its index in [`Record::fields`](super::types::Record::fields), byte
    /// offset and type.
    Field {
        /// Index in the record's members.
        index: usize,
        /// Byte offset in the record.
        offset: u64,
        /// For a bit-field: its place in the storage unit.
        bits: Option<BitField>,
        /// Type of the member.
        ty: TypeId,
    },
    /// An element of an array.
    Index {
        /// The index, of any integer type, not range-checked.
        index: Box<Expr>,
        /// Type of the element.
        element: TypeId,
        /// Number of elements; `None` where unknown (through a pointer to an incomplete array).
        length: Option<u64>,
    },
}

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// A statement and where it stands.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A local variable comes into scope: from here on it is indeterminate until written (also in
    /// every round of a loop).
    Declare(LocalId),
    /// One whose initial value is computed and stored next. Where a jump back within its block
    /// leads here, it holds what it held until that is done (C11 6.2.4, 6).
    DeclareSet(LocalId),
    /// The value is stored. Its type is the place's (conversion done); records are copied whole.
    Assign(Place, Expr),
    /// A call; the result is stored in `result` if there is one (of the function's result type).
    /// Arguments are converted to the parameter types; those of `...` are promoted.
    Call {
        /// Where the result goes.
        result: Option<Place>,
        /// What is called.
        callee: Callee,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `if`: the condition is a scalar tested against zero.
    If {
        /// The condition.
        condition: Expr,
        /// Where it is not zero.
        then: Block,
        /// Where it is zero.
        otherwise: Block,
    },
    /// An endless loop, left by `Break` (and `Return`, `Goto`). `while (c) b` is `Loop { body: [if
    /// (!c) break; b], continuing: [] }`; `for` has its step, `do` its test in `continuing`, which
    /// runs after the body and is where `Continue` goes.
    Loop {
        /// The body.
        body: Block,
        /// Runs after each round of the body.
        continuing: Block,
    },
    /// `switch`: the body runs from the entry whose label equals the value (promoted already), else
    /// from the default entry, else not at all; `Break` leaves it.
    Switch {
        /// The controlling value.
        value: Expr,
        /// Labels and where they lead: an index into `body`, ascending.
        entries: Vec<SwitchEntry>,
        /// All statements after one another; falling through is going on.
        body: Block,
    },
    /// Leaves the innermost `Loop` or `Switch`.
    Break,
    /// Goes on with `continuing` of the innermost `Loop`.
    Continue,
    /// Leaves the function.
    Return(Option<Expr>),
    /// Statements that belong together (a C block).
    Block(Block),
    /// Nothing: here begins a block that coverage looks at.
    Reach(BlockId),
    /// A place for `Goto`.
    Label(String),
    /// Goes on at the label of that name in the same function.
    Goto(String),
}

/// Labels of a `switch` that stand at one place.
#[derive(Clone, Debug)]
pub struct SwitchEntry {
    /// Inclusive ranges of values (`case 3:` is 3..=3; GNU `case 1 ... 5:`), converted to the
    /// promoted type of the controlling value.
    pub values: Vec<(i128, i128)>,
    /// Whether `default` stands here.
    pub is_default: bool,
    /// Index of the first statement in the body.
    pub start: usize,
}

/// What is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function by name.
    Function(FunctionId),
    /// Through a pointer.
    Pointer(Expr),
}
