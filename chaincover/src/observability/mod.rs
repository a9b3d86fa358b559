//! What has to be seen at outputs within some steps (`--observe`): values of decisions and
//! conditions, and violations of requirements about memory that a rig does not see.
//!
//! Both compare the execution with another one, which is made of terms over the window of a goal
//! (`model::counterfactual`); the goal says that an output differs, and is searched for and proven
//! as any other goal.

mod requirements;
mod sights;
mod values;

pub(crate) use values::Reading;

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::observed::Observed;
use frontend::SignalKind;
use model::system::TransitionSystem;
use model::term::{SymbolId, TermId};
use model::validate::{Meaning, validate};
use model::visit::support;

/// A model whose coverage goals and requirements are to be seen within so many further steps.
///
/// # Errors
/// [`ErrorKind::Request`]: neither is there, or there are no outputs. [`ErrorKind::Stopped`]: the
/// limit.
pub(crate) fn observed(model: Model, depth: u32) -> Result<Model, Error> {
    let refuse = |message: &str| {
        let message = format!("--observe (or `observe` under [coverage]): {message}");
        Err(Error::new(ErrorKind::Request, message))
    };
    let coverage = model.translated.source.coverage().cloned();
    let goals = coverage.as_ref().map_or(&[][..], |coverage| &coverage.goals);
    let has_values = goals.iter().any(|goal| goal.part.is_of_value());
    let has_consequents = model.system.goals.values().any(|goal| goal.expectation.is_some());
    // Code without any place of coverage is told of as without `--observe`.
    let is_coverage_of_nothing = coverage.is_some() && goals.is_empty();
    if !has_values && !has_consequents && !is_coverage_of_nothing {
        return refuse(
            "values of decisions and conditions can be observed, and requirements with a consequent: there are none; name a criterion (--coverage decision, condition or mcdc, or `goals` under [coverage])",
        );
    }
    if model.translated.signals.outputs.iter().all(|(signal, _)| signal.kind == SignalKind::Pointer) {
        return refuse(
            "the model has no outputs at which values could be seen; name outputs (outputs = [...] in chaincover.toml)",
        );
    }
    let mut observed = Observed { coverage, ..Observed::default() };
    let mut system: TransitionSystem = (*model.system).clone();
    observed.cut_short = Some(depth).filter(|&depth| depth > 0 && may_end(&model));
    values::demand(&mut observed, &mut system, &model, depth)?;
    requirements::demand(&mut observed, &mut system, &model, depth)?;
    observed.merge(&system);
    let system = validate(system).map_err(|malformed| {
        let list: Vec<String> = malformed.iter().map(ToString::to_string).collect();
        Error::new(ErrorKind::Internal, format!("the observed system is malformed: {}", list.join("; ")))
    })?;
    Ok(Model { system, observed: Some(observed), ..model })
}

/// Whether runs may end, or come to states in which assumptions allow no inputs.
fn may_end(model: &Model) -> bool {
    let system = &model.system;
    let is_state = |symbol: SymbolId| matches!(system.meaning(symbol), Meaning::State(_));
    let conditions: Vec<TermId> = system.assumptions.iter().map(|assumption| assumption.condition).collect();
    !model.translated.early_end.is_empty() || support(&system.terms, &conditions).into_iter().any(is_state)
}
