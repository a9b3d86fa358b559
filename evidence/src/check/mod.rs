//! Checking the evidence for the claims of a result.

mod evidence;
mod graphs;
mod stored;

pub(crate) use stored::{check_query, inside, text};

use super::claims::{Claim, unreachable};
use super::library::Point;
use super::manifest::{Entry, Evidence, Manifest, SCHEMA, Weaker};
use super::{Judge, MANIFEST, OF_UNREACHABLE, Part, Stored, goal_steps, run_digest};
use engine::options::HazardPolicy;
use engine::step::lemma::with_lemmas;
use evidence::{Checked, Shown, check_evidence};
use model::external::Lemma;
use model::validate::Validated;
use report::build::hexadecimal;
use report::output::digest::sha256;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What the check of a claim came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It follows from evidence that was checked; which.
    Checked(String),
    /// The manifest says that there is no evidence; why.
    NotCertified(String),
    /// The evidence does not show it; why.
    Rejected(String),
}

/// The claims of a result with their verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// In the order of [`Part::claims`].
    pub verdicts: Vec<(Claim, Verdict)>,
    /// Files that are not as they were when the manifest was written.
    pub changed: Vec<String>,
    /// What the user should know about all of them.
    pub notes: Vec<String>,
}

/// Why the evidence could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// A file cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The result was made without evidence.
    #[error(
        "{}: there are no proofs to check: make the result again with `chain ... -o {} --proofs` (`replay` runs its chains again without any)",
        path.display(), output.display()
    )]
    NoProofs {
        /// Where the manifest would be.
        path: PathBuf,
        /// The folder of the result.
        output: PathBuf,
    },
    /// The manifest has another format.
    #[error("{}: no manifest of proofs: {why}", path.display())]
    NoManifest {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// Checks the evidence for the claims of one part of a result about `system`, as it was just made
/// from the source.
///
/// # Errors
/// Where there is no manifest. Anything else that is wrong is a verdict.
pub fn check(part: Part, stored: Stored<'_>, system: &Validated) -> Result<Report, Unusable> {
    let Stored { folder: output, name: result, file } = stored;
    let place = output.join(part.folder());
    let manifest = read_manifest(&place)?;
    let covered = part.covered(file);
    let checked =
        refined(&manifest, system).and_then(|system| check_evidence(&place, &manifest, &system, &covered));
    let known = Known::new(&checked, &goal_steps(system), &covered);
    // Evidence is about the model: that of another run counts where both claim the same.
    let is_of_another_run = manifest.run_sha256.as_ref().is_some_and(|run| *run != run_digest(file));
    let mut verdicts = Vec::new();
    for claim in part.claims(file) {
        let entry = manifest.claims.iter().find(|entry| entry.claim == claim);
        verdicts.extend(entry.and_then(|entry| known.instead(entry)));
        let verdict = match entry {
            None if is_of_another_run => Verdict::NotCertified(ANOTHER_RUN.to_owned()),
            None => Verdict::Rejected("the manifest does not list this claim".to_owned()),
            Some(entry) => match known.verdict(entry) {
                Verdict::Rejected(why) if is_of_another_run => {
                    Verdict::NotCertified(format!("{ANOTHER_RUN}: {why}"))
                }
                verdict => verdict,
            },
        };
        verdicts.push((claim, verdict));
    }
    for entry in manifest.claims.iter().filter(|_| !is_of_another_run) {
        if !verdicts.iter().any(|(claim, _)| *claim == entry.claim) {
            let why = format!("{result} does not claim this");
            verdicts.push((entry.claim.clone(), Verdict::Rejected(why)));
        }
    }
    let policy = other_policy(&manifest, stored);
    let unused = if is_of_another_run { Vec::new() } else { known.unused(&manifest.claims) };
    let notes = notes(&manifest, is_of_another_run, !system.external_calls.is_empty());
    let mut files = manifest.files;
    if is_of_another_run {
        // Nothing else is known of the result that they belonged to.
        files.insert(result.to_owned(), result_hash(&output.join(result)));
    }
    let mut changed = changed_files((&place, output), result, &files, &manifest.evidence);
    changed.extend(policy.into_iter().chain(unused));
    Ok(Report { verdicts, changed, notes })
}

/// Checks the evidence that no execution of a system, as it was just made from the source, reaches
/// its goals of these names; see [`write_unreachable`](crate::write::write_unreachable).
///
/// # Errors
/// As for [`check`].
pub fn check_unreachable(place: &Path, (system, goals): (&Validated, &[String])) -> Result<Report, Unusable> {
    let manifest = read_manifest(place)?;
    let checked =
        refined(&manifest, system).and_then(|system| check_evidence(place, &manifest, &system, &[]));
    let known = Known::new(&checked, &goal_steps(system), &[]);
    let claims = unreachable(goals);
    let listed = |claim: &Claim| manifest.claims.iter().find(|entry| entry.claim == *claim);
    let verdict = |claim: Claim| {
        let unlisted = || Verdict::Rejected("the manifest does not list this claim".to_owned());
        let verdict = listed(&claim).map_or_else(unlisted, |entry| known.verdict(entry));
        (claim, verdict)
    };
    let others = manifest.claims.iter().filter(|entry| !claims.contains(&entry.claim));
    let others = others.map(|entry| format!("the manifest claims that {}, which nobody asked", entry.claim));
    let mut changed: Vec<String> = others.collect();
    changed.extend(policy_apart(&manifest, OF_UNREACHABLE.name(), "what is claimed is"));
    changed.extend(known.unused(&manifest.claims));
    changed.extend(changed_since(
        (place, place),
        "",
        &manifest.files,
        manifest.evidence.iter().flat_map(Evidence::files),
    ));
    let notes = notes(&manifest, false, !system.external_calls.is_empty());
    let verdicts = claims.iter().cloned().map(verdict).collect();
    Ok(Report { verdicts, changed, notes })
}

/// What is wrong if the evidence is about other executions than the result.
fn other_policy(manifest: &Manifest, Stored { name, file, .. }: Stored<'_>) -> Option<String> {
    let told = file.model.undefined_behaviour.as_deref().unwrap_or(HazardPolicy::Report.name());
    policy_apart(manifest, told, name)
}

/// What is wrong if the evidence is about other executions than this policy has, which `whose` is
/// about.
fn policy_apart(manifest: &Manifest, told: &str, whose: &str) -> Option<String> {
    let forbids = |policy: &str| policy == HazardPolicy::Forbid.name();
    (forbids(told) != forbids(&manifest.undefined_behaviour)).then(|| {
        format!("the evidence is about --ub {}, but {whose} about --ub {told}", manifest.undefined_behaviour)
    })
}

const ANOTHER_RUN: &str = "the proofs beside the result are of another run; make it again with `--proofs`";

/// What the user should know about all claims.
fn notes(manifest: &Manifest, is_of_another_run: bool, calls_library: bool) -> Vec<String> {
    let forbids = manifest.undefined_behaviour == HazardPolicy::Forbid.name();
    let note = "executions count up to undefined operations only (--ub forbid)".to_owned();
    let library = format!(
        "the C library was asked at {} points again; what it says there is assumed, and what docs/guarantees.md says of its functions",
        manifest.library.len()
    );
    let notes = [
        is_of_another_run.then(|| ANOTHER_RUN.to_owned()),
        forbids.then_some(note),
        calls_library.then_some(library),
    ];
    notes.into_iter().flatten().collect()
}

/// Evidence that was checked.
struct Known<'c> {
    /// By name what each shows, with what follows from it where it is a graph.
    evidence: Vec<(&'c str, &'c Result<Shown, String>, Option<Judge<'c>>)>,
    /// Why nothing was checked at all.
    refused: Option<&'c String>,
}

impl<'c> Known<'c> {
    fn new(checked: &'c Result<Checked, String>, goals: &[(String, u32)], covered: &[String]) -> Self {
        let judged = |(name, shown): &'c (String, Result<Shown, String>)| {
            let judge = match shown {
                Ok(Shown::Graph(graph)) => Some(Judge::new(graph, goals.to_vec(), covered)),
                _ => None,
            };
            (&name[..], shown, judge)
        };
        let evidence = checked.iter().flatten().map(judged).collect();
        Self { evidence, refused: checked.as_ref().err() }
    }

    /// Whether a claim follows from the evidence of that name; if not, why.
    fn follows(&self, name: &str, claim: &Claim) -> Result<(), String> {
        if let Some(why) = self.refused {
            return Err(why.clone());
        }
        let found = self.evidence.iter().find(|(known, ..)| *known == name);
        let (_, shown, judge) = found.ok_or_else(|| format!("the manifest has no evidence `{name}`"))?;
        match (shown.as_ref().map_err(Clone::clone)?, judge) {
            (Shown::Graph(_), Some(judge)) => judge.follows(claim),
            (Shown::Claim(shown), _) if shown.implies(claim) => Ok(()),
            (Shown::Claim(shown), _) => Err(format!("`{name}` shows only that {shown}")),
            (Shown::Graph(_) | Shown::Legs(_) | Shown::States(_), _) => {
                Err(format!("`{name}` shows no claim by itself"))
            }
        }
    }

    /// What is wrong with evidence that no claim rests on: where one does, its verdict says it.
    fn unused(&self, claims: &[Entry]) -> Vec<String> {
        let instead = claims.iter().filter_map(|entry| entry.instead.as_ref()).map(|weaker| &weaker.evidence);
        let used: BTreeSet<&String> =
            claims.iter().filter_map(|entry| entry.evidence.as_ref()).chain(instead).collect();
        let unused = self.evidence.iter().filter(|(name, ..)| !used.iter().any(|used| *used == name));
        unused
            .filter_map(|(name, shown, _)| Some(format!("evidence `{name}`: {}", shown.as_ref().err()?)))
            .collect()
    }

    /// The verdict about an entry of the manifest.
    fn verdict(&self, entry: &Entry) -> Verdict {
        match &entry.evidence {
            Some(name) => self.judged(name, &entry.claim),
            None => {
                let why = entry.not_certified.clone();
                Verdict::NotCertified(why.unwrap_or_else(|| "no reason is given".to_owned()))
            }
        }
    }

    /// What an entry says is certified instead, with the verdict about it.
    fn instead(&self, entry: &Entry) -> Option<(Claim, Verdict)> {
        let Weaker { claim, evidence } = entry.instead.as_ref().filter(|_| entry.evidence.is_none())?;
        let verdict = match entry.claim.implies(claim) {
            true => self.judged(evidence, claim),
            false => Verdict::Rejected(format!("this is no weaker claim than that {}", entry.claim)),
        };
        Some((claim.clone(), verdict))
    }

    fn judged(&self, name: &str, claim: &Claim) -> Verdict {
        match self.follows(name, claim) {
            Ok(()) => Verdict::Checked(name.to_owned()),
            Err(why) => Verdict::Rejected(why),
        }
    }
}

