//! What is wished of inputs, by the names that users give them.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::timed;
use engine::options::{Limits, Slew, Smoothing};
use frontend::{InputSignal, SignalKind};
use model::id::{Id, IdVec};
use model::sort::{FloatFormat, Sort};
use model::term::TermId;
use model::value::Value;
use report::output::number;

/// What is wished of inputs: that they change rarely, and within limits.
#[derive(Clone, Debug)]
pub struct Wishes {
    /// Whether at most one input may change from step to step.
    pub single_change: bool,
    /// Steps that an input keeps a value at least.
    pub dwell: usize,
    /// Greatest differences of numeric inputs between two steps, by name or lvalue.
    pub slew: Vec<(String, f64)>,
}

impl Default for Wishes {
    fn default() -> Self {
        Self { single_change: false, dwell: 1, slew: Vec::new() }
    }
}

/// The wishes as [`Options::smoothing`](engine::options::Options) has them, with defaults, signs
/// and ranges of the model's inputs.
///
/// # Errors
/// Slew limits for what is no numeric input.
pub fn smoothing(wishes: &Wishes, model: &Model) -> Result<Smoothing, Error> {
    let inputs = &model.translated.signals.inputs;
    let mut slew: Vec<Option<Slew>> = vec![None; model.system.inputs.len()];
    for (name, limit) in &wishes.slew {
        let named = inputs.iter().find(|input| input.signal.name == *name || input.signal.lvalue == *name);
        let refuse = |why: &str| Error::new(ErrorKind::Request, format!("--slew: `{name}` {why}"));
        let input = named.ok_or_else(|| refuse("is no input"))?;
        let signed = is_signed(&input.signal.kind).ok_or_else(|| refuse("is not numeric"))?;
        slew[input.input.index()] = Some(Slew { limit: *limit, signed });
    }
    let mut defaults: Vec<Option<Value>> = vec![None; model.system.inputs.len()];
    let mut signed: Vec<Option<bool>> = vec![None; model.system.inputs.len()];
    for input in inputs {
        // Times are no values that a rig holds: they stay as they were found.
        let is_time = timed::delay(model) == Some(input.input);
        signed[input.input.index()] = is_signed(&input.signal.kind).filter(|_| !is_time);
        let sort = model.system.terms.symbol(model.system.inputs[input.input].symbol).sort;
        defaults[input.input.index()] = default_value(input, sort);
    }
    Ok(Smoothing {
        limits: Limits {
            single_change: wishes.single_change,
            dwell: wishes.dwell,
            slew: slew.into_iter().collect::<IdVec<_, _>>(),
        },
        defaults: defaults.into_iter().collect(),
        signed: signed.into_iter().collect(),
        ranges: ranges(model),
    })
}

/// For each assumption whether it is the range of an input, as declared or told by its type.
fn ranges(model: &Model) -> Vec<bool> {
    let limits: Vec<TermId> =
        model.translated.signals.inputs.iter().filter_map(|input| input.limit).collect();
    let assumptions = model.system.assumptions.iter();
    assumptions.map(|assumption| limits.contains(&assumption.condition)).collect()
}

/// Whether numbers of that kind have a sign; `None` for what is no number.
fn is_signed(kind: &SignalKind) -> Option<bool> {
    match kind {
        SignalKind::Bool | SignalKind::Enum { .. } | SignalKind::Pointer => None,
        SignalKind::Counted { signed, .. } => Some(*signed),
        kind => Some(*kind == SignalKind::Signed),
    }
}

/// What an input is where nothing else decides: the configured default, if that is a number or an
/// enumerator, else the number of its range that is next to zero.
pub(crate) fn default_value(input: &InputSignal, sort: Sort) -> Option<Value> {
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
