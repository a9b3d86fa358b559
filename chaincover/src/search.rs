//! Chains, proofs and reports: the questions that are asked of a model.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::observed::Observed;
use crate::settings::Settings;
use crate::{conditions, cost, coverage, front_ends, pairs, timed};
use engine::error::EngineError;
use engine::knowledge::distances::ReachGraph;
use engine::knowledge::status::GoalStatus;
use engine::options::{GraphExtent, HazardPolicy, Options};
use engine::outcome::Outcome;
use engine::session::Progress;
use frontend::coverage::Coverage;
use frontend::limit::Limit;
use model::trace::{Execution, Trace};
use model::validate::Validated;
use replay::check::{NativeCheck, check_within};
use report::build;
use report::output::chain_file::ChainFile;
use report::output::{lines, visible};
use std::time::Duration;

/// The fewest and shortest chains that cover all goals, as far as the options allow; every chain
/// has been run by the evaluator.
///
/// ```
/// # use chaincover::{Options, Settings, Silent, find_chains, read};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "int on; void step(int press) { if (press) on = !on; __CPROVER_cover(on); }")?;
/// let model = read([&path], &Settings::default())?;
/// let outcome = find_chains(&model, &Options::default(), &Silent)?;
/// assert_eq!((outcome.chains.len(), outcome.length(), outcome.lower_bound), (1, 1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Request`](crate::ErrorKind::Request): no goals, assumptions that admit no execution, a refuted
/// invariant, options that do not fit the model. [`SelfCheck`](crate::ErrorKind::SelfCheck): a
/// chain was refused by the evaluator. A limit is no error but part of the outcome.
pub fn find_chains(model: &Model, options: &Options, progress: &dyn Progress) -> Result<Outcome, Error> {
    find_chains_from(model, &[], options, progress)
}

