//! Mutants that conform whatever the length of a trace, by simulation: behind every trace each
//! state of the mutant is one of the original, as far as variables matter that are read again.
//!
//! States are over-approximated: the initial one, and what a transition makes of any values. What
//! is found here holds of all states that are reached; what is not found may still hold.

use super::silent;
use crate::purpose::declaration;
use crate::smt::{Answer, SmtError, Solver, symbol};
use crate::symbolic::{Context, Execution, Sort, Successor, Term, all, not};
use crate::system::{Action, Edge, System};
use spec::scope::VariableId;
use spec::typed::Expr;
use std::collections::BTreeSet;

/// What was proven of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The changed transition can never be reached, in neither system.
    Unreached,
    /// Each step of one system is one of the other.
    Bisimilar,
    /// Each step and each silence of the mutant is one of the original.
    Simulated,
}

impl Proof {
    /// Whether the original has all traces of the mutant and no others.
    pub fn is_equivalence(self) -> bool {
        self != Self::Simulated
    }
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Unreached => "no run reaches the transition that was changed",
            Self::Bisimilar => "in every state the transition does what that of the original does",
            Self::Simulated => "in every state the mutant sends and stays silent only as the original may",
        }
    }
}

/// Proves that a mutant conforms, where that is easy; `edge` is the transition that was changed.
///
/// # Errors
/// If the solver cannot be used, or the time is up.
pub fn prove(
    original: &System,
    mutant: &System,
    edge: usize,
    solver: &mut Solver,
) -> Result<Option<Proof>, SmtError> {
    let reached = reached(original, edge);
    let sources = [original.edges[edge].from, mutant.edges[edge].from];
    if sources.iter().all(|&source| !reached[source]) {
        return Ok(Some(Proof::Unreached));
    }
    let mut live = live(original);
    for (known, more) in live.iter_mut().zip(self::live(mutant)) {
        known.extend(more);
    }
    let pair = Pair { live: &live, edge };
    if !pair.is_simulated(mutant, original, solver)? {
        return Ok(None);
    }
    if pair.is_simulated(original, mutant, solver)? {
        return Ok(Some(Proof::Bisimilar));
    }
    let is_silent = pair.is_silence_allowed(original, mutant, sources, solver)?;
    Ok(is_silent.then_some(Proof::Simulated))
}

/// Two systems that differ in one transition.
struct Pair<'a> {
    /// By state, the variables that are read again in one of the systems.
    live: &'a [BTreeSet<VariableId>],
    edge: usize,
}

