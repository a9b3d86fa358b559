//! Good orders of goals under the changes of several groups at once.
//!
//! The cost of an order is the sum, over all groups, of the changes along the order of the group's
//! goals. Where a goal fixes the value of each part it speaks about, that is what a chain of this
//! order must at least cost, and often what it costs; unlike distances between neighbours it sees
//! that a part was left as needed long before. Found by simulated annealing (S. Kirkpatrick, C. D.
//! Gelatt, M. P. Vecchi, Science 220 (1983)): segments are moved, possibly turned around, or turned
//! around in place.

use super::groups::Group;
use crate::knowledge::vertex::Vertex;
use crate::random_simulation::Random;

/// Cost standing for "impossible" in a sum.
const IMPOSSIBLE: u32 = 1 << 20;
/// Changed orders that one search looks at, for each goal.
const ROUNDS: usize = 30_000;
/// Most changed orders that one search looks at.
const MOST_ROUNDS: usize = 4_000_000;
/// Temperature in steps, at the beginning and at the end.
const HOT: f64 = 2.0;
const COLD: f64 = 0.08;
/// Changed orders between two looks at the clock.
const LOOK_AT_CLOCK: usize = 4_096;
/// Longest segment that is moved, and how far.
const LONGEST: usize = 50;

/// A goal's place in a group.
#[derive(Clone, Copy, Debug)]
struct Membership {
    group: usize,
    place: u32,
}

/// The costs of orders; goals are numbered as in the first order.
struct Costs {
    /// By group: number of places, and the changes by source, then by target.
    changes: Vec<(u32, Vec<u32>)>,
    /// By goal: first membership; one more for the end.
    first: Vec<usize>,
    memberships: Vec<Membership>,
    /// By group: the place that was visited last, and for which evaluation that is so.
    last: Vec<(u32, u64)>,
    evaluation: u64,
}

impl Costs {
    fn new(groups: &[Group], goals: &[Vertex]) -> Self {
        let table = |group: &Group| {
            let places = group.goals.len() + 1;
            let pairs = (0..places).flat_map(|from| (0..places).map(move |to| (from, to)));
            (places as u32, pairs.map(|(from, to)| group.changes(from, to).unwrap_or(IMPOSSIBLE)).collect())
        };
        let (mut first, mut memberships) = (vec![0], Vec::new());
        for goal in goals {
            for (group, Group { goals, .. }) in groups.iter().enumerate() {
                let position = goals.iter().position(|known| known == goal);
                memberships.extend(position.map(|position| Membership { group, place: position as u32 + 1 }));
            }
            first.push(memberships.len());
        }
        let changes = groups.iter().map(table).collect();
        Self { changes, first, memberships, last: vec![(0, 0); groups.len()], evaluation: 0 }
    }

    fn memberships(&self, goal: u32) -> std::ops::Range<usize> {
        self.first[goal as usize]..self.first[goal as usize + 1]
    }

    fn leg(&self, group: usize, from: u32, to: u32) -> u64 {
        let (places, changes) = &self.changes[group];
        u64::from(changes[(from * places + to) as usize])
    }

    /// What the order costs.
    fn of(&mut self, order: &[u32]) -> u64 {
        let line = Line::new(self, order);
        self.within(&line, order, 0)
    }

    /// What these goals cost from the `begin`-th one of the line on in the place of as many of its
    /// goals, together with the legs on to the next goals of their groups. The goals are the same
    /// in another order.
    fn within(&mut self, line: &Line, goals: &[u32], begin: usize) -> u64 {
        self.evaluation += 1;
        let mut cost = 0;
        for &goal in goals {
            for membership in self.memberships(goal) {
                let Membership { group, place } = self.memberships[membership];
                let (mut from, evaluation) = self.last[group];
                if evaluation != self.evaluation {
                    from = line.before(group, begin);
                }
                cost += self.leg(group, from, place);
                self.last[group] = (place, self.evaluation);
            }
        }
        // Each group once, at the last of its goals.
        for &goal in goals {
            for membership in self.memberships(goal) {
                let Membership { group, place } = self.memberships[membership];
                if self.last[group] == (place, self.evaluation) {
                    cost += self.leg(group, place, line.after(group, begin + goals.len()));
                }
            }
        }
        cost
    }
}

