//! What Python's keyword arguments say.

use crate::failure::{failure, request};
use chaincover::{
    Criterion, DontCare, ExportOptions, Format, HazardPolicy, Limit, Options, Settings, Tolerance,
    Violations, Wanted, Wishes, smoothing,
};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A time limit in seconds.
///
/// # Errors
/// A number that is no time.
fn duration(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let parse = |seconds| {
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| request(format!("timeout: {seconds} is no time in seconds")))
    };
    seconds.map(parse).transpose()
}

/// A limit of that time from now on, with a flag that ends it.
///
/// # Errors
/// A number that is no time.
pub(crate) fn limit(seconds: Option<f64>) -> PyResult<Limit> {
    let deadline = duration(seconds)?.and_then(|limit| Instant::now().checked_add(limit));
    Ok(Limit { deadline, stop: Some(Arc::default()), memory: None })
}

/// How a model is read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ReadArguments {
    include: Vec<PathBuf>,
    define: Vec<String>,
    target: Option<String>,
    step: Option<String>,
    init: Option<String>,
    goals: Vec<PathBuf>,
    coverage: Vec<String>,
    branches_only: bool,
    coverage_alone: bool,
    observe: Option<u32>,
    unwind: Option<u32>,
    assume_unwound: bool,
    robustness: bool,
    view: Option<String>,
    no_idle: bool,
    top: Option<String>,
    parameters: Vec<String>,
    reset: Option<String>,
    zero_init: bool,
    a2l: Option<PathBuf>,
    a2l_ranges: bool,
    period: Option<String>,
    ub: String,
}

impl ReadArguments {
    /// The settings, without a limit, and what is to be done about undefined operations.
    ///
    /// # Errors
    /// Unknown names.
    pub(crate) fn settings(self) -> PyResult<(Settings, HazardPolicy)> {
        let criterion = |name: &String| {
            Criterion::named(name).ok_or_else(|| {
                let known = Criterion::ALL.map(Criterion::name).join(", ");
                request(format!("coverage: unknown name `{name}`: expected some of {known}"))
            })
        };
        let hazards: HazardPolicy = self.ub.parse().map_err(|why| request(format!("ub: {why}")))?;
        let settings = Settings {
            coverage: self.coverage.iter().map(criterion).collect::<PyResult<_>>()?,
            include: self.include,
            define: self.define,
            target: self.target,
            step: self.step,
            init: self.init,
            goals: self.goals,
            branches_only: self.branches_only,
            coverage_alone: self.coverage_alone,
            observe: self.observe,
            unwind: self.unwind,
            assume_unwound: self.assume_unwound,
            robustness: self.robustness,
            forbids_undefined: hazards == HazardPolicy::Forbid,
            keep_wording: false,
            view: self.view,
            no_idle: self.no_idle,
            top: self.top,
            parameters: self.parameters,
            reset: self.reset,
            zero_init: self.zero_init,
            a2l: self.a2l,
            a2l_ranges: self.a2l_ranges,
            period: self.period,
            limit: Limit::default(),
        };
        Ok((settings, hazards))
    }
}

/// How chains are searched for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SearchArguments {
    timeout: Option<f64>,
    max_k: Option<u32>,
    gap: f64,
    jobs: usize,
    seed: u64,
    solver: Option<String>,
    strategy: String,
    engine: String,
    without: Vec<String>,
    reset_cost: Option<u64>,
}

impl SearchArguments {
    /// The options of a search of a model that was read so; the time begins now.
    ///
    /// # Errors
    /// Unknown names, numbers without sense.
    pub(crate) fn options(&self, hazards: HazardPolicy) -> PyResult<Options> {
        let refuse = |name: &'static str| move |why: String| request(format!("{name}: {why}"));
        if !(0.0..f64::INFINITY).contains(&self.gap) {
            return Err(request(format!("gap: {} is no share of the length; 0.05 means 5 %", self.gap)));
        }
        let default = Options::default();
        Ok(Options {
            max_k: self.max_k,
            deadline: limit(self.timeout)?.deadline,
            jobs: self.jobs.max(1),
            seed: self.seed,
            backend: match &self.solver {
                Some(name) => name.parse().map_err(|why| refuse("solver")(format!("{why}")))?,
                None => default.backend,
            },
            strategy: self.strategy.parse().map_err(refuse("strategy"))?,
            engine: self.engine.parse().map_err(refuse("engine"))?,
            without: self
                .without
                .iter()
                .map(|name| name.parse().map_err(refuse("without")))
                .collect::<PyResult<_>>()?,
            gap: self.gap,
            hazards,
            reset_cost: self.reset_cost,
            ..default
        })
    }
}

