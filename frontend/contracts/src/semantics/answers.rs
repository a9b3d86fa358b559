//! What a system may answer in a step.
//!
//! Assumptions speak of the step before and of inputs only, so they are decided first; what is left
//! are guarantees, which are taken apart into conjuncts. A conjunct `x' = e` whose `e` is known
//! gives the value of `x`; where there is none, the variable with the fewest values is tried.

use super::{Effort, Position, Semantics, Undecided, Valuation, id_index};
use crate::syntax::Role;
use spec::evaluate::evaluate;
use spec::scope::VariableId;
use spec::typed::{Binary, Expr, Kind, Unary};
use spec::value::Value;
use std::ops::ControlFlow;

/// Values of one variable that are tried at most.
const MOST_VALUES: u128 = 1 << 20;

/// What a visitor of answers says: go on, or stop.
pub type Found = ControlFlow<()>;

/// A step that waits for an answer: where it starts, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Step<'s> {
    /// The position before; none in step 0.
    pub before: Option<&'s Position>,
    /// Known values: inputs that matter, and what else is to be kept fixed.
    pub known: &'s [Option<Value>],
}

struct Conjunct<'e> {
    expr: &'e Expr,
    /// The controlled variables of this step that it reads.
    reads: Vec<VariableId>,
}

struct Search<'s, 'a, 'v> {
    semantics: &'s Semantics<'a>,
    before: Option<&'s Position>,
    conjuncts: Vec<Conjunct<'s>>,
    /// Variables that get a value in any case.
    needed: &'s [VariableId],
    visit: &'v mut dyn FnMut(&Valuation) -> Found,
    effort: &'v mut Effort,
}

impl Semantics<'_> {
    /// Calls `visit` with each way in which the selected requirements allow a step to be answered:
    /// all values that are remembered or wanted are known then, others may be unknown where each of
    /// their values will do. One way may be visited several times.
    ///
    /// # Errors
    /// There are too many values to try.
    pub fn answers(
        &self,
        step: Step<'_>,
        visit: &mut dyn FnMut(&Valuation) -> Found,
        effort: &mut Effort,
    ) -> Result<Found, Undecided> {
        let needed = [&*self.remembered, &self.wanted].concat();
        self.answers_of(&self.selected, &needed, step, visit, effort)
    }
    /// Likewise where other requirements than the selected ones count, and other variables get a
    /// value in any case.
    pub(super) fn answers_of(
        &self,
        requirements: &[usize],
        needed: &[VariableId],
        step: Step<'_>,
        visit: &mut dyn FnMut(&Valuation) -> Found,
        effort: &mut Effort,
    ) -> Result<Found, Undecided> {
        let Step { before, known } = step;
        let mut now = known.to_vec();
        let requirements = requirements.iter().map(|&index| &self.interface.requirements[index]);
        let contracts = requirements.flat_map(|req| req.contracts(before.is_none()));
        let mut conjuncts = Vec::new();
        for contract in contracts {
            effort.spend()?;
            if self.is_triggered(contract, before, &now) {
                conjuncts.extend(
                    contract
                        .guarantee
                        .conjuncts()
                        .into_iter()
                        .map(|expr| Conjunct { reads: self.controlled_reads(expr), expr }),
                );
            }
        }
        let all: Vec<usize> = (0..conjuncts.len()).collect();
        let mut search = Search { semantics: self, before, conjuncts, needed, visit, effort };
        search.descend(&mut now, &all)
    }
    /// Whether there is an answer.
    ///
    /// # Errors
    /// There are too many values to try.
    pub fn can_answer(&self, step: Step<'_>, effort: &mut Effort) -> Result<bool, Undecided> {
        let found = self.answers(step, &mut |_| ControlFlow::Break(()), effort)?;
        Ok(found.is_break())
    }
    fn controlled_reads(&self, expr: &Expr) -> Vec<VariableId> {
        let reads = expr.reads().into_iter().filter(|read| read.primed).map(|read| read.variable);
        let mut reads: Vec<VariableId> =
            reads.filter(|&variable| self.interface.roles[variable] != Role::Input).collect();
        reads.sort_unstable();
        reads.dedup();
        reads
    }
}

