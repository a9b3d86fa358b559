//! Systems that remember which goals have occurred, where the states are too many for a graph:
//! evidence for what executions do not combine.
//!
//! Two goals exclude each other if neither occurs after the other. The system gets words that
//! remember whether each of them has occurred, and a goal that both have; an [inductive
//! invariant](super::invariant) of that system excludes it. So many goals that all exclude each
//! other need as many chains (Lemma 1 (3) of the paper; R. P. Dilworth, Annals of Mathematics 51
//! (1950)). In the same way an invariant shows that no execution covers a goal and ends in Final. A
//! goal of several steps has further words, which remember how much of a window has just gone by.

use super::subject::Subject;
use engine::options::HazardPolicy;
use model::sort::Sort;
use model::system::{Goal, TransitionSystem};
use model::term::TermId;
use model::validate::{Meaning, Validated, validate};
use model::visit::{Substitution, support};

/// Pairs of goals that are looked at until enough of them exclude each other.
const MOST_PAIRS: usize = 40;

/// The goal of [`both`].
pub(super) const BOTH: &str = "both";

/// The system that remembers two goals, with the one goal [`BOTH`]. `None`: it has no goal of one
/// of these names.
pub(super) fn both(
    subject: &Subject,
    [a, b]: [&str; 2],
    hazards: HazardPolicy,
) -> Option<(Validated, Subject)> {
    let mut system: TransitionSystem = (*subject.system).clone();
    let (_, after_a) = remember(subject, &mut system, a)?;
    let (_, after_b) = remember(subject, &mut system, b)?;
    let antecedent = system.terms.and(after_a, after_b);
    let any = subject.system.goals.values().next()?.clone();
    let goal = Goal { name: BOTH.to_owned(), steps: 1, antecedent, expectation: None, ..any };
    system.goals = std::iter::once(goal).collect();
    Some(with_subject(system, hazards))
}

/// The system that remembers a goal, and may end only when it has occurred. `None`: it has no goal
/// of that name, or may end anywhere.
pub(super) fn ending(subject: &Subject, goal: &str, hazards: HazardPolicy) -> Option<(Validated, Subject)> {
    let mut system: TransitionSystem = (*subject.system).clone();
    let (before, _) = remember(subject, &mut system, goal)?;
    system.end = Some(system.terms.and(system.end?, before));
    system.goals = std::iter::empty().collect();
    Some(with_subject(system, hazards))
}

fn with_subject(system: TransitionSystem, hazards: HazardPolicy) -> (Validated, Subject) {
    let system = validate(system).expect("a system with more words should be valid");
    let subject = Subject::new(&system, hazards);
    (system, subject)
}

/// Adds words that remember a goal; the terms say whether a window of it is over before a step, and
/// after it. `None`: there is no such goal.
fn remember(subject: &Subject, system: &mut TransitionSystem, goal: &str) -> Option<(TermId, TermId)> {
    let labels = subject.labels.iter().zip(subject.system.goals.values());
    let labels: Vec<TermId> =
        labels.filter(|((name, _), _)| name == goal).map(|(_, label)| label.antecedent).collect();
    let (last, first) = labels.split_last()?;
    let mut so_far = system.terms.truth(true);
    for (step, &label) in first.iter().enumerate() {
        let fits = within_step(&subject.system, system, label);
        let word = system.add_state(&format!("step {step} of {goal}"), Sort::TRUTH);
        let next = system.terms.and(so_far, fits);
        system.states[word].init = system.terms.truth(false);
        system.states[word].next = next;
        so_far = system.state_term(word);
    }
    let fits = within_step(&subject.system, system, *last);
    let word = system.add_state(&format!("{goal} has occurred"), Sort::TRUTH);
    let before = system.state_term(word);
    let occurs = system.terms.and(so_far, fits);
    let after = system.terms.or(before, occurs);
    system.states[word].init = system.terms.truth(false);
    system.states[word].next = after;
    Some((before, after))
}

/// A label as a condition on the state and the inputs of its step: words after the step are what
/// the step makes of them.
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

/// One goal of each of these orders such that `excludes` says of all pairs that they exclude each
/// other; goals that come late are tried first.
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
