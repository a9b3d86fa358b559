//! Values of literals.

use crate::ir::target::Target;
use crate::ir::types::IntegerKind;
use model::sort::FloatFormat;

/// A numeric literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Literal {
    Integer(i128, IntegerKind),
    /// Bit pattern.
    Float(u64, FloatFormat),
}

/// Reads an integer or floating constant; the error says in a few words what is wrong.
pub(super) fn number(text: &str, target: Target) -> Result<Literal, String> {
    let lower = text.to_ascii_lowercase();
    let is_hexadecimal = lower.starts_with("0x");
    let is_float = lower.contains('.')
        || if is_hexadecimal { lower.contains('p') } else { lower.contains('e') && !lower.starts_with("0b") };
    if is_float { float(&lower, is_hexadecimal) } else { integer(&lower, target) }
}

fn integer(text: &str, target: Target) -> Result<Literal, String> {
    let (digits, radix) = match text {
        _ if text.starts_with("0x") => (&text[2..], 16),
        _ if text.starts_with("0b") => (&text[2..], 2),
        _ if text.starts_with('0') && text.len() > 1 => (&text[1..], 8),
        _ => (text, 10),
    };
    let end = digits
        .find(|digit: char| !digit.is_digit(if radix == 8 { 10 } else { radix }))
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let (is_unsigned, longs) = match suffix {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        _ => return Err(format!("`{suffix}` is no suffix of an integer")),
    };
    let value = match digits {
        "" if radix == 8 => 0, // `0` with a suffix: its only digit was taken for the prefix
        _ => i128::from_str_radix(digits, radix).map_err(|_| "this is no number".to_owned())?,
    };
    use IntegerKind::*;
    let candidates = [Int, UnsignedInt, Long, UnsignedLong, LongLong, UnsignedLongLong];
    let is_possible = |(index, kind): &(usize, IntegerKind)| {
        let fits = kind.range(target).1 >= value;
        let sign = if is_unsigned { !kind.is_signed() } else { kind.is_signed() || radix != 10 };
        *index >= 2 * longs && fits && sign
    };
    let kind = candidates.into_iter().enumerate().find(is_possible).map(|(_, kind)| kind);
    kind.map(|kind| Literal::Integer(value, kind))
        .ok_or_else(|| "this number is too large for every integer type".to_owned())
}

fn float(text: &str, is_hexadecimal: bool) -> Result<Literal, String> {
    let (digits, format) = match text.as_bytes().last() {
        Some(b'f') if !is_hexadecimal || text.contains('p') => (&text[..text.len() - 1], FloatFormat::Single),
        Some(b'l') => return Err("`long double` is not supported".to_owned()),
        _ => (text, FloatFormat::Double),
    };
    let bits = if is_hexadecimal {
        hexadecimal_float(&digits[2..], format)
    } else {
        match format {
            FloatFormat::Single => digits.parse::<f32>().ok().map(|value| u64::from(value.to_bits())),
            FloatFormat::Double => digits.parse::<f64>().ok().map(f64::to_bits),
        }
    };
    bits.map(|bits| Literal::Float(bits, format)).ok_or_else(|| "this is no number".to_owned())
}

/// `1.8p3`: the digits exactly, then rounded once, to nearest even.
fn hexadecimal_float(text: &str, format: FloatFormat) -> Option<u64> {
    let (digits, exponent) = text.split_once('p')?;
    let mut exponent: i64 = exponent.parse().ok()?;
    exponent = exponent.clamp(-100_000, 100_000);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut significand: u128 = 0;
    let mut is_inexact = false;
    let places = whole.chars().map(|digit| (digit, 0)).chain(fraction.chars().map(|digit| (digit, 4)));
    for (digit, shift) in places {
        let digit = u128::from(digit.to_digit(16)?);
        if significand >> 120 == 0 {
            significand = significand << 4 | digit;
            exponent -= shift;
        } else {
            is_inexact |= digit != 0;
            exponent += 4 - shift;
        }
    }
    Some(round(significand | u128::from(is_inexact), exponent, format))
}

