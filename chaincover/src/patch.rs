//! Unified diffs: which lines they change, and models as they are after them.
//!
//! Nothing is guessed: a hunk fits at the line that it names, with all of its context, or not at
//! all.

use crate::error::{Error, ErrorKind};
use report::mutation::{self, Mutant};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use tempfile::TempDir;

/// A unified diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    files: Vec<FilePatch>,
}

/// What a diff does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FilePatch {
    /// The file after the change, without the `b/` that git puts in front; none where it goes.
    name: Option<PathBuf>,
    /// Whether the file is new.
    is_new: bool,
    hunks: Vec<Hunk>,
}

/// Lines that follow each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Hunk {
    /// Number of the first line before the change, from 1.
    old: u32,
    /// Number of the first line after the change, from 1.
    new: u32,
    lines: Vec<(Side, String)>,
}

/// In which version of a file a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Both,
    Old,
    New,
}

/// The first change of a patch, for people: file, line before the change, text before and after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FirstChange {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) old: String,
    pub(crate) new: String,
}

impl Patch {
    /// Reads a unified diff, as `diff -u` and `git diff` write it.
    ///
    /// # Errors
    /// What is wrong, with the line of the diff.
    ///
    /// ```
    /// use chaincover::Patch;
    /// let patch = Patch::parse("--- a/m.c\n+++ b/m.c\n@@ -1,2 +1,2 @@\n int n;\n-int k;\n+int l;\n")?;
    /// assert_eq!(patch.changed_lines(), [("m.c".into(), 2)]);
    /// assert!(Patch::parse("int n;").is_err());
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader::default();
        for (number, line) in text.lines().enumerate() {
            reader.line(line).ok_or_else(|| format!("line {} is none of a unified diff", number + 1))?;
        }
        if reader.left != (0, 0) {
            return Err("the last hunk is not complete".to_owned());
        }
        if reader.files.iter().all(|file| file.hunks.is_empty()) {
            return Err("this is no unified diff".to_owned());
        }
        Ok(Self { files: reader.files })
    }

    /// The lines that the diff adds or changes, by their numbers after it, each with its file.
    pub fn changed_lines(&self) -> Vec<(PathBuf, u32)> {
        let mut found = Vec::new();
        for file in &self.files {
            let Some(name) = &file.name else { continue };
            for hunk in &file.hunks {
                let lines = hunk.lines.iter().filter(|(side, _)| *side != Side::Old);
                let numbered = (hunk.new..).zip(lines).filter(|(_, (side, _))| *side == Side::New);
                found.extend(numbered.map(|(number, _)| (name.clone(), number)));
            }
        }
        found
    }

    /// What it changes first.
    pub(crate) fn first_change(&self) -> FirstChange {
        let Some((file, hunk)) = self.files.iter().find_map(|file| Some((file, file.hunks.first()?))) else {
            return FirstChange::default();
        };
        let is_changed = |(side, _): &&(Side, String)| *side != Side::Both;
        let before = hunk.lines.iter().take_while(|(side, _)| *side == Side::Both).count();
        let changed = hunk.lines[before..].iter().take_while(is_changed);
        let text = |wanted: Side| {
            let lines = changed.clone().filter(|(side, _)| *side == wanted).map(|(_, line)| line.trim());
            lines.collect::<Vec<_>>().join(" ")
        };
        FirstChange {
            file: file.name.as_deref().unwrap_or(Path::new("")).display().to_string(),
            line: hunk.old + u32::try_from(before).unwrap_or(u32::MAX),
            old: text(Side::Old),
            new: text(Side::New),
        }
    }
}

/// Reads a diff line by line.
#[derive(Default)]
struct Reader {
    files: Vec<FilePatch>,
    /// What `---` said last: whether there was no file before.
    is_new: bool,
    /// Lines of the old and the new file that the hunk still has.
    left: (u32, u32),
}

impl Reader {
    /// Reads a line; `None` where it is out of place. Lines between files say nothing.
    fn line(&mut self, line: &str) -> Option<()> {
        if self.left != (0, 0) {
            return self.inside(line);
        }
        if let Some(name) = line.strip_prefix("--- ") {
            self.is_new = named(name).is_none();
        } else if let Some(name) = line.strip_prefix("+++ ") {
            let is_new = std::mem::take(&mut self.is_new);
            self.files.push(FilePatch { name: named(name), is_new, hunks: Vec::new() });
        } else if let Some(ranges) = line.strip_prefix("@@ -") {
            let (before, rest) = ranges.split_once(" +")?;
            let (after, _) = rest.split_once(" @@")?;
            let (before, after) = (range(before)?, range(after)?);
            self.left = (before.1, after.1);
            self.files.last_mut()?.hunks.push(Hunk { old: before.0, new: after.0, lines: Vec::new() });
        }
        Some(())
    }