/// What is wanted beside the chains, and of their inputs.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ResultArguments {
    violations: String,
    replay: bool,
    smooth: bool,
    single_change: bool,
    dwell: usize,
    slew: BTreeMap<String, f64>,
}

/// What replaying may take where Python ends a search: Ctrl-C is to be answered at once.
const PATIENCE: Duration = Duration::from_millis(100);

impl ResultArguments {
    /// What is wanted of a run that begins now.
    ///
    /// # Errors
    /// An unknown name, a number that is no time.
    pub(crate) fn wanted(&self, search: &SearchArguments) -> PyResult<Wanted> {
        let violations = match self.violations.as_str() {
            "beside" => Violations::Beside,
            "append" => Violations::Append,
            "off" => Violations::Off,
            other => {
                return Err(request(format!(
                    "violations: unknown name `{other}`: expected beside, append or off"
                )));
            }
        };
        let timeout = duration(search.timeout)?;
        Ok(Wanted { timeout, violations, replay: self.replay, patience: PATIENCE, ..Wanted::default() })
    }

    /// Puts the wishes about inputs into the options.
    ///
    /// # Errors
    /// Wishes that contradict each other, or do not fit the model.
    pub(crate) fn smooth(&self, model: &chaincover::Model, options: &mut Options) -> PyResult<()> {
        let is_limited = self.single_change || self.dwell > 1 || !self.slew.is_empty();
        if !self.smooth && is_limited {
            return Err(request("single_change, dwell and slew need smooth=True"));
        }
        if let Some((name, _)) = self.slew.iter().find(|(_, limit)| !(0.0..f64::INFINITY).contains(*limit)) {
            return Err(request(format!("slew: the difference of `{name}` is a number from 0")));
        }
        if self.smooth {
            let slew = self.slew.iter().map(|(name, limit)| (name.clone(), *limit)).collect();
            let wishes = Wishes { single_change: self.single_change, dwell: self.dwell, slew };
            options.smoothing = Some(smoothing(&wishes, model).map_err(|error| failure(&error))?);
        }
        Ok(())
    }
}

/// How far an output may be off: absolutely, relatively, in units of the last place.
type Widths = (Option<f64>, Option<f64>, Option<u32>);

/// What is written.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ExportArguments {
    formats: Vec<String>,
    output_latency: usize,
    dont_care: String,
    tolerances: BTreeMap<String, Widths>,
    pub(crate) force: bool,
}

impl ExportArguments {
    /// The options.
    ///
    /// # Errors
    /// Unknown names.
    pub(crate) fn options(&self) -> PyResult<ExportOptions> {
        let format = |name: &String| {
            Format::all().find(|format| format.name() == name).ok_or_else(|| {
                let known: Vec<_> = Format::all().map(Format::name).collect();
                request(format!("formats: unknown name `{name}`: expected some of {}", known.join(", ")))
            })
        };
        let dont_care = match self.dont_care.as_str() {
            "hold" => DontCare::Hold,
            "zero" => DontCare::Zero,
            "default" => DontCare::Default,
            "mark" => DontCare::Mark,
            other => {
                let message =
                    format!("dont_care: unknown name `{other}`: expected hold, zero, default or mark");
                return Err(request(message));
            }
        };
        let tolerance = |(name, &(absolute, relative, ulps)): (&String, &Widths)| {
            (name.clone(), Tolerance { absolute, relative, ulps })
        };
        Ok(ExportOptions {
            formats: self.formats.iter().map(format).collect::<PyResult<_>>()?,
            output_latency: self.output_latency,
            dont_care,
            tolerances: self.tolerances.iter().map(tolerance).collect(),
            without_running: false,
        })
    }
}
