//! Random systems whose state falls into parts, for the tests of several crates.

use engine::find_chains;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::{EngineChoice, Options};
use engine::outcome::Outcome;
use engine::random_simulation::Random;
use engine::session::Silent;
use model::system::GoalId;
use model::text::parse;
use model::validate::{Validated, validate};

pub(crate) fn system(text: &str) -> Validated {
    validate(parse(text).expect("text of a system")).expect("a valid system")
}

/// The cheapest chains, by enumeration of all states.
pub(crate) fn cheapest(system: &Validated) -> Outcome {
    let options = Options { engine: EngineChoice::Explicit, ..Options::default() };
    let outcome = find_chains(system, &options, &Silent).expect("an outcome");
    let is_proven = outcome.minimal == Minimality::Proven;
    assert!(is_proven, "enumeration should prove what it finds");
    outcome
}

pub(crate) fn is_covered(outcome: &Outcome, goal: GoalId) -> bool {
    matches!(outcome.goals[goal].status, GoalStatus::Covered { .. })
}

/// A random system of three words, each of which changes by some of eight commands; now and then a
/// command changes two.
pub(crate) fn random_text(random: &mut Random) -> String {
    let widths = [2, 2, 1];
    let names = ["a", "b", "c"];
    let mut next = [0, 1, 2].map(|word| names[word].to_owned());
    for command in 0..8 {
        let words = if random.below(12) == 0 { 2 } else { 1 };
        let first = random.below(3);
        for word in (first..first + words).map(|word| word % 3) {
            let name = names[word];
            let constant = random.below(1 << widths[word]);
            let value = match random.below(4) {
                0 => format!("(sub {name} 1)"),
                1 => constant.to_string(),
                _ => format!("(add {name} 1)"),
            };
            let other = random.below(3);
            let guard = match random.below(3) {
                0 => format!(
                    "(and (eq go {command}) (eq {} {}))",
                    names[other],
                    random.below(1 << widths[other])
                ),
                _ => format!("(eq go {command})"),
            };
            next[word] = format!("(ite {guard} {value} {})", next[word]);
        }
    }
    if random.below(3) == 0 {
        // One of two ways is chosen for good.
        next[1] = "(ite (and (eq b 0) (eq go 5)) 1 (ite (and (eq b 0) (eq go 6)) 2 b))".to_owned();
    }
    let mut text = "input go w3\n".to_owned();
    for (word, next) in next.iter().enumerate() {
        text.push_str(&format!("state {} w{} init 0 next {next}\n", names[word], widths[word]));
    }
    for goal in 0..2 + random.below(4) {
        let mut condition = String::new();
        for (word, name) in names.iter().enumerate() {
            if random.below(2) == 0 {
                let after = if random.below(6) == 0 { "@1" } else { "" };
                condition.push_str(&format!(" (eq {name}{after} {})", random.below(1 << widths[word])));
            }
        }
        if condition.is_empty() || random.below(3) > 0 {
            condition.push_str(&format!(" (eq go {})", random.below(8)));
        }
        text.push_str(&format!("goal g{goal} when (and{condition} (ule go 7))\n"));
    }
    if random.below(2) == 0 {
        text.push_str(&format!("end (eq a {})\n", random.below(4)));
    }
    text
}
