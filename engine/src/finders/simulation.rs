//! Chains by simulation: to start from, or to be content with.
//!
//! As an engine of its own simulation claims nothing but what it shows: goals that occur, chains that run. It stands beside the engines
//! that prove.

use crate::error::StopReason;
use crate::finders::concatenate::strung;
use crate::finders::insert_waits::lingered;
use crate::finders::simulate::annealing::condensed;
use crate::finders::simulate::chains::chains;
use crate::finders::simulate::search::Budget;
use crate::knowledge::chains::{Candidate, first_occurrence, is_covered};
use crate::knowledge::distances::{Proof, ReachGraph};
use crate::knowledge::findings::{Findings, total};
use crate::knowledge::problem::Problem;
use crate::knowledge::status::{GoalStatus, Minimality};
use crate::provers::abstraction::enter_cones;
use crate::provers::bmc::Bounded;
use crate::provers::distance_engine::Oracle;
use crate::session::Engine;
use crate::session::{Context, Halt, Silent};
use crate::step::initial::initial_states;
use std::sync::Arc;

/// Most initial states that are simulated from.
pub(super) const INITIAL_STATES: usize = 64;

/// What simulation may cost where it soon finds short chains that cover everything.
const LOOK: Budget = Budget { total: 200_000_000, idle: 100_000_000 };
/// What simulation may cost before another engine is asked.
const FIRST: Budget = Budget { total: 4_000_000_000, idle: 300_000_000 };
/// What making chains by longer simulation shorter may cost.
const CONDENSE: Budget = Budget { total: 2_000_000_000, idle: 600_000_000 };
/// Beyond so many goals a look that finds half of them is enough: going to the others one by one is work for other engines.
const MANY: usize = 50;
/// What simulation may cost that goes on from one chain to the goals of another.
const MERGE: Budget = Budget { total: 60_000_000, idle: 30_000_000 };
/// Most chains that are tried to be made fewer.
const MOST_MERGED: usize = 4;
/// What the proof may cost that a goal is unreachable, in conflicts, before it is looked for with more effort.
const PROOF: u64 = 5_000;
/// What finding invariants for these proofs may cost.
const PREPARATION: u64 = 15_000;
/// What it may cost where nothing else is asked.
const ALONE: Budget = Budget { total: 8_000_000_000, idle: 300_000_000 };

/// Chains that cover as many of the goals as simulation can.
pub(crate) fn simulated(
    problem: &Problem<'_>,
    goals: &[usize],
    budget: Budget,
    context: &Context<'_>,
) -> Result<Vec<Candidate>, Halt> {
    continued(problem, Vec::new(), goals, budget, context)
}

/// The same, going on from chains that are known.
fn continued(
    problem: &Problem<'_>,
    known: Vec<Candidate>,
    goals: &[usize],
    budget: Budget,
    context: &Context<'_>,
) -> Result<Vec<Candidate>, Halt> {
    let before = known.clone();
    let found = context.stage("simulate", || {
        let initial = initial_states(problem, INITIAL_STATES, context)?.unwrap_or_default();
        chains(problem, goals, &initial, known, budget, context)
    });
    unless_stopped(found, before)
}

/// What was found, or where a limit stopped the search what was known before.
fn unless_stopped(
    found: Result<Vec<Candidate>, Halt>,
    before: Vec<Candidate>,
) -> Result<Vec<Candidate>, Halt> {
    match found {
        Err(Halt::Stopped(_)) => Ok(before),
        found => found,
    }
}

/// Chains that cover more of the goals by short ways that queries find; see [`probe`](crate::finders::concolic).
fn probed(
    problem: &Problem<'_>,
    known: Vec<Candidate>,
    goals: &[usize],
    context: &Context<'_>,
) -> Result<Vec<Candidate>, Halt> {
    let before = known.clone();
    let found = context.stage("probe", || {
        let initial = initial_states(problem, INITIAL_STATES, context)?.unwrap_or_default();
        crate::finders::concolic::probed(problem, &initial, known, goals, context)
    });
    unless_stopped(found, before)
}

/// Chains by steps from the beginning that go right to goals; see [`aim`](crate::finders::alternating_variable).
fn aimed(problem: &Problem<'_>, goals: &[usize], context: &Context<'_>) -> Result<Vec<Candidate>, Halt> {
    let found = context.stage("aim", || {
        let initial = initial_states(problem, INITIAL_STATES, context)?.unwrap_or_default();
        crate::finders::concolic::aimed(problem, &initial, goals, context)
    });
    unless_stopped(found, Vec::new())
}

