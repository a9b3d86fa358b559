//! Old chains adapted to changed code with the fewest edits.
//!
//! ```text
//! old chain -> its inputs by name -> played on the model as it is: the first difference
//!   -> which goals can be covered at all (the engine)
//!   -> within 0, 1, 2, ... edits (model::edits): the engine finds the chain, or proves that there is none
//! ```
//! An edit replaces, inserts or deletes one step. The engine is the only author of "fewest".

mod counterparts;

use crate::cause::causes;
use crate::conditions;
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::old_tests::written;
use crate::search::find_chains_from;
use crate::settings::Settings;
use crate::smoothing;
use crate::stored::{Difference, changed_sources, read_stored, recorded_differences};
use counterparts::counterparts;
use engine::error::EngineError;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::{Options, part_of_time};
use engine::outcome::{Chain, Outcome};
use engine::session::{Progress, Silent};
use engine::step::external::complete;
use model::edits::{Adaptation, Edit, agree, distance, own_part, script, with_prefix, within_edits};
use model::id::Id;
use model::system::{GoalId, Input, InputId, TransitionSystem};
use model::trace::{Execution, Start, Trace, TraceError, replay};
use model::validate::validate;
use model::value::Value;
use report::output::chain_file::{self, ChainFile, Status};
use report::output::number;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long all takes at most where no time limit is given.
const LONGEST: Duration = Duration::from_secs(60);

/// What became of an old chain or of all old chains of a file.
pub struct Adapted {
    /// The adapted chains, in order, and behind them those for goals that no adapted chain covers.
    /// Its bound and minimality are about steps, whatever the edits.
    pub outcome: Outcome,
    /// What became of each old chain, in the order of the file.
    pub chains: Vec<AdaptedChain>,
    /// Names of the goals that the old chains covered and the new ones do not; with the word for
    /// what became of each.
    pub lost: Vec<(String, &'static str)>,
    /// What does not fit the model by name: inputs and goals that are gone, new inputs, values that
    /// are none.
    pub notes: Vec<String>,
}

/// What became of an old chain.
pub struct AdaptedChain {
    /// Steps of the old chain.
    pub old_steps: usize,
    /// Whether there are goals to adapt it for: such that it covered and that can be covered.
    pub has_goals: bool,
    /// The first step whose inputs the model does not accept as they were, if there is one.
    pub refused: Option<usize>,
    /// The first output that is another than recorded, with both values; none where nothing was
    /// recorded.
    pub difference: Option<String>,
    /// Decisions of the first step that leads to an output or a state word other than recorded, with
    /// whose opposite outcome there all would be as recorded.
    pub causes: Vec<String>,
    /// Steps of the adapted chain; `None`: nothing of the old chain is left.
    pub new_steps: Option<usize>,
    /// Whether it is proven that no chain with as few edits has fewer steps.
    pub is_shortest: bool,
    /// Steps replaced, inserted or deleted.
    pub edits: u32,
    /// Each edit in words, in order: the step, and inputs with their old and new values.
    pub changes: Vec<String>,
    /// Input values that are another in replaced steps: none of them can have its old value while
    /// the others stay as they are.
    pub changed_values: usize,
    /// No chain with as few edits and steps has fewer of them.
    pub fewest_values: usize,
    /// No chain that covers the same goals has fewer edits of the old one.
    pub fewest_edits: u32,
    /// How much is kept of the beginning, where that is what was asked for.
    pub prefix: Option<KeptPrefix>,
}

/// What an adapted chain keeps of the old one, first of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preference {
    /// As many steps as possible, wherever they are.
    #[default]
    FewestEdits,
    /// As many steps from the start as possible.
    LongestPrefix,
}

/// How many steps of an old chain an adapted one begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptPrefix {
    /// Steps that it begins with.
    pub steps: usize,
    /// No chain that covers the same goals begins with more of them.
    pub most: usize,
}

