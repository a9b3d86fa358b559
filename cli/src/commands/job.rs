//! `chaincover job`: one job of a campaign, from its line to its result.

use super::args::ChainArguments;
use super::arguments::{Arguments, Command};
use super::campaign_args::{JobArguments, Retry};
use super::exit::Exit;
use super::failure::Failure;
use super::own::Program;
use super::{orphan, print, search};
use campaign::key::Context;
use campaign::{Ended, Error, Job, Performer, Store, perform};
use chaincover::{Limit, Model, configure};
use clap::Parser;
use std::path::PathBuf;
use std::process;

/// Performs the job, says on one line what became of it, and ends with the exit code of the search.
pub(crate) fn run(arguments: &JobArguments, program: &Program) -> Result<Exit, Failure> {
    let job = Job::read(&arguments.jobs, arguments.line)?;
    let store = Store::open(&arguments.store)?;
    if arguments.retry == Some(Retry::Crashed) {
        store.pardon(&job)?;
    }
    let chain = || own_call(program, "chain");
    let performer = Performer { read: &read, chain: &chain, threads: arguments.threads };
    match perform(&job, &store, &context(program)?, &performer)? {
        Ended::Result { record, folder, was_known } => {
            let known = if was_known { ", known" } else { "" };
            print(&format!("{}: {}{known}   {}\n", job.name, record.outcome.name(), folder.display()))?;
            Ok(Exit::of_code(record.exit))
        }
        Ended::Failed(exit, message) => {
            Err(Failure { exit: Exit::of_code(exit), message: message + "\n", rendered: true })
        }
        Ended::Crashed(how) => {
            let message = format!("{}: crashed: {how}; --retry crashed runs it again", job.name);
            Err(Failure::new(Exit::Internal, message))
        }
    }
}

/// A call of this program that ends with this process.
pub(crate) fn own_call(program: &Program, command: &str) -> Result<process::Command, Error> {
    let mut call = program.call().map_err(|error| not_found(&error))?;
    call.arg(command);
    orphan::mark(&mut call);
    Ok(call)
}

/// What keys of results of this program have in common.
pub(crate) fn context(program: &Program) -> Result<Context, Error> {
    Context::new(&program.file().map_err(|error| not_found(&error))?)
}

fn not_found(error: &std::io::Error) -> Error {
    Error { path: PathBuf::from("chaincover"), why: format!("the program's file cannot be found: {error}") }
}

/// The arguments of `chain` for a job; else why there are none.
pub(crate) fn parse(job: &Job) -> Result<ChainArguments, String> {
    let words = ["chaincover".to_owned(), "chain".to_owned()].into_iter().chain(job.arguments());
    let words = words.map(Into::into).chain(["--".into(), job.model.clone().into_os_string()]);
    match Arguments::try_parse_from(words).map_err(|error| error.to_string())?.command {
        Command::Chain(arguments) => Ok(arguments),
        _ => Err(format!("{}: this is no job for `chain`", job.name)),
    }
}

/// Reads the model of a job as `chain` does; returns its files and its folders of includes.
fn read(job: &Job) -> Result<(Vec<PathBuf>, Vec<PathBuf>), (u8, String)> {
    let arguments = parse(job).map_err(|why| (Exit::Usage.code(), why))?;
    let deadline = search::deadline(job.timeout());
    let settings = arguments.model.settings(Limit { deadline, ..Limit::default() });
    let loaded = configure(&arguments.model.model, &settings).and_then(Model::new);
    let loaded = loaded.map_err(|error| {
        let failure = Failure::from(error);
        let prefix = if failure.rendered { "" } else { "error: " };
        (failure.exit.code(), format!("{prefix}{}", failure.message.trim_end()))
    })?;
    Ok((loaded.files(), loaded.configuration.request.include.clone()))
}
