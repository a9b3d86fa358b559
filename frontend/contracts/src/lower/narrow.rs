//! Answers of a game, as far as guarantees say what they are.
//!
//! One variable after the other is narrowed: where guarantees give it a value, it has that value;
//! where they give bounds, the choice is moved between these; where they name some values, the
//! choice is among them. So one choice means "the least value that is allowed" in many positions,
//! where the number that this is would differ in each of them; a game then needs few candidate
//! moves. No allowed answer is lost, since each of them is still what some choice leads to; and
//! nothing is gained, since all contracts have to be kept as they are written.
//!
//! Comparisons of integers are taken as sums ([`Sum`]), of which one variable is singled out. What
//! is not narrowed yet counts with its least or its greatest value.

use super::Builder;
use super::sum::{Bound, Sum};
use crate::interface::{Contract, Interface};
use model::term::TermId;
use rustc_hash::FxHashMap;
use spec::parser::Parsed;
use spec::scope::VariableId;
use spec::typed::{Binary, Expr, Kind, Several, Unary};
use spec::types::Type;
use spec::value::Value;
use std::cmp::Reverse;
use std::sync::Arc;

/// What holds of a variable.
#[derive(Clone, Debug, PartialEq)]
enum What {
    /// It has a value.
    Exactly(Expr),
    /// It is not above a number.
    AtMost(Expr),
    /// It is not below a number.
    AtLeast(Expr),
    /// It has one of some values.
    OneOf(Vec<Expr>),
}

/// What a contract says of a variable.
#[derive(Clone, Debug)]
struct Said {
    /// Truth: it does in this step.
    guard: TermId,
    what: What,
    /// Whether later steps are meant.
    is_later: bool,
}

/// All that is said of a variable.
#[derive(Clone, Debug, Default)]
struct Sayings {
    said: Vec<Said>,
    /// Equations in later steps that say nothing until other variables are narrowed.
    blocked: usize,
}

impl Sayings {
    /// Values that later steps have for sure.
    fn values(&self) -> usize {
        let is_value = |said: &&Said| matches!(said.what, What::Exactly(_) | What::OneOf(_));
        self.said.iter().filter(|said| said.is_later).filter(is_value).count()
    }
}

/// A variable that is singled out.
struct Turn<'t> {
    variable: VariableId,
    ty: &'t Type,
    /// Variables that are not narrowed yet. It may be among them.
    pending: &'t Pending,
    is_first: bool,
    /// Truth: this is a step of that kind.
    moment: TermId,
}

impl Turn<'_> {
    /// Whether the words of all that is read are known.
    fn is_final(&self, expr: &Expr) -> bool {
        let is_known = |variable: VariableId| {
            variable != self.variable && self.pending.iter().all(|(other, _)| *other != variable)
        };
        read_now(expr).into_iter().all(is_known)
    }
    fn is_variable(&self, expr: &Expr) -> bool {
        matches!(expr.kind(), Kind::Variable { variable, primed: true } if *variable == self.variable)
    }
    /// The least and the greatest number that a variable may be, where it is not narrowed yet.
    fn limits(&self, variable: VariableId, ty: &Type) -> Option<(i128, i128)> {
        let (_, sayings) = self.pending.iter().find(|(other, _)| *other == variable)?;
        let range = ty.range()?;
        let (mut lo, mut hi) = (range.lo(), range.hi());
        let number = |expr: &Expr| expr.as_constant().and_then(Value::as_integer);
        for said in sayings.said.iter().filter(|said| said.guard == self.moment) {
            match &said.what {
                What::AtMost(most) => hi = number(most).map_or(hi, |most| hi.min(most)),
                What::AtLeast(least) => lo = number(least).map_or(lo, |least| lo.max(least)),
                What::Exactly(_) | What::OneOf(_) => {}
            }
        }
        (lo <= hi).then_some((lo, hi))
    }
}

/// Variables that are not narrowed yet, with what is said of them.
type Pending = [(VariableId, Sayings)];

