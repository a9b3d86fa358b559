//! Random interfaces against enumeration of all values: depth of inconsistency, all conflicts,
//! lengths of chains, certainty, verdicts and explanations of logs.
//!
//! `CHAINCOVER_RANDOM_INTERFACES=5000 cargo test -p chaincover-contracts --test suite random::`
//! runs more of them, from `CHAINCOVER_RANDOM_SEED` on.

use crate::brute::{Random, Role, State};
use crate::support::read_text;
use contracts::adaptive::{Tree, least};
use contracts::check::check;
use contracts::judge;
use contracts::marks::Often;
use contracts::monitor::{Judged, Monitor};
use contracts::out_monitor::OutMonitor;
use contracts::runs::{Finder, Goals, Runs, grade};
use contracts::semantics::{Effort, Valuation, inputs_of};
use contracts::{Interface, Player};
use frontend::limit::Limit;
use harness::Verdict;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use spec::value::Value;
use std::collections::{BTreeMap, BTreeSet};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Calls `look` with random interfaces that the library accepts.
fn each(default: u64, look: impl FnMut(u64, &Random, &Interface)) {
    each_of(Random::new, default, look);
}

/// The same with interfaces that are made in some way.
fn each_of(make: fn(u64) -> Random, default: u64, mut look: impl FnMut(u64, &Random, &Interface)) {
    let first = setting("CHAINCOVER_RANDOM_SEED", 1);
    let mut accepted = 0;
    for seed in first..first + setting("CHAINCOVER_RANDOM_INTERFACES", default) {
        let random = make(seed);
        // What divides or cannot be true as it stands is refused; little of this is.
        if let Ok(document) = read_text(&random.text()) {
            accepted += 1;
            look(seed, &random, &document.interface);
        }
    }
    assert!(accepted * 10 > default * 5, "most random interfaces should be accepted");
}

#[test]
fn depths_and_conflicts() {
    let (mut consistent, mut deep, mut several) = (0, 0, 0);
    each(250, |seed, random, interface| {
        let found = check(interface, &mut Effort::default()).expect("a small interface");
        let (_, depth) = random.solve(&random.all());
        let text = random.text();
        assert_eq!(found.depth, depth, "seed {seed}\n{text}");
        let sets = |sets: &[Vec<usize>]| sets.iter().cloned().collect::<BTreeSet<_>>();
        if let Some(depth) = depth {
            assert_eq!(sets(&found.conflicts.sets), random.conflicts(Some(depth)), "seed {seed}\n{text}");
            assert_eq!(sets(&found.any_depth.sets), random.conflicts(None), "seed {seed}\n{text}");
            assert_eq!(sets(&found.any_depth.repairs), random.repairs(), "seed {seed}\n{text}");
            deep += usize::from(depth > 0);
            several += usize::from(found.any_depth.sets.len() > 1);
        } else {
            consistent += 1;
        }
    });
    assert!(consistent > 20 && deep > 20 && several > 5, "{consistent} {deep} {several}");
}

/// What `check` says of requirements without effect, against enumeration of all that a system can
/// come to.
#[test]
fn requirements_that_never_decide() {
    let (mut never, mut deciding) = (0, 0);
    for make in [Random::new, Random::restricted] {
        each_of(make, 200, |seed, random, interface| {
            let found = check(interface, &mut Effort::default()).expect("a small interface");
            if !found.is_consistent() {
                return;
            }
            let text = random.text();
            assert!(found.unknown_effect.is_empty(), "seed {seed}\n{text}");
            let lists = [&found.void, &found.implied, &found.never_deciding];
            let without: BTreeSet<usize> = lists.into_iter().flatten().copied().collect();
            let decide = random.ever_deciding();
            let expected: BTreeSet<usize> = random.all().difference(&decide).copied().collect();
            assert_eq!(without, expected, "seed {seed} {lists:?}\n{text}");
            never += found.never_deciding.len();
            deciding += decide.len();
        });
    }
    assert!(never > 5 && deciding > 50, "{never} {deciding}");
}

#[test]
fn inputs_that_do_not_occur_contradict_nothing() {
    let mut freed = 0;
    each_of(Random::restricted, 120, |seed, random, interface| {
        let found = check(interface, &mut Effort::default()).expect("a small interface");
        let depth = random.solve(&random.all()).1;
        assert_eq!(found.depth, depth, "seed {seed}\n{}", random.text());
        let free = Random::new(seed).solve(&random.all()).1;
        freed += usize::from(free != depth);
    });
    assert!(freed > 5, "{freed}");
}

