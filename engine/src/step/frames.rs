//! Frames of a run of a task's system in a SAT solver: an unrolling, and the solver that its
//! clauses go to.

use crate::knowledge::invariants::{Fact, Invariant};
use crate::knowledge::task::Task;
use crate::session::{Session, Stop};
use crate::step::cases::Case;
use encoder::EncodeError;
use encoder::aig::Literal;
use encoder::unroll::{Start, Unrolling};
use model::system::StateId;
use model::term::TermId;
use solver::sat::{ClauseSink, IncrementalSat, Lit};

/// See the module text. A run from any state satisfies the known invariants of the task in frame 0,
/// where words that are equal are one; nothing else is asserted.
pub(crate) struct Frames<'s> {
    pub(crate) unrolling: Unrolling<'s>,
    pub(crate) solver: Box<dyn IncrementalSat + Send>,
}

impl<'s> Frames<'s> {
    pub(crate) fn new(task: &Task<'s>, start: Start, session: &Session<'_>) -> Result<Self, EncodeError> {
        match start {
            Start::Free => Self::in_case(task, &Case::Any, &[], session),
            _ => Ok(Self::over(session.unrolling(task.system, start), session)),
        }
    }

    /// From any state of a case, in which words are one that are equal by these facts too.
    pub(crate) fn in_case(
        task: &Task<'s>,
        case: &Case,
        facts: &[Fact],
        session: &Session<'_>,
    ) -> Result<Self, EncodeError> {
        let mut frames = Self::over(session.unrolling(task.system, case.start(task.system)), session);
        let invariants = task.invariants();
        let known = invariants.iter().filter_map(Invariant::fact);
        let equal = known.chain(facts).filter_map(|fact| case.equal_words(fact));
        equal.for_each(|words| frames.unrolling.identify(words));
        for invariant in invariants.iter() {
            let holds = invariant.encode(&mut frames.unrolling, 0)?;
            let holds = frames.encode(holds, 0);
            frames.solver.clause(&[holds]);
        }
        if let Some((word, values)) = case.excluded() {
            let word = frames.word(word, 0)?;
            for &value in values {
                let differs =
                    |(bit, &literal): (usize, &Lit)| if value >> bit & 1 == 1 { !literal } else { literal };
                let clause: Vec<Lit> = word.iter().enumerate().map(differs).collect();
                frames.solver.clause(&clause);
            }
        }
        Ok(frames)
    }

    fn over(unrolling: Unrolling<'s>, session: &Session<'_>) -> Self {
        Self { unrolling, solver: session.options.backend.open() }
    }

    /// Looks at those steps alone in which a predicate over frame 0 has this value.
    pub(crate) fn fix(&mut self, predicate: TermId, value: bool) -> Result<(), EncodeError> {
        self.unrolling.fix(predicate, value, &mut self.solver)
    }

    /// A new literal, about which nothing is known.
    pub(crate) fn fresh(&mut self) -> Lit {
        self.solver.fresh().positive()
    }

    /// The literal of a predicate in a frame.
    pub(crate) fn literal(&mut self, predicate: TermId, at: u32) -> Result<Lit, EncodeError> {
        self.unrolling.literal(predicate, at, &mut self.solver)
    }

    /// The literal of a fact about the state of a frame.
    pub(crate) fn fact(&mut self, fact: &Fact, at: u32) -> Result<Lit, EncodeError> {
        let holds = fact.encode(&mut self.unrolling, at)?;
        Ok(self.encode(holds, at))
    }

    /// The solver's literal of a literal of the graph that belongs to a frame.
    pub(crate) fn encode(&mut self, literal: Literal, at: u32) -> Lit {
        self.unrolling.encode(literal, at, &mut self.solver)
    }

    /// A literal that implies that the first `steps` steps can be executed.
    pub(crate) fn running(&mut self, steps: u32) -> Result<Lit, EncodeError> {
        self.unrolling.running(steps, &mut self.solver)
    }

    /// The bits of a state word in a frame, the lowest first.
    pub(crate) fn word(&mut self, word: StateId, at: u32) -> Result<Vec<Lit>, EncodeError> {
        self.unrolling.state_literals(word, at, &mut self.solver)
    }

    /// The bits of all state words in a frame.
    pub(crate) fn state(&mut self, at: u32) -> Result<Vec<Lit>, EncodeError> {
        let mut bits = Vec::new();
        for word in self.unrolling.system().states.ids() {
            bits.extend(self.word(word, at)?);
        }
        Ok(bits)
    }

    /// Whether all these literals can be true at once; `None` where that many conflicts do not
    /// suffice to tell.
    pub(crate) fn ask(
        &mut self,
        assumptions: &[Lit],
        conflicts: u64,
        session: &Session<'_>,
    ) -> Result<Option<bool>, Stop> {
        session.solve_within(&mut self.solver, assumptions, Some(conflicts))
    }
}
