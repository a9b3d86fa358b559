//! The challenger: positions that are not known to be lost, with inputs that no known move answers.

use super::board::{Board, Cube, Step};
use encoder::cnf::Cnf;
use solver::sat::{Budget, IncrementalSat, Lit, Verdict};

/// A position and inputs.
#[derive(Clone, Debug)]
pub(super) struct Proposal {
    /// The bits of the state.
    pub(super) state: Vec<bool>,
    /// The bits of the stimuli.
    pub(super) stimuli: Vec<bool>,
}

/// A move that the responder once made.
struct Move {
    next: Vec<Lit>,
    /// Where this is false, the move is not allowed or leads to a lost position of those that are
    /// encoded so far.
    open: Lit,
    /// Number of forbidden cubes that are encoded.
    encoded: usize,
}

/// See the module text.
pub(super) struct Challenger {
    solver: Box<dyn IncrementalSat + Send>,
    cnf: Cnf,
    states: Vec<Lit>,
    stimuli: Vec<Lit>,
    moves: Vec<Move>,
    /// Lost positions to which a good move does not lead.
    forbidden: Vec<Cube>,
}

impl Challenger {
    pub(super) fn new(board: &Board<'_>, mut solver: Box<dyn IncrementalSat + Send>) -> Self {
        let mut cnf = Cnf::new();
        let mut literal = |bit| cnf.literal(&board.aig, bit, &mut solver);
        let states = board.states.iter().map(|&bit| literal(bit)).collect();
        let stimuli = board.stimuli.iter().map(|&bit| literal(bit)).collect();
        let asserted = [literal(board.environment), literal(board.possible)];
        asserted.iter().for_each(|&truth| solver.clause(&[truth]));
        Self { solver, cnf, states, stimuli, moves: Vec::new(), forbidden: Vec::new() }
    }

    /// Number of moves that are known.
    pub(super) fn moves(&self) -> usize {
        self.moves.len()
    }

    /// A proposal, from a state of a cube.
    pub(super) fn propose(&mut self, from: &Cube, budget: &Budget) -> Result<Option<Proposal>, Exhausted> {
        (0..self.moves.len()).for_each(|number| self.close(number));
        let mut assumptions: Vec<Lit> =
            from.iter().map(|&(bit, is_set)| !differs(self.states[bit], is_set)).collect();
        assumptions.extend(self.moves.iter().map(|one| !one.open));
        match self.solver.solve(&assumptions, budget) {
            Verdict::Unknown => Err(Exhausted),
            Verdict::Unsat => Ok(None),
            Verdict::Sat => {
                let read = |bits: &[Lit]| bits.iter().map(|&bit| self.solver.is_true(bit)).collect();
                Ok(Some(Proposal { state: read(&self.states), stimuli: read(&self.stimuli) }))
            }
        }
    }

    /// Proposes no position of a cube any more.
    pub(super) fn exclude(&mut self, cube: &Cube) {
        let clause: Vec<Lit> = cube.iter().map(|&(bit, is_set)| differs(self.states[bit], is_set)).collect();
        self.solver.clause(&clause);
    }

    /// From now on a move that leads to the cube is no answer.
    pub(super) fn forbid(&mut self, cube: Cube) {
        self.forbidden.push(cube);
    }

    /// Learns of a move.
    pub(super) fn learn(&mut self, board: &Board<'_>, step: &Step) {
        let mut literal = |bit| self.cnf.literal(&board.aig, bit, &mut self.solver);
        let allowed = literal(step.allowed);
        let next: Vec<Lit> = step.next.iter().map(|&bit| literal(bit)).collect();
        let open = self.solver.fresh().positive();
        self.solver.clause(&[!allowed, open]);
        self.moves.push(Move { next, open, encoded: 0 });
    }

    /// Encodes the cubes that were forbidden since a move was last asked about: it is refused, too,
    /// where it leads to one of them.
    fn close(&mut self, number: usize) {
        let Self { solver, moves, forbidden, .. } = self;
        let one = &mut moves[number];
        if one.encoded == forbidden.len() {
            return;
        }
        let mut clause = vec![!one.open];
        for cube in &forbidden[one.encoded..] {
            let hit = solver.fresh().positive();
            for &(bit, is_set) in cube {
                solver.clause(&[!hit, !differs(one.next[bit], is_set)]);
            }
            clause.push(hit);
        }
        one.open = solver.fresh().positive();
        one.encoded = forbidden.len();
        clause.push(one.open);
        solver.clause(&clause);
    }
}

/// A limit of a query was reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exhausted;

/// True where a bit does not have a value.
pub(super) fn differs(bit: Lit, is_set: bool) -> Lit {
    if is_set { !bit } else { bit }
}
