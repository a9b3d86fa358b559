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
