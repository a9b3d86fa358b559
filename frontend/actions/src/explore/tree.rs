//! Adaptive tests: what the tester does after each answer that the original may give.
//!
//! A tree begins as a chain. Where the original may answer otherwise than the chain wants, the tester
//! goes on along the chain as far as the original takes it, then along the shortest way to a mutant
//! that can still be killed. Trees are built on the automaton of the original, so that they list what
//! it allows; whatever else is seen fails.

use super::conform::{Determined, Event, GONE, Product, UNKNOWN};
use std::collections::VecDeque;

/// Nodes of a tree at most; where there would be more, tests end without a verdict.
const MOST_NODES: usize = 4000;

/// Answers other than the wanted one on one path at most, where tests adapt.
pub const MOST_DETOURS: usize = 6;

/// A mutant that was killed on a path.
const DEAD: u32 = u32::MAX - 1;

/// A node of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// The tester stimulates (a position among the events of the automaton's node), and what follows.
    Stimulate(usize, usize),
    /// The tester watches: for each answer its position among the events, and what follows. The
    /// mutants, by their positions, that may show here for the first time what is not allowed.
    Watch(Vec<(usize, usize)>, Vec<usize>),
    /// All that the chain kills has been killed, or could not have answered so.
    Pass,
    /// The original's answers have missed that.
    Inconclusive,
}

/// An adaptive test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// The nodes; the test begins at the first one.
    pub nodes: Vec<Node>,
    /// For each node the node of the automaton.
    pub at: Vec<u32>,
    /// Whether all is killed whatever the original answers.
    pub is_certain: bool,
}

/// What is left to be built below a node.
struct Task {
    node: usize,
    at: u32,
    /// For each mutant its pair.
    pairs: Vec<u32>,
    /// What the tester still means to do, and wants to see.
    plan: VecDeque<Event>,
    /// Answers that were not wanted so far.
    detours: usize,
}

struct Builder<'a> {
    automaton: &'a Determined,
    products: &'a [&'a Product],
    distances: Vec<Vec<Option<u32>>>,
    tree: Tree,
    open: VecDeque<Task>,
    /// Answers other than the wanted one on one path at most.
    most_detours: usize,
}

/// The test that begins as a chain and is to kill some mutants, all of which the chain kills. On a
/// path with more answers that are not wanted than `most_detours` it ends; with 0, it is the chain.
pub fn tree(automaton: &Determined, products: &[&Product], chain: &[usize], most_detours: usize) -> Tree {
    let distances = products.iter().map(|product| product.distances()).collect();
    let (tree, open) = (Tree::default(), VecDeque::new());
    let mut builder = Builder { automaton, products, distances, tree, open, most_detours };
    let nodes = super::cover::nodes(automaton, chain).unwrap_or_default();
    let plan = chain.iter().zip(nodes).map(|(&event, at)| automaton.events[at as usize][event].0).collect();
    builder.task(0, vec![0; products.len()], plan, 0);
    while let Some(task) = builder.open.pop_front() {
        builder.grow(task);
    }
    builder.tree.is_certain = builder.tree.nodes.iter().all(|node| *node != Node::Inconclusive);
    builder.tree
}

