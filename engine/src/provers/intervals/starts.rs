//! Ranges of the states after a goal has occurred, by SAT.
//!
//! What holds of one word follows from all the others here: a timer that the goal's last step
//! resets is known to be zero. Each limit is either met by a state that was seen, or one of the
//! constants of the program, or none.

use super::ranges::Ranges;
use crate::knowledge::invariants::{Claim, Fact};
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::random_simulation::constants;
use crate::session::{Session, Stop};
use crate::step::frames::Frames;
use model::id::Id;
use model::sort::Sort;
use model::system::StateId;
use solver::sat::Lit;

/// Conflicts that one query may cost.
const CONFLICTS: u64 = 2_000;
/// States seen beyond a limit before constants are tried for it, and constants that are tried.
const TRIALS: usize = 3;

/// Where executions go on from.
pub(super) struct Start {
    /// Ranges of the state words.
    pub(super) state: Vec<Ranges>,
    /// Steps since the first state of the source.
    pub(super) step: u32,
    /// Targets that cannot begin before.
    pub(super) open: Vec<Vertex>,
}

/// See the module text.
pub(super) struct Starts<'s> {
    task: &'s Task<'s>,
    frames: Frames<'s>,
    constants: Vec<(Sort, Vec<u128>)>,
}

/// One end of the ranges of a word.
#[derive(Clone, Copy)]
struct End {
    word: StateId,
    sort: Sort,
    /// Whether the top bit is set.
    upper_half: bool,
    greatest: bool,
}

impl<'s> Starts<'s> {
    pub(super) fn new(
        task: &'s Task<'s>,
        start: encoder::unroll::Start,
        session: &Session<'_>,
    ) -> Result<Self, Stop> {
        let frames = Frames::new(task, start, session)?;
        Ok(Self { task, frames, constants: constants(task.system) })
    }

    /// The states at the end of the source's window. `None`: the source never occurs, or it is too
    /// hard to say anything.
    pub(super) fn start(
        &mut self,
        source: Vertex,
        targets: &[Vertex],
        session: &Session<'_>,
    ) -> Result<Option<Start>, Stop> {
        let step = self.task.steps(source);
        let mut occurs = vec![self.frames.running(step)?];
        if !source.is_depot() {
            occurs.push(self.frames.literal(self.task.target(source).antecedent, 0)?);
        }
        let mut open = Vec::new();
        for &target in targets {
            if !self.may_begin_within(target, step, &occurs, session)? {
                open.push(target);
            }
        }
        let mut seen = Vec::new();
        if self.look(&occurs, &[], step, &mut seen, session)? != Some(true) {
            return Ok(None);
        }
        let mut state = Vec::with_capacity(self.task.system.states.len());
        for word in self.task.system.states.ids() {
            state.push(self.ranges(word, step, &occurs, &mut seen, session)?);
        }
        Ok(Some(Start { state, step, open }))
    }

