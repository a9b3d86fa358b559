//! Values that no step of a program leads out of, for programs that are mostly the same.
//!
//! A mutant computes nearly all of its words as the original does, from words that have the same
//! values. That a step leads to no further ones there is found out once, and holds wherever the
//! terms are the same and the words that they read have the same sets. Terms of several pools are
//! compared by numbers: terms of a pool get the number of the same node over operands with the same
//! numbers.

use super::values::Set;
use model::id::Id;
use model::sort::Sort;
use model::term::{SymbolId, Term, TermId, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// See the module text.
pub(crate) struct KnownSteps {
    numbers: FxHashMap<Shape, u32>,
    /// For cells the numbers of their next values.
    nexts: BTreeMap<usize, u32>,
    /// The values of cells.
    sets: BTreeMap<usize, Option<Vec<u128>>>,
}

/// What a term is, whatever its pool.
#[derive(PartialEq, Eq, Hash)]
enum Shape {
    /// The value of a cell before the step.
    Cell(usize, Sort),
    /// Another symbol, by its name.
    Symbol(String, Sort),
    Const(Sort, u128),
    /// An operator; numbers take the place of its operands.
    Operator(Term),
}

/// The terms of one reading.
pub(super) struct Terms<'t> {
    pub(super) pool: &'t TermPool,
    /// The symbols that stand for cells.
    pub(super) cells: &'t FxHashMap<SymbolId, usize>,
}

impl KnownSteps {
    /// The values of cells after a step are these terms, and no step leads out of the sets.
    pub(super) fn new(
        terms: &Terms<'_>,
        nexts: &BTreeMap<usize, TermId>,
        sets: &BTreeMap<usize, Set>,
    ) -> Self {
        let mut numbers: FxHashMap<Shape, u32> = FxHashMap::default();
        let of_terms = terms.numbered(|shape| {
            let next = u32::try_from(numbers.len()).ok()?;
            Some(*numbers.entry(shape).or_insert(next))
        });
        let number = |(&cell, next): (&usize, &TermId)| Some((cell, of_terms[next.index()]?));
        let nexts = nexts.iter().filter_map(number).collect();
        let sets = sets.iter().map(|(&cell, set)| (cell, set.as_deref().map(<[u128]>::to_vec))).collect();
        Self { numbers, nexts, sets }
    }

    /// The numbers of terms that are known.
    pub(super) fn numbers_of(&self, terms: &Terms<'_>) -> Vec<Option<u32>> {
        terms.numbered(|shape| self.numbers.get(&shape).copied())
    }

    /// Whether it is known that a step leads to no further values of a cell, whose next value has
    /// this number and reads these cells.
    pub(super) fn is_closed(
        &self,
        (cell, number): (usize, Option<u32>),
        mut reads: impl Iterator<Item = usize>,
        sets: &BTreeMap<usize, Set>,
    ) -> bool {
        let is_same = |cell: usize| match (self.sets.get(&cell), sets.get(&cell)) {
            (Some(known), Some(set)) => known.as_deref() == set.as_deref(),
            (None, None) => true,
            _ => false,
        };
        number.is_some() && self.nexts.get(&cell).copied() == number && is_same(cell) && reads.all(is_same)
    }
}

impl Terms<'_> {
    /// By index of the term its number, as far as there is one.
    fn numbered(&self, mut number: impl FnMut(Shape) -> Option<u32>) -> Vec<Option<u32>> {
        let ids = || (0..self.pool.len()).map(TermId::new);
        // Two symbols of one name could not be told apart.
        let (mut names, mut doubtful) = (FxHashSet::default(), FxHashSet::default());
        for symbol in ids().filter_map(|term| self.pool.as_symbol(term)) {
            if !names.insert(&self.pool.symbol(symbol).name) {
                doubtful.insert(&self.pool.symbol(symbol).name);
            }
        }
        let mut numbers: Vec<Option<u32>> = Vec::with_capacity(self.pool.len());
        for term in ids() {
            let shape = match self.pool.node(term) {
                Term::Symbol(symbol) => {
                    let declared = self.pool.symbol(symbol);
                    match self.cells.get(&symbol) {
                        Some(&cell) => Some(Shape::Cell(cell, declared.sort)),
                        None if doubtful.contains(&declared.name) => None,
                        None => Some(Shape::Symbol(declared.name.clone(), declared.sort)),
                    }
                }
                Term::Const(_) => {
                    self.pool.as_const(term).map(|value| Shape::Const(value.sort(), value.bits()))
                }
                node => {
                    let is_known = node.operands().all(|operand| numbers[operand.index()].is_some());
                    let own = |operand: TermId| {
                        numbers[operand.index()].map_or(operand, |number| TermId::new(number as usize))
                    };
                    is_known.then(|| Shape::Operator(node.map_operands(own)))
                }
            };
            numbers.push(shape.and_then(&mut number));
        }
        numbers
    }
}
