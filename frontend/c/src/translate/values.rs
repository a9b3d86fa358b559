//! Which values state words can have, where these are few.
//!
//! An abstract interpretation over sets of values: the value of a cell after a step is computed for
//! each of its values before, with all that is unknown of other words left open. Sets are guessed
//! by running this to a fixpoint on the terms of one execution, and are right when an execution
//! under them leads to no further values.

use super::judged::Judged;
use super::known_steps::{KnownSteps, Terms};
use crate::exec::Machine;
use crate::exec::layout::Kind;
use crate::exec::path_feasibility::all_values;
use crate::readings::Readings;
use frontend::WordValues;
use model::eval::apply_term;
use model::id::Id;
use model::sort::Sort;
use model::term::{BinaryOp, SymbolId, Term, TermId, TermPool, UnaryOp};
use model::value::Value;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Most values of one word that are kept apart.
const MOST: usize = 64;

/// Most combinations of operands that are computed.
const COMBINATIONS: usize = 256;

/// Terms evaluated at most for one guess. Where one needed more, the next ones would as well: each
/// gets half of what the one before it had, but not less than the second number.
const BUDGET: (usize, usize) = (300_000, 60_000);

/// Terms looked at in a search for the values of one word.
const SEARCH: usize = 5_000;

/// Terms that the next value of one word is made of at most: above that it is open.
const LARGEST: usize = 30_000;

/// Terms that the next values of all words are made of at most, each counted for every word.
const ALL_CONES: usize = 1_000_000;

/// Terms looked at for all of them, also for those that turn out too large.
const ALL_LOOKED_AT: usize = 10 * ALL_CONES;

/// Terms of an execution from which on only words that keep their first value are known: to look
/// for more, and to execute once more for each set that grows, takes too long.
const COSTLY: usize = 2_000_000;

/// Guesses for one word that may turn out to be too small before it is given up.
const PATIENCE: u32 = 10;

/// Values of a word, ascending; `None`: any.
pub(super) type Set = Option<Rc<[u128]>>;

/// Values of cells, with the number of times they grew.
#[derive(Clone, Default)]
pub(crate) struct Values {
    sets: BTreeMap<usize, Set>,
    growths: BTreeMap<usize, u32>,
    /// Guesses so far that needed more than their budget.
    exhausted: u32,
    /// What cells are guessed to have from the beginning.
    first: Arc<WordValues>,
}

impl Values {
    /// Nothing is known yet, and this is guessed at first.
    pub(crate) fn beginning_with(first: &Arc<WordValues>) -> Self {
        Self { first: first.clone(), ..Self::default() }
    }

    /// What was found.
    pub(crate) fn into_words(self) -> WordValues {
        self.sets.into_iter().map(|(cell, set)| (cell, set.map(|set| set.to_vec()))).collect()
    }

    /// Tells a machine what is known of its state words. New cells have their initial value.
    pub(crate) fn tell(&mut self, machine: &mut Machine<'_>, cells: &BTreeSet<usize>) {
        for &cell in cells {
            if machine.objects.cell(cell).scalar.kind != Kind::Word {
                continue;
            }
            let start = machine.start_value(cell);
            let start: Set = machine.system.terms.as_const(start).map(|value| Rc::from([value.bits()]));
            let first = || match self.first.get(&cell) {
                None => start,
                Some(guess) => union(&start, &guess.as_deref().map(Rc::from)),
            };
            let set = self.sets.entry(cell).or_insert_with(first);
            if let Some(set) = set {
                machine.initial_memory.values.insert(cell, set.clone());
            }
        }
    }

