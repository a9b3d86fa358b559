//! Chains that kill many mutants, found by beam search over original and all mutants at once.
//!
//! A search state holds the node of the original and, for each mutant that is still alive, the pair
//! of sets that it is in. Beams claim nothing: a chain that comes out of one is an upper bound.

use super::conform::{Determined, GONE, Product, UNKNOWN};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;

/// Chains as positions of events in the nodes that they pass.
pub type Chains = Vec<Vec<usize>>;

/// Mutants that are compared with each other for [`essential`] at most.
const MOST_COMPARED: usize = 2000;

/// A mutant that was killed.
const DEAD: u32 = u32::MAX - 1;

/// The score of what cannot end well.
const HOPELESS: u64 = u64::MAX;

/// The mutants whose death brings that of all others: for each mutant itself, or one whose every
/// killing chain kills it, too. Mutants that nothing kills stand for themselves.
pub fn essential(automaton: &Determined, products: &[&Product]) -> Vec<usize> {
    let mut follows: Vec<usize> = (0..products.len()).collect();
    if products.len() > MOST_COMPARED {
        return follows;
    }
    let traces: Vec<Option<Vec<usize>>> = products.iter().map(|product| shortest(product)).collect();
    // Mutants that are hard to kill come first: they imply others.
    let mut order: Vec<usize> = (0..products.len()).filter(|&one| traces[one].is_some()).collect();
    order.sort_by_key(|&one| std::cmp::Reverse((products[one].shortest, std::cmp::Reverse(one))));
    let mut kept: Vec<usize> = Vec::new();
    for &one in &order {
        let implied = kept.iter().copied().find(|&hard| {
            let quick = traces[hard].as_ref().is_some_and(|trace| kills(automaton, products[one], trace));
            quick && implies(automaton, products[hard], products[one])
        });
        match implied {
            Some(hard) => follows[one] = hard,
            None => {
                for other in kept.clone() {
                    let quick =
                        traces[one].as_ref().is_some_and(|trace| kills(automaton, products[other], trace));
                    if quick && implies(automaton, products[one], products[other]) {
                        kept.retain(|&kept| kept != other);
                        for followed in &mut follows {
                            if *followed == other {
                                *followed = one;
                            }
                        }
                    }
                }
                kept.push(one);
            }
        }
    }
    follows
}

/// The shortest way to a pair where watching kills, as positions of events; the last watches.
pub fn shortest(product: &Product) -> Option<Vec<usize>> {
    let distance = product.distances();
    let mut at = 0_usize;
    distance.first().copied().flatten()?;
    let mut trace = Vec::new();
    while !product.pairs[at].kills {
        let steps = distance[at]?;
        let next = product.pairs[at].next.iter().position(|&next| {
            next < UNKNOWN && distance[next as usize].is_some_and(|left| left + 1 == steps)
        })?;
        trace.push(next);
        at = product.pairs[at].next[next] as usize;
    }
    Some(trace)
}

/// Whether a chain kills, where it watches at its end.
fn kills(automaton: &Determined, product: &Product, trace: &[usize]) -> bool {
    let mut at = 0;
    for &event in trace {
        let pair = &product.pairs[at as usize];
        let (what, _) = automaton.events[pair.node as usize][event];
        if pair.kills && what.is_watched() {
            return true;
        }
        at = pair.next[event];
        if at >= UNKNOWN {
            return false;
        }
    }
    product.pairs[at as usize].kills
}

/// Whether each chain that kills the first is known to kill the second.
fn implies(automaton: &Determined, first: &Product, second: &Product) -> bool {
    if first.is_partial {
        return false;
    }
    let mut seen: FxHashSet<(u32, u32)> = FxHashSet::default();
    let mut stack = vec![(0, 0)];
    while let Some((one, other)) = stack.pop() {
        if !seen.insert((one, other)) {
            continue;
        }
        let pair = &first.pairs[one as usize];
        let killed = other < UNKNOWN && second.pairs[other as usize].kills;
        if pair.kills && !killed {
            return false;
        }
        for (event, &(what, _)) in automaton.events[pair.node as usize].iter().enumerate() {
            let next = pair.next[event];
            if next >= UNKNOWN || (killed && what.is_watched()) {
                continue;
            }
            let after = if other < UNKNOWN { second.pairs[other as usize].next[event] } else { GONE };
            stack.push((next, after));
        }
    }
    true
}

