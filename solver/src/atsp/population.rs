//! A population of tours that breeds better ones.
//!
//! Descents from randomised greedy tours are crossed with each other
//! ([`assembly`](super::assembly)). A tour is replaced by the best of its children, and best is the
//! child that gains most length for the variety that it costs: a population of which all tours
//! become alike too soon gains nothing any more (Y. Nagata, S. Kobayashi, INFORMS Journal on
//! Computing 25, 2013, who measure variety by entropy). With 500 vertices and many equal costs this
//! finds in half a second what kicks do not find in minutes.

use super::assembly::{Assembly, Tour};
use super::descent::Descent;
use super::instance::from_vertex_zero;
use super::limits::Limits;
use super::local_search::Costs;
use super::random::Random;
use std::rc::Rc;

/// Children of two tours at most.
const CHILDREN: usize = 10;

/// Generations in vain that end the search: without a shorter tour, and with the excess of all
/// others shrinking by less than its so-manieth part.
const IDLE_GENERATIONS: usize = 10;
const LEAST_SHRINKAGE: i64 = 100;

/// How to breed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Breeding {
    /// Number of tours.
    pub(crate) tours: usize,
    /// Kicks of each tour beforehand.
    pub(crate) kicks: usize,
    /// Length that cannot be beaten: the search ends there.
    pub(crate) target: i64,
}

struct Population<'a> {
    costs: &'a Costs,
    assembly: Assembly<'a>,
    tours: Vec<Rc<Tour>>,
    /// By arc: how many tours have it.
    frequency: Vec<u16>,
    /// What a number of tours with the same arc costs in variety: harmonic numbers.
    sameness: Vec<f64>,
}

/// A child that may replace its first parent.
struct Child {
    worth: f64,
    arcs: Vec<(usize, usize)>,
}

/// The best tour that comes out, beginning at vertex 0, and its length; `None` where all tours
/// found use missing arcs. The known tours take part.
pub(crate) fn breed(
    costs: &Costs,
    known: &[&[usize]],
    breeding: &Breeding,
    seed: u64,
    limits: &Limits,
) -> Option<(Vec<usize>, i64)> {
    let mut random = Random::new(seed);
    let mut population = Population::new(costs, known, breeding, &mut random, limits);
    let (mut best, mut excess) = population.measure();
    let mut idle = 0;
    while idle < IDLE_GENERATIONS && best + costs.offset > breeding.target && !limits.reached() {
        if !population.breed(&mut random) {
            break;
        }
        let before = (best, excess);
        (best, excess) = population.measure();
        let has_progressed = best < before.0 || excess < before.1 - before.1 / LEAST_SHRINKAGE;
        idle = if has_progressed { 0 } else { idle + 1 };
    }
    let best = population.tours.iter().min_by_key(|tour| tour.length)?;
    let is_allowed = best.length < costs.penalty;
    is_allowed.then(|| (from_vertex_zero(best.order().to_vec()), best.length + costs.offset))
}

impl<'a> Population<'a> {
    fn new(
        costs: &'a Costs,
        known: &[&[usize]],
        breeding: &Breeding,
        random: &mut Random,
        limits: &Limits,
    ) -> Self {
        let n = costs.vertices;
        let mut population = Self {
            costs,
            assembly: Assembly::new(costs),
            tours: Vec::with_capacity(breeding.tours),
            frequency: vec![0; n * n],
            sameness: vec![0.0],
        };
        for index in 0..breeding.tours.max(1) {
            if index > 0 && limits.reached() {
                break;
            }
            let start = known.get(index).map_or_else(|| costs.greedy_tour(random), |tour| tour.to_vec());
            let mut descent = Descent::new(costs, start);
            descent.improve();
            descent.kick_often(breeding.kicks, random);
            population.tours.push(Rc::new(Tour::new(costs, descent.cycle.order())));
        }
        for tour in &population.tours {
            (0..n).for_each(|tail| population.frequency[tail * n + tour.next(tail)] += 1);
        }
        for count in 1..=population.tours.len() + 1 {
            population.sameness.push(population.sameness[count - 1] + 1.0 / count as f64);
        }
        population
    }

    /// The shortest length, and by how much all tours together exceed it.
    fn measure(&self) -> (i64, i64) {
        let lengths = self.tours.iter().map(|tour| tour.length);
        let shortest = lengths.clone().min().unwrap_or(i64::MAX);
        (shortest, lengths.map(|length| length - shortest).sum())
    }

    /// Crosses each tour with the next one in a random circle; whether a tour was replaced.
    fn breed(&mut self, random: &mut Random) -> bool {
        let mut circle: Vec<usize> = (0..self.tours.len()).collect();
        random.shuffle(&mut circle);
        let begun = Rc::clone(&self.tours[circle[0]]);
        let mut has_changed = false;
        for (index, &first) in circle.iter().enumerate() {
            let second = circle.get(index + 1).map_or(&begun, |&second| &self.tours[second]);
            let second = Rc::clone(second);
            has_changed |= self.cross(first, &second, random);
        }
        has_changed
    }

