//! What the front end asks where it cannot see by itself that a recursion or a loop ends: a SAT
//! solver on the decisions of the path.
//!
//! Arithmetic that is costly in circuits (floats, wide products and quotients) is left open there,
//! so that "impossible" is always right and "possible" may be wrong.

use encoder::EncodeError;
use encoder::aig::{Aig, Literal};
use encoder::blast::{Blaster, Words};
use encoder::cnf::Cnf;
use frontend::Judge;
use frontend::limit::Limit;
use model::term::{BinaryOp, SymbolId, Term, TermId, TermPool, UnaryOp};
use model::visit::cone;
use solver::sat::{Backend, Budget, ClauseSink, IncrementalSat, Verdict};

/// Conflicts after which a path counts as possible.
const CONFLICTS: u64 = 20_000;

/// Terms above which a path counts as possible.
const MOST_TERMS: usize = 400_000;

/// Width from which on products and quotients are left open.
const WIDE: u32 = 17;

/// Asks a SAT solver within a limit, at which each path counts as possible.
pub(crate) struct LimitedJudge(pub(crate) Limit);

impl Judge for LimitedJudge {
    fn may_hold(&self, terms: &TermPool, truths: &[TermId], effort: f64) -> bool {
        let Some((always, rest)) = truths.split_last() else { return true };
        self.may_hold_each(terms, rest, &[*always], effort)[0]
    }

    fn may_hold_each(&self, terms: &TermPool, truths: &[TermId], cases: &[TermId], effort: f64) -> Vec<bool> {
        let Self(limit) = self;
        let roots = [truths, cases].concat();
        let cone = cone(terms, &roots);
        let conflicts = Some((CONFLICTS as f64 * effort) as u64);
        let budget = Budget { conflicts, deadline: limit.deadline, stop: limit.stop.clone() };
        let is_too_much = cone.len() as f64 > MOST_TERMS as f64 * effort || limit.reason().is_some();
        let answered = if is_too_much { None } else { solve(terms, (truths, cases), &cone, &budget).ok() };
        let open = || vec![Verdict::Unknown; cases.len()];
        answered.unwrap_or_else(open).into_iter().map(|verdict| verdict != Verdict::Unsat).collect()
    }
}

/// The answers for all cases, by one solver.
fn solve(
    terms: &TermPool,
    (truths, cases): (&[TermId], &[TermId]),
    cone: &[TermId],
    budget: &Budget,
) -> Result<Vec<Verdict>, EncodeError> {
    let (mut aig, mut words, mut blaster) = (Aig::new(), Words::default(), Blaster::new(terms));
    for &term in cone.iter().filter(|&&term| is_costly(terms, term)) {
        let open: Vec<Literal> = (0..terms.width(term)).map(|_| aig.input()).collect();
        blaster.give(term, &mut words, &open);
    }
    let mut symbols = |aig: &mut Aig, symbol: SymbolId| {
        let width = terms.symbol(symbol).sort.width();
        Ok::<_, EncodeError>((0..width).map(|_| aig.input()).collect::<Vec<Literal>>())
    };
    let mut solver = Backend::Batsat.open();
    let mut cnf = Cnf::new();
    let mut literal = |truth: TermId, solver: &mut dyn IncrementalSat| {
        blaster.blast(truth, &mut words, &mut aig, &mut symbols)?;
        let word = blaster.known(truth, &words).expect("a truth should be blasted");
        Ok::<_, EncodeError>(cnf.literal(&aig, word[0], solver))
    };
    for &truth in truths {
        let holds = literal(truth, &mut *solver)?;
        solver.clause(&[holds]);
    }
    let mut verdicts = Vec::with_capacity(cases.len());
    for &case in cases {
        let holds = literal(case, &mut *solver)?;
        verdicts.push(solver.solve(&[holds], budget));
    }
    Ok(verdicts)
}

/// Whether the circuit of a term is left open.
fn is_costly(terms: &TermPool, term: TermId) -> bool {
    match terms.node(term) {
        Term::FloatFma { .. } => true,
        Term::Unary { op, .. } => matches!(
            op,
            UnaryOp::FloatSqrt
                | UnaryOp::FloatRound(_)
                | UnaryOp::FloatConvert(_)
                | UnaryOp::FloatFromUnsigned(_)
                | UnaryOp::FloatFromSigned(_)
                | UnaryOp::FloatToUnsigned(_)
                | UnaryOp::FloatToSigned(_)
        ),
        Term::Binary { op, lhs, rhs } => match op {
            BinaryOp::FloatAdd
            | BinaryOp::FloatSub
            | BinaryOp::FloatMul
            | BinaryOp::FloatDiv
            | BinaryOp::FloatFmod
            | BinaryOp::FloatRemainder => true,
            BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem => {
                let is_constant = terms.as_const(lhs).or(terms.as_const(rhs)).is_some();
                terms.width(term) >= WIDE && !is_constant
            }
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::sort::Sort;

    #[test]
    fn impossible_is_right_and_costly_terms_are_open() {
        let mut terms = TermPool::new();
        let symbol = terms.fresh_symbol("x", Sort::word(32));
        let x = terms.symbol_term(symbol);
        let (two, three) = (terms.word(32, 2), terms.word(32, 3));
        let double = terms.binary(BinaryOp::Mul, x, two);
        let is_odd = terms.equal(double, three);
        let square = terms.binary(BinaryOp::Mul, x, x);
        let is_no_square = terms.equal(square, three);
        let is_two = terms.equal(x, two);
        let is_three = terms.equal(x, three);
        let table: [(&[TermId], bool); 5] = [
            (&[], true),
            (&[is_two], true),
            (&[is_two, is_three], false),
            (&[is_odd], false),
            (&[is_no_square], true),
        ];
        for (truths, expected) in table {
            assert_eq!(LimitedJudge(Limit::default()).may_hold(&terms, truths, 1.0), expected, "{truths:?}");
        }
    }
}
