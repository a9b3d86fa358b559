//! Parts of the state bits of which no step changes two, and the bound that adds up over them.
//!
//! A part is a finite graph over the values of some state bits: values at the beginning, values in
//! which a chain may end, the *changes* from one value to another that a step may make, and for
//! goals the pairs of values before and after the first step of their windows. Queries beside it
//! show that this is so, and that no step changes the values of two parts. Then a chain has at
//! least as many steps as the changes of all parts together need, and steps of goals whose windows
//! begin without any change come on top (additive pattern databases: A. Felner, R. E. Korf, S.
//! Hanan, JAIR 22 (2004)).
//!
//! Parts that the same goals speak about form a *group*, with a tour through these goals whose legs
//! are the sums of the changes; each part is in one group only, so the tours of all groups add up.
//! [`tour`] checks their lengths.

use crate::text::{Malformed, marks, numbers, parse_marks, read_lines};
use crate::tour::{self, Matrix};
use std::collections::{HashSet, VecDeque};
use std::fmt::Write;

const TITLE: &str = "chaincover parts 1";
const FIRST: &str = "words should come first, then goals";
const NEVER: u64 = u64::MAX;

/// A value of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The bits, the first one of the part as bit 0.
    pub bits: u64,
    /// Whether an execution may begin with it.
    pub initial: bool,
    /// Whether a chain may end with it.
    pub end: bool,
}

/// What a goal says about a part: it begins only in steps with one of these pairs of values before
/// and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visits {
    /// Position of the goal.
    pub goal: usize,
    /// Positions of values.
    pub pairs: Vec<(usize, usize)>,
}

/// See the module text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Word and position of each bit.
    pub bits: Vec<(usize, u32)>,
    /// All values that executions reach.
    pub values: Vec<Value>,
    /// Positions of values before and after a change.
    pub changes: Vec<(usize, usize)>,
    /// The goals that say something, ascending.
    pub visits: Vec<Visits>,
}

/// See the module text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Names of state words.
    pub words: Vec<String>,
    /// Names of goals.
    pub goals: Vec<String>,
    /// The parts.
    pub parts: Vec<Part>,
    /// Goals whose first steps change no part.
    pub idle: Vec<usize>,
    /// Pairs of goals, the lesser first, whose windows never begin with the same step.
    pub apart: Vec<(usize, usize)>,
}

/// What may not be read twice.
#[derive(Default)]
struct Seen {
    /// Bits of all parts.
    bits: HashSet<(usize, u32)>,
    /// Values of the last part.
    values: HashSet<u64>,
}

impl Parts {
    /// The text form: `word NAME`, `goal NAME`, `idle GOAL`, `apart GOAL GOAL`, and for each part a
    /// line `part` with `bit WORD POSITION`, `value MARKS NUMBER` (marks: `i` initial, `e` end, `-`
    /// none), `change BEFORE AFTER`, `pair GOAL BEFORE AFTER`.
    pub fn print(&self) -> String {
        let mut text = format!("{TITLE}\n");
        let mut line = |content: String| {
            let _ = writeln!(text, "{content}");
        };
        self.words.iter().for_each(|word| line(format!("word {word}")));
        self.goals.iter().for_each(|goal| line(format!("goal {goal}")));
        self.idle.iter().for_each(|goal| line(format!("idle {goal}")));
        self.apart.iter().for_each(|(a, b)| line(format!("apart {a} {b}")));
        for part in &self.parts {
            line("part".to_owned());
            part.bits.iter().for_each(|(word, bit)| line(format!("bit {word} {bit}")));
            for value in &part.values {
                line(format!("value {} {}", marks(value.initial, value.end), value.bits));
            }
            part.changes.iter().for_each(|(before, after)| line(format!("change {before} {after}")));
            for Visits { goal, pairs } in &part.visits {
                pairs.iter().for_each(|(before, after)| line(format!("pair {goal} {before} {after}")));
            }
        }
        text
    }

