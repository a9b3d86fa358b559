//! An unrolling as DIMACS CNF.
//!
//! The clauses describe the executions of exactly so many steps from the initial states under the
//! assumptions. Comment lines before the header say what the variables mean:
//!
//! ```text
//! c input NAME at STEP: LITERAL ...     bits of an input, least significant first; - for a bit that nothing depends on
//! c initial-input NAME: LITERAL ...     likewise
//! c goal NAME at STEP: LITERAL          true iff the goal occurs there
//! ```
//!
//! To ask for a goal, add its literal as a unit clause.

use crate::EncodeError;
use crate::unroll::{Start, Unrolling};
use model::validate::Validated;
use solver::sat::dimacs::{self, AssumptionStyle};
use solver::sat::{Formula, Lit};
use std::fmt;

/// The executions of a number of steps, with the literals of the goals; it prints as DIMACS CNF
/// with comment lines `c input NAME at STEP: LITERAL ...`, `c initial-input NAME: LITERAL ...` and
/// `c goal NAME at STEP: LITERAL`.
#[derive(Clone, Debug)]
pub struct Unrolled {
    comments: String,
    formula: Formula,
    running: Lit,
}

impl Unrolled {
    /// Encodes all executions of `steps` steps and all occurrences of goals in them.
    ///
    /// # Errors
    /// Where a symbol has no value, which validation rules out.
    pub fn new(system: &Validated, steps: u32) -> Result<Self, EncodeError> {
        let mut unrolling = Unrolling::new(system, Start::Initial);
        let mut formula = Formula::new();
        let running = unrolling.running(steps, &mut formula)?;
        let mut goals = String::new();
        for goal in system.goals.values() {
            for at in 0..(steps + 1).saturating_sub(goal.steps) {
                let literal = unrolling.literal(goal.antecedent, at, &mut formula)?;
                goals += &format!("c goal {:?} at {at}: {}\n", goal.name, literal.dimacs());
            }
        }
        Ok(Self { comments: inputs(&unrolling, steps) + &goals, formula, running })
    }
}

impl fmt::Display for Unrolled {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.comments)?;
        let mut clauses = Vec::new();
        let written =
            dimacs::write(&self.formula, &[self.running], AssumptionStyle::UnitClauses, &mut clauses);
        written.expect("a vector should take all that is written");
        formatter.write_str(&String::from_utf8(clauses).expect("DIMACS should be text"))
    }
}

/// The comment lines of the inputs.
fn inputs(unrolling: &Unrolling, steps: u32) -> String {
    let system = unrolling.system();
    let mut lines = String::new();
    for (id, input) in system.initial_inputs.iter() {
        let name = &system.terms.symbol(input.symbol).name;
        lines += &format!("c initial-input {name:?}:{}\n", list(&unrolling.initial_input_literals(id)));
    }
    for at in 0..steps {
        for id in system.inputs.ids() {
            let literals = list(&unrolling.input_literals(id, at));
            lines += &format!("c input {:?} at {at}:{literals}\n", system.input_name(id));
        }
    }
    lines
}

fn list(literals: &[Option<Lit>]) -> String {
    let text = |literal: &Option<Lit>| match literal {
        Some(literal) => format!(" {}", literal.dimacs()),
        None => " -".to_owned(),
    };
    literals.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::parsed;
    use solver::sat::{Backend, Budget, ClauseSink, IncrementalSat, Verdict};

    const LIFT: &str = "
        system lift
        initial-input ground w1
        input up w1
        input unused w2
        state floor w2 init (ite ground 0 1) next (ite up (add floor 1) floor)
        assume (ult floor 3)
        goal |top floor| when (eq floor@1 3)
        goal ride steps 2 when (and up up@1)
    ";

    fn text(steps: u32) -> String {
        crate::emit::dimacs(&parsed(LIFT), steps).expect("all symbols have values")
    }

    /// Whether the formula with the literal of the comment line that starts so has a model.
    fn possible(text: &str, line: &str) -> bool {
        let found = text.lines().find_map(|comment| comment.strip_prefix(line));
        let literal = found.expect("the line").trim().parse().expect("a literal");
        let query = dimacs::read(text).expect("a well-formed text");
        let mut solver = Backend::Batsat.open();
        (0..query.formula.variables()).for_each(|_| _ = solver.fresh());
        query.formula.clauses().for_each(|clause| solver.clause(clause));
        let literal = Lit::from_dimacs(literal).expect("a literal");
        solver.solve(&[literal], &Budget::default()) == Verdict::Sat
    }

    #[test]
    fn goals_are_possible_where_they_should_be() {
        let three = text(3);
        let four = text(4);
        for (at, of_three, of_four) in [(0, false, false), (1, false, false), (2, true, false)] {
            let line = format!("c goal \"top floor\" at {at}:");
            assert_eq!((possible(&three, &line), possible(&four, &line)), (of_three, of_four), "at {at}");
        }
        assert!(possible(&four, "c goal \"ride\" at 2:"));
        assert!(!four.contains("c goal \"ride\" at 3:"));
    }

    #[test]
    fn every_input_is_described() {
        let text = text(2);
        let lines = text.lines().filter(|line| line.starts_with("c i"));
        let names: Vec<_> = lines.map(|line| line.split(':').next().expect("a name")).collect();
        let expected = [
            "c initial-input \"ground\"",
            "c input \"up\" at 0",
            "c input \"unused\" at 0",
            "c input \"up\" at 1",
            "c input \"unused\" at 1",
        ];
        assert_eq!(names, expected);
        assert!(text.contains("c input \"unused\" at 1: - -\n"));
    }
}
