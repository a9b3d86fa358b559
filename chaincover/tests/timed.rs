//! Chains and judgements of random timed systems against a simulator by hand, which shares no code
//! with the reader, the search or the interpreter.
//!
//! `CHAINCOVER_RANDOM_TIMED=N` tries that many systems of each kind in place of a few.

use chaincover::timed::{self, Force, Minimise};
use chaincover::{
    GoalStatus, Minimality, Model, Options, Outcome, Settings, Silent, Wanted, find_chains, read, solve,
};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::path::{Path, PathBuf};

/// Greatest value of the data variable `x`.
const MOST: i64 = 3;

/// A comparison of a clock: `factor * clock OP bound + slope * x`.
#[derive(Clone, Debug)]
struct Limit {
    clock: usize,
    factor: i64,
    op: &'static str,
    bound: i64,
    slope: i64,
}

#[derive(Clone, Debug)]
struct Edge {
    from: usize,
    to: usize,
    /// 0: input, 1: uncontrollable input, 2 and 3: outputs.
    channel: usize,
    limits: Vec<Limit>,
    /// `x <= most`.
    most: i64,
    /// `p = value`.
    param: Option<i64>,
    resets: Vec<usize>,
    /// Added to x; leaving 0..[`MOST`] disables.
    add: i64,
}

/// A random system.
#[derive(Clone, Debug)]
struct Random {
    clocks: usize,
    edges: Vec<Edge>,
    /// The value of x at the start; none: unknown.
    start: Option<i64>,
    has_param: bool,
    last: Option<usize>,
}

const CHANNELS: [&str; 4] = ["In", "Other", "Out", "Log"];

