//! Running the step, until it is settled which memory the step writes.
//!
//! Which cells are state is found by iteration: at first no cell is taken to be written by a step,
//! so all hold what initialisation left in them. What the step then writes becomes state and is
//! unknown at the start of the next run, until nothing new is written. The result is sound, because
//! in the last run every cell outside the found set holds its initial value and is not written; and
//! it is precise, because calibration, tables and pointers stay constants.

use super::ending::{Ending, may_end_early};
use super::named::{self, Part};
use super::setup::{Task, designated_cells};
use super::values::Values;
use crate::code::Code;
use crate::detect::{DriverLoop, names, walk};
use crate::exec::events::{Events, Premise};
use crate::exec::hazard::{HazardKind, HazardSite, Hazards};
use crate::exec::initial_memory::{Phase, Role};
use crate::exec::layout::Kind;
use crate::exec::object::{ObjectId, Origin};
use crate::exec::state::State;
use crate::exec::{Machine, Outcome};
use crate::ir::coverage::ProbeId;
use crate::ir::stmt::StmtKind;
use crate::ir::types::Type;
use crate::ir::{FunctionId, Linkage};
use crate::readings::Readings;
use frontend::{Finding, TextRole};
use frontend::{Topic, WordValues};
use model::id::Id;
use model::sort::Sort;
use model::term::{BinaryOp, TermId};
use std::collections::{BTreeMap, BTreeSet};

/// What a step was found to do.
pub(crate) struct Stepped {
    /// When the program has ended for good.
    pub(crate) ended: Option<TermId>,
    /// How the step may end the program before it returns, where goals are reached before.
    pub(crate) ending: Option<Ending>,
    /// Cells that it writes.
    pub(crate) written: BTreeSet<usize>,
    /// Values that cells may have behind steps.
    pub(crate) word_values: WordValues,
    /// What else was met.
    pub(crate) events: Events,
    /// Cells that are inputs because nothing writes them.
    pub(crate) found_inputs: BTreeSet<usize>,
    /// Cells that are inputs because the step takes them away and nothing raises them.
    pub(crate) raised_inputs: BTreeSet<usize>,
}

/// What to say of statements behind a driver's loop that are not executed.
pub(crate) fn code_behind_loop(task: &Task<'_>, stepped: &Stepped) -> Option<Finding> {
    let driver = task.entry.driver?;
    let function = &task.program.functions[driver.function];
    let body = function.body.as_ref()?;
    if walk::behind(body, driver.span).is_some() && !stepped.events.skips_tail {
        return None;
    }
    let at = body.iter().position(|stmt| {
        stmt.span == driver.span && matches!(stmt.kind, StmtKind::Loop { .. } | StmtKind::Block(_))
    })?;
    let first = body[at + 1..].iter().find(|stmt| !matches!(stmt.kind, StmtKind::Return(_)))?;
    Some(Finding {
        topic: Topic::Ignored,
        subject: function.name.clone(),
        reason: format!(
            "what stands behind its loop, from line {} on, is not executed: leaving the loop ends the program",
            first.span.line
        ),
    })
}

