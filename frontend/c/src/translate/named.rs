//! What the names of objects say of them.

use crate::detect::names;
use crate::exec::Machine;
use crate::exec::object::{ObjectId, Origin};
use crate::ir::FunctionId;
use crate::ir::types::Type;

/// The part of a model that an object is by its name or that of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Its inputs.
    Inputs,
    /// Its outputs.
    Outputs,
    /// Its calibration.
    Calibration,
    /// Events raised from outside, among everything else.
    Events,
}

/// The part of a model that an object is named after; `None` for constants, variables of functions,
/// and names that say nothing.
pub(crate) fn part(machine: &Machine<'_>, object: ObjectId) -> Option<Part> {
    let description = machine.objects.get(object);
    if description.is_const || !matches!(description.origin, Origin::Global(_) | Origin::Pointee(_)) {
        return None;
    }
    let variable = variable_name(&description.name);
    let record = record_name(machine, object);
    if names::is_input(variable, record) || is_parameter(machine, object, "_U_") {
        Some(Part::Inputs)
    } else if names::is_output(variable, record) || is_parameter(machine, object, "_Y_") {
        Some(Part::Outputs)
    } else if names::is_calibration(variable, record) {
        Some(Part::Calibration)
    } else if names::is_tick_data(record) {
        Some(Part::Events)
    } else {
        None
    }
}

/// Whether an object is what a parameter of a step function points to that is named after the model
/// and a part of it: `X_U_speed` of `X_step`.
fn is_parameter(machine: &Machine<'_>, object: ObjectId, part: &str) -> bool {
    let description = machine.objects.get(object);
    let variable = variable_name(&description.name);
    let is_of = |step: &FunctionId| {
        let step = &machine.program.functions[*step].name;
        let is_own = description.name.strip_prefix(step.as_str()).is_some_and(|rest| rest.starts_with('.'));
        is_own && variable.strip_prefix(names::stem(step)).is_some_and(|rest| rest.starts_with(part))
    };
    matches!(description.origin, Origin::Pointee(_)) && machine.steps.iter().any(is_of)
}

/// Whether an object is memory of the model's inner workings: named so, or a variable of a
/// function.
pub(crate) fn is_inner(machine: &Machine<'_>, object: ObjectId) -> bool {
    let description = machine.objects.get(object);
    let record = record_name(machine, object);
    let is_local = matches!(description.origin, Origin::Global(global) if machine.program.globals[global].function.is_some());
    is_local || names::is_work(variable_name(&description.name), record)
}

/// Whether an object is what a model knows of its execution.
pub(super) fn is_model_data(machine: &Machine<'_>, object: ObjectId) -> bool {
    names::is_model_data(record_name(machine, object))
}

/// The name of the type of an object that is a structure or union; empty for others.
fn record_name<'m>(machine: &'m Machine<'_>, object: ObjectId) -> &'m str {
    match *machine.layouts.type_of(machine.objects.get(object).ty) {
        Type::Record(record) => machine.program.types.records[record].name.as_str(),
        _ => "",
    }
}

/// The last part of the name of an object.
fn variable_name(name: &str) -> &str {
    let name = name.trim_end_matches("->");
    name.rsplit(['.', '>', ':']).next().unwrap_or(name)
}
