//! Evidence for distances between goals where the states are too many for a graph: for each goal
//! one query from any state in which it occurs.
//!
//! The query asks for an execution in which a window of the goal begins with the first step (or
//! which begins in an initial state) and a window of another goal, or the end, comes sooner than
//! claimed. Where an [invariant](super::invariant) is known, the first state satisfies it.

use super::invariant::Invariant;
use super::manifest::Leg;
use super::subject::Subject;
use encoder::EncodeError;
use encoder::unroll::{Start, Unrolling};
use engine::session::{Session, Stop};
use solver::sat::{ClauseSink, Formula, Lit};

/// Most steps that a query looks ahead.
pub(super) const MOST_STEPS: u32 = 120;
/// Most conflicts that are spent to find out which distances from a goal can be shown.
const EFFORT: u64 = 20_000;

/// The query for a leg of fewer steps than one of these, which all have the same source. `None`:
/// they do not, or the system has no such goal.
///
/// # Errors
/// Where a term cannot be encoded.
pub(super) fn query(
    subject: &Subject,
    within: Option<&Invariant>,
    legs: &[Leg],
) -> Result<Option<Formula>, EncodeError> {
    let Some(first) = legs.first() else { return Ok(None) };
    let is_known = |goal: &Option<String>| {
        goal.as_ref().is_none_or(|goal| subject.labels.iter().any(|(name, _)| name == goal))
    };
    if !legs.iter().all(|leg| leg.from == first.from && is_known(&leg.from) && is_known(&leg.to)) {
        return Ok(None);
    }
    let mut sink = Formula::new();
    let mut asked = Asked::new(subject, within, first.from.as_deref(), &mut sink)?;
    let mut sooner = Vec::new();
    for leg in legs {
        for at in asked.times(leg) {
            sooner.push(asked.event(leg.to.as_deref(), at, &mut sink)?);
        }
    }
    sink.clause(&sooner);
    Ok(Some(sink))
}

/// The legs that can be shown from one source, with as many steps as wanted at most.
pub(super) fn find(
    subject: &Subject,
    within: Option<&Invariant>,
    wanted: &[Leg],
    session: &Session<'_>,
) -> Result<Vec<Leg>, Stop> {
    let Some(first) = wanted.first() else { return Ok(Vec::new()) };
    let mut solver = session.options.backend.open();
    let mut asked = Asked::new(subject, within, first.from.as_deref(), &mut solver)?;
    let mut shown = Vec::new();
    for leg in wanted {
        let mut steps = leg.steps.min(MOST_STEPS);
        for at in asked.times(&Leg { steps, ..leg.clone() }) {
            let event = asked.event(leg.to.as_deref(), at, &mut solver)?;
            if session.solve_within(&mut solver, &[event], Some(EFFORT))? != Some(false) {
                steps = at;
                break;
            }
        }
        if steps > 0 {
            shown.push(Leg { steps, ..leg.clone() });
        }
    }
    Ok(shown)
}

/// Executions from a source.
struct Asked<'s> {
    subject: &'s Subject,
    unrolling: Unrolling<'s>,
    /// Steps of the source's window.
    window: u32,
}

impl<'s> Asked<'s> {
    fn new(
        subject: &'s Subject,
        within: Option<&Invariant>,
        from: Option<&str>,
        sink: &mut dyn ClauseSink,
    ) -> Result<Self, EncodeError> {
        let start = if from.is_some() { Start::Free } else { Start::Initial };
        let mut asked = Self { subject, unrolling: Unrolling::new(&subject.system, start), window: 0 };
        if let Some(within) = within {
            within.assert(&mut asked.unrolling, sink)?;
        }
        if let Some(goal) = from {
            asked.window = asked.labels(goal).len() as u32;
            let occurs = asked.event(Some(goal), 0, sink)?;
            sink.clause(&[occurs]);
        }
        Ok(asked)
    }

    /// The times at which the leg would be too short. A chain does not end before the window of its
    /// source is over.
    fn times(&self, leg: &Leg) -> std::ops::Range<u32> {
        if leg.to.is_some() { 0..leg.steps } else { self.window..leg.steps }
    }

    /// Steps and conditions of a goal's labels.
    fn labels(&self, goal: &str) -> Vec<(u32, model::term::TermId)> {
        let labels = self.subject.labels.iter().zip(self.subject.system.goals.values());
        labels
            .filter(|((name, _), _)| name == goal)
            .map(|((_, step), label)| (*step, label.antecedent))
            .collect()
    }

    /// A literal that implies that a window of the goal begins there, or that an execution may end
    /// there.
    fn event(&mut self, goal: Option<&str>, at: u32, sink: &mut dyn ClauseSink) -> Result<Lit, EncodeError> {
        let here = sink.fresh().positive();
        let labels = goal.map(|goal| self.labels(goal)).unwrap_or_default();
        let running = self.unrolling.running(at + labels.len() as u32, sink)?;
        sink.clause(&[!here, running]);
        for (step, antecedent) in labels {
            let holds = self.unrolling.literal(antecedent, at + step, sink)?;
            sink.clause(&[!here, holds]);
        }
        if let (None, Some(end)) = (goal, self.subject.system.end) {
            let end = self.unrolling.literal(end, at, sink)?;
            sink.clause(&[!here, end]);
        }
        Ok(here)
    }
}
