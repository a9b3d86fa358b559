//! From file to request and back.

use super::file::{
    ConfigFile, CostEntry, CostSection, ExpressionSection, FinalSection, GoalSection, GoalStepSection,
    HardwareSection, InputSection, ModelSection, OutputSection, RatedStep, Scalar, StepEntry, StepSection,
};
use super::{ConfigError, duration, places};
use crate::a2l::{self, A2lRequest};
use crate::coverage::CoverageSection;
use frontend::coverage::CoverageRequest;
use frontend::diagnostics::visible;
use frontend::{
    AddedCost, CostRequest, DataModel, GoalStepText, GoalText, HardwareRequest, InputOption, Location,
    Request, Reset, StepFunction, Target,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The name of the file in a folder that stands for a model.
pub const FILE_NAME: &str = "chaincover.toml";

/// A model as the configuration describes it.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// What the front end is asked.
    pub request: Request,
    /// Time between two steps, as written and as a duration.
    pub period: Option<(String, Duration)>,
    /// Units and tolerances of outputs, by lvalue or name.
    pub outputs: BTreeMap<String, OutputSection>,
    /// The file it came from, if any.
    pub config_path: Option<PathBuf>,
    /// Where the goals of that file are written, in order.
    pub goal_places: Vec<Location>,
    /// The A2L file whose contents are defaults.
    pub a2l: Option<A2lRequest>,
    /// What was taken from it; `None`: it was not read yet.
    pub described: Option<Arc<a2l::Account>>,
}

/// Reads the configuration file at `path`.
///
/// # Errors
/// If it cannot be read, is no TOML, has unknown keys, or values without sense.
pub fn read(path: &Path) -> Result<Model, ConfigError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
    let file: ConfigFile = toml::from_str(&text)
        .map_err(|error| ConfigError::Syntax { path: path.to_owned(), message: error.to_string() })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut model = from_file(&file, folder, path)?;
    let places = places::find(&file, &text, path);
    check_names(&file, &places.goals, path)?;
    model.request.places = places.conditions;
    model.goal_places = places.goals;
    Ok(model)
}

/// Names tell goals apart.
fn check_names(file: &ConfigFile, places: &[Location], path: &Path) -> Result<(), ConfigError> {
    for (index, goal) in file.goal.iter().enumerate() {
        if let Some(first) = file.goal[..index].iter().position(|other| other.name == goal.name) {
            let lines = places.get(first).zip(places.get(index));
            let lines =
                lines.map(|(first, second)| format!(", in the lines {} and {}", first.line, second.line));
            let message = format!("there are two goals named `{}`{}", goal.name, lines.unwrap_or_default());
            return Err(ConfigError::value(path, "goal", message));
        }
    }
    Ok(())
}