impl Builder<'_> {
    /// A new node, whose kind is found later.
    fn task(&mut self, at: u32, pairs: Vec<u32>, plan: VecDeque<Event>, detours: usize) -> usize {
        let node = self.tree.nodes.len();
        self.tree.nodes.push(Node::Inconclusive);
        self.tree.at.push(at);
        self.open.push_back(Task { node, at, pairs, plan, detours });
        node
    }

    /// Finds out what a node is.
    fn grow(&mut self, mut task: Task) {
        let is_done = match task.detours {
            0 => task.plan.is_empty(),
            // A mutant that cannot answer so is not what is tested.
            _ => task.pairs.iter().all(|&pair| pair == DEAD || pair == GONE),
        };
        if is_done {
            self.tree.nodes[task.node] = Node::Pass;
            return;
        }
        // Where no mutant led, it is not known what the original allows.
        if self.automaton.events[task.at as usize].is_empty() {
            return;
        }
        let is_long = task.detours > 0 && self.tree.nodes.len() >= MOST_NODES;
        let is_full = is_long || task.detours > self.most_detours;
        let Some(event) = (if is_full { None } else { self.next(&mut task) }) else { return };
        let (events, node) = (&self.automaton.events[task.at as usize], task.node);
        self.tree.nodes[node] = match event {
            Event::Stimulus(_) => {
                let Some(position) = events.iter().position(|(known, _)| *known == event) else { return };
                let pairs = self.after(&task.pairs, position, false);
                Node::Stimulate(position, self.task(events[position].1, pairs, task.plan, task.detours))
            }
            Event::Answer(_) | Event::Quiet | Event::Look => self.watch(event, task),
        };
    }

    fn watch(&mut self, wanted: Event, task: Task) -> Node {
        let shown = (0..task.pairs.len()).filter(|&mutant| self.is_killed(mutant, task.pairs[mutant]));
        let shown: Vec<usize> = shown.collect();
        let events = &self.automaton.events[task.at as usize];
        let mut answers = Vec::new();
        for (position, &(event, to)) in events.iter().enumerate().filter(|(_, (event, _))| event.is_watched())
        {
            let pairs = self.after(&task.pairs, position, true);
            let detours = task.detours + usize::from(event != wanted);
            answers.push((position, self.task(to, pairs, task.plan.clone(), detours)));
        }
        Node::Watch(answers, shown)
    }

    fn is_killed(&self, mutant: usize, pair: u32) -> bool {
        pair < UNKNOWN && self.products[mutant].pairs[pair as usize].kills
    }

    /// What to do next: as planned where the original takes it, else towards the mutant that is
    /// nearest to its death; none where there is nothing to be done.
    fn next(&self, task: &mut Task) -> Option<Event> {
        let events = &self.automaton.events[task.at as usize];
        let takes = |event: Event| event.is_watched() || events.iter().any(|(known, _)| *known == event);
        let event = task.plan.pop_front();
        if let Some(event) = event.filter(|&event| takes(event)) {
            return Some(event);
        }
        task.plan = self.way(&task.pairs);
        task.plan.pop_front().filter(|&event| takes(event))
    }

    /// The shortest way to a watch that kills a mutant; empty where there is none.
    fn way(&self, pairs: &[u32]) -> VecDeque<Event> {
        let distance = |&mutant: &usize| {
            let pair = Some(pairs[mutant]).filter(|&pair| pair < UNKNOWN)?;
            self.distances[mutant][pair as usize]
        };
        let nearest = (0..pairs.len()).filter(|mutant| distance(mutant).is_some()).min_by_key(distance);
        let mut way = VecDeque::new();
        let Some(mutant) = nearest else { return way };
        let (product, distances) = (self.products[mutant], &self.distances[mutant]);
        let mut pair = pairs[mutant];
        loop {
            let known = &product.pairs[pair as usize];
            let events = &self.automaton.events[known.node as usize];
            let left = distances[pair as usize];
            if known.kills {
                way.extend(events.iter().map(|(event, _)| *event).find(|event| event.is_watched()));
                return way;
            }
            let closer =
                |next: u32| next < UNKNOWN && distances[next as usize].map(|steps| steps + 1) == left;
            let Some(position) = known.next.iter().position(|&next| closer(next)) else { return way };
            way.push_back(events[position].0);
            pair = known.next[position];
        }
    }

    /// The pairs behind an event.
    fn after(&self, pairs: &[u32], position: usize, is_watched: bool) -> Vec<u32> {
        let next = |(mutant, &pair): (usize, &u32)| match pair {
            DEAD | GONE | UNKNOWN => pair,
            _ if is_watched && self.is_killed(mutant, pair) => DEAD,
            _ => self.products[mutant].pairs[pair as usize].next[position],
        };
        pairs.iter().enumerate().map(next).collect()
    }
}
