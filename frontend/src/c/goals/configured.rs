//! Goals, assumptions and claims that are written as expressions in the configuration.

use super::{Draft, must_not_read_inputs, wording};
use crate::c::exec::layout::Kind;
use crate::c::exec::state::State;
use crate::c::exec::world::{Phase, Role};
use crate::c::exec::{Machine, Old, Outcome};
use crate::c::request::{InputOption, TextRole, Written};
use crate::c::translate::setup::{Task, condition_frame, constant, designated_cells};
use model::system::StateId;
use model::term::{BinaryOp, TermId};

/// Where `old(x)` of a condition looks.
enum Before {
    /// At the start of the step in the given frame.
    Frame(u32),
    /// One step earlier than the condition itself: at words that keep what was there.
    History,
    /// Nowhere.
    Nothing,
}

/// A configured condition: its truth, and its parts where they are wanted.
struct Configured {
    truth: TermId,
    parts: Vec<Written>,
}

/// The truth of a configured condition at a point of a window.
fn truth(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    role: TextRole,
    phase: Phase,
    before: Before,
) -> Outcome<Option<TermId>> {
    Ok(evaluate(task, machine, role, phase, before)?.map(|configured| configured.truth))
}

/// Evaluates a configured condition at a point of a window.
fn evaluate(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    role: TextRole,
    phase: Phase,
    before: Before,
) -> Outcome<Option<Configured>> {
    let Some((index, condition)) = task.condition(role) else { return Ok(None) };
    let were_off = std::mem::replace(&mut machine.hazards.is_off, true);
    machine.world.phase = phase;
    let mut frame = condition_frame(machine, index, condition)?;
    let blank = machine.blank();
    machine.old = match before {
        Before::Frame(frame) => {
            Some(Old { state: blank.clone(), phase: Phase::Step { frame }, history: false, was_used: false })
        }
        Before::History => Some(Old { state: blank.clone(), phase, history: true, was_used: false }),
        Before::Nothing => None,
    };
    let state = machine.property_body(&mut frame, blank.clone(), &condition.prelude)?;
    let state = state.map_or(blank.clone(), |state| State { path: blank.path, ..state });
    let truth = machine.truth(&frame, &state, &condition.value)?;
    let operands = match machine.keep_wording {
        true => machine.operand_truths(&frame, &state, &condition.value, truth),
        false => Vec::new(),
    };
    let looks_back = machine.old.take().is_some_and(|old| old.history && old.was_used);
    machine.hazards.is_off = were_off;
    machine.world.phase = Phase::Step { frame: 0 };
    let mut in_force = |truth| if looks_back { with_history(machine, role, phase, truth) } else { truth };
    let truth = in_force(truth);
    let operands: Vec<TermId> = operands.into_iter().map(in_force).collect();
    let parts = wording::parts(truth, &operands, &condition.text, task.request.place(role));
    Ok(Some(Configured { truth, parts }))
}

/// What remains of a condition that speaks about the step before: in the first step there is none.
fn with_history(machine: &mut Machine<'_>, role: TextRole, phase: Phase, truth: TermId) -> TermId {
    let first = first_step(machine);
    let Phase::Step { frame } = phase else { return truth };
    let first = machine.shift(first, frame);
    match role {
        TextRole::Assumption(_) => machine.system.terms.or(first, truth),
        _ => {
            let later = machine.system.terms.not(first);
            machine.system.terms.and(later, truth)
        }
    }
}

/// Truth: no step was taken yet.
fn first_step(machine: &mut Machine<'_>) -> TermId {
    if let Some(state) = machine.world.first_step {
        return machine.system.state_term(state);
    }
    let state: StateId = machine.system.add_state("(first step)", model::sort::Sort::TRUTH);
    machine.world.first_step = Some(state);
    let (init, next) = (machine.system.terms.truth(true), machine.system.terms.truth(false));
    machine.world.extras.push((state, init, next));
    machine.system.state_term(state)
}

