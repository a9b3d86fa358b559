//! Coverage goals: searched for without those that others imply, and told with what a person
//! excuses.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::pairs;
use crate::stored::{execute, trace};
use config::ConfigError;
use config::coverage::{justification_place, parse_justifications};
use engine::knowledge::status::GoalStatus;
use engine::options::Options;
use engine::outcome::{Expectation, GoalResult, Outcome};
use engine::session::Progress;
use frontend::coverage::Coverage as Found;
use model::id::IdVec;
use model::system::GoalId;
use model::trace::{Execution, Trace};
use model::validate::Validated;
use report::build;
use report::coverage::{Coverage, Justification, section};
use report::output::chain_file::ChainFile;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Where the justifications of a model stand, if there are any.
fn justification_file(model: &Model) -> Option<PathBuf> {
    let configuration = &model.configuration;
    let path = justification_place(configuration.config_path.as_deref(), &configuration.request.sources)?;
    path.is_file().then_some(path)
}

/// The justifications of a model: what stands in `coverage.toml` beside its configuration, or
/// beside its first source; none where no coverage goals are asked for.
///
/// # Errors
/// [`ErrorKind::Request`]: the file makes no sense.
pub fn justifications(model: &Model) -> Result<Vec<Justification>, Error> {
    let wanted = model.coverage().and_then(|_| justification_file(model));
    let Some(path) = wanted else { return Ok(Vec::new()) };
    let text = std::fs::read_to_string(&path)
        .map_err(|source| ConfigError::Unreadable { path: path.clone(), source })?;
    parse_justifications(&text)
        .map_err(|why| Error::new(ErrorKind::Request, format!("{}: {why}", path.display())))
}

/// What became of the coverage goals of a model; `None` where none are asked for. `file` is the
/// result with its goals and chains, `dead` says of pairs by identity why no execution has them.
///
/// # Errors
/// As for [`justifications`]; chains that are none of the model.
pub(crate) fn coverage(
    model: &Model,
    file: &ChainFile,
    dead: &BTreeMap<String, String>,
) -> Result<Option<Coverage>, Error> {
    with(model, file, dead, &justifications(model)?)
}

/// What became of the coverage goals of a model under these justifications; `None` where it has none.
///
/// # Errors
/// Chains that are none of the model.
fn with(
    model: &Model,
    file: &ChainFile,
    dead: &BTreeMap<String, String>,
    justified: &[Justification],
) -> Result<Option<Coverage>, Error> {
    let Some(found) = model.coverage() else { return Ok(None) };
    let is_plain = model.observed.is_none() && found.pairs.is_empty();
    let runs = if is_plain { Vec::new() } else { stored_runs(model, file)? };
    let parts: Vec<(&Trace, &Execution)> = runs.iter().map(|(trace, run)| (trace, run)).collect();
    let places = pairs::places(model, found, &parts);
    let pairs = pairs::outcomes(found, &places, dead, justified);
    let mut coverage = section(found, &file.goals, pairs, justified);
    tell_sights(model, found, &runs, &mut coverage);
    Ok(Some(coverage))
}

/// What became of the coverage goals of a model by a stored result: what it says of goals, pairs
/// that are dead, and justifications is believed, and where things are reached is computed.
///
/// # Errors
/// Chains that are none of the model.
pub(crate) fn of_stored(model: &Model, file: &ChainFile) -> Result<Option<Coverage>, Error> {
    let told = file.coverage.iter().flat_map(|coverage| &coverage.pairs);
    let dead = told.filter_map(|pair| Some((pair.identity.clone(), pair.proof.clone()?))).collect();
    with(model, file, &dead, &stored_justifications(file))
}

/// The chains of a result as executions of the model.
fn stored_runs(model: &Model, file: &ChainFile) -> Result<Vec<(Trace, Execution)>, Error> {
    let chains = file.chains.iter().enumerate();
    let run = |(index, chain)| {
        let trace = trace(model, chain, index)?;
        let run = execute(model, &trace, index)?;
        Ok((trace, run))
    };
    chains.map(run).collect()
}

/// Adds to each covered goal where it is seen.
fn tell_sights(model: &Model, found: &Found, runs: &[(Trace, Execution)], coverage: &mut Coverage) {
    let Some(observed) = &model.observed else { return };
    for (goal, told) in found.goals.iter().zip(&mut coverage.goals) {
        let (Some(chain), Some(at)) = (told.chain, told.at) else { continue };
        told.seen =
            runs.get(chain).and_then(|(trace, run)| observed.seen(model, goal.goal, (trace, run), at));
    }
}

