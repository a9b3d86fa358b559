//! Games of safety in the form of the reactive synthesis competition (ASCII AIGER, one output
//! `bad`, inputs of the system named `controllable_...`; Jacobs: "Extended AIGER format for
//! synthesis", 2014): small ones against the status in their files, random ones against
//! enumeration, and those of a folder as a measurement:
//!
//! `CHAINCOVER_GAMES=FOLDER CHAINCOVER_GAME_SECONDS=10 cargo test --release -p chaincover-engine
//! --test engine games::measured -- --ignored --nocapture` (`CHAINCOVER_GAME_DIAGRAMS=0`: without
//! decision diagrams)

use engine::game::{Effort, Game, Outcome, solve};
use model::sort::Sort;
use model::system::{InputRole, TransitionSystem};
use model::term::TermId;
use model::validate::validate;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use solver::sat::{Backend, Budget};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A circuit of AIGER 1 with one output, which is `bad`.
#[derive(Clone, Debug, Default)]
struct Aiger {
    /// Variables of the inputs, and whether the system chooses them.
    inputs: Vec<(u32, bool)>,
    /// Variables of the latches, literals of their next values, and their initial values.
    latches: Vec<(u32, u32, bool)>,
    bad: u32,
    /// Variables of the conjunctions with literals of their operands, which are defined before.
    conjunctions: Vec<(u32, u32, u32)>,
    /// Whether the file says that the system wins; none where it does not say.
    status: Option<bool>,
}

impl Aiger {
    /// Reads a file; what is wrong with it where it is none of this form.
    fn read(text: &str) -> Result<Self, String> {
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
        let number = |word: &str| word.parse::<u32>().map_err(|_| format!("`{word}` is no number"));
        let counts: Vec<u32> = header.iter().skip(1).map(|word| number(word)).collect::<Result<_, _>>()?;
        let (Some(&"aag"), [_, inputs, latches, 1, ands]) = (header.first(), &counts[..]) else {
            return Err(format!("no circuit in ASCII with one output: {header:?}"));
        };
        let mut rows = |count: u32, widths: &[usize]| -> Result<Vec<Vec<u32>>, String> {
            let mut found = Vec::new();
            for _ in 0..count {
                let line = lines.next().ok_or("a line is missing")?;
                let row: Vec<u32> = line.split_whitespace().map(number).collect::<Result<_, _>>()?;
                if !widths.contains(&row.len()) {
                    return Err(format!("`{line}` has another number of words"));
                }
                found.push(row);
            }
            Ok(found)
        };
        let given = rows(*inputs, &[1])?;
        let kept = rows(*latches, &[2, 3])?;
        let bad = rows(1, &[1])?[0][0];
        let conjunctions = rows(*ands, &[3])?;
        let rest: Vec<&str> = lines.collect();
        let symbols = rest.iter().take_while(|line| **line != "c").filter_map(|line| line.split_once(' '));
        let chosen: BTreeSet<&str> =
            symbols.filter(|(_, name)| name.starts_with("controllable_")).map(|(place, _)| place).collect();
        let status = rest.iter().find_map(|line| line.trim().strip_prefix("STATUS :"));
        let mut circuit = Self {
            inputs: (0_usize..)
                .zip(&given)
                .map(|(place, row)| (row[0] / 2, chosen.contains(&*format!("i{place}"))))
                .collect(),
            latches: kept
                .iter()
                .map(|row| (row[0] / 2, row[1], row.get(2).is_some_and(|&reset| reset == 1)))
                .collect(),
            bad,
            conjunctions: Vec::new(),
            status: match status.map(str::trim) {
                Some("realizable") => Some(true),
                Some("unrealizable") => Some(false),
                _ => None,
            },
        };
        circuit.order(conjunctions)?;
        Ok(circuit)
    }
    /// Takes conjunctions in an order in which each is defined before it is read.
    fn order(&mut self, conjunctions: Vec<Vec<u32>>) -> Result<(), String> {
        let mut defined: BTreeSet<u32> = self.inputs.iter().map(|&(variable, _)| variable).collect();
        defined.extend(self.latches.iter().map(|&(variable, ..)| variable));
        defined.insert(0);
        let mut left = conjunctions;
        while !left.is_empty() {
            let count = left.len();
            left.retain(|row| {
                let is_ready = row[1..].iter().all(|literal| defined.contains(&(literal / 2)));
                if is_ready {
                    defined.insert(row[0] / 2);
                    self.conjunctions.push((row[0] / 2, row[1], row[2]));
                }
                !is_ready
            });
            if left.len() == count {
                return Err("conjunctions read each other in a circle".to_owned());
            }
        }
        let mut read = self.latches.iter().map(|&(_, next, _)| next).chain([self.bad]);
        match read.find(|literal| !defined.contains(&(literal / 2))) {
            Some(literal) => Err(format!("nothing defines the literal {literal}")),
            None => Ok(()),
        }
    }
    fn text(&self) -> String {
        let (inputs, latches) = (self.inputs.len(), self.latches.len());
        let ands = self.conjunctions.len();
        let mut text = format!("aag {} {inputs} {latches} 1 {ands}\n", inputs + latches + ands);
        self.inputs.iter().for_each(|(variable, _)| _ = writeln!(text, "{}", variable * 2));
        for (variable, next, initial) in &self.latches {
            let _ = writeln!(text, "{} {next} {}", variable * 2, u8::from(*initial));
        }
        let _ = writeln!(text, "{}", self.bad);
        for (variable, lhs, rhs) in &self.conjunctions {
            let _ = writeln!(text, "{} {lhs} {rhs}", variable * 2);
        }
        for (place, (_, is_chosen)) in self.inputs.iter().enumerate() {
            let _ = writeln!(text, "i{place} {}{place}", if *is_chosen { "controllable_" } else { "x" });
        }
        text
    }

