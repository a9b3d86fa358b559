//! How a model is to be read, beside what its configuration says.

use crate::error::{Error, ErrorKind};
use crate::front_ends;
use config::ConfigError;
use config::a2l::A2lRequest;
use config::coverage::MOST_OBSERVED;
use config::duration;
use config::resolve::{self, FILE_NAME, Model as Configuration, parse_target};
use frontend::coverage::Criterion;
use frontend::limit::Limit;
use frontend::{HardwareRequest, Request, Reset, StepFunction};
use std::path::{Path, PathBuf};

/// How a model is to be read: what is said here is added to its configuration, or comes before it.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Further folders to search for included files.
    pub include: Vec<PathBuf>,
    /// Further macros, `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// The data model of the target: `ip16`, `ilp32`, `lp64`.
    pub target: Option<String>,
    /// The step function, or several of them, separated by commas, in the order of their calls.
    pub step: Option<String>,
    /// The initialisation function; empty: there is none.
    pub init: Option<String>,
    /// Further C files with property functions.
    pub goals: Vec<PathBuf>,
    /// Rounds of one loop that are unrolled at most.
    pub unwind: Option<u32>,
    /// Whether executions in which a loop or a recursion goes on beyond that are left out; it is an
    /// error otherwise.
    pub assume_unwound: bool,
    /// Whether operations that C leaves undefined are requirements, too.
    pub robustness: bool,
    /// Whether executions end where they run into what C leaves undefined, so that goals in the
    /// code that they reached before count. To be set where
    /// [`Options::hazards`](engine::options::Options::hazards) forbids such operations: without it,
    /// whole steps are left out.
    pub forbids_undefined: bool,
    /// Further criteria of coverage.
    pub coverage: Vec<Criterion>,
    /// Whether only decisions count that control a branch.
    pub branches_only: bool,
    /// Whether only coverage goals are searched for, and none of requirements.
    pub coverage_alone: bool,
    /// Within how many further steps values of decisions and conditions have to be seen at outputs.
    pub observe: Option<u32>,
    /// Whether [`explain`](crate::explain()) is to be asked: conditions are kept as they were
    /// written.
    pub keep_wording: bool,
    /// The part of a specification whose goals are to be covered.
    pub view: Option<String>,
    /// Whether steps of a specification in which nothing is assumed are left out.
    pub no_idle: bool,
    /// The top module of a Verilog design.
    pub top: Option<String>,
    /// Parameters of the top module, `NAME=VALUE` each.
    pub parameters: Vec<String>,
    /// The reset of a hardware model that is held in the first steps: `NAME`, `!NAME` where it is
    /// active low, and `=STEPS` behind it.
    pub reset: Option<String>,
    /// Whether registers of a hardware model without an initial value start with zero.
    pub zero_init: bool,
    /// An A2L file whose contents are defaults of inputs and outputs of C code.
    pub a2l: Option<PathBuf>,
    /// Whether limits of the A2L file are ranges of inputs.
    pub a2l_ranges: bool,
    /// Time between two steps, such as `10ms`: how long a step of an FMU takes.
    pub period: Option<String>,
    /// How long reading may take, and what may end it.
    pub limit: Limit,
}

