//! Runs of a game, in which nobody plays against anybody: whether one of them comes to a step of
//! some kind.
//!
//! Runs are unrolled into one incremental solver. That no run comes to such a step is shown by
//! k-induction: none does from the start in at most k steps, and none from any position in exactly
//! k (Sheeran, Singh, Stalmarck: "Checking safety properties using induction and a SAT-solver",
//! FMCAD 2000). What that leaves open, decision diagrams may tell.

use super::board::{Board, Cube};
use super::challenger::differs;
use super::{Effort, Game, fixpoint};
use encoder::EncodeError;
use encoder::cnf::Cnf;
use model::term::TermId;
use model::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use solver::sat::{IncrementalSat, Lit, Verdict};

/// A question: does a run come to such a step?
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// Truth over states and inputs: what each step before the last one is like.
    pub allowed: TermId,
    /// Truth over states: all that such steps lead to satisfies it.
    pub position: TermId,
    /// Truth over states and inputs: what the last step is like.
    pub target: TermId,
    /// What the run has to do with lost positions.
    pub lost: Lost,
}

/// What a run has to do with lost positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// Nothing.
    Ignored,
    /// It stays outside of them until its last step.
    Avoided,
    /// It stays outside of them, and its last step leads into them.
    Entered,
}

/// The answer to a [`Question`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reached {
    /// A run does: for each step the values of all inputs.
    By(Vec<Vec<Value>>),
    /// A run does.
    Somehow,
    /// No run does.
    Never,
    /// A limit was reached.
    Unknown,
}

/// One step of the unrolled runs.
struct Frame<'s> {
    board: Board<'s>,
    cnf: Cnf,
    states: Vec<Lit>,
    next: Vec<Lit>,
    /// The stimuli may occur.
    occurs: Lit,
    /// The position before the step is not lost.
    outside: Lit,
    /// The position behind the step is.
    inside: Lit,
    /// What was asked of the step.
    truths: FxHashMap<TermId, Lit>,
}

/// See the module text.
pub struct Runs<'s> {
    game: Game<'s>,
    lost: Vec<Cube>,
    frames: Vec<Frame<'s>>,
    solver: Box<dyn IncrementalSat + Send>,
    effort: Effort,
    /// Nodes of diagrams at most.
    nodes: usize,
    /// Steps whose diagrams have more nodes.
    is_too_large: FxHashSet<TermId>,
}

/// Steps of a run before its last one at most, where solvers look for it.
const MOST_STEPS: usize = 8;

impl<'s> Runs<'s> {
    /// Runs of a game. Lost positions are those in some cubes.
    pub fn new(game: &Game<'s>, lost: &[Cube], effort: &Effort, nodes: usize) -> Self {
        Self {
            game: *game,
            lost: lost.to_vec(),
            frames: Vec::new(),
            solver: effort.backend.open(),
            effort: effort.clone(),
            nodes,
            is_too_large: FxHashSet::default(),
        }
    }

    /// Answers a question.
    ///
    /// # Errors
    /// The system cannot be encoded.
    pub fn reach(&mut self, question: &Question) -> Result<Reached, EncodeError> {
        for steps in 0..=MOST_STEPS {
            match self.ask(question, steps, true)? {
                Verdict::Sat => return Ok(Reached::By(self.inputs(steps))),
                Verdict::Unknown => break,
                Verdict::Unsat => {}
            }
            if self.ask(question, steps, false)? == Verdict::Unsat {
                return Ok(Reached::Never);
            }
        }
        self.by_diagrams(question)
    }

