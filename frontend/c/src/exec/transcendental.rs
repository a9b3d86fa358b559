//! Calls of functions that IEEE 754 does not define: results that are inputs nobody chooses, under
//! what is known of them for certain.
//!
//! | function | known of its result `r` |
//! |---|---|
//! | `sin`, `cos` | NaN of infinities; else -1 <= r <= 1; `sin`: hardly larger than the argument, and of its sign where this is small |
//! | `tan` | NaN of infinities; of the sign of small arguments |
//! | `asin`, `acos` | NaN outside of [-1, 1]; else within the quadrants |
//! | `atan`, `atan2` | within the quadrants; of the sign of the (first) argument |
//! | `exp`, `exp2` | 0 <= r; at least 1 from 0 on, at most 1 up to 0 |
//! | `log`, `log2`, `log10` | NaN below 0, -infinity of 0; at most 0 up to 1, at least 0 from 1 on |
//! | `pow` | 1 of exponent 0 or base 1, where the other is no NaN; not negative for a positive base |
//! | `sinh`, `tanh`, `expm1`, `log1p`, `cbrt` | of the argument's sign; `tanh`: -1 <= r <= 1, hardly larger than the argument |
//! | `cosh` | at least 1 |
//! | `hypot` | hardly shorter than either side |
//!
//! Hardly: but for some units in the last place ([`SLACK`]), as no standard says how exact a
//! library is. Arguments that are NaN give NaN, but for `pow` and `hypot`. Equal arguments in one
//! step give equal results. Calls of constants are computed by the host's library.

use super::initial_memory::Phase;
use super::math::number;
use super::{Machine, Outcome};
use crate::code::Code;
use frontend::Topic;
use frontend::source::Span;
use model::external::{Function, SLACK};
use model::sort::{FloatFormat, Sort};
use model::system::{InputId, InputRole};
use model::term::{BinaryOp, SymbolId, TermId, TermPool, UnaryOp};
use model::value::Value;
use model::visit::support;
use rustc_hash::FxHashMap;

/// A function that is not defined exactly.
pub(super) type Transcendental = Function;

/// The function of a name.
pub(super) fn transcendental(name: &str) -> Option<Transcendental> {
    Function::named(name)
}

/// A call that was met in the step.
#[derive(Clone, Debug)]
pub(crate) struct TranscendentalCall {
    /// The function.
    pub(crate) function: Function,
    /// The format of arguments and result.
    pub(crate) format: FloatFormat,
    /// The input that stands for its result.
    pub(crate) input: InputId,
    /// The arguments.
    pub(crate) arguments: Vec<TermId>,
    /// Where it stands.
    pub(crate) span: Span,
}

/// Calls of one function whose equality of arguments is stated pair by pair.
const PAIRS: usize = 8;

