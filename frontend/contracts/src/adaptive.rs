//! Adaptive tests: the inputs of a step depend on the outputs that were seen, such that all goals
//! are met whatever an allowed system answers, and the longest run is as short as can be.
//!
//! The tester plays against the system and knows where it may be: a *belief*, the set of positions
//! and missing goals that fit what was seen. Beliefs are enumerated level by level; those that the
//! goals are met from, and in how many steps at worst, are found backwards as in [`crate::game`].
//! As a tree of n steps visits beliefs of n levels only, the first level at which there is a tree
//! is the least worst case. (Alur, Courcoubetis, Yannakakis: "Distinguishing tests for
//! nondeterministic and probabilistic machines", STOC 1995.)

use crate::allowed::Allowed;
use crate::game::{Arena, Move, Ranks, START};
use crate::interface::Interface;
use crate::moves::{Belief, Moves, Tests};
use crate::runs::{Goals, Runs};
use crate::semantics::{Effort, Undecided, Valuation, id_index};
use crate::syntax::Role;
use rustc_hash::FxHashMap;

/// Beliefs that are enumerated at most.
const MOST_BELIEFS: usize = 1 << 16;

/// Answers in all nodes of a tree at most.
const MOST_ANSWERS: usize = 4000;

/// A test. What follows a node has a greater number, and several nodes may lead to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The nodes; the test begins at the first one.
    pub nodes: Vec<Node>,
}

/// A node of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// All goals are met.
    Done,
    /// A step.
    Give {
        /// The inputs of the step.
        inputs: Valuation,
        /// All outputs that may be seen then, each with the node behind it.
        answers: Vec<(Valuation, usize)>,
    },
}

impl Tree {
    /// Steps of the longest run.
    pub fn worst(&self) -> usize {
        let mut longest = vec![0; self.nodes.len()];
        for (place, node) in self.nodes.iter().enumerate().rev() {
            if let Node::Give { answers, .. } = node {
                let behind = answers.iter().map(|&(_, next)| longest[next]);
                longest[place] = behind.max().map_or(0, |steps: usize| steps + 1);
            }
        }
        longest.first().copied().unwrap_or(0)
    }
    /// The node behind outputs, of which some may be unknown; none where the tree has none, or
    /// where it depends on what is unknown.
    pub fn next(&self, place: usize, observed: &Valuation) -> Option<usize> {
        let Some(Node::Give { answers, .. }) = self.nodes.get(place) else { return None };
        let fits = |outputs: &Valuation| {
            let mut pairs = outputs.iter().zip(observed);
            pairs.all(|(listed, seen)| listed.is_none() || seen.is_none() || listed == seen)
        };
        let mut nodes = answers.iter().filter(|(outputs, _)| fits(outputs)).map(|&(_, next)| next);
        let first = nodes.next()?;
        nodes.all(|next| next == first).then_some(first)
    }
    /// The nodes behind a node with the outputs that lead there, in the order of the nodes.
    pub fn grouped(&self, interface: &Interface, place: usize) -> Vec<(Allowed, usize)> {
        let Some(Node::Give { answers, .. }) = self.nodes.get(place) else { return Vec::new() };
        let mut groups: Vec<(Allowed, usize)> = Vec::new();
        for (outputs, next) in answers {
            let group = groups.iter().position(|(_, known)| known == next).unwrap_or_else(|| {
                groups.push((Allowed::new(interface), *next));
                groups.len() - 1
            });
            groups[group].0.add(outputs);
        }
        groups.sort_by_key(|&(_, next)| next);
        groups
    }
}

/// The tree with the least worst case; none where no tree meets all goals whatever is answered.
///
/// # Errors
/// There is too much to enumerate, or the tree would be too large.
pub fn least(runs: &Runs<'_>, goals: &Goals<'_>, effort: &mut Effort) -> Result<Option<Tree>, Undecided> {
    let mut beliefs = Beliefs::new(runs, goals);
    loop {
        let ranks = beliefs.arena.ranks();
        if ranks.lost_in[START].is_some() {
            return beliefs.tree(&ranks, effort).map(Some);
        }
        if !beliefs.grow(effort)? {
            return Ok(None);
        }
    }
}

/// What the tester may know, as far as it was enumerated.
struct Beliefs<'r, 'a> {
    moves: Moves<'r, 'a>,
    beliefs: Vec<Belief>,
    numbers: FxHashMap<Belief, usize>,
    /// Moves between beliefs. A belief without missing goals has a move without answers, so that
    /// the one who chooses inputs has won there.
    arena: Arena,
}

