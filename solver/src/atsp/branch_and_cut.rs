//! Branch and cut: subtour inequalities, rounded halves of their sums and charge cuts found as they
//! are violated, then branching on an arc.
//!
//! M. Padberg, G. Rinaldi, SIAM Review 33 (1991), for the asymmetric case as in M. Fischetti, P.
//! Toth, Management Science 43 (1997). A node's linear program is only a guide: its duals are
//! turned into an exact integer bound, nodes are pruned and arcs fixed by that bound alone, and so
//! a numerical mishap can cost time but never makes a claim wrong.

mod heuristics;
mod separating;

use super::bound::{Cut, ExactBound, exact_bound};
use super::branching::{Candidate, Gains, Probe};
use super::certificate::{Dual, Recorder};
use super::charge_cuts::WindowExtras;
use super::congruence::Congruence;
use super::found::{Found, Searched};
use super::instance::{FORBIDDEN, Instance, is_permutation};
use super::limits::Limits;
use super::local_search::Costs;
use super::relaxation::{NOISE, Relaxation};
use super::restriction::{Arc, Restriction};
use super::simplex::Status;
use super::tours::TourSearch;
use super::window_program::WindowProgram;
use super::windows::Windows;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Rounds of cuts between exact bounds that fix arcs.
const FIXING_INTERVAL: usize = 5;
/// Rounds without enough progress after which a node is split although cuts are violated, and the
/// same for nodes other than the root where there are always more rounded cuts.
const STALLED_ROUNDS: usize = 12;
const STALLED_ROUNDINGS: usize = 3;
/// Progress of the bound that counts.
const PROGRESS: f64 = 0.01;
/// Distance from an integer up to which a value is integral.
const INTEGRAL: f64 = 1e-5;

/// A part of the tours.
pub(crate) struct Node {
    pub(crate) restriction: Restriction,
    pub(crate) bound: i64,
    /// Its place in what is recorded.
    pub(crate) record: usize,
}

impl Node {
    /// All tours.
    pub(crate) fn root(bound: i64) -> Self {
        Self { restriction: Restriction::default(), bound, record: 0 }
    }
}

struct BranchAndCut<'a> {
    instance: &'a Instance,
    windows: &'a Windows,
    extras: WindowExtras,
    limits: &'a Limits,
    tours: &'a TourSearch<'a>,
    /// For local search.
    arc_costs: Costs,
    /// Cost of the cheapest cycle cover.
    assignment_cost: i64,
    /// Longer than every tour.
    ceiling: i64,
    /// Costs without the arcs that no better tour uses.
    matrix: Vec<i64>,
    /// What lengths of tours within the matrix have in common.
    congruence: Congruence,
    relaxation: Relaxation,
    gains: Gains,
    program: Option<WindowProgram<'a>>,
    /// A bound proven otherwise.
    proven: i64,
    /// Last exact bound of the root.
    root_bound: Option<ExactBound>,
    best: Option<Found>,
    open: BinaryHeap<Reverse<(i64, Reverse<usize>)>>,
    nodes: Vec<Option<Node>>,
    recorder: Option<Recorder>,
    /// Populations so far.
    bred: u64,
}

/// A node while cuts are added to it.
struct Visit {
    is_root: bool,
    record: usize,
    /// Costs of the arcs that better tours of the node can use.
    matrix: Vec<i64>,
    bound: i64,
    best_objective: f64,
    stalled: usize,
    /// Rounds in which rounded cuts were looked for.
    roundings: usize,
    /// Times that better tours were looked for meanwhile.
    improvements: usize,
    /// Whether the program may stop at the cutoff: not after that turned out to prove nothing.
    use_cutoff: bool,
}

/// What became of a node.
enum Outcome {
    /// No better tour in it.
    Pruned,
    /// To be split at the arc; the bound holds for both halves.
    Split { at: Arc, bound: i64 },
    /// A limit was reached.
    Stopped { bound: i64 },
}

/// Searches until the best tour is proven or a limit is reached.
pub(crate) fn search(tours: &TourSearch, known: Searched) -> Searched {
    let root = Node::root(known.lower_bound);
    let mut state = BranchAndCut::new(tours, known);
    let outcome = state.process(&root);
    if let Outcome::Split { bound, .. } = &outcome {
        state.improve_after_root(*bound);
    }
    let mut stopped = state.settle(root, outcome);
    let mut expanded = 0;
    while stopped.is_none()
        && let Some(node) = state.next_node()
    {
        let outcome = state.process(&node);
        stopped = state.settle(node, outcome);
        expanded += 1;
        if stopped.is_none() {
            state.improve_after_node(expanded);
        }
    }
    let lower_bound = state.lower_bound(stopped);
    Searched { best: state.best, lower_bound }
}

