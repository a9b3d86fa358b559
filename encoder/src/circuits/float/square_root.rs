//! Square root, digit by digit: each row takes in two bits of the radicand and yields one of the
//! root.

use super::Layout;
use super::normalise::up;
use super::round::{Special, assemble, pack};
use super::unpack::unpack;
use crate::bits::BitBuilder;
use crate::circuits::{add, logic};

/// Correctly rounded square root; NaN of negative numbers, -0 of -0.
pub fn square_root<B: BitBuilder>(bits: &mut B, layout: Layout, word: &[B::Bit]) -> Vec<B::Bit> {
    let arg = unpack(bits, layout, word);
    let (exponent, significand) = arg.normalised(bits, layout);
    let offset = bits.constant_word(exponent.len(), -layout.bias() as u128);
    let exponent = add::add(bits, &exponent, &offset);
    // m * 2^e = (2m) * 2^(e-1): the root's exponent is floor(e / 2).
    let odd = exponent[0];
    let significand = logic::resize(bits, &significand, layout.precision() + 1, false);
    let doubled = up(bits, &significand, 1);
    let radicand = logic::select(bits, odd, &doubled, &significand);
    let root = root(bits, &radicand);
    // The root's exponent is at least that of the smallest normal number (see `Layout`), so the
    // room is not negative.
    let offset = bits.constant_word(exponent.len() - 1, (layout.bias() - 1) as u128);
    let room = add::add(bits, &exponent[1..], &offset);
    let magnitude = pack(bits, layout, &room[..room.len() - 1], &root);
    let positive_or_zero = {
        let positive = bits.not(arg.sign);
        bits.or(positive, arg.zero)
    };
    let negative = bits.not(positive_or_zero);
    let nan = bits.or(arg.nan, negative);
    let special = Special { nan, infinite: arg.infinite, zero: arg.zero };
    assemble(bits, layout, arg.sign, &magnitude, &special)
}

/// The root of `radicand * 2^n`, rounded down, where n is the radicand's width: n bits, and below
/// them a bit that is set where the root is not exact.
fn root<B: BitBuilder>(bits: &mut B, radicand: &[B::Bit]) -> Vec<B::Bit> {
    let width = radicand.len();
    let zero = bits.constant(false);
    let one = bits.constant(true);
    let digits = [&vec![zero; width], radicand].concat();
    let mut root: Vec<B::Bit> = Vec::new();
    let mut rest: Vec<B::Bit> = Vec::new();
    for pair in digits.chunks(2).rev() {
        rest.splice(0..0, pair.iter().copied());
        let trial = [&[one, zero], &root[..]].concat();
        let trial = logic::resize(bits, &trial, rest.len(), false);
        let (difference, fits) = add::subtract_with_order(bits, &rest, &trial);
        rest = logic::select(bits, fits, &difference, &rest);
        root.insert(0, fits);
        // The rest is at most twice the root.
        rest.truncate(root.len() + 1);
    }
    root.insert(0, bits.any(&rest));
    root
}
