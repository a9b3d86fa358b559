//! How far a state is from a goal: what guides walks to goals that chance does not reach.
//!
//! The measure is that of search-based testing (N. Tracey, J. Clark, K. Mander, J. McDermid, An automated framework for structural test-data generation,
//! ASE 1998): a comparison that does not hold is as far from holding as its operands are apart, a conjunction as far as its parts
//! together, a disjunction as far as its nearest part. Here it is taken over the code of one step: every slot has *choices*, the values it
//! could have if guards on the way to it were turned, each with what turning them costs. Inputs may have any value at no
//! cost. So a state in which only a timer is missing is the nearer, the further the timer is. Goals over the state alone are looked at
//! from one step before, too: their guards are those of what the step writes. It is a guide and no bound.

use crate::random_simulation::Random;
use crate::step::code::{Code, Instruction, Program, Slot};
use crate::step::domain::float;
use crate::step::floats::FloatCode;
use crate::step::lanes::scalar;
use model::sort::{FloatFormat, Sort};
use rustc_hash::FxHasher;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::Hasher;

/// Most values of a slot that are considered.
const MOST_VALUES: usize = 6;

/// The values that a slot could have, cheapest first.
#[derive(Clone, Copy, Debug)]
struct Choices {
    /// Cost of a value that depends on inputs: any value.
    any: f64,
    values: [(u128, f64); MOST_VALUES],
    count: usize,
}

impl Choices {
    const NONE: Self = Self { any: f64::INFINITY, values: [(0, 0.0); MOST_VALUES], count: 0 };
    const FREE: Self = Self { any: 0.0, ..Self::NONE };

    fn known(value: u128) -> Self {
        let mut choices = Self::NONE;
        choices.add(value, 0.0);
        choices
    }

    fn values(&self) -> &[(u128, f64)] {
        &self.values[..self.count]
    }

    /// What it costs that the slot has this value.
    fn cost(&self, value: u128) -> f64 {
        let known = self.values().iter().find(|(known, _)| *known == value);
        known.map_or(self.any, |(_, cost)| cost.min(self.any))
    }

    fn add(&mut self, value: u128, cost: f64) {
        if !cost.is_finite() || cost >= self.any {
            return;
        }
        if let Some(known) = self.values[..self.count].iter_mut().find(|(known, _)| *known == value) {
            known.1 = known.1.min(cost);
        } else if self.count < MOST_VALUES {
            self.values[self.count] = (value, cost);
            self.count += 1;
        } else if cost < self.values[self.count - 1].1 {
            self.values[self.count - 1] = (value, cost);
        } else {
            return;
        }
        self.values[..self.count].sort_by(|left, right| left.1.total_cmp(&right.1));
    }
}

/// Distances to the goals of some vertices; see the module text.
pub(crate) struct Nearness<'p> {
    program: &'p Program,
    /// The goals that are looked at, by number.
    open: Vec<usize>,
    /// Slots of results that these goals' labels depend on, ascending.
    cone: Vec<Slot>,
    /// The state words that these depend on.
    words: Vec<usize>,
    /// Slots of results that the next values of these words depend on, ascending.
    before: Vec<Slot>,
    labels: Vec<Slot>,
    choices: Vec<Choices>,
}

impl<'p> Nearness<'p> {
    /// To the first transitions of the goals of these vertices.
    pub(crate) fn new(program: &'p Program, vertices: &[usize]) -> Self {
        let labels: Vec<Slot> = vertices.iter().map(|&vertex| program.labels[vertex][0]).collect();
        let mut choices = vec![Choices::NONE; program.slots()];
        choices[program.states..program.states + program.inputs].fill(Choices::FREE);
        for (number, &constant) in program.constants.iter().enumerate() {
            choices[program.states + program.inputs + number] = Choices::known(constant);
        }
        let (open, cone, words, before) = Default::default();
        let mut nearness = Self { program, open, cone, words, before, labels, choices };
        nearness.look_at(|_| true);
        nearness
    }

    /// Looks at some of the goals alone from now on.
    pub(crate) fn look_at(&mut self, is_open: impl Fn(usize) -> bool) {
        self.open = (0..self.labels.len()).filter(|&goal| is_open(goal)).collect();
        let labels: Vec<Slot> = self.open.iter().map(|&goal| self.labels[goal]).collect();
        (self.cone, self.words) = cone(self.program, &labels);
        let next: Vec<Slot> = self.words.iter().map(|&word| self.program.next[word]).collect();
        (self.before, _) = cone(self.program, &next);
    }

