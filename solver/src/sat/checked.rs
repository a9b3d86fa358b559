//! A solver whose answers are checked: for tests and for self-checking runs.
//!
//! What is checked, each with a panic where it fails (the solver or its adapter is wrong, or the
//! caller broke the contract):
//! - literals are of variables that `fresh` made, and those are numbered without gaps;
//! - a model satisfies every clause and every assumption;
//! - a core is an ascending subset of the assumptions;
//! - once the clauses alone had no model, no later query has one;
//! - `Unknown` comes only with a limit;
//! - values and cores are read only in the state that has them.
//!
//! That an `Unsat` is right is not checked (it takes a proof); [`Checked::confirm_core`] asks the
//! same solver again.

use super::{Budget, ClauseSink, Formula, IncrementalSat, Lit, Recording, Var, Verdict};

/// Wraps a solver that has no variables yet and checks its side of the contract and the caller's.
#[derive(Clone, Debug)]
pub struct Checked<S> {
    inner: Recording<S>,
    /// Verdict that values or cores may be read of; `None` since a clause was added.
    verdict: Option<Verdict>,
    contradictory: bool,
}

impl<S: IncrementalSat> Checked<S> {
    /// Wraps an empty solver.
    pub fn new(inner: S) -> Self {
        Self { inner: Recording::new(inner), verdict: None, contradictory: false }
    }

    /// The clauses, the last assumptions and the solver.
    pub fn recording(&self) -> &Recording<S> {
        &self.inner
    }

    /// All clauses so far.
    pub fn formula(&self) -> &Formula {
        self.inner.formula()
    }

    /// Asks again under the last core alone and returns that core.
    ///
    /// # Panics
    /// If the last answer was not [`Verdict::Unsat`], or the second is [`Verdict::Sat`].
    pub fn confirm_core(&mut self, budget: &Budget) -> Vec<Lit> {
        let core = self.core().to_vec();
        let verdict = self.solve(&core, budget);
        assert_ne!(verdict, Verdict::Sat, "a core should be unsatisfiable without the other assumptions");
        core
    }

    fn check_literals(&self, literals: &[Lit]) {
        let made = self.inner.variables();
        for literal in literals {
            assert!(literal.var().0 < made, "literal {literal:?} should be of one of the {made} variables");
        }
    }

    fn check_model(&self, assumptions: &[Lit]) {
        assert!(!self.contradictory, "a formula should not become satisfiable by more clauses");
        let failing = self.formula().first_unsatisfied(|literal| self.inner.value(literal));
        assert_eq!(failing, None, "a model should satisfy all clauses");
        for &literal in assumptions {
            let value = self.inner.value(literal);
            assert_eq!(value, Some(true), "a model should satisfy assumption {literal:?}");
            assert_eq!(self.inner.value(!literal), Some(false), "a literal and its negation should differ");
        }
    }

    fn check_core(&mut self, assumptions: &[Lit]) {
        for literal in self.inner.core() {
            assert!(assumptions.contains(literal), "core literal {literal:?} should be an assumption");
        }
        assert!(self.inner.core().is_sorted_by(|first, second| first < second), "a core should be ascending");
        self.contradictory |= self.inner.core().is_empty();
    }
}

impl<S: IncrementalSat> ClauseSink for Checked<S> {
    fn fresh(&mut self) -> Var {
        self.inner.fresh()
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.check_literals(literals);
        self.verdict = None;
        self.inner.clause(literals);
        assert_eq!(
            self.inner.clauses(),
            self.formula().len() as u64,
            "a solver should count the clauses it was given"
        );
    }
}

impl<S: IncrementalSat> IncrementalSat for Checked<S> {
    fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Verdict {
        self.check_literals(assumptions);
        let verdict = self.inner.solve(assumptions, budget);
        match verdict {
            Verdict::Sat => self.check_model(assumptions),
            Verdict::Unsat => self.check_core(assumptions),
            Verdict::Unknown => assert!(budget.is_limited(), "an unlimited query should be answered"),
        }
        self.verdict = Some(verdict);
        verdict
    }

    fn value(&self, literal: Lit) -> Option<bool> {
        self.check_literals(&[literal]);
        assert_eq!(self.verdict, Some(Verdict::Sat), "values should be read only after a satisfiable query");
        self.inner.value(literal)
    }

