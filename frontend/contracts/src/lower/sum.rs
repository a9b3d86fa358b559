//! Sums of integers: what a comparison says of one variable.

use spec::lexer::Extent;
use spec::scope::VariableId;
use spec::typed::{Binary, Expr, Kind, Unary};
use spec::types::{Range, Type};
use spec::value::Value;
use std::sync::Arc;

/// Absolute values of all numbers at most: far from what words can hold.
const MOST: i128 = 1 << 100;

/// A sum of expressions, each times a factor. Variables of the step at hand stand for themselves.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    terms: Vec<(Expr, i128)>,
    constant: i128,
    /// Where it stands.
    extent: Extent,
}

/// A sum out of which a variable is taken.
pub(super) struct Single {
    /// Its factor, which is not 0.
    factor: i128,
    /// The others whose words are known.
    known: Sum,
    /// The others that are not.
    open: Vec<(Expr, i128)>,
}

/// A bound of a variable, which belongs to it.
pub(super) enum Bound {
    /// It is not above a number.
    Above(Expr),
    /// It is not below a number.
    Below(Expr),
}

impl Bound {
    pub(super) fn expr(&self) -> &Expr {
        match self {
            Self::Above(expr) | Self::Below(expr) => expr,
        }
    }
    /// The lesser or the greater of a variable of a type and a bound; none where the numbers are
    /// too large.
    pub(super) fn moved(variable: VariableId, ty: &Type, op: Binary, bound: Expr) -> Option<Expr> {
        let extent = bound.extent();
        let value = number(&Expr::variable(variable, true, ty.clone(), extent))?;
        let (left, right) = (value.ty().range()?, bound.ty().range()?);
        let (lo, hi) = match op {
            Binary::Min => (left.lo().min(right.lo()), left.hi().min(right.hi())),
            _ => (left.lo().max(right.lo()), left.hi().max(right.hi())),
        };
        Some(binary(op, value, bound, lo, hi))
    }
}

impl Sum {
    /// The difference of two expressions; none where they are no integers.
    pub(super) fn difference(lhs: &Expr, rhs: &Expr) -> Option<Self> {
        let mut sum = Self { terms: Vec::new(), constant: 0, extent: lhs.extent() };
        sum.collect(lhs, 1)?;
        sum.collect(rhs, -1)?;
        Some(sum)
    }
    /// The sum and a number.
    pub(super) fn plus(mut self, number: i128) -> Self {
        self.constant += number;
        self
    }
    /// The type of a variable that is one of the summands.
    pub(super) fn type_of(&self, variable: VariableId) -> Option<&Type> {
        self.terms.iter().find(|(expr, _)| variable_of(expr) == Some(variable)).map(|(expr, _)| expr.ty())
    }

    /// Adds an expression times a factor.
    fn collect(&mut self, expr: &Expr, factor: i128) -> Option<()> {
        if !expr.ty().range().is_some_and(|range| range.is_integral()) {
            return None;
        }
        let is_exact = expr.ty().is_exact();
        match expr.kind() {
            Kind::Constant(value) => {
                let product = value.as_integer()?.checked_mul(factor)?;
                self.constant = within(self.constant.checked_add(product)?)?;
            }
            // Conversions of integers do not change them.
            Kind::Unary { op: Unary::Convert, arg } if is_exact && is_integral(arg) => {
                self.collect(arg, factor)?;
            }
            Kind::Unary { op: Unary::Negate, arg } if is_exact => self.collect(arg, -factor)?,
            Kind::Binary { op: Binary::Add, lhs, rhs } if is_exact => {
                self.collect(lhs, factor)?;
                self.collect(rhs, factor)?;
            }
            Kind::Binary { op: Binary::Sub, lhs, rhs } if is_exact => {
                self.collect(lhs, factor)?;
                self.collect(rhs, -factor)?;
            }
            Kind::Binary { op: Binary::Mul, lhs, rhs }
                if is_exact && is_integral(lhs) && is_integral(rhs) =>
            {
                match (lhs.as_constant(), rhs.as_constant()) {
                    (Some(times), _) => {
                        self.collect(rhs, within(factor.checked_mul(times.as_integer()?)?)?)?
                    }
                    (_, Some(times)) => {
                        self.collect(lhs, within(factor.checked_mul(times.as_integer()?)?)?)?
                    }
                    (None, None) => self.add(expr, factor)?,
                }
            }
            _ => self.add(expr, factor)?,
        }
        Some(())
    }
    fn add(&mut self, expr: &Expr, factor: i128) -> Option<()> {
        let same = |known: &&mut (Expr, i128)| known.0.kind() == expr.kind();
        match self.terms.iter_mut().find(same) {
            Some((_, sum)) => *sum = within(sum.checked_add(factor)?)?,
            None => self.terms.push((expr.clone(), factor)),
        }
        Some(())
    }