/// Runs the step until the set of cells that it writes is settled. The machine is then that of the
/// last run.
pub(crate) fn settle(task: &Task<'_>, machine: &mut Machine<'_>) -> Outcome<Stepped> {
    let mut roles = certain_roles(task, machine)?;
    let mut raised_inputs = BTreeSet::new();
    let mut candidates = BTreeSet::new();
    if task.request.inputs.is_none() && task.entry.reads_inputs() {
        candidates = volatile_cells(machine, &roles);
    } else if task.request.inputs.is_none() {
        candidates = unwritten_cells(machine, &roles, |origin| matches!(origin, Origin::Pointee(_)));
        candidates.extend(volatile_cells(machine, &roles));
        candidates.extend(named_inputs(machine, &roles));
        candidates.extend(frame_inputs(task, machine, &roles));
    }
    let mut takes_globals = false;
    let base = machine.clone();
    let mut written: BTreeSet<usize> = BTreeSet::new();
    let mut targets: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
    let mut values = Values::beginning_with(&task.request.word_values);
    let readings = task.request.kept.get::<Readings>();
    loop {
        let open = candidates.iter().filter(|cell| !written.contains(cell));
        let mut all: BTreeMap<usize, Role> = open.map(|&cell| (cell, Role::Input)).collect();
        all.extend(written.iter().map(|&cell| (cell, Role::State)));
        all.extend(unknown_from_start(&base).into_iter().map(|cell| (cell, Role::State)));
        all.extend(roles.iter().map(|(&cell, &role)| (cell, role)));
        *machine = base.clone();
        let is_state = |(&cell, &role): (&usize, &Role)| (role == Role::State).then_some(cell);
        let state_cells: BTreeSet<usize> = all.iter().filter_map(is_state).collect();
        machine.initial_memory.roles = all.into_iter().collect();
        machine.pointer_targets = targets.clone().into_iter().collect();
        if task.request.inversion.is_none() {
            values.tell(machine, &state_cells);
        }
        declare_inputs(task, machine);
        let other = run_other(task, machine, &base)?;
        let Run { state, left, ended } = run(task, machine)?;
        let mut found = written_cells(machine, &state);
        let mut found_targets = pointer_targets(machine, &state, &found);
        machine.initial_memory.left = left.memory;
        if let Some(other) = other {
            found.extend(other.cells);
            for (cell, numbers) in other.targets {
                found_targets.entry(cell).or_default().extend(numbers);
            }
        }
        let is_settled = |(cell, numbers): (&usize, &BTreeSet<u64>)| {
            targets.get(cell).is_some_and(|known| numbers.is_subset(known))
        };
        // What values a word has follows from one kind of step alone; where there are two, all
        // values are possible.
        let are_known = task.request.inversion.is_some() || values.absorb(machine, readings);
        if !found.is_subset(&written) || !found_targets.iter().all(is_settled) || !are_known {
            written.extend(found);
            for (cell, numbers) in found_targets {
                targets.entry(cell).or_default().extend(numbers);
            }
            continue;
        }
        if !takes_globals
            && task.request.inputs.is_none()
            && !task.entry.reads_inputs()
            && !has_inputs(machine)
        {
            takes_globals = true;
            candidates.extend(unwritten_cells(machine, &roles, |origin| matches!(origin, Origin::Global(_))));
            if candidates.iter().any(|cell| !written.contains(cell)) {
                continue;
            }
        }
        if task.request.inputs.is_none() && !task.entry.reads_inputs() {
            let raised = raised_events(machine, &written, &roles);
            if !raised.is_empty() {
                roles.extend(raised.iter().map(|&cell| (cell, Role::Input)));
                raised_inputs.extend(raised);
                continue;
            }
        }
        let found_inputs = candidates.iter().copied().filter(|cell| !written.contains(cell)).collect();
        if task.request.inputs.is_none() {
            super::unset::tell(machine, &written, &roles, &candidates);
        }
        if task.request.inversion.is_some() {
            // What this step writes and never reads, a step behind it may read.
            for &cell in &written {
                if machine.initial_memory.role(cell) == Role::State {
                    machine.cell_symbol(cell);
                }
            }
        }
        let events = std::mem::take(&mut machine.events);
        // An inversion absorbs nothing, and what loops that are open leave is more than steps lead to.
        if let Some(readings) = readings
            && task.request.inversion.is_none()
            && !machine.has_open_loops
        {
            values.keep(machine, readings);
        }
        let word_values = values.into_words();
        return Ok(Stepped {
            ended,
            ending: None,
            written,
            word_values,
            events,
            found_inputs,
            raised_inputs,
        });
    }
}

/// What a step writes.
struct Written {
    cells: BTreeSet<usize>,
    targets: BTreeMap<usize, BTreeSet<u64>>,
}

/// Where values are inverted: prepares the machine for the step that is wanted, and says what the
/// other one, original or inverted, writes.
fn run_other(task: &Task<'_>, machine: &mut Machine<'_>, base: &Machine<'_>) -> Outcome<Option<Written>> {
    let Some(inversion) = &task.request.inversion else { return Ok(None) };
    let known = |&number: &usize| number < machine.program.instruments.probes.len();
    let inverted: BTreeSet<ProbeId> =
        inversion.values.iter().copied().filter(known).map(ProbeId::new).collect();
    let mut other = machine.clone();
    match inversion.is_now {
        true => machine.inverted = inverted,
        false => other.inverted = inverted,
    }
    let state = match run(task, &mut other) {
        Ok(Run { state, .. }) => state,
        Err(stop) => {
            *machine = other;
            return Err(stop);
        }
    };
    let cells = written_cells(&other, &state);
    let targets = pointer_targets(&mut other, &state, &cells);
    // Objects that a step makes have numbers of their own in each of the two.
    let is_own = |&number: &u64| base.objects.by_number(number).is_none() && number != 0;
    if let Some((&cell, _)) = targets.iter().find(|(_, numbers)| numbers.iter().any(is_own)) {
        let name = machine.cell_name(cell);
        let message = format!("with a value inverted, `{name}` points to an object that the step makes");
        machine.diagnostics.error(Code::UnresolvedPointer, None, message);
        return Err(crate::exec::Stop::Failed);
    }
    Ok(Some(Written { cells, targets }))
}