/// The configuration of the model that paths name - one `chaincover.toml`, one folder that holds
/// one, or source files - with the settings applied.
///
/// # Errors
/// Missing files, a bad configuration, settings without sense.
pub fn configure(paths: &[PathBuf], settings: &Settings) -> Result<Configuration, Error> {
    let mut configuration = named(paths)?;
    apply_a2l(&mut configuration, settings)?;
    apply_period(&mut configuration, settings)?;
    let request = &mut configuration.request;
    let refuse =
        |option: &'static str| move |why: String| Error::new(ErrorKind::Request, format!("{option}: {why}"));
    request.include.extend(settings.include.iter().cloned());
    resolve::check_macros(&settings.define).map_err(refuse("-D"))?;
    request.define.extend(settings.define.iter().cloned());
    if front_ends::is_specification(&request.sources) {
        // Specifications name their goals; there are no files with more of them.
        let names = settings.goals.iter().map(|names| names.to_string_lossy().into_owned());
        let names: Vec<String> =
            names.flat_map(|names| names.split(',').map(str::to_owned).collect::<Vec<_>>()).collect();
        request.specification.goals.extend(names.iter().map(|name| name.trim().to_owned()));
    } else {
        request.goal_files.extend(settings.goals.iter().cloned());
    }
    request.specification.view.clone_from(&settings.view);
    request.specification.no_idle |= settings.no_idle;
    apply_hardware(request, settings)?;
    if let Some(target) = &settings.target {
        request.target = parse_target(target).map_err(refuse("--target"))?;
    }
    if let Some(step) = &settings.step {
        let single = |name: &str| StepFunction { function: name.trim().to_owned(), every: 1, phase: 0 };
        request.step = step.split(',').map(single).collect();
    }
    if let Some(init) = &settings.init {
        request.init = Some(init.clone());
    }
    request.unwind = settings.unwind.or(request.unwind);
    request.assumes_unwound |= settings.assume_unwound;
    request.robustness |= settings.robustness;
    request.forbids_undefined |= settings.forbids_undefined;
    if request.robustness && request.forbids_undefined {
        let message = "--robustness (or `robustness` in the configuration) asks whether undefined operations are reached, and --ub forbid leaves out all executions that reach one: choose one of them";
        return Err(Error::new(ErrorKind::Request, message));
    }
    let coverage = &mut request.coverage;
    coverage.criteria.extend(settings.coverage.iter().copied());
    coverage.branches_only |= settings.branches_only;
    coverage.alone |= settings.coverage_alone;
    coverage.observe = settings.observe.or(coverage.observe);
    if coverage.criteria.contains(&Criterion::McdcPairs) {
        // Each evaluation of a pair reaches a half.
        coverage.criteria.insert(Criterion::Mcdc);
    }
    if coverage.observe.is_some_and(|depth| depth > MOST_OBSERVED) {
        let message = format!("--observe: must be a number of steps up to {MOST_OBSERVED}");
        return Err(Error::new(ErrorKind::Request, message));
    }
    if coverage.observe.is_some() && (coverage.per_call || coverage.init) {
        let message = "--observe (or `observe` under [coverage]) inverts a value in all calls of a step, \
                       and in no initialisation: it cannot be asked for together with `per_call` or `init`";
        return Err(Error::new(ErrorKind::Request, message));
    }
    if coverage.alone && !coverage.is_wanted() {
        let message = "without goals of requirements there is nothing to search for: name criteria of \
                       coverage (--coverage mcdc,decision)";
        return Err(Error::new(ErrorKind::Request, message));
    }
    request.keep_wording |= settings.keep_wording;
    request.limit = settings.limit.clone();
    for path in request.sources.iter().chain(&request.goal_files) {
        check_regular(path)?;
        std::fs::File::open(path).map_err(|source| ConfigError::Unreadable { path: path.clone(), source })?;
    }
    Ok(configuration)
}

/// What is said of the time between two steps.
fn apply_period(configuration: &mut Configuration, settings: &Settings) -> Result<(), Error> {
    if let Some(text) = &settings.period {
        let refuse = |why: String| Error::new(ErrorKind::Request, format!("--period: {why}"));
        let period = duration::parse(text).map_err(refuse)?;
        if period.is_zero() {
            return Err(refuse("must be longer than zero".to_owned()));
        }
        configuration.period = Some((text.clone(), period));
    }
    configuration.request.period = configuration.period.as_ref().map(|(_, period)| *period);
    Ok(())
}

