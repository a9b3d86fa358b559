//! Small systems as tables, and what is true of their chains, by going through all executions.

use super::random::Random;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A step: the state after it, and the labels that it has, as bits.
pub(crate) type Step = (usize, u32);

/// A system of a few state bits.
#[derive(Clone, Debug)]
pub(crate) struct System {
    /// Names and widths of the words; the first one is the lowest bits of a state.
    pub(crate) words: Vec<(String, u32)>,
    pub(crate) initial: Vec<bool>,
    pub(crate) end: Vec<bool>,
    /// Whether chains must end in certain states; otherwise all are ends.
    pub(crate) has_end: bool,
    /// By state.
    pub(crate) steps: Vec<Vec<Step>>,
    /// For each goal its labels.
    pub(crate) goals: Vec<Vec<usize>>,
}

/// Which goals are over, which windows have begun, and in which chain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Point {
    state: usize,
    over: u32,
    /// By label: the steps up to this one of its window have just gone by.
    so_far: u32,
    chain: u32,
}

impl System {
    /// With some steps from every state; `next` says where a step leads.
    pub(crate) fn random(
        words: &[(&str, u32)],
        random: &mut Random,
        next: impl Fn(usize, &mut Random) -> usize,
    ) -> Self {
        let words: Vec<(String, u32)> =
            words.iter().map(|(name, width)| ((*name).to_owned(), *width)).collect();
        let states = 1usize << words.iter().map(|(_, width)| width).sum::<u32>();
        let mut goals: Vec<Vec<usize>> = Vec::new();
        let mut labels = 0;
        for _ in 0..2 + random.below(2) {
            let steps = 1 + usize::from(random.once_in(3));
            goals.push((labels..labels + steps).collect());
            labels += steps;
        }
        let has_end = random.below(2) == 0;
        let mut steps: Vec<Vec<Step>> = Vec::new();
        for state in 0..states {
            let some = |random: &mut Random| {
                let label = |set: u32, label: usize| set | u32::from(random_label(random)) << label;
                (0..labels).fold(0, label)
            };
            let count = random.below(4);
            steps.push((0..count).map(|_| (next(state, random), some(random))).collect());
        }
        Self {
            initial: (0..states).map(|state| state == 0 || random.once_in(9)).collect(),
            end: (0..states).map(|_| !has_end || random.once_in(3)).collect(),
            has_end,
            words,
            steps,
            goals,
        }
    }

    pub(crate) fn states(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn width(&self, word: usize) -> u32 {
        self.words[word].1
    }

    /// The value of a word in a state.
    pub(crate) fn value(&self, state: usize, word: usize) -> u128 {
        let shift: u32 = self.words[..word].iter().map(|(_, width)| width).sum();
        (state as u128 >> shift) & ((1 << self.width(word)) - 1)
    }

    fn advance(&self, point: Point, (state, labels): Step) -> Point {
        let (mut over, mut so_far) = (point.over, 0);
        for (goal, windows) in self.goals.iter().enumerate() {
            for (step, &label) in windows.iter().enumerate() {
                let begun = step == 0 || point.so_far >> windows[step - 1] & 1 == 1;
                if begun && labels >> label & 1 == 1 {
                    so_far |= 1 << label;
                    if step + 1 == windows.len() {
                        over |= 1 << goal;
                    }
                }
            }
        }
        Point { state, over, so_far, ..point }
    }

    /// Least cost of at most so many chains that cover these goals, by goal as bits. `None`: there
    /// are none.
    fn least(&self, goals: u32, chains: u32, reset: u64) -> Option<u64> {
        let mut best: HashMap<Point, u64> = HashMap::new();
        let mut open = BinaryHeap::new();
        let begins = |over: u32, chain: u32| {
            let states = (0..self.states()).filter(|&state| self.initial[state]);
            states.map(move |state| Point { state, over, so_far: 0, chain }).collect::<Vec<_>>()
        };
        begins(0, 1).into_iter().for_each(|point| open.push((Reverse(0u64), point)));
        while let Some((Reverse(cost), point)) = open.pop() {
            if best.get(&point).is_some_and(|&known| known <= cost) {
                continue;
            }
            best.insert(point, cost);
            if self.end[point.state] {
                if point.over & goals == goals {
                    return Some(cost);
                }
                if point.chain < chains {
                    let again = begins(point.over, point.chain + 1);
                    again
                        .into_iter()
                        .for_each(|point| open.push((Reverse(cost.saturating_add(reset)), point)));
                }
            }
            for &step in &self.steps[point.state] {
                open.push((Reverse(cost + 1), self.advance(point, step)));
            }
        }
        None
    }

    /// The goals that some chain covers, as bits.
    pub(crate) fn coverable(&self) -> u32 {
        let is_coverable = |goal: &usize| self.least(1 << goal, 1, 0).is_some();
        (0..self.goals.len()).filter(is_coverable).fold(0, |set, goal| set | 1 << goal)
    }

    /// Whether some execution has the goal, wherever it ends.
    pub(crate) fn is_reachable(&self, goal: usize) -> bool {
        let anywhere = Self { end: vec![true; self.states()], ..self.clone() };
        anywhere.least(1 << goal, 1, 0).is_some()
    }

    /// Least cost of chains that cover these goals, where each but the first costs so much more.
    pub(crate) fn cost(&self, goals: u32, reset: u64) -> Option<u64> {
        self.least(goals, goals.count_ones().max(1), reset)
    }

    /// Fewest steps of at most so many chains.
    pub(crate) fn steps_of(&self, goals: u32, chains: u32) -> Option<u64> {
        self.least(goals, chains, 0)
    }

    /// Fewest chains.
    pub(crate) fn fewest(&self, goals: u32) -> Option<u32> {
        (1..=goals.count_ones().max(1)).find(|&chains| self.least(goals, chains, 0).is_some())
    }
}

fn random_label(random: &mut Random) -> bool {
    random.once_in(5)
}
