//! Branch and cut: subtour inequalities and charge cuts found as they are violated, then branching on an arc.
//!
//! M. Padberg, G. Rinaldi, SIAM Review 33 (1991), for the asymmetric case as in M. Fischetti, P. Toth, Management
//! Science 43 (1997). A node's linear program is only a guide: its duals are turned into an exact integer bound, nodes are
//! pruned and arcs fixed by that bound alone, and so a numerical mishap can cost time but never makes a claim wrong.

use super::assignment::solve_matrix;
use super::bound::Cut;
use super::charge_cuts::{Point, WindowExtras};
use super::found::{Found, Searched};
use super::instance::{FORBIDDEN, Instance, is_permutation};
use super::limits::Limits;
use super::relaxation::{NOISE, Relaxation};
use super::restriction::{Arc, Restriction};
use super::separation::violated_sets;
use super::simplex::Status;
use super::windows::Windows;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Rounds of cuts between exact bounds that fix arcs.
const FIXING_INTERVAL: usize = 5;
/// Rounds without enough progress after which a node is split although cuts are violated.
const STALLED_ROUNDS: usize = 12;
/// Progress of the bound that counts.
const PROGRESS: f64 = 0.01;
/// Distance from an integer up to which a value is integral.
const INTEGRAL: f64 = 1e-5;

struct Node {
    restriction: Restriction,
    bound: i64,
}

struct BranchAndCut<'a> {
    instance: &'a Instance,
    windows: &'a Windows,
    extras: WindowExtras,
    limits: &'a Limits,
    /// Cost of the cheapest cycle cover.
    assignment_cost: i64,
    /// Longer than every tour.
    ceiling: i64,
    /// Costs without the arcs that no better tour uses.
    matrix: Vec<i64>,
    relaxation: Relaxation,
    best: Option<Found>,
    open: BinaryHeap<Reverse<(i64, Reverse<usize>)>>,
    nodes: Vec<Option<Node>>,
}

/// What became of a node.
enum Outcome {
    /// No better tour in it.
    Pruned,
    /// To be split; the bound holds for both halves.
    Split { at: Option<Arc>, bound: i64 },
    /// A limit was reached.
    Stopped { bound: i64 },
}

/// Searches until the best tour is proven or a limit is reached. `improve` is called once after the root with the bound found
/// there, and may return a better tour.
pub(crate) fn search(
    instance: &Instance,
    windows: &Windows,
    known: Searched,
    improve: impl FnOnce(i64, Option<&Found>) -> Option<Found>,
    seed: u64,
    limits: &Limits,
) -> Searched {
    let n = instance.len();
    let Some(assignment) = solve_matrix(instance.matrix(), n) else {
        return Searched { best: None, lower_bound: FORBIDDEN };
    };
    let mut state = BranchAndCut {
        instance,
        windows,
        extras: WindowExtras::new(instance, windows),
        limits,
        assignment_cost: assignment.cost(),
        ceiling: ceiling(instance, windows),
        matrix: instance.matrix().to_vec(),
        relaxation: Relaxation::new(instance.matrix(), &assignment, seed),
        best: known.best,
        open: BinaryHeap::new(),
        nodes: Vec::new(),
    };
    let root = Node { restriction: Restriction::default(), bound: known.lower_bound };
    let outcome = state.process(&root);
    if let Outcome::Split { bound, .. } = &outcome
        && let Some(found) = improve(*bound, state.best.as_ref())
    {
        state.offer(found);
    }
    let mut stopped = state.settle(root, outcome);
    while stopped.is_none()
        && let Some(node) = state.next_node()
    {
        let outcome = state.process(&node);
        stopped = state.settle(node, outcome);
    }
    let lower_bound = state.lower_bound(stopped);
    Searched { best: state.best, lower_bound }
}

