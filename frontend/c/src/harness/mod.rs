//! Native replay: C programs that run a chain on the compiled code.

pub(crate) mod blueprint;
mod driver;
mod native;
mod plan;
mod print;

pub(crate) use plan::Replay;
