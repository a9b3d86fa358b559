//! Mutations of C text that mostly stay C: operators, constants, types, identifiers, and whole statements change, so that what comes out
//! passes the parser and keeps lowering and translation busy. (Pieces of text thrown about, in `mutation`, mostly end in the parser.)

use crate::lower::mutation::Random;

/// Operators that may stand for each other.
const CLASSES: [&[&str]; 5] = [
    &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"],
    &["<", "<=", ">", ">=", "==", "!="],
    &["&&", "||"],
    &["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="],
    &["++", "--"],
];

const TYPES: [&str; 11] = [
    "char",
    "short",
    "int",
    "long",
    "long long",
    "signed char",
    "unsigned short",
    "unsigned",
    "float",
    "double",
    "_Bool",
];

const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "7",
    "31",
    "32",
    "63",
    "255",
    "65536",
    "0x7fffffff",
    "0x80000000u",
    "(-1)",
    "1ull",
    "'a'",
    "0.5f",
    "1e300",
];

const KEYWORDS: [&str; 34] = [
    "if",
    "else",
    "while",
    "for",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "goto",
    "typedef",
    "struct",
    "union",
    "enum",
    "extern",
    "static",
    "const",
    "volatile",
    "register",
    "sizeof",
    "void",
    "char",
    "short",
    "int",
    "long",
    "signed",
    "unsigned",
    "float",
    "double",
    "_Bool",
    "offsetof",
    "_Static_assert",
];

/// A statement, `S` where the one stands that was there.
const SHELLS: [&str; 9] = [
    "if (X) { S }",
    "if (X > 1) { S } else { S }",
    "while (X) { S break; }",
    "do { S } while (0);",
    "for (int k_ = 0; k_ < 3; k_++) { S }",
    "switch (X) { case 1: S case 2: break; default: S }",
    "{ { S } }",
    "if (X) goto out_; S out_: ;",
    "{ int k_ = X; S X = k_; }",
];

/// An expression, `E` where the one stands that was there.
const WRAPS: [&str; 10] = [
    "(E)",
    "(-E)",
    "(!E)",
    "(~E)",
    "((unsigned char)E)",
    "((float)E)",
    "(E ? E : 1)",
    "(*&E)",
    "(E, E)",
    "(int)sizeof(E)",
];

/// Tokens of C text, each with the blanks behind it; a directive is one token.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut length = token_length(rest);
        length += rest[length..].len() - rest[length..].trim_start().len();
        found.push(rest[..length].to_owned());
        rest = &rest[length..];
    }
    found
}

fn token_length(text: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let first = text.chars().next().map_or(0, char::len_utf8);
    let until = |end: &str| text[first..].find(end).map_or(text.len(), |at| first + at + end.len());
    match text.as_bytes()[0] {
        b'#' => until("\n"),
        b'"' => until("\""),
        b'\'' => until("'"),
        b'/' if text.starts_with("/*") => until("*/"),
        b'/' if text.starts_with("//") => until("\n"),
        b'0'..=b'9' => text.find(|c: char| !is_word(c) && c != '.').unwrap_or(text.len()),
        byte if byte.is_ascii_alphabetic() || byte == b'_' => {
            text.find(|c: char| !is_word(c)).unwrap_or(text.len())
        }
        _ => {
            let operators = CLASSES.into_iter().flatten().copied().chain(["->", "..."]);
            let known = operators.filter(|operator| text.starts_with(operator)).map(str::len).max();
            known.unwrap_or(first).max(1)
        }
    }
}

