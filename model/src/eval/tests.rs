//! Word operators against their definition on big-enough integers, float operators against
//! rustc_apfloat, the compiled evaluator against the `apply_*` functions.

use super::*;
use crate::term::RoundTo;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

const WORD_OPS: [BinaryOp; 19] = {
    use BinaryOp::*;
    [And, Or, Xor, Add, Sub, Mul, UDiv, URem, SDiv, SRem, Shl, LShr, AShr, Eq, ULt, ULe, SLt, SLe, Concat]
};

/// The operator by its definition in `term.rs`, on numbers of at most 6 bits.
fn defined(op: BinaryOp, width: u32, lhs: u128, rhs: u128) -> i128 {
    let (left, right) = (Value::word(width, lhs).signed(), Value::word(width, rhs).signed());
    let (lhs, rhs) = (lhs as i128, rhs as i128);
    let all_ones = (1 << width) - 1;
    let power = |exponent: i128| if exponent < 64 { 1i128 << exponent } else { unreachable!() };
    match op {
        BinaryOp::And => (0..width).map(|bit| ((lhs >> bit & 1) * (rhs >> bit & 1)) << bit).sum(),
        BinaryOp::Or => (0..width).map(|bit| (lhs >> bit & 1).max(rhs >> bit & 1) << bit).sum(),
        BinaryOp::Xor => (0..width).map(|bit| (((lhs >> bit & 1) + (rhs >> bit & 1)) % 2) << bit).sum(),
        BinaryOp::Add => lhs + rhs,
        BinaryOp::Sub => lhs - rhs,
        BinaryOp::Mul => lhs * rhs,
        BinaryOp::UDiv => {
            if rhs == 0 {
                all_ones
            } else {
                lhs / rhs
            }
        }
        BinaryOp::URem => {
            if rhs == 0 {
                lhs
            } else {
                lhs % rhs
            }
        }
        BinaryOp::SDiv if right == 0 => {
            if left < 0 {
                1
            } else {
                all_ones
            }
        }
        BinaryOp::SDiv => left / right,
        BinaryOp::SRem => {
            if right == 0 {
                left
            } else {
                left % right
            }
        }
        BinaryOp::Shl => lhs * power(rhs),
        BinaryOp::LShr => lhs / power(rhs),
        BinaryOp::AShr => left.div_euclid(power(rhs)),
        BinaryOp::Eq => i128::from(lhs == rhs),
        BinaryOp::ULt => i128::from(lhs < rhs),
        BinaryOp::ULe => i128::from(lhs <= rhs),
        BinaryOp::SLt => i128::from(left < right),
        BinaryOp::SLe => i128::from(left <= right),
        BinaryOp::Concat => lhs * (all_ones + 1) + rhs,
        _ => unreachable!("not a word operator"),
    }
}

#[test]
fn word_operators_follow_their_definition_at_small_widths() {
    for width in 1..=5 {
        for op in WORD_OPS {
            for lhs in 0..1 << width {
                for rhs in 0..1 << width {
                    let (left, right) = (Value::word(width, lhs), Value::word(width, rhs));
                    let result = apply_binary(op, left, right);
                    let expected = Value::new(result.sort(), defined(op, width, lhs, rhs) as u128);
                    assert_eq!(result, expected, "{op:?} {left:?} {right:?}");
                }
            }
        }
    }
}