    /// What one look costs, in evaluated instructions.
    pub(crate) fn cost(&self) -> u64 {
        16 * (2 * self.cone.len() + self.before.len()) as u64
    }

    /// The distance of a state to each of the goals; 0: some inputs complete the first transition, as far as this measure sees. Infinite for goals
    /// that are not looked at.
    pub(crate) fn look(&mut self, state: &[u64]) -> Vec<f64> {
        for (choices, &word) in self.choices.iter_mut().zip(state) {
            *choices = Choices::known(word.into());
        }
        let here = self.distances();
        self.evaluate_before();
        let next: Vec<Choices> =
            self.words.iter().map(|&word| self.choices[self.program.next[word] as usize]).collect();
        for (&word, next) in self.words.iter().zip(next) {
            self.choices[word] = next;
        }
        let later = self.distances();
        here.into_iter().zip(later).map(|(here, later)| sooner_or_later(here, later)).collect()
    }

    /// The distances to the goals from the choices of the state words.
    fn distances(&mut self) -> Vec<f64> {
        for number in 0..self.cone.len() {
            self.evaluate(self.cone[number]);
        }
        let mut distances = vec![f64::INFINITY; self.labels.len()];
        for &goal in &self.open {
            distances[goal] = self.choices[self.labels[goal] as usize].cost(1);
        }
        distances
    }

    fn evaluate_before(&mut self) {
        for number in 0..self.before.len() {
            self.evaluate(self.before[number]);
        }
    }

    fn evaluate(&mut self, slot: Slot) {
        let instruction = &self.program.instructions[slot as usize - self.program.first_result()];
        self.choices[slot as usize] = self.result(instruction);
    }

    fn result(&self, instruction: &Instruction) -> Choices {
        let [a, b, c] =
            [instruction.a, instruction.b, instruction.c].map(|slot| &self.choices[slot as usize]);
        match instruction.code {
            Code::Ite => choice(a, b, c),
            Code::Eq | Code::ULt | Code::ULe | Code::SLt | Code::SLe => comparison(instruction, a, b),
            Code::Float { code: FloatCode::Equal | FloatCode::Less | FloatCode::LessEqual, .. } => {
                comparison(instruction, a, b)
            }
            Code::And | Code::Or if instruction.width == 1 => connective(instruction.code == Code::And, a, b),
            _ => self.computed(instruction),
        }
    }

    /// All combinations of what the operands may be.
    fn computed(&self, instruction: &Instruction) -> Choices {
        let slots = [instruction.a, instruction.b, instruction.c];
        let [a, b, c] = slots.map(|slot| &self.choices[slot as usize]);
        let mut found = Choices::NONE;
        let others = |slot: Slot, earlier: &[Slot]| !earlier.contains(&slot);
        let (second, third) = (others(slots[1], &slots[..1]), others(slots[2], &slots[..2]));
        found.any = a.any;
        if second {
            found.any = found.any.min(b.any);
        }
        if third {
            found.any = found.any.min(c.any);
        }
        let alone = [(0, 0.0)];
        for &(left, left_cost) in a.values() {
            for &(right, right_cost) in if second { b.values() } else { &alone } {
                for &(last, last_cost) in if third { c.values() } else { &alone } {
                    let right = if second { right } else { left };
                    let last = match slots[2] {
                        slot if slot == slots[0] => left,
                        slot if slot == slots[1] => right,
                        _ => last,
                    };
                    let value = scalar(self.program, instruction, [left, right, last]);
                    found.add(value, left_cost + right_cost + last_cost);
                }
            }
        }
        found
    }
}

/// The slots of results that these slots depend on, themselves included, ascending, and the state words that they depend on.
fn cone(program: &Program, slots: &[Slot]) -> (Vec<Slot>, Vec<usize>) {
    let first = program.first_result();
    let mut needed = vec![false; program.slots()];
    slots.iter().for_each(|&slot| needed[slot as usize] = true);
    for (number, instruction) in program.instructions.iter().enumerate().rev() {
        if needed[first + number] {
            [instruction.a, instruction.b, instruction.c]
                .iter()
                .for_each(|&slot| needed[slot as usize] = true);
        }
    }
    let results = (first..program.slots()).filter(|&slot| needed[slot]).map(|slot| slot as Slot).collect();
    let words = (0..program.states).filter(|&word| needed[word]).collect();
    (results, words)
}

