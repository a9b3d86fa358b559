//! Numbers that take the place of a number.

/// One more, one less and zero, as literals of the same type; without those that are equal to the
/// number. Nothing for what is no number of C that fits 64 bits.
pub(super) fn others(literal: &str) -> Vec<String> {
    let lower = literal.to_ascii_lowercase();
    let is_hexadecimal = lower.starts_with("0x");
    if lower.contains('.') || !is_hexadecimal && lower.contains('e') || lower.contains('p') {
        return floats(literal, &lower);
    }
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &literal[digits.len()..];
    let value = match digits {
        _ if is_hexadecimal => u64::from_str_radix(&digits[2..], 16),
        _ if digits.starts_with("0b") => u64::from_str_radix(&digits[2..], 2),
        _ if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(&digits[1..], 8),
        _ => digits.parse(),
    };
    let Ok(value) = value else { return Vec::new() };
    let mut found: Vec<String> = Vec::new();
    found.extend(value.checked_add(1).map(|more| format!("{more}{suffix}")));
    found.push(match value.checked_sub(1) {
        Some(less) => format!("{less}{suffix}"),
        None => format!("(-1{suffix})"),
    });
    if value > 1 {
        found.push(format!("0{suffix}"));
    }
    found
}

fn floats(literal: &str, lower: &str) -> Vec<String> {
    let digits = lower.trim_end_matches(['f', 'l']);
    let Ok(value) = digits.parse::<f64>() else { return Vec::new() };
    let suffix = &literal[digits.len()..];
    let mut found = vec![format!("({literal} + 1.0{suffix})"), format!("({literal} - 1.0{suffix})")];
    if value != 0.0 {
        found.push(format!("0.0{suffix}"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::others;

    #[test]
    fn numbers_keep_their_types() {
        let table: [(&str, &[&str]); 9] = [
            ("0", &["1", "(-1)"]),
            ("1", &["2", "0"]),
            ("7U", &["8U", "6U", "0U"]),
            ("0x10uL", &["17uL", "15uL", "0uL"]),
            ("010", &["9", "7", "0"]),
            ("0u", &["1u", "(-1u)"]),
            ("1.5F", &["(1.5F + 1.0F)", "(1.5F - 1.0F)", "0.0F"]),
            ("0.0", &["(0.0 + 1.0)", "(0.0 - 1.0)"]),
            ("18446744073709551616", &[]),
        ];
        for (literal, expected) in table {
            assert_eq!(others(literal), expected, "{literal}");
        }
    }
}