    /// Reads the text form and checks that all numbers are in range, no bit is in two parts, and
    /// values differ.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let mut parts = Self::default();
        let title = (TITLE, "these are no parts of a known version");
        let mut seen = Seen::default();
        read_lines(text, title, |kind, rest| parts.read(kind, rest, &mut seen))?;
        Ok(parts)
    }

    fn read(&mut self, kind: &str, rest: &str, seen: &mut Seen) -> Result<(), &'static str> {
        match kind {
            "word" if !self.goals.is_empty() || !self.parts.is_empty() => return Err(FIRST),
            "goal" if !self.parts.is_empty() => return Err(FIRST),
            "word" => self.words.push(rest.to_owned()),
            "goal" => self.goals.push(rest.to_owned()),
            "part" if rest.is_empty() => {
                self.parts.push(Part::default());
                seen.values.clear();
            }
            "idle" => match places(rest)[..] {
                [goal] if goal < self.goals.len() => self.idle.push(goal),
                _ => return Err("an idle goal should be a goal"),
            },
            "apart" => match places(rest)[..] {
                [a, b] if a < b && b < self.goals.len() => self.apart.push((a, b)),
                _ => return Err("goals apart should be two goals, the lesser first"),
            },
            _ => self.read_of_part(kind, rest, seen)?,
        }
        Ok(())
    }

    fn read_of_part(&mut self, kind: &str, rest: &str, seen: &mut Seen) -> Result<(), &'static str> {
        let (words, goals) = (self.words.len(), self.goals.len());
        match (kind, &places(rest)[..]) {
            ("bit", &[word, bit]) if word < words && bit < 128 => {
                let bit = (word, bit as u32);
                if !seen.bits.insert(bit) {
                    return Err("a bit should be in one part only");
                }
                let part =
                    self.parts.last_mut().filter(|part| part.values.is_empty() && part.bits.len() < 64);
                part.ok_or("the bits of a part should come first")?.bits.push(bit);
            }
            ("value", _) => {
                let part = self.parts.last_mut().ok_or("a value should belong to a part")?;
                let value = parse_value(rest)
                    .filter(|value| part.is_value(value.bits) && seen.values.insert(value.bits));
                let value =
                    value.ok_or("a value should have marks and a new number within the bits of its part")?;
                part.values.push(value);
            }
            ("change", &[before, after]) => {
                let part = self.parts.last_mut().filter(|part| before.max(after) < part.values.len());
                part.ok_or("a change should be between values")?.changes.push((before, after));
            }
            ("pair", &[goal, before, after]) if goal < goals => {
                let part = self.parts.last_mut().filter(|part| before.max(after) < part.values.len());
                part.ok_or("a pair should be of values")?.visit(goal, (before, after))?;
            }
            _ => return Err("a line should be a word, a goal, or about parts"),
        }
        Ok(())
    }

    /// Positions of the goals of these names. `None`: one is not among them.
    pub fn positions(&self, names: &[String]) -> Option<Vec<usize>> {
        names.iter().map(|name| self.goals.iter().position(|known| known == name)).collect()
    }

    /// Whether the values before and after tell two goals apart, so that no query has to.
    pub fn differ(&self, a: usize, b: usize) -> bool {
        let disjoint = |part: &Part| match (part.visits_of(a), part.visits_of(b)) {
            (Some(a), Some(b)) => a.iter().all(|pair| !b.contains(pair)),
            _ => false,
        };
        self.parts.iter().any(disjoint)
    }

    fn is_apart(&self, a: usize, b: usize) -> bool {
        self.differ(a, b) || self.apart.contains(&(a.min(b), a.max(b)))
    }

    /// A matrix for each group of parts and these goals: vertex 0 is the beginning and the end,
    /// vertex k the k-th goal of the group. A tour through it is no longer than the changes that so
    /// many chains make in these parts.
    pub fn matrices(&self, goals: &[usize], chains: usize) -> Vec<Matrix> {
        let mut groups: Vec<(Vec<usize>, Vec<u64>)> = Vec::new();
        for part in &self.parts {
            let speaking: Vec<usize> =
                goals.iter().copied().filter(|&goal| part.visits_of(goal).is_some()).collect();
            let legs = self.legs(part, &speaking);
            match groups.iter_mut().find(|(known, _)| *known == speaking) {
                Some((_, sums)) => {
                    sums.iter_mut().zip(legs).for_each(|(sum, leg)| *sum = sum.saturating_add(leg));
                }
                None => groups.push((speaking, legs)),
            }
        }
        groups.push(self.idle_group(goals));
        groups.retain(|(goals, _)| !goals.is_empty());
        groups.iter().map(|(goals, legs)| tour_matrix(goals.len() + 1, legs, chains)).collect()
    }

    /// The idle goals, and the steps between them in which nothing changes.
    fn idle_group(&self, goals: &[usize]) -> (Vec<usize>, Vec<u64>) {
        let idle: Vec<usize> = goals.iter().copied().filter(|goal| self.idle.contains(goal)).collect();
        let size = idle.len() + 1;
        let leg = |place: usize| match (place / size, place % size) {
            (0, _) => 0,
            (_, 0) => 1,
            (from, to) => u64::from(from != to && self.is_apart(idle[from - 1], idle[to - 1])),
        };
        let legs = (0..size * size).map(leg).collect();
        (idle, legs)
    }

    /// Fewest changes of a part from the first step of a goal to that of another, from the
    /// beginning, and to the end.
    fn legs(&self, part: &Part, goals: &[usize]) -> Vec<u64> {
        let size = goals.len() + 1;
        let pairs = |place: usize| part.visits_of(goals[place - 1]).unwrap_or(&[]).iter().copied();
        let marked = |wanted: fn(&Value) -> bool| {
            (0..part.values.len()).filter(move |&value| wanted(&part.values[value]))
        };
        let mut toward = vec![part.changes_to(marked(|value| value.end))];
        toward.extend((1..size).map(|place| part.changes_to(pairs(place).map(|(before, _)| before))));
        let leg = |from: usize, to: usize| {
            let away = |value: usize| toward[to][value];
            let after =
                |(before, after): (usize, usize)| away(after).saturating_add(u64::from(before != after));
            match (from, to) {
                (0, _) => marked(|value| value.initial).map(away).min(),
                (_, 0) => pairs(from).map(after).min(),
                _ if self.is_apart(goals[from - 1], goals[to - 1]) => pairs(from).map(after).min(),
                _ => pairs(from).map(|(before, _)| away(before)).min(),
            }
            .unwrap_or(NEVER)
        };
        (0..size * size).map(|place| leg(place / size, place % size)).collect()
    }

    /// Checks that so many chains that cover these goals have at least the steps that all bounds
    /// together come to, by a certificate for each group.
    ///
    /// # Errors
    /// Which certificate does not show its bound.
    pub fn check(&self, goals: &[usize], chains: usize, tours: &[(u64, String)]) -> Result<u64, String> {
        let matrices = self.matrices(goals, chains);
        if matrices.len() != tours.len() {
            return Err(format!(
                "{} groups of goals need a tour each, there are {}",
                matrices.len(),
                tours.len()
            ));
        }
        let mut total = 0u64;
        for (number, (matrix, (bound, certificate))) in matrices.iter().zip(tours).enumerate() {
            tour::check(matrix, *bound, certificate).map_err(|why| format!("tour {number}: {why}"))?;
            total = total.saturating_add(*bound);
        }
        Ok(total)
    }
}