#[test]
fn lengths_of_chains_and_certainty() {
    lengths(Random::new);
}

#[test]
fn lengths_of_chains_without_idle_steps() {
    lengths(|seed| Random { no_idle: true, ..Random::new(seed) });
}

#[test]
fn lengths_of_chains_where_inputs_depend_on_outputs() {
    lengths(Random::restricted);
}

/// Inputs that are called certain for goals: whatever is answered, the verdict is no other than
/// that the goals are met, or that the system has failed.
#[test]
fn certain_chains_never_end_inconclusively() {
    const MOST: usize = 4;
    let (mut certain, mut doomed, mut hidden) = (0, 0, 0);
    each_of(Random::restricted, 250, |seed, random, interface| {
        if random.solve(&random.all()).1.is_some() {
            return;
        }
        let lost = contracts::lost(interface, &mut Effort::default()).expect("a small interface");
        let runs = Runs::new(interface, lost.iter().filter(|lost| lost.is_seen));
        hidden += usize::from(lost.iter().any(|lost| !lost.is_seen && !lost.positions.is_empty()));
        for name in interface.goals() {
            let goals = Goals::new(interface, [name]).expect("one goal");
            let found = (1..=MOST).find_map(|length| {
                let mut finder = Finder::new(&runs, &goals, true);
                finder.first(length, &mut Effort::default()).expect("few runs")
            });
            let Some(inputs) = found else { continue };
            certain += 1;
            let given: Vec<State> = inputs.iter().map(|now| plain(random, now)).collect();
            for log in random.logs(&given).into_iter().take(200) {
                let observed: Vec<Valuation> = log.iter().map(|state| seen(random, state)).collect();
                let report = judge::monitor(interface, &observed, &[name.to_owned()], &Limit::default());
                let context = format!("seed {seed} {name} {log:?} {report:?}\n{}", random.text());
                assert_ne!(report.verdict, Verdict::Inconclusive, "{context}");
                if report.verdict == Verdict::Fail {
                    let until = usize::try_from(report.step.expect("a step")).expect("few steps");
                    assert_eq!(report.rule.as_deref(), Some("DOOMED"), "{context}");
                    assert!(random.is_doomed(&log[..=until], 6), "{context}");
                    doomed += 1;
                }
            }
        }
    });
    assert!(certain > 20 && doomed > 20 && hidden > 2, "{certain} {doomed} {hidden}");
}

/// What may be observed under given inputs, against all sequences of outputs: which are allowed,
/// and that no automaton with fewer states says the same.
#[test]
fn what_may_be_observed() {
    let (mut products, mut others, mut merged) = (0, 0, 0);
    each(250, |seed, random, interface| {
        let runs = Runs::new(interface, &[]);
        let mut chance = StdRng::seed_from_u64(seed);
        let all = random.inputs();
        let inputs: Vec<State> = (0..3).map(|_| all[chance.random_range(0..all.len())].clone()).collect();
        let given: Vec<Valuation> =
            inputs.iter().map(|state| inputs_of(interface, &seen(random, state))).collect();
        let automaton = OutMonitor::new(&runs, &given, &mut Effort::default()).expect("few states");
        let context = format!("seed {seed} {inputs:?} {automaton:?}\n{}", random.text());
        let outputs = |state: &State| only_outputs(random, &seen(random, state));
        // For each step the futures of what may be observed before it.
        let mut futures: Vec<BTreeSet<BTreeSet<Vec<State>>>> = vec![BTreeSet::new(); inputs.len() + 1];
        let possible = all_sequences(random, &inputs);
        let prefixes: BTreeSet<Vec<State>> =
            (0..=inputs.len()).flat_map(|length| random.logs(&inputs[..length])).collect();
        for length in 0..=inputs.len() {
            for log in possible.iter().map(|log| log[..length].to_vec()).collect::<BTreeSet<_>>() {
                let plain: Vec<Valuation> = log.iter().map(outputs).collect();
                assert_eq!(automaton.allows(&plain), prefixes.contains(&log), "{log:?} {context}");
            }
            for log in prefixes.iter().filter(|log| log.len() == length) {
                let behind = prefixes.iter().filter(|other| other.starts_with(log));
                futures[length].insert(behind.map(|other| other[length..].to_vec()).collect());
            }
        }
        let counts: Vec<usize> = (0..futures.len())
            .map(|step| automaton.states.iter().filter(|state| state.step == step).count())
            .collect();
        assert_eq!(counts, futures.iter().map(BTreeSet::len).collect::<Vec<_>>(), "{context}");
        products += usize::from(automaton.is_product());
        others += usize::from(!automaton.is_product());
        merged += usize::from(prefixes.len() > automaton.states.len());
    });
    assert!(products > 50 && others > 20 && merged > 50, "{products} {others} {merged}");
}