/// Adapts the chains of a file (`chain.json`, `mutate.json`, CSV, Test-Comp) to a model that has
/// changed: every goal that can be covered, then what is preferred, then the fewest steps. `renamed`:
/// inputs and outputs of the file that have another name in the model, as (old, new).
///
/// ```
/// # use chaincover::{Options, Preference, Settings, Silent, adapt, read};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// std::fs::write(&path, "int n; void step(_Bool up) { n = up ? n + 1 : 0; __CPROVER_cover(n == 3); }")?;
/// let model = read([&path], &Settings::default())?;
/// let old = folder.path().join("old.csv");
/// std::fs::write(&old, "up\n1\n0\n1\n1\n")?;
/// let adapted = adapt(&model, &old, (&[], Preference::FewestEdits), &Options::default(), &Silent)?;
/// assert_eq!((adapted.chains[0].edits, adapted.chains[0].fewest_edits), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Request`]: the file is none with chains, or has nothing that fits the model, or the
/// model is a specification; otherwise as for [`find_chains`](crate::find_chains()).
pub fn adapt(
    model: &Model,
    path: &Path,
    (renamed, preference): (&[(String, String)], Preference),
    options: &Options,
    progress: &dyn Progress,
) -> Result<Adapted, Error> {
    let request = &model.configuration.request;
    if crate::front_ends::is_specification(&request.sources) {
        let message = "adapt is for code, FMUs and hardware: in a specification the system chooses, too";
        return Err(Error::new(ErrorKind::Request, message));
    }
    let is_code = ["c", "h"].iter().any(|ending| path.extension().is_some_and(|found| found == *ending));
    if is_code || path.is_dir() {
        let message = format!(
            "{} is no old chain (chain.json, a table, test inputs); two versions of code are compared by --difference",
            path.display()
        );
        return Err(Error::new(ErrorKind::Request, message));
    }
    let begin = Instant::now();
    let end = options.deadline.or_else(|| begin.checked_add(LONGEST));
    let mut notes = Vec::new();
    let old = old_chains(model, path, renamed, &mut notes)?;
    let mut known = Vec::new();
    let mut chains = Vec::new();
    for old in &old {
        let (played, refused) = old.played(model)?;
        let differences = match (&old.record, &played) {
            (Some(record), Some((trace, run))) => recorded_differences(model, record, trace, run),
            _ => Vec::new(),
        };
        let limit = end.map(|end| begin + end.saturating_duration_since(begin) / CAUSE_SHARE);
        let causes = played.as_ref().map(|played| causes(model, &differences, (&played.0, &played.1), limit));
        let difference = differences.into_iter().find(Difference::is_of_outputs);
        chains.push(AdaptedChain {
            old_steps: old.rows.len(),
            has_goals: true,
            refused,
            difference: difference.map(|difference| difference.text),
            causes: causes.unwrap_or_default(),
            new_steps: None,
            is_shortest: false,
            edits: 0,
            changes: Vec::new(),
            changed_values: 0,
            fewest_values: 0,
            fewest_edits: 0,
            prefix: None,
        });
        known.push(played);
    }
    // Half of the time is for what can be covered, the other for edits. How short chains can be
    // without the old ones is not asked.
    let half = end.map(|end| begin + end.saturating_duration_since(begin) / 2);
    let traces: Vec<Trace> = known.iter().flatten().map(|(trace, _)| trace.clone()).collect();
    let first = Options { deadline: half, ..options.clone() }.any_length();
    let mut outcome = find_chains_from(model, &traces, &first, progress)?;
    let possible: Vec<GoalId> = covered(&outcome).collect();
    let mut open = possible.clone();
    let mut found: Vec<(Trace, Execution)> = Vec::new();
    for (number, old) in old.iter().enumerate() {
        let played = known[number].as_ref().map(|(_, run)| run);
        let is_own = |goal: &GoalId| {
            old.covered.contains(goal) || played.is_some_and(|run| !run.occurrences[*goal].is_empty())
        };
        let own: Vec<GoalId> = possible.iter().copied().filter(is_own).collect();
        let is_last = number + 1 == known.len();
        let is_wanted = |goal: &GoalId| own.contains(goal) || is_last && open.contains(goal);
        let wanted: Vec<GoalId> = possible.iter().copied().filter(is_wanted).collect();
        let runs = outcome.chains.iter().map(|chain| &chain.run).chain(played);
        let goals = together(&wanted, &own, runs);
        chains[number].has_goals = !goals.is_empty();
        if goals.is_empty() {
            continue;
        }
        let left = known.len() - number;
        let deadline = part_of_time(end, 1, u32::try_from(left).unwrap_or(u32::MAX));
        let own = Options { deadline, smoothing: None, gap: 0.0, ..options.clone() };
        let edited = match preference {
            Preference::FewestEdits => old.edited(model, &goals, &outcome, &own)?,
            Preference::LongestPrefix => old.continued(model, &goals, &outcome, &own)?,
        };
        chains[number].fewest_edits = edited.fewest;
        chains[number].prefix = edited.prefix;
        chains[number].is_shortest = edited.is_shortest;
        let Some((trace, edits)) = edited.best else { continue };
        let (trace, edits) = match preference {
            Preference::FewestEdits => old.with_fewer_values(trace, edits, &goals, &own),
            Preference::LongestPrefix => (trace, edits),
        };
        let run = run(model, &trace)?;
        open.retain(|&goal| run.occurrences[goal].is_empty());
        chains[number].new_steps = Some(trace.inputs.len());
        chains[number].edits = edits;
        chains[number].changes = old.changes(&trace);
        chains[number].changed_values = old.changed_values(&trace).len();
        // Beside replaced steps there are as many insertions or deletions as the lengths differ by,
        // and pairs of both: so an odd rest has a replaced step, with at least one value changed.
        if edits == edited.fewest && edited.is_shortest && edited.prefix.is_none() {
            let lengths = trace.inputs.len().abs_diff(chains[number].old_steps);
            chains[number].fewest_values = (edits as usize).saturating_sub(lengths) % 2;
        }
        found.push((trace, run));
    }
    // Goals that no adapted chain covers keep the chains of the search.
    for chain in &outcome.chains {
        if open.iter().any(|&goal| !chain.run.occurrences[goal].is_empty()) {
            open.retain(|&goal| chain.run.occurrences[goal].is_empty());
            found.push((chain.trace.clone(), chain.run.clone()));
        }
    }
    outcome.put_chains(&model.system, found);
    outcome.smoothing.clear();
    outcome.graph = None;
    let mut all: Vec<GoalId> = old.iter().flat_map(|old| old.covered.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    let state = |goal: &GoalId| match &outcome.goals[*goal].status {
        GoalStatus::Covered { .. } => None,
        status => Some((model.system.goals[*goal].name.clone(), status.name())),
    };
    let lost = all.iter().filter_map(state).collect();
    Ok(Adapted { outcome, chains, lost, notes })
}

/// Settings with the goals of coverage that an old result was made with, where they name none: the
/// goals that it covered are to be those of the model, too.
///
/// ```
/// use chaincover::{Settings, with_coverage_of};
/// let settings = with_coverage_of(Settings::default(), "old.csv".as_ref());
/// assert!(settings.coverage.is_empty());
/// ```
pub fn with_coverage_of(settings: Settings, old: &Path) -> Settings {
    if !settings.coverage.is_empty() || !is_result(old) {
        return settings;
    }
    // What is wrong with the file is told by who reads its chains.
    let Ok(file) = read_stored(old) else { return settings };
    let recorded = conditions::settings(&file.model.options);
    Settings {
        coverage: recorded.coverage,
        branches_only: recorded.branches_only || settings.branches_only,
        coverage_alone: recorded.coverage_alone && settings.goals.is_empty() || settings.coverage_alone,
        observe: settings.observe.or(recorded.observe),
        ..settings
    }
}

fn is_result(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
}

/// Part of the time in which decisions are sought that make differences, at most.
const CAUSE_SHARE: u32 = 8;

/// The wanted goals, where one of these runs covers all of them; else those that a run covers, one
/// with as many of an old chain's own as possible. So there is a chain for them.
fn together<'a>(wanted: &[GoalId], own: &[GoalId], runs: impl Iterator<Item = &'a Execution>) -> Vec<GoalId> {
    let within = |run: &Execution| -> Vec<GoalId> {
        wanted.iter().copied().filter(|&goal| !run.occurrences[goal].is_empty()).collect()
    };
    let rank = |goals: &Vec<GoalId>| (goals.iter().filter(|goal| own.contains(goal)).count(), goals.len());
    runs.map(within).max_by_key(rank).unwrap_or_default()
}

