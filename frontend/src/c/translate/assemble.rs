//! From a finished execution to the transition system and its signals.

use super::named::Part;
use super::setup::Task;
use super::start::Initialised;
use super::step::Stepped;
use super::whole;
use crate::c::detect::names;
use crate::c::exec::layout::Kind;
use crate::c::exec::object::Origin;
use crate::c::exec::world::Role;
use crate::c::exec::{Machine, Outcome, Stop};
use crate::c::goals::{self, Draft, Limit, wording};
use crate::c::harness::blueprint::{self, Blueprint};
use crate::c::ir::CALLED;
use crate::c::ir::types::{Type, TypeId};
use crate::c::libm;
use crate::c::request::{
    Decision, Finding, InputOption, InputSignal, Signal, SignalKind, Signals, Size, TextRole, Written,
};
use crate::source::Span;
use model::id::IdVec;
use model::system::{
    Assumption, Goal, GoalId, Hazard, InputId, Invariant, OriginId, Output, State as StateWord, StateId,
    TransitionSystem,
};
use model::term::TermId;
use std::collections::{BTreeMap, BTreeSet};

/// A system with everything that leads back to the source.
pub(crate) struct Assembled {
    /// The system.
    pub(crate) system: TransitionSystem,
    /// Its words as the user knows them.
    pub(crate) signals: Signals,
    /// Places that origins stand for.
    pub(crate) origins: IdVec<OriginId, Span>,
    /// Sizes.
    pub(crate) size: Size,
    /// What a replay needs.
    pub(crate) blueprint: Blueprint,
    /// Calls of functions of math.h that are not defined exactly.
    pub(crate) libm: Vec<libm::Call>,
    /// Conditions as they were written.
    pub(crate) wording: Wording,
    /// Lvalues that designate the inputs that are memory.
    pub(crate) inputs: Vec<String>,
    /// Lvalues that designate the outputs.
    pub(crate) outputs: Vec<String>,
}

/// Conditions as they were written; empty unless the request wants them.
#[derive(Default)]
pub(crate) struct Wording {
    /// Of goals.
    pub(crate) goals: IdVec<GoalId, Vec<Written>>,
    /// On every step.
    pub(crate) assumptions: Vec<Written>,
    /// What the code of the step branches on.
    pub(crate) decisions: Vec<Decision>,
}

/// Everything that is asked of the system.
#[derive(Default)]
pub(crate) struct Asked {
    /// Goals.
    pub(crate) goals: Vec<Draft>,
    /// Conditions on every step.
    pub(crate) assumptions: Vec<(TermId, Option<Span>)>,
    /// Claims about states.
    pub(crate) invariants: Vec<(TermId, String)>,
    /// Where chains end.
    pub(crate) end: Option<TermId>,
    /// The conditions on every step as they were written.
    pub(crate) assumed: Vec<Written>,
    /// What the types of inputs tell of their values.
    pub(crate) meant: BTreeMap<InputId, &'static str>,
}

/// Collects goals, assumptions and claims.
pub(crate) fn ask(task: &Task<'_>, machine: &mut Machine<'_>, stepped: &Stepped) -> Outcome<Asked> {
    let mut asked = Asked::default();
    for site in &stepped.events.assumptions {
        asked.assumptions.push((site.condition, Some(site.span)));
        asked.assumed.push(wording::line(machine, site.condition, site.span));
    }
    if let Some(ended) = stepped.ended {
        let condition = still_running(machine, ended);
        asked.assumptions.push((condition, None));
        asked.assumed.push(Written { condition, text: "the program has not ended".to_owned(), place: None });
    }
    machine.forget_values();
    for &property in &task.entry.properties {
        asked.goals.push(goals::property_goal(task, machine, property)?);
    }
    asked.goals.extend(goals::goals_in_step(machine, &stepped.events));
    asked.goals.extend(goals::configured_goals(task, machine)?);
    if let Some(function) = task.entry.assume {
        let (condition, parts) = goals::condition_function(task, machine, function)?;
        asked.assumptions.push((condition, Some(task.program.functions[function].span)));
        asked.assumed.extend(parts);
    }
    let (configured, parts) = goals::configured_assumptions(task, machine)?;
    asked.assumed.extend(parts);
    asked.assumptions.extend(configured.into_iter().map(|condition| (condition, None)));
    for Limit { input, condition, text, place, by_type } in goals::input_limits(task, machine)? {
        asked.assumptions.push((condition, None));
        asked.assumed.push(Written { condition, text, place });
        asked.meant.extend(by_type.map(|values| (input, values)));
    }
    asked.invariants = goals::configured_invariants(task, machine)?;
    asked.end = goals::configured_end(task, machine)?;
    if let (None, Some(function)) = (asked.end, task.entry.end) {
        let (end, _) = goals::condition_function(task, machine, function)?;
        let span = task.program.functions[function].span;
        goals::must_not_read_inputs(machine, end, "`chaincover_final`", Some(span))?;
        asked.end = Some(end);
    }
    check_goals(machine, &asked.goals)?;
    for &(fact, span) in &machine.world.transcendental_facts {
        asked.assumptions.push((fact, Some(span)));
        asked.assumed.push(wording::line(machine, fact, span));
    }
    Ok(asked)
}

