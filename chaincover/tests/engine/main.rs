//! The engine on small systems whose answers are known.

mod automaton;
mod behaviour;
mod cruise;
mod paper;
mod random;
mod strategies;
mod text;
mod words;