/// The model that `file` describes; relative paths are taken from `folder`, errors name `path`.
///
/// # Errors
/// Values without sense.
pub fn from_file(file: &ConfigFile, folder: &Path, path: &Path) -> Result<Model, ConfigError> {
    let model = &file.model;
    if model.sources.is_empty() {
        return Err(ConfigError::value(path, "model.sources", "no C file is named"));
    }
    check_macros(&model.define).map_err(|why| ConfigError::value(path, "model.define", why))?;
    for (lvalue, section) in &file.input {
        check_input(section).map_err(|why| ConfigError::value(path, format!("input.\"{lvalue}\""), why))?;
        check_labels(&section.labels)
            .map_err(|why| ConfigError::value(path, format!("input.\"{lvalue}\".labels"), why))?;
    }
    for (lvalue, section) in &file.output {
        check_labels(&section.labels)
            .map_err(|why| ConfigError::value(path, format!("output.\"{lvalue}\".labels"), why))?;
    }
    let within = |names: &[String]| names.iter().map(|name| folder.join(name)).collect::<Vec<_>>();
    let period = match &model.period {
        None => None,
        Some(text) => match duration::parse(text) {
            Ok(period) if !period.is_zero() => Some((text.clone(), period)),
            Ok(_) => return Err(ConfigError::value(path, "model.period", "must be longer than zero")),
            Err(message) => return Err(ConfigError::value(path, "model.period", message)),
        },
    };
    let request = Request {
        name: model.name.clone().unwrap_or_default(),
        sources: within(&model.sources),
        goal_files: within(&model.goals),
        include: within(&model.include),
        define: model.define.clone(),
        target: match &model.target {
            None => usual_target(&within(&model.sources)),
            Some(text) => parse_target(text).map_err(|why| ConfigError::value(path, "model.target", why))?,
        },
        init: model.init.clone(),
        step: step_functions(model.step.as_ref(), path)?,
        inputs: model.inputs.clone(),
        outputs: model.outputs.clone(),
        bind: file.bind.iter().map(|(pointer, target)| (pointer.clone(), target.clone())).collect(),
        constants: file.constants.iter().map(|(lvalue, value)| (lvalue.clone(), value.to_c())).collect(),
        input_options: file.input.iter().map(|(lvalue, section)| input_option(lvalue, section)).collect(),
        assumptions: file.assume.iter().map(|section| section.expr.clone()).collect(),
        invariants: file.invariant.iter().map(|section| section.expr.clone()).collect(),
        goals: file.goal.iter().map(|section| goal_text(section, path)).collect::<Result<_, _>>()?,
        end: file.end.as_ref().map(|section| section.when.clone()),
        cost: file.cost.as_ref().map(|section| cost(section, path)).transpose()?,
        unwind: model.unwind,
        assumes_unwound: model.assume_unwound,
        robustness: model.robustness,
        hardware: match &file.hardware {
            None => HardwareRequest::default(),
            Some(section) => hardware(section)
                .map_err(|(key, why)| ConfigError::value(path, format!("hardware.{key}"), why))?,
        },
        coverage: match &file.coverage {
            None => CoverageRequest::default(),
            Some(section) => section
                .request()
                .map_err(|(key, why)| ConfigError::value(path, format!("coverage.{key}"), why))?,
        },
        ..Request::default()
    };
    Ok(Model {
        request,
        period,
        outputs: file.output.clone(),
        config_path: Some(path.to_owned()),
        goal_places: Vec::new(),
        a2l: file
            .a2l
            .as_ref()
            .map(|section| A2lRequest { file: folder.join(&section.file), ranges: section.ranges }),
        described: None,
    })
}

/// The file that describes the model, with paths as they stand in the request.
pub fn to_file(request: &Request, period: Option<&str>) -> ConfigFile {
    let texts = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    let expressions =
        |texts: &[String]| texts.iter().map(|expr| ExpressionSection { expr: expr.clone() }).collect();
    ConfigFile {
        model: ModelSection {
            name: (!request.name.is_empty()).then(|| request.name.clone()),
            sources: texts(&request.sources),
            include: texts(&request.include),
            define: request.define.clone(),
            target: Some(target_name(request.target).to_owned()),
            init: request.init.clone(),
            step: step_section(&request.step),
            period: period.map(str::to_owned),
            inputs: request.inputs.clone(),
            outputs: request.outputs.clone(),
            goals: texts(&request.goal_files),
            unwind: request.unwind,
            assume_unwound: request.assumes_unwound,
            robustness: request.robustness,
        },
        bind: request.bind.iter().cloned().collect(),
        constants: request
            .constants
            .iter()
            .map(|(lvalue, value)| (lvalue.clone(), Scalar::from_c(value)))
            .collect(),
        input: request
            .input_options
            .iter()
            .map(|option| (option.lvalue.clone(), input_section(option)))
            .collect(),
        output: BTreeMap::new(),
        assume: expressions(&request.assumptions),
        invariant: expressions(&request.invariants),
        goal: request.goals.iter().map(goal_section).collect(),
        end: request.end.as_ref().map(|when| FinalSection { when: when.clone() }),
        cost: request.cost.as_ref().map(cost_section),
        hardware: hardware_section(&request.hardware),
        coverage: CoverageSection::of(&request.coverage),
        // What was taken from it stands in the sections that it is about.
        a2l: None,
    }
}

/// What one step costs at most, so that costs of chains stay numbers that can be counted.
const MOST_COST: u64 = 1 << 32;

fn cost(section: &CostSection, path: &Path) -> Result<CostRequest, ConfigError> {
    let request = CostRequest {
        // Units stand in lines of terminals and reports.
        unit: section.unit.as_deref().map(visible).unwrap_or_default(),
        step: section.step.unwrap_or(1),
        add: section
            .add
            .iter()
            .map(|CostEntry { when, cost }| AddedCost { when: when.clone(), cost: *cost })
            .collect(),
    };
    match request.most() {
        0 => Err(ConfigError::value(path, "cost", "no step costs anything; give `step` or `add` a cost")),
        most if most > MOST_COST => Err(ConfigError::value(
            path,
            "cost",
            format!("a step may cost {most}, and {MOST_COST} is the most; count in a greater unit"),
        )),
        _ => Ok(request),
    }
}

