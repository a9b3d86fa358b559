//! Classes of floats, and operators on the sign alone.

use super::Layout;
use super::unpack::fields;
use crate::bits::BitBuilder;

/// Whether a float is a NaN.
pub fn is_nan<B: BitBuilder>(bits: &mut B, layout: Layout, word: &[B::Bit]) -> B::Bit {
    let (fraction, field, _) = fields(layout, word);
    let (ones, some) = (bits.all(field), bits.any(fraction));
    bits.and(ones, some)
}

/// Whether a float is an infinity.
pub fn is_infinite<B: BitBuilder>(bits: &mut B, layout: Layout, word: &[B::Bit]) -> B::Bit {
    let (fraction, field, _) = fields(layout, word);
    let (ones, some) = (bits.all(field), bits.any(fraction));
    let none = bits.not(some);
    bits.and(ones, none)
}

/// The float with its sign flipped, also of a NaN.
pub fn negate<B: BitBuilder>(bits: &mut B, layout: Layout, word: &[B::Bit]) -> Vec<B::Bit> {
    let mut negated = word.to_vec();
    negated[layout.magnitude()] = bits.not(word[layout.magnitude()]);
    negated
}

/// The float with its sign cleared, also of a NaN.
pub fn absolute<B: BitBuilder>(bits: &mut B, layout: Layout, word: &[B::Bit]) -> Vec<B::Bit> {
    let mut absolute = word.to_vec();
    absolute[layout.magnitude()] = bits.constant(false);
    absolute
}
