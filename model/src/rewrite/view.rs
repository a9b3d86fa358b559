//! Short names for looking at operands.

use crate::sort::Sort;
use crate::term::{BinaryOp, Term, TermId, TermPool, UnaryOp};

/// The operands of a two-operand node with that operator.
pub(super) fn operands(term: Term, op: BinaryOp) -> Option<(TermId, TermId)> {
    match term {
        Term::Binary { op: found, lhs, rhs } if found == op => Some((lhs, rhs)),
        _ => None,
    }
}

/// Both orders of a pair.
pub(super) fn both_ways<T: Copy>(lhs: T, rhs: T) -> [(T, T); 2] {
    [(lhs, rhs), (rhs, lhs)]
}

/// The exponent of a power of two.
pub(super) fn exponent(bits: u128) -> Option<u32> {
    bits.is_power_of_two().then(|| bits.trailing_zeros())
}

impl TermPool {
    /// The bits of a constant word.
    pub(super) fn word_bits(&self, term: TermId) -> Option<u128> {
        match self.sort(term) {
            Sort::Word(_) => self.as_const(term).map(|value| value.bits()),
            Sort::Float(_) => None,
        }
    }
    /// A constant word read as signed.
    pub(super) fn word_signed(&self, term: TermId) -> Option<i128> {
        match self.sort(term) {
            Sort::Word(_) => self.as_const(term).map(|value| value.signed()),
            Sort::Float(_) => None,
        }
    }
    pub(super) fn mask(&self, term: TermId) -> u128 {
        self.sort(term).mask()
    }
    pub(super) fn is_zero(&self, term: TermId) -> bool {
        self.word_bits(term) == Some(0)
    }
    pub(super) fn is_ones(&self, term: TermId) -> bool {
        self.word_bits(term) == Some(self.mask(term))
    }
    pub(super) fn is_truth(&self, term: TermId) -> bool {
        self.sort(term) == Sort::TRUTH
    }
    /// The operand where the term is a node with that operator.
    pub(super) fn as_unary(&self, op: UnaryOp, term: TermId) -> Option<TermId> {
        match self.node(term) {
            Term::Unary { op: found, arg } if found == op => Some(arg),
            _ => None,
        }
    }
    pub(super) fn as_not(&self, term: TermId) -> Option<TermId> {
        self.as_unary(UnaryOp::Not, term)
    }
    /// The operands where the term is a node with that operator.
    pub(super) fn as_binary(&self, op: BinaryOp, term: TermId) -> Option<(TermId, TermId)> {
        operands(self.node(term), op)
    }
    /// Left operand and bits of the constant right one, where the term is a node with that
    /// operator.
    pub(super) fn as_constant_operand(&self, op: BinaryOp, term: TermId) -> Option<(TermId, u128)> {
        let (lhs, rhs) = self.as_binary(op, term)?;
        Some((lhs, self.word_bits(rhs)?))
    }
    pub(super) fn as_ite(&self, term: TermId) -> Option<(TermId, TermId, TermId)> {
        match self.node(term) {
            Term::Ite { condition, then, otherwise } => Some((condition, then, otherwise)),
            _ => None,
        }
    }
    /// Operand, highest and lowest bit of an extraction.
    pub(super) fn as_extract(&self, term: TermId) -> Option<(TermId, u32, u32)> {
        match self.node(term) {
            Term::Extract { arg, high, low } => Some((arg, high.into(), low.into())),
            _ => None,
        }
    }
    /// Operand of an extension, and whether it is signed.
    pub(super) fn as_extend(&self, term: TermId) -> Option<(TermId, bool)> {
        match self.node(term) {
            Term::Extend { arg, signed, .. } => Some((arg, signed)),
            _ => None,
        }
    }
    /// Whether one of the two is the complement of the other.
    pub(super) fn are_complements(&self, lhs: TermId, rhs: TermId) -> bool {
        self.as_not(lhs) == Some(rhs) || self.as_not(rhs) == Some(lhs)
    }
    /// Term and constant of an equality with a constant.
    pub(super) fn as_equality(&self, term: TermId) -> Option<(TermId, u128)> {
        self.as_constant_operand(BinaryOp::Eq, term)
    }
    /// A width to which the word can be cut such that zero extension restores it; at least 1.
    pub(super) fn unsigned_bits(&self, term: TermId) -> u32 {
        match self.node(term) {
            Term::Extend { arg, signed: false, .. } => self.width(arg),
            Term::Const(constant) => (128 - self.constant_value(constant).bits().leading_zeros()).max(1),
            _ => self.width(term),
        }
    }
    /// A width to which the word can be cut such that sign extension restores it; at least 1.
    pub(super) fn signed_bits(&self, term: TermId) -> u32 {
        match self.node(term) {
            Term::Extend { arg, signed, .. } => self.width(arg) + u32::from(!signed),
            Term::Const(constant) => {
                let number = self.constant_value(constant).signed();
                129 - (if number < 0 { !number } else { number }).leading_zeros()
            }
            _ => self.width(term),
        }
    }
    /// The low `width` bits.
    pub(super) fn cut(&mut self, term: TermId, width: u32) -> TermId {
        self.extract(term, width - 1, 0)
    }
    /// Widened by zeros to `width`, which is at least the width of the term.
    pub(super) fn zero_extend(&mut self, term: TermId, width: u32) -> TermId {
        self.resize(term, width, false)
    }
    /// Widened by copies of the top bit to `width`, which is at least the width of the term.
    pub(super) fn sign_extend(&mut self, term: TermId, width: u32) -> TermId {
        self.resize(term, width, true)
    }
    /// The top bit.
    pub(super) fn sign(&mut self, term: TermId) -> TermId {
        let top = self.width(term) - 1;
        self.extract(term, top, top)
    }
    /// A word of the same width as `like`.
    pub(super) fn word_like(&mut self, like: TermId, bits: u128) -> TermId {
        self.word(self.width(like), bits)
    }
}
