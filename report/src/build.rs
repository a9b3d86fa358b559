//! From engine results to `chain.json`: names instead of ids, numbers instead of bit patterns.

pub(crate) mod conditions;

pub use conditions::requirements;

use crate::memory;
use crate::output::chain_file::{
    self, Chain, ChainFile, Expectation, Goal, Minimal, ModelOptions, Origin, SCHEMA, Signal, SourceFile,
    Stage, Status, Step, Summary, Tool, Violation,
};
use crate::output::values::{Names, Values};
use crate::output::{holds, number};
use config::file::OutputSection;
use config::resolve::{self, Model};
use engine::knowledge::distances::ReachGraph;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::outcome::Smoothed;
use engine::outcome::{self, Outcome};
use engine::session::{EngineAccount, Milestone};
use frontend::{InputOption, Location, Request, SignalKind, StepFunction, Topic, Translated};
use model::id::Id;
use model::system::{GoalId, Input, InputId, InputRole, StateId};
use model::trace::{Execution, HazardMet, Start, Trace};
use model::validate::Validated;
use model::value::Value;
use replay::check::NativeCheck;
use replay::ending::early_end;
use serde_json::{Map, Value as Json, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The complete file.
pub fn chain_file(
    model: &Model,
    translated: &Translated,
    system: &Validated,
    outcome: &Outcome,
    checks: &[NativeCheck],
    elapsed: Duration,
) -> ChainFile {
    let [inputs, outputs, state] = signals(model, translated);
    let names =
        |order: &[GoalId]| order.iter().map(|&goal| system.goals[goal].name.clone()).collect::<Vec<_>>();
    let chains = outcome.chains.iter().zip(checks);
    ChainFile {
        schema: SCHEMA.to_owned(),
        tool: Tool {
            name: "chaincover".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            solver: outcome.solver.clone(),
            translator: translated.source.translator().map(str::to_owned),
        },
        model: model_section(model, translated, system),
        inputs,
        outputs,
        state,
        goals: system.goals.ids().map(|goal| goal_entry(model, translated, system, outcome, goal)).collect(),
        contracts: Vec::new(),
        requirements: requirements(model, translated, system),
        verdicts: Vec::new(),
        chains: chains
            .enumerate()
            .map(|(index, (found, check))| {
                let order = names(&found.order);
                let chain = chain(translated, system, &found.trace, &found.run, &order, check);
                let chain = smoothed(chain, translated, outcome.smoothing.get(index));
                timed(chain, model.period.as_ref().map(|(_, period)| *period))
            })
            .collect(),
        graph: outcome.graph.as_ref().map(distances).unwrap_or_default(),
        coverage: None,
        complement: None,
        summary: summary(system, outcome, elapsed),
        stages: outcome
            .stages
            .iter()
            .map(|stage| Stage {
                name: stage.name.clone(),
                seconds: stage.seconds,
                sat_calls: stage.sat_calls,
            })
            .collect(),
        engines: outcome.engines.iter().map(account).collect(),
        milestones: outcome.milestones.iter().map(milestone).collect(),
        notes: notes(translated, system, outcome),
    }
}

fn account(account: &EngineAccount) -> chain_file::EngineAccount {
    let EngineAccount { engine, turns, seconds, sat_calls, facts } = *account;
    let seconds = (seconds * 1e3).round() / 1e3;
    chain_file::EngineAccount { name: engine.name().to_owned(), turns, seconds, sat_calls, facts }
}

fn milestone(milestone: &Milestone) -> chain_file::Milestone {
    chain_file::Milestone {
        seconds: (milestone.seconds * 1e3).round() / 1e3,
        engine: milestone.engine.name().to_owned(),
        what: milestone.text.clone(),
    }
}

/// What the system under test chooses in a step and no signal shows: words by the names of the
/// inputs that stand for it. Results of external calls are computed, not chosen.
fn choices(translated: &Translated, system: &Validated, inputs: &[Value]) -> Map<String, Json> {
    let is_shown = |id| translated.signals.inputs.iter().any(|input| input.input == id);
    let is_computed = |id| system.external_calls.iter().any(|call| call.input == id);
    let chosen = system
        .inputs
        .iter()
        .filter(|&(id, input)| input.role == InputRole::Choice && !is_shown(id) && !is_computed(id));
    let word = |(id, input): (InputId, &Input)| {
        let value = number::to_json(inputs[id.index()], &SignalKind::Unsigned);
        (system.terms.symbol(input.symbol).name.clone(), value)
    };
    chosen.map(word).collect()
}

/// One chain.
pub fn chain(
    translated: &Translated,
    system: &Validated,
    trace: &Trace,
    run: &Execution,
    order: &[String],
    check: &NativeCheck,
) -> Chain {
    let signals = &translated.signals;
    let inputs = names(signals.inputs.iter().map(|input| &input.signal));
    let outputs = names(signals.outputs.iter().map(|(signal, _)| signal));
    let states = names(signals.states.iter().map(|(signal, _)| signal));
    let state_at = |step: usize| {
        let value = |(signal, id): &(_, StateId)| json_of(signal, run.states[step][id.index()]);
        Values::of(&states, signals.states.iter().map(value))
    };
    let outputs_at = |step: usize| {
        let value = |(signal, index): &(_, usize)| json_of(signal, run.outputs[step][*index]);
        Values::of(&outputs, signals.outputs.iter().map(value))
    };
    let covers = covers(system, run);
    let end = early_end(translated, system, trace, run);
    let returned = trace.inputs.len() - usize::from(end.is_some());
    let step = |number: usize| Step {
        inputs: Values::of(
            &inputs,
            signals
                .inputs
                .iter()
                .map(|input| json_of(&input.signal, trace.inputs[number][input.input.index()])),
        ),
        outputs: if number < returned { outputs_at(number) } else { Values::new() },
        expected: BTreeMap::new(),
        choices: choices(translated, system, &trace.inputs[number]),
        allowed: None,
        marks: BTreeMap::new(),
        state: state_at(number),
        covers: covers[number].clone(),
        dont_care: Vec::new(),
        ends: end.clone().filter(|_| number == returned),
    };
    let (replayed, how) = replayed(check);
    let mut expected = conditions::expected(translated, system, (trace, run)).into_iter();
    Chain {
        length: trace.inputs.len(),
        order: order.to_vec(),
        initial_inputs: initial_inputs(translated, system, trace),
        grade: None,
        tree: Vec::new(),
        events: Vec::new(),
        steps: (0..trace.inputs.len())
            .map(step)
            .map(|step| Step { expected: expected.next().unwrap_or_default(), ..step })
            .collect(),
        end_state: if end.is_none() { state_at(trace.inputs.len()) } else { Values::new() },
        holds: Vec::new(),
        seconds: None,
        cost: None,
        input_changes: None,
        raw_input_changes: None,
        replayed,
        replayed_how: Some(how),
    }
}

/// Whether a chain was run, as results have it, and how.
pub fn replayed(check: &NativeCheck) -> (Json, String) {
    match check {
        NativeCheck::Agrees { how } => (json!(true), how.clone()),
        NativeCheck::Disagrees { .. } => (json!(false), check.to_string()),
        NativeCheck::Dies { .. } => (json!("evaluator"), check.to_string()),
        NativeCheck::Unavailable { reason } | NativeCheck::Skipped { reason } => {
            (json!("evaluator"), reason.clone())
        }
    }
}

/// Undefined operations that steps run into, one sentence for each place.
pub fn hazards_met(translated: &Translated, system: &Validated, met: &[HazardMet]) -> Vec<String> {
    let sentence = |(what, steps): (String, Vec<usize>)| {
        let runs = if steps.len() == 1 { "runs" } else { "run" };
        format!("{} {runs} into {what}", steps_listed(&steps))
    };
    by_place(translated, system, met).into_iter().map(sentence).collect()
}

fn hazard_text(translated: &Translated, system: &Validated, met: &HazardMet) -> String {
    let hazard = &system.hazards[met.hazard];
    let place = hazard.origin.map_or_else(String::new, |origin| {
        let place = translated.source.locate(origin);
        format!(" at {}:{}", place.file.display(), place.line)
    });
    format!("{}{place}, which C leaves undefined", hazard.description)
}

/// The exact edges of the graph.
fn distances(graph: &ReachGraph) -> BTreeMap<String, BTreeMap<String, u32>> {
    let mut distances: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
    for edge in graph.edges() {
        let from = distances.entry(graph.name(edge.from).to_owned()).or_default();
        from.insert(graph.name(edge.to).to_owned(), edge.weight);
    }
    distances
}

/// The chain with what is known about its inputs.
fn smoothed(mut chain: Chain, translated: &Translated, smoothed: Option<&Smoothed>) -> Chain {
    let Some(smoothed) = smoothed.filter(|smoothed| !smoothed.free.is_empty()) else { return chain };
    chain.input_changes = Some(smoothed.changes);
    chain.raw_input_changes = Some(smoothed.raw_changes);
    for (step, free) in chain.steps.iter_mut().zip(&smoothed.free) {
        let free = translated.signals.inputs.iter().filter(|input| free[input.input.index()]);
        step.dont_care = free.map(|input| input.signal.name.clone()).collect();
    }
    chain
}

/// The chain by how long inputs are held.
pub fn timed(mut chain: Chain, period: Option<Duration>) -> Chain {
    chain.holds = holds::holds(&chain, period);
    chain.seconds = period.map(|period| holds::seconds(chain.length, period));
    chain
}

/// The files of a request with their hashes; a file that cannot be read has an empty hash. Those that
/// a specification includes are among them, headers of C are not.
pub fn sources(request: &Request, translated: &Translated) -> Vec<SourceFile> {
    let mut paths: Vec<&Path> =
        request.sources.iter().chain(&request.goal_files).map(AsRef::as_ref).collect();
    if !translated.source.has_code() {
        let included = translated.sources.files.values().map(|file| file.path.as_path());
        let new: Vec<&Path> = included.filter(|path| path.is_file() && !paths.contains(path)).collect();
        paths.extend(new);
    }
    paths.into_iter().map(source_file).collect()
}

/// A file with its hash, which is empty where it cannot be read.
pub fn source_file(path: &Path) -> SourceFile {
    let sha256 = std::fs::read(path).map(|bytes| hexadecimal(&Sha256::digest(bytes))).unwrap_or_default();
    SourceFile { path: path.display().to_string(), sha256 }
}

/// Bytes as hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Chain and first step of a goal's first occurrence.
pub fn occurrence(runs: &[Execution], goal: GoalId) -> Option<(usize, usize)> {
    let first =
        |(index, run): (usize, &Execution)| run.occurrences[goal].first().map(|found| (index, found.step));
    runs.iter().enumerate().find_map(first)
}

/// The first occurrence of a goal that violates its expectation.
pub fn violation<'a>(runs: impl Iterator<Item = &'a Execution>, goal: GoalId) -> Option<Violation> {
    let violating = |run: &Execution| {
        let mut occurrences = run.occurrences[goal].iter();
        occurrences.find(|found| found.expectation == Some(false)).map(|found| found.step)
    };
    runs.enumerate().find_map(|(chain, run)| violating(run).map(|at| Violation { chain, at }))
}

