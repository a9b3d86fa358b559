//! Families of nodes over a mode and a counter.

use super::Verdict;
use super::graphs::{Truth, false_claim, labels_in, labels_of, speaks_of};
use super::mutate::mutated;
use super::random::Random;
use super::system::{Step, System};
use checker::families::{Families, Family, FamilyEdge, Ranged};
use checker::graph::Label;

pub(crate) struct Case {
    system: System,
    truth: Truth,
    text: String,
}

pub(crate) fn make(random: &mut Random) -> Case {
    let mut system = System::random(&[("mode", 1), ("count", 2)], random, |state, random| {
        let (mode, count) = (state & 1, state >> 1);
        match random.below(4) {
            0 => mode | (((count + 1) % 4) << 1),
            1 => mode,
            2 => (1 - mode) | (count << 1),
            _ => random.index(8),
        }
    });
    // Counts that behave alike but for where they count to.
    if random.below(2) == 0 {
        for mode in 0..2 {
            let alike = system.steps[mode | 2].clone();
            let shifted = |&(to, labels): &Step| ((to & 1) | ((((to >> 1) + 1) % 4) << 1), labels);
            system.steps[mode | 4] = alike.iter().map(shifted).collect();
            system.end[mode | 4] = system.end[mode | 2];
            system.initial[mode | 4] = system.initial[mode | 2];
        }
    }
    let Some(truth) = Truth::of(&system, random) else { return make(random) };
    let labels = labels_in(&system).into_iter().map(|(goal, step)| Label { goal, step }).collect();
    let words = vec!["mode".to_owned(), "count".to_owned()];
    let mut families = Families { words, ranged: 1, labels, families: Vec::new() };
    for mode in 0..2 {
        let mut low = 0;
        while low < 4 {
            let mut family = of_node(&system, mode, low);
            while family.high < 3 && random.below(4) != 0 {
                let Some(wider) = widened(&family, &system, &families.labels) else { break };
                family = wider;
            }
            low = family.high + 1;
            families.families.push(family);
        }
    }
    Case { text: families.print(), truth, system }
}

fn of_node(system: &System, mode: u64, count: u64) -> Family {
    let state = (mode | count << 1) as usize;
    let edge = |&(to, set): &Step| FamilyEdge {
        values: vec![system.value(to, 0), 0],
        ranged: Ranged::Value(system.value(to, 1) as u64),
        labels: (0..32).filter(|label| set >> label & 1 == 1).collect(),
    };
    Family {
        values: vec![u128::from(mode), 0],
        low: count,
        high: count,
        initial: system.initial[state],
        end: system.end[state],
        edges: system.steps[state].iter().map(edge).collect(),
    }
}

/// The family with one more node, if its edges, to one value or by so many up or down, are those of
/// that node, too.
fn widened(family: &Family, system: &System, labels: &[Label]) -> Option<Family> {
    let by_shift = |edge: &FamilyEdge| match edge.ranged {
        Ranged::Value(value) => {
            FamilyEdge { ranged: Ranged::Shift(value as i64 - family.low as i64), ..edge.clone() }
        }
        Ranged::Shift(_) => edge.clone(),
    };
    let forms = [family.edges.clone(), family.edges.iter().map(by_shift).collect()];
    forms.into_iter().find_map(|edges| {
        let wider = Family { edges, high: family.high + 1, ..family.clone() };
        let in_range = |edge: &FamilyEdge| {
            (wider.low..=wider.high).all(|count| edge.ranged.after(count).is_some_and(|after| after < 4))
        };
        let begins = |&(state, _): &(usize, u64)| system.initial[state] == wider.initial;
        let begin_alike = states(&wider, 1, system).all(|place| begins(&place));
        (begin_alike && wider.edges.iter().all(in_range) && is_right(&wider, 1, system, labels))
            .then_some(wider)
    })
}

/// Whether no state of the family does anything else than it says.
fn is_right(family: &Family, ranged: usize, system: &System, labels: &[Label]) -> bool {
    states(family, ranged, system).all(|(state, before)| {
        let goes = |&step: &Step| {
            let has = labels_of(step, system, labels);
            family.edges.iter().any(|edge| {
                let is_value = |word: usize| match word == ranged {
                    true => edge.ranged.after(before).map(u128::from) == Some(system.value(step.0, word)),
                    false => edge.values[word] == system.value(step.0, word),
                };
                (0..2).all(is_value) && has.iter().all(|label| edge.labels.contains(label))
            })
        };
        (family.end || !system.end[state]) && system.steps[state].iter().all(goes)
    })
}

/// The states of a family, with the values of the ranged word.
fn states<'s>(
    family: &'s Family,
    ranged: usize,
    system: &'s System,
) -> impl Iterator<Item = (usize, u64)> + use<'s> {
    let is_in = move |&state: &usize| {
        (0..2).all(|word| match word == ranged {
            true => (u128::from(family.low)..=u128::from(family.high)).contains(&system.value(state, word)),
            false => family.values[word] == system.value(state, word),
        })
    };
    (0..system.states()).filter(is_in).map(move |state| (state, system.value(state, ranged) as u64))
}

pub(crate) fn attack(case: &Case, donor: &Case, as_it_is: bool, random: &mut Random) -> Verdict {
    let text = if as_it_is { case.text.clone() } else { mutated(&case.text, &donor.text, random) };
    let Ok(families) = Families::parse(&text) else { return Verdict::Rejected };
    let Case { system, truth, .. } = case;
    let nodes: Vec<_> = families.families.iter().map(|family| (&family.values[..], family.end)).collect();
    let ranged = families.ranged;
    let fits = speaks_of(system, (&families.words, &families.labels), &nodes)
        && families.families.iter().all(|family| family.high >> system.width(ranged) == 0);
    if !fits {
        return Verdict::Rejected;
    }
    let Ok(graph) = families.expand() else { return Verdict::Rejected };
    let begins = |state: usize| {
        let mut initial = families.families.iter().filter(|family| family.initial);
        initial.any(|family| states(family, ranged, system).any(|(known, _)| known == state))
    };
    let stands = (0..system.states()).all(|state| !system.initial[state] || begins(state))
        && families.families.iter().all(|family| is_right(family, ranged, system, &families.labels));
    if !stands {
        return Verdict::Rejected;
    }
    match false_claim(&graph, system, truth, random) {
        Some(what) => Verdict::False(format!("{what}\n{system:?}\n{text}")),
        None => Verdict::True,
    }
}
