//! Ranges of terms, by a cheap look at their structure.
//!
//! Used to see that an index lies within its array, that a sum of promoted bytes cannot overflow,
//! or that a loop's condition has become false, without asking a solver. Every answer is an
//! over-approximation.

use model::sort::Sort;
use model::term::{BinaryOp, SymbolId, Term, TermId, TermPool, UnaryOp};
use rustc_hash::FxHashMap;

/// Operators looked through at most; below that everything is possible.
const DEPTH: u32 = 24;

/// Smallest and largest value, both inclusive.
pub(crate) type Range = (i128, i128);

/// Ranges that were computed before, for words of up to 64 bits, each with the depth of the look
/// that found it: one that found nothing is repeated only by a deeper one, so that shared terms are
/// looked at a few times and not once for each way to them.
#[derive(Clone, Default)]
pub(crate) struct Ranges {
    /// Ranges of symbols, read as unsigned and as signed, where more is known than their width.
    pub(crate) known: FxHashMap<SymbolId, (Range, Range)>,
    unsigned: FxHashMap<TermId, (Range, u32)>,
    signed: FxHashMap<TermId, (Range, u32)>,
    /// Conditions that were decided or found open before, as those of a path share most of their
    /// parts.
    decided: FxHashMap<TermId, Option<bool>>,
}

impl Ranges {
    /// The range of a word of at most 64 bits read as unsigned, else everything.
    pub(crate) fn unsigned(&mut self, pool: &TermPool, term: TermId) -> Range {
        self.range(pool, term, false, DEPTH)
    }
    /// The range of a word of at most 64 bits read as signed, else everything.
    pub(crate) fn signed(&mut self, pool: &TermPool, term: TermId) -> Range {
        self.range(pool, term, true, DEPTH)
    }

    fn range(&mut self, pool: &TermPool, term: TermId, signed: bool, depth: u32) -> Range {
        let Sort::Word(width) = pool.sort(term) else { return (i128::MIN, i128::MAX) };
        if width > 64 {
            return (i128::MIN, i128::MAX);
        }
        let full = full_range(u32::from(width), signed);
        let table = if signed { &self.signed } else { &self.unsigned };
        if let Some(&(known, looked)) = table.get(&term)
            && (known != full || looked >= depth)
        {
            return known;
        }
        if depth == 0 {
            return full;
        }
        let found =
            self.of_node(pool, term, signed, depth - 1).filter(|range| within(*range, full)).unwrap_or(full);
        let table = if signed { &mut self.signed } else { &mut self.unsigned };
        table.insert(term, (found, depth));
        found
    }

    fn of_node(&mut self, pool: &TermPool, term: TermId, signed: bool, depth: u32) -> Option<Range> {
        let width = pool.width(term);
        match pool.node(term) {
            Term::Const(_) => {
                let value = pool.as_const(term).expect("a constant should have a value");
                let number = if signed { value.signed() } else { value.bits() as i128 };
                Some((number, number))
            }
            Term::Symbol(symbol) => {
                let base = pool.symbol(symbol).framed.map_or(symbol, |framed| framed.base);
                self.known
                    .get(&base)
                    .map(|&(as_unsigned, as_signed)| if signed { as_signed } else { as_unsigned })
            }
            Term::Ite { then, otherwise, .. } => {
                let (low, high) = self.range(pool, then, signed, depth);
                let (other_low, other_high) = self.range(pool, otherwise, signed, depth);
                Some((low.min(other_low), high.max(other_high)))
            }
            Term::Extend { arg, signed: by_sign, .. } => {
                let range = self.range(pool, arg, by_sign, depth);
                (by_sign == signed || range.0 >= 0).then_some(range)
            }
            Term::Extract { arg, low: 0, .. } => {
                let range = self.range(pool, arg, signed, depth);
                within(range, full_range(width, signed)).then_some(range)
            }
            Term::Extract { arg, low, .. } if !signed => {
                let (_, high) = self.range(pool, arg, false, depth);
                (high >= 0).then(|| (0, high >> low))
            }
            Term::Unary { op: UnaryOp::Neg, arg } if signed => {
                let (low, high) = self.range(pool, arg, true, depth);
                Some((high.saturating_neg(), low.saturating_neg()))
            }
            Term::Binary { op, lhs, rhs } => self.of_binary(pool, op, lhs, rhs, signed, depth),
            _ => None,
        }
    }

