//! Where an expression is defined, as an expression.

use crate::lexer::Extent;
use crate::typed::{Binary, Expr, Kind, Several};
use crate::types::{Range, Type};
use crate::value::Value;
use std::sync::Arc;

impl Expr {
    /// The condition under which this has a value; itself always defined. See the [module
    /// text](crate::typed) for when a value is missing.
    pub fn defined(&self) -> Self {
        let extent = self.extent();
        match self.kind() {
            Kind::Constant(_) | Kind::Variable { .. } => Self::truth(true, extent),
            Kind::Unary { arg, .. } => arg.defined(),
            Kind::Binary { op, lhs, rhs } => {
                let mut all = vec![lhs.defined(), rhs.defined()];
                if matches!(op, Binary::Quotient | Binary::Remainder | Binary::Div) {
                    all.extend(nonzero(rhs));
                }
                Self::all(all, extent)
            }
            Kind::Several { op: Several::Count, args } => {
                Self::all(args.iter().map(|arg| arg.defined()), extent)
            }
            Kind::Several { op, args } => lazily_defined(*op, args, extent),
            Kind::If { condition, then, otherwise } => {
                let (then, otherwise) = (then.defined(), otherwise.defined());
                let choice = chosen(condition, then, otherwise, extent);
                Self::all([condition.defined(), choice], extent)
            }
        }
    }
}

/// A condition on one operand matters where those before it do not decide.
fn lazily_defined(op: Several, args: &[Arc<Expr>], extent: Extent) -> Expr {
    let mut all = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        let condition = arg.defined();
        if is_true(&condition) {
            continue;
        }
        // An operand before it decides: it does not hold in a conjunction, it holds in a
        // disjunction.
        let before = args[..index].iter().map(|before| {
            let before = Expr::clone(before);
            if op == Several::And { before.negated() } else { before }
        });
        all.push(Expr::any(before.chain([condition]).collect::<Vec<_>>(), extent));
    }
    Expr::all(all, extent)
}

fn chosen(condition: &Expr, then: Expr, otherwise: Expr, extent: Extent) -> Expr {
    if is_true(&then) && is_true(&otherwise) {
        return then;
    }
    let [condition, then, otherwise] = [condition.clone(), then, otherwise].map(Arc::new);
    Expr::new(Kind::If { condition, then, otherwise }, Type::Bool, extent)
}

fn is_true(expr: &Expr) -> bool {
    *expr.kind() == Kind::Constant(Value::Bool(true))
}

/// That a divisor is not 0; nothing where it cannot be, or where 0 divides as well (floats).
fn nonzero(divisor: &Expr) -> Option<Expr> {
    if matches!(divisor.ty(), Type::Float(_)) || divisor.ty().range().is_some_and(|range| !range.contains(0))
    {
        return None;
    }
    if let Some(value) = divisor.as_constant() {
        let is_zero = *value == Value::Integer(0);
        return is_zero.then(|| Expr::truth(false, divisor.extent()));
    }
    let ty = match divisor.ty() {
        Type::Number(range) => Type::Number(Range::new(0, 0, range.step()).unwrap_or(*range)),
        ty => ty.clone(),
    };
    let zero = Expr::constant(Value::Integer(0), ty, divisor.extent());
    let [lhs, rhs] = [divisor.clone(), zero].map(Arc::new);
    let is_zero = Expr::new(Kind::Binary { op: Binary::Equal, lhs, rhs }, Type::Bool, divisor.extent());
    Some(is_zero.negated())
}
