//! The objects of a model before initialisation.

use super::kept::kept_locals;
use crate::code::Code;
use crate::detect::{Entry, walk};
use crate::exec::layout::Kind;
use crate::exec::object::{ObjectId, Origin};
use crate::exec::place::{Content, Target};
use crate::exec::{Frame, Machine, Meaning, Outcome, Stop, format_position, is_nondet, meaning};
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::StmtKind;
use crate::ir::types::{Type, TypeId};
use crate::ir::{CALLED, Condition, Function, FunctionId, Program, parameter_name};
use frontend::Topic;
use frontend::source::Span;
use frontend::{Finding, Request, TextRole};
use model::id::IdVec;
use model::term::TermId;

/// A pointer that needs an object: the object and cell it is, and the type it points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// The object that holds the pointer.
    pub(crate) holder: Origin,
    /// The pointer's cell in it.
    pub(crate) cell: usize,
    /// The pointed-to type.
    pub(crate) pointee: TypeId,
}

/// What stays the same over all attempts to translate.
pub(crate) struct Task<'p> {
    /// The program.
    pub(crate) program: &'p Program,
    /// The request.
    pub(crate) request: &'p Request,
    /// Its parts.
    pub(crate) entry: &'p Entry,
    /// Roles of the program's conditions.
    pub(crate) roles: Vec<TextRole>,
}

impl<'p> Task<'p> {
    /// The lowered expression of the given role.
    pub(crate) fn condition(&self, role: TextRole) -> Option<(usize, &'p Condition)> {
        let index = self.roles.iter().position(|&other| other == role)?;
        self.program.conditions.get(index)?.as_ref().map(|condition| (index, condition))
    }
}

/// Makes all objects that exist before initialisation.
pub(crate) fn set_up<'p>(
    task: &Task<'p>,
    machine: &mut Machine<'p>,
    wanted: &[Wanted],
    findings: &mut Vec<Finding>,
) -> Outcome<()> {
    machine.make_globals()?;
    for scheduled in &task.entry.steps {
        make_parameters(task, machine, scheduled.function, findings)?;
    }
    make_passed(task, machine)?;
    if let Some(driver) = task.entry.driver {
        machine.frame(driver.function, 0)?;
        if driver.start != driver.function {
            machine.frame(driver.start, 0)?;
        }
        for (function, local) in kept_locals(task.program, driver) {
            let Some(object) = machine.objects.find(&Origin::Local(function, Some(local), 0)) else {
                continue;
            };
            let object = machine.objects.get_mut(object);
            object.is_persistent = true;
            if function != driver.function {
                object.name = format!("{}::{}", task.program.functions[function].name, object.name);
            }
        }
    }
    super::start::make_init_pointees(task, machine)?;
    for request in wanted {
        make_pointee(machine, request, findings)?;
    }
    bind(task, machine, findings)?;
    fix_constants(task, machine, findings)
}

/// Makes an object for each parameter of a step function, and one behind each pointer.
fn make_parameters<'p>(
    task: &Task<'p>,
    machine: &mut Machine<'p>,
    function: FunctionId,
    findings: &mut Vec<Finding>,
) -> Outcome<()> {
    let declaration = &task.program.functions[function];
    for (index, &local) in declaration.parameters.iter().enumerate() {
        let parameter = &declaration.locals[local];
        let name = format!("{}.{}", declaration.name, parameter.name);
        let origin = Origin::Parameter(function, index);
        let object = add(machine, origin, name.clone(), parameter.ty, parameter.span)?;
        if let Type::Pointer(pointee) = *machine.layouts.type_of(parameter.ty) {
            let target = match earlier_pointee(task, machine, function, index) {
                Some(known) => Some(known),
                None if machine.layouts.size(pointee).is_some() => {
                    let origin = Origin::Pointee(format!("{name}->"));
                    // Elements of an array are named by indexing the pointer.
                    let (name, ty) = match parameter.array {
                        Some(array) => (name.clone(), array),
                        None => (format!("{name}->"), pointee),
                    };
                    Some(add(machine, origin, name, ty, parameter.span)?)
                }
                None => None,
            };
            match target {
                Some(target) => {
                    point(machine, object, 0, target);
                    machine.objects.get_mut(target).is_volatile |= parameter.points_to_volatile;
                }
                None => findings.push(Finding {
                    topic: Topic::Binding,
                    subject: name,
                    reason: "it points to nothing, since the type behind it is not complete".to_owned(),
                }),
            }
        }
    }
    if machine.layouts.size(declaration.result).is_some() && gives_result(declaration) {
        let name = format!("{}.return", declaration.name);
        add(machine, Origin::Returned(function), name, declaration.result, declaration.span)?;
    }
    Ok(())
}

