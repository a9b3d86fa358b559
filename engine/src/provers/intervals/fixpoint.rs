//! What no reachable state can be, without a solver: ranges and small sets of words that every step
//! keeps.
//!
//! Beginning with the initial states, the step is evaluated over ranges and over sets of a few
//! values, and what comes out is added until nothing is new (P. Cousot, R. Cousot, POPL 1977).
//! Ranges that keep growing are widened to the next constant of the program, so a filter between
//! limits keeps them and a counter goes to the number it is compared with. Alone, ranges lose how
//! words belong together: so the step is also evaluated for each value of a mode, or for each range
//! between the constants that a word is compared with, and only what all these ways of counting
//! allow is added.

use super::ranges::{Ranges, apply, even_cuts};
use super::starts::{self, Starts};
use crate::knowledge::distances::Proof;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::random_simulation::constants;
use crate::session::{Engine, Session, Stop};
use crate::step::code::{Code, Instruction, Program};
use crate::step::floats::FloatCode;
use crate::step::lanes::scalar;
use crate::turn::{Prover, Turn};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Most values of a set; a word with more has ranges alone.
const MOST_VALUES: usize = 16;
/// Most combinations of operands for which an instruction is evaluated one by one.
const MOST_COMBINATIONS: usize = 128;
/// Joins before ranges are widened.
const PATIENT_JOINS: u32 = 8;
/// Joins after which ranges are widened to all words.
const MOST_JOINS: u32 = 400;
/// Rounds that make widened ranges narrower again.
const NARROWING: u32 = 3;
/// Even parts into which wide ranges of a word are split: in a thin part a filter that moves
/// towards a limit is seen to do so.
const EVEN_PARTS: u32 = 24;
/// Choices within each other whose conditions are looked at together.
const DEEPEST_CHOICE: usize = 4;
/// The share of all cost that evaluating the step for all parts of one word may take, each time.
const SHARE: u64 = 64;
/// Instructions evaluated between two looks at the limits.
const UNCHECKED: usize = 1 << 12;
/// Most ranges into which those of one word are split.
const MOST_PIECES: usize = 64;

/// The words that a slot may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Words {
    ranges: Ranges,
    /// All of them, ascending, where they are few.
    values: Option<Vec<u128>>,
}

impl Words {
    fn of_values(width: u32, values: Vec<u128>) -> Self {
        let mut ranges = Ranges::NOTHING;
        values.iter().for_each(|&value| ranges.add(width, value, value));
        Self { ranges, values: Some(values) }
    }
    fn of_ranges(width: u32, ranges: Ranges) -> Self {
        let ranges = ranges.split(width);
        let size: u128 =
            ranges.parts().fold(0, |size, (low, high)| size.saturating_add(high - low).saturating_add(1));
        let values = (size <= MOST_VALUES as u128)
            .then(|| ranges.parts().flat_map(|(low, high)| low..=high).collect());
        Self { ranges, values }
    }
    fn contains(&self, word: u128) -> bool {
        match &self.values {
            Some(values) => values.binary_search(&word).is_ok(),
            None => self.ranges.contains(word),
        }
    }
    fn joined(&self, other: &Self, width: u32) -> Self {
        let both = self.values.as_ref().zip(other.values.as_ref()).map(|(left, right)| {
            let mut values: Vec<u128> = left.iter().chain(right).copied().collect();
            values.sort_unstable();
            values.dedup();
            values
        });
        match both.filter(|values| values.len() <= MOST_VALUES) {
            Some(values) => Self::of_values(width, values),
            None => {
                let mut ranges = self.ranges.split(width);
                other.ranges.parts().for_each(|(low, high)| ranges.add(width, low, high));
                Self { ranges, values: None }
            }
        }
    }
    /// The words that are in both.
    fn met(&self, other: &Self, width: u32) -> Self {
        let few = match (&self.values, &other.values) {
            (Some(values), _) => Some(values.iter().copied().filter(|&word| other.contains(word)).collect()),
            (_, Some(values)) => Some(values.iter().copied().filter(|&word| self.contains(word)).collect()),
            (None, None) => None,
        };
        match few {
            Some(values) => Self::of_values(width, values),
            None => Self::of_ranges(width, self.ranges.met(&other.ranges, width)),
        }
    }
}

