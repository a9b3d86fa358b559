//! A model that was read: the subject of all questions.

use crate::error::{Error, ErrorKind};
use crate::front_ends;
use crate::judge::LimitedJudge;
use crate::observed::Observed;
use config::ConfigError;
use config::a2l::{self, A2lRequest, Description};
use config::coverage::justification_place;
use config::duration;
use config::resolve::Model as Configuration;
use engine::step::size::Size;
use frontend::coverage::Coverage;
use frontend::diagnostics::Diagnostics;
use frontend::source::{FileKind, SourceMap};
use frontend::{Failure, Location, OutputOption, Topic, Translated};
use model::system::{Goal, GoalId, TransitionSystem};
use model::validate::{Validated, validate};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// A model that was read and found well-formed.
pub struct Model {
    /// What was asked of the front end.
    pub configuration: Configuration,
    /// What the front end made of it: signals, findings, diagnostics, the way back to the source.
    /// Its `system` was moved into `system` below.
    pub translated: Translated,
    /// The transition system.
    pub system: Validated,
    /// What has to be seen at outputs; `None`: reaching goals is enough.
    pub(crate) observed: Option<Observed>,
}

impl Model {
    /// The model that a configuration describes; its coverage goals need not be seen at outputs.
    ///
    /// # Errors
    /// As for [`read`](crate::read()).
    pub(crate) fn unobserved(configuration: Configuration) -> Result<Self, Error> {
        let judge = LimitedJudge(configuration.request.limit.clone());
        let description = description(&configuration)?;
        let mut translated = front_ends::translate(&configuration.request, &judge)?;
        let mut configuration = configuration;
        if let Some((wanted, description)) = description {
            let described = described(&configuration, &wanted, &description, &translated);
            if described.request.input_options != configuration.request.input_options {
                translated = front_ends::translate(&described.request, &judge)?;
            }
            configuration = described;
            let account = configuration.described.clone().unwrap_or_default();
            for (code, warning) in &account.warnings {
                translated.diagnostics.warning(*code, None, warning);
            }
        }
        fill_in(&mut configuration, &translated);
        check_outputs(&configuration, &translated)?;
        if configuration.request.coverage.is_wanted() && translated.source.coverage().is_none() {
            let message = "coverage goals are known of C code only, and this model is none";
            return Err(Error::new(ErrorKind::Request, message));
        }
        let system: TransitionSystem = std::mem::take(&mut translated.system);
        let system = validate(system).map_err(|malformed| {
            let list: Vec<String> = malformed.iter().map(ToString::to_string).collect();
            let message = format!("the front end made a malformed system: {}", list.join("; "));
            Error::new(ErrorKind::Internal, message)
        })?;
        Ok(Self { configuration, translated, system, observed: None })
    }

    /// The system with some of its goals.
    pub(crate) fn with_goals(&self, goals: &[GoalId]) -> Validated {
        let mut system: TransitionSystem = (*self.system).clone();
        system.goals = goals.iter().map(|&goal| self.system.goals[goal].clone()).collect();
        validate(system).expect("a valid system should stay valid with fewer goals")
    }

    /// The coverage goals; `None` where none are asked for.
    pub(crate) fn coverage(&self) -> Option<&Coverage> {
        let observed = self.observed.as_ref().and_then(|observed| observed.coverage.as_ref());
        observed.or_else(|| self.translated.source.coverage())
    }

    /// What was taken from an A2L file; `None` where none is named.
    pub fn described(&self) -> Option<&a2l::Account> {
        self.configuration.described.as_deref()
    }

    /// The files on which the model rests: configuration, sources, A2L file, all that they include,
    /// and the place of justifications, whether or not there are any. They stand in the order of
    /// their paths, each once. Headers that come with this library are not among them.
    pub fn files(&self) -> Vec<PathBuf> {
        let request = &self.configuration.request;
        let disk = self.translated.sources.files.values().filter(|file| file.kind == FileKind::Disk);
        let mut files: BTreeSet<PathBuf> = disk.map(|file| file.path.clone()).collect();
        files.retain(|path| !path.to_string_lossy().starts_with('<'));
        files.extend(self.configuration.config_path.iter().cloned());
        files.extend(self.configuration.described.iter().flat_map(|account| account.files.clone()));
        files.extend(request.sources.iter().chain(&request.goal_files).cloned());
        files.extend(justification_place(self.configuration.config_path.as_deref(), &request.sources));
        files.into_iter().collect()
    }

    /// The names of the goals, in their order.
    pub fn goals(&self) -> impl Iterator<Item = &str> {
        self.system.goals.values().map(|goal| goal.name.as_str())
    }

    /// Sizes in words and bits: of the whole system, and of what goals, assumptions and Final
    /// depend on.
    pub fn sizes(&self) -> [Size; 2] {
        [Size::shown(&self.system), Size::of_slice(&self.system)]
    }