#[test]
fn word_operators_at_full_width() {
    use BinaryOp::*;
    let (max, min, top) = (u128::MAX, 1u128 << 127, u128::from(u64::MAX));
    let table: &[(u32, BinaryOp, u128, u128, u128)] = &[
        (128, Mul, top, top, top * top),
        (128, Mul, max, max, 1),
        (128, SDiv, min, max, min),
        (128, SRem, min, max, 0),
        (128, UDiv, max, 0, max),
        (128, SDiv, min, 0, 1),
        (128, Shl, 1, 127, min),
        (128, Shl, 1, 128, 0),
        (128, AShr, min, 127, max),
        (128, AShr, min, max, max),
        (128, LShr, min, 1 << 64, 0),
        (64, SDiv, 1 << 63, top, 1 << 63),
        (64, Shl, 1, 64, 0),
        (64, AShr, 1 << 63, 1 << 40, top),
        (64, Concat, 5, 7, 5 << 64 | 7),
        (32, SDiv, 0xffff_fff9, 2, 0xffff_fffd),
        (32, SRem, 0xffff_fff9, 2, 0xffff_ffff),
    ];
    for &(width, op, lhs, rhs, expected) in table {
        let result = apply_binary(op, Value::word(width, lhs), Value::word(width, rhs));
        assert_eq!(result.bits(), expected, "{op:?} {lhs} {rhs} at {width}");
    }
    assert_eq!(apply_unary(UnaryOp::Neg, Value::word(128, 1)).bits(), max);
    assert_eq!(apply_unary(UnaryOp::Not, Value::word(7, 1)).bits(), 126);
    assert_eq!(apply_extend(Value::word(3, 4), 128, true).bits(), max - 3);
    assert_eq!(apply_extend(Value::word(3, 4), 5, false).bits(), 4);
    assert_eq!(apply_extract(Value::word(128, min), 127, 126).bits(), 2);
}

/// One number of every class and around every boundary, both signs.
fn boundary_numbers(format: FloatFormat) -> Vec<u64> {
    let fraction_bits = format.fraction_bits();
    let bias = (1u64 << (format.exponent_bits() - 1)) - 1;
    let infinity = (2 * bias + 1) << fraction_bits;
    let last = (1u64 << fraction_bits) - 1;
    let mut numbers = vec![0, 1, 2, last - 1, last, last / 2, infinity - 1, infinity - 2, infinity];
    numbers.extend([
        infinity + 1,
        infinity | last,
        infinity | 1 << (fraction_bits - 1),
        1 << (fraction_bits - 1),
    ]);
    for exponent in
        [1, 2, bias - 2, bias - 1, bias, bias + 1, bias + 31, bias + 32, bias + 63, bias + 64, 2 * bias]
    {
        numbers.extend(
            [0, 1, last / 2, last / 2 + 1, last].map(|fraction| exponent << fraction_bits | fraction),
        );
    }
    for exponent in [fraction_bits - 1, fraction_bits, fraction_bits + 1].map(u64::from) {
        numbers.extend([0, 1, last - 2, last].map(|fraction| (bias + exponent) << fraction_bits | fraction));
    }
    let negated: Vec<u64> = numbers.iter().map(|bits| bits | 1 << (format.width() - 1)).collect();
    numbers.extend(negated);
    numbers
}

/// A random number whose exponent is often close to that of `near`, so that operands interact.
fn random_number(format: FloatFormat, near: u64, random: &mut SmallRng) -> u64 {
    let mask = u64::MAX >> (64 - format.width());
    let bits = random.random::<u64>() & mask;
    if random.random_bool(0.3) {
        return bits;
    }
    let fraction_bits = format.fraction_bits();
    let exponent_mask = (1u64 << format.exponent_bits()) - 1;
    let close =
        (near >> fraction_bits).wrapping_add(random.random_range(0..8)).wrapping_sub(4) & exponent_mask;
    let kept = if random.random_bool(0.3) { u64::MAX << (fraction_bits / 2) } else { u64::MAX };
    (bits & !(exponent_mask << fraction_bits) | close << fraction_bits) & kept
}

fn operand_pairs(format: FloatFormat, samples: usize) -> Vec<(u64, u64)> {
    let boundary = boundary_numbers(format);
    let mut pairs: Vec<(u64, u64)> =
        boundary.iter().flat_map(|&lhs| boundary.iter().map(move |&rhs| (lhs, rhs))).collect();
    let mut random = SmallRng::seed_from_u64(11);
    for sample in 0..samples {
        let lhs = random_number(format, 0x7ff0_0000 >> (sample % 9), &mut random);
        pairs.push((lhs, random_number(format, lhs, &mut random)));
    }
    pairs
}