/// The hash of the result as it is.
fn result_hash(result: &Path) -> String {
    std::fs::read(result).map(sha256).unwrap_or_default()
}

/// What is wrong with the files that the manifest has hashes of: each is told, whether claims
/// depend on the change or not.
fn changed_files(
    (place, output): (&Path, &Path),
    result: &str,
    files: &BTreeMap<String, String>,
    evidence: &[Evidence],
) -> Vec<String> {
    let named = evidence.iter().flat_map(Evidence::files).chain([result]);
    changed_since((place, output), result, files, named)
}

/// As [`changed_files`]: the result is in the second folder, all others are in the first; `named` are
/// the files that have to have a hash.
pub(crate) fn changed_since<'f>(
    (place, output): (&Path, &Path),
    result: &str,
    files: &BTreeMap<String, String>,
    named: impl Iterator<Item = &'f str>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, hash) in files {
        let folder = if name == result { output } else { place };
        let path = match inside(folder, name) {
            Ok(path) => path,
            Err(why) => {
                wrong.push(why);
                continue;
            }
        };
        match std::fs::read(&path) {
            Err(source) => wrong.push(format!("{name} cannot be read: {source}")),
            Ok(bytes) if hexadecimal(&Sha256::digest(&bytes)) != *hash => {
                wrong.push(format!("{name} has changed since the evidence was written"));
            }
            Ok(_) => {}
        }
    }
    let without: BTreeSet<&str> = named.filter(|name| !files.contains_key(*name)).collect();
    wrong.extend(without.into_iter().map(|name| format!("the manifest has no hash of {name}")));
    wrong
}

