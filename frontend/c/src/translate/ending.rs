//! Steps that end the program before they return.
//!
//! A goal in the code counts at the moment at which it is reached: what the same step does later, a
//! broken assumption or a call of `abort`, ends the execution there and takes nothing back. So
//! where something may end a step behind such a goal, a state word tells that a step did not
//! return. A step that does not return is admitted if it reaches a goal before it ends; no step
//! follows it. Where undefined operations are forbidden, the execution ends at them, too. Goals of whole steps, outputs and Final are about steps that return.

use crate::exec::Machine;
use crate::exec::events::{AssumptionSite, Events, Premise, Visit};
use crate::exec::hazard::{HazardVisit, SafeVisit};
use crate::goals::Draft;
use frontend::Written;
use model::sort::Sort;
use model::system::StateId;
use model::term::{Term, TermId};
use rustc_hash::FxHashSet;

/// How steps may end early.
pub(crate) struct Ending {
    /// The word that tells that a step did not return.
    state: StateId,
    /// At each position the truth that so many assumptions of the step hold, as far as they end
    /// executions.
    alive: Vec<TermId>,
    /// The truth that the step reaches a goal behind which it may end.
    reaches: TermId,
}

/// Whether some goal in the code may be reached in a step that ends behind it.
pub(crate) fn may_end_early(machine: &Machine<'_>, events: &Events) -> bool {
    visits(machine, events).any(|visit| is_followed(machine, events, &visit))
}

/// How steps may end early; `None` where no goal in the code can be reached before that. Makes the
/// word that tells it.
pub(crate) fn find(machine: &mut Machine<'_>, events: &Events) -> Option<Ending> {
    let early: Vec<Visit> =
        visits(machine, events).filter(|visit| is_followed(machine, events, visit)).collect();
    if early.is_empty() {
        return None;
    }
    let mut alive = vec![machine.system.terms.truth(true)];
    for site in &events.assumptions {
        let before = alive[alive.len() - 1];
        let ends = site.premise.ends_execution();
        alive.push(if ends { machine.system.terms.and(before, site.condition) } else { before });
    }
    let reaches = either(machine, &alive, &early);
    let state = machine.system.add_state("(step has not returned)", Sort::TRUTH);
    let never = machine.system.terms.truth(false);
    let ending = Ending { state, alive, reaches };
    let returns = ending.returns();
    let stays_out = machine.system.terms.not(returns);
    machine.initial_memory.extras.push((state, never, stays_out));
    Some(ending)
}

/// What counts at the moment at which it is reached: goals in the code, and operations that may be
/// undefined where these are requirements.
fn visits<'e>(machine: &'e Machine<'_>, events: &'e Events) -> impl Iterator<Item = Visit> + 'e {
    let covers = events.covers.iter().flat_map(|site| &site.visits);
    let assertions = events.assertions.iter().flat_map(|site| &site.visits);
    let operations = machine.hazards.visits.iter().filter(|_| machine.robustness);
    let operations = operations.map(|&HazardVisit { reached, assumed, .. }| (reached, assumed));
    let at_risk = machine.hazards.sites.iter().map(|site| (site.kind, site.span));
    let at_risk: FxHashSet<_> = at_risk.collect();
    let safe = machine.hazards.safe.iter().filter(move |visit| at_risk.contains(&(visit.kind, visit.span)));
    let operations = operations.chain(safe.map(|&SafeVisit { reached, assumed, .. }| (reached, assumed)));
    let operations = operations.map(|(antecedent, assumed)| Visit { antecedent, expectation: None, assumed });
    let of_code = events.coverage.visits.iter().filter(|((aim, _), _)| machine.notes(aim.criterion()));
    let code = of_code.flat_map(|(_, visits)| visits);
    covers.chain(assertions).chain(code).copied().chain(operations)
}

/// Whether an execution may end behind a visit: there is an assumption that does not stand on
/// another branch.
fn is_followed(machine: &Machine<'_>, events: &Events, visit: &Visit) -> bool {
    let mut later =
        events.assumptions[visit.assumed..].iter().filter(|site| site.premise.ends_execution()).peekable();
    if later.peek().is_none() {
        return false;
    }
    let terms = &machine.system.terms;
    let conditions: FxHashSet<TermId> = terms.conjuncts(visit.antecedent).into_iter().collect();
    let negated: FxHashSet<TermId> =
        conditions.iter().filter_map(|&condition| negation(machine, condition)).collect();
    let excludes = |site: &&AssumptionSite| {
        terms.conjuncts(site.path).into_iter().any(|condition| {
            let opposite = negation(machine, condition);
            negated.contains(&condition) || opposite.is_some_and(|opposite| conditions.contains(&opposite))
        })
    };
    !later.all(|site| excludes(&site))
}