/// The step over sets of words.
struct Step<'p> {
    program: &'p Program,
    widths: Vec<u32>,
    /// By slot.
    words: Vec<Words>,
    uses: Uses,
    /// By state word: what depends on it, as far as it has been asked for.
    behind: Vec<Option<Rc<Behind>>>,
    /// By state word: the constants that it is compared with, ascending; ranges are split there.
    cuts: Vec<Vec<u128>>,
    /// Instructions evaluated.
    spent: u64,
}

impl<'p> Step<'p> {
    fn new(program: &'p Program, inputs: &[Ranges]) -> Self {
        let mut widths: Vec<u32> = Vec::with_capacity(program.slots());
        widths.extend(program.state_sorts.iter().chain(&program.input_sorts).map(|sort| sort.width()));
        widths.extend(program.constants.iter().map(|_| 128));
        widths.extend(program.instructions.iter().map(|instruction| program.result_width(instruction)));
        let nothing = Words { ranges: Ranges::NOTHING, values: Some(Vec::new()) };
        let mut words = vec![nothing; program.slots()];
        for (number, ranges) in inputs.iter().enumerate() {
            let slot = program.states + number;
            words[slot] = Words::of_ranges(widths[slot], *ranges);
        }
        for (word, &bits) in words[program.states + program.inputs..].iter_mut().zip(&program.constants) {
            *word = Words { ranges: Ranges::single(bits), values: Some(vec![bits]) };
        }
        let behind = vec![None; program.states];
        let cuts = cuts(program, &widths);
        Self { program, widths, words, uses: Uses::new(program), behind, cuts, spent: 0 }
    }

    fn begin(&mut self, state: &[Words], session: &Session<'_>) -> Result<(), Stop> {
        self.words[..state.len()].clone_from_slice(state);
        for number in 0..self.program.instructions.len() {
            if number % UNCHECKED == 0 {
                session.check_limits()?;
            }
            self.evaluate(number);
        }
        Ok(())
    }

    /// What depends on a state word; `None`: more than so many instructions.
    fn behind(&mut self, word: usize, most: u64) -> Option<Rc<Behind>> {
        if self.behind[word].is_none() {
            let found = self.uses.behind(word as u32, self.program.first_result(), most);
            self.spent += found.as_ref().map_or(most, |behind| behind.instructions.len() as u64);
            self.behind[word] = found.map(Rc::new);
        }
        self.behind[word].clone().filter(|behind| behind.instructions.len() as u64 <= most)
    }

    fn evaluate(&mut self, number: usize) {
        self.spent += 1;
        let slot = self.program.first_result() + number;
        self.words[slot] = self.result(&self.program.instructions[number], self.widths[slot]);
    }

    fn result(&self, instruction: &Instruction, width: u32) -> Words {
        let slots = [instruction.a, instruction.b, instruction.c];
        let [a, b, c] = slots.map(|slot| &self.words[slot as usize]);
        if instruction.code == Code::Ite {
            return self.chosen(instruction, &mut Vec::new(), width);
        }
        let compute = |operands| scalar(self.program, instruction, operands);
        let is_library = matches!(instruction.code, Code::Library { .. });
        let operands = [a, b, c].map(|words| words.values.as_deref());
        let combinations = operands.iter().map(|values| values.map_or(usize::MAX, <[u128]>::len));
        let combinations = combinations.fold(1usize, usize::saturating_mul);
        if let ([Some(a), Some(b), Some(c)], false) =
            (operands, is_library || combinations > MOST_COMBINATIONS)
        {
            let mut values = Vec::with_capacity(combinations);
            for &left in a {
                for &right in b {
                    values.extend(c.iter().map(|&third| compute([left, right, third])));
                }
            }
            values.sort_unstable();
            values.dedup();
            if values.len() <= MOST_VALUES {
                return Words::of_values(width, values);
            }
        }
        Words::of_ranges(width, apply(instruction, width, [a.ranges, b.ranges, c.ranges], compute))
    }

