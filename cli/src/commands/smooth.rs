//! What the command line wishes of inputs.

use super::args::{ChainArguments, InputArguments};
use super::failure::Failure;
use super::log::Log;
use chaincover::{Keeping, Model, Outcome, Smoothing, Wishes};

/// The wishes; `None` where inputs are to stay as the search finds them.
///
/// # Errors
/// Slew limits for what is no numeric input.
pub(crate) fn smoothing(arguments: &InputArguments, loaded: &Model) -> Result<Option<Smoothing>, Failure> {
    if arguments.no_smooth && !arguments.smooth {
        return Ok(None);
    }
    let wishes = Wishes {
        single_change: arguments.single_change,
        dwell: arguments.dwell,
        slew: arguments.slew.clone(),
    };
    Ok(Some(chaincover::smoothing(&wishes, loaded)?))
}

/// Says where a limit could not be kept.
pub(crate) fn explain(arguments: &ChainArguments, log: &Log, outcome: &Outcome) {
    let inputs = &arguments.inputs;
    let limited = inputs.single_change || inputs.dwell > 1 || !inputs.slew.is_empty();
    if arguments.verbosity.quiet || !limited {
        return;
    }
    for (number, smoothed) in outcome.smoothing.iter().enumerate() {
        let why = match smoothed.limits {
            Keeping::Kept => continue,
            Keeping::Impossible => {
                "the limits asked for are not kept: no inputs of the same length that keep them have the goals occur in the same \
                 steps (proven)"
            }
            Keeping::GivenUp => {
                "the limits asked for are not kept: no inputs of the same length that keep them were found with the effort \
                 and in the time set aside for it"
            }
        };
        log.message("note", &format!("chain {}: {why}", number + 1));
    }
}

/// Reads `INPUT=DIFFERENCE`.
pub(crate) fn parse_slew(text: &str) -> Result<(String, f64), String> {
    let (name, limit) = text.rsplit_once('=').ok_or("write INPUT=DIFFERENCE")?;
    let limit: Option<f64> = limit.parse().ok().filter(|limit: &f64| *limit >= 0.0 && limit.is_finite());
    limit.map(|limit| (name.to_owned(), limit)).ok_or_else(|| "the difference is a number from 0".to_owned())
}
