//! Finding the definition of a function in C text, to take over its parameters as they are spelled.

/// A function definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    /// Its name.
    pub(super) name: String,
    /// Its parameters.
    pub(super) parameters: Vec<Parameter>,
    /// The type of its result; `None` for `void`.
    pub(super) result: Option<String>,
    /// Whether it holds an endless loop.
    pub(super) loops: bool,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    /// Its name.
    pub(super) name: String,
    /// Its type without `const`.
    pub(super) kind: String,
    /// For pointers and arrays: what they point to, without `const`.
    pub(super) pointee: Option<String>,
}

/// The text with comments and the contents of string and character literals blanked.
pub(super) fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            '"' | '\'' => literal_length(rest, first),
            other => {
                plain.push(other);
                rest = &rest[other.len_utf8()..];
                continue;
            }
        };
        plain.push(' ');
        plain.extend(rest[..length].chars().filter(|&character| character == '\n'));
        rest = &rest[length..];
    }
    plain
}

/// Length of a literal with its quotes.
fn literal_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            end if end == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The definition of a function: its name, parameters in parentheses, and a body.
pub(super) fn find(text: &str, name: &str) -> Option<Signature> {
    let (before, parameters, after) =
        places(text, name).find(|(_, _, after)| after.trim_start().starts_with('{'))?;
    let body = &after[..body_length(after)];
    let dense: String = body.chars().filter(|character| !character.is_whitespace()).collect();
    let loops = ["while(1)", "for(;;)", "while(true)", "while(1U)", "while(1u)"];
    Some(Signature {
        name: name.to_owned(),
        parameters: split(parameters).into_iter().map(parameter).collect::<Option<_>>()?,
        result: Some(result(before)).filter(|result| !result.eq_ignore_ascii_case("void")),
        loops: loops.iter().any(|text| dense.contains(text)),
    })
}

/// What a text says about a function that the model only calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mention {
    /// Neither declared nor defined.
    None,
    /// Declared: the head of a definition, and whether it has a result.
    Declared(String, bool),
    /// Defined.
    Defined,
}

/// Whether the text declares or defines a function: its name in parentheses after a type.
pub(super) fn mention(text: &str, name: &str) -> Mention {
    let mut found = Mention::None;
    for (before, parameters, after) in places(text, name) {
        let kind = result(before);
        if !["void", "int", "_Bool", "bool"].contains(&kind.as_str()) {
            continue;
        }
        match after.trim_start().chars().next() {
            Some('{') => return Mention::Defined,
            Some(';') => {
                let parameters =
                    if parameters.trim().is_empty() { "int condition" } else { parameters.trim() };
                found = Mention::Declared(format!("{kind} {name}({parameters})"), kind != "void");
            }
            _ => {}
        }
    }
    found
}

/// Every place where the name stands before parentheses: text before, between, behind.
fn places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = (&'t str, &'t str, &'t str)> {
    text.match_indices(name).filter_map(move |(at, _)| {
        let is_part = |character: Option<char>| character.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let (before, behind) = (&text[..at], &text[at + name.len()..]);
        if is_part(before.chars().next_back()) || is_part(behind.chars().next()) {
            return None;
        }
        let open = behind.find(|character: char| !character.is_whitespace())?;
        let inner = behind[open..].strip_prefix('(')?;
        let close = closing(inner, '(', ')')?;
        Some((before, &inner[..close], &inner[close + 1..]))
    })
}

/// Position of the bracket that closes the one before the text.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 1;
    for (at, character) in text.char_indices() {
        if character == open {
            depth += 1;
        } else if character == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

fn body_length(text: &str) -> usize {
    let start = text.find('{').map_or(0, |at| at + 1);
    closing(&text[start..], '{', '}').map_or(text.len(), |end| start + end)
}

/// Parameters between commas; none for `void`.
fn split(parameters: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, character) in parameters.char_indices() {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(parameters[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(parameters[start..].trim());
    parts.retain(|part| !part.is_empty());
    // Alone, a type without a name is `void`, or what the generator calls it.
    if let [single] = parts.as_slice()
        && single.chars().all(|character| character.is_alphanumeric() || character == '_')
    {
        return Vec::new();
    }
    parts
}

/// A parameter of an ordinary form: type, stars, name, array bounds. `None` for others, such as
/// function pointers.
fn parameter(text: &str) -> Option<Parameter> {
    if text.contains('(') {
        return None;
    }
    let (declared, bounds) = text.split_once('[').map_or((text, None), |(name, rest)| (name, Some(rest)));
    let declared = declared.trim_end();
    let begins = declared.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    let (kind, name) = (declared[..begins].trim(), &declared[begins..]);
    if kind.is_empty() || name.is_empty() {
        return None;
    }
    let words: Vec<String> = kind
        .replace('*', " * ")
        .split_whitespace()
        .filter(|word| !["const", "volatile", "restrict", "register"].contains(word))
        .map(str::to_owned)
        .collect();
    let kind = words.join(" ");
    let pointee = match bounds {
        Some(_) => Some(kind.clone()),
        None => kind.strip_suffix('*').map(|kind| kind.trim().to_owned()),
    };
    Some(Parameter { name: name.to_owned(), kind, pointee })
}

/// The type that stands directly before a function's name.
fn result(before: &str) -> String {
    let start = before.rfind([';', '}', '{', ')', '#']).map_or(0, |at| at + 1);
    // A directive ends with its line.
    let text = if before[..start].ends_with('#') {
        before.rsplit('\n').next().unwrap_or("")
    } else {
        &before[start..]
    };
    let words =
        text.split_whitespace().filter(|word| !["static", "extern", "inline", "const"].contains(word));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_taken_as_spelled() {
        let text = "void step(const t_in *i, struct s *const restrict s);\nint x;\n\
            static int_T step(const t_in *i, struct s *s, unsigned char up, float *y, int a[3])\n{ if (i) { while (0) {} } }\n";
        let found = find(&without_comments(text), "step").unwrap();
        let parameters: Vec<(&str, &str, Option<&str>)> = found
            .parameters
            .iter()
            .map(|parameter| (&*parameter.name, &*parameter.kind, parameter.pointee.as_deref()))
            .collect();
        let expected = [
            ("i", "t_in *", Some("t_in")),
            ("s", "struct s *", Some("struct s")),
            ("up", "unsigned char", None),
            ("y", "float *", Some("float")),
            ("a", "int", Some("int")),
        ];
        assert_eq!(parameters, expected);
        assert_eq!(found.result.as_deref(), Some("int_T"));
        assert!(!found.loops);
    }

    #[test]
    fn comments_strings_and_calls_are_no_definitions() {
        let text = "/* void f(int a) { */ char *s = \"void f(int b) {\"; // void f(int c) {\nvoid g(void) { f(1); }\n#include <x.h>\nvoid f(void)\n{ for ( ; ; ) {} }";
        let found = find(&without_comments(text), "f").unwrap();
        assert_eq!((found.parameters.len(), found.result, found.loops), (0, None, true));
        assert!(find(text, "missing").is_none());
    }

    #[test]
    fn declarations_are_told_from_calls() {
        let declared = Mention::Declared("void assume(_Bool c)".to_owned(), false);
        let table = [
            ("extern void assume(_Bool c);", declared),
            ("void p(void) { assume(1); }", Mention::None),
            ("int assume(int c);\nint assume(int c) { return c; }", Mention::Defined),
        ];
        for (text, expected) in table {
            assert_eq!(mention(text, "assume"), expected, "{text}");
        }
    }
}