    /// What a choice yields where conditions have certain truths. Choices within its branches are
    /// made under its own condition.
    fn chosen(&self, choice: &Instruction, conditions: &mut Vec<(u32, bool)>, width: u32) -> Words {
        let mut found: Option<Words> = None;
        for (truth, slot) in [(true, choice.b), (false, choice.c)] {
            if !self.words[choice.a as usize].contains(u128::from(truth)) {
                continue;
            }
            conditions.push((choice.a, truth));
            let words = self.under(slot, conditions, width);
            conditions.pop();
            found = Some(match found {
                None => words,
                Some(other) => other.joined(&words, width),
            });
        }
        found.unwrap_or_else(|| Words::of_values(width, Vec::new()))
    }

    /// The words of a slot where conditions have certain truths.
    fn under(&self, slot: u32, conditions: &mut Vec<(u32, bool)>, width: u32) -> Words {
        let first = self.program.first_result();
        let inner = (slot as usize).checked_sub(first).map(|number| &self.program.instructions[number]);
        let words = match inner {
            Some(inner) if inner.code == Code::Ite && conditions.len() < DEEPEST_CHOICE => {
                self.chosen(inner, conditions, width)
            }
            _ => self.words[slot as usize].clone(),
        };
        conditions
            .iter()
            .fold(words, |words, &(condition, truth)| self.refined(condition, truth, slot, words, width, 0))
    }

    /// The words of a slot where a condition has that truth: a comparison of the slot itself with
    /// another one narrows them.
    fn refined(&self, condition: u32, truth: bool, slot: u32, words: Words, width: u32, depth: u32) -> Words {
        let first = self.program.first_result();
        let Some(number) = (condition as usize).checked_sub(first) else { return words };
        let instruction = &self.program.instructions[number];
        let (a, b) = (instruction.a, instruction.b);
        if depth > 4 {
            return words;
        }
        match (instruction.code, truth) {
            (Code::Not, _) if instruction.width == 1 => {
                return self.refined(a, !truth, slot, words, width, depth + 1);
            }
            (Code::And, true) | (Code::Or, false) if instruction.width == 1 => {
                let words = self.refined(a, truth, slot, words, width, depth + 1);
                return self.refined(b, truth, slot, words, width, depth + 1);
            }
            _ => {}
        }
        if a != slot && b != slot {
            return words;
        }
        let others = &self.words[if a == slot { b } else { a } as usize];
        // The slot may be compared as a narrower word than the one it is extended to: then the top
        // bit is that of the comparison.
        let compared = u32::from(instruction.width);
        let Some(narrow) = narrowed(instruction, truth, a == slot, &others.ranges, &words.ranges, compared)
        else {
            return words;
        };
        words.met(&Words::of_ranges(width, narrow), width)
    }

    fn may(&self, slot: u32) -> bool {
        self.words[slot as usize].contains(1)
    }

    /// For each transition of each goal's window, whether its condition may hold in some step. The
    /// transitions of a window begin in different states, so each counts by itself.
    fn possible(&self) -> Vec<bool> {
        labels(self.program).map(|label| self.may(label)).collect()
    }

    /// What a state word may be behind the step.
    fn next(&self, word: usize) -> Words {
        let words = &self.words[self.program.next[word] as usize];
        Words { ranges: words.ranges.split(self.widths[word]), values: words.values.clone() }
    }

    /// The parts into which the words of a state are split.
    fn pieces(&self, word: usize, words: &Words) -> Vec<Words> {
        let width = self.widths[word];
        if let Some(values) = &words.values {
            return values.iter().map(|&value| Words::of_values(width, vec![value])).collect();
        }
        let mut pieces = vec![];
        for (low, high) in words.ranges.parts() {
            let mut from = low;
            let mut cuts = self.cuts[word].clone();
            if high - low > u128::from(EVEN_PARTS) {
                cuts.extend(even_cuts((low, high), self.program.state_sorts[word], EVEN_PARTS));
                cuts.sort_unstable();
                cuts.dedup();
            }
            for cut in cuts.into_iter().filter(|&cut| low < cut && cut <= high) {
                pieces.push((from, cut - 1));
                from = cut;
            }
            pieces.push((from, high));
        }
        let piece = |(low, high)| {
            let mut ranges = Ranges::NOTHING;
            ranges.add(width, low, high);
            Words::of_ranges(width, ranges)
        };
        pieces.into_iter().map(piece).collect()
    }

