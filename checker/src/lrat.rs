//! Proofs that a set of clauses has no model, in the format LRAT.
//!
//! A proof is a list of clauses, each with the numbers of the clauses that show it: assume the new
//! clause false; then each of the named clauses in turn has all literals false but one, which
//! becomes true, and the last one has all literals false (L. Cruz-Filipe, M. Heule, W. Hunt, M.
//! Kaufmann, P. Schneider-Kamp, CADE 2017). So nothing is searched for here. The clauses of the
//! formula are numbered from 1 in order; the proof ends with the empty clause. Only this rule
//! (reverse unit propagation) is accepted: resolution on a literal (RAT), with its negative hints,
//! is not.

use std::collections::HashMap;

/// Most variables of a formula: what a header promises is allocated.
const MOST_VARIABLES: usize = 1 << 30;

/// Why a proof does not show that its formula has no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The formula is not in DIMACS format.
    #[error("formula, line {line}: {why}")]
    Formula {
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// The proof is not in LRAT format.
    #[error("proof, line {line}: {why}")]
    Proof {
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// A hint names a clause that does not exist or was deleted.
    #[error("proof, line {line}: there is no clause {clause}")]
    NoClause {
        /// Line, from 1.
        line: usize,
        /// The number.
        clause: u64,
    },
    /// A hint does not propagate.
    #[error("proof, line {line}: clause {clause} is not unit where it is used")]
    NotUnit {
        /// Line, from 1.
        line: usize,
        /// The number.
        clause: u64,
    },
    /// The hints do not lead to a contradiction.
    #[error("proof, line {line}: the clauses named do not show the new one")]
    NoConflict {
        /// Line, from 1.
        line: usize,
    },
    /// The empty clause is never derived.
    #[error("the proof ends without the empty clause")]
    Incomplete,
}

/// The size of an accepted proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Clauses of the formula.
    pub clauses: usize,
    /// Clauses derived.
    pub derived: usize,
}

/// Checks that `proof` (LRAT) shows that `formula` (DIMACS CNF) has no model.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(formula: &str, proof: &str) -> Result<Size, Rejection> {
    let (variables, clauses) = read_formula(formula)?;
    let size = clauses.len();
    let numbered = clauses.into_iter().zip(1..).map(|(clause, number)| (number, clause));
    let mut checker =
        Checker { clauses: numbered.collect(), values: vec![0; variables + 1], trail: Vec::new() };
    let mut derived = 0;
    for (index, line) in proof.lines().enumerate() {
        let line_number = index + 1;
        let mut words = line.split_ascii_whitespace();
        let Some(first) = words.next() else { continue };
        if first == "c" {
            continue;
        }
        let wrong = |why| Rejection::Proof { line: line_number, why };
        let number: u64 = first.parse().map_err(|_| wrong("a line should begin with a number"))?;
        let mut words = words.peekable();
        if words.peek() == Some(&"d") {
            words.next();
            for word in words {
                let clause: u64 = word.parse().map_err(|_| wrong("a deleted clause should be a number"))?;
                if clause != 0 && checker.clauses.remove(&clause).is_none() {
                    return Err(Rejection::NoClause { line: line_number, clause });
                }
            }
            continue;
        }
        let mut clause = Vec::new();
        let mut literals = words.by_ref().map(|word| word.parse::<i64>());
        loop {
            match literals.next() {
                Some(Ok(0)) => break,
                Some(Ok(literal)) if literal.unsigned_abs() as usize <= variables => clause.push(literal),
                Some(Ok(_)) => return Err(wrong("a literal exceeds the variables of the formula")),
                _ => return Err(wrong("a clause should be literals and a 0")),
            }
        }
        let hints: Result<Vec<u64>, _> = words.map(str::parse).collect();
        let Ok(mut hints) = hints else { return Err(wrong("hints should be numbers of clauses")) };
        if hints.pop() != Some(0) {
            return Err(wrong("hints should end with 0"));
        }
        if checker.clauses.contains_key(&number) {
            return Err(wrong("the number of a new clause should be new"));
        }
        checker.derive(&clause, &hints, line_number)?;
        derived += 1;
        if clause.is_empty() {
            return Ok(Size { clauses: size, derived });
        }
        checker.clauses.insert(number, clause.into_boxed_slice());
    }
    Err(Rejection::Incomplete)
}

struct Checker {
    clauses: HashMap<u64, Box<[i64]>>,
    /// By variable: 1 true, -1 false, 0 open.
    values: Vec<i8>,
    trail: Vec<usize>,
}

impl Checker {
    /// Whether the hints show the clause by unit propagation.
    fn derive(&mut self, clause: &[i64], hints: &[u64], line: usize) -> Result<(), Rejection> {
        let contradictory = clause.iter().any(|&literal| !self.assign(-literal));
        let result = if contradictory { Ok(()) } else { self.propagate(hints, line) };
        for variable in self.trail.drain(..) {
            self.values[variable] = 0;
        }
        result
    }

    fn propagate(&mut self, hints: &[u64], line: usize) -> Result<(), Rejection> {
        for &hint in hints {
            let named = self.clauses.get(&hint).ok_or(Rejection::NoClause { line, clause: hint })?;
            let mut open = named.iter().copied().filter(|&literal| self.value(literal) != -1);
            match (open.next(), open.next()) {
                (None, _) => return Ok(()),
                // The same literal twice is one literal.
                (Some(unit), other)
                    if other.is_none_or(|other| other == unit) && open.all(|more| more == unit) =>
                {
                    self.assign(unit);
                }
                _ => return Err(Rejection::NotUnit { line, clause: hint }),
            }
        }
        Err(Rejection::NoConflict { line })
    }

