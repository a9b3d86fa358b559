//! Monitors in C: what an interface requires, as a function that is called after each step of a
//! system and says by flags which requirements were triggered and which are broken.
//!
//! Behind the step function of a model in C, the flags are goals and expectations, so that the
//! interface is an oracle of the code: whether it can ever violate a requirement is a question
//! about the flags.
//!
//! Hidden values are followed in one of two ways. Where they are few, the monitor keeps the set of
//! all that fit the observations (a belief), as [`crate::monitor`] does. Else each of them has to
//! be determined by equations `h' = e` of requirements; a step in which none is triggered is told
//! by a flag, and nothing is judged any more.

mod expression;
mod hidden;
mod text;

pub use text::{CMonitor, MonitorGoal, Names, monitor};

/// Something that has no place in a monitor in C.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} cannot be written as a monitor in C")]
pub struct Inexpressible(String);

impl Inexpressible {
    fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}
