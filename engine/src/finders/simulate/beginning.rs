//! Where executions go on from: initial states, and steps of known chains.

use super::vectors::bits;
use crate::error::EngineError;
use crate::knowledge::chains::{CheckedChain, covered_after, covering};
use crate::knowledge::task::Task;
use crate::step::external::complete;
use crate::step::initial::InitialState;
use model::trace::{Start, Trace};
use model::value::Value;

/// A state, and the way to it.
pub(super) struct Beginning {
    way: Trace,
    pub(super) state: Vec<u64>,
}

impl Beginning {
    /// An initial state.
    pub(super) fn initial(initial: &InitialState) -> Self {
        let way = Trace { start: Start::Initial(initial.inputs.clone()), inputs: Vec::new() };
        Self { way, state: bits(&initial.state) }
    }

    /// The state of a chain after so many steps.
    fn at(chain: &CheckedChain, steps: usize) -> Self {
        Self { way: chain.prefix(steps), state: bits(&chain.run.states[steps]) }
    }

    /// The last state of a chain.
    pub(super) fn end_of(chain: &CheckedChain) -> Self {
        Self::at(chain, chain.trace.inputs.len())
    }

    /// The states in which a chain has just covered something for the first time, in their order.
    pub(super) fn within(task: &Task<'_>, chain: &CheckedChain) -> impl DoubleEndedIterator<Item = Self> {
        covered_after(task, chain).into_iter().map(|steps| Self::at(chain, steps))
    }

    /// The chain that goes on from here under these inputs, with the results that the C library
    /// gives. It covers those of the goals that the evaluator sees. `None`: there are none, or it
    /// does not come to Final.
    pub(super) fn chain(
        &self,
        task: &Task<'_>,
        inputs: Vec<Vec<Value>>,
        goals: &[usize],
    ) -> Result<Option<CheckedChain>, EngineError> {
        let mut trace = self.way.clone();
        trace.inputs.extend(inputs);
        covering(task, complete(task.system, trace), goals)
    }
}
