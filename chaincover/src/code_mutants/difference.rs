//! Two versions of C code under the same inputs: the shortest execution after which an output
//! differs, or a proof that there is none.

use super::judging::{Reached, SHOWS_A_DIFFERENCE, join, nothing_defined, ran_into, reached};
use super::seen_outputs;
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::search::{check_trace, no_chains, report};
use crate::settings::{Settings, configure};
use crate::versions::{Run, Shown, Version, bare, execution, fed, goes_on};
use ::replay::check::NativeCheck;
use engine::options::Options;
use frontend::limit::Limit;
use model::id::Id;
use model::product::{Difference, Join};
use model::system::{Hazard, HazardEffect};
use model::trace::{Trace, replay};
use model::value::Value;
use report::build;
use report::output::chain_file::{self, ChainFile};
use report::output::number::display;
use report::output::visible;
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::time::Duration;

/// What tells two versions apart.
#[derive(Clone, Debug, PartialEq)]
pub enum CodeDifference {
    /// Nothing, in any execution in which both do what C defines; with the proof.
    None(String),
    /// An execution after which an output differs.
    Shown(Shows),
    /// No output differs as long as both go on, but one of them ends, excludes inputs or does what
    /// C leaves undefined where the other one goes on.
    Ends(Ends),
    /// Neither was found; with the reason.
    Undecided(String),
}

/// An execution after which an output differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Shows {
    /// For each step the inputs, as names and values.
    pub inputs: Vec<Vec<(String, String)>>,
    /// The outputs that differ after the last step: name, old value, new value.
    pub outputs: Vec<(String, String, String)>,
    /// Whether it is proven that no shorter execution shows a difference.
    pub is_shortest: bool,
    /// What the compiled code of both versions says.
    pub replayed: String,
    /// The execution of both versions.
    pub executions: Vec<VersionRun>,
}

/// The execution that tells two versions apart, as one of them runs it.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionRun {
    /// `old` or `new`.
    pub name: &'static str,
    /// A result of this version: it can be replayed and exported as any other.
    pub result: ChainFile,
    /// The steps with the outputs that are compared, which is memory where there are none.
    pub compared: chain_file::Chain,
}

/// An execution in the last step of which only one of two versions goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Ends {
    /// Why no output differs as long as both go on.
    pub proof: String,
    /// Whether it is the old version that ends.
    pub is_old: bool,
    /// What it runs into.
    pub reason: String,
    /// For each step the inputs, as names and values.
    pub inputs: Vec<Vec<(String, String)>>,
    /// Whether it is proven that in no shorter execution this version ends where the other goes on.
    pub is_shortest: bool,
    /// The execution of the version that goes on.
    pub executions: Vec<VersionRun>,
}

impl CodeDifference {
    /// The execution that tells the versions apart, of those versions that go on.
    pub fn executions(&self) -> &[VersionRun] {
        match self {
            Self::None(_) | Self::Undecided(_) => &[],
            Self::Shown(shown) => &shown.executions,
            Self::Ends(end) => &end.executions,
        }
    }

    /// What was found as JSON; see `docs/old-tests.md`.
    ///
    /// ```
    /// use chaincover::CodeDifference;
    /// let json = CodeDifference::None("induction".to_owned()).to_json();
    /// assert!(json.contains("\"result\": \"none\""));
    /// ```
    pub fn to_json(&self) -> String {
        let steps = |run: &VersionRun| {
            let steps: Vec<Json> = run.compared.steps.iter().map(values).collect();
            (run.name.to_owned(), Json::Array(steps))
        };
        let executions: serde_json::Map<String, Json> = self.executions().iter().map(steps).collect();
        let mut found = match self {
            Self::None(proof) => json!({ "result": "none", "proof": proof }),
            Self::Undecided(why) => json!({ "result": "undecided", "reason": why }),
            Self::Shown(shown) => {
                let output = |(name, old, new): &(String, String, String)| json!({ "name": name, "old": old, "new": new });
                json!({
                    "result": "outputs",
                    "steps": shown.inputs.len(),
                    "shortest": shown.is_shortest,
                    "outputs": shown.outputs.iter().map(output).collect::<Vec<_>>(),
                    "replayed": shown.replayed,
                })
            }
            Self::Ends(end) => json!({
                "result": "ends",
                "steps": end.inputs.len(),
                "shortest": end.is_shortest,
                "ends": if end.is_old { "old" } else { "new" },
                "reason": end.reason,
                "proof": end.proof,
            }),
        };
        found["schema"] = SCHEMA.into();
        if !executions.is_empty() {
            found["executions"] = executions.into();
        }
        visible::json(&format!("{found:#}")) + "\n"
    }
}

