//! `chaincover verify`: every claim of a stored result, checked without the search that made it.
//!
//! The exit code tells about the claims alone: 0 all of them hold, 4 some are rejected, 5 some are
//! not certified.

use super::args::VerifyArguments;
use super::exit::Exit;
use super::failure::Failure;
use super::{load, print};
use chaincover::{Against, Finding, HazardPolicy, Limit, Settings, Verification, verify_with};
use std::fmt::Write;

/// Runs the chains again, compares them with the file, and checks the evidence for all other
/// claims.
pub(crate) fn run(arguments: &VerifyArguments) -> Result<Exit, Failure> {
    let observe = arguments.observed.observe;
    let settings = Settings { observe, ..load::settings(&arguments.source, Limit::default()) };
    let against = Against {
        model: (!arguments.model.is_empty()).then_some((&arguments.model[..], &settings)),
        policy: arguments.ub.map(HazardPolicy::from),
    };
    let read = |configuration| load::translate(configuration, arguments.verbosity);
    let found = verify_with(&arguments.folder, against, &read)?;
    print(&text(&found))?;
    Ok(exit(&found))
}

fn text(found: &Verification) -> String {
    let mut text = found.about.clone();
    for (finding, claim) in &found.claims {
        let word = match finding {
            Finding::Verified => "verified",
            Finding::NotCertified => "NOT CERTIFIED",
            Finding::Rejected => "REJECTED",
        };
        let _ = writeln!(text, "{word:<14} {claim}");
    }
    for note in &found.notes {
        let _ = writeln!(text, "note: {note}");
    }
    let held = found.count(Finding::Verified);
    let _ = match (found.count(Finding::NotCertified), found.count(Finding::Rejected)) {
        (0, 0) => writeln!(text, "all {held} claims verified"),
        (open, 0) => writeln!(text, "{held} claims verified, {open} not certified"),
        (open, rejected) => {
            writeln!(text, "{held} claims verified, {open} not certified, {rejected} REJECTED")
        }
    };
    text
}

fn exit(found: &Verification) -> Exit {
    match (found.count(Finding::Rejected), found.count(Finding::NotCertified)) {
        (0, 0) => Exit::Success,
        (0, _) => Exit::Undecided,
        _ => Exit::SelfCheck,
    }
}
