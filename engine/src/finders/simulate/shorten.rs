//! Shorter executions that cover the same.
//!
//! Holds are left out or made shorter where what follows still covers the goals, and the way up to
//! a point is replaced by a shorter one from the archive that leads to the same cell with the same
//! goals covered. Only the part of a changed execution that differs is played: where it comes to a
//! state that the old one was in, with the same inputs to follow, the rest is as before. The result
//! is never longer. [`cut_loops`] then leaves out all that happens between two visits of the same
//! state. [`annealing`](crate::finders::simulate::annealing) tries many such changes of whole
//! chains.

use super::archive::{Hold, join};
use super::goals::Goals;
use super::player::{Player, Position};
use super::vectors::Vectors;
use crate::knowledge::chains::{CheckedChain, first_occurrence};
use crate::knowledge::task::Task;
use crate::session::Session;
use model::trace::Trace;
use model::value::Value;
use rustc_hash::FxHashMap;

/// What must be kept, and what keeping it shorter may cost.
#[derive(Clone, Copy)]
pub(crate) struct Limit<'a> {
    pub(crate) needed: Goals,
    /// In evaluated instructions.
    pub(crate) budget: u64,
    /// Time and interruption.
    pub(crate) session: &'a Session<'a>,
}

/// An execution that is made shorter.
pub(crate) struct Shortening<'a, 'p> {
    pub(crate) player: &'a mut Player<'p>,
    pub(crate) vectors: &'a mut Vectors,
    holds: Vec<Hold>,
    /// Before the first hold, and after each one.
    positions: Vec<Position>,
    /// By hold: what is covered from there on.
    rest: Vec<Goals>,
}

impl<'a, 'p> Shortening<'a, 'p> {
    /// For an execution; `None`: it is refused.
    pub(crate) fn new(
        player: &'a mut Player<'p>,
        vectors: &'a mut Vectors,
        start: Position,
        holds: Vec<Hold>,
    ) -> Option<Self> {
        let mut shortening =
            Self { player, vectors, holds: Vec::new(), positions: vec![start], rest: Vec::new() };
        shortening.replace(holds).then_some(shortening)
    }

    /// The execution.
    pub(crate) fn holds(&self) -> &[Hold] {
        &self.holds
    }

    /// The execution, which is as short as could be.
    pub(crate) fn into_holds(self) -> Vec<Hold> {
        self.holds
    }

    /// Number of steps.
    pub(crate) fn length(&self) -> u64 {
        self.holds.iter().map(|hold| hold.steps).sum()
    }

    /// The state before a hold, or after the last one.
    pub(crate) fn state(&self, hold: usize) -> &[u64] {
        &self.positions[hold].state
    }

    /// Plays a hold; `false`: it is refused.
    fn play(&mut self, position: &mut Position, hold: Hold) -> bool {
        self.player.play(position, self.vectors, hold)
    }

    /// Goes over to another execution from the same start; `false`: it is refused, and nothing is
    /// changed.
    fn replace(&mut self, holds: Vec<Hold>) -> bool {
        let same = common(holds.iter(), self.holds.iter());
        let mut positions = self.positions[..=same].to_vec();
        for &hold in &holds[same..] {
            let mut position = positions[positions.len() - 1].clone();
            if !self.play(&mut position, hold) {
                return false;
            }
            positions.push(position);
        }
        let mut rest = vec![Goals::default(); holds.len() + 1];
        for (number, &hold) in holds.iter().enumerate().rev() {
            let mut alone = Position { covered: Goals::default(), ..positions[number].clone() };
            self.play(&mut alone, hold);
            rest[number] = rest[number + 1];
            rest[number].add_all(&alone.covered);
        }
        (self.holds, self.positions, self.rest) = (holds, positions, rest);
        true
    }

    /// Whether an execution from the same start covers what is needed and may end.
    fn suffices(&mut self, holds: &[Hold], needed: &Goals) -> bool {
        let same = common(holds.iter(), self.holds.iter());
        let shorter = holds.len().min(self.holds.len()) - same;
        let after = common(holds.iter().rev(), self.holds.iter().rev()).min(shorter);
        let mut position = self.positions[same].clone();
        for (number, &hold) in holds.iter().enumerate().skip(same) {
            let left = holds.len() - number;
            if left <= after && self.is_at(&position, self.holds.len() - left) {
                position.covered.add_all(&self.rest[self.holds.len() - left]);
                return position.covered.holds_all(needed);
            }
            if !self.play(&mut position, hold) {
                return false;
            }
        }
        position.covered.holds_all(needed) && self.player.look(&position.state).1
    }

