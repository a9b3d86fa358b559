//! Making the evidence for the claims of a result, and writing it.

use super::claims::{claims, covered};
use super::enumerate::Enumerated;
use super::further::Other;
use super::library::Point;
use super::manifest::{Entry, Evidence, Manifest, Query, SCHEMA};
use super::subject::Subject;
use super::{FOLDER, Judge, MANIFEST, dimacs_text, enumerate, families, fingerprint, goal_steps, queries};
use crate::options::Options;
use crate::output::chain_file::ChainFile;
use crate::output::write::{WriteError, atomically, folder};
use crate::pipeline::{EngineError, Silent};
use crate::refine::with_lemmas;
use crate::stats::{Context, Halt};
use checker::graph::Graph;
use encoder::EncodeError;
use frontend::c::libm::{Call, Lemma};
use model::validate::Validated;
use solver::sat::{Budget, Refutation, refute, refute_parts};
use std::path::Path;

/// Why evidence could not be written. That there is none for a claim is no error.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProofError {
    /// A file.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// An old file that cannot be removed.
    #[error("cannot remove {path}: {source}")]
    Remove {
        /// The file.
        path: std::path::PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The queries could not be made, or contradict what was enumerated.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// Number of claims.
    pub(crate) claims: usize,
    /// Those with evidence.
    pub(crate) certified: usize,
    /// Size of all files.
    pub(crate) bytes: u64,
}

/// Writes evidence for the claims of `file` into the folder `proofs` below `output`, given what the C library said of `calls`. The limits of `options` apply; what they cut
/// short is not certified.
///
/// # Errors
/// Where files cannot be written, or two parts of this program disagree.
pub(crate) fn write(
    output: &Path,
    system: &Validated,
    (calls, lemmas): (&[Call], &[Lemma]),
    file: &ChainFile,
    options: &Options,
) -> Result<Written, ProofError> {
    let refined = with_lemmas(system.clone(), calls, lemmas)?;
    let system = &refined;
    let place = output.join(FOLDER);
    folder(&place)?;
    remove_old(&place)?;
    let mut writer = Writer { place: &place, bytes: 0 };
    let context = Context::new(options, &Silent);
    let mut manifest = Manifest {
        schema: SCHEMA.to_owned(),
        system_sha256: fingerprint(system),
        undefined_behaviour: options.hazards.name().to_owned(),
        library: lemmas.iter().map(Point::of).collect(),
        evidence: Vec::new(),
        claims: Vec::new(),
    };
    let claims = claims(file);
    let subject = Subject::new(system, options.hazards);
    let covered = covered(file);
    let orders: Vec<Vec<String>> = file.chains.iter().map(|chain| chain.order.clone()).collect();
    let mut found = match claims.is_empty() {
        true => Some(Err("there is nothing to certify".to_owned())),
        false => small_graph(&subject, &mut writer, &context)?,
    };
    let mut early: Vec<Option<Evidence>> = claims.iter().map(|_| None).collect();
    if found.is_none() {
        let mut other = Other {
            system,
            subject: &subject,
            options,
            orders: &orders,
            writer: &mut writer,
            context: &context,
            judge: None,
        };
        for (number, claim) in claims.iter().enumerate() {
            early[number] = other.cheap_evidence(number, claim, &covered)?;
        }
        if early.iter().all(Option::is_some) {
            found = Some(Err("a graph was not needed".to_owned()));
        }
    }
    let found = match found {
        Some(found) => found,
        None => large_graph(&subject, &mut writer, &context)?,
    };
    let goals = goal_steps(system);
    let judge = found.as_ref().map(|(graph, _)| Judge::new(graph, goals, &covered));
    let mut entries = Vec::new();
    for (number, claim) in claims.into_iter().enumerate() {
        if let Some(evidence) = early[number].take() {
            let name = Some(evidence.name().to_owned());
            manifest.evidence.push(evidence);
            entries.push(Entry { claim, evidence: name, not_certified: None });
            continue;
        }
        let by_graph = judge.as_ref().map_err(|why| (*why).clone()).and_then(|judge| judge.follows(&claim));
        entries.push(match by_graph {
            Ok(()) => Entry { claim, evidence: Some(GRAPH.to_owned()), not_certified: None },
            Err(why) => {
                let judge = judge.as_ref().ok();
                let mut other = Other {
                    system,
                    subject: &subject,
                    options,
                    orders: &orders,
                    writer: &mut writer,
                    context: &context,
                    judge,
                };
                match other.evidence(number, &claim, &covered)? {
                    Ok(evidence) => {
                        let name = Some(evidence.name().to_owned());
                        manifest.evidence.push(evidence);
                        Entry { claim, evidence: name, not_certified: None }
                    }
                    Err(others) => {
                        let reasons = [vec![why], others].concat().join("; ");
                        Entry { claim, evidence: None, not_certified: Some(reasons) }
                    }
                }
            }
        });
    }
    manifest.claims = entries;
    if let Ok((_, evidence)) = &found {
        manifest.evidence.insert(0, evidence.clone());
    }
    let text = serde_json::to_string_pretty(&manifest).expect("a manifest should be serialisable");
    writer.file(MANIFEST, &(text + "\n"))?;
    let certified = manifest.claims.iter().filter(|entry| entry.evidence.is_some()).count();
    Ok(Written { claims: manifest.claims.len(), certified, bytes: writer.bytes })
}

