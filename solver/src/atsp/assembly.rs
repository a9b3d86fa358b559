//! Edge assembly crossover: a tour made of two others.
//!
//! Where two tours differ, their arcs form closed walks that alternate between an arc of the first
//! one forward and an arc of the second one backward. As every vertex is left and entered once in
//! each tour, these walks are unique and have no arc in common. The first tour with the arcs of
//! some walks exchanged is a cover by cycles, and a tour once the cycles are joined, the smallest
//! one first, each by exchanging the heads of two arcs (Y. Nagata, S. Kobayashi, INFORMS Journal on
//! Computing 25, 2013; for the asymmetric case Y. Nagata, D. Soler, Expert Systems with
//! Applications 39, 2012).
//!
//! A child is made in time that depends on how much it differs from the first tour, not on the
//! number of vertices: the arcs that are left out cut that tour into segments, of which cycles are
//! made up as a whole.

use super::instance::tour_arcs;
use super::local_search::Costs;

const NONE: usize = usize::MAX;

/// A parent.
pub(super) struct Tour {
    pub(super) length: i64,
    /// The vertices as they follow each other, and where each stands.
    order: Vec<usize>,
    position: Vec<usize>,
    /// By vertex.
    next: Vec<usize>,
    previous: Vec<usize>,
    /// Costs of the arcs, by tail.
    cost: Vec<i64>,
}

impl Tour {
    pub(super) fn new(costs: &Costs, order: &[usize]) -> Self {
        let n = order.len();
        let mut tour = Self {
            length: 0,
            order: order.to_vec(),
            position: vec![0; n],
            next: vec![NONE; n],
            previous: vec![NONE; n],
            cost: vec![0; n],
        };
        for (index, (tail, head)) in tour_arcs(order).enumerate() {
            tour.position[tail] = index;
            tour.next[tail] = head;
            tour.previous[head] = tail;
            tour.cost[tail] = costs.arc(tail, head);
            tour.length += tour.cost[tail];
        }
        tour
    }

    /// The vertices as they follow each other.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// The vertex behind this one.
    pub(super) fn next(&self, vertex: usize) -> usize {
        self.next[vertex]
    }
}

/// A child in the making, and what is needed to make more of the same parents.
pub(super) struct Assembly<'a> {
    costs: &'a Costs,
    /// Tails of the first parent's arcs in all walks, one walk behind the other, and where each
    /// walk begins; the end of the last one is there, too.
    walked: Vec<usize>,
    walks: Vec<usize>,
    is_walked: Vec<bool>,
    /// The child's successors and predecessors; those of the first parent between children.
    next: Vec<usize>,
    previous: Vec<usize>,
    /// Costs of the child's arcs, by tail.
    cost: Vec<i64>,
    /// Tails of the arcs that were exchanged, some more than once.
    exchanged: Vec<usize>,
    /// Positions in the first parent of the tails at which segments end, ascending. The first
    /// segment begins behind the last one.
    ends: Vec<usize>,
    /// By position: the segment that begins there.
    beginning: Vec<usize>,
    /// By segment: its cycle.
    cycle_of: Vec<usize>,
    cycles: Vec<Cycle>,
}

/// One of the cycles of which a child is made.
#[derive(Clone, Copy, Debug)]
struct Cycle {
    /// A vertex in it.
    vertex: usize,
    /// Number of vertices; none once it is part of another one.
    vertices: usize,
}

/// Two cycles become one where these tails exchange their heads.
struct Joint {
    rise: i64,
    tails: [usize; 2],
}

impl<'a> Assembly<'a> {
    pub(super) fn new(costs: &'a Costs) -> Self {
        let n = costs.vertices;
        Self {
            costs,
            walked: Vec::new(),
            walks: Vec::new(),
            is_walked: vec![false; n],
            next: vec![NONE; n],
            previous: vec![NONE; n],
            cost: vec![0; n],
            exchanged: Vec::new(),
            ends: Vec::new(),
            beginning: vec![NONE; n],
            cycle_of: Vec::new(),
            cycles: Vec::new(),
        }
    }

    /// Finds the walks between two parents; how many there are.
    pub(super) fn begin(&mut self, first: &Tour, second: &Tour) -> usize {
        self.cost.copy_from_slice(&first.cost);
        self.next.copy_from_slice(&first.next);
        self.previous.copy_from_slice(&first.previous);
        self.walked.clear();
        self.walks.clear();
        self.is_walked.fill(false);
        for start in 0..self.costs.vertices {
            if first.next[start] == second.next[start] || self.is_walked[start] {
                continue;
            }
            self.walks.push(self.walked.len());
            let mut tail = start;
            while !std::mem::replace(&mut self.is_walked[tail], true) {
                self.walked.push(tail);
                tail = second.previous[first.next[tail]];
            }
        }
        self.walks.push(self.walked.len());
        self.walks.len() - 1
    }

