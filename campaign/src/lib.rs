//! Campaigns: many models, in many variants, searched at once, and never twice.
//!
//! The contract between a campaign and whatever runs it is the [`Job`]: one line of JSON goes in,
//! one folder of results comes out, and a second call changes nothing. Results lie in a [`Store`]
//! under keys that are made of everything a result depends on ([`key`]). This crate searches
//! nothing: [`perform()`] starts the command line's own program for that.

mod error;
pub mod job;
pub mod key;
mod page;
mod perform;
mod plan;
mod record;
mod run;
pub mod slurm;
mod store;
mod table;

pub use error::Error;
pub use job::{Budget, Job, Origin};
pub use perform::{Ended, Performer, Reading, perform};
pub use plan::{Plan, read};
pub use record::{Outcome, Record};
pub use run::{Campaign, Progress};
pub use store::Store;
pub use table::{Row, Table};