    /// Takes a variable out; none where the rest depends on it, or does not. Variables that are
    /// pending have no known words.
    pub(super) fn single_out(
        &self,
        variable: VariableId,
        is_pending: &dyn Fn(VariableId) -> bool,
    ) -> Option<Single> {
        let known = Self { terms: Vec::new(), ..*self };
        let mut single = Single { factor: 0, known, open: Vec::new() };
        for (expr, factor) in self.terms.iter().filter(|(_, factor)| *factor != 0) {
            let reads = expr.reads();
            let mut primed = reads.iter().filter(|read| read.primed);
            if variable_of(expr) == Some(variable) {
                single.factor = *factor;
            } else if primed.clone().any(|read| read.variable == variable) {
                return None;
            } else if primed.any(|read| is_pending(read.variable)) {
                single.open.push((expr.clone(), *factor));
            } else {
                single.known.terms.push((expr.clone(), *factor));
            }
        }
        (single.factor != 0).then_some(single)
    }

    /// The sum, with a factor, as an expression.
    fn expr(&self, times: i128) -> Option<Expr> {
        let mut found: Option<Expr> = None;
        // What is added comes first: negations are not needed then.
        let mut terms: Vec<(&Expr, i128)> = Vec::new();
        for (expr, factor) in &self.terms {
            terms.push((expr, factor.checked_mul(times)?));
        }
        terms.sort_by_key(|(_, factor)| *factor < 0);
        let constant = self.constant.checked_mul(times)?;
        for (expr, factor) in terms {
            let value = multiplied(number(expr)?, factor.checked_abs()?)?;
            found = Some(match found {
                None if factor > 0 => value,
                None => added(Binary::Sub, integer(0, self.extent), value)?,
                Some(sum) => added(if factor > 0 { Binary::Add } else { Binary::Sub }, sum, value)?,
            });
        }
        match found {
            None => Some(integer(within(constant)?, self.extent)),
            Some(sum) if constant == 0 => Some(sum),
            Some(sum) => added(Binary::Add, sum, integer(within(constant)?, self.extent)),
        }
    }
}

