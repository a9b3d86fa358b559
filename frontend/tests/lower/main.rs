//! Tests of lowering.

mod back_to_c;
mod round_trip;
