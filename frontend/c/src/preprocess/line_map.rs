//! The way back from preprocessed text to the user's files.
//!
//! Line markers (`# 12 "file.c"`) are taken out of the text, because they may stand inside
//! expressions; what they say is kept for each line. Columns are found by aligning the tokens of a
//! preprocessed line with those of the line it came from: what a macro brought in stands where the
//! macro was used.

use super::line_directives::{Claim, Whereabouts, unescaped};
use crate::syntax::ast::Position;
use crate::syntax::token::{TokenKind, next_token};
use frontend::TextEdit;
use frontend::source::{FileId, SourceMap, Span};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Preprocessed text without directives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preprocessed {
    pub(crate) text: String,
    pub(crate) lines: LineMap,
    /// What `#pragma pack` says, by byte offset.
    pub(crate) packing: Vec<(u32, Option<u32>)>,
    /// Pragmas that give types another meaning, with their places.
    pub(crate) unsupported: Vec<(FileId, u32, String)>,
}

/// Pragmas that give types or names another meaning. All others but `pack` say nothing of what a
/// program does.
const MEANINGFUL: [&str; 3] = ["scalar_storage_order", "redefine_extname", "weak"];

impl Preprocessed {
    /// The text after changes that do not overlap and keep the number of lines; `None` where one of
    /// them does not fit.
    pub(crate) fn with_edits<'a>(self, edits: impl Iterator<Item = &'a TextEdit>) -> Option<Self> {
        let mut edits: Vec<&TextEdit> = edits.collect();
        // From the end on, so that the offsets of those that are left stay right.
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.range.start));
        edits.into_iter().try_fold(self, |text, edit| text.edited(edit))
    }

    /// The text after a change that keeps the number of lines; `None` where it does not fit.
    /// Columns behind the change in its line are those of the text before.
    fn edited(&self, edit: &TextEdit) -> Option<Self> {
        let old = self.text.get(edit.range.clone())?;
        let ends = |text: &str| text.bytes().filter(|&byte| byte == b'\n').count();
        if ends(old) != ends(&edit.text) {
            return None;
        }
        let mut edited = self.clone();
        edited.text.replace_range(edit.range.clone(), &edit.text);
        let starts = edited.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(starts.map(|(at, _)| at + 1));
        for (line, start) in edited.lines.lines.iter_mut().zip(starts) {
            line.start = u32::try_from(start).ok()?;
        }
        for (offset, _) in edited.packing.iter_mut().filter(|(offset, _)| *offset as usize >= edit.range.end)
        {
            *offset = u32::try_from(*offset as usize + edit.text.len() - old.len()).ok()?;
        }
        Some(edited)
    }

    /// The text with `#pragma pack` where it stood, bytes that are no UTF-8 as octal escapes, and
    /// blanks for parts that are left out.
    pub(crate) fn with_packing(&self, left_out: &[Range<u32>]) -> String {
        let mut text = self.text.clone();
        for part in left_out {
            let part = part.start as usize..part.end as usize;
            let blank = |character: char| {
                if character == '\n' { "\n".to_owned() } else { " ".repeat(character.len_utf8()) }
            };
            let blanks: String = text[part.clone()].chars().map(blank).collect();
            text.replace_range(part, &blanks);
        }
        let mut found = String::with_capacity(text.len());
        let mut position = 0;
        for &(offset, limit) in &self.packing {
            let offset = offset as usize;
            found.push_str(&text[position..offset]);
            found.push_str("\n#pragma pack(");
            if let Some(limit) = limit {
                found.push_str(&limit.to_string());
            }
            found.push_str(")\n");
            position = offset;
        }
        found.push_str(&text[position..]);
        match found.contains(is_byte) {
            true => found.chars().map(escaped).collect(),
            false => found,
        }
    }
}

/// Whether a character stands for a byte that is no UTF-8 (see the preprocessor's output).
fn is_byte(character: char) -> bool {
    ('\u{f780}'..='\u{f7ff}').contains(&character)
}

