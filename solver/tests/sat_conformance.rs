//! What every SAT back end has to do, once for all of them.
//!
//! Each solver runs inside `Checked`, which verifies models and the shape of cores; verdicts and
//! cores of small formulas are compared with brute force. A back end joins by one line at the end
//! of the file.

use chaincover_solver::sat::dimacs::{self, AssumptionStyle};
use chaincover_solver::sat::{
    Backend, Budget, Checked, ClauseSink, Formula, IncrementalSat, Lit, Options, Verdict,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

type Solver = Checked<Box<dyn IncrementalSat + Send>>;

fn open(backend: Backend) -> Solver {
    Checked::new(backend.open())
}

fn fresh<const COUNT: usize>(sink: &mut impl ClauseSink) -> [Lit; COUNT] {
    [(); COUNT].map(|()| sink.fresh().positive())
}

fn ask(solver: &mut Solver, assumptions: &[Lit]) -> Verdict {
    solver.solve(assumptions, &Budget::default())
}

/// `pigeons` pigeons in one hole fewer, in force under the returned literal. Resolution proofs are
/// exponential.
fn pigeonhole(sink: &mut impl ClauseSink, pigeons: usize) -> Lit {
    let holes = pigeons - 1;
    let guard = sink.fresh().positive();
    let sits: Vec<Vec<Lit>> =
        (0..pigeons).map(|_| (0..holes).map(|_| sink.fresh().positive()).collect()).collect();
    for row in &sits {
        let clause: Vec<Lit> = row.iter().copied().chain([!guard]).collect();
        sink.clause(&clause);
    }
    for hole in 0..holes {
        for first in 0..pigeons {
            for second in 0..first {
                sink.clause(&[!guard, !sits[first][hole], !sits[second][hole]]);
            }
        }
    }
    guard
}

fn pigeonholes_are_too_few(backend: Backend) {
    for pigeons in 2..=7 {
        let mut solver = open(backend);
        let guard = pigeonhole(&mut solver, pigeons);
        assert_eq!(ask(&mut solver, &[guard]), Verdict::Unsat, "{pigeons} pigeons");
        assert_eq!(solver.core(), [guard]);
        assert_eq!(ask(&mut solver, &[!guard]), Verdict::Sat);
        solver.clause(&[guard]);
        assert_eq!(ask(&mut solver, &[]), Verdict::Unsat);
        assert_eq!(solver.core(), []);
        assert_eq!(ask(&mut solver, &[guard]), Verdict::Unsat);
    }
}

/// All models of a formula over few variables, narrowed clause by clause.
struct BruteForce {
    models: Vec<u32>,
}

impl BruteForce {
    fn new(variables: u32) -> Self {
        Self { models: (0..1 << variables).collect() }
    }
    fn holds(model: u32, literal: Lit) -> bool {
        (model >> literal.var().0 & 1 == 1) != literal.is_negated()
    }
    fn clause(&mut self, clause: &[Lit]) {
        self.models.retain(|&model| clause.iter().any(|&literal| Self::holds(model, literal)));
    }
    fn verdict(&self, assumptions: &[Lit]) -> Verdict {
        let satisfies = |&model: &u32| assumptions.iter().all(|&literal| Self::holds(model, literal));
        if self.models.iter().any(satisfies) { Verdict::Sat } else { Verdict::Unsat }
    }
}

fn random_literals(random: &mut StdRng, from: &[Lit], count: usize) -> Vec<Lit> {
    let literal = |_| from[random.random_range(0..from.len())];
    let literals: Vec<Lit> = (0..count).map(literal).collect();
    literals.into_iter().map(|literal| if random.random() { literal } else { !literal }).collect()
}

fn random_formulas_agree_with_brute_force(backend: Backend) {
    let verdicts = compare_with_brute_force(backend, 300);
    assert!(verdicts.iter().all(|&count| count > 800), "both answers should be frequent: {verdicts:?}");
}

/// Clauses arrive in batches (repeated literals and tautologies included), with queries in between
/// under assumptions that may repeat or contradict each other; new variables come late, too.
/// Returns how often the answer was `Unsat` and `Sat`.
fn compare_with_brute_force(backend: Backend, formulas: u32) -> [u32; 2] {
    let mut random = StdRng::seed_from_u64(7);
    let mut verdicts = [0; 2];
    for _ in 0..formulas {
        let variables = random.random_range(1..=10);
        let mut solver = open(backend);
        let mut expected = BruteForce::new(variables);
        let mut literals = vec![solver.fresh().positive()];
        for _ in 0..random.random_range(2..20) {
            if literals.len() < variables as usize && random.random_bool(0.7) {
                literals.push(solver.fresh().positive());
            }
            for _ in 0..random.random_range(0..7) {
                let length = if random.random_bool(0.1) { random.random_range(1..=4) } else { 3 };
                let clause = random_literals(&mut random, &literals, length);
                solver.clause(&clause);
                expected.clause(&clause);
            }
            let count = random.random_range(0..5);
            let assumptions = random_literals(&mut random, &literals, count);
            let verdict = ask(&mut solver, &assumptions);
            assert_eq!(verdict, expected.verdict(&assumptions), "under {assumptions:?}");
            verdicts[usize::from(verdict == Verdict::Sat)] += 1;
            if verdict == Verdict::Unsat {
                assert_eq!(
                    expected.verdict(solver.core()),
                    Verdict::Unsat,
                    "core {:?} of {assumptions:?}",
                    solver.core()
                );
                let core = solver.confirm_core(&Budget::default());
                assert_eq!(expected.verdict(&core), Verdict::Unsat);
            }
        }
    }
    verdicts
}

/// The same for many more formulas: `SAT_FORMULAS=100000 cargo test --test sat_conformance --
/// --ignored`.
#[test]
#[ignore = "takes minutes"]
fn many_random_formulas_agree_with_brute_force() {
    let formulas = std::env::var("SAT_FORMULAS").map_or(20_000, |count| count.parse().expect("a number"));
    for backend in Backend::ALL {
        eprintln!("{backend}: {:?}", compare_with_brute_force(backend, formulas));
    }
}

fn cores_leave_out_what_does_not_matter(backend: Backend) {
    let mut solver = open(backend);
    let [a, b, c, d] = fresh(&mut solver);
    solver.clause(&[!a, !b]);
    solver.clause(&[c, d]);
    assert_eq!(ask(&mut solver, &[c, a, d, b]), Verdict::Unsat);
    let mut core = solver.core().to_vec();
    core.sort();
    assert_eq!(core, [a, b]);
    assert_eq!(solver.confirm_core(&Budget::default()).len(), 2);
}

fn trivial_formulas(backend: Backend) {
    let mut solver = open(backend);
    assert_eq!(ask(&mut solver, &[]), Verdict::Sat);
    let [a, b] = fresh(&mut solver);
    assert_eq!(ask(&mut solver, &[]), Verdict::Sat);
    solver.clause(&[a, a, a]);
    solver.clause(&[b, !b]);
    assert_eq!(ask(&mut solver, &[!b]), Verdict::Sat);
    assert_eq!(solver.value(a), Some(true));
    solver.clause(&[!a, b, !a]);
    assert_eq!(ask(&mut solver, &[!b]), Verdict::Unsat);
    assert_eq!(solver.core(), [!b]);
    assert_eq!((solver.variables(), solver.clauses()), (2, 3));
}

fn an_empty_clause_is_final(backend: Backend) {
    let mut solver = open(backend);
    let [a, b] = fresh(&mut solver);
    solver.clause(&[a, b]);
    assert_eq!(ask(&mut solver, &[]), Verdict::Sat);
    solver.clause(&[]);
    for assumptions in [&[][..], &[a], &[a, !a]] {
        assert_eq!(ask(&mut solver, assumptions), Verdict::Unsat);
    }
    assert_eq!(ask(&mut solver, &[]), Verdict::Unsat);
    assert_eq!(solver.core(), []);
    let [c] = fresh(&mut solver);
    solver.clause(&[c]);
    assert_eq!(ask(&mut solver, &[c]), Verdict::Unsat);
    let mut solver = open(backend);
    solver.clause(&[]);
    assert_eq!(ask(&mut solver, &[]), Verdict::Unsat);
    assert_eq!(solver.core(), []);
}

fn unsatisfiable_without_assumptions(backend: Backend) {
    let mut solver = open(backend);
    let [a, b, c] = fresh(&mut solver);
    for clause in [[a, b], [!a, b], [a, !b], [!a, !b]] {
        solver.clause(&clause);
    }
    assert_eq!(ask(&mut solver, &[]), Verdict::Unsat);
    assert_eq!(solver.core(), []);
    assert_eq!(ask(&mut solver, &[c]), Verdict::Unsat);
    assert_eq!(ask(&mut solver, &[!c, c]), Verdict::Unsat);
}

fn odd_assumptions(backend: Backend) {
    let mut solver = open(backend);
    let [a, b, c] = fresh(&mut solver);
    solver.clause(&[!a, b]);
    // Repeated.
    assert_eq!(ask(&mut solver, &[a, a, b, a]), Verdict::Sat);
    assert_eq!(solver.value(b), Some(true));
    assert_eq!(ask(&mut solver, &[a, a, !b, !b, a]), Verdict::Unsat);
    assert!(solver.core().contains(&a) && solver.core().contains(&!b), "{:?}", solver.core());
    // Contradictory: the core has to name both, since neither is wrong alone.
    for assumptions in [[c, !c, b], [b, c, !c], [!c, b, c]] {
        assert_eq!(ask(&mut solver, &assumptions), Verdict::Unsat);
        assert!(solver.core().contains(&c) && solver.core().contains(&!c), "{:?}", solver.core());
    }
    // On a variable in no clause, before and after others were made.
    assert_eq!(ask(&mut solver, &[!c]), Verdict::Sat);
    assert_eq!(solver.value(c), Some(false));
    let [d, e] = fresh(&mut solver);
    assert_eq!(ask(&mut solver, &[e]), Verdict::Sat);
    assert_eq!((solver.value(e), solver.value(!e)), (Some(true), Some(false)));
    // Assumptions hold for one query only.
    assert_eq!(ask(&mut solver, &[!e, d]), Verdict::Sat);
    assert_eq!(ask(&mut solver, &[]), Verdict::Sat);
}

fn assumptions_already_decided_by_units(backend: Backend) {
    let mut solver = open(backend);
    let [a, b] = fresh(&mut solver);
    solver.clause(&[a]);
    assert_eq!(ask(&mut solver, &[b, !a]), Verdict::Unsat);
    assert_eq!(solver.core(), [!a]);
    assert_eq!(ask(&mut solver, &[a, b]), Verdict::Sat);
}

fn variables_made_after_the_query_are_open(backend: Backend) {
    let mut solver = open(backend);
    let [a] = fresh(&mut solver);
    solver.clause(&[a]);
    assert_eq!(ask(&mut solver, &[]), Verdict::Sat);
    let [late] = fresh(&mut solver);
    assert_eq!((solver.value(a), solver.value(late)), (Some(true), None));
    assert_eq!((solver.is_true(late), solver.is_true(!late)), (false, true));
}

fn thousands_of_variables(backend: Backend) {
    const LENGTH: usize = 20_000;
    let mut solver = open(backend);
    let chain: Vec<Lit> = (0..LENGTH).map(|_| solver.fresh().positive()).collect();
    for pair in chain.windows(2) {
        solver.clause(&[!pair[0], pair[1]]);
    }
    assert_eq!(ask(&mut solver, &[chain[0]]), Verdict::Sat);
    assert!(chain.iter().all(|&literal| solver.value(literal) == Some(true)));
    assert_eq!(ask(&mut solver, &[!chain[LENGTH - 1], chain[0]]), Verdict::Unsat);
    let mut core = solver.core().to_vec();
    core.sort();
    assert_eq!(core, [chain[0], !chain[LENGTH - 1]]);
    // As many assumptions as variables.
    let all: Vec<Lit> = chain.iter().map(|&literal| !literal).collect();
    assert_eq!(ask(&mut solver, &all), Verdict::Sat);
}

fn planted_models_are_found(backend: Backend) {
    let mut random = StdRng::seed_from_u64(11);
    let mut solver = open(backend);
    let literals: Vec<Lit> = (0..1500).map(|_| solver.fresh().positive()).collect();
    let planted: Vec<bool> = literals.iter().map(|_| random.random()).collect();
    let holds = |literal: &Lit| planted[literal.var().0 as usize] != literal.is_negated();
    for batch in 1..=5 {
        while solver.clauses() < batch * 1000 {
            let clause = random_literals(&mut random, &literals, 3);
            if clause.iter().any(holds) {
                solver.clause(&clause);
            }
        }
        assert_eq!(ask(&mut solver, &[]), Verdict::Sat);
    }
    let model: Vec<Lit> =
        literals.iter().map(|&literal| if holds(&literal) { literal } else { !literal }).collect();
    assert_eq!(ask(&mut solver, &model), Verdict::Sat);
}

/// Gives up on a hard formula under the budget, and answers easy questions afterwards.
fn gives_up(backend: Backend, budget: &Budget) {
    let mut solver = open(backend);
    let guard = pigeonhole(&mut solver, 13);
    assert_eq!(solver.solve(&[guard], budget), Verdict::Unknown);
    let reading = catch_unwind(AssertUnwindSafe(|| solver.value(guard)));
    assert!(reading.is_err(), "there should be no values after an open query");
    assert_eq!(ask(&mut solver, &[!guard]), Verdict::Sat);
    solver.clause(&[!guard]);
    assert_eq!(ask(&mut solver, &[guard]), Verdict::Unsat);
    assert_eq!(solver.core(), [guard]);
    assert_eq!(ask(&mut solver, &[]), Verdict::Sat);
}

fn conflict_limits_end_queries(backend: Backend) {
    for conflicts in [1, 100] {
        gives_up(backend, &Budget { conflicts: Some(conflicts), ..Budget::default() });
    }
}

fn conflict_limits_hold_for_one_query(backend: Backend) {
    let mut solver = open(backend);
    let guard = pigeonhole(&mut solver, 8);
    let limited = Budget { conflicts: Some(1), ..Budget::default() };
    assert_eq!(solver.solve(&[guard], &limited), Verdict::Unknown);
    assert_eq!(solver.solve(&[guard], &limited), Verdict::Unknown);
    assert_eq!(ask(&mut solver, &[guard]), Verdict::Unsat);
    assert_eq!(solver.core(), [guard]);
}

fn deadlines_end_queries(backend: Backend) {
    gives_up(backend, &Budget { deadline: Some(Instant::now()), ..Budget::default() });
    let soon = Instant::now() + Duration::from_millis(30);
    gives_up(backend, &Budget { deadline: Some(soon), ..Budget::default() });
}

fn stop_flags_end_queries(backend: Backend) {
    let flag = Arc::new(AtomicBool::new(true));
    let budget = Budget { stop: Some(flag.clone()), ..Budget::default() };
    gives_up(backend, &budget);
    flag.store(false, Ordering::Relaxed);
    let setter = std::thread::spawn({
        let flag = flag.clone();
        move || {
            std::thread::sleep(Duration::from_millis(30));
            flag.store(true, Ordering::Relaxed);
        }
    });
    gives_up(backend, &budget);
    setter.join().unwrap();
    flag.store(false, Ordering::Relaxed);
    let mut solver = open(backend);
    let [a] = fresh(&mut solver);
    assert_eq!(solver.solve(&[a], &budget), Verdict::Sat);
}

fn generous_budgets_change_nothing(backend: Backend) {
    let budget = Budget {
        conflicts: Some(u64::MAX),
        deadline: Some(Instant::now() + Duration::from_secs(3600)),
        stop: Some(Arc::new(AtomicBool::new(false))),
    };
    let mut solver = open(backend);
    let guard = pigeonhole(&mut solver, 6);
    assert_eq!(solver.solve(&[guard], &budget), Verdict::Unsat);
    assert_eq!(solver.solve(&[!guard], &budget), Verdict::Sat);
}

fn answers_are_read_only_in_their_state(backend: Backend) {
    // Not through `Checked`: the back end itself has to refuse.
    let mut solver = backend.open();
    let [a] = fresh(&mut solver);
    let refuses = |solver: &dyn IncrementalSat, value: bool, core: bool| {
        let value_read = catch_unwind(AssertUnwindSafe(|| solver.value(a)));
        let core_read = catch_unwind(AssertUnwindSafe(|| solver.core().len()));
        assert_eq!((value_read.is_err(), core_read.is_err()), (value, core));
    };
    refuses(&*solver, true, true);
    solver.solve(&[a], &Budget::default());
    refuses(&*solver, false, true);
    solver.clause(&[!a]);
    refuses(&*solver, true, true);
    solver.solve(&[a], &Budget::default());
    refuses(&*solver, true, false);
    solver.clause(&[!a]);
    refuses(&*solver, true, true);
}

fn same_calls_give_same_answers(backend: Backend) {
    for seed in [None, Some(0), Some(1), Some(u64::MAX)] {
        let run = || {
            let mut solver = Checked::new(backend.open_with(&Options { seed }));
            let mut random = StdRng::seed_from_u64(3);
            let literals: Vec<Lit> = (0..100).map(|_| solver.fresh().positive()).collect();
            let mut answers = Vec::new();
            for _ in 0..60 {
                for _ in 0..7 {
                    solver.clause(&random_literals(&mut random, &literals, 3));
                }
                let assumptions = random_literals(&mut random, &literals, 3);
                match ask(&mut solver, &assumptions) {
                    Verdict::Sat => {
                        answers.extend(literals.iter().map(|&literal| solver.value(literal)));
                    }
                    verdict => {
                        answers.push(None);
                        answers.extend(solver.core().iter().map(|core| Some(core.is_negated())));
                        assert_eq!(verdict, Verdict::Unsat);
                    }
                }
            }
            answers
        };
        assert_eq!(run(), run(), "seed {seed:?}");
    }
}

fn solvers_move_between_threads(backend: Backend) {
    let mut solver = open(backend);
    let guard = pigeonhole(&mut solver, 5);
    let mut solver = std::thread::spawn(move || {
        assert_eq!(ask(&mut solver, &[guard]), Verdict::Unsat);
        solver
    })
    .join()
    .unwrap();
    assert_eq!(ask(&mut solver, &[!guard]), Verdict::Sat);
}

fn dumps_reproduce_the_query(backend: Backend) {
    let mut solver = open(backend);
    let [a, b] = fresh(&mut solver);
    solver.clause(&[!a, b]);
    for assumptions in [[a, b], [a, !b]] {
        let verdict = ask(&mut solver, &assumptions);
        for style in [AssumptionStyle::UnitClauses, AssumptionStyle::Comments] {
            let mut text = Vec::new();
            solver.recording().dump(style, &mut text).unwrap();
            let query = dimacs::read(std::str::from_utf8(&text).unwrap()).unwrap();
            let mut other = open(backend);
            query.formula.replay(&mut other);
            assert_eq!(ask(&mut other, &query.assumptions), verdict);
        }
    }
    let mut formula = Formula::new();
    pigeonhole(&mut formula, 4);
    let mut other = open(backend);
    formula.replay(&mut other);
    assert_eq!(other.formula(), &formula);
}

fn has_a_name(backend: Backend) {
    let solver = backend.open();
    let name = solver.name().to_lowercase();
    assert!(name.starts_with(backend.name()) && name.contains(|c: char| c.is_ascii_digit()), "{name}");
}

macro_rules! conformance {
    ($name:ident, $backend:expr) => {
        conformance!($name, $backend;
            pigeonholes_are_too_few, random_formulas_agree_with_brute_force, cores_leave_out_what_does_not_matter,
            trivial_formulas, an_empty_clause_is_final, unsatisfiable_without_assumptions, odd_assumptions,
            assumptions_already_decided_by_units, variables_made_after_the_query_are_open, thousands_of_variables,
            planted_models_are_found, conflict_limits_end_queries, conflict_limits_hold_for_one_query,
            deadlines_end_queries, stop_flags_end_queries, generous_budgets_change_nothing,
            answers_are_read_only_in_their_state, same_calls_give_same_answers, solvers_move_between_threads,
            dumps_reproduce_the_query, has_a_name);
    };
    ($name:ident, $backend:expr; $($test:ident),*) => {
        mod $name {
            use super::Backend;
            $(#[test] fn $test() { super::$test($backend); })*
        }
    };
}

conformance!(batsat, Backend::Batsat);
conformance!(cadical, Backend::Cadical);
conformance!(varisat, Backend::Varisat);
