//! Short ways by queries, where simulation stalls.
//!
//! A password, a checksum, or a message of several bytes is soon found by a solver and never by
//! drawing inputs; what a solver cannot afford, hundreds of steps of a timer, costs simulation
//! nothing. So the two take turns: from states of chains that are known, a few steps are unrolled
//! and the goals that nothing has covered yet are asked for, all at once. The start is concrete,
//! which makes such queries cheap. What is found prolongs a chain or begins a further one, and
//! simulation goes on from there. What the solver takes for results of the C library is replaced by
//! what the library gives; where the goal does not occur then, the solver is told of that point and
//! asked again. Before queries, goals over floats are
//! [aimed at](crate::finders::alternating_variable) from the same states. (The alternation is that
//! of hybrid concolic testing: R. Majumdar, K. Sen, ICSE 2007.)

use crate::finders::alternating_variable::Aim;
use crate::finders::narrowed::Narrowed;
use crate::finders::simulation::{INITIAL_STATES, unless_stopped};
use crate::knowledge::chains::{
    CheckedChain, covered, covered_after, cut, cut_run, first_occurrence, longest_run, missed,
};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::Engine;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::BmcSolver;
use crate::step::bmc_solver::{Answer, Effort};
use crate::step::external::complete;
use crate::step::initial::{InitialState, initial_states};
use crate::step::size::Size;
use crate::turn::{Finder, Found, Turn};
use encoder::unroll::Start as Unrolled;
use model::trace::{Start, Trace};
use model::value::Value;
use rustc_hash::{FxHashSet, FxHasher};
use solver::sat::Lit;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// How far queries look, and what they may cost.
#[derive(Clone, Copy)]
pub(super) struct Outlook {
    /// Steps that are looked ahead, and from how many states at most before something is found: a
    /// few steps from many states, more from few.
    pub(super) ahead: &'static [(u32, usize)],
    /// What a query about one number of steps may cost; `None`: there are none.
    pub(super) next: Option<Effort>,
    /// What a query about one number of steps and one goal may cost, where that about all goals was
    /// not answered: some of them may be too hard. `None`: there are none.
    pub(super) each: Option<Effort>,
    /// What a query about all numbers of steps may cost that were not answered one by one.
    pub(super) any: Effort,
    /// Whether goals over floats are aimed at as well.
    pub(super) aims: bool,
    /// Whether the latest states are asked again wherever something was found: ways from there go on
    /// with the same chain, those from other states begin further ones.
    pub(super) asks_again: bool,
}

/// The outlook of this engine.
const OUTLOOK: Outlook = Outlook {
    ahead: &[(6, 16), (12, 8), (24, 4)],
    next: Some(Effort::Conflicts(400)),
    each: None,
    any: Effort::Conflicts(4_000),
    aims: true,
    asks_again: true,
};
/// What a query may cost that asks for one more goal on the way to others.
const ON_THE_WAY: u64 = 200;
/// Most gates that are unrolled for one state.
const MOST_GATES: usize = 2_000_000;
/// Most legs in a row that are found and turn out to rest on results that the C library does not
/// give.
const ATTEMPTS: u32 = 16;
/// What aiming at goals may cost, in evaluated terms.
const AIMING: u64 = 40_000_000;
/// As [`AIMING`], where the step calls the C library, of which queries know little.
const AIMING_AT_CALLS: u64 = 400_000_000;
/// What it costs to prepare for a goal, in evaluations of the whole step.
const AIM_BEGINS: u64 = 8;
/// An attempt at one goal from one state gets 1 in so many of the evaluated terms that are left.
const ATTEMPTS_TO_AIM: u64 = 16;
/// States that goals are aimed at from.
const AIMED_FROM: usize = 8;
/// Different inputs of earlier steps that aiming starts from.
const ROWS_AIMED_FROM: usize = 4;
/// Earlier steps that these inputs are taken from.
const ROWS_LOOKED_AT: usize = 64;
/// What all queries of the first turn together may cost, as of [`Session::within`].
pub(crate) const ALLOWANCE: u64 = 12_000;

/// Short ways by queries to goals that simulation has missed.
pub(crate) struct Concolic<'s> {
    task: &'s Task<'s>,
    /// What was missed when queries were asked last, and how much they might cost.
    last: Option<(usize, u64)>,
    asked: Asked,
}

/// What was asked from which states, and came to nothing.
#[derive(Default)]
pub(super) struct Asked {
    /// States that queries looked ahead from.
    queries: FxHashSet<u64>,
    /// Goals that were aimed at from a state.
    aims: FxHashSet<u64>,
}

