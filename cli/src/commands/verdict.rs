//! Verdicts on requirements, as `chain` and `prove` ask for them, print and write them.

use super::args::FailOn;
use super::exit::Exit;
use super::failure::Failure;
use super::search;
use chaincover::chain_file::ChainFile;
use chaincover::{
    Limit, Model, NativeCheck, Options, Origin, Place, Settings, Verdict, Verdicts, add_verdicts,
    check_violations, sha256, summary, to_json, violation_file, violation_names,
};
use std::path::Path;
use std::time::{Duration, Instant};

/// Time that verdicts beside chains get at least.
const LEAST: Duration = Duration::from_secs(20);
/// One of so many parts of the time limit is for verdicts, at least.
const SHARE: u32 = 3;

/// When the search for verdicts ends that come beside chains which took so long: as long as these,
/// or its share of the time limit, and not beyond `end`. A requirement that stays open must not use
/// up what a generous limit allows. With `--max-k` and without a time limit the search ends by itself.
pub(crate) fn deadline(
    options: &Options,
    (end, limit): (Option<Instant>, Option<Duration>),
    took: Duration,
) -> Options {
    let share = limit.unwrap_or_default() / SHARE;
    let own = Instant::now().checked_add(took.max(share).max(LEAST));
    let own = own.filter(|_| limit.is_some() || options.max_k.is_none());
    let deadline = [own, end].into_iter().flatten().min();
    Options { deadline, ..options.clone() }
}

/// Verdicts, and what the compiled code says of counterexamples.
pub(crate) struct Judged {
    pub(crate) verdicts: Verdicts,
    checks: Vec<Option<NativeCheck>>,
    files: Vec<Option<String>>,
}

impl Judged {
    /// Runs the counterexamples on the compiled code, unless that is to be skipped.
    pub(crate) fn new(model: &Model, verdicts: Verdicts, limit: Option<&Limit>) -> Self {
        let checks = limit.map(|limit| check_violations(model, &verdicts, limit)).unwrap_or_default();
        let files = violation_names(model, &verdicts);
        Self { verdicts, checks, files }
    }

    /// Puts the verdicts into a result; files are named where they are going to be written.
    pub(crate) fn add_to(&self, file: &mut ChainFile, model: &Model, are_written: bool) {
        let files = if are_written { &self.files[..] } else { &[] };
        add_verdicts(file, model, &self.verdicts, (&self.checks, files));
    }

    /// The counterexamples with their files: results that are complete by themselves.
    fn counterexamples(
        &self,
        model: &Model,
        read_with: (&Settings, &Options),
    ) -> impl Iterator<Item = (&str, ChainFile)> {
        self.files.iter().enumerate().filter_map(move |(index, name)| {
            let check = self.checks.get(index).and_then(Option::as_ref);
            let file = violation_file(model, (&self.verdicts, index), check, read_with)?;
            Some((name.as_deref()?, file))
        })
    }

    /// Writes a file for each counterexample; returns why some are not written.
    pub(crate) fn write(
        &self,
        model: &Model,
        read_with: (&Settings, &Options),
        (place, origin): (&mut Place, &Origin),
    ) -> Result<Vec<String>, Failure> {
        let mut refused = Vec::new();
        for (name, file) in self.counterexamples(model, read_with) {
            refused.extend(place.write(origin, [(name, to_json(&file).as_bytes())])?);
        }
        Ok(refused)
    }

    /// Tables of the counterexamples, for the screen.
    pub(crate) fn tables(&self, model: &Model, read_with: (&Settings, &Options)) -> String {
        let table = |(_, file): (&str, ChainFile)| {
            let name = file.verdicts.first().map_or("", |verdict| verdict.name.as_str());
            summary::violation(name, &file)
        };
        self.counterexamples(model, read_with).map(table).collect()
    }

    /// What the compiled code says otherwise: it disagrees with the evaluator, or dies.
    pub(crate) fn messages(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.checks.iter().flatten().filter_map(|check| match check {
            NativeCheck::Disagrees { .. } => Some(("error", check.to_string())),
            NativeCheck::Dies { .. } => Some(("note", format!("a counterexample: {check}"))),
            _ => None,
        })
    }

    /// What happened and has an exit code.
    pub(crate) fn events(&self, model: &Model) -> Vec<(FailOn, Exit)> {
        let mut events = Vec::new();
        for (number, verdict) in &self.verdicts.all {
            let is_stated = model.requirements()[*number].kind.is_stated();
            events.extend(match verdict {
                Verdict::Proven { .. } => None,
                Verdict::Violated(_) => Some((FailOn::Violated, Exit::Violated)),
                Verdict::Vacuous { .. } if !is_stated => None,
                Verdict::Vacuous { .. } => Some((FailOn::Vacuous, Exit::Unreachable)),
                Verdict::Undecided { .. } => Some((FailOn::Undecided, Exit::Undecided)),
            });
        }
        events
    }
}

/// The exit code that the verdicts give: of what happened, what is wanted, and a failed self-check
/// always.
pub(crate) fn exit(judged: &Judged, model: &Model, wanted: &[FailOn]) -> Exit {
    let events = judged.events(model).into_iter().filter(|(event, _)| wanted.contains(event));
    let exit = events.fold(Exit::Success, |exit, (_, other)| exit.combine(other));
    let disagrees = |check: &NativeCheck| matches!(check, NativeCheck::Disagrees { .. });
    if judged.checks.iter().flatten().any(disagrees) { exit.combine(Exit::SelfCheck) } else { exit }
}

/// A result with the folder in front of the names of files, as a user finds them.
pub(crate) fn with_folder(file: &ChainFile, folder: Option<&Path>) -> ChainFile {
    let mut shown = file.clone();
    let found = shown.verdicts.iter_mut().filter_map(|verdict| verdict.counterexample.as_mut());
    for found in found {
        if let (Some(name), Some(folder)) = (&mut found.file, folder) {
            *name = folder.join(&*name).display().to_string();
        }
    }
    shown
}

/// The origin of files that are written for a result.
pub(crate) fn origin(file: &ChainFile, json: &str) -> Origin {
    Origin { model: file.model.name.clone(), result: sha256(json) }
}

/// How the run ended, where a limit ended it.
pub(crate) fn stopped(judged: &Judged, options: &Options) -> Exit {
    match judged.verdicts.is_stopped {
        true => search::stopped(options),
        false => Exit::Success,
    }
}