    /// Makes the child with the arcs of this walk exchanged; by how much it is longer than the
    /// first parent. `None`: its cycles cannot be joined by candidate arcs, or it is too long
    /// before all are.
    pub(super) fn assemble(&mut self, first: &Tour, second: &Tour, walk: usize) -> Option<i64> {
        let mut rise = 0;
        for index in self.walks[walk]..self.walks[walk + 1] {
            let tail = self.walked[index];
            rise += self.link(tail, second.next[tail]);
        }
        self.find_cycles(first);
        for _ in 1..self.cycles.len() {
            if rise > 0 {
                return None;
            }
            rise += self.join_smallest(first)?;
        }
        Some(rise)
    }

    /// Makes the child the first parent again.
    pub(super) fn undo(&mut self, first: &Tour) {
        for tail in self.exchanged.drain(..) {
            let head = first.next[tail];
            self.next[tail] = head;
            self.previous[head] = tail;
            self.cost[tail] = first.cost[tail];
        }
    }

    /// The arcs in which the child differs from the first parent: tail, head in there and head in
    /// the child.
    pub(super) fn differences(&mut self, first: &Tour) -> impl Iterator<Item = [usize; 3]> {
        self.exchanged.sort_unstable();
        self.exchanged.dedup();
        let arcs = self.exchanged.iter().map(|&tail| [tail, first.next[tail], self.next[tail]]);
        arcs.filter(|[_, before, after]| before != after)
    }

    /// The first parent with these arcs, each given by tail and head.
    pub(super) fn child(&mut self, first: &Tour, arcs: &[(usize, usize)]) -> Tour {
        for &(tail, head) in arcs {
            self.link(tail, head);
        }
        let onward = |&vertex: &usize| Some(self.next[vertex]).filter(|&next| next != 0);
        let order: Vec<usize> = std::iter::successors(Some(0), onward).collect();
        self.undo(first);
        Tour::new(self.costs, &order)
    }

    /// Leaves a vertex for another one than so far; by how much that is dearer.
    fn link(&mut self, tail: usize, head: usize) -> i64 {
        let cost = self.costs.arc(tail, head);
        let rise = cost - std::mem::replace(&mut self.cost[tail], cost);
        self.next[tail] = head;
        self.previous[head] = tail;
        self.exchanged.push(tail);
        rise
    }

    /// Finds the cycles by way of the segments.
    fn find_cycles(&mut self, first: &Tour) {
        self.ends.clear();
        self.ends.extend(self.exchanged.iter().map(|&tail| first.position[tail]));
        self.ends.sort_unstable();
        let (n, count) = (first.order.len(), self.ends.len());
        for segment in 0..count {
            let before = self.ends[if segment == 0 { count - 1 } else { segment - 1 }];
            self.beginning[if before + 1 == n { 0 } else { before + 1 }] = segment;
        }
        self.cycle_of.clear();
        self.cycle_of.resize(count, NONE);
        self.cycles.clear();
        for start in 0..count {
            if self.cycle_of[start] != NONE {
                continue;
            }
            let (mut segment, mut vertices) = (start, 0);
            while self.cycle_of[segment] == NONE {
                self.cycle_of[segment] = self.cycles.len();
                let before = self.ends[if segment == 0 { count - 1 } else { segment - 1 }];
                let length = self.ends[segment] + n - before;
                vertices += if length > n { length - n } else { length };
                let last = first.order[self.ends[segment]];
                segment = self.beginning[first.position[self.next[last]]];
            }
            self.cycles.push(Cycle { vertex: first.order[self.ends[start]], vertices });
        }
    }

    /// Joins the smallest cycle with another one; by how much that is dearer.
    fn join_smallest(&mut self, first: &Tour) -> Option<i64> {
        let left = (0..self.cycles.len()).filter(|&cycle| self.cycles[cycle].vertices > 0);
        let smallest = left.min_by_key(|&cycle| self.cycles[cycle].vertices)?;
        let joint = self.best_joint(smallest, first)?;
        let [tail, other] = joint.tails;
        let joined = self.cycle(other, first);
        let heads = [self.next[tail], self.next[other]];
        self.link(tail, heads[1]);
        self.link(other, heads[0]);
        self.cycle_of.iter_mut().filter(|cycle| **cycle == smallest).for_each(|cycle| *cycle = joined);
        self.cycles[joined].vertices += self.cycles[smallest].vertices;
        self.cycles[smallest].vertices = 0;
        Some(joint.rise)
    }

