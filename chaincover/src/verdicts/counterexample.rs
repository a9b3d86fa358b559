//! Executions that violate requirements.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use engine::outcome::{Chain, Smoothed};
use frontend::{Claim, Location, Reading, Requirement, RequirementKind, SignalKind};
use model::id::Id;
use model::simulate::WindowEvaluator;
use model::system::{Goal, GoalId, Hazard, TransitionSystem};
use model::term::{Term, TermId};
use model::trace::{Execution, HazardMet, Trace};
use model::validate::{Meaning, Validated};
use model::value::Value;
use model::visit::cone;

/// An execution that violates a requirement in its last steps.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The execution, as the evaluator ran it on the model.
    pub chain: Chain,
    /// First step of the window that violates the requirement; the window ends with the execution.
    pub at: usize,
    /// No execution of fewer steps violates it.
    pub lower_bound: u64,
    /// The claim that is broken first.
    pub broken: Option<Broken>,
    /// What became of the inputs, where something was wished of them.
    pub smoothed: Option<Smoothed>,
    /// Whether it is the beginning of this one of the chains that cover the goals.
    pub shown_by: Option<usize>,
    /// Position of the undefined operation that the requirement is about, if it is about one.
    pub about: Option<usize>,
}

/// An execution that reaches the antecedent of a requirement.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The execution; it ends with the window, unless it is a chain that covers the goals.
    pub trace: Trace,
    /// First step of the window.
    pub at: usize,
    /// The chain that covers the goals and does so.
    pub shown_by: Option<usize>,
}

impl Applied {
    /// What lies behind the window is left out.
    pub(super) fn cut(mut self, required: &Requirement) -> Self {
        if self.shown_by.is_none() {
            self.trace.inputs.truncate(self.at + required.statement.steps as usize);
        }
        self
    }
}

/// First step of the first window of an execution in which the antecedent of a statement holds.
pub(crate) fn occurrence(
    system: &Validated,
    statement: &Goal,
    execution: (&Trace, &Execution),
) -> Option<usize> {
    occurrences(system, &[statement], execution)[0]
}

