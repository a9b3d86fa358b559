//! Evaluating expressions.

use super::initial_memory::Phase;
use super::layout::Kind;
use super::place::{Content, Part, bit_field};
use super::state::State;
use super::{Frame, Machine, Old, Outcome};
use crate::code::Code;
use crate::ir::coverage::ProbeId;
use crate::ir::expr::{BinaryOp as COp, Expr, ExprKind, UnaryOp as CUnary};
use crate::ir::types::{Type, TypeId};
use frontend::source::Span;
use model::sort::{FloatFormat, Sort};
use model::term::{BinaryOp, SymbolId, Term, TermId, TermPool, UnaryOp};
use model::value::Value;
use std::collections::BTreeSet;

impl Machine<'_> {
    /// The value of a scalar expression.
    pub(crate) fn evaluate(&mut self, frame: &Frame, state: &State, expr: &Expr) -> Outcome<TermId> {
        Ok(self.content(frame, state, expr)?.scalar())
    }

    /// The value of an expression.
    pub(crate) fn content(&mut self, frame: &Frame, state: &State, expr: &Expr) -> Outcome<Content> {
        let scalar = match &expr.kind {
            ExprKind::Zero => return self.zero(expr),
            ExprKind::Load(place) => {
                let targets = self.locate(frame, state, place)?;
                self.initial_memory.reader = std::ptr::from_ref(expr).addr();
                let content = self.load_targets(state, &targets, place.ty, bit_field(place), place.span);
                self.initial_memory.reader = 0;
                let content = content?;
                self.note_read(frame, state, expr, &content);
                self.note_table(frame, state, expr, &targets);
                return Ok(content);
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                return self.conditional(frame, state, condition, then, otherwise);
            }
            ExprKind::Old(inner) => {
                let watching = self.watching.take();
                let content = self.old_content(frame, state, inner);
                self.watching = watching;
                let content = content?;
                self.note_read(frame, state, expr, &content);
                return Ok(content);
            }
            ExprKind::Integer(number) => {
                let sort = self.sort_of(expr.ty);
                self.system.terms.constant(Value::new(sort, *number as u128))
            }
            ExprKind::Float(bits) => {
                let sort = self.sort_of(expr.ty);
                self.system.terms.constant(Value::new(sort, u128::from(*bits)))
            }
            ExprKind::String(bytes) => {
                let Type::Pointer(character) = *self.layouts.type_of(expr.ty) else {
                    panic!("a string literal should be a pointer to its first character");
                };
                let object = self.text(bytes, character, expr.span)?;
                self.pointer_to(object, 0)
            }
            ExprKind::AddressOf(place) => self.address_of(frame, state, place)?,
            ExprKind::Function(function) => self.function_address(*function),
            ExprKind::Unary(CUnary::Not, _) | ExprKind::And(..) | ExprKind::Or(..) => {
                let truth = self.truth(frame, state, expr)?;
                self.truth_as(truth, expr.ty)
            }
            ExprKind::Probe(_, inner) if is_truth_operator(inner) => {
                let truth = self.truth(frame, state, expr)?;
                self.truth_as(truth, expr.ty)
            }
            ExprKind::Probe(probe, inner) => {
                let content = self.content(frame, state, inner)?;
                let Content::Scalar(value) = content else { return Ok(content) };
                let truth = self.is_not_zero(value);
                self.note_probe(frame, state, *probe, truth);
                if !self.is_inverted(*probe) {
                    return Ok(content);
                }
                self.opposite(truth, expr.ty)
            }
            ExprKind::Unary(op, operand) => {
                let value = self.evaluate(frame, state, operand)?;
                self.unary(state, *op, value, expr)
            }
            ExprKind::Binary(op, lhs, rhs) => {
                if is_comparison(*op) {
                    let truth = self.truth(frame, state, expr)?;
                    self.truth_as(truth, expr.ty)
                } else {
                    let left = self.evaluate(frame, state, lhs)?;
                    let right = self.evaluate(frame, state, rhs)?;
                    self.binary(state, *op, (left, lhs), (right, rhs), expr)?
                }
            }
            ExprKind::Convert(inner) => {
                if self.layouts.scalar(inner.ty, None).is_none() {
                    panic!("only scalars should be converted");
                }
                self.conversion(frame, state, inner, expr)?
            }
        };
        Ok(Content::Scalar(scalar))
    }

    fn conversion(&mut self, frame: &Frame, state: &State, inner: &Expr, expr: &Expr) -> Outcome<TermId> {
        if self.is_bool(expr.ty) {
            return self.truth(frame, state, inner);
        }
        let inner = match self.pointer_behind(inner) {
            Some(pointer) if self.is_pointer(expr.ty) => pointer,
            _ => inner,
        };
        let value = self.evaluate(frame, state, inner)?;
        self.convert(state, value, inner.ty, expr.ty, expr.span)
    }

    /// The pointer that is converted to an integer which can hold it.
    fn pointer_behind<'e>(&self, mut expr: &'e Expr) -> Option<&'e Expr> {
        while !self.is_pointer(expr.ty) {
            let ExprKind::Convert(inner) = &expr.kind else { return None };
            let is_wide = self.layouts.size(expr.ty)? * 8 >= u64::from(self.layouts.pointer_extent());
            if !is_wide || self.is_bool(expr.ty) {
                return None;
            }
            expr = inner;
        }
        Some(expr)
    }

    fn zero(&mut self, expr: &Expr) -> Outcome<Content> {
        if let Some(scalar) = self.layouts.scalar(expr.ty, None) {
            return Ok(Content::Scalar(self.system.terms.constant(Value::zero(scalar.sort()))));
        }
        let layout = self.layouts.layout(expr.ty).map_err(|why| self.no_layout(why, expr.ty, expr.span))?;
        let terms = &mut self.system.terms;
        let zeros = layout.cells.iter().map(|cell| terms.constant(Value::zero(cell.scalar.sort())));
        let zeros = zeros.map(Part::set);
        Ok(Content::Aggregate(zeros.collect()))
    }

    fn conditional(
        &mut self,
        frame: &Frame,
        state: &State,
        condition: &Expr,
        then: &Expr,
        otherwise: &Expr,
    ) -> Outcome<Content> {
        let condition = self.truth(frame, state, condition)?;
        let negated = self.system.terms.not(condition);
        match (self.assume(state, condition), self.assume(state, negated)) {
            (Some(positive), Some(negative)) => {
                let then = self.content(frame, &positive, then)?;
                let otherwise = self.content(frame, &negative, otherwise)?;
                Ok(self.choose(condition, then, otherwise))
            }
            (Some(positive), None) => self.content(frame, &positive, then),
            (None, Some(negative)) => self.content(frame, &negative, otherwise),
            (None, None) => self.content(frame, state, otherwise),
        }
    }

    /// One content or the other.
    pub(crate) fn choose(&mut self, condition: TermId, then: Content, otherwise: Content) -> Content {
        let terms = &mut self.system.terms;
        match (then, otherwise) {
            (Content::Scalar(then), Content::Scalar(otherwise)) => {
                Content::Scalar(terms.ite(condition, then, otherwise))
            }
            (Content::Aggregate(then), Content::Aggregate(otherwise)) => {
                let parts = then.iter().zip(&otherwise);
                let parts = parts.map(|(&then, &other)| either_part(terms, condition, then, other));
                Content::Aggregate(parts.collect())
            }
            _ => panic!("both branches of a conditional expression should have the same type"),
        }
    }

    fn old_content(&mut self, frame: &Frame, state: &State, inner: &Expr) -> Outcome<Content> {
        let Some(old) = &mut self.old else {
            return Err(self.fail(
                Code::MisplacedOld,
                inner.span,
                "old(...) and prev(...) have no meaning here: there is no step before",
            ));
        };
        old.looks_back |= old.history;
        let Old { state: before, phase, history, .. } = old.clone();
        let before = State { path: state.path, memory: before.memory };
        if history {
            let now = std::mem::replace(&mut self.initial_memory.phase, Phase::Step { frame: 0 });
            let outer = self.old.take();
            let content = self.content(frame, &before, inner);
            (self.initial_memory.phase, self.old) = (now, outer);
            let kept = self.kept(content?.scalar(), &inner.span);
            let frame = match phase {
                Phase::Step { frame } | Phase::Behind { frame } => frame,
                Phase::Init => 0,
            };
            return Ok(Content::Scalar(self.shift(kept, frame)));
        }
        let now = std::mem::replace(&mut self.initial_memory.phase, phase);
        let content = self.content(frame, &before, inner);
        self.initial_memory.phase = now;
        Ok(match content? {
            Content::Scalar(term) => Content::Scalar(self.with_inputs_before(term, phase, inner.span)),
            Content::Aggregate(parts) => {
                let before = |part: Part| {
                    let value = self.with_inputs_before(part.value, phase, inner.span);
                    Part { value, ..part }
                };
                Content::Aggregate(parts.into_iter().map(before).collect())
            }
        })
    }

    /// A term at the start of a step, where the environment has not yet written the inputs: they
    /// are those of the step before.
    fn with_inputs_before(&mut self, term: TermId, phase: Phase, span: Span) -> TermId {
        let frame = match phase {
            Phase::Step { frame } | Phase::Behind { frame } => frame,
            Phase::Init => 0,
        };
        let inputs: BTreeSet<SymbolId> = self.system.inputs.values().map(|input| input.symbol).collect();
        let before = self.substitute(term, |machine, symbol| {
            let base = machine.system.terms.symbol(symbol).framed.map_or(symbol, |framed| framed.base);
            let input = inputs.contains(&base).then(|| machine.system.terms.symbol_term(base))?;
            let kept = machine.kept(input, &span);
            Some(machine.shift(kept, frame))
        });
        if before != term
            && let Some(old) = &mut self.old
        {
            old.looks_back = true;
        }
        before
    }

    /// The value that a term over state and inputs had in the step before: a state word that keeps
    /// it.
    fn kept(&mut self, term: TermId, span: &Span) -> TermId {
        let known = self.initial_memory.history.iter().find(|(kept, _)| *kept == term);
        let state = match known {
            Some(&(_, state)) => state,
            None => {
                let sort = self.system.terms.sort(term);
                let state = self.system.add_state(&format!("(previous value, line {})", span.line), sort);
                let zero = self.system.terms.constant(Value::zero(sort));
                self.initial_memory.extras.push((state, zero, term));
                self.initial_memory.history.push((term, state));
                state
            }
        };
        self.system.state_term(state)
    }

    /// The truth of a scalar expression: it is not zero.
    pub(crate) fn truth(&mut self, frame: &Frame, state: &State, expr: &Expr) -> Outcome<TermId> {
        match &expr.kind {
            ExprKind::Unary(CUnary::Not, operand) => {
                let truth = self.truth(frame, state, operand)?;
                Ok(self.system.terms.not(truth))
            }
            ExprKind::And(lhs, rhs) => {
                let left = self.truth(frame, state, lhs)?;
                let Some(guarded) = self.assume(state, left) else {
                    return Ok(self.system.terms.truth(false));
                };
                let right = self.truth(frame, &guarded, rhs)?;
                Ok(self.system.terms.and(left, right))
            }
            ExprKind::Or(lhs, rhs) => {
                let left = self.truth(frame, state, lhs)?;
                let negated = self.system.terms.not(left);
                let Some(guarded) = self.assume(state, negated) else {
                    return Ok(self.system.terms.truth(true));
                };
                let right = self.truth(frame, &guarded, rhs)?;
                Ok(self.system.terms.or(left, right))
            }
            ExprKind::Binary(op, lhs, rhs) if is_comparison(*op) => {
                self.comparison(frame, state, (*op, lhs, rhs), (expr.span, None))
            }
            ExprKind::Probe(probe, inner) => {
                let truth = match &inner.kind {
                    ExprKind::Binary(op, lhs, rhs) if is_comparison(*op) => {
                        self.comparison(frame, state, (*op, lhs, rhs), (inner.span, Some(*probe)))?
                    }
                    _ => self.truth(frame, state, inner)?,
                };
                self.note_probe(frame, state, *probe, truth);
                Ok(if self.is_inverted(*probe) { self.system.terms.not(truth) } else { truth })
            }
            ExprKind::Convert(inner) if self.keeps_truth(inner.ty, expr.ty) => {
                self.truth(frame, state, inner)
            }
            _ => {
                let value = self.evaluate(frame, state, expr)?;
                Ok(self.is_not_zero(value))
            }
        }
    }

    /// The truth of a comparison, which coverage may look at.
    fn comparison(
        &mut self,
        frame: &Frame,
        state: &State,
        (op, lhs, rhs): (COp, &Expr, &Expr),
        (span, probe): (Span, Option<ProbeId>),
    ) -> Outcome<TermId> {
        let left = self.evaluate(frame, state, lhs)?;
        let right = self.evaluate(frame, state, rhs)?;
        if self.is_pointer(lhs.ty) && !matches!(op, COp::Equal | COp::NotEqual) {
            return Ok(self.compare_pointers(state, op, (left, right), span));
        }
        if self.is_pointer(lhs.ty) {
            self.dead_pointers_hazard(state, (left, right), span);
        }
        let signed = self.is_signed(lhs.ty);
        if let Some(probe) = probe {
            self.note_relation(state, probe, (op, signed), (left, right));
        }
        Ok(self.compare(op, left, right, signed))
    }

    /// Whether a conversion changes no value from or to zero.
    fn keeps_truth(&self, from: TypeId, to: TypeId) -> bool {
        let (Some(from), Some(to)) = (self.layouts.scalar(from, None), self.layouts.scalar(to, None)) else {
            return false;
        };
        to.kind == Kind::Word && to.extent == 1
            || !matches!(from.kind, Kind::Float(_)) && to.kind == Kind::Word && from.extent <= to.extent
    }

    fn is_not_zero(&mut self, value: TermId) -> TermId {
        let terms = &mut self.system.terms;
        match (terms.node(value), terms.sort(value)) {
            (Term::Extend { arg, .. }, _) => terms.is_nonzero(arg),
            (_, Sort::Word(_)) => terms.is_nonzero(value),
            (_, sort @ Sort::Float(_)) => {
                let zero = terms.constant(Value::zero(sort));
                let equal = terms.binary(BinaryOp::FloatEq, value, zero);
                terms.not(equal)
            }
        }
    }

    pub(super) fn compare(&mut self, op: COp, left: TermId, right: TermId, signed: bool) -> TermId {
        use BinaryOp::*;
        let terms = &mut self.system.terms;
        let is_float = terms.sort(left).float_format().is_some();
        let (equal, less, less_equal) = match (is_float, signed) {
            (true, _) => (FloatEq, FloatLt, FloatLe),
            (_, true) => (Eq, SLt, SLe),
            (_, false) => (Eq, ULt, ULe),
        };
        let truth = match op {
            COp::Equal => terms.binary(equal, left, right),
            COp::NotEqual => {
                let same = terms.binary(equal, left, right);
                terms.not(same)
            }
            COp::Less => terms.binary(less, left, right),
            COp::LessEqual => terms.binary(less_equal, left, right),
            COp::Greater => terms.binary(less, right, left),
            COp::GreaterEqual => terms.binary(less_equal, right, left),
            _ => panic!("only comparisons should come here"),
        };
        match self.ranges.decide(&self.system.terms, truth) {
            Some(holds) => self.system.terms.truth(holds),
            None => truth,
        }
    }

    /// A truth as a number of an integer type.
    pub(crate) fn truth_as(&mut self, truth: TermId, ty: TypeId) -> TermId {
        let width = self.sort_of(ty).width();
        self.system.terms.resize(truth, width, false)
    }

    /// 0 of a scalar type where a truth holds, 1 where it does not.
    fn opposite(&mut self, truth: TermId, ty: TypeId) -> TermId {
        let sort = self.sort_of(ty);
        let one = match sort {
            Sort::Word(_) => Value::new(sort, 1),
            Sort::Float(FloatFormat::Single) => Value::new(sort, u128::from(1f32.to_bits())),
            Sort::Float(FloatFormat::Double) => Value::new(sort, u128::from(1f64.to_bits())),
        };
        let terms = &mut self.system.terms;
        let (zero, one) = (terms.constant(Value::zero(sort)), terms.constant(one));
        terms.ite(truth, zero, one)
    }

    /// The sort of values of a scalar type.
    pub(crate) fn sort_of(&self, ty: TypeId) -> Sort {
        self.layouts.scalar(ty, None).expect("a scalar expression should have a scalar type").sort()
    }

    /// Truth: two values of the same sort have the same bits.
    pub(crate) fn equal_bits(&mut self, left: TermId, right: TermId) -> TermId {
        let terms = &mut self.system.terms;
        if terms.sort(left).float_format().is_none() {
            return terms.equal(left, right);
        }
        let left = terms.unary(UnaryOp::FloatToBits, left);
        let right = terms.unary(UnaryOp::FloatToBits, right);
        terms.equal(left, right)
    }

    pub(super) fn is_bool(&self, ty: TypeId) -> bool {
        self.layouts.scalar(ty, None).is_some_and(|scalar| scalar.kind == Kind::Word && scalar.extent == 1)
    }

    fn unary(&mut self, state: &State, op: CUnary, value: TermId, expr: &Expr) -> TermId {
        match op {
            CUnary::Negate => self.negate(state, value, expr),
            CUnary::Complement => self.system.terms.not(value),
            CUnary::Not => {
                let truth = self.is_not_zero(value);
                let negated = self.system.terms.not(truth);
                self.truth_as(negated, expr.ty)
            }
        }
    }
}

/// Whether an expression yields a truth by its form.
fn is_truth_operator(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary(CUnary::Not, _) | ExprKind::And(..) | ExprKind::Or(..) => true,
        ExprKind::Binary(op, ..) => is_comparison(*op),
        _ => false,
    }
}

/// Whether the operator compares.
pub(crate) fn is_comparison(op: COp) -> bool {
    use COp::*;
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

/// One part or the other.
fn either_part(terms: &mut TermPool, condition: TermId, then: Part, other: Part) -> Part {
    let value = terms.ite(condition, then.value, other.value);
    let always = terms.truth(true);
    let written = then.written.or(other.written).map(|_| {
        let [then, other] = [then, other].map(|part| part.written.unwrap_or(always));
        terms.ite(condition, then, other)
    });
    Part { value, written }
}