    /// Who wins, by the engine that decides the consistency of requirements.
    fn solve(&self, effort: &Effort) -> Outcome {
        let mut system = TransitionSystem { name: "game".to_owned(), ..TransitionSystem::default() };
        let (no, truth) = (system.terms.truth(false), system.terms.truth(true));
        let mut words: BTreeMap<u32, TermId> = BTreeMap::from([(0, no)]);
        for (place, &(variable, is_chosen)) in self.inputs.iter().enumerate() {
            let role = if is_chosen { InputRole::Choice } else { InputRole::Stimulus };
            let input = system.add_input(&format!("i{place}"), Sort::TRUTH, role);
            words.insert(variable, system.input_term(input));
        }
        let states: Vec<_> = (0..self.latches.len())
            .map(|place| system.add_state(&format!("l{place}"), Sort::TRUTH))
            .collect();
        for (&state, &(variable, _, initial)) in states.iter().zip(&self.latches) {
            words.insert(variable, system.state_term(state));
            system.states[state].init = system.terms.truth(initial);
        }
        let literal = |system: &mut TransitionSystem, words: &BTreeMap<u32, TermId>, literal: u32| {
            let word = words[&(literal / 2)];
            if literal % 2 == 1 { system.terms.not(word) } else { word }
        };
        for &(variable, lhs, rhs) in &self.conjunctions {
            let [lhs, rhs] = [lhs, rhs].map(|one| literal(&mut system, &words, one));
            words.insert(variable, system.terms.and(lhs, rhs));
        }
        for (&state, &(_, next, _)) in states.iter().zip(&self.latches) {
            system.states[state].next = literal(&mut system, &words, next);
        }
        let allowed = literal(&mut system, &words, self.bad ^ 1);
        let system = validate(system).expect("a system");
        let game = Game { system: &system, environment: truth, allowed, position: truth };
        solve(&game, effort).expect("an encoding")
    }

