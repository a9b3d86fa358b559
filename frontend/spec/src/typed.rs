//! Typed expressions: names are resolved, definitions expanded, constants folded, operands of each
//! operator brought to fitting types.
//!
//! # Meaning
//! * Exact numbers ([`Type::Number`]) are numbers, without overflow. `div` and `mod` are Euclid's:
//!   the remainder is at least 0 and below the divisor's absolute value, as in SMT-LIB (Boute,
//!   "The Euclidean definition of the functions div and mod", TOPLAS 14(2), 1992).
//! * Machine integers wrap around after each operation; `div` rounds towards zero and `mod` has the
//!   dividend's sign, as in C; the least value divided by -1 is itself.
//! * Floats round to nearest, ties to even; comparisons with a NaN are false, `!=` is true.
//! * An expression is *undefined* where a `div`, `mod` or `/` that counts has the divisor 0 (floats
//!   excepted: they yield infinities and NaNs). `and`, `or` and `if` look at operands from left to
//!   right and only at those that matter: `k != 0 and 6 div k = 2` is always defined. All other
//!   operators need all operands. [`Expr::defined`] is the condition as an expression.

use crate::lexer::Extent;
use crate::scope::VariableId;
use crate::types::Type;
use crate::value::Value;
use std::sync::Arc;

/// A typed expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    kind: Kind,
    ty: Type,
    extent: Extent,
    size: u32,
    depth: u32,
}

/// What a typed expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A value.
    Constant(Value),
    /// The value of a variable before the step, or after it.
    Variable {
        /// The variable.
        variable: VariableId,
        /// Whether its value after the step is meant.
        primed: bool,
    },
    /// An operator with one operand.
    Unary {
        /// The operator.
        op: Unary,
        /// The operand.
        arg: Arc<Expr>,
    },
    /// An operator with two operands, which have equal types but for the bounds of ranges.
    Binary {
        /// The operator.
        op: Binary,
        /// Left operand.
        lhs: Arc<Expr>,
        /// Right operand.
        rhs: Arc<Expr>,
    },
    /// An operator with any number of truths as operands.
    Several {
        /// The operator.
        op: Several,
        /// The operands.
        args: Vec<Arc<Expr>>,
    },
    /// One value or the other.
    If {
        /// The condition.
        condition: Arc<Expr>,
        /// The value where it holds, of the type of the whole but for the bounds of ranges.
        then: Arc<Expr>,
        /// The value where it does not.
        otherwise: Arc<Expr>,
    },
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// Negation of a truth.
    Not,
    /// Negation of a number.
    Negate,
    /// Absolute value.
    Abs,
    /// Complement of a machine integer.
    BitNot,
    /// The number that the operand is, in the type of the result, which has it: a machine integer
    /// or range as a range, in finer steps, or as a rational.
    Convert,
    /// A range or machine integer modulo 2^bits of the result, a machine integer.
    Wrap,
    /// The number of the result's type that is nearest to an exact number or machine integer.
    Clamp,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product; of exact numbers the steps may differ.
    Mul,
    /// Quotient of floats or rationals, or of an exact number and a constant.
    Div,
    /// Integer quotient.
    Quotient,
    /// Remainder of the integer quotient.
    Remainder,
    /// The lesser.
    Min,
    /// The greater.
    Max,
    /// Whether both are equal: any type but floats by value, floats by IEEE 754.
    Equal,
    /// Whether the first is less.
    Less,
    /// Whether the first is less or equal.
    LessEqual,
    /// Exclusive disjunction of truths.
    Xor,
    /// Bitwise and of machine integers.
    BitAnd,
    /// Bitwise or of machine integers.
    BitOr,
    /// Bitwise exclusive or of machine integers.
    BitXor,
    /// Left shift of a machine integer by an exact number or machine integer, which is at least 0;
    /// 0 where it is the number of bits or more.
    ShiftLeft,
    /// Right shift likewise, with copies of the sign.
    ShiftRight,
}

/// Operators with any number of operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Several {
    /// Conjunction; undefined operands behind one that does not hold do not matter.
    And,
    /// Disjunction; undefined operands behind one that holds do not matter.
    Or,
    /// How many operands hold.
    Count,
}

/// One reading of a variable in an expression.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// The variable.
    pub variable: VariableId,
    /// Whether its value after the step is read.
    pub primed: bool,
    /// Where.
    pub extent: Extent,
}

