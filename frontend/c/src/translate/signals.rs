//! The words of a system as the user knows them: names, types and kinds of inputs, outputs and
//! state.

use super::ask::Asked;
use super::setup::Task;
use crate::exec::Machine;
use crate::exec::layout::Kind;
use crate::ir::types::{Type, TypeId};
use frontend::{InputOption, InputSignal, Signal, SignalKind, Signals};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn signals(
    task: &Task<'_>,
    machine: &Machine<'_>,
    (outputs, held): (&[usize], &BTreeSet<usize>),
    names: &BTreeMap<String, String>,
    asked: &Asked,
) -> Signals {
    let mut signals = Signals::default();
    for input in &machine.initial_memory.inputs {
        let option = option_of(task, &input.lvalue).or_else(|| {
            let option = option_of(task, &machine.cell_name(input.read_again?))?;
            Some(InputOption { lvalue: input.lvalue.clone(), name: None, ..option })
        });
        let option =
            option.unwrap_or_else(|| InputOption { lvalue: input.lvalue.clone(), ..InputOption::default() });
        let name = option.name.clone().unwrap_or_else(|| names[&input.lvalue].clone());
        let signal = Signal {
            name,
            lvalue: input.lvalue.clone(),
            type_name: machine.program.types.name(input.ty),
            bits: input.bits,
            kind: kind_of(machine, input.ty, input.bits),
        };
        let by_type = asked.meant.get(&input.input).copied();
        let limit = asked.limits.get(&input.input).copied();
        signals.inputs.push(InputSignal { signal, input: input.input, option, by_type, limit });
    }
    for (index, &cell) in outputs.iter().enumerate() {
        signals.outputs.push((cell_signal(machine, cell, names), index));
    }
    let mut shown: Vec<(usize, _)> = machine.initial_memory.states.clone();
    shown.sort_by_key(|&(cell, _)| cell);
    let is_output: BTreeSet<usize> = outputs.iter().copied().collect();
    for (cell, state) in shown {
        // An output that merely keeps its value is shown as output, unless a goal asks for its
        // earlier value.
        let is_kept = is_output.contains(&cell) && held.contains(&cell);
        if machine.initial_memory.read_first.contains(&cell) || !is_kept {
            signals.states.push((cell_signal(machine, cell, names), state));
        }
    }
    signals
}

/// What the configuration says of an input: under its name, else under that of the array which it
/// is an element of. There, a name is not for one element.
fn option_of(task: &Task<'_>, lvalue: &str) -> Option<InputOption> {
    let options = &task.request.input_options;
    let named = |name: &str| options.iter().find(|option| option.lvalue == name).cloned();
    let arrays = lvalue.rmatch_indices('[').filter(|_| lvalue.ends_with(']')).map(|(at, _)| &lvalue[..at]);
    named(lvalue).or_else(|| {
        let option = arrays.take_while(|array| !array.is_empty()).find_map(named)?;
        Some(InputOption { lvalue: lvalue.to_owned(), name: None, ..option })
    })
}

fn cell_signal(machine: &Machine<'_>, cell: usize, names: &BTreeMap<String, String>) -> Signal {
    let lvalue = machine.cell_name(cell);
    let description = machine.objects.cell(cell);
    let bits = description.scalar.sort().width();
    Signal {
        name: names[&lvalue].clone(),
        type_name: machine.program.types.name(description.ty),
        bits,
        kind: kind_of(machine, description.ty, bits),
        lvalue,
    }
}

/// What so many bits of a type are: a part of a floating-point number is none.
pub(crate) fn kind_of(machine: &Machine<'_>, ty: TypeId, bits: u32) -> SignalKind {
    let scalar = machine.layouts.scalar(ty, None);
    match (machine.layouts.type_of(ty), scalar) {
        (Type::Enum(id), Some(scalar)) => SignalKind::Enum {
            signed: scalar.signed,
            enumerators: machine.program.types.enums[*id].enumerators.clone(),
        },
        (Type::Pointer(_), _) => SignalKind::Pointer,
        (Type::Float(format), _) if format.width() == bits => SignalKind::Float,
        (_, Some(scalar)) if scalar.extent == 1 && scalar.kind == Kind::Word => SignalKind::Bool,
        (Type::Boolean { .. }, Some(scalar)) if !scalar.signed => SignalKind::Bool,
        (_, Some(scalar)) if scalar.signed => SignalKind::Signed,
        _ => SignalKind::Unsigned,
    }
}
