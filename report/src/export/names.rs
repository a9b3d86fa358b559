//! Identifiers for formats that restrict names.

/// Unique identifiers for names: letters, digits and underscores, a letter first, at most `limit`
/// characters.
pub(super) fn identifiers<'n>(names: impl IntoIterator<Item = &'n str>, limit: usize) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for name in names {
        let wanted = shortened(&identifier(name), limit, "");
        let mut free = wanted.clone();
        let mut count = 1;
        while taken.iter().any(|other| other.eq_ignore_ascii_case(&free)) {
            count += 1;
            free = shortened(&wanted, limit, &format!("_{count}"));
        }
        taken.push(free);
    }
    taken
}

fn identifier(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        let usable = character.is_ascii_alphanumeric() || character == '_';
        if usable || !text.ends_with('_') {
            text.push(if usable { character } else { '_' });
        }
    }
    let text = text.trim_end_matches('_');
    match text.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => text.to_owned(),
        _ => format!("s{text}"),
    }
}

fn shortened(text: &str, limit: usize, ending: &str) -> String {
    let room = limit.saturating_sub(ending.len());
    format!("{}{ending}", &text[..text.len().min(room)])
}

#[cfg(test)]
mod tests {
    use super::identifiers;

    #[test]
    fn identifiers_are_legal_and_unique() {
        let names = ["a[0]", "a[1]", "a 0", "A_0", "9x", "ünit", "->", "_t", "long_name_1", "long_name_2"];
        let expected = ["a_0", "a_1", "a_0_2", "A_0_3", "s9x", "s_nit", "s", "s_t", "long_nam", "long_n_2"];
        assert_eq!(identifiers(names, 8), expected);
    }
}
