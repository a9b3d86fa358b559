//! From syntax trees to typed expressions.
//!
//! An exact literal takes the type of what it meets: a machine integer that can hold it, the float
//! nearest to it, a rational. Machine integers compute with machine integers of the same type only
//! (`wrap(u16, x)` makes one of another); comparisons between unequal kinds of integers are exact.

mod arithmetic;
mod comparison;
mod function;
mod written_type;

use crate::code::Code;
use crate::evaluate;
use crate::lexer::Extent;
use crate::parser::{Parsed, Reported};
use crate::scope::{Meaning, Scope};
use crate::syntax::{self, BinaryOp, ExprKind, UnaryOp};
use crate::typed::{Binary, Expr, Kind, Read, Several, Unary};
use crate::types::{Range, Type};
use crate::value::{Fraction, Value, nearest_float, parse_number};
use frontend::diagnostics::{Diagnostic, Diagnostics};
use std::sync::Arc;

/// Most operators, constants and variables of an expression whose definitions are expanded.
pub const MAX_SIZE: u32 = 1 << 18;

/// Deepest typed expression. A sum of that many summands is as deep.
pub const MAX_DEPTH: u32 = 1000;

/// Checks expressions against a scope.
#[derive(Debug)]
pub struct Checker<'a> {
    scope: &'a Scope,
    /// Where messages go.
    pub diagnostics: &'a mut Diagnostics,
}

impl<'a> Checker<'a> {
    /// A checker of expressions with the names of `scope`.
    pub fn new(scope: &'a Scope, diagnostics: &'a mut Diagnostics) -> Self {
        Self { scope, diagnostics }
    }

