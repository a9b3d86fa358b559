//! What the system may do under given inputs, and which goals are met whatever it does.

use crate::allowed::Allowed;
use crate::goals::{Goal, named};
use crate::interface::{Contract, Interface};
use crate::moves::{Belief, Moves, Tests};
use crate::parts::{DeadEnds, Lost};
use crate::semantics::{Effort, Position, Semantics, Step, Undecided, Valuation, inputs_of};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::ControlFlow;

/// Goals that can be followed at once.
pub const MOST_GOALS: usize = 128;

/// Some goals of an interface, as sets of bits.
#[derive(Clone, Debug)]
pub struct Goals<'a>(Vec<Goal<'a>>);

impl<'a> Goals<'a> {
    /// The goals of some names; none where there are more than [`MOST_GOALS`].
    pub fn new<'n>(interface: &'a Interface, names: impl IntoIterator<Item = &'n str>) -> Option<Self> {
        let goals: Vec<Goal<'_>> = names.into_iter().filter_map(|name| named(interface, name)).collect();
        (goals.len() <= MOST_GOALS).then_some(Self(goals))
    }
    /// The first [`MOST_GOALS`] goals of some names; names of no goal are left out.
    pub fn first<'n>(interface: &'a Interface, names: impl IntoIterator<Item = &'n str>) -> Self {
        Self(names.into_iter().filter_map(|name| named(interface, name)).take(MOST_GOALS).collect())
    }
    /// All of them.
    pub fn all(&self) -> u128 {
        if self.0.len() == MOST_GOALS { u128::MAX } else { (1 << self.0.len()) - 1 }
    }
    /// The names of some of them.
    pub fn names(&self, set: u128) -> Vec<&str> {
        let chosen = self.0.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
        chosen.map(|(_, goal)| &*goal.name).collect()
    }
    /// Those that a step meets whatever is answered.
    ///
    /// # Errors
    /// There are too many values to try.
    pub fn given(
        &self,
        semantics: &Semantics<'_>,
        before: Option<&Position>,
        inputs: &Valuation,
        effort: &mut Effort,
    ) -> Result<u128, Undecided> {
        let mut set = 0;
        for (bit, goal) in self.0.iter().enumerate() {
            if goal.is_given(semantics, before, inputs, effort)? {
                set |= 1 << bit;
            }
        }
        Ok(set)
    }
    /// Those that the answer of a step meets.
    pub fn shown(&self, semantics: &Semantics<'_>, before: Option<&Position>, now: &Valuation) -> u128 {
        let bits = self.0.iter().enumerate().filter(|(_, goal)| goal.is_shown(semantics, before, now));
        bits.fold(0, |set, (bit, _)| set | 1 << bit)
    }
}

/// An interface without the positions from which no system can go on for ever.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    /// What is allowed.
    pub semantics: Semantics<'a>,
    dead_ends: DeadEnds,
    /// Whether tests have no idle steps: in each step but the first some written assumption holds.
    avoids_idle: bool,
}

impl<'a> Runs<'a> {
    /// No answer leads to one of `lost`.
    pub fn new<'l>(interface: &'a Interface, lost: impl IntoIterator<Item = &'l Lost>) -> Self {
        let dead_ends = DeadEnds::new(lost);
        Self { semantics: Semantics::whole(interface), dead_ends, avoids_idle: false }
    }
    /// Leaves out the runs with idle steps, where that is wanted.
    #[must_use]
    pub fn without_idle_steps(self, avoids_idle: bool) -> Self {
        Self { avoids_idle, ..self }
    }
    /// Whether a tester may not give inputs at a position: the environment does not, or the step
    /// would be idle.
    pub fn is_refused(&self, before: Option<&Position>, inputs: &Valuation) -> bool {
        !self.semantics.may_occur(before, inputs) || self.is_idle(before, inputs)
    }
    /// Whether inputs have no place in a test from a position: the step would be idle.
    pub fn is_idle(&self, before: Option<&Position>, inputs: &Valuation) -> bool {
        let is_triggered = |contract: &Contract| {
            contract.assumption.is_some() && self.semantics.is_triggered(contract, before, inputs)
        };
        let requirements = &self.semantics.interface.requirements;
        let mut contracts = requirements.iter().flat_map(|requirement| requirement.contracts(false));
        self.avoids_idle && before.is_some() && !contracts.any(is_triggered)
    }
    /// Calls `visit` with each answer to the known values of a step that is allowed and not lost.
    ///
    /// # Errors
    /// There are too many.
    pub fn answers(
        &self,
        step: Step<'_>,
        visit: &mut dyn FnMut(&Valuation),
        effort: &mut Effort,
    ) -> Result<(), Undecided> {
        let mut unless_lost = |now: &Valuation| {
            if self.dead_ends.within(now).is_none() {
                visit(now);
            }
            ControlFlow::Continue(())
        };
        self.semantics.answers(step, &mut unless_lost, effort).map(|_| ())
    }
}

