//! The state of one execution path, and how paths join.

use super::Machine;
use super::path::PathId;
use super::path_feasibility::Verdict;
use super::sparse::Sparse;
use model::term::TermId;

/// What a path has written.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    /// Value of each cell that was written. The [initial memory](super::initial_memory) knows what
    /// others hold.
    pub(crate) values: Sparse,
    /// For cells that were written on some of the joined paths only, and hold nothing on the
    /// others: the truth that they were written. Cells with a value and no entry here are written
    /// on all.
    pub(crate) written: Sparse,
}

impl Memory {
    /// Stores a value.
    pub(crate) fn set(&mut self, cell: usize, value: TermId) {
        self.values.set(cell, Some(value));
        if self.written.get(cell).is_some() {
            self.written.set(cell, None);
        }
    }
    /// Forgets a value.
    pub(crate) fn clear(&mut self, cell: usize) {
        if self.values.get(cell).is_some() {
            self.values.set(cell, None);
        }
        if self.written.get(cell).is_some() {
            self.written.set(cell, None);
        }
    }
}

/// A point of the execution: how it was reached and what memory holds there.
#[derive(Clone)]
pub(crate) struct State {
    /// The decisions that lead here.
    pub(crate) path: PathId,
    /// What was written on the way.
    pub(crate) memory: Memory,
}

impl Machine<'_> {
    /// The state under one more condition; `None` where that contradicts the path.
    pub(crate) fn assume(&mut self, state: &State, condition: TermId) -> Option<State> {
        let path = self.narrowed(state.path, condition)?;
        Some(State { path, memory: state.memory.clone() })
    }

    /// A path under one more condition; `None` where that contradicts it.
    pub(crate) fn narrowed(&mut self, path: PathId, condition: TermId) -> Option<PathId> {
        match self.ranges.decide(&self.system.terms, condition) {
            Some(true) => Some(path),
            Some(false) => None,
            None => match self.judge(path, condition) {
                Verdict::Never => None,
                Verdict::Always => Some(path),
                Verdict::Maybe => self.paths.extend(&mut self.system.terms, path, condition),
            },
        }
    }

    /// One state for several that exclude each other; `None` for none of them.
    ///
    /// States that parted last are joined first: in the order of execution, those are neighbours.
    pub(crate) fn join(&mut self, states: Vec<State>) -> Option<State> {
        let mut waiting: Vec<State> = Vec::new();
        for state in states {
            while let [.., before, last] = waiting.as_slice() {
                if self.paths.shared(before.path, last.path) < self.paths.shared(last.path, state.path) {
                    break;
                }
                self.join_last(&mut waiting);
            }
            waiting.push(state);
        }
        while waiting.len() > 1 {
            self.join_last(&mut waiting);
        }
        waiting.pop()
    }

    fn join_last(&mut self, waiting: &mut Vec<State>) {
        let right = waiting.pop().expect("two states should be waiting");
        let left = waiting.pop().expect("two states should be waiting");
        waiting.push(self.join_two(left, right));
    }

    fn join_two(&mut self, left: State, right: State) -> State {
        let terms = &mut self.system.terms;
        let parting = self.paths.part(terms, left.path, right.path);
        let either = terms.or(parting.left, parting.right);
        let negated = terms.not(parting.left);
        let path = if negated == parting.right {
            parting.common
        } else {
            let extended = self.paths.extend(terms, parting.common, either);
            extended.unwrap_or(parting.common)
        };
        let memory = if parting.left_length <= parting.right_length {
            self.join_memory(parting.left, &left.memory, &right.memory)
        } else {
            self.join_memory(parting.right, &right.memory, &left.memory)
        };
        State { path, memory }
    }

    /// The memory that is `then` where the condition holds and `otherwise` where it does not.
    fn join_memory(&mut self, condition: TermId, then: &Memory, otherwise: &Memory) -> Memory {
        let mut joined = then.clone();
        for (cell, left, right) in then.values.differences(&otherwise.values) {
            let left = left.or_else(|| self.world_value(cell));
            let right = right.or_else(|| self.world_value(cell));
            let value = match (left, right) {
                (Some(left), Some(right)) => self.system.terms.ite(condition, left, right),
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => continue,
            };
            joined.values.set(cell, Some(value));
            let left = left.map(|_| then.written.get(cell));
            let right = right.map(|_| otherwise.written.get(cell));
            let written = self.join_written(condition, left, right);
            if written != joined.written.get(cell) {
                joined.written.set(cell, written);
            }
        }
        for (cell, left, right) in then.written.differences(&otherwise.written) {
            if then.values.get(cell).is_some() && then.values.get(cell) == otherwise.values.get(cell) {
                let written = self.join_written(condition, Some(left), Some(right));
                joined.written.set(cell, written);
            }
        }
        joined
    }

    /// Joins what two sides say about a cell: `None`: nothing is there; `Some(None)`: written on
    /// all paths; `Some(Some(truth))`: on those.
    fn join_written(
        &mut self,
        condition: TermId,
        left: Option<Option<TermId>>,
        right: Option<Option<TermId>>,
    ) -> Option<TermId> {
        let terms = &mut self.system.terms;
        let mut truth = |side: Option<Option<TermId>>| match side {
            None => terms.truth(false),
            Some(None) => terms.truth(true),
            Some(Some(truth)) => truth,
        };
        let (left, right) = (truth(left), truth(right));
        let written = self.system.terms.ite(condition, left, right);
        match self.system.terms.as_const(written) {
            Some(value) if value.is_true() => None,
            _ => Some(written),
        }
    }
}
