//! From a request to a transition system.
//!
//! ```text
//! load -> detect -> set up objects -> run initialisation -> run the step until settled -> goals -> assemble
//! ```
//! A pointer that turns out to need an object behind it makes everything behind `detect` start
//! again with that object.

mod ask;
pub(crate) mod assemble;
pub(crate) mod ending;
mod flow;
mod judged;
mod kept;
pub(crate) mod known_steps;
mod named;
mod outputs;
mod report;
mod required;
mod resolve;
pub(crate) mod setup;
mod short_names;
pub(crate) mod signals;
mod source;
pub(crate) mod start;
pub(crate) mod step;
mod unset;
mod values;
mod whole;

use crate::code::Code;
use crate::deep_stack::deep_stack_of;
use crate::detect::{self, Entry};
use crate::exec::coverage::Counting;
use crate::exec::events::{AssumptionSite, Premise};
use crate::exec::hazard::{HazardKind, HazardSite};
use crate::exec::initial_memory::Role;
use crate::exec::object::{ObjectId, Origin};
use crate::exec::{Machine, Stop};
use crate::ir::expr::ExprKind;
use crate::ir::{InitialValue, Program};
use assemble::{Assembled, assemble};
use frontend::coverage::Criterion;
use frontend::diagnostics::Diagnostics;
use frontend::source::Span;
use frontend::{DEFAULT_UNWIND, Failure, Finding, Judge, NoJudge, Request, Topic, Translated};
use setup::{Task, Wanted, set_up};
use start::{Initialised, initialise};
use std::collections::BTreeSet;
use step::settle;

/// Stack of the thread that executes: nested statements, calls and expressions are nested calls
/// there.
const STACK: usize = 1 << 30;

/// Most objects made for pointers that nothing sets.
const MOST_POINTEES: usize = 2000;

/// Most of them of one type: lists would go on forever.
const MOST_ALIKE: usize = 100;

/// Reads a C model and translates it.
pub fn translate(request: &Request) -> Result<Translated, Failure> {
    translate_with(request, &NoJudge)
}

/// As [`translate`], with help where it is hard to see that a recursion or a loop ends.
pub fn translate_with(request: &Request, judge: &dyn Judge) -> Result<Translated, Failure> {
    let program = crate::load(request)?;
    translate_loaded(request, program, judge)
}

/// Translates a program that was read for the request, without a judge.
pub fn translate_program(request: &Request, program: Program) -> Result<Translated, Failure> {
    translate_loaded(request, program, &NoJudge)
}

/// As [`translate_program`], with help where it is hard to see that a recursion or a loop ends.
///
/// # Errors
/// As for [`translate_with`].
pub fn translate_program_with(
    request: &Request,
    program: Program,
    judge: &dyn Judge,
) -> Result<Translated, Failure> {
    translate_loaded(request, program, judge)
}

fn translate_loaded(request: &Request, program: Program, judge: &dyn Judge) -> Result<Translated, Failure> {
    deep_stack_of(STACK, || run(request, program, judge))
}

fn run(request: &Request, mut program: Program, judge: &dyn Judge) -> Result<Translated, Failure> {
    detect::attach_timer(&mut program, request);
    let entry = match detect::detect(&program, request) {
        Ok(entry) => entry,
        Err(diagnostics) => return Err(failure(program, diagnostics)),
    };
    let attempt = execute(request, &program, &entry, judge);
    let (assembled, findings, diagnostics) = match attempt {
        Ok(done) => done,
        Err(diagnostics) => return Err(failure(program, diagnostics)),
    };
    let resolved = resolve::resolved(request, &program, &entry, &assembled);
    let Assembled { system, signals, origins, size, blueprint, wording, .. } = assembled;
    let Assembled { early_end, requirements, observed, costs, start_hazards, endless, library_facts, .. } =
        assembled;
    let mut all = program.warnings.clone();
    all.entries.extend(entry.warnings.entries.iter().cloned().chain(diagnostics.entries));
    all.entries.extend(report::left_out(&program));
    let sources = program.sources.clone();
    let source = source::CSource::new(program, entry, origins, blueprint, &system, wording);
    Ok(Translated {
        system,
        signals,
        findings,
        diagnostics: all,
        sources,
        resolved,
        size,
        early_end,
        requirements,
        observed,
        costs,
        start_hazards,
        endless,
        library_facts,
        source: Box::new(source),
    })
}

fn failure(program: Program, diagnostics: Diagnostics) -> Failure {
    let mut all = program.warnings;
    all.entries.extend(diagnostics.entries);
    Failure { diagnostics: all, sources: program.sources }
}

