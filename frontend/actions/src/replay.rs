//! Chains before the judge: the interpreter runs them on original and mutants, and says itself what
//! is revealed.

mod first_difference;

use self::first_difference::by_first_difference;
pub use crate::interpret::Label;
use crate::interpret::{Machine, Refusal, Seen, States, TooMany};
use crate::syntax::Kind;
use crate::system::State;
use spec::value::Value;

/// One step of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// The tester stimulates.
    Stimulate(Label),
    /// The tester stimulates what the original refuses: the state stays.
    Probe(Label),
    /// The tester watches, and sees this.
    Watch(Seen),
    /// The tester watches where the original can show nothing at all.
    Look,
    /// An invisible step of the system.
    Invisible(Label),
}

/// Why a chain is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The original cannot take a step.
    Step(usize),
    /// A mutant is not revealed where it should be.
    NotRevealed(usize),
    /// Too much would have to be enumerated.
    TooMany,
}

impl From<TooMany> for Refused {
    fn from(_: TooMany) -> Self {
        Self::TooMany
    }
}

/// The states of the original before each step of a chain over what is seen, and after the last
/// one.
///
/// # Errors
/// If it is no chain of the original.
pub fn sets(original: Machine<'_>, chain: &[Move]) -> Result<Vec<States>, Refused> {
    let mut found = vec![original.start()?];
    for (step, what) in chain.iter().enumerate() {
        let before = &found[step];
        let after = advance(original, before, what, false)?;
        if after.is_empty() {
            return Err(Refused::Step(step));
        }
        found.push(after);
    }
    Ok(found)
}

fn advance(machine: Machine<'_>, before: &States, what: &Move, ignores: bool) -> Result<States, TooMany> {
    match what {
        Move::Stimulate((action, args)) => {
            let refusal = if ignores { Refusal::Stays } else { Refusal::StaysWithOthers };
            machine.after_stimulus(before, (*action, args), refusal)
        }
        Move::Watch(seen) => machine.after_seen(before, seen),
        Move::Probe((action, args)) if ignores => {
            machine.after_stimulus(before, (*action, args), Refusal::Stays)
        }
        // The original refuses a probe: all its states stay.
        Move::Probe((action, args)) => {
            let accepts = !machine.after_stimulus(before, (*action, args), Refusal::Ends)?.is_empty();
            Ok(if accepts { States::new() } else { before.clone() })
        }
        Move::Look if machine.out(before, &States::new())?.is_empty() => Ok(before.clone()),
        Move::Look => Ok(States::new()),
        Move::Invisible(_) => Ok(before.clone()),
    }
}

/// What a mutant may show when watched before a step of a chain and the original may not, and
/// whether it shows such whatever it chooses from the states that the chain leads it to. Only what
/// comes at most `within` steps after the first difference counts; none: all does. `sets` are the
/// states of the original.
///
/// # Errors
/// If it cannot show anything of the kind there.
pub fn revealed(
    original: Machine<'_>,
    sets: &[States],
    mutant: Machine<'_>,
    (chain, step): (&[Move], usize),
    within: Option<u32>,
) -> Result<(Seen, bool), Refused> {
    let mut own = mutant.start()?;
    for what in &chain[..step] {
        own = advance(mutant, &own, what, true)?;
    }
    let allowed = sets.get(step).ok_or(Refused::NotRevealed(step))?;
    let (timely, late) = match within {
        Some(most) => by_first_difference(original, mutant, &chain[..step], most)?,
        None => (own.clone(), States::new()),
    };
    let Some(seen) = mutant.failing(&timely, &original, allowed)? else {
        return Err(Refused::NotRevealed(step));
    };
    let mut is_sure = true;
    for state in &own {
        for shown in mutant.out(&vec![state.clone()], allowed)? {
            let is_allowed = !original.after_seen(allowed, &shown)?.is_empty();
            is_sure &= !is_allowed && !late.contains(state);
        }
    }
    Ok((seen, is_sure))
}

