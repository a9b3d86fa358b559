//! What commands are told: groups of arguments, and how their values are read.

use chaincover::{Criterion, DontCare, Format, Tolerance};
use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// What the model is.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ModelArguments {
    /// A chaincover.toml, a folder that holds one, or C files
    #[arg(required = true, value_name = "MODEL")]
    pub(crate) model: Vec<PathBuf>,
    /// How the C files are read.
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// Which coverage goals count.
    #[command(flatten)]
    pub(crate) observed: ObservedArguments,
}

/// Which coverage goals count.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct ObservedArguments {
    /// Goals of decisions, conditions and MC/DC count only where N further steps follow, and an output
    /// until then is another than if the value had been the opposite; requirements about memory get
    /// goals that outputs show it within N steps
    #[arg(long, value_name = "N")]
    pub(crate) observe: Option<u32>,
}

/// How C files are read.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SourceArguments {
    /// Add a folder to search for included files
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,
    /// Data model of the target: ip16, ilp32, lp64
    #[arg(long, value_name = "MODEL")]
    pub(crate) target: Option<String>,
    /// The step function (default: configured or found)
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) step: Option<String>,
    /// The initialisation function, "" for none (default: configured or found)
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) init: Option<String>,
    /// A C file with property functions, or `none`: coverage goals alone; of specifications the
    /// goals to cover, separated by commas
    #[arg(long, value_name = "FILE.c|none|NAMES")]
    pub(crate) goals: Vec<PathBuf>,
    /// Goals that follow from the structure of the code, separated by commas: statement, decision,
    /// condition, mcdc, mcdc-pairs, relational, boundary
    #[arg(long, value_parser = criteria(), value_name = "CRITERIA", value_delimiter = ',', hide_possible_values = true)]
    pub(crate) coverage: Vec<Criterion>,
    /// Which boolean expressions are decisions: all, wherever they stand (default), or those that
    /// control a branch
    #[arg(long, value_enum, value_name = "WHICH")]
    pub(crate) decisions: Option<Decisions>,
    /// Cover the requirements of one view of a specification only
    #[arg(long, value_name = "NAME")]
    pub(crate) view: Option<String>,
    /// Leave out steps in which no assumption of a specification holds
    #[arg(long)]
    pub(crate) no_idle: bool,
    /// The top module of a Verilog design (default: the one that no other instantiates)
    #[arg(long, value_name = "MODULE")]
    pub(crate) top: Option<String>,
    /// Set a parameter of the top module
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) param: Vec<String>,
    /// Hold the reset of a hardware model in the first step (!NAME: active low; NAME=2: two steps);
    /// no goal counts there
    #[arg(long, value_name = "NAME[=STEPS]")]
    pub(crate) reset: Option<String>,
    /// Registers of a hardware model without an initial value start with zero (default: any value)
    #[arg(long)]
    pub(crate) zero_init: bool,
    /// Take units, texts and names of values of inputs and outputs from an A2L file, where the
    /// configuration says nothing
    #[arg(long, value_name = "FILE.a2l")]
    pub(crate) a2l: Option<PathBuf>,
    /// Let inputs stay within the limits of the A2L file
    #[arg(long)]
    pub(crate) a2l_ranges: bool,
    /// Time between two steps: how long a step of an FMU takes (default: configured, or what the
    /// FMU says)
    #[arg(long, value_name = "TIME")]
    pub(crate) period: Option<String>,
    /// Rounds of one loop that are unrolled at most
    #[arg(long, value_name = "N")]
    pub(crate) unwind: Option<u32>,
    /// Leave out executions in which a loop or a recursion goes on beyond that (it is an error
    /// otherwise)
    #[arg(long)]
    pub(crate) assume_unwound: bool,
    /// Require of every operation that it is never undefined: division by zero, overflow, shift,
    /// index, pointer, conversion, ...
    #[arg(long)]
    pub(crate) robustness: bool,
}

/// Which boolean expressions are decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Decisions {
    /// All, wherever they stand.
    All,
    /// Those that control `if`, a loop or `?:`.
    Branch,
}

/// Reads the name of a criterion of coverage.
fn criteria() -> impl TypedValueParser<Value = Criterion> {
    PossibleValuesParser::new(Criterion::ALL.map(Criterion::name))
        .try_map(|name| Criterion::named(&name).ok_or("there is no such criterion"))
}

/// With a greater price of a further chain, costs of many chains would exceed their numbers.
const GREATEST_RESET_COST: u64 = u32::MAX as u64;

