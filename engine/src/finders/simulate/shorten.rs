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
use super::batch::{Batch, Known, MOST, common};
use super::goals::Goals;
use super::player::{Player, Position};
use super::vectors::Vectors;
use crate::knowledge::chains::{CheckedChain, first_occurrence};
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::Session;
use model::trace::Trace;
use model::value::Value;
use rustc_hash::FxHashMap;
use std::ops::Range;

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
    /// By hold: what it covers.
    gained: Vec<Goals>,
    /// By hold: what is covered from there on.
    rest: Vec<Goals>,
    /// Whether it may end where it does.
    ends: bool,
    /// Judges many changes at once, and what that costs.
    batch: Option<Batch<'p>>,
    one_by_one: Account,
    side_by_side: Account,
    /// Holds that were copied for changes: of chains with many, that is what changes cost.
    copied: u64,
}

/// What judging changes has cost.
#[derive(Clone, Copy, Default)]
struct Account {
    changes: u64,
    cost: u64,
}

impl Account {
    /// For one change on average.
    fn each(&self) -> u64 {
        self.cost / self.changes.max(1)
    }
    /// Older changes count less and less: chains get shorter.
    fn add(&mut self, changes: u64, cost: u64) {
        const REMEMBERED: u64 = 1 << 10;
        self.changes += changes;
        self.cost += cost;
        if self.changes > REMEMBERED {
            (self.changes, self.cost) = (self.changes / 2, self.cost / 2);
        }
    }
}

/// Changes that are judged one by one before others are judged side by side, to see what that
/// costs.
const FIRST_ONE_BY_ONE: u64 = 8;

/// Fewest holds in a row that are left out before holds are looked at one by one.
const FEWEST_AT_ONCE: usize = 16;

/// The parts of a hold that are left out, 1 in so many; one step at least.
const PARTS: [u64; 6] = [1, 2, 4, 16, 128, u64::MAX];

impl<'a, 'p> Shortening<'a, 'p> {
    /// For an execution; `None`: it is refused.
    pub(crate) fn new(
        player: &'a mut Player<'p>,
        vectors: &'a mut Vectors,
        start: Position,
        holds: Vec<Hold>,
    ) -> Option<Self> {
        let mut shortening = Self {
            player,
            vectors,
            holds: Vec::new(),
            positions: vec![start],
            gained: Vec::new(),
            rest: vec![Goals::default()],
            ends: false,
            batch: None,
            one_by_one: Account::default(),
            side_by_side: Account::default(),
            copied: 0,
        };
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

    /// What all changes have cost, in evaluated instructions; copying a hold takes as long as one.
    pub(crate) fn spent(&self) -> u64 {
        self.player.cost + self.copied + self.batch.as_ref().map_or(0, |batch| batch.cost)
    }

    /// Plays a hold; what it covers, `None`: it is refused.
    fn play(&mut self, position: &mut Position, hold: Hold) -> Option<Goals> {
        let before = std::mem::take(&mut position.covered);
        let is_played = self.player.play(position, self.vectors, hold);
        let gained = position.covered;
        position.covered.add_all(&before);
        is_played.then_some(gained)
    }

    fn known(&self) -> Known<'_> {
        Known { holds: &self.holds, positions: &self.positions, rest: &self.rest, ends: self.ends }
    }

