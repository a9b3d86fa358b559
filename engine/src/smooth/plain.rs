//! Plain values, by trial: where a chain has an input at -2147483648 and 1 does as well, it gets 1.
//!
//! Values of a chain come from solvers and from chance. People who read the vectors, and rigs that
//! apply them, are better served by values with few digits near 1. All places where an input has
//! the same value get the plainer one together, so the number of changes never grows; a value that
//! some places need is tried stretch by stretch. Each trial is one replay.

use super::Requirements;
use super::changes::stimuli;
use super::hold::{Stretch, next_stretch};
use crate::knowledge::chains::CheckedChain;
use crate::session::{Session, Stop};
use model::id::Id;
use model::sort::{FloatFormat, Sort};
use model::system::InputId;
use model::value::Value;

/// Steps that all trials on one chain may simulate together.
const EFFORT: usize = 200_000;
/// Significant digits to which values are rounded at most.
const DIGITS: usize = 3;

/// Goes through all values of all numeric inputs, then through what is left stretch by stretch.
pub(super) fn plain(
    required: &Requirements<'_>,
    best: &mut CheckedChain,
    session: &Session<'_>,
) -> Result<(), Stop> {
    let mut effort = EFFORT;
    for input in stimuli(required.task.system) {
        for value in distinct(best, input) {
            let places: Vec<usize> = (0..best.trace.inputs.len())
                .filter(|&step| best.trace.inputs[step][input.index()] == value)
                .collect();
            if !places.is_empty() && !exchange(required, best, input, &places, &mut effort, session)? {
                return Ok(());
            }
        }
    }
    let mut at = 0;
    while let Some(Stretch { input, first, end }) = next_stretch(required, &best.trace.inputs, &mut at) {
        let places: Vec<usize> = (first..end).collect();
        if !exchange(required, best, input, &places, &mut effort, session)? {
            return Ok(());
        }
    }
    Ok(())
}

/// The values of an input, in the order of their first steps.
fn distinct(chain: &CheckedChain, input: InputId) -> Vec<Value> {
    let mut values = Vec::new();
    for row in &chain.trace.inputs {
        if !values.contains(&row[input.index()]) {
            values.push(row[input.index()]);
        }
    }
    values
}

/// Gives these steps, in which the input has one value, the plainest other value with which the
/// chain works. `false`: the effort is spent.
fn exchange(
    required: &Requirements<'_>,
    best: &mut CheckedChain,
    input: InputId,
    places: &[usize],
    effort: &mut usize,
    session: &Session<'_>,
) -> Result<bool, Stop> {
    let value = best.trace.inputs[places[0]][input.index()];
    let default = required.defaults.get(input).copied().flatten();
    let Some(signed) = required.signed.get(input).copied().flatten() else { return Ok(true) };
    if default == Some(value) {
        return Ok(true);
    }
    for plainer in plainer_values(value, signed) {
        session.check_limits()?;
        *effort = match effort.checked_sub(best.trace.inputs.len()) {
            Some(left) => left,
            None => return Ok(false),
        };
        let mut inputs = best.trace.inputs.clone();
        places.iter().for_each(|&step| inputs[step][input.index()] = plainer);
        if let Some(better) = required.judge(best, inputs) {
            *best = better;
            break;
        }
    }
    Ok(true)
}

/// A number as people write it; the order is from plain to awkward: fewer digits, nearer to 1,
/// smaller, positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Decimal {
    /// Number of significant digits; 0 for zero.
    count: u32,
    /// Distance of the decimal exponent of the first digit from 0.
    magnitude: u32,
    /// The significant digits as a number.
    digits: u128,
    negative: bool,
    exponent: i32,
}

