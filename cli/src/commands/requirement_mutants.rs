//! `chaincover mutate` of requirement interfaces: faults, and the chains that reveal them.

use super::exit::Exit;
use super::failure::Failure;
use super::{search, tell};
use chaincover::requirements;
use chaincover::write;
use serde_json::Value as Json;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Makes the mutants of an interface, with these values of constants, and decides each of them. As
/// JSON to `json` (`-`: standard output), and for people elsewhere.
pub(crate) fn run(
    specification: &Path,
    define: &[String],
    json: Option<&Path>,
    timeout: Option<Duration>,
) -> Result<Exit, Failure> {
    json.map_or(Ok(()), write::check_target)?;
    let limit = search::reading_limit(timeout, None);
    let document = requirements::read_interface(&[specification.to_owned()], define)?;
    let found = requirements::mutate(&document, &limit);
    tell(json, &found, &text(&found))?;
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
