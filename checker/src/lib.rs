//! Checks the evidence behind claims about test case chains.
//!
//! The crate depends on nothing else of the workspace, so that no error of the search can hide in
//! it: it has its own reader of clauses, its own check of unsatisfiability proofs ([`lrat`]), its
//! own finite graphs ([`graph`]) and its own search for the cheapest chains on them ([`cover`]),
//! its own [tours](legs) through distances, its own bounds that add up over parts of the state
//! ([`parts`]), and its own checks of bounds of tours ([`tour`]) and of who wins a game ([`game`]).
//! It favours short code over speed.

pub mod cover;
pub mod families;
pub mod game;
pub mod graph;
pub mod legs;
pub mod lrat;
pub mod parts;
mod subset;
pub mod text;
pub mod tour;
