//! What a stored result says of mutants of C code, checked without the search that made it.
//!
//! Kills are executions: they are run again, by the evaluator and on compiled code. That nothing
//! tells a mutant from the original is shown by equal terms of both, which are made again, or by
//! evidence about the system that holds both.

use super::judging::{chain, loss, shows, shows_in_step};
use super::proofs::MUTANT_PROOFS;
use super::reading::Reading;
use super::stored::{Excluded, StoredMutants};
use super::{exploring, score};
use crate::conditions::assumed;
use crate::error::{Error, ErrorKind};
use crate::search::check_trace;
use crate::threads::each;
use crate::verification::{Against, Finding, Verification};
use crate::versions::{Refused, Run, Shown, Version};
use ::actions::analysis::Kill;
use ::replay::check::NativeCheck;
use engine::options::Options;
use evidence::check::{Verdict, check_unreachable};
use frontend::limit::Limit;
use report::mutation::{self, Mutant, MutationFile};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Name of the result of `mutate` in its folder.
pub(crate) const MUTANTS: &str = "mutate.json";

/// What nothing here looks at.
const NOT_LOOKED_AT: &str = "of the result these are not checked: what verdicts rest on (`by`), and steps of single tests (`alone`, `single`)";

/// What was found of a mutant, a line for each claim.
type Found = Vec<(Finding, String)>;

/// Checks the result of `mutate` in a folder against the model that the caller names.
///
/// # Errors
/// [`ErrorKind::Request`]: there is no such result, or it is about no C code; reading the model may
/// fail as for [`read`](crate::read()).
pub(crate) fn verify_mutants(folder: &Path, against: Against<'_>) -> Result<Verification, Error> {
    let path = folder.join(MUTANTS);
    let refuse = |why: String| Error::new(ErrorKind::Request, format!("{}: {why}", path.display()));
    let Some(read) = against.model else {
        return Err(refuse(
            "it does not say how the model is read: name it as for `mutate`, `verify DIR MODEL`".to_owned(),
        ));
    };
    let text = std::fs::read_to_string(&path).map_err(|error| refuse(error.to_string()))?;
    let file = MutationFile::parse(&text).map_err(|error| refuse(error.to_string()))?;
    if file.schema != mutation::SCHEMA {
        return Err(refuse(format!(
            "schema `{}` is not known; this version reads {}",
            file.schema,
            mutation::SCHEMA
        )));
    }
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let mut mutants = StoredMutants::new(read, &file, &Options { jobs, ..Options::default() })?;
    let mut report = Verification { about: about(&mutants), ..Verification::default() };
    mutants.options.score = vec![path];
    let runs = match score::stored(&mutants.original, &mutants.options) {
        Ok(runs) => runs.unwrap_or_default(),
        Err(error) => {
            report.reject(error.brief());
            Vec::new()
        }
    };
    check_chains(&mutants, &file, &runs, &mut report);
    let check = Check { mutants: &mutants, reading: mutants.reading(), runs: &runs, folder };
    let found = each(file.mutants.len(), jobs, &|number| check.mutant(&file.mutants[number]));
    let mut known = BTreeSet::new();
    for (mutant, found) in file.mutants.iter().zip(found) {
        let claim = |text: String| format!("{} {text}", mutant.id);
        if !known.insert(&mutant.id) {
            report.reject(claim("is listed twice".to_owned()));
        }
        report.claims.extend(found.into_iter().map(|(finding, text)| (finding, claim(text))));
    }
    if file.lower_bound > 0 {
        let minimal = if file.minimal { ", and no fewer chains do" } else { "" };
        let bound = file.lower_bound;
        report.leave_open(format!(
            "no chains of less than {bound} steps reveal as much{minimal}: there is no evidence for bounds of chains that reveal mutants"
        ));
    }
    report.notes.push(NOT_LOOKED_AT.to_owned());
    Ok(report)
}

/// What all claims rest on.
fn about(mutants: &StoredMutants) -> String {
    let model = &mutants.original;
    let sources = model.configuration.request.sources.iter();
    let sources = sources.map(|path| format!("  source       {}\n", path.display()));
    let assumed = assumed(model, &mutants.options.search).into_iter();
    let lines = sources.chain(assumed.map(|line| format!("  assumed      {line}\n")));
    std::iter::once("the verdicts are about mutants of\n".to_owned()).chain(lines).collect()
}

