//! Random C step functions: compiled code, evaluator and circuits must agree on every word of state after every step, bit for bit.
//!
//! | data model | compiled code |
//! |---|---|
//! | lp64 | the programs as they are, many in one file |
//! | ilp32 | the tool's replay: the compiler's 32-bit mode where the host runs it, else the program rewritten with fixed-width types |
//! | ip16 | the tool's replay: the program rewritten with fixed-width types |
//!
//! `CHAINCOVER_RANDOM_PROGRAMS` sets the number of programs of each test, `CHAINCOVER_RANDOM_SEED` the first seed,
//! `CHAINCOVER_RANDOM_SHRINK` the trials of shrinking. A failing program is shrunk and shown with its seed. The long run:
//!
//! ```sh
//! CHAINCOVER_RANDOM_PROGRAMS=5000 cargo test -p chaincover --test suite differential::
//! ```

mod case;
mod compare;
mod generate;
mod harness;
mod plans;
mod program;
#[path = "../../../frontend/c/tests/translate/support.rs"]
mod support;

use case::{Case, Prepared, case, prepare};
use frontend_c::ir::target::{DataModel, Target};
use generate::Options;
use program::shrink;

/// Programs compiled in one go.
const BATCH: usize = 50;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What was compared.
#[derive(Default)]
struct Counts {
    steps: usize,
    compiled: usize,
    circuits: usize,
}

/// The failures among some cases.
fn failures(cases: &[Case], target: Target, counts: &mut Counts) -> Vec<(u64, String)> {
    let mut failed = Vec::new();
    let mut ready = Vec::new();
    for case in cases {
        match prepare(case, target) {
            Ok(prepared) => ready.push((case, prepared)),
            Err(why) => failed.push((case.seed, why)),
        }
    }
    let pairs: Vec<(&Case, &Prepared)> = ready.iter().map(|(case, prepared)| (*case, prepared)).collect();
    for (case, prepared) in &pairs {
        counts.steps += prepared.trace.inputs.len();
        match compare::with_circuits(prepared) {
            Ok(compared) => counts.circuits += compared,
            Err(why) => failed.push((case.seed, why)),
        }
    }
    match compiled(&pairs, target) {
        Ok(results) => {
            for (seed, result) in results {
                match result {
                    Ok(compared) => counts.compiled += compared,
                    Err(why) => failed.push((seed, why)),
                }
            }
        }
        Err(why) if pairs.len() > 1 => {
            // Find the one that crashes.
            let before = failed.len();
            for (case, _) in &pairs {
                failed.extend(failures(std::slice::from_ref(*case), target, counts));
            }
            assert!(failed.len() > before, "programs that fail together should fail alone: {why}");
        }
        Err(why) => failed.push((pairs[0].0.seed, why)),
    }
    failed
}

/// A program by its seed, and the number of values that agree, or what differs.
type Judged = (u64, Result<usize, String>);

/// Compares programs with the compiled code: for each the number of values that were compared, or what differs.
fn compiled(pairs: &[(&Case, &Prepared)], target: Target) -> Result<Vec<Judged>, String> {
    if target.model == DataModel::Lp64 {
        let rows = harness::run(pairs)?;
        let compare = |(case, prepared): &(&Case, &Prepared)| {
            (case.seed, compare::with_compiled(case, prepared, &rows))
        };
        return Ok(pairs.iter().map(compare).collect());
    }
    let printed = plans::run(pairs)?;
    let compare = |(case, prepared): &(&Case, &Prepared)| {
        let result = match &printed.get(&case.seed) {
            Some(Ok(lines)) => plans::compare(prepared, lines),
            Some(Err(why)) => Err(why.clone()),
            None => Err("step: nothing printed".to_owned()),
        };
        (case.seed, result)
    };
    Ok(pairs.iter().map(compare).collect())
}

fn run(options: Options, model: DataModel, first: u64, sample: u64) {
    let count = number("CHAINCOVER_RANDOM_PROGRAMS", sample);
    let first = first + number("CHAINCOVER_RANDOM_SEED", 1);
    let counts = run_from(first, count, options, model, count > 10 * sample);
    let least = (count * 20) as usize;
    assert!(counts.compiled > least && counts.circuits > least, "too few values were compared");
}

