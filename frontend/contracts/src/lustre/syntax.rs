//! Syntax trees of contracts.

use spec::value::Fraction;

/// A place: line and column, from 1.
pub(super) type Place = (u32, u32);

/// An expression and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expr {
    pub(super) kind: Box<ExprKind>,
    pub(super) place: Place,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExprKind {
    Truth(bool),
    Number(Fraction),
    Name(String),
    Not(Expr),
    Negate(Expr),
    /// `pre e`.
    Before(Expr),
    /// `a -> b`.
    Arrow(Expr, Expr),
    If(Expr, Expr, Expr),
    Binary(Operator, Expr, Expr),
}

/// Operators between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Implies,
    Or,
    Xor,
    And,
    Equal,
    Differs,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Sub,
    Mul,
    Quotient,
    Remainder,
}

impl Operator {
    /// The operator of a word, and how tightly it binds.
    pub(super) fn of(word: &str) -> Option<(Self, u32)> {
        Some(match word {
            "=>" => (Self::Implies, 1),
            "or" => (Self::Or, 2),
            "xor" => (Self::Xor, 2),
            "and" => (Self::And, 3),
            "=" => (Self::Equal, 4),
            "<>" => (Self::Differs, 4),
            "<" => (Self::Less, 4),
            "<=" => (Self::LessEqual, 4),
            ">" => (Self::Greater, 4),
            ">=" => (Self::GreaterEqual, 4),
            "+" => (Self::Add, 5),
            "-" => (Self::Sub, 5),
            "*" => (Self::Mul, 6),
            "div" => (Self::Quotient, 6),
            "mod" => (Self::Remainder, 6),
            _ => return None,
        })
    }
    /// How interfaces spell it.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Implies => "->",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::And => "and",
            Self::Equal => "=",
            Self::Differs => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Quotient => "div",
            Self::Remainder => "mod",
        }
    }
    /// Whether it yields a number.
    pub(super) const fn is_numeric(self) -> bool {
        matches!(self, Self::Add | Self::Sub | Self::Mul | Self::Quotient | Self::Remainder)
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    Bool,
    /// Numbers without bounds: `int`, `real`.
    Unbounded(&'static str),
    Range(Expr, Expr),
    Enum(Vec<String>),
    Named(String),
}

/// `x, y : T`, one variable each.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) place: Place,
}

/// An item of a contract.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Variable(Variable, Expr),
    Constant(String, Expr),
    Assume(Expr),
    Guarantee(Option<String>, Expr),
    Mode {
        name: String,
        requires: Vec<Expr>,
        ensures: Vec<Expr>,
    },
    /// `import C(...)`, and other items that have no place in an interface.
    Other(String, Place),
}

/// A contract: of a node, or by itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Contract {
    pub(super) name: String,
    pub(super) inputs: Vec<Variable>,
    pub(super) outputs: Vec<Variable>,
    pub(super) items: Vec<Item>,
    /// Whether there is a node with a body, which says more than its contract.
    pub(super) has_body: bool,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct File {
    pub(super) types: Vec<(String, Type)>,
    pub(super) constants: Vec<(String, Expr)>,
    pub(super) contracts: Vec<Contract>,
}