    /// An expression of any type.
    ///
    /// # Errors
    /// What is wrong with it has been reported; so with all functions of this family.
    pub fn expression(&mut self, expr: &syntax::Expr) -> Parsed<Expr> {
        match &expr.kind {
            ExprKind::Bool(value) => Ok(Expr::truth(*value, expr.extent)),
            ExprKind::Number(text) => self.number(text, expr.extent),
            ExprKind::Name { name, primed } => self.named(name, *primed, expr.extent),
            ExprKind::Unary { op: UnaryOp::Not, arg } => Ok(self.operand_of_not(arg, expr.extent)?.negated()),
            ExprKind::Unary { op: UnaryOp::Negate, arg } => {
                let arg = self.expression(arg)?;
                self.negation(arg, expr.extent)
            }
            ExprKind::Chain { first, rest } => self.chain(first, rest, expr.extent),
            ExprKind::In { arg, set } => self.membership(arg, set, expr.extent),
            ExprKind::If { condition, then, otherwise } => {
                let condition = self.condition(condition);
                let (then, otherwise) = (self.expression(then), self.expression(otherwise));
                self.choice(condition?, then?, otherwise?, expr.extent)
            }
            ExprKind::Call { function, args } => self.call(*function, args, expr.extent),
            ExprKind::Cast { cast, ty, arg } => self.cast(*cast, ty, arg, expr.extent),
        }
    }
    /// A truth.
    pub fn condition(&mut self, expr: &syntax::Expr) -> Parsed<Expr> {
        let checked = self.expression(expr)?;
        self.expect_truth(checked)
    }
    /// A value that is known before any step, and its type.
    pub fn constant(&mut self, expr: &syntax::Expr) -> Parsed<(Value, Type)> {
        let checked = self.expression(expr)?;
        if let Some(value) = checked.as_constant() {
            return Ok((value.clone(), checked.ty().clone()));
        }
        let place = checked.reads().first().map_or(expr.extent, |read| read.extent);
        self.error(Code::NotConstant, place, "this value has to be known before any step");
        Err(Reported)
    }
    /// A number that is known before any step.
    pub fn constant_number(&mut self, expr: &syntax::Expr) -> Parsed<Fraction> {
        let (value, ty) = self.constant(expr)?;
        match value.as_fraction() {
            Some(fraction) => Ok(fraction),
            None => {
                self.error(Code::TypeMismatch, expr.extent, format!("expected a number, found {ty}"));
                Err(Reported)
            }
        }
    }
    /// A value for a variable of type `target`: of that type, or for exact numbers of any range;
    /// whether it lies in the target's is asked of [`Fit`](crate::fit::Fit) and, in each state, of
    /// [`Lowering::assigned`](crate::lower::Lowering::assigned) or [`Type::contains`].
    pub fn assigned(&mut self, expr: &syntax::Expr, target: &Type) -> Parsed<Expr> {
        let checked = self.expression(expr)?;
        self.coerced(checked, target)
    }
    /// As [`Checker::assigned`], of an expression that has been checked.
    pub fn coerced(&mut self, expr: Expr, target: &Type) -> Parsed<Expr> {
        let extent = expr.extent();
        let fits = match (target, expr.ty()) {
            (Type::Number(_) | Type::Set(_), Type::Number(_) | Type::Set(_) | Type::Machine { .. }) => {
                // Lowering compares both in their common step.
                let ranges = expr.ty().range().zip(target.range());
                if ranges.and_then(|(found, wanted)| found.aligned(&wanted)).is_none() {
                    return Err(self.too_wide(extent));
                }
                return if expr.ty().is_exact() { Ok(expr) } else { self.exact(expr) };
            }
            (Type::Rational, Type::Number(_) | Type::Set(_) | Type::Machine { .. }) => true,
            (Type::Machine { .. }, Type::Number(_) | Type::Set(_)) => {
                let wanted = target.range();
                let found = expr.ty().range();
                let one = Fraction::from_integer(1);
                let found = found.and_then(|range| range.rescaled(one));
                matches!((wanted, found), (Some(wanted), Some(found)) if wanted.contains(found.lo()) && wanted.contains(found.hi()))
            }
            (Type::Float(_), Type::Number(_)) => expr.as_constant().is_some(),
            (wanted, found) => wanted == found,
        };
        if fits {
            return Ok(convert(expr, target.clone()));
        }
        let message = format!("expected {target}, found {}", describe(&expr));
        let is_integer = |ty: &Type| ty.range().is_some();
        let is_wrappable = matches!(target, Type::Machine { .. }) && is_integer(expr.ty());
        let error = self.error(Code::TypeMismatch, extent, message);
        if is_wrappable {
            error.advice(format!("`wrap({target}, ...)` or `clamp({target}, ...)` makes one of it"));
        }
        Err(Reported)
    }
    /// The same expression with all variables primed.
    pub fn primed(&mut self, expr: &Expr) -> Parsed<Expr> {
        for read in expr.reads() {
            self.check_primed(read)?;
        }
        Ok(expr.with_variables(&mut |read, ty| Expr::variable(read.variable, true, ty.clone(), read.extent)))
    }

    fn check_primed(&mut self, read: Read) -> Parsed<()> {
        let variable = self.scope.variable(read.variable);
        let message = if read.primed {
            format!("`{}'` has a prime already: only one step can be looked ahead", variable.name)
        } else if !variable.can_be_primed {
            format!("the {} `{}` has no value after the step: no prime", variable.role, variable.name)
        } else {
            return Ok(());
        };
        let declared = variable.extent.span;
        self.error(Code::NotPrimed, read.extent, message).related("declared here", declared);
        Err(Reported)
    }

    fn number(&mut self, text: &str, extent: Extent) -> Parsed<Expr> {
        match parse_number(text) {
            Some(number) => Ok(exact_constant(number, extent)),
            None => {
                self.error(Code::BadNumber, extent, format!("`{text}` needs more than 128 bits"));
                Err(Reported)
            }
        }
    }
    fn named(&mut self, name: &str, primed: bool, extent: Extent) -> Parsed<Expr> {
        let expr = match self.scope.meaning(name) {
            Some(Meaning::Variable(variable)) => {
                let ty = self.scope.variable(*variable).ty.clone();
                let read = Read { variable: *variable, primed: false, extent };
                if primed {
                    self.check_primed(read)?;
                }
                return Ok(Expr::variable(*variable, primed, ty, extent));
            }
            Some(Meaning::Constant(value, ty)) => Expr::constant(value.clone(), ty.clone(), extent),
            Some(Meaning::Definition(expr)) => Expr::clone(expr).at(extent),
            Some(Meaning::Broken) => return Err(Reported),
            Some(Meaning::Type(_)) => {
                self.error(Code::WrongKind, extent, format!("`{name}` is a type, not a value"));
                return Err(Reported);
            }
            None => return Err(self.scope.unknown(name, extent, "variable or constant", self.diagnostics)),
        };
        if primed && expr.as_constant().is_some() {
            self.error(Code::NotPrimed, extent, format!("`{name}` is constant: no prime"));
            return Err(Reported);
        }
        if primed { self.primed(&expr) } else { Ok(expr) }
    }

