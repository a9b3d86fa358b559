//! Claims by distances between goals: on a graph of all states, on graphs over some words, and by
//! queries from any state.

use super::super::claims::Claim;
use super::super::invariant::Invariant;
use super::super::judge::Judge;
use super::super::manifest::{Evidence, Leg, Tour};
use super::super::tours::Distances;
use super::super::write::{GRAPH, ProofError};
use super::super::{apart, facts, projections};
use super::{Found, MOST_LEARNED, Maker};
use crate::projections::Projection;
use checker::tour::Matrix;
use engine::error::EngineError;
use engine::session::Stop;
use solver::atsp::{self, Instance};

/// Name of the evidence for the invariant that distances rest on.
const STATES: &str = "states";

/// What a claim says of tours.
#[derive(Clone, Copy)]
struct Wanted {
    chains: usize,
    reset: Option<u32>,
    /// Steps or cost; `None`: that there is no tour.
    bound: Option<u64>,
}

impl Wanted {
    fn of(claim: &Claim) -> Option<Self> {
        let (chains, reset, bound) = match *claim {
            Claim::FewestChains { chains } => (chains - 1, None, None),
            Claim::Length { chains, steps } => (chains, None, Some(steps)),
            Claim::Cost { reset, cost } => (1, Some(u32::try_from(reset).ok()?), Some(cost)),
            Claim::Unreachable { .. } | Claim::NoWayToFinal { .. } => return None,
        };
        Some(Self { chains, reset, bound })
    }
}