impl Random {
    fn new(random: &mut SmallRng, is_strict: bool) -> Self {
        let locations = random.random_range(2..5);
        // The fine ticks of strict limits make too many states of two clocks.
        let clocks = if !is_strict && random.random_bool(0.4) { 2 } else { 1 };
        let has_param = random.random_bool(0.4);
        let operators: &[&'static str] = if is_strict { &["<", ">", "<=", ">="] } else { &["<=", "=", ">="] };
        let edges = (0..random.random_range(locations..7))
            .map(|index| {
                let limits = (0..clocks).filter(|_| random.random_bool(0.6)).collect::<Vec<_>>();
                let limits = limits.into_iter().map(|clock| Limit {
                    clock,
                    factor: if random.random_bool(0.1) { 2 } else { 1 },
                    op: operators[random.random_range(0..operators.len())],
                    bound: random.random_range(0..4),
                    slope: random.random_range(0..2),
                });
                let limits = limits.collect();
                Edge {
                    from: if index < locations { index } else { random.random_range(0..locations) },
                    to: random.random_range(0..locations),
                    channel: random.random_range(0..CHANNELS.len()),
                    limits,
                    most: random.random_range(1..=MOST),
                    param: (has_param && random.random_bool(0.4)).then(|| random.random_range(0..2)),
                    resets: (0..clocks).filter(|_| random.random_bool(0.5)).collect(),
                    add: random.random_range(-1..3),
                }
            })
            .collect();
        Self {
            clocks,
            edges,
            start: random.random_bool(0.6).then(|| random.random_range(0..=MOST)),
            has_param,
            last: random.random_bool(0.2).then(|| random.random_range(0..locations)),
        }
    }

    fn text(&self, more: &str) -> String {
        let mut text = String::from("timed t\n");
        if self.has_param {
            text += "param p: 0..1\n";
        }
        text += &format!("var x: 0..{MOST}");
        text += &self.start.map_or("\n".to_owned(), |value| format!(" = {value}\n"));
        text += if self.clocks == 2 { "clock c, d\n" } else { "clock c\n" };
        text += &format!("input In(0..{MOST})\ninput Other(0..{MOST}) uncontrollable\n");
        text += &format!("output Out(0..{MOST}), Log(0..{MOST})\ninitial q0\n");
        let names = ["c", "d"];
        for (index, edge) in self.edges.iter().enumerate() {
            let mut guard = format!("x <= {}", edge.most);
            for limit in &edge.limits {
                let clock = names[limit.clock];
                let clock = if limit.factor == 1 { clock.to_owned() } else { format!("2 * {clock}") };
                guard += &format!(" and {clock} {} {} + {} * x", limit.op, limit.bound, limit.slope);
            }
            if let Some(value) = edge.param {
                guard += &format!(" and p = {value}");
            }
            let sign = if edge.channel < 2 { '?' } else { '!' };
            let resets: Vec<&str> = edge.resets.iter().map(|&clock| names[clock]).collect();
            let resets =
                if resets.is_empty() { String::new() } else { format!(" reset {}", resets.join(", ")) };
            let change = if edge.add < 0 { "x - 1".to_owned() } else { format!("x + {}", edge.add) };
            text += &format!(
                "edge e{index}: q{} -> q{} when {guard} {}{sign}x{resets} do x := {change}\n",
                edge.from, edge.to, CHANNELS[edge.channel]
            );
        }
        if let Some(last) = self.last {
            text += &format!("final q{last}\n");
        }
        text + more
    }
    fn may_end(&self, location: usize) -> bool {
        self.last.is_none_or(|last| last == location)
    }
    fn starts(&self) -> Vec<State> {
        let values = self.start.map_or((0..=MOST).collect(), |value| vec![value]);
        let params: Vec<i64> = if self.has_param { vec![0, 1] } else { vec![0] };
        let pairs = values.iter().flat_map(|&x| params.iter().map(move |&p| (x, p)));
        pairs.map(|(x, p)| State { at: 0, x, p, clocks: [0, 0] }).collect()
    }
    /// What a message makes of a state after a delay; times are counted in parts of the unit.
    fn step(&self, edge: usize, state: State, delay: i64, received: i64, parts: i64) -> Option<State> {
        let edge = &self.edges[edge];
        let x = if edge.channel < 2 { received } else { state.x };
        let mut clocks = state.clocks.map(|clock| (clock + delay).min(AFTER * parts));
        let holds = edge.limits.iter().all(|limit| {
            let (left, right) = (limit.factor * clocks[limit.clock], parts * (limit.bound + limit.slope * x));
            match limit.op {
                "<" => left < right,
                "<=" => left <= right,
                "=" => left == right,
                ">=" => left >= right,
                _ => left > right,
            }
        });
        let next = x + edge.add;
        let fits = edge.from == state.at && x <= edge.most && (0..=MOST).contains(&next);
        if !fits || !holds || edge.param.is_some_and(|value| value != state.p) {
            return None;
        }
        edge.resets.iter().for_each(|&clock| clocks[clock] = 0);
        Some(State { at: edge.to, x: next, p: state.p, clocks })
    }
    fn values(&self, edge: usize) -> std::ops::RangeInclusive<i64> {
        if self.edges[edge].channel < 2 { 0..=MOST } else { 0..=0 }
    }
    /// All that may follow: the transition, the delay, the state behind.
    fn successors(&self, state: State, parts: i64) -> Vec<(usize, i64, State)> {
        let mut found = Vec::new();
        for edge in (0..self.edges.len()).filter(|&edge| self.edges[edge].from == state.at) {
            for delay in 0..=AFTER * parts {
                for value in self.values(edge) {
                    found.extend(self.step(edge, state, delay, value, parts).map(|next| (edge, delay, next)));
                }
            }
        }
        found
    }
}

/// No limit is above `3 + 1 * MOST`.
const AFTER: i64 = 4 + MOST;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct State {
    at: usize,
    x: i64,
    p: i64,
    clocks: [i64; 2],
}

/// Chains, then steps and time in the order that is wanted.
type Cost = (u64, u64, u64);

/// The transitions that chains can take, and the least cost of chains that take them all; by
/// Dijkstra over states and sets of transitions.
fn brute(system: &Random, minimise: Minimise, parts: i64) -> (u32, Cost) {
    let mut best: HashMap<(State, u32), Cost> = HashMap::new();
    let mut queue = BinaryHeap::new();
    for start in system.starts() {
        queue.push(Reverse(((1, 0, 0), (start, 0_u32))));
    }
    let mut known: HashMap<State, Vec<(usize, i64, State)>> = HashMap::new();
    while let Some(Reverse((cost, (state, taken)))) = queue.pop() {
        if best.get(&(state, taken)).is_some_and(|&known| known <= cost) {
            continue;
        }
        best.insert((state, taken), cost);
        if system.may_end(state.at) && taken > 0 {
            for start in system.starts() {
                queue.push(Reverse(((cost.0 + 1, cost.1, cost.2), (start, taken))));
            }
        }
        let next = known.entry(state).or_insert_with(|| system.successors(state, parts));
        for &(edge, delay, next) in next.iter() {
            let (steps, time) = (1, delay.unsigned_abs());
            let (second, third) = match minimise {
                Minimise::Steps => (steps, time),
                Minimise::Time => (time, steps),
            };
            let cost = (cost.0, cost.1 + second, cost.2 + third);
            let place = (next, taken | 1 << edge);
            if best.get(&place).is_none_or(|&known| cost < known) {
                queue.push(Reverse((cost, place)));
            }
        }
    }
    let ends = || best.iter().filter(|((state, _), _)| system.may_end(state.at));
    let all = ends().fold(0, |all, ((_, taken), _)| all | taken);
    let least = ends().filter(|((_, taken), _)| *taken == all).map(|(_, &cost)| cost).min();
    (all, least.unwrap_or_default())
}

fn count(usual: usize) -> usize {
    let wanted = std::env::var("CHAINCOVER_RANDOM_TIMED").ok().and_then(|text| text.parse().ok());
    wanted.unwrap_or(usual)
}

fn written(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("t.tio");
    std::fs::write(&path, text).expect("a folder for tests");
    path
}

fn chains(path: &Path, text: &str) -> (Model, Outcome) {
    let model = read([path], &Settings::default());
    let model = model.unwrap_or_else(|error| panic!("{text}\n{error:?}"));
    let outcome = find_chains(&model, &Options::default(), &Silent);
    let outcome = outcome.unwrap_or_else(|error| panic!("{text}\n{error:?}"));
    (model, outcome)
}

fn taken(outcome: &Outcome) -> u32 {
    let is_taken = |status: &GoalStatus| matches!(status, GoalStatus::Covered { .. });
    let goals = outcome.goals.values().enumerate();
    goals.filter(|(_, goal)| is_taken(&goal.status)).fold(0, |all, (index, _)| all | 1 << index)
}

/// Time in parts of the unit.
fn in_parts(time: &timed::Time, parts: i64) -> u64 {
    let scaled = time * timed::Time::from_integer(parts.into());
    assert!(scaled.is_integer(), "{time} should be a number of 1/{parts}");
    u64::try_from(scaled.to_integer()).expect("a time that is not negative")
}

/// What the unit is parted into so that all limits are met exactly.
fn parts(system: &Random) -> i64 {
    let mut limits = system.edges.iter().flat_map(|edge| &edge.limits);
    if limits.any(|limit| limit.factor == 2) { 2 } else { 1 }
}

#[test]
fn chains_of_closed_systems_are_the_least_in_number_steps_and_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = SmallRng::seed_from_u64(5);
    let (mut several, mut waits, mut faster, mut missed) = (0, 0, 0, 0);
    let count = count(60);
    for number in 0..count {
        let system = Random::new(&mut random, false);
        let text = system.text("");
        let path = written(folder.path(), &text);
        let parts = parts(&system);
        let (all, least) = brute(&system, Minimise::Steps, parts);
        let (model, outcome) = chains(&path, &text);
        assert_eq!(taken(&outcome), all, "{text}");
        assert_eq!(outcome.minimal, Minimality::Proven, "{text}");
        if all == 0 {
            assert!(outcome.chains.is_empty(), "{text}");
            continue;
        }
        assert_eq!((outcome.chains.len() as u64, outcome.length()), (least.0, least.1), "{text}");
        let timing = timed::least_time(&model, &outcome, &Options::default(), Minimise::Steps);
        let timing = timing.unwrap_or_else(|error| panic!("{text}\n{error:?}"));
        assert_eq!((in_parts(&timing.time, parts), timing.is_dense), (least.2, true), "{text}");
        assert_eq!(timing.bound, timing.time, "{text}");
        let (_, quick) = brute(&system, Minimise::Time, parts);
        let timing = timed::least_time(&model, &outcome, &Options::default(), Minimise::Time);
        let timing = timing.unwrap_or_else(|error| panic!("{text}\n{error:?}"));
        let found = (timing.chains.len() as u64, in_parts(&timing.time, parts), timing.steps);
        assert_eq!(found, quick, "{text}");
        if number % 4 == 0 {
            solved(&model, Minimise::Time, &timing, &text);
        }
        assert_eq!((&timing.bound, timing.least_steps), (&timing.time, quick.2), "{text}");
        several += usize::from(least.0 > 1);
        waits += usize::from(least.2 > 0);
        faster += usize::from(quick.1 < least.2);
        missed += usize::from(all.count_ones() < system.edges.len() as u32);
    }
    println!("{count} systems: {several} need several chains, {waits} time; {faster} trade steps for time");
    assert!(several * 10 > count && waits * 4 > count && missed * 10 > count && faster > 0);
}

