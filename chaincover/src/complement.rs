//! What old tests miss, as few further steps: behind the end of one of them, or as a chain of its
//! own.
//!
//! From the end of a test the system goes on as from any state, so the search for chains begins
//! there: the state is the initial one of a system with the goals that are missed. Ends from which
//! some of them are out of reach are *traps*.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::old_tests::{OldTest, OldTests};
use crate::search::check_trace;
use ::replay::check::NativeCheck;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::{Options, part_of_time};
use engine::outcome::Outcome;
use engine::session::Silent;
use frontend::limit::Limit;
use model::system::{GoalId, TransitionSystem};
use model::trace::{Execution, Start, Trace, replay};
use model::validate::{Validated, validate};
use report::output::chain_file::{self, ChainFile};
use report::output::summary::counted;
use std::time::{Duration, Instant};

/// Ends of tests that are tried at most: those of the tests that cover the most.
const MOST_ENDS: usize = 8;
/// What all this takes at most where no time limit is given.
const LONGEST: Duration = Duration::from_secs(60);

/// What old tests miss, and what covers it; see the module text.
#[derive(Clone, Debug)]
pub(crate) struct Complement {
    /// The goals that no test covers and that can be covered.
    pub goals: Vec<GoalId>,
    /// What goes on from the ends of tests, in the order of the tests.
    pub behind: Vec<Continuation>,
    /// A chain of its own; none where none was found that covers all.
    pub alone: Option<Added>,
    /// Number of tests whose ends were not tried.
    pub untried: usize,
    /// How long a reset takes, in steps, as far as it counts.
    reset: u64,
}

/// What goes on from the end of a test.
#[derive(Clone, Debug)]
pub(crate) struct Continuation {
    /// The test, by its position among the old ones.
    pub test: usize,
    /// What covers all goals that are missed; none where nothing was found that does.
    pub added: Option<Added>,
    /// Goals that no execution reaches from there, which is proven.
    pub out_of_reach: Vec<GoalId>,
}

/// Steps that cover what was missed.
#[derive(Clone, Debug)]
pub(crate) struct Added {
    /// Number of steps that are new.
    pub steps: usize,
    /// Whether it is proven that no fewer do.
    pub is_shortest: bool,
    /// The whole execution, from the initial state.
    pub trace: Trace,
    /// What the evaluator sees.
    pub run: Execution,
}

/// Seeks what the tests miss of what an outcome covers. `None`: there are no tests, or they miss
/// nothing of it.
///
/// # Errors
/// A failed self-check.
pub(crate) fn complement(
    model: &Model,
    old: &OldTests,
    outcome: &Outcome,
    options: &Options,
) -> Result<Option<Complement>, Error> {
    let is_covered = |goal: GoalId| matches!(outcome.goals[goal].status, GoalStatus::Covered { .. });
    let is_missed = |goal: &GoalId| old.tests.iter().all(|test| test.run.occurrences[*goal].is_empty());
    let goals: Vec<GoalId> =
        model.system.goals.ids().filter(|&goal| is_covered(goal)).filter(is_missed).collect();
    if old.tests.is_empty() || goals.is_empty() {
        return Ok(None);
    }
    let end = options.deadline.or_else(|| Instant::now().checked_add(LONGEST));
    let mut ends: Vec<usize> = (0..old.tests.len()).collect();
    ends.sort_by_key(|&test| std::cmp::Reverse(old.tests[test].covers().len()));
    let untried = ends.len().saturating_sub(MOST_ENDS);
    ends.truncate(MOST_ENDS);
    ends.sort_unstable();
    let within = |parts: usize| {
        let deadline = part_of_time(end, 1, parts as u32);
        Options { deadline, smoothing: None, reset_cost: None, ..options.clone() }
    };
    // One chain of the whole may be all that is needed, and then it is as short as is known.
    let start = Begin { inputs: Vec::new(), start: None };
    let alone = added(model, &start, &goals, &within(ends.len() + 1))?.0;
    let mut behind = Vec::new();
    for (position, &test) in ends.iter().enumerate() {
        let OldTest { trace, run, .. } = &old.tests[test];
        let Some(state) = run.states.last() else { continue };
        let mut system: TransitionSystem = (*model.system).clone();
        system.begin_in(state);
        let begin = Begin { inputs: trace.inputs.clone(), start: Some((system, trace.start.clone())) };
        let (added, out_of_reach) = added(model, &begin, &goals, &within(ends.len() - position))?;
        behind.push(Continuation { test, added, out_of_reach });
    }
    Ok(Some(Complement { goals, behind, alone, untried, reset: options.reset_cost.unwrap_or(0) }))
}