/// Events that the step takes away and that nothing raises: inputs where the type of their object
/// says that it is raised from outside, else something to be told.
fn raised_events(
    machine: &mut Machine<'_>,
    written: &BTreeSet<usize>,
    roles: &BTreeMap<usize, Role>,
) -> Vec<usize> {
    let cleared = super::flow::cleared_only(machine, written);
    let open = cleared.into_iter().filter(|cell| !roles.contains_key(cell) && can_be_input(machine, *cell));
    let open: Vec<usize> = open.collect();
    let part = |&cell: &usize| named::part(machine, machine.objects.owner(cell).0);
    let raised: Vec<usize> = open.iter().copied().filter(|cell| part(cell) == Some(Part::Events)).collect();
    let silent = open.iter().filter(|cell| {
        let object = machine.objects.owner(**cell).0;
        part(cell).is_none() && !named::is_inner(machine, object) && !named::is_model_data(machine, object)
    });
    let silent: Vec<String> = silent.map(|&cell| format!("`{}`", machine.cell_name(cell))).collect();
    if raised.is_empty() && !silent.is_empty() && silent.len() <= MOST_TOLD {
        let message = format!("the step reads and clears {}, and nothing ever sets it", silent.join(", "));
        let advice = "if the environment does, list it under `inputs` in the section [model]";
        machine.diagnostics.warning(Code::NeverSet, None, message).advice(advice);
    }
    raised
}

/// Cells that something else than the program may write, as C has it.
fn volatile_cells(machine: &Machine<'_>, roles: &BTreeMap<usize, Role>) -> BTreeSet<usize> {
    let is_wanted = |origin: &Origin| matches!(origin, Origin::Global(_) | Origin::Pointee(_));
    let mut found = unwritten_cells(machine, roles, is_wanted);
    found.retain(|&cell| machine.is_volatile(cell));
    found
}

/// Most events that are told in one warning; where there are more, they are something else.
pub(super) const MOST_TOLD: usize = 8;

/// Inputs that are known without looking at what is written.
fn certain_roles(task: &Task<'_>, machine: &mut Machine<'_>) -> Outcome<BTreeMap<usize, Role>> {
    let mut roles = BTreeMap::new();
    let objects: Vec<(ObjectId, Origin)> =
        machine.objects.iter().map(|(id, object)| (id, object.origin.clone())).collect();
    for (object, origin) in objects {
        let is_input = match origin {
            Origin::Parameter(..) => true,
            Origin::Global(global) => !task.program.globals[global].is_defined,
            _ => false,
        };
        if is_input {
            for cell in machine.cells_of(object) {
                if can_be_input(machine, cell) {
                    roles.insert(cell, Role::Input);
                }
            }
        }
    }
    for index in 0..task.request.inputs.as_ref().map_or(0, Vec::len) {
        if let Some((number, condition)) = task.condition(TextRole::Input(index)) {
            if matches!(machine.layouts.type_of(condition.value.ty), Type::Pointer(_)) {
                let message =
                    format!("`{}` is a pointer, which the environment does not set", condition.text);
                let advice = format!("name what it points to: `*{}`, or its members", condition.text);
                return Err(machine.fail_with(Code::PointerInput, condition.value.span, message, &advice));
            }
            for cell in designated_cells(machine, number, condition)? {
                if can_be_input(machine, cell) {
                    roles.insert(cell, Role::Input);
                }
            }
        }
    }
    Ok(roles)
}