    /// Whether a position goes on as that before a hold does.
    fn is_at(&self, position: &Position, hold: usize) -> bool {
        let known = &self.positions[hold];
        position.state == known.state && position.active == known.active
    }

    /// Goes over to another execution if that covers what is needed and may end.
    pub(crate) fn attempt(&mut self, holds: &[Hold], needed: &Goals) -> bool {
        let holds = joined(holds);
        self.suffices(&holds, needed) && self.replace(holds)
    }

    /// Leaves out and shortens holds, the last ones first, until nothing more can be gained or the
    /// budget is spent.
    pub(crate) fn trim(&mut self, limit: &Limit<'_>) {
        let most = self.player.cost.saturating_add(limit.budget);
        loop {
            let before = self.length();
            let mut number = self.holds.len();
            while number > 0 {
                number = (number - 1).min(self.holds.len() - 1);
                if self.player.cost > most || limit.session.stopped().is_some() {
                    return;
                }
                self.trim_one(number, &limit.needed);
            }
            if self.length() == before {
                return;
            }
        }
    }

    /// Makes one hold as short as is possible by halving; it may vanish.
    pub(crate) fn trim_one(&mut self, number: usize, needed: &Goals) {
        let Some(&Hold { mut steps, .. }) = self.holds.get(number) else { return };
        let (count, mut less) = (self.holds.len(), steps);
        while less > 0 {
            let mut holds = self.holds.clone();
            holds[number].steps -= less;
            if self.attempt(&holds, needed) {
                steps -= less;
                less = less.min(steps);
                if self.holds.len() != count {
                    return;
                }
            } else {
                less /= 2;
            }
        }
    }

