//! Who answers what requirements leave to solvers: who wins a game, because of which requirements,
//! and what runs come to.

use contracts::semantics::Undecided;
use contracts::symbolic::{
    Board, Course, Kept, Question, Reached, Runner, Selective, SelectiveBoard, Solved, Solver, Target, Turn,
};
use engine::game::{self, Family, Game, Grounds, Runs, Winner, excludes_doomed_answers};
use frontend::limit::Limit;
use solver::sat::{Backend, Budget};
use std::cell::Cell;

/// Proposals of the challenger, for each manner, in the first turn of the solvers.
const FIRST_ROUNDS: u64 = 300;

/// Conflicts of one query in the first turn of the solvers.
const FIRST_CONFLICTS: u64 = 20_000;

/// Proposals of the challengers in all games of one interface. Each manner of a game gets a part
/// of those that are left; a search for conflicts asks for many games.
pub(super) const ROUNDS: u64 = 10_000;

/// Proposals that one manner of a game gets at least.
const LEAST_ROUNDS: u64 = 100;

/// Parts into which the proposals that are left are divided.
const ROUND_PARTS: u64 = 4;

/// Conflicts of one query in a game.
pub(super) const CONFLICTS: u64 = 500_000;

/// Nodes of diagrams that tell whether a run comes to some step.
const RUN_NODES: usize = 1 << 18;

/// Solves games by two SAT solvers.
pub(super) struct Players<'l> {
    limit: &'l Limit,
    /// Proposals that are left.
    left: Cell<u64>,
}

impl<'l> Players<'l> {
    /// For one interface.
    pub(super) fn new(limit: &'l Limit) -> Self {
        Self { limit, left: Cell::new(ROUNDS) }
    }

    /// What the next game may cost.
    ///
    /// # Errors
    /// Nothing is left.
    fn effort(&self) -> Result<game::Effort, Undecided> {
        if self.limit.reason().is_some() {
            return Err(Undecided::Time);
        }
        let left = self.left.get();
        if left == 0 {
            return Err(Undecided::TooLarge);
        }
        let budget = Budget {
            conflicts: Some(CONFLICTS),
            deadline: self.limit.deadline,
            stop: self.limit.stop.clone(),
        };
        let rounds = (left / ROUND_PARTS).max(LEAST_ROUNDS);
        Ok(game::Effort { backend: Backend::Batsat, rounds, budget, diagrams: true })
    }

    /// Why a game was not decided for which there were so many proposals. Games that are decided
    /// mostly are so after few, so only these are counted.
    fn give_up(&self, rounds: u64) -> Undecided {
        self.left.set(self.left.get().saturating_sub(rounds));
        if self.limit.reason().is_some() { Undecided::Time } else { Undecided::TooLarge }
    }
}

impl Solver for Players<'_> {
    fn solve(&self, board: &Board, turn: Turn) -> Result<Solved, Undecided> {
        let mut effort = self.effort()?;
        if turn == Turn::First {
            effort.rounds = effort.rounds.min(FIRST_ROUNDS);
            effort.budget.conflicts = Some(FIRST_CONFLICTS);
        }
        let Board { system, environment, allowed, position, .. } = board;
        let game = Game { system, environment: *environment, allowed: *allowed, position: *position };
        match game::solve_with_grounds(&game, &effort) {
            Ok((game::Outcome::Kept, Grounds { lost, has_avoided, .. })) => {
                let is_exact = !has_avoided;
                let excludes_doomed =
                    is_exact && excludes_doomed_answers(&game, &lost, &effort).unwrap_or(false);
                let lost = lost.into_iter().map(|lost| lost.cube).collect();
                Ok(Solved::Kept(Kept { lost, is_exact, excludes_doomed }))
            }
            Ok((game::Outcome::Lost { answered, play }, _)) => Ok(Solved::Lost { depth: answered, play }),
            Ok((game::Outcome::LostSomewhere, _)) => {
                self.give_up(effort.rounds);
                Err(Undecided::Depth)
            }
            Ok((game::Outcome::Unknown, _)) | Err(_) => Err(self.give_up(effort.rounds)),
        }
    }

    fn runner<'b>(&'b self, course: &'b Course, kept: &'b Kept) -> Option<Box<dyn Runner + 'b>> {
        let Course { system, environment, .. } = course;
        let (allowed, position) = (course.allowed(), course.position());
        let game = Game { system, environment: *environment, allowed, position };
        let mut effort = self.effort().ok()?;
        effort.budget.conflicts = Some(FIRST_CONFLICTS);
        Some(Box::new(Unrolled { players: self, runs: Runs::new(&game, &kept.lost, &effort, RUN_NODES) }))
    }

    fn selective<'b>(&'b self, board: &'b SelectiveBoard) -> Option<Box<dyn Selective + 'b>> {
        let SelectiveBoard { system, environment, allowed, position, .. } = board;
        let game = Game { system, environment: *environment, allowed: *allowed, position: *position };
        let family = Family::new(&game, &board.parameters, &self.effort().ok()?).ok()?;
        Some(Box::new(Questions { players: self, family }))
    }
}

/// Questions about runs, answered by a SAT solver and decision diagrams.
struct Unrolled<'b> {
    players: &'b Players<'b>,
    runs: Runs<'b>,
}

impl Runner for Unrolled<'_> {
    fn reach(&mut self, question: &Question) -> Result<Reached, Undecided> {
        if self.players.limit.reason().is_some() {
            return Err(Undecided::Time);
        }
        let Question { allowed, position, target, asked } = *question;
        let lost = match asked {
            Target::Applies(_) | Target::Decides(_) => game::Lost::Avoided,
            Target::DecidesAmongOthers(_) => game::Lost::Ignored,
            Target::Dooms => game::Lost::Entered,
        };
        match self.runs.reach(&game::Question { allowed, position, target, lost }) {
            Ok(game::Reached::By(inputs)) => Ok(Reached::By(inputs)),
            Ok(game::Reached::Somehow) => Ok(Reached::Somehow),
            Ok(game::Reached::Never) => Ok(Reached::Never),
            Ok(game::Reached::Unknown) | Err(_) => Err(Undecided::TooLarge),
        }
    }
}

/// Questions about one board, answered by two SAT solvers.
struct Questions<'b> {
    players: &'b Players<'b>,
    family: Family<'b>,
}

impl Selective for Questions<'_> {
    fn lost(&mut self, values: &[bool]) -> Result<Option<Vec<usize>>, Undecided> {
        let game::Effort { rounds, .. } = self.players.effort()?;
        match self.family.winner(values, rounds) {
            Ok(Winner::System) => Ok(None),
            Ok(Winner::Environment(needed)) => Ok(Some(needed)),
            Ok(Winner::Unknown) | Err(_) => Err(self.players.give_up(rounds)),
        }
    }
}
