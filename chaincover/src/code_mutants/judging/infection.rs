//! Mutants by where they first leave other memory than the original.
//!
//! A kill has three parts (L. J. Morell, *A theory of fault-based testing*, TSE 16(8), 1990; R. A.
//! DeMillo, A. J. Offutt, *Constraint-based automatic test data generation*, TSE 17(9), 1991): the
//! change is executed, it infects memory, and what it infects reaches an output. Up to the infection
//! the mutant is the original, so that one search of the original alone looks for the infections of
//! all mutants at once, and no original stands beside a mutant in it. A mutant without infection is
//! the original. From an infection, inputs of known executions and random ones are tried.

use super::{
    Answer, Engines, Found, Judging, Known, Reached, SHOWS_A_DIFFERENCE, ask_engine_from, numbers_of, reached,
};
use crate::error::Error;
use crate::threads::each;
use crate::versions::{Held, Infection, Run, Shown, Version, goes_on, with_memory_seen};
use engine::knowledge::status::GoalStatus;
use engine::options::{Options, part_of_time};
use engine::random_simulation::Random;
use engine::step::external::random_branches;
use model::product::Join;
use model::term::TermId;
use model::trace::{Execution, Start, Trace};
use model::value::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

/// Mutants whose infections are asked for at once.
const AT_ONCE: usize = 256;

/// Part of the time that is left in which infections are looked for.
const PART: u32 = 4;

/// Known executions that the search for infections begins with: the longest ones.
const SEEDS: usize = 32;

/// Rounds of ways on from infections at most; in each a mutant has some ways from one infection.
const ROUNDS: u64 = 128;

/// Rounds without a kill after which there is no further one.
const IN_VAIN: u32 = 8;

/// Random ways of a round.
const WAYS: usize = 4;

/// Steps of a random way.
const SHORT: usize = 160;

/// Steps of a way with held inputs, or with those of a part of an execution.
const LONG: usize = 5_000;

/// Inputs that are held before others are held for at most 1, 2, 4, ... steps, so many numbers.
const SOON: usize = 10;

/// Infections of a mutant from which a search begins.
const SEARCHES: usize = 2;

/// Part of the time that is left in which ways are tried.
const TRIES: u32 = 5;

