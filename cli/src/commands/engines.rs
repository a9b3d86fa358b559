//! `chaincover engines`: which engines there are, what they do, and what their turns cost.

use super::exit::Exit;
use super::failure::Failure;
use chaincover::{CONSTANTS, Constant, ENGINES, EngineRow};

/// Lists the engines in the order of their turns, and where asked the constants of the search.
pub(crate) fn run(constants: bool) -> Result<Exit, Failure> {
    println!(
        "Engines of `--strategy exact` in the order of their turns. A prover may claim; a finder only offers chains."
    );
    println!("Turns grow until the time is up; `--without ENGINE` leaves one out.\n");
    for EngineRow { engine, purpose, proves, unit, turns, growth, .. } in ENGINES {
        let role = if *proves { "prover" } else { "finder" };
        let listed: Vec<String> = turns.iter().map(|work| grouped(*work)).collect();
        let later = if *growth > 1 { format!(", then times {growth}") } else { String::new() };
        println!("{:<22} {role}  {purpose}", engine.name());
        println!("{:<22}         a turn costs {}{later} {unit} at most", "", listed.join(", "));
    }
    if constants {
        list_constants();
    }
    Ok(Exit::Success)
}

/// Lists the constants that `--set` changes, the turns of engines first.
fn list_constants() {
    println!(
        "\nConstants that `--set NAME=VALUE` changes, for experiments. They decide how long something is"
    );
    println!("tried, never what is true.\n");
    println!(
        "{:<34} {:>15} what a turn costs at most, and by what factor later ones",
        "ENGINE.first-turn", ""
    );
    println!("{:<34} {:>15} cost more", "ENGINE.growth", "");
    for Constant { name, usual, unit, purpose } in CONSTANTS {
        println!("{name:<34} {:>15} {unit}: {purpose}", grouped(*usual));
    }
}

/// A number with a blank between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let is_start = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    let with_blank = |(at, digit): (usize, char)| is_start(at).then_some(' ').into_iter().chain([digit]);
    digits.chars().enumerate().flat_map(with_blank).collect()
}
