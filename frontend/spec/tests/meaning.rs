//! What expressions mean: tables against values worked out by hand, and random expressions whose
//! terms are evaluated by the model.

use crate::random;
use crate::support::{self, Bench};
use model::eval::Evaluator;
use model::term::TermPool;
use model::value::Value as Word;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use spec::check::Checker;
use spec::evaluate::evaluate;
use spec::fit::{Fit, fit};
use spec::language::CONTRACTS;
use spec::lower::Lowering;
use spec::scope::VariableId;
use spec::typed::Expr;
use spec::types::Type;
use spec::value::Value;

const VARIABLES: &str = "
    p, q : bool
    k : 0..2
    n : -5..9
    z : 0..0
    w : 1000000..1000007
    h : -2..2 step 0.5
    t : 0..1 step 0.1
    s : {0, 2, 4}
    m : Mode
    a, b : u8
    c, d : i8
    l : u64
    g : i64
    f, e : f32
    y : f64
    v : -85070591730234615865843651857942052864..85070591730234615865843651857942052863
    u : 0..170141183460469231731687303715884105727";

#[test]
fn constants_fold_to_exact_values() {
    let table = [
        ("1 + 2 * 3", "7"),
        ("7 div 2", "3"),
        ("-7 div 2", "-4"),
        ("7 div -2", "-3"),
        ("-7 div -2", "4"),
        ("-7 mod 2", "1"),
        ("7 mod -2", "1"),
        ("-7 mod -2", "1"),
        ("0.1 + 0.2", "0.3"),
        ("0.1 + 0.2 = 0.3", "true"),
        ("1 / 3", "1/3"),
        ("1 / 3 * 3", "1"),
        ("7.5 div 2", "3"),
        ("7.5 mod 2", "1.5"),
        ("-0.5", "-0.5"),
        ("abs(-3) + min(4, 2, 3) - max(1, 5)", "0"),
        ("count(true, false, true)", "2"),
        ("wrap(u8, 300)", "44"),
        ("wrap(i8, 200)", "-56"),
        ("clamp(u8, 300)", "255"),
        ("clamp(-2..2 step 0.5, 7)", "2"),
        ("wrap(u8, 200) + 100", "44"),
        ("wrap(i8, -128) div -1", "-128"),
        ("wrap(i8, -7) div 2", "-3"),
        ("wrap(i8, -7) mod 2", "-1"),
        ("bitand(wrap(u8, 12), 10)", "8"),
        ("bitxor(wrap(u8, 12), 10)", "6"),
        ("bitnot(wrap(u8, 0))", "255"),
        ("shl(wrap(u8, 129), 1)", "2"),
        ("shr(wrap(i8, -128), 9)", "-1"),
        ("shr(wrap(u8, 128), 7)", "1"),
        ("3 in 1..5 and 3 in {2, 3}", "true"),
        ("1 < 2 <= 2", "true"),
        ("true -> false", "false"),
        ("true xor true <-> false", "true"),
        ("if 1 < 2 then 0.5 else 3", "0.5"),
        ("170141183460469231731687303715884105727", "170141183460469231731687303715884105727"),
    ];
    let bench = Bench::new(VARIABLES);
    for (text, expected) in table {
        let expr = bench.checked(text);
        let value = expr.as_constant().unwrap_or_else(|| panic!("`{text}` should be constant"));
        assert_eq!(value.to_string(), expected, "{text}");
        assert!(expr.ty().contains(value), "{text}: {value} is none of {}", expr.ty());
    }
}

#[test]
fn ranges_follow_from_operands() {
    let table = [
        ("k + n", "-5..11"),
        ("k - n", "-9..7"),
        ("k * n", "-10..18"),
        ("n div k", "-5..9"),
        ("n div (k - 1)", "-9..9"),
        ("n mod k", "0..1"),
        ("k mod 100", "0..2"),
        ("abs(n)", "0..9"),
        ("-h", "-2..2 step 0.5"),
        ("h + t", "-2..3 step 0.1"),
        ("h * h", "-4..4 step 0.25"),
        ("k / 4", "0..0.5 step 0.25"),
        ("min(k, n)", "-5..2"),
        ("if p then k else 7", "0..7"),
        ("s + 0", "0..4"),
        ("s", "{0, 2, 4}"),
        ("a + 1", "u8"),
        ("f * 0.1", "f32"),
        ("count(p, q, p)", "0..3"),
        ("rises(p)", "bool"),
        ("clamp(0..5, n)", "0..5"),
    ];
    let bench = Bench::new(VARIABLES);
    for (text, expected) in table {
        let expr = bench.checked(text);
        assert_eq!(expr.ty().to_string(), expected, "{text}");
    }
}

