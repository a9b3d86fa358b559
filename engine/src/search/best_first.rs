//! A*: cheapest paths, found with lower bounds of what is still to come (P. E. Hart, N. J. Nilsson,
//! B. Raphael, IEEE Transactions on Systems Science and Cybernetics 4 (1968)).
//!
//! Nodes need not be listed: a [`SearchSpace`] computes successors and bounds when it is asked for
//! them. Of nodes with the same rank the search takes the one with the highest cost first, which is
//! the deepest one.

use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::Hash;

/// Number standing for "no node".
const NONE: u32 = u32::MAX;
/// Expansions between two looks at the limits.
const LOOK_AT_LIMITS: usize = 1_024;

/// A graph to be searched, with bounds.
pub(crate) trait SearchSpace {
    /// A place of the search.
    type Node: Copy + Eq + Hash;
    /// How a node was entered.
    type Edge: Copy;

    /// Whether a path may end here.
    fn is_goal(&mut self, node: Self::Node) -> bool;

    /// The order in which nodes are visited, least first: the cost from the start plus a lower
    /// bound of the cost from here to a goal. `None`: no path through this node is of interest.
    fn rank(&mut self, node: Self::Node, cost: u32) -> Option<u32>;

    /// Appends the successors of a node, each with its edge and the price of that edge.
    fn successors(&mut self, node: Self::Node, found: &mut Vec<(Self::Node, Self::Edge, u32)>);
}

/// A path: its nodes, each with the edge by which it was entered.
pub(crate) type NodePath<S> = Vec<(<S as SearchSpace>::Node, <S as SearchSpace>::Edge)>;

/// What a search comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SearchResult<P> {
    /// A path with the least rank: where ranks never exceed the cost of the best path, a cheapest
    /// one.
    Found(P),
    /// No path is of interest.
    None,
    /// There are too many nodes; every path of interest that is left has at least this rank.
    GaveUp { rank: u32 },
}

impl<P> SearchResult<P> {
    /// The same with another description of the path.
    pub(crate) fn map<Q>(self, describe: impl FnOnce(P) -> Q) -> SearchResult<Q> {
        match self {
            Self::Found(path) => SearchResult::Found(describe(path)),
            Self::None => SearchResult::None,
            Self::GaveUp { rank } => SearchResult::GaveUp { rank },
        }
    }
}

/// Which successors of a node are kept when the node is visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expansion {
    /// All of them.
    Whole,
    /// Only those whose rank is not above the node's; the search visits the node again when the
    /// others are due (T. Yoshizumi, T. Miura, T. Ishida, A* with partial expansion, AAAI 2000).
    /// That saves memory where long paths pass many nodes whose neighbours never matter.
    Partial,
}

#[derive(Clone, Copy, Debug)]
struct Record<N, E> {
    node: N,
    edge: E,
    cost: u32,
    /// The node before; [`NONE`]: a path starts here.
    before: u32,
}

/// One search; see the module text.
pub(crate) struct BestFirst<S: SearchSpace> {
    space: S,
    expansion: Expansion,
    most_nodes: usize,
    records: Vec<Record<S::Node, S::Edge>>,
    numbers: FxHashMap<S::Node, u32>,
    /// Rank, cost and number of a node: the least rank comes out first, then the greatest cost.
    queue: BinaryHeap<(Reverse<u32>, u32, Reverse<u32>)>,
}

impl<S: SearchSpace> BestFirst<S> {
    /// A search that gives up when it knows more than `most_nodes`.
    pub(crate) fn new(space: S, expansion: Expansion, most_nodes: usize) -> Self {
        let (records, numbers, queue) = (Vec::new(), FxHashMap::default(), BinaryHeap::new());
        Self { space, expansion, most_nodes, records, numbers, queue }
    }

    /// Searches from these nodes; `check_limits` stops the search with an error.
    pub(crate) fn run<E>(
        &mut self,
        starts: impl IntoIterator<Item = (S::Node, S::Edge)>,
        check_limits: impl Fn() -> Result<(), E>,
    ) -> Result<SearchResult<NodePath<S>>, E> {
        for (node, edge) in starts {
            self.offer(Record { node, edge, cost: 0, before: NONE }, u32::MAX);
        }
        let (mut visits, mut successors) = (0usize, Vec::new());
        while let Some((Reverse(rank), cost, Reverse(number))) = self.queue.pop() {
            let record = self.records[number as usize];
            if record.cost != cost {
                continue;
            }
            visits += 1;
            if visits.is_multiple_of(LOOK_AT_LIMITS) {
                check_limits()?;
            }
            if self.space.is_goal(record.node) {
                return Ok(SearchResult::Found(self.path(number)));
            }
            if self.records.len() > self.most_nodes {
                return Ok(SearchResult::GaveUp { rank });
            }
            successors.clear();
            self.space.successors(record.node, &mut successors);
            self.expand(number, rank, &successors);
        }
        Ok(SearchResult::None)
    }

    /// Number of nodes that are known.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Keeps the successors that are due, and puts the node back for the others.
    fn expand(&mut self, before: u32, rank: u32, successors: &[(S::Node, S::Edge, u32)]) {
        let cost = self.records[before as usize].cost;
        let most = if self.expansion == Expansion::Partial { rank } else { u32::MAX };
        let mut later: Option<u32> = None;
        for &(node, edge, price) in successors {
            let postponed = self.offer(Record { node, edge, cost: cost.saturating_add(price), before }, most);
            later = later.into_iter().chain(postponed).min();
        }
        self.queue.extend(later.map(|later| (Reverse(later), cost, Reverse(before))));
    }

