//! Test cases of known systems: numbers of transitions, as their authors count them.

use num_rational::BigRational;
use std::path::PathBuf;
use timed::smt::Solver;
use timed::testcase::generate;

fn example(name: &str) -> timed::system::System {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    match timed::read::read(&path, &[]) {
        Ok(model) => model.system,
        Err(failure) => {
            panic!("{}", frontend::diagnostics::render(&failure.diagnostics, &failure.sources, false))
        }
    }
}

fn solver() -> Solver {
    Solver::start("z3").unwrap_or_else(|error| panic!("{error}"))
}

fn time(units: i64) -> BigRational {
    BigRational::from_integer(units.into())
}

#[test]
fn the_cash_machine_has_38_transitions_and_34_that_can_be_taken() {
    let system = example("atm.tio");
    let mut solver = solver();
    let purpose = system.purpose("paid").expect("the purpose").clone();
    let mut test = generate(&system, ("paid", &purpose.edges), &time(5), &mut solver).expect("a test case");
    assert_eq!(
        test.summary(),
        "paid: 4 transitions, deterministic; test case of 38 transitions: 1 stimulate, 2 observe, 1 pass, 14 inconclusive, 20 fail"
    );
    test.prune(&mut solver).expect("answers");
    let left: Vec<String> =
        test.transitions.iter().map(|one| format!("{}:R{}", one.from, one.rule)).collect();
    assert_eq!(test.transitions.len(), 34, "{left:?}");
}

#[test]
fn loops_of_the_cash_machine_grow_by_37_transitions_a_round() {
    let system = example("atm.tio");
    let paid = system.purpose("paid").expect("the purpose").edges.clone();
    let mut solver = solver();
    for (length, expected) in [(20, 186), (40, 371), (100, 926)] {
        let edges: Vec<usize> = paid.iter().copied().cycle().take(length).collect();
        let start = std::time::Instant::now();
        let test = generate(&system, ("loop", &edges), &time(5), &mut solver).expect("a test case");
        assert_eq!(test.transitions.len(), expected, "{length} transitions");
        println!("{length} transitions: {expected} in {:.2} s", start.elapsed().as_secs_f64());
    }
}

#[test]
fn the_dummy_has_the_numbers_of_sptg() {
    let system = example("dummy.tio");
    let mut solver = solver();
    for (name, all, pruned) in [("short", 11, 9), ("whole", 27, 21)] {
        let purpose = system.purpose(name).expect("the purpose").clone();
        let mut test =
            generate(&system, (name, &purpose.edges), &time(60), &mut solver).expect("a test case");
        assert_eq!(test.transitions.len(), all, "{name}");
        test.prune(&mut solver).expect("answers");
        let left: Vec<String> =
            test.transitions.iter().map(|one| format!("{}:R{}", one.from, one.rule)).collect();
        assert_eq!(test.transitions.len(), pruned, "{name}: {left:?}");
    }
}

#[test]
fn silence_of_the_cash_machine_is_specified_at_the_start_only() {
    let system = example("atm.tio");
    let purpose = system.purpose("paid").expect("the purpose").clone();
    let judged = timed::purpose::judge(&system, &purpose.edges, &mut solver()).expect("answers");
    assert_eq!((judged.feasible, judged.twin, judged.quiescent), (4, None, vec![0]));
}

/// A system in which a purpose is wrong, and what is said of it.
#[test]
fn purposes_that_are_none_are_reported() {
    use frontend::diagnostics::Diagnostics;
    use frontend::source::SourceMap;
    let head =
        "timed t var x: 0..9 clock c input In(0..9) output Out(0..9) initial a edge i: a -> b In?x reset c ";
    let table = [
        ("edge o: b -> a when c <= 1 Out!x purpose p = i.o", None),
        (
            "edge o: b -> a when c <= 1 Out!x edge q: b -> a when c >= 1 Out!3 purpose p = i.o",
            Some("not-deterministic"),
        ),
        ("edge o: b -> a when c <= 1 Out!x edge q: b -> a when c > 1 Out!3 purpose p = i.o", None),
        ("edge o: b -> a when c <= 1 and x > 3 Out!x edge q: b -> a when x <= 3 Out!x purpose p = i.o", None),
        (
            "edge o: b -> c when x > 3 Out!x edge q: c -> a when x < 3 Out!x purpose p = i.o.q",
            Some("purpose-infeasible"),
        ),
        (
            "edge o: b -> c when c >= 3 Out!x edge q: c -> a when c < 3 Out!x purpose p = i.o.q",
            Some("purpose-infeasible"),
        ),
    ];
    let mut solver = solver();
    for (text, expected) in table {
        let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
        let file = sources.add_text("t.tio".as_ref(), &format!("{head}{text}"));
        let tokens = spec::lexer::tokens(&sources, file, &spec::language::TIMED, &mut diagnostics);
        let file = timed::parser::parse(&tokens, &mut diagnostics);
        let system = timed::check::check(&file, spec::scope::Scope::new(), &mut diagnostics);
        let system = system.unwrap_or_else(|_| panic!("{text}: {:?}", diagnostics.entries));
        let purpose = &system.purposes[0];
        let judged = timed::purpose::judge(&system, &purpose.edges, &mut solver).expect("answers");
        timed::purpose::report(&system, purpose, &judged, &mut solver, &mut diagnostics).expect("answers");
        let found = diagnostics.errors().next().map(|entry| entry.code.text);
        assert_eq!(found, expected, "{text}");
    }
}
