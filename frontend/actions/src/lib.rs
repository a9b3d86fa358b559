//! Action systems (Aichernig, Jöbstl, "Towards Symbolic Model-Based Mutation Testing: Combining
//! Reachability and Refinement Checking", MBT 2012): reading, running, mutating them, and finding
//! what reveals the mutants.
//!
//! ```text
//! text -> syntax -> System -> TransitionSystem (chains of goals, by the engine)
//!            |         |----> interpret: bodies as relations over states, the judge of all results
//!            |         '----> branches -> explore: states, refinement, input-output conformance
//!            '-> mutate: edits of the syntax tree, each checked anew
//! ```
//!
//! [`interpret`] says what an action system means. [`branches`] and [`lower`] say it a second time,
//! for speed and for the search; they share no code with the interpreter beside the expressions of
//! the common core.
//!
//! [`player`] lets a system, or a mutant of one, play the system under test.

pub mod analysis;
pub mod branches;
pub mod check;
pub mod code;
pub mod explore;
pub mod front;
pub mod interpret;
pub mod lower;
pub mod mutate;
pub mod parser;
pub mod player;
pub mod print;
pub mod prolog;
pub mod replay;
pub mod syntax;
pub mod system;
pub mod values;