    /// Replaces the tour by its best child with the second parent, if one is good enough.
    fn cross(&mut self, tour: usize, second: &Tour, random: &mut Random) -> bool {
        let first = Rc::clone(&self.tours[tour]);
        let mut walks: Vec<usize> = (0..self.assembly.begin(&first, second)).collect();
        random.shuffle(&mut walks);
        let mut best: Option<Child> = None;
        for walk in walks.into_iter().take(CHILDREN) {
            if let Some(rise) = self.assembly.assemble(&first, second, walk).filter(|&rise| rise <= 0) {
                self.rate(&first, rise, &mut best);
            }
            self.assembly.undo(&first);
        }
        let Some(child) = best else { return false };
        let n = self.costs.vertices;
        for &(tail, head) in &child.arcs {
            self.frequency[tail * n + first.next(tail)] -= 1;
            self.frequency[tail * n + head] += 1;
        }
        self.tours[tour] = Rc::new(self.assembly.child(&first, &child.arcs));
        true
    }

    /// Keeps the child that was just made if it is worth more than the best one so far.
    fn rate(&mut self, first: &Tour, rise: i64, best: &mut Option<Child>) {
        let n = self.costs.vertices;
        let (frequency, sameness) = (&self.frequency, &self.sameness);
        let mut lost = 0.0;
        for [tail, before, after] in self.assembly.differences(first) {
            lost += sameness[usize::from(frequency[tail * n + after]) + 1]
                - sameness[usize::from(frequency[tail * n + before])];
        }
        let worth = worth(-rise, lost);
        if worth > best.as_ref().map_or(0.0, |best| best.worth) {
            let arcs = self.assembly.differences(first).map(|[tail, _, head]| (tail, head));
            *best = Some(Child { worth, arcs: arcs.collect() });
        }
    }
}

/// What a gain of length is worth where so much variety is lost. Nothing is worth something only
/// where variety is won.
fn worth(gain: i64, lost: f64) -> f64 {
    /// More than any gain per loss, and less than any.
    const MUCH: f64 = 1e9;
    match (gain > 0, lost > 0.0) {
        (true, true) => gain as f64 / lost,
        (true, false) => gain as f64 * MUCH,
        (false, true) => 0.0,
        (false, false) => -lost / MUCH,
    }
}

#[cfg(test)]
mod tests {
    use super::super::assignment::assign;
    use super::super::dynamic_program::shortest_tour;
    use super::super::instance::{Instance, is_permutation};
    use super::super::test_support::{closure_instance, random_instance, strip_instance};
    use super::*;

    const BREEDING: Breeding = Breeding { tours: 20, kicks: 0, target: 0 };

    fn bred(instance: &Instance, known: &[&[usize]], seed: u64) -> Option<(Vec<usize>, i64)> {
        let costs = Costs::new(instance, &assign(instance)?, None);
        breed(&costs, known, &BREEDING, seed, &Limits::default())
    }

    #[test]
    fn finds_shortest_tours_of_small_instances() {
        let mut feasible = 0;
        for seed in 0..60 {
            let n = 4 + seed as usize % 9;
            let instance = match seed % 3 {
                0 => closure_instance(n, true, seed),
                1 => random_instance(n, 9, 0, seed),
                _ => random_instance(n, 30, 35, seed),
            };
            let expected = shortest_tour(&instance).and_then(|tour| instance.tour_length(&tour));
            let found = bred(&instance, &[], seed);
            assert_eq!(found.as_ref().map(|found| found.1 as u64), expected, "seed {seed}");
            if let Some((tour, length)) = found {
                assert!(is_permutation(&tour, n) && tour[0] == 0);
                assert_eq!(instance.tour_length(&tour), Some(length as u64));
                feasible += 1;
            }
        }
        assert!(feasible > 40, "{feasible}");
    }

    /// Lengths that complete searches proved: populations find what their tours alone do not.
    #[test]
    fn breeding_shortens_tours() {
        for (seed, optimum) in [(1, 800), (2, 844)] {
            let instance = strip_instance(300, seed);
            let costs = Costs::new(&instance, &assign(&instance).expect("strongly connected"), None);
            let breeding = Breeding { tours: 60, ..BREEDING };
            let begun =
                Population::new(&costs, &[], &breeding, &mut Random::new(seed), &Limits::default()).measure();
            let found = breed(&costs, &[], &breeding, seed, &Limits::default()).expect("a tour");
            assert!(found.1 >= optimum && found.1 * 1000 <= optimum * 1005, "{}", found.1);
            assert!(begun.0 + costs.offset > found.1);
        }
    }

    #[test]
    fn known_tours_are_never_lost_and_the_seed_decides_everything() {
        let instance = closure_instance(40, true, 9);
        let best = bred(&instance, &[], 1).expect("a tour");
        for seed in 0..5 {
            let found = bred(&instance, &[&best.0], seed).expect("a tour");
            assert!(found.1 <= best.1);
            assert_eq!(Some(found), bred(&instance, &[&best.0], seed));
        }
    }

    #[test]
    fn variety_is_worth_less_than_any_gain() {
        assert!(worth(2, 1.0) > worth(1, 1.0) && worth(1, 0.5) > worth(1, 1.0));
        assert!(worth(1, -0.1) > worth(1000, 0.1) && worth(0, -3.0) < worth(1, 50.0));
        assert_eq!((worth(0, 0.5), worth(0, 0.0)), (0.0, 0.0));
    }
}