/// By group the goals of an order, by their positions.
struct Line {
    /// By group: positions, ascending, and places.
    visits: Vec<Vec<(u32, u32)>>,
}

impl Line {
    fn new(costs: &Costs, order: &[u32]) -> Self {
        let mut line = Self { visits: vec![Vec::new(); costs.changes.len()] };
        line.set(costs, order);
        line
    }

    fn set(&mut self, costs: &Costs, order: &[u32]) {
        self.visits.iter_mut().for_each(Vec::clear);
        for (position, &goal) in order.iter().enumerate() {
            for membership in costs.memberships(goal) {
                let Membership { group, place } = costs.memberships[membership];
                self.visits[group].push((position as u32, place));
            }
        }
    }

    /// The group's last place before a position; 0: none.
    fn before(&self, group: usize, position: usize) -> u32 {
        let visits = &self.visits[group];
        let next = visits.partition_point(|&(at, _)| (at as usize) < position);
        next.checked_sub(1).map_or(0, |last| visits[last].1)
    }

    /// The group's first place from a position on; 0: none.
    fn after(&self, group: usize, position: usize) -> u32 {
        let visits = &self.visits[group];
        let next = visits.partition_point(|&(at, _)| (at as usize) < position);
        visits.get(next).map_or(0, |&(_, place)| place)
    }
}

/// An order of the same goals that costs no more under these groups, and what it costs. The search
/// ends early where `may_go_on` says no.
pub(crate) fn improved_order(
    groups: &[Group],
    order: &[Vertex],
    random: &mut Random,
    may_go_on: impl Fn() -> bool,
) -> (Vec<Vertex>, u64) {
    let mut costs = Costs::new(groups, order);
    let mut current: Vec<u32> = (0..order.len() as u32).collect();
    let mut line = Line::new(&costs, &current);
    let mut cost = costs.of(&current);
    let (mut best, mut least) = (current.clone(), cost);
    let rounds = (ROUNDS * order.len()).min(MOST_ROUNDS);
    let mut other = Vec::new();
    for round in 0..rounds {
        if round % LOOK_AT_CLOCK == 0 && !may_go_on() {
            break;
        }
        let temperature = HOT * (COLD / HOT).powf(round as f64 / rounds as f64);
        let begin = changed(&current, &mut other, random);
        let end = begin + other.len();
        if current[begin..end] == other[..] {
            continue;
        }
        let old = costs.within(&line, &current[begin..end], begin);
        let new = costs.within(&line, &other, begin);
        if new > old && unit(random) >= (-((new - old) as f64) / temperature).exp() {
            continue;
        }
        current[begin..end].copy_from_slice(&other);
        line.set(&costs, &current);
        cost = cost + new - old;
        if cost < least {
            (best, least) = (current.clone(), cost);
        }
    }
    (best.into_iter().map(|position| order[position as usize]).collect(), least)
}

/// A number from 0 to below 1.
fn unit(random: &mut Random) -> f64 {
    (random.next_word() >> 11) as f64 / (1u64 << 53) as f64
}

/// A stretch of the order in which one segment is turned around, or moved and possibly turned
/// around; its first position is returned.
fn changed(order: &[u32], stretch: &mut Vec<u32>, random: &mut Random) -> usize {
    stretch.clear();
    let most = order.len().min(LONGEST);
    let longest = 1 + random.below(most);
    let length = 1 + random.below(longest);
    let skipped = random.below(most.min(order.len() - length + 1));
    let begin = random.below(order.len() - length - skipped + 1);
    let (segment, others) = order[begin..begin + length + skipped].split_at(length);
    let turn = random.below(2) == 0;
    // The segment comes before or behind those that it is moved over, or stays where it is.
    let (leads, way) = (random.below(2) == 0, random.below(3));
    let (segment, others) = if leads {
        (segment, others)
    } else {
        let (others, segment) = order[begin..begin + length + skipped].split_at(skipped);
        (segment, others)
    };
    let copy = |stretch: &mut Vec<u32>| match turn || way == 0 {
        true => stretch.extend(segment.iter().rev()),
        false => stretch.extend_from_slice(segment),
    };
    if way == 0 {
        copy(stretch);
        return if leads { begin } else { begin + skipped };
    }
    if !leads {
        copy(stretch);
    }
    stretch.extend_from_slice(others);
    if leads {
        copy(stretch);
    }
    begin
}
