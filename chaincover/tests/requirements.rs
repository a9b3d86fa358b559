//! Chains of random requirement interfaces by the search, against enumeration of all values.

use crate::brute::{Random, Role, State, Truth};
use chaincover::requirements::{Consistency, consistency, consistency_after, read_interface, refine};
use chaincover::{
    GoalStatus, Known, Limit, Minimality, MonitorNames, Options, Settings, Silent, Verdict, explain,
    find_chains, oracle, read, verdicts,
};
use contracts::check::check;
use contracts::semantics::Effort;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// Steps up to which chains are compared.
const MOST: usize = 7;

/// The buffer of the example with a million places, empty or nearly full at the start.
#[test]
fn interfaces_that_are_too_large_to_enumerate() {
    let text = include_str!("../../examples/buffer.ri");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("buffer.ri");
    for (old, new) in [("N = 2", "N = 3"), ("k' = 0 and E'", "k' = N - 2 and not E'")] {
        let faulty = text.replacen(old, new, 1);
        assert_ne!(faulty, text, "{old}");
        std::fs::write(&path, &faulty).expect("a file");
        let document =
            read_interface(std::slice::from_ref(&path), &["N=1000000".to_owned()]).expect("an interface");
        let found =
            consistency_after(&document.interface, [10_000, 0], &Limit::default()).expect("a decision");
        // The part with the counter is not enumerated: the positions next to the start show all.
        let unknown = [found.unknown_void, found.unknown_effect].concat();
        assert_eq!((found.depth, unknown), (None, vec![]), "{old} -> {new}");
        assert_eq!((found.has_lost_positions, found.has_dead_end), (Some(false), Some(false)));
    }
}

/// What each step guarantees of remembered values tells which positions there are: `y` is always a
/// sixteenth of `acc`, which no set of bits says.
#[test]
fn guarantees_tell_positions() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("filter.ri");
    let text = "input x : 0..1023  output y : 0..1023  hidden acc : 0..16383
        req f0 initially guarantee acc' = 0 and y' = 0
        req f1 guarantee acc' = acc + x' - y
        req f2 guarantee y' = acc' div 16
        req f3 guarantee y' <= y + 64";
    std::fs::write(&path, text).expect("a file");
    let document = read_interface(std::slice::from_ref(&path), &[]).expect("an interface");
    let found = consistency_after(&document.interface, [0, 0], &Limit::default()).expect("a decision");
    assert_eq!((found.depth, found.has_lost_positions), (None, Some(false)));
}