    /// Enters a node whose rank is at most `most`. Otherwise its rank, if it is of interest later.
    fn offer(&mut self, record: Record<S::Node, S::Edge>, most: u32) -> Option<u32> {
        let known = self.numbers.get(&record.node).copied();
        if known.is_some_and(|number| self.records[number as usize].cost <= record.cost) {
            return None;
        }
        let rank = self.space.rank(record.node, record.cost)?;
        if rank > most {
            return Some(rank);
        }
        let number = known.unwrap_or(self.records.len() as u32);
        match self.records.get_mut(number as usize) {
            Some(known) => *known = record,
            None => {
                self.numbers.insert(record.node, number);
                self.records.push(record);
            }
        }
        self.queue.push((Reverse(rank), record.cost, Reverse(number)));
        None
    }

    fn path(&self, last: u32) -> NodePath<S> {
        let (mut number, mut path) = (last, Vec::new());
        while number != NONE {
            let record = &self.records[number as usize];
            path.push((record.node, record.edge));
            number = record.before;
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_simulation::Random;

    /// A graph with a matrix of prices (`None`: no edge) and admissible bounds.
    struct Matrix {
        prices: Vec<Vec<Option<u32>>>,
        bounds: Vec<u32>,
        goal: usize,
        limit: u32,
    }

    impl SearchSpace for &Matrix {
        type Node = usize;
        type Edge = usize;

        fn is_goal(&mut self, node: usize) -> bool {
            node == self.goal
        }

        fn rank(&mut self, node: usize, cost: u32) -> Option<u32> {
            let rank = cost.saturating_add(self.bounds[node]);
            (rank < self.limit).then_some(rank)
        }

        fn successors(&mut self, node: usize, found: &mut Vec<(usize, usize, u32)>) {
            let prices = self.prices[node].iter().enumerate();
            found.extend(prices.filter_map(|(to, &price)| Some((to, node, price?))));
        }
    }

    /// Distances between all nodes (R. W. Floyd, S. Warshall).
    fn all_distances(prices: &[Vec<Option<u32>>]) -> Vec<Vec<Option<u32>>> {
        let mut least = prices.to_vec();
        (0..least.len()).for_each(|node| least[node][node] = Some(0));
        for over in 0..least.len() {
            for from in 0..least.len() {
                for to in 0..least.len() {
                    let sum = least[from][over].zip(least[over][to]).map(|(a, b)| a + b);
                    least[from][to] = least[from][to].into_iter().chain(sum).min();
                }
            }
        }
        least
    }

    fn random_matrix(random: &mut Random) -> (Matrix, Option<u32>) {
        let size = 2 + random.below(9);
        let mut prices = vec![vec![None; size]; size];
        for price in prices.iter_mut().flatten() {
            *price = (random.below(3) == 0).then(|| random.below(7) as u32);
        }
        let (least, goal) = (all_distances(&prices), random.below(size));
        let bound = |from: usize| {
            least[from][goal].map_or(u32::MAX, |cost| cost - random.below(cost as usize + 1) as u32)
        };
        let bounds = (0..size).map(bound).collect();
        let (limit, least) = (1 + random.below(20) as u32, least[0][goal]);
        (Matrix { prices, bounds, goal, limit }, least.filter(|&cost| cost < limit))
    }

    #[test]
    fn paths_are_as_cheap_as_distances_say() {
        let mut random = Random::new(5);
        let mut found = [0; 2];
        for _ in 0..3_000 {
            let (matrix, least) = random_matrix(&mut random);
            for expansion in [Expansion::Whole, Expansion::Partial] {
                let mut search = BestFirst::new(&matrix, expansion, usize::MAX);
                let result = search.run([(0, usize::MAX)], || Ok::<(), ()>(()));
                let cost = match result.expect("no limit") {
                    SearchResult::Found(path) => {
                        assert_eq!((path[0], path[path.len() - 1].0), ((0, usize::MAX), matrix.goal));
                        let pairs = path.windows(2).inspect(|pair| assert_eq!(pair[1].1, pair[0].0));
                        Some(pairs.map(|pair| matrix.prices[pair[0].0][pair[1].0].expect("an edge")).sum())
                    }
                    SearchResult::None => None,
                    SearchResult::GaveUp { .. } => panic!("there is room for all nodes"),
                };
                assert_eq!(cost, least, "{expansion:?}");
                found[usize::from(cost.is_some())] += 1;
            }
        }
        assert!(found.iter().all(|&count| count > 500), "{found:?}");
    }

    #[test]
    fn searches_that_give_up_say_what_is_left() {
        let mut random = Random::new(6);
        let mut given_up = 0;
        for _ in 0..2_000 {
            let (matrix, least) = random_matrix(&mut random);
            let mut search = BestFirst::new(&matrix, Expansion::Partial, 1);
            match search.run([(0, 0)], || Ok::<(), ()>(())) {
                Ok(SearchResult::GaveUp { rank }) => {
                    given_up += 1;
                    assert!(least.is_none_or(|least| rank <= least), "{rank} {least:?}");
                }
                Ok(SearchResult::None) => assert_eq!(least, None),
                Ok(SearchResult::Found(_)) => assert!(least.is_some()),
                Err(()) => panic!("no limit"),
            }
        }
        assert!(given_up > 200, "{given_up}");
    }
}
