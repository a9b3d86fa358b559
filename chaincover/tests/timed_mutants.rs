//! Mutants of timed systems: small ones against a table made by hand, random ones against a
//! simulator over half units of time, which shares no code with the reader, the search or the
//! interpreter: it even reads the text of the mutants by itself.
//!
//! `CHAINCOVER_RANDOM_TIMED_MUTANTS=N` tries that many random systems in place of a few. Debian's
//! package `z3` is needed.

use chaincover::mutation::{Mutant, MutationFile, Step};
use chaincover::timed::Operators;
use chaincover::{TimedMutateOptions, list_timed_mutants, mutate_timed};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn judged(text: &str, options: &TimedMutateOptions) -> MutationFile {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, text);
    mutate_timed(&path, options).unwrap_or_else(|error| panic!("{text}\n{error:?}"))
}

fn written(folder: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("t.tio");
    std::fs::write(&path, text).expect("a folder for tests");
    path
}

/// A lamp that lights within 2 and goes out between 5 and 10 after it was pressed.
const LAMP: &str = "timed lamp
clock c
input Press
output On, Off
initial off
edge press: off -> lit Press? reset c
edge on: lit -> bright when c <= 2 On!
edge out: bright -> off when 5 <= c and c <= 10 Off!
";

/// Line, operator, change, verdict.
const LAMPS: &[(u32, &str, &str, &str)] = &[
    (6, "source", "off -> lit", "unviable"),
    (6, "source", "off -> bright", "unviable"),
    (6, "target", "lit -> off", "killed"),
    (6, "target", "lit -> bright", "killed"),
    (6, "sink", "lit -> sink", "killed"),
    (6, "reset", "reset c left out", "killed"),
    (6, "transition", "edge press left out", "conforms"),
    (7, "source", "lit -> off", "killed"),
    (7, "source", "lit -> bright", "killed"),
    (7, "target", "bright -> off", "killed"),
    (7, "target", "bright -> lit", "killed"),
    (7, "sink", "bright -> sink", "killed"),
    (7, "negation", "c <= 2 -> not (c <= 2)", "killed"),
    (7, "relation", "<= -> <", "conforms"),
    (7, "constant", "2 -> 3", "killed"),
    (7, "constant", "2 -> 1", "conforms"),
    (7, "action", "On -> Off", "killed"),
    (7, "reset", "reset c added", "killed"),
    (7, "transition", "edge on left out", "killed"),
    (8, "source", "bright -> off", "killed"),
    (8, "source", "bright -> lit", "killed"),
    (8, "target", "off -> lit", "conforms"),
    (8, "target", "off -> bright", "killed"),
    (8, "sink", "off -> sink", "conforms"),
    (8, "negation", "5 <= c and c <= 10 -> not (5 <= c and c <= 10)", "killed"),
    (8, "relation", "<= -> <", "conforms"),
    (8, "relation", "<= -> <", "conforms"),
    (8, "constant", "5 -> 6", "conforms"),
    (8, "constant", "5 -> 4", "killed"),
    (8, "constant", "10 -> 11", "killed"),
    (8, "constant", "10 -> 9", "conforms"),
    (8, "action", "Off -> On", "killed"),
    (8, "reset", "reset c added", "equivalent"),
    (8, "transition", "edge out left out", "killed"),
];

fn row(mutant: &Mutant) -> (u32, String, String, String) {
    (mutant.line, mutant.operator.clone(), mutant.change(), mutant.verdict.clone())
}

#[test]
fn mutants_of_a_lamp_have_the_verdicts_of_a_table() {
    let file = judged(LAMP, &TimedMutateOptions::default());
    let mut found: Vec<_> = file.mutants.iter().map(row).collect();
    let of = |&(line, operator, change, verdict): &(u32, &str, &str, &str)| {
        (line, operator.to_owned(), change.to_owned(), verdict.to_owned())
    };
    let mut expected: Vec<_> = LAMPS.iter().map(of).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    // The chain presses at once and takes each transition once.
    assert_eq!((file.chains.len(), file.length), (1, 3));
    let trace = |change: &str| {
        let mutant = file.mutants.iter().find(|mutant| mutant.change() == change);
        let mutant = mutant.expect("a mutant");
        assert!(mutant.by.contains("interpreter"), "{mutant:?}");
        mutant.witness.iter().map(Step::to_string).collect::<String>()
    };
    assert_eq!(trace("lit -> sink").split(')').count(), 3);
    assert!(trace("edge on left out").ends_with(",quiet)"));
    assert!(trace("2 -> 3").ends_with(",On)"));
}

