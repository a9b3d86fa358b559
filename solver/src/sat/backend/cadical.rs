//! CaDiCaL 1.9.5: strong on hard queries, with inprocessing between them.
//!
//! The crate `cadical` builds the C++ sources with the C++ compiler alone (rustsat's own CaDiCaL
//! adapter also needs libclang and CMake), so rustsat's traits are implemented here. All foreign
//! calls are inside that crate. It offers no access to CaDiCaL's options, hence no seed.

use super::adapter::Limited;
use super::extend_by_adding;
use super::watch::Watch;
use crate::sat::Budget;
use rustsat::solvers::{Solve, SolveIncremental, SolverResult, SolverState, StateError};
use rustsat::types::{Cl, Lit, TernaryVal, Var};

/// CaDiCaL behind rustsat's traits.
#[derive(Default)]
pub(super) struct Solver {
    inner: cadical::Solver<Limits>,
    /// Assumptions of the last query, to read the failed ones off.
    assumptions: Vec<Lit>,
}

/// Callbacks that end a query when its budget is spent.
struct Limits {
    watch: Watch,
}

impl cadical::Callbacks for Limits {
    fn terminate(&mut self) -> bool {
        self.watch.expired()
    }
}

impl Solver {
    fn require(&self, required_state: SolverState) -> Result<(), StateError> {
        let actual_state = match self.inner.status() {
            Some(true) => SolverState::Sat,
            Some(false) => SolverState::Unsat,
            None => SolverState::Input,
        };
        if actual_state == required_state { Ok(()) } else { Err(StateError { required_state, actual_state }) }
    }
}

impl Limited for Solver {
    /// Conflicts are counted by CaDiCaL itself, which takes at most 2^31 - 1 of them; more is no
    /// limit in practice.
    fn limit(&mut self, budget: &Budget) {
        let conflicts = budget.conflicts.and_then(|limit| i32::try_from(limit).ok()).unwrap_or(-1);
        self.inner.set_limit("conflicts", conflicts).expect("CaDiCaL should know the limit `conflicts`");
        let watched = Budget { conflicts: None, ..budget.clone() };
        self.inner.set_callbacks(watched.is_limited().then(|| Limits { watch: Watch::new(&watched) }));
    }
}

extend_by_adding!(Solver);

impl Solve for Solver {
    fn signature(&self) -> &'static str {
        "CaDiCaL 1.9.5"
    }

    fn reserve(&mut self, max_var: Var) -> anyhow::Result<()> {
        self.inner.reserve(max_var.to_ipasir());
        Ok(())
    }

    fn solve(&mut self) -> anyhow::Result<SolverResult> {
        self.solve_assumps(&[])
    }

    fn lit_val(&self, literal: Lit) -> anyhow::Result<TernaryVal> {
        self.require(SolverState::Sat)?;
        Ok(match self.inner.value(literal.var().to_ipasir()) {
            Some(value) if value == literal.is_pos() => TernaryVal::True,
            Some(_) => TernaryVal::False,
            None => TernaryVal::DontCare,
        })
    }

    fn add_clause_ref<C>(&mut self, clause: &C) -> anyhow::Result<()>
    where
        C: AsRef<Cl> + ?Sized,
    {
        self.inner.add_clause(clause.as_ref().iter().map(|literal| literal.to_ipasir()));
        Ok(())
    }
}

impl SolveIncremental for Solver {
    fn solve_assumps(&mut self, assumptions: &[Lit]) -> anyhow::Result<SolverResult> {
        self.assumptions.clear();
        self.assumptions.extend_from_slice(assumptions);
        Ok(match self.inner.solve_with(assumptions.iter().map(|literal| literal.to_ipasir())) {
            Some(true) => SolverResult::Sat,
            Some(false) => SolverResult::Unsat,
            None => SolverResult::Interrupted,
        })
    }

    fn core(&mut self) -> anyhow::Result<Vec<Lit>> {
        self.require(SolverState::Unsat)?;
        let failed = self.assumptions.iter().filter(|literal| self.inner.failed(literal.to_ipasir()));
        Ok(failed.map(|&literal| !literal).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_of_the_linked_library() {
        let solver = Solver::default();
        assert_eq!(solver.signature().to_lowercase().replace(' ', "-"), solver.inner.signature());
    }
}
