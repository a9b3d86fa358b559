//! Systems whose goals are what verdicts speak of: violations and antecedents of requirements.

use crate::model::Model;
use frontend::Requirement;
use model::system::{Goal, TransitionSystem};
use model::term::TermId;
use model::validate::{Validated, validate};
use std::ops::Range;

/// The truth that a requirement is violated.
pub(super) fn violation(system: &mut TransitionSystem, statement: &Goal) -> TermId {
    match statement.expectation {
        Some(expectation) => {
            let fails = system.terms.not(expectation);
            system.terms.and(statement.antecedent, fails)
        }
        None => system.terms.truth(false),
    }
}

/// Parts of a consequent that are asked about one by one.
const MOST_PARTS: usize = 16;

/// The ways to violate a requirement, one of which is taken where it is violated. Of a window of
/// several steps these are the parts of its consequent that may fail: each speaks of one step
/// mostly, where engines that enumerate states can judge it, while all of them together do not.
pub(super) fn violations(system: &mut TransitionSystem, statement: &Goal) -> Vec<TermId> {
    let parts = statement.expectation.map_or(Vec::new(), |whole| system.terms.conjuncts(whole));
    if statement.steps < 2 || !(2..=MOST_PARTS).contains(&parts.len()) {
        return vec![violation(system, statement)];
    }
    let fails = |part: TermId| {
        let fails = system.terms.not(part);
        system.terms.and(statement.antecedent, fails)
    };
    parts.into_iter().map(fails).collect()
}

/// The model with other goals, in which executions end anywhere: for each statement those for which
/// `terms` gives the antecedents. The positions of the goals of each statement come with it.
pub(super) fn system_with<'s>(
    model: &Model,
    statements: impl Iterator<Item = &'s Goal>,
    terms: impl Fn(&mut TransitionSystem, &Goal) -> Vec<TermId>,
) -> (Validated, Vec<Range<usize>>) {
    let mut system = without_goals(model);
    let mut places = Vec::new();
    for statement in statements {
        let first = system.goals.len();
        for (number, antecedent) in terms(&mut system, statement).into_iter().enumerate() {
            let name = match number {
                0 => statement.name.clone(),
                _ => format!("{} ({})", statement.name, number + 1),
            };
            system.goals.push(Goal { name, antecedent, expectation: None, ..statement.clone() });
        }
        places.push(first..system.goals.len());
    }
    (validated(system), places)
}

fn without_goals(model: &Model) -> TransitionSystem {
    let mut system: TransitionSystem = (*model.system).clone();
    system.end = None;
    system.goals = std::iter::empty().collect();
    system
}

pub(super) fn validated(system: TransitionSystem) -> Validated {
    validate(system).expect("a valid system should stay valid with other goals of its own terms")
}

/// The system that evidence for verdicts is about: executions end anywhere, and the goals are those
/// of the names, violations and antecedents of requirements. Names of other goals are left out.
pub(crate) fn judged_system(model: &Model, goals: &[String]) -> Validated {
    let mut system = without_goals(model);
    let violated = |required: &Requirement| evidence::violation_of(&required.statement.name);
    let applied = |required: &Requirement| evidence::antecedent_of(&required.statement.name);
    for name in goals {
        let all = model.requirements();
        let meant = |is: &dyn Fn(&Requirement) -> String| all.iter().find(|required| is(required) == *name);
        let (statement, antecedent) = match (meant(&violated), meant(&applied)) {
            (Some(required), _) => (&required.statement, violation(&mut system, &required.statement)),
            (None, Some(required)) => (&required.statement, required.statement.antecedent),
            (None, None) => continue,
        };
        let name = name.clone();
        system.goals.push(Goal { name, antecedent, expectation: None, ..statement.clone() });
    }
    validated(system)
}