/// The least number of 128 bits has no negation of 128 bits.
#[test]
fn the_ends_of_128_bits_are_no_traps() {
    const MAX: &str = "170141183460469231731687303715884105727";
    let least = format!("(-{MAX} - 1)");
    let bench = Bench::new(
        "x : 0..1 v : -170141183460469231731687303715884105727 - 1..170141183460469231731687303715884105727",
    );
    let table = [
        ("LEAST", Some("-170141183460469231731687303715884105728")),
        ("LEAST mod -1", Some("0")),
        ("LEAST * 0.5", Some("-85070591730234615865843651857942052864")),
        ("LEAST / 2", Some("-85070591730234615865843651857942052864")),
        ("LEAST = LEAST and LEAST < 0", Some("true")),
        ("min(LEAST, MAX) = LEAST", Some("true")),
        ("wrap(i64, LEAST + 3)", Some("3")),
        ("clamp(u8, LEAST)", Some("0")),
        ("LEAST in LEAST..MAX", Some("true")),
        ("LEAST div -1", None),
        ("-LEAST", None),
        ("abs(LEAST)", None),
        ("LEAST - 1", None),
        ("LEAST + 0.5", None),
        ("1 / LEAST", None),
        ("LEAST * LEAST", None),
        ("0.0000000000000000001 * 0.0000000000000000001 * 0.1", None),
        ("v + x", None),
        ("-v", None),
        ("abs(v)", None),
        ("v * x", Some("-")),
        ("v div (x + 1)", Some("-")),
        ("v mod (x - 3)", Some("-")),
        ("v mod v", Some("-")),
        ("max(v, x)", Some("-")),
        ("if x = 1 then v else x", Some("-")),
        ("clamp(0..1 step 0.5, v)", None),
        ("wrap(i8, v)", Some("-")),
        ("v < x and v = LEAST or v in {LEAST, MAX}", Some("-")),
    ];
    let mut random = SmallRng::seed_from_u64(7);
    for (text, expected) in table {
        let text = text.replace("LEAST", &least).replace("MAX", MAX);
        let expr = bench.try_checked(&text);
        assert_eq!(expr.is_some(), expected.is_some(), "{text}");
        let Some(expr) = expr else { continue };
        let shown = expr.as_constant().map_or_else(|| "-".to_owned(), ToString::to_string);
        assert_eq!(Some(shown.as_str()), expected, "{text}");
        let lowered = Lowered::new(&bench, &expr, &mut random);
        assert!((0..100).filter(|_| lowered.compare(&bench, &text, &mut random)).count() > 40, "{text}");
    }
}

/// Values of floats against the compiler's own reading of decimals.
#[test]
fn literals_round_to_the_nearest_float() {
    let bench = Bench::new(VARIABLES);
    let texts = [
        "0.1",
        "0.5",
        "16777217",
        "16777219",
        "3.4028235677973366",
        "1.00000005960464477540",
        "0.000000000000000000000001",
        "340282356779733661637539395458142568447",
        "170141183460469231731687303715884105727",
        "4503599627370497.5",
        "9007199254740993",
    ];
    for text in texts {
        for (variable, bits) in [
            ("f", u64::from(text.parse::<f32>().expect("a float").to_bits())),
            ("y", text.parse::<f64>().expect("a float").to_bits()),
        ] {
            let target = bench.ty(variable);
            let Some(expr) = bench.assigned(text, &target) else { continue };
            let Some(Value::Float(_, found)) = expr.as_constant() else { panic!("{text} should be a float") };
            assert_eq!(*found, bits, "{text} for {variable}");
        }
    }
}

#[test]
fn undefined_operands_count_only_where_they_matter() {
    let table = [
        ("6 div k = 2", None),
        ("k != 0 and 6 div k = 2", Some(false)),
        ("k = 0 or 6 div k = 2", Some(true)),
        ("k != 0 -> 6 div k = 2", Some(true)),
        ("6 div k = 2 and k != 0", None),
        ("if k = 0 then true else 6 div k = 2", Some(true)),
        ("count(k = 0, 6 div k = 2) = 1", None),
        ("6 div k = 2 xor true", None),
        ("f / 0.0 = f / 0.0", Some(false)),
        ("a div (a - a) = 1", None),
        ("0 < 6 mod k < 3", None),
        ("k' in {6 div (k + 1)}", Some(false)),
    ];
    let bench = Bench::new(VARIABLES);
    for (text, expected) in table {
        let expr = bench.checked(text);
        let zero = |variable: VariableId, _| support::first_value(&bench.scope.variable(variable).ty);
        assert_eq!(evaluate(&expr, &zero), expected.map(Value::Bool), "{text}");
        let defined = evaluate(&expr.defined(), &zero);
        assert_eq!(defined, Some(Value::Bool(expected.is_some())), "{text}");
    }
}

