//! Text in XML and HTML.

use frontend::diagnostics::is_hidden;

/// Text as content of an element or value of an attribute. Control characters, which XML cannot
/// hold, are left out; others that are not seen are escaped.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(character),
            character if character.is_control() => {}
            character if is_hidden(character) => escaped.extend(character.escape_default()),
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn nothing_of_a_text_is_markup() {
        for (text, expected) in [
            ("a < b && c > \"d\"", "a &lt; b &amp;&amp; c &gt; &quot;d&quot;"),
            ("it's 5 \u{b0}C\n\tnext", "it&#39;s 5 \u{b0}C\n\tnext"),
            ("a\u{202e}b\u{ffff}", "a\\u{202e}b\\u{ffff}"),
            ("\u{0}bell\u{7}\u{1b}[31m", "bell[31m"),
        ] {
            assert_eq!(escaped(text), expected);
        }
    }
}
