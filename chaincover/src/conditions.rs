//! Under which conditions the verdicts of a stored result hold: what the model is made of, as it is
//! on disk and not as the result says.
//!
//! A result carries its whole configuration, and whoever forges one writes into it what he likes:
//! an assumption that excludes all that is inconvenient. So `verify` and `replay` read the
//! configuration file, or the sources alone where there was none, apply the options that the run
//! was given, and compare. Options are no part of any file, so they are told; whoever does not want to believe
//! them names model and options himself.

use crate::error::Error;
use crate::front_ends;
use crate::model::Model;
use crate::settings::{Settings, configure};
use crate::stored::require;
use config::file::{ConfigFile, InputSection, Scalar};
use config::resolve::{self, Model as Configuration};
use engine::options::{HazardPolicy, Options};
use frontend::coverage::Criterion;
use report::build::{self, source_file};
use report::output::chain_file::{ChainFile, ModelOptions, Origin, SourceFile, StatedRequirement};
use report::output::root::root;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The configuration of the model of a result that was read from `path`, as it is on disk: that of
/// its configuration file, or of its sources alone, with the options of the run. What the result
/// itself says of it can be compared ([`Replayed::configured`](crate::Replayed::configured)).
///
/// # Errors
/// [`Request`](crate::ErrorKind::Request): sources or the configuration file are missing, or the
/// configuration makes no sense.
pub fn stored_configuration(stored: &ChainFile, path: &Path) -> Result<Configuration, Error> {
    configuration(stored, &root(stored, path))
}

/// The model of a result as it is on disk now, read as the run read it; paths are relative to
/// `root`.
///
/// # Errors
/// Missing files, a configuration without sense.
pub(crate) fn configuration(file: &ChainFile, root: &Path) -> Result<Configuration, Error> {
    let within = |paths: &[String]| paths.iter().map(|path| root.join(path)).collect::<Vec<PathBuf>>();
    let options = &file.model.options;
    let sources = within(&file.model.configuration.model.sources);
    require(&sources)?;
    let paths = match &file.model.configuration_file {
        Some(configuration) => vec![root.join(&configuration.path)],
        None => sources.clone(),
    };
    // Specifications name their goals, so these are no files.
    let goals = match front_ends::is_specification(&sources) {
        true => options.goals.iter().map(PathBuf::from).collect(),
        false => within(&options.goals),
    };
    let a2l = options.a2l.as_ref().map(|path| root.join(path));
    let settings = Settings { include: within(&options.include), goals, a2l, ..settings(options) };
    configure(&paths, &settings)
}

/// Settings as results record them, with paths as they stand there.
pub(crate) fn settings(options: &ModelOptions) -> Settings {
    let paths = |texts: &[String]| texts.iter().map(PathBuf::from).collect();
    Settings {
        include: paths(&options.include),
        goals: paths(&options.goals),
        define: options.define.clone(),
        target: options.target.clone(),
        step: options.step.clone(),
        init: options.init.clone(),
        unwind: options.unwind,
        assume_unwound: options.assume_unwound,
        robustness: options.robustness,
        forbids_undefined: options.forbids_undefined,
        coverage: options.coverage.iter().filter_map(|name| Criterion::named(name)).collect(),
        branches_only: options.branches_only,
        coverage_alone: options.coverage_alone,
        observe: options.observe,
        view: options.view.clone(),
        no_idle: options.no_idle,
        a2l: options.a2l.as_ref().map(PathBuf::from),
        a2l_ranges: options.a2l_ranges,
        period: options.period.clone(),
        ..Settings::default()
    }
}

/// The configuration file of a result and the A2L files that complete it, where they are still
/// there and no longer what they were.
pub(crate) fn changed_configuration<'f>(file: &'f ChainFile, root: &Path) -> Vec<&'f str> {
    let recorded = file.model.configuration_file.iter().chain(&file.model.a2l);
    let is_changed = |recorded: &&SourceFile| {
        let path = root.join(&recorded.path);
        path.is_file() && source_file(&path).sha256 != recorded.sha256
    };
    recorded.filter(is_changed).map(|recorded| &recorded.path[..]).collect()
}

/// Settings as results record them.
pub(crate) fn recorded(settings: &Settings) -> ModelOptions {
    let texts = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    ModelOptions {
        include: texts(&settings.include),
        goals: texts(&settings.goals),
        define: settings.define.clone(),
        target: settings.target.clone(),
        step: settings.step.clone(),
        init: settings.init.clone(),
        unwind: settings.unwind,
        assume_unwound: settings.assume_unwound,
        robustness: settings.robustness,
        forbids_undefined: settings.forbids_undefined,
        coverage: settings.coverage.iter().map(|criterion| criterion.name().to_owned()).collect(),
        branches_only: settings.branches_only,
        coverage_alone: settings.coverage_alone,
        observe: settings.observe,
        view: settings.view.clone(),
        no_idle: settings.no_idle,
        a2l: settings.a2l.as_ref().map(|path| path.display().to_string()),
        a2l_ranges: settings.a2l_ranges,
        period: settings.period.clone(),
    }
}