/// What requirements do where inputs and answers are too many to be tried, told by queries: `odd`
/// never applies, since `k` stays even; `weak` is implied by `above`; `dead` would break at `n = 3`
/// only, which a system has to avoid.
#[test]
fn effects_are_told_without_enumeration() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("wide.ri");
    let text = "input a : 0..1000000  output x : 0..1000000  output n : 0..5  hidden k : 0..1000000
        req start initially guarantee k' = 0 and n' = 0 and x' >= a'
        req twice assume k < 999990 guarantee k' = k + 2  assume k >= 999990 guarantee k' = 0
        req odd assume k = 3 guarantee x' = 5
        req above guarantee x' >= a' and (n' < 5 or k' != x')
        req weak guarantee x' + 1 >= a'
        req dead guarantee n != 3 or n' > 5";
    std::fs::write(&path, text).expect("a file");
    let document = read_interface(std::slice::from_ref(&path), &[]).expect("an interface");
    let found = consistency_after(&document.interface, [0, 0], &Limit::default()).expect("a decision");
    let expected: [&[usize]; 3] = [&[2], &[4], &[5]];
    assert_eq!(effects(&found), (expected, [Some(true), Some(false), Some(false)]));
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What is said of requirements that can be met.
fn effects(found: &Consistency) -> ([&[usize]; 3], [Option<bool>; 3]) {
    let Consistency { has_lost_positions, has_no_inputs, has_dead_end, .. } = found;
    assert!(found.unknown_void.is_empty() && found.unknown_effect.is_empty());
    let lists = [&*found.void, &found.implied, &found.never_deciding];
    (lists, [*has_lost_positions, *has_no_inputs, *has_dead_end])
}

/// Two solvers that refute each other, against enumeration of all values: depths and all conflicts.
#[test]
fn games_are_decided_as_by_enumeration() {
    let (mut consistent, mut deep, mut doomed) = (0, 0, 0);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let first = setting("CHAINCOVER_RANDOM_SEED", 1);
    for seed in first..first + setting("CHAINCOVER_RANDOM_INTERFACES", 300) {
        let random = if seed % 3 == 0 { Random::restricted(seed) } else { Random::new(seed) };
        let path = folder.path().join("random.ri");
        std::fs::write(&path, random.text()).expect("a file");
        let Ok(document) = read_interface(std::slice::from_ref(&path), &[]) else { continue };
        let context = format!("seed {seed}\n{}", random.text());
        let found = consistency_after(&document.interface, [0, 1_000_000], &Limit::default())
            .unwrap_or_else(|error| panic!("{error}\n{context}"));
        let (_, depth) = random.solve(&random.all());
        assert_eq!(found.depth, depth, "{context}");
        match depth {
            None => {
                let by_values = check(&document.interface, &mut Effort::default()).expect("a decision");
                doomed += usize::from(found.has_lost_positions == Some(true));
                assert_eq!(effects(&found), effects(&by_values), "{context}");
                let (lists, _) = effects(&found);
                let decide: BTreeSet<usize> = random
                    .all()
                    .into_iter()
                    .filter(|one| !lists.iter().any(|list| list.contains(one)))
                    .collect();
                assert_eq!(decide, random.ever_deciding(), "{context}");
                consistent += 1;
            }
            Some(depth) => {
                let sets = |sets: &[Vec<usize>]| sets.iter().cloned().collect::<BTreeSet<_>>();
                assert_eq!(sets(&found.conflicts.sets), random.conflicts(Some(depth)), "{context}");
                assert_eq!(sets(&found.any_depth.sets), random.conflicts(None), "{context}");
                assert_eq!(sets(&found.any_depth.repairs), random.repairs(), "{context}");
                // The reference interpreter has accepted the play.
                let play = found.refutation.unwrap_or_else(|| panic!("no play\n{context}"));
                assert_eq!(play.inputs.len(), depth + 1, "{context}");
                deep += usize::from(depth > 0);
            }
        }
    }
    assert!(consistent > 20 && deep > 10 && doomed > 5, "{consistent} {deep} {doomed}");
}

/// Guarantees that are sums, bounds or some values, of two numbers and a third one below 0, too.
fn arithmetic(random: &mut StdRng) -> String {
    let mut text = "input a, b : 0..3  input c : bool  output x, y : 0..3  hidden z : -2..2\n".to_owned();
    let templates = [
        "x' + y' = a' + K",
        "y' - x' <= b' - K",
        "2 * z' = x' - a'",
        "x' = a' or x' = y' or x' = K",
        "a' > K -> y' + z' >= x",
        "if c' then z' < x' else z' = 1 - x'",
        "not (x' = y' and z' > a')",
        "y' in {K, 3}",
        "3 - min(x', y') <= b' + K",
        "z' + x' = z + K",
        "not (x' < b' or y' > K)",
        "x' - 2 * y' + z' <= K and y' >= z'",
    ];
    for number in 0..random.random_range(2..=5) {
        let mut guarantee = templates[random.random_range(0..templates.len())].to_owned();
        guarantee = guarantee.replace('K', &random.random_range(0..3).to_string());
        if random.random_bool(0.5) {
            guarantee = guarantee.replace('x', "w").replace('y', "x").replace('w', "y");
        }
        let assumed = ["", "assume c'", "assume x > a'", "assume y = z"][random.random_range(0..4)];
        let initial = ["", "initially guarantee x' = y' - z' "][random.random_range(0..2)];
        let _ = writeln!(text, "req r{number} {initial} {assumed} guarantee {guarantee}");
    }
    text
}

/// Games narrow their answers by what guarantees say; enumeration does not.
#[test]
fn narrowed_answers_are_those_of_enumeration() {
    let (mut consistent, mut late) = (0, 0);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("random.ri");
    let first = setting("CHAINCOVER_RANDOM_SEED", 1);
    for seed in first..first + setting("CHAINCOVER_RANDOM_INTERFACES", 30) {
        let text = arithmetic(&mut StdRng::seed_from_u64(seed));
        std::fs::write(&path, &text).expect("a file");
        let document = read_interface(std::slice::from_ref(&path), &[]).expect("an interface");
        let [by_games, by_values] = [0, 1_000_000].map(|values| {
            let found = consistency_after(&document.interface, [values, 0], &Limit::default());
            let found = found.unwrap_or_else(|error| panic!("{error}\nseed {seed}\n{text}"));
            (found.depth, found.conflicts.sets, found.any_depth.sets)
        });
        assert_eq!(by_games, by_values, "seed {seed}\n{text}");
        consistent += usize::from(by_games.0.is_none());
        late += usize::from(by_games.0.is_some_and(|depth| depth > 0));
    }
    assert!(consistent > 5 && late > 2, "{consistent} {late}");
}

/// A number that a sum determines, one between two others, and one of two values: what each of a
/// thousand numbers would take a move for is one move.
#[test]
fn games_of_wide_numbers_take_few_moves() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("wide.ri");
    let declared = "input a, c : 0..1000  output x, y : 0..1000  hidden h : 0..500\n";
    for (text, depth) in [
        ("req s always guarantee y' + x' = a'  req t always guarantee x' <= 300 and y' <= 900", None),
        ("req s always guarantee y' + x' = a'  req t always guarantee x' <= 300 and y' <= 600", Some(0)),
        ("req s always guarantee x' <= a' and a' - 3 <= x' req t guarantee y' - x' = y - a'", None),
        (
            "req s initially guarantee x' = 0 assume c' > x guarantee x' > x and x' <= x + 5 and x' <= c'  req t guarantee x' + y' = x + a'",
            Some(1),
        ),
        ("req s guarantee x' = min(a', c') or x' = max(a', c')  req t guarantee x' >= a'", None),
        ("req s always guarantee x' - 2 * h' = 0  req t always guarantee a' - 1 <= x' <= a'", None),
        ("req s always guarantee x' - 2 * h' = 0  req t always guarantee x' = a'", Some(0)),
    ] {
        std::fs::write(&path, format!("{declared}{text}")).expect("a file");
        let document = read_interface(std::slice::from_ref(&path), &[]).expect("an interface");
        let found = consistency_after(&document.interface, [0, 0], &Limit::default());
        assert_eq!(found.map(|found| found.depth), Ok(depth), "{text}");
    }
}

