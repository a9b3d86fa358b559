//! The command line as typed; what it means is worked out in [`super::setup`].

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// The shortest input sequence that covers all test goals of a reactive C program.
#[derive(Debug, Parser)]
#[command(name = "chaincover", version, about, propagate_version = true, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 all covered, 2 usage, 3 C not understood, 4 self-check failed, 5 some goals undecided,\n\
    6 internal error, 10 expectation violated, 20 all others proven unreachable, 124 timeout, 130 Ctrl-C"
)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find the shortest chain(s) covering all goals
    Chain(ChainArguments),
    /// Parse, lower, and list what was found: step, inputs, outputs, state, goals
    Check(CheckArguments),
    /// Print the property reachability graph
    Graph(GraphArguments),
    /// Run a stored chain on the natively compiled code and judge it again
    Replay(ReplayArguments),
    /// Check the proofs beside a stored chain, and run it again
    Verify(VerifyArguments),
    /// Solve a TSPLIB ATSP instance
    Atsp(AtspArguments),
    /// Run the benchmark corpus, one row for each case and strategy
    Bench(BenchArguments),
    /// Print a shell completion script
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff)
    Man,
}

/// What the model is.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ModelArguments {
    /// A chaincover.toml, a folder that holds one, or C files
    #[arg(required = true, value_name = "MODEL")]
    pub(crate) model: Vec<PathBuf>,
    /// Add a folder to search for included files
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,
    /// Data model of the target: ip16, ilp32, lp64
    #[arg(long, value_name = "MODEL")]
    pub(crate) target: Option<String>,
    /// The step function
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) step: Option<String>,
    /// The initialisation function ("" for none)
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) init: Option<String>,
    /// A C file with property functions
    #[arg(long, value_name = "FILE.c")]
    pub(crate) goals: Vec<PathBuf>,
    /// Rounds of one loop that are unrolled at most
    #[arg(long, value_name = "N")]
    pub(crate) unwind: Option<u32>,
}

/// How to search.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SearchArguments {
    /// Largest distance between two goals that is looked for (default: as far as the proof needs)
    #[arg(long, value_name = "N")]
    pub(crate) max_k: Option<u32>,
    /// Stop after this time with the best result so far (500ms, 60s, 5min)
    #[arg(long, value_name = "DURATION", value_parser = crate::config::duration::parse)]
    pub(crate) timeout: Option<Duration>,
    /// Worker threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) jobs: usize,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// SAT solver: cadical, batsat, varisat
    #[arg(long, value_name = "NAME")]
    pub(crate) solver: Option<String>,
    /// How chains are searched for
    #[arg(long, value_name = "NAME", default_value = "exact")]
    pub(crate) strategy: String,
    /// Reachability engine: auto, sat, explicit
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) engine: String,
    /// Operations that C leaves undefined along a chain: report, avoid where possible at the same length, forbid
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = UndefinedBehaviour::Avoid)]
    pub(crate) ub: UndefinedBehaviour,
    /// Steps that one more chain costs; without it, the fewest chains come first
    #[arg(long, value_name = "N")]
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
    /// Write chain.json and chain.csv into a folder
    #[arg(short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// With -o: write the evidence for every claim into DIR/proofs, for `verify`
    #[arg(long, requires = "output")]
    pub(crate) proofs: bool,
    /// Do not run the chain on the compiled code
    #[arg(long)]
    pub(crate) no_replay: bool,
    /// Print an intermediate artefact instead of the summary
    #[arg(long, value_enum, value_name = "STAGE")]
    pub(crate) emit: Option<Emit>,
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
    /// Print the chaincover.toml that says the same
    #[arg(long)]
    pub(crate) write_config: bool,
    /// Print an intermediate artefact
    #[arg(long, value_enum, value_name = "STAGE")]
    pub(crate) emit: Option<Emit>,
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
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
}

/// `verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// The folder that `chain -o DIR --proofs` wrote
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
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
    #[arg(long, value_name = "DURATION", value_parser = crate::config::duration::parse)]
    pub(crate) timeout: Option<Duration>,
    /// Seed of the local search
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// `bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArguments {
    /// Cases of the corpus, or families such as `timer` (default: all)
    #[arg(value_name = "CASE")]
    pub(crate) cases: Vec<String>,
    /// The corpus folder
    #[arg(long, value_name = "DIR", default_value = "benchmarks/corpus")]
    pub(crate) corpus: PathBuf,
    /// Strategies to compare, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "exact,monolithic")]
    pub(crate) strategy: Vec<String>,
    /// Time limit for each row
    #[arg(long, value_name = "DURATION", value_parser = crate::config::duration::parse, default_value = "60s")]
    pub(crate) timeout: Duration,
    /// SAT solver: cadical, batsat, varisat
    #[arg(long, value_name = "NAME")]
    pub(crate) solver: Option<String>,
    /// Write the rows as JSON to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
}
