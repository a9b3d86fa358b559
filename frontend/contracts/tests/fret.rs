//! Requirements of FRET as interfaces: what their formulas mean, against an evaluator of past-time
//! formulas that shares no code, and what cannot be imported.

use crate::support::read_text;
use contracts::check::check;
use contracts::fret::{Wishes, import};
use contracts::monitor::{Judged, Monitor};
use contracts::runs::Goals;
use contracts::semantics::{Effort, Valuation};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value as Json, json};
use spec::value::Value;

/// A file with one requirement over four truths.
fn file(formula: &str) -> String {
    let variable = |name: &str, role: &str| json!({ "variable_name": name, "component_name": "c", "idType": role, "dataType": "boolean" });
    json!({
        "requirements": [{ "reqid": "R-1", "fulltext": "c shall ...",
            "semantics": { "component_name": "c", "ptExpanded": format!("(H {formula})") } }],
        "variables": [variable("a", "Input"), variable("b", "Input"), variable("p", "Output"), variable("q", "Output")]
    })
    .to_string()
}

/// A formula over a, b, p, q.
enum Past {
    Variable(usize),
    Not(Box<Past>),
    And(Box<Past>, Box<Past>),
    Or(Box<Past>, Box<Past>),
    Implies(Box<Past>, Box<Past>),
    Always(Option<(usize, usize)>, Box<Past>),
    Once(Option<(usize, usize)>, Box<Past>),
    Before(bool, Box<Past>),
    /// The value in step 0, and what is read a step before later.
    Initially(Box<Past>, Box<Past>),
    Since(Option<usize>, Box<Past>, Box<Past>),
}

const NAMES: [&str; 4] = ["a", "b", "p", "q"];

impl Past {
    fn random(chance: &mut StdRng, depth: u32) -> Self {
        if depth == 0 || chance.random_bool(0.15) {
            return Self::Variable(chance.random_range(0..4));
        }
        let kind = chance.random_range(0..9);
        let bound = chance.random_bool(0.5).then(|| {
            let from = chance.random_range(0..3);
            (from, from + chance.random_range(0..4))
        });
        let weak = chance.random_bool(0.5);
        let mut part = || Box::new(Self::random(chance, depth - 1));
        match kind {
            0 => Self::Not(part()),
            1 => Self::And(part(), part()),
            2 => Self::Or(part(), part()),
            3 => Self::Implies(part(), part()),
            4 => Self::Always(bound, part()),
            5 => Self::Once(bound, part()),
            6 => Self::Before(weak, part()),
            7 => Self::Initially(part(), part()),
            _ => Self::Since(bound.map(|(from, to)| to - from), part(), part()),
        }
    }
    fn text(&self) -> String {
        let bounds = |bound: &Option<(usize, usize)>| {
            bound.map_or_else(String::new, |(from, to)| format!("[{from},{to}]"))
        };
        match self {
            Self::Variable(index) => NAMES[*index].to_owned(),
            Self::Not(one) => format!("(! {})", one.text()),
            Self::And(left, right) => format!("({} & {})", left.text(), right.text()),
            Self::Or(left, right) => format!("({} | {})", left.text(), right.text()),
            Self::Implies(left, right) => format!("({} -> {})", left.text(), right.text()),
            Self::Always(bound, one) => format!("(H{} {})", bounds(bound), one.text()),
            Self::Once(bound, one) => format!("(O{} {})", bounds(bound), one.text()),
            Self::Before(weak, one) => format!("({} {})", if *weak { "Z" } else { "Y" }, one.text()),
            Self::Initially(first, later) => format!("preBool({}, {})", first.text(), later.text()),
            Self::Since(to, left, right) => {
                format!("({} S{} {})", left.text(), bounds(&to.map(|to| (0, to))), right.text())
            }
        }
    }
    /// Whether it holds in a step of a run.
    fn holds(&self, run: &[[bool; 4]], at: usize) -> bool {
        let steps = |bound: &Option<(usize, usize)>| {
            let (from, to) = bound.unwrap_or((0, usize::MAX));
            (0..=at).filter(move |step| (from..=to).contains(&(at - step)))
        };
        match self {
            Self::Variable(index) => run[at][*index],
            Self::Not(one) => !one.holds(run, at),
            Self::And(left, right) => left.holds(run, at) && right.holds(run, at),
            Self::Or(left, right) => left.holds(run, at) || right.holds(run, at),
            Self::Implies(left, right) => !left.holds(run, at) || right.holds(run, at),
            Self::Always(bound, one) => steps(bound).all(|step| one.holds(run, step)),
            Self::Once(bound, one) => steps(bound).any(|step| one.holds(run, step)),
            Self::Before(weak, one) => {
                if at == 0 {
                    *weak
                } else {
                    one.holds(run, at - 1)
                }
            }
            Self::Initially(first, _) if at == 0 => first.holds(run, at),
            Self::Initially(_, later) => later.holds(run, at - 1),
            Self::Since(to, left, right) => steps(&to.map(|to| (0, to)))
                .any(|step| right.holds(run, step) && (step + 1..=at).all(|later| left.holds(run, later))),
        }
    }
}

