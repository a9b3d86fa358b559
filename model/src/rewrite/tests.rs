//! Every rule by an example, and all rules against evaluation of random terms: exhaustively over
//! words of one to four bits, on boundary values for floats. The unrewritten terms come from the
//! pool's raw interning, so the two sides share nothing but the evaluator.

use super::*;
use crate::eval::Evaluator;
use crate::sort::{FloatFormat, Sort};
use crate::term::{RoundTo, SymbolId};
use crate::text::{parse, print_term};
use crate::value::Value;
use crate::visit::Transfer;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;

const DECLARATIONS: &str = "input p w1 input q w1 input r w1 input a w8 input b w8 input c w8 input m w4 input n w4 \
     input l w32 input x f32 input y f32 input d f64 input h w16 ";

/// The rewritten form of an expression, printed, with the pool that made it.
fn rewritten(expression: &str) -> (String, TermPool) {
    let system = parse(&format!("{DECLARATIONS} output o {expression}"))
        .unwrap_or_else(|error| panic!("{error} in {expression}"));
    let mut pool = TermPool::new();
    let mut transfer = Transfer::new();
    let mut copied = FxHashMap::default();
    let mut copy_symbol = |pool: &mut TermPool, symbol: SymbolId| {
        let symbol = *copied.entry(symbol).or_insert_with(|| {
            let old = system.terms.symbol(symbol);
            pool.fresh_symbol(&old.name, old.sort)
        });
        pool.symbol_term(symbol)
    };
    // All symbols first, so that ids follow the declarations.
    for input in system.inputs.values() {
        copy_symbol(&mut pool, input.symbol);
    }
    let root = transfer.copy(&system.terms, &mut pool, system.outputs[0].value, copy_symbol);
    (print_term(&pool, root, usize::MAX), pool)
}