/// The matrix of these legs; where there are several chains, one may end and the next begin between
/// two goals.
fn tour_matrix(size: usize, legs: &[u64], chains: usize) -> Matrix {
    Matrix::new(size, |from, to| {
        let direct = legs[from * size + to];
        let restart = legs[from * size].saturating_add(legs[to]);
        let cost = if chains > 1 && from != 0 && to != 0 { direct.min(restart) } else { direct };
        (cost != NEVER).then_some(cost)
    })
}

impl Part {
    /// Whether the bits of the part can have the value.
    fn is_value(&self, value: u64) -> bool {
        let beyond = u32::try_from(self.bits.len()).ok().and_then(|bits| value.checked_shr(bits));
        beyond.unwrap_or(0) == 0
    }

    fn visit(&mut self, goal: usize, pair: (usize, usize)) -> Result<(), &'static str> {
        match self.visits.last_mut() {
            Some(last) if last.goal == goal => last.pairs.push(pair),
            Some(last) if last.goal > goal => return Err("the goals of a part should ascend"),
            _ => self.visits.push(Visits { goal, pairs: vec![pair] }),
        }
        Ok(())
    }

    /// The pairs of a goal, if it says something about the part.
    pub fn visits_of(&self, goal: usize) -> Option<&[(usize, usize)]> {
        self.visits.iter().find(|visits| visits.goal == goal).map(|visits| &visits.pairs[..])
    }

    /// By value: the fewest changes to one of these values.
    fn changes_to(&self, targets: impl Iterator<Item = usize>) -> Vec<u64> {
        let mut before = vec![Vec::new(); self.values.len()];
        self.changes.iter().for_each(|&(from, to)| before[to].push(from));
        let mut changes = vec![NEVER; self.values.len()];
        let mut open = VecDeque::new();
        for target in targets {
            if changes[target] == NEVER {
                changes[target] = 0;
                open.push_back(target);
            }
        }
        while let Some(value) = open.pop_front() {
            for &earlier in &before[value] {
                if changes[earlier] == NEVER {
                    changes[earlier] = changes[value] + 1;
                    open.push_back(earlier);
                }
            }
        }
        changes
    }
}

