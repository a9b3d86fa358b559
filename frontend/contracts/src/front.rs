//! A requirement interface as a model that commands and reports take: signals, places, and the way
//! back to the source.

use crate::code::Code;
use crate::goals::{self, Goal, KINDS, What};
use crate::interface::Interface;
use crate::lower::{Lowered, Wishes, lower};
use crate::parts::{Lost, Part, parts};
use crate::print;
use crate::read::{Document, Unreadable, read};
use crate::semantics::{Effort, Undecided, Valuation, id_index};
use crate::syntax::Role;
use frontend::diagnostics::Diagnostics;
use frontend::source::SourceMap;
use frontend::{
    Failure, Finding, FrontEnd, InputOption, InputSignal, Judge, Location, ReplayPlan, Request, Signal,
    Signals, Size, Source, Topic, Translated, Written,
};
use model::id::Id;
use model::system::{Assumption, GoalId, OriginId, TransitionSystem};
use model::term::TermId;
use model::trace::{Execution, Start, Trace};
use std::any::Any;
use std::path::Path;

/// The front end of requirement interfaces.
#[derive(Clone, Copy, Debug)]
pub struct Contracts;

/// Values that may be tried to find out where a system is lost.
const LOOKING: u64 = 3_000_000;

/// Lost positions that are left out one by one.
const MOST_LOST: usize = 4096;

impl FrontEnd for Contracts {
    fn language(&self) -> &'static str {
        "requirement interfaces"
    }
    fn reads(&self, path: &Path) -> bool {
        path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ri"))
    }
    fn translate(&self, request: &Request, _: &dyn Judge) -> Result<Translated, Failure> {
        let document = read(&request.sources, &request.define).map_err(|error| {
            let Unreadable(failure) = *error;
            failure
        })?;
        let Document { interface, files, mut diagnostics, sources, .. } = document;
        let fail = |diagnostics: Diagnostics, sources: SourceMap| Err(Failure { diagnostics, sources });
        if let Some(what) = request.only_for_c() {
            let message =
                format!("{what} are about C code; requirement interfaces say all of that themselves");
            diagnostics.error(Code::OnlyForC, None, message);
            return fail(diagnostics, sources);
        }
        let Some(goals) = wanted(&interface, request, &mut diagnostics) else {
            return fail(diagnostics, sources);
        };
        let mut findings = vec![found(&interface)];
        let parts = known_parts(&interface, request, &mut findings);
        if let Some(depth) = parts.iter().filter_map(|part| part.ranks.depth()).min() {
            let message =
                format!("the requirements are inconsistent from step {depth} on: no system can meet them");
            diagnostics
                .error(Code::Inconsistent, None, message)
                .advice("`chaincover check` says which of them contradict each other");
            return fail(diagnostics, sources);
        }
        let lost = lost_positions(&parts, request, &mut findings);
        let wishes = Wishes {
            goals: &goals,
            no_idle: request.specification.no_idle,
            parts: &parts,
            lost: &lost,
            keeps_wording: request.keep_wording,
        };
        let Ok(mut lowered) = lower(&interface, &wishes, &mut diagnostics) else {
            return fail(diagnostics, sources);
        };
        // Several goals about one requirement are told apart by what they ask for.
        for (goal, lowered) in goals.iter().zip(lowered.system.goals.values_mut()) {
            let which = match &goal.what {
                What::Branch(_) => {
                    let words: Vec<&str> = goal.extent().text(&sources).split_whitespace().collect();
                    Some(words.join(" "))
                }
                What::Deciding(_) => Some("other answers would break this alone".to_owned()),
                What::Trigger(_) | What::Purpose(_) => None,
            };
            if let Some(written) = which {
                let text = lowered.text.as_deref().map_or_else(String::new, |text| format!("{text} "));
                lowered.text = Some(format!("{text}[{written}]"));
            }
        }
        drop((goals, parts));
        if !request.name.is_empty() {
            lowered.system.name.clone_from(&request.name);
        }
        let contracts = print::contracts(&files);
        Ok(translated((interface, contracts), lowered, lost, request, (findings, diagnostics, sources)))
    }
}

fn translated(
    (interface, contracts): (Interface, Vec<Vec<String>>),
    lowered: Lowered,
    lost: Vec<Lost>,
    request: &Request,
    (findings, diagnostics, sources): (Vec<Finding>, Diagnostics, SourceMap),
) -> Translated {
    let system = lowered.system.clone();
    let texts = system.goals.values().map(|goal| goal.text.clone().unwrap_or_default()).collect();
    let places = sources.clone();
    Translated {
        signals: signals(&interface, &lowered),
        findings,
        diagnostics,
        resolved: Request { name: system.name.clone(), ..request.clone() },
        requirements: Vec::new(),
        observed: Vec::new(),
        size: size(&interface, &lowered, &sources),
        early_end: Vec::new(),
        costs: Vec::new(),
        start_hazards: Vec::new(),
        endless: Vec::new(),
        library_facts: Vec::new(),
        source: Box::new(ContractsSource::new((interface, contracts), lowered, lost, places, texts)),
        system,
        sources,
    }
}