/// Searches for tours below a length and records why there is none. `None`: there is one, or a
/// limit was reached.
pub(crate) fn certified_search(
    tours: &TourSearch,
    root: Node,
    length: i64,
    recorder: Recorder,
) -> Option<Recorder> {
    let mut state = BranchAndCut::new(tours, Searched { best: None, lower_bound: 0 });
    state.ceiling = length;
    state.recorder = Some(recorder);
    state.record_congruence(root.record);
    state.matrix.copy_from_slice(tours.instance.matrix());
    if let Some(exact) = exact_bound(&state.matrix, tours.instance.len(), &[], &[]) {
        let cutoff = state.cutoff();
        exact.remove_arcs(&mut state.matrix, cutoff);
        state.record(root.record, |_| exact.dual(&[]));
    }
    let mut next = Some(root);
    while let Some(node) = next {
        let outcome = state.process(&node);
        let stopped = state.settle(node, outcome);
        let is_full = state.recorder.as_ref().is_none_or(Recorder::is_full);
        if stopped.is_some() || state.best.is_some() || is_full {
            return None;
        }
        next = state.next_node();
    }
    state.recorder
}

impl<'a> BranchAndCut<'a> {
    fn new(tours: &'a TourSearch, known: Searched) -> Self {
        let best = known.best;
        let TourSearch { instance, windows, assignment, seed, limits } = *tours;
        let ceiling = ceiling(instance, windows);
        let mut matrix = instance.matrix().to_vec();
        let congruence = congruence(instance, windows);
        let cutoff = congruence.above_all_below(best.as_ref().map_or(ceiling, |best| best.length));
        if let Some(exact) = exact_bound(instance.matrix(), instance.len(), &[], &[]) {
            exact.remove_arcs(&mut matrix, cutoff);
        }
        Self {
            instance,
            windows,
            extras: WindowExtras::new(instance, windows),
            limits,
            tours,
            arc_costs: tours.costs(None),
            assignment_cost: assignment.cost(),
            ceiling,
            relaxation: Relaxation::new(&matrix, assignment, seed),
            matrix,
            congruence,
            gains: Gains::default(),
            program: None,
            proven: known.lower_bound,
            root_bound: None,
            best,
            open: BinaryHeap::new(),
            nodes: Vec::new(),
            recorder: None,
            bred: 0,
        }
    }

    /// Better tours are shorter than this.
    fn cutoff(&self) -> i64 {
        self.congruence.above_all_below(self.best.as_ref().map_or(self.ceiling, |best| best.length))
    }

    fn offer(&mut self, found: Option<Found>) {
        if let Some(found) = found.filter(|found| found.length < self.cutoff()) {
            self.best = Some(found);
        }
    }

    fn lower_bound(&self, stopped: Option<i64>) -> i64 {
        let open = self.open.peek().map_or(FORBIDDEN, |Reverse((bound, _))| *bound);
        let proven = self.congruence.at_least(open.min(stopped.unwrap_or(FORBIDDEN)).max(self.proven));
        let best = self.best.as_ref().map_or(FORBIDDEN, |best| best.length);
        if proven < self.ceiling { proven.min(best) } else { best }
    }

