//! Goals that chains pass anyhow.
//!
//! Where every chain with an occurrence of one goal has one of another goal, too, the other one is
//! a landmark of the first (J. Hoffmann, J. Porteous, L. Sebastia, Ordered landmarks in planning,
//! JAIR 22 (2004)): a cheapest set of chains for all goals is one for all goals but the landmarks.
//! Each goal less halves the space of a search over sets of goals.

use super::distances::Space;
use super::transitions::Transition;
use crate::knowledge::vertex::Vertex;
use crate::search::breadth_first::{FAR, distances};
use crate::session::{Session, Stop};

/// Most looks at transitions that the search for landmarks may cost.
const MOST_LOOKS: usize = 20_000_000;

/// Some of these goals, so that chains with occurrences of them have occurrences of all. All of them
/// where the space is too large to tell.
///
/// # Errors
/// A limit that is reached.
pub(super) fn without_landmarks(
    goals: &[Vertex],
    space: &Space<'_>,
    session: &Session<'_>,
) -> Result<Vec<Vertex>, Stop> {
    if goals.len() * space.states.transition_count() > MOST_LOOKS {
        return Ok(goals.to_vec());
    }
    let begin = space.beginnings(goals);
    let mut kept = vec![true; goals.len()];
    for (position, &goal) in goals.iter().enumerate().filter(|(_, goal)| space.task.steps(**goal) == 1) {
        session.check_limits()?;
        let passed = Around::new(goal, space).passed(&begin);
        let needs_it = |other: usize| other != position && kept[other] && passed >> other & 1 == 0;
        kept[position] = !(0..goals.len()).any(needs_it);
    }
    Ok(goals.iter().zip(kept).filter(|(_, is_kept)| *is_kept).map(|(goal, _)| *goal).collect())
}

/// The transitions of chains without an occurrence of a goal of one step.
struct Around<'a> {
    space: &'a Space<'a>,
    label: usize,
    /// By state: whether such a chain enters it.
    is_entered: Vec<bool>,
    /// By state: whether such a chain that enters it may go on to its end.
    is_left: Vec<bool>,
}

impl<'a> Around<'a> {
    fn new(goal: Vertex, space: &'a Space<'a>) -> Self {
        let (states, label) = (space.states, space.step.label(goal, 0));
        let other = |&&transition: &&Transition| !states.has(transition, label);
        let after = |state: u32| states.from(state).iter().filter(other).map(|transition| transition.to);
        let is_reached = |distances: Vec<u32>| distances.into_iter().map(|steps| steps != FAR).collect();
        let is_entered: Vec<bool> = is_reached(distances(states.len(), 0..states.initial() as u32, after));
        let entered = || (0..states.len() as u32).filter(|&state| is_entered[state as usize]);
        let mut first = vec![0u32; states.len() + 1];
        entered().flat_map(after).for_each(|to| first[to as usize + 1] += 1);
        (1..first.len()).for_each(|state| first[state] += first[state - 1]);
        let (mut next, mut sources) = (first.clone(), vec![0; first[states.len()] as usize]);
        for state in entered() {
            for to in after(state) {
                sources[next[to as usize] as usize] = state;
                next[to as usize] += 1;
            }
        }
        let before = |state: u32| {
            sources[first[state as usize] as usize..first[state as usize + 1] as usize].iter().copied()
        };
        let ends = entered().filter(|&state| states.ends(state));
        let is_left = is_reached(distances(states.len(), ends, before));
        Self { space, label, is_entered, is_left }
    }