/// The chains of a result are those that are told to be the quickest.
fn solved(model: &Model, minimise: Minimise, timing: &timed::Timing, text: &str) {
    let wanted = Wanted { minimise, ..Wanted::default() };
    let solved = solve(model, (&Settings::default(), &Options::default()), &wanted, &Silent);
    let file = solved.unwrap_or_else(|error| panic!("{text}\n{error:?}")).file;
    let delays = file.chains.iter().flat_map(|chain| &chain.events).map(|event| &event.delay);
    let time = |text: &String| harness::Time::parse(text).expect("a time").value().clone();
    let time: timed::Time = delays.map(time).sum();
    assert_eq!((time, file.summary.length as u64), (timing.time.clone(), timing.steps), "{text}");
    assert!(file.chains.iter().all(|chain| chain.replayed == true), "{text}");
}

/// Where a new chain starts, time passes in none: it reaches no goal that speaks of clocks.
#[test]
fn goals_on_clocks_are_reached_within_a_chain() {
    let folder = tempfile::tempdir().expect("a folder");
    let fork = "timed t clock c output P, Q initial A edge e1: A -> B P! edge e2: A -> C Q!";
    let loops = "timed t clock c output P, Q initial A edge e1: A -> B P! reset c edge e2: A -> C Q! reset c \
                 edge e3: C -> C Q!";
    let table = [
        (format!("{fork} goal transitions goal late when c = 2"), 2, 2),
        (format!("{fork} goal states goal late when c = 2"), 2, 2),
        (format!("{fork} goal pairs goal transitions goal late when c >= 3"), 2, 3),
        (format!("{loops} goal transitions goal late when c = 4"), 3, 4),
        (format!("{loops} goal transitions goal late when c = 4 goal early when c <= 1"), 3, 4),
    ];
    for (text, steps, time) in table {
        let path = written(folder.path(), &text);
        let (model, outcome) = chains(&path, &text);
        assert_eq!((outcome.chains.len(), outcome.length()), (2, steps), "{text}");
        for minimise in [Minimise::Steps, Minimise::Time] {
            let timing = timed::least_time(&model, &outcome, &Options::default(), minimise);
            let timing = timing.unwrap_or_else(|error| panic!("{text}\n{error:?}"));
            let time = timed::Time::from_integer(time.into());
            assert_eq!((&timing.time, &timing.bound, timing.steps), (&time, &time, steps), "{text}");
        }
    }
}

