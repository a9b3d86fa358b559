//! Goals that chains pass anyhow.
//!
//! Where every chain with an occurrence of one goal has one of another goal, too, the other one is
//! a landmark of the first (J. Hoffmann, J. Porteous, L. Sebastia, Ordered landmarks in planning,
//! JAIR 22 (2004)): a cheapest set of chains for all goals is one for all goals but the landmarks.
//! Each goal less halves the space of a search over sets of goals.

use super::distances::Space;
use super::transitions::Transition;
use crate::knowledge::vertex::Vertex;
use crate::search::breadth_first::{FAR, distances};
use crate::session::{Session, Stop};

/// Most looks at transitions that the search for landmarks may cost.
const MOST_LOOKS: usize = 20_000_000;

/// Those of these goals whose occurrences have occurrences of all of them in their chains. All of
/// them where the space is too large to tell.
///
/// # Errors
/// A limit that is reached.
pub(super) fn without_landmarks(
    goals: &[Vertex],
    space: &Space<'_>,
    session: &Session<'_>,
) -> Result<Vec<Vertex>, Stop> {
    let mut kept = goals.to_vec();
    if goals.len() * space.states.transition_count() > MOST_LOOKS {
        return Ok(kept);
    }
    for &goal in goals.iter().filter(|&&goal| space.task.steps(goal) == 1) {
        session.check_limits()?;
        let around = Around::new(goal, space);
        if kept.iter().any(|&other| other != goal && !around.passes(other)) {
            kept.retain(|&other| other != goal);
        }
    }
    Ok(kept)
}

/// The transitions of chains without an occurrence of a goal of one step.
struct Around<'a> {
    space: &'a Space<'a>,
    label: usize,
    /// By state: whether such a chain enters it.
    is_entered: Vec<bool>,
    /// By state: whether such a chain that enters it may go on to its end.
    is_left: Vec<bool>,
}

impl<'a> Around<'a> {
    fn new(goal: Vertex, space: &'a Space<'a>) -> Self {
        let (states, label) = (space.states, space.step.label(goal, 0));
        let other = |&&transition: &&Transition| !states.has(transition, label);
        let after = |state: u32| states.from(state).iter().filter(other).map(|transition| transition.to);
        let is_reached = |distances: Vec<u32>| distances.into_iter().map(|steps| steps != FAR).collect();
        let is_entered: Vec<bool> = is_reached(distances(states.len(), 0..states.initial() as u32, after));
        let entered = || (0..states.len() as u32).filter(|&state| is_entered[state as usize]);
        let mut first = vec![0u32; states.len() + 1];
        entered().flat_map(after).for_each(|to| first[to as usize + 1] += 1);
        (1..first.len()).for_each(|state| first[state] += first[state - 1]);
        let (mut next, mut sources) = (first.clone(), vec![0; first[states.len()] as usize]);
        for state in entered() {
            for to in after(state) {
                sources[next[to as usize] as usize] = state;
                next[to as usize] += 1;
            }
        }
        let before = |state: u32| {
            sources[first[state as usize] as usize..first[state as usize + 1] as usize].iter().copied()
        };
        let ends = entered().filter(|&state| states.ends(state));
        let is_left = is_reached(distances(states.len(), ends, before));
        Self { space, label, is_entered, is_left }
    }

    /// Whether such a chain has a transition with which an occurrence of this goal may begin.
    fn passes(&self, goal: Vertex) -> bool {
        let Self { space, label, is_entered, is_left } = self;
        let fits = |transition: &Transition| {
            is_left[transition.to as usize]
                && space.may_begin(goal, *transition)
                && !space.states.has(*transition, *label)
        };
        (0..space.states.len() as u32)
            .filter(|&state| is_entered[state as usize])
            .any(|state| space.states.from(state).iter().any(fits))
    }
}
