//! What the command line wishes of inputs.

use super::args::{ChainArguments, InputArguments};
use super::exit::Exit;
use super::failure::Failure;
use super::load::Loaded;
use super::log::Log;
use engine::options::{Limits, Slew, Smoothing};
use engine::outcome::Keeping;
use engine::outcome::Outcome;
use frontend::{InputSignal, SignalKind};
use model::id::{Id, IdVec};
use model::sort::{FloatFormat, Sort};
use model::term::TermId;
use model::value::Value;
use report::output::number;

/// The wishes; `None` where inputs are to stay as the search finds them.
///
/// # Errors
/// Slew limits for what is no numeric input.
pub(crate) fn smoothing(arguments: &InputArguments, loaded: &Loaded) -> Result<Option<Smoothing>, Failure> {
    if arguments.no_smooth && !arguments.smooth {
        return Ok(None);
    }
    let inputs = &loaded.translated.signals.inputs;
    let mut slew: Vec<Option<Slew>> = vec![None; loaded.system.inputs.len()];
    for (name, limit) in &arguments.slew {
        let named = inputs.iter().find(|input| input.signal.name == *name || input.signal.lvalue == *name);
        let refuse = |why: &str| Failure::new(Exit::Usage, format!("--slew: `{name}` {why}"));
        let input = named.ok_or_else(|| refuse("is no input"))?;
        let signed = is_signed(&input.signal.kind).ok_or_else(|| refuse("is not numeric"))?;
        slew[input.input.index()] = Some(Slew { limit: *limit, signed });
    }
    let mut defaults: Vec<Option<Value>> = vec![None; loaded.system.inputs.len()];
    let mut signed: Vec<Option<bool>> = vec![None; loaded.system.inputs.len()];
    for input in inputs {
        signed[input.input.index()] = is_signed(&input.signal.kind);
        let sort = loaded.system.terms.symbol(loaded.system.inputs[input.input].symbol).sort;
        defaults[input.input.index()] = default_value(input, sort);
    }
    Ok(Some(Smoothing {
        limits: Limits {
            single_change: arguments.single_change,
            dwell: arguments.dwell,
            slew: slew.into_iter().collect::<IdVec<_, _>>(),
        },
        defaults: defaults.into_iter().collect(),
        signed: signed.into_iter().collect(),
        ranges: ranges(loaded),
    }))
}

/// For each assumption whether it is the range of an input, as declared or told by its type.
fn ranges(loaded: &Loaded) -> Vec<bool> {
    let limits: Vec<TermId> =
        loaded.translated.signals.inputs.iter().filter_map(|input| input.limit).collect();
    let assumptions = loaded.system.assumptions.iter();
    assumptions.map(|assumption| limits.contains(&assumption.condition)).collect()
}

/// Whether numbers of that kind have a sign; `None` for what is no number.
fn is_signed(kind: &SignalKind) -> Option<bool> {
    match kind {
        SignalKind::Bool | SignalKind::Enum { .. } | SignalKind::Pointer => None,
        kind => Some(*kind == SignalKind::Signed),
    }
}

/// What an input is where nothing else decides: the configured default, if that is a number or an enumerator, else the number of its
/// range that is next to zero.
fn default_value(input: &InputSignal, sort: Sort) -> Option<Value> {
    let configured = input.option.default.as_deref().and_then(|text| constant(input, sort, text));
    configured.or_else(|| match (&input.option.default, &input.option.range) {
        (None, None) => Some(Value::zero(sort)),
        (None, Some((low, high))) => {
            let number = |text: &str| text.trim_matches(['(', ')']).parse::<f64>().ok();
            match (number(low)?, number(high)?) {
                (low_number, _) if low_number > 0.0 => constant(input, sort, low),
                (_, high_number) if high_number < 0.0 => constant(input, sort, high),
                _ => Some(Value::zero(sort)),
            }
        }
        (Some(_), _) => None,
    })
}

/// The value that a number or an enumerator stands for.
pub(crate) fn constant(input: &InputSignal, sort: Sort, text: &str) -> Option<Value> {
    let text = text.trim_matches(['(', ')']);
    let enumerator = match &input.signal.kind {
        SignalKind::Enum { enumerators, .. } => enumerators.iter().find(|(name, _)| name == text),
        _ => None,
    };
    match sort {
        Sort::Float(FloatFormat::Single) => text.parse().ok().map(Value::single),
        Sort::Float(FloatFormat::Double) => text.parse().ok().map(Value::double),
        Sort::Word(width) => {
            let number: i128 = enumerator.map_or_else(|| text.parse().ok(), |(_, number)| Some(*number))?;
            let value = Value::word(u32::from(width), number as u128);
            (number::integer(value, &input.signal.kind) == number).then_some(value)
        }
    }
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
