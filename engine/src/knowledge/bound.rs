//! Lower bounds of the cost of all sets of chains that cover certain goals.

use crate::knowledge::facts::Fact;
use crate::knowledge::vertex::Vertex;
use model::id::Id;
use serde::{Deserialize, Serialize};

/// What is proven of every set of chains that covers all of `goals`, and so of every set that
/// covers more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    /// Ascending.
    goals: Vec<Vertex>,
    claim: Claim,
}

/// See [`Bound`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Claim {
    /// It has at least `chains` chains, and if it has exactly that many, at least `steps` steps in
    /// total.
    Fewest { chains: usize, steps: u64 },
    /// If it has exactly `chains` chains, it has at least `steps` steps in total.
    Of { chains: usize, steps: u64 },
    /// However many chains it has, it has at least that many steps in total.
    Steps(u64),
    /// Its steps, and `reset` for each chain after the first one, are at least `least`.
    Price { reset: u64, least: u64 },
}

impl Bound {
    /// A bound of what covers these goals.
    pub(crate) fn new(goals: &[Vertex], claim: Claim) -> Self {
        let mut goals = goals.to_vec();
        goals.sort_unstable();
        goals.dedup();
        Self { goals, claim }
    }

    /// The bound as a fact.
    pub(crate) fn fact(&self) -> Fact {
        Fact::Bound { goals: self.goals.iter().map(|goal| goal.index()).collect(), claim: self.claim }
    }

    /// What makes the same claim about other goals.
    pub(crate) fn of_goals(&self, goal: impl Fn(Vertex) -> Vertex) -> Self {
        let goals: Vec<Vertex> = self.goals.iter().map(|&own| goal(own)).collect();
        Self::new(&goals, self.claim)
    }

    /// Whether it speaks about every set of chains that covers all of `covered`, ascending.
    pub(crate) fn is_within(&self, covered: &[Vertex]) -> bool {
        self.goals.iter().all(|goal| covered.binary_search(goal).is_ok())
    }

    /// Fewest chains of any set that it speaks about.
    pub(crate) fn chains(&self) -> usize {
        match self.claim {
            Claim::Fewest { chains, .. } => chains,
            Claim::Of { .. } | Claim::Steps(_) | Claim::Price { .. } => 1,
        }
    }

    /// Fewest steps in total of a set of `number` chains.
    pub(crate) fn steps(&self, number: usize) -> u64 {
        match self.claim {
            Claim::Fewest { chains, steps } | Claim::Of { chains, steps } if chains == number => steps,
            Claim::Fewest { .. } | Claim::Of { .. } => 0,
            Claim::Steps(steps) => steps,
            Claim::Price { reset, least } => {
                least.saturating_sub(reset.saturating_mul((number as u64).saturating_sub(1)))
            }
        }
    }

    /// Fewest steps in total of a set of any number of chains.
    pub(crate) fn steps_of_any(&self) -> u64 {
        match self.claim {
            Claim::Steps(steps) | Claim::Price { reset: 0, least: steps } => steps,
            Claim::Fewest { .. } | Claim::Of { .. } | Claim::Price { .. } => 0,
        }
    }

    /// The lowest price of any set, where each further chain costs `reset`.
    pub(crate) fn price(&self, reset: u64) -> Option<u64> {
        match self.claim {
            Claim::Price { reset: own, least } => (own == reset).then_some(least),
            // One chain pays no reset, and more of them have no fewer steps.
            Claim::Steps(steps) => Some(steps),
            Claim::Fewest { .. } | Claim::Of { .. } => None,
        }
    }

    /// Whether both speak about the same sets in the same way, so that the greater one says all.
    pub(crate) fn is_about_the_same(&self, other: &Self) -> bool {
        let is_alike = match (self.claim, other.claim) {
            (Claim::Fewest { .. }, Claim::Fewest { .. }) | (Claim::Steps(_), Claim::Steps(_)) => true,
            (Claim::Price { reset, .. }, Claim::Price { reset: other, .. }) => reset == other,
            (Claim::Of { chains, .. }, Claim::Of { chains: other, .. }) => chains == other,
            _ => false,
        };
        is_alike && self.goals == other.goals
    }

    /// Takes over what the other one, about the same sets, says beyond this one. Whether that is
    /// anything.
    pub(crate) fn raise(&mut self, other: &Self) -> bool {
        let before = self.claim;
        self.claim = match (self.claim, other.claim) {
            (Claim::Fewest { chains, steps }, Claim::Fewest { chains: more, steps: longer }) => {
                let (chains, steps) = (chains, steps).max((more, longer));
                Claim::Fewest { chains, steps }
            }
            (Claim::Of { chains, steps }, Claim::Of { steps: longer, .. }) => {
                Claim::Of { chains, steps: steps.max(longer) }
            }
            (Claim::Steps(steps), Claim::Steps(longer)) => Claim::Steps(steps.max(longer)),
            (Claim::Price { reset, least }, Claim::Price { least: dearer, .. }) => {
                Claim::Price { reset, least: least.max(dearer) }
            }
            (own, _) => own,
        };
        self.claim != before
    }
}
