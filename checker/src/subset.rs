//! Exact costs of some of the goals: what it costs to cover these and end, from every node, for
//! every set of those that have begun.
//!
//! To cover fewer goals costs no more, so these costs are lower bounds of what is left for all
//! goals (pattern databases: J. Culberson, J. Schaeffer, 1998). The goals are those that cost the
//! most together, chosen one after the other. Windows of several steps count from their first step
//! on, which makes costs too small rather than too great.

use crate::cover::Cover;
use crate::legs::NEVER;
use std::collections::VecDeque;
use std::ops::Range;

/// Most entries of a table.
const MOST_ENTRIES: usize = 1 << 26;
/// Most edges that are looked at for a table.
const MOST_WORK: usize = 1 << 28;
/// Most edges that are looked at for a table that is made only to choose a goal.
const MOST_TRIAL: usize = 1 << 26;

/// See the module text.
pub(crate) struct Table {
    goals: Vec<usize>,
    nodes: usize,
    /// By set of goals that have begun, then by node.
    costs: Vec<u32>,
}

/// The edges of a graph as tables are made from them.
struct Edges {
    /// By node: its place in `into`.
    ranges: Vec<Range<usize>>,
    /// Sources of edges, by target.
    into: Vec<u32>,
    /// Edges with the first step of a goal: source, target, goals.
    begin: Vec<(u32, u32, u32)>,
    nodes: usize,
    ends: Vec<u32>,
    initial: Vec<usize>,
}

impl Edges {
    fn new(cover: &Cover<'_>) -> Self {
        let graph = cover.graph;
        let nodes = graph.nodes.len();
        let mut counts = vec![0usize; nodes + 1];
        graph.edges.iter().for_each(|edge| counts[edge.to + 1] += 1);
        (0..nodes).for_each(|node| counts[node + 1] += counts[node]);
        let ranges = (0..nodes).map(|node| counts[node]..counts[node + 1]).collect();
        let mut into = vec![0; graph.edges.len()];
        let mut begin = Vec::new();
        for edge in &graph.edges {
            into[counts[edge.to]] = edge.from as u32;
            counts[edge.to] += 1;
            let begins = |goal: &usize| edge.labels.binary_search(&cover.goals[*goal][0]).is_ok();
            let goals = (0..cover.goals.len()).filter(begins).fold(0u32, |set, goal| set | 1 << goal);
            if goals != 0 {
                begin.push((edge.from as u32, edge.to as u32, goals));
            }
        }
        let ends = (0..nodes as u32).filter(|&node| graph.nodes[node as usize].end).collect();
        let initial = (0..nodes).filter(|&node| graph.nodes[node].initial).collect();
        Self { ranges, into, begin, nodes, ends, initial }
    }

    fn work(&self) -> usize {
        self.into.len() + self.nodes
    }
}

impl Table {
    /// For the goals that cost the most together, as many as fit. `None`: `stop` said so before it
    /// was done.
    pub(crate) fn of_dearest(cover: &Cover<'_>, reset: u32, stop: &dyn Fn() -> bool) -> Option<Self> {
        let edges = Edges::new(cover);
        let most = (0..cover.goals.len())
            .take_while(|size| {
                edges.work() << (size + 1) <= MOST_WORK && edges.nodes << (size + 1) <= MOST_ENTRIES
            })
            .count();
        let mut chosen: Vec<usize> = Vec::new();
        let mut left: Vec<usize> = (0..cover.goals.len()).collect();
        while chosen.len() < most && !left.is_empty() {
            let is_cheap = edges.work() << (chosen.len() + 1) <= MOST_TRIAL;
            if is_cheap || chosen.is_empty() {
                let cost = |goal: usize| {
                    let goals = chosen.iter().copied().chain([goal]).collect();
                    Self::new(&edges, goals, reset, stop).map(|table| table.least(&edges))
                };
                let costs: Vec<u32> = left.iter().map(|&goal| cost(goal)).collect::<Option<_>>()?;
                let mut order: Vec<usize> = (0..left.len()).collect();
                order.sort_by_key(|&place| std::cmp::Reverse(costs[place]));
                left = order.into_iter().map(|place| left[place]).collect();
            }
            chosen.push(left.remove(0));
        }
        Self::new(&edges, chosen, reset, stop)
    }