/// Rule, expression, its rewritten form.
const EXAMPLES: &[(&str, &str, &str)] = &[
    ("fold_constants", "(add 3:w8 (ite true 4 5))", "7:w8"),
    ("apply_to_constant_branches", "(add (ite p 4:w8 9) 1)", "(ite p 5:w8 10:w8)"),
    ("apply_to_constant_branches", "(sub (ite p 4:w8 9) (ite p 1 3))", "(ite p 3:w8 6:w8)"),
    ("order_operands", "(add b a)", "(add a b)"),
    ("order_operands", "(xor 5 a)", "(xor a 5:w8)"),
    ("double_negation", "(not (not a))", "a"),
    ("negated_xor_constant", "(not (xor a 5))", "(xor a 250:w8)"),
    ("not_of_negative", "(not (neg a))", "(add a 255:w8)"),
    ("double_negative", "(neg (neg a))", "a"),
    ("negative_truth", "(neg p)", "p"),
    ("negative_difference", "(neg (sub a b))", "(sub b a)"),
    ("negative_complement", "(neg (not a))", "(add a 1:w8)"),
    ("negative_scaled", "(neg (mul a 3))", "(mul a 253:w8)"),
    ("negative_offset", "(neg (add a 3))", "(sub 253:w8 a)"),
    ("neutral_operand", "(or (and a 0xff) (xor 0 a))", "a"),
    ("same_operands", "(xor (and a a) (or a a))", "0:w8"),
    ("complement_operands", "(concat (and a (not a)) (or a (not a)))", "255:w16"),
    ("merge_constants", "(xor (xor a 5) 6)", "(xor a 3:w8)"),
    ("both_extended", "(or (zext w8 m) (zext w8 n))", "(zext w8 (or m n))"),
    ("both_extended", "(xor (sext w8 m) 0xfa)", "(sext w8 (xor m 10:w4))"),
    ("absorbing_operand", "(or (and a 0) (or b 0xff))", "255:w8"),
    ("contradiction", "(and (and p (not q)) (and q r))", "false"),
    ("contradiction", "(and (eq a 3) (and p (eq a 4)))", "false"),
    ("contradiction", "(or (ne a 3) (ne a 4))", "true"),
    ("both_negated", "(and (not a) (not b))", "(not (or a b))"),
    ("absorbed_operand", "(and a (or b a))", "a"),
    ("repeated_operand", "(or a (or a b))", "(or a b)"),
    ("reduced_operand", "(and a (or b (not a)))", "(and a b)"),
    ("reduced_negated_operand", "(and p (not (and p q)))", "(and p (not q))"),
    ("reduced_negated_operand", "(or p (not (or p q)))", "(or p (not q))"),
    ("implied_equality", "(and (eq a 3) (ne a 4))", "(eq a 3:w8)"),
    ("implied_equality", "(or (eq a 3) (ne a 4))", "(not (eq a 4:w8))"),
    ("contiguous_mask", "(and a 7)", "(zext w8 (extract 2 0 a))"),
    ("contiguous_mask", "(and a 0x38)", "(zext w8 (concat (extract 5 3 a) 0:w3))"),
    ("masked_extension", "(and (zext w8 m) 0xfa)", "(zext w8 (and m 10:w4))"),
    ("xor_all_ones", "(xor a 0xff)", "(not a)"),
    ("xor_negated", "(xor (not a) b)", "(not (xor a b))"),
    ("truth_sum", "(add p q)", "(xor p q)"),
    ("add_zero", "(add a 0)", "a"),
    ("add_constants", "(add (add a 3) 4)", "(add a 7:w8)"),
    ("add_constants", "(add (sub 3 a) 4)", "(sub 7:w8 a)"),
    ("add_negative", "(add a (neg b))", "(sub a b)"),
    ("add_same", "(add a a)", "(concat (extract 6 0 a) false)"),
    ("add_complement", "(add a (not a))", "255:w8"),
    ("add_complement", "(add (not a) 1)", "(neg a)"),
    ("add_difference", "(add b (sub a b))", "a"),
    ("add_sign_extended", "(add (sext w16 a) 1)", "(sext w16 (add (sext w9 a) 1:w9))"),
    ("truth_difference", "(sub p q)", "(xor p q)"),
    ("subtract_same", "(sub a a)", "0:w8"),
    ("subtract_constant", "(sub a 1)", "(add a 255:w8)"),
    ("subtract_from_zero", "(sub 0 a)", "(neg a)"),
    ("subtract_negative", "(sub a (neg b))", "(add a b)"),
    ("subtract_from_sum", "(sub (add a b) a)", "b"),
    ("subtract_from_sum", "(sub (sub a b) a)", "(neg b)"),
    ("subtract_sum", "(sub a (add b a))", "(neg b)"),
    ("subtract_sum", "(sub a (sub a b))", "b"),
    ("subtract_sum", "(sub 9 (add a 2))", "(sub 7:w8 a)"),
    ("subtract_sign_extended", "(sub (sext w16 a) (sext w16 b))", "(sext w16 (sub (sext w9 a) (sext w9 b)))"),
    ("truth_product", "(mul p q)", "(and p q)"),
    ("multiply_by_special", "(add (mul a 0) (add (mul b 1) (mul c -1)))", "(sub b c)"),
    ("multiply_by_power", "(mul a 8)", "(concat (extract 4 0 a) 0:w3)"),
    ("multiply_constants", "(mul (mul a 3) 5)", "(mul a 15:w8)"),
    ("multiply_constants", "(mul (neg a) 5)", "(mul a 251:w8)"),
    ("multiply_by_truth", "(mul (zext w8 p) a)", "(ite p a 0:w8)"),
    (
        "multiply_sign_extended",
        "(mul (sext w32 a) (sext w32 b))",
        "(sext w32 (mul (sext w16 a) (sext w16 b)))",
    ),
    ("truth_division", "(sdiv p q)", "(or p (not q))"),
    ("truth_division", "(urem p q)", "(and p (not q))"),
    ("remainder_of_same", "(or (urem a a) (srem 0 b))", "0:w8"),
    ("divide_by_special", "(udiv (urem a 0) (sdiv 1:w8 1))", "a"),
    ("divide_by_special", "(sdiv a 0)", "(ite (extract 7 7 a) 1:w8 255:w8)"),
    ("divide_by_special", "(srem a -3)", "(srem a 3:w8)"),
    ("unsigned_by_power", "(udiv a 4)", "(zext w8 (extract 7 2 a))"),
    ("unsigned_by_power", "(urem a 4)", "(zext w8 (extract 1 0 a))"),
    (
        "signed_of_nonnegative",
        "(sdiv (zext w32 a) (zext w32 b))",
        "(sext w32 (ite (eq b 0:w8) 511:w9 (zext w9 (udiv a b))))",
    ),
    ("signed_by_power", "(sdiv a 2)", "(sext w8 (extract 7 1 (add a (zext w8 (extract 7 7 a)))))"),
    ("divide_extended", "(urem (zext w32 a) (zext w32 m))", "(zext w32 (urem a (zext w8 m)))"),
    ("divide_extended", "(udiv (zext w32 a) 3)", "(zext w32 (udiv a 3:w8))"),
    ("divide_sign_extended", "(sdiv (sext w32 a) (sext w32 b))", "(sext w32 (sdiv (sext w9 a) (sext w9 b)))"),
    ("divide_sign_extended", "(sdiv (sext w32 a) 3)", "(sext w32 (sdiv a 3:w8))"),
    ("divide_sign_extended", "(srem (sext w32 a) (sext w32 b))", "(sext w32 (srem a b))"),
    ("truth_shift", "(or (shl p q) (ashr r q))", "(or r (and p (not q)))"),
    ("shift_by_constant", "(shl a 3)", "(concat (extract 4 0 a) 0:w3)"),
    ("shift_by_constant", "(lshr a 3)", "(zext w8 (extract 7 3 a))"),
    ("shift_by_constant", "(ashr a 9)", "(sext w8 (extract 7 7 a))"),
    ("shift_of_special", "(or (shl 0 a) (ashr 0xff a))", "255:w8"),
    ("shift_of_nonnegative", "(ashr (zext w8 m) a)", "(lshr (zext w8 m) a)"),
    ("shift_extended", "(lshr (zext w16 a) (zext w16 m))", "(zext w16 (lshr a (zext w8 m)))"),
    ("zeros_above", "(concat 0:w8 a)", "(zext w16 a)"),
    ("adjacent_extracts", "(concat (extract 7 3 a) (extract 2 0 a))", "a"),
    (
        "adjacent_extracts",
        "(concat (extract 7 3 a) (concat (extract 2 1 a) p))",
        "(concat (extract 7 1 a) p)",
    ),
    (
        "adjacent_extracts",
        "(concat (concat p (extract 6 3 a)) (extract 2 0 a))",
        "(concat p (extract 6 0 a))",
    ),
    ("adjacent_constants", "(concat 5:w4 (concat 3:w4 a))", "(concat 83:w8 a)"),
    ("adjacent_constants", "(concat (concat a 5:w4) 3:w4)", "(concat a 83:w8)"),
    ("extended_above", "(concat (sext w8 m) n)", "(sext w12 (concat m n))"),
    ("extract_all", "(extract 7 0 a)", "a"),
    ("extract_of_extract", "(extract 2 1 (extract 6 3 a))", "(extract 5 4 a)"),
    ("extract_of_concat", "(extract 9 6 (concat a b))", "(concat (extract 1 0 a) (extract 7 6 b))"),
    ("extract_of_extend", "(extract 9 6 (sext w16 a))", "(sext w4 (extract 7 6 a))"),
    ("extract_of_extend", "(extract 9 8 (zext w16 a))", "0:w2"),
    ("extract_of_branches", "(extract 7 0 (ite p 1000:w16 (ite q 3 5)))", "(ite p 232:w8 (ite q 3:w8 5:w8))"),
    (
        "extract_of_arithmetic",
        "(extract 7 0 (add (add (zext w32 a) (sext w32 b)) 300))",
        "(add (add a b) 44:w8)",
    ),
    ("extract_of_arithmetic", "(extract 3 0 (neg (zext w8 m)))", "(neg m)"),
    ("extend_extended", "(sext w32 (zext w16 a))", "(zext w32 a)"),
    ("constant_condition", "(ite (eq a a) b c)", "b"),
    ("same_branches", "(ite p a a)", "a"),
    ("negated_condition", "(ite (not p) a b)", "(ite p b a)"),
    ("truth_branches", "(ite p true q)", "(or p q)"),
    ("truth_branches", "(ite p q (not q))", "(not (xor p q))"),
    ("truth_branches", "(ite p (not p) q)", "(and q (not p))"),
    ("extended_condition", "(ite p 1:w8 0)", "(zext w8 p)"),
    ("extended_condition", "(ite p 0:w8 -1)", "(sext w8 (not p))"),
    ("decided_branch", "(ite p a (ite p b c))", "(ite p a c)"),
    ("join_conditions", "(ite p a (ite q a b))", "(ite (or p q) a b)"),
    ("join_conditions", "(ite p (ite q b a) b)", "(ite (and p (not q)) a b)"),
    ("equality_selects", "(ite (eq a b) a b)", "b"),
    ("extended_branches", "(ite p (zext w8 m) 9)", "(zext w8 (ite p m 9:w4))"),
    ("extended_branches", "(ite p (sext w8 m) -1)", "(sext w8 (ite p m 15:w4))"),
    ("equal_same", "(eq a a)", "true"),
    ("equal_truths", "(eq p false)", "(not p)"),
    ("equal_out_of_range", "(eq (zext w8 m) 16)", "false"),
    ("equal_extended", "(eq (zext w16 a) (zext w16 m))", "(eq a (zext w8 m))"),
    ("equal_extended", "(eq (sext w8 m) -1)", "(eq m 15:w4)"),
    ("equal_constant_moved", "(eq (add a 3) 5)", "(eq a 2:w8)"),
    ("equal_constant_moved", "(eq (sub 3 a) 5)", "(eq a 254:w8)"),
    ("equal_to_zero", "(eq (sub a b) 0)", "(eq a b)"),
    ("equal_to_zero", "(eq (or a b) 0)", "(and (eq a 0:w8) (eq b 0:w8))"),
    ("equal_negations", "(eq (neg a) (neg b))", "(eq a b)"),
    ("equal_never", "(eq a (not a))", "false"),
    ("equal_never", "(eq (add a b) (add c a))", "(eq b c)"),
    ("equal_never", "(eq (add a 3) a)", "false"),
    ("equal_concatenation", "(eq (concat m n) 0x35)", "(and (eq m 3:w4) (eq n 5:w4))"),
    ("compare_constant_branch", "(eq (ite p 3 a) 4)", "(and (eq a 4:w8) (not p))"),
    ("compare_constant_branch", "(eq (ite p a b) a)", "(or p (eq a b))"),
    ("less_same", "(ult a a)", "false"),
    ("less_truths", "(slt p q)", "(and p (not q))"),
    ("less_or_equal", "(ule a b)", "(not (ult b a))"),
    ("constant_less", "(ult 4 a)", "(not (ult a 5:w8))"),
    ("constant_less", "(slt 127 a)", "false"),
    ("less_extreme", "(ult a 1)", "(eq a 0:w8)"),
    ("less_extreme", "(slt a 0)", "(extract 7 7 a)"),
    ("less_extreme", "(slt a 127)", "(not (eq a 127:w8))"),
    ("less_extended", "(slt (zext w32 a) (zext w32 b))", "(ult a b)"),
    ("less_extended", "(slt (sext w32 a) 200)", "true"),
    ("less_extended", "(ult (zext w32 a) 200)", "(ult a 200:w8)"),
    ("less_constant_branch", "(ult (ite p 3 a) 9)", "(or p (ult a 9:w8))"),
    ("bits_round_trip", "(float-to-bits (float-from-bits f32 l))", "l"),
    ("bits_round_trip", "(float-from-bits f32 (float-to-bits x))", "x"),
    ("double_float_negation", "(float-neg (float-neg x))", "x"),
    ("absolute_of_sign_change", "(float-abs (float-neg x))", "(float-abs x)"),
    ("exact_conversion", "(float-convert f32 (float-sqrt x))", "(float-sqrt x)"),
    ("exact_conversion", "(float-convert f32 (float-convert f64 x))", "(float-convert f32 x)"),
    ("exact_conversion", "(float-convert f64 (float-from-signed f32 h))", "(float-from-signed f64 h)"),
    ("integer_round_trip", "(float-to-signed w32 (float-from-signed f32 h))", "(sext w32 h)"),
    ("round_integral", "(float-round-up (float-from-unsigned f32 h))", "(float-from-unsigned f32 h)"),
    ("classify_integer", "(float-is-nan (float-from-signed f32 h))", "false"),
    ("classify_integer", "(float-is-nan (float-neg x))", "(float-is-nan x)"),
    ("add_negated_float", "(float-add (float-neg x) y)", "(float-sub y x)"),
    ("add_negated_float", "(float-sub x (float-neg y))", "(float-add x y)"),
    ("neutral_float_operand", "(float-mul (float-sqrt x) 1)", "(float-sqrt x)"),
    ("compare_with_nan", "(float-lt x nan:f32)", "false"),
    ("compare_same_float", "(float-eq x x)", "(not (float-is-nan x))"),
    (
        "compare_integers",
        "(float-lt (float-from-signed f32 h) (float-from-signed f32 a))",
        "(slt h (sext w16 a))",
    ),
    ("compare_integers", "(float-le (float-from-unsigned f32 a) 10)", "(ult a 11:w8)"),
];

