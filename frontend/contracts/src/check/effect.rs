//! Requirements without effect: void ones, whose assumptions never hold, and implied ones, which
//! the others keep.

use super::Consistency;
use crate::game::{Arena, Ranks};
use crate::interface::{Contract, Interface};
use crate::parts;
use crate::semantics::{Deciding, Effort, Interest, Position, Semantics, Undecided};

/// Adds the requirements of a part whose assumptions hold in no step from a position that can be
/// reached while the system is not lost.
pub(super) fn void(semantics: &Semantics<'_>, arena: &Arena, ranks: &Ranks, found: &mut Vec<usize>) {
    let reachable = arena.reachable_unlost(ranks);
    let is_triggered = |contract: &Contract, is_first: bool| {
        let positions = reachable.iter().filter(|&&number| arena.positions[number].is_none() == is_first);
        let mut steps =
            positions.flat_map(|&number| arena.moves[number].iter().map(move |one| (number, one)));
        steps.any(|(number, one)| {
            semantics.is_triggered(contract, arena.positions[number].as_ref(), &one.inputs)
        })
    };
    for &index in &semantics.selected {
        let requirement = &semantics.interface.requirements[index];
        let is_live = [true, false].into_iter().any(|is_first| {
            requirement.contracts(is_first).iter().any(|contract| is_triggered(contract, is_first))
        });
        if !is_live {
            found.push(index);
        }
    }
}

/// Values that are tried for a requirement of a part whose positions are too many to enumerate: a
/// look at step 0.
const PER_LOOK: u64 = 20_000;

/// Finds the requirements that the others imply, of a consistent interface.
pub(super) fn implied(interface: &Interface, found: &mut Consistency, effort: &mut Effort) {
    let all: Vec<usize> = (0..interface.requirements.len()).collect();
    for part in parts::parts(interface, &all) {
        for &index in part.iter().filter(|index| !found.void.contains(index)) {
            let deciding = Deciding::new(interface, index, &part);
            let is_large = found.unknown_void.contains(&index);
            let known = match is_large {
                true => effort.within(PER_LOOK, |effort| effect(interface, &deciding, effort)),
                false => effect(interface, &deciding, effort),
            };
            match known {
                Ok(Effect::Implied) => found.implied.push(index),
                Ok(Effect::Never) => found.never_deciding.push(index),
                Ok(Effect::Decides) => {}
                Err(_) => found.unknown_effect.push(index),
            }
        }
    }
    for list in [&mut found.implied, &mut found.never_deciding, &mut found.unknown_effect] {
        list.sort_unstable();
    }
}

/// What a requirement does beside the others.
enum Effect {
    /// Nothing, whatever steps the others allow.
    Implied,
    /// Nothing in steps that a system can come to.
    Never,
    /// It decides a step that a system can come to.
    Decides,
}

fn effect(interface: &Interface, deciding: &Deciding<'_>, effort: &mut Effort) -> Result<Effect, Undecided> {
    let own = deciding.others.iter().copied().chain([deciding.index()]).collect();
    let semantics = judging(interface, deciding, own);
    // Step 0 often shows it; all positions are needed elsewhere. A system can answer step 0.
    if may_decide(&semantics, deciding, None, effort)? {
        return Ok(Effect::Decides);
    }
    if is_implied(interface, deciding, effort)? {
        return Ok(Effect::Implied);
    }
    let arena = Arena::new(&semantics, effort)?;
    let ranks = arena.ranks();
    for number in arena.reachable_unlost(&ranks) {
        if may_decide(&semantics, deciding, arena.positions[number].as_ref(), effort)? {
            return Ok(Effect::Decides);
        }
    }
    Ok(Effect::Never)
}

/// What some requirements of an interface allow, where one that may not be among them is judged.
fn judging<'a>(interface: &'a Interface, deciding: &Deciding<'a>, selected: Vec<usize>) -> Semantics<'a> {
    let contracts = deciding.requirement.every_contract().collect();
    Semantics::new(interface, selected, &Interest { contracts, ..Interest::default() })
}

/// Whether every step that the others allow, from every position that they can reach, keeps a
/// requirement.
fn is_implied(
    interface: &Interface,
    deciding: &Deciding<'_>,
    effort: &mut Effort,
) -> Result<bool, Undecided> {
    let semantics = judging(interface, deciding, deciding.others.clone());
    let arena = Arena::new(&semantics, effort)?;
    for position in &arena.positions {
        if may_decide(&semantics, deciding, position.as_ref(), effort)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a requirement decides some step from a position.
fn may_decide(
    semantics: &Semantics<'_>,
    deciding: &Deciding<'_>,
    before: Option<&Position>,
    effort: &mut Effort,
) -> Result<bool, Undecided> {
    for inputs in semantics.occurring(before, effort)? {
        if deciding.decides(semantics, before, &inputs, effort)? {
            return Ok(true);
        }
    }
    Ok(false)
}