fn escaped(character: char) -> String {
    match is_byte(character) {
        true => format!("\\{:03o}", u32::from(character) & 0xff),
        false => character.to_string(),
    }
}

/// Where each line of a text comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineMap {
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    /// Byte offset of the line's beginning in the text.
    start: u32,
    file: FileId,
    number: u32,
    is_system: bool,
    columns: Columns,
}

/// How byte offsets in a line become columns.
#[derive(Clone, Debug)]
enum Columns {
    /// The preprocessor left the line as it was, and each character is a byte.
    Bytes,
    /// The preprocessor left the line as it was.
    Same,
    /// Byte offsets of tokens, ascending, and their columns in the source.
    Tokens(Vec<(u32, u32)>),
    /// Nothing is known.
    Unknown,
}

impl LineMap {
    /// The place of a byte offset in the user's files.
    pub(crate) fn span(&self, position: Position, text: &str) -> Option<Span> {
        let line = self.line(position)?;
        let within = position.0 - line.start;
        let column = match &line.columns {
            Columns::Bytes => within + 1,
            Columns::Same => {
                let start = line.start as usize;
                text.get(start..position.0 as usize).map_or(0, |before| before.chars().count() as u32 + 1)
            }
            Columns::Tokens(tokens) => {
                let index = tokens.partition_point(|(offset, _)| *offset <= within);
                index.checked_sub(1).map_or(0, |index| tokens[index].1)
            }
            Columns::Unknown => 0,
        };
        Some(Span { file: line.file, line: line.number, column })
    }

    /// Whether a byte offset lies in a header of the system or of this tool.
    pub(crate) fn is_system(&self, position: Position) -> bool {
        self.line(position).is_some_and(|line| line.is_system)
    }

    /// Number of lines that are not blank and come from none but the user's files.
    pub(crate) fn user_lines(&self, text: &str) -> usize {
        let ends = self.lines.iter().skip(1).map(|line| line.start as usize).chain([text.len()]);
        let is_counted = |(line, end): &(&Line, usize)| {
            !line.is_system && text.get(line.start as usize..*end).is_some_and(|text| !text.trim().is_empty())
        };
        self.lines.iter().zip(ends).filter(is_counted).count()
    }

    fn line(&self, position: Position) -> Option<&Line> {
        let index = self.lines.partition_point(|line| line.start <= position.0);
        self.lines.get(index.checked_sub(1)?)
    }
}

/// Takes line markers and pragmas out of preprocessed text. `rename` maps the names of files in
/// markers to those the user should see.
pub(crate) fn strip_markers(
    output: &str,
    main: &Path,
    sources: &mut SourceMap,
    rename: impl Fn(&str) -> PathBuf,
) -> Preprocessed {
    let mut result = Preprocessed { text: String::with_capacity(output.len()), ..Preprocessed::default() };
    let mut place = Place { file: sources.open(main), number: 1, is_system: false, is_expansion: false };
    let mut whereabouts = Whereabouts::new(place.file);
    let mut packs = PackStack::default();
    let mut index = LineIndex::default();
    let mut headers: BTreeSet<FileId> = BTreeSet::new();
    for line in output.lines() {
        let start = u32::try_from(result.text.len()).expect("preprocessed text should be smaller than 4 GiB");
        if let Some(directive) = line.trim_start().strip_prefix('#') {
            if let Some(marker) = Marker::parse(directive) {
                place = marker.apply(sources, &rename, &mut whereabouts);
                if marker.is_system && marker.is_entry {
                    headers.insert(place.file);
                }
                // Expansions of macros of the system are marked as well, wherever they stand.
                place.is_expansion = place.is_system && !headers.contains(&place.file);
                place.is_system &= !place.is_expansion;
                continue;
            }
            if let Some(limit) = packs.pragma(directive) {
                result.packing.push((start, limit));
            }
            if let Some(words) = directive.trim_start().strip_prefix("pragma").map(str::trim)
                && MEANINGFUL.iter().any(|known| words.starts_with(known))
                && !["default", "little-endian"].iter().any(|harmless| words.ends_with(harmless))
            {
                result.unsupported.push((place.file, place.number, words.to_owned()));
            }
        } else {
            let columns = index.columns(sources, place, line);
            let Place { file, number, is_system, .. } = place;
            result.lines.lines.push(Line { start, file, number, is_system, columns });
            result.text.push_str(line);
            result.text.push('\n');
        }
        place.number = place.number.saturating_add(1);
    }
    result
}