fn covered(outcome: &Outcome) -> impl Iterator<Item = GoalId> + '_ {
    let is_covered = |status: &GoalStatus| matches!(status, GoalStatus::Covered { .. });
    outcome.goals.iter().filter(move |(_, result)| is_covered(&result.status)).map(|(goal, _)| goal)
}

fn run(model: &Model, trace: &Trace) -> Result<Execution, Error> {
    replay(&model.system, trace).map_err(|error| Error::from(EngineError::SelfCheck(error.to_string())))
}

/// An old chain by the names of the model.
struct Old<'m> {
    compared: Vec<InputId>,
    start: Vec<Value>,
    /// For each step the values of the model's inputs; `None`: the model has no such values.
    rows: Vec<Option<Vec<Value>>>,
    /// The goals of the model that were recorded as covered in it.
    covered: Vec<GoalId>,
    record: Option<chain_file::Chain>,
    model: &'m Model,
}

/// The part of an old chain that the model accepts, and the first step that it does not.
type Played = (Option<(Trace, Execution)>, Option<usize>);

/// What the search for few edits came to.
struct Edited {
    best: Option<(Trace, u32)>,
    is_shortest: bool,
    fewest: u32,
    prefix: Option<KeptPrefix>,
}

/// The old chains of a file.
fn old_chains<'m>(
    model: &'m Model,
    path: &Path,
    renamed: &[(String, String)],
    notes: &mut Vec<String>,
) -> Result<Vec<Old<'m>>, Error> {
    let compared: Vec<InputId> = model.translated.signals.inputs.iter().map(|input| input.input).collect();
    let refuse = |error: Error| Error::new(error.kind, format!("{}: {}", path.display(), error.brief()));
    let file = if is_result(path) { read_stored(path).map(Some)? } else { None };
    let Some(mut file) = file else {
        if !renamed.is_empty() {
            let message =
                "names are changed in results (chain.json) only: change those of a table in its first row";
            return Err(Error::new(ErrorKind::Request, message));
        }
        let tests = written(model, path, true)?;
        let old = |test: crate::written_test::Written| {
            let values = |row: &Vec<Value>| compared.iter().map(|input| row[input.index()]).collect();
            let rows = test.trace.inputs.iter().map(|row| Some(values(row))).collect();
            let covered = Vec::new();
            Old { compared: compared.clone(), start: Vec::new(), rows, covered, record: None, model }
        };
        return Ok(tests.into_iter().map(old).collect());
    };
    let inputs = model.translated.signals.inputs.iter().map(|input| &input.signal);
    let signals = inputs.chain(model.translated.signals.outputs.iter().map(|(output, _)| output));
    let names: Vec<&String> = signals.map(|signal| &signal.name).collect();
    for (old, new) in renamed {
        if !names.contains(&new) {
            let why = format!("--rename {old}={new}: the model has no input or output {new}");
            return Err(Error::new(ErrorKind::Request, why));
        }
        rename(&mut file, old, new).map_err(|why| refuse(Error::new(ErrorKind::Request, why)))?;
    }
    let signals = &model.translated.signals.inputs;
    let is_known = |name: &str| signals.iter().any(|input| input.signal.name == name);
    if !file.inputs.is_empty() && !file.inputs.iter().any(|input| is_known(&input.name)) {
        let old: Vec<&str> = file.inputs.iter().map(|input| &input.name[..]).collect();
        let new: Vec<&str> = signals.iter().map(|input| &input.signal.name[..]).collect();
        let why = format!(
            "this is a chain of another model: none of its inputs ({}) is one of this model ({}); --rename OLD=NEW tells what has another name now",
            old.join(", "),
            if new.is_empty() { "none".to_owned() } else { new.join(", ") }
        );
        return Err(refuse(Error::new(ErrorKind::Request, why)));
    }
    for gone in file.inputs.iter().filter(|input| !is_known(&input.name)) {
        notes.push(format!("the input {} of the old chain is none of the model any more", gone.name));
    }
    let defaults = signals.iter().map(|input| {
        if file.inputs.iter().any(|old| old.name == input.signal.name) {
            return Ok(None);
        }
        let sort = model.system.terms.symbol(model.system.inputs[input.input].symbol).sort;
        let configured = input.option.default.as_deref();
        let value = match configured {
            None => Value::zero(sort),
            Some(text) => smoothing::constant(input, sort, text).ok_or_else(|| {
                let why = format!("the default `{text}` of {} is none of its values", input.signal.name);
                Error::new(ErrorKind::Request, why)
            })?,
        };
        let shown = number::text(value, &input.signal.kind);
        notes.push(format!("the input {} is new: it has {shown} in every old step", input.signal.name));
        Ok(Some(value))
    });
    let defaults: Vec<Option<Value>> = defaults.collect::<Result<_, Error>>()?;
    let known_goals = known_goals(model, &file, notes);
    let mut found = Vec::new();
    for (index, chain) in file.chains.iter().enumerate() {
        let mut start = Vec::new();
        for input in model.system.initial_inputs.values() {
            let symbol = model.system.terms.symbol(input.symbol);
            let json = chain.initial_inputs.get(&symbol.name);
            let value = json.and_then(|json| number::from_json(json, symbol.sort));
            start.push(value.unwrap_or_else(|| {
                notes.push(format!("the old chain does not say {}, which starts with 0", symbol.name));
                Value::zero(symbol.sort)
            }));
        }
        let value = |step: &chain_file::Step, at: usize| {
            let input = &signals[at];
            let sort = model.system.terms.symbol(model.system.inputs[input.input].symbol).sort;
            defaults[at].or_else(|| {
                let json = step.inputs.get(&input.signal.name)?;
                let value = number::from_json(&json, sort)?;
                (number::to_json(value, &input.signal.kind) == json).then_some(value)
            })
        };
        let rows: Vec<Option<Vec<Value>>> =
            chain.steps.iter().map(|step| (0..signals.len()).map(|at| value(step, at)).collect()).collect();
        if let Some(step) = rows.iter().position(Option::is_none) {
            notes
                .push(format!("chain {}: step {step} has a value that its input cannot have now", index + 1));
        }
        let is_covered =
            |goal: &&chain_file::Goal| goal.status == Status::Covered && goal.chain == Some(index);
        let covered = file.goals.iter().filter(is_covered);
        let covered = covered.flat_map(|goal| known_goals.get(&goal.name).into_iter().flatten());
        let covered: Vec<GoalId> = covered.copied().collect();
        let record = Some(chain.clone());
        found.push(Old { compared: compared.clone(), start, rows, covered, record, model });
    }
    Ok(found)
}

