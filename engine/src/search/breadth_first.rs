//! Fewest steps in a graph, layer by layer.

/// Distance standing for "not reachable".
pub(crate) const FAR: u32 = u32::MAX;

/// Fewest steps to each of so many nodes from the nearest one of `from`; `next` gives the nodes one
/// step further. With the nodes before as `next`, these are the fewest steps from each node to the
/// nearest one of `from`.
pub(crate) fn distances<I: IntoIterator<Item = u32>>(
    nodes: usize,
    from: impl IntoIterator<Item = u32>,
    next: impl Fn(u32) -> I,
) -> Vec<u32> {
    let mut distances = vec![FAR; nodes];
    let mut layer = Vec::new();
    for node in from {
        if std::mem::replace(&mut distances[node as usize], 0) == FAR {
            layer.push(node);
        }
    }
    spread(&mut distances, layer.into_iter().map(|node| (0, node)).collect(), next);
    distances
}

/// Lowers costs along edges, by one for each: what nodes cost is at most one more than what a
/// neighbour costs. The `seeds` (cost, node) are the nodes whose costs were lowered before, and
/// those costs.
pub(crate) fn spread<I: IntoIterator<Item = u32>>(
    costs: &mut [u32],
    mut seeds: Vec<(u32, u32)>,
    next: impl Fn(u32) -> I,
) {
    seeds.sort_unstable();
    let (mut layer, mut farther): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    let (mut at, mut seeds) = (0, seeds.into_iter().peekable());
    loop {
        if layer.is_empty() {
            let Some(&(cost, _)) = seeds.peek() else { return };
            at = cost;
        }
        while let Some((cost, node)) = seeds.next_if(|seed| seed.0 == at) {
            if costs[node as usize] == cost {
                layer.push(node);
            }
        }
        for node in layer.drain(..) {
            for neighbour in next(node) {
                if costs[neighbour as usize] > at + 1 {
                    costs[neighbour as usize] = at + 1;
                    farther.push(neighbour);
                }
            }
        }
        std::mem::swap(&mut layer, &mut farther);
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_simulation::Random;

    /// Least fixpoint of "at most one more than a neighbour", by relaxing all edges again and
    /// again.
    fn relaxed(mut costs: Vec<u32>, edges: &[(u32, u32)]) -> Vec<u32> {
        for _ in 0..costs.len() {
            for &(from, to) in edges {
                costs[to as usize] = costs[to as usize].min(costs[from as usize].saturating_add(1));
            }
        }
        costs
    }

    #[test]
    fn costs_spread_as_far_as_edges_lead() {
        let mut random = Random::new(7);
        for _ in 0..2_000 {
            let nodes = 1 + random.below(12);
            let node = |random: &mut Random| random.below(nodes) as u32;
            let edges: Vec<(u32, u32)> =
                (0..random.below(2 * nodes)).map(|_| (node(&mut random), node(&mut random))).collect();
            let next = |from: u32| edges.iter().filter(move |edge| edge.0 == from).map(|edge| edge.1);
            let mut costs = vec![FAR; nodes];
            let mut seeds = Vec::new();
            for _ in 0..random.below(5) {
                let (cost, node) = (random.below(6) as u32, node(&mut random));
                if cost < costs[node as usize] {
                    costs[node as usize] = cost;
                    seeds.push((cost, node));
                }
            }
            let expected = relaxed(costs.clone(), &edges);
            spread(&mut costs, seeds, next);
            assert_eq!(costs, expected);
            let from: Vec<u32> = (0..random.below(4)).map(|_| node(&mut random)).collect();
            let mut near = vec![FAR; nodes];
            from.iter().for_each(|&node| near[node as usize] = 0);
            assert_eq!(distances(nodes, from, next), relaxed(near, &edges));
        }
    }
}
