//! Arithmetic, with the ranges of its results.

use super::{Checker, convert, exact_constant};
use crate::code::Code;
use crate::lexer::Extent;
use crate::parser::{Parsed, Reported};
use crate::syntax::BinaryOp;
use crate::typed::{Binary, Expr, Unary};
use crate::types::{Range, Type};
use crate::value::Fraction;
use num_traits::{CheckedMul, Zero};

impl Checker<'_> {
    pub(super) fn arithmetic(
        &mut self,
        op: BinaryOp,
        lhs: Expr,
        rhs: Expr,
        place: Extent,
        extent: Extent,
    ) -> Parsed<Expr> {
        match op {
            BinaryOp::Mul => self.product(lhs, rhs, place, extent),
            BinaryOp::Div => self.quotient(lhs, rhs, place, extent),
            BinaryOp::Quotient => self.integer_division(Binary::Quotient, lhs, rhs, place, extent),
            BinaryOp::Remainder => self.integer_division(Binary::Remainder, lhs, rhs, place, extent),
            BinaryOp::Sub => self.sum(Binary::Sub, lhs, rhs, place, extent),
            _ => self.sum(Binary::Add, lhs, rhs, place, extent),
        }
    }

    fn sum(&mut self, op: Binary, lhs: Expr, rhs: Expr, place: Extent, extent: Extent) -> Parsed<Expr> {
        let what = if op == Binary::Add { "`+`" } else { "`-`" };
        let (lhs, rhs) = self.alike(lhs, rhs, what, place)?;
        let ty = match (lhs.ty(), rhs.ty()) {
            (Type::Number(left), Type::Number(right)) => {
                let range = if op == Binary::Add { added(left, right) } else { subtracted(left, right) };
                Type::Number(range.ok_or_else(|| self.too_wide(place))?)
            }
            (ty, _) => ty.clone(),
        };
        self.build_binary(op, lhs, rhs, ty, extent)
    }

    fn product(&mut self, lhs: Expr, rhs: Expr, place: Extent, extent: Extent) -> Parsed<Expr> {
        if lhs.ty().is_exact() && rhs.ty().is_exact() {
            // Steps multiply, so they need not agree.
            let (lhs, rhs) = (self.exact(lhs)?, self.exact(rhs)?);
            let ranges = lhs.ty().range().zip(rhs.ty().range());
            let range = ranges.and_then(|(left, right)| multiplied(&left, &right));
            let ty = Type::Number(range.ok_or_else(|| self.too_wide(place))?);
            return self.build_binary(Binary::Mul, lhs, rhs, ty, extent);
        }
        let (lhs, rhs) = self.alike(lhs, rhs, "`*`", place)?;
        let ty = lhs.ty().clone();
        self.build_binary(Binary::Mul, lhs, rhs, ty, extent)
    }

    fn quotient(&mut self, lhs: Expr, rhs: Expr, place: Extent, extent: Extent) -> Parsed<Expr> {
        let divisor = rhs.as_constant().and_then(|value| value.as_fraction());
        if divisor.is_some_and(|divisor| divisor.is_zero()) && !matches!(lhs.ty(), Type::Float(_)) {
            return Err(self.division_by_zero(&rhs));
        }
        if lhs.ty().is_exact() && rhs.ty().is_exact() {
            let Some(divisor) = divisor else {
                self.error(Code::TypeMismatch, place, "`/` of exact numbers needs a constant divisor")
                    .advice("`div` is the integer quotient");
                return Err(Reported);
            };
            if *divisor.numer() == i128::MIN {
                return Err(self.too_wide(place));
            }
            // A quotient by a constant is a product with a constant: exact, in finer steps.
            let reciprocal = exact_constant(divisor.recip(), rhs.extent());
            return self.product(lhs, reciprocal, place, extent);
        }
        if matches!((lhs.ty(), rhs.ty()), (Type::Machine { .. }, _) | (_, Type::Machine { .. })) {
            self.error(Code::TypeMismatch, place, "`/` is no operator of machine integers")
                .advice("did you mean `div`?");
            return Err(Reported);
        }
        let (lhs, rhs) = self.alike(lhs, rhs, "`/`", place)?;
        let ty = lhs.ty().clone();
        self.build_binary(Binary::Div, lhs, rhs, ty, extent)
    }

    fn integer_division(
        &mut self,
        op: Binary,
        lhs: Expr,
        rhs: Expr,
        place: Extent,
        extent: Extent,
    ) -> Parsed<Expr> {
        let word = if op == Binary::Quotient { "div" } else { "mod" };
        let (lhs, rhs) = self.alike(lhs, rhs, &format!("`{word}`"), place)?;
        let is_zero = rhs.ty().range().is_some_and(|range| range.lo() == 0 && range.hi() == 0)
            || rhs.as_constant().and_then(|value| value.as_integer()) == Some(0);
        if is_zero {
            return Err(self.division_by_zero(&rhs));
        }
        let ty = match (lhs.ty(), rhs.ty()) {
            (Type::Number(left), Type::Number(right)) => {
                let range = match op {
                    Binary::Quotient => divided(left, right),
                    _ => Some(remainders(left, right)),
                };
                Type::Number(range.ok_or_else(|| self.too_wide(place))?)
            }
            (ty @ Type::Machine { .. }, _) => ty.clone(),
            (ty, _) => {
                self.error(Code::TypeMismatch, place, format!("`{word}` is no operator of {ty}"))
                    .advice("`/` is the quotient of rationals and floats");
                return Err(Reported);
            }
        };
        self.build_binary(op, lhs, rhs, ty, extent)
    }
    fn division_by_zero(&mut self, divisor: &Expr) -> Reported {
        self.error(Code::DivisionByZero, divisor.extent(), "this divisor is always 0");
        Reported
    }

    pub(super) fn negation(&mut self, arg: Expr, extent: Extent) -> Parsed<Expr> {
        let arg = self.number_operand(arg, "`-`")?;
        let ty = match arg.ty() {
            Type::Number(range) => Type::Number(negated(range).ok_or_else(|| self.too_wide(extent))?),
            ty => ty.clone(),
        };
        self.build_unary(Unary::Negate, arg, ty, extent)
    }
    pub(super) fn absolute(&mut self, arg: Expr, extent: Extent) -> Parsed<Expr> {
        let arg = self.number_operand(arg, "`abs`")?;
        let ty = match arg.ty() {
            Type::Number(range) => Type::Number(absolute(range).ok_or_else(|| self.too_wide(extent))?),
            ty => ty.clone(),
        };
        self.build_unary(Unary::Abs, arg, ty, extent)
    }
    /// The lesser or greater of two numbers.
    pub(super) fn extreme(&mut self, op: Binary, lhs: Expr, rhs: Expr, extent: Extent) -> Parsed<Expr> {
        let word = if op == Binary::Min { "`min`" } else { "`max`" };
        let (lhs, rhs) = self.alike(lhs, rhs, word, extent)?;
        let ty = match (lhs.ty(), rhs.ty()) {
            (Type::Number(left), Type::Number(right)) => {
                let pick = if op == Binary::Min { i128::min } else { i128::max };
                let range = Range::new(pick(left.lo(), right.lo()), pick(left.hi(), right.hi()), left.step());
                Type::Number(range.ok_or(Reported)?)
            }
            (Type::Float(_), _) => {
                let message = format!("{word} is not supported for floats");
                self.error(Code::TypeMismatch, extent, message)
                    .advice("`if a < b then a else b` says what happens where one is no number");
                return Err(Reported);
            }
            (ty, _) => ty.clone(),
        };
        self.build_binary(op, lhs, rhs, ty, extent)
    }
    /// A number; one of a set as one of the range around it.
    fn number_operand(&mut self, arg: Expr, what: &str) -> Parsed<Expr> {
        match arg.ty() {
            Type::Number(_) | Type::Machine { .. } | Type::Float(_) | Type::Rational => Ok(arg),
            Type::Set(set) => {
                let range = Type::Number(set.range());
                Ok(convert(arg, range))
            }
            ty => {
                let message = format!("{what} needs a number, found {ty}");
                self.error(Code::TypeMismatch, arg.extent(), message);
                Err(Reported)
            }
        }
    }
}

