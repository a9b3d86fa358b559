//! Goals by way of landmarks: modes, phases, counts that nobody asks for, but that lie on the way.
//!
//! A goal in a mode that is entered after five others is out of sight from Init: no distance tells
//! that the second mode is nearer than the first. But the code says which modes there are: the
//! constants that the step gives to a word. Each is a landmark, a goal of a [wider task](system), and
//! so are the first values of a word that is counted up to a small constant. The other finders work
//! for that task in turns. Where one has reached a new mode, all of them go on from there: hold
//! inputs, ask for short ways, wait. What covers an open goal of the real task is offered. (After
//! J. Hoffmann, J. Porteous, L. Sebastia, Ordered landmarks in planning, JAIR 22 (2004); landmarks
//! that are no necessary ones do no harm here.)

pub(crate) mod system;
#[cfg(test)]
mod tests;

use crate::finders::concolic::{Asked, Outlook, probed};
use crate::finders::insert_waits::{steps_for, with_waits};
use crate::finders::simulate::aims::Aims;
use crate::finders::simulate::hold::HeldInputs;
use crate::finders::simulate::search::Budget;
use crate::finders::simulation::{INITIAL_STATES, continued, unless_stopped};
use crate::knowledge::chains::{CheckedChain, covering, keep_needed, longest_run, missed};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::{Engine, Session, Stop};
use crate::step::bmc_solver::Effort;
use crate::step::initial::{InitialState, initial_states};
use crate::turn::{Finder, Found, Turn};
use system::WithLandmarks;

/// How far queries look from a state in which a landmark was reached, and what they may cost.
const OUTLOOK: Outlook = Outlook {
    ahead: &[(3, 48), (8, 24), (16, 8)],
    next: Some(Effort::Conflicts(200)),
    each: Some(Effort::Conflicts(100)),
    any: Effort::Conflicts(400),
    aims: false,
    asks_again: false,
};
/// Evaluated instructions for which a query may cost one conflict.
const INSTRUCTIONS_PER_CONFLICT: u64 = 200_000;
/// Each of the finders gets 1 in so many parts of what a turn may cost at a time.
const PARTS: u64 = 8;
/// Number of finders.
const FINDERS: usize = 4;
/// Turns in a row that came to nothing, each of which makes a finder wait twice as long.
const MOST_FRUITLESS: u32 = 3;
/// Most open goals: where they are more, they are landmarks themselves.
const MOST_OPEN: usize = 64;
/// Most chains that are gone on from.
const MOST_CHAINS: usize = 48;

/// See the module text.
pub(crate) struct Landmarks<'s> {
    task: &'s Task<'s>,
    /// The system with landmarks, once it was made; `None` inside: there are none.
    system: Option<Option<WithLandmarks>>,
    /// Chains of the wider task that have led to landmarks.
    chains: Vec<CheckedChain>,
    /// What queries were asked that came to nothing.
    asked: Asked,
    /// Inputs that landmarks and goals need.
    aims: Aims,
    /// Whose turn it is within its own turns.
    of_finders: Turns,
    /// Its own turns so far.
    turns: u64,
}

impl<'s> Landmarks<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self {
            task,
            system: None,
            chains: Vec::new(),
            asked: Asked::default(),
            aims: Aims::default(),
            of_finders: Turns::default(),
            turns: 0,
        }
    }
}

impl Finder for Landmarks<'_> {
    fn run(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        let task = self.task;
        let open = known.open_goals();
        if open.is_empty() || open.len() > MOST_OPEN {
            return Ok(Turn::Idle);
        }
        let system = match &mut self.system {
            Some(system) => system,
            none => none.insert(WithLandmarks::new(task)?),
        };
        let Some(system) = system else { return Ok(Turn::Exhausted) };
        let wider = system.task(task);
        let known_chains = known.chains().iter().map(|chain| longest_run(&wider, &chain.trace));
        let mut chains = known_chains.collect::<Result<Vec<_>, _>>()?;
        chains.append(&mut self.chains);
        let excluded = |vertex: &Vertex| vertex.position() < task.len() && known.is_excluded(*vertex);
        let goals: Vec<Vertex> = wider.vertices().filter(|vertex| !excluded(vertex)).collect();
        let initial = initial_states(task, INITIAL_STATES, session)?.unwrap_or_default();
        let (asked, aims) = (&mut self.asked, &mut self.aims);
        let mut explorer = Explorer {
            wider: &wider,
            wanted: task.len(),
            goals: &goals,
            initial: &initial,
            chains,
            asked,
            aims,
            turns: &mut self.of_finders,
            session,
        };
        let ended = session.stage("landmarks", || explorer.run(work, self.turns << 16));
        self.turns += 1;
        let mut offered: Vec<CheckedChain> = known.chains().to_vec();
        for chain in &explorer.chains {
            let still_open = missed(task, &offered, &open);
            // To run a chain once more, over the real task, is worth it where it covers something.
            if still_open.iter().any(|&vertex| chain.covers(task.goal(vertex)))
                && let Some(chain) = covering(task, chain.trace.as_ref().clone(), &still_open)?
            {
                offered.push(chain);
            }
        }
        let covered = open.len() - missed(task, &offered, &open).len();
        if covered > 0 {
            let text = format!("{covered} more goals covered, by way of landmarks");
            session.record(Engine::Simulation, text);
            found.offer(offered);
        }
        self.chains = explorer.chains;
        ended.map(|()| Turn::Open)
    }
}

