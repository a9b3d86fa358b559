//! One execution at a time, with leaps over what only counts.

use super::archive::Hold;
use super::goals::Goals;
use super::vectors::Vectors;
use crate::knowledge::vertex::Vertex;
use crate::step::acceleration::Held;
use crate::step::code::{PACK, Program, Slot};
use crate::step::lanes::{Lanes, Watch, solo};

/// Longest period of the state under held inputs that is looked for, in steps.
const LONGEST_PERIOD: usize = 64;
/// Fewest repetitions of a period that are worth a leap.
const WORTHWHILE: u64 = 4;
/// Cost of the evaluation of an instruction over values that may move, in evaluated instructions.
const FORM_COST: u64 = 4;
/// How long a walk waits for an event, in steps.
pub(crate) const PATIENCE: u64 = 4_096;

/// Where an execution is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) state: Vec<u64>,
    /// The goals covered so far.
    pub(crate) covered: Goals,
    /// Occurrences under way: vertex, and the transition of its window that comes next.
    pub(crate) active: Vec<(Vertex, usize)>,
    /// Number of steps so far.
    pub(crate) steps: u64,
}

impl Position {
    /// Whether the same happens from here on as from another position.
    pub(crate) fn goes_on_as(&self, other: &Self) -> bool {
        self.state == other.state && self.active == other.active
    }
    /// Nothing covered yet.
    pub(crate) fn start(state: Vec<u64>) -> Self {
        Self { state, covered: Goals::default(), active: Vec::new(), steps: 0 }
    }
}

/// What to hold inputs for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    /// Most steps.
    pub(crate) steps: u64,
    /// Events after which it ends: a change of an atom that matters, a goal newly covered.
    pub(crate) events: usize,
    /// Steps before the last event to which the execution goes back, where it can.
    pub(crate) back: usize,
    /// Whether it ends where nothing will ever happen.
    pub(crate) hopes: bool,
    /// Steps without an event after which a hold that cannot be leapt over is given up, where
    /// events are waited for.
    pub(crate) patience: u64,
}

impl Order {
    /// So many steps, unless nothing will ever happen.
    pub(crate) const fn steps(steps: u64) -> Self {
        Self { steps, events: usize::MAX, back: 0, hopes: true, patience: PATIENCE }
    }
    /// Up to the next event, however long that takes, unless it never comes.
    pub(crate) const fn next_event(steps: u64) -> Self {
        Self { events: 1, patience: u64::MAX, ..Self::steps(steps) }
    }
    /// So many steps, whatever happens or does not.
    pub(crate) const fn exactly(steps: u64) -> Self {
        Self { hopes: false, ..Self::steps(steps) }
    }
}

/// Why holding ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// As ordered.
    Done,
    /// The assumptions do not allow these inputs any further.
    Refused,
    /// Nothing will ever happen under these inputs, or nothing has for long.
    Idle,
}

/// Runs single executions of a program.
pub(crate) struct Player<'p> {
    program: &'p Program,
    machine: Box<dyn Lanes + 'p>,
    held: Option<Held<'p>>,
    watch: Watch,
    /// Positions before the last steps under the inputs held now.
    history: Vec<Position>,
    /// Periods that were found, those used last first.
    periods: Vec<usize>,
    /// Longest window of a goal.
    window: usize,
    /// What was spent, in evaluations of instructions.
    pub(crate) cost: u64,
}

