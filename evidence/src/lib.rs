//! Checkable claims: evidence for what `chain.json` says cannot be, and its check.
//!
//! `chain -o DIR --proofs` writes `DIR/proofs`: a [graph](checker::graph) of all that the system
//! can do as far as goals, assumptions and Final are concerned, the [queries] that tie it to the
//! system, a proof for each, and a manifest that says which claim rests on which evidence. `verify
//! DIR` makes the queries again from the source, compares them, checks the proofs with a checker
//! that shares no code with the search, and derives the claims from the graph by a search of its
//! own. The search that found the chains leaves no trace in the evidence: whatever it did, the
//! claims hold if the evidence does.
//!
//! Where the states are too many to be listed one by one, [families] of nodes that differ in a
//! counter only may do. Where they are too many for that, goals, and ends after goals, are excluded
//! by inductive [invariants](invariant), numbers of chains by goals that [exclude each
//! other](exclusive), and lengths by a query [over so many steps](bounded), by [parts] of the state
//! bits that change one at a time, by graphs over [some of the words](projections), or by [tours]
//! through distances that such graphs or [queries from any state](apart) show, as far as such
//! evidence can be found.
//!
//! Where the C library was asked for values, the manifest lists them as axioms ([library]).
//!
//! Verdicts about all executions have a folder and a manifest of their own ([`Part::Verdicts`]):
//! they are about another system, whose goals are the violations and antecedents of requirements.
//! A folder may also hold evidence that goals of some system are unreachable, whatever claims that:
//! a mutant beside its original, say ([`write::write_unreachable`]).
//! Who wins the game of some requirements is shown by [certificates of games](games), in a folder of
//! their own.
//!
//! The manifest holds a hash of every file, so that any change of one is told even if no claim
//! depends on it. A claim without evidence is listed as not certified, and never called verified.

mod apart;
mod bounded;
pub mod check;
mod claims;
mod enumerate;
mod exclusive;
mod facts;
mod families;
#[cfg(test)]
mod forged;
pub mod games;
mod graphs;
mod invariant;
mod judge;
mod library;
mod maker;
mod manifest;
mod parts;
mod projections;
mod queries;
mod subject;
#[cfg(test)]
mod tests;
mod tours;
pub mod write;

pub use claims::{Claim, antecedent_of, violation_of};

use engine::options::HazardPolicy;
use judge::Judge;
use model::system::TransitionSystem;
use report::output::chain_file::ChainFile;
use report::output::digest::sha256;
use solver::sat::{Formula, dimacs};
use std::path::Path;

/// Which claims of a result evidence is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Goals, numbers of chains, lengths: claims about the system of the model.
    Chains,
    /// Verdicts on requirements: claims about the system whose goals are their violations and
    /// antecedents ([`violation_of`], [`antecedent_of`]), and whose executions end anywhere.
    Verdicts,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 2] = [Self::Chains, Self::Verdicts];

    /// The folder of its evidence, beside the result.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Chains => "proofs",
            Self::Verdicts => "proofs-of-verdicts",
        }
    }

    /// What a result claims of it, in a fixed order.
    pub fn claims(self, file: &ChainFile) -> Vec<Claim> {
        match self {
            Self::Chains => claims::claims(file),
            Self::Verdicts => claims::of_verdicts(file),
        }
    }

    /// The goals that the chains cover, as far as claims speak of them.
    fn covered(self, file: &ChainFile) -> Vec<String> {
        match self {
            Self::Chains => claims::covered(file),
            Self::Verdicts => Vec::new(),
        }
    }
}

/// A result in its folder.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// Name of the file in it.
    pub name: &'a str,
    /// Its content.
    pub file: &'a ChainFile,
}

/// How undefined operations are treated where goals are excluded without a result that says it.
const OF_UNREACHABLE: HazardPolicy = HazardPolicy::Report;

/// The manifest in a folder of evidence.
const MANIFEST: &str = "manifest.json";

/// Name and window length of every goal.
fn goal_steps(system: &TransitionSystem) -> Vec<(String, u32)> {
    system.goals.values().map(|goal| (goal.name.clone(), goal.steps)).collect()
}

/// SHA-256 of the text of a system, in hexadecimal.
fn fingerprint(system: &TransitionSystem) -> String {
    sha256(model::text::print(system))
}

/// What tells one run from another whatever its claims are: digest of the sources and of where time
/// went, to the microsecond.
fn run_digest(file: &ChainFile) -> String {
    let micros = |seconds: f64| (seconds * 1e6).round() as u64;
    let stages: Vec<(&str, u64)> =
        file.stages.iter().map(|stage| (&*stage.name, micros(stage.seconds))).collect();
    let sources: Vec<(&str, &str)> =
        file.model.sources.iter().map(|source| (&*source.path, &*source.sha256)).collect();
    let run = (micros(file.summary.seconds), stages, sources);
    sha256(serde_json::to_string(&run).expect("numbers and names should be serialisable"))
}

/// A formula as DIMACS CNF.
fn dimacs_text(formula: &Formula) -> String {
    let mut bytes = Vec::new();
    dimacs::write(formula, &[], dimacs::AssumptionStyle::UnitClauses, &mut bytes)
        .expect("writing to memory should not fail");
    String::from_utf8(bytes).expect("DIMACS should be ASCII")
}
