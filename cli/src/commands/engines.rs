//! `chaincover engines`: which engines there are, what they do, and what their turns cost.

use super::exit::Exit;
use super::failure::Failure;
use engine::schedule::{ENGINES, Row};

/// Lists the engines in the order of their turns.
pub(crate) fn run() -> Result<Exit, Failure> {
    println!(
        "Engines of `--strategy exact` in the order of their turns. A prover may claim; a finder only offers chains."
    );
    println!("Turns grow until the time is up; `--without ENGINE` leaves one out.\n");
    for Row { engine, purpose, proves, unit, turns, growth, .. } in ENGINES {
        let role = if *proves { "prover" } else { "finder" };
        let listed: Vec<String> = turns.iter().map(|work| grouped(*work)).collect();
        let later = if *growth > 1 { format!(", then times {growth}") } else { String::new() };
        println!("{:<22} {role}  {purpose}", engine.name());
        println!("{:<22}         a turn costs {}{later} {unit} at most", "", listed.join(", "));
    }
    Ok(Exit::Success)
}

/// A number with a blank between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let is_start = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    let with_blank = |(at, digit): (usize, char)| is_start(at).then_some(' ').into_iter().chain([digit]);
    digits.chars().enumerate().flat_map(with_blank).collect()
}
