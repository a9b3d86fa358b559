//! What a system under test is to those who run tests.

use crate::message::{Event, Reply};
use crate::time::Time;
use serde_json::{Map, Value as Json};
use std::time::Duration;

/// Values by names: what a step takes or gives. Truths are `true` and `false`, integers numbers,
/// enumerators texts, other numbers texts or numbers.
pub type Fields = Map<String, Json>;

/// Why a system cannot be used further in this run. It is no verdict on what it does: the test has
/// none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// It cannot be started.
    #[error("the system cannot be started: {0}")]
    NotStarted(String),
    /// It ended.
    #[error("the system ended ({how}) instead of answering{}", told(.stderr))]
    Ended {
        /// Its exit status, in words.
        how: String,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
    /// It kept silent.
    #[error("the system gave no answer within {limit:?}{}", told(.stderr))]
    Silent {
        /// The limit.
        limit: Duration,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
    /// The time of the whole run was up before it answered.
    #[error("the time is up, and the system has not answered yet")]
    TimeIsUp,
    /// The user wanted an end, or memory ran out, before it answered.
    #[error("interrupted: the system has not answered yet")]
    Interrupted,
    /// It wrote something that is no answer to what it was asked.
    #[error("the system answered ill-formed: {why}: {line}")]
    IllFormed {
        /// The line.
        line: String,
        /// What is wrong with it.
        why: String,
    },
    /// It says itself that it cannot go on.
    #[error("the system says that it cannot go on: {0}")]
    Refuses(String),
}

/// What a system said beside its answers.
fn told(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("; it wrote: {}", stderr.trim_end()) }
}

/// A system that takes all inputs of a step at once and gives all its outputs.
pub trait Synchronous {
    /// Brings the system to its beginning: the next step is number 0.
    ///
    /// # Errors
    /// The system cannot be used.
    fn reset(&mut self) -> Result<(), Broken>;
    /// Gives the inputs of a step and returns the outputs that the system shows in it. Outputs may
    /// be missing, which means that nobody knows them.
    ///
    /// # Errors
    /// The system cannot be used until it is reset.
    fn step(&mut self, number: u64, inputs: &Fields) -> Result<Fields, Broken>;
    /// Ends a run before its verdict is told; the system may be reset for the next one.
    ///
    /// # Errors
    /// The system has said more than it was asked: what was taken for its answers may be others.
    fn end(&mut self) -> Result<(), Broken> {
        Ok(())
    }
}

/// A system that takes inputs one by one, and gives outputs when it likes.
pub trait Events {
    /// Brings the system to its beginning.
    ///
    /// # Errors
    /// The system cannot be used.
    fn reset(&mut self) -> Result<(), Broken>;
    /// Lets the time of the event pass (where there is time) and gives the input then. The answer
    /// is [`Reply::Accepted`] or [`Reply::Given`], [`Reply::Refused`], or an output that came before the input could be
    /// given, which then was not given.
    ///
    /// # Errors
    /// The system cannot be used until it is reset.
    fn input(&mut self, event: &Event) -> Result<Reply, Broken>;
    /// In real time, the time since the last event.
    fn elapsed(&self) -> Option<Time> {
        None
    }
    /// Waits for an output, for so long where there is time; the answer is [`Reply::Output`] or
    /// [`Reply::Quiet`].
    ///
    /// # Errors
    /// The system cannot be used until it is reset.
    fn watch(&mut self, time: Option<&Time>) -> Result<Reply, Broken>;
    /// Ends a run before its verdict is told; the system may be reset for the next one.
    ///
    /// # Errors
    /// The system has said more than it was asked: what was taken for its answers may be others.
    fn end(&mut self) -> Result<(), Broken> {
        Ok(())
    }
}
