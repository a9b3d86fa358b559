//! How large a model is, before and after what goals do not need is removed: words of state, and
//! gates of one step.

use crate::knowledge::task::SEARCHED;
use encoder::EncodeError;
use encoder::aig::{Aig, Literal};
use encoder::blast::{Blaster, Words};
use model::slice::slice;
use model::system::TransitionSystem;
use model::term::{SymbolId, TermId};
use model::validate::Validated;
use model::visit::cone;
use std::fmt;
use std::time::Instant;

/// Gates counted at most where they decide what is tried.
const MOST_GATES: usize = 5_000_000;
/// Gates counted at most where they are only shown.
const MOST_SHOWN: usize = 1_000_000;

/// Terms whose gates are counted before somebody looks at the clock again.
const TERMS_BETWEEN_LOOKS: usize = 256;

/// The size of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Number of state words.
    pub state_words: usize,
    /// Number of state bits.
    pub state_bits: u32,
    /// Nodes of the and-inverter graph of one step: states, outputs, assumptions, goals, Final.
    /// `None`: more than are counted.
    pub gates: Option<usize>,
}

impl Size {
    /// The size of a system as it is.
    pub fn of(system: &TransitionSystem) -> Self {
        Self::counting(system, MOST_GATES, None)
    }

    /// The size of a system as it is; gates are not known where the time is up before.
    pub(crate) fn until(system: &TransitionSystem, deadline: Option<Instant>) -> Self {
        Self::counting(system, MOST_GATES, deadline)
    }

    /// The size to be shown of a system as it is.
    pub fn shown(system: &TransitionSystem) -> Self {
        Self::counting(system, MOST_SHOWN, None)
    }

    fn counting(system: &TransitionSystem, most: usize, deadline: Option<Instant>) -> Self {
        Self {
            state_words: system.states.len(),
            state_bits: system
                .states
                .values()
                .map(|state| system.terms.symbol(state.symbol).sort.width())
                .sum(),
            gates: gates(system, most, deadline),
        }
    }

    /// The size to be shown of what goals, assumptions and Final depend on.
    pub fn of_slice(system: &Validated) -> Self {
        Self::shown(&slice(system, SEARCHED).0)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} state words ({} bits), ", self.state_words, self.state_bits)?;
        match self.gates {
            Some(gates) => write!(formatter, "{gates} gates"),
            None => write!(formatter, "more than a million gates"),
        }
    }
}

fn gates(system: &TransitionSystem, most: usize, deadline: Option<Instant>) -> Option<usize> {
    let mut roots: Vec<TermId> = system.states.values().map(|state| state.next).collect();
    roots.extend(system.outputs.iter().map(|output| output.value));
    roots.extend(system.assumptions.iter().map(|assumption| assumption.condition));
    roots.extend(
        system.goals.values().flat_map(|goal| std::iter::once(goal.antecedent).chain(goal.expectation)),
    );
    roots.extend(system.end);
    let terms = &system.terms;
    let (mut aig, mut words, mut blaster) = (Aig::new(), Words::default(), Blaster::new(terms));
    let mut symbols = |aig: &mut Aig, symbol: SymbolId| {
        let width = terms.symbol(symbol).sort.width();
        Ok::<_, EncodeError>((0..width).map(|_| aig.input()).collect::<Vec<Literal>>())
    };
    for (number, term) in cone(terms, &roots).into_iter().enumerate() {
        if number % TERMS_BETWEEN_LOOKS == 0 && deadline.is_some_and(|end| Instant::now() >= end) {
            return None;
        }
        blaster.blast(term, &mut words, &mut aig, &mut symbols).ok()?;
        if aig.ands() > most {
            return None;
        }
    }
    Some(aig.ands())
}