/// A share of at most 1, written as a percentage.
fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>().ok();
    let share = number.filter(|percent| (0.0..=100.0).contains(percent)).map(|percent| percent / 100.0);
    share.ok_or_else(|| format!("`{text}` is no percentage: write a number from 0 to 100 (5, 2.5%)"))
}

/// How to search.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SearchArguments {
    /// Largest distance between two goals that is looked for (default: as far as the proof needs)
    #[arg(long, value_name = "N")]
    pub(crate) max_k: Option<u32>,
    /// Stop after this time with the best result so far (500ms, 60s, 5min)
    #[arg(long, value_name = "DURATION", value_parser = chaincover::duration::parse)]
    pub(crate) timeout: Option<Duration>,
    /// Stop where more memory than this is in use, with the best result so far (500M, 2G; default:
    /// half of what the machine has)
    #[arg(long, value_name = "SIZE", value_parser = chaincover::size::parse)]
    pub(crate) memory: Option<u64>,
    /// Worker threads (default: one for each core); where no limit ends the search, results do not
    /// depend on their number
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// SAT solver: cadical, batsat, varisat
    #[arg(long, value_name = "NAME")]
    pub(crate) solver: Option<String>,
    /// How chains are searched for
    #[arg(long, value_name = "NAME", default_value = "exact")]
    pub(crate) strategy: String,
    /// Reachability engine: auto, sat, explicit, simulate (chains alone, no claims)
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) engine: String,
    /// Engines that get no turn (`chaincover engines` lists them), for experiments
    #[arg(long, value_name = "ENGINE", value_delimiter = ',')]
    pub(crate) without: Vec<chaincover::EngineId>,
    /// Set a constant of the search (`chaincover engines --constants` lists them), for experiments
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',')]
    pub(crate) set: Vec<String>,
    /// Be content with chains that are longer than the proven bound by this percentage of their
    /// steps at most
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent)]
    pub(crate) gap: Option<f64>,
    /// Operations that C leaves undefined along a chain: report, avoid where possible at the same
    /// length, forbid (executions end there)
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = UndefinedBehaviour::Avoid)]
    pub(crate) ub: UndefinedBehaviour,
    /// Steps that one more chain costs; without it, the fewest chains come first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=GREATEST_RESET_COST))]
    pub(crate) reset_cost: Option<u64>,
}

/// What to do about undefined operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum UndefinedBehaviour {
    /// Say where a chain runs through one.
    Report,
    /// Avoid them where that costs no step, else say so.
    #[default]
    Avoid,
    /// No chain may run through one.
    Forbid,
}

/// How much to say.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Verbosity {
    /// Print only errors beside the result
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print sizes, stages and what was proven how
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// An intermediate artefact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// The typed intermediate representation of the C program.
    Ir,
    /// The transition system.
    System,
    /// The transition system in BTOR2.
    Btor2,
    /// One step as and-inverter graph (ASCII AIGER).
    Aig,
    /// An unrolling as clauses (DIMACS).
    Cnf,
    /// The property reachability graph (JSON).
    Graph,
    /// The chain (JSON).
    Chain,
}

/// `chain`.
#[derive(Debug, Args)]
pub(crate) struct ChainArguments {
    /// The model.
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// The search.
    #[command(flatten)]
    pub(crate) search: SearchArguments,
    /// Write the result as JSON to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Write chain.json and the formats asked for (default: csv) into a folder
    #[arg(short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// With -o: replace files there that chaincover did not write
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// With -o: write the evidence for every claim into DIR/proofs, and for verdicts into
    /// DIR/proofs-of-verdicts, for `verify`
    #[arg(long, requires = "output")]
    pub(crate) proofs: bool,
    /// The formats.
    #[command(flatten)]
    pub(crate) formats: FormatArguments,
    /// How inputs may move.
    #[command(flatten)]
    pub(crate) inputs: InputArguments,
    /// What becomes of violations of requirements: found beside the chain, appended to its goals,
    /// or not looked for
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub(crate) violations: Violations,
    /// What the exit code tells, separated by commas; a failed self-check always (default:
    /// violated, goals that are undecided or unreachable, stopped)
    #[arg(long, value_enum, value_name = "EVENTS", value_delimiter = ',')]
    pub(crate) fail_on: Option<Vec<FailOn>>,
    /// How messages and progress go to standard error
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(crate) log_format: LogFormat,
    /// Begin with old tests (chain.json, CSV, Test-Comp XML, folders of them): say what they cover,
    /// and go on from there
    #[arg(long, value_name = "FILE|FOLDER", num_args = 1.., conflicts_with_all = ["given", "proofs"])]
    pub(crate) start_from: Vec<PathBuf>,
    /// Do not search: show what a specification allows under the inputs of a table (CSV)
    #[arg(long = "inputs", value_name = "FILE.csv")]
    pub(crate) given: Option<PathBuf>,
    /// Do not run the chain on the compiled code
    #[arg(long)]
    pub(crate) no_replay: bool,
    /// Processes that search side by side, each in another way, and tell each other what they find:
    /// for models that take long; chains of equal length may differ from run to run then
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) workers: u32,
    /// What is to be least: the steps, the cost that `[cost]` in chaincover.toml states of a model in
    /// C, or of a timed system the time in which chains are shown (steps: fewest steps, then least
    /// time; time: least time, then fewest steps)
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    pub(crate) minimise: Minimise,
    /// Print an intermediate artefact instead of the summary
    #[arg(long, value_enum, value_name = "STAGE")]
    pub(crate) emit: Option<Emit>,
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
}

