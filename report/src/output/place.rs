//! The folder that a result is written into: by one run at a time, and over nothing that is not of
//! this program.
//!
//! Whoever names a folder with `-o` may have files of their own there, or may have changed one that
//! was written. Such files are left as they are and named; `--force` replaces them. What this
//! program wrote is known by the list of [`owned`](super::owned). Links may lead from one place of
//! the folder to another one, but not out of it.

use super::digest::sha256;
use super::owned::{Cleared, LIST, Origin, Owned, is_within};
use super::write::{self, WriteError, atomically};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Stands in the list while evidence is being made: what lies in its folder then is of this
/// program, though no digest is known yet.
const UNFINISHED: &str = "unfinished";

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// It cannot be made or written to.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Two runs would mix their files.
    #[error("another run of chaincover is writing into {}; wait for its end, or name another folder", .0.display())]
    Busy(PathBuf),
    /// Files that would be replaced are not ours.
    #[error("{}", .0.join("; "))]
    Foreign(Vec<String>),
}

/// A folder that is locked for this run.
#[derive(Debug)]
pub struct Place {
    folder: PathBuf,
    owned: Owned,
    force: bool,
    /// The system releases it with the process, however that ends. `None`: the file system knows no
    /// locks.
    _lock: Option<File>,
}

impl Place {
    /// Makes the folder where it is missing, and locks it.
    ///
    /// # Errors
    /// If it cannot be made or written to, or another run has locked it.
    pub fn open(folder: &Path, force: bool) -> Result<Self, PlaceError> {
        let actual = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        write::folder(actual)?;
        let lock = lock(actual)?;
        let place = Self { folder: folder.to_owned(), owned: Owned::read(actual), force, _lock: lock };
        match place.leads_out(LIST) {
            Some(why) => Err(PlaceError::Foreign(vec![why])),
            None => Ok(place),
        }
    }

    /// Fails if one of these files, which are going to be written, must not be replaced.
    ///
    /// # Errors
    /// The files, each with the reason.
    pub fn expect<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<(), PlaceError> {
        let refused: Vec<String> = names.into_iter().filter_map(|name| self.refusal(name, None)).collect();
        if refused.is_empty() { Ok(()) } else { Err(PlaceError::Foreign(refused)) }
    }