/// The float nearest to `significand * 2^exponent`, ties to even. The lowest bit may stand for
/// anything below it.
fn round(significand: u128, exponent: i64, format: FloatFormat) -> u64 {
    if significand == 0 {
        return 0;
    }
    let fraction_bits = i64::from(format.fraction_bits());
    let bias = (1i64 << (format.exponent_bits() - 1)) - 1;
    let top = 127 - i64::from(significand.leading_zeros());
    // Exponent of the least significant bit that the result can hold.
    let unit = (exponent + top - fraction_bits).max(1 - bias - fraction_bits);
    let drop = unit - exponent;
    let mantissa = if drop <= 0 {
        significand << -drop
    } else if drop > 127 {
        0
    } else {
        let kept = significand >> drop;
        let rest = significand & ((1 << drop) - 1);
        let half = 1u128 << (drop - 1);
        kept + u128::from(rest > half || rest == half && kept & 1 == 1)
    };
    // Adding mantissa and exponent field lets a carry become the next exponent.
    let field = (unit + fraction_bits + bias - 1).max(0) as u128;
    let bits = (field << fraction_bits) + mantissa;
    let infinity = ((1u128 << format.exponent_bits()) - 1) << fraction_bits;
    bits.min(infinity) as u64
}

/// The bytes of adjacent string literals, without terminating zero. Characters U+F780 to U+F7FF
/// stand for bytes that were no UTF-8.
pub(super) fn string(literals: &[String]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for literal in literals {
        let (prefix, rest) = literal.split_once('"').ok_or("this is no string")?;
        if !matches!(prefix, "" | "u8") {
            return Err("wide strings are not supported".to_owned());
        }
        let body = rest.strip_suffix('"').ok_or("this string has no end")?;
        unescape(body, &mut bytes)?;
    }
    Ok(bytes)
}

/// The value of a character constant, of type `int`, which `wchar_t` is, too.
pub(super) fn character(text: &str, target: Target) -> Result<i128, String> {
    if let Some(body) = text.strip_prefix("L'").and_then(|text| text.strip_suffix('\'')) {
        return wide_character(body, target);
    }
    let body = text
        .strip_prefix('\'')
        .and_then(|text| text.strip_suffix('\''))
        .ok_or("of wide characters only those of `wchar_t` (`L'x'`) are supported")?;
    let mut bytes = Vec::new();
    unescape(body, &mut bytes)?;
    match bytes.as_slice() {
        [] => Err("this character constant is empty".to_owned()),
        [byte] => Ok(i128::from(*byte as i8)),
        // gcc's reading of 'ab': big-endian in an int.
        several => {
            let value = several.iter().fold(0i128, |value, byte| value << 8 | i128::from(*byte));
            Ok(IntegerKind::Int.wrap(value, target))
        }
    }
}

/// The number of a wide character: one that stands for itself, or an escape sequence.
fn wide_character(body: &str, target: Target) -> Result<i128, String> {
    let mut characters = body.chars();
    let code = match (characters.next(), characters.next()) {
        (Some('\\'), Some(_)) => {
            let mut bytes = Vec::new();
            unescape(body, &mut bytes)?;
            let is_named = body.starts_with("\\u") || body.starts_with("\\U");
            let named = std::str::from_utf8(&bytes).ok().filter(|_| is_named).map(|text| text.chars());
            match (named.as_ref().and_then(|text| text.clone().next()), bytes.as_slice()) {
                (Some(character), _) if named.is_some_and(|text| text.count() == 1) => u32::from(character),
                (None, [byte]) => u32::from(*byte),
                _ => return Err("this is no single wide character".to_owned()),
            }
        }
        (Some(character), None) if !is_byte(character) => u32::from(character),
        _ => return Err("this is no single wide character".to_owned()),
    };
    let code = i128::from(code);
    let (low, high) = IntegerKind::Int.range(target);
    (low..=high).contains(&code).then_some(code).ok_or_else(|| "this character is too large".to_owned())
}