/// Whether the interpreter accepts an execution, in which all goals are met.
///
/// # Errors
/// It has too many values to try.
pub fn accepts(
    runs: &Runs<'_>,
    goals: &Goals<'_>,
    steps: &[Valuation],
    effort: &mut Effort,
) -> Result<bool, Undecided> {
    let mut before: Option<Position> = None;
    let mut missing = goals.all();
    for now in steps {
        let step = Step { before: before.as_ref(), known: now };
        if !runs.semantics.may_occur(before.as_ref(), now) || !runs.semantics.can_answer(step, effort)? {
            return Ok(false);
        }
        let inputs = inputs_of(runs.semantics.interface, now);
        missing &= !goals.given(&runs.semantics, before.as_ref(), &inputs, effort)?;
        missing &= !goals.shown(&runs.semantics, before.as_ref(), now);
        before = Some(runs.semantics.position(now));
    }
    Ok(missing == 0)
}

/// A step of given inputs.
#[derive(Clone, Debug)]
pub struct Row {
    /// The inputs.
    pub inputs: Valuation,
    /// Whether a tester may give them in some run.
    pub is_given: bool,
    /// The outputs that are allowed, whatever was answered before.
    pub allowed: Allowed,
    /// Goals that are met by then in every run, and were not before.
    pub met: Vec<String>,
    /// Goals that some runs meet in this step for the first time, others perhaps never.
    pub perhaps: Vec<String>,
}

/// What given inputs show.
#[derive(Clone, Debug)]
pub struct Graded {
    /// The steps.
    pub rows: Vec<Row>,
    /// Whether every run meets every goal, and in each of them the tester may give all inputs.
    pub is_certain: bool,
    /// Goals that some run misses.
    pub missed: Vec<String>,
}

/// Follows all runs under given inputs.
///
/// # Errors
/// There are too many.
pub fn grade(
    runs: &Runs<'_>,
    goals: &Goals<'_>,
    inputs: &[Valuation],
    effort: &mut Effort,
) -> Result<Graded, Undecided> {
    let mut states: FxHashSet<(Option<Position>, u128)> = FxHashSet::from_iter([(None, goals.all())]);
    let (mut surely, mut maybe) = (0_u128, 0_u128);
    let mut rows = Vec::new();
    // Goals that are missing in runs where the tester may not go on.
    let mut ended: Option<u128> = None;
    for known in inputs {
        let mut allowed = Allowed::new(runs.semantics.interface);
        let mut next = FxHashSet::default();
        let mut is_given = false;
        for (before, missing) in &states {
            if runs.is_refused(before.as_ref(), known) {
                *ended.get_or_insert(0) |= missing;
                continue;
            }
            is_given = true;
            let step = Step { before: before.as_ref(), known };
            let missing = missing & !goals.given(&runs.semantics, before.as_ref(), known, effort)?;
            let mut visit = |now: &Valuation| {
                allowed.add(now);
                let met = goals.shown(&runs.semantics, before.as_ref(), now);
                next.insert((Some(runs.semantics.position(now)), missing & !met));
            };
            runs.answers(step, &mut visit, effort)?;
        }
        let missed = next.iter().fold(ended.unwrap_or(0), |all, (_, missing)| all | missing);
        let met = next.iter().fold(0, |all, (_, missing)| all | (goals.all() & !missing));
        let names = |set| goals.names(set).into_iter().map(str::to_owned).collect::<Vec<_>>();
        let new = if next.is_empty() { 0 } else { goals.all() & !missed & !surely };
        rows.push(Row {
            inputs: known.clone(),
            is_given,
            allowed,
            met: names(new),
            perhaps: names(met & missed & !maybe),
        });
        surely |= new;
        maybe |= met;
        states = next;
    }
    let missed = goals.all() & !surely;
    Ok(Graded {
        rows,
        is_certain: missed == 0 && ended.is_none() && !states.is_empty(),
        missed: goals.names(missed).into_iter().map(str::to_owned).collect(),
    })
}

