//! Shortest walks that take certain edges of a finite graph, by the engine.

use crate::error::Error;
use engine::options::Options;
use engine::session::Silent;
use model::sort::Sort;
use model::system::{Assumption, Goal, InputRole, TransitionSystem};
use model::term::{BinaryOp, TermId};
use model::validate::validate;
use model::value::Value;

/// A graph: for each node where its edges lead. Walks start in node 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) edges: Vec<Vec<u32>>,
}

/// Edges, each as a node and the position among its edges, one of which has to be taken.
pub(crate) type GoalEdges = Vec<(u32, usize)>;

/// Walks that reach all goals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walks {
    /// For each walk the positions of its edges in the nodes that it passes.
    pub(crate) walks: Vec<Vec<usize>>,
    /// Steps that as many walks need at least.
    pub(crate) lower_bound: u64,
    /// Steps that any number of walks need at least.
    pub(crate) lower_bound_of_any: u64,
    /// Whether all goals are reached.
    pub(crate) is_complete: bool,
}

/// Largest graph that is asked about, in edges: every one of them is a term.
const MOST_EDGES: usize = 20_000;

/// The goals that bring all others: those of whose edges no other goal has only some.
pub(crate) fn least(goals: &[GoalEdges]) -> Vec<GoalEdges> {
    let mut sorted: Vec<GoalEdges> = goals.to_vec();
    for goal in &mut sorted {
        goal.sort_unstable();
        goal.dedup();
    }
    sorted.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    sorted.dedup();
    let mut kept: Vec<GoalEdges> = Vec::new();
    for goal in sorted {
        let contains = |small: &GoalEdges| small.iter().all(|edge| goal.binary_search(edge).is_ok());
        if !kept.iter().any(contains) {
            kept.push(goal);
        }
    }
    kept
}

/// Walks that take an edge of each goal, as few and as short as the engine finds within the
/// options. None where the graph is too large to ask.
///
/// # Errors
/// As for [`find_chains`](crate::find_chains).
pub(crate) fn cover(graph: &Graph, goals: &[GoalEdges], options: &Options) -> Result<Option<Walks>, Error> {
    let size: usize = graph.edges.iter().map(Vec::len).sum();
    if goals.is_empty() || size > MOST_EDGES {
        return Ok(goals.is_empty().then(|| Walks { is_complete: true, ..Walks::default() }));
    }
    let system = validate(system(graph, goals)).expect("a graph should be a valid system");
    let outcome = engine::find_chains(&system, options, &Silent)?;
    let edges = |chain: &engine::outcome::Chain| {
        let edge = |inputs: &Vec<Value>| inputs.first().map_or(0, |value| value.bits() as usize);
        chain.trace.inputs.iter().map(edge).collect()
    };
    Ok(Some(Walks {
        walks: outcome.chains.iter().map(edges).collect(),
        lower_bound: outcome.lower_bound,
        lower_bound_of_any: outcome.lower_bound_of_any,
        is_complete: outcome.covered() == goals.len(),
    }))
}

