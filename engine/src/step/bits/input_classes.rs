//! Representatives of inputs by what steps make of them.
//!
//! Where a state is compared with an input, or a word that is not kept is read in some mode alone,
//! nearly every value is a class of its own, though from each state only few successors can be
//! reached. Enough are inputs such that from every state whatever a step can yield is yielded with
//! one of them. They are found one by one: is there a state and an input with an outcome that none
//! of those known has from that state? The last answer, no, is the proof that they are enough.

use super::classes::{LANES, fixed_inputs};
use crate::random_simulation::Random;
use crate::session::{Session, Stop};
use encoder::aig::{Aig, Literal, Node};
use encoder::bits::BitBuilder;
use encoder::cnf::Cnf;
use rustc_hash::FxHashSet;
use solver::sat::{ClauseSink, IncrementalSat, Lit};

/// Most representatives.
const MOST: usize = 160;
/// Most states that are sampled.
const SAMPLED: usize = 48;
/// Conflicts that one question may cost.
const CONFLICTS: u64 = 300;
/// Greatest sum of the numbers of nodes that all questions speak about.
const MOST_WORK: usize = 2_500_000;

/// What to find representatives for: a step as a graph.
pub(super) struct Outcomes<'a> {
    pub(super) aig: &'a Aig,
    /// What the outcomes depend on, in topological order.
    pub(super) cone: &'a [usize],
    /// What a step yields.
    pub(super) yields: &'a [Literal],
    /// Whether it is allowed.
    pub(super) allowed: Literal,
    /// The input bits that matter.
    pub(super) inputs: &'a [Literal],
}

impl Outcomes<'_> {
    /// Enough inputs, at most so many, as the values of the bits that matter; `None`: they are too
    /// many, or hard to find. `states` are reachable states, as the values of the first inputs of
    /// the graph: they show quickly where there are too many.
    pub(super) fn representatives(
        &self,
        most: usize,
        states: &[Vec<bool>],
        session: &Session<'_>,
    ) -> Result<Option<Vec<Vec<bool>>>, Stop> {
        let most = most.min(MOST);
        if self.branches(most, states) {
            return Ok(None);
        }
        let mut solver = session.options.backend.open();
        let mut copies = Copies::new(self);
        copies.allow(&mut solver);
        let (mut found, mut work) = (Vec::new(), 0);
        loop {
            work += copies.aig.len();
            match session.solve_within(&mut solver, &[], Some(CONFLICTS))? {
                Some(false) => return Ok(Some(found)),
                Some(true) if found.len() < most && work <= MOST_WORK => {}
                Some(true) | None => return Ok(None),
            }
            let input = copies.input(&solver);
            copies.exclude(&input, &mut solver);
            found.push(input);
        }
    }

    /// Whether random inputs lead from one of the states to more than `most` outcomes.
    fn branches(&self, most: usize, states: &[Vec<bool>]) -> bool {
        let mut random = Random::new(0);
        let stride = states.len().div_ceil(SAMPLED).max(1);
        states.iter().step_by(stride).any(|state| self.outcomes(state, 2 * most, most, &mut random) > most)
    }

    /// Number of outcomes from a state among so many random inputs; counting stops beyond `most`.
    fn outcomes(&self, state: &[bool], samples: usize, most: usize, random: &mut Random) -> usize {
        let mut seen: FxHashSet<Vec<bool>> = FxHashSet::default();
        let all_lanes = |bit: bool| 0u64.wrapping_sub(u64::from(bit));
        let fixed = fixed_inputs(self.aig, &[self.allowed]);
        for _ in 0..samples.div_ceil(LANES) {
            let mut lanes: Vec<u64> = (0..self.aig.inputs()).map(|_| random.next_word()).collect();
            fixed.iter().for_each(|&(input, value)| lanes[input] = all_lanes(value));
            state.iter().enumerate().for_each(|(input, &bit)| lanes[input] = all_lanes(bit));
            let values = self.aig.evaluate(|input| lanes[input]);
            let allowed = self.allowed.among(&values);
            let yields: Vec<u64> = self.yields.iter().map(|bit| bit.among(&values)).collect();
            for lane in (0..LANES).filter(|lane| allowed >> lane & 1 == 1) {
                seen.insert(yields.iter().map(|bits| bits >> lane & 1 == 1).collect());
            }
            if seen.len() > most {
                break;
            }
        }
        seen.len()
    }
}

