//! From a finished execution to the transition system and its signals.

use super::ask::{Asked, ask};
use super::outputs::output_cells;
use super::report::report;
use super::required::{Further, further, requirement};
use super::setup::Task;
use super::short_names::short_names;
use super::signals::signals;
use super::start::Initialised;
use super::step::Stepped;
use super::whole;
use crate::exec::events::{AssumptionSite, Events, Premise};
use crate::exec::hazard::{HazardKind, HazardSite};
use crate::exec::initial_memory::Role;
use crate::exec::transcendental::TranscendentalCall;
use crate::exec::{Machine, Outcome};
use crate::goals::{Draft, wording};
use crate::harness::blueprint::{self, Blueprint};
use frontend::coverage::Coverage;
use frontend::diagnostics::visible;
use frontend::source::Span;
use frontend::{
    Decision, End, EndPlace, Finding, ObservedPlace, Requirement, Signals, Size, StartHazard, WordValues,
    Written,
};
use model::external;
use model::id::IdVec;
use model::system::{
    Assumption, Goal, GoalId, Hazard, Invariant, OriginId, Output, State as StateWord, TransitionSystem,
};
use model::term::TermId;
use std::collections::BTreeSet;

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
    /// Conditions as they were written.
    pub(crate) wording: Wording,
    /// Where steps may end early.
    pub(crate) early_end: Vec<EndPlace>,
    /// What must hold in all executions.
    pub(crate) requirements: Vec<Requirement>,
    /// The places that they read between steps.
    pub(crate) observed: Vec<ObservedPlace>,
    /// Where steps cost more.
    pub(crate) costs: Vec<TermId>,
    /// What initialisation runs into.
    pub(crate) start_hazards: Vec<StartHazard>,
    /// Origins of hazards that are loops which never end.
    pub(crate) endless: Vec<OriginId>,
    /// Assumptions about results of external calls that hold of every library.
    pub(crate) library_facts: Vec<TermId>,
    /// Values that words of memory may have, by cell.
    pub(crate) word_values: WordValues,
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
    /// Goals that follow from the structure of the code.
    pub(crate) coverage: Option<Coverage>,
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
    machine.initial_memory.measured = outputs.iter().copied().collect();
    let held: BTreeSet<usize> = machine.initial_memory.states.iter().map(|&(cell, _)| cell).collect();
    let mut asked = ask(task, machine, (initialised, stepped))?;
    let costs = std::mem::take(&mut asked.costs);
    let output_values: Vec<TermId> = outputs.iter().map(|&cell| value_behind(machine, cell)).collect();
    let mut origins = Origins::default();
    set_states(machine);
    if let Some(ending) = &stepped.ending {
        ending.limit_hazards(machine);
    }
    let further = further(task, machine, stepped, &asked.goals);
    let names = short_names(machine, task, &outputs);
    let signals = signals(task, machine, (&outputs, &held), &names, &asked);
    report(task, machine, (stepped, &asked.meant), &signals, findings);
    let input_cells: Vec<usize> =
        machine.initial_memory.inputs.iter().filter_map(|input| input.cell).collect();
    let places = (whole::lvalues(machine, &input_cells), whole::lvalues(machine, &outputs));
    let size = size(task, machine);
    let mut blueprint = blueprint::draw(machine, &signals, &outputs, initialised.start.as_ref());
    blueprint.early =
        stepped.ending.as_ref().map(|ending| blueprint::early(machine, ending, &stepped.events));
    let decisions = wording::decisions(machine);
    let observed = observed_places(machine);
    let facts = &machine.initial_memory.transcendental_facts;
    let library_facts = facts.iter().map(|&(fact, _)| fact).collect();
    let mut system = std::mem::take(&mut machine.system);
    system.name = visible(&super::model_name(task.request, task.program, task.entry));
    let named = signals.outputs.iter().map(|(signal, _)| signal.name.clone()).zip(output_values);
    system.outputs = named.map(|(name, value)| Output { name, value }).collect();
    system.initial_assumptions = origins.assumptions(&initialised.assumptions);
    let (wording, requirements) = put_questions(&mut system, asked, further, &mut origins);
    let wording = Wording { decisions, ..wording };
    let (hazards, endless) = origins.hazards(machine);
    system.hazards.extend(hazards);
    system.external_calls = origins.external_calls(machine);
    let early_end = match stepped.ending {
        Some(_) => origins.ends(&stepped.events),
        None => Vec::new(),
    };
    Ok(Assembled {
        system,
        signals,
        origins: origins.table,
        size,
        blueprint,
        wording,
        early_end,
        requirements,
        observed,
        costs,
        start_hazards: start_hazards(initialised),
        endless,
        library_facts,
        word_values: stepped.word_values.clone(),
        inputs: places.0,
        outputs: places.1,
    })
}