    /// Writes files but for those that must not be replaced; returns why these are not.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write<'f>(
        &mut self,
        origin: &Origin,
        files: impl IntoIterator<Item = (&'f str, &'f [u8])>,
    ) -> Result<Vec<String>, WriteError> {
        let (mut wanted, mut refused) = (Vec::new(), Vec::new());
        for (name, content) in files {
            match self.refusal(name, Some(content)) {
                Some(why) => refused.push(why),
                None => wanted.push((name, content, sha256(content))),
            }
        }
        for (name, _, digest) in &wanted {
            self.owned.announce(origin, (*name).to_owned(), digest.clone());
        }
        // Written before the files: a run that is ended between them leaves none that the next one
        // takes for the user's.
        self.owned.write()?;
        for (name, content, digest) in wanted {
            atomically(&self.folder.join(name), content)?;
            self.owned.add(origin, [(name.to_owned(), digest)]);
        }
        Ok(refused)
    }

    /// Fails if a folder for evidence leads out of this one, or has files that making evidence
    /// would remove and that are not ours.
    ///
    /// # Errors
    /// The files, each with the reason.
    pub fn expect_evidence(&self, name: &str, is_evidence: impl Fn(&Path) -> bool) -> Result<(), PlaceError> {
        if let Some(why) = self.leads_out(name) {
            return Err(PlaceError::Foreign(vec![why]));
        }
        if self.force || self.owned.wrote(name, UNFINISHED) {
            return Ok(());
        }
        let listed = std::fs::read_dir(self.folder.join(name)).into_iter().flatten().flatten();
        let found = listed.map(|entry| entry.path()).filter(|path| is_evidence(path));
        let names = found.filter_map(|path| Some(format!("{name}/{}", path.file_name()?.to_string_lossy())));
        let mut refused: Vec<String> = names.filter_map(|name| self.refusal(&name, None)).collect();
        refused.sort();
        if refused.is_empty() { Ok(()) } else { Err(PlaceError::Foreign(refused)) }
    }

    /// Notes that evidence is going to be made in a folder of that name.
    ///
    /// # Errors
    /// If the list cannot be written.
    pub fn begin_evidence(&mut self, origin: &Origin, name: &str) -> Result<(), WriteError> {
        self.owned.announce(origin, name.to_owned(), UNFINISHED.to_owned());
        self.owned.write()
    }

    /// Notes the evidence that was written.
    pub fn end_evidence(
        &mut self,
        origin: &Origin,
        name: &str,
        files: impl IntoIterator<Item = (String, String)>,
    ) {
        self.owned.forget(name);
        self.add(origin, files);
    }

    /// Notes files that were written, by path and digest.
    pub fn add(&mut self, origin: &Origin, files: impl IntoIterator<Item = (String, String)>) {
        self.owned.add(origin, files);
    }

    /// Removes what was written for other results for which `is_stale` holds, and writes the list.
    ///
    /// # Errors
    /// If the list cannot be written.
    pub fn close(mut self, is_stale: impl Fn(&Origin) -> bool) -> Result<Cleared, WriteError> {
        let cleared = self.owned.clear(is_stale);
        self.owned.write()?;
        Ok(cleared)
    }

    /// Why a file must not be written, if so; what it is going to hold, where that is known, may be
    /// there already.
    fn refusal(&self, name: &str, content: Option<&[u8]>) -> Option<String> {
        if let Some(why) = self.leads_out(name) {
            return Some(why);
        }
        let path = self.folder.join(name);
        let existing = std::fs::metadata(&path).ok()?;
        if existing.is_dir() {
            return Some(format!("{} is a folder", path.display()));
        }
        let is_ours = || {
            let found = existing.is_file().then(|| std::fs::read(&path).ok()).flatten();
            found.is_some_and(|found| content == Some(&found[..]) || self.owned.wrote(name, &sha256(&found)))
        };
        (!self.force && !is_ours()).then(|| {
            format!(
                "{} was not written by chaincover, or was changed since: it is left as it is (--force replaces it)",
                path.display()
            )
        })
    }

    /// Why a file is none of the folder: a link on its way leads elsewhere, or nowhere.
    fn leads_out(&self, name: &str) -> Option<String> {
        let path = self.folder.join(name);
        let place = if std::fs::symlink_metadata(&path).is_ok() { &path } else { path.parent()? };
        let is_missing =
            std::fs::symlink_metadata(if place.as_os_str().is_empty() { Path::new(".") } else { place })
                .is_err();
        (!is_missing && !is_within(&self.folder, place)).then(|| {
            format!("{} is a link out of its folder: remove it, or name another folder", path.display())
        })
    }
}