/// Chains of a system with calls of the C library, which simulation asks: by aiming and a look, by short ways that queries find, and from there by longer
/// simulation.
pub(crate) fn chains_calling(
    problem: &Problem<'_>,
    goals: &[usize],
    context: &Context<'_>,
) -> Result<Vec<Candidate>, Halt> {
    let begun = aimed(problem, goals, context)?;
    let look = continued(problem, begun, goals, LOOK, context)?;
    let missed = |chains: &[Candidate]| missed(problem, chains, goals);
    if missed(&look) > 0 {
        let asked = probed(problem, look.clone(), goals, context)?;
        if missed(&asked) < missed(&look) {
            return continued(problem, asked, goals, FIRST, context);
        }
    }
    let longer = simulated(problem, goals, FIRST, context)?;
    Ok(if missed(&longer) > missed(&look) { look } else { longer })
}

/// What a short simulation shows, with what queries soon find beside it.
pub(crate) struct Look<'s> {
    problem: &'s Problem<'s>,
    /// Chains by simulation alone.
    drawn: Vec<Candidate>,
    /// The same, gone on from by short ways that queries find.
    chains: Vec<Candidate>,
    /// Goals that were soon proven unreachable.
    impossible: Vec<(usize, Proof)>,
    /// All other goals.
    possible: Vec<usize>,
    graph: ReachGraph,
    /// Whether a limit ended it.
    is_stopped: bool,
}

/// A first look, where the states are too many to enumerate at once. What is soon proven unreachable need not be looked for any longer.
pub(crate) fn look<'s>(problem: &'s Problem<'s>, context: &Context<'_>) -> Result<Look<'s>, Halt> {
    let goals: Vec<usize> = problem.vertices().collect();
    let drawn = simulated(problem, &goals, LOOK, context)?;
    let found = goals.iter().filter(|&&goal| is_covered(problem, &drawn, goal)).count();
    let chains = match goals.len() > MANY && found * 2 >= goals.len() {
        true => drawn.clone(),
        false => probed(problem, drawn.clone(), &goals, context)?,
    };
    let open: Vec<usize> =
        goals.iter().copied().filter(|&goal| !is_covered(problem, &chains, goal)).collect();
    let mut graph = problem.empty_graph();
    let shown = context.stage("proof", || impossible(problem, &open, &chains, &mut graph, context));
    let (impossible, is_stopped) = match shown {
        Ok(impossible) => (impossible, false),
        Err(Halt::Stopped(_)) => (Vec::new(), true),
        Err(failed) => return Err(failed),
    };
    let is_impossible = |goal: &usize| impossible.iter().any(|(excluded, _)| excluded == goal);
    let possible = goals.into_iter().filter(|goal| !is_impossible(goal)).collect();
    Ok(Look { problem, drawn, chains, impossible, possible, graph, is_stopped })
}

impl Look<'_> {
    /// Whether its chains have at most `shallow` steps and cover everything (half of it, where goals are many): other engines do better
    /// from there than simulation would.
    pub(crate) fn is_enough(&self, shallow: u32) -> bool {
        let missed = self.missed(&self.chains);
        let covers_enough = match self.possible.len() > MANY {
            true => missed * 2 <= self.possible.len(),
            false => missed == 0,
        };
        self.is_stopped || (covers_enough && self.chains.iter().all(|chain| chain.length() <= shallow))
    }

    /// What it found.
    pub(crate) fn findings(&self) -> Findings {
        self.with_statuses(self.chains.clone())
    }

    /// The same with fewer chains, where some can go on to what others cover.
    pub(crate) fn merged(&self, context: &Context<'_>) -> Result<Findings, Halt> {
        let chains = self.chains.clone();
        let merged = context.stage("merge", || merged(self.problem, chains, &self.possible, context))?;
        Ok(self.with_statuses(merged))
    }

    /// By longer simulation, where no other engine is at hand that would do better.
    pub(crate) fn longer(&self, context: &Context<'_>) -> Result<Findings, Halt> {
        let Self { problem, drawn, chains, possible, .. } = self;
        let longer = match self.missed(chains) < self.missed(drawn) {
            true => in_turns(problem, chains.clone(), true, possible, context)?,
            false => in_turns(problem, Vec::new(), false, possible, context)?,
        };
        let rank = |chains: &[Candidate]| (self.missed(chains), chains.len(), total(chains));
        let better = if rank(chains) < rank(&longer) { chains.clone() } else { longer };
        Ok(self.with_statuses(condense(problem, better, context)?))
    }

    fn missed(&self, chains: &[Candidate]) -> usize {
        missed(self.problem, chains, &self.possible)
    }

    /// Chains, with what is known of goals and lengths beside them.
    fn with_statuses(&self, chains: Vec<Candidate>) -> Findings {
        let Self { problem, graph, .. } = self;
        let covered = problem.vertices().filter(|&goal| is_covered(problem, &chains, goal));
        let alone = |goal: usize| Some(u64::from(graph.lower(0, goal)? + problem.steps(goal)));
        let lower_bound = covered.filter_map(alone).max().unwrap_or(0);
        let mut findings = Findings { lower_bound, ..findings(problem, chains) };
        for (goal, proof) in &self.impossible {
            findings.statuses[*goal] = Some(GoalStatus::Unreachable { proof: proof.clone() });
        }
        findings
    }
}

