//! Games of safety: the environment gives inputs, the system answers; a position is *lost* if the
//! environment can bring the system to inputs without an allowed answer.
//!
//! Positions are the states of a [`TransitionSystem`](model::system::TransitionSystem), inputs its
//! stimuli, answers its choices. Nothing is enumerated: the positions that are not known to be lost
//! are a set of clauses over state bits, which shrinks until it is the winning region (Bloem,
//! Koenighofer, Seidl: "SAT-based synthesis methods for safety specs", VMCAI 2014). Two incremental
//! solvers refute each other:
//!
//! * The *challenger* proposes a position outside the lost ones, with inputs that no known answer
//!   serves.
//! * The *responder* looks for an answer that leads to no lost position. Its answer becomes a
//!   *candidate move*, of which the challenger knows from then on; where there is none, the part of
//!   the position in its unsatisfiable core, made smaller, is a *cube* of lost positions.
//!
//! Values that the system's terms determine are no part of a move: `k' = k + 1` is one move and not
//! one for each k. When the challenger has no proposal left, the candidate moves answer everything
//! that can happen outside the lost positions.
//!
//! In the *levelled* manner answers may lead to lost positions of the level at hand, so that level r
//! holds exactly the positions that are lost in at most r steps: this yields the least depth. In the
//! *eager* manner a cube counts as soon as it is found, which takes fewer rounds.

mod board;
mod challenger;
mod doomed;
mod family;
mod region;
mod responder;

use board::Board;
pub use doomed::excludes_doomed_answers;
use encoder::EncodeError;
pub use family::{Family, Winner};
use model::term::TermId;
use model::validate::Validated;
use model::value::Value;
pub use region::{Grounds, LostCube};
use region::{Manner, Region, Round};
use solver::sat::{Backend, Budget};

/// A game on a transition system, whose initial state is one and given by constants.
#[derive(Clone, Copy)]
pub struct Game<'s> {
    /// State words, inputs by who chooses them, and what a step leaves behind.
    pub system: &'s Validated,
    /// Truth over states and stimuli: the environment may give these inputs.
    pub environment: TermId,
    /// Truth over states and inputs: this answer is allowed.
    pub allowed: TermId,
    /// Truth over states: all that an allowed answer leads to satisfies it.
    pub position: TermId,
}

/// What the search may cost.
#[derive(Clone, Debug)]
pub struct Effort {
    /// The solver of both players.
    pub backend: Backend,
    /// Proposals at most, for each manner.
    pub rounds: u64,
    /// Limits of each query.
    pub budget: Budget,
}

/// Who wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The system can answer for ever.
    Kept,
    /// The environment wins.
    Lost {
        /// Steps that the system can answer whatever the inputs are, at most.
        answered: usize,
        /// For each step of a shortest play the values of all inputs of the system. The choices of
        /// the last step, which has no answer, mean nothing.
        play: Vec<Vec<Value>>,
    },
    /// The environment wins, but in how many steps was not found out.
    LostSomewhere,
    /// A limit was reached.
    Unknown,
}

/// Levels that are looked at before the eager manner has its turn.
const FIRST_LEVELS: usize = 6;

/// Decides who wins, and how soon the environment does.
///
/// # Errors
/// The system cannot be encoded.
pub fn solve(game: &Game<'_>, effort: &Effort) -> Result<Outcome, EncodeError> {
    solve_with_grounds(game, effort).map(|(outcome, _)| outcome)
}

/// As [`solve`], with what the outcome rests on: a certificate can be made of it.
///
/// # Errors
/// As [`solve`].
pub fn solve_with_grounds(game: &Game<'_>, effort: &Effort) -> Result<(Outcome, Grounds), EncodeError> {
    let mut levelled = Region::new(Board::new(game)?, Manner::Levelled, effort)?;
    if let Some(outcome) = climb(&mut levelled, FIRST_LEVELS)? {
        return Ok((outcome, levelled.grounds()));
    }
    let mut eager = Region::new(Board::new(game)?, Manner::Eager, effort)?;
    let settled = eager.settle()?;
    if settled == Round::Closed {
        return Ok((Outcome::Kept, eager.grounds()));
    }
    // Where one manner is given up, the other may still come to an end.
    match (climb(&mut levelled, usize::MAX)?, settled) {
        (Some(outcome), _) => Ok((outcome, levelled.grounds())),
        (None, Round::Lost) => Ok((Outcome::LostSomewhere, eager.grounds())),
        (None, _) => Ok((Outcome::Unknown, levelled.grounds())),
    }
}

/// Completes levels; none where some are left and the game is not decided.
fn climb(region: &mut Region<'_>, most: usize) -> Result<Option<Outcome>, EncodeError> {
    while region.level() <= most {
        match region.settle()? {
            Round::Closed => return Ok(Some(Outcome::Kept)),
            Round::Lost => {
                let answered = region.level() - 1;
                return Ok(region.play()?.map(|play| Outcome::Lost { answered, play }));
            }
            Round::Open => {}
            Round::GivenUp => return Ok(None),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
