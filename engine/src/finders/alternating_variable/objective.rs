//! How far the formula of a goal is from holding: what a local search makes smaller.
//!
//! [Branch distances](crate::finders::branch_distance) of the comparisons in the formula are taken
//! over values of its terms: a conjunction is as far as its parts together, a disjunction as its
//! nearest part.

use crate::finders::branch_distance::{Comparison, Measure};
use model::simulate::WindowEvaluator;
use model::term::{BinaryOp, Term, TermId, TermPool, UnaryOp};

/// A truth, taken apart. Numbers are positions among the roots of an evaluator.
#[derive(Clone, Debug)]
enum Part {
    /// All of them, each with its weight.
    All(Vec<(f64, Part)>),
    Any(Vec<Part>),
    Compare {
        comparison: Comparison,
        lhs: usize,
        rhs: usize,
    },
    /// Something that holds or does not.
    Truth {
        root: usize,
        wanted: bool,
    },
}

/// A truth over a window of an execution, and the terms whose values tell how far it is from
/// holding.
#[derive(Clone, Debug)]
pub(super) struct Objective {
    part: Part,
    /// The terms, the truth itself first.
    roots: Vec<TermId>,
}

/// Nesting beyond which a truth is not taken apart: shared parts would be met again and again.
const DEEPEST: u32 = 12;
/// Weight of a conjunct that comes first; others have weight 1 and are at most 1 from holding.
const FIRST: f64 = 128.0;

impl Objective {
    /// Of a truth. Its conjuncts for which `comes_first` says so weigh more than all others
    /// together.
    pub(super) fn new(terms: &TermPool, truth: TermId, comes_first: impl Fn(TermId) -> bool) -> Self {
        let mut roots = vec![truth];
        let conjuncts = terms.conjuncts(truth);
        let parts = conjuncts.into_iter().map(|conjunct| {
            let weight = if comes_first(conjunct) { FIRST } else { 1.0 };
            (weight, part(terms, conjunct, true, 0, &mut roots))
        });
        let part = Part::All(parts.collect());
        Self { part, roots }
    }

    /// What to evaluate; the truth itself is the first.
    pub(super) fn roots(&self) -> &[TermId] {
        &self.roots
    }

    /// How far the truth is from holding, where the roots have these values: 0, or more the
    /// farther.
    pub(super) fn distance(&self, values: &WindowEvaluator) -> f64 {
        distance(&self.part, values)
    }
}

fn part(terms: &TermPool, truth: TermId, wanted: bool, depth: u32, roots: &mut Vec<TermId>) -> Part {
    let mut root = |term: TermId| {
        roots.push(term);
        roots.len() - 1
    };
    if depth == DEEPEST {
        return Part::Truth { root: root(truth), wanted };
    }
    match terms.node(truth) {
        Term::Unary { op: UnaryOp::Not, arg } => part(terms, arg, !wanted, depth + 1, roots),
        Term::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), lhs, rhs } => {
            let parts = [lhs, rhs].map(|side| part(terms, side, wanted, depth + 1, roots));
            match (op == BinaryOp::And) == wanted {
                true => Part::All(parts.into_iter().map(|part| (1.0, part)).collect()),
                false => Part::Any(parts.into()),
            }
        }
        Term::Ite { condition, then, otherwise } => {
            let mut both = |holds: bool, branch: TermId| {
                let guard = part(terms, condition, holds, depth + 1, roots);
                let branch = part(terms, branch, wanted, depth + 1, roots);
                Part::All(vec![(1.0, guard), (1.0, branch)])
            };
            Part::Any(vec![both(true, then), both(false, otherwise)])
        }
        Term::Binary { op, lhs, rhs } => match Comparison::new(op, terms.sort(lhs), wanted) {
            Some(comparison) => Part::Compare { comparison, lhs: root(lhs), rhs: root(rhs) },
            None => Part::Truth { root: root(truth), wanted },
        },
        _ => Part::Truth { root: root(truth), wanted },
    }
}

fn distance(part: &Part, values: &WindowEvaluator) -> f64 {
    match part {
        Part::All(parts) => parts.iter().map(|(weight, part)| weight * distance(part, values)).sum(),
        Part::Any(parts) => parts.iter().map(|part| distance(part, values)).fold(f64::INFINITY, f64::min),
        Part::Truth { root, wanted } => f64::from(u8::from(values.holds(*root) != *wanted)),
        Part::Compare { comparison, lhs, rhs } => {
            comparison.distance(values.value(*lhs).bits(), values.value(*rhs).bits(), Measure::Values)
        }
    }
}
