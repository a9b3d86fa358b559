//! Good orders of goals under the changes of several groups at once.
//!
//! The cost of an order is the sum, over all groups, of the changes along the order of the group's goals. Where a goal fixes the
//! value of each part it speaks about, that is what a chain of this order must at least cost, and often what it costs; unlike
//! distances between neighbours it sees that a part was left as needed long before. Found by simulated annealing (S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi,
//! Science 220 (1983)): segments are moved, possibly turned around, or turned around in place.

use super::groups::Group;
use crate::reach::sample::Random;

/// Cost standing for "impossible" in a sum.
const IMPOSSIBLE: u64 = 1 << 24;
/// Visits of goals that one search may evaluate.
const VISITS: usize = 150_000_000;
/// Temperature in steps, at the beginning and at the end.
const HOT: f64 = 2.0;
const COLD: f64 = 0.08;

/// Places of goals in groups.
struct Costs<'a> {
    groups: &'a [Group],
    /// By goal (position in the first order): groups and places there.
    places: Vec<Vec<(usize, usize)>>,
    /// By group: the place that was visited last.
    last: Vec<usize>,
}

impl<'a> Costs<'a> {
    fn new(groups: &'a [Group], goals: &[usize]) -> Self {
        let place = |goal: usize| {
            let find = |(number, group): (usize, &Group)| {
                Some((number, 1 + group.goals.iter().position(|&known| known == goal)?))
            };
            groups.iter().enumerate().filter_map(find).collect()
        };
        Self { groups, places: goals.iter().map(|&goal| place(goal)).collect(), last: vec![0; groups.len()] }
    }

    fn of(&mut self, order: &[usize]) -> u64 {
        let Self { groups, places, last } = self;
        last.fill(0);
        let changes = |group: usize, from: usize, to: usize| {
            groups[group].changes(from, to).map_or(IMPOSSIBLE, u64::from)
        };
        let mut cost = 0;
        for &goal in order {
            for &(group, place) in &places[goal] {
                cost += changes(group, last[group], place);
                last[group] = place;
            }
        }
        cost + last.iter().enumerate().map(|(group, &place)| changes(group, place, 0)).sum::<u64>()
    }

    /// Visits that the evaluation of an order costs.
    fn visits(&self) -> usize {
        self.places.iter().map(|places| 1 + places.len()).sum::<usize>() + self.groups.len()
    }
}

/// An order of the same goals that costs no more under these groups, and what it costs.
pub(crate) fn improved_order(groups: &[Group], order: &[usize], random: &mut Random) -> (Vec<usize>, u64) {
    let mut costs = Costs::new(groups, order);
    let mut current: Vec<usize> = (0..order.len()).collect();
    let mut cost = costs.of(&current);
    let (mut best, mut least) = (current.clone(), cost);
    let rounds = VISITS / costs.visits();
    let mut other = Vec::new();
    for round in 0..rounds {
        let progress = round as f64 / rounds as f64;
        let temperature = HOT * (COLD / HOT).powf(progress);
        moved(&current, &mut other, random);
        let next = costs.of(&other);
        let worse = next as f64 - cost as f64;
        if worse <= 0.0 || unit(random) < (-worse / temperature).exp() {
            std::mem::swap(&mut current, &mut other);
            cost = next;
            if cost < least {
                (best, least) = (current.clone(), cost);
            }
        }
    }
    (best.into_iter().map(|position| order[position]).collect(), least)
}

/// A number from 0 to below 1.
fn unit(random: &mut Random) -> f64 {
    (random.next() >> 11) as f64 / (1u64 << 53) as f64
}

/// The order with one segment turned around, or moved elsewhere and possibly turned around.
fn moved(order: &[usize], result: &mut Vec<usize>, random: &mut Random) {
    result.clear();
    let size = order.len();
    let longest = 1 + random.below(size);
    let length = 1 + random.below(longest);
    let first = random.below(size - length + 1);
    let segment = &order[first..first + length];
    if random.below(3) == 0 {
        result.extend_from_slice(order);
        result[first..first + length].reverse();
        return;
    }
    let position = random.below(size - length + 1);
    let rest = || order[..first].iter().chain(&order[first + length..]).copied();
    result.extend(rest().take(position));
    match random.below(2) {
        0 => result.extend_from_slice(segment),
        _ => result.extend(segment.iter().rev()),
    }
    result.extend(rest().skip(position));
}
