//! Many changed executions judged side by side.
//!
//! Where the state only counts, one execution at a time is fast: it leaps. Where integrators and
//! filters move all the time there is nothing to leap over, and each change of a chain of ten
//! thousand steps costs as many steps. Then changes are judged in the lanes of one machine, all at
//! once.

use super::archive::Hold;
use super::goals::Goals;
use super::player::{Position, step_goals};
use super::vectors::Vectors;
use crate::knowledge::vertex::Vertex;
use crate::step::code::Program;
use crate::step::lanes::{LANES, Lanes, Watch, lanes};

/// What a step of all lanes costs, in steps of one execution.
const ALL_LANES: u64 = 2;

/// A known execution: what changed ones are compared with.
pub(super) struct Known<'a> {
    pub(super) holds: &'a [Hold],
    /// Before the first hold, and after each one.
    pub(super) positions: &'a [Position],
    /// By hold: what is covered from there on.
    pub(super) rest: &'a [Goals],
    /// Whether it may end where it does.
    pub(super) ends: bool,
}

impl Known<'_> {
    /// Whether a position, with what was covered on the way there, goes on as that before a hold
    /// does.
    pub(super) fn is_at(&self, position: &Position, covered: &Goals, hold: usize) -> bool {
        let known = &self.positions[hold];
        let all_of = |windows: &[(Vertex, usize)], others: &[(Vertex, usize)]| {
            windows.iter().all(|window| others.contains(window) || covered.contains(window.0))
        };
        position.state == known.state
            && all_of(&known.active, &position.active)
            && all_of(&position.active, &known.active)
    }
}

/// The machine for many executions; see the module text.
pub(super) struct Batch<'p> {
    program: &'p Program,
    lanes: Box<dyn Lanes + 'p>,
    watch: Watch,
    /// What was spent, in evaluations of instructions.
    pub(super) cost: u64,
}

/// A changed execution in its lane.
struct Lane<'a> {
    holds: &'a [Hold],
    /// The hold under way, and how many of its steps are left.
    number: usize,
    left: u64,
    /// How many of the last holds are those of the known execution.
    after: usize,
    position: Position,
    /// What was covered before the hold under way.
    covered: Goals,
    verdict: Option<bool>,
}

impl<'p> Batch<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        let mut watch = Watch::new(program);
        watch.quiet.fill(0);
        Self { program, lanes: lanes(program), watch, cost: 0 }
    }

    /// Of each of these executions, [`LANES`] at most, whether it covers what is needed and may
    /// end. They begin where the known one does.
    pub(super) fn judge(
        &mut self,
        known: &Known<'_>,
        candidates: &[Vec<Hold>],
        (vectors, needed): (&Vectors, &Goals),
    ) -> Vec<bool> {
        let mut judged: Vec<Lane<'_>> = candidates.iter().map(|holds| Lane::new(holds, known)).collect();
        for (number, lane) in judged.iter().enumerate() {
            self.lanes.load(number, &lane.position.state);
            self.watch_for(number, lane, needed);
        }
        loop {
            for (number, lane) in judged.iter_mut().enumerate() {
                if lane.verdict.is_none() && lane.left == 0 {
                    self.go_on(number, lane, known, (vectors, needed));
                }
            }
            let living = judged.iter().filter(|lane| lane.verdict.is_none());
            // A lane with no steps left is at its end: one evaluation tells whether it may be.
            let Some(steps) = living.map(|lane| lane.left.max(1)).min() else { break };
            for _ in 0..steps {
                self.step(&mut judged, needed);
            }
            judged.iter_mut().for_each(|lane| lane.left = lane.left.saturating_sub(steps));
        }
        judged.into_iter().map(|lane| lane.verdict == Some(true)).collect()
    }

    /// Has a lane watched for goals that it has not covered yet.
    fn watch_for(&mut self, number: usize, lane: &Lane<'_>, needed: &Goals) {
        let mut covered = lane.covered;
        covered.add_all(&lane.position.covered);
        for (half, labels) in self.watch.labels.iter_mut().enumerate() {
            labels[number] = covered.missing(needed, half);
        }
    }

    /// Enters the next hold of a lane, unless its verdict is known before.
    fn go_on(
        &mut self,
        number: usize,
        lane: &mut Lane<'_>,
        known: &Known<'_>,
        (vectors, needed): (&Vectors, &Goals),
    ) {
        lane.settle();
        let left = lane.holds.len() - lane.number;
        if left <= lane.after {
            self.lanes.save(number, &mut lane.position.state);
            let hold = known.holds.len() - left;
            if known.is_at(&lane.position, &lane.covered, hold) {
                lane.covered.add_all(&known.rest[hold]);
                lane.verdict = Some(known.ends && lane.covered.holds_all(needed));
                return;
            }
        }
        match lane.holds.get(lane.number) {
            Some(&Hold { inputs, steps }) => {
                self.lanes.feed(number, vectors.get(inputs));
                lane.left = steps;
            }
            None if !lane.covered.holds_all(needed) => lane.verdict = Some(false),
            None => {}
        }
        lane.number += 1;
    }

    /// A step of all lanes.
    fn step(&mut self, judged: &mut [Lane<'_>], needed: &Goals) {
        self.lanes.evaluate();
        self.cost += ALL_LANES * self.program.cost;
        let alarms = self.lanes.alarms(&self.watch);
        for (number, lane) in judged.iter_mut().enumerate() {
            let is_ended = lane.number > lane.holds.len();
            let is_quiet = alarms >> number & 1 == 0 && lane.position.active.is_empty();
            if lane.verdict.is_some() || is_quiet && !is_ended {
                continue;
            }
            if is_ended {
                lane.verdict = Some(self.lanes.word(self.program.end, number) != 0);
            } else if self.lanes.word(self.program.allowed, number) == 0 {
                lane.verdict = Some(false);
            } else {
                let before = lane.position.covered;
                let machine = &self.lanes;
                step_goals(self.program, &mut lane.position, |slot| machine.word(slot, number));
                if lane.position.covered != before {
                    self.watch_for(number, lane, needed);
                }
            }
        }
        self.lanes.advance();
    }
}

impl<'a> Lane<'a> {
    /// From where an execution differs from the known one.
    fn new(holds: &'a [Hold], known: &Known<'_>) -> Self {
        let same = common(holds.iter(), known.holds.iter());
        let most = holds.len().min(known.holds.len()) - same;
        let after = common(holds.iter().rev(), known.holds.iter().rev()).min(most);
        let mut position = known.positions[same].clone();
        let covered = std::mem::take(&mut position.covered);
        Self { holds, number: same, left: 0, after, position, covered, verdict: None }
    }

    /// Enters what the hold that has ended covers.
    fn settle(&mut self) {
        let covered = std::mem::take(&mut self.position.covered);
        self.covered.add_all(&covered);
    }
}

/// Length of the common beginning.
pub(super) fn common<'a>(
    one: impl Iterator<Item = &'a Hold>,
    other: impl Iterator<Item = &'a Hold>,
) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

/// Most executions that are judged at once.
pub(super) const MOST: usize = LANES;