    /// Whether a target may begin during the first `steps` steps.
    fn may_begin_within(
        &mut self,
        target: Vertex,
        steps: u32,
        occurs: &[Lit],
        session: &Session<'_>,
    ) -> Result<bool, Stop> {
        if target.is_depot() {
            return Ok(false);
        }
        let antecedent = self.task.target(target).antecedent;
        for time in 0..steps {
            let mut query = occurs.to_vec();
            query.push(self.frames.literal(antecedent, time)?);
            query.push(self.frames.running(time + self.task.steps(target))?);
            if self.frames.ask(&query, CONFLICTS, session)? != Some(false) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Asks for a state; it joins those seen.
    fn look(
        &mut self,
        occurs: &[Lit],
        further: &[Lit],
        frame: u32,
        seen: &mut Vec<Vec<u128>>,
        session: &Session<'_>,
    ) -> Result<Option<bool>, Stop> {
        let query: Vec<Lit> = occurs.iter().chain(further).copied().collect();
        let answer = self.frames.ask(&query, CONFLICTS, session)?;
        if answer == Some(true) {
            let state = self.frames.unrolling.state_at(frame, &*self.frames.solver);
            seen.push(state.iter().map(|word| word.bits()).collect());
        }
        Ok(answer)
    }

    fn ranges(
        &mut self,
        word: StateId,
        frame: u32,
        occurs: &[Lit],
        seen: &mut Vec<Vec<u128>>,
        session: &Session<'_>,
    ) -> Result<Ranges, Stop> {
        let sort = self.task.system.terms.symbol(self.task.system.states[word].symbol).sort;
        let width = sort.width();
        if width > 64 {
            return Ok(Ranges::all(width));
        }
        let mut ranges = Ranges::NOTHING;
        for upper_half in [false, true] {
            let end = |greatest| End { word, sort, upper_half, greatest };
            let half = self.half(word, upper_half, frame)?;
            let is_seen = seen.iter().any(|state| end(true).is_in_half(state[word.index()]));
            if !is_seen && self.look(occurs, &[half], frame, seen, session)? == Some(false) {
                continue;
            }
            let low = self.limit(end(false), half, frame, occurs, seen, session)?;
            let high = self.limit(end(true), half, frame, occurs, seen, session)?;
            ranges.add(width, low, high);
        }
        Ok(ranges)
    }

    /// The literal that the top bit of a word is as it should be.
    fn half(&mut self, word: StateId, upper: bool, frame: u32) -> Result<Lit, Stop> {
        let bits = self.frames.word(word, frame)?;
        let top = *bits.last().expect("a word should have a bit");
        Ok(if upper { top } else { !top })
    }

    /// A limit that no state passes.
    fn limit(
        &mut self,
        end: End,
        half: Lit,
        frame: u32,
        occurs: &[Lit],
        seen: &mut Vec<Vec<u128>>,
        session: &Session<'_>,
    ) -> Result<u128, Stop> {
        let position = end.word.index();
        for trial in 0..2 * TRIALS {
            let values = seen.iter().map(|state| state[position]).filter(|&bits| end.is_in_half(bits));
            let extreme = if end.greatest { values.max() } else { values.min() };
            let Some(extreme) = extreme else { return Ok(end.outermost()) };
            let candidate = if trial < TRIALS { extreme } else { self.constant_beyond(end, extreme) };
            if candidate == end.outermost() {
                return Ok(candidate);
            }
            let (state, limit) = (end.word, candidate);
            let claim = match end.greatest {
                true => Claim::AtMost { state, signed: false, limit },
                false => Claim::AtLeast { state, signed: false, limit },
            };
            let holds = self.frames.fact(&Fact { guard: None, claim }, frame)?;
            match self.look(occurs, &[half, !holds], frame, seen, session)? {
                Some(false) => return Ok(candidate),
                Some(true) => {}
                None => return Ok(end.outermost()),
            }
        }
        Ok(end.outermost())
    }

    /// The next constant of the program, or the end of the half.
    fn constant_beyond(&self, end: End, extreme: u128) -> u128 {
        let empty = Vec::new();
        let known = self.constants.iter().find(|(sort, _)| *sort == end.sort);
        let constants = known.map_or(&empty, |(_, constants)| constants);
        let beyond = constants.iter().copied().filter(|&bits| end.is_in_half(bits));
        let nearest = match end.greatest {
            true => beyond.filter(|&bits| bits >= extreme).min(),
            false => beyond.filter(|&bits| bits <= extreme).max(),
        };
        nearest.unwrap_or(end.outermost())
    }
}

impl End {
    fn is_in_half(self, bits: u128) -> bool {
        (bits >> (self.sort.width() - 1) & 1 == 1) == self.upper_half
    }
    /// The end of the half.
    fn outermost(self) -> u128 {
        let half = 1u128 << (self.sort.width() - 1);
        match (self.upper_half, self.greatest) {
            (false, false) => 0,
            (false, true) => half - 1,
            (true, false) => half,
            (true, true) => half + (half - 1),
        }
    }
}

/// Ranges of the inputs that the assumptions allow in some state.
pub(super) fn inputs(task: &Task<'_>, session: &Session<'_>) -> Result<Vec<Ranges>, Stop> {
    let mut frames = Frames::new(task, encoder::unroll::Start::Free, session)?;
    let running = frames.running(1)?;
    let mut ranges = Vec::with_capacity(task.system.inputs.len());
    for input in task.system.inputs.ids() {
        let bits = frames.unrolling.input_literals(input, 0);
        let width = bits.len() as u32;
        if width > 64 || bits.iter().all(Option::is_none) {
            ranges.push(Ranges::all(width));
            continue;
        }
        let mut found = Ranges::NOTHING;
        for upper_half in [false, true] {
            if let Some(low) = outermost(&bits, upper_half, false, running, &mut frames, session)?
                && let Some(high) = outermost(&bits, upper_half, true, running, &mut frames, session)?
            {
                found.add(width, low, high);
            }
        }
        ranges.push(found);
    }
    Ok(ranges)
}

/// The least or greatest word with that top bit, or one beyond it; from the top each bit is as it
/// is wanted, if that is possible. Bits without literal are free. `None`: there is no word with
/// that top bit.
fn outermost(
    bits: &[Option<Lit>],
    upper_half: bool,
    greatest: bool,
    running: Lit,
    frames: &mut Frames<'_>,
    session: &Session<'_>,
) -> Result<Option<u128>, Stop> {
    let last = bits.len() - 1;
    let (mut query, mut value) = (vec![running], 0u128);
    for (bit, &literal) in bits.iter().enumerate().rev() {
        let wanted = if bit == last { upper_half } else { greatest };
        let mut is_met = true;
        if let Some(literal) = literal {
            query.push(if wanted { literal } else { !literal });
            is_met = frames.ask(&query, CONFLICTS, session)? != Some(false);
            if !is_met && bit == last {
                return Ok(None);
            }
            if !is_met {
                let literal = query.pop().expect("a literal should be there");
                query.push(!literal);
            }
        }
        value |= u128::from(wanted == is_met) << bit;
    }
    Ok(Some(value))
}
