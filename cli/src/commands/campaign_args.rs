//! What `campaign` and `job` are told.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// `campaign`.
#[derive(Debug, Args)]
pub(crate) struct CampaignArguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: CampaignCommand,
}

/// The commands of `campaign`.
#[derive(Debug, Subcommand)]
pub(crate) enum CampaignCommand {
    /// Search what is not known yet; write index.html, results.csv and junit.xml
    Run(RunArguments),
    /// Print the jobs, one a line, for other engines to run with `chaincover job`
    Jobs {
        /// The campaign
        #[arg(value_name = "CAMPAIGN.toml")]
        campaign: PathBuf,
    },
}

/// `campaign run`.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The campaign
    #[arg(value_name = "CAMPAIGN.toml")]
    pub(crate) campaign: PathBuf,
    /// Searches at the same time (default: one for each core)
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// The folder for the page and the tables
    #[arg(short, value_name = "DIR", default_value = "out")]
    pub(crate) output: PathBuf,
    /// The folder with the results (default: .chaincover-store beside the campaign)
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// Who runs the searches: local (processes of this machine), slurm (an array of batch jobs),
    /// dask (workers of Dask distributed)
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) engine: Engine,
    /// The scheduler of Dask (tcp://host:8786; default: workers of this machine, `--jobs` of them)
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) scheduler: Option<String>,
    /// Run again what has crashed
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) retry: Option<Retry>,
    /// Tell of each job that ends
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// Who runs the searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Child processes.
    #[default]
    Local,
    /// An array of Slurm.
    Slurm,
    /// Workers of Dask distributed.
    Dask,
}

/// `job`.
#[derive(Debug, Args)]
pub(crate) struct JobArguments {
    /// A file with jobs, one a line (`chaincover campaign jobs`)
    #[arg(value_name = "JOBS.jsonl")]
    pub(crate) jobs: PathBuf,
    /// The line of the job, counted from 1
    #[arg(long, value_name = "N")]
    pub(crate) line: usize,
    /// The folder with the results
    #[arg(long, value_name = "DIR")]
    pub(crate) store: PathBuf,
    /// Worker threads of the search (default: one for each core)
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Run again what has crashed
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) retry: Option<Retry>,
}

/// What is run again though there is an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Retry {
    /// Jobs on which the program died.
    Crashed,
}
