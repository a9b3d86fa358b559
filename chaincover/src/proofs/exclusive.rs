//! Evidence that a number of chains is needed where the states are too many for a graph: goals of which no execution covers two.
//!
//! Two goals exclude each other if neither occurs after the other. The system gets two words that remember whether each of them has occurred, and a
//! goal that both have; an [inductive invariant](super::invariant) of that system excludes it. So many goals that all exclude each other need as many chains
//! (Lemma 1 (3) of the paper; R. P. Dilworth, Annals of Mathematics 51 (1950)). Of a goal of several steps the first step is remembered: what can hold in no
//! execution begins in none.

use super::subject::Subject;
use crate::options::HazardPolicy;
use model::sort::Sort;
use model::system::{Goal, TransitionSystem};
use model::term::TermId;
use model::validate::{Meaning, Validated, validate};
use model::visit::{Substitution, support};

/// Pairs of goals that are looked at until enough of them exclude each other.
const MOST_PAIRS: usize = 40;

/// The goal of [`both`].
pub(super) const BOTH: &str = "both";

/// The system that remembers two goals, with the one goal [`BOTH`]. `None`: it has no goal of one of these names.
pub(super) fn both(
    subject: &Subject,
    [a, b]: [&str; 2],
    hazards: HazardPolicy,
) -> Option<(Validated, Subject)> {
    let first_label = |goal: &str| {
        let position = subject.labels.iter().position(|(name, step)| name == goal && *step == 0)?;
        subject.system.goals.values().nth(position)
    };
    let labels = [first_label(a)?, first_label(b)?];
    let mut system: TransitionSystem = (*subject.system).clone();
    let mut antecedent = system.terms.truth(true);
    for (name, label) in [a, b].into_iter().zip(labels) {
        let occurs = within_step(&subject.system, &mut system, label.antecedent);
        let word = system.add_state(&format!("{name} has occurred"), Sort::TRUTH);
        let before = system.state_term(word);
        let after = system.terms.or(before, occurs);
        system.states[word].init = system.terms.truth(false);
        system.states[word].next = after;
        antecedent = system.terms.and(antecedent, after);
    }
    let goal = Goal { name: BOTH.to_owned(), steps: 1, antecedent, expectation: None, ..labels[0].clone() };
    system.goals = std::iter::once(goal).collect();
    let system = validate(system).expect("a system with more words should be valid");
    let subject = Subject::new(&system, hazards);
    Some((system, subject))
}

/// A label as a condition on the state and the inputs of its step: words after the step are what the step makes of them.
fn within_step(known: &Validated, system: &mut TransitionSystem, label: TermId) -> TermId {
    let mut replacements = Vec::new();
    for symbol in support(&system.terms, &[label]) {
        let Meaning::Framed { base, offset: 1 } = known.meaning(symbol) else { continue };
        if let Meaning::State(state) = known.meaning(base) {
            replacements.push((symbol, known.states[state].next));
        }
    }
    Substitution::new(&mut system.terms, replacements).apply(&mut system.terms, label)
}

/// One goal of each of these orders such that `excludes` says of all pairs that they exclude each other; goals that come late are tried first.
///
/// # Errors
/// Of `excludes`.
pub(super) fn find<E>(
    orders: &[Vec<String>],
    mut excludes: impl FnMut(&str, &str) -> Result<bool, E>,
) -> Result<Option<Vec<String>>, E> {
    let mut left = MOST_PAIRS;
    let mut chosen: Vec<String> = Vec::new();
    // Positions in the reversed orders.
    let mut positions = vec![0];
    while let Some(position) = positions.last_mut() {
        let order = &orders[chosen.len()];
        let Some(goal) = order.iter().rev().nth(*position) else {
            positions.pop();
            chosen.pop();
            continue;
        };
        *position += 1;
        let mut fits = true;
        for other in &chosen {
            if left == 0 {
                return Ok(None);
            }
            left -= 1;
            fits = excludes(other, goal)?;
            if !fits {
                break;
            }
        }
        if fits {
            chosen.push(goal.clone());
            if chosen.len() == orders.len() {
                return Ok(Some(chosen));
            }
            positions.push(0);
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_that_all_exclude_each_other_are_found() {
        let orders = |texts: &[&str]| -> Vec<Vec<String>> {
            texts.iter().map(|text| text.split(' ').map(str::to_owned).collect()).collect()
        };
        // Goals of different capitals exclude each other but for those that begin with x.
        let excludes =
            |a: &str, b: &str| -> Result<bool, ()> { Ok(!a.starts_with('x') && !b.starts_with('x')) };
        for (texts, expected) in [
            (&["a b", "c d"][..], Some(&["b", "d"][..])),
            (&["a x1", "c x2", "e f"], Some(&["a", "c", "f"])),
            (&["x1 x2", "c d"], None),
        ] {
            let found = find(&orders(texts), excludes).expect("no error");
            let expected = expected.map(|goals| goals.iter().map(|goal| (*goal).to_owned()).collect());
            assert_eq!(found, expected, "{texts:?}");
        }
    }
}