#[derive(Clone, Copy)]
struct Place {
    file: FileId,
    number: u32,
    is_system: bool,
    /// Whether what follows comes from a macro of the system that the file uses there.
    is_expansion: bool,
}

/// `# 12 "file.c" 1 3`, without the `#`.
struct Marker<'a> {
    number: u32,
    file: &'a str,
    /// Whether it begins a file.
    is_entry: bool,
    /// Whether it goes on with a file that had included another.
    is_return: bool,
    is_system: bool,
}

impl<'a> Marker<'a> {
    fn parse(directive: &'a str) -> Option<Self> {
        let directive = directive.trim_start();
        let directive = directive.strip_prefix("line").unwrap_or(directive).trim_start();
        let (number, rest) = directive.split_once(' ')?;
        let number = number.parse().ok()?;
        let rest = rest.trim_start().strip_prefix('"')?;
        let (file, flags) = rest.rsplit_once('"')?;
        let has = |wanted: &str| flags.split_whitespace().any(|flag| flag == wanted);
        Some(Self { number, file, is_entry: has("1"), is_return: has("2"), is_system: has("3") })
    }

    fn apply(
        &self,
        sources: &mut SourceMap,
        rename: &impl Fn(&str) -> PathBuf,
        whereabouts: &mut Whereabouts,
    ) -> Place {
        let name = unescaped(self.file);
        let path = rename(&name);
        let file = sources.open(&path);
        let name = &*path.to_string_lossy();
        let (is_entry, is_return) = (self.is_entry, self.is_return);
        let claim = Claim { name, file, number: self.number, is_entry, is_return };
        let (file, number) = whereabouts.find(claim, sources).unwrap_or((file, self.number));
        Place { file, number, is_system: self.is_system, is_expansion: false }
    }
}

/// The stack of `#pragma pack`.
#[derive(Default)]
struct PackStack {
    current: Option<u32>,
    saved: Vec<Option<u32>>,
}

impl PackStack {
    /// Applies a pragma (without `#`); returns the new limit if it is one of these.
    fn pragma(&mut self, directive: &str) -> Option<Option<u32>> {
        let rest = directive.trim_start().strip_prefix("pragma")?.trim_start().strip_prefix("pack")?;
        let arguments = rest.trim().trim_start_matches('(').trim_end_matches(')');
        let mut limit = None;
        let mut is_push_or_pop = false;
        for argument in arguments.split(',').map(str::trim) {
            match argument {
                "push" => {
                    self.saved.push(self.current);
                    is_push_or_pop = true;
                }
                "pop" => {
                    self.current = self.saved.pop().unwrap_or(None);
                    is_push_or_pop = true;
                }
                _ => limit = argument.parse().ok().filter(|limit: &u32| limit.is_power_of_two()).or(limit),
            }
        }
        if limit.is_some() || !is_push_or_pop {
            self.current = limit;
        }
        Some(self.current)
    }
}

/// Byte offsets of line beginnings of the file looked at last; files come in long runs.
#[derive(Default)]
struct LineIndex {
    file: Option<FileId>,
    starts: Vec<usize>,
    /// The line looked at last, and how many of its tokens were found: markers around macros of the
    /// system cut lines into pieces.
    piece: Option<(FileId, u32, usize)>,
}

