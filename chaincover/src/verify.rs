//! Every claim of a stored result, checked without the search that made it.

mod verdicts;

use crate::code_mutants::{MUTANTS, verify_mutants};
use crate::error::Error;
use crate::evidence::{CHAINS, VERDICTS};
use crate::model::Model;
use crate::settings::{Settings, configure};
use crate::verification::{Against, Verification};
use crate::{conditions, cost, coverage, replay, stored};
use ::replay::check::{self as native_check, NativeCheck};
use config::resolve::Model as Configuration;
use engine::options::HazardPolicy;
use engine::smooth::count as input_changes;
use evidence::check::{self, Verdict};
use evidence::{Part, Stored};
use frontend::limit::Limit;
use model::trace::{Execution, Trace};
use report::build;
use report::coverage::CoverageStatus;
use report::output::chain_file::{Chain, ChainFile, Cost, Goal, Minimal, Origin, Step, Values};
use report::output::root::root;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use verdicts::check_verdicts;

/// Checks every claim of the result in a folder, `chain.json` or else `verdicts.json`, without the
/// search that made it: runs the chains again, compares them with the record, and checks the evidence
/// for all other claims. What `check` said of requirements (`check.json`) has no chains; the evidence
/// for that is checked. Of mutants of C code (`mutate.json`) the caller names the model.
///
/// ```
/// # use chaincover::{Against, Finding, Limit, Options, Settings, Silent, evidence, find_chains, read, report, to_json, verify};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "int on; void step(int press) { if (press) on = !on; __CPROVER_cover(on); }")?;
/// # let (settings, options) = (Settings::default(), Options::default());
/// # let model = read([&path], &settings)?;
/// # let outcome = find_chains(&model, &options, &Silent)?;
/// # let checks = chaincover::check_natively(&model, &outcome, &Limit::default());
/// let result = report(&model, (&outcome, &checks), (&settings, &options), Default::default());
/// std::fs::write(folder.path().join("chain.json"), to_json(&result))?;
/// let verdicts = chaincover::Verdicts::default();
/// evidence::write_evidence(folder.path(), &model, (&outcome, &verdicts, &result), &options)?;
/// let found = verify(folder.path(), Against::default())?;
/// assert_eq!(found.count(Finding::Rejected), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Request`](crate::ErrorKind::Request): there is no result, no manifest, or no model; reading
/// the model may fail as for [`read`](crate::read()).
pub fn verify(folder: &Path, against: Against<'_>) -> Result<Verification, Error> {
    verify_with(folder, against, &Model::new)
}

/// Like [`verify`], with a function that reads the model, so that a caller can show what reading
/// reports.
///
/// # Errors
/// As for [`verify`], and those of `read`.
pub fn verify_with(
    folder: &Path,
    against: Against<'_>,
    read: &dyn Fn(Configuration) -> Result<Model, Error>,
) -> Result<Verification, Error> {
    // `prove` writes verdicts alone, `check` what it found of requirements.
    let names = [CHAINS, VERDICTS];
    let found = names.into_iter().find(|name| folder.join(name).is_file());
    let has_games = folder.join(evidence::games::RESULT).is_file();
    if found.is_none() && has_games {
        return crate::requirements::verify_check(folder, against.model);
    }
    if found.is_none() && folder.join(MUTANTS).is_file() {
        return verify_mutants(folder, against);
    }
    let name = found.unwrap_or(CHAINS);
    let path = folder.join(name);
    let file = stored::read_unchecked(&path)?;
    let root = root(&file, &path);
    let configuration = match against.model {
        Some((paths, settings)) => {
            let as_told = against.policy.is_none_or(|policy| policy == HazardPolicy::Forbid)
                && file.model.options.forbids_undefined;
            let forbids_undefined = settings.forbids_undefined || as_told;
            configure(paths, &Settings { forbids_undefined, ..settings.clone() })?
        }
        None => conditions::configuration(&file, &root)?,
    };
    let model = read(configuration)?;
    let mut report =
        Verification { about: conditions::told(&file, &root, &model), ..Verification::default() };
    check_model(&file, &root, &model, &mut report);
    check_policy(&file, against.policy, &mut report);
    let traces = check_chains(&file, &model, &mut report);
    let (wrong, open) = crate::requirements::recorded(&file, &model, &traces, &Limit::default());
    wrong.into_iter().for_each(|why| report.reject(why));
    open.into_iter().for_each(|why| report.leave_open(why));
    let stored = Stored { folder, name, file: &file };
    if name == CHAINS {
        let runs: Vec<Execution> = traces.iter().map(|(_, run)| run.clone()).collect();
        check_goals(&file, &model, &runs, &mut report);
        check_orders(&file, &mut report);
        check_summary(&file, &mut report);
        check_costs(&file, &model, &traces, &mut report);
        check_claims(stored, &model, &mut report)?;
    } else if !file.goals.is_empty() || !file.chains.is_empty() {
        report.reject(format!("{name} has goals or chains, which only {CHAINS} may have"));
    }
    let runs = &traces[..];
    check_verdicts(verdicts::Place { stored, model: &model, runs }, &mut report);
    report.notes.extend(not_looked_at(&file));
    // A folder may hold chains and what `check` said of requirements, which is verified, too.
    if has_games {
        let more = crate::requirements::verify_check(folder, against.model)?;
        report.claims.extend(more.claims);
        report.notes.extend(more.notes);
    }
    Ok(report)
}

