//! Shorter executions that cover the same.
//!
//! Holds are left out or made shorter where what follows still covers the goals, and the way up to a point is replaced by a shorter one
//! from the archive that leads to the same cell with the same goals covered. Every attempt is played to its end; what comes out is never
//! longer than what went in. [`cut_loops`] then leaves out all that happens between two visits of the same state.

use super::archive::{Hold, join};
use super::goals::Goals;
use super::player::{Ended, Order, Player, Position};
use crate::chain::check::{Candidate, first_occurrence};
use crate::problem::Problem;
use crate::stats::Context;
use model::trace::Trace;
use model::value::Value;
use rustc_hash::FxHashMap;

/// Plays executions to see whether they still cover what is needed.
pub(crate) struct Shortening<'a, 'p> {
    pub(crate) player: &'a mut Player<'p>,
    pub(crate) vectors: &'a [Vec<u64>],
    /// The initial state.
    pub(crate) start: &'a [u64],
    pub(crate) needed: Goals,
    /// What it may cost, in evaluated instructions.
    pub(crate) budget: u64,
    /// Time and interruption.
    pub(crate) context: &'a Context<'a>,
}

impl Shortening<'_, '_> {
    /// Where the holds lead, and after each of them; `None`: they are refused.
    pub(crate) fn play(&mut self, holds: &[Hold]) -> Option<Vec<Position>> {
        self.play_from(Position::start(self.start.to_vec()), holds)
    }

    fn play_from(&mut self, from: Position, holds: &[Hold]) -> Option<Vec<Position>> {
        let mut position = from;
        let mut positions = Vec::with_capacity(holds.len());
        for hold in holds {
            let inputs = &self.vectors[hold.inputs as usize];
            let end = position.steps + hold.steps;
            match self.player.hold(&mut position, inputs, Order::steps(hold.steps)) {
                Ended::Done if position.steps == end => positions.push(position.clone()),
                _ => return None,
            }
        }
        Some(positions)
    }

    /// Whether the holds cover what is needed from there on, and may end.
    fn suffices(&mut self, from: Position, holds: &[Hold]) -> bool {
        let Some(positions) = self.play_from(from.clone(), holds) else { return false };
        let last = positions.last().unwrap_or(&from);
        last.covered.holds_all(&self.needed) && self.player.look(&last.state).1
    }

    /// Leaves out and shortens holds, the last ones first, until nothing more can be gained or the budget is spent.
    pub(crate) fn trim(&mut self, holds: Vec<Hold>) -> Vec<Hold> {
        let mut holds = holds;
        let most = self.player.cost + self.budget;
        loop {
            let before = holds.clone();
            let Some(positions) = self.play(&holds) else { return holds };
            for number in (0..holds.len()).rev() {
                if self.player.cost > most || self.context.stopped().is_some() {
                    return holds;
                }
                let start = || Position::start(self.start.to_vec());
                let from = number.checked_sub(1).map_or_else(start, |last| positions[last].clone());
                self.trim_one(&mut holds, number, &from);
            }
            // Neighbours that are the same now are one.
            holds = holds.iter().fold(Vec::new(), |mut joined, &hold| {
                join(&mut joined, hold);
                joined
            });
            if holds == before {
                return holds;
            }
        }
    }

    /// Makes one hold, which begins at a position, as short as is possible by halving; it may vanish.
    fn trim_one(&mut self, holds: &mut [Hold], number: usize, from: &Position) {
        let mut less = holds[number].steps;
        while less > 0 {
            holds[number].steps -= less;
            if self.suffices(from.clone(), &holds[number..]) {
                less = less.min(holds[number].steps);
            } else {
                holds[number].steps += less;
                less /= 2;
            }
        }
    }

    /// Replaces the beginning by shorter ways, which `shorter` tells for a position, if there are any.
    pub(crate) fn replace_legs(
        &mut self,
        holds: Vec<Hold>,
        mut shorter: impl FnMut(&mut Player<'_>, &Position) -> Option<Vec<Hold>>,
    ) -> Vec<Hold> {
        let mut holds = holds;
        let most = self.player.cost + self.budget;
        let mut number = holds.len();
        while number > 1 && self.player.cost <= most && self.context.stopped().is_none() {
            number -= 1;
            let Some(positions) = self.play(&holds) else { return holds };
            let Some(mut way) = shorter(self.player, &positions[number - 1]) else { continue };
            holds[number..].iter().for_each(|&hold| join(&mut way, hold));
            let start = Position::start(self.start.to_vec());
            if self.suffices(start, &way) {
                holds = way;
                number = number.min(holds.len());
            }
        }
        holds
    }
}

/// The execution without what happens between two visits of the same state, as far as the first occurrences of these goals stay.
pub(crate) fn cut_loops(problem: &Problem<'_>, chain: &Candidate, vertices: &[usize]) -> Trace {
    let mut windows: Vec<(usize, usize)> = vertices
        .iter()
        .filter_map(|&vertex| {
            let first = first_occurrence(&chain.run, problem.goal(vertex))? as usize;
            Some((first, first + problem.steps(vertex) as usize))
        })
        .collect();
    windows.push((chain.trace.inputs.len(), chain.trace.inputs.len()));
    windows.sort_unstable();
    let (mut inputs, mut at) = (Vec::with_capacity(chain.trace.inputs.len()), 0);
    for (begin, end) in windows {
        if begin > at {
            let states = &chain.run.states[at..=begin];
            let mut last: FxHashMap<&[Value], usize> = FxHashMap::default();
            states.iter().enumerate().for_each(|(index, state)| {
                last.insert(state, index);
            });
            let mut index = last[&states[0][..]];
            while index < states.len() - 1 {
                inputs.push(chain.trace.inputs[at + index].clone());
                index = last[&states[index + 1][..]];
            }
            at = begin;
        }
        if end > at {
            inputs.extend_from_slice(&chain.trace.inputs[at..end]);
            at = end;
        }
    }
    Trace { start: chain.trace.start.clone(), inputs }
}