/// The chains run as recorded, on compiled code, too.
fn check_chains(mutants: &StoredMutants, file: &MutationFile, runs: &[Run], report: &mut Verification) {
    let about = (&mutants.original, &mutants.outputs);
    for (number, (told, run)) in file.chains.iter().zip(runs).enumerate() {
        let name = format!("chain {}", number + 1);
        let steps = run.trace.inputs.len();
        if !is_same(told, &chain(about, (number, run), file)) {
            report.reject(format!("{name}: its inputs, its outputs or what it reveals are not as recorded"));
            continue;
        }
        match check_trace(&mutants.original, (&run.trace, &run.run), &Limit::default()) {
            check @ NativeCheck::Agrees { .. } => {
                report.hold(format!("{name} runs as recorded: {steps} steps; {check}"));
            }
            check @ (NativeCheck::Disagrees { .. } | NativeCheck::Dies { .. }) => {
                report.reject(format!("{name}: {check}"));
            }
            check => report.leave_open(format!("{name}: {check}")),
        }
    }
    let length: u64 = runs.iter().map(|run| run.trace.inputs.len() as u64).sum();
    if (file.chains.len(), file.length) != (runs.len(), length) {
        report.reject(format!("the chains have {length} steps, not {}", file.length));
    }
}

/// Whether a chain is recorded as it is; numbers may be written in other ways.
fn is_same(told: &mutation::Chain, now: &mutation::Chain) -> bool {
    let text = |chain: &mutation::Chain| serde_json::to_string(chain).unwrap_or_default();
    let again: Result<mutation::Chain, _> = serde_json::from_str(&text(now));
    again.is_ok_and(|again| again == *told)
}

/// What mutants are checked against.
struct Check<'a> {
    mutants: &'a StoredMutants,
    reading: Reading<'a>,
    runs: &'a [Run],
    folder: &'a Path,
}