#[test]
fn every_rule_has_an_example() {
    for &(rule, expression, expected) in EXAMPLES {
        let (printed, pool) = rewritten(expression);
        assert_eq!(printed, expected, "{expression}");
        let hits = pool.rule_hits().into_iter().find(|entry| entry.0 == rule);
        assert!(hits.is_some_and(|(_, count)| count > 0), "{rule} does not apply to {expression}");
    }
    for name in NAMES {
        assert!(EXAMPLES.iter().any(|example| example.0 == *name), "{name} has no example");
    }
}

#[test]
fn patterns_of_c_collapse() {
    let table = [
        ("(ne (ite p 1:w32 0) 0)", "p"),
        ("(eq (ite (ult a b) 1:w32 0) 0)", "(not (ult a b))"),
        ("(ne (zext w32 (extract 7 0 (ite p 1:w32 0))) 0)", "p"),
        ("(eq (zext w32 (extract 7 0 (ite p 3:w32 (zext w32 a)))) 3)", "(or p (eq a 3:w8))"),
        ("(ne (and (ite p 1:w32 0) (ite q 1 0)) 0)", "(and p q)"),
        ("(extract 7 0 (add (zext w32 a) 1))", "(add a 1:w8)"),
        ("(extract 7 0 (ashr (zext w32 a) 3))", "(zext w8 (extract 7 3 a))"),
        ("(ne (and (zext w32 a) 8) 0)", "(extract 3 3 a)"),
        ("(extract 7 0 (sdiv (zext w32 a) 10))", "(udiv a 10:w8)"),
        ("(ite (eq a 3) 3 a)", "a"),
        ("(eq (ite (eq a 0) 1:w32 (ite (eq a 1) 2 0)) 2)", "(eq a 1:w8)"),
        ("(float-lt (float-convert f64 (float-from-signed f32 h)) 3)", "(slt h 3:w16)"),
    ];
    for (expression, expected) in table {
        assert_eq!(rewritten(expression).0, expected, "{expression}");
    }
}

