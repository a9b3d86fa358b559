//! Winning regions by decision diagrams: the positions from which the system can answer one step
//! more, again and again, until the initial state is lost or no more positions are.
//!
//! Where a position is lost only after thousands of steps, sets of positions that are small as
//! diagrams (all numbers below some bound) take one cube for each step and more. Variables stand in
//! the order in which a walk through the circuit meets them (Malik et al.: "Logic verification
//! using binary decision diagrams in a logic synthesis environment", ICCAD 1988), but bits of words
//! behind single ones and by their weights, since words are added and compared. They keep that
//! order.

use super::board::Board;
use super::diagrams::{ALWAYS, Diagram, Diagrams, Full, NEVER};
use super::{Game, Outcome};
use encoder::EncodeError;
use encoder::aig::{Aig, Literal, Node};
use model::term::TermId;
use model::value::Value;
use rustc_hash::FxHashMap;
use solver::sat::Budget;

/// The cubes of lost positions that are told at most.
const MOST_CUBES: usize = 4_000;

/// Who wins, and cubes of the positions that are lost: state bits and their values, ascending.
pub(super) type Decided = (Outcome, Vec<Vec<(usize, bool)>>);

/// The step of a game as diagrams.
struct Fixpoint<'s> {
    board: Board<'s>,
    diagrams: Diagrams,
    /// By level the literal of its variable.
    order: Vec<Literal>,
    /// For each state bit, stimulus and choice its level.
    states: Vec<u32>,
    stimuli: Vec<u32>,
    choices: Vec<u32>,
    environment: Diagram,
    possible: Diagram,
    allowed: Diagram,
    /// For each state bit its value behind the step.
    next: Vec<Diagram>,
    /// From where so many steps can be answered, by their number.
    answered: Vec<Diagram>,
}

/// Who wins; none where diagrams have more than so many nodes, or the time is up.
///
/// # Errors
/// The system cannot be encoded.
pub(super) fn solve(game: &Game<'_>, most: usize, budget: &Budget) -> Result<Option<Decided>, EncodeError> {
    let mut board = Board::new(game)?;
    let step = board.step(None)?;
    let roots: Vec<Literal> = [step.allowed, board.environment, board.possible]
        .into_iter()
        .chain(step.next.iter().copied())
        .collect();
    let decided = Fixpoint::new(board, &roots, Diagrams::new(most, budget)).and_then(Fixpoint::decide);
    Ok(decided.ok())
}

/// Steps of a way that is looked for at most.
const MOST_STEPS: usize = 50_000;

/// Whether some play comes to inputs that occur and make a truth over states and inputs true, where
/// no answer leads into one of these cubes. None where that was not found out: it takes more than so
/// many nodes, or too many steps.
///
/// # Errors
/// The system cannot be encoded.
pub(super) fn reached(
    game: &Game<'_>,
    avoided: &[Vec<(usize, bool)>],
    target: TermId,
    (most, budget): (usize, &Budget),
) -> Result<Option<bool>, EncodeError> {
    let mut board = Board::new(game)?;
    let step = board.step(None)?;
    let mut roots = vec![step.allowed, board.environment, board.possible];
    roots.extend(&step.next);
    roots.push(board.truth(target)?);
    let Ok(mut fixpoint) = Fixpoint::new(board, &roots, Diagrams::new(most, budget)) else {
        return Ok(None);
    };
    // What is asked for is kept where diagrams are collected.
    fixpoint.answered = fixpoint.next.split_off(step.next.len());
    let found = fixpoint.avoid(avoided).and_then(|()| fixpoint.is_reached());
    Ok(found.ok().flatten())
}

/// The inputs of a circuit in the order in which a walk from its roots meets them.
fn order(aig: &Aig, roots: &[Literal]) -> Vec<usize> {
    let mut is_seen = vec![false; aig.len()];
    let mut found = Vec::new();
    let mut stack: Vec<usize> = roots.iter().rev().map(|root| root.node()).collect();
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut is_seen[node], true) {
            continue;
        }
        match aig.node(node) {
            Node::Input(_) => found.push(node),
            Node::And(lhs, rhs) => stack.extend([rhs.node(), lhs.node()]),
            Node::False => {}
        }
    }
    found
}