/// What became of a goal's expectation over all its occurrences.
pub fn expectation(runs: &[Execution], goal: GoalId) -> Expectation {
    outcome::expectation(runs.iter(), goal).into()
}

impl From<outcome::Expectation> for Expectation {
    fn from(expectation: outcome::Expectation) -> Self {
        match expectation {
            outcome::Expectation::None => Self::None,
            outcome::Expectation::Held => Self::Held,
            outcome::Expectation::Violated => Self::Violated,
        }
    }
}

/// What a result says of its model, but for what the command line decides.
pub fn model_section(model: &Model, translated: &Translated, system: &Validated) -> chain_file::Model {
    let resolved = &translated.resolved;
    let steps: Vec<&str> =
        resolved.step.iter().map(|StepFunction { function, .. }| function.as_str()).collect();
    let period = model.period.as_ref().map(|(text, _)| text.clone());
    chain_file::Model {
        name: system.name.clone(),
        sources: sources(&model.request, translated),
        target: resolve::target_name(resolved.target).to_owned(),
        init: resolved.init.clone().unwrap_or_default(),
        step: steps.join(", "),
        configuration_file: model.config_path.as_deref().map(source_file),
        a2l: model
            .described
            .iter()
            .flat_map(|account| account.files.iter().map(|path| source_file(path)))
            .collect(),
        configuration: resolve::complete(model, resolved),
        period,
        options: ModelOptions::default(),
        undefined_behaviour: None,
    }
}

