//! Input-output conformance, by pairs of the original's states and the mutant's runs after the same
//! suspension trace.
//!
//! Tretmans, "Model Based Testing with Labelled Transition Systems", LNCS 4949, 2008. Invisible
//! steps are closed over; an input that the mutant does not accept in a state is ignored there. So
//! is one by the original where only some of the states accept it in which it may be: else an
//! original that chooses freely would not conform to itself.

use super::runs::{Duel, Runs};
use super::space::{LabelNo, Machine, SetNo, Space};
use crate::interpret::{Refusal, TooMany};
use crate::syntax::Kind;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What happens in one step of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Event {
    /// The tester stimulates this label.
    Stimulus(LabelNo),
    /// The tester watches and sees this label.
    Answer(LabelNo),
    /// The tester watches and sees that nothing happens.
    Quiet,
    /// The tester watches where the original goes on without end and nobody sees anything: it can
    /// show nothing, not even that it is quiet. A chain ends so.
    Look,
}

impl Event {
    /// Whether the tester watches.
    pub const fn is_watched(self) -> bool {
        !matches!(self, Self::Stimulus(_))
    }
}

/// The original as a deterministic automaton over events: its nodes are sets of states.
#[derive(Debug, Default)]
pub struct Determined {
    /// The set of each node; the first node is the start.
    pub sets: Vec<SetNo>,
    /// For each node its events and where they lead.
    pub events: Vec<Vec<(Event, u32)>>,
    numbers: FxHashMap<SetNo, u32>,
}

impl Determined {
    /// The automaton's start.
    ///
    /// # Errors
    /// If there is too much; so with all functions of this module.
    pub fn new(space: &mut Space, original: &Machine) -> Result<Self, TooMany> {
        let mut automaton = Self::default();
        let start = space.closed(original, vec![original.initial])?;
        automaton.node(start);
        Ok(automaton)
    }
    fn node(&mut self, set: SetNo) -> u32 {
        *self.numbers.entry(set).or_insert_with(|| {
            self.sets.push(set);
            self.events.push(Vec::new());
            self.sets.len() as u32 - 1
        })
    }
    /// Adds the events of a node that labels of some states bring, and those of all labels of
    /// `more` states.
    pub(super) fn expand(
        &mut self,
        space: &mut Space,
        original: &Machine,
        node: u32,
        more: &[u32],
    ) -> Result<(), TooMany> {
        let set = self.sets[node as usize];
        let mut states = space.members(set).to_vec();
        states.extend_from_slice(more);
        for action in 0..space.actions() {
            let kind = space.kind(action);
            if kind == Kind::Internal {
                continue;
            }
            for &label in space.labels_in(action, &states)?.iter() {
                let (event, refusal) = match kind {
                    Kind::Controllable => (Event::Stimulus(label), Refusal::StaysWithOthers),
                    _ => (Event::Answer(label), Refusal::Ends),
                };
                if !self.has(node, event)
                    && let Some(after) = space.after(original, set, label, refusal)?
                {
                    let next = self.node(after);
                    self.events[node as usize].push((event, next));
                }
            }
        }
        if !self.has(node, Event::Quiet)
            && let Some(after) = space.after_quiet(original, set)?
        {
            let next = self.node(after);
            self.events[node as usize].push((Event::Quiet, next));
        }
        if !self.events[node as usize].iter().any(|(event, _)| event.is_watched()) {
            self.events[node as usize].push((Event::Look, node));
        }
        Ok(())
    }
    fn has(&self, node: u32, event: Event) -> bool {
        self.events[node as usize].iter().any(|(known, _)| *known == event)
    }
}

/// No state of the mutant is left.
pub const GONE: u32 = u32::MAX;

/// A pair that was not looked at: nothing is known of what watching there shows.
pub const UNKNOWN: u32 = u32::MAX - 2;

/// The states of the original after a trace, and the mutant's runs.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The node of [`Determined`].
    pub node: u32,
    /// The mutant's runs, by ascending states.
    pub runs: Rc<[Runs]>,
    /// Whether watching here may show in time what the original cannot do.
    pub kills: bool,
    /// For each event of the node, in its order, the number of the next pair, [`GONE`] or
    /// [`UNKNOWN`].
    pub next: Vec<u32>,
}