/// For each variable of the step at hand the contracts whose guarantees read it, and whether they
/// concern step 0.
struct Speaking<'a>(FxHashMap<VariableId, Vec<(&'a Contract, bool)>>);

impl<'a> Speaking<'a> {
    fn new(interface: &'a Interface) -> Self {
        let mut found: FxHashMap<VariableId, Vec<(&Contract, bool)>> = FxHashMap::default();
        for requirement in &interface.requirements {
            for is_first in [true, false] {
                for contract in requirement.contracts(is_first) {
                    for variable in read_now(&contract.guarantee) {
                        found.entry(variable).or_default().push((contract, is_first));
                    }
                }
            }
        }
        Self(found)
    }
    fn of(&self, variable: VariableId) -> &[(&'a Contract, bool)] {
        self.0.get(&variable).map_or(&[], Vec::as_slice)
    }
    /// The variables that some guarantee reads together with one.
    fn together(&self, variable: VariableId) -> Vec<VariableId> {
        self.of(variable).iter().flat_map(|(contract, _)| read_now(&contract.guarantee)).collect()
    }
}

/// The variables of the step at hand that an expression reads, each once.
fn read_now(expr: &Expr) -> Vec<VariableId> {
    let reads = expr.reads().into_iter().filter(|read| read.primed);
    let mut found: Vec<VariableId> = reads.map(|read| read.variable).collect();
    found.sort_unstable();
    found.dedup();
    found
}

impl Builder<'_> {
    /// Narrows all that the system chooses.
    pub(super) fn narrow(&mut self) -> Parsed<()> {
        let speaking = Speaking::new(self.interface);
        let mut pending: Vec<(VariableId, Sayings)> =
            self.interface.controlled().map(|variable| (variable, Sayings::default())).collect();
        // What is said of a variable depends on those that are read together with it.
        let mut stale: Vec<VariableId> = self.interface.controlled().collect();
        while !pending.is_empty() {
            for place in 0..pending.len() {
                if stale.contains(&pending[place].0) {
                    pending[place].1 = self.sayings(pending[place].0, &speaking, &pending)?;
                }
            }
            let (variable, _) = pending.remove(self.next_to_narrow(&pending));
            // The limits of all others are known now.
            let sayings = self.sayings(variable, &speaking, &pending)?;
            self.apply_sayings(variable, sayings)?;
            stale = speaking.together(variable);
        }
        Ok(())
    }

    /// The place of the variable to narrow next. Those come first whose values are given. Else one
    /// has to be chosen: where it has bounds, these hardly depend on others.
    fn next_to_narrow(&self, pending: &Pending) -> usize {
        let order = |place: &usize| {
            let (variable, sayings) = &pending[*place];
            let (has_values, is_blocked) = (sayings.values() > 0, sayings.blocked > 0);
            let count = self.interface.scope.variable(*variable).ty.count();
            // Where values are given, the order of declarations decides.
            let (bounds, count) = if has_values { (0, None) } else { (sayings.said.len(), count) };
            (!has_values, is_blocked, Reverse(bounds), count, *place)
        };
        (0..pending.len()).min_by_key(order).unwrap_or_default()
    }

    fn sayings(
        &mut self,
        variable: VariableId,
        speaking: &Speaking<'_>,
        pending: &Pending,
    ) -> Parsed<Sayings> {
        let interface = self.interface;
        let ty = &interface.scope.variable(variable).ty;
        let mut found = Sayings::default();
        for &(contract, is_first) in speaking.of(variable) {
            let moment = self.moment(is_first);
            let turn = Turn { variable, ty, pending, is_first, moment };
            let guard = self.triggered(contract, is_first)?;
            self.said(&contract.guarantee, true, guard, &turn, &mut found)?;
        }
        Ok(found)
    }