/// Checks the evidence for what is claimed of chains and goals.
///
/// # Errors
/// There is no manifest.
fn check_claims(stored: Stored<'_>, model: &Model, report: &mut Verification) -> Result<(), Error> {
    let claims = check::check(Part::Chains, stored, &model.system).map_err(|error| Error::request(&error))?;
    for (claim, verdict) in claims.verdicts {
        match verdict {
            Verdict::Checked(evidence) => report.hold(format!("{claim} ({evidence})")),
            Verdict::NotCertified(why) => report.leave_open(format!("{claim}: {why}")),
            Verdict::Rejected(why) => report.reject(format!("{claim}: {why}")),
        }
    }
    claims.changed.into_iter().for_each(|change| report.reject(change));
    report.notes.extend(claims.notes);
    Ok(())
}

/// Sources and configuration must be what they were, and the result must say of the model what they
/// say.
fn check_model(file: &ChainFile, root: &Path, model: &Model, report: &mut Verification) {
    for changed in stored::changed_sources(file, model) {
        report.reject(format!("{changed} has changed since the chain was made"));
    }
    for unknown in stored::unknown_sources(file, model) {
        report.reject(format!("{unknown} is not among the sources that the chain was made of"));
    }
    for changed in conditions::changed_configuration(file, root) {
        report.reject(format!("{changed} has changed since the chain was made"));
    }
    for difference in conditions::differences(file, root, model) {
        report.reject(difference);
    }
}

/// Undefined operations must be treated as they were, and as they have to be.
fn check_policy(file: &ChainFile, wanted: Option<HazardPolicy>, report: &mut Verification) {
    let forbids = |policy: HazardPolicy| policy == HazardPolicy::Forbid;
    match conditions::policy(file) {
        Err(why) => report.reject(format!("the treatment of undefined operations: {why}")),
        Ok(told) => {
            if wanted.is_some_and(|wanted| forbids(wanted) != forbids(told)) {
                report.reject(format!("undefined operations were treated otherwise: --ub {told}"));
            }
            if file.model.options.forbids_undefined && !forbids(told) {
                report.reject(format!(
                    "executions end at undefined operations, which --ub {told} does not say"
                ));
            }
        }
    }
}

