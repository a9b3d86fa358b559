//! Cheap reasoning about what a path allows: small sets of values, and decisions that exclude each
//! other.
//!
//! Two things that real loops need and folding of terms does not see. A counter kept in state
//! (`while (i > 0) i--`) ends because its symbol has few values, and each round rules out some. A
//! binary search ends because its borders are choices between constants under the same decisions.
//! Both checks only ever rule out what is impossible.

use super::Machine;
use super::bounds::{Bound, Follows, bound_with, follows};
use super::path::PathId;
use model::eval::{Evaluator, apply_term};
use model::sort::Sort;
use model::term::{BinaryOp, SymbolId, Term, TermId, TermPool, UnaryOp};
use model::value::Value;
use model::visit::support;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Symbols of at most so many bits have their values enumerated where nothing else is known of
/// them.
const SMALL: u32 = 8;

/// Terms looked at in one search for consistent decisions.
const SEARCH: usize = 20_000;

/// Most values of one symbol that a search tries one after another.
const SPLIT: usize = 64;

/// Which symbols a term depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Support {
    None,
    One(SymbolId),
    Many,
}

/// The values that are left of some symbols.
type Left = Rc<Vec<(SymbolId, Rc<[u128]>)>>;

/// What is known of symbols and paths.
#[derive(Clone, Default)]
pub(crate) struct PathFeasibility {
    /// Values of state words, where few are possible.
    pub(crate) values: FxHashMap<SymbolId, Rc<[u128]>>,
    supports: FxHashMap<TermId, Support>,
    left: FxHashMap<PathId, Left>,
    /// Paths that were looked at as a whole, and whether they seem possible. Loops with constant
    /// bounds ask again and again for one path.
    consistent: FxHashMap<PathId, bool>,
}

/// What a condition is on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It holds nowhere on it.
    Never,
    /// It holds all over it.
    Always,
    /// It may hold.
    Maybe,
}

impl Machine<'_> {
    /// What the values left of single symbols say about a condition.
    pub(crate) fn judge(&mut self, path: PathId, condition: TermId) -> Verdict {
        let left = self.left_on(path);
        match self.filter(&left, condition) {
            None => Verdict::Maybe,
            Some((_, before, after)) if after.is_empty() && !before.is_empty() => Verdict::Never,
            Some((_, before, after)) if after.len() == before.len() => Verdict::Always,
            Some(_) => Verdict::Maybe,
        }
    }

    /// The values left of symbols on a path.
    fn left_on(&mut self, path: PathId) -> Left {
        let mut open = Vec::new();
        let mut at = path;
        let mut left = loop {
            if let Some(left) = self.feasibility.left.get(&at) {
                break left.clone();
            }
            match self.paths.last_condition(at) {
                Some((parent, condition)) => {
                    open.push((at, condition));
                    at = parent;
                }
                None => break Left::default(),
            }
        };
        for (at, condition) in open.into_iter().rev() {
            for part in self.system.terms.conjuncts(condition) {
                if let Some((symbol, before, after)) = self.filter(&left, part)
                    && after.len() < before.len()
                {
                    let mut list = (*left).clone();
                    list.retain(|(known, _)| *known != symbol);
                    list.push((symbol, after.into()));
                    left = Rc::new(list);
                }
            }
            self.feasibility.left.insert(at, left.clone());
        }
        left
    }

    /// For a condition over one symbol with few values: the symbol, its values before, and those
    /// for which it holds.
    fn filter(&mut self, left: &Left, condition: TermId) -> Option<(SymbolId, Rc<[u128]>, Vec<u128>)> {
        let Support::One(symbol) = self.support(condition) else { return None };
        let before = self.values_of(left, symbol)?;
        let terms = &self.system.terms;
        let sort = terms.symbol(symbol).sort;
        let mut evaluator = Evaluator::new(terms, [condition]);
        let mut after = Vec::new();
        for &bits in before.iter() {
            evaluator.run(|_| Value::new(sort, bits));
            if evaluator.holds(0) {
                after.push(bits);
            }
        }
        Some((symbol, before, after))
    }

    fn values_of(&mut self, left: &Left, symbol: SymbolId) -> Option<Rc<[u128]>> {
        if let Some((_, values)) = left.iter().find(|(known, _)| *known == symbol) {
            return Some(values.clone());
        }
        let description = self.system.terms.symbol(symbol);
        let base = description.framed.map_or(symbol, |framed| framed.base);
        if let Some(values) = self.feasibility.values.get(&base) {
            return Some(values.clone());
        }
        match description.sort {
            Sort::Word(width) if u32::from(width) <= SMALL => Some((0..1u128 << width).collect()),
            _ => None,
        }
    }

    fn support(&mut self, root: TermId) -> Support {
        let mut waiting = vec![root];
        while let Some(&term) = waiting.last() {
            if self.feasibility.supports.contains_key(&term) {
                waiting.pop();
                continue;
            }
            let node = self.system.terms.node(term);
            let mut support = match node {
                Term::Symbol(symbol) => Support::One(symbol),
                _ => Support::None,
            };
            let mut is_ready = true;
            for operand in node.operands() {
                match self.feasibility.supports.get(&operand) {
                    None => {
                        waiting.push(operand);
                        is_ready = false;
                    }
                    Some(&other) => support = joined(support, other),
                }
            }
            if is_ready {
                self.feasibility.supports.insert(term, support);
                waiting.pop();
            }
        }
        self.feasibility.supports[&root]
    }

    /// Whether the conditions of a path may hold together, if every decision in them may go either
    /// way but goes the same way everywhere. If a short search does not show it, the answer is yes.
    pub(crate) fn is_consistent(&mut self, path: PathId) -> bool {
        if let Some(&known) = self.feasibility.consistent.get(&path) {
            return known;
        }
        let is_consistent = self.search_consistent(path);
        self.feasibility.consistent.insert(path, is_consistent);
        is_consistent
    }

    fn search_consistent(&mut self, path: PathId) -> bool {
        let left = self.left_on(path);
        let mut conditions = Vec::new();
        let mut at = path;
        while let Some((parent, condition)) = self.paths.last_condition(at) {
            conditions.push(condition);
            at = parent;
        }
        conditions.reverse();
        let values = Few { all: &self.feasibility.values, left: &left, most: SPLIT };
        let mut search = Search::new(&self.system.terms, values, SEARCH);
        search.refute(&conditions).is_none()
    }
}

