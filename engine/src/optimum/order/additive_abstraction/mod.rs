//! Bounds that add up: parts of the state bits of which no step changes two at once.
//!
//! Where every step changes bits of at most one part, a chain has at least as many steps as the
//! changes of all parts together, and each part can be looked at alone: the fewest changes that
//! serve all goals, as far as these speak about the part (additive pattern databases: R. E. Korf,
//! A. Felner, Artificial Intelligence 134 (2002); A. Felner, R. E. Korf, S. Hanan, JAIR 22 (2004)).
//!
//! A goal that says nothing about a part would let every tour through it forget the part's value:
//! distances between pairs of goals, which is all that a tour adds up, see only what neighbours
//! have to say. So each part has a tour of its own, through the goals that speak about it and no
//! others. Parts that the same goals speak about share a tour, with the sums of their changes,
//! which is never less than the sum of their tours.
//!
//! Everything is answered by queries over one step from a free state: that no step changes two
//! parts; which value follows which; between which values the first step of a goal's window lies;
//! which windows never begin with the same step. A window that must begin with a change counts that
//! change.

mod groups;
mod part;
mod split;
mod step;
mod tour;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use groups::Group;
pub use part::Part;
pub(crate) use tour::improved_order;

use crate::knowledge::task::Task;
use crate::knowledge::vertex::{ByVertex, Vertex, by_vertex};
use crate::session::{Session, Stop};
use encoder::unroll::Start;
use groups::{merged, of_part};
use part::{Explorer, Visits};
use rustc_hash::FxHashMap;
use solver::atsp;
use split::split;
use step::{FreeStep, Trouble};

/// Most state bits of a system that is split.
const MOST_BITS: usize = 512;
/// Most queries for all parts together.
const MOST_QUERIES: u64 = 60_000;
/// Longest window of a goal that is looked at.
const MOST_STEPS: u32 = 8;

/// The parts of a system; see the module text.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The parts, in the order of their lowest bits.
    pub parts: Vec<Part>,
    /// Whether the first step of every window of a goal changes nothing.
    pub is_idle: ByVertex<bool>,
    /// Pairs of goals (the lesser vertex first) whose windows never begin with the same step.
    pub apart: FxHashMap<(Vertex, Vertex), bool>,
}

impl Parts {
    /// The parts of the task's system that are small enough to be looked at. `None`: there are not
    /// two parts, or finding them would cost too much.
    pub fn find(task: &Task<'_>, session: &Session<'_>) -> Result<Option<Self>, Stop> {
        match Finder::new(task, session).and_then(|mut finder| finder.find()) {
            Ok(parts) => Ok(parts),
            Err(Trouble::TooHard) => Ok(None),
            Err(Trouble::Stop(halt)) => Err(halt),
        }
    }

    /// What the parts say about these goals, each step counted in one group only.
    pub(crate) fn groups(&self, goals: &[Vertex]) -> Vec<Group> {
        let apart = |a: Vertex, b: Vertex| self.apart.get(&(a.min(b), a.max(b))) == Some(&true);
        let mut groups: Vec<Group> = self.parts.iter().map(|part| of_part(part, goals, apart)).collect();
        let idle: Vec<Vertex> = goals.iter().copied().filter(|&goal| self.is_idle[goal]).collect();
        groups.push(Group::new(idle.clone(), |from, to| match (from, to) {
            (0, _) => 0,
            (_, 0) => 1,
            _ => u32::from(apart(idle[from - 1], idle[to - 1])),
        }));
        merged(groups)
    }
}

/// No set of so many chains that cover the goals of these groups has fewer steps in total.
pub(crate) fn least_steps(groups: &[Group], chains: usize, options: &atsp::Options) -> u64 {
    groups.iter().map(|group| group.least(chains, options)).sum()
}

/// Finds the parts of a system.
struct Finder<'c, 's> {
    task: &'s Task<'s>,
    session: &'c Session<'c>,
    step: FreeStep<'c, 's>,
}

impl<'c, 's> Finder<'c, 's> {
    fn new(task: &'s Task<'s>, session: &'c Session<'c>) -> Result<Self, Trouble> {
        let step = FreeStep::new(task, Start::Free, MOST_BITS, MOST_QUERIES, session)?;
        Ok(Self { task, session, step })
    }

