//! A tour that moves make shorter: segment swaps one by one, several in a row that are better only
//! together, and kicks.

use super::cyclic_order::CyclicOrder;
use super::local_search::Costs;
use super::random::Random;
use std::collections::VecDeque;

/// Longest segment that a kick moves.
const KICK_SEGMENT: usize = 30;
/// Vertices up to which kicks do as much as moves in a row, and cost less.
pub(crate) const MOST_FOR_KICKS_ALONE: usize = 250;
/// Most moves in a row that shorten the tour only together.
const DEPTH: usize = 5;
/// Candidate arcs per vertex for such moves.
const BREADTH: usize = 8;
/// Fewest vertices of which segment swaps make another tour.
const MIN_FOR_SWAPS: usize = 3;

/// A tour on its way down.
#[derive(Clone)]
pub(super) struct Descent<'a> {
    pub(super) costs: &'a Costs,
    pub(super) cycle: CyclicOrder,
    pub(super) length: i64,
    /// Cost of the arc out of each vertex.
    leaving_cost: Vec<i64>,
    queue: VecDeque<usize>,
    queued: Vec<bool>,
}

/// A segment swap that shortens the tour by `gain`.
#[derive(Clone, Copy, Debug)]
struct Move {
    gain: i64,
    tails: [usize; 3],
}

impl<'a> Descent<'a> {
    pub(super) fn new(costs: &'a Costs, order: Vec<usize>) -> Self {
        let n = costs.vertices;
        let cycle = CyclicOrder::new(order);
        let leaving_cost: Vec<i64> =
            (0..n).map(|vertex| costs.arc(vertex, cycle.successor(vertex))).collect();
        let length = leaving_cost.iter().sum();
        let queue = cycle.order().iter().copied().collect();
        Self { costs, cycle, length, leaving_cost, queue, queued: vec![true; n] }
    }