impl<'s> Concolic<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self { task, last: None, asked: Asked::default() }
    }
}

impl Finder for Concolic<'_> {
    fn run(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        let goals = known.possible_goals();
        let question = (known.open_goals().len(), work);
        if question.0 == 0 || self.last == Some(question) {
            return Ok(Turn::Idle);
        }
        // Queries may cost more now.
        self.asked.queries.clear();
        let asked = &mut self.asked;
        let chains = probed_in_stage(self.task, known.chains().to_vec(), (&goals, asked), work, session)?;
        self.last = Some((missed(self.task, &chains, &goals).len(), work));
        found.offer(chains);
        Ok(Turn::Open)
    }
}

/// Chains that cover more of the goals by short ways; see [`probed`].
pub(super) fn probed_in_stage(
    task: &Task<'_>,
    known: Vec<CheckedChain>,
    (goals, asked): (&[Vertex], &mut Asked),
    allowance: u64,
    session: &Session<'_>,
) -> Result<Vec<CheckedChain>, Stop> {
    let before = known.clone();
    let missed_before = missed(task, &known, goals).len();
    let found = session.stage("probe", || {
        let initial = initial_states(task, INITIAL_STATES, session)?.unwrap_or_default();
        let chains = probed(task, (&initial, OUTLOOK), known, (goals, asked), allowance, session)?;
        let open = missed(task, &chains, goals).len();
        if open < missed_before {
            let text = format!("{} of {} goals covered, with short ways", goals.len() - open, goals.len());
            session.record(Engine::Sat, text);
        }
        Ok(chains)
    });
    unless_stopped(found, before)
}

/// The known chains, prolonged, and further ones, so that they cover more of the goals; where
/// nothing is found, or a limit is reached, the known chains. What was `asked` before is not asked
/// again.
pub(super) fn probed(
    task: &Task<'_>,
    (initial, outlook): (&[InitialState], Outlook),
    known: Vec<CheckedChain>,
    (goals, asked): (&[Vertex], &mut Asked),
    allowance: u64,
    session: &Session<'_>,
) -> Result<Vec<CheckedChain>, Stop> {
    let most = Size::of(task.system).gates.map_or(0, |gates| MOST_GATES / gates.max(1));
    let mut probe = Probe::new(task, (initial, outlook), known, asked, session);
    let mut steps = outlook.ahead.iter().copied().filter(|&(steps, _)| steps as usize <= most);
    let aimed = if outlook.aims { probe.aim(goals) } else { Ok(()) };
    let found = aimed.and_then(|()| {
        session.within(allowance, || steps.try_for_each(|(steps, states)| probe.run(steps, states, goals)))
    });
    match found {
        Ok(()) | Err(Stop::Limit(_)) => {}
        Err(halt) => return Err(halt),
    }
    Ok(probe.chains)
}

/// A state to go on from, which is known to be reachable: chains may have so many steps that they
/// are not copied for each.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beginning {
    /// An initial state, by its position.
    Initial(usize),
    /// The state behind so many steps of a chain, by its position.
    Within { chain: usize, steps: usize },
}

fn fx_hash(what: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    what.hash(&mut hasher);
    hasher.finish()
}

/// Different inputs of the last of these steps, the latest first.
fn last_rows(inputs: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let mut rows: Vec<Vec<Value>> = Vec::new();
    for row in inputs.iter().rev().take(ROWS_LOOKED_AT) {
        if rows.len() < ROWS_AIMED_FROM && !rows.contains(row) {
            rows.push(row.clone());
        }
    }
    rows
}

struct Probe<'a, 's, 'c> {
    task: &'a Task<'s>,
    initial: &'a [InitialState],
    outlook: Outlook,
    ahead: u32,
    session: &'a Session<'c>,
    chains: Vec<CheckedChain>,
    /// Goals become no more, so what came to nothing would again.
    asked: &'a mut Asked,
    /// What was learned of the C library, where its results mattered.
    narrowed: Option<Narrowed>,
}

