//! Timed systems as models that commands and reports take.

use crate::code::Code;
use crate::lower::{Lowered, Variant, lower};
use crate::read::{is_timed, overrides, trees};
use crate::system::System;
use crate::{check, print};
use frontend::diagnostics::Diagnostics;
use frontend::source::{SourceMap, Span};
use frontend::{
    Failure, Finding, FrontEnd, InputOption, InputSignal, Judge, Location, ReplayPlan, Request, Signal,
    SignalKind, Signals, Size, Source, Topic, Translated,
};
use model::id::Id;
use model::system::{GoalId, InitialInputId, OriginId, TransitionSystem};
use model::trace::{Execution, Trace};
use spec::parser::{Parsed, Reported};
use spec::types::Type;
use std::path::{Path, PathBuf};

/// The front end for timed symbolic systems.
#[derive(Clone, Copy, Debug)]
pub struct Timed;

impl FrontEnd for Timed {
    fn language(&self) -> &'static str {
        "timed symbolic systems"
    }
    fn reads(&self, path: &Path) -> bool {
        is_timed(path)
    }
    fn translate(&self, request: &Request, _: &dyn Judge) -> Result<Translated, Failure> {
        translate(request)
    }
}

/// A timed system over ticks, of which nothing is sliced or validated; the system in dense time;
/// where everything stands.
///
/// # Errors
/// What is wrong with the file, or has no finite number of ticks.
pub fn read_over_ticks(
    path: &Path,
    define: &[String],
    variant: Variant,
) -> Result<(Lowered, System, Diagnostics, SourceMap), Failure> {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let both = both(path, define, variant, &mut sources, &mut diagnostics);
    match both {
        Ok((lowered, system)) if !diagnostics.has_errors() => Ok((lowered, system, diagnostics, sources)),
        _ => Err(Failure { diagnostics, sources }),
    }
}

fn both(
    path: &Path,
    define: &[String],
    variant: Variant,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Parsed<(Lowered, System)> {
    let file = trees(path, sources, diagnostics)?;
    let scope = overrides(define, sources, diagnostics)?;
    let mut system = check::check(&file, scope.clone(), diagnostics)?;
    if diagnostics.has_errors() {
        return Err(Reported);
    }
    if system.name.is_empty() {
        system.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    }
    let mut lowered = lower(&file, &scope, &system, variant, diagnostics)?;
    lowered.system.name.clone_from(&system.name);
    Ok((lowered, system))
}

/// Reads the one file of a request.
fn translate(request: &Request) -> Result<Translated, Failure> {
    let mut diagnostics = Diagnostics::default();
    let [path] = &request.sources[..] else {
        diagnostics.error(Code::SeveralFiles, None, "a timed system is one file");
        return Err(Failure { diagnostics, sources: SourceMap::default() });
    };
    if let Some(what) = request.only_for_c() {
        let message = format!("{what} are about C code; a timed system says all of that itself");
        diagnostics.error(Code::OnlyForC, None, message);
        return Err(Failure { diagnostics, sources: SourceMap::default() });
    }
    let (mut lowered, timed, mut diagnostics, sources) =
        read_over_ticks(path, &request.define, Variant::default())?;
    if choose(&mut lowered, &request.specification.goals, &mut diagnostics).is_err() {
        return Err(Failure { diagnostics, sources });
    }
    let mut system = lowered.system.clone();
    if !request.name.is_empty() {
        system.name.clone_from(&request.name);
    }
    let text = sources.find(path).and_then(|file| sources.files[file].text.clone()).unwrap_or_default();
    Ok(Translated {
        signals: signals(&lowered, &system),
        findings: findings(&lowered, &timed, path),
        diagnostics,
        resolved: Request { name: system.name.clone(), ..request.clone() },
        requirements: Vec::new(),
        observed: Vec::new(),
        size: Size::of(&system, &text),
        early_end: Vec::new(),
        costs: Vec::new(),
        start_hazards: Vec::new(),
        endless: Vec::new(),
        library_facts: Vec::new(),
        source: Box::new(TimedSource::new(path, (lowered, timed), &sources)),
        system,
        sources,
    })
}

/// Leaves only some goals, by their names; all where none are named.
fn choose(lowered: &mut Lowered, names: &[String], diagnostics: &mut Diagnostics) -> Parsed<()> {
    if names.is_empty() {
        return Ok(());
    }
    let known: Vec<&str> = lowered.system.goals.values().map(|goal| goal.name.as_str()).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        diagnostics
            .error(Code::UnknownGoal, None, format!("there is no goal `{name}`"))
            .advice(spec::language::known_names(name, &known));
        return Err(Reported);
    }
    let goals = lowered.system.goals.values().cloned().zip(std::mem::take(&mut lowered.targets));
    let chosen = goals.filter(|(goal, _)| names.contains(&goal.name));
    let (goals, targets): (Vec<_>, Vec<_>) = chosen.unzip();
    (lowered.system.goals, lowered.targets) = (goals.into_iter().collect(), targets);
    Ok(())
}

