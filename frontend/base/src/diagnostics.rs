//! What is wrong with the input, collected and shown with source snippets.

use crate::code::{Code, Concern};
use crate::limit::Reason;
use crate::source::{FileKind, SourceMap, Span};
use std::fmt::{self, Display, Write};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing: a choice that was made.
    Note,
    /// The result stands, but may not mean what the user thinks.
    Warning,
    /// No result.
    Error,
}

/// One message about the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What it is about, for programs.
    pub code: Code,
    /// One sentence, no full stop.
    pub message: String,
    /// Where, if anywhere.
    pub span: Option<Span>,
    /// What the user can do about it, or more places; each with an optional span.
    pub notes: Vec<(String, Option<Span>)>,
}

/// Messages in the order they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    /// The messages.
    pub entries: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Whether any message is an error.
    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }
    /// The errors.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.entries.iter().filter(|entry| entry.severity == Severity::Error)
    }
    /// The limit that ended the reading, if one did.
    pub fn stopped(&self) -> Option<Reason> {
        let reason = |entry: &Diagnostic| match entry.code.concern {
            Concern::Stopped(reason) => Some(reason),
            _ => None,
        };
        self.errors().find_map(reason)
    }
    /// Whether every error lies in what was asked for: in an expression of the configuration, or in
    /// what it asks of the source.
    pub fn is_about_request(&self, sources: &SourceMap) -> bool {
        let lies_there = |entry: &Diagnostic| {
            entry.code.concern == Concern::Request
                || entry.span.is_some_and(|span| sources.is_expression(span))
        };
        self.errors().all(lies_there)
    }
    /// Adds a message.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.entries.push(diagnostic);
    }
    /// Adds an error and returns it for adding notes.
    pub fn error(
        &mut self,
        code: impl Into<Code>,
        span: Option<Span>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.add(Severity::Error, code.into(), span, message.into())
    }
    /// Adds a warning and returns it for adding notes.
    pub fn warning(
        &mut self,
        code: impl Into<Code>,
        span: Option<Span>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.add(Severity::Warning, code.into(), span, message.into())
    }
    /// Adds a note and returns it for adding notes.
    pub fn note(
        &mut self,
        code: impl Into<Code>,
        span: Option<Span>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.add(Severity::Note, code.into(), span, message.into())
    }

    fn add(
        &mut self,
        severity: Severity,
        code: Code,
        span: Option<Span>,
        message: String,
    ) -> &mut Diagnostic {
        self.entries.push(Diagnostic { severity, code, message, span, notes: Vec::new() });
        self.entries.last_mut().expect("an entry should have been pushed")
    }
}

impl Diagnostic {
    /// Adds advice without a place.
    pub fn advice(&mut self, text: impl Into<String>) -> &mut Self {
        self.notes.push((text.into(), None));
        self
    }
    /// Adds a related place.
    pub fn related(&mut self, text: impl Into<String>, span: Span) -> &mut Self {
        self.notes.push((text.into(), Some(span)));
        self
    }
}

// ---- rendering ----

/// Messages as text, with the lines of the source that they speak of; coloured for terminals (ANSI
/// escape sequences) on demand.
///
/// ```text
/// error[unknown-name]: `sped` is not declared
///   --> cruise.c:12:5
///    |
/// 12 |     sped++;
///    |     ^^^^
///    = did you mean `speed`?
/// ```
pub fn render(diagnostics: &Diagnostics, sources: &SourceMap, is_coloured: bool) -> String {
    Rendered { diagnostics, sources, is_coloured }.to_string()
}

struct Rendered<'a> {
    diagnostics: &'a Diagnostics,
    sources: &'a SourceMap,
    is_coloured: bool,
}

/// Whether a character has no shape of its own: it controls the terminal, or the direction or
/// breaking of text around it.
pub fn is_hidden(character: char) -> bool {
    let is_format = matches!(character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}');
    character.is_control() || is_format
}

/// Text of users in one line with escapes in place of characters that are not seen: it cannot steer
/// a terminal or pass for other text.
pub fn visible(text: &str) -> String {
    escaped_where(text, is_hidden)
}

/// As [`visible`], with line ends and tabulators as they are.
pub fn visible_lines(text: &str) -> String {
    escaped_where(text, |character| is_hidden(character) && !['\n', '\t'].contains(&character))
}

fn escaped_where(text: &str, wanted: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match wanted(character) {
            true => shown.extend(character.escape_default()),
            false => shown.push(character),
        }
    }
    shown
}

/// Characters of a source line that are shown at most; longer lines are cut around the place.
const MAX_LINE: usize = 120;

