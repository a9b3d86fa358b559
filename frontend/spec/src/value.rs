//! Values of expressions.

use model::sort::FloatFormat;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::{BigRational, Ratio};
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;

/// An exact fraction of 128-bit integers: literals, steps of types.
pub type Fraction = Ratio<i128>;

/// A value of an expression or variable. Equal numbers are equal values: a number is
/// [`Value::Integer`] wherever it is integral and fits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A truth.
    Bool(bool),
    /// An integral number: of a range, a machine integer, a rational.
    Integer(i128),
    /// Any other exact number.
    Rational(Box<BigRational>),
    /// The position of an enumerator in its enumeration.
    Enumerator(u32),
    /// A float, by its bit pattern.
    Float(FloatFormat, u64),
}

impl Value {
    /// An exact number.
    pub fn number(number: BigRational) -> Self {
        let integer = if number.is_integer() { number.numer().to_i128() } else { None };
        integer.map_or_else(|| Self::Rational(Box::new(number)), Self::Integer)
    }
    /// An exact fraction.
    pub fn fraction(fraction: Fraction) -> Self {
        if fraction.is_integer() { Self::Integer(*fraction.numer()) } else { Self::number(big(fraction)) }
    }
    /// The truth that this is.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }
    /// The integer that this is.
    pub fn as_integer(&self) -> Option<i128> {
        match self {
            Self::Integer(value) => Some(*value),
            _ => None,
        }
    }
    /// The exact number that this is.
    pub fn as_number(&self) -> Option<BigRational> {
        match self {
            Self::Integer(value) => Some(BigRational::from_integer(BigInt::from(*value))),
            Self::Rational(value) => Some((**value).clone()),
            _ => None,
        }
    }
    /// The exact number that this is, where it fits.
    pub fn as_fraction(&self) -> Option<Fraction> {
        match self {
            Self::Integer(value) => Some(Fraction::from_integer(*value)),
            Self::Rational(value) => {
                Some(Fraction::new_raw(value.numer().to_i128()?, value.denom().to_i128()?))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Value {
    /// Truths as `true` and `false`, integers in decimal, other exact numbers as decimals where
    /// they are some and else as `p/q`, enumerators as their positions (see
    /// [`Type::show`](crate::types::Type::show)), floats as the shortest decimals that read back
    /// equal.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(out, "{value}"),
            Self::Integer(value) => write!(out, "{value}"),
            Self::Rational(value) => out.write_str(&decimal(value)),
            Self::Enumerator(value) => write!(out, "{value}"),
            Self::Float(FloatFormat::Single, bits) => match u32::try_from(*bits) {
                Ok(bits) => write!(out, "{:?}", f32::from_bits(bits)),
                Err(_) => write!(out, "{bits:#x}"),
            },
            Self::Float(FloatFormat::Double, bits) => write!(out, "{:?}", f64::from_bits(*bits)),
        }
    }
}

/// A fraction without limits.
pub fn big(fraction: Fraction) -> BigRational {
    BigRational::new_raw(BigInt::from(*fraction.numer()), BigInt::from(*fraction.denom()))
}

/// A number as a decimal, where its denominator divides a power of ten that is not too large, and
/// as `p/q` elsewhere.
fn decimal(number: &BigRational) -> String {
    const MOST_DIGITS: u32 = 20;
    let ten = BigInt::from(10);
    let digits = (0..=MOST_DIGITS).find(|&digits| (ten.pow(digits) % number.denom()).is_zero());
    let Some(digits) = digits else { return number.to_string() };
    let units = (number * BigRational::from_integer(ten.pow(digits))).to_integer();
    let sign = if units < BigInt::zero() { "-" } else { "" };
    let text = format!("{:0>width$}", units.magnitude().to_string(), width = digits as usize + 1);
    let (whole, part) = text.split_at(text.len() - digits as usize);
    if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
}

/// The bit pattern of the float nearest to a number, ties to even; infinite beyond the greatest.
pub fn nearest_float(number: &BigRational, format: FloatFormat) -> u64 {
    let (fraction_bits, exponent_bits) = (i64::from(format.fraction_bits()), format.exponent_bits());
    let sign = u64::from(number.is_negative()) << (format.width() - 1);
    let (p, q) = (number.numer().magnitude(), number.denom().magnitude());
    if p.is_zero() {
        return 0;
    }
    // The exponent of the last place: of the number's own binade, or of the subnormal numbers.
    let bias = (1_i64 << (exponent_bits - 1)) - 1;
    let estimate = p.bits() as i64 - q.bits() as i64;
    let is_below = if estimate >= 0 { *p < q << estimate } else { p << -estimate < *q };
    let binade = (estimate - i64::from(is_below)).max(1 - bias);
    let last = binade - fraction_bits;
    let (p, q) = if last >= 0 { (p.clone(), q << last) } else { (p << -last, q.clone()) };
    let (quotient, remainder) = p.div_rem(&q);
    let is_up = match (remainder << 1_u32).cmp(&q) {
        Ordering::Less => false,
        Ordering::Equal => quotient.bit(0),
        Ordering::Greater => true,
    };
    let significand = quotient.to_u64().unwrap_or(u64::MAX >> 1) + u64::from(is_up);
    if binade > bias {
        return sign | ((1 << exponent_bits) - 1) << fraction_bits;
    }
    // The hidden bit adds one to the exponent field, which a carry may do as well.
    let exponent = (binade + bias - 1) as u64;
    sign | ((exponent << fraction_bits) + significand)
}

/// The exact number that decimal digits say; none where it needs more than 127 bits.
pub fn parse_number(text: &str) -> Option<Fraction> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let part = part.trim_end_matches('0');
    let units: i128 = format!("{whole}{part}").parse().ok()?;
    let scale = 10_i128.checked_pow(u32::try_from(part.len()).ok()?)?;
    Some(Fraction::new(units, scale))
}
