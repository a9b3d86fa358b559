//! All integration tests of the crate as one program: one link instead of one per file.

mod brute;
mod c_monitor;
mod check;
mod fret;
mod judge;
mod lustre;
mod messages;
mod mutation;
mod print;
mod random;
mod runs;
mod support;
mod vcd;
