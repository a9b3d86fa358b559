//! From Verilog and SystemVerilog to transition systems, and from chains to benches.
//!
//! ```text
//! sources -> yosys: elaborated, flat netlist -> formal cells made alike -> yosys: BTOR2 -> btor2::read_with
//!                   |                           |
//!                   ports, clocks, registers    names and lines of covers, assertions, assumptions
//! ```
//!
//! * A `cover` is a goal, an `assert` a requirement, an `assume` an assumption on every step.
//! * With one clock a step is one cycle: inputs settle, outputs and conditions are looked at, then
//!   the clock has its active edge. What stands in `always @(posedge clk)` is executed at that edge:
//!   yosys registers such conditions, and `chformal -early` takes the registers away again.
//! * With several clocks, both edges, or a clock that is read as data, a step is one tick of an
//!   unnamed clock (`clk2fflogic`); clocks are inputs then.
//! * What Verilog leaves undefined (`x`, undriven wires) is a free choice of the system in every
//!   step.
//!
//! Yosys (0.23 of Debian and later ones) is run as a process with limits. It writes either covers or
//! assertions as `bad` lines, so all of them become assertions with names of their own first:
//! [`formal`] does that on yosys's own text of the netlist.

pub mod bench;
pub mod code;
mod division;
mod formal;
mod front;
mod instrument;
mod netlist;
mod source;
mod yosys;

pub use front::Verilog;
pub use source::VerilogSource;