/// The goals of the request.
pub(crate) fn configured_goals(task: &Task<'_>, machine: &mut Machine<'_>) -> Outcome<Vec<Draft>> {
    let mut found = Vec::new();
    for (index, goal) in task.request.goals.iter().enumerate() {
        let mut conditions: Vec<Configured> = Vec::new();
        let mut frame = 0;
        for step in 0..goal.steps.len() {
            let when = TextRole::When(index, step);
            conditions.extend(evaluate(task, machine, when, Phase::Step { frame }, Before::History)?);
            let after = TextRole::After(index, step);
            conditions.extend(evaluate(task, machine, after, Phase::Behind { frame }, Before::Frame(frame))?);
            frame += 1;
        }
        let last = frame.max(1) - 1;
        let expect = TextRole::Expect(index);
        let expectation = truth(task, machine, expect, Phase::Behind { frame: last }, Before::Frame(last))?;
        found.push(Draft {
            name: goal.name.clone(),
            requirement: goal.requirement.clone(),
            text: goal.text.clone(),
            span: None,
            steps: frame.max(1),
            antecedent: machine.system.terms.conjunction(conditions.iter().map(|entry| entry.truth)),
            expectation,
            parts: conditions.into_iter().flat_map(|entry| entry.parts).collect(),
        });
    }
    Ok(found)
}

/// The assumptions of the request, ranges and values of inputs included; and their parts.
pub(crate) fn configured_assumptions(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
) -> Outcome<(Vec<TermId>, Vec<Written>)> {
    let (mut found, mut parts) = (Vec::new(), Vec::new());
    for index in 0..task.request.assumptions.len() {
        let role = TextRole::Assumption(index);
        let assumed = evaluate(task, machine, role, Phase::Step { frame: 0 }, Before::History)?;
        found.extend(assumed.iter().map(|entry| entry.truth));
        parts.extend(assumed.into_iter().flat_map(|entry| entry.parts));
    }
    for (index, option) in task.request.input_options.iter().enumerate() {
        let restrictions = input_restriction(task, machine, index)?;
        let condition = machine.system.terms.conjunction(restrictions.iter().copied());
        if machine.system.terms.as_const(condition).is_none_or(|value| !value.is_true()) {
            let role = if option.range.is_some() {
                TextRole::RangeLow(index)
            } else {
                TextRole::AllowedValue(index, 0)
            };
            parts.push(Written {
                condition,
                text: restriction_text(option),
                place: task.request.place(role).cloned(),
            });
        }
        found.extend(restrictions);
    }
    Ok((found, parts))
}

/// What the configuration says of the values of an input.
fn restriction_text(option: &InputOption) -> String {
    let bare = |text: &str| text.trim_start_matches('(').trim_end_matches(')').to_owned();
    let range = option.range.as_ref().map(|(low, high)| format!("in [{}, {}]", bare(low), bare(high)));
    let values = option.values.as_ref().map(|values| {
        format!("one of {}", values.iter().map(|value| bare(value)).collect::<Vec<_>>().join(", "))
    });
    let limits: Vec<String> = [range, values].into_iter().flatten().collect();
    format!("{} is {}", option.lvalue, limits.join(" and "))
}

/// Claims about states: condition, and text.
pub(crate) fn configured_invariants(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
) -> Outcome<Vec<(TermId, String)>> {
    let mut found = Vec::new();
    for (index, text) in task.request.invariants.iter().enumerate() {
        let role = TextRole::Invariant(index);
        if let Some(term) = truth(task, machine, role, Phase::Step { frame: 0 }, Before::Nothing)? {
            must_not_read_inputs(machine, term, &format!("the invariant `{text}`"), None)?;
            found.push((term, text.clone()));
        }
    }
    Ok(found)
}

/// Where chains end, if the request says it.
pub(crate) fn configured_end(task: &Task<'_>, machine: &mut Machine<'_>) -> Outcome<Option<TermId>> {
    let end = truth(task, machine, TextRole::End, Phase::Step { frame: 0 }, Before::Nothing)?;
    if let Some(term) = end {
        must_not_read_inputs(machine, term, "the condition of [final]", None)?;
    }
    Ok(end)
}

