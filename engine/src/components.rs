//! Components of a task, searched one by one, and their chains side by side.
//!
//! Where [components](model::components) of a system share neither memory nor inputs, a chain of
//! the whole is one chain of each, of one length. So what is proven of a component is proven of the
//! whole, and chains of components that are played side by side make a chain as long as the longest
//! of them: the search through all combinations of their states is left out.
//!
//! Turns of the components grow: each gets a part of half of the time first, and those that are not
//! settled then share what is left.

use crate::error::EngineError;
use crate::knowledge::chains::{CheckedChain, covered, covering, longest_run};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::options::{EngineChoice, Options};
use crate::provers::part::{Part, share};
use crate::random_simulation::RandomExecution;
use crate::schedule;
use crate::session::{Engine, Session, Stop};
use model::components::components;
use model::id::Id;
use model::trace::{Start, Trace};

/// How often inputs are drawn for a component that has nothing to do until it is given up that any
/// satisfy its assumptions.
const DRAWS: usize = 200;

/// The exact strategy, component by component where there are several; see the module text.
pub(crate) fn run(task: &Task<'_>, known: &mut Knowledge, session: &Session<'_>) -> Result<(), Stop> {
    if session.options.engine != EngineChoice::Auto {
        return schedule::run(task, known, session);
    }
    let parts = session.stage("prepare", || parts(task));
    if parts.len() < 2 {
        return schedule::run(task, known, session);
    }
    let tasks: Vec<Task<'_>> = parts.iter().map(|part| part.task(session)).collect();
    let mut found: Vec<Knowledge> =
        tasks.iter().map(|task| Knowledge::nothing(task, session.options.reset_cost)).collect();
    for ((part, task), found) in parts.iter().zip(&tasks).zip(&mut found) {
        found.offer(begun(part, task, known)?)?;
    }
    let ended = in_turns(&parts, &tasks, &mut found, session);
    for (part, found) in parts.iter().zip(&found) {
        part.teach(known, found)?;
    }
    let chains = session.stage("check", || side_by_side(task, &parts, &tasks, &found))?;
    let is_whole = covers_all(task, &chains, &parts, &found);
    let longest = if is_whole { chains.first().map_or(0, CheckedChain::length) } else { 0 };
    known.offer(chains)?;
    if let Some(graph) = distances(task, &parts, &found, longest) {
        known.learn_distances(&graph);
    }
    known.note(format!(
        "the goals belong to {} parts of the model that share neither memory nor inputs: each was searched by itself{}",
        parts.len(),
        if is_whole { ", and their chains run side by side" } else { "" }
    ));
    // One execution of each component makes one of the whole. So the longest chain counts, unless
    // chains are several, or cannot all be made as long: a component may come to a state without a
    // successor, and Final want another to rest.
    let is_exact = is_whole && known.chains().len() <= 1 && session.options.reset_cost.is_none();
    match ended {
        Ok(()) if !is_exact && !known.is_settled(session.options.gap) => schedule::run(task, known, session),
        ended => ended,
    }
}

/// The components of the task, sliced.
fn parts(task: &Task<'_>) -> Vec<Part> {
    let components = components(task.system).into_iter();
    components.map(|component| Part::new(task, component.system, &component.goals)).collect()
}