/// Builds each term twice, raw and rewritten.
struct Twins {
    raw: TermPool,
    pool: TermPool,
    pairs: Vec<(TermId, TermId)>,
    rewritten: FxHashMap<TermId, TermId>,
    random: SmallRng,
}

impl Twins {
    fn new(sorts: &[Sort], seed: u64) -> Self {
        let mut twins = Self {
            raw: TermPool::new(),
            pool: TermPool::new(),
            pairs: Vec::new(),
            rewritten: FxHashMap::default(),
            random: SmallRng::seed_from_u64(seed),
        };
        for &sort in sorts {
            let symbols = (twins.raw.fresh_symbol("x", sort), twins.pool.fresh_symbol("x", sort));
            let raw = twins.raw.symbol_term(symbols.0);
            let term = twins.pool.symbol_term(symbols.1);
            twins.add(raw, term);
        }
        twins
    }

    fn add(&mut self, raw: TermId, term: TermId) {
        self.pairs.push((raw, term));
        self.rewritten.insert(raw, term);
    }

    /// Builds a node over raw terms in both pools.
    fn make(&mut self, node: Term) -> TermId {
        let sort = self.raw.sort_of(&node).expect("a random term should be well-sorted");
        let raw = self.raw.intern(node, sort);
        let term = self.pool.make(node.map_operands(|operand| self.rewritten[&operand]));
        self.add(raw, term);
        raw
    }

