//! The arc at which a node is split.
//!
//! A good arc makes the bounds of both halves rise. How much they rise is tried out by a few pivots
//! of the linear program (strong branching), and remembered per arc as gain per unit of change, so
//! that arcs tried often enough need not be tried again (reliability branching; T. Achterberg, T.
//! Koch, A. Martin, Operations Research Letters 33, 2005).

use super::relaxation::Relaxation;
use super::restriction::{Arc, Restriction};
use rustc_hash::FxHashMap;

/// Arcs that are tried out at a node, at most.
const TRIED: usize = 6;
/// Trials after which an arc's remembered gains are trusted.
const TRUSTED: f64 = 2.0;
/// Gains below this count as this much, so that a product is not all zero.
const LEAST_GAIN: f64 = 1e-3;

/// An arc with a fractional value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) arc: Arc,
    pub(crate) value: f64,
}

/// What is needed to try arcs out at a node.
pub(crate) struct Probe<'a> {
    pub(crate) relaxation: &'a mut Relaxation,
    pub(crate) matrix: &'a [i64],
    pub(crate) restriction: &'a Restriction,
    /// Greater objectives are as good as this.
    pub(crate) cutoff: f64,
}

/// Sum of gains per unit of change, and how many.
#[derive(Clone, Copy, Debug, Default)]
struct Gain {
    sum: f64,
    count: f64,
}

/// What was learned about arcs: gains of leaving them out and of keeping them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gains {
    known: FxHashMap<Arc, [Gain; 2]>,
    all: [Gain; 2],
}

impl Gains {
    /// The best arc to split at; none without candidates.
    pub(crate) fn choose(&mut self, mut candidates: Vec<Candidate>, probe: &mut Probe) -> Option<Arc> {
        candidates.sort_by(|left, right| {
            self.score(right).total_cmp(&self.score(left)).then(left.arc.cmp(&right.arc))
        });
        let objective = probe.relaxation.objective();
        let mut tried = 0;
        for &candidate in &candidates {
            if tried < TRIED && !self.is_trusted(candidate.arc) {
                self.try_out(candidate, objective, probe);
                tried += 1;
            }
        }
        if tried > 0 {
            probe.relaxation.restrict_to(probe.matrix);
        }
        let best = candidates.iter().max_by(|left, right| {
            self.score(left).total_cmp(&self.score(right)).then(right.arc.cmp(&left.arc))
        });
        best.map(|best| best.arc)
    }

    fn is_trusted(&self, arc: Arc) -> bool {
        self.known.get(&arc).is_some_and(|gains| gains.iter().all(|gain| gain.count >= TRUSTED))
    }

    /// Product of the gains expected in both halves.
    fn score(&self, candidate: &Candidate) -> f64 {
        let known = self.known.get(&candidate.arc);
        let per_unit = |half: usize| {
            let gain =
                known.map(|gains| gains[half]).filter(|gain| gain.count > 0.0).unwrap_or(self.all[half]);
            if gain.count > 0.0 { gain.sum / gain.count } else { 1.0 }
        };
        (per_unit(0) * candidate.value).max(LEAST_GAIN)
            * (per_unit(1) * (1.0 - candidate.value)).max(LEAST_GAIN)
    }

    fn try_out(&mut self, candidate: Candidate, objective: f64, probe: &mut Probe) {
        let halves = [probe.restriction.without(candidate.arc), probe.restriction.with(candidate.arc)];
        let changes = [candidate.value, 1.0 - candidate.value];
        for half in 0..2 {
            let reached = probe.objective_under(&halves[half]);
            let per_unit = (reached.min(probe.cutoff) - objective).max(0.0) / changes[half];
            for gain in [&mut self.all[half], &mut self.known.entry(candidate.arc).or_default()[half]] {
                gain.sum += per_unit;
                gain.count += 1.0;
            }
        }
    }
}

impl Probe<'_> {
    /// The objective after a few pivots under another restriction.
    fn objective_under(&mut self, restriction: &Restriction) -> f64 {
        let n = self.relaxation.vertices();
        let mut matrix = Vec::new();
        if !restriction.apply(self.matrix, n, &mut matrix) {
            return self.cutoff;
        }
        self.relaxation.restrict_to(&matrix);
        self.relaxation.solve_slice(self.cutoff)
    }
}