    /// Takes over the tour of another descent, where that one has nothing left to improve.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.cycle.copy_from(&other.cycle);
        self.leaving_cost.copy_from_slice(&other.leaving_cost);
        self.length = other.length;
    }

    fn swap_segments(&mut self, tails: [usize; 3]) {
        self.cycle.swap_segments(tails);
        self.update_costs(&tails);
    }

    fn update_costs(&mut self, tails: &[usize]) {
        for &tail in tails {
            self.leaving_cost[tail] = self.costs.arc(tail, self.cycle.successor(tail));
        }
    }

    /// Applies improving moves until none is found from any queued vertex.
    pub(super) fn improve(&mut self) {
        if self.costs.vertices < MIN_FOR_SWAPS {
            self.queue.clear();
            return;
        }
        let is_deep = self.costs.vertices > MOST_FOR_KICKS_ALONE;
        while let Some(vertex) = self.queue.pop_front() {
            self.queued[vertex] = false;
            loop {
                if let Some(best) = self.best_move(vertex) {
                    self.apply(best);
                } else if !is_deep || !self.follow(vertex) {
                    break;
                }
            }
        }
    }

    /// Makes several moves in a row that shorten the tour together though the first ones need not,
    /// if there are such. The tail of the arc that closes the tour after a move is where the next
    /// one begins, so that arc is not kept; sums of the others stay positive.
    fn follow(&mut self, vertex: usize) -> bool {
        let head = self.cycle.successor(vertex);
        let mut tail = vertex;
        let (mut gain, mut made): (i64, Vec<[usize; 3]>) = (0, Vec::new());
        while made.len() < DEPTH {
            let Some(next) = self.open_move(tail, gain, &made) else { break };
            self.swap_segments(next.tails);
            made.push(next.tails);
            tail = next.tails[2];
            debug_assert_eq!(
                self.cycle.successor(tail),
                head,
                "the closing arc should lead to where it began"
            );
            gain = next.gain - self.leaving_cost[tail];
            if gain > 0 {
                self.length -= gain;
                for tails in made {
                    for vertex in tails {
                        self.enqueue(vertex);
                        self.enqueue(self.cycle.successor(vertex));
                    }
                }
                return true;
            }
        }
        for [first, second, third] in made.into_iter().rev() {
            self.swap_segments([first, third, second]);
        }
        false
    }

    /// The move out of `t1` with the greatest gain without the arc that closes the tour, where so
    /// much was gained before. Arcs that were added before are not removed.
    fn open_move(&self, t1: usize, before: i64, made: &[[usize; 3]]) -> Option<Move> {
        let is_new = |tail: usize| made.iter().any(|tails| tails[0] == tail || tails[1] == tail);
        let h1 = self.cycle.successor(t1);
        let removed = before + self.leaving_cost[t1];
        let mut best: Option<Move> = None;
        for &(h2, added) in self.costs.leaving[t1].iter().take(BREADTH) {
            let gain1 = removed - added;
            if gain1 <= 0 {
                break;
            }
            let t2 = self.cycle.predecessor(h2);
            if h2 == h1 || is_new(t2) {
                continue;
            }
            let gain1 = gain1 + self.leaving_cost[t2];
            let reach = self.cycle.distance(t1, t2);
            for &(h3, added) in self.costs.leaving[t2].iter().take(BREADTH) {
                let gain2 = gain1 - added;
                if gain2 <= 0 {
                    break;
                }
                let t3 = self.cycle.predecessor(h3);
                if self.cycle.distance(t1, t3) <= reach || is_new(t3) {
                    continue;
                }
                let gain = gain2 + self.leaving_cost[t3];
                if best.is_none_or(|best| gain > best.gain) {
                    best = Some(Move { gain, tails: [t1, t2, t3] });
                }
            }
        }
        best
    }

    fn apply(&mut self, chosen: Move) {
        for tail in chosen.tails {
            let head = self.cycle.successor(tail);
            self.enqueue(tail);
            self.enqueue(head);
        }
        self.swap_segments(chosen.tails);
        self.length -= chosen.gain;
    }

    fn enqueue(&mut self, vertex: usize) {
        if !std::mem::replace(&mut self.queued[vertex], true) {
            self.queue.push_back(vertex);
        }
    }

    fn best_move(&self, vertex: usize) -> Option<Move> {
        let mut best = Move { gain: 0, tails: [0; 3] };
        self.moves_out_of(vertex, &mut best);
        self.moves_into(vertex, &mut best);
        (best.gain > 0).then_some(best)
    }

    /// Moves that replace `t1 → h1` by a candidate `t1 → h2`, then `t2 → h2` by a candidate `t2 →
    /// h3`.
    fn moves_out_of(&self, t1: usize, best: &mut Move) {
        let h1 = self.cycle.successor(t1);
        let removed = self.leaving_cost[t1];
        for &(h2, added) in &self.costs.leaving[t1] {
            let gain1 = removed - added;
            if gain1 <= 0 {
                break;
            }
            let t2 = self.cycle.predecessor(h2);
            let gain1 = gain1 + self.leaving_cost[t2];
            let reach = self.cycle.distance(t1, t2);
            for &(h3, added) in &self.costs.leaving[t2] {
                let gain2 = gain1 - added;
                if gain2 <= best.gain {
                    break;
                }
                let t3 = self.cycle.predecessor(h3);
                let gain3 = gain2 + self.leaving_cost[t3];
                if gain3 <= best.gain || self.cycle.distance(t1, t3) <= reach {
                    continue;
                }
                let gain = gain3 - self.costs.arc(t3, h1);
                if gain > best.gain {
                    *best = Move { gain, tails: [t1, t2, t3] };
                }
            }
        }
    }

    /// Moves that replace `t1 → h1` by a candidate `t3 → h1`, then `t3 → h3` by a candidate `t2 →
    /// h3`.
    fn moves_into(&self, h1: usize, best: &mut Move) {
        let t1 = self.cycle.predecessor(h1);
        let removed = self.leaving_cost[t1];
        for &(t3, added) in &self.costs.entering[h1] {
            let gain1 = removed - added;
            if gain1 <= 0 {
                break;
            }
            let h3 = self.cycle.successor(t3);
            let gain1 = gain1 + self.leaving_cost[t3];
            let reach = self.cycle.distance(t1, t3);
            for &(t2, added) in &self.costs.entering[h3] {
                let gain2 = gain1 - added;
                if gain2 <= best.gain {
                    break;
                }
                let gain3 = gain2 + self.leaving_cost[t2];
                let offset = self.cycle.distance(t1, t2);
                if gain3 <= best.gain || offset == 0 || offset >= reach {
                    continue;
                }
                let gain = gain3 - self.costs.arc(t1, self.cycle.successor(t2));
                if gain > best.gain {
                    *best = Move { gain, tails: [t1, t2, t3] };
                }
            }
        }
    }

    /// Kicks so many times; those that make the tour longer are undone.
    pub(super) fn kick_often(&mut self, kicks: usize, random: &mut Random) {
        let mut kept = self.clone();
        for _ in 0..kicks {
            self.kick(random);
            self.improve();
            if self.length <= kept.length {
                kept.copy_from(self);
            } else {
                self.copy_from(&kept);
            }
        }
    }

    /// A double bridge over three short segments at a random place.
    pub(super) fn kick(&mut self, random: &mut Random) {
        let n = self.costs.vertices;
        let longest = KICK_SEGMENT.min((n - 1) / 3);
        let mut tails = [random.below(n); 4];
        for k in 1..4 {
            tails[k] = self.cycle.ahead(tails[k - 1], 1 + random.below(longest));
        }
        let heads = tails.map(|tail| self.cycle.successor(tail));
        self.cycle.double_bridge(tails);
        self.length -= tails.iter().map(|&tail| self.leaving_cost[tail]).sum::<i64>();
        self.update_costs(&tails);
        self.length += tails.iter().map(|&tail| self.leaving_cost[tail]).sum::<i64>();
        for k in 0..4 {
            self.enqueue(tails[k]);
            self.enqueue(heads[k]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::assignment::assign;
    use super::super::instance::is_permutation;
    use super::super::test_support::closure_instance;
    use super::*;

    /// With few vertices, and with so many that moves follow each other.
    #[test]
    fn lengths_are_kept_along_and_never_grow_by_improving() {
        for (n, kicks) in [(60, 200), (MOST_FOR_KICKS_ALONE + 10, 100)] {
            let instance = closure_instance(n, true, 4);
            let assignment = assign(&instance).expect("strongly connected");
            let costs = Costs::new(&instance, &assignment, None);
            let mut random = Random::new(8);
            let mut descent = Descent::new(&costs, costs.greedy_tour(&mut random));
            for _ in 0..kicks {
                let before = descent.length;
                descent.improve();
                assert!(descent.length <= before);
                assert!(is_permutation(descent.cycle.order(), n));
                assert_eq!(
                    instance.tour_length(descent.cycle.order()).map(|length| length as i64),
                    Some(descent.length + costs.offset)
                );
                descent.kick(&mut random);
            }
        }
    }

    #[test]
    fn moves_that_follow_each_other_shorten_what_single_ones_do_not() {
        let (mut shortened, n) = (0, 80);
        for seed in 0..10 {
            let instance = closure_instance(n, true, seed);
            let assignment = assign(&instance).expect("strongly connected");
            let costs = Costs::new(&instance, &assignment, None);
            let mut descent = Descent::new(&costs, costs.greedy_tour(&mut Random::new(seed)));
            descent.improve();
            let before = descent.length;
            let has_followed = (0..n).any(|vertex| descent.follow(vertex));
            assert_eq!(has_followed, descent.length < before);
            let length = instance.tour_length(descent.cycle.order()).map(|length| length as i64);
            assert_eq!(length, Some(descent.length + costs.offset));
            shortened += usize::from(has_followed);
        }
        assert!(shortened > 3, "{shortened}");
    }
}