/// Between two whole numbers, there is a time at which only one of two strict bounds differs.
#[test]
fn witnesses_are_exact_between_ticks() {
    let text = "timed gap clock c output A initial p
        edge a: p -> p when c > 1 and c < 2 A! reset c";
    let options = TimedMutateOptions { operators: "relation".parse().expect("a name"), ..Default::default() };
    let file = judged(text, &options);
    let traces: Vec<String> =
        file.mutants.iter().map(|mutant| mutant.witness.iter().map(Step::to_string).collect()).collect();
    assert_eq!(traces, ["(1,A)", "(2,A)"]);
    let late = judged(&text.replace("c < 2", "2 * c < 3"), &options);
    assert_eq!(late.mutants[1].witness[0].to_string(), "(1.5,A)");
}

/// What nobody reads, and what follows from what stands beside it.
#[test]
fn changes_without_effect_are_equivalent() {
    let text = "timed same var x, y: 0..9 = 0 clock c input In(0..9) output Out(int) initial p
        edge a: p -> q when x >= 0 and c <= 9 In?x reset c do y := 1
        edge b: q -> p when c >= 0 and c <= 1 Out!x";
    let file = judged(text, &TimedMutateOptions::default());
    let verdict = |operator: &str, change: &str| {
        let found: Vec<&Mutant> = file
            .mutants
            .iter()
            .filter(|mutant| mutant.operator == operator && mutant.change() == change)
            .collect();
        found.iter().map(|mutant| mutant.verdict.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(verdict("assignment", "1 -> 2"), ["equivalent"]);
    assert_eq!(verdict("assignment", "y := 1 left out"), ["equivalent"]);
    assert_eq!(verdict("constant", "0 -> -1"), ["equivalent", "equivalent"]);
    assert_eq!(verdict("output", "x -> x + 1"), ["killed"]);
}

/// The parameter and the sum are unknown: the original may have any values of them.
#[test]
fn unknown_data_excuse_what_they_may_be() {
    let text = "timed fees param fee: 0..2 output Pay(int) initial p
        edge a: p -> q Pay!(5 + fee)";
    let options = TimedMutateOptions { operators: "output".parse().expect("a name"), ..Default::default() };
    let file = judged(text, &options);
    let trace = |at: usize| file.mutants[at].witness.iter().map(Step::to_string).collect::<String>();
    assert_eq!((trace(0), trace(1)), ("(0,Pay 8)".to_owned(), "(0,Pay 4)".to_owned()));
}

#[test]
fn nothing_is_said_that_time_does_not_allow() {
    let text = include_str!("../../examples/atm.tio");
    let begun = Instant::now();
    let mut options = TimedMutateOptions::default();
    options.search.deadline = begun.checked_add(Duration::from_secs(2));
    let file = judged(text, &options);
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert!(file.count("undecided") > 0);
    assert!(file.mutants.iter().all(|mutant| !mutant.verdict.is_empty() && !mutant.by.is_empty()));
}

#[test]
fn bad_requests_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, LAMP);
    let why = "nothing".parse::<Operators>().expect_err("no operator");
    assert!(why.contains("`nothing`") && why.contains("sink"), "{why}");
    let options = TimedMutateOptions { smt: "no-such-solver".to_owned(), ..Default::default() };
    let error = mutate_timed(&path, &options).expect_err("no solver");
    assert!(error.message.contains("no-such-solver") && error.message.contains("z3"), "{error:?}");
    // What needs no solver goes on without.
    assert_eq!(list_timed_mutants(&path, &options).expect("a list").mutants.len(), LAMPS.len());
    let path = written(&folder, "timed t edge");
    assert!(mutate_timed(&path, &TimedMutateOptions::default()).is_err());
}

// The simulator. Times are counted in parts of the unit, values of x and messages as they are.

const MOST: i64 = 2;
/// Above every constant of a guard and of its mutants.
const LONGEST: i64 = 6;
const CHANNELS: [&str; 4] = ["In", "Other", "Out", "Log"];