    /// Steps that the system answers well whatever the environment gives, where that is not for
    /// ever: by enumeration of all states, inputs and choices.
    fn answered(&self) -> Option<usize> {
        let count = |is_chosen: bool| self.inputs.iter().filter(|(_, chosen)| *chosen == is_chosen).count();
        let states = 1_usize << self.latches.len();
        let step = |state: usize, given: usize, chosen: usize| -> Option<usize> {
            let mut values: BTreeMap<u32, bool> = BTreeMap::from([(0, false)]);
            let mut bits = [given, chosen];
            for &(variable, is_chosen) in &self.inputs {
                let bits = &mut bits[usize::from(is_chosen)];
                values.insert(variable, *bits & 1 == 1);
                *bits >>= 1;
            }
            for (place, &(variable, ..)) in self.latches.iter().enumerate() {
                values.insert(variable, state >> place & 1 == 1);
            }
            for &(variable, lhs, rhs) in &self.conjunctions {
                let value = |literal: u32| values[&(literal / 2)] != (literal % 2 == 1);
                values.insert(variable, value(lhs) && value(rhs));
            }
            let value = |literal: u32| values[&(literal / 2)] != (literal % 2 == 1);
            let next = self.latches.iter().enumerate();
            let next = next.map(|(place, &(_, next, _))| usize::from(value(next)) << place).sum();
            (!value(self.bad)).then_some(next)
        };
        let initial: usize =
            self.latches.iter().enumerate().map(|(place, latch)| usize::from(latch.2) << place).sum();
        let mut lost: BTreeSet<usize> = BTreeSet::new();
        for depth in 0.. {
            let is_lost = |state: usize| {
                (0..1 << count(false)).any(|given| {
                    let mut answers = (0..1 << count(true)).filter_map(|chosen| step(state, given, chosen));
                    answers.all(|next| lost.contains(&next))
                })
            };
            let more: BTreeSet<usize> = (0..states).filter(|&state| is_lost(state)).collect();
            if more.contains(&initial) {
                return Some(depth);
            }
            if more == lost {
                return None;
            }
            lost = more;
        }
        None
    }
    /// A random circuit: two inputs of each side, three latches, some conjunctions.
    fn random(seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let ands: u32 = random.random_range(4..=14);
        let mut below = |variables: u32| random.random_range(2..variables * 2);
        let conjunctions = (8..8 + ands).map(|variable| (variable, below(variable), below(variable)));
        let conjunctions: Vec<(u32, u32, u32)> = conjunctions.collect();
        let latches = (5..8).map(|variable| (variable, below(8 + ands), below(8 + ands) % 2 == 1)).collect();
        // A conjunction is seldom true: the system then has a chance.
        let bad = conjunctions[conjunctions.len() - 1].0 * 2;
        let inputs = (1..5).map(|variable| (variable, variable % 2 == 0)).collect();
        Self { inputs, latches, bad, conjunctions, status: None }
    }
}

fn effort(seconds: u64) -> Effort {
    let deadline = Instant::now().checked_add(Duration::from_secs(seconds));
    let budget = Budget { deadline, ..Budget::default() };
    let diagrams = std::env::var("CHAINCOVER_GAME_DIAGRAMS").as_deref() != Ok("0");
    Effort { backend: Backend::Batsat, rounds: 100_000, budget, diagrams }
}

/// Whether the system wins; none where that was not found out.
fn is_kept(outcome: &Outcome) -> Option<bool> {
    match outcome {
        Outcome::Kept => Some(true),
        Outcome::Lost { .. } | Outcome::LostSomewhere => Some(false),
        Outcome::Unknown => None,
    }
}

/// Games whose status is clear by hand, with the steps that can be answered where it is lost.
const SMALL: [(&str, &str, Option<usize>); 8] = [
    // bad = x != y: the system sees the input.
    (
        "echo",
        "aag 5 2 0 1 3\n2\n4\n11\n6 2 4\n8 3 5\n10 7 9\ni0 x\ni1 controllable_y\nc\nSTATUS : realizable\n",
        None,
    ),
    // The output of a step is compared with the input of the next one.
    (
        "foresee",
        "aag 6 2 1 1 3\n2\n4\n6 4\n13\n8 2 6\n10 3 7\n12 9 11\ni0 x\ni1 controllable_y\nc\nSTATUS : unrealizable\n",
        Some(0),
    ),
    // The environment wins here, too, but a latch lets the first step pass.
    (
        "foresee, but not at once",
        "aag 9 2 2 1 5\n2\n4\n6 4\n8 1\n18\n10 2 6\n12 3 7\n14 11 13\n16 8 15\n18 16 8\ni0 x\ni1 controllable_y\nc\nSTATUS : unrealizable\n",
        Some(1),
    ),
    // Bad whatever is done, and never bad.
    ("lost at once", "aag 1 1 0 1 0\n2\n1\ni0 controllable_y\nc\nSTATUS : unrealizable\n", Some(0)),
    ("never bad", "aag 1 1 0 1 0\n2\n0\ni0 x\nc\nSTATUS : realizable\n", None),
    // Without choices the environment reaches what is bad in its fourth step: latches shift.
    ("shift register", "aag 4 1 3 1 0\n2\n4 2\n6 4\n8 6\n8\ni0 x\nc\nSTATUS : unrealizable\n", Some(3)),
    // The system can empty the register in time.
    (
        "shift register that is emptied",
        "aag 6 2 3 1 1\n2\n4\n6 2\n8 6\n10 12\n10\n12 8 5\ni0 x\ni1 controllable_y\nc\nSTATUS : realizable\n",
        None,
    ),
    // Conjunctions in any order, and a latch that starts with 1.
    ("order", "aag 4 1 1 1 2\n2\n4 4 1\n8\n8 6 4\n6 2 4\ni0 x\nc\nSTATUS : unrealizable\n", Some(0)),
];

