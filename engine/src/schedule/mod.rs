//! Which engine works when.
//!
//! Engines work in turns, in rounds, in the order of [`ENGINES`]. A turn costs a certain effort at
//! most, counted in states, conflicts and instructions and not in time, so that results do not
//! depend on the machine; the search for short chains among enumerated states alone stops for
//! others after a time. Engines keep their state between turns, and turns grow, as long as a goal
//! is open or the chains may be longer than need be: until the time is up, or, where there is no
//! limit of time, until an engine has done all that it can to the end. A finder whose turn came to
//! nothing waits for some rounds, twice as many each time; an engine that advanced is asked again
//! at once.
//!
//! From the third round on finders and provers work side by side, in two lanes; from the second on,
//! where many goals are open, or chains are long and time is limited. Both begin with what was
//! known at the start, and what the finders found enters when both have ended. So it is with one
//! thread as well, where one lane follows the other: results do not depend on the number of
//! threads. As long as many goals are open and rounds go on covering some, engines that only make
//! chains shorter or fewer wait, and a lane may have several rounds until it hears of the other
//! one. Where there is a limit of time, finders have further rounds as long as provers are at work
//! in theirs, on a machine with several threads.

mod cones;
mod constants;
mod lane;
mod pool;
mod situation;
mod table;

pub use constants::{CONSTANTS, tune};
pub use table::{ENGINES, Row};

use crate::error::{EngineError, StopReason};
use crate::exchange::Exchange;
use crate::finders::simulate::annealing::{FIRST_TURN, shortened};
use crate::finders::simulation::alone;
use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::optimum::enumerated::{for_strategy, forced};
use crate::optimum::exact::OptimalSearch;
use crate::options::{EngineChoice, EngineId, Options};
use crate::provers::bmc::Bounded;
use crate::provers::explicit::Explicit;
use crate::session::{Accounts, Part, Session, Stop};
use crate::threads::side_by_side;
use crate::tuning::Constant;
use crate::turn::Turn;
use lane::{Lane, Left, Record};
use pool::Pool;
use situation::{SHALLOW, seeks_goals};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, scope};
use table::{Engine, FinderBox};

/// Rounds at the beginning in which all engines work in one lane: most searches end in them, and
/// each engine gains from what the one before it has found.
pub(super) const ROUNDS_IN_ONE_LANE: Constant = Constant {
    name: "schedule.rounds-in-one-lane",
    usual: 2,
    unit: "rounds",
    purpose: "how long engines work one after the other before finders and provers work side by side",
};

/// Rounds of finders until they hear of what provers have found, as long as open goals come first.
pub(super) const ROUNDS_OF_FINDERS: Constant = Constant {
    name: "schedule.rounds-of-finders",
    usual: 3,
    unit: "rounds",
    purpose: "how many rounds finders have until they hear of provers, while open goals come first",
};

/// Rounds of provers until they hear of what finders have found, as long as open goals come first.
/// They are fewer, because the turns of provers grow faster.
pub(super) const ROUNDS_OF_PROVERS: Constant = Constant {
    name: "schedule.rounds-of-provers",
    usual: 2,
    unit: "rounds",
    purpose: "how many rounds provers have until they hear of finders, while open goals come first",
};

/// Rounds of finders at most until they hear of provers, where these take longer.
pub(super) const MOST_ROUNDS_OF_FINDERS: Constant = Constant {
    name: "schedule.most-rounds-of-finders",
    usual: 8,
    unit: "rounds",
    purpose: "how many rounds finders have at most while provers are at work in one",
};

/// A round in which all engines are due that exclude open goals, however many these are.
const ROUND_OF_EXCLUSIONS: u32 = 1;

/// Rounds in a row in which finders that ask the C library may come to nothing.
const MOST_FRUITLESS: u32 = 1;