    /// What a step may lead to from these states, and which transitions of goals' windows may begin
    /// in them. Evaluating for all parts of one word may take so many instructions.
    fn successors(
        &mut self,
        state: &[Words],
        most: u64,
        session: &Session<'_>,
    ) -> Result<(Vec<Words>, Vec<bool>), Stop> {
        self.begin(state, session)?;
        let mut next: Vec<Words> = (0..state.len()).map(|word| self.next(word)).collect();
        let mut possible = self.possible();
        if most == 0 {
            return Ok((next, possible));
        }
        let whole = self.words.clone();
        for word in 0..state.len() {
            session.check_limits()?;
            let pieces = self.pieces(word, &state[word]);
            if pieces.len() < 2 || pieces.len() > MOST_PIECES {
                continue;
            }
            let Some(behind) = self.behind(word, most / pieces.len() as u64) else { continue };
            let Some((here, labels)) = self.in_pieces(word, pieces, &behind) else { continue };
            for (&at, words) in behind.next.iter().zip(&here) {
                next[at as usize] = next[at as usize].met(words, self.widths[at as usize]);
            }
            for (&at, label) in behind.labels.iter().zip(labels) {
                possible[at as usize] &= label;
            }
            self.words[word] = whole[word].clone();
            for &number in &behind.instructions {
                let slot = self.program.first_result() + number as usize;
                self.words[slot] = whole[slot].clone();
            }
        }
        Ok((next, possible))
    }

    /// The next words and transitions behind a word, where that is in one of the pieces.
    fn in_pieces(
        &mut self,
        word: usize,
        pieces: Vec<Words>,
        behind: &Behind,
    ) -> Option<(Vec<Words>, Vec<bool>)> {
        let mut sum: Option<(Vec<Words>, Vec<bool>)> = None;
        for piece in pieces {
            self.words[word] = piece;
            for &number in &behind.instructions {
                self.evaluate(number as usize);
            }
            let here: Vec<Words> = behind.next.iter().map(|&at| self.next(at as usize)).collect();
            let labels: Vec<bool> = behind.label_slots.iter().map(|&label| self.may(label)).collect();
            sum = Some(match sum {
                None => (here, labels),
                Some((known, possible)) => {
                    let pairs = known.iter().zip(&here).zip(&behind.next);
                    let joined =
                        pairs.map(|((left, right), &at)| left.joined(right, self.widths[at as usize]));
                    let either = possible.iter().zip(&labels).map(|(left, right)| *left || *right);
                    (joined.collect(), either.collect())
                }
            });
        }
        sum
    }
}

/// The slots of the transitions of all goals' windows.
fn labels(program: &Program) -> impl Iterator<Item = u32> + '_ {
    program.labels.values().flatten().copied()
}

/// Who reads which slot.
struct Uses {
    /// By slot: the instructions that have it as operand.
    operands: Vec<Vec<u32>>,
    /// By slot: the state words that it is the next value of.
    next: FxHashMap<u32, Vec<u32>>,
    /// By slot: the positions of the transitions that it is the condition of.
    labels: FxHashMap<u32, Vec<u32>>,
}

/// What depends on a state word.
#[derive(Debug)]
struct Behind {
    /// Ascending.
    instructions: Vec<u32>,
    /// State words.
    next: Vec<u32>,
    /// Positions of transitions, and their slots.
    labels: Vec<u32>,
    label_slots: Vec<u32>,
}

