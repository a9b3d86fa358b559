//! Sizes of memory as users write them.

/// Reads a size: `500M`, `2G`, `1.5GiB`, or a bare number of bytes. Units are powers of 1024.
///
/// # Errors
/// A sentence that says what is accepted.
pub fn parse(text: &str) -> Result<u64, String> {
    let refused = || format!("`{text}` is no size; write a number with a unit, such as 500M or 2G");
    let trimmed = text.trim();
    let digits = trimmed.find(|c: char| c.is_alphabetic()).unwrap_or(trimmed.len());
    let number: f64 = trimmed[..digits].trim().parse().map_err(|_| refused())?;
    let shift = match trimmed[digits..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(refused()),
    };
    let bytes = number * (1_u64 << shift) as f64;
    let is_size = bytes.is_finite() && bytes >= 1.0 && bytes < u64::MAX as f64;
    is_size.then_some(bytes as u64).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn sizes_as_typed() {
        let table =
            [("500M", 500 << 20), ("2G", 2 << 30), ("1.5 GiB", 3 << 29), ("4096", 4096), ("1k", 1024)];
        for (text, bytes) in table {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in ["", "much", "-1G", "0", "1e400", "NaN", "5 parsecs", "99999999999T"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