/// `worker`.
#[derive(Debug, Args)]
pub(crate) struct WorkerArguments {
    /// Which of the processes this is; the one that started it is 0
    #[arg(long, value_name = "N")]
    pub(crate) rank: u32,
    /// What that one was told.
    #[command(flatten)]
    pub(crate) chain: ChainArguments,
}

/// What becomes of violations of requirements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Violations {
    /// The chain stays as short as the goals allow; each violation has its own shortest execution.
    #[default]
    Beside,
    /// Violations join the goals: one optimum over both.
    Append,
    /// Nothing is said about all executions.
    Off,
}

impl From<Violations> for chaincover::Violations {
    fn from(violations: Violations) -> Self {
        match violations {
            Violations::Beside => Self::Beside,
            Violations::Append => Self::Append,
            Violations::Off => Self::Off,
        }
    }
}

/// `prove`.
#[derive(Debug, Args)]
pub(crate) struct ProveArguments {
    /// A chaincover.toml, a folder that holds one, or a C file; then names of requirements
    /// (default: all)
    #[arg(required = true, value_name = "MODEL [REQ]")]
    pub(crate) names: Vec<PathBuf>,
    /// How the C files are read.
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// The search.
    #[command(flatten)]
    pub(crate) search: SearchArguments,
    /// Write the verdicts as JSON to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Write verdicts.json and a file for each counterexample into a folder
    #[arg(short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// With -o: replace files there that chaincover did not write
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// With -o: write the evidence for every proven and every vacuous requirement into
    /// DIR/proofs-of-verdicts, for `verify`
    #[arg(long, requires = "output")]
    pub(crate) proofs: bool,
    /// The formats.
    #[command(flatten)]
    pub(crate) formats: FormatArguments,
    /// How inputs may move.
    #[command(flatten)]
    pub(crate) inputs: InputArguments,
    /// What the exit code tells, separated by commas; a failed self-check always (default:
    /// violated, undecided, vacuous, stopped)
    #[arg(long, value_enum, value_name = "EVENTS", value_delimiter = ',')]
    pub(crate) fail_on: Option<Vec<FailOn>>,
    /// Do not run counterexamples on the compiled code
    #[arg(long)]
    pub(crate) no_replay: bool,
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
}

/// `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The model.
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// Write what was found as JSON to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Write the diagnostics as SARIF to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) sarif: Option<PathBuf>,
    /// Print SMT-LIB text that is satisfiable if and only if requirements (*.ri) can be answered in
    /// steps 0 to K
    #[arg(long, value_name = "K")]
    pub(crate) smt: Option<u32>,
    /// Search, and write a witness of each `bad` line of a BTOR2 model that is reached to a file, or
    /// to standard output with -
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["json", "sarif", "smt", "write_config", "emit"])]
    pub(crate) witness: Option<PathBuf>,
    /// Of requirements (*.ri): write what was found, and evidence for it, into this folder, for `verify`
    #[arg(long, value_name = "DIR", conflicts_with_all = ["smt", "sarif", "emit", "write_config"])]
    pub(crate) proofs: Option<PathBuf>,
    /// Of requirements (*.ri): write check.json and report.html into a folder
    #[arg(short, value_name = "DIR", conflicts_with_all = ["smt", "sarif", "emit", "write_config"])]
    pub(crate) output: Option<PathBuf>,
    /// With -o: replace files there that chaincover did not write
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Print the chaincover.toml that says the same
    #[arg(long)]
    pub(crate) write_config: bool,
    /// Stop after this time (500ms, 60s, 5min)
    #[arg(long, value_name = "DURATION", value_parser = chaincover::duration::parse)]
    pub(crate) timeout: Option<Duration>,
    /// Stop where more memory than this is in use (500M, 2G; default: half of what the machine has)
    #[arg(long, value_name = "SIZE", value_parser = chaincover::size::parse)]
    pub(crate) memory: Option<u64>,
    /// Print an intermediate artefact
    #[arg(long, value_enum, value_name = "STAGE")]
    pub(crate) emit: Option<Emit>,
    /// Check again whenever a file of the model changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["json", "sarif", "smt", "witness", "proofs", "emit", "write_config"])]
    pub(crate) watch: bool,
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
}