    /// Whether a run of so many steps and the last one, from the start or from any later position,
    /// is what a question asks for.
    fn ask(
        &mut self,
        question: &Question,
        steps: usize,
        is_from_start: bool,
    ) -> Result<Verdict, EncodeError> {
        while self.frames.len() <= steps {
            self.unroll()?;
        }
        let mut assumptions = Vec::new();
        if is_from_start {
            let Frame { board, states, .. } = &self.frames[0];
            assumptions
                .extend(states.iter().zip(&board.initial).map(|(&bit, &is_set)| !differs(bit, is_set)));
        } else {
            assumptions.push(self.truth(0, question.position)?);
        }
        for step in 0..=steps {
            let wanted = if step < steps { question.allowed } else { question.target };
            assumptions.extend([self.frames[step].occurs, self.truth(step, wanted)?]);
            if question.lost != Lost::Ignored {
                assumptions.push(self.frames[step].outside);
            }
        }
        if question.lost == Lost::Entered {
            assumptions.push(self.frames[steps].inside);
        }
        Ok(self.solver.solve(&assumptions, &self.effort.budget))
    }

    /// Adds a step behind those that there are.
    fn unroll(&mut self) -> Result<(), EncodeError> {
        let mut board = Board::new(&self.game)?;
        let step = board.step(None)?;
        let (mut cnf, solver) = (Cnf::new(), &mut self.solver);
        let mut literal = |bit| cnf.literal(&board.aig, bit, solver);
        let states: Vec<Lit> = board.states.iter().map(|&bit| literal(bit)).collect();
        let next: Vec<Lit> = step.next.iter().map(|&bit| literal(bit)).collect();
        for &bit in board.stimuli.iter().chain(&board.choices) {
            literal(bit);
        }
        let occurs = literal(board.environment);
        if let Some(before) = self.frames.last() {
            for (&bit, &same) in states.iter().zip(&before.next) {
                solver.clause(&[!bit, same]);
                solver.clause(&[bit, !same]);
            }
        }
        let (outside, inside) = (solver.fresh().positive(), solver.fresh().positive());
        let mut hits = vec![!inside];
        for cube in &self.lost {
            let mut clause: Vec<Lit> =
                cube.iter().map(|&(bit, is_set)| differs(states[bit], is_set)).collect();
            clause.push(!outside);
            solver.clause(&clause);
            let hit = solver.fresh().positive();
            for &(bit, is_set) in cube {
                solver.clause(&[!hit, !differs(next[bit], is_set)]);
            }
            hits.push(hit);
        }
        solver.clause(&hits);
        let truths = FxHashMap::default();
        self.frames.push(Frame { board, cnf, states, next, occurs, outside, inside, truths });
        Ok(())
    }

    fn truth(&mut self, step: usize, term: TermId) -> Result<Lit, EncodeError> {
        let Frame { board, cnf, truths, .. } = &mut self.frames[step];
        if let Some(&known) = truths.get(&term) {
            return Ok(known);
        }
        let bit = board.truth(term)?;
        let literal = cnf.literal(&board.aig, bit, &mut self.solver);
        truths.insert(term, literal);
        Ok(literal)
    }

    /// The inputs of the run that was found.
    fn inputs(&self, steps: usize) -> Vec<Vec<Value>> {
        let step = |Frame { board, cnf, .. }: &Frame<'_>| {
            let is_set = |bit| cnf.known(bit).is_some_and(|bit| self.solver.is_true(bit));
            let [stimuli, choices] = [&board.stimuli, &board.choices]
                .map(|bits| bits.iter().map(|&bit| is_set(bit)).collect::<Vec<bool>>());
            board.inputs(&stimuli, &choices)
        };
        self.frames[..=steps].iter().map(step).collect()
    }

    fn by_diagrams(&mut self, question: &Question) -> Result<Reached, EncodeError> {
        let Question { allowed, position, target, lost } = *question;
        if lost == Lost::Entered || self.is_too_large.contains(&allowed) || self.effort.budget.is_spent() {
            return Ok(Reached::Unknown);
        }
        let game = Game { allowed, position, ..self.game };
        let avoided = if lost == Lost::Avoided { &*self.lost } else { &[] };
        let found = fixpoint::reached(&game, avoided, target, (self.nodes, &self.effort.budget))?;
        Ok(match found {
            Some(true) => Reached::Somehow,
            Some(false) => Reached::Never,
            None => {
                self.is_too_large.insert(allowed);
                Reached::Unknown
            }
        })
    }
}