impl<'p> Player<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self {
            program,
            machine: solo(program),
            held: Held::new(program),
            watch: Watch::new(program),
            history: Vec::new(),
            periods: vec![1],
            window: program.labels.values().map(Vec::len).max().unwrap_or(0),
            cost: 0,
        }
    }

    /// What it runs.
    pub(crate) fn program(&self) -> &'p Program {
        self.program
    }

    /// The longest period found so far.
    pub(crate) fn longest_period(&self) -> usize {
        self.periods.iter().copied().max().unwrap_or(1)
    }

    /// Atoms whose changes are no events.
    pub(crate) fn ignore(&mut self, quiet: &[u32]) {
        self.watch.quiet = quiet.to_vec();
    }

    /// The packed atoms and the truth of Final at the state.
    pub(crate) fn look(&mut self, state: &[u64]) -> (Vec<u32>, bool) {
        self.machine.load(0, state);
        self.machine.evaluate();
        self.cost += self.program.cost;
        (self.atoms(), self.machine.word(self.program.end, 0) != 0)
    }

    /// What a step from the state computes under these inputs.
    pub(crate) fn computed(
        &mut self,
        state: &[u64],
        inputs: &[u64],
        slots: impl Iterator<Item = Slot>,
    ) -> Vec<u64> {
        self.machine.load(0, state);
        self.machine.feed(0, inputs);
        self.machine.evaluate();
        self.cost += self.program.cost;
        slots.map(|slot| self.machine.word(slot, 0)).collect()
    }

    fn atoms(&self) -> Vec<u32> {
        self.program.packed_atoms.iter().map(|&slot| self.machine.word(slot, 0) as u32).collect()
    }

    /// Plays a hold to its end; `false`: the assumptions refuse it.
    pub(crate) fn play(&mut self, position: &mut Position, vectors: &Vectors, hold: Hold) -> bool {
        let end = position.steps + hold.steps;
        let ended = self.hold(position, vectors.get(hold.inputs), Order::exactly(hold.steps));
        ended == Ended::Done && position.steps == end
    }

    /// Holds inputs from a position on.
    pub(crate) fn hold(&mut self, position: &mut Position, inputs: &[u64], order: Order) -> Ended {
        self.machine.load(0, &position.state);
        self.machine.feed(0, inputs);
        self.history.clear();
        let last = position.steps.saturating_add(order.steps);
        let (mut events, mut quiet_since, mut known) = (0, position.steps, false);
        let mut next_look = 4;
        while position.steps < last {
            self.machine.evaluate();
            self.cost += self.program.cost;
            if self.machine.word(self.program.allowed, 0) == 0 {
                return Ended::Refused;
            }
            if known && self.atoms_changed() {
                events += 1;
                quiet_since = position.steps;
            }
            self.remember_atoms();
            known = true;
            if events >= order.events {
                self.go_back(position, order.back);
                return Ended::Done;
            }
            self.history.push(position.clone());
            if self.advance(position) {
                events += 1;
                quiet_since = position.steps;
            }
            if self.history.len() == next_look {
                let spare = (last - position.steps).saturating_sub(order.back as u64);
                match self.leap(position, inputs, spare, order) {
                    Some(EVER) => return Ended::Idle,
                    Some(_) => next_look = 4,
                    None if next_look < 2 * LONGEST_PERIOD => next_look *= 2,
                    None => {
                        self.history.drain(..LONGEST_PERIOD);
                        next_look = 2 * LONGEST_PERIOD;
                    }
                }
            }
            if position.steps - quiet_since > order.patience
                && order.events != usize::MAX
                && self.steps_one_by_one()
            {
                return Ended::Idle;
            }
        }
        Ended::Done
    }

    /// Whether no leap was possible for long.
    fn steps_one_by_one(&self) -> bool {
        self.history.len() >= LONGEST_PERIOD
    }

    fn atoms_changed(&self) -> bool {
        let watched = self.program.packed_atoms.iter().zip(&self.watch.atoms).zip(&self.watch.quiet);
        watched
            .into_iter()
            .any(|((&slot, last), quiet)| (self.machine.word(slot, 0) as u32 ^ last[0]) & quiet != 0)
    }

    fn remember_atoms(&mut self) {
        for (&slot, last) in self.program.packed_atoms.iter().zip(&mut self.watch.atoms) {
            last[0] = self.machine.word(slot, 0) as u32;
        }
    }

    /// One step of what was evaluated; whether a goal was newly covered.
    fn advance(&mut self, position: &mut Position) -> bool {
        let before = position.covered;
        let machine = &self.machine;
        step_goals(self.program, position, |slot| machine.word(slot, 0));
        self.machine.advance();
        self.machine.save(0, &mut position.state);
        position.steps += 1;
        position.covered != before
    }

    /// Goes back to a position so many steps ago, as far as the inputs were held then.
    fn go_back(&self, position: &mut Position, back: usize) {
        if let Some(earlier) = self.history.len().checked_sub(back).and_then(|index| self.history.get(index))
        {
            position.clone_from(earlier);
        }
    }

    /// Leaps over as many periods as make no difference, but for some steps to go back over.
    /// [`EVER`]: nothing will ever happen, and something is hoped for. `None`: no leap is possible.
    fn leap(&mut self, position: &mut Position, inputs: &[u64], spare: u64, order: Order) -> Option<u64> {
        let periods = self.periods.clone();
        let others = (1..=LONGEST_PERIOD).filter(|period| !periods.contains(period));
        let period = periods.iter().copied().chain(others).find(|&period| self.repeats(position, period))?;
        let change = change(&position.state, &self.history[self.history.len() - period].state);
        let held = self.held.as_mut()?;
        self.cost += FORM_COST * period as u64 * self.program.cost;
        let times = held.repetitions(&position.state, &change, inputs, period);
        if times == EVER && order.hopes {
            return Some(EVER);
        }
        let kept = (order.back / period + 1) as u64;
        let times = times.saturating_sub(kept).min(spare / period as u64);
        if times < WORTHWHILE {
            return None;
        }
        for ((word, change), sort) in position.state.iter_mut().zip(&change).zip(&self.program.state_sorts) {
            let moved = i128::from(*word) + change * i128::from(times);
            *word = (moved as u128 & sort.mask()) as u64;
        }
        position.steps += times * period as u64;
        self.machine.load(0, &position.state);
        self.history.clear();
        self.periods.retain(|&known| known != period);
        self.periods.insert(0, period);
        Some(times)
    }

    /// Whether the last two periods changed the state by the same, and no occurrence is under way.
    fn repeats(&self, position: &Position, period: usize) -> bool {
        let held = self.history.len();
        if held < 2 * period + self.window - 1 || !position.active.is_empty() {
            return false;
        }
        let (middle, first) = (&self.history[held - period].state, &self.history[held - 2 * period].state);
        change(&position.state, middle) == change(middle, first)
    }
}

