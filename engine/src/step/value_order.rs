//! Values in a row: words by their bits, floats by size.

use model::sort::Sort;
use model::value::Value;

/// The place of a value: floats around 0 (both zeros), each one more than the next smaller one;
/// words as they are.
pub(crate) fn order(value: Value) -> i128 {
    match value.sort() {
        Sort::Word(_) => value.bits() as i128,
        sort @ Sort::Float(_) => {
            let top = 1u128 << (sort.width() - 1);
            let magnitude = (value.bits() & (top - 1)) as i128;
            if value.bits() & top == 0 { magnitude } else { -magnitude }
        }
    }
}

/// The value at a place: words go around, floats end with the infinities.
pub(crate) fn from_order(sort: Sort, place: i128) -> Value {
    match sort {
        Sort::Word(_) => Value::new(sort, place as u128 & sort.mask()),
        Sort::Float(format) => {
            let infinity = (((1u128 << format.exponent_bits()) - 1) << format.fraction_bits()) as i128;
            let magnitude = place.abs().min(infinity) as u128;
            let top = if place < 0 { 1u128 << (sort.width() - 1) } else { 0 };
            Value::new(sort, magnitude | top)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_values_lead_back() {
        for number in [0.0, 1.5, -1.5, f64::MAX, f64::INFINITY, f64::NEG_INFINITY] {
            let value = Value::double(number);
            assert_eq!(from_order(value.sort(), order(value)), value);
        }
    }
}