/// Truth: the program has not ended. Makes the state word that tells it.
fn still_running(machine: &mut Machine<'_>, ended: TermId) -> TermId {
    let state = machine.system.add_state("(program has ended)", model::sort::Sort::TRUTH);
    let never = machine.system.terms.truth(false);
    machine.world.extras.push((state, never, ended));
    let has_ended = machine.system.state_term(state);
    machine.system.terms.not(has_ended)
}

fn check_goals(machine: &mut Machine<'_>, goals: &[Draft]) -> Outcome<()> {
    let mut names: BTreeMap<&str, Option<Span>> = BTreeMap::new();
    for goal in goals {
        if let Some(first) = names.insert(&goal.name, goal.span) {
            let message = format!("there are two goals named `{}`", goal.name);
            let error = machine.diagnostics.error("duplicate-goal", goal.span, message);
            if let Some(span) = first {
                error.related("the first one is here", span);
            }
        }
    }
    if machine.diagnostics.has_errors() { Err(Stop::Failed) } else { Ok(()) }
}

/// Puts the system together.
pub(crate) fn assemble(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    initialised: &Initialised,
    stepped: &Stepped,
    findings: &mut Vec<Finding>,
) -> Outcome<Assembled> {
    let outputs = output_cells(task, machine, stepped, findings)?;
    let held: BTreeSet<usize> = machine.world.states.iter().map(|&(cell, _)| cell).collect();
    let asked = ask(task, machine, stepped)?;
    let mut output_values = Vec::new();
    for &cell in &outputs {
        output_values.push(value_behind(machine, cell));
    }
    let mut origins = Origins::default();
    set_states(machine);
    let names = short_names(machine, task, &outputs);
    let signals = signals(task, machine, (&outputs, &held), &names, &asked.meant);
    report(task, machine, (stepped, &asked.meant), &signals, findings);
    let input_cells: Vec<usize> = machine.world.inputs.iter().filter_map(|input| input.cell).collect();
    let places = (whole::lvalues(machine, &input_cells), whole::lvalues(machine, &outputs));
    let size = size(task, machine);
    let blueprint = blueprint::draw(machine, &signals, &outputs, initialised.start.as_ref());
    let decisions = wording::decisions(machine);
    let mut system = std::mem::take(&mut machine.system);
    system.name = super::model_name(task.request, task.program, task.entry);
    system.outputs = signals
        .outputs
        .iter()
        .zip(output_values)
        .map(|((signal, _), value)| Output { name: signal.name.clone(), value })
        .collect();
    system.initial_assumptions = origins.assumptions(&initialised.assumptions);
    system.assumptions = origins.assumptions(&asked.assumptions);
    system.invariants = asked
        .invariants
        .into_iter()
        .map(|(condition, text)| Invariant { condition, origin: None, text })
        .collect();
    system.end = asked.end;
    let mut wording = Wording { assumptions: asked.assumed, decisions, ..Wording::default() };
    for draft in asked.goals {
        let origin = draft.span.map(|span| origins.add(span));
        let Draft { name, requirement, text, steps, antecedent, expectation, parts, .. } = draft;
        wording.goals.push(parts);
        system.goals.push(Goal { name, requirement, text, origin, steps, antecedent, expectation });
    }
    for site in &machine.hazards.sites {
        system.hazards.push(Hazard {
            condition: site.condition,
            description: site.kind.description().to_owned(),
            origin: Some(origins.add(site.span)),
        });
    }
    let libm = machine.world.transcendental.iter().map(|call| libm::Call {
        function: call.function,
        format: call.format,
        input: call.input,
        arguments: call.arguments.clone(),
        origin: origins.add(call.span),
    });
    let libm = libm.collect();
    Ok(Assembled {
        system,
        signals,
        origins: origins.table,
        size,
        blueprint,
        libm,
        wording,
        inputs: places.0,
        outputs: places.1,
    })
}