/// Name of the graph among the evidence.
pub(super) const GRAPH: &str = "graph";
/// Writes files and counts their bytes.
pub(super) struct Writer<'p> {
    place: &'p Path,
    bytes: u64,
}

impl Writer<'_> {
    /// Writes a file of the folder.
    pub(super) fn file(&mut self, name: &str, text: &str) -> Result<(), WriteError> {
        self.bytes += text.len() as u64;
        atomically(&self.place.join(name), text.as_bytes())
    }
}

/// Removes what an earlier run left, the manifest first: evidence without it means nothing.
fn remove_old(place: &Path) -> Result<(), ProofError> {
    let remove = |path: &Path| match std::fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(ProofError::Remove { path: path.to_owned(), source })
        }
        _ => Ok(()),
    };
    remove(&place.join(MANIFEST))?;
    let listed = std::fs::read_dir(place);
    for entry in listed.into_iter().flatten().flatten() {
        let path = entry.path();
        let ours = ["cnf", "lrat", "graph", "families", "clauses", "parts", "tour"]
            .iter()
            .any(|ending| path.extension().is_some_and(|found| found == *ending));
        if ours {
            remove(&path)?;
        }
    }
    Ok(())
}

/// A graph with its proofs, or why there is none.
type FoundGraph = Result<(Graph, Evidence), String>;

/// Widest word by whose ranges families are tried at once: a wider one is seldom a counter.
const MOST_FIRST_BITS: u32 = 16;

/// Bits of one of the subject's words.
fn width(subject: &Subject, word: usize) -> u32 {
    subject.system.terms.symbol(subject.system.states[subject.words[word]].symbol).sort.width()
}

/// A graph of few nodes or families of them. `None`: there are too many of either.
fn small_graph(
    subject: &Subject,
    writer: &mut Writer<'_>,
    context: &Context<'_>,
) -> Result<Option<FoundGraph>, ProofError> {
    let (most, many) = (enumerate::FIRST_NODES, enumerate::MANY_FIRST_VALUES);
    match enumerate::enumerate(subject, most, many, context) {
        Ok(Enumerated::TooLarge(Some(word))) if width(subject, word) > MOST_FIRST_BITS => Ok(None),
        found => graph_evidence(found, subject, writer, context),
    }
}

/// The graph with its proofs, or why there is none.
fn large_graph(
    subject: &Subject,
    writer: &mut Writer<'_>,
    context: &Context<'_>,
) -> Result<FoundGraph, ProofError> {
    let (most, many) = (enumerate::NODES, enumerate::MANY_VALUES);
    let found = graph_evidence(enumerate::enumerate(subject, most, many, context), subject, writer, context)?;
    Ok(found.unwrap_or_else(|| Err("there are too many reachable states for a graph".to_owned())))
}

