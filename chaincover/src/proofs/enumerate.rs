//! Making a graph that stands for a system: all reachable nodes, step by step, by queries about single steps.
//!
//! It uses neither the explicit engine nor its idea of classes of inputs: from each node, the solver is asked for a step without a matching
//! edge until there is none; the node's values are built into the query. Whether the result is right does not matter here; the proofs show it.

use super::queries::{StepFrom, differs, state};
use super::subject::Subject;
use crate::stats::{Context, Halt};
use checker::graph::{Edge, Graph, Label, Node};
use encoder::unroll::{Start, Unrolling};
use model::id::Id;
use model::simulate::WindowEvaluator;
use model::value::Value;
use rustc_hash::FxHashMap;
use solver::sat::{ClauseSink, IncrementalSat, Lit};

/// Most nodes.
pub(super) const NODES: usize = 50_000;
/// Nodes after which families of them are tried, where one word has many values.
pub(super) const FIRST_NODES: usize = 5_000;
/// Values of a word that are many among all nodes, and among the first ones.
pub(super) const MANY_VALUES: usize = 16;
pub(super) const MANY_FIRST_VALUES: usize = 300;
/// Most edges.
const EDGES: usize = 500_000;
/// Most edges out of one node: beyond, an input of many values flows into the state as it is.
const EDGES_OF_A_NODE: usize = 2_000;
/// What an enumeration came to.
pub(crate) enum Enumerated {
    /// The graph of all reachable nodes.
    Whole(Graph),
    /// There are too many nodes or edges. The word, by position among the subject's, that had the most values among those seen, if these are many.
    TooLarge(Option<usize>),
}

/// The graph of all reachable nodes, of so many at most; so many values of a word are many.
pub(crate) fn enumerate(
    subject: &Subject,
    most: usize,
    many: usize,
    context: &Context<'_>,
) -> Result<Enumerated, Halt> {
    let mut graph = Graph {
        words: subject.words.iter().map(|&word| subject.word_name(word)).collect(),
        labels: subject.labels.iter().map(|(goal, step)| Label { goal: goal.clone(), step: *step }).collect(),
        ..Graph::default()
    };
    let mut numbers = FxHashMap::default();
    initial_nodes(subject, &mut graph, &mut numbers, context)?;
    let mut ends = ends(subject);
    let mut done = 0;
    while done < graph.nodes.len() {
        let Some(edges) = edges(subject, &graph.nodes[done].values, context)? else {
            return Ok(Enumerated::TooLarge(None));
        };
        graph.nodes[done].end = ends(&graph.nodes[done].values);
        for (values, labels) in edges {
            let to = intern(values, false, &mut graph, &mut numbers);
            graph.edges.push(Edge { from: done, to, labels });
        }
        let first = graph.edges.partition_point(|edge| edge.from < done);
        graph.edges[first..].sort_unstable();
        if graph.nodes.len() > most || graph.edges.len() > EDGES {
            return Ok(Enumerated::TooLarge(most_varied(&graph, many)));
        }
        done += 1;
    }
    Ok(Enumerated::Whole(graph))
}

/// The word with the most values, if these are many.
fn most_varied(graph: &Graph, many: usize) -> Option<usize> {
    let count = |word: usize| {
        let mut values: Vec<u128> = graph.nodes.iter().map(|node| node.values[word]).collect();
        values.sort_unstable();
        values.dedup();
        values.len()
    };
    let counts: Vec<usize> = (0..graph.words.len()).map(count).collect();
    let most = (0..counts.len()).max_by_key(|&word| (counts[word], std::cmp::Reverse(word)));
    most.filter(|&word| counts[word] >= many)
}

pub(super) type Numbers = FxHashMap<Vec<u128>, usize>;

fn intern(values: Vec<u128>, initial: bool, graph: &mut Graph, numbers: &mut Numbers) -> usize {
    let next = graph.nodes.len();
    let number = *numbers.entry(values.clone()).or_insert(next);
    if number == next {
        graph.nodes.push(Node { values, initial, end: true });
    }
    number
}

pub(super) fn initial_nodes(
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

pub(super) fn read(state: &[Vec<Lit>], solver: &dyn IncrementalSat) -> Vec<u128> {
    let bit = |(position, &bit): (usize, &Lit)| u128::from(solver.is_true(bit)) << position;
    state.iter().map(|word| word.iter().enumerate().map(bit).sum()).collect()
}

/// Values after a step and the labels of the step.
pub(super) type Step = (Vec<u128>, Vec<usize>);

/// All steps from a node, without those that another one with more labels makes superfluous. `None`: too many.
fn edges(subject: &Subject, values: &[u128], context: &Context<'_>) -> Result<Option<Vec<Step>>, Halt> {
    let mut solver = context.options.backend.open();
    let step = StepFrom::new(subject, values, &mut solver)?;
    let mut found: Vec<Step> = Vec::new();
    while context.solve(&mut solver, &[step.running])? {
        if found.len() == EDGES_OF_A_NODE {
            return Ok(None);
        }
        let values = read(&step.next, &*solver);
        let has = |&label: &usize| solver.is_true(step.labels[label]);
        let labels: Vec<usize> = (0..step.labels.len()).filter(has).collect();
        let other = step.exceeds(&values, &labels);
        solver.clause(&other.expect("a step that was found should be possible"));
        found.push((values, labels));
    }
    Ok(Some(strongest(found)))
}

pub(super) fn strongest(mut steps: Vec<Step>) -> Vec<Step> {
    steps.sort_unstable();
    let is_exceeded = |(values, labels): &Step, steps: &[Step]| {
        let same = steps[steps.partition_point(|other| other.0 < *values)..]
            .iter()
            .take_while(|other| other.0 == *values);
        let more = |other: &[usize]| labels.iter().all(|label| other.binary_search(label).is_ok());
        same.into_iter().any(|(_, other)| other.len() > labels.len() && more(other))
    };
    let all = steps.clone();
    steps.retain(|step| !is_exceeded(step, &all));
    steps
}

/// Says whether a chain may end in a node. State words that the subject does not have do not matter.
pub(super) fn ends(subject: &Subject) -> impl FnMut(&[u128]) -> bool + '_ {
    let system = &subject.system;
    let mut evaluator = system.end.map(|end| WindowEvaluator::new(system, [end]));
    let sorts = system.states.values().map(|state| system.terms.symbol(state.symbol).sort);
    let zero: Vec<Value> = sorts.map(Value::zero).collect();
    move |values| {
        let Some(evaluator) = &mut evaluator else { return true };
        let mut state = zero.clone();
        for (word, &bits) in subject.words.iter().zip(values) {
            let value = &mut state[word.index()];
            *value = Value::new(value.sort(), bits);
        }
        evaluator.run::<_, &[Value]>(&[state], &[]);
        evaluator.holds(0)
    }
}
