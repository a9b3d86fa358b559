//! Making evidence for claims, one claim at a time: by a graph of all states if there is one, else
//! by whatever else shows the claim.

mod distances;
mod exclusions;
mod parts;

use super::claims::Claim;
use super::invariant::Invariant;
use super::judge::Judge;
use super::manifest::{Evidence, Leg, Query};
use super::projections::Projection;
use super::subject::Subject;
use super::write::{GRAPH, ProofError, Writer};
use super::{bounded, dimacs_text, goal_steps};
use engine::error::EngineError;
use engine::options::Options;
use engine::session::Session;
use model::validate::Validated;
use solver::atsp;
use solver::sat::{Budget, Formula, Refutation, refute};
use std::collections::BTreeMap;

/// Clauses that may be learned in the proof of a query over many steps.
const MOST_LEARNED: u64 = 100_000;

/// The name of the evidence that shows a claim, or why there is none.
type Found = Result<String, String>;

/// Makes evidence of one kind for the claim of that number.
type Kind<'m, 'p> = fn(&mut Maker<'m, 'p>, usize, &Claim) -> Result<Found, ProofError>;

/// What evidence is made from.
pub(super) struct Material<'m> {
    pub(super) system: &'m Validated,
    pub(super) subject: &'m Subject,
    pub(super) options: &'m Options,
    pub(super) session: &'m Session<'m>,
    /// The goals of each chain in order.
    pub(super) orders: &'m [Vec<String>],
    /// The goals that chains cover.
    pub(super) covered: &'m [String],
    /// By state word: how many values it takes on the chains.
    pub(super) values: BTreeMap<String, usize>,
    /// Distances that the search is said to have shown: what to look for.
    pub(super) wanted: Vec<Leg>,
}

/// Makes evidence; see the module text.
pub(super) struct Maker<'m, 'p> {
    pub(super) material: Material<'m>,
    pub(super) writer: Writer<'p>,
    /// Name and length of the window of every goal.
    goals: Vec<(String, u32)>,
    /// What was made so far.
    pub(super) evidence: Vec<Evidence>,
    /// Graphs over some of the words.
    projections: Vec<Projection>,
    /// Whether all of these were looked for.
    has_projections: bool,
    /// An invariant that distances may rest on, once it was looked for, and whether it was written.
    facts: Option<(Option<Invariant>, bool)>,
    /// What was shown of the distances from each source.
    apart: Option<Vec<(Vec<Leg>, Option<String>)>>,
}

impl<'m, 'p> Maker<'m, 'p> {
    pub(super) fn new(material: Material<'m>, writer: Writer<'p>) -> Self {
        let goals = goal_steps(material.system);
        Self {
            material,
            writer,
            goals,
            evidence: Vec::new(),
            projections: Vec::new(),
            has_projections: false,
            facts: None,
            apart: None,
        }
    }

    /// The evidence that shows the claim of that number, or for each kind of evidence why it does
    /// not serve.
    pub(super) fn show(
        &mut self,
        number: usize,
        claim: &Claim,
        judge: Option<&Judge<'_>>,
    ) -> Result<Result<String, Vec<String>>, ProofError> {
        if let Some(judge) = judge {
            let by_search = match judge.follows(claim) {
                Ok(()) => return Ok(Ok(GRAPH.to_owned())),
                Err(why) => why,
            };
            return Ok(match self.tour_on_graph(format!("tour-{number}"), claim, judge)? {
                Ok(name) => Ok(name),
                Err(why) => match self.one_query(number, claim)? {
                    Ok(name) => Ok(name),
                    Err(last) => Err(vec![by_search, why, last]),
                },
            });
        }
        let mut reasons = Vec::new();
        let kinds: [Kind<'m, 'p>; 5] =
            [Self::exclusion, Self::parts, Self::one_query, Self::by_projections, Self::tour];
        for kind in kinds {
            match kind(self, number, claim)? {
                Ok(name) => return Ok(Ok(name)),
                Err(why) => reasons.push(why),
            }
        }
        Ok(Err(reasons))
    }

    /// Evidence that costs little where it exists at all, to be tried before a large graph.
    pub(super) fn show_cheaply(
        &mut self,
        number: usize,
        claim: &Claim,
    ) -> Result<Option<String>, ProofError> {
        let kinds: &[Kind<'m, 'p>] = match claim {
            Claim::Unreachable { .. } | Claim::NoWayToFinal { .. } => &[Self::by_cone, Self::exclusion],
            Claim::FewestChains { .. } | Claim::Length { .. } | Claim::Cost { .. } => &[Self::parts],
        };
        for kind in kinds {
            if let Ok(name) = kind(self, number, claim)? {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    fn list(&mut self, evidence: Evidence) -> String {
        let name = evidence.name().to_owned();
        self.evidence.push(evidence);
        name
    }

    /// One query for a chain of fewer steps.
    fn one_query(&mut self, number: usize, claim: &Claim) -> Result<Found, ProofError> {
        let Claim::Length { chains: 1, steps } = *claim else { return Ok(Err(String::new())) };
        let covered = self.material.covered;
        if steps > bounded::MOST_STEPS + 1 || steps * covered.len() as u64 > bounded::MOST_SOUGHT {
            return Ok(Err("one query for a shorter chain would be too large".to_owned()));
        }
        let (name, steps) = (format!("bounded-{number}"), steps as u32 - 1);
        let formula = bounded::query(self.material.subject, covered, steps).map_err(EngineError::from)?;
        // Where goals are split into weaker labels, or the search knew results of the C library,
        // the query may have a model.
        Ok(match self.query(&name, &formula, Some(MOST_LEARNED))? {
            Ok(query) => Ok(self.list(Evidence::Bounded { name, steps, query })),
            Err(open) => Err(format!("one query for a chain of at most {steps} steps {}", open.text())),
        })
    }

    /// Writes a query with its proof, if there is one.
    fn query(
        &mut self,
        name: &str,
        formula: &Formula,
        conflicts: Option<u64>,
    ) -> Result<Result<Query, Open>, ProofError> {
        let Material { options, session, .. } = &self.material;
        let budget = Budget { conflicts, deadline: session.deadline(), stop: Some(options.stop.clone()) };
        let proof = match refute(formula, &budget) {
            Refutation::Proof(proof) => proof,
            Refutation::Unknown => return Ok(Err(Open::Time)),
            Refutation::Satisfiable => return Ok(Err(Open::Model)),
        };
        let query = Query { formula: format!("{name}.cnf"), proof: format!("{name}.lrat") };
        self.writer.file(&query.formula, &dimacs_text(formula))?;
        self.writer.file(&query.proof, &proof)?;
        Ok(Ok(query))
    }

    fn atsp_options(&self) -> atsp::Options {
        let Options { seed, stop, .. } = self.material.options;
        atsp::Options { seed: *seed, deadline: self.material.session.deadline(), stop: Some(stop.clone()) }
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

impl Open {
    fn text(self) -> &'static str {
        match self {
            Self::Time => "was not refuted within the limits",
            Self::Model => {
                "has a model, which results of the C library or windows of several steps may exclude"
            }
        }
    }
}
