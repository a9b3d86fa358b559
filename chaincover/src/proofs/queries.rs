//! The queries that tie a graph to a system. None of them has a model if the graph stands for the system.
//!
//! | query | asks for |
//! |---|---|
//! | `initial` | an initial state outside all initial nodes |
//! | `end-N` | a state of Final in a node of batch N that is not marked as an end |
//! | `step-N` | a step from a state in a node of batch N without a matching edge |
//!
//! They are made from system and graph alone, in a fixed order, so that they can be made again and compared.

use super::subject::Subject;
use checker::graph::Graph;
use encoder::EncodeError;
use encoder::unroll::{Start, Unrolling};
use solver::sat::{ClauseSink, Formula, Lit};
use std::ops::Range;

/// Nodes of one query.
const BATCH: usize = 256;

/// The names of all queries of a graph, in order.
pub(crate) fn names(subject: &Subject, graph: &Graph) -> Vec<Name> {
    let mut names = vec![Name::Initial];
    for first in (0..graph.nodes.len()).step_by(BATCH) {
        let nodes = first..graph.nodes.len().min(first + BATCH);
        if subject.system.end.is_some() && graph.nodes[nodes.clone()].iter().any(|node| !node.end) {
            names.push(Name::End(nodes.clone()));
        }
        names.push(Name::Step(nodes));
    }
    names
}

/// Which query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Initial,
    End(Range<usize>),
    Step(Range<usize>),
}

impl Name {
    /// As a file name without ending.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Initial => "initial".to_owned(),
            Self::End(nodes) => format!("end-{}", nodes.start / BATCH),
            Self::Step(nodes) => format!("step-{}", nodes.start / BATCH),
        }
    }
}

/// The clauses of a query.
pub(crate) fn formula(name: &Name, subject: &Subject, graph: &Graph) -> Result<Formula, EncodeError> {
    match name {
        Name::Initial => initial(subject, graph),
        Name::End(nodes) => end(nodes.clone(), subject, graph),
        Name::Step(nodes) => step(nodes.clone(), subject, graph),
    }
}

fn initial(subject: &Subject, graph: &Graph) -> Result<Formula, EncodeError> {
    let mut sink = Formula::new();
    let mut unrolling = Unrolling::new(&subject.system, Start::Initial);
    let state = state(subject, &mut unrolling, 0, &mut sink)?;
    let running = unrolling.running(0, &mut sink)?;
    sink.clause(&[running]);
    for node in graph.nodes.iter().filter(|node| node.initial) {
        sink.clause(&differs(&state, &node.values));
    }
    Ok(sink)
}

fn end(nodes: Range<usize>, subject: &Subject, graph: &Graph) -> Result<Formula, EncodeError> {
    let mut sink = Formula::new();
    let mut unrolling = Unrolling::new(&subject.system, Start::Free);
    let state = state(subject, &mut unrolling, 0, &mut sink)?;
    if let Some(end) = subject.system.end {
        let holds = unrolling.literal(end, 0, &mut sink)?;
        sink.clause(&[holds]);
    }
    let unmarked: Vec<usize> = nodes.filter(|&node| !graph.nodes[node].end).collect();
    select(&unmarked, graph, &state, &mut sink);
    Ok(sink)
}

fn step(nodes: Range<usize>, subject: &Subject, graph: &Graph) -> Result<Formula, EncodeError> {
    let mut sink = Formula::new();
    let mut unrolling = Unrolling::new(&subject.system, Start::Free);
    let here = state(subject, &mut unrolling, 0, &mut sink)?;
    let next = state(subject, &mut unrolling, 1, &mut sink)?;
    let running = unrolling.running(1, &mut sink)?;
    sink.clause(&[running]);
    let mut labels = Vec::new();
    for label in subject.system.goals.values() {
        labels.push(unrolling.literal(label.antecedent, 0, &mut sink)?);
    }
    let first = nodes.start;
    let sources: Vec<usize> = nodes.collect();
    let selectors = select(&sources, graph, &here, &mut sink);
    let edges: Vec<_> = graph.edges.iter().filter(|edge| sources.contains(&edge.from)).collect();
    let mut targets: Vec<usize> = edges.iter().map(|edge| edge.to).collect();
    targets.sort_unstable();
    targets.dedup();
    let mut arrives = Vec::new();
    for &target in &targets {
        let arrived = sink.fresh().positive();
        let mut clause = differs(&next, &graph.nodes[target].values);
        clause.push(arrived);
        sink.clause(&clause);
        arrives.push(arrived);
    }
    for edge in edges {
        let target = targets.binary_search(&edge.to).expect("targets should be those of the edges");
        let mut clause = vec![!selectors[edge.from - first], !arrives[target]];
        let missing = (0..labels.len()).filter(|label| edge.labels.binary_search(label).is_err());
        clause.extend(missing.map(|label| labels[label]));
        sink.clause(&clause);
    }
    Ok(sink)
}

/// The bits of the subject's words in a frame.
pub(crate) fn state(
    subject: &Subject,
    unrolling: &mut Unrolling<'_>,
    frame: u32,
    sink: &mut dyn ClauseSink,
) -> Result<Vec<Vec<Lit>>, EncodeError> {
    subject.words.iter().map(|&word| unrolling.state_literals(word, frame, sink)).collect()
}

/// Bits of a state as literals that are true where the state has these values.
pub(crate) fn equals(state: &[Vec<Lit>], values: &[u128]) -> Vec<Lit> {
    let bit = |value: u128, position: usize, bit: Lit| if value >> position & 1 == 1 { bit } else { !bit };
    let words = state.iter().zip(values);
    words
        .flat_map(|(word, &value)| {
            word.iter().enumerate().map(move |(position, &literal)| bit(value, position, literal))
        })
        .collect()
}

/// The clause that the state is another one.
pub(crate) fn differs(state: &[Vec<Lit>], values: &[u128]) -> Vec<Lit> {
    equals(state, values).into_iter().map(|literal| !literal).collect()
}

/// Demands that the state is in one of the nodes; one literal for each. Bits that all of them share are demanded directly.
fn select(nodes: &[usize], graph: &Graph, state: &[Vec<Lit>], sink: &mut Formula) -> Vec<Lit> {
    let rows: Vec<Vec<Lit>> = nodes.iter().map(|&node| equals(state, &graph.nodes[node].values)).collect();
    let selectors: Vec<Lit> = nodes.iter().map(|_| sink.fresh().positive()).collect();
    sink.clause(&selectors);
    for position in 0..rows.first().map_or(0, Vec::len) {
        let common = rows[0][position];
        if rows.iter().all(|row| row[position] == common) {
            sink.clause(&[common]);
        } else {
            selectors.iter().zip(&rows).for_each(|(&selector, row)| sink.clause(&[!selector, row[position]]));
        }
    }
    selectors
}