#[test]
fn lengths_are_those_of_enumeration() {
    let first = setting("CHAINCOVER_RANDOM_SEED", 1);
    let (mut covered, mut branches, mut deciding, mut long, mut unreachable) = (0, 0, 0, 0, 0);
    let folder = tempfile::tempdir().expect("a temporary folder");
    for seed in first..first + setting("CHAINCOVER_RANDOM_INTERFACES", 60) {
        let random = Random::new(seed);
        let path = folder.path().join("random.ri");
        std::fs::write(&path, random.text()).expect("a file");
        let Ok(document) = read_interface(std::slice::from_ref(&path), &[]) else { continue };
        let is_consistent = random.solve(&random.all()).1.is_none();
        let found = consistency(&document.interface, &Limit::default()).expect("a small interface");
        assert_eq!(found.is_consistent(), is_consistent, "seed {seed}\n{}", random.text());
        let mut names: Vec<String> = document.interface.goals().map(str::to_owned).collect();
        let kind = ["branches".to_owned()];
        let all = contracts::goals::wanted(&document.interface, &kind, None).expect("a kind");
        // A requirement that applies for one reason alone is its own branch.
        names.extend(all.into_iter().map(|goal| goal.name).filter(|name| name.contains('#')));
        let usual = document.interface.goals().count();
        assert_eq!(names.len() - usual, random.branches().len());
        let first_deciding = names.len();
        names.extend((0..random.requirements.len()).map(|index| format!("r{index}#deciding")));
        for (goal, name) in names.iter().enumerate() {
            let settings = Settings { goals: vec![PathBuf::from(name)], ..Settings::default() };
            let context = format!("seed {seed} {name}\n{}", random.text());
            let model = match read([&path], &settings) {
                Ok(model) => model,
                Err(error) => {
                    assert!(!is_consistent, "{error}\n{context}");
                    continue;
                }
            };
            assert!(is_consistent, "{context}");
            let mut outcome = find_chains(&model, &Options::default(), &Silent)
                .unwrap_or_else(|error| panic!("{error}\n{context}"));
            let answers = refine(&model, &mut outcome, &Limit::default());
            answers.unwrap_or_else(|error| panic!("{error}\n{context}"));
            match random.shortest(&BTreeSet::from([goal]), MOST) {
                Some(expected) => {
                    assert_eq!(
                        (outcome.length(), outcome.minimal),
                        (expected as u64, Minimality::Proven),
                        "{context}"
                    );
                    covered += 1;
                    branches += usize::from((usual..first_deciding).contains(&goal));
                    deciding += usize::from(goal >= first_deciding && expected > 1);
                    long += usize::from(expected > 1);
                }
                None => {
                    let statuses: Vec<&GoalStatus> =
                        outcome.goals.values().map(|goal| &goal.status).collect();
                    assert!(outcome.length() == 0 || outcome.length() > MOST as u64, "{context}");
                    let is_excluded = matches!(statuses[..], [GoalStatus::Unreachable { .. }]);
                    unreachable += usize::from(is_excluded);
                    // The search proves of deciding steps what `check` says of requirements.
                    if let Some(index) = goal.checked_sub(first_deciding) {
                        let lists = [&found.void, &found.implied, &found.never_deciding];
                        assert!(is_excluded, "{statuses:?}\n{context}");
                        assert!(lists.into_iter().flatten().any(|&one| one == index), "{context}");
                    }
                }
            }
        }
    }
    let told = (covered, branches, deciding, long, unreachable);
    assert!(covered > 40 && branches > 5 && deciding > 5 && long > 10 && unreachable > 3, "{told:?}");
}

