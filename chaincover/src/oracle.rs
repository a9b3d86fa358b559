//! Requirement interfaces as goals and oracles of models in C.
//!
//! ```text
//! interface -> monitor in C (contracts::c_monitor)
//! model in C -> signals -> which of them each variable of the interface is
//!   -> a configuration: the model's files and the monitor, one step after the other; a goal for
//!      each requirement and purpose
//! ```
//! What becomes of the pair is a model in C like any other: chains, verdicts, replay, exports.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use config::file::{ConfigFile, ExpressionSection, GoalSection, StepEntry, StepSection};
use config::resolve::complete;
use contracts::Interface;
use contracts::c_monitor::{self, CMonitor, MonitorGoal, Names};
use contracts::syntax::Role;
use std::path::{Component, Path, PathBuf};

pub use contracts::c_monitor::{CMonitor as Monitor, Names as MonitorNames};

/// A monitor beside a model in C.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// The monitor.
    pub monitor: Monitor,
    /// For each variable of the interface the expression of the model that has its value.
    pub mapped: Vec<(String, String)>,
    /// The configuration of both, for a folder that holds the monitor as [`Oracle::file_name`].
    pub configuration: ConfigFile,
}

/// The monitor of an interface, as a file in C.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("twice.ri");
/// # let text = "interface lamp  input a : bool  output b : bool  req same always guarantee b' = a'";
/// # std::fs::write(&path, text)?;
/// use chaincover::{monitor_in_c, requirements};
/// let document = requirements::read_interface(&[path], &[])?;
/// let monitor = monitor_in_c(&document.interface, &Default::default())?;
/// assert!(monitor.text.contains("lamp_broken_same |= !(now_b == now_a);"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Request`]: names of variables that it has not. [`ErrorKind::Source`]: it has values
/// or hidden variables that a monitor in C cannot follow.
pub fn monitor_in_c(interface: &Interface, names: &Names) -> Result<CMonitor, Error> {
    check_names(interface, names)?;
    c_monitor::monitor(interface, names).map_err(|error| Error::new(ErrorKind::Source, error.to_string()))
}

/// An interface as oracle of a model in C whose files a folder refers to. Variables that `names`
/// does not map are those signals of the model whose names, or whose last components, are theirs.
/// Where `names` includes nothing, the monitor includes the source of the model, if there is one.
///
/// # Errors
/// [`ErrorKind::Request`]: the model is none in C with step functions, or a variable is no signal
/// that a monitor behind the step can see. [`ErrorKind::Source`]: as for [`monitor_in_c`].
pub fn oracle(interface: &Interface, model: &Model, names: Names, folder: &Path) -> Result<Oracle, Error> {
    let refuse = |why: String| Error::new(ErrorKind::Request, why);
    if !crate::front_ends::is_code(&model.configuration.request) {
        return Err(refuse("an interface can be the oracle of models in C; this model is none".to_owned()));
    }
    let resolved = &model.translated.resolved;
    if resolved.step.iter().all(|step| step.function == "main") {
        let why = "the step of this model is a loop in a function: a monitor needs a step function behind which it can be \
                   called";
        return Err(refuse(why.to_owned()));
    }
    check_names(interface, &names)?;
    let mapped = mapped(interface, model, &names).map_err(refuse)?;
    let mut names = Names { variables: mapped.clone(), ..names };
    let mut file = complete(&model.configuration, resolved);
    let mut sources = resolved.sources.clone();
    included(&mut names, &mut sources, folder).map_err(refuse)?;
    let monitor = monitor_in_c(interface, &names)?;
    file.model.sources = sources.iter().map(|path| from(folder, path)).collect();
    file.model.sources.push(file_name(&monitor));
    file.model.goals = resolved.goal_files.iter().map(|path| from(folder, path)).collect();
    file.model.include = resolved.include.iter().map(|path| from(folder, path)).collect();
    let mut steps = match file.model.step.take() {
        Some(StepSection::One(function)) => vec![StepEntry::Name(function)],
        Some(StepSection::Several(steps)) => steps,
        None => Vec::new(),
    };
    steps.push(StepEntry::Name(monitor.function.clone()));
    file.model.step = Some(StepSection::Several(steps));
    let assumed = monitor.assumptions.iter().map(|expr| ExpressionSection { expr: expr.clone() });
    file.assume.extend(assumed);
    let known: Vec<String> = model.goals().map(str::to_owned).collect();
    for goal in &monitor.goals {
        file.goal.push(goal_section(goal, &interface.name, &known));
    }
    Ok(Oracle { monitor, mapped, configuration: file })
}