    fn inside(&mut self, line: &str) -> Option<()> {
        let (old, new) = &mut self.left;
        let side = match line.bytes().next() {
            Some(b'\\') => return Some(()),
            Some(b'+') => Side::New,
            Some(b'-') => Side::Old,
            Some(b' ') | None => Side::Both,
            Some(_) => return None,
        };
        if side != Side::New {
            *old = old.checked_sub(1)?;
        }
        if side != Side::Old {
            *new = new.checked_sub(1)?;
        }
        let text = line.get(1..).unwrap_or_default().to_owned();
        self.files.last_mut()?.hunks.last_mut()?.lines.push((side, text));
        Some(())
    }
}

/// The file that a head names; none where there is no file.
fn named(name: &str) -> Option<PathBuf> {
    let name = name.split('\t').next().unwrap_or(name).trim_end();
    let name = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name);
    (name != "/dev/null").then(|| PathBuf::from(name))
}

/// First line and number of lines.
fn range(range: &str) -> Option<(u32, u32)> {
    let (start, count) = range.split_once(',').unwrap_or((range, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

impl FilePatch {
    /// The text after the change; else the first line that does not fit.
    fn apply(&self, text: &str) -> Result<String, String> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let (mut found, mut next) = (String::with_capacity(text.len()), 0);
        for (number, hunk) in self.hunks.iter().enumerate() {
            let Range { start, end: after } = hunk.fits(&lines, next).map_err(|why| {
                let about =
                    if self.hunks.len() > 1 { format!("hunk {}: ", number + 1) } else { String::new() };
                format!("{about}{why}")
            })?;
            found.extend(lines[next..start].iter().copied());
            let mut at = start;
            for (side, line) in &hunk.lines {
                match side {
                    Side::Both => found.push_str(lines[at]),
                    Side::Old => {}
                    Side::New => {
                        let _ = write!(found, "{line}{end}");
                    }
                }
                at += usize::from(*side != Side::New);
            }
            next = after;
        }
        found.extend(lines[next..].iter().copied());
        Ok(found)
    }
}

impl Hunk {
    /// The positions of the lines that it replaces.
    fn fits(&self, lines: &[&str], from: usize) -> Result<Range<usize>, String> {
        let count = self.lines.iter().filter(|(side, _)| *side != Side::New).count();
        // A hunk without old lines names the line behind which it adds.
        let start = (self.old as usize).saturating_sub(usize::from(count > 0));
        if start < from || start + count > lines.len() {
            return Err(format!("the file has no lines {} to {} there", start + 1, start + count));
        }
        let old = self.lines.iter().filter(|(side, _)| *side != Side::New);
        for (at, (_, wanted)) in (start..).zip(old) {
            let line = lines[at].trim_end_matches(['\r', '\n']);
            if line != wanted.trim_end_matches('\r') {
                let message = format!("line {} is `{}`, not `{}`", at + 1, line.trim(), wanted.trim());
                return Err(message);
            }
        }
        Ok(start..start + count)
    }
}

/// The files of a model as they are after a patch, in a folder of their own, which goes with it.
#[derive(Debug)]
pub(crate) struct Patched {
    folder: TempDir,
}

impl Patched {
    /// Copies files and applies a patch to the copies.
    ///
    /// # Errors
    /// Why the patch does not apply, or why nothing can be copied.
    pub(crate) fn new(files: &[PathBuf], patch: &Patch) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let patched = Self { folder };
        let mut changed: BTreeMap<PathBuf, String> = BTreeMap::new();
        for change in &patch.files {
            let path = change.target(files)?;
            let text = match changed.remove(path) {
                Some(text) => text,
                None => read(path)?,
            };
            let text = change.apply(&text).map_err(|why| format!("{}: {why}", path.display()))?;
            changed.insert(path.to_owned(), text);
        }
        for path in files {
            let place = patched.place(path);
            let parent = place.parent().unwrap_or(Path::new("."));
            std::fs::create_dir_all(parent).map_err(|error| error.to_string())?;
            let written = match changed.get(path) {
                Some(text) => std::fs::write(&place, text),
                None => std::fs::copy(path, &place).map(drop),
            };
            written.map_err(|error| format!("cannot copy {}: {error}", path.display()))?;
        }
        Ok(patched)
    }

    /// Where the copy of a file or a folder is, whether or not there is one.
    pub(crate) fn place(&self, path: &Path) -> PathBuf {
        let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let names = whole.components().filter(|part| matches!(part, Component::Normal(_)));
        self.folder.path().join(names.collect::<PathBuf>())
    }
}

/// A patch as a mutant: what is told of it, and the files with it; else why it is none.
///
/// # Errors
/// [`ErrorKind::Request`]: the patch cannot be read.
pub(crate) fn patch_mutant(
    files: &[PathBuf],
    path: &Path,
) -> Result<(Mutant, Result<Patched, String>), Error> {
    let bytes = std::fs::read(path).map_err(|error| {
        Error::new(ErrorKind::Request, format!("cannot read {}: {error}", path.display()))
    })?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let mut mutant = Mutant {
        id: name,
        operator: mutation::PATCH.to_owned(),
        file: path.display().to_string(),
        line: 1,
        column: 1,
        ..Mutant::default()
    };
    let patch = match String::from_utf8(bytes) {
        Ok(text) => Patch::parse(&text),
        Err(_) => Err("it is not UTF-8".to_owned()),
    };
    if let Ok(patch) = &patch {
        let FirstChange { file, line, old, new } = patch.first_change();
        (mutant.file, mutant.line, mutant.old, mutant.new) = (file, line, old, new);
    }
    let made = patch.and_then(|patch| Patched::new(files, &patch));
    Ok((mutant, made.map_err(|why| format!("the patch does not apply: {why}"))))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

impl FilePatch {
    /// The file that is meant: the one whose path ends as the name does, where leading folders of
    /// the name may be others.
    fn target<'a>(&self, files: &'a [PathBuf]) -> Result<&'a PathBuf, String> {
        let Some(name) = self.name.as_deref().filter(|_| !self.is_new) else {
            return Err("it adds or removes a whole file".to_owned());
        };
        let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let parts: Vec<Component<'_>> = name.components().collect();
        for skipped in 0..parts.len() {
            let end: PathBuf = parts[skipped..].iter().collect();
            let mut found = files.iter().filter(|path| path.ends_with(&end) || whole(path).ends_with(&end));
            match (found.next(), found.next()) {
                (Some(path), None) => return Ok(path),
                (Some(_), Some(_)) => {
                    return Err(format!("several files of the model are called {}", end.display()));
                }
                _ => {}
            }
        }
        Err(format!("the model has no file {}", name.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "one\ntwo\nthree\nfour\n";

    #[test]
    fn diffs_name_the_lines_that_they_add() {
        let diff = "--- a/m.as\n+++ b/m.as\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+++ 2.5\n three\n@@ -9 +10 @@\n-x\n+y\n";
        let lines = Patch::parse(diff).expect("a diff").changed_lines();
        assert_eq!(lines.iter().map(|(_, line)| *line).collect::<Vec<_>>(), [2, 3, 10]);
        assert!(lines.iter().all(|(file, _)| file == Path::new("m.as")));
        let wrong = [
            "",
            "no diff",
            "+++ b/m\n@@ -1 +x @@\n",
            "+++ b/m\n@@ -1,2 +1 @@\n-x\n",
            "@@ -1 +1 @@\n-x\n+y\n",
        ];
        for text in wrong {
            assert!(Patch::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn hunks_fit_where_they_say_or_not_at_all() {
        let table = [
            ("@@ -2 +2 @@\n-two\n+2\n", Ok("one\n2\nthree\nfour\n")),
            ("@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -4 +4,0 @@\n-four\n", Ok("one\n2\nthree\n")),
            ("@@ -4,0 +5,1 @@\n+five\n", Ok("one\ntwo\nthree\nfour\nfive\n")),
            ("@@ -0,0 +1 @@\n+zero\n", Ok("zero\none\ntwo\nthree\nfour\n")),
            ("@@ -3 +3 @@\n-two\n+2\n", Err("m.c: line 3 is `three`, not `two`")),
            (
                "@@ -2 +2 @@\n-two\n+2\n@@ -1 +1 @@\n-one\n+1\n",
                Err("m.c: hunk 2: the file has no lines 1 to 1 there"),
            ),
            ("@@ -4,2 +4,2 @@\n four\n-five\n+5\n", Err("m.c: the file has no lines 4 to 5 there")),
        ];
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("m.c");
        std::fs::write(&path, TEXT).expect("a file");
        let files = [path.clone()];
        for (hunks, expected) in table {
            let patch = Patch::parse(&format!("--- a/src/m.c\n+++ b/src/m.c\n{hunks}")).expect("a diff");
            let found = Patched::new(&files, &patch);
            let found = found.map(|patched| std::fs::read_to_string(patched.place(&path)).expect("a copy"));
            let found = found.map_err(|why| why.replace(&folder.path().join("").display().to_string(), ""));
            assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned), "{hunks}");
        }
    }

    #[test]
    fn patches_are_for_files_of_the_model() {
        let folder = tempfile::tempdir().expect("a folder");
        let files: Vec<PathBuf> = ["a/m.c", "b/m.c", "n.c"].map(|name| folder.path().join(name)).to_vec();
        for path in &files {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, TEXT).expect("a file");
        }
        let hunk = "@@ -2 +2 @@\n-two\n+2\n";
        let table = [
            ("--- x/n.c\n+++ x/n.c\n", None),
            ("--- q/a/m.c\n+++ q/a/m.c\n", None),
            ("--- m.c\n+++ m.c\n", Some("several files of the model are called m.c")),
            ("--- k.h\n+++ k.h\n", Some("the model has no file k.h")),
            ("--- n.c\n+++ /dev/null\n", Some("it adds or removes a whole file")),
            ("--- /dev/null\n+++ n.c\n", Some("it adds or removes a whole file")),
        ];
        for (head, expected) in table {
            let patch = Patch::parse(&format!("{head}{hunk}")).expect("a diff");
            assert_eq!(Patched::new(&files, &patch).err().as_deref(), expected, "{head}");
        }
    }
}
