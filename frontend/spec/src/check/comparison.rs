//! Comparisons, membership, and how two operands get one type.

use super::{Checker, convert, describe};
use crate::code::Code;
use crate::lexer::Extent;
use crate::parser::{Parsed, Reported};
use crate::syntax::{self, BinaryOp};
use crate::typed::{Binary, Expr};
use crate::types::Type;

impl Checker<'_> {
    /// `a < b <= c`: the conjunction of the single comparisons.
    pub(super) fn comparisons(
        &mut self,
        first: &syntax::Expr,
        rest: &[syntax::Link],
        extent: Extent,
    ) -> Parsed<Expr> {
        let first = self.expression(first);
        let others: Vec<Parsed<Expr>> = rest.iter().map(|link| self.expression(&link.operand)).collect();
        let mut left = first?;
        let mut found = Vec::new();
        for (link, right) in rest.iter().zip(others) {
            let right = right?;
            let until = left.extent().until(right.extent());
            found.push(self.comparison(link.op, left, right.clone(), link.place, until)?);
            left = right;
        }
        self.checked(Expr::all(found, extent))
    }

    pub(super) fn comparison(
        &mut self,
        op: BinaryOp,
        lhs: Expr,
        rhs: Expr,
        place: Extent,
        extent: Extent,
    ) -> Parsed<Expr> {
        use BinaryOp::*;
        let is_equality = matches!(op, Equal | NotEqual);
        let is_same = lhs.ty() == rhs.ty() && matches!(lhs.ty(), Type::Bool | Type::Enum(_));
        let (lhs, rhs) =
            if is_equality && is_same { (lhs, rhs) } else { self.comparable(lhs, rhs, op.text(), place)? };
        let (op, lhs, rhs, is_negated) = match op {
            Less => (Binary::Less, lhs, rhs, false),
            LessEqual => (Binary::LessEqual, lhs, rhs, false),
            Greater => (Binary::Less, rhs, lhs, false),
            GreaterEqual => (Binary::LessEqual, rhs, lhs, false),
            NotEqual => (Binary::Equal, lhs, rhs, true),
            _ => (Binary::Equal, lhs, rhs, false),
        };
        let compared = self.build_binary(op, lhs, rhs, Type::Bool, extent)?;
        if is_negated { self.checked(compared.negated()) } else { Ok(compared) }
    }

    pub(super) fn membership(
        &mut self,
        arg: &syntax::Expr,
        set: &syntax::Set,
        extent: Extent,
    ) -> Parsed<Expr> {
        let arg = self.expression(arg);
        match set {
            syntax::Set::Range(lo, hi) => {
                let (lo, hi) = (self.expression(lo), self.expression(hi));
                let (arg, lo, hi) = (arg?, lo?, hi?);
                let places = (lo.extent(), hi.extent());
                let above = self.comparison(BinaryOp::LessEqual, lo, arg.clone(), places.0, extent)?;
                let below = self.comparison(BinaryOp::LessEqual, arg, hi, places.1, extent)?;
                self.checked(Expr::all([above, below], extent))
            }
            syntax::Set::Values(values) => {
                let values: Vec<Parsed<Expr>> = values.iter().map(|value| self.expression(value)).collect();
                let arg = arg?;
                let mut found = Vec::new();
                for value in values {
                    let value = value?;
                    let place = value.extent();
                    found.push(self.comparison(BinaryOp::Equal, arg.clone(), value, place, extent)?);
                }
                self.checked(Expr::any(found, extent))
            }
        }
    }

    /// An exact number or machine integer as an exact number of the range of its type.
    pub(super) fn exact(&mut self, expr: Expr) -> Parsed<Expr> {
        match expr.ty().range() {
            Some(range) => Ok(convert(expr, Type::Number(range))),
            None => {
                let message = format!("expected a number, found {}", describe(&expr));
                self.error(Code::TypeMismatch, expr.extent(), message);
                Err(Reported)
            }
        }
    }

    /// Two numbers in one type in which they can be compared. Integers of unequal kinds become
    /// exact.
    fn comparable(&mut self, lhs: Expr, rhs: Expr, what: &str, place: Extent) -> Parsed<(Expr, Expr)> {
        let is_mixed = |left: &Type, right: &Type| matches!((left, right), (Type::Machine { .. }, other) if other.range().is_some() && left != other);
        let is_unlike = is_mixed(lhs.ty(), rhs.ty()) || is_mixed(rhs.ty(), lhs.ty());
        if is_unlike && fitted(&lhs, rhs.ty()).or(fitted(&rhs, lhs.ty())).is_none() {
            let (lhs, rhs) = (self.exact(lhs)?, self.exact(rhs)?);
            return self.alike(lhs, rhs, what, place);
        }
        self.alike(lhs, rhs, &format!("`{what}`"), place)
    }

    /// Two numbers in one type: the same machine integers, floats or rationals, or ranges of one
    /// step.
    pub(super) fn alike(&mut self, lhs: Expr, rhs: Expr, what: &str, place: Extent) -> Parsed<(Expr, Expr)> {
        if let Some(fitted) = fitted(&lhs, rhs.ty()) {
            return Ok((fitted, rhs));
        }
        if let Some(fitted) = fitted(&rhs, lhs.ty()) {
            return Ok((lhs, fitted));
        }
        match (lhs.ty(), rhs.ty()) {
            (left, right) if left.is_exact() && right.is_exact() => {
                let ranges = left.range().zip(right.range());
                let aligned = ranges.and_then(|(left, right)| left.aligned(&right));
                let Some((left, right)) = aligned else { return Err(self.too_wide(place)) };
                Ok((convert(lhs, Type::Number(left)), convert(rhs, Type::Number(right))))
            }
            (Type::Machine { .. } | Type::Float(_) | Type::Rational, right) if lhs.ty() == right => {
                Ok((lhs, rhs))
            }
            (Type::Rational, right) if right.range().is_some() => Ok((lhs, convert(rhs, Type::Rational))),
            (left, Type::Rational) if left.range().is_some() => Ok((convert(lhs, Type::Rational), rhs)),
            _ => Err(self.mismatch(&lhs, &rhs, what, place)),
        }
    }

    fn mismatch(&mut self, lhs: &Expr, rhs: &Expr, what: &str, place: Extent) -> Reported {
        let (left, right) = (lhs.ty(), rhs.ty());
        let message = format!("{} and {} do not fit {what}", describe(lhs), describe(rhs));
        let machine = match (left, right) {
            (Type::Machine { .. }, other) if other.range().is_some() => Some(left.clone()),
            (other, Type::Machine { .. }) if other.range().is_some() => Some(right.clone()),
            _ => None,
        };
        let is_constant = lhs.as_constant().is_some() || rhs.as_constant().is_some();
        let is_ordered_enum = left == right && matches!(left, Type::Enum(_) | Type::Bool);
        let error = self.error(Code::TypeMismatch, place, message);
        if let Some(machine) = machine {
            let why = if is_constant { "the constant is outside the type; " } else { "" };
            error.advice(format!(
                "{why}`wrap({machine}, ...)` or `clamp({machine}, ...)` makes a {machine} of it"
            ));
        } else if is_ordered_enum {
            error.advice("values of this type are compared by `=` and `!=` only");
        }
        Reported
    }
}

/// An exact constant in a type of the machine that has it, or the nearest float.
fn fitted(expr: &Expr, ty: &Type) -> Option<Expr> {
    let value = expr.as_constant().filter(|_| expr.ty().is_exact())?;
    let fits = match ty {
        Type::Machine { .. } => ty.contains(value),
        Type::Float(_) => true,
        _ => false,
    };
    fits.then(|| convert(expr.clone(), ty.clone()))
}
