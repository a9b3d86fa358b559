//! What `testcase`, `run` and `monitor` are told.

use chaincover::Tests;
use chaincover::requirements::{DumpSteps, JudgedRun};
use chaincover::timed::{self, Excuse};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// `testcase`.
#[derive(Debug, Args)]
pub(crate) struct TestcaseArguments {
    /// A timed system (*.tio, *.xlia), or an action system (*.as), whose tests reveal its mutants
    #[arg(value_name = "SYSTEM")]
    pub(crate) system: PathBuf,
    /// Of timed systems: the purpose, or a path: names of transitions with dots between
    #[arg(long, value_name = "NAME|PATH")]
    pub(crate) purpose: Option<String>,
    /// Of timed systems: a test case of each chain of a chain.json of the system
    #[arg(long, value_name = "FILE", conflicts_with_all = ["purpose", "tests"])]
    pub(crate) chain: Option<PathBuf>,
    /// With --chain: go on where an event is allowed but not that of the chain, by the shortest chain
    /// for what is left, up to so many times in a run
    #[arg(long, value_name = "N", requires = "chain", default_value_t = 0)]
    pub(crate) adaptive: usize,
    /// Of action systems: trees that go on after each answer that is allowed (adaptive), as few chains
    /// as are found (chain), or a chain for each mutant (single)
    #[arg(long, value_name = "KIND", conflicts_with_all = ["purpose", "timeout", "prune", "format"])]
    pub(crate) tests: Option<Tests>,
    /// How long to wait for an event, in the unit of the system (default: what its text says)
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
    /// Which events that may yet come excuse a silence
    #[arg(long, value_enum, value_name = "EVENTS", default_value_t)]
    pub(crate) silence: Silence,
    /// Drop transitions that can never be taken
    #[arg(long)]
    pub(crate) prune: bool,
    /// Another value for a constant
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub(crate) define: Vec<String>,
    /// The folder to write testcase.json, .smt2, .dot and .html into (of several chains
    /// testcase-1.json, ..); of action systems each test as .json, .aut and .dot
    #[arg(short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// A further file with the names of another tool; needs -o
    #[arg(long, value_enum, requires = "output")]
    pub(crate) format: Option<TestFormat>,
    /// The SMT solver
    #[arg(long, value_enum, default_value_t)]
    pub(crate) smt: Smt,
}

/// `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The test: a chain.json of requirements or of a timed system, the testcase.json of a timed
    /// system, or of an action system test-N.json, chain-N.json or mutate.json
    #[arg(value_name = "TEST")]
    pub(crate) test: PathBuf,
    /// The system under test: a command of the shell that speaks the protocol, or a specification
    /// (*.ri, *.tio, *.as) that plays it; of requirements also a model in C (a folder with a
    /// chaincover.toml, such a file, or a C file), whose steps the evaluator executes
    #[arg(long, value_name = "COMMAND|SPEC|MODEL")]
    pub(crate) sut: String,
    /// Name the signal of a model in C that is an input or output of the interface; may be repeated
    /// (default: the one of that name)
    #[arg(long, value_name = "NAME=SIGNAL", value_parser = mapping)]
    pub(crate) map: Vec<(String, String)>,
    /// Seed of the choices where a specification plays the system
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Value of a constant of the specification that plays the system (default: that of the test,
    /// where it is of the same specification), or macro of the model in C
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub(crate) define: Vec<String>,
    /// The mutant of the specification that plays the system, as `mutate` names it
    #[arg(long, value_name = "ID")]
    pub(crate) mutant: Option<String>,
    /// Time for each answer of the system
    #[arg(long, value_name = "DURATION", value_parser = chaincover::duration::parse, default_value = "10s")]
    pub(crate) answer_within: Duration,
    /// How stimuli of a test case are chosen
    #[arg(long, value_enum, default_value_t)]
    pub(crate) choose: Choose,
    /// Run a test case in real time, where a unit of time of the specification takes so long: the
    /// system writes outputs when they come, and the tester stamps them
    #[arg(long, value_name = "DURATION", value_parser = chaincover::duration::parse)]
    pub(crate) unit: Option<Duration>,
    /// How far the stamps of a run in real time may be wrong
    #[arg(long, value_name = "DURATION", value_parser = chaincover::duration::parse, default_value = "2ms", requires = "unit")]
    pub(crate) slack: Duration,
    /// With the chain.json of requirements or of a timed system: go on where an answer or event is
    /// allowed but not that of the chain, by the shortest chain for what is left, up to so many times
    /// for each chain
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) adaptive: usize,
    /// With the chain.json of a timed system: how long to wait for an event, in the unit of the system
    /// (default: what its text says)
    #[arg(long, value_name = "TIME")]
    pub(crate) wait: Option<String>,
    /// Of requirements (*.ri): what becomes of a run in which all was allowed, but goals were
    /// missed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) verdicts: Verdicts,
    /// Of requirements (*.ri): write verdict.json and report.html into a folder
    #[arg(short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// With -o: replace files there that chaincover did not write
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// The solver for test cases of timed systems
    #[arg(long, value_enum, default_value_t)]
    pub(crate) smt: Smt,
    /// Write the verdict as JSON to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Stop after this time (500ms, 60s, 5min)
    #[arg(long, value_name = "DURATION", value_parser = chaincover::duration::parse)]
    pub(crate) timeout: Option<Duration>,
}

