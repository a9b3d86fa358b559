//! Instances and oracles for the tests of this module tree.

use super::instance::Instance;
use super::random::Random;
use super::windows::PathCost;
use std::collections::VecDeque;

/// Costs in `0..=greatest`, about `missing` of a hundred arcs missing.
pub(crate) fn random_instance(n: usize, greatest: u64, missing: usize, seed: u64) -> Instance {
    let mut random = Random::new(seed.wrapping_mul(977).wrapping_add(n as u64));
    Instance::new(n, |_, _| {
        (random.below(100) >= missing).then(|| random.below(greatest as usize + 1) as u64)
    })
}

/// An instance as reachability graphs of programs give them: the metric closure of a sparse random
/// digraph with small weights; closed to one strong component by arcs back to vertex 0 if `strong`,
/// else with missing arcs.
pub(crate) fn closure_instance(n: usize, strong: bool, seed: u64) -> Instance {
    let mut random = Random::new(seed ^ 0x5eed);
    let mut distance = vec![None; n * n];
    for from in 0..n {
        for _ in 0..3 {
            let to = random.below(n);
            distance[from * n + to] = Some(1 + random.below(12) as u64);
        }
        if strong || random.below(8) > 0 {
            distance[from * n + (from + 1) % n] = Some(1 + random.below(20) as u64);
        }
    }
    close(&mut distance, n);
    Instance::new(n, |from, to| distance[from * n + to])
}

/// Costs that are congruent by construction, some arcs missing.
pub(crate) fn congruent_instance(n: usize, modulus: usize, random: &mut Random) -> Instance {
    let mut number = || (0..n).map(|_| random.below(20)).collect::<Vec<_>>();
    let (rows, columns) = (number(), number());
    Instance::new(n, |from, to| {
        let cost = rows[from] + columns[to] + modulus * random.below(5);
        (random.below(5) > 0).then_some(cost as u64)
    })
}

/// Some states of a system that mostly goes on by one or jumps ahead, and back from few places
/// only: small costs, many ties.
pub(crate) fn strip_instance(n: usize, seed: u64) -> Instance {
    let mut random = Random::new(seed);
    let states = 8 * n;
    let mut next: Vec<Vec<usize>> = Vec::with_capacity(states);
    for state in 0..states {
        let mut heads = vec![(state + 1) % states, (state + 2 + random.below(39)) % states];
        if random.below(10) < 3 {
            heads.push((state + states - 1 - random.below(200)) % states);
        }
        next.push(heads);
    }
    let mut chosen: Vec<usize> = (0..states).collect();
    random.shuffle(&mut chosen);
    let distances: Vec<Vec<u64>> = chosen[..n].iter().map(|&from| steps_from(from, &next)).collect();
    Instance::new(n, |from, to| Some(distances[from][chosen[to]]))
}

/// Steps to each state, where all can be reached.
fn steps_from(start: usize, next: &[Vec<usize>]) -> Vec<u64> {
    let mut steps = vec![u64::MAX; next.len()];
    steps[start] = 0;
    let mut queue = VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        for &head in &next[state] {
            if steps[head] == u64::MAX {
                steps[head] = steps[state] + 1;
                queue.push_back(head);
            }
        }
    }
    steps
}

fn close(distance: &mut [Option<u64>], n: usize) {
    for via in 0..n {
        for from in 0..n {
            for to in 0..n {
                if let (Some(first), Some(second)) = (distance[from * n + via], distance[via * n + to]) {
                    let entry = &mut distance[from * n + to];
                    *entry = Some(entry.map_or(first + second, |known| known.min(first + second)));
                }
            }
        }
    }
}

/// All orders of `0..n`.
pub(crate) fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for vertex in 0..n {
        orders = orders
            .iter()
            .flat_map(|order| {
                (0..=order.len()).map(move |position| {
                    let mut longer = order.clone();
                    longer.insert(position, vertex);
                    longer
                })
            })
            .collect();
    }
    orders
}

/// Length of the shortest tour, by trying all of them.
pub(crate) fn brute_force(instance: &Instance) -> Option<u64> {
    brute_force_with(instance, |tour| instance.tour_length(tour))
}

/// The least measure of a tour, by trying all of them.
pub(crate) fn brute_force_with(
    instance: &Instance,
    measure: impl Fn(&[usize]) -> Option<u64>,
) -> Option<u64> {
    permutations(instance.len()).iter().filter_map(|tour| measure(tour)).min()
}

/// Windows of three to five vertices, some of them forbidden.
pub(crate) fn random_windows(n: usize, count: usize, random: &mut Random) -> Vec<PathCost> {
    let mut windows = Vec::new();
    for _ in 0..count {
        let mut vertices: Vec<usize> = (0..n).collect();
        random.shuffle(&mut vertices);
        vertices.truncate((3 + random.below(3)).min(n));
        let cost = (random.below(8) > 0).then(|| random.below(40) as u64);
        windows.push(PathCost { vertices, cost });
    }
    windows
}
