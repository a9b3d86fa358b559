//! Property functions, `chaincover_assume` and `chaincover_final`.

use super::{Draft, claims, observed, wording};
use crate::code::Code;
use crate::detect::walk;
use crate::exec::events::Events;
use crate::exec::initial_memory::Phase;
use crate::exec::object::ObjectId;
use crate::exec::place::Content;
use crate::exec::property::{PropertyRun, plain_local};
use crate::exec::state::State;
use crate::exec::{Frame, Machine, Outcome, is_assertion};
use crate::ir::types::Type;
use crate::ir::{FunctionId, LocalId};
use crate::translate::setup::Task;
use crate::translate::start::matching_parameter;
use frontend::source::Span;
use frontend::{Claim, Observed, RequirementKind, Unobservable, Written};
use model::sort::Sort;
use model::term::{SymbolId, Term, TermId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What a property function was found to say.
struct Said {
    run: PropertyRun,
    events: Events,
    /// The truth of its result, if it has one.
    result: Option<TermId>,
}

/// The goal that a property function states.
pub(crate) fn property_goal(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    function: FunctionId,
) -> Outcome<Draft> {
    let counted = run(task, machine, function, None)?.run.calls;
    let declaration = &task.program.functions[function];
    if counted == 0 {
        let draft = never(machine, declaration.name.clone(), declaration.span);
        return Ok(Draft { kind: property_kind(task, function, None), ..draft });
    }
    let Stated { said, known, antecedent, expectation, claims } = stated(task, machine, function, counted)?;
    let kind = property_kind(task, function, expectation);
    let parts = said_parts(machine, &said, &known, antecedent, declaration.span);
    let seen =
        kind.and_then(|_| observed(machine, |machine| observed_property(task, machine, function, counted)));
    Ok(Draft {
        name: declaration.name.clone(),
        requirement: None,
        text: None,
        span: Some(declaration.span),
        steps: counted,
        antecedent,
        expectation,
        parts,
        kind,
        claims,
        observed: seen.ok_or(Unobservable::Unknown),
        is_never: false,
    })
}

/// What a property function demands and claims.
struct Stated {
    said: Said,
    known: FxHashMap<SymbolId, TermId>,
    antecedent: TermId,
    expectation: Option<TermId>,
    claims: Vec<Claim>,
}

/// Evaluates a property function that calls the step so many times.
fn stated(task: &Task<'_>, machine: &mut Machine<'_>, function: FunctionId, counted: u32) -> Outcome<Stated> {
    let said = run(task, machine, function, Some(counted))?;
    let mut antecedent: Vec<TermId> = said.events.assumptions.iter().map(|site| site.condition).collect();
    antecedent.extend(said.run.conditions.iter().copied());
    let known = solve_equations(machine, &said.run, &mut antecedent);
    let antecedent = machine.system.terms.conjunction(antecedent);
    let antecedent = close(machine, antecedent, &known, &said.run, function)?;
    let mut claimed: Vec<TermId> = said.events.assertions.iter().map(|site| site.expectation).collect();
    let errors = said.events.covers.iter().filter(|site| site.is_error);
    claimed.extend(errors.map(|site| machine.system.terms.not(site.condition)));
    let expectation = match claimed.is_empty() {
        true => None,
        false => {
            let claimed = machine.system.terms.conjunction(claimed);
            Some(close(machine, claimed, &known, &said.run, function)?)
        }
    };
    let claims = property_claims(machine, &said, &known);
    Ok(Stated { said, known, antecedent, expectation, claims })
}

/// A property function over what memory holds between steps; `None` where it claims nothing.
fn observed_property(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    function: FunctionId,
    counted: u32,
) -> Outcome<Option<Observed>> {
    let Stated { antecedent, expectation, claims, .. } = stated(task, machine, function, counted)?;
    Ok(expectation.map(|expectation| Observed { antecedent, expectation, claims }))
}

/// A property is a requirement if it claims something, though its assumptions may keep it from
/// coming to that.
fn property_kind(
    task: &Task<'_>,
    function: FunctionId,
    expectation: Option<TermId>,
) -> Option<RequirementKind> {
    let asserts = |call: &walk::CallSite<'_>| is_assertion(&task.program.functions[call.callee]);
    let claims = expectation.is_some() || walk::calls(task.program, function).iter().any(asserts);
    claims.then_some(RequirementKind::Property)
}

/// What a property claims: its assertions, each at each time that it is reached, and that it calls
/// no error function.
fn property_claims(
    machine: &mut Machine<'_>,
    said: &Said,
    known: &FxHashMap<SymbolId, TermId>,
) -> Vec<Claim> {
    let mut found = Vec::new();
    for site in &said.events.assertions {
        let (text, place) = claims::written(machine, site.span);
        for (visit, read) in site.visits.iter().zip(&site.read) {
            let Some(expectation) = visit.expectation else { continue };
            let fails = machine.system.terms.not(expectation);
            let Some(fails) = closed(machine, fails, known, &said.run) else { continue };
            let (text, place) = (text.clone(), place.clone());
            let read =
                claims::readings(machine, read, |machine, term| closed(machine, term, known, &said.run));
            found.push(Claim { fails, text, place, read });
        }
    }
    for site in said.events.covers.iter().filter(|site| site.is_error) {
        if let Some(fails) = closed(machine, site.condition, known, &said.run) {
            found.extend(claims::of_error(machine, site, fails));
        }
    }
    found
}

/// A term in which inputs stand for what a property left open; `None` where something stays open.
fn closed(
    machine: &mut Machine<'_>,
    term: TermId,
    known: &FxHashMap<SymbolId, TermId>,
    run: &PropertyRun,
) -> Option<TermId> {
    let term = machine.substitute(term, |_, symbol| known.get(&symbol).copied());
    (!mentions(machine, term, &run.unknowns)).then_some(term)
}

/// The assumptions of a function one by one, where they are wanted; what else it demands is one
/// part.
fn said_parts(
    machine: &mut Machine<'_>,
    said: &Said,
    known: &FxHashMap<SymbolId, TermId>,
    whole: TermId,
    span: Span,
) -> Vec<Written> {
    if !machine.keep_wording {
        return Vec::new();
    }
    let mut parts = Vec::new();
    for site in &said.events.assumptions {
        let line = wording::line(machine, site.condition, site.span);
        match wording::argument(machine, site.span).filter(|_| !site.operands.is_empty()) {
            Some(text) => {
                parts.extend(wording::parts(site.condition, &site.operands, &text, line.place.as_ref()));
            }
            None => parts.push(line),
        }
    }
    let mut rest = said.run.conditions.clone();
    rest.extend(said.result);
    solve_equations(machine, &said.run, &mut rest);
    let rest = machine.system.terms.conjunction(rest);
    if machine.system.terms.as_const(rest).is_none_or(|value| !value.is_true()) {
        parts.push(wording::line(machine, rest, span));
    }
    let mut is_closed = true;
    for part in &mut parts {
        part.condition = machine.substitute(part.condition, |_, symbol| known.get(&symbol).copied());
        is_closed &= !mentions(machine, part.condition, &said.run.unknowns);
    }
    if is_closed { parts } else { vec![wording::line(machine, whole, span)] }
}

/// Whether a term speaks of one of the symbols.
fn mentions(machine: &Machine<'_>, term: TermId, symbols: &[SymbolId]) -> bool {
    let mut seen = BTreeSet::from([term]);
    let mut waiting = vec![term];
    while let Some(term) = waiting.pop() {
        let node = machine.system.terms.node(term);
        if matches!(node, Term::Symbol(symbol) if symbols.contains(&symbol)) {
            return true;
        }
        waiting.extend(node.operands().filter(|&operand| seen.insert(operand)));
    }
    false
}

/// The goal of a property whose assumptions rule out every path to the step (`__CPROVER_assume(0)`,
/// perhaps through a macro): one that no transition reaches, whatever the number of steps that
/// would have followed.
fn never(machine: &mut Machine<'_>, name: String, span: Span) -> Draft {
    let antecedent = machine.system.terms.truth(false);
    let parts = vec![wording::line(machine, antecedent, span)];
    Draft { parts, ..Draft::in_step(name, span, antecedent, None) }
}

/// What `chaincover_assume` or `chaincover_final` demands, and its parts where they are wanted.
pub(crate) fn condition_function(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    function: FunctionId,
) -> Outcome<(TermId, Vec<Written>)> {
    let said = run(task, machine, function, Some(0))?;
    let declaration = &task.program.functions[function];
    if said.run.calls > 0 {
        let message = format!("`{}` calls the step function", declaration.name);
        return Err(machine.fail_with(
            Code::StepInCondition,
            declaration.span,
            message,
            "it speaks about one state and the inputs read in it; a property function may call the step function",
        ));
    }
    let mut conditions: Vec<TermId> = said.events.assumptions.iter().map(|site| site.condition).collect();
    conditions.extend(said.result);
    let known = solve_equations(machine, &said.run, &mut conditions);
    let all = machine.system.terms.conjunction(conditions);
    let all = close(machine, all, &known, &said.run, function)?;
    let parts = said_parts(machine, &said, &known, all, declaration.span);
    Ok((all, parts))
}

/// Executes a property function from the state before a window.
fn run(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    function: FunctionId,
    total: Option<u32>,
) -> Outcome<Said> {
    let declaration = &task.program.functions[function];
    let body = declaration.body.as_ref().expect("a property should have a body");
    let events = std::mem::take(&mut machine.events);
    let were_off = std::mem::replace(&mut machine.hazards.is_off, true);
    machine.initial_memory.phase = Phase::Step { frame: 0 };
    machine.property = Some(PropertyRun {
        name: declaration.name.clone(),
        function: Some(function),
        unknowns: Vec::new(),
        calls: 0,
        total,
        equations: Vec::new(),
        conditions: Vec::new(),
        inputs: Vec::new(),
    });
    let mut frame = machine.frame(function, 0)?;
    let mut state = machine.blank();
    bind_parameters(task, machine, function, &frame, &mut state)?;
    let path = state.path;
    let end = machine.property_body(&mut frame, state, body)?;
    let result = match (end, frame.result) {
        (Some(end), Some(object)) => {
            Some(truth_of_result(machine, &State { path, ..end }, object, declaration.result)?)
        }
        _ => None,
    };
    let run = machine.property.take().expect("the property should still be running");
    let events = std::mem::replace(&mut machine.events, events);
    machine.hazards.is_off = were_off;
    machine.initial_memory.phase = Phase::Step { frame: 0 };
    Ok(Said { run, events, result })
}

fn truth_of_result(
    machine: &mut Machine<'_>,
    state: &State,
    object: ObjectId,
    ty: crate::ir::types::TypeId,
) -> Outcome<TermId> {
    let span = machine.program.functions.values().next().map(|function| function.span);
    let span = span.expect("a program with a property should have a function");
    let target = machine.whole(object);
    let content = machine.load_targets(state, &[target], ty, None, span)?;
    match content {
        Content::Scalar(value) if matches!(machine.system.terms.sort(value), Sort::Word(_)) => {
            Ok(machine.system.terms.is_nonzero(value))
        }
        _ => Ok(machine.system.terms.truth(true)),
    }
}

/// Gives the parameters of a property their meaning: objects and inputs of the step.
fn bind_parameters(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    function: FunctionId,
    frame: &Frame,
    state: &mut State,
) -> Outcome<()> {
    let declaration = &task.program.functions[function];
    for &local in &declaration.parameters {
        let parameter = &declaration.locals[local];
        let is_pointer = matches!(machine.layouts.type_of(parameter.ty), Type::Pointer(_));
        let known = match passed_to(task, function, local) {
            Some(known) => Some(known),
            None => matching_parameter(task, &parameter.name, parameter.ty).ok().flatten(),
        };
        match known {
            Some((step, index)) if is_pointer => {
                let source = machine.parameter(step, index, parameter.span)?;
                let (source, target) = (machine.whole(source), machine.whole(frame.locals[local]));
                let content = machine.load_targets(state, &[source], parameter.ty, None, parameter.span)?;
                machine.store_targets(state, &[target], parameter.ty, None, &content, parameter.span)?;
            }
            Some((step, index)) => {
                let property = machine.property.as_mut().expect("the property should still be running");
                property.inputs.push((local, step, index));
            }
            None => {
                let content = machine.unknown_content(parameter.ty, &parameter.name, None, parameter.span)?;
                let target = machine.whole(frame.locals[local]);
                machine.store_targets(state, &[target], parameter.ty, None, &content, parameter.span)?;
            }
        }
    }
    machine.show_inputs(frame, state, declaration.span)
}

/// The parameter of the step function that gets a property's parameter unchanged.
fn passed_to(task: &Task<'_>, function: FunctionId, local: LocalId) -> Option<(FunctionId, usize)> {
    let steps: BTreeSet<FunctionId> = task.entry.steps.iter().map(|step| step.function).collect();
    walk::calls(task.program, function).into_iter().find_map(|call| {
        let position = call.arguments.iter().position(|argument| plain_local(argument) == Some(local))?;
        steps.contains(&call.callee).then_some((call.callee, position))
    })
}

/// Uses equations of an argument that nothing else fixes with an input; all others become
/// conditions.
fn solve_equations(
    machine: &mut Machine<'_>,
    run: &PropertyRun,
    conditions: &mut Vec<TermId>,
) -> FxHashMap<SymbolId, TermId> {
    let mut known: FxHashMap<SymbolId, TermId> = FxHashMap::default();
    for &(input, value) in &run.equations {
        match machine.system.terms.node(value) {
            Term::Symbol(symbol) if run.unknowns.contains(&symbol) && !known.contains_key(&symbol) => {
                known.insert(symbol, input);
            }
            _ => {
                let condition = machine.equal_bits(input, value);
                conditions.push(condition);
            }
        }
    }
    known
}

/// Replaces what a property left open by the inputs that stand for it; nothing may remain open.
fn close(
    machine: &mut Machine<'_>,
    term: TermId,
    known: &FxHashMap<SymbolId, TermId>,
    run: &PropertyRun,
    function: FunctionId,
) -> Outcome<TermId> {
    if run.unknowns.is_empty() {
        return Ok(term);
    }
    let mut open = None;
    let closed = machine.substitute(term, |_, symbol| match known.get(&symbol) {
        Some(&term) => Some(term),
        None => {
            if run.unknowns.contains(&symbol) {
                open = Some(symbol);
            }
            None
        }
    });
    match open {
        None => Ok(closed),
        Some(symbol) => {
            let name = machine.system.terms.symbol(symbol).name.clone();
            let span = machine.program.functions[function].span;
            Err(machine.fail_with(
                Code::FreeValue,
                span,
                format!("nothing fixes the value of `{name}`"),
                "pass it to the step function, or use the parameters of the step function and variables of the model",
            ))
        }
    }
}
