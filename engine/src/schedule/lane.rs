//! Engines that work one after the other, each for a turn.

use crate::error::StopReason;
use crate::finders::simulation::LOOK;
use crate::knowledge::known::Knowledge;
use crate::options::EngineId;
use crate::schedule::constants::{FIRST_TURN, GROWTH};
use crate::schedule::situation::Situation;
use crate::schedule::table::{Engine, FinderBox, ProverBox, Row};
use crate::session::{Session, Stop};
use crate::tuning::{Constant, Tuning};
use crate::turn::{Found, Turn};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Most rounds that an engine waits whose turns come to nothing.
pub(super) const LONGEST_WAIT: Constant = Constant {
    name: "schedule.longest-wait",
    usual: 16,
    unit: "rounds",
    purpose: "how long a finder that comes to nothing waits at most",
};

/// Most goals are decided where at most one in so many is open.
const MOSTLY: usize = 4;

/// A round in which every engine that has something to do is due: the first ones leave some out.
const LATER: u32 = 2;

/// Making chains fewer gets one of so many parts of the last part of the time; the rest is left to
/// making them shorter.
const PARTS_OF_LAST_CALL: u32 = 2;

/// An engine that goes on from what it has found and covers 1 in so many of the goals that were
/// open gets another turn at once, while open goals come first.
const WORTH_ANOTHER: usize = 10;

/// Engines that lead to further goals in turns.
const COVERING: [EngineId; 2] = [EngineId::Simulation, EngineId::Concolic];

/// Engines that look for open goals alone: where other processes have decided most of these, a turn
/// that began before has lost its purpose.
const SEEKING: [EngineId; 6] = [
    EngineId::Concolic,
    EngineId::Exclusion,
    EngineId::HeldInputs,
    EngineId::Landmarks,
    EngineId::Modes,
    EngineId::Simulation,
];

/// That is so where at most one in so many is still open.
const ENOUGH_DECIDED: usize = 2;

/// What the schedule remembers of an engine between its turns.
pub(super) struct Record {
    pub(super) row: &'static Row,
    turns: u32,
    /// Its turns in a row that came to nothing.
    fruitless: u32,
    /// Whether its last turn found out nothing.
    is_barren: bool,
    /// The round before which it gets no turn.
    waits_for: u32,
    /// What was known when it had nothing to do until that changes.
    idle_at: Option<Mark>,
    /// What was known when its last turn ended.
    left_at: Option<Mark>,
    pub(super) last: Option<Turn>,
}

/// How much is known: what engines wait to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    open: usize,
    chains: usize,
    steps: u64,
}

impl Mark {
    fn of(known: &Knowledge) -> Self {
        let (chains, steps) = known.cost();
        Self { open: known.open_goals().len(), chains, steps }
    }
}

impl Record {
    pub(super) fn new(row: &'static Row) -> Self {
        Self {
            row,
            turns: 0,
            fruitless: 0,
            is_barren: false,
            waits_for: 0,
            idle_at: None,
            left_at: None,
            last: None,
        }
    }
    /// What the next turn may cost.
    fn work(&self, tuning: &Tuning) -> u64 {
        let set = |what: &str| tuning.get(&format!("{}.{what}", self.row.engine));
        let own = set(FIRST_TURN);
        let first = own.as_ref().map_or(self.row.turns, std::slice::from_ref);
        let growth = set(GROWTH).unwrap_or(self.row.growth);
        let later = (self.turns as usize + 1).saturating_sub(first.len());
        let listed = first[(self.turns as usize).min(first.len() - 1)];
        (0..later).fold(listed, |work, _| work.saturating_mul(growth))
    }
    fn is_over(&self) -> bool {
        matches!(self.last, Some(Turn::Exhausted | Turn::Complete))
    }
    /// Whether a turn beyond its own is not worth it: it costs much, and its last turn came to
    /// nothing.
    fn is_costly_guess(&self) -> bool {
        let is_cheap = matches!(self.row.engine, EngineId::Simulation | EngineId::Concolic);
        !is_cheap && self.fruitless > 0
    }
    /// Whether it waits for a later round than the next one.
    pub(super) fn is_waiting(&self, round: u32) -> bool {
        self.waits_for > round + 1 && !self.is_over()
    }
}

/// An engine, as a lane calls it.
pub(super) trait Working {
    /// One turn, and whether it was the effort of the turn that ended it, where effort did.
    fn work(
        &mut self,
        row: &Row,
        known: &mut Knowledge,
        work: u64,
        session: &Session<'_>,
    ) -> (Result<Turn, Stop>, bool);
}

