//! A stored chain on the code as it is now, judged again.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::stored::{Difference, changed_sources, execute, recorded_differences, trace};
use crate::{conditions, coverage};
use ::replay::check::{self as native_check, NativeCheck};
use model::trace::Execution;
use report::build;
use report::output::chain_file::{ChainFile, Expectation, Status};
use std::path::Path;

/// What became of the chains of a stored result on the code as it is now.
pub struct Replayed {
    /// The chains, in the order of the file.
    pub chains: Vec<ReplayedChain>,
    /// The result, judged again: what each step covers, statuses, verdicts, whether the compiled
    /// code agrees.
    pub judged: ChainFile,
    /// Sources, and the configuration file, whose content is no longer the one recorded.
    pub changed: Vec<String>,
    /// Where the recorded configuration is another than the one that the files give now, a
    /// sentence each.
    pub configured: Vec<String>,
}

/// What became of a stored chain.
pub struct ReplayedChain {
    /// What the compiled code says.
    pub check: NativeCheck,
    /// Recorded values that are others now.
    pub differences: Vec<Difference>,
}

/// Runs every chain of a stored result by evaluator and compiled code, compares with what is
/// recorded, and judges again.
///
/// ```
/// # use chaincover::{Limit, NativeCheck, Options, Settings, Silent, check_natively, find_chains, read, replay, report};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "int on; void step(int press) { if (press) on = !on; __CPROVER_cover(on); }")?;
/// # let (settings, options) = (Settings::default(), Options::default());
/// # let model = read([&path], &settings)?;
/// # let outcome = find_chains(&model, &options, &Silent)?;
/// # let checks = check_natively(&model, &outcome, &Limit::default());
/// # let result = report(&model, (&outcome, &checks), (&settings, &options), Default::default());
/// let replayed = replay(&model, &result)?;
/// assert!(matches!(replayed.chains[0].check, NativeCheck::Agrees { .. }));
/// assert!(replayed.chains[0].differences.is_empty() && replayed.changed.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Request`]: the chains do not fit the model. [`ErrorKind::Deviates`]: a chain is no
/// execution of the model any more.
pub fn replay(model: &Model, stored: &ChainFile) -> Result<Replayed, Error> {
    replay_from(model, stored, Path::new(""))
}

/// Like [`replay()`], where the paths of the result are relative to the folder of
/// [`stored_root`](crate::stored_root).
///
/// # Errors
/// As for [`replay()`].
pub fn replay_from(model: &Model, stored: &ChainFile, root: &Path) -> Result<Replayed, Error> {
    let mut changed = changed_sources(stored, model);
    changed.extend(conditions::changed_configuration(stored, root).into_iter().map(str::to_owned));
    let configured = conditions::differences(stored, root, model);
    check_goals_known(stored, model, changed.is_empty())?;
    let mut judged = stored.clone();
    let (mut runs, mut chains) = (Vec::new(), Vec::new());
    let period = model.configuration.period.as_ref().map(|(_, period)| *period);
    for (index, chain) in stored.chains.iter().enumerate() {
        let trace = trace(model, chain, index)?;
        let run = execute(model, &trace, index)?;
        let check = native_check::check(&model.translated, &model.system, &trace, &run);
        let differences = recorded_differences(model, chain, &trace, &run);
        let now = build::chain(&model.translated, &model.system, &trace, &run, &chain.order, &check);
        judged.chains[index] = build::timed(now, period);
        chains.push(ReplayedChain { check, differences });
        runs.push(run);
    }
    judge(model, &runs, &mut judged);
    if !changed.is_empty() || !configured.is_empty() {
        // What was proven of all executions was proven of another model.
        judged.verdicts.clear();
        judged.goals.iter_mut().for_each(|goal| goal.verdict = None);
    }
    Ok(Replayed { chains, judged, changed, configured })
}

/// While the code is what it was, all goals of the file are goals of the model.
fn check_goals_known(stored: &ChainFile, model: &Model, is_same_code: bool) -> Result<(), Error> {
    let is_known = |name: &str| model.system.goals.values().any(|goal| goal.name == name);
    match stored.goals.iter().find(|goal| is_same_code && !is_known(&goal.name)) {
        Some(goal) => {
            let message = format!("goal `{}` of the file is no goal of the model", goal.name);
            Err(Error::new(ErrorKind::Request, message))
        }
        None => Ok(()),
    }
}

/// Sets status, place and expectation of every goal as the runs have them now.
pub(crate) fn judge(model: &Model, runs: &[Execution], judged: &mut ChainFile) {
    for (id, goal) in model.system.goals.iter() {
        let Some(entry) = judged.goals.iter_mut().find(|entry| entry.name == goal.name) else { continue };
        let found = build::occurrence(runs, id);
        let was_covered = entry.status == Status::Covered;
        (entry.chain, entry.at) = found.map_or((None, None), |(chain, at)| (Some(chain), Some(at)));
        entry.expectation = build::expectation(runs, id);
        entry.violation = build::violation(runs.iter(), id);
        entry.seen = None;
        if found.is_some() {
            (entry.status, entry.reason) = (Status::Covered, None);
        } else if was_covered {
            entry.status = Status::Undecided;
            entry.reason = Some("the stored chain does not cover it any more".to_owned());
        }
    }
    for entry in &mut judged.goals {
        if model.system.goals.values().all(|goal| goal.name != entry.name) {
            (entry.chain, entry.at, entry.violation, entry.seen) = (None, None, None, None);
            (entry.status, entry.expectation) = (Status::Undecided, Expectation::None);
            entry.reason = Some("the model has no such goal any more".to_owned());
        }
    }
    if let Some(observed) = &model.observed {
        observed.tell(model, judged);
    }
    judged.summary.covered = judged.goals.iter().filter(|goal| goal.status == Status::Covered).count();
    if judged.coverage.is_some() && judged.goals.len() == model.system.goals.len() {
        match coverage::of_stored(model, judged) {
            Ok(found) => judged.coverage = found,
            Err(error) => judged.notes.push(format!("coverage cannot be judged: {error}")),
        }
    }
}
