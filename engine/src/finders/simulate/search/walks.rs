//! Single walks: from where a way has led on, with inputs that are held, or one after the other.

use super::{ATTEMPTS, Reached, Search};
use crate::finders::simulate::archive::{Hold, join};
use crate::finders::simulate::player::{Ended, Order, PATIENCE, Position};

/// Longest hold that waits for events, in steps.
const LONGEST_HOLD: u64 = 1 << 20;
/// The longest hold that is drawn has 2 to the power of one less than this many steps.
const HOLD_LENGTHS: usize = 14;
/// Evaluated instructions after which a walk begins no further hold: limits are looked at between
/// walks.
const MOST_WALKED: u64 = 100_000_000;
/// Most holds of a walk.
const HOLDS: usize = 12;
/// Most holds of a walk between few inputs.
const SWINGS: usize = 32;
/// Most inputs beside the first that such a walk goes to and fro between.
const FEW: usize = 3;
/// Inputs that are tried one by one from the same place.
const SCATTERED: usize = 256;

impl Search<'_> {
    /// A walk to a goal that was never covered, from an entry near it.
    pub(super) fn walk_near(&mut self) -> bool {
        let seen = self.seen;
        let open: Vec<usize> =
            (0..self.targets.len()).filter(|&goal| !seen.contains(self.targets[goal])).collect();
        let drawn = self.random.below(open.len());
        let goal = open.get(drawn).copied();
        let near = goal.and_then(|goal| Some((self.fronts.pick(goal, &mut self.random)?, goal)));
        let near = near.filter(|(entry, _)| self.archive.entry(*entry).length < self.limit());
        self.walk(near)
    }

    /// A walk from anywhere, or from an entry near a goal. Whether it came nearer to that goal than
    /// ever.
    pub(super) fn walk(&mut self, near: Option<(u32, usize)>) -> bool {
        let (stuck, limit) = (self.is_stuck(), self.limit());
        let picked =
            near.map(|(entry, _)| entry).or_else(|| self.archive.pick(stuck, limit, &mut self.random));
        let Some(mut from) = picked else { return false };
        let nearest = near.map(|(_, goal)| self.fronts.nearest(goal));
        self.player.ignore(&self.features.quiet);
        let mut position = self.position(from);
        let mut inputs = self.last_inputs(from);
        let mut keep = self.random.below(2) == 0;
        let few = match near {
            Some(_) if self.random.below(2) == 0 => self.few_inputs(&inputs, &position.state),
            _ => Vec::new(),
        };
        let most = if few.is_empty() { HOLDS } else { SWINGS };
        let (mut holds, mut refused) = (Vec::new(), 0);
        let before = self.player.cost;
        for _ in 0..1 + self.random.below(most) {
            if self.player.cost - before > MOST_WALKED {
                break;
            }
            if !few.is_empty() {
                inputs.clone_from(&few[self.random.below(few.len())]);
            } else if !std::mem::take(&mut keep) {
                self.vary(&mut inputs, &position.state);
            }
            let order = if few.is_empty() { self.order() } else { self.short_order() };
            let before = position.clone();
            let ended = self.player.hold(&mut position, &inputs, order);
            if ended == Ended::Idle && position.covered == before.covered {
                position = before;
                continue;
            }
            let taken = position.steps - before.steps;
            if taken == 0 {
                refused += 1;
                if refused > ATTEMPTS {
                    break;
                }
                continue;
            }
            self.stimuli.accept(&inputs);
            let inputs = self.vectors.number(&inputs);
            join(&mut holds, Hold { inputs, steps: taken });
            if position.steps >= self.limit() {
                break;
            }
            let (atoms, end) = self.player.look(&position.state);
            let reached = Reached { covered: position.covered, length: position.steps, holds: &holds };
            let entered = self.enter(from, &position.state, &atoms, end, &reached);
            let entered =
                entered.or_else(|| near.and_then(|_| self.keep_near(from, &position.state, &reached)));
            if let Some(entry) = entered {
                (from, holds) = (entry, Vec::new());
            }
        }
        near.is_some_and(|(_, goal)| Some(self.fronts.nearest(goal)) < nearest)
    }

    /// Many inputs, each for one step, from where a way has led: a narrow guard over floats is
    /// seldom met by the few inputs that walks hold.
    pub(super) fn scatter(&mut self) {
        let (stuck, limit) = (self.is_stuck(), self.limit());
        let Some(from) = self.archive.pick(stuck, limit, &mut self.random) else { return };
        let (start, last) = (self.position(from), self.last_inputs(from));
        for _ in 0..SCATTERED {
            let (mut position, mut inputs) = (start.clone(), last.clone());
            self.stimuli.change(&mut inputs, &start.state, &mut self.random);
            self.player.hold(&mut position, &inputs, Order::steps(1));
            let (covered, length) = (position.covered, position.steps);
            if length == start.steps || length >= self.limit() {
                continue;
            }
            let (atoms, end) = self.player.look(&position.state);
            if !self.archive.wants(self.features.cell(&position.state, &atoms), covered, length) {
                continue;
            }
            self.stimuli.accept(&inputs);
            let holds = [Hold { inputs: self.vectors.number(&inputs), steps: 1 }];
            let reached = Reached { covered, length, holds: &holds };
            self.enter(from, &position.state, &atoms, end, &reached);
        }
    }

    pub(super) fn position(&self, entry: u32) -> Position {
        let entry = self.archive.entry(entry);
        Position { covered: entry.covered, steps: entry.length, ..Position::start(entry.state.to_vec()) }
    }

    pub(super) fn first_inputs(&mut self) -> Vec<u64> {
        let mut inputs = vec![0; self.program.inputs];
        self.stimuli.change(&mut inputs, &[], &mut self.random);
        inputs
    }

    /// The inputs that led to an entry: what they did may have to go on.
    pub(super) fn last_inputs(&mut self, entry: u32) -> Vec<u64> {
        match self.archive.entry(entry).holds.last() {
            Some(hold) => self.vectors.get(hold.inputs).to_vec(),
            None => self.first_inputs(),
        }
    }

    /// A few inputs that a walk goes to and fro between, as what is pressed and released again, and
    /// what has to swing.
    fn few_inputs(&mut self, last: &[u64], state: &[u64]) -> Vec<Vec<u64>> {
        let mut few = vec![last.to_vec()];
        for _ in 0..1 + self.random.below(FEW) {
            let mut inputs = few[self.random.below(few.len())].clone();
            self.vary(&mut inputs, state);
            few.push(inputs);
        }
        few
    }

    fn short_order(&mut self) -> Order {
        match self.random.below(4) {
            0 => self.order(),
            _ => Order::steps(1 + self.random.below(4) as u64),
        }
    }

    fn order(&mut self) -> Order {
        let random = &mut self.random;
        match random.below(8) {
            0 | 1 => Order::steps(1),
            2 => Order::steps(1 + random.below(8) as u64),
            3 => Order::steps(1 << random.below(HOLD_LENGTHS)),
            _ => {
                let events = 1 + (random.next_word() | 1 << 6).trailing_zeros() as usize;
                let back = match random.below(8) {
                    0..4 => 0,
                    4 => 1,
                    5 => 2,
                    _ => random.below(2 * self.player.longest_period() + 2),
                };
                Order { steps: LONGEST_HOLD, events, back, hopes: true, patience: PATIENCE }
            }
        }
    }
}