/// Judges `count` programs, the seeds of which begin with `first`.
fn run_from(first: u64, count: u64, options: Options, model: DataModel, tells_progress: bool) -> Counts {
    let target = Target { model };
    let mut counts = Counts::default();
    let mut start = first;
    while start < first + count {
        let end = (start + BATCH as u64).min(first + count);
        let cases: Vec<Case> = (start..end).map(|seed| case(seed, options)).collect();
        if let Some((seed, why)) = failures(&cases, target, &mut counts).first() {
            report(&cases, *seed, why, target);
        }
        start = end;
        if tells_progress {
            println!("{model:?}, {options:?}: {} programs so far", start - first);
        }
    }
    println!(
        "{model:?}, {options:?}: {count} programs, {} steps, {} values compared with compiled code, {} with circuits",
        counts.steps, counts.compiled, counts.circuits
    );
    counts
}

fn report(cases: &[Case], seed: u64, why: &str, target: Target) -> ! {
    let case = cases.iter().find(|case| case.seed == seed).expect("the failing case should be one of them");
    let kind = why.split(':').next().unwrap_or("").split(' ').next().unwrap_or("").to_owned();
    let is_step = kind == "step";
    assert!(is_step || kind == "cc", "seed {seed}: {why}\n{}", case.program.text());
    let budget = number("CHAINCOVER_RANDOM_SHRINK", 400) as usize;
    let smaller = shrink(&case.program, budget, &mut |program| {
        let smaller = Case { seed, program: program.clone() };
        let failed = failures(std::slice::from_ref(&smaller), target, &mut Counts::default());
        failed
            .first()
            .is_some_and(|(_, other)| if is_step { other.starts_with("step") } else { other == why })
    });
    let small = Case { seed, program: smaller };
    let again = failures(std::slice::from_ref(&small), target, &mut Counts::default());
    panic!("{target:?}, seed {seed}: {why}\nshrunk: {again:?}\n{}", small.program.text());
}

/// Integers, structs, arrays, control flow.
const PLAIN: Options = Options { rich: false, wide: false, effects: true };

/// Also floats, functions of math.h, bit-fields, unions, pointers.
const RICH: Options = Options { rich: true, wide: false, effects: true };

/// With bit-fields wider than `int`.
const WIDE: Options = Options { rich: true, wide: true, effects: true };

/// As [`RICH`], without values of assignments: what the seeds of old failures were generated with.
const QUIET: Options = Options { effects: false, ..RICH };

#[test]
fn integer_programs_lp64() {
    run(PLAIN, DataModel::Lp64, 0, 24);
}

#[test]
fn integer_programs_ilp32() {
    run(PLAIN, DataModel::Ilp32, 10_000_000, 8);
}

#[test]
fn integer_programs_ip16() {
    run(PLAIN, DataModel::Ip16, 20_000_000, 16);
}

#[test]
fn rich_programs_lp64() {
    run(RICH, DataModel::Lp64, 30_000_000, 24);
}

/// Programs that failed once: GCC computes `0.0 - (double)i` as a negation unless it must respect rounding modes; the sign of the smaller of two
/// zeros is open; no step at all is defined; a float that does not fit a bit-field.
#[test]
fn failures_of_long_runs_stay_mended() {
    const FAILED: [(u64, Options, DataModel); 4] = [
        (30_101_659, QUIET, DataModel::Lp64),
        (30_102_317, QUIET, DataModel::Lp64),
        (50_100_017, QUIET, DataModel::Ip16),
        (50_262_137, QUIET, DataModel::Lp64),
    ];
    for (seed, options, model) in FAILED {
        run_from(seed, 1, options, model, false);
    }
}

#[test]
fn rich_programs_ilp32() {
    run(RICH, DataModel::Ilp32, 40_000_000, 8);
}

#[test]
fn wide_bit_fields_lp64() {
    run(WIDE, DataModel::Lp64, 60_000_000, 8);
}

#[test]
fn wide_bit_fields_ilp32() {
    run(WIDE, DataModel::Ilp32, 70_000_000, 4);
}

#[test]
fn rich_programs_ip16() {
    run(RICH, DataModel::Ip16, 50_000_000, 16);
}
