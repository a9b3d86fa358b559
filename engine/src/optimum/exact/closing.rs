//! Closing the gap between the bound and the best chain by queries about whole chains, from both
//! sides.

use super::OptimalSearch;
use crate::knowledge::chains::accept;
use crate::optimum::latched::{Latched, Told};
use crate::provers::distance_engine::DistanceEngine;
use crate::session::Stop;
use crate::step::bmc_solver::{Answer, Effort};
use crate::tuning::Constant;

/// Lengths that are refuted in one go while no chain is known.
pub(crate) const STRIDE: Constant = Constant {
    name: "optimum.stride",
    usual: 8,
    unit: "steps",
    purpose: "how far beyond the bound a latched query looks where no chain is known",
};
/// Greatest number of clauses a latched query may add for pairs of goals.
const LATCHED_CLAUSES: u64 = 3_000_000;

impl<O: DistanceEngine> OptimalSearch<'_, '_, O> {
    /// Latched queries from below and above, with twice the effort of the last time. `false`: it
    /// makes no sense here.
    pub(super) fn close_gap(&mut self) -> Result<bool, Stop> {
        let goals = self.goals.len() as u64;
        let longest = self.best_total().unwrap_or(2 * self.bound + 8);
        if self.chains > 1
            || goals * goals * longest > LATCHED_CLAUSES
            || longest > u64::from(self.distances.deepest())
        {
            return Ok(false);
        }
        let effort = Effort::Conflicts(self.latched_effort);
        self.latched_effort *= 2;
        let mut latched = Latched::new(self.task, &self.goals, self.session)?;
        let limit = self.best_total().unwrap_or(self.bound + self.session.options.tuning.value(&STRIDE));
        while !self.is_closed() && self.bound < limit {
            let steps = self.bound as u32;
            match self.ask_latched(&mut latched, steps, effort)? {
                Answer::None => self.bound += 1,
                Answer::Run(_) => return Ok(true),
                Answer::GaveUp => break,
            }
            self.report();
        }
        while !self.is_closed()
            && let Some(total) = self.best_total()
        {
            match self.ask_latched(&mut latched, total as u32 - 1, effort)? {
                Answer::None => self.bound = total,
                Answer::Run(_) => {}
                Answer::GaveUp => break,
            }
        }
        Ok(true)
    }

    fn ask_latched(&mut self, latched: &mut Latched<'_>, steps: u32, effort: Effort) -> Result<Answer, Stop> {
        let told = Told::Bounds(&self.graph, self.book.learned());
        let answer = latched.within(steps, told, effort, self.session)?;
        if let Answer::Run(trace) = &answer {
            let chain = accept(self.task, trace, &self.goals)?;
            self.offer(vec![chain]);
        }
        Ok(answer)
    }
}
