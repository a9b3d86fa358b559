//! What one known point of a function says of its calls.
//!
//! Always: these arguments give this result. Of a monotone function also: arguments on either side
//! give results on the same side, with some units in the last place to spare, since libraries need
//! not be monotone. Of sine and cosine, whose slope is at most 1: arguments nearby give results
//! nearby. Others are monotone in parts of the plane.

use crate::error::EngineError;
use crate::step::value_order::{from_order, order};
use model::external::{Call, Function, Lemma, SLACK, Shape};
use model::sort::{FloatFormat, Sort};
use model::system::{Assumption, TransitionSystem};
use model::term::{BinaryOp, TermId, TermPool, UnaryOp};
use model::validate::{Validated, validate};
use model::value::Value;

/// Distances for which nearby arguments of sine and cosine give nearby results.
const NEAR: [f64; 4] = [0.5, 0.0625, 0.004, 0.0001];

/// What results may be further off than arguments: rounding of either.
const SPARE: f64 = 1e-6;

/// Whether a lemma says something of a call.
pub(super) fn is_about(lemma: &Lemma, call: &Call) -> bool {
    (lemma.function, lemma.format) == (call.function, call.format)
}

/// Adds what a lemma says of a call to the system's assumptions.
pub(super) fn assume(system: &mut TransitionSystem, call: &Call, lemma: &Lemma) {
    let result = system.input_term(call.input);
    let terms = &mut system.terms;
    let mut facts = vec![exact(terms, call, lemma, result)];
    let x = call.arguments[0];
    let is_number = !lemma.result.is_nan() && !lemma.arguments.iter().any(|argument| argument.is_nan());
    if is_number {
        match (lemma.function, lemma.function.shape()) {
            (_, Shape::Increasing) => facts.extend(sides(terms, x, lemma, result, false)),
            (_, Shape::Decreasing) => facts.extend(sides(terms, x, lemma, result, true)),
            (Function::Sin | Function::Cos, Shape::Free) => {
                facts.extend(NEAR.map(|distance| near(terms, x, lemma, result, distance)));
            }
            (_, Shape::Free) => facts.extend(corners(terms, &call.arguments, lemma, result)),
        }
    }
    for condition in facts {
        system.assumptions.push(Assumption { condition, origin: call.origin });
    }
}

fn exact(terms: &mut TermPool, call: &Call, lemma: &Lemma, result: TermId) -> TermId {
    let mut same = terms.truth(true);
    for (&argument, &value) in call.arguments.iter().zip(&lemma.arguments) {
        // Signalling and quiet NaNs may give different results: an argument is told by its bits.
        let equal = has_bits(terms, argument, value);
        same = terms.and(same, equal);
    }
    let claimed = is(terms, result, lemma.result);
    terms.implies(same, claimed)
}

/// Truth: a float has the bits of a value; where that is NaN, it is any NaN.
fn is(terms: &mut TermPool, float: TermId, value: Value) -> TermId {
    if value.is_nan() {
        return terms.unary(UnaryOp::FloatIsNan, float);
    }
    has_bits(terms, float, value)
}

fn has_bits(terms: &mut TermPool, float: TermId, value: Value) -> TermId {
    let bits = terms.unary(UnaryOp::FloatToBits, float);
    let wanted = terms.word(value.sort().width(), value.bits());
    terms.equal(bits, wanted)
}

/// Below the point results are not above its result, above it not below; the other way round where
/// the function decreases.
fn sides(terms: &mut TermPool, x: TermId, lemma: &Lemma, result: TermId, decreases: bool) -> [TermId; 2] {
    let point = terms.constant(lemma.arguments[0]);
    let (low, high) = (moved(lemma.result, -(SLACK as i64)), moved(lemma.result, SLACK as i64));
    let (low, high) = (terms.constant(low), terms.constant(high));
    let not_above = terms.binary(BinaryOp::FloatLe, result, high);
    let not_below = terms.binary(BinaryOp::FloatLe, low, result);
    let nan = terms.unary(UnaryOp::FloatIsNan, result);
    let (not_above, not_below) = (terms.or(nan, not_above), terms.or(nan, not_below));
    let (below, above) =
        (terms.binary(BinaryOp::FloatLe, x, point), terms.binary(BinaryOp::FloatLe, point, x));
    let (smaller, larger) = if decreases { (above, below) } else { (below, above) };
    [terms.implies(smaller, not_above), terms.implies(larger, not_below)]
}