    /// The cheapest exchange of heads with a tail outside the cycle of which one new arc is a
    /// candidate. Costs are never negative, so that a candidate need not be looked at where it
    /// alone is too dear.
    fn best_joint(&self, cycle: usize, first: &Tour) -> Option<Joint> {
        let mut best = Joint { rise: i64::MAX, tails: [NONE; 2] };
        let mut tail = self.cycles[cycle].vertex;
        for _ in 0..self.cycles[cycle].vertices {
            let head = self.next[tail];
            let removed = self.cost[tail];
            for &(other_head, added) in &self.costs.leaving[tail] {
                let other = self.previous[other_head];
                let rise = added - removed - self.cost[other];
                if rise < best.rise && self.cycle(other_head, first) != cycle {
                    let rise = rise + self.costs.arc(other, head);
                    if rise < best.rise {
                        best = Joint { rise, tails: [tail, other] };
                    }
                }
            }
            for &(other, added) in &self.costs.entering[head] {
                let rise = added - removed - self.cost[other];
                if rise < best.rise && self.cycle(other, first) != cycle {
                    let rise = rise + self.costs.arc(tail, self.next[other]);
                    if rise < best.rise {
                        best = Joint { rise, tails: [tail, other] };
                    }
                }
            }
            tail = head;
        }
        (best.rise < i64::MAX).then_some(best)
    }

    /// The cycle that a vertex is in.
    fn cycle(&self, vertex: usize, first: &Tour) -> usize {
        let position = first.position[vertex];
        let segment = self.ends.partition_point(|&end| end < position);
        self.cycle_of[if segment == self.ends.len() { 0 } else { segment }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::assignment::assign;
    use super::super::instance::is_permutation;
    use super::super::random::Random;
    use super::super::test_support::closure_instance;
    use super::*;

    fn shuffled(n: usize, random: &mut Random) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        random.shuffle(&mut order);
        order
    }

    #[test]
    fn children_are_tours_of_the_stated_length() {
        let mut random = Random::new(17);
        let (mut made, mut joined) = (0, 0);
        for round in 0..200 {
            let n = 5 + round % 30;
            let instance = closure_instance(n, true, round as u64);
            let costs = Costs::new(&instance, &assign(&instance).expect("strongly connected"), None);
            let [first, second] = [(); 2].map(|()| Tour::new(&costs, &shuffled(n, &mut random)));
            let mut assembly = Assembly::new(&costs);
            for walk in 0..assembly.begin(&first, &second) {
                let rise = assembly.assemble(&first, &second, walk);
                joined += usize::from(assembly.cycles.len() > 1 && rise.is_some());
                let arcs: Vec<_> = assembly.differences(&first).map(|[tail, _, head]| (tail, head)).collect();
                assembly.undo(&first);
                assert_eq!((&assembly.next, &assembly.cost), (&first.next, &first.cost));
                let Some(rise) = rise else { continue };
                let child = assembly.child(&first, &arcs);
                assert!(is_permutation(&child.order, n));
                assert_eq!(child.length, first.length + rise);
                let length = instance.tour_length(&child.order).map(|length| length as i64);
                assert_eq!(length, Some(child.length + costs.offset));
                assert!(child.next != first.next);
                made += 1;
            }
        }
        assert!(made > 150 && joined > 100, "{made} {joined}");
    }

    /// All walks together lead from one parent to the other.
    #[test]
    fn walks_hold_each_difference_once() {
        let mut random = Random::new(3);
        for n in 4..40 {
            let instance = closure_instance(n, true, n as u64);
            let costs = Costs::new(&instance, &assign(&instance).expect("strongly connected"), None);
            let [first, second] = [(); 2].map(|()| Tour::new(&costs, &shuffled(n, &mut random)));
            let mut assembly = Assembly::new(&costs);
            let walks = assembly.begin(&first, &second);
            let mut walked = assembly.walked.clone();
            walked.sort_unstable();
            let different = (0..n).filter(|&tail| first.next[tail] != second.next[tail]);
            assert_eq!(walked, different.collect::<Vec<_>>());
            for walk in 0..walks {
                let tails = &assembly.walked[assembly.walks[walk]..assembly.walks[walk + 1]];
                let heads = |tour: &Tour| {
                    let mut heads: Vec<usize> = tails.iter().map(|&tail| tour.next[tail]).collect();
                    heads.sort_unstable();
                    heads
                };
                assert_eq!(heads(&first), heads(&second));
            }
        }
    }
}
