//! Functions of math.h: those that IEEE 754 defines exactly as terms, the others as
//! [`transcendental`](super::transcendental) ones.

use super::hazard::HazardKind;
use super::place::Content;
use super::state::State;
use super::transcendental::{Transcendental, transcendental};
use super::{Frame, Machine, Outcome};
use crate::code::Code;
use crate::ir::Function;
use crate::ir::expr::Expr;
use crate::ir::stmt::Place;
use crate::ir::types::Type;
use frontend::source::Span;
use model::sort::{FloatFormat, Sort};
use model::term::{BinaryOp, RoundTo, TermId, UnaryOp};
use model::value::Value;

/// A function of math.h, or an absolute value of stdlib.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Math {
    Abs,
    FloatAbs,
    Sqrt,
    Round(RoundTo),
    Min,
    Max,
    Fmod,
    Remainder,
    CopySign,
    PositiveDifference,
    /// `nextafter`.
    Next,
    Fma,
    IsNan,
    IsInfinite,
    IsFinite,
    SignBit,
    /// `ldexp`, `scalbn`, `scalbln`.
    Scale,
    /// `frexp`.
    Split,
    /// `modf`.
    Parts,
    /// `lround`, `lrint` and their kin.
    ToInteger(RoundTo),
    /// Not defined exactly.
    Transcendental(Transcendental),
}

/// The function of a name.
pub(super) fn math(name: &str) -> Option<Math> {
    let double = name.strip_suffix('f').unwrap_or(name);
    Some(match (name, double) {
        ("abs" | "labs" | "llabs", _) => Math::Abs,
        (_, "fabs") => Math::FloatAbs,
        (_, "sqrt") => Math::Sqrt,
        ("floor" | "floorf", _) => Math::Round(RoundTo::Down),
        (_, "ceil") => Math::Round(RoundTo::Up),
        (_, "trunc") => Math::Round(RoundTo::Zero),
        (_, "round") => Math::Round(RoundTo::NearestAway),
        (_, "rint" | "nearbyint") => Math::Round(RoundTo::NearestEven),
        (_, "lround" | "llround") => Math::ToInteger(RoundTo::NearestAway),
        (_, "lrint" | "llrint") => Math::ToInteger(RoundTo::NearestEven),
        (_, "fmin") => Math::Min,
        (_, "fmax") => Math::Max,
        (_, "fmod") => Math::Fmod,
        (_, "remainder") => Math::Remainder,
        (_, "copysign") => Math::CopySign,
        (_, "fdim") => Math::PositiveDifference,
        (_, "nextafter") => Math::Next,
        (_, "fma") => Math::Fma,
        (_, "ldexp" | "scalbn" | "scalbln") => Math::Scale,
        (_, "frexp") => Math::Split,
        ("modf" | "modff", _) => Math::Parts,
        ("isnan" | "isnanf" | "__isnan" | "__isnanf", _) => Math::IsNan,
        ("isinf" | "isinff" | "__isinf" | "__isinff", _) => Math::IsInfinite,
        ("isfinite" | "finite" | "finitef" | "__finite" | "__finitef", _) => Math::IsFinite,
        ("signbit" | "signbitf" | "__signbit" | "__signbitf", _) => Math::SignBit,
        _ => Math::Transcendental(transcendental(name)?),
    })
}

