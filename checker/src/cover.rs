//! The cheapest chains on a [`Graph`]: what verification recomputes instead of believing.
//!
//! A point of the search is a node, the set of goals whose chosen occurrence has begun, and the
//! windows among them that are not over. Points are taken in the order of their cost so far plus a
//! lower bound for the rest (A*; P. E. Hart, N. J. Nilsson, B. Raphael, 1968): the cheapest order
//! of the goals to come by the distances between them (M. Held, R. M. Karp, 1962), and where that
//! is too little, exact costs of some of the goals ([`subset`](crate::subset)).

use crate::graph::Graph;
use crate::legs::{Legs, NEVER};
use crate::subset::Table;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::ops::Range;

/// Most goals for which costs are computed: the table over sets of goals has to fit memory.
pub const MOST_GOALS: usize = 20;

/// Part of the points that are visited before a table of some of the goals is made.
const WITHOUT_TABLE: usize = 10;

/// What chains cost at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// The least cost on the graph.
    Least(u32),
    /// The search ended early; no cost is below this.
    AtLeast(u32),
    /// No chains cover all the goals.
    Impossible,
    /// Nothing was searched for: costs might exceed the numbers that they are added up in.
    TooGreat,
}

/// A graph with the goals in question, each as the list of the labels of its steps.
pub struct Cover<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) goals: Vec<Vec<usize>>,
    successors: Vec<Range<usize>>,
    /// For each goal: the nodes in which an occurrence can begin.
    begins: Vec<Vec<bool>>,
}

impl<'g> Cover<'g> {
    /// With these goals; every goal has one label or more.
    pub fn new(graph: &'g Graph, goals: Vec<Vec<usize>>) -> Self {
        let mut cover = Self { graph, goals, successors: graph.successors(), begins: Vec::new() };
        cover.begins = (0..cover.goals.len()).map(|goal| cover.begins_of(goal)).collect();
        cover
    }

    /// Whether a path from an initial node has an occurrence of the goal at that position.
    pub fn is_reachable(&self, goal: usize) -> bool {
        let reached = self.distances(&self.initial());
        (0..self.graph.nodes.len()).any(|node| reached[node] != NEVER && self.begins[goal][node])
    }

    /// Whether such a path may go on to an end.
    pub fn is_coverable(&self, goal: usize) -> bool {
        let reached: Vec<bool> =
            self.distances(&self.initial()).iter().map(|&steps| steps != NEVER).collect();
        let after = self.after(reached, &[(goal, 0)]);
        let ended = self.distances(&after);
        (0..ended.len()).any(|node| ended[node] != NEVER && self.graph.nodes[node].end)
    }

    /// A price of a further chain that no number of steps outweighs: the number of further chains
    /// is a cost divided by it. `None`: there is none with which costs stay within their numbers.
    pub fn price_beyond_steps(&self) -> Option<u32> {
        beyond_steps(self.goals.len(), self.graph.nodes.len(), self.longest_window())
    }

