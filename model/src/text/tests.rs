//! Round trips, sugar, and the message of every kind of error.

use super::*;
use crate::id::Id;
use crate::sort::{FloatFormat, Sort};
use crate::system::{InputRole, TransitionSystem};
use crate::term::{RoundTo, TermPool, UnaryOp};
use crate::value::Value;

fn round_trip(text: &str) -> TransitionSystem {
    let system = parse(text).expect("the text should parse");
    let printed = print(&system);
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error} in\n{printed}"));
    assert_eq!(print(&again), printed);
    again
}

#[test]
fn systems_print_as_they_are_read() {
    let text = r#"system cruise
initial-input k w8 choice
initial-assume (ult k 9:w8) origin 3
input gas w1
input drift w3 choice
input wave f32 choice
input angle f32
state speed w8 init k
  next (ite gas (add speed 1:w8) speed)
state |odd name| w1 init false
  next (not |odd name|)
state level f32 init 0.1:f32
  next (float-add level 0x7fc00001:f32)
let %1 (eq speed 3:w8)
output lamp (or %1 gas)
assume (or gas (eq drift 0:w3))
invariant %1 text "a \"quoted\"\nline" origin 0
goal p1 steps 2 requirement "R-1" text "speeds up" origin 7
  when (and %1 (eq speed@1 4:w8))
  expect (eq speed@2 5:w8)
goal p2 steps 1
  when %1
end (eq speed 0:w8)
hazard "overflow" (eq speed 255:w8) modelled
hazard "shift" (eq speed 254:w8)
call sinf wave level origin 3
call atan2f angle (float-neg level) with level
"#;
    let system = round_trip(text);
    assert_eq!(print(&system), text);
    assert_eq!(system.inputs[Id::new(1)].role, InputRole::Choice);
    assert_eq!(system.goals.values().next().map(|goal| goal.origin), Some(Some(Id::new(7))));
}

#[test]
fn sugar_prints_in_full() {
    let check = |expression: &str, printed: &str| {
        let text = format!("input a w8 input b w8 input p w1 input x f32 output o {expression}");
        let system = round_trip(&text);
        assert_eq!(print(&system).lines().last(), Some(format!("output o {printed}").as_str()));
    };
    let table = [
        ("(eq a 5)", "(eq a 5:w8)"),
        ("(eq 0x1f a)", "(eq 31:w8 a)"),
        ("(eq (add 1 a) -1)", "(eq (add 1:w8 a) 255:w8)"),
        ("(ite p 1 a)", "(ite p 1:w8 a)"),
        ("(add 1 2 a)", "(add (add 1:w8 2:w8) a)"),
        ("(and p true (ne a b))", "(and (and p true) (not (eq a b)))"),
        ("(implies p (ugt a b))", "(or (not p) (ult b a))"),
        ("(and (uge a b) (sgt a 1) (sge b -128))", "(and (and (ule b a) (slt 1:w8 a)) (sle 128:w8 b))"),
        ("(concat a 3:w2 p)", "(concat (concat a 3:w2) p)"),
        ("(zext w16 (extract 3 1 a))", "(zext w16 (extract 3 1 a))"),
        ("(float-lt x 1)", "(float-lt x 1.0:f32)"),
        ("(float-fma x -inf:f32 nan:f32)", "(float-fma x 0xff800000:f32 0x7fc00000:f32)"),
        ("(float-convert f64 (float-from-signed f32 a))", "(float-convert f64 (float-from-signed f32 a))"),
        (
            "(float-to-unsigned w8 (float-from-bits f32 1:w32))",
            "(float-to-unsigned w8 (float-from-bits f32 1:w32))",
        ),
    ];
    for (expression, printed) in table {
        check(expression, printed);
    }
}

#[test]
fn every_operator_round_trips() {
    let mut pool = TermPool::new();
    let word = pool.fresh_symbol("a", Sort::word(32));
    let float = pool.fresh_symbol("x", Sort::Float(FloatFormat::Single));
    let (word, float) = (pool.symbol_term(word), pool.symbol_term(float));
    let formats = [FloatFormat::Single, FloatFormat::Double];
    let mut unary =
        vec![UnaryOp::Not, UnaryOp::Neg, UnaryOp::FloatToBits, UnaryOp::FloatNeg, UnaryOp::FloatAbs];
    unary.extend([UnaryOp::FloatSqrt, UnaryOp::FloatIsNan, UnaryOp::FloatIsInfinite]);
    let to = [RoundTo::NearestEven, RoundTo::NearestAway, RoundTo::Zero, RoundTo::Up, RoundTo::Down];
    unary.extend(to.map(UnaryOp::FloatRound));
    unary.extend([UnaryOp::FloatFromBits(FloatFormat::Single)]);
    unary.extend(formats.map(UnaryOp::FloatConvert));
    unary.extend(formats.map(UnaryOp::FloatFromSigned));
    unary.extend(formats.map(UnaryOp::FloatFromUnsigned));
    unary.extend([UnaryOp::FloatToSigned(7), UnaryOp::FloatToUnsigned(64)]);
    for op in unary {
        let arg = if op.result(pool.sort(word)).is_some() { word } else { float };
        let term = pool.unary(op, arg);
        let text = print_term(&pool, term, 9);
        let system = parse(&format!("input a w32 input x f32 output o {text}")).expect("a term should parse");
        assert_eq!(print_term(&system.terms, system.outputs[0].value, 9), text);
    }
}