/// `monitor`.
#[derive(Debug, Args)]
pub(crate) struct MonitorArguments {
    /// The specification (*.ri), or the test case of a timed system (testcase.json)
    #[arg(value_name = "SPEC")]
    pub(crate) specification: PathBuf,
    /// The recorded run: CSV, JSON lines, or what a simulator of hardware dumps (VCD)
    #[arg(value_name = "LOG")]
    pub(crate) log: PathBuf,
    /// Give a constant another value
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub(crate) define: Vec<String>,
    /// Take each rising edge of this signal of a VCD as a step, with the values just before it
    #[arg(long, value_name = "SIGNAL", conflicts_with = "every")]
    pub(crate) clock: Option<String>,
    /// Take each period of that length (10ns) of a VCD as a step, with the last values in it
    #[arg(long, value_name = "TIME", value_parser = DumpSteps::periods)]
    pub(crate) every: Option<DumpSteps>,
    /// Name the signal of a VCD that is an input or output of the interface; may be repeated
    /// (default: the one whose path ends in its name)
    #[arg(long, value_name = "NAME=PATH", value_parser = mapping)]
    pub(crate) map: Vec<(String, String)>,
    /// Goals that the run was made for, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) goals: Vec<String>,
    /// Write the verdict as JSON to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Of requirements (*.ri): what becomes of a run in which all was allowed, but goals were
    /// missed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) verdicts: Verdicts,
    /// Of requirements (*.ri): write verdict.json and report.html into a folder
    #[arg(short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// With -o: replace files there that chaincover did not write
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// The solver for test cases of timed systems
    #[arg(long, value_enum, default_value_t)]
    pub(crate) smt: Smt,
    /// Print the verdict, and not what explains it
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Stop after this time (500ms, 60s, 5min)
    #[arg(long, value_name = "DURATION", value_parser = chaincover::duration::parse)]
    pub(crate) timeout: Option<Duration>,
}

/// What becomes of a run in which all was allowed, but goals were missed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Verdicts {
    /// It is inconclusive: the system chose other answers than the test needs.
    #[default]
    Goals,
    /// It passes, as for Aichernig et al.
    Paper,
}

impl Verdicts {
    /// The run with its verdict.
    pub(crate) fn of(self, run: JudgedRun) -> JudgedRun {
        match self {
            Self::Goals => run,
            Self::Paper => run.passed_if_allowed(),
        }
    }
}

/// Which events that may yet come excuse a silence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Silence {
    /// Outputs and uncontrollable inputs: what the tester decides excuses nothing.
    #[default]
    Others,
    /// All inputs, too.
    Any,
}

impl From<Silence> for Excuse {
    fn from(silence: Silence) -> Self {
        match silence {
            Silence::Others => Self::Others,
            Silence::Any => Self::Any,
        }
    }
}

/// Formats of test cases beside ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    /// SPTG's JSON with guards as SMT-LIB (testcase.sptg.json).
    Sptg,
}

/// SMT solvers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Smt {
    /// Z3.
    #[default]
    Z3,
    /// cvc5.
    Cvc5,
}

impl Smt {
    pub(crate) const fn program(self) -> &'static str {
        match self {
            Self::Z3 => timed::SMT,
            Self::Cvc5 => "cvc5",
        }
    }
}

/// How stimuli are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Choose {
    /// As early, and with values as small, as possible.
    #[default]
    Earliest,
    /// At random.
    Random,
}

/// The two parts of `NAME=EXPRESSION`.
pub(crate) fn mapping(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(name, expression)| !name.is_empty() && !expression.is_empty());
    let (name, expression) = parts.ok_or("a name and an expression with = between them are needed")?;
    Ok((name.to_owned(), expression.to_owned()))
}
