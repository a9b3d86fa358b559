//! Hash-consed word-level terms.
//!
//! A [`TermPool`] owns every term of one system; equal terms have equal ids, and a term refers only
//! to terms with smaller ids, so a pool is its own topological order. Sorts are computed once and
//! stand beside the nodes. Building a term applies the rules of [`rewrite`] first, so
//! `pool.binary(..)` may return an existing, simpler term.
//!
//! # Semantics
//! All operators are total. Words are bit vectors in two's complement; where C leaves an operation
//! undefined, the operator still has the fixed result given at its variant, and the front end adds
//! a [`Hazard`](crate::system::Hazard). Float operators round to nearest, ties to even, and yield
//! [the canonical NaN](crate::sort::FloatFormat::canonical_nan) whenever their result is a NaN;
//! moves (`Ite`, symbols, `FloatFromBits`) keep a NaN's payload, and so does nothing else.

use crate::define_id;
use crate::id::IdVec;
use crate::rewrite::{self, Rewritten};
use crate::sort::{FloatFormat, MAX_WIDTH, Sort};
use crate::value::Value;
use rustc_hash::FxHashMap;

define_id!(
    /// A term of a [`TermPool`].
    TermId, "t"
);
define_id!(
    /// A symbol of a [`TermPool`].
    SymbolId, "y"
);
define_id!(
    /// A constant of a [`TermPool`].
    ConstId, "c"
);

/// How a float is rounded to an integral float ([`UnaryOp::FloatRound`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RoundTo {
    /// To the nearest integer, ties to even: C's `rint`, `nearbyint`.
    NearestEven,
    /// To the nearest integer, ties away from zero: C's `round`.
    NearestAway,
    /// Towards zero: C's `trunc`.
    Zero,
    /// Towards positive infinity: C's `ceil`.
    Up,
    /// Towards negative infinity: C's `floor`.
    Down,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnaryOp {
    /// Bitwise complement of a word.
    Not,
    /// Two's complement negation of a word.
    Neg,
    /// The bit pattern of a float as a word.
    FloatToBits,
    /// The float with the given bit pattern; the operand's width is the format's.
    FloatFromBits(FloatFormat),
    /// Sign flip, also of NaN (payload kept).
    FloatNeg,
    /// Sign cleared, also of NaN (payload kept).
    FloatAbs,
    /// Correctly rounded square root.
    FloatSqrt,
    /// Rounding to an integral value; the sign of zero results is the operand's.
    FloatRound(RoundTo),
    /// Truth: the operand is a NaN.
    FloatIsNan,
    /// Truth: the operand is an infinity.
    FloatIsInfinite,
    /// Conversion between formats, correctly rounded.
    FloatConvert(FloatFormat),
    /// A word read as unsigned, converted with correct rounding.
    FloatFromUnsigned(FloatFormat),
    /// A word read as signed, converted with correct rounding.
    FloatFromSigned(FloatFormat),
    /// Truncation to an unsigned word of the given width; out of range and NaN: the truncated value
    /// modulo 2^width where the operand is finite, else 0.
    FloatToUnsigned(u8),
    /// Truncation to a signed word of the given width; out of range and NaN as for
    /// [`UnaryOp::FloatToUnsigned`].
    FloatToSigned(u8),
}

