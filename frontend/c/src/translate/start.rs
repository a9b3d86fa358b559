//! Running initialisation: with which arguments, and what it leaves behind.

use super::setup::{Task, designated_cells};
use crate::code::Code;
use crate::detect::DriverLoop;
use crate::exec::events::Events;
use crate::exec::hazard::HazardSite;
use crate::exec::initial_memory::Phase;
use crate::exec::object::{ObjectId, Origin};
use crate::exec::place::Content;
use crate::exec::state::{Memory, State};
use crate::exec::{Driver, Machine, Outcome};
use crate::ir::types::{Type, TypeId};
use crate::ir::{FunctionId, LocalId};
use frontend::source::Span;
use frontend::{Finding, TextRole, Topic};
use model::term::TermId;

/// What initialisation was found to do.
#[derive(Clone, Default)]
pub(crate) struct Initialised {
    /// Conditions on initial inputs.
    pub(crate) assumptions: Vec<(TermId, Option<Span>)>,
    /// Undefined operations on the way.
    pub(crate) hazards: Vec<HazardSite>,
    /// What else was met.
    pub(crate) events: Events,
    /// The function that was called, with its arguments.
    pub(crate) start: Option<(FunctionId, Vec<Content>)>,
}

/// Runs initialisation; afterwards the machine stands before the first step.
pub(crate) fn initialise(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    findings: &mut Vec<Finding>,
) -> Outcome<Initialised> {
    let state = machine.blank();
    let mut start = None;
    let end = match (task.entry.driver, task.entry.init) {
        (Some(driver), _) => {
            let arguments = driver_arguments(machine, driver)?;
            let end = run_to_loop(machine, driver, &arguments, state)?;
            start = Some((driver.start, arguments));
            end
        }
        (None, Some(init)) => {
            let arguments = init_arguments(task, machine, init, findings)?;
            let span = task.program.functions[init].span;
            let end = machine.inline(state, init, &arguments, span)?.0;
            start = Some((init, arguments));
            end
        }
        (None, None) => Some(state),
    };
    let Some(end) = end else {
        let function = task.entry.driver.map(|driver| driver.start).or(task.entry.init);
        let span = function.map(|function| task.program.functions[function].span);
        machine.diagnostics.error(Code::NoStart, span, "initialisation never ends, so no step is ever taken");
        return Err(crate::exec::Stop::Failed);
    };
    let mut end = end;
    machine.bury_all(&mut end);
    let mut memory = end.memory;
    for (cell, _) in memory.values.entries() {
        let (object, _) = machine.objects.owner(cell);
        if !machine.objects.get(object).is_persistent {
            memory.clear(cell);
        }
    }
    tell_lost_constants(task, machine, &memory)?;
    machine.initial_memory.start = memory;
    let events = std::mem::take(&mut machine.events);
    let mut assumptions: Vec<_> =
        events.assumptions.iter().map(|site| (site.condition, Some(site.span))).collect();
    let path = machine.paths.conjunction(end.path);
    if machine.system.terms.as_const(path).is_none() {
        assumptions.push((path, None));
    }
    let hazards = std::mem::take(&mut machine.hazards).sites;
    machine.initial_memory.phase = Phase::Step { frame: 0 };
    Ok(Initialised { assumptions, hazards, events, start })
}

/// Warns of constants of the configuration that initialisation overwrites: generated code clears
/// whole structs.
fn tell_lost_constants(task: &Task<'_>, machine: &mut Machine<'_>, left: &Memory) -> Outcome<()> {
    for (index, (lvalue, text)) in task.request.constants.iter().enumerate() {
        let Some((number, place)) = task.condition(TextRole::ConstantPlace(index)) else { continue };
        let is_lost = designated_cells(machine, number, place)?.into_iter().any(|cell| {
            let value = left.values.get(cell);
            value.is_some_and(|value| machine.initial_memory.initial.get(&cell) != Some(&value))
        });
        if is_lost {
            let message = format!(
                "initialisation stores something else where `{lvalue}` is fixed to `{text}`: that is lost"
            );
            let advice = "list it under `inputs`, with a range of this one value: then each step has it";
            machine.diagnostics.warning(Code::LostConstant, Some(place.value.span), message).advice(advice);
        }
    }
    Ok(())
}

fn driver_arguments(machine: &mut Machine<'_>, driver: DriverLoop) -> Outcome<Vec<Content>> {
    let declaration = &machine.program.functions[driver.start];
    let mut arguments = Vec::new();
    for &local in &declaration.parameters {
        let parameter = &declaration.locals[local];
        let is_pointer = matches!(machine.layouts.type_of(parameter.ty), Type::Pointer(_));
        arguments.push(if is_pointer {
            Content::Scalar(machine.system.terms.word(crate::exec::layout::POINTER_WIDTH, 0))
        } else {
            machine.unknown_content(parameter.ty, &parameter.name, None, parameter.span)?
        });
    }
    Ok(arguments)
}

fn run_to_loop(
    machine: &mut Machine<'_>,
    driver: DriverLoop,
    arguments: &[Content],
    state: State,
) -> Outcome<Option<State>> {
    let span = machine.program.functions[driver.start].span;
    machine.driver = Some(Driver { function: driver.function, span: driver.span, reached: Vec::new() });
    machine.inline(state, driver.start, arguments, span)?;
    let reached = machine.driver.take().map_or_else(Vec::new, |driver| driver.reached);
    Ok(machine.join(reached))
}

