//! Proofs of unsatisfiability for others to check.
//!
//! [`refute`] solves one formula with Varisat and writes the proof as LRAT: Varisat's own checker tells for each learned clause
//! which clauses propagate, and these are the hints. The proof refers to the clauses of the formula by their position, from 1.

use super::{Budget, Formula, Lit};
use std::fmt::Write;
use varisat::checker::{CheckedProofStep, CheckerData, ProofProcessor};
use varisat::{ExtendFormula, Solver};

/// What came of the attempt to refute a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// There is no model; the proof as LRAT text.
    Proof(String),
    /// There is a model.
    Satisfiable,
    /// A limit was reached.
    Unknown,
}

/// Refutes a formula. Of the budget, conflicts are counted as learned clauses.
pub fn refute(formula: &Formula, budget: &Budget) -> Refutation {
    if let Some(proof) = obvious(formula) {
        return Refutation::Proof(proof);
    }
    let mut writer = Writer { text: String::new(), learned: 0, budget, cut_short: false, failed: None };
    let verdict = {
        let mut solver = Solver::new();
        solver.add_proof_processor(&mut writer);
        for clause in formula.clauses() {
            let literals: Vec<varisat::Lit> = clause.iter().map(|&literal| to_varisat(literal)).collect();
            solver.add_clause(&literals);
        }
        let verdict = solver.solve();
        let closed = solver.close_proof();
        verdict.and_then(|verdict| closed.map(|()| verdict))
    };
    match (verdict, writer.failed) {
        (Ok(true), _) => Refutation::Satisfiable,
        (Ok(false), None) => Refutation::Proof(writer.text),
        (Err(_), _) if writer.cut_short => Refutation::Unknown,
        (result, failed) => {
            panic!("Varisat should write a proof of resolution steps, not {result:?} {failed:?}")
        }
    }
}

/// The proof of a formula that holds an empty clause or a unit clause and its negation.
fn obvious(formula: &Formula) -> Option<String> {
    let end = formula.len() + 1;
    let mut units = vec![0usize; 2 * formula.variables() as usize];
    for (clause, number) in formula.clauses().zip(1..) {
        match clause {
            [] => return Some(format!("{end} 0 {number} 0\n")),
            [unit, more @ ..] if more.iter().all(|literal| literal == unit) => {
                let opposite = units[(!*unit).code()];
                if opposite != 0 {
                    return Some(format!("{end} 0 {opposite} {number} 0\n"));
                }
                units[unit.code()] = number;
            }
            _ => {}
        }
    }
    None
}

fn to_varisat(literal: Lit) -> varisat::Lit {
    varisat::Lit::from_dimacs(literal.dimacs() as isize)
}

/// Writes checked steps as LRAT.
struct Writer<'b> {
    text: String,
    learned: u64,
    budget: &'b Budget,
    cut_short: bool,
    /// A step that LRAT without RAT cannot express.
    failed: Option<String>,
}

impl Writer<'_> {
    fn is_spent(&self) -> bool {
        self.budget.conflicts.is_some_and(|limit| self.learned > limit)
            || (self.learned.is_multiple_of(64) && self.budget.is_spent())
    }

    fn line(&mut self, id: u64, clause: &[varisat::Lit], hints: &[u64], data: CheckerData<'_, '_>) {
        let _ = write!(self.text, "{}", id + 1);
        for literal in clause {
            let variable = data.user_from_proof_var(literal.var()).unwrap_or(literal.var());
            let number = variable.to_dimacs();
            let _ = write!(self.text, " {}", if literal.is_negative() { -number } else { number });
        }
        self.text.push_str(" 0");
        for hint in hints {
            let _ = write!(self.text, " {}", hint + 1);
        }
        self.text.push_str(" 0\n");
    }
}