#[derive(Default)]
struct Origins {
    table: IdVec<OriginId, Span>,
}

impl Origins {
    fn add(&mut self, span: Span) -> OriginId {
        self.table.push(span)
    }
    fn assumptions(&mut self, conditions: &[(TermId, Option<Span>)]) -> Vec<Assumption> {
        conditions
            .iter()
            .map(|&(condition, span)| Assumption { condition, origin: span.map(|span| self.add(span)) })
            .collect()
    }
}

/// What a cell holds behind a step.
fn value_behind(machine: &mut Machine<'_>, cell: usize) -> TermId {
    match machine.world.left.values.get(cell) {
        Some(value) => value,
        None if machine.world.role(cell) == Role::Constant => machine.start_value(cell),
        None => {
            let symbol = machine.cell_symbol(cell);
            machine.system.terms.symbol_term(symbol)
        }
    }
}

/// Gives every state word its initial value and its value after a step.
fn set_states(machine: &mut Machine<'_>) {
    for (cell, state) in machine.world.states.clone() {
        let init = machine.start_value(cell);
        let next = value_behind(machine, cell);
        let word = &mut machine.system.states[state];
        (word.init, word.next) = (init, next);
    }
    for (state, init, next) in machine.world.extras.clone() {
        let StateWord { init: first, next: later, .. } = &mut machine.system.states[state];
        (*first, *later) = (init, next);
    }
}

/// The cells that are outputs: those the request names; else the results of step functions and all memory of the model that the step writes
/// and does not read before, without its inner workings where there is anything else.
fn output_cells(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    stepped: &Stepped,
    findings: &mut Vec<Finding>,
) -> Outcome<Vec<usize>> {
    let mut cells = Vec::new();
    if let Some(outputs) = &task.request.outputs {
        for index in 0..outputs.len() {
            if let Some((number, condition)) = task.condition(TextRole::Output(index)) {
                cells.extend(super::setup::designated_cells(machine, number, condition)?);
            }
        }
        return Ok(cells);
    }
    let kept = super::flow::kept_only(machine);
    for &cell in &stepped.written {
        let (object, _) = machine.objects.owner(cell);
        let is_result = matches!(machine.objects.get(object).origin, Origin::Returned(_));
        let is_named = super::named::part(machine, object) == Some(Part::Outputs);
        let is_left = machine.world.left.values.get(cell).is_some();
        let is_input = machine.world.role(cell) == Role::Input;
        let is_read = machine.world.read_first.contains(&cell)
            || machine.world.has_state(cell) && !kept.contains(&cell);
        if is_left && !is_input && (is_result || is_named || !is_read) {
            cells.push(cell);
        }
    }
    let object_of = |cell: usize| machine.objects.owner(cell).0;
    if cells.iter().any(|&cell| !super::named::is_inner(machine, object_of(cell))) {
        cells.retain(|&cell| !super::named::is_inner(machine, object_of(cell)));
    }
    if task.entry.driver.is_none() {
        let reason = |&cell: &usize| match super::named::part(machine, object_of(cell)) {
            _ if is_passed(machine, cell, false) => "the step passes it to a function that no file defines",
            _ if is_passed(machine, cell, true) => {
                "whether the step calls this function, which no file defines"
            }
            Some(Part::Outputs) => "its name says that it is an output, and the step writes it",
            _ if machine.world.read_first.contains(&cell) => {
                "the step writes it, and what it held before matters to itself alone"
            }
            _ => "the step writes it and does not read it before",
        };
        let reasons = cells.iter().map(|cell| (*cell, reason(cell).to_owned()));
        findings.extend(found_cells(machine, "output", reasons));
    }
    Ok(cells)
}

/// Whether a cell holds what is passed to a function that no file defines, or whether that was called.
fn is_passed(machine: &Machine<'_>, cell: usize, is_call: bool) -> bool {
    let (object, _) = machine.objects.owner(cell);
    matches!(machine.objects.get(object).origin, Origin::Passed(_, parameter) if parameter.is_none() == is_call)
}

