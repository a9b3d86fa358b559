//! Which state words to leave out, so that exact costs to go can be afforded.
//!
//! Many states differ in a counter that seldom matters. Of all sets of words those are left out
//! first whose loss brings the number of states below the target and leaves as many states as
//! possible: what is kept is most of what there is to know.

use super::numbering::Numbering;
use super::states::Limits;
use super::{Explicit, if_suited};
use crate::session::{Session, Stop};
use crate::step::bits::Step;
use model::id::Id;
use model::system::StateId;

/// When projections are made, and how large they may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Number of states from which on projections are worth their cost.
    worthwhile: usize,
    /// Most states that a projection should have.
    target: usize,
}

impl Sizes {
    pub(super) const USUAL: Self = Self { worthwhile: 60_000, target: 40_000 };

    /// What the enumeration of a projection may cost: it can reach more than what is projected.
    fn limits(self) -> Limits {
        Limits { states: 3 * self.target, classes: 2_000, outcomes: false, work: 600_000_000 }
    }
}

/// Most sets of words whose loss is looked at.
const MOST_SETS: usize = 60;
/// Most projections that are used.
const MOST_PROJECTIONS: usize = 1;
/// Most states that are looked at to judge a set.
const SAMPLE: usize = 400_000;

/// A projection and where its bits are found.
pub(crate) struct Projection<'s> {
    pub(crate) explicit: Explicit<'s>,
    /// For each bit of its states the position among the bits of the system's states.
    positions: Vec<usize>,
}

impl<'s> Projection<'s> {
    /// A projection of states with the bits of this step.
    pub(crate) fn of(step: &Step, explicit: Explicit<'s>) -> Self {
        Self { positions: step.positions_of(explicit.step()), explicit }
    }

    /// The number of the state that a state of the system is projected to.
    pub(crate) fn number(&self, packed: &[u64]) -> u32 {
        let number = self.explicit.number(&self.projected(packed));
        number.expect("a projection should reach what the system reaches")
    }

    /// Those bits of a state, or of a mask of states, that are kept.
    pub(crate) fn projected(&self, packed: &[u64]) -> Vec<u64> {
        let mut row = vec![0u64; self.positions.len().div_ceil(64)];
        for (bit, &position) in self.positions.iter().enumerate() {
            row[bit / 64] |= (packed[position / 64] >> (position % 64) & 1) << (bit % 64);
        }
        row
    }
}

/// A set of words to leave out, and how many states it leaves.
struct Loss {
    words: Vec<StateId>,
    states: usize,
}

impl<'s> Explicit<'s> {
    /// Projections with the number of each state there.
    pub(super) fn projections(&self, session: &Session<'_>) -> Result<Vec<(Projection<'s>, Vec<u32>)>, Stop> {
        let mut projections = Vec::new();
        if self.states.len() < self.sizes.worthwhile {
            return Ok(projections);
        }
        for loss in self.losses(session)? {
            let kept = |word: StateId| !loss.words.contains(&word);
            let limits = self.sizes.limits();
            let found = Self::project(self.task, &kept, &self.initial, limits, session);
            if let Some(explicit) = if_suited(found)? {
                let projection = Projection::of(&self.step, explicit);
                let numbers = 0..self.states.len() as u32;
                let numbers = numbers.map(|state| projection.number(self.states.packed(state))).collect();
                projections.push((projection, numbers));
            }
            if projections.len() == MOST_PROJECTIONS {
                break;
            }
        }
        Ok(projections)
    }

    /// The least losses that reach the target, those that leave most states first.
    fn losses(&self, session: &Session<'_>) -> Result<Vec<Loss>, Stop> {
        let words: Vec<StateId> = self.task.system.states.ids().collect();
        let mut open = vec![Vec::new()];
        let (mut found, mut judged): (Vec<Loss>, Vec<Vec<StateId>>) = (Vec::new(), Vec::new());
        let mut next = 0;
        while next < open.len() && judged.len() < MOST_SETS {
            for &word in &words {
                session.check_limits()?;
                let mut lost: Vec<StateId> = open[next].clone();
                lost.push(word);
                lost.sort_unstable_by_key(|word| word.index());
                lost.dedup();
                let covered = |loss: &Loss| loss.words.iter().all(|word| lost.contains(word));
                if lost.len() == open[next].len() || judged.contains(&lost) || found.iter().any(covered) {
                    continue;
                }
                let states = self.projected(&lost);
                judged.push(lost.clone());
                match states <= self.sizes.target {
                    true => found.push(Loss { words: lost, states }),
                    false => open.push(lost),
                }
            }
            next += 1;
        }
        found.sort_by_key(|loss| std::cmp::Reverse(loss.states));
        Ok(found)
    }

