//! The text of an A2L file with the files that it includes in their places.
//!
//! The library that parses A2L resolves `/include` itself, but it tells neither which files it read
//! nor in which of them an entry stands, and where a file is not beside the including one it takes
//! that of the working folder. So includes are resolved here, and lines can be traced back.
//!
//! Blocks `A2ML` and `IF_DATA`, interfaces to tools of which nothing is taken, are left out: they
//! are the largest part of real files and the one that departs from the standard most.

use crate::ConfigError;
use frontend::Location;
use frontend::limit::Limit;
use std::path::{Path, PathBuf};

/// Files that one file may include, counted as often as they are included.
const MOST_INCLUDED: usize = 10_000;

/// Characters of the whole text: files that include one another often would fill the memory.
const MOST_CHARACTERS: usize = 1 << 30;

/// Depth of blocks and of includes; real files have ten levels at most.
const DEEPEST: usize = 64;

/// The text, and where its lines come from.
#[derive(Debug)]
pub(super) struct Text {
    /// The text.
    pub(super) text: String,
    /// All files, in the order in which they are met first.
    pub(super) files: Vec<PathBuf>,
    /// From which line of the text on (counted from 1) lines come from a line of a file.
    segments: Vec<(u32, Location)>,
}

impl Text {
    /// Where a line of the text comes from.
    pub(super) fn locate(&self, line: u32) -> Location {
        let behind = self.segments.partition_point(|(first, _)| *first <= line);
        let (first, start) = &self.segments[behind.saturating_sub(1)];
        Location { file: start.file.clone(), line: start.line + line.saturating_sub(*first) }
    }
}

/// Reads a file and what it includes.
///
/// # Errors
/// A file that cannot be read or includes itself; comments, strings and blocks without an end; the
/// limit is reached.
pub(super) fn read(path: &Path, limit: &Limit) -> Result<Text, ConfigError> {
    let mut reader = Reader {
        limit,
        text: Text { text: String::new(), files: Vec::new(), segments: Vec::new() },
        line: 1,
        open: Vec::new(),
        blocks: Vec::new(),
        left_out: None,
        included: 0,
    };
    let content = load(path).map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
    reader.file(path, &content)?;
    if let Some((depth, place)) = reader.left_out {
        let name = reader.blocks.get(depth).cloned().unwrap_or_default();
        return Err(refused(place, format!("the block {name} has no end")));
    }
    Ok(reader.text)
}

fn refused(place: Location, message: impl Into<String>) -> ConfigError {
    ConfigError::Description { place, message: message.into() }
}

/// The characters of a file: UTF-8, UTF-16 with a byte order mark, else Latin-1, which older tools
/// write.
fn load(path: &Path) -> std::io::Result<String> {
    let bytes = std::fs::read(path)?;
    let wide = |rest: &[u8], read: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|pair| read([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    Ok(match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        all => match std::str::from_utf8(all) {
            Ok(text) => text.to_owned(),
            Err(_) => all.iter().map(|&byte| char::from(byte)).collect(),
        },
    })
}

struct Reader<'l> {
    limit: &'l Limit,
    text: Text,
    /// The current line of the text.
    line: u32,
    /// The files that are being read, in their canonical form.
    open: Vec<PathBuf>,
    /// Names of the blocks around the current place.
    blocks: Vec<String>,
    /// The block that is being left out: its depth, and where it begins.
    left_out: Option<(usize, Location)>,
    included: usize,
}

/// What stands in front of a word.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Nothing,
    /// `/begin`, which begins at this byte of the text.
    Begin(usize),
    /// `/end`.
    End(usize),
}