/// How to print a graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// JSON.
    #[default]
    Json,
    /// Graphviz.
    Dot,
    /// A picture.
    Svg,
}

/// `graph`.
#[derive(Debug, Args)]
pub(crate) struct GraphArguments {
    /// The model.
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// The search.
    #[command(flatten)]
    pub(crate) search: SearchArguments,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: GraphFormat,
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
}

/// `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// A chain.json
    #[arg(value_name = "CHAIN.json")]
    pub(crate) chain: PathBuf,
    /// Write the new judgement as JSON to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// What the exit code tells, separated by commas; values that differ from the record count as
    /// violated; a failed self-check always
    #[arg(long, value_enum, value_name = "EVENTS", value_delimiter = ',', default_values_t = FailOn::DEFAULT)]
    pub(crate) fail_on: Vec<FailOn>,
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
}

/// `witness`.
#[derive(Debug, Args)]
pub(crate) struct WitnessArguments {
    /// The model, in BTOR2
    #[arg(value_name = "MODEL.btor2")]
    pub(crate) model: PathBuf,
    /// The witnesses, in the format of the hardware model checking competition
    #[arg(value_name = "WITNESS")]
    pub(crate) witness: PathBuf,
}

/// `verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// The folder that `chain -o DIR --proofs`, `prove -o DIR --proofs`, `check --proofs DIR` or
    /// `mutate -o DIR --proofs` wrote
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// What the result has to be about: chaincover.toml, folder, or C files (default: what it
    /// names)
    #[arg(value_name = "MODEL")]
    pub(crate) model: Vec<PathBuf>,
    /// How the model has to be read.
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// Which coverage goals have to count.
    #[command(flatten)]
    pub(crate) observed: ObservedArguments,
    /// The treatment of undefined operations that the result has to be about (default: what it
    /// names)
    #[arg(long, value_enum, value_name = "POLICY")]
    pub(crate) ub: Option<UndefinedBehaviour>,
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
}

/// `judge`.
#[derive(Debug, Args)]
pub(crate) struct JudgeArguments {
    /// The folder that `chain -o DIR --coverage ...` wrote, or its chain.json
    #[arg(value_name = "DIR")]
    pub(crate) result: PathBuf,
}

/// What to write and how.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FormatArguments {
    /// Formats, separated by commas
    #[arg(long, value_parser = formats(), value_name = "FORMATS", value_delimiter = ',', hide_possible_values = false)]
    pub(crate) format: Vec<Format>,
    /// Steps by which the rig sees outputs later
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = RangedU64ValueParser::<usize>::new().range(..=100_000))]
    pub(crate) output_latency: usize,
    /// What to write where an input does not matter: hold, zero, default, mark
    #[arg(long, value_name = "VALUE", value_parser = parse_dont_care, default_value = "hold")]
    pub(crate) dont_care: DontCare,
    /// How far a measured output may be off: NAME=abs:0.1,rel:1e-3,ulp:4
    #[arg(long, value_name = "NAME=...", value_parser = parse_tolerance)]
    pub(crate) tolerance: Vec<(String, Tolerance)>,
}

/// Reads the name of a format.
fn formats() -> impl TypedValueParser<Value = Format> {
    let values = Format::all().map(|format| PossibleValue::new(format.name()).help(format.about()));
    PossibleValuesParser::new(values)
        .try_map(|name| Format::all().find(|format| format.name() == name).ok_or("there is no such format"))
}