    /// Number of states that differ in the other words.
    fn projected(&self, lost: &[StateId]) -> usize {
        let width = self.step.state_width().div_ceil(64);
        let mut mask = vec![u64::MAX; width];
        for position in lost.iter().flat_map(|&word| self.step.positions(word)) {
            mask[position / 64] &= !(1 << (position % 64));
        }
        let mut numbering = Numbering::new(width);
        let stride = self.states.len().div_ceil(SAMPLE);
        for state in (0..self.states.len() as u32).step_by(stride) {
            let row: Vec<u64> =
                self.states.packed(state).iter().zip(&mask).map(|(row, mask)| row & mask).collect();
            numbering.intern(&row);
            if numbering.len() > self.sizes.target {
                break;
            }
        }
        numbering.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::{Task, all_goals};
    use crate::knowledge::vertex::Vertex;
    use crate::options::Options;
    use crate::provers::distance_engine::{Chains, DistanceEngine, Search};
    use crate::provers::explicit::attempt::Attempt;
    use crate::session::Silent;
    use crate::step::initial::initial_states;
    use model::text::parse;
    use model::validate::validate;

    /// A counter `c` that matters for one goal alone, beside two that matter for all.
    const SYSTEM: &str = "system s input x w1 input y w1
        state a w4 init 0 next (ite x (ite (eq a 9) 0 (add a 1)) a)
        state b w4 init 0 next (ite (eq a 9) (ite y (add b 1) b) b)
        state c w4 init 0 next (ite y (add c 1) c)
        goal first steps 1 when (and (eq a 7) (eq c 3))
        goal second steps 1 when (eq b 2)
        goal third steps 1 when (and (eq a 2) (eq b 5))
        goal back steps 1 when (and (eq a 9) (eq b 1))
        goal slow steps 2 when (and (eq a 4) (eq a@1 4))
        end (eq a 0)";

    #[test]
    fn projections_do_not_change_the_optimum() {
        let system = validate(parse(SYSTEM).expect("text of a system")).expect("a valid system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let Ok(Some(initial)) = initial_states(&task, 10, &session) else { panic!("one initial state") };
        let limits = Limits { states: 10_000, classes: 100, outcomes: false, work: u64::MAX };
        let mut found = Vec::new();
        for sizes in [Sizes::USUAL, Sizes { worthwhile: 0, target: 170 }, Sizes { worthwhile: 0, target: 20 }]
        {
            let Ok(Some(mut explicit)) = Explicit::enumerate(&task, &initial, limits, &session) else {
                panic!("few states")
            };
            explicit.sizes = sizes;
            explicit.attempts = &Attempt::LADDER[2..];
            let used = explicit.projections(&session).map_or(0, |projections| projections.len());
            assert_eq!(used, usize::from(sizes != Sizes::USUAL), "{sizes:?}");
            let goals: Vec<Vertex> = task.vertices().collect();
            let mut graph = task.empty_graph();
            explicit.deepen(Vertex::DEPOT, &[], &mut graph, &session).unwrap_or_else(|_| panic!("no limit"));
            let answer = explicit.cheapest_chains(&goals, None, None, Search::Thorough, &mut graph, &session);
            let Ok(Chains::Bounded { better: Some(traces), chains, steps }) = answer else {
                panic!("a small system should be searched directly")
            };
            assert_eq!((traces.len(), traces[0].inputs.len() as u64), (chains, steps));
            found.push((chains, steps));
        }
        assert!(found.iter().all(|optimum| *optimum == found[0]), "{found:?}");
    }
}