fn cost_section(request: &CostRequest) -> CostSection {
    let entry = |AddedCost { when, cost }: &AddedCost| CostEntry { when: when.clone(), cost: *cost };
    CostSection {
        unit: (!request.unit.is_empty()).then(|| request.unit.clone()),
        step: Some(request.step),
        add: request.add.iter().map(entry).collect(),
    }
}

fn hardware(section: &HardwareSection) -> Result<HardwareRequest, (&'static str, String)> {
    let parameters = section.parameters.iter().map(|text| parse_parameter(text));
    let reset = section.reset.as_deref().map(Reset::parse).transpose();
    Ok(HardwareRequest {
        top: section.top.clone(),
        parameters: parameters.collect::<Result<_, _>>().map_err(|why| ("parameters", why))?,
        reset: reset.map_err(|why| ("reset", why))?,
        zero_init: section.zero_init,
    })
}

fn hardware_section(request: &HardwareRequest) -> Option<HardwareSection> {
    (*request != HardwareRequest::default()).then(|| HardwareSection {
        top: request.top.clone(),
        parameters: request.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect(),
        reset: request.reset.as_ref().map(Reset::to_string),
        zero_init: request.zero_init,
    })
}

/// Reads `NAME=VALUE`.
///
/// # Errors
/// A sentence that shows the form.
pub fn parse_parameter(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(format!("`{text}` is no parameter: write NAME=VALUE")),
    }
}

impl Model {
    /// Where the goal of that name stands in the configuration file.
    pub fn goal_place(&self, name: &str) -> Option<&Location> {
        let position = self.request.goals.iter().position(|goal| goal.name == name)?;
        self.goal_places.get(position)
    }
}

/// The configuration of a model whose detected parts are filled in.
pub fn complete(model: &Model, resolved: &Request) -> ConfigFile {
    let period = model.period.as_ref().map(|(text, _)| text.as_str());
    ConfigFile { output: model.outputs.clone(), ..to_file(resolved, period) }
}

/// The target of files where nobody names one: FMUs are compiled for the machine that simulates
/// them.
pub fn usual_target(sources: &[PathBuf]) -> Target {
    let is_fmu = |path: &PathBuf| {
        path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("fmu"))
            || path.file_name().is_some_and(|name| name == "modelDescription.xml")
    };
    let model = if sources.iter().any(is_fmu) { DataModel::Lp64 } else { DataModel::default() };
    Target { model }
}

/// Reads the name of a data model.
///
/// # Errors
/// A sentence that names the known ones.
pub fn parse_target(text: &str) -> Result<Target, String> {
    let model = match text {
        "ip16" => DataModel::Ip16,
        "ilp32" => DataModel::Ilp32,
        "lp64" => DataModel::Lp64,
        _ => return Err(format!("`{text}` is not a data model; known are ip16, ilp32, lp64")),
    };
    Ok(Target { model })
}

/// The name of the target's data model.
pub const fn target_name(target: Target) -> &'static str {
    match target.model {
        DataModel::Ip16 => "ip16",
        DataModel::Ilp32 => "ilp32",
        DataModel::Lp64 => "lp64",
    }
}

/// Checks that macro definitions have the form `NAME` or `NAME=VALUE`.
///
/// # Errors
/// A sentence on the first that has not.
pub fn check_macros(definitions: &[String]) -> Result<(), String> {
    let is_bad = |definition: &&String| {
        let name = definition.split(['=', '(']).next().unwrap_or_default();
        let mut characters = name.chars();
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        !characters.next().is_some_and(|first| is_word(first) && !first.is_numeric())
            || !characters.all(is_word)
    };
    match definitions.iter().find(is_bad) {
        None => Ok(()),
        Some(bad) => Err(format!("`{bad}` is no definition of a macro; write NAME or NAME=VALUE")),
    }
}

