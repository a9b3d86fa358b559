//! Proofs of unsatisfiability for others to check.
//!
//! [`refute`] solves one formula with Varisat and writes the proof as LRAT: Varisat's own checker
//! tells for each learned clause which clauses propagate, and these are the hints. The proof refers
//! to the clauses of the formula by their position, from 1.

use super::{Budget, ClauseSink, Formula, Lit, Var};
use std::collections::HashSet;
use std::fmt::Write;
use std::ops::Range;
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
    match steps(formula, budget) {
        Ok(steps) => Refutation::Proof(print(&steps)),
        Err(refutation) => refutation,
    }
}

/// A part of a formula that is needed only if its selector is true: its clauses, and the variables
/// in them, which no other part has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The variables, its selector among them.
    pub variables: Range<u32>,
    /// Positions of its clauses; one that restricts anything while the selector is false is no
    /// defect, but of no use.
    pub clauses: Range<usize>,
    /// Asserts the part.
    pub selector: Lit,
}

/// Refutes a formula whose last clause says that one of the selectors of its parts is true. Each
/// part is refuted alone, and the proofs are joined: in each step of a part's proof the clause gets
/// the negated selector, so that the part ends with the selector being false. That takes far less
/// time than to refute the whole, where a solver mixes up the parts.
pub fn refute_parts(formula: &Formula, parts: &[Part], budget: &Budget) -> Refutation {
    let mut next = formula.len() as u64 + 1;
    let (mut joined, mut excluded) = (Vec::new(), Vec::new());
    for part in parts {
        let alone = alone(formula, part);
        let given = alone.len() as u64;
        let steps = match steps(&alone, budget) {
            Ok(steps) => steps,
            Err(refutation) => return refutation,
        };
        let first = next;
        // The last clause of the part alone is its selector: true by assumption in the joined
        // proof.
        let number = |id: u64| match id {
            id if id < given => Some(part.clauses.start as u64 + id),
            id if id == given => None,
            id => Some(first + id - given - 1),
        };
        for step in steps {
            match step {
                Step::Add { id, mut clause, hints } => {
                    for literal in &mut clause {
                        *literal += literal.signum() * i64::from(part.variables.start);
                    }
                    clause.push((!part.selector).dimacs());
                    let id = number(id).expect("a derived clause should have a number of its own");
                    next = next.max(id + 1);
                    if clause.len() == 1 {
                        excluded.push(id);
                    }
                    joined.push(Step::Add {
                        id,
                        clause,
                        hints: hints.into_iter().filter_map(number).collect(),
                    });
                }
                Step::Delete { id } => {
                    joined.extend(number(id).filter(|&id| id >= first).map(|id| Step::Delete { id }))
                }
            }
        }
    }
    excluded.push(formula.len() as u64);
    joined.push(Step::Add { id: next, clause: Vec::new(), hints: excluded });
    Refutation::Proof(print(&joined))
}

/// The clauses of a part with its selector, over variables from 0.
fn alone(formula: &Formula, part: &Part) -> Formula {
    let mut alone = Formula::new();
    alone.reserve_variables(part.variables.end - part.variables.start);
    let moved = |literal: Lit| Var(literal.var().0 - part.variables.start).literal(!literal.is_negated());
    for clause in formula.clauses_from(part.clauses.start).take(part.clauses.len()) {
        let clause: Vec<Lit> = clause.iter().map(|&literal| moved(literal)).collect();
        alone.clause(&clause);
    }
    alone.clause(&[moved(part.selector)]);
    alone
}

/// A line of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Add { id: u64, clause: Vec<i64>, hints: Vec<u64> },
    Delete { id: u64 },
}

fn print(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Add { id, clause, hints } => {
                let _ = write!(text, "{id}");
                clause.iter().for_each(|literal| {
                    let _ = write!(text, " {literal}");
                });
                text.push_str(" 0");
                hints.iter().for_each(|hint| {
                    let _ = write!(text, " {hint}");
                });
                text.push_str(" 0\n");
            }
            Step::Delete { id } => {
                let _ = writeln!(text, "{id} d {id} 0");
            }
        }
    }
    text
}

/// The steps of a proof; anything else that came of the attempt.
fn steps(formula: &Formula, budget: &Budget) -> Result<Vec<Step>, Refutation> {
    if let Some(step) = obvious(formula) {
        return Ok(vec![step]);
    }
    let mut writer = Writer { steps: Vec::new(), learned: 0, budget, cut_short: false, failed: None };
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
        (Ok(true), _) => Err(Refutation::Satisfiable),
        (Ok(false), None) => Ok(trimmed(writer.steps, formula.len() as u64)),
        (Err(_), _) if writer.cut_short => Err(Refutation::Unknown),
        (result, failed) => {
            panic!("Varisat should write a proof of resolution steps, not {result:?} {failed:?}")
        }
    }
}