// ---- ranges of results; none beyond 128 bits ----

fn added(left: &Range, right: &Range) -> Option<Range> {
    Range::new(left.lo().checked_add(right.lo())?, left.hi().checked_add(right.hi())?, left.step())
}
fn subtracted(left: &Range, right: &Range) -> Option<Range> {
    Range::new(left.lo().checked_sub(right.hi())?, left.hi().checked_sub(right.lo())?, left.step())
}
fn negated(range: &Range) -> Option<Range> {
    Range::new(range.hi().checked_neg()?, range.lo().checked_neg()?, range.step())
}
fn absolute(range: &Range) -> Option<Range> {
    let (low, high) = (range.lo().checked_abs()?, range.hi().checked_abs()?);
    let least = if range.contains(0) { 0 } else { low.min(high) };
    Range::new(least, low.max(high), range.step())
}
fn multiplied(left: &Range, right: &Range) -> Option<Range> {
    let step = left.step().checked_mul(&right.step())?;
    hull_of([left.lo(), left.hi()], [right.lo(), right.hi()], i128::checked_mul, step)
}
/// Euclid's quotients by the divisors other than 0. For a fixed divisor they are monotone in the
/// dividend, for a fixed dividend in the divisors of one sign.
fn divided(left: &Range, right: &Range) -> Option<Range> {
    let divisors = [right.lo(), right.hi(), -1, 1].into_iter();
    let divisors: Vec<i128> = divisors.filter(|&divisor| divisor != 0 && right.contains(divisor)).collect();
    let step = Fraction::from_integer(1);
    hull_of([left.lo(), left.hi()], divisors, i128::checked_div_euclid, step)
}
/// Euclid's remainders: from 0 to below the divisor's absolute value, and not above a dividend that
/// is at least 0.
fn remainders(left: &Range, right: &Range) -> Range {
    let greatest = right.lo().unsigned_abs().max(right.hi().unsigned_abs());
    let greatest = greatest.saturating_sub(1).min(i128::MAX as u128) as i128;
    let greatest = if left.lo() >= 0 { greatest.min(left.hi()) } else { greatest };
    Range::new(0, greatest, left.step()).unwrap_or(Range::single(Fraction::zero()))
}

fn hull_of(
    left: impl IntoIterator<Item = i128>,
    right: impl IntoIterator<Item = i128> + Clone,
    apply: impl Fn(i128, i128) -> Option<i128>,
    step: Fraction,
) -> Option<Range> {
    let mut bounds: Option<(i128, i128)> = None;
    for a in left {
        for b in right.clone() {
            let found = apply(a, b)?;
            bounds = Some(bounds.map_or((found, found), |(lo, hi)| (lo.min(found), hi.max(found))));
        }
    }
    let (lo, hi) = bounds?;
    Range::new(lo, hi, step)
}
