//! Integers in words of different widths.

use super::{Encoding, Lowering};
use crate::typed::{Binary, Expr};
use crate::types::{Range, Type};
use model::term::{BinaryOp, TermId, UnaryOp};

impl Lowering<'_> {
    /// Operands in words of one width that has them all and the result of `expr`; two's complement
    /// unless all are unsigned.
    pub(super) fn common(&mut self, operands: &[(TermId, &Expr)], expr: &Expr) -> (Vec<TermId>, u32) {
        if let Type::Machine { bits, .. } = expr.ty() {
            return (operands.iter().map(|operand| operand.0).collect(), *bits);
        }
        let mut encodings: Vec<Encoding> =
            operands.iter().map(|operand| Encoding::of_expr(operand.1)).collect();
        encodings.extend(expr.ty().range().map(|range| Encoding::of(&range)));
        let signed = encodings.iter().any(|encoding| encoding.signed);
        let width = |encoding: &Encoding| if signed { encoding.signed_width() } else { encoding.width };
        let width = encodings.iter().map(width).max().unwrap_or(1);
        let widened = operands
            .iter()
            .zip(&encodings)
            .map(|((term, _), encoding)| self.pool.resize(*term, width, encoding.signed));
        (widened.collect(), width)
    }
    /// A word of that width, which holds a number of the type of `expr`, as a word of that type.
    pub(super) fn fitted(&mut self, term: TermId, width: u32, expr: &Expr) -> TermId {
        let wanted = Encoding::of_expr(expr);
        if wanted.width < width { self.pool.extract(term, wanted.width - 1, 0) } else { term }
    }
    /// The number of an expression in a type that has it: wider, narrower, in finer steps.
    pub(super) fn convert(&mut self, term: TermId, from: &Expr, ty: &Type) -> TermId {
        let (have, want) = (Encoding::of_expr(from), Encoding::of_type(ty));
        let steps = from.ty().range().zip(ty.range());
        let factor = steps.and_then(|(from, to)| from.factor(to.step())).unwrap_or(1);
        let resized = self.pool.resize(term, want.width, have.signed);
        if factor == 1 {
            return resized;
        }
        let factor = self.pool.word(want.width, factor as u128);
        self.pool.binary(BinaryOp::Mul, resized, factor)
    }

    pub(super) fn integral(
        &mut self,
        op: Binary,
        left: (TermId, &Expr),
        right: (TermId, &Expr),
        expr: &Expr,
    ) -> TermId {
        let is_machine = matches!(left.1.ty(), Type::Machine { .. });
        let (terms, width) = if is_machine {
            (vec![left.0, right.0], Encoding::of_expr(left.1).width)
        } else {
            self.common(&[left, right], expr)
        };
        let (a, b) = (terms[0], terms[1]);
        let signed = [left.1, right.1].iter().any(|operand| Encoding::of_expr(operand).signed);
        let by_sign = |signed_op, unsigned_op| if signed { signed_op } else { unsigned_op };
        let less = by_sign(BinaryOp::SLt, BinaryOp::ULt);
        let less_equal = by_sign(BinaryOp::SLe, BinaryOp::ULe);
        let result = match op {
            Binary::Equal => return self.pool.equal(a, b),
            Binary::Less => return self.pool.binary(less, a, b),
            Binary::LessEqual => return self.pool.binary(less_equal, a, b),
            Binary::Add => self.pool.binary(BinaryOp::Add, a, b),
            Binary::Sub => self.pool.binary(BinaryOp::Sub, a, b),
            Binary::Mul => self.pool.binary(BinaryOp::Mul, a, b),
            Binary::BitAnd => self.pool.and(a, b),
            Binary::BitOr => self.pool.or(a, b),
            Binary::BitXor => self.pool.binary(BinaryOp::Xor, a, b),
            Binary::Quotient if is_machine || !signed => {
                self.pool.binary(by_sign(BinaryOp::SDiv, BinaryOp::UDiv), a, b)
            }
            Binary::Remainder if is_machine || !signed => {
                self.pool.binary(by_sign(BinaryOp::SRem, BinaryOp::URem), a, b)
            }
            Binary::Quotient => self.euclid(a, b, width).0,
            Binary::Remainder => self.euclid(a, b, width).1,
            Binary::Min | Binary::Max => {
                let is_less = self.pool.binary(less, a, b);
                let (then, otherwise) = if op == Binary::Min { (a, b) } else { (b, a) };
                self.pool.ite(is_less, then, otherwise)
            }
            Binary::Div | Binary::Xor | Binary::ShiftLeft | Binary::ShiftRight => {
                panic!("{op:?} should get no integers")
            }
        };
        self.fitted(result, width, expr)
    }

    /// Euclid's quotient and remainder of words in two's complement: those of truncated division,
    /// moved by one divisor where that remainder is negative.
    fn euclid(&mut self, a: TermId, b: TermId, width: u32) -> (TermId, TermId) {
        let (zero, one) = (self.pool.word(width, 0), self.pool.word(width, 1));
        let quotient = self.pool.binary(BinaryOp::SDiv, a, b);
        let remainder = self.pool.binary(BinaryOp::SRem, a, b);
        let is_moved = self.pool.binary(BinaryOp::SLt, remainder, zero);
        let is_negative = self.pool.binary(BinaryOp::SLt, b, zero);
        let negated = self.pool.unary(UnaryOp::Neg, b);
        let divisor = self.pool.ite(is_negative, negated, b);
        let higher = self.pool.binary(BinaryOp::Add, remainder, divisor);
        let (above, below) =
            (self.pool.binary(BinaryOp::Add, quotient, one), self.pool.binary(BinaryOp::Sub, quotient, one));
        let beside = self.pool.ite(is_negative, above, below);
        (self.pool.ite(is_moved, beside, quotient), self.pool.ite(is_moved, higher, remainder))
    }

    pub(super) fn shifted(&mut self, op: Binary, left: (TermId, &Expr), right: (TermId, &Expr)) -> TermId {
        let (word, amount) = (Encoding::of_expr(left.1), Encoding::of_expr(right.1));
        // Amounts that do not fit the word shift everything out.
        let most = self.pool.word(amount.width, u128::from(word.width));
        let is_great = if amount.width > word.width {
            self.pool.binary(BinaryOp::ULe, most, right.0)
        } else {
            self.pool.truth(false)
        };
        let (all, fitting) = (
            self.pool.word(word.width, u128::from(word.width)),
            self.pool.resize(right.0, word.width, false),
        );
        let by = self.pool.ite(is_great, all, fitting);
        let operator = match op {
            Binary::ShiftLeft => BinaryOp::Shl,
            _ if word.signed => BinaryOp::AShr,
            _ => BinaryOp::LShr,
        };
        self.pool.binary(operator, left.0, by)
    }

    /// Whether a word lies between two numbers, both included and both representable.
    pub(super) fn between(&mut self, term: TermId, encoding: Encoding, lo: i128, hi: i128) -> TermId {
        let Encoding { width, signed } = encoding;
        let less_equal = if signed { BinaryOp::SLe } else { BinaryOp::ULe };
        let (lo, hi) = (self.pool.word(width, lo as u128), self.pool.word(width, hi as u128));
        let above = self.pool.binary(less_equal, lo, term);
        let below = self.pool.binary(less_equal, term, hi);
        self.pool.and(above, below)
    }

    pub(super) fn clamped(&mut self, term: TermId, arg: &Expr, expr: &Expr) -> TermId {
        let (have, want) = (Encoding::of_expr(arg), Encoding::of_expr(expr));
        let range = expr.ty().range().unwrap_or_else(|| panic!("{} should have a range", expr.ty()));
        let signed = have.signed || want.signed;
        let width = |encoding: Encoding| if signed { encoding.signed_width() } else { encoding.width };
        let width = width(have).max(width(want));
        let less = if signed { BinaryOp::SLt } else { BinaryOp::ULt };
        let wide = self.pool.resize(term, width, have.signed);
        let (lo, hi) = (self.pool.word(width, range.lo() as u128), self.pool.word(width, range.hi() as u128));
        let is_below = self.pool.binary(less, wide, lo);
        let is_above = self.pool.binary(less, hi, wide);
        let upper = self.pool.ite(is_above, hi, wide);
        let clamped = self.pool.ite(is_below, lo, upper);
        self.pool.resize(clamped, want.width, signed)
    }

    /// A number of `found` as a word of `wanted`, whose steps are coarser (`aligned` is `wanted` in
    /// the steps of `found`), and whether it is a number of `wanted`.
    pub(super) fn narrowed(
        &mut self,
        term: TermId,
        found: &Range,
        wanted: &Range,
        aligned: Range,
    ) -> (TermId, TermId) {
        let (have, want) = (Encoding::of(found), Encoding::of(wanted));
        let signed = have.signed || want.signed;
        let limits = Encoding::of(&aligned);
        let width = |encoding: Encoding| if signed { encoding.signed_width() } else { encoding.width };
        let factor = wanted.factor(aligned.step()).unwrap_or(1);
        let divisor = Encoding::of(&Range::integers(factor, factor));
        let width = [have, want, limits, divisor].into_iter().map(width).max().unwrap_or(1);
        let wide = self.pool.resize(term, width, have.signed);
        let is_inside = self.between(wide, Encoding { width, signed }, aligned.lo(), aligned.hi());
        if factor == 1 {
            return (self.pool.resize(wide, want.width, signed), is_inside);
        }
        let (divide, remain) =
            if signed { (BinaryOp::SDiv, BinaryOp::SRem) } else { (BinaryOp::UDiv, BinaryOp::URem) };
        let (factor, zero) = (self.pool.word(width, factor as u128), self.pool.word(width, 0));
        let quotient = self.pool.binary(divide, wide, factor);
        let remainder = self.pool.binary(remain, wide, factor);
        let is_even = self.pool.equal(remainder, zero);
        (self.pool.resize(quotient, want.width, signed), self.pool.and(is_inside, is_even))
    }
}