/// What a result says beside its claims, which nothing here looks at.
fn not_looked_at(file: &ChainFile) -> Option<String> {
    let has_free = file.chains.iter().flat_map(|chain| &chain.steps).any(|step| !step.dont_care.is_empty());
    let is_justified = file.coverage.as_ref().is_some_and(|coverage| {
        !coverage.stale.is_empty()
            || coverage.goals.iter().any(|goal| goal.justified.is_some())
            || coverage.pairs.iter().any(|pair| pair.justified.is_some())
    });
    let has_dead_pairs = file
        .coverage
        .as_ref()
        .is_some_and(|coverage| coverage.pairs.iter().any(|pair| pair.status == CoverageStatus::Dead));
    let is_shortest = file.verdicts.iter().any(|verdict| verdict.counterexample.is_some());
    let has_depth = file.verdicts.iter().any(|verdict| verdict.depth.is_some_and(|depth| depth > 0));
    let is_explained = file.goals.iter().any(|goal| goal.reason.is_some())
        || file.verdicts.iter().any(|verdict| verdict.reason.is_some());
    let parts = [
        (!file.graph.is_empty()).then_some("the distances under `graph`"),
        has_free.then_some("which inputs do not matter (`dont_care`)"),
        file.chains
            .iter()
            .any(|chain| chain.raw_input_changes.is_some())
            .then_some("what smoothing saved (`raw_input_changes`)"),
        is_explained.then_some("why claims hold or goals are open (`reason`)"),
        is_shortest.then_some(
            "that counterexamples are shortest (`lower_bound`) and were run on compiled code (`replayed`)",
        ),
        has_depth.then_some("how far undecided requirements were searched (`depth`)"),
        (!file.engines.is_empty()).then_some("`engines`"),
        (!file.milestones.is_empty()).then_some("`milestones`"),
        (!file.stages.is_empty()).then_some("times (`stages`, `seconds`)"),
        file.chains
            .iter()
            .any(|chain| chain.replayed_how.is_some())
            .then_some("how chains were replayed when they were found (`replayed_how`)"),
        file.goals.iter().any(|goal| goal.forcing.is_some()).then_some("`forcing` of goals"),
        file.chains.iter().any(|chain| !chain.events.is_empty()).then_some("`events` of chains"),
        (!file.notes.is_empty()).then_some("`notes`"),
        is_justified.then_some("justifications of coverage goals"),
        has_dead_pairs.then_some("that pairs of MC/DC are dead (`pairs` under `coverage`)"),
    ];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("of the result these are not checked: {}", parts.join(", ")))
}

/// Runs every chain by evaluator and compiled code; all that the file records of it must be so.
fn check_chains(file: &ChainFile, model: &Model, report: &mut Verification) -> Vec<(Trace, Execution)> {
    let mut runs = Vec::new();
    let period = model.configuration.period.as_ref().map(|(_, period)| *period);
    let forbids = conditions::policy(file) == Ok(HazardPolicy::Forbid);
    for (index, chain) in file.chains.iter().enumerate() {
        let number = index + 1;
        let executed = stored::trace(model, chain, index)
            .and_then(|trace| stored::execute(model, &trace, index).map(|run| (trace, run)));
        let (trace, run) = match executed {
            Ok(executed) => executed,
            Err(error) => {
                report.reject(error.message);
                continue;
            }
        };
        let differences = stored::recorded_differences(model, chain, &trace, &run);
        let mut wrong: Vec<String> = differences.into_iter().map(|difference| difference.text).collect();
        if chain.length != trace.inputs.len() {
            wrong.push(format!("its length is {}, not {}", trace.inputs.len(), chain.length));
        }
        if !run.may_end {
            wrong.push("it does not end in Final".to_owned());
        }
        if forbids && !run.hazards.is_empty() {
            wrong.push("it runs into an undefined operation, which --ub forbid excludes".to_owned());
        }
        let native = native_check::check(&model.translated, &model.system, &trace, &run);
        let steps = trace.inputs.len();
        let now = build::chain(&model.translated, &model.system, &trace, &run, &chain.order, &native);
        wrong.extend(told_otherwise(chain, &build::timed(now, period)));
        let changes = input_changes(&model.system, &trace.inputs);
        if chain.input_changes.is_some_and(|told| told != changes) {
            wrong.push(format!("its inputs change {changes} times, which `input_changes` does not say"));
        }
        match (wrong.first(), native) {
            (Some(first), _) => report.reject(format!("chain {number}: {first}")),
            (None, check @ NativeCheck::Disagrees { .. }) => {
                report.reject(format!("chain {number}: {check}"))
            }
            (None, check @ NativeCheck::Agrees { .. }) => {
                report.hold(format!("chain {number} runs as recorded: {steps} steps; {check}"));
            }
            (None, NativeCheck::Unavailable { .. })
                if !model.translated.source.has_code()
                    && chain.replayed == true
                    && !crate::requirements::are_interpreted(model) =>
            {
                report.reject(format!("chain {number}: there is no code on which it was replayed"));
            }
            // The model is all that there is, and the evaluator runs it.
            (None, NativeCheck::Unavailable { .. }) if !model.translated.source.has_code() => {
                report.hold(format!(
                    "chain {number} runs as recorded: {steps} steps, by the evaluator; the model has no compiled code"
                ));
            }
            (None, check) => report.leave_open(format!("chain {number}: {check}")),
        }
        runs.push((trace, run));
    }
    runs
}

