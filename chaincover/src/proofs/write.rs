//! Making the evidence for the claims of a result, and writing it.

use super::claims::{Claim, claims, covered};
use super::enumerate::Enumerated;
use super::manifest::{Entry, Evidence, Manifest, Query, SCHEMA, Tour};
use super::subject::Subject;
use super::{
    FOLDER, Judge, MANIFEST, bounded, dimacs_text, enumerate, families, fingerprint, goal_steps, invariant,
    parts, queries,
};
use crate::options::Options;
use crate::output::chain_file::ChainFile;
use crate::output::write::{WriteError, atomically, folder};
use crate::pipeline::{EngineError, Silent};
use crate::stats::{Context, Halt};
use checker::graph::Graph;
use checker::tour::{self, Matrix};
use encoder::EncodeError;
use model::validate::Validated;
use solver::atsp::{self, Instance};
use solver::sat::{Budget, Formula, Refutation, refute, refute_parts};
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

/// Writes evidence for the claims of `file` into the folder `proofs` below `output`. The limits of `options` apply; what they cut
/// short is not certified.
///
/// # Errors
/// Where files cannot be written, or two parts of this program disagree.
pub(crate) fn write(
    output: &Path,
    system: &Validated,
    file: &ChainFile,
    options: &Options,
) -> Result<Written, ProofError> {
    let place = output.join(FOLDER);
    folder(&place)?;
    remove_old(&place)?;
    let mut writer = Writer { place: &place, bytes: 0 };
    let context = Context::new(options, &Silent);
    let mut manifest = Manifest {
        schema: SCHEMA.to_owned(),
        system_sha256: fingerprint(system),
        undefined_behaviour: options.hazards.name().to_owned(),
        evidence: Vec::new(),
        claims: Vec::new(),
    };
    let claims = claims(file);
    let subject = Subject::new(system, options.hazards);
    let found = match claims.is_empty() {
        true => Err("there is nothing to certify".to_owned()),
        false => graph_evidence(&subject, &mut writer, &context)?,
    };
    let (goals, covered) = (goal_steps(system), covered(file));
    let judge = found.as_ref().map(|(graph, _)| Judge::new(graph, goals, &covered));
    let mut entries = Vec::new();
    for (number, claim) in claims.into_iter().enumerate() {
        let by_graph = judge.as_ref().map_err(|why| (*why).clone()).and_then(|judge| judge.follows(&claim));
        entries.push(match by_graph {
            Ok(()) => Entry { claim, evidence: Some(GRAPH.to_owned()), not_certified: None },
            Err(why) => {
                let judge = judge.as_ref().ok();
                let mut other = Other {
                    system,
                    subject: &subject,
                    options,
                    writer: &mut writer,
                    context: &context,
                    judge,
                };
                let evidence = other.evidence(number, &claim, &covered)?;
                let name = evidence.as_ref().map(|evidence| evidence.name().to_owned());
                let without = || format!("{why}; no other evidence was found");
                let not_certified = name.is_none().then(without);
                manifest.evidence.extend(evidence);
                Entry { claim, evidence: name, not_certified }
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

const GRAPH: &str = "graph";
/// Clauses that may be learned in the proof of a query over many steps.
const MOST_LEARNED: u64 = 100_000;

struct Writer<'p> {
    place: &'p Path,
    bytes: u64,
}

impl Writer<'_> {
    fn file(&mut self, name: &str, text: &str) -> Result<(), WriteError> {
        self.bytes += text.len() as u64;
        atomically(&self.place.join(name), text.as_bytes())
    }
}

/// Evidence other than the graph.
struct Other<'o, 'p> {
    system: &'o Validated,
    subject: &'o Subject,
    options: &'o Options,
    writer: &'o mut Writer<'p>,
    context: &'o Context<'o>,
    /// Of the graph, if there is one.
    judge: Option<&'o Judge<'o>>,
}

impl Other<'_, '_> {
    /// Evidence for the claim of that number, where there is any.
    fn evidence(
        &mut self,
        number: usize,
        claim: &Claim,
        covered: &[String],
    ) -> Result<Option<Evidence>, ProofError> {
        if let Some(judge) = self.judge {
            return self.tour(format!("tour-{number}"), claim, judge);
        }
        match claim {
            Claim::Unreachable { goal } => self.invariant(format!("invariant-{number}"), goal),
            Claim::Length { chains, steps } => {
                let by_parts = self.parts(format!("parts-{number}"), *chains, *steps, covered)?;
                let is_bounded = *chains == 1
                    && *steps <= bounded::MOST_STEPS + 1
                    && steps * covered.len() as u64 <= bounded::MOST_SOUGHT;
                match by_parts {
                    None if is_bounded => {
                        self.bounded(format!("bounded-{number}"), *steps as u32 - 1, covered)
                    }
                    by_parts => Ok(by_parts),
                }
            }
            _ => Ok(None),
        }
    }

    /// A bound of tours between goals on the graph.
    fn tour(
        &mut self,
        name: String,
        claim: &Claim,
        judge: &Judge<'_>,
    ) -> Result<Option<Evidence>, ProofError> {
        let (chains, reset, steps) = match claim {
            Claim::FewestChains { chains } => (chains - 1, None, None),
            Claim::Length { chains, steps } => (*chains, None, Some(*steps)),
            Claim::Cost { reset, cost } => (1, u32::try_from(*reset).ok(), Some(*cost)),
            Claim::Unreachable { .. } | Claim::NoWayToFinal { .. } => return Ok(None),
        };
        let Ok(matrix) = judge.matrix(chains, reset) else { return Ok(None) };
        let bound = steps.unwrap_or_else(|| matrix.more_than_any_tour());
        let certificate = atsp::certify(&instance(&matrix), bound, &self.atsp_options());
        let is_accepted = |text: &String| {
            judge.shown_by_tour(chains, reset, bound, text).is_ok_and(|shown| shown.implies(claim))
        };
        let Some(certificate) = certificate.filter(is_accepted) else { return Ok(None) };
        let file = format!("{name}.tour");
        self.writer.file(&file, &certificate)?;
        let tour = Tour { steps: bound, file };
        Ok(Some(Evidence::Tour { name, graph: GRAPH.to_owned(), chains, reset, tour }))
    }

    /// Parts whose tours add up to so many steps.
    fn parts(
        &mut self,
        name: String,
        chains: usize,
        steps: u64,
        covered: &[String],
    ) -> Result<Option<Evidence>, ProofError> {
        let found = match parts::find(self.system, self.options.hazards, self.context) {
            Err(Halt::Failed(error)) => return Err(error.into()),
            Ok(None) | Err(Halt::Stopped(_)) => return Ok(None),
            Ok(Some(found)) => found,
        };
        let Some(goals) = found.positions(covered) else { return Ok(None) };
        let Some(tours) = self.tours(&found.matrices(&goals, chains), steps) else { return Ok(None) };
        let mut queries = Vec::new();
        let Ok(needed) = parts::queries(self.subject, &found) else { return Ok(None) };
        for (part, formula) in needed {
            match self.query(&format!("{name}-{part}"), &formula, None)? {
                Ok(query) => queries.push(query),
                Err(Open::Time | Open::Model) => return Ok(None),
            }
        }
        let tours = self.write_tours(&name, tours)?;
        let file = format!("{name}.parts");
        self.writer.file(&file, &found.print())?;
        Ok(Some(Evidence::Parts { name, file, chains, tours, queries }))
    }

    /// For each matrix a bound with its certificate, where they come to so many steps together.
    fn tours(&self, matrices: &[Matrix], steps: u64) -> Option<Vec<(u64, String)>> {
        let options = atsp::Options {
            seed: self.options.seed,
            deadline: self.options.deadline,
            stop: Some(self.options.stop.clone()),
        };
        let instance = |matrix: &Matrix| Instance::new(matrix.vertices(), |from, to| matrix.cost(from, to));
        let instances: Vec<Instance> = matrices.iter().map(instance).collect();
        let mut bounds = Vec::new();
        for instance in &instances {
            bounds.push(atsp::solve(instance, &options).ok()?.lower_bound);
        }
        if bounds.iter().sum::<u64>() < steps {
            return None;
        }
        let certified =
            |(instance, &bound): (&Instance, &u64)| Some((bound, atsp::certify(instance, bound, &options)?));
        let tours: Vec<(u64, String)> =
            instances.iter().zip(&bounds).map(certified).collect::<Option<_>>()?;
        let is_accepted = |(matrix, (bound, certificate)): (&Matrix, &(u64, String))| {
            tour::check(matrix, *bound, certificate).is_ok()
        };
        matrices.iter().zip(&tours).all(is_accepted).then_some(tours)
    }

    fn atsp_options(&self) -> atsp::Options {
        let Options { seed, deadline, stop, .. } = self.options;
        atsp::Options { seed: *seed, deadline: *deadline, stop: Some(stop.clone()) }
    }

    fn write_tours(&mut self, name: &str, tours: Vec<(u64, String)>) -> Result<Vec<Tour>, WriteError> {
        let mut written = Vec::new();
        for (number, (steps, certificate)) in tours.into_iter().enumerate() {
            let file = format!("{name}-{number}.tour");
            self.writer.file(&file, &certificate)?;
            written.push(Tour { steps, file });
        }
        Ok(written)
    }

    fn invariant(&mut self, name: String, goal: &str) -> Result<Option<Evidence>, ProofError> {
        let found = match invariant::find(self.system, self.options.hazards, goal, self.context) {
            Ok(found) => found,
            Err(Halt::Stopped(_)) => None,
            Err(Halt::Failed(error)) => return Err(error.into()),
        };
        let Some(found) = found else { return Ok(None) };
        let mut queries = Vec::new();
        for (part, formula) in found.queries(self.subject, goal).map_err(EngineError::from)? {
            let name = format!("{name}-{part}");
            match self.query(&name, &formula, None)? {
                Ok(query) => queries.push(query),
                Err(Open::Time) => return Ok(None),
                Err(Open::Model) => {
                    let why = format!("query {name} has a model, against what was found before");
                    return Err(EngineError::SelfCheck(why).into());
                }
            }
        }
        let file = format!("{name}.clauses");
        self.writer.file(&file, &found.print(self.system))?;
        Ok(Some(Evidence::Invariant { name, file, goal: goal.to_owned(), clauses: found.len(), queries }))
    }

    fn bounded(
        &mut self,
        name: String,
        steps: u32,
        covered: &[String],
    ) -> Result<Option<Evidence>, ProofError> {
        let formula = bounded::query(self.subject, covered, steps).map_err(EngineError::from)?;
        // Where goals are split into weaker labels, or the search knew results of the C library, the query may have a model.
        let query = self.query(&name, &formula, Some(MOST_LEARNED))?;
        Ok(query.ok().map(|query| Evidence::Bounded { name, steps, query }))
    }

    /// Writes a query with its proof, if there is one.
    fn query(
        &mut self,
        name: &str,
        formula: &Formula,
        conflicts: Option<u64>,
    ) -> Result<Result<Query, Open>, ProofError> {
        let (deadline, stop) = (self.context.options.deadline, Some(self.context.options.stop.clone()));
        let proof = match refute(formula, &Budget { conflicts, deadline, stop }) {
            Refutation::Proof(proof) => proof,
            Refutation::Unknown => return Ok(Err(Open::Time)),
            Refutation::Satisfiable => return Ok(Err(Open::Model)),
        };
        let query = Query { formula: format!("{name}.cnf"), proof: format!("{name}.lrat") };
        self.writer.file(&query.formula, &dimacs_text(formula))?;
        self.writer.file(&query.proof, &proof)?;
        Ok(Ok(query))
    }
}

/// Why a query has no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// A limit was reached.
    Time,
    /// It has a model.
    Model,
}

/// The instance of a matrix.
fn instance(matrix: &Matrix) -> Instance {
    Instance::new(matrix.vertices(), |from, to| matrix.cost(from, to))
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

/// The graph with its proofs, or why there is none.
fn graph_evidence(
    subject: &Subject,
    writer: &mut Writer<'_>,
    context: &Context<'_>,
) -> Result<Result<(Graph, Evidence), String>, ProofError> {
    match enumerate::enumerate(subject, context) {
        Ok(Enumerated::Whole(graph)) => whole_evidence(graph, subject, writer, context),
        Ok(Enumerated::TooLarge(word)) => family_evidence(word, subject, writer, context),
        Err(Halt::Stopped(reason)) => Ok(Err(reason.to_string())),
        Err(Halt::Failed(error)) => Err(error.into()),
    }
}

fn whole_evidence(
    graph: Graph,
    subject: &Subject,
    writer: &mut Writer<'_>,
    context: &Context<'_>,
) -> Result<Result<(Graph, Evidence), String>, ProofError> {
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

fn family_evidence(
    word: Option<usize>,
    subject: &Subject,
    writer: &mut Writer<'_>,
    context: &Context<'_>,
) -> Result<Result<(Graph, Evidence), String>, ProofError> {
    let too_many = || Ok(Err("there are too many reachable states for a graph".to_owned()));
    let Some(word) = word else { return too_many() };
    let found = match families::find(subject, word, context) {
        Ok(Some(found)) => found,
        Ok(None) => return too_many(),
        Err(Halt::Stopped(reason)) => return Ok(Err(reason.to_string())),
        Err(Halt::Failed(error)) => return Err(error.into()),
    };
    let Ok(graph) = found.expand() else { return too_many() };
    let queries = match graph_queries(families::queries::queries(subject, &found), writer, context)? {
        Ok(queries) => queries,
        Err(why) => return Ok(Err(why)),
    };
    let file = format!("{GRAPH}.families");
    writer.file(&file, &found.print())?;
    let (nodes, edges) = (graph.nodes.len(), graph.edges.len());
    Ok(Ok((graph, Evidence::Families { name: GRAPH.to_owned(), file, nodes, edges, queries })))
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
