//! How far a state is from a goal: what guides walks to goals that chance does not reach.
//!
//! [Branch distances](crate::finders::branch_distance) are taken over the code of one step: every
//! slot has *choices*, the values it could have if guards on the way to it were turned, each with
//! what turning them costs. Inputs may have any value at no cost. So a state in which only a timer
//! is missing is the nearer, the further the timer is. Goals over the state alone are looked at
//! from one step before, too: their guards are those of what the step writes. It is a guide and no
//! bound.

use crate::finders::branch_distance::{Comparison, Measure};
use crate::knowledge::vertex::Vertex;
use crate::step::code::{Code, Instruction, Program, Slot};
use crate::step::floats::FloatCode;
use crate::step::lanes::scalar;
use model::sort::Sort;
use model::term::BinaryOp;

/// Most values of a slot that are considered.
const MOST_VALUES: usize = 6;
/// What a turned guard costs beyond its comparison: as much as the farthest operands.
const TURNED: f64 = 1.0;
/// Share of a cost that only decides where all else is the same.
const SLIGHTLY: f64 = 1e-6;
/// Largest cost of values that fit which still tells executions apart where others are nearer.
const MOST_HINT: f64 = 16.0;
/// What a look costs for each instruction of a cone, in evaluated instructions.
const LOOK_COST: u64 = 16;

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
    /// The goals that are looked at, by position among the vertices.
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
    pub(crate) fn new(program: &'p Program, vertices: &[Vertex]) -> Self {
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
        LOOK_COST * (2 * self.cone.len() + self.before.len()) as u64
    }

    /// The distance of a state to each of the goals; 0: some inputs complete the first transition,
    /// as far as this measure sees. Infinite for goals that are not looked at.
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
        match (instruction.code, operator(instruction)) {
            (_, Some(operator)) => comparison(operator, a, b),
            (Code::Ite, _) => choice(a, b, c),
            (Code::And | Code::Or, _) if instruction.width == 1 => {
                connective(instruction.code == Code::And, a, b)
            }
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

/// The slots of results that these slots depend on, themselves included, ascending, and the state
/// words that they depend on.
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

/// Either branch, with what its condition costs. A guard that has to be turned costs more than any
/// comparison of numbers: what its branch computes from the present state is not what it would be
/// if the guard held, as where a counter at zero is counted down.
fn choice(condition: &Choices, then: &Choices, otherwise: &Choices) -> Choices {
    let mut found = Choices::NONE;
    let turned = |truth: u128| {
        let cost = condition.cost(truth);
        if cost > 0.0 { cost + TURNED } else { cost }
    };
    let branches = [(turned(1), then), (turned(0), otherwise)];
    found.any = branches.iter().map(|(cost, branch)| cost + branch.any).fold(f64::INFINITY, f64::min);
    for (cost, branch) in branches {
        branch.values().iter().for_each(|&(value, own)| found.add(value, cost + own));
    }
    found
}

/// A conjunction, or a disjunction: of the one value both operands are needed, of the other one
/// operand.
fn connective(is_and: bool, a: &Choices, b: &Choices) -> Choices {
    let all = u128::from(is_and);
    let mut found = Choices::NONE;
    found.add(all, a.cost(all) + b.cost(all));
    found.add(1 - all, a.cost(1 - all).min(b.cost(1 - all)));
    found
}

/// The operator of a comparison, and the sort of what it compares.
fn operator(instruction: &Instruction) -> Option<(BinaryOp, Sort)> {
    let op = match instruction.code {
        Code::Eq => BinaryOp::Eq,
        Code::ULt => BinaryOp::ULt,
        Code::ULe => BinaryOp::ULe,
        Code::SLt => BinaryOp::SLt,
        Code::SLe => BinaryOp::SLe,
        Code::Float { code, format } => {
            let op = match code {
                FloatCode::Equal => BinaryOp::FloatEq,
                FloatCode::Less => BinaryOp::FloatLt,
                FloatCode::LessEqual => BinaryOp::FloatLe,
                _ => return None,
            };
            return Some((op, Sort::Float(format)));
        }
        _ => return None,
    };
    Some((op, Sort::word(instruction.width.into())))
}

/// The truths of a comparison. Those of truths are as near as they fit, or not at all.
fn comparison((op, sort): (BinaryOp, Sort), a: &Choices, b: &Choices) -> Choices {
    let mut found = Choices::NONE;
    for truth in [false, true] {
        let Some(comparison) = Comparison::new(op, sort, truth) else { continue };
        // Whatever the other operand is, an operand of any value may fit; hardly ever it does not.
        let cheapest = |choices: &Choices| {
            choices.values().first().map_or(choices.any, |(_, cost)| cost.min(choices.any))
        };
        let mut fitting = (a.any + cheapest(b)).min(b.any + cheapest(a));
        let mut nearest = f64::INFINITY;
        for &(left, left_cost) in a.values() {
            for &(right, right_cost) in b.values() {
                let cost = left_cost + right_cost;
                let apart = comparison.distance(left, right, Measure::Difference);
                if apart == 0.0 {
                    fitting = fitting.min(cost);
                } else if matches!(sort, Sort::Word(2..)) {
                    nearest = nearest.min(cost + apart);
                }
            }
        }
        found.add(truth.into(), joint(op == BinaryOp::Eq && !truth, fitting, nearest));
    }
    found
}

/// The distance to a goal from the costs of it now and after a step: what decides is the nearer
/// one, where that says nothing the other.
fn sooner_or_later(here: f64, later: f64) -> f64 {
    if here == 0.0 { here } else { here.min(later) + SLIGHTLY * (1.0 + later.min(MOST_HINT)) }
}

/// The cost of a comparison whose cheapest fitting operands cost so much, and the nearest operands
/// that do not fit so much. Numbers that are modes may be near each other and say nothing: then
/// what makes the right one tells more, where numbers have to differ in any case.
fn joint(is_unequal: bool, fitting: f64, nearest: f64) -> f64 {
    if fitting <= nearest || is_unequal && fitting.is_finite() {
        fitting
    } else {
        nearest + SLIGHTLY * fitting.min(MOST_HINT)
    }
}

/// The state words that a slot depends on, in any number of steps, ascending.
pub(super) fn words_behind(program: &Program, slot: Slot) -> Vec<usize> {
    let first = program.first_result();
    let mut needed = vec![false; program.slots()];
    let mut open = vec![slot];
    while let Some(slot) = open.pop() {
        let at = slot as usize;
        if std::mem::replace(&mut needed[at], true) {
            continue;
        }
        if at < program.states {
            open.push(program.next[at]);
        } else if at >= first {
            let instruction = &program.instructions[at - first];
            open.extend([instruction.a, instruction.b, instruction.c]);
        }
    }
    (0..program.states).filter(|&word| needed[word]).collect()
}
