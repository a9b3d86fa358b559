//! Whether the executions of an FMU end soon: behind an error of a function of the FMU nothing more
//! can be asked of it.

use crate::error::{Error, ErrorKind};
use crate::front_ends;
use crate::model::Model;
use engine::error::EngineError;
use engine::find_chains;
use engine::knowledge::status::GoalStatus;
use engine::options::{EngineChoice, Options};
use engine::session::Silent;
use frontend::diagnostics::{Diagnostic, Diagnostics};
use model::id::IdVec;
use model::system::{Goal, TransitionSystem};
use model::validate::validate;
use std::time::{Duration, Instant};

/// Steps of which an FMU should be able to make as many, for some inputs.
const SOON: [u32; 2] = [1, 8];

/// What the question may take.
const LONGEST: Duration = Duration::from_secs(5);

/// A warning where every execution of an FMU ends within a few steps; `None`: some execution goes
/// on, it is not known, or the model is no FMU.
///
/// # Errors
/// [`Stopped`](crate::ErrorKind::Stopped): the user ended the run.
pub fn ends_soon(model: &Model) -> Result<Option<Diagnostic>, Error> {
    if !front_ends::is_fmu(&model.configuration.request.sources) {
        return Ok(None);
    }
    for steps in SOON {
        if has_ended(model, steps)? {
            let within =
                if steps == 1 { "in its first step".to_owned() } else { format!("within {steps} steps") };
            let why = match model.configuration.request.assumes_unwound {
                true => "one of its functions returns an error, or a loop goes on beyond --unwind",
                false => "one of its functions returns an error",
            };
            let message = format!("every execution of the FMU ends {within}: {why}");
            let mut diagnostics = Diagnostics::default();
            let warning = diagnostics.warning(fmu::code::Code::EndsSoon, None, message);
            warning.advice("it may want another step size (--period), another start time, or inputs that its description does not tell");
            return Ok(diagnostics.entries.pop());
        }
    }
    Ok(None)
}

/// Whether no execution has that many steps, as far as bounded queries tell.
fn has_ended(model: &Model, steps: u32) -> Result<bool, Error> {
    let mut system: TransitionSystem = (*model.system).clone();
    let always = system.terms.truth(true);
    let name = format!("{steps} steps");
    let going_on = Goal {
        name,
        requirement: None,
        text: None,
        origin: None,
        steps,
        antecedent: always,
        expectation: None,
    };
    system.goals = IdVec::from_iter([going_on]);
    system.end = None;
    let system = validate(system).map_err(|malformed| {
        let list: Vec<String> = malformed.iter().map(ToString::to_string).collect();
        Error::new(ErrorKind::Internal, format!("a goal made a system malformed: {}", list.join("; ")))
    })?;
    let options = Options {
        engine: EngineChoice::Sat,
        max_k: Some(steps),
        deadline: Some(Instant::now() + LONGEST),
        simulation: false,
        ..Options::default()
    };
    match find_chains(&system, &options, &Silent) {
        Err(EngineError::NoExecution(_)) => Ok(true),
        Err(error) => Err(error.into()),
        // A window of executions that starts with the first step is all that is asked for.
        Ok(outcome) => Ok(outcome.goals.values().any(|goal| {
            matches!(goal.status, GoalStatus::Unreachable { .. })
                || matches!(goal.status, GoalStatus::Undecided { bound } if bound > 0)
        })),
    }
}
