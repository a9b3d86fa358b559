//! A solver that remembers its clauses.
//!
//! Solvers simplify what they are given and do not give it back. For a dump of exactly the query
//! that was asked (to reproduce a slow or wrong answer with another solver) the clauses are kept
//! beside it.

use super::dimacs::{self, AssumptionStyle};
use super::{Budget, ClauseSink, Formula, IncrementalSat, Lit, Var, Verdict};
use std::io;

/// Wraps a solver that has no variables yet and keeps every clause and the last query's
/// assumptions.
#[derive(Clone, Debug)]
pub struct Recording<S> {
    inner: S,
    formula: Formula,
    assumptions: Vec<Lit>,
}

impl<S: IncrementalSat> Recording<S> {
    /// Wraps an empty solver.
    pub fn new(inner: S) -> Self {
        assert_eq!(inner.variables(), 0, "a recording should start with an empty solver");
        Self { inner, formula: Formula::new(), assumptions: Vec::new() }
    }

    /// All clauses so far.
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// The assumptions of the last query.
    pub fn assumptions(&self) -> &[Lit] {
        &self.assumptions
    }

    /// Writes the last query (its assumptions and all clauses so far) in DIMACS.
    pub fn dump(&self, style: AssumptionStyle, output: &mut dyn io::Write) -> io::Result<()> {
        dimacs::write(&self.formula, &self.assumptions, style, output)
    }
}

impl<S: IncrementalSat> ClauseSink for Recording<S> {
    fn fresh(&mut self) -> Var {
        let var = self.inner.fresh();
        let recorded = self.formula.fresh();
        assert_eq!(var, recorded, "a solver should number its variables without gaps");
        var
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.formula.clause(literals);
        self.inner.clause(literals);
    }
}

impl<S: IncrementalSat> IncrementalSat for Recording<S> {
    fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Verdict {
        self.assumptions.clear();
        self.assumptions.extend_from_slice(assumptions);
        self.inner.solve(assumptions, budget)
    }
    fn value(&self, literal: Lit) -> Option<bool> {
        self.inner.value(literal)
    }
    fn core(&self) -> &[Lit] {
        self.inner.core()
    }
    fn name(&self) -> &str {
        self.inner.name()
    }
    fn variables(&self) -> u32 {
        self.inner.variables()
    }
    fn clauses(&self) -> u64 {
        self.inner.clauses()
    }
    fn propagations(&self) -> Option<u64> {
        self.inner.propagations()
    }
}