impl Machine<'_> {
    /// Whether a path is possible, as far as [`Self::is_consistent`] and, with so much
    /// [effort](frontend::Judge::may_hold), the judge can tell.
    pub(crate) fn is_possible(&mut self, path: PathId, effort: f64) -> bool {
        if !self.is_consistent(path) {
            return false;
        }
        let conjunction = self.paths.conjunction(path);
        let mut truths = vec![conjunction];
        truths.extend(self.events.assumptions.iter().map(|site| site.condition));
        for symbol in support(&self.system.terms, &[conjunction]) {
            if let Some(values) = self.feasibility.values.get(&symbol).cloned() {
                truths.push(self.one_of(symbol, &values));
            }
        }
        self.judge.may_hold(&self.system.terms, &truths, effort)
    }

    fn one_of(&mut self, symbol: SymbolId, values: &[u128]) -> TermId {
        let word = self.system.terms.symbol_term(symbol);
        self.is_one_of(word, values)
    }

    /// The truth that a word has one of these values.
    pub(crate) fn is_one_of(&mut self, word: TermId, values: &[u128]) -> TermId {
        let terms = &mut self.system.terms;
        let sort = terms.sort(word);
        let mut any = terms.truth(false);
        for &bits in values {
            let value = terms.constant(Value::new(sort, bits));
            let equal = terms.equal(word, value);
            any = terms.or(any, equal);
        }
        any
    }
}

fn joined(left: Support, right: Support) -> Support {
    match (left, right) {
        (Support::None, other) | (other, Support::None) => other,
        (left, right) if left == right => left,
        _ => Support::Many,
    }
}

/// All values of a word under consistent decisions, where symbols have the given values; `None`
/// where they depend on symbols with many, are more than `most`, or the search takes more than the
/// given steps or than the budget, which it counts down.
pub(crate) fn all_values(
    terms: &TermPool,
    values: &FxHashMap<SymbolId, Rc<[u128]>>,
    term: TermId,
    (most, steps): (usize, usize),
    budget: &mut usize,
) -> Option<BTreeSet<u128>> {
    let values = Few { all: values, left: &[], most: usize::MAX };
    let mut search = Search::new(terms, values, steps.min(*budget));
    let before = search.budget;
    let mut found = BTreeSet::new();
    let is_complete = search.collect(term, most, &mut Memo::default(), &mut found);
    *budget -= before - search.budget;
    (is_complete && search.budget > 0).then_some(found)
}

/// The values of symbols, where they are few.
struct Few<'t> {
    all: &'t FxHashMap<SymbolId, Rc<[u128]>>,
    /// What a path leaves of them.
    left: &'t [(SymbolId, Rc<[u128]>)],
    /// How many values a symbol may have.
    most: usize,
}

impl<'t> Few<'t> {
    fn of(&self, symbol: SymbolId) -> Option<&'t Rc<[u128]>> {
        let left = self.left.iter().find(|(known, _)| *known == symbol).map(|(_, values)| values);
        left.or_else(|| self.all.get(&symbol)).filter(|values| values.len() <= self.most)
    }
}

