//! Games of safety that random requirement interfaces are written as, read back and solved by brute
//! force: who wins, and how soon, is what `check` says.

use crate::brute::Random;
use chaincover::Limit;
use chaincover::requirements::{consistency, read_interface, safety_game};
use engine::game::{Effort, Game, Outcome, solve};
use model::sort::Sort;
use model::system::{InputRole, TransitionSystem};
use model::term::TermId;
use model::validate::validate;
use solver::sat::{Backend, Budget};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A circuit of AIGER 1 with one output.
struct Circuit {
    /// Variables of the inputs of environment and system.
    inputs: [Vec<usize>; 2],
    /// Variables of the latches, and literals of their next values.
    latches: Vec<(usize, u32)>,
    bad: u32,
    /// Variables of the conjunctions, and literals of their operands.
    conjunctions: Vec<(usize, u32, u32)>,
    variables: usize,
}

impl Circuit {
    fn read(text: &str) -> Self {
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().expect("a header").split(' ').collect();
        assert_eq!(header[0], "aag", "{header:?}");
        let counts: Vec<usize> = header[1..].iter().map(|word| word.parse().expect("a number")).collect();
        let [variables, inputs, latches, 1, ands] = counts[..] else { panic!("AIGER 1: {header:?}") };
        let mut numbers = |count: usize, width: usize| -> Vec<Vec<u32>> {
            let lines: Vec<Vec<u32>> = lines
                .by_ref()
                .take(count)
                .map(|line| line.split(' ').map(|word| word.parse().expect("a literal")).collect())
                .collect();
            assert!(lines.len() == count && lines.iter().all(|line| line.len() == width));
            lines
        };
        let given = numbers(inputs, 1);
        let latches = numbers(latches, 2);
        let bad = numbers(1, 1)[0][0];
        let ands = numbers(ands, 3);
        let variable = |literal: u32| {
            assert_eq!(literal % 2, 0, "what is defined should be a variable");
            literal as usize / 2
        };
        let mut symbols = BTreeMap::new();
        for line in lines.take_while(|line| *line != "c") {
            let (place, name) = line.split_once(' ').expect("a symbol");
            assert_eq!(symbols.insert(place.to_owned(), name.to_owned()), None, "{place}");
        }
        let mut parts = [Vec::new(), Vec::new()];
        for (index, line) in given.iter().enumerate() {
            let is_chosen = symbols[&format!("i{index}")].starts_with("controllable_");
            parts[usize::from(is_chosen)].push(variable(line[0]));
        }
        Self {
            inputs: parts,
            latches: latches.iter().map(|line| (variable(line[0]), line[1])).collect(),
            bad,
            conjunctions: ands.iter().map(|line| (variable(line[0]), line[1], line[2])).collect(),
            variables: variables + 1,
        }
    }

    /// For all choices of the system whether the step is bad, and the next state.
    fn answers(&self, state: u64, given: u64) -> BTreeSet<(bool, u64)> {
        let mut found = BTreeSet::new();
        let choices = 1_u64 << self.inputs[1].len();
        // 64 choices at once: the lower six are columns of this table.
        const COLUMNS: [u64; 6] = [
            0xAAAA_AAAA_AAAA_AAAA,
            0xCCCC_CCCC_CCCC_CCCC,
            0xF0F0_F0F0_F0F0_F0F0,
            0xFF00_FF00_FF00_FF00,
            0xFFFF_0000_FFFF_0000,
            0xFFFF_FFFF_0000_0000,
        ];
        for first in (0..choices).step_by(64) {
            let mut values = vec![0_u64; self.variables];
            let all = |bits: u64, place: usize| (bits >> place & 1).wrapping_neg();
            for (place, &(variable, _)) in self.latches.iter().enumerate() {
                values[variable] = all(state, place);
            }
            for (place, &variable) in self.inputs[0].iter().enumerate() {
                values[variable] = all(given, place);
            }
            for (place, &variable) in self.inputs[1].iter().enumerate() {
                values[variable] = COLUMNS.get(place).copied().unwrap_or_else(|| all(first, place));
            }
            let value =
                |values: &[u64], literal: u32| values[literal as usize / 2] ^ all(u64::from(literal), 0);
            for &(variable, lhs, rhs) in &self.conjunctions {
                values[variable] = value(&values, lhs) & value(&values, rhs);
            }
            let bad = value(&values, self.bad);
            let next: Vec<u64> = self.latches.iter().map(|&(_, next)| value(&values, next)).collect();
            for lane in 0..choices.min(64) {
                let state = next.iter().enumerate().map(|(place, word)| (word >> lane & 1) << place);
                found.insert((bad >> lane & 1 == 1, state.sum()));
            }
        }
        found
    }