/// Digitisation: finer ticks change neither steps nor time where all limits are closed.
#[test]
fn finer_ticks_do_not_matter_to_closed_systems() {
    let mut random = SmallRng::seed_from_u64(6);
    for _ in 0..count(20) {
        let system = Random::new(&mut random, false);
        let parts = parts(&system);
        for minimise in [Minimise::Steps, Minimise::Time] {
            let (all, coarse) = brute(&system, minimise, parts);
            let (finer, fine) = brute(&system, minimise, 3 * parts);
            let tripled = match minimise {
                Minimise::Steps => (coarse.0, coarse.1, 3 * coarse.2),
                Minimise::Time => (coarse.0, 3 * coarse.1, coarse.2),
            };
            assert_eq!((all, tripled), (finer, fine), "{}", system.text(""));
        }
    }
}

/// No claim about a system with strict limits is refuted by a finer simulation.
#[test]
fn claims_about_strict_limits_hold_of_finer_ticks() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = SmallRng::seed_from_u64(7);
    let (mut open, mut gaps, mut late, mut proven) = (0, 0, 0, 0);
    let count = count(16);
    for _ in 0..count {
        let system = Random::new(&mut random, true);
        let text = system.text("");
        let parts = 4;
        let (all, least) = brute(&system, Minimise::Steps, parts);
        let path = written(folder.path(), &text);
        let (model, outcome) = chains(&path, &text);
        let found = taken(&outcome);
        assert_eq!(found & !all, 0, "{text}");
        for (index, goal) in outcome.goals.values().enumerate() {
            let is_excluded = goal.status.name() == "unreachable";
            assert!(!is_excluded || all & 1 << index == 0, "{index}\n{text}");
            open += usize::from(goal.status.name() == "undecided");
        }
        if outcome.minimal == Minimality::Gap {
            gaps += 1;
        }
        if found != all || found == 0 {
            continue;
        }
        let ours = (outcome.chains.len() as u64, outcome.length());
        match outcome.minimal {
            Minimality::Proven => assert_eq!(ours, (least.0, least.1), "{text}"),
            _ => assert!(outcome.lower_bound <= least.1 || ours.0 > least.0, "{text}"),
        }
        for minimise in [Minimise::Steps, Minimise::Time] {
            let timing = timed::least_time(&model, &outcome, &Options::default(), minimise);
            let timing = timing.unwrap_or_else(|error| panic!("{text}\n{error:?}"));
            let (_, least) = brute(&system, minimise, parts);
            let (steps, time) = match minimise {
                Minimise::Steps => (least.1, least.2),
                Minimise::Time => (least.2, least.1),
            };
            let (ours, bound) = (in_parts(&timing.time, parts), in_parts(&timing.bound, parts));
            assert!(bound <= ours, "{text}");
            if (timing.chains.len() as u64, outcome.length()) == (least.0, steps)
                || minimise == Minimise::Time && timing.chains.len() as u64 == least.0
            {
                assert!(bound <= time, "{bound} {time}\n{text}");
                proven += usize::from(bound == ours);
                late += usize::from(bound < ours);
            }
        }
    }
    println!("{count} systems: {open} goals open, {gaps} gaps; {proven} times proven, {late} not");
    assert!(proven > 0 && late > 0 && open + gaps > 0);
}