trait Reference: Float + FloatConvert<Single> + FloatConvert<Double> {
    const FORMAT: FloatFormat;
}
impl Reference for Single {
    const FORMAT: FloatFormat = FloatFormat::Single;
}
impl Reference for Double {
    const FORMAT: FloatFormat = FloatFormat::Double;
}

fn canonical<F: Float>(number: F, format: FloatFormat) -> u128 {
    if number.is_nan() { format.canonical_nan() } else { number.to_bits() }
}

fn reference_binary<F: Reference>(op: BinaryOp, lhs: F, rhs: F) -> u128 {
    let number = match op {
        BinaryOp::FloatAdd => lhs.add_r(rhs, Round::NearestTiesToEven).value,
        BinaryOp::FloatSub => lhs.sub_r(rhs, Round::NearestTiesToEven).value,
        BinaryOp::FloatMul => lhs.mul_r(rhs, Round::NearestTiesToEven).value,
        BinaryOp::FloatDiv => lhs.div_r(rhs, Round::NearestTiesToEven).value,
        BinaryOp::FloatFmod => lhs.c_fmod(rhs).value,
        BinaryOp::FloatRemainder => lhs.ieee_rem(rhs).value,
        BinaryOp::FloatEq => return u128::from(lhs == rhs),
        BinaryOp::FloatLt => return u128::from(lhs < rhs),
        BinaryOp::FloatLe => return u128::from(lhs <= rhs),
        _ => unreachable!("not a float operator"),
    };
    canonical(number, F::FORMAT)
}

fn check_binary<F: Reference>() {
    use BinaryOp::*;
    let sort = Sort::Float(F::FORMAT);
    for (lhs, rhs) in operand_pairs(F::FORMAT, 20_000) {
        let (left, right) = (Value::new(sort, lhs.into()), Value::new(sort, rhs.into()));
        for op in
            [FloatAdd, FloatSub, FloatMul, FloatDiv, FloatFmod, FloatRemainder, FloatEq, FloatLt, FloatLe]
        {
            let expected = reference_binary(op, F::from_bits(lhs.into()), F::from_bits(rhs.into()));
            assert_eq!(apply_binary(op, left, right).bits(), expected, "{op:?} {left:?} {right:?}");
        }
    }
}

#[test]
fn float_operators_agree_with_the_reference() {
    check_binary::<Single>();
    check_binary::<Double>();
}

fn reference_round<F: Reference>(number: F, to: RoundTo) -> u128 {
    let round = match to {
        RoundTo::NearestEven => Round::NearestTiesToEven,
        RoundTo::NearestAway => Round::NearestTiesToAway,
        RoundTo::Zero => Round::TowardZero,
        RoundTo::Up => Round::TowardPositive,
        RoundTo::Down => Round::TowardNegative,
    };
    canonical(number.round_to_integral(round).value, F::FORMAT)
}