/// Whether the values of an input make sense as far as that shows in the file alone.
fn check_input(section: &InputSection) -> Result<(), &'static str> {
    let number = |scalar: &Scalar| match scalar {
        Scalar::Truth(holds) => Some(f64::from(u8::from(*holds))),
        Scalar::Integer(number) => Some(*number as f64),
        Scalar::Float(number) => Some(*number),
        Scalar::Text(_) => None,
    };
    if let Some([low, high]) = &section.range
        && let (Some(low), Some(high)) = (number(low), number(high))
        && low > high
    {
        return Err(
            "`range` holds no value, since its first number is greater than its second; write [lowest, highest]",
        );
    }
    if let (Some([low, high]), Some(default)) = (&section.range, section.default.as_ref().and_then(number))
        && (number(low).is_some_and(|low| default < low) || number(high).is_some_and(|high| default > high))
    {
        return Err("`default` lies outside of `range`");
    }
    if section.values.as_ref().is_some_and(Vec::is_empty) {
        return Err("`values` names no value; leave it out to allow all");
    }
    Ok(())
}

fn step_functions(section: Option<&StepSection>, path: &Path) -> Result<Vec<StepFunction>, ConfigError> {
    let single = |function: &String| StepFunction { function: function.clone(), every: 1, phase: 0 };
    let steps: Vec<StepFunction> = match section {
        None => return Ok(Vec::new()),
        Some(StepSection::One(function)) => vec![single(function)],
        Some(StepSection::Several(entries)) => entries
            .iter()
            .map(|entry| match entry {
                StepEntry::Name(function) => single(function),
                StepEntry::Rated(RatedStep { function, every, phase }) => {
                    StepFunction { function: function.clone(), every: *every, phase: *phase }
                }
            })
            .collect(),
    };
    if steps.iter().any(|step| step.every == 0 || step.phase >= step.every) {
        return Err(ConfigError::value(
            path,
            "model.step",
            "`every` must be at least 1 and `phase` below it",
        ));
    }
    Ok(steps)
}

fn step_section(steps: &[StepFunction]) -> Option<StepSection> {
    let entry = |step: &StepFunction| match (step.every, step.phase) {
        (1, 0) => StepEntry::Name(step.function.clone()),
        (every, phase) => StepEntry::Rated(RatedStep { function: step.function.clone(), every, phase }),
    };
    match steps {
        [] => None,
        [StepFunction { function, every: 1, phase: 0 }] => Some(StepSection::One(function.clone())),
        _ => Some(StepSection::Several(steps.iter().map(entry).collect())),
    }
}

fn input_option(lvalue: &str, section: &InputSection) -> InputOption {
    InputOption {
        lvalue: lvalue.to_owned(),
        range: section.range.as_ref().map(|[low, high]| (low.to_c(), high.to_c())),
        values: section.values.as_ref().map(|values| values.iter().map(Scalar::to_c).collect()),
        unit: section.unit.clone(),
        default: section.default.as_ref().map(Scalar::to_c),
        name: section.name.as_deref().map(visible),
        text: section.text.clone(),
        labels: labels(&section.labels),
    }
}

fn input_section(option: &InputOption) -> InputSection {
    InputSection {
        range: option.range.as_ref().map(|(low, high)| [Scalar::from_c(low), Scalar::from_c(high)]),
        values: option
            .values
            .as_ref()
            .map(|values| values.iter().map(|value| Scalar::from_c(value)).collect()),
        unit: option.unit.clone(),
        default: option.default.as_deref().map(Scalar::from_c),
        name: option.name.clone(),
        text: option.text.clone(),
        labels: label_section(&option.labels),
    }
}

/// Names of values in the order of these; keys that are no numbers are left out, since
/// [`check_labels`] refuses them.
pub fn labels(section: &BTreeMap<String, String>) -> Vec<(i64, String)> {
    let entries = section.iter().filter_map(|(value, name)| Some((value.parse().ok()?, visible(name))));
    let mut all: Vec<(i64, String)> = entries.collect();
    all.sort();
    all
}

/// Names of values as sections have them.
pub(crate) fn label_section(labels: &[(i64, String)]) -> BTreeMap<String, String> {
    labels.iter().map(|(value, name)| (value.to_string(), name.clone())).collect()
}

/// Each value is an integer, written as integers are, and has a name of its own.
fn check_labels(section: &BTreeMap<String, String>) -> Result<(), String> {
    for (value, name) in section {
        if value.parse::<i64>().map(|number| number.to_string()) != Ok(value.clone()) {
            return Err(format!("`{value}` is no integer; write VALUE = \"NAME\""));
        }
        if name.trim().is_empty() {
            return Err(format!("the name of {value} is empty"));
        }
        if let Some((other, _)) = section.iter().find(|(other, known)| *other != value && *known == name) {
            return Err(format!("{value} and {other} have the same name `{name}`"));
        }
    }
    Ok(())
}

