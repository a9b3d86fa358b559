//! Evidence beside the verdict of the graph: tours on it, invariants, parts of the state bits, queries over so many steps.

use super::claims::Claim;
use super::manifest::{Evidence, Pair, Query, Tour};
use super::subject::Subject;
use super::write::{GRAPH, ProofError, Writer};
use super::{Judge, bounded, dimacs_text, exclusive, invariant, parts};
use crate::options::Options;
use crate::output::write::WriteError;
use crate::pipeline::EngineError;
use crate::stats::{Context, Halt};
use checker::tour::{self, Matrix};
use model::validate::Validated;
use solver::atsp::{self, Instance};
use solver::sat::{Budget, Formula, Refutation, refute};

/// Clauses that may be learned in the proof of a query over many steps.
const MOST_LEARNED: u64 = 100_000;

/// Evidence, or why there is none.
type Found = Result<Evidence, String>;

/// What evidence beside the verdict of the graph is made from.
pub(super) struct Other<'o, 'p> {
    pub(super) system: &'o Validated,
    pub(super) subject: &'o Subject,
    pub(super) options: &'o Options,
    /// The goals of each chain in order.
    pub(super) orders: &'o [Vec<String>],
    pub(super) writer: &'o mut Writer<'p>,
    pub(super) context: &'o Context<'o>,
    /// Of the graph, if there is one.
    pub(super) judge: Option<&'o Judge<'o>>,
}

impl Other<'_, '_> {
    /// Evidence for the claim of that number, or for each kind of evidence why it does not serve.
    pub(super) fn evidence(
        &mut self,
        number: usize,
        claim: &Claim,
        covered: &[String],
    ) -> Result<Result<Evidence, Vec<String>>, ProofError> {
        let mut reasons = Vec::new();
        if let (Claim::Unreachable { goal }, None) = (claim, self.judge) {
            match self.invariant(format!("invariant-{number}"), goal)? {
                Ok(evidence) => return Ok(Ok(evidence)),
                Err(why) => reasons.push(why),
            }
        }
        if let Some(judge) = self.judge {
            match self.tour(format!("tour-{number}"), claim, judge)? {
                Ok(evidence) => return Ok(Ok(evidence)),
                Err(why) => reasons.push(why),
            }
        }
        if let (Claim::FewestChains { chains }, None) = (claim, self.judge)
            && *chains == self.orders.len()
        {
            match self.exclusive(format!("exclusive-{number}"))? {
                Ok(evidence) => return Ok(Ok(evidence)),
                Err(why) => reasons.push(why),
            }
        }
        if let Claim::Length { chains, steps } = *claim {
            match self.parts(format!("parts-{number}"), chains, steps, covered)? {
                Ok(evidence) => return Ok(Ok(evidence)),
                Err(why) => reasons.push(why),
            }
            if chains == 1 {
                match self.bounded(format!("bounded-{number}"), steps, covered)? {
                    Ok(evidence) => return Ok(Ok(evidence)),
                    Err(why) => reasons.push(why),
                }
            }
        }
        Ok(Err(reasons))
    }

    /// Evidence that costs little where it exists at all, to be tried before a large graph.
    pub(super) fn cheap_evidence(
        &mut self,
        number: usize,
        claim: &Claim,
        covered: &[String],
    ) -> Result<Option<Evidence>, ProofError> {
        match *claim {
            Claim::Length { chains, steps } => {
                Ok(self.parts(format!("parts-{number}"), chains, steps, covered)?.ok())
            }
            _ => Ok(None),
        }
    }

