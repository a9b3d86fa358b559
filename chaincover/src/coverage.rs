//! Coverage goals: searched for without those that others imply, and told with what a person
//! excuses.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use config::ConfigError;
use config::coverage::parse_justifications;
use config::resolve::Model as Configuration;
use engine::knowledge::status::GoalStatus;
use engine::options::Options;
use engine::outcome::{Expectation, GoalResult, Outcome};
use engine::session::Progress;
use frontend::coverage::Coverage as Found;
use model::id::IdVec;
use model::system::{GoalId, TransitionSystem};
use model::trace::{Execution, Trace};
use model::validate::{Validated, validate};
use report::build;
use report::coverage::{Coverage, Justification, section};
use report::output::chain_file::{ChainFile, Goal};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Name of the file with justifications, beside the configuration or the first source.
pub const JUSTIFICATIONS: &str = "coverage.toml";

/// Where the justifications of a model stand, if there are any.
fn justification_file(model: &Model) -> Option<PathBuf> {
    let path = justification_place(&model.configuration)?;
    path.is_file().then_some(path)
}

/// Where justifications of a model would stand; `None`: the model has no file.
pub(crate) fn justification_place(configuration: &Configuration) -> Option<PathBuf> {
    let beside = configuration.config_path.as_ref().or(configuration.request.sources.first())?;
    Some(beside.with_file_name(JUSTIFICATIONS))
}

/// The justifications of a model: what stands in `coverage.toml` beside its configuration, or
/// beside its first source; none where no coverage goals are asked for.
///
/// # Errors
/// [`ErrorKind::Request`]: the file makes no sense.
pub fn justifications(model: &Model) -> Result<Vec<Justification>, Error> {
    let wanted = model.translated.source.coverage().and_then(|_| justification_file(model));
    let Some(path) = wanted else { return Ok(Vec::new()) };
    let text = std::fs::read_to_string(&path)
        .map_err(|source| ConfigError::Unreadable { path: path.clone(), source })?;
    parse_justifications(&text)
        .map_err(|why| Error::new(ErrorKind::Request, format!("{}: {why}", path.display())))
}

/// What became of the coverage goals of a model; `None` where none are asked for. `goals` are those
/// of the result, in the order of the system.
///
/// # Errors
/// As for [`justifications`].
pub(crate) fn coverage(model: &Model, goals: &[Goal]) -> Result<Option<Coverage>, Error> {
    Ok(with(model, goals, &justifications(model)?))
}

/// What became of the coverage goals of a model under these justifications; `None` where it has none.
pub(crate) fn with(model: &Model, goals: &[Goal], justified: &[Justification]) -> Option<Coverage> {
    model.translated.source.coverage().map(|found| section(found, goals, justified))
}

/// The justifications that a stored result tells of; of stale ones it tells the goal alone.
pub(crate) fn stored_justifications(file: &ChainFile) -> Vec<Justification> {
    let goals = file.coverage.iter().flat_map(|coverage| &coverage.goals);
    goals.filter_map(|goal| goal.justified.clone()).collect()
}

/// Where a stored result tells something of coverage that does not follow from the model and from
/// what became of its goals.
pub(crate) fn difference(model: &Model, file: &ChainFile) -> Option<&'static str> {
    let now = (file.goals.len() == model.system.goals.len())
        .then(|| with(model, &file.goals, &stored_justifications(file)))?;
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
    let goals = model.translated.source.coverage().map_or(&[][..], |found| &found.goals);
    goals.iter().any(|known| known.goal == goal)
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
    let mut searched = undominated(found, &model.system);
    loop {
        if searched.len() == model.system.goals.len() {
            return Ok(engine::find_chains_from(&model.system, known, options, progress)?);
        }
        let ids: Vec<GoalId> = searched.iter().copied().collect();
        let mut system: TransitionSystem = (*model.system).clone();
        system.goals = ids.iter().map(|&goal| model.system.goals[goal].clone()).collect();
        let system = validate(system).expect("a valid system should stay valid with fewer goals");
        let outcome = engine::find_chains_from(&system, known, options, progress)?;
        let runs = runs(model, &outcome)?;
        let is_missed = |goal: &GoalId| !searched.contains(goal) && build::occurrence(&runs, *goal).is_none();
        let missed: Vec<GoalId> = model.system.goals.ids().filter(is_missed).collect();
        if missed.is_empty() || outcome.stopped.is_some() {
            return Ok(widened(model, &ids, outcome, runs));
        }
        searched.extend(missed);
    }
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
            None => {
                let status = build::occurrence(&runs, goal).map_or(GoalStatus::NotChained, |(chain, at)| {
                    GoalStatus::Covered { chain, at: u32::try_from(at).unwrap_or(u32::MAX) }
                });
                GoalResult { status, expectation: Expectation::None }
            }
        };
        goals.push(result);
    }
    outcome.goals = goals;
    let mut taken = BTreeSet::new();
    for (chain, run) in outcome.chains.iter_mut().zip(runs) {
        let first = |goal: GoalId| run.occurrences[goal].first().map(|found| (found.step, goal));
        let mut order: Vec<(usize, GoalId)> =
            model.system.goals.ids().filter(|goal| !taken.contains(goal)).filter_map(first).collect();
        order.sort_by_key(|&(at, goal)| (at, at + model.system.goals[goal].steps as usize, goal));
        chain.order = order.into_iter().map(|(_, goal)| goal).collect();
        taken.extend(chain.order.iter().copied());
        chain.run = run;
    }
    outcome
}