/// Blanks that a tabulator is shown as.
const TAB: &str = "    ";

impl Severity {
    const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
    const fn colour(self) -> &'static str {
        match self {
            Self::Note => "\x1b[1;36m",
            Self::Warning => "\x1b[1;33m",
            Self::Error => "\x1b[1;31m",
        }
    }
}

impl Display for Rendered<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, entry) in self.diagnostics.entries.iter().enumerate() {
            if index > 0 {
                formatter.write_char('\n')?;
            }
            self.diagnostic(formatter, entry)?;
        }
        Ok(())
    }
}

impl Rendered<'_> {
    fn diagnostic(&self, out: &mut fmt::Formatter<'_>, entry: &Diagnostic) -> fmt::Result {
        let (colour, bold, end) = self.colours(entry.severity);
        let name = entry.severity.name();
        let message = visible_lines(&entry.message);
        writeln!(out, "{colour}{name}[{}]{end}{bold}: {message}{end}", entry.code)?;
        let width = self.number_width(entry);
        if let Some(span) = entry.span {
            self.snippet(out, span, width, colour)?;
        }
        for (text, span) in &entry.notes {
            let text = visible_lines(text);
            match span {
                None => writeln!(out, "{:width$} = {text}", "")?,
                Some(span) => {
                    writeln!(out, "{:width$} = {text}:", "")?;
                    self.snippet(out, *span, width, Severity::Note.colour())?;
                }
            }
        }
        Ok(())
    }

    fn colours(&self, severity: Severity) -> (&'static str, &'static str, &'static str) {
        if self.is_coloured { (severity.colour(), "\x1b[1m", "\x1b[0m") } else { ("", "", "") }
    }

    /// Digits of the largest line number that the message shows.
    fn number_width(&self, entry: &Diagnostic) -> usize {
        let spans = entry.span.iter().chain(entry.notes.iter().filter_map(|(_, span)| span.as_ref()));
        spans.map(|span| span.line.to_string().len()).max().unwrap_or(1)
    }

    fn snippet(&self, out: &mut fmt::Formatter<'_>, span: Span, width: usize, colour: &str) -> fmt::Result {
        writeln!(out, "{:width$}--> {}", "", visible(&self.sources.describe(span)))?;
        let Some(line) = self.sources.files[span.file].line(span.line) else { return Ok(()) };
        let (line, start, length) = window(line, span.column);
        let (colour, end) = if self.is_coloured { (colour, "\x1b[0m") } else { ("", "") };
        writeln!(out, "{:width$} |", "")?;
        // The number of a line within an expression means nothing to who wrote it into a
        // configuration.
        let is_within = matches!(self.sources.files[span.file].kind, FileKind::Expression(_, Some(_)));
        let number = if is_within { String::new() } else { span.line.to_string() };
        writeln!(out, "{number:>width$} | {}", line.trim_end())?;
        if length > 0 {
            writeln!(out, "{:width$} | {:start$}{colour}{}{end}", "", "", "^".repeat(length))?;
        }
        Ok(())
    }
}

/// What is shown of a line: its text with tabulators as blanks, cut to a window around the column;
/// and where the marks begin and how many there are (none where only the line is known).
fn window(line: &str, column: u32) -> (String, usize, usize) {
    let target = (column as usize).checked_sub(1);
    let mut shown: Vec<char> = Vec::new();
    let (mut start, mut length) = (0, 0);
    let characters: Vec<char> = line.chars().collect();
    for (index, &character) in characters.iter().enumerate() {
        if Some(index) == target {
            start = shown.len();
            length = word_length(&characters[index..]);
        }
        match character {
            '\t' => shown.extend(TAB.chars()),
            _ if is_hidden(character) => shown.push(' '),
            _ => shown.push(character),
        }
    }
    if target.is_some_and(|target| target >= characters.len()) {
        (start, length) = (shown.len(), 1);
    }
    if shown.len() <= MAX_LINE {
        return (shown.into_iter().collect(), start, length);
    }
    let first = start.saturating_sub(MAX_LINE / 2).min(shown.len() - MAX_LINE.min(shown.len()));
    let last = (first + MAX_LINE).min(shown.len());
    let (before, after) = (if first > 0 { "..." } else { "" }, if last < shown.len() { "..." } else { "" });
    let text: String = shown[first..last].iter().collect();
    (
        format!("{before}{text}{after}"),
        start - first + before.len(),
        length.min(last.saturating_sub(start)).max(length.min(1)),
    )
}

