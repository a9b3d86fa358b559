//! A scope to check expressions in, random texts of expressions, random values.

use frontend::diagnostics::{Diagnostics, render};
use frontend::source::SourceMap;
use model::id::Id;
use model::sort::FloatFormat;
use rand::Rng;
use rand::rngs::SmallRng;
use spec::check::Checker;
use spec::language::CONTRACTS;
use spec::lexer::{Token, tokens};
use spec::parser::Parser;
use spec::scope::{Scope, Variable, VariableId};
use spec::typed::Expr;
use spec::types::{Range, Type};
use spec::value::{Fraction, Value};
use std::path::Path;

/// A scope with an enumeration `Mode` and some variables.
pub(crate) struct Bench {
    pub(crate) scope: Scope,
}

fn lexed(text: &str, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Vec<Token> {
    let file = sources.add_text(Path::new("text"), text);
    tokens(sources, file, &CONTRACTS, diagnostics)
}

impl Bench {
    /// Declares `x, y : type` in a row.
    pub(crate) fn new(variables: &str) -> Self {
        let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
        let text = format!("type Mode = {{OFF, SLOW, FAST}} {variables}");
        let tokens = lexed(&text, &mut sources, &mut diagnostics);
        let mut parser = Parser::new(&tokens, &CONTRACTS, &mut diagnostics);
        let mode = parser.common().expect("a declaration").expect("a type");
        let mut declared = Vec::new();
        while !parser.is_at_end() {
            let names = parser.list(|parser| parser.name("a variable")).expect("names");
            parser.expect(":", "behind names").expect("a colon");
            declared.push((names, parser.type_expr().expect("a type")));
        }
        let mut scope = Scope::new();
        scope.declare_common(&mode, &mut diagnostics).expect("a new name");
        for (names, ty) in declared {
            let ty = scope.resolve(&ty, &mut diagnostics).expect("a type");
            for name in names {
                let variable = Variable {
                    name: name.text,
                    ty: ty.clone(),
                    role: "input",
                    can_be_primed: true,
                    extent: name.extent,
                };
                scope.declare(variable, &mut diagnostics).expect("a new name");
            }
        }
        assert!(diagnostics.entries.is_empty(), "{}", render(&diagnostics, &sources, false));
        Self { scope }
    }
    pub(crate) fn variables(&self) -> impl Iterator<Item = (VariableId, &Variable)> {
        (0..self.scope.variables().len()).map(|index| {
            let id = VariableId::new(index);
            (id, self.scope.variable(id))
        })
    }
    pub(crate) fn ty(&self, name: &str) -> Type {
        self.scope.variable(self.scope.variable_named(name).expect("a variable")).ty.clone()
    }
    fn with<T>(
        &self,
        text: &str,
        check: impl FnOnce(&mut Checker<'_>, &spec::syntax::Expr) -> Option<T>,
    ) -> Result<T, String> {
        let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
        let tokens = lexed(text, &mut sources, &mut diagnostics);
        let tree = Parser::new(&tokens, &CONTRACTS, &mut diagnostics).expression();
        let checked =
            tree.ok().and_then(|tree| check(&mut Checker::new(&self.scope, &mut diagnostics), &tree));
        checked.ok_or_else(|| render(&diagnostics, &sources, false))
    }
    pub(crate) fn checked(&self, text: &str) -> Expr {
        let checked = self.with(text, |checker, tree| checker.expression(tree).ok());
        checked.unwrap_or_else(|messages| panic!("{messages}{text}"))
    }
    /// A checked expression; none where it is refused for a reason that random texts have.
    pub(crate) fn try_checked(&self, text: &str) -> Option<Expr> {
        self.accepted(text, self.with(text, |checker, tree| checker.expression(tree).ok()))
    }
    pub(crate) fn try_assigned(&self, text: &str, target: &Type) -> Option<Expr> {
        self.accepted(text, self.with(text, |checker, tree| checker.assigned(tree, target).ok()))
    }
    fn accepted(&self, text: &str, checked: Result<Expr, String>) -> Option<Expr> {
        let refused = |messages: String| {
            let expected = ["[too-wide]", "[division-by-zero]", "[type-mismatch]", "[too-deep]"];
            let is_known = expected.iter().any(|code| messages.contains(code));
            assert!(is_known && !messages.is_empty(), "{messages}{text}");
        };
        checked.map_err(refused).ok()
    }
    pub(crate) fn assigned(&self, text: &str, target: &Type) -> Option<Expr> {
        self.with(text, |checker, tree| checker.assigned(tree, target).ok()).ok()
    }
}

/// A type that an expression can be assigned to: its own, or for exact numbers another range.
pub(crate) fn target(bench: &Bench, expr: &Expr, random: &mut SmallRng) -> Type {
    let Some(range) = expr.ty().range().filter(|_| expr.ty().is_exact()) else { return expr.ty().clone() };
    let target = match random.random_range(0..4) {
        0 => {
            let exact = bench.variables().map(|(_, variable)| &variable.ty).filter(|ty| ty.is_exact());
            let exact: Vec<&Type> = exact.collect();
            exact[random.random_range(0..exact.len())].clone()
        }
        1 => Type::integers(random.random_range(-300..0), random.random_range(0..300)),
        _ => {
            let step = Fraction::new(random.random_range(1..5), random.random_range(1..5));
            let range = Range::new(random.random_range(-30..3), random.random_range(3..30), step);
            Type::Number(range.expect("a range"))
        }
    };
    // Where both have no common step of 128 bits, the checker refuses the assignment.
    let is_possible = target.range().is_some_and(|wanted| range.aligned(&wanted).is_some());
    if is_possible { target } else { expr.ty().clone() }
}

/// The least value, zero for floats.
pub(crate) fn first_value(ty: &Type) -> Value {
    match ty {
        Type::Float(format) => Value::Float(*format, 0),
        Type::Rational => Value::Integer(0),
        Type::Machine { .. } => Value::Integer(0),
        _ => ty.values().expect("values").next().expect("a value"),
    }
}

/// Any value; often one at the ends.
pub(crate) fn random_value(ty: &Type, random: &mut SmallRng) -> Value {
    if let Type::Float(format) = ty {
        let single = [0.0_f32, -0.0, 1.5, -2.25, 0.1, f32::MAX, f32::MIN_POSITIVE, f32::INFINITY];
        let number = single[random.random_range(0..single.len())];
        let bits = match format {
            FloatFormat::Single => u64::from(number.to_bits()),
            FloatFormat::Double => f64::from(number).to_bits(),
        };
        return Value::Float(*format, bits);
    }
    if let Some(range) = ty.range().filter(|_| !matches!(ty, Type::Set(_))) {
        let units = match random.random_range(0..4) {
            0 => range.lo(),
            1 => range.hi(),
            _ => random.random_range(range.lo()..=range.hi()),
        };
        return range.value(units);
    }
    let count = ty.count().expect("a finite type") as usize;
    ty.values().expect("values").nth(random.random_range(0..count)).expect("a value")
}

fn pick(random: &mut SmallRng, all: &[&str]) -> String {
    all[random.random_range(0..all.len())].to_owned()
}

/// A random expression, mostly of fitting types.
pub(crate) fn text(random: &mut SmallRng, depth: u32) -> String {
    match random.random_range(0..8) {
        0..=2 => truth(random, depth),
        3..=5 => number(random, depth),
        6 => machine(random, depth, "u8"),
        _ => {
            let ty = pick(random, &["u8", "i8", "u64", "i64"]);
            machine(random, depth, &ty)
        }
    }
}

fn primed(random: &mut SmallRng, names: &[&str]) -> String {
    pick(random, names) + if random.random() { "'" } else { "" }
}

fn truth(random: &mut SmallRng, depth: u32) -> String {
    if depth == 0 {
        return if random.random_bool(0.1) {
            pick(random, &["true", "false"])
        } else {
            primed(random, &["p", "q"])
        };
    }
    let next = depth - 1;
    match random.random_range(0..14) {
        0..=2 => {
            let op = pick(random, &["and", "or", "xor", "->", "<->", "=", "!="]);
            format!("({}) {op} ({})", truth(random, next), truth(random, next))
        }
        3 => format!("not ({})", truth(random, next)),
        4..=7 => {
            let op = pick(random, &["=", "!=", "<", "<=", ">", ">="]);
            format!("{} {op} {}", operand(random, next), operand(random, next))
        }
        8 => {
            let (op, other) = (pick(random, &["<", "<="]), pick(random, &["<", "<="]));
            format!(
                "{} {op} {} {other} {}",
                operand(random, next),
                operand(random, next),
                operand(random, next)
            )
        }
        9 => format!("{} in {{{}, {}}}", operand(random, next), number(random, next), number(random, next)),
        10 => format!("{} in {}..{}", operand(random, next), operand(random, next), operand(random, next)),
        11 => {
            let modes = ["OFF", "SLOW", "FAST"];
            format!("{} {} {}", primed(random, &["m"]), pick(random, &["=", "!="]), pick(random, &modes))
        }
        12 => pick(
            random,
            &["rises(p)", "falls(q and p)", "changed(n + k)", "changed(m)", "rises(6 div k = 2)"],
        ),
        _ => {
            let float = ["f", "e'", "f + e", "f * 0.1", "-e", "abs(f)", "f / e", "if p then f else 2"];
            let op = pick(random, &["=", "<", "<=", "!="]);
            format!("({}) {op} ({})", pick(random, &float), pick(random, &float))
        }
    }
}

fn operand(random: &mut SmallRng, depth: u32) -> String {
    let inner = match random.random_range(0..4) {
        0 => {
            let ty = pick(random, &["u8", "i8", "u64", "i64"]);
            machine(random, depth, &ty)
        }
        _ => number(random, depth),
    };
    format!("({inner})")
}

fn number(random: &mut SmallRng, depth: u32) -> String {
    if depth == 0 {
        return match random.random_range(0..3) {
            0 => pick(random, &["0", "1", "2", "3", "7", "0.5", "0.1", "1000", "65536"]),
            _ => primed(random, &["k", "n", "z", "w", "h", "t", "s", "k", "n", "h", "v", "u"]),
        };
    }
    let next = depth - 1;
    match random.random_range(0..12) {
        0..=5 => {
            let op = pick(random, &["+", "-", "*", "div", "mod"]);
            format!("({}) {op} ({})", number(random, next), number(random, next))
        }
        6 => format!("-({})", number(random, next)),
        7 => format!("{}({}, {})", pick(random, &["min", "max"]), number(random, next), number(random, next)),
        8 => format!("abs({})", number(random, next)),
        9 => format!("count({}, {}, {})", truth(random, next), truth(random, next), truth(random, next)),
        10 => {
            format!("if {} then {} else {}", truth(random, next), number(random, next), number(random, next))
        }
        _ => match random.random_range(0..3) {
            0 => format!("({}) / {}", number(random, next), pick(random, &["2", "3", "-4", "0.5"])),
            1 => format!("clamp(0..9 step 0.5, {})", pick(random, &["h", "n", "h * 2", "k", "n - k"])),
            _ => format!(
                "clamp({}, {})",
                pick(random, &["-3..3", "0..1", "2..200"]),
                pick(random, &["n", "w", "a", "c"])
            ),
        },
    }
}

fn machine(random: &mut SmallRng, depth: u32, ty: &str) -> String {
    if depth == 0 {
        let names: &[&str] = match ty {
            "u8" => &["a", "b"],
            "i8" => &["c", "d"],
            "u64" => &["l"],
            _ => &["g"],
        };
        return primed(random, names);
    }
    let next = depth - 1;
    let operand = |random: &mut SmallRng| machine(random, next, ty);
    match random.random_range(0..10) {
        0..=3 => {
            let op = pick(random, &["+", "-", "*", "div", "mod"]);
            let right = if random.random_bool(0.2) { "3".to_owned() } else { operand(random) };
            format!("({}) {op} ({right})", operand(random))
        }
        4 => format!(
            "{}({}, {})",
            pick(random, &["bitand", "bitor", "bitxor", "min", "max"]),
            operand(random),
            operand(random)
        ),
        5 => format!("{}({})", pick(random, &["bitnot", "abs", "-"]), operand(random)),
        6 => {
            let by = pick(random, &["1", "k", "a", "l", "7", "200", "w"]);
            format!("{}({}, {by})", pick(random, &["shl", "shr"]), operand(random))
        }
        7 => format!("if {} then {} else {}", truth(random, next), operand(random), operand(random)),
        _ => {
            let other = pick(random, &["n", "w", "a + b", "c", "l", "g * g", "k - n", "count(p, q)"]);
            format!("{}({ty}, {other})", pick(random, &["wrap", "clamp"]))
        }
    }
}
