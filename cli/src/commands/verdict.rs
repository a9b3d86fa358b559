//! Verdicts on requirements, as `chain` and `prove` ask for them, print and write them.

use super::args::FailOn;
use super::exit::Exit;
use super::search;
use chaincover::chain_file::ChainFile;
use chaincover::{Judged, Model, NativeCheck, Options, Origin, Verdict, evidence, sha256};
use std::path::Path;

/// Says how many claims have evidence.
pub(crate) fn tell_evidence(written: &evidence::Written, is_quiet: bool) {
    if !is_quiet {
        let (certified, claims, kib) = (written.certified, written.claims, written.bytes.div_ceil(1024));
        eprintln!("proofs: {certified} of {claims} claims certified, {kib} KiB");
    }
}

/// What the compiled code says otherwise: it disagrees with the evaluator, or dies.
pub(crate) fn messages(judged: &Judged) -> impl Iterator<Item = (&'static str, String)> {
    judged.checks().filter_map(|check| match check {
        NativeCheck::Disagrees { .. } => Some(("error", check.to_string())),
        NativeCheck::Dies { .. } => Some(("note", format!("a counterexample: {check}"))),
        _ => None,
    })
}

/// What happened and has an exit code.
fn events(judged: &Judged, model: &Model) -> Vec<(FailOn, Exit)> {
    let mut events = Vec::new();
    for (number, verdict) in &judged.verdicts.all {
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

/// The exit code that the verdicts give: of what happened, what is wanted, and a failed self-check
/// always.
pub(crate) fn exit(judged: &Judged, model: &Model, wanted: &[FailOn]) -> Exit {
    let events = events(judged, model).into_iter().filter(|(event, _)| wanted.contains(event));
    let exit = events.fold(Exit::Success, |exit, (_, other)| exit.combine(other));
    let disagrees = |check: &NativeCheck| matches!(check, NativeCheck::Disagrees { .. });
    if judged.checks().any(disagrees) { exit.combine(Exit::SelfCheck) } else { exit }
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