impl Judging<'_> {
    /// Looks for executions that infect the memory of mutants that are open: excludes those that
    /// nothing infects, and adds the executions to those that are known. The executions.
    pub(super) fn infect(
        &self,
        found: &mut [Option<Result<Found, Error>>],
        known: &Known,
    ) -> Result<Vec<Arc<Run>>, Error> {
        let open = numbers_of(found, |found| matches!(found, Found::Open(_)));
        let parts: Vec<&[usize]> = open.chunks(AT_ONCE).collect();
        let end = part_of_time(self.options.search.deadline, 1, PART);
        let mut runs = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let share = u32::try_from(parts.len() - at).unwrap_or(u32::MAX);
            runs.extend(self.infect_some(part, found, known, (end, share))?);
        }
        Ok(runs)
    }

    /// As [`Judging::infect`], for some of the mutants.
    fn infect_some(
        &self,
        numbers: &[usize],
        found: &mut [Option<Result<Found, Error>>],
        known: &Known,
        (end, share): (Option<Instant>, u32),
    ) -> Result<Vec<Arc<Run>>, Error> {
        let mut join = Join::new(&with_memory_seen(&self.original.system), &goes_on(self.original));
        let mut asked: BTreeMap<TermId, Vec<usize>> = BTreeMap::new();
        for &number in numbers.iter().take_while(|_| !self.is_over()) {
            let departs = self.version(number).map(|version| version.departure(self.original, &mut join));
            if let Some(Ok(departs)) = departs {
                asked.entry(departs).or_default().push(number);
            }
        }
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        for (&departs, numbers) in &asked {
            join.add_goal(&format!("m{}", numbers[0] + 1), departs);
        }
        let mut seeds = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        seeds.sort_by_key(|run| std::cmp::Reverse(run.trace.inputs.len()));
        let traces: Vec<Trace> = seeds.iter().take(SEEDS).map(|run| run.trace.clone()).collect();
        let jobs = self.options.search.jobs;
        let options = Options { jobs, ..self.alone((end, share, Engines::All)) };
        let Answer::Outcome(outcome) = ask_engine_from(join, &traces, &options.any_length())? else {
            return Ok(Vec::new());
        };
        for (numbers, result) in asked.values().zip(outcome.goals.values()) {
            if let GoalStatus::Unreachable { proof } = &result.status {
                let by = format!("no step leaves other memory or shows other outputs ({proof})");
                for &number in numbers {
                    found[number] = Some(Ok(Found::Other("conforms", by.clone())));
                }
            }
        }
        let chains = outcome.chains.into_iter();
        let runs = chains.map(|chain| self.execution(self.join.of_original(chain.trace)).map(Arc::new));
        let runs = runs.collect::<Result<Vec<_>, Error>>()?;
        known.lock().unwrap_or_else(PoisonError::into_inner).extend(runs.iter().cloned());
        Ok(runs)
    }

    /// Looks at mutants that are open along ways on from where these executions infect them.
    pub(super) fn propagate(&self, found: &mut [Option<Result<Found, Error>>], runs: &[Arc<Run>]) {
        if !self.original.system.external_calls.is_empty() || runs.is_empty() {
            return;
        }
        let Options { seed, deadline, jobs, .. } = self.options.search;
        let end = part_of_time(deadline, 1, TRIES);
        let is_over = || end.is_some_and(|end| Instant::now() >= end);
        let open = numbers_of(found, |found| matches!(found, Found::Open(_)));
        let places = each(open.len(), jobs, &|at| {
            let version = self.version(open[at]).filter(|_| !is_over());
            version.map_or_else(Vec::new, |version| self.infections(version, runs))
        });
        let places: BTreeMap<usize, Vec<Place<'_>>> = open.into_iter().zip(places).collect();
        let mut in_vain = 0;
        for round in 1..=ROUNDS {
            let open = numbers_of(found, |found| matches!(found, Found::Open(_)));
            if open.is_empty() || in_vain == IN_VAIN || is_over() {
                return;
            }
            let kills = self.look_by(found, open, &|(number, version)| {
                let places = places.get(&number).filter(|_| !is_over())?;
                self.ways_on(version, (places, runs), seed.wrapping_add(round))
            });
            in_vain = if kills { 0 } else { in_vain + 1 };
        }
    }

    /// An execution that kills a version and goes on from one of these places where it is infected,
    /// by inputs of its own or of these executions.
    fn ways_on(
        &self,
        version: &Version,
        (places, runs): (&[Place<'_>], &[Arc<Run>]),
        seed: u64,
    ) -> Option<Trace> {
        if !version.model.system.external_calls.is_empty() {
            return None;
        }
        let mut random = Random::new(seed);
        let place = places.get(random.below(places.len()))?;
        let theirs = place.original();
        let mut simulator = self.simulator.clone();
        let mut try_inputs = |inputs: &[Held<'_>]| {
            let states = (theirs, &*place.infection.state);
            let taken = version.propagates(&mut simulator, states, inputs)?;
            self.confirmed(version, place, taken)
        };
        let walks = self.walks(theirs, random.next_word());
        let in_walks = walks.iter().find_map(|walk| try_inputs(&each_once(&walk.inputs)));
        if in_walks.is_some() {
            return in_walks;
        }
        let mut row = || {
            let inputs = &runs[random.below(runs.len())].trace.inputs;
            let begin = random.below(inputs.len());
            inputs.get(begin..inputs.len().min(begin + LONG))
        };
        let (part, first, second) = (row()?, row()?, row()?);
        let (first, second) = (first.first()?, second.first()?);
        let infecting = place.run.trace.inputs.get(place.infection.at - 1)?;
        // What else would show the same is often held back by one input of several.
        let mixed: Vec<Value> = infecting
            .iter()
            .zip(first)
            .map(|(one, other)| if random.below(2) == 0 { *one } else { *other })
            .collect();
        let soon = 1 << random.below(SOON);
        try_inputs(&[(infecting, LONG)])
            .or_else(|| try_inputs(&[(&mixed, LONG)]))
            .or_else(|| try_inputs(&[(first, soon), (second, LONG)]))
            .or_else(|| try_inputs(&each_once(part)))
    }

    /// Where executions infect a version.
    fn infections<'r>(&self, version: &Version, runs: &'r [Arc<Run>]) -> Vec<Place<'r>> {
        let runs = runs.iter().take_while(|_| !self.is_over());
        let places = runs.flat_map(|run| {
            let infections = version.infections(&run.trace, &run.run).into_iter();
            infections.map(|infection| Place { run, infection })
        });
        places.collect()
    }

    /// An execution that kills a version, found by a search that begins where some of these
    /// executions infect it.
    pub(super) fn search_infections(
        &self,
        version: &Version,
        runs: &[Arc<Run>],
        (end, share): (Option<Instant>, u32),
    ) -> Result<Option<Trace>, Error> {
        let mut places = self.infections(version, runs);
        Random::new(self.options.search.seed).shuffle(&mut places);
        places.truncate(SEARCHES);
        let end = part_of_time(end, 1, share);
        for (at, place) in places.iter().enumerate() {
            let mut join = self.join.clone();
            let Ok(difference) = version.join(&mut join) else { return Ok(None) };
            version.begin_at(&mut join, place.original(), &place.infection.state);
            let share = u32::try_from(places.len() - at).unwrap_or(u32::MAX);
            let options = self.alone((end, share, Engines::All)).any_length();
            let query = (difference.kills, SHOWS_A_DIFFERENCE);
            if let Reached::Yes(trace, _) = reached(&join, query, &options)?
                && let Some(trace) = self.confirmed(version, place, trace.inputs)
            {
                return Ok(Some(trace));
            }
        }
        Ok(None)
    }

    /// Random inputs from a state of the original.
    fn walks(&self, state: &[Value], seed: u64) -> Vec<Trace> {
        let begin = Trace { start: Start::State(state.to_vec()), inputs: Vec::new() };
        let run = Execution {
            states: vec![state.to_vec()],
            outputs: Vec::new(),
            occurrences: Default::default(),
            hazards: Vec::new(),
            may_end: true,
        };
        random_branches(&self.original.system, &[(&begin, &run)], seed, (WAYS, SHORT))
    }

    /// The execution that goes on from an infection under these inputs, if it kills a version.
    fn confirmed(&self, version: &Version, place: &Place<'_>, inputs: Vec<Vec<Value>>) -> Option<Trace> {
        let mut trace = place.run.trace.clone();
        trace.inputs.truncate(place.infection.at);
        trace.inputs.extend(inputs);
        let run = self.execution(trace.clone()).ok()?;
        let Shown::Differs(step) = version.shows(&run.trace, &run.run) else { return None };
        trace.inputs.truncate(step + 1);
        Some(trace)
    }
}

/// Where an execution infects a version.
struct Place<'r> {
    run: &'r Run,
    infection: Infection,
}

impl Place<'_> {
    /// The memory of the original there.
    fn original(&self) -> &[Value] {
        &self.run.run.states[self.infection.at]
    }
}

/// Inputs none of which is held.
fn each_once(inputs: &[Vec<Value>]) -> Vec<Held<'_>> {
    inputs.iter().map(|row| (&**row, 1)).collect()
}
