//! Terms with float operators: what the blaster makes of each agrees with the evaluator.
//!
//! The circuits themselves are tested where they stand; this is about the right circuit for each
//! operator and sort.

use chaincover_encoder::EncodeError;
use chaincover_encoder::bits::{BitBuilder, Lanes};
use chaincover_encoder::blast::{Blaster, Words};
use model::eval::apply_term;
use model::sort::{FloatFormat, Sort};
use model::term::{BinaryOp, RoundTo, SymbolId, Term, TermId, TermPool, UnaryOp};
use model::value::Value;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

const FORMATS: [FloatFormat; 2] = [FloatFormat::Single, FloatFormat::Double];

/// Values that tell operators apart: signed zeros, infinities, NaN with payload, ties, numbers near
/// each other and far apart; small integers where the sort is a word.
fn values(sort: Sort, rng: &mut SmallRng) -> Vec<Value> {
    let numbers =
        [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 7.25, 1e-3, 1e9, -1e9, f64::INFINITY];
    let mut values: Vec<Value> = match sort {
        Sort::Word(width) => (0..20).map(|_| Value::word(u32::from(width), rng.random())).collect(),
        Sort::Float(FloatFormat::Single) => {
            numbers.iter().map(|&number| Value::single(number as f32)).collect()
        }
        Sort::Float(FloatFormat::Double) => numbers.iter().map(|&number| Value::double(number)).collect(),
    };
    if let Sort::Float(format) = sort {
        values.push(Value::new(sort, format.canonical_nan() | 5));
        values.push(Value::new(sort, 1));
    }
    values.push(Value::zero(sort));
    values
}

/// Blasts a term whose operands are symbols, on 64 random lists of values, and compares it with the
/// evaluator.
fn check(pool: &TermPool, term: TermId, rng: &mut SmallRng) {
    let node = pool.node(term);
    let operands: Vec<TermId> = node.operands().collect();
    let choices: Vec<Vec<Value>> = operands.iter().map(|&operand| values(pool.sort(operand), rng)).collect();
    let lanes: Vec<Vec<Value>> = (0..64)
        .map(|_| choices.iter().map(|values| values[rng.random_range(0..values.len())]).collect())
        .collect();
    let mut symbols = |_: &mut Lanes, symbol: SymbolId| {
        let index = operands.iter().position(|&operand| pool.as_symbol(operand) == Some(symbol));
        let index = index.expect("only operands should be asked for");
        let numbers: Vec<u128> = lanes.iter().map(|values| values[index].bits()).collect();
        Ok::<_, EncodeError>(Lanes::pack(pool.width(operands[index]) as usize, &numbers))
    };
    let mut words = Words::default();
    let mut blaster = Blaster::new(pool);
    blaster.blast(term, &mut words, &mut Lanes, &mut symbols).expect("every operator should be blasted");
    let word = blaster.known(term, &words).expect("the term should be blasted");
    for (lane, values) in lanes.iter().enumerate() {
        let expected = apply_term(&node, values).expect("the term should have an operator");
        assert_eq!(
            Value::new(pool.sort(term), Lanes::unpack(word, lane)),
            expected,
            "{node:?} of {values:?}"
        );
    }
}

fn symbol(pool: &mut TermPool, sort: Sort) -> TermId {
    let symbol = pool.fresh_symbol("x", sort);
    pool.symbol_term(symbol)
}

#[test]
fn float_operators_of_one_operand() {
    use UnaryOp::*;
    let mut rng = SmallRng::seed_from_u64(1);
    let mut pool = TermPool::new();
    let mut operators = vec![FloatNeg, FloatAbs, FloatSqrt, FloatIsNan, FloatIsInfinite, FloatToBits];
    operators.extend(FORMATS.map(FloatConvert));
    operators.extend(
        [RoundTo::NearestEven, RoundTo::NearestAway, RoundTo::Zero, RoundTo::Up, RoundTo::Down]
            .map(FloatRound),
    );
    operators.extend([1, 8, 31, 64].map(FloatToUnsigned));
    operators.extend([1, 8, 31, 64].map(FloatToSigned));
    for format in FORMATS {
        for &op in &operators {
            let arg = symbol(&mut pool, Sort::Float(format));
            let term = pool.unary(op, arg);
            if term != arg {
                check(&pool, term, &mut rng);
            }
        }
        for width in [1, 8, 32, 64, 128] {
            for op in [FloatFromUnsigned(format), FloatFromSigned(format)] {
                let arg = symbol(&mut pool, Sort::word(width));
                let term = pool.unary(op, arg);
                check(&pool, term, &mut rng);
            }
        }
        let arg = symbol(&mut pool, Sort::word(format.width()));
        let term = pool.unary(FloatFromBits(format), arg);
        check(&pool, term, &mut rng);
    }
}

#[test]
fn float_operators_of_more_operands() {
    use BinaryOp::*;
    let mut rng = SmallRng::seed_from_u64(2);
    let mut pool = TermPool::new();
    for format in FORMATS {
        let mut operand = || symbol(&mut pool, Sort::Float(format));
        let [a, b, c] = [operand(), operand(), operand()];
        for op in
            [FloatAdd, FloatSub, FloatMul, FloatDiv, FloatFmod, FloatRemainder, FloatEq, FloatLt, FloatLe]
        {
            let term = pool.binary(op, a, b);
            // A rewrite rule may have exchanged or replaced the operator: then this is another case
            // of the list.
            if matches!(pool.node(term), Term::Binary { .. }) {
                check(&pool, term, &mut rng);
            }
        }
        let term = pool.fma(a, b, c);
        check(&pool, term, &mut rng);
    }
}

#[test]
fn constants_are_their_patterns() {
    let mut pool = TermPool::new();
    for value in [Value::single(-2.5), Value::double(f64::MIN_POSITIVE), Value::double(f64::NEG_INFINITY)] {
        let term = pool.constant(value);
        let mut words = Words::default();
        let mut blaster = Blaster::new(&pool);
        let mut none = |_: &mut Lanes, _| panic!("a constant should ask for no symbol");
        blaster.blast(term, &mut words, &mut Lanes, &mut none).expect("a constant should be blasted");
        let expected = Lanes.constant_word(value.sort().width() as usize, value.bits());
        assert_eq!(blaster.known(term, &words), Some(&expected[..]));
    }
}