/// A step with free inputs beside copies of it with the inputs of each representative, all from the
/// same state.
struct Copies<'a> {
    step: &'a Outcomes<'a>,
    aig: Aig,
    cnf: Cnf,
    /// By node of the step: its literal with free inputs.
    free: Vec<Literal>,
}

impl<'a> Copies<'a> {
    fn new(step: &'a Outcomes<'a>) -> Self {
        let mut aig = Aig::new();
        let inputs: Vec<Literal> = (0..step.aig.inputs()).map(|_| aig.input()).collect();
        let mut copies = Self { step, aig, cnf: Cnf::new(), free: Vec::new() };
        copies.free = copies.copy(|number| inputs[number]);
        copies
    }

    /// A copy of the step: by node its literal here.
    fn copy(&mut self, input: impl Fn(usize) -> Literal) -> Vec<Literal> {
        let mut copied = vec![Literal::FALSE; self.step.aig.len()];
        for &node in self.step.cone {
            copied[node] = match self.step.aig.node(node) {
                Node::False => Literal::FALSE,
                Node::Input(number) => input(number as usize),
                Node::And(lhs, rhs) => self.aig.and(mapped(&copied, lhs), mapped(&copied, rhs)),
            };
        }
        copied
    }

    /// Demands that the free step is allowed.
    fn allow(&mut self, solver: &mut dyn ClauseSink) {
        let allowed = self.cnf.literal(&self.aig, mapped(&self.free, self.step.allowed), solver);
        solver.clause(&[allowed]);
    }

    /// The free input in the last model.
    fn input(&mut self, solver: &dyn IncrementalSat) -> Vec<bool> {
        let value = |bit: &Literal| {
            let known = self.cnf.known(mapped(&self.free, *bit));
            known.is_some_and(|literal| solver.is_true(literal))
        };
        self.step.inputs.iter().map(value).collect()
    }

    /// Demands that the free step does what is not done with this input.
    fn exclude(&mut self, input: &[bool], solver: &mut dyn ClauseSink) {
        let mut fixed: Vec<Literal> =
            (0..self.step.aig.inputs()).map(|number| self.aig.input_literal(number)).collect();
        for (&bit, &value) in self.step.inputs.iter().zip(input) {
            if let Node::Input(number) = self.step.aig.node(bit.node()) {
                fixed[number as usize] = if value { Literal::TRUE } else { Literal::FALSE };
            }
        }
        let copy = self.copy(|number| fixed[number]);
        let differs = |bit: &Literal| (mapped(&self.free, *bit), mapped(&copy, *bit));
        let pairs: Vec<(Literal, Literal)> = self.step.yields.iter().map(differs).collect();
        let allowed = mapped(&copy, self.step.allowed);
        let mut parts: Vec<Literal> =
            pairs.into_iter().map(|(free, fixed)| self.aig.xor(free, fixed)).collect();
        parts.push(!allowed);
        let clause: Vec<Lit> =
            parts.into_iter().map(|part| self.cnf.literal(&self.aig, part, solver)).collect();
        solver.clause(&clause);
    }
}