    fn core(&self) -> &[Lit] {
        assert_eq!(
            self.verdict,
            Some(Verdict::Unsat),
            "a core should be read only after an unsatisfiable query"
        );
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A solver that gives the answer it was made with.
    #[derive(Default)]
    struct Scripted {
        formula: Formula,
        verdict: Option<Verdict>,
        truths: Vec<Option<bool>>,
        core: Vec<Lit>,
    }

    impl ClauseSink for Scripted {
        fn fresh(&mut self) -> Var {
            self.formula.fresh()
        }
        fn clause(&mut self, literals: &[Lit]) {
            self.formula.clause(literals);
        }
    }

    impl IncrementalSat for Scripted {
        fn solve(&mut self, _: &[Lit], _: &Budget) -> Verdict {
            self.verdict.expect("the script should hold an answer")
        }
        fn value(&self, literal: Lit) -> Option<bool> {
            self.truths[literal.var().0 as usize].map(|truth| truth != literal.is_negated())
        }
        fn core(&self) -> &[Lit] {
            &self.core
        }
        fn name(&self) -> &str {
            "scripted"
        }
        fn variables(&self) -> u32 {
            self.formula.variables()
        }
        fn clauses(&self) -> u64 {
            self.formula.len() as u64
        }
    }

    const A: Lit = Var(0).positive();
    const B: Lit = Var(1).positive();

    /// Asks about `a | b` with a scripted answer.
    fn ask(script: Scripted, assumptions: &[Lit]) -> Checked<Scripted> {
        let mut solver = Checked::new(script);
        solver.fresh();
        solver.fresh();
        solver.clause(&[A, B]);
        solver.solve(assumptions, &Budget::default());
        solver
    }

    fn sat(truths: [Option<bool>; 2]) -> Scripted {
        Scripted { verdict: Some(Verdict::Sat), truths: truths.to_vec(), ..Scripted::default() }
    }

    fn unsat(core: &[Lit]) -> Scripted {
        Scripted { verdict: Some(Verdict::Unsat), core: core.to_vec(), ..Scripted::default() }
    }

    #[test]
    fn right_answers_pass() {
        assert_eq!(ask(sat([Some(true), None]), &[A]).value(!A), Some(false));
        assert_eq!(ask(unsat(&[!B]), &[!A, !B]).core(), [!B]);
    }

    #[test]
    #[should_panic(expected = "a model should satisfy all clauses")]
    fn a_false_clause_is_noticed() {
        ask(sat([Some(false), None]), &[]);
    }

    #[test]
    #[should_panic(expected = "a model should satisfy assumption -2")]
    fn a_false_assumption_is_noticed() {
        ask(sat([Some(true), Some(true)]), &[!B]);
    }

    #[test]
    #[should_panic(expected = "core literal -2 should be an assumption")]
    fn a_foreign_core_literal_is_noticed() {
        ask(unsat(&[!B]), &[!A]);
    }

    #[test]
    #[should_panic(expected = "a core should be ascending")]
    fn a_repeated_core_literal_is_noticed() {
        ask(unsat(&[!A, !A]), &[!A]);
    }

    #[test]
    #[should_panic(expected = "an unlimited query should be answered")]
    fn unknown_without_limit_is_noticed() {
        ask(Scripted { verdict: Some(Verdict::Unknown), ..Scripted::default() }, &[]);
    }

    #[test]
    #[should_panic(expected = "a formula should not become satisfiable")]
    fn resurrection_is_noticed() {
        let mut solver = ask(unsat(&[]), &[]);
        solver.inner = Recording::new(sat([Some(true), Some(true)]));
        solver.fresh();
        solver.fresh();
        solver.solve(&[], &Budget::default());
    }

    #[test]
    #[should_panic(expected = "values should be read only after a satisfiable query")]
    fn values_after_a_clause_are_refused() {
        let mut solver = ask(sat([Some(true), Some(true)]), &[]);
        solver.clause(&[A]);
        solver.value(A);
    }

    #[test]
    #[should_panic(expected = "a core should be read only after an unsatisfiable query")]
    fn cores_of_satisfiable_queries_are_refused() {
        ask(sat([Some(true), Some(true)]), &[]).core();
    }

    #[test]
    #[should_panic(expected = "literal 3 should be of one of the 2 variables")]
    fn unknown_variables_are_refused() {
        ask(sat([Some(true), Some(true)]), &[]).clause(&[Var(2).positive()]);
    }
}
