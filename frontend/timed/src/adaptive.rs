//! Test cases that go on after a deviation.
//!
//! A test case ends inconclusively where the system, or others, do what the specification allows but
//! the path does not. The symbolic state is known there, so another path can be hung in, which
//! begins with the events so far: its own test case, from that context on. What is observed means
//! there what it means in the test case of that other path as a whole, so its verdicts are as sound.

use crate::smt::Solver;
use crate::testcase::{Patience, Target, TestCase, TestCaseError, Verdict, generate};

/// How a test goes on behind a path that it did not want.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Continuation {
    /// By a path that begins with that one and is longer.
    Path(Vec<usize>),
    /// Not at all: everything was reached.
    Done,
    /// Not at all: nothing that is left can be reached, or nobody knows a path to it.
    Nothing,
}

/// A test case with the parts that are hung in, the trunk first.
#[derive(Debug)]
pub struct Tree<'s> {
    /// The parts. A part has transitions of those contexts only that no part before it has.
    pub parts: Vec<TestCase<'s>>,
}

impl<'s> From<TestCase<'s>> for Tree<'s> {
    fn from(trunk: TestCase<'s>) -> Self {
        Self { parts: vec![trunk] }
    }
}

impl<'s> Tree<'s> {
    /// Hangs in a part behind each deviation, and behind the deviations of these, `depth` times.
    /// `plan` says how to go on behind a path. A path that is no purpose (infeasible, not
    /// trace-deterministic, too slow for the time-out) is not hung in.
    ///
    /// # Errors
    /// What `plan` fails with, or the solver does not answer.
    pub fn grow<E: From<TestCaseError>>(
        &mut self,
        depth: usize,
        solver: &mut Solver,
        plan: &mut dyn FnMut(&[usize]) -> Result<Continuation, E>,
    ) -> Result<(), E> {
        let mut level = 0..self.parts.len();
        for _ in 0..depth {
            let next = self.parts.len();
            for part in level {
                self.grow_part(part, solver, plan)?;
            }
            level = next..self.parts.len();
        }
        Ok(())
    }
    /// Hangs in a part behind each deviation of one part; whether the test goes on behind any of them,
    /// or has reached everything there.
    ///
    /// # Errors
    /// As for [`grow`](Self::grow).
    pub fn grow_part<E: From<TestCaseError>>(
        &mut self,
        part: usize,
        solver: &mut Solver,
        plan: &mut dyn FnMut(&[usize]) -> Result<Continuation, E>,
    ) -> Result<bool, E> {
        let mut has_grown = false;
        for index in 0..self.parts[part].transitions.len() {
            let test = &self.parts[part];
            let transition = &test.transitions[index];
            let (Target::Verdict(verdict), Some(edge)) = (transition.to, transition.edge) else { continue };
            if !verdict.is_deviation() {
                continue;
            }
            let mut path = test.edges();
            path.truncate(transition.from);
            path.push(edge);
            let from = transition.from + 1;
            let to = match plan(&path)? {
                Continuation::Path(longer) => self.hang(part, from, &longer, solver)?,
                Continuation::Done => Some(Target::Verdict(Verdict::Pass)),
                Continuation::Nothing => None,
            };
            if let Some(to) = to {
                self.parts[part].transitions[index].to = to;
                has_grown = true;
            }
        }
        Ok(has_grown)
    }
    /// Adds the test case of a path from one of its contexts on; none where the path is no purpose.
    fn hang(
        &mut self,
        part: usize,
        from: usize,
        path: &[usize],
        solver: &mut Solver,
    ) -> Result<Option<Target>, TestCaseError> {
        let trunk = &self.parts[part];
        let system = trunk.path.execution.system;
        let patience = Patience { timeout: trunk.timeout.clone(), excuse: trunk.excuse };
        let made = generate(system, (&trunk.purpose, path), patience, solver);
        let mut test = match made {
            Ok(test) => test,
            Err(error @ TestCaseError::Smt(_)) => return Err(error),
            Err(_) => return Ok(None),
        };
        (test.part, test.first) = (self.parts.len(), from);
        test.transitions.retain(|transition| transition.from >= from);
        if trunk.is_pruned {
            test.prune(solver)?;
        }
        let target = Target::Part { part: test.part, context: from };
        self.parts.push(test);
        Ok(Some(target))
    }
    /// One line about the tree.
    pub fn summary(&self) -> String {
        let trunk = &self.parts[0];
        let all = || self.parts.iter().flat_map(|part| &part.transitions);
        let transitions = all().count();
        let count = |is_wanted: fn(Target) -> bool| {
            all().filter(|one| matches!(one.rule, 5 | 6) && is_wanted(one.to)).count()
        };
        let ended = count(|to| matches!(to, Target::Verdict(verdict) if verdict.is_deviation()));
        let continued = count(|_| true) - ended;
        if continued == 0 {
            return trunk.summary();
        }
        let plural = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        format!(
            "{}: {}, deterministic; test case of {transitions} transitions in {}: it goes on behind {}, {} it inconclusively",
            trunk.purpose,
            plural(trunk.path.taken.len(), "transition"),
            plural(self.parts.len(), "part"),
            plural(continued, "deviation"),
            match ended {
                1 => "1 ends".to_owned(),
                ended => format!("{ended} end"),
            }
        )
    }
}