/// Where new steps begin.
struct Begin {
    /// The inputs before them.
    inputs: Vec<Vec<model::value::Value>>,
    /// The system that begins there, and how the execution began; none: the model itself.
    start: Option<(TransitionSystem, Start)>,
}

/// The fewest steps that cover goals, and those of the goals that are proven out of reach.
fn added(
    model: &Model,
    begin: &Begin,
    goals: &[GoalId],
    options: &Options,
) -> Result<(Option<Added>, Vec<GoalId>), Error> {
    let mut system =
        begin.start.as_ref().map_or_else(|| (*model.system).clone(), |(system, _)| system.clone());
    system.goals = goals.iter().map(|&goal| model.system.goals[goal].clone()).collect();
    let system: Validated =
        validate(system).map_err(|_| internal("a system that begins elsewhere is malformed"))?;
    let outcome = match engine::find_chains(&system, options, &Silent) {
        Ok(outcome) => outcome,
        // Nothing goes on from there.
        Err(engine::error::EngineError::NoExecution(_)) => return Ok((None, goals.to_vec())),
        Err(error) => return Err(error.into()),
    };
    let is_out = |status: &GoalStatus| {
        matches!(status, GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. })
    };
    let statuses = goals.iter().zip(outcome.goals.values());
    let out_of_reach = statuses.filter(|(_, found)| is_out(&found.status)).map(|(&goal, _)| goal).collect();
    let [chain] = &outcome.chains[..] else { return Ok((None, out_of_reach)) };
    let start = begin.start.as_ref().map_or_else(|| chain.trace.start.clone(), |(_, start)| start.clone());
    let inputs = [&begin.inputs[..], &chain.trace.inputs].concat();
    let mut trace = Trace { start, inputs };
    let run = run(model, &trace)?;
    let behind = |goal: &GoalId| {
        let first = run.occurrences[*goal].first()?;
        Some(first.step + model.system.goals[*goal].steps as usize)
    };
    let Some(last) = goals.iter().map(behind).collect::<Option<Vec<usize>>>() else {
        return Ok((None, out_of_reach));
    };
    // Windows that begin within the test may be over before the search thought they were.
    let length = match model.system.end {
        None => last.into_iter().max().unwrap_or(0),
        Some(_) => trace.inputs.len(),
    };
    let was_cut = length < trace.inputs.len();
    trace.inputs.truncate(length);
    let run = if was_cut { self::run(model, &trace)? } else { run };
    // A window of several steps may begin within the test: no search has looked at that.
    let is_within = begin.inputs.is_empty() || goals.iter().all(|&goal| model.system.goals[goal].steps == 1);
    let is_shortest = outcome.minimal == Minimality::Proven && is_within && !was_cut;
    Ok((Some(Added { steps: length - begin.inputs.len(), is_shortest, trace, run }), out_of_reach))
}

fn run(model: &Model, trace: &Trace) -> Result<Execution, Error> {
    replay(&model.system, trace)
        .map_err(|error| Error::new(ErrorKind::SelfCheck, format!("what goes on from old tests: {error}")))
}

fn internal(message: &str) -> Error {
    Error::new(ErrorKind::Internal, message)
}