/// No end in sight.
pub(crate) const EVER: u64 = u64::MAX;

/// What one state has more than another, word by word.
fn change(after: &[u64], before: &[u64]) -> Vec<i128> {
    after.iter().zip(before).map(|(&after, &before)| i128::from(after) - i128::from(before)).collect()
}

/// Enters the goals that the step makes progress on into a position. `word` reads the slots of the
/// step.
#[inline(always)]
pub(crate) fn step_goals(program: &Program, position: &mut Position, word: impl Fn(u32) -> u64) {
    let mut active = std::mem::take(&mut position.active);
    active.retain_mut(|(vertex, transition)| {
        let labels = &program.labels[*vertex];
        if word(labels[*transition]) == 0 {
            return false;
        }
        *transition += 1;
        if *transition == labels.len() {
            position.covered.insert(*vertex);
        }
        *transition < labels.len()
    });
    for (number, &slot) in program.packed_labels.iter().enumerate() {
        let mut begun = word(slot) as u32;
        while begun != 0 {
            let vertex = Vertex::of_position(PACK * number + begun.trailing_zeros() as usize);
            begun &= begun - 1;
            if position.covered.contains(vertex) || vertex.position() >= super::goals::MOST_GOALS {
                continue;
            }
            match program.labels[vertex].len() {
                1 => position.covered.insert(vertex),
                _ if active.len() < 64 => active.push((vertex, 1)),
                _ => {}
            }
        }
    }
    position.active = active;
}