    fn longest_window(&self) -> usize {
        self.goals.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The least cost of chains that together cover all goals, where a chain costs its steps and
    /// each chain after the first one `reset` more. At most `points` points are visited.
    ///
    /// # Panics
    /// If there are more than [`MOST_GOALS`] goals.
    pub fn least_cost(&self, reset: u32, points: usize) -> Cost {
        self.least_cost_until(reset, points, &|| false)
    }

    /// The same, but the search ends early where `stop` says so.
    ///
    /// # Panics
    /// If there are more than [`MOST_GOALS`] goals.
    pub fn least_cost_until(&self, reset: u32, points: usize, stop: &dyn Fn() -> bool) -> Cost {
        if self.goals.is_empty() {
            return Cost::Least(0);
        }
        if !are_exact(self.goals.len(), self.graph.nodes.len(), self.longest_window(), reset) {
            return Cost::TooGreat;
        }
        let rest = Rest::new(self, reset);
        let least = match Search::new(self, &rest, None).run(points / WITHOUT_TABLE, stop) {
            Cost::AtLeast(least) if points > 0 => least,
            cost => return cost,
        };
        let Some(table) = Table::of_dearest(self, reset, stop) else { return Cost::AtLeast(least) };
        match Search::new(self, &rest, Some(table)).run(points, stop) {
            Cost::AtLeast(more) => Cost::AtLeast(more.max(least)),
            cost => cost,
        }
    }

    /// Fewest steps between goals, from the beginning to goals and from goals to the end. A set of
    /// chains that cover the goals is as long as some tour through a matrix of these, or longer.
    pub fn legs(&self) -> Legs {
        let ends: Vec<bool> = self.graph.nodes.iter().map(|node| node.end).collect();
        let from_init = self.distances(&self.initial());
        let least = |steps: &[u32], set: &[bool]| {
            let inside = steps.iter().zip(set).filter(|&(_, &inside)| inside);
            inside.map(|(&steps, _)| steps).min().unwrap_or(NEVER)
        };
        let windows: Vec<u32> = self.goals.iter().map(|labels| labels.len() as u32).collect();
        let mut legs = Legs::of_windows(&windows);
        for (a, begins) in self.begins.iter().enumerate() {
            legs.raise(None, Some(a), least(&from_init, begins));
            let after = self.after(vec![true; self.graph.nodes.len()], &[(a, 0)]);
            let from_a = self.distances(&after);
            legs.raise(Some(a), None, least(&from_a, &ends).saturating_add(windows[a]));
            for b in (0..windows.len()).filter(|&b| b != a) {
                legs.raise(Some(a), Some(b), self.distance(a, b, &from_a));
            }
        }
        legs
    }

    fn initial(&self) -> Vec<bool> {
        self.graph.nodes.iter().map(|node| node.initial).collect()
    }

    fn has(&self, edge: usize, label: usize) -> bool {
        self.graph.edges[edge].labels.binary_search(&label).is_ok()
    }

    fn begins_of(&self, goal: usize) -> Vec<bool> {
        let mut set = vec![true; self.graph.nodes.len()];
        for &label in self.goals[goal].iter().rev() {
            let fits = |edge: usize| set[self.graph.edges[edge].to] && self.has(edge, label);
            set = self.successors.iter().map(|edges| edges.clone().any(fits)).collect();
        }
        set
    }

    /// The nodes after occurrences of these goals that begin so many steps later, from a node of
    /// the set on, when all are over.
    fn after(&self, mut set: Vec<bool>, occurrences: &[(usize, usize)]) -> Vec<bool> {
        let length =
            occurrences.iter().map(|&(goal, shift)| shift + self.goals[goal].len()).max().unwrap_or(0);
        for time in 0..length {
            let due =
                |&(goal, shift): &(usize, usize)| self.goals[goal].get(time.checked_sub(shift)?).copied();
            let labels: Vec<usize> = occurrences.iter().filter_map(due).collect();
            let mut next = vec![false; set.len()];
            for edge in
                (0..set.len()).filter(|&node| set[node]).flat_map(|node| self.successors[node].clone())
            {
                if labels.iter().all(|&label| self.has(edge, label)) {
                    next[self.graph.edges[edge].to] = true;
                }
            }
            set = next;
        }
        set
    }

    /// Fewest steps from the set to each node.
    fn distances(&self, from: &[bool]) -> Vec<u32> {
        self.breadth_first(from, |node| self.successors[node].clone().map(|edge| self.graph.edges[edge].to))
    }

    /// By node: where edges to it come from.
    fn sources(&self) -> Vec<Vec<usize>> {
        let mut sources = vec![Vec::new(); self.graph.nodes.len()];
        self.graph.edges.iter().for_each(|edge| sources[edge.to].push(edge.from));
        sources
    }

    /// Fewest steps from each node to the set.
    fn distances_to(&self, to: &[bool], sources: &[Vec<usize>]) -> Vec<u32> {
        self.breadth_first(to, |node| sources[node].iter().copied())
    }

    fn breadth_first<I: Iterator<Item = usize>>(&self, from: &[bool], next: impl Fn(usize) -> I) -> Vec<u32> {
        let mut steps: Vec<u32> = from.iter().map(|&inside| if inside { 0 } else { NEVER }).collect();
        let mut queue: VecDeque<usize> = (0..from.len()).filter(|&node| from[node]).collect();
        while let Some(node) = queue.pop_front() {
            for to in next(node) {
                if steps[to] == NEVER {
                    steps[to] = steps[node] + 1;
                    queue.push_back(to);
                }
            }
        }
        steps
    }

    /// Fewest steps from the first node of an occurrence of `a` to that of one of `b`.
    fn distance(&self, a: usize, b: usize, from_a: &[u32]) -> u32 {
        let everywhere = || vec![true; self.graph.nodes.len()];
        let overlap = (0..self.goals[a].len())
            .find(|&shift| self.after(everywhere(), &[(a, 0), (b, shift)]).contains(&true));
        let reached = (0..from_a.len()).filter(|&node| self.begins[b][node]).map(|node| from_a[node]).min();
        let apart = reached.unwrap_or(NEVER).saturating_add(self.goals[a].len() as u32);
        overlap.map_or(apart, |shift| apart.min(shift as u32))
    }
}

/// More steps than the cheapest chains have in all, where they cover so many goals with windows of
/// at most so many steps on a graph of so many nodes. Between windows they visit no node twice, and
/// there are two such ways at most for each goal: to it, and from it to the end.
fn beyond_steps(goals: usize, nodes: usize, longest: usize) -> Option<u32> {
    let ways = goals.checked_mul(2)?;
    let price = u32::try_from(ways.checked_mul(nodes.checked_add(longest)?)?.checked_add(1)?).ok()?;
    are_exact(goals, nodes, longest, price).then_some(price)
}

/// Whether all costs and bounds stay below [`NEVER`]. A cost so far and a bound for the rest each
/// have at most one further chain for each goal, and at most two ways for each goal and two more,
/// which are no longer than all nodes and two windows.
fn are_exact(goals: usize, nodes: usize, longest: usize, reset: u32) -> bool {
    let greatest = || {
        let way = nodes.checked_add(longest)?.checked_mul(2)?.checked_add(usize::try_from(reset).ok()?)?;
        goals.checked_add(2)?.checked_mul(2)?.checked_mul(way)
    };
    greatest().is_some_and(|greatest| greatest < NEVER as usize)
}

/// Lower bounds for the rest of the way.
struct Rest {
    goals: usize,
    reset: u32,
    /// By goal and node: fewest steps to where it can begin.
    to_goal: Vec<Vec<u32>>,
    /// By node: fewest steps to where a chain may end.
    to_end: Vec<u32>,
    /// By goal: fewest steps from an initial node.
    from_start: Vec<u32>,
    /// By set of goals to come and first one among them: the least cost from its beginning on.
    tails: Vec<u32>,
}

impl Rest {
    fn new(cover: &Cover<'_>, reset: u32) -> Self {
        let goals = cover.goals.len();
        assert!(goals <= MOST_GOALS, "a table over sets of goals should fit memory");
        let ends: Vec<bool> = cover.graph.nodes.iter().map(|node| node.end).collect();
        let known = cover.legs();
        let from_start: Vec<u32> = (0..goals).map(|goal| known.steps(None, Some(goal))).collect();
        let last: Vec<u32> = (0..goals).map(|goal| known.steps(Some(goal), None)).collect();
        let mut legs = vec![NEVER; goals * goals];
        for (a, b) in (0..goals * goals).map(|leg| (leg / goals, leg % goals)).filter(|(a, b)| a != b) {
            let restart = last[a].saturating_add(reset).saturating_add(from_start[b]);
            legs[a * goals + b] = known.steps(Some(a), Some(b)).min(restart);
        }
        let sources = cover.sources();
        Self {
            goals,
            reset,
            to_goal: cover.begins.iter().map(|begins| cover.distances_to(begins, &sources)).collect(),
            to_end: cover.distances_to(&ends, &sources),
            from_start,
            tails: tails(goals, &legs, &last),
        }
    }

