//! A formula in conjunctive normal form, kept as a value.
//!
//! The plainest [`ClauseSink`]: it stores what it is given. Encoders write into it where the
//! clauses are to be printed, counted or tried out by brute force. All literals lie in one buffer,
//! clauses are spans of it.

use super::{ClauseSink, Lit, Var};

/// Clauses over the variables `0 .. variables`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formula {
    variables: u32,
    literals: Vec<Lit>,
    /// Where each clause ends in `literals`.
    ends: Vec<usize>,
}

impl Formula {
    /// The formula without variables and clauses.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes variables until there are at least `count`.
    pub fn reserve_variables(&mut self, count: u32) {
        self.variables = self.variables.max(count);
    }

    /// Number of variables made.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// Number of clauses.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no clause.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The clauses in order of arrival, as they were given.
    pub fn clauses(&self) -> impl Iterator<Item = &[Lit]> {
        self.clauses_from(0)
    }

    /// The clauses from the one with that index on.
    pub fn clauses_from(&self, first: usize) -> impl Iterator<Item = &[Lit]> {
        (first..self.len()).map(|index| {
            let start = index.checked_sub(1).map_or(0, |previous| self.ends[previous]);
            &self.literals[start..self.ends[index]]
        })
    }

    /// The first clause that has no true literal, `None` where the assignment is a model. A literal
    /// without value counts as not true, but a clause that holds a literal and its negation always
    /// holds.
    pub fn first_unsatisfied(&self, value: impl Fn(Lit) -> Option<bool>) -> Option<&[Lit]> {
        self.clauses().find(|clause| {
            !clause.iter().any(|&literal| value(literal) == Some(true))
                && !clause.iter().any(|literal| clause.contains(&!*literal))
        })
    }

    /// Hands all variables and clauses to another sink that has no variables yet, so that they keep
    /// their numbers.
    pub fn replay(&self, sink: &mut (impl ClauseSink + ?Sized)) {
        for number in 0..self.variables {
            let var = sink.fresh();
            assert_eq!(var, Var(number), "a formula should be replayed into an empty sink");
        }
        for clause in self.clauses() {
            sink.clause(clause);
        }
    }
}

impl ClauseSink for Formula {
    fn fresh(&mut self) -> Var {
        let var = Var(self.variables);
        self.variables += 1;
        var
    }

    fn clause(&mut self, literals: &[Lit]) {
        debug_assert!(
            literals.iter().all(|literal| literal.var().0 < self.variables),
            "literals should be of variables made by fresh()"
        );
        self.literals.extend_from_slice(literals);
        self.ends.push(self.literals.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> (Formula, [Lit; 3]) {
        let mut formula = Formula::new();
        let literals = [(); 3].map(|()| formula.fresh().positive());
        let [a, b, c] = literals;
        formula.clause(&[a, !b]);
        formula.clause(&[c, !c]);
        formula.clause(&[b]);
        (formula, literals)
    }

    #[test]
    fn keeps_clauses_as_given() {
        let (mut formula, [a, b, c]) = example();
        formula.clause(&[]);
        let clauses: Vec<_> = formula.clauses().collect();
        assert_eq!(clauses, [&[a, !b][..], &[c, !c], &[b], &[]]);
        assert_eq!(formula.clauses_from(2).collect::<Vec<_>>(), [&[b][..], &[]]);
        assert_eq!((formula.variables(), formula.len()), (3, 4));
        let mut copy = Formula::new();
        formula.replay(&mut copy);
        assert_eq!(copy, formula);
    }

    #[test]
    fn names_the_first_clause_that_fails() {
        let (formula, [a, b, _]) = example();
        let value = |truths: [Option<bool>; 2]| {
            move |literal: Lit| {
                let value = *truths.get(literal.var().0 as usize)?;
                value.map(|value| value != literal.is_negated())
            }
        };
        assert_eq!(formula.first_unsatisfied(value([Some(true), Some(true)])), None);
        assert_eq!(formula.first_unsatisfied(value([Some(false), Some(true)])), Some(&[a, !b][..]));
        assert_eq!(formula.first_unsatisfied(value([Some(true), None])), Some(&[b][..]));
    }
}