/// What the range and the values of an input's entry demand.
fn input_restriction(task: &Task<'_>, machine: &mut Machine<'_>, index: usize) -> Outcome<Vec<TermId>> {
    let Some((number, place)) = task.condition(TextRole::OptionPlace(index)) else { return Ok(Vec::new()) };
    let cells = designated_cells(machine, number, place)?;
    let option = &task.request.input_options[index];
    let [cell] = cells.as_slice() else {
        let message = format!("`{}` is no scalar", option.lvalue);
        return Err(machine.fail("no-scalar", place.value.span, message));
    };
    if machine.world.role(*cell) != Role::Input {
        let message = format!("`{}` is no input", option.lvalue);
        return Err(machine.fail_with(
            "no-input",
            place.value.span,
            message,
            "list it under inputs in the section [model] if the environment writes it",
        ));
    }
    let symbol = machine.cell_symbol(*cell);
    let input = machine.system.terms.symbol_term(symbol);
    let mut found = Vec::new();
    if option.range.is_some() {
        let low = bound(task, machine, TextRole::RangeLow(index))?;
        let high = bound(task, machine, TextRole::RangeHigh(index))?;
        found.extend(low.map(|low| at_most(machine, low, (input, *cell), true)));
        found.extend(high.map(|high| at_most(machine, high, (input, *cell), false)));
    }
    if let Some(values) = &option.values {
        let mut any = machine.system.terms.truth(false);
        for value in 0..values.len() {
            if let Some(allowed) = bound(task, machine, TextRole::AllowedValue(index, value))? {
                let not_below = at_most(machine, allowed, (input, *cell), true);
                let not_above = at_most(machine, allowed, (input, *cell), false);
                let equal = machine.system.terms.and(not_below, not_above);
                any = machine.system.terms.or(any, equal);
            }
        }
        found.push(any);
    }
    Ok(found)
}

/// A constant of a configured range.
#[derive(Clone, Copy)]
enum Bound {
    Integer(i128),
    Real(f64),
}

fn bound(task: &Task<'_>, machine: &mut Machine<'_>, role: TextRole) -> Outcome<Option<Bound>> {
    let Some((index, condition)) = task.condition(role) else { return Ok(None) };
    let value = constant(machine, index, condition)?;
    let value = machine.system.terms.as_const(value).expect("a constant should be constant");
    let signed = machine.is_signed(condition.value.ty);
    Ok(Some(match value.sort() {
        model::sort::Sort::Word(_) if signed => Bound::Integer(value.signed()),
        model::sort::Sort::Word(_) => Bound::Integer(value.bits() as i128),
        model::sort::Sort::Float(model::sort::FloatFormat::Single) => {
            Bound::Real(f64::from(f32::from_bits(value.bits() as u32)))
        }
        model::sort::Sort::Float(model::sort::FloatFormat::Double) => {
            Bound::Real(f64::from_bits(value.bits() as u64))
        }
    }))
}

/// Truth: the bound is at most the input (`is_low`), or the input at most the bound; as mathematical numbers.
fn at_most(machine: &mut Machine<'_>, bound: Bound, (input, cell): (TermId, usize), is_low: bool) -> TermId {
    let scalar = machine.objects.cell(cell).scalar;
    let terms = &mut machine.system.terms;
    if let Kind::Float(format) = scalar.kind {
        let number = match bound {
            Bound::Integer(number) => number as f64,
            Bound::Real(number) => number,
        };
        let value = match format {
            model::sort::FloatFormat::Single => model::value::Value::single(number as f32),
            model::sort::FloatFormat::Double => model::value::Value::double(number),
        };
        let value = terms.constant(value);
        let (left, right) = if is_low { (value, input) } else { (input, value) };
        return terms.binary(BinaryOp::FloatLe, left, right);
    }
    let number = match bound {
        Bound::Integer(number) => number,
        Bound::Real(number) if is_low => number.ceil() as i128,
        Bound::Real(number) => number.floor() as i128,
    };
    let (least, most) = match (scalar.signed, scalar.extent) {
        (true, extent) => (-(1i128 << (extent - 1)), (1i128 << (extent - 1)) - 1),
        (false, extent) => (0, (1i128 << extent) - 1),
    };
    if (is_low && number <= least) || (!is_low && number >= most) {
        return terms.truth(true);
    }
    if !(least..=most).contains(&number) {
        return terms.truth(false);
    }
    let value = terms.word(scalar.extent, number as u128);
    let op = if scalar.signed { BinaryOp::SLe } else { BinaryOp::ULe };
    let (left, right) = if is_low { (value, input) } else { (input, value) };
    terms.binary(op, left, right)
}