/// The literal that stands for a literal of the step.
pub(super) fn mapped(copied: &[Literal], literal: Literal) -> Literal {
    match literal.constant() {
        Some(true) => Literal::TRUE,
        Some(false) => Literal::FALSE,
        None if literal.is_complemented() => !copied[literal.node()],
        None => copied[literal.node()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::session::Silent;

    const STATES: usize = 4;
    const INPUTS: usize = 5;

    /// A graph at random: what it yields, and when it is allowed.
    fn random_step(random: &mut Random) -> (Aig, Vec<Literal>, Literal) {
        let mut aig = Aig::new();
        let mut known: Vec<Literal> = (0..STATES + INPUTS).map(|_| aig.input()).collect();
        for _ in 0..20 {
            let [lhs, rhs] = [(); 2].map(|()| {
                let literal = known[random.below(known.len())];
                if random.below(2) == 0 { literal } else { !literal }
            });
            known.push(if random.below(3) == 0 { aig.xor(lhs, rhs) } else { aig.and(lhs, rhs) });
        }
        let yields = (0..3).map(|_| known[known.len() - 1 - random.below(12)]).collect();
        let allowed =
            if random.below(2) == 0 { Literal::TRUE } else { known[known.len() - 1 - random.below(8)] };
        (aig, yields, allowed)
    }

    /// What a step yields from a state with an input, if it is allowed.
    fn outcome(step: &Outcomes<'_>, state: usize, input: usize) -> Option<Vec<bool>> {
        let bits = state | input << STATES;
        let values = step.aig.evaluate(|number| 0u64.wrapping_sub((bits >> number & 1) as u64));
        let bit = |literal: &Literal| literal.among(&values) & 1 == 1;
        bit(&step.allowed).then(|| step.yields.iter().map(bit).collect())
    }

    #[test]
    fn from_every_state_every_outcome_has_a_representative() {
        let (options, mut random) = (Options::default(), Random::new(7));
        let session = Session::new(&options, &Silent);
        let (mut inputs_in_all, mut found_in_all) = (0, 0);
        for _ in 0..60 {
            let (aig, yields, allowed) = random_step(&mut random);
            let cone = aig.cone(yields.iter().copied().chain([allowed]));
            let inputs: Vec<Literal> =
                (STATES..STATES + INPUTS).map(|number| aig.input_literal(number)).collect();
            let step = Outcomes { aig: &aig, cone: &cone, yields: &yields, allowed, inputs: &inputs };
            let found = step.representatives(64, &[vec![false; STATES]], &session);
            let found = found.unwrap_or_else(|_| panic!("no limit")).expect("few inputs");
            let number =
                |bits: &Vec<bool>| (0..INPUTS).map(|bit| usize::from(bits[bit]) << bit).sum::<usize>();
            let found: Vec<usize> = found.iter().map(number).collect();
            for state in 0..1 << STATES {
                let known: Vec<_> = found.iter().map(|&input| outcome(&step, state, input)).collect();
                for input in 0..1 << INPUTS {
                    let made = outcome(&step, state, input);
                    assert!(made.is_none() || known.contains(&made), "state {state}, input {input}");
                }
            }
            (inputs_in_all, found_in_all) = (inputs_in_all + (1 << INPUTS), found_in_all + found.len());
        }
        assert!(found_in_all * 3 < inputs_in_all, "{found_in_all} of {inputs_in_all} inputs");
    }

    /// A state word is compared with an input word: all inputs differ, but from each state a step
    /// does one of two things.
    #[test]
    fn a_comparison_takes_two_inputs() {
        let mut aig = Aig::new();
        let state: Vec<Literal> = (0..8).map(|_| aig.input()).collect();
        let input: Vec<Literal> = (0..8).map(|_| aig.input()).collect();
        let less = encoder::circuits::compare::unsigned_less(&mut aig, &state, &input);
        let cone = aig.cone([less]);
        let step =
            Outcomes { aig: &aig, cone: &cone, yields: &[less], allowed: Literal::TRUE, inputs: &input };
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let found =
            step.representatives(200, &[vec![false; 8]], &session).unwrap_or_else(|_| panic!("no limit"));
        assert!((2..12).contains(&found.expect("few inputs").len()));
        let copied = Outcomes { yields: &input, cone: &aig.cone(input.iter().copied()), ..step };
        let found =
            copied.representatives(100, &[vec![false; 8]], &session).unwrap_or_else(|_| panic!("no limit"));
        assert_eq!(found, None, "256 outcomes are too many");
    }
}
