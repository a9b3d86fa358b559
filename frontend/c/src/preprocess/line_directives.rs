//! Where lines really stand that `#line` places elsewhere.
//!
//! A generator may say of its output that it comes from a model that no one has at hand (`#line 12
//! "controller.sl"`). The preprocessor believes it, and nothing could be shown of such a line. What
//! the directives say is undone here: they are read from the text of the file that holds them.

use frontend::source::{FileId, SourceMap};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Follows the preprocessor through files and their directives.
pub(super) struct Whereabouts {
    /// The files that are being read, the innermost last.
    open: Vec<FileId>,
    directives: FxHashMap<FileId, Rc<[Segment]>>,
    /// For each file the line found last: lines come in order.
    last: FxHashMap<FileId, u32>,
}

/// Lines between two directives.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Segment {
    /// The first of them, and the one behind the last.
    lines: std::ops::Range<u32>,
    /// The name of the file that they are said to come from.
    name: String,
    /// The number that the first one is said to have.
    number: u32,
}

/// What a line marker says.
#[derive(Clone, Copy)]
pub(super) struct Claim<'a> {
    /// The name of the file.
    pub(super) name: &'a str,
    /// The file of that name.
    pub(super) file: FileId,
    /// The number of the next line.
    pub(super) number: u32,
    /// Whether a file begins here.
    pub(super) is_entry: bool,
    /// Whether a file goes on that had included another.
    pub(super) is_return: bool,
}

impl Whereabouts {
    /// At the beginning of a file.
    pub(super) fn new(main: FileId) -> Self {
        Self { open: vec![main], directives: FxHashMap::default(), last: FxHashMap::default() }
    }

    /// The file and line where that really stands which a marker speaks of, where it is not what
    /// the marker says.
    pub(super) fn find(&mut self, claim: Claim<'_>, sources: &SourceMap) -> Option<(FileId, u32)> {
        let around = *self.open.last()?;
        if claim.is_entry {
            let is_said = self.segments(around, sources).iter().any(|segment| segment.name == claim.name);
            let is_missing = sources.files[claim.file].text.is_none();
            self.open.push(if is_missing && is_said { around } else { claim.file });
        } else if claim.is_return && self.open.len() > 1 {
            self.open.pop();
        }
        let real = *self.open.last()?;
        let is_believed = claim.file != real && sources.files[claim.file].text.is_some();
        let segments = self.segments(real, sources);
        if is_believed || segments.is_empty() {
            return None;
        }
        let last = self.last.get(&real).copied().unwrap_or(0);
        let fitting = segments.iter().filter(|segment| segment.name == claim.name);
        let lines = fitting.filter_map(|segment| {
            let line = segment.lines.start + claim.number.checked_sub(segment.number)?;
            segment.lines.contains(&line).then_some(line)
        });
        let lines: Vec<u32> = lines.collect();
        let line = lines.iter().copied().find(|&line| line >= last).or(lines.first().copied())?;
        self.last.insert(real, line);
        Some((real, line))
    }

    /// The segments of a file; none where it has no directives.
    fn segments(&mut self, file: FileId, sources: &SourceMap) -> Rc<[Segment]> {
        let read = || {
            let source = &sources.files[file];
            let name = source.path.to_string_lossy();
            source.text.as_deref().map_or_else(|| Rc::from([]), |text| segments(text, &name))
        };
        Rc::clone(self.directives.entry(file).or_insert_with(read))
    }
}

/// The segments of a text that has directives, the lines before the first one included.
fn segments(text: &str, name: &str) -> Rc<[Segment]> {
    let mut found = vec![Segment { lines: 1..1, name: name.to_owned(), number: 1 }];
    let mut end = 1;
    for (index, line) in text.lines().enumerate() {
        let at = index as u32 + 1;
        end = at + 1;
        if let Some((number, named)) = directive(line) {
            let open = found.last_mut().expect("there should always be a segment");
            open.lines.end = at;
            let name = named.map_or_else(|| open.name.clone(), unescaped);
            found.push(Segment { lines: at + 1..at + 1, name, number });
        }
    }
    if let Some(open) = found.last_mut() {
        open.lines.end = end;
    }
    if found.len() == 1 { Rc::from([]) } else { Rc::from(found) }
}

/// The name that is meant by a string in a directive.
pub(super) fn unescaped(name: &str) -> String {
    name.replace("\\\\", "\\").replace("\\\"", "\"")
}

/// The number and the name in a `#line` directive, or in a marker that a preprocessor left.
fn directive(line: &str) -> Option<(u32, Option<&str>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.len() - rest.trim_start_matches(|character: char| character.is_ascii_digit()).len();
    let number = rest[..digits].parse().ok()?;
    let name = rest[digits..].trim_start().strip_prefix('"');
    Some((number, name.and_then(|name| name.split_once('"')).map(|(name, _)| name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const TEXT: &str = "int a;\n#line 5 \"model.sl\"\nint b;\nint c;\n\n#include \"x.h\"\n\n#line 5 \"model.sl\"\nint d;\n# line 40\nint e;\n";

    #[test]
    fn reads_directives() {
        for (line, expected) in [
            ("#line 12 \"a.sl\"", Some((12, Some("a.sl")))),
            (" #  line 7", Some((7, None))),
            ("# 3 \"b.c\" 1 3", Some((3, Some("b.c")))),
            ("#define X 3", None),
            ("line 3", None),
            ("#line", None),
        ] {
            assert_eq!(directive(line), expected, "{line}");
        }
    }

    #[test]
    fn lines_are_found_in_order() {
        let mut sources = SourceMap::default();
        let main = sources.add_text(Path::new("m.c"), TEXT);
        let header = sources.add_text(Path::new("x.h"), "int h;\n");
        let known = sources.add_text(Path::new("known.sl"), "block\n");
        let missing = sources.open(Path::new("/nowhere/model.sl"));
        let mut whereabouts = Whereabouts::new(main);
        let mut find = |name: &str, file, number, flag| {
            let claim = Claim { name, file, number, is_entry: flag == 1, is_return: flag == 2 };
            whereabouts.find(claim, &sources)
        };
        assert_eq!(find("m.c", main, 1, 0), Some((main, 1)));
        assert_eq!(find("model.sl", missing, 5, 0), Some((main, 3)));
        assert_eq!(find("model.sl", missing, 6, 0), Some((main, 4)));
        assert_eq!(find("x.h", header, 1, 1), None);
        assert_eq!(find("model.sl", missing, 9, 2), Some((main, 7)));
        assert_eq!(find("model.sl", missing, 5, 0), Some((main, 9)), "the same claim, further on");
        assert_eq!(find("model.sl", missing, 40, 0), Some((main, 11)));
        assert_eq!(find("known.sl", known, 1, 0), None, "a file that can be shown");
        assert_eq!(find("model.sl", missing, 99, 0), None, "no directive says that");
    }
}