#[derive(Clone, Debug)]
struct Line {
    from: String,
    to: String,
    channel: usize,
    /// The guard holds if it is this.
    is_positive: bool,
    /// Operand (`c`, `x`), relation, number.
    guard: Vec<(String, String, i64)>,
    /// Received (`x`) or sent: whether x counts, and what is added.
    term: (bool, i64),
    is_reset: bool,
    update: Option<(bool, i64)>,
}

/// Location, x, c.
type State = (String, i64, i64);

fn term(words: &[&str]) -> (bool, i64) {
    let mut found = (false, 0);
    let mut sign = 1;
    for word in words {
        match *word {
            "x" => found.0 = true,
            "+" => sign = 1,
            "-" => sign = -1,
            number => found.1 += sign * number.parse::<i64>().expect("a number"),
        }
    }
    found
}

/// `edge NAME: A -> B when G CHANNEL?x|!(e) [reset c] [do x := e]`.
fn line(text: &str) -> Line {
    let (head, rest) = text.split_once(" when ").expect("a guard");
    let places = head.split_once(": ").expect("a name").1;
    let (from, to) = places.split_once(" -> ").expect("two states");
    let sign = |(at, _): &(usize, &str)| !rest[at + 1..].starts_with('=');
    let at = rest.match_indices(['?', '!']).find(sign).expect("a sign").0;
    let start = rest[..at].rfind(' ').expect("a channel") + 1;
    let (guard, name, behind) = (rest[..start].trim(), &rest[start..at], &rest[at + 1..]);
    let inner = guard.strip_prefix("not ").map(|inner| inner.trim_matches(['(', ')']));
    let comparison = |text: &str| {
        let words: Vec<&str> = text.split(' ').collect();
        (words[0].to_owned(), words[1].to_owned(), words[2].parse().expect("a number"))
    };
    let (behind, update) = match behind.split_once(" do x := ") {
        Some((behind, value)) => (behind, Some(term(&value.split(' ').collect::<Vec<_>>()))),
        None => (behind, None),
    };
    let (message, is_reset) = match behind.split_once(" reset c") {
        Some((message, _)) => (message, true),
        None => (behind, false),
    };
    let message = message.trim_matches(['(', ')']);
    Line {
        from: from.to_owned(),
        to: to.to_owned(),
        channel: CHANNELS.iter().position(|channel| *channel == name).expect("a channel"),
        is_positive: inner.is_none(),
        guard: inner.unwrap_or(guard).split(" and ").map(comparison).collect(),
        term: term(&message.split(' ').collect::<Vec<_>>()),
        is_reset,
        update,
    }
}

/// The text of a mutant; none where a transition is missing.
fn changed(text: &str, mutant: &Mutant) -> String {
    let number = mutant.line as usize - 1;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let line = lines[number].clone();
    lines[number] = match (mutant.operator.as_str(), mutant.old.as_str(), mutant.new.as_str()) {
        ("transition", ..) => "# left out".to_owned(),
        ("reset", "", _) => match line.split_once(" do ") {
            Some((before, after)) => format!("{before} reset c do {after}"),
            None => line + " reset c",
        },
        ("reset", ..) => line.replace(" reset c", ""),
        ("assignment", _, "") => line.split(" do ").next().unwrap_or_default().to_owned(),
        (_, old, new) => {
            let (before, after) = line.split_at(mutant.column as usize - 1);
            let after = after.strip_prefix(old).expect("the old text should stand at its place");
            format!("{before}{new}{after}")
        }
    };
    lines.join("\n")
}

struct Simulator {
    lines: Vec<Line>,
    starts: BTreeSet<State>,
    parts: i64,
}

