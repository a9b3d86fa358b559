//! Source files and places in them.
//!
//! A [`Span`] always speaks of the file as the user wrote it; what the preprocessor did in between
//! is undone by its line map before a span is made.

use model::define_id;
use model::id::IdVec;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

define_id!(
    /// A file of a [`SourceMap`].
    FileId, "f"
);

/// A source file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as the user gave it, or as the preprocessor reported it.
    pub path: PathBuf,
    /// Its text, read lossily (Latin-1 bytes become characters of the same number); `None` where it
    /// cannot be read any more.
    pub text: Option<String>,
    /// What it is: a file on disk, or an expression of the configuration.
    pub kind: FileKind,
}

/// What a file of a [`SourceMap`] is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file that stands, or stood, on disk.
    Disk,
    /// A file within an archive: its path is that of the archive, with the name inside behind it.
    Packed,
    /// An expression of the configuration: what it is for, and the file and line in which it is
    /// written, where that is known.
    Expression(String, Option<(PathBuf, u32)>),
}

/// All files that took part.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// The files. New ones are added by the methods only, which find them again by their paths.
    pub files: IdVec<FileId, SourceFile>,
    by_path: FxHashMap<PathBuf, FileId>,
}

/// A place: file, line and column, both counted from 1. Column 0: the whole line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1; 0 where only the line is known.
    pub column: u32,
}

impl SourceFile {
    /// The line of the given number, counted from 1, without its line end.
    pub fn line(&self, number: u32) -> Option<&str> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        self.text.as_deref()?.lines().nth(index)
    }
}

impl SourceMap {
    /// The entry of a file, read from disk where it is new.
    pub fn open(&mut self, path: &Path) -> FileId {
        self.find(path).unwrap_or_else(|| {
            let text = std::fs::read(path).ok().map(|bytes| decode(&bytes).into_owned());
            self.add(SourceFile { path: path.to_owned(), text, kind: FileKind::Disk })
        })
    }
    /// The entry of a file that does not stand on disk, such as an expression of the configuration;
    /// replaces the text of an older entry of that name.
    pub fn add_text(&mut self, path: &Path, text: &str) -> FileId {
        match self.find(path) {
            Some(id) => {
                self.files[id].text = Some(text.to_owned());
                id
            }
            None => {
                let text = Some(text.to_owned());
                self.add(SourceFile { path: path.to_owned(), text, kind: FileKind::Disk })
            }
        }
    }
    /// The entry of an expression of the configuration, by what it is for and where it is written.
    /// Its path is made of `purpose`, and is its alone.
    pub fn add_expression(&mut self, purpose: &str, text: &str, written: Option<(PathBuf, u32)>) -> FileId {
        let kind = FileKind::Expression(purpose.to_owned(), written);
        let mut path = PathBuf::from(purpose);
        let mut number = 1;
        while let Some(id) = self.find(&path) {
            let known = &self.files[id];
            if known.text.as_deref() == Some(text) && known.kind == kind {
                return id;
            }
            number += 1;
            path = PathBuf::from(format!("{purpose} ({number})"));
        }
        self.add(SourceFile { path, text: Some(text.to_owned()), kind })
    }
    /// Gives files other paths, and says what they are there; those for which there is none keep
    /// theirs.
    pub fn rename(&mut self, shown: impl Fn(&Path) -> Option<(PathBuf, FileKind)>) {
        for id in self.files.ids() {
            let file = &mut self.files[id];
            if let Some((path, kind)) = shown(&file.path) {
                self.by_path.remove(&file.path);
                self.by_path.insert(path.clone(), id);
                (file.path, file.kind) = (path, kind);
            }
        }
    }
    /// The entry of a file that another map holds, or that was read otherwise.
    pub fn adopt(&mut self, file: &SourceFile) -> FileId {
        self.find(&file.path).unwrap_or_else(|| self.add(file.clone()))
    }
    fn add(&mut self, file: SourceFile) -> FileId {
        let path = file.path.clone();
        let id = self.files.push(file);
        self.by_path.insert(path, id);
        id
    }
    /// Whether a place lies in an expression of the configuration.
    pub fn is_expression(&self, span: Span) -> bool {
        matches!(self.files[span.file].kind, FileKind::Expression(..))
    }
    /// File and line on disk: those of the configuration where the place lies in one of its
    /// expressions.
    pub fn written(&self, span: Span) -> (&Path, u32) {
        match &self.files[span.file] {
            SourceFile { kind: FileKind::Expression(_, Some((path, line))), .. } => (path, *line),
            file => (&file.path, span.line),
        }
    }
    /// The entry of a path.
    pub fn find(&self, path: &Path) -> Option<FileId> {
        self.by_path.get(path).copied()
    }
    /// `file:line` or `file:line:column`, as messages and reports write it; for expressions of the
    /// configuration, the line of that and what the expression is for.
    pub fn describe(&self, span: Span) -> String {
        let file = &self.files[span.file];
        let path = file.path.display();
        if let FileKind::Expression(purpose, Some((written, line))) = &file.kind {
            return format!("{}:{line}: {purpose}", written.display());
        }
        match span.column {
            0 => format!("{path}:{}", span.line),
            column => format!("{path}:{}:{column}", span.line),
        }
    }
}

/// The text of a file: UTF-8 (a byte order mark is dropped), else Latin-1. Carriage returns before
/// line feeds are dropped.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    };
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_expressions_by_where_they_are_written() {
        let mut sources = SourceMap::default();
        let written = Some((PathBuf::from("m/chaincover.toml"), 12));
        let file = sources.add_expression("goal g, after", "x == 3", written);
        let span = Span { file, line: 1, column: 3 };
        assert_eq!(sources.describe(span), "m/chaincover.toml:12: goal g, after");
        assert_eq!(sources.written(span), (Path::new("m/chaincover.toml"), 12));
        assert!(sources.is_expression(span));
    }

    #[test]
    fn decodes() {
        for (bytes, expected) in [
            (&b"plain"[..], "plain"),
            (b"\xef\xbb\xbfmark", "mark"),
            (b"gr\xc3\xb6\xc3\x9fe", "größe"),
            (b"gr\xf6\xdfe", "größe"),
            (b"a\r\nb\rc", "a\nb\rc"),
        ] {
            assert_eq!(decode(bytes), expected);
        }
    }

    #[test]
    fn describes_places() {
        let mut sources = SourceMap::default();
        let file = sources.add_text(Path::new("a.c"), "int x;\nint y;\n");
        assert_eq!(sources.describe(Span { file, line: 2, column: 5 }), "a.c:2:5");
        assert_eq!(sources.describe(Span { file, line: 2, column: 0 }), "a.c:2");
        assert_eq!(sources.files[file].line(2), Some("int y;"));
        assert_eq!(sources.files[file].line(3), None);
        assert_eq!(sources.files[file].line(0), None);
        assert_eq!(sources.add_text(Path::new("a.c"), "other"), file);
    }
}