fn findings(lowered: &Lowered, timed: &System, path: &Path) -> Vec<Finding> {
    let subject = path.display().to_string();
    let finding = |topic, reason: String| Finding { topic, subject: subject.clone(), reason };
    let ticks = &lowered.ticks;
    let mut found = vec![finding(
        Topic::Step,
        format!(
            "one step is one event with the delay before it, in ticks of {}; there is no compiled code",
            ticks.tick
        ),
    )];
    if ticks.is_strict {
        let reason = "clocks have strict bounds: chains are those of ticks; what is claimed of dense time is claimed with these bounds closed";
        found.push(finding(Topic::Assumed, reason.to_owned()));
    }
    if !ticks.is_fine {
        let reason =
            "the tick that the text gives is too coarse for its bounds: claims hold of its multiples only";
        found.push(finding(Topic::Assumed, reason.to_owned()));
    }
    if !ticks.rational.is_empty() {
        let most = ticks.rational();
        let reason =
            format!("rational data are searched among the numbers {most} only: bounds hold for those");
        found.push(finding(Topic::Assumed, reason));
    }
    if timed.goals.is_empty() {
        found.push(finding(Topic::Goal, "no goals are named: all transitions are".to_owned()));
    }
    found
}

fn signals(lowered: &Lowered, system: &TransitionSystem) -> Signals {
    let timed = &lowered.timed;
    let names = |kind: &str, names: Vec<String>| {
        let enumerators = names.into_iter().zip(0..).collect();
        (kind.to_owned(), SignalKind::Enum { signed: false, enumerators })
    };
    let signal = |name: &str, bits: u32, ty: Option<&Type>| {
        let (type_name, kind) = match (name, ty) {
            ("state", _) => names("state", timed.states.clone()),
            ("edge", _) => names("transition", timed.edges.iter().map(|edge| edge.name.clone()).collect()),
            (_, Some(ty)) => (ty.to_string(), ty.signal_kind()),
            (_, None) if bits == 1 => ("bool".to_owned(), SignalKind::Bool),
            (_, None) => ("ticks".to_owned(), SignalKind::Unsigned),
        };
        Signal { name: name.to_owned(), lvalue: name.to_owned(), type_name, bits, kind }
    };
    let ty = |name: &str| timed.scope.variable_named(name).map(|variable| timed.ty(variable).clone());
    let of = |symbol| {
        let symbol = system.terms.symbol(symbol);
        signal(&symbol.name, symbol.sort.width(), ty(&symbol.name).as_ref())
    };
    let inputs = system.inputs.iter().map(|(input, description)| InputSignal {
        signal: of(description.symbol),
        input,
        option: InputOption::default(),
        by_type: None,
        limit: None,
    });
    let outputs = system.outputs.iter().enumerate().map(|(index, output)| {
        let bits = system.terms.width(output.value);
        let mut found = signal(&output.name, bits, None);
        found.type_name = format!("word of {bits} bits");
        (found, index)
    });
    let states = system.states.iter().map(|(state, description)| (of(description.symbol), state));
    Signals { inputs: inputs.collect(), outputs: outputs.collect(), states: states.collect() }
}

/// The way back to the text.
struct TimedSource {
    path: PathBuf,
    lowered: Lowered,
    /// In dense time.
    timed: System,
    places: Vec<(Location, String)>,
    goals: Vec<Option<OriginId>>,
    text: String,
}

impl TimedSource {
    fn new(path: &Path, (lowered, timed): (Lowered, System), sources: &SourceMap) -> Self {
        let place = |span: Span| {
            let (file, line) = sources.written(span);
            let text = sources.files[span.file].line(span.line).unwrap_or_default();
            (Location { file: file.to_owned(), line }, text.trim().to_owned())
        };
        let places = lowered.origins.iter().map(|extent| place(extent.span)).collect();
        let goals = lowered.system.goals.values().map(|goal| goal.origin).collect();
        let text = sources.find(path).and_then(|file| sources.files[file].text.as_deref().map(str::to_owned));
        let text = text.unwrap_or_default();
        Self { path: path.to_owned(), lowered, timed, places, goals, text }
    }
}

impl Source for TimedSource {
    fn locate(&self, origin: OriginId) -> Location {
        let unknown = || Location { file: self.path.clone(), line: 1 };
        self.places.get(origin.index()).map_or_else(unknown, |(place, _)| place.clone())
    }
    fn initial_kind(&self, input: InitialInputId) -> SignalKind {
        self.lowered.unknown_type(input).map_or(SignalKind::Unsigned, Type::signal_kind)
    }
    fn has_code(&self) -> bool {
        false
    }
    fn replay_plan(&self, _trace: &Trace) -> Result<ReplayPlan, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        diagnostics.error(Code::NoCode, None, "a timed system has no compiled code");
        Err(diagnostics)
    }
    /// The interpreter takes the events in dense time, and has not seen the system over ticks.
    fn interpret(&self, trace: &Trace, _run: &Execution) -> Option<Result<(), String>> {
        let accepted = self.lowered.replayed(&self.timed, trace);
        Some(accepted.map(drop).ok_or_else(|| "a step is no event that is allowed".to_owned()))
    }
    fn goal_text(&self, goal: GoalId) -> String {
        let origin = self.goals.get(goal.index()).copied().flatten();
        let place = origin.and_then(|origin| self.places.get(origin.index()));
        place.map(|(_, text)| text.clone()).unwrap_or_default()
    }
    fn ir_text(&self) -> String {
        self.text.clone()
    }
}

/// A file as its syntax trees print it.
///
/// # Errors
/// What is wrong with it.
pub fn printed(path: &Path) -> Result<String, Failure> {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    match trees(path, &mut sources, &mut diagnostics) {
        Ok(file) => Ok(print::file(&file)),
        Err(Reported) => Err(Failure { diagnostics, sources }),
    }
}
