//! Verdicts of every continuation by one event, against a simulator by hand.

use crate::support::{Edge, by_hand, random_edges, text};
use frontend::diagnostics::Diagnostics;
use frontend::source::SourceMap;
use harness::Time;
use num_rational::BigRational;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::json;
use spec::language::TIMED;
use spec::scope::Scope;
use timed::adaptive::{Continuation, Tree};
use timed::judge::{Judge, Judgement, Observed, TestFile};
use timed::smt::Solver;
use timed::system::System;
use timed::testcase::{Target, TestCaseError, Verdict, generate};

const TIMEOUT: i64 = 6;
/// No guard tells longer delays apart.
const LONGEST: i64 = 16;

type State = (usize, i64, i64);

/// An event of a run: delay and value.
type Event = (i64, i64);

fn system(text: &str) -> System {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let file = sources.add_text("t.tio".as_ref(), text);
    let tokens = spec::lexer::tokens(&sources, file, &TIMED, &mut diagnostics);
    let file = timed::parser::parse(&tokens, &mut diagnostics);
    let system = timed::check::check(&file, Scope::new(), &mut diagnostics);
    system.unwrap_or_else(|_| panic!("{text}\n{:?}", diagnostics.entries))
}

/// The step by a message with that value; what is sent is x.
fn step(edge: &Edge, state: State, (delay, value): Event) -> Option<State> {
    if !edge.is_input && value != state.1 {
        return None;
    }
    by_hand(edge, state, delay, value)
}

/// How many transitions of a path can be taken in a row, and a run of that many.
fn longest(edges: &[Edge], path: &[usize], state: State, most: i64) -> (usize, Vec<Event>) {
    let mut best = (0, Vec::new());
    let Some((&first, rest)) = path.split_first() else { return best };
    for delay in 0..most {
        for value in 0..6 {
            let Some(next) = step(&edges[first], state, (delay, value)) else { continue };
            let (count, mut run) = longest(edges, rest, next, most);
            if count + 1 > best.0 {
                run.insert(0, (delay, value));
                best = (count + 1, run);
                if best.0 == path.len() {
                    return best;
                }
            }
        }
    }
    best
}

/// The verdict of a message, or none where the test goes on; "refused" for a stimulation.
fn expected(edges: &[Edge], path: &[usize], at: usize, state: State, is_input: bool, event: Event) -> String {
    let on = &edges[path[at]];
    if on.is_input == is_input
        && let Some(next) = step(on, state, event)
    {
        let rest = &path[at + 1..];
        if is_input && longest(edges, rest, next, LONGEST).0 < rest.len() {
            return "refused".to_owned();
        }
        return if rest.is_empty() { "PASS".to_owned() } else { "goes on".to_owned() };
    }
    if is_input {
        return "refused".to_owned();
    }
    let is_allowed = edges
        .iter()
        .enumerate()
        .any(|(index, edge)| index != path[at] && !edge.is_input && step(edge, state, event).is_some());
    if is_allowed { "INC_out".to_owned() } else { "FAIL_out".to_owned() }
}

fn expected_silence(edges: &[Edge], state: State) -> &'static str {
    let possible =
        |delay: i64| edges.iter().any(|edge| !edge.is_input && step(edge, state, (delay, state.1)).is_some());
    let is_quiescent = !(0..LONGEST).any(possible);
    let may_come = (TIMEOUT + 1..LONGEST + TIMEOUT).any(possible);
    if is_quiescent || may_come { "INC_dur" } else { "FAIL_dur" }
}

fn message(is_input: bool, (delay, value): Event) -> Observed {
    let channel = if is_input { "In" } else { "Out" };
    let after = Time::new(BigRational::from_integer(delay.into())).expect("no negative delay");
    Observed { channel: Some(channel.to_owned()), args: vec![json!(value)], after, from: None }
}

fn told(judgement: Judgement) -> String {
    match judgement {
        Judgement::GoesOn => "goes on".to_owned(),
        Judgement::Verdict { verdict, .. } => Verdict::name(verdict).to_owned(),
        Judgement::Refused(_) => "refused".to_owned(),
        Judgement::Slack(_) => "INC_slack".to_owned(),
    }
}

/// A path that ends in an output, as long as the graph admits, at most 4 transitions.
fn random_path(edges: &[Edge], random: &mut SmallRng) -> Vec<usize> {
    let (mut at, mut path) = (0, Vec::new());
    for _ in 0..random.random_range(1..5) {
        let next: Vec<usize> = (0..edges.len()).filter(|&index| edges[index].from == at).collect();
        if next.is_empty() {
            break;
        }
        let chosen = next[random.random_range(0..next.len())];
        at = edges[chosen].to;
        path.push(chosen);
    }
    while path.last().is_some_and(|&last| edges[last].is_input) {
        path.pop();
    }
    path
}

