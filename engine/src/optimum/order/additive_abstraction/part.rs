//! One part of the state bits: the values it takes, which value follows which, and what goals say
//! about it.

use super::step::{FreeStep, Trouble, equal};
use crate::knowledge::vertex::{ByVertex, Vertex, by_vertex};
use crate::search::breadth_first::distances;
use rustc_hash::FxHashMap;
use solver::sat::Lit;

/// Widest part whose values are sought.
const MOST_BITS: usize = 40;
/// Most values of a part.
const MOST_VALUES: usize = 1_024;
/// Most values that may follow one value.
const MOST_FOLLOWERS: usize = 64;
/// Most pairs of values that a goal may admit before and after its first step.
const MOST_PAIRS: usize = 512;

/// The values of a part before and after the first step of a window.
pub(crate) type Visits = Vec<(u32, u32)>;

/// A part. Values are numbered; they include all that executions reach.
#[derive(Clone, Debug)]
pub struct Part {
    /// Positions of its bits among all state bits.
    pub bits: Vec<usize>,
    /// The values, the first bit of the part as bit 0.
    pub values: Vec<u64>,
    /// By value: the values that one step may change it to.
    pub followers: Vec<Vec<u32>>,
    /// Values at the beginning.
    pub initial: Vec<u32>,
    /// By value: whether a chain may end there.
    pub ends: Vec<bool>,
    /// The pairs that each goal admits; `None` where it says nothing about the part, or nothing
    /// that is known.
    pub visits: ByVertex<Option<Visits>>,
}

impl Part {
    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.followers.len()
    }

    /// By value: the fewest changes to one of these values.
    pub(super) fn changes_to(&self, targets: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.len()];
        for (value, followers) in self.followers.iter().enumerate() {
            followers.iter().for_each(|&next| before[next as usize].push(value as u32));
        }
        distances(self.len(), targets, |value| before[value as usize].iter().copied())
    }
}

/// Finds the values of a part of the state bits, from the step and from the initial states.
pub(super) struct Explorer<'e, 'c, 's> {
    pub(super) step: &'e mut FreeStep<'c, 's>,
    pub(super) start: &'e mut FreeStep<'c, 's>,
    bits: Vec<usize>,
    before: Vec<Lit>,
    after: Vec<Lit>,
    changed: Lit,
    numbers: FxHashMap<u64, u32>,
    values: Vec<u64>,
}

impl<'e, 'c, 's> Explorer<'e, 'c, 's> {
    /// For a part by positions of bits; `TooHard` where it is too wide.
    pub(super) fn new(
        step: &'e mut FreeStep<'c, 's>,
        start: &'e mut FreeStep<'c, 's>,
        bits: &[usize],
    ) -> Result<Self, Trouble> {
        if bits.len() > MOST_BITS {
            return Err(Trouble::TooHard);
        }
        let literals: Vec<_> = bits.iter().map(|&bit| step.bits[bit].changed_in_graph).collect();
        let changed = step.any(&literals);
        Ok(Self {
            before: bits.iter().map(|&bit| step.bits[bit].before).collect(),
            after: bits.iter().map(|&bit| step.bits[bit].after).collect(),
            changed: step.encode(changed),
            bits: bits.to_vec(),
            numbers: FxHashMap::default(),
            values: Vec::new(),
            step,
            start,
        })
    }

    /// The part, with what these goals say about it, of so many goals of the task.
    pub(super) fn explore(mut self, goals: &[Vertex], count: usize) -> Result<Part, Trouble> {
        let initial_bits: Vec<Lit> = self.bits.iter().map(|&bit| self.start.bits[bit].before).collect();
        let running = self.start.running;
        let initial = self.start.values(&[running], &initial_bits, MOST_VALUES)?;
        let initial = initial.into_iter().map(|value| self.number(value as u64)).collect::<Result<_, _>>()?;
        let mut followers = Vec::new();
        while followers.len() < self.values.len() {
            let value = self.values[followers.len()];
            followers.push(self.followers(value)?);
        }
        let ends = self.ends()?;
        let (bits, values) = (self.bits.clone(), self.values.clone());
        let visits = by_vertex(count, |_| None);
        let mut part = Part { bits, values, followers, initial, ends, visits };
        for &goal in goals {
            match self.visits(goal) {
                Ok(visits) => part.visits[goal] = Some(visits).filter(|visits| !says_nothing(visits, &part)),
                Err(Trouble::TooHard) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        Ok(part)
    }

    fn number(&mut self, value: u64) -> Result<u32, Trouble> {
        if let Some(&number) = self.numbers.get(&value) {
            return Ok(number);
        }
        if self.values.len() == MOST_VALUES {
            return Err(Trouble::TooHard);
        }
        let number = self.values.len() as u32;
        self.numbers.insert(value, number);
        self.values.push(value);
        Ok(number)
    }

    fn followers(&mut self, value: u64) -> Result<Vec<u32>, Trouble> {
        let assumptions: Vec<Lit> =
            equal(&self.before, value).chain([self.changed, self.step.running]).collect();
        let found = self.step.values(&assumptions, &self.after, MOST_FOLLOWERS)?;
        found.into_iter().map(|value| self.number(value as u64)).collect()
    }

    fn ends(&mut self) -> Result<Vec<bool>, Trouble> {
        let touched = self.step.touched(Vertex::DEPOT)?;
        let end = self.step.end()?;
        match end.filter(|_| self.bits.iter().any(|&bit| touched[bit])) {
            None => Ok(vec![true; self.values.len()]),
            Some(end) => {
                let values = self.values.clone();
                let ends = |value: u64| {
                    let assumptions: Vec<Lit> = equal(&self.before, value).chain([end]).collect();
                    self.step.ask(&assumptions)
                };
                values.into_iter().map(ends).collect()
            }
        }
    }

    fn visits(&mut self, goal: Vertex) -> Result<Visits, Trouble> {
        let window = self.step.window(goal)?;
        let literals = [&self.before[..], &self.after[..]].concat();
        let found = self.step.values(&window, &literals, MOST_PAIRS)?;
        let width = self.before.len();
        let pair = |value: u128| {
            let before = self.numbers.get(&((value & ((1 << width) - 1)) as u64))?;
            let after = self.numbers.get(&((value >> width) as u64))?;
            Some((*before, *after))
        };
        Ok(found.into_iter().filter_map(pair).collect())
    }
}

/// Whether the pairs admit every value, unchanged.
fn says_nothing(visits: &Visits, part: &Part) -> bool {
    let unchanged = visits.iter().filter(|(before, after)| before == after);
    unchanged.count() == part.len()
}