/// Whether a step function has a result that somebody may look at: one that only ever ends without
/// `return` has none.
fn gives_result(function: &Function) -> bool {
    let mut returns = false;
    walk::visit(function.body.as_deref().unwrap_or(&[]), &mut |stmt| {
        returns |= matches!(stmt.kind, StmtKind::Return(Some(_)));
    });
    returns || function.is_result_used
}

/// Most objects named that an unset pointer may be meant to point to.
const MOST_CANDIDATES: usize = 4;

/// Makes an object for every number that is passed to a function that no file defines, and one that
/// tells whether it was called.
fn make_passed(task: &Task<'_>, machine: &mut Machine<'_>) -> Outcome<()> {
    for function in walk::outside_functions(task.program) {
        let declaration = &task.program.functions[function];
        let only_reads = is_nondet(declaration) || format_position(&declaration.name).is_some();
        if meaning(declaration) != Meaning::Ordinary || only_reads {
            continue;
        }
        for (index, &local) in declaration.parameters.iter().enumerate() {
            let parameter = &declaration.locals[local];
            let is_number =
                machine.layouts.scalar(parameter.ty, None).is_some_and(|scalar| scalar.kind != Kind::Pointer);
            if is_number {
                let name = format!("{}.{}", declaration.name, parameter_name(&parameter.name, index));
                add(machine, Origin::Passed(function, Some(index)), name, parameter.ty, parameter.span)?;
            }
        }
        if let Some(ty) = task.program.types.boolean() {
            let name = format!("{}.{CALLED}", declaration.name);
            add(machine, Origin::Passed(function, None), name, ty, declaration.span)?;
        }
    }
    Ok(())
}

/// The object behind the parameter of the same name and type of an earlier step function.
fn earlier_pointee(
    task: &Task<'_>,
    machine: &Machine<'_>,
    function: FunctionId,
    index: usize,
) -> Option<ObjectId> {
    let declaration = &task.program.functions[function];
    let parameter = &declaration.locals[declaration.parameters[index]];
    let earlier = task.entry.steps.iter().map(|step| step.function).take_while(|&other| other != function);
    earlier.into_iter().find_map(|other| {
        let other = &task.program.functions[other];
        let same = other.parameters.iter().map(|&local| &other.locals[local]);
        let same = same.into_iter().find(|local| local.name == parameter.name && local.ty == parameter.ty)?;
        machine.objects.find(&Origin::Pointee(format!("{}.{}->", other.name, same.name)))
    })
}

pub(crate) fn add(
    machine: &mut Machine<'_>,
    origin: Origin,
    name: String,
    ty: TypeId,
    span: Span,
) -> Outcome<ObjectId> {
    let added = machine.objects.add(&mut machine.layouts, origin, name, ty);
    added.map_err(|why| machine.no_layout(why, ty, span))
}

/// Lets a pointer cell point to an object from the beginning.
pub(crate) fn point(machine: &mut Machine<'_>, holder: ObjectId, cell: usize, target: ObjectId) {
    let first = machine.objects.get(holder).first;
    let pointer = machine.pointer_to(target, 0);
    machine.initial_memory.initial.insert(first + cell, pointer);
    machine.initial_memory.overrides.insert(first + cell);
}

