//! The engine on small systems whose answers are known.

mod ablation;
mod automaton;
mod behaviour;
mod components;
mod cruise;
mod games;
mod jobs;
mod overlap;
mod paper;
mod prices;
mod random;
mod strategies;
mod words;