/// The justifications that a stored result tells of; of stale ones it tells the goal alone.
fn stored_justifications(file: &ChainFile) -> Vec<Justification> {
    let goals = file.coverage.iter().flat_map(|coverage| &coverage.goals);
    let pairs = file.coverage.iter().flat_map(|coverage| &coverage.pairs);
    let justified = goals.map(|goal| &goal.justified).chain(pairs.map(|pair| &pair.justified));
    justified.flatten().cloned().collect()
}

/// Where a stored result tells something of coverage that does not follow from the model and from
/// what became of its goals.
pub(crate) fn difference(model: &Model, file: &ChainFile) -> Option<&'static str> {
    if file.goals.len() != model.system.goals.len() {
        return None;
    }
    let Ok(now) = of_stored(model, file) else {
        return Some("the chains, by which coverage is judged, cannot be run on the model");
    };
    let bare = |coverage: &Coverage| Coverage { stale: Vec::new(), ..coverage.clone() };
    match (&file.coverage, &now) {
        (None, None) => None,
        (Some(told), Some(now)) if bare(told) == bare(now) => None,
        (None, Some(_)) => Some("nothing is recorded of coverage, for which there are goals"),
        _ => Some("what is recorded of coverage does not follow from the model and its goals"),
    }
}

/// Whether a goal of the system stands only for coverage.
pub fn is_coverage_goal(model: &Model, goal: GoalId) -> bool {
    let goals = model.coverage().map_or(&[][..], |found| &found.goals);
    goals.iter().any(|known| known.goal == goal)
}

/// Whether nothing can be said of a goal.
pub(crate) fn is_unknown(model: &Model, goal: GoalId) -> bool {
    unknown(model, goal).is_some()
}

/// Why nothing can be said of a goal.
fn unknown(model: &Model, goal: GoalId) -> Option<&str> {
    model.observed.as_ref()?.unknown(goal)
}

/// Goals of the system that no other coverage goal implies by the structure of the code.
fn undominated(found: &Found, system: &Validated) -> BTreeSet<GoalId> {
    let mut wanted: BTreeSet<GoalId> = system.goals.ids().collect();
    for goal in &found.goals {
        let implied = goal.implied_by.iter().any(|&other| found.goals[other].goal != goal.goal);
        if implied {
            wanted.remove(&goal.goal);
        }
    }
    // Of goals that imply each other in a ring one has to stay.
    let is_lost = |goal: &frontend::coverage::CoverageGoal| {
        !wanted.contains(&goal.goal)
            && goal.implied_by.iter().all(|&other| !wanted.contains(&found.goals[other].goal))
    };
    let lost: Vec<GoalId> = found.goals.iter().filter(|goal| is_lost(goal)).map(|goal| goal.goal).collect();
    wanted.extend(lost);
    wanted
}