/// Inputs, outputs and state words as results describe them.
pub fn signals(model: &Model, translated: &Translated) -> [Vec<Signal>; 3] {
    let signals = &translated.signals;
    let inputs = signals.inputs.iter().map(|input| {
        let InputOption { unit, text, labels, .. } = &input.option;
        described(signal(&input.signal), unit.as_ref(), text.as_ref(), labels)
    });
    let outputs = signals.outputs.iter().map(|(output, _)| {
        let place = translated.observed.iter().find(|place| place.lvalue == output.lvalue);
        let initial = place.and_then(|place| place.initial).map(|value| json_of(output, value));
        let found = Signal { initial, ..signal(output) };
        match output_section(model, output) {
            None => found,
            Some(OutputSection { unit, text, labels, .. }) => {
                described(found, unit.as_ref(), text.as_ref(), &resolve::labels(labels))
            }
        }
    });
    let state = signals.states.iter().map(|(state, _)| signal(state));
    [inputs.collect(), outputs.collect(), state.collect()]
}

fn output_section<'m>(model: &'m Model, output: &frontend::Signal) -> Option<&'m OutputSection> {
    model.outputs.get(&output.lvalue).or_else(|| model.outputs.get(&output.name))
}

/// A signal with what the configuration says of it. Configured names of values come before those
/// that its type gives them.
fn described(
    signal: Signal,
    unit: Option<&String>,
    text: Option<&String>,
    labels: &[(i64, String)],
) -> Signal {
    let enumerators = match labels {
        [] => signal.enumerators,
        labels => labels.iter().map(|(value, name)| (name.clone(), json!(value))).collect(),
    };
    Signal { unit: unit.cloned(), text: text.cloned(), enumerators, ..signal }
}

