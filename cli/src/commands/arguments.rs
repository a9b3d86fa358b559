//! The command line as typed: the commands, each with its arguments.

use super::adapt::AdaptArguments;
use super::args::{
    AtspArguments, BenchArguments, ChainArguments, CheckArguments, ExplainArguments, ExportArguments,
    GraphArguments, InitArguments, JudgeArguments, ProveArguments, ReplayArguments, VerifyArguments,
    WitnessArguments, WorkerArguments,
};
use super::campaign_args::{CampaignArguments, JobArguments};
use super::import::ImportArguments;
use super::mutants::MutateArguments;
use super::oracle::EmitArguments;
use super::test_args::{MonitorArguments, RunArguments, TestcaseArguments};
use clap::{Parser, Subcommand};

/// The shortest input sequence that covers all test goals of a reactive C program.
#[derive(Debug, Parser)]
#[command(
    name = "chaincover",
    version,
    about,
    propagate_version = true,
    arg_required_else_help = true,
    args_override_self = true
)]
#[command(
    after_help = "Exit codes: 0 all covered, 2 usage, 3 C not understood, 4 self-check failed, 5 some goals undecided,\n\
    6 internal error, 10 requirement violated or compiled code dies of undefined behaviour, 11 requirements contradict each other,\n\
    12 inconclusive, 13 system under test cannot be used, 20 all others proven unreachable, 124 timeout, 130 Ctrl-C"
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
    /// Make mutants of a model, decide each, and find the shortest chain(s) revealing all that can
    /// be revealed
    Mutate(MutateArguments),
    /// Print the property reachability graph
    Graph(GraphArguments),
    /// Run a stored chain on the natively compiled code and judge it again
    Replay(ReplayArguments),
    /// Adapt an old chain to changed code with the fewest edits, or find what two versions differ in
    Adapt(AdaptArguments),
    /// Check the proofs beside a stored chain, and run it again
    Verify(VerifyArguments),
    /// Say of each requirement whether it holds in all executions, with the shortest counterexample
    Prove(ProveArguments),
    /// Compare the coverage of a stored result with what gcc measures of its replay
    Judge(JudgeArguments),
    /// Say why a goal is unreachable or undecided, or how short a chain for it alone is
    Explain(ExplainArguments),
    /// Write a commented chaincover.toml for C files
    Init(InitArguments),
    /// Write a stored chain in other formats
    Export(ExportArguments),
    /// Judge a recorded run by a specification
    Monitor(MonitorArguments),
    /// Write a requirement interface as a monitor in C, and as oracle of a model in C
    Emit(EmitArguments),
    /// Read requirements of FRET as a requirement interface
    Import(ImportArguments),
    /// Run a test against a system
    Run(RunArguments),
    /// Make the test case of a purpose of a timed system
    Testcase(TestcaseArguments),
    /// Judge witnesses of a hardware model in BTOR2, of whatever tool
    Witness(WitnessArguments),
    /// Solve a TSPLIB ATSP instance
    Atsp(AtspArguments),
    /// Run the benchmark corpus, one row for each case and strategy
    Bench(BenchArguments),
    /// Search many models in many variants, and nothing twice
    Campaign(CampaignArguments),
    /// Perform one job of a campaign: for batch systems; safe to call twice
    Job(JobArguments),
    /// Search for a process that was started with --workers, and tell it what is found
    #[command(hide = true)]
    Worker(WorkerArguments),
    /// List the engines of the search, what they do, and what their turns cost
    Engines {
        /// List the constants that `--set` changes as well
        #[arg(long)]
        constants: bool,
    },
    /// Print the JSON schema of chaincover.toml, from which editors complete keys
    Schema,
    /// Print a shell completion script
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff)
    Man,
}
