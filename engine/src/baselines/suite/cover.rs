//! Suite minimisation: the cheapest selection of test cases that covers what all of them cover.

/// A candidate: what it covers (ascending) and what it costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it covers, by number.
    pub covers: Vec<usize>,
    /// What it costs; at least 1.
    pub cost: u64,
}

/// Selections tried before the best so far is taken.
const MOST_TRIES: usize = 200_000;

/// Greedy: always the item that covers the most new elements, the cheaper one of two. Positions of
/// the items, in the order of selection.
pub fn greedy(items: &[Item]) -> Vec<usize> {
    select(items, |item, fresh| (fresh as u64, u64::MAX - item.cost))
}

/// Weighted minimal cover by branch and bound, exact unless [`MOST_TRIES`] is reached. Positions of
/// the items, ascending.
pub(crate) fn cheapest(items: &[Item]) -> Vec<usize> {
    let items_by_cost = {
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by_key(|&position| (items[position].cost, position));
        order.retain(|&position| !is_dominated(items, position));
        order
    };
    let cheap = select(items, |item, fresh| (fresh as u64 * 1_000_000 / item.cost.max(1), fresh as u64));
    let cost = |chosen: &[usize]| chosen.iter().map(|&position| items[position].cost).sum::<u64>();
    let elements = elements(items);
    let mut search =
        Search { items, order: &items_by_cost, best_cost: cost(&cheap), best: cheap, tries: MOST_TRIES };
    search.branch(&elements, &mut Vec::new(), 0);
    search.best.sort_unstable();
    search.best
}

/// Whether another item covers all of it for less, or for the same and stands before it.
fn is_dominated(items: &[Item], position: usize) -> bool {
    let item = &items[position];
    items.iter().enumerate().any(|(other, better)| {
        let cheaper = better.cost < item.cost || (better.cost == item.cost && other < position);
        cheaper && item.covers.iter().all(|element| better.covers.binary_search(element).is_ok())
    })
}

fn elements(items: &[Item]) -> Vec<usize> {
    let mut all: Vec<usize> = items.iter().flat_map(|item| item.covers.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Always the item with the best rating, given what it covers of the rest.
fn select<R: Ord>(items: &[Item], rating: impl Fn(&Item, usize) -> R) -> Vec<usize> {
    let mut open = elements(items);
    let mut chosen = Vec::new();
    while !open.is_empty() {
        let fresh = |item: &Item| item.covers.iter().filter(|element| open.contains(element)).count();
        let rated = items.iter().enumerate().filter(|(_, item)| fresh(item) > 0);
        let best = rated.max_by_key(|&(position, item)| (rating(item, fresh(item)), usize::MAX - position));
        let (position, item) = best.expect("every element should be covered by some item");
        open.retain(|element| !item.covers.contains(element));
        chosen.push(position);
    }
    chosen
}

struct Search<'a> {
    items: &'a [Item],
    order: &'a [usize],
    best: Vec<usize>,
    best_cost: u64,
    tries: usize,
}

impl Search<'_> {
    /// Covers the open element with the fewest choices in all ways.
    fn branch(&mut self, open: &[usize], chosen: &mut Vec<usize>, cost: u64) {
        if cost >= self.best_cost || self.tries == 0 {
            return;
        }
        self.tries -= 1;
        let Some(choices) = open.iter().map(|&element| self.covering(element)).min_by_key(Vec::len) else {
            (self.best, self.best_cost) = (chosen.clone(), cost);
            return;
        };
        for position in choices {
            let item = &self.items[position];
            let rest: Vec<usize> =
                open.iter().copied().filter(|element| item.covers.binary_search(element).is_err()).collect();
            chosen.push(position);
            self.branch(&rest, chosen, cost + item.cost);
            chosen.pop();
        }
    }

    /// The useful items that cover an element, cheap ones first.
    fn covering(&self, element: usize) -> Vec<usize> {
        let covers = |position: &usize| self.items[*position].covers.binary_search(&element).is_ok();
        self.order.iter().copied().filter(covers).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    fn item(covers: &[usize], cost: u64) -> Item {
        Item { covers: covers.to_vec(), cost }
    }

    #[test]
    fn greedy_takes_the_largest_and_the_weighted_cover_the_cheapest() {
        let items = [item(&[1, 2, 3, 4], 9), item(&[1, 2, 5], 2), item(&[3, 4, 6], 2), item(&[5, 6], 1)];
        assert_eq!(greedy(&items), [0, 3]);
        assert_eq!(cheapest(&items), [1, 2]);
        assert_eq!(greedy(&[]), [] as [usize; 0]);
        assert_eq!(cheapest(&[]), [] as [usize; 0]);
    }

    #[test]
    fn the_weighted_cover_is_as_cheap_as_the_best_subset() {
        let mut random = SmallRng::seed_from_u64(7);
        for _ in 0..300 {
            let mut draw = |_| {
                let set: Vec<usize> = (0..6).filter(|_| random.random_range(0..3) == 0).collect();
                Item { covers: set, cost: random.random_range(1..10) }
            };
            let items: Vec<Item> = (0..8).map(&mut draw).collect();
            let wanted = elements(&items);
            let cost_of = |mask: usize| {
                let chosen: Vec<&Item> =
                    (0..items.len()).filter(|bit| mask >> bit & 1 == 1).map(|bit| &items[bit]).collect();
                let covers = |element: &usize| chosen.iter().any(|item| item.covers.contains(element));
                wanted.iter().all(covers).then(|| chosen.iter().map(|item| item.cost).sum::<u64>())
            };
            let best = (0..1usize << items.len()).filter_map(cost_of).min();
            let found: u64 = cheapest(&items).iter().map(|&position| items[position].cost).sum();
            assert_eq!(Some(found), best, "{items:?}");
            let mask = greedy(&items).iter().map(|position| 1 << position).sum();
            assert!(cost_of(mask).is_some(), "{items:?}");
        }
    }
}
