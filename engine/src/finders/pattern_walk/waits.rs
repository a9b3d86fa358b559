//! Waits that serve many parts at once.
//!
//! Timers run side by side while inputs are held, where each part is in a state that waits. A walk
//! that looks one step ahead begins to wait as soon as some parts can, and leaves the others for a
//! wait of their own. So parts are brought into states from which the wait serves as many of them
//! as possible, by a beam search (Lowerre, *The HARPY speech recognition system*, 1976), and only
//! then inputs are held.

use super::MOST_MOVES;
use super::team::{Offer, put};
use super::walker::{Move, REFUSED, Walker};
use crate::provers::explicit::joint_price::RESET;
use crate::search::breadth_first::{FAR, spread};
use crate::session::{Session, Stop};
use model::value::Value;
use rustc_hash::FxHashSet;

/// Goals that are nearer than this from everywhere need no wait.
const SHORTEST_WAIT: u32 = 16;
/// Rows that are held at most, the best first.
const MOST_HOLDS: usize = 4;
/// Rows that are tried in each step of an arrangement at most.
const MOST_ROWS: usize = 2_000;
/// Steps of an arrangement at most, and those without any progress.
const MOST_STEPS: usize = 100;
const BARREN_STEPS: usize = 12;
/// What a step of an arrangement costs in steps that it spares single parts.
const STEP: u64 = 4;

/// What waits need to know of all parts.
pub(super) struct Waits {
    /// Inputs of the whole with the number of the row that they are for each part.
    rows: Vec<(Vec<Value>, Vec<u32>)>,
    parts: Vec<Moves>,
    /// Rows that are worth to be held.
    holds: Vec<Hold>,
    /// Steps for which they are held.
    length: u32,
}

/// A row that is held.
struct Hold {
    /// Its position.
    row: usize,
    /// What that leaves of each part.
    ends: Vec<Ends>,
}

/// All that steps of a part lead to.
struct Moves {
    /// Number of rows.
    width: usize,
    /// By state, and in it by row: the next state.
    next: Vec<u32>,
    /// Likewise: the hard goals that the step covers.
    covers: Vec<u64>,
}

/// What a wait leaves of a part, by state.
struct Ends {
    to: Vec<u32>,
    covers: Vec<u64>,
}

/// How an arrangement is sought.
pub(super) struct Effort {
    /// States that are kept of each step.
    pub(super) width: usize,
    /// Which of the rows is held.
    pub(super) hold: usize,
    /// Whether parts count the more, the more they have left.
    pub(super) is_urgent: bool,
    /// How much each part counts.
    pub(super) shares: Vec<u32>,
}

/// What all parts have left, each by its state.
struct Left {
    /// Behind a wait that begins there.
    after: Vec<Vec<u32>>,
    /// Behind a wait that begins where that is least, and on the way there.
    away: Vec<Vec<u32>>,
}

/// A state of all parts that an arrangement comes to.
struct Node {
    /// The node before, and the row that leads here.
    from: usize,
    row: usize,
    states: Vec<u32>,
}