impl Simulator {
    fn new(text: &str, parts: i64) -> Self {
        let lines = text.lines().filter(|text| text.starts_with("edge")).map(line).collect();
        let start = text.lines().find_map(|text| text.strip_prefix("var x: 0..2")).expect("x");
        let values = match start.strip_prefix(" = ") {
            Some(value) => vec![value.parse().expect("a value")],
            None => (0..=MOST).collect(),
        };
        Self { lines, starts: values.into_iter().map(|x| ("q0".to_owned(), x, 0)).collect(), parts }
    }
    fn step(&self, line: &Line, state: &State, delay: i64, value: Option<i64>) -> Option<(State, i64)> {
        let (at, x, c) = state;
        let c = (c + delay).min(LONGEST * self.parts);
        let x = if line.channel < 2 { value? } else { *x };
        let holds = |(operand, relation, number): &(String, String, i64)| {
            let (left, right) = if operand == "c" { (c, number * self.parts) } else { (x, *number) };
            match relation.as_str() {
                "<" => left < right,
                "<=" => left <= right,
                ">" => left > right,
                ">=" => left >= right,
                "!=" => left != right,
                _ => left == right,
            }
        };
        if *at != line.from || line.guard.iter().all(holds) != line.is_positive {
            return None;
        }
        let of = |(reads, add): (bool, i64)| if reads { x + add } else { add };
        let next = line.update.map_or(x, of);
        let c = if line.is_reset { 0 } else { c };
        (0..=MOST).contains(&next).then(|| ((line.to.clone(), next, c), of(line.term)))
    }
    /// The states behind an event.
    fn after(&self, states: &BTreeSet<State>, delay: i64, channel: usize, value: i64) -> BTreeSet<State> {
        let mut found = BTreeSet::new();
        for state in states {
            for line in self.lines.iter().filter(|line| line.channel == channel) {
                if let Some((next, sent)) = self.step(line, state, delay, Some(value))
                    && sent == value
                {
                    found.insert(next);
                }
            }
        }
        found
    }
    /// Whether one of the states may stay silent so long.
    fn is_silent(&self, states: &BTreeSet<State>, delay: i64) -> bool {
        let far = delay.max(0) + (LONGEST + 1) * self.parts;
        let possible = |line: &Line, state: &State, delay: i64| {
            (0..=MOST).any(|value| self.step(line, state, delay, Some(value)).is_some())
        };
        states.iter().any(|state| {
            let outputs = || self.lines.iter().filter(|line| line.channel > 1);
            let observed = || self.lines.iter().filter(|line| line.channel > 0);
            !(0..=far).any(|delay| outputs().any(|line| possible(line, state, delay)))
                || (delay + 1..=far).any(|delay| observed().any(|line| possible(line, state, delay)))
        })
    }
}

/// The number of observations of the shortest trace over half units that kills, up to a length.
fn shortest(original: &Simulator, mutant: &Simulator, most: usize) -> Option<usize> {
    let start = (mutant.starts.clone(), original.starts.clone());
    let mut known = BTreeSet::from([start.clone()]);
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some(((own, allowed), length)) = queue.pop_front() {
        if length == most {
            return None;
        }
        let mut next = Vec::new();
        for delay in 0..=LONGEST * mutant.parts {
            if mutant.is_silent(&own, delay) && !original.is_silent(&allowed, delay) {
                return Some(length + 1);
            }
            for channel in 0..CHANNELS.len() {
                for value in -1..=MOST + 2 {
                    if channel < 2 && !(0..=MOST).contains(&value) {
                        continue;
                    }
                    let shown = mutant.after(&own, delay, channel, value);
                    if shown.is_empty() {
                        continue;
                    }
                    let allowed = original.after(&allowed, delay, channel, value);
                    if !allowed.is_empty() {
                        next.push((shown, allowed));
                    } else if channel > 1 {
                        return Some(length + 1);
                    }
                }
            }
        }
        for pair in next {
            if known.insert(pair.clone()) {
                queue.push_back((pair, length + 1));
            }
        }
    }
    None
}

/// A time as a fraction.
fn fraction(text: &str) -> (i64, i64) {
    if let Some((upper, lower)) = text.split_once('/') {
        return (upper.parse().expect("digits"), lower.parse().expect("digits"));
    }
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    (format!("{whole}{part}").parse().expect("digits"), 10_i64.pow(part.len() as u32))
}