    fn value(&self, literal: i64) -> i8 {
        self.values[literal.unsigned_abs() as usize] * literal.signum() as i8
    }

    /// Makes a literal true; `false`: it is false already.
    fn assign(&mut self, literal: i64) -> bool {
        let variable = literal.unsigned_abs() as usize;
        match self.value(literal) {
            0 => {
                self.values[variable] = literal.signum() as i8;
                self.trail.push(variable);
                true
            }
            value => value == 1,
        }
    }
}

type Clauses = Vec<Box<[i64]>>;

/// Number of variables and the clauses.
fn read_formula(text: &str) -> Result<(usize, Clauses), Rejection> {
    let mut header: Option<(usize, usize)> = None;
    let mut clauses = Vec::new();
    let mut clause = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let wrong = |why| Rejection::Formula { line: index + 1, why };
        let mut words = line.split_ascii_whitespace().peekable();
        match words.peek() {
            None | Some(&"c") => continue,
            Some(&"p") => {
                let words: Vec<&str> = words.collect();
                let numbers = match words[..] {
                    ["p", "cnf", variables, clauses] => variables.parse().ok().zip(clauses.parse().ok()),
                    _ => None,
                };
                if header.is_some() || numbers.is_none() {
                    return Err(wrong("there should be one header `p cnf VARIABLES CLAUSES`"));
                }
                if numbers.is_some_and(|(variables, _): (usize, usize)| variables > MOST_VARIABLES) {
                    return Err(wrong("there are too many variables"));
                }
                header = numbers;
            }
            Some(_) => {
                let Some((variables, _)) = header else { return Err(wrong("the header should come first")) };
                for word in words {
                    match word.parse::<i64>() {
                        Ok(0) => clauses.push(std::mem::take(&mut clause).into_boxed_slice()),
                        Ok(literal) if literal.unsigned_abs() as usize <= variables => clause.push(literal),
                        _ => return Err(wrong("a literal should be a number within the header's variables")),
                    }
                }
            }
        }
    }
    match header {
        Some((variables, count)) if clause.is_empty() && count == clauses.len() => Ok((variables, clauses)),
        Some(_) => Err(Rejection::Formula { line: 1, why: "the header promises another number of clauses" }),
        None => Err(Rejection::Formula { line: 1, why: "there is no header" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sign combinations of two variables: no model.
    const SQUARE: &str = "c example\np cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n";
    const PROOF: &str = "5 1 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n";

    #[test]
    fn a_correct_proof_is_accepted() {
        assert_eq!(check(SQUARE, PROOF), Ok(Size { clauses: 4, derived: 2 }));
        assert_eq!(check("p cnf 1 2\n1 0\n-1 0\n", "3 0 1 2 0\n"), Ok(Size { clauses: 2, derived: 1 }));
        assert_eq!(check("p cnf 1 1\n0\n", "2 0 1 0\n"), Ok(Size { clauses: 1, derived: 1 }));
    }

    /// A header may promise as many variables as it likes.
    #[test]
    fn numbers_that_are_too_great_are_refused() {
        for variables in [u64::MAX, u64::MAX >> 1, 1 << 40] {
            let formula = format!("p cnf {variables} 2\n1 0\n-1 0\n");
            let why = check(&formula, "3 0 1 2 0\n").unwrap_err().to_string();
            assert_eq!(why, "formula, line 1: there are too many variables", "{variables}");
        }
        let least = i64::MIN;
        let why = check(SQUARE, &format!("5 {least} 0 1 2 0\n")).unwrap_err().to_string();
        assert_eq!(why, "proof, line 1: a literal exceeds the variables of the formula");
    }

    #[test]
    fn anything_else_is_rejected_with_the_reason() {
        let satisfiable = "p cnf 2 3\n1 2 0\n1 -2 0\n-1 2 0\n";
        let cases = [
            (SQUARE, "5 1 0 1 2 0\n", "the proof ends without the empty clause"),
            (SQUARE, "", "the proof ends without the empty clause"),
            (SQUARE, "5 1 0 1 0\n", "proof, line 1: the clauses named do not show the new one"),
            (SQUARE, "5 0 1 0\n", "proof, line 1: clause 1 is not unit where it is used"),
            (SQUARE, "5 1 0 1 7 0\n", "proof, line 1: there is no clause 7"),
            (SQUARE, "5 1 0 1 2 0\n5 d 1 0\n6 0 5 1 3 4 0\n", "proof, line 3: there is no clause 1"),
            (SQUARE, "5 1 0 1 2 0\n5 d 9 0\n", "proof, line 2: there is no clause 9"),
            (SQUARE, "4 1 0 1 2 0\n", "proof, line 1: the number of a new clause should be new"),
            (SQUARE, "5 3 0 1 2 0\n", "proof, line 1: a literal exceeds the variables of the formula"),
            (SQUARE, "5 1 0 -1 2 0\n", "proof, line 1: hints should be numbers of clauses"),
            (SQUARE, "5 1 0 1 2\n", "proof, line 1: hints should end with 0"),
            (SQUARE, "x\n", "proof, line 1: a line should begin with a number"),
            (
                satisfiable,
                "4 1 0 1 2 0\n5 0 4 3 0\n",
                "proof, line 2: the clauses named do not show the new one",
            ),
            ("1 0\n", "", "formula, line 1: the header should come first"),
            ("p cnf 1 2\n1 0\n", "", "formula, line 1: the header promises another number of clauses"),
            (
                "p cnf 1 1\n2 0\n",
                "",
                "formula, line 2: a literal should be a number within the header's variables",
            ),
        ];
        for (formula, proof, reason) in cases {
            assert_eq!(check(formula, proof).unwrap_err().to_string(), reason, "{proof:?}");
        }
    }
}
