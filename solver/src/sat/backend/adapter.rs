//! Our [`IncrementalSat`] over any solver with rustsat's traits.
//!
//! The state machine (when a value or a core may be read), the numbering of variables and the
//! translation of cores are the same for all back ends and stand here once. A back end adds
//! [`Limited`], because rustsat's own traits for limits are not implemented by all its adapters.

use crate::sat::{Budget, ClauseSink, IncrementalSat, Lit, Var, Verdict};
use rustsat::solvers::{SolveIncremental, SolverResult};
use rustsat::types::{Cl, Lit as RustsatLit, TernaryVal, Var as RustsatVar};

/// A solver whose next query can be given limits.
pub(super) trait Limited: SolveIncremental {
    /// Sets the limits of the next query, in place of earlier ones.
    fn limit(&mut self, budget: &Budget);
    /// As [`IncrementalSat::propagations`].
    fn propagations(&self) -> Option<u64> {
        None
    }
}

/// What the last call left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Input,
    Sat,
    Unsat,
}

/// A rustsat solver behind our interface.
pub(super) struct Adapter<S> {
    solver: S,
    state: State,
    variables: u32,
    clauses: u64,
    /// Variables that the solver was told of; those made since are open in its model.
    reserved: u32,
    core: Vec<Lit>,
    scratch: Vec<RustsatLit>,
}

impl<S: Limited> Adapter<S> {
    /// Wraps a solver without clauses.
    pub(super) fn new(solver: S) -> Self {
        Self {
            solver,
            state: State::Input,
            variables: 0,
            clauses: 0,
            reserved: 0,
            core: Vec::new(),
            scratch: Vec::new(),
        }
    }

    fn translate(&mut self, literals: &[Lit]) {
        debug_assert!(
            literals.iter().all(|literal| literal.var().0 < self.variables),
            "literals should be of variables made by fresh()"
        );
        self.scratch.clear();
        self.scratch.extend(literals.iter().map(|&literal| to_rustsat(literal)));
    }

    fn reserve(&mut self) {
        if self.reserved < self.variables {
            let last = RustsatVar::new(self.variables - 1);
            self.solver.reserve(last).expect("a solver should make room for its variables");
            self.reserved = self.variables;
        }
    }

    /// rustsat's core is the learned clause: the negations of the assumptions that fail together.
    fn fetch_core(&mut self) {
        let clause = self.solver.core().expect("an unsatisfiable query should have a core");
        self.core.clear();
        self.core.extend(clause.into_iter().map(|literal| !from_rustsat(literal)));
        self.core.sort_unstable();
        self.core.dedup();
    }
}

impl<S: Limited> ClauseSink for Adapter<S> {
    fn fresh(&mut self) -> Var {
        assert!(self.variables < RustsatVar::MAX_IDX, "variables should not exceed the solvers' 31 bits");
        let var = Var(self.variables);
        self.variables += 1;
        var
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.translate(literals);
        self.solver.add_clause_ref(Cl::new(&self.scratch)).expect("a solver should accept every clause");
        self.state = State::Input;
        self.clauses += 1;
    }
}

impl<S: Limited> IncrementalSat for Adapter<S> {
    fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Verdict {
        self.state = State::Input;
        if budget.is_spent() {
            return Verdict::Unknown;
        }
        self.reserve();
        self.translate(assumptions);
        self.solver.limit(budget);
        let result = self
            .solver
            .solve_assumps(&self.scratch)
            .expect("a solver should answer or say that it was stopped");
        match result {
            SolverResult::Sat => {
                self.state = State::Sat;
                Verdict::Sat
            }
            SolverResult::Unsat => {
                self.fetch_core();
                self.state = State::Unsat;
                Verdict::Unsat
            }
            SolverResult::Interrupted => Verdict::Unknown,
        }
    }

    fn value(&self, literal: Lit) -> Option<bool> {
        assert_eq!(self.state, State::Sat, "values should be read only after a satisfiable query");
        if literal.var().0 >= self.reserved {
            return None;
        }
        match self.solver.lit_val(to_rustsat(literal)).expect("a model should have a value for each literal")
        {
            TernaryVal::True => Some(true),
            TernaryVal::False => Some(false),
            TernaryVal::DontCare => None,
        }
    }

    fn core(&self) -> &[Lit] {
        assert_eq!(self.state, State::Unsat, "a core should be read only after an unsatisfiable query");
        &self.core
    }

    fn name(&self) -> &str {
        self.solver.signature()
    }

    fn variables(&self) -> u32 {
        self.variables
    }

    fn clauses(&self) -> u64 {
        self.clauses
    }

    fn propagations(&self) -> Option<u64> {
        self.solver.propagations()
    }
}

/// The same literal in rustsat's type.
pub(super) fn to_rustsat(literal: Lit) -> RustsatLit {
    RustsatLit::new(literal.var().0, literal.is_negated())
}

/// The same literal in our type.
pub(super) fn from_rustsat(literal: RustsatLit) -> Lit {
    Var(literal.vidx32()).literal(literal.is_pos())
}