/// Original and mutant under the same events.
#[derive(Clone, Debug, Default)]
pub struct Product {
    /// The pairs, the first of them the start, in the order of their depth.
    pub pairs: Vec<Pair>,
    /// Steps of the shortest failing trace among the pairs, with the watch that fails in time.
    pub shortest: Option<u32>,
    /// Whether no other failing trace is shorter.
    pub is_shortest: bool,
    /// Whether a watch may fail that comes too late to count.
    pub fails_late: bool,
    /// Whether pairs are left out, as those at hand kill: chains may kill where nothing is known.
    pub is_partial: bool,
    within: Option<u32>,
}

/// Pairs by what they hold.
type Numbers = FxHashMap<(u32, Rc<[Runs]>), u32>;

/// Pairs of one mutant at most.
pub const MOST_PAIRS: usize = 1 << 18;

/// Pairs of a mutant that some of them kill, at most.
const MOST_OF_KILLED: usize = 1 << 15;

/// Of these at most, where runs have lags: they make many pairs of one.
const MOST_WITH_LAGS: usize = 1 << 16;

impl Product {
    /// Explores all pairs, of which there are `most` at most, or many of a mutant that some of them
    /// kill. A failing watch counts that comes at most `within` steps after the first difference of
    /// a run; none: each does. Events that the mutant's states add are put into the automaton, so
    /// that the products of all mutants have to be completed at the end ([`Product::complete`]).
    pub fn new(
        space: &mut Space,
        (automaton, original): (&mut Determined, &Machine),
        mutant: &Machine,
        (within, most): (Option<u32>, usize),
    ) -> Result<Self, TooMany> {
        let mut product = Self { within, is_shortest: true, ..Self::default() };
        let most = most.min(if within.is_some() { MOST_WITH_LAGS } else { MOST_PAIRS });
        let mut numbers = FxHashMap::default();
        let start = Duel { space, original, mutant, within }.start()?;
        product.add(&mut numbers, 0, start);
        let mut depths = vec![0_u32];
        let mut at = 0;
        while at < product.pairs.len() {
            space.check_time()?;
            if product.shortest.is_some() && at >= MOST_OF_KILLED {
                product.end_at(at);
                break;
            }
            let (node, runs) = (product.pairs[at].node, Rc::clone(&product.pairs[at].runs));
            let own: Vec<u32> = runs.iter().map(|runs| runs.state).collect();
            automaton.expand(space, original, node, &own)?;
            let mut duel = Duel { space, original, mutant, within };
            let watched = watched(&mut duel, automaton.sets[node as usize], &runs)?;
            if watched.kills && product.shortest.is_none() {
                product.shortest = Some(depths[at] + 1);
            }
            product.fails_late |= watched.fails_late;
            let next = match product.successors(&mut duel, automaton, at, &mut numbers) {
                // What kills is known; there is no room for more.
                Err(TooMany::States) if product.shortest.is_some() && at > 0 => {
                    product.end_at(at);
                    break;
                }
                next => next?,
            };
            depths.resize(product.pairs.len(), depths[at] + 1);
            let pair = &mut product.pairs[at];
            (pair.kills, pair.next) = (watched.kills, next);
            at += 1;
            if product.pairs.len() > most {
                match product.shortest {
                    Some(_) => product.end_at(at),
                    None => return Err(TooMany::States),
                }
            }
        }
        Ok(product)
    }
    /// The pairs along one trace at whose end watching kills.
    pub(super) fn of_trace(pairs: Vec<Pair>, shortest: Option<u32>, within: Option<u32>) -> Self {
        Self { pairs, shortest, within, is_partial: true, ..Self::default() }
    }
    /// Leaves out all but so many pairs.
    fn end_at(&mut self, count: usize) {
        self.is_partial |= self.pairs.len() > count;
        self.pairs.truncate(count);
        let next = self.pairs.iter_mut().flat_map(|pair| &mut pair.next);
        next.filter(|next| **next < UNKNOWN && **next as usize >= count).for_each(|next| *next = UNKNOWN);
    }
    fn add(&mut self, numbers: &mut Numbers, node: u32, runs: Rc<[Runs]>) -> u32 {
        if let Some(&number) = numbers.get(&(node, Rc::clone(&runs))) {
            return number;
        }
        let number = self.pairs.len() as u32;
        numbers.insert((node, Rc::clone(&runs)), number);
        self.pairs.push(Pair { node, runs, kills: false, next: Vec::new() });
        number
    }
    fn successors(
        &mut self,
        duel: &mut Duel<'_>,
        automaton: &Determined,
        at: usize,
        numbers: &mut Numbers,
    ) -> Result<Vec<u32>, TooMany> {
        let (node, runs) = (self.pairs[at].node, Rc::clone(&self.pairs[at].runs));
        let mut next = Vec::new();
        for &(event, to) in &automaton.events[node as usize] {
            let after = duel.after(&runs, event)?;
            next.push(after.map_or(GONE, |after| self.add(numbers, to, after)));
        }
        Ok(next)
    }
    /// Adds what events brings that the automaton got since.
    pub fn complete(
        &mut self,
        space: &mut Space,
        (automaton, original): (&Determined, &Machine),
        mutant: &Machine,
    ) -> Result<(), TooMany> {
        let is_complete = |pair: &Pair| pair.next.len() == automaton.events[pair.node as usize].len();
        if self.pairs.iter().all(is_complete) {
            return Ok(());
        }
        let mut numbers = Numbers::default();
        for (number, pair) in self.pairs.iter().enumerate() {
            numbers.insert((pair.node, Rc::clone(&pair.runs)), number as u32);
        }
        let known = self.pairs.len();
        let mut duel = Duel { space, original, mutant, within: self.within };
        for at in 0..known {
            let found = self.successors(&mut duel, automaton, at, &mut numbers);
            let count = automaton.events[self.pairs[at].node as usize].len();
            let next = &mut self.pairs[at].next;
            match found {
                Ok(found) => *next = found,
                // There is no room for more pairs, of which nothing is known anyhow.
                Err(_) if self.is_partial => next.resize(count, UNKNOWN),
                Err(why) => return Err(why),
            }
        }
        if self.is_partial {
            self.end_at(known);
        }
        // Labels of one class lead to one pair, so that no pair is new.
        if self.pairs.len() > known { Err(TooMany::States) } else { Ok(()) }
    }
    /// Fewest events from each pair to one where watching kills, that watch included; none where
    /// there is no way.
    pub fn distances(&self) -> Vec<Option<u32>> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.pairs.len()];
        for (number, pair) in self.pairs.iter().enumerate() {
            for &next in pair.next.iter().filter(|&&next| next < UNKNOWN) {
                before[next as usize].push(number as u32);
            }
        }
        let mut distance: Vec<Option<u32>> = self.pairs.iter().map(|pair| pair.kills.then_some(1)).collect();
        let mut queue: Vec<u32> =
            (0..self.pairs.len() as u32).filter(|&one| self.pairs[one as usize].kills).collect();
        let mut at = 0;
        while let Some(&pair) = queue.get(at) {
            at += 1;
            let next = distance[pair as usize].map(|steps| steps + 1);
            for &earlier in &before[pair as usize] {
                if distance[earlier as usize].is_none() {
                    distance[earlier as usize] = next;
                    queue.push(earlier);
                }
            }
        }
        distance
    }
}