/// What a beam may cost.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Search states that are kept of each length.
    pub width: usize,
    /// Chains at most.
    pub chains: usize,
    /// Weight of a mutant that is alive beside the distance to its death.
    pub weight: u32,
    /// What a mutant that is out of play until a restart adds to that.
    pub exile: u32,
    /// Steps at most.
    pub steps: usize,
    /// When to give up.
    pub deadline: Option<Instant>,
}

/// Original and mutants under one chain.
#[derive(Clone)]
struct Search {
    node: u32,
    /// Chains begun before this one.
    restarts: usize,
    pairs: Box<[u32]>,
    alive: usize,
    score: u64,
    /// Position in the history.
    last: usize,
}

/// What led to a search state: the one before, and an event or a restart.
#[derive(Clone, Copy)]
struct Past {
    before: usize,
    event: Option<usize>,
}

struct Beam<'a> {
    automaton: &'a Determined,
    products: &'a [&'a Product],
    distances: Vec<Vec<Option<u32>>>,
    effort: Effort,
    history: Vec<Past>,
}

/// Chains that kill all of some mutants, each of which can be killed; none where the effort does
/// not suffice.
pub fn beam(automaton: &Determined, products: &[&Product], effort: Effort) -> Option<Chains> {
    let distances = products.iter().map(|product| product.distances()).collect();
    let mut beam = Beam { automaton, products, distances, effort, history: Vec::new() };
    beam.run()
}

impl Beam<'_> {
    fn run(&mut self) -> Option<Chains> {
        self.history.push(Past { before: 0, event: None });
        let pairs = vec![0; self.products.len()].into_boxed_slice();
        let mut start = Search { node: 0, restarts: 0, pairs, alive: self.products.len(), score: 0, last: 0 };
        start.score = self.score(&start);
        if start.alive == 0 {
            return Some(Vec::new());
        }
        let mut level = vec![start];
        for _ in 0..self.effort.steps {
            if self.effort.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return None;
            }
            let mut next: Vec<Search> = level.iter().flat_map(|search| self.expanded(search)).collect();
            let restarted: Vec<Search> = next.iter().filter_map(|search| self.restarted(search)).collect();
            next.extend(restarted);
            next.retain(|search| search.score != HOPELESS);
            level = self.best(next);
            if let Some(done) = level.iter().find(|search| search.alive == 0) {
                return Some(self.chains(done.last));
            }
            if level.is_empty() {
                return None;
            }
        }
        None
    }

    /// The next states; `last` names the state before and waits for its own place in the history.
    fn expanded(&self, search: &Search) -> Vec<Search> {
        let events = &self.automaton.events[search.node as usize];
        let next = |(event, &(what, to)): (usize, &(super::conform::Event, u32))| {
            let mut after = Search { node: to, ..search.clone() };
            for (pair, product) in after.pairs.iter_mut().zip(self.products) {
                if *pair >= UNKNOWN {
                    continue;
                }
                let known = &product.pairs[*pair as usize];
                if known.kills && what.is_watched() {
                    *pair = DEAD;
                    after.alive -= 1;
                } else {
                    *pair = known.next[event];
                }
            }
            after.score = self.score(&after);
            after.last = search.last << 8 | event.min(255);
            after
        };
        events.iter().enumerate().take(255).map(next).collect()
    }
    fn restarted(&self, search: &Search) -> Option<Search> {
        if search.restarts + 1 >= self.effort.chains || search.alive == 0 {
            return None;
        }
        let mut after = Search { node: 0, restarts: search.restarts + 1, ..search.clone() };
        after.pairs.iter_mut().filter(|pair| **pair != DEAD).for_each(|pair| *pair = 0);
        after.score = self.score(&after);
        Some(after)
    }
    /// What is left to do, roughly; [`HOPELESS`] where a mutant is out of play and no restart is
    /// left.
    fn score(&self, search: &Search) -> u64 {
        let is_last = search.restarts + 1 >= self.effort.chains;
        let mut score = 0;
        for (&pair, distances) in search.pairs.iter().zip(&self.distances) {
            if pair == DEAD {
                continue;
            }
            let left = if pair < UNKNOWN { distances[pair as usize] } else { None };
            score += u64::from(self.effort.weight);
            score += match left {
                Some(left) => u64::from(left),
                None if is_last => return HOPELESS,
                None => u64::from(self.effort.exile + distances[0].unwrap_or(0)),
            };
        }
        score
    }
    /// The states with the least scores, each once; they get their places in the history.
    fn best(&mut self, mut found: Vec<Search>) -> Vec<Search> {
        found.sort_by_key(|search| (search.score, search.restarts));
        let mut seen: FxHashSet<(u32, usize, Box<[u32]>)> = FxHashSet::default();
        let mut kept = Vec::new();
        for mut search in found {
            if kept.len() >= self.effort.width {
                break;
            }
            if !seen.insert((search.node, search.restarts, search.pairs.clone())) {
                continue;
            }
            let (before, event) = (search.last >> 8, search.last & 255);
            let began = self.restarts_at(before);
            let mut past = Past { before, event: Some(event) };
            self.history.push(past);
            if search.restarts > began {
                past = Past { before: self.history.len() - 1, event: None };
                self.history.push(past);
            }
            search.last = self.history.len() - 1;
            kept.push(search);
        }
        kept
    }
    fn restarts_at(&self, place: usize) -> usize {
        let mut at = place;
        let mut restarts = 0;
        while at != 0 {
            restarts += usize::from(self.history[at].event.is_none());
            at = self.history[at].before;
        }
        restarts
    }
    fn chains(&self, place: usize) -> Chains {
        let mut at = place;
        let mut chains: Chains = vec![Vec::new()];
        while at != 0 {
            match self.history[at].event {
                Some(event) => chains.last_mut().into_iter().for_each(|chain| chain.push(event)),
                None => chains.push(Vec::new()),
            }
            at = self.history[at].before;
        }
        chains.reverse();
        chains.iter_mut().for_each(|chain| chain.reverse());
        chains.retain(|chain| !chain.is_empty());
        chains
    }
}