impl BranchAndCut<'_> {
    fn cutoff(&self) -> i64 {
        self.best.as_ref().map_or(self.ceiling, |best| best.length)
    }

    fn offer(&mut self, found: Found) {
        if found.length < self.cutoff() {
            self.best = Some(found);
        }
    }

    fn lower_bound(&self, stopped: Option<i64>) -> i64 {
        let open = self.open.peek().map_or(FORBIDDEN, |Reverse((bound, _))| *bound);
        let proven = open.min(stopped.unwrap_or(FORBIDDEN));
        let best = self.best.as_ref().map_or(FORBIDDEN, |best| best.length);
        if proven < self.ceiling { proven.min(best) } else { best }
    }

    fn next_node(&mut self) -> Option<Node> {
        let Reverse((bound, Reverse(index))) = self.open.pop()?;
        if bound >= self.cutoff() {
            self.open.clear();
            return None;
        }
        self.nodes[index].take()
    }

    /// Opens the halves of a node that is split; the bound of one that was stopped.
    fn settle(&mut self, node: Node, outcome: Outcome) -> Option<i64> {
        match outcome {
            Outcome::Pruned => None,
            Outcome::Stopped { bound } => Some(bound),
            Outcome::Split { at: None, .. } => None,
            Outcome::Split { at: Some(arc), bound } => {
                let mut without = node.restriction.clone();
                without.excluded.push(arc);
                self.open_node(Node { restriction: without, bound });
                let mut with = node.restriction;
                with.included.push(arc);
                self.open_node(Node { restriction: with, bound });
                None
            }
        }
    }

    fn open_node(&mut self, node: Node) {
        if node.bound < self.cutoff() {
            self.open.push(Reverse((node.bound, Reverse(self.nodes.len()))));
            self.nodes.push(Some(node));
        }
    }

    /// Cuts until the node is pruned or to be split.
    fn process(&mut self, node: &Node) -> Outcome {
        let n = self.instance.len();
        let mut matrix = Vec::new();
        if !node.restriction.apply(&self.matrix, n, &mut matrix) {
            return Outcome::Pruned;
        }
        let is_root = node.restriction == Restriction::default();
        let mut bound = node.bound;
        let mut best_objective = f64::NEG_INFINITY;
        let mut stalled = 0;
        let mut use_cutoff = true;
        self.relaxation.restrict_to(&matrix);
        for round in 1.. {
            let cutoff = if use_cutoff { self.objective_cutoff() } else { f64::INFINITY };
            let relaxed = self.relaxation.solve(cutoff, self.limits);
            let support = self.relaxation.support();
            let cuts =
                if relaxed.status == Status::Optimal { self.violated_cuts(&support) } else { Vec::new() };
            let is_last = cuts.is_empty() || stalled > STALLED_ROUNDS;
            if is_last || round % FIXING_INTERVAL == 0 {
                let Some(exact) = self.relaxation.exact_bound(&matrix, self.cutoff()) else {
                    return Outcome::Pruned;
                };
                bound = bound.max(exact.length());
                if bound >= self.cutoff() {
                    return Outcome::Pruned;
                }
                let mut removed = 0;
                for arc in 0..n * n {
                    if matrix[arc] != FORBIDDEN && exact.excludes(arc / n, arc % n, self.cutoff()) {
                        matrix[arc] = FORBIDDEN;
                        removed += 1;
                    }
                }
                if removed > 0 {
                    self.relaxation.restrict_to(&matrix);
                    if is_root {
                        self.matrix.copy_from_slice(&matrix);
                        self.relaxation.retire_outside(&matrix);
                    }
                }
            }
            if self.limits.reached() {
                return Outcome::Stopped { bound };
            }
            if relaxed.status == Status::CutOff && use_cutoff {
                use_cutoff = false;
                continue;
            }
            if is_last {
                return self.split(&support, &matrix, bound);
            }
            if relaxed.objective > best_objective + PROGRESS {
                best_objective = relaxed.objective;
                stalled = 0;
                self.relaxation.drop_slack_cuts();
            } else {
                stalled += 1;
            }
            for cut in cuts {
                self.relaxation.add_cut(cut, &self.matrix);
            }
        }
        unreachable!("the rounds should end in a return")
    }

    /// Objectives above this should give an exact bound that prunes.
    fn objective_cutoff(&self) -> f64 {
        self.cutoff() as f64 - 1.0 + 2.0 * NOISE
    }

    fn violated_cuts(&mut self, support: &[(usize, usize, f64)]) -> Vec<Cut> {
        let n = self.instance.len();
        let mut cuts: Vec<Cut> = violated_sets(n, support).into_iter().map(Cut::Subtour).collect();
        if cuts.is_empty() && !self.windows.is_empty() {
            let point = Point { support, charge: &|arc| self.relaxation.charge(arc) };
            cuts = self.extras.violated(&point, &self.matrix, self.cutoff() - self.assignment_cost + 1);
        }
        if cuts.is_empty()
            && let Some(successor) = integral_successors(n, support)
        {
            self.offer_successors(&successor);
        }
        cuts
    }

    /// The arc to split at: the most undecided one, else any that is still free. Where no arc is free, the only tour left is tried.
    fn split(&mut self, support: &[(usize, usize, f64)], matrix: &[i64], bound: i64) -> Outcome {
        let n = self.instance.len();
        let in_use = |from: usize| (0..n).filter(move |to| matrix[from * n + to] != FORBIDDEN);
        let is_free = |&(from, to): &Arc| matrix[from * n + to] != FORBIDDEN && in_use(from).nth(1).is_some();
        let undecided = |&&(_, _, value): &&(usize, usize, f64)| value > INTEGRAL && value < 1.0 - INTEGRAL;
        let key = |&&(from, to, value): &&(usize, usize, f64)| {
            ((value.min(1.0 - value) * 1000.0) as i64, self.instance.arc(from, to))
        };
        let fractional = support.iter().filter(undecided).filter(|&&(from, to, _)| is_free(&(from, to)));
        let at = fractional.max_by_key(key).map(|&(from, to, _)| (from, to));
        let at = at.or_else(|| (0..n * n).map(|arc| (arc / n, arc % n)).find(is_free));
        if at.is_none() {
            let successor: Vec<Option<usize>> = (0..n).map(|from| in_use(from).next()).collect();
            self.offer_successors(&successor);
        }
        Outcome::Split { at, bound }
    }

    fn offer_successors(&mut self, successor: &[Option<usize>]) {
        if let Some(tour) = tour_of(successor)
            && let Some(length) = self.windows.tour_length(self.instance, &tour)
        {
            self.offer(Found { tour, length });
        }
    }
}

