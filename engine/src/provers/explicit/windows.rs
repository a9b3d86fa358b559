//! Progress of several goals' windows along one path of states.

use super::distances::Space;
use super::states::Transition;
use rustc_hash::FxHashMap;

/// Windows that have begun and are not over: (vertex, number of transitions matched), in the order they began.
pub(crate) type Active = Vec<(u16, u16)>;

/// The windows after one more transition, which fits number k of a vertex's window where `fits` says so; `None` where it does
/// not fit one of them. `steps` is the number of transitions of a vertex's window.
pub(crate) fn advance(
    active: &Active,
    fits: impl Fn(usize, u32) -> bool,
    steps: impl Fn(usize) -> u32,
) -> Option<Active> {
    let mut next = Active::with_capacity(active.len());
    for &(vertex, matched) in active {
        if !fits(usize::from(vertex), u32::from(matched)) {
            return None;
        }
        if u32::from(matched) + 1 < steps(usize::from(vertex)) {
            next.push((vertex, matched + 1));
        }
    }
    Some(next)
}

/// The sets of goals begun and the windows after a transition with which these goals (their bit, vertex, steps) may begin: goals
/// of one step do so as soon as they can, others may.
pub(crate) fn beginnings(
    begun: u64,
    active: Active,
    goals: impl Iterator<Item = (u64, usize, u32)>,
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
            active.push((goal as u16, 1));
        }
        choices.extend(also);
    }
    choices
}

/// Lists of windows and their numbers, so that points of a search are small. Number 0 is the empty list.
pub(crate) struct Lists {
    lists: Vec<Active>,
    numbers: FxHashMap<Active, u32>,
}

impl Lists {
    /// The empty list alone.
    pub(crate) fn new() -> Self {
        Self { lists: vec![Active::new()], numbers: FxHashMap::from_iter([(Active::new(), 0)]) }
    }
    /// The list of that number.
    pub(crate) fn get(&self, number: u32) -> &Active {
        &self.lists[number as usize]
    }
    /// The number of a list, a new one if need be.
    pub(crate) fn number(&mut self, active: Active) -> u32 {
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
        advance(active, fits, |vertex| self.problem.steps(vertex))
    }

    /// Whether an occurrence of the goal may begin with this transition.
    pub(crate) fn may_begin(&self, vertex: usize, transition: Transition) -> bool {
        self.states.has(transition, self.step.label(vertex, 0))
    }
}