    fn constant(&mut self, value: Value) -> TermId {
        let (raw, term) = (self.raw.constant(value), self.pool.constant(value));
        self.add(raw, term);
        raw
    }

    /// A term built before, a late one rather than an early one.
    fn pick(&mut self) -> TermId {
        let count = self.pairs.len();
        let index = self.random.random_range(0..count).max(self.random.random_range(0..count));
        self.pairs[index].0
    }

    fn special_word(&mut self, width: u32) -> TermId {
        let random = self.random.random_range(0..1 << width.min(6));
        let choices = [0, 1, u128::MAX, 1 << (width - 1), (1 << (width - 1)) - 1, 2, random, random];
        let bits = choices[self.random.random_range(0..choices.len())];
        self.constant(Value::word(width, bits))
    }

    /// A word of the given width, made from one picked at random, or a constant.
    fn word(&mut self, width: u32) -> TermId {
        if self.random.random_range(0..4) == 0 {
            return self.special_word(width);
        }
        for _ in 0..6 {
            let picked = self.pick();
            if self.raw.width(picked) == width {
                return picked;
            }
        }
        let arg = self.pick();
        let old = self.raw.width(arg);
        match width.cmp(&old) {
            std::cmp::Ordering::Equal => arg,
            std::cmp::Ordering::Less => {
                let low = self.random.random_range(0..=old - width);
                self.make(Term::Extract { arg, high: (low + width - 1) as u8, low: low as u8 })
            }
            std::cmp::Ordering::Greater => {
                let signed = self.random.random();
                self.make(Term::Extend { arg, width: width as u8, signed })
            }
        }
    }

    fn random_word_node(&mut self, max_width: u32) -> TermId {
        use BinaryOp::*;
        const OPS: [BinaryOp; 18] =
            [And, Or, Xor, Add, Sub, Mul, UDiv, URem, SDiv, SRem, Shl, LShr, AShr, Eq, ULt, ULe, SLt, SLe];
        let lhs = self.pick();
        let width = self.raw.width(lhs);
        match self.random.random_range(0..15) {
            0 => self.make(Term::Unary { op: UnaryOp::Not, arg: lhs }),
            1 => self.make(Term::Unary { op: UnaryOp::Neg, arg: lhs }),
            2 | 3 => {
                let (condition, otherwise) = (self.word(1), self.word(width));
                let (then, otherwise) =
                    if self.random.random() { (lhs, otherwise) } else { (otherwise, lhs) };
                self.make(Term::Ite { condition, then, otherwise })
            }
            4 if width < max_width => {
                let width = self.random.random_range(width + 1..=max_width) as u8;
                let signed = self.random.random();
                self.make(Term::Extend { arg: lhs, width, signed })
            }
            5 => {
                let high = self.random.random_range(0..width as u8);
                let low = self.random.random_range(0..=high);
                self.make(Term::Extract { arg: lhs, high, low })
            }
            6 if width < max_width => {
                let rest = self.random.random_range(1..=max_width - width);
                let rhs = self.word(rest);
                self.make(Term::Binary { op: Concat, lhs, rhs })
            }
            7 => self.related_node(lhs),
            8 => self.repeated_node(lhs),
            _ => {
                let rhs = self.word(width);
                let op = OPS[self.random.random_range(0..OPS.len())];
                let (lhs, rhs) = if self.random.random() { (lhs, rhs) } else { (rhs, lhs) };
                self.make(Term::Binary { op, lhs, rhs })
            }
        }
    }

