//! Incremental SAT solving.
//!
//! The encoder writes clauses into a [`ClauseSink`]; queries go to an [`IncrementalSat`]. `Unknown`
//! is a normal answer everywhere: it means that a limit was reached, never anything about
//! satisfiability.
//!
//! [`Backend`] opens a solver; [`Checked`] wraps one and verifies each of its answers that can be
//! verified, [`Recording`] keeps the clauses for a dump in [`dimacs`]; [`Formula`] is a sink that
//! only stores. [`refute`] answers one query with a proof.

mod backend;
mod checked;
pub mod dimacs;
mod formula;
mod recording;
mod refute;

pub use backend::{Backend, Options, UnknownBackend};
pub use checked::Checked;
pub use formula::Formula;
pub use recording::Recording;
pub use refute::{Part, Refutation, refute, refute_parts};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A variable, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u32);

/// A literal: variable times two, plus one where negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Var {
    /// The positive literal.
    pub const fn positive(self) -> Lit {
        Lit(self.0 << 1)
    }
    /// The literal that is true where the variable is `value`.
    pub const fn literal(self, value: bool) -> Lit {
        Lit(self.0 << 1 | !value as u32)
    }
}

impl Lit {
    /// The variable.
    pub const fn var(self) -> Var {
        Var(self.0 >> 1)
    }
    /// Whether the literal is a negated variable.
    pub const fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
    /// The literal in DIMACS: variable plus one, negative where negated.
    pub const fn dimacs(self) -> i64 {
        let number = (self.0 >> 1) as i64 + 1;
        if self.is_negated() { -number } else { number }
    }
    /// The literal with that DIMACS number; `None` for 0 and for variables beyond 31 bits.
    pub const fn from_dimacs(number: i64) -> Option<Self> {
        let variable = number.unsigned_abs();
        if variable == 0 || variable > 1 << 31 {
            return None;
        }
        Some(Var(variable as u32 - 1).literal(number > 0))
    }
    /// Dense index: variable times two plus sign.
    pub const fn code(self) -> usize {
        self.0 as usize
    }
}

impl std::ops::Not for Lit {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

impl std::fmt::Debug for Lit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}", self.dimacs())
    }
}

/// Where an encoder puts its clauses.
pub trait ClauseSink {
    /// A variable that no clause has used yet.
    fn fresh(&mut self) -> Var;
    /// Adds a clause (a disjunction); the empty clause makes the formula unsatisfiable for good.
    fn clause(&mut self, literals: &[Lit]);
}

/// What a query may cost. The default is unlimited.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// Conflicts after which the answer is [`Verdict::Unknown`].
    pub conflicts: Option<u64>,
    /// Point in time after which the answer is [`Verdict::Unknown`].
    pub deadline: Option<Instant>,
    /// Set from elsewhere (Ctrl-C) to end the query with [`Verdict::Unknown`].
    pub stop: Option<Arc<AtomicBool>>,
}

impl Budget {
    /// Whether any limit is set.
    pub fn is_limited(&self) -> bool {
        self.conflicts.is_some() || self.deadline.is_some() || self.stop.is_some()
    }
    /// Whether the deadline has passed or the stop flag is set.
    pub fn is_spent(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// The answer of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is a model; [`IncrementalSat::value`] reads it.
    Sat,
    /// There is none under the assumptions; [`IncrementalSat::core`] says which of them matter.
    Unsat,
    /// A limit was reached.
    Unknown,
}

/// A SAT solver that keeps what it learned between queries.
pub trait IncrementalSat: ClauseSink {
    /// Asks whether the clauses so far have a model in which all assumptions are true.
    fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Verdict;
    /// The literal's value in the model of the last query. `None`: the model leaves it open, any
    /// value does.
    ///
    /// # Panics
    /// If the last answer was not [`Verdict::Sat`] or a clause was added since.
    fn value(&self, literal: Lit) -> Option<bool>;
    /// Whether the literal is true in the model of the last query, once all that the model leaves
    /// open is set to false. Models are read with this: a variable then has one value through both
    /// its literals, whatever the solver leaves open.
    ///
    /// # Panics
    /// As [`Self::value`].
    fn is_true(&self, literal: Lit) -> bool {
        self.value(literal).unwrap_or(literal.is_negated())
    }
    /// Assumptions of the last query that cannot be true together with the clauses (not necessarily
    /// minimal; empty where the clauses alone have no model), in ascending order without
    /// repetition.
    ///
    /// # Panics
    /// If the last answer was not [`Verdict::Unsat`] or a clause was added since.
    fn core(&self) -> &[Lit];
    /// Name and version for reports.
    fn name(&self) -> &str;
    /// Number of variables made so far.
    fn variables(&self) -> u32;
    /// Number of clauses added so far.
    fn clauses(&self) -> u64;
    /// Number of literals that were propagated so far: what queries have cost, whether they were
    /// answered or not. `None`: the solver does not tell.
    fn propagations(&self) -> Option<u64> {
        None
    }
}

impl<S: ClauseSink + ?Sized> ClauseSink for Box<S> {
    fn fresh(&mut self) -> Var {
        (**self).fresh()
    }
    fn clause(&mut self, literals: &[Lit]) {
        (**self).clause(literals);
    }
}

impl<S: IncrementalSat + ?Sized> IncrementalSat for Box<S> {
    fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Verdict {
        (**self).solve(assumptions, budget)
    }
    fn value(&self, literal: Lit) -> Option<bool> {
        (**self).value(literal)
    }
    fn core(&self) -> &[Lit] {
        (**self).core()
    }
    fn name(&self) -> &str {
        (**self).name()
    }
    fn variables(&self) -> u32 {
        (**self).variables()
    }
    fn clauses(&self) -> u64 {
        (**self).clauses()
    }
    fn propagations(&self) -> Option<u64> {
        (**self).propagations()
    }
}
