//! What the names of objects say of them.

use crate::c::detect::names;
use crate::c::exec::Machine;
use crate::c::exec::object::{ObjectId, Origin};
use crate::c::ir::types::Type;

/// The part of a model that an object is by its name or that of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Its inputs.
    Inputs,
    /// Its outputs.
    Outputs,
    /// Its calibration.
    Calibration,
}

/// The part of a model that an object is named after; `None` for constants, variables of functions, and names that say nothing.
pub(crate) fn part(machine: &Machine<'_>, object: ObjectId) -> Option<Part> {
    let description = machine.objects.get(object);
    if description.is_const || !matches!(description.origin, Origin::Global(_) | Origin::Pointee(_)) {
        return None;
    }
    let name = description.name.trim_end_matches("->");
    let variable = name.rsplit(['.', '>', ':']).next().unwrap_or(name);
    let record = match *machine.layouts.type_of(description.ty) {
        Type::Record(record) => machine.program.types.records[record].name.as_str(),
        _ => "",
    };
    if names::is_input(variable, record) {
        Some(Part::Inputs)
    } else if names::is_output(variable, record) {
        Some(Part::Outputs)
    } else if names::is_calibration(variable, record) {
        Some(Part::Calibration)
    } else {
        None
    }
}
