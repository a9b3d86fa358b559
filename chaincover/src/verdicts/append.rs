//! Chains that cover the goals and show the violations of requirements: one optimum over both.

use super::system::violation;
use crate::error::Error;
use crate::model::Model;
use engine::find_chains_from;
use engine::knowledge::status::GoalStatus;
use engine::options::Options;
use engine::outcome::{Chain, Outcome, expectation};
use engine::session::Progress;
use model::system::{Goal, GoalId, TransitionSystem};
use model::trace::Trace;
use model::validate::validate;

/// What a search for goals and violations came to.
#[derive(Clone, Debug)]
pub struct Appended {
    /// The chains and what became of the goals of the model. Bound and minimality are about goals
    /// and violations together.
    pub outcome: Outcome,
    /// What became of the violation of each requirement of the model, by position.
    pub violations: Vec<GoalStatus>,
}

/// The fewest and shortest chains that cover all goals and violate all requirements, as far as
/// there are executions that do so; `known` as for [`find_chains_from`](crate::find_chains_from()).
///
/// ```
/// # use chaincover::{Options, Settings, Silent, find_chains_with_violations, read};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "void __CPROVER_assert(int, const char *); int n;\n\
/// # void step(int up) { if (up && n < 3) n++;\n__CPROVER_assert(n < 3, \"\"); }")?;
/// let model = read([&path], &Settings::default())?;
/// let appended = find_chains_with_violations(&model, &[], &Options::default(), &Silent)?;
/// assert_eq!((appended.outcome.length(), appended.violations[0].name()), (3, "covered"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`find_chains_from`](crate::find_chains_from()).
pub fn find_chains_with_violations(
    model: &Model,
    known: &[Trace],
    options: &Options,
    progress: &dyn Progress,
) -> Result<Appended, Error> {
    let mut system: TransitionSystem = (*model.system).clone();
    for required in model.requirements() {
        let antecedent = violation(&mut system, &required.statement);
        let mut name = format!("violation of {}", required.statement.name);
        while system.goals.values().any(|goal| goal.name == name) {
            name.push('\'');
        }
        system.goals.push(Goal { name, antecedent, expectation: None, ..required.statement.clone() });
    }
    let system = validate(system).expect("a valid system should stay valid with goals of its own terms");
    let mut outcome = find_chains_from(&system, known, options, progress)?;
    let violations = outcome.goals.values().skip(model.system.goals.len());
    let violations = violations.map(|result| result.status.clone()).collect();
    let is_own = |goal: GoalId| model.system.goals.get(goal).is_some();
    for Chain { trace, order, run } in &mut outcome.chains {
        order.retain(|&goal| is_own(goal));
        *run = model::trace::replay(&model.system, trace)
            .map_err(|error| Error::from(engine::error::EngineError::SelfCheck(error.to_string())))?;
    }
    let results = outcome.goals.iter().filter(|&(goal, _)| is_own(goal));
    outcome.goals = results.map(|(_, result)| result.clone()).collect();
    for goal in model.system.goals.ids() {
        let runs = outcome.chains.iter().map(|chain| &chain.run);
        outcome.goals[goal].expectation = expectation(runs, goal);
    }
    outcome.graph = None;
    Ok(Appended { outcome, violations })
}