impl LineIndex {
    fn columns(&mut self, sources: &SourceMap, place: Place, line: &str) -> Columns {
        if place.is_system || line.trim().is_empty() {
            return Columns::Unknown;
        }
        let Some(text) = sources.files[place.file].text.as_deref() else { return Columns::Unknown };
        if self.file != Some(place.file) {
            self.starts =
                std::iter::once(0).chain(text.match_indices('\n').map(|(index, _)| index + 1)).collect();
            self.file = Some(place.file);
        }
        let Some(&start) = self.starts.get(place.number as usize - 1) else { return Columns::Unknown };
        let source = text[start..].lines().next().unwrap_or("");
        let from = match self.piece {
            Some((file, number, found)) if (file, number) == (place.file, place.number) => found,
            _ => 0,
        };
        if place.is_expansion {
            self.piece = Some((place.file, place.number, from));
            return at_next(line, source, from);
        }
        let (columns, found) = match source.trim_end() == line.trim_end() {
            true if line.is_ascii() => (Columns::Bytes, 0),
            true => (Columns::Same, 0),
            false => align(line, source, from),
        };
        self.piece = Some((place.file, place.number, found));
        columns
    }
}

/// Most table entries of an alignment; longer lines keep only what agrees at both ends.
const MAX_ALIGNMENT: usize = 40_000;

/// Aligns the tokens of a preprocessed line with those of its source, where so many of these belong
/// to pieces before it. Returns how many belong to this one and those before it.
fn align(line: &str, source: &str, from: usize) -> (Columns, usize) {
    let (made, all) = (line_tokens(line), line_tokens(source));
    let from = if from < all.len() { from } else { 0 };
    let written = &all[from..];
    let same = |(made, written): &(&(u32, &str), &(u32, &str))| made.1 == written.1;
    let head = made.iter().zip(written).take_while(same).count();
    let tail = made[head..].iter().rev().zip(written[head..].iter().rev()).take_while(same).count();
    let middle = (&made[head..made.len() - tail], &written[head..written.len() - tail]);
    let partners = middle_partners(middle.0, middle.1);
    let written_columns = columns_of(&all, source);
    let mut columns = Vec::with_capacity(made.len());
    let mut found = from;
    for (index, (offset, _)) in made.iter().enumerate() {
        let partner = if index < head {
            Some(index)
        } else if index >= made.len() - tail {
            Some(written.len() - (made.len() - index))
        } else {
            partners[index - head].map(|partner| partner + head)
        };
        let is_equal = partner.is_some_and(|partner| made[index].1 == written[partner].1);
        found = found.max(partner.map_or(0, |partner| from + partner + usize::from(is_equal)));
        columns.push((*offset, partner.map_or(0, |partner| written_columns[from + partner])));
    }
    (Columns::Tokens(columns), found)
}

/// Tokens of a macro of the system stand where it is used: at the token behind those that belong to
/// pieces before it. They are none of the source, though some may look like it.
fn at_next(line: &str, source: &str, from: usize) -> Columns {
    let all = line_tokens(source);
    let column = columns_of(&all, source).get(from).copied().unwrap_or(0);
    Columns::Tokens(line_tokens(line).into_iter().map(|(offset, _)| (offset, column)).collect())
}

/// Columns of tokens, in one pass over the line.
fn columns_of(tokens: &[(u32, &str)], line: &str) -> Vec<u32> {
    let (mut column, mut position) = (1, 0);
    let step = |&(offset, _): &(u32, &str)| {
        column += line[position..offset as usize].chars().count() as u32;
        position = offset as usize;
        column
    };
    tokens.iter().map(step).collect()
}

/// Byte offsets and texts of the tokens of a line.
fn line_tokens(line: &str) -> Vec<(u32, &str)> {
    let mut tokens = Vec::new();
    let mut position = 0;
    while let Some(token) = next_token(line, position) {
        position = token.end as usize;
        if token.kind != TokenKind::End {
            tokens.push((token.start, token.text(line)));
        }
    }
    tokens
}

