//! Ways to goals by queries in which holding inputs for long is one step.
//!
//! Control code waits: a phase of purging, a hold time, a ramp. Between the waits little happens, so
//! a way of a thousand steps may be ten decisions. Simulation has to draw inputs that keep all
//! feedbacks right for the whole phase; a query that unrolls step by step does not come to its end.
//! So the [system with leaps](system) is asked for short ways, as [concolic](super::concolic) does,
//! and what it finds is run on the real system with its leaps as steps. Only that counts.

mod system;
#[cfg(test)]
mod tests;

use crate::finders::concolic::{Outlook, probed};
use crate::finders::simulation::{INITIAL_STATES, unless_stopped};
use crate::knowledge::chains::{CheckedChain, covered, cut, longest_run, missed};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::Engine;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::Effort;
use crate::step::initial::{InitialState, initial_states};
use crate::step::size::Size;
use crate::turn::{Finder, Found, Turn};
use model::trace::{Start, Trace};
use model::value::Value;
use rustc_hash::FxHashSet;
use system::Accelerated;

/// Most gates of a step for which leaps are made, over all steps of a period: each unrolled step
/// costs twice as much.
const MOST_GATES: usize = 60_000;
/// Longest period that is looked for.
const LONGEST_PERIOD: usize = 32;
/// Executions under held inputs that periods are looked for in.
const LOOKED_AT: usize = 8;
/// How far queries look, and what they may cost.
const OUTLOOK: Outlook = Outlook {
    ahead: &[(6, 8), (10, 8), (14, 4), (24, 3)],
    next: None,
    each: None,
    any: Effort::Conflicts(20_000),
    aims: false,
    asks_again: true,
};
/// What all queries of the first turn together may cost, as of [`Session::within`].
pub(crate) const ALLOWANCE: u64 = 30_000;

/// See the module text.
pub(crate) struct AcceleratedQueries<'s> {
    task: &'s Task<'s>,
    /// The system with leaps, once it was made.
    system: Option<Accelerated>,
    /// What was missed, and in how many chains, when queries were asked last, and how much they might
    /// cost.
    asked: Option<(usize, usize, u64)>,
}

impl<'s> AcceleratedQueries<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self { task, system: None, asked: None }
    }

    /// Makes the system with leaps, unless there are none or it would be too large.
    fn make(&mut self, known: &Knowledge, initial: &[InitialState]) -> Result<(), Stop> {
        if self.system.is_none() {
            let period = period(self.task, known.chains(), initial)?;
            let gates = Size::of(self.task.system).gates.unwrap_or(usize::MAX);
            if gates.saturating_mul(period) <= MOST_GATES {
                self.system = Accelerated::new(self.task, period)?;
            }
        }
        Ok(())
    }
}

impl Finder for AcceleratedQueries<'_> {
    fn run(
        &mut self,
        known: &Knowledge,
        out: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        let task = self.task;
        let goals = known.possible_goals();
        let open = known.open_goals().len();
        let has_nothing_to_do = open == 0 && known.chains().len() < 2;
        if has_nothing_to_do || self.asked == Some((open, known.chains().len(), work)) {
            return Ok(Turn::Idle);
        }
        if !task.calls().is_empty() {
            return Ok(Turn::Exhausted);
        }
        let initial = initial_states(task, INITIAL_STATES, session)?.unwrap_or_default();
        self.make(known, &initial)?;
        let Some(system) = &self.system else { return Ok(Turn::Exhausted) };
        let ways = Ways { task, system, initial: &initial, goals: &goals, session };
        let mut chains = known.chains().to_vec();
        if open > 0 {
            let found = session.stage("leap", || ways.find(&chains, &goals, work));
            let found = unless_stopped(found, Vec::new())?;
            if !found.is_empty() {
                ways.report(&found);
                out.offer(found.clone());
                chains = found;
            }
        }
        if chains.len() > 1 {
            let joined = session.stage("leap", || ways.joined(&chains, work));
            let joined = unless_stopped(joined, Vec::new())?;
            if !joined.is_empty() {
                out.offer(joined.clone());
                chains = joined;
            }
        }
        self.asked = Some((missed(task, &chains, &goals).len(), chains.len(), work));
        Ok(Turn::Open)
    }
}

/// What a turn works with.
struct Ways<'a, 's, 'c> {
    task: &'a Task<'s>,
    system: &'a Accelerated,
    initial: &'a [InitialState],
    goals: &'a [Vertex],
    session: &'a Session<'c>,
}

