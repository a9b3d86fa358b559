//! Loops that never end.
//!
//! There are two proofs. A round that begins with the path and the memory of an earlier round does
//! what that one did, for ever. And a set of cells is closed if a round that begins with any values
//! in them leaves all others as they were, runs into nothing undefined and lets no execution out:
//! by induction all further rounds do the same.

use super::hazard::HazardKind;
use super::loops::Loop;
use super::state::{Memory, State};
use super::{Frame, Machine, Scope};
use model::system::{HazardEffect, InputRole};
use std::collections::BTreeSet;

/// Rounds after which a closed set of cells is looked for: loops that end rarely have as many.
const OFTEN: u32 = 64;

/// How often a set of cells grows before it is given up.
const MOST_GROWTHS: u32 = 4;

/// What was in front of a loop, and what it was like behind an earlier round, which is kept for as
/// many rounds as there were before it (Brent, *An improved Monte Carlo factorization algorithm*,
/// BIT 20, 1980, section 2).
pub(super) struct Earlier {
    /// The memory in front of the loop.
    pub(super) before: Memory,
    state: Option<State>,
    objects: usize,
}

impl Earlier {
    /// In front of the loop.
    pub(super) fn new(state: &State) -> Self {
        Self { before: state.memory.clone(), state: None, objects: 0 }
    }
}

impl Machine<'_> {
    /// Whether a loop that is in a state behind a round provably never ends.
    pub(super) fn never_ends(
        &self,
        frame: &mut Frame,
        (state, earlier): (&State, &mut Earlier),
        (repeated, rounds): (&Loop<'_>, u32),
    ) -> bool {
        if !self.marks_long_loops || !frame.jumps.is_empty() {
            return false;
        }
        let is_same = |earlier: &State| {
            let (one, other) = (&earlier.memory, &state.memory);
            earlier.path == state.path
                && one.values.differences(&other.values).is_empty()
                && one.written.differences(&other.written).is_empty()
        };
        if earlier.objects == self.objects.count() && earlier.state.as_ref().is_some_and(is_same) {
            return true;
        }
        if rounds.is_power_of_two() {
            (earlier.state, earlier.objects) = (Some(state.clone()), self.objects.count());
        }
        rounds == OFTEN && self.is_closed(frame, state, repeated)
    }

    /// Whether some set of cells is closed, and the others hold what they hold in the state.
    fn is_closed(&self, frame: &mut Frame, state: &State, repeated: &Loop<'_>) -> bool {
        let mut open: BTreeSet<usize> = BTreeSet::new();
        for _ in 0..MOST_GROWTHS {
            let Some(changed) = self.changed_by_round(frame, state, &open, repeated) else { return false };
            let before = open.len();
            open.extend(changed);
            if open.len() == before {
                return true;
            }
        }
        false
    }

    /// The cells that a round may change where some hold any values; `None` where an execution may
    /// leave the loop, or is not known to be defined.
    fn changed_by_round(
        &self,
        frame: &mut Frame,
        state: &State,
        open: &BTreeSet<usize>,
        repeated: &Loop<'_>,
    ) -> Option<Vec<usize>> {
        let mut machine = self.clone();
        let mut start = state.clone();
        for &cell in open {
            let value = start.memory.values.get(cell)?;
            if start.memory.written.get(cell).is_some() {
                return None;
            }
            let sort = machine.system.terms.sort(value);
            let input = machine.system.add_input("(any value)", sort, InputRole::Choice);
            start.memory.set(cell, machine.system.input_term(input));
        }
        let scopes = frame.scopes.len();
        let escaped = machine.escapes(frame, scopes);
        frame.scopes.push(Scope { is_loop: true, ..Scope::default() });
        let (visits, assumed) = (machine.hazards.visits.len(), machine.events.assumptions.len());
        let objects = machine.objects.count();
        let waiting = frame.returns.len();
        let end = machine.round(frame, Some(start.clone()), repeated);
        let left = frame.scopes.drain(scopes..).any(|scope| !scope.breaks.is_empty());
        let is_left = left || machine.escapes(frame, scopes) != escaped;
        frame.returns.truncate(waiting);
        frame.jumps.clear();
        let end = end.ok().flatten().filter(|end| end.path == start.path && !is_left)?;
        let is_open = |kind: HazardKind| kind.effect() == HazardEffect::Open;
        let met = &machine.hazards.visits[visits..];
        let is_defined = !met.iter().any(|visit| is_open(machine.hazards.sites[visit.site].kind));
        let is_whole = machine.events.assumptions.len() == assumed && machine.objects.count() == objects;
        if !is_defined || !is_whole {
            return None;
        }
        let values = start.memory.values.differences(&end.memory.values);
        let written = start.memory.written.differences(&end.memory.written);
        Some(values.into_iter().chain(written).map(|(cell, ..)| cell).collect())
    }
}