    fn bound(&self, node: usize, open: usize) -> u32 {
        if open == 0 {
            return self.to_end[node];
        }
        let restart = self.to_end[node].saturating_add(self.reset);
        let by_first = (0..self.goals).filter(|goal| open >> goal & 1 == 1).map(|goal| {
            let approach = self.to_goal[goal][node].min(restart.saturating_add(self.from_start[goal]));
            approach.saturating_add(self.tails[open * self.goals + goal])
        });
        by_first.min().unwrap_or(NEVER)
    }
}

fn tails(goals: usize, legs: &[u32], last: &[u32]) -> Vec<u32> {
    let mut tails = vec![NEVER; goals << goals];
    for set in 1usize..1 << goals {
        for first in (0..goals).filter(|first| set >> first & 1 == 1) {
            let rest = set & !(1 << first);
            let onward = (0..goals).filter(|next| rest >> next & 1 == 1);
            let cheapest =
                onward.map(|next| legs[first * goals + next].saturating_add(tails[rest * goals + next]));
            tails[set * goals + first] =
                if rest == 0 { last[first] } else { cheapest.min().unwrap_or(NEVER) };
        }
    }
    tails
}

/// Windows that have begun and are not over: goal and number of its next step, ascending.
type Active = Vec<(usize, usize)>;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Point {
    node: usize,
    begun: usize,
    active: Active,
}

struct Search<'a> {
    cover: &'a Cover<'a>,
    rest: &'a Rest,
    table: Option<Table>,
    costs: HashMap<Point, usize>,
    points: Vec<(Point, u32)>,
    /// Ascending by bound, deepest first.
    queue: BinaryHeap<(Reverse<u32>, u32, Reverse<usize>)>,
}