    /// The number of steps that the system answers well whatever the environment gives, where that
    /// is not for ever.
    fn depth(&self) -> Option<usize> {
        // For each state and each input the states behind good answers.
        let mut moves: BTreeMap<u64, Vec<BTreeSet<u64>>> = BTreeMap::new();
        let mut open = vec![0];
        while let Some(state) = open.pop() {
            if moves.contains_key(&state) {
                continue;
            }
            let given = 0..1_u64 << self.inputs[0].len();
            let good = given.map(|given| {
                let good = self.answers(state, given).into_iter().filter(|(is_bad, _)| !is_bad);
                good.map(|(_, next)| next).collect::<BTreeSet<u64>>()
            });
            let good: Vec<BTreeSet<u64>> = good.collect();
            open.extend(good.iter().flatten().copied());
            moves.insert(state, good);
        }
        let mut lost: BTreeSet<u64> = BTreeSet::new();
        for depth in 0.. {
            let is_lost = |moves: &Vec<BTreeSet<u64>>| moves.iter().any(|answers| answers.is_subset(&lost));
            let more: BTreeSet<u64> =
                moves.iter().filter(|(_, moves)| is_lost(moves)).map(|(state, _)| *state).collect();
            if more.contains(&0) {
                return Some(depth);
            }
            if more == lost {
                return None;
            }
            lost = more;
        }
        None
    }
}

/// What the comment of a file says of its status, as SYNTCOMP writes it; none where it is unknown.
fn status(text: &str) -> Option<bool> {
    let line = text.lines().find_map(|line| line.strip_prefix("STATUS :"))?;
    match line.trim() {
        "realizable" => Some(true),
        "unrealizable" => Some(false),
        _ => None,
    }
}

/// Who wins the game of a circuit: whether the system does; none where the time is up.
fn winner(circuit: &Circuit, time: Duration) -> Option<bool> {
    let mut system = TransitionSystem::default();
    let mut words: Vec<Option<TermId>> = vec![None; circuit.variables];
    words[0] = Some(system.terms.truth(false));
    for (inputs, role) in circuit.inputs.iter().zip([InputRole::Stimulus, InputRole::Choice]) {
        for &variable in inputs {
            let input = system.add_input(&format!("i{variable}"), Sort::TRUTH, role);
            words[variable] = Some(system.input_term(input));
        }
    }
    let add = |&(variable, next): &(usize, u32)| {
        (variable, next, system.add_state(&format!("l{variable}"), Sort::TRUTH))
    };
    let latches: Vec<_> = circuit.latches.iter().map(add).collect();
    for &(variable, _, state) in &latches {
        words[variable] = Some(system.state_term(state));
        system.states[state].init = system.terms.truth(false);
    }
    let word = |system: &mut TransitionSystem, words: &[Option<TermId>], literal: u32| {
        let word = words[literal as usize / 2]?;
        Some(if literal % 2 == 1 { system.terms.not(word) } else { word })
    };
    let mut left = circuit.conjunctions.clone();
    while !left.is_empty() {
        let before = left.len();
        left.retain(|&(variable, lhs, rhs)| {
            let [Some(lhs), Some(rhs)] = [lhs, rhs].map(|one| word(&mut system, &words, one)) else {
                return true;
            };
            words[variable] = Some(system.terms.and(lhs, rhs));
            false
        });
        assert!(left.len() < before, "a circuit should have no cycle");
    }
    let known =
        |system: &mut TransitionSystem, one| word(system, &words, one).expect("a literal that is defined");
    for &(_, next, state) in &latches {
        system.states[state].next = known(&mut system, next);
    }
    let bad = known(&mut system, circuit.bad);
    let (allowed, yes) = (system.terms.not(bad), system.terms.truth(true));
    let system = validate(system).expect("a system");
    let game = Game { system: &system, environment: yes, allowed, position: yes };
    let budget = Budget { deadline: Some(Instant::now() + time), ..Budget::default() };
    let effort = Effort { backend: Backend::Batsat, rounds: 1_000_000, budget, diagrams: true };
    match solve(&game, &effort).expect("a circuit can be encoded") {
        Outcome::Kept => Some(true),
        Outcome::Lost { .. } | Outcome::LostSomewhere => Some(false),
        Outcome::Unknown => None,
    }
}

