//! Runs float circuits on many operands and compares the results with a reference.

use super::Layout;
use crate::aig::{Aig, Literal};
use crate::bits::Lanes;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// Checks a circuit on lists of operands, 64 lists at once. `widths` are those of the operands.
pub(super) fn check_on_lanes(
    widths: &[usize],
    samples: &[Vec<u128>],
    circuit: impl Fn(&mut Lanes, &[Vec<u64>]) -> Vec<u64>,
    reference: impl Fn(&[u128]) -> u128,
) {
    for batch in samples.chunks(64) {
        let words: Vec<Vec<u64>> = widths
            .iter()
            .enumerate()
            .map(|(index, &width)| {
                Lanes::pack(width, &batch.iter().map(|sample| sample[index]).collect::<Vec<_>>())
            })
            .collect();
        compare(batch, &circuit(&mut Lanes, &words), &reference);
    }
}

/// Checks a circuit over the graph, where all operands but one are constants that it may fold, and
/// in the first sample of each batch none is.
pub(super) fn check_on_graphs(
    widths: &[usize],
    samples: &[Vec<u128>],
    circuit: impl Fn(&mut Aig, &[Vec<Literal>]) -> Vec<Literal>,
    reference: impl Fn(&[u128]) -> u128,
) {
    for (number, sample) in samples.iter().enumerate() {
        let free = number % (widths.len() + 1);
        let mut aig = Aig::new();
        let mut inputs = Vec::new();
        let words: Vec<Vec<Literal>> = widths
            .iter()
            .enumerate()
            .map(|(index, &width)| {
                if index == free || free == widths.len() {
                    inputs.extend(Lanes::pack(width, &[sample[index]]));
                    (0..width).map(|_| aig.input()).collect()
                } else {
                    use crate::bits::BitBuilder;
                    aig.constant_word(width, sample[index])
                }
            })
            .collect();
        let result = circuit(&mut aig, &words);
        let values = aig.evaluate(|input| inputs[input]);
        let result: Vec<u64> = result.iter().map(|literal| literal.among(&values)).collect();
        compare(std::slice::from_ref(sample), &result, &reference);
    }
}

fn compare(batch: &[Vec<u128>], result: &[u64], reference: &impl Fn(&[u128]) -> u128) {
    for (lane, sample) in batch.iter().enumerate() {
        let (found, expected) = (Lanes::unpack(result, lane), reference(sample));
        assert_eq!(found, expected, "of {sample:#x?}: {found:#x} instead of {expected:#x}");
    }
}

/// Number of gates of a circuit over free operands.
pub(super) fn gates(widths: &[usize], circuit: impl Fn(&mut Aig, &[Vec<Literal>]) -> Vec<Literal>) -> usize {
    let mut aig = Aig::new();
    let words: Vec<Vec<Literal>> =
        widths.iter().map(|&width| (0..width).map(|_| aig.input()).collect()).collect();
    circuit(&mut aig, &words);
    aig.ands()
}

/// All lists of `count` operands out of `values`.
pub(super) fn tuples(values: &[u128], count: usize) -> Vec<Vec<u128>> {
    (0..count).fold(vec![Vec::new()], |tuples, _| {
        let extend = |tuple: &Vec<u128>| {
            values.iter().map(|&value| [&tuple[..], &[value]].concat()).collect::<Vec<_>>()
        };
        tuples.iter().flat_map(extend).collect()
    })
}

/// Patterns at the borders of the classes of floats, of both signs.
pub(super) fn boundary_values(layout: Layout) -> Vec<u128> {
    let Layout { exponent, fraction } = layout;
    let bias = layout.bias();
    let pack = |field: i128, fraction_bits: u128| (field as u128) << fraction | fraction_bits;
    let last_field = (1i128 << exponent) - 1;
    let top = (1u128 << fraction) - 1;
    // Zero, subnormals, the smallest normal numbers, the largest number, infinity, NaN quiet and
    // signalling.
    let mut patterns = vec![0, 1, 2, 3, top / 2, top / 2 + 1, top - 1, top];
    patterns.extend([pack(1, 0), pack(1, 1), pack(1, top), pack(2, 0), pack(2, 1)]);
    patterns.extend([pack(last_field - 1, 0), pack(last_field - 1, top - 1), pack(last_field - 1, top)]);
    patterns.extend([pack(last_field, 0), pack(last_field, 1), pack(last_field, top / 2 + 1)]);
    patterns.extend([pack(last_field, top)]);
    // Numbers next to powers of two: around 1, at the ends of the precision and of C's integers,
    // halfway cases.
    let precision = layout.precision() as i128;
    let exponents = [
        -2,
        -1,
        0,
        1,
        2,
        precision - 2,
        precision - 1,
        precision,
        precision + 1,
        30,
        31,
        32,
        52,
        53,
        62,
        63,
        64,
    ];
    for exponent in exponents.into_iter().chain([-precision, 1 - precision, bias / 2, -bias / 2]) {
        let field = exponent + bias;
        if field > 0 && field < last_field {
            let one = pack(field, 0);
            patterns.extend([one - 1, one, one + 1, pack(field, top / 2 + 1), pack(field, top / 2 + 2)]);
        }
    }
    patterns.sort_unstable();
    patterns.dedup();
    let sign = 1u128 << layout.magnitude();
    let negative: Vec<u128> = patterns.iter().map(|pattern| pattern | sign).collect();
    [patterns, negative].concat()
}

/// Random lists of operands: any patterns, operands of near exponents, few significant bits,
/// boundary values.
pub(super) fn random_samples(layouts: &[Layout], count: usize) -> Vec<Vec<u128>> {
    random_samples_of(layouts, count, count as u64)
}

/// The same for a seed.
pub(super) fn random_samples_of(layouts: &[Layout], count: usize, seed: u64) -> Vec<Vec<u128>> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let boundary: Vec<Vec<u128>> = layouts.iter().map(|&layout| boundary_values(layout)).collect();
    (0..count)
        .map(|_| {
            let near = rng.random_bool(0.5).then(|| rng.random::<u128>());
            let operand =
                |(&layout, boundary): (&Layout, &Vec<u128>)| random_operand(&mut rng, layout, near, boundary);
            layouts.iter().zip(&boundary).map(operand).collect()
        })
        .collect()
}

fn random_operand(rng: &mut SmallRng, layout: Layout, near: Option<u128>, boundary: &[u128]) -> u128 {
    if rng.random_bool(0.1) {
        return boundary[rng.random_range(0..boundary.len())];
    }
    let fraction_mask = (1u128 << layout.fraction) - 1;
    let mut fraction = rng.random::<u128>() & fraction_mask;
    if rng.random_bool(0.3) {
        fraction &= fraction_mask << rng.random_range(0..=layout.fraction);
    }
    let fields = 1u128 << layout.exponent;
    let field = match near {
        None => rng.random::<u128>() % fields,
        Some(center) => (center % fields + rng.random_range(0..=2 * layout.fraction as u128 + 4)) % fields,
    };
    let sign = u128::from(rng.random::<bool>());
    (sign << layout.exponent | field) << layout.fraction | fraction
}