/// Terms of random expressions, evaluated by the model, against the interpreter; the same for
/// their definedness and for assignments to variables of other ranges.
#[test]
fn terms_mean_what_the_interpreter_says() {
    let rounds =
        std::env::var("CHAINCOVER_RANDOM_EXPRESSIONS").map_or(6000, |text| text.parse().expect("a number"));
    let bench = Bench::new(VARIABLES);
    let mut random = SmallRng::seed_from_u64(3);
    let (mut compared, mut undefined, mut refused) = (0_u64, 0_u64, 0_u64);
    for _ in 0..rounds {
        let depth = random.random_range(1..6);
        let text = support::text(&mut random, depth);
        let checked = match random.random_range(0..4) {
            0 => bench.try_assigned(&text, &Type::of_word("i64").expect("a type")),
            _ => bench.try_checked(&text),
        };
        let Some(expr) = checked else {
            refused += 1;
            continue;
        };
        let lowered = Lowered::new(&bench, &expr, &mut random);
        for _ in 0..8 {
            if lowered.compare(&bench, &text, &mut random) {
                compared += 1;
            } else {
                undefined += 1;
            }
        }
    }
    assert!(
        compared > 4 * rounds && undefined > rounds / 20,
        "{compared} compared, {undefined} undefined, {refused} refused"
    );
    println!("{compared} values compared, {undefined} undefined; {refused} texts refused");
}

/// An expression with its terms: value, definedness, assignment to a variable of another range.
struct Lowered<'e> {
    expr: &'e Expr,
    target: Type,
    evaluator: Evaluator,
    symbols: FxHashMap<(VariableId, bool), model::term::SymbolId>,
}

impl<'e> Lowered<'e> {
    fn new(bench: &Bench, expr: &'e Expr, random: &mut SmallRng) -> Self {
        let mut pool = TermPool::new();
        let mut symbols = FxHashMap::default();
        let mut terms = FxHashMap::default();
        for (id, variable) in bench.variables() {
            for primed in [false, true] {
                let sort = variable.ty.sort().expect("a finite type");
                let symbol = pool.fresh_symbol(&variable.name, sort);
                symbols.insert((id, primed), symbol);
                terms.insert((id, primed), pool.symbol_term(symbol));
            }
        }
        let target = support::target(bench, expr, random);
        let mut diagnostics = frontend::diagnostics::Diagnostics::default();
        let variables = |variable, primed| terms[&(variable, primed)];
        let mut lowering = Lowering::new(&mut pool, &variables, &mut diagnostics);
        let value = lowering.term(expr).expect("a term");
        let defined = lowering.defined(expr).expect("a term");
        let assigned = lowering.assigned(expr, &target).expect("terms");
        assert_eq!(Some(pool.sort(value)), expr.ty().sort());
        assert_eq!(Some(pool.sort(assigned.value)), target.sort());
        let evaluator = Evaluator::new(&pool, [value, defined, assigned.value, assigned.allowed]);
        Self { expr, target, evaluator, symbols }
    }

    /// Compares under random values; returns whether the expression is defined there.
    fn compare(&self, bench: &Bench, text: &str, random: &mut SmallRng) -> bool {
        let mut values: FxHashMap<(VariableId, bool), Value> = FxHashMap::default();
        for (id, variable) in bench.variables() {
            for primed in [false, true] {
                values.insert((id, primed), support::random_value(&variable.ty, random));
            }
        }
        let expected = evaluate(self.expr, &|variable, primed| values[&(variable, primed)].clone());
        let mut evaluator = self.evaluator.clone();
        let by_symbol: FxHashMap<_, Word> = (self.symbols.iter())
            .map(|(key, symbol)| {
                let word = bench.scope.variable(key.0).ty.encode(&values[key]);
                (*symbol, word.expect("a word"))
            })
            .collect();
        evaluator.run(|symbol| by_symbol[&symbol]);
        let is_defined =
            evaluate(&self.expr.defined(), &|variable, primed| values[&(variable, primed)].clone());
        assert_eq!(is_defined, Some(Value::Bool(expected.is_some())), "{text}");
        assert_eq!(evaluator.holds(1), expected.is_some(), "defined: {text}");
        if let Some(value) = &expected {
            match fit(self.expr, &self.target) {
                Fit::Always => assert!(self.target.contains(value), "{text} for {}: {value}", self.target),
                Fit::Never => assert!(!self.target.contains(value), "{text} for {}: {value}", self.target),
                Fit::Perhaps => {}
            }
        }
        let allowed = expected.as_ref().is_some_and(|value| self.target.contains(value));
        assert_eq!(evaluator.holds(3), allowed, "{text} for {}: {expected:?}", self.target);
        let Some(expected) = expected else { return false };
        assert!(self.expr.ty().contains(&expected), "{text}: {expected} is none of {}", self.expr.ty());
        assert_eq!(self.expr.ty().decode(evaluator.value(0)), Some(expected.clone()), "{text}");
        if allowed {
            assert_eq!(self.target.decode(evaluator.value(2)), Some(expected), "{text} for {}", self.target);
        }
        true
    }
}

