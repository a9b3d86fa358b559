//! Coverage goals: what there is in C texts, and whether a step reaches it, by enumeration.

mod explore;
mod interpreter;
mod names;
mod observed;
mod program;
mod random;
