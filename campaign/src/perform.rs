//! One job from line to result.

use crate::error::Error;
use crate::job::Job;
use crate::key::{Context, shadows};
use crate::record::{CHAIN, Record};
use crate::store::{Aside, Failed, Known, MOST_DEATHS, State, Store};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

/// What reading a model comes to: its files and its folders of includes, or exit code and message.
pub type Reading = Result<(Vec<PathBuf>, Vec<PathBuf>), (u8, String)>;

/// What a job needs of the command line.
pub struct Performer<'a> {
    /// Reads the model of a job as `chain` does: all files that it rests on, and the folders that
    /// are searched for includes; else exit code and message.
    pub read: &'a dyn Fn(&Job) -> Reading,
    /// A call of the program's `chain`, without arguments. What it starts ends with this process.
    pub chain: &'a dyn Fn() -> Result<Command, Error>,
    /// Worker threads of the search; `None`: one for each core.
    pub threads: Option<usize>,
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// With a result.
    Result {
        /// In short.
        record: Box<Record>,
        /// Its folder.
        folder: PathBuf,
        /// Whether it was there before.
        was_known: bool,
    },
    /// With an exit code and a message.
    Failed(u8, String),
    /// The program dies of it; how.
    Crashed(String),
}

/// Exit code of a job that is meant for another program.
const OTHER_ORIGIN: u8 = 2;

/// Performs a job. Where the store has its result, nothing is searched. A second call at the same
/// time does no harm.
///
/// # Errors
/// The store cannot be written to, or the program cannot be started.
pub fn perform(
    job: &Job,
    store: &Store,
    context: &Context,
    performer: &Performer<'_>,
) -> Result<Ended, Error> {
    if let Some(why) = job.origin.as_ref().and_then(|wanted| context.origin().differs(wanted)) {
        return fail(job, store, context, (OTHER_ORIGIN, why));
    }
    loop {
        context.forget();
        match store.known(job, context) {
            Known::Result(record, folder) => return Ok(Ended::Result { record, folder, was_known: true }),
            Known::Crashed(how) => return Ok(Ended::Crashed(how)),
            Known::Nothing => {}
        }
        let read = match (performer.read)(job) {
            Ok(read) => read,
            Err((exit, message)) => return fail(job, store, context, (exit, message)),
        };
        let mut state = state_of(job, store, context, read);
        store.remember(job, &state)?;
        if let Some((record, folder)) = store.find(&state.key, &job.budget) {
            return Ok(Ended::Result { record: Box::new(record), folder, was_known: true });
        }
        let aside = store.aside()?;
        let began = Instant::now();
        let (status, messages) = search(job, &aside, performer)?;
        if let Some(how) = death(status) {
            state.deaths += 1;
            state.death = how;
            store.remember(job, &state)?;
            continue;
        }
        let exit = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX);
        let text = std::fs::read_to_string(aside.result().join(CHAIN)).ok();
        let cost = (job.budget, began.elapsed().as_secs_f64());
        let Some(record) = Record::new(&state.key, exit, cost, text.as_deref()) else {
            return fail(job, store, context, (exit, messages));
        };
        context.forget();
        if context.key(job, &state.files) != state.key {
            let message = "a file of the model was changed while the search ran; run the job again";
            return fail(job, store, context, (2, message.to_owned()));
        }
        let folder = store.keep(&record, &aside)?;
        return Ok(Ended::Result { record: Box::new(record), folder, was_known: false });
    }
}

/// What is to be remembered of a job whose model was read.
fn state_of(
    job: &Job,
    store: &Store,
    context: &Context,
    (files, include): (Vec<PathBuf>, Vec<PathBuf>),
) -> State {
    let key = context.key(job, &files);
    let before = unchanged(job, store, context).unwrap_or_default();
    let absent = shadows(&files, &include);
    State { key, is_complete: true, absent, files, failure: None, ..before }
}

/// What is remembered of a job, where its files are what they were.
fn unchanged(job: &Job, store: &Store, context: &Context) -> Option<State> {
    store.state(job).filter(|state| context.key(job, &state.files) == state.key)
}

/// Remembers why there is no result.
fn fail(job: &Job, store: &Store, context: &Context, (exit, message): (u8, String)) -> Result<Ended, Error> {
    let mut state = unchanged(job, store, context).unwrap_or_else(|| unread(job, context));
    state.failure = Some(Failed { exit, message: message.clone() });
    store.remember(job, &state)?;
    Ok(Ended::Failed(exit, message))
}

/// The state of a job whose model was not read: it rests on what lies in its folder at least.
fn unread(job: &Job, context: &Context) -> State {
    let mut files: Vec<PathBuf> = if job.model.is_dir() {
        let entries = std::fs::read_dir(&job.model).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
    } else {
        vec![job.model.clone()]
    };
    files.sort();
    State { key: context.key(job, &files), files, ..State::default() }
}

/// Remembers that the program died on a job. Returns how, where that was once too often.
pub(crate) fn record_death(
    job: &Job,
    store: &Store,
    context: &Context,
    how: String,
) -> Result<Option<String>, Error> {
    context.forget();
    let mut state = unchanged(job, store, context).unwrap_or_else(|| unread(job, context));
    state.deaths += 1;
    state.death.clone_from(&how);
    store.remember(job, &state)?;
    Ok((state.deaths >= MOST_DEATHS).then_some(how))
}

/// How a process died; `None`: it ended by itself.
pub(crate) fn death(status: ExitStatus) -> Option<String> {
    let signal = status.signal()?;
    let reason = if signal == 9 { " (killed; by the system where memory is short)" } else { "" };
    Some(format!("the program was ended by signal {signal}{reason}"))
}

/// Runs the search into the folder aside; what it writes to the terminal goes there, too. Returns
/// how it ended, and its messages.
fn search(job: &Job, aside: &Aside, performer: &Performer<'_>) -> Result<(ExitStatus, String), Error> {
    let mut command = (performer.chain)()?;
    command.args(job.arguments()).args(job.limits());
    command.args(performer.threads.map(|threads| format!("--jobs={threads}")));
    let result = aside.result();
    command.arg("-o").arg(&result);
    if !job.options.contains_key("format") {
        command.arg("--format=csv,html");
    }
    command.arg("--").arg(&job.model).stdin(Stdio::null());
    let output =
        command.output().map_err(|error| Error::system(&job.model, "no search can be started", &error))?;
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    std::fs::create_dir_all(&result)
        .and_then(|()| std::fs::write(result.join("summary.txt"), &output.stdout))
        .and_then(|()| std::fs::write(result.join("messages.txt"), &output.stderr))
        .map_err(|error| Error::system(&result, "the store cannot be written to", &error))?;
    Ok((output.status, messages))
}
