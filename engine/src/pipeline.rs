//! The way from a validated system to its chains: an ordered list of stages.
//!
//! | stage | hands on |
//! |---|---|
//! | `prepare` | the system with its proven invariants, or why it has no execution |
//! | `graph` | [`ReachGraph`](crate::knowledge::distances::ReachGraph): bounds on distances |
//! | `order` | plans: orders with a lower bound |
//! | `chain` | candidates: runs the evaluator accepts; what sub-paths truly cost |
//! | `latched` | a closed gap between bound and chain |
//! | `smooth` | chains of the same length whose inputs change rarely |
//! | `check` | [`Outcome`]: replayed chains, verdicts of the oracles, hazards |

use crate::baselines::engine::with_distances;
use crate::baselines::nearest::Nearest;
use crate::baselines::paper::Variant;
use crate::baselines::{monolithic, suite};
use crate::components;
use crate::error::EngineError;
pub use crate::error::StopReason;
use crate::finders::simulate::annealing::{FIRST_TURN, shortened};
use crate::knowledge::chains::{CheckedChain, longest_run};
use crate::knowledge::invariants::Invariant;
use crate::knowledge::known::Knowledge;
pub use crate::knowledge::status::{GoalStatus, Minimality};
use crate::knowledge::task::SEARCHED;
use crate::knowledge::task::{Task, all_goals};
use crate::knowledge::vertex::Vertex;
use crate::options::Smoothing;
use crate::options::{HazardPolicy, Options, Strategy};
use crate::outcome::Smoothed;
pub use crate::outcome::{Chain, Expectation, GoalResult, Outcome};
use crate::outcome::{Searched, orders};
use crate::provers::bmc::Bounded;
use crate::provers::claims::{check_chains, check_claims};
use crate::provers::distance_engine::DistanceEngine;
use crate::schedule;
use crate::session::{EngineAccount, Session, Stop, add, add_account};
pub use crate::session::{Milestone, Progress, Silent, StageTiming};
use crate::smooth::smooth;
use crate::step::bmc_solver::BmcSolver;
use crate::step::bmc_solver::{Answer, Effort};
use crate::step::confirmed::keep_confirmed;
use crate::step::external::complete;
use crate::step::size::Size;
use encoder::unroll;
use model::slice::{Keep, SliceMap, reduce};
use model::system::{Assumption, GoalId, TransitionSystem};
use model::trace::{Start, Trace};
use model::validate::{Validated, validate};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Searches for chains that cover all goals, from chains that are known; see the module text.
/// Results of external calls are inputs that nobody chooses: [`find_chains`](crate::find_chains)
/// makes them those of the program.
///
/// # Errors
/// Where there is nothing to search for, or the search is not possible. A limit is no error: the
/// best result so far comes with [`Searched::stopped`].
pub(crate) fn search(
    system: &Validated,
    begun: &[CheckedChain],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Searched, EngineError> {
    let limits = TimeLimits::of(system, options);
    let own_options = &Options { deadline: limits.search, ..options.clone() };
    let session = Session::new(own_options, progress);
    let whole = Task::new(system, &all_goals(system), Vec::new());
    let mut searched = Searched {
        known: Knowledge::nothing(&whole, options.reset_cost),
        stopped: None,
        smoothing: Vec::new(),
        stages: Vec::new(),
        milestones: Vec::new(),
        engines: Vec::new(),
        lemmas: Vec::new(),
        notes: Vec::new(),
    };
    match session.stage("prepare", || prepare(system, &session)) {
        Ok(prepared) => {
            let ended = search_prepared(&whole, &prepared, begun, &mut searched.known, &session);
            searched.notes = prepared.notes;
            searched.stopped = stop_reason(ended)?.map(|reason| options.interruption().unwrap_or(reason));
            after_search(&whole, &mut searched, options, limits, &session)?;
        }
        Err(Stop::Failed(error)) => return Err(error),
        Err(Stop::Limit(reason)) => searched.stopped = Some(reason),
    }
    (searched.stages, searched.milestones) = (session.timings(), session.milestones());
    searched.engines = session.accounts();
    Ok(searched)
}

/// Searches the reduced system with the strategy asked for; chains are brought back to the whole
/// one.
fn search_prepared(
    whole: &Task<'_>,
    prepared: &Prepared,
    begun: &[CheckedChain],
    known: &mut Knowledge,
    session: &Session<'_>,
) -> Result<(), Stop> {
    let task = Task::new(&prepared.system, &whole.goals(), prepared.invariants.clone())
        .until(session.limit_of_executions());
    let ended = match session.options.strategy {
        Strategy::Exact => {
            let begun = begun.iter().map(|chain| longest_run(&task, &prepared.map.lower(&chain.trace)));
            known.offer(begun.collect::<Result<_, _>>()?)?;
            components::run(&task, known, session)
        }
        Strategy::Monolithic => monolithic::run(&task, known, session),
        Strategy::Greedy => with_distances(&task, known, session, Nearest),
        Strategy::Fshell => suite::bounded::run(&task, known, session),
        Strategy::Random => suite::random::run(&task, known, session),
        Strategy::PaperRepair => with_distances(&task, known, session, Variant::Repair),
        Strategy::PaperRefine => with_distances(&task, known, session, Variant::Refinement),
        Strategy::PaperConstraints => with_distances(&task, known, session, Variant::Constraints),
    };
    if let Some(graph) = known.graph_mut().filter(|_| !task.calls().is_empty()) {
        keep_confirmed(&task, graph)?;
    }
    let chains = session.stage("check", || raise(whole, &prepared.map, known.chains()))?;
    known.replace(chains)?;
    check_chains(whole, known.chains())?;
    ended
}

/// What comes after the search: chains without hazards, smooth inputs.
fn after_search(
    whole: &Task<'_>,
    searched: &mut Searched,
    options: &Options,
    limits: TimeLimits,
    session: &Session<'_>,
) -> Result<(), EngineError> {
    if options.hazards == HazardPolicy::Avoid {
        let own = Options { deadline: limits.hazards, ..options.clone() };
        let own = Session::new(&own, &Silent);
        let avoided = session.stage("hazards", || {
            let avoided = avoid_hazards(whole, &mut searched.known, &own);
            session.count(own.sat_calls(), 0);
            avoided
        });
        searched.stopped = searched.stopped.or(stop_reason(avoided)?);
    }
    if let Some(wishes) = &options.smoothing
        && options.interruption().is_none()
    {
        let own = Options { deadline: limits.smoothing, ..options.clone() };
        let own = Session::new(&own, &Silent);
        let mut chains = searched.known.chains().to_vec();
        searched.smoothing = session.stage("smooth", || {
            let reports = smooth_chains(whole, &mut chains, wishes, &own);
            session.count(own.sat_calls(), 0);
            reports
        })?;
        searched.known.replace(chains)?;
    }
    Ok(())
}

/// What is known of a system with calls of the C library beside a search for short chains.
#[derive(Default)]
pub(crate) struct Facts {
    /// Executions of the program.
    pub(crate) chains: Vec<CheckedChain>,
    /// Goals that no execution reaches, and why.
    pub(crate) excluded: Vec<(GoalId, GoalStatus)>,
    /// What the stages took.
    pub(crate) stages: Vec<StageTiming>,
    /// What each engine took and came to.
    pub(crate) engines: Vec<EngineAccount>,
}

impl Facts {
    /// Whether goals are neither covered nor excluded.
    pub(crate) fn has_open(&self, system: &Validated) -> bool {
        let is_excluded = |goal: GoalId| self.excluded.iter().any(|(excluded, _)| *excluded == goal);
        let is_covered = |goal: GoalId| self.chains.iter().any(|chain| chain.covers(goal));
        system.goals.ids().any(|goal| !is_covered(goal) && !is_excluded(goal))
    }
}

/// Covers more goals by finders that ask the C library, in these rounds; see [`schedule::find`].
///
/// # Errors
/// As for [`search`].
pub(crate) fn find_real(
    system: &Validated,
    facts: &mut Facts,
    rounds: Range<u32>,
    options: &Options,
    progress: &dyn Progress,
) -> Result<(), EngineError> {
    add_facts(system, facts, options, progress, |task, known, session| {
        // What was found before a limit counts. The last part of the time is for shorter chains.
        match session.before_last_call(|| schedule::find(task, known, rounds, session)) {
            Ok(()) | Err(Stop::Limit(_)) => Ok(()),
            ended => ended,
        }
    })
}

/// Makes the chains that [`find_real`] came to shorter.
///
/// # Errors
/// As for [`search`].
pub(crate) fn shorten_real(
    system: &Validated,
    facts: &mut Facts,
    options: &Options,
    progress: &dyn Progress,
) -> Result<(), EngineError> {
    add_facts(system, facts, options, progress, |task, known, session| {
        known.replace(shortened(task, known.chains().to_vec(), &[], (FIRST_TURN, 0), session)?)?;
        Ok(())
    })
}

/// Proves of goals that are not covered that they are unreachable, where that is soon done. What
/// the library gives is left open, but for what the system assumes of it.
///
/// # Errors
/// As for [`search`].
pub(crate) fn exclude(
    system: &Validated,
    facts: &mut Facts,
    options: &Options,
    progress: &dyn Progress,
) -> Result<(), EngineError> {
    add_facts(system, facts, options, progress, schedule::exclude)
}

/// Lets engines add to what is known. A limit that is reached meanwhile is no error.
fn add_facts(
    system: &Validated,
    facts: &mut Facts,
    options: &Options,
    progress: &dyn Progress,
    work: impl FnOnce(&Task<'_>, &mut Knowledge, &Session<'_>) -> Result<(), Stop>,
) -> Result<(), EngineError> {
    let session = Session::new(options, progress);
    let whole = Task::new(system, &all_goals(system), Vec::new());
    let ended = session.stage("prepare", || prepare(system, &session)).and_then(|prepared| {
        let task = Task::new(&prepared.system, &all_goals(system), prepared.invariants.clone())
            .until(session.limit_of_executions());
        let mut known = Knowledge::nothing(&task, options.reset_cost);
        let begun = facts.chains.iter().map(|chain| longest_run(&task, &prepared.map.lower(&chain.trace)));
        known.offer(begun.collect::<Result<_, _>>()?)?;
        for (goal, status) in &facts.excluded {
            if let Some(vertex) = task.vertex(*goal) {
                known.decide(vertex, status.clone())?;
            }
        }
        let ended = work(&task, &mut known, &session);
        facts.chains = raise(&whole, &prepared.map, known.chains())?;
        let excluded = |vertex: &_| known.is_excluded(*vertex);
        let statuses = known.statuses();
        facts.excluded = task
            .vertices()
            .filter(excluded)
            .filter_map(|vertex| Some((task.goal(vertex), statuses[vertex].clone()?)))
            .collect();
        ended
    });
    session.timings().into_iter().for_each(|stage| add(&mut facts.stages, stage));
    session.accounts().into_iter().for_each(|turns| add_account(&mut facts.engines, turns));
    match ended {
        Ok(()) | Err(Stop::Limit(_)) => Ok(()),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// When the parts of a run end. A time limit holds for all of it, so the search leaves some of the
/// time to what comes after.
#[derive(Clone, Copy)]
pub(crate) struct TimeLimits {
    pub(crate) search: Option<Instant>,
    hazards: Option<Instant>,
    pub(crate) smoothing: Option<Instant>,
}

impl TimeLimits {
    /// What is left to avoiding hazards, smoothing and replay, as a share of the time limit and at
    /// most.
    const RESERVED_SHARE: u32 = 10;
    const MOST_RESERVED: Duration = Duration::from_secs(4);
    /// Terms beyond which twice as much is left: to run chains once more takes seconds there.
    const LARGE: usize = 30_000;

    pub(crate) fn of(system: &Validated, options: &Options) -> Self {
        let times = if system.terms.len() > Self::LARGE { 2 } else { 1 };
        let reserved = options.deadline.map_or(Duration::ZERO, |deadline| {
            let left = deadline.saturating_duration_since(Instant::now());
            (left / Self::RESERVED_SHARE).min(Self::MOST_RESERVED) * times
        });
        let before = |duration| options.deadline.and_then(|deadline| deadline.checked_sub(duration));
        Self { search: before(reserved), hazards: before(reserved / 4 * 3), smoothing: before(reserved / 2) }
    }
}

/// Smooths the inputs of each chain; see [`crate::smooth`]. A limit that is reached meanwhile ends
/// the smoothing, not the run.
pub(crate) fn smooth_chains(
    whole: &Task<'_>,
    chains: &mut [CheckedChain],
    wishes: &Smoothing,
    session: &Session<'_>,
) -> Result<Vec<Smoothed>, EngineError> {
    let orders = orders(whole.system, chains.iter().cloned());
    let mut reports = Vec::new();
    for (chain, order) in chains.iter_mut().zip(orders) {
        match smooth(whole, chain, &order.order, wishes, session) {
            Ok((smoother, report)) => {
                *chain = smoother;
                reports.push(report);
            }
            Err(Stop::Limit(_)) => reports.push(Smoothed::default()),
            Err(Stop::Failed(error)) => return Err(error),
        }
    }
    Ok(reports)
}

pub(crate) fn stop_reason(ended: Result<(), Stop>) -> Result<Option<StopReason>, EngineError> {
    match ended {
        Ok(()) => Ok(None),
        Err(Stop::Limit(reason)) => Ok(Some(reason)),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// What forbidding hazards leaves out.
const WHOLE_STEPS_LEFT_OUT: &str = "--ub forbid: no step counts that runs into an undefined operation, nor a goal that this step reaches before it";

/// What `prepare` hands on.
pub(crate) struct Prepared {
    /// The part of the system that matters for the search.
    pub(crate) system: Validated,
    /// The way back to the whole system.
    map: SliceMap,
    /// What holds in its reachable states.
    pub(crate) invariants: Vec<Invariant>,
    /// What the user should know.
    notes: Vec<String>,
}

/// Slices the system and looks at what is claimed of it.
pub(crate) fn prepare(system: &Validated, session: &Session<'_>) -> Result<Prepared, Stop> {
    if system.goals.is_empty() {
        return Err(EngineError::NoGoals.into());
    }
    let searched = searched(system, session.options.hazards);
    let claimed = !searched.invariants.is_empty();
    let keep = Keep { invariants: claimed, ..SEARCHED };
    let (reduced, map) = reduce(&searched, keep);
    let task = Task::new(&reduced, &[], Vec::new());
    if !runs_at_rest(&task) {
        check_executions(&task, session)?;
    }
    let claims = check_claims(&task, session)?;
    drop(task);
    let mut notes = claims.notes;
    if session.options.hazards == HazardPolicy::Forbid && !system.hazards.is_empty() {
        notes.push(WHOLE_STEPS_LEFT_OUT.to_owned());
    }
    Ok(Prepared { system: reduced, map, invariants: claims.invariants, notes })
}

/// The system that is searched under this policy: what says nothing about what is reached is left
/// out.
pub fn searched(system: &Validated, hazards: HazardPolicy) -> Validated {
    match hazards {
        HazardPolicy::Forbid => without_hazards(system),
        HazardPolicy::Report | HazardPolicy::Avoid => without_expectations(system),
    }
}

/// Expectations say nothing about what is reached.
fn without_expectations(system: &Validated) -> Validated {
    let mut system: TransitionSystem = (**system).clone();
    system.goals.values_mut().for_each(|goal| goal.expectation = None);
    validated(system)
}

/// The system in which no step runs into a hazard.
fn without_hazards(system: &Validated) -> Validated {
    let mut system: TransitionSystem = (**system).clone();
    for hazard in &system.hazards {
        let condition = system.terms.not(hazard.condition);
        system.assumptions.push(Assumption { condition, origin: hazard.origin });
    }
    system.goals.values_mut().for_each(|goal| goal.expectation = None);
    validated(system)
}

fn validated(system: TransitionSystem) -> Validated {
    validate(system).expect("a valid system should stay valid when parts of it are left out")
}

/// Whether a step is possible under inputs that are all zero: then nothing needs to be asked to
/// know that there are executions.
fn runs_at_rest(task: &Task<'_>) -> bool {
    let system = task.system;
    let start = Start::Initial(task.zeros(system.initial_inputs.values()));
    let inputs = vec![task.zeros(system.inputs.values())];
    task.replay(&complete(system, Trace { start, inputs })).is_ok()
}

/// Fails where the assumptions admit no execution.
fn check_executions(task: &Task<'_>, session: &Session<'_>) -> Result<(), Stop> {
    let mut unfolding = BmcSolver::new(task, unroll::Start::Initial, session)?;
    let questions = [
        (0, "no initial inputs satisfy the initial assumptions"),
        (1, "no inputs satisfy the assumptions in any initial state"),
    ];
    for (steps, why) in questions {
        let running = unfolding.running(steps)?;
        if !unfolding.ask(session, &[running])? {
            return Err(EngineError::NoExecution(why.to_owned()).into());
        }
    }
    Ok(())
}

/// Brings chains back to the whole system, and has the evaluator judge them there.
fn raise(
    whole: &Task<'_>,
    map: &SliceMap,
    chains: &[CheckedChain],
) -> Result<Vec<CheckedChain>, EngineError> {
    let mut raised = Vec::with_capacity(chains.len());
    for chain in chains {
        let trace = map.raise(whole.system, &chain.trace);
        let judged = longest_run(whole, &trace)?;
        let agrees = |goal| judged.covers(goal) == chain.covers(goal);
        if judged.length() != chain.length() || !whole.system.goals.ids().all(agrees) {
            let why = format!("a chain of {} steps does not work on the whole system", chain.length());
            return Err(EngineError::SelfCheck(why));
        }
        raised.push(judged);
    }
    Ok(raised)
}

/// Replaces chains that run into hazards by chains of the same order and length that do not, where
/// there are any.
fn avoid_hazards(whole: &Task<'_>, known: &mut Knowledge, session: &Session<'_>) -> Result<(), Stop> {
    let mut chains = known.chains().to_vec();
    if chains.iter().all(|chain| chain.run.hazards.is_empty()) {
        return Ok(());
    }
    let (safe, map) = reduce(&without_hazards(whole.system), Keep { external_calls: false, ..SEARCHED });
    let longest = chains.iter().map(CheckedChain::length).max().unwrap_or(0) as usize;
    if Size::of(&safe).gates.is_none_or(|gates| gates.saturating_mul(longest) > MOST_AVOIDING) {
        known.note(
            "no chain without undefined operations was sought: the model is too large for that".to_owned(),
        );
        return Ok(());
    }
    let task = Task::new(&safe, &whole.goals(), Vec::new());
    let mut distances = Bounded::new(&task, session)?;
    let graph = task.empty_graph();
    let orders = orders(whole.system, chains.iter().cloned());
    let mut ended = Ok(());
    for (chain, order) in chains.iter_mut().zip(orders) {
        if chain.run.hazards.is_empty() {
            continue;
        }
        let vertices = order.order.iter().filter_map(|&goal| task.vertex(goal));
        let sequence: Vec<Vertex> =
            std::iter::once(Vertex::DEPOT).chain(vertices).chain([Vertex::DEPOT]).collect();
        match distances.sequence(&sequence, chain.length(), &graph, AVOIDANCE, session) {
            Ok(Answer::Run(trace)) => {
                let mut trace = map.raise(whole.system, &trace);
                trace.inputs.truncate(chain.length() as usize);
                let safer = longest_run(whole, &trace)?;
                let covers = order.order.iter().all(|&goal| safer.covers(goal));
                let is_shorter = safer.length() <= chain.length();
                if covers && safer.run.may_end && is_shorter && safer.run.hazards.is_empty() {
                    *chain = safer;
                }
            }
            Ok(Answer::None | Answer::GaveUp) => {}
            Err(halt) => {
                ended = Err(halt);
                break;
            }
        }
    }
    known.replace(chains)?;
    ended
}

/// Gates of the unrolled model with which a chain without hazards is sought, at most: beyond that
/// it takes too much memory.
const MOST_AVOIDING: usize = 20_000_000;

/// Effort to find a chain without hazards.
const AVOIDANCE: Effort = Effort::Conflicts(200_000);
