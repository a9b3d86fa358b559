//! Pairs of MC/DC: which ones chains have, and chains that have all that can be had.
//!
//! A pair of a condition is two evaluations of its decision. Each evaluation is one truth of a step,
//! a *way*; "one of these pairs of ways" is what chains have to fulfil, and no goal of the system:
//! nothing is remembered there. So the search goes in turns: chains for the other goals; which ways
//! the missing pairs need can be reached at all; a choice of ways, one pair for each condition;
//! chains for the other goals and these ways.

use crate::error::Error;
use crate::model::Model;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::Options;
use engine::outcome::Outcome;
use engine::session::Progress;
use frontend::coverage::{Coverage as Found, Pair, Vector};
use model::simulate::WindowEvaluator;
use model::system::{Goal, GoalId, TransitionSystem};
use model::trace::{Execution, Trace};
use model::validate::validate;
use report::coverage::{CoverageStatus, Evaluation, Justification, PairOutcome};
use std::collections::{BTreeMap, BTreeSet};

/// Where a chain evaluates a decision in some way: chain and step.
type Place = (usize, usize);

/// For each way the first place where chains evaluate its decision so.
pub(crate) fn places(model: &Model, found: &Found, runs: &[(&Trace, &Execution)]) -> Vec<Option<Place>> {
    let mut places = vec![None; found.vectors.len()];
    if found.vectors.is_empty() {
        return places;
    }
    let mut evaluator = WindowEvaluator::new(&model.system, found.vectors.iter().map(|vector| vector.truth));
    for (chain, (trace, run)) in runs.iter().enumerate() {
        for (step, inputs) in trace.inputs.iter().enumerate() {
            evaluator.run(&run.states[step..=step], std::slice::from_ref(inputs));
            for (number, place) in places.iter_mut().enumerate() {
                if place.is_none() && evaluator.holds(number) {
                    *place = Some((chain, step));
                }
            }
        }
    }
    places
}

/// The ways that together show the independence of a condition: positions of two ways each.
fn options_of(found: &Found, pair: &Pair) -> Vec<[usize; 2]> {
    let of_site: Vec<usize> =
        (0..found.vectors.len()).filter(|&number| found.vectors[number].site == pair.site).collect();
    let vector = |number: usize| &found.vectors[number];
    let mut options = Vec::new();
    for (position, &one) in of_site.iter().enumerate() {
        for &other in &of_site[position + 1..] {
            if vector(one).independent(vector(other)) == Some(pair.condition) {
                options.push([one, other]);
            }
        }
    }
    options
}

/// What became of each pair. `dead`: for pairs by identity why no execution has them.
pub(crate) fn outcomes(
    found: &Found,
    places: &[Option<Place>],
    dead: &BTreeMap<String, String>,
    justified: &[Justification],
) -> Vec<PairOutcome> {
    let evaluation = |number: usize| {
        let (chain, at) = places[number]?;
        Some(Evaluation { chain, at, values: values_text(&found.vectors[number]) })
    };
    let outcome = |pair: &Pair| {
        let had = options_of(found, pair)
            .into_iter()
            .filter(|option| option.iter().all(|&number| places[number].is_some()))
            .min_by_key(|option| option.map(|number| places[number]).into_iter().max());
        let evaluations: Vec<Evaluation> = had.into_iter().flatten().filter_map(evaluation).collect();
        let proof = dead.get(&pair.identity).filter(|_| evaluations.is_empty()).cloned();
        PairOutcome {
            name: pair.name.clone(),
            identity: pair.identity.clone(),
            site: pair.site,
            condition: pair.condition,
            status: match (evaluations.is_empty(), &proof) {
                (false, _) => CoverageStatus::Covered,
                (true, Some(_)) => CoverageStatus::Dead,
                (true, None) => CoverageStatus::Undecided,
            },
            evaluations,
            proof,
            justified: justified.iter().find(|known| known.goal == pair.identity).cloned(),
        }
    };
    found.pairs.iter().map(outcome).collect()
}

/// `T-F T`: the values of the conditions in the order of evaluation, `-` for those that are not
/// evaluated, and the outcome.
fn values_text(vector: &Vector) -> String {
    let letter = |value: &Option<bool>| match value {
        None => '-',
        Some(true) => 'T',
        Some(false) => 'F',
    };
    let values: String = vector.values.iter().map(letter).collect();
    format!("{values} {}", if vector.outcome { "T" } else { "F" })
}

