//! Tokens and trees of parentheses.

use super::parse::{ParseError, Problem};

/// Deepest nesting of parentheses that is read.
pub(super) const MAX_DEPTH: usize = 200;

/// What stands at one place of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A word of plain characters: keyword, sort, number or name.
    Atom(String),
    /// A name between bars, with the frame that may follow it.
    Name(String, u32),
    /// A string between quotes.
    Text(String),
    /// Trees between parentheses.
    List(Vec<Tree>),
}

/// A tree with the line it starts on, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    pub(super) line: usize,
    pub(super) content: Content,
}

impl Tree {
    pub(super) fn atom(&self) -> Option<&str> {
        match &self.content {
            Content::Atom(atom) => Some(atom),
            _ => None,
        }
    }
}

/// Whether the character ends an atom.
pub(super) fn is_delimiter(character: char) -> bool {
    character.is_whitespace() || matches!(character, '(' | ')' | '"' | '|' | ';')
}

/// Splits a text into trees.
pub(super) fn read(text: &str) -> Result<Vec<Tree>, ParseError> {
    let mut reader = Reader { rest: text, line: 1 };
    let mut open: Vec<(usize, Vec<Tree>)> = Vec::new();
    let mut trees = Vec::new();
    loop {
        reader.skip_blanks();
        let line = reader.line;
        let Some(first) = reader.rest.chars().next() else { break };
        let content = match first {
            '(' if open.len() == MAX_DEPTH => return Err(ParseError { line, problem: Problem::TooDeep }),
            '(' => {
                reader.rest = &reader.rest[1..];
                open.push((line, std::mem::take(&mut trees)));
                continue;
            }
            ')' => {
                reader.rest = &reader.rest[1..];
                let (start, outer) =
                    open.pop().ok_or(ParseError { line, problem: Problem::UnmatchedParenthesis })?;
                let list = std::mem::replace(&mut trees, outer);
                trees.push(Tree { line: start, content: Content::List(list) });
                continue;
            }
            '"' => Content::Text(reader.quoted('"')?),
            '|' => {
                let name = reader.quoted('|')?;
                Content::Name(name, reader.frame()?)
            }
            _ => Content::Atom(reader.atom()),
        };
        trees.push(Tree { line, content });
    }
    match open.pop() {
        Some((line, _)) => Err(ParseError { line, problem: Problem::UnmatchedParenthesis }),
        None => Ok(trees),
    }
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        loop {
            let trimmed = self.rest.trim_start();
            self.line += self.rest[..self.rest.len() - trimmed.len()].matches('\n').count();
            self.rest = trimmed;
            if !trimmed.starts_with(';') {
                return;
            }
            self.rest = &trimmed[trimmed.find('\n').unwrap_or(trimmed.len())..];
        }
    }

    fn atom(&mut self) -> String {
        let end = self.rest.find(is_delimiter).unwrap_or(self.rest.len());
        let (atom, rest) = self.rest.split_at(end);
        self.rest = rest;
        atom.to_owned()
    }

    /// Text up to the closing quote; a backslash protects the next character, `\n` is a line break.
    fn quoted(&mut self, quote: char) -> Result<String, ParseError> {
        let start = self.line;
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((position, character)) = characters.next() {
            match character {
                '\\' => match characters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, protected)) => text.push(protected),
                    None => break,
                },
                _ if character == quote => {
                    self.rest = &self.rest[position + 1..];
                    return Ok(text);
                }
                _ => {
                    self.line += usize::from(character == '\n');
                    text.push(character);
                }
            }
        }
        Err(ParseError { line: start, problem: Problem::UnterminatedQuote(quote) })
    }

    /// The frame that may stand right behind a name between bars.
    fn frame(&mut self) -> Result<u32, ParseError> {
        let Some(rest) = self.rest.strip_prefix('@') else { return Ok(0) };
        self.rest = rest;
        let digits = self.atom();
        digits.parse().map_err(|_| ParseError {
            line: self.line,
            problem: Problem::Expected { what: "a frame number behind `@`", found: digits },
        })
    }
}

/// A string in quotes, with what would end it protected.
pub(super) fn quote(text: &str, quote: char) -> String {
    let mut quoted = String::from(quote);
    for character in text.chars() {
        match character {
            '\n' => quoted.push_str("\\n"),
            '\\' => quoted.push_str("\\\\"),
            _ if character == quote => quoted.extend(['\\', quote]),
            _ => quoted.push(character),
        }
    }
    quoted.push(quote);
    quoted
}