/// Messages and progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// What may make the exit code of `chain`, `prove`, `replay` and `adapt` other than 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// A requirement is violated (10).
    Violated,
    /// Goals or verdicts are undecided (5).
    Undecided,
    /// Goals are proven unreachable (20).
    Unreachable,
    /// A requirement never applies (20).
    Vacuous,
    /// The run was stopped (124, 130).
    Stopped,
    /// Goals, of requirements or of coverage, are neither covered nor justified (20, undecided ones
    /// 5).
    Uncovered,
    /// Justifications excuse nothing any more (20).
    Stale,
    /// Goals that the old chain covered are covered no more (20; of `adapt`).
    Lost,
}

impl FailOn {
    /// What is told where nothing else is asked for.
    pub(crate) const DEFAULT: [Self; 4] = [Self::Violated, Self::Undecided, Self::Unreachable, Self::Stopped];
}

/// `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// Name of the goal
    #[arg(value_name = "GOAL")]
    pub(crate) goal: String,
    /// The model.
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// The search.
    #[command(flatten)]
    pub(crate) search: SearchArguments,
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
}

/// `init`.
#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// C files of the model
    #[arg(required = true, value_name = "FILE.c")]
    pub(crate) sources: Vec<PathBuf>,
    /// How they are read.
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// The file to write, `-` for standard output (default: chaincover.toml)
    #[arg(short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the file
    #[arg(long)]
    pub(crate) force: bool,
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
}

impl InitArguments {
    /// The model to look at.
    pub(crate) fn model(&self) -> ModelArguments {
        ModelArguments {
            model: self.sources.clone(),
            source: self.source.clone(),
            ..ModelArguments::default()
        }
    }
}

/// How inputs may move along a chain of minimal length.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct InputArguments {
    /// Let inputs change as rarely as possible, never at the cost of length (the default)
    #[arg(long, overrides_with = "no_smooth")]
    pub(crate) smooth: bool,
    /// Leave inputs as the search found them
    #[arg(long)]
    pub(crate) no_smooth: bool,
    /// Change at most one input from one step to the next, where a chain of the same length can do
    /// it
    #[arg(long, conflicts_with = "no_smooth")]
    pub(crate) single_change: bool,
    /// Hold each input for at least N steps, where a chain of the same length can do it
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "no_smooth")]
    pub(crate) dwell: usize,
    /// Greatest difference of a numeric input from one step to the next, where a chain of the same
    /// length can keep it
    #[arg(long, value_name = "INPUT=DIFFERENCE", value_parser = parse_slew, conflicts_with = "no_smooth")]
    pub(crate) slew: Vec<(String, f64)>,
}

/// `export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// A chain.json
    #[arg(value_name = "CHAIN.json")]
    pub(crate) chain: PathBuf,
    /// The formats.
    #[command(flatten)]
    pub(crate) formats: FormatArguments,
    /// The folder to write into (default: the current one)
    #[arg(short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Replace files there that chaincover did not write
    #[arg(long)]
    pub(crate) force: bool,
    /// Do not list the files written
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// `atsp`.
#[derive(Debug, Args)]
pub(crate) struct AtspArguments {
    /// A TSPLIB file of type ATSP
    #[arg(value_name = "FILE.atsp")]
    pub(crate) file: PathBuf,
    /// Write the result as JSON to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Stop after this time with the best tour so far
    #[arg(long, value_name = "DURATION", value_parser = chaincover::duration::parse)]
    pub(crate) timeout: Option<Duration>,
    /// Seed of the local search
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// `bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArguments {
    /// Cases of the corpus, families of them such as `timer`, growing families such as `connected`
    /// or `connected-50`, or `table1` for the rows of the paper's table, or `deep` for the deep
    /// models (default: the corpus)
    #[arg(value_name = "CASE")]
    pub(crate) cases: Vec<String>,
    /// The corpus folder
    #[arg(long, value_name = "DIR", default_value = "benchmarks/corpus")]
    pub(crate) corpus: PathBuf,
    /// Strategies and tools to compare, separated by commas (default: exact,monolithic)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) strategy: Vec<String>,
    /// Compare the exact strategy with itself without each of its engines in turn (`chaincover
    /// engines`)
    #[arg(long, conflicts_with_all = ["strategy", "results", "from"])]
    pub(crate) ablate: bool,
    /// Only what is checked in ordinary test runs, under exact unless --strategy says otherwise
    #[arg(long)]
    pub(crate) quick: bool,
    /// Time limit for each row
    #[arg(long, value_name = "DURATION", value_parser = chaincover::duration::parse, default_value = "60s")]
    pub(crate) timeout: Duration,
    /// SAT solver: cadical, batsat, varisat
    #[arg(long, value_name = "NAME")]
    pub(crate) solver: Option<String>,
    /// Write the rows as JSON to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Write the table as Markdown
    #[arg(long, value_name = "FILE|-")]
    pub(crate) markdown: Option<PathBuf>,
    /// Write the table as CSV
    #[arg(long, value_name = "FILE|-")]
    pub(crate) csv: Option<PathBuf>,
    /// Write RESULTS.md, results.json and plots into a folder; without cases: the paper's table
    /// under all strategies and tools, the deep models, and the growth curves
    #[arg(long, value_name = "DIR")]
    pub(crate) results: Option<PathBuf>,
    /// Take the rows from a results.json instead of running anything
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// A sentence for RESULTS.md: under which conditions it was measured
    #[arg(long, value_name = "TEXT")]
    pub(crate) remark: Option<String>,
    /// Decide the mutants of the cases instead, and score goal chains, random steps and greedy
    /// chains with them; --results writes MUTANTS.md and mutants.json, --from takes such a file
    /// and measures cases anew that are named
    #[arg(long, conflicts_with_all = ["strategy", "ablate", "quick", "speed", "write", "solver"])]
    pub(crate) mutants: bool,
    /// Measure steps per second instead: the simulator beside the compiled loop
    #[arg(long, conflicts_with_all = ["results", "from", "write", "quick"])]
    pub(crate) speed: bool,
    /// Write members of growing families into a folder instead of running them
    #[arg(long, value_name = "DIR")]
    pub(crate) write: Option<PathBuf>,
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
}