impl<'s> Fixpoint<'s> {
    fn new(board: Board<'s>, roots: &[Literal], mut diagrams: Diagrams) -> Result<Self, Full> {
        let aig = &board.aig;
        let mut levels: FxHashMap<usize, u32> = FxHashMap::default();
        let mut nodes = order(aig, roots);
        let all = board.states.iter().chain(&board.stimuli).chain(&board.choices);
        nodes.extend(all.map(|literal| literal.node()));
        let wide = board.words.values().filter(|word| word.len() > 1);
        let weights: FxHashMap<usize, usize> =
            wide.flat_map(|word| word.iter().enumerate().map(|(weight, bit)| (bit.node(), weight))).collect();
        // Single bits first, then the highest ones.
        nodes.sort_by_key(|node| weights.get(node).map(|weight| std::cmp::Reverse(*weight)));
        let mut order = Vec::new();
        for node in nodes {
            if let std::collections::hash_map::Entry::Vacant(place) = levels.entry(node) {
                place.insert(order.len() as u32);
                order.push(aig.literal(node));
            }
        }
        let mut known: FxHashMap<usize, Diagram> = FxHashMap::from_iter([(0, NEVER)]);
        for node in aig.cone(roots.iter().copied()) {
            let one = match aig.node(node) {
                Node::False => NEVER,
                Node::Input(_) => diagrams.variable(levels[&node])?,
                Node::And(lhs, rhs) => {
                    let [lhs, rhs] = [lhs, rhs].map(|one| literal(&mut diagrams, &known, one));
                    diagrams.and(lhs?, rhs?)?
                }
            };
            known.insert(node, one);
        }
        let mut roots = roots.iter().map(|&root| literal(&mut diagrams, &known, root));
        let mut root = || roots.next().unwrap_or(Ok(NEVER));
        let (allowed, environment, possible) = (root()?, root()?, root()?);
        let next = roots.collect::<Result<Vec<Diagram>, Full>>()?;
        let level = |bits: &[Literal]| bits.iter().map(|bit| levels[&bit.node()]).collect();
        let (states, stimuli, choices) = (level(&board.states), level(&board.stimuli), level(&board.choices));
        let answered = vec![ALWAYS];
        Ok(Self {
            board,
            diagrams,
            order,
            states,
            stimuli,
            choices,
            environment,
            possible,
            allowed,
            next,
            answered,
        })
    }

    fn decide(mut self) -> Result<Decided, Full> {
        let initial = self.board.initial.clone();
        loop {
            let last = self.answered[self.answered.len() - 1];
            let here = match self.one_more(last) {
                Ok(here) => here,
                Err(Full) => {
                    self.collect();
                    self.one_more(self.answered[self.answered.len() - 1])?
                }
            };
            // Numbers may have changed.
            let last = self.answered[self.answered.len() - 1];
            self.answered.push(here);
            if !self.is_in(here, &initial) {
                let answered = self.answered.len() - 2;
                return Ok((Outcome::Lost { answered, play: self.play()? }, Vec::new()));
            }
            if here == last {
                let lost = self.diagrams.not(here)?;
                let by_level: FxHashMap<u32, usize> =
                    self.states.iter().enumerate().map(|(bit, &level)| (level, bit)).collect();
                let sorted = |cube: Vec<(u32, bool)>| {
                    let mut cube: Vec<(usize, bool)> =
                        cube.into_iter().map(|(level, is_set)| (by_level[&level], is_set)).collect();
                    cube.sort_unstable();
                    cube
                };
                let cubes = self.diagrams.cubes(lost, MOST_CUBES).ok_or(Full)?;
                return Ok((Outcome::Kept, cubes.into_iter().map(sorted).collect()));
            }
        }
    }

    /// From where one step can be answered into some positions, whatever the stimuli are. States in
    /// which no play is count among them.
    fn one_more(&mut self, into: Diagram) -> Result<Diagram, Full> {
        let answers = self.answers(self.allowed, &self.next.clone(), into)?;
        let unanswered = self.diagrams.not(answers)?;
        let unanswered = self.diagrams.and(self.environment, unanswered)?;
        let lost = self.some(unanswered, &self.stimuli.clone())?;
        let lost = self.diagrams.and(self.possible, lost)?;
        self.diagrams.not(lost)
    }

    /// Whether an allowed answer leads into some positions, where a step is given.
    fn answers(&mut self, allowed: Diagram, next: &[Diagram], into: Diagram) -> Result<Diagram, Full> {
        let leads = self.leads(allowed, next, into)?;
        self.some(leads, &self.choices.clone())
    }

    fn leads(&mut self, allowed: Diagram, next: &[Diagram], into: Diagram) -> Result<Diagram, Full> {
        let mut places = vec![NEVER; self.order.len()];
        for (&level, &next) in self.states.iter().zip(next) {
            places[level as usize] = next;
        }
        let leads = self.diagrams.compose(into, &places, &mut FxHashMap::default())?;
        self.diagrams.and(allowed, leads)
    }

    fn some(&mut self, one: Diagram, levels: &[u32]) -> Result<Diagram, Full> {
        let mut is_meant = vec![false; self.order.len()];
        levels.iter().for_each(|&level| is_meant[level as usize] = true);
        self.diagrams.exists(one, &|level| is_meant[level as usize], &mut FxHashMap::default())
    }

    /// From now on no answer is allowed that leads into one of some cubes.
    fn avoid(&mut self, cubes: &[Vec<(usize, bool)>]) -> Result<(), Full> {
        let mut elsewhere = ALWAYS;
        for cube in cubes {
            let mut inside = ALWAYS;
            for &(bit, is_set) in cube {
                let bit = self.diagrams.variable(self.states[bit])?;
                let bit = if is_set { bit } else { self.diagrams.not(bit)? };
                inside = self.diagrams.and(inside, bit)?;
            }
            let outside = self.diagrams.not(inside)?;
            elsewhere = self.diagrams.and(elsewhere, outside)?;
        }
        self.allowed = self.leads(self.allowed, &self.next.clone(), elsewhere)?;
        Ok(())
    }

