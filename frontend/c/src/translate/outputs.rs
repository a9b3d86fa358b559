//! Which memory is output.

use super::named::Part;
use super::report::found_cells;
use super::setup::Task;
use super::step::Stepped;
use crate::code::Code;
use crate::exec::initial_memory::Role;
use crate::exec::object::Origin;
use crate::exec::{Machine, Outcome};
use crate::ir::Condition;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Place, PlaceBase};
use crate::ir::types::Type;
use frontend::Topic;
use frontend::{Finding, TextRole};

/// The cells that are outputs: those the request names; else the results of step functions and all
/// memory of the model that the step writes and does not read before, without its inner workings
/// where there is anything else.
pub(super) fn output_cells(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    stepped: &Stepped,
    findings: &mut Vec<Finding>,
) -> Outcome<Vec<usize>> {
    let mut cells = Vec::new();
    if let Some(outputs) = &task.request.outputs {
        for index in 0..outputs.len() {
            if let Some((number, condition)) = task.condition(TextRole::Output(index)) {
                let followed = followed(machine, condition)?;
                cells.extend(super::setup::designated_cells(machine, number, &followed)?);
            }
        }
        return Ok(cells);
    }
    let kept = super::flow::kept_only(machine);
    for &cell in &stepped.written {
        let (object, _) = machine.objects.owner(cell);
        let is_result = matches!(machine.objects.get(object).origin, Origin::Returned(_));
        let is_named = super::named::part(machine, object) == Some(Part::Outputs);
        let is_left = machine.initial_memory.left.values.get(cell).is_some();
        let is_input = machine.initial_memory.role(cell) == Role::Input;
        let is_read = machine.initial_memory.read_first.contains(&cell)
            || machine.initial_memory.has_state(cell) && !kept.contains(&cell);
        if is_left && !is_input && (is_result || is_named || !is_read) {
            cells.push(cell);
        }
    }
    let object_of = |cell: usize| machine.objects.owner(cell).0;
    if cells.iter().any(|&cell| !super::named::is_inner(machine, object_of(cell))) {
        cells.retain(|&cell| !super::named::is_inner(machine, object_of(cell)));
    }
    if !task.entry.reads_inputs() {
        let reason = |&cell: &usize| match super::named::part(machine, object_of(cell)) {
            _ if is_passed(machine, cell, false) => "the step passes it to a function that no file defines",
            _ if is_passed(machine, cell, true) => {
                "whether the step calls this function, which no file defines"
            }
            Some(Part::Outputs) => "its name says that it is an output, and the step writes it",
            _ if machine.initial_memory.read_first.contains(&cell) => {
                "the step writes it, and what it held before matters to itself alone"
            }
            _ => "the step writes it and does not read it before",
        };
        let reasons = cells.iter().map(|cell| (*cell, reason(cell).to_owned()));
        findings.extend(found_cells(machine, Topic::Output, reasons));
    }
    Ok(cells)
}

/// The object that an output is: of a pointer what it points to, since the number of an address
/// is none that a rig could see.
fn followed(machine: &mut Machine<'_>, condition: &Condition) -> Outcome<Condition> {
    let value = &condition.value;
    let Type::Pointer(pointee) = *machine.layouts.type_of(value.ty) else { return Ok(condition.clone()) };
    if machine.layouts.size(pointee).is_none() {
        let message =
            format!("the output `{}` is a pointer, and what it points to has no known size", condition.text);
        let advice = "name the object or member that is an output";
        return Err(machine.fail_with(Code::PointerOutput, value.span, message, advice));
    }
    let base = PlaceBase::Deref(Box::new(value.clone()));
    let place = Place { base, path: Vec::new(), ty: pointee, span: value.span };
    let value = Expr { kind: ExprKind::Load(place), ty: pointee, span: value.span };
    Ok(Condition { value, ..condition.clone() })
}

/// Whether a cell holds what is passed to a function that no file defines, or whether that was
/// called.
fn is_passed(machine: &Machine<'_>, cell: usize, is_call: bool) -> bool {
    let (object, _) = machine.objects.owner(cell);
    matches!(machine.objects.get(object).origin, Origin::Passed(_, parameter) if parameter.is_none() == is_call)
}
