//! Progress of several goals' windows along one path of states.

use super::distances::Space;
use super::transitions::Transition;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use model::id::Id;
use rustc_hash::FxHashMap;

/// Windows that have begun and are not over: (vertex, see [`compact`], number of transitions
/// matched), in the order they began.
pub(crate) type Active = Vec<(u16, u16)>;

/// A vertex in a list of windows, which are many.
pub(super) fn compact(vertex: Vertex) -> u16 {
    vertex.index() as u16
}

/// The vertex that [`compact`] has made this of.
fn expanded(vertex: u16) -> Vertex {
    Vertex::new(usize::from(vertex))
}

/// A point of a search for runs in which several goals begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Point {
    pub(crate) state: u32,
    /// Number of the list of windows that have begun and are not over; 0 is the empty list.
    pub(crate) active: u32,
    /// By bit: whether the goals that the search gives this bit have begun.
    pub(crate) begun: u64,
}

/// The windows after one more transition, which fits number k of a vertex's window where `fits`
/// says so; `None` where it does not fit one of them.
fn advance(active: &Active, task: &Task<'_>, fits: impl Fn(Vertex, u32) -> bool) -> Option<Active> {
    let mut next = Active::with_capacity(active.len());
    for &(vertex, matched) in active {
        if !fits(expanded(vertex), u32::from(matched)) {
            return None;
        }
        if u32::from(matched) + 1 < task.steps(expanded(vertex)) {
            next.push((vertex, matched + 1));
        }
    }
    Some(next)
}

/// The sets of goals begun and the windows after a transition with which these goals (their bit,
/// vertex, steps) may begin: goals of one step do so as soon as they can, others may.
fn beginnings(
    begun: u64,
    active: Active,
    goals: impl Iterator<Item = (u64, Vertex, u32)>,
) -> Vec<(u64, Active)> {
    let mut choices = vec![(begun, active)];
    for (bit, goal, steps) in goals {
        if steps == 1 {
            choices.iter_mut().for_each(|(begun, _)| *begun |= bit);
            continue;
        }
        let mut also = choices.clone();
        for (begun, active) in &mut also {
            *begun |= bit;
            active.push((compact(goal), 1));
        }
        choices.extend(also);
    }
    choices
}

/// Lists of windows and their numbers, so that points of a search are small. Number 0 is the empty
/// list.
pub(crate) struct Lists {
    lists: Vec<Active>,
    numbers: FxHashMap<Active, u32>,
}

impl Lists {
    /// The empty list alone.
    pub(crate) fn new() -> Self {
        Self { lists: vec![Active::new()], numbers: FxHashMap::from_iter([(Active::new(), 0)]) }
    }
    /// The points after a transition to this state, which fits number k of a vertex's window where
    /// `fits` says so, and with which those of these goals (their bit, vertex) may begin that have
    /// not begun.
    pub(crate) fn after(
        &mut self,
        point: Point,
        state: u32,
        task: &Task<'_>,
        fits: impl Fn(Vertex, u32) -> bool,
        goals: impl Iterator<Item = (u64, Vertex)>,
    ) -> impl Iterator<Item = Point> {
        let choices = advance(&self.lists[point.active as usize], task, &fits).map(|active| {
            let beginning = goals.filter(|&(bit, goal)| point.begun & bit == 0 && fits(goal, 0));
            beginnings(point.begun, active, beginning.map(|(bit, goal)| (bit, goal, task.steps(goal))))
        });
        let after = move |(begun, active)| Point { state, begun, active: self.number(active) };
        choices.into_iter().flatten().map(after)
    }

    /// The number of a list, a new one if need be.
    fn number(&mut self, active: Active) -> u32 {
        if let Some(&known) = self.numbers.get(&active) {
            return known;
        }
        let number = self.lists.len() as u32;
        self.lists.push(active.clone());
        self.numbers.insert(active, number);
        number
    }
}

impl Space<'_> {
    /// The windows after one more transition; `None` where it fits one of them not.
    pub(crate) fn advance(&self, active: &Active, transition: Transition) -> Option<Active> {
        let fits = |vertex, matched| self.states.has(transition, self.step.label(vertex, matched));
        advance(active, self.task, fits)
    }

    /// Whether an occurrence of the goal may begin with this transition.
    pub(crate) fn may_begin(&self, vertex: Vertex, transition: Transition) -> bool {
        self.states.has(transition, self.step.label(vertex, 0))
    }
}
