//! Traces: what was fed into a system, from its initial state or from a given one.

use crate::value::Value;

/// Where a trace starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// In the initial state under these initial inputs (one value for each, in order of their ids).
    Initial(Vec<Value>),
    /// In this state (one value for each state word, in order of their ids).
    State(Vec<Value>),
}

/// An execution, given by its start and inputs: `inputs[k]` holds one value for each input of the system, in
/// order of their ids, read by step `k`. The length of the trace is the number of its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The first state.
    pub start: Start,
    /// The inputs of each step.
    pub inputs: Vec<Vec<Value>>,
}