impl ProofProcessor for Writer<'_> {
    fn process_step(&mut self, step: &CheckedProofStep<'_>, data: CheckerData<'_, '_>) -> anyhow::Result<()> {
        match step {
            CheckedProofStep::AtClause { id, clause, propagations, .. } => {
                self.learned += 1;
                if self.is_spent() {
                    self.cut_short = true;
                    anyhow::bail!("the budget is spent");
                }
                self.line(*id, clause, propagations, data);
            }
            CheckedProofStep::DeleteClause { id, .. }
            | CheckedProofStep::DeleteAtClause { id, keep_as_redundant: false, .. } => {
                let _ = writeln!(self.text, "{} d {} 0", id + 1, id + 1);
            }
            CheckedProofStep::DeleteRatClause { .. } | CheckedProofStep::FailedAssumptions { .. } => {
                self.failed = Some(format!("{step:?}"));
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sat::{ClauseSink, dimacs};
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    fn text(formula: &Formula) -> String {
        let mut bytes = Vec::new();
        dimacs::write(formula, &[], dimacs::AssumptionStyle::UnitClauses, &mut bytes).expect("memory");
        String::from_utf8(bytes).expect("text")
    }

    fn formula(variables: u32, clauses: &[&[i64]]) -> Formula {
        let mut formula = Formula::new();
        formula.reserve_variables(variables);
        for clause in clauses {
            let literals: Vec<Lit> = clause.iter().filter_map(|&number| Lit::from_dimacs(number)).collect();
            formula.clause(&literals);
        }
        formula
    }

    fn random(seed: u64) -> Formula {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut formula = Formula::new();
        let variables = random.random_range(1..40);
        formula.reserve_variables(variables);
        for _ in 0..(variables as usize * 9 / 2) {
            let width = random.random_range(0..30).clamp(1, 4);
            let clause: Vec<Lit> = (0..width.min(3))
                .map(|_| super::super::Var(random.random_range(0..variables)).literal(random.random()))
                .collect();
            formula.clause(&clause);
        }
        formula
    }

    #[test]
    fn random_refutations_pass_the_checker() {
        let (mut refuted, mut satisfiable) = (0, 0);
        for seed in 0..400 {
            let formula = random(seed);
            match refute(&formula, &Budget::default()) {
                Refutation::Proof(proof) => {
                    let checked = checker::lrat::check(&text(&formula), &proof);
                    assert!(checked.is_ok(), "seed {seed}: {checked:?}\n{}\n{proof}", text(&formula));
                    refuted += 1;
                }
                Refutation::Satisfiable => satisfiable += 1,
                Refutation::Unknown => panic!("seed {seed}: there is no limit"),
            }
        }
        assert!(refuted > 100 && satisfiable > 20, "{refuted} {satisfiable}");
    }

    #[test]
    fn special_formulas() {
        for clauses in
            [&[&[][..]][..], &[&[1], &[-1]], &[&[1], &[1, 1], &[2, -2], &[-1, -1]], &[&[1], &[-1, 2], &[-2]]]
        {
            let formula = formula(2, clauses);
            let Refutation::Proof(proof) = refute(&formula, &Budget::default()) else {
                panic!("{clauses:?}")
            };
            assert!(checker::lrat::check(&text(&formula), &proof).is_ok(), "{clauses:?}: {proof}");
        }
        assert_eq!(refute(&formula(3, &[&[1, 2]]), &Budget::default()), Refutation::Satisfiable);
    }

    #[test]
    fn a_budget_ends_the_attempt() {
        // Seven pigeons in six holes.
        let mut holes = Formula::new();
        holes.reserve_variables(42);
        let sits = |pigeon: u32, hole: u32| super::super::Var(pigeon * 6 + hole).positive();
        for pigeon in 0..7 {
            holes.clause(&(0..6).map(|hole| sits(pigeon, hole)).collect::<Vec<_>>());
            for (other, hole) in (0..pigeon).flat_map(|other| (0..6).map(move |hole| (other, hole))) {
                holes.clause(&[!sits(pigeon, hole), !sits(other, hole)]);
            }
        }
        let budget = Budget { conflicts: Some(20), ..Budget::default() };
        assert_eq!(refute(&holes, &budget), Refutation::Unknown);
        let Refutation::Proof(proof) = refute(&holes, &Budget::default()) else { panic!("it has no model") };
        assert!(checker::lrat::check(&text(&holes), &proof).is_ok());
    }
}