/// Rationals have values and no words.
#[test]
fn rationals_are_evaluated_only() {
    let bench = Bench::new("r : rational, k : 0..2".replace(',', "").as_str());
    let table = [
        ("r + 1", "4/3"),
        ("r * r", "1/9"),
        ("1 / r", "3"),
        ("r / (r - r)", "-"),
        ("max(r, k)", "2"),
        ("-r", "-1/3"),
        ("r < 0.5 and r = 1 / 3", "true"),
        ("if r > k then r else k", "2"),
    ];
    for (text, expected) in table {
        let expr = bench.checked(text);
        let value = |variable, _| match bench.scope.variable(variable).ty {
            Type::Rational => Value::fraction(spec::value::Fraction::new(1, 3)),
            _ => Value::Integer(2),
        };
        let found = evaluate(&expr, &value).map_or_else(|| "-".to_owned(), |value| value.to_string());
        assert_eq!(found, expected, "{text}");
        let (mut pool, mut diagnostics) = (TermPool::new(), frontend::diagnostics::Diagnostics::default());
        let term = pool.word(2, 2);
        let words = |_, _| term;
        assert!(Lowering::new(&mut pool, &words, &mut diagnostics).term(&expr).is_err(), "{text}");
        assert_eq!(diagnostics.entries.len(), 1);
        assert_eq!(diagnostics.entries[0].code, spec::code::Code::NotFinite);
    }
}

/// The deepest expressions that are accepted are walked without harm to the stack.
#[test]
fn deep_expressions_are_walked() {
    let bench = Bench::new("k : 0..2 p : bool");
    let sum = format!("{}k > 3", "k + k div (k + 1) + ".repeat(495));
    let nested = format!("{}p{}", "not (p and k div k = 1 and ".repeat(45), ")".repeat(45));
    for text in [sum, nested] {
        let expr = bench.checked(&text);
        assert!(expr.depth() > 90, "{}", expr.depth());
        let lowered = Lowered::new(&bench, &expr, &mut SmallRng::seed_from_u64(4));
        let mut random = SmallRng::seed_from_u64(5);
        let defined = (0..20).filter(|_| lowered.compare(&bench, "deep", &mut random)).count();
        assert!(defined > 0);
    }
}

/// Trees without regard to types are refused or mean the same twice; nothing panics.
#[test]
fn random_trees_are_refused_or_mean_the_same_twice() {
    let bench = Bench::new(
        "x : 0..3  größe : bool  \"view\" : i8  when : -1..1 step 0.25  do : Mode \"SYS-1 \\\"a\\\\b\\\"\" : bool
         \"step\" : 0..170141183460469231731687303715884105727  _1 : f32",
    );
    let mut random = SmallRng::seed_from_u64(6);
    let (mut accepted, mut compared) = (0, 0);
    for _ in 0..60_000 {
        let depth = random.random_range(0..4);
        let tree = random::tree(&mut random, depth);
        let mut diagnostics = frontend::diagnostics::Diagnostics::default();
        let Ok(expr) = Checker::new(&bench.scope, &mut diagnostics).expression(&tree) else {
            assert!(diagnostics.has_errors(), "a refusal should be reported: {tree:?}");
            continue;
        };
        assert!(diagnostics.entries.is_empty());
        accepted += 1;
        if expr.as_constant().is_some() || random.random_range(0..4) > 0 {
            continue;
        }
        let lowered = Lowered::new(&bench, &expr, &mut random);
        let text = spec::print::expression(&tree, &CONTRACTS);
        compared += (0..4).filter(|_| lowered.compare(&bench, &text, &mut random)).count();
    }
    assert!(accepted > 10_000 && compared > 1000, "{accepted} accepted, {compared} compared");
}