    fn of_binary(
        &mut self,
        pool: &TermPool,
        op: BinaryOp,
        lhs: TermId,
        rhs: TermId,
        signed: bool,
        depth: u32,
    ) -> Option<Range> {
        if pool.width(lhs) > 64 {
            return None;
        }
        let left = self.range(pool, lhs, signed, depth);
        let right = self.range(pool, rhs, signed, depth);
        let constant = pool.as_const(rhs).map(|value| value.bits() as i128);
        let natural = left.0 >= 0 && right.0 >= 0;
        match op {
            BinaryOp::Add => Some((left.0.saturating_add(right.0), left.1.saturating_add(right.1))),
            BinaryOp::Sub => Some((left.0.saturating_sub(right.1), left.1.saturating_sub(right.0))),
            BinaryOp::Mul => {
                let times = i128::saturating_mul;
                let products = [
                    times(left.0, right.0),
                    times(left.0, right.1),
                    times(left.1, right.0),
                    times(left.1, right.1),
                ];
                Some((*products.iter().min()?, *products.iter().max()?))
            }
            BinaryOp::And if left.0 >= 0 && right.0 >= 0 => Some((0, left.1.min(right.1))),
            BinaryOp::And if right.0 >= 0 => Some((0, right.1)),
            BinaryOp::And if left.0 >= 0 => Some((0, left.1)),
            BinaryOp::Or | BinaryOp::Xor if natural => Some((0, ones_above(left.1.max(right.1)))),
            BinaryOp::UDiv if natural && right.0 > 0 => Some((left.0 / right.1, left.1 / right.0)),
            BinaryOp::URem if natural && right.0 > 0 => Some((0, left.1.min(right.1 - 1))),
            BinaryOp::SDiv if signed && right.0 > 0 => {
                Some((left.0.min(0) / right.0, left.1.max(0) / right.0))
            }
            BinaryOp::SRem if signed && right.0 > 0 => {
                let most = right.1 - 1;
                Some((left.0.min(0).max(-most), left.1.max(0).min(most)))
            }
            BinaryOp::LShr if left.0 >= 0 => match constant {
                Some(amount) if amount < 64 => Some((left.0 >> amount, left.1 >> amount)),
                _ => Some((0, left.1)),
            },
            BinaryOp::AShr if signed => match constant {
                Some(amount) if amount < 64 => Some((left.0 >> amount, left.1 >> amount)),
                _ => Some((left.0.min(0), left.1.max(0))),
            },
            BinaryOp::Shl if left.0 >= 0 => match constant {
                Some(amount) if amount < 60 => Some((left.0 << amount, left.1 << amount)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The truth of a comparison that the ranges of its operands decide.
    pub(crate) fn decide(&mut self, pool: &TermPool, condition: TermId) -> Option<bool> {
        if let Some(value) = pool.as_const(condition) {
            return Some(value.is_true());
        }
        if let Some(&known) = self.decided.get(&condition) {
            return known;
        }
        let found = self.decide_node(pool, condition);
        self.decided.insert(condition, found);
        found
    }

    fn decide_node(&mut self, pool: &TermPool, condition: TermId) -> Option<bool> {
        match pool.node(condition) {
            Term::Unary { op: UnaryOp::Not, arg } => self.decide(pool, arg).map(|holds| !holds),
            Term::Binary { op: BinaryOp::And, lhs, rhs } if pool.width(condition) == 1 => {
                match (self.decide(pool, lhs), self.decide(pool, rhs)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                }
            }
            Term::Binary { op: BinaryOp::Or, lhs, rhs } if pool.width(condition) == 1 => {
                match (self.decide(pool, lhs), self.decide(pool, rhs)) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                }
            }
            Term::Binary { op, lhs, rhs }
                if pool.width(lhs) <= 64 && pool.sort(lhs).float_format().is_none() =>
            {
                self.decide_comparison(pool, op, lhs, rhs)
            }
            _ => None,
        }
    }

    fn decide_comparison(&mut self, pool: &TermPool, op: BinaryOp, lhs: TermId, rhs: TermId) -> Option<bool> {
        let signed = matches!(op, BinaryOp::SLt | BinaryOp::SLe);
        let left = self.range(pool, lhs, signed, DEPTH);
        let right = self.range(pool, rhs, signed, DEPTH);
        match op {
            BinaryOp::Eq if left.1 < right.0 || right.1 < left.0 => Some(false),
            BinaryOp::ULt | BinaryOp::SLt if left.1 < right.0 => Some(true),
            BinaryOp::ULt | BinaryOp::SLt if left.0 >= right.1 => Some(false),
            BinaryOp::ULe | BinaryOp::SLe if left.1 <= right.0 => Some(true),
            BinaryOp::ULe | BinaryOp::SLe if left.0 > right.1 => Some(false),
            _ => None,
        }
    }
}

fn within(range: Range, full: Range) -> bool {
    full.0 <= range.0 && range.1 <= full.1
}

fn full_range(width: u32, signed: bool) -> Range {
    if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}

fn ones_above(number: i128) -> i128 {
    let bits = 128 - number.leading_zeros();
    (1 << bits) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::eval::evaluate;
    use model::id::Id;
    use model::value::Value;

    /// Every range of every small term holds for every value of its symbols.
    #[test]
    fn ranges_hold_for_all_values() {
        let mut pool = TermPool::new();
        let symbols = [pool.fresh_symbol("a", Sort::word(3)), pool.fresh_symbol("b", Sort::word(3))];
        let mut terms: Vec<TermId> = symbols.iter().map(|&symbol| pool.symbol_term(symbol)).collect();
        terms.push(pool.word(3, 1));
        terms.push(pool.word(3, 5));
        use BinaryOp::*;
        let level: Vec<TermId> = terms.clone();
        for &lhs in &level {
            terms.push(pool.unary(UnaryOp::Neg, lhs));
            for signed in [false, true] {
                let wide = pool.resize(lhs, 6, signed);
                terms.push(pool.extract(wide, 4, 2));
                terms.push(pool.extract(wide, 2, 0));
            }
            for &rhs in &level {
                for op in [And, Or, Xor, Add, Sub, Mul, UDiv, URem, SDiv, SRem, Shl, LShr, AShr] {
                    terms.push(pool.binary(op, lhs, rhs));
                }
                let condition = pool.binary(SLt, lhs, rhs);
                terms.push(pool.ite(condition, lhs, rhs));
            }
        }
        let level = terms.clone();
        for (index, &lhs) in level.iter().enumerate() {
            let rhs = level[(index * 7 + 3) % level.len()];
            for op in [And, Add, Sub, Mul, UDiv, URem, SDiv, SRem, LShr, AShr] {
                terms.push(pool.binary(op, lhs, rhs));
            }
            let (left, right) = (pool.resize(lhs, 8, true), pool.resize(rhs, 8, false));
            for op in [Add, Sub, Mul, SDiv, SRem, UDiv, Shl] {
                terms.push(pool.binary(op, left, right));
            }
            for op in [Eq, ULt, ULe, SLt, SLe] {
                terms.push(pool.binary(op, left, right));
            }
        }
        let mut ranges = Ranges::default();
        for &term in &terms {
            let (unsigned, signed) = (ranges.unsigned(&pool, term), ranges.signed(&pool, term));
            let decided = (pool.width(term) == 1).then(|| ranges.decide(&pool, term)).flatten();
            for bits in 0..64u128 {
                let value = evaluate(&pool, term, |symbol: SymbolId| {
                    Value::word(3, bits >> (3 * usize::from(symbol == symbols[1])))
                });
                let (number, bits) = (value.signed(), value.bits() as i128);
                assert!(
                    (unsigned.0..=unsigned.1).contains(&bits),
                    "{:?}: {bits} {unsigned:?}",
                    pool.node(term)
                );
                assert!(
                    (signed.0..=signed.1).contains(&number),
                    "{:?}: {number} {signed:?}",
                    pool.node(term)
                );
                assert!(decided.is_none_or(|holds| holds == value.is_true()), "{:?}", pool.node(term));
            }
        }
        assert!(terms[0].index() < terms.len());
    }
}