pub(crate) fn read(path: &Path) -> Result<String, Unusable> {
    std::fs::read_to_string(path).map_err(|source| Unusable::Unreadable { path: path.to_owned(), source })
}

fn read_manifest(place: &Path) -> Result<Manifest, Unusable> {
    let no_manifest = |why: String| Unusable::NoManifest { path: place.join(MANIFEST), why };
    if let (Ok(false), Some(output)) = (place.join(MANIFEST).try_exists(), place.parent()) {
        return Err(Unusable::NoProofs { path: place.join(MANIFEST), output: output.to_owned() });
    }
    let path = inside(place, MANIFEST).map_err(no_manifest)?;
    let manifest: Manifest =
        serde_json::from_str(&read(&path)?).map_err(|error| no_manifest(error.to_string()))?;
    if manifest.schema != SCHEMA {
        return Err(no_manifest(format!(
            "schema `{}` is not known; this version reads {SCHEMA}",
            manifest.schema
        )));
    }
    Ok(manifest)
}

/// The system with what the library says at the points of the manifest.
///
/// # Errors
/// What is wrong with these points.
fn refined(manifest: &Manifest, system: &Validated) -> Result<Validated, String> {
    let lemmas: Vec<Lemma> = manifest.library.iter().map(Point::confirmed).collect::<Result<_, _>>()?;
    with_lemmas(system.clone(), &lemmas).map_err(|error| error.to_string())
}