impl Complement {
    /// What needs the fewest steps; a chain of its own costs a reset, too.
    fn best(&self) -> Option<&Added> {
        let behind = self.behind.iter().filter_map(|found| found.added.as_ref());
        let all = behind.map(|added| (added.steps as u64, added));
        let alone = self.alone.iter().map(|added| (added.steps as u64 + self.reset, added));
        all.chain(alone).min_by_key(|(cost, _)| *cost).map(|(_, added)| added)
    }

    /// The best of it as outcome of the model, with what the compiled code says.
    pub(crate) fn outcome(
        &self,
        model: &Model,
        outcome: &Outcome,
        limit: Option<&Limit>,
    ) -> Option<(Outcome, Vec<NativeCheck>)> {
        let best = self.best()?;
        let mut found =
            Outcome { graph: None, smoothing: Vec::new(), minimal: Minimality::Unknown, ..outcome.clone() };
        found.put_chains(&model.system, vec![(best.trace.clone(), best.run.clone())]);
        let check = match limit {
            Some(limit) => check_trace(model, (&best.trace, &best.run), limit),
            None => NativeCheck::Skipped { reason: "--no-replay".to_owned() },
        };
        Some((found, vec![check]))
    }

    /// As results have it.
    pub(crate) fn record(&self, model: &Model, old: &OldTests, file: &mut ChainFile) {
        let names = |goals: &[GoalId]| -> Vec<String> {
            goals.iter().map(|&goal| model.system.goals[goal].name.clone()).collect()
        };
        let added = |added: &Added| chain_file::Added { steps: added.steps, shortest: added.is_shortest };
        let behind = self.behind.iter().map(|found| {
            let test = &old.tests[found.test];
            chain_file::Continuation {
                file: test.path.display().to_string(),
                test: test.number,
                added: found.added.as_ref().map(added),
                out_of_reach: names(&found.out_of_reach),
            }
        });
        file.complement = Some(chain_file::Complement {
            goals: names(&self.goals),
            behind: behind.collect(),
            alone: self.alone.as_ref().map(added),
            untried: self.untried,
        });
        file.notes.extend(self.told(model, old));
    }

    /// In sentences.
    fn told(&self, model: &Model, old: &OldTests) -> Vec<String> {
        let name = |test: usize| {
            let OldTest { path, number, .. } = &old.tests[test];
            let several = old.tests.iter().filter(|other| other.path == *path).count() > 1;
            let number = if several { format!(" (test {number})") } else { String::new() };
            format!("{}{number}", path.display())
        };
        let steps = |added: &Added| {
            let steps = counted(added.steps, "step");
            if added.is_shortest { format!("{steps}, fewest possible (proven),") } else { steps }
        };
        let best = self.behind.iter().filter_map(|found| Some((found.added.as_ref()?, found.test)));
        let best = best.min_by_key(|(added, _)| added.steps);
        let behind = best.map(|(added, test)| format!("{} after {}", steps(added), name(test)));
        let alone = self.alone.as_ref().map(|added| format!("{} as a chain of its own", steps(added)));
        let ways: Vec<String> = behind.into_iter().chain(alone).collect();
        let missed = counted(self.goals.len(), "goal");
        let mut told = vec![match ways.is_empty() {
            true => format!("old tests: no one chain was found for the {missed} that they miss"),
            false => format!("old tests: complement for the {missed} that they miss: {}", ways.join("; ")),
        }];
        for found in self.behind.iter().filter(|found| !found.out_of_reach.is_empty()) {
            let first = &model.system.goals[found.out_of_reach[0]].name;
            let more = match found.out_of_reach.len() {
                1 => String::new(),
                all => format!(" and {} more", all - 1),
            };
            told.push(format!(
                "old tests: the end of {} is a trap: {first}{more} cannot be reached from there (proven)",
                name(found.test)
            ));
        }
        if self.untried > 0 {
            told.push(format!(
                "old tests: the ends of {} were not gone on from",
                counted(self.untried, "test")
            ));
        }
        told
    }
}