    /// A bound of tours between goals on the graph.
    fn tour(&mut self, name: String, claim: &Claim, judge: &Judge<'_>) -> Result<Found, ProofError> {
        let (chains, reset, steps) = match claim {
            Claim::FewestChains { chains } => (chains - 1, None, None),
            Claim::Length { chains, steps } => (*chains, None, Some(*steps)),
            Claim::Cost { reset, cost } => (1, u32::try_from(*reset).ok(), Some(*cost)),
            Claim::Unreachable { .. } | Claim::NoWayToFinal { .. } => {
                return Ok(Err("tours do not speak about it".to_owned()));
            }
        };
        let matrix = match judge.matrix(chains, reset) {
            Ok(matrix) => matrix,
            Err(why) => return Ok(Err(why)),
        };
        let bound = steps.unwrap_or_else(|| matrix.more_than_any_tour());
        let certificate = atsp::certify(&instance(&matrix), bound, &self.atsp_options());
        let is_accepted = |text: &String| {
            judge.shown_by_tour(chains, reset, bound, text).is_ok_and(|shown| shown.implies(claim))
        };
        let Some(certificate) = certificate.filter(is_accepted) else {
            return Ok(Err("tours between goals on the graph do not show it".to_owned()));
        };
        let file = format!("{name}.tour");
        self.writer.file(&file, &certificate)?;
        let tour = Tour { steps: bound, file };
        Ok(Ok(Evidence::Tour { name, graph: GRAPH.to_owned(), chains, reset, tour }))
    }

    /// Parts whose tours add up to so many steps.
    fn parts(
        &mut self,
        name: String,
        chains: usize,
        steps: u64,
        covered: &[String],
    ) -> Result<Found, ProofError> {
        let found = match parts::find(self.system, self.options.hazards, self.context) {
            Err(Halt::Failed(error)) => return Err(error.into()),
            Err(Halt::Stopped(reason)) => return Ok(Err(reason.to_string())),
            Ok(None) => return Ok(Err("the state has no parts that change one at a time".to_owned())),
            Ok(Some(found)) => found,
        };
        let goals = found.positions(covered).unwrap_or_default();
        let tours = match self.tours(&found.matrices(&goals, chains), steps) {
            Ok(tours) => tours,
            Err(why) => return Ok(Err(why)),
        };
        let needed = match parts::queries(self.subject, &found) {
            Ok(needed) => needed,
            Err(why) => return Ok(Err(why.to_string())),
        };
        let mut queries = Vec::new();
        for (part, formula) in needed {
            match self.query(&format!("{name}-{part}"), &formula, None)? {
                Ok(query) => queries.push(query),
                Err(open) => {
                    return Ok(Err(format!("query {name}-{part} of parts of the state {}", open.text())));
                }
            }
        }
        let tours = self.write_tours(&name, tours)?;
        let file = format!("{name}.parts");
        self.writer.file(&file, &found.print())?;
        Ok(Ok(Evidence::Parts { name, file, chains, tours, queries }))
    }