impl Machine<'_> {
    pub(super) fn transcendental_call(
        &mut self,
        function: Function,
        arguments: &[TermId],
        span: Span,
    ) -> Outcome<TermId> {
        let format = self.system.terms.sort(arguments[0]).float_format();
        let format = format.expect("a function of floats should get a float");
        let is_in_step = self.property.is_none() && self.initial_memory.phase == (Phase::Step { frame: 0 });
        if is_in_step {
            return Ok(self.call_in_step(function, format, arguments, span));
        }
        let Some((frame, arguments)) = self.arguments_in_step(arguments) else {
            let message =
                format!("`{}` is called on values of several steps together", function.c_name(format));
            let advice = "compute the value in the step, and use the variable that holds it";
            return Err(self.fail_with(Code::UnsupportedCall, span, message, advice));
        };
        let result = self.call_in_step(function, format, &arguments, span);
        Ok(self.shift(result, frame))
    }

    /// The arguments of a call in a condition as terms over the state and the inputs of one step,
    /// and the frame of that step: what lies behind the step is what the step computes. `None`
    /// where there is no such step.
    fn arguments_in_step(&mut self, arguments: &[TermId]) -> Option<(u32, Vec<TermId>)> {
        let symbols = support(&self.system.terms, arguments);
        let unknowns = self.property.as_ref().map_or(&[][..], |property| &property.unknowns);
        if symbols.iter().any(|symbol| unknowns.contains(symbol)) {
            return None;
        }
        let offset = |terms: &TermPool, symbol: SymbolId| {
            terms.symbol(symbol).framed.map_or(0, |framed| framed.offset)
        };
        let first = symbols.iter().map(|&symbol| offset(&self.system.terms, symbol)).min().unwrap_or(0);
        let frame = match self.initial_memory.phase {
            Phase::Behind { frame } => frame.min(first),
            Phase::Step { .. } => first,
            Phase::Init => return None,
        };
        let cells: FxHashMap<SymbolId, usize> = self
            .initial_memory
            .states
            .iter()
            .map(|&(cell, state)| (self.system.states[state].symbol, cell))
            .collect();
        let mut is_possible = true;
        let mut found = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            found.push(self.substitute(argument, |machine, symbol| {
                let base = machine.system.terms.symbol(symbol).framed.map_or(symbol, |framed| framed.base);
                let before = machine.system.terms.symbol_term(base);
                match offset(&machine.system.terms, symbol) - frame {
                    0 => Some(before),
                    1 if cells.contains_key(&base) => {
                        Some(machine.initial_memory.left.values.get(cells[&base]).unwrap_or(before))
                    }
                    _ => {
                        is_possible = false;
                        None
                    }
                }
            }));
        }
        is_possible.then_some((frame, found))
    }

    /// A call on values over the state and the inputs of a step.
    fn call_in_step(
        &mut self,
        function: Function,
        format: FloatFormat,
        arguments: &[TermId],
        span: Span,
    ) -> TermId {
        let constants: Option<Vec<Value>> =
            arguments.iter().map(|&argument| self.system.terms.as_const(argument)).collect();
        if let Some(constants) = constants {
            return self.system.terms.constant(function.evaluate(format, &constants));
        }
        let is_same = |call: &&TranscendentalCall| call.function == function && call.arguments == arguments;
        if let Some(call) = self.initial_memory.transcendental.iter().find(is_same) {
            let input = call.input;
            return self.system.input_term(input);
        }
        let name = format!("{}.value", function.c_name(format));
        let input = self.system.add_input(&name, Sort::Float(format), InputRole::Choice);
        let result = self.system.input_term(input);
        self.note_extern(
            &function.c_name(format),
            Topic::Mathematics,
            format!(
                "the values of `{}` come from the host's C library; the search knows their range and the points it asked for",
                function.c_name(format)
            ),
        );
        let mut known = self.known_of(function, arguments, result);
        known.extend(self.equal_results(function, arguments, result));
        let known = self.system.terms.conjunction(known);
        self.initial_memory.transcendental_facts.push((known, span));
        let call = TranscendentalCall { function, format, input, arguments: arguments.to_vec(), span };
        self.initial_memory.transcendental.push(call);
        result
    }

    /// Equal arguments of two calls in one step give equal results.
    fn equal_results(&mut self, function: Function, arguments: &[TermId], result: TermId) -> Vec<TermId> {
        let is_like = |call: &&TranscendentalCall| {
            call.function == function
                && self.system.terms.sort(call.arguments[0]) == self.system.terms.sort(arguments[0])
        };
        let others: Vec<TranscendentalCall> =
            self.initial_memory.transcendental.iter().filter(is_like).take(PAIRS).cloned().collect();
        let mut facts = Vec::new();
        for other in others {
            let other_result = self.system.input_term(other.input);
            let mut same = self.system.terms.truth(true);
            for (&left, &right) in arguments.iter().zip(&other.arguments) {
                let equal = self.same_bits(left, right);
                same = self.system.terms.and(same, equal);
            }
            let equal = self.same_bits(result, other_result);
            facts.push(self.system.terms.implies(same, equal));
        }
        facts
    }

    fn same_bits(&mut self, left: TermId, right: TermId) -> TermId {
        let terms = &mut self.system.terms;
        let (left, right) =
            (terms.unary(UnaryOp::FloatToBits, left), terms.unary(UnaryOp::FloatToBits, right));
        terms.equal(left, right)
    }

    /// What holds of a result for certain; see the module text.
    fn known_of(&mut self, function: Function, arguments: &[TermId], result: TermId) -> Vec<TermId> {
        use Function::*;
        let x = arguments[0];
        let up = |bound: f64| f64::from(f32::from_bits((bound as f32).to_bits() + 1));
        let quarter = up(std::f64::consts::FRAC_PI_2);
        let half = up(std::f64::consts::PI);
        let mut facts = vec![self.canonical_nan(result)];
        match function {
            Sin | Cos => {
                facts.push(self.nan_exactly_beyond(x, f64::MAX, result));
                facts.push(self.unless_nan_between(result, -1.0, 1.0));
                if function == Sin {
                    facts.push(self.no_longer(x, result));
                    facts.push(self.sign_within(x, 3.0, result));
                }
            }
            Tan => {
                facts.push(self.nan_exactly_beyond(x, f64::MAX, result));
                facts.push(self.sign_within(x, 1.5, result));
            }
            Asin | Acos => {
                facts.push(self.nan_exactly_beyond(x, 1.0, result));
                let (low, high) = if function == Asin { (-quarter, quarter) } else { (0.0, half) };
                facts.push(self.unless_nan_between(result, low, high));
                if function == Asin {
                    facts.push(self.sign_within(x, 1.0, result));
                }
            }
            Atan => {
                facts.push(self.nan_exactly_of_nan(arguments, result));
                facts.push(self.unless_nan_between(result, -quarter, quarter));
                facts.push(self.sign_within(x, f64::INFINITY, result));
            }
            Atan2 => {
                facts.push(self.nan_exactly_of_nan(arguments, result));
                facts.push(self.unless_nan_between(result, -half, half));
                facts.push(self.sign_within(x, f64::INFINITY, result));
            }
            Exp | Exp2 => {
                facts.push(self.nan_exactly_of_nan(arguments, result));
                facts.push(self.unless_nan_between(result, 0.0, f64::INFINITY));
                facts.push(self.split_at(x, 0.0, result, 1.0));
            }
            Log | Log2 | Log10 => {
                facts.push(self.split_at(x, 1.0, result, 0.0));
                let zero = number(self, x, 0.0);
                let (below, number_is_nan) = (
                    self.system.terms.binary(BinaryOp::FloatLt, x, zero),
                    self.system.terms.unary(UnaryOp::FloatIsNan, x),
                );
                let outside = self.system.terms.or(below, number_is_nan);
                let nan = self.system.terms.unary(UnaryOp::FloatIsNan, result);
                facts.push(self.system.terms.equal(outside, nan));
                let is_zero = self.system.terms.binary(BinaryOp::FloatEq, x, zero);
                let lowest = number(self, x, f64::NEG_INFINITY);
                let is_lowest = self.system.terms.binary(BinaryOp::FloatEq, result, lowest);
                facts.push(self.system.terms.equal(is_zero, is_lowest));
            }
            Pow => facts.extend(self.known_of_powers(x, arguments[1], result)),
            Sinh | Cbrt | Expm1 => {
                facts.push(self.nan_exactly_of_nan(arguments, result));
                facts.push(self.sign_within(x, f64::INFINITY, result));
            }
            Log1p => facts.push(self.sign_within(x, f64::INFINITY, result)),
            Tanh => {
                facts.push(self.nan_exactly_of_nan(arguments, result));
                facts.push(self.sign_within(x, f64::INFINITY, result));
                facts.push(self.unless_nan_between(result, -1.0, 1.0));
                facts.push(self.no_longer(x, result));
            }
            Cosh => {
                facts.push(self.nan_exactly_of_nan(arguments, result));
                facts.push(self.unless_nan_between(result, 1.0, f64::INFINITY));
            }
            Hypot => {
                facts.push(self.unless_nan_between(result, 0.0, f64::INFINITY));
                let [first, second] = [x, arguments[1]].map(|side| {
                    let side = self.system.terms.unary(UnaryOp::FloatAbs, side);
                    let length = self.system.terms.unary(UnaryOp::FloatAbs, result);
                    let fits = self.hardly_above(side, length);
                    let nan = self.system.terms.unary(UnaryOp::FloatIsNan, side);
                    let open = self.system.terms.unary(UnaryOp::FloatIsNan, result);
                    let excused = self.system.terms.or(nan, open);
                    self.system.terms.or(fits, excused)
                });
                facts.extend([first, second]);
            }
        }
        facts
    }

    fn known_of_powers(&mut self, base: TermId, exponent: TermId, result: TermId) -> Vec<TermId> {
        let (zero, one) = (number(self, base, 0.0), number(self, base, 1.0));
        let is_one = self.same_bits(result, one);
        let terms = &mut self.system.terms;
        let no_power = terms.binary(BinaryOp::FloatEq, exponent, zero);
        let is_unit = terms.binary(BinaryOp::FloatEq, base, one);
        // Of a quiet NaN that would be one, too, but of a signaling one libraries give a NaN.
        let [base_is_number, exponent_is_number] =
            [base, exponent].map(|side| terms.binary(BinaryOp::FloatEq, side, side));
        let no_power = terms.and(no_power, base_is_number);
        let is_unit = terms.and(is_unit, exponent_is_number);
        let either = terms.or(no_power, is_unit);
        let unit = terms.implies(either, is_one);
        let positive = terms.binary(BinaryOp::FloatLt, zero, base);
        let fits = terms.binary(BinaryOp::FloatLe, zero, result);
        let nan = terms.unary(UnaryOp::FloatIsNan, exponent);
        let excused = terms.or(fits, nan);
        vec![unit, terms.implies(positive, excused)]
    }

    /// A result that is a NaN is the canonical one.
    fn canonical_nan(&mut self, result: TermId) -> TermId {
        let format = self.system.terms.sort(result).float_format().expect("a result should be a float");
        let canonical = self.system.terms.constant(Value::new(Sort::Float(format), format.canonical_nan()));
        let is_canonical = self.same_bits(result, canonical);
        let nan = self.system.terms.unary(UnaryOp::FloatIsNan, result);
        self.system.terms.implies(nan, is_canonical)
    }

    /// The result is a NaN where some argument is one, and only there.
    fn nan_exactly_of_nan(&mut self, arguments: &[TermId], result: TermId) -> TermId {
        let mut some = self.system.terms.truth(false);
        for &argument in arguments {
            let nan = self.system.terms.unary(UnaryOp::FloatIsNan, argument);
            some = self.system.terms.or(some, nan);
        }
        let nan = self.system.terms.unary(UnaryOp::FloatIsNan, result);
        self.system.terms.equal(some, nan)
    }

    /// The result is a NaN where the argument is one or its magnitude is above the limit, and only
    /// there.
    fn nan_exactly_beyond(&mut self, x: TermId, limit: f64, result: TermId) -> TermId {
        let most = match self.system.terms.sort(x).float_format() {
            Some(FloatFormat::Single) => limit.min(f64::from(f32::MAX)),
            _ => limit,
        };
        let most = number(self, x, most);
        let terms = &mut self.system.terms;
        let magnitude = terms.unary(UnaryOp::FloatAbs, x);
        let inside = terms.binary(BinaryOp::FloatLe, magnitude, most);
        let nan = terms.unary(UnaryOp::FloatIsNan, result);
        let not_nan = terms.not(nan);
        terms.equal(inside, not_nan)
    }

    fn unless_nan_between(&mut self, result: TermId, low: f64, high: f64) -> TermId {
        let (low, high) = (number(self, result, low), number(self, result, high));
        let terms = &mut self.system.terms;
        let above = terms.binary(BinaryOp::FloatLe, low, result);
        let below = terms.binary(BinaryOp::FloatLe, result, high);
        let inside = terms.and(above, below);
        let nan = terms.unary(UnaryOp::FloatIsNan, result);
        terms.or(nan, inside)
    }

    /// The result's magnitude is not above the argument's.
    fn no_longer(&mut self, x: TermId, result: TermId) -> TermId {
        let terms = &mut self.system.terms;
        let (long, short) = (terms.unary(UnaryOp::FloatAbs, x), terms.unary(UnaryOp::FloatAbs, result));
        let fits = self.hardly_above(short, long);
        let nan = self.system.terms.unary(UnaryOp::FloatIsNan, result);
        self.system.terms.or(nan, fits)
    }

    /// A magnitude is not above another one but for the error that libraries may have; neither is a
    /// NaN.
    fn hardly_above(&mut self, short: TermId, long: TermId) -> TermId {
        let terms = &mut self.system.terms;
        let (short, long) =
            (terms.unary(UnaryOp::FloatToBits, short), terms.unary(UnaryOp::FloatToBits, long));
        let slack = terms.word(terms.width(long), u128::from(SLACK));
        let most = terms.binary(BinaryOp::Add, long, slack);
        terms.binary(BinaryOp::ULe, short, most)
    }

    /// Up to a magnitude of the argument the result has its sign, and is a zero where the argument
    /// is one.
    fn sign_within(&mut self, x: TermId, limit: f64, result: TermId) -> TermId {
        let (own, of_result) = (self.sign_of(x), self.sign_of(result));
        let most = number(self, x, limit);
        let terms = &mut self.system.terms;
        let magnitude = terms.unary(UnaryOp::FloatAbs, x);
        let inside = terms.binary(BinaryOp::FloatLe, magnitude, most);
        let nan = terms.unary(UnaryOp::FloatIsNan, result);
        let same = terms.equal(own, of_result);
        let same = terms.or(nan, same);
        terms.implies(inside, same)
    }

    /// The result is at most `value` up to the argument `at`, and at least `value` from there on.
    fn split_at(&mut self, x: TermId, at: f64, result: TermId, value: f64) -> TermId {
        let (at, value) = (number(self, x, at), number(self, x, value));
        let terms = &mut self.system.terms;
        let (small, large) = (terms.binary(BinaryOp::FloatLe, x, at), terms.binary(BinaryOp::FloatLe, at, x));
        let (most, least) =
            (terms.binary(BinaryOp::FloatLe, result, value), terms.binary(BinaryOp::FloatLe, value, result));
        let nan = terms.unary(UnaryOp::FloatIsNan, result);
        let (most, least) = (terms.or(nan, most), terms.or(nan, least));
        let (first, second) = (terms.implies(small, most), terms.implies(large, least));
        terms.and(first, second)
    }
}
