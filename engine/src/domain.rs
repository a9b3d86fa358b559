//! What assumptions about one input alone leave of its values, mostly a range.

use model::id::Id;
use model::sort::{FloatFormat, Sort};
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

    /// Whether there are assumptions about the input alone.
    pub(crate) fn is_restricted(&self) -> bool {
        !self.conditions.is_empty()
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

    /// The range that these allowed values span, upwards from the first bound to the second (around
    /// zero where values are signed), if all that was tried between them is allowed, too. `None`:
    /// there are no assumptions about it, or no range.
    pub(crate) fn range(&self, allowed: &[u64]) -> Option<(u64, u64)> {
        if self.conditions.is_empty() {
            return None;
        }
        match self.sort {
            Sort::Word(width) => self.range_of_words(u32::from(width), allowed),
            Sort::Float(format) => self.range_of_floats(format, allowed),
        }
    }

    fn range_of_words(&self, width: u32, allowed: &[u64]) -> Option<(u64, u64)> {
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

    fn range_of_floats(&self, format: FloatFormat, allowed: &[u64]) -> Option<(u64, u64)> {
        let number = |bits: &u64| float(format, *bits);
        let finite = allowed.iter().filter(|bits| number(bits).is_finite());
        let order = |left: &&u64, right: &&u64| number(left).total_cmp(&number(right));
        let (low, high) = (*finite.clone().min_by(order)?, *finite.max_by(order)?);
        let (least, most) = (number(&low), number(&high));
        let inner = (1..8).map(|part| least + (most - least) * f64::from(part) / 8.0);
        inner.clone().all(|value| self.holds(bits_of(format, value))).then_some((low, high))
    }
}

/// The number that a float's bits stand for.
pub(crate) fn float(format: FloatFormat, bits: u64) -> f64 {
    match format {
        FloatFormat::Single => f32::from_bits(bits as u32).into(),
        FloatFormat::Double => f64::from_bits(bits),
    }
}

/// The bits of the float nearest to a number.
pub(crate) fn bits_of(format: FloatFormat, number: f64) -> u64 {
    match format {
        FloatFormat::Single => (number as f32).to_bits().into(),
        FloatFormat::Double => number.to_bits(),
    }
}