/// The contracts and conditions that an explanation names exclude the goal without any others.
#[test]
fn what_is_named_excludes_a_goal() {
    let first = setting("CHAINCOVER_RANDOM_SEED", 1);
    let (mut excluded, mut in_part) = (0, 0);
    let folder = tempfile::tempdir().expect("a temporary folder");
    for seed in first..first + setting("CHAINCOVER_RANDOM_INTERFACES", 150) {
        let random = Random::restricted(seed);
        if random.solve(&random.all()).1.is_some() {
            continue;
        }
        let path = folder.path().join("random.ri");
        std::fs::write(&path, random.text()).expect("a file");
        let settings = Settings { keep_wording: true, ..Settings::default() };
        let Ok(model) = read([&path], &settings) else { continue };
        let names: Vec<String> = model.goals().map(str::to_owned).collect();
        for (goal, name) in names.iter().enumerate() {
            let context = format!("seed {seed} {name}\n{}", random.text());
            let found = match explain(&model, name, &Options::default(), &Silent) {
                Ok(found) => found,
                // The environment gives no inputs at all.
                Err(error) if error.to_string().contains("no execution at all") => continue,
                Err(error) => panic!("{error}\n{context}"),
            };
            let needed: Vec<&str> = found.needed.assumptions.iter().map(|one| one.text.as_str()).collect();
            if !matches!(found.status, GoalStatus::Unreachable { .. })
                || needed.iter().any(|text| text.contains("dead end"))
            {
                continue;
            }
            let mut left = random.clone();
            for (index, contracts) in left.requirements.iter_mut().enumerate() {
                let mut numbers = [0, 0];
                contracts.retain(|contract| {
                    let number = &mut numbers[usize::from(contract.is_first)];
                    *number += 1;
                    let kind = if contract.is_first { "initially" } else { "later" };
                    needed.contains(&&*format!("r{index} ({kind}, contract {number})"))
                });
            }
            let all = left.environment.len();
            let mut number = 0;
            left.environment.retain(|_| {
                number += 1;
                needed.contains(&&*format!("environment (condition {number})"))
            });
            // A requirement without contracts has no trigger: its own goal is looked for elsewhere.
            if goal < random.requirements.len() {
                left.requirements.push(random.requirements[goal].clone());
                for contract in left.requirements.last_mut().into_iter().flatten() {
                    contract.guarantee = Truth::Or(
                        Box::new(contract.guarantee.clone()),
                        Box::new(Truth::Not(Box::new(contract.guarantee.clone()))),
                    );
                }
            }
            let number = left.requirements.len();
            let looked_for = if goal < random.requirements.len() { number - 1 } else { goal };
            assert!(!left.reaches(looked_for), "{needed:?}\n{context}");
            excluded += 1;
            in_part += usize::from(needed.len() > 1 || left.environment.len() < all);
        }
    }
    assert!(excluded > 20 && in_part > 5, "{excluded} {in_part}");
}