impl Ways<'_, '_, '_> {
    /// Chains that cover more of these goals than the known ones; none, if nothing was found.
    fn find(
        &self,
        known: &[CheckedChain],
        goals: &[Vertex],
        allowance: u64,
    ) -> Result<Vec<CheckedChain>, Stop> {
        let (task, session) = (self.task, self.session);
        let with_leaps = self.system.task(task);
        let lowered = known.iter().map(|chain| self.system.lower(&chain.trace));
        let lowered = lowered.map(|trace| longest_run(&with_leaps, &trace)).collect::<Result<Vec<_>, _>>()?;
        let asked = &mut FxHashSet::default();
        let found =
            probed(&with_leaps, (self.initial, OUTLOOK), lowered, (goals, asked), allowance, session)?;
        let mut chains = known.to_vec();
        let before = missed(task, &chains, goals).len();
        for chain in &found {
            if let Some(trace) = self.system.raise(&chain.trace) {
                self.take(&trace, &mut chains)?;
            }
            if session.check_limits().is_err() {
                break;
            }
        }
        let is_better = missed(task, &chains, goals).len() < before;
        Ok(if is_better { chains } else { Vec::new() })
    }

    /// Fewer chains that cover what these cover, by going on from the one that covers most; none, if
    /// none were found.
    fn joined(&self, chains: &[CheckedChain], allowance: u64) -> Result<Vec<CheckedChain>, Stop> {
        let task = self.task;
        let goals = covered(task, chains, self.goals.iter().copied());
        let count =
            |chain: &&CheckedChain| goals.iter().filter(|&&goal| chain.covers(task.goal(goal))).count();
        let Some(most) = chains.iter().max_by_key(count) else { return Ok(Vec::new()) };
        let joined = self.find(std::slice::from_ref(most), &goals, allowance)?;
        let is_better = missed(task, &joined, &goals).is_empty() && joined.len() < chains.len();
        Ok(if is_better { joined } else { Vec::new() })
    }

    /// Tells how many goals are covered.
    fn report(&self, chains: &[CheckedChain]) {
        let covered = self.goals.len() - missed(self.task, chains, self.goals).len();
        let text = format!("{covered} of {} goals covered, with inputs held for long", self.goals.len());
        self.session.record(Engine::Sat, text);
    }

    /// Takes what the real system does under these inputs among the chains, if they miss a goal that
    /// it covers.
    fn take(&self, trace: &Trace, chains: &mut Vec<CheckedChain>) -> Result<(), Stop> {
        let (task, goals) = (self.task, self.goals);
        let reached = longest_run(task, trace)?;
        let covers = covered(task, [&reached], goals.iter().copied());
        let open = missed(task, chains, goals);
        if !covers.iter().any(|goal| open.contains(goal)) {
            return Ok(());
        }
        let Some(chain) = cut(task, &reached.trace, &covers)? else { return Ok(()) };
        let is_replaced = |old: &CheckedChain| {
            goals.iter().all(|&goal| !old.covers(task.goal(goal)) || chain.covers(task.goal(goal)))
        };
        chains.retain(|old| !is_replaced(old));
        chains.push(chain);
        Ok(())
    }
}

/// After how many steps under held inputs most executions do the same again, but for words that
/// move at a constant rate; 1, where none is known to.
fn period(task: &Task<'_>, known: &[CheckedChain], initial: &[InitialState]) -> Result<usize, Stop> {
    let mut votes = [0usize; LONGEST_PERIOD + 1];
    let ends = known.iter().rev().filter_map(|chain| {
        let state = chain.run.states.last()?;
        Some((state.clone(), chain.trace.inputs.last()?.clone()))
    });
    let starts = known.iter().zip(initial.iter().cycle()).flat_map(|(chain, initial)| {
        chain.trace.inputs.iter().take(LOOKED_AT).map(|row| (initial.state.clone(), row.clone()))
    });
    for (state, row) in ends.chain(starts).take(LOOKED_AT) {
        let inputs = vec![row; 4 * LONGEST_PERIOD];
        let run = longest_run(task, &Trace { start: Start::State(state), inputs })?.run;
        if let Some(period) = (1..=LONGEST_PERIOD).find(|&period| repeats(&run.states, period)) {
            votes[period] += 1;
        }
    }
    let most = (1..=LONGEST_PERIOD).rev().max_by_key(|&period| votes[period]);
    Ok(most.filter(|&period| votes[period] > 0).unwrap_or(1))
}

/// Whether the last states move by the same from one period to the next.
fn repeats(states: &[Vec<Value>], period: usize) -> bool {
    let Some(first) = states.len().checked_sub(2 * LONGEST_PERIOD + 1) else { return false };
    let change = |at: usize| -> Vec<u128> {
        let pairs = states[at].iter().zip(&states[at + period]);
        pairs
            .map(|(before, after)| Value::new(before.sort(), after.bits().wrapping_sub(before.bits())).bits())
            .collect()
    };
    let phases: Vec<Vec<u128>> = (first..states.len() - period).map(change).collect();
    phases.windows(period + 1).all(|window| window.first() == window.last())
}