    /// Whether a play comes to where the first of the [`answered`](Self::answered) diagrams holds.
    fn is_reached(&mut self) -> Result<Option<bool>, Full> {
        let initial = self.board.initial.clone();
        let inputs: Vec<u32> = self.stimuli.iter().chain(&self.choices).copied().collect();
        let target = self.diagrams.and(self.environment, self.answered[0])?;
        let from = self.some(target, &inputs)?;
        self.answered.push(from);
        let last = self.answered.len() - 1;
        for _ in 0..MOST_STEPS {
            if self.is_in(self.answered[last], &initial) {
                return Ok(Some(true));
            }
            if self.diagrams.is_nearly_full() {
                self.collect();
            }
            let leads = self.leads(self.allowed, &self.next.clone(), self.answered[last])?;
            let leads = self.diagrams.and(self.environment, leads)?;
            let more = self.some(leads, &inputs)?;
            let more = self.diagrams.choose([more, ALWAYS, self.answered[last]])?;
            if more == self.answered[last] {
                return Ok(Some(false));
            }
            self.answered[last] = more;
        }
        Ok(None)
    }

    fn is_in(&self, one: Diagram, state: &[bool]) -> bool {
        let mut values = vec![false; self.order.len()];
        self.states.iter().zip(state).for_each(|(&level, &value)| values[level as usize] = value);
        self.diagrams.holds(one, &|level| values[level as usize])
    }

    fn collect(&mut self) {
        let Self { diagrams, environment, possible, allowed, next, answered, .. } = self;
        let mut kept: Vec<&mut Diagram> = vec![environment, possible, allowed];
        kept.extend(next.iter_mut().chain(answered));
        diagrams.keep(&mut kept);
    }

    /// A shortest play that the environment wins; see [`Outcome::Lost`].
    fn play(&mut self) -> Result<Vec<Vec<Value>>, Full> {
        let mut state = self.board.initial.clone();
        let mut play = Vec::new();
        // The steps that can still be answered.
        let mut left = self.answered.len() - 2;
        loop {
            self.answered.truncate(left + 1);
            if self.diagrams.is_nearly_full() {
                self.collect();
            }
            let mut places: Vec<Diagram> = Vec::with_capacity(self.order.len());
            for level in 0..self.order.len() {
                places.push(self.diagrams.variable(level as u32)?);
            }
            for (&level, &value) in self.states.iter().zip(&state) {
                places[level as usize] = if value { ALWAYS } else { NEVER };
            }
            let (allowed, next, occurs) = self.at(&places)?;
            let answers = self.answers(allowed, &next, self.answered[left])?;
            let unanswered = self.diagrams.not(answers)?;
            let wins = self.diagrams.and(occurs, unanswered)?;
            let stimuli = self.values(wins, &self.stimuli)?;
            for (&level, &value) in self.stimuli.iter().zip(&stimuli) {
                places[level as usize] = if value { ALWAYS } else { NEVER };
            }
            let Some(longest) = left.checked_sub(1) else {
                let choices = vec![false; self.choices.len()];
                play.push(self.board.inputs(&stimuli, &choices));
                return Ok(play);
            };
            // The system lasts as long as it can.
            let (allowed, next, _) = self.at(&places)?;
            let leads = self.leads(allowed, &next, self.answered[longest])?;
            let choices = self.values(leads, &self.choices)?;
            play.push(self.board.inputs(&stimuli, &choices));
            let mut chosen = vec![false; self.order.len()];
            self.choices.iter().zip(&choices).for_each(|(&level, &value)| chosen[level as usize] = value);
            state =
                next.iter().map(|&bit| self.diagrams.holds(bit, &|level| chosen[level as usize])).collect();
            left = longest;
        }
    }

    /// What is allowed, what a step leaves behind and whether stimuli occur, for some values.
    fn at(&mut self, places: &[Diagram]) -> Result<(Diagram, Vec<Diagram>, Diagram), Full> {
        let mut memo = FxHashMap::default();
        let mut of = |one: Diagram| self.diagrams.compose(one, places, &mut memo);
        let (allowed, occurs) = (of(self.allowed)?, of(self.environment)?);
        let next = self.next.iter().map(|&bit| of(bit)).collect::<Result<_, _>>()?;
        Ok((allowed, next, occurs))
    }

    /// Values of some variables that make a function true, false rather than true.
    fn values(&self, one: Diagram, levels: &[u32]) -> Result<Vec<bool>, Full> {
        let example = self.diagrams.example(one).ok_or(Full)?;
        let value = |level: &u32| example.iter().any(|&(other, is_set)| other == *level && is_set);
        Ok(levels.iter().map(value).collect())
    }
}

fn literal(
    diagrams: &mut Diagrams,
    known: &FxHashMap<usize, Diagram>,
    literal: Literal,
) -> Result<Diagram, Full> {
    let one = known.get(&literal.node()).copied().unwrap_or(NEVER);
    if literal.is_complemented() { diagrams.not(one) } else { Ok(one) }
}
