//! Walks that go on with what inputs would end otherwise.
//!
//! A test goes on while a reading follows its stimulus, a controller stays in a mode while the
//! feedback agrees with the command: held inputs end that after a few steps, and what lies beyond
//! is out of reach for walks that only hold. So a walk looks at what each step changes. Where that
//! is more than what the steps before have changed, other inputs are tried in the same state,
//! mostly such as are equal to a state word, and the walk goes on with those that change nothing
//! more.

use super::{Reached, Search};
use crate::finders::simulate::archive::{Hold, join};
use crate::finders::simulate::player::{Ended, Order, Position};
use crate::step::lanes::{LANES, lanes};

/// The part of the search that such walks may take, 1 in so many of its evaluated instructions.
pub(super) const SHARE: u64 = 4;
/// Most steps of a walk.
const STEPS: u64 = 512;
/// 1 walk in so many goes on from a rare entry.
const RARE_SHARE: usize = 2;
/// How often a walk goes on with what could not be avoided.
const UNAVOIDED: usize = 4;
/// How many times as many inputs as there are lanes are tried in one state.
const BATCHES: usize = 6;
/// Most pairs of an input and a state word that are remembered.
const MOST_PAIRS: usize = 16;

/// Inputs that have helped by being equal to a state word, those that helped last first.
#[derive(Default)]
pub(super) struct Followed(Vec<(usize, usize)>);

impl Followed {
    fn note(&mut self, pair: (usize, usize)) {
        self.0.retain(|&known| known != pair);
        self.0.insert(0, pair);
        self.0.truncate(MOST_PAIRS);
    }
}

impl Search<'_> {
    /// A walk as the module text says, or one that [follows](super::follow).
    pub(super) fn endure(&mut self) {
        let before = self.spent + self.player.cost;
        let (stuck, limit) = (self.is_stuck(), self.limit());
        let rare = (self.random.below(RARE_SHARE) == 0).then(|| self.rare.pick(&mut self.random)).flatten();
        let rare = rare.filter(|&entry| self.archive.is_usable(entry, limit));
        if let Some(from) = rare.or_else(|| self.archive.pick(stuck, limit, &mut self.random)) {
            match !self.expected.is_empty() && self.random.below(2) == 0 {
                true => self.follow_from(from),
                false => self.endure_from(from),
            }
        }
        let cost = self.spent + self.player.cost - before;
        self.endured += cost;
        // That it comes to nothing says nothing of other walks.
        (self.progress, self.news) = (self.progress + cost, self.news + cost);
    }

    fn endure_from(&mut self, mut from: u32) {
        let (mut position, mut inputs) = (self.position(from), self.last_inputs(from));
        let (mut usual, mut unavoided) = (vec![[false; 2]; self.program.states], 0);
        let (begun, mut holds) = (position.steps, Vec::new());
        let mut is_first = true;
        while position.steps - begun < STEPS && position.steps < self.limit() {
            let mut next = self.stepped(&position, &inputs);
            let is_unusual =
                |next: &Position| changes(&position.state, &next.state).any(|(word, up)| !usual[word][up]);
            if !is_first && next.as_ref().is_none_or(is_unusual) {
                match self.avoiding(&position, &inputs, &usual) {
                    Some(other) => {
                        inputs = other;
                        next = self.stepped(&position, &inputs);
                    }
                    None if unavoided == UNAVOIDED => break,
                    None => unavoided += 1,
                }
            }
            is_first = false;
            let Some(next) = next else { break };
            changes(&position.state, &next.state).for_each(|(word, up)| usual[word][up] = true);
            position = next;
            let inputs = self.vectors.number(&inputs);
            join(&mut holds, Hold { inputs, steps: 1 });
            let (atoms, end) = self.player.look(&position.state);
            let reached = Reached { covered: position.covered, length: position.steps, holds: &holds };
            if let Some(entry) = self.enter(from, &position.state, &atoms, end, &reached) {
                (from, holds) = (entry, Vec::new());
            }
        }
    }

    /// The position a step later; `None`: the inputs are refused.
    pub(super) fn stepped(&mut self, position: &Position, inputs: &[u64]) -> Option<Position> {
        let mut next = position.clone();
        let ended = self.player.hold(&mut next, inputs, Order::exactly(1));
        (ended == Ended::Done).then_some(next)
    }

    /// Inputs under which a step changes only what is usual; `None`: none are found.
    fn avoiding(&mut self, position: &Position, inputs: &[u64], usual: &[[bool; 2]]) -> Option<Vec<u64>> {
        if inputs.is_empty() {
            return None;
        }
        let program = self.program;
        let mut machine = self.tries.take().unwrap_or_else(|| lanes(program));
        let mut found = None;
        for batch in 0..BATCHES {
            let tried: Vec<_> = (0..LANES).map(|lane| self.other(position, inputs, batch, lane)).collect();
            for (lane, (inputs, _)) in tried.iter().enumerate() {
                machine.load(lane, &position.state);
                machine.feed(lane, inputs);
            }
            machine.evaluate();
            self.player.cost += program.cost * LANES as u64;
            let allowed = |lane: usize| machine.word(program.allowed, lane) != 0;
            let allowed: Vec<bool> = (0..LANES).map(allowed).collect();
            machine.advance();
            let mut state = Vec::new();
            let is_usual = |lane: &usize| {
                machine.save(*lane, &mut state);
                allowed[*lane] && changes(&position.state, &state).all(|(word, up)| usual[word][up])
            };
            let hit = (0..LANES).find(is_usual);
            if let Some((inputs, pair)) = hit.and_then(|lane| tried.into_iter().nth(lane)) {
                pair.into_iter().for_each(|pair| self.followed.note(pair));
                found = Some(inputs);
                break;
            }
        }
        self.tries = Some(machine);
        found
    }

    /// Other inputs to try: as a pair that helped before, one equal to a state word, or any.
    fn other(
        &mut self,
        position: &Position,
        inputs: &[u64],
        batch: usize,
        lane: usize,
    ) -> (Vec<u64>, Option<(usize, usize)>) {
        let mut other = inputs.to_vec();
        let known = self.followed.0.get(lane).filter(|_| batch == 0).copied();
        if known.is_none() && (lane.is_multiple_of(2) || inputs.is_empty()) {
            // Guards cost queries: one of them is turned now and then.
            match lane {
                0 => self.vary(&mut other, &position.state),
                _ => self.stimuli.change(&mut other, &position.state, &mut self.random),
            }
            return (other, None);
        }
        let drawn = (self.random.below(inputs.len()), self.random.below(self.program.states));
        let pair = known.unwrap_or(drawn);
        let mask = self.program.input_sorts[pair.0].mask() as u64;
        other[pair.0] = position.state.get(pair.1).copied().unwrap_or(0) & mask;
        (other, Some(pair))
    }
}

/// The state words that two states differ in, each with whether it gets greater (1) or less (0).
fn changes(before: &[u64], after: &[u64]) -> impl Iterator<Item = (usize, usize)> {
    let pairs = before.iter().zip(after).enumerate();
    pairs
        .filter(|(_, (before, after))| before != after)
        .map(|(word, (before, after))| (word, usize::from(before < after)))
}
