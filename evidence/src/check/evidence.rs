//! Checking each piece of evidence: what it shows, given what was checked before it.

use super::super::claims::Claim;
use super::super::invariant::{Excluded, Invariant};
use super::super::manifest::{Evidence, Leg, Manifest, Pair, Query, Tour};
use super::super::subject::Subject;
use super::super::tours::Distances;
use super::super::{Judge, apart, bounded, exclusive, fingerprint, goal_steps, parts};
use super::graphs::{Listed, check_families, check_graph};
use super::stored::{check_all, check_query, read_invariant, read_tours, text};
use checker::graph::Graph;
use checker::parts::Parts;
use engine::options::HazardPolicy;
use model::validate::Validated;
use std::path::Path;

/// What evidence shows, once it is checked.
pub(super) enum Shown {
    /// This graph stands for the system.
    Graph(Graph),
    /// All reachable states satisfy this.
    States(Invariant),
    /// No execution has less between goals.
    Legs(Vec<Leg>),
    /// This holds.
    Claim(Claim),
}

/// By name of the evidence: what it shows, or what is wrong with it.
pub(super) type Checked = Vec<(String, Result<Shown, String>)>;

/// Checks all evidence of the manifest.
///
/// # Errors
/// Where none of it is about this system.
pub(super) fn check_evidence(
    place: &Path,
    manifest: &Manifest,
    system: &Validated,
    covered: &[String],
) -> Result<Checked, String> {
    if manifest.evidence.is_empty() {
        return Ok(Vec::new());
    }
    if fingerprint(system) != manifest.system_sha256 {
        return Err("the proofs are about another transition system than the source describes now".to_owned());
    }
    let hazards: HazardPolicy = manifest.undefined_behaviour.parse()?;
    let subject = Subject::new(system, hazards);
    let goals = goal_steps(system);
    let covered_goals = (&goals[..], covered);
    let mut checked: Checked = Vec::new();
    for evidence in &manifest.evidence {
        let name = evidence.name();
        if checked.iter().any(|(known, _)| known == name) {
            return Err(format!("the manifest lists evidence `{name}` twice"));
        }
        let shown = match evidence {
            Evidence::Tour { distances, chains, reset, tour, .. } => {
                check_tour(place, &found(distances, &checked), (*chains, *reset), tour, covered_goals)
            }
            Evidence::Apart { within, legs, query, .. } => {
                let within = found(within.as_slice(), &checked);
                check_apart(place, within.first(), legs, query, &subject)
            }
            Evidence::Exclusive { goals, pairs, .. } => {
                check_exclusive(place, (goals, pairs), (&subject, hazards), covered)
            }
            Evidence::DeadEnd { goal, invariant, .. } => {
                check_dead_end(place, goal, invariant, (&subject, hazards))
            }
            evidence => check_one(place, evidence, &subject, covered),
        };
        checked.push((name.to_owned(), shown));
    }
    Ok(checked)
}

/// What evidence that was checked before shows, or why there is none.
type Known<'c> = Result<&'c Shown, String>;

/// The evidence of these names.
fn found<'c>(names: &[String], checked: &'c Checked) -> Vec<Known<'c>> {
    let one = |name: &String| match checked.iter().find(|(known, _)| known == name) {
        Some((_, Ok(shown))) => Ok(shown),
        Some((_, Err(why))) => Err(why.clone()),
        None => Err(format!("evidence `{name}` should be listed before what rests on it")),
    };
    names.iter().map(one).collect()
}