/// Finds inputs that meet all goals in a given number of steps, the first in the order of inputs.
#[derive(Debug)]
pub struct Finder<'r, 'a> {
    moves: Moves<'r, 'a>,
    /// Beliefs that cannot meet all goals in so many steps.
    failed: FxHashMap<Belief, usize>,
    is_certain: bool,
}

impl<'r, 'a> Finder<'r, 'a> {
    /// With `is_certain`, inputs must meet the goals whatever is answered; else some answers do.
    pub fn new(runs: &'r Runs<'a>, goals: &'r Goals<'a>, is_certain: bool) -> Self {
        let tests = if is_certain { Tests::OfAllRuns } else { Tests::OfSomeRun };
        Self { moves: Moves::new(runs, goals, tests), failed: FxHashMap::default(), is_certain }
    }

    /// The first inputs, in the order of their values, that meet all goals in so many steps.
    ///
    /// # Errors
    /// The search takes too long.
    pub fn first(&mut self, length: usize, effort: &mut Effort) -> Result<Option<Vec<Valuation>>, Undecided> {
        let mut inputs = Vec::new();
        let start = self.moves.start();
        let found = self.descend(start, length, &mut inputs, effort)?;
        inputs.reverse();
        Ok(found.then_some(inputs))
    }

    /// Whether all goals can be met from a belief; the inputs are added in reverse order.
    fn descend(
        &mut self,
        belief: Belief,
        left: usize,
        inputs: &mut Vec<Valuation>,
        effort: &mut Effort,
    ) -> Result<bool, Undecided> {
        effort.spend()?;
        if left == 0 {
            let is_done = |&(_, missing): &(usize, u128)| missing == 0;
            return Ok(if self.is_certain { belief.iter().all(is_done) } else { belief.iter().any(is_done) });
        }
        if self.failed.get(&belief).is_some_and(|&failed| left <= failed) {
            return Ok(false);
        }
        for (chosen, answers) in self.moves.successors(&belief, effort)? {
            // Outputs are not told apart here.
            let next = answers.into_values().next().unwrap_or_default();
            if self.descend(next, left - 1, inputs, effort)? {
                inputs.push(chosen);
                return Ok(true);
            }
        }
        self.failed.insert(belief, left);
        Ok(false)
    }
}

/// A run under given inputs that meets all goals, with values of all variables that matter; none
/// where there is none.
///
/// # Errors
/// There are too many runs.
pub fn witness(
    runs: &Runs<'_>,
    goals: &Goals<'_>,
    inputs: &[Valuation],
    effort: &mut Effort,
) -> Result<Option<Vec<Valuation>>, Undecided> {
    /// A state of a run with the number of its predecessor in the layer before.
    type State = (Option<Position>, u128, usize, Valuation);
    let mut layers: Vec<Vec<State>> = vec![vec![(None, goals.all(), 0, Vec::new())]];
    for known in inputs {
        let mut seen = FxHashSet::default();
        let mut next: Vec<State> = Vec::new();
        for (index, (before, missing, ..)) in layers[layers.len() - 1].iter().enumerate() {
            if runs.is_refused(before.as_ref(), known) {
                continue;
            }
            let missing = missing & !goals.given(&runs.semantics, before.as_ref(), known, effort)?;
            let mut visit = |now: &Valuation| {
                let position = runs.semantics.position(now);
                let missing = missing & !goals.shown(&runs.semantics, before.as_ref(), now);
                if seen.insert((position.clone(), missing)) {
                    next.push((Some(position), missing, index, now.clone()));
                }
            };
            runs.answers(Step { before: before.as_ref(), known }, &mut visit, effort)?;
        }
        layers.push(next);
    }
    let last = layers.last().and_then(|layer| layer.iter().position(|state| state.1 == 0));
    let Some(mut at) = last else { return Ok(None) };
    let mut steps = Vec::new();
    for layer in layers.iter().skip(1).rev() {
        let (_, _, before, now) = &layer[at];
        steps.push(now.clone());
        at = *before;
    }
    steps.reverse();
    Ok(Some(steps))
}