impl Machine<'_> {
    pub(super) fn math_call(
        &mut self,
        frame: &Frame,
        state: &mut State,
        result: Option<&Place>,
        (math, function): (Math, &Function),
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<()> {
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.evaluate(frame, state, argument)?);
        }
        let value = match (math, values.as_slice()) {
            (Math::Abs, &[value]) => self.integer_abs(state, value, &arguments[0]),
            (Math::IsNan | Math::IsInfinite | Math::IsFinite | Math::SignBit, &[value]) => {
                if math == Math::SignBit {
                    self.nan_hazard(state, value, span);
                }
                let truth = self.float_class(math, value);
                self.truth_as(truth, function.result)
            }
            (Math::ToInteger(to), &[value]) => self.rounded_to_integer(state, to, value, function, span),
            (Math::Scale, &[value, exponent]) => self.scale(value, exponent),
            (Math::Split, &[value, pointer]) => {
                let (fraction, exponent) = self.split(value);
                self.store_behind(state, pointer, &arguments[1], exponent, span)?;
                fraction
            }
            (Math::Parts, &[value, pointer]) => {
                let (fraction, whole) = self.parts(value);
                self.store_behind(state, pointer, &arguments[1], whole, span)?;
                fraction
            }
            (Math::Transcendental(function), values) if values.len() == function.arguments() => {
                self.transcendental_call(function, values, span)?
            }
            (Math::FloatAbs | Math::Sqrt | Math::Round(_), &[a]) => self.float_unary(math, a),
            (Math::Fma, &[a, b, c]) => self.system.terms.fma(a, b, c),
            (
                Math::Min
                | Math::Max
                | Math::Fmod
                | Math::Remainder
                | Math::CopySign
                | Math::PositiveDifference
                | Math::Next,
                &[a, b],
            ) => {
                match math {
                    Math::CopySign => self.nan_hazard(state, b, span),
                    Math::Min | Math::Max => self.extremum_hazards(state, (a, b), span),
                    _ => {}
                }
                self.float_pair(math, a, b)
            }
            _ => {
                let advice = "the number of arguments is not that of math.h";
                return Err(self.unsupported_call(&function.name, span, advice));
            }
        };
        self.return_scalar(frame, state, result, value)
    }

    fn integer_abs(&mut self, state: &State, value: TermId, argument: &Expr) -> TermId {
        let negated = self.negate(state, value, argument);
        let terms = &mut self.system.terms;
        let zero = terms.word(terms.width(value), 0);
        let is_negative = terms.binary(BinaryOp::SLt, value, zero);
        terms.ite(is_negative, negated, value)
    }

    fn float_class(&mut self, math: Math, value: TermId) -> TermId {
        let terms = &mut self.system.terms;
        match math {
            Math::IsNan => terms.unary(UnaryOp::FloatIsNan, value),
            Math::IsInfinite => terms.unary(UnaryOp::FloatIsInfinite, value),
            Math::IsFinite => {
                let nan = terms.unary(UnaryOp::FloatIsNan, value);
                let infinite = terms.unary(UnaryOp::FloatIsInfinite, value);
                let either = terms.or(nan, infinite);
                terms.not(either)
            }
            _ => self.sign_of(value),
        }
    }

    pub(super) fn sign_of(&mut self, value: TermId) -> TermId {
        let bits = self.system.terms.unary(UnaryOp::FloatToBits, value);
        let top = self.system.terms.width(bits) - 1;
        self.system.terms.extract(bits, top, top)
    }

    fn float_unary(&mut self, math: Math, value: TermId) -> TermId {
        let op = match math {
            Math::FloatAbs => UnaryOp::FloatAbs,
            Math::Sqrt => UnaryOp::FloatSqrt,
            Math::Round(to) => UnaryOp::FloatRound(to),
            _ => return value,
        };
        self.system.terms.unary(op, value)
    }

    fn float_pair(&mut self, math: Math, a: TermId, b: TermId) -> TermId {
        let terms = &mut self.system.terms;
        match math {
            Math::Fmod => terms.binary(BinaryOp::FloatFmod, a, b),
            Math::Remainder => terms.binary(BinaryOp::FloatRemainder, a, b),
            Math::Min => self.float_extreme(a, b, a, b),
            Math::Max => self.float_extreme(b, a, a, b),
            Math::CopySign => self.copy_sign(a, b),
            Math::Next => self.next_after(a, b),
            _ => self.positive_difference(a, b),
        }
    }

    /// `a` or `b`: the one that is no NaN, else `b` where `left < right` fails; of two zeros the
    /// sign decides.
    fn float_extreme(&mut self, left: TermId, right: TermId, a: TermId, b: TermId) -> TermId {
        let is_min = left == a;
        let (sign_a, sign_b) = (self.sign_of(a), self.sign_of(b));
        let terms = &mut self.system.terms;
        let less = terms.binary(BinaryOp::FloatLt, left, right);
        let equal = terms.binary(BinaryOp::FloatEq, a, b);
        let wanted_sign = if is_min { sign_a } else { sign_b };
        let by_sign = terms.and(equal, wanted_sign);
        let takes_a = terms.or(less, by_sign);
        let chosen = terms.ite(takes_a, a, b);
        let (nan_a, nan_b) = (terms.unary(UnaryOp::FloatIsNan, a), terms.unary(UnaryOp::FloatIsNan, b));
        let not_b = terms.ite(nan_b, a, chosen);
        terms.ite(nan_a, b, not_b)
    }

    fn copy_sign(&mut self, magnitude: TermId, sign: TermId) -> TermId {
        let sign = self.sign_of(sign);
        let terms = &mut self.system.terms;
        let positive = terms.unary(UnaryOp::FloatAbs, magnitude);
        let negative = terms.unary(UnaryOp::FloatNeg, positive);
        terms.ite(sign, negative, positive)
    }

    /// `fdim`: a - b where a > b, a NaN where either is one, else +0.
    fn positive_difference(&mut self, a: TermId, b: TermId) -> TermId {
        let terms = &mut self.system.terms;
        let difference = terms.binary(BinaryOp::FloatSub, a, b);
        let not_above = terms.binary(BinaryOp::FloatLe, a, b);
        let zero = number(self, a, 0.0);
        self.system.terms.ite(not_above, zero, difference)
    }

    /// `nextafter`: the float beside the first one in the direction of the second one. Floats of
    /// one sign are in the order of their bits.
    fn next_after(&mut self, from: TermId, to: TermId) -> TermId {
        let format = format_of(self, from);
        let (zero, is_negative) = (number(self, from, 0.0), self.sign_of(from));
        let terms = &mut self.system.terms;
        let bits = terms.unary(UnaryOp::FloatToBits, from);
        let (one, top) =
            (terms.word(format.width(), 1), terms.word(format.width(), 1 << (format.width() - 1)));
        let (larger, smaller) =
            (terms.binary(BinaryOp::Add, bits, one), terms.binary(BinaryOp::Sub, bits, one));
        let is_up = terms.binary(BinaryOp::FloatLt, from, to);
        let grows_down = terms.ite(is_negative, larger, smaller);
        let grows_up = terms.ite(is_negative, smaller, larger);
        let stepped = terms.ite(is_up, grows_up, grows_down);
        let least_negative = terms.binary(BinaryOp::Or, top, one);
        let least = terms.ite(is_up, one, least_negative);
        let is_zero = terms.binary(BinaryOp::FloatEq, from, zero);
        let moved = terms.ite(is_zero, least, stepped);
        let moved = terms.unary(UnaryOp::FloatFromBits(format), moved);
        let is_there = terms.binary(BinaryOp::FloatEq, from, to);
        let reached = terms.ite(is_there, to, moved);
        let nan = terms.binary(BinaryOp::FloatAdd, from, to);
        let (nan_from, nan_to) =
            (terms.unary(UnaryOp::FloatIsNan, from), terms.unary(UnaryOp::FloatIsNan, to));
        let is_nan = terms.or(nan_from, nan_to);
        terms.ite(is_nan, nan, reached)
    }

    /// `lround`, `lrint`: rounded and converted as by a cast.
    fn rounded_to_integer(
        &mut self,
        state: &State,
        to: RoundTo,
        value: TermId,
        function: &Function,
        span: Span,
    ) -> TermId {
        let width = self.sort_of(function.result).width();
        let rounded = self.system.terms.unary(UnaryOp::FloatRound(to), value);
        let limit = 2f64.powi(width as i32 - 1);
        let (low, high) = (number(self, value, -limit), number(self, value, limit));
        let terms = &mut self.system.terms;
        let above = terms.binary(BinaryOp::FloatLe, low, rounded);
        let below = terms.binary(BinaryOp::FloatLt, rounded, high);
        let inside = terms.and(above, below);
        let outside = terms.not(inside);
        self.hazard(state, outside, HazardKind::FloatRange, span);
        self.system.terms.unary(UnaryOp::FloatToSigned(width as u8), rounded)
    }

    /// `ldexp`: the value times a power of two, rounded once. Three factors that are powers of two;
    /// results below the normal numbers come from the last one alone, since the others leave room
    /// for all bits of the precision.
    fn scale(&mut self, value: TermId, exponent: TermId) -> TermId {
        let format = format_of(self, value);
        let (bias, precision) = match format {
            FloatFormat::Single => (127i64, 24),
            FloatFormat::Double => (1023, 53),
        };
        let terms = &mut self.system.terms;
        let exponent = terms.resize(exponent, 64, true);
        let mut left = self.clamped(exponent, -4 * bias, 4 * bias);
        let mut scaled = value;
        for _ in 0..2 {
            let (up, down) = (bias, bias - 1 - precision);
            let terms = &mut self.system.terms;
            let (most, least) = (terms.word(64, up as u128), terms.word(64, (1 - bias) as u128));
            let is_above = terms.binary(BinaryOp::SLt, most, left);
            let is_below = terms.binary(BinaryOp::SLt, left, least);
            let (one, large, small) = (
                number(self, value, 1.0),
                number(self, value, 2f64.powi(up as i32)),
                number(self, value, 2f64.powi(-down as i32)),
            );
            let terms = &mut self.system.terms;
            let factor = terms.ite(is_below, small, one);
            let factor = terms.ite(is_above, large, factor);
            scaled = terms.binary(BinaryOp::FloatMul, scaled, factor);
            let (minus, plus) = (terms.word(64, (-up) as u128), terms.word(64, down as u128));
            let zero = terms.word(64, 0);
            let step = terms.ite(is_below, plus, zero);
            let step = terms.ite(is_above, minus, step);
            left = terms.binary(BinaryOp::Add, left, step);
        }
        let left = self.clamped(left, 1 - bias, bias);
        let terms = &mut self.system.terms;
        let offset = terms.word(64, bias as u128);
        let field = terms.binary(BinaryOp::Add, left, offset);
        let field = terms.resize(field, format.width(), false);
        let shift = terms.word(format.width(), u128::from(format.fraction_bits()));
        let bits = terms.binary(BinaryOp::Shl, field, shift);
        let factor = terms.unary(UnaryOp::FloatFromBits(format), bits);
        terms.binary(BinaryOp::FloatMul, scaled, factor)
    }

    /// A word of 64 bits brought between two limits.
    fn clamped(&mut self, word: TermId, least: i64, most: i64) -> TermId {
        let terms = &mut self.system.terms;
        let (low, high) = (terms.word(64, least as u128), terms.word(64, most as u128));
        let is_below = terms.binary(BinaryOp::SLt, word, low);
        let is_above = terms.binary(BinaryOp::SLt, high, word);
        let bounded = terms.ite(is_above, high, word);
        terms.ite(is_below, low, bounded)
    }

    /// `frexp`: a fraction in [0.5, 1) of the value's sign and its power of two, as `int`; zeros,
    /// infinities and NaN with power 0.
    fn split(&mut self, value: TermId) -> (TermId, TermId) {
        let format = format_of(self, value);
        let (bits, fraction_bits) = (format.width(), format.fraction_bits());
        let bias = (1u128 << (format.exponent_bits() - 1)) - 1;
        let large = number(self, value, 2f64.powi(64));
        let terms = &mut self.system.terms;
        // Subnormal numbers become normal ones.
        let scaled = terms.binary(BinaryOp::FloatMul, value, large);
        let field_of = |terms: &mut model::term::TermPool, float: TermId| {
            let word = terms.unary(UnaryOp::FloatToBits, float);
            terms.extract(word, bits - 2, fraction_bits)
        };
        let field = field_of(terms, value);
        let zero = terms.word(format.exponent_bits(), 0);
        let is_small = terms.equal(field, zero);
        let normal = terms.ite(is_small, scaled, value);
        let field = field_of(terms, normal);
        let field = terms.resize(field, 32, false);
        let (offset, more) = (terms.word(32, bias - 1), terms.word(32, bias - 1 + 64));
        let offset = terms.ite(is_small, more, offset);
        let exponent = terms.binary(BinaryOp::Sub, field, offset);
        let word = terms.unary(UnaryOp::FloatToBits, normal);
        let (top, low) = (terms.extract(word, bits - 1, bits - 1), terms.extract(word, fraction_bits - 1, 0));
        let middle = terms.word(format.exponent_bits(), bias - 1);
        let upper = terms.binary(BinaryOp::Concat, top, middle);
        let word = terms.binary(BinaryOp::Concat, upper, low);
        let fraction = terms.unary(UnaryOp::FloatFromBits(format), word);
        let plain = number(self, value, 0.0);
        let terms = &mut self.system.terms;
        let is_zero = terms.binary(BinaryOp::FloatEq, value, plain);
        let finite = self.float_class(Math::IsFinite, value);
        let terms = &mut self.system.terms;
        let nonzero = terms.not(is_zero);
        let is_ordinary = terms.and(finite, nonzero);
        let none = terms.word(32, 0);
        (terms.ite(is_ordinary, fraction, value), terms.ite(is_ordinary, exponent, none))
    }

    /// `modf`: the fraction and the whole number, both of the value's sign.
    fn parts(&mut self, value: TermId) -> (TermId, TermId) {
        let zero = number(self, value, 0.0);
        let terms = &mut self.system.terms;
        let whole = terms.unary(UnaryOp::FloatRound(RoundTo::Zero), value);
        let rest = terms.binary(BinaryOp::FloatSub, value, whole);
        let infinite = terms.unary(UnaryOp::FloatIsInfinite, value);
        let fraction = terms.ite(infinite, zero, rest);
        let nan = terms.unary(UnaryOp::FloatIsNan, value);
        let signed = self.copy_sign(fraction, value);
        (self.system.terms.ite(nan, value, signed), whole)
    }

    /// Stores what a function of math.h writes through its last argument. The word has the width of
    /// `int` on hosts; on targets with a narrower one it is cut.
    fn store_behind(
        &mut self,
        state: &mut State,
        pointer: TermId,
        argument: &Expr,
        value: TermId,
        span: Span,
    ) -> Outcome<()> {
        let Type::Pointer(pointee) = *self.layouts.type_of(argument.ty) else {
            return Err(self.fail(Code::UnsupportedCall, span, "this argument should be a pointer"));
        };
        let value = match self.sort_of(pointee) {
            Sort::Word(width) => self.system.terms.resize(value, u32::from(width), true),
            Sort::Float(_) => value,
        };
        let targets = self.pointees(state, pointer, pointee, span)?;
        self.store_targets(state, &targets, pointee, None, &Content::Scalar(value), span)
    }
}

fn format_of(machine: &Machine<'_>, value: TermId) -> FloatFormat {
    machine.system.terms.sort(value).float_format().expect("a function of floats should get a float")
}

/// A number in the format of a float.
pub(super) fn number(machine: &mut Machine<'_>, like: TermId, number: f64) -> TermId {
    let value = match format_of(machine, like) {
        FloatFormat::Single => Value::single(number as f32),
        FloatFormat::Double => Value::double(number),
    };
    machine.system.terms.constant(value)
}