/// Evidence from what was enumerated. `None`: there are too many nodes, and too many families of them.
fn graph_evidence(
    enumerated: Result<Enumerated, Halt>,
    subject: &Subject,
    writer: &mut Writer<'_>,
    context: &Context<'_>,
) -> Result<Option<FoundGraph>, ProofError> {
    match enumerated {
        Ok(Enumerated::Whole(graph)) => whole_evidence(graph, subject, writer, context).map(Some),
        Ok(Enumerated::TooLarge(Some(word))) => family_evidence(word, subject, writer, context),
        Ok(Enumerated::TooLarge(None)) => Ok(None),
        Err(Halt::Stopped(reason)) => Ok(Some(Err(reason.to_string()))),
        Err(Halt::Failed(error)) => Err(error.into()),
    }
}

fn whole_evidence(
    graph: Graph,
    subject: &Subject,
    writer: &mut Writer<'_>,
    context: &Context<'_>,
) -> Result<FoundGraph, ProofError> {
    let names = queries::names(subject, &graph);
    let needed = names.iter().map(|name| (name.text(), queries::query(name, subject, &graph)));
    let queries = match graph_queries(needed, writer, context)? {
        Ok(queries) => queries,
        Err(why) => return Ok(Err(why)),
    };
    let file = format!("{GRAPH}.graph");
    writer.file(&file, &graph.print())?;
    let (nodes, edges) = (graph.nodes.len(), graph.edges.len());
    Ok(Ok((graph, Evidence::Graph { name: GRAPH.to_owned(), file, nodes, edges, queries })))
}

/// The same in short, by ranges of a word. `None`: there are too many families.
fn family_evidence(
    word: usize,
    subject: &Subject,
    writer: &mut Writer<'_>,
    context: &Context<'_>,
) -> Result<Option<FoundGraph>, ProofError> {
    let found = match families::find(subject, word, context) {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(None),
        Err(Halt::Stopped(reason)) => return Ok(Some(Err(reason.to_string()))),
        Err(Halt::Failed(error)) => return Err(error.into()),
    };
    let Ok(graph) = found.expand() else { return Ok(None) };
    let queries = match graph_queries(families::queries::queries(subject, &found), writer, context)? {
        Ok(queries) => queries,
        Err(why) => return Ok(Some(Err(why))),
    };
    let file = format!("{GRAPH}.families");
    writer.file(&file, &found.print())?;
    let (nodes, edges) = (graph.nodes.len(), graph.edges.len());
    Ok(Some(Ok((graph, Evidence::Families { name: GRAPH.to_owned(), file, nodes, edges, queries }))))
}

/// The queries of a graph with their proofs, or why there are none.
fn graph_queries(
    needed: impl Iterator<Item = (String, Result<queries::Query, EncodeError>)>,
    writer: &mut Writer<'_>,
    context: &Context<'_>,
) -> Result<Result<Vec<Query>, String>, ProofError> {
    let options = context.options;
    let budget = Budget { conflicts: None, deadline: options.deadline, stop: Some(options.stop.clone()) };
    let mut queries = Vec::new();
    for (name, made) in needed {
        let made = made.map_err(EngineError::from)?;
        let refuted = match &made.parts[..] {
            [] => refute(&made.formula, &budget),
            parts => refute_parts(&made.formula, parts, &budget),
        };
        let proof = match refuted {
            Refutation::Proof(proof) => proof,
            Refutation::Satisfiable => {
                let why = format!("the graph does not stand for the system: query {name} has a model");
                return Err(EngineError::SelfCheck(why).into());
            }
            Refutation::Unknown => {
                return Ok(Err("the time was up before all proofs were written".to_owned()));
            }
        };
        let query = Query { formula: format!("{name}.cnf"), proof: format!("{name}.lrat") };
        writer.file(&query.formula, &dimacs_text(&made.formula))?;
        writer.file(&query.proof, &proof)?;
        queries.push(query);
    }
    Ok(Ok(queries))
}
