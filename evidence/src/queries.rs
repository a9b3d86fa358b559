//! The queries that tie a graph to a system. None of them has a model if the graph stands for the
//! system.
//!
//! | query | asks for |
//! |---|---|
//! | `initial` | an initial state outside all initial nodes |
//! | `end-N` | a state of Final in a node of batch N that is not marked as an end |
//! | `step-N` | a step from a state in a node of batch N without a matching edge |
//!
//! The nodes' values are built into the circuits, so a query holds no more than what inputs decide;
//! where inputs decide much (arithmetic on them), one circuit for all nodes of the batch is
//! smaller. Queries are made from system and graph alone, in a fixed order, so that they can be
//! made again and compared.

use super::subject::Subject;
use checker::graph::{Edge, Graph};
use encoder::EncodeError;
use encoder::unroll::{Start, Unrolling};
use model::id::Id;
use model::value::Value;
use solver::sat::{ClauseSink, Formula, Lit, Part};
use std::ops::Range;

/// Nodes of one query.
const BATCH: usize = 256;

/// A query with the nodes built into the circuits may have this many times the clauses of one with
/// a shared circuit.
const MORE_CLAUSES: usize = 10;

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

/// The clauses of a query; where it is about several nodes, one part for each, and the last clause
/// asks for one of them.
#[derive(Default)]
pub(crate) struct Query {
    pub(crate) formula: Formula,
    pub(crate) parts: Vec<Part>,
}

impl Query {
    /// Adds the part that `write` writes. It may assert nothing but under the selector.
    pub(crate) fn part(
        &mut self,
        write: impl FnOnce(&mut Formula, Lit) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let (variable, clause) = (self.formula.variables(), self.formula.len());
        let selector = self.formula.fresh().positive();
        write(&mut self.formula, selector)?;
        let (variables, clauses) = (variable..self.formula.variables(), clause..self.formula.len());
        self.parts.push(Part { variables, clauses, selector });
        Ok(())
    }

    pub(crate) fn one_of_the_parts(mut self) -> Self {
        let selectors: Vec<Lit> = self.parts.iter().map(|part| part.selector).collect();
        self.formula.clause(&selectors);
        self
    }
}

/// The query of that name.
pub(crate) fn query(name: &Name, subject: &Subject, graph: &Graph) -> Result<Query, EncodeError> {
    match name {
        Name::Initial => initial(subject, graph),
        Name::End(nodes) => end(nodes.clone(), subject, graph),
        Name::Step(nodes) => step(nodes.clone(), subject, graph),
    }
}

fn initial(subject: &Subject, graph: &Graph) -> Result<Query, EncodeError> {
    let mut sink = Formula::new();
    let mut unrolling = Unrolling::new(&subject.system, Start::Initial);
    let state = state(subject, &mut unrolling, 0, &mut sink)?;
    let running = unrolling.running(0, &mut sink)?;
    sink.clause(&[running]);
    for node in graph.nodes.iter().filter(|node| node.initial) {
        sink.clause(&differs(&state, &node.values));
    }
    Ok(Query { formula: sink, parts: Vec::new() })
}

fn end(nodes: Range<usize>, subject: &Subject, graph: &Graph) -> Result<Query, EncodeError> {
    let mut query = Query::default();
    for node in nodes.filter(|&node| !graph.nodes[node].end) {
        query.part(|sink, selector| {
            let Some(end) = subject.system.end else { return Ok(()) };
            let holds = from_node(subject, &graph.nodes[node].values).literal(end, 0, sink)?;
            sink.clause(&[!selector, holds]);
            Ok(())
        })?;
    }
    Ok(query.one_of_the_parts())
}

/// Steps from nodes that are built into the circuits, or of one circuit for all nodes where that is
/// much smaller.
fn step(nodes: Range<usize>, subject: &Subject, graph: &Graph) -> Result<Query, EncodeError> {
    let shared = shared_step(nodes.clone(), subject, graph)?;
    let limit = MORE_CLAUSES * shared.formula.len();
    Ok(single_steps(nodes, subject, graph, limit)?.unwrap_or(shared))
}

/// The edges out of a node.
fn edges_of(node: usize, graph: &Graph) -> &[Edge] {
    let rest = &graph.edges[graph.edges.partition_point(|edge| edge.from < node)..];
    &rest[..rest.partition_point(|edge| edge.from == node)]
}