/// What the known chains of the whole come to in a component.
fn begun(part: &Part, task: &Task<'_>, known: &Knowledge) -> Result<Vec<CheckedChain>, EngineError> {
    let goals: Vec<Vertex> = task.vertices().collect();
    let lowered = known.chains().iter().map(|chain| covering(task, part.map.lower(&chain.trace), &goals));
    Ok(lowered.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Searches each component, and those that are not settled again.
fn in_turns(
    parts: &[Part],
    tasks: &[Task<'_>],
    found: &mut [Knowledge],
    session: &Session<'_>,
) -> Result<(), Stop> {
    let gap = session.options.gap;
    let mut ended = Ok(());
    for parts_of_time in [2, 1] {
        let mut open: Vec<usize> =
            (0..parts.len()).filter(|&number| !found[number].is_settled(gap)).collect();
        open.sort_by_key(|&number| parts[number].bits());
        for (position, &number) in open.iter().enumerate() {
            // What is easy is settled by now, and engines do better when they are not interrupted.
            let is_last_open = (0..parts.len()).all(|other| other == number || found[other].is_settled(gap));
            let parts_left = (open.len() - position) as u32 * if is_last_open { 1 } else { parts_of_time };
            let deadline = share(session.options.deadline, parts_left);
            let options = Options { deadline, ..session.options.clone() };
            let inner = session.inner(&options);
            let searched = schedule::run(&tasks[number], &mut found[number], &inner);
            session.take(inner.into_accounts());
            match searched {
                Ok(()) => {}
                Err(Stop::Limit(reason)) => {
                    session.check_limits()?;
                    ended = Err(Stop::Limit(reason));
                }
                Err(failed) => return Err(failed),
            }
            tell(found, session);
        }
        if ended.is_ok() || session.options.deadline.is_none() {
            break;
        }
        if parts_of_time > 1 {
            ended = Ok(());
        }
    }
    ended
}

/// Tells how far the components have come together.
fn tell(found: &[Knowledge], session: &Session<'_>) {
    let depth = found.iter().map(Knowledge::depth).max().unwrap_or(0);
    let covered = found.iter().map(|known| known.covered().len()).sum();
    let bound = found.iter().map(Knowledge::lower_bound).max().unwrap_or(0);
    let is_chained = found.iter().any(|known| !known.chains().is_empty());
    let best = || found.iter().map(|known| known.cost().1).max().unwrap_or(0);
    session.progress.update(depth, covered, is_chained.then(best), bound);
}

/// What is known of distances between goals of one component, as distances in the whole, where all
/// others are known to go on for so many steps. `None`: nobody has asked for any.
fn distances(task: &Task<'_>, parts: &[Part], found: &[Knowledge], longest: u32) -> Option<ReachGraph> {
    let mut graph = task.empty_graph();
    let mut is_known = false;
    for (part, found) in parts.iter().zip(found) {
        let Some(own) = found.graph() else { continue };
        is_known = true;
        graph.asked(own.depth());
        let whole = |vertex: Vertex| match vertex.is_depot() {
            true => vertex,
            false => part.vertices[vertex.position()],
        };
        for source in own.vertices() {
            for target in own.vertices().filter(|&target| target != source && !target.is_depot()) {
                let (from, to) = (whole(source), whole(target));
                match (own.lower(source, target), own.proof(source, target)) {
                    (_, Some(proof)) => graph.never(from, to, proof.clone(), Engine::Explicit),
                    (Some(steps), None) => {
                        graph.raise(from, to, steps, Engine::Explicit);
                        if own.is_exact(source, target) && steps + task.steps(to) <= longest {
                            graph.found(from, to, steps, None, Engine::Explicit);
                        }
                    }
                    (None, None) => {}
                }
            }
        }
    }
    is_known.then_some(graph)
}

/// Whether chains of the whole cover what those of the components do.
fn covers_all(task: &Task<'_>, chains: &[CheckedChain], parts: &[Part], found: &[Knowledge]) -> bool {
    let wanted: usize = found.iter().map(|known| known.covered().len()).sum();
    let vertices = parts.iter().flat_map(|part| part.vertices.iter().copied());
    covered(task, chains, vertices).len() == wanted
}

/// The chains of the components as chains of the whole: the longest ones side by side, then those
/// that come next.
fn side_by_side(
    task: &Task<'_>,
    parts: &[Part],
    tasks: &[Task<'_>],
    found: &[Knowledge],
) -> Result<Vec<CheckedChain>, EngineError> {
    let ranked: Vec<Vec<&CheckedChain>> = found
        .iter()
        .map(|known| {
            let mut chains: Vec<&CheckedChain> = known.chains().iter().collect();
            chains.sort_by_key(|chain| std::cmp::Reverse(chain.length()));
            chains
        })
        .collect();
    let most = ranked.iter().map(Vec::len).max().unwrap_or(0);
    let mut whole = Vec::new();
    for rank in 0..most {
        let length = ranked.iter().filter_map(|chains| chains.get(rank)).map(|chain| chain.length()).max();
        let length = length.unwrap_or(0) as usize;
        let mut trace: Option<Trace> = None;
        for ((part, own), chains) in parts.iter().zip(tasks).zip(&ranked) {
            // Where a component has nothing to do, it goes on as in its first chain.
            let chain = chains.get(rank).or(chains.first()).map(|chain| &*chain.trace);
            let Some(run) = of_length(own, chain, length) else { return Ok(Vec::new()) };
            let run = part.map.raise(task.system, &run);
            match &mut trace {
                Some(trace) => put(trace, &run, part),
                None => trace = Some(run),
            }
        }
        if let Some(trace) = trace {
            whole.push(longest_run(task, &trace)?);
        }
    }
    let is_chain = |chain: &CheckedChain| chain.run.may_end && chain.length() > 0;
    Ok(if whole.iter().all(is_chain) { whole } else { Vec::new() })
}

/// An execution of a component of exactly that many steps, which begins like a chain as far as it
/// can. Where the chain ends its last inputs are held, or others drawn that the assumptions allow.
fn of_length(task: &Task<'_>, chain: Option<&Trace>, length: usize) -> Option<Trace> {
    let mut execution = RandomExecution::new(task.system, 0, DRAWS);
    let (start, mut state) = match chain.map(|chain| &chain.start) {
        Some(Start::Initial(values)) => (values.clone(), task.initial_state(values)),
        _ => execution.start()?,
    };
    let mut row = task.zeros(task.system.inputs.values());
    let mut inputs = Vec::with_capacity(length);
    for step in 0..length {
        if let Some(known) = chain.and_then(|chain| chain.inputs.get(step)) {
            row.clone_from(known);
        }
        if !execution.step(&mut state, &mut row) {
            return None;
        }
        inputs.push(row.clone());
    }
    Some(Trace { start: Start::Initial(start), inputs })
}

/// Puts the inputs of a component into an execution of the whole.
fn put(trace: &mut Trace, of_part: &Trace, part: &Part) {
    for (row, own) in trace.inputs.iter_mut().zip(&of_part.inputs) {
        for (id, kept) in part.map.inputs.iter() {
            if kept.is_some() {
                row[id.index()] = own[id.index()];
            }
        }
    }
    if let (Start::Initial(values), Start::Initial(own)) = (&mut trace.start, &of_part.start) {
        for (id, kept) in part.map.initial_inputs.iter() {
            if kept.is_some() {
                values[id.index()] = own[id.index()];
            }
        }
    }
}