/// Gives an input or output of a result another name.
fn rename(file: &mut ChainFile, old: &str, new: &str) -> Result<(), String> {
    let mut all = file.inputs.iter_mut().chain(&mut file.outputs);
    if all.any(|signal| signal.name == new) {
        return Err(format!("the old chain has the name {new} already"));
    }
    let mut all = file.inputs.iter_mut().chain(&mut file.outputs);
    let signal = all.find(|signal| signal.name == old);
    signal.ok_or_else(|| format!("the old chain has no input or output {old}"))?.name = new.to_owned();
    for step in file.chains.iter_mut().flat_map(|chain| &mut chain.steps) {
        for values in [&mut step.inputs, &mut step.outputs] {
            values.rename(old, new);
        }
    }
    Ok(())
}

/// For each goal that an old result covers the goals of the model that it is. Goals of coverage go
/// by their [counterparts]; those named by their line have no counterpart in a changed file;
/// all others go by name.
fn known_goals(model: &Model, file: &ChainFile, notes: &mut Vec<String>) -> BTreeMap<String, Vec<GoalId>> {
    let is_changed = !changed_sources(file, model).is_empty();
    let coverage = file.coverage.as_ref().map_or(&[][..], |coverage| &coverage.goals);
    let new: &[frontend::coverage::CoverageGoal] = model.coverage().map_or(&[], |found| &found.goals);
    let (counterparts, told) = counterparts(coverage, new);
    notes.extend(told);
    let mut known = BTreeMap::new();
    for goal in file.goals.iter().filter(|goal| goal.status == Status::Covered) {
        let of_goal = coverage.iter().filter(|found| found.goal == goal.name);
        let is_by_line = goal.origin.as_ref().is_some_and(|origin| {
            let file = Path::new(&origin.file).file_name().map(|name| name.to_string_lossy().into_owned());
            file.is_some_and(|file| goal.name.starts_with(&format!("{file}:{}", origin.line)))
        });
        let is_named = coverage.iter().all(|found| found.name != goal.name);
        let has_name = is_named && !(is_by_line && is_changed);
        let named = model.system.goals.iter().filter(|(_, other)| has_name && other.name == goal.name);
        let same = of_goal.filter_map(|old| counterparts.get(&old.identity[..])).map(|&at| new[at].goal);
        let twins: Vec<GoalId> = named.map(|(id, _)| id).chain(same).collect();
        if twins.is_empty() {
            notes.push(match is_named && !has_name {
                true => {
                    format!("the old goal {} has its name of a line, and the code has changed", goal.name)
                }
                false => format!("the model has no goal {} any more", goal.name),
            });
        }
        known.insert(goal.name.clone(), twins);
    }
    known
}

