//! Systems whose goals are what verdicts speak of: violations and antecedents of requirements.

use crate::model::Model;
use frontend::Requirement;
use model::system::{Goal, TransitionSystem};
use model::term::TermId;
use model::validate::{Validated, validate};

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

/// The model with other goals, in which executions end anywhere.
pub(super) fn system_with<'s>(
    model: &Model,
    statements: impl Iterator<Item = &'s Goal>,
    term: impl Fn(&mut TransitionSystem, &Goal) -> TermId,
) -> Validated {
    let mut system = without_goals(model);
    for statement in statements {
        let antecedent = term(&mut system, statement);
        system.goals.push(Goal { antecedent, expectation: None, ..statement.clone() });
    }
    validated(system)
}

fn without_goals(model: &Model) -> TransitionSystem {
    let mut system: TransitionSystem = (*model.system).clone();
    system.end = None;
    system.goals = std::iter::empty().collect();
    system
}

fn validated(system: TransitionSystem) -> Validated {
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
