//! One step from a free state in a solver: which state bits it changes, and in which windows of
//! goals it may be the first step.

use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::{Session, Stop};
use crate::step::frames::Frames;
use encoder::EncodeError;
use encoder::aig::Literal;
use encoder::bits::BitBuilder;
use encoder::unroll::{Start, Unrolling};
use solver::sat::Lit;

/// Gates beyond which a step is not looked at: so large a step hardly changes one part at a time,
/// and every query would be about all of it.
const MOST_GATES: usize = 1_000_000;
/// Conflicts that one query may cost: what is asked is mostly decided by propagation.
const CONFLICTS: u64 = 5_000;

/// Why something is not known.
#[derive(Debug)]
pub(super) enum Trouble {
    /// A limit of the run, or an error.
    Stop(Stop),
    /// It would cost too much.
    TooHard,
}

impl<E: Into<Stop>> From<E> for Trouble {
    fn from(error: E) -> Self {
        Self::Stop(error.into())
    }
}

/// A state bit, before and after the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bit {
    pub(super) before: Lit,
    pub(super) after: Lit,
    pub(super) changed: Lit,
    /// The same in the graph.
    before_in_graph: Literal,
    pub(super) changed_in_graph: Literal,
}

/// See the module text. The solver knows the invariants of the task, and nothing else is asserted.
pub(super) struct FreeStep<'c, 's> {
    task: &'s Task<'s>,
    session: &'c Session<'c>,
    frames: Frames<'s>,
    /// All state bits that the step can change.
    pub(super) bits: Vec<Bit>,
    /// The assumptions of the system hold in the step.
    pub(super) running: Lit,
    queries_left: u64,
}

impl<'c, 's> FreeStep<'c, 's> {
    /// For at most so many queries; `TooHard` where there are more state bits than `most_bits`, or
    /// too many gates.
    pub(super) fn new(
        task: &'s Task<'s>,
        start: Start,
        most_bits: usize,
        queries: u64,
        session: &'c Session<'c>,
    ) -> Result<Self, Trouble> {
        let widths = task.system.states.values();
        let count: u32 = widths.map(|state| task.system.terms.symbol(state.symbol).sort.width()).sum();
        if count as usize > most_bits {
            return Err(Trouble::TooHard);
        }
        let steps = u32::from(start == Start::Free);
        let mut frames = Frames::new(task, start, session)?;
        let words = words(task, &mut frames.unrolling, session)?;
        let running = frames.running(steps)?;
        let mut step = Self { task, session, frames, bits: Vec::new(), running, queries_left: queries };
        step.encode_bits(words)?;
        Ok(step)
    }

    fn encode_bits(&mut self, words: Vec<[Vec<Literal>; 2]>) -> Result<(), Trouble> {
        for [before, after] in words {
            self.session.check_limits()?;
            for (before, after) in before.into_iter().zip(after) {
                let changed = self.frames.unrolling.graph().xor(before, after);
                let bit = Bit {
                    before: self.frames.encode(before, 0),
                    after: self.frames.encode(after, 0),
                    changed: self.frames.encode(changed, 0),
                    before_in_graph: before,
                    changed_in_graph: changed,
                };
                self.bits.push(bit);
            }
        }
        Ok(())
    }

    /// The disjunction of literals of the graph.
    pub(super) fn any(&mut self, literals: &[Literal]) -> Literal {
        self.frames.unrolling.graph().any(literals)
    }

    /// A literal that is true only where at least two of these are.
    pub(super) fn several(&mut self, literals: &[Literal]) -> Lit {
        let graph = self.frames.unrolling.graph();
        let (mut one, mut two) = (Literal::FALSE, Literal::FALSE);
        for &literal in literals {
            let second = graph.and(one, literal);
            two = graph.or(two, second);
            one = graph.or(one, literal);
        }
        self.encode(two)
    }

    /// The solver's literal of a literal of the graph.
    pub(super) fn encode(&mut self, literal: Literal) -> Lit {
        self.frames.encode(literal, 0)
    }