/// That the mutant shows a witness, and the original all of it but the end.
fn check_witness(text: &str, mutant: &Mutant) {
    let times: Vec<(i64, i64)> =
        mutant.witness.iter().map(|step| fraction(step.after.as_deref().expect("a time"))).collect();
    // Between two points at which something changes there has to be another one.
    let parts = 2 * times.iter().map(|time| time.1).product::<i64>();
    let (original, other) = (Simulator::new(text, parts), Simulator::new(&changed(text, mutant), parts));
    let (mut allowed, mut own) = (original.starts.clone(), other.starts.clone());
    let last = mutant.witness.len() - 1;
    for (at, (step, time)) in mutant.witness.iter().zip(&times).enumerate() {
        let delay = time.0 * parts / time.1;
        let context = || format!("{text}\n{mutant:?} at {at}");
        if step.quiet {
            assert!(at == last && other.is_silent(&own, delay), "{}", context());
            assert!(!original.is_silent(&allowed, delay), "{}", context());
            return;
        }
        let name = step.input.as_ref().or(step.output.as_ref()).expect("a channel");
        let channel = CHANNELS.iter().position(|channel| channel == name).expect("a channel");
        let value = step.args[0].as_i64().expect("an integer");
        own = other.after(&own, delay, channel, value);
        allowed = original.after(&allowed, delay, channel, value);
        assert!(!own.is_empty(), "{}", context());
        assert_eq!(allowed.is_empty(), at == last, "{}", context());
    }
}

fn random_system(random: &mut SmallRng) -> String {
    let locations = random.random_range(2..4);
    let mut text = String::from("timed t\nvar x: 0..2");
    if random.random_bool(0.7) {
        text += &format!(" = {}", random.random_range(0..=MOST));
    }
    text += "\nclock c\ninput In(0..2)\ninput Other(0..2) uncontrollable\noutput Out(int), Log(int)\ninitial q0\n";
    let relations = ["<", "<=", "=", ">=", ">"];
    for index in 0..random.random_range(locations..5) {
        let from = if index < locations { index } else { random.random_range(0..locations) };
        let mut guard = format!("c {} {}", relations[random.random_range(0..5)], random.random_range(0..4));
        if random.random_bool(0.5) {
            guard +=
                &format!(" and x {} {}", relations[random.random_range(0..5)], random.random_range(0..3));
        }
        let channel = [0, 1, 2, 2, 3, 3][random.random_range(0..6)];
        let message = match channel {
            0 | 1 => "?x".to_owned(),
            _ => format!("!({})", ["x", "x + 1", "1"][random.random_range(0..3)]),
        };
        let reset = if random.random_bool(0.5) { " reset c" } else { "" };
        let update = ["", "", " do x := x + 1", " do x := 0"][random.random_range(0..4)];
        let to = random.random_range(0..locations);
        text += &format!(
            "edge e{index}: q{from} -> q{to} when {guard} {}{message}{reset}{update}\n",
            CHANNELS[channel]
        );
    }
    text
}

#[test]
fn random_mutants_are_what_a_simulator_finds() {
    const DEPTH: usize = 3;
    let count = std::env::var("CHAINCOVER_RANDOM_TIMED_MUTANTS").ok().and_then(|text| text.parse().ok());
    let count = count.unwrap_or(6);
    let mut random = SmallRng::seed_from_u64(11);
    let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
    let mut longest = 0;
    for _ in 0..count {
        let text = random_system(&mut random);
        let options = TimedMutateOptions { depth: DEPTH, ..TimedMutateOptions::default() };
        let file = judged(&text, &options);
        let original = Simulator::new(&text, 2);
        for mutant in &file.mutants {
            *verdicts.entry(mutant.verdict.clone()).or_default() += 1;
            if mutant.verdict == "unviable" {
                continue;
            }
            let found = shortest(&original, &Simulator::new(&changed(&text, mutant), 2), DEPTH);
            match mutant.verdict.as_str() {
                "killed" => {
                    check_witness(&text, mutant);
                    let length = mutant.witness.len();
                    longest = longest.max(length);
                    assert!(found.is_none_or(|found| length <= found), "{found:?}\n{text}\n{mutant:?}");
                }
                "undecided" => {
                    let tried = mutant.depth.unwrap_or_default();
                    assert!(found.is_none_or(|found| tried < found), "{found:?}\n{text}\n{mutant:?}");
                }
                _ => assert_eq!(found, None, "{text}\n{mutant:?}"),
            }
        }
    }
    println!("{count} systems: {verdicts:?}; the longest witness has {longest} observations");
    for verdict in ["killed", "conforms", "equivalent"] {
        assert!(verdicts.contains_key(verdict), "{verdicts:?}");
    }
    assert!(longest > 1);
}