/// Operators with two operands. Word operands have equal sorts except where stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Sum modulo 2^width.
    Add,
    /// Difference modulo 2^width.
    Sub,
    /// Product modulo 2^width.
    Mul,
    /// Unsigned quotient; all ones where the divisor is 0.
    UDiv,
    /// Unsigned remainder; the dividend where the divisor is 0.
    URem,
    /// Signed quotient rounded towards zero; where the divisor is 0: 1 for a negative dividend,
    /// else all ones (SMT-LIB `bvsdiv`); minimum / -1 = minimum.
    SDiv,
    /// Signed remainder with the dividend's sign; the dividend where the divisor is 0 (SMT-LIB
    /// `bvsrem`).
    SRem,
    /// Left shift; 0 where the amount (unsigned) is the width or more.
    Shl,
    /// Logical right shift; 0 where the amount (unsigned) is the width or more.
    LShr,
    /// Arithmetic right shift; all sign bits where the amount (unsigned) is the width or more.
    AShr,
    /// Truth: equal bit patterns. Word operands only; for floats see [`BinaryOp::FloatEq`].
    Eq,
    /// Truth: unsigned less.
    ULt,
    /// Truth: unsigned less or equal.
    ULe,
    /// Truth: signed less.
    SLt,
    /// Truth: signed less or equal.
    SLe,
    /// Left operand above right operand: width is the sum of the widths.
    Concat,
    /// IEEE sum.
    FloatAdd,
    /// IEEE difference.
    FloatSub,
    /// IEEE product.
    FloatMul,
    /// IEEE quotient.
    FloatDiv,
    /// C's `fmod`: exact remainder of truncated division.
    FloatFmod,
    /// C's `remainder`: exact remainder of division rounded to nearest even (IEEE 754 remainder).
    FloatRemainder,
    /// Truth: IEEE equality (NaN differs from all, zeros are equal).
    FloatEq,
    /// Truth: IEEE less; false with a NaN.
    FloatLt,
    /// Truth: IEEE less or equal; false with a NaN.
    FloatLe,
}

/// A node of the term graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A named unknown.
    Symbol(SymbolId),
    /// A fixed value.
    Const(ConstId),
    /// One operand.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        arg: TermId,
    },
    /// Two operands.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        lhs: TermId,
        /// Right operand.
        rhs: TermId,
    },
    /// `condition ? then : otherwise`; the condition is a truth, the branches have equal sorts.
    Ite {
        /// The truth that selects.
        condition: TermId,
        /// The value where it holds.
        then: TermId,
        /// The value where it does not.
        otherwise: TermId,
    },
    /// Bits `low ..= high` of a word.
    Extract {
        /// The word.
        arg: TermId,
        /// Highest bit taken.
        high: u8,
        /// Lowest bit taken.
        low: u8,
    },
    /// A word widened to `width` bits by copies of its top bit (`signed`) or zeros.
    Extend {
        /// The word.
        arg: TermId,
        /// The new width, above the old one.
        width: u8,
        /// Whether the top bit is copied.
        signed: bool,
    },
    /// C's `fma(a, b, c)`: a*b + c rounded once.
    FloatFma {
        /// First factor.
        a: TermId,
        /// Second factor.
        b: TermId,
        /// Summand.
        c: TermId,
    },
}

const _: () = assert!(size_of::<Term>() == 16);

impl Term {
    /// The operands in order.
    pub fn operands(&self) -> impl Iterator<Item = TermId> + use<> {
        let operands = match *self {
            Self::Symbol(_) | Self::Const(_) => [None; 3],
            Self::Unary { arg, .. } | Self::Extract { arg, .. } | Self::Extend { arg, .. } => {
                [Some(arg), None, None]
            }
            Self::Binary { lhs, rhs, .. } => [Some(lhs), Some(rhs), None],
            Self::Ite { condition, then, otherwise } => [Some(condition), Some(then), Some(otherwise)],
            Self::FloatFma { a, b, c } => [Some(a), Some(b), Some(c)],
        };
        operands.into_iter().flatten()
    }
    /// The same operator over other operands, which `map` makes of the present ones in order.
    pub fn map_operands(&self, mut map: impl FnMut(TermId) -> TermId) -> Self {
        match *self {
            Self::Symbol(_) | Self::Const(_) => *self,
            Self::Unary { op, arg } => Self::Unary { op, arg: map(arg) },
            Self::Binary { op, lhs, rhs } => Self::Binary { op, lhs: map(lhs), rhs: map(rhs) },
            Self::Ite { condition, then, otherwise } => {
                Self::Ite { condition: map(condition), then: map(then), otherwise: map(otherwise) }
            }
            Self::Extract { arg, high, low } => Self::Extract { arg: map(arg), high, low },
            Self::Extend { arg, width, signed } => Self::Extend { arg: map(arg), width, signed },
            Self::FloatFma { a, b, c } => Self::FloatFma { a: map(a), b: map(b), c: map(c) },
        }
    }
}