/// Compares the verdicts of every continuation by one event of a run along a path, from a context
/// on, with those by hand; returns how many. Behind the first part of an adaptive test case, `path` is
/// that of another part: none where a stimulation before was made for the first, and is refused.
fn compare(
    test: &TestFile,
    solver: &mut Solver,
    edges: &[Edge],
    (path, first): (&[usize], usize),
) -> Option<usize> {
    let text = text(edges);
    let mut state = (0, 2, 0);
    let (_, run) = longest(edges, path, state, TIMEOUT);
    let mut verdicts = 0;
    for at in 0..path.len() {
        let prefix: Vec<Observed> =
            (0..at).map(|index| message(edges[path[index]].is_input, run[index])).collect();
        let mut judge = |observed: &Observed| {
            let mut judge = Judge::new(test, solver);
            for before in &prefix {
                let judged = judge.observe(before).expect("a judgement");
                if first > 0 && matches!(judged, Judgement::Refused(_)) {
                    return None;
                }
                assert_eq!(judged, Judgement::GoesOn, "{text}{path:?} at {at} from {first}");
            }
            Some(told(judge.observe(observed).expect("a judgement")))
        };
        let events = [true, false]
            .into_iter()
            .flat_map(|is_input| (0..TIMEOUT).map(move |delay| (is_input, delay)))
            .flat_map(|(is_input, delay)| [0, 1, 2, 3, 5].map(|value| (is_input, (delay, value))));
        for (is_input, event) in events.filter(|_| at >= first) {
            let expected = expected(edges, path, at, state, is_input, event);
            let found = judge(&message(is_input, event))?;
            assert_eq!(found, expected, "{text}{path:?} at {at} {state:?} {is_input} {event:?}");
            verdicts += 1;
        }
        if at >= first {
            let after = Time::new(BigRational::from_integer(TIMEOUT.into())).expect("a time");
            let silence = Observed { channel: None, args: Vec::new(), after, from: None };
            let found = judge(&silence)?;
            assert_eq!(found, expected_silence(edges, state), "{text}{path:?} at {at} {state:?}");
        }
        state = step(&edges[path[at]], state, run[at]).expect("a step of the run");
    }
    Some(verdicts)
}

/// A path that begins with one, and ends in an output.
fn longer_path(edges: &[Edge], taken: &[usize], random: &mut SmallRng) -> Option<Vec<usize>> {
    let mut path = taken.to_vec();
    for _ in 0..random.random_range(1..4) {
        let at = edges[*path.last()?].to;
        let next: Vec<usize> = (0..edges.len()).filter(|&index| edges[index].from == at).collect();
        if next.is_empty() {
            break;
        }
        path.push(next[random.random_range(0..next.len())]);
    }
    while path.len() > taken.len() && edges[*path.last()?].is_input {
        path.pop();
    }
    (path.len() > taken.len()).then_some(path)
}

/// Paths that are hung in at random: each part judges as a simulator by hand does, and systems that
/// conform never fail.
#[test]
fn parts_of_adaptive_test_cases_judge_as_a_simulator_by_hand() {
    let count =
        std::env::var("CHAINCOVER_RANDOM_SYSTEMS").ok().and_then(|text| text.parse().ok()).unwrap_or(1200);
    let mut random = SmallRng::seed_from_u64(29);
    let mut solver = Solver::start("z3").unwrap_or_else(|error| panic!("{error}"));
    let timeout = BigRational::from_integer(TIMEOUT.into());
    let (mut parts, mut verdicts, mut goes_on) = (0, 0, 0);
    for round in 0..count {
        let mut edges = random_edges(&mut random);
        edges.extend(random_edges(&mut random));
        let path = random_path(&edges, &mut random);
        let system = system(&text(&edges));
        let made = (!path.is_empty()).then(|| generate(&system, ("p", &path), &timeout, &mut solver));
        let Some(Ok(mut trunk)) = made else { continue };
        if round % 2 == 0 {
            trunk.prune(&mut solver).expect("answers");
        }
        let mut tree = Tree::from(trunk);
        let mut plan = |taken: &[usize]| -> Result<Continuation, TestCaseError> {
            Ok(longer_path(&edges, taken, &mut random).map_or(Continuation::Nothing, Continuation::Path))
        };
        tree.grow(1 + round % 2, &mut solver, &mut plan).expect("answers");
        let test = TestFile::read(&timed::write::json(&tree).to_string()).expect("what was written");
        // A part whose own deviations go on does so where the simulator has a verdict.
        let hung: Vec<usize> = tree
            .parts
            .iter()
            .flat_map(|part| &part.transitions)
            .filter_map(|one| match one.to {
                Target::Part { part, .. } => Some(part),
                _ => None,
            })
            .collect();
        assert_eq!(hung, (1..tree.parts.len()).collect::<Vec<_>>());
        for part in &tree.parts[1..] {
            let is_last = !part.transitions.iter().any(|one| matches!(one.to, Target::Part { .. }));
            if is_last && part.edges().len() < 6 && !part.is_pruned {
                let compared = compare(&test, &mut solver, &edges, (&part.edges(), part.first));
                parts += usize::from(compared.is_some());
                verdicts += compared.unwrap_or(0);
            }
        }
        for seed in 0..3 {
            let mut player = timed::play::Player::new(&system, seed, "z3");
            let mut source = |below: u64| random.random_range(0..below);
            let (report, observed) =
                timed::run::run(&test, &mut player, &mut solver, None, Some(&mut source)).expect("a verdict");
            assert_ne!(report.verdict, harness::Verdict::Fail, "{} {observed:?}", text(&edges));
            goes_on += usize::from(observed.len() > path.len());
        }
    }
    println!("{parts} parts, {verdicts} verdicts, {goes_on} runs longer than the first path");
    assert!(count < 100 || (parts > 5 && verdicts > 500 && goes_on > 2), "{parts} {verdicts} {goes_on}");
}