impl Reader<'_> {
    fn file(&mut self, path: &Path, content: &str) -> Result<(), ConfigError> {
        if !self.text.files.iter().any(|known| known == path) {
            self.text.files.push(path.to_owned());
        }
        self.open.push(std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()));
        let mut line = 1;
        self.note(path, line);
        let mut rest = content;
        let mut before = Before::Nothing;
        while !rest.is_empty() {
            let here = || Location { file: path.to_owned(), line };
            let length = piece(rest).ok_or_else(|| refused(here(), "a comment or string has no end"))?;
            let (found, behind) = rest.split_at(length);
            rest = behind;
            let ends = lines(found);
            if found.starts_with("/*") || found.starts_with("//") {
                // Words on both sides stay apart.
                self.write(" ");
                self.end_lines(ends);
            } else if found == "/include" {
                let (name, used) = file_name(rest)
                    .ok_or_else(|| refused(here(), "a file name is missing behind /include"))?;
                let (skipped, behind) = rest.split_at(used);
                rest = behind;
                self.include(path, here(), name)?;
                line += lines(skipped);
                self.end_lines(1);
                self.note(path, line);
            } else if found == "/begin" {
                check_limit(self.limit, path)?;
                before = Before::Begin(self.text.text.len());
                self.write(found);
            } else if found == "/end" {
                before = Before::End(self.text.text.len());
                self.write(found);
            } else {
                let is_word = found.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_');
                match before {
                    Before::Begin(start) if is_word => {
                        self.begin(found, start, here())?;
                        if found == "A2ML" {
                            let (skipped, behind) = rest.split_at(definitions(rest));
                            self.end_lines(lines(skipped));
                            line += lines(skipped);
                            rest = behind;
                        }
                    }
                    Before::End(start) if is_word => self.end(found, start),
                    _ => {
                        self.write(found);
                        self.line += if self.left_out.is_none() { ends } else { 0 };
                        if self.left_out.is_some() {
                            self.end_lines(ends);
                        }
                    }
                }
                if !found.starts_with(|first: char| first.is_whitespace()) {
                    before = Before::Nothing;
                }
            }
            line += ends;
        }
        self.open.pop();
        Ok(())
    }

    /// From here on lines come from this place.
    fn note(&mut self, path: &Path, line: u32) {
        self.text.segments.push((self.line, Location { file: path.to_owned(), line }));
    }

    fn write(&mut self, text: &str) {
        if self.left_out.is_none() {
            self.text.text.push_str(text);
        }
    }

    fn end_lines(&mut self, count: u32) {
        (0..count).for_each(|_| self.text.text.push('\n'));
        self.line += count;
    }

    /// Takes back what was written from a byte on, but for its line ends.
    fn take_back(&mut self, start: usize) {
        let taken = self.text.text.split_off(start.min(self.text.text.len()));
        self.text.text.extend(taken.chars().filter(|&letter| letter == '\n'));
    }

    fn begin(&mut self, name: &str, start: usize, place: Location) -> Result<(), ConfigError> {
        if self.blocks.len() >= DEEPEST {
            return Err(refused(place, format!("blocks are nested more than {DEEPEST} deep")));
        }
        if self.left_out.is_none() && ["A2ML", "IF_DATA"].contains(&name) {
            self.take_back(start);
            self.left_out = Some((self.blocks.len(), place));
        }
        self.blocks.push(name.to_owned());
        self.write(name);
        Ok(())
    }

    fn end(&mut self, name: &str, start: usize) {
        self.blocks.pop();
        match &self.left_out {
            Some((depth, _)) if self.blocks.len() <= *depth => {
                self.left_out = None;
                self.take_back(start);
                self.write(" ");
            }
            _ => self.write(name),
        }
    }

    fn include(&mut self, from: &Path, place: Location, name: &str) -> Result<(), ConfigError> {
        let name = name.replace('\\', "/");
        let path = from.parent().unwrap_or(Path::new("")).join(&name);
        let content = load(&path).map_err(|error| {
            refused(place.clone(), format!("the included file {} cannot be read: {error}", path.display()))
        })?;
        let canonical = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        if self.open.contains(&canonical) {
            return Err(refused(place, format!("the file {} includes itself", path.display())));
        }
        self.included += 1;
        if self.open.len() >= DEEPEST
            || self.included > MOST_INCLUDED
            || self.text.text.len() + content.len() > MOST_CHARACTERS
        {
            let message = "too much is included: at most 10000 files, 64 deep, of 1 GB together";
            return Err(refused(place, message));
        }
        self.end_lines(1);
        self.file(&path, &content)
    }
}

/// Fails where the limit is reached.
pub(super) fn check_limit(limit: &Limit, path: &Path) -> Result<(), ConfigError> {
    match limit.reason() {
        Some(reason) => Err(ConfigError::Stopped { path: path.to_owned(), reason }),
        None => Ok(()),
    }
}

