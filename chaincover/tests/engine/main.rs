//! The engine on small systems whose answers are known.

mod automaton;
mod cruise;
mod paper;
mod random;