/// What a point says of functions that are monotone in parts of the plane: conditions on the
/// arguments under which the result is not below, or not above, that of the point.
fn corners(terms: &mut TermPool, arguments: &[TermId], lemma: &Lemma, result: TermId) -> Vec<TermId> {
    let at: Vec<f64> = lemma.arguments.iter().map(|&argument| number(argument)).collect();
    let x = arguments[0];
    let point: Vec<TermId> = lemma.arguments.iter().map(|&argument| terms.constant(argument)).collect();
    let le = |terms: &mut TermPool, low: TermId, high: TermId| terms.binary(BinaryOp::FloatLe, low, high);
    let constant = |terms: &mut TermPool, value: f64| terms.constant(rounded(lemma.format, value));
    let (up, down) = match lemma.function {
        // Increasing between the poles next to 0.
        Function::Tan if at[0].abs() < 1.5 => {
            let (low, high) = (constant(terms, -1.5), constant(terms, 1.5));
            let (inside_low, inside_high) = (le(terms, low, x), le(terms, x, high));
            let (above, below) = (le(terms, point[0], x), le(terms, x, point[0]));
            (terms.and(above, inside_high), terms.and(below, inside_low))
        }
        // In the right half-plane: the angle of y / x.
        Function::Atan2 if at[1] > 0.0 => {
            let zero = constant(terms, 0.0);
            let is_right = terms.binary(BinaryOp::FloatLt, zero, arguments[1]);
            let (higher, lower) = (le(terms, point[0], x), le(terms, x, point[0]));
            let (nearer, further) = (le(terms, arguments[1], point[1]), le(terms, point[1], arguments[1]));
            let nearer = terms.and(is_right, nearer);
            if at[0] >= 0.0 {
                (terms.and(higher, nearer), terms.and(lower, further))
            } else {
                (terms.and(higher, further), terms.and(lower, nearer))
            }
        }
        // Of a fixed exponent that is not negative, on bases that are not.
        Function::Pow if at[0] >= 0.0 && at[1] >= 0.0 => {
            let same = is(terms, arguments[1], lemma.arguments[1]);
            let zero = constant(terms, 0.0);
            let natural = le(terms, zero, x);
            let (above, below) = (le(terms, point[0], x), le(terms, x, point[0]));
            let below = terms.and(natural, below);
            (terms.and(same, above), terms.and(same, below))
        }
        Function::Cosh | Function::Hypot => {
            let (mut up, mut down) = (terms.truth(true), terms.truth(true));
            for (&argument, &point) in arguments.iter().zip(&point) {
                let long = terms.unary(UnaryOp::FloatAbs, argument);
                let limit = terms.unary(UnaryOp::FloatAbs, point);
                let (above, below) = (le(terms, limit, long), le(terms, long, limit));
                up = terms.and(up, above);
                down = terms.and(down, below);
            }
            (up, down)
        }
        _ => return Vec::new(),
    };
    let (low, high) = (moved(lemma.result, -(SLACK as i64)), moved(lemma.result, SLACK as i64));
    let (low, high) = (terms.constant(low), terms.constant(high));
    let (not_below, not_above) = (le(terms, low, result), le(terms, result, high));
    vec![terms.implies(up, not_below), terms.implies(down, not_above)]
}

fn near(terms: &mut TermPool, x: TermId, lemma: &Lemma, result: TermId, distance: f64) -> TermId {
    let (at, value) = (number(lemma.arguments[0]), number(lemma.result));
    let mut between = |float: TermId, low: f64, high: f64| {
        let format = lemma.format;
        let (low, high) = (rounded(format, low), rounded(format, high));
        let (low, high) = (terms.constant(low), terms.constant(high));
        let above = terms.binary(BinaryOp::FloatLe, low, float);
        let below = terms.binary(BinaryOp::FloatLe, float, high);
        terms.and(above, below)
    };
    let close = between(x, at - distance, at + distance);
    let reach = distance + at.abs() * 1e-6 + SPARE;
    let fits = between(result, value - reach, value + reach);
    terms.implies(close, fits)
}

fn number(value: Value) -> f64 {
    match value.sort() {
        Sort::Float(FloatFormat::Single) => f64::from(f32::from_bits(value.bits() as u32)),
        _ => f64::from_bits(value.bits() as u64),
    }
}