    /// Replaces the beginning by shorter ways, which `shorter` tells for a position, if there are
    /// any.
    pub(crate) fn replace_legs(
        &mut self,
        limit: &Limit<'_>,
        mut shorter: impl FnMut(&mut Player<'_>, &Position) -> Option<Vec<Hold>>,
    ) {
        let most = self.player.cost.saturating_add(limit.budget);
        let mut number = self.holds.len();
        while number > 1 && self.player.cost <= most && limit.session.stopped().is_none() {
            number -= 1;
            let Some(mut way) = shorter(self.player, &self.positions[number]) else { continue };
            way.extend_from_slice(&self.holds[number..]);
            if self.attempt(&way, &limit.needed) {
                number = number.min(self.holds.len());
            }
        }
    }
}

/// Length of the common beginning.
fn common<'a>(one: impl Iterator<Item = &'a Hold>, other: impl Iterator<Item = &'a Hold>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

/// The same execution: none of its holds is empty, and neighbours that are the same are one.
fn joined(holds: &[Hold]) -> Vec<Hold> {
    holds.iter().fold(Vec::new(), |mut joined, &hold| {
        join(&mut joined, hold);
        joined
    })
}

/// The execution without what happens between two visits of the same state, as far as the first
/// occurrences of these goals stay.
pub(crate) fn cut_loops(task: &Task<'_>, chain: &CheckedChain, vertices: &[usize]) -> Trace {
    let mut windows: Vec<(usize, usize)> = vertices
        .iter()
        .filter_map(|&vertex| {
            let first = first_occurrence(&chain.run, task.goal(vertex))? as usize;
            Some((first, first + task.steps(vertex) as usize))
        })
        .collect();
    windows.push((chain.trace.inputs.len(), chain.trace.inputs.len()));
    windows.sort_unstable();
    let (mut inputs, mut at) = (Vec::with_capacity(chain.trace.inputs.len()), 0);
    for (begin, end) in windows {
        if begin > at {
            let states = &chain.run.states[at..=begin];
            let mut last: FxHashMap<&[Value], usize> = FxHashMap::default();
            states.iter().enumerate().for_each(|(index, state)| {
                last.insert(state, index);
            });
            let mut index = last[&states[0][..]];
            while index < states.len() - 1 {
                inputs.push(chain.trace.inputs[at + index].clone());
                index = last[&states[index + 1][..]];
            }
            at = begin;
        }
        if end > at {
            inputs.extend_from_slice(&chain.trace.inputs[at..end]);
            at = end;
        }
    }
    Trace { start: chain.trace.start.clone(), inputs }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::chains::longest_run;
    use crate::knowledge::task::all_goals;
    use crate::random_simulation::Random;
    use crate::step::code::Program;
    use model::text::parse;
    use model::trace::Start;
    use model::validate::validate;

    /// Timers that stop each other, a refusal, goals of one to three steps, an end that is not
    /// everywhere.
    const TIMERS: &str = "input a w1 input b w1 input c w2
        state x w5 next (ite a (ite (ult x 20) (add x 1) x) (ite (ult 0 x) (sub x 1) x))
        state y w4 next (ite (and b (not a)) (ite (ult y 11) (add y 1) y) (ite (eq c 2) 0 y))
        state m w2 next (ite (eq c 3) (ite (ule 9 x) 1 (ite (ule 5 y) 2 m)) m)
        assume (not (and (eq c 1) (eq x 7)))
        goal one when (and (eq m 1) (ule 6 y)) goal two steps 2 when (and (eq m 2) (eq x@2 4))
        goal three steps 3 when (and (eq c 0) (eq y@1 y@2) (ult y@2 y@3)) goal four when (eq x 20)
        end (not (eq m 0))";

    #[test]
    fn what_is_said_to_suffice_does_so() {
        let system = validate(parse(TIMERS).expect("a text")).expect("a system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let program = Program::compile(&task);
        let start = task.initial_state(&[]);
        let bits = |values: &[Value]| values.iter().map(|value| value.bits() as u64).collect::<Vec<u64>>();
        let values = |inputs: &[u64]| -> Vec<Value> {
            inputs
                .iter()
                .zip(&program.input_sorts)
                .map(|(&bits, &sort)| Value::new(sort, bits.into()))
                .collect()
        };
        let (mut player, mut vectors, mut random) =
            (Player::new(&program), Vectors::default(), Random::new(7));
        let drawn = |random: &mut Random, vectors: &mut Vectors| {
            let inputs = [random.below(2) as u64, random.below(2) as u64, random.below(4) as u64];
            Hold { inputs: vectors.number(&inputs), steps: 1 + random.below(24) as u64 }
        };
        let mut met = [0; 2];
        for _ in 0..60 {
            let holds: Vec<Hold> = (0..12).map(|_| drawn(&mut random, &mut vectors)).collect();
            let position = Position::start(bits(&start));
            let Some(mut shortening) = Shortening::new(&mut player, &mut vectors, position, holds) else {
                continue;
            };
            for _ in 0..60 {
                let mut holds = shortening.holds().to_vec();
                let place = random.below(holds.len());
                match random.below(3) {
                    0 => drop(holds.remove(place)),
                    1 => holds[place].steps = random.below(20) as u64,
                    _ => holds[place] = drawn(&mut random, shortening.vectors),
                }
                let holds = joined(&holds);
                let needed: Vec<usize> = (1..=4).filter(|_| random.below(3) == 0).collect();
                let inputs = holds.iter().flat_map(|hold| {
                    std::iter::repeat_n(values(shortening.vectors.get(hold.inputs)), hold.steps as usize)
                });
                let trace = Trace { start: Start::Initial(Vec::new()), inputs: inputs.collect() };
                let whole = longest_run(&task, &trace).expect("an execution");
                let ends = task.may_end(whole.run.states.last().expect("a state"));
                let suffices = whole.trace.inputs.len() == trace.inputs.len()
                    && ends
                    && needed.iter().all(|&goal| whole.covers(task.goal(goal)));
                assert_eq!(shortening.suffices(&holds, &Goals::of(&needed)), suffices);
                met[usize::from(suffices)] += 1;
                if suffices {
                    assert!(shortening.attempt(&holds, &Goals::default()));
                }
            }
        }
        assert!(met[0] > 300 && met[1] > 300, "{met:?}");
    }
}