/// A search for decisions under which conditions hold.
struct Search<'t> {
    terms: &'t TermPool,
    /// Symbols with few values.
    values: Few<'t>,
    /// What was decided for truths and symbols, in order.
    decisions: Vec<(TermId, Value)>,
    /// Values of terms that follow from a decision, with its number.
    known: FxHashMap<TermId, (usize, Value)>,
    /// What decided comparisons say of words that are not decided, each with the numbers of the
    /// decisions that it rests on, the last of which made it.
    bounds: Vec<(Bound, BTreeSet<usize>)>,
    /// Numbers of the decisions that the values computed last rest on.
    used: BTreeSet<usize>,
    budget: usize,
}

/// Values of terms that follow from decisions, in the order in which they were computed.
#[derive(Default)]
struct Memo {
    values: FxHashMap<TermId, Value>,
    order: Vec<TermId>,
}

impl Memo {
    /// Forgets all but so many of the first values.
    fn forget_after(&mut self, count: usize) {
        for term in self.order.drain(count..) {
            self.values.remove(&term);
        }
    }
}

/// A truth or symbol that has to be decided before a term has a value.
struct Undecided(TermId);

impl<'t> Search<'t> {
    fn new(terms: &'t TermPool, values: Few<'t>, budget: usize) -> Self {
        let (decisions, known, used) = (Vec::new(), FxHashMap::default(), BTreeSet::new());
        Self { terms, values, decisions, known, bounds: Vec::new(), used, budget }
    }

    /// Why the conditions cannot hold together under the decisions made so far: the numbers of
    /// those that exclude it. `None` where they can, or the budget is used up. A decision that has
    /// no part in the contradiction is not tried the other way (conflict-directed backjumping:
    /// Prosser, Hybrid algorithms for the constraint satisfaction problem, 1993).
    fn refute(&mut self, conditions: &[TermId]) -> Option<BTreeSet<usize>> {
        for (index, &condition) in conditions.iter().enumerate() {
            self.used.clear();
            match self.value(condition, &mut Memo::default()) {
                Ok(value) if value.is_true() => {}
                Ok(_) => return Some(std::mem::take(&mut self.used)),
                Err(Undecided(_)) if self.budget == 0 => return None,
                Err(Undecided(open)) => return self.refute_choices(open, &conditions[index..]),
            }
        }
        None
    }

    /// Decides a term one way after another; each has to be refuted.
    fn refute_choices(&mut self, open: TermId, conditions: &[TermId]) -> Option<BTreeSet<usize>> {
        let level = self.decisions.len();
        let mut reasons = BTreeSet::new();
        for choice in self.choices(open) {
            self.decide(open, choice);
            let refuted = self.refute(conditions);
            self.take_back();
            let refuted = refuted?;
            if !refuted.contains(&level) {
                return Some(refuted);
            }
            reasons.extend(refuted);
        }
        reasons.remove(&level);
        Some(reasons)
    }

    fn decide(&mut self, term: TermId, value: Value) {
        let level = self.decisions.len();
        if self.terms.sort(term) == Sort::TRUTH {
            let used = std::mem::take(&mut self.used);
            if let Some(bound) = self.bound(term, value.is_true(), &mut Memo::default()) {
                let mut reasons = std::mem::take(&mut self.used);
                reasons.insert(level);
                self.bounds.push((bound, reasons));
            }
            self.used = used;
        }
        self.known.insert(term, (level, value));
        if let Some((word, number)) = self.fixed_word(term, value) {
            self.known.entry(word).or_insert((level, number));
        }
        self.decisions.push((term, value));
    }

    fn take_back(&mut self) {
        let (term, value) =
            self.decisions.pop().expect("a decision that is taken back should have been made");
        self.known.remove(&term);
        let level = self.decisions.len();
        self.bounds.retain(|(_, reasons)| reasons.last().is_none_or(|last| *last < level));
        if let Some((word, _)) = self.fixed_word(term, value)
            && self.known.get(&word).is_some_and(|(level, _)| *level == self.decisions.len())
        {
            self.known.remove(&word);
        }
    }

    /// The word that a decision for an equality gives a value.
    fn fixed_word(&self, term: TermId, value: Value) -> Option<(TermId, Value)> {
        let Term::Binary { op: BinaryOp::Eq, lhs, rhs } = self.terms.node(term) else { return None };
        let (word, number) = match (self.terms.as_const(lhs), self.terms.as_const(rhs)) {
            (None, Some(number)) => (lhs, number),
            (Some(number), None) => (rhs, number),
            _ => return None,
        };
        value.is_true().then_some((word, number))
    }

