//! Formulas of few variables without model, with proofs by resolution.

use super::Verdict;
use super::mutate::mutated;
use super::random::Random;
use checker::lrat;
use std::collections::BTreeMap;

pub(crate) struct Case {
    formula: String,
    proof: String,
}

/// Random clauses until no assignment is left, and the proof that resolves one clause for each
/// assignment.
pub(crate) fn make(random: &mut Random) -> Case {
    let variables = 2 + random.index(3);
    let mut clauses: Vec<Vec<i64>> = Vec::new();
    let falsified = |clauses: &[Vec<i64>], assignment: usize| {
        let is_false =
            |&literal: &i64| (assignment >> (literal.unsigned_abs() - 1) & 1 == 1) != (literal > 0);
        clauses.iter().position(|clause| clause.iter().all(is_false))
    };
    while !(0..1 << variables).all(|assignment| falsified(&clauses, assignment).is_some()) {
        let mut clause: Vec<i64> = Vec::new();
        for variable in 1..=variables as i64 {
            match random.below(3) {
                0 => clause.push(variable),
                1 => clause.push(-variable),
                _ => {}
            }
        }
        if clause.len() > 1 {
            clauses.push(clause);
        }
    }
    let text = |literals: &[i64]| literals.iter().map(|literal| format!("{literal} ")).collect::<String>();
    let mut formula = format!("p cnf {variables} {}\n", clauses.len());
    clauses.iter().for_each(|clause| formula += &format!("{}0\n", text(clause)));
    let mut proof = String::new();
    let mut number = clauses.len();
    let mut level: Vec<usize> = Vec::new();
    for fixed in (0..=variables).rev() {
        let mut next = Vec::new();
        for assignment in 0..1usize << fixed {
            let literal = |variable: usize| {
                let positive = variable as i64 + 1;
                if assignment >> variable & 1 == 1 { -positive } else { positive }
            };
            let clause: Vec<i64> = (0..fixed).map(literal).collect();
            let hints = match fixed == variables {
                true => {
                    let hint = falsified(&clauses, assignment).expect("no model");
                    format!("{} ", hint + 1)
                }
                false => format!("{} {} ", level[assignment], level[assignment | 1 << fixed]),
            };
            number += 1;
            proof += &format!("{number} {}0 {hints}0\n", text(&clause));
            if random.once_in(9) && fixed < variables {
                proof += &format!("{number} d {} 0\n", level[assignment]);
            }
            next.push(number);
        }
        level = next;
    }
    Case { formula, proof }
}

/// The formula or the proof changes, or both; some proofs are those of another formula.
pub(crate) fn attack(case: &Case, donor: &Case, as_it_is: bool, random: &mut Random) -> Verdict {
    let (mut formula, mut proof) = (case.formula.clone(), case.proof.clone());
    if !as_it_is {
        match random.below(8) {
            0 => proof = donor.proof.clone(),
            1 => formula = donor.formula.clone(),
            2..=4 => formula = mutated(&formula, &donor.formula, random),
            5 => {
                formula = mutated(&formula, &donor.formula, random);
                proof = mutated(&proof, &donor.proof, random);
            }
            _ => {
                // A clause less, and a proof to fit.
                formula = mutated(&formula, &donor.formula, random);
                let count = formula.lines().skip(1).count();
                if let Some((head, rest)) = formula.split_once('\n') {
                    let variables = head.split(' ').nth(2).unwrap_or("4").to_owned();
                    formula = format!("p cnf {variables} {count}\n{rest}");
                }
                proof = mutated(&proof, &donor.proof, random);
            }
        }
    }
    match lrat::check(&formula, &proof) {
        Err(_) => Verdict::Rejected,
        Ok(_) if has_model(&formula) => Verdict::False(format!("{formula}---\n{proof}")),
        Ok(_) => Verdict::True,
    }
}

/// Whether some assignment satisfies all clauses of a DIMACS text, read as numbers alone.
fn has_model(formula: &str) -> bool {
    let numbers: Vec<i64> = formula
        .lines()
        .filter(|line| !line.trim_start().starts_with(['p', 'c']))
        .flat_map(|line| line.split_ascii_whitespace().map(|word| word.parse().expect("a number")))
        .collect();
    let mut places: BTreeMap<u64, usize> = BTreeMap::new();
    for literal in numbers.iter().filter(|literal| **literal != 0) {
        let next = places.len();
        places.entry(literal.unsigned_abs()).or_insert(next);
    }
    let clauses: Vec<&[i64]> = numbers.split_inclusive(|literal| *literal == 0).collect();
    (0..1usize << places.len()).any(|assignment| {
        let holds = |literal: &i64| {
            *literal != 0 && (assignment >> places[&literal.unsigned_abs()] & 1 == 1) == (*literal > 0)
        };
        clauses.iter().all(|clause| clause.iter().any(holds))
    })
}
