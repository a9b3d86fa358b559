//! Results by key, and what is remembered of jobs.
//!
//! ```text
//! store.json                                  format of the store
//! jobs/IDENTITY.json                          what the last reading of a job found; see [`State`]
//! results/KE/KEY/final/                       a result that holds for ever: job.json, chain.json, ...
//! results/KE/KEY/TIMEOUT-MEMORY/              one that holds for budgets up to this
//! aside/NAME/                                 results that are being written
//! making.lock                                 held while such a folder is made
//! ```
//!
//! A result is written aside, flushed to the disk and renamed: it is there whole or not at all, and
//! the first one stays. So any number of processes may use a store at the same time, and any of them
//! may be killed at any time.

use crate::error::Error;
use crate::job::{Budget, Job};
use crate::key::Context;
use crate::record::{self, CHAIN, Record};
use chaincover::write;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The value of the key `format` of a store.
const FORMAT: &str = "chaincover/store/1";

/// Name of the file with the [`Record`] in the folder of a result.
pub(crate) const RECORD: &str = "job.json";

/// Name of the lock in a folder that is being written.
const LOCK: &str = ".lock";

/// Name of the lock that is held while a folder is made and gets its own lock.
const MAKING: &str = "making.lock";

/// Deaths of the program on one job after which it is given up.
pub(crate) const MOST_DEATHS: u32 = 3;

/// `store.json`.
#[derive(Serialize, Deserialize)]
struct Mark {
    format: String,
}

/// A folder with results.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// What is remembered of a job, under all of it but its name and budget.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// The key when `files` were read.
    pub(crate) key: String,
    /// Whether a reading came to its end, so that `files` are all.
    pub(crate) is_complete: bool,
    /// The files that the model rests on.
    pub(crate) files: Vec<PathBuf>,
    /// Files that were not there, and would have been read instead.
    pub(crate) absent: Vec<PathBuf>,
    /// How often the program died on the job since the key is this one.
    pub(crate) deaths: u32,
    /// How it died last.
    pub(crate) death: String,
    /// Why there is no result, where the last attempt ended with a message.
    pub(crate) failure: Option<Failed>,
}

/// An attempt that ended with a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failed {
    /// The exit code.
    pub(crate) exit: u8,
    /// The message.
    pub(crate) message: String,
}

/// What a store knows of a job.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Known {
    /// A result, and its folder.
    Result(Box<Record>, PathBuf),
    /// The program dies of it; how.
    Crashed(String),
    /// Nothing.
    Nothing,
}

/// A folder in which a result is being written; removed where it is not kept.
pub(crate) struct Aside {
    folder: TempDir,
    /// Held as long as the process lives: others see that the folder is in use.
    _lock: File,
}

impl Aside {
    /// Where the files of the result go.
    pub(crate) fn result(&self) -> PathBuf {
        self.folder.path().join("result")
    }
}