fn signal(signal: &frontend::Signal) -> Signal {
    let enumerators = match &signal.kind {
        SignalKind::Enum { enumerators, .. } => {
            enumerators.iter().map(|(name, number)| (name.clone(), json!(*number as i64))).collect()
        }
        _ => Map::new(),
    };
    let step = match signal.kind {
        SignalKind::Counted { step: (numerator, denominator), .. } => {
            Some(format!("{numerator}/{denominator}"))
        }
        _ => None,
    };
    Signal {
        name: signal.name.clone(),
        lvalue: signal.lvalue.clone(),
        type_name: signal.type_name.clone(),
        bits: signal.bits,
        kind: Some(kind(&signal.kind)),
        step,
        unit: None,
        text: None,
        enumerators,
        initial: None,
    }
}

/// How the bits of a signal are to be read, as the file says it.
fn kind(kind: &SignalKind) -> chain_file::Kind {
    match kind {
        SignalKind::Bool => chain_file::Kind::Bool,
        SignalKind::Unsigned
        | SignalKind::Enum { signed: false, .. }
        | SignalKind::Counted { signed: false, .. } => chain_file::Kind::Unsigned,
        SignalKind::Signed
        | SignalKind::Enum { signed: true, .. }
        | SignalKind::Counted { signed: true, .. } => chain_file::Kind::Signed,
        SignalKind::Float => chain_file::Kind::Float,
        SignalKind::Pointer => chain_file::Kind::Pointer,
    }
}