/// Where a chain says something else of what its steps cover, of what it was made for, or of how long
/// inputs are held.
fn told_otherwise(chain: &Chain, now: &Chain) -> Option<String> {
    let covers = |chain: &Chain| chain.steps.iter().map(|step| step.covers.clone()).collect::<Vec<_>>();
    let expected = |chain: &Chain| chain.steps.iter().map(|step| step.expected.clone()).collect::<Vec<_>>();
    let other_step = covers(chain).iter().zip(&covers(now)).position(|(told, found)| told != found);
    if let Some(step) = other_step {
        return Some(format!("step {step} does not cover what is recorded"));
    }
    let covered: BTreeSet<String> = covers(now).into_iter().flatten().collect();
    if let Some(goal) = chain.order.iter().find(|goal| !covered.contains(*goal)) {
        return Some(format!("it does not cover {goal}, for which it was made (`order`)"));
    }
    if expected(chain) != expected(now) {
        return Some("what requirements expect of its outputs is another thing than recorded".to_owned());
    }
    if let Some((step, name)) = written_otherwise(chain, now) {
        return Some(format!("the value of {name} at step {step} is none that it can have"));
    }
    if !(chain.replayed.is_boolean() || chain.replayed == "evaluator") {
        return Some("`replayed` says nothing that is known".to_owned());
    }
    if chain.replayed == false && now.replayed == true {
        return Some("it is recorded as one that the code does not do, and the code does it".to_owned());
    }
    (chain.holds != now.holds).then(|| "its inputs are not held as recorded".to_owned())
}

/// A value that stands for the right bits, but is not what the signal can have (`-1` for one bit):
/// who plays the chain would send it.
fn written_otherwise(chain: &Chain, now: &Chain) -> Option<(usize, String)> {
    let differs = |told: &Json, found: Option<Json>| {
        told.as_i64().zip(found.and_then(|found| found.as_i64())).is_some_and(|(told, found)| told != found)
    };
    let other = |told: &Values, found: &Values| {
        told.iter().find(|(name, value)| differs(value, found.get(name))).map(|(name, _)| name.clone())
    };
    let in_step = |(step, (told, found)): (usize, (&Step, &Step))| {
        let name = other(&told.inputs, &found.inputs)
            .or_else(|| other(&told.outputs, &found.outputs))
            .or_else(|| other(&told.state, &found.state));
        name.map(|name| (step, name))
    };
    let at_end = || other(&chain.end_state, &now.end_state).map(|name| (chain.steps.len(), name));
    let mut initial = chain.initial_inputs.iter();
    let at_start = initial.find(|(name, value)| differs(value, now.initial_inputs.get(*name).cloned()));
    at_start
        .map(|(name, _)| (0, name.clone()))
        .or_else(|| chain.steps.iter().zip(&now.steps).enumerate().find_map(in_step))
        .or_else(at_end)
}

/// Status, place and verdict of every goal must be what the runs show.
fn check_goals(file: &ChainFile, model: &Model, runs: &[Execution], report: &mut Verification) {
    let mut now = file.clone();
    replay::judge(model, runs, &mut now);
    let known: Vec<&str> = model.system.goals.values().map(|goal| goal.name.as_str()).collect();
    if !file.goals.iter().map(|goal| goal.name.as_str()).eq(known) {
        return report.reject("the goals of the file are not those of the model".to_owned());
    }
    for (told, (id, goal)) in file.goals.iter().zip(model.system.goals.iter()) {
        // Folders may be others where a result is verified.
        let place = build::goal_place(&model.configuration, &model.translated, goal);
        let place = place.map(|place| Origin { file: place.file.display().to_string(), line: place.line });
        let place = place.as_ref().map(Origin::without_folder);
        let is_so = (&told.requirement, &told.text, told.steps)
            == (&goal.requirement, &goal.text, goal.steps)
            && told.origin.as_ref().map(Origin::without_folder) == place;
        if !is_so {
            report.reject(format!(
                "{} is described otherwise than the model has it",
                model.system.goals[id].name
            ));
        }
    }
    let judged =
        |goal: &Goal| (goal.status, goal.chain, goal.at, goal.expectation, goal.violation, goal.seen.clone());
    let differ = file.goals.iter().zip(&now.goals).filter(|(before, now)| judged(before) != judged(now));
    let mut wrong = 0;
    for (before, now) in differ {
        wrong += 1;
        report.reject(format!(
            "{}: recorded as {}, the chains show {}",
            before.name,
            told(before),
            told(now)
        ));
    }
    if let Some(difference) = coverage::difference(model, file) {
        wrong += 1;
        report.reject(difference.to_owned());
    }
    if wrong == 0 {
        let covered = now.summary.covered;
        report.hold(format!(
            "the chains cover {covered} of {} goals, with the verdicts recorded",
            now.goals.len()
        ));
    }
}

