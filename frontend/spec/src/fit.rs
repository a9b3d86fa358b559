//! Whether values of an expression can leave the type of the variable that they are assigned to,
//! as far as ranges tell.

use crate::typed::Expr;
use crate::types::Type;

/// Whether an expression's values lie in a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// All of them do.
    Always,
    /// Ranges do not tell: there may be states with values outside, reachable or not.
    Perhaps,
    /// None of them does.
    Never,
}

/// Whether the values of an expression, which
/// [`Checker::assigned`](crate::check::Checker::assigned) has allowed for `target`, lie in it.
/// Undefined values are not considered.
pub fn fit(expr: &Expr, target: &Type) -> Fit {
    if let Some(value) = expr.as_constant() {
        return if target.contains(value) { Fit::Always } else { Fit::Never };
    }
    if expr.ty() == target {
        return Fit::Always;
    }
    let Some((found, wanted)) = expr.ty().range().zip(target.range()) else { return Fit::Always };
    let Some((left, right)) = found.aligned(&wanted) else { return Fit::Perhaps };
    if left.hi() < right.lo() || right.hi() < left.lo() {
        return Fit::Never;
    }
    let is_inside = right.lo() <= left.lo() && left.hi() <= right.hi();
    let is_on_grid = found.factor(wanted.step()).is_some();
    let is_dense = !matches!(target, Type::Set(_));
    if is_inside && is_on_grid && is_dense { Fit::Always } else { Fit::Perhaps }
}
