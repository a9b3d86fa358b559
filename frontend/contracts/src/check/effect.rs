//! Requirements without effect: void ones, whose assumptions never hold, and implied ones, which
//! the others keep.

use super::Consistency;
use crate::game::{Arena, Ranks};
use crate::interface::{Contract, Interface};
use crate::parts;
use crate::semantics::{Effort, Interest, Semantics, Step, Undecided, Valuation};
use std::ops::ControlFlow;

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

/// Whether every step that the others allow, from every position that they can reach, keeps a
/// requirement.
fn is_implied(interface: &Interface, index: usize, effort: &mut Effort) -> Result<bool, Undecided> {
    let all: Vec<usize> = (0..interface.requirements.len()).collect();
    let own = parts::parts(interface, &all).into_iter().find(|part| part.contains(&index));
    let others: Vec<usize> = own.unwrap_or_default().into_iter().filter(|&other| other != index).collect();
    let requirement = &interface.requirements[index];
    let contracts = requirement.initial.iter().chain(&requirement.update).collect();
    let interest = Interest { contracts, ..Interest::default() };
    let semantics = Semantics::new(interface, others, &interest);
    // A look at the first step often shows that it is not; all positions are needed elsewhere.
    if !keeps(&semantics, requirement, None, effort)? {
        return Ok(false);
    }
    let arena = Arena::new(&semantics, effort)?;
    for position in arena.positions.iter().flatten() {
        if !keeps(&semantics, requirement, Some(position), effort)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether in some step that a system can come to the others could be kept and a requirement not.
fn is_ever_deciding(interface: &Interface, index: usize, effort: &mut Effort) -> Result<bool, Undecided> {
    let all: Vec<usize> = (0..interface.requirements.len()).collect();
    let own = parts::parts(interface, &all).into_iter().find(|part| part.contains(&index));
    let requirement = &interface.requirements[index];
    let contracts = requirement.initial.iter().chain(&requirement.update).collect();
    let interest = Interest { contracts, ..Interest::default() };
    let semantics = Semantics::new(interface, own.unwrap_or_default(), &interest);
    let others = semantics.without(&[index]);
    let arena = Arena::new(&semantics, effort)?;
    let ranks = arena.ranks();
    for number in arena.reachable_unlost(&ranks) {
        if !keeps(&others, requirement, arena.positions[number].as_ref(), effort)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn keeps(
    semantics: &Semantics<'_>,
    requirement: &crate::interface::Requirement,
    before: Option<&crate::semantics::Position>,
    effort: &mut Effort,
) -> Result<bool, Undecided> {
    let contracts = requirement.contracts(before.is_none());
    for inputs in semantics.occurring(before, effort)? {
        let mut visit = |now: &Valuation| {
            let is_kept = contracts.iter().all(|contract| semantics.is_kept(contract, before, now));
            if is_kept { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        if semantics.answers(Step { before, known: &inputs }, &mut visit, effort)?.is_break() {
            return Ok(false);
        }
    }
    Ok(true)
}