fn names<'s>(signals: impl Iterator<Item = &'s frontend::Signal>) -> Arc<Names> {
    Arc::new(Names::new(signals.map(|signal| signal.name.clone())))
}

fn json_of(signal: &frontend::Signal, value: Value) -> Json {
    number::to_json(value, &signal.kind)
}

/// Where a goal was written: in C, or in the configuration.
pub fn goal_place(model: &Model, translated: &Translated, goal: &model::system::Goal) -> Option<Location> {
    let in_code = goal.origin.map(|origin| translated.source.locate(origin));
    in_code.or_else(|| model.goal_place(&goal.name).cloned())
}

fn goal_entry(
    model: &Model,
    translated: &Translated,
    system: &Validated,
    outcome: &Outcome,
    id: GoalId,
) -> Goal {
    let goal = &system.goals[id];
    let result = &outcome.goals[id];
    let (status, chain, at) = match result.status {
        GoalStatus::Covered { chain, at } => (Status::Covered, Some(chain), Some(at as usize)),
        GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. } => {
            (Status::Unreachable, None, None)
        }
        GoalStatus::Undecided { .. } | GoalStatus::EndUndecided { .. } | GoalStatus::NotChained => {
            (Status::Undecided, None, None)
        }
    };
    Goal {
        name: goal.name.clone(),
        requirement: goal.requirement.clone(),
        text: goal.text.clone(),
        origin: goal_place(model, translated, goal)
            .map(|place| Origin { file: place.file.display().to_string(), line: place.line }),
        steps: goal.steps,
        status,
        chain,
        at,
        expectation: result.expectation.into(),
        violation: violation(outcome.chains.iter().map(|chain| &chain.run), id),
        verdict: None,
        reason: result.status.reason(),
        forcing: None,
        seen: None,
    }
}

/// For each step, the goals whose first occurrence it completes.
pub fn covers(system: &Validated, run: &Execution) -> Vec<Vec<String>> {
    let mut covers = vec![Vec::new(); run.outputs.len()];
    for (id, goal) in system.goals.iter() {
        if let Some(first) = run.occurrences[id].first() {
            covers[first.step + goal.steps as usize - 1].push(goal.name.clone());
        }
    }
    covers
}

fn initial_inputs(translated: &Translated, system: &Validated, trace: &Trace) -> Map<String, Json> {
    let Start::Initial(values) = &trace.start else { return Map::new() };
    let name = |input: &Input| system.terms.symbol(input.symbol).name.clone();
    let pairs = system.initial_inputs.iter().zip(values);
    pairs
        .map(|((id, input), &value)| {
            (name(input), number::to_json(value, &translated.source.initial_kind(id)))
        })
        .collect()
}

fn summary(system: &Validated, outcome: &Outcome, elapsed: Duration) -> Summary {
    Summary {
        goals: system.goals.len(),
        covered: outcome.covered(),
        chains: outcome.chains.len(),
        length: outcome.length() as usize,
        lower_bound: outcome.lower_bound,
        minimal: match outcome.minimal {
            Minimality::Proven => Minimal::Proven,
            Minimality::Gap => Minimal::Gap,
            Minimality::Unknown => Minimal::Unknown,
        },
        reset_cost: None,
        cost: None,
        time: None,
        k: outcome.k,
        seconds: (elapsed.as_secs_f64() * 1e3).round() / 1e3,
        peak_kib: memory::peak_kib(),
    }
}

