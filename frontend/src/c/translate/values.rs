//! Which values state words can have, where these are few.
//!
//! An abstract interpretation over sets of values: the value of a cell after a step is computed for each of its values before, with all that is
//! unknown of other words left open. Sets are guessed by running this to a fixpoint on the terms of one execution, and are right
//! when an execution under them leads to no further values.

use crate::c::exec::Machine;
use crate::c::exec::layout::Kind;
use crate::c::exec::possible::all_values;
use model::eval::apply_term;
use model::sort::Sort;
use model::term::{BinaryOp, SymbolId, Term, TermId, TermPool, UnaryOp};
use model::value::Value;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Most values of one word that are kept apart.
const MOST: usize = 64;

/// Most combinations of operands that are computed.
const COMBINATIONS: usize = 256;

/// Terms evaluated at most for one guess.
const BUDGET: usize = 300_000;

/// Terms looked at in a search for the values of one word.
const SEARCH: usize = 5_000;

/// Guesses for one word that may turn out to be too small before it is given up.
const PATIENCE: u32 = 10;

/// Values of a word, ascending; `None`: any.
type Set = Option<Rc<[u128]>>;

/// Values of cells, with the number of times they grew.
#[derive(Clone, Default)]
pub(crate) struct Values {
    sets: BTreeMap<usize, Set>,
    growths: BTreeMap<usize, u32>,
}

impl Values {
    /// Tells a machine what is known of its state words. New cells have their initial value.
    pub(crate) fn tell(&mut self, machine: &mut Machine<'_>, cells: &BTreeSet<usize>) {
        for &cell in cells {
            if machine.objects.cell(cell).scalar.kind != Kind::Word {
                continue;
            }
            let start = machine.start_value(cell);
            let start = machine.system.terms.as_const(start).map(|value| Rc::from([value.bits()]));
            let set = self.sets.entry(cell).or_insert(start);
            if let Some(set) = set {
                machine.world.values.insert(cell, set.clone());
            }
        }
    }

    /// Adds what an execution leads to; whether that was all known.
    pub(crate) fn absorb(&mut self, machine: &Machine<'_>) -> bool {
        let guess = self.guess(machine);
        let mut was_known = true;
        for (cell, set) in guess {
            if self.sets.get(&cell) != Some(&set) {
                was_known = false;
                let growths = self.growths.entry(cell).or_default();
                *growths += 1;
                let set = if *growths > PATIENCE { None } else { set };
                self.sets.insert(cell, set);
            }
        }
        was_known
    }

    /// Sets that no step leads out of, if the terms of this execution are those of all states in them.
    fn guess(&self, machine: &Machine<'_>) -> BTreeMap<usize, Set> {
        let mut task = Task { terms: &machine.system.terms, symbols: FxHashMap::default(), budget: BUDGET };
        for &(cell, state) in &machine.world.states {
            task.symbols.insert(machine.system.states[state].symbol, cell);
        }
        let mut nexts: Vec<Next> = Vec::new();
        for (&cell, set) in &self.sets {
            if set.is_some()
                && let Some(next) = machine.world.left.values.get(cell)
            {
                nexts.push((cell, next, cone(task.terms, next)));
            }
        }
        let one_step = task.step(&nexts, &self.sets);
        let mut guess = one_step.clone();
        loop {
            let further = task.step(&nexts, &guess);
            if further == guess {
                break;
            }
            guess = further;
        }
        // Far from the states of this execution its terms may be wrong: where a guess gets out of hand, one step counts.
        for (cell, set) in &mut guess {
            if set.is_none() {
                set.clone_from(&one_step[cell]);
            }
        }
        guess
    }
}

/// A cell, its value after a step, and the terms that this is made of.
type Next = (usize, TermId, Vec<TermId>);

/// What the values of a term are computed from.
struct Task<'t> {
    terms: &'t TermPool,
    /// The cells of state words.
    symbols: FxHashMap<SymbolId, usize>,
    budget: usize,
}