impl<'a> Search<'a> {
    fn new(cover: &'a Cover<'a>, rest: &'a Rest, table: Option<Table>) -> Self {
        Self { cover, rest, table, costs: HashMap::new(), points: Vec::new(), queue: BinaryHeap::new() }
    }

    fn run(mut self, limit: usize, stop: &dyn Fn() -> bool) -> Cost {
        let all = (1usize << self.cover.goals.len()) - 1;
        let nodes = &self.cover.graph.nodes;
        let initial: Vec<usize> = (0..nodes.len()).filter(|&node| nodes[node].initial).collect();
        for &node in &initial {
            self.offer(Point { node, begun: 0, active: Active::new() }, 0);
        }
        while let Some((Reverse(bound), cost, Reverse(index))) = self.queue.pop() {
            let (point, current) = self.points[index].clone();
            if current != cost {
                continue;
            }
            if self.points.len() > limit || stop() {
                return Cost::AtLeast(bound);
            }
            let may_end = point.active.is_empty() && nodes[point.node].end;
            if may_end && point.begun == all {
                return Cost::Least(cost);
            }
            for edge in self.cover.successors[point.node].clone() {
                for next in self.advance(&point, edge) {
                    self.offer(next, cost + 1);
                }
            }
            if may_end && point.begun != 0 {
                for &node in &initial {
                    let again = Point { node, begun: point.begun, active: Active::new() };
                    self.offer(again, cost.saturating_add(self.rest.reset));
                }
            }
        }
        Cost::Impossible
    }