/// The engine's notes, and the undefined operations that chains run into, each with its place.
fn notes(translated: &Translated, system: &Validated, outcome: &Outcome) -> Vec<String> {
    let mut notes = outcome.notes.clone();
    notes.extend(notes_on_types(translated));
    notes.extend(notes_on_left_out(translated));
    notes.extend(notes_on_uncontrolled(translated));
    for (index, chain) in outcome.chains.iter().enumerate() {
        notes.extend(notes_on_hazards(translated, system, index + 1, &chain.run.hazards));
    }
    notes
}

/// Steps of a chain that a note lists; of more it tells the number.
const LISTED: usize = 4;

/// The undefined operations that a chain runs into, one note for each place.
fn notes_on_hazards(
    translated: &Translated,
    system: &Validated,
    chain: usize,
    met: &[HazardMet],
) -> Vec<String> {
    let notes = by_place(translated, system, met).into_iter().map(|(what, steps)| {
        let runs = if steps.len() == 1 { "runs" } else { "run" };
        format!("{} of chain {chain} {runs} into {what}", steps_listed(&steps))
    });
    notes.collect()
}

/// What steps run into, and which.
fn by_place(translated: &Translated, system: &Validated, met: &[HazardMet]) -> Vec<(String, Vec<usize>)> {
    let mut places: Vec<(String, Vec<usize>)> = Vec::new();
    for met in met {
        let what = hazard_text(translated, system, met);
        match places.iter_mut().find(|(known, _)| *known == what) {
            Some((_, steps)) => steps.push(met.step),
            None => places.push((what, vec![met.step])),
        }
    }
    places.iter_mut().for_each(|(_, steps)| steps.dedup());
    places
}

/// The first steps, and how many more there are.
pub fn steps_listed(steps: &[usize]) -> String {
    let list = |steps: &[usize]| steps.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    match steps {
        [step] => format!("step {step}"),
        [first @ .., last] if steps.len() <= LISTED => format!("steps {} and {last}", list(first)),
        _ => format!("steps {} and {} more", list(&steps[..LISTED - 1]), steps.len() + 1 - LISTED),
    }
}

/// Executions of the code that are left out: what was proven holds for the others.
pub fn notes_on_left_out(translated: &Translated) -> impl Iterator<Item = String> + '_ {
    let left_out = translated.findings.iter().filter(|finding| finding.topic == Topic::Assumed);
    left_out.map(|finding| format!("{}: {}", finding.subject, finding.reason))
}

/// Inputs that are results of the C library, which nobody can choose on a rig.
fn notes_on_uncontrolled(translated: &Translated) -> impl Iterator<Item = String> + '_ {
    let uncontrolled = translated.findings.iter().filter(|finding| finding.topic == Topic::Library);
    uncontrolled.map(|finding| finding.reason.clone())
}

/// What the types of inputs tell of their values.
pub fn notes_on_types(translated: &Translated) -> Vec<String> {
    let mut types: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for input in &translated.signals.inputs {
        if let Some(values) = input.by_type {
            types.entry(values).or_default().insert(&input.signal.type_name);
        }
    }
    let note = |(values, types): (&str, BTreeSet<&str>)| {
        let types: Vec<&str> = types.into_iter().collect();
        let types = types.join(", ");
        format!("each input of type {types} is {values}; `range` in the section [input] allows more")
    };
    types.into_iter().map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::steps_listed;

    #[test]
    fn of_many_steps_the_first_are_listed() {
        for (steps, expected) in [
            (&[7][..], "step 7"),
            (&[1, 2], "steps 1 and 2"),
            (&[1, 2, 5, 6], "steps 1, 2, 5 and 6"),
            (&[1, 2, 5, 6, 7, 9], "steps 1, 2, 5 and 3 more"),
        ] {
            assert_eq!(steps_listed(steps), expected);
        }
    }
}
