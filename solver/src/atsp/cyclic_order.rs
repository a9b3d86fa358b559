//! A cyclic order of vertices as an array with positions, and the one change that local search
//! makes to it.
//!
//! The *segment swap* removes three arcs and joins the three segments in the other order, without
//! reversing any: the only exchange of three arcs that keeps all directions. Two neighbouring
//! segments change places, and as the order is cyclic one may choose which two; the longest of the
//! three stays where it is.

/// A cyclic order of the vertices `0..n`.
#[derive(Clone, Debug)]
pub(crate) struct CyclicOrder {
    order: Vec<usize>,
    position: Vec<usize>,
    buffer: Vec<usize>,
}

impl CyclicOrder {
    pub(crate) fn new(order: Vec<usize>) -> Self {
        let mut position = vec![0; order.len()];
        for (index, &vertex) in order.iter().enumerate() {
            position[vertex] = index;
        }
        Self { order, position, buffer: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    pub(crate) fn successor(&self, vertex: usize) -> usize {
        let next = self.position[vertex] + 1;
        self.order[if next == self.order.len() { 0 } else { next }]
    }

    pub(crate) fn predecessor(&self, vertex: usize) -> usize {
        let position = self.position[vertex];
        self.order[if position == 0 { self.order.len() - 1 } else { position - 1 }]
    }

    /// Number of arcs from one vertex to the other along the order.
    pub(crate) fn distance(&self, from: usize, to: usize) -> usize {
        let (from, to) = (self.position[from], self.position[to]);
        if to >= from { to - from } else { to + self.order.len() - from }
    }

    /// The vertex so many arcs further.
    pub(crate) fn ahead(&self, vertex: usize, arcs: usize) -> usize {
        self.order[(self.position[vertex] + arcs) % self.order.len()]
    }

    /// Replaces the arcs out of the `tails` (in cyclic order, all different) `t1 → h1`, `t2 → h2`,
    /// `t3 → h3` by `t1 → h2`, `t2 → h3`, `t3 → h1`.
    pub(crate) fn swap_segments(&mut self, tails: [usize; 3]) {
        let [first, second, third] = tails;
        let lengths =
            [self.distance(first, second), self.distance(second, third), self.distance(third, first)];
        debug_assert_eq!(lengths.iter().sum::<usize>(), self.len(), "tails should be in cyclic order");
        let longest = (0..3).max_by_key(|&segment| lengths[segment]).unwrap_or(0);
        let start = self.position[tails[(longest + 1) % 3]] + 1;
        self.swap_neighbours(start, lengths[(longest + 1) % 3], lengths[(longest + 2) % 3]);
    }

    /// Replaces `t1 → h1`, ..., `t4 → h4` by `t1 → h3`, `t4 → h2`, `t3 → h1` ... that is, four
    /// segments A B C D become A D C B (the double bridge, which no sequence of improving segment
    /// swaps makes).
    pub(crate) fn double_bridge(&mut self, tails: [usize; 4]) {
        let [first, second, third, fourth] = tails;
        let start = self.position[first] + 1;
        let lengths =
            [self.distance(first, second), self.distance(second, third), self.distance(third, fourth)];
        self.swap_neighbours(start, lengths[0], lengths[1] + lengths[2]);
        self.swap_neighbours(start, lengths[1], lengths[2]);
    }

    /// Takes over the order of another one of the same vertices.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.order.copy_from_slice(&other.order);
        self.position.copy_from_slice(&other.position);
    }

    fn swap_neighbours(&mut self, start: usize, first: usize, second: usize) {
        let n = self.order.len();
        let wrapped = |index: usize| if index >= n { index - n } else { index };
        let start = wrapped(start);
        self.buffer.clear();
        self.buffer.extend((start..start + first).map(|index| self.order[wrapped(index)]));
        let (mut to, mut from) = (start, wrapped(start + first));
        for _ in 0..second {
            self.place(to, self.order[from]);
            (to, from) = (wrapped(to + 1), wrapped(from + 1));
        }
        for offset in 0..first {
            self.place(to, self.buffer[offset]);
            to = wrapped(to + 1);
        }
    }

    fn place(&mut self, index: usize, vertex: usize) {
        self.order[index] = vertex;
        self.position[vertex] = index;
    }
}

#[cfg(test)]
mod tests {
    use super::super::instance::from_vertex_zero;
    use super::super::random::Random;
    use super::*;

    fn check_positions(cycle: &CyclicOrder) {
        for (index, &vertex) in cycle.order().iter().enumerate() {
            assert_eq!(cycle.position[vertex], index);
        }
    }

    #[test]
    fn segment_swaps_exchange_exactly_three_arcs() {
        let mut random = Random::new(1);
        for round in 0..500 {
            let n = 3 + round % 9;
            let mut order: Vec<usize> = (0..n).collect();
            random.shuffle(&mut order);
            let mut cycle = CyclicOrder::new(order);
            let mut places: Vec<usize> = (0..n).collect();
            random.shuffle(&mut places);
            places[..3].sort_unstable();
            places[..3].rotate_left(random.below(3));
            let tails = [0, 1, 2].map(|k| cycle.order()[places[k]]);
            let heads = tails.map(|tail| cycle.successor(tail));
            let before: Vec<usize> = (0..n).map(|vertex| cycle.successor(vertex)).collect();
            cycle.swap_segments(tails);
            check_positions(&cycle);
            let mut expected = before;
            for k in 0..3 {
                expected[tails[k]] = heads[(k + 1) % 3];
            }
            let after: Vec<usize> = (0..n).map(|vertex| cycle.successor(vertex)).collect();
            assert_eq!(after, expected);
        }
    }

    #[test]
    fn the_double_bridge_turns_the_segments_around() {
        let mut cycle = CyclicOrder::new((0..9).collect());
        cycle.double_bridge([7, 0, 1, 4]);
        check_positions(&cycle);
        assert_eq!(from_vertex_zero(cycle.order().to_vec()), [0, 5, 6, 7, 2, 3, 4, 1, 8]);
    }
}