/// The numbers of a line; none where one is none.
fn places(text: &str) -> Vec<usize> {
    numbers(text.split(' ')).unwrap_or_default()
}

fn parse_value(text: &str) -> Option<Value> {
    let (marks, number) = text.split_once(' ')?;
    let (initial, end) = parse_marks(marks)?;
    Some(Value { bits: number.parse().ok()?, initial, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A part of all 64 bits has all numbers, one of no bits only 0.
    #[test]
    fn values_are_numbers_of_as_many_bits_as_the_part_has() {
        let bits: String = (0..64).map(|bit| format!("bit 0 {bit}\n")).collect();
        for (bits, value, fits) in [
            (&bits[..], u64::MAX, true),
            (&bits, 0, true),
            ("", 0, true),
            ("", 1, false),
            ("bit 0 5\n", 2, false),
        ] {
            let text = format!("chaincover parts 1\nword x\npart\n{bits}value - {value}\n");
            assert_eq!(Parts::parse(&text).is_ok(), fits, "{value} of\n{bits}");
        }
    }

    /// A place from 0 to 2 and a lamp; goal 0 lights it at 1, goal 1 puts it out at 2, goal 2 and 3
    /// wait.
    const HALL: &str = "chaincover parts 1\nword x\nword lamp\ngoal a\ngoal b\ngoal c\ngoal d\nidle 2\nidle 3\napart 2 3\n\
        part\nbit 0 0\nbit 0 1\nvalue i 0\nvalue e 1\nvalue e 2\nchange 0 1\nchange 1 2\nchange 1 0\nchange 2 1\npair 0 1 1\npair 1 2 2\n\
        part\nbit 1 0\nvalue ie 0\nvalue e 1\nchange 0 1\nchange 1 0\npair 0 0 1\npair 1 1 0\n";

    #[test]
    fn text_round_trips() {
        let hall = Parts::parse(HALL).expect("parts");
        assert_eq!(hall.print(), HALL);
        assert!(hall.differ(0, 1) && !hall.differ(2, 3));
    }

    #[test]
    fn legs_are_changes() {
        let hall = Parts::parse(HALL).expect("parts");
        let legs = |goals: &[usize], chains: usize| -> Vec<Vec<Option<u64>>> {
            let matrices = hall.matrices(goals, chains);
            matrices
                .iter()
                .map(|matrix| {
                    let size = matrix.vertices();
                    (0..size * size).map(|arc| matrix.cost(arc / size, arc % size)).collect()
                })
                .collect()
        };
        let never = None;
        // Both parts speak of the same goals: places and lamp together, its switching counted where
        // it begins.
        let both = vec![never, Some(1), Some(3), Some(1), never, Some(2), Some(1), Some(2), never];
        assert_eq!(legs(&[0, 1], 1), [both]);
        assert_eq!(legs(&[2], 1), [vec![never, Some(0), Some(1), never]]);
        let waits = vec![never, Some(0), Some(0), Some(1), never, Some(1), Some(1), Some(1), never];
        assert_eq!(legs(&[2, 3], 1), [waits]);
    }

    #[test]
    fn malformed_texts_are_refused() {
        let cases = [
            ("bit 0 0", "a bit should be in one part only"),
            ("bit 1 1", "the bits of a part should come first"),
            ("bit 2 1", "a line should be a word, a goal, or about parts"),
            ("value e 1", "a value should have marks and a new number within the bits of its part"),
            // The lamp is one bit, so that 2 would be another name of 0.
            ("value - 2", "a value should have marks and a new number within the bits of its part"),
            ("word y", "words should come first, then goals"),
            ("goal e", "words should come first, then goals"),
            ("change 0 2", "a change should be between values"),
            ("pair 0 0 1", "the goals of a part should ascend"),
            ("pair 4 0 1", "a line should be a word, a goal, or about parts"),
            ("apart 3 2", "goals apart should be two goals, the lesser first"),
            ("idle 4", "an idle goal should be a goal"),
            ("other", "a line should be a word, a goal, or about parts"),
        ];
        for (line, why) in cases {
            let parsed = Parts::parse(&format!("{HALL}{line}\n"));
            assert_eq!(parsed, Err(Malformed { line: HALL.lines().count() + 1, why }), "{line}");
        }
    }
}
