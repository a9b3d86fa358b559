//! `chaincover engines`: which engines there are, what they do, and what their turns cost.

use super::exit::Exit;
use super::failure::Failure;
use super::print;
use chaincover::{CONSTANTS, Constant, ENGINES, EngineRow};
use std::fmt::Write;

/// Lists the engines in the order of their turns, and where asked the constants of the search.
pub(crate) fn run(constants: bool) -> Result<Exit, Failure> {
    let mut text = String::from(
        "Engines of `--strategy exact` in the order of their turns. A prover may claim; a finder only offers chains.\n\
         Turns grow until the time is up; `--without ENGINE` leaves one out.\n\n",
    );
    for EngineRow { engine, purpose, proves, unit, turns, growth, .. } in ENGINES {
        let role = if *proves { "prover" } else { "finder" };
        let listed: Vec<String> = turns.iter().map(|work| grouped(*work)).collect();
        let later = if *growth > 1 { format!(", then times {growth}") } else { String::new() };
        let _ = writeln!(text, "{:<22} {role}  {purpose}", engine.name());
        let _ = writeln!(text, "{:<22}         a turn costs {}{later} {unit} at most", "", listed.join(", "));
    }
    if constants {
        text += &listed_constants();
    }
    print(&text)
}

/// The constants that `--set` changes, the turns of engines first.
fn listed_constants() -> String {
    let mut text = String::from(
        "\nConstants that `--set NAME=VALUE` changes, for experiments. They decide how long something is\n\
         tried, never what is true.\n\n",
    );
    let turn = "what a turn costs at most, and by what factor later ones";
    let _ = writeln!(text, "{:<34} {:>15} {turn}", "ENGINE.first-turn", "");
    let _ = writeln!(text, "{:<34} {:>15} cost more", "ENGINE.growth", "");
    for Constant { name, usual, unit, purpose } in CONSTANTS {
        let _ = writeln!(text, "{name:<34} {:>15} {unit}: {purpose}", grouped(*usual));
    }
    text
}

/// A number with a blank between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let is_start = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    let with_blank = |(at, digit): (usize, char)| is_start(at).then_some(' ').into_iter().chain([digit]);
    digits.chars().enumerate().flat_map(with_blank).collect()
}
