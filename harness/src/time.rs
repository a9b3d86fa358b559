//! Exact times, as messages carry them.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use std::fmt;

/// An exact time, at least 0, in the unit of the specification.
///
/// ```
/// # use harness::Time;
/// let time = Time::parse("1.50").expect("a time");
/// assert_eq!((time.to_string(), Time::parse("3/2")), ("1.5".to_owned(), Some(time)));
/// assert_eq!((Time::parse("-1"), Time::parse("1/0"), Time::parse("soon")), (None, None, None));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(BigRational);

/// Digits of a time that are read at most.
const MOST_DIGITS: usize = 60;

impl Time {
    /// A time; none where it is below 0.
    pub fn new(value: BigRational) -> Option<Self> {
        (!value.is_negative()).then_some(Self(value))
    }
    /// The number.
    pub fn value(&self) -> &BigRational {
        &self.0
    }
    /// Reads a decimal or `p/q`.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > 2 * MOST_DIGITS {
            return None;
        }
        let (upper, lower) = text.split_once('/').unwrap_or((text, "1"));
        let (upper, lower) = (decimal(upper)?, decimal(lower)?);
        if lower.is_zero() { None } else { Self::new(upper / lower) }
    }
}

/// Digits with a point in their midst or without.
fn decimal(text: &str) -> Option<BigRational> {
    let text = text.trim();
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let has_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !has_digits(whole) || !has_digits(part) {
        return None;
    }
    let units: BigInt = format!("{whole}{part}").parse().ok()?;
    Some(BigRational::new(units, BigInt::from(10).pow(u32::try_from(part.len()).ok()?)))
}

impl fmt::Display for Time {
    /// A decimal where there is one, else `p/q`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ten = BigInt::from(10);
        let places = (0..=MOST_DIGITS as u32).find(|&places| (ten.pow(places) % self.0.denom()).is_zero());
        let Some(places) = places else { return write!(out, "{}", self.0) };
        let units = (&self.0 * BigRational::from_integer(ten.pow(places))).to_integer().to_string();
        let padded = format!("{units:0>width$}", width = places as usize + 1);
        let (whole, part) = padded.split_at(padded.len() - places as usize);
        if part.is_empty() { out.write_str(whole) } else { write!(out, "{whole}.{part}") }
    }
}
