//! `manifest.json`: which evidence stands behind which claim.

use super::claims::Claim;
use super::library::Point;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The value of the `schema` key.
pub(crate) const SCHEMA: &str = "chaincover/proofs/1";

/// The whole file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// Always [`SCHEMA`].
    pub(crate) schema: String,
    /// Digest of the run that the claims are of; proofs left by another run than that of
    /// `chain.json` are told from tampering by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) run_sha256: Option<String>,
    /// SHA-256 of the transition system's text that the queries were made from: it changes with any
    /// file the source includes, too.
    pub(crate) system_sha256: String,
    /// Treatment of undefined operations (`--ub`): with `forbid` executions
    /// end there.
    pub(crate) undefined_behaviour: String,
    /// SHA-256 of every file that claims rest on, by name, and of the result.
    pub(crate) files: BTreeMap<String, String>,
    /// What the C library was asked for; all evidence assumes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) library: Vec<Point>,
    /// The evidence.
    pub(crate) evidence: Vec<Evidence>,
    /// All claims of `chain.json`.
    pub(crate) claims: Vec<Entry>,
}

/// Something that shows claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Evidence {
    /// A finite graph that stands for the system, over all words and labels of goals that matter or
    /// some of them. Claims follow by a search on it.
    Graph {
        /// Name of the evidence.
        name: String,
        /// File of the graph.
        file: String,
        /// Number of nodes.
        nodes: usize,
        /// Number of edges.
        edges: usize,
        /// What shows that it stands for the system.
        queries: Vec<Query>,
    },
    /// The same in short, by families of nodes.
    Families {
        /// Name of the evidence.
        name: String,
        /// File of the families.
        file: String,
        /// Number of nodes.
        nodes: usize,
        /// Number of edges.
        edges: usize,
        /// What shows that they stand for the system.
        queries: Vec<Query>,
    },
    /// An inductive invariant that excludes a goal.
    Invariant {
        /// Name of the evidence.
        name: String,
        /// File of the invariant.
        file: String,
        /// Name of the goal.
        goal: String,
        /// Number of clauses.
        clauses: usize,
        /// What shows that it is one and excludes the goal.
        queries: Vec<Query>,
    },
    /// An inductive invariant of the system that remembers a goal, which excludes that it ends in
    /// Final after it.
    DeadEnd {
        /// Name of the evidence.
        name: String,
        /// Name of the goal.
        goal: String,
        /// The invariant.
        invariant: Pair,
    },
    /// An inductive invariant, for other evidence to rest on.
    States {
        /// Name of the evidence.
        name: String,
        /// File of the invariant.
        file: String,
        /// Number of clauses.
        clauses: usize,
        /// What shows that it is one.
        queries: Vec<Query>,
    },
    /// Goals of which no execution covers two: so many chains are needed.
    Exclusive {
        /// Name of the evidence.
        name: String,
        /// The goals.
        goals: Vec<String>,
        /// For each pair of them, the first with all later ones first, why they exclude each other.
        pairs: Vec<Pair>,
    },
    /// No chain of at most so many steps covers what the chains cover.
    Bounded {
        /// Name of the evidence.
        name: String,
        /// Number of steps.
        steps: u32,
        /// The one query that asks for such a chain.
        query: Query,
    },
    /// Distances that a query from any state shows.
    Apart {
        /// Name of the evidence.
        name: String,
        /// Name of the evidence for an invariant that the first state satisfies.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        within: Option<String>,
        /// Lower bounds of distances from one goal, or from the beginning.
        legs: Vec<Leg>,
        /// The one query that asks for a shorter one.
        query: Query,
    },
    /// Fewest steps between goals, and a bound of all tours through them.
    Tour {
        /// Name of the evidence.
        name: String,
        /// Names of the evidence that shows the distances.
        distances: Vec<String>,
        /// Most chains.
        chains: usize,
        /// Price of a further chain; with it the number of chains does not matter.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reset: Option<u32>,
        /// The bound.
        tour: Tour,
    },
    /// Parts of the state bits of which no step changes two, and bounds of the changes that so many
    /// chains make in them.
    Parts {
        /// Name of the evidence.
        name: String,
        /// File of the parts.
        file: String,
        /// Number of chains.
        chains: usize,
        /// For each group of parts its bound.
        tours: Vec<Tour>,
        /// What shows that the parts are those of the system.
        queries: Vec<Query>,
    },
}

impl Evidence {
    /// Names of its files.
    pub(crate) fn files(&self) -> Vec<&str> {
        let (own, queries): (Vec<&String>, Vec<&Query>) = match self {
            Self::Graph { file, queries, .. }
            | Self::Families { file, queries, .. }
            | Self::Invariant { file, queries, .. }
            | Self::States { file, queries, .. } => (vec![file], queries.iter().collect()),
            Self::DeadEnd { invariant, .. } => (vec![&invariant.file], invariant.queries.iter().collect()),
            Self::Exclusive { pairs, .. } => {
                let files = pairs.iter().map(|pair| &pair.file).collect();
                (files, pairs.iter().flat_map(|pair| &pair.queries).collect())
            }
            Self::Bounded { query, .. } | Self::Apart { query, .. } => (Vec::new(), vec![query]),
            Self::Tour { tour, .. } => (vec![&tour.file], Vec::new()),
            Self::Parts { file, tours, queries, .. } => {
                let files = std::iter::once(file).chain(tours.iter().map(|tour| &tour.file));
                (files.collect(), queries.iter().collect())
            }
        };
        let of_queries = queries.into_iter().flat_map(|query| [&query.formula, &query.proof]);
        own.into_iter().chain(of_queries).map(String::as_str).collect()
    }
}

/// An invariant of a system that remembers goals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pair {
    /// File of the invariant.
    pub(crate) file: String,
    /// What shows that it is one and excludes what it should.
    pub(crate) queries: Vec<Query>,
}

/// A lower bound of a distance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Leg {
    /// Name of the goal from whose first step it counts; none: from the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<String>,
    /// Name of the goal to whose first step it counts; none: to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<String>,
    /// No execution has less.
    pub(crate) steps: u32,
}

/// A lower bound of tours through goals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tour {
    /// The bound.
    pub(crate) steps: u64,
    /// The certificate.
    pub(crate) file: String,
}

impl Evidence {
    /// What claims call it by.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Graph { name, .. }
            | Self::Families { name, .. }
            | Self::Invariant { name, .. }
            | Self::DeadEnd { name, .. }
            | Self::States { name, .. }
            | Self::Exclusive { name, .. }
            | Self::Bounded { name, .. }
            | Self::Apart { name, .. }
            | Self::Tour { name, .. }
            | Self::Parts { name, .. } => name,
        }
    }
}

/// A query without model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Query {
    /// The clauses, as DIMACS CNF; assumptions are unit clauses.
    pub(crate) formula: String,
    /// The proof that they have no model, as LRAT.
    pub(crate) proof: String,
}

/// A claim and what shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The claim.
    #[serde(flatten)]
    pub(crate) claim: Claim,
    /// Name of the evidence; none: it is not certified.
    pub(crate) evidence: Option<String>,
    /// Why it is not certified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) not_certified: Option<String>,
    /// What is certified instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) instead: Option<Weaker>,
}

/// A lower bound below one that is not certified, and what shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Weaker {
    /// The bound, as a claim.
    #[serde(flatten)]
    pub(crate) claim: Claim,
    /// Name of the evidence.
    pub(crate) evidence: String,
}
