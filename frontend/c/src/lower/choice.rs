//! `&&`, `||` and `?:`, which evaluate only some of their operands.
//!
//! Where an operand has effects, the operator becomes an `if` that stores its result in a
//! temporary; else it stays an expression.

use super::constant;
use super::expression::Operand;
use super::frame::{Lower, Lowering};
use crate::ir::coverage::{Node, Operator};
use crate::ir::expr::{Expr, ExprKind, UnaryOp};
use crate::ir::stmt::{Block, Place, Stmt, StmtKind};
use crate::ir::types::IntegerKind;
use crate::syntax::ast::{Expression, ExpressionKind as Kind, Position, Prefix};

impl Lowering<'_> {
    /// `&&` (true) and `||`.
    pub(super) fn logical(
        &mut self,
        is_and: bool,
        (left, right): (&Expression, &Expression),
        whole: &Expression,
    ) -> Lower<Expr> {
        let position = whole.position;
        let left_value = self.condition(left)?;
        let (right_value, block) = self.in_block(|this| this.condition(right));
        let right_value = right_value?;
        if !self.is_instrumented() {
            return self.short_circuit(is_and, left_value, (right_value, block), position);
        }
        let (left_value, first) = self.node(left_value, left);
        let (right_value, second) = self.node(right_value, right);
        let value = self.short_circuit(is_and, left_value, (right_value, block), position)?;
        let operator = if is_and { Operator::And } else { Operator::Or };
        let (left, right) = (Box::new(first), Box::new(second));
        Ok(self.tree(value, whole, |probe| Node::Operator { probe, operator, left, right }))
    }

    /// `&&` (true) and `||` of values; the statements belong to the right one.
    fn short_circuit(
        &mut self,
        is_and: bool,
        left: Expr,
        (right_value, block): (Expr, Block),
        position: Position,
    ) -> Lower<Expr> {
        let ty = self.types().int();
        let span = self.span(position);
        if block.is_empty() {
            let types = &self.linker.types;
            let (first, second) = (constant::truth(types, &left), constant::truth(types, &right_value));
            let kind = match (first, second) {
                (Some(first), _) if first != is_and => ExprKind::Integer(i128::from(first)),
                (Some(_), Some(second)) => ExprKind::Integer(i128::from(second)),
                _ if is_and => ExprKind::And(Box::new(left), Box::new(right_value)),
                _ => ExprKind::Or(Box::new(left), Box::new(right_value)),
            };
            return Ok(Expr { kind, ty, span });
        }
        let evaluated = (block, self.truth(right_value, position)?);
        let fixed = (Vec::new(), self.integer(i128::from(!is_and), IntegerKind::Int, position));
        let (then, otherwise) = if is_and { (evaluated, fixed) } else { (fixed, evaluated) };
        let result = self.stored(left, then, otherwise, position);
        Ok(Expr { kind: ExprKind::Load(result), ty, span })
    }

    /// Lowers what a call asserts, assumes or covers. The form of the expression says which part of it
    /// is the premise (`!(A) || C`, or `A ? C : 1`). So a premise is kept even where it is constant:
    /// one that never holds makes the whole vacuous, which is not the same as true.
    pub(super) fn formula(&mut self, whole: &Expression) -> Lower<Expr> {
        if self.is_instrumented() {
            return self.value(whole);
        }
        match &whole.kind {
            Kind::Prefix(Prefix::Not, operand) if let Kind::Prefix(Prefix::Not, inner) = &operand.kind => {
                let value = self.formula(inner)?;
                self.truth(value, whole.position)
            }
            Kind::LogicalOr(left, right) => self.disjunction(left, right, whole.position),
            Kind::Conditional(condition, Some(then), otherwise) => {
                let otherwise = self.in_vain(|this| (this.value(otherwise), this.out.is_empty()));
                let is_true = constant::truth(&self.linker.types, &otherwise.0?) == Some(true);
                if !is_true || !otherwise.1 {
                    return self.value(whole);
                }
                let premise = self.condition(condition)?;
                self.implication(premise, then, whole.position)
            }
            _ => self.value(whole),
        }
    }

    /// A disjunct of a formula, behind which others come.
    fn disjunct(&mut self, whole: &Expression) -> Lower<Expr> {
        match &whole.kind {
            Kind::Prefix(Prefix::Not, operand) => {
                let value = self.condition(operand)?;
                Ok(self.negated(value, whole.position))
            }
            Kind::LogicalOr(left, right) => self.disjunction(left, right, whole.position),
            _ => self.condition(whole),
        }
    }

    fn disjunction(&mut self, left: &Expression, right: &Expression, position: Position) -> Lower<Expr> {
        let first = self.disjunct(left)?;
        if let Some(premise) = negated_disjuncts(&first) {
            return self.implication(premise, right, position);
        }
        let (second, block) = self.in_block(|this| this.last_disjunct(right));
        self.short_circuit(false, first, (second?, block), position)
    }

    fn last_disjunct(&mut self, whole: &Expression) -> Lower<Expr> {
        match &whole.kind {
            Kind::LogicalOr(left, right) => self.disjunction(left, right, whole.position),
            _ => self.condition(whole),
        }
    }

    /// `!(premise) || claim`, in which the premise can be seen, also where the claim needs statements.
    fn implication(&mut self, premise: Expr, claim: &Expression, position: Position) -> Lower<Expr> {
        let mark = self.out.len();
        let (claim, block) = self.in_block(|this| this.last_disjunct(claim));
        let (mut premise, mut claim) = (premise, claim?);
        if !block.is_empty() {
            premise = self.save_at(mark, premise);
            let evaluated = (block, self.truth(claim, position)?);
            let fixed = (Vec::new(), self.integer(1, IntegerKind::Int, position));
            let result = self.stored(premise.clone(), evaluated, fixed, position);
            claim = Expr { kind: ExprKind::Load(result), ty: self.types().int(), span: self.span(position) };
        }
        let negated = self.negated(premise, position);
        let kind = ExprKind::Or(Box::new(negated), Box::new(claim));
        Ok(Expr { kind, ty: self.types().int(), span: self.span(position) })
    }

    /// `!` of a truth, which stays what it is.
    fn negated(&mut self, value: Expr, position: Position) -> Expr {
        let kind = ExprKind::Unary(UnaryOp::Not, Box::new(value));
        Expr { kind, ty: self.types().int(), span: self.span(position) }
    }

    /// 0 or 1 of type `int`.
    fn truth(&mut self, value: Expr, position: Position) -> Lower<Expr> {
        let ty = self.types().integer(IntegerKind::Bool);
        let value = self.convert_assigned(value, ty, position)?;
        let ty = self.types().int();
        Ok(self.convert(value, ty))
    }

    /// `condition ? then : otherwise`; GNU `condition ?: otherwise` has no middle operand.
    pub(super) fn conditional(
        &mut self,
        condition: &Expression,
        then: Option<&Expression>,
        otherwise: &Expression,
        position: Position,
    ) -> Lower<Operand> {
        let mut condition_value = self.condition(condition)?;
        if then.is_some() {
            condition_value = self.controls(condition_value, condition);
        }
        let ((first, then_block), (second, otherwise_block)) = match then {
            Some(then) => {
                (self.in_block(|this| this.branch(then)), self.in_block(|this| this.branch(otherwise)))
            }
            None => {
                let index = self.out.len();
                condition_value = self.save_at(index, condition_value);
                let first = Ok(Some(condition_value.clone()));
                condition_value = self.controls(condition_value, condition);
                ((first, Vec::new()), self.in_block(|this| this.branch(otherwise)))
            }
        };
        let (Some(first), Some(second)) = (first?, second?) else {
            if !(then_block.is_empty() && otherwise_block.is_empty()) {
                let kind =
                    StmtKind::If { condition: condition_value, then: then_block, otherwise: otherwise_block };
                self.emit(kind, position);
            }
            return Ok(Operand::Void);
        };
        let (first, second) = self.unify_branches(first, second, position)?;
        let ty = first.ty;
        let span = self.span(position);
        if then_block.is_empty() && otherwise_block.is_empty() && self.types().record(ty).is_none() {
            let kind = match constant::truth(&self.linker.types, &condition_value) {
                Some(true) => first.kind,
                Some(false) => second.kind,
                None => ExprKind::Conditional(Box::new(condition_value), Box::new(first), Box::new(second)),
            };
            return Ok(Operand::Value(Expr { kind, ty, span }));
        }
        let (then, otherwise) = ((then_block, first), (otherwise_block, second));
        let result = self.stored(condition_value, then, otherwise, position);
        Ok(Operand::Place(result))
    }

    /// An `if` that stores one of two values in a new temporary, each behind the statements that
    /// compute it.
    fn stored(
        &mut self,
        condition: Expr,
        then: (Block, Expr),
        otherwise: (Block, Expr),
        position: Position,
    ) -> Place {
        let span = self.span(position);
        let result = self.temporary(then.1.ty, span);
        let store = |(mut block, value): (Block, Expr)| {
            block.push(Stmt { kind: StmtKind::Assign(result.clone(), value), span });
            block
        };
        let (then, otherwise) = (store(then), store(otherwise));
        self.emit(StmtKind::If { condition, then, otherwise }, position);
        result
    }

    /// A branch of `?:`; `None` where it is void.
    fn branch(&mut self, expression: &Expression) -> Lower<Option<Expr>> {
        match self.operand(expression)? {
            Operand::Place(place) => self.load(place, expression.position).map(Some),
            Operand::Value(value) => Ok(Some(value)),
            Operand::Void => Ok(None),
        }
    }

    /// The branches of `?:` in their common type (C11 6.5.15).
    fn unify_branches(&mut self, first: Expr, second: Expr, position: Position) -> Lower<(Expr, Expr)> {
        if first.ty == second.ty && !self.types().is_arithmetic(first.ty) {
            return Ok((first, second));
        }
        if self.types().is_arithmetic(first.ty) && self.types().is_arithmetic(second.ty) {
            return Ok(self.usual_conversions(first, second));
        }
        let (left, right) = (self.types().pointee(first.ty), self.types().pointee(second.ty));
        let is_null = |value: &Expr| matches!(value.kind, ExprKind::Integer(0));
        let ty = match (left, right) {
            (Some(_), _) if is_null(&second) => first.ty,
            (_, Some(_)) if is_null(&first) => second.ty,
            (Some(_), Some(right)) if self.types().is_void(right) => second.ty,
            (Some(_), _) => first.ty,
            (None, Some(_)) => second.ty,
            (None, None) => first.ty,
        };
        let first = self.convert_assigned(first, ty, position)?;
        let second = self.convert_assigned(second, ty, position)?;
        Ok((first, second))
    }
}

/// The conjunction of what all disjuncts of an expression negate; `None` where one negates nothing.
fn negated_disjuncts(expr: &Expr) -> Option<Expr> {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Not, inner) => Some((**inner).clone()),
        ExprKind::Or(left, right) => {
            let (left, right) = (negated_disjuncts(left)?, negated_disjuncts(right)?);
            Some(Expr { kind: ExprKind::And(Box::new(left), Box::new(right)), ..expr.clone() })
        }
        _ => None,
    }
}
