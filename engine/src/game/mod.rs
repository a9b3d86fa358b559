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
//! *eager* manner a cube counts as soon as it is found, which takes fewer rounds, and cubes from
//! which the environment wins in many steps are found at once.

mod avoided;
mod board;
mod challenger;
mod diagrams;
mod doomed;
mod falling;
mod family;
mod fixpoint;
mod region;
mod responder;
mod runs;

use avoided::kept_by_avoiding;
use board::Board;
pub use doomed::excludes_doomed_answers;
use encoder::EncodeError;
pub use falling::Measure;
pub use family::{Family, Winner};
use model::term::TermId;
use model::validate::Validated;
use model::value::Value;
pub use region::{Grounds, LostCube};
use region::{Manner, Region, Round};
pub use runs::{Lost, Question, Reached, Runs};
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
    /// Whether decision diagrams may decide: no certificate can be made of what they do.
    pub diagrams: bool,
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

/// Proposals of the first turn of each manner; each further turn has four times as many.
const FIRST_ROUNDS: u64 = 150;

/// Nodes of diagrams in their first turn, and in their last one.
const DIAGRAM_NODES: [usize; 2] = [1 << 15, 1 << 22];

/// Nodes for each proposal that there may be.
const NODES_PER_ROUND: usize = 1 << 10;

/// How much more of everything each turn has.
const GROWTH: u32 = 4;

/// Decides who wins, and how soon the environment does.
///
/// # Errors
/// The system cannot be encoded.
pub fn solve(game: &Game<'_>, effort: &Effort) -> Result<Outcome, EncodeError> {
    solve_with_grounds(game, effort).map(|(outcome, _)| outcome)
}

/// As [`solve`], with what the outcome rests on: a certificate can be made of it, unless diagrams
/// may decide.
///
/// Solvers and diagrams take turns, since some games are easy for the ones and hard for the others.
/// Solvers go on where they ended, diagrams begin anew.
///
/// # Errors
/// As [`solve`].
pub fn solve_with_grounds(game: &Game<'_>, effort: &Effort) -> Result<(Outcome, Grounds), EncodeError> {
    let mut levelled = Region::new(Board::new(game)?, Manner::Levelled, effort)?;
    let mut eager = Region::new(Board::new(game)?, Manner::Eager, effort)?;
    let mut settled = Round::GivenUp;
    let (mut rounds, [mut nodes, most]) = (FIRST_ROUNDS.min(effort.rounds), DIAGRAM_NODES);
    let most = match effort.diagrams {
        true => most.min(usize::try_from(effort.rounds).unwrap_or(most).saturating_mul(NODES_PER_ROUND)),
        false => 0,
    };
    let mut levels = FIRST_LEVELS;
    loop {
        levelled.allow(rounds);
        if let Some(outcome) = climb(&mut levelled, levels)? {
            return Ok((outcome, levelled.grounds()));
        }
        if settled == Round::GivenUp {
            eager.allow(rounds);
            settled = eager.settle()?;
        }
        if settled == Round::Closed {
            return Ok((Outcome::Kept, eager.grounds()));
        }
        if most > 0
            && let Some((outcome, cubes)) = fixpoint::solve(game, nodes.min(most), &effort.budget)?
        {
            return Ok((outcome, Grounds::of_positions(cubes)));
        }
        // Diagrams tell which positions are lost, and this does not.
        if settled == Round::GivenUp
            && let Some(grounds) = kept_by_avoiding(game, eager.lost(), effort)?
        {
            return Ok((Outcome::Kept, grounds));
        }
        if (rounds >= effort.rounds && nodes >= most) || effort.budget.is_spent() {
            break;
        }
        (rounds, nodes) = (effort.rounds.min(rounds * u64::from(GROWTH)), nodes * GROWTH as usize);
        levels = usize::MAX;
    }
    Ok(match settled {
        Round::Lost => (Outcome::LostSomewhere, eager.grounds()),
        _ => (Outcome::Unknown, levelled.grounds()),
    })
}

/// Whether a system can answer some number of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// It can answer for ever.
    Always,
    /// It can answer these.
    Answered,
    /// It cannot.
    Lost,
    /// A limit was reached.
    Unknown,
}

/// Whether the system can answer so many steps, with what that rests on: a certificate can be made
/// of it.
///
/// # Errors
/// As [`solve`].
pub fn answers_with_grounds(
    game: &Game<'_>,
    steps: usize,
    effort: &Effort,
) -> Result<(Within, Grounds), EncodeError> {
    let mut levelled = Region::new(Board::new(game)?, Manner::Levelled, effort)?;
    let found = match climb(&mut levelled, steps)? {
        Some(Outcome::Kept) => Within::Always,
        Some(_) => Within::Lost,
        None if levelled.level() > steps => Within::Answered,
        None => Within::Unknown,
    };
    Ok((found, levelled.grounds()))
}

/// As [`solve_with_grounds`], where it does not matter how soon the environment wins, and what it
/// rests on is a certificate.
///
/// # Errors
/// As [`solve`].
pub fn winner_with_grounds(game: &Game<'_>, effort: &Effort) -> Result<(Outcome, Grounds), EncodeError> {
    let mut eager = Region::new(Board::new(game)?, Manner::Eager, effort)?;
    let mut rounds = FIRST_ROUNDS.min(effort.rounds);
    let outcome = loop {
        eager.allow(rounds);
        match eager.settle()? {
            Round::Closed => break Outcome::Kept,
            Round::Lost => break Outcome::LostSomewhere,
            Round::Open | Round::GivenUp => {}
        }
        if let Some(grounds) = kept_by_avoiding(game, eager.lost(), effort)? {
            return Ok((Outcome::Kept, grounds));
        }
        if rounds >= effort.rounds || effort.budget.is_spent() {
            break Outcome::Unknown;
        }
        rounds = effort.rounds.min(rounds * u64::from(GROWTH));
    };
    Ok((outcome, eager.grounds()))
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