/// Either branch, with what its condition costs. A guard that has to be turned costs more than any comparison of numbers: what its branch
/// computes from the present state is not what it would be if the guard held, as where a counter at zero is counted down.
fn choice(condition: &Choices, then: &Choices, otherwise: &Choices) -> Choices {
    let mut found = Choices::NONE;
    let turned = |truth: u128| {
        let cost = condition.cost(truth);
        if cost > 0.0 { cost + 1.0 } else { cost }
    };
    let branches = [(turned(1), then), (turned(0), otherwise)];
    found.any = branches.iter().map(|(cost, branch)| cost + branch.any).fold(f64::INFINITY, f64::min);
    for (cost, branch) in branches {
        branch.values().iter().for_each(|&(value, own)| found.add(value, cost + own));
    }
    found
}

/// A conjunction, or a disjunction: of the one value both operands are needed, of the other one operand.
fn connective(is_and: bool, a: &Choices, b: &Choices) -> Choices {
    let all = u128::from(is_and);
    let mut found = Choices::NONE;
    found.add(all, a.cost(all) + b.cost(all));
    found.add(1 - all, a.cost(1 - all).min(b.cost(1 - all)));
    found
}

fn comparison(instruction: &Instruction, a: &Choices, b: &Choices) -> Choices {
    let mut found = Choices::NONE;
    for truth in [false, true] {
        // Whatever the other operand is, an operand of any value may fit; hardly ever it does not.
        let cheapest = |choices: &Choices| {
            choices.values().first().map_or(choices.any, |(_, cost)| cost.min(choices.any))
        };
        let mut fitting = (a.any + cheapest(b)).min(b.any + cheapest(a));
        let mut nearest = f64::INFINITY;
        for &(left, left_cost) in a.values() {
            for &(right, right_cost) in b.values() {
                let cost = left_cost + right_cost;
                let apart = match instruction.code {
                    Code::Float { code, format } => floats_apart(code, format, [left, right], truth),
                    _ => apart(instruction, left, right, truth),
                };
                if apart == 0.0 {
                    fitting = fitting.min(cost);
                } else if instruction.width > 1 {
                    nearest = nearest.min(cost + apart);
                }
            }
        }
        found.add(truth.into(), joint(instruction.code == Code::Eq && !truth, fitting, nearest));
    }
    found
}

/// The distance to a goal from the costs of it now and after a step: what decides is the nearer one, where that says nothing the other.
fn sooner_or_later(here: f64, later: f64) -> f64 {
    if here == 0.0 { here } else { here.min(later) + SLIGHTLY * (1.0 + later.min(MOST_HINT)) }
}

/// The cost of a comparison whose cheapest fitting operands cost so much, and the nearest operands that do not fit so much. Numbers that are modes
/// may be near each other and say nothing: then what makes the right one tells more, where numbers have to differ in any case.
fn joint(is_unequal: bool, fitting: f64, nearest: f64) -> f64 {
    if fitting <= nearest || is_unequal && fitting.is_finite() {
        fitting
    } else {
        nearest + SLIGHTLY * fitting.min(MOST_HINT)
    }
}

/// How far a comparison of two values is from having this truth: from 0 to 1.
fn apart(instruction: &Instruction, left: u128, right: u128, truth: bool) -> f64 {
    let width = u32::from(instruction.width);
    let signed = |value: u128| {
        let unused = 128 - width;
        ((value << unused) as i128) >> unused
    };
    let difference = match instruction.code {
        Code::SLt | Code::SLe => signed(left) as f64 - signed(right) as f64,
        Code::Eq => {
            let (far, near) = (left as f64 - right as f64, signed(left) as f64 - signed(right) as f64);
            if far.abs() < near.abs() { far } else { near }
        }
        _ => left as f64 - right as f64,
    };
    let missing = match (instruction.code, truth) {
        (Code::Eq, true) => difference.abs(),
        (Code::Eq, false) => f64::from(left == right),
        (Code::ULt | Code::SLt, true) => difference + 1.0,
        (Code::ULt | Code::SLt, false) => -difference,
        (_, true) => difference,
        (_, false) => 1.0 - difference,
    };
    let missing = missing.max(0.0);
    missing / (missing + 1.0)
}

/// The same of floats. NaN is as far as can be.
fn floats_apart(code: FloatCode, format: FloatFormat, operands: [u128; 2], truth: bool) -> f64 {
    let [left, right] = operands.map(|bits| float(format, bits as u64));
    let holds = match code {
        FloatCode::Equal => left == right,
        FloatCode::Less => left < right,
        _ => left <= right,
    };
    let missing = (left - right).abs();
    match missing {
        _ if holds == truth => 0.0,
        missing if missing.is_finite() => (missing + SLIGHTLY) / (missing + SLIGHTLY + 1.0),
        _ => 1.0,
    }
}