/// The steps that the empty clause rests on, each deleted after its last use. A solver learns much
/// that comes to nothing, and what nobody checks need not be stored. Clauses of the formula have
/// numbers up to `given` and stay.
fn trimmed(steps: Vec<Step>, given: u64) -> Vec<Step> {
    let mut needed: HashSet<u64> = HashSet::new();
    let mut kept = Vec::new();
    // From the end on: what is met for the first time is used for the last time.
    for step in steps.into_iter().rev() {
        let Step::Add { id, clause, hints } = step else { continue };
        let is_end = clause.is_empty();
        if is_end {
            needed.clear();
            kept.clear();
        } else if !needed.contains(&id) {
            continue;
        }
        for &hint in &hints {
            if needed.insert(hint) && hint > given && !is_end {
                kept.push(Step::Delete { id: hint });
            }
        }
        kept.push(Step::Add { id, clause, hints });
    }
    kept.reverse();
    kept
}

/// The proof of a formula that holds an empty clause or a unit clause and its negation.
fn obvious(formula: &Formula) -> Option<Step> {
    let end = |hints| Some(Step::Add { id: formula.len() as u64 + 1, clause: Vec::new(), hints });
    let mut units = vec![0; 2 * formula.variables() as usize];
    for (clause, number) in formula.clauses().zip(1u64..) {
        match clause {
            [] => return end(vec![number]),
            [unit, more @ ..] if more.iter().all(|literal| literal == unit) => {
                let opposite = units[(!*unit).code()];
                if opposite != 0 {
                    return end(vec![opposite, number]);
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

/// Collects checked steps.
struct Writer<'b> {
    steps: Vec<Step>,
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

    fn add(&mut self, id: u64, clause: &[varisat::Lit], hints: &[u64], data: CheckerData<'_, '_>) {
        let number = |literal: &varisat::Lit| {
            let variable = data.user_from_proof_var(literal.var()).unwrap_or(literal.var());
            let number = variable.to_dimacs() as i64;
            if literal.is_negative() { -number } else { number }
        };
        let clause = clause.iter().map(number).collect();
        self.steps.push(Step::Add { id: id + 1, clause, hints: hints.iter().map(|hint| hint + 1).collect() });
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
                self.add(*id, clause, propagations, data);
            }
            CheckedProofStep::DeleteClause { id, .. }
            | CheckedProofStep::DeleteAtClause { id, keep_as_redundant: false, .. } => {
                self.steps.push(Step::Delete { id: id + 1 });
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
    use crate::sat::dimacs;
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
                .map(|_| Var(random.random_range(0..variables)).literal(random.random()))
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
    fn proofs_hold_only_what_the_empty_clause_rests_on() {
        let mut longest = 0;
        for seed in 0..200 {
            let Ok(steps) = steps(&random(seed), &Budget::default()) else { continue };
            let mut open = HashSet::new();
            for step in steps.iter().rev() {
                match step {
                    Step::Add { id, clause, hints } => {
                        assert!(clause.is_empty() || open.contains(id), "seed {seed}: {id} is not used");
                        open.extend(hints.iter().copied());
                    }
                    Step::Delete { id } => assert!(!open.contains(id), "seed {seed}: {id} is used later"),
                }
            }
            longest = longest.max(steps.len());
        }
        assert!(longest > 20, "{longest}");
    }

    #[test]
    fn proofs_of_parts_are_joined() {
        let mut joined = 0;
        for seed in 0..60u64 {
            let (mut formula, mut parts, mut selectors) = (Formula::new(), Vec::new(), Vec::new());
            let mut is_refutable = true;
            for number in 0..4 {
                let part = random(100 * seed + number);
                is_refutable &= matches!(refute(&part, &Budget::default()), Refutation::Proof(_));
                let (variable, clause) = (formula.variables(), formula.len());
                formula.reserve_variables(variable + part.variables());
                let selector = formula.fresh().positive();
                for literals in part.clauses() {
                    let moved =
                        |literal: &Lit| Var(literal.var().0 + variable).literal(!literal.is_negated());
                    let guarded: Vec<Lit> = literals.iter().map(moved).chain([!selector]).collect();
                    formula.clause(&guarded);
                }
                parts.push(Part {
                    variables: variable..formula.variables(),
                    clauses: clause..formula.len(),
                    selector,
                });
                selectors.push(selector);
            }
            formula.clause(&selectors);
            match refute_parts(&formula, &parts, &Budget::default()) {
                Refutation::Proof(proof) => {
                    let checked = checker::lrat::check(&text(&formula), &proof);
                    assert!(checked.is_ok() && is_refutable, "seed {seed}: {checked:?}");
                    joined += 1;
                }
                refutation => assert!(!is_refutable && refutation == Refutation::Satisfiable),
            }
        }
        assert!(joined > 5, "{joined}");
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
        let sits = |pigeon: u32, hole: u32| Var(pigeon * 6 + hole).positive();
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
