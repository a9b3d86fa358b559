//! Linear terms: what guards, updates and outputs may compute, and how far clocks matter.

use crate::code::Code;
use crate::system::System;
use frontend::diagnostics::Diagnostics;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use spec::lexer::Extent;
use spec::parser::{Parsed, Reported};
use spec::scope::VariableId;
use spec::typed::{Binary, Expr, Kind, Unary};
use spec::types::Type;
use std::collections::BTreeMap;

/// A sum of variables with factors, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linear {
    /// Factors other than 0.
    pub factors: BTreeMap<VariableId, BigRational>,
    /// The constant.
    pub constant: BigRational,
}

impl Linear {
    fn add(mut self, other: &Self, factor: &BigRational) -> Self {
        for (variable, value) in &other.factors {
            let sum = self.factors.remove(variable).unwrap_or_default() + value * factor;
            if !sum.is_zero() {
                self.factors.insert(*variable, sum);
            }
        }
        self.constant += &other.constant * factor;
        self
    }
    fn scaled(&self, factor: &BigRational) -> Self {
        Self::default().add(self, factor)
    }
}

/// An expression as a sum; none where it is none.
pub fn linear(expr: &Expr) -> Option<Linear> {
    let one = BigRational::one();
    match expr.kind() {
        Kind::Constant(value) => Some(Linear { constant: value.as_number()?, ..Linear::default() }),
        Kind::Variable { variable, .. } => {
            let is_number = expr.ty().is_exact() || *expr.ty() == Type::Rational;
            is_number.then(|| Linear { factors: BTreeMap::from([(*variable, one)]), ..Linear::default() })
        }
        Kind::Unary { op: Unary::Convert, arg } => linear(arg),
        Kind::Unary { op: Unary::Negate, arg } => Some(linear(arg)?.scaled(&-one)),
        Kind::Binary { op, lhs, rhs } => {
            let (left, right) = (linear(lhs)?, linear(rhs)?);
            match op {
                Binary::Add => Some(left.add(&right, &one)),
                Binary::Sub => Some(left.add(&right, &-one)),
                Binary::Mul if right.factors.is_empty() => Some(left.scaled(&right.constant)),
                Binary::Mul if left.factors.is_empty() => Some(right.scaled(&left.constant)),
                Binary::Div if right.factors.is_empty() && !right.constant.is_zero() => {
                    Some(left.scaled(&right.constant.recip()))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// A comparison of a clock with a sum over data, or with another clock.
#[derive(Clone, Debug)]
pub struct Bound {
    /// Left side minus right side.
    pub difference: Linear,
    /// The operator between the sides.
    pub op: Binary,
}

/// The comparisons of an expression that read a clock.
///
/// # Errors
/// If a clock stands where no comparison of sums is.
pub fn clock_bounds(expr: &Expr, system: &System) -> Result<Vec<Bound>, Extent> {
    let mut found = Vec::new();
    collect(expr, system, &mut found)?;
    Ok(found)
}

fn collect(expr: &Expr, system: &System, found: &mut Vec<Bound>) -> Result<(), Extent> {
    let reads_clock = expr.reads().iter().any(|read| system.clocks.contains(&read.variable));
    if !reads_clock {
        return Ok(());
    }
    if let Kind::Binary { op: op @ (Binary::Equal | Binary::Less | Binary::LessEqual), lhs, rhs } =
        expr.kind()
        && *lhs.ty() != Type::Bool
    {
        let (Some(left), Some(right)) = (linear(lhs), linear(rhs)) else { return Err(expr.extent()) };
        found.push(Bound { difference: left.add(&right, &-BigRational::one()), op: *op });
        return Ok(());
    }
    if *expr.ty() != Type::Bool {
        return Err(expr.extent());
    }
    let mut result = Ok(());
    expr.kind().for_each_operand(|operand| {
        if result.is_ok() {
            result = collect(operand, system, found);
        }
    });
    result
}

/// That an expression is linear, and reads clocks in comparisons only.
///
/// # Errors
/// If it is not, which has been reported.
pub fn check_guard(expr: &Expr, system: &System, diagnostics: &mut Diagnostics) -> Parsed<()> {
    check_products(expr, diagnostics)?;
    match clock_bounds(expr, system) {
        Ok(_) => Ok(()),
        Err(place) => {
            let message = "a clock can be compared with a sum over data or another clock, and no more";
            diagnostics.error(Code::ClockInOutput, Some(place.span), message);
            Err(Reported)
        }
    }
}

/// That an expression is linear and reads no clock.
///
/// # Errors
/// If it is not, which has been reported.
pub fn check_data(expr: &Expr, system: &System, diagnostics: &mut Diagnostics) -> Parsed<()> {
    check_products(expr, diagnostics)?;
    let read = expr.reads().into_iter().find(|read| system.clocks.contains(&read.variable));
    let Some(read) = read else { return Ok(()) };
    let message = format!(
        "the clock `{}` cannot be sent or assigned: clocks are compared only",
        system.name_of(read.variable)
    );
    diagnostics.error(Code::ClockInOutput, Some(read.extent.span), message);
    Err(Reported)
}

fn check_products(expr: &Expr, diagnostics: &mut Diagnostics) -> Parsed<()> {
    let mut result = Ok(());
    if let Kind::Binary { op, lhs, rhs } = expr.kind() {
        let constant = |side: &Expr| side.reads().is_empty();
        let is_wrong = match op {
            Binary::Mul => !constant(lhs) && !constant(rhs),
            Binary::Div | Binary::Quotient | Binary::Remainder => !constant(rhs),
            _ => false,
        };
        if is_wrong {
            let message = "terms have to be linear: one side of a product, and every divisor, is a constant";
            diagnostics.error(Code::NonLinear, Some(expr.extent().span), message);
            return Err(Reported);
        }
    }
    expr.kind().for_each_operand(|operand| {
        if result.is_ok() {
            result = check_products(operand, diagnostics);
        }
    });
    result
}

/// The greatest constant that a clock is compared with, over all values of the data: above it, the
/// clock's value does not matter. None where data without bounds are compared with clocks.
pub fn greatest_bound(
    clock: VariableId,
    bounds: &[Bound],
    range: &dyn Fn(VariableId) -> Option<(BigRational, BigRational)>,
) -> Option<BigRational> {
    let mut greatest = BigRational::zero();
    for bound in bounds {
        let Some(factor) = bound.difference.factors.get(&clock) else { continue };
        let mut low = bound.difference.constant.clone();
        let mut high = low.clone();
        for (variable, value) in &bound.difference.factors {
            if *variable == clock {
                continue;
            }
            let (least, most) = range(*variable)?;
            let ends = [value * least, value * most];
            low += ends.iter().min()?;
            high += ends.iter().max()?;
        }
        let factor = factor.abs();
        for end in [low, high] {
            greatest = greatest.max(end.abs() / &factor);
        }
    }
    Some(greatest)
}