/// The value of the `schema` key.
const SCHEMA: &str = "chaincover/difference/1";

/// A step of a result: what goes in and what comes out.
fn values(step: &chain_file::Step) -> Json {
    json!({ "inputs": step.inputs, "outputs": step.outputs })
}

/// Compares two versions of C code by their outputs. Without outputs, the memory of the old version
/// is what is seen; what the new one has besides is not compared. Outputs are compared as long as
/// both versions go on; if none differs, the question is whether one of them ends, excludes inputs
/// by an assumption, or does what C leaves undefined, where the other goes on.
///
/// ```
/// use chaincover::{CodeDifference, Options, Settings, code_difference};
/// # let folder = tempfile::tempdir()?;
/// let (old, new) = (folder.path().join("old.c"), folder.path().join("new.c"));
/// std::fs::write(&old, "int n; void step(_Bool up) { if (up && n < 3) n++; }")?;
/// std::fs::write(&new, "int n; void step(_Bool up) { if (up && n < 4) n++; }")?;
/// let found = code_difference(&[old], &[new], &Settings::default(), &Options::default(), false)?;
/// let CodeDifference::Shown(shown) = found else { panic!("{found:?}") };
/// assert_eq!((shown.inputs.len(), shown.is_shortest), (4, true));
/// assert_eq!(shown.outputs, [("n".to_owned(), "3".to_owned(), "4".to_owned())]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`read`](crate::read); [`ErrorKind::Request`]: versions that cannot be compared (an input
/// that the old one does not have, an output that the new one lacks). [`ErrorKind::SelfCheck`]: a
/// compiled version does not do what was computed of it.
pub fn code_difference(
    old: &[PathBuf],
    new: &[PathBuf],
    settings: &Settings,
    options: &Options,
    no_replay: bool,
) -> Result<CodeDifference, Error> {
    let asked = Asked { old, new, settings, options, no_replay };
    let original = seen(old, settings, &[])?;
    let names = |model: &Model| -> Vec<String> {
        model.translated.signals.outputs.iter().map(|(signal, _)| signal.lvalue.clone()).collect()
    };
    let changed = seen(new, settings, &names(&original))?;
    for (model, name) in [(&original, "old"), (&changed, "new")] {
        if let Some(start) = model.translated.open_start() {
            let message =
                format!("initialisation of the {name} version runs into {start}: C leaves open what follows");
            return Err(Error::new(ErrorKind::Source, message));
        }
    }
    let refuse = |why: String| Error::new(ErrorKind::Request, format!("the new version: {why}"));
    let version = Version::new(&original, changed, &[]).map_err(|refused| refuse(refused.why))?;
    if version.seen.outputs.is_empty() {
        let message =
            "the old version has no outputs and no memory by which the new one could be told from it";
        return Err(Error::new(ErrorKind::Request, message));
    }
    check_types(&original, &version).map_err(refuse)?;
    let (both, difference) = joined(&original, &version).map_err(refuse)?;
    let proof = match reached(&both, (difference.kills, SHOWS_A_DIFFERENCE), &options.within_part(1, 3))? {
        Reached::No(proof) => proof,
        Reached::NothingDefined => {
            "the old version has no execution in which it does only what C defines".to_owned()
        }
        Reached::Unknown(why) => return Ok(CodeDifference::Undecided(why)),
        Reached::Yes(trace, is_shortest) => {
            let run = execution(&original, trace)?;
            return shown((&original, &version), &run, is_shortest, &asked).map(CodeDifference::Shown);
        }
    };
    match reached(&both, (difference.leaves, SHOWS_A_DIFFERENCE), &options.within_part(1, 2))? {
        Reached::No(_) | Reached::NothingDefined => {}
        Reached::Unknown(why) => return Ok(half_known(&proof, "new", &why)),
        Reached::Yes(trace, is_shortest) => {
            return ends((&original, &version), (trace, is_shortest), (&proof, false), &asked);
        }
    }
    if goes_on_always(&original) {
        return Ok(CodeDifference::None(proof));
    }
    let refuse = |why: String| half_known(&proof, "old", &why);
    let twin = match Version::new(&version.model, seen(old, settings, &names(&version.model))?, &[]) {
        Ok(twin) => twin,
        Err(refused) => return Ok(refuse(refused.why)),
    };
    let (both, difference) = match joined(&version.model, &twin) {
        Ok(found) => found,
        Err(why) => return Ok(refuse(why)),
    };
    match reached(&both, (difference.leaves, SHOWS_A_DIFFERENCE), options)? {
        Reached::No(_) => Ok(CodeDifference::None(proof)),
        Reached::NothingDefined => Err(nothing_defined()),
        Reached::Unknown(why) => Ok(refuse(why)),
        Reached::Yes(trace, is_shortest) => {
            ends((&version.model, &twin), (trace, is_shortest), (&proof, true), &asked)
        }
    }
}

