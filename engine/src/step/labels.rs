//! Which transition of its window each part of a goal speaks about.
//!
//! The formula of a goal of J steps is a conjunction over a window of J + 1 states and J inputs. A conjunct that speaks about one
//! transition (the state and the inputs before it, the state after it) can be judged when that transition is taken. The conjuncts of
//! transition k together are the *label* (g, k): an occurrence of goal g is a run of J transitions of which the k-th has label (g, k).

use crate::knowledge::problem::Target;
use model::system::StateId;
use model::term::TermId;
use model::validate::{Meaning, Validated};
use model::visit::support;

/// The conjuncts of a goal's formula.
pub(super) struct Labels {
    /// By transition of the window: the conjuncts that are judged there.
    pub(super) conjuncts: Vec<Vec<TermId>>,
    /// Whether further conjuncts compare what no single transition sees.
    pub(super) are_partial: bool,
}

impl Labels {
    /// Of a goal. A conjunct over one state alone belongs to the transition to it, so that it is judged as soon as it can be; over
    /// the first state of the window, to the transition from it.
    pub(super) fn of(system: &Validated, target: &Target) -> Self {
        let mut labels =
            Self { conjuncts: vec![Vec::new(); target.steps as usize], are_partial: false };
        for conjunct in system.terms.conjuncts(target.antecedent) {
            let transition = transition(system, conjunct).map(|transition| transition as usize);
            match transition.and_then(|transition| labels.conjuncts.get_mut(transition)) {
                Some(conjuncts) => conjuncts.push(conjunct),
                None => labels.are_partial = true,
            }
        }
        labels
    }
}

/// The state words that goals read behind a step, each once or more.
pub(super) fn read_later(system: &Validated, term: TermId) -> impl Iterator<Item = StateId> {
    let framed = support(&system.terms, &[term]).into_iter().map(|symbol| framed(system.meaning(symbol), system));
    framed.filter_map(|(meaning, offset)| match meaning {
        Meaning::State(state) if offset > 0 => Some(state),
        _ => None,
    })
}
