//! What it costs to cover goals in the cheapest order, by distances between them (M. Held, R. M.
//! Karp, J. SIAM 10 (1962)).

/// Cost standing for "impossible"; sums stay there.
const IMPOSSIBLE: u32 = u32::MAX;

/// For each set of goals and each first one among them (at `set * count + first`): the least cost
/// from its beginning to the end, where `leg` is the cost from one goal to another and `last` that
/// from a goal to the end. The other entries are `u32::MAX`, which stands for "impossible".
pub(crate) fn tails(
    count: usize,
    last: impl Fn(usize) -> u32,
    leg: impl Fn(usize, usize) -> u32,
) -> Vec<u32> {
    let last: Vec<u32> = (0..count).map(last).collect();
    let legs: Vec<Vec<u32>> = (0..count)
        .map(|a| (0..count).map(|b| if a == b { IMPOSSIBLE } else { leg(a, b) }).collect())
        .collect();
    let mut costs = vec![IMPOSSIBLE; count << count];
    for set in 1usize..1 << count {
        for first in (0..count).filter(|first| set >> first & 1 == 1) {
            let rest = set & !(1 << first);
            costs[set * count + first] = if rest == 0 {
                last[first]
            } else {
                // Goals outside the rest cost `IMPOSSIBLE`: a loop without branches is the fastest.
                let costs = legs[first].iter().zip(&costs[rest * count..][..count]);
                costs.map(|(leg, cost)| leg.saturating_add(*cost)).fold(IMPOSSIBLE, u32::min)
            };
        }
    }
    costs
}
