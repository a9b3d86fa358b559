//! What is handed to Python as JSON.

use chaincover::diagnostics::{Diagnostics, Severity};
use chaincover::{Explanation, Location, Model, Options, Replayed, Settings, SourceMap, Span, Written};
use chaincover::{NativeCheck, no_chains, report, to_json};
use serde_json::{Value as Json, json};
use std::time::Duration;

/// A place in a source: file, line, column where that is one of the line, and the line itself.
fn place(sources: &SourceMap, span: Option<Span>) -> Json {
    let Some(span) = span else { return Json::Null };
    let (file, line) = sources.written(span);
    let is_expression = sources.is_expression(span);
    let column = (span.column > 0 && !is_expression).then_some(span.column);
    let text = sources.files[span.file].line(span.line);
    json!({ "file": file.display().to_string(), "line": line, "column": column, "text": text })
}

/// Messages about the sources.
pub(crate) fn diagnostics(found: &Diagnostics, sources: &SourceMap) -> Vec<Json> {
    let entry = |entry: &chaincover::diagnostics::Diagnostic| {
        let severity = match entry.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let notes: Vec<Json> = entry
            .notes
            .iter()
            .map(|(text, span)| json!({ "text": text, "place": place(sources, *span) }))
            .collect();
        json!({
            "severity": severity, "code": entry.code.text, "message": entry.message,
            "place": place(sources, entry.span), "notes": notes,
        })
    };
    found.entries.iter().map(entry).collect()
}

/// A model in the shape of a result without chains.
pub(crate) fn model(model: &Model, settings: &Settings) -> String {
    let options = Options::default();
    let file = report(model, (&no_chains(model, &options), &[]), (settings, &options), Duration::ZERO);
    to_json(&file)
}

fn location(place: Option<&Location>) -> Json {
    place.map_or(Json::Null, |place| json!({ "file": place.file.display().to_string(), "line": place.line }))
}

fn written(parts: &[Written]) -> Vec<Json> {
    parts.iter().map(|part| json!({ "text": part.text, "origin": location(part.place.as_ref()) })).collect()
}

/// Why a goal is excluded, or how short a chain for it is.
pub(crate) fn explanation(model: &Model, found: &Explanation) -> String {
    let Explanation { all, needed, .. } = found;
    let lines = needed.decisions.iter();
    let decisions: Vec<Json> =
        lines.map(|line| json!({ "text": line.text, "origin": location(Some(&line.place)) })).collect();
    let invariants: Vec<Json> =
        needed.invariants.iter().map(|claim| json!({ "text": claim.text, "origin": null })).collect();
    let json = json!({
        "goal": model.system.goals[found.goal].name,
        "status": found.status.name(),
        "reason": found.status.reason(),
        "is_excluded": chaincover::is_excluded(&found.status),
        "length": found.length,
        "lower_bound": found.least,
        "is_minimal": found.is_minimal,
        "conditions": written(&all.antecedent),
        "assumptions": all.assumptions.len(),
        "decisions": all.decisions.len(),
        "needed": {
            "conditions": written(&needed.antecedent),
            "assumptions": written(&needed.assumptions),
            "invariants": invariants,
            "decisions": decisions,
        },
        "notes": found.notes,
    });
    json.to_string()
}

/// What became of stored chains.
pub(crate) fn replayed(found: &Replayed) -> String {
    let chain = |chain: &chaincover::ReplayedChain| {
        let differences: Vec<Json> = chain
            .differences
            .iter()
            .map(|difference| json!({ "text": difference.text, "is_output": difference.is_of_outputs() }))
            .collect();
        json!({ "check": check(&chain.check), "text": chain.check.to_string(), "differences": differences })
    };
    let chains: Vec<Json> = found.chains.iter().map(chain).collect();
    json!({ "chains": chains, "changed": found.changed, "configured": found.configured, "judged": found.judged }).to_string()
}

/// What the compiled code says, in a word.
const fn check(check: &NativeCheck) -> &'static str {
    match check {
        NativeCheck::Agrees { .. } => "agrees",
        NativeCheck::Disagrees { .. } => "disagrees",
        NativeCheck::Dies { .. } => "dies",
        NativeCheck::Unavailable { .. } => "unavailable",
        NativeCheck::Skipped { .. } => "skipped",
    }
}