/// Checks a bound of tours between goals by distances that were checked before.
fn check_tour(
    place: &Path,
    sources: &[Known<'_>],
    (chains, reset): (usize, Option<u32>),
    tour: &Tour,
    (goals, covered): (&[(String, u32)], &[String]),
) -> Result<Shown, String> {
    let mut distances = Distances::new(goals, covered)?;
    for source in sources {
        match source.as_ref().map_err(Clone::clone)? {
            Shown::Graph(graph) => {
                distances.raise_by_graph(&Judge::new(graph, goals.to_vec(), covered));
            }
            Shown::Legs(legs) => legs.iter().for_each(|leg| distances.raise(leg)),
            Shown::States(_) | Shown::Claim(_) => {
                return Err("a tour needs graphs or distances".to_owned());
            }
        }
    }
    let certificate = text(place, &tour.file)?;
    let shown = distances.shown((chains, reset), tour.steps, &certificate);
    shown.map(Shown::Claim).map_err(|why| format!("{}: {why}", tour.file))
}

/// Checks that no execution has shorter distances, given an invariant of all states.
fn check_apart(
    place: &Path,
    within: Option<&Known<'_>>,
    legs: &[Leg],
    query: &Query,
    subject: &Subject,
) -> Result<Shown, String> {
    let invariant = match within.map(|known| known.as_ref().map_err(Clone::clone)).transpose()? {
        None => None,
        Some(Shown::States(invariant)) => Some(invariant),
        Some(_) => return Err("distances may rest on an invariant of all states only".to_owned()),
    };
    if let Some(leg) = legs.iter().find(|leg| leg.steps > apart::MOST_STEPS) {
        return Err(format!("{} steps are more than one query looks ahead", leg.steps));
    }
    let needed = apart::query(subject, invariant, legs).map_err(|error| error.to_string())?;
    check_query(place, &needed.ok_or("distances should be from one goal to goals of the system")?, query)?;
    Ok(Shown::Legs(legs.to_vec()))
}

/// Checks that no execution ends in Final after a goal.
fn check_dead_end(
    place: &Path,
    goal: &str,
    Pair { file, queries }: &Pair,
    (subject, hazards): (&Subject, HazardPolicy),
) -> Result<Shown, String> {
    let ending = exclusive::ending(subject, goal, hazards);
    let (_, ending) = ending.ok_or_else(|| format!("the system has no goal {goal} or no Final"))?;
    let invariant = read_invariant(place, file, &ending)?;
    let needed = invariant.queries(&ending, Excluded::End).map_err(|error| error.to_string())?;
    check_all(place, &needed, queries)?;
    Ok(Shown::Claim(Claim::NoWayToFinal { goal: goal.to_owned() }))
}

/// Checks that goals which the chains cover exclude each other.
fn check_exclusive(
    place: &Path,
    (goals, pairs): (&[String], &[Pair]),
    (subject, hazards): (&Subject, HazardPolicy),
    covered: &[String],
) -> Result<Shown, String> {
    if let Some(goal) = goals.iter().find(|goal| !covered.contains(goal)) {
        return Err(format!("no chain covers {goal}"));
    }
    if let Some(again) = (1..goals.len()).find(|&goal| goals[..goal].contains(&goals[goal])) {
        return Err(format!("{} is named twice", goals[again]));
    }
    let later = |first: usize| goals[first + 1..].iter().map(move |second| [&goals[first][..], second]);
    let wanted: Vec<[&str; 2]> = (0..goals.len()).flat_map(later).collect();
    if wanted.len() != pairs.len() {
        return Err(format!(
            "{} pairs of goals need an invariant each, there are {}",
            wanted.len(),
            pairs.len()
        ));
    }
    for (goals, Pair { file, queries }) in wanted.into_iter().zip(pairs) {
        let both = exclusive::both(subject, goals, hazards);
        let (_, both) =
            both.ok_or_else(|| format!("the system has no goals {} and {}", goals[0], goals[1]))?;
        let invariant = read_invariant(place, file, &both)?;
        let needed =
            invariant.queries(&both, Excluded::Goal(exclusive::BOTH)).map_err(|error| error.to_string())?;
        check_all(place, &needed, queries)?;
    }
    Ok(Shown::Claim(Claim::FewestChains { chains: goals.len() }))
}

/// Checks evidence that rests on no other.
fn check_one(
    place: &Path,
    evidence: &Evidence,
    subject: &Subject,
    covered: &[String],
) -> Result<Shown, String> {
    match evidence {
        Evidence::Graph { file, nodes, edges, queries, .. } => {
            check_graph(place, &Listed { file, size: (*nodes, *edges), queries }, subject).map(Shown::Graph)
        }
        Evidence::Families { file, nodes, edges, queries, .. } => {
            check_families(place, &Listed { file, size: (*nodes, *edges), queries }, subject)
                .map(Shown::Graph)
        }
        Evidence::Invariant { file, goal, clauses, queries, .. } => {
            check_unreachable(place, (file, *clauses), goal, queries, subject)
        }
        Evidence::Bounded { steps, query, .. } => check_bounded(place, *steps, query, (subject, covered)),
        Evidence::States { file, clauses, queries, .. } => {
            let invariant = sized_invariant(place, (file, *clauses), subject)?;
            let needed = invariant.own_queries(subject).map_err(|error| error.to_string())?;
            check_all(place, &needed, queries)?;
            Ok(Shown::States(invariant))
        }
        Evidence::Parts { file, chains, tours, queries, .. } => {
            check_parts(place, file, (*chains, tours), queries, (subject, covered))
        }
        Evidence::Tour { name, .. }
        | Evidence::Apart { name, .. }
        | Evidence::DeadEnd { name, .. }
        | Evidence::Exclusive { name, .. } => Err(format!("`{name}` is no evidence by itself")),
    }
}

/// The invariant of a file, of so many clauses.
fn sized_invariant(
    place: &Path,
    (file, clauses): (&str, usize),
    subject: &Subject,
) -> Result<Invariant, String> {
    let invariant = read_invariant(place, file, subject)?;
    match invariant.len() == clauses {
        true => Ok(invariant),
        false => Err(format!("{file}: the invariant has another size than the manifest says")),
    }
}

/// Checks that no execution has a window of the goal.
fn check_unreachable(
    place: &Path,
    invariant: (&str, usize),
    goal: &str,
    queries: &[Query],
    subject: &Subject,
) -> Result<Shown, String> {
    let invariant = sized_invariant(place, invariant, subject)?;
    if !subject.labels.iter().any(|(name, _)| name == goal) {
        return Err(format!("the system has no goal {goal}"));
    }
    let needed = invariant.queries(subject, Excluded::Goal(goal)).map_err(|error| error.to_string())?;
    check_all(place, &needed, queries)?;
    Ok(Shown::Claim(Claim::Unreachable { goal: goal.to_owned() }))
}

/// Checks that no chain of at most so many steps covers the goals.
fn check_bounded(
    place: &Path,
    steps: u32,
    query: &Query,
    (subject, covered): (&Subject, &[String]),
) -> Result<Shown, String> {
    if u64::from(steps) > bounded::MOST_STEPS {
        return Err(format!("{steps} steps are more than one query asks about"));
    }
    let is_known = |goal: &&String| subject.labels.iter().any(|(name, _)| name == *goal);
    if let Some(goal) = covered.iter().find(|goal| !is_known(goal)) {
        return Err(format!("the system has no goal {goal}"));
    }
    let needed = bounded::query(subject, covered, steps).map_err(|error| error.to_string())?;
    check_query(place, &needed, query)?;
    Ok(Shown::Claim(Claim::Length { chains: 1, steps: u64::from(steps) + 1 }))
}

/// Checks that so many chains change the parts of a file so often.
fn check_parts(
    place: &Path,
    file: &str,
    (chains, tours): (usize, &[Tour]),
    queries: &[Query],
    (subject, covered): (&Subject, &[String]),
) -> Result<Shown, String> {
    let parts = Parts::parse(&text(place, file)?).map_err(|error| format!("{file}: {error}"))?;
    let needed = parts::queries(subject, &parts).map_err(|error| format!("{file}: {error}"))?;
    check_all(place, &needed, queries)?;
    let goals = parts.positions(covered).ok_or_else(|| format!("{file}: a goal is missing"))?;
    let steps = parts.check(&goals, chains, &read_tours(place, tours)?)?;
    Ok(Shown::Claim(Claim::Length { chains, steps }))
}
