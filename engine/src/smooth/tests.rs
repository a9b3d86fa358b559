//! Smoothing on small systems: what must stay, what becomes fewer, what is called free.

use super::{Keeping, Limits, Smoothed, Smoothing, smooth};
use crate::knowledge::chains::{CheckedChain, longest_run};
use crate::knowledge::task::{Task, all_goals};
use crate::options::Options;
use crate::options::Slew;
use crate::session::{Session, Silent};
use model::system::GoalId;
use model::text::parse;
use model::trace::{Start, Trace, replay};
use model::validate::{Validated, validate};
use model::value::Value;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Counts up while `go`; `noise` matters only when the count is 2, where it must be odd to go on.
const PLANT: &str = "system plant
    input go w1 input noise w4 state n w3 next (ite (and go (or (not (eq n 2)) (extract 0 0 noise))) (add n 1) n)
    output y (eq n 5) assume (ult noise 12)
    goal two when (and (eq n 2) (eq n@1 3)) goal five when (eq n 5) expect go
    end (ult 4 n)";

fn system(text: &str) -> Validated {
    validate(parse(text).expect("the text should parse")).expect("it should be well-formed")
}

fn candidate<const WIDTH: usize>(system: &Validated, rows: &[[u128; WIDTH]]) -> CheckedChain {
    let value = |row: &[u128; WIDTH]| {
        let sorts = system.inputs.values().map(|input| system.terms.symbol(input.symbol).sort);
        sorts.zip(row).map(|(sort, &bits)| Value::new(sort, bits)).collect()
    };
    let trace = Trace { start: Start::Initial(Vec::new()), inputs: rows.iter().map(value).collect() };
    let task = Task::new(system, &all_goals(system), Vec::new());
    longest_run(&task, &trace).expect("the chain should run")
}

fn smoothed<const WIDTH: usize>(
    system: &Validated,
    rows: &[[u128; WIDTH]],
    limits: Limits,
) -> (CheckedChain, Smoothed) {
    let chain = candidate(system, rows);
    assert_eq!(chain.trace.inputs.len(), rows.len());
    let task = Task::new(system, &all_goals(system), Vec::new());
    let order: Vec<GoalId> = system.goals.ids().filter(|&goal| chain.covers(goal)).collect();
    let options = Options::default();
    let session = Session::new(&options, &Silent);
    let signed = system.inputs.ids().map(|_| Some(false)).collect();
    let ranges = vec![true; system.assumptions.len()];
    let wishes = Smoothing { limits, signed, ranges, ..Smoothing::default() };
    let (better, report) = smooth(&task, &chain, &order, &wishes, &session).expect("no limit is set");
    assert!(better.length() <= chain.length());
    assert_eq!(report.free.len(), better.trace.inputs.len());
    assert!(order.iter().all(|&goal| better.covers(goal)), "no goal is lost");
    assert!(better.run.may_end || !chain.run.may_end);
    assert!(better.run.hazards.is_empty() || !chain.run.hazards.is_empty());
    assert!(
        report.changes <= report.raw_changes || report.limits != Keeping::Kept || !wishes.limits.is_empty()
    );
    (better, report)
}

const NOISY: [[u128; 2]; 7] = [[1, 3], [1, 8], [0, 1], [1, 5], [0, 7], [1, 2], [1, 11]];

#[test]
fn noise_is_held_and_goals_stay() {
    let system = system(PLANT);
    let (chain, report) = smoothed(&system, &NOISY, Limits::default());
    assert_eq!((report.raw_changes, report.changes), (10, 0), "{:?}", chain.trace.inputs);
}

/// `x` is needed above 40 in step 0 and above 1000 in step 2, `y` not at all, `z` exactly so; 80
/// goes as well as 77.
#[test]
fn values_that_came_by_chance_become_plain() {
    let text = "system plain input x w16 input y w32 input z w8 state n w3 next (add n 1)
        goal low when (and (eq n 0) (ult 40 x)) goal high when (and (eq n 2) (ult 1000 x)) goal exact when (eq z 137)
        goal near when (and (eq n 1) (and (ult 70 x) (ult x 90)))";
    let rows = [[43_211, 2_147_483_648, 137], [77, 2_147_483_648, 137], [43_211, 3_221_225_472, 137]];
    let (chain, report) = smoothed(&system(text), &rows, Limits::default());
    let bits: Vec<Vec<u128>> =
        chain.trace.inputs.iter().map(|row| row.iter().map(|value| value.bits()).collect()).collect();
    assert_eq!(bits, [[80, 0, 137], [80, 0, 137], [10_000, 0, 137]]);
    assert_eq!((report.raw_changes, report.changes), (3, 1));
}

/// Whole replays for each of ten thousands of trials would take far more than the effort allows.
#[test]
fn long_chains_are_smoothed_to_their_end() {
    let text = "system long input a w1 input b w1 input noise w8 state n w16 next (ite a 0 (add n 1))
        state t w16 next (add t 1) goal late when (eq t 19999)
        goal quiet when (eq n 9) goal pair steps 2 when (and a b a@1 b@1) end (ult 3 n)";
    let system = system(text);
    let mut random = StdRng::seed_from_u64(11);
    let rows: Vec<[u128; 3]> = (0..20_000)
        .map(|step| match step % 100 {
            90..100 => [0, random.random_range(0..2), random.random_range(0..256)],
            _ => [random.random_range(0..2), random.random_range(0..2), random.random_range(0..256)],
        })
        .collect();
    let (chain, report) = smoothed(&system, &rows, Limits::default());
    assert_eq!(chain.length(), 20_000);
    assert!(
        report.raw_changes > 30_000 && report.changes < 100,
        "{} of {}",
        report.changes,
        report.raw_changes
    );
}

