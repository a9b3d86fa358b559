//! Driver loops in the model's own code: a hook in the body of the loop tells a replay where each
//! round begins.
//!
//! The text of the driver's file is the model's, but for one call at the beginning of the loop's
//! body. It hands over the addresses of variables that outlive a round; rounds are counted, shown
//! and ended there. Where the loop cannot be told from the text, there is no such replay.

/// The text with `hook` at the beginning of the body of its only endless loop; `None` where there
/// is not exactly one with braces.
pub(super) fn with_hook(text: &str, hook: &str) -> Option<String> {
    let mut bodies = loop_keywords(text).filter_map(|at| endless_body(&text[at..]).map(|length| at + length));
    let body = bodies.next()?;
    if bodies.next().is_some() {
        return None;
    }
    Some(format!("{}{hook}{}", &text[..body], &text[body..]))
}

/// Where `while` and `for` stand as words.
fn loop_keywords(text: &str) -> impl Iterator<Item = usize> + '_ {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = text.as_bytes();
    let found = text.match_indices("while").chain(text.match_indices("for"));
    found
        .filter(move |(at, word)| {
            let before = at.checked_sub(1).map(|before| bytes[before]);
            let after = bytes.get(at + word.len()).copied();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
        .map(|(at, _)| at)
}

/// Length of `while (1) {` or `for (;;) {` at the beginning of a text.
fn endless_body(text: &str) -> Option<usize> {
    let open = text.find('(')?;
    let close = open + text[open..].find(')')?;
    let keyword = text[..open].trim();
    let condition: String = text[open + 1..close].split_whitespace().collect();
    let is_endless = match keyword {
        "while" => condition.parse::<u64>().is_ok_and(|number| number != 0),
        "for" => condition == ";;",
        _ => false,
    };
    let brace = text[close + 1..].find(|character: char| !character.is_whitespace())?;
    let brace = close + 1 + brace;
    (is_endless && text[brace..].starts_with('{')).then_some(brace + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_endless_loop_gets_the_hook() {
        let table = [
            ("int main() { while ( 1 ) { x(); } }", Some("int main() { while ( 1 ) {!H! x(); } }")),
            ("f() { for(;;)\n{ } }", Some("f() { for(;;)\n{!H! } }")),
            (
                "f() { for (i = 0; ; ) { } while (1) { } }",
                Some("f() { for (i = 0; ; ) { } while (1) {!H! } }"),
            ),
            ("f() { while (1) { } while (1) { } }", None),
            ("f() { do { } while (1); }", None),
            ("f() { while (1) x(); }", None),
            ("f() { meanwhile (1) { } while_(1) { } }", None),
            ("f() { while (nondet()) { } }", None),
        ];
        for (text, expected) in table {
            assert_eq!(with_hook(text, "!H!").as_deref(), expected, "{text}");
        }
    }
}