fn check_unary<F: Reference>() {
    let sort = Sort::Float(F::FORMAT);
    for (bits, _) in operand_pairs(F::FORMAT, 20_000) {
        let (arg, number) = (Value::new(sort, bits.into()), F::from_bits(bits.into()));
        let check = |op, expected| assert_eq!(apply_unary(op, arg).bits(), expected, "{op:?} {arg:?}");
        for to in [RoundTo::NearestEven, RoundTo::NearestAway, RoundTo::Zero, RoundTo::Up, RoundTo::Down] {
            check(UnaryOp::FloatRound(to), reference_round(number, to));
        }
        let single: Single = number.convert(&mut false).value;
        let double: Double = number.convert(&mut false).value;
        check(UnaryOp::FloatConvert(FloatFormat::Single), canonical(single, FloatFormat::Single));
        check(UnaryOp::FloatConvert(FloatFormat::Double), canonical(double, FloatFormat::Double));
        check(UnaryOp::FloatIsNan, number.is_nan().into());
        check(UnaryOp::FloatIsInfinite, number.is_infinite().into());
        check(UnaryOp::FloatNeg, (-number).to_bits());
        check(UnaryOp::FloatAbs, number.abs().to_bits());
        check(UnaryOp::FloatToBits, bits.into());
        for width in [1, 8, 33, 64] {
            let exact = number.to_i128_r(128, Round::TowardZero, &mut false).value;
            let in_range = number.is_finite() && number.ilogb() < 127;
            if in_range {
                let expected = exact as u128 & Sort::word(width).mask();
                check(UnaryOp::FloatToUnsigned(width as u8), expected);
                check(UnaryOp::FloatToSigned(width as u8), expected);
            }
        }
    }
}

#[test]
fn float_conversions_agree_with_the_reference() {
    check_unary::<Single>();
    check_unary::<Double>();
}

#[test]
fn float_to_word_out_of_range_is_modular() {
    let double = |number: f64| Value::double(number);
    let table = [
        (double(f64::NAN), 0),
        (double(f64::INFINITY), 0),
        (double(f64::NEG_INFINITY), 0),
        (double(1e300), 0),
        (double(256.0 + 7.9), 7),
        (double(-1.5), 255),
        (double(-257.0), 255),
        (Value::single(-0.9), 0),
        (Value::single(f32::MAX), 0),
        (Value::single(1027.5), 3),
    ];
    for (arg, expected) in table {
        assert_eq!(apply_unary(UnaryOp::FloatToUnsigned(8), arg), Value::word(8, expected), "{arg:?}");
        assert_eq!(apply_unary(UnaryOp::FloatToSigned(8), arg), Value::word(8, expected), "{arg:?}");
    }
    let wide = apply_unary(UnaryOp::FloatToUnsigned(64), double(18_446_744_073_709_551_616.0 + 4096.0));
    assert_eq!(wide, Value::word(64, 4096));
}

#[test]
fn words_convert_to_floats_with_one_rounding() {
    let mut random = SmallRng::seed_from_u64(5);
    let mut words =
        vec![0, 1, u128::MAX, u128::MAX - 1, 1 << 127, (1 << 127) - 1, u128::MAX << 103, (1 << 24) + 1];
    words.extend([(1 << 53) + 1, (1 << 54) + 2, u128::MAX << 104 | 1 << 103, (u128::MAX << 104) - 1]);
    words.extend((0..20_000).map(|_| random.random::<u128>() >> random.random_range(0..128)));
    for word in words {
        for width in [16, 32, 64, 65, 128] {
            let arg = Value::word(width, word);
            let unsigned = Single::from_u128(arg.bits()).value.to_bits();
            assert_eq!(apply_unary(UnaryOp::FloatFromUnsigned(FloatFormat::Single), arg).bits(), unsigned);
            let unsigned = Double::from_u128(arg.bits()).value.to_bits();
            assert_eq!(apply_unary(UnaryOp::FloatFromUnsigned(FloatFormat::Double), arg).bits(), unsigned);
            let signed = Single::from_i128(arg.signed()).value.to_bits();
            assert_eq!(apply_unary(UnaryOp::FloatFromSigned(FloatFormat::Single), arg).bits(), signed);
            let signed = Double::from_i128(arg.signed()).value.to_bits();
            assert_eq!(apply_unary(UnaryOp::FloatFromSigned(FloatFormat::Double), arg).bits(), signed);
        }
    }
}

