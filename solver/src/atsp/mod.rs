//! The asymmetric travelling salesman problem, solved to proven optimality.
//!
//! [`solve`] finds a shortest cyclic tour through all vertices of an [`Instance`] and proves a
//! lower bound on every tour; [`solve_with_path_costs`] does the same where some sub-paths are
//! known to cost more than their arcs or to be impossible. [`chains`] turns paths with fixed or
//! free ends, and sets of paths, into tours. [`tsplib`] reads instances.
//!
//! All costs and bounds are integers, and every bound that is reported was computed in integers.

mod assembly;
mod assignment;
mod automaton;
mod bound;
mod branch_and_cut;
mod branching;
mod certificate;
pub mod chains;
mod charge_cuts;
mod congruence;
mod cyclic_order;
mod descent;
mod dynamic_program;
mod exact;
mod exclusions;
mod found;
mod instance;
mod limits;
mod local_search;
mod path_costs;
mod population;
mod random;
mod relaxation;
mod restriction;
mod rounded_cuts;
mod separation;
mod simplex;
#[cfg(test)]
mod test_support;
#[cfg(test)]
mod tests;
mod tours;
pub mod tsplib;
mod window_program;
mod windows;

pub use assignment::{Assignment, assign};
pub use certificate::certify;
pub use exclusions::{Exclusions, solve_chains};
pub use instance::{Instance, MAX_COST};
pub use path_costs::{WarmStart, length_with_path_costs, solve_with_path_costs, solve_with_path_costs_from};
pub use windows::PathCost;

use limits::Limits;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// How to search. The default has seed 0 and no limits.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Seed of the local search. Results without a limit are the same for the same seed.
    pub seed: u64,
    /// When to end with what there is.
    pub deadline: Option<Instant>,
    /// Set from elsewhere to end with what there is.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Options {
    fn limits(&self) -> Limits {
        Limits { deadline: self.deadline, stop: self.stop.clone() }
    }
}

/// A tour and what is proven about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The vertices in cyclic order, beginning with vertex 0.
    pub tour: Vec<usize>,
    /// Its length, the closing arc included.
    pub length: u64,
    /// No tour is shorter than this.
    pub lower_bound: u64,
    /// Whether the two are equal.
    pub optimal: bool,
}

/// Why there is no tour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Proven: every tour uses a missing arc or a forbidden sub-path.
    #[error("no tour exists")]
    Infeasible,
    /// None was found before the limit.
    #[error("no tour was found before the limit; none is shorter than {lower_bound}")]
    Stopped {
        /// No tour is shorter than this.
        lower_bound: u64,
    },
}

/// A shortest tour, or the best one found before the limit.
///
/// # Errors
/// [`Failure::Infeasible`] where it is proven that no tour exists, [`Failure::Stopped`] where none
/// was found before the limit.
pub fn solve(instance: &Instance, options: &Options) -> Result<Solution, Failure> {
    if instance.len() > dynamic_program::MAX_VERTICES {
        return solve_with_path_costs(instance, &[], options);
    }
    let tour = dynamic_program::shortest_tour(instance).ok_or(Failure::Infeasible)?;
    let length = instance.tour_length(&tour).expect("a shortest tour should use no missing arc");
    Ok(Solution { tour, length, lower_bound: length, optimal: true })
}