/// Reports what became of memory.
fn report(
    task: &Task<'_>,
    machine: &Machine<'_>,
    (stepped, meant): (&Stepped, &BTreeMap<InputId, &'static str>),
    signals: &Signals,
    findings: &mut Vec<Finding>,
) {
    let memory = machine.world.inputs.iter().filter_map(|input| input.cell);
    let reasons = memory.map(|cell| (cell, input_reason(task, machine, stepped, cell)));
    findings.extend(found_cells(machine, "input", reasons));
    for input in machine.world.inputs.iter().filter(|input| input.cell.is_none()) {
        findings.push(Finding {
            topic: "input",
            subject: input.lvalue.clone(),
            reason: input.reason.clone(),
        });
    }
    for input in &machine.world.inputs {
        let limit = meant.get(&input.input).map(|values| Finding {
            topic: "range",
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
    let states = machine.world.states.iter().filter(|(_, state)| shown.contains(state));
    let reasons = states.map(|&(cell, _)| {
        let reason = if machine.world.read_first.contains(&cell) {
            "the step reads it before writing it"
        } else {
            "its value before the step matters: the step keeps it, or a goal asks for it"
        };
        (cell, reason.to_owned())
    });
    findings.extend(found_cells(machine, "state", reasons));
    for &cell in machine.world.indeterminate.iter().filter(|&&cell| machine.world.read_first.contains(&cell))
    {
        findings.push(Finding {
            topic: "state",
            subject: machine.cell_name(cell),
            reason: "it has no value before the first step; 0 is assumed".to_owned(),
        });
    }
    for (name, topic, reason) in &stepped.events.externs {
        findings.push(Finding { topic, subject: name.clone(), reason: reason.clone() });
    }
}

/// What to say of cells: those with the same reason together, by the fewest names.
fn found_cells(
    machine: &Machine<'_>,
    topic: &'static str,
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
        _ if is_found => "neither initialisation nor the step writes it, and it has no initialiser",
        _ => "named by the configuration",
    };
    text.to_owned()
}

/// What the configuration says of an input: under its name, else under that of the array which it is an element of. There, a name is not for one element.
fn option_of(task: &Task<'_>, lvalue: &str) -> Option<InputOption> {
    let options = &task.request.input_options;
    let named = |name: &str| options.iter().find(|option| option.lvalue == name).cloned();
    let arrays = lvalue.rmatch_indices('[').filter(|_| lvalue.ends_with(']')).map(|(at, _)| &lvalue[..at]);
    named(lvalue).or_else(|| {
        let option = arrays.take_while(|array| !array.is_empty()).find_map(named)?;
        Some(InputOption { lvalue: lvalue.to_owned(), name: None, ..option })
    })
}

fn signals(
    task: &Task<'_>,
    machine: &Machine<'_>,
    (outputs, held): (&[usize], &BTreeSet<usize>),
    names: &BTreeMap<String, String>,
    meant: &BTreeMap<InputId, &'static str>,
) -> Signals {
    let mut signals = Signals::default();
    for input in &machine.world.inputs {
        let option = option_of(task, &input.lvalue);
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
        let by_type = meant.get(&input.input).copied();
        signals.inputs.push(InputSignal { signal, input: input.input, option, by_type });
    }
    for (index, &cell) in outputs.iter().enumerate() {
        signals.outputs.push((cell_signal(machine, cell, names), index));
    }
    let mut shown: Vec<(usize, _)> = machine.world.states.clone();
    shown.sort_by_key(|&(cell, _)| cell);
    let is_output: BTreeSet<usize> = outputs.iter().copied().collect();
    for (cell, state) in shown {
        // An output that merely keeps its value is shown as output, unless a goal asks for its earlier value.
        let is_kept = is_output.contains(&cell) && held.contains(&cell);
        if machine.world.read_first.contains(&cell) || !is_kept {
            signals.states.push((cell_signal(machine, cell, names), state));
        }
    }
    signals
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
fn kind_of(machine: &Machine<'_>, ty: TypeId, bits: u32) -> SignalKind {
    let scalar = machine.layouts.scalar(ty, None);
    match (machine.layouts.type_of(ty), scalar) {
        (Type::Enum(id), Some(scalar)) => SignalKind::Enum {
            signed: scalar.signed,
            enumerators: machine.program.types.enums[*id].enumerators.clone(),
        },
        (Type::Pointer(_), _) => SignalKind::Pointer,
        (Type::Float(format), _) if format.width() == bits => SignalKind::Float,
        (_, Some(scalar)) if scalar.extent == 1 && scalar.kind == Kind::Word => SignalKind::Bool,
        (_, Some(scalar)) if scalar.signed => SignalKind::Signed,
        _ => SignalKind::Unsigned,
    }
}

/// A short unique name for every lvalue that is shown: its last component, or as many as it takes.
fn short_names(machine: &Machine<'_>, task: &Task<'_>, outputs: &[usize]) -> BTreeMap<String, String> {
    let mut lvalues: BTreeSet<String> =
        machine.world.inputs.iter().map(|input| input.lvalue.clone()).collect();
    let cells = machine.world.states.iter().map(|&(cell, _)| cell).chain(outputs.iter().copied());
    lvalues.extend(cells.map(|cell| machine.cell_name(cell)));
    let taken: BTreeSet<&str> =
        task.request.input_options.iter().filter_map(|option| option.name.as_deref()).collect();
    let suffixes: Vec<Vec<&str>> = lvalues.iter().map(|lvalue| suffixes_of(lvalue)).collect();
    let mut levels = vec![0usize; suffixes.len()];
    loop {
        let mut users: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, parts) in suffixes.iter().enumerate() {
            users.entry(parts[levels[index]]).or_default().push(index);
        }
        let mut is_changed = false;
        for (name, indices) in users {
            if indices.len() > 1 || taken.contains(name) {
                for index in indices {
                    if levels[index] + 1 < suffixes[index].len() {
                        levels[index] += 1;
                        is_changed = true;
                    }
                }
            }
        }
        if !is_changed {
            break;
        }
    }
    let short =
        suffixes.iter().zip(&levels).map(|(parts, &level)| parts[level].to_owned()).collect::<Vec<_>>();
    lvalues.iter().cloned().zip(short).collect()
}

/// The ends of an lvalue that start with a name, shortest first; the last one is all of it. Bits without a name, as in `all{4..7}`, stay
/// with what they are bits of.
fn suffixes_of(lvalue: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = vec![0];
    let names = &lvalue[..lvalue.find('{').unwrap_or(lvalue.len())]; // bits of a scalar are `{4..7}`
    for separator in [".", "->", "::"] {
        starts.extend(names.match_indices(separator).map(|(index, found)| index + found.len()));
    }
    starts.sort_unstable();
    starts.dedup();
    // What a function returns goes by the name of the function; so do parameters without a name, and whether it was called.
    let is_number = |suffix: &str| {
        suffix.strip_prefix("arg").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_name = |suffix: &&str| {
        !suffix.is_empty() && !suffix.starts_with("return") && *suffix != CALLED && !is_number(suffix)
    };
    let found: Vec<&str> = starts.into_iter().rev().map(|start| &lvalue[start..]).filter(is_name).collect();
    if found.is_empty() { vec![lvalue] } else { found }
}

fn size(task: &Task<'_>, machine: &Machine<'_>) -> Size {
    let units = task.program.units.values().filter(|unit| !unit.is_property_file);
    let bits = |sort: model::sort::Sort| sort.width() as usize;
    let terms = &machine.system.terms;
    Size {
        lines: units.map(|unit| unit.lines).sum(),
        state_words: machine.system.states.len(),
        state_bits: machine.system.states.values().map(|state| bits(terms.symbol(state.symbol).sort)).sum(),
        input_bits: machine.system.inputs.values().map(|input| bits(terms.symbol(input.symbol).sort)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::suffixes_of;

    /// The names that an lvalue may be shown by, shortest first.
    #[test]
    fn lvalues_have_names_by_their_ends() {
        for (lvalue, expected) in [
            ("rtU.speed", "speed | rtU.speed"),
            ("step.in->bus.level[2]", "level[2] | bus.level[2] | in->bus.level[2] | step.in->bus.level[2]"),
            ("count", "count"),
            ("filter::last", "last | filter::last"),
            ("file.c::mode", "mode | c::mode | file.c::mode"),
            ("read.return", "read.return"),
            ("read.return.x", "x | read.return.x"),
            ("alarm.called", "alarm.called"),
            ("alarm.arg12", "alarm.arg12"),
            ("alarm.args", "args | alarm.args"),
            ("alarm.level", "level | alarm.level"),
            ("m.act.all{4..7}", "all{4..7} | act.all{4..7} | m.act.all{4..7}"),
        ] {
            assert_eq!(suffixes_of(lvalue).join(" | "), expected);
        }
    }
}