/// The places of memory that requirements read between steps.
fn observed_places(machine: &mut Machine<'_>) -> Vec<ObservedPlace> {
    let observed = machine.initial_memory.observed.clone();
    let place = |(cell, symbol)| {
        let initial = machine.known_start_value(cell);
        let initial = initial.and_then(|value| machine.system.terms.as_const(value));
        ObservedPlace { symbol, lvalue: machine.cell_name(cell), initial }
    };
    observed.into_iter().map(place).collect()
}

/// Puts into the system what is asked of it; returns how that was written, and what must hold.
fn put_questions(
    system: &mut TransitionSystem,
    asked: Asked,
    further: Vec<Further>,
    origins: &mut Origins,
) -> (Wording, Vec<Requirement>) {
    system.assumptions = origins.assumptions(&asked.assumptions);
    let invariants = asked.invariants.into_iter();
    system.invariants =
        invariants.map(|(condition, text)| Invariant { condition, origin: None, text }).collect();
    system.end = asked.end;
    let mut wording = Wording { assumptions: asked.assumed, coverage: asked.coverage, ..Wording::default() };
    let mut requirements = Vec::new();
    for draft in asked.goals {
        let origin = draft.span.map(|span| origins.add(span));
        let required = requirement(&mut system.terms, &draft, origin);
        let Draft { name, requirement, text, steps, antecedent, expectation, parts, .. } = draft;
        wording.goals.push(parts);
        let goal =
            system.goals.push(Goal { name, requirement, text, origin, steps, antecedent, expectation });
        requirements.extend(required.map(|required| Requirement { goal: Some(goal), ..required }));
    }
    for Further { draft, span } in further {
        let origin = Some(origins.add(span));
        requirements.extend(requirement(&mut system.terms, &draft, origin));
    }
    (wording, requirements)
}

/// The places that origins stand for.
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
    /// The hazards, and the origins of those that are loops which never end.
    fn hazards(&mut self, machine: &Machine<'_>) -> (Vec<Hazard>, Vec<OriginId>) {
        let (mut hazards, mut endless) = (Vec::new(), Vec::new());
        for site in &machine.hazards.sites {
            let origin = self.add(site.span);
            if site.kind == HazardKind::Endless {
                endless.push(origin);
            }
            hazards.push(Hazard {
                condition: site.condition,
                description: site.kind.description().to_owned(),
                effect: site.kind.effect(),
                origin: Some(origin),
            });
        }
        (hazards, endless)
    }
    fn ends(&mut self, events: &Events) -> Vec<EndPlace> {
        let ending = events.assumptions.iter().filter(|site| site.premise.ends_execution());
        let place = |site: &AssumptionSite| EndPlace {
            goes_on: site.condition,
            origin: self.add(site.span),
            end: match &site.premise {
                Premise::Ends(function) | Premise::Error(function) => End::Call(function.clone()),
                Premise::Undefined(kind) => End::Undefined(kind.description()),
                Premise::Said | Premise::Unwound(_) | Premise::Meant => End::Assumption,
            },
        };
        ending.map(place).collect()
    }
    fn external_calls(&mut self, machine: &Machine<'_>) -> Vec<external::Call> {
        let call = |call: &TranscendentalCall| external::Call {
            function: call.function,
            format: call.format,
            input: call.input,
            arguments: call.arguments.clone(),
            origin: Some(self.add(call.span)),
        };
        machine.initial_memory.transcendental.iter().map(call).collect()
    }
}

/// What a cell holds behind a step.
fn value_behind(machine: &mut Machine<'_>, cell: usize) -> TermId {
    match machine.initial_memory.left.values.get(cell) {
        Some(value) => value,
        None if machine.initial_memory.role(cell) == Role::Constant => machine.start_value(cell),
        None => {
            let symbol = machine.cell_symbol(cell);
            machine.system.terms.symbol_term(symbol)
        }
    }
}

/// Gives every state word its initial value and its value after a step.
fn set_states(machine: &mut Machine<'_>) {
    for (cell, state) in machine.initial_memory.states.clone() {
        let init = machine.start_value(cell);
        let next = value_behind(machine, cell);
        let word = &mut machine.system.states[state];
        (word.init, word.next) = (init, next);
    }
    for (state, init, next) in machine.initial_memory.extras.clone() {
        let StateWord { init: first, next: later, .. } = &mut machine.system.states[state];
        (*first, *later) = (init, next);
    }
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

fn start_hazards(initialised: &Initialised) -> Vec<StartHazard> {
    let hazard = |site: &HazardSite| StartHazard {
        description: site.kind.description(),
        effect: site.kind.effect(),
        is_endless: site.kind == HazardKind::Endless,
        span: site.span,
    };
    initialised.hazards.iter().map(hazard).collect()
}
