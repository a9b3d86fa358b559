//! From terms to words of bits.
//!
//! A [`Blaster`] computes the word of a term out of the words of its symbols, each term once: a
//! table of [`Words`] is the memo of one frame (or of anything else in which every symbol has one
//! value). The traversal keeps its own stack, so the depth of terms is not limited by the thread's.
//! Terms are numbered in the order in which they are first met, so a memo is as long as the number
//! of terms in use, not as the pool.
//!
//! A float is the word of its bit pattern.

use crate::bits::BitBuilder;
use crate::circuits::float::{self, Layout};
use crate::circuits::{add, compare, divide, logic, multiply, shift};
use crate::error::EncodeError;
use model::id::Id;
use model::sort::{FloatFormat, Sort};
use model::term::{BinaryOp, SymbolId, Term, TermId, TermPool, UnaryOp};
use std::sync::Arc;

/// Words by number, in one flat buffer.
#[derive(Clone, Debug)]
pub struct Words<Bit> {
    /// By number: position of the word in `bits` plus one; 0 where there is none.
    starts: Vec<u32>,
    bits: Vec<Bit>,
}

impl<Bit> Default for Words<Bit> {
    fn default() -> Self {
        Self { starts: Vec::new(), bits: Vec::new() }
    }
}

impl<Bit: Copy> Words<Bit> {
    /// Number of bits and table entries held.
    pub fn size(&self) -> usize {
        self.starts.len() + self.bits.len()
    }
    /// Whether there is a word of that number.
    pub fn contains(&self, number: usize) -> bool {
        self.starts.get(number).is_some_and(|&start| start != 0)
    }
    /// The word of that number, which has `width` bits.
    pub fn get(&self, number: usize, width: u32) -> Option<&[Bit]> {
        let start = self.starts.get(number)?.checked_sub(1)? as usize;
        Some(&self.bits[start..start + width as usize])
    }
    /// Adds a word.
    pub fn insert(&mut self, number: usize, word: &[Bit]) {
        if self.starts.len() <= number {
            self.starts.resize(number + 1, 0);
        }
        let start = u32::try_from(self.bits.len() + 1).expect("a table of words should stay below 2^32 bits");
        self.starts[number] = start;
        self.bits.extend_from_slice(word);
    }
}

/// Gives the words of symbols, in the symbols' widths.
pub trait SymbolWords<B: BitBuilder> {
    /// The word of a symbol; asked once for each symbol and [`Words`].
    ///
    /// # Errors
    /// Where the symbol has no value.
    fn word(&mut self, bits: &mut B, symbol: SymbolId) -> Result<Vec<B::Bit>, EncodeError>;
}

impl<B: BitBuilder, F: FnMut(&mut B, SymbolId) -> Result<Vec<B::Bit>, EncodeError>> SymbolWords<B> for F {
    fn word(&mut self, bits: &mut B, symbol: SymbolId) -> Result<Vec<B::Bit>, EncodeError> {
        self(bits, symbol)
    }
}

/// When to give up a circuit that is not done: one term may stand for millions of others. The
/// default never does.
#[derive(Clone, Default)]
pub struct Bounds {
    /// Gates of the circuit at most.
    pub gates: Option<usize>,
    /// Whether the time is up.
    pub is_over: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

/// Terms between two looks at the time.
const BETWEEN_LOOKS: u32 = 64;

/// Marks a term that has no number yet.
const UNNUMBERED: u32 = u32::MAX;

/// Blasts terms of one pool; see the module text.
#[derive(Clone)]
pub struct Blaster<'s> {
    terms: &'s TermPool,
    /// By index of the term.
    numbers: Vec<u32>,
    numbered: u32,
    stack: Vec<TermId>,
    bounds: Bounds,
    /// Terms computed.
    computed: u32,
}

impl<'s> Blaster<'s> {
    /// For the terms of a pool.
    pub fn new(terms: &'s TermPool) -> Self {
        Self {
            terms,
            numbers: vec![UNNUMBERED; terms.len()],
            numbered: 0,
            stack: Vec::new(),
            bounds: Bounds::default(),
            computed: 0,
        }
    }

    /// Gives up beyond these bounds from now on.
    pub fn bound(&mut self, bounds: Bounds) {
        self.bounds = bounds;
    }