impl Working for FinderBox<'_> {
    fn work(
        &mut self,
        _row: &Row,
        known: &mut Knowledge,
        work: u64,
        session: &Session<'_>,
    ) -> (Result<Turn, Stop>, bool) {
        let mut found = Found::default();
        let ended = self.run(known, &mut found, work, session);
        let offered = found.into_sets().into_iter().try_for_each(|chains| known.offer(chains).map(drop));
        (offered.map_err(Stop::from).and(ended), true)
    }
}

impl Working for ProverBox<'_> {
    fn work(
        &mut self,
        row: &Row,
        known: &mut Knowledge,
        work: u64,
        session: &Session<'_>,
    ) -> (Result<Turn, Stop>, bool) {
        if row.counts_itself {
            return (self.run(known, work, session), true);
        }
        session.within(work, || {
            let ended = self.run(known, work, session);
            (ended, session.allowance() == Some(0))
        })
    }
}

impl Working for Engine<'_> {
    fn work(
        &mut self,
        row: &Row,
        known: &mut Knowledge,
        work: u64,
        session: &Session<'_>,
    ) -> (Result<Turn, Stop>, bool) {
        match self {
            Engine::Finder(finder) => finder.work(row, known, work, session),
            Engine::Prover(prover) => prover.work(row, known, work, session),
        }
    }
}

/// What the turns so far have left behind.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Left {
    /// Whether the states were too many where further limits may do.
    pub(super) enumeration: bool,
    /// How many of the last rounds in a row covered nothing more.
    pub(super) stalled: u32,
}

impl Left {
    /// As the last turns have ended, and so many rounds that covered nothing more.
    pub(super) fn of<'r>(records: impl Iterator<Item = &'r Record>, stalled: u32) -> Self {
        let mut left = Self { stalled, ..Self::default() };
        records.for_each(|record| left.note(record));
        left
    }
    fn note(&mut self, record: &Record) {
        let is_open = record.last == Some(Turn::Open);
        if record.row.engine == EngineId::Enumeration {
            self.enumeration = is_open;
        }
    }
}

/// A turn that ends as soon as another lane has covered everything.
fn until_heard(
    heard: &AtomicBool,
    session: &Session<'_>,
    turn: impl FnOnce(&Session<'_>) -> (Result<Turn, Stop>, bool),
) -> (Result<Turn, Stop>, bool) {
    let part = session.beside(heard);
    let own = part.open();
    let ended = turn(&own);
    session.take(own.into_accounts());
    match ended {
        (Err(Stop::Limit(_)), is_spent) if part.is_ended() => (Ok(Turn::Idle), is_spent),
        ended => ended,
    }
}

/// Engines that take turns in one thread.
pub(super) struct Lane<'l, E> {
    session: &'l Session<'l>,
    workers: Vec<(&'l mut Record, &'l mut E)>,
    left: Left,
    /// Whether it has come to its end where no goal is open any more.
    pub(super) only_seeks_goals: bool,
    /// Set where it has come to its end for another reason.
    pub(super) ends_with: Option<&'l AtomicBool>,
    /// What it tells the lane beside it: that it has covered all that it does not know to be
    /// impossible.
    pub(super) tells: Option<&'l AtomicBool>,
    /// Set where the lane beside it says the same: finders have nothing to do here any more.
    pub(super) heard: Option<&'l AtomicBool>,
    /// Says that an unrolling became too large.
    pub(super) is_too_large: bool,
}

impl<'l, E: Working> Lane<'l, E> {
    pub(super) fn new(
        workers: Vec<(&'l mut Record, &'l mut E)>,
        left: Left,
        session: &'l Session<'l>,
    ) -> Self {
        Self {
            session,
            workers,
            left,
            only_seeks_goals: false,
            ends_with: None,
            tells: None,
            heard: None,
            is_too_large: false,
        }
    }

    /// Round after round, until nobody works in one. Whether anybody has worked.
    pub(super) fn rounds(&mut self, rounds: Range<u32>, known: &mut Knowledge) -> Result<bool, Stop> {
        let mut has_worked = false;
        for round in rounds {
            if !self.round(round, known)? {
                break;
            }
            has_worked = true;
            if self.is_over(known) {
                break;
            }
        }
        Ok(has_worked)
    }

    pub(super) fn is_over(&self, known: &Knowledge) -> bool {
        if self.ends_with.is_some_and(|ended| ended.load(Ordering::Relaxed)) {
            return true;
        }
        let has_found = self.only_seeks_goals && known.open_goals().is_empty();
        has_found || known.is_settled(self.session.options.gap)
    }