impl Uses {
    fn new(program: &Program) -> Self {
        let mut operands = vec![Vec::new(); program.slots()];
        for (number, instruction) in program.instructions.iter().enumerate() {
            for slot in [instruction.a, instruction.b, instruction.c] {
                operands[slot as usize].push(number as u32);
            }
        }
        let mut uses = Self { operands, next: FxHashMap::default(), labels: FxHashMap::default() };
        for (word, &slot) in program.next.iter().enumerate() {
            uses.next.entry(slot).or_default().push(word as u32);
        }
        for (position, slot) in labels(program).enumerate() {
            uses.labels.entry(slot).or_default().push(position as u32);
        }
        uses
    }

    /// What depends on a state word; `None`: more than so many instructions.
    fn behind(&self, word: u32, first_result: usize, most: u64) -> Option<Behind> {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut open = vec![word];
        let mut behind = Behind { instructions: vec![], next: vec![], labels: vec![], label_slots: vec![] };
        while let Some(slot) = open.pop() {
            behind.next.extend(self.next.get(&slot).into_iter().flatten());
            for &position in self.labels.get(&slot).into_iter().flatten() {
                behind.labels.push(position);
                behind.label_slots.push(slot);
            }
            for &number in &self.operands[slot as usize] {
                if seen.insert(number) {
                    open.push(first_result as u32 + number);
                }
            }
            if seen.len() as u64 > most {
                return None;
            }
        }
        behind.instructions = seen.into_iter().collect();
        behind.instructions.sort_unstable();
        Some(behind)
    }
}

/// The words of a slot that a comparison with others allows; `None`: it says nothing of them.
fn narrowed(
    instruction: &Instruction,
    truth: bool,
    is_left: bool,
    others: &Ranges,
    own: &Ranges,
    width: u32,
) -> Option<Ranges> {
    let least = others.parts().map(|(low, _)| low).min()?;
    let most = others.parts().map(|(_, high)| high).max()?;
    let all = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
    let mut ranges = Ranges::NOTHING;
    // Left of the comparison or right of it, strict or not, as a comparison that holds.
    let (is_below, is_strict) = match instruction.code {
        Code::ULt => (is_left == truth, truth),
        Code::ULe => (is_left == truth, !truth),
        Code::SLt | Code::SLe => {
            return signed_narrowed(instruction, truth, is_left, others, width);
        }
        Code::Eq if truth => return Some(*others),
        Code::Eq => {
            // Only a single word at an end of the range can be left out.
            return (least == most).then(|| {
                if least > 0 {
                    ranges.add(width, 0, least - 1);
                }
                if least < all {
                    ranges.add(width, least + 1, all);
                }
                ranges
            });
        }
        Code::Float { code: FloatCode::Less | FloatCode::LessEqual, format } => {
            return super::ranges::float_narrowed(format, (truth, is_left), others, own);
        }
        _ => return None,
    };
    match (is_below, is_strict) {
        (true, true) if most > 0 => ranges.add(width, 0, most - 1),
        (true, true) => {}
        (true, false) => ranges.add(width, 0, most),
        (false, true) if least < all => ranges.add(width, least + 1, all),
        (false, true) => {}
        (false, false) => ranges.add(width, least, all),
    }
    Some(ranges)
}

fn signed_narrowed(
    instruction: &Instruction,
    truth: bool,
    is_left: bool,
    others: &Ranges,
    width: u32,
) -> Option<Ranges> {
    if width > 64 {
        return None;
    }
    let (lowest, highest) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
    let least = others.signed(width).map(|(low, _)| low).min()?;
    let most = others.signed(width).map(|(_, high)| high).max()?;
    let is_strict = (instruction.code == Code::SLt) == truth;
    let (low, high) = match is_left == truth {
        true => (lowest, most - i128::from(is_strict)),
        false => (least + i128::from(is_strict), highest),
    };
    let mut ranges = Ranges::NOTHING;
    if low <= high {
        let mask = (1u128 << width) - 1;
        if high >= 0 {
            ranges.add(width, low.max(0) as u128, high as u128);
        }
        if low < 0 {
            ranges.add(width, low as u128 & mask, high.min(-1) as u128 & mask);
        }
    }
    Some(ranges)
}