/// Whether the environment can be asked to write a cell: it is no pointer, and no padding that no
/// member names.
pub(super) fn can_be_input(machine: &Machine<'_>, cell: usize) -> bool {
    let (object, index) = machine.objects.owner(cell);
    let object = machine.objects.get(object);
    let cell = object.layout.cells[index];
    cell.scalar.kind != Kind::Pointer
        && machine.layouts.named_way(object.ty, cell.bit, cell.scalar.extent).is_some()
}

/// Cells of some objects that have no initialiser and that initialisation did not write.
pub(super) fn unwritten_cells(
    machine: &Machine<'_>,
    roles: &BTreeMap<usize, Role>,
    is_wanted: impl Fn(&Origin) -> bool,
) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for (id, object) in machine.objects.iter() {
        let is_initialised = match object.origin {
            Origin::Global(global) => {
                let declaration = &machine.program.globals[global];
                declaration.is_initialised || declaration.function.is_some()
            }
            _ => false,
        };
        let is_output = named::part(machine, id) == Some(Part::Outputs);
        if !is_wanted(&object.origin) || object.is_const || is_initialised || is_output {
            continue;
        }
        found.extend(machine.cells_of(id).filter(|&cell| {
            can_be_input(machine, cell)
                && machine.initial_memory.start.values.get(cell).is_none()
                && !machine.initial_memory.initial.contains_key(&cell)
                && !roles.contains_key(&cell)
        }));
    }
    found
}

/// Cells of objects whose names say that they hold inputs; initialisation may have cleared them.
fn named_inputs(machine: &Machine<'_>, roles: &BTreeMap<usize, Role>) -> Vec<usize> {
    let objects = machine.objects.iter().map(|(object, _)| object);
    let is_named = |cell: &usize| match named::part(machine, machine.objects.owner(*cell).0) {
        Some(Part::Inputs) => true,
        Some(Part::Events) => names::is_elapsed_time(&machine.cell_name(*cell)),
        _ => false,
    };
    let cells = objects.flat_map(|object| machine.cells_of(object)).filter(is_named);
    let is_open = |cell: &usize| can_be_input(machine, *cell) && !roles.contains_key(cell);
    cells.filter(is_open).collect()
}

/// Cells of variables that a frame around the model keeps to itself, and that are zero in front of
/// the first step: what it has for the model's inputs is among them.
fn frame_inputs(task: &Task<'_>, machine: &Machine<'_>, roles: &BTreeMap<usize, Role>) -> Vec<usize> {
    let Some(timer) = task.entry.driver.and_then(|driver| driver.timer) else { return Vec::new() };
    let unit = task.program.functions[timer].unit;
    let is_kept = |object: ObjectId| {
        let Origin::Global(global) = machine.objects.get(object).origin else { return false };
        let declaration = &task.program.globals[global];
        let is_hidden = declaration.linkage == Linkage::Internal && declaration.function.is_none();
        declaration.unit == unit && is_hidden && !declaration.is_const
    };
    let says_nothing = |object: ObjectId| {
        named::part(machine, object).is_none()
            && !named::is_inner(machine, object)
            && !named::is_model_data(machine, object)
    };
    let is_zero = |cell: usize| {
        let left = machine.initial_memory.start.values.get(cell).or(machine
            .initial_memory
            .initial
            .get(&cell)
            .copied());
        let value = left.map(|value| machine.system.terms.as_const(value));
        value.is_none_or(|value| value.is_some_and(|value| value.bits() == 0))
    };
    let objects = machine.objects.iter().map(|(object, _)| object);
    let kept = objects.filter(|&object| is_kept(object) && says_nothing(object));
    let cells = kept.flat_map(|object| machine.cells_of(object));
    let is_open = |&cell: &usize| can_be_input(machine, cell) && is_zero(cell) && !roles.contains_key(&cell);
    cells.filter(is_open).collect()
}

/// Cells whose initial value is not one constant.
fn unknown_from_start(machine: &Machine<'_>) -> Vec<usize> {
    let entries = machine.initial_memory.start.values.entries().into_iter();
    entries
        .filter(|&(_, value)| machine.system.terms.as_const(value).is_none())
        .map(|(cell, _)| cell)
        .collect()
}