/// Whether a path can be taken, and in which of its contexts a system may stay silent for ever.
#[test]
fn paths_are_judged_as_by_hand() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = SmallRng::seed_from_u64(8);
    let (mut feasible, mut silent) = (0, 0);
    let count = count(40);
    for _ in 0..count {
        let system = Random::new(&mut random, false);
        let mut edges: Vec<usize> = Vec::new();
        for _ in 0..random.random_range(1..4) {
            let at = edges.last().map_or(0, |&edge| system.edges[edge].to);
            let from = (0..system.edges.len()).filter(|&edge| system.edges[edge].from == at);
            let from: Vec<usize> = from.collect();
            edges.push(from[random.random_range(0..from.len())]);
        }
        while edges.last().is_some_and(|&edge| system.edges[edge].channel < 2) {
            edges.pop();
        }
        if edges.is_empty() {
            continue;
        }
        let names: Vec<String> = edges.iter().map(|edge| format!("e{edge}")).collect();
        let text = system.text(&format!("purpose p = {}\n", names.join(".")));
        let path = written(folder.path(), &text);
        let checked = timed::check(&path, &[], timed::SMT, None);
        let checked = checked.unwrap_or_else(|error| panic!("{text}\n{error:?}"));
        let judged = checked.purposes[0].1.as_ref().expect("Debian's package z3 should be installed");
        // Silence asks that no limit is met: strict conditions on as many times as there are events.
        let parts = 2 * (edges.len() as i64 + 1);
        let mut states = system.starts();
        let mut quiet = Vec::new();
        let mut taken = 0;
        for (index, &edge) in edges.iter().enumerate() {
            let answers = |state: &State| {
                let next = system.successors(*state, parts);
                next.iter().any(|(edge, ..)| system.edges[*edge].channel >= 2)
            };
            let is_quiet = states.iter().any(|state| !answers(state));
            let next = states.iter().flat_map(|&state| system.successors(state, parts));
            let mut next: Vec<State> =
                next.filter(|(taken, ..)| *taken == edge).map(|(_, _, next)| next).collect();
            next.sort_unstable();
            next.dedup();
            if next.is_empty() {
                break;
            }
            if is_quiet {
                quiet.push(index);
            }
            states = next;
            taken += 1;
        }
        assert_eq!(judged.feasible, taken, "{text}");
        assert_eq!(judged.quiescent, quiet, "{text}");
        feasible += usize::from(taken == edges.len());
        silent += quiet.len();
    }
    println!("{count} systems: {feasible} paths can be taken, silence in {silent} contexts");
    assert!(feasible * 8 > count && silent > 0);
}

