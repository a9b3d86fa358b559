//! The entries nearest to each goal, by where they are on the way to it.
//!
//! A *place* is what the words that the goal depends on say, as far as they have few values. On the
//! way to what needs several rounds of something the distance has to grow in between, so the
//! nearest entries are kept for each place, not only for each goal.

use super::nearness::words_behind;
use crate::knowledge::vertex::Vertex;
use crate::random_simulation::Random;
use crate::step::code::Program;
use model::sort::Sort;
use rustc_hash::FxHasher;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::Hasher;

/// Instructions times goals up to which it is found out which words a goal depends on.
const MOST_INSTRUCTIONS: usize = 1 << 24;

/// A word with more values than these counts something, and does not make a place.
const MOST_PLACES: usize = 8;

/// Entries of one place that differ in words that many values have: on the way to what an average
/// or a filter has to swing for, the nearest entry is often at a dead end.
const VARIANTS: usize = 8;

/// Where executions are on the way to a goal: what the words say that the goal depends on, in any
/// number of steps.
pub(crate) struct Places {
    /// By state word: its values so far, while they are few.
    values: Vec<Vec<u64>>,
    sorts: Vec<Sort>,
    /// By position of a goal among the vertices: the state words that it depends on.
    words: Vec<Vec<usize>>,
}

/// Where an execution is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// What the words with few values say: modes, latches, retries.
    place: u64,
    /// What the others are, roughly.
    variant: u64,
}

impl Places {
    /// For the goals of some vertices.
    pub(crate) fn new(program: &Program, vertices: &[Vertex]) -> Self {
        let is_small = program.instructions.len() * vertices.len() <= MOST_INSTRUCTIONS;
        let words = |&vertex: &Vertex| match is_small {
            true => words_behind(program, program.labels[vertex][0]),
            false => (0..program.states).collect(),
        };
        Self {
            values: vec![Vec::new(); program.states],
            sorts: program.state_sorts.clone(),
            words: vertices.iter().map(words).collect(),
        }
    }

    /// Takes note of the values of a state.
    pub(crate) fn note(&mut self, state: &[u64]) {
        for (&value, known) in state.iter().zip(&mut self.values) {
            if known.len() <= MOST_PLACES && !known.contains(&value) {
                known.push(value);
            }
        }
    }

    /// The place of a state on the way to the goal at a position among the vertices.
    pub(crate) fn of(&self, position: usize, state: &[u64]) -> Place {
        let (mut place, mut variant) = (FxHasher::default(), FxHasher::default());
        for &word in &self.words[position] {
            if self.values[word].len() <= MOST_PLACES {
                place.write_usize(word);
                place.write_u64(state[word]);
            } else {
                variant.write_u64(roughly(state[word], self.sorts[word]));
            }
        }
        Place { place: place.finish(), variant: variant.finish() }
    }
}

/// A word up to its leading bits: of a float, two of the fraction.
fn roughly(word: u64, sort: Sort) -> u64 {
    match sort {
        Sort::Float(format) => word >> (format.fraction_bits() - 2),
        Sort::Word(_) => {
            let dropped = (64 - word.leading_zeros()).saturating_sub(2);
            word >> dropped << dropped
        }
    }
}

/// An entry, and how near it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Near {
    pub(crate) distance: f64,
    /// Number of steps from Init.
    pub(crate) length: u64,
    pub(crate) entry: u32,
}

impl Near {
    fn is_behind(&self, distance: f64, length: u64) -> bool {
        (distance, length) < (self.distance, self.length)
    }
}

/// The nearest entries of one place, with what tells them apart, the nearest first.
type Variants = Vec<(u64, Near)>;

/// For each goal, by its position among those sought, the nearest entries, some for each place and
/// number of goals covered: on the way to what needs several rounds of something the distance has
/// to grow in between.
pub(crate) struct Fronts {
    /// By position of a goal, by number of goals covered, by place.
    fronts: Vec<Vec<BTreeMap<u64, Variants>>>,
    nearest: Vec<f64>,
}

impl Fronts {
    /// For so many goals.
    pub(crate) fn new(goals: usize) -> Self {
        Self { fronts: vec![Vec::new(); goals], nearest: vec![f64::INFINITY; goals] }
    }

    /// Whether an entry would be one of the nearest of its place, and the nearest of its variant:
    /// nearer than what is known, or as near by a shorter way.
    pub(crate) fn wants(&self, position: usize, level: usize, at: Place, distance: f64, length: u64) -> bool {
        let Some(known) = self.fronts[position].get(level).and_then(|front| front.get(&at.place)) else {
            return true;
        };
        match known.iter().find(|(variant, _)| *variant == at.variant) {
            Some((_, near)) => near.is_behind(distance, length),
            None => known.len() < VARIANTS || known.iter().any(|(_, near)| near.is_behind(distance, length)),
        }
    }

    /// Enters what [`wants`](Self::wants) asked for.
    pub(crate) fn enter(&mut self, position: usize, level: usize, at: Place, near: Near) {
        let levels = &mut self.fronts[position];
        if levels.len() <= level {
            levels.resize_with(level + 1, BTreeMap::new);
        }
        let known = levels[level].entry(at.place).or_default();
        known.retain(|(variant, _)| *variant != at.variant);
        known.push((at.variant, near));
        known.sort_by(|(_, left), (_, right)| by_distance(left, right));
        known.truncate(VARIANTS);
        self.nearest[position] = self.nearest[position].min(near.distance);
    }

    /// The smallest distance known to a goal.
    pub(crate) fn nearest(&self, position: usize) -> f64 {
        self.nearest[position]
    }

    /// An entry to go to the goal from: one of the nearest of all, or of any number of goals
    /// covered, rather of the most, and of any place, rather of a near one.
    pub(crate) fn pick(&self, position: usize, random: &mut Random) -> Option<u32> {
        let levels: Vec<Vec<&Variants>> =
            self.fronts[position].iter().rev().filter(|front| !front.is_empty()).map(by_place).collect();
        if levels.is_empty() {
            return None;
        }
        let depth = (random.next_word() | 1 << 63).trailing_zeros() as usize;
        let (level, power) = match random.below(4) {
            0 => (&levels[depth.min(levels.len() - 1)], 3),
            1 => (&levels[random.below(levels.len())], 3),
            _ => (levels.iter().min_by(|left, right| by_distance(&left[0][0].1, &right[0][0].1))?, 6),
        };
        // A power of an even draw prefers what is near.
        let mut share = |power: i32| (random.below(1 << 20) as f64 / f64::from(1 << 20)).powi(power);
        let variants = level[(level.len() as f64 * share(power)) as usize];
        Some(variants[(variants.len() as f64 * share(3)) as usize].1.entry)
    }
}

/// The places of a front, the nearest first.
fn by_place(front: &BTreeMap<u64, Variants>) -> Vec<&Variants> {
    let mut places: Vec<&Variants> = front.values().collect();
    places.sort_by(|left, right| by_distance(&left[0].1, &right[0].1));
    places
}

fn by_distance(left: &Near, right: &Near) -> Ordering {
    left.distance.total_cmp(&right.distance).then(left.length.cmp(&right.length))
}