/// The goals that a request asks for; none where names of the request are unknown.
fn wanted<'i>(
    interface: &'i Interface,
    request: &Request,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Goal<'i>>> {
    let wanted = &request.specification;
    let mut unknown = |what: &str, name: &str, known: Vec<&str>| {
        diagnostics
            .error(Code::UnknownGoal, None, format!("there is no {what} `{name}`"))
            .advice(spec::language::known_names(name, &known));
    };
    let view = wanted.view.as_ref().map(|name| (name, interface.views.iter().position(|view| view == name)));
    let view = match view {
        Some((name, None)) => {
            unknown("view", name, interface.views.iter().map(String::as_str).collect());
            return None;
        }
        Some((_, number)) => number,
        None => None,
    };
    match goals::wanted(interface, &wanted.goals, view) {
        Ok(goals) => Some(goals),
        Err(name) => {
            unknown(goals::WHAT, name, interface.goals().chain(KINDS).collect());
            None
        }
    }
}

fn found(interface: &Interface) -> Finding {
    let (initial, update) = interface.counts();
    Finding {
        topic: Topic::Step,
        subject: interface.name.clone(),
        reason: format!(
            "one observation is one step; {initial} initial and {update} update contracts say what the system may answer"
        ),
    }
}

/// The independent parts whose positions can be enumerated quickly.
fn known_parts<'i>(
    interface: &'i Interface,
    request: &Request,
    findings: &mut Vec<Finding>,
) -> Vec<Part<'i>> {
    let all: Vec<usize> = (0..interface.requirements.len()).collect();
    let mut known = Vec::new();
    for part in parts(interface, &all) {
        let names = interface.names(part.iter().copied()).join(", ");
        match Part::new(interface, part, &mut Effort::new(LOOKING, request.limit.clone())) {
            Ok(part) => known.push(part),
            Err(undecided) => findings.push(not_left_out(names, &undecided.to_string())),
        }
    }
    known
}

fn not_left_out(subject: String, reason: &str) -> Finding {
    let reason = format!("{reason}: answers that lead to a dead end later are not left out");
    Finding { topic: Topic::Assumed, subject, reason }
}