/// One part for each node. `None`: more clauses than the limit.
fn single_steps(
    nodes: Range<usize>,
    subject: &Subject,
    graph: &Graph,
    limit: usize,
) -> Result<Option<Query>, EncodeError> {
    let mut query = Query::default();
    for node in nodes {
        query.part(|sink, selector| {
            let step = StepFrom::new(subject, &graph.nodes[node].values, sink)?;
            sink.clause(&[!selector, step.running]);
            for edge in edges_of(node, graph) {
                if let Some(mut clause) = step.exceeds(&graph.nodes[edge.to].values, &edge.labels) {
                    clause.push(!selector);
                    sink.clause(&clause);
                }
            }
            Ok(())
        })?;
        if query.formula.len() > limit {
            return Ok(None);
        }
    }
    Ok(Some(query.one_of_the_parts()))
}

/// One step from a free state that is in one of the nodes.
fn shared_step(nodes: Range<usize>, subject: &Subject, graph: &Graph) -> Result<Query, EncodeError> {
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
    let selectors = select(nodes.clone(), graph, &here, &mut sink);
    let edges: Vec<&Edge> = nodes.clone().flat_map(|node| edges_of(node, graph)).collect();
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
        let mut clause = vec![!selectors[edge.from - nodes.start], !arrives[target]];
        let missing = (0..labels.len()).filter(|label| edge.labels.binary_search(label).is_err());
        clause.extend(missing.map(|label| labels[label]));
        sink.clause(&clause);
    }
    Ok(Query { formula: sink, parts: Vec::new() })
}

/// The system in the states of a node: words that the subject does not have may have any value.
pub(super) fn from_node<'s>(subject: &'s Subject, values: &[u128]) -> Unrolling<'s> {
    let mut state: Vec<Option<Value>> = vec![None; subject.system.states.len()];
    for (&word, &bits) in subject.words.iter().zip(values) {
        let sort = subject.system.terms.symbol(subject.system.states[word].symbol).sort;
        state[word.index()] = Some(Value::new(sort, bits));
    }
    Unrolling::new(&subject.system, Start::Partial(state))
}

/// The literals of one step from the state of a node; what the node decides is the fixed truth or
/// its negation.
pub(crate) struct StepFrom {
    /// Implies that the step can be made.
    pub(crate) running: Lit,
    /// The state after it.
    pub(crate) next: Vec<Vec<Lit>>,
    /// Whether the step has each label.
    pub(crate) labels: Vec<Lit>,
    truth: Lit,
}

impl StepFrom {
    pub(crate) fn new(
        subject: &Subject,
        values: &[u128],
        sink: &mut dyn ClauseSink,
    ) -> Result<Self, EncodeError> {
        let mut unrolling = from_node(subject, values);
        let next = state(subject, &mut unrolling, 1, sink)?;
        let mut labels = Vec::new();
        for label in subject.system.goals.values() {
            labels.push(unrolling.literal(label.antecedent, 0, sink)?);
        }
        let running = unrolling.running(1, sink)?;
        Ok(Self { running, next, labels, truth: unrolling.fixed_true(sink) })
    }

    /// The clause that the step goes elsewhere or has other labels than these. `None`: it does in
    /// any case.
    pub(crate) fn exceeds(&self, values: &[u128], labels: &[usize]) -> Option<Vec<Lit>> {
        let mut clause = differs(&self.next, values);
        let missing = (0..self.labels.len()).filter(|label| labels.binary_search(label).is_err());
        clause.extend(missing.map(|label| self.labels[label]));
        clause.retain(|&literal| literal != !self.truth);
        (!clause.contains(&self.truth)).then_some(clause)
    }
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

/// The clause that the state has other values than these.
pub(crate) fn differs(state: &[Vec<Lit>], values: &[u128]) -> Vec<Lit> {
    let mut clause = Vec::new();
    for (word, &value) in state.iter().zip(values) {
        let differs = |(position, &bit): (usize, &Lit)| if value >> position & 1 == 1 { !bit } else { bit };
        clause.extend(word.iter().enumerate().map(differs));
    }
    clause
}

/// Demands that the state is in one of the nodes; one literal for each. Bits that all of them share
/// are demanded directly.
fn select(nodes: Range<usize>, graph: &Graph, state: &[Vec<Lit>], sink: &mut Formula) -> Vec<Lit> {
    let equals = |node: usize| differs(state, &graph.nodes[node].values).into_iter().map(|literal| !literal);
    let rows: Vec<Vec<Lit>> = nodes.map(|node| equals(node).collect()).collect();
    let selectors: Vec<Lit> = rows.iter().map(|_| sink.fresh().positive()).collect();
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