/// An unknown: its name and sort. What it stands for (state, input, ...) is told by the table of
/// the [`TransitionSystem`](crate::system::TransitionSystem) that holds it, or by `framed`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Unique within the pool; framed symbols are named `base@offset`.
    pub name: String,
    /// Sort of its values.
    pub sort: Sort,
    /// In the window term of a goal: this symbol is `base` as it is `offset` steps after the
    /// window's first state.
    pub framed: Option<Framed>,
}

/// A state or input symbol at a later frame of a window; see [`Goal`](crate::system::Goal).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Framed {
    /// The state or input symbol.
    pub base: SymbolId,
    /// Steps after the window's first state, at least 1.
    pub offset: u32,
}

/// Owner of terms, symbols and constants.
#[derive(Clone, Default)]
pub struct TermPool {
    nodes: IdVec<TermId, Term>,
    sorts: IdVec<TermId, Sort>,
    symbols: IdVec<SymbolId, Symbol>,
    constants: IdVec<ConstId, Value>,
    interned: FxHashMap<Term, TermId>,
    constant_ids: FxHashMap<Value, ConstId>,
    framed: FxHashMap<Framed, SymbolId>,
    names: FxHashMap<String, SymbolId>,
    /// The last number behind each name that was wanted more than once.
    copies: FxHashMap<String, u32>,
    pub(crate) rewriting: rewrite::Rewriting,
}