    /// `file:line` of a goal; empty where none is known.
    pub fn goal_line(&self, goal: &Goal) -> String {
        self.goal_place(goal)
            .map_or_else(String::new, |place| format!("{}:{}", place.file.display(), place.line))
    }

    /// Where a goal was written.
    pub fn goal_place(&self, goal: &Goal) -> Option<Location> {
        report::build::goal_place(&self.configuration, &self.translated, goal)
    }

    /// The goal of a name.
    ///
    /// # Errors
    /// There is none: the message lists those that there are.
    pub(crate) fn goal(&self, name: &str) -> Result<GoalId, Error> {
        let name = frontend::diagnostics::visible(name);
        let found = self.system.goals.iter().find(|(_, goal)| goal.name == name).map(|(id, _)| id);
        // Coverage goals with equal truths share a goal, which has the name of the first of them.
        let shared = || {
            let goals = self.coverage().map_or(&[][..], |found| &found.goals);
            goals.iter().find(|goal| goal.name == name).map(|goal| goal.goal)
        };
        if let Some(goal) = found.or_else(shared)
            && let Some(why) = self.observed.as_ref().and_then(|observed| observed.unknown(goal))
        {
            let message = format!("whether {name} can be observed is not known: {why}");
            return Err(Error::new(ErrorKind::Request, message));
        }
        found.or_else(shared).ok_or_else(|| {
            let names: Vec<&str> = self.goals().collect();
            let message = format!("there is no goal `{name}`; there are {}", names.join(", "));
            Error::new(ErrorKind::Request, message)
        })
    }
}

/// What the A2L file says that the configuration names, unless it was taken already.
fn description(configuration: &Configuration) -> Result<Option<(A2lRequest, Description)>, Error> {
    match &configuration.a2l {
        Some(wanted) if configuration.described.is_none() => {
            let limit = &configuration.request.limit;
            match a2l::read(&wanted.file, limit) {
                Err(ConfigError::Stopped { .. }) => {
                    let (mut diagnostics, sources) = (Diagnostics::default(), SourceMap::default());
                    limit.is_reached(None, &mut diagnostics);
                    Err(Failure { diagnostics, sources }.into())
                }
                read => Ok(Some((wanted.clone(), read?))),
            }
        }
        _ => Ok(None),
    }
}

/// The configuration with what an A2L file says of the signals of a model.
fn described(
    configuration: &Configuration,
    wanted: &A2lRequest,
    description: &Description,
    translated: &Translated,
) -> Configuration {
    let constants = translated.findings.iter().filter(|finding| finding.topic == Topic::Constant);
    let constants: Vec<&str> = constants.map(|finding| finding.subject.as_str()).collect();
    a2l::describe(configuration, wanted, description, &translated.signals, &constants)
}

/// Fills in what a front end knows of the time between steps and of outputs, where the
/// configuration says nothing.
fn fill_in(configuration: &mut Configuration, translated: &Translated) {
    let found = &translated.resolved;
    if let (None, Some(period)) = (&configuration.period, found.period) {
        configuration.period = Some((duration::text(period), period));
    }
    let is_known =
        |known: &&OutputOption| known.unit.is_some() || known.text.is_some() || !known.labels.is_empty();
    for known in found.output_options.iter().filter(is_known) {
        // A configuration may speak of an output by its short name.
        let outputs = || translated.signals.outputs.iter().map(|(signal, _)| signal);
        let name = outputs().find(|signal| signal.lvalue == known.lvalue).map(|signal| signal.name.clone());
        let is_there = |name: &String| configuration.outputs.contains_key(name);
        let key = name.filter(is_there).unwrap_or_else(|| known.lvalue.clone());
        let section = configuration.outputs.entry(key).or_default();
        section.unit = section.unit.take().or_else(|| known.unit.clone());
        section.text = section.text.take().or_else(|| known.text.clone());
        if section.labels.is_empty() {
            section.labels =
                known.labels.iter().map(|(value, name)| (value.to_string(), name.clone())).collect();
        }
    }
}

/// Outputs that a message names.
const SHOWN_OUTPUTS: usize = 8;

/// Sections `[output]` must speak of outputs.
fn check_outputs(configuration: &Configuration, translated: &Translated) -> Result<(), Error> {
    let outputs = || translated.signals.outputs.iter().map(|(signal, _)| signal);
    let is_known = |name: &String| outputs().any(|signal| signal.lvalue == *name || signal.name == *name);
    let Some(unknown) = configuration.outputs.keys().find(|name| !is_known(name)) else { return Ok(()) };
    let mut known: Vec<String> = outputs().map(|signal| format!("`{}`", signal.lvalue)).collect();
    if known.len() > SHOWN_OUTPUTS {
        known.truncate(SHOWN_OUTPUTS);
        known.push("...".to_owned());
    }
    let known = if known.is_empty() { "there are none".to_owned() } else { known.join(", ") };
    let path = configuration.config_path.clone().unwrap_or_default();
    let why = format!("this is no output of the model; outputs: {known}");
    Err(ConfigError::value(&path, format!("output.\"{unknown}\""), why).into())
}