/// The same chains, or shorter ones. Each goes on covering what none of the chains before it covers.
pub(crate) fn condense(
    problem: &Problem<'_>,
    chains: Vec<Candidate>,
    context: &Context<'_>,
) -> Result<Vec<Candidate>, Halt> {
    let before = total(&chains);
    let mut shorter: Vec<Candidate> = Vec::new();
    for chain in chains {
        let is_new = |&goal: &usize| chain.covers(problem.goal(goal)) && !is_covered(problem, &shorter, goal);
        let goals: Vec<usize> = problem.vertices().filter(is_new).collect();
        let condensed = || condensed(problem, chain.clone(), &goals, CONDENSE, context);
        shorter
            .extend(unless_stopped(context.stage("condense", condensed).map(|one| vec![one]), vec![chain])?);
    }
    if total(&shorter) < before {
        let text = format!("chains of {before} steps are made shorter: {} steps", total(&shorter));
        context.record(Engine::Simulation, text);
    }
    Ok(shorter)
}

/// Chains by longer simulation, for the goals that earlier findings do not exclude.
pub(crate) fn longer_chains(
    problem: &Problem<'_>,
    earlier: &Findings,
    context: &Context<'_>,
) -> Result<Findings, Halt> {
    let is_possible = |&goal: &usize| !matches!(earlier.statuses[goal], Some(GoalStatus::Unreachable { .. }));
    let possible: Vec<usize> = problem.vertices().filter(is_possible).collect();
    let all_covered = possible.iter().all(|&goal| is_covered(problem, &earlier.chains, goal));
    let known = if all_covered { Vec::new() } else { earlier.chains.clone() };
    let chains = in_turns(problem, known, false, &possible, context)?;
    Ok(findings(problem, condense(problem, chains, context)?))
}

/// Goes on from known chains by simulation, and by queries where it stalls, until neither covers more of the goals. Chains that
/// queries were asked about are not asked about again.
fn in_turns(
    problem: &Problem<'_>,
    known: Vec<Candidate>,
    were_asked: bool,
    goals: &[usize],
    context: &Context<'_>,
) -> Result<Vec<Candidate>, Halt> {
    let missed = |chains: &[Candidate]| missed(problem, chains, goals);
    let mut asked = were_asked.then(|| missed(&known));
    let was_begun = !known.is_empty();
    let mut chains = continued(problem, known, goals, FIRST, context)?;
    if was_begun && missed(&chains) > 0 {
        // Chains that were begun for the wrong goals may lead away from others: once more from the beginning.
        let afresh = simulated(problem, goals, FIRST, context)?;
        chains = united(problem, afresh, chains, goals);
    }
    loop {
        let before = missed(&chains);
        let known = chains.clone();
        chains = unless_stopped(context.stage("wait", || lingered(problem, chains, goals, context)), known)?;
        if asked != Some(missed(&chains)) {
            chains = probed(problem, chains, goals, context)?;
            asked = Some(missed(&chains));
        }
        if missed(&chains) == before {
            return context.stage("merge", || merged(problem, chains, goals, context));
        }
        chains = continued(problem, chains, goals, LOOK, context)?;
    }
}

/// Some chains, and of others those that cover more of the goals; the ones that cover most come first.
fn united(
    problem: &Problem<'_>,
    some: Vec<Candidate>,
    others: Vec<Candidate>,
    goals: &[usize],
) -> Vec<Candidate> {
    let missed = |chains: &[Candidate]| missed(problem, chains, goals);
    let (mut united, rest) = if missed(&others) < missed(&some) { (others, some) } else { (some, others) };
    for chain in rest {
        let is_new =
            |&&goal: &&usize| chain.covers(problem.goal(goal)) && !is_covered(problem, &united, goal);
        if goals.iter().any(|goal| is_new(&goal)) {
            united.push(chain);
        }
    }
    united
}

