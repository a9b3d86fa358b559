//! Representatives of inputs by what steps make of the states that are reached.
//!
//! Where inputs are wide, no few of them do in every state whatever can be done there, and circuits
//! of arithmetic beside each other are hard queries. From one state, folded in as a constant, a
//! step often has few outcomes, even so. So the states are reached one by one, and from each the
//! outcomes are enumerated: is there an input whose outcome none of the known ones covers? An
//! outcome covers another if it leads to the same state with all labels of goals that the other
//! has. The answer no, for every state that was reached, is the proof that the inputs found are
//! enough.

use super::classes::LANES;
use super::input_classes::{Outcomes, mapped};
use crate::session::{Session, Stop};
use encoder::aig::{Aig, Literal, Node};
use encoder::bits::BitBuilder;
use encoder::cnf::Cnf;
use rustc_hash::FxHashSet;
use solver::sat::{ClauseSink, IncrementalSat, Lit};

/// Most states that are reached: each takes a solver of its own.
const MOST_STATES: usize = 1_000;
/// Most outcomes of one state.
const MOST_OUTCOMES: usize = 400;
/// Conflicts that one question may cost.
const CONFLICTS: u64 = 20_000;

/// What a step yields: the bits of the next state, then labels of goals.
type Outcome = Vec<bool>;

