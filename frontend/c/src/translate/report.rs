//! What became of memory, and why: the findings that `check` prints about inputs, outputs and
//! state.

use super::named::Part;
use super::setup::Task;
use super::step::Stepped;
use super::whole;
use crate::code::Code;
use crate::detect::names;
use crate::exec::Machine;
use crate::exec::object::Origin;
use crate::ir::Program;
use crate::preprocess::nearby::sources_of;
use frontend::Topic;
use frontend::diagnostics::{Diagnostic, Severity};
use frontend::{Finding, Signals};
use model::system::{InputId, StateId};
use std::collections::{BTreeMap, BTreeSet};

/// Reports what became of memory.
pub(super) fn report(
    task: &Task<'_>,
    machine: &Machine<'_>,
    (stepped, meant): (&Stepped, &BTreeMap<InputId, &'static str>),
    signals: &Signals,
    findings: &mut Vec<Finding>,
) {
    let memory = machine.initial_memory.inputs.iter().filter_map(|input| input.cell);
    let reasons = memory.map(|cell| (cell, input_reason(task, machine, stepped, cell)));
    findings.extend(found_cells(machine, Topic::Input, reasons));
    for input in machine.initial_memory.inputs.iter().filter(|input| input.cell.is_none()) {
        findings.push(Finding {
            topic: Topic::Input,
            subject: input.lvalue.clone(),
            reason: input.reason.clone(),
        });
    }
    for input in &machine.initial_memory.inputs {
        let limit = meant.get(&input.input).map(|values| Finding {
            topic: Topic::Range,
            subject: input.lvalue.clone(),
            reason: format!(
                "of type {}: {values}; set `range` or `values` in [input.\"{}\"] to change that",
                machine.program.types.name(input.ty),
                input.lvalue
            ),
        });
        findings.extend(limit);
    }
    let shown: BTreeSet<StateId> = signals.states.iter().map(|(_, state)| *state).collect();
    let states = machine.initial_memory.states.iter().filter(|(_, state)| shown.contains(state));
    let reasons = states.map(|&(cell, _)| {
        let reason = if machine.initial_memory.read_first.contains(&cell) {
            "the step reads it before writing it"
        } else {
            "its value before the step matters: the step keeps it, or a goal asks for it"
        };
        (cell, reason.to_owned())
    });
    findings.extend(found_cells(machine, Topic::State, reasons));
    for &cell in machine
        .initial_memory
        .indeterminate
        .iter()
        .filter(|&&cell| machine.initial_memory.read_first.contains(&cell))
    {
        findings.push(Finding {
            topic: Topic::State,
            subject: machine.cell_name(cell),
            reason: "it has no value before the first step; 0 is assumed".to_owned(),
        });
    }
    findings.extend(outside(task, stepped));
}

/// Functions without a body that were called, and where their sources seem to lie.
fn outside(task: &Task<'_>, stepped: &Stepped) -> Vec<Finding> {
    let externs = &stepped.events.externs;
    let names =
        externs.iter().filter(|(_, topic, _)| *topic == Topic::Extern).map(|(name, ..)| source_of(name));
    let names: BTreeSet<&str> = names.collect();
    let step = task.entry.steps.first().map(|step| step.function);
    let unit =
        step.or(task.entry.driver.map(|driver| driver.function)).map(|id| task.program.functions[id].unit);
    let sources = match unit {
        Some(unit) if !names.is_empty() => sources_of(&names, &task.program.units[unit].path),
        _ => BTreeMap::new(),
    };
    let finding = |(name, topic, reason): &(String, Topic, String)| {
        let mut reason = reason.clone();
        if let Some(path) = sources.get(source_of(name)).filter(|_| *topic == Topic::Extern) {
            reason = format!("{reason}; its source seems to be `{}`", path.display());
        }
        Finding { topic: *topic, subject: name.clone(), reason }
    };
    externs.iter().map(finding).collect()
}

/// The name, without `.c`, of the file that a code generator puts a function into.
fn source_of(function: &str) -> &str {
    match function {
        "rtIsNaN" | "rtIsNaNF" | "rtIsInf" | "rtIsInfF" | "rt_InitInfAndNaN" => "rt_nonfinite",
        "rtGetInfF" | "rtGetMinusInf" | "rtGetMinusInfF" => "rtGetInf",
        "rtGetNaNF" => "rtGetNaN",
        other => other,
    }
}

/// What to say of cells: those with the same reason together, by the fewest names.
pub(super) fn found_cells(
    machine: &Machine<'_>,
    topic: Topic,
    reasons: impl Iterator<Item = (usize, String)>,
) -> Vec<Finding> {
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for (cell, reason) in reasons {
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, cells)) => cells.push(cell),
            None => groups.push((reason, vec![cell])),
        }
    }
    let findings = groups.into_iter().flat_map(|(reason, cells)| {
        let subjects = whole::lvalues(machine, &cells).into_iter();
        subjects.map(move |subject| Finding { topic, subject, reason: reason.clone() })
    });
    findings.collect()
}

fn input_reason(task: &Task<'_>, machine: &Machine<'_>, stepped: &Stepped, cell: usize) -> String {
    let (object, _) = machine.objects.owner(cell);
    let part = super::named::part(machine, object);
    let is_found = stepped.found_inputs.contains(&cell);
    if stepped.raised_inputs.contains(&cell) {
        return "the step reads and clears it, and nothing else sets it".to_owned();
    }
    let text = match machine.objects.get(object).origin {
        Origin::Parameter(..) => "a parameter passed by value",
        Origin::Global(global) if !task.program.globals[global].is_defined => match part {
            Some(Part::Calibration) => {
                "calibration that no file defines; add the file that does (mostly ..._data.c), or fix it in the section [const]"
            }
            _ if task.program.globals[global].is_const => {
                "a constant that no file defines, so it may have another value in every step; add the file that defines it"
            }
            _ => "an extern variable that no file defines; define it to make it anything else",
        },
        _ if is_found && part == Some(Part::Events) && names::is_elapsed_time(&machine.cell_name(cell)) => {
            "the time since the last tick, which the step does not write"
        }
        _ if is_found && part == Some(Part::Inputs) => {
            "its name says that it is an input, and the step does not write it"
        }
        _ if is_found && part == Some(Part::Calibration) => {
            "calibration without values: bind the pointer to an object that has them in the section [bind], or fix it in [const]"
        }
        Origin::Global(_) if is_found && task.entry.driver.is_some() => {
            "the frame holds it, and it is zero in front of the first step, which does not write it"
        }
        _ if is_found => "neither initialisation nor the step writes it, and it has no initialiser",
        _ => "named by the configuration",
    };
    text.to_owned()
}

/// Functions with something unsupported of which the places are shown, after the first.
const MOST_PLACES: usize = 4;

/// Says which functions are not supported as a whole. None of them was executed, or there would
/// be no result.
pub(super) fn left_out(program: &Program) -> Option<Diagnostic> {
    let names: Vec<String> = program
        .unsupported
        .keys()
        .map(|&function| format!("`{}`", program.functions[function].name))
        .collect();
    let mut places = program.unsupported.values().filter_map(|errors| errors.first());
    let first = places.next()?;
    let message = format!("not supported as a whole, and therefore never executed: {}", names.join(", "));
    let mut notes = vec![(first.message.clone(), None)];
    notes.extend(places.take(MOST_PLACES).map(|error| (error.message.clone(), error.span)));
    Some(Diagnostic {
        severity: Severity::Warning,
        code: Code::LeftOut.into(),
        message,
        span: first.span,
        notes,
    })
}
