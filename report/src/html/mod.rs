//! The report: one HTML file without anything from elsewhere, made of `chain.json` and the sources
//! it names.
//!
//! Everything that can be read without a script is plain HTML: result, goals, how minimality was
//! proven, assumptions, graph, sources. Signals are drawn by `report.js` from run-length coded
//! data, so that a chain of ten thousands of steps stays small. All text of models is escaped
//! ([`text`]); the page allows no connections and no scripts but its own.

mod about;
mod goals;
mod graph;
mod holds;
pub mod interface;
mod matrix;
mod requirements;
mod signals;
mod source;
mod summary;
pub mod testcase;
mod text;
mod times;

use crate::coverage;
use crate::output::chain_file::ChainFile;
use frontend::Benches;
pub(crate) use goals::jump;
use replay::native::coverage::LineCoverage;
pub(crate) use source::anchor;
use std::path::Path;
use text::escaped;

/// What the report says besides the file.
#[derive(Clone, Debug, Default)]
pub struct Occasion {
    /// The command line that made the chain, where it is known.
    pub command: Option<String>,
    /// Where the sources are looked for, besides the current folder.
    pub folder: std::path::PathBuf,
    /// Where files are written; none where that is not known, and paths stay as they are.
    pub output: Option<std::path::PathBuf>,
    /// The lines that the chains execute, or why they are not known.
    pub coverage: Option<Result<LineCoverage, String>>,
    /// Witnesses of covered goals by their numbers, or why there are none; `None` where nobody
    /// asked.
    pub witnesses: Option<Result<Vec<(usize, String)>, String>>,
    /// For Test-Comp: the file of each chain; why there is none.
    pub test_cases: Option<Result<Vec<String>, String>>,
    /// Benches for the chains of a Verilog design, or why there are none; likewise.
    pub benches: Option<Result<Vec<Benches>, String>>,
}

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// The page.
pub fn page(file: &ChainFile, occasion: &Occasion) -> String {
    let sources = source::read(file, Path::new(&occasion.folder));
    let sections = [
        ("result", "Result", summary::section(file)),
        ("goals", "Goals", goals::section(file)),
        ("requirements", "Requirements", requirements::section(file) + &contracts(file)),
        ("coverage", "Coverage", coverage::page::section(file)),
        ("chain", "Chain", signals::section(file) + &times::section(file) + &holds::section(file)),
        ("steps", "Requirements by step", matrix::section(file)),
        ("graph", "Reachability", graph::section(file)),
        ("proof", "Proof", about::proof(file)),
        ("assumptions", "Assumptions", about::assumptions(file)),
        ("sources", "Sources", source::section(file, &sources, occasion.coverage.as_ref())),
        ("origin", "Origin", about::origin(file, occasion)),
    ];
    frame(&file.model.name, &sections, Some(&signals::data(file)))
}

/// The requirements of an interface as they are written.
fn contracts(file: &ChainFile) -> String {
    if file.contracts.is_empty() { String::new() } else { matrix::written(&file.contracts, |_| None) }
}

/// Identifier, heading and content of a section; without content it is left out.
type Section = (&'static str, &'static str, String);

/// A page of sections, with a script where there is data for it.
fn frame(name: &str, sections: &[Section], data: Option<&str>) -> String {
    let shown = || sections.iter().filter(|(.., content)| !content.is_empty());
    let links: String = shown().map(|(id, title, _)| format!("<a href=\"#{id}\">{title}</a>")).collect();
    let body: String = shown()
        .map(|(id, title, content)| format!("<section id=\"{id}\">\n<h2>{title}</h2>\n{content}</section>\n"))
        .collect();
    let title = escaped(name);
    let (scripts, button, script) = match data {
        Some(data) => (
            "; script-src 'unsafe-inline'",
            "<button id=\"theme\" type=\"button\" aria-label=\"Switch between dark and light\">&#9680;</button>",
            format!(
                "<script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n"
            ),
        ),
        None => ("", "", String::new()),
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'{scripts}\">\n\
         <title>{title} - ChainCover</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{title}</h1><nav>{links}</nav>{button}</header>\n\
         <main>\n{body}</main>\n{script}</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn file() -> ChainFile {
        let evil = "</script><script>alert(1)</script><u>\"'&";
        serde_json::from_value(json!({
            "schema": "chaincover/chain/1",
            "tool": { "name": "chaincover", "version": "1", "solver": evil },
            "model": { "name": evil, "sources": [{ "path": evil, "sha256": "" }], "target": "ilp32", "init": "", "step": evil, "period": "5ms",
                       "configuration": { "model": { "sources": [evil] }, "assume": [{ "expr": evil }], "final": { "when": evil } } },
            "inputs": [{ "name": evil, "lvalue": "u", "type": evil, "bits": 8, "kind": "unsigned", "unit": evil, "text": evil }],
            "outputs": [{ "name": "y", "lvalue": "y", "type": "float", "bits": 32, "kind": "float" }],
            "state": [],
            "goals": [{ "name": evil, "requirement": evil, "text": evil, "origin": { "file": evil, "line": 1 }, "steps": 1, "status": "covered",
                        "chain": 0, "at": 1, "expectation": "violated", "reason": null }],
            "chains": [{ "length": 2, "order": [evil], "steps": [
                { "inputs": { evil: 1 }, "outputs": { "y": { "value": 0.5, "bits": "0x3f000000" } }, "state": {}, "covers": [] },
                { "inputs": { evil: 2 }, "outputs": { "y": { "value": "NaN", "bits": "0x7fc00000" } }, "state": {}, "covers": [evil] }],
                "end_state": {}, "replayed": true }],
            "graph": { "Init": { evil: 1 }, evil: { "Final": 2 } },
            "summary": { "goals": 1, "covered": 1, "chains": 1, "length": 2, "lower_bound": 2, "minimal": "proven", "k": 1, "seconds": 0.5 },
            "stages": [{ "name": "graph", "seconds": 0.1, "sat_calls": 3 }],
            "notes": [evil],
        }))
        .expect("a chain file")
    }

    #[test]
    fn text_of_models_cannot_break_out() {
        let page = page(&file(), &Occasion { command: Some("<s>".to_owned()), ..Occasion::default() });
        assert_eq!(page.matches("<script").count(), 2, "the data and the script of the page");
        assert_eq!(page.matches("</script").count(), 2);
        let inside = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
        let data: serde_json::Value = serde_json::from_str(inside).expect("the data should be JSON");
        assert_eq!(data["chains"][0]["length"], 2);
        assert!(!page.contains("<u>") && !page.contains("<s>"));
    }

    #[test]
    fn everything_is_in_the_file() {
        let page = page(&file(), &Occasion::default());
        for foreign in ["http://", "https://", "src=", "@import", "url(h", "url(\"", "url(d"] {
            let found = page.matches(foreign).count();
            assert_eq!(found, 0, "{foreign}");
        }
        for id in ["result", "goals", "chain", "graph", "proof", "assumptions", "origin"] {
            assert!(page.contains(&format!("<section id=\"{id}\">")), "{id}");
        }
    }
}