    fn next_node(&mut self) -> Option<Node> {
        let Reverse((bound, Reverse(index))) = self.open.pop()?;
        if bound.max(self.proven) >= self.cutoff() {
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
            Outcome::Split { at, bound } => {
                let recorded = self.recorder.as_mut().map(|recorder| recorder.split(node.record, at));
                let (without, with) = recorded.unwrap_or_default();
                self.open_node(Node { restriction: node.restriction.without(at), bound, record: without });
                self.open_node(Node { restriction: node.restriction.with(at), bound, record: with });
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
        let mut visit = Visit {
            is_root: node.restriction.is_empty(),
            record: node.record,
            matrix: Vec::new(),
            bound: node.bound,
            best_objective: f64::NEG_INFINITY,
            stalled: 0,
            roundings: 0,
            improvements: 0,
            use_cutoff: true,
        };
        if !node.restriction.apply(&self.matrix, self.instance.len(), &mut visit.matrix) {
            return Outcome::Pruned;
        }
        self.relaxation.restrict_to(&visit.matrix);
        for round in 1usize.. {
            if let Some(outcome) = self.round(node, &mut visit, round.is_multiple_of(FIXING_INTERVAL)) {
                return outcome;
            }
        }
        unreachable!("rounds should go on until there is an outcome")
    }

    /// Solves the program and adds violated cuts, or says what becomes of the node.
    fn round(&mut self, node: &Node, visit: &mut Visit, tighten: bool) -> Option<Outcome> {
        let relaxed = self.relaxation.solve(self.objective_cutoff(visit), self.limits);
        let support = self.relaxation.support();
        let cuts =
            if relaxed.status == Status::Optimal { self.violated_cuts(&support, visit) } else { Vec::new() };
        let is_last = cuts.is_empty() || visit.stalled > self.patience(visit);
        if (is_last || tighten) && self.relaxation.add_arcs(&visit.matrix, self.cutoff()) > 0 {
            visit.best_objective = f64::NEG_INFINITY;
            if is_last {
                visit.stalled = 0;
                return None;
            }
        }
        if (is_last || tighten) && !self.tighten(visit) {
            return Some(Outcome::Pruned);
        }
        if self.limits.reached() {
            return Some(Outcome::Stopped { bound: visit.bound });
        }
        if relaxed.status == Status::CutOff && std::mem::replace(&mut visit.use_cutoff, false) {
            return None;
        }
        if !is_last && self.wants_tours(visit) && !self.improve_at_root(&support, visit) {
            return Some(Outcome::Pruned);
        }
        if is_last {
            if !visit.is_root {
                let near = self.tours.near(&self.arc_costs, &support, 0, visit.bound);
                self.offer(near);
            }
            return Some(self.split(node, &support, visit));
        }
        if relaxed.objective > visit.best_objective + PROGRESS {
            visit.best_objective = relaxed.objective;
            visit.stalled = 0;
            self.relaxation.drop_slack_cuts();
        } else {
            visit.stalled += 1;
        }
        for cut in cuts {
            self.relaxation.add_cut(cut, &self.matrix);
        }
        None
    }

    /// Rounds without progress that are allowed.
    fn patience(&self, visit: &Visit) -> usize {
        if visit.is_root || !self.uses_rounded_cuts() { STALLED_ROUNDS } else { STALLED_ROUNDINGS }
    }

    /// Computes the exact bound and removes arcs by it; `false` where no better tour is left.
    fn tighten(&mut self, visit: &mut Visit) -> bool {
        let Some(exact) = self.relaxation.exact_bound(&visit.matrix, self.cutoff()) else {
            let (n, cutoff) = (self.instance.len(), self.cutoff());
            self.record(visit.record, |_| Dual::of_infeasible(&visit.matrix, n, cutoff));
            return false;
        };
        visit.bound = visit.bound.max(self.congruence.at_least(exact.length()));
        if visit.bound >= self.cutoff() {
            self.record(visit.record, |cuts| exact.dual(cuts));
            return false;
        }
        if exact.remove_arcs(&mut visit.matrix, self.cutoff()) > 0 {
            self.record(visit.record, |cuts| exact.dual(cuts));
            self.relaxation.restrict_to(&visit.matrix);
            if visit.is_root {
                self.matrix.copy_from_slice(&visit.matrix);
                self.find_congruence(visit.record);
                self.relaxation.retire_outside(&self.matrix);
            }
        }
        if self.congruence.at_least(exact.length()) >= self.cutoff() {
            self.record(visit.record, |cuts| exact.dual(cuts));
            return false;
        }
        if visit.is_root && self.root_bound.as_ref().is_none_or(|best| best.length() <= exact.length()) {
            self.root_bound = Some(exact);
        }
        true
    }

    /// Looks what better tours have in common now that arcs are gone.
    fn find_congruence(&mut self, record: usize) {
        if !self.windows.is_empty() {
            return;
        }
        let found = Congruence::of(&self.matrix, self.instance.len());
        if found.modulus() > self.congruence.modulus() {
            self.congruence = found;
            self.record_congruence(record);
        }
    }

    fn record_congruence(&mut self, node: usize) {
        if let Some(recorder) = self.recorder.as_mut().filter(|_| self.congruence.modulus() > 1) {
            recorder.congruence(node, &self.congruence);
        }
    }

    /// Keeps numbers that exclude something, if such are kept.
    fn record(&mut self, node: usize, dual: impl FnOnce(&[Cut]) -> Dual) {
        if let Some(recorder) = &mut self.recorder {
            recorder.dual(node, dual(self.relaxation.cuts()));
        }
    }

    /// Objectives above this should give an exact bound that prunes.
    fn objective_cutoff(&self, visit: &Visit) -> f64 {
        if visit.use_cutoff { self.cutoff() as f64 - 1.0 + 2.0 * NOISE } else { f64::INFINITY }
    }

    /// Where to split. Where no arc is free, the only tour left is tried.
    fn split(&mut self, node: &Node, support: &[(usize, usize, f64)], visit: &Visit) -> Outcome {
        let n = self.instance.len();
        let matrix = &visit.matrix;
        let in_use = |from: usize| (0..n).filter(move |to| matrix[from * n + to] != FORBIDDEN);
        let is_free = |&(from, to): &Arc| matrix[from * n + to] != FORBIDDEN && in_use(from).nth(1).is_some();
        let undecided: Vec<Candidate> = support
            .iter()
            .filter(|&&(from, to, value)| value > INTEGRAL && value < 1.0 - INTEGRAL && is_free(&(from, to)))
            .map(|&(from, to, value)| Candidate { arc: (from, to), value })
            .collect();
        let cutoff = self.cutoff() as f64;
        let mut probe =
            Probe { relaxation: &mut self.relaxation, matrix, restriction: &node.restriction, cutoff };
        let at = self.gains.choose(undecided, &mut probe);
        match at.or_else(|| (0..n * n).map(|arc| (arc / n, arc % n)).find(is_free)) {
            Some(at) => Outcome::Split { at, bound: visit.bound },
            None => {
                let successor: Vec<Option<usize>> = (0..n).map(|from| in_use(from).next()).collect();
                self.offer_successors(&successor);
                Outcome::Pruned
            }
        }
    }

    fn offer_successors(&mut self, successor: &[Option<usize>]) {
        if let Some(tour) = tour_of(successor)
            && let Some(length) = self.windows.tour_length(self.instance, &tour)
        {
            self.offer(Some(Found { tour, length }));
        }
    }
}

/// What the lengths of all tours have in common.
pub(crate) fn congruence(instance: &Instance, windows: &Windows) -> Congruence {
    if windows.is_empty() { Congruence::of(instance.matrix(), instance.len()) } else { Congruence::none() }
}

/// More than the length of any tour under windows.
fn ceiling(instance: &Instance, windows: &Windows) -> i64 {
    let n = instance.len();
    let row = |from: usize| (0..n).filter_map(|to| instance.cost(from, to)).max().unwrap_or(0) as i64;
    let costs = (0..windows.len()).map(|window| windows.get(window).cost).filter(|&cost| cost != FORBIDDEN);
    let dearest = costs.clone().max().unwrap_or(0).saturating_mul(n as i64);
    1 + (0..n).map(row).sum::<i64>() + costs.fold(0, i64::saturating_add).min(dearest)
}

/// The tour that the successors form, if they form one.
fn tour_of(successor: &[Option<usize>]) -> Option<Vec<usize>> {
    let mut tour = vec![0];
    while tour.len() < successor.len() {
        tour.push(successor[*tour.last()?]?);
    }
    (is_permutation(&tour, successor.len()) && successor[*tour.last()?] == Some(0)).then_some(tour)
}

#[cfg(test)]
mod tests {
    use super::super::assignment::assign;
    use super::super::dynamic_program::shortest_tour;
    use super::super::random::Random;
    use super::super::test_support::{
        brute_force_with, closure_instance, congruent_instance, random_instance, random_windows,
    };
    use super::super::windows::PathCost;
    use super::*;

    /// Without any tour to begin with.
    fn solve(instance: &Instance, path_costs: &[PathCost]) -> Option<i64> {
        let windows = Windows::new(instance, path_costs);
        let assignment = assign(instance)?;
        let limits = Limits::default();
        let tours =
            TourSearch { instance, windows: &windows, assignment: &assignment, seed: 1, limits: &limits };
        let searched = search(&tours, Searched { best: None, lower_bound: 0 });
        assert!(searched.is_complete());
        let best = searched.best?;
        assert_eq!(windows.tour_length(instance, &best.tour), Some(best.length));
        Some(best.length)
    }

    #[test]
    fn equals_dynamic_programming() {
        for seed in 0..120 {
            let n = 3 + seed as usize % 10;
            let instance = match seed % 5 {
                0 => closure_instance(n, true, seed),
                1 => random_instance(n, 2, 0, seed),
                2 => random_instance(n, 1000, 20, seed),
                3 => congruent_instance(n, 2 + seed as usize % 3, &mut Random::new(seed)),
                _ => random_instance(n, 20, 70, seed),
            };
            let expected = shortest_tour(&instance).and_then(|tour| instance.tour_length(&tour));
            assert_eq!(solve(&instance, &[]).map(|length| length as u64), expected, "seed {seed}");
        }
    }

    #[test]
    fn equals_brute_force_under_windows() {
        let mut random = Random::new(31);
        for seed in 0..100 {
            let n = 4 + seed as usize % 3;
            let instance = random_instance(n, 12, [0, 20][seed as usize % 2], seed);
            let mut path_costs = random_windows(n, [4, 25, 70][seed as usize % 3], &mut random);
            if seed % 4 > 0 {
                path_costs.retain(|window| !window.vertices[1..window.vertices.len() - 1].contains(&0));
            }
            let windows = Windows::new(&instance, &path_costs);
            let measure = |tour: &[usize]| windows.tour_length(&instance, tour).map(|length| length as u64);
            let expected = brute_force_with(&instance, measure);
            assert_eq!(solve(&instance, &path_costs).map(|length| length as u64), expected, "seed {seed}");
        }
    }
}