/// The events that nodes have, in the order of the chain; none where it is no chain of the
/// automaton.
pub fn nodes(automaton: &Determined, chain: &[usize]) -> Option<Vec<u32>> {
    let mut found = vec![0];
    for &event in chain {
        let at = *found.last()?;
        let &(_, to) = automaton.events[at as usize].get(event)?;
        found.push(to);
    }
    Some(found)
}

/// For each mutant whether the chains kill it, where each watches as its events say; with the chain
/// and the step.
pub fn killed(automaton: &Determined, products: &[&Product], chains: &Chains) -> Vec<Option<(usize, usize)>> {
    let first = |product: &&Product| {
        chains.iter().enumerate().find_map(|(number, chain)| {
            let mut at = 0;
            for (step, &event) in chain.iter().enumerate() {
                let pair = &product.pairs[at as usize];
                let (what, _) = automaton.events[pair.node as usize][event];
                if pair.kills && what.is_watched() {
                    return Some((number, step));
                }
                at = pair.next[event];
                if at >= UNKNOWN {
                    return None;
                }
            }
            None
        })
    };
    products.iter().map(first).collect()
}

/// Steps of chains that are trimmed, at most: each pair of places is looked at.
const MOST_TRIMMED: usize = 4_000;

/// The chains with parts cut out that nothing depends on, as long as that helps. Long ones stay as
/// they are.
pub fn trimmed(automaton: &Determined, products: &[&Product], chains: Chains) -> Chains {
    let mut best = chains;
    if best.iter().map(Vec::len).sum::<usize>() > MOST_TRIMMED {
        return best;
    }
    loop {
        let shorter =
            cuts(automaton, &best).find(|cut| killed(automaton, products, cut).iter().all(Option::is_some));
        match shorter {
            Some(cut) => best = cut,
            None => return best,
        }
    }
}

/// The chains with one loop, or an end, cut out.
fn cuts<'a>(automaton: &'a Determined, chains: &'a Chains) -> impl Iterator<Item = Chains> + 'a {
    (0..chains.len()).flat_map(move |number| {
        let nodes = nodes(automaton, &chains[number]).unwrap_or_default();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let mut last: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (place, &node) in nodes.iter().enumerate() {
            let earlier = last.entry(node).or_default();
            pairs.extend(earlier.iter().map(|&from| (from, place)));
            earlier.push(place);
        }
        if let Some(end) = chains[number].len().checked_sub(1) {
            pairs.push((end, end + 1));
        }
        // Long cuts first.
        pairs.sort_by_key(|&(from, to)| std::cmp::Reverse(to - from));
        pairs.into_iter().map(move |(from, to)| {
            let mut cut = chains.clone();
            cut[number].drain(from..to);
            cut.retain(|chain| !chain.is_empty());
            cut
        })
    })
}