impl Decimal {
    /// From a number in the form `-1.25e-3`; `None` for infinities and what is no number.
    fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once('e')?;
        let exponent: i32 = exponent.parse().ok()?;
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        let digits = digits.trim_end_matches('0');
        let negative = mantissa.starts_with('-');
        let number: u128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        let (count, magnitude) = (digits.len() as u32, exponent.unsigned_abs());
        Some(Self { count, magnitude, digits: number, negative, exponent })
    }

    fn of(value: Value, signed: bool) -> Option<Self> {
        let text = match value.sort() {
            Sort::Float(FloatFormat::Single) => format!("{:e}", f32::from_bits(value.bits() as u32)),
            Sort::Float(FloatFormat::Double) => format!("{:e}", f64::from_bits(value.bits() as u64)),
            Sort::Word(_) if signed => format!("{:e}", value.signed()),
            Sort::Word(_) => format!("{:e}", value.bits()),
        };
        Self::parse(&text)
    }

    /// The numbers of so many digits on both sides of it.
    fn rounded(self, count: u32) -> [Self; 2] {
        let unit = 10u128.pow(self.count - count);
        let down = self.digits / unit;
        let sign = if self.negative { "-" } else { "" };
        // The exponent belongs to the first digit; that of a whole number of these digits to its
        // last one.
        let last = self.exponent - (count as i32 - 1);
        [down, down + 1].map(|digits| {
            let text = format!("{digits}");
            let (first, others) = text.split_at(1);
            let exponent = last + others.len() as i32;
            Self::parse(&format!("{sign}{first}.{others}e{exponent}")).expect("a number in that form")
        })
    }

    /// The value of that sort; `None` where there is none.
    fn value(self, sort: Sort) -> Option<Value> {
        let sign = if self.negative { "-" } else { "" };
        let last = self.exponent - (self.count.max(1) as i32 - 1);
        let text = format!("{sign}{}e{last}", self.digits);
        match sort {
            Sort::Float(FloatFormat::Single) => text.parse().ok().map(Value::single),
            Sort::Float(FloatFormat::Double) => text.parse().ok().map(Value::double),
            Sort::Word(width) => {
                let scale = 10i128.checked_pow(u32::try_from(last).ok()?)?;
                let number = i128::try_from(self.digits).ok()?.checked_mul(scale)?;
                let number = if self.negative { -number } else { number };
                Some(Value::word(u32::from(width), number as u128))
            }
        }
    }
}

/// Values worth a trial, from the plainest on; all are plainer than the value.
fn plainer_values(value: Value, signed: bool) -> Vec<Value> {
    let sort = value.sort();
    let own = Decimal::of(value, signed);
    let mut numbers: Vec<Decimal> =
        ["0e0", "1e0", "-1e0", "2e0", "5e0"].iter().filter_map(|text| Decimal::parse(text)).collect();
    if let Some(own) = own {
        let sign = if own.negative { "-" } else { "" };
        let powers = (1..=own.magnitude.min(9)).map(|power| match own.exponent > 0 {
            true => format!("{sign}1e{power}"),
            false => format!("{sign}1e-{power}"),
        });
        numbers.extend(powers.filter_map(|text| Decimal::parse(&text)));
        numbers.extend((1..own.count.min(DIGITS as u32 + 1)).flat_map(|count| own.rounded(count)));
    }
    // Read back from the value: what does not fit the width is another number, and not a plainer
    // one.
    let fits = |number: &Decimal| {
        let read = number.value(sort).and_then(|value| Decimal::of(value, signed));
        read == Some(*number) && own.is_none_or(|own| *number < own)
    };
    numbers.retain(fits);
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter().filter_map(|number| number.value(sort)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(width: u32, value: i128, signed: bool) -> Vec<i128> {
        let value = Value::word(width, value as u128);
        let read = |value: Value| if signed { value.signed() } else { value.bits() as i128 };
        plainer_values(value, signed).into_iter().map(read).collect()
    }

    #[test]
    fn plainer_words_have_fewer_digits_or_are_smaller() {
        assert_eq!(words(8, 0, true), []);
        assert_eq!(words(8, 1, true), [0]);
        assert_eq!(words(8, -1, true), [0, 1]);
        assert_eq!(words(8, 250, false), [0, 1, 2, 5, 10, 100, 200]);
        assert_eq!(words(8, -6, true), [0, 1, -1, 2, 5]);
        assert_eq!(words(16, 4327, false), [0, 1, 2, 5, 10, 100, 1000, 4000, 5000, 4300, 4400, 4320, 4330]);
        assert_eq!(words(1, 1, false), [0]);
        assert!(words(32, i128::from(i32::MIN), true).starts_with(&[0, 1, -1, 2, 5]));
        assert!(words(32, i128::from(i32::MIN), true).contains(&-2_000_000_000));
    }

    #[test]
    fn plainer_floats_are_rounded() {
        let doubles = |value: f64| -> Vec<f64> {
            let values = plainer_values(Value::double(value), true);
            values.into_iter().map(|value| f64::from_bits(value.bits() as u64)).collect()
        };
        assert_eq!(doubles(0.494_321), [0.0, 1.0, -1.0, 2.0, 5.0, 0.1, 0.4, 0.5, 0.49, 0.494, 0.495]);
        assert_eq!(
            doubles(-3.25e-3),
            [0.0, 1.0, -1.0, 2.0, 5.0, -0.1, -0.01, -1e-3, -3e-3, -4e-3, -3.2e-3, -3.3e-3]
        );
        assert_eq!(doubles(99.6), [0.0, 1.0, -1.0, 2.0, 5.0, 10.0, 90.0, 100.0, 99.0]);
        assert_eq!(doubles(f64::NAN), [0.0, 1.0, -1.0, 2.0, 5.0]);
        assert_eq!(doubles(-0.0), [0.0]);
        assert_eq!(doubles(f64::INFINITY), [0.0, 1.0, -1.0, 2.0, 5.0]);
    }
}