/// Arguments for the initialisation function: the objects behind the step's parameters.
fn init_arguments(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    init: FunctionId,
    findings: &mut Vec<Finding>,
) -> Outcome<Vec<Content>> {
    let declaration = &task.program.functions[init];
    let mut arguments = Vec::new();
    for &local in &declaration.parameters {
        let parameter = &declaration.locals[local];
        let Type::Pointer(pointee) = *machine.layouts.type_of(parameter.ty) else {
            findings.push(Finding {
                topic: Topic::Init,
                subject: format!("{}.{}", declaration.name, parameter.name),
                reason: "a parameter of initialisation may have any value".to_owned(),
            });
            arguments.push(machine.unknown_content(parameter.ty, &parameter.name, None, parameter.span)?);
            continue;
        };
        let value = match init_parameter(task, machine, init, local)? {
            Some((function, index)) => {
                let object = machine.parameter(function, index, parameter.span)?;
                let first = machine.objects.get(object).first;
                machine.start_value(first)
            }
            None => {
                let object = init_pointee(machine, init, local, pointee)?;
                machine.pointer_to(object, 0)
            }
        };
        arguments.push(Content::Scalar(value));
    }
    Ok(arguments)
}

/// Makes the objects that pointer parameters of initialisation point to where no step function has
/// a parameter like them.
pub(crate) fn make_init_pointees(task: &Task<'_>, machine: &mut Machine<'_>) -> Outcome<()> {
    let Some(init) = task.entry.init.filter(|_| task.entry.driver.is_none()) else { return Ok(()) };
    let declaration = &task.program.functions[init];
    for (index, &local) in declaration.parameters.iter().enumerate() {
        let parameter = &declaration.locals[local];
        if let Type::Pointer(pointee) = *machine.layouts.type_of(parameter.ty)
            && init_parameter(task, machine, init, local)?.is_none()
        {
            let target = init_pointee(machine, init, local, pointee)?;
            // Expressions of a configuration reach it through the parameter.
            let name = format!("{}.{}", declaration.name, parameter.name);
            let origin = Origin::Parameter(init, index);
            let holder = super::setup::add(machine, origin, name, parameter.ty, parameter.span)?;
            super::setup::point(machine, holder, 0, target);
        }
    }
    Ok(())
}

fn init_pointee(
    machine: &mut Machine<'_>,
    init: FunctionId,
    local: LocalId,
    pointee: TypeId,
) -> Outcome<ObjectId> {
    let declaration = &machine.program.functions[init];
    let name = format!("{}.{}->", declaration.name, declaration.locals[local].name);
    let (span, ty) = (declaration.locals[local].span, declaration.locals[local].array.unwrap_or(pointee));
    super::setup::add(machine, Origin::Pointee(name.clone()), name, ty, span)
}

/// The parameter of a step function that a parameter of initialisation stands for.
fn init_parameter(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    init: FunctionId,
    local: LocalId,
) -> Outcome<Option<(FunctionId, usize)>> {
    let declaration = &task.program.functions[init];
    let parameter = &declaration.locals[local];
    init_match(task, init, local).map_err(|candidates| {
        machine.fail_with(
            Code::AmbiguousInit,
            parameter.span,
            format!("`{}.{}` may be any of {}", declaration.name, parameter.name, candidates.join(", ")),
            "say which one in the section [bind]",
        )
    })
}

/// The parameter of a step function that a parameter of initialisation stands for: of the same type
/// and name, else the only one of the same type. Where others of that type go by their names, one
/// without a namesake is an object of its own: it initialises what the step gets by value.
fn init_match(
    task: &Task<'_>,
    init: FunctionId,
    local: LocalId,
) -> Result<Option<(FunctionId, usize)>, Vec<String>> {
    let parameters = &task.program.functions[init];
    let variable = |local: LocalId| (&*parameters.locals[local].name, parameters.locals[local].ty);
    let (name, ty) = variable(local);
    if parameter_named(task, name, ty).is_none() {
        let alike = parameters.parameters.iter().map(|&other| variable(other));
        if alike
            .filter(|&(_, other)| other == ty)
            .any(|(other, ty)| parameter_named(task, other, ty).is_some())
        {
            return Ok(None);
        }
    }
    matching_parameter(task, name, ty)
}

/// The parameter of a step function of a type and name.
fn parameter_named(task: &Task<'_>, name: &str, ty: TypeId) -> Option<(FunctionId, usize)> {
    task.entry.steps.iter().find_map(|scheduled| {
        let step = &task.program.functions[scheduled.function];
        let is_it = |&local: &LocalId| step.locals[local].ty == ty && step.locals[local].name == name;
        Some((scheduled.function, step.parameters.iter().position(is_it)?))
    })
}

/// The parameter of a step function of the same type and name, else the only one of the same type.
pub(crate) fn matching_parameter(
    task: &Task<'_>,
    name: &str,
    ty: TypeId,
) -> Result<Option<(FunctionId, usize)>, Vec<String>> {
    if let Some(named) = parameter_named(task, name, ty) {
        return Ok(Some(named));
    }
    let mut same_type = Vec::new();
    for scheduled in &task.entry.steps {
        let step = &task.program.functions[scheduled.function];
        for (index, &local) in step.parameters.iter().enumerate() {
            let parameter = &step.locals[local];
            if parameter.ty == ty {
                let is_known =
                    same_type.iter().any(|(_, _, known): &(_, _, String)| *known == parameter.name);
                if !is_known {
                    same_type.push((scheduled.function, index, parameter.name.clone()));
                }
            }
        }
    }
    match same_type.as_slice() {
        [] => Ok(None),
        [(function, index, _)] => Ok(Some((*function, *index))),
        _ => Err(same_type.into_iter().map(|(.., name)| format!("`{name}`")).collect()),
    }
}