/// How often a lock that is held is tried again: a child process that is just being started holds
/// the locks of its parent until it executes its program.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Locks a folder. A run that was killed leaves no lock behind.
fn lock(folder: &Path) -> Result<Option<File>, PlaceError> {
    // Some file systems cannot lock a folder. Then runs are not kept apart, as before there were
    // locks.
    let Ok(handle) = File::open(folder) else { return Ok(None) };
    for _ in 0..LOCK_TRIES {
        match handle.try_lock() {
            Ok(()) => return Ok(Some(handle)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
    Err(PlaceError::Busy(folder.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin() -> Origin {
        Origin { model: "m".to_owned(), result: "r".to_owned() }
    }

    fn read(folder: &Path, name: &str) -> String {
        std::fs::read_to_string(folder.join(name)).unwrap()
    }

    #[test]
    fn a_folder_has_one_writer_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let first = Place::open(folder.path(), false).unwrap();
        let second = Place::open(folder.path(), true).unwrap_err().to_string();
        assert!(second.contains("another run of chaincover is writing into"), "{second}");
        drop(first);
        assert!(Place::open(folder.path(), false).is_ok());
    }

    #[test]
    fn only_what_was_written_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::fs::write(path.join("mine.csv"), "mine").unwrap();
        let write = |force: bool, name: &str, content: &str| {
            let mut place = Place::open(path, force).unwrap();
            let refused = place.write(&origin(), [(name, content.as_bytes())]).unwrap();
            place.close(|_| false).unwrap();
            refused
        };
        assert!(write(false, "mine.csv", "new")[0].contains("mine.csv was not written by chaincover"));
        assert_eq!(read(path, "mine.csv"), "mine");
        for content in ["first", "second"] {
            assert_eq!(write(false, "chain.csv", content), [""; 0]);
            assert_eq!(read(path, "chain.csv"), content);
        }
        std::fs::write(path.join("chain.csv"), "edited").unwrap();
        assert_eq!(write(false, "chain.csv", "third").len(), 1);
        assert_eq!(write(false, "chain.csv", "edited"), [""; 0], "nothing is lost");
        assert_eq!(write(true, "mine.csv", "new"), [""; 0]);
        assert_eq!(read(path, "mine.csv"), "new");
    }

    /// A run that is ended between two files leaves nothing that the next run refuses to replace.
    #[test]
    fn a_run_that_ends_early_does_not_block_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let mut place = Place::open(path, false).unwrap();
        place.write(&origin(), [("chain.csv", &b"old"[..])]).unwrap();
        place.close(|_| false).unwrap();
        let mut place = Place::open(path, false).unwrap();
        place.owned.announce(&origin(), "chain.csv".to_owned(), sha256("new"));
        place.begin_evidence(&origin(), "proofs").unwrap();
        drop(place);
        std::fs::create_dir(path.join("proofs")).unwrap();
        std::fs::write(path.join("proofs/a.cnf"), "half").unwrap();
        for left in ["old", "new"] {
            std::fs::write(path.join("chain.csv"), left).unwrap();
            let place = Place::open(path, false).unwrap();
            place.expect(["chain.csv"]).unwrap();
            place.expect_evidence("proofs", |_| true).unwrap();
        }
        let mut place = Place::open(path, false).unwrap();
        place.end_evidence(&origin(), "proofs", []);
        assert!(place.expect_evidence("proofs", |_| true).is_err());
        assert!(place.expect_evidence("proofs", |_| false).is_ok());
    }

    #[test]
    fn links_out_of_the_folder_are_not_followed() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        let (path, outside) = (root.path().join("out"), root.path().join("outside"));
        std::fs::create_dir_all(path.join("inside")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("kept"), "kept").unwrap();
        symlink("../outside/kept", path.join("chain.csv")).unwrap();
        symlink("../outside/none", path.join("chain.vcd")).unwrap();
        symlink("../outside", path.join("proofs")).unwrap();
        symlink("inside/table", path.join("junit.xml")).unwrap();
        std::fs::write(path.join("inside/table"), "old").unwrap();
        let mut place = Place::open(&path, true).unwrap();
        for name in ["chain.csv", "chain.vcd", "proofs/kept"] {
            let refused = place.write(&origin(), [(name, &b"new"[..])]).unwrap();
            assert!(refused[0].contains("is a link out of its folder"), "{refused:?}");
        }
        assert!(place.expect_evidence("proofs", |_| true).is_err());
        assert_eq!(place.write(&origin(), [("junit.xml", &b"new"[..])]).unwrap(), [""; 0]);
        assert_eq!(read(&path, "inside/table"), "new");
        assert_eq!(read(&outside, "kept"), "kept");
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
        drop(place);
        std::fs::remove_file(path.join(LIST)).unwrap();
        symlink("../outside/list", path.join(LIST)).unwrap();
        assert!(Place::open(&path, true).is_err());
    }
}