impl<'r, 'a> Beliefs<'r, 'a> {
    fn new(runs: &'r Runs<'a>, goals: &'r Goals<'a>) -> Self {
        let moves = Moves::new(runs, goals, Tests::Adaptive);
        let arena = Arena { positions: Vec::new(), moves: Vec::new() };
        let start = moves.start();
        let mut beliefs = Self { moves, beliefs: Vec::new(), numbers: FxHashMap::default(), arena };
        beliefs.number(start);
        beliefs
    }
    fn number(&mut self, belief: Belief) -> usize {
        if let Some(&known) = self.numbers.get(&belief) {
            return known;
        }
        let number = self.beliefs.len();
        self.numbers.insert(belief.clone(), number);
        self.beliefs.push(belief);
        self.arena.positions.push(None);
        number
    }

    /// Looks one step behind the beliefs known so far; false where there is nothing new.
    fn grow(&mut self, effort: &mut Effort) -> Result<bool, Undecided> {
        let level = self.arena.moves.len()..self.beliefs.len();
        let is_new = !level.is_empty();
        for number in level {
            let moves = self.moves_of(number, effort)?;
            self.arena.moves.push(moves);
            if self.beliefs.len() > MOST_BELIEFS {
                return Err(Undecided::TooLarge);
            }
        }
        Ok(is_new)
    }
    fn moves_of(&mut self, number: usize, effort: &mut Effort) -> Result<Vec<Move>, Undecided> {
        if self.is_done(number) {
            return Ok(vec![Move { inputs: Valuation::new(), answers: Vec::new() }]);
        }
        let belief = self.beliefs[number].clone();
        let successors = self.moves.successors(&belief, effort)?;
        let moves = successors.into_iter().map(|(inputs, behind)| {
            let mut answers: Vec<usize> = behind.into_values().map(|belief| self.number(belief)).collect();
            answers.sort_unstable();
            answers.dedup();
            Move { inputs, answers }
        });
        Ok(moves.collect())
    }
    fn is_done(&self, number: usize) -> bool {
        self.beliefs[number].iter().all(|&(_, missing)| missing == 0)
    }

    /// The inputs to give at a belief: the first that lead closer to the end whatever is answered.
    fn chosen(&self, number: usize, ranks: &Ranks) -> Option<&Valuation> {
        let rank = ranks.lost_in[number]?;
        let is_closer = |answer: &usize| ranks.lost_in[*answer].is_some_and(|behind| behind < rank);
        let mut moves = self.arena.moves[number].iter();
        moves.find(|one| one.answers.iter().all(is_closer)).map(|one| &one.inputs)
    }

    /// The tree from the start, where the goals can be met from there.
    fn tree(&mut self, ranks: &Ranks, effort: &mut Effort) -> Result<Tree, Undecided> {
        let mut reached = vec![START];
        let mut steps: FxHashMap<usize, (Valuation, Vec<(usize, usize)>)> = FxHashMap::default();
        let (mut next, mut size) = (0, 0);
        while let Some(&number) = reached.get(next) {
            next += 1;
            if self.is_done(number) {
                continue;
            }
            let Some(inputs) = self.chosen(number, ranks).cloned() else { return Err(Undecided::TooLarge) };
            let belief = self.beliefs[number].clone();
            let successors = self.moves.successors(&belief, effort)?;
            let behind = successors.into_iter().find(|(given, _)| *given == inputs);
            let answers = behind.into_iter().flat_map(|(_, answers)| answers);
            let answers: Vec<(usize, usize)> =
                answers.map(|(outputs, belief)| (outputs, self.number(belief))).collect();
            size += answers.len();
            if size > MOST_ANSWERS {
                return Err(Undecided::TooLarge);
            }
            for &(_, answer) in &answers {
                if !reached.contains(&answer) {
                    reached.push(answer);
                }
            }
            steps.insert(number, (inputs, answers));
        }
        // Each step leads to lower ranks: what follows a node gets a greater number.
        reached.sort_by_key(|&number| std::cmp::Reverse(ranks.lost_in[number]));
        // Beliefs without missing goals are last, and one node.
        let last = steps.len();
        let place: FxHashMap<usize, usize> =
            reached.iter().enumerate().map(|(place, &number)| (number, place.min(last))).collect();
        let node = |number: &usize| match steps.get(number) {
            None => Node::Done,
            Some((inputs, answers)) => {
                let listed = answers.iter();
                let listed =
                    listed.map(|(outputs, next)| (self.moves.outputs(*outputs).clone(), place[next]));
                Node::Give { inputs: inputs.clone(), answers: listed.collect() }
            }
        };
        let mut nodes: Vec<Node> = reached.iter().take(last + 1).map(node).collect();
        nodes.iter_mut().for_each(|node| sort_answers(node, self.moves.interface()));
        Ok(Tree { nodes })
    }
}

/// Puts the answers of a node into the order of their values, so that trees do not depend on the
/// order in which they were found.
fn sort_answers(node: &mut Node, interface: &Interface) {
    let Node::Give { answers, .. } = node else { return };
    let outputs: Vec<usize> = interface.variables(Role::Output).map(id_index).collect();
    answers.sort_by(|(left, _), (right, _)| {
        let pairs = outputs.iter().map(|&place| crate::allowed::compare_known(&left[place], &right[place]));
        pairs.into_iter().find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
}