/// The number of a format that is nearest.
pub(crate) fn rounded(format: FloatFormat, number: f64) -> Value {
    match format {
        FloatFormat::Single => Value::single(number as f32),
        FloatFormat::Double => Value::double(number),
    }
}

/// The float some units in the last place further, at most an infinity.
fn moved(value: Value, units: i64) -> Value {
    from_order(value.sort(), order(value) + i128::from(units))
}

/// The system under what some points say of its calls.
///
/// # Errors
/// Where that is no valid system, against expectation.
pub fn with_lemmas(system: Validated, lemmas: &[Lemma]) -> Result<Validated, EngineError> {
    if lemmas.is_empty() {
        return Ok(system);
    }
    let mut system = (*system).clone();
    let calls = system.external_calls.clone();
    for lemma in lemmas {
        for call in calls.iter().filter(|call| is_about(lemma, call)) {
            assume(&mut system, call, lemma);
        }
    }
    validated(system)
}

/// A system that was made here, checked.
pub(crate) fn validated(system: TransitionSystem) -> Result<Validated, EngineError> {
    validate(system).map_err(|malformed| EngineError::SelfCheck(format!("{malformed:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every lemma at random points against what the library says at others.
    #[test]
    fn lemmas_hold_of_the_library() {
        use model::system::InputRole;
        use rand::rngs::SmallRng;
        use rand::{Rng, SeedableRng};
        let mut rng = SmallRng::seed_from_u64(3);
        for &function in Function::ALL {
            for format in [FloatFormat::Single, FloatFormat::Double] {
                let mut point = |near: Option<&Lemma>| {
                    let scale = [0.01, 1.0, 5.0, 1e4, 1e30][rng.random_range(0..5)];
                    let coordinate = |index: usize, rng: &mut SmallRng| match near {
                        Some(near) if rng.random_bool(0.6) => {
                            number(near.arguments[index]) + rng.random_range(-0.7..0.7)
                        }
                        Some(near) if rng.random_bool(0.5) => number(near.arguments[index]),
                        _ => rng.random_range(-scale..scale),
                    };
                    let arguments: Vec<Value> = (0..function.arguments())
                        .map(|index| rounded(format, coordinate(index, &mut rng)))
                        .collect();
                    let result = function.evaluate(format, &arguments);
                    Lemma { function, format, arguments, result }
                };
                for _ in 0..60 {
                    let lemma = point(None);
                    let mut system = TransitionSystem::default();
                    let names = ["x", "y"].iter().take(function.arguments());
                    let inputs: Vec<_> = names
                        .map(|name| system.add_input(name, Sort::Float(format), InputRole::Stimulus))
                        .collect();
                    let input = system.add_input("value", Sort::Float(format), InputRole::Choice);
                    let arguments = inputs.iter().map(|&input| system.input_term(input)).collect();
                    let call = Call { function, format, input, arguments, origin: None };
                    assume(&mut system, &call, &lemma);
                    for _ in 0..40 {
                        let other = point(Some(&lemma));
                        let mut values = other.arguments.clone();
                        values.push(other.result);
                        let roots: Vec<TermId> =
                            system.assumptions.iter().map(|assumption| assumption.condition).collect();
                        let mut evaluator = model::eval::Evaluator::new(&system.terms, roots.iter().copied());
                        let symbols: Vec<_> = system.inputs.values().map(|input| input.symbol).collect();
                        evaluator.run(|symbol| {
                            values[symbols.iter().position(|&known| known == symbol).expect("an input")]
                        });
                        assert!(
                            (0..roots.len()).all(|root| evaluator.holds(root)),
                            "{lemma:?} contradicts {other:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn floats_are_moved_across_zero_and_stop_at_infinities() {
        let table = [
            (1.0f32, 1, 1.0 + f32::EPSILON),
            (f32::MAX, 8, f32::INFINITY),
            (-f32::MAX, -8, f32::NEG_INFINITY),
            (0.0, -1, -f32::from_bits(1)),
            (-f32::from_bits(2), 3, f32::from_bits(1)),
        ];
        for (value, units, expected) in table {
            assert_eq!(moved(Value::single(value), units), Value::single(expected), "{value} {units}");
        }
    }
}