impl Oracle {
    /// The name of the monitor's file.
    pub fn file_name(&self) -> String {
        file_name(&self.monitor)
    }
    /// The text of the configuration.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`]: it cannot be written as TOML.
    pub fn configuration_text(&self) -> Result<String, Error> {
        self.configuration.to_toml().map_err(|why| Error::new(ErrorKind::Internal, why))
    }
}

fn file_name(monitor: &CMonitor) -> String {
    format!("{}.c", monitor.function)
}

fn goal_section(goal: &MonitorGoal, interface: &str, known: &[String]) -> GoalSection {
    let name = match known.contains(&goal.name) {
        true => format!("{interface}.{}", goal.name),
        false => goal.name.clone(),
    };
    GoalSection {
        name,
        requirement: goal.requirement.clone(),
        text: goal.text.clone(),
        after: Some(goal.after.clone()),
        expect: goal.expect.clone(),
        ..GoalSection::default()
    }
}

/// What is mapped has to be there.
fn check_names(interface: &Interface, names: &Names) -> Result<(), Error> {
    let of = |id| interface.scope.variable(id).name.as_str();
    let observed: Vec<&str> = interface.observable().map(of).collect();
    match names.variables.iter().find(|(name, _)| !observed.contains(&name.as_str())) {
        Some((unknown, _)) => {
            let list = observed.join(", ");
            let why = format!("the interface has no input or output {unknown}; there are {list}");
            Err(Error::new(ErrorKind::Request, why))
        }
        None => Ok(()),
    }
}

/// For each observed variable the expression that has its value.
fn mapped(interface: &Interface, model: &Model, names: &Names) -> Result<Vec<(String, String)>, String> {
    let of = |id| interface.scope.variable(id).name.as_str();
    let mut found = Vec::new();
    for id in interface.observable() {
        let name = of(id);
        let expression = match names.variables.iter().find(|(known, _)| known == name) {
            Some((_, expression)) => expression.clone(),
            None => signal(model, name, interface.roles[id])?,
        };
        found.push((name.to_owned(), expression));
    }
    Ok(found)
}

/// The signal that a variable is by its name.
fn signal(model: &Model, name: &str, role: Role) -> Result<String, String> {
    let signals = &model.translated.signals;
    let all: Vec<&frontend::Signal> = match role {
        Role::Input => signals.inputs.iter().map(|input| &input.signal).collect(),
        _ => {
            let outputs = signals.outputs.iter().map(|(signal, _)| signal);
            outputs.chain(signals.states.iter().map(|(signal, _)| signal)).collect()
        }
    };
    let found = named_signal(&all, (name, name), role, "EXPRESSION")?;
    visible_to_monitor(model, name, &all[found].lvalue)
}

