//! The DIMACS CNF format: one query as text, for bug reports, other solvers and tests.
//!
//! The format has no assumptions. They are written as unit clauses (any solver then answers the
//! query), or as comment lines `c assumption LITERAL`, which [`read`] gives back apart from the
//! clauses.

use super::{ClauseSink, Formula, Lit};
use std::io;

/// How assumptions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssumptionStyle {
    /// As unit clauses after the others.
    UnitClauses,
    /// As comment lines `c assumption LITERAL` before the header.
    Comments,
}

/// What [`read`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The clauses.
    pub formula: Formula,
    /// The literals of the lines `c assumption LITERAL`.
    pub assumptions: Vec<Lit>,
}

/// Why a text is no DIMACS CNF.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// No line `p cnf VARIABLES CLAUSES` before the first clause, or a second one.
    #[error("line {line}: there should be one header `p cnf VARIABLES CLAUSES`, before the clauses")]
    Header {
        /// Line, from 1.
        line: usize,
    },
    /// A word that is no literal.
    #[error("line {line}: `{word}` is not a literal")]
    Literal {
        /// Line, from 1.
        line: usize,
        /// The word.
        word: String,
    },
    /// A literal beyond the variables of the header.
    #[error("line {line}: literal {literal} exceeds the {variables} variables of the header")]
    Range {
        /// Line, from 1.
        line: usize,
        /// The literal.
        literal: i64,
        /// Variables of the header.
        variables: u32,
    },
    /// More or fewer clauses than the header says, or no closing 0.
    #[error("the header promises {promised} clauses, the text has {found}{}", if *.open { " and an open one" } else { "" })]
    Count {
        /// Clauses of the header.
        promised: usize,
        /// Complete clauses.
        found: usize,
        /// Whether the last clause lacks its 0.
        open: bool,
    },
}

/// Writes clauses and assumptions.
pub fn write(
    formula: &Formula,
    assumptions: &[Lit],
    style: AssumptionStyle,
    output: &mut dyn io::Write,
) -> io::Result<()> {
    let units = match style {
        AssumptionStyle::UnitClauses => assumptions,
        AssumptionStyle::Comments => {
            for literal in assumptions {
                writeln!(output, "c assumption {}", literal.dimacs())?;
            }
            &[]
        }
    };
    writeln!(output, "p cnf {} {}", formula.variables(), formula.len() + units.len())?;
    for clause in formula.clauses() {
        write_clause(clause, output)?;
    }
    for &unit in units {
        write_clause(&[unit], output)?;
    }
    Ok(())
}

fn write_clause(clause: &[Lit], output: &mut dyn io::Write) -> io::Result<()> {
    for literal in clause {
        write!(output, "{} ", literal.dimacs())?;
    }
    writeln!(output, "0")
}

/// Reads a formula and its assumptions. Clauses may span lines, as the format allows.
pub fn read(text: &str) -> Result<Query, Malformed> {
    let mut reader = Reader::default();
    for (index, line) in text.lines().enumerate() {
        reader.line(index + 1, line)?;
    }
    reader.finish()
}

#[derive(Default)]
struct Reader {
    query: Query,
    /// Number of clauses that the header promises, once it was read.
    promised: Option<usize>,
    clause: Vec<Lit>,
    /// Assumptions with their lines; checked against the header at the end, since they may stand
    /// before it.
    assumptions: Vec<(usize, Lit)>,
}

impl Reader {
    fn line(&mut self, line: usize, text: &str) -> Result<(), Malformed> {
        let mut words = text.split_ascii_whitespace();
        match words.next() {
            None => Ok(()),
            Some("c") => match (words.next(), words.next()) {
                (Some("assumption"), Some(word)) => {
                    let literal = parse_literal(line, word)?.ok_or_else(|| not_a_literal(line, word))?;
                    self.assumptions.push((line, literal));
                    Ok(())
                }
                _ => Ok(()),
            },
            Some("p") => self.header(line, &words.collect::<Vec<_>>()),
            Some(_) if text.trim_start().starts_with('c') => Ok(()),
            Some(_) => text.split_ascii_whitespace().try_for_each(|word| self.word(line, word)),
        }
    }

    fn header(&mut self, line: usize, words: &[&str]) -> Result<(), Malformed> {
        let wrong = Malformed::Header { line };
        let (["cnf", variables, clauses], None) = (words, self.promised) else { return Err(wrong) };
        let variables =
            variables.parse().ok().filter(|&count: &u32| count <= 1 << 31).ok_or(wrong.clone())?;
        self.promised = Some(clauses.parse().map_err(|_| wrong)?);
        self.query.formula.reserve_variables(variables);
        Ok(())
    }

