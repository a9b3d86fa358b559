//! Durations as users write them: `5ms`, `2.5s`, `1min`, or a bare number of seconds.

use std::time::Duration;

/// Reads a duration.
///
/// # Errors
/// A sentence that says what is accepted, for negative, infinite and unreadable texts.
pub fn parse(text: &str) -> Result<Duration, String> {
    let refused =
        || format!("`{text}` is not a duration; write a number with a unit, such as 500ms, 60s, 5min, 1h");
    let trimmed = text.trim();
    let digits = trimmed.find(|c: char| c.is_alphabetic()).unwrap_or(trimmed.len());
    let number: f64 = trimmed[..digits].trim().parse().map_err(|_| refused())?;
    let scale = match &trimmed[digits..] {
        "" | "s" | "sec" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        "ns" => 1e-9,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(refused()),
    };
    Duration::try_from_secs_f64(number * scale).map_err(|_| refused())
}

/// A duration as [`parse`] reads it, exactly.
pub fn text(duration: Duration) -> String {
    let nanoseconds = duration.as_nanos();
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")];
    let whole = units.into_iter().find(|(scale, _)| nanoseconds.is_multiple_of(*scale));
    let (scale, unit) = whole.unwrap_or((1, "ns"));
    format!("{}{unit}", nanoseconds / scale)
}

#[cfg(test)]
mod tests {
    use super::{parse, text};
    use std::time::Duration;

    #[test]
    fn reads_numbers_with_units() {
        let table = [
            ("5ms", 5_000_000),
            ("2.5s", 2_500_000_000),
            ("1 min", 60_000_000_000),
            ("3", 3_000_000_000),
            ("0s", 0),
            ("1h", 3_600_000_000_000),
        ];
        for (text, nanoseconds) in table {
            assert_eq!(parse(text), Ok(Duration::from_nanos(nanoseconds)), "{text}");
        }
    }

    #[test]
    fn writes_what_it_reads() {
        for (nanoseconds, expected) in
            [(200_000_000, "200ms"), (3_000_000_000, "3s"), (1_500, "1500ns"), (2_000, "2us"), (0, "0s")]
        {
            let duration = Duration::from_nanos(nanoseconds);
            assert_eq!(text(duration), expected);
            assert_eq!(parse(expected), Ok(duration));
        }
    }

    #[test]
    fn refuses_nonsense() {
        for text in ["", "fast", "-1s", "5 parsecs", "1e400s", "NaN"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
