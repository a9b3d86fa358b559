//! Values of state words that loops may start from, told by the judge.
//!
//! A search that begins where the last one ended (lookup tables: "use previous index") ends because
//! the index it begins with is one of the table. That follows from decisions about inputs, which
//! sets of values alone do not see: to them the index may be anything. Where loops are open and a
//! word with few values seems to get out of hand, the judge is asked which small values it can have
//! after a step.

use super::values::Set;
use crate::exec::Machine;
use model::term::{SymbolId, TermId};
use model::visit::cone;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Values below this are asked for one by one.
const SMALL: u128 = 64;

/// Most values that a word may have before.
const FEW: usize = 32;

/// Terms that the next value of a word is made of at most.
const LARGEST: usize = 4_000;

/// Words that are asked about after one execution.
const MOST_WORDS: usize = 8;

/// Steps that are looked ahead.
const STEPS: usize = 8;

/// Effort of each question.
const EFFORT: f64 = 0.1;

/// See the module text.
pub(super) struct Judged<'m, 'p> {
    machine: &'m mut Machine<'p>,
    /// What was known of cells when the step was executed.
    known: &'m BTreeMap<usize, Set>,
    symbols: BTreeMap<usize, SymbolId>,
}

impl<'m, 'p> Judged<'m, 'p> {
    pub(super) fn new(machine: &'m mut Machine<'p>, known: &'m BTreeMap<usize, Set>) -> Self {
        let states = &machine.system.states;
        let symbols =
            machine.initial_memory.states.iter().map(|&(cell, state)| (cell, states[state].symbol)).collect();
        Self { machine, known, symbols }
    }

    /// Puts what the judge says into the place of guesses that left few small values behind: an
    /// index may seem to go below zero, too.
    pub(super) fn mend(mut self, guess: &mut BTreeMap<usize, Set>) {
        let is_lost = |(cell, set): (&usize, &Set)| {
            let before = self.known.get(cell).and_then(|known| known.as_ref());
            let gets_large = |before: &Rc<[u128]>| {
                let is_new = |value: &u128| *value >= SMALL && !before.contains(value);
                set.as_ref().is_none_or(|set| set.iter().any(is_new))
            };
            before.filter(|before| before.len() <= FEW && gets_large(before)).map(|_| *cell)
        };
        let lost: Vec<usize> = guess.iter().filter_map(is_lost).take(MOST_WORDS).collect();
        for cell in lost {
            if let Some(values) = self.values(cell) {
                guess.insert(cell, Some(values));
            }
        }
    }

    /// The values that a cell can have after some steps from those known; `None`: they are too
    /// many, or cannot be told.
    fn values(&mut self, cell: usize) -> Set {
        let next = self.machine.initial_memory.left.values.get(cell)?;
        if cone(&self.machine.system.terms, &[next]).len() > LARGEST {
            return None;
        }
        let mut values: Vec<u128> = self.known[&cell].as_deref()?.to_vec();
        for _ in 0..STEPS {
            let after = self.after(next, cell, &values)?;
            let before = values.len();
            values.extend(after);
            values.sort_unstable();
            values.dedup();
            if values.len() == before {
                return Some(Rc::from(values));
            }
        }
        None
    }

    /// The values of a term after a step in which the cell has one of these values before; `None`:
    /// one of them is large.
    fn after(&mut self, next: TermId, cell: usize, before: &[u128]) -> Option<Vec<u128>> {
        let mut truths = Vec::new();
        for symbol in model::visit::support(&self.machine.system.terms, &[next]) {
            let owner = self.symbols.iter().find(|&(_, &known)| known == symbol).map(|(&cell, _)| cell);
            let values: Option<Vec<u128>> = match owner {
                Some(owner) if owner == cell => Some(before.to_vec()),
                Some(owner) => self.known.get(&owner).and_then(|set| set.as_deref().map(<[u128]>::to_vec)),
                None => None,
            };
            if let Some(values) = values {
                let word = self.machine.system.terms.symbol_term(symbol);
                truths.push(self.machine.is_one_of(word, &values));
            }
        }
        let small: Vec<u128> = (0..SMALL.min(self.machine.system.terms.sort(next).mask() + 1)).collect();
        let is_small = self.machine.is_one_of(next, &small);
        let is_large = self.machine.system.terms.not(is_small);
        if self.may_hold(&truths, &[is_large])[0] {
            return None;
        }
        let cases: Vec<TermId> = small.iter().map(|&value| self.machine.is_one_of(next, &[value])).collect();
        let holds = self.may_hold(&truths, &cases);
        Some(small.into_iter().zip(holds).filter(|&(_, holds)| holds).map(|(value, _)| value).collect())
    }

    fn may_hold(&self, truths: &[TermId], cases: &[TermId]) -> Vec<bool> {
        self.machine.judge.may_hold_each(&self.machine.system.terms, truths, cases, EFFORT)
    }
}
