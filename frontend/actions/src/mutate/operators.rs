//! What each operator does to an expression or a statement.

use super::walk::Place;
use super::{Mutation, Operator, Operators, Replacement};
use crate::syntax::{Body, BodyKind};
use crate::system::System;
use spec::lexer::Extent;
use spec::scope::Meaning;
use spec::syntax::{BinaryOp, Expr, ExprKind, UnaryOp};
use spec::types::Type;
use spec::value::Value;

/// Collects mutations.
pub(super) struct Finder<'a> {
    pub(super) system: &'a System,
    pub(super) operators: &'a Operators,
    pub(super) found: Vec<Mutation>,
}

impl Finder<'_> {
    fn wants(&self, operator: Operator) -> bool {
        self.operators.0.contains(&operator)
    }
    fn add(&mut self, operator: Operator, number: usize, old: &Expr, new: ExprKind) {
        if self.wants(operator) {
            let new = Expr { kind: new, extent: old.extent };
            self.found.push(Mutation::of_expr(operator, number, old, new));
        }
    }

    pub(super) fn expr(&mut self, number: usize, expr: &Expr, place: &Place) {
        if place.is_guard {
            for (operator, holds) in [(Operator::GuardTrue, true), (Operator::GuardFalse, false)] {
                if expr.kind != ExprKind::Bool(holds) {
                    self.add(operator, number, expr, ExprKind::Bool(holds));
                }
            }
        }
        match &expr.kind {
            ExprKind::Chain { rest, .. } => {
                for (position, link) in rest.iter().enumerate() {
                    self.link(number, expr, position, link.op);
                }
            }
            ExprKind::Number(_) | ExprKind::Name { .. } | ExprKind::Unary { .. } => {
                self.constant(number, expr, place);
            }
            _ => {}
        }
    }

    pub(super) fn body(&mut self, number: usize, body: &Body) {
        if self.wants(Operator::Removed) && matches!(body.kind, BodyKind::Assign(_) | BodyKind::Any { .. }) {
            let new = Body { kind: BodyKind::Skip, extent: body.extent };
            self.found.push(Mutation::of_body(Operator::Removed, number, body, new));
        }
    }

    /// An operator of a chain. The place is that of the operator.
    fn link(&mut self, number: usize, expr: &Expr, position: usize, op: BinaryOp) {
        use BinaryOp::*;
        let (operator, other) = match op {
            Equal => (Operator::Equal, NotEqual),
            NotEqual => (Operator::NotEqual, Equal),
            Less => (Operator::Boundary, LessEqual),
            LessEqual => (Operator::Boundary, Less),
            Greater => (Operator::Boundary, GreaterEqual),
            GreaterEqual => (Operator::Boundary, Greater),
            And => (Operator::Connective, Or),
            Or => (Operator::Connective, And),
            Add => (Operator::Arithmetic, Sub),
            Sub => (Operator::Arithmetic, Add),
            _ => return,
        };
        if let Some((changed, place)) = exchanged(expr, position, other)
            && self.wants(operator)
        {
            let mut mutation = Mutation::of_expr(operator, number, expr, changed);
            mutation.replacement = Replacement::Operator(number, position, other);
            mutation.extent = place;
            (mutation.old, mutation.new) = (op.text().to_owned(), other.text().to_owned());
            self.found.push(mutation);
        }
        let is_single = matches!(&expr.kind, ExprKind::Chain { rest, .. } if rest.len() == 1);
        if operator == Operator::Boundary && is_single {
            let before = self.found.len();
            self.add(Operator::Negated, number, expr, negated(expr));
            let added = self.found[before..].iter_mut();
            added.for_each(|mutation| mutation.replacement = Replacement::Negation(number));
        }
    }

    fn constant(&mut self, number: usize, expr: &Expr, place: &Place) {
        let Some((value, ty)) = self.value(expr) else { return };
        let up = if place.is_initial { Operator::Initial } else { Operator::Constant };
        for (operator, is_up) in [(up, true), (Operator::ConstantMinus, false)] {
            let wrap = place.meets.as_ref();
            if let Some(new) = neighbour(&value, ty.as_ref(), wrap, is_up, expr.extent) {
                self.add(operator, number, expr, new);
            }
        }
    }

    /// The value of an integer constant or enumerator, with the type of the latter.
    fn value(&self, expr: &Expr) -> Option<(Value, Option<Type>)> {
        match &expr.kind {
            ExprKind::Number(text) => Some((Value::Integer(text.parse().ok()?), None)),
            ExprKind::Unary { op: UnaryOp::Negate, arg } => match &arg.kind {
                ExprKind::Number(text) => Some((Value::Integer(-text.parse::<i128>().ok()?), None)),
                _ => None,
            },
            ExprKind::Name { name, primed: false } => match self.system.scope.meaning(name)? {
                Meaning::Constant(value @ Value::Integer(_), _) => Some((value.clone(), None)),
                Meaning::Constant(value @ Value::Enumerator(_), ty) => {
                    Some((value.clone(), Some(ty.clone())))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// The negation of an expression.
pub(super) fn negated(expr: &Expr) -> ExprKind {
    ExprKind::Unary { op: UnaryOp::Not, arg: Box::new(expr.clone()) }
}

/// The chain with another operator at a position, and where that stands. Where the operators of a
/// level differ, the parts of the chain that bind otherwise are grouped anew.
pub(super) fn exchanged(expr: &Expr, position: usize, op: BinaryOp) -> Option<(Expr, Extent)> {
    let ExprKind::Chain { first, rest } = &expr.kind else { return None };
    let place = rest.get(position)?.place;
    if rest.iter().all(|link| link.op.level() == op.level()) {
        let mut changed = expr.clone();
        if let ExprKind::Chain { rest, .. } = &mut changed.kind {
            rest[position].op = op;
        }
        return Some((changed, place));
    }
    // `a and b and c` with the second `and` an `or` means `(a and b) or c`.
    let part = |first: Expr, rest: Vec<spec::syntax::Link>| match rest.is_empty() {
        true => first,
        false => {
            let extent = rest.last().map_or(first.extent, |last| first.extent.until(last.operand.extent));
            Expr { kind: ExprKind::Chain { first: Box::new(first), rest }, extent }
        }
    };
    let left = part((**first).clone(), rest[..position].to_vec());
    let right = part(rest[position].operand.clone(), rest[position + 1..].to_vec());
    let link = spec::syntax::Link { op, place, operand: right };
    Some((part(left, vec![link]), place))
}

/// The constant after a value, or before it. One that is compared with or assigned to a variable of
/// type `wrap` goes round at the bounds of that.
fn neighbour(
    value: &Value,
    ty: Option<&Type>,
    wrap: Option<&Type>,
    is_up: bool,
    extent: Extent,
) -> Option<ExprKind> {
    match (value, ty) {
        (Value::Enumerator(index), Some(Type::Enum(enumeration))) => {
            let count = enumeration.names.len();
            let next = (*index as usize + if is_up { 1 } else { count - 1 }) % count;
            let name = &enumeration.names[next];
            (count > 1).then(|| ExprKind::Name { name: name.clone(), primed: false })
        }
        (Value::Integer(value), _) => {
            let next = match wrap.and_then(|ty| around(*value, ty, is_up)) {
                Some(next) => next,
                None => value.checked_add(if is_up { 1 } else { -1 })?,
            };
            (next != *value).then(|| number(next, extent))
        }
        _ => None,
    }
}

/// The integer on the other side of a type, where a value stands at the bound.
fn around(value: i128, ty: &Type, is_up: bool) -> Option<i128> {
    if let Type::Set(set) = ty
        && set.range().is_integral()
    {
        let units = set.units();
        let at = units.binary_search(&value).ok()?;
        let count = units.len();
        return Some(units[(at + if is_up { 1 } else { count - 1 }) % count]);
    }
    let range = ty.range().filter(spec::types::Range::is_integral)?;
    let (from, to) = if is_up { (range.hi(), range.lo()) } else { (range.lo(), range.hi()) };
    (value == from).then_some(to)
}

fn number(value: i128, extent: Extent) -> ExprKind {
    let digits = ExprKind::Number(value.unsigned_abs().to_string());
    if value >= 0 {
        return digits;
    }
    ExprKind::Unary { op: UnaryOp::Negate, arg: Box::new(Expr { kind: digits, extent }) }
}
