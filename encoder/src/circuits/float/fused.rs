//! Fused multiply-add: the exact product and the summand meet with twice the precision and are
//! rounded once.

use super::Layout;
use super::add::{Scaled, sign_of_sum, sum_of_ordered};
use super::multiply::product;
use super::normalise::{increment_if, normalise, pad_below};
use super::round::{Special, assemble, round};
use super::unpack::{Unpacked, unpack};
use crate::bits::BitBuilder;
use crate::circuits::{add, compare, logic};

/// `a * b + c` with one rounding.
pub fn fused_multiply_add<B: BitBuilder>(
    bits: &mut B,
    layout: Layout,
    a: &[B::Bit],
    b: &[B::Bit],
    c: &[B::Bit],
) -> Vec<B::Bit> {
    let (a, b, c) = (unpack(bits, layout, a), unpack(bits, layout, b), unpack(bits, layout, c));
    let product = product(bits, layout, &a, &b);
    let summand = summand(bits, layout, &c);
    let product_is_zero = product.special.zero;
    let factors = Operand {
        sign: product.sign,
        room: lowest_where(bits, product_is_zero, &product.room),
        significand: silenced_where(bits, product_is_zero, &product.significand),
    };
    let subtract = bits.xor(factors.sign, summand.sign);
    let (large, small) = ordered(bits, factors, summand);
    let sum = sum_of_ordered(bits, &large.scaled(), &small.scaled(), subtract);
    let zero = compare::is_zero(bits, &sum);
    let (significand, amount) = normalise(bits, &sum);
    // The sum has one bit more on top than the larger operand.
    let amount = logic::resize(bits, &amount, large.room.len(), false);
    let room = add::subtract(bits, &large.room, &amount);
    let yes = bits.constant(true);
    let (room, _) = increment_if(bits, yes, &room);
    let magnitude = round(bits, layout, &room, &significand);
    let finite_sign = sign_of_sum(bits, zero, large.sign, small.sign);
    let special = special_sum(bits, &product.special, &c, subtract, zero);
    let infinite_sign = bits.mux(c.infinite, c.sign, product.sign);
    let sign = bits.mux(special.infinite, infinite_sign, finite_sign);
    assemble(bits, layout, sign, &magnitude, &special)
}

/// A summand in the form of the product: twice the precision, the lowest exponent where it is zero.
struct Operand<Bit> {
    sign: Bit,
    room: Vec<Bit>,
    significand: Vec<Bit>,
}

impl<Bit> Operand<Bit> {
    fn scaled(&self) -> Scaled<'_, Bit> {
        Scaled { exponent: &self.room, significand: &self.significand }
    }
}

fn summand<B: BitBuilder>(bits: &mut B, layout: Layout, c: &Unpacked<B::Bit>) -> Operand<B::Bit> {
    let (exponent, significand) = c.normalised(bits, layout);
    let minus_one = bits.constant_word(exponent.len(), u128::MAX);
    let room = add::add(bits, &exponent, &minus_one);
    Operand {
        sign: c.sign,
        room: lowest_where(bits, c.zero, &room),
        significand: pad_below(bits, &significand, 2 * layout.precision()),
    }
}

/// The exponent, or where the number is zero one that is below all others, so that the other
/// operand is taken as the larger. No difference to it overflows.
fn lowest_where<B: BitBuilder>(bits: &mut B, zero: B::Bit, exponent: &[B::Bit]) -> Vec<B::Bit> {
    let lowest = bits.constant_word(exponent.len(), u128::MAX << (exponent.len() - 2));
    logic::select(bits, zero, &lowest, exponent)
}

/// The significand, or 0: that of a product with a zero factor means nothing.
fn silenced_where<B: BitBuilder>(bits: &mut B, zero: B::Bit, significand: &[B::Bit]) -> Vec<B::Bit> {
    let kept = bits.not(zero);
    logic::masked(bits, significand, kept)
}

/// The operands, that of larger magnitude first.
fn ordered<B: BitBuilder>(
    bits: &mut B,
    a: Operand<B::Bit>,
    b: Operand<B::Bit>,
) -> (Operand<B::Bit>, Operand<B::Bit>) {
    let swap = {
        let (left, right) = (order_key(bits, &a), order_key(bits, &b));
        compare::unsigned_less(bits, &left, &right)
    };
    let mut choose = |condition, then: &Operand<B::Bit>, otherwise: &Operand<B::Bit>| Operand {
        sign: bits.mux(condition, then.sign, otherwise.sign),
        room: logic::select(bits, condition, &then.room, &otherwise.room),
        significand: logic::select(bits, condition, &then.significand, &otherwise.significand),
    };
    (choose(swap, &b, &a), choose(swap, &a, &b))
}

/// An unsigned word that is ordered as the operands' magnitudes.
fn order_key<B: BitBuilder>(bits: &mut B, operand: &Operand<B::Bit>) -> Vec<B::Bit> {
    let mut key = [&operand.significand[..], &operand.room].concat();
    let top = key.len() - 1;
    key[top] = bits.not(key[top]);
    key
}

fn special_sum<B: BitBuilder>(
    bits: &mut B,
    product: &Special<B::Bit>,
    c: &Unpacked<B::Bit>,
    subtract: B::Bit,
    zero: B::Bit,
) -> Special<B::Bit> {
    let opposite = bits.all(&[product.infinite, c.infinite, subtract]);
    let nan = bits.any(&[product.nan, c.nan, opposite]);
    let infinite = bits.or(product.infinite, c.infinite);
    Special { nan, infinite, zero }
}