/// By state word: the constants that it is compared with, where its ranges are cut: at the constant
/// and behind it.
fn cuts(program: &Program, widths: &[u32]) -> Vec<Vec<u128>> {
    let first = program.states + program.inputs;
    let constant = |slot: u32| (slot as usize).checked_sub(first).and_then(|at| program.constants.get(at));
    let mut cuts = vec![BTreeSet::new(); program.states];
    for instruction in &program.instructions {
        let is_comparison = matches!(
            instruction.code,
            Code::Eq | Code::ULt | Code::ULe | Code::SLt | Code::SLe | Code::Float { .. }
        );
        if !is_comparison {
            continue;
        }
        for (word, other) in [(instruction.a, instruction.b), (instruction.b, instruction.a)] {
            let (Some(cuts), Some(&cut)) = (cuts.get_mut(word as usize), constant(other)) else { continue };
            cuts.insert(cut);
            cuts.insert(cut.wrapping_add(1) & (u128::MAX >> (128 - widths[word as usize])));
        }
    }
    cuts.into_iter().map(|cuts| cuts.into_iter().collect()).collect()
}

/// Words at which ranges that grow are stopped, ascending: the constants of the program, their
/// neighbours and their negations.
fn thresholds(task: &Task<'_>) -> Vec<u128> {
    let mut found = BTreeSet::new();
    for (sort, values) in constants(task.system) {
        let mask = u128::MAX >> (128 - sort.width());
        let sign = 1u128 << (sort.width() - 1);
        for value in values {
            for word in [value, value ^ sign, value.wrapping_neg() & mask] {
                found.extend([word.wrapping_sub(1) & mask, word, word.wrapping_add(1) & mask]);
            }
        }
    }
    found.into_iter().collect()
}

/// Ranges that hold the new ones; an end that has moved goes on to the next threshold.
fn widened(known: &Words, new: &Words, width: u32, thresholds: &[u128], is_late: bool) -> Words {
    if known == new {
        return new.clone();
    }
    let half = 1u128 << (width - 1);
    let mut ranges = Ranges::NOTHING;
    for (low, high) in new.ranges.split(width).parts() {
        let part = if low < half { (0, half - 1) } else { (half, u128::MAX >> (128 - width)) };
        let before = known.ranges.split(width).parts().find(|(least, _)| (*least < half) == (low < half));
        let has_moved = |end: u128, before: Option<u128>| before.is_none_or(|before| before != end);
        let low_end = match has_moved(low, before.map(|(least, _)| least)) {
            false => low,
            true if is_late => part.0,
            true => thresholds.iter().rev().copied().find(|&at| at <= low && at >= part.0).unwrap_or(part.0),
        };
        let high_end = match has_moved(high, before.map(|(_, most)| most)) {
            false => high,
            true if is_late => part.1,
            true => thresholds.iter().copied().find(|&at| at >= high && at <= part.1).unwrap_or(part.1),
        };
        ranges.add(width, low_end, high_end);
    }
    match &new.values {
        // Sets are bounded by themselves.
        Some(_) => new.clone(),
        None => Words { ranges, values: None },
    }
}

/// Excludes goals that cannot occur in any state that ranges and sets of words leave.
pub(crate) struct ReachableRanges<'s>(&'s Task<'s>);

impl<'s> ReachableRanges<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self(task)
    }
}

impl Prover for ReachableRanges<'_> {
    fn run(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<Turn, Stop> {
        let task = self.0;
        let (impossible, is_whole) = session.stage("ranges", || impossible(task, work, session))?;
        let open = known.open_goals();
        for goal in impossible.into_iter().filter(|goal| open.contains(goal)) {
            known.exclude(task, goal, (Engine::Interval, Proof::Ranges), session)?;
        }
        Ok(if is_whole { Turn::Exhausted } else { Turn::Open })
    }
}