#[test]
fn without_a_solver_the_rest_of_a_check_is_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = SmallRng::seed_from_u64(9);
    let mut system = Random::new(&mut random, false);
    system.edges[0].channel = 2;
    let path = written(folder.path(), &system.text("purpose p = e0\n"));
    let checked = timed::check(&path, &[], "no-such-solver", None).expect("the text is right");
    assert_eq!(checked.purposes, [("p".to_owned(), None)]);
    assert!(checked.unanswered.is_some_and(|why| why.contains("no-such-solver")));
    let path = written(folder.path(), &system.text(""));
    let checked = timed::check(&path, &[], "no-such-solver", None).expect("the text is right");
    assert!(checked.purposes.is_empty() && checked.unanswered.is_none());
}

/// A run of a game: the state, the transition that was taken last, whether the goal was reached and
/// only a state is missing in which a chain may end.
type Run = (State, Option<usize>, bool);

/// What others can do in a state: transition, delay, state behind.
type Events = Vec<(usize, i64, State)>;

/// The runs that are possible after what the tester saw.
type Runs = BTreeSet<Run>;

/// A game of the tester against all others, by hand.
struct Game<'r> {
    system: &'r Random,
    parts: i64,
    /// The transitions that are to be taken in a row: one or two.
    goal: &'r [usize],
}

/// Most positions of a game by hand.
const MOST_POSITIONS: usize = 120;