/// Runs a chain of single states: each step has to lead from one state to the next.
///
/// # Errors
/// If one does not.
pub fn run(original: Machine<'_>, chain: &[Move], states: &[State]) -> Result<(), Refused> {
    if states.first().is_none_or(|first| *first != original.system.initial()) {
        return Err(Refused::Step(0));
    }
    for (step, what) in chain.iter().enumerate() {
        let (before, after) = (&states[step], states.get(step + 1).ok_or(Refused::Step(step))?);
        let leads = match what {
            Move::Stimulate((action, args)) | Move::Invisible((action, args)) => {
                original.after_label(before, *action, args)?.contains(after)
            }
            Move::Look => before == after,
            Move::Watch(Seen::Label(action, args)) => {
                original.after_label(before, *action, args)?.contains(after)
            }
            Move::Watch(Seen::Quiet) => {
                before == after && !original.after_seen(&vec![before.clone()], &Seen::Quiet)?.is_empty()
            }
            Move::Probe((action, args)) => {
                before == after && original.after_label(before, *action, args)?.is_empty()
            }
        };
        if !leads {
            return Err(Refused::Step(step));
        }
    }
    Ok(())
}

/// Whether each run of a mutant that shows the labels of a chain leaves the original, in a step
/// before or by the moves that it can make in the state before `step`: by a stimulus there, or, where
/// it is watched, by whatever it does. (Fellner, Tabaei Befrouei, Weissenbacher, *Mutation testing
/// with hyperproperties*, SEFM 2019, calls this definite killing.)
///
/// # Errors
/// If too much would have to be enumerated.
pub fn surely_leaves(
    original: Machine<'_>,
    mutant: Machine<'_>,
    (chain, states): (&[Move], &[State]),
    (step, stimuli): (usize, &[Label]),
) -> Result<bool, TooMany> {
    if mutant.system.initial() != original.system.initial() {
        return Ok(false);
    }
    let duel = Duel { original, mutant };
    for (what, at) in chain[..step].iter().zip(states.windows(2)) {
        let (action, args) = match what {
            Move::Stimulate((action, args)) | Move::Invisible((action, args)) => (*action, args),
            Move::Watch(Seen::Label(action, args)) => (*action, args),
            Move::Probe(_) | Move::Look | Move::Watch(Seen::Quiet) => continue,
        };
        let own = original.after_label(&at[0], action, args)?;
        let (mut goes_on, mut leaves) = (false, false);
        for after in mutant.after_label(&at[0], action, args)? {
            if !own.contains(&after) {
                leaves = true;
            } else if after == at[1] {
                goes_on = true;
            } else {
                return Ok(false);
            }
        }
        if !goes_on {
            return Ok(leaves);
        }
    }
    duel.leaves_in(&states[step], chain.get(step), stimuli)
}

/// Original and mutant in one state.
struct Duel<'a> {
    original: Machine<'a>,
    mutant: Machine<'a>,
}

impl Duel<'_> {
    /// The labels by which the mutant may move by itself.
    fn own_steps(&self, state: &[Value]) -> Result<Vec<Label>, TooMany> {
        let actions = &self.mutant.system.actions;
        let mut found = self.mutant.steps(state)?;
        found.retain(|(action, _)| actions[*action].kind != Kind::Controllable);
        Ok(found)
    }
    /// Whether the mutant has a step by a label, and none that the original has.
    fn leaves_by(&self, state: &[Value], (action, args): &Label) -> Result<bool, TooMany> {
        let own = self.original.after_label(state, *action, args)?;
        let theirs = self.mutant.after_label(state, *action, args)?;
        Ok(!theirs.is_empty() && theirs.iter().all(|after| !own.contains(after)))
    }
    /// Whether it surely leaves the original by one of some stimuli, or, where the tester watches, by
    /// itself.
    fn leaves_in(&self, state: &[Value], what: Option<&Move>, stimuli: &[Label]) -> Result<bool, TooMany> {
        for label in stimuli {
            if self.leaves_by(state, label)? {
                return Ok(true);
            }
        }
        if matches!(what, Some(Move::Stimulate(_) | Move::Probe(_))) {
            return Ok(false);
        }
        let own = self.own_steps(state)?;
        let all = own.iter().try_fold(true, |all, label| Ok(all && self.leaves_by(state, label)?))?;
        Ok(all && !own.is_empty())
    }
}

/// Whether a mutant has a step by a label from a state that the original has not.
///
/// # Errors
/// If too much would have to be enumerated.
pub fn leaves(
    original: Machine<'_>,
    mutant: Machine<'_>,
    state: &[Value],
    (action, args): (usize, &[Value]),
) -> Result<bool, TooMany> {
    let own = original.after_label(state, action, args)?;
    Ok(mutant.after_label(state, action, args)?.iter().any(|after| !own.contains(after)))
}