impl Old<'_> {
    /// The old inputs as far as they are values of the model.
    fn trace(&self) -> Trace {
        let system = &self.model.system;
        let zero = |symbol| Value::zero(system.terms.symbol(symbol).sort);
        let chosen = |step: usize, symbol| {
            let recorded = self.record.as_ref().and_then(|record| record.steps.get(step));
            let symbol: &model::term::Symbol = system.terms.symbol(symbol);
            let json = recorded.and_then(|recorded| recorded.choices.get(&symbol.name));
            json.and_then(|json| number::from_json(json, symbol.sort))
        };
        let row = |(step, values): (usize, &Vec<Value>)| {
            let value = |input: &Input| chosen(step, input.symbol).unwrap_or_else(|| zero(input.symbol));
            let mut row: Vec<Value> = system.inputs.values().map(value).collect();
            for (input, &value) in self.compared.iter().zip(values) {
                row[input.index()] = value;
            }
            row
        };
        let inputs = self.rows.iter().map_while(Option::as_ref).enumerate().map(row).collect();
        complete(system, Trace { start: Start::Initial(self.start.clone()), inputs })
    }

    /// The compared inputs of each step.
    fn compared(&self, trace: &Trace) -> Vec<Vec<Value>> {
        let values = |row: &Vec<Value>| self.compared.iter().map(|input| row[input.index()]).collect();
        trace.inputs.iter().map(values).collect()
    }

    /// The edits that make an adapted chain of this one, in words.
    fn changes(&self, trace: &Trace) -> Vec<String> {
        let signals = &self.model.translated.signals.inputs;
        let new = self.compared(trace);
        let shown = |at: usize, value: Value| number::display(value, &signals[at].signal.kind);
        let all = |step: usize| {
            let values = new[step].iter().enumerate();
            let values =
                values.map(|(at, &value)| format!("{} = {}", signals[at].signal.name, shown(at, value)));
            values.collect::<Vec<_>>().join(", ")
        };
        let text = |edit| match edit {
            Edit::Inserted { new } => format!("step {new} is new: {}", all(new)),
            Edit::Deleted { old } => format!("old step {old} is left out"),
            Edit::Replaced { old, new: step } => {
                let values = match &self.rows[old] {
                    None => all(step),
                    Some(before) => {
                        let pairs = before.iter().zip(&new[step]).enumerate();
                        let changed = pairs.filter(|(_, (before, now))| !before.agrees_with(**now));
                        let text = changed.map(|(at, (&before, &now))| {
                            format!("{} {} -> {}", signals[at].signal.name, shown(at, before), shown(at, now))
                        });
                        text.collect::<Vec<_>>().join(", ")
                    }
                };
                format!("step {step} (old step {old}): {values}")
            }
        };
        script(&self.rows, &new).into_iter().map(text).collect()
    }

    /// The longest part from the start that the model accepts as it is, and the first step that it
    /// does not.
    fn played(&self, model: &Model) -> Result<Played, Error> {
        let mut trace = self.trace();
        loop {
            match replay(&model.system, &trace) {
                Ok(run) => {
                    let steps = trace.inputs.len();
                    return Ok((Some((trace, run)), (steps < self.rows.len()).then_some(steps)));
                }
                Err(TraceError::Assumption { step, .. }) => trace.inputs.truncate(step),
                Err(TraceError::InitialAssumption { .. }) => return Ok((None, Some(0))),
                Err(error) => return Err(Error::request(&error)),
            }
        }
    }

    /// The values of an adapted chain that are another in replaced steps: the step, the number of the
    /// compared input, and its old value.
    fn changed_values(&self, trace: &Trace) -> Vec<(usize, usize, Value)> {
        let new = self.compared(trace);
        let mut found = Vec::new();
        for edit in script(&self.rows, &new) {
            let Edit::Replaced { old, new: step } = edit else { continue };
            let Some(before) = &self.rows[old] else { continue };
            let values = before.iter().zip(&new[step]).enumerate();
            let changed = values.filter(|(_, (before, now))| !before.agrees_with(**now));
            found.extend(changed.map(|(at, (&before, _))| (step, at, before)));
        }
        found
    }

    /// Gives values of replaced steps their old values, one by one, where the chain covers the goals
    /// all the same and no step more is edited.
    fn with_fewer_values(
        &self,
        mut best: Trace,
        mut edits: u32,
        goals: &[GoalId],
        options: &Options,
    ) -> (Trace, u32) {
        // Undefined operations that the search avoided are not taken into the bargain.
        let met = replay(&self.model.system, &best).map_or(0, |run| run.hazards.len());
        let covers = |run: &Execution| {
            run.may_end
                && run.hazards.len() <= met
                && goals.iter().all(|&goal| !run.occurrences[goal].is_empty())
        };
        loop {
            let mut is_better = false;
            for (step, at, before) in self.changed_values(&best) {
                if !is_in_time(options) {
                    return (best, edits);
                }
                let mut inputs = best.inputs.clone();
                inputs[step][self.compared[at].index()] = before;
                let other = complete(&self.model.system, Trace { start: best.start.clone(), inputs });
                let used = distance(&self.rows, &self.compared(&other));
                if used <= edits && replay(&self.model.system, &other).is_ok_and(|run| covers(&run)) {
                    (best, edits, is_better) = (other, used, true);
                }
            }
            if !is_better {
                return (best, edits);
            }
        }
    }

    /// The chain with the fewest edits that covers goals, as far as the time allows.
    fn edited(
        &self,
        model: &Model,
        goals: &[GoalId],
        outcome: &Outcome,
        options: &Options,
    ) -> Result<Edited, Error> {
        // A chain of the search that covers all of them is an adaptation, too.
        let covers = |chain: &&Chain| goals.iter().all(|&goal| !chain.run.occurrences[goal].is_empty());
        let mut best: Option<(Trace, u32)> = None;
        for chain in outcome.chains.iter().filter(covers) {
            let edits = distance(&self.rows, &self.compared(&chain.trace));
            if best.as_ref().is_none_or(|(_, known)| edits < *known) {
                best = Some((chain.trace.clone(), edits));
            }
        }
        let (mut fewest, mut edits, mut is_shortest) = (0, 0, false);
        let is_open = |edits: u32, best: &Option<(Trace, u32)>| match best {
            Some((_, known)) => edits <= *known,
            None => edits as usize <= MOST_EDITS,
        };
        let used = |trace: &Trace| distance(&self.rows, &self.compared(trace));
        while is_open(edits, &best) && is_in_time(options) {
            let adaptation = Adaptation { compared: &self.compared, old: &self.rows, goals, edits };
            let system = within_edits(&model.system, &adaptation);
            match ask(model, system, goals, |trace| used(trace) <= edits, options)? {
                Asked::Found(trace, is_short) => {
                    let used = used(&trace);
                    is_shortest = is_short && used == fewest;
                    best = Some((trace, used));
                    break;
                }
                Asked::None if fewest == edits => fewest = edits + 1,
                Asked::None | Asked::Open => {}
            }
            edits += 1;
        }
        let fewest = best.as_ref().map_or(fewest, |(_, known)| fewest.min(*known));
        Ok(Edited { best, is_shortest, fewest, prefix: None })
    }

    /// The chain that begins with most steps of this one and covers goals, as far as the time
    /// allows. A chain that begins with some steps begins with fewer of them, too, so their number
    /// is found by bisection.
    fn continued(
        &self,
        model: &Model,
        goals: &[GoalId],
        outcome: &Outcome,
        options: &Options,
    ) -> Result<Edited, Error> {
        let rows: Vec<Vec<Value>> = self.rows.iter().map_while(Clone::clone).collect();
        let kept = |trace: &Trace| {
            let new = self.compared(trace);
            rows.iter().zip(&new).take_while(|(old, new)| agree(old, new)).count()
        };
        let covers = |chain: &&Chain| goals.iter().all(|&goal| !chain.run.occurrences[goal].is_empty());
        let known = outcome.chains.iter().filter(covers).map(|chain| chain.trace.clone());
        let mut best: Option<Trace> = known.max_by_key(|trace| kept(trace));
        let (mut most, mut is_shortest) = (rows.len(), false);
        // The numbers of steps for which nothing is known lie from `low` to `high`; what lies above
        // `high` is not asked about any more.
        let (mut low, mut high) = (best.as_ref().map_or(0, &kept), most);
        let mut steps = high;
        while low <= high && is_in_time(options) {
            let system = with_prefix(&model.system, &self.compared, &rows[..steps], goals);
            match ask(model, system, goals, |trace| kept(trace) >= steps, options)? {
                Asked::Found(trace, is_short) => {
                    low = kept(&trace) + 1;
                    (best, is_shortest) = (Some(trace), is_short);
                }
                answer => {
                    if matches!(answer, Asked::None) {
                        most = most.min(steps.saturating_sub(1));
                    }
                    if steps == 0 {
                        break;
                    }
                    high = steps - 1;
                }
            }
            steps = low + high.saturating_sub(low).div_ceil(2);
        }
        let prefix = best.as_ref().map(|trace| KeptPrefix { steps: kept(trace), most });
        let best = best.map(|trace| {
            let edits = distance(&self.rows, &self.compared(&trace));
            (trace, edits)
        });
        Ok(Edited { best, is_shortest, fewest: 0, prefix })
    }
}

