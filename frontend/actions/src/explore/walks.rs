//! Mutants that no few pairs kill, along random traces of the original: all of them go along each
//! trace, as far as their runs allow it.

use super::conform::{Determined, Event, Pair, Product, UNKNOWN, watched};
use super::runs::{Duel, Runs};
use super::space::{Machine, Space};
use crate::interpret::TooMany;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::rc::Rc;
use std::time::Instant;

/// Lengths of traces: short ones are many, as chains are made of them.
const LENGTHS: [(usize, usize); 4] = [(40, 25), (160, 12), (640, 6), (2560, 3)];

/// How often an action is taken beside others along one trace. Where all are taken equally often,
/// what counts up and down stays where it is, and what waits is disturbed.
const WEIGHTS: [f64; 4] = [0.02, 0.3, 1.0, 6.0];

/// Where the generator of random numbers begins: results are the same each time.
const SEED: u64 = 0xacc7;

/// A mutant along a trace.
struct Along<'a> {
    number: usize,
    machine: &'a Machine,
    /// Its runs; none where it cannot follow, or is killed.
    runs: Option<Rc<[Runs]>>,
    /// What it and the original came to before each step.
    pairs: Vec<Pair>,
}

/// Mutants, by numbers, with products that hold the traces by which they are killed. The search ends
/// with a trace where the time is up, or the space is full.
pub fn walk(
    space: &mut Space,
    (automaton, original): (&mut Determined, &Machine),
    mutants: &[(usize, Machine)],
    (within, deadline): (Option<u32>, Option<Instant>),
) -> Vec<(usize, Product)> {
    let mut random = SmallRng::seed_from_u64(SEED);
    let mut found: Vec<(usize, Product)> = Vec::new();
    for (length, count) in LENGTHS {
        for _ in 0..count {
            let is_open = |number: usize| found.iter().all(|(known, _)| *known != number);
            let open = mutants.iter().filter(|(number, _)| is_open(*number));
            let open: Vec<&(usize, Machine)> = open.collect();
            if open.is_empty() || deadline.is_some_and(|end| Instant::now() >= end) {
                return found;
            }
            let walk = Walk { space, automaton, original, within, random: &mut random };
            if walk.go(&open, length, &mut found).is_err() {
                return found;
            }
        }
    }
    found
}

struct Walk<'a> {
    space: &'a mut Space,
    automaton: &'a mut Determined,
    original: &'a Machine,
    within: Option<u32>,
    random: &'a mut SmallRng,
}

impl Walk<'_> {
    /// Goes along one trace, and adds what is killed.
    fn go(
        mut self,
        mutants: &[&(usize, Machine)],
        length: usize,
        found: &mut Vec<(usize, Product)>,
    ) -> Result<(), TooMany> {
        let weights: Vec<f64> = (0..self.space.actions()).map(|_| self.any(&WEIGHTS)).collect();
        let mut along = Vec::new();
        for (number, machine) in mutants {
            let runs = Some(self.duel(machine).start()?);
            along.push(Along { number: *number, machine, runs, pairs: Vec::new() });
        }
        let mut node = 0;
        for _ in 0..length {
            self.space.check_time()?;
            let own = along.iter().filter_map(|one| one.runs.as_ref());
            let own: Vec<u32> = own.flat_map(|runs| runs.iter().map(|runs| runs.state)).collect();
            self.automaton.expand(self.space, self.original, node, &own)?;
            for one in &mut along {
                let Some(runs) = one.runs.clone() else { continue };
                let set = self.automaton.sets[node as usize];
                let kills = watched(&mut self.duel(one.machine), set, &runs)?.kills;
                let next = vec![UNKNOWN; self.automaton.events[node as usize].len()];
                one.pairs.push(Pair { node, runs, kills, next });
                if kills {
                    let shortest = Some(one.pairs.len() as u32);
                    let pairs = std::mem::take(&mut one.pairs);
                    found.push((one.number, Product::of_trace(pairs, shortest, self.within)));
                    one.runs = None;
                }
            }
            along.retain(|one| one.runs.is_some());
            let Some(taken) = self.choose(node, &weights).filter(|_| !along.is_empty()) else { break };
            let (event, to) = self.automaton.events[node as usize][taken];
            for one in &mut along {
                let Some(runs) = &one.runs else { continue };
                one.runs = self.duel(one.machine).after(runs, event)?;
                let number = one.pairs.len() as u32;
                if let Some(last) = one.pairs.last_mut() {
                    last.next[taken] = number;
                }
            }
            along.retain(|one| one.runs.is_some());
            node = to;
        }
        Ok(())
    }

    fn duel<'b>(&'b mut self, mutant: &'b Machine) -> Duel<'b> {
        Duel { space: self.space, original: self.original, mutant, within: self.within }
    }
    fn any<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.random.random_range(0..things.len())]
    }
    /// An event of a node: first an action by its weight, then one of its labels. Silence is like an
    /// action of the least weight. None where the trace ends.
    fn choose(&mut self, node: u32, weights: &[f64]) -> Option<usize> {
        let events = &self.automaton.events[node as usize];
        let action = |event: Event| match event {
            Event::Stimulus(label) | Event::Answer(label) => Some(Some(self.space.label(label).0)),
            Event::Quiet => Some(None),
            Event::Look => None,
        };
        let mut actions: Vec<Option<usize>> = events.iter().filter_map(|(event, _)| action(*event)).collect();
        actions.dedup();
        let weight = |action: Option<usize>| action.map_or(WEIGHTS[0], |action| weights[action]);
        let mut left =
            self.random.random_range(0.0..1.0) * actions.iter().map(|&one| weight(one)).sum::<f64>();
        let chosen = actions.iter().copied().find(|&one| {
            left -= weight(one);
            left <= 0.0
        });
        let chosen = chosen.or(actions.last().copied())?;
        let fit = |(position, (event, _)): (usize, &(Event, u32))| {
            (action(*event) == Some(chosen)).then_some(position)
        };
        let fitting: Vec<usize> = events.iter().enumerate().filter_map(fit).collect();
        Some(fitting[self.random.random_range(0..fitting.len())])
    }
}
