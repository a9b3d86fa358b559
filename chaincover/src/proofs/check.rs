//! Checking the evidence for the claims of a result.

use super::claims::{Claim, claims, covered};
use super::manifest::{Entry, Evidence, Manifest, Query, SCHEMA};
use super::subject::Subject;
use super::{FOLDER, Judge, MANIFEST, dimacs_text, fingerprint, goal_steps, queries};
use crate::options::HazardPolicy;
use crate::output::chain_file::ChainFile;
use checker::graph::Graph;
use checker::lrat;
use model::validate::Validated;
use std::path::{Path, PathBuf};

/// What the check of a claim came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It follows from evidence that was checked; which.
    Checked(String),
    /// The manifest says that there is no evidence; why.
    NotCertified(String),
    /// The evidence does not show it; why.
    Rejected(String),
}

/// The claims of a result with their verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// In the order of [`claims`].
    pub(crate) verdicts: Vec<(Claim, Verdict)>,
    /// What the user should know about all of them.
    pub(crate) notes: Vec<String>,
}

/// Why the evidence could not be looked at.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    /// A file cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
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

/// Checks the evidence below `output` for the claims of `file` about `system`, as it was just made from the source.
///
/// # Errors
/// Where there is no manifest. Anything else that is wrong is a verdict.
pub(crate) fn check(output: &Path, system: &Validated, file: &ChainFile) -> Result<Report, Unusable> {
    let place = output.join(FOLDER);
    let manifest = read_manifest(&place.join(MANIFEST))?;
    let checked = check_evidence(&place, &manifest, system);
    let judge = checked
        .as_ref()
        .ok()
        .and_then(Option::as_ref)
        .map(|(name, graph)| (name, Judge::new(graph, goal_steps(system), &covered(file))));
    let mut verdicts = Vec::new();
    for claim in claims(file) {
        let verdict = match manifest.claims.iter().find(|entry| entry.claim == claim) {
            None => Verdict::Rejected("the manifest does not list this claim".to_owned()),
            Some(Entry { evidence: None, not_certified, .. }) => Verdict::NotCertified(
                not_certified.clone().unwrap_or_else(|| "no reason is given".to_owned()),
            ),
            Some(Entry { evidence: Some(name), .. }) => match (&checked, &judge) {
                (Err(why), _) => Verdict::Rejected(why.clone()),
                (Ok(_), Some((found, judge))) if *found == name => match judge.follows(&claim) {
                    Ok(()) => Verdict::Checked(name.clone()),
                    Err(why) => Verdict::Rejected(why),
                },
                _ => Verdict::Rejected(format!("the manifest has no evidence `{name}`")),
            },
        };
        verdicts.push((claim, verdict));
    }
    for entry in manifest.claims {
        if !verdicts.iter().any(|(claim, _)| *claim == entry.claim) {
            verdicts.push((entry.claim, Verdict::Rejected("chain.json does not claim this".to_owned())));
        }
    }
    let forbids = manifest.undefined_behaviour == HazardPolicy::Forbid.name();
    let note = "only executions without undefined operations count (--ub forbid)".to_owned();
    Ok(Report { verdicts, notes: Vec::from_iter(forbids.then_some(note)) })
}

fn read(path: &Path) -> Result<String, Unusable> {
    std::fs::read_to_string(path).map_err(|source| Unusable::Unreadable { path: path.to_owned(), source })
}

fn read_manifest(path: &Path) -> Result<Manifest, Unusable> {
    let no_manifest = |why: String| Unusable::NoManifest { path: path.to_owned(), why };
    let manifest: Manifest =
        serde_json::from_str(&read(path)?).map_err(|error| no_manifest(error.to_string()))?;
    if manifest.schema != SCHEMA {
        return Err(no_manifest(format!(
            "schema `{}` is not known; this version reads {SCHEMA}",
            manifest.schema
        )));
    }
    Ok(manifest)
}

