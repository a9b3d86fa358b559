//! What assumptions about one input alone leave of its values, mostly a range.

use model::id::Id;
use model::sort::Sort;
use model::term::{SymbolId, TermId};
use model::validate::{Meaning, Validated};
use model::value::Value;
use model::visit::support;

/// The values of one input that the assumptions about it alone allow.
pub(crate) struct Domain<'s> {
    system: &'s Validated,
    symbol: SymbolId,
    sort: Sort,
    conditions: Vec<TermId>,
}

impl<'s> Domain<'s> {
    /// Of each input.
    pub(crate) fn all(system: &'s Validated) -> Vec<Self> {
        let mut domains: Vec<Self> = system
            .inputs
            .values()
            .map(|input| {
                let sort = system.terms.symbol(input.symbol).sort;
                Self { system, symbol: input.symbol, sort, conditions: Vec::new() }
            })
            .collect();
        let assumptions = system.assumptions.iter();
        for condition in assumptions.flat_map(|assumption| system.terms.conjuncts(assumption.condition)) {
            if let [symbol] = support(&system.terms, &[condition])[..]
                && let Meaning::Input(input) = system.meaning(symbol)
            {
                domains[input.index()].conditions.push(condition);
            }
        }
        domains
    }

    /// Whether the assumptions about the input alone allow a value.
    pub(crate) fn holds(&self, bits: u64) -> bool {
        let value = Value::new(self.sort, bits.into());
        let symbol = self.symbol;
        let holds = |&condition: &TermId| {
            model::eval::evaluate(&self.system.terms, condition, |asked| {
                debug_assert_eq!(asked, symbol, "a condition of a domain should speak about its input alone");
                value
            })
        };
        self.conditions.iter().all(|condition| holds(condition).is_true())
    }

    /// The range that these allowed values span, upwards from the first bound to the second (around zero where values are signed), if all
    /// that was tried between them is allowed, too. `None`: there are no assumptions about it, or no range.
    pub(crate) fn range(&self, allowed: &[u64]) -> Option<(u64, u64)> {
        let Sort::Word(width) = self.sort else { return None };
        if self.conditions.is_empty() {
            return None;
        }
        let mask = self.sort.mask() as u64;
        // Signed order is unsigned order with the sign bit turned around.
        [0, 1 << (width - 1)].into_iter().find_map(|turn| {
            let order = |value: &&u64| **value ^ turn;
            let (low, high) = (*allowed.iter().min_by_key(order)?, *allowed.iter().max_by_key(order)?);
            let span = high.wrapping_sub(low) & mask;
            let inner = (1..8).map(|part| low.wrapping_add((u128::from(span) * part / 8) as u64) & mask);
            inner.clone().all(|value| self.holds(value)).then_some((low, high))
        })
    }
}