/// As [`occurrence`], of several statements with windows of the same length.
pub(crate) fn occurrences(
    system: &Validated,
    statements: &[&Goal],
    (trace, run): (&Trace, &Execution),
) -> Vec<Option<usize>> {
    let mut found = vec![None; statements.len()];
    let Some(first) = statements.first() else { return found };
    let mut evaluator = WindowEvaluator::new(system, statements.iter().map(|statement| statement.antecedent));
    let windows = (trace.inputs.len() + 1).saturating_sub(first.steps as usize);
    for at in 0..windows {
        evaluator.run(&run.states[at..], &trace.inputs[at..]);
        for (place, found) in found.iter_mut().enumerate() {
            if found.is_none() && evaluator.holds(place) {
                *found = Some(at);
            }
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    found
}

/// Whether a requirement is violated by the window of an execution that begins there.
pub(crate) fn violates(
    model: &Model,
    required: &Requirement,
    (trace, run): (&Trace, &Execution),
    at: usize,
) -> bool {
    let is_whole = at + required.statement.steps as usize <= trace.inputs.len();
    is_whole && Window { run, trace, at }.violates(model, required)
}

/// A claim that does not hold, with what it read.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The formula as it was written.
    pub text: String,
    /// Where it was written.
    pub place: Option<Location>,
    /// What it read.
    pub read: Vec<ValueRead>,
}

/// A value that a claim read.
#[derive(Clone, Debug)]
pub struct ValueRead {
    /// What was read, as C writes it.
    pub text: String,
    /// The value.
    pub value: Value,
    /// How its bits are to be read.
    pub kind: SignalKind,
}

impl Counterexample {
    /// Whether it is proven that no execution of fewer steps violates the requirement.
    pub fn is_shortest(&self) -> bool {
        self.chain.length() <= self.lower_bound
    }

    /// The step that completes the window.
    pub fn step(&self) -> usize {
        self.chain.trace.inputs.len().saturating_sub(1)
    }

    /// Undefined operations that the execution runs into before the step that completes the window,
    /// and those of that step that come before the operation that the requirement is about. Where
    /// it is about none, all of that step: they may stand in the very condition that fails.
    pub fn hazards_before(&self) -> impl Iterator<Item = &HazardMet> {
        let (last, about) = (self.step(), self.about);
        let is_earlier = move |met: &HazardMet| about.is_none_or(|about| met.hazard < about);
        self.chain.run.hazards.iter().filter(move |met| met.step < last || is_earlier(met))
    }

    /// Whether it runs into an undefined operation that it is not about, as far as that matters:
    /// what comes behind an undefined operation is open anyway.
    pub(super) fn has_others(&self) -> bool {
        let last = self.step();
        let is_other = |met: &HazardMet| self.about.is_none_or(|about| met.step < last || met.hazard < about);
        self.chain.run.hazards.iter().any(is_other)
    }

    /// Whether it runs into any undefined operation that it is not about.
    pub(super) fn has_any_others(&self) -> bool {
        self.chain.run.hazards.iter().any(|met| self.about != Some(met.hazard))
    }

    /// The counterexample that a trace is when it is cut behind the window that begins at step
    /// `at`.
    ///
    /// # Errors
    /// [`ErrorKind::SelfCheck`]: it is no execution of the model, or the requirement is not
    /// violated there.
    pub(crate) fn cut(
        model: &Model,
        required: &Requirement,
        (trace, at): (&Trace, usize),
        lower_bound: u64,
    ) -> Result<Self, Error> {
        let name = &required.statement.name;
        let refuse =
            |why: String| Error::new(ErrorKind::SelfCheck, format!("a counterexample to {name} {why}"));
        let end = at + required.statement.steps as usize;
        let inputs = trace.inputs.get(..end).ok_or_else(|| refuse("is too short".to_owned()))?.to_vec();
        let trace = Trace { start: trace.start.clone(), inputs };
        let run = model::trace::replay(&model.system, &trace)
            .map_err(|error| refuse(format!("is no execution: {error}")))?;
        let window = Window { run: &run, trace: &trace, at };
        if !window.violates(model, required) {
            return Err(refuse(format!("does not violate it at step {at}")));
        }
        let broken = window.broken(model, required);
        let order = order(model, &run);
        let chain = Chain { trace, order, run };
        let about = own_hazard(&model.system, required);
        Ok(Self { chain, at, lower_bound, broken, smoothed: None, shown_by: None, about })
    }
}

/// Position of the operation of which a requirement says that it is never undefined. Positions are
/// in the order of execution, as far as there is one.
pub(super) fn own_hazard(system: &TransitionSystem, required: &Requirement) -> Option<usize> {
    let is_own = |hazard: &Hazard| required.claims.iter().any(|claim| claim.fails == hazard.condition);
    let is_about_one = required.kind == RequirementKind::Hazard;
    system.hazards.iter().position(is_own).filter(|_| is_about_one)
}

/// Whether a term speaks of states and inputs of a window of so many steps alone.
fn is_over_window(system: &Validated, term: TermId, steps: u32) -> bool {
    cone(&system.terms, &[term]).into_iter().all(|term| {
        let Term::Symbol(symbol) = system.terms.node(term) else { return true };
        let (base, offset) = match system.meaning(symbol) {
            Meaning::Framed { base, offset } => (system.meaning(base), offset),
            meaning => (meaning, 0),
        };
        match base {
            Meaning::State(_) => offset <= steps,
            Meaning::Input(_) => offset < steps,
            _ => false,
        }
    })
}

/// The goals that occur, by the first steps of their first occurrences.
fn order(model: &Model, run: &Execution) -> Vec<GoalId> {
    let first = |id: GoalId| run.occurrences[id].first().map(|found| found.step);
    let mut order: Vec<(usize, usize, GoalId)> = model
        .system
        .goals
        .iter()
        .filter_map(|(id, goal)| first(id).map(|at| (at, at + goal.steps as usize, id)))
        .collect();
    order.sort_by_key(|&(at, end, id)| (at, end, id.index()));
    order.into_iter().map(|(.., id)| id).collect()
}

/// The end of an execution.
struct Window<'a> {
    run: &'a Execution,
    trace: &'a Trace,
    at: usize,
}

impl Window<'_> {
    fn evaluate(&self, evaluator: &mut WindowEvaluator) {
        evaluator.run(&self.run.states[self.at..], &self.trace.inputs[self.at..]);
    }

    fn violates(&self, model: &Model, required: &Requirement) -> bool {
        let statement = &required.statement;
        let roots = [Some(statement.antecedent), statement.expectation].into_iter().flatten();
        let mut evaluator = WindowEvaluator::new(&model.system, roots);
        self.evaluate(&mut evaluator);
        evaluator.holds(0) && statement.expectation.is_some() && !evaluator.holds(1)
    }

    /// The first of the claims that does not hold.
    fn broken(&self, model: &Model, required: &Requirement) -> Option<Broken> {
        let steps = required.statement.steps;
        let is_known = |term: TermId| is_over_window(&model.system, term, steps);
        let claims: Vec<&Claim> = required.claims.iter().filter(|claim| is_known(claim.fails)).collect();
        let mut evaluator = WindowEvaluator::new(&model.system, claims.iter().map(|claim| claim.fails));
        self.evaluate(&mut evaluator);
        let number = (0..claims.len()).find(|&number| evaluator.holds(number))?;
        let claim = claims[number];
        let known = claim.read.iter().filter(|reading| is_known(reading.is_read) && is_known(reading.value));
        let known: Vec<&Reading> = known.collect();
        let terms = known.iter().flat_map(|reading| [reading.is_read, reading.value]);
        let mut evaluator = WindowEvaluator::new(&model.system, terms);
        self.evaluate(&mut evaluator);
        let read = known.iter().enumerate().filter(|&(number, _)| evaluator.holds(2 * number));
        let read = read.map(|(number, reading)| ValueRead {
            text: reading.text.clone(),
            value: evaluator.value(2 * number + 1),
            kind: reading.kind.clone(),
        });
        Some(Broken { text: claim.text.clone(), place: claim.place.clone(), read: read.collect() })
    }
}
