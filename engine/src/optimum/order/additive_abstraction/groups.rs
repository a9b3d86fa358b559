//! Goals that the same parts have something to say about, with the changes that lie between any two
//! of them.

use super::part::Part;
use crate::knowledge::vertex::Vertex;
use crate::optimum::order::plan::{Planned, plan};
use crate::search::breadth_first::FAR;
use model::id::Id;
use solver::atsp::{self, WarmStart};

/// Goals and the fewest changes between them; place 0 is Init as a source and Final as a target,
/// place k the goal number k - 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// Ascending.
    pub(crate) goals: Vec<Vertex>,
    /// By source, then by target.
    changes: Vec<u32>,
}

impl Group {
    /// For these goals, with changes by places.
    pub(super) fn new(goals: Vec<Vertex>, changes: impl Fn(usize, usize) -> u32) -> Self {
        let size = goals.len() + 1;
        let pairs = (0..size).flat_map(|from| (0..size).map(move |to| (from, to)));
        let changes = pairs.map(|(from, to)| if from == to { 0 } else { changes(from, to) }).collect();
        Self { goals, changes }
    }

    /// The fewest changes from the first step of one goal to the first step of another, by places;
    /// `None`: never.
    pub(crate) fn changes(&self, from: usize, to: usize) -> Option<u32> {
        let changes = self.changes[from * (self.goals.len() + 1) + to];
        (changes != FAR).then_some(changes)
    }

    /// Adds the changes of other parts to those of this group's; the goals are the same.
    pub(super) fn add(&mut self, other: &Self) {
        debug_assert_eq!(self.goals, other.goals, "groups that are added should have the same goals");
        for (changes, other) in self.changes.iter_mut().zip(&other.changes) {
            *changes = changes.saturating_add(*other);
        }
    }

    /// No set of so many chains that cover the goals makes fewer changes in total.
    pub(super) fn least(&self, chains: usize, options: &atsp::Options) -> u64 {
        let restart = |from: usize, to: usize| Some(self.changes(from, 0)? + self.changes(0, to)?);
        let distance = |from: usize, to: usize| match chains > 1 && from != 0 && to != 0 {
            true => self.changes(from, to).into_iter().chain(restart(from, to)).min(),
            false => self.changes(from, to),
        };
        // The places are the vertices of a task of these goals alone.
        let places: Vec<Vertex> = Vertex::goals(self.goals.len()).collect();
        let distance = |from: Vertex, to: Vertex| distance(from.index(), to.index());
        match plan(distance, |_, _| false, &places, &[], 1, &WarmStart::default(), options) {
            Planned::Plan(plan) => plan.lower_bound,
            Planned::Unknown { lower_bound } => lower_bound,
            Planned::Impossible => 0,
        }
    }
}

/// The changes of one part between the goals that it says something about. `apart` says of two
/// goals that their windows never begin with the same step.
pub(super) fn of_part(part: &Part, goals: &[Vertex], apart: impl Fn(Vertex, Vertex) -> bool) -> Group {
    let speaking: Vec<Vertex> = goals.iter().copied().filter(|&goal| part.visits[goal].is_some()).collect();
    let visits = |place: usize| part.visits[speaking[place - 1]].as_deref().unwrap_or(&[]);
    let ends = (0..part.len() as u32).filter(|&value| part.ends[value as usize]);
    let mut toward = vec![part.changes_to(ends)];
    let befores = |place: usize| visits(place).iter().map(|&(before, _)| before);
    toward.extend((1..=speaking.len()).map(|place| part.changes_to(befores(place))));
    Group::new(speaking.clone(), |from, to| {
        let away = |value: u32| toward[to][value as usize];
        let least = match from {
            0 => part.initial.iter().map(|&value| away(value)).min(),
            _ if to == 0 || apart(speaking[from - 1], speaking[to - 1]) => {
                let after =
                    |&(before, after): &(u32, u32)| away(after).saturating_add(u32::from(before != after));
                visits(from).iter().map(after).min()
            }
            _ => befores(from).map(away).min(),
        };
        least.unwrap_or(FAR)
    })
}

/// Groups with the same goals become one: a step counts in one part only, so that changes in
/// several parts add up.
pub(super) fn merged(groups: Vec<Group>) -> Vec<Group> {
    let mut merged: Vec<Group> = Vec::new();
    for group in groups.into_iter().filter(|group| !group.goals.is_empty()) {
        match merged.iter_mut().find(|known| known.goals == group.goals) {
            Some(known) => known.add(&group),
            None => merged.push(group),
        }
    }
    merged
}