/// Makes the inputs that are cells, in order. Globals that merely nothing writes, and what only
/// initialisation gets, become inputs when they are read.
fn declare_inputs(task: &Task<'_>, machine: &mut Machine<'_>) {
    let mut cells: Vec<usize> = Vec::new();
    for (&cell, &role) in &machine.initial_memory.roles {
        let (object, _) = machine.objects.owner(cell);
        let init = task.entry.init.map(|init| &*task.program.functions[init].name);
        let is_global = match &machine.objects.get(object).origin {
            Origin::Global(_) => true,
            Origin::Pointee(name) => {
                init.and_then(|init| name.strip_prefix(init)).is_some_and(|rest| rest.starts_with('.'))
            }
            _ => false,
        };
        let is_named = named::part(machine, object) == Some(Part::Inputs);
        if role == Role::Input && (!is_global || is_named || task.request.inputs.is_some()) {
            cells.push(cell);
        }
    }
    cells.sort_unstable();
    for cell in cells {
        machine.cell_symbol(cell);
    }
}

fn has_inputs(machine: &Machine<'_>) -> bool {
    !machine.initial_memory.inputs.is_empty()
}

fn written_cells(machine: &Machine<'_>, state: &State) -> BTreeSet<usize> {
    let entries = state.memory.values.entries().into_iter().map(|(cell, _)| cell);
    entries.filter(|&cell| machine.objects.get(machine.objects.owner(cell).0).is_persistent).collect()
}

/// The objects that pointers kept in state may name, as far as this run shows.
fn pointer_targets(
    machine: &mut Machine<'_>,
    state: &State,
    written: &BTreeSet<usize>,
) -> BTreeMap<usize, BTreeSet<u64>> {
    let mut found = BTreeMap::new();
    for &cell in written {
        if machine.objects.cell(cell).scalar.kind != Kind::Pointer {
            continue;
        }
        let start = machine.start_value(cell);
        let behind = state.memory.values.get(cell).unwrap_or(start);
        if let (Some(mut numbers), Some(more)) =
            (machine.object_numbers(start), machine.object_numbers(behind))
        {
            numbers.extend(more);
            numbers.extend(machine.pointer_targets.get(&cell).into_iter().flatten());
            found.insert(cell, numbers);
        }
    }
    found
}

/// One step.
struct Run {
    /// What a round of the step leaves.
    state: State,
    /// The state in which the step is left, behind a driver's loop included.
    left: State,
    /// When the program has ended for good.
    ended: Option<TermId>,
}

/// Runs one step from unknown state.
fn run(task: &Task<'_>, machine: &mut Machine<'_>) -> Outcome<Run> {
    machine.initial_memory.phase = Phase::Step { frame: 0 };
    machine.initial_memory.notes_reads = true;
    machine.events = Events::default();
    machine.hazards = Hazards::default();
    let mut state = machine.blank();
    machine.forget_calls(&mut state);
    let end = match task.entry.driver {
        Some(driver) => run_round(task, machine, driver, state)?,
        None => run_functions(task, machine, state)?,
    };
    machine.initial_memory.notes_reads = false;
    let leaving = std::mem::take(&mut machine.events.leaving);
    let ends = std::mem::take(&mut machine.events.ends);
    let ended = (!leaving.is_empty()).then(|| {
        let paths: Vec<TermId> = leaving.iter().map(|state| machine.paths.conjunction(state.path)).collect();
        let never = machine.system.terms.truth(false);
        paths.into_iter().fold(never, |any, path| machine.system.terms.or(any, path))
    });
    let mut left = machine.join(ends.into_iter().chain(end.clone()).collect());
    if let Some(left) = &mut left {
        machine.bury_all(left);
    }
    match machine.join(leaving.into_iter().chain(end).collect()) {
        Some(mut state) => {
            machine.bury_all(&mut state);
            Ok(Run { left: left.unwrap_or_else(|| state.clone()), state, ended })
        }
        // Goals count that are reached before the end, so steps are possible though none of them
        // returns.
        None if may_end_early(machine, &machine.events) => {
            let (state, left) = (machine.blank(), machine.blank());
            Ok(Run { state, left, ended })
        }
        None => {
            let is_unset = |site: &&HazardSite| site.kind == HazardKind::Indeterminate;
            let unset = machine.hazards.sites.iter().find(is_unset).map(|site| site.span);
            let cut = machine.events.assumptions.iter().find_map(|site| match site.premise {
                Premise::Unwound(rounds) => Some((rounds, site.span)),
                _ => None,
            });
            let error = machine.diagnostics.error(
                Code::NoStepPossible,
                unset,
                "no step is possible: the assumptions made in it contradict each other, or it never ends",
            );
            if unset.is_some() {
                error.advice(
                    "a local variable is read here before it has a value, which counts as 0; to make it an input, take it from outside: `int x = nondet_int();`",
                );
            }
            if let Some((rounds, span)) = cut {
                error.related(
                    format!("executions that go on here behind {rounds} rounds are left out (--assume-unwound): a larger --unwind keeps more of them"),
                    span,
                );
            }
            Err(crate::exec::Stop::Failed)
        }
    }
}