/// Notes that an object is made for pointers to `volatile`, where the code declares such pointers
/// to its type.
fn mark_volatile(machine: &mut Machine<'_>, object: ObjectId, pointee: TypeId) {
    let is_volatile = machine.program.types.behind_volatile.contains(&pointee);
    machine.objects.get_mut(object).is_volatile = is_volatile;
}

fn make_pointee(machine: &mut Machine<'_>, wanted: &Wanted, findings: &mut Vec<Finding>) -> Outcome<()> {
    let holder = machine.objects.find(&wanted.holder);
    let holder = holder.expect("the holder of a pointer should be made before what it points to");
    let lvalue = machine.cell_name(machine.objects.get(holder).first + wanted.cell);
    let name = format!("{lvalue}->");
    let origin = Origin::Pointee(name.clone());
    let layout = machine.objects.add(&mut machine.layouts, origin, name, wanted.pointee);
    let object = layout.map_err(|_| Stop::Failed)?;
    point(machine, holder, wanted.cell, object);
    mark_volatile(machine, object, wanted.pointee);
    let candidates = initialised_objects(machine, wanted.pointee);
    let hint = match candidates.as_slice() {
        [] => String::new(),
        [first, ..] => format!(
            "; of its type the code has {}: `\"{lvalue}\" = \"&{first}\"` in the section [bind] binds it",
            candidates.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        ),
    };
    let reason =
        format!("it is used as a pointer, but nothing gives it a value: it points to a new object{hint}");
    findings.push(Finding { topic: Topic::Binding, subject: lvalue, reason });
    Ok(())
}

/// Names of objects of a type that have an initialiser: a pointer that nothing sets may be meant to
/// point to one.
fn initialised_objects(machine: &Machine<'_>, ty: TypeId) -> Vec<String> {
    let globals = machine.program.globals.iter();
    let fitting = globals
        .filter(|(_, global)| global.ty == ty && global.function.is_none() && !global.initialiser.is_empty());
    fitting.take(MOST_CANDIDATES).map(|(id, _)| machine.global_name(id)).collect()
}

/// Binds pointers as the request says.
fn bind<'p>(task: &Task<'p>, machine: &mut Machine<'p>, findings: &mut Vec<Finding>) -> Outcome<()> {
    for (index, (pointer, target)) in task.request.bind.iter().enumerate() {
        let Some((number, place)) = task.condition(TextRole::BindPointer(index)) else { continue };
        let (holder, cell) = constant_cell(machine, number, place)?;
        let value = match task.condition(TextRole::BindTarget(index)) {
            Some((number, condition)) => constant(machine, number, condition)?,
            None => {
                let Type::Pointer(pointee) = *machine.layouts.type_of(place.value.ty) else {
                    let message = format!("`{pointer}` is no pointer");
                    return Err(machine.fail(Code::BadBind, place.value.span, message));
                };
                let name = format!("{pointer}->");
                let object = add(machine, Origin::Pointee(name.clone()), name, pointee, place.value.span)?;
                mark_volatile(machine, object, pointee);
                machine.pointer_to(object, 0)
            }
        };
        let first = machine.objects.get(holder).first;
        machine.initial_memory.initial.insert(first + cell, value);
        machine.initial_memory.overrides.insert(first + cell);
        findings.push(Finding {
            topic: Topic::Binding,
            subject: pointer.clone(),
            reason: format!("bound to `{target}` by the configuration"),
        });
    }
    Ok(())
}