    fn find(&mut self) -> Result<Option<Parts>, Trouble> {
        let bits = split(&mut self.step)?;
        if bits.len() < 2 {
            return Ok(None);
        }
        let goals: Vec<Vertex> =
            self.task.vertices().filter(|&goal| self.task.steps(goal) <= MOST_STEPS).collect();
        let mut speakers: Vec<Vec<Vertex>> = vec![Vec::new(); bits.len()];
        let mut is_idle = by_vertex(self.task.len(), |_| false);
        for &goal in &goals {
            self.session.check_limits()?;
            let touched = self.step.touched(goal)?;
            let changed = self.certain_change(goal, &bits)?;
            is_idle[goal] = changed == Change::Nothing;
            for (part, bits) in bits.iter().enumerate() {
                if changed == Change::Part(part) || bits.iter().any(|&bit| touched[bit]) {
                    speakers[part].push(goal);
                }
            }
        }
        let (task, session) = (self.task, self.session);
        let mut start = FreeStep::new(task, Start::Initial, MOST_BITS, MOST_QUERIES, session)?;
        let mut parts = Vec::new();
        for (bits, speakers) in bits.iter().zip(&speakers).filter(|(_, speakers)| !speakers.is_empty()) {
            let explorer = Explorer::new(&mut self.step, &mut start, bits);
            match explorer.and_then(|explorer| explorer.explore(speakers, task.len())) {
                Ok(part) => parts.push(part),
                Err(Trouble::TooHard) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        let apart = self.apart(&goals, &parts, &is_idle)?;
        Ok((!parts.is_empty()).then_some(Parts { parts, is_idle, apart }))
    }

    /// What the first step of every window of the goal changes.
    fn certain_change(&mut self, goal: Vertex, parts: &[Vec<usize>]) -> Result<Change, Trouble> {
        let window = self.step.window(goal)?;
        if !self.step.ask(&window)? {
            return Ok(Change::Open);
        }
        let is_changed =
            |part: &Vec<usize>| part.iter().any(|&bit| self.step.is_true(self.step.bits[bit].changed));
        let candidate = parts.iter().position(is_changed);
        let bits: Vec<usize> = match candidate {
            Some(part) => parts[part].clone(),
            None => parts.concat(),
        };
        let literals: Vec<_> = bits.iter().map(|&bit| self.step.bits[bit].changed_in_graph).collect();
        let some = self.step.any(&literals);
        let some = self.step.encode(some);
        let otherwise = if candidate.is_some() { !some } else { some };
        let is_certain = !self.step.ask(&[window[0], window[1], otherwise])?;
        Ok(match (is_certain, candidate) {
            (false, _) => Change::Open,
            (true, Some(part)) => Change::Part(part),
            (true, None) => Change::Nothing,
        })
    }

    /// Which of the goals that share a part, or change nothing, never begin with the same step.
    fn apart(
        &mut self,
        goals: &[Vertex],
        parts: &[Part],
        is_idle: &ByVertex<bool>,
    ) -> Result<FxHashMap<(Vertex, Vertex), bool>, Trouble> {
        let mut apart = FxHashMap::default();
        for (position, &b) in goals.iter().enumerate() {
            for &a in &goals[..position] {
                let common: Vec<(&Visits, &Visits)> = parts
                    .iter()
                    .filter_map(|part| part.visits[a].as_ref().zip(part.visits[b].as_ref()))
                    .collect();
                if common.is_empty() && !(is_idle[a] && is_idle[b]) {
                    continue;
                }
                let differ = common.iter().any(|(a, b)| a.iter().all(|pair| !b.contains(pair)));
                let is_apart = differ || !self.begin_together(a, b)?;
                apart.insert((a, b), is_apart);
            }
        }
        Ok(apart)
    }

    fn begin_together(&mut self, a: Vertex, b: Vertex) -> Result<bool, Trouble> {
        let windows = [self.step.window(a)?, self.step.window(b)?].concat();
        match self.step.ask(&windows) {
            Err(Trouble::TooHard) => Ok(true),
            answer => answer,
        }
    }
}

/// What the first step of every window of a goal changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// Nothing at all.
    Nothing,
    /// The part of that number.
    Part(usize),
    /// That depends, or it is not known.
    Open,
}
