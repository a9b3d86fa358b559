//! Making a graph that stands for a system: all reachable nodes, step by step, by queries about single steps.
//!
//! It uses neither the explicit engine nor its idea of classes of inputs: from each node, the solver is asked for a step without a matching
//! edge until there is none. Whether the result is right does not matter here; the proofs show it.

use super::queries::{differs, equals, state};
use super::subject::Subject;
use crate::stats::{Context, Halt};
use checker::graph::{Edge, Graph, Label, Node};
use encoder::EncodeError;
use encoder::unroll::{Start, Unrolling};
use rustc_hash::FxHashMap;
use solver::sat::{ClauseSink, IncrementalSat, Lit};

/// Most nodes.
const NODES: usize = 50_000;
/// Most edges.
const EDGES: usize = 500_000;
/// Most edges out of one node: beyond, an input of many values flows into the state as it is.
const EDGES_OF_A_NODE: usize = 2_000;
/// Nodes after which the solver is replaced: it is full of clauses about single nodes by then.
const RENEWAL: usize = 500;

/// The graph of all reachable nodes. `None`: beyond the limits.
pub(crate) fn enumerate(subject: &Subject, context: &Context<'_>) -> Result<Option<Graph>, Halt> {
    let mut graph = Graph {
        words: subject.words.iter().map(|&word| subject.word_name(word)).collect(),
        labels: subject.labels.iter().map(|(goal, step)| Label { goal: goal.clone(), step: *step }).collect(),
        ..Graph::default()
    };
    let mut numbers = FxHashMap::default();
    initial_nodes(subject, &mut graph, &mut numbers, context)?;
    let mut explorer = None;
    let mut done = 0;
    while done < graph.nodes.len() {
        if graph.nodes.len() > NODES {
            return Ok(None);
        }
        if done % RENEWAL == 0 {
            explorer = None;
        }
        let explorer = match &mut explorer {
            Some(explorer) => explorer,
            empty => empty.insert(Explorer::new(subject, context)?),
        };
        if !explorer.expand(done, &mut graph, &mut numbers, context)? {
            return Ok(None);
        }
        done += 1;
    }
    Ok(Some(graph))
}

type Numbers = FxHashMap<Vec<u128>, usize>;

fn intern(values: Vec<u128>, initial: bool, graph: &mut Graph, numbers: &mut Numbers) -> usize {
    let next = graph.nodes.len();
    let number = *numbers.entry(values.clone()).or_insert(next);
    if number == next {
        graph.nodes.push(Node { values, initial, end: true });
    }
    number
}

fn initial_nodes(
    subject: &Subject,
    graph: &mut Graph,
    numbers: &mut Numbers,
    context: &Context<'_>,
) -> Result<(), Halt> {
    let mut solver = context.options.backend.open();
    let mut unrolling = Unrolling::new(&subject.system, Start::Initial);
    let bits = state(subject, &mut unrolling, 0, &mut solver)?;
    let running = unrolling.running(0, &mut solver)?;
    while context.solve(&mut solver, &[running])? && graph.nodes.len() <= NODES {
        let values = read(&bits, &*solver);
        solver.clause(&differs(&bits, &values));
        intern(values, true, graph, numbers);
    }
    Ok(())
}

fn read(state: &[Vec<Lit>], solver: &dyn IncrementalSat) -> Vec<u128> {
    let bit = |(position, &bit): (usize, &Lit)| u128::from(solver.value(bit) == Some(true)) << position;
    state.iter().map(|word| word.iter().enumerate().map(bit).sum()).collect()
}

/// One step from any state, in a solver.
struct Explorer {
    solver: Box<dyn IncrementalSat + Send>,
    here: Vec<Vec<Lit>>,
    next: Vec<Vec<Lit>>,
    running: Lit,
    labels: Vec<Lit>,
    end: Option<Lit>,
}

impl Explorer {
    fn new(subject: &Subject, context: &Context<'_>) -> Result<Self, EncodeError> {
        let mut solver = context.options.backend.open();
        let mut unrolling = Unrolling::new(&subject.system, Start::Free);
        let here = state(subject, &mut unrolling, 0, &mut solver)?;
        let next = state(subject, &mut unrolling, 1, &mut solver)?;
        let running = unrolling.running(1, &mut solver)?;
        let mut labels = Vec::new();
        for label in subject.system.goals.values() {
            labels.push(unrolling.literal(label.antecedent, 0, &mut solver)?);
        }
        let end = subject.system.end.map(|end| unrolling.literal(end, 0, &mut solver)).transpose()?;
        Ok(Self { solver, here, next, running, labels, end })
    }

    /// Finds the edges out of a node, and whether it is an end. `false`: too many edges.
    fn expand(
        &mut self,
        node: usize,
        graph: &mut Graph,
        numbers: &mut Numbers,
        context: &Context<'_>,
    ) -> Result<bool, Halt> {
        let inside = equals(&self.here, &graph.nodes[node].values);
        if let Some(end) = self.end {
            let mut assumptions = inside.clone();
            assumptions.push(end);
            graph.nodes[node].end = context.solve(&mut self.solver, &assumptions)?;
        }
        let fresh = self.solver.fresh().positive();
        let mut assumptions = inside;
        assumptions.extend([fresh, self.running]);
        let mut edges: Vec<Edge> = Vec::new();
        while context.solve(&mut self.solver, &assumptions)? {
            let values = read(&self.next, &*self.solver);
            let has = |&label: &usize| self.solver.value(self.labels[label]) == Some(true);
            let labels: Vec<usize> = (0..self.labels.len()).filter(has).collect();
            let mut clause = differs(&self.next, &values);
            clause.push(!fresh);
            clause.extend(
                (0..self.labels.len())
                    .filter(|label| !labels.contains(label))
                    .map(|label| self.labels[label]),
            );
            self.solver.clause(&clause);
            edges.push(Edge { from: node, to: intern(values, false, graph, numbers), labels });
            if edges.len() > EDGES_OF_A_NODE || graph.edges.len() + edges.len() > EDGES {
                return Ok(false);
            }
        }
        self.solver.clause(&[!fresh]);
        graph.edges.extend(strongest(edges));
        Ok(true)
    }
}

/// Without edges that another one with more labels makes superfluous; ascending.
fn strongest(mut edges: Vec<Edge>) -> Vec<Edge> {
    edges.sort_unstable();
    edges.dedup();
    let all = edges.clone();
    edges.retain(|edge| {
        let exceeds = |other: &&Edge| {
            other.to == edge.to
                && other.labels.len() > edge.labels.len()
                && edge.labels.iter().all(|label| other.labels.binary_search(label).is_ok())
        };
        !all.iter().any(|other| exceeds(&other))
    });
    edges
}