    /// Operands that have a part in common, as many rules want them.
    fn related_node(&mut self, a: TermId) -> TermId {
        use BinaryOp::*;
        const INNER: [BinaryOp; 6] = [And, Or, Add, Sub, Xor, Eq];
        let width = self.raw.width(a);
        let b = self.word(width);
        let inner = INNER[self.random.random_range(0..INNER.len())];
        let negated_a = match self.random.random_range(0..3) {
            0 => self.make(Term::Unary { op: UnaryOp::Not, arg: a }),
            1 => self.make(Term::Unary { op: UnaryOp::Neg, arg: a }),
            _ => a,
        };
        let mut compound = self.make(Term::Binary { op: inner, lhs: negated_a, rhs: b });
        if self.random.random() {
            compound = self.make(Term::Unary { op: UnaryOp::Not, arg: compound });
        }
        if inner == Eq {
            let c = self.word(width);
            let other = self.make(Term::Binary { op: Eq, lhs: a, rhs: c });
            let op = [And, Or, Xor][self.random.random_range(0..3)];
            let joined = self.make(Term::Binary { op, lhs: compound, rhs: other });
            let (then, otherwise) = if self.random.random() { (a, b) } else { (b, a) };
            return self.make(Term::Ite { condition: joined, then, otherwise });
        }
        let outer = [And, Or, Add, Sub, Eq, Xor][self.random.random_range(0..6)];
        let (lhs, rhs) = if self.random.random() { (a, compound) } else { (compound, a) };
        self.make(Term::Binary { op: outer, lhs, rhs })
    }

    /// An operator applied twice: with constants, to both sides, or to neighbouring bits.
    fn repeated_node(&mut self, a: TermId) -> TermId {
        use BinaryOp::*;
        let width = self.raw.width(a);
        let b = self.word(width);
        let unary = if self.random.random() { UnaryOp::Not } else { UnaryOp::Neg };
        match self.random.random_range(0..5) {
            0 => {
                let op = [Mul, Mul, Mul, And, Or, Xor, Add, Sub][self.random.random_range(0..8)];
                let (k1, k2) = (self.special_word(width), self.special_word(width));
                let mut inner = self.make(Term::Binary { op, lhs: a, rhs: k1 });
                if self.random.random() {
                    inner = self.make(Term::Unary { op: unary, arg: inner });
                }
                self.make(Term::Binary { op, lhs: inner, rhs: k2 })
            }
            1 => {
                let lhs = self.make(Term::Unary { op: unary, arg: a });
                let rhs = self.make(Term::Unary { op: unary, arg: b });
                self.make(Term::Binary { op: Eq, lhs, rhs })
            }
            2 => {
                let condition = self.make(Term::Binary { op: Eq, lhs: a, rhs: b });
                let (then, otherwise) = if self.random.random() { (a, b) } else { (b, a) };
                self.make(Term::Ite { condition, then, otherwise })
            }
            3 => {
                let difference = self.make(Term::Binary { op: Sub, lhs: a, rhs: b });
                let op = [Add, Sub][self.random.random_range(0..2)];
                let rhs = if self.random.random() { a } else { b };
                self.make(Term::Binary { op, lhs: difference, rhs })
            }
            _ if width >= 3 => {
                let border = self.random.random_range(1..width as u8 - 1);
                let top = self.make(Term::Extract { arg: a, high: width as u8 - 1, low: border + 1 });
                let middle = self.make(Term::Extract { arg: a, high: border, low: 1 });
                let joined = self.make(Term::Binary { op: Concat, lhs: top, rhs: middle });
                let bottom = self.make(Term::Extract { arg: a, high: 0, low: 0 });
                self.make(Term::Binary { op: Concat, lhs: joined, rhs: bottom })
            }
            _ => a,
        }
    }

    fn compare(&mut self, assignments: impl Iterator<Item = Vec<Value>>) {
        let mut raw = Evaluator::new(&self.raw, self.pairs.iter().map(|pair| pair.0));
        let mut rewritten = Evaluator::new(&self.pool, self.pairs.iter().map(|pair| pair.1));
        for values in assignments {
            raw.run(|symbol| values[symbol.index()]);
            rewritten.run(|symbol| values[symbol.index()]);
            for (position, pair) in self.pairs.iter().enumerate() {
                assert_eq!(
                    raw.value(position),
                    rewritten.value(position),
                    "{} became {} under {values:?}",
                    print_term(&self.raw, pair.0, 6),
                    print_term(&self.pool, pair.1, 6),
                );
            }
        }
    }
}

