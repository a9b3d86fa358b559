//! What runs may come to, step by step: positions with the goals that are missing there, as far as
//! a tester can tell them apart.

use crate::interface::Interface;
use crate::runs::{Goals, Runs};
use crate::semantics::{Effort, Position, Step, Undecided, Valuation, id_index};
use crate::syntax::Role;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Where runs may be, and which goals they miss; ascending.
pub(crate) type Belief = Vec<(usize, u128)>;

/// For each number of outputs the belief behind them; see [`Moves::outputs`].
pub(crate) type Answers = BTreeMap<usize, Belief>;

/// An answer of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Answer {
    /// The number of its outputs.
    outputs: usize,
    /// The number of the position that it leads to.
    position: usize,
    /// Goals that are met in the step.
    met: u128,
}

/// What tests are made of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tests {
    /// Inputs under which some run does what is wanted.
    OfSomeRun,
    /// Inputs under which all runs do.
    OfAllRuns,
    /// Inputs that depend on the outputs that are seen, under which all runs do.
    Adaptive,
}

/// Inputs from a position, and the answers to them.
#[derive(Debug)]
struct Given {
    inputs: Valuation,
    /// Whether tests may have them there.
    is_wanted: bool,
    answers: Vec<Answer>,
}

/// The moves of tester and system, found as they are asked for.
#[derive(Debug)]
pub(crate) struct Moves<'r, 'a> {
    runs: &'r Runs<'a>,
    goals: &'r Goals<'a>,
    /// Outputs are told apart in adaptive tests; otherwise all have the number 0.
    tests: Tests,
    positions: Vec<Option<Position>>,
    numbers: FxHashMap<Position, usize>,
    outputs: Vec<Valuation>,
    output_numbers: FxHashMap<Valuation, usize>,
    /// For each position that was asked for the inputs that occur, and the answers to them.
    known: FxHashMap<usize, Vec<Given>>,
}

impl<'r, 'a> Moves<'r, 'a> {
    /// From before step 0, which has the number 0.
    pub(crate) fn new(runs: &'r Runs<'a>, goals: &'r Goals<'a>, tests: Tests) -> Self {
        Self {
            runs,
            goals,
            tests,
            positions: vec![None],
            numbers: FxHashMap::default(),
            outputs: Vec::new(),
            output_numbers: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }
    /// The interface.
    pub(crate) fn interface(&self) -> &'a Interface {
        self.runs.semantics.interface
    }
    /// What is known before step 0.
    pub(crate) fn start(&self) -> Belief {
        vec![(0, self.goals.all())]
    }
    /// Outputs by their number, with nothing else known.
    pub(crate) fn outputs(&self, number: usize) -> &Valuation {
        &self.outputs[number]
    }

    /// For each inputs that may occur where a belief is, the beliefs behind each of the outputs.
    /// Inputs that do not occur, or that tests may not have, are left out: where some run is to be
    /// found, in the runs concerned, else wherever one run of the belief is concerned.
    ///
    /// # Errors
    /// There are too many values to try.
    pub(crate) fn successors(
        &mut self,
        belief: &Belief,
        effort: &mut Effort,
    ) -> Result<Vec<(Valuation, Answers)>, Undecided> {
        let mut found: Vec<(Valuation, Answers)> = Vec::new();
        // For each inputs the number of members of the belief where a test may have them.
        let mut members: Vec<usize> = Vec::new();
        for &(number, missing) in belief {
            self.explore(number, effort)?;
            for Given { inputs, answers, .. } in self.known[&number].iter().filter(|given| given.is_wanted) {
                let place = found.iter().position(|(known, _)| known == inputs).unwrap_or_else(|| {
                    found.push((inputs.clone(), Answers::new()));
                    members.push(0);
                    found.len() - 1
                });
                members[place] += 1;
                for answer in answers {
                    effort.spend()?;
                    let belief = found[place].1.entry(answer.outputs).or_default();
                    belief.push((answer.position, missing & !answer.met));
                }
            }
        }
        for belief in found.iter_mut().flat_map(|(_, answers)| answers.values_mut()) {
            belief.sort_unstable();
            belief.dedup();
        }
        let suits = |count: usize| self.tests == Tests::OfSomeRun || count == belief.len();
        let counted = found.into_iter().zip(members);
        let suiting = counted.filter(|((_, answers), count)| !answers.is_empty() && suits(*count));
        Ok(suiting.map(|(found, _)| found).collect())
    }

    fn explore(&mut self, number: usize, effort: &mut Effort) -> Result<(), Undecided> {
        if self.known.contains_key(&number) {
            return Ok(());
        }
        let before = self.positions[number].clone();
        let semantics = &self.runs.semantics;
        let shown: Vec<usize> = semantics.interface.variables(Role::Output).map(id_index).collect();
        let mut moves = Vec::new();
        for inputs in semantics.occurring(before.as_ref(), effort)? {
            let mut answers: FxHashSet<(Option<Valuation>, Position, u128)> = FxHashSet::default();
            let given = self.goals.given(semantics, before.as_ref(), &inputs, effort)?;
            let mut visit = |now: &Valuation| {
                let met = given | self.goals.shown(semantics, before.as_ref(), now);
                let outputs = (self.tests == Tests::Adaptive).then(|| only(now, &shown));
                answers.insert((outputs, semantics.position(now), met));
            };
            self.runs.answers(Step { before: before.as_ref(), known: &inputs }, &mut visit, effort)?;
            let numbered = answers.into_iter().map(|(outputs, position, met)| Answer {
                outputs: outputs
                    .map_or(0, |outputs| number_of(outputs, &mut self.output_numbers, &mut self.outputs)),
                position: number_of_position(position, &mut self.numbers, &mut self.positions),
                met,
            });
            let answers = numbered.collect();
            let is_wanted = !self.runs.is_idle(before.as_ref(), &inputs);
            moves.push(Given { inputs, is_wanted, answers });
        }
        self.known.insert(number, moves);
        Ok(())
    }
}

/// Some values of a step.
pub(crate) fn only(now: &Valuation, places: &[usize]) -> Valuation {
    let mut kept = vec![None; now.len()];
    for &place in places {
        kept[place].clone_from(&now[place]);
    }
    kept
}

/// The number of outputs; new ones get the next.
pub(crate) fn number_of(
    outputs: Valuation,
    numbers: &mut FxHashMap<Valuation, usize>,
    all: &mut Vec<Valuation>,
) -> usize {
    let next = all.len();
    *numbers.entry(outputs).or_insert_with_key(|outputs| {
        all.push(outputs.clone());
        next
    })
}

/// The number of a position; new ones get the next.
pub(crate) fn number_of_position(
    position: Position,
    numbers: &mut FxHashMap<Position, usize>,
    all: &mut Vec<Option<Position>>,
) -> usize {
    let next = all.len();
    *numbers.entry(position).or_insert_with_key(|position| {
        all.push(Some(position.clone()));
        next
    })
}