#[test]
fn formulas_mean_what_their_definition_says() {
    let mut chance = StdRng::seed_from_u64(5);
    let (mut kept, mut broken) = (0, 0);
    for _ in 0..250 {
        // An interface has outputs.
        let tautology =
            Past::Or(Box::new(Past::Variable(2)), Box::new(Past::Not(Box::new(Past::Variable(2)))));
        let formula = Past::And(Box::new(Past::random(&mut chance, 3)), Box::new(tautology));
        let imported = import(&file(&formula.text()), &Wishes::default()).expect("a requirement");
        let text = imported.text;
        let document = read_text(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        for _ in 0..4 {
            let run: Vec<[bool; 4]> = (0..8).map(|_| std::array::from_fn(|_| chance.random())).collect();
            let expected = (0..run.len()).find(|&at| !formula.holds(&run, at));
            let none: [&str; 0] = [];
            let mut monitor =
                Monitor::new(&document.interface, Goals::first(&document.interface, none), false);
            let mut found = None;
            for (at, step) in run.iter().enumerate() {
                let value = |(_, variable): (_, &spec::scope::Variable)| {
                    let at = NAMES.iter().position(|name| *name == variable.name);
                    at.map(|at| Value::Bool(step[at]))
                };
                let observed: Valuation = document.interface.scope.variables().iter().map(value).collect();
                let judged = monitor.observe(&observed, &mut Effort::default()).expect("few hidden values");
                if matches!(judged, Judged::Forbidden(_)) {
                    found = Some(at);
                    break;
                }
            }
            assert_eq!(found, expected, "{}\n{run:?}\n{text}", formula.text());
            kept += usize::from(found.is_none());
            broken += usize::from(found.is_some_and(|at| at > 0));
        }
    }
    assert!(kept > 50 && broken > 100, "{kept} {broken}");
}

/// A file with variables of numbers.
fn numbers(formulas: &[&str], variables: &[(&str, &str, &str, &str)]) -> String {
    let requirement = |(number, formula): (usize, &&str)| {
        json!({ "reqid": format!("R-{}", number + 1), "fulltext": "",
            "semantics": { "component_name": "c", "ptExpanded": formula } })
    };
    let variable = |&(name, role, data, assignment): &(&str, &str, &str, &str)| json!({ "variable_name": name, "component_name": "c", "idType": role, "dataType": data, "assignment": assignment });
    json!({
        "requirements": formulas.iter().enumerate().map(requirement).collect::<Vec<Json>>(),
        "variables": variables.iter().map(variable).collect::<Vec<Json>>()
    })
    .to_string()
}

#[test]
fn numbers_that_are_only_compared_get_the_values_that_matter() {
    let variables = [
        ("speed", "Input", "double", ""),
        ("limit", "Input", "double", ""),
        ("state", "Output", "integer", ""),
        ("idle", "Internal", "integer", "0"),
        ("busy", "Internal", "integer", "2"),
    ];
    let text = numbers(
        &["(H ((speed > 30.0) -> (state = busy)))", "(H ((speed < limit) | (state = idle)))"],
        &variables,
    );
    let imported = import(&text, &Wishes::default()).expect("requirements");
    for expected in [
        "input speed : {28, 29, 30, 31, 32}",
        "output state : {-1, 0, 1, 2, 3}",
        "always assume (speed' > 30) guarantee (state' = 2)",
        "always guarantee ((speed' < limit') or (state' = 0))",
    ] {
        assert!(imported.text.contains(expected), "{expected}\n{}", imported.text);
    }
    read_text(&imported.text).expect("an interface");
    // A value that is computed with has to be told.
    let text = numbers(&["(H ((speed - limit) > 3))", "(H (state = idle))"], &variables);
    let why = import(&text, &Wishes::default()).expect_err("no type").0;
    assert!(why.starts_with("R-1: `speed` is a number that is computed with"), "{why}");
    let skipped = import(&text, &Wishes { skip: true, ..Wishes::default() }).expect("one of two");
    assert_eq!((skipped.count, skipped.left_out.len()), (1, 1));
    assert!(skipped.text.contains("# left out: R-1: "), "{}", skipped.text);
    let ty = |name: &str| (name.to_owned(), "0..9 step 0.5".to_owned());
    let told = Wishes { types: vec![ty("speed"), ty("limit")], ..Wishes::default() };
    let imported = import(&text, &told).expect("requirements");
    assert_eq!(imported.count, 2);
    read_text(&imported.text).expect("an interface");
    // All values of a given type matter for what is compared with it.
    let told = Wishes { types: vec![ty("limit")], ..Wishes::default() };
    let text = numbers(&["(H (speed < limit))", "(H (state = idle))"], &variables);
    let why = import(&text, &told).expect_err("no type").0;
    assert!(why.contains("or compared with one that is or whose type is given"), "{why}");
}

/// Internal variables are written in Lustre, where `->` is no implication, and `pre` of something
/// computed is computed of what was.
#[test]
fn internal_variables_and_values_before() {
    let imported = |formula: &str, assigned: &str| {
        let variables = [
            ("p", "Output", "boolean", ""),
            ("v", "Output", "double", ""),
            ("w", "Internal", "boolean", assigned),
        ];
        let ty = |name: &str, ty: &str| (name.to_owned(), ty.to_owned());
        let wishes = Wishes { types: vec![ty("v", "0..9")], ..Wishes::default() };
        let imported = import(&numbers(&[formula], &variables), &wishes).map_err(|why| why.0)?;
        read_text(&imported.text).unwrap_or_else(|error| panic!("{error}\n{}", imported.text));
        Ok(imported.text)
    };
    let table = [
        (
            "(H (p <-> w))",
            "false -> not pre p",
            "guarantee (p' = (if past1_1' then false else (not past1_2')))",
        ),
        ("(H (p <-> w))", "p => p", "guarantee (p' = (p' -> p'))"),
        ("(H (p <-> w))", "if v <> 1 then p else not p", "(p' = (if (v' != 1) then p' else (not p')))"),
        (
            "(H <b><i>(p <-> w)</i></b>)",
            "p -> if v > 3 then p else pre w",
            "guarantee (w' = (if past2_1' then p' else (if (v' > 3) then p' else past2_2')))",
        ),
        ("(H (w & p))", "true -> v - pre v <= 2", "(if past1_1' then true else ((v' - past1_2') <= 2))"),
        (
            "(H (p & absReal(v - preReal(0.0, v)) <= 2))",
            "",
            "(abs((v' - (if past1_1' then 0 else past1_2'))) <= 2)",
        ),
        ("(H (p & preReal(1.0, (v + v)) <= 2))", "", "(if past1_1' then 1 else (past1_2' + past1_2')) <= 2"),
    ];
    for (formula, assigned, expected) in table {
        let text = imported(formula, assigned).unwrap_or_else(|why| panic!("{assigned}: {why}"));
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    for unguarded in ["pre p", "true -> pre (pre p)", "(true -> p) or pre p"] {
        let why: String = imported("(H (p <-> w))", unguarded).expect_err(unguarded);
        assert!(why.contains("`pre` has no value in the first step, without `->`"), "{why}");
    }
    let why: String = imported("(H (p <-> w))", "p and not w").expect_err("a circle");
    assert!(why.contains("`w` is defined by its own value in the same step"), "{why}");
}

/// A comparison of numbers that is chosen at random, as FRET and as SMT-LIB write it.
fn compared(chance: &mut StdRng, depth: u32) -> (String, String) {
    let both = |chance: &mut StdRng| [compared(chance, depth - 1), compared(chance, depth - 1)];
    match if depth == 0 { 0 } else { chance.random_range(0..5) } {
        0 | 1 => {
            let of = |chance: &mut StdRng| {
                ["x", "z", "y", "w", "0", "2", "3"][chance.random_range(0..7)].to_owned()
            };
            let (left, right) = (of(chance), of(chance));
            let operator = ["<", "<=", "=", ">"][chance.random_range(0..4)];
            (format!("({left} {operator} {right})"), format!("({operator} {left} {right})"))
        }
        2 => {
            let [(one, smt), (other, other_smt)] = both(chance);
            (format!("({one} & {other})"), format!("(and {smt} {other_smt})"))
        }
        3 => {
            let [(one, smt), (other, other_smt)] = both(chance);
            (format!("({one} -> {other})"), format!("(=> {smt} {other_smt})"))
        }
        _ => {
            let (one, smt) = compared(chance, depth - 1);
            (format!("(! {one})"), format!("(not {smt})"))
        }
    }
}

/// The values that stand for all numbers do so in the game of inputs and outputs, too: a solver
/// says whether all inputs have outputs.
#[test]
fn values_stand_for_all_numbers() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let asked = |text: &str| {
        let mut solver = Command::new("z3")
            .args(["-in", "-T:10"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        solver.stdin.take()?.write_all(text.as_bytes()).ok()?;
        Some(String::from_utf8_lossy(&solver.wait_with_output().ok()?.stdout).trim().to_owned())
    };
    if asked("(check-sat)").is_none() {
        return;
    }
    let number: u64 =
        std::env::var("CHAINCOVER_RANDOM_FORMULAS").ok().and_then(|text| text.parse().ok()).unwrap_or(150);
    let mut chance = StdRng::seed_from_u64(7);
    let (mut realizable, mut not) = (0, 0);
    for round in 0..number {
        let (formula, smt) = compared(&mut chance, 3);
        let (data, sort) =
            [("double", "Real"), ("integer", "Int"), ("unsigned integer", "Int")][round as usize % 3];
        let variables = [("x", "Input"), ("z", "Input"), ("y", "Output"), ("w", "Output")];
        let listed = variables.map(|(name, role)| (name, role, data, ""));
        // An interface has outputs.
        let text = numbers(&[&format!("(H ({formula} & (y = y) & (w = w)))")], &listed);
        let imported = import(&text, &Wishes::default()).unwrap_or_else(|why| panic!("{formula}: {}", why.0));
        let document = read_text(&imported.text).unwrap_or_else(|error| panic!("{error}\n{}", imported.text));
        let found = check(&document.interface, &mut Effort::default()).expect("a small interface");
        let natural = |names: [&str; 2]| match data {
            "unsigned integer" => format!("(and (>= {} 0) (>= {} 0))", names[0], names[1]),
            _ => "true".to_owned(),
        };
        let question = format!(
            "(assert (forall ((x {sort}) (z {sort})) (=> {} (exists ((y {sort}) (w {sort})) (and {} {smt})))))\n(check-sat)\n",
            natural(["x", "z"]),
            natural(["y", "w"])
        );
        let answer = asked(&question).expect("a solver");
        assert!(["sat", "unsat"].contains(&&*answer), "{answer}: {question}");
        assert_eq!(found.is_consistent(), answer == "sat", "{question}\n{}", imported.text);
        match answer.as_str() {
            "sat" => realizable += 1,
            _ => not += 1,
        }
    }
    assert!(realizable > number / 6 && not > number / 6, "{realizable} {not}");
}

#[test]
fn what_cannot_be_imported_is_told() {
    let one = |formula: &str| numbers(&[formula], &[("a", "Input", "boolean", ""), ("f", "", "", "")]);
    let table = [
        ("nonsense".to_owned(), "expected"),
        ("{}".to_owned(), "this is no export of FRET"),
        ("[]".to_owned(), "the file has no requirements"),
        (one(""), "R-1: it has no formula"),
        (one("(H (a -> f))"), "R-1: is `f` an input or an output? (--input f or --output f)"),
        (one("(H (a -> ))"), "R-1: `)` cannot stand there"),
        (one("(H <b>a</b>)"), "R-1: `<` cannot stand there"),
        (one("(H (O[5,2] a))"), "R-1: the bound [5,2] is empty"),
        (one("(H (a S[1,2] a))"), "R-1: S with a lower bound has no place in an interface"),
        (one("(H (sin(1) > 2))"), "R-1: the function `sin` has no place"),
        (one("(H (1 / a < 2))"), "R-1: a division by something that is no constant has no place"),
        (format!("(H {}a{})", "(".repeat(2000), ")".repeat(2000)).as_str().to_owned(), "expected"),
        (
            one(&format!("(H {}a{})", "(".repeat(2000), ")".repeat(2000))),
            "R-1: the formula is nested too deeply",
        ),
    ];
    for (text, expected) in table {
        let why = import(&text, &Wishes::default()).expect_err(&text).0;
        assert!(why.contains(expected), "{expected}: {why}");
    }
    let two = r#"[{"reqid": "A", "semantics": {"component_name": "x", "ptExpanded": "a"}},
        {"reqid": "B", "semantics": {"component_name": "y", "ptExpanded": "a"}}]"#;
    let why = import(two, &Wishes::default()).expect_err("two components").0;
    assert!(why.contains("name one (--component); there are x, y"), "{why}");
    let wishes = Wishes {
        component: Some("y".to_owned()),
        inputs: vec!["a".to_owned()],
        types: vec![("a".to_owned(), "bool".to_owned())],
        ..Wishes::default()
    };
    assert!(import(two, &wishes).expect("a requirement").text.contains("req B"));
}