impl<'m> Maker<'m, '_> {
    /// A bound of tours between goals on the graph of all states.
    pub(super) fn tour_on_graph(
        &mut self,
        name: String,
        claim: &Claim,
        judge: &Judge<'_>,
    ) -> Result<Found, ProofError> {
        let shown =
            self.on_graph(judge).and_then(|distances| certificate(&distances, claim, &self.atsp_options()));
        self.write_tour(name, vec![GRAPH.to_owned()], shown)
    }

    /// The greatest bound below the one claimed that is shown, with its evidence.
    pub(crate) fn weaker(
        &mut self,
        number: usize,
        claim: &Claim,
        judge: Option<&Judge<'_>>,
    ) -> Result<Option<(Claim, String)>, ProofError> {
        let searched = judge.and_then(|judge| match *claim {
            Claim::Length { chains, .. } => {
                Some(Claim::Length { chains, steps: judge.steps(chains).ok().filter(|&steps| steps > 0)? })
            }
            _ => None,
        });
        let by_tours = self.weaker_by_tours(number, claim, judge, searched.as_ref())?;
        Ok(by_tours.or(searched.map(|searched| (searched, GRAPH.to_owned()))))
    }

    /// The greatest bound below the one claimed that tours show, if it does not follow from what is
    /// known.
    fn weaker_by_tours(
        &mut self,
        number: usize,
        claim: &Claim,
        judge: Option<&Judge<'_>>,
        known: Option<&Claim>,
    ) -> Result<Option<(Claim, String)>, ProofError> {
        let (options, name) = (self.atsp_options(), format!("weaker-{number}"));
        let distances = match judge {
            Some(judge) => self.on_graph(judge),
            None => self.known_distances(),
        };
        let shown = distances.ok().and_then(|distances| strongest(&distances, claim, &options));
        let is_news = |(weaker, _): &(Claim, _)| !known.is_some_and(|known| known.implies(weaker));
        let Some((weaker, shown)) = shown.filter(is_news) else { return Ok(None) };
        let sources = match judge {
            Some(_) => Ok(vec![GRAPH.to_owned()]),
            None => self.write_sources()?,
        };
        let Ok(sources) = sources else { return Ok(None) };
        let written = self.write_tour(name, sources, Ok(shown))?;
        Ok(written.ok().map(|name| (weaker, name)))
    }

    /// The distances between the goals covered on the graph of all states.
    fn on_graph(&self, judge: &Judge<'_>) -> Result<Distances<'m>, String> {
        let mut distances = Distances::new(&self.goals, self.material.covered)?;
        distances.raise_by_graph(judge);
        Ok(distances)
    }

    /// A goal excluded by a graph over the words that it depends on.
    pub(super) fn by_cone(&mut self, _: usize, claim: &Claim) -> Result<Found, ProofError> {
        let (Claim::Unreachable { goal } | Claim::NoWayToFinal { goal }) = claim else {
            return Ok(Err(String::new()));
        };
        match projections::of_goal(self.material.subject, goal, self.material.session) {
            Ok(found) => self.add_projections(found),
            Err(Stop::Limit(reason)) => return Ok(Err(reason.to_string())),
            Err(Stop::Failed(error)) => return Err(error.into()),
        }
        self.by_one_projection(claim)
    }

    /// A claim that follows from one graph over some of the words.
    pub(super) fn by_projections(&mut self, _: usize, claim: &Claim) -> Result<Found, ProofError> {
        match self.look_for_projections()? {
            Ok(()) => self.by_one_projection(claim),
            Err(why) => Ok(Err(why)),
        }
    }

    fn by_one_projection(&mut self, claim: &Claim) -> Result<Found, ProofError> {
        let (projections, covered) = (&self.projections, self.material.covered);
        let follows = |number: &usize| {
            let goals = &projections[*number].subject.labels;
            let speaks = |goal: &String| goals.iter().any(|(name, _)| name == goal);
            let knows = match claim {
                Claim::Unreachable { goal } | Claim::NoWayToFinal { goal } => speaks(goal),
                // What covers all covers those that the graph knows.
                _ => covered.iter().any(speaks),
            };
            knows && projections[*number].judge(&self.goals, covered).follows(claim).is_ok()
        };
        match (0..projections.len()).find(follows) {
            Some(number) => self.write_projection(number),
            None => Ok(Err("graphs over some of the state words do not show it".to_owned())),
        }
    }

    /// A bound of tours between goals, from graphs over some of the words and from queries.
    pub(super) fn tour(&mut self, number: usize, claim: &Claim) -> Result<Found, ProofError> {
        if Wanted::of(claim).is_none() {
            return Ok(Err(String::new()));
        }
        if let Err(why) = self.look_for_projections()?.and(self.look_for_distances()?) {
            return Ok(Err(why));
        }
        let distances = self.known_distances();
        let shown = distances.and_then(|distances| certificate(&distances, claim, &self.atsp_options()));
        let sources = match &shown {
            Ok(_) => self.write_sources()?,
            Err(_) => Ok(Vec::new()),
        };
        match sources {
            Ok(sources) => self.write_tour(format!("tour-{number}"), sources, shown),
            Err(why) => Ok(Err(why)),
        }
    }

    /// What is known of the distances between the goals covered without a graph of all states.
    fn known_distances(&self) -> Result<Distances<'m>, String> {
        let covered = self.material.covered;
        let mut distances = Distances::new(&self.goals, covered)?;
        for projection in &self.projections {
            distances.raise_by_graph(&projection.judge(&self.goals, covered));
        }
        for (legs, _) in self.apart.iter().flatten() {
            legs.iter().for_each(|leg| distances.raise(leg));
        }
        Ok(distances)
    }

    /// Writes all evidence of these distances, and returns its names.
    fn write_sources(&mut self) -> Result<Result<Vec<String>, String>, ProofError> {
        let mut names = Vec::new();
        for number in 0..self.projections.len() {
            match self.write_projection(number)? {
                Ok(name) => names.push(name),
                Err(why) => return Ok(Err(why)),
            }
        }
        for source in 0..self.apart.as_ref().map_or(0, Vec::len) {
            match self.write_distances(source)? {
                Ok(name) => names.extend(name),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(names))
    }

    fn write_tour(
        &mut self,
        name: String,
        distances: Vec<String>,
        shown: Result<(Wanted, u64, String), String>,
    ) -> Result<Found, ProofError> {
        let (wanted, steps, certificate) = match shown {
            Ok(shown) => shown,
            Err(why) => return Ok(Err(why)),
        };
        let file = format!("{name}.tour");
        self.writer.file(&file, &certificate)?;
        let Wanted { chains, reset, .. } = wanted;
        let tour = Tour { steps, file };
        Ok(Ok(self.list(Evidence::Tour { name, distances, chains, reset, tour })))
    }

    /// Looks for projections, the first time.
    fn look_for_projections(&mut self) -> Result<Result<(), String>, ProofError> {
        if self.has_projections {
            return Ok(Ok(()));
        }
        let material = &self.material;
        let values = |word: &str| material.values.get(word).copied().unwrap_or(1);
        match projections::find(material.subject, values, material.session) {
            Ok(found) => self.add_projections(found),
            Err(Stop::Limit(reason)) => return Ok(Err(reason.to_string())),
            Err(Stop::Failed(error)) => return Err(error.into()),
        }
        self.has_projections = true;
        Ok(Ok(()))
    }

    /// Adds those that are not there yet.
    fn add_projections(&mut self, found: impl IntoIterator<Item = Projection>) {
        for projection in found {
            if !self.projections.iter().any(|known| known.is_same(&projection)) {
                self.projections.push(projection);
            }
        }
    }

    /// Writes a projection with its proofs, the first time.
    fn write_projection(&mut self, number: usize) -> Result<Found, ProofError> {
        let projection = &mut self.projections[number];
        if let Some(known) = &projection.evidence {
            return Ok(Ok(known.clone()));
        }
        let name = format!("words-{number}");
        let prefix = format!("{name}-");
        let written = projection.made.evidence(
            (&name, &prefix),
            &projection.subject,
            &mut self.writer,
            self.material.session,
        )?;
        Ok(match written {
            Ok(evidence) => {
                projection.evidence = Some(name);
                Ok(self.list(evidence))
            }
            Err(why) => Err(why),
        })
    }

    /// Finds out which of the distances that the search found can be shown from any state, the
    /// first time.
    fn look_for_distances(&mut self) -> Result<Result<(), String>, ProofError> {
        if self.apart.is_some() {
            return Ok(Ok(()));
        }
        let material = &self.material;
        let found = || -> Result<_, Stop> {
            let facts = facts::find(material.system, material.options.hazards, material.session)?;
            let mut sources: Vec<&Option<String>> = material.wanted.iter().map(|leg| &leg.from).collect();
            sources.dedup();
            let mut apart = Vec::new();
            for source in sources {
                let wanted: Vec<Leg> =
                    material.wanted.iter().filter(|leg| leg.from == *source).cloned().collect();
                let within = facts.as_ref().filter(|_| source.is_some());
                let legs = apart::find(material.subject, within, &wanted, material.session)?;
                if !legs.is_empty() {
                    apart.push((legs, None));
                }
            }
            Ok((facts, apart))
        };
        match found() {
            Ok((facts, apart)) => {
                self.facts = Some((facts, false));
                self.apart = Some(apart);
                Ok(Ok(()))
            }
            Err(Stop::Limit(reason)) => Ok(Err(reason.to_string())),
            Err(Stop::Failed(error)) => Err(error.into()),
        }
    }

    /// Writes the query that shows the distances from one source, the first time, and what it rests
    /// on.
    fn write_distances(&mut self, source: usize) -> Result<Result<Option<String>, String>, ProofError> {
        let Some((legs, written)) = self.apart.as_ref().and_then(|all| all.get(source)).cloned() else {
            return Ok(Ok(None));
        };
        if written.is_some() {
            return Ok(Ok(written));
        }
        let is_free = legs.first().is_some_and(|leg| leg.from.is_some());
        let facts = self.facts.as_ref().and_then(|(facts, _)| facts.clone()).filter(|_| is_free);
        if let Some(facts) = &facts
            && let Err(why) = self.write_facts(facts)?
        {
            return Ok(Err(why));
        }
        let formula =
            apart::query(self.material.subject, facts.as_ref(), &legs).map_err(EngineError::from)?;
        let Some(formula) = formula else { return Ok(Ok(None)) };
        let name = format!("apart-{source}");
        Ok(match self.query(&name, &formula, Some(MOST_LEARNED))? {
            Ok(query) => {
                let within = facts.map(|_| STATES.to_owned());
                let name = self.list(Evidence::Apart { name, within, legs, query });
                if let Some(entry) = self.apart.as_mut().and_then(|all| all.get_mut(source)) {
                    entry.1 = Some(name.clone());
                }
                Ok(Some(name))
            }
            Err(open) => Err(format!("query {name} for shorter distances {}", open.text())),
        })
    }

    /// Writes the invariant that distances rest on, the first time.
    fn write_facts(&mut self, facts: &Invariant) -> Result<Result<(), String>, ProofError> {
        if self.facts.as_ref().is_some_and(|(_, written)| *written) {
            return Ok(Ok(()));
        }
        let mut queries = Vec::new();
        for (part, formula) in facts.own_queries(self.material.subject).map_err(EngineError::from)? {
            let name = format!("{STATES}-{part}");
            match self.query(&name, &formula, None)? {
                Ok(query) => queries.push(query),
                Err(open) => return Ok(Err(format!("query {name} {}", open.text()))),
            }
        }
        let (name, file) = (STATES.to_owned(), format!("{STATES}.clauses"));
        self.writer.file(&file, &facts.print(self.material.system))?;
        self.list(Evidence::States { name, file, clauses: facts.len(), queries });
        if let Some((_, written)) = &mut self.facts {
            *written = true;
        }
        Ok(Ok(()))
    }
}

