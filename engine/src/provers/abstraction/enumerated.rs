//! Projections of a system that are small enough to be enumerated: what they exclude is excluded,
//! and their distances are lower bounds of distances.
//!
//! A projection keeps some state words; the others may have any value at any time. The words are
//! chosen by what goals speak about and by how few values they take in simulated executions.

use super::distances::Distances;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::abstraction::subproblem::End;
use crate::provers::explicit::{Explicit, Limits, Projection, if_suited};
use crate::session::{Session, Stop};
use crate::step::bits::Step;
use crate::step::initial::InitialState;
use model::id::Id;
use model::system::StateId;
use model::value::Value;
use rustc_hash::FxHashSet;

/// What the enumeration of a projection may cost.
const LIMITS: Limits = Limits { states: 40_000, classes: 500, outcomes: true, work: 60_000_000 };
/// Most projections that are used.
const MOST_PROJECTIONS: usize = 3;
/// Most enumerations that are tried.
const MOST_ATTEMPTS: usize = 24;
/// Sets of words are not tried where so many combinations of their values are possible.
const MOST_COMBINATIONS: f64 = 2e6;

impl Projection<'_> {
    /// Fewest steps from each state to the end of a subproblem; `None` where that is anywhere.
    pub(super) fn to_end(&self, end: &End<'_>) -> Option<Vec<u32>> {
        match *end {
            End::Anywhere => None,
            End::Final => Some(self.explicit.to_event(Vertex::DEPOT).to_vec()),
            End::Like { state, mask } => {
                let (state, mask) = (self.projected(state), self.projected(mask));
                let fits = |&number: &u32| {
                    let bits = self.explicit.packed(number).iter().zip(&state).zip(&mask);
                    bits.into_iter().all(|((bits, state), mask)| (bits ^ state) & mask == 0)
                };
                let numbers: Vec<u32> = (0..self.explicit.len() as u32).filter(fits).collect();
                Some(self.explicit.to_states(&numbers))
            }
        }
    }

    /// Enters what it says about distances.
    pub(super) fn enter(&self, graph: &mut ReachGraph) {
        Distances::of(&self.explicit, graph.goals().len(), |vertex| vertex).enter(graph);
    }
}

/// Projections that together keep as many of the words as can be afforded; `seen` are reachable
/// states.
pub(super) fn projections<'s>(
    task: &'s Task<'s>,
    step: &Step,
    initial: &[InitialState],
    seen: &[Vec<Value>],
    session: &Session<'_>,
) -> Result<Vec<Projection<'s>>, Stop> {
    let mut words = ranked(task, seen);
    let (mut found, mut attempts) = (Vec::new(), 0);
    while found.len() < MOST_PROJECTIONS && !words.is_empty() {
        let (mut kept, mut best): (Vec<StateId>, Option<Explicit<'s>>) = (Vec::new(), None);
        for &word in &words {
            let wider: Vec<StateId> = kept.iter().copied().chain([word]).collect();
            if attempts == MOST_ATTEMPTS || combinations(&wider, seen) > MOST_COMBINATIONS {
                continue;
            }
            attempts += 1;
            session.check_limits()?;
            let found = Explicit::project(task, &|word| wider.contains(&word), initial, LIMITS, session);
            if let Some(explicit) = if_suited(found)? {
                (kept, best) = (wider, Some(explicit));
            }
        }
        let Some(explicit) = best else { break };
        words.retain(|word| !kept.contains(word));
        found.push(Projection::of(step, explicit));
    }
    Ok(found)
}

/// The state words: those first that many goals speak about, and of these the ones with few values.
fn ranked(task: &Task<'_>, seen: &[Vec<Value>]) -> Vec<StateId> {
    let system = task.system;
    let roots = task.vertices().map(|vertex| task.target(vertex).antecedent).chain(system.end);
    let mut mentions = vec![0usize; system.states.len()];
    for root in roots {
        for state in crate::provers::abstraction::states_in(system, root) {
            mentions[state.index()] += 1;
        }
    }
    let mut words: Vec<StateId> = system.states.ids().collect();
    let values: Vec<usize> = words.iter().map(|&word| values(word, seen)).collect();
    words.sort_by_key(|word| (std::cmp::Reverse(mentions[word.index()].min(8)), values[word.index()]));
    words
}

/// Number of different values seen.
pub(crate) fn values(word: StateId, seen: &[Vec<Value>]) -> usize {
    seen.iter().map(|state| state[word.index()].bits()).collect::<FxHashSet<u128>>().len().max(1)
}

/// An estimate of the number of states over these words.
fn combinations(words: &[StateId], seen: &[Vec<Value>]) -> f64 {
    words.iter().map(|&word| values(word, seen) as f64).product()
}