impl Store {
    /// Opens the store in a folder, and makes it where there is none.
    ///
    /// # Errors
    /// The folder is something else, a store of another version, or cannot be written to.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let folder = std::path::absolute(folder)
            .map_err(|error| Error::system(folder, "is no place for a store", &error))?;
        let (mark, store) = (folder.join("store.json"), Self { folder });
        match std::fs::read_to_string(&mark) {
            Ok(text) => {
                let format = serde_json::from_str::<Mark>(&text).map(|mark| mark.format);
                let format = format
                    .map_err(|error| Error::new(&mark, format!("this is no mark of a store: {error}")))?;
                if format != FORMAT {
                    let why = format!(
                        "this store has the format `{format}`, and this program knows {FORMAT}; name another folder with --store"
                    );
                    return Err(Error::new(&store.folder, why));
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => store.make(&mark)?,
            Err(error) => return Err(Error::system(&mark, "cannot be read", &error)),
        }
        // Found out before the first search, not after it.
        drop(store.aside()?);
        Ok(store)
    }

    fn make(&self, mark: &Path) -> Result<(), Error> {
        let is_other = std::fs::read_dir(&self.folder).is_ok_and(|mut entries| entries.next().is_some());
        if is_other {
            let why = "this folder is not empty and no store; name another one with --store";
            return Err(Error::new(&self.folder, why));
        }
        std::fs::create_dir_all(&self.folder).map_err(|error| self.cannot(&error))?;
        let text = serde_json::to_string(&Mark { format: FORMAT.to_owned() }).unwrap_or_default();
        write::atomically(mark, (text + "\n").as_bytes())?;
        Ok(())
    }

    fn cannot(&self, error: &std::io::Error) -> Error {
        Error::system(&self.folder, "the store cannot be written to", error)
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    // ---- what is known ----

    fn place(&self, job: &Job) -> PathBuf {
        self.folder.join("jobs").join(job.identity() + ".json")
    }

    /// What is remembered of a job; `None` too where the file is damaged, as it can be made again.
    pub(crate) fn state(&self, job: &Job) -> Option<State> {
        serde_json::from_slice(&std::fs::read(self.place(job)).ok()?).ok()
    }

    /// Remembers a state.
    pub(crate) fn remember(&self, job: &Job, state: &State) -> Result<(), Error> {
        let folder = self.folder.join("jobs");
        std::fs::create_dir_all(&folder).map_err(|error| self.cannot(&error))?;
        let text = serde_json::to_string_pretty(state).unwrap_or_default();
        write::atomically(&self.place(job), (text + "\n").as_bytes())
            .map_err(|error| self.cannot(&error.source))
    }

    /// What is known of a job without reading its model.
    pub(crate) fn known(&self, job: &Job, context: &Context) -> Known {
        let Some(state) = self.state(job) else { return Known::Nothing };
        let key = context.key(job, &state.files);
        let is_list = state.is_complete
            && !context.asks_for_files(&state.files)
            && state.absent.iter().all(|path| !path.exists());
        if is_list && let Some((record, folder)) = self.find(&key, &job.budget) {
            return Known::Result(Box::new(record), folder);
        }
        if state.key == key && state.deaths >= MOST_DEATHS {
            return Known::Crashed(state.death);
        }
        Known::Nothing
    }

    /// The result of a key that answers a budget: a final one, else that of the greatest time.
    pub(crate) fn find(&self, key: &str, budget: &Budget) -> Option<(Record, PathBuf)> {
        let entries = std::fs::read_dir(self.results(key)).ok()?;
        let found = entries.flatten().filter_map(|entry| {
            let folder = entry.path();
            let record = read_record(&folder).filter(|record| record.key == key)?;
            record.answers(budget).then_some((record, folder))
        });
        found.max_by(|(one, _), (other, _)| {
            let time = |record: &Record| record.budget.timeout_seconds.unwrap_or(f64::INFINITY);
            one.is_final.cmp(&other.is_final).then(time(one).total_cmp(&time(other)))
        })
    }

    fn results(&self, key: &str) -> PathBuf {
        self.folder.join("results").join(key.get(..2).unwrap_or("--")).join(key)
    }

    // ---- what is added ----

    /// A folder to write a result into.
    pub(crate) fn aside(&self) -> Result<Aside, Error> {
        let parent = self.folder.join("aside");
        let make = || {
            std::fs::create_dir_all(&parent)?;
            let making = self.making()?;
            making.lock()?;
            let folder = tempfile::Builder::new().prefix("job-").tempdir_in(&parent)?;
            let lock = File::create(folder.path().join(LOCK))?;
            lock.lock()?;
            Ok(Aside { folder, _lock: lock })
        };
        make().map_err(|error| self.cannot(&error))
    }

    /// Gives a job that was given up another chance.
    ///
    /// # Errors
    /// The store cannot be written to.
    pub fn pardon(&self, job: &Job) -> Result<(), Error> {
        match self.state(job) {
            Some(state) if state.deaths > 0 => self.remember(job, &State { deaths: 0, ..state }),
            _ => Ok(()),
        }
    }

    fn making(&self) -> std::io::Result<File> {
        File::create(self.folder.join(MAKING))
    }

    /// Removes what processes that were killed have left half written.
    pub fn sweep(&self) {
        let Ok(entries) = std::fs::read_dir(self.folder.join("aside")) else { return };
        // While this is held, a folder without a lock is not about to get one: the process that
        // made it was killed before, or while it removed the folder.
        let Ok(making) = self.making() else { return };
        if making.try_lock().is_err() {
            return;
        }
        for folder in entries.flatten().map(|entry| entry.path()) {
            let lock = File::open(folder.join(LOCK));
            let is_used = |lock: File| matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
            if !lock.is_ok_and(is_used) {
                // What cannot be removed harms nobody.
                let _ = std::fs::remove_dir_all(&folder);
            }
        }
    }

    /// Keeps the result that was written aside; where there is one already, that one stays. Returns
    /// the folder of the result.
    pub(crate) fn keep(&self, record: &Record, aside: &Aside) -> Result<PathBuf, Error> {
        let folder = aside.result();
        let text = serde_json::to_string_pretty(record).unwrap_or_default();
        write::atomically(&folder.join(RECORD), (text + "\n").as_bytes())
            .map_err(|error| self.cannot(&error.source))?;
        let slot = match (record.is_final, record.budget) {
            (true, _) => "final".to_owned(),
            (false, Budget { timeout_seconds: time, memory_bytes: memory }) => format!(
                "{}-{}",
                time.map_or_else(|| "unlimited".to_owned(), |seconds| format!("{seconds}s")),
                memory.map_or_else(|| "unlimited".to_owned(), |bytes| bytes.to_string())
            ),
        };
        let results = self.results(&record.key);
        let target = results.join(slot);
        // A folder that is not empty is never replaced.
        let put = || std::fs::rename(&folder, &target);
        let moved = flush(&folder).and_then(|()| {
            std::fs::create_dir_all(&results)?;
            if put().is_err() && read_record(&target).is_none() {
                // What lies there is damaged: it goes with what was written aside.
                std::fs::rename(&target, aside.folder.path().join("damaged"))?;
                put()?;
            }
            File::open(&results)?.sync_all()
        });
        match moved {
            Err(error) if read_record(&target).is_none() => {
                let what = "the result cannot be kept, and no whole one is there";
                Err(Error::system(&target, what, &error))
            }
            _ => Ok(target),
        }
    }
}

/// The record of a folder whose result is as it was kept.
fn read_record(folder: &Path) -> Option<Record> {
    let record: Record = serde_json::from_slice(&std::fs::read(folder.join(RECORD)).ok()?).ok()?;
    let is_whole = record.sha256.as_ref().is_none_or(|kept| {
        let own = File::open(folder.join(CHAIN)).and_then(chaincover::sha256_of);
        own.is_ok_and(|own| own == *kept)
    });
    (record.format == record::FORMAT && is_whole).then_some(record)
}

/// Sees to it that all files of a folder are on the disk.
fn flush(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            flush(&path)?;
        } else {
            File::open(&path)?.sync_all()?;
        }
    }
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Outcome;

