//! `chaincover atsp`: the built-in travelling salesman solver on a TSPLIB file.

use super::args::AtspArguments;
use super::exit::Exit;
use super::failure::Failure;
use chaincover::{atsp, write};
use serde::Serialize;
use std::path::Path;
use std::time::Instant;

/// The result as JSON.
#[derive(Serialize)]
struct Report {
    length: u64,
    tour: Vec<usize>,
    lower_bound: u64,
    optimal: bool,
    seconds: f64,
}

/// Solves the instance and prints tour, length and lower bound.
pub(crate) fn run(arguments: &AtspArguments) -> Result<Exit, Failure> {
    arguments.json.as_deref().map_or(Ok(()), write::check_target)?;
    let instance = read(&arguments.file)?;
    let start = Instant::now();
    let options = atsp::Options {
        seed: arguments.seed,
        deadline: arguments.timeout.map(|limit| start + limit),
        stop: Some(super::interrupt::flag()),
    };
    let solution = atsp::solve(&instance, &options).map_err(|failure| match failure {
        atsp::Failure::Infeasible => Failure::new(Exit::Unreachable, "the instance has no tour"),
        atsp::Failure::Stopped { lower_bound } => Failure::new(
            Exit::TimeOut,
            format!("stopped before a tour was found; no tour is shorter than {lower_bound}"),
        ),
    })?;
    let report = Report {
        length: solution.length,
        tour: solution.tour,
        lower_bound: solution.lower_bound,
        optimal: solution.optimal,
        seconds: start.elapsed().as_secs_f64(),
    };
    match &arguments.json {
        Some(path) => {
            let json = serde_json::to_string(&report)
                .map_err(|error| Failure::new(Exit::Internal, error.to_string()))?;
            write::to_file_or_stdout(path, &(json + "\n"))?;
        }
        None => {
            super::print(&summary(&report))?;
        }
    }
    let in_time = arguments.timeout.is_none_or(|limit| report.optimal || start.elapsed() < limit);
    Ok(if in_time { Exit::Success } else { Exit::TimeOut })
}

fn read(path: &Path) -> Result<atsp::Instance, Failure> {
    let unreadable = |error| Failure::new(Exit::Usage, format!("cannot read {}: {error}", path.display()));
    let bytes = std::fs::read(path).map_err(unreadable)?;
    atsp::tsplib::parse(&String::from_utf8_lossy(&bytes))
        .map(|file| file.instance)
        .map_err(|error| Failure::new(Exit::Usage, format!("{}: {error}", path.display())))
}

fn summary(report: &Report) -> String {
    let tour: Vec<String> = report.tour.iter().map(usize::to_string).collect();
    let proof = if report.optimal { "proven optimal" } else { "not proven optimal" };
    format!(
        "length {}, lower bound {}, {proof}, {:.2} s\ntour {}\n",
        report.length,
        report.lower_bound,
        report.seconds,
        tour.join(" ")
    )
}