/// What is said of an A2L file.
fn apply_a2l(configuration: &mut Configuration, settings: &Settings) -> Result<(), Error> {
    if let Some(file) = &settings.a2l {
        let ranges = configuration.a2l.as_ref().is_some_and(|configured| configured.ranges);
        configuration.a2l = Some(A2lRequest { file: file.clone(), ranges });
    }
    match &mut configuration.a2l {
        Some(wanted) => wanted.ranges |= settings.a2l_ranges,
        None if settings.a2l_ranges => {
            let message = "--a2l-ranges: no A2L file is named (--a2l FILE, or `file` under [a2l])";
            return Err(Error::new(ErrorKind::Request, message));
        }
        None => {}
    }
    if configuration.a2l.is_some() && !front_ends::is_code(&configuration.request) {
        let message = "--a2l and [a2l] are about variables of C code, and this model is none";
        return Err(Error::new(ErrorKind::Request, message));
    }
    Ok(())
}

/// What is said of hardware models.
fn apply_hardware(request: &mut Request, settings: &Settings) -> Result<(), Error> {
    let hardware = &mut request.hardware;
    hardware.top = settings.top.clone().or(hardware.top.take());
    for text in &settings.parameters {
        let parameter = resolve::parse_parameter(text)
            .map_err(|why| Error::new(ErrorKind::Request, format!("--param: {why}")))?;
        hardware.parameters.retain(|(name, _)| *name != parameter.0);
        hardware.parameters.push(parameter);
    }
    if let Some(text) = &settings.reset {
        let reset = Reset::parse(text);
        hardware.reset =
            Some(reset.map_err(|why| Error::new(ErrorKind::Request, format!("--reset: {why}")))?);
    }
    hardware.zero_init |= settings.zero_init;
    if *hardware != HardwareRequest::default() && !front_ends::is_hardware(&request.sources) {
        let message = "top module, parameters, reset and --zero-init are about hardware models \
                       (*.sv, *.v, *.btor2, *.aag, *.aig), and this model is none";
        return Err(Error::new(ErrorKind::Request, message));
    }
    Ok(())
}

/// Sources are read more than once, and chains name them: what has no name or can be read only once
/// is none.
fn check_regular(path: &Path) -> Result<(), Error> {
    let is_stream = std::fs::metadata(path).is_ok_and(|entry| !entry.is_file() && !entry.is_dir());
    if is_stream || path == Path::new("-") {
        let message = format!(
            "{}: a model is read from files, not from standard input or a pipe; name a C file",
            path.display()
        );
        return Err(ConfigError::Usage(message).into());
    }
    Ok(())
}

fn named(paths: &[PathBuf]) -> Result<Configuration, Error> {
    let is_config = |path: &Path| path.is_dir() || path.extension().is_some_and(|ending| ending == "toml");
    match paths {
        // A folder that an FMU was unpacked into.
        [path] if path.join(FMU_FILE).is_file() && !path.join(FILE_NAME).is_file() => {
            Ok(of_sources(vec![path.join(FMU_FILE)]))
        }
        [path] if path.is_dir() => {
            let file = path.join(FILE_NAME);
            if !file.is_file() {
                return Err(ConfigError::NoConfigInFolder(path.clone()).into());
            }
            Ok(resolve::read(&file)?)
        }
        [path] if is_config(path) => Ok(resolve::read(path)?),
        paths if paths.iter().any(|path| is_config(path)) => {
            Err(ConfigError::Usage("one chaincover.toml or folder, or C files: not both".to_owned()).into())
        }
        paths => Ok(of_sources(paths.to_vec())),
    }
}

/// The file by which an unpacked FMU is known.
const FMU_FILE: &str = "modelDescription.xml";

/// The model that files are without a configuration.
fn of_sources(sources: Vec<PathBuf>) -> Configuration {
    let target = resolve::usual_target(&sources);
    let request = Request { sources, target, ..Request::default() };
    Configuration { request, ..Configuration::default() }
}
