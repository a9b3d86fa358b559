//! A campaign: what is known, what is to run, and running it over the cores of one machine.

use crate::error::Error;
use crate::job::Job;
use crate::key::Context;
use crate::perform::{death, record_death};
use crate::record::Outcome;
use crate::store::{Known, Store};
use crate::table::{Row, Table};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Time between two looks at the store while others perform jobs.
const POLL: Duration = Duration::from_millis(500);

/// Exit code of a job that dies again and again.
const CRASHED: u8 = 6;

/// Exit code of a job whose result is about files that are no more.
const CHANGED: u8 = 2;

/// A campaign whose known results were looked up.
pub struct Campaign<'a> {
    store: &'a Store,
    context: &'a Context,
    /// All jobs, with what is known of them.
    pub table: Table,
    /// Indices of the jobs that are to run.
    pub open: Vec<usize>,
}

/// Is called after each job that has ended, with its row; and may write the table.
pub type Progress<'a> = dyn FnMut(&Table, &Row) -> Result<(), Error> + 'a;

impl<'a> Campaign<'a> {
    /// Looks up what is known. Jobs that crash are left out unless they are to be tried again.
    ///
    /// # Errors
    /// The store cannot be written to.
    pub fn new(
        name: &str,
        jobs: Vec<Job>,
        (store, context): (&'a Store, &'a Context),
        retries_crashed: bool,
    ) -> Result<Self, Error> {
        store.sweep();
        let (mut rows, mut open) = (Vec::new(), Vec::new());
        for (index, job) in jobs.into_iter().enumerate() {
            if retries_crashed {
                store.pardon(&job)?;
            }
            let known = store.known(&job, context);
            let mut row = Row::waiting(job);
            if known == Known::Nothing {
                open.push(index);
            } else {
                settle(&mut row, known);
                row.is_known = true;
            }
            rows.push(row);
        }
        Ok(Self { store, context, table: Table::new(name, rows), open })
    }

    /// Runs what is open as child processes of this one, `workers` at a time. `command` makes the
    /// call of the program that performs the job of a number, counted from 0.
    ///
    /// # Errors
    /// Those of `progress`, and a store that cannot be written to. Jobs that fail are no error.
    pub fn run(
        &mut self,
        workers: usize,
        command: &(dyn Fn(usize) -> Result<Command, Error> + Sync),
        progress: &mut Progress<'_>,
    ) -> Result<(), Error> {
        let open = std::mem::take(&mut self.open);
        let (next, jobs) = (AtomicUsize::new(0), self.jobs());
        let (store, context) = (self.store, self.context);
        let work = &|sender: Sender<(usize, Result<Row, Error>)>| {
            while let Some(&index) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                let row = run_one(&jobs[index], (store, context), &|| command(index));
                if sender.send((index, row)).is_err() {
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            for _ in 0..workers.clamp(1, open.len().max(1)) {
                let sender = sender.clone();
                scope.spawn(move || work(sender));
            }
            drop(sender);
            self.take(&receiver, progress)
        })
    }

    /// Enters rows as they come.
    fn take(
        &mut self,
        rows: &Receiver<(usize, Result<Row, Error>)>,
        progress: &mut Progress<'_>,
    ) -> Result<(), Error> {
        for (index, row) in rows {
            self.table.rows[index] = row?;
            progress(&self.table, &self.table.rows[index])?;
        }
        Ok(())
    }

    fn jobs(&self) -> Vec<Job> {
        self.table.rows.iter().map(|row| row.job.clone()).collect()
    }

    /// Forgets why open jobs failed before: from now on a message in the store is a new one.
    ///
    /// # Errors
    /// The store cannot be written to.
    pub fn forget_failures(&self) -> Result<(), Error> {
        for job in self.open.iter().map(|&index| &self.table.rows[index].job) {
            if let Some(mut state) = self.store.state(job) {
                state.failure = None;
                self.store.remember(job, &state)?;
            }
        }
        Ok(())
    }

    /// Waits until all open jobs have ended which other processes perform: the store tells.
    /// `is_running` says whether anybody still works on them.
    ///
    /// # Errors
    /// Those of `progress`.
    pub fn wait(
        &mut self,
        is_running: &mut dyn FnMut() -> bool,
        progress: &mut Progress<'_>,
    ) -> Result<(), Error> {
        while !self.open.is_empty() {
            // Asked for before the store: what was written before the end is seen.
            let goes_on = is_running();
            let mut left = Vec::new();
            self.context.forget();
            for index in std::mem::take(&mut self.open) {
                let row = &mut self.table.rows[index];
                let is_settled =
                    settle(row, self.store.known(&row.job, self.context)) || fails(row, self.store);
                if is_settled {
                    progress(&self.table, &self.table.rows[index])?;
                } else {
                    left.push(index);
                }
            }
            self.open = left;
            if !goes_on {
                break;
            }
            std::thread::sleep(POLL);
        }
        Ok(())
    }
}

/// Enters what is known of a job; returns whether it has ended.
fn settle(row: &mut Row, known: Known) -> bool {
    match known {
        Known::Result(record, folder) => {
            (row.outcome, row.exit) = (record.outcome, record.exit);
            (row.record, row.folder) = (Some(*record), Some(folder));
            true
        }
        Known::Crashed(how) => {
            (row.outcome, row.exit) = (Outcome::Crashed, CRASHED);
            row.message = how + "; --retry crashed runs it again";
            true
        }
        Known::Nothing => false,
    }
}

/// Enters the message of a failed job; returns whether there is one.
fn fails(row: &mut Row, store: &Store) -> bool {
    let Some(failed) = store.state(&row.job).and_then(|state| state.failure) else { return false };
    (row.outcome, row.exit) = (Outcome::Failed, failed.exit);
    row.message = failed.message.trim_end().to_owned();
    true
}

/// Runs a job in a child process until it ends by itself, or has died too often.
fn run_one(
    job: &Job,
    (store, context): (&Store, &Context),
    command: &dyn Fn() -> Result<Command, Error>,
) -> Result<Row, Error> {
    let mut row = Row::waiting(job.clone());
    loop {
        let mut command = command()?;
        command.stdin(Stdio::null());
        let output = command
            .output()
            .map_err(|error| Error::system(Path::new(&job.name), "cannot be started", &error))?;
        if let Some(how) = death(output.status) {
            match record_death(job, store, context, how)? {
                Some(how) => {
                    settle(&mut row, Known::Crashed(how));
                    return Ok(row);
                }
                None => continue,
            }
        }
        context.forget();
        if settle(&mut row, store.known(job, context)) {
            return Ok(row);
        }
        row.outcome = Outcome::Failed;
        row.exit = output.status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(CRASHED);
        row.message = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        if row.message.is_empty() {
            // The job has a result, but that of other files than there are now.
            row.exit = CHANGED;
            row.message =
                "its result is not in the store: a file of the model, or the list of jobs, was changed \
                           meanwhile; run the job again"
                    .to_owned();
        }
        return Ok(row);
    }
}