/// What equal floats are apart where they should differ, and what decides where all else is the same.
const SLIGHTLY: f64 = 1e-6;
/// Largest cost of values that fit which still tells executions apart where others are nearer.
const MOST_HINT: f64 = 16.0;

/// Instructions times goals up to which it is found out which words a goal depends on.
const MOST_INSTRUCTIONS: usize = 1 << 24;

/// A word with more values than these counts something, and does not make a place.
const MOST_PLACES: usize = 8;

/// Where executions are on the way to a goal: what the words say that the goal depends on, in any number of steps.
pub(crate) struct Places {
    /// By state word: its values so far, while they are few.
    values: Vec<Vec<u64>>,
    sorts: Vec<Sort>,
    /// By goal: the state words that it depends on.
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
    pub(crate) fn new(program: &Program, vertices: &[usize]) -> Self {
        let is_small = program.instructions.len() * vertices.len() <= MOST_INSTRUCTIONS;
        let words = |&vertex: &usize| match is_small {
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

    /// The place of a state on the way to a goal.
    pub(crate) fn of(&self, goal: usize, state: &[u64]) -> Place {
        let (mut place, mut variant) = (FxHasher::default(), FxHasher::default());
        for &word in &self.words[goal] {
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

/// The state words that a slot depends on, in any number of steps.
fn words_behind(program: &Program, slot: Slot) -> Vec<usize> {
    let mut slots = vec![slot];
    loop {
        let (_, words) = cone(program, &slots);
        if words.len() + 1 == slots.len() {
            return words;
        }
        slots = std::iter::once(slot).chain(words.iter().map(|&word| program.next[word])).collect();
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

/// Entries of one place that differ in words that many values have: on the way to what an average or a filter has to swing for, the
/// nearest entry is often at a dead end.
const VARIANTS: usize = 8;

/// The nearest entries of one place, with what tells them apart, the nearest first.
type Variants = Vec<(u64, Near)>;

/// For each goal the nearest entries, some for each place and number of goals covered: on the way to what needs several rounds of something the
/// distance has to grow in between.
pub(crate) struct Fronts {
    /// By goal, by number of goals covered, by place.
    fronts: Vec<Vec<BTreeMap<u64, Variants>>>,
    nearest: Vec<f64>,
}

impl Fronts {
    /// For so many goals.
    pub(crate) fn new(goals: usize) -> Self {
        Self { fronts: vec![Vec::new(); goals], nearest: vec![f64::INFINITY; goals] }
    }

    /// Whether an entry would be one of the nearest of its place, and the nearest of its variant: nearer than what is known, or as near by a
    /// shorter way.
    pub(crate) fn wants(&self, goal: usize, level: usize, at: Place, distance: f64, length: u64) -> bool {
        let Some(known) = self.fronts[goal].get(level).and_then(|front| front.get(&at.place)) else {
            return true;
        };
        match known.iter().find(|(variant, _)| *variant == at.variant) {
            Some((_, near)) => near.is_behind(distance, length),
            None => known.len() < VARIANTS || known.iter().any(|(_, near)| near.is_behind(distance, length)),
        }
    }

    /// Enters what [`wants`](Self::wants) asked for.
    pub(crate) fn enter(&mut self, goal: usize, level: usize, at: Place, near: Near) {
        let levels = &mut self.fronts[goal];
        if levels.len() <= level {
            levels.resize_with(level + 1, BTreeMap::new);
        }
        let known = levels[level].entry(at.place).or_default();
        known.retain(|(variant, _)| *variant != at.variant);
        known.push((at.variant, near));
        known.sort_by(|(_, left), (_, right)| by_distance(left, right));
        known.truncate(VARIANTS);
        self.nearest[goal] = self.nearest[goal].min(near.distance);
    }

    /// The smallest distance known to a goal.
    pub(crate) fn nearest(&self, goal: usize) -> f64 {
        self.nearest[goal]
    }

    /// An entry to go to the goal from: one of the nearest of all, or of any number of goals covered, rather of the most, and of any place,
    /// rather of a near one.
    pub(crate) fn pick(&self, goal: usize, random: &mut Random) -> Option<u32> {
        let levels: Vec<Vec<&Variants>> =
            self.fronts[goal].iter().rev().filter(|front| !front.is_empty()).map(by_place).collect();
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