/// All sequences of outputs under given inputs, allowed or not.
fn all_sequences(random: &Random, inputs: &[State]) -> Vec<Vec<State>> {
    let mut found = vec![Vec::new()];
    for given in inputs {
        let now = random.completions(given, &[Role::Output]);
        let longer = found.iter().flat_map(|log: &Vec<State>| {
            now.iter().map(|state| log.iter().chain([state]).cloned().collect::<Vec<_>>())
        });
        found = longer.collect();
    }
    found
}

/// The outputs of a step.
fn only_outputs(random: &Random, now: &Valuation) -> Valuation {
    let roles = random.variables.iter().map(|(role, _)| *role);
    now.iter().zip(roles).map(|(value, role)| value.clone().filter(|_| role == Role::Output)).collect()
}

fn lengths(make: fn(u64) -> Random) {
    const MOST: usize = 5;
    let (mut certain, mut possible) = (0, 0);
    each_of(make, 160, |seed, random, interface| {
        if random.solve(&random.all()).1.is_some() {
            return;
        }
        let text = random.text();
        let runs = Runs::new(
            interface,
            &contracts::lost(interface, &mut Effort::default()).expect("a small interface"),
        )
        .without_idle_steps(random.no_idle);
        let names = numbered(random, interface);
        // One goal at a time, and those together that can be met alone.
        let mut wanted: Vec<BTreeSet<usize>> = names.keys().map(|&goal| BTreeSet::from([goal])).collect();
        let alone = wanted.iter().filter(|goal| random.shortest(goal, MOST).is_some()).flatten().copied();
        wanted.push(alone.collect());
        for goals in wanted.iter().filter(|goals| !goals.is_empty()) {
            let expected = random.shortest(goals, MOST);
            let chosen = Goals::new(interface, goals.iter().map(|goal| &*names[goal])).expect("few goals");
            let mut effort = Effort::default();
            let mut first = |is_certain: bool| {
                (1..=MOST).find_map(|length| {
                    let mut finder = Finder::new(&runs, &chosen, is_certain);
                    finder.first(length, &mut effort).expect("few runs")
                })
            };
            let found = first(false);
            assert_eq!(found.as_ref().map(Vec::len), expected, "seed {seed} {goals:?}\n{text}");
            let Some(inputs) = found else { continue };
            let brute: Vec<State> = inputs.iter().map(|now| plain(random, now)).collect();
            let graded = grade(&runs, &chosen, &inputs, &mut Effort::default()).expect("few runs");
            assert_eq!(graded.is_certain, random.is_certain(goals, &brute), "seed {seed} {goals:?}\n{text}");
            if let Some(inputs) = first(true) {
                let brute: Vec<State> = inputs.iter().map(|now| plain(random, now)).collect();
                assert!(random.is_certain(goals, &brute), "seed {seed} {goals:?}\n{text}");
                certain += 1;
            } else {
                assert!(!graded.is_certain, "seed {seed} {goals:?}\n{text}");
                possible += 1;
            }
        }
    });
    assert!(certain > 20 && possible > 5, "{certain} {possible}");
}

/// The worst case of adaptive tests is the least, and runs of the interface pass them.
#[test]
fn worst_cases_of_adaptive_tests() {
    worst_cases(Random::new, 100);
}

/// Likewise where no step is idle; such tests are longer, or there are none.
#[test]
fn worst_cases_of_adaptive_tests_without_idle_steps() {
    worst_cases(|seed| Random { no_idle: true, ..Random::new(seed) }, 100);
}

/// Likewise where inputs depend on what was answered.
#[test]
fn worst_cases_of_adaptive_tests_where_inputs_depend_on_outputs() {
    worst_cases(Random::restricted, 500);
}