impl Task<'_> {
    /// What each cell may hold before or after a step from these values.
    fn step(&mut self, nexts: &[Next], sets: &BTreeMap<usize, Set>) -> BTreeMap<usize, Set> {
        let mut found = sets.clone();
        for (cell, next, order) in nexts {
            if let Some(before) = &sets[cell] {
                let after = union(&Some(before.clone()), &self.values_after(sets, *cell, *next, order));
                found.insert(*cell, after);
            }
        }
        found
    }

    /// The values that a cell may have after a step from these.
    fn values_after(
        &mut self,
        sets: &BTreeMap<usize, Set>,
        cell: usize,
        next: TermId,
        order: &[TermId],
    ) -> Set {
        let mut known: FxHashMap<SymbolId, Rc<[u128]>> = FxHashMap::default();
        for (&symbol, other) in &self.symbols {
            if let Some(Some(set)) = sets.get(other) {
                known.insert(symbol, set.clone());
            }
        }
        if let Some(values) = all_values(self.terms, &known, next, (MOST, SEARCH), &mut self.budget) {
            return limited(values);
        }
        // One value of the cell at a time, and of all others all at once.
        let own = self.symbols.iter().find(|(_, other)| **other == cell).map(|(&symbol, _)| symbol);
        let cases: Rc<[u128]> = own.and_then(|own| known.get(&own).cloned()).unwrap_or_else(|| Rc::from([0]));
        let mut after: Set = Some(Rc::from([]));
        for &bits in cases.iter() {
            self.budget = self.budget.saturating_sub(order.len());
            if self.budget == 0 || after.is_none() {
                return None;
            }
            let values = evaluate(self.terms, order, next, |symbol| {
                if Some(symbol) == own { Some(Rc::from([bits])) } else { known.get(&symbol).cloned() }
            });
            after = union(&after, &values);
        }
        after
    }
}

/// All terms that a term is made of, operands first.
fn cone(terms: &TermPool, root: TermId) -> Vec<TermId> {
    let mut found = BTreeSet::from([root]);
    let mut waiting = vec![root];
    while let Some(term) = waiting.pop() {
        waiting.extend(terms.node(term).operands().filter(|&operand| found.insert(operand)));
    }
    found.into_iter().collect()
}

fn union(left: &Set, right: &Set) -> Set {
    let (left, right) = (left.as_ref()?, right.as_ref()?);
    limited(left.iter().chain(right.iter()).copied().collect())
}

fn limited(values: BTreeSet<u128>) -> Set {
    (values.len() <= MOST).then(|| values.into_iter().collect())
}

/// The values that a term may have.
fn evaluate(
    terms: &TermPool,
    order: &[TermId],
    root: TermId,
    symbol_values: impl Fn(SymbolId) -> Set,
) -> Set {
    let mut known: FxHashMap<TermId, Set> = FxHashMap::default();
    for &term in order {
        let node = terms.node(term);
        let set = match node {
            Term::Symbol(symbol) => symbol_values(symbol).or_else(|| everything(terms.sort(term))),
            Term::Const(_) => terms.as_const(term).map(|value| Rc::from([value.bits()])),
            Term::Ite { condition, then, otherwise } => match known[&condition].as_deref() {
                Some([0]) => known[&otherwise].clone(),
                Some([1]) => known[&then].clone(),
                _ => union(&known[&then], &known[&otherwise]),
            },
            _ => operator(terms, term, node, &known),
        };
        known.insert(term, set);
    }
    known[&root].clone()
}

/// All values of a narrow word.
fn everything(sort: Sort) -> Set {
    match sort {
        Sort::Word(width) if width <= 4 => Some((0..1u128 << width).collect()),
        _ => None,
    }
}

fn operator(terms: &TermPool, term: TermId, node: Term, known: &FxHashMap<TermId, Set>) -> Set {
    let sort = terms.sort(term);
    let sets: Vec<&Set> = node.operands().map(|operand| &known[&operand]).collect();
    let has = |set: &Set, bits: u128| matches!(set.as_deref(), Some([only]) if *only == bits);
    match node {
        Term::Binary { op: BinaryOp::And | BinaryOp::Mul, .. } if sets.iter().any(|set| has(set, 0)) => {
            return Some(Rc::from([0]));
        }
        Term::Binary { op: BinaryOp::Or, .. } if sets.iter().any(|set| has(set, sort.mask())) => {
            return Some(Rc::from([sort.mask()]));
        }
        Term::Unary { op: UnaryOp::FloatFromBits(_) | UnaryOp::FloatConvert(_), .. } => return None,
        _ => {}
    }
    let Some(lists) = sets.iter().map(|set| set.as_deref()).collect::<Option<Vec<&[u128]>>>() else {
        return everything(sort);
    };
    if lists.iter().map(|list| list.len()).product::<usize>() > COMBINATIONS {
        return everything(sort);
    }
    let sorts: Vec<Sort> = node.operands().map(|operand| terms.sort(operand)).collect();
    let mut values = BTreeSet::new();
    let mut indices = vec![0; lists.len()];
    loop {
        let operands: Vec<Value> =
            indices.iter().enumerate().map(|(at, &index)| Value::new(sorts[at], lists[at][index])).collect();
        let value = apply_term(&node, &operands).expect("an operator should have a value");
        values.insert(value.bits());
        let mut at = 0;
        while at < indices.len() {
            indices[at] += 1;
            if indices[at] < lists[at].len() {
                break;
            }
            indices[at] = 0;
            at += 1;
        }
        if at == indices.len() {
            return limited(values).or_else(|| everything(sort));
        }
    }
}
