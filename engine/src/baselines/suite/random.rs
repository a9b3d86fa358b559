//! Random testing with flags for Final, the suite minimised by a weighted minimal cover (section 6
//! of the paper).
//!
//! Test cases of random inputs are run until all goals are covered. What ends in Final on the way
//! is remembered, by what it covers. The paper told its generator how long test cases must be; here
//! the length is doubled whenever many of them cover nothing new.

use super::cover::{Item, cheapest};
use super::{TestCase, enter};
use crate::error::EngineError;
use crate::knowledge::chains::{first_occurrence, longest_run};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::random_simulation::RandomExecution;
use crate::session::{Session, Stop};
use model::trace::{Start, Trace};
use rustc_hash::FxHashMap;

/// Steps of the first test cases.
const FIRST_LENGTH: usize = 16;
/// Steps of the longest test cases.
const MOST_LENGTH: usize = 1 << 14;
/// Steps in test cases of one length without a new goal before longer ones are tried.
const BATCH: usize = 200_000;
/// Steps without a new goal after which nothing more is expected.
const PATIENCE: usize = 20_000_000;
/// Draws for inputs that satisfy the assumptions.
const DRAWS: usize = 64;
/// Different sets of goals that are remembered.
const MOST_CANDIDATES: usize = 4_000;

/// Runs random tests with [`Options::seed`](crate::options::Options::seed) until all goals are
/// covered or a limit is reached.
pub(crate) fn run(task: &Task<'_>, known: &mut Knowledge, session: &Session<'_>) -> Result<(), Stop> {
    let mut tester = Tester {
        task,
        execution: RandomExecution::new(task.system, session.options.seed, DRAWS),
        shortest: FxHashMap::default(),
        tests: Vec::new(),
        open: task.vertices().collect(),
    };
    let ended = session.stage("tests", || tester.search(session));
    let Tester { tests, open, .. } = tester;
    let items: Vec<Item> = tests.iter().map(TestCase::item).collect();
    let chosen = session.stage("cover", || cheapest(&items));
    let suite = chosen.into_iter().map(|position| tests[position].clone()).collect();
    enter(task, known, suite, "random testing".to_owned())?;
    if ended.is_ok() && !open.is_empty() {
        known.note(format!("random testing was given up after {PATIENCE} steps without a new goal"));
    }
    ended
}

struct Tester<'s> {
    task: &'s Task<'s>,
    execution: RandomExecution,
    /// By covered goals: position in `tests`.
    shortest: FxHashMap<Vec<Vertex>, usize>,
    tests: Vec<TestCase>,
    open: Vec<Vertex>,
}

impl Tester<'_> {
    fn search(&mut self, session: &Session<'_>) -> Result<(), Stop> {
        let (mut length, mut spent, mut idle) = (FIRST_LENGTH, 0, 0);
        while !self.open.is_empty() && idle < PATIENCE {
            session.check_limits()?;
            let before = self.open.len();
            let trace = self.random_trace(length);
            let steps = trace.as_ref().map_or(0, |trace| trace.inputs.len()).max(1);
            idle += steps;
            spent += steps;
            if let Some(trace) = trace {
                self.remember(&trace)?;
            }
            if self.open.len() < before {
                (spent, idle) = (0, 0);
                session.progress.update(0, self.task.len() - self.open.len(), None, 0);
            } else if spent >= BATCH {
                (spent, length) = (0, if length < MOST_LENGTH { 2 * length } else { FIRST_LENGTH });
            }
        }
        Ok(())
    }

    /// A run of at most `length` steps; shorter where no inputs are found that satisfy the
    /// assumptions.
    fn random_trace(&mut self, length: usize) -> Option<Trace> {
        let (start, mut state) = self.execution.start()?;
        let mut steps = Vec::with_capacity(length);
        while steps.len() < length {
            let mut inputs = self.execution.draw();
            if !self.execution.step(&mut state, &mut inputs) {
                break;
            }
            steps.push(inputs);
        }
        Some(Trace { start: Start::Initial(start), inputs: steps })
    }

    /// Keeps the prefixes that end in Final where they cover something for less than is known.
    fn remember(&mut self, trace: &Trace) -> Result<(), EngineError> {
        if trace.inputs.is_empty() {
            return Ok(());
        }
        let run = longest_run(self.task, trace)?.run;
        let mut covered_after: Vec<(usize, Vertex)> = Vec::new();
        for goal in self.task.vertices() {
            if let Some(at) = first_occurrence(&run, self.task.goal(goal)) {
                covered_after.push(((at + self.task.steps(goal)) as usize, goal));
            }
        }
        covered_after.sort_unstable();
        for (position, &(after, _)) in covered_after.iter().enumerate() {
            let next = covered_after.get(position + 1).map_or(run.states.len(), |&(after, _)| after);
            let end = (after..next).find(|&end| self.task.may_end(&run.states[end]));
            if let Some(end) = end {
                let covers = covered_after[..=position].iter().map(|&(_, goal)| goal).collect();
                self.keep(trace, end, covers)?;
            }
        }
        Ok(())
    }

    fn keep(&mut self, trace: &Trace, length: usize, mut covers: Vec<Vertex>) -> Result<(), EngineError> {
        covers.sort_unstable();
        let known = self.shortest.get(&covers).copied();
        let is_shorter = |position: usize| (self.tests[position].chain.length() as usize) > length;
        let is_new = covers.iter().any(|goal| self.open.contains(goal));
        let wanted = match known {
            Some(position) => is_shorter(position),
            None => is_new || self.tests.len() < MOST_CANDIDATES,
        };
        if !wanted {
            return Ok(());
        }
        let trace = Trace { start: trace.start.clone(), inputs: trace.inputs[..length].to_vec() };
        let test = TestCase { chain: longest_run(self.task, &trace)?, covers: covers.clone() };
        self.open.retain(|goal| !covers.contains(goal));
        match known {
            Some(position) => self.tests[position] = test,
            None => {
                self.shortest.insert(covers, self.tests.len());
                self.tests.push(test);
            }
        }
        Ok(())
    }
}
