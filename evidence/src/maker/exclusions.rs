//! What cannot happen at all, shown by inductive invariants: goals, ends after goals, two goals in
//! one execution.

use super::super::claims::Claim;
use super::super::exclusive;
use super::super::invariant::{self, Excluded};
use super::super::manifest::{Evidence, Pair};
use super::super::subject::Subject;
use super::super::write::ProofError;
use super::{Found, Maker, Open};
use engine::error::EngineError;
use engine::session::Stop;
use model::validate::Validated;

impl Maker<'_, '_> {
    /// An invariant that excludes what the claim is about.
    pub(crate) fn exclusion(&mut self, number: usize, claim: &Claim) -> Result<Found, ProofError> {
        match claim {
            Claim::Unreachable { goal } => self.unreachable(format!("invariant-{number}"), goal),
            Claim::NoWayToFinal { goal } => self.dead_end(format!("end-after-{number}"), goal),
            Claim::FewestChains { chains } if *chains == self.material.orders.len() => {
                self.exclusive(format!("exclusive-{number}"))
            }
            Claim::FewestChains { .. } | Claim::Length { .. } | Claim::Cost { .. } => Ok(Err(String::new())),
        }
    }

    fn unreachable(&mut self, name: String, goal: &str) -> Result<Found, ProofError> {
        let system = (self.material.system, self.material.subject);
        let shown = self.invariant_of(&name, system, Excluded::Goal(goal))?;
        Ok(shown.map(|(clauses, Pair { file, queries })| {
            self.list(Evidence::Invariant { name, file, goal: goal.to_owned(), clauses, queries })
        }))
    }

    fn dead_end(&mut self, name: String, goal: &str) -> Result<Found, ProofError> {
        let hazards = self.material.options.hazards;
        let Some((system, subject)) = exclusive::ending(self.material.subject, goal, hazards) else {
            return Ok(Err("chains may end anywhere".to_owned()));
        };
        let shown = self.invariant_of(&name, (&system, &subject), Excluded::End)?;
        Ok(shown
            .map(|(_, invariant)| self.list(Evidence::DeadEnd { name, goal: goal.to_owned(), invariant })))
    }

    /// Goals, one of each chain, of which no execution covers two.
    fn exclusive(&mut self, name: String) -> Result<Found, ProofError> {
        let (orders, mut shown) = (self.material.orders, Vec::new());
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
        Ok(Ok(self.list(Evidence::Exclusive { name, goals, pairs })))
    }

    /// Whether an invariant shows that no execution covers both goals; if so, it is added to
    /// `shown`.
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
        let hazards = self.material.options.hazards;
        let Some((system, subject)) = exclusive::both(self.material.subject, [a, b], hazards) else {
            return Ok(false);
        };
        let name = format!("{name}-{}", shown.len());
        match self.invariant_of(&name, (&system, &subject), Excluded::Goal(exclusive::BOTH))? {
            Ok((_, pair)) => shown.push((goals, pair)),
            Err(_) => return Ok(false),
        }
        Ok(true)
    }

    /// An invariant of a system that excludes that, with its number of clauses, or why there is
    /// none.
    fn invariant_of(
        &mut self,
        name: &str,
        (system, subject): (&Validated, &Subject),
        excluded: Excluded<'_>,
    ) -> Result<Result<(usize, Pair), String>, ProofError> {
        let hazards = self.material.options.hazards;
        let found = match invariant::find(system, hazards, excluded, self.material.session) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(Err("no inductive invariant was found that excludes it".to_owned())),
            Err(Stop::Limit(reason)) => return Ok(Err(reason.to_string())),
            Err(Stop::Failed(error)) => return Err(error.into()),
        };
        let mut queries = Vec::new();
        for (part, formula) in found.queries(subject, excluded).map_err(EngineError::from)? {
            let name = format!("{name}-{part}");
            match self.query(&name, &formula, None)? {
                Ok(query) => queries.push(query),
                Err(Open::Time) => return Ok(Err(format!("query {name} {}", Open::Time.text()))),
                // The parts of a window that compare states more than a step apart are left out.
                Err(Open::Model) if self.goals.iter().any(|(_, steps)| *steps > 1) => {
                    return Ok(Err(format!("query {name} {}", Open::Model.text())));
                }
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
}