    /// Goes over to another execution from the same start; `false`: it is refused, and nothing is
    /// changed.
    fn replace(&mut self, holds: Vec<Hold>) -> bool {
        let same = common(holds.iter(), self.holds.iter());
        let mut positions = self.positions[..=same].to_vec();
        let mut gained = self.gained[..same].to_vec();
        let most = holds.len().min(self.holds.len()) - same;
        let after = common(holds.iter().rev(), self.holds.iter().rev()).min(most);
        for (number, &hold) in holds.iter().enumerate().skip(same) {
            let mut position = positions[positions.len() - 1].clone();
            let left = holds.len() - number;
            let at = self.holds.len() - left.min(self.holds.len());
            if left <= after && position.goes_on_as(&self.positions[at]) {
                for (old, gain) in self.positions[at + 1..].iter().zip(&self.gained[at..]) {
                    position.covered.add_all(gain);
                    position.state.clone_from(&old.state);
                    position.active.clone_from(&old.active);
                    positions.push(position.clone());
                    gained.push(*gain);
                }
                break;
            }
            let Some(gain) = self.play(&mut position, hold) else { return false };
            positions.push(position);
            gained.push(gain);
        }
        let mut rest = vec![Goals::default(); holds.len() + 1];
        for (number, gain) in gained.iter().enumerate().rev() {
            rest[number] = rest[number + 1];
            rest[number].add_all(gain);
        }
        self.ends = self.player.look(&positions[positions.len() - 1].state).1;
        (self.holds, self.positions, self.gained, self.rest) = (holds, positions, gained, rest);
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
            let at = self.holds.len() - left.min(self.holds.len());
            if left <= after && self.known().is_at(&position, &position.covered, at) {
                position.covered.add_all(&self.rest[at]);
                return self.ends && position.covered.holds_all(needed);
            }
            if self.play(&mut position, hold).is_none() {
                return false;
            }
        }
        position.covered.holds_all(needed) && self.player.look(&position.state).1
    }

    /// Which of these executions from the same start cover what is needed and may end. Many are
    /// judged side by side where that costs less.
    fn judge(&mut self, candidates: &[Vec<Hold>], needed: &Goals) -> Vec<bool> {
        let mut verdicts = Vec::with_capacity(candidates.len());
        for batch in candidates.chunks(MOST) {
            let is_many = batch.len() > 1 && self.judges_side_by_side();
            if !is_many || self.one_by_one.changes < FIRST_ONE_BY_ONE {
                for holds in batch {
                    let before = self.player.cost;
                    verdicts.push(self.suffices(holds, needed));
                    self.one_by_one.add(1, self.player.cost - before);
                }
                continue;
            }
            let mut machine = self.batch.take().unwrap_or_else(|| Batch::new(self.player.program()));
            let before = machine.cost;
            verdicts.extend(machine.judge(&self.known(), batch, (&*self.vectors, needed)));
            self.side_by_side.add(batch.len() as u64, machine.cost - before);
            self.batch = Some(machine);
        }
        verdicts
    }

    /// Whether many changes are judged side by side.
    pub(crate) fn judges_side_by_side(&self) -> bool {
        self.side_by_side.changes == 0 || self.side_by_side.each() < self.one_by_one.each()
    }

    /// Goes over to the shortest execution that comes of these changed ones, alone or together, and
    /// that covers what is needed and may end. `false`: none of them does.
    pub(crate) fn attempt_all(&mut self, candidates: &[Vec<Hold>], needed: &Goals) -> bool {
        let candidates: Vec<Vec<Hold>> = candidates.iter().map(|holds| joined(holds)).collect();
        self.copied += candidates.iter().map(|holds| 2 * holds.len() as u64).sum::<u64>();
        let verdicts = self.judge(&candidates, needed);
        let sufficing = candidates.into_iter().zip(verdicts).filter(|(_, suffices)| *suffices);
        let mut changes: Vec<Change> = sufficing.map(|(holds, _)| Change::new(&self.holds, holds)).collect();
        changes.sort_by_key(|change| change.length);
        let Some(first) = changes.first() else { return false };
        let mut together = vec![first.clone()];
        let mut combined: Vec<Vec<Hold>> = Vec::new();
        let length = self.length();
        for change in changes.iter().skip(1).filter(|change| change.length < length) {
            if together.iter().all(|other| other.is_apart(change)) {
                together.push(change.clone());
                combined.push(joined(&Change::applied(&self.holds, &together)));
            }
        }
        let alone = first.holds.clone();
        let verdicts = self.judge(&combined, needed);
        let best = combined.into_iter().zip(verdicts).rev().find(|(_, suffices)| *suffices);
        self.replace(best.map_or(alone, |(holds, _)| holds))
    }

    /// Goes over to another execution if that covers what is needed and may end.
    pub(crate) fn attempt(&mut self, holds: &[Hold], needed: &Goals) -> bool {
        let holds = joined(holds);
        self.judge(std::slice::from_ref(&holds), needed) == [true] && self.replace(holds)
    }

    /// Leaves out and shortens holds, the last ones first, until nothing more can be gained or the
    /// budget is spent.
    pub(crate) fn trim(&mut self, limit: &Limit<'_>) {
        let most = self.spent().saturating_add(limit.budget);
        self.omit_parts(limit);
        loop {
            let before = self.length();
            let mut number = self.holds.len();
            while number > 0 {
                number = (number - 1).min(self.holds.len() - 1);
                if self.spent() > most || limit.session.stopped().is_some() {
                    return;
                }
                if self.one_by_one.changes >= FIRST_ONE_BY_ONE && self.judges_side_by_side() {
                    number = self.trim_some(number, &limit.needed);
                } else {
                    self.trim_one(number, &limit.needed);
                }
            }
            if self.length() == before {
                return;
            }
        }
    }

    /// Leaves out many holds in a row, fewer and fewer at once: one by one, thousands of them would
    /// cost as many executions (A. Zeller, R. Hildebrandt, Simplifying and isolating
    /// failure-inducing input, IEEE Transactions on Software Engineering 28 (2002), section 3).
    fn omit_parts(&mut self, limit: &Limit<'_>) {
        let most = self.spent().saturating_add(limit.budget / 2);
        let mut size = self.holds.len() / 2;
        while size >= FEWEST_AT_ONCE {
            let mut end = self.holds.len();
            while end > 0 {
                if self.spent() > most || limit.session.stopped().is_some() {
                    return;
                }
                end = end.min(self.holds.len());
                let ends = (1..=end).rev().step_by(size).take(MOST);
                let parts: Vec<Range<usize>> = ends.map(|end| end.saturating_sub(size)..end).collect();
                let begin = parts.last().map_or(0, |part| part.start);
                let without =
                    |part: Range<usize>| [&self.holds[..part.start], &self.holds[part.end..]].concat();
                let candidates: Vec<Vec<Hold>> = parts.into_iter().map(without).collect();
                self.attempt_all(&candidates, &limit.needed);
                end = begin;
            }
            size /= 2;
        }
    }

    /// Leaves out and shortens some holds up to this one, by parts of different sizes. The first
    /// hold that was not tried.
    fn trim_some(&mut self, last: usize, needed: &Goals) -> usize {
        let mut candidates: Vec<Vec<Hold>> = Vec::new();
        let mut number = last + 1;
        while number > 0 && candidates.len() + PARTS.len() < MOST {
            number -= 1;
            let steps = self.holds[number].steps;
            let mut parts: Vec<u64> = PARTS.iter().map(|part| (steps / part).max(1)).collect();
            parts.dedup();
            for part in parts {
                let mut holds = self.holds.clone();
                holds[number].steps -= part;
                candidates.push(holds);
            }
            // Several holds at once.
            for count in [2, 4, 8] {
                if (last - number).is_multiple_of(count) && number + 1 >= count && candidates.len() < MOST {
                    let mut holds = self.holds.clone();
                    holds.drain(number + 1 - count..=number);
                    candidates.push(holds);
                }
            }
        }
        self.attempt_all(&candidates, needed);
        number
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

/// A changed execution: other holds in the place of some.
#[derive(Clone)]
struct Change {
    holds: Vec<Hold>,
    /// The holds that are replaced, and how many are in their place.
    replaced: Range<usize>,
    count: usize,
    /// Number of steps.
    length: u64,
}

impl Change {
    fn new(old: &[Hold], holds: Vec<Hold>) -> Self {
        let same = common(holds.iter(), old.iter());
        let most = holds.len().min(old.len()) - same;
        let after = common(holds.iter().rev(), old.iter().rev()).min(most);
        let length = holds.iter().map(|hold| hold.steps).sum();
        Self { replaced: same..old.len() - after, count: holds.len() - after - same, holds, length }
    }
    /// Whether it changes other holds than another one.
    fn is_apart(&self, other: &Self) -> bool {
        self.replaced.end < other.replaced.start || other.replaced.end < self.replaced.start
    }
    /// What these changes, each apart from all others, make of an execution.
    fn applied(old: &[Hold], changes: &[Self]) -> Vec<Hold> {
        let mut ordered: Vec<&Self> = changes.iter().collect();
        ordered.sort_by_key(|change| change.replaced.start);
        let (mut holds, mut at) = (Vec::new(), 0);
        for change in ordered {
            holds.extend_from_slice(&old[at..change.replaced.start]);
            let begin = change.replaced.start;
            holds.extend_from_slice(&change.holds[begin..begin + change.count]);
            at = change.replaced.end;
        }
        holds.extend_from_slice(&old[at..]);
        holds
    }
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
pub(crate) fn cut_loops(task: &Task<'_>, chain: &CheckedChain, vertices: &[Vertex]) -> Trace {
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
    use crate::knowledge::vertex::numbered;
    use crate::random_simulation::Random;
    use crate::step::code::Program;
    use model::text::parse;
    use model::trace::Start;
    use model::validate::validate;
    use rustc_hash::FxHashSet;

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

    /// The same verdicts come of executions that are judged at once, in any lane.
    fn assert_side_by_side(shortening: &Shortening<'_, '_>, judged: &mut Vec<(Vec<Hold>, Goals, bool)>) {
        let mut machine = Batch::new(shortening.player.program());
        for needed in judged.iter().map(|(_, needed, _)| *needed).collect::<FxHashSet<_>>() {
            let alike: Vec<_> = judged.iter().filter(|(_, other, _)| *other == needed).collect();
            for some in alike.chunks(MOST) {
                let candidates: Vec<Vec<Hold>> = some.iter().map(|(holds, ..)| holds.clone()).collect();
                let verdicts: Vec<bool> = some.iter().map(|(.., verdict)| *verdict).collect();
                let known = shortening.known();
                assert_eq!(machine.judge(&known, &candidates, (&*shortening.vectors, &needed)), verdicts);
            }
        }
        judged.clear();
    }

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
        let (mut met, mut side_by_side) = ([0; 2], Vec::new());
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
                let needed: Vec<Vertex> = Vertex::goals(4).filter(|_| random.below(3) == 0).collect();
                let inputs = holds.iter().flat_map(|hold| {
                    std::iter::repeat_n(values(shortening.vectors.get(hold.inputs)), hold.steps as usize)
                });
                let trace = Trace { start: Start::Initial(Vec::new()), inputs: inputs.collect() };
                let whole = longest_run(&task, &trace).expect("an execution");
                let ends = task.may_end(whole.run.states.last().expect("a state"));
                let suffices = whole.trace.inputs.len() == trace.inputs.len()
                    && ends
                    && needed.iter().all(|&goal| whole.covers(task.goal(goal)));
                let needed = Goals::of(&needed);
                assert_eq!(shortening.suffices(&holds, &needed), suffices);
                side_by_side.push((holds.clone(), needed, suffices));
                met[usize::from(suffices)] += 1;
                if suffices {
                    assert_side_by_side(&shortening, &mut side_by_side);
                    assert!(shortening.attempt(&holds, &Goals::default()));
                }
            }
            assert_side_by_side(&shortening, &mut side_by_side);
        }
        assert!(met[0] > 300 && met[1] > 300, "{met:?}");
    }

    #[test]
    fn long_parts_that_serve_nothing_are_left_out_at_once() {
        let text = "input up w1 input reset w1 input ask w1
            state x w8 next (ite reset 0 (ite up (add x 1) x))
            goal first when (and ask (eq x 40)) goal second when (and (not ask) (eq x 60))";
        let system = validate(parse(text).expect("a text")).expect("a system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let program = Program::compile(&task);
        let (mut player, mut vectors) = (Player::new(&program), Vectors::default());
        let mut hold = |inputs: [u64; 3], steps| Hold { inputs: vectors.number(&inputs), steps };
        let mut holds = vec![hold([1, 0, 0], 40), hold([0, 0, 1], 1)];
        for round in 0..2_000 {
            holds.extend([hold([1, 0, round % 2], 1), hold([0, 1, 0], 1)]);
        }
        holds.extend([hold([1, 0, 0], 60), hold([0, 0, 0], 1)]);
        let length: u64 = holds.iter().map(|hold| hold.steps).sum();
        let start = Position::start(vec![0]);
        let mut shortening = Shortening::new(&mut player, &mut vectors, start, holds).expect("an execution");
        let options = crate::options::Options::default();
        let session = Session::new(&options, &crate::session::Silent);
        // One by one, each of its holds costs a judgement.
        let budget = 100 * length * program.cost;
        shortening.trim(&Limit { needed: Goals::of(&numbered([1, 2])), budget, session: &session });
        assert_eq!(shortening.length(), 62, "{:?}", shortening.holds());
    }
}