type Done = (Assembled, Vec<Finding>, Diagnostics);

fn execute(
    request: &Request,
    program: &Program,
    entry: &Entry,
    judge: &dyn Judge,
) -> Result<Done, Diagnostics> {
    let roles = request.texts().into_iter().map(|(role, _)| role).collect();
    let task = Task { program, request, entry, roles };
    let mut wanted: Vec<Wanted> = Vec::new();
    let mut free_at_start: BTreeSet<usize> = BTreeSet::new();
    loop {
        let mut machine = Machine::new(program, request.unwind.unwrap_or(DEFAULT_UNWIND).max(1), judge);
        machine.assumes_unwound = request.assumes_unwound;
        machine.marks_long_loops = request.marks_long_loops;
        machine.limit = request.limit.clone();
        machine.free_at_start.clone_from(&free_at_start);
        machine.keep_wording = request.keep_wording;
        machine.robustness = request.robustness;
        machine.forbids_undefined = request.forbids_undefined;
        let compares = request.coverage.criteria.contains(&Criterion::Relational);
        machine.counting = Counting {
            criteria: request.coverage.criteria.clone(),
            per_call: request.coverage.per_call,
            init: request.coverage.init,
        };
        machine.tolerance = compares.then_some(request.coverage.tolerance);
        let options = request.input_options.iter();
        machine.limited = options
            .filter(|option| option.range.is_some() || option.values.is_some())
            .map(|option| option.lvalue.clone())
            .collect();
        let open = request.open_decisions.iter();
        machine.open_decisions =
            open.filter_map(|place| Some((program.sources.find(&place.file)?, place.line))).collect();
        machine.steps = entry.steps.iter().map(|step| step.function).collect();
        let mut findings = entry.findings.clone();
        match attempt(&task, &mut machine, &wanted, &mut findings) {
            Ok(assembled) => {
                let found = inputs_read_at_start(&machine);
                if found.is_subset(&free_at_start) {
                    return Ok((assembled, findings, machine.diagnostics));
                }
                free_at_start.extend(found);
            }
            Err(Stop::Failed) => return Err(machine.diagnostics),
            Err(Stop::Restart) => {
                let next = next_wanted(&machine);
                let alike = wanted.iter().filter(|known| known.pointee == next.pointee).count();
                if wanted.contains(&next) || alike >= MOST_ALIKE || wanted.len() >= MOST_POINTEES {
                    let mut diagnostics = machine.diagnostics;
                    let message = "pointers lead to ever more new objects";
                    diagnostics
                        .error(Code::EndlessPointers, None, message)
                        .advice("bind the pointers of the model's data structures in the section [bind]");
                    return Err(diagnostics);
                }
                wanted.push(next);
                // A new object may change the numbers of cells.
                free_at_start.clear();
            }
        }
    }
}

/// Volatile inputs that initialisation reads.
fn inputs_read_at_start(machine: &Machine<'_>) -> BTreeSet<usize> {
    let read = machine.initial_memory.read_at_start.iter().copied();
    read.filter(|&cell| machine.initial_memory.role(cell) == Role::Input).collect()
}

fn next_wanted(machine: &Machine<'_>) -> Wanted {
    let (cell, pointee) = machine.wanted.expect("a restart should say what it needs");
    let (object, index) = machine.objects.owner(cell);
    Wanted { holder: machine.objects.get(object).origin.clone(), cell: index, pointee }
}

fn attempt<'p>(
    task: &Task<'p>,
    machine: &mut Machine<'p>,
    wanted: &[Wanted],
    findings: &mut Vec<Finding>,
) -> Result<Assembled, Stop> {
    set_up(task, machine, wanted, findings)?;
    let initialised = initialise(task, machine, findings)?;
    warn_about_start(machine, &initialised);
    let mut stepped = settle(task, machine)?;
    findings.extend(step::code_behind_loop(task, &stepped));
    findings.extend(assumed(machine, &initialised, &stepped));
    findings.extend(read_without_value(machine));
    findings.extend(kept::left_without_value(machine));
    stepped.ending = ending::find(machine, &stepped.events);
    let assembled = assemble(task, machine, &initialised, &stepped, findings)?;
    if task.request.robustness {
        findings.extend(required::safe_operations(machine));
    }
    let system = &assembled.system;
    if task.request.inputs.is_none() && system.inputs.is_empty() && system.initial_inputs.is_empty() {
        unset::tell_no_inputs(machine, &stepped.written);
    }
    Ok(assembled)
}