/// A version beside the one that it is compared with.
fn joined(original: &Model, version: &Version) -> Result<(Join, Difference), String> {
    let mut both = join(original);
    let difference = both.add(&version.model.system, &version.seen).map_err(|why| why.to_string())?;
    Ok((both, difference))
}

/// Fails where an output has another type now: its values cannot be compared.
fn check_types(original: &Model, version: &Version) -> Result<(), String> {
    let sort = |model: &Model, at: usize| model.system.terms.sort(model.system.outputs[at].value);
    let is_other = |&&(one, other): &&(usize, usize)| sort(original, one) != sort(&version.model, other);
    let Some(&(one, _)) = version.seen.outputs.iter().find(is_other) else { return Ok(()) };
    Err(format!("its output {} has another type", original.system.outputs[one].name))
}

/// Whether no execution of a version ends, is excluded, or does what C leaves undefined.
fn goes_on_always(model: &Model) -> bool {
    let is_open = |hazard: &Hazard| hazard.effect == HazardEffect::Open;
    model.system.assumptions.is_empty()
        && goes_on(model).is_empty()
        && !model.system.hazards.iter().any(is_open)
}

fn half_known(proof: &str, which: &str, why: &str) -> CodeDifference {
    CodeDifference::Undecided(format!(
        "no output differs as long as both versions go on: {proof}; whether the {which} one ends where the other goes on \
         is open: {why}"
    ))
}

/// How the comparison was asked for.
struct Asked<'a> {
    old: &'a [PathBuf],
    new: &'a [PathBuf],
    settings: &'a Settings,
    options: &'a Options,
    no_replay: bool,
}

impl Asked<'_> {
    /// An execution of a version by itself, run on the compiled code. `seen`: the version as it is
    /// compared; its result is one of the version as it is configured.
    fn execution(
        &self,
        name: &'static str,
        seen: &Model,
        trace: Trace,
    ) -> Result<(VersionRun, NativeCheck), Error> {
        let refuse = |why: String| Error::new(ErrorKind::SelfCheck, format!("the {name} version: {why}"));
        let played = |model: &Model, trace: &Trace| {
            replay(&model.system, trace).map_err(|error| refuse(error.to_string()))
        };
        let run = played(seen, &trace)?;
        let check = match self.no_replay {
            true => NativeCheck::Skipped { reason: "--no-replay".to_owned() },
            false => check_trace(seen, (&trace, &run), &Limit::default()),
        };
        if let NativeCheck::Disagrees { .. } | NativeCheck::Dies { .. } = check {
            return Err(refuse(check.to_string()));
        }
        let compared = build::chain(&seen.translated, &seen.system, &trace, &run, &[], &check);
        let model = Model::new(configure(if name == "old" { self.old } else { self.new }, self.settings)?)?;
        let trace =
            fed(&model.system, &seen.system, &trace).map_err(|unmatched| refuse(unmatched.to_string()))?;
        let run = played(&model, &trace)?;
        let mut outcome = no_chains(&model, self.options);
        outcome.put_chains(&model.system, vec![(trace, run)]);
        let checks = [check];
        let read_with = (self.settings, self.options);
        let result = report(&model, (&outcome, &checks), read_with, Duration::ZERO);
        let [check] = checks;
        Ok((VersionRun { name, result, compared }, check))
    }
}

