//! BatSat: MiniSat's algorithm in Rust, light on many small queries.
//!
//! rustsat's own adapter is used; limits go through BatSat's callbacks, which it polls before each
//! decision.

use super::adapter::Limited;
use super::watch::Watch;
use super::{Options, scramble};
use crate::sat::Budget;
use batsat::callbacks::Callbacks;
use batsat::{ClauseKind, SolverInterface, SolverOpts};

/// BatSat behind rustsat's traits.
pub(super) type Solver = rustsat_batsat::Solver<Limits>;

/// Callbacks that end a query when its budget is spent.
#[derive(Default)]
pub(super) struct Limits {
    watch: Watch,
}

/// An empty solver. A seed randomises the order in which variables are first tried.
pub(super) fn open(options: &Options) -> Solver {
    let mut solver = Solver::default();
    if let Some(seed) = options.seed {
        let settings =
            SolverOpts { random_seed: random_state(seed), rnd_init_act: true, ..SolverOpts::default() };
        *solver.batsat_mut() = batsat::Solver::new(settings, Limits::default());
    }
    solver
}

/// A state of BatSat's generator: x -> 1389796 x mod (2^31 - 1) over the floats 1, 2, ..., 2^31
/// - 2.
fn random_state(seed: u64) -> f64 {
    (scramble(seed) % ((1 << 31) - 2) + 1) as f64
}

impl Limited for Solver {
    fn limit(&mut self, budget: &Budget) {
        self.batsat_mut().cb_mut().watch = Watch::new(budget);
    }
    fn propagations(&self) -> Option<u64> {
        Some(self.batsat_ref().num_propagations())
    }
}

impl Callbacks for Limits {
    fn on_new_clause(&mut self, _clause: &[batsat::Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.watch.add_conflicts(1);
        }
    }

    fn stop(&self) -> bool {
        self.watch.expired()
    }
}
