//! Finding what tells mutants from their original, with all states in hand.

pub mod conform;
pub mod cover;
pub mod refine;
pub mod runs;
pub mod space;
pub mod tree;
pub mod walks;