/// Edits that are tried at most where no adapted chain is known.
const MOST_EDITS: usize = 64;

/// Part of the time left that one question takes.
const SHARE: u32 = 3;

/// An answer about a number of edits.
enum Asked {
    /// A chain, and whether it is proven that none within the edits has fewer steps.
    Found(Trace, bool),
    /// There is none, which is proven.
    None,
    /// Neither was found out.
    Open,
}

fn is_in_time(options: &Options) -> bool {
    options.interruption().is_none() && options.deadline.is_none_or(|end| Instant::now() < end)
}

/// Asks for a chain of a system that was made of that of the model, within a share of the time left.
/// The evaluator has to confirm that it covers the goals, and that it is as `wanted`.
fn ask(
    model: &Model,
    system: TransitionSystem,
    goals: &[GoalId],
    wanted: impl Fn(&Trace) -> bool,
    options: &Options,
) -> Result<Asked, Error> {
    let left = options.deadline.map(|end| end.saturating_duration_since(Instant::now()) / SHARE);
    let deadline = left.and_then(|left| Instant::now().checked_add(left));
    let options = &Options { deadline, ..options.clone() };
    let system = validate(system).map_err(|malformed| {
        let list: Vec<String> = malformed.iter().map(ToString::to_string).collect();
        Error::new(ErrorKind::Internal, format!("the joined system is malformed: {}", list.join("; ")))
    })?;
    let outcome = match engine::find_chains(&system, options, &Silent) {
        Ok(outcome) => outcome,
        // It is proven that no first step keeps to the limit, and a chain has a step. Where the time
        // is up, that is taken for no proof.
        Err(EngineError::NoExecution(_)) => {
            return Ok(if is_in_time(options) { Asked::None } else { Asked::Open });
        }
        Err(error) => return Err(error.into()),
    };
    let status = outcome.goals.values().next().map(|result| &result.status);
    let chain = outcome.chains.first();
    Ok(match (status, chain) {
        (Some(GoalStatus::Covered { .. }), Some(chain)) => {
            let trace = complete(&model.system, own_part(&model.system, &chain.trace));
            let run = run(model, &trace)?;
            if !wanted(&trace) || goals.iter().any(|&goal| run.occurrences[goal].is_empty()) {
                let why = "the evaluator refuses an adapted chain that the search found";
                return Err(Error::new(ErrorKind::SelfCheck, why));
            }
            Asked::Found(trace, outcome.minimal == Minimality::Proven)
        }
        (Some(GoalStatus::Unreachable { .. } | GoalStatus::EndUnreachable { .. }), _) => Asked::None,
        _ => Asked::Open,
    })
}
