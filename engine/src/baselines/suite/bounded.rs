//! Test suites by bounded model checking, in the manner of FShell (Holzer, Schallhart, Tautschnig,
//! Veith, CAV 2008).
//!
//! One unfolding from Init serves all goals; `cover (p1 | ... | pn) -> final` is asked with a
//! growing bound until every goal is covered by some test case. Each answer covers at least one
//! goal that was not covered yet, and what it covers besides counts too. In the end the suite is
//! minimised greedily.

use super::cover::{Item, greedy};
use super::{TestCase, enter};
use crate::error::EngineError;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::BmcSolver;
use crate::step::bmc_solver::{Answer, Effort};
use crate::step::sequence::Ladders;
use encoder::unroll::Start;
use solver::sat::Lit;

/// Runs the search until all goals are covered or a limit is reached.
/// [`Options::max_k`](crate::options::Options::max_k) bounds the length of a test case.
pub(crate) fn run(task: &Task<'_>, known: &mut Knowledge, session: &Session<'_>) -> Result<(), Stop> {
    let mut generator = Generator {
        task,
        session,
        unfolding: BmcSolver::new(task, Start::Initial, session)?,
        ladders: Ladders::new(),
        unknown: task.empty_graph(),
        tests: Vec::new(),
    };
    let ended = session.stage("tests", || generator.search());
    let Generator { tests, unfolding, .. } = generator;
    let items: Vec<Item> = tests.iter().map(TestCase::item).collect();
    let suite = greedy(&items).into_iter().map(|position| tests[position].clone()).collect();
    enter(task, known, suite, unfolding.solver_name())?;
    ended
}

struct Generator<'c, 's> {
    task: &'s Task<'s>,
    session: &'c Session<'c>,
    unfolding: BmcSolver<'s>,
    ladders: Ladders,
    /// Nothing is known about distances, and nothing is learned.
    unknown: ReachGraph,
    tests: Vec<TestCase>,
}

impl Generator<'_, '_> {
    fn search(&mut self) -> Result<(), Stop> {
        let mut open: Vec<Vertex> = self.task.vertices().collect();
        for bound in 0..=self.session.options.max_k.unwrap_or(u32::MAX) {
            self.session.progress.update(bound, self.task.len() - open.len(), None, 0);
            while !open.is_empty() {
                let Some(test) = self.test_for(&open, bound)? else { break };
                open.retain(|goal| !test.covers.contains(goal));
                self.tests.push(test);
            }
            if open.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// A test case of at most `bound` steps that covers one of these goals.
    fn test_for(&mut self, open: &[Vertex], bound: u32) -> Result<Option<TestCase>, Stop> {
        let mut clause: Vec<Lit> = Vec::with_capacity(open.len() + 1);
        for &goal in open {
            let path = [Vertex::DEPOT, goal, Vertex::DEPOT];
            clause.extend(self.ladders.within(
                &path,
                bound,
                &self.unknown,
                self.task,
                &mut self.unfolding,
                self.session,
            )?);
        }
        if clause.is_empty() {
            return Ok(None);
        }
        let any = self.unfolding.solver().fresh().positive();
        clause.push(!any);
        self.unfolding.solver().clause(&clause);
        let answer = self.unfolding.look_for(self.session, &[any], bound, Effort::Any)?;
        let Answer::Run(trace) = answer else { return Ok(None) };
        for &goal in open {
            if let Some(test) = TestCase::of(self.task, &trace, &[goal])? {
                let covered: Vec<Vertex> = test.covers.clone();
                return Ok(Some(self.with_everything(&trace, test, &covered)?));
            }
        }
        let what = format!("a test case of {bound} steps covers none of the goals it was asked for");
        Err(EngineError::SelfCheck(what).into())
    }

    /// The longer prefix of the same run that covers more, if there is one.
    fn with_everything(
        &self,
        trace: &model::trace::Trace,
        test: TestCase,
        covered: &[Vertex],
    ) -> Result<TestCase, EngineError> {
        let more = |&goal: &Vertex| !covered.contains(&goal);
        let mut best = test;
        for goal in self.task.vertices().filter(more) {
            let mut wanted = best.covers.clone();
            wanted.push(goal);
            if let Some(longer) = TestCase::of(self.task, trace, &wanted)? {
                best = longer;
            }
        }
        Ok(best)
    }
}