/// All values of some words, at most 16 bits together.
fn all_assignments(sorts: &[Sort]) -> impl Iterator<Item = Vec<Value>> {
    let total: u32 = sorts.iter().map(|sort| sort.width()).sum();
    (0..1u128 << total).map(move |mut bits| {
        let value = |sort: &Sort| {
            let value = Value::new(*sort, bits);
            bits >>= sort.width();
            value
        };
        sorts.iter().map(value).collect()
    })
}

fn add_hits(totals: &mut Vec<(&'static str, u64)>, pool: &TermPool) {
    if totals.is_empty() {
        *totals = pool.rule_hits();
        return;
    }
    for (total, hits) in totals.iter_mut().zip(pool.rule_hits()) {
        total.1 += hits.1;
    }
}

/// Rules that speak about floats are tested apart.
fn is_float_rule(name: &str) -> bool {
    let first = FLOAT_UNARY[0].0 as usize;
    NAMES[first..].contains(&name)
}

/// A rule that random terms hardly ever hit is not tested by them.
fn assert_all_hit(totals: &[(&'static str, u64)]) {
    let rare: Vec<_> = totals.iter().filter(|total| total.1 < 10).collect();
    assert!(rare.is_empty(), "some rules were applied a few times only: {rare:?}");
}

#[test]
fn rewriting_keeps_all_values_of_small_words() {
    let mut totals = Vec::new();
    let mut random = SmallRng::seed_from_u64(1);
    for seed in 0..4000 {
        let widths = [random.random_range(1..=4), random.random_range(1..=3), 1];
        let sorts = widths.map(Sort::word);
        let mut twins = Twins::new(&sorts, seed);
        let max_width = random.random_range(4..=12);
        while twins.pairs.len() < 60 {
            twins.random_word_node(max_width);
        }
        twins.compare(all_assignments(&sorts));
        assert_eq!(twins.pool.rewriting.cut(), 0, "rewriting should end by itself");
        add_hits(&mut totals, &twins.pool);
    }
    totals.retain(|total| !is_float_rule(total.0));
    assert_all_hit(&totals);
}

#[test]
fn rewriting_keeps_values_of_wide_words() {
    let mut random = SmallRng::seed_from_u64(2);
    for seed in 0..300 {
        let sorts = [8, 16, 32, 64, 128, 1].map(Sort::word);
        let mut twins = Twins::new(&sorts, seed);
        while twins.pairs.len() < 80 {
            twins.random_word_node(128);
        }
        let assignments: Vec<Vec<Value>> = (0..60)
            .map(|_| {
                let value = |&sort: &Sort| match random.random_range(0..3) {
                    0 => Value::new(sort, random.random()),
                    1 => Value::new(sort, random.random_range(0..4)),
                    _ => Value::new(sort, u128::MAX >> random.random_range(0..128)),
                };
                sorts.iter().map(value).collect()
            })
            .collect();
        twins.compare(assignments.into_iter());
        assert_eq!(twins.pool.rewriting.cut(), 0, "rewriting should end by itself");
    }
}

impl Twins {
    /// A float of the format, made from a term picked at random, or a constant.
    fn float(&mut self, format: FloatFormat) -> TermId {
        if self.random.random_range(0..5) == 0 {
            let numbers = [0.0, -0.0, 1.0, -1.0, 3.0, 2.5, f64::NAN, f64::INFINITY, 1e6];
            let number = numbers[self.random.random_range(0..numbers.len())];
            return self.constant(match format {
                FloatFormat::Single => Value::single(number as f32),
                FloatFormat::Double => Value::double(number),
            });
        }
        let arg = self.pick();
        let op = match self.raw.sort(arg) {
            Sort::Float(found) if found == format => return arg,
            Sort::Float(_) => UnaryOp::FloatConvert(format),
            Sort::Word(width) if u32::from(width) == format.width() => UnaryOp::FloatFromBits(format),
            Sort::Word(_) if self.random.random() => UnaryOp::FloatFromSigned(format),
            Sort::Word(_) => UnaryOp::FloatFromUnsigned(format),
        };
        self.make(Term::Unary { op, arg })
    }

    fn random_float_node(&mut self) -> TermId {
        use BinaryOp::*;
        const OPS: [BinaryOp; 9] =
            [FloatAdd, FloatSub, FloatMul, FloatDiv, FloatFmod, FloatRemainder, FloatEq, FloatLt, FloatLe];
        let format = if self.random.random() { FloatFormat::Single } else { FloatFormat::Double };
        let mut arg = self.float(format);
        if self.random.random_range(0..6) == 0 {
            let op = if self.random.random() { UnaryOp::FloatNeg } else { UnaryOp::FloatAbs };
            arg = self.make(Term::Unary { op, arg });
        }
        let to = [RoundTo::NearestEven, RoundTo::NearestAway, RoundTo::Zero, RoundTo::Up, RoundTo::Down];
        let unary = [
            UnaryOp::FloatNeg,
            UnaryOp::FloatAbs,
            UnaryOp::FloatSqrt,
            UnaryOp::FloatToBits,
            UnaryOp::FloatIsNan,
            UnaryOp::FloatIsInfinite,
            UnaryOp::FloatRound(to[self.random.random_range(0..to.len())]),
            UnaryOp::FloatConvert(FloatFormat::Single),
            UnaryOp::FloatConvert(FloatFormat::Double),
            UnaryOp::FloatToSigned(self.random.random_range(1..=64)),
            UnaryOp::FloatToUnsigned(self.random.random_range(1..=64)),
        ];
        match self.random.random_range(0..8) {
            0 => {
                let (b, c) = (self.float(format), self.float(format));
                self.make(Term::FloatFma { a: arg, b, c })
            }
            1 => {
                let condition = self.pick();
                let condition = match self.raw.sort(condition) {
                    Sort::TRUTH => condition,
                    _ => self.constant(Value::truth(true)),
                };
                let otherwise = self.float(format);
                self.make(Term::Ite { condition, then: arg, otherwise })
            }
            2..=4 => {
                let rhs = if self.random.random_range(0..8) == 0 { arg } else { self.float(format) };
                let op = OPS[self.random.random_range(0..OPS.len())];
                self.make(Term::Binary { op, lhs: arg, rhs })
            }
            _ => {
                let op = unary[self.random.random_range(0..unary.len())];
                self.make(Term::Unary { op, arg })
            }
        }
    }
}

fn boundary_float(format: FloatFormat, random: &mut SmallRng) -> Value {
    let singles =
        [0.0, -0.0, 1.0, -1.5, 0.5, 2.5, f32::MAX, f32::MIN_POSITIVE, 1e-45, 1.677_721_7e7, -2.0e9, 3e38];
    let pick = random.random_range(0..singles.len() + 4);
    let special = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let sort = Sort::Float(format);
    match (singles.get(pick), format) {
        (Some(&number), FloatFormat::Single) => Value::single(number),
        (Some(&number), FloatFormat::Double) => Value::double(number.into()),
        (None, _) if random.random() => Value::new(sort, random.random()),
        (None, FloatFormat::Single) => match random.random_range(0..4) {
            3 => Value::new(sort, 0xffc0_1234),
            index => Value::single(special[index] as f32),
        },
        (None, FloatFormat::Double) => match random.random_range(0..4) {
            3 => Value::new(sort, 0x7ff8_0000_dead_beef),
            index => Value::double(special[index]),
        },
    }
}

#[test]
fn rewriting_keeps_values_of_floats() {
    let mut totals = Vec::new();
    let mut random = SmallRng::seed_from_u64(4);
    let sorts = [
        Sort::Float(FloatFormat::Single),
        Sort::Float(FloatFormat::Double),
        Sort::word(8),
        Sort::word(24),
        Sort::word(32),
        Sort::word(64),
        Sort::word(1),
    ];
    for seed in 0..1500 {
        let mut twins = Twins::new(&sorts, seed);
        while twins.pairs.len() < 60 {
            twins.random_float_node();
        }
        let assignments: Vec<Vec<Value>> = (0..40)
            .map(|_| {
                let value = |&sort: &Sort| match sort {
                    Sort::Float(format) => boundary_float(format, &mut random),
                    Sort::Word(_) => Value::new(sort, random.random::<u128>() >> random.random_range(0..128)),
                };
                sorts.iter().map(value).collect()
            })
            .collect();
        twins.compare(assignments.into_iter());
        assert_eq!(twins.pool.rewriting.cut(), 0, "rewriting should end by itself");
        add_hits(&mut totals, &twins.pool);
    }
    totals.retain(|total| is_float_rule(total.0));
    assert_all_hit(&totals);
}

#[test]
fn long_chains_neither_recurse_nor_blow_up() {
    let mut pool = TermPool::new();
    let mode = pool.fresh_symbol("mode", Sort::word(8));
    let mode = pool.symbol_term(mode);
    let mut chain = mode;
    for index in 0..5000 {
        let condition = pool.fresh_symbol("c", Sort::TRUTH);
        let condition = pool.symbol_term(condition);
        let constant = pool.word(8, index % 200);
        chain = pool.ite(condition, constant, chain);
    }
    let before = pool.len();
    for bits in 0..200 {
        let constant = pool.word(8, bits);
        pool.equal(chain, constant);
    }
    assert!(pool.len() - before < 200 * 4 * MAX_NESTING as usize);
}