/// The outputs of a step, in their order, and the next state.
type Reaction = (Vec<i64>, usize);

/// A random step in C over a state word, as tables: outputs and next states.
struct Machine {
    states: usize,
    /// For each state and each combination of inputs what the step does.
    reactions: Vec<Vec<Reaction>>,
}

impl Machine {
    fn new(random: &Random, chance: &mut StdRng) -> Self {
        let states = chance.random_range(1..=3);
        let outputs: Vec<i64> = random
            .variables
            .iter()
            .filter(|(role, _)| *role == Role::Output)
            .map(|(_, most)| *most)
            .collect();
        let count = random.inputs().len();
        let mut reaction = || {
            let values = outputs.iter().map(|most| chance.random_range(0..=*most)).collect();
            (values, chance.random_range(0..states))
        };
        let reactions = (0..states).map(|_| (0..count).map(|_| reaction()).collect()).collect();
        Self { states, reactions }
    }
    /// The log of some inputs, by their positions among all.
    fn log(&self, random: &Random, inputs: &[usize]) -> Vec<State> {
        let (all, mut state) = (random.inputs(), 0);
        let step = |&input: &usize| {
            let (values, next) = &self.reactions[state][input];
            state = *next;
            let mut now = all[input].clone();
            let outputs = (0..now.len()).filter(|&index| random.variables[index].0 == Role::Output);
            outputs.zip(values).for_each(|(index, value)| now[index] = *value);
            now
        };
        inputs.iter().map(step).collect()
    }
    /// The number of steps of the shortest run that breaks a requirement, up to a number.
    fn shortest(&self, random: &Random, most: usize) -> Option<usize> {
        let count = random.inputs().len();
        (1..=most).find(|&length| {
            (0..count.pow(length as u32)).any(|number| {
                let inputs: Vec<usize> =
                    (0..length).map(|at| number / count.pow(at as u32) % count).collect();
                random.judge(&self.log(random, &inputs)).is_some_and(|(step, _)| step + 1 == length)
            })
        })
    }
    fn text(&self, random: &Random) -> String {
        let name = |index: usize| (b'a' + index as u8) as char;
        let mut text = String::new();
        let (mut key, mut size) = ("0".to_owned(), 1);
        for (index, (role, most)) in random.variables.iter().enumerate() {
            if *role != Role::Hidden {
                let _ = writeln!(text, "unsigned char {};", name(index));
            }
            if *role == Role::Input {
                let _ = write!(key, " + {size} * ({0} > {most} ? {most} : {0})", name(index));
                size *= *most as usize + 1;
            }
        }
        let outputs: Vec<usize> =
            (0..random.variables.len()).filter(|&index| random.variables[index].0 == Role::Output).collect();
        // The enumeration has an order of its own: each key is computed as the code computes it.
        let mut order = vec![0; size];
        for (number, now) in random.inputs().iter().enumerate() {
            let (mut own, mut size) = (0, 1);
            for (index, (role, most)) in random.variables.iter().enumerate() {
                if *role == Role::Input {
                    own += size * now[index] as usize;
                    size *= *most as usize + 1;
                }
            }
            order[own] = number;
        }
        let table = |of: &dyn Fn(&Reaction) -> i64| -> String {
            let row = |row: &Vec<Reaction>| {
                let values: Vec<String> = order.iter().map(|&number| of(&row[number]).to_string()).collect();
                format!("{{{}}}", values.join(", "))
            };
            self.reactions.iter().map(row).collect::<Vec<_>>().join(", ")
        };
        let states = self.states;
        for (at, &index) in outputs.iter().enumerate() {
            let values = table(&|(values, _)| values[at]);
            let _ = writeln!(
                text,
                "static const unsigned char of_{}[{states}][{size}] = {{{values}}};",
                name(index)
            );
        }
        let next = table(&|(_, next)| *next as i64);
        let _ = writeln!(text, "static const unsigned char next[{states}][{size}] = {{{next}}};");
        let _ = writeln!(text, "static unsigned char state;\nvoid step(void) {{\n  unsigned key = {key};");
        for &index in &outputs {
            let _ = writeln!(text, "  {0} = of_{0}[state][key];", name(index));
        }
        text + "  state = next[state][key];\n}\n"
    }
}