fn system(graph: &Graph, goals: &[GoalEdges]) -> TransitionSystem {
    let bits = |count: usize| (usize::BITS - count.saturating_sub(1).leading_zeros()).max(1);
    let degree = graph.edges.iter().map(Vec::len).max().unwrap_or(1);
    let (node_bits, edge_bits) = (bits(graph.edges.len()), bits(degree));
    let mut system = TransitionSystem { name: "graph".to_owned(), ..TransitionSystem::default() };
    let node = system.add_state("node", Sort::word(node_bits));
    let edge = system.add_input("edge", Sort::word(edge_bits), InputRole::Stimulus);
    let (node_term, edge_term) = (system.state_term(node), system.input_term(edge));
    let terms = &mut system.terms;
    let is_node: Vec<TermId> = (0..graph.edges.len())
        .map(|number| {
            let word = terms.word(node_bits, number as u128);
            terms.equal(node_term, word)
        })
        .collect();
    let is_edge: Vec<TermId> = (0..degree)
        .map(|number| {
            let word = terms.word(edge_bits, number as u128);
            terms.equal(edge_term, word)
        })
        .collect();
    let mut next = node_term;
    let mut exists = terms.truth(false);
    for (number, edges) in graph.edges.iter().enumerate() {
        let mut to = node_term;
        for (position, &target) in edges.iter().enumerate() {
            let word = terms.word(node_bits, u128::from(target));
            to = terms.ite(is_edge[position], word, to);
        }
        next = terms.ite(is_node[number], to, next);
        if let Some(last) = edges.len().checked_sub(1) {
            let last = terms.word(edge_bits, last as u128);
            let is_one = terms.binary(BinaryOp::ULe, edge_term, last);
            exists = terms.ite(is_node[number], is_one, exists);
        }
    }
    let zero = terms.word(node_bits, 0);
    for (number, goal) in goals.iter().enumerate() {
        let mut antecedent = system.terms.truth(false);
        for &(from, position) in goal {
            let both = system.terms.and(is_node[from as usize], is_edge[position]);
            antecedent = system.terms.or(antecedent, both);
        }
        system.goals.push(Goal {
            name: format!("g{number}"),
            requirement: None,
            text: None,
            origin: None,
            steps: 1,
            antecedent,
            expectation: None,
        });
    }
    system.states[node].init = zero;
    system.states[node].next = next;
    system.assumptions.push(Assumption { condition: exists, origin: None });
    system
}

/// Walks that reach all goals that can be reached, always the nearest next: for graphs beyond the
/// engine. They claim nothing.
pub(crate) fn greedy(graph: &Graph, goals: &[GoalEdges]) -> Walks {
    let mut open: Vec<&GoalEdges> = goals.iter().collect();
    let mut found = Walks::default();
    let mut walk: Vec<usize> = Vec::new();
    let mut at = 0_u32;
    while !open.is_empty() {
        match nearest(graph, at, &open) {
            Some(path) => {
                for edge in path {
                    open.retain(|goal| !goal.contains(&(at, edge)));
                    at = graph.edges[at as usize][edge];
                    walk.push(edge);
                }
            }
            None if walk.is_empty() => break,
            None => {
                found.walks.push(std::mem::take(&mut walk));
                at = 0;
            }
        }
    }
    if !walk.is_empty() {
        found.walks.push(walk);
    }
    found.is_complete = open.is_empty();
    found
}

/// The shortest path from a node that ends with an edge of one of some goals.
fn nearest(graph: &Graph, from: u32, goals: &[&GoalEdges]) -> Option<Vec<usize>> {
    let mut wanted: Vec<(u32, usize)> = goals.iter().flat_map(|goal| goal.iter().copied()).collect();
    wanted.sort_unstable();
    let mut before: Vec<Option<(u32, usize)>> = vec![None; graph.edges.len()];
    let mut queue = vec![from];
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        for (edge, &to) in graph.edges[node as usize].iter().enumerate() {
            if wanted.binary_search(&(node, edge)).is_ok() {
                let mut path = vec![edge];
                let mut at = node;
                while at != from {
                    let (earlier, edge) = before[at as usize]?;
                    path.push(edge);
                    at = earlier;
                }
                path.reverse();
                return Some(path);
            }
            if to != from && before[to as usize].is_none() {
                before[to as usize] = Some((node, edge));
                queue.push(to);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_take_an_edge_of_each_goal() {
        // 0 -> 1 -> 2 -> 0, with a loop at 1.
        let graph = Graph { edges: vec![vec![1], vec![2, 1], vec![0]] };
        let goals = least(&[vec![(1, 1)], vec![(2, 0)], vec![(1, 1), (0, 0)]]);
        assert_eq!(goals.len(), 2);
        let found = cover(&graph, &goals, &Options::default()).expect("no errors").expect("a small graph");
        assert_eq!((found.walks, found.lower_bound, found.is_complete), (vec![vec![0, 1, 0, 0]], 4, true));
        let found = greedy(&graph, &goals);
        assert_eq!((found.walks, found.is_complete), (vec![vec![0, 1, 0, 0]], true));
    }
}
