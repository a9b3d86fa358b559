//! Which files of a folder this program wrote, and for which result.
//!
//! A result may have fewer chains or other formats than the one before it in the same folder. What
//! was written for that one would be taken for a part of the new one: a rig would play a chain that
//! is no more. So the folder keeps a list of what was written, with digests. What is on the list,
//! belongs to another result, and is still as it was written goes; anything else is the user's and
//! stays.

use super::digest::sha256;
use super::write::{WriteError, atomically};
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// Name of the list.
pub(crate) const LIST: &str = ".chaincover-files.json";
/// The value of its `schema` key.
const SCHEMA: &str = "chaincover/files/1";

/// The result that files were made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Name of the model.
    pub model: String,
    /// SHA-256 of its `chain.json`.
    pub result: String,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    /// Path within the folder.
    name: String,
    /// Its SHA-256 as it was written.
    sha256: String,
    /// What it was made from.
    #[serde(flatten)]
    origin: Origin,
}

#[derive(Serialize, Deserialize)]
struct List {
    schema: String,
    files: Vec<Entry>,
}

/// The list of a folder.
#[derive(Debug)]
pub struct Owned {
    folder: PathBuf,
    entries: Vec<Entry>,
}

/// What became of files of earlier results.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    /// Removed.
    pub(crate) removed: Vec<String>,
    /// Left there, since they were changed after they were written, or cannot be removed.
    pub(crate) left: Vec<String>,
}

impl Owned {
    /// Reads the list. One that is missing or makes no sense says that nothing there is ours.
    pub fn read(folder: &Path) -> Self {
        let text = std::fs::read_to_string(folder.join(LIST)).unwrap_or_default();
        let list = serde_json::from_str::<List>(&text).ok().filter(|list| list.schema == SCHEMA);
        Self { folder: folder.to_owned(), entries: list.map(|list| list.files).unwrap_or_default() }
    }

    /// Notes files that were just written, by path within the folder and digest.
    pub fn add(&mut self, origin: &Origin, files: impl IntoIterator<Item = (String, String)>) {
        for (name, sha256) in files {
            self.entries.retain(|entry| entry.name != name);
            self.announce(origin, name, sha256);
        }
    }

    /// Notes a file that is going to be written. What is there still counts as written, too: the
    /// run may be ended before it is replaced.
    pub(crate) fn announce(&mut self, origin: &Origin, name: String, sha256: String) {
        let entry = Entry { name, sha256, origin: origin.clone() };
        if !self.entries.contains(&entry) {
            self.entries.push(entry);
        }
    }

    /// Whether a file is as this program wrote it.
    pub(crate) fn wrote(&self, name: &str, sha256: &str) -> bool {
        self.entries.iter().any(|entry| entry.name == name && entry.sha256 == sha256)
    }

    /// Removes the notes of a name.
    pub(crate) fn forget(&mut self, name: &str) {
        self.entries.retain(|entry| entry.name != name);
    }

    /// Removes files of other results for which `is_stale` holds, and folders that are empty then.
    pub fn clear(&mut self, is_stale: impl Fn(&Origin) -> bool) -> Cleared {
        let mut cleared = Cleared::default();
        let (stale, kept) = std::mem::take(&mut self.entries)
            .into_iter()
            .partition::<Vec<Entry>, _>(|entry| is_stale(&entry.origin));
        self.entries = kept;
        for entry in stale {
            match self.remove(&entry) {
                Some(true) => cleared.removed.push(entry.name),
                Some(false) => {
                    cleared.left.push(entry.name.clone());
                    self.entries.push(entry);
                }
                None => {}
            }
        }
        cleared
    }

    /// Whether a file was removed; `None` where there is none.
    fn remove(&self, entry: &Entry) -> Option<bool> {
        let name = Path::new(&entry.name);
        if !name.components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        let path = self.folder.join(name);
        if !is_within(&self.folder, path.parent()?) {
            return Some(false);
        }
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(_) => return Some(false),
            Ok(bytes) => bytes,
        };
        let is_removed = sha256(bytes) == entry.sha256 && std::fs::remove_file(&path).is_ok();
        if let Some(parent) = name.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            // A folder with anything in it stays.
            let _ = std::fs::remove_dir(self.folder.join(parent));
        }
        Some(is_removed)
    }

    /// Writes the list.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self) -> Result<(), WriteError> {
        let list = List { schema: SCHEMA.to_owned(), files: self.entries.clone() };
        let text = serde_json::to_string_pretty(&list).expect("a list should be serialisable");
        atomically(&self.folder.join(LIST), (text + "\n").as_bytes())
    }
}

/// Whether a path, links followed, lies in a folder or is the folder itself.
pub(crate) fn is_within(folder: &Path, path: &Path) -> bool {
    let whole =
        |path: &Path| std::fs::canonicalize(if path.as_os_str().is_empty() { Path::new(".") } else { path });
    matches!((whole(folder), whole(path)), (Ok(folder), Ok(path)) if path.starts_with(&folder))
}

impl Cleared {
    /// What the user should know; nothing where nothing was there.
    pub fn messages(&self, folder: &Path) -> Vec<(&'static str, String)> {
        let folder = folder.display();
        let mut messages = Vec::new();
        if !self.removed.is_empty() {
            let names = self.removed.join(", ");
            messages.push(("note", format!("removed from {folder}, as files of an earlier result: {names}")));
        }
        if !self.left.is_empty() {
            let names = self.left.join(", ");
            messages.push((
                "warning",
                format!("{folder} still has files of an earlier result, changed since then: {names}"),
            ));
        }
        messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(result: &str) -> Origin {
        Origin { model: "m".to_owned(), result: result.to_owned() }
    }

    fn names(folder: &Path) -> Vec<String> {
        let listed = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            listed.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Three files and one in a folder of an earlier result, one of them edited; a file of the
    /// user; files of the new result.
    #[test]
    fn only_unchanged_files_of_earlier_results_go() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        std::fs::create_dir(folder.join("proofs")).unwrap();
        let mut owned = Owned::read(folder);
        for name in ["chain_1.vcd", "chain_2.vcd", "chain.csv", "proofs/a.cnf"] {
            std::fs::write(folder.join(name), name).unwrap();
            owned.add(&origin("old"), [(name.to_owned(), sha256(name))]);
        }
        owned.add(&origin("old"), [("../outside".to_owned(), sha256(""))]);
        owned.write().unwrap();
        std::fs::write(folder.join("chain_2.vcd"), "edited").unwrap();
        std::fs::write(folder.join("mine.vcd"), "mine").unwrap();

        let mut owned = Owned::read(folder);
        owned.add(&origin("new"), [("chain.csv".to_owned(), sha256("chain.csv"))]);
        let cleared = owned.clear(|origin| origin.result != "new");
        assert_eq!(cleared.removed, ["chain_1.vcd", "proofs/a.cnf"]);
        assert_eq!(cleared.left, ["chain_2.vcd"]);
        owned.write().unwrap();
        assert_eq!(names(folder), [LIST, "chain.csv", "chain_2.vcd", "mine.vcd"]);
        let again = Owned::read(folder).clear(|origin| origin.result != "new");
        assert_eq!(again.left, ["chain_2.vcd"], "it is told of as long as it is there");
    }

    #[test]
    fn a_list_that_makes_no_sense_owns_nothing() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["", "{", "[]", "{\"schema\": \"other\", \"files\": []}"] {
            std::fs::write(folder.path().join(LIST), text).unwrap();
            assert!(Owned::read(folder.path()).entries.is_empty(), "{text}");
        }
    }
}
