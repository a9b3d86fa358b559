//! The C front end.
//!
//! ```text
//! text -> preprocess -> syntax -> lower -> ir::Program -> exec -> TransitionSystem
//! ```
//! [`ir`] is the waist: everything before it knows C's grammar, everything after it knows only what programs mean.

pub mod ir;
pub mod request;