#[test]
fn a_violated_expectation_stays_violated() {
    let system = system(PLANT);
    // `five` occurs first in step 5, where `go` is expected but missing.
    let rows = [[1, 1], [1, 2], [1, 1], [1, 1], [1, 9], [0, 4], [1, 4]];
    let chain = candidate(&system, &rows);
    let goal = system.goals.ids().nth(1).expect("a goal");
    assert!(chain.run.occurrences[goal].iter().any(|found| found.expectation == Some(false)));
    let (better, _) = smoothed(&system, &rows, Limits::default());
    assert!(better.run.occurrences[goal].iter().any(|found| found.expectation == Some(false)));
}

/// Holding `go` brings the count to 5 two steps earlier.
#[test]
fn steps_that_are_needed_no_more_are_cut_off() {
    let system = system(PLANT);
    let (chain, _) = smoothed(&system, &NOISY, Limits::default());
    assert_eq!(chain.length(), 5);
    assert!(chain.run.may_end && chain.run.states[4][0].bits() == 4);
}

#[test]
fn free_inputs_do_not_matter() {
    let system = system(PLANT);
    let (chain, report) = smoothed(&system, &NOISY, Limits::default());
    let steps = chain.trace.inputs.len();
    let matters: Vec<usize> = (0..steps).filter(|&step| !report.free[step][1]).collect();
    let at_two = (0..steps).filter(|&step| chain.run.states[step][0].bits() == 2).collect::<Vec<_>>();
    assert_eq!(matters, at_two, "noise matters where the count is 2 and nowhere else");
    assert!(report.free.iter().all(|row| !row[0]), "go always matters");
    let mut random = StdRng::seed_from_u64(5);
    for _ in 0..200 {
        let mut inputs = chain.trace.inputs.clone();
        for (row, free) in inputs.iter_mut().zip(&report.free) {
            if free[1] {
                row[1] = Value::word(4, random.random_range(0..12));
            }
        }
        let run = replay(&system, &Trace { inputs, ..chain.trace.as_ref().clone() })
            .expect("assumptions should hold");
        assert_eq!(
            (run.outputs, run.occurrences),
            (chain.run.outputs.clone(), chain.run.occurrences.clone())
        );
    }
}

/// An assumption over one input is no declared range: whoever fills in a value does not know it.
#[test]
fn inputs_are_free_within_declared_ranges_alone() {
    let system = system(PLANT);
    let task = Task::new(&system, &all_goals(&system), Vec::new());
    let (chain, options) = (candidate(&system, &NOISY), Options::default());
    let session = Session::new(&options, &Silent);
    let wishes = Smoothing { ranges: vec![false], ..Smoothing::default() };
    let (_, report) = smooth(&task, &chain, &[], &wishes, &session).expect("no limit is set");
    assert!(report.free.iter().all(|row| !row[1]), "{:?}", report.free);
}

/// Both inputs must be 1 at the end; the second may rise at any time before.
const PAIR: &str = "system pair input a w1 input b w1 state n w3 next (add n 1)
    goal both when (and (eq n 4) a b) goal neither when (and (eq n 0) (not a) (not b))";

#[test]
fn one_change_in_a_step() {
    let system = system(PAIR);
    let rows = [[0, 0], [0, 0], [0, 0], [0, 0], [1, 1]];
    let (chain, report) = smoothed(&system, &rows, Limits { single_change: true, ..Limits::default() });
    assert_eq!(report.limits, Keeping::Kept, "{:?}", chain.trace.inputs);
    assert_eq!(report.changes, 2);
}

#[test]
fn dwell_times_are_kept_where_possible() {
    let system = system(PAIR);
    let rows = [[0, 0], [1, 0], [0, 0], [1, 1], [1, 1]];
    let (_, report) = smoothed(&system, &rows, Limits { dwell: 3, ..Limits::default() });
    assert_eq!(report.limits, Keeping::Kept);
    let impossible = [[0, 0], [1, 0], [0, 0]];
    let text = "system flip input a w1 input b w1 state n w3 next (add n 1)
        goal up when (and (eq n 1) a) goal down when (and (eq n 2) (not a)) goal start when (and (eq n 0) (not a))";
    let flip = self::system(text);
    let (_, report) = smoothed(&flip, &impossible, Limits { dwell: 2, ..Limits::default() });
    assert_eq!(report.limits, Keeping::Impossible);
}

#[test]
fn slew_limits_are_kept_where_possible() {
    let text = "system ramp input level w4 input b w1 state n w3 next (add n 1)
        goal low when (and (eq n 0) (eq level 2)) goal high when (and (eq n 4) (eq level 13))";
    let system = system(text);
    let rows = [[2, 0], [2, 1], [2, 0], [2, 0], [13, 0]];
    let slew = |limit: f64| Limits {
        slew: [Some(Slew { limit, signed: false }), None].into_iter().collect(),
        ..Limits::default()
    };
    let (chain, report) = smoothed(&system, &rows, slew(3.0));
    assert_eq!(report.limits, Keeping::Kept, "{:?}", chain.trace.inputs);
    let (_, report) = smoothed(&system, &rows, slew(2.0));
    assert_eq!(report.limits, Keeping::Impossible, "11 in four steps needs 3 in one");
}
