//! Syntax trees of expressions, types and the declarations that all languages share.
//!
//! A tree says what stands in the text: parentheses are gone, operators of one level of precedence
//! stand side by side in a [`ExprKind::Chain`], so that the depth of a tree is the depth of the
//! text's nesting and not its length. Trees compare without their places.

use crate::lexer::Extent;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands, without parentheses around it.
    pub extent: Extent,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// `true`, `false`.
    Bool(bool),
    /// Decimal digits, with a point in their midst or without.
    Number(String),
    /// A variable, constant, enumerator or definition; `x'` is its value after the step.
    Name {
        /// The name.
        name: String,
        /// Whether a prime follows.
        primed: bool,
    },
    /// `not e`, `-e`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        arg: Box<Expr>,
    },
    /// Operands with operators of one [`Level`] between them, which associate to the left;
    /// comparisons mean the conjunction of the single ones (`a < b <= c`).
    Chain {
        /// The first operand.
        first: Box<Expr>,
        /// The others, each with the operator before it; at least one.
        rest: Vec<Link>,
    },
    /// `e in lo..hi`, `e in {a, b}`.
    In {
        /// The value that is looked for.
        arg: Box<Expr>,
        /// Where it is looked for.
        set: Set,
    },
    /// `if c then a else b`.
    If {
        /// The condition.
        condition: Box<Expr>,
        /// The value where it holds.
        then: Box<Expr>,
        /// The value where it does not.
        otherwise: Box<Expr>,
    },
    /// `min(a, b)` and its like.
    Call {
        /// The function.
        function: Function,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// `wrap(u8, e)`, `clamp(u8, e)`.
    Cast {
        /// How values outside the type are brought into it.
        cast: Cast,
        /// The type.
        ty: TypeExpr,
        /// The value.
        arg: Box<Expr>,
    },
}

/// An operator of a chain and the operand behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The operator.
    pub op: BinaryOp,
    /// Where the operator stands.
    pub place: Extent,
    /// The operand behind it.
    pub operand: Expr,
}

/// What stands behind `in`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Set {
    /// `lo..hi`, both included.
    Range(Box<Expr>, Box<Expr>),
    /// `{a, b}`.
    Values(Vec<Expr>),
}

/// Makes an enumeration of words with their spelling.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$meaning:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$meaning])* $variant,)* }
        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];
            /// How it is spelled.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
            /// The one that is spelled so.
            pub fn of(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.text() == text)
            }
        }
    };
}

words! {
    /// Operators with one operand, before it.
    UnaryOp {
        /// Negation of a truth.
        Not = "not",
        /// Negation of a number.
        Negate = "-",
    }
}

words! {
    /// Operators between operands.
    BinaryOp {
        /// Product.
        Mul = "*",
        /// Quotient of rationals, floats, and of exact numbers by constants.
        Div = "/",
        /// Integer quotient.
        Quotient = "div",
        /// Remainder of the integer quotient.
        Remainder = "mod",
        /// Sum.
        Add = "+",
        /// Difference.
        Sub = "-",
        /// Equal.
        Equal = "=",
        /// Not equal.
        NotEqual = "!=",
        /// Less.
        Less = "<",
        /// Less or equal.
        LessEqual = "<=",
        /// Greater.
        Greater = ">",
        /// Greater or equal.
        GreaterEqual = ">=",
        /// Conjunction.
        And = "and",
        /// Disjunction.
        Or = "or",
        /// Exclusive disjunction.
        Xor = "xor",
        /// Implication.
        Implies = "->",
        /// Equivalence.
        Iff = "<->",
    }
}

words! {
    /// Functions.
    Function {
        /// The least of two or more numbers.
        Min = "min",
        /// The greatest of two or more numbers.
        Max = "max",
        /// The absolute value of a number.
        Abs = "abs",
        /// How many of some truths hold.
        Count = "count",
        /// Whether a truth holds after the step and not before.
        Rises = "rises",
        /// Whether a truth holds before the step and not after.
        Falls = "falls",
        /// Whether a value after the step differs from the one before.
        Changed = "changed",
        /// Bitwise and of machine integers.
        BitAnd = "bitand",
        /// Bitwise or of machine integers.
        BitOr = "bitor",
        /// Bitwise exclusive or of machine integers.
        BitXor = "bitxor",
        /// Bitwise complement of a machine integer.
        BitNot = "bitnot",
        /// Left shift of a machine integer.
        ShiftLeft = "shl",
        /// Right shift of a machine integer, arithmetic where it is signed.
        ShiftRight = "shr",
    }
}

