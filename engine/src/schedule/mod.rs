//! Which engine works when.
//!
//! Engines work in turns, in rounds, in the order of [`ENGINES`]. A turn costs a certain effort at
//! most, counted in states, conflicts and instructions and not in time, so that results do not
//! depend on the machine. Engines keep their state between turns, and turns grow, as long as a goal
//! is open or the chains may be longer than need be: until the time is up, or, where there is no
//! limit of time, until an engine has done all that it can to the end. A finder whose turn came to
//! nothing waits for some rounds, twice as many each time; an engine that advanced is asked again
//! at once.

mod situation;
mod table;

pub use table::{ENGINES, Row};

use crate::error::{EngineError, StopReason};
use crate::finders::simulate::annealing::{FIRST_TURN, shortened};
use crate::finders::simulation::{LOOK, alone};
use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::known::Knowledge;
use crate::knowledge::problem::Problem;
use crate::optimum::enumerated::{for_strategy, forced};
use crate::optimum::exact::OptimalSearch;
use crate::options::{EngineChoice, EngineId};
use crate::provers::bmc::Bounded;
use crate::provers::explicit::Explicit;
use crate::session::{Session, Stop};
use crate::turn::{Found, Turn};
use situation::Situation;
use std::time::Instant;
use table::Engine;

/// Most rounds that an engine waits whose turns come to nothing.
const LONGEST_WAIT: u32 = 16;

/// The exact strategy with the engines that suit the options; see the module text.
pub(crate) fn run(problem: &Problem<'_>, known: &mut Knowledge, session: &Session<'_>) -> Result<(), Stop> {
    let ended = match session.options.engine {
        EngineChoice::Auto => {
            for goal in problem.vertices() {
                // A chain that covers a goal is no shorter than its window.
                known.raise(Bound::new(&[goal], Claim::Steps(u64::from(problem.steps(goal)))))?;
            }
            Schedule::new(problem, session).run(known)
        }
        EngineChoice::Explicit => forced(problem, session)
            .and_then(|oracle| OptimalSearch::new(problem, *oracle, session).turn(known)),
        EngineChoice::Sat => Bounded::new(problem, session)
            .map_err(Stop::from)
            .and_then(|oracle| OptimalSearch::new(problem, oracle, session).turn(known)),
        EngineChoice::Simulate => simulate(problem, known, session),
    };
    match ended {
        // A limit that was reached does not matter where nothing could be added.
        Err(Stop::Limit(StopReason::Deadline | StopReason::Effort)) if known.is_settled(0.0) => Ok(()),
        ended => ended,
    }
}

/// Simulation alone: no claim of minimality, nothing excluded.
fn simulate(problem: &Problem<'_>, known: &mut Knowledge, session: &Session<'_>) -> Result<(), Stop> {
    known.asked("none: simulation".to_owned());
    let chains = alone(problem, session)?;
    known.offer(shortened(problem, chains, (FIRST_TURN, 0), session)?)?;
    session.check_limits()
}

/// The explicit engine for a strategy that runs on one engine only; `None`: the SAT engine suits
/// better.
pub(crate) fn explicit<'s>(
    problem: &'s Problem<'s>,
    session: &Session<'_>,
) -> Result<Option<Box<Explicit<'s>>>, Stop> {
    match session.options.engine {
        EngineChoice::Sat => Ok(None),
        EngineChoice::Simulate => Err(EngineError::SimulationAnswersNothing.into()),
        EngineChoice::Explicit => forced(problem, session).map(Some),
        EngineChoice::Auto => for_strategy(problem, session),
    }
}

/// An engine at work.
struct Worker<'s> {
    row: &'static Row,
    engine: Engine<'s>,
    turns: u32,
    /// Its turns in a row that came to nothing.
    fruitless: u32,
    /// The round before which it gets no turn.
    waits_for: u32,
    /// What was known when it had nothing to do until that changes.
    idle_at: Option<Mark>,
    last: Option<Turn>,
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

impl Worker<'_> {
    /// What the next turn may cost.
    fn work(&self) -> u64 {
        let first = self.row.turns;
        let later = (self.turns as usize + 1).saturating_sub(first.len());
        let listed = first[(self.turns as usize).min(first.len() - 1)];
        (0..later).fold(listed, |work, _| work.saturating_mul(self.row.growth))
    }
    fn is_over(&self) -> bool {
        matches!(self.last, Some(Turn::Exhausted | Turn::Complete))
    }
}

/// The engines of one run.
struct Schedule<'s> {
    session: &'s Session<'s>,
    workers: Vec<Worker<'s>>,
    /// Says that an unrolling became too large.
    is_too_large: bool,
}