/// The chains, with fewer of them where one can go on from its end to all that another covers: every chain costs a reset.
fn merged(
    problem: &Problem<'_>,
    mut chains: Vec<Candidate>,
    goals: &[usize],
    context: &Context<'_>,
) -> Result<Vec<Candidate>, Halt> {
    chains = strung(problem, chains, context.options.reset_cost)?;
    // What is tried in between is of no interest to the user.
    let own = Context::new(context.options, &Silent);
    let covered = |chains: &[Candidate]| -> Vec<usize> {
        goals.iter().copied().filter(|&goal| is_covered(problem, chains, goal)).collect()
    };
    let pairs = |chains: usize| {
        let all = (0..chains).flat_map(move |first| (0..chains).map(move |second| (first, second)));
        all.filter(|(first, second)| first != second).collect::<Vec<_>>()
    };
    let mut open = if chains.len() > MOST_MERGED { Vec::new() } else { pairs(chains.len()) };
    while let Some((first, second)) = open.pop().filter(|_| context.stopped().is_none()) {
        let both = covered(&[chains[first].clone(), chains[second].clone()]);
        let longer = continued(problem, vec![chains[first].clone()], &both, MERGE, &own)?;
        if let [one] = &longer[..]
            && covered(&longer).len() == both.len()
        {
            chains[first] = one.clone();
            chains.remove(second);
            open = pairs(chains.len());
        }
    }
    context.count(own.sat_calls(), 0);
    Ok(chains)
}

/// How many of the goals none of the chains covers.
fn missed(problem: &Problem<'_>, chains: &[Candidate], goals: &[usize]) -> usize {
    goals.iter().filter(|&&goal| !is_covered(problem, chains, goal)).count()
}

/// Those of the goals that are proven unreachable with little effort; `chains` show what can be reached. What is found of distances is
/// entered into the graph.
fn impossible(
    problem: &Problem<'_>,
    goals: &[usize],
    chains: &[Candidate],
    graph: &mut ReachGraph,
    context: &Context<'_>,
) -> Result<Vec<(usize, Proof)>, Halt> {
    let mut impossible = Vec::new();
    context.check_limits()?;
    enter_cones(problem, graph, context)?;
    if goals.is_empty() {
        return Ok(impossible);
    }
    for chain in chains {
        let witness = Arc::new(chain.trace.clone());
        for vertex in problem.vertices() {
            if let Some(steps) = first_occurrence(&chain.run, problem.goal(vertex)) {
                graph.found(0, vertex, steps, Some(&witness), Engine::Simulation);
            }
        }
    }
    let mut oracle = Bounded::new(problem, context)?;
    match context.within(PREPARATION, || oracle.prepare_proofs(graph, context)) {
        Err(Halt::Stopped(StopReason::Effort)) => return Ok(excluded(goals, graph)),
        prepared => prepared?,
    }
    for &goal in goals {
        match context.within(PROOF, || oracle.exclude(0, goal, graph, context)) {
            Ok(true) => {
                let proof = graph.proof(0, goal).expect("an excluded goal should have a proof").clone();
                let name = &problem.system.goals[problem.goal(goal)].name;
                context.record(oracle.engine(), format!("{name} is unreachable: {proof}"));
                impossible.push((goal, proof));
            }
            Ok(false) | Err(Halt::Stopped(StopReason::Effort)) => {}
            Err(halt) => return Err(halt),
        }
    }
    Ok(impossible)
}

/// Those of the goals that the graph excludes.
fn excluded(goals: &[usize], graph: &ReachGraph) -> Vec<(usize, Proof)> {
    goals.iter().filter_map(|&goal| Some((goal, graph.proof(0, goal)?.clone()))).collect()
}

/// What chains say by themselves.
pub(crate) fn findings(problem: &Problem<'_>, chains: Vec<Candidate>) -> Findings {
    let minimal = if chains.is_empty() { Minimality::Unknown } else { Minimality::Gap };
    Findings { chains, minimal, ..Findings::nothing(problem, String::new()) }
}

/// Simulation alone: no claim of minimality, nothing excluded.
pub(crate) fn run(problem: &Problem<'_>, context: &Context<'_>) -> (Findings, Result<(), Halt>) {
    let mut findings = Findings::nothing(problem, "none: simulation".to_owned());
    let goals: Vec<usize> = problem.vertices().collect();
    match simulated(problem, &goals, ALONE, context).and_then(|chains| condense(problem, chains, context)) {
        Ok(chains) => {
            findings.chains = chains;
            findings.minimal = Minimality::Unknown;
            (findings, context.check_limits())
        }
        Err(halt) => (findings, Err(halt)),
    }
}