fn run_round(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    driver: DriverLoop,
    state: State,
) -> Outcome<Option<State>> {
    let body = task.program.functions[driver.function].body.as_ref().expect("a driver should have a body");
    let found = walk::loops(body).into_iter().find(|found| found.span == driver.span);
    let found = found.expect("the loop of a driver should stand in its function");
    let mut frame = machine.frame(driver.function, 0)?;
    machine.depths.insert(driver.function, 1);
    let behind = walk::behind(body, driver.span).unwrap_or_default();
    machine.driver_round(&mut frame, state, &found, &behind)
}

fn run_functions(task: &Task<'_>, machine: &mut Machine<'_>, state: State) -> Outcome<Option<State>> {
    let tick = make_tick(task, machine);
    let mut state = Some(state);
    for scheduled in &task.entry.steps {
        let Some(current) = state else { break };
        let due = match tick {
            Some(tick) if scheduled.every > 1 => {
                let terms = &mut machine.system.terms;
                let width = terms.width(tick);
                let every = terms.word(width, u128::from(scheduled.every));
                let phase = terms.word(width, u128::from(scheduled.phase));
                let rest = terms.binary(BinaryOp::URem, tick, every);
                terms.equal(rest, phase)
            }
            _ => machine.system.terms.truth(true),
        };
        let negated = machine.system.terms.not(due);
        let called = match machine.assume(&current, due) {
            Some(current) => run_function(task, machine, scheduled.function, current)?,
            None => None,
        };
        let passed = machine.assume(&current, negated);
        state = machine.join(called.into_iter().chain(passed).collect());
    }
    Ok(state)
}

/// A state word that counts steps, where step functions have rates.
fn make_tick(task: &Task<'_>, machine: &mut Machine<'_>) -> Option<TermId> {
    let cycle = task.entry.steps.iter().fold(1u64, |cycle, step| lcm(cycle, u64::from(step.every)));
    if cycle == 1 {
        return None;
    }
    let width = u64::BITS - cycle.leading_zeros();
    let state = machine.system.add_state("(steps counted)", Sort::word(width));
    let tick = machine.system.state_term(state);
    let terms = &mut machine.system.terms;
    let (zero, one, last) =
        (terms.word(width, 0), terms.word(width, 1), terms.word(width, u128::from(cycle - 1)));
    let is_last = terms.equal(tick, last);
    let more = terms.binary(BinaryOp::Add, tick, one);
    let next = terms.ite(is_last, zero, more);
    machine.initial_memory.extras.push((state, zero, next));
    Some(tick)
}

fn lcm(left: u64, right: u64) -> u64 {
    let (mut a, mut b) = (left, right.max(1));
    while b != 0 {
        (a, b) = (b, a % b);
    }
    left / a * right.max(1)
}

fn run_function(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    function: FunctionId,
    state: State,
) -> Outcome<Option<State>> {
    let declaration = &task.program.functions[function];
    let mut arguments = Vec::new();
    for (index, &local) in declaration.parameters.iter().enumerate() {
        let object = machine.parameter(function, index, declaration.span)?;
        let target = machine.whole(object);
        let ty = declaration.locals[local].ty;
        arguments.push(machine.load_targets(&state, &[target], ty, None, declaration.span)?);
    }
    let (end, result) = machine.inline(state, function, &arguments, declaration.span)?;
    let Some(mut end) = end else { return Ok(None) };
    if let (Some(result), Some(shown)) = (result, machine.objects.find(&Origin::Returned(function))) {
        let (source, target) = (machine.whole(result), machine.whole(shown));
        let ty = declaration.result;
        let content = machine.load_targets(&end, &[source], ty, None, declaration.span)?;
        machine.store_targets(&mut end, &[target], ty, None, &content, declaration.span)?;
        machine.forget(&mut end, &[result]);
    }
    Ok(Some(end))
}
