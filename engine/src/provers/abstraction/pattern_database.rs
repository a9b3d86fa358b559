//! How far goals are at least from any state, told by a few of its words.
//!
//! Pattern databases (J. C. Culberson, J. Schaeffer, Computational Intelligence 14 (1998)) over the
//! words of localizations and cones: a measure of what is left to do that sees timers run, and that
//! knows what has become impossible.

use super::distances::projected;
use crate::knowledge::abstractions::Words;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::explicit::{Explicit, Limits};
use crate::session::{Session, Stop};
use crate::step::initial::InitialState;
use rustc_hash::FxHashMap;

/// See the module text.
pub(crate) struct Pattern {
    /// Numbers of the words, ascending.
    words: Vec<usize>,
    /// By the bits of these words.
    numbers: FxHashMap<Box<[u64]>, u32>,
    /// Goals, and by number how many steps there are at least until an occurrence begins.
    /// `u32::MAX`: none ever does.
    goals: Vec<(Vertex, Vec<u32>)>,
}

impl Pattern {
    /// Over these words, for these goals. `None`: beyond the limits.
    pub(super) fn over(
        task: &Task<'_>,
        words: &Words,
        goals: &[Vertex],
        initial: &[InitialState],
        limits: Limits,
        session: &Session<'_>,
    ) -> Result<Option<Self>, Stop> {
        let read = |explicit: &Explicit<'_>| {
            let words: Vec<usize> = words.iter().copied().collect();
            let key = |number: u32| -> Box<[u64]> {
                let state = explicit.step().unpack(explicit.packed(number));
                words.iter().map(|&word| state[word].bits() as u64).collect()
            };
            let numbers = (0..explicit.len() as u32).map(|number| (key(number), number)).collect();
            let away = |(position, &goal): (usize, &Vertex)| {
                (goal, explicit.to_event(Vertex::of_position(position)).to_vec())
            };
            Self { numbers, goals: goals.iter().enumerate().map(away).collect(), words }
        };
        projected(task, words, goals, initial, limits, session, read)
    }

    /// For each of its goals the steps at least from a state, which is told by the bits of all its
    /// words. Nothing where the state is unknown.
    pub(crate) fn distances<'a>(
        &'a self,
        state: &[u64],
        key: &mut Vec<u64>,
    ) -> impl Iterator<Item = (Vertex, u32)> + use<'a> {
        key.clear();
        key.extend(self.words.iter().map(|&word| state[word]));
        let number = self.numbers.get(key.as_slice()).copied();
        number.into_iter().flat_map(|number| {
            self.goals.iter().map(move |(goal, distances)| (*goal, distances[number as usize]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use crate::options::Options;
    use crate::session::Silent;
    use crate::step::initial::initial_states;
    use model::text::parse;
    use model::validate::validate;

    /// A timer that stops for good where it is late, beside a sum without end.
    #[test]
    fn patterns_know_how_far_goals_are_and_what_never_comes() {
        let text = "system s input run w1 input x w32
            state timer w4 init 0 next (ite (eq timer 9) 9 (ite run (add timer 1) timer))
            state sum w32 init 0 next (add sum x)
            goal early when (eq timer 3)
            goal late when (eq timer 8)";
        let system = validate(parse(text).expect("text of a system")).expect("a valid system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let Ok(Some(initial)) = initial_states(&task, 10, &session) else { panic!("one initial state") };
        let limits = Limits { states: 100, classes: 10, outcomes: false, work: u64::MAX };
        let goals: Vec<Vertex> = task.vertices().collect();
        let pattern = Pattern::over(&task, &Words::from([0]), &goals, &initial, limits, &session);
        let Ok(Some(pattern)) = pattern else { panic!("ten states") };
        let mut key = Vec::new();
        let mut away =
            |state: [u64; 2]| -> Vec<(Vertex, u32)> { pattern.distances(&state, &mut key).collect() };
        assert_eq!(away([0, 7]), [(goals[0], 3), (goals[1], 8)]);
        assert_eq!(away([3, 1 << 20]), [(goals[0], 0), (goals[1], 5)]);
        assert_eq!(away([9, 0]), [(goals[0], u32::MAX), (goals[1], u32::MAX)]);
        assert_eq!(away([12, 0]), [], "no execution comes there");
    }
}