/// The signal of a name, or of this last component, that a variable is: its position. `meant` is
/// what `--map` takes.
pub(crate) fn named_signal(
    all: &[&frontend::Signal],
    (variable, name): (&str, &str),
    role: Role,
    meant: &str,
) -> Result<usize, String> {
    let last = |lvalue: &str| lvalue.rsplit(['.', '>', ':']).next().unwrap_or_default().to_owned();
    let by = |is_it: &dyn Fn(&frontend::Signal) -> bool| -> Vec<usize> {
        let mut found: Vec<usize> = (0..all.len()).filter(|&index| is_it(all[index])).collect();
        found.sort_by_key(|&index| &all[index].lvalue);
        found.dedup_by_key(|index| &all[*index].lvalue);
        found
    };
    let exact = by(&|signal| signal.name == name || signal.lvalue == name);
    let candidates = if exact.is_empty() { by(&|signal| last(&signal.lvalue) == name) } else { exact };
    let what = if role == Role::Input { "input" } else { "output" };
    let list = |of: &mut dyn Iterator<Item = usize>, between: &str| {
        of.map(|index| all[index].lvalue.as_str()).collect::<Vec<_>>().join(between)
    };
    match &candidates[..] {
        [only] => Ok(*only),
        [] => Err(format!(
            "the model has no {what} `{name}`: say which it is (--map {variable}={meant}); the model's are {}",
            list(&mut (0..all.len()), ", ")
        )),
        several => Err(format!(
            "the {what} `{name}` could be {}: say which (--map {variable}={meant})",
            list(&mut several.iter().copied(), " or ")
        )),
    }
}

/// The lvalue, where a function behind the step can read it.
fn visible_to_monitor(model: &Model, name: &str, lvalue: &str) -> Result<String, String> {
    let is_parameter = |step: &frontend::StepFunction| {
        let rest = lvalue.strip_prefix(step.function.as_str());
        rest.is_some_and(|rest| rest.starts_with(['.', '-', '[']))
    };
    if model.translated.resolved.step.iter().any(is_parameter) {
        return Err(format!(
            "`{name}` is {lvalue}, a parameter of the step function, which a monitor behind the step cannot see: give the model a \
             step function without parameters that calls it with variables of the file"
        ));
    }
    match lvalue.split_once("::") {
        Some((_, plain)) if !lvalue.contains('(') && plain_file(model, lvalue) => Ok(plain.to_owned()),
        Some(_) => Err(format!(
            "`{name}` is {lvalue}, which stands inside of a function: a monitor behind the step cannot see it"
        )),
        None => Ok(lvalue.to_owned()),
    }
}

/// Whether what stands in front of `::` is a file.
fn plain_file(model: &Model, lvalue: &str) -> bool {
    let owner = lvalue.split("::").next().unwrap_or_default();
    let is_it = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy() == owner);
    model.translated.resolved.sources.iter().any(is_it)
}

/// What the monitor includes, as seen from its folder. A source of the model that it includes is
/// compiled with it, and not once more.
fn included(names: &mut Names, sources: &mut Vec<PathBuf>, folder: &Path) -> Result<(), String> {
    if names.includes.is_empty() {
        let [only] = &sources[..] else {
            return Err("the model has several sources: name a header that declares its inputs and outputs, or the source \
                        that defines them (--include FILE)"
                .to_owned());
        };
        names.includes.push(only.display().to_string());
    }
    let absolute = |path: &Path| std::fs::canonicalize(path).ok();
    for include in &mut names.includes {
        let path = PathBuf::from(&*include);
        if let Some(own) = absolute(&path) {
            sources.retain(|source| absolute(source).as_ref() != Some(&own));
            *include = from(folder, &path);
        }
    }
    Ok(())
}

/// A path as seen from a folder: with `..` where that is short, and else from the root.
fn from(folder: &Path, path: &Path) -> String {
    let whole = |path: &Path| {
        let known = std::fs::canonicalize(path);
        known.or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
    };
    let (folder, path) = (whole(folder), whole(path));
    let (mut here, mut there) = (folder.components().peekable(), path.components().peekable());
    let mut shared = 0;
    while here.peek().is_some() && here.peek() == there.peek() {
        here.next();
        there.next();
        shared += 1;
    }
    if shared <= 1 {
        return path.display().to_string();
    }
    let up = here.map(|_| Component::ParentDir);
    up.chain(there).collect::<PathBuf>().display().to_string()
}