/// What the code itself demands of executions: which of them are left out, and where.
fn assumed(machine: &Machine<'_>, initialised: &Initialised, stepped: &step::Stepped) -> Vec<Finding> {
    let mut told = BTreeSet::new();
    let counts = ending::may_end_early(machine, &stepped.events);
    let first = initialised.events.assumptions.iter().map(|site| (site, false));
    let sites = first.chain(stepped.events.assumptions.iter().map(|site| (site, counts)));
    let told = sites.filter(|(site, _)| told.insert((site.span, &site.premise)));
    let finding = |(site, counts): (&AssumptionSite, bool)| {
        let mut reason = site.told()?;
        if counts && site.premise.ends_execution() {
            reason.push_str("; goals in the code that they reached before count");
        }
        let topic = if site.premise == Premise::Said { Topic::Assumption } else { Topic::Assumed };
        Some(Finding { topic, subject: place_text(machine, site.span), reason })
    };
    let overridden = overridden_initialisers(machine, stepped);
    told.filter_map(finding).chain(overridden).collect()
}

/// Variables that are inputs by their names alone, though they are defined with values other than
/// zero: claims rest on that choice.
fn overridden_initialisers(machine: &Machine<'_>, stepped: &step::Stepped) -> Vec<Finding> {
    let inputs = machine.initial_memory.inputs.iter().filter_map(|input| input.cell);
    let found = inputs.filter(|cell| stepped.found_inputs.contains(cell));
    let objects: BTreeSet<ObjectId> = found.map(|cell| machine.objects.owner(cell).0).collect();
    let is_zero = |value: &InitialValue| matches!(value.value.kind, ExprKind::Zero | ExprKind::Integer(0));
    let has_values = |object: &ObjectId| match machine.objects.get(*object).origin {
        Origin::Global(global) => !machine.program.globals[global].initialiser.iter().all(is_zero),
        _ => false,
    };
    let finding = |object: ObjectId| Finding {
        topic: Topic::Assumed,
        subject: machine.objects.get(object).name.clone(),
        reason: "it is taken for an input, so that the values of its initialiser play no part".to_owned(),
    };
    objects.into_iter().filter(has_values).map(finding).collect()
}

/// Effort of asking whether a variable can be read before it has a value.
const EFFORT: f64 = 0.1;

/// Where the step may read a variable that has no value: what is claimed then rests on the value
/// that is taken.
fn read_without_value(machine: &Machine<'_>) -> Vec<Finding> {
    let is_met = |site: &&HazardSite| {
        site.kind == HazardKind::Indeterminate
            && machine.judge.may_hold(&machine.system.terms, &[site.condition], EFFORT)
    };
    let finding = |site: &HazardSite| Finding {
        topic: Topic::Assumed,
        subject: place_text(machine, site.span),
        reason: "a variable may be read here before it has a value, which is taken to be 0".to_owned(),
    };
    let mut findings: Vec<Finding> = machine.hazards.sites.iter().filter(is_met).map(finding).collect();
    findings.dedup();
    findings
}

/// A place in the words of findings: file and line.
fn place_text(machine: &Machine<'_>, span: Span) -> String {
    let (file, line) = machine.program.sources.written(span);
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    format!("{name}:{line}")
}

/// Reports what initialisation runs into that has no place in the system.
fn warn_about_start(machine: &mut Machine<'_>, initialised: &Initialised) {
    for site in &initialised.hazards {
        let message = format!("initialisation runs into undefined behaviour: {}", site.kind.description());
        machine.diagnostics.warning(Code::UndefinedInInit, Some(site.span), message);
    }
    for site in &initialised.events.covers {
        machine.diagnostics.warning(
            Code::GoalInInit,
            Some(site.span),
            "a goal in initialisation code is ignored",
        );
    }
    for site in &initialised.events.assertions {
        machine.diagnostics.warning(
            Code::AssertionInInit,
            Some(site.span),
            "an assertion in initialisation code is ignored",
        );
    }
}

/// The model's name: what the request says, else the stem of the file that defines the step.
pub(crate) fn model_name(request: &Request, program: &Program, entry: &Entry) -> String {
    if !request.name.is_empty() {
        return request.name.clone();
    }
    let step = entry.steps.first().map(|step| step.function);
    let framed = entry.driver.and_then(|driver| detect::framed_step(program, driver));
    let function = step.or(framed).or(entry.driver.map(|driver| driver.function));
    let file = function.map(|function| &program.units[program.functions[function].unit].path);
    let stem = file.or(request.sources.first()).and_then(|path| path.file_stem());
    stem.map_or_else(|| "model".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
