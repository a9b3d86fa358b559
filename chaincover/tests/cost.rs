//! Least costs of random models in C against Dijkstra's algorithm over states and covered goals,
//! which shares no code with the front end, the search or the evaluator.
//!
//! `CHAINCOVER_RANDOM_COSTS=N` tries that many models in place of a few.

use chaincover::{
    GoalStatus, LeastCost, Model, Options, Outcome, Settings, Silent, find_chains, least_cost, read,
};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A condition over the state and the input of a step, and those of the step before.
#[derive(Clone, Debug)]
enum Condition {
    State(usize),
    Input(usize),
    NotInput(usize),
    Both(usize, usize),
    /// The input is another one than in the step before.
    InputChanges,
    /// The state is another one than before the step before.
    StateChanges,
}

impl Condition {
    fn random(random: &mut SmallRng, (states, inputs): (usize, usize), looks_back: bool) -> Self {
        let (state, input) = (random.random_range(0..states), random.random_range(0..inputs));
        match random.random_range(0..if looks_back { 6 } else { 4 }) {
            0 => Self::State(state),
            1 => Self::Input(input),
            2 => Self::NotInput(input),
            3 => Self::Both(state, input),
            4 => Self::InputChanges,
            _ => Self::StateChanges,
        }
    }
    fn text(&self) -> String {
        match self {
            Self::State(state) => format!("s == {state}"),
            Self::Input(input) => format!("x == {input}"),
            Self::NotInput(input) => format!("x != {input}"),
            Self::Both(state, input) => format!("s == {state} && x == {input}"),
            Self::InputChanges => "x != old(x)".to_owned(),
            Self::StateChanges => "s != old(s)".to_owned(),
        }
    }
    fn holds(&self, before: Option<(usize, usize)>, (state, input): (usize, usize)) -> bool {
        match *self {
            Self::State(wanted) => state == wanted,
            Self::Input(wanted) => input == wanted,
            Self::NotInput(other) => input != other,
            Self::Both(wanted, with) => state == wanted && input == with,
            Self::InputChanges => before.is_some_and(|(_, other)| input != other),
            Self::StateChanges => before.is_some_and(|(other, _)| state != other),
        }
    }
}

/// A goal: conditions of one step, or of two in a row.
#[derive(Clone, Debug)]
struct Goal {
    first: Condition,
    second: Option<Condition>,
}

/// A random model: a table of successors.
#[derive(Clone, Debug)]
struct Random {
    inputs: usize,
    /// The state behind each state and input.
    next: Vec<Vec<usize>>,
    goals: Vec<Goal>,
    /// A state in which an input is not allowed.
    never: Option<(usize, usize)>,
    end: Option<usize>,
    step: u64,
    add: Vec<(Condition, u64)>,
}