    /// A turn for each engine that is due, in order. Whether any had one.
    pub(super) fn round(&mut self, round: u32, known: &mut Knowledge) -> Result<bool, Stop> {
        let (mut has_worked, mut covers_more) = (false, false);
        for number in 0..self.workers.len() {
            if self.is_over(known) {
                break;
            }
            self.session.check_limits()?;
            has_worked |= self.last_call(round, known)?;
            while self.is_due(number, round, known) {
                has_worked = true;
                let open = known.open_goals().len();
                let work = self.workers[number].0.work(&self.session.options.tuning);
                let advanced = self.turn(number, work, round, known)?;
                let is_covering = is_covering(self.workers[number].0);
                covers_more |= advanced && is_covering;
                self.interleave(number, round, known)?;
                let covered = open.saturating_sub(known.open_goals().len());
                let goes_on = self.workers[number].0.row.goes_on && covered * WORTH_ANOTHER >= open.max(1);
                if !goes_on || round == 0 || !self.situation(round, known).seeks_goals {
                    break;
                }
                // The next turn is in the same round.
                self.workers[number].0.waits_for = round;
            }
            let is_last = !self.workers[number + 1..].iter().any(|(record, _)| is_covering(record));
            if is_last && std::mem::take(&mut covers_more) && round > 0 && !known.open_goals().is_empty() {
                self.cover_on(round, known)?;
            }
        }
        has_worked |= self.last_call(round, known)?;
        Ok(has_worked)
    }

    /// Chains as simulation finds them are several times too long, and more than need be. So where
    /// they were not made fewer and shorter yet and the time is nearly up, that comes before all
    /// else. Whether it was done.
    fn last_call(&mut self, round: u32, known: &mut Knowledge) -> Result<bool, Stop> {
        let Some(number) = self.condenser().filter(|_| self.session.is_last_call()) else { return Ok(false) };
        if known.chains().is_empty() || self.is_condensed(number, round, known) {
            return Ok(false);
        }
        let joiner = self.position(EngineId::Concatenation);
        if let Some(joiner) = joiner.filter(|&joiner| self.is_due(joiner, round.max(LATER), known)) {
            let work = self.workers[joiner].0.work(&self.session.options.tuning);
            let session = self.session;
            session.share(PARTS_OF_LAST_CALL, || self.turn(joiner, work, round, known))?;
            session.check_limits()?;
        }
        self.turn(number, self.workers[number].0.work(&self.session.options.tuning), round, known)?;
        Ok(true)
    }

    /// The engine that makes long chains shorter, where it is in this lane.
    fn condenser(&self) -> Option<usize> {
        self.position(EngineId::Annealing)
    }

    fn position(&self, engine: EngineId) -> Option<usize> {
        self.workers.iter().position(|(record, _)| record.row.engine == engine)
    }

    /// Whether that engine has nothing to do, or has seen the chains that are known.
    fn is_condensed(&self, condenser: usize, round: u32, known: &Knowledge) -> bool {
        let record = &self.workers[condenser].0;
        let is_seen = record.left_at.is_some_and(|mark| (mark.chains, mark.steps) == known.cost());
        let late = Situation { seeks_goals: false, ..self.situation(round.max(LATER), known) };
        is_seen || record.is_over() || !(record.row.suits)(&late)
    }

    /// Whether an engine leaves the last part of the time to the one that makes chains shorter.
    /// What finds chains does so before there are any.
    fn leaves_last_part(&self, number: usize, round: u32, known: &Knowledge) -> bool {
        let Some(condenser) = self.condenser().filter(|&condenser| condenser != number) else { return false };
        match known.chains().is_empty() {
            true => !self.workers[number].0.row.proves,
            false => !self.is_condensed(condenser, round, known),
        }
    }

    fn is_due(&self, number: usize, round: u32, known: &Knowledge) -> bool {
        let record = &self.workers[number].0;
        if record.is_over() || record.waits_for > round || record.idle_at == Some(Mark::of(known)) {
            return false;
        }
        (record.row.suits)(&self.situation(round, known))
    }

    fn situation(&self, round: u32, known: &Knowledge) -> Situation {
        Situation::new(known, round, self.left, self.session)
    }

