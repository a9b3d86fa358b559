//! Branch and bound on the assignment problem, with window costs.
//!
//! G. Carpaneto, P. Toth, Management Science 26 (1980): a node fixes some arcs in and some out; its bound is the cheapest cycle
//! cover under that, plus what windows add whose arcs are all fixed in. Where the cover has several cycles, one
//! of them is broken arc by arc; where it is a single cycle that windows make dearer than the bound, the arcs of a
//! charged window are broken or fixed in altogether. Open nodes are taken in ascending order of their bounds, so the least of
//! them bounds every tour not yet seen, whenever the search is stopped.

use super::assignment::{Assignment, Search, solve_matrix};
use super::instance::{FORBIDDEN, Instance};
use super::limits::Limits;
use super::restriction::{Arc, Restriction};
use super::windows::{Measured, Windows};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A tour and its length under the windows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) tour: Vec<usize>,
    pub(crate) length: i64,
}

/// What a search came to. The bound holds for every tour; the search is complete where it meets the best tour.
#[derive(Clone, Debug)]
pub(crate) struct Searched {
    pub(crate) best: Option<Found>,
    /// No tour is shorter; [`FORBIDDEN`] where no tour exists.
    pub(crate) lower_bound: i64,
}

#[derive(Clone, Debug)]
struct Node {
    assignment: Assignment,
    restriction: Restriction,
    bound: i64,
}

/// Arcs at which a node is split: child k keeps the arcs before k and loses arc k; if `keep_all`, one more child
/// keeps all of them.
struct Split {
    arcs: Vec<Arc>,
    keep_all: bool,
}

struct BranchAndBound<'a> {
    instance: &'a Instance,
    windows: &'a Windows,
    search: Search,
    matrix: Vec<i64>,
    best: Option<Found>,
    nodes: Vec<Option<Node>>,
    open: BinaryHeap<Reverse<(i64, Reverse<usize>)>>,
}

/// Searches until the best tour is proven, `nodes` nodes were expanded, or a limit is reached.
pub(crate) fn search(
    instance: &Instance,
    windows: &Windows,
    best: Option<Found>,
    nodes: u64,
    limits: &Limits,
) -> Searched {
    let n = instance.len();
    let mut state = BranchAndBound {
        instance,
        windows,
        search: Search::new(n),
        matrix: Vec::new(),
        best,
        nodes: Vec::new(),
        open: BinaryHeap::new(),
    };
    if let Some(assignment) = solve_matrix(instance.matrix(), n) {
        state.open_node(assignment, Restriction::default());
    }
    let mut expanded = 0;
    while expanded < nodes && !limits.reached() {
        let Some(node) = state.next_node() else { break };
        state.expand(node);
        expanded += 1;
    }
    let lower_bound = state.lower_bound();
    Searched { best: state.best, lower_bound }
}

impl BranchAndBound<'_> {
    fn cutoff(&self) -> i64 {
        self.best.as_ref().map_or(FORBIDDEN, |best| best.length)
    }

    fn lower_bound(&self) -> i64 {
        self.open.peek().map_or(FORBIDDEN, |Reverse((bound, _))| *bound).min(self.cutoff())
    }

    /// The open node of least bound, the latest of equals; none where all bounds reach the best tour.
    fn next_node(&mut self) -> Option<Node> {
        let Reverse((bound, _)) = *self.open.peek()?;
        if bound >= self.cutoff() {
            self.open.clear();
            return None;
        }
        let Reverse((_, Reverse(index))) = self.open.pop()?;
        let node = self.nodes[index].take();
        Some(node.expect("an open node should be expanded only once"))
    }

    fn expand(&mut self, node: Node) {
        let Some(split) = self.split(&node) else { return };
        for k in 0..split.arcs.len() {
            self.open_child(&node, &split.arcs[..k], Some(split.arcs[k]));
        }
        if split.keep_all {
            self.open_child(&node, &split.arcs, None);
        }
    }

    fn open_child(&mut self, parent: &Node, kept: &[Arc], lost: Option<Arc>) {
        let mut restriction = parent.restriction.clone();
        restriction.included.extend_from_slice(kept);
        restriction.excluded.extend(lost);
        if !restriction.apply(self.instance.matrix(), self.instance.len(), &mut self.matrix) {
            return;
        }
        let mut assignment = parent.assignment.clone();
        if assignment.repair(&self.matrix, &mut self.search) {
            self.open_node(assignment, restriction);
        }
    }

    fn open_node(&mut self, assignment: Assignment, restriction: Restriction) {
        let Some(extra) = self.fixed_extra(&restriction) else { return };
        let bound = assignment.cost() + extra;
        if bound >= self.cutoff() {
            return;
        }
        if let [tour] = assignment.cycles().as_slice() {
            self.offer(tour);
        }
        if bound < self.cutoff() {
            self.open.push(Reverse((bound, Reverse(self.nodes.len()))));
            self.nodes.push(Some(Node { assignment, restriction, bound }));
        }
    }

    fn offer(&mut self, tour: &[usize]) {
        if let Some(length) = self.windows.tour_length(self.instance, tour)
            && length < self.cutoff()
        {
            self.best = Some(Found { tour: tour.to_vec(), length });
        }
    }

    /// What windows add to the cost of the included arcs; `None` where one of them is forbidden.
    fn fixed_extra(&self, restriction: &Restriction) -> Option<i64> {
        if self.windows.is_empty() {
            return Some(0);
        }
        let mut extra = 0;
        for path in restriction.included_paths(self.instance.len()) {
            let Measured::Possible(charge) = self.windows.measure_path(self.instance, &path) else {
                return None;
            };
            let arcs: i64 = path.windows(2).map(|pair| self.instance.arc(pair[0], pair[1])).sum();
            extra += charge.length - arcs;
        }
        Some(extra)
    }

    /// How to split the node; `None` where its cover is a tour as cheap as its bound, and so nothing is left.
    fn split(&self, node: &Node) -> Option<Split> {
        let is_free = |arc: &Arc| !node.restriction.included.contains(arc);
        let cycles = node.assignment.cycles();
        if let [tour] = cycles.as_slice() {
            return self.split_at_window(tour, node.bound, is_free);
        }
        let free_arcs = |cycle: &Vec<usize>| -> Vec<Arc> {
            cycle.iter().map(|&from| (from, node.assignment.successor(from))).filter(is_free).collect()
        };
        let arcs = cycles.iter().map(free_arcs).min_by_key(Vec::len)?;
        Some(Split { arcs, keep_all: false })
    }

    fn split_at_window(&self, tour: &[usize], bound: i64, is_free: impl Fn(&Arc) -> bool) -> Option<Split> {
        let free_arcs =
            |window: usize| -> Vec<Arc> { self.windows.get(window).arc_pairs().filter(&is_free).collect() };
        match self.windows.measure_tour(self.instance, tour) {
            Measured::Possible(charge) if charge.length <= bound => None,
            Measured::Possible(charge) => {
                let arcs = charge.charged.into_iter().map(free_arcs).find(|arcs| !arcs.is_empty())?;
                Some(Split { arcs, keep_all: true })
            }
            Measured::Forbidden(window) => Some(Split { arcs: free_arcs(window), keep_all: false }),
            Measured::MissingArc => None,
        }
    }
}
