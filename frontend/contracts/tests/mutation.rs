//! Mutants: which of them are revealed, and inputs that do.

use crate::brute::{Random, Role, State};
use crate::support::{BUFFER, document, read_text};
use contracts::Player;
use contracts::judge::{Test, run};
use contracts::mutation::{Verdict, difference, interface, mutants, reveal};
use contracts::semantics::Effort;
use frontend::limit::Limit;
use harness::Verdict as Judged;
use std::collections::BTreeSet;

#[test]
fn chains_reveal_the_mutants_of_the_buffer() {
    let document = document(BUFFER);
    let mutants = mutants(&document, &Limit::default());
    let found = reveal(&document, &mutants, &Effort::default());
    let of = |verdict| found.verdicts.iter().filter(|one| **one == verdict).count();
    assert!(mutants.len() > 60 && of(Verdict::Killed) > 40, "{} {}", mutants.len(), of(Verdict::Killed));
    assert_eq!(of(Verdict::Undecided), 0);
    let tests = found.chains.iter().map(|inputs| Test { steps: inputs.clone(), goals: Vec::new() });
    let tests: Vec<Test> = tests.collect();
    let judged = |index: usize, seed: u64| {
        let mutated = interface(&document, &mutants[index]).expect("a mutant that was judged");
        let mut player = Player::new(&mutated, &[], seed);
        let verdicts: Vec<Judged> = tests
            .iter()
            .map(|test| run(&document.interface, test, &mut player, None, &Default::default()).report.verdict)
            .collect();
        verdicts
    };
    for (index, mutant) in mutants.iter().enumerate() {
        let is_killed = found.verdicts[index] == Verdict::Killed;
        assert_eq!(
            found.revealed[index].is_some(),
            is_killed,
            "{}: {} -> {}",
            mutant.id,
            mutant.old,
            mutant.new
        );
        for seed in 0..3 {
            let verdicts = judged(index, seed);
            let failed = verdicts.contains(&Judged::Fail);
            let name = format!("{} {} -> {} {verdicts:?}", mutant.id, mutant.old, mutant.new);
            assert!(!failed || is_killed, "{name}");
            // A mutant that gives no answer ends its run without a verdict.
            let ended = verdicts.contains(&Judged::Error);
            assert!(failed || ended || !found.surely[index], "{name}");
        }
    }
}

#[test]
fn operators_and_places() {
    let text = "input a : 0..3\noutput b : bool\nreq x always assume a' < 2 and a' > 0 guarantee b'";
    let document = document(text);
    let shown: BTreeSet<String> = mutants(&document, &Limit::default())
        .iter()
        .map(|one| format!("{}: {} -> {}", one.operator, one.old, one.new))
        .collect();
    for expected in [
        "relation: a' < 2 -> a' <= 2",
        "constant: 2 -> 3",
        "constant: 2 -> 1",
        "negation: a' < 2 -> not (a' < 2)",
        "negation: b' -> not b'",
        "drop conjunct: a' < 2 and a' > 0 -> a' > 0",
        "operator: a' < 2 and a' > 0 -> a' < 2 or a' > 0",
        "drop contract: always assume a' < 2 and a' > 0 guarantee b' -> ",
    ] {
        assert!(shown.contains(expected), "{expected} in {shown:#?}");
    }
    // `always` speaks of step 0, so primes cannot be left out.
    assert!(!shown.iter().any(|one| one.starts_with("prime")), "{shown:#?}");
}

/// The least number of steps in which `other` may show what `original` forbids.
fn shortest(original: &Random, other: &Random) -> Option<usize> {
    let mut seen: BTreeSet<(BTreeSet<Option<State>>, Option<State>)> = BTreeSet::new();
    let mut layer = vec![(BTreeSet::from([None]), None)];
    for length in 1.. {
        let mut next = Vec::new();
        for (belief, before) in &layer {
            for now in other.inputs().iter().flat_map(|inputs| other.answers(inputs)) {
                if !other.allows(&other.all(), before.as_ref(), &now) {
                    continue;
                }
                let behind: BTreeSet<Option<State>> = belief
                    .iter()
                    .flat_map(|before| {
                        let fits =
                            move |state: &State| original.allows(&original.all(), before.as_ref(), state);
                        original.completions(&now, &[Role::Hidden]).into_iter().filter(fits)
                    })
                    .map(Some)
                    .collect();
                if behind.is_empty() {
                    return Some(length);
                }
                let node = (behind, Some(now));
                if seen.insert(node.clone()) {
                    next.push(node);
                }
            }
        }
        if next.is_empty() {
            return None;
        }
        layer = next;
    }
    None
}

#[test]
fn shortest_differences_of_random_interfaces() {
    let (mut same, mut late) = (0, 0);
    for seed in 1..=400 {
        let original = Random::new(seed);
        // The other interface lacks some requirements, or has those of others.
        let mut other = original.clone();
        other.requirements.remove(0);
        if seed % 2 == 0 {
            let more = Random::new(seed + 7777);
            if more.variables == original.variables {
                other.requirements = more.requirements;
            }
        }
        if other.requirements.is_empty() {
            continue;
        }
        let texts = (read_text(&original.text()), read_text(&other.text()));
        let (Ok(first), Ok(second)) = texts else { continue };
        let found =
            difference(&first.interface, &second.interface, &mut Effort::default()).expect("few runs");
        let expected = shortest(&original, &other);
        assert_eq!(
            found.map(|steps| steps.len()),
            expected,
            "seed {seed}\n{}\n{}",
            original.text(),
            other.text()
        );
        same += usize::from(expected.is_none());
        late += usize::from(expected.is_some_and(|length| length > 1));
    }
    assert!(same > 20 && late > 20, "{same} {late}");
}