    /// Collects the values of a term under all decisions; whether they are all that there are. The
    /// memo holds values that follow from the decisions made so far.
    fn collect(&mut self, term: TermId, most: usize, memo: &mut Memo, found: &mut BTreeSet<u128>) -> bool {
        match self.value(term, memo) {
            Ok(value) => {
                found.insert(value.bits());
                found.len() <= most
            }
            Err(Undecided(open)) => {
                let can_choose = self.terms.sort(open) == Sort::TRUTH || self.few_values(open).is_some();
                let known = memo.order.len();
                can_choose
                    && self.budget > 0
                    && self.choices(open).into_iter().all(|choice| {
                        self.decide(open, choice);
                        let is_complete = self.collect(term, most, memo, found);
                        self.take_back();
                        memo.forget_after(known);
                        is_complete
                    })
            }
        }
    }

    /// What a term that is to be decided may be.
    fn choices(&self, term: TermId) -> Vec<Value> {
        let sort = self.terms.sort(term);
        match self.few_values(term) {
            Some(values) => values.iter().map(|&bits| Value::new(sort, bits)).collect(),
            None => vec![Value::truth(true), Value::truth(false)],
        }
    }

    fn few_values(&self, term: TermId) -> Option<&'t Rc<[u128]>> {
        match self.terms.node(term) {
            Term::Symbol(symbol) => self.values.of(symbol),
            _ => None,
        }
    }

    fn value(&mut self, term: TermId, memo: &mut Memo) -> Result<Value, Undecided> {
        if let Some(value) = self.terms.as_const(term) {
            return Ok(value);
        }
        if let Some(&known) = memo.values.get(&term) {
            return Ok(known);
        }
        let is_truth = self.terms.sort(term) == Sort::TRUTH;
        if let Some(&(level, value)) = self.known.get(&term) {
            self.used.insert(level);
            return Ok(value);
        }
        self.budget = self.budget.saturating_sub(1);
        if self.budget == 0 {
            return Err(Undecided(term)); // nobody asks what is open any more
        }
        let value = match self.node_value(term, memo) {
            Ok(value) => value,
            // A word cannot be decided, but the truth around it can.
            Err(Undecided(inner))
                if is_truth && self.terms.sort(inner) != Sort::TRUTH && self.few_values(inner).is_none() =>
            {
                self.follows(term, memo).ok_or(Undecided(term))?
            }
            Err(undecided) => return Err(undecided),
        };
        memo.values.insert(term, value);
        memo.order.push(term);
        Ok(value)
    }

    /// The bound of a word that is not decided which a comparison says, or its negation.
    fn bound(&mut self, term: TermId, holds: bool, memo: &mut Memo) -> Option<Bound> {
        let Term::Binary { lhs, rhs, .. } = self.terms.node(term) else { return None };
        let known = (self.value(lhs, memo).ok(), self.value(rhs, memo).ok());
        bound_with(self.terms, term, known, holds)
    }

    /// Whether a comparison follows from those that are decided, or contradicts them.
    fn follows(&mut self, term: TermId, memo: &mut Memo) -> Option<Value> {
        let wanted = self.bound(term, true, memo)?;
        let others = self.bounds.iter().map(|(bound, _)| *bound);
        let verdict = follows(wanted, others)?;
        for (_, reasons) in self.bounds.iter().filter(|(bound, _)| wanted.is_of_same(bound)) {
            self.used.extend(reasons);
        }
        Some(Value::truth(verdict == Follows::Always))
    }

    fn node_value(&mut self, term: TermId, memo: &mut Memo) -> Result<Value, Undecided> {
        let node = self.terms.node(term);
        match node {
            Term::Symbol(_) => Err(Undecided(term)),
            Term::Ite { condition, then, otherwise } => {
                let chosen = if self.value(condition, memo)?.is_true() { then } else { otherwise };
                self.value(chosen, memo)
            }
            Term::Unary { op: UnaryOp::Not, arg } if self.terms.sort(term) == Sort::TRUTH => {
                Ok(Value::truth(!self.value(arg, memo)?.is_true()))
            }
            Term::Binary { op: BinaryOp::And, lhs, rhs } if self.terms.sort(term) == Sort::TRUTH => {
                if !self.value(lhs, memo)?.is_true() {
                    return Ok(Value::truth(false));
                }
                self.value(rhs, memo)
            }
            Term::Binary { op: BinaryOp::Or, lhs, rhs } if self.terms.sort(term) == Sort::TRUTH => {
                if self.value(lhs, memo)?.is_true() {
                    return Ok(Value::truth(true));
                }
                self.value(rhs, memo)
            }
            _ => {
                let mut operands = Vec::with_capacity(3);
                for operand in node.operands() {
                    operands.push(self.value(operand, memo)?);
                }
                Ok(apply_term(&node, &operands).expect("a term with operands should have a value"))
            }
        }
    }
}
