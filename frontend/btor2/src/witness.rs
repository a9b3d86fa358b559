//! From a chain to the witness of a `bad` line.

use crate::reader::{Model, Origin};
use model::id::Id;
use model::sort::Sort;
use model::system::GoalId;
use model::trace::{Start, Trace};
use model::value::Value;
use std::fmt::Write;

/// The witness that the `bad` line of a goal holds in the step with number `at` of a trace from the
/// initial state, in the format of btorsim; `None` where the trace has no such step or does not
/// start in an initial state.
pub fn witness(model: &Model, trace: &Trace, goal: GoalId, at: usize) -> Option<String> {
    let (Start::Initial(initial), true) = (&trace.start, at < trace.inputs.len()) else { return None };
    let mut text = format!("sat\nb{}\n", goal.index());
    for (step, row) in trace.inputs[..=at].iter().enumerate() {
        let states = model.states.iter().enumerate();
        let lines: String =
            states.map(|(number, origin)| assigned(number, origin, initial, (&trace.inputs, step))).collect();
        if step == 0 || !lines.is_empty() {
            let _ = write!(text, "#{step}\n{lines}");
        }
        let _ = writeln!(text, "@{step}");
        for (number, (name, input)) in model.inputs.iter().enumerate() {
            let _ = writeln!(text, "{number} {} {name}@{step}", bits(row[input.index()]));
        }
    }
    text.push_str(".\n");
    Some(text)
}

/// What is chosen of a state in a step: its initial value, or its value in each step. Other readers
/// of a witness know nothing of what was asked for beside the file, so zeros are said as well.
fn assigned(
    number: usize,
    origin: &Origin,
    initial: &[Value],
    (rows, step): (&[Vec<Value>], usize),
) -> String {
    let (name, values, is_array): (_, Vec<Value>, _) = match origin {
        Origin::Initial { name, inputs, is_array } if step == 0 => {
            (name, inputs.iter().map(|input| initial[input.index()]).collect(), is_array)
        }
        Origin::Free { name, inputs, is_array } => {
            (name, inputs.iter().map(|input| rows[step][input.index()]).collect(), is_array)
        }
        Origin::Begun { name, inputs, is_array } if step > 0 => {
            (name, inputs.iter().map(|input| rows[step - 1][input.index()]).collect(), is_array)
        }
        Origin::Zero { name, width, elements, is_array } if step == 0 => {
            (name, vec![Value::zero(Sort::word(*width)); *elements], is_array)
        }
        Origin::Determined | Origin::Begun { .. } | Origin::Zero { .. } | Origin::Initial { .. } => {
            return String::new();
        }
    };
    let index_width = values.len().trailing_zeros() as usize;
    let line = |(index, &value): (usize, &Value)| match is_array {
        true => format!("{number} [{index:0index_width$b}] {} {name}@{step}\n", bits(value)),
        false => format!("{number} {} {name}#{step}\n", bits(value)),
    };
    values.iter().enumerate().map(line).collect()
}

fn bits(value: Value) -> String {
    format!("{:0width$b}", value.bits(), width = value.sort().width() as usize)
}