    /// One turn; whether it has covered goals or made chains better.
    fn turn(&mut self, number: usize, work: u64, round: u32, known: &mut Knowledge) -> Result<bool, Stop> {
        let session = self.session;
        let leaves_last_part = self.leaves_last_part(number, round, known);
        let (record, engine) = &mut self.workers[number];
        let (began, queries) = (Instant::now(), session.sat_calls());
        let before = (Mark::of(known), known.lower_bound());
        let heard = self.heard.filter(|_| !record.row.proves);
        let others = known.others().filter(|_| SEEKING.contains(&record.row.engine));
        let promised = others.map(|others| others.when_open(before.0.open / ENOUGH_DECIDED));
        let mut turn = || match heard.or(promised.as_deref()) {
            Some(heard) => until_heard(heard, session, |own| engine.work(record.row, known, work, own)),
            None => engine.work(record.row, known, work, session),
        };
        let (ended, is_spent) = if leaves_last_part { session.before_last_call(turn) } else { turn() };
        let mark = Mark::of(known);
        let after = (mark, known.lower_bound());
        let facts = u32::from(before.0 != after.0) + u32::from(before.1 != after.1);
        session.account(record.row.engine, began.elapsed(), session.sat_calls() - queries, facts);
        record.turns += 1;
        record.is_barren = facts == 0;
        let turn = match ended {
            Ok(turn) => turn,
            Err(Stop::Limit(StopReason::Effort)) if is_spent => Turn::Open,
            Err(Stop::Limit(StopReason::Deadline)) if session.stopped().is_none() => Turn::Open,
            Err(Stop::Limit(StopReason::Effort)) => {
                self.is_too_large = true;
                Turn::Exhausted
            }
            Err(halt) => return Err(halt),
        };
        record.last = Some(turn);
        record.idle_at = (turn == Turn::Idle).then_some(mark);
        record.left_at = Some(mark);
        // Without a limit of time, finders that persist would never end.
        let persists = record.row.persists && (record.row.proves || session.options.deadline.is_some());
        record.fruitless = if facts > 0 || persists { 0 } else { record.fruitless + 1 };
        let longest_wait = session.options.tuning.value(&LONGEST_WAIT).clamp(1, 1 << 16) as u32;
        record.waits_for = round + 1 + 2u32.saturating_pow(record.fruitless).min(longest_wait) - 1;
        self.left.note(record);
        let (chains, steps) = known.cost();
        session.progress.update(
            known.depth(),
            known.covered().len(),
            (chains > 0).then_some(steps),
            known.lower_bound(),
        );
        known.meet_others()?;
        if let Some(tells) = self.tells.filter(|_| known.open_goals().is_empty()) {
            tells.store(true, Ordering::Relaxed);
        }
        Ok(before.0 != after.0)
    }

    /// A turn of the engine that gets one after that of any other, where chains are short and most
    /// goals decided: a bound of the whole chain says little where many are open. Where its last
    /// turn found out nothing it waits for its own one.
    fn interleave(&mut self, after: usize, round: u32, known: &mut Knowledge) -> Result<(), Stop> {
        let found = self.workers.iter().position(|(record, _)| record.row.interleaves && !record.is_barren);
        let Some(number) = found.filter(|&number| number != after) else { return Ok(()) };
        let open = known.open_goals().len();
        let is_decided = open * MOSTLY <= open + known.covered().len();
        let is_shallow = self.situation(round, known).is_shallow;
        if !is_shallow || !is_decided || known.is_settled(self.session.options.gap) {
            return Ok(());
        }
        self.workers[number].0.waits_for = round;
        if self.is_due(number, round, known) {
            self.turn(number, self.workers[number].0.work(&self.session.options.tuning), round, known)?;
        }
        Ok(())
    }

    /// Where one of the engines that cover goals has led to more of them, the others go on from
    /// there, and so in turns until none of them covers more.
    fn cover_on(&mut self, round: u32, known: &mut Knowledge) -> Result<(), Stop> {
        let mut goes_on = true;
        while goes_on && !known.open_goals().is_empty() {
            goes_on = false;
            for number in 0..self.workers.len() {
                let record = &self.workers[number].0;
                if !is_covering(record) || record.is_over() || record.is_costly_guess() {
                    continue;
                }
                self.session.check_limits()?;
                if self.session.is_last_call() {
                    return Ok(());
                }
                let work = if record.row.engine == EngineId::Simulation {
                    LOOK
                } else {
                    record.work(&self.session.options.tuning)
                };
                goes_on |= self.turn(number, work, round, known)?;
            }
        }
        Ok(())
    }
}

fn is_covering(record: &Record) -> bool {
    COVERING.contains(&record.row.engine)
}