/// The exact strategy with the engines that suit the options; see the module text.
pub(crate) fn run(task: &Task<'_>, known: &mut Knowledge, session: &Session<'_>) -> Result<(), Stop> {
    let ended = match session.options.engine {
        EngineChoice::Auto => {
            for goal in task.vertices() {
                // A chain that covers a goal is no shorter than its window.
                known.raise(Bound::new(&[goal], Claim::Steps(u64::from(task.steps(goal)))))?;
            }
            match &session.options.exchange {
                Some(exchange) => beside_others(task, known, exchange, session),
                None => Schedule::new(task, session, |_| true).run(known),
            }
        }
        EngineChoice::Explicit => forced(task, session)
            .and_then(|distances| OptimalSearch::new(task, *distances, session).turn(known)),
        EngineChoice::Sat => Bounded::new(task, session)
            .map_err(Stop::from)
            .and_then(|distances| OptimalSearch::new(task, distances, session).turn(known)),
        EngineChoice::Simulate => simulate(task, known, session),
    };
    match ended {
        // A limit that was reached does not matter where nothing could be added.
        Err(Stop::Limit(StopReason::Deadline | StopReason::Effort)) if known.is_settled(0.0) => Ok(()),
        ended => ended,
    }
}

/// The search beside other processes of the same task: it ends as soon as they have found out
/// together what there is to find out.
fn beside_others(
    task: &Task<'_>,
    known: &mut Knowledge,
    exchange: &Arc<Exchange>,
    session: &Session<'_>,
) -> Result<(), Stop> {
    let options = Options { stop: Arc::default(), ..session.options.clone() };
    let inner = session.under(&options);
    let pool = Pool::new(task, known, (exchange, session.options), &options.stop);
    let ended = scope(|scope| {
        let listener = Builder::new().spawn_scoped(scope, || pool.listen());
        let pool = listener.is_ok().then_some(&pool);
        // Where no thread can be had, nobody hears what others say, nor that the run has to end.
        let session = if pool.is_some() { &inner } else { session };
        known.set_others(pool.map(Pool::others));
        let ended = Schedule { pool, ..Schedule::new(task, session, |_| true) }.run(known);
        if let Some(pool) = pool {
            pool.close();
        }
        ended
    });
    session.take(inner.into_accounts());
    pool.pour_out(known)?;
    match ended {
        Err(Stop::Limit(_)) if session.stopped().is_none() && known.is_settled(session.options.gap) => Ok(()),
        ended => ended,
    }
}

/// Chains of a system that calls the C library, by the finders that ask it: they are executions of
/// the program. Ends with the last of these rounds, where every goal is covered, or where rounds
/// have come to nothing, each of which costs as much as all before it.
pub(crate) fn find(
    task: &Task<'_>,
    known: &mut Knowledge,
    rounds: Range<u32>,
    session: &Session<'_>,
) -> Result<(), Stop> {
    let mut schedule = Schedule::new(task, session, |row| row.asks_library);
    let mut fruitless = 0;
    for round in rounds {
        let before = (known.open_goals().len(), known.cost());
        let has_worked = schedule.in_one_lane(round, known)?;
        let is_better = (known.open_goals().len(), known.cost()) != before;
        fruitless = if is_better { 0 } else { fruitless + 1 };
        if known.open_goals().is_empty() || schedule.is_over(round, has_worked) || fruitless > MOST_FRUITLESS
        {
            break;
        }
    }
    Ok(())
}

/// Proves what is soon proven: that open goals are unreachable.
pub(crate) fn exclude(task: &Task<'_>, known: &mut Knowledge, session: &Session<'_>) -> Result<(), Stop> {
    let excludes = |row: &Row| matches!(row.engine, EngineId::Ranges | EngineId::Exclusion);
    Schedule::new(task, session, excludes).in_one_lane(ROUND_OF_EXCLUSIONS, known).map(drop)
}

/// Simulation alone: no claim of minimality, nothing excluded.
fn simulate(task: &Task<'_>, known: &mut Knowledge, session: &Session<'_>) -> Result<(), Stop> {
    known.asked("none: simulation".to_owned());
    let chains = alone(task, session)?;
    known.offer(shortened(task, chains, &[], (FIRST_TURN, 0), session)?)?;
    session.check_limits()
}

/// The explicit engine for a strategy that runs on one engine only; `None`: the SAT engine suits
/// better.
pub(crate) fn explicit<'s>(
    task: &'s Task<'s>,
    session: &Session<'_>,
) -> Result<Option<Box<Explicit<'s>>>, Stop> {
    match session.options.engine {
        EngineChoice::Sat => Ok(None),
        EngineChoice::Simulate => Err(EngineError::SimulationAnswersNothing.into()),
        EngineChoice::Explicit => forced(task, session).map(Some),
        EngineChoice::Auto => for_strategy(task, session),
    }
}