words! {
    /// How a number is brought into a type.
    Cast {
        /// Modulo 2^bits, as in C.
        Wrap = "wrap",
        /// To the nearest value of the type.
        Clamp = "clamp",
    }
}

/// How tightly operators bind, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// `if c then a else b`.
    Conditional,
    /// `<->`, at most one of them.
    Iff,
    /// `->`, at most one of them.
    Implies,
    /// `or`, `xor`.
    Or,
    /// `and`.
    And,
    /// `=`, `<`, `in` and their like.
    Compare,
    /// `+`, `-`.
    Sum,
    /// `*`, `/`, `div`, `mod`.
    Product,
    /// `not`, `-` before an operand.
    Unary,
    /// Names, numbers, calls, parentheses.
    Primary,
}

impl Level {
    /// The next tighter one.
    pub const fn tighter(self) -> Self {
        match self {
            Self::Conditional => Self::Iff,
            Self::Iff => Self::Implies,
            Self::Implies => Self::Or,
            Self::Or => Self::And,
            Self::And => Self::Compare,
            Self::Compare => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product => Self::Unary,
            Self::Unary | Self::Primary => Self::Primary,
        }
    }
}

impl BinaryOp {
    /// How tightly it binds.
    pub const fn level(self) -> Level {
        match self {
            Self::Mul | Self::Div | Self::Quotient | Self::Remainder => Level::Product,
            Self::Add | Self::Sub => Level::Sum,
            Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessEqual
            | Self::Greater
            | Self::GreaterEqual => Level::Compare,
            Self::And => Level::And,
            Self::Or | Self::Xor => Level::Or,
            Self::Implies => Level::Implies,
            Self::Iff => Level::Iff,
        }
    }
}

impl Expr {
    /// How tightly its outermost operator binds.
    pub fn level(&self) -> Level {
        match &self.kind {
            ExprKind::If { .. } => Level::Conditional,
            ExprKind::Chain { rest, .. } => rest.first().map_or(Level::Primary, |link| link.op.level()),
            ExprKind::In { .. } => Level::Compare,
            ExprKind::Unary { .. } => Level::Unary,
            ExprKind::Bool(_)
            | ExprKind::Number(_)
            | ExprKind::Name { .. }
            | ExprKind::Call { .. }
            | ExprKind::Cast { .. } => Level::Primary,
        }
    }
}

/// A type as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeKind,
    /// Where it stands.
    pub extent: Extent,
}

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// A word of the language: `bool`, `u8`, `rational`, ...
    Word(&'static str),
    /// A name.
    Named(String),
    /// `lo..hi`, `lo..hi step d`.
    Range {
        /// The least value.
        lo: Box<Expr>,
        /// The greatest value.
        hi: Box<Expr>,
        /// The distance of values; 1 where none is written.
        step: Option<Box<Expr>>,
    },
    /// `{ OFF, ON }`, an enumeration, or `{0, 2, 4}`, numbers.
    Braces(Vec<Expr>),
}

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name, without quotes.
    pub text: String,
    /// Where it stands.
    pub extent: Extent,
}

/// A declaration that all languages share. (`include` never reaches a parser.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Common {
    /// `const N = 5`.
    Const {
        /// The constant.
        name: Name,
        /// Its value, unless the command line gives another.
        value: Expr,
    },
    /// `type Mode = { OFF, ON }`.
    Type {
        /// The type's name.
        name: Name,
        /// What it names.
        ty: TypeExpr,
    },
    /// `define full = k = N`.
    Define {
        /// The name.
        name: Name,
        /// The expression that it stands for.
        body: Expr,
    },
}

/// `x, y := e, f`: all values are those before the assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The variables.
    pub targets: Vec<Name>,
    /// As many values.
    pub values: Vec<Expr>,
}