/// The graph of the manifest with its name, once it is shown to stand for the system; `None`: the manifest has none.
fn check_evidence(
    place: &Path,
    manifest: &Manifest,
    system: &Validated,
) -> Result<Option<(String, Graph)>, String> {
    let Some(evidence) = manifest.evidence.first() else { return Ok(None) };
    if manifest.evidence.len() > 1 {
        return Err("the manifest lists more evidence than is known".to_owned());
    }
    if fingerprint(system) != manifest.system_sha256 {
        return Err("the proofs are about another transition system than the source describes now".to_owned());
    }
    let hazards: HazardPolicy = manifest.undefined_behaviour.parse()?;
    let subject = Subject::new(system, hazards);
    let Evidence::Graph { name, file, nodes, edges, queries: listed } = evidence;
    let text = read(&inside(place, file)?).map_err(|error| error.to_string())?;
    let graph = Graph::parse(&text).map_err(|error| format!("{file}: {error}"))?;
    if (graph.nodes.len(), graph.edges.len()) != (*nodes, *edges) {
        return Err(format!("{file}: the graph has another size than the manifest says"));
    }
    check_header(&subject, &graph).map_err(|why| format!("{file}: {why}"))?;
    check_queries(place, &subject, &graph, listed)?;
    Ok(Some((name.clone(), graph)))
}

/// A file of the manifest lies in its folder.
fn inside(place: &Path, file: &str) -> Result<PathBuf, String> {
    let plain = Path::new(file).file_name().is_some_and(|name| name == file);
    if plain {
        Ok(place.join(file))
    } else {
        Err(format!("`{file}` is no name of a file beside the manifest"))
    }
}

/// Words and labels are those of the system.
fn check_header(subject: &Subject, graph: &Graph) -> Result<(), String> {
    let words: Vec<String> = subject.words.iter().map(|&word| subject.word_name(word)).collect();
    if graph.words != words {
        return Err("the graph is about other state words than the goals depend on".to_owned());
    }
    let labels: Vec<(String, u32)> =
        graph.labels.iter().map(|label| (label.goal.clone(), label.step)).collect();
    if labels != subject.labels {
        return Err("the labels of the graph are not the steps of the goals".to_owned());
    }
    if subject.system.end.is_none() && !graph.nodes.iter().all(|node| node.end) {
        return Err("chains may end anywhere, but not in all nodes".to_owned());
    }
    let width = |word| subject.system.terms.symbol(subject.system.states[word].symbol).sort.mask();
    let masks: Vec<u128> = subject.words.iter().map(|&word| width(word)).collect();
    let fits = |values: &[u128]| values.iter().zip(&masks).all(|(value, mask)| value & !mask == 0);
    if !graph.nodes.iter().all(|node| fits(&node.values)) {
        return Err("a node has a value that its word cannot have".to_owned());
    }
    Ok(())
}

/// Makes every query again, compares, and checks its proof.
fn check_queries(place: &Path, subject: &Subject, graph: &Graph, listed: &[Query]) -> Result<(), String> {
    let names = queries::names(subject, graph);
    if names.len() != listed.len() {
        return Err(format!("the graph needs {} queries, the manifest lists {}", names.len(), listed.len()));
    }
    for (name, query) in names.iter().zip(listed) {
        let made = queries::query(name, subject, graph).map_err(|error| error.to_string())?;
        let needed = dimacs_text(&made.formula);
        let stored = read(&inside(place, &query.formula)?).map_err(|error| error.to_string())?;
        if let Some(line) = first_difference(&needed, &stored) {
            return Err(format!(
                "{}: not the query that the graph needs, from line {line} on",
                query.formula
            ));
        }
        let proof = read(&inside(place, &query.proof)?).map_err(|error| error.to_string())?;
        lrat::check(&stored, &proof).map_err(|why| format!("{}: {why}", query.proof))?;
    }
    Ok(())
}

/// Number of the first line that differs.
fn first_difference(needed: &str, stored: &str) -> Option<usize> {
    if needed == stored {
        return None;
    }
    let lines = needed.lines().zip(stored.lines());
    Some(lines.take_while(|(needed, stored)| needed == stored).count() + 1)
}