    fn record(key: &str, is_final: bool, seconds: Option<f64>) -> Record {
        let budget = Budget { timeout_seconds: seconds, memory_bytes: None };
        let format = record::FORMAT.to_owned();
        let outcome = if is_final { Outcome::Covered } else { Outcome::Undecided };
        let sha256 = Some(chaincover::sha256("chains"));
        Record {
            format,
            key: key.to_owned(),
            outcome,
            exit: 0,
            is_final,
            budget,
            seconds: 0.5,
            chains: None,
            sha256,
        }
    }

    fn keep(store: &Store, record: &Record, text: &str) -> PathBuf {
        let aside = store.aside().expect("a folder");
        std::fs::create_dir(aside.result()).expect("a folder");
        std::fs::write(aside.result().join("text"), text).expect("a file");
        std::fs::write(aside.result().join(CHAIN), "chains").expect("a file");
        store.keep(record, &aside).expect("a result")
    }

    #[test]
    fn the_first_result_stays_and_budgets_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("store")).expect("a store");
        let within = |seconds| Budget { timeout_seconds: seconds, memory_bytes: None };
        let found = |seconds| store.find("abc", &within(seconds)).map(|(record, _)| record.budget);
        assert_eq!(found(Some(1.0)), None);
        let place = keep(&store, &record("abc", false, Some(2.0)), "first");
        assert_eq!(keep(&store, &record("abc", false, Some(2.0)), "second"), place);
        assert_eq!(std::fs::read_to_string(place.join("text")).expect("a file"), "first");
        assert_eq!(found(Some(2.0)), Some(within(Some(2.0))));
        assert_eq!((found(Some(2.5)), found(None)), (None, None));
        keep(&store, &record("abc", true, Some(1.0)), "third");
        assert_eq!((found(None), found(Some(9.0))), (Some(within(Some(1.0))), Some(within(Some(1.0)))));
    }

    #[test]
    fn a_damaged_result_is_none_and_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("store")).expect("a store");
        let place = keep(&store, &record("abc", true, None), "first");
        for (name, text) in [(RECORD, Some("{")), (CHAIN, Some("forged")), (CHAIN, None)] {
            match text {
                Some(text) => std::fs::write(place.join(name), text).expect("a file"),
                None => std::fs::remove_file(place.join(name)).expect("a file"),
            }
            assert!(store.find("abc", &Budget::default()).is_none(), "{name} {text:?}");
            assert_eq!(keep(&store, &record("abc", true, None), "again"), place);
            assert!(store.find("abc", &Budget::default()).is_some(), "{name} {text:?}");
        }
    }

    #[test]
    fn sweeping_spares_what_is_in_use() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).expect("a store");
        let used = store.aside().expect("a folder");
        let left = store.folder().join("aside/job-left");
        std::fs::create_dir(&left).expect("a folder");
        std::fs::write(left.join(LOCK), "").expect("a file");
        // A process may be killed before it makes the lock, too.
        let begun = store.folder().join("aside/job-begun");
        std::fs::create_dir(&begun).expect("a folder");
        store.sweep();
        assert!(used.folder.path().exists() && !left.exists() && !begun.exists());

        // While a folder is being made, none is judged.
        std::fs::create_dir(&begun).expect("a folder");
        let making = store.making().expect("a file");
        making.lock().expect("a lock");
        store.sweep();
        assert!(begun.exists());
    }

    #[test]
    fn folders_that_are_no_store_are_refused() {
        let table = [
            ("store.json", r#"{"format":"chaincover/store/9"}"#, "format `chaincover/store/9`"),
            ("store.json", "what", "no mark of a store"),
            ("letter.txt", "what", "not empty and no store"),
        ];
        for (name, text, expected) in table {
            let folder = tempfile::tempdir().expect("a folder");
            std::fs::write(folder.path().join(name), text).expect("a file");
            let refused = Store::open(folder.path()).expect_err(text);
            assert!(refused.why.contains(expected), "{refused}");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        std::fs::write(&path, "").expect("a file");
        Store::open(&path).expect_err("a file is no store");
    }
}