    /// The literals that together say that the window of a goal begins with the step.
    pub(super) fn window(&mut self, vertex: Vertex) -> Result<[Lit; 2], EncodeError> {
        let target = self.task.target(vertex);
        let holds = self.frames.literal(target.antecedent, 0)?;
        Ok([holds, self.frames.running(target.steps)?])
    }

    /// The literal that says that a chain may end before the step; `None`: it may end anywhere.
    pub(super) fn end(&mut self) -> Result<Option<Lit>, EncodeError> {
        self.task.condition(Vertex::DEPOT).map(|end| self.frames.literal(end, 0)).transpose()
    }

    /// For each bit whether the condition of a goal (of the depot: Final) depends on its value
    /// before the step, at most.
    pub(super) fn touched(&mut self, vertex: Vertex) -> Result<Vec<bool>, EncodeError> {
        let Some(term) = self.task.condition(vertex) else { return Ok(vec![false; self.bits.len()]) };
        let root = self.frames.unrolling.truth(term, 0)?;
        let mut nodes = self.frames.unrolling.graph().cone([root]);
        nodes.sort_unstable();
        let is_met = |bit: &Bit| nodes.binary_search(&bit.before_in_graph.node()).is_ok();
        Ok(self.bits.iter().map(is_met).collect())
    }

    /// Whether all these literals can be true at once.
    pub(super) fn ask(&mut self, assumptions: &[Lit]) -> Result<bool, Trouble> {
        if self.queries_left == 0 {
            return Err(Trouble::TooHard);
        }
        self.queries_left -= 1;
        self.frames.ask(assumptions, CONFLICTS, self.session)?.ok_or(Trouble::TooHard)
    }

    /// After a positive answer: whether the literal is true.
    pub(super) fn is_true(&self, literal: Lit) -> bool {
        self.frames.solver.is_true(literal)
    }

    /// All values of these literals, the first one as bit 0, that are possible under the
    /// assumptions; in no particular order, but always the same. `TooHard` where there are more
    /// than `most`.
    pub(super) fn values(
        &mut self,
        assumptions: &[Lit],
        literals: &[Lit],
        most: usize,
    ) -> Result<Vec<u128>, Trouble> {
        let guard = self.frames.fresh();
        let mut asked = assumptions.to_vec();
        asked.push(guard);
        let mut found = Vec::new();
        while self.ask(&asked)? {
            if found.len() == most {
                return Err(Trouble::TooHard);
            }
            let is_set: Vec<bool> = literals.iter().map(|&literal| self.is_true(literal)).collect();
            let differs =
                literals.iter().zip(&is_set).map(|(&literal, &set)| if set { !literal } else { literal });
            let clause: Vec<Lit> = differs.chain([!guard]).collect();
            self.frames.solver.clause(&clause);
            let bit = |(position, &set): (usize, &bool)| u128::from(set) << position;
            found.push(is_set.iter().enumerate().map(bit).sum());
        }
        self.frames.solver.clause(&[!guard]);
        Ok(found)
    }
}

/// All state words before and after the step, in the graph. `TooHard` where it gets too large.
fn words(
    task: &Task<'_>,
    unrolling: &mut Unrolling<'_>,
    session: &Session<'_>,
) -> Result<Vec<[Vec<Literal>; 2]>, Trouble> {
    let mut words = Vec::new();
    for state in task.system.states.ids() {
        session.check_limits()?;
        words.push([unrolling.state_word(state, 0)?, unrolling.state_word(state, 1)?]);
        if unrolling.graph().ands() > MOST_GATES {
            return Err(Trouble::TooHard);
        }
    }
    Ok(words)
}

/// Assumptions that these literals have this value.
pub(super) fn equal(literals: &[Lit], value: u64) -> impl Iterator<Item = Lit> {
    let literal = move |(position, &literal): (usize, &Lit)| {
        if value >> position & 1 == 1 { literal } else { !literal }
    };
    literals.iter().enumerate().map(literal)
}