impl Outcomes<'_> {
    /// Enough inputs for all states that are reached from `initial`, as the values of the bits that
    /// matter; `None`: the states or their outcomes are too many, or hard to find. The first
    /// `next` bits of what a step yields are the next state.
    pub(super) fn of_reached(
        &self,
        initial: &[Vec<bool>],
        next: usize,
        session: &Session<'_>,
    ) -> Result<Option<Vec<Vec<bool>>>, Stop> {
        let mut seen: FxHashSet<Vec<bool>> = initial.iter().cloned().collect();
        let mut waiting: Vec<Vec<bool>> = initial.to_vec();
        let mut found = Vec::new();
        while let Some(state) = waiting.pop() {
            let Some(outcomes) = Image::new(self, &state, next).complete(&mut found, session)? else {
                return Ok(None);
            };
            for mut outcome in outcomes {
                outcome.truncate(next);
                if seen.insert(outcome.clone()) {
                    waiting.push(outcome);
                }
            }
            if seen.len() > MOST_STATES {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// What a step yields from a state with each of these inputs; `None` where it is not allowed.
    fn yielded(&self, state: &[bool], inputs: &[Vec<bool>]) -> Vec<Option<Outcome>> {
        let mut all = Vec::with_capacity(inputs.len());
        for chunk in inputs.chunks(LANES) {
            let mut lanes = vec![0u64; self.aig.inputs()];
            for (lane, &bit) in lanes.iter_mut().zip(state) {
                *lane = 0u64.wrapping_sub(u64::from(bit));
            }
            for (lane, input) in chunk.iter().enumerate() {
                for (literal, &bit) in self.inputs.iter().zip(input) {
                    if let Node::Input(number) = self.aig.node(literal.node()) {
                        lanes[number as usize] |= u64::from(bit) << lane;
                    }
                }
            }
            let values = self.aig.evaluate(|input| lanes[input]);
            let allowed = self.allowed.among(&values);
            let yields: Vec<u64> = self.yields.iter().map(|bit| bit.among(&values)).collect();
            all.extend((0..chunk.len()).map(|lane| {
                let outcome = || yields.iter().map(|bits| bits >> lane & 1 == 1).collect();
                (allowed >> lane & 1 == 1).then(outcome)
            }));
        }
        all
    }
}

/// The step from one state, in a solver.
struct Image<'a> {
    step: &'a Outcomes<'a>,
    state: &'a [bool],
    /// Number of bits of the next state among what a step yields.
    next: usize,
    aig: Aig,
    /// By node of the step: its literal with the state folded in.
    folded: Vec<Literal>,
    cnf: Cnf,
}

impl<'a> Image<'a> {
    fn new(step: &'a Outcomes<'a>, state: &'a [bool], next: usize) -> Self {
        let mut aig = Aig::new();
        let inputs: Vec<Literal> = (0..step.aig.inputs()).map(|_| aig.input()).collect();
        let input = |number: usize| match state.get(number) {
            Some(true) => Literal::TRUE,
            Some(false) => Literal::FALSE,
            None => inputs[number],
        };
        let mut folded = vec![Literal::FALSE; step.aig.len()];
        for &node in step.cone {
            folded[node] = match step.aig.node(node) {
                Node::False => Literal::FALSE,
                Node::Input(number) => input(number as usize),
                Node::And(lhs, rhs) => aig.and(mapped(&folded, lhs), mapped(&folded, rhs)),
            };
        }
        Self { step, state, next, aig, folded, cnf: Cnf::new() }
    }

    /// The outcomes from the state, of those that others cover only these; the inputs that lead to
    /// further ones than known inputs do are added. `None`: they are too many, or hard to find.
    fn complete(
        mut self,
        known: &mut Vec<Vec<bool>>,
        session: &Session<'_>,
    ) -> Result<Option<Vec<Outcome>>, Stop> {
        let mut solver = session.options.backend.open();
        let allowed = self.cnf.literal(&self.aig, mapped(&self.folded, self.step.allowed), &mut *solver);
        solver.clause(&[allowed]);
        let made = self.step.yielded(self.state, known);
        let distinct: FxHashSet<Outcome> = made.into_iter().flatten().collect();
        let mut outcomes: Vec<Outcome> = distinct.into_iter().collect();
        outcomes.sort_unstable();
        for outcome in &outcomes {
            self.exclude(outcome, &mut *solver);
        }
        loop {
            match session.solve_within(&mut *solver, &[], Some(CONFLICTS))? {
                Some(false) => return Ok(Some(outcomes)),
                Some(true) if outcomes.len() < MOST_OUTCOMES => {}
                Some(true) | None => return Ok(None),
            }
            let input = self.input(&*solver);
            let made = self.step.yielded(self.state, std::slice::from_ref(&input));
            let Some(Some(outcome)) = made.into_iter().next() else { return Ok(None) };
            self.exclude(&outcome, &mut *solver);
            outcomes.push(outcome);
            known.push(input);
        }
    }

    /// The input in the last model.
    fn input(&self, solver: &dyn IncrementalSat) -> Vec<bool> {
        let value = |bit: &Literal| {
            let known = self.cnf.known(mapped(&self.folded, *bit));
            known.is_some_and(|literal| solver.is_true(literal))
        };
        self.step.inputs.iter().map(value).collect()
    }

    /// Demands another next state, or a label that the outcome does not have.
    fn exclude(&mut self, outcome: &[bool], sink: &mut dyn ClauseSink) {
        let mut clause: Vec<Lit> = Vec::new();
        for (number, (&bit, &value)) in self.step.yields.iter().zip(outcome).enumerate() {
            if number >= self.next && value {
                continue;
            }
            let literal = mapped(&self.folded, bit);
            let differs = if value { !literal } else { literal };
            if differs != Literal::FALSE {
                clause.push(self.cnf.literal(&self.aig, differs, sink));
            }
        }
        sink.clause(&clause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::random_simulation::Random;
    use crate::session::Silent;

    const STATES: usize = 3;
    const INPUTS: usize = 6;
    const LABELS: usize = 3;

    /// A graph at random: what it yields, and when it is allowed.
    fn random_step(random: &mut Random) -> (Aig, Vec<Literal>, Literal) {
        let mut aig = Aig::new();
        let mut known: Vec<Literal> = (0..STATES + INPUTS).map(|_| aig.input()).collect();
        for _ in 0..30 {
            let [lhs, rhs] = [(); 2].map(|()| {
                let literal = known[random.below(known.len())];
                if random.below(2) == 0 { literal } else { !literal }
            });
            known.push(if random.below(3) == 0 { aig.xor(lhs, rhs) } else { aig.and(lhs, rhs) });
        }
        let yields = (0..STATES + LABELS).map(|_| known[known.len() - 1 - random.below(20)]).collect();
        let allowed =
            if random.below(2) == 0 { Literal::TRUE } else { known[known.len() - 1 - random.below(8)] };
        (aig, yields, allowed)
    }

    /// What a step yields, by evaluating one bit after the other.
    fn outcome(step: &Outcomes<'_>, state: usize, input: usize) -> Option<(usize, usize)> {
        let bits = state | input << STATES;
        let values = step.aig.evaluate(|number| 0u64.wrapping_sub((bits >> number & 1) as u64));
        let bit = |literal: &Literal| (literal.among(&values) & 1) as usize;
        let word = |bits: &[Literal]| {
            bits.iter().enumerate().map(|(place, literal)| bit(literal) << place).sum::<usize>()
        };
        (bit(&step.allowed) == 1).then(|| (word(&step.yields[..STATES]), word(&step.yields[STATES..])))
    }

    #[test]
    fn every_outcome_from_reached_states_is_covered() {
        let (options, mut random) = (Options::default(), Random::new(11));
        let session = Session::new(&options, &Silent);
        let (mut reached_in_all, mut found_in_all) = (0, 0);
        for _ in 0..200 {
            let (aig, yields, allowed) = random_step(&mut random);
            let cone = aig.cone(yields.iter().copied().chain([allowed]));
            let inputs: Vec<Literal> =
                (STATES..STATES + INPUTS).map(|number| aig.input_literal(number)).collect();
            let step = Outcomes { aig: &aig, cone: &cone, yields: &yields, allowed, inputs: &inputs };
            let found = step.of_reached(&[vec![false; STATES]], STATES, &session);
            let found = found.unwrap_or_else(|_| panic!("no limit")).expect("few states");
            let number =
                |bits: &Vec<bool>| (0..INPUTS).map(|bit| usize::from(bits[bit]) << bit).sum::<usize>();
            let found: Vec<usize> = found.iter().map(number).collect();
            let (mut reached, mut waiting) = (vec![0], vec![0]);
            while let Some(state) = waiting.pop() {
                let known: Vec<_> = found.iter().filter_map(|&input| outcome(&step, state, input)).collect();
                for (to, labels) in (0..1 << INPUTS).filter_map(|input| outcome(&step, state, input)) {
                    let covers = |&(other, more): &(usize, usize)| other == to && more & labels == labels;
                    assert!(known.iter().any(covers), "state {state}: to {to} with {labels:b}");
                    if !reached.contains(&to) {
                        reached.push(to);
                        waiting.push(to);
                    }
                }
            }
            reached_in_all += reached.len();
            found_in_all += found.len();
        }
        assert!(reached_in_all > 400, "{reached_in_all} states: nothing was tested");
        assert!(found_in_all < 200 * (1 << INPUTS) / 3, "{found_in_all} inputs");
    }
}
