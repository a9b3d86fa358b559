//! How far goals are at least from any state, told by a few of its words.
//!
//! Pattern databases (J. C. Culberson, J. Schaeffer, Computational Intelligence 14 (1998)) over the words of localizations and cones: a
//! measure of what is left to do that sees timers run, and that knows what has become impossible.

use super::Words;
use crate::problem::Problem;
use crate::reach::explicit::{Explicit, ExplicitHalt, InitialState, Limits};
use crate::stats::{Context, Halt};
use model::id::Id;
use model::system::{GoalId, StateId};
use rustc_hash::FxHashMap;

/// See the module text.
pub(crate) struct Pattern {
    /// Numbers of the words, ascending.
    words: Vec<usize>,
    /// By the bits of these words.
    numbers: FxHashMap<Box<[u64]>, u32>,
    /// Goals, and by number how many steps there are at least until an occurrence begins. `u32::MAX`: none ever does.
    goals: Vec<(usize, Vec<u32>)>,
}

impl Pattern {
    /// Over these words, for these goals. `None`: beyond the limits.
    pub(super) fn over(
        problem: &Problem<'_>,
        words: &Words,
        goals: &[usize],
        initial: &[InitialState],
        limits: Limits,
        context: &Context<'_>,
    ) -> Result<Option<Self>, Halt> {
        let ids: Vec<GoalId> = goals.iter().map(|&goal| problem.goal(goal)).collect();
        let part = Problem::new(problem.system, &ids, Vec::new());
        let kept = |word: StateId| words.contains(&word.index());
        let explicit = match Explicit::project(&part, &kept, initial, limits, context) {
            Ok(Some(explicit)) => explicit,
            Ok(None) | Err(ExplicitHalt::Unsuited(_)) => return Ok(None),
            Err(ExplicitHalt::Halt(halt)) => return Err(halt),
        };
        let words: Vec<usize> = words.iter().copied().collect();
        let key = |number: u32| -> Box<[u64]> {
            let state = explicit.step().unpack(explicit.packed(number));
            words.iter().map(|&word| state[word].bits() as u64).collect()
        };
        let numbers = (0..explicit.len() as u32).map(|number| (key(number), number)).collect();
        let away = |(index, &goal): (usize, &usize)| (goal, explicit.to_event(index + 1).to_vec());
        Ok(Some(Self { numbers, goals: goals.iter().enumerate().map(away).collect(), words }))
    }

    /// For each of its goals the steps at least from a state, which is told by the bits of all its words. Nothing where the state is unknown.
    pub(crate) fn distances<'a>(
        &'a self,
        state: &[u64],
        key: &mut Vec<u64>,
    ) -> impl Iterator<Item = (usize, u32)> + use<'a> {
        key.clear();
        key.extend(self.words.iter().map(|&word| state[word]));
        let number = self.numbers.get(key.as_slice()).copied();
        number.into_iter().flat_map(|number| {
            self.goals.iter().map(move |(goal, distances)| (*goal, distances[number as usize]))
        })
    }
}
