//! Graphs over some of the state words, where there are too many states for one over all of them.
//!
//! Words that are left out may have any value at any time, so a projection has a path for every
//! execution: what it excludes is excluded, and its distances are lower bounds. Two kinds of
//! projections are tried: what a goal depends on, which loses nothing for that goal, and as many
//! words as can be afforded, those that take few values on the chains first.

use super::Judge;
use super::enumerate::Limits;
use super::graphs::{Attempt, Made, make};
use super::subject::Subject;
use engine::session::{Session, Stop};
use model::system::StateId;
use model::validate::Meaning;
use model::visit::support;
use std::collections::BTreeSet;

/// What a projection may come to.
const LIMITS: Limits = Limits { nodes: 10_000, many_values: 16, edges_of_a_node: 300 };
/// Most projections of either kind that are tried.
const MOST_TRIED: usize = 16;
/// Projections are not tried where so many combinations of values were seen.
const MOST_COMBINATIONS: usize = 100_000;

/// A graph over some words.
pub(super) struct Projection {
    /// The system as far as these words and some goals speak of it.
    pub(super) subject: Subject,
    /// The graph.
    pub(super) made: Made,
    /// Name of the evidence that was written of it, once it was needed.
    pub(super) evidence: Option<String>,
}

impl Projection {
    /// Whether it is about the same words and goals as another one.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let (subject, other) = (&self.subject, &other.subject);
        subject.words == other.words && subject.labels == other.labels
    }

    /// Judges claims about goals.
    pub(super) fn judge(&self, goals: &[(String, u32)], covered: &[String]) -> Judge<'_> {
        Judge::new(&self.made.graph, goals.to_vec(), covered)
    }
}

/// Projections that are small enough; `values` tells how many values a word takes on the chains.
pub(super) fn find(
    subject: &Subject,
    values: impl Fn(&str) -> usize,
    session: &Session<'_>,
) -> Result<Vec<Projection>, Stop> {
    let mut found = Vec::new();
    let mut cones: Vec<BTreeSet<StateId>> =
        (0..subject.labels.len()).map(|label| cone(subject, &subject.labels[label].0)).collect();
    cones.sort_unstable_by_key(|cone| (cone.len(), cone.iter().copied().collect::<Vec<_>>()));
    cones.dedup();
    cones.retain(|cone| cone.len() < subject.words.len());
    for cone in cones.into_iter().take(MOST_TRIED) {
        found.extend(over(&cone, subject, session)?);
    }
    found.extend(widest(subject, values, session)?);
    Ok(found)
}

/// The projection to what a goal depends on, if that is not all.
pub(super) fn of_goal(
    subject: &Subject,
    goal: &str,
    session: &Session<'_>,
) -> Result<Option<Projection>, Stop> {
    let cone = cone(subject, goal);
    if cone.len() == subject.words.len() { Ok(None) } else { over(&cone, subject, session) }
}

/// The projection to what goals depend on, with all goals that depend on no more.
fn over(
    cone: &BTreeSet<StateId>,
    subject: &Subject,
    session: &Session<'_>,
) -> Result<Option<Projection>, Stop> {
    let speaks = |goal: &str| self::cone(subject, goal).is_subset(cone);
    project(subject, |word| cone.contains(&word), speaks, session)
}

/// The projection to as many words as can be afforded, with all goals.
fn widest(
    subject: &Subject,
    values: impl Fn(&str) -> usize,
    session: &Session<'_>,
) -> Result<Option<Projection>, Stop> {
    let seen = |word: StateId| values(&subject.word_name(word)).max(1);
    let mut words = subject.words.clone();
    words.sort_by_key(|&word| seen(word));
    let (mut kept, mut best) = (BTreeSet::new(), None);
    for word in words.into_iter().take(MOST_TRIED) {
        let combinations =
            kept.iter().chain([&word]).fold(1usize, |all, &word| all.saturating_mul(seen(word)));
        if combinations > MOST_COMBINATIONS || kept.len() + 1 == subject.words.len() {
            break;
        }
        kept.insert(word);
        match project(subject, |word| kept.contains(&word), |_| true, session)? {
            Some(projection) => best = Some(projection),
            None => drop(kept.remove(&word)),
        }
    }
    Ok(best)
}

fn project(
    subject: &Subject,
    is_kept: impl Fn(StateId) -> bool,
    speaks: impl Fn(&str) -> bool,
    session: &Session<'_>,
) -> Result<Option<Projection>, Stop> {
    let words: Vec<String> =
        subject.words.iter().filter(|&&word| is_kept(word)).map(|&word| subject.word_name(word)).collect();
    let labels: Vec<(String, u32)> =
        subject.labels.iter().filter(|(goal, _)| speaks(goal)).cloned().collect();
    let subject = subject.restricted(&words, labels).expect("words and labels should be the subject's own");
    Ok(match make(&subject, LIMITS, session)? {
        Attempt::Made(made) => Some(Projection { subject, made, evidence: None }),
        Attempt::TooLarge | Attempt::Doubtful => None,
    })
}

/// The state words that decide whether a goal occurs, assumptions aside.
fn cone(subject: &Subject, goal: &str) -> BTreeSet<StateId> {
    let system = &subject.system;
    let labels = subject.labels.iter().zip(system.goals.values());
    let mut open: Vec<_> =
        labels.filter(|((name, _), _)| name == goal).map(|(_, label)| label.antecedent).collect();
    let mut found = BTreeSet::new();
    while let Some(term) = open.pop() {
        for symbol in support(&system.terms, &[term]) {
            let base = match system.meaning(symbol) {
                Meaning::Framed { base, .. } => base,
                _ => symbol,
            };
            if let Meaning::State(word) = system.meaning(base)
                && found.insert(word)
            {
                open.push(system.states[word].next);
            }
        }
    }
    found
}