    /// Fails where the bounds are reached.
    fn keep_within(&mut self, gates: usize) -> Result<(), EncodeError> {
        if let Some(most) = self.bounds.gates
            && gates > most
        {
            return Err(EncodeError::TooLarge(most));
        }
        self.computed = self.computed.wrapping_add(1);
        let looks = self.computed.is_multiple_of(BETWEEN_LOOKS);
        if looks && self.bounds.is_over.as_ref().is_some_and(|is_over| is_over()) {
            return Err(EncodeError::Stopped);
        }
        Ok(())
    }

    /// The word of a term, least significant bit first, that was blasted into `words` before.
    pub fn known<'w, Bit: Copy>(&self, term: TermId, words: &'w Words<Bit>) -> Option<&'w [Bit]> {
        words.get(self.numbers[term.index()] as usize, self.terms.width(term))
    }

    /// Takes `word` for a term instead of computing it. What only the term depends on is then not
    /// looked at.
    pub fn give<Bit: Copy>(&mut self, term: TermId, words: &mut Words<Bit>, word: &[Bit]) {
        assert_eq!(word.len(), self.terms.width(term) as usize, "a word should have its term's width");
        words.insert(self.number(term), word);
    }

    /// Computes the word of `root` into `words`, together with all terms it depends on;
    /// [`Blaster::known`] reads it.
    ///
    /// # Errors
    /// Where `symbols` fails, or the bounds are reached. What was computed before stays valid.
    pub fn blast<B: BitBuilder>(
        &mut self,
        root: TermId,
        words: &mut Words<B::Bit>,
        bits: &mut B,
        symbols: &mut impl SymbolWords<B>,
    ) -> Result<(), EncodeError> {
        self.stack.clear();
        self.stack.push(root);
        while let Some(&term) = self.stack.last() {
            if self.known(term, words).is_some() {
                self.stack.pop();
                continue;
            }
            let node = self.terms.node(term);
            let ready = self.stack.len();
            for operand in node.operands() {
                if self.known(operand, words).is_none() {
                    self.stack.push(operand);
                }
            }
            if self.stack.len() == ready {
                self.keep_within(bits.gates())?;
                let word = match node {
                    Term::Symbol(symbol) => symbols.word(bits, symbol)?,
                    _ => self.apply(bits, term, words),
                };
                assert_eq!(
                    word.len(),
                    self.terms.width(term) as usize,
                    "a word should have its term's width"
                );
                words.insert(self.number(term), &word);
                self.stack.pop();
            }
        }
        Ok(())
    }

    fn number(&mut self, term: TermId) -> usize {
        let number = &mut self.numbers[term.index()];
        if *number == UNNUMBERED {
            *number = self.numbered;
            self.numbered += 1;
        }
        *number as usize
    }

    /// The word of a term whose operands are known.
    fn apply<B: BitBuilder>(&self, bits: &mut B, term: TermId, words: &Words<B::Bit>) -> Vec<B::Bit> {
        let word = |of: TermId| self.known(of, words).expect("operands should be blasted first");
        match self.terms.node(term) {
            Term::Symbol(_) => unreachable!("symbols should be asked for"),
            Term::Const(constant) => {
                let value = self.terms.constant_value(constant);
                bits.constant_word(value.sort().width() as usize, value.bits())
            }
            Term::Unary { op, arg } => unary(bits, op, self.terms.sort(arg), word(arg)),
            Term::Binary { op, lhs, rhs } => binary(bits, op, self.terms.sort(lhs), word(lhs), word(rhs)),
            Term::Ite { condition, then, otherwise } => {
                logic::select(bits, word(condition)[0], word(then), word(otherwise))
            }
            Term::Extract { arg, high, low } => word(arg)[low as usize..=high as usize].to_vec(),
            Term::Extend { arg, width, signed } => logic::resize(bits, word(arg), width as usize, signed),
            Term::FloatFma { a, b, c } => {
                let format = self.terms.sort(a).float_format().expect("fma should get floats");
                float::fused_multiply_add(bits, format.into(), word(a), word(b), word(c))
            }
        }
    }
}

