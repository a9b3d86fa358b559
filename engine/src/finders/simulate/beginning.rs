//! Where executions go on from: initial states, and steps of known chains.

use super::vectors::bits;
use crate::error::EngineError;
use crate::knowledge::chains::{CheckedChain, covered_after, covering};
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::step::external::complete;
use crate::step::initial::InitialState;
use model::trace::{Start, Trace};
use model::value::Value;
use std::sync::Arc;

/// A state, and the way to it.
pub(crate) struct Beginning {
    way: Way,
    pub(crate) state: Vec<u64>,
}

enum Way {
    /// None: the state under these initial inputs.
    None(Vec<Value>),
    /// So many steps of a chain, which may be too long to be copied for each.
    Steps(Arc<CheckedChain>, usize),
}

impl Beginning {
    /// An initial state.
    pub(crate) fn initial(initial: &InitialState) -> Self {
        Self { way: Way::None(initial.inputs.clone()), state: bits(&initial.state) }
    }

    /// The state of a chain after so many steps.
    fn at(chain: &Arc<CheckedChain>, steps: usize) -> Self {
        Self { way: Way::Steps(Arc::clone(chain), steps), state: bits(chain.state(steps)) }
    }

    /// Number of steps that lead to it.
    pub(crate) fn steps(&self) -> u64 {
        match &self.way {
            Way::None(_) => 0,
            Way::Steps(_, steps) => *steps as u64,
        }
    }

    /// The inputs of the last step that leads to it; `None` for an initial state.
    pub(crate) fn last_inputs(&self) -> Option<&[Value]> {
        match &self.way {
            Way::None(_) => None,
            Way::Steps(chain, steps) => Some(&chain.trace.inputs[steps.checked_sub(1)?]),
        }
    }

    /// The last state of a chain.
    pub(crate) fn end_of(chain: &Arc<CheckedChain>) -> Self {
        Self::at(chain, chain.trace.inputs.len())
    }

    /// The states in which a chain has just covered something for the first time, in their order.
    pub(crate) fn within(
        task: &Task<'_>,
        chain: &Arc<CheckedChain>,
    ) -> impl DoubleEndedIterator<Item = Self> {
        covered_after(task, chain).into_iter().map(|steps| Self::at(chain, steps))
    }

    /// The chain that goes on from here under these inputs, with the results that the C library
    /// gives. It covers those of the goals that the evaluator sees. `None`: there are none, or it
    /// does not come to Final.
    pub(crate) fn chain(
        &self,
        task: &Task<'_>,
        inputs: Vec<Vec<Value>>,
        goals: &[Vertex],
    ) -> Result<Option<CheckedChain>, EngineError> {
        let mut trace = match &self.way {
            Way::None(initial) => Trace { start: Start::Initial(initial.clone()), inputs: Vec::new() },
            Way::Steps(chain, steps) => chain.prefix(*steps),
        };
        trace.inputs.extend(inputs);
        covering(task, complete(task.system, trace), goals)
    }
}
