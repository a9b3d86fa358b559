//! Making a graph that stands for a system: all reachable nodes, step by step, by queries about
//! single steps.
//!
//! It uses neither the explicit engine nor its idea of classes of inputs: from each node, the
//! solver is asked for a step without a matching edge until there is none; the node's values are
//! built into the query. Whether the result is right does not matter here; the proofs show it.

use super::queries::{StepFrom, differs, state};
use super::subject::Subject;
use checker::graph::{Edge, Graph, Label, Node};
use encoder::unroll::{Start, Unrolling};
use engine::session::{Session, Stop};
use model::id::Id;
use model::simulate::WindowEvaluator;
use model::term::SymbolId;
use model::validate::Meaning;
use model::value::Value;
use model::visit::support;
use rustc_hash::FxHashMap;
use solver::sat::{ClauseSink, IncrementalSat, Lit};

/// What an enumeration may come to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Most nodes; of edges there may be ten times as many.
    pub(crate) nodes: usize,
    /// Values of a word that are many among so many nodes.
    pub(crate) many_values: usize,
    /// Most edges out of one node: beyond, an input of many values flows into the state as it is.
    pub(crate) edges_of_a_node: usize,
}

/// Before families of nodes are tried, where one word has very many values.
pub(super) const FIRST: Limits = Limits { nodes: 5_000, many_values: 300, edges_of_a_node: 2_000 };
/// Before anything else than a graph is tried.
pub(super) const LARGE: Limits = Limits { nodes: 50_000, many_values: 16, edges_of_a_node: 2_000 };
/// Most edges for each node allowed.
const EDGES_FOR_A_NODE: usize = 10;

/// What an enumeration came to.
pub(crate) enum Enumerated {
    /// The graph of all reachable nodes.
    Whole(Graph),
    /// There are too many nodes or edges. The word, by position among the subject's, that had the
    /// most values among those seen, if these are many.
    TooLarge(Option<usize>),
}

/// The graph of all reachable nodes.
pub(crate) fn enumerate(
    subject: &Subject,
    limits: Limits,
    session: &Session<'_>,
) -> Result<Enumerated, Stop> {
    let mut graph = Graph {
        words: subject.words.iter().map(|&word| subject.word_name(word)).collect(),
        labels: subject.labels.iter().map(|(goal, step)| Label { goal: goal.clone(), step: *step }).collect(),
        ..Graph::default()
    };
    let mut numbers = FxHashMap::default();
    initial_nodes(subject, limits.nodes, &mut graph, &mut numbers, session)?;
    let mut ends = Ends::new(subject, session)?;
    let mut done = 0;
    while done < graph.nodes.len() {
        let Some(edges) = edges(subject, &graph.nodes[done].values, limits, session)? else {
            return Ok(Enumerated::TooLarge(None));
        };
        graph.nodes[done].end = ends.holds(&graph.nodes[done].values, session)?;
        for (values, labels) in edges {
            let to = intern(values, false, &mut graph, &mut numbers);
            graph.edges.push(Edge { from: done, to, labels });
        }
        let first = graph.edges.partition_point(|edge| edge.from < done);
        graph.edges[first..].sort_unstable();
        if graph.nodes.len() > limits.nodes || graph.edges.len() > EDGES_FOR_A_NODE * limits.nodes {
            return Ok(Enumerated::TooLarge(most_varied(&graph, limits.many_values)));
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
    most: usize,
    graph: &mut Graph,
    numbers: &mut Numbers,
    session: &Session<'_>,
) -> Result<(), Stop> {
    let mut solver = session.options.backend.open();
    let mut unrolling = Unrolling::new(&subject.system, Start::Initial);
    let bits = state(subject, &mut unrolling, 0, &mut solver)?;
    let running = unrolling.running(0, &mut solver)?;
    while session.solve(&mut solver, &[running])? && graph.nodes.len() <= most {
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

/// All steps from a node, without those that another one with more labels makes superfluous.
/// `None`: too many.
fn edges(
    subject: &Subject,
    values: &[u128],
    limits: Limits,
    session: &Session<'_>,
) -> Result<Option<Vec<Step>>, Stop> {
    let mut solver = session.options.backend.open();
    let step = StepFrom::new(subject, values, &mut solver)?;
    let mut found: Vec<Step> = Vec::new();
    while session.solve(&mut solver, &[step.running])? {
        if found.len() == limits.edges_of_a_node {
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

/// Says whether a chain may end in a node: in one of its states, where it stands for several.
pub(super) enum Ends<'s> {
    /// Anywhere.
    Anywhere,
    /// The words of the node decide. Others do not matter.
    Decided { subject: &'s Subject, evaluator: Box<WindowEvaluator>, zero: Vec<Value> },
    /// Other words matter, too: a query tells.
    Asked { solver: Box<dyn IncrementalSat + Send>, end: Lit, words: Vec<Vec<Lit>> },
}

impl<'s> Ends<'s> {
    pub(super) fn new(subject: &'s Subject, session: &Session<'_>) -> Result<Self, Stop> {
        let system = &subject.system;
        let Some(end) = system.end else { return Ok(Self::Anywhere) };
        let is_kept = |&symbol: &SymbolId| match system.meaning(symbol) {
            Meaning::State(word) => subject.words.contains(&word),
            _ => false,
        };
        if support(&system.terms, &[end]).iter().all(is_kept) {
            let sorts = system.states.values().map(|state| system.terms.symbol(state.symbol).sort);
            let zero = sorts.map(Value::zero).collect();
            return Ok(Self::Decided {
                subject,
                evaluator: Box::new(WindowEvaluator::new(system, [end])),
                zero,
            });
        }
        let mut solver = session.options.backend.open();
        let mut unrolling = Unrolling::new(system, Start::Free);
        let end = unrolling.literal(end, 0, &mut solver)?;
        let words = state(subject, &mut unrolling, 0, &mut solver)?;
        Ok(Self::Asked { solver, end, words })
    }

    pub(super) fn holds(&mut self, values: &[u128], session: &Session<'_>) -> Result<bool, Stop> {
        match self {
            Self::Anywhere => Ok(true),
            Self::Decided { subject, evaluator, zero } => {
                let mut state = zero.clone();
                for (word, &bits) in subject.words.iter().zip(values) {
                    let value = &mut state[word.index()];
                    *value = Value::new(value.sort(), bits);
                }
                evaluator.run::<_, &[Value]>(&[state], &[]);
                Ok(evaluator.holds(0))
            }
            Self::Asked { solver, end, words } => {
                let has_values = differs(words, values).into_iter().map(|literal| !literal);
                let asked: Vec<Lit> = has_values.chain([*end]).collect();
                session.solve(solver, &asked)
            }
        }
    }
}