/// The engines of one run.
struct Schedule<'s> {
    task: &'s Task<'s>,
    session: &'s Session<'s>,
    workers: Vec<(Record, Engine<'s>)>,
    /// What other processes know as well, where there are any.
    pool: Option<&'s Pool<'s>>,
    /// Says that an unrolling became too large.
    is_too_large: bool,
    /// How many of the last rounds in a row covered nothing more.
    stalled: u32,
    /// How many more rounds finders have had than provers.
    ahead: u32,
}

impl<'s> Schedule<'s> {
    /// The engines that suit, but for those that are not wanted.
    fn new(task: &'s Task<'s>, session: &'s Session<'s>, suits: fn(&Row) -> bool) -> Self {
        let is_wanted = |row: &&Row| suits(row) && !session.options.without.contains(&row.engine);
        let worker = |row: &'static Row| (Record::new(row), table::engine(row.engine, task, session));
        let workers = ENGINES.iter().filter(is_wanted).map(worker).collect();
        Self { task, session, workers, pool: None, is_too_large: false, stalled: 0, ahead: 0 }
    }

    /// Round after round; see the module text.
    fn run(self, known: &mut Knowledge) -> Result<(), Stop> {
        self.rounds(0..u32::MAX, known)
    }

    /// These rounds, as far as there is anything left to do.
    fn rounds(mut self, rounds: Range<u32>, known: &mut Knowledge) -> Result<(), Stop> {
        for round in rounds {
            let seeks = seeks_goals(known, self.stalled, self.session);
            let rounds_in_one_lane = self.session.options.tuning.value(&ROUNDS_IN_ONE_LANE);
            let is_first = u64::from(round) < rounds_in_one_lane;
            let covered = known.covered().len();
            let has_worked = match is_first && (round == 0 || !(seeks || self.is_long(known))) {
                true => self.in_one_lane(round, known)?,
                false => self.in_two_lanes(round, known)?,
            };
            self.stalled = if known.covered().len() > covered { 0 } else { self.stalled + 1 };
            if known.is_settled(self.session.options.gap) {
                return Ok(());
            }
            if !seeks && self.is_over(round, has_worked) {
                if !self.pool.is_some_and(Pool::waits) {
                    break;
                }
                known.meet_others()?;
            }
        }
        match self.is_too_large {
            true => Err(Stop::Limit(StopReason::Effort)),
            false => Ok(()),
        }
    }

    /// Whether chains are long and time is limited: provers take long then, and finders should not
    /// wait for them.
    fn is_long(&self, known: &Knowledge) -> bool {
        let options = &self.session.options;
        options.deadline.is_some() && known.cost().1 > options.tuning.value(&SHALLOW)
    }

    /// Whether nobody has anything to do any more. Where there is no limit of time, an engine that
    /// has done all that it can to the end is enough: others would never end.
    fn is_over(&self, round: u32, has_worked: bool) -> bool {
        let is_complete = self.workers.iter().any(|(record, _)| record.last == Some(Turn::Complete));
        let has_waiting = self.workers.iter().any(|(record, _)| record.is_waiting(round + self.ahead));
        let can_wait = self.session.options.deadline.is_some();
        let is_idle = !has_worked && !has_waiting;
        round > 1 && if can_wait { is_idle } else { is_complete || !has_worked }
    }

    /// A round in which the engines work one after the other. Whether any has worked.
    fn in_one_lane(&mut self, round: u32, known: &mut Knowledge) -> Result<bool, Stop> {
        let left = Left::of(self.workers.iter().map(|(record, _)| record), self.stalled);
        let workers = self.workers.iter_mut().map(|(record, engine)| (record, engine)).collect();
        let mut lane = Lane::new(workers, left, self.session);
        let worked = lane.round(round, known);
        self.is_too_large |= lane.is_too_large;
        worked
    }