fn worst_cases(make: fn(u64) -> Random, number: u64) {
    const MOST: usize = 3;
    let (mut longer, mut none) = (0, 0);
    each_of(make, number, |seed, random, interface| {
        if random.solve(&random.all()).1.is_some() {
            return;
        }
        let lost = contracts::lost(interface, &mut Effort::default()).expect("a small interface");
        let runs = Runs::new(interface, &lost).without_idle_steps(random.no_idle);
        let names = numbered(random, interface);
        let alone = names.keys().map(|&goal| BTreeSet::from([goal]));
        for goals in alone.chain([names.keys().copied().collect()]) {
            let chosen = goals.iter().map(|goal| &*names[goal]);
            let chosen = Goals::new(interface, chosen).expect("few goals");
            let found = least(&runs, &chosen, &mut Effort::default()).expect("few beliefs");
            let worst = found.as_ref().map(Tree::worst);
            let expected = random.adaptive(&goals, MOST);
            let text = random.text();
            assert_eq!(worst.filter(|&worst| worst <= MOST), expected, "seed {seed} {goals:?}\n{text}");
            longer += usize::from(worst.is_some() && worst != random.shortest(&goals, MOST));
            none += usize::from(worst.is_none());
            let Some(tree) = found else { continue };
            let goals: Vec<String> = goals.iter().map(|goal| names[goal].clone()).collect();
            let mut player = Player::new(interface, &lost, seed);
            let report = judge::run_tree(interface, &tree, &goals, &mut player, &Limit::default()).report;
            // What is seen may fit runs into a dead end, too, which meet nothing.
            let is_lost = lost.iter().any(|lost| !lost.positions.is_empty());
            assert!(report.verdict == Verdict::Pass || is_lost, "seed {seed} {goals:?} {report:?}\n{text}");
            assert_ne!(report.verdict, Verdict::Fail, "seed {seed} {goals:?}\n{text}");
        }
    });
    assert!(longer > 2 && none > 10, "{longer} {none}");
}

/// The names of goals by their numbers in the enumeration: triggers, purposes and deciding steps.
fn numbered(random: &Random, interface: &Interface) -> BTreeMap<usize, String> {
    let usual = interface.goals().map(str::to_owned).enumerate();
    let first = interface.goals().count() + random.branches().len();
    let requirements = interface.requirements.iter().enumerate();
    let deciding = requirements.map(|(index, one)| (first + index, format!("{}#deciding", one.name)));
    usual.chain(deciding).collect()
}

/// Known values, with 0 for what is unknown.
fn plain(random: &Random, now: &Valuation) -> State {
    let value = |value: &Option<Value>| match value {
        Some(Value::Integer(value)) => i64::try_from(*value).expect("a small number"),
        _ => 0,
    };
    (0..random.variables.len()).map(|index| value(&now[index])).collect()
}

#[test]
fn verdicts_and_explanations() {
    let (mut failed, mut late) = (0, 0);
    each(300, |seed, random, interface| {
        let mut chance = StdRng::seed_from_u64(seed);
        for _ in 0..6 {
            let log = random.log(&mut chance);
            let expected = random.judge(&log);
            let none: [&str; 0] = [];
            let mut monitor = Monitor::new(interface, Goals::first(interface, none), seed.is_multiple_of(2));
            let mut found = None;
            for state in &log {
                let observed = seen(random, state);
                let judged = monitor.observe(&observed, &mut Effort::default()).expect("few hidden values");
                if let Judged::Forbidden(forbidden) = judged {
                    let sets = forbidden.explanations.iter().map(|one| one.violated.clone());
                    found = Some((forbidden.step as usize, sets.collect::<BTreeSet<_>>()));
                    break;
                }
            }
            let text = random.text();
            // Explanations have at most 4 members.
            let expected = expected.map(|(step, sets)| {
                (step, sets.into_iter().filter(|set| set.len() <= 4).collect::<BTreeSet<_>>())
            });
            assert_eq!(found, expected, "seed {seed} {log:?}\n{text}");
            failed += usize::from(found.is_some());
            late += usize::from(found.is_some_and(|(step, _)| step > 0));
        }
    });
    assert!(failed > 200 && late > 100, "{failed} {late}");
}