impl Search<'_, '_, '_> {
    /// Looks for values of what is unknown in the conjuncts that are left.
    fn descend(&mut self, now: &mut Valuation, left: &[usize]) -> Result<Found, Undecided> {
        let mut assigned = Vec::new();
        let found = match self.propagate(now, left, &mut assigned) {
            Err(undecided) => Err(undecided),
            Ok(None) => Ok(ControlFlow::Continue(())),
            Ok(Some(open)) => match self.next_variable(now, &open) {
                None => Ok((self.visit)(now)),
                Some(variable) => self.branch(now, &open, variable),
            },
        };
        assigned.into_iter().for_each(|variable| now[id_index(variable)] = None);
        found
    }
    /// Gives values to variables as long as conjuncts leave one value only, and returns the
    /// conjuncts of which something is unknown then; none where one is false.
    fn propagate(
        &mut self,
        now: &mut Valuation,
        left: &[usize],
        assigned: &mut Vec<VariableId>,
    ) -> Result<Option<Vec<usize>>, Undecided> {
        let mut open = left.to_vec();
        loop {
            // Whoever looks for the next variable or at an answer looks at all that is needed.
            self.effort.spend_for(open.len() + self.needed.len())?;
            let known = assigned.len();
            let mut kept = Vec::with_capacity(open.len());
            for &index in &open {
                let conjunct = &self.conjuncts[index];
                let mut unknown = conjunct.reads.iter().filter(|id| now[id_index(**id)].is_none());
                match (unknown.next(), unknown.next()) {
                    (None, _) if !self.semantics.truth(conjunct.expr, self.before, now) => return Ok(None),
                    (None, _) => continue,
                    (Some(&variable), None) => match self.equation(conjunct.expr, variable, now) {
                        Equation::Of(value) => {
                            let ty = &self.semantics.interface.scope.variable(variable).ty;
                            if !ty.contains(&value) {
                                return Ok(None);
                            }
                            now[id_index(variable)] = Some(value);
                            assigned.push(variable);
                        }
                        // Nothing makes it true.
                        Equation::Undefined => return Ok(None),
                        Equation::None => {}
                    },
                    (Some(_), Some(_)) => {}
                }
                kept.push(index);
            }
            open = kept;
            if assigned.len() == known {
                return Ok(Some(open));
            }
        }
    }

    /// Tries all values of a variable in ascending order.
    fn branch(
        &mut self,
        now: &mut Valuation,
        open: &[usize],
        variable: VariableId,
    ) -> Result<Found, Undecided> {
        let ty = self.semantics.interface.scope.variable(variable).ty.clone();
        if ty.count().is_none_or(|count| count > MOST_VALUES) {
            return Err(Undecided::TooLarge);
        }
        let mut found = Ok(ControlFlow::Continue(()));
        for value in ty.values().into_iter().flatten() {
            now[id_index(variable)] = Some(value);
            found = self.descend(now, open);
            if !matches!(found, Ok(ControlFlow::Continue(()))) {
                break;
            }
        }
        now[id_index(variable)] = None;
        found
    }
    /// The variable to try next: of those that a conjunct reads or that are wanted the one with the
    /// fewest values.
    fn next_variable(&self, now: &Valuation, open: &[usize]) -> Option<VariableId> {
        let semantics = self.semantics;
        let read = open.iter().flat_map(|&index| &self.conjuncts[index].reads);
        let candidates = read.chain(self.needed).filter(|id| now[id_index(**id)].is_none());
        let count = |id: &VariableId| semantics.interface.scope.variable(*id).ty.count().unwrap_or(u128::MAX);
        candidates.copied().min_by_key(|id| (count(id), *id))
    }

    /// The one value of a variable that makes a conjunct true, where it is `x' = e`, a sum with
    /// `x'` that has a value, or a truth.
    fn equation(&self, expr: &Expr, variable: VariableId, now: &Valuation) -> Equation {
        let truth = |value| Equation::Of(Value::Bool(value));
        match expr.kind() {
            Kind::Variable { primed: true, .. } => truth(true),
            Kind::Unary { op: Unary::Not, arg } if is_variable(arg, variable) => truth(false),
            Kind::Binary { op: Binary::Equal, lhs, rhs } => {
                let (side, other) = match (is_read(lhs, variable), is_read(rhs, variable)) {
                    (true, false) => (lhs, rhs),
                    (false, true) => (rhs, lhs),
                    _ => return Equation::None,
                };
                match self.value(other, now) {
                    Some(value) => self.solved(side, variable, value, now),
                    None => Equation::Undefined,
                }
            }
            _ => Equation::None,
        }
    }
    /// The one value of a variable for which an expression has a value, where sums and differences
    /// of integers, each with one side that is known, lead to it.
    fn solved(&self, expr: &Expr, variable: VariableId, value: Value, now: &Valuation) -> Equation {
        if is_variable(expr, variable) {
            return Equation::Of(value);
        }
        let Some(wanted) = value.as_integer().filter(|_| expr.ty().is_exact()) else {
            return Equation::None;
        };
        let (next, wanted) = match expr.kind() {
            Kind::Unary { op: Unary::Negate, arg } => (arg, wanted.checked_neg()),
            Kind::Binary { op: op @ (Binary::Add | Binary::Sub), lhs, rhs } => {
                let (next, known) = match (is_read(lhs, variable), is_read(rhs, variable)) {
                    (true, false) => (lhs, rhs),
                    (false, true) => (rhs, lhs),
                    _ => return Equation::None,
                };
                let Some(known) = self.value(known, now) else { return Equation::Undefined };
                let Some(known) = known.as_integer() else { return Equation::None };
                (
                    next,
                    match (op, is_read(lhs, variable)) {
                        (Binary::Add, _) => wanted.checked_sub(known),
                        (_, true) => wanted.checked_add(known),
                        (_, false) => known.checked_sub(wanted),
                    },
                )
            }
            _ => return Equation::None,
        };
        wanted.map_or(Equation::None, |wanted| self.solved(next, variable, Value::Integer(wanted), now))
    }
    fn value(&self, expr: &Expr, now: &Valuation) -> Option<Value> {
        evaluate(expr, &|variable, primed| {
            let value = if primed {
                now[id_index(variable)].as_ref()
            } else {
                self.before.and_then(|before| self.semantics.remembered_value(before, variable))
            };
            value.unwrap_or_else(|| panic!("a value that is read should be known")).clone()
        })
    }
}

/// What a conjunct says of one variable.
enum Equation {
    /// Its value.
    Of(Value),
    /// The other side is undefined.
    Undefined,
    /// It is no equation.
    None,
}

/// Whether an expression reads a variable of this step.
fn is_read(expr: &Expr, variable: VariableId) -> bool {
    expr.reads().iter().any(|read| read.primed && read.variable == variable)
}

/// Whether an expression is the value of a variable in this step. Conversions of exact numbers do
/// not change them.
fn is_variable(expr: &Expr, variable: VariableId) -> bool {
    match expr.kind() {
        Kind::Variable { variable: found, primed } => *primed && *found == variable,
        Kind::Unary { op: Unary::Convert, arg } => is_variable(arg, variable),
        _ => false,
    }
}