impl<'s> Schedule<'s> {
    fn new(problem: &'s Problem<'s>, session: &'s Session<'s>) -> Self {
        let is_wanted = |row: &&Row| !session.options.without.contains(&row.engine);
        let worker = |row: &'static Row| Worker {
            row,
            engine: table::engine(row.engine, problem, session),
            turns: 0,
            fruitless: 0,
            waits_for: 0,
            idle_at: None,
            last: None,
        };
        let workers = ENGINES.iter().filter(is_wanted).map(worker).collect();
        Self { session, workers, is_too_large: false }
    }

    /// Round after round; see the module text.
    fn run(mut self, known: &mut Knowledge) -> Result<(), Stop> {
        for round in 0.. {
            let mut number = 0;
            let mut has_worked = false;
            while number < self.workers.len() {
                if known.is_settled(self.session.options.gap) {
                    return Ok(());
                }
                self.session.check_limits()?;
                if self.is_due(number, round, known) {
                    has_worked = true;
                    let advanced = self.turn(number, self.workers[number].work(), round, known)?;
                    self.interleave(number, round, known)?;
                    if advanced && round > 0 && !known.open_goals().is_empty() {
                        self.cover_on(number, round, known)?;
                    }
                }
                number += 1;
            }
            if self.is_over(round, has_worked) {
                break;
            }
        }
        match self.is_too_large && !known.is_settled(0.0) {
            true => Err(Stop::Limit(StopReason::Effort)),
            false => Ok(()),
        }
    }

    /// Whether nobody has anything to do any more. Where there is no limit of time, an engine that
    /// has done all that it can to the end is enough: others would never end.
    fn is_over(&self, round: u32, has_worked: bool) -> bool {
        let is_complete = self.workers.iter().any(|worker| worker.last == Some(Turn::Complete));
        let has_waiting = self.workers.iter().any(|worker| worker.waits_for > round + 1 && !worker.is_over());
        let can_wait = self.session.options.deadline.is_some();
        let is_idle = !has_worked && !has_waiting;
        round > 1 && if can_wait { is_idle } else { is_complete || !has_worked }
    }

    fn is_due(&self, number: usize, round: u32, known: &Knowledge) -> bool {
        let worker = &self.workers[number];
        if worker.is_over() || worker.waits_for > round || worker.idle_at == Some(Mark::of(known)) {
            return false;
        }
        (worker.row.suits)(&self.situation(round, known))
    }

    fn situation(&self, round: u32, known: &Knowledge) -> Situation {
        let is_open = |id: EngineId| {
            let worker = self.workers.iter().find(|worker| worker.row.engine == id);
            worker.is_some_and(|worker| worker.last == Some(Turn::Open))
        };
        let open = (is_open(EngineId::Enumeration), is_open(EngineId::RestrictedEnumeration));
        Situation::new(known, round, open, self.session)
    }

    /// One turn; whether it has covered goals or made chains better.
    fn turn(&mut self, number: usize, work: u64, round: u32, known: &mut Knowledge) -> Result<bool, Stop> {
        let session = self.session;
        let worker = &mut self.workers[number];
        let (began, queries) = (Instant::now(), session.sat_calls());
        let before = (Mark::of(known), known.lower_bound());
        let (ended, is_spent) = match &mut worker.engine {
            Engine::Finder(finder) => {
                let mut found = Found::default();
                let ended = finder.run(known, &mut found, work, session);
                for chains in found.into_sets() {
                    known.offer(chains)?;
                }
                (ended, true)
            }
            Engine::Prover(prover) if worker.row.counts_itself => (prover.run(known, work, session), true),
            Engine::Prover(prover) => session.within(work, || {
                let ended = prover.run(known, work, session);
                (ended, session.allowance() == Some(0))
            }),
        };
        let mark = Mark::of(known);
        let after = (mark, known.lower_bound());
        let facts = u32::from(before.0 != after.0) + u32::from(before.1 != after.1);
        session.account(worker.row.engine, began.elapsed(), session.sat_calls() - queries, facts);
        worker.turns += 1;
        let turn = match ended {
            Ok(turn) => turn,
            Err(Stop::Limit(StopReason::Effort)) if is_spent => Turn::Open,
            Err(Stop::Limit(StopReason::Effort)) => {
                self.is_too_large = true;
                Turn::Exhausted
            }
            Err(halt) => return Err(halt),
        };
        worker.last = Some(turn);
        worker.idle_at = (turn == Turn::Idle).then_some(mark);
        worker.fruitless = if facts > 0 || worker.row.persists { 0 } else { worker.fruitless + 1 };
        worker.waits_for = round + 1 + 2u32.saturating_pow(worker.fruitless).min(LONGEST_WAIT) - 1;
        let (chains, steps) = known.cost();
        session.progress.update(
            known.depth(),
            known.covered().len(),
            (chains > 0).then_some(steps),
            known.lower_bound(),
        );
        Ok(before.0 != after.0)
    }

    /// A turn of the engine that gets one after that of any other, where chains are short.
    fn interleave(&mut self, after: usize, round: u32, known: &mut Knowledge) -> Result<(), Stop> {
        let found = self.workers.iter().position(|worker| worker.row.interleaves);
        let Some(number) = found.filter(|&number| number != after) else { return Ok(()) };
        let is_shallow = self.situation(round, known).is_shallow;
        if !is_shallow || known.is_settled(self.session.options.gap) {
            return Ok(());
        }
        self.workers[number].waits_for = round;
        if self.is_due(number, round, known) {
            self.turn(number, self.workers[number].work(), round, known)?;
        }
        Ok(())
    }

    /// Where queries or waits have led to further goals, simulation goes on from there, and so in
    /// turns until none of them covers more.
    fn cover_on(&mut self, by: usize, round: u32, known: &mut Knowledge) -> Result<(), Stop> {
        let kinds = [EngineId::Simulation, EngineId::InsertWaits, EngineId::Concolic];
        let last = self.workers.iter().rposition(|worker| kinds.contains(&worker.row.engine));
        if Some(by) != last {
            return Ok(());
        }
        let mut goes_on = true;
        while goes_on && !known.open_goals().is_empty() {
            goes_on = false;
            for number in 0..self.workers.len() {
                let worker = &self.workers[number];
                if !kinds.contains(&worker.row.engine) || worker.is_over() {
                    continue;
                }
                self.session.check_limits()?;
                let work = if worker.row.engine == EngineId::Simulation { LOOK } else { worker.work() };
                goes_on |= self.turn(number, work, round, known)?;
            }
        }
        Ok(())
    }
}
