//! Bounded runs of the system in a SAT solver: one unrolling, one solver, literals for "goal g
//! occurs at t".
//!
//! An unfolding starts in a free state (under the known invariants), in the initial state, or in a
//! given state. It never asserts anything about what happens: every query says by assumptions which
//! events it wants, so one solver serves all queries and keeps what it learned. An event's literal
//! implies that the event's window can be executed: the assumptions of the system hold in all its
//! steps and in all steps before.

use crate::knowledge::task::Task;
use crate::knowledge::vertex::{ByVertex, Vertex};
use crate::session::{Session, Stop};
use crate::step::frames::Frames;
use encoder::EncodeError;
use encoder::unroll::Start;
use model::system::StateId;
use model::term::TermId;
use model::trace::Trace;
use model::value::Value;
use rustc_hash::FxHashMap;
use solver::sat::{ClauseSink, IncrementalSat, Lit};

/// What a query may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// As much as it takes.
    Any,
    /// About so many conflicts of a SAT solver.
    Conflicts(u64),
}

/// The answer to the question for a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Here is one.
    Run(Trace),
    /// There is none.
    None,
    /// The effort did not suffice.
    GaveUp,
}

/// What was encoded; `None` where it would be too large.
///
/// # Errors
/// Any other reason why it cannot be encoded.
pub(crate) fn if_small<T>(encoded: Result<T, EncodeError>) -> Result<Option<T>, Stop> {
    match encoded {
        Ok(encoded) => Ok(Some(encoded)),
        Err(EncodeError::TooLarge(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A choice among the events of all vertices at some time.
struct Choice {
    /// Each literal implies the event of its vertex.
    wanted: ByVertex<Lit>,
    /// It implies at least one of the others.
    any: Lit,
}

/// See the module text.
pub(crate) struct BmcSolver<'s> {
    task: &'s Task<'s>,
    frames: Frames<'s>,
    events: FxHashMap<(Vertex, u32), Lit>,
    choices: FxHashMap<u32, Choice>,
}

impl<'s> BmcSolver<'s> {
    pub(crate) fn new(task: &'s Task<'s>, start: Start, session: &Session<'_>) -> Result<Self, EncodeError> {
        let frames = Frames::new(task, start, session)?;
        Ok(Self { task, frames, events: FxHashMap::default(), choices: FxHashMap::default() })
    }

    /// Name of the solver.
    pub(crate) fn solver_name(&self) -> String {
        self.frames.solver.name().to_owned()
    }

    /// A literal that implies: the goal of `vertex` occurs at `at`; for the depot: the run may end
    /// at `at`, in Final.
    pub(crate) fn event(&mut self, vertex: Vertex, at: u32) -> Result<Lit, EncodeError> {
        if let Some(&known) = self.events.get(&(vertex, at)) {
            return Ok(known);
        }
        let event = self.frames.fresh();
        let what = self.condition(vertex, at)?;
        let running = self.running(at + self.task.steps(vertex))?;
        if let Some(what) = what {
            self.frames.solver.clause(&[!event, what]);
        }
        self.frames.solver.clause(&[!event, running]);
        self.events.insert((vertex, at), event);
        Ok(event)
    }

    /// The literal of the bare condition of a vertex at `at`, true in a run exactly where it holds.
    /// `None` for Final of a system without end.
    pub(crate) fn condition(&mut self, vertex: Vertex, at: u32) -> Result<Option<Lit>, EncodeError> {
        self.task.condition(vertex).map(|term| self.frames.literal(term, at)).transpose()
    }

    /// The literal of a comparison over the state at `at`.
    pub(crate) fn truth(&mut self, term: TermId, at: u32) -> Result<Lit, EncodeError> {
        self.frames.literal(term, at)
    }

    /// The bits of a state word at `at`, the lowest first.
    pub(crate) fn word(&mut self, word: StateId, at: u32) -> Result<Vec<Lit>, EncodeError> {
        self.frames.word(word, at)
    }

    /// Steps of the window of a vertex.
    pub(crate) fn steps(&self, vertex: Vertex) -> u32 {
        self.task.steps(vertex)
    }

    /// After a positive answer: whether a literal is true.
    pub(crate) fn holds(&self, literal: Lit) -> bool {
        self.frames.solver.is_true(literal)
    }

    /// A literal that implies that the first `steps` steps can be executed.
    pub(crate) fn running(&mut self, steps: u32) -> Result<Lit, EncodeError> {
        self.frames.running(steps)
    }

    /// The choice among the events of all vertices at `at`. A vertex is taken out of it by assuming
    /// its literal false.
    fn choice(&mut self, at: u32) -> Result<&Choice, EncodeError> {
        if !self.choices.contains_key(&at) {
            let mut literals = Vec::with_capacity(self.task.len() + 2);
            for vertex in Vertex::all(self.task.len()) {
                let wanted = self.frames.fresh();
                let event = self.event(vertex, at)?;
                self.frames.solver.clause(&[!wanted, event]);
                literals.push(wanted);
            }
            let wanted = literals.iter().copied().collect();
            let any = self.frames.fresh();
            literals.push(!any);
            self.frames.solver.clause(&literals);
            self.choices.insert(at, Choice { wanted, any });
        }
        Ok(&self.choices[&at])
    }

    /// Whether there is a run in which all these literals are true.
    pub(crate) fn ask(&mut self, session: &Session<'_>, assumptions: &[Lit]) -> Result<bool, Stop> {
        session.solve(&mut self.frames.solver, assumptions)
    }

    /// Assumptions that ask for the event of at least one of these vertices at `at`.
    pub(crate) fn choose_among(&mut self, vertices: &[Vertex], at: u32) -> Result<Vec<Lit>, EncodeError> {
        let Choice { wanted, any } = self.choice(at)?;
        let mut assumptions: ByVertex<Lit> = wanted.values().map(|&wanted| !wanted).collect();
        vertices.iter().for_each(|&vertex| assumptions[vertex] = *any);
        Ok(assumptions.as_slice().to_vec())
    }

    /// Asks for a run in which all these literals are true, and for its first `steps` steps.
    pub(crate) fn look_for(
        &mut self,
        session: &Session<'_>,
        assumptions: &[Lit],
        steps: u32,
        effort: Effort,
    ) -> Result<Answer, Stop> {
        let conflicts = match effort {
            Effort::Any => None,
            Effort::Conflicts(conflicts) => Some(conflicts),
        };
        Ok(match session.solve_within(&mut self.frames.solver, assumptions, conflicts)? {
            Some(true) => Answer::Run(self.run(steps)),
            Some(false) => Answer::None,
            None => Answer::GaveUp,
        })
    }

    /// A literal that implies that the state at `at` is this one.
    pub(crate) fn state_is(&mut self, state: &[Value], at: u32) -> Result<Lit, EncodeError> {
        let equal = self.frames.fresh();
        for (id, value) in self.task.system.states.ids().zip(state) {
            let bits = self.frames.word(id, at)?;
            for (position, bit) in bits.into_iter().enumerate() {
                let bit = if value.bits() >> position & 1 == 1 { bit } else { !bit };
                self.frames.solver.clause(&[!equal, bit]);
            }
        }
        Ok(equal)
    }

    /// Demands that the state at `at` is another one.
    pub(crate) fn exclude_state(&mut self, state: &[Value], at: u32) -> Result<(), EncodeError> {
        let mut clause = Vec::new();
        for (id, value) in self.task.system.states.ids().zip(state) {
            let bits = self.frames.word(id, at)?;
            let differs = |(position, bit): (usize, Lit)| {
                if value.bits() >> position & 1 == 1 { !bit } else { bit }
            };
            clause.extend(bits.into_iter().enumerate().map(differs));
        }
        self.frames.solver.clause(&clause);
        Ok(())
    }

    /// The solver, for clauses over the literals of this unfolding.
    pub(crate) fn solver(&mut self) -> &mut dyn IncrementalSat {
        &mut *self.frames.solver
    }

    /// After a positive answer: the first `steps` steps of the run that was found. Those that the
    /// answer did not ask for need not be executable.
    pub(crate) fn run(&self, steps: u32) -> Trace {
        self.frames.unrolling.lift(0, steps, &*self.frames.solver)
    }
}
