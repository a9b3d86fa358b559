//! Variables that the step reads and that nothing sets: they may be inputs that nobody named.

use super::named::{self, Part};
use super::step::{MOST_TOLD, can_be_input, unwritten_cells};
use super::whole;
use crate::code::Code;
use crate::detect::{names, walk};
use crate::exec::Machine;
use crate::exec::initial_memory::Role;
use crate::exec::object::Origin;
use crate::ir::expr::ExprKind;
use crate::ir::stmt::{Place, PlaceBase, StmtKind};
use crate::ir::{GlobalId, Linkage, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Warns of variables that other files can reach, that have no initialiser, and that no code
/// assigns or takes the address of, where the step reads them and they are no inputs.
pub(super) fn tell(
    machine: &mut Machine<'_>,
    written: &BTreeSet<usize>,
    roles: &BTreeMap<usize, Role>,
    candidates: &BTreeSet<usize>,
) {
    let unwritten = unwritten_cells(machine, roles, |origin| matches!(origin, Origin::Global(_)));
    let is_read =
        |cell: &usize| machine.initial_memory.read_first.contains(cell) && !candidates.contains(cell);
    let assigned = assigned(machine.program);
    let is_unset = |&cell: &usize| is_unset(machine, (written, &assigned), cell);
    let cells: Vec<usize> = unwritten.into_iter().filter(is_read).filter(is_unset).collect();
    let names = whole::lvalues(machine, &cells);
    if names.is_empty() {
        return;
    }
    let told = told(&names);
    let message = format!("the step reads {told}, which nothing sets: the value is 0 in every step");
    let advice = "what the environment sets, list under `inputs` in the section [model]";
    machine.diagnostics.warning(Code::NeverSet, None, message).advice(advice);
}

/// Whether a cell is part of a variable of the model that other files can reach, and that nothing
/// writes.
fn is_unset(
    machine: &Machine<'_>,
    (written, assigned): (&BTreeSet<usize>, &BTreeSet<GlobalId>),
    cell: usize,
) -> bool {
    let (object, _) = machine.objects.owner(cell);
    let Origin::Global(global) = machine.objects.get(object).origin else { return false };
    let declaration = &machine.program.globals[global];
    !machine.program.units[declaration.unit].is_property_file
        && (declaration.linkage == Linkage::External || is_kept_by_frame(machine.program, global))
        && !assigned.contains(&global)
        && !named::is_inner(machine, object)
        && !named::is_model_data(machine, object)
        && !machine.cells_of(object).any(|cell| written.contains(&cell))
}

/// Whether a variable belongs to a file that holds the frame around a model: that is made to be
/// completed.
fn is_kept_by_frame(program: &Program, global: GlobalId) -> bool {
    let declaration = &program.globals[global];
    let mut functions = program.functions.values().filter(|function| function.body.is_some());
    declaration.function.is_none()
        && functions.any(|function| function.unit == declaration.unit && names::is_frame(&function.name))
}

/// Warns of a model without inputs, and names what the step reads and never writes.
pub(super) fn tell_no_inputs(machine: &mut Machine<'_>, written: &BTreeSet<usize>) {
    let is_fixed = |cell: &usize| {
        let (object, _) = machine.objects.owner(*cell);
        let description = machine.objects.get(object);
        matches!(description.origin, Origin::Global(global) if machine.program.globals[global].function.is_none())
            && !description.is_const
            && !written.contains(cell)
            && can_be_input(machine, *cell)
            && !named::is_inner(machine, object)
            && !named::is_model_data(machine, object)
            && named::part(machine, object) != Some(Part::Calibration)
    };
    let cells: Vec<usize> = machine.initial_memory.read_first.iter().copied().filter(is_fixed).collect();
    let names = whole::lvalues(machine, &cells);
    let message = "the model has no inputs: there is nothing that a test could vary";
    let told = told(&names);
    let advice = match names.is_empty() {
        true => "what the environment sets, list under `inputs` in the section [model]".to_owned(),
        false => format!(
            "list what the environment sets under `inputs` in the section [model]; the step reads {told} and never writes it"
        ),
    };
    machine.diagnostics.warning(Code::NoInputs, None, message).advice(advice);
}

/// The first of some names, and how many there are beside.
fn told(names: &[String]) -> String {
    let told: Vec<String> = names.iter().take(MOST_TOLD).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(MOST_TOLD);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", told.join(", "))
}

/// Variables that some code assigns, or takes the address of.
fn assigned(program: &Program) -> BTreeSet<GlobalId> {
    let mut found = BTreeSet::new();
    for body in program.functions.values().filter_map(|function| function.body.as_ref()) {
        walk::visit(body, &mut |stmt| {
            let target = match &stmt.kind {
                StmtKind::Assign(place, _) | StmtKind::Call { result: Some(place), .. } => Some(place),
                _ => None,
            };
            found.extend(target.and_then(global_of));
            walk::visit_expressions(stmt, &mut |expr| {
                if let ExprKind::AddressOf(place) = &expr.kind {
                    found.extend(global_of(place));
                }
            });
        });
    }
    found
}

fn global_of(place: &Place) -> Option<GlobalId> {
    match place.base {
        PlaceBase::Global(global) => Some(global),
        _ => None,
    }
}
