//! Tests of lowering.

mod back_to_c;
mod conditions;
mod errors;
mod expressions;
mod files;
mod layout;
mod linking;
mod mutation;
mod mutator;
mod round_trip;
mod support;