    /// Adds what an execution leads to; whether that was all known.
    pub(crate) fn absorb(&mut self, machine: &mut Machine<'_>, readings: Option<&Readings>) -> bool {
        let is_costly = machine.system.terms.len() > COSTLY;
        let known = readings.and_then(|readings| readings.steps.get());
        let mut guess = if is_costly { self.kept(machine) } else { self.guess(machine, known) };
        if machine.has_open_loops && !is_costly {
            Judged::new(machine, &self.sets).mend(&mut guess);
        }
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

    /// Keeps what is known when an execution has led to no further values.
    pub(crate) fn keep(&self, machine: &Machine<'_>, readings: &Readings) {
        let (pool, cells) = (&machine.system.terms, &state_cells(machine));
        if pool.len() <= COSTLY {
            let left = &machine.initial_memory.left.values;
            let next = |(&cell, set): (&usize, &Set)| Some((cell, left.get(cell).filter(|_| set.is_some())?));
            let nexts = self.sets.iter().filter_map(next).collect();
            readings.steps.get_or_init(|| KnownSteps::new(&Terms { pool, cells }, &nexts, &self.sets));
        }
    }

    /// The sets of the words that this execution leaves as they are, or sets to their only value;
    /// the others are open.
    fn kept(&self, machine: &Machine<'_>) -> BTreeMap<usize, Set> {
        let terms = &machine.system.terms;
        let symbol = |&(cell, state): &(usize, _)| (cell, machine.system.states[state].symbol);
        let symbols: FxHashMap<usize, SymbolId> = machine.initial_memory.states.iter().map(symbol).collect();
        let keeps = |cell: usize, set: &Set| match machine.initial_memory.left.values.get(cell) {
            None => true,
            Some(next) => match terms.as_const(next) {
                Some(value) => set.as_deref() == Some(&[value.bits()][..]),
                None => terms.as_symbol(next).is_some_and(|next| symbols.get(&cell) == Some(&next)),
            },
        };
        self.sets.iter().map(|(&cell, set)| (cell, set.clone().filter(|_| keeps(cell, set)))).collect()
    }

    /// Sets that no step leads out of, if the terms of this execution are those of all states in
    /// them. Where that is known of a cell, it is not found out again.
    fn guess(&mut self, machine: &Machine<'_>, known: Option<&KnownSteps>) -> BTreeMap<usize, Set> {
        let terms = &machine.system.terms;
        let cells = state_cells(machine);
        let known = known.map(|known| (known, known.numbers_of(&Terms { pool: terms, cells: &cells })));
        let mut nexts: Vec<Next> = Vec::new();
        let mut guess = self.sets.clone();
        let positions = vec![0; terms.len()];
        let mut builder =
            ConeBuilder { terms, cells: &cells, positions, left: ALL_CONES, effort: ALL_LOOKED_AT };
        for (&cell, set) in &self.sets {
            if set.is_some()
                && let Some(next) = machine.initial_memory.left.values.get(cell)
            {
                match builder.cone(next) {
                    Some(cone) => {
                        let is_closed = known.as_ref().is_some_and(|(known, numbers)| {
                            let reads = cone.reads.iter().map(|(_, cell)| *cell);
                            known.is_closed((cell, numbers[next.index()]), reads, &self.sets)
                        });
                        nexts.push(Next { cell, cone, is_closed });
                    }
                    None => drop(guess.insert(cell, None)),
                }
            }
        }
        let budget = BUDGET.0.checked_shr(self.exhausted).unwrap_or(0).max(BUDGET.1);
        let mut task = Task { terms, budget };
        let mut added = task.step(&nexts, &mut guess, None);
        let one_step = guess.clone();
        while !added.is_empty() {
            added = task.step(&nexts, &mut guess, Some(&added));
        }
        self.exhausted += u32::from(task.budget == 0);
        // Far from the states of this execution its terms may be wrong: where a guess gets out of
        // hand, one step counts.
        for (cell, set) in &mut guess {
            if set.is_none() {
                set.clone_from(&one_step[cell]);
            }
        }
        guess
    }
}

/// The cells that symbols stand for.
fn state_cells(machine: &Machine<'_>) -> FxHashMap<SymbolId, usize> {
    let symbol = |&(cell, state): &(usize, _)| (machine.system.states[state].symbol, cell);
    machine.initial_memory.states.iter().map(symbol).collect()
}

/// A cell and what its value after a step is made of.
struct Next {
    cell: usize,
    cone: Cone,
    /// Whether it is known that a step from the first sets adds nothing to its own.
    is_closed: bool,
}

/// All terms that a term is made of, operands first; the last one is the term itself.
struct Cone {
    terms: Vec<TermId>,
    /// Where the operands of each stand among them.
    operands: Vec<[u32; 3]>,
    /// Symbols of state words among them, with their cells.
    reads: Vec<(SymbolId, usize)>,
}

/// Builds cones one after another; they share a table of positions, which is all zero between them.
struct ConeBuilder<'t> {
    terms: &'t TermPool,
    cells: &'t FxHashMap<SymbolId, usize>,
    /// Position in the cone and one, by index of the term.
    positions: Vec<u32>,
    /// Terms that may still become part of a cone.
    left: usize,
    /// Terms that may still be looked at.
    effort: usize,
}