/// How many characters belong to the word at the beginning; one for other characters.
fn word_length(characters: &[char]) -> usize {
    let is_word = |character: &&char| character.is_alphanumeric() || **character == '_';
    characters.iter().take_while(is_word).count().max(1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_not_seen_is_escaped() {
        let table = [
            ("plain \u{e4} \u{201c}text\u{201d} \\n", "plain \u{e4} \u{201c}text\u{201d} \\n"),
            ("\u{1b}[31m\0\r\n\t", "\\u{1b}[31m\\u{0}\\r\\n\\t"),
            ("a\u{202e}b\u{2066}c\u{9b}\u{2028}", "a\\u{202e}b\\u{2066}c\\u{9b}\\u{2028}"),
        ];
        for (text, shown) in table {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(visible_lines("a\n\tb\u{7}"), "a\n\tb\\u{7}");
    }

    use super::*;
    use crate::code::Common;
    use std::path::Path;

    fn sources() -> (SourceMap, crate::source::FileId) {
        let mut sources = SourceMap::default();
        let long = format!("x = {} + bad + {};", "a + ".repeat(60), "b + ".repeat(60));
        let text = format!("int speed;\n\tsped++;\nint größe = @;\n{long}\n\nlast");
        let file = sources.add_text(Path::new("cruise.c"), &text);
        (sources, file)
    }

    #[track_caller]
    fn check(build: impl FnOnce(&mut Diagnostics, crate::source::FileId), expected: &str) {
        let (sources, file) = sources();
        let mut diagnostics = Diagnostics::default();
        build(&mut diagnostics, file);
        assert_eq!(render(&diagnostics, &sources, false), expected);
    }

    #[test]
    fn shows_the_line_and_the_word() {
        check(
            |diagnostics, file| {
                diagnostics
                    .error(
                        Common::UnreadableFile,
                        Some(Span { file, line: 2, column: 2 }),
                        "`sped` is not declared",
                    )
                    .advice("did you mean `speed`?")
                    .related("declared here", Span { file, line: 1, column: 5 });
            },
            "error[unreadable-file]: `sped` is not declared
 --> cruise.c:2:2
  |
2 |     sped++;
  |     ^^^^
  = did you mean `speed`?
  = declared here:
 --> cruise.c:1:5
  |
1 | int speed;
  |     ^^^^^
",
        );
    }

    #[test]
    fn shows_what_it_has() {
        check(
            |diagnostics, file| {
                diagnostics.warning(Common::UnreadableFile, None, "no place is known");
                diagnostics.note(
                    Common::UnreadableFile,
                    Some(Span { file, line: 3, column: 0 }),
                    "only the line is known",
                );
                diagnostics.error(
                    Common::UnreadableFile,
                    Some(Span { file, line: 3, column: 13 }),
                    "no word",
                );
                diagnostics.error(
                    Common::UnreadableFile,
                    Some(Span { file, line: 6, column: 5 }),
                    "behind the line",
                );
                diagnostics.error(
                    Common::UnreadableFile,
                    Some(Span { file, line: 9, column: 1 }),
                    "no such line",
                );
            },
            "warning[unreadable-file]: no place is known

note[unreadable-file]: only the line is known
 --> cruise.c:3
  |
3 | int größe = @;

error[unreadable-file]: no word
 --> cruise.c:3:13
  |
3 | int größe = @;
  |             ^

error[unreadable-file]: behind the line
 --> cruise.c:6:5
  |
6 | last
  |     ^

error[unreadable-file]: no such line
 --> cruise.c:9:1
",
        );
    }

    #[test]
    fn cuts_long_lines() {
        let (sources, file) = sources();
        let mut diagnostics = Diagnostics::default();
        diagnostics.error(
            Common::UnreadableFile,
            Some(Span { file, line: 4, column: 248 }),
            "far to the right",
        );
        let text = render(&diagnostics, &sources, false);
        let lines: Vec<&str> = text.lines().collect();
        let column = lines[4].find("^^^").expect("the mark should be shown");
        assert_eq!(&lines[3][column..column + 3], "bad");
        assert!(lines[3].chars().count() < 140 && lines[3].contains("| ...") && lines[3].ends_with("..."));
    }

    #[test]
    fn colours_on_demand() {
        let (sources, file) = sources();
        let mut diagnostics = Diagnostics::default();
        diagnostics.error(Common::UnreadableFile, Some(Span { file, line: 1, column: 1 }), "message");
        let text = render(&diagnostics, &sources, true);
        assert_eq!(
            text,
            "\x1b[1;31merror[unreadable-file]\x1b[0m\x1b[1m: message\x1b[0m\n --> cruise.c:1:1\n  |\n1 | int speed;\n  | \x1b[1;31m^^^\x1b[0m\n"
        );
    }
}