fn fix_constants<'p>(task: &Task<'p>, machine: &mut Machine<'p>, findings: &mut Vec<Finding>) -> Outcome<()> {
    for (index, (lvalue, text)) in task.request.constants.iter().enumerate() {
        let (Some((number, place)), Some((other, value))) =
            (task.condition(TextRole::ConstantPlace(index)), task.condition(TextRole::ConstantValue(index)))
        else {
            continue;
        };
        let ExprKind::Load(target) = &place.value.kind else {
            return Err(machine.fail(Code::NoLvalue, place.value.span, format!("`{lvalue}` is no lvalue")));
        };
        let (holder, _) = constant_cell(machine, number, place)?;
        let frame = condition_frame(machine, other, value)?;
        let converted = Expr {
            kind: ExprKind::Convert(Box::new(value.value.clone())),
            ty: target.ty,
            span: value.value.span,
        };
        let blank = machine.blank();
        let term = machine.evaluate(&frame, &blank, &converted)?;
        if machine.system.terms.as_const(term).is_none() {
            return Err(machine.fail(Code::NoConstant, value.value.span, format!("`{text}` is no constant")));
        }
        let was_const = std::mem::replace(&mut machine.objects.get_mut(holder).is_const, false);
        let frame = condition_frame(machine, number, place)?;
        let mut state = machine.blank();
        machine.store(&frame, &mut state, target, &Content::Scalar(term))?;
        machine.objects.get_mut(holder).is_const = was_const;
        for (cell, value) in state.memory.values.entries() {
            machine.initial_memory.initial.insert(cell, value);
            machine.initial_memory.overrides.insert(cell);
        }
        findings.push(Finding {
            topic: Topic::Constant,
            subject: lvalue.clone(),
            reason: format!("fixed to `{text}` by the configuration"),
        });
    }
    Ok(())
}

/// A frame for a condition: its temporaries.
pub(crate) fn condition_frame(
    machine: &mut Machine<'_>,
    index: usize,
    condition: &Condition,
) -> Outcome<Frame> {
    let mut objects = IdVec::new();
    for (local, variable) in condition.locals.iter() {
        let origin = Origin::ConditionLocal(index, local);
        objects.push(add(machine, origin, variable.name.clone(), variable.ty, variable.span)?);
    }
    Ok(Frame { locals: objects, ..Frame::outside() })
}

/// The value of a condition that is a constant.
pub(crate) fn constant(machine: &mut Machine<'_>, index: usize, condition: &Condition) -> Outcome<TermId> {
    let frame = condition_frame(machine, index, condition)?;
    let state = machine.blank();
    let value = machine.evaluate(&frame, &state, &condition.value)?;
    match machine.system.terms.as_const(value) {
        Some(_) => Ok(value),
        None => Err(machine.fail(
            Code::NoConstant,
            condition.value.span,
            format!("`{}` is no constant", condition.text),
        )),
    }
}

/// What an lvalue of the request designates; its indices must be constants.
pub(crate) fn designated(machine: &mut Machine<'_>, index: usize, condition: &Condition) -> Outcome<Target> {
    let ExprKind::Load(place) = &condition.value.kind else {
        let message = format!("`{}` is no lvalue", condition.text);
        return Err(machine.fail(Code::NoLvalue, condition.value.span, message));
    };
    let frame = condition_frame(machine, index, condition)?;
    let state = machine.blank();
    let targets = machine.locate(&frame, &state, place)?;
    match targets.as_slice() {
        [target] if target.indices.is_empty() => Ok(target.clone()),
        _ => {
            let message = format!("`{}` does not designate one object", condition.text);
            Err(machine.fail(Code::NoLvalue, condition.value.span, message))
        }
    }
}

/// The object and cell that an lvalue designates.
fn constant_cell(
    machine: &mut Machine<'_>,
    index: usize,
    condition: &Condition,
) -> Outcome<(ObjectId, usize)> {
    let target = designated(machine, index, condition)?;
    let cell = machine.objects.get(target.object).layout.first_behind(target.bit);
    Ok((target.object, cell))
}

/// The cells that an lvalue designates.
pub(crate) fn designated_cells(
    machine: &mut Machine<'_>,
    index: usize,
    condition: &Condition,
) -> Outcome<Vec<usize>> {
    let target = designated(machine, index, condition)?;
    let object = machine.objects.get(target.object);
    let bits = match crate::exec::place::bit_field_of(&condition.value) {
        Some(bits) => u64::from(bits.width),
        None => machine.layouts.size(condition.value.ty).unwrap_or(0) * 8,
    };
    let first = object.layout.first_behind(target.bit);
    let end = target.bit + bits;
    let cells = object.layout.cells.iter().enumerate().skip(first).take_while(|(_, cell)| cell.bit < end);
    Ok(cells.map(|(cell, _)| object.first + cell).collect())
}