/// Whether a character stands for a byte that was no UTF-8.
fn is_byte(character: char) -> bool {
    ('\u{f780}'..='\u{f7ff}').contains(&character)
}

fn unescape(body: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
    let mut characters = body.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\\' {
            push_character(character, bytes);
            continue;
        }
        let escape = characters.next().ok_or("a backslash stands at the end")?;
        let byte = match escape {
            'n' => b'\n',
            't' => b'\t',
            'r' => b'\r',
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' => 27,
            '\\' | '\'' | '"' | '?' => escape as u8,
            '0'..='7' => octal(escape, &mut characters)?,
            'x' => hexadecimal(&mut characters)?,
            'u' | 'U' => {
                push_universal(if escape == 'u' { 4 } else { 8 }, &mut characters, bytes)?;
                continue;
            }
            _ => return Err(format!("`\\{escape}` is no escape sequence")),
        };
        bytes.push(byte);
    }
    Ok(())
}

fn push_character(character: char, bytes: &mut Vec<u8>) {
    match u32::from(character) {
        code @ 0xf780..=0xf7ff => bytes.push((code - 0xf700) as u8),
        _ => bytes.extend(character.encode_utf8(&mut [0; 4]).bytes()),
    }
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn octal(first: char, characters: &mut Characters) -> Result<u8, String> {
    let mut value = first.to_digit(8).unwrap_or(0);
    for _ in 0..2 {
        let Some(digit) = characters.peek().and_then(|digit| digit.to_digit(8)) else { break };
        value = 8 * value + digit;
        characters.next();
    }
    u8::try_from(value).map_err(|_| "this character is larger than a byte".to_owned())
}

fn hexadecimal(characters: &mut Characters) -> Result<u8, String> {
    let mut value: Option<u32> = None;
    while let Some(digit) = characters.peek().and_then(|digit| digit.to_digit(16)) {
        value = Some(value.unwrap_or(0).saturating_mul(16).saturating_add(digit));
        characters.next();
    }
    let value = value.ok_or("`\\x` needs digits")?;
    u8::try_from(value).map_err(|_| "this character is larger than a byte".to_owned())
}

fn push_universal(length: usize, characters: &mut Characters, bytes: &mut Vec<u8>) -> Result<(), String> {
    let digits: String = characters.by_ref().take(length).collect();
    let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
    push_character(code.ok_or("this is no character")?, bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::target::DataModel;

    const ILP32: Target = Target { model: DataModel::Ilp32 };
    const IP16: Target = Target { model: DataModel::Ip16 };
    const LP64: Target = Target { model: DataModel::Lp64 };

    #[test]
    fn integers_have_the_type_of_their_target() {
        use IntegerKind::*;
        for (text, target, value, kind) in [
            ("0", ILP32, 0, Int),
            ("0u", ILP32, 0, UnsignedInt),
            ("42", IP16, 42, Int),
            ("40000", IP16, 40000, Long),
            ("0x9C40", IP16, 40000, UnsignedInt),
            ("0177", ILP32, 0o177, Int),
            ("0L", ILP32, 0, Long),
            ("4294967295", ILP32, 4294967295, LongLong),
            ("4294967295", LP64, 4294967295, Long),
            ("0xFFFFFFFF", ILP32, 4294967295, UnsignedInt),
            ("1ULL", ILP32, 1, UnsignedLongLong),
            ("1lu", LP64, 1, UnsignedLong),
            ("18446744073709551615u", LP64, 18446744073709551615, UnsignedLong),
            ("0b101", ILP32, 5, Int),
        ] {
            assert_eq!(number(text, target), Ok(Literal::Integer(value, kind)), "{text}");
        }
        for text in ["089", "1x", "0x", "99999999999999999999", "18446744073709551615", "1uu", "0b2"] {
            assert!(number(text, LP64).is_err(), "{text}");
        }
    }

    #[test]
    fn floats_are_rounded_once() {
        let double = |value: f64| Ok(Literal::Float(value.to_bits(), FloatFormat::Double));
        let single = |value: f32| Ok(Literal::Float(u64::from(value.to_bits()), FloatFormat::Single));
        assert_eq!(number("1.5", ILP32), double(1.5));
        assert_eq!(number(".1e-3", ILP32), double(0.1e-3));
        assert_eq!(number("1e5", ILP32), double(1e5));
        assert_eq!(number("1.F", ILP32), single(1.0));
        assert_eq!(number("0.1f", ILP32), single(0.1));
        assert_eq!(number("1e400", ILP32), double(f64::INFINITY));
        assert_eq!(number("0x1.8p1", ILP32), double(3.0));
        assert_eq!(number("0x1.fffffep+127F", ILP32), single(f32::MAX));
        assert_eq!(number("0x1p-149f", ILP32), single(f32::from_bits(1)));
        assert_eq!(number("0x1p-1074", ILP32), double(f64::from_bits(1)));
        assert_eq!(number("0x1p-1075", ILP32), double(0.0));
        assert_eq!(number("0x1.8p-1074", ILP32), double(f64::from_bits(2)));
        assert_eq!(number("0x1p1024", ILP32), double(f64::INFINITY));
        assert_eq!(number("0x1.00000000000008p0", ILP32), double(1.0));
        assert_eq!(
            number("0x1.000000000000080000000000000000000000000000000001p0", ILP32),
            double(1.0 + f64::EPSILON)
        );
        for text in ["1.5l", "1e", "0x1.8", "1.5x"] {
            assert!(number(text, ILP32).is_err(), "{text}");
        }
    }

    #[test]
    fn hexadecimal_floats_agree_with_integers() {
        let mut state = 1u64;
        for _ in 0..2000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let value = state >> (state % 60);
            let expected = Ok(Literal::Float((value as f64).to_bits(), FloatFormat::Double));
            assert_eq!(number(&format!("0x{value:x}p0"), ILP32), expected);
            let expected = Ok(Literal::Float(u64::from((value as f32).to_bits()), FloatFormat::Single));
            assert_eq!(number(&format!("0x{value:x}.0p0f"), ILP32), expected);
        }
    }

    #[test]
    fn characters_and_strings() {
        for (text, value) in [
            ("'a'", 97),
            ("'\\n'", 10),
            ("'\\0'", 0),
            ("'\\377'", -1),
            ("'\\x41'", 65),
            ("'ab'", 0x6162),
            ("'\\''", 39),
            ("L'a'", 97),
            ("L'\\0'", 0),
            ("L'\\xe4'", 0xe4),
            ("L'ä'", 0xe4),
            ("L'\\u20ac'", 0x20ac),
            ("L'\u{1f600}'", 0x1f600),
        ] {
            assert_eq!(character(text, ILP32), Ok(value), "{text}");
        }
        assert_eq!(string(&["\"a\\tb\"".to_owned(), "\"c\"".to_owned()]), Ok(b"a\tbc".to_vec()));
        assert_eq!(string(&["\"\u{f7e4}ä\"".to_owned()]), Ok(vec![0xe4, 0xc3, 0xa4]));
        assert!(string(&["L\"a\"".to_owned()]).is_err());
        for text in ["''", "L''", "L'ab'", "L'\\u20acb'", "L'\u{f7e4}'", "u'a'", "U'a'", "u8'a'"] {
            assert!(character(text, ILP32).is_err(), "{text}");
        }
        assert!(character("L'\u{1f600}'", IP16).is_err());
        assert!(character("'\\q'", ILP32).is_err());
    }
}
