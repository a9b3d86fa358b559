//! Games that differ in parameters of their initial states only, solved by one pair of solvers.
//!
//! Whoever looks for a smallest set of conditions under which the environment wins asks the same
//! game many times. A condition is a *parameter*: a state of one bit. What is found out for some
//! values of the parameters holds for others: a candidate move is a circuit over the parameters,
//! too, and a cube of lost positions names the parameters that it needs. So the cube in which an
//! initial state is lost tells which parameters are to blame, as an unsatisfiable core does.

use super::board::{Board, Cube};
use super::region::{MOST_MOVES, Manner, Region, Round};
use super::{Effort, Game};
use encoder::EncodeError;
use model::system::StateId;

/// See the module text.
pub struct Family<'s> {
    game: Game<'s>,
    parameters: Vec<StateId>,
    effort: Effort,
    region: Region<'s>,
    /// The state bit of each parameter, and whether no step changes it.
    bits: Vec<(usize, bool)>,
}

/// Who wins for some values of the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Winner {
    /// The system.
    System,
    /// The environment, as long as these parameters hold, which are given by their places.
    Environment(Vec<usize>),
    /// A limit was reached.
    Unknown,
}

impl<'s> Family<'s> {
    /// Games in which the initial values of some states of one bit are open. The more of them hold,
    /// the fewer answers there are in each step, and the more of them hold in the next state.
    ///
    /// # Errors
    /// The system cannot be encoded.
    pub fn new(game: &Game<'s>, parameters: &[StateId], effort: &Effort) -> Result<Self, EncodeError> {
        let mut board = Board::with_parameters(game, parameters)?;
        let next = board.step(None)?.next;
        let is_fixed = |bit: usize| next[bit] == board.states[bit];
        let numbers = (0..board.states.len()).filter(|&bit| board.is_parameter[bit]);
        // Bits stand in the order of the states.
        let mut sorted = parameters.to_vec();
        sorted.sort_unstable();
        let by_state: Vec<(StateId, usize)> = sorted.into_iter().zip(numbers).collect();
        let bit = |parameter: &StateId| by_state.iter().find(|(state, _)| state == parameter);
        let bits = parameters.iter().filter_map(bit).map(|&(_, bit)| (bit, is_fixed(bit))).collect();
        let region = Region::new(board, Manner::Eager, effort)?;
        Ok(Self { game: *game, parameters: parameters.to_vec(), effort: effort.clone(), region, bits })
    }

    /// Who wins for these values of the parameters, in their order.
    ///
    /// # Errors
    /// The system cannot be encoded.
    pub fn winner(&mut self, values: &[bool], rounds: u64) -> Result<Winner, EncodeError> {
        if self.region.moves() > MOST_MOVES / 2 {
            self.forget_moves()?;
        }
        let mut initial = self.region.initial().to_vec();
        let mut fixed = Cube::new();
        for (&(bit, is_fixed), &value) in self.bits.iter().zip(values) {
            initial[bit] = value;
            if is_fixed {
                fixed.push((bit, value));
            }
        }
        self.region.start_from(initial, fixed, rounds);
        Ok(match self.region.settle()? {
            Round::Closed => Winner::System,
            Round::Lost => Winner::Environment(self.needed()),
            Round::Open | Round::GivenUp => Winner::Unknown,
        })
    }

    /// Each move makes the search for proposals harder, and those of earlier questions may be of no
    /// use any more. What is lost stays known.
    fn forget_moves(&mut self) -> Result<(), EncodeError> {
        let board = Board::with_parameters(&self.game, &self.parameters)?;
        let mut region = Region::new(board, Manner::Eager, &self.effort)?;
        region.take_over(self.region.lost().to_vec());
        self.region = region;
        Ok(())
    }

    /// The parameters of the cube with the fewest in which the initial state is lost.
    fn needed(&self) -> Vec<usize> {
        let state = self.region.initial();
        let needed = |cube: &Cube| -> Vec<usize> {
            let reads = |bit: usize| cube.binary_search(&(bit, true)).is_ok();
            (0..self.bits.len()).filter(|&place| reads(self.bits[place].0)).collect()
        };
        let cubes = self.region.lost().iter().filter(|lost| lost.holds(state));
        cubes.map(|lost| needed(&lost.cube)).min_by_key(Vec::len).unwrap_or_default()
    }
}
