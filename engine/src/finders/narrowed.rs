//! A system that assumes more about calls of the C library than holds: it has fewer executions.
//!
//! It serves engines that look for executions and conclude nothing where they find none. Points
//! that the library was asked at are [lemmas](crate::step::lemma). Besides, arguments are moderate:
//! a solver that is free to choose takes numbers of any magnitude, each far from all points that
//! are known, and nothing that is learned there helps at the next.

use crate::error::EngineError;
use crate::knowledge::task::Task;
use crate::step::external::points;
use crate::step::lemma;
use crate::step::lemma::{validated, with_lemmas};
use model::external::{Call, Lemma};
use model::system::{Assumption, TransitionSystem};
use model::term::{BinaryOp, UnaryOp};
use model::trace::Trace;
use model::validate::Validated;
use rustc_hash::FxHashSet;

/// Greatest magnitude of arguments.
const MODERATE: f64 = 128.0;

/// See the module text.
pub(crate) struct Narrowed {
    system: Validated,
    known: FxHashSet<Lemma>,
}

impl Narrowed {
    /// With moderate arguments; no points are known.
    ///
    /// # Errors
    /// Where that is no valid system, against expectation.
    pub(crate) fn new(task: &Task<'_>) -> Result<Self, EngineError> {
        let mut system = (**task.system).clone();
        task.calls().iter().for_each(|call| moderate(&mut system, call));
        Ok(Self { system: validated(system)?, known: FxHashSet::default() })
    }

    /// The task over this system, with the same goals.
    pub(crate) fn task(&self, of: &Task<'_>) -> Task<'_> {
        of.over(&self.system)
    }

    /// Asks the library at the points of these executions of the task. Whether any is new.
    ///
    /// # Errors
    /// As for [`Narrowed::new`].
    pub(crate) fn learn(&mut self, task: &Task<'_>, traces: [&Trace; 2]) -> Result<bool, EngineError> {
        let asked = traces.into_iter().flat_map(|trace| points(task.system, trace));
        let fresh: Vec<Lemma> = asked.filter(|lemma| self.known.insert(lemma.clone())).collect();
        if !fresh.is_empty() {
            self.system = with_lemmas(self.system.clone(), &fresh)?;
        }
        Ok(!fresh.is_empty())
    }
}

/// Assumes that the arguments of a call are moderate.
fn moderate(system: &mut TransitionSystem, call: &Call) {
    for &argument in &call.arguments {
        let terms = &mut system.terms;
        let limit = terms.constant(lemma::rounded(call.format, MODERATE));
        let magnitude = terms.unary(UnaryOp::FloatAbs, argument);
        let condition = terms.binary(BinaryOp::FloatLe, magnitude, limit);
        system.assumptions.push(Assumption { condition, origin: call.origin });
    }
}
