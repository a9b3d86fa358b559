//! Two versions of C code under the same inputs: the shortest execution after which an output
//! differs, or a proof that there is none.

use super::judging::{Reached, Run, execution, join, reached};
use super::versions::{Shown, Version};
use super::{bare, seen_outputs};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::search::check_trace;
use crate::settings::{Settings, configure};
use ::replay::check::NativeCheck;
use engine::options::Options;
use frontend::limit::Limit;
use model::id::Id;
use model::trace::replay;
use report::output::number::display;
use std::path::PathBuf;

/// What tells two versions apart.
#[derive(Clone, Debug, PartialEq)]
pub enum CodeDifference {
    /// Nothing, in any execution in which both do what C defines; with the proof.
    None(String),
    /// An execution.
    Shown(Shows),
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
}

/// Compares two versions of C code by their outputs. Without outputs, the memory of the old version
/// is what is seen. Executions end, for this question, where one of the versions does what C leaves
/// undefined.
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
    let original = seen(old, settings)?;
    let changed = seen(new, settings)?;
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
    let mut both = join(&original);
    let difference = both.add(&version.model.system, &version.seen).map_err(|why| refuse(why.to_string()))?;
    if difference.own_words == 0 && both.is_false(difference.kills) && both.is_false(difference.leaves) {
        return Ok(CodeDifference::None("start and step are alike, term by term".to_owned()));
    }
    match reached(&both, difference.kills, options)? {
        Reached::No(proof) => Ok(CodeDifference::None(proof)),
        Reached::Unknown(why) => Ok(CodeDifference::Undecided(why)),
        Reached::Yes(trace, is_shortest) => {
            let run = execution(&original, trace)?;
            shown(&original, &version, &run, is_shortest, no_replay).map(CodeDifference::Shown)
        }
    }
}

/// A version without goals, with its outputs, or its memory where it has none.
fn seen(paths: &[PathBuf], settings: &Settings) -> Result<Model, Error> {
    let configuration = configure(paths, settings)?;
    if !crate::front_ends::is_code(&configuration.request) {
        let list: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let message = format!("{} is no model in C: two versions of C code are compared", list.join(", "));
        return Err(Error::new(ErrorKind::Request, message));
    }
    let whole = Model::new(configuration.clone())?.translated;
    let resolved = seen_outputs(whole);
    Model::new(bare(configuration, resolved))
}

/// The execution as people read it, checked by evaluator and compiled code.
fn shown(
    original: &Model,
    version: &Version,
    run: &Run,
    is_shortest: bool,
    no_replay: bool,
) -> Result<Shows, Error> {
    let refuse = |why: String| Error::new(ErrorKind::SelfCheck, why);
    let Shown::Differs(last) = version.shows(&run.trace, &run.run) else {
        return Err(refuse("the evaluator does not see the difference that the search found".to_owned()));
    };
    let own = version.trace(&run.trace, last + 1);
    let own_run = replay(&version.model.system, &own).map_err(|error| refuse(error.to_string()))?;
    let mut replayed = Vec::new();
    for (name, model, execution) in
        [("old", original, (&run.trace, &run.run)), ("new", &version.model, (&own, &own_run))]
    {
        if no_replay {
            continue;
        }
        let check = check_trace(model, execution, &Limit::default());
        if let NativeCheck::Disagrees { .. } | NativeCheck::Dies { .. } = check {
            return Err(refuse(format!("the {name} version: {check}")));
        }
        replayed.push(format!("{name}: {check}"));
    }
    let signals = &original.translated.signals;
    let inputs = run.trace.inputs[..=last].iter().map(|row| {
        let value = |input: &frontend::InputSignal| {
            (input.signal.name.clone(), display(row[input.input.index()], &input.signal.kind))
        };
        signals.inputs.iter().map(value).collect()
    });
    let mut outputs = Vec::new();
    for &(one, other) in &version.seen.outputs {
        let (before, now) = (run.run.outputs[last][one], own_run.outputs[last][other]);
        if let Some((signal, _)) = signals.outputs.iter().find(|(_, position)| *position == one)
            && !before.agrees_with(now)
        {
            outputs.push((signal.name.clone(), display(before, &signal.kind), display(now, &signal.kind)));
        }
    }
    let replayed = if no_replay { "not replayed".to_owned() } else { replayed.join("; ") };
    Ok(Shows { inputs: inputs.collect(), outputs, is_shortest, replayed })
}