impl Pair<'_> {
    /// Whether every step of `of` by the changed transition is a step of `by`.
    fn is_simulated(&self, of: &System, by: &System, solver: &mut Solver) -> Result<bool, SmtError> {
        let changed = &of.edges[self.edge];
        for (mut execution, context) in entries(of, changed.from) {
            let step = execution.follow(&context, self.edge, "");
            let mut other = Execution { system: by, symbols: execution.symbols.clone() };
            let mut terms = step.context.condition.clone();
            for edge in by.edges_from(changed.from) {
                if by.edges[edge].channel == changed.channel && by.edges[edge].to == changed.to {
                    let answer = other.follow(&context, edge, "");
                    terms.push(not(&self.same(&step, &answer)));
                }
            }
            if !is_impossible(&[&execution, &other], &terms, solver)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
    /// That a step is possible and leaves the values that another one does.
    fn same(&self, step: &Successor, other: &Successor) -> Term {
        let mut terms: Vec<Term> = other.guard.iter().chain(&other.message).cloned().collect();
        for &variable in &self.live[step.context.state] {
            let (Some(left), Some(right)) = (step.context.value(variable), other.context.value(variable))
            else {
                continue;
            };
            if left.text != right.text {
                terms.push(Term::truth(format!("(= {} {})", left.text, right.text), [left, right]));
            }
        }
        all(&terms)
    }
    /// Whether the mutant stays silent only where the original may, in states from which they
    /// differ.
    fn is_silence_allowed(
        &self,
        original: &System,
        mutant: &System,
        sources: [usize; 2],
        solver: &mut Solver,
    ) -> Result<bool, SmtError> {
        for source in BTreeSet::from(sources) {
            for (mut execution, context) in entries(mutant, source) {
                let mut other = Execution { system: original, symbols: execution.symbols.clone() };
                let time = Execution::duration(&context, "");
                let mut terms = context.condition.clone();
                let text = format!("(<= 0.0 {})", symbol(&time));
                terms.push(super::with_symbol(text, &time));
                terms.push(silent(&mut execution, &context));
                terms.push(not(&silent(&mut other, &context)));
                if !is_impossible(&[&execution, &other], &terms, solver)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// The ways in which a state is entered: at the start, and by each transition from any values.
fn entries(system: &System, state: usize) -> Vec<(Execution<'_>, Context)> {
    let start = (state == 0).then(|| Execution::start(system));
    let into = (0..system.edges.len()).filter(|&edge| system.edges[edge].to == state);
    let entered = into.map(|edge| {
        let (mut execution, context) = Execution::anywhere(system, system.edges[edge].from);
        let context = execution.follow(&context, edge, "").context;
        (execution, context)
    });
    start.into_iter().chain(entered).collect()
}

fn is_impossible(
    executions: &[&Execution<'_>],
    terms: &[Term],
    solver: &mut Solver,
) -> Result<bool, SmtError> {
    let names: BTreeSet<&String> = terms.iter().flat_map(|term| &*term.symbols).collect();
    let sort_of = |name: &str| {
        let known = executions.iter().find_map(|execution| execution.symbols.get(name));
        known.map_or(Sort::Real, |known| known.sort)
    };
    let mut text: String = names.iter().map(|name| declaration(name, sort_of(name))).collect();
    for term in terms {
        text += &format!("(assert {})\n", term.text);
    }
    solver.push()?;
    solver.tell(&text)?;
    let answer = solver.check()?;
    solver.pop()?;
    Ok(answer == Answer::Unsat)
}

/// The states that are reached without a transition, guards aside.
fn reached(system: &System, without: usize) -> Vec<bool> {
    let mut reached = vec![false; system.states.len()];
    let mut open = vec![0];
    while let Some(state) = open.pop() {
        if !std::mem::replace(&mut reached[state], true) {
            let edges = system.edges_from(state).filter(|&edge| edge != without);
            open.extend(edges.map(|edge| system.edges[edge].to));
        }
    }
    reached
}

/// By state, the variables and clocks whose values there are read before they are replaced.
pub(crate) fn live(system: &System) -> Vec<BTreeSet<VariableId>> {
    let mut live = vec![BTreeSet::new(); system.states.len()];
    loop {
        let mut has_changed = false;
        for edge in &system.edges {
            let before = live_before(system, edge, &live[edge.to]);
            let count = live[edge.from].len();
            live[edge.from].extend(before);
            has_changed |= live[edge.from].len() > count;
        }
        if !has_changed {
            return live;
        }
    }
}

fn live_before(system: &System, edge: &Edge, after: &BTreeSet<VariableId>) -> BTreeSet<VariableId> {
    let mut found = after.clone();
    for (variable, _) in &edge.updates {
        found.remove(variable);
    }
    for &clock in &edge.resets {
        found.remove(&system.clocks[clock]);
    }
    let mut read = |expr: &Expr| found.extend(expr.reads().iter().map(|read| read.variable));
    read(&edge.guard);
    // Whether an assigned value leaves its range decides whether the transition is possible.
    edge.updates.iter().for_each(|(_, value)| read(value));
    match &edge.action {
        Action::Send(terms) => terms.iter().for_each(read),
        Action::Receive(variables) => {
            for variable in variables {
                found.remove(variable);
            }
        }
    }
    found
}