/// What watching shows.
pub(super) struct Watched {
    /// It may show in time what the original cannot do.
    pub(super) kills: bool,
    /// It may show that too late.
    fails_late: bool,
}

/// What watching shows after a trace that leads the original to a set of states.
pub(super) fn watched(duel: &mut Duel<'_>, set: SetNo, runs: &[Runs]) -> Result<Watched, TooMany> {
    let (original, mutant, within) = (duel.original, duel.mutant, duel.within.unwrap_or(u32::MAX));
    let space = &mut *duel.space;
    let allowed = space.members(set);
    let mut is_quiet = false;
    for &state in allowed.iter() {
        is_quiet |= space.is_quiet(original, state)?;
    }
    let both: Vec<u32> = allowed.iter().copied().chain(runs.iter().map(|runs| runs.state)).collect();
    let mut watched = Watched { kills: false, fails_late: false };
    for runs in runs {
        let mut fails = false;
        if space.is_quiet(mutant, runs.state)? {
            fails = !is_quiet;
        } else {
            for action in 0..space.actions() {
                if space.kind(action) != Kind::Observable {
                    continue;
                }
                for &label in space.labels_in(action, &both)?.iter() {
                    if space.post(mutant, runs.state, label)?.is_empty() {
                        continue;
                    }
                    let mut is_allowed = false;
                    for &own in allowed.iter() {
                        is_allowed |= !space.post(original, own, label)?.is_empty();
                    }
                    fails |= !is_allowed;
                }
            }
        }
        *if runs.lag <= within { &mut watched.kills } else { &mut watched.fails_late } |= fails;
    }
    Ok(watched)
}