/// A certificate that tours show the claim, with its bound.
fn certificate(
    distances: &Distances<'_>,
    claim: &Claim,
    options: &atsp::Options,
) -> Result<(Wanted, u64, String), String> {
    let wanted = Wanted::of(claim).ok_or("tours do not speak about it")?;
    let Wanted { chains, reset, bound } = wanted;
    let matrix = distances.matrix(chains, reset)?;
    let bound = bound.unwrap_or_else(|| matrix.more_than_any_tour());
    let certificate = atsp::certify(&instance(&matrix), bound, options);
    let is_accepted =
        |text: &String| distances.shown((chains, reset), bound, text).is_ok_and(|shown| shown.implies(claim));
    let certificate = certificate.filter(is_accepted);
    let text = certificate.ok_or("tours by distances between goals do not show it")?;
    Ok((wanted, bound, text))
}

/// The strongest claim below the one wanted that tours show, with its certificate.
fn strongest(
    distances: &Distances<'_>,
    claim: &Claim,
    options: &atsp::Options,
) -> Option<(Claim, (Wanted, u64, String))> {
    let Wanted { chains, reset, bound } = Wanted::of(claim)?;
    let most = bound?.checked_sub(1)?;
    let matrix = distances.matrix(chains, reset).ok()?;
    let steps = atsp::solve(&instance(&matrix), options).ok()?.lower_bound.min(most);
    let weaker = match *claim {
        Claim::Cost { reset, .. } => Claim::Cost { reset, cost: steps },
        _ => Claim::Length { chains, steps },
    };
    let shown = certificate(distances, &weaker, options).ok().filter(|_| steps > 0)?;
    Some((weaker, shown))
}

/// The instance of a matrix.
pub(super) fn instance(matrix: &Matrix) -> Instance {
    Instance::new(matrix.vertices(), |from, to| matrix.cost(from, to))
}