/// What each requirement says of each step of a log.
#[test]
fn marks_of_logs() {
    let (mut sometimes, mut deciding, mut broken) = (0, 0, 0);
    each(150, |seed, random, interface| {
        let mut chance = StdRng::seed_from_u64(seed);
        for _ in 0..4 {
            let log = random.log(&mut chance);
            let expected = random.marks(&log);
            let observed: Vec<Valuation> = log.iter().map(|state| seen(random, state)).collect();
            let story = judge::story(interface, &observed, &Limit::default());
            let context = format!("seed {seed} {log:?}\n{}", random.text());
            assert_eq!(story.len(), expected.len(), "{context}");
            let blamed = random.judge(&log).map(|(_, sets)| sets).unwrap_or_default();
            // Explanations have at most 4 members.
            let blamed: BTreeSet<usize> = blamed.into_iter().filter(|set| set.len() <= 4).flatten().collect();
            for (step, (found, expected)) in story.iter().zip(&expected).enumerate() {
                let is_last = step + 1 == story.len();
                for (index, (mark, &(triggered, all, decides))) in
                    found.marks.iter().zip(expected).enumerate()
                {
                    let often = match triggered {
                        0 => Often::Never,
                        triggered if triggered == all => Often::Always,
                        _ => Often::Sometimes,
                    };
                    let decides = Some(decides);
                    assert_eq!(
                        (mark.triggered, mark.deciding),
                        (often, decides),
                        "step {step} r{index} {context}"
                    );
                    assert_eq!(
                        mark.broken,
                        is_last && blamed.contains(&index),
                        "step {step} r{index} {context}"
                    );
                    sometimes += usize::from(often == Often::Sometimes);
                    deciding += usize::from(decides == Some(true));
                    broken += usize::from(mark.broken);
                }
            }
        }
    });
    assert!(sometimes > 20 && deciding > 100 && broken > 100, "{sometimes} {deciding} {broken}");
}

/// What is seen of a state.
fn seen(random: &Random, state: &State) -> Valuation {
    let variables = random.variables.iter().zip(state);
    variables
        .map(|((role, _), &value)| (*role != Role::Hidden).then(|| Value::Integer(value.into())))
        .collect()
}

/// Where outputs are not seen, a run fails if and only if it does whatever they were: also where
/// they decide whether inputs occur, behind which nothing is required.
#[test]
fn verdicts_where_outputs_are_not_seen() {
    let (mut failed, mut open) = (0, 0);
    each_of(Random::restricted, 400, |seed, random, interface| {
        let outputs = (0..random.variables.len()).filter(|&index| random.variables[index].0 == Role::Output);
        let mut chance = StdRng::seed_from_u64(seed);
        let unseen: Vec<usize> = outputs.filter(|_| chance.random_bool(0.6)).collect();
        for _ in 0..4 {
            let log: Vec<State> = random.log(&mut chance).into_iter().take(3).collect();
            let all = random.completed(&log, &unseen);
            let failing = all.iter().filter(|log| random.fails(log)).count();
            let observed = log.iter().map(|state| {
                let mut observed = seen(random, state);
                unseen.iter().for_each(|&variable| observed[variable] = None);
                observed
            });
            let observed: Vec<Valuation> = observed.collect();
            let report = judge::monitor(interface, &observed, &[], &Limit::default());
            if report.rule.as_deref() == Some("DOOMED") {
                continue;
            }
            let context = format!("seed {seed} {unseen:?} {log:?} {report:?}\n{}", random.text());
            assert_eq!(report.verdict == Verdict::Fail, failing == all.len(), "{context}");
            failed += usize::from(failing == all.len());
            open += usize::from(failing > 0 && failing < all.len());
        }
    });
    assert!(failed > 50 && open > 50, "{failed} {open}");
}

/// Where the solver is installed, it agrees about k-consistency.
#[test]
fn a_solver_agrees() {
    use std::process::{Command, Stdio};
    let is_there = Command::new("z3").arg("-version").stdout(Stdio::null()).status().is_ok();
    if !is_there {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("question.smt2");
    each(25, |seed, random, interface| {
        let (_, depth) = random.solve(&random.all());
        for k in 0..2 {
            let text = contracts::smt::consistency(interface, k).expect("a text");
            std::fs::write(&path, &text).expect("a file");
            let output = Command::new("z3").arg("-T:20").arg(&path).output().expect("z3 should start");
            let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            let expected = if depth.is_some_and(|depth| depth <= k as usize) { "unsat" } else { "sat" };
            assert!(
                said == expected || said == "unknown" || said == "timeout",
                "seed {seed}, k {k}: {said}\n{text}\n{}",
                random.text()
            );
        }
    });
}