    /// For each matrix a bound with its certificate, where they come to so many steps together.
    fn tours(&self, matrices: &[Matrix], steps: u64) -> Result<Vec<(u64, String)>, String> {
        let options = self.atsp_options();
        let instances: Vec<Instance> = matrices.iter().map(instance).collect();
        let bound =
            |instance: &Instance| atsp::solve(instance, &options).map_or(0, |found| found.lower_bound);
        let bounds: Vec<u64> = instances.iter().map(bound).collect();
        let total: u64 = bounds.iter().sum();
        if total < steps {
            return Err(format!("parts of the state that change one at a time show only {total} steps"));
        }
        let certified = |((instance, matrix), &bound): ((&Instance, &Matrix), &u64)| {
            let certificate = atsp::certify(instance, bound, &options)?;
            tour::check(matrix, bound, &certificate).is_ok().then_some((bound, certificate))
        };
        let tours = instances.iter().zip(matrices).zip(&bounds).map(certified).collect::<Option<_>>();
        tours.ok_or_else(|| {
            "the time was up before tours through parts of the state were certified".to_owned()
        })
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

    fn invariant(&mut self, name: String, goal: &str) -> Result<Found, ProofError> {
        let shown = self.invariant_of(&name, (self.system, self.subject), goal)?;
        Ok(shown.map(|(clauses, Pair { file, queries })| Evidence::Invariant {
            name,
            file,
            goal: goal.to_owned(),
            clauses,
            queries,
        }))
    }

    /// Goals, one of each chain, of which no execution covers two.
    fn exclusive(&mut self, name: String) -> Result<Found, ProofError> {
        let (orders, mut shown) = (self.orders, Vec::new());
        let goals = exclusive::find(orders, |a, b| self.excludes(&name, [a, b], &mut shown))?;
        let Some(goals) = goals else {
            return Ok(Err("no goals were found that exclude each other".to_owned()));
        };
        let later = |first: usize| (first + 1..goals.len()).map(move |second| (first, second));
        let mut pairs = Vec::new();
        for (first, second) in (0..goals.len()).flat_map(later) {
            let is_wanted =
                |(known, _): &&([String; 2], Pair)| known[0] == goals[first] && known[1] == goals[second];
            let (_, pair) = shown.iter().find(is_wanted).expect("chosen goals should have been compared");
            pairs.push(pair.clone());
        }
        Ok(Ok(Evidence::Exclusive { name, goals, pairs }))
    }

    /// Whether an invariant shows that no execution covers both goals; if so, it is added to `shown`.
    fn excludes(
        &mut self,
        name: &str,
        [a, b]: [&str; 2],
        shown: &mut Vec<([String; 2], Pair)>,
    ) -> Result<bool, ProofError> {
        let goals = [a.to_owned(), b.to_owned()];
        if shown.iter().any(|(known, _)| *known == goals) {
            return Ok(true);
        }
        let Some((system, subject)) = exclusive::both(self.subject, [a, b], self.options.hazards) else {
            return Ok(false);
        };
        let name = format!("{name}-{}", shown.len());
        match self.invariant_of(&name, (&system, &subject), exclusive::BOTH)? {
            Ok((_, pair)) => shown.push((goals, pair)),
            Err(_) => return Ok(false),
        }
        Ok(true)
    }

    /// An invariant of a system that excludes a goal, with its number of clauses, or why there is none.
    fn invariant_of(
        &mut self,
        name: &str,
        (system, subject): (&Validated, &Subject),
        goal: &str,
    ) -> Result<Result<(usize, Pair), String>, ProofError> {
        let found = match invariant::find(system, self.options.hazards, goal, self.context) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(Err("no inductive invariant was found that excludes it".to_owned())),
            Err(Halt::Stopped(reason)) => return Ok(Err(reason.to_string())),
            Err(Halt::Failed(error)) => return Err(error.into()),
        };
        let mut queries = Vec::new();
        for (part, formula) in found.queries(subject, goal).map_err(EngineError::from)? {
            let name = format!("{name}-{part}");
            match self.query(&name, &formula, None)? {
                Ok(query) => queries.push(query),
                Err(Open::Time) => return Ok(Err(format!("query {name} {}", Open::Time.text()))),
                Err(Open::Model) => {
                    let why = format!("query {name} has a model, against what was found before");
                    return Err(EngineError::SelfCheck(why).into());
                }
            }
        }
        let file = format!("{name}.clauses");
        self.writer.file(&file, &found.print(system))?;
        Ok(Ok((found.len(), Pair { file, queries })))
    }

    /// One query for a chain of fewer steps.
    fn bounded(&mut self, name: String, steps: u64, covered: &[String]) -> Result<Found, ProofError> {
        if steps > bounded::MOST_STEPS + 1 || steps * covered.len() as u64 > bounded::MOST_SOUGHT {
            return Ok(Err("one query for a shorter chain would be too large".to_owned()));
        }
        let steps = steps as u32 - 1;
        let formula = bounded::query(self.subject, covered, steps).map_err(EngineError::from)?;
        // Where goals are split into weaker labels, or the search knew results of the C library, the query may have a model.
        let query = self.query(&name, &formula, Some(MOST_LEARNED))?;
        let why = |open: Open| format!("one query for a chain of at most {steps} steps {}", open.text());
        Ok(query.map(|query| Evidence::Bounded { name, steps, query }).map_err(why))
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

/// The instance of a matrix.
fn instance(matrix: &Matrix) -> Instance {
    Instance::new(matrix.vertices(), |from, to| matrix.cost(from, to))
}