impl Expr {
    /// An expression. Callers see to it that operands fit.
    pub fn new(kind: Kind, ty: Type, extent: Extent) -> Self {
        let (mut size, mut depth) = (1_u32, 0);
        kind.for_each_operand(|operand| {
            size = size.saturating_add(operand.size);
            depth = depth.max(operand.depth);
        });
        Self { kind, ty, extent, size, depth: depth + 1 }
    }
    /// A constant.
    pub fn constant(value: Value, ty: Type, extent: Extent) -> Self {
        Self::new(Kind::Constant(value), ty, extent)
    }
    /// A constant truth.
    pub fn truth(holds: bool, extent: Extent) -> Self {
        Self::constant(Value::Bool(holds), Type::Bool, extent)
    }
    /// A variable of that type.
    pub fn variable(variable: VariableId, primed: bool, ty: Type, extent: Extent) -> Self {
        Self::new(Kind::Variable { variable, primed }, ty, extent)
    }
    /// The conjunction of some truths.
    ///
    /// # Panics
    /// If one is no truth; so do [`Expr::any`] and [`Expr::negated`].
    pub fn all(args: impl IntoIterator<Item = Self>, extent: Extent) -> Self {
        Self::gathered(Several::And, args, extent)
    }
    /// The disjunction of some truths.
    pub fn any(args: impl IntoIterator<Item = Self>, extent: Extent) -> Self {
        Self::gathered(Several::Or, args, extent)
    }
    fn gathered(op: Several, args: impl IntoIterator<Item = Self>, extent: Extent) -> Self {
        let neutral = op == Several::And;
        let is_neutral = |arg: &Self| arg.kind == Kind::Constant(Value::Bool(neutral));
        let mut args: Vec<Arc<Self>> =
            args.into_iter().filter(|arg| !is_neutral(arg)).map(Arc::new).collect();
        assert!(args.iter().all(|arg| arg.ty == Type::Bool), "operands should be truths");
        match args.len() {
            0 => Self::truth(neutral, extent),
            1 => args.pop().map_or_else(|| Self::truth(neutral, extent), Arc::unwrap_or_clone),
            _ => Self::new(Kind::Several { op, args }, Type::Bool, extent),
        }
    }
    /// The negation of a truth.
    pub fn negated(self) -> Self {
        assert!(self.ty == Type::Bool, "the operand should be a truth");
        let extent = self.extent;
        match self.kind {
            Kind::Constant(Value::Bool(value)) => Self::truth(!value, extent),
            _ => Self::new(Kind::Unary { op: Unary::Not, arg: Arc::new(self) }, Type::Bool, extent),
        }
    }

    /// What it is.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }
    /// The type of its values; for exact numbers a range that holds them all.
    pub fn ty(&self) -> &Type {
        &self.ty
    }
    /// Where it stands.
    pub fn extent(&self) -> Extent {
        self.extent
    }
    /// Number of operators, constants and variables, shared ones counted each time; at most
    /// `u32::MAX`.
    pub fn size(&self) -> u32 {
        self.size
    }
    /// Greatest number of operators above a constant or variable, plus 1.
    pub fn depth(&self) -> u32 {
        self.depth
    }
    /// Its value, where it is a constant.
    pub fn as_constant(&self) -> Option<&Value> {
        match &self.kind {
            Kind::Constant(value) => Some(value),
            _ => None,
        }
    }
    /// Every reading of a variable, from left to right.
    pub fn reads(&self) -> Vec<Read> {
        let mut found = Vec::new();
        self.collect_reads(&mut found);
        found
    }
    fn collect_reads(&self, found: &mut Vec<Read>) {
        if let Kind::Variable { variable, primed } = self.kind {
            found.push(Read { variable, primed, extent: self.extent });
        }
        self.kind.for_each_operand(|operand| operand.collect_reads(found));
    }
    /// The truths whose conjunction this is, from left to right; itself where it is none.
    pub fn conjuncts(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::Several { op: Several::And, args } => args.iter().flat_map(|arg| arg.conjuncts()).collect(),
            _ => vec![self],
        }
    }
    /// The same expression with other variables, constants or types in place of variables: `change`
    /// gives the expression for each reading, which must have the variable's type.
    pub fn with_variables(&self, change: &mut impl FnMut(Read, &Type) -> Self) -> Self {
        if let Kind::Variable { variable, primed } = self.kind {
            let read = Read { variable, primed, extent: self.extent };
            let changed = change(read, &self.ty);
            assert!(changed.ty == self.ty, "a replacement should have the variable's type");
            return changed;
        }
        let mut map = |operand: &Arc<Self>| Arc::new(operand.with_variables(change));
        let kind = match &self.kind {
            Kind::Constant(_) | Kind::Variable { .. } => self.kind.clone(),
            Kind::Unary { op, arg } => Kind::Unary { op: *op, arg: map(arg) },
            Kind::Binary { op, lhs, rhs } => Kind::Binary { op: *op, lhs: map(lhs), rhs: map(rhs) },
            Kind::Several { op, args } => Kind::Several { op: *op, args: args.iter().map(map).collect() },
            Kind::If { condition, then, otherwise } => {
                Kind::If { condition: map(condition), then: map(then), otherwise: map(otherwise) }
            }
        };
        Self::new(kind, self.ty.clone(), self.extent)
    }
    /// The same expression elsewhere: where a definition is used, not where it is written.
    pub(crate) fn at(self, extent: Extent) -> Self {
        Self { extent, ..self }
    }
}

impl Kind {
    /// Calls `visit` with each operand, from left to right.
    pub fn for_each_operand(&self, mut visit: impl FnMut(&Expr)) {
        match self {
            Self::Constant(_) | Self::Variable { .. } => {}
            Self::Unary { arg, .. } => visit(arg),
            Self::Binary { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(|operand| visit(operand)),
            Self::Several { args, .. } => args.iter().for_each(|operand| visit(operand)),
            Self::If { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().for_each(|operand| visit(operand));
            }
        }
    }
}
