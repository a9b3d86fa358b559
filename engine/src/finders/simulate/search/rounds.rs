//! Walks side by side: as many as the lanes of the evaluator hold, each with inputs of its own,
//! looked at only where something changes that is watched.

use super::{ATTEMPTS, Reached, Search};
use crate::finders::simulate::archive::{Hold, join};
use crate::finders::simulate::player::{Position, step_goals};
use crate::step::lanes::LANES;

/// Steps of one round of lanes.
const ROUND: u64 = 256;
/// Lanes whose instruction counts as one evaluated instruction: they are vector instructions.
const LANES_PER_INSTRUCTION: u64 = 8;

/// One of the executions that run side by side.
#[derive(Clone, Debug)]
pub(super) struct Walker {
    entry: u32,
    /// Without the state, which is in the lane.
    position: Position,
    inputs: Vec<u64>,
    number: u32,
    holds: Vec<Hold>,
    /// Steps under the present inputs, and to go.
    since: u64,
    left: u64,
    /// Whether the state is to be looked at, whatever happens.
    pending: bool,
    refused: u32,
}

impl Search<'_> {
    pub(super) fn round(&mut self) -> bool {
        self.watch.quiet.clone_from(&self.features.quiet);
        if self.walkers.is_empty() {
            let idle = Walker::idle(self.first_inputs());
            self.walkers = vec![idle; LANES];
        }
        for lane in 0..LANES {
            if !self.restart(lane) {
                return false;
            }
        }
        for _ in 0..ROUND {
            self.lanes.evaluate();
            let mut alarms = self.lanes.alarms(&self.watch);
            for (lane, walker) in self.walkers.iter().enumerate() {
                alarms |= u32::from(walker.pending || !walker.position.active.is_empty()) << lane;
            }
            let mut refused = 0u32;
            while alarms != 0 {
                let lane = alarms.trailing_zeros() as usize;
                alarms &= alarms - 1;
                refused |= u32::from(!self.look(lane)) << lane;
            }
            self.lanes.advance();
            for lane in 0..LANES {
                let walker = &mut self.walkers[lane];
                if refused >> lane & 1 == 1 {
                    self.change_inputs(lane);
                    continue;
                }
                walker.since += 1;
                walker.left -= 1;
                if walker.left == 0 {
                    self.change_inputs(lane);
                }
            }
        }
        self.spent += ROUND * self.program.cost * LANES as u64 / LANES_PER_INSTRUCTION;
        false
    }

    /// Begins a walk at an entry of the archive; `false`: there is none.
    fn restart(&mut self, lane: usize) -> bool {
        let (stuck, limit) = (self.is_stuck(), self.limit());
        let Some(entry) = self.archive.pick(stuck, limit, &mut self.random) else { return false };
        let position = self.position(entry);
        self.lanes.load(lane, &position.state);
        let inputs = self.last_inputs(entry);
        self.walkers[lane] = Walker { entry, position, ..Walker::idle(inputs) };
        self.watch_for(lane);
        let keep = self.random.below(2) == 0;
        self.choose_inputs(lane, keep);
        true
    }

    /// Has the lane watched for what it has not covered.
    fn watch_for(&mut self, lane: usize) {
        let covered = self.walkers[lane].position.covered;
        for (half, labels) in self.watch.labels.iter_mut().enumerate() {
            labels[lane] = covered.missing(&self.wanted, half);
        }
    }

    fn change_inputs(&mut self, lane: usize) {
        self.choose_inputs(lane, false);
    }

    /// Goes on with the inputs of a lane or with others, for a while.
    fn choose_inputs(&mut self, lane: usize, keep: bool) {
        let walker = &mut self.walkers[lane];
        walker.settle();
        if !keep {
            let mut inputs = std::mem::take(&mut walker.inputs);
            let mut state = std::mem::take(&mut self.state);
            self.lanes.save(lane, &mut state);
            self.vary(&mut inputs, &state);
            self.state = state;
            self.walkers[lane].inputs = inputs;
        }
        let walker = &mut self.walkers[lane];
        self.lanes.feed(lane, &walker.inputs);
        let longest = [1, 1, 2, 4, 8, 16, 64, 256];
        let longest = longest[self.random.below(longest.len())];
        walker.left = 1 + self.random.below(longest) as u64;
        let inputs = std::mem::take(&mut self.walkers[lane].inputs);
        self.walkers[lane].number = self.vectors.number(&inputs);
        self.walkers[lane].inputs = inputs;
    }

    /// Looks at a lane where something happens. `false`: its inputs are refused.
    fn look(&mut self, lane: usize) -> bool {
        if self.lanes.word(self.program.allowed, lane) == 0 {
            self.walkers[lane].refused += 1;
            if self.walkers[lane].refused > ATTEMPTS {
                self.restart(lane);
            }
            return false;
        }
        let program = self.program;
        let atoms: Vec<u32> =
            program.packed_atoms.iter().map(|&slot| self.lanes.word(slot, lane) as u32).collect();
        let news = std::mem::take(&mut self.walkers[lane].pending)
            | atoms
                .iter()
                .zip(&self.watch.atoms)
                .zip(&self.watch.quiet)
                .any(|((now, last), quiet)| (now ^ last[lane]) & quiet != 0);
        if news {
            self.walkers[lane].refused = 0;
            for (last, &now) in self.watch.atoms.iter_mut().zip(&atoms) {
                last[lane] = now;
            }
            self.keep(lane, &atoms);
        }
        let walker = &mut self.walkers[lane];
        let before = walker.position.covered;
        let lanes = &self.lanes;
        step_goals(program, &mut walker.position, |slot| lanes.word(slot, lane));
        if walker.position.covered != before {
            walker.pending = true;
            self.watch_for(lane);
        }
        // Where all is covered only the end is missing: every state is looked at.
        let walker = &mut self.walkers[lane];
        walker.pending |= walker.position.covered.holds_all(&self.wanted);
        true
    }

    /// Enters the state of a lane, before its step.
    fn keep(&mut self, lane: usize, atoms: &[u32]) {
        let mut state = std::mem::take(&mut self.state);
        self.lanes.save(lane, &mut state);
        let end = self.lanes.word(self.program.end, lane) != 0;
        let walker = &mut self.walkers[lane];
        let length = walker.position.steps + walker.since;
        let covered = walker.position.covered;
        let cell = self.features.cell(&state, atoms);
        if length > 0 && (end || self.archive.wants(cell, covered, length)) {
            self.stimuli.accept(&walker.inputs);
            walker.settle();
            let (from, holds) = (walker.entry, std::mem::take(&mut walker.holds));
            let reached = Reached { covered, length, holds: &holds };
            let entered = self.enter(from, &state, atoms, end, &reached);
            let walker = &mut self.walkers[lane];
            match entered {
                Some(entry) => walker.entry = entry,
                None => walker.holds = holds,
            }
        }
        self.state = state;
    }
}

impl Walker {
    fn idle(inputs: Vec<u64>) -> Self {
        Self {
            entry: 0,
            position: Position::start(Vec::new()),
            inputs,
            number: 0,
            holds: Vec::new(),
            since: 0,
            left: 1,
            pending: true,
            refused: 0,
        }
    }
    /// Closes the hold under way.
    fn settle(&mut self) {
        join(&mut self.holds, Hold { inputs: self.number, steps: self.since });
        self.position.steps += self.since;
        self.since = 0;
    }
}