    fn operand_of_not(&mut self, arg: &syntax::Expr, extent: Extent) -> Parsed<Expr> {
        let checked = self.expression(arg)?;
        if *checked.ty() == Type::Bool {
            return Ok(checked);
        }
        let message = format!("`not` needs a bool, found {}", describe(&checked));
        self.error(Code::TypeMismatch, extent, message)
            .advice("`not` binds more than comparisons: write `not (a < b)`");
        Err(Reported)
    }
    fn expect_truth(&mut self, expr: Expr) -> Parsed<Expr> {
        if *expr.ty() == Type::Bool {
            return Ok(expr);
        }
        let message = format!("expected a bool, found {}", describe(&expr));
        self.error(Code::TypeMismatch, expr.extent(), message);
        Err(Reported)
    }

    /// The operators of one level.
    fn chain(&mut self, first: &syntax::Expr, rest: &[syntax::Link], extent: Extent) -> Parsed<Expr> {
        use BinaryOp::*;
        let op = rest.first().map(|link| link.op);
        match op {
            Some(And) => {
                let args =
                    self.conditions(std::iter::once(first).chain(rest.iter().map(|link| &link.operand)))?;
                return self.checked(Expr::all(args, extent));
            }
            Some(Or) if rest.iter().all(|link| link.op == Or) => {
                let args =
                    self.conditions(std::iter::once(first).chain(rest.iter().map(|link| &link.operand)))?;
                return self.checked(Expr::any(args, extent));
            }
            Some(Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual) => {
                return self.comparisons(first, rest, extent);
            }
            _ => {}
        }
        let mut left = self.expression(first);
        for link in rest {
            let right = self.expression(&link.operand);
            left = match (left, right) {
                (Ok(left), Ok(right)) => {
                    let until = left.extent().until(right.extent());
                    self.binary(link.op, left, right, link.place, until)
                }
                _ => Err(Reported),
            };
        }
        left.map(|left| left.at(extent))
    }
    /// Truths, all of which are looked at before the first error returns.
    fn conditions<'e>(&mut self, exprs: impl Iterator<Item = &'e syntax::Expr>) -> Parsed<Vec<Expr>> {
        let checked: Vec<Parsed<Expr>> = exprs.map(|expr| self.condition(expr)).collect();
        checked.into_iter().collect()
    }
    fn binary(&mut self, op: BinaryOp, lhs: Expr, rhs: Expr, place: Extent, extent: Extent) -> Parsed<Expr> {
        use BinaryOp::*;
        match op {
            Or | Xor | Implies | Iff => {
                let (lhs, rhs) = (self.expect_truth(lhs), self.expect_truth(rhs));
                let (lhs, rhs) = (lhs?, rhs?);
                match op {
                    Or => self.checked(Expr::any([lhs, rhs], extent)),
                    Implies => self.checked(Expr::any([lhs.negated(), rhs], extent)),
                    Xor => self.build_binary(Binary::Xor, lhs, rhs, Type::Bool, extent),
                    _ => self.build_binary(Binary::Equal, lhs, rhs, Type::Bool, extent),
                }
            }
            And | Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => {
                self.comparison(op, lhs, rhs, place, extent)
            }
            Mul | Div | Quotient | Remainder | Add | Sub => self.arithmetic(op, lhs, rhs, place, extent),
        }
    }
    fn choice(&mut self, condition: Expr, then: Expr, otherwise: Expr, extent: Extent) -> Parsed<Expr> {
        let (then, otherwise) = match (then.ty(), otherwise.ty()) {
            (left, right) if left == right && left.range().is_none() => (then, otherwise),
            _ => self.alike(then, otherwise, "the two cases of `if`", extent)?,
        };
        let ty = match (then.ty(), otherwise.ty()) {
            (Type::Number(left), Type::Number(right)) => Type::Number(left.hull(right)),
            (ty, _) => ty.clone(),
        };
        let [condition, then, otherwise] = [condition, then, otherwise].map(Arc::new);
        self.build(Kind::If { condition, then, otherwise }, ty, extent)
    }

    // ---- making expressions ----

    fn build_unary(&mut self, op: Unary, arg: Expr, ty: Type, extent: Extent) -> Parsed<Expr> {
        self.build(Kind::Unary { op, arg: Arc::new(arg) }, ty, extent)
    }
    fn build_binary(&mut self, op: Binary, lhs: Expr, rhs: Expr, ty: Type, extent: Extent) -> Parsed<Expr> {
        self.build(Kind::Binary { op, lhs: Arc::new(lhs), rhs: Arc::new(rhs) }, ty, extent)
    }
    fn build_several(&mut self, op: Several, args: Vec<Expr>, ty: Type, extent: Extent) -> Parsed<Expr> {
        self.build(Kind::Several { op, args: args.into_iter().map(Arc::new).collect() }, ty, extent)
    }
    fn build(&mut self, kind: Kind, ty: Type, extent: Extent) -> Parsed<Expr> {
        let expr = Expr::new(kind, ty, extent);
        self.checked(expr)
    }
    /// Folds an expression of constants, and refuses one that is too large.
    fn checked(&mut self, expr: Expr) -> Parsed<Expr> {
        if expr.size() > MAX_SIZE || expr.depth() > MAX_DEPTH {
            let message = "this expression is too large, with its definitions expanded";
            self.error(Code::TooDeep, expr.extent(), message).advice(format!(
                "at most {MAX_SIZE} operators, {MAX_DEPTH} within each other; parentheses around the halves of long sums help"
            ));
            return Err(Reported);
        }
        let mut is_constant = !matches!(expr.kind(), Kind::Variable { .. });
        expr.kind().for_each_operand(|operand| is_constant &= operand.as_constant().is_some());
        if !is_constant || expr.as_constant().is_some() {
            return Ok(expr);
        }
        let Some(value) = evaluate::closed(&expr) else {
            let message = "this divides by zero";
            self.error(Code::DivisionByZero, expr.extent(), message);
            return Err(Reported);
        };
        let ty = match (expr.ty(), value.as_fraction()) {
            (Type::Number(_), Some(number)) => Type::Number(Range::single(number)),
            (ty, _) => ty.clone(),
        };
        Ok(Expr::constant(value, ty, expr.extent()))
    }
    fn error(&mut self, code: Code, place: Extent, message: impl Into<String>) -> &mut Diagnostic {
        self.diagnostics.error(code, Some(place.span), message)
    }
    fn too_wide(&mut self, place: Extent) -> Reported {
        self.error(Code::TooWide, place, "the values of this need more than 128 bits")
            .advice("smaller ranges or coarser steps of the variables in it help, or `clamp`");
        Reported
    }
}

/// An expression as messages call it: a constant by its value, all else by its type.
fn describe(expr: &Expr) -> String {
    match expr.as_constant() {
        Some(value) => expr.ty().show(value),
        None => expr.ty().to_string(),
    }
}

/// An exact constant.
fn exact_constant(number: Fraction, extent: Extent) -> Expr {
    Expr::constant(Value::fraction(number), Type::Number(Range::single(number)), extent)
}

/// An expression in another type that has all of its values, or the float nearest to a constant.
fn convert(expr: Expr, ty: Type) -> Expr {
    if *expr.ty() == ty {
        return expr;
    }
    let extent = expr.extent();
    match (expr.as_constant(), &ty) {
        (Some(value), Type::Float(format)) => {
            let bits = value.as_number().map(|number| nearest_float(&number, *format));
            Expr::constant(Value::Float(*format, bits.unwrap_or_default()), ty, extent)
        }
        (Some(value), _) => Expr::constant(value.clone(), ty, extent),
        (None, _) => Expr::new(Kind::Unary { op: Unary::Convert, arg: Arc::new(expr) }, ty, extent),
    }
}