impl<'a, 's, 'c> Probe<'a, 's, 'c> {
    fn new(
        task: &'a Task<'s>,
        (initial, outlook): (&'a [InitialState], Outlook),
        chains: Vec<CheckedChain>,
        asked: &'a mut Asked,
        session: &'a Session<'c>,
    ) -> Self {
        Self { task, initial, outlook, ahead: 0, session, chains, asked, narrowed: None }
    }

    /// Goes on by one step to goals over floats, from states of chains, as long as that covers
    /// more.
    fn aim(&mut self, goals: &[Vertex]) -> Result<(), Stop> {
        let task = self.task;
        let mut effort = if task.calls().is_empty() { AIMING } else { AIMING_AT_CALLS };
        let begins = AIM_BEGINS * task.system.terms.len() as u64;
        let mut goes_on = true;
        while goes_on {
            goes_on = false;
            let mut from = self.aimed_from();
            for goal in self.open(goals) {
                self.session.check_limits()?;
                let keys = from.iter().map(|&(beginning, state)| (beginning, fx_hash((goal, state))));
                let fresh: Vec<(Beginning, u64)> =
                    keys.filter(|(_, key)| !self.asked.aims.contains(key)).collect();
                if fresh.is_empty() {
                    continue;
                }
                // To prepare for a goal costs as well, most of all where the step is large.
                effort = effort.saturating_sub(begins);
                if effort == 0 {
                    return Ok(());
                }
                let Some(mut aim) = Aim::new(task, goal) else {
                    self.asked.aims.extend(fresh.into_iter().map(|(_, key)| key));
                    continue;
                };
                for (beginning, key) in fresh {
                    if !self.asked.aims.insert(key) {
                        continue;
                    }
                    let (state, rows) = (self.state(beginning).to_vec(), last_rows(self.inputs(beginning)));
                    // Each attempt gets its share, so that a goal that cannot be met leaves the
                    // others theirs.
                    let share = effort.div_ceil(ATTEMPTS_TO_AIM);
                    let mut left = share;
                    let found = aim.hit(&state, &rows, &mut left);
                    effort -= share - left;
                    if let Some(row) = found
                        && self.close(beginning, &[row], goals)?
                    {
                        goes_on = true;
                        from = self.aimed_from();
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// States that goals are aimed at from, with what tells each from others.
    fn aimed_from(&self) -> Vec<(Beginning, u64)> {
        let beginnings = self.beginnings().into_iter().take(AIMED_FROM);
        beginnings.map(|beginning| (beginning, fx_hash(self.state(beginning)))).collect()
    }

    /// Looks so many steps ahead until no state shows anything new.
    fn run(&mut self, ahead: u32, most_states: usize, goals: &[Vertex]) -> Result<(), Stop> {
        self.ahead = ahead;
        let mut fruitless = 0;
        while !self.open(goals).is_empty() && fruitless < most_states {
            let is_fresh = |beginning: &Beginning| !self.asked.queries.contains(&self.question(*beginning));
            let Some(beginning) = self.beginnings().into_iter().find(is_fresh) else { break };
            let question = self.question(beginning);
            if self.go_on(beginning, goals)? {
                fruitless = 0;
                if self.outlook.asks_again {
                    self.asked.queries.clear();
                }
            } else {
                self.asked.queries.insert(question);
                fruitless += 1;
            }
        }
        Ok(())
    }

    /// What tells apart what is asked from a beginning: the state, and how far is looked ahead.
    fn question(&self, beginning: Beginning) -> u64 {
        fx_hash((self.ahead, self.state(beginning)))
    }

    /// The goals that no chain covers.
    fn open(&self, goals: &[Vertex]) -> Vec<Vertex> {
        missed(self.task, &self.chains, goals)
    }

    /// States from which goals are asked for: the ends of chains, initial states, and where chains
    /// cover something, late ones first.
    fn beginnings(&self) -> Vec<Beginning> {
        let numbered = || self.chains.iter().enumerate().rev();
        let whole =
            numbered().map(|(chain, whole)| Beginning::Within { chain, steps: whole.trace.inputs.len() });
        let mut beginnings: Vec<Beginning> =
            whole.chain((0..self.initial.len().min(2)).map(Beginning::Initial)).collect();
        for (chain, covering) in numbered() {
            let steps = covered_after(self.task, covering).into_iter().rev();
            beginnings.extend(steps.map(|steps| Beginning::Within { chain, steps }));
        }
        beginnings
    }

    fn state(&self, beginning: Beginning) -> &[Value] {
        match beginning {
            Beginning::Initial(number) => &self.initial[number].state,
            Beginning::Within { chain, steps } => self.chains[chain].state(steps),
        }
    }

    /// The inputs that lead to a beginning.
    fn inputs(&self, beginning: Beginning) -> &[Vec<Value>] {
        match beginning {
            Beginning::Initial(_) => &[],
            Beginning::Within { chain, steps } => &self.chains[chain].trace.inputs[..steps],
        }
    }

    /// The execution that goes on from a beginning under these inputs.
    fn whole(&self, beginning: Beginning, further: &[Vec<Value>]) -> Trace {
        let start = match beginning {
            Beginning::Initial(number) => Start::Initial(self.initial[number].inputs.clone()),
            Beginning::Within { chain, .. } => self.chains[chain].trace.start.clone(),
        };
        Trace { start, inputs: [self.inputs(beginning), further].concat() }
    }

    /// Goes on from a beginning from one open goal to the next. Whether a chain came of it that
    /// covers more.
    fn go_on(&mut self, beginning: Beginning, goals: &[Vertex]) -> Result<bool, Stop> {
        let mut open = self.open(goals);
        let (mut state, mut further) = (self.state(beginning).to_vec(), Vec::new());
        let mut ended = Ok(());
        while !open.is_empty() {
            match self.leg(&state, &mut open) {
                Ok(Some(leg)) => {
                    let CheckedChain { trace, run } = longest_run(self.task, &leg)?;
                    open.retain(|&goal| run.occurrences[self.task.goal(goal)].is_empty());
                    state.clone_from(run.states.last().expect("an execution should have a first state"));
                    further.extend(Arc::unwrap_or_clone(trace).inputs);
                }
                Ok(None) => break,
                Err(halt) => {
                    ended = Err(halt);
                    break;
                }
            }
        }
        let is_longer = !further.is_empty() && self.close(beginning, &further, goals)?;
        ended.map(|()| is_longer)
    }

    /// An execution from a state to the end of the first occurrence of one of these goals; `None`:
    /// none was found. Goals that occur only where the C library gives other results than it does
    /// are taken out.
    fn leg(&mut self, state: &[Value], open: &mut Vec<Vertex>) -> Result<Option<Trace>, Stop> {
        let task = self.task;
        let mut attempts = 0;
        while !open.is_empty() {
            let Some(taken) = self.soon(state, open)? else { return Ok(None) };
            let mut real = complete(task.system, taken.clone());
            let reached = longest_run(task, &real)?;
            let done = |&goal: &Vertex| {
                let at = first_occurrence(&reached.run, task.goal(goal))?;
                Some((at + task.steps(goal)) as usize)
            };
            if let Some(steps) = open.iter().filter_map(done).max() {
                real.inputs.truncate(steps);
                return Ok(Some(real));
            }
            attempts += 1;
            if attempts < ATTEMPTS && self.learn([&taken, &real])? {
                continue;
            }
            let (taken, before) = (longest_run(task, &taken)?, open.len());
            open.retain(|&goal| !taken.covers(task.goal(goal)));
            if open.len() == before {
                return Ok(None);
            }
            attempts = 0;
        }
        Ok(None)
    }

    /// Asks the C library at the points of these executions. Whether any is new.
    fn learn(&mut self, traces: [&Trace; 2]) -> Result<bool, Stop> {
        let narrowed = match &mut self.narrowed {
            Some(narrowed) => narrowed,
            none => none.insert(Narrowed::new(self.task)?),
        };
        Ok(narrowed.learn(self.task, traces)?)
    }

    /// An execution from a state in which one of these events begins within the steps that are
    /// looked ahead: the next one, or where the solver does not find that soon, any.
    fn soon(&self, state: &[Value], events: &[Vertex]) -> Result<Option<Trace>, Stop> {
        let narrowed = self.narrowed.as_ref().map(|narrowed| narrowed.task(self.task));
        match narrowed.map(|narrowed| self.ahead_of(&narrowed, state, events)).transpose()? {
            Some(Some(leg)) => Ok(Some(leg)),
            _ => self.ahead_of(self.task, state, events),
        }
    }

    /// An execution from a state to one of these events, within the steps that are looked ahead.
    fn ahead_of(&self, task: &Task<'_>, state: &[Value], events: &[Vertex]) -> Result<Option<Trace>, Stop> {
        let session = self.session;
        let mut unfolding = BmcSolver::new(task, Unrolled::Concrete(state.to_vec()), session)?;
        let longest = events.iter().map(|&event| task.steps(event)).max().unwrap_or(0);
        let (mut open, mut found) = (Vec::new(), None);
        let mut until = self.ahead;
        for steps in 0..=self.ahead {
            let one = Self::one_of(&mut unfolding, events, steps)?;
            let mut answer = match self.outlook.next {
                Some(effort) => unfolding.look_for(session, &[one], steps + longest, effort)?,
                None => Answer::GaveUp,
            };
            if let (Answer::GaveUp, Some(effort)) = (&answer, self.outlook.each) {
                for &event in events {
                    let event = unfolding.event(event, steps)?;
                    if let Answer::Run(leg) =
                        unfolding.look_for(session, &[event], steps + longest, effort)?
                    {
                        answer = Answer::Run(leg);
                        break;
                    }
                }
            }
            match answer {
                Answer::None => {}
                Answer::GaveUp => open.push(one),
                Answer::Run(leg) => {
                    found = Some(leg);
                    until = (steps + longest).min(self.ahead);
                    break;
                }
            }
        }
        if found.is_none() && !open.is_empty() {
            let any = unfolding.solver().fresh().positive();
            let clause: Vec<Lit> = std::iter::once(!any).chain(open).collect();
            unfolding.solver().clause(&clause);
            if let Answer::Run(leg) =
                unfolding.look_for(session, &[any], self.ahead + longest, self.outlook.any)?
            {
                found = Some(leg);
            }
        }
        match found {
            Some(leg) if events.len() > 1 => {
                self.with_more(&mut unfolding, (task, state), leg, (events, until)).map(Some)
            }
            found => Ok(found),
        }
    }

    /// The leg, or another one to what it covers and to further ones of the events, as many as are
    /// soon found one by one: a step more costs less than a leg of its own.
    fn with_more(
        &self,
        unfolding: &mut BmcSolver<'_>,
        (task, state): (&Task<'_>, &[Value]),
        leg: Trace,
        (events, until): (&[Vertex], u32),
    ) -> Result<Trace, Stop> {
        let mut leg = leg;
        let (mut kept, mut rest): (Vec<Lit>, Vec<Vertex>) = (Vec::new(), events.to_vec());
        loop {
            let reached = longest_run(task, &Trace { start: Start::State(state.to_vec()), ..leg.clone() })?;
            let before = rest.len();
            let mut open = Vec::new();
            for event in rest {
                match first_occurrence(&reached.run, task.goal(event)) {
                    Some(at) => kept.push(unfolding.event(event, at)?),
                    None => open.push(event),
                }
            }
            rest = open;
            if rest.is_empty() || rest.len() == before {
                return Ok(leg);
            }
            let any = unfolding.solver().fresh().positive();
            let mut clause = vec![!any];
            for steps in 0..=until {
                clause.push(Self::one_of(unfolding, &rest, steps)?);
            }
            unfolding.solver().clause(&clause);
            let assumptions: Vec<Lit> = kept.iter().copied().chain([any]).collect();
            let longest = events.iter().map(|&event| task.steps(event)).max().unwrap_or(0);
            match self.session.solve_within(unfolding.solver(), &assumptions, Some(ON_THE_WAY))? {
                Some(true) => leg = unfolding.run(until + longest),
                _ => return Ok(leg),
            }
        }
    }

    /// A literal that implies one of these events after so many steps.
    fn one_of(unfolding: &mut BmcSolver<'_>, events: &[Vertex], steps: u32) -> Result<Lit, Stop> {
        let one = unfolding.solver().fresh().positive();
        let mut clause = vec![!one];
        for &event in events {
            clause.push(unfolding.event(event, steps)?);
        }
        unfolding.solver().clause(&clause);
        Ok(one)
    }

    /// Makes a chain of what goes on from a beginning under these inputs, up to Final; a known
    /// chain that it goes on from is replaced. Whether it covers more.
    fn close(
        &mut self,
        beginning: Beginning,
        further: &[Vec<Value>],
        goals: &[Vertex],
    ) -> Result<bool, Stop> {
        let task = self.task;
        let open = self.open(goals);
        let reached = longest_run(task, &self.whole(beginning, further))?;
        let covered = covered(task, [&reached], goals.iter().copied());
        if !open.iter().any(|goal| covered.contains(goal)) {
            return Ok(false);
        }
        let (mut trace, end) = (reached.trace.as_ref().clone(), reached.run.states.last().cloned());
        let chain = match cut_run(task, reached, &covered)? {
            Some(chain) => chain,
            None => {
                let end = end.expect("an execution should have a first state");
                let Some(way) = self.soon(&end, &[Vertex::DEPOT])? else { return Ok(false) };
                trace.inputs.extend(way.inputs);
                let Some(chain) = cut(task, &complete(task.system, trace), &covered)? else {
                    return Ok(false);
                };
                chain
            }
        };
        let covers = |chain: &CheckedChain, goal: Vertex| chain.covers(task.goal(goal));
        let is_replaced =
            |old: &CheckedChain| goals.iter().all(|&goal| !covers(old, goal) || covers(&chain, goal));
        self.chains.retain(|old| !is_replaced(old));
        self.chains.push(chain);
        Ok(true)
    }
}