impl Waits {
    /// `None`: no goals are worth a wait, there are too many moves, or a part has none at all. Each
    /// of the `offers` has a part, and values of the inputs that it `reads`.
    pub(super) fn new(
        walkers: &mut [Walker<'_>],
        (offers, reads): (&[Offer], &[Vec<usize>]),
        zeros: Vec<Value>,
        session: &Session<'_>,
    ) -> Result<Option<Self>, Stop> {
        let farthest = walkers.iter().filter_map(Walker::farthest).max().unwrap_or(0);
        let moves: usize = walkers.iter().map(Walker::moves_in_all).sum();
        let is_stuck = walkers.iter().any(|walker| walker.rows.is_empty());
        if farthest < SHORTEST_WAIT || moves > MOST_MOVES / 4 || is_stuck {
            return Ok(None);
        }
        let length = (farthest + 1).next_power_of_two().min(RESET);
        let mut parts = Vec::new();
        for walker in walkers.iter_mut() {
            parts.push(Moves::new(walker, session)?);
        }
        // How many goals that take long each row of a part covers when it is held, over all
        // states.
        let mut worth: Vec<Vec<u64>> = Vec::new();
        for (part, walker) in parts.iter().zip(walkers.iter()) {
            session.check_limits()?;
            let long = walker.hard_beyond(farthest / 2);
            let gained = |covers: &u64| u64::from((covers & long).count_ones());
            let of = |row| part.hold(row, length).covers.iter().map(gained).sum();
            worth.push((0..part.width as u32).map(of).collect());
        }
        let mut numbers = |row: &[Value]| -> Option<Vec<u32>> {
            let numbers = walkers.iter_mut().zip(&parts).map(|(walker, part)| {
                Some(walker.number(row)).filter(|&number| (number as usize) < part.width)
            });
            numbers.collect()
        };
        let value = |numbers: &[u32]| -> u64 {
            numbers.iter().zip(&worth).map(|(&number, worth)| worth[number as usize]).sum()
        };
        let offered = |base: &[Value], (part, values): &Offer| {
            let mut row = base.to_vec();
            put(&mut row, &reads[*part], values);
            row
        };
        let mut base = zeros;
        let mut best = numbers(&base).map_or(0, |numbers| value(&numbers));
        for offer in offers {
            let row = offered(&base, offer);
            if let Some(value) = numbers(&row).map(|numbers| value(&numbers)).filter(|&value| value > best) {
                (base, best) = (row, value);
            }
        }
        let mut seen = FxHashSet::default();
        let mut rows = Vec::new();
        let changed = offers.iter().map(|offer| offered(&base, offer));
        for row in std::iter::once(base.clone()).chain(changed) {
            if let Some(numbers) = numbers(&row).filter(|numbers| seen.insert(numbers.clone())) {
                rows.push((row, numbers));
            }
        }
        rows.truncate(MOST_ROWS);
        // The best row, and then those that are worth most beside the ones before.
        let mut holds: Vec<Hold> = Vec::new();
        let mut had = vec![0; parts.len()];
        while holds.len() < MOST_HOLDS {
            let worth_of = |part: usize, row: usize| worth[part][rows[row].1[part] as usize];
            let gain = |&row: &usize| -> u64 {
                had.iter().enumerate().map(|(part, &had)| worth_of(part, row).saturating_sub(had)).sum()
            };
            let Some(row) = (0..rows.len()).max_by_key(gain).filter(|row| gain(row) > 0) else { break };
            had.iter_mut().enumerate().for_each(|(part, had)| *had = worth_of(part, row).max(*had));
            let ends = parts.iter().zip(&rows[row].1).map(|(part, &number)| part.hold(number, length));
            holds.push(Hold { row, ends: ends.collect() });
        }
        Ok((!holds.is_empty()).then_some(Self { rows, parts, holds, length }))
    }

    /// How many rows may be held.
    pub(super) fn holds(&self) -> usize {
        self.holds.len()
    }

    /// Inputs that bring the parts into states from which a wait serves as many as possible,
    /// together with that wait. `None`: no wait serves anything.
    pub(super) fn arrangement(
        &self,
        walkers: &[Walker<'_>],
        effort: &Effort,
        session: &Session<'_>,
    ) -> Result<Option<Vec<Vec<Value>>>, Stop> {
        let hold = &self.holds[effort.hold];
        let price = |(walker, &share): (&Walker<'_>, &u32)| {
            let price = walker.price(walker.state, walker.hard_open);
            u64::from(self.weigh(price, (share, effort.is_urgent)))
        };
        let now: u64 = walkers.iter().zip(&effort.shares).map(price).sum();
        let left = self.left(walkers, (hold, effort), session)?;
        let first = walkers.iter().map(|walker| walker.state).collect();
        let (cost, arranged, mut rows) = self.search(first, &left, effort.width, session)?;
        let held = self.needed(&arranged, walkers, hold);
        if cost >= now || held == 0 {
            return Ok(None);
        }
        rows.extend(vec![hold.row; held]);
        Ok(Some(rows.into_iter().map(|row| self.rows[row].0.clone()).collect()))
    }

    /// What a price counts for a part with this share.
    fn weigh(&self, price: u32, (share, is_urgent): (u32, bool)) -> u32 {
        let price = price.min(4 * RESET);
        share * if is_urgent { price + price * price / self.length } else { price }
    }

    fn left(
        &self,
        walkers: &[Walker<'_>],
        (hold, effort): (&Hold, &Effort),
        session: &Session<'_>,
    ) -> Result<Left, Stop> {
        let (mut after, mut away) = (Vec::new(), Vec::new());
        for ((walker, end), &share) in walkers.iter().zip(&hold.ends).zip(&effort.shares) {
            session.check_limits()?;
            let price = |state: usize| match end.to[state] {
                REFUSED => FAR / 4,
                to => {
                    let price = walker.price(to, walker.hard_open & !end.covers[state]);
                    self.weigh(price, (share, effort.is_urgent))
                }
            };
            let costs: Vec<u32> = (0..walker.states()).map(price).collect();
            let mut least = costs.clone();
            let seeds = costs.iter().copied().zip(0..).collect();
            spread(&mut least, seeds, |state| walker.sources(state).iter().copied());
            after.push(costs);
            away.push(least);
        }
        Ok(Left { after, away })
    }

    /// The cheapest state found to begin the wait in, what it costs, and the rows that lead there.
    fn search(
        &self,
        first: Vec<u32>,
        left: &Left,
        width: usize,
        session: &Session<'_>,
    ) -> Result<(u64, Vec<u32>, Vec<usize>), Stop> {
        let after = |states: &[u32]| -> u64 {
            left.after.iter().zip(states).map(|(after, &state)| u64::from(after[state as usize])).sum()
        };
        let mut best = (after(&first), 0);
        let mut seen: FxHashSet<Vec<u32>> = FxHashSet::from_iter([first.clone()]);
        let mut nodes = vec![Node { from: 0, row: 0, states: first }];
        let (mut layer, mut barren) = (0..1, 0);
        for depth in 1..=MOST_STEPS as u64 {
            session.check_limits()?;
            let mut candidates: Vec<(u64, usize, usize)> = Vec::new();
            for from in layer.clone() {
                for row in 0..self.rows.len() {
                    let next = self.next(&nodes[from].states, row).zip(&left.away);
                    let away = |(to, away): (u32, &Vec<u32>)| away.get(to as usize).copied().map(u64::from);
                    let sum: Option<u64> = next.map(away).sum();
                    candidates.extend(sum.map(|sum| (sum, from, row)));
                }
            }
            candidates.sort_unstable();
            let first = nodes.len();
            for (_, from, row) in candidates {
                if nodes.len() - first >= width {
                    break;
                }
                let states: Vec<u32> = self.next(&nodes[from].states, row).collect();
                if seen.insert(states.clone()) {
                    nodes.push(Node { from, row, states });
                }
            }
            layer = first..nodes.len();
            barren += 1;
            for node in layer.clone() {
                let cost = after(&nodes[node].states) + STEP * depth;
                if cost < best.0 {
                    (best, barren) = ((cost, node), 0);
                }
            }
            if layer.is_empty() || barren > BARREN_STEPS {
                break;
            }
        }
        let (cost, mut node) = best;
        let arranged = nodes[node].states.clone();
        let mut rows = Vec::new();
        while node > 0 {
            rows.push(nodes[node].row);
            node = nodes[node].from;
        }
        rows.reverse();
        Ok((cost, arranged, rows))
    }

    /// Where a row leads all parts to; [`REFUSED`] for those that refuse it.
    fn next<'w>(&'w self, states: &'w [u32], row: usize) -> impl Iterator<Item = u32> + 'w {
        let parts = states.iter().zip(&self.parts).zip(&self.rows[row].1);
        parts.map(|((&state, part), &number)| part.next[part.at(state, number)])
    }

    /// Steps for which the row is held until all goals are covered that the whole wait covers.
    fn needed(&self, states: &[u32], walkers: &[Walker<'_>], hold: &Hold) -> usize {
        let mut last = 0;
        let parts = states.iter().zip(walkers).zip(&self.parts);
        for (((&first, walker), part), (end, &number)) in
            parts.zip(hold.ends.iter().zip(&self.rows[hold.row].1))
        {
            let (mut state, mut open) = (first, walker.hard_open & end.covers[first as usize]);
            for step in 1..=self.length as usize {
                if open == 0 {
                    break;
                }
                let at = part.at(state, number);
                if open & part.covers[at] != 0 {
                    open &= !part.covers[at];
                    last = last.max(step);
                }
                state = part.next[at];
            }
        }
        last
    }
}

impl Moves {
    fn new(walker: &mut Walker<'_>, session: &Session<'_>) -> Result<Self, Stop> {
        let width = walker.rows.len();
        let (mut next, mut covers) = (Vec::new(), Vec::new());
        for state in 0..walker.states() as u32 {
            session.check_limits()?;
            let moves = walker.all_moves(state)[..width].to_vec();
            for Move { to, labels } in moves {
                next.push(to);
                covers.push(walker.hard_goals(labels));
            }
        }
        Ok(Self { width, next, covers })
    }

    /// The position of what a row leads to from a state.
    const fn at(&self, state: u32, row: u32) -> usize {
        state as usize * self.width + row as usize
    }

    /// Where a row leads to that is held for so many steps (a power of two), and the goals covered.
    fn hold(&self, row: u32, length: u32) -> Ends {
        let of = |table: &[u64]| -> Vec<u64> {
            table[row as usize..].iter().step_by(self.width).copied().collect()
        };
        let mut to: Vec<u32> = self.next[row as usize..].iter().step_by(self.width).copied().collect();
        let mut covers = of(&self.covers);
        for _ in 0..length.ilog2() {
            let twice = |&middle: &u32| if middle == REFUSED { REFUSED } else { to[middle as usize] };
            let both = to
                .iter()
                .zip(&covers)
                .map(|(&middle, &first)| first | if middle == REFUSED { 0 } else { covers[middle as usize] });
            covers = both.collect();
            to = to.iter().map(twice).collect();
        }
        Ends { to, covers }
    }
}