    /// The goals of which such a chain has a transition with which an occurrence may begin; `begin`
    /// are the goals that do so, by set of labels.
    fn passed(&self, begin: &[u64]) -> u64 {
        let Self { space: Space { states, .. }, label, is_entered, is_left } = self;
        let entered = (0..states.len() as u32).filter(|&state| is_entered[state as usize]);
        let other =
            |transition: &&Transition| is_left[transition.to as usize] && !states.has(**transition, *label);
        let passed = entered.flat_map(|state| states.from(state).iter().filter(other));
        passed.fold(0, |goals, transition| goals | begin[transition.labels as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::{Task, all_goals};
    use crate::options::Options;
    use crate::provers::distance_engine::{Chains, DistanceEngine, Search};
    use crate::provers::explicit::{Explicit, Limits};
    use crate::random_simulation::Random;
    use crate::session::Silent;
    use crate::step::initial::initial_states;
    use model::text::parse;
    use model::validate::validate;
    use std::collections::{HashSet, VecDeque};
    use std::fmt::Write;

    /// A machine of eight states, of which each has two successors.
    struct Machine {
        next: [[u8; 2]; 8],
        /// The state of each goal of one step, and the input that it needs.
        short: Vec<(u8, Option<u8>)>,
        /// The states of a goal of two steps.
        long: [u8; 2],
        end: u8,
    }

    impl Machine {
        fn random(random: &mut Random) -> Self {
            let mut state = || random.below(8) as u8;
            let next = std::array::from_fn(|from| {
                // Mostly a ring, so that much lies on the way to much else.
                [(from as u8 + 1) % 8, if state() < 3 { state() } else { (from as u8 + 1) % 8 }]
            });
            let (long, end) = ([state(), state()], state());
            let short = (0..4).map(|_| (state(), [None, Some(0), Some(1)][usize::from(state()) % 3]));
            Self { next, short: short.collect(), long, end }
        }

        fn text(&self) -> String {
            let next = |[zero, one]: [u8; 2]| format!("(ite i {one} {zero})");
            let table =
                self.next.iter().enumerate().fold("0".to_owned(), |rest, (from, to)| {
                    format!("(ite (eq x {from}) {} {rest})", next(*to))
                });
            let mut text = format!("system machine input i w1 state x w3 init 0 next {table} ");
            for (number, (state, input)) in self.short.iter().enumerate() {
                let when = match input {
                    None => format!("(eq x {state})"),
                    Some(0) => format!("(and (eq x {state}) (not i))"),
                    Some(_) => format!("(and (eq x {state}) i)"),
                };
                let _ = write!(text, "goal g{number} steps 1 when {when} ");
            }
            let [first, second] = self.long;
            let _ = write!(text, "goal long steps 2 when (and (eq x {first}) (eq x@1 {second})) ");
            let _ = write!(text, "end (eq x {})", self.end);
            text
        }

        /// The length of the shortest chain for all goals, by breadth-first search.
        fn shortest(&self) -> Option<u64> {
            let mut queue = VecDeque::from([((0u8, 8u8, 0u8), 0u64)]);
            let mut known = HashSet::from([(0u8, 8u8, 0u8)]);
            while let Some(((state, before, covered), steps)) = queue.pop_front() {
                if covered == 31 && state == self.end {
                    return Some(steps);
                }
                for input in 0..2u8 {
                    let mut now = covered;
                    for (number, &(at, with)) in self.short.iter().enumerate() {
                        now |= u8::from(at == state && with.is_none_or(|with| with == input)) << number;
                    }
                    now |= u8::from([before, state] == self.long) << 4;
                    let next = (self.next[usize::from(state)][usize::from(input)], state, now);
                    if known.insert(next) {
                        queue.push_back((next, steps + 1));
                    }
                }
            }
            None
        }
    }

    #[test]
    fn chains_without_landmarks_among_their_goals_are_the_shortest_for_all() {
        let mut random = Random::new(11);
        let (mut compared, mut left_out) = (0, 0);
        for _ in 0..1_000 {
            let machine = Machine::random(&mut random);
            let Some(shortest) = machine.shortest() else { continue };
            let system = validate(parse(&machine.text()).expect("a text")).expect("a system");
            let task = Task::new(&system, &all_goals(&system), Vec::new());
            let options = Options::default();
            let session = Session::new(&options, &Silent);
            let Ok(Some(initial)) = initial_states(&task, 10, &session) else { panic!("one state") };
            let limits = Limits { states: 100, classes: 10, outcomes: false, work: u64::MAX };
            let Ok(Some(mut explicit)) = Explicit::enumerate(&task, &initial, limits, &session) else {
                panic!("eight states")
            };
            let goals: Vec<Vertex> = task.vertices().collect();
            let kept = without_landmarks(&goals, &explicit.space(), &session);
            left_out += goals.len() - kept.unwrap_or_else(|_| panic!("no limit")).len();
            let mut graph = task.empty_graph();
            explicit.deepen(Vertex::DEPOT, &[], &mut graph, &session).unwrap_or_else(|_| panic!("no limit"));
            let found = explicit.cheapest_chains(&goals, None, None, Search::Thorough, &mut graph, &session);
            let Ok(Chains::Bounded { chains, steps, .. }) = found else { panic!("the cheapest chains") };
            assert_eq!((chains, steps), (1, shortest), "{}", machine.text());
            compared += 1;
        }
        assert!(compared > 100 && left_out > compared, "{compared} machines, {left_out} goals left out");
    }
}
