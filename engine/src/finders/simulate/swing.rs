//! Inputs that take turns.
//!
//! A flow meter gives pulses, an encoder turns, a button is pressed again and again: what counts
//! edges is filled by no inputs that are held. So two input vectors, which mostly differ in one
//! input, are held in turn, each for a few steps, as long as it takes.

use super::archive::{Hold, join};
use super::guards::Guards;
use super::player::{Ended, Order, Player, Position};
use super::stimuli::{Stimuli, change_few};
use super::vectors::Vectors;
use crate::random_simulation::Random;
use model::sort::Sort;
use model::value::Value;

/// For how many steps each of the two is held.
const BEATS: [[u64; 2]; 7] = [[1, 1], [1, 1], [2, 2], [1, 3], [3, 1], [5, 5], [1, 9]];
/// Draws for a vector that differs from another one.
const DRAWS: usize = 8;
/// Most steps of one swing.
pub(crate) const MOST_STEPS: u64 = 1 << 10;

/// Two input vectors, and for how many steps each is held in turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Swing {
    pub(crate) pair: [Vec<u64>; 2],
    beat: [u64; 2],
}

impl Swing {
    /// One between these inputs and a neighbour of theirs; `None`: none was found.
    pub(crate) fn draw(
        inputs: Vec<u64>,
        state: &[u64],
        (stimuli, guards): (&Stimuli, &mut Guards),
        random: &mut Random,
        cost: &mut u64,
    ) -> Option<Self> {
        let mut other = inputs.clone();
        for _ in 0..DRAWS {
            match random.below(2) {
                0 => stimuli.change_one(&mut other, state, random),
                _ => drop(guards.turn(&mut other, random, cost)),
            }
            if other != inputs {
                return Some(Self { pair: [inputs, other], beat: BEATS[random.below(BEATS.len())] });
            }
        }
        None
    }

    /// Makes a swing for other circumstances: it changes few inputs, and those in both vectors alike.
    pub(crate) fn changed(
        &self,
        state: &[u64],
        means: (&Stimuli, &mut Guards),
        random: &mut Random,
        cost: &mut u64,
    ) -> Self {
        let mut swing = self.clone();
        change_few(&mut swing.pair[0], state, means, random, cost);
        for input in 0..swing.pair[0].len() {
            if swing.pair[0][input] != self.pair[0][input] {
                swing.pair[1][input] = swing.pair[0][input];
            }
        }
        swing
    }

    /// Puts these values of inputs into both vectors; `None`: the two are alike then.
    pub(crate) fn with(mut self, values: impl Iterator<Item = (usize, u64)>) -> Option<Self> {
        for (input, value) in values {
            self.pair.iter_mut().for_each(|inputs| inputs[input] = value);
        }
        (self.pair[0] != self.pair[1]).then_some(self)
    }

    /// Steps until it begins again.
    pub(crate) fn period(&self) -> u64 {
        self.beat.iter().sum()
    }

    /// One period from a position on; `false`: the assumptions refuse it.
    pub(crate) fn play(&self, player: &mut Player<'_>, position: &mut Position) -> bool {
        let mut play = |(inputs, &steps): (&Vec<u64>, &u64)| {
            player.hold(position, inputs, Order::exactly(steps)) == Ended::Done
        };
        self.pair.iter().zip(&self.beat).all(&mut play)
    }

    /// What so many periods hold.
    pub(crate) fn holds(&self, periods: u64, vectors: &mut Vectors) -> Vec<Hold> {
        let numbers = self.pair.each_ref().map(|inputs| vectors.number(inputs));
        let mut holds = Vec::new();
        for _ in 0..periods {
            for (inputs, steps) in numbers.into_iter().zip(self.beat) {
                join(&mut holds, Hold { inputs, steps });
            }
        }
        holds
    }

    /// Lists what so many periods hold step by step, as values of these sorts.
    pub(crate) fn rows(&self, periods: u64, sorts: &[Sort]) -> Vec<Vec<Value>> {
        let mut vectors = Vectors::default();
        let holds = self.holds(periods, &mut vectors);
        vectors.inputs(&holds, sorts)
    }
}