#[test]
fn large_terms_are_cut_into_named_parts() {
    let mut system = TransitionSystem::default();
    let input = system.add_input("x", Sort::word(8), InputRole::Stimulus);
    let mut term = system.input_term(input);
    for constant in 0..5000 {
        let constant = system.terms.word(8, constant % 7 + 1);
        let sum = system.terms.binary(crate::term::BinaryOp::Add, term, constant);
        term = system.terms.binary(crate::term::BinaryOp::Xor, sum, term);
    }
    system.outputs.push(crate::system::Output { name: "o".to_owned(), value: term });
    let printed = print(&system);
    assert!(printed.lines().all(|line| line.len() < 1000));
    let again = parse(&printed).expect("printed text should parse");
    assert_eq!(print(&again), printed);
    let value = |system: &TransitionSystem| {
        crate::eval::evaluate(&system.terms, system.outputs[0].value, |_| Value::word(8, 77))
    };
    assert_eq!(value(&again), value(&system));
}

#[test]
fn errors_name_line_and_problem() {
    let table = [
        ("input a w8\noutput o (add a", "line 2: unmatched parenthesis"),
        ("input a w8)", "line 1: unmatched parenthesis"),
        ("\ninvariant true text \"open", "line 2: missing closing \""),
        ("input |open w8", "line 1: missing closing |"),
        ("input a w8 speed", "line 1: expected a statement, found `speed`"),
        ("input a", "line 1: `input` is not complete"),
        ("input a w129", "line 1: expected a sort, found `w129`"),
        ("input a w8\n\nstate a w8", "line 3: `a` is declared twice"),
        ("output o b", "line 1: `b` is not declared"),
        ("output o 5", "line 1: the sort of `5` is not determined; write `5:w8` or the like"),
        ("output o 256:w8", "line 1: `256:w8` is no constant of sort w8"),
        ("output o -129:w8", "line 1: `-129:w8` is no constant of sort w8"),
        ("output o 0x1ffffffff:f32", "line 1: `0x1ffffffff:f32` is no constant of sort f32"),
        ("input a w8 output o\n(add a 1:w4)", "line 2: expected a term of sort w8, found one of sort w4"),
        ("input a w8 assume a", "line 1: expected a term of sort w1, found one of sort w8"),
        ("input a w8 output o (frob a)", "line 1: `frob` is no operator"),
        ("input a w8 output o (eq a a a)", "line 1: `eq` does not take 3 operands"),
        ("input a w8 output o (not a a)", "line 1: `not` does not take 2 operands"),
        ("input a w8 output o (extract 8 0 a)", "line 1: `extract` does not take operands of sort w8"),
        ("input a w8 output o (zext w8 a)", "line 1: `zext` does not take operands of sort w8"),
        ("input x f32 output o (add x x)", "line 1: `add` does not take operands of sort f32, f32"),
        (
            "input x f32 output o (float-convert w8 x)",
            "line 1: expected a sort that fits the conversion, found `w8`",
        ),
        ("goal g steps 1", "line 1: `when` is missing"),
        ("goal g when true when true", "line 1: `when` is written twice"),
        ("goal g steps x when true", "line 1: expected a number, found `x`"),
        ("input a w8 let b a output o b@1@2", "line 1: `b@1` is not declared"),
        (
            "input a w8 let b (not a) output o b@1",
            "line 1: expected a state or input before `@`, found `b@1`",
        ),
        ("end true end true", "line 1: `end` is declared twice"),
        ("output o ()", "line 1: expected an operator, found `( ... )`"),
        ("input 5 w8", "line 1: expected a name, found `5`"),
    ];
    for (text, message) in table {
        let error = parse(text).map(|system| print(&system)).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
}

#[test]
fn deep_nesting_is_refused() {
    let text = format!("input a w8 output o {}a{}", "(not ".repeat(300), ")".repeat(300));
    assert_eq!(parse(&text).err().map(|error| error.problem), Some(Problem::TooDeep));
}

#[test]
fn any_prefix_of_a_text_is_read_or_refused_without_panic() {
    let text = "system s input a w8 choice state |x y| w8 init -1 next (ite (eq a 0x3:w8) 1 |x y|) \
                goal g steps 2 text \"t\\\"\" when (eq |x y|@1 a@1) expect true ; done\nend (ult a 5)";
    for end in 0..=text.len() {
        let _ = parse(&text[..end]);
        let _ = parse(&text[end..]);
    }
}

#[test]
fn random_systems_round_trip() {
    let mut random = <rand::rngs::SmallRng as rand::SeedableRng>::seed_from_u64(6);
    for _ in 0..200 {
        let system = crate::testing::random_system(&mut random);
        let printed = print(&system);
        let again = parse(&printed).unwrap_or_else(|error| panic!("{error} in\n{printed}"));
        assert_eq!(print(&again), printed);
        let trace = crate::testing::random_trace(&system, 4, &mut random);
        let replay = |system| {
            let valid = crate::validate::validate(system).expect("a random system is well-formed");
            crate::trace::replay(&valid, &trace)
        };
        assert_eq!(replay(again), replay(system));
    }
}