impl Single {
    /// Whether the words of all others are known.
    pub(super) fn is_known(&self) -> bool {
        self.open.is_empty()
    }
    /// The value of the variable where the sum is 0, if no division is needed.
    pub(super) fn value(&self) -> Option<Expr> {
        if self.factor.abs() == 1 { self.known.expr(-self.factor) } else { None }
    }
    /// Bounds of the variable where the sum is not above 0, and where it is 0 those where it is not
    /// below. `limits` gives the least and the greatest number of variables that are not known.
    pub(super) fn bounds(
        &self,
        is_zero: bool,
        limits: &dyn Fn(VariableId) -> Option<(i128, i128)>,
    ) -> Vec<Bound> {
        let signs: &[i128] = if is_zero { &[1, -1] } else { &[1] };
        signs.iter().filter_map(|&sign| self.bound(sign, limits)).collect()
    }
    /// The bound where the sum times a sign is not above 0.
    fn bound(&self, sign: i128, limits: &dyn Fn(VariableId) -> Option<(i128, i128)>) -> Option<Bound> {
        let mut least = self.known.clone();
        for (expr, factor) in &self.open {
            let range = expr.ty().range()?;
            let of_type = (range.lo(), range.hi());
            let (lo, hi) = variable_of(expr).and_then(limits).unwrap_or(of_type);
            let extreme = if (*factor > 0) == (sign > 0) { lo } else { hi };
            least.constant = within(least.constant.checked_add(factor.checked_mul(extreme)?)?)?;
        }
        let factor = self.factor * sign;
        let divisor = factor.checked_abs()?;
        // `factor * x <= -least`: rounded down for an upper bound, up for a lower one.
        let is_above = factor > 0;
        let (rounding, times) = if is_above { (0, -sign) } else { (sign * (divisor - 1), sign) };
        let numerator = least.plus(rounding).expr(times)?;
        let bound = if divisor == 1 { numerator } else { quotient(numerator, divisor)? };
        Some(if is_above { Bound::Above(bound) } else { Bound::Below(bound) })
    }
}

fn within(number: i128) -> Option<i128> {
    (number.abs() <= MOST).then_some(number)
}
fn is_integral(expr: &Expr) -> bool {
    expr.ty().range().is_some_and(|range| range.is_integral())
}
/// The variable of the step at hand that an expression is.
fn variable_of(expr: &Expr) -> Option<VariableId> {
    match expr.kind() {
        Kind::Variable { variable, primed: true } => Some(*variable),
        _ => None,
    }
}
fn integer(number: i128, extent: Extent) -> Expr {
    Expr::constant(Value::Integer(number), Type::integers(number, number), extent)
}
/// An expression of integers as an exact number.
fn number(expr: &Expr) -> Option<Expr> {
    if matches!(expr.ty(), Type::Number(_)) {
        return Some(expr.clone());
    }
    let range: Range = expr.ty().range()?;
    let arg = Arc::new(expr.clone());
    Some(Expr::new(Kind::Unary { op: Unary::Convert, arg }, Type::Number(range), expr.extent()))
}
fn binary(op: Binary, lhs: Expr, rhs: Expr, lo: i128, hi: i128) -> Expr {
    let extent = lhs.extent();
    let [lhs, rhs] = [lhs, rhs].map(Arc::new);
    Expr::new(Kind::Binary { op, lhs, rhs }, Type::integers(lo, hi), extent)
}
/// The sum or the difference of two exact numbers.
fn added(op: Binary, lhs: Expr, rhs: Expr) -> Option<Expr> {
    let (left, right) = (lhs.ty().range()?, rhs.ty().range()?);
    let (lo, hi) = if op == Binary::Add {
        (left.lo().checked_add(right.lo())?, left.hi().checked_add(right.hi())?)
    } else {
        (left.lo().checked_sub(right.hi())?, left.hi().checked_sub(right.lo())?)
    };
    Some(binary(op, lhs, rhs, within(lo)?, within(hi)?))
}
/// An exact number times one that is not below 0.
fn multiplied(value: Expr, factor: i128) -> Option<Expr> {
    if factor == 1 {
        return Some(value);
    }
    let range = value.ty().range()?;
    let (lo, hi) = (range.lo().checked_mul(factor)?, range.hi().checked_mul(factor)?);
    let factor = integer(factor, value.extent());
    Some(binary(Binary::Mul, value, factor, within(lo)?, within(hi)?))
}
/// An exact number divided by one above 0, rounded down.
fn quotient(value: Expr, divisor: i128) -> Option<Expr> {
    let range = value.ty().range()?;
    let (lo, hi) = (range.lo().div_euclid(divisor), range.hi().div_euclid(divisor));
    let divisor = integer(divisor, value.extent());
    Some(binary(Binary::Quotient, value, divisor, lo, hi))
}
