//! How far a state is from a goal: what guides walks to goals that chance does not reach.
//!
//! The measure is that of search-based testing (N. Tracey, J. Clark, K. Mander, J. McDermid, An automated framework for structural test-data generation,
//! ASE 1998): a comparison that does not hold is as far from holding as its operands are apart, a conjunction as far as its parts
//! together, a disjunction as far as its nearest part. Here it is taken over the code of one step: every slot has *choices*, the values it
//! could have if guards on the way to it were turned, each with what turning them costs. Inputs may have any value at no
//! cost. So a state in which only a timer is missing is the nearer, the further the timer is. It is a guide and no bound.

use super::code::{Code, Instruction, Program, Slot};
use super::floats::FloatCode;
use super::lanes::scalar;
use crate::reach::sample::Random;
use model::sort::FloatFormat;
use rustc_hash::FxHasher;
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
    /// Slots of results that the goals' labels depend on, ascending.
    cone: Vec<Slot>,
    labels: Vec<Slot>,
    choices: Vec<Choices>,
}

impl<'p> Nearness<'p> {
    /// To the first transitions of the goals of these vertices.
    pub(crate) fn new(program: &'p Program, vertices: &[usize]) -> Self {
        let labels: Vec<Slot> = vertices.iter().map(|&vertex| program.labels[vertex][0]).collect();
        let first = program.first_result();
        let mut needed = vec![false; program.slots()];
        labels.iter().for_each(|&label| needed[label as usize] = true);
        for (number, instruction) in program.instructions.iter().enumerate().rev() {
            if needed[first + number] {
                [instruction.a, instruction.b, instruction.c]
                    .iter()
                    .for_each(|&slot| needed[slot as usize] = true);
            }
        }
        let cone = (first..program.slots()).filter(|&slot| needed[slot]).map(|slot| slot as Slot).collect();
        let mut choices = vec![Choices::NONE; program.slots()];
        choices[program.states..program.states + program.inputs].fill(Choices::FREE);
        for (number, &constant) in program.constants.iter().enumerate() {
            choices[program.states + program.inputs + number] = Choices::known(constant);
        }
        Self { program, cone, labels, choices }
    }

    /// What one look costs, in evaluated instructions.
    pub(crate) fn cost(&self) -> u64 {
        16 * self.cone.len() as u64
    }

    /// The distance of a state to each of the goals; 0: some inputs complete the first transition, as far as this measure sees.
    pub(crate) fn look(&mut self, state: &[u64]) -> impl Iterator<Item = f64> + '_ {
        for (choices, &word) in self.choices.iter_mut().zip(state) {
            *choices = Choices::known(word.into());
        }
        let first = self.program.first_result();
        for &slot in &self.cone {
            let instruction = &self.program.instructions[slot as usize - first];
            self.choices[slot as usize] = self.result(instruction);
        }
        self.labels.iter().map(|&label| self.choices[label as usize].cost(1))
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

/// Either branch, with what its condition costs.
fn choice(condition: &Choices, then: &Choices, otherwise: &Choices) -> Choices {
    let mut found = Choices::NONE;
    let branches = [(condition.cost(1), then), (condition.cost(0), otherwise)];
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
        let mut best = (a.any + cheapest(b)).min(b.any + cheapest(a));
        for &(left, left_cost) in a.values() {
            for &(right, right_cost) in b.values() {
                let apart = match instruction.code {
                    Code::Float { code, format } => floats_apart(code, format, [left, right], truth),
                    _ => apart(instruction, left, right, truth),
                };
                best = best.min(left_cost + right_cost + apart);
            }
        }
        found.add(truth.into(), best);
    }
    found
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
    let [left, right] = operands.map(|bits| match format {
        FloatFormat::Single => f64::from(f32::from_bits(bits as u32)),
        FloatFormat::Double => f64::from_bits(bits as u64),
    });
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

/// What equal floats are apart where they should differ.
const SLIGHTLY: f64 = 1e-6;

/// A word with more values than these counts something, and does not make a place.
const MOST_PLACES: usize = 8;

/// Where executions are, as far as words with few values tell: modes, latches, retries.
pub(crate) struct Places {
    /// By state word: its values so far, while they are few.
    values: Vec<Vec<u64>>,
}

impl Places {
    /// For so many state words.
    pub(crate) fn new(words: usize) -> Self {
        Self { values: vec![Vec::new(); words] }
    }

    /// The place of a state.
    pub(crate) fn of(&mut self, state: &[u64]) -> u64 {
        let mut hasher = FxHasher::default();
        for (word, (&value, known)) in state.iter().zip(&mut self.values).enumerate() {
            if known.len() <= MOST_PLACES && !known.contains(&value) {
                known.push(value);
            }
            if known.len() <= MOST_PLACES {
                hasher.write_usize(word);
                hasher.write_u64(value);
            }
        }
        hasher.finish()
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

/// For each goal the nearest entries, one for each place and number of goals covered: on the way to what needs several rounds of something the
/// distance has to grow in between.
pub(crate) struct Fronts {
    /// By goal, by number of goals covered, by place.
    fronts: Vec<Vec<BTreeMap<u64, Near>>>,
    nearest: Vec<f64>,
}

impl Fronts {
    /// For so many goals.
    pub(crate) fn new(goals: usize) -> Self {
        Self { fronts: vec![Vec::new(); goals], nearest: vec![f64::INFINITY; goals] }
    }

    /// Whether an entry would be the nearest of its place: nearer than what is known, or as near by a shorter way.
    pub(crate) fn wants(&self, goal: usize, level: usize, place: u64, distance: f64, length: u64) -> bool {
        let known = self.fronts[goal].get(level).and_then(|front| front.get(&place));
        known.is_none_or(|known| (distance, length) < (known.distance, known.length))
    }

    /// Enters what [`wants`](Self::wants) asked for.
    pub(crate) fn enter(&mut self, goal: usize, level: usize, place: u64, near: Near) {
        let levels = &mut self.fronts[goal];
        if levels.len() <= level {
            levels.resize_with(level + 1, BTreeMap::new);
        }
        levels[level].insert(place, near);
        self.nearest[goal] = self.nearest[goal].min(near.distance);
    }

    /// The smallest distance known to a goal.
    pub(crate) fn nearest(&self, goal: usize) -> f64 {
        self.nearest[goal]
    }

    /// An entry to go to the goal from: of any number of goals covered, rather of the most; of any place, rather of a near one.
    pub(crate) fn pick(&self, goal: usize, random: &mut Random) -> Option<u32> {
        let levels: Vec<&BTreeMap<u64, Near>> =
            self.fronts[goal].iter().rev().filter(|front| !front.is_empty()).collect();
        let depth = (random.next() | 1 << 63).trailing_zeros() as usize;
        let drawn = if random.below(2) == 0 {
            depth.min(levels.len().saturating_sub(1))
        } else {
            random.below(levels.len())
        };
        let mut front: Vec<&Near> = levels.get(drawn)?.values().collect();
        front.sort_by(|left, right| {
            left.distance.total_cmp(&right.distance).then(left.length.cmp(&right.length))
        });
        // The third power of an even draw prefers what is near.
        let share = random.below(1 << 20) as f64 / f64::from(1 << 20);
        Some(front[(front.len() as f64 * share.powi(3)) as usize].entry)
    }
}
