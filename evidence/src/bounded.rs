//! Evidence that no short chain covers the goals where the states are too many for a graph: one
//! query over so many steps from the initial state.
//!
//! The query asks for an execution of at most so many steps that ends in Final and has a window of
//! every goal. A window of a goal is there if its labels hold of its steps, one after the other,
//! see [`Subject`].

use super::subject::Subject;
use encoder::EncodeError;
use encoder::unroll::{Start, Unrolling};
use solver::sat::{ClauseSink, Formula, Lit};

/// Most steps of a query.
pub(super) const MOST_STEPS: u64 = 200;
/// Greatest product of steps and goals for which a proof is sought: beyond, there hardly is a short
/// one.
pub(super) const MOST_SOUGHT: u64 = 600;

/// The query for a chain of at most `steps` steps that covers these goals.
///
/// # Errors
/// Where a term cannot be encoded.
pub(super) fn query(subject: &Subject, goals: &[String], steps: u32) -> Result<Formula, EncodeError> {
    let mut asked = Asked {
        subject,
        sink: Formula::new(),
        unrolling: Unrolling::new(&subject.system, Start::Initial),
        steps,
    };
    let ends = asked.ends()?;
    for goal in goals {
        asked.goal(goal, &ends)?;
    }
    asked.sink.clause(&ends);
    Ok(asked.sink)
}

/// A query under construction.
struct Asked<'s> {
    subject: &'s Subject,
    sink: Formula,
    unrolling: Unrolling<'s>,
    steps: u32,
}

impl Asked<'_> {
    /// By number of steps: the execution ends there.
    fn ends(&mut self) -> Result<Vec<Lit>, EncodeError> {
        let mut ends = Vec::new();
        for at in 0..=self.steps {
            let here = self.sink.fresh().positive();
            let running = self.unrolling.running(at, &mut self.sink)?;
            self.sink.clause(&[!here, running]);
            if let Some(end) = self.subject.system.end {
                let end = self.unrolling.literal(end, at, &mut self.sink)?;
                self.sink.clause(&[!here, end]);
            }
            ends.push(here);
        }
        Ok(ends)
    }

    /// Where the execution ends, a window of the goal is over.
    fn goal(&mut self, goal: &str, ends: &[Lit]) -> Result<(), EncodeError> {
        let names = self.subject.labels.iter().zip(self.subject.system.goals.values());
        let labels: Vec<_> = names
            .filter(|((name, _), _)| name == goal)
            .map(|((_, step), label)| (*step, label.antecedent))
            .collect();
        let window = labels.len();
        let mut over: Option<Lit> = None;
        for (at, &end) in ends.iter().enumerate() {
            if let Some(begin) = at.checked_sub(window) {
                let here = self.sink.fresh().positive();
                for &(step, antecedent) in &labels {
                    let holds = self.unrolling.literal(antecedent, begin as u32 + step, &mut self.sink)?;
                    self.sink.clause(&[!here, holds]);
                }
                let by_now = self.sink.fresh().positive();
                let one: Vec<Lit> = [!by_now, here].into_iter().chain(over).collect();
                self.sink.clause(&one);
                over = Some(by_now);
            }
            let clause: Vec<Lit> = [!end].into_iter().chain(over).collect();
            self.sink.clause(&clause);
        }
        Ok(())
    }
}