fn is_identifier(token: &str) -> bool {
    let word = token.trim();
    let starts = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts
        && !KEYWORDS.contains(&word)
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Changes one thing.
pub(crate) fn mutate(tokens: &mut Vec<String>, random: &mut Random) {
    if tokens.is_empty() {
        return;
    }
    for _ in 0..20 {
        let at = random.below(tokens.len());
        let is_done = match random.below(10) {
            0 | 1 => change_operator(tokens, at, random),
            2 => change_constant(tokens, at, random),
            3 => change_type(tokens, at, random),
            4 | 5 => change_identifier(tokens, at, random),
            6 => wrap_expression(tokens, at, random),
            7 => nest_statement(tokens, at, random),
            8 => repeat_statement(tokens, at, random),
            _ => drop_statement(tokens, at),
        };
        if is_done {
            return;
        }
    }
}

/// Puts other text in the place of a token.
fn put(token: &mut String, text: &str) {
    let blanks = token[token.trim_end().len()..].to_owned();
    *token = format!("{text} {blanks}");
}

fn change_operator(tokens: &mut [String], at: usize, random: &mut Random) -> bool {
    let class = CLASSES.into_iter().find(|class| class.contains(&tokens[at].trim()));
    let Some(class) = class else { return false };
    put(&mut tokens[at], class[random.below(class.len())]);
    true
}

fn change_constant(tokens: &mut [String], at: usize, random: &mut Random) -> bool {
    let is_number = tokens[at].starts_with(|c: char| c.is_ascii_digit() || c == '\'');
    if is_number {
        put(&mut tokens[at], NUMBERS[random.below(NUMBERS.len())]);
    }
    is_number
}

fn change_type(tokens: &mut [String], at: usize, random: &mut Random) -> bool {
    let is_type = TYPES.contains(&tokens[at].trim());
    if is_type {
        put(&mut tokens[at], TYPES[random.below(TYPES.len())]);
    }
    is_type
}

/// Takes a name of the same role that stands nearby, where it is likely to be in scope.
fn change_identifier(tokens: &mut [String], at: usize, random: &mut Random) -> bool {
    let near = at.saturating_sub(40)..tokens.len().min(at + 40);
    let Some(wanted) = role(tokens, at) else { return false };
    let names = near.filter(|&other| role(tokens, other) == Some(wanted));
    let names: Vec<String> = names.map(|other| tokens[other].trim().to_owned()).collect();
    if names.len() > 1 {
        put(&mut tokens[at], &names[random.below(names.len())]);
    }
    names.len() > 1
}

/// What a name stands for: a member, what is called, or a variable. `None` for names that are declared, and what is none.
fn role(tokens: &[String], at: usize) -> Option<u8> {
    let before = at.checked_sub(1).map_or("", |before| tokens[before].trim());
    let behind = tokens.get(at + 1).map_or("", |token| token.trim());
    let is_word = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_declared =
        is_word(before) && before != "return" || is_word(behind) || before == "*" && behind != ")";
    match (before, behind) {
        _ if !is_identifier(&tokens[at]) || is_declared => None,
        ("." | "->", _) => Some(0),
        (_, "(") => Some(1),
        _ => Some(2),
    }
}

/// Wraps an operand: a name or number that stands alone between operators or parentheses.
fn wrap_expression(tokens: &mut [String], at: usize, random: &mut Random) -> bool {
    let is_operand = is_identifier(&tokens[at]) || tokens[at].starts_with(|c: char| c.is_ascii_digit());
    let before = at.checked_sub(1).map_or("", |before| tokens[before].trim());
    let behind = tokens.get(at + 1).map_or("", |token| token.trim());
    let is_alone = ["(", "=", "+", "-", "*", "<", ">", "==", "&&", "||", "?", "return", ","]
        .contains(&before)
        && [")", ";", "+", "-", "<", ">", "==", "&&", "||", "?", ":", ","].contains(&behind);
    if is_operand && is_alone {
        let operand = tokens[at].trim().to_owned();
        put(&mut tokens[at], &WRAPS[random.below(WRAPS.len())].replace('E', &operand));
    }
    is_operand && is_alone
}

/// The tokens of the expression statement that a token belongs to, with its semicolon.
fn statement(tokens: &[String], at: usize) -> Option<std::ops::Range<usize>> {
    let ends = |token: &String| [";", "{", "}", ":"].contains(&token.trim()) || token.starts_with('#');
    let first = tokens[..at].iter().rposition(ends).map_or(0, |before| before + 1);
    let last = at + tokens[at..].iter().position(|token| token.trim() == ";")?;
    let words = &tokens[first..=last];
    let count = |words: &[String]| -> i32 {
        words.iter().map(|token| i32::from(token.trim() == "(") - i32::from(token.trim() == ")")).sum()
    };
    let block = tokens[..first].iter().rposition(|token| ["{", "}"].contains(&token.trim())).unwrap_or(0);
    let is_whole = count(words) == 0 && count(&tokens[block..first]) == 0;
    let is_plain =
        is_whole && words.len() > 2 && !words.iter().any(|token| ["{", "}"].contains(&token.trim()));
    let is_expression = is_identifier(&words[0]) && !is_identifier(&words[1]);
    (is_plain && is_expression).then_some(first..last + 1)
}

fn nest_statement(tokens: &mut Vec<String>, at: usize, random: &mut Random) -> bool {
    let Some(range) = statement(tokens, at) else { return false };
    let name = tokens[range.start].trim().to_owned();
    let text = tokens[range.clone()].concat();
    // Words of shells are one letter each; texts are put in last, as they hold such letters themselves.
    let shell = SHELLS[random.below(SHELLS.len())];
    let parts: Vec<String> = shell
        .split_inclusive(' ')
        .map(|part| match part.trim() {
            "S" => format!("{text} "),
            _ => part.replace('X', &name),
        })
        .collect();
    tokens.splice(range, parts);
    true
}

fn repeat_statement(tokens: &mut Vec<String>, at: usize, random: &mut Random) -> bool {
    let other = random.below(tokens.len());
    let (Some(range), Some(place)) = (statement(tokens, at), statement(tokens, other)) else { return false };
    let copy: Vec<String> = tokens[range].to_vec();
    tokens.splice(place.start..place.start, copy);
    true
}

fn drop_statement(tokens: &mut Vec<String>, at: usize) -> bool {
    let Some(range) = statement(tokens, at) else { return false };
    tokens.splice(range, ["; ".to_owned()]);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_c() {
        let table = [
            ("a+=b<<3;", "a|+=|b|<<|3|;"),
            ("#define X 1\nint x; // y\n", "#define X 1\n|int |x|; |// y\n"),
            ("p->q[1.5e3f] = 'a';", "p|->|q|[|1.5e3f|] |= |'a'|;"),
            ("f(\"a b\", ...) /* c */ }", "f|(|\"a b\"|, |...|) |/* c */ |}"),
        ];
        for (text, expected) in table {
            assert_eq!(tokens(text).join("|"), expected);
        }
    }

    #[test]
    fn statements_are_found() {
        let text = tokens("int f(int x) { int y = 1; if (x) y = 2; for (x = 0; x < 3; x++) { g(y, x); } }");
        let found = |word: &str| {
            let at = text.iter().position(|token| token.trim() == word).expect("the word should be there");
            statement(&text, at).map(|range| text[range].concat().trim().to_owned())
        };
        assert_eq!(found("g").as_deref(), Some("g(y, x);"));
        assert_eq!(found("1"), None);
        assert_eq!(found("3"), None);
    }
}