impl ConeBuilder<'_> {
    /// The cone of a term; `None` where it is too large.
    fn cone(&mut self, root: TermId) -> Option<Cone> {
        let most = LARGEST.min(self.left).min(self.effort);
        let mut found = vec![root];
        self.positions[root.index()] = 1;
        let mut at = 0;
        while at < found.len() && found.len() <= most {
            for operand in self.terms.node(found[at]).operands() {
                if std::mem::replace(&mut self.positions[operand.index()], 1) == 0 {
                    found.push(operand);
                }
            }
            at += 1;
        }
        self.effort -= found.len().min(self.effort);
        let cone = (found.len() <= most).then(|| {
            found.sort_unstable();
            self.left -= found.len();
            self.finish(&found)
        });
        for term in found {
            self.positions[term.index()] = 0;
        }
        cone
    }

    fn finish(&mut self, found: &[TermId]) -> Cone {
        for (position, &term) in found.iter().enumerate() {
            self.positions[term.index()] = position as u32 + 1;
        }
        let operands = found.iter().map(|&term| {
            let mut places = [0; 3];
            for (place, operand) in places.iter_mut().zip(self.terms.node(term).operands()) {
                *place = self.positions[operand.index()] - 1;
            }
            places
        });
        let operands = operands.collect();
        let read = |&term: &TermId| {
            let symbol = self.terms.as_symbol(term)?;
            Some((symbol, *self.cells.get(&symbol)?))
        };
        let reads = found.iter().filter_map(read).collect();
        Cone { terms: found.to_vec(), operands, reads }
    }
}

impl Cone {
    fn root(&self) -> TermId {
        *self.terms.last().expect("a cone should hold its root")
    }
}

/// What was added to the values of cells; `None`: all other values.
type Added = BTreeMap<usize, Set>;

/// What the values of a term are computed from.
struct Task<'t> {
    terms: &'t TermPool,
    budget: usize,
}

