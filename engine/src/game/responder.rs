//! The responder: answers that lead to no position that is known to be lost.

use super::board::{Board, Cube};
use super::challenger::{Exhausted, Proposal, differs};
use encoder::EncodeError;
use encoder::aig::Literal;
use encoder::cnf::Cnf;
use solver::sat::{Budget, IncrementalSat, Lit, Verdict};

/// What a proposal came to.
pub(super) enum Response {
    /// The bits of the choices.
    Answer(Vec<bool>),
    /// There is no answer, from no state of this cube.
    None(Cube),
}

/// Conflicts of a query that makes a cube smaller: where it takes more, the cube stays as it is.
pub(super) const CONFLICTS_PER_BIT: u64 = 1_000;

/// See the module text.
pub(super) struct Responder {
    pub(super) solver: Box<dyn IncrementalSat + Send>,
    pub(super) cnf: Cnf,
    states: Vec<Lit>,
    stimuli: Vec<Lit>,
    choices: Vec<Lit>,
    pub(super) next: Vec<Lit>,
    /// The bits of the state behind the step, in the circuit of the board.
    pub(super) next_bits: Vec<Literal>,
    pub(super) environment: Lit,
    /// By level: while it is true, no answer leads to positions that were lost at that level.
    pub(super) levels: Vec<Lit>,
    /// By state bit; see [`Board::is_parameter`].
    pub(super) is_parameter: Vec<bool>,
}

/// What is chosen in a step, and the state after it.
type Advance = (Vec<bool>, Vec<bool>);

impl Responder {
    pub(super) fn new(
        board: &mut Board<'_>,
        mut solver: Box<dyn IncrementalSat + Send>,
    ) -> Result<Self, EncodeError> {
        let step = board.step(None)?;
        let mut cnf = Cnf::new();
        let mut literal = |bit| cnf.literal(&board.aig, bit, &mut solver);
        let states = board.states.iter().map(|&bit| literal(bit)).collect();
        let stimuli = board.stimuli.iter().map(|&bit| literal(bit)).collect();
        let choices = board.choices.iter().map(|&bit| literal(bit)).collect();
        let next = step.next.iter().map(|&bit| literal(bit)).collect();
        let (environment, allowed) = (literal(board.environment), literal(step.allowed));
        // A cube of lost positions must be one of positions in which the inputs may occur.
        solver.clause(&[!environment, allowed]);
        let (levels, is_parameter) = (Vec::new(), board.is_parameter.clone());
        Ok(Self {
            solver,
            cnf,
            states,
            stimuli,
            choices,
            next,
            next_bits: step.next,
            environment,
            levels,
            is_parameter,
        })
    }

    /// From now on no answer leads to the cube, unless its level is left out.
    pub(super) fn forbid(&mut self, cube: &Cube, level: usize) {
        while self.levels.len() <= level {
            let guard = self.solver.fresh().positive();
            self.levels.push(guard);
        }
        let mut clause: Vec<Lit> =
            cube.iter().map(|&(bit, is_set)| differs(self.next[bit], is_set)).collect();
        // Of inputs that do not occur nothing follows, wherever they would lead.
        clause.extend([!self.levels[level], !self.environment]);
        self.solver.clause(&clause);
    }

    /// An answer, or all that can be said of why there is none.
    pub(super) fn respond(&mut self, to: &Proposal, budget: &Budget) -> Result<Response, Exhausted> {
        let mut cube: Cube = to.state.iter().copied().enumerate().collect();
        match self.ask(&cube, &to.stimuli, self.levels.len(), budget) {
            Verdict::Unknown => return Err(Exhausted),
            Verdict::Sat => return Ok(Response::Answer(self.chosen())),
            Verdict::Unsat => self.keep_core(&mut cube),
        }
        // Where more parameters hold, there are no more answers.
        cube.retain(|&(bit, is_set)| is_set || !self.is_parameter[bit]);
        let small = Budget { conflicts: Some(CONFLICTS_PER_BIT), ..budget.clone() };
        let mut place = cube.len();
        while place > 0 {
            place -= 1;
            let mut smaller = cube.clone();
            smaller.remove(place);
            if self.ask(&smaller, &to.stimuli, self.levels.len(), &small) == Verdict::Unsat {
                self.keep_core(&mut smaller);
                place = place.min(smaller.len());
                cube = smaller;
            }
        }
        Ok(Response::None(cube))
    }

    /// An answer that leads to no position lost at a level below `levels`, and the state after it;
    /// none where there is no such answer.
    pub(super) fn advance(
        &mut self,
        to: &Proposal,
        levels: usize,
        budget: &Budget,
    ) -> Result<Option<Advance>, Exhausted> {
        let cube: Cube = to.state.iter().copied().enumerate().collect();
        match self.ask(&cube, &to.stimuli, levels, budget) {
            Verdict::Unknown => Err(Exhausted),
            Verdict::Unsat => Ok(None),
            Verdict::Sat => {
                let next = self.next.iter().map(|&bit| self.solver.is_true(bit)).collect();
                Ok(Some((self.chosen(), next)))
            }
        }
    }

    /// Whether there is an answer from some position of a cube that leads to none lost at a level
    /// below `levels`.
    pub(super) fn ask(&mut self, cube: &Cube, stimuli: &[bool], levels: usize, budget: &Budget) -> Verdict {
        self.ask_assuming(&[], cube, stimuli, levels, budget)
    }

    /// Likewise, where a literal is true.
    pub(super) fn asked_with(
        &mut self,
        guard: Lit,
        cube: &Cube,
        stimuli: &[bool],
        levels: usize,
        budget: &Budget,
    ) -> Verdict {
        self.ask_assuming(&[guard], cube, stimuli, levels, budget)
    }

    fn ask_assuming(
        &mut self,
        also: &[Lit],
        cube: &Cube,
        stimuli: &[bool],
        levels: usize,
        budget: &Budget,
    ) -> Verdict {
        let mut assumptions: Vec<Lit> = also.to_vec();
        assumptions.extend(cube.iter().map(|&(bit, is_set)| !differs(self.states[bit], is_set)));
        assumptions.extend(self.stimuli.iter().zip(stimuli).map(|(&bit, &is_set)| !differs(bit, is_set)));
        assumptions.extend(self.levels.iter().take(levels));
        self.solver.solve(&assumptions, budget)
    }
    fn chosen(&self) -> Vec<bool> {
        self.choices.iter().map(|&bit| self.solver.is_true(bit)).collect()
    }
    /// Leaves of a cube what the last query needed to have no answer.
    pub(super) fn keep_core(&self, cube: &mut Cube) {
        let core = self.solver.core();
        cube.retain(|&(bit, is_set)| core.contains(&!differs(self.states[bit], is_set)));
    }
}
