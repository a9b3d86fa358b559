//! Rounding to nearest, ties to even, and the assembly of results: the one rounder of all
//! operators.

use super::Layout;
use super::normalise::{increment_if, pad_below, shift_right_sticky, squash};
use crate::bits::BitBuilder;
use crate::circuits::{add, logic};

/// Rounds a number of which only the size may be out of range, and packs it into exponent field and
/// fraction.
///
/// The room (see [`super`]) is unsigned and at least as wide as the exponent field. The significand
/// has at least the precision's bits; its top bit is set, or the room is 0. Too large a number
/// becomes the infinity. The result means nothing where the significand is zero and the room is
/// not.
pub(super) fn pack<B: BitBuilder>(
    bits: &mut B,
    layout: Layout,
    room: &[B::Bit],
    significand: &[B::Bit],
) -> Vec<B::Bit> {
    let (rest, kept) = significand.split_at(significand.len() - layout.precision());
    let (fraction, hidden) = (&kept[..layout.fraction], kept[layout.fraction]);
    let upwards = rounds_up(bits, rest, kept[0]);
    let (fraction, carry) = increment_if(bits, upwards, fraction);
    let room = logic::resize(bits, room, room.len() + 1, false);
    let hidden = logic::resize(bits, &[hidden], room.len(), false);
    let (field, _) = add::add_with_carry(bits, &room, &hidden, carry);
    let (field, beyond) = field.split_at(layout.exponent);
    let (ones, beyond) = (bits.all(field), bits.any(beyond));
    let overflow = bits.or(ones, beyond);
    let in_range = bits.not(overflow);
    let mut packed = logic::masked(bits, &fraction, in_range);
    packed.extend(field.iter().map(|&bit| bits.or(bit, overflow)));
    packed
}

/// Rounds a number that may be of any size and packs it. As [`pack`], but the room is a signed
/// word, and where it is negative the number is subnormal or less and loses bits.
pub(super) fn round<B: BitBuilder>(
    bits: &mut B,
    layout: Layout,
    room: &[B::Bit],
    significand: &[B::Bit],
) -> Vec<B::Bit> {
    let (&negative, size) = room.split_last().expect("a room should have a sign");
    let significand = squash(bits, significand, layout.precision() + 2);
    let significand = pad_below(bits, &significand, layout.precision() + 2);
    let depth = add::negate(bits, room);
    let depth = logic::masked(bits, &depth, negative);
    let significand = shift_right_sticky(bits, &significand, &depth);
    let positive = bits.not(negative);
    let room = logic::masked(bits, size, positive);
    pack(bits, layout, &room, &significand)
}

/// Whether rounding to nearest increments: the bits below the last kept one make more than half of
/// it, or just half and the last one is odd.
fn rounds_up<B: BitBuilder>(bits: &mut B, rest: &[B::Bit], last: B::Bit) -> B::Bit {
    match rest.split_last() {
        None => bits.constant(false),
        Some((&half, below)) => {
            let more = bits.any(below);
            let up = bits.or(more, last);
            bits.and(half, up)
        }
    }
}

/// Where the result is none of the rounded numbers. At most one of them holds, except that `nan`
/// takes precedence, then `infinite`.
pub(super) struct Special<Bit> {
    pub(super) nan: Bit,
    pub(super) infinite: Bit,
    pub(super) zero: Bit,
}

/// The result out of sign and packed magnitude, or the special result that takes its place.
pub(super) fn assemble<B: BitBuilder>(
    bits: &mut B,
    layout: Layout,
    sign: B::Bit,
    magnitude: &[B::Bit],
    special: &Special<B::Bit>,
) -> Vec<B::Bit> {
    let &Special { nan, infinite, zero } = special;
    let full = bits.or(nan, infinite);
    let replaced = bits.or(full, zero);
    let kept = bits.not(replaced);
    let mut word = logic::masked(bits, magnitude, kept);
    word[layout.fraction - 1] = bits.or(word[layout.fraction - 1], nan);
    for bit in &mut word[layout.fraction..] {
        *bit = bits.or(*bit, full);
    }
    let signed = bits.not(nan);
    word.push(bits.and(sign, signed));
    word
}