/// For each made token the written token it stands at: its equal in a longest common subsequence,
/// else the token behind the last such one, which is the macro it comes from.
fn middle_partners(made: &[(u32, &str)], written: &[(u32, &str)]) -> Vec<Option<usize>> {
    let Some(last) = written.len().checked_sub(1) else { return vec![None; made.len()] };
    let width = written.len() + 1;
    if made.len().saturating_mul(width) > MAX_ALIGNMENT {
        return vec![Some(0); made.len()];
    }
    let mut longest = vec![0u32; (made.len() + 1) * width];
    for row in (0..made.len()).rev() {
        for column in (0..written.len()).rev() {
            longest[row * width + column] = if made[row].1 == written[column].1 {
                longest[(row + 1) * width + column + 1] + 1
            } else {
                longest[(row + 1) * width + column].max(longest[row * width + column + 1])
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut partners = Vec::with_capacity(made.len());
    while row < made.len() {
        let is_equal = column < written.len() && made[row].1 == written[column].1;
        if is_equal {
            partners.push(Some(column));
            (row, column) = (row + 1, column + 1);
        } else if column < written.len()
            && longest[row * width + column + 1] > longest[(row + 1) * width + column]
        {
            column += 1;
        } else {
            partners.push(Some(column.min(last)));
            row += 1;
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(output: &str, source: &str) -> (Preprocessed, SourceMap) {
        let mut sources = SourceMap::default();
        sources.add_text(Path::new("m.c"), source);
        sources.add_text(Path::new("h.h"), "int h;\n");
        let result = strip_markers(output, Path::new("m.c"), &mut sources, |name| PathBuf::from(name));
        (result, sources)
    }

    #[track_caller]
    fn check_place(result: &Preprocessed, sources: &SourceMap, needle: &str, expected: &str) {
        let position = Position(result.text.find(needle).expect("the needle should be in the text") as u32);
        let span = result.lines.span(position, &result.text).expect("every place should have a line");
        assert_eq!(sources.describe(span), expected, "{needle}");
    }

    #[test]
    fn maps_lines_and_columns() {
        let source =
            "#include \"h.h\"\n#define MAX(a,b) ((a)>(b)?(a):(b))\n\tint x = MAX(u,  v) + w; // c\nint y;\n";
        let output = "# 1 \"m.c\"\n# 1 \"h.h\" 1 3\nint h;\n# 2 \"m.c\" 2\n\n int x = ((u)>(v)?(u):(v)) + w;\nint y;\n";
        let (result, sources) = strip(output, source);
        assert!(!result.text.contains('#'));
        check_place(&result, &sources, "int h", "h.h:1");
        check_place(&result, &sources, "int x", "m.c:3:2");
        check_place(&result, &sources, "((u)", "m.c:3:10");
        check_place(&result, &sources, "w;", "m.c:3:23");
        check_place(&result, &sources, "y;", "m.c:4:5");
        assert!(result.lines.is_system(Position(0)));
        assert_eq!(result.lines.user_lines(&result.text), 2);
    }

    #[test]
    fn macros_of_the_system_take_no_tokens_of_the_source() {
        let source = "f(y > MAX - 1); f(y == 7);\n";
        let output = "# 1 \"m.c\"\nf(y >\n# 1 \"m.c\" 3 4\n (0x7f - 1)\n# 1 \"m.c\"\n - 1); f(y == 7);\n";
        let (result, sources) = strip(output, source);
        check_place(&result, &sources, "(0x7f", "m.c:1:7");
        check_place(&result, &sources, "1);", "m.c:1:13");
        check_place(&result, &sources, "f(y ==", "m.c:1:17");
        check_place(&result, &sources, "7)", "m.c:1:24");
    }

    #[test]
    fn joins_expressions_that_markers_split() {
        let (result, sources) = strip("# 1 \"m.c\"\nint x = 1 +\n# 7 \"m.c\"\n  2;\n", "");
        assert_eq!(result.text, "int x = 1 +\n  2;\n");
        check_place(&result, &sources, "2;", "m.c:7");
    }

    #[test]
    fn follows_pack_pragmas() {
        let (result, _) = strip(
            "#pragma pack(push, 1)\nint a;\n#pragma pack(pop)\nint b;\n#pragma pack(2)\n#pragma pack()\n#pragma other\n",
            "",
        );
        assert_eq!(result.packing, [(0, Some(1)), (7, None), (14, Some(2)), (14, None)]);
    }
}