fn check_fma<F: Reference>() {
    let sort = Sort::Float(F::FORMAT);
    let mut random = SmallRng::seed_from_u64(7);
    let boundary = boundary_numbers(F::FORMAT);
    for (index, (a, b)) in operand_pairs(F::FORMAT, 20_000).into_iter().enumerate() {
        let product =
            reference_binary(BinaryOp::FloatMul, F::from_bits(a.into()), F::from_bits(b.into())) as u64;
        let sign = 1 << (F::FORMAT.width() - 1);
        for c in
            [product ^ sign, random_number(F::FORMAT, product, &mut random), boundary[index % boundary.len()]]
        {
            let [a, b, c] = [a, b, c].map(u128::from);
            let expected = F::from_bits(a).mul_add(F::from_bits(b), F::from_bits(c)).value;
            let values = [a, b, c].map(|bits| Value::new(sort, bits));
            let result = apply_fma(values[0], values[1], values[2]);
            assert_eq!(result.bits(), canonical(expected, F::FORMAT), "{values:?}");
        }
    }
}

#[test]
fn fma_agrees_with_the_reference() {
    check_fma::<Single>();
    check_fma::<Double>();
}

/// The square root by integers: enough bits of the exact root, a sticky bit, one correctly rounded
/// conversion.
fn reference_root<F: Reference>(bits: u64) -> u128 {
    let number = F::from_bits(bits.into());
    if number.is_zero() || number.is_pos_infinity() {
        return bits.into();
    }
    if number.is_nan() || number.is_negative() {
        return F::FORMAT.canonical_nan();
    }
    let mut exponent = number.ilogb() - 112;
    exponent -= exponent.rem_euclid(2);
    let scaled = number.scalbn(-exponent).to_u128(128).value; // 113 or 114 bits, exact
    let root = scaled.isqrt();
    let sticky = u128::from(root * root != scaled);
    F::from_u128(root << 1 | sticky).value.scalbn(exponent / 2 - 1).to_bits()
}

fn check_root<F: Reference>() {
    for (bits, _) in operand_pairs(F::FORMAT, 20_000) {
        let arg = Value::new(Sort::Float(F::FORMAT), bits.into());
        assert_eq!(apply_unary(UnaryOp::FloatSqrt, arg).bits(), reference_root::<F>(bits), "{arg:?}");
    }
}

#[test]
fn square_roots_are_correctly_rounded() {
    check_root::<Single>();
    check_root::<Double>();
}

/// A random node, not rewritten, over the terms of `pool` built so far.
fn random_term(pool: &mut TermPool, terms: &[TermId], random: &mut SmallRng) -> TermId {
    let pick = |random: &mut SmallRng| terms[random.random_range(0..terms.len())];
    let (a, b, c) = (pick(random), pick(random), pick(random));
    let fit = |pool: &mut TermPool, term: TermId, sort: Sort| match (pool.sort(term), sort) {
        (Sort::Word(_), Sort::Word(width)) => pool.resize(term, width.into(), width % 2 == 0),
        (Sort::Word(_), Sort::Float(format)) => pool.unary(UnaryOp::FloatFromSigned(format), term),
        (Sort::Float(_), Sort::Word(width)) => {
            let word = pool.unary(UnaryOp::FloatToSigned(width.min(64) as u8), term);
            pool.resize(word, width.into(), true)
        }
        (Sort::Float(_), Sort::Float(format)) => pool.unary(UnaryOp::FloatConvert(format), term),
    };
    let sort = pool.sort(a);
    let same = fit(pool, b, sort);
    let term = match (random.random_range(0..6), sort) {
        (0, _) => Term::Ite { condition: fit(pool, c, Sort::TRUTH), then: a, otherwise: same },
        (1, Sort::Word(width)) => {
            let high = random.random_range(0..width as u8);
            Term::Extract { arg: a, high, low: random.random_range(0..=high) }
        }
        (2, Sort::Word(_)) => Term::Unary { op: UnaryOp::Not, arg: a },
        (3, Sort::Word(_)) => Term::Unary { op: UnaryOp::Neg, arg: a },
        (_, Sort::Word(width)) => match WORD_OPS[random.random_range(0..WORD_OPS.len())] {
            BinaryOp::Concat if width > 64 => return a,
            op => Term::Binary { op, lhs: a, rhs: same },
        },
        (1, _) => Term::Unary { op: UnaryOp::FloatSqrt, arg: a },
        (2, _) => Term::Binary { op: BinaryOp::FloatLt, lhs: a, rhs: same },
        (3, _) => Term::FloatFma { a, b: same, c: fit(pool, c, sort) },
        (_, Sort::Float(_)) => Term::Binary { op: BinaryOp::FloatDiv, lhs: a, rhs: same },
    };
    let sort = pool.sort_of(&term).expect("a random term should be well-sorted");
    pool.intern(term, sort)
}