    fn offer(&mut self, point: Point, cost: u32) {
        let open = ((1usize << self.cover.goals.len()) - 1) & !point.begun;
        let some = self.table.as_ref().map_or(0, |table| table.bound(point.node, point.begun));
        let bound = cost.saturating_add(self.rest.bound(point.node, open).max(some));
        if bound == NEVER {
            return;
        }
        let next = self.points.len();
        let index = *self.costs.entry(point.clone()).or_insert(next);
        if index == next {
            self.points.push((point, cost));
        } else if self.points[index].1 <= cost {
            return;
        } else {
            self.points[index].1 = cost;
        }
        self.queue.push((Reverse(bound), cost, Reverse(index)));
    }

    /// The points after an edge. Goals of one step begin as soon as they can; others may or may
    /// not.
    fn advance(&self, point: &Point, edge: usize) -> Vec<Point> {
        let Cover { goals, graph, .. } = self.cover;
        let mut active = Active::new();
        for &(goal, step) in &point.active {
            if !self.cover.has(edge, goals[goal][step]) {
                return Vec::new();
            }
            if step + 1 < goals[goal].len() {
                active.push((goal, step + 1));
            }
        }
        let mut points = vec![Point { node: graph.edges[edge].to, begun: point.begun, active }];
        for goal in (0..goals.len()).filter(|goal| point.begun >> goal & 1 == 0) {
            if !self.cover.has(edge, goals[goal][0]) {
                continue;
            }
            let begin = |mut point: Point| {
                point.begun |= 1 << goal;
                if goals[goal].len() > 1 {
                    point.active.push((goal, 1));
                    point.active.sort_unstable();
                }
                point
            };
            let begun: Vec<Point> = points.iter().cloned().map(begin).collect();
            match goals[goal].len() {
                1 => points = begun,
                _ => points.extend(begun),
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(text: &str) -> Graph {
        Graph::parse(&format!("chaincover graph 1\nword w\n{text}")).expect("a graph")
    }

    fn cost(graph: &Graph, goals: Vec<Vec<usize>>, reset: u32) -> Cost {
        Cover::new(graph, goals).least_cost(reset, 1000)
    }

    const DEAR: u32 = 1 << 24;

    #[test]
    fn one_way_regions_take_two_chains() {
        let graph = graph(
            "label 0 a\nlabel 0 b\nlabel 0 c\nnode ie 0\nnode e 1\nnode e 2\nedge 0 1\nedge 0 2\nedge 1 1 0\nedge 2 2 1\n",
        );
        assert_eq!(cost(&graph, vec![vec![0]], DEAR), Cost::Least(2));
        assert_eq!(cost(&graph, vec![vec![0], vec![1]], DEAR), Cost::Least(DEAR + 4));
        assert_eq!(cost(&graph, vec![vec![0], vec![1]], 5), Cost::Least(9));
        assert_eq!(cost(&graph, vec![vec![2]], 5), Cost::Impossible);
        assert_eq!(cost(&graph, vec![], 5), Cost::Least(0));
        let cover = Cover::new(&graph, vec![vec![0], vec![2]]);
        assert!(cover.is_reachable(0) && cover.is_coverable(0) && !cover.is_reachable(1));
    }

    /// Two chains are needed, whatever a further one costs; where costs would exceed their numbers
    /// there is no answer.
    #[test]
    fn prices_that_are_too_great_are_refused() {
        let graph = graph(
            "label 0 a\nlabel 0 b\nnode ie 0\nnode e 1\nnode e 2\nedge 0 1\nedge 0 2\nedge 1 1 0\nedge 2 2 1\n",
        );
        let goals = vec![vec![0], vec![1]];
        for reset in [u32::MAX, u32::MAX - 1, u32::MAX - 10, u32::MAX / 2] {
            assert_eq!(cost(&graph, goals.clone(), reset), Cost::TooGreat, "{reset}");
        }
        let price = Cover::new(&graph, goals.clone()).price_beyond_steps().expect("a small graph");
        assert!(price > 4);
        assert_eq!(cost(&graph, goals, price), Cost::Least(price + 4));
    }

    /// The price of a further chain grows with the graph, so that steps are never taken for chains.
    #[test]
    fn no_number_of_steps_outweighs_a_chain() {
        let nodes = 3_000;
        let mut text = "label 0 a\nlabel 0 b\nnode ie 0\n".to_owned();
        (1..nodes).for_each(|node| text += &format!("node e {node}\n"));
        // One way only, to the first goal and, from the beginning again, to the second one.
        (1..nodes).for_each(|node| text += &format!("edge {} {node}\n", node - 1));
        text += &format!("edge {0} {0} 0\n", nodes - 1);
        let graph = graph(&text);
        let goals: Vec<Vec<usize>> = (0..8).map(|_| vec![0]).collect();
        let cover = Cover::new(&graph, goals);
        let price = cover.price_beyond_steps().expect("a small graph");
        assert!(price as usize > 8 * 2 * nodes);
        assert_eq!(beyond_steps(MOST_GOALS, 2_000_000, 10).map(|price| price > 80_000_000), Some(true));
        for (goals, nodes, longest) in [
            (MOST_GOALS, 60_000_000, 1),
            (2, usize::MAX, 1),
            (2, 1, usize::MAX),
            (1, u32::MAX as usize, u32::MAX as usize),
        ] {
            assert_eq!(beyond_steps(goals, nodes, longest), None, "{goals} {nodes} {longest}");
        }
    }

    #[test]
    fn windows_overlap_and_must_be_completed() {
        let line = "label 0 a\nlabel 1 a\nlabel 0 b\nnode i 0\nnode - 1\nnode e 2\nedge 0 1 0\nedge 1 2 1 2\nedge 2 2\n";
        let whole = graph(line);
        assert_eq!(cost(&whole, vec![vec![0, 1], vec![2]], 9), Cost::Least(2));
        let broken = graph(&line.replace("edge 1 2 1 2", "edge 1 2 2"));
        assert_eq!(cost(&broken, vec![vec![0, 1], vec![2]], 9), Cost::Impossible);
        assert!(!Cover::new(&broken, vec![vec![0, 1]]).is_reachable(0));
    }

    #[test]
    fn tours_through_the_matrix_are_bounds() {
        let graph = graph(
            "label 0 a\nlabel 0 b\nnode ie 0\nnode e 1\nnode e 2\nedge 0 1\nedge 0 2\nedge 1 1 0\nedge 2 2 1\n",
        );
        let cover = Cover::new(&graph, vec![vec![0], vec![1]]);
        let costs = |chains: usize| -> Vec<Option<u64>> {
            let matrix = cover.legs().matrix(chains, None);
            let size = matrix.vertices();
            (0..size * size).map(|arc| matrix.cost(arc / size, arc % size)).collect()
        };
        let (no, one) = (None, Some(1));
        assert_eq!(costs(1), [no, one, one, one, no, no, one, no, no]);
        assert_eq!(costs(2)[..8], [no, Some(0), one, one, Some(0), no, one, one]);
        assert_eq!(cover.legs().matrix(1, None).more_than_any_tour(), 4);
        assert_eq!(cover.legs().matrix(1, Some(5)).cost(1, 2), Some(7));
    }

    #[test]
    fn final_that_is_out_of_reach_is_seen() {
        let graph = graph("label 0 a\nnode ie 0\nnode - 1\nedge 0 1 0\nedge 1 1\n");
        let cover = Cover::new(&graph, vec![vec![0]]);
        assert!(cover.is_reachable(0) && !cover.is_coverable(0));
        assert_eq!(cover.least_cost(9, 1000), Cost::Impossible);
    }

    #[test]
    fn a_limit_leaves_a_bound() {
        let graph = graph("label 0 a\nlabel 0 b\nnode ie 0\nnode e 1\nedge 0 0 0\nedge 0 1 1\nedge 1 1\n");
        let cover = Cover::new(&graph, vec![vec![0], vec![1]]);
        assert_eq!(cover.least_cost(9, 1000), Cost::Least(2));
        assert_eq!(cover.least_cost(9, 0), Cost::AtLeast(2));
    }
}