/// Whose turn it is: a finder that leads to something new goes on, one that does not gets fewer and
/// fewer turns.
#[derive(Default)]
struct Turns {
    /// By finder: when its next turn is, which grows by what a turn of it counts for.
    next: [u64; FINDERS],
    /// By finder: turns in a row that came to nothing.
    fruitless: [u32; FINDERS],
}

impl Turns {
    fn next(&self) -> usize {
        (0..FINDERS).min_by_key(|&finder| self.next[finder]).unwrap_or(0)
    }
    fn note(&mut self, finder: usize, is_news: bool) {
        if is_news {
            self.fruitless[finder] = 0;
            return;
        }
        self.next[finder] += 1 << self.fruitless[finder].min(MOST_FRUITLESS);
        self.fruitless[finder] += 1;
    }
}

/// A turn over the wider task.
struct Explorer<'a, 'c> {
    wider: &'a Task<'a>,
    /// How many of its goals, the first ones, are those of the real task.
    wanted: usize,
    /// Landmarks, and the goals that are not excluded.
    goals: &'a [Vertex],
    initial: &'a [InitialState],
    chains: Vec<CheckedChain>,
    /// What queries were asked that came to nothing.
    asked: &'a mut Asked,
    aims: &'a mut Aims,
    turns: &'a mut Turns,
    session: &'a Session<'c>,
}

impl Explorer<'_, '_> {
    /// The finders in turns, until the work is spent or nothing is open; for not much longer than half
    /// of it where goals of the real task were covered, which others may go on from.
    fn run(&mut self, work: u64, seed: u64) -> Result<(), Stop> {
        let finders = [Self::query, Self::hold, Self::wait, Self::simulate];
        let share = (work / PARTS).max(1);
        let (mut before, mut covers) = (self.open(), false);
        for round in 0..PARTS {
            if before.is_empty() {
                break;
            }
            self.session.check_limits()?;
            let chosen = self.turns.next();
            finders[chosen](self, share, seed + round)?;
            keep_needed(self.wider, &mut self.chains, self.goals, MOST_CHAINS);
            let open = self.open();
            self.turns.note(chosen, open.len() < before.len());
            covers |= before.iter().any(|goal| goal.position() < self.wanted && !open.contains(goal));
            if covers && round + 1 >= PARTS / 2 {
                break;
            }
            before = open;
        }
        Ok(())
    }

    fn open(&self) -> Vec<Vertex> {
        missed(self.wider, &self.chains, self.goals)
    }

    /// Short ways by queries.
    fn query(&mut self, share: u64, _seed: u64) -> Result<(), Stop> {
        let allowance = (share / INSTRUCTIONS_PER_CONFLICT).max(1);
        let (chains, from) = (self.chains.clone(), (self.initial, OUTLOOK));
        let goals = (self.goals, &mut *self.asked);
        let found = probed(self.wider, from, chains, goals, allowance, self.session);
        self.take(found)
    }

    /// Inputs held for long.
    fn hold(&mut self, share: u64, seed: u64) -> Result<(), Stop> {
        let (mut chains, mut open) = (self.chains.clone(), self.open());
        let mut held = HeldInputs::seeded(self.wider, seed, std::mem::take(self.aims));
        let ended = held.hold(&mut chains, &mut open, share, self.session);
        *self.aims = held.into_aims();
        self.take(ended.map(|_| chains))
    }

    /// Waits in what is known.
    fn wait(&mut self, share: u64, _seed: u64) -> Result<(), Stop> {
        if !self.wider.calls().is_empty() {
            return Ok(());
        }
        let steps = steps_for(self.wider, share);
        let found = with_waits(self.wider, self.chains.clone(), self.goals, steps, self.session);
        self.take(found)
    }

    /// Random walks.
    fn simulate(&mut self, share: u64, seed: u64) -> Result<(), Stop> {
        let budget = Budget { total: share, idle: share };
        let found = continued(self.wider, self.chains.clone(), self.goals, (budget, seed), self.session);
        self.take(found)
    }

    fn take(&mut self, found: Result<Vec<CheckedChain>, Stop>) -> Result<(), Stop> {
        self.chains = unless_stopped(found, std::mem::take(&mut self.chains))?;
        Ok(())
    }
}