/// Searches for chains of a model with coverage goals. Goals that others imply are left out at
/// first; those that the chains then do not reach, because what implies them is dead, are searched
/// for after all.
///
/// # Errors
/// As for [`find_chains`](crate::find_chains).
pub(crate) fn find_chains(
    model: &Model,
    found: &Found,
    known: &[Trace],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Outcome, Error> {
    if model.system.goals.is_empty() {
        let request = &model.configuration.request.coverage;
        let message = match request.include.is_empty() && request.exclude.is_empty() {
            true => {
                "there is no goal: the code has nothing that the criteria of coverage speak of (decisions, conditions, comparisons), and no goals are written"
            }
            false => {
                "there is no goal: in the files and functions that `include` and `exclude` under [coverage] leave, nothing is what the criteria of coverage speak of, and no goals are written"
            }
        };
        return Err(Error::new(ErrorKind::Request, message));
    }
    let pairs = !found.pairs.is_empty();
    let share = if pairs { options.within_part(1, 3) } else { options.clone() };
    let mut searched = undominated(found, &model.system);
    searched.retain(|&goal| !is_unknown(model, goal));
    if searched.is_empty() && !model.system.goals.is_empty() {
        // The table tells of each goal why nothing can be said of it.
        return Ok(Outcome::of_no_search(&model.system, options.backend.to_string()));
    }
    let mut known = known.to_vec();
    look_at_implied(model, found, (&mut searched, &mut known), &share, progress)?;
    loop {
        if searched.len() == model.system.goals.len() {
            let outcome = engine::find_chains_from(&model.system, &known, &share, progress)?;
            if !pairs {
                return Ok(outcome);
            }
            let ids: Vec<GoalId> = searched.into_iter().collect();
            return with_pairs(model, found, (&ids, outcome), options, progress);
        }
        let ids: Vec<GoalId> = searched.iter().copied().collect();
        let system = model.with_goals(&ids);
        let outcome = engine::find_chains_from(&system, &known, &share, progress)?;
        let runs = runs(model, &outcome)?;
        let missed = missed(model, &searched, &runs);
        if missed.is_empty() || outcome.stopped.is_some() {
            if pairs {
                return with_pairs(model, found, (&ids, outcome), options, progress);
            }
            return Ok(widened(model, &ids, outcome, runs));
        }
        searched.extend(missed);
    }
}

/// Goals that are not searched for and that no chain reaches.
fn missed(model: &Model, searched: &BTreeSet<GoalId>, runs: &[Execution]) -> Vec<GoalId> {
    let is_missed = |goal: &GoalId| {
        !searched.contains(goal) && !is_unknown(model, *goal) && build::occurrence(runs, *goal).is_none()
    };
    model.system.goals.ids().filter(is_missed).collect()
}

/// Part of the time for a first look at implied goals, at most, and its limit where all may take
/// long.
const FIRST_LOOK: u32 = 8;
const LONGEST_LOOK: Duration = Duration::from_secs(10);

/// Finds out with any chains which goals are to be searched for by themselves, because what implies
/// them is dead, before time is spent on short chains for the others alone. The chains are a start.
///
/// # Errors
/// As for [`find_chains`].
fn look_at_implied(
    model: &Model,
    found: &Found,
    (searched, known): (&mut BTreeSet<GoalId>, &mut Vec<Trace>),
    options: &Options,
    progress: &dyn Progress,
) -> Result<(), Error> {
    if searched.len() == model.system.goals.len() {
        return Ok(());
    }
    let begin = Instant::now();
    let left = options.deadline.map(|end| end.saturating_duration_since(begin) / FIRST_LOOK);
    let time = left.map_or(LONGEST_LOOK, |left| left.min(LONGEST_LOOK));
    let look = Options { deadline: begin.checked_add(time), ..options.clone() }.any_length();
    let ids: Vec<GoalId> = searched.iter().copied().collect();
    let outcome = engine::find_chains_from(&model.with_goals(&ids), known, &look, progress)?;
    let runs = runs(model, &outcome)?;
    let dead: BTreeSet<GoalId> = ids
        .iter()
        .zip(outcome.goals.values())
        .filter(|(_, result)| matches!(result.status, GoalStatus::Unreachable { .. }))
        .map(|(&goal, _)| goal)
        .collect();
    // A goal is searched for by itself if no chain can come by it on the way to what implies it.
    let mut implied: BTreeMap<GoalId, bool> = BTreeMap::new();
    for goal in &found.goals {
        let is_alone = goal.implied_by.iter().all(|&other| dead.contains(&found.goals[other].goal));
        *implied.entry(goal.goal).or_insert(true) &= is_alone;
    }
    let alone = missed(model, searched, &runs);
    searched.extend(alone.into_iter().filter(|goal| implied.get(goal).copied().unwrap_or(true)));
    known.extend(outcome.chains.into_iter().map(|chain| chain.trace));
    Ok(())
}

/// An outcome for some goals as one of chains that have all pairs that can be had, for all goals.
fn with_pairs(
    model: &Model,
    found: &Found,
    (ids, outcome): (&[GoalId], Outcome),
    options: &Options,
    progress: &dyn Progress,
) -> Result<Outcome, Error> {
    let outcome = pairs::complete(model, found, (ids, outcome), options, progress)?;
    let runs = runs(model, &outcome)?;
    Ok(widened(model, ids, outcome, runs))
}

/// The chains of an outcome as the evaluator runs them with all goals.
fn runs(model: &Model, outcome: &Outcome) -> Result<Vec<Execution>, Error> {
    let run = |chain: &engine::outcome::Chain| model::trace::replay(&model.system, &chain.trace);
    outcome.chains.iter().map(run).collect::<Result<_, _>>().map_err(|error| {
        Error::new(ErrorKind::SelfCheck, format!("a chain was refused by the evaluator: {error}"))
    })
}

/// An outcome of a search for some goals as one of all goals: the others are covered where the
/// chains reach them, and undecided elsewhere.
fn widened(model: &Model, searched: &[GoalId], mut outcome: Outcome, runs: Vec<Execution>) -> Outcome {
    let known = std::mem::take(&mut outcome.goals);
    let mut statuses = searched.iter().zip(known.values()).peekable();
    let mut goals: IdVec<GoalId, GoalResult> = IdVec::new();
    for goal in model.system.goals.ids() {
        let result = match statuses.next_if(|(searched, _)| **searched == goal) {
            Some((_, result)) => result.clone(),
            None => GoalResult { status: GoalStatus::NotChained, expectation: Expectation::None },
        };
        goals.push(result);
    }
    outcome.goals = goals;
    let traces = outcome.chains.iter().map(|chain| chain.trace.clone());
    let executions = traces.zip(runs).collect();
    outcome.put_chains(&model.system, executions);
    outcome
}