/// The goals that cannot occur in any state that is left, after at most so many evaluated
/// instructions, and whether that is all that can be said.
///
/// The first fixpoint takes the step as it is, which costs little; the second evaluates it for the
/// parts of each word, too.
fn impossible(task: &Task<'_>, most: u64, session: &Session<'_>) -> Result<(Vec<Vertex>, bool), Stop> {
    let program = Program::compile(task);
    if !program.fits_words() {
        return Ok((Vec::new(), true));
    }
    let inputs = starts::inputs(task, session)?;
    let start =
        Starts::new(task, encoder::unroll::Start::Initial, session)?.start(Vertex::DEPOT, &[], session)?;
    let Some(start) = start else { return Ok((Vec::new(), true)) };
    let mut step = Step::new(&program, &inputs);
    let pairs = start.state.iter().zip(&step.widths);
    let initial: Vec<Words> = pairs.map(|(ranges, &width)| Words::of_ranges(width, *ranges)).collect();
    let mut fixpoint = Fixpoint { step: &mut step, initial, thresholds: thresholds(task), session };
    let Some(possible) = fixpoint.possible((most, 0))? else { return Ok((Vec::new(), false)) };
    let whole = excluded(&program, &possible);
    let Some(closer) = fixpoint.possible((most, most / SHARE))? else { return Ok((whole, false)) };
    let both: Vec<bool> = possible.iter().zip(&closer).map(|(one, other)| *one && *other).collect();
    Ok((excluded(&program, &both), true))
}

/// The goals with a transition of their windows that is not possible.
fn excluded(program: &Program, possible: &[bool]) -> Vec<Vertex> {
    let mut rest = possible;
    let of_goals = program.labels.iter().skip(1);
    let excluded = of_goals.filter_map(|(goal, labels)| {
        let (of_goal, behind) = rest.split_at(labels.len());
        rest = behind;
        of_goal.contains(&false).then_some(goal)
    });
    excluded.collect()
}

/// The search for what every step keeps.
struct Fixpoint<'a, 'p, 's> {
    step: &'a mut Step<'p>,
    initial: Vec<Words>,
    thresholds: Vec<u128>,
    session: &'a Session<'s>,
}

impl Fixpoint<'_, '_, '_> {
    /// Which transitions of goals' windows may begin in the states that are left, after at most so
    /// many evaluated instructions, with a share of them for the parts of one word at a time; `None`:
    /// it takes more.
    fn possible(&mut self, (most, share): (u64, u64)) -> Result<Option<Vec<bool>>, Stop> {
        let Self { step, initial, thresholds, session } = self;
        let widths: Vec<u32> = step.widths[..initial.len()].to_vec();
        let mut state = initial.clone();
        let most = step.spent.saturating_add(most);
        if !loop_until_stable(step, &mut state, &widths, thresholds, (most, share), session)? {
            return Ok(None);
        }
        for _ in 0..NARROWING {
            // All reachable states are initial ones or successors of states that are held by what is
            // known.
            let (next, _) = step.successors(&state, share, session)?;
            let pairs = initial.iter().zip(&next).zip(&state).zip(&widths);
            state = pairs
                .map(|(((first, next), known), &width)| first.joined(next, width).met(known, width))
                .collect();
            session.check_limits()?;
        }
        Ok(Some(step.successors(&state, share, session)?.1))
    }
}

/// Adds what steps lead to until nothing is new; `false`: it takes too long.
fn loop_until_stable(
    step: &mut Step<'_>,
    state: &mut Vec<Words>,
    widths: &[u32],
    thresholds: &[u128],
    (most, share): (u64, u64),
    session: &Session<'_>,
) -> Result<bool, Stop> {
    for joins in 0.. {
        session.check_limits()?;
        let (next, _) = step.successors(state, share, session)?;
        let pairs = state.iter().zip(&next).zip(widths);
        let joined: Vec<Words> = pairs.map(|((known, next), &width)| known.joined(next, width)).collect();
        if joined == *state {
            return Ok(true);
        }
        if step.spent > most || joins > 2 * MOST_JOINS {
            return Ok(false);
        }
        *state = match joins < PATIENT_JOINS {
            true => joined,
            false => {
                let pairs = state.iter().zip(&joined).zip(widths);
                let is_late = joins > MOST_JOINS;
                pairs.map(|((known, new), &width)| widened(known, new, width, thresholds, is_late)).collect()
            }
        };
    }
    Ok(false)
}