/// Applies a one-operand operator.
fn unary<B: BitBuilder>(bits: &mut B, op: UnaryOp, sort: Sort, arg: &[B::Bit]) -> Vec<B::Bit> {
    match (op, sort) {
        (UnaryOp::Not, _) => logic::not(bits, arg),
        (UnaryOp::Neg, _) => add::negate(bits, arg),
        (UnaryOp::FloatToBits | UnaryOp::FloatFromBits(_), _) => arg.to_vec(),
        (UnaryOp::FloatFromUnsigned(format), _) => float::from_unsigned(bits, format.into(), arg),
        (UnaryOp::FloatFromSigned(format), _) => float::from_signed(bits, format.into(), arg),
        (_, Sort::Float(format)) => float_unary(bits, op, format, arg),
        (_, Sort::Word(_)) => unreachable!("{op:?} should not be applied to a word"),
    }
}

/// Applies a two-operand operator.
fn binary<B: BitBuilder>(
    bits: &mut B,
    op: BinaryOp,
    sort: Sort,
    lhs: &[B::Bit],
    rhs: &[B::Bit],
) -> Vec<B::Bit> {
    let (lhs, rhs) = if is_commutative(op) && bits.swaps(lhs, rhs) { (rhs, lhs) } else { (lhs, rhs) };
    if let Sort::Float(format) = sort {
        return float_binary(bits, op, format, lhs, rhs);
    }
    match op {
        BinaryOp::And => logic::bitwise(bits, lhs, rhs, B::and),
        BinaryOp::Or => logic::bitwise(bits, lhs, rhs, B::or),
        BinaryOp::Xor => logic::bitwise(bits, lhs, rhs, B::xor),
        BinaryOp::Add => add::add(bits, lhs, rhs),
        BinaryOp::Sub => add::subtract(bits, lhs, rhs),
        BinaryOp::Mul => multiply::multiply(bits, lhs, rhs),
        BinaryOp::UDiv => divide::unsigned(bits, lhs, rhs).0,
        BinaryOp::URem => divide::unsigned(bits, lhs, rhs).1,
        BinaryOp::SDiv => divide::signed_quotient(bits, lhs, rhs),
        BinaryOp::SRem => divide::signed_remainder(bits, lhs, rhs),
        BinaryOp::Shl => shift::left(bits, lhs, rhs),
        BinaryOp::LShr => shift::right_logical(bits, lhs, rhs),
        BinaryOp::AShr => shift::right_arithmetic(bits, lhs, rhs),
        BinaryOp::Eq => vec![compare::equal(bits, lhs, rhs)],
        BinaryOp::ULt => vec![compare::unsigned_less(bits, lhs, rhs)],
        BinaryOp::ULe => vec![compare::unsigned_less_equal(bits, lhs, rhs)],
        BinaryOp::SLt => vec![compare::signed_less(bits, lhs, rhs)],
        BinaryOp::SLe => vec![compare::signed_less_equal(bits, lhs, rhs)],
        BinaryOp::Concat => [rhs, lhs].concat(),
        _ => unreachable!("{op:?} should not be applied to words"),
    }
}

/// Operators whose circuits depend on the order of operands that they give the same value for.
fn is_commutative(op: BinaryOp) -> bool {
    use BinaryOp::{Add, FloatAdd, FloatEq, FloatMul, Mul};
    matches!(op, Add | Mul | FloatAdd | FloatMul | FloatEq)
}

/// Applies an operator to a float.
fn float_unary<B: BitBuilder>(bits: &mut B, op: UnaryOp, format: FloatFormat, arg: &[B::Bit]) -> Vec<B::Bit> {
    let layout = Layout::from(format);
    match op {
        UnaryOp::FloatNeg => float::negate(bits, layout, arg),
        UnaryOp::FloatAbs => float::absolute(bits, layout, arg),
        UnaryOp::FloatSqrt => float::square_root(bits, layout, arg),
        UnaryOp::FloatRound(to) => float::round_to_integral(bits, layout, arg, to),
        UnaryOp::FloatIsNan => vec![float::is_nan(bits, layout, arg)],
        UnaryOp::FloatIsInfinite => vec![float::is_infinite(bits, layout, arg)],
        UnaryOp::FloatConvert(to) => float::convert(bits, layout, to.into(), arg),
        UnaryOp::FloatToUnsigned(width) | UnaryOp::FloatToSigned(width) => {
            float::to_word(bits, layout, usize::from(width), arg)
        }
        _ => unreachable!("{op:?} should not be applied to a float"),
    }
}

