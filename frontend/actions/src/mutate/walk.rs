//! All expressions and statements of a file that operators may change, each with a number.
//!
//! Constants of declarations, bounds of types and of `:in` are left out: they are no part of what
//! an action does.

use crate::syntax::{Body, BodyKind, File, Item};
use spec::syntax::{Common, Expr, ExprKind, Level, Set};
use spec::types::Type;
use std::ops::Range;

/// What is visited.
pub(super) enum Node<'a> {
    /// An expression.
    Expr(&'a mut Expr),
    /// A statement or a composition of them.
    Body(&'a mut Body),
}

/// Where an expression stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// It is a guard.
    pub(super) is_guard: bool,
    /// It is an initial value, or a part of one.
    pub(super) is_initial: bool,
    /// The type of the variable that it is compared with or assigned to.
    pub(super) meets: Option<Type>,
    action: Option<String>,
}

/// The type of the variable of a name, within an action.
pub(super) type Lookup<'a> = dyn Fn(&str, Option<&str>) -> Option<Type> + 'a;

/// Calls `visit` with each node behind its parts, with its number, those of its parts behind that,
/// and its place.
pub(super) fn walk(file: &mut File, lookup: &Lookup<'_>, visit: &mut Visit<'_>) {
    let mut walker = Walker { next: 0, lookup, visit };
    for item in &mut file.items {
        match item {
            Item::Common(Common::Define { body, .. }) => walker.expr(body, Place::default()),
            Item::Common(_) | Item::Block(_) => {}
            Item::Variable(variable) => {
                let meets = (walker.lookup)(&variable.name.text, None);
                walker.expr(&mut variable.initial, Place { is_initial: true, meets, ..Place::default() });
            }
            Item::Action(action) => {
                let inside = Place { action: Some(action.name.text.clone()), ..Place::default() };
                if let Some(guard) = &mut action.guard {
                    walker.expr(guard, Place { is_guard: true, ..inside.clone() });
                }
                walker.body(&mut action.body, &inside);
            }
        }
    }
}

type Visit<'v> = dyn FnMut(Range<usize>, Node<'_>, &Place) + 'v;

struct Walker<'a, 'v> {
    next: usize,
    lookup: &'a Lookup<'a>,
    visit: &'a mut Visit<'v>,
}

impl Walker<'_, '_> {
    fn number(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// Parts are walked before the whole is visited, as what `visit` puts in its place has other
    /// parts.
    fn body(&mut self, body: &mut Body, inside: &Place) {
        let number = self.number();
        match &mut body.kind {
            BodyKind::Skip | BodyKind::Any { .. } => {}
            BodyKind::Assign(assignment) => {
                for (target, value) in assignment.targets.iter().zip(&mut assignment.values) {
                    let meets = (self.lookup)(&target.text, None);
                    self.expr(value, Place { meets, ..inside.clone() });
                }
            }
            BodyKind::Guarded { guard, body } => {
                self.expr(guard, Place { is_guard: true, ..inside.clone() });
                self.body(body, inside);
            }
            BodyKind::Sequence(parts) | BodyKind::Prioritised(parts) | BodyKind::Choice(parts) => {
                parts.iter_mut().for_each(|part| self.body(part, inside));
            }
        }
        (self.visit)(number..self.next, Node::Body(body), inside);
    }

    fn expr(&mut self, expr: &mut Expr, place: Place) {
        let number = self.number();
        let plain = Place { is_guard: false, meets: None, ..place.clone() };
        let is_comparison = expr.level() == Level::Compare;
        match &mut expr.kind {
            ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Name { .. } => {}
            // A negative number is one constant.
            ExprKind::Unary { arg, .. } if matches!(arg.kind, ExprKind::Number(_)) => {}
            ExprKind::Unary { arg, .. } | ExprKind::Cast { arg, .. } => self.expr(arg, plain),
            ExprKind::Chain { first, rest } => {
                let mut operands: Vec<&mut Expr> = vec![first];
                operands.extend(rest.iter_mut().map(|link| &mut link.operand));
                let types: Vec<Option<Type>> =
                    operands.iter().map(|operand| self.ty(operand, &plain)).collect();
                for (position, operand) in operands.into_iter().enumerate() {
                    let before = position.checked_sub(1).and_then(|before| types[before].clone());
                    let meets = before.or_else(|| types.get(position + 1).cloned().flatten());
                    let meets = if is_comparison { meets } else { None };
                    self.expr(operand, Place { meets, ..plain.clone() });
                }
            }
            ExprKind::In { arg, set } => {
                let meets = self.ty(arg, &plain);
                self.expr(arg, plain.clone());
                let values: Vec<&mut Expr> = match set {
                    Set::Range(lo, hi) => vec![lo, hi],
                    Set::Values(values) => values.iter_mut().collect(),
                };
                for value in values {
                    self.expr(value, Place { meets: meets.clone(), ..plain.clone() });
                }
            }
            ExprKind::If { condition, then, otherwise } => {
                self.expr(condition, plain.clone());
                for value in [then, otherwise] {
                    self.expr(value, Place { meets: place.meets.clone(), ..plain.clone() });
                }
            }
            ExprKind::Call { args, .. } => args.iter_mut().for_each(|arg| self.expr(arg, plain.clone())),
        }
        (self.visit)(number..self.next, Node::Expr(expr), &place);
    }

    fn ty(&self, expr: &Expr, place: &Place) -> Option<Type> {
        match &expr.kind {
            ExprKind::Name { name, .. } => (self.lookup)(name, place.action.as_deref()),
            _ => None,
        }
    }
}
