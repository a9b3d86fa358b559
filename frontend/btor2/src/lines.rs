//! The lines of a BTOR2 file: numbers, keywords, arguments, names.

use crate::ReadError;
use std::str::FromStr;

/// A line that is not empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'t> {
    /// Its place in the file, from 1.
    pub(crate) place: usize,
    /// Its text, without a comment.
    pub(crate) text: &'t str,
    /// The number that other lines call it by, at least 1.
    pub(crate) number: i64,
    /// What the line is.
    pub(crate) keyword: &'t str,
    /// What stands behind the keyword.
    rest: &'t str,
}

impl<'t> Line<'t> {
    /// The lines of a file.
    pub(crate) fn all(text: &'t str) -> impl Iterator<Item = Result<Self, ReadError>> {
        text.lines().enumerate().filter_map(|(index, text)| {
            let text = text.split_once(';').map_or(text, |(code, _)| code).trim();
            (!text.is_empty()).then(|| Self::of(index + 1, text))
        })
    }

    fn of(place: usize, text: &'t str) -> Result<Self, ReadError> {
        let mut words = text.splitn(3, char::is_whitespace);
        let line = Self { place, text, number: 0, keyword: "", rest: "" };
        let number: i64 = line.parsed(words.next().unwrap_or_default(), "a line begins with its number")?;
        if number < 1 {
            return Err(line.error("the number of a line is at least 1"));
        }
        let Some(keyword) = words.next() else { return Err(line.error("the line ends behind its number")) };
        Ok(Self { number, keyword, rest: words.next().unwrap_or_default().trim(), ..line })
    }

    /// A message about this line.
    pub(crate) fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError { line: self.place, text: self.text.to_owned(), message: message.into() }
    }

    /// The word at this position behind the keyword.
    pub(crate) fn word(&self, index: usize) -> Result<&'t str, ReadError> {
        let word = self.rest.split_whitespace().nth(index);
        word.ok_or_else(|| self.error(format!("`{}` needs more than {index} arguments", self.keyword)))
    }
    /// The number at this position behind the keyword.
    pub(crate) fn argument<T: FromStr>(&self, index: usize) -> Result<T, ReadError> {
        self.parsed(self.word(index)?, "this argument should be a number")
    }
    /// The name that may stand behind so many arguments.
    pub(crate) fn name(&self, arguments: usize) -> Option<&'t str> {
        self.rest.split_whitespace().nth(arguments)
    }

    fn parsed<T: FromStr>(&self, word: &str, why: &str) -> Result<T, ReadError> {
        word.parse().map_err(|_| self.error(format!("{why}, not `{word}`")))
    }
}
