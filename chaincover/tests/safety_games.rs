//! Games of safety that random requirement interfaces are written as, read back and solved by brute
//! force: who wins, and how soon, is what `check` says.

use crate::brute::Random;
use chaincover::Limit;
use chaincover::requirements::{consistency, read_interface, safety_game};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

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