impl Random {
    fn new(random: &mut SmallRng) -> Self {
        let (states, inputs) = (random.random_range(2..7), random.random_range(2..4));
        // Mostly to states nearby, so that ways are long.
        let next = (0..states).map(|state| {
            let mut successor = || match random.random_range(0..4) {
                0 => random.random_range(0..states),
                1 => state,
                _ => (state + 1) % states,
            };
            (0..inputs).map(|_| successor()).collect()
        });
        let next = next.collect();
        let size = (states, inputs);
        let goals = (0..random.random_range(1..5)).map(|_| Goal {
            first: Condition::random(random, size, false),
            second: random.random_bool(0.3).then(|| Condition::random(random, size, false)),
        });
        let goals = goals.collect();
        let scale = [1, 1, 5][random.random_range(0..3)];
        Self {
            inputs,
            next,
            goals,
            never: random
                .random_bool(0.3)
                .then(|| (random.random_range(0..states), random.random_range(0..inputs))),
            end: random.random_bool(0.3).then(|| random.random_range(0..states)),
            step: scale * random.random_range(0..3),
            add: (0..random.random_range(1..4))
                .map(|_| (Condition::random(random, size, true), scale * random.random_range(1..8)))
                .collect(),
        }
    }
    fn code(&self) -> String {
        let rows = self.next.iter().flatten().map(usize::to_string).collect::<Vec<_>>().join(", ");
        format!(
            "static const unsigned char next[{}] = {{ {rows} }};\nunsigned char s, x;\nvoid step(void) {{ s = next[s * {} + x]; }}\n",
            self.next.len() * self.inputs,
            self.inputs
        )
    }
    fn configuration(&self) -> String {
        let mut text = format!(
            "[model]\nsources = ['m.c']\ninputs = ['x']\n[input.x]\nrange = [0, {}]\n",
            self.inputs - 1
        );
        for (number, goal) in self.goals.iter().enumerate() {
            let steps: Vec<String> = std::iter::once(&goal.first)
                .chain(&goal.second)
                .map(|condition| format!("{{ when = '{}' }}", condition.text()))
                .collect();
            let _ = writeln!(text, "[[goal]]\nname = 'g{number}'\nstep = [{}]", steps.join(", "));
        }
        if let Some((state, input)) = self.never {
            let _ = writeln!(text, "[[assume]]\nexpr = '!(s == {state} && x == {input})'");
        }
        if let Some(end) = self.end {
            let _ = writeln!(text, "[final]\nwhen = 's == {end}'");
        }
        let added = self
            .add
            .iter()
            .map(|(condition, cost)| format!("{{ when = '{}', cost = {cost} }}", condition.text()));
        let added = added.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "[cost]\nunit = 's'\nstep = {}\nadd = [{added}]", self.step);
        text
    }
    fn cost(&self, before: Option<(usize, usize)>, now: (usize, usize)) -> u64 {
        let added = self.add.iter().filter(|(condition, _)| condition.holds(before, now));
        self.step + added.map(|(_, cost)| cost).sum::<u64>()
    }
    fn covers(&self, before: Option<(usize, usize)>, now: (usize, usize)) -> u32 {
        let covered = self.goals.iter().enumerate().filter(|(_, goal)| match &goal.second {
            None => goal.first.holds(None, now),
            Some(second) => {
                before.is_some_and(|before| goal.first.holds(None, before)) && second.holds(None, now)
            }
        });
        covered.fold(0, |set, (number, _)| set | 1 << number)
    }
    fn allowed(&self, state: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.inputs).filter(move |&input| self.never != Some((state, input)))
    }
    /// What inputs cost and cover, and whether a chain may end behind them.
    fn run(&self, inputs: &[usize]) -> (u64, u32, bool) {
        let (mut state, mut before, mut cost, mut covered) = (0, None, 0, 0);
        for &input in inputs {
            assert!(self.never != Some((state, input)), "an input that is not allowed");
            cost += self.cost(before, (state, input));
            covered |= self.covers(before, (state, input));
            before = Some((state, input));
            state = self.next[state][input];
        }
        (cost, covered, self.end.is_none_or(|end| end == state))
    }
    /// The least cost of a chain that covers some goals.
    fn least(&self, wanted: u32) -> Option<u64> {
        let start = (0_usize, None, 0_u32);
        let mut known = BTreeMap::from([(start, 0)]);
        let mut waiting = BinaryHeap::from([Reverse((0, start))]);
        while let Some(Reverse((cost, at))) = waiting.pop() {
            let (state, before, covered) = at;
            if covered & wanted == wanted && before.is_some() && self.end.is_none_or(|end| end == state) {
                return Some(cost);
            }
            if known[&at] < cost {
                continue;
            }
            for input in self.allowed(state) {
                let now = (state, input);
                let later = (self.next[state][input], Some(now), covered | self.covers(before, now));
                let cost = cost + self.cost(before, now);
                if known.get(&later).is_none_or(|&least| cost < least) {
                    known.insert(later, cost);
                    waiting.push(Reverse((cost, later)));
                }
            }
        }
        None
    }
}

