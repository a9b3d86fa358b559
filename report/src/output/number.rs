//! Values as numbers in files.
//!
//! Integers are exact: as JSON numbers where a double holds them, else as strings. Floats are the
//! shortest decimal that reads back equal in their own format, with the bit pattern beside them in
//! JSON.

use frontend::SignalKind;
use model::sort::{FloatFormat, Sort};
use model::value::Value;
use serde_json::{Value as Json, json};

/// Largest magnitude below which every integer is a double.
const EXACT: i128 = 1 << 53;

/// The integer that the bits of a non-float value mean.
pub fn integer(value: Value, kind: &SignalKind) -> i128 {
    let signed = matches!(
        kind,
        SignalKind::Signed | SignalKind::Enum { signed: true, .. } | SignalKind::Counted { signed: true, .. }
    );
    if signed { value.signed() } else { value.bits() as i128 }
}

/// The value in JSON.
pub fn to_json(value: Value, kind: &SignalKind) -> Json {
    match value.sort() {
        Sort::Float(format) => float_to_json(value, format),
        Sort::Word(_) => match integer(value, kind) {
            number if number.abs() <= EXACT => json!(number as i64),
            number => json!(number.to_string()),
        },
    }
}

fn float_to_json(value: Value, format: FloatFormat) -> Json {
    let digits = (format.width() / 4) as usize;
    let bits = format!("0x{:0digits$x}", value.bits());
    let number = match format {
        FloatFormat::Single => f32::from_bits(value.bits() as u32).to_string().parse::<f64>(),
        FloatFormat::Double => Ok(f64::from_bits(value.bits() as u64)),
    };
    match number {
        Ok(number) if number.is_finite() => json!({ "value": number, "bits": bits }),
        _ => json!({ "value": text(value, &SignalKind::Float), "bits": bits }),
    }
}

/// The value of a JSON number, string or float object, as the given sort. `None` where it is
/// nothing of that sort.
pub fn from_json(json: &Json, sort: Sort) -> Option<Value> {
    match sort {
        Sort::Float(format) => match json {
            Json::Object(fields) => {
                let bits = fields.get("bits")?.as_str()?.strip_prefix("0x")?;
                Some(Value::new(sort, u128::from_str_radix(bits, 16).ok()?))
            }
            Json::Number(number) => Some(match format {
                FloatFormat::Single => Value::single(number.as_f64()? as f32),
                FloatFormat::Double => Value::double(number.as_f64()?),
            }),
            _ => None,
        },
        Sort::Word(width) => {
            let number = match json {
                Json::Bool(holds) => i128::from(*holds),
                Json::Number(number) => {
                    number.as_i64().map(i128::from).or(number.as_u64().map(i128::from))?
                }
                Json::String(text) => text.parse().ok()?,
                _ => return None,
            };
            let fits = number >= -(1 << (width - 1).min(126)) && (width >= 127 || number < 1 << width);
            fits.then(|| Value::word(u32::from(width), number as u128))
        }
    }
}

/// The value as text for CSV: integers in decimal, floats shortest, `NaN`, `inf`, `-inf`.
pub fn text(value: Value, kind: &SignalKind) -> String {
    match value.sort() {
        Sort::Word(_) => integer(value, kind).to_string(),
        Sort::Float(FloatFormat::Single) => float_text(format!("{:?}", f32::from_bits(value.bits() as u32))),
        Sort::Float(FloatFormat::Double) => float_text(format!("{:?}", f64::from_bits(value.bits() as u64))),
    }
}

fn float_text(debug: String) -> String {
    debug.strip_suffix(".0").map_or_else(|| debug.clone(), str::to_owned)
}

/// The value for people: as [`text`], but enumerators by name and truth as 0 or 1.
pub fn display(value: Value, kind: &SignalKind) -> String {
    if let SignalKind::Enum { enumerators, .. } = kind {
        let number = integer(value, kind);
        if let Some((name, _)) = enumerators.iter().find(|(_, value)| *value == number) {
            return name.clone();
        }
    }
    text(value, kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_reads_back_bit_for_bit() {
        let values = [
            (Value::word(1, 1), SignalKind::Bool),
            (Value::word(8, 0xff), SignalKind::Signed),
            (Value::word(64, u128::from(u64::MAX)), SignalKind::Unsigned),
            (Value::word(64, 1 << 63), SignalKind::Signed),
            (Value::single(0.1), SignalKind::Float),
            (Value::single(f32::NAN), SignalKind::Float),
            (Value::single(-0.0), SignalKind::Float),
            (Value::double(f64::NEG_INFINITY), SignalKind::Float),
            (Value::double(5e-324), SignalKind::Float),
        ];
        for (value, kind) in values {
            assert_eq!(from_json(&to_json(value, &kind), value.sort()), Some(value), "{value:?}");
        }
    }

    #[test]
    fn floats_are_shortest_with_their_bits() {
        let json = to_json(Value::single(0.1), &SignalKind::Float);
        assert_eq!(json.to_string(), r#"{"value":0.1,"bits":"0x3dcccccd"}"#);
        assert_eq!(text(Value::single(0.1), &SignalKind::Float), "0.1");
        assert_eq!(text(Value::double(3.0), &SignalKind::Float), "3");
    }

    #[test]
    fn large_integers_are_strings() {
        let json = to_json(Value::word(64, u128::from(u64::MAX)), &SignalKind::Unsigned);
        assert_eq!(json, json!("18446744073709551615"));
    }

    #[test]
    fn numbers_outside_the_sort_are_refused() {
        for text in ["256", "-129", "\"x\"", "1.5", "null", "[]"] {
            let json: Json = serde_json::from_str(text).unwrap();
            assert_eq!(from_json(&json, Sort::word(8)), None, "{text}");
        }
    }

    /// The texts of doubles read back bit for bit, too: limits and constants of a configuration stand in
    /// results as plain numbers.
    #[test]
    fn texts_of_doubles_read_back_bit_for_bit() {
        let hard = [0.1 + 0.2, 1e23, 5e-324, 2.225_073_858_507_201e-308, f64::MAX, 9_007_199_254_740_993.0];
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = std::iter::repeat_with(|| {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from_bits(bits ^ bits >> 29)
        });
        let random: Vec<f64> = random.by_ref().filter(|number| number.is_finite()).take(5_000).collect();
        for number in hard.into_iter().chain(random) {
            let text = serde_json::to_string(&number).unwrap();
            let read: f64 = serde_json::from_str(&text).unwrap();
            assert_eq!(read.to_bits(), number.to_bits(), "{text}");
            let json: Json = serde_json::from_str(&text).unwrap();
            let value = from_json(&json, Sort::Float(FloatFormat::Double));
            assert_eq!(value, Some(Value::double(number)), "{text}");
        }
    }
}