    /// Rounds in which finders and provers work side by side. Whether any has worked.
    fn in_two_lanes(&mut self, round: u32, known: &mut Knowledge) -> Result<bool, Stop> {
        let session = self.session;
        let tuning = &session.options.tuning;
        let left = Left::of(self.workers.iter().map(|(record, _)| record), self.stalled);
        let seeks = seeks_goals(known, self.stalled, session);
        let more = |constant: &Constant| match seeks {
            true => tuning.value(constant).clamp(1, 1 << 10) as u32,
            false => 1,
        };
        let first = round + self.ahead;
        let of_finders = first..first + more(&ROUNDS_OF_FINDERS);
        let of_provers = first..first + more(&ROUNDS_OF_PROVERS);
        let last_of_provers = of_provers.end;
        let (mut finders, mut provers) = (Vec::new(), Vec::new());
        for (record, engine) in &mut self.workers {
            let is_beside = record.row.beside_provers;
            match engine {
                Engine::Prover(_) => provers.push((record, engine)),
                Engine::Finder(_) if is_beside => provers.push((record, engine)),
                Engine::Finder(finder) => finders.push((record, finder)),
            }
        }
        let is_alone = session.options.jobs < 2;
        let has_more = !is_alone && session.options.deadline.is_some();
        let most = if has_more { tuning.value(&MOST_ROUNDS_OF_FINDERS).clamp(1, 1 << 10) as u32 } else { 0 };
        let (is_ended, are_through) = (AtomicBool::new(false), AtomicBool::new(false));
        let all_covered = AtomicBool::new(false);
        // Without a limit of time, results do not depend on which lane is the faster one.
        let told = has_more.then_some(&all_covered);
        let further = Further { until: first + most, are_through: &are_through, tells: told };
        let begun = known.without_distances();
        let mut prove = |known: &mut Knowledge| {
            let mut lane = Lane::new(std::mem::take(&mut provers), left, session);
            lane.only_seeks_goals = seeks;
            lane.heard = told;
            lane.ends_with = told.filter(|_| seeks);
            let worked = lane.rounds(of_provers.clone(), known);
            let is_found = seeks && known.open_goals().is_empty();
            let ends = is_found || worked.is_err() || known.is_settled(session.options.gap);
            is_ended.store(ends, Ordering::Relaxed);
            are_through.store(true, Ordering::Relaxed);
            (worked, lane.is_too_large)
        };
        let part = session.beside(&is_ended);
        let find = move || look(finders, (left, seeks), (of_finders, further), begun, part);
        let (found, (proved, is_too_large)) = side_by_side(is_alone, find, || prove(known));
        self.is_too_large |= is_too_large;
        self.ahead = found.next.max(last_of_provers) - 1 - round;
        session.take(found.accounts);
        if seeks && proved.is_ok() && known.open_goals().is_empty() {
            // How far finders have come until then depends on the machine.
            self.forget_finders();
            return proved;
        }
        // What was found counts whatever ended the other lane.
        known.offer(found.known.chains().to_vec())?;
        Ok(proved? | found.worked?)
    }

    /// Lets finders begin anew, as if they had not worked yet.
    fn forget_finders(&mut self) {
        for (record, engine) in self.workers.iter_mut().filter(|(record, _)| !record.row.proves) {
            *record = Record::new(record.row);
            *engine = table::engine(record.row.engine, self.task, self.session);
        }
    }
}

/// What a lane of finders came to.
struct Lookout {
    known: Knowledge,
    worked: Result<bool, Stop>,
    accounts: Accounts,
    /// The number of the round that is the next one.
    next: u32,
}

/// Further rounds of finders.
struct Further<'f> {
    /// The round that they do not come to.
    until: u32,
    /// Set when the provers beside them are through with theirs.
    are_through: &'f AtomicBool,
    /// Where they say that they have covered everything.
    tells: Option<&'f AtomicBool>,
}

/// Rounds of the finders, beside those of the provers.
fn look(
    finders: Vec<(&mut Record, &mut FinderBox<'_>)>,
    (left, seeks): (Left, bool),
    (rounds, further): (Range<u32>, Further<'_>),
    mut known: Knowledge,
    part: Part<'_>,
) -> Lookout {
    let session = part.open();
    let mut lane = Lane::new(finders, left, &session);
    lane.only_seeks_goals = seeks;
    lane.tells = further.tells;
    let mut next = rounds.end;
    let mut worked = lane.rounds(rounds, &mut known);
    lane.ends_with = Some(further.are_through);
    while let Ok(true) = worked
        && next < further.until
        && !lane.is_over(&known)
    {
        match lane.round(next, &mut known) {
            Ok(true) => next += 1,
            Ok(false) => break,
            Err(halt) => worked = Err(halt),
        }
    }
    // The other lane has come to an end: what it knows counts.
    let worked = match worked {
        Err(Stop::Limit(_)) if part.is_ended() => Ok(true),
        worked => worked,
    };
    Lookout { known, worked, accounts: session.into_accounts(), next }
}
