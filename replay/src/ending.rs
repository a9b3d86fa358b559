//! Chains whose last step does not return: it ends the program after it reached what it was made
//! for.

use frontend::{End, EndPlace, Translated};
use model::simulate::WindowEvaluator;
use model::trace::{Execution, Trace};
use model::validate::Validated;

/// What ends the last step of a chain before it returns, with its place; `None` where it returns.
/// Outputs of such a step and the state behind it mean nothing.
pub fn early_end(
    translated: &Translated,
    system: &Validated,
    trace: &Trace,
    run: &Execution,
) -> Option<String> {
    let places = &translated.early_end;
    let last = trace.inputs.len().checked_sub(1).filter(|_| !places.is_empty())?;
    let mut evaluator = WindowEvaluator::new(system, places.iter().map(|place| place.goes_on));
    evaluator.run(&run.states[last..=last], &trace.inputs[last..=last]);
    let broken = places.iter().enumerate().find(|&(at, _)| !evaluator.holds(at));
    broken.map(|(_, place)| told(translated, place))
}

/// The function whose call ends the last step, by what [`early_end`] told; `None` where something
/// else does, behind which the compiled code may go on.
pub fn called(ends: &str) -> Option<&str> {
    ends.strip_prefix('`')?.split_once(CALLED).map(|(function, _)| function)
}

/// What follows the name of a function whose call ends the program.
const CALLED: &str = "` is called";

fn told(translated: &Translated, place: &EndPlace) -> String {
    let location = translated.source.locate(place.origin);
    let what = match &place.end {
        End::Call(function) => format!("`{function}{CALLED}"),
        End::Assumption => "an assumption does not hold".to_owned(),
        End::Undefined(operation) => (*operation).to_owned(),
    };
    let file = location.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    format!("{what} at {file}:{}", location.line)
}
