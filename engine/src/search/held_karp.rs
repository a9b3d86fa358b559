//! What it costs to cover goals in the cheapest order, by distances between them (M. Held, R. M.
//! Karp, J. SIAM 10 (1962)).

/// Cost standing for "impossible".
const IMPOSSIBLE: u32 = u32::MAX;
/// Stands for it while sums are made, so that no sum of two costs overflows.
const CAP: u32 = u32::MAX / 4;

/// For each set of goals and each first one among them (at `set * count + first`): the least cost
/// from its beginning to the end, where `leg` is the cost from one goal to another and `last` that
/// from a goal to the end. The other entries are `u32::MAX`, which stands for "impossible".
pub(crate) fn tails(
    count: usize,
    last: impl Fn(usize) -> u32,
    leg: impl Fn(usize, usize) -> u32,
) -> Vec<u32> {
    let capped = |cost: u32| cost.min(CAP);
    let last: Vec<u32> = (0..count).map(|goal| capped(last(goal))).collect();
    let legs: Vec<Vec<u32>> = (0..count)
        .map(|a| (0..count).map(|b| if a == b { CAP } else { capped(leg(a, b)) }).collect())
        .collect();
    let mut costs = vec![CAP; count << count];
    for set in 1usize..1 << count {
        for first in (0..count).filter(|first| set >> first & 1 == 1) {
            let rest = set & !(1 << first);
            costs[set * count + first] = if rest == 0 {
                last[first]
            } else {
                // Goals outside the rest cost `CAP`: a loop without branches is the fastest.
                let costs = legs[first].iter().zip(&costs[rest * count..][..count]);
                costs.map(|(leg, cost)| leg + cost).fold(CAP, u32::min)
            };
        }
    }
    costs.iter_mut().filter(|cost| **cost == CAP).for_each(|cost| *cost = IMPOSSIBLE);
    costs
}