impl TermPool {
    /// An empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// The node behind an id.
    pub fn node(&self, term: TermId) -> Term {
        self.nodes[term]
    }
    /// The sort of a term.
    pub fn sort(&self, term: TermId) -> Sort {
        self.sorts[term]
    }
    /// The width in bits of a term.
    pub fn width(&self, term: TermId) -> u32 {
        self.sorts[term].width()
    }
    /// The value of a constant term, `None` for all others.
    pub fn as_const(&self, term: TermId) -> Option<Value> {
        match self.nodes[term] {
            Term::Const(constant) => Some(self.constants[constant]),
            _ => None,
        }
    }
    /// The value of a constant.
    pub fn constant_value(&self, constant: ConstId) -> Value {
        self.constants[constant]
    }
    /// The symbol behind a symbol term, `None` for all others.
    pub fn as_symbol(&self, term: TermId) -> Option<SymbolId> {
        match self.nodes[term] {
            Term::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }
    /// What is known of a symbol.
    pub fn symbol(&self, symbol: SymbolId) -> &Symbol {
        &self.symbols[symbol]
    }
    /// The symbol of that name.
    pub fn symbol_named(&self, name: &str) -> Option<SymbolId> {
        self.names.get(name).copied()
    }
    /// All symbols in order of creation.
    pub fn symbols(&self) -> &IdVec<SymbolId, Symbol> {
        &self.symbols
    }
    /// Number of terms; ids are `0..len` in topological order, operands first.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Whether no term was made yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
    /// How often each rewrite rule applied, by rule name, in the order of the rule table.
    pub fn rule_hits(&self) -> Vec<(&'static str, u64)> {
        self.rewriting.hits()
    }

    /// A new symbol. A name that is taken already gets the suffix `#2`, `#3`, ...
    pub fn fresh_symbol(&mut self, name: &str, sort: Sort) -> SymbolId {
        self.add_symbol(name, sort, None)
    }
    /// The term of a symbol.
    pub fn symbol_term(&mut self, symbol: SymbolId) -> TermId {
        self.intern(Term::Symbol(symbol), self.symbols[symbol].sort)
    }
    /// The term of `base` at `offset` steps after a window's first state (offset 0: of `base`
    /// itself).
    ///
    /// # Panics
    /// If `base` is itself framed.
    pub fn framed(&mut self, base: SymbolId, offset: u32) -> TermId {
        assert!(self.symbols[base].framed.is_none(), "frames should not be nested");
        if offset == 0 {
            return self.symbol_term(base);
        }
        let framed = Framed { base, offset };
        let symbol = match self.framed.get(&framed) {
            Some(&symbol) => symbol,
            None => {
                let Symbol { name, sort, .. } = &self.symbols[base];
                let (name, sort) = (format!("{name}@{offset}"), *sort);
                let symbol = self.add_symbol(&name, sort, Some(framed));
                self.framed.insert(framed, symbol);
                symbol
            }
        };
        self.symbol_term(symbol)
    }
    /// A constant.
    pub fn constant(&mut self, value: Value) -> TermId {
        let constant = match self.constant_ids.get(&value) {
            Some(&constant) => constant,
            None => {
                let constant = self.constants.push(value);
                self.constant_ids.insert(value, constant);
                constant
            }
        };
        self.intern(Term::Const(constant), value.sort())
    }
    /// A word constant: `bits` modulo 2^width.
    pub fn word(&mut self, width: u32, bits: u128) -> TermId {
        self.constant(Value::word(width, bits))
    }
    /// A truth constant.
    pub fn truth(&mut self, holds: bool) -> TermId {
        self.constant(Value::truth(holds))
    }
    /// Applies a one-operand operator.
    pub fn unary(&mut self, op: UnaryOp, arg: TermId) -> TermId {
        self.make(Term::Unary { op, arg })
    }
    /// Applies a two-operand operator.
    pub fn binary(&mut self, op: BinaryOp, lhs: TermId, rhs: TermId) -> TermId {
        self.make(Term::Binary { op, lhs, rhs })
    }
    /// `condition ? then : otherwise`.
    pub fn ite(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        self.make(Term::Ite { condition, then, otherwise })
    }
    /// Bits `low ..= high` of a word.
    pub fn extract(&mut self, arg: TermId, high: u32, low: u32) -> TermId {
        if low == 0 && high + 1 == self.width(arg) {
            return arg;
        }
        self.make(Term::Extract { arg, high: high as u8, low: low as u8 })
    }
    /// A word brought to `width` bits: widened by sign or zero, cut from above, or as it is.
    pub fn resize(&mut self, arg: TermId, width: u32, signed: bool) -> TermId {
        let old = self.width(arg);
        match width.cmp(&old) {
            std::cmp::Ordering::Less => self.extract(arg, width - 1, 0),
            std::cmp::Ordering::Equal => arg,
            std::cmp::Ordering::Greater => self.make(Term::Extend { arg, width: width as u8, signed }),
        }
    }
    /// a*b + c with one rounding.
    pub fn fma(&mut self, a: TermId, b: TermId, c: TermId) -> TermId {
        self.make(Term::FloatFma { a, b, c })
    }
    /// Bitwise complement; negation of a truth.
    pub fn not(&mut self, arg: TermId) -> TermId {
        self.unary(UnaryOp::Not, arg)
    }
    /// Bitwise and; conjunction of truths.
    pub fn and(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        self.binary(BinaryOp::And, lhs, rhs)
    }
    /// Bitwise or; disjunction of truths.
    pub fn or(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        self.binary(BinaryOp::Or, lhs, rhs)
    }
    /// `!lhs | rhs` of truths.
    pub fn implies(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        let negated = self.not(lhs);
        self.or(negated, rhs)
    }
    /// Equality of words (bit patterns).
    pub fn equal(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        self.binary(BinaryOp::Eq, lhs, rhs)
    }
    /// Truth: both have the same bits, or both are NaN; as
    /// [`Value::agrees_with`](crate::value::Value::agrees_with). Operands of one sort.
    pub fn agree(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        if lhs == rhs {
            return self.truth(true);
        }
        if let Sort::Word(_) = self.sort(lhs) {
            return self.equal(lhs, rhs);
        }
        let bits = [lhs, rhs].map(|term| self.unary(UnaryOp::FloatToBits, term));
        let is_nan = [lhs, rhs].map(|term| self.unary(UnaryOp::FloatIsNan, term));
        let are_equal = self.equal(bits[0], bits[1]);
        let are_nan = self.and(is_nan[0], is_nan[1]);
        self.or(are_equal, are_nan)
    }
    /// Conjunction of all; true of none.
    pub fn conjunction(&mut self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        let start = self.truth(true);
        terms.into_iter().fold(start, |all, term| self.and(all, term))
    }
    /// The truths whose conjunction a truth is, left to right; itself where it is no conjunction.
    pub fn conjuncts(&self, truth: TermId) -> Vec<TermId> {
        let (mut found, mut open) = (Vec::new(), vec![truth]);
        while let Some(term) = open.pop() {
            match self.node(term) {
                Term::Binary { op: BinaryOp::And, lhs, rhs } if self.width(term) == 1 => {
                    open.extend([rhs, lhs])
                }
                _ => found.push(term),
            }
        }
        found
    }
    /// Truth of a word: some bit is set.
    pub fn is_nonzero(&mut self, arg: TermId) -> TermId {
        let Sort::Word(width) = self.sort(arg) else { panic!("is_nonzero should get a word") };
        if width == 1 {
            return arg;
        }
        let zero = self.word(u32::from(width), 0);
        let equal = self.equal(arg, zero);
        self.not(equal)
    }

    /// Rewrites and interns a node whose operands are already in the pool.
    ///
    /// # Panics
    /// If the operands' sorts do not fit the operator: a defect of the caller.
    pub fn make(&mut self, term: Term) -> TermId {
        if let Some(&known) = self.interned.get(&term)
            && self.rewriting.is_normal(known)
        {
            return known;
        }
        let sort = self.sort_of(&term).unwrap_or_else(|why| panic!("a term should be well-sorted: {why}"));
        match rewrite::rewrite(self, term) {
            Rewritten::To(simpler) => {
                debug_assert_eq!(
                    self.sorts[simpler], sort,
                    "a rewrite rule should keep the sort of {term:?}"
                );
                simpler
            }
            Rewritten::Normal => {
                let id = self.intern(term, sort);
                self.rewriting.mark_normal(id);
                id
            }
            Rewritten::Untried => self.intern(term, sort),
        }
    }

    /// The sort that a node has, or why its operands do not fit.
    pub fn sort_of(&self, term: &Term) -> Result<Sort, String> {
        let sort = |term: TermId| self.sorts[term];
        let fail = |what: &str| {
            let sorts: Vec<_> = term.operands().map(|operand| self.sorts[operand].to_string()).collect();
            Err(format!("{what}: {term:?} over ({})", sorts.join(", ")))
        };
        match *term {
            Term::Symbol(symbol) => Ok(self.symbols[symbol].sort),
            Term::Const(constant) => Ok(self.constants[constant].sort()),
            Term::Unary { op, arg } => match (op.result(sort(arg)), sort(arg)) {
                (Some(result), _) => Ok(result),
                (None, _) => fail("operand of the wrong sort"),
            },
            Term::Binary { op, lhs, rhs } => match op.result(sort(lhs), sort(rhs)) {
                Some(result) => Ok(result),
                None => fail("operands of the wrong sorts"),
            },
            Term::Ite { condition, then, otherwise } => {
                if sort(condition) == Sort::TRUTH && sort(then) == sort(otherwise) {
                    Ok(sort(then))
                } else {
                    fail("branches of unequal sorts")
                }
            }
            Term::Extract { arg, high, low } => match sort(arg) {
                Sort::Word(width) if low <= high && u16::from(high) < width => {
                    Ok(Sort::word(u32::from(high - low) + 1))
                }
                _ => fail("bits out of range"),
            },
            Term::Extend { arg, width, .. } => match sort(arg) {
                Sort::Word(old) if u16::from(width) > old && u32::from(width) <= MAX_WIDTH => {
                    Ok(Sort::word(u32::from(width)))
                }
                _ => fail("not a widening"),
            },
            Term::FloatFma { a, b, c } => match sort(a) {
                Sort::Float(_) if sort(a) == sort(b) && sort(b) == sort(c) => Ok(sort(a)),
                _ => fail("operands of the wrong sorts"),
            },
        }
    }

    pub(crate) fn intern(&mut self, term: Term, sort: Sort) -> TermId {
        if let Some(&known) = self.interned.get(&term) {
            return known;
        }
        let id = self.nodes.push(term);
        self.sorts.push(sort);
        self.interned.insert(term, id);
        id
    }

    fn add_symbol(&mut self, name: &str, sort: Sort, framed: Option<Framed>) -> SymbolId {
        let mut unique = name.to_owned();
        if self.names.contains_key(name) {
            let copies = self.copies.entry(unique.clone()).or_insert(1);
            while self.names.contains_key(&unique) {
                *copies += 1;
                unique = format!("{name}#{copies}");
            }
        }
        let symbol = self.symbols.push(Symbol { name: unique.clone(), sort, framed });
        self.names.insert(unique, symbol);
        symbol
    }
}

impl UnaryOp {
    /// The sort of the result, or `None` where the operand does not fit.
    pub fn result(self, arg: Sort) -> Option<Sort> {
        let word = matches!(arg, Sort::Word(_));
        match self {
            Self::Not | Self::Neg => word.then_some(arg),
            Self::FloatToBits => arg.float_format().map(|format| Sort::word(format.width())),
            Self::FloatFromBits(format) => (arg == Sort::word(format.width())).then_some(Sort::Float(format)),
            Self::FloatNeg | Self::FloatAbs | Self::FloatSqrt | Self::FloatRound(_) => (!word).then_some(arg),
            Self::FloatIsNan | Self::FloatIsInfinite => (!word).then_some(Sort::TRUTH),
            Self::FloatConvert(format) => (!word).then_some(Sort::Float(format)),
            Self::FloatFromUnsigned(format) | Self::FloatFromSigned(format) => {
                word.then_some(Sort::Float(format))
            }
            Self::FloatToUnsigned(width) | Self::FloatToSigned(width) => {
                (!word && (1..=64).contains(&width)).then(|| Sort::word(u32::from(width)))
            }
        }
    }
}

impl BinaryOp {
    /// The sort of the result, or `None` where the operands do not fit.
    pub fn result(self, lhs: Sort, rhs: Sort) -> Option<Sort> {
        use BinaryOp::*;
        match (lhs, rhs) {
            (Sort::Word(left), Sort::Word(right)) => match self {
                Concat => {
                    let width = u32::from(left) + u32::from(right);
                    (width <= MAX_WIDTH).then(|| Sort::word(width))
                }
                _ if left != right => None,
                And | Or | Xor | Add | Sub | Mul | UDiv | URem | SDiv | SRem | Shl | LShr | AShr => Some(lhs),
                Eq | ULt | ULe | SLt | SLe => Some(Sort::TRUTH),
                _ => None,
            },
            (Sort::Float(left), Sort::Float(right)) if left == right => match self {
                FloatAdd | FloatSub | FloatMul | FloatDiv | FloatFmod | FloatRemainder => Some(lhs),
                FloatEq | FloatLt | FloatLe => Some(Sort::TRUTH),
                _ => None,
            },
            _ => None,
        }
    }
}
