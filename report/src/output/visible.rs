//! Text of users in files: what is not seen in it can neither break a format nor pass for something
//! else.

use frontend::diagnostics::{is_hidden, visible};
use std::fmt::Write;

/// JSON text in which characters that are not seen stand as escapes; line ends between values stay.
/// What it means is the same.
pub fn json(text: &str) -> String {
    let is_escaped = |character: char| is_hidden(character) && character != '\n';
    if !text.chars().any(is_escaped) {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match is_escaped(character) {
            true => character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                let _ = write!(plain, "\\u{unit:04x}");
            }),
            false => plain.push(character),
        }
    }
    plain
}

/// Text as a cell of a table that spreadsheets open: nothing in it is a formula to them. Numbers
/// stay what they are.
pub fn cell(text: &str) -> String {
    let shown = visible(text);
    let starts_formula =
        shown.starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}']);
    if starts_formula && shown.parse::<f64>().is_err() { format!("'{shown}") } else { shown }
}

/// Text as literal of C, without the quotes. Bytes other than printable ASCII are octal, which all
/// standards of C read.
pub(crate) fn c_literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => literal.extend(['\\', char::from(byte)]),
            b' '..=b'~' => literal.push(char::from(byte)),
            _ => {
                let _ = write!(literal, "\\{byte:03o}");
            }
        }
    }
    literal
}

/// Text as one word for a shell, fit for a comment of C.
pub fn shell_word(text: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "-_./=,:+@%".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let quoted = |text: &str| text.replace('\'', "'\\''").replace("*/", "*''/");
    if !text.chars().any(is_hidden) {
        return format!("'{}'", quoted(text));
    }
    let mut octal = String::new();
    for character in text.chars() {
        match character {
            '\\' => octal.push_str("\\\\"),
            character if is_hidden(character) => {
                character.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| {
                    let _ = write!(octal, "\\0{byte:03o}");
                });
            }
            character => octal.push(character),
        }
    }
    format!("\"$(printf '%b' '{}')\"", quoted(&octal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn json_means_the_same() {
        let texts = ["plain \u{e4}", "\u{1b}[31m\n", "a\u{202e}b\u{9b}\u{e0041}\u{7f}"];
        for text in texts {
            let shown = json(&serde_json::json!({ "key": text, text: 1 }).to_string());
            assert!(!shown.chars().any(is_hidden), "{shown}");
            let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
            assert_eq!((&read["key"], &read[text]), (&text.into(), &1.into()));
        }
    }

    #[test]
    fn cells_are_no_formulas() {
        let table = [
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-1+1", "'-1+1"),
            ("\u{ff1d}1", "'\u{ff1d}1"),
            ("\t=1", "\\t=1"),
            ("\r=1", "\\r=1"),
            ("-9", "-9"),
            ("-1e-45", "-1e-45"),
            ("-inf", "-inf"),
            ("a\nb\0", "a\\nb\\u{0}"),
            ("p=1", "p=1"),
        ];
        for (text, expected) in table {
            assert_eq!(cell(text), expected);
        }
    }

    /// What the shell makes of a word is what it was.
    #[test]
    fn words_reach_programs_as_they_are() {
        let words = [
            "plain",
            "",
            "a b",
            "it's",
            "a\"b\\c",
            "50%",
            "$(date)`date`",
            "x*/y",
            "a\nb",
            "\u{202e}'\\n\u{7f}*/%s",
        ];
        for word in words {
            let shell = shell_word(word);
            assert!(!shell.contains("*/") && !shell.chars().any(is_hidden), "{shell}");
            let said = Command::new("sh").args(["-c", &format!("printf '%s' {shell}")]).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&said.stdout), word, "{shell}");
        }
    }

    #[test]
    fn literals_are_ascii() {
        assert_eq!(c_literal("a\"b\\c\u{1b}\n\u{e4}9??/"), "a\\\"b\\\\c\\033\\012\\303\\2449\\?\\?/");
    }
}