fn lines(text: &str) -> u32 {
    let count = text.bytes().filter(|&byte| byte == b'\n').count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The length of the next comment, string, command, word, space or other character; `None`: a
/// comment or string without an end.
fn piece(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let run = |is_in: fn(char) -> bool| text.find(|letter| !is_in(letter)).unwrap_or(text.len());
    if let Some(comment) = text.strip_prefix("/*") {
        return comment.find("*/").map(|at| at + 4);
    }
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if let Some(command) = ["/begin", "/end", "/include"].into_iter().find(|word| text.starts_with(word)) {
        return Some(command.len());
    }
    if first == '"' {
        return string(text);
    }
    if first.is_whitespace() {
        return Some(run(char::is_whitespace));
    }
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "_.[]".contains(letter);
    if is_word(first) {
        return Some(text.find(|letter| !is_word(letter)).unwrap_or(text.len()));
    }
    Some(first.len_utf8())
}

/// The length of a string. Quotes in it are written `""` or `\"`.
fn string(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        match (bytes.get(at)?, bytes.get(at + 1)) {
            (b'\\', Some(_)) | (b'"', Some(b'"')) => at += 2,
            (b'"', _) => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// The name of a file, and the length of the text up to its end.
fn file_name(text: &str) -> Option<(&str, usize)> {
    let start = text.find(|letter: char| !letter.is_whitespace())?;
    let name = &text[start..];
    if name.starts_with('"') {
        let length = string(name)?;
        let inner = &name[1..length - 1];
        return (!inner.is_empty()).then_some((inner, start + length));
    }
    let length = name.find(char::is_whitespace).unwrap_or(name.len());
    (!name.starts_with('/') || length > 1).then_some((&name[..length], start + length))
}

/// The length of the definitions of a block `A2ML`, which has a syntax of its own: up to its
/// `/end`, which no comment hides.
fn definitions(text: &str) -> usize {
    let mut at = 0;
    while let Some(slash) = text[at..].find('/') {
        at += slash;
        let rest = &text[at..];
        if rest.starts_with("/end") {
            return at;
        }
        at += if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |end| end + 4)
        } else {
            1
        };
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files; what is read of the first of them.
    fn read_files(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Result<Text, String>) {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, bytes) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, bytes).expect("a file");
        }
        let found = read(&folder.path().join(files[0].0), &Limit::default())
            .map_err(|error| error.to_string().replace(&format!("{}/", folder.path().display()), ""));
        (folder, found)
    }

    fn words(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn includes_stand_in_their_places_and_lines_are_traced_back() {
        let (folder, found) = read_files(&[
            ("m.a2l", b"a\n/include \"parts\\one.a2l\" b\nc /* x\n/include none */ d\n/include two.a2l\ne"),
            ("parts/one.a2l", b"1\n/include \"deep.a2l\"\n2"),
            ("parts/deep.a2l", b"// /include x\ndeep"),
            ("two.a2l", b"\n\"/include x\"\n"),
        ]);
        let text = found.expect("a text");
        assert_eq!(words(&text.text), "a 1 deep 2 b c d \"/include x\" e");
        let line = |word: &str| {
            let at = text.text.find(word).expect("the word");
            let place = text.locate(1 + lines(&text.text[..at]));
            let file = place.file.strip_prefix(folder.path()).expect("a file").display().to_string();
            format!("{file}:{}", place.line)
        };
        for (word, expected) in [
            ("a", "m.a2l:1"),
            ("1", "parts/one.a2l:1"),
            ("deep", "parts/deep.a2l:2"),
            ("2", "parts/one.a2l:3"),
            ("b", "m.a2l:2"),
            ("c", "m.a2l:3"),
            ("d\n", "m.a2l:4"),
            ("\"/include x", "two.a2l:2"),
        ] {
            assert_eq!(line(word), expected, "{word}");
        }
        assert!(line("\ne").starts_with("m.a2l:"), "{}", text.text);
        assert_eq!(text.files.len(), 4);
    }

    #[test]
    fn interfaces_of_tools_are_left_out() {
        let table = [
            ("a /begin IF_DATA X /begin Y 1 /end Y \"/end IF_DATA\" /end IF_DATA b", "a b"),
            ("a /begin A2ML block \"IF_DATA\" { /* /end A2ML */ // /end\n }; /end A2ML b", "a b"),
            ("/begin MODULE m \"\" /end MODULE", "/begin MODULE m \"\" /end MODULE"),
            ("/begin /* c */ IF_DATA x /end IF_DATA y", "y"),
        ];
        for (text, expected) in table {
            let (_folder, found) = read_files(&[("m.a2l", text.as_bytes())]);
            let found = found.expect("a text");
            assert_eq!(words(&found.text), expected, "{text}");
            assert_eq!(lines(&found.text), lines(text), "{text}");
        }
    }

    #[test]
    fn texts_of_other_encodings_are_read() {
        let wide: Vec<u8> =
            [0xff, 0xfe].into_iter().chain("\"°C\"".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let table: [(&[u8], &str); 4] = [
            (b"\"\xb0C\"", "\"°C\""),
            ("\"°C\"".as_bytes(), "\"°C\""),
            (&wide, "\"°C\""),
            (b"\xef\xbb\xbfa", "a"),
        ];
        for (bytes, expected) in table {
            let (_folder, found) = read_files(&[("m.a2l", bytes)]);
            assert_eq!(found.expect("a text").text, expected);
        }
    }

    #[test]
    fn what_is_broken_has_a_place() {
        let deep = "/begin X\n".repeat(70);
        let table: [(&str, &str); 9] = [
            ("a\n/include \"none.a2l\"", "m.a2l:2: the included file none.a2l cannot be read: No such file"),
            ("a\n/include", "m.a2l:2: a file name is missing behind /include"),
            ("\n\n/include m.a2l", "m.a2l:3: the file m.a2l includes itself"),
            ("\n/* x", "m.a2l:2: a comment or string has no end"),
            ("\n\n\"x", "m.a2l:3: a comment or string has no end"),
            ("\n/begin IF_DATA x", "m.a2l:2: the block IF_DATA has no end"),
            ("\n/begin A2ML x", "m.a2l:2: the block A2ML has no end"),
            ("\n/begin IF_DATA\n/include \"none.a2l\"", "m.a2l:3: the included file none.a2l cannot be read"),
            (&deep, "m.a2l:65: blocks are nested more than 64 deep"),
        ];
        for (text, expected) in table {
            let (_folder, found) = read_files(&[("m.a2l", text.as_bytes())]);
            let message = found.expect_err("an error");
            assert!(message.starts_with(expected), "{text}: {message}");
        }
    }
}