impl Game<'_> {
    fn longest(&self) -> i64 {
        AFTER * self.parts
    }
    /// The run behind a transition, unless it has won.
    fn behind(&self, (_, last, reached): Run, edge: usize, next: State) -> Option<Run> {
        let taken: Vec<usize> = last.into_iter().chain([edge]).collect();
        let reached = reached || taken.ends_with(self.goal);
        let last = Some(edge).filter(|_| self.goal.len() > 1 && !reached);
        (!reached || !self.system.may_end(next.at)).then_some((next, last, reached))
    }
    fn others(&self, state: State) -> Events {
        let all = self.system.successors(state, self.parts).into_iter();
        all.filter(|&(edge, ..)| self.system.edges[edge].channel != 0).collect()
    }
    /// Whether others can be silent until a delay, in a state with these events; none: for ever.
    fn may_wait(&self, events: &[(usize, i64, State)], until: Option<i64>) -> bool {
        let last = events.iter().map(|&(_, delay, _)| delay).max().unwrap_or_default();
        let is_quiet = !events.iter().any(|&(edge, ..)| self.system.edges[edge].channel >= 2);
        is_quiet || last == self.longest() || until.is_some_and(|until| last >= until)
    }
    /// What the tester may see after a plan: (delay, value) to send, or to wait; none where he may
    /// see nothing any more, or sends what is not specified.
    fn seen(&self, runs: &[(Run, Events)], plan: Option<(i64, i64)>) -> Option<Vec<Runs>> {
        let mut seen: BTreeMap<(i64, usize, i64), Runs> = BTreeMap::new();
        for (run, events) in runs {
            let run = *run;
            for &(edge, delay, next) in events {
                if plan.is_none_or(|(until, _)| delay <= until) {
                    let channel = self.system.edges[edge].channel;
                    // Sent is x as it was before the update, or what others send.
                    let message = next.x - self.system.edges[edge].add;
                    let all = seen.entry((delay, channel, message)).or_default();
                    all.extend(self.behind(run, edge, next));
                }
            }
            if !self.may_wait(events, plan.map(|(until, _)| until)) {
                continue;
            }
            let (until, value) = plan?;
            let inputs = (0..self.system.edges.len()).filter(|&edge| self.system.edges[edge].channel == 0);
            let step = |edge| Some((edge, self.system.step(edge, run.0, until, value, self.parts)?));
            let taken: Vec<(usize, State)> = inputs.filter_map(step).collect();
            if taken.is_empty() {
                return None;
            }
            let sent = seen.entry((until, 0, value)).or_default();
            sent.extend(taken.into_iter().filter_map(|(edge, next)| self.behind(run, edge, next)));
        }
        Some(seen.into_values().collect())
    }
    /// Whether the tester wins; none where there are too many positions.
    fn is_won(&self) -> Option<bool> {
        let start: Runs = self.system.starts().into_iter().map(|state| (state, None, false)).collect();
        let plans = || {
            let sent = (0..=self.longest()).flat_map(|delay| (0..=MOST).map(move |value| (delay, value)));
            sent.map(Some).chain([None])
        };
        let mut known: BTreeMap<Runs, Vec<Vec<Runs>>> = BTreeMap::new();
        let mut open = vec![start.clone()];
        while let Some(runs) = open.pop() {
            if known.contains_key(&runs) {
                continue;
            }
            let with_events: Vec<_> = runs.iter().map(|&run| (run, self.others(run.0))).collect();
            let moves: Vec<Vec<Runs>> = plans().filter_map(|plan| self.seen(&with_events, plan)).collect();
            open.extend(moves.iter().flatten().cloned());
            known.insert(runs, moves);
            if known.len() > MOST_POSITIONS {
                return None;
            }
        }
        let mut won: BTreeSet<&Runs> = known.keys().filter(|runs| runs.is_empty()).collect();
        loop {
            let more: Vec<&Runs> = known
                .iter()
                .filter(|(runs, moves)| {
                    !won.contains(runs) && moves.iter().any(|next| next.iter().all(|runs| won.contains(runs)))
                })
                .map(|(runs, _)| runs)
                .collect();
            if more.is_empty() {
                return Some(won.contains(&start));
            }
            won.extend(more);
        }
    }
}

#[test]
fn goals_are_forced_as_in_a_game_by_hand() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = SmallRng::seed_from_u64(9);
    let (mut forced, mut prevented, mut in_dense_time, mut open) = (0, 0, 0, 0);
    for number in 0..count(12) {
        let system = Random::new(&mut random, false);
        let text = system.text(if number % 3 == 0 { "goal pairs\n" } else { "goal transitions\n" });
        let path = written(folder.path(), &text);
        let (model, outcome) = chains(&path, &text);
        let found = timed::forces(&model, &outcome, &Options::default());
        for (name, force) in found.unwrap_or_else(|error| panic!("{text}\n{error:?}")) {
            let number = |edge: &str| edge[1..].parse().expect("a transition's name");
            let goal: Vec<usize> = name.split('.').map(number).collect();
            let Some(is_won) = (Game { system: &system, parts: parts(&system), goal: &goal }).is_won() else {
                continue;
            };
            match force {
                Force::CanBeForced => assert!(is_won, "{text}{name}"),
                Force::NeedsCooperation { over_ticks } => {
                    assert!(!is_won, "{text}{name}");
                    in_dense_time += usize::from(!over_ticks);
                }
                Force::Undecided(_) => open += 1,
            }
            forced += usize::from(force == Force::CanBeForced);
            prevented += usize::from(force == Force::NeedsCooperation { over_ticks: true });
        }
    }
    println!("{forced} forced, {prevented} prevented over ticks, {in_dense_time} in dense time, {open} open");
    assert!(forced > 2 && prevented > 2 && in_dense_time > 2, "{forced} {prevented}");
}
