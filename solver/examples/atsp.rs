//! Solves TSPLIB ATSP files: `atsp [--seconds N] [--seed N] FILE...` prints length, lower bound and
//! time of each.

use chaincover_solver::atsp::{Options, solve, tsplib};
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut seconds = 60.0;
    let mut seed = 0;
    let mut arguments = std::env::args().skip(1);
    println!("{:<10} {:>5} {:>10} {:>10} {:>7} {:>8}", "name", "n", "length", "bound", "proven", "seconds");
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().ok_or("an option lacks its value");
        match argument.as_str() {
            "--seconds" => seconds = number()?.parse()?,
            "--seed" => seed = number()?.parse()?,
            file => print_solution(file, seconds, seed)?,
        }
    }
    Ok(())
}

fn print_solution(file: &str, seconds: f64, seed: u64) -> Result<(), Box<dyn std::error::Error>> {
    let read = tsplib::parse(&std::fs::read_to_string(file)?)?;
    let start = Instant::now();
    let options = Options { seed, deadline: Some(start + Duration::from_secs_f64(seconds)), stop: None };
    let solution = solve(&read.instance, &options)?;
    println!(
        "{:<10} {:>5} {:>10} {:>10} {:>7} {:>8.3}",
        read.name,
        read.instance.len(),
        solution.length,
        solution.lower_bound,
        solution.optimal,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