/// Applies an operator to two floats of one format.
fn float_binary<B: BitBuilder>(
    bits: &mut B,
    op: BinaryOp,
    format: FloatFormat,
    lhs: &[B::Bit],
    rhs: &[B::Bit],
) -> Vec<B::Bit> {
    let layout = Layout::from(format);
    match op {
        BinaryOp::FloatAdd => float::add(bits, layout, lhs, rhs),
        BinaryOp::FloatSub => float::subtract(bits, layout, lhs, rhs),
        BinaryOp::FloatMul => float::multiply(bits, layout, lhs, rhs),
        BinaryOp::FloatDiv => float::divide(bits, layout, lhs, rhs),
        BinaryOp::FloatFmod => float::fmod(bits, layout, lhs, rhs),
        BinaryOp::FloatRemainder => float::remainder(bits, layout, lhs, rhs),
        BinaryOp::FloatEq => vec![float::equal(bits, layout, lhs, rhs)],
        BinaryOp::FloatLt => vec![float::less(bits, layout, lhs, rhs)],
        BinaryOp::FloatLe => vec![float::less_equal(bits, layout, lhs, rhs)],
        _ => unreachable!("{op:?} should not be applied to floats"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aig::{Aig, Literal};
    use crate::bits::Lanes;
    use crate::testing::{parsed, random_value};
    use model::eval::Evaluator;
    use model::validate::Validated;
    use model::value::Value;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};
    use rustc_hash::FxHashMap;

    /// A circuit is given up where it becomes too large, or the time is up; what was made before
    /// can be used, and gone on from.
    #[test]
    fn bounds_end_the_blasting() {
        let products = (0..200).fold("a".to_owned(), |term, _| format!("(mul {term} b)"));
        let system = parsed(&format!("input a w16 input b w16 output o {products}"));
        let root = system.outputs[0].value;
        let mut aig = Aig::new();
        let (mut blaster, mut words) = (Blaster::new(&system.terms), Words::default());
        let mut inputs: FxHashMap<SymbolId, Vec<Literal>> = FxHashMap::default();
        let mut leaf = |aig: &mut Aig, symbol: SymbolId| {
            Ok(inputs.entry(symbol).or_insert_with(|| (0..16).map(|_| aig.input()).collect()).clone())
        };
        blaster.bound(Bounds { gates: Some(10_000), is_over: None });
        let ended = blaster.blast(root, &mut words, &mut aig, &mut leaf);
        assert_eq!(ended, Err(EncodeError::TooLarge(10_000)));
        assert!((10_000..20_000).contains(&aig.ands()), "{}", aig.ands());
        blaster.bound(Bounds { gates: None, is_over: Some(Arc::new(|| true)) });
        assert_eq!(blaster.blast(root, &mut words, &mut aig, &mut leaf), Err(EncodeError::Stopped));
        blaster.bound(Bounds::default());
        assert_eq!(blaster.blast(root, &mut words, &mut aig, &mut leaf), Ok(()));
        assert_eq!(blaster.known(root, &words).map(<[Literal]>::len), Some(16));
    }

    /// Blasts all outputs of a system over its inputs, 64 random assignments at once, and compares
    /// with the evaluator.
    fn check(system: &Validated, rng: &mut SmallRng) {
        let sorts: Vec<Sort> =
            system.inputs.values().map(|input| system.terms.symbol(input.symbol).sort).collect();
        let rows: Vec<Vec<Value>> = (0..64).map(|_| row(rng, &sorts)).collect();
        let number = |symbol| {
            let position = system.inputs.values().position(|input| input.symbol == symbol);
            position.expect("an output should depend on inputs only")
        };
        let mut blaster = Blaster::new(&system.terms);
        let mut words = Words::default();
        let mut leaf = |_: &mut Lanes, symbol| {
            let column: Vec<u128> = rows.iter().map(|row| row[number(symbol)].bits()).collect();
            Ok(Lanes::pack(system.terms.symbol(symbol).sort.width() as usize, &column))
        };
        for output in &system.outputs {
            blaster.blast(output.value, &mut words, &mut Lanes, &mut leaf).expect("all symbols have words");
        }
        let mut evaluator = Evaluator::new(&system.terms, system.outputs.iter().map(|output| output.value));
        for (lane, row) in rows.iter().enumerate() {
            evaluator.run(|symbol| row[number(symbol)]);
            for (index, output) in system.outputs.iter().enumerate() {
                let word = blaster.known(output.value, &words).expect("the output was blasted");
                let (found, expected) = (Lanes::unpack(word, lane), evaluator.value(index));
                assert_eq!(found, expected.bits(), "{} of {row:?}", output.name);
            }
        }
    }

    /// Random values; often two equal ones, and often special numbers.
    fn row(rng: &mut SmallRng, sorts: &[Sort]) -> Vec<Value> {
        let mut row: Vec<Value> = Vec::new();
        for &sort in sorts {
            let value = match (rng.random_range(0..4), row.last()) {
                (0, Some(&last)) if last.sort() == sort => last,
                (1, _) => Value::new(sort, sort.mask() << rng.random_range(0..sort.width())),
                (2, _) if sort.float_format().is_some() => {
                    let number = rng.random_range(-40.0..40.0f32).round() / 8.0;
                    if sort.width() == 32 { Value::single(number) } else { Value::double(number.into()) }
                }
                _ => random_value(rng, sort),
            };
            row.push(value);
        }
        row
    }

    /// A system with one output for each expression; parsing applies no rewrite rule.
    fn system(inputs: &[(&str, String)], expressions: &[String]) -> Validated {
        let mut text = "system operators\n".to_owned();
        for (name, sort) in inputs {
            text += &format!("input {name} {sort}\n");
        }
        for expression in expressions {
            text += &format!("output |{expression}| {expression}\n");
        }
        parsed(&text)
    }

    #[test]
    fn every_word_operator_is_the_evaluators() {
        let binary = [
            "and", "or", "xor", "add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "shl", "lshr", "ashr",
            "eq", "ult", "ule", "slt", "sle",
        ];
        let mut rng = SmallRng::seed_from_u64(41);
        for width in [1, 2, 3, 5, 8, 16, 31, 33, 64, 100, 128] {
            let inputs = [("c", 1), ("a", width), ("b", width)];
            let inputs = inputs.map(|(name, width)| (name, format!("w{width}")));
            let mut expressions: Vec<String> = binary.iter().map(|op| format!("({op} a b)")).collect();
            expressions.extend(["(not a)", "(neg a)", "(ite c a b)"].map(str::to_owned));
            if width <= 64 {
                expressions.push("(concat a b)".to_owned());
            }
            if width < 128 {
                expressions.extend([format!("(zext w{} a)", width + 1), "(sext w128 a)".to_owned()]);
            }
            let (low, high) = (width / 3, width - 1 - width / 4);
            expressions.push(format!("(extract {high} {low} a)"));
            let system = system(&inputs, &expressions);
            (0..10).for_each(|_| check(&system, &mut rng));
        }
    }

    #[test]
    fn every_float_operator_is_the_evaluators() {
        let binary = ["add", "sub", "mul", "div", "eq", "lt", "le"];
        let unary = [
            "neg",
            "abs",
            "sqrt",
            "is-nan",
            "is-infinite",
            "to-bits",
            "round-nearest-even",
            "round-nearest-away",
            "round-zero",
            "round-up",
            "round-down",
        ];
        let mut rng = SmallRng::seed_from_u64(42);
        for (sort, bits, other) in [("f32", 32, "f64"), ("f64", 64, "f32")] {
            let inputs = [("a", sort), ("b", sort), ("w", &format!("w{bits}")), ("n", "w20")];
            let inputs = inputs.map(|(name, sort)| (name, sort.to_owned()));
            let mut expressions: Vec<String> = binary.iter().map(|op| format!("(float-{op} a b)")).collect();
            expressions.extend(unary.iter().map(|op| format!("(float-{op} a)")));
            expressions.extend([
                "(float-fma a b a)".to_owned(),
                format!("(float-from-bits {sort} w)"),
                format!("(float-convert {other} a)"),
                format!("(float-from-unsigned {sort} w)"),
                format!("(float-from-signed {sort} n)"),
                "(float-to-unsigned w13 a)".to_owned(),
                "(float-to-signed w64 a)".to_owned(),
            ]);
            if bits == 32 {
                expressions.extend(["fmod", "remainder"].map(|op| format!("(float-{op} a b)")));
            }
            let system = system(&inputs, &expressions);
            (0..10).for_each(|_| check(&system, &mut rng));
        }
    }

    #[test]
    fn deep_terms_need_no_stack() {
        let mut text = "system deep\ninput a w8\nlet t0 a\n".to_owned();
        for level in 1..20_000 {
            text += &format!("let t{level} (add (not t{}) 1)\n", level - 1);
        }
        let system = parsed(&(text + "output o t19999"));
        check(&system, &mut SmallRng::seed_from_u64(1));
    }
}
