//! `chaincover mutate`: faults in a specification, and the chains that reveal them.

use super::exit::Exit;
use super::failure::Failure;
use super::{print, search};
use chaincover::requirements;
use chaincover::{visible, write};
use clap::Args;
use serde_json::Value as Json;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `mutate`.
#[derive(Debug, Args)]
pub(crate) struct MutateArguments {
    /// The specification (*.ri)
    #[arg(required = true, value_name = "SPEC")]
    pub(crate) specification: Vec<PathBuf>,
    /// Give a constant another value
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    pub(crate) define: Vec<String>,
    /// Write the mutants as JSON to a file, or to standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Stop after this time (500ms, 60s, 5min)
    #[arg(long, value_name = "DURATION", value_parser = chaincover::duration::parse)]
    pub(crate) timeout: Option<Duration>,
}

/// Makes the mutants and decides each of them.
pub(crate) fn run(arguments: &MutateArguments) -> Result<Exit, Failure> {
    arguments.json.as_deref().map_or(Ok(()), write::check_target)?;
    if !requirements::are_interfaces(&arguments.specification) {
        return Err(Failure::new(Exit::Usage, "mutants are made of specifications (*.ri)"));
    }
    let limit = search::reading_limit(arguments.timeout, None);
    let document = requirements::read_interface(&arguments.specification, &arguments.define)?;
    let found = requirements::mutate(&document, &limit)?;
    if let Some(path) = &arguments.json {
        write::to_file_or_stdout(path, &visible::json(&format!("{found:#}\n")))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        print(&text(&found))?;
    }
    let verdicts = found["mutants"].as_array().into_iter().flatten();
    let is_open = verdicts.into_iter().any(|mutant| mutant["verdict"] == "undecided");
    Ok(if is_open { Exit::Undecided } else { Exit::Success })
}

/// The mutants as a table, and the chains.
fn text(found: &Json) -> String {
    let word = |json: &Json| json.as_str().map_or_else(|| json.to_string(), str::to_owned);
    let mut text = String::new();
    let mutants = found["mutants"].as_array().cloned().unwrap_or_default();
    for mutant in &mutants {
        let _ = write!(text, "{:<8} {:<11}", word(&mutant["id"]), word(&mutant["verdict"]));
        let _ = match mutant["step"].as_u64() {
            Some(step) => write!(text, " chain {} step {step:<4}", mutant["chain"].as_u64().unwrap_or(0) + 1),
            None => write!(text, "{:18}", ""),
        };
        let new = if mutant["new"] == "" { "left out".to_owned() } else { word(&mutant["new"]) };
        let _ = writeln!(text, "{}: {} -> {new}", word(&mutant["operator"]), word(&mutant["old"]));
    }
    let of = |verdict: &str| mutants.iter().filter(|mutant| mutant["verdict"] == verdict).count();
    let surely = mutants.iter().filter(|mutant| mutant["surely"] == true).count();
    let chains = found["chains"].as_array().map_or(0, Vec::len);
    let _ = writeln!(
        text,
        "{} mutants: {} killed ({surely} of them whatever they choose), {} conform, {} equivalent, {} undecided",
        mutants.len(),
        of("killed"),
        of("conforms"),
        of("equivalent"),
        of("undecided")
    );
    let _ = writeln!(
        text,
        "{chains} chain{} of {} steps; at least {} are needed",
        if chains == 1 { "" } else { "s" },
        found["length"],
        found["lower_bound"]
    );
    text
}