#[test]
fn compiled_programs_agree_with_application_node_by_node() {
    let mut random = SmallRng::seed_from_u64(3);
    for _ in 0..200 {
        let mut pool = TermPool::new();
        let sorts = [1, 3, 8, 32, 63, 64, 65, 128].map(Sort::word);
        let floats = [FloatFormat::Single, FloatFormat::Double].map(Sort::Float);
        let mut terms = Vec::new();
        for sort in sorts.into_iter().chain(floats) {
            let symbol = pool.fresh_symbol("x", sort);
            terms.push(pool.symbol_term(symbol));
        }
        for _ in 0..60 {
            let term = random_term(&mut pool, &terms, &mut random);
            terms.push(term);
        }
        let mut evaluator = Evaluator::new(&pool, terms.iter().copied());
        for _ in 0..4 {
            let values: Vec<Value> =
                pool.symbols().values().map(|symbol| Value::new(symbol.sort, random.random())).collect();
            let expected = evaluate_all(&pool, &values);
            evaluator.run(|symbol| values[crate::id::Id::index(symbol)]);
            for (position, term) in terms.iter().enumerate() {
                let expected = expected[term];
                assert_eq!(evaluator.value(position), expected, "{:?}", pool.node(*term));
                assert_eq!(evaluator.holds(position), expected.is_true());
            }
        }
    }
}

/// Values of all terms of a pool, by `apply_term` alone.
fn evaluate_all(pool: &TermPool, symbols: &[Value]) -> FxHashMap<TermId, Value> {
    let mut values: FxHashMap<TermId, Value> = FxHashMap::default();
    for term in (0..pool.len()).map(<TermId as crate::id::Id>::new) {
        let node = pool.node(term);
        let operands: Vec<Value> = node.operands().map(|operand| values[&operand]).collect();
        let value = match node {
            Term::Symbol(symbol) => symbols[crate::id::Id::index(symbol)],
            Term::Const(constant) => pool.constant_value(constant),
            _ => apply_term(&node, &operands).expect("an operation should have a value"),
        };
        assert_eq!(value.sort(), pool.sort(term), "{node:?}");
        values.insert(term, value);
    }
    values
}

#[test]
fn shared_terms_are_computed_once_and_deep_terms_do_not_recurse() {
    let mut pool = TermPool::new();
    let symbol = pool.fresh_symbol("x", Sort::word(8));
    let mut term = pool.symbol_term(symbol);
    for _ in 0..200_000 {
        term = pool.binary(BinaryOp::Add, term, term);
        let one = pool.word(8, 1);
        term = pool.binary(BinaryOp::Xor, term, one);
    }
    let mut evaluator = Evaluator::new(&pool, [term]);
    assert!(evaluator.instructions() <= pool.len());
    assert_eq!(evaluator.symbols(), [(symbol, Sort::word(8))]);
    evaluator.run(|_| Value::word(8, 3));
    assert_eq!(evaluator.value(0), Value::word(8, 255)); // the low bits are those of 2x + 1, iterated
}