/// Whether random code can ever break random requirements, against enumeration of its runs.
#[test]
fn code_is_judged_as_enumeration_says() {
    const DEPTH: usize = 4;
    let first = setting("CHAINCOVER_RANDOM_SEED", 1);
    let (mut kept, mut broken, mut late) = (0, 0, 0);
    let folder = tempfile::tempdir().expect("a temporary folder");
    for seed in first..first + setting("CHAINCOVER_RANDOM_INTERFACES", 40) {
        let random = Random::new(seed);
        let path = folder.path().join("random.ri");
        std::fs::write(&path, random.text()).expect("a file");
        let Ok(document) = read_interface(std::slice::from_ref(&path), &[]) else { continue };
        let mut chance = StdRng::seed_from_u64(seed);
        // Of several machines the one that keeps the requirements longest.
        let machines = (0..30).map(|_| Machine::new(&random, &mut chance));
        let machines = machines.map(|machine| (machine.shortest(&random, DEPTH), machine));
        let Some((shortest, machine)) = machines.max_by_key(|(shortest, _)| shortest.unwrap_or(DEPTH + 1))
        else {
            continue;
        };
        let code = folder.path().join("code.c");
        std::fs::write(&code, machine.text(&random)).expect("a file");
        let context = format!("seed {seed}\n{}\n{}", random.text(), machine.text(&random));
        let model = read([&code], &Settings::default()).unwrap_or_else(|error| panic!("{error}\n{context}"));
        // Some have more hidden values than a monitor follows.
        let names = MonitorNames::default();
        let Ok(judged) = oracle(&document.interface, &model, names, folder.path()) else { continue };
        std::fs::write(folder.path().join(judged.file_name()), &judged.monitor.text).expect("a file");
        let configuration = folder.path().join("chaincover.toml");
        std::fs::write(&configuration, judged.configuration_text().expect("a text")).expect("a file");
        let model =
            read([&configuration], &Settings::default()).unwrap_or_else(|error| panic!("{error}\n{context}"));
        let all: Vec<usize> = (0..model.requirements().len()).collect();
        let found = verdicts(&model, &all, Known::default(), &Options::default(), &Silent)
            .unwrap_or_else(|error| panic!("{error}\n{context}"));
        let lengths = found.all.iter().filter_map(|(_, verdict)| match verdict {
            Verdict::Violated(counterexample) => Some(counterexample.chain.length() as usize),
            Verdict::Undecided { .. } => panic!("undecided\n{context}"),
            _ => None,
        });
        let length = lengths.min();
        assert_eq!(length.filter(|length| *length <= DEPTH), shortest, "{context}\n{}", judged.monitor.text);
        match length {
            None => kept += 1,
            Some(length) => (broken, late) = (broken + 1, late + usize::from(length > 1)),
        }
    }
    assert!(kept > 3 && broken > 10 && late > 3, "{kept} {broken} {late}");
}