#[test]
fn every_continuation_has_the_verdict_of_a_simulator_by_hand() {
    let count =
        std::env::var("CHAINCOVER_RANDOM_SYSTEMS").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let mut random = SmallRng::seed_from_u64(5);
    let mut solver = Solver::start("z3").unwrap_or_else(|error| panic!("{error}"));
    let (mut verdicts, mut purposes, mut infeasible) = (0, 0, 0);
    for _ in 0..count {
        let edges = random_edges(&mut random);
        let path = random_path(&edges, &mut random);
        if path.is_empty() {
            continue;
        }
        let text = text(&edges);
        let system = system(&text);
        let start = (0, 2, 0);
        let (feasible, _) = longest(&edges, &path, start, LONGEST);
        let timeout = BigRational::from_integer(TIMEOUT.into());
        let test = match generate(&system, ("p", &path), &timeout, &mut solver) {
            Ok(test) => test,
            Err(TestCaseError::Infeasible(prefix)) => {
                assert_eq!(prefix, feasible, "{text}{path:?}");
                infeasible += 1;
                continue;
            }
            Err(TestCaseError::NotDeterministic { .. }) => continue,
            Err(TestCaseError::TimeoutTooShort { .. }) => {
                assert!(longest(&edges, &path, start, TIMEOUT).0 < path.len(), "{text}{path:?}");
                continue;
            }
            Err(error) => panic!("{text}{path:?}: {error}"),
        };
        assert_eq!(feasible, path.len(), "{text}{path:?}");
        purposes += 1;
        let test = TestFile::read(&timed::write::json(&test.into()).to_string()).expect("what was written");
        verdicts += compare(&test, &mut solver, &edges, (&path, 0)).expect("its own path");
    }
    println!("{purposes} purposes, {infeasible} infeasible paths, {verdicts} verdicts");
    assert!(count < 300 || (purposes > 3 && infeasible > 3), "{purposes} {infeasible}");
}

/// A system that conforms never fails. `CHAINCOVER_CONFORMING_RUNS=N` tries that many runs.
#[test]
fn random_conforming_systems_never_fail() {
    let wanted = std::env::var("CHAINCOVER_CONFORMING_RUNS").ok().and_then(|text| text.parse().ok());
    let wanted: usize = wanted.unwrap_or(150);
    let mut random = SmallRng::seed_from_u64(17);
    let mut solver = Solver::start("z3").unwrap_or_else(|error| panic!("{error}"));
    let timeout = BigRational::from_integer(TIMEOUT.into());
    let (mut runs, mut verdicts) = (0, std::collections::BTreeMap::new());
    while runs < wanted {
        let edges = random_edges(&mut random);
        let path = random_path(&edges, &mut random);
        if path.is_empty() {
            continue;
        }
        let text = text(&edges);
        let system = system(&text);
        let Ok(test) = generate(&system, ("p", &path), &timeout, &mut solver) else { continue };
        let test = TestFile::read(&timed::write::json(&test.into()).to_string()).expect("what was written");
        for seed in 0..5 {
            let mut player = timed::play::Player::new(&system, seed, "z3");
            let mut source = |below: u64| random.random_range(0..below);
            let (report, observed) =
                timed::run::run(&test, &mut player, &mut solver, None, Some(&mut source)).expect("a verdict");
            assert_ne!(report.verdict, harness::Verdict::Fail, "{text}{path:?} {seed}: {observed:?}");
            *verdicts.entry(report.rule).or_insert(0) += 1;
            runs += 1;
        }
    }
    println!("{runs} runs: {verdicts:?}");
    assert!(wanted < 100 || verdicts.len() > 2, "runs should differ: {verdicts:?}");
}