/// What a truth is the negation of.
fn negation(machine: &Machine<'_>, truth: TermId) -> Option<TermId> {
    match machine.system.terms.node(truth) {
        Term::Unary { op: model::term::UnaryOp::Not, arg } => Some(arg),
        _ => None,
    }
}

/// The truth that one of the visits happens before the execution ends.
fn either(machine: &mut Machine<'_>, alive: &[TermId], visits: &[Visit]) -> TermId {
    let never = machine.system.terms.truth(false);
    visits.iter().fold(never, |any, visit| {
        let reached = machine.system.terms.and(visit.antecedent, alive[visit.assumed]);
        machine.system.terms.or(any, reached)
    })
}

impl Ending {
    /// The truth that the step returns.
    pub(crate) fn returns(&self) -> TermId {
        self.alive[self.alive.len() - 1]
    }

    /// The truth that the execution goes on behind so many assumptions.
    pub(crate) fn alive(&self, assumed: usize) -> TermId {
        self.alive[assumed]
    }

    /// The truth that the step ends at an undefined operation.
    pub(crate) fn is_undefined(&self, machine: &mut Machine<'_>, events: &Events) -> TermId {
        let mut ends = machine.system.terms.truth(false);
        for (site, &alive) in events.assumptions.iter().zip(&self.alive) {
            if matches!(site.premise, Premise::Undefined(_)) {
                let is_met = machine.system.terms.not(site.condition);
                let ends_here = machine.system.terms.and(alive, is_met);
                ends = machine.system.terms.or(ends, ends_here);
            }
        }
        ends
    }

    /// The truth that no step before has ended the program.
    pub(crate) fn is_running(&self, machine: &mut Machine<'_>) -> TermId {
        let ended = machine.system.state_term(self.state);
        machine.system.terms.not(ended)
    }

    /// The truth that a goal in the code is reached before the execution ends.
    pub(crate) fn reached(&self, machine: &mut Machine<'_>, visits: &[Visit]) -> TermId {
        either(machine, &self.alive, visits)
    }

    /// What must hold wherever it is reached.
    pub(crate) fn expected(&self, machine: &mut Machine<'_>, visits: &[Visit]) -> TermId {
        let always = machine.system.terms.truth(true);
        visits.iter().fold(always, |all, visit| {
            let Some(expectation) = visit.expectation else { return all };
            let here = machine.system.terms.implies(self.alive[visit.assumed], expectation);
            machine.system.terms.and(all, here)
        })
    }

    /// What an assumption of the step demands of every step; `None`: nothing.
    pub(crate) fn demanded(&self, machine: &mut Machine<'_>, site: &AssumptionSite) -> Option<TermId> {
        match site.premise {
            // The error that was reported in front of it is a goal.
            Premise::Error(_) => None,
            Premise::Said | Premise::Ends(_) | Premise::Undefined(_) => {
                Some(machine.system.terms.or(site.condition, self.reaches))
            }
            Premise::Unwound(_) | Premise::Meant => Some(site.condition),
        }
    }

    /// Lets the word also tell that the program has ended otherwise.
    pub(crate) fn add_end(&self, machine: &mut Machine<'_>, ended: TermId) {
        let word = machine.initial_memory.extras.iter_mut().find(|(state, ..)| *state == self.state);
        let (.., next) = word.expect("the word should have been made together with the rest");
        *next = machine.system.terms.or(*next, ended);
    }

    /// A goal of whole steps: the last one of them returns. Those before do, since a step follows
    /// them.
    pub(crate) fn of_whole_steps(&self, machine: &mut Machine<'_>, draft: &mut Draft) {
        let returns = machine.shift(self.returns(), draft.steps - 1);
        draft.antecedent = machine.system.terms.and(draft.antecedent, returns);
        if machine.keep_wording {
            let text = "the step returns".to_owned();
            draft.parts.push(Written { condition: returns, text, place: None });
        }
    }

    /// Undefined operations count up to the end of the execution.
    pub(crate) fn limit_hazards(&self, machine: &mut Machine<'_>) {
        let never = machine.system.terms.truth(false);
        machine.hazards.sites.iter_mut().for_each(|site| site.condition = never);
        for visit in machine.hazards.visits.clone() {
            let met = machine.system.terms.and(visit.condition, self.alive[visit.assumed]);
            let before = machine.hazards.sites[visit.site].condition;
            machine.hazards.sites[visit.site].condition = machine.system.terms.or(before, met);
        }
    }
}