#[test]
fn small_games_have_the_status_of_their_files() {
    for (name, text, answered) in SMALL {
        let game = Aiger::read(text).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(game.answered(), answered, "{name}");
        assert_eq!(game.status, Some(answered.is_none()), "{name}");
        match game.solve(&effort(60)) {
            Outcome::Kept => assert_eq!(answered, None, "{name}"),
            Outcome::Lost { answered: found, .. } => assert_eq!(Some(found), answered, "{name}"),
            outcome => panic!("{name}: {outcome:?}"),
        }
    }
}

#[test]
fn texts_that_are_no_games_are_refused() {
    for text in [
        "",
        "aig 1 1 0 1 0\n2\n1\n",
        "aag 1 1 0 2 0\n2\n1\n1\n",
        "aag 1 1 0 1 0\n2\n",
        "aag 1 1 0 1 0\n2\nx\n",
        "aag 2 0 0 1 2\n2\n2 4 4\n4 2 2\n",
        "aag 1 0 0 1 0\n2\n",
    ] {
        assert!(Aiger::read(text).is_err(), "{text}");
    }
}

#[test]
fn random_games_are_decided_as_by_enumeration() {
    let (mut kept, mut deep) = (0, 0);
    let number = std::env::var("CHAINCOVER_RANDOM_GAMES").ok().and_then(|text| text.parse().ok());
    for seed in 1..=number.unwrap_or(300) {
        let text = Aiger::random(seed).text();
        let game = Aiger::read(&text).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        let expected = game.answered();
        match game.solve(&effort(60)) {
            Outcome::Kept => assert_eq!(expected, None, "seed {seed}\n{text}"),
            Outcome::Lost { answered, .. } => assert_eq!(expected, Some(answered), "seed {seed}\n{text}"),
            outcome => panic!("seed {seed}: {outcome:?}\n{text}"),
        }
        kept += usize::from(expected.is_none());
        deep += usize::from(expected.is_some_and(|depth| depth > 0));
    }
    assert!(kept > 50 && deep > 20, "{kept} {deep}");
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => files(&path, into),
            false if path.extension().is_some_and(|ending| ending == "aag") => into.push(path),
            false => {}
        }
    }
}

#[test]
#[ignore = "measures games of a folder"]
fn measured() {
    let folder = std::env::var("CHAINCOVER_GAMES").expect("a folder in CHAINCOVER_GAMES");
    let seconds = std::env::var("CHAINCOVER_GAME_SECONDS").ok().and_then(|text| text.parse().ok());
    let mut all = Vec::new();
    files(Path::new(&folder), &mut all);
    all.sort();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in all {
        let text = std::fs::read_to_string(&path).expect("a text");
        let start = Instant::now();
        let verdict =
            match Aiger::read(&text).map(|game| (game.status, game.solve(&effort(seconds.unwrap_or(10))))) {
                Err(why) => {
                    println!("{} {why}", path.display());
                    "unread"
                }
                Ok((status, outcome)) => match (status, is_kept(&outcome)) {
                    (_, None) => "undecided",
                    (None, Some(_)) => "without status",
                    (Some(status), Some(found)) if status == found => "right",
                    (Some(_), Some(_)) => "WRONG",
                },
            };
        *counts.entry(verdict).or_default() += 1;
        println!("{verdict:14} {:7.2} s  {}", start.elapsed().as_secs_f64(), path.display());
    }
    println!("{counts:?}");
    assert!(!counts.contains_key("WRONG"), "{counts:?}");
}
