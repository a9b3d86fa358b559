//! Pure, typed expressions.

use super::coverage::ProbeId;
use super::stmt::Place;
use super::types::TypeId;
use super::{FunctionId, GlobalId};
use frontend::source::Span;

/// An expression: what it is, its type after all conversions, and where it stands.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Type of its value.
    pub ty: TypeId,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer (also of enum or, for null pointers, of pointer type), as a mathematical number
    /// within its type's range.
    Integer(i128),
    /// The bit pattern of a floating-point number of the expression's type.
    Float(u64),
    /// The address of the first character of a string literal (the expression's type is a pointer
    /// to char). Terminating zero not included.
    String(Vec<u8>),
    /// Of any object type: the value all of whose bytes are zero. Stands before the explicit
    /// initialisers of an automatic array or record.
    Zero,
    /// The value stored in a place; the type may be a record (for copies), and in conditions also
    /// an array (all its elements).
    Load(Place),
    /// The address of a place. Arrays decay to the address of their first element: `&a[0]`.
    AddressOf(Place),
    /// The address of a function.
    Function(FunctionId),
    /// A one-operand operator; operand promoted already, result of the operand's type (truth:
    /// `int`).
    Unary(UnaryOp, Box<Expr>),
    /// A two-operand operator on operands of equal arithmetic type; for shifts the right operand
    /// has its own promoted type; for pointers see [`BinaryOp`].
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Conversion to the expression's type: between arithmetic types, between pointers, pointer <->
    /// integer, to `_Bool` (as != 0).
    Convert(Box<Expr>),
    /// `a && b`, both scalar of any type tested against zero, result `int` 0 or 1. The right
    /// operand is pure, but is evaluated only where the left one holds (hazards in it count only
    /// then).
    And(Box<Expr>, Box<Expr>),
    /// `a || b`, likewise.
    Or(Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`; only the chosen branch is evaluated.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The value of the operand, which coverage looks at.
    Probe(ProbeId, Box<Expr>),
    /// Only in configured conditions: `old(e)` / `prev(e)`, the value of `e` before the step.
    Old(Box<Expr>),
}

/// One-operand operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x` on an arithmetic type.
    Negate,
    /// `~x` on an integer type.
    Complement,
    /// `!x` on a scalar: `int` 1 where it compares equal to zero.
    Not,
}

/// Two-operand operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are C's
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    /// Comparisons of arithmetic operands of equal type or of pointers; result `int` 0 or 1.
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// Pointer (left) plus integer (right, converted to a signed type of pointer width), in units
    /// of the pointed-to type.
    PointerAdd,
    /// Difference of two pointers in elements, of type `ptrdiff_t`.
    PointerDifference,
}

/// What a constant address is relative to; used by evaluators of constant expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressBase {
    /// An object.
    Global(GlobalId),
    /// A function.
    Function(FunctionId),
}
