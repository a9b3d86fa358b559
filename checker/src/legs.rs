//! Fewest steps between goals, as far as they are known from several sources, and the matrices of
//! tours that follow.
//!
//! A leg counts from the first step of a goal's window to the first step of another one's, from the
//! beginning of an execution to the first step of a window, or from there to the end of the
//! execution. Every number is a lower bound, so of several numbers for one leg the greatest holds.

use crate::tour::Matrix;

/// A leg that no execution has.
pub const NEVER: u32 = u32::MAX;

/// See the module text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Legs {
    /// By goal: from the beginning.
    begin: Vec<u32>,
    /// By goal and goal.
    between: Vec<Vec<u32>>,
    /// By goal: to the end.
    end: Vec<u32>,
}

impl Legs {
    /// Of goals with windows of so many steps, of which nothing else is known.
    pub fn of_windows(steps: &[u32]) -> Self {
        let goals = steps.len();
        Self { begin: vec![0; goals], between: vec![vec![0; goals]; goals], end: steps.to_vec() }
    }

    /// Number of goals.
    pub fn goals(&self) -> usize {
        self.begin.len()
    }

    /// The steps from a goal (`None`: from the beginning) to a goal (`None`: to the end). From the
    /// beginning to the end nothing is known.
    pub fn steps(&self, from: Option<usize>, to: Option<usize>) -> u32 {
        match (from, to) {
            (None, None) => 0,
            (None, Some(to)) => self.begin[to],
            (Some(from), None) => self.end[from],
            (Some(from), Some(to)) => self.between[from][to],
        }
    }

    /// Learns that a leg has no less than so many steps.
    pub fn raise(&mut self, from: Option<usize>, to: Option<usize>, steps: u32) {
        let known = match (from, to) {
            (None, None) => return,
            (None, Some(to)) => &mut self.begin[to],
            (Some(from), None) => &mut self.end[from],
            (Some(from), Some(to)) => &mut self.between[from][to],
        };
        *known = steps.max(*known);
    }

    /// Learns what is known of some of the goals; `places` are the goals here that those of `other`
    /// are.
    pub fn raise_all(&mut self, other: &Self, places: &[usize]) {
        let ends = || std::iter::once(None).chain((0..other.goals()).map(Some));
        let place = |goal: Option<usize>| goal.map(|goal| places[goal]);
        for from in ends() {
            for to in ends() {
                self.raise(place(from), place(to), other.steps(from, to));
            }
        }
    }

    /// For at most so many chains: vertices `0..chains` stand for the beginning and the end of one
    /// chain each, the goals follow. A set of so many chains that cover the goals is as long as
    /// some tour through the matrix, or longer; where there is no tour, there is no such set. With
    /// a price of a further chain the number of chains does not matter, and tours are compared with
    /// the cost.
    pub fn matrix(&self, chains: usize, reset: Option<u32>) -> Matrix {
        Matrix::new(chains + self.goals(), |from, to| {
            match (from.checked_sub(chains), to.checked_sub(chains)) {
                (Some(a), Some(b)) => {
                    let direct = possible(self.between[a][b]);
                    let restart =
                        || Some(possible(self.end[a])? + u64::from(reset?) + possible(self.begin[b])?);
                    direct.into_iter().chain(restart()).min()
                }
                // Between beginning and end: a chain that covers nothing.
                (from, to) => possible(self.steps(from, to)),
            }
        })
    }
}

/// The steps of a leg that some execution may have. `None`: none has it.
fn possible(steps: u32) -> Option<u64> {
    (steps != NEVER).then_some(u64::from(steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_of_several_bounds_holds() {
        let mut legs = Legs::of_windows(&[1, 2, 1]);
        let mut other = Legs::of_windows(&[2, 1]);
        other.raise(None, Some(0), 7);
        other.raise(Some(0), Some(1), 3);
        other.raise(Some(1), None, NEVER);
        legs.raise(Some(1), Some(2), 4);
        // Goals 1 and 2 here.
        legs.raise_all(&other, &[1, 2]);
        for (from, to, steps) in [
            (None, Some(0), 0),
            (None, Some(1), 7),
            (Some(1), Some(2), 4),
            (Some(2), Some(1), 0),
            (Some(0), None, 1),
            (Some(1), None, 2),
            (Some(2), None, NEVER),
            (None, None, 0),
        ] {
            assert_eq!(legs.steps(from, to), steps, "{from:?} {to:?}");
        }
    }

    #[test]
    fn matrices_have_a_vertex_for_each_chain_and_goal() {
        let mut legs = Legs::of_windows(&[1, 1]);
        legs.raise(None, Some(1), 5);
        legs.raise(Some(0), Some(1), NEVER);
        let matrix = legs.matrix(1, None);
        let costs: Vec<Option<u64>> = (0..9).map(|arc| matrix.cost(arc / 3, arc % 3)).collect();
        assert_eq!(costs, [None, Some(0), Some(5), Some(1), None, None, Some(1), Some(0), None]);
        assert_eq!(legs.matrix(2, None).cost(0, 1), Some(0));
        // End of the first goal, a reset, begin of the second one.
        assert_eq!(legs.matrix(1, Some(10)).cost(1, 2), Some(16));
        // However dear a further chain is, it is not impossible.
        for reset in [u32::MAX - 6, u32::MAX] {
            let steps = u64::from(reset) + 6;
            assert_eq!(legs.matrix(1, Some(reset)).cost(1, 2), Some(steps));
            assert_eq!(legs.matrix(1, Some(reset)).more_than_any_tour(), 3 * steps + 1);
        }
        legs.raise(Some(0), None, NEVER);
        assert_eq!(legs.matrix(1, Some(1)).cost(1, 2), None);
    }
}