/// The inputs of each chain.
fn inputs(outcome: &Outcome) -> Vec<Vec<usize>> {
    let chain = |chain: &engine::outcome::Chain| {
        chain
            .trace
            .inputs
            .iter()
            .map(|values| usize::try_from(values[0].bits()).expect("a small number"))
            .collect()
    };
    outcome.chains.iter().map(chain).collect()
}

fn covered(outcome: &Outcome) -> u32 {
    let goals = outcome.goals.values().enumerate();
    let covered = goals.filter(|(_, goal)| matches!(goal.status, GoalStatus::Covered { .. }));
    covered.fold(0, |set, (number, _)| set | 1 << number)
}

/// What became of random models.
#[derive(Debug, Default)]
struct Tally {
    models: usize,
    none: usize,
    several: usize,
    proven: usize,
    open: usize,
    /// Those in which the chain of fewest steps costs more than the least.
    cheaper: usize,
}

#[test]
fn least_costs_are_those_of_dijkstra() {
    let count =
        std::env::var("CHAINCOVER_RANDOM_COSTS").ok().and_then(|text| text.parse().ok()).unwrap_or(24);
    let first = std::env::var("CHAINCOVER_RANDOM_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("chaincover.toml");
    let mut tally = Tally::default();
    for seed in first..first + count {
        let system = Random::new(&mut SmallRng::seed_from_u64(seed));
        std::fs::write(folder.path().join("m.c"), system.code()).expect("a file");
        std::fs::write(&path, system.configuration()).expect("a file");
        let model = read([&path], &Settings::default()).expect("a model");
        tally.models += 1;
        compare(seed, &system, &model, &mut tally);
    }
    eprintln!("{tally:?}");
    assert_eq!(tally.models, tally.none + tally.several + tally.proven + tally.open);
    assert!(tally.open * 50 <= tally.models, "{tally:?}");
}

fn compare(seed: u64, system: &Random, model: &Model, tally: &mut Tally) {
    let told = || format!("seed {seed}\n{}{}", system.code(), system.configuration());
    let limit = |seconds| Options {
        deadline: Instant::now().checked_add(Duration::from_secs(seconds)),
        ..Options::default()
    };
    let Ok(outcome) = find_chains(model, &limit(20), &Silent) else {
        tally.none += 1;
        return;
    };
    let shortest: u64 = inputs(&outcome).iter().map(|inputs| system.run(inputs).0).sum();
    let (wanted, chains) = (covered(&outcome), outcome.chains.len());
    let least =
        least_cost(model, outcome, &limit(60), &Silent).unwrap_or_else(|error| panic!("{error} {}", told()));
    let LeastCost { outcome, cost, bound } = least;
    let runs: Vec<_> = inputs(&outcome).iter().map(|inputs| system.run(inputs)).collect();
    assert!(runs.iter().all(|&(_, _, may_end)| may_end), "{}", told());
    assert_eq!(runs.iter().map(|&(cost, ..)| cost).sum::<u64>(), cost, "{}", told());
    assert_eq!(runs.iter().fold(0, |set, &(_, covered, _)| set | covered), covered(&outcome), "{}", told());
    assert_eq!(covered(&outcome) & wanted, wanted, "{}", told());
    assert!(bound <= cost && cost <= shortest, "{bound} {cost} {shortest} {}", told());
    match chains {
        0 => tally.none += 1,
        1 => {
            let expected = system.least(wanted).expect("a chain should be there");
            assert!(bound <= expected && expected <= cost, "{bound} {expected} {cost} {}", told());
            if bound == cost {
                tally.proven += 1;
            } else {
                eprintln!("open at seed {seed}: {bound} to {cost}, and it is {expected}");
                tally.open += 1;
            }
            tally.cheaper += usize::from(cost < shortest);
        }
        _ => tally.several += 1,
    }
}
