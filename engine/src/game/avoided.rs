//! Positions that a system avoids although they are not lost.
//!
//! A counter that moves by two, and that must never be some odd number, is lost at that number only
//! after as many steps as it takes to come there, or not at all; yet a system that keeps it even has
//! nothing to fear. So where lost positions are found one by one, a bit that they have in common and
//! the initial state has not is taken for lost, too: if the system wins even so, it wins.

use super::board::{Board, Cube};
use super::region::{Grounds, LostCube, Manner, Region, Round};
use super::{Effort, Game};
use encoder::EncodeError;
use solver::sat::Budget;

/// Lost positions from which on they are compared.
const LEAST_LOST: usize = 6;

/// Bits that are tried.
const MOST_TRIED: usize = 8;

/// Proposals for each of them.
const ROUNDS: u64 = 100;

/// Conflicts of one of their queries.
const CONFLICTS: u64 = 5_000;

/// What it rests on that the system wins, where that is so although some bit never has the value
/// that most lost positions have.
///
/// # Errors
/// The system cannot be encoded.
pub(super) fn kept_by_avoiding(
    game: &Game<'_>,
    lost: &[LostCube],
    effort: &Effort,
) -> Result<Option<Grounds>, EncodeError> {
    let budget = Budget { conflicts: Some(CONFLICTS), ..effort.budget.clone() };
    let effort = Effort { rounds: ROUNDS, budget, ..effort.clone() };
    for bit in shared(game, lost)? {
        if effort.budget.is_spent() {
            break;
        }
        let mut region = Region::new(Board::new(game)?, Manner::Eager, &effort)?;
        let avoided = LostCube { cube: vec![bit], level: 1, stimuli: Vec::new(), measure: None };
        region.take_over(lost.iter().cloned().chain([avoided]).collect());
        if region.settle()? == Round::Closed {
            return Ok(Some(Grounds { has_avoided: true, ..region.grounds() }));
        }
    }
    Ok(None)
}

/// Bits with values that at least half of the lost positions have and the initial state has not,
/// most frequent first.
fn shared(game: &Game<'_>, lost: &[LostCube]) -> Result<Cube, EncodeError> {
    if lost.len() < LEAST_LOST {
        return Ok(Cube::new());
    }
    let initial = Board::new(game)?.initial;
    let bits = initial.iter().enumerate().map(|(bit, is_set)| (bit, !is_set));
    let mut counted: Vec<(usize, (usize, bool))> =
        bits.map(|one| (lost.iter().filter(|lost| lost.cube.contains(&one)).count(), one)).collect();
    counted.retain(|(count, _)| 2 * count >= lost.len());
    counted.sort_by_key(|&(count, (bit, _))| (std::cmp::Reverse(count), bit));
    Ok(counted.into_iter().take(MOST_TRIED).map(|(_, one)| one).collect())
}
