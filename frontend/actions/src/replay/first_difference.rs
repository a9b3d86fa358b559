//! Runs of a mutant along a chain, told apart by the step in which they first leave the original.
//!
//! For each step the mutant takes a step there that the original has not, after a run of both; what
//! follows is the mutant's alone.

use super::{Move, advance};
use crate::interpret::{Machine, Seen, States, TooMany};
use crate::syntax::Kind;
use crate::system::State;

/// Where the runs of a mutant may be after the steps of a chain: those from which a watch that
/// comes next is at most `most` steps after their first difference (or would be that itself), and
/// those from which it is not. A state may be among both.
pub(super) fn by_first_difference(
    original: Machine<'_>,
    mutant: Machine<'_>,
    chain: &[Move],
    most: u32,
) -> Result<(States, States), TooMany> {
    let duel = Duel { original, mutant };
    // Runs of both, and for each step, from what comes before the first one, the runs that left then.
    let (mut both, mut left) = match original.system.initial() == mutant.system.initial() {
        true => duel.closed(vec![mutant.system.initial()], States::new())?,
        false => (States::new(), mutant.start()?),
    };
    let mut all_left = vec![left];
    for what in chain {
        for states in &mut all_left {
            *states = advance(mutant, states, what, true)?;
        }
        (both, left) = duel.step(&both, what)?;
        all_left.push(left);
    }
    let (mut timely, mut late) = (both, States::new());
    for (lag, states) in (1..).zip(all_left.into_iter().rev()) {
        let found = if lag <= u64::from(most) { &mut timely } else { &mut late };
        states.into_iter().for_each(|state| add(found, state));
    }
    Ok((timely, late))
}

/// Original and mutant in one state.
struct Duel<'a> {
    original: Machine<'a>,
    mutant: Machine<'a>,
}

impl Duel<'_> {
    /// After a step from some states: where both may be, and where only the mutant may be.
    fn step(&self, states: &States, what: &Move) -> Result<(States, States), TooMany> {
        let (mut both, mut left) = (States::new(), States::new());
        for state in states {
            let own = next(self.original, state, what)?;
            for after in next(self.mutant, state, what)? {
                add(if own.contains(&after) { &mut both } else { &mut left }, after);
            }
        }
        self.closed(both, left)
    }

    /// The states with those that invisible steps lead to.
    fn closed(&self, mut both: States, mut left: States) -> Result<(States, States), TooMany> {
        let mut at = 0;
        while let Some(state) = both.get(at).cloned() {
            at += 1;
            for (action, args) in self.mutant.steps(&state)? {
                if self.mutant.system.actions[action].kind != Kind::Internal {
                    continue;
                }
                let own = self.original.after_label(&state, action, &args)?;
                for after in self.mutant.after_label(&state, action, &args)? {
                    add(if own.contains(&after) { &mut both } else { &mut left }, after);
                }
            }
        }
        Ok((both, self.mutant.closed(left)?))
    }
}

/// Where a system may be after a step of a chain from one state, before invisible steps. It ignores
/// what it does not take.
fn next(machine: Machine<'_>, state: &State, what: &Move) -> Result<States, TooMany> {
    Ok(match what {
        Move::Stimulate((action, args)) | Move::Probe((action, args)) => {
            let after = machine.after_label(state, *action, args)?;
            if after.is_empty() { vec![state.clone()] } else { after }
        }
        Move::Watch(Seen::Label(action, args)) => machine.after_label(state, *action, args)?,
        Move::Watch(Seen::Quiet) => machine.after_seen(&vec![state.clone()], &Seen::Quiet)?,
        Move::Look | Move::Invisible(_) => vec![state.clone()],
    })
}

fn add(found: &mut States, state: State) {
    if !found.contains(&state) {
        found.push(state);
    }
}