    /// What is said of a variable by a truth that holds, or does not.
    fn said(
        &mut self,
        truth: &Expr,
        holds: bool,
        guard: TermId,
        turn: &Turn<'_>,
        into: &mut Sayings,
    ) -> Parsed<()> {
        match truth.kind() {
            _ if !read_now(truth).contains(&turn.variable) => {}
            Kind::Unary { op: Unary::Not, arg } => self.said(arg, !holds, guard, turn, into)?,
            Kind::Several { op: op @ (Several::And | Several::Or), args } => {
                if (*op == Several::And) == holds {
                    for arg in args {
                        self.said(arg, holds, guard, turn, into)?;
                    }
                } else {
                    self.said_by_one_of(args, holds, guard, turn, into)?;
                }
            }
            Kind::If { condition, then, otherwise } if turn.is_final(condition) => {
                let taken = self.truth(condition)?;
                let terms = &mut self.lowered.system.terms;
                let not_taken = terms.not(taken);
                let guards = [taken, not_taken].map(|taken| terms.and(guard, taken));
                self.said(then, holds, guards[0], turn, into)?;
                self.said(otherwise, holds, guards[1], turn, into)?;
            }
            Kind::Variable { .. } => turn.add(What::Exactly(Expr::truth(holds, truth.extent())), guard, into),
            Kind::Binary { op: op @ (Binary::Equal | Binary::Xor), lhs, rhs } if *lhs.ty() == Type::Bool => {
                let is_negated = (*op == Binary::Equal) != holds;
                let value = |expr: &Expr| if is_negated { expr.clone().negated() } else { expr.clone() };
                turn.equation(lhs, rhs, value, guard, into);
            }
            Kind::Binary { op: Binary::Equal, lhs, rhs } if holds && lhs.ty().range().is_none() => {
                turn.equation(lhs, rhs, Expr::clone, guard, into);
            }
            Kind::Binary { op, lhs, rhs } => {
                let (lhs, rhs) = if holds { (lhs, rhs) } else { (rhs, lhs) };
                let sum = Sum::difference(lhs, rhs);
                let strict = i128::from((*op == Binary::Less) == holds);
                match (op, sum) {
                    (Binary::Equal, Some(sum)) if holds => turn.compared(&sum, true, guard, into),
                    // No integers.
                    (Binary::Equal, None) if holds => turn.equation(lhs, rhs, Expr::clone, guard, into),
                    (Binary::Less | Binary::LessEqual, Some(sum)) => {
                        // The opposite of `a < b` is `b <= a`, that of `a <= b` is `b < a`.
                        turn.compared(&sum.plus(strict), false, guard, into);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Some truths of which one holds, or one does not.
    fn said_by_one_of(
        &mut self,
        truths: &[Arc<Expr>],
        holds: bool,
        mut guard: TermId,
        turn: &Turn<'_>,
        into: &mut Sayings,
    ) -> Parsed<()> {
        let (known, open): (Vec<_>, Vec<_>) = truths.iter().partition(|truth| turn.is_final(truth));
        for truth in known {
            let truth = if holds { Expr::clone(truth) } else { Expr::clone(truth).negated() };
            let suffices = self.truth(&truth)?;
            let terms = &mut self.lowered.system.terms;
            let is_missing = terms.not(suffices);
            guard = terms.and(guard, is_missing);
        }
        if let [single] = &open[..] {
            return self.said(single, holds, guard, turn, into);
        }
        let mut values = Vec::new();
        for truth in open {
            let mut found = Sayings::default();
            let always = self.lowered.system.terms.truth(true);
            self.said(truth, holds, always, turn, &mut found)?;
            let value = found.said.into_iter().find_map(|said| match said.what {
                What::Exactly(value) if said.guard == always => Some(value),
                _ => None,
            });
            let Some(value) = value else {
                into.blocked += found.blocked.min(1);
                return Ok(());
            };
            values.push(value);
        }
        let count = turn.ty.count().unwrap_or_default();
        if values.len() as u128 <= count {
            turn.add(What::OneOf(values), guard, into);
        }
        Ok(())
    }

    /// Puts what is said of a variable in place of what is chosen: bounds first, so that values
    /// that are given have the last word.
    fn apply_sayings(&mut self, variable: VariableId, sayings: Sayings) -> Parsed<()> {
        let (values, bounds): (Vec<Said>, Vec<Said>) =
            sayings.said.into_iter().partition(|said| matches!(said.what, What::Exactly(_) | What::OneOf(_)));
        let (exact, some): (Vec<Said>, Vec<Said>) =
            values.into_iter().partition(|said| matches!(said.what, What::Exactly(_)));
        let chosen = self.words[variable].1;
        for Said { guard, what, .. } in bounds.into_iter().chain(some).chain(exact) {
            let now = self.words[variable].1;
            let narrowed = match what {
                What::Exactly(value) => self.assigned_word(variable, &value)?,
                What::AtMost(most) => self.moved(variable, Binary::Min, most)?,
                What::AtLeast(least) => self.moved(variable, Binary::Max, least)?,
                What::OneOf(values) => self.one_of(variable, chosen, &values)?,
            };
            self.words[variable].1 = self.lowered.system.terms.ite(guard, narrowed, now);
        }
        Ok(())
    }
    /// The word of a variable, moved to a bound where it lies beyond.
    fn moved(&mut self, variable: VariableId, op: Binary, bound: Expr) -> Parsed<TermId> {
        let ty = &self.interface.scope.variable(variable).ty;
        let moved = Bound::moved(variable, ty, op, bound);
        moved.map_or(Ok(self.words[variable].1), |moved| self.assigned_word(variable, &moved))
    }
    /// One of some values, by the number that is chosen.
    fn one_of(&mut self, variable: VariableId, chosen: TermId, values: &[Expr]) -> Parsed<TermId> {
        let words = values.iter().map(|value| self.assigned_word(variable, value));
        let words = words.collect::<Parsed<Vec<TermId>>>()?;
        let terms = &mut self.lowered.system.terms;
        let width = terms.width(chosen);
        let mut found = chosen;
        for (number, word) in words.into_iter().enumerate().rev() {
            let number_word = terms.word(width, number as u128);
            let is_chosen = terms.equal(chosen, number_word);
            // The last of them is what all other choices stand for.
            found = if number + 1 == values.len() { word } else { terms.ite(is_chosen, word, found) };
        }
        Ok(found)
    }
}

impl Turn<'_> {
    fn add(&self, what: What, guard: TermId, into: &mut Sayings) {
        into.said.push(Said { guard, what, is_later: !self.is_first });
    }
    /// Two sides are equal, or the value of one gives that of the other.
    fn equation(
        &self,
        lhs: &Expr,
        rhs: &Expr,
        value: impl Fn(&Expr) -> Expr,
        guard: TermId,
        into: &mut Sayings,
    ) {
        for (side, other) in [(lhs, rhs), (rhs, lhs)] {
            if self.is_variable(side) {
                if self.is_final(other) {
                    return self.add(What::Exactly(value(other)), guard, into);
                }
                into.blocked += usize::from(!self.is_first);
            }
        }
    }
    /// A sum is 0, or not above it.
    fn compared(&self, sum: &Sum, is_equation: bool, guard: TermId, into: &mut Sayings) {
        let is_pending = |variable: VariableId| self.pending.iter().any(|(other, _)| *other == variable);
        let limits = |variable: VariableId| self.limits(variable, sum.type_of(variable)?);
        let Some(single) = sum.single_out(self.variable, &is_pending) else { return };
        if is_equation && single.is_known() {
            if let Some(value) = single.value() {
                return self.add(What::Exactly(value), guard, into);
            }
        } else if is_equation {
            into.blocked += usize::from(!self.is_first);
        }
        let Some(range) = self.ty.range() else { return };
        for bound in single.bounds(is_equation, &limits) {
            let Some(found) = bound.expr().ty().range() else { continue };
            // Bounds that all values of the type keep say nothing.
            match bound {
                Bound::Above(most) if found.lo() < range.hi() => self.add(What::AtMost(most), guard, into),
                Bound::Below(least) if found.hi() > range.lo() => self.add(What::AtLeast(least), guard, into),
                Bound::Above(_) | Bound::Below(_) => {}
            }
        }
    }
}