/// Where the result says something else of the model than what is on disk, whose paths are relative
/// to `root`.
pub(crate) fn differences(file: &ChainFile, root: &Path, loaded: &Model) -> Vec<String> {
    let now = resolve::complete(&loaded.configuration, &loaded.translated.resolved);
    let (told, found) = (keys(&file.model.configuration, root), keys(&through_json(&now), Path::new("")));
    let mut all: Vec<String> = told.keys().chain(found.keys()).cloned().collect();
    all.sort_unstable();
    all.dedup();
    let mut wrong = Vec::new();
    for key in all.into_iter().filter(|key| told.get(key) != found.get(key)) {
        wrong.push(format!(
            "the configuration says {} for {key}, but model and options give {}",
            shown(told.get(&key)),
            shown(found.get(&key))
        ));
    }
    wrong.extend(described_otherwise(file, loaded));
    wrong
}

/// Where the description of the model differs that exports and reports show.
fn described_otherwise(file: &ChainFile, loaded: &Model) -> Vec<String> {
    let now = build::model_section(&loaded.configuration, &loaded.translated, &loaded.system);
    let model = &file.model;
    let texts = [
        ("name", &model.name, &now.name),
        ("target", &model.target, &now.target),
        ("initialisation", &model.init, &now.init),
        ("step", &model.step, &now.step),
    ];
    let differ = texts.into_iter().filter(|(_, told, found)| told != found);
    let mut wrong: Vec<String> = differ
        .map(|(what, told, found)| format!("the {what} of the model is `{found}`, not `{told}`"))
        .collect();
    if model.period != now.period {
        wrong.push("the period of the model is another one".to_owned());
    }
    let [inputs, outputs, state] = build::signals(&loaded.configuration, &loaded.translated);
    let signals = [
        ("inputs", &file.inputs, inputs),
        ("outputs", &file.outputs, outputs),
        ("state words", &file.state, state),
    ];
    let differ = signals.into_iter().filter(|(_, told, found)| *told != found);
    wrong.extend(differ.map(|(what, ..)| format!("the {what} of the model are described otherwise")));
    wrong.extend(required_otherwise(file, loaded));
    wrong
}

/// Where the conditions of requirements are others.
fn required_otherwise(file: &ChainFile, loaded: &Model) -> Vec<String> {
    let now = build::requirements(&loaded.configuration, &loaded.translated, &loaded.system);
    let mut wrong = Vec::new();
    if file.requirements.len() != now.len() {
        wrong.push(format!("the model has {} requirements, not {}", now.len(), file.requirements.len()));
    }
    let differ = file.requirements.iter().zip(&now).filter(|(told, found)| movable(told) != movable(found));
    wrong.extend(differ.map(|(told, _)| format!("the conditions of {} are others in the model", told.name)));
    wrong
}

/// A requirement without the folders of places.
fn movable(requirement: &StatedRequirement) -> StatedRequirement {
    let plain = |origin: &Option<Origin>| origin.as_ref().map(Origin::without_folder);
    let mut movable = StatedRequirement { origin: plain(&requirement.origin), ..requirement.clone() };
    let claims = movable.conditions.iter_mut().flat_map(|conditions| &mut conditions.claims);
    claims.for_each(|claim| claim.origin = plain(&claim.origin));
    movable
}

/// A configuration as a result would have it.
fn through_json(config: &ConfigFile) -> ConfigFile {
    let text = serde_json::to_string(config).expect("a configuration should be serialisable");
    serde_json::from_str(&text).expect("a configuration that was written should be read")
}

fn shown(value: Option<&Json>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| format!("`{value}`"))
}