/// More than the length of any tour under windows.
fn ceiling(instance: &Instance, windows: &Windows) -> i64 {
    let n = instance.len();
    let row = |from: usize| (0..n).filter_map(|to| instance.cost(from, to)).max().unwrap_or(0) as i64;
    let costs = (0..windows.len()).map(|window| windows.get(window).cost).filter(|&cost| cost != FORBIDDEN);
    let dearest = costs.clone().max().unwrap_or(0).saturating_mul(n as i64);
    1 + (0..n).map(row).sum::<i64>() + costs.fold(0, i64::saturating_add).min(dearest)
}

/// The successors in an integral point; none where it is fractional.
fn integral_successors(n: usize, support: &[(usize, usize, f64)]) -> Option<Vec<Option<usize>>> {
    let mut successor = vec![None; n];
    for &(from, to, value) in support.iter().filter(|(_, _, value)| *value > INTEGRAL) {
        if value < 1.0 - INTEGRAL || successor[from].replace(to).is_some() {
            return None;
        }
    }
    Some(successor)
}

/// The tour that the successors form, if they form one.
fn tour_of(successor: &[Option<usize>]) -> Option<Vec<usize>> {
    let mut tour = vec![0];
    while tour.len() < successor.len() {
        tour.push(successor[*tour.last()?]?);
    }
    (is_permutation(&tour, successor.len()) && successor[*tour.last()?] == Some(0)).then_some(tour)
}
