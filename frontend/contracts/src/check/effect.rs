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

/// Finds the requirements that the others imply.
pub(super) fn implied(interface: &Interface, found: &mut Consistency, effort: &mut Effort) {
    for index in 0..interface.requirements.len() {
        if found.void.contains(&index) {
            continue;
        }
        match is_implied(interface, index, effort) {
            Ok(true) => found.implied.push(index),
            Ok(false) => match is_ever_deciding(interface, index, effort) {
                Ok(true) => {}
                Ok(false) => found.never_deciding.push(index),
                Err(_) => found.unknown_effect.push(index),
            },
            Err(_) => found.unknown_effect.push(index),
        }
    }
}

/// A requirement among those of its part.
fn deciding(interface: &Interface, index: usize) -> Deciding<'_> {
    let all: Vec<usize> = (0..interface.requirements.len()).collect();
    let own = parts::parts(interface, &all).into_iter().find(|part| part.contains(&index));
    Deciding::new(interface, index, &own.unwrap_or_default())
}

/// What some requirements of an interface allow, where one that may not be among them is judged.
fn judging<'a>(interface: &'a Interface, deciding: &Deciding<'a>, selected: Vec<usize>) -> Semantics<'a> {
    let contracts = deciding.requirement.every_contract().collect();
    Semantics::new(interface, selected, &Interest { contracts, ..Interest::default() })
}

/// Whether every step that the others allow, from every position that they can reach, keeps a
/// requirement.
fn is_implied(interface: &Interface, index: usize, effort: &mut Effort) -> Result<bool, Undecided> {
    let deciding = deciding(interface, index);
    let semantics = judging(interface, &deciding, deciding.others.clone());
    // A look at the first step often shows that it is not; all positions are needed elsewhere.
    if may_decide(&semantics, &deciding, None, effort)? {
        return Ok(false);
    }
    let arena = Arena::new(&semantics, effort)?;
    for position in arena.positions.iter().flatten() {
        if may_decide(&semantics, &deciding, Some(position), effort)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether in some step that a system can come to the others could be kept and a requirement not.
fn is_ever_deciding(interface: &Interface, index: usize, effort: &mut Effort) -> Result<bool, Undecided> {
    let deciding = deciding(interface, index);
    let own = deciding.others.iter().copied().chain([index]).collect();
    let semantics = judging(interface, &deciding, own);
    let arena = Arena::new(&semantics, effort)?;
    let ranks = arena.ranks();
    for number in arena.reachable_unlost(&ranks) {
        if may_decide(&semantics, &deciding, arena.positions[number].as_ref(), effort)? {
            return Ok(true);
        }
    }
    Ok(false)
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