/// What is known of a way.
#[derive(Clone, Debug, PartialEq)]
enum Known {
    Reached,
    Dead(String),
    Open,
}

/// What is known of the ways of a model.
struct Ways<'a> {
    model: &'a Model,
    found: &'a Found,
    options: Vec<Vec<[usize; 2]>>,
    known: Vec<Known>,
}

/// For pairs by identity why no execution has them, as far as the outcome of a search says.
pub(crate) fn dead(model: &Model, outcome: &Outcome) -> BTreeMap<String, String> {
    let Some(found) = model.coverage() else { return BTreeMap::new() };
    let mut ways = Ways::new(model, found);
    ways.note(outcome.further.iter().map(|(number, status)| (*number, status)));
    let proof = |(number, pair): (usize, &Pair)| Some((pair.identity.clone(), ways.proof(number)?));
    found.pairs.iter().enumerate().filter_map(proof).collect()
}

impl<'a> Ways<'a> {
    fn new(model: &'a Model, found: &'a Found) -> Self {
        let options = found.pairs.iter().map(|pair| options_of(found, pair)).collect();
        let is_never =
            |vector: &Vector| model.system.terms.as_const(vector.truth).is_some_and(|value| !value.is_true());
        let known = |vector| match is_never(vector) {
            true => Known::Dead("no step evaluates it so, by its terms".to_owned()),
            false => Known::Open,
        };
        Self { model, found, options, known: found.vectors.iter().map(known).collect() }
    }

    fn note<'s>(&mut self, statuses: impl Iterator<Item = (usize, &'s GoalStatus)>) {
        for (number, status) in statuses {
            let Some(known) = self.known.get_mut(number) else { continue };
            match status {
                GoalStatus::Covered { .. } => *known = Known::Reached,
                GoalStatus::Unreachable { proof } => *known = Known::Dead(proof.to_string()),
                _ => {}
            }
        }
    }

    /// Why no execution has a pair: each choice of two ways has one that is proven not to occur.
    /// Decisions whose ways are too many have no choices that are looked at, and no proof.
    fn proof(&self, pair: usize) -> Option<String> {
        let site = self.found.pairs[pair].site;
        if self.found.vectors.iter().all(|vector| vector.site != site) {
            return None;
        }
        let mut proofs = BTreeSet::new();
        for option in &self.options[pair] {
            let dead = option.iter().find_map(|&number| match &self.known[number] {
                Known::Dead(why) => Some(why.clone()),
                _ => None,
            });
            proofs.insert(dead?);
        }
        let proofs: Vec<String> = proofs.into_iter().collect();
        Some(match proofs.is_empty() {
            true => "no two evaluations differ in it alone".to_owned(),
            false => format!("each pair has an evaluation that is unreachable ({})", proofs.join(", ")),
        })
    }

    fn is_reached(&self, option: &[usize; 2]) -> bool {
        option.iter().all(|&number| self.known[number] == Known::Reached)
    }

    /// Ways of pairs that no chain has, and of which nothing is known.
    fn open(&self) -> BTreeSet<usize> {
        let is_open = |number: &usize| self.known[*number] == Known::Open;
        let missing =
            self.options.iter().filter(|options| !options.iter().any(|option| self.is_reached(option)));
        missing.flatten().flatten().copied().filter(is_open).collect()
    }

    /// A choice of ways that has a pair for each condition that can have one, as few as a greedy
    /// choice finds.
    fn choice(&self) -> BTreeSet<usize> {
        let mut chosen: BTreeSet<usize> = BTreeSet::new();
        let mut waiting: Vec<&Vec<[usize; 2]>> = self.options.iter().collect();
        loop {
            let cost = |option: &[usize; 2]| option.iter().filter(|number| !chosen.contains(number)).count();
            let best = waiting.iter().enumerate().filter_map(|(position, options)| {
                let option = options
                    .iter()
                    .filter(|option| self.is_reached(option))
                    .min_by_key(|option| cost(option))?;
                Some((cost(option), position, *option))
            });
            let Some((_, position, option)) = best.min() else { return chosen };
            chosen.extend(option);
            waiting.remove(position);
        }
    }

    /// Whether each pair that can be had can be had in one way only: then the choice is none.
    fn is_forced(&self) -> bool {
        let possible = |options: &Vec<[usize; 2]>| {
            let is_dead =
                |option: &&[usize; 2]| option.iter().any(|&way| matches!(self.known[way], Known::Dead(_)));
            options.iter().filter(|option| !is_dead(option)).count()
        };
        self.options.iter().all(|options| possible(options) <= 1)
    }

    /// The model with some of its goals, and behind them ways as goals.
    fn system(&self, goals: &[GoalId], ways: &BTreeSet<usize>) -> TransitionSystem {
        let mut system: TransitionSystem = (*self.model.system).clone();
        system.goals = goals.iter().map(|&goal| self.model.system.goals[goal].clone()).collect();
        for &number in ways {
            let vector = &self.found.vectors[number];
            system.goals.push(Goal {
                name: format!("way {number} ({})", values_text(vector)),
                requirement: None,
                text: None,
                origin: None,
                steps: 1,
                antecedent: vector.truth,
                expectation: None,
            });
        }
        system
    }

    fn search(
        &self,
        (goals, ways): (&[GoalId], &BTreeSet<usize>),
        known: &[Trace],
        options: &Options,
        progress: &dyn Progress,
    ) -> Result<Outcome, Error> {
        let system =
            validate(self.system(goals, ways)).expect("a valid system should stay valid with other goals");
        Ok(engine::find_chains_from(&system, known, options, progress)?)
    }
}