/// The entries of a configuration by key; paths, taken from `root`, are those of the files that
/// they lead to.
fn keys(config: &ConfigFile, root: &Path) -> BTreeMap<String, Json> {
    let mut config = config.clone();
    for paths in [&mut config.model.sources, &mut config.model.include, &mut config.model.goals] {
        for path in paths {
            let whole = root.join(&path);
            *path = std::fs::canonicalize(&whole).unwrap_or(whole).display().to_string();
        }
    }
    let Ok(Json::Object(sections)) = serde_json::to_value(config) else { return BTreeMap::new() };
    let mut all = BTreeMap::new();
    for (name, section) in sections {
        match section {
            Json::Object(entries) => {
                all.extend(entries.into_iter().map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            other => drop(all.insert(name, other)),
        }
    }
    all
}

/// The treatment of undefined operations that the result names; those of early versions name none.
pub(crate) fn policy(file: &ChainFile) -> Result<HazardPolicy, String> {
    file.model.undefined_behaviour.as_deref().map_or(Ok(HazardPolicy::Report), str::parse)
}

/// All that restricts what the verdicts are about, a line each.
pub(crate) fn told(file: &ChainFile, root: &Path, loaded: &Model) -> String {
    let mut text = "the verdicts are about\n".to_owned();
    let mut line = |what: &str, value: String| {
        let _ = writeln!(text, "  {what:<12} {value}");
    };
    let config = resolve::complete(&loaded.configuration, &loaded.translated.resolved);
    match (&loaded.configuration.config_path, &file.model.configuration_file) {
        (Some(path), _) => line("model", path.display().to_string()),
        (None, Some(recorded)) => line("model", root.join(&recorded.path).display().to_string()),
        (None, None) => line("model", "no configuration file".to_owned()),
    }
    if let Some(account) = loaded.described() {
        line("a2l", account.file.display().to_string());
    }
    let model = &config.model;
    model.sources.iter().for_each(|source| line("source", source.clone()));
    model.goals.iter().for_each(|goals| line("goals", goals.clone()));
    model.include.iter().for_each(|folder| line("include", folder.clone()));
    let has_code = loaded.translated.source.has_code();
    if has_code {
        line("target", file.model.target.clone());
    }
    let policy = policy(file).map_or_else(|why| why, |policy| policy.name().to_owned());
    let only =
        if policy == HazardPolicy::Forbid.name() { ": executions end at undefined operations" } else { "" };
    if has_code {
        line("--ub", format!("{policy}{only}"));
    }
    model.define.iter().for_each(|macro_| line("define", macro_.clone()));
    if has_code {
        let init = &file.model.init;
        line("init", if init.is_empty() { "none".to_owned() } else { init.clone() });
        line("step", file.model.step.clone());
    }
    if model.assume_unwound {
        let rounds = model.unwind.map_or_else(String::new, |rounds| format!(" (unwind {rounds})"));
        line("left out", format!("executions in which a loop or a recursion goes on too long{rounds}"));
    }
    config.bind.iter().for_each(|(pointer, target)| line("bind", format!("{pointer} = {target}")));
    config.constants.iter().for_each(|(place, value)| line("const", format!("{place} = {}", value.to_c())));
    for (lvalue, section) in &config.input {
        restrictions(section).for_each(|restriction| line("input", format!("{lvalue} {restriction}")));
    }
    config.assume.iter().for_each(|assumed| line("assume", assumed.expr.clone()));
    places(loaded).into_iter().for_each(|place| line("assume", format!("what stands at {place}")));
    build::notes_on_left_out(&loaded.translated).for_each(|note| line("left out", note));
    build::notes_on_types(&loaded.translated).into_iter().for_each(|note| line("input", note));
    config.end.iter().for_each(|end| line("final", end.when.clone()));
    if let Some(cost) = &config.cost {
        let unit = cost.unit.iter().map(|unit| format!(" {unit}")).collect::<String>();
        line("cost", format!("{}{unit} for each step", cost.step.unwrap_or(1)));
        cost.add
            .iter()
            .for_each(|added| line("cost", format!("{}{unit} more where {}", added.cost, added.when)));
    }
    text
}

/// What is assumed of executions, a line each: all that verdicts about all of them rest on.
pub(crate) fn assumed(loaded: &Model, options: &Options) -> Vec<String> {
    let config = resolve::complete(&loaded.configuration, &loaded.translated.resolved);
    let mut lines = Vec::new();
    for (lvalue, section) in &config.input {
        lines.extend(restrictions(section).map(|restriction| format!("{lvalue} is {restriction}")));
    }
    lines.extend(config.constants.iter().map(|(place, value)| format!("{place} is {}", value.to_c())));
    lines.extend(config.assume.iter().map(|assumed| format!("{} in every step", assumed.expr)));
    lines.extend(places(loaded).into_iter().map(|place| format!("what is assumed at {place}")));
    lines.extend(build::notes_on_types(&loaded.translated));
    lines.extend(build::notes_on_left_out(&loaded.translated));
    if options.hazards == HazardPolicy::Forbid {
        lines.push("--ub forbid: they end where they run into what C leaves undefined".to_owned());
    }
    lines
}

/// What a section says of the values of its input.
fn restrictions(section: &InputSection) -> impl Iterator<Item = String> {
    let range = section.range.as_ref().map(|[low, high]| format!("from {} to {}", low.to_c(), high.to_c()));
    let values = section.values.as_ref().map(|values| {
        let values: Vec<String> = values.iter().map(Scalar::to_c).collect();
        format!("one of {}", values.join(", "))
    });
    range.into_iter().chain(values)
}

/// Where assumptions stand in the code.
fn places(loaded: &Model) -> Vec<String> {
    let assumptions = loaded.system.assumptions.iter().chain(&loaded.system.initial_assumptions);
    let place = |origin| {
        let place = loaded.translated.source.locate(origin);
        format!("{}:{}", place.file.display(), place.line)
    };
    let mut places: Vec<String> = assumptions.filter_map(|assumption| assumption.origin).map(place).collect();
    places.sort_unstable();
    places.dedup();
    places
}