/// As [`find_chains`], from executions that are known, such as [old tests](crate::read_old_tests):
/// the chains cover at least what these cover. Only the exact strategy makes use of them.
///
/// ```
/// # use chaincover::{Options, Settings, Silent, find_chains, find_chains_from, read};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "int on; void step(int press) { if (press) on = !on; __CPROVER_cover(on); }")?;
/// let model = read([&path], &Settings::default())?;
/// let known = find_chains(&model, &Options::default(), &Silent)?.chains.remove(0).trace;
/// let outcome = find_chains_from(&model, &[known], &Options::default(), &Silent)?;
/// assert_eq!(outcome.length(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`find_chains`].
pub fn find_chains_from(
    model: &Model,
    known: &[Trace],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Outcome, Error> {
    let is_partly_unknown = model.observed.as_ref().is_some_and(Observed::is_partly_unknown);
    match model.coverage() {
        Some(found) => coverage::find_chains(model, found, known, options, progress),
        None if is_partly_unknown => {
            coverage::find_chains(model, &Coverage::default(), known, options, progress)
        }
        None => {
            let outcome = of_goals(model, &model.system, known, (options, progress));
            let outcome = outcome.map_err(|error| no_goals(model, error))?;
            timed::in_dense_time(model, &model.system, outcome, options)
        }
    }
}

/// Chains of the system of a model, or of some of its goals.
fn of_goals(
    model: &Model,
    system: &Validated,
    known: &[Trace],
    (options, progress): (&Options, &dyn Progress),
) -> Result<Outcome, Error> {
    match engine::find_chains_from(system, known, options, progress) {
        Err(error @ EngineError::NoExecution(_)) => {
            let nothing = || Err(no_execution(model, error));
            timed::without_steps(model, system, options).unwrap_or_else(nothing)
        }
        outcome => Ok(outcome?),
    }
}

/// An error about a model without executions; it names what else than assumptions leaves them out.
fn no_execution(model: &Model, error: EngineError) -> Error {
    let mut error = Error::from(error);
    if model.configuration.request.assumes_unwound {
        let why = "; executions in which a loop or a recursion goes on beyond --unwind are left out, too (--assume-unwound): a larger --unwind keeps more of them";
        error.message.push_str(why);
    }
    error
}

/// What to do where a model that is no C has no goal: advice about property functions is of no use.
fn no_goals(model: &Model, error: Error) -> Error {
    let sources = &model.configuration.request.sources;
    let takes_functions = !front_ends::is_hardware(sources) && !front_ends::is_specification(sources);
    if !model.system.goals.is_empty() || takes_functions {
        return error;
    }
    let message = "the model has no goal: a `bad` line in BTOR2, a `cover` statement in Verilog, a goal of a specification";
    Error::new(ErrorKind::Request, message)
}

/// What was found of a goal by [`prove`].
#[derive(Clone, Debug)]
pub struct GoalVerdict {
    /// Name of the goal.
    pub goal: String,
    /// Whether it is covered, unreachable, or undecided, with what proves it.
    pub status: GoalStatus,
}

/// Which of the goals can be covered and which cannot, with the proof: only these goals are looked
/// at. No names: all goals.
///
/// ```
/// # use chaincover::{Options, Settings, Silent, prove, read};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "int on; void step(int press) { if (press) on = !on;\n__CPROVER_cover(on > 1); }")?;
/// let model = read([&path], &Settings::default())?;
/// let verdicts = prove(&model, &["lamp.c:2"], &Options::default(), &Silent)?;
/// assert_eq!(verdicts[0].status.name(), "unreachable");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Request`](crate::ErrorKind::Request): there is no goal of a name; otherwise as for
/// [`find_chains`].
pub fn prove(
    model: &Model,
    goals: &[&str],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Vec<GoalVerdict>, Error> {
    let mut wanted = goals.iter().map(|name| model.goal(name)).collect::<Result<Vec<_>, _>>()?;
    if wanted.is_empty() {
        wanted.extend(model.system.goals.ids().filter(|&goal| !coverage::is_unknown(model, goal)));
    }
    let system = model.with_goals(&wanted);
    let outcome = of_goals(model, &system, &[], (options, progress))?;
    let outcome = timed::in_dense_time(model, &system, outcome, options)?;
    let verdict = |(id, result): (_, &engine::outcome::GoalResult)| {
        let goal: &model::system::Goal = &system.goals[id];
        GoalVerdict { goal: goal.name.clone(), status: result.status.clone() }
    };
    Ok(outcome.goals.iter().map(verdict).collect())
}

/// The outcome of no search for chains: what results are made of that are about requirements alone.
pub fn no_chains(model: &Model, options: &Options) -> Outcome {
    Outcome::of_no_search(&model.system, options.backend.to_string())
}

/// The property reachability graph: for each two goals how few steps lead from one to the other.
///
/// # Errors
/// As for [`find_chains`].
pub fn reach_graph(model: &Model, options: &Options, progress: &dyn Progress) -> Result<ReachGraph, Error> {
    Ok(engine::refinement::reach_graph(&model.system, options, progress, GraphExtent::CoveringPath)?)
}

/// What the compiled code says of each chain; within a limit.
pub fn check_natively(model: &Model, outcome: &Outcome, limit: &Limit) -> Vec<NativeCheck> {
    outcome.chains.iter().map(|chain| check_trace(model, (&chain.trace, &chain.run), limit)).collect()
}

/// What the compiled code says of an execution; within a limit.
pub fn check_trace(model: &Model, execution: (&Trace, &Execution), limit: &Limit) -> NativeCheck {
    check_within(&model.translated, &model.system, execution, limit)
}

/// The result as `chain.json` has it: all other formats are made of it. `checks` has an entry for
/// each chain; `settings` are those that the model was read with; `seconds` is the time that the
/// whole run took.
///
/// ```
/// # use chaincover::{Limit, Options, Settings, Silent, check_natively, find_chains, read, report, to_json};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "int on; void step(int press) { if (press) on = !on; __CPROVER_cover(on); }")?;
/// let (settings, options) = (Settings::default(), Options::default());
/// let model = read([&path], &settings)?;
/// let outcome = find_chains(&model, &options, &Silent)?;
/// let checks = check_natively(&model, &outcome, &Limit::default());
/// let result = report(&model, (&outcome, &checks), (&settings, &options), Default::default());
/// assert_eq!((result.summary.chains, result.summary.length), (1, 1));
/// assert!(to_json(&result).contains("\"replayed\": true"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn report(
    model: &Model,
    (outcome, checks): (&Outcome, &[NativeCheck]),
    (settings, options): (&Settings, &Options),
    seconds: Duration,
) -> ChainFile {
    let Model { configuration, translated, system, .. } = model;
    let mut file = build::chain_file(configuration, translated, system, outcome, checks, seconds);
    file.summary.reset_cost = options.reset_cost;
    cost::record(model, outcome, &mut file);
    file.model.options = conditions::recorded(settings);
    let policy = if configuration.request.forbids_undefined { HazardPolicy::Forbid } else { options.hazards };
    file.model.undefined_behaviour = Some(policy.name().to_owned());
    match coverage::coverage(model, &file, &pairs::dead(model, outcome)) {
        Ok(found) => file.coverage = found,
        Err(error) => file.notes.push(format!("the justifications cannot be read: {error}")),
    }
    if let Some(observed) = &model.observed {
        observed.tell(model, &mut file);
        file.notes.extend(observed.notes(&model.system));
    }
    file
}

/// The text of `chain.json`: characters that steer terminals are escaped.
pub fn to_json(file: &ChainFile) -> String {
    visible::json(&lines::text(file)) + "\n"
}