impl Task<'_> {
    /// Adds to each set what the cell may hold after a step from these sets. `new`: what was added
    /// last to some of them; what follows from the rest is known. Returns what was added.
    fn step(&mut self, nexts: &[Next], sets: &mut BTreeMap<usize, Set>, new: Option<&Added>) -> Added {
        let mut added = Added::new();
        let mut grown: Vec<(usize, Set)> = Vec::new();
        for next in nexts.iter().filter(|next| new.is_some() || !next.is_closed) {
            let before = &sets[&next.cell];
            let Some(known) = before else { continue };
            let after = union(before, &self.values_since(sets, next, new));
            if after != *before {
                let is_new = |bits: &u128| known.binary_search(bits).is_err();
                let more = after.as_ref().map(|after| after.iter().copied().filter(is_new).collect());
                added.insert(next.cell, more);
                grown.push((next.cell, after));
            }
        }
        sets.extend(grown);
        added
    }

    /// The values that a cell may have after a step from these, of which at least one is new; those
    /// that it may have after any, where all are (semi-naive evaluation: F. Bancilhon, Naive
    /// evaluation of recursively defined relations, 1986).
    fn values_since(&mut self, sets: &BTreeMap<usize, Set>, next: &Next, new: Option<&Added>) -> Set {
        let Some(new) = new else { return self.values_after(sets, next, None) };
        let read = || next.cone.reads.iter().filter_map(|(_, cell)| Some((*cell, new.get(cell)?)));
        if read().any(|(_, new)| new.is_none()) {
            return self.values_after(sets, next, None);
        }
        let mut after: Set = Some(Rc::from([]));
        for (cell, new) in read() {
            let values = self.values_after(sets, next, new.as_ref().map(|new| (cell, new)));
            after = union(&after, &values);
        }
        after
    }

    /// The values that a cell may have after a step from these, one cell having only those given.
    fn values_after(
        &mut self,
        sets: &BTreeMap<usize, Set>,
        next: &Next,
        only: Option<(usize, &Rc<[u128]>)>,
    ) -> Set {
        let cone = &next.cone;
        let set_of = |&(symbol, cell): &(SymbolId, usize)| match only {
            Some((one, values)) if one == cell => Some((symbol, values.clone())),
            _ => Some((symbol, sets.get(&cell)?.clone()?)),
        };
        let known: FxHashMap<SymbolId, Rc<[u128]>> = cone.reads.iter().filter_map(set_of).collect();
        if let Some(values) = all_values(self.terms, &known, cone.root(), (MOST, SEARCH), &mut self.budget) {
            return limited(values);
        }
        // One value of the cell at a time, and of all others all at once.
        let own = cone.reads.iter().find(|(_, cell)| *cell == next.cell).map(|(symbol, _)| *symbol);
        let cases: Rc<[u128]> = own.and_then(|own| known.get(&own).cloned()).unwrap_or_else(|| Rc::from([0]));
        let mut after: Set = Some(Rc::from([]));
        for &bits in cases.iter() {
            self.budget = self.budget.saturating_sub(cone.terms.len());
            if self.budget == 0 || after.is_none() {
                return None;
            }
            let values = evaluate(self.terms, cone, |symbol| {
                if Some(symbol) == own { Some(Rc::from([bits])) } else { known.get(&symbol).cloned() }
            });
            after = union(&after, &values);
        }
        after
    }
}

fn union(left: &Set, right: &Set) -> Set {
    let (left, right) = (left.as_ref()?, right.as_ref()?);
    limited(left.iter().chain(right.iter()).copied().collect())
}

fn limited(values: BTreeSet<u128>) -> Set {
    (values.len() <= MOST).then(|| values.into_iter().collect())
}

/// The values that the root of a cone may have.
fn evaluate(terms: &TermPool, cone: &Cone, symbol_values: impl Fn(SymbolId) -> Set) -> Set {
    let mut known: Vec<Set> = Vec::with_capacity(cone.terms.len());
    for (&term, operands) in cone.terms.iter().zip(&cone.operands) {
        let operand = |index: usize| &known[operands[index] as usize];
        let set = match terms.node(term) {
            Term::Symbol(symbol) => symbol_values(symbol).or_else(|| everything(terms.sort(term))),
            Term::Const(_) => terms.as_const(term).map(|value| Rc::from([value.bits()])),
            Term::Ite { .. } => match operand(0).as_deref() {
                Some([0]) => operand(2).clone(),
                Some([1]) => operand(1).clone(),
                _ => union(operand(1), operand(2)),
            },
            node => {
                let count = node.operands().count();
                let sets: Vec<&Set> = (0..count).map(operand).collect();
                operator(terms, term, node, &sets)
            }
        };
        known.push(set);
    }
    known.pop().expect("a cone should hold its root")
}

/// All values of a narrow word.
fn everything(sort: Sort) -> Set {
    match sort {
        Sort::Word(width) if width <= 4 => Some((0..1u128 << width).collect()),
        _ => None,
    }
}

fn operator(terms: &TermPool, term: TermId, node: Term, sets: &[&Set]) -> Set {
    let sort = terms.sort(term);
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