fn goal_text(section: &GoalSection, path: &Path) -> Result<GoalText, ConfigError> {
    let refuse = |message: &str| Err(ConfigError::value(path, format!("goal `{}`", section.name), message));
    if section.name.is_empty() {
        return refuse("a goal needs a name");
    }
    let single = section.when.is_some() || section.after.is_some();
    if single && !section.step.is_empty() {
        return refuse("`step` cannot stand beside `when` or `after`; put them into its entries");
    }
    if !single && section.step.is_empty() {
        return refuse("a goal needs `when`, `after` or `step`");
    }
    let steps = if single {
        vec![GoalStepText { when: section.when.clone(), after: section.after.clone() }]
    } else {
        let text =
            |step: &GoalStepSection| GoalStepText { when: step.when.clone(), after: step.after.clone() };
        section.step.iter().map(text).collect()
    };
    Ok(GoalText {
        // Names stand in lines of evidence, tables and terminals: what is not seen in them is
        // written as escapes everywhere.
        name: visible(&section.name),
        requirement: section.requirement.as_deref().map(visible),
        text: section.text.clone(),
        steps,
        expect: section.expect.clone(),
    })
}

fn goal_section(goal: &GoalText) -> GoalSection {
    let mut section = GoalSection {
        name: goal.name.clone(),
        requirement: goal.requirement.clone(),
        text: goal.text.clone(),
        expect: goal.expect.clone(),
        ..GoalSection::default()
    };
    match goal.steps.as_slice() {
        [step] => (section.when, section.after) = (step.when.clone(), step.after.clone()),
        steps => {
            let entry =
                |step: &GoalStepText| GoalStepSection { when: step.when.clone(), after: step.after.clone() };
            section.step = steps.iter().map(entry).collect();
        }
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = r#"
        [model]
        name = "powerwindow"
        sources = ["control.c", "debounce.c"]
        include = ["include"]
        define = ["NDEBUG"]
        target = "ip16"
        init = "window_initialize"
        step = [{ fn = "fast" }, { fn = "slow", every = 10, phase = 3 }]
        period = "5ms"
        inputs = ["window_U"]
        outputs = ["window_Y"]
        goals = ["props.c"]
        [bind]
        "window_step.rtM->dwork" = "new"
        [const]
        "window_P.T_pinch" = 40
        "window_P.gain" = -1
        [input."window_U.current"]
        range = [0, 255]
        [[assume]]
        expr = "!(window_U.up && window_U.down)"
        [[invariant]]
        expr = "window_DW.position <= 400"
        [[goal]]
        name = "G7"
        requirement = "REQ-12"
        when = "window_DW.chart == 3"
        after = "window_DW.chart == 2"
        expect = "window_Y.motor_down"
        [[goal]]
        name = "G8"
        step = [{ when = "a" }, { after = "b" }]
        [final]
        when = "window_DW.chart == 1"
        [cost]
        unit = "s"
        step = 2
        add = [{ when = "window_U.up", cost = 50 }, { when = "old(window_U.up)", cost = 0 }]
        [coverage]
        goals = ["mcdc", "decision"]
        decisions = "branch"
        include = ["control.c"]
        exclude = ["debounce_*"]
        absolute_tolerance = 0.5
        relative_tolerance = 0.0
        requirements = false
    "#;

    fn parse(text: &str) -> Result<Model, String> {
        let path = Path::new("dir/chaincover.toml");
        let file: ConfigFile = toml::from_str(text).map_err(|error| error.to_string())?;
        from_file(&file, Path::new("dir"), path).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_every_documented_key() {
        let model = parse(FULL).unwrap();
        let request = &model.request;
        assert_eq!(request.sources, [PathBuf::from("dir/control.c"), PathBuf::from("dir/debounce.c")]);
        assert_eq!(request.step[1], StepFunction { function: "slow".into(), every: 10, phase: 3 });
        assert_eq!(request.target.model, DataModel::Ip16);
        assert_eq!(request.constants[0], ("window_P.T_pinch".into(), "40".into()));
        assert_eq!(request.constants[1], ("window_P.gain".into(), "(-1)".into()));
        assert_eq!(request.goals[1].steps.len(), 2);
        let cost = request.cost.as_ref().unwrap();
        assert_eq!((cost.unit.as_str(), cost.step, cost.most()), ("s", 2, 52));
        assert_eq!(cost.add[0], AddedCost { when: "window_U.up".into(), cost: 50 });
        assert_eq!(model.period.unwrap().1, Duration::from_millis(5));
        assert!(request.coverage.branches_only && request.coverage.alone);
        assert_eq!(request.coverage.criteria.len(), 2);
    }

    #[test]
    fn steps_cost_one_where_nothing_else_is_said() {
        let step = |text: &str| {
            let model = parse(&format!("[model]\nsources = ['a.c']\n{text}")).unwrap();
            model.request.cost.map(|cost| cost.step)
        };
        assert_eq!(step(""), None);
        assert_eq!(step("[cost]"), Some(1));
        assert_eq!(step("[cost]\nunit = 's'\nadd = [{ when = 'x', cost = 4294967295 }]"), Some(1));
        assert_eq!(step("[cost]\nstep = 0\nadd = [{ when = 'x', cost = 1 }]"), Some(0));
    }

    #[test]
    fn what_is_written_reads_back() {
        let first = parse(FULL).unwrap().request;
        let text = toml::to_string(&to_file(&first, Some("5ms"))).unwrap();
        let file: ConfigFile = toml::from_str(&text).unwrap();
        let second = from_file(&file, Path::new(""), Path::new("x")).unwrap().request;
        assert_eq!(format!("{first:?}"), format!("{second:?}"));
    }

    #[test]
    fn says_what_is_wrong() {
        let table = [
            ("[model]\nsources = []", "no C file is named"),
            ("[model]\nsources = ['a.c']\ntarget = 'ip8'", "known are ip16, ilp32, lp64"),
            ("[model]\nsources = ['a.c']\ncolour = 1", "unknown field `colour`"),
            ("[model]\nsources = ['a.c']\nperiod = '0s'", "longer than zero"),
            ("[model]\nsources = ['a.c']\n[[goal]]\nname = 'g'", "needs `when`, `after` or `step`"),
            (
                "[model]\nsources = ['a.c']\n[[goal]]\nname = 'g'\nwhen = '1'\nstep = [{}]",
                "cannot stand beside",
            ),
            ("[model]\nsources = ['a.c']\n[coverage]\ngoals = ['mcd']", "known are statement, decision"),
            ("[model]\nsources = ['a.c']\n[coverage]\ndecisions = 'x'", "coverage.decisions: `x` is unknown"),
            ("[model]\nsources = ['a.c']\n[coverage]\nrelative_tolerance = -1", "not negative"),
            ("[model]\nsources = ['a.c']\ndefine = ['1X']", "is no definition of a macro"),
            ("[model]\nsources = ['a.c']\n[input.x]\nrange = [3, 0]", "input.\"x\": `range` holds no value"),
            ("[model]\nsources = ['a.c']\n[input.x]\nvalues = []", "names no value"),
            ("[model]\nsources = ['a.c']\nstep = [{ fn = 'f', every = 2, phase = 2 }]", "`phase` below it"),
            ("[model]\nsources = ['a.c']\n[cost]\nsteps = 1", "unknown field `steps`"),
            ("[model]\nsources = ['a.c']\n[cost]\nstep = -1", "invalid value: integer `-1`, expected u32"),
            ("[model]\nsources = ['a.c']\n[cost]\nstep = 1.5", "invalid type: floating point `1.5`"),
            ("[model]\nsources = ['a.c']\n[cost]\nstep = 5000000000", "expected u32"),
            ("[model]\nsources = ['a.c']\n[cost]\nstep = 0", "cost: no step costs anything"),
            ("[model]\nsources = ['a.c']\n[cost]\nadd = [{ when = 'x' }]", "missing field `cost`"),
            ("[model]\nsources = ['a.c']\n[cost]\nadd = [{ cost = 1 }]", "missing field `when`"),
            (
                "[model]\nsources = ['a.c']\n[cost]\nadd = [{ after = 'x', cost = 1 }]",
                "unknown field `after`",
            ),
            (
                "[model]\nsources = ['a.c']\n[cost]\nstep = 4294967295\nadd = [{ when = 'x', cost = 2 }]",
                "cost: a step may cost 4294967297, and 4294967296 is the most",
            ),
        ];
        for (text, expected) in table {
            let message = parse(text).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