/// Games of SYNTCOMP (github.com/SYNTCOMP/benchmarks, `aiger`) against what the files say:
/// `CHAINCOVER_SAFETY_GAMES=folder cargo test -p chaincover --test suite syntcomp -- --ignored`.
#[test]
#[ignore = "it reads a folder that is not part of the repository"]
fn games_of_syntcomp() {
    let folder = std::env::var("CHAINCOVER_SAFETY_GAMES").expect("a folder");
    let time = Duration::from_secs(setting("CHAINCOVER_SAFETY_SECONDS", 20));
    let files = std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "aag")).collect();
    files.sort();
    let (mut decided, mut wrong) = (0, Vec::new());
    for path in &files {
        let text = String::from_utf8_lossy(&std::fs::read(path).expect("a file")).into_owned();
        let (start, name) = (Instant::now(), path.file_stem().unwrap_or_default().to_string_lossy());
        let (found, expected) = (winner(&Circuit::read(&text), time), status(&text));
        println!("{name} {found:?} {expected:?} {:.2}", start.elapsed().as_secs_f64());
        decided += usize::from(found.is_some());
        if let (Some(found), Some(expected)) = (found, expected)
            && found != expected
        {
            wrong.push(name.into_owned());
        }
    }
    println!("{decided} of {} decided", files.len());
    assert!(wrong.is_empty() && decided > 0, "{wrong:?}");
}

fn game(folder: &Path, text: &str) -> Option<(String, Option<usize>)> {
    let path = folder.join("random.ri");
    std::fs::write(&path, text).expect("a file");
    let document = read_interface(std::slice::from_ref(&path), &[]).ok()?;
    let found = consistency(&document.interface, &Limit::default()).expect("a small interface");
    Some((safety_game(&document).expect("a game"), found.depth))
}

#[test]
fn who_wins_and_how_soon() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let first = setting("CHAINCOVER_RANDOM_SEED", 1);
    let (mut kept, mut at_once, mut late, mut restricted) = (0, 0, 0, 0);
    for seed in first..first + setting("CHAINCOVER_RANDOM_INTERFACES", 150) {
        let random = if seed % 3 == 0 { Random::restricted(seed) } else { Random::new(seed) };
        let Some((text, depth)) = game(folder.path(), &random.text()) else { continue };
        assert_eq!(Circuit::read(&text).depth(), depth, "seed {seed}\n{}\n{text}", random.text());
        match depth {
            None => kept += 1,
            Some(0) => at_once += 1,
            Some(_) => late += 1,
        }
        restricted += usize::from(!random.environment.is_empty());
    }
    assert!(
        kept > 10 && at_once > 10 && late > 10 && restricted > 10,
        "{kept} {at_once} {late} {restricted}"
    );
}

/// Types with words of several forms, and definedness, which random interfaces have not.
#[test]
fn all_types_have_bits() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let table = [
        ("input a : -2..1  output b : -4..3  req x always guarantee b' = 2 * a' + 1", None),
        ("input a : -2..1  output b : -4..2  req x always guarantee b' = 2 * a' + 1", Some(0)),
        ("input a : {0, 3, 5}  output b : {1, 4, 6}  req x always guarantee b' = a' + 1", None),
        ("input a : {0, 3, 5}  output b : {1, 4}  req x always guarantee b' = a' + 1", Some(0)),
        ("type M = {A, B, C}  input a : M  output b : M  req x always guarantee b' != a'", None),
        ("type M = {A, B, C}  output b : M  req x always guarantee b' != A and b' != B and b' != C", Some(0)),
        ("output b : 0..1 step 0.5  req x initially guarantee b' = 0  guarantee b' = b + 0.5", Some(3)),
        ("input a : 0..2  output b : 0..2  req x always guarantee 2 div a' = b'", Some(0)),
        (
            "input a : 0..2  output b : 0..2  environment a' != 0  req x always guarantee 2 div a' = b'",
            None,
        ),
        (
            "input a : bool  output b : 0..3  environment a' = not a
             req x initially guarantee b' = 0  assume a' guarantee b' = b + 1  assume not a' guarantee b' = b",
            Some(7),
        ),
    ];
    for (text, expected) in table {
        let (game, depth) = game(folder.path(), text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(depth, expected, "{text}");
        assert_eq!(Circuit::read(&game).depth(), expected, "{text}\n{game}");
    }
}

#[test]
fn names_that_would_be_confused_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let table = [
        (
            "input controllable_a : bool  output b : bool  req x always guarantee b'",
            "the input `controllable_a` would be taken for one that the system chooses",
        ),
        (
            "output b : 0..3  output \"b[1]\" : bool  req x always guarantee b' = 0",
            "two bits of the game would have the name `controllable_b[1]`: rename `b[1]`",
        ),
    ];
    for (text, expected) in table {
        let path = folder.path().join("names.ri");
        std::fs::write(&path, text).expect("a file");
        let document = read_interface(&[path], &[]).expect("an interface");
        let why = safety_game(&document).expect_err(text).to_string();
        assert!(why.contains(expected), "{why}");
    }
}