    fn word(&mut self, line: usize, word: &str) -> Result<(), Malformed> {
        if self.promised.is_none() {
            return Err(Malformed::Header { line });
        }
        match parse_literal(line, word)? {
            Some(literal) => {
                self.check_range(line, literal)?;
                self.clause.push(literal);
            }
            None => {
                self.query.formula.clause(&self.clause);
                self.clause.clear();
            }
        }
        Ok(())
    }

    fn check_range(&self, line: usize, literal: Lit) -> Result<(), Malformed> {
        let variables = self.query.formula.variables();
        if literal.var().0 < variables {
            Ok(())
        } else {
            Err(Malformed::Range { line, literal: literal.dimacs(), variables })
        }
    }

    fn finish(mut self) -> Result<Query, Malformed> {
        let promised = self.promised.ok_or(Malformed::Header { line: 1 })?;
        let (found, open) = (self.query.formula.len(), !self.clause.is_empty());
        if open || found != promised {
            return Err(Malformed::Count { promised, found, open });
        }
        for &(line, literal) in &self.assumptions {
            self.check_range(line, literal)?;
        }
        self.query.assumptions = self.assumptions.into_iter().map(|(_, literal)| literal).collect();
        Ok(self.query)
    }
}

/// A literal, or `None` for the closing 0.
fn parse_literal(line: usize, word: &str) -> Result<Option<Lit>, Malformed> {
    match word.parse::<i64>() {
        Ok(0) => Ok(None),
        Ok(number) => Lit::from_dimacs(number).map(Some).ok_or_else(|| not_a_literal(line, word)),
        Err(_) => Err(not_a_literal(line, word)),
    }
}

fn not_a_literal(line: usize, word: &str) -> Malformed {
    Malformed::Literal { line, word: word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(formula: &Formula, assumptions: &[Lit], style: AssumptionStyle) -> String {
        let mut bytes = Vec::new();
        write(formula, assumptions, style, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn example() -> Query {
        let mut formula = Formula::new();
        let [a, b, c] = [(); 3].map(|()| formula.fresh().positive());
        formula.clause(&[a, !b, c]);
        formula.clause(&[]);
        formula.clause(&[!c]);
        Query { formula, assumptions: vec![b, !a] }
    }

    #[test]
    fn comments_round_trip() {
        let query = example();
        let text = text(&query.formula, &query.assumptions, AssumptionStyle::Comments);
        assert_eq!(text, "c assumption 2\nc assumption -1\np cnf 3 3\n1 -2 3 0\n0\n-3 0\n");
        assert_eq!(read(&text), Ok(query));
    }

    #[test]
    fn unit_clauses_become_clauses() {
        let query = example();
        let text = text(&query.formula, &query.assumptions, AssumptionStyle::UnitClauses);
        assert_eq!(text, "p cnf 3 5\n1 -2 3 0\n0\n-3 0\n2 0\n-1 0\n");
        let back = read(&text).unwrap();
        assert_eq!((back.formula.len(), back.assumptions.len()), (5, 0));
    }

    #[test]
    fn free_layout_is_read() {
        let query = read("cnf comment\nc\n\np cnf 2 2\n 1\n-2 0 2\n0\n").unwrap();
        let clauses: Vec<Vec<i64>> = query
            .formula
            .clauses()
            .map(|clause| clause.iter().map(|literal| literal.dimacs()).collect())
            .collect();
        assert_eq!(clauses, [vec![1, -2], vec![2]]);
    }

    #[test]
    fn malformed_texts_are_refused() {
        let cases = [
            ("", "line 1: there should be one header `p cnf VARIABLES CLAUSES`, before the clauses"),
            ("c\n1 0\n", "line 2: there should be one header `p cnf VARIABLES CLAUSES`, before the clauses"),
            (
                "p cnf 1 0\np cnf 1 0",
                "line 2: there should be one header `p cnf VARIABLES CLAUSES`, before the clauses",
            ),
            ("p cnf x 1", "line 1: there should be one header `p cnf VARIABLES CLAUSES`, before the clauses"),
            ("p cnf 1 1\n1 x 0", "line 2: `x` is not a literal"),
            ("p cnf 1 1\n3000000000 0", "line 2: `3000000000` is not a literal"),
            ("p cnf 1 1\n-2 0", "line 2: literal -2 exceeds the 1 variables of the header"),
            ("c assumption 2\np cnf 1 0", "line 1: literal 2 exceeds the 1 variables of the header"),
            ("c assumption 0\np cnf 1 0", "line 1: `0` is not a literal"),
            ("p cnf 1 1\n1", "the header promises 1 clauses, the text has 0 and an open one"),
            ("p cnf 1 2\n1 0", "the header promises 2 clauses, the text has 1"),
        ];
        for (text, message) in cases {
            assert_eq!(read(text).unwrap_err().to_string(), message, "{text:?}");
        }
    }
}
