//! Names in C for variables of FMUs, which may be called anything: `der(h)`, `bus.level[2]`.

use std::collections::BTreeSet;

/// The object of the driver whose members are the variables.
pub(crate) const OBJECT: &str = "fmu";

/// Words of C that are no names of members.
const KEYWORDS: [&str; 52] = [
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "false",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "nullptr",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "true",
    "typedef",
    "typeof",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "_Alignas",
    "_Alignof",
    "_Atomic",
    "_Bool",
    "_Complex",
    "_Generic",
    "_Imaginary",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
    "alignas",
    "alignof",
];

/// A member for each variable, in their order: its name where that is one in C. Other characters
/// become `_`, and a number behind the name keeps apart what would be called alike.
pub(crate) fn members<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let names: Vec<&str> = names.into_iter().collect();
    let plain: BTreeSet<&str> = names.iter().copied().filter(|name| word(name) == *name).collect();
    let mut taken = BTreeSet::new();
    let mut free = |name: &str| {
        let word = word(name);
        let mut found = word.clone();
        let mut number = 2;
        while (found != name && plain.contains(found.as_str())) || !taken.insert(found.clone()) {
            found = format!("{word}_{number}");
            number += 1;
        }
        found
    };
    names.iter().map(|name| free(name)).collect()
}

/// A word of C that is as like a text as can be.
pub(crate) fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if text.chars().all(is_plain) && starts_well(text) && !KEYWORDS.contains(&text) {
        return text.to_owned();
    }
    let mut word: String = text.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    while word.contains("__") {
        word = word.replace("__", "_");
    }
    let word = word.trim_matches('_');
    if starts_well(word) && !KEYWORDS.contains(&word) { word.to_owned() } else { format!("v_{word}") }
}

/// Names that begin otherwise are no names, or those of compilers.
fn starts_well(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !word.starts_with("__")
}

/// Whether a text in C speaks of a member of the object.
pub(crate) fn mentions(text: &str, member: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(member).any(|(at, found)| {
        let before = text[..at].trim_end();
        let is_whole = !text[at + found.len()..].starts_with(is_word);
        let of_object = before.strip_suffix('.').map(str::trim_end);
        is_whole && of_object.is_some_and(|before| before.ends_with(OBJECT))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_has_a_name_of_its_own() {
        let names = ["h", "der(h)", "a.b[1]", "a_b_1", "int", "1st", "", "größe", "a.b(1)", "__x", "der_h"];
        let expected =
            ["h", "der_h_2", "a_b_1_2", "a_b_1", "v_int", "v_1st", "v_", "gr_e", "a_b_1_3", "x", "der_h"];
        assert_eq!(members(names), expected);
    }

    #[test]
    fn members_are_found_in_texts() {
        let table = [
            ("fmu.h > 3", "h", true),
            ("old(fmu . h) == 1", "h", true),
            ("fmu.hh > 3", "h", false),
            ("other.h > 3", "h", false),
            ("h > 3", "h", false),
            ("fmu.", "h", false),
        ];
        for (text, member, is_there) in table {
            assert_eq!(mentions(text, member), is_there, "{text}");
        }
    }
}
