//! The classes of inputs that a step can tell apart.
//!
//! Their number is all that matters first: where a float or a wide integer flows into the state,
//! nearly every value is a class of its own. A few thousand random inputs show that at once; only
//! where they do not are the classes enumerated by SAT. A single class may be beyond any search,
//! that of the factors of a number for example: each query has a limit.

use crate::random_simulation::Random;
use crate::session::{Session, Stop};
use encoder::aig::{Aig, Literal, Node};
use encoder::cnf::Cnf;
use rustc_hash::FxHashSet;
use solver::sat::{ClauseSink, IncrementalSat, Lit};

/// Executions of one evaluation of the circuit.
pub(super) const LANES: usize = 64;

/// Conflicts that one query may cost.
const CONFLICTS: u64 = 10_000;

/// What to tell apart.
pub(super) struct Classes<'a> {
    pub(super) aig: &'a Aig,
    /// Functions of the inputs: inputs with the same values here are of the same class.
    pub(super) border: &'a [Literal],
    /// What holds of all inputs.
    pub(super) assumptions: Vec<Literal>,
    /// The input bits that matter.
    pub(super) inputs: &'a [Literal],
}

impl Classes<'_> {
    /// One input of each class, as the values of the bits that matter; `None`: there are more
    /// classes than `most`, or they are hard to find.
    pub(super) fn representatives(
        &self,
        most: usize,
        session: &Session<'_>,
    ) -> Result<Option<Vec<Vec<bool>>>, Stop> {
        if self.sampled(2 * most, most) > most {
            return Ok(None);
        }
        let mut solver = session.options.backend.open();
        let mut cnf = Cnf::new();
        let border: Vec<Lit> =
            self.border.iter().map(|&bit| cnf.literal(self.aig, bit, &mut solver)).collect();
        for &assumption in &self.assumptions {
            let holds = cnf.literal(self.aig, assumption, &mut solver);
            solver.clause(&[holds]);
        }
        let bits: Vec<Lit> = self.inputs.iter().map(|&bit| cnf.literal(self.aig, bit, &mut solver)).collect();
        let mut classes = Vec::new();
        loop {
            match session.solve_within(&mut solver, &[], Some(CONFLICTS))? {
                Some(false) => return Ok(Some(classes)),
                Some(true) if classes.len() < most => {}
                Some(true) | None => return Ok(None),
            }
            let value = |&bit: &Lit| solver.is_true(bit);
            classes.push(bits.iter().map(value).collect());
            let differs = |&bit: &Lit| if value(&bit) { !bit } else { bit };
            let other: Vec<Lit> = border.iter().map(differs).collect();
            solver.clause(&other);
            if border.is_empty() {
                return Ok(Some(classes));
            }
        }
    }

    /// Number of classes among so many random inputs; counting stops beyond `most`. Bits that the
    /// assumptions fix are not chosen: truths that come as bytes would else leave hardly any input
    /// that is allowed.
    fn sampled(&self, samples: usize, most: usize) -> usize {
        let mut random = Random::new(0);
        let mut seen: FxHashSet<Vec<bool>> = FxHashSet::default();
        let fixed = fixed_inputs(self.aig, &self.assumptions);
        for _ in 0..samples.div_ceil(LANES) {
            let mut lanes: Vec<u64> = (0..self.aig.inputs()).map(|_| random.next_word()).collect();
            for &(input, value) in &fixed {
                lanes[input] = 0u64.wrapping_sub(u64::from(value));
            }
            let values = self.aig.evaluate(|input| lanes[input]);
            let allowed = self.assumptions.iter().fold(u64::MAX, |all, holds| all & holds.among(&values));
            let border: Vec<u64> = self.border.iter().map(|bit| bit.among(&values)).collect();
            for lane in (0..LANES).filter(|lane| allowed >> lane & 1 == 1) {
                seen.insert(border.iter().map(|bits| bits >> lane & 1 == 1).collect());
            }
            if seen.len() > most {
                break;
            }
        }
        seen.len()
    }
}

/// Inputs of the graph, by number, that demands fix by themselves: operands of their conjunctions.
pub(super) fn fixed_inputs(aig: &Aig, demands: &[Literal]) -> Vec<(usize, bool)> {
    let mut fixed = Vec::new();
    let mut seen: FxHashSet<Literal> = FxHashSet::default();
    let mut waiting = demands.to_vec();
    while let Some(literal) = waiting.pop() {
        if !seen.insert(literal) {
            continue;
        }
        match aig.node(literal.node()) {
            Node::Input(number) => fixed.push((number as usize, !literal.is_complemented())),
            Node::And(lhs, rhs) if !literal.is_complemented() => waiting.extend([lhs, rhs]),
            Node::And(..) | Node::False => {}
        }
    }
    fixed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::session::Silent;
    use encoder::bits::BitBuilder;

    /// Sixteen bits of which every value is a class, under seven that have to be zero: sampling
    /// sees that classes are many without a query.
    #[test]
    fn fixed_inputs_do_not_hide_classes() {
        let mut aig = Aig::new();
        let wide: Vec<Literal> = (0..16).map(|_| aig.input()).collect();
        let upper: Vec<Literal> = (0..14).map(|_| aig.input()).collect();
        let is_truth = upper.iter().fold(Literal::TRUE, |all, &bit| aig.and(all, !bit));
        let question = Classes { aig: &aig, border: &wide, assumptions: vec![is_truth], inputs: &wide };
        let mut fixed = fixed_inputs(&aig, &question.assumptions);
        fixed.sort_unstable();
        assert_eq!(fixed, (16..30).map(|number| (number, false)).collect::<Vec<_>>());
        assert!(question.sampled(400, 200) > 200);
    }

    /// Three inputs, of which two are told apart only together; one assumption.
    #[test]
    fn each_class_has_one_representative() {
        let mut aig = Aig::new();
        let (a, b, c) = (aig.input(), aig.input(), aig.input());
        let both = aig.and(a, b);
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        for (assumptions, most, expected) in
            [(vec![], 4, Some(4)), (vec![c], 4, Some(2)), (vec![], 3, None), (vec![both], 2, Some(2))]
        {
            let question = Classes { aig: &aig, border: &[both, c], assumptions, inputs: &[a, b, c] };
            let found = question.representatives(most, &session).unwrap_or_else(|_| panic!("no limit"));
            assert_eq!(found.as_ref().map(Vec::len), expected);
            let classes = found.iter().flatten().map(|bits| (bits[0] && bits[1], bits[2]));
            let distinct: FxHashSet<(bool, bool)> = classes.collect();
            assert_eq!(distinct.len(), expected.unwrap_or(0));
        }
    }
}
