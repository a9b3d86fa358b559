//! Graphs as evidence: enumerated node by node or by families, and written with the proofs that
//! they stand for the system.

use super::enumerate::{self, Enumerated, Limits};
use super::manifest::{Evidence, Query};
use super::subject::Subject;
use super::write::{ProofError, Writer};
use super::{dimacs_text, families, queries};
use checker::families::Families;
use checker::graph::Graph;
use encoder::EncodeError;
use engine::error::EngineError;
use engine::session::{Session, Stop};
use solver::sat::{Budget, Refutation, refute, refute_parts};

/// Widest word by whose ranges families are tried at once: a wider one is seldom a counter.
const MOST_FIRST_BITS: u32 = 16;

/// A graph that stands for a subject.
pub(super) struct Made {
    /// All nodes and edges.
    pub(super) graph: Graph,
    /// The same in short, where there are too many to be shown one by one.
    families: Option<Families>,
}

/// What came of the attempt to make a graph.
pub(super) enum Attempt {
    /// Not shown yet to stand for the system.
    Made(Made),
    /// There are too many nodes, and too many families of them.
    TooLarge,
    /// There are too many nodes, and the word whose ranges might make families is so wide that
    /// other evidence should come first.
    Doubtful,
}

/// Makes a graph of few nodes, or families of them.
pub(super) fn small(subject: &Subject, session: &Session<'_>) -> Result<Attempt, Stop> {
    match enumerate::enumerate(subject, enumerate::FIRST, session)? {
        Enumerated::TooLarge(Some(word)) if width(subject, word) > MOST_FIRST_BITS => Ok(Attempt::Doubtful),
        Enumerated::TooLarge(None) => Ok(Attempt::Doubtful),
        found => attempt(found, subject, session),
    }
}

/// Makes a graph within these limits, or families of nodes.
pub(super) fn make(subject: &Subject, limits: Limits, session: &Session<'_>) -> Result<Attempt, Stop> {
    attempt(enumerate::enumerate(subject, limits, session)?, subject, session)
}

fn attempt(found: Enumerated, subject: &Subject, session: &Session<'_>) -> Result<Attempt, Stop> {
    let word = match found {
        Enumerated::Whole(graph) => return Ok(Attempt::Made(Made { graph, families: None })),
        Enumerated::TooLarge(Some(word)) => word,
        Enumerated::TooLarge(None) => return Ok(Attempt::TooLarge),
    };
    let Some(families) = families::find(subject, word, session)? else { return Ok(Attempt::TooLarge) };
    Ok(match families.expand() {
        Ok(graph) => Attempt::Made(Made { graph, families: Some(families) }),
        Err(_) => Attempt::TooLarge,
    })
}

/// Bits of one of the subject's words.
fn width(subject: &Subject, word: usize) -> u32 {
    subject.system.terms.symbol(subject.system.states[subject.words[word]].symbol).sort.width()
}

impl Made {
    /// What shows that it stands for the subject, by name.
    pub(super) fn queries<'q>(
        &'q self,
        subject: &'q Subject,
    ) -> Box<dyn Iterator<Item = (String, Result<queries::Query, EncodeError>)> + 'q> {
        match &self.families {
            Some(families) => Box::new(families::queries::queries(subject, families)),
            None => Box::new(
                queries::names(subject, &self.graph)
                    .into_iter()
                    .map(|name| (name.text(), queries::query(&name, subject, &self.graph))),
            ),
        }
    }

    /// Writes the graph and the proofs that it stands for the subject, or says why there are none.
    /// The names of files begin with `prefix`.
    pub(super) fn evidence(
        &self,
        (name, prefix): (&str, &str),
        subject: &Subject,
        writer: &mut Writer<'_>,
        session: &Session<'_>,
    ) -> Result<Result<Evidence, String>, ProofError> {
        let queries = match write_queries(prefix, self.queries(subject), writer, session)? {
            Ok(queries) => queries,
            Err(why) => return Ok(Err(why)),
        };
        let (nodes, edges) = (self.graph.nodes.len(), self.graph.edges.len());
        let name = name.to_owned();
        Ok(Ok(match &self.families {
            Some(families) => {
                let file = format!("{name}.families");
                writer.file(&file, &families.print())?;
                Evidence::Families { name, file, nodes, edges, queries }
            }
            None => {
                let file = format!("{name}.graph");
                writer.file(&file, &self.graph.print())?;
                Evidence::Graph { name, file, nodes, edges, queries }
            }
        }))
    }
}

/// The queries of a graph with their proofs, or why there are none.
fn write_queries(
    prefix: &str,
    needed: impl Iterator<Item = (String, Result<queries::Query, EncodeError>)>,
    writer: &mut Writer<'_>,
    session: &Session<'_>,
) -> Result<Result<Vec<Query>, String>, ProofError> {
    let stop = Some(session.options.stop.clone());
    let budget = Budget { conflicts: None, deadline: session.deadline(), stop };
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
                let why =
                    format!("the graph does not stand for the system: query {prefix}{name} has a model");
                return Err(EngineError::SelfCheck(why).into());
            }
            Refutation::Unknown => {
                return Ok(Err("the time was up before all proofs were written".to_owned()));
            }
        };
        let query = Query { formula: format!("{prefix}{name}.cnf"), proof: format!("{prefix}{name}.lrat") };
        writer.file(&query.formula, &dimacs_text(&made.formula))?;
        writer.file(&query.proof, &proof)?;
        queries.push(query);
    }
    Ok(Ok(queries))
}