fn traces(outcome: &Outcome) -> Vec<Trace> {
    outcome.chains.iter().map(|chain| chain.trace.clone()).collect()
}

/// Chains that have all pairs that can be had, beside what the chains of an outcome cover, which
/// are chains for `goals`. The outcome is one for these goals; what is bounded from below is the
/// length of chains that have the pairs.
///
/// # Errors
/// As for [`find_chains`](crate::find_chains).
pub(crate) fn complete(
    model: &Model,
    found: &Found,
    (goals, mut base): (&[GoalId], Outcome),
    options: &Options,
    progress: &dyn Progress,
) -> Result<Outcome, Error> {
    let mut ways = Ways::new(model, found);
    let runs: Vec<(&Trace, &Execution)> =
        base.chains.iter().map(|chain| (&chain.trace, &chain.run)).collect();
    for (number, place) in places(model, found, &runs).into_iter().enumerate() {
        if place.is_some() {
            ways.known[number] = Known::Reached;
        }
    }
    let open = ways.open();
    let has_all =
        |ways: &Ways<'_>| ways.options.iter().all(|all| all.iter().any(|option| ways.is_reached(option)));
    if has_all(&ways) && base.stopped.is_none() {
        return Ok(base);
    }
    let mut starts = traces(&base);
    if !open.is_empty() {
        let first = ways.search((&[], &open), &starts, &options.within_part(1, 3), progress)?;
        starts.extend(traces(&first));
        let statuses = || open.iter().copied().zip(first.goals.values().map(|result| &result.status));
        ways.note(statuses());
        base.further.extend(statuses().map(|(number, status)| (number, status.clone())));
    }
    let chosen = ways.choice();
    let outcome = ways.search((goals, &chosen), &starts, options, progress)?;
    let covers = |outcome: &Outcome| {
        let goals = outcome.goals.values().take(goals.len());
        goals.filter(|goal| matches!(goal.status, GoalStatus::Covered { .. })).count()
    };
    let has_ways = outcome.goals.values().skip(goals.len());
    let is_whole = has_ways.clone().all(|goal| matches!(goal.status, GoalStatus::Covered { .. }));
    if covers(&outcome) < covers(&base) || !is_whole {
        return Ok(base);
    }
    Ok(bounded(outcome, base, ways.is_forced()))
}

/// An outcome for goals and chosen ways. Its bounds are those of the goals alone, unless the choice
/// was none.
fn bounded(mut outcome: Outcome, base: Outcome, is_forced: bool) -> Outcome {
    outcome.further = base.further;
    if is_forced {
        return outcome;
    }
    outcome.lower_bound = base.lower_bound;
    outcome.lower_bound_of_any = base.lower_bound_of_any;
    outcome.minimal = match outcome.length() == base.lower_bound && base.minimal == Minimality::Proven {
        true => Minimality::Proven,
        false if base.minimal == Minimality::Unknown => Minimality::Unknown,
        false => Minimality::Gap,
    };
    outcome
}