/// Positions from which no system can go on for ever, where they are known and few.
fn lost_positions(parts: &[Part<'_>], request: &Request, findings: &mut Vec<Finding>) -> Vec<Lost> {
    let mut found = Vec::new();
    for part in parts {
        let lost = part.lost(&mut Effort::new(LOOKING, request.limit.clone()));
        if lost.positions.len() <= MOST_LOST {
            found.push(lost);
        } else {
            let names = part.semantics.interface.names(part.semantics.selected.iter().copied()).join(", ");
            findings.push(not_left_out(names, "there are many such positions"));
        }
    }
    found
}

fn signals(interface: &Interface, lowered: &Lowered) -> Signals {
    let inputs = interface.variables(Role::Input).map(|id| InputSignal {
        signal: signal(interface, id),
        input: lowered.inputs[id],
        option: InputOption::default(),
        by_type: None,
        limit: None,
    });
    let states = lowered.states.iter().map(|&(id, state)| {
        let before = signal(interface, id);
        (Signal { name: format!("{}_before", before.name), ..before }, state)
    });
    // Outputs are no function of the inputs: one of several allowed values would pass for the one
    // that a test has to expect. What is allowed is recorded as formulas.
    Signals { inputs: inputs.collect(), outputs: Vec::new(), states: states.collect() }
}

fn signal(interface: &Interface, id: spec::scope::VariableId) -> Signal {
    let variable = interface.scope.variable(id);
    let ty = &variable.ty;
    let kind = ty.signal_kind();
    let step = ty.range().filter(|range| !range.is_integral());
    let type_name = match step {
        Some(range) => format!("{ty}, counted in steps of {}", spec::value::Value::fraction(range.step())),
        None => ty.to_string(),
    };
    let bits = ty.sort().map_or(1, |sort| sort.width());
    Signal { name: variable.name.clone(), lvalue: variable.name.clone(), type_name, bits, kind }
}

fn size(interface: &Interface, lowered: &Lowered, sources: &SourceMap) -> Size {
    let bits = |id| interface.scope.variable(id).ty.sort().map_or(0, |sort| sort.width() as usize);
    let lines = sources.files.values().map(|file| file.text.as_deref().unwrap_or_default().lines().count());
    Size {
        lines: lines.sum(),
        state_words: lowered.states.len() + 1,
        state_bits: lowered.states.iter().map(|&(id, _)| bits(id)).sum::<usize>() + 1,
        input_bits: interface.variables(Role::Input).map(bits).sum(),
    }
}

/// The way back to the text, and the interface itself.
pub struct ContractsSource {
    interface: Interface,
    /// The contracts of each requirement as they are written.
    contracts: Vec<Vec<String>>,
    lowered: Lowered,
    lost: Vec<Lost>,
    places: SourceMap,
    /// The texts of the goals.
    texts: Vec<String>,
    assumptions: Vec<Written>,
}

impl ContractsSource {
    fn new(
        (interface, contracts): (Interface, Vec<Vec<String>>),
        lowered: Lowered,
        lost: Vec<Lost>,
        places: SourceMap,
        texts: Vec<String>,
    ) -> Self {
        let mut source = Self { interface, contracts, lowered, lost, places, texts, assumptions: Vec::new() };
        let system = &source.lowered.system;
        let place = |origin: Option<OriginId>| origin.map(|origin| source.locate(origin));
        let stated = system.assumptions.iter().zip(&source.lowered.texts);
        let assumptions = stated.map(|(assumption, text)| Written {
            condition: assumption.condition,
            text: text.clone(),
            place: place(assumption.origin),
        });
        source.assumptions = assumptions.collect();
        source
    }
    /// The interface.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }
    /// The contracts of each requirement as they are written.
    pub fn contracts(&self) -> &[Vec<String>] {
        &self.contracts
    }
    /// The files.
    pub fn places(&self) -> &SourceMap {
        &self.places
    }
    /// Positions from which no system can go on for ever, as far as they are known.
    pub fn lost(&self) -> &[Lost] {
        &self.lost
    }
    /// The values of all variables in each step of an execution of the system.
    pub fn valuations(&self, trace: &Trace, run: &Execution) -> Vec<Valuation> {
        let steps = trace.inputs.iter().zip(&run.outputs);
        steps.map(|(inputs, outputs)| self.lowered.decode(&self.interface, inputs, outputs)).collect()
    }
    /// The trace of the system in which the variables have these values; none where a value is
    /// outside its type.
    ///
    /// # Errors
    /// There are too many answers to try for what deciding steps need beside the values.
    pub fn trace(&self, steps: &[Valuation], effort: &mut Effort) -> Result<Option<Trace>, Undecided> {
        let inputs = self.lowered.encode(&self.interface, steps, effort)?;
        Ok(inputs.map(|inputs| Trace { start: Start::Initial(Vec::new()), inputs }))
    }
    /// The system of the interface, of which only runs are left that begin with what was observed,
    /// and only goals behind it, with these names; none where a value is outside its type. Values
    /// that were not observed may be any.
    pub fn behind(&self, observed: &[Valuation], goals: &[&str]) -> Option<TransitionSystem> {
        let mut system = self.lowered.system.clone();
        let steps = u32::try_from(observed.len()).ok()?;
        let step = system.add_step_counter("observed", steps);
        for (number, now) in (0..steps).zip(observed) {
            let mut controlled = 0;
            for (id, &input) in self.lowered.inputs.iter() {
                let is_input = self.interface.roles[id] == Role::Input;
                let word = if is_input { system.input_term(input) } else { system.outputs[controlled].value };
                controlled += usize::from(!is_input);
                let Some(value) = &now[id_index(id)] else { continue };
                let value = system.terms.constant(self.interface.scope.variable(id).ty.encode(value)?);
                let is_then = is_step(&mut system, step, number);
                let is_seen = system.terms.equal(word, value);
                let condition = system.terms.implies(is_then, is_seen);
                system.assumptions.push(Assumption { condition, origin: None });
            }
        }
        let is_behind = is_step(&mut system, step, steps);
        let (all, terms) = (std::mem::take(&mut system.goals), &mut system.terms);
        for mut goal in all.values().filter(|goal| goals.contains(&goal.name.as_str())).cloned() {
            goal.antecedent = terms.and(is_behind, goal.antecedent);
            system.goals.push(goal);
        }
        Some(system)
    }
}

/// The truth that a counter of steps has a number.
fn is_step(system: &mut TransitionSystem, counter: TermId, number: u32) -> TermId {
    let width = system.terms.width(counter);
    let number = system.terms.word(width, number.into());
    system.terms.equal(counter, number)
}

impl Source for ContractsSource {
    fn locate(&self, origin: OriginId) -> Location {
        let place = self.lowered.origins.get(origin.index());
        match place {
            Some(place) => {
                Location { file: self.places.files[place.span.file].path.clone(), line: place.span.line }
            }
            None => Location { file: Default::default(), line: 0 },
        }
    }
    fn has_code(&self) -> bool {
        false
    }
    fn replay_plan(&self, _trace: &Trace) -> Result<ReplayPlan, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        diagnostics.error(Code::OnlyForC, None, "requirements have no compiled code");
        Err(diagnostics)
    }
    fn goal_text(&self, goal: GoalId) -> String {
        self.texts.get(goal.index()).cloned().unwrap_or_default()
    }
    fn assumption_parts(&self) -> &[Written] {
        &self.assumptions
    }
    fn ir_text(&self) -> String {
        let file = self.places.files.values().next();
        file.and_then(|file| file.text.as_deref()).unwrap_or_default().to_owned()
    }
    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}
