//! Changes of one place of an expression.

use spec::language::TIMED;
use spec::lexer::Extent;
use spec::print::expression;
use spec::syntax::{BinaryOp, Expr, ExprKind, Level, Link, Set, UnaryOp};
use spec::value::{Fraction, Value, parse_number};

/// Changes expressions.
pub(super) struct Rewriting<'a> {
    /// Names of constants.
    pub(super) constants: Vec<&'a str>,
}

/// An expression with one change.
pub(super) struct Rewritten {
    /// Where the changed part stands.
    pub(super) extent: Extent,
    /// What stands there now.
    pub(super) new: String,
    /// The whole expression.
    pub(super) whole: Expr,
}

impl Rewriting<'_> {
    /// Each relation becomes others.
    pub(super) fn relations(&self, expr: &Expr) -> Vec<Rewritten> {
        everywhere(expr, &|expr| {
            let ExprKind::Chain { rest, .. } = &expr.kind else { return Vec::new() };
            let mut found = Vec::new();
            for (position, link) in rest.iter().enumerate() {
                for &op in others(link.op) {
                    let mut whole = expr.clone();
                    if let ExprKind::Chain { rest, .. } = &mut whole.kind {
                        rest[position].op = op;
                    }
                    found.push(Rewritten { extent: link.place, new: op.text().to_owned(), whole });
                }
            }
            found
        })
    }
    /// Each number becomes one more, one less.
    pub(super) fn constants(&self, expr: &Expr) -> Vec<Rewritten> {
        everywhere(expr, &|expr| {
            let is_constant = match &expr.kind {
                ExprKind::Number(_) => true,
                ExprKind::Name { name, primed: false } => self.constants.contains(&name.as_str()),
                _ => false,
            };
            let found = if is_constant { self.neighbours(expr) } else { Vec::new() };
            let rewritten = |whole: Expr| {
                let new = expression(&whole, &TIMED);
                Rewritten { extent: expr.extent, new, whole }
            };
            found.into_iter().map(rewritten).collect()
        })
    }
    /// One more and one less than a number.
    pub(super) fn neighbours(&self, expr: &Expr) -> Vec<Expr> {
        let number = match &expr.kind {
            ExprKind::Number(text) => parse_number(text),
            _ => None,
        };
        let one = Fraction::from_integer(1);
        match number {
            Some(number) => [number + one, number - one].map(|value| literal(value, expr.extent)).into(),
            None => [BinaryOp::Add, BinaryOp::Sub].map(|op| sum(expr, op)).into(),
        }
    }
}

/// A relation changes to its neighbours: towards or away from its limit, `=` in both directions.
fn others(op: BinaryOp) -> &'static [BinaryOp] {
    match op {
        BinaryOp::Less => &[BinaryOp::LessEqual],
        BinaryOp::LessEqual => &[BinaryOp::Less],
        BinaryOp::Greater => &[BinaryOp::GreaterEqual],
        BinaryOp::GreaterEqual => &[BinaryOp::Greater],
        BinaryOp::Equal => &[BinaryOp::NotEqual, BinaryOp::LessEqual, BinaryOp::GreaterEqual],
        BinaryOp::NotEqual => &[BinaryOp::Equal],
        _ => &[],
    }
}

fn literal(value: Fraction, extent: Extent) -> Expr {
    let is_negative = *value.numer() < 0;
    let size = if is_negative { -value } else { value };
    let number = Expr { kind: ExprKind::Number(Value::fraction(size).to_string()), extent };
    match is_negative {
        true => Expr { kind: ExprKind::Unary { op: UnaryOp::Negate, arg: Box::new(number) }, extent },
        false => number,
    }
}

/// An expression and 1, with an operator between.
fn sum(expr: &Expr, op: BinaryOp) -> Expr {
    let extent = expr.extent;
    let link = Link { op, place: extent, operand: literal(Fraction::from_integer(1), extent) };
    // Operators of one level stand side by side in a tree.
    let kind = match &expr.kind {
        ExprKind::Chain { first, rest } if expr.level() == Level::Sum => {
            ExprKind::Chain { first: first.clone(), rest: rest.iter().cloned().chain([link]).collect() }
        }
        _ => ExprKind::Chain { first: Box::new(expr.clone()), rest: vec![link] },
    };
    Expr { kind, extent }
}

/// All ways to change one place of an expression.
fn everywhere(expr: &Expr, here: &dyn Fn(&Expr) -> Vec<Rewritten>) -> Vec<Rewritten> {
    let mut found = here(expr);
    let mut copy = expr.clone();
    for position in 0..operands(&mut copy).len() {
        let inner = operands(&mut copy).swap_remove(position).clone();
        for one in everywhere(&inner, here) {
            let mut whole = expr.clone();
            *operands(&mut whole).swap_remove(position) = one.whole;
            found.push(Rewritten { whole, ..one });
        }
    }
    found
}

/// The operands of an expression, in the order of the text.
fn operands(expr: &mut Expr) -> Vec<&mut Expr> {
    match &mut expr.kind {
        ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Name { .. } => Vec::new(),
        ExprKind::Unary { arg, .. } | ExprKind::Cast { arg, .. } => vec![arg],
        ExprKind::Chain { first, rest } => {
            std::iter::once(&mut **first).chain(rest.iter_mut().map(|link| &mut link.operand)).collect()
        }
        ExprKind::In { arg, set: Set::Range(low, high) } => vec![arg, low, high],
        ExprKind::In { arg, set: Set::Values(values) } => std::iter::once(&mut **arg).chain(values).collect(),
        ExprKind::If { condition, then, otherwise } => vec![condition, then, otherwise],
        ExprKind::Call { args, .. } => args.iter_mut().collect(),
    }
}