impl Check<'_> {
    fn mutant(&self, mutant: &Mutant) -> Found {
        let verdict = &mutant.verdict;
        if mutant.operator == mutation::PATCH {
            return vec![(Finding::NotCertified, format!("{verdict}: the patch is no part of the result"))];
        }
        let version = match self.mutants.version(&self.reading, mutant) {
            Err(why) => return vec![(Finding::Rejected, why)],
            Ok(Err(refused)) => return vec![refused_now(mutant, refused)],
            Ok(Ok(version)) => version,
        };
        match verdict.as_str() {
            "killed" => vec![self.killed(mutant, &version)],
            "equivalent" | "conforms" => self.excluded(mutant, &version),
            "crash" | "hang" => {
                let mut found = self.excluded(mutant, &version);
                found.push(self.lost(mutant, &version));
                found
            }
            "alive" => vec![self.alive(&version)],
            "undecided" => Vec::new(),
            "unviable" => vec![(Finding::Rejected, "is called unviable, and can be read".to_owned())],
            other => vec![(Finding::Rejected, format!("has no verdict `{other}`"))],
        }
    }

    /// The chain kills it in that step, and not before.
    fn killed(&self, mutant: &Mutant, version: &Version) -> (Finding, String) {
        let (Some(number), Some(step)) = (mutant.chain, mutant.step) else {
            return (Finding::Rejected, "is called killed, and no step of a chain is named".to_owned());
        };
        let place = format!("killed in step {step} of chain {}", number + 1);
        let Some(run) = self.runs.get(number) else {
            return (Finding::Rejected, format!("{place}: there is no such chain"));
        };
        if version.shows(&run.trace, &run.run) != Shown::Differs(step) {
            return (Finding::Rejected, format!("{place}: it shows no difference there, or one before"));
        }
        if self.mutants.options.kill == Kill::Step {
            let shown = shows_in_step(&self.mutants.original, version, (run, step));
            return match mutant.shows.as_ref() == Some(&shown) {
                true => (Finding::Verified, format!("{place}, by the evaluator: {shown}")),
                false => (Finding::Rejected, format!("{place}: it shows {shown}")),
            };
        }
        let own = version.trace(&run.trace, step + 1);
        let again = match version.replay(&own) {
            Ok(again) => again,
            Err(why) => return (Finding::Rejected, format!("{place}: {why}")),
        };
        let shown = shows(&self.mutants.original, version, (run, step), &again.outputs[step]);
        if mutant.shows.as_ref() != Some(&shown) {
            return (Finding::Rejected, format!("{place}: it shows {shown}"));
        }
        match check_trace(&version.model, (&own, &again), &Limit::default()) {
            check @ NativeCheck::Agrees { .. } => {
                (Finding::Verified, format!("{place}: {shown}; the compiled mutant: {check}"))
            }
            check @ NativeCheck::Disagrees { .. } => (Finding::Rejected, format!("{place}: {check}")),
            check => (Finding::NotCertified, format!("{place}, by the evaluator alone: {check}")),
        }
    }

    /// No chain of the result kills it.
    fn alive(&self, version: &Version) -> (Finding, String) {
        let kills = |run: &Run| matches!(version.shows(&run.trace, &run.run), Shown::Differs(_));
        match self.runs.iter().position(kills) {
            None => (Finding::Verified, "alive: no chain reveals it, by the evaluator".to_owned()),
            Some(number) => {
                (Finding::Rejected, format!("is called alive, and chain {} kills it", number + 1))
            }
        }
    }

    /// No execution does what the verdict excludes.
    fn excluded(&self, mutant: &Mutant, version: &Version) -> Found {
        let verdict = &mutant.verdict;
        let is_alike = ["equivalent", "conforms"].contains(&verdict.as_str());
        let (system, goals) = match self.mutants.excluded(version, verdict) {
            Err(why) => return vec![(Finding::Rejected, format!("{verdict}: {why}"))],
            // What is equivalent conforms, too.
            Ok(Excluded::ByTerms(found)) if is_alike && (found == verdict || found == "equivalent") => {
                return vec![(Finding::Verified, format!("{verdict}: the terms are the original's"))];
            }
            Ok(Excluded::ByTerms(found)) => {
                return vec![(Finding::Rejected, format!("{verdict}: by its terms it is {found}"))];
            }
            Ok(Excluded::Goals(..)) if verdict == "equivalent" => {
                let why = "its terms are not the original's";
                return vec![(Finding::Rejected, format!("{verdict}: {why}"))];
            }
            Ok(Excluded::Goals(system, goals)) => (system, goals),
        };
        if goals.is_empty() {
            return vec![(Finding::Verified, format!("{verdict}: no output depends on what differs"))];
        }
        let place = self.folder.join(MUTANT_PROOFS).join(&mutant.id);
        let report = match check_unreachable(&place, (&*system, &goals)) {
            Ok(report) => report,
            Err(_) => {
                let why = "there is no evidence for it (`mutate -o DIR --proofs` writes some)";
                return vec![(Finding::NotCertified, format!("{verdict}: {why}"))];
            }
        };
        let mut found = Found::new();
        for (claim, checked) in report.verdicts {
            let claim = format!("{verdict}: {claim}");
            found.push(match checked {
                Verdict::Checked(evidence) => (Finding::Verified, format!("{claim} ({evidence})")),
                Verdict::NotCertified(why) => (Finding::NotCertified, format!("{claim}: {why}")),
                Verdict::Rejected(why) => (Finding::Rejected, format!("{claim}: {why}")),
            });
        }
        found.extend(report.changed.into_iter().map(|why| (Finding::Rejected, format!("{verdict}: {why}"))));
        found
    }

    /// Some execution leads the mutant to where it has no meaning: along the chains, or at random.
    fn lost(&self, mutant: &Mutant, version: &Version) -> (Finding, String) {
        let verdict = &mutant.verdict;
        let leaves = |run: &&Run| matches!(version.shows(&run.trace, &run.run), Shown::Leaves(_));
        let random = || exploring::random(&self.mutants.original, 0);
        let along: Vec<Arc<Run>>;
        let run = match self.runs.iter().find(leaves) {
            Some(run) => Some(run),
            None => {
                along = random();
                along.iter().map(|run| &**run).find(leaves)
            }
        };
        match run.map(|run| loss(version, run, self.mutants.options.kill)) {
            Some((found, by)) if found == verdict => (Finding::Verified, format!("{verdict}: {by}")),
            Some((found, _)) => {
                (Finding::NotCertified, format!("{verdict}: the executions at hand say {found}"))
            }
            None => {
                let why = "no execution at hand leads it there";
                (Finding::NotCertified, format!("{verdict}: {why}"))
            }
        }
    }
}

/// What is said of a mutant that cannot be read, or cannot be judged.
fn refused_now(mutant: &Mutant, refused: Refused) -> (Finding, String) {
    let Refused { verdict, why } = refused;
    match (mutant.verdict.as_str(), verdict) {
        (told, found) if told == found => (Finding::Verified, format!("{told}: {why}")),
        (told, "undecided") => (Finding::NotCertified, format!("{told}: {why}")),
        (told, found) => (Finding::Rejected, format!("{told}: it is {found}: {why}")),
    }
}