    fn new(edges: &Edges, goals: Vec<usize>, reset: u32, stop: &dyn Fn() -> bool) -> Option<Self> {
        let sets = 1usize << goals.len();
        let mut table = Self { costs: vec![NEVER; sets * edges.nodes], nodes: edges.nodes, goals };
        for begun in (0..sets).rev() {
            if stop() {
                return None;
            }
            table.fill(begun, edges, reset);
        }
        Some(table)
    }

    /// No set of chains costs less.
    fn least(&self, edges: &Edges) -> u32 {
        edges.initial.iter().map(|&node| self.costs[node]).min().unwrap_or(NEVER)
    }

    /// No way from the node costs less that begins all goals but these.
    pub(crate) fn bound(&self, node: usize, begun: usize) -> u32 {
        self.costs[self.subset(begun) * self.nodes + node]
    }

    /// The goals of the table among a set of goals.
    fn subset(&self, set: usize) -> usize {
        self.goals.iter().enumerate().fold(0, |subset, (place, &goal)| subset | (set >> goal & 1) << place)
    }

    /// Costs where these goals have begun; those of greater sets are known.
    fn fill(&mut self, begun: usize, edges: &Edges, reset: u32) {
        let mut seeds: Vec<(u32, u32)> = Vec::new();
        if begun + 1 == 1 << self.goals.len() {
            seeds.extend(edges.ends.iter().map(|&node| (0, node)));
        }
        for &(from, to, goals) in &edges.begin {
            let after = begun | self.subset(goals as usize);
            let cost = self.costs[after * self.nodes + to as usize];
            if after != begun && cost != NEVER {
                seeds.push((cost + 1, from));
            }
        }
        self.spread(begun, seeds, edges);
        let again = edges.initial.iter().map(|&node| self.costs[begun * self.nodes + node]).min();
        let again = again.unwrap_or(NEVER).saturating_add(reset);
        if begun + 1 < 1 << self.goals.len() && again != NEVER {
            let seeds = edges.ends.iter().map(|&node| (again, node)).collect();
            self.spread(begun, seeds, edges);
        }
    }

    /// Lowers costs from these nodes on, against the edges (Dijkstra; all edges cost 1, so a queue
    /// beside the sorted seeds will do).
    fn spread(&mut self, begun: usize, mut seeds: Vec<(u32, u32)>, edges: &Edges) {
        seeds.sort_unstable();
        let costs = &mut self.costs[begun * self.nodes..][..self.nodes];
        let mut seeds = seeds.into_iter().peekable();
        let mut queue: VecDeque<(u32, u32)> = VecDeque::new();
        loop {
            let from_seeds = match (seeds.peek(), queue.front()) {
                (Some(seed), Some(front)) => seed.0 <= front.0,
                (seed, _) => seed.is_some(),
            };
            let next = if from_seeds { seeds.next() } else { queue.pop_front() };
            let Some((cost, node)) = next else { return };
            if costs[node as usize] <= cost {
                continue;
            }
            costs[node as usize] = cost;
            for &source in &edges.into[edges.ranges[node as usize].clone()] {
                if costs[source as usize] > cost + 1 {
                    queue.push_back((cost + 1, source));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    const DEAR: u32 = 1 << 24;

    /// Goals a and b on ways that exclude each other, c on both.
    const WAYS: &str = "chaincover graph 1\nword w\nlabel 0 a\nlabel 0 b\nlabel 0 c\nnode i 0\nnode - 1\nnode e 2\nedge 0 1 0\nedge 0 2 1\nedge 1 2 2\nedge 2 2\n";

    #[test]
    fn costs_of_all_goals_are_those_of_the_search() {
        let graph = Graph::parse(WAYS).expect("a graph");
        for (goals, reset, cost) in
            [(vec![0, 1], 5, 2 + 5 + 1), (vec![1], 5, 1), (vec![0, 2], 5, 2), (vec![0, 1, 2], DEAR, DEAR + 3)]
        {
            let cover = Cover::new(&graph, goals.iter().map(|&goal| vec![goal]).collect());
            let table = Table::of_dearest(&cover, reset, &|| false).expect("a table");
            assert_eq!(table.goals.len(), goals.len());
            assert_eq!(table.bound(0, 0), cost, "{goals:?}");
            assert_eq!(cover.least_cost(reset, 100), crate::cover::Cost::Least(cost), "{goals:?}");
            assert!(Table::of_dearest(&cover, reset, &|| true).is_none());
            let stopped = cover.least_cost_until(reset, 100, &|| true);
            assert!(matches!(stopped, crate::cover::Cost::AtLeast(bound) if bound <= cost), "{stopped:?}");
        }
    }
}
