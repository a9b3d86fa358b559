//! Whether allowed answers lead from positions that are not lost to lost ones.

use super::board::Board;
use super::challenger::differs;
use super::{Effort, Game, LostCube};
use encoder::EncodeError;
use encoder::cnf::Cnf;
use solver::sat::{Lit, Verdict};

/// Whether it is excluded that, from a position outside of all of these cubes, an allowed answer
/// leads into one of them. Positions that no play reaches count, too, so that nothing follows where
/// it is not excluded.
///
/// # Errors
/// The system cannot be encoded.
pub fn excludes_doomed_answers(
    game: &Game<'_>,
    lost: &[LostCube],
    effort: &Effort,
) -> Result<bool, EncodeError> {
    if lost.is_empty() {
        return Ok(true);
    }
    let mut board = Board::new(game)?;
    let step = board.step(None)?;
    let mut solver = effort.backend.open();
    let mut cnf = Cnf::new();
    let mut literal = |bit| cnf.literal(&board.aig, bit, &mut solver);
    let states: Vec<Lit> = board.states.iter().map(|&bit| literal(bit)).collect();
    let next: Vec<Lit> = step.next.iter().map(|&bit| literal(bit)).collect();
    let asserted = [literal(board.environment), literal(board.possible), literal(step.allowed)];
    asserted.iter().for_each(|&truth| solver.clause(&[truth]));
    let mut hits = Vec::with_capacity(lost.len());
    for LostCube { cube, .. } in lost {
        let outside: Vec<Lit> = cube.iter().map(|&(bit, is_set)| differs(states[bit], is_set)).collect();
        solver.clause(&outside);
        let hit = solver.fresh().positive();
        for &(bit, is_set) in cube {
            solver.clause(&[!hit, !differs(next[bit], is_set)]);
        }
        hits.push(hit);
    }
    solver.clause(&hits);
    Ok(solver.solve(&[], &effort.budget) == Verdict::Unsat)
}