/// The execution in which a version ends and the one that goes on does not.
fn ends(
    (going_on, version): (&Model, &Version),
    (trace, is_shortest): (Trace, bool),
    (proof, is_old): (&str, bool),
    asked: &Asked<'_>,
) -> Result<CodeDifference, Error> {
    let run = execution(going_on, trace)?;
    let Shown::Leaves(last) = version.shows(&run.trace, &run.run) else {
        let why = "the evaluator does not see the end that the search found";
        return Err(Error::new(ErrorKind::SelfCheck, why));
    };
    let inputs = inputs(going_on, &run.trace, last);
    let (proof, reason) = (proof.to_owned(), ran_into(version, &run.trace, last));
    let name = if is_old { "new" } else { "old" };
    let (executions, _) = asked.execution(name, going_on, first_steps(&run.trace, last + 1))?;
    let executions = vec![executions];
    Ok(CodeDifference::Ends(Ends { proof, is_old, reason, inputs, is_shortest, executions }))
}

/// Inputs of the steps of an execution up to a last one, as names and values.
fn inputs(model: &Model, trace: &Trace, last: usize) -> Vec<Vec<(String, String)>> {
    let value = |row: &Vec<Value>, input: &frontend::InputSignal| {
        (input.signal.name.clone(), display(row[input.input.index()], &input.signal.kind))
    };
    let signals = &model.translated.signals.inputs;
    let row = |row: &Vec<Value>| signals.iter().map(|input| value(row, input)).collect();
    trace.inputs.iter().take(last + 1).map(row).collect()
}

/// A version without goals, with its outputs, or its memory where it has none, and with what is
/// named of its memory.
fn seen(paths: &[PathBuf], settings: &Settings, named: &[String]) -> Result<Model, Error> {
    let configuration = configure(paths, settings)?;
    if !crate::front_ends::is_code(&configuration.request) {
        let list: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let message = format!("{} is no model in C: two versions of C code are compared", list.join(", "));
        return Err(Error::new(ErrorKind::Request, message));
    }
    let Model { configuration, translated: whole, .. } = Model::unobserved(configuration)?;
    let own = whole.signals.outputs.iter().map(|(signal, _)| signal.lvalue.clone());
    let mut outputs: Vec<String> = own.collect();
    for (signal, _) in &whole.signals.states {
        if named.contains(&signal.lvalue) && !outputs.contains(&signal.lvalue) {
            outputs.push(signal.lvalue.clone());
        }
    }
    let mut resolved = seen_outputs(whole);
    if !outputs.is_empty() {
        resolved.outputs = Some(outputs);
    }
    Model::unobserved(bare(configuration, resolved))
}

/// An execution, cut behind so many steps.
fn first_steps(trace: &Trace, steps: usize) -> Trace {
    let inputs = trace.inputs.iter().take(steps).cloned().collect();
    Trace { start: trace.start.clone(), inputs }
}

/// The execution as people read it, checked by evaluator and compiled code.
fn shown(
    (original, version): (&Model, &Version),
    run: &Run,
    is_shortest: bool,
    asked: &Asked<'_>,
) -> Result<Shows, Error> {
    let refuse = |why: String| Error::new(ErrorKind::SelfCheck, why);
    let Shown::Differs(last) = version.shows(&run.trace, &run.run) else {
        return Err(refuse("the evaluator does not see the difference that the search found".to_owned()));
    };
    let own = version.trace(&run.trace, last + 1);
    let own_run = replay(&version.model.system, &own).map_err(|error| refuse(error.to_string()))?;
    let (mut replayed, mut executions) = (Vec::new(), Vec::new());
    for (name, model, trace) in
        [("old", original, first_steps(&run.trace, last + 1)), ("new", &version.model, own)]
    {
        let (execution, check) = asked.execution(name, model, trace)?;
        executions.push(execution);
        replayed.push(format!("{name}: {check}"));
    }
    let signals = &original.translated.signals;
    let mut outputs = Vec::new();
    for &(one, other) in &version.seen.outputs {
        let (before, now) = (run.run.outputs[last][one], own_run.outputs[last][other]);
        if let Some((signal, _)) = signals.outputs.iter().find(|(_, position)| *position == one)
            && !before.agrees_with(now)
        {
            outputs.push((signal.name.clone(), display(before, &signal.kind), display(now, &signal.kind)));
        }
    }
    let replayed = if asked.no_replay { "not replayed".to_owned() } else { replayed.join("; ") };
    let inputs = inputs(original, &run.trace, last);
    Ok(Shows { inputs, outputs, is_shortest, replayed, executions })
}
