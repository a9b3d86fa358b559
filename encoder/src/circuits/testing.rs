//! Checks circuits against ordinary arithmetic.
//!
//! A circuit is run in several ways: on lanes, on a graph with free inputs, on graphs where one
//! operand is constant, and (where asked) with operands that were widened from fewer bits. Widths
//! up to 5 are checked exhaustively, larger ones on random and boundary values.

use crate::aig::{Aig, Literal};
use crate::bits::{BitBuilder, Lanes};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// Checks a circuit of two operands: `reference(width, a, b)` gives the expected number modulo
/// 2^(result width).
macro_rules! check_binary {
    ($circuit:expr, $reference:expr $(,)?) => {{
        crate::circuits::testing::binary_on_lanes($circuit, $reference);
        crate::circuits::testing::binary_on_graphs($circuit, $reference);
    }};
}

pub(crate) use check_binary;

/// The number in two's complement.
pub(crate) fn signed(width: usize, value: u128) -> i128 {
    (value << (128 - width)) as i128 >> (128 - width)
}

fn mask(width: usize) -> u128 {
    u128::MAX >> (128 - width)
}

/// Batches of at most 64 operand pairs, with their width.
fn samples(exhaustive: usize, random: &[usize]) -> Vec<(usize, Vec<(u128, u128)>)> {
    let mut samples = Vec::new();
    for width in 1..=exhaustive {
        let values = 0..1u128 << width;
        let pairs: Vec<_> = values.clone().flat_map(|a| values.clone().map(move |b| (a, b))).collect();
        samples.extend(pairs.chunks(64).map(|chunk| (width, chunk.to_vec())));
    }
    let mut rng = SmallRng::seed_from_u64(1);
    for &width in random {
        for _ in 0..2 {
            let pairs = (0..64).map(|_| (operand(&mut rng, width), operand(&mut rng, width)));
            samples.push((width, pairs.collect()));
        }
    }
    samples
}

/// A random number: often near a power of two, of random length, or small.
fn operand(rng: &mut SmallRng, width: usize) -> u128 {
    let value = match rng.random_range(0..4) {
        0 => (1u128 << rng.random_range(0..width)).wrapping_add(rng.random_range(0..3)).wrapping_sub(1),
        1 => (rng.random::<u128>() & mask(width)) >> rng.random_range(0..width),
        2 => u128::from(rng.random::<u8>()).wrapping_sub(128),
        _ => rng.random(),
    };
    value & mask(width)
}

pub(crate) fn binary_on_lanes(
    circuit: impl Fn(&mut Lanes, &[u64], &[u64]) -> Vec<u64>,
    reference: impl Fn(usize, u128, u128) -> u128,
) {
    for (width, pairs) in samples(5, &[8, 16, 32, 33, 64, 128]) {
        let (a, b): (Vec<u128>, Vec<u128>) = pairs.iter().copied().unzip();
        let result = circuit(&mut Lanes, &Lanes::pack(width, &a), &Lanes::pack(width, &b));
        compare(width, &pairs, &result, &reference);
    }
}

pub(crate) fn binary_on_graphs(
    circuit: impl Fn(&mut Aig, &[Literal], &[Literal]) -> Vec<Literal>,
    reference: impl Fn(usize, u128, u128) -> u128,
) {
    for (width, pairs) in samples(5, &[8, 33]) {
        on_graph(width, &pairs, |_, a| a, |_, b| b, &circuit, &reference);
    }
    for (width, pairs) in samples(3, &[8, 33]) {
        for pair in pairs.chunks(1) {
            let (a, b) = pair[0];
            on_graph(width, pair, |aig, _| aig.constant_word(width, a), |_, b| b, &circuit, &reference);
            on_graph(width, pair, |_, a| a, |aig, _| aig.constant_word(width, b), &circuit, &reference);
        }
    }
}

/// Checks a circuit on operands that were widened from every smaller width, by sign and by zeros.
pub(crate) fn check_widened(
    circuit: impl Fn(&mut Aig, &[Literal], &[Literal]) -> Vec<Literal>,
    reference: impl Fn(usize, u128, u128) -> u128,
) {
    let shapes = |width: usize| (1..=width).flat_map(|narrow| [(narrow, false), (narrow, true)]);
    for (width, pairs) in samples(4, &[9]) {
        for (of_a, of_b) in shapes(width).flat_map(|a| shapes(width).map(move |b| (a, b))) {
            let widen = |value, (narrow, by_sign): (usize, bool)| match by_sign {
                true => signed(narrow, value) as u128 & mask(width),
                false => value & mask(narrow),
            };
            let widened: Vec<_> = pairs.iter().map(|&(a, b)| (widen(a, of_a), widen(b, of_b))).collect();
            let build = |aig: &mut Aig, word: Vec<Literal>, (narrow, by_sign): (usize, bool)| {
                super::logic::resize(aig, &word[..narrow], width, by_sign)
            };
            let (lhs, rhs) = (|aig: &mut Aig, a| build(aig, a, of_a), |aig: &mut Aig, b| build(aig, b, of_b));
            on_graph(width, &widened, lhs, rhs, &circuit, &reference);
        }
    }
}

/// Builds the circuit over free inputs, as `lhs` and `rhs` shape them, and evaluates it on the
/// pairs.
fn on_graph(
    width: usize,
    pairs: &[(u128, u128)],
    lhs: impl Fn(&mut Aig, Vec<Literal>) -> Vec<Literal>,
    rhs: impl Fn(&mut Aig, Vec<Literal>) -> Vec<Literal>,
    circuit: impl Fn(&mut Aig, &[Literal], &[Literal]) -> Vec<Literal>,
    reference: impl Fn(usize, u128, u128) -> u128,
) {
    let mut aig = Aig::new();
    let a: Vec<Literal> = (0..width).map(|_| aig.input()).collect();
    let b: Vec<Literal> = (0..width).map(|_| aig.input()).collect();
    let (a, b) = (lhs(&mut aig, a), rhs(&mut aig, b));
    let result = circuit(&mut aig, &a, &b);
    let (a, b): (Vec<u128>, Vec<u128>) = pairs.iter().copied().unzip();
    let inputs = [Lanes::pack(width, &a), Lanes::pack(width, &b)].concat();
    let values = aig.evaluate(|input| inputs[input]);
    let result: Vec<u64> = result.iter().map(|literal| literal.among(&values)).collect();
    compare(width, pairs, &result, reference);
}

fn compare(
    width: usize,
    pairs: &[(u128, u128)],
    result: &[u64],
    reference: impl Fn(usize, u128, u128) -> u128,
) {
    for (lane, &(a, b)) in pairs.iter().enumerate() {
        let expected = reference(width, a, b) & mask(result.len());
        assert_eq!(Lanes::unpack(result, lane), expected, "width {width}, operands {a} and {b}");
    }
}