/// Each chain was made for the goals that it is told to cover, and has them in the order of their
/// first occurrences.
fn check_orders(file: &ChainFile, report: &mut Verification) {
    for (index, chain) in file.chains.iter().enumerate() {
        let own = file.goals.iter().filter(|goal| goal.chain == Some(index));
        let own: BTreeMap<&str, Option<usize>> = own.map(|goal| (goal.name.as_str(), goal.at)).collect();
        let told: BTreeSet<&str> = chain.order.iter().map(String::as_str).collect();
        let is_own = told.iter().eq(own.keys()) && told.len() == chain.order.len();
        if !is_own || !chain.order.iter().is_sorted_by_key(|goal| own.get(goal.as_str())) {
            let number = index + 1;
            report.reject(format!("chain {number}: `order` is not the order in which it covers its goals"));
        }
    }
}

fn told(goal: &Goal) -> String {
    let status = format!("{:?}", goal.status).to_lowercase();
    let at = goal.chain.zip(goal.at).map(|(chain, at)| format!(" by chain {} at {at}", chain + 1));
    let expectation = format!("{:?}", goal.expectation).to_lowercase();
    format!("{status}{}, expectation {expectation}", at.unwrap_or_default())
}

/// What chains cost must be what their runs cost. That no chains cost less is not certified.
fn check_costs(file: &ChainFile, model: &Model, runs: &[(Trace, Execution)], report: &mut Verification) {
    let told: Vec<Option<u64>> = file.chains.iter().map(|chain| chain.cost).collect();
    let Some(costs) = cost::of_runs(model, runs) else {
        if file.summary.cost.is_some() || told.iter().any(Option::is_some) {
            report.reject("the result tells what chains cost, and the model does not".to_owned());
        }
        return;
    };
    // Chains that do not run are rejected already; results of early versions tell no costs.
    if runs.len() != file.chains.len() || file.summary.cost.is_none() && told.iter().all(Option::is_none) {
        return;
    }
    if !told.iter().copied().eq(costs.iter().copied().map(Some)) {
        return report.reject("a chain costs something else than recorded".to_owned());
    }
    let total = costs.iter().copied().fold(0, u64::saturating_add);
    let unit = model.configuration.request.cost.as_ref().map_or("", |cost| &cost.unit);
    match &file.summary.cost {
        Some(told) if told.total != total || told.unit != unit => {
            report.reject(format!("the summary says that the chains cost {}, not {total}", told.total));
        }
        Some(told) if told.lower_bound.is_some_and(|bound| bound > total) => {
            report.reject("the summary has a lower bound above its cost".to_owned());
        }
        Some(told) => {
            report.hold(format!(
                "the chains cost {}, by the evaluator",
                Cost { lower_bound: None, ..told.clone() }.words()
            ));
            if let Some(bound) = told.lower_bound {
                report.leave_open(format!("no chains cost less than {bound}: costs have no evidence"));
            }
        }
        None if file.chains.is_empty() => {}
        None => report.reject("the summary does not say what the chains cost".to_owned()),
    }
}

/// The numbers of the summary must follow from the rest.
fn check_summary(file: &ChainFile, report: &mut Verification) {
    let summary = &file.summary;
    let length: usize = file.chains.iter().map(|chain| chain.length).sum();
    let covered = file.goals.iter().filter(|goal| goal.chain.is_some()).count();
    let numbers = [
        ("goals", summary.goals, file.goals.len()),
        ("covered", summary.covered, covered),
        ("chains", summary.chains, file.chains.len()),
        ("length", summary.length, length),
    ];
    for (name, told, counted) in numbers.into_iter().filter(|&(_, told, counted)| told != counted) {
        report.reject(format!("the summary says {name} {told}, but there are {counted}"));
    }
    if summary.chains > 0 && summary.lower_bound > summary.length as u64 {
        report.reject("the summary has a lower bound above its length".to_owned());
    }
    if summary.minimal == Minimal::Proven && summary.lower_bound != summary.length as u64 {
        report.reject("the summary calls a length proven that is not its lower bound".to_owned());
    }
}