/// What chains have least of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Minimise {
    /// Steps, then time.
    #[default]
    Steps,
    /// Time, then steps: of timed systems.
    Time,
    /// What the configuration says of costs: of models in C.
    Cost,
}

impl From<Minimise> for chaincover::timed::Minimise {
    fn from(minimise: Minimise) -> Self {
        match minimise {
            Minimise::Steps | Minimise::Cost => Self::Steps,
            Minimise::Time => Self::Time,
        }
    }
}

/// Reads `NAME=abs:0.1,rel:1e-3,ulp:4`.
pub(crate) fn parse_tolerance(text: &str) -> Result<(String, Tolerance), String> {
    let (name, parts) =
        text.rsplit_once('=').ok_or("write NAME=abs:0.1,rel:1e-3,ulp:4 (at least one part)")?;
    let mut tolerance = Tolerance::default();
    for part in parts.split(',') {
        let (kind, number) = part
            .split_once(':')
            .ok_or_else(|| format!("`{part}` is not abs:, rel: or ulp: with a number"))?;
        let width = || {
            let value: Option<f64> = number.parse().ok();
            value
                .filter(|value| value.is_finite() && *value >= 0.0)
                .ok_or_else(|| format!("`{number}` is no width"))
        };
        match kind.trim() {
            "abs" => tolerance.absolute = Some(width()?),
            "rel" => tolerance.relative = Some(width()?),
            "ulp" => tolerance.ulps = Some(number.parse().map_err(|_| format!("`{number}` is no count"))?),
            other => return Err(format!("`{other}` is not abs, rel or ulp")),
        }
    }
    Ok((name.to_owned(), tolerance))
}

/// How the command line names [`DontCare`].
pub(crate) fn parse_dont_care(text: &str) -> Result<DontCare, String> {
    match text {
        "hold" => Ok(DontCare::Hold),
        "zero" => Ok(DontCare::Zero),
        "default" => Ok(DontCare::Default),
        "mark" => Ok(DontCare::Mark),
        _ => Err("expected hold, zero, default or mark".to_owned()),
    }
}

/// Reads `INPUT=DIFFERENCE`.
pub(crate) fn parse_slew(text: &str) -> Result<(String, f64), String> {
    let (name, limit) = text.rsplit_once('=').ok_or("write INPUT=DIFFERENCE")?;
    let limit: Option<f64> = limit.parse().ok().filter(|limit: &f64| *limit >= 0.0 && limit.is_finite());
    limit.map(|limit| (name.to_owned(), limit)).ok_or_else(|| "the difference is a number from 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_as_typed() {
        let read = parse_tolerance("a=b=abs:0.5,ulp:4").unwrap();
        let expected = Tolerance { absolute: Some(0.5), relative: None, ulps: Some(4) };
        assert_eq!(read, ("a=b".to_owned(), expected));
        for wrong in ["speed", "speed=", "speed=abs", "speed=abs:-1", "speed=abs:inf", "speed=exact:1"] {
            assert!(parse_tolerance(wrong).is_err(), "{wrong}");
        }
    }
}
