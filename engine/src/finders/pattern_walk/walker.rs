//! A part of the state on its walk.

use super::{Enumerated, HORIZON, MOST_MERGING, WEIGHTS, Weights};
use crate::knowledge::vertex::Vertex;
use crate::provers::explicit::Explicit;
use crate::provers::explicit::joint_price::JointPrice;
use crate::provers::explicit::numbering::Numbering;
use crate::provers::part::Part;
use crate::search::breadth_first::FAR;
use crate::session::{Session, Stop};
use model::id::Id;
use model::value::Value;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// What a step of a part leads to.
#[derive(Clone, Copy, Hash)]
pub(super) struct Move {
    /// The number of the next state; [`REFUSED`] where the assumptions do not allow the step.
    pub(super) to: u32,
    /// The number of its set of labels.
    pub(super) labels: u32,
}

/// No state.
pub(super) const REFUSED: u32 = u32::MAX;

/// A part on its walk.
pub(super) struct Walker<'m> {
    pub(super) part: &'m Part,
    pub(super) explicit: &'m Explicit<'m>,
    /// The inputs of the whole that it reads.
    pub(super) reads: Vec<usize>,
    /// Inputs of the part by number.
    pub(super) rows: Vec<Vec<Value>>,
    numbers: FxHashMap<Vec<Value>, u32>,
    /// Bits of the rows, by 64 of them.
    columns: Vec<Vec<u64>>,
    /// By state: what the first rows lead to.
    pub(super) moves: FxHashMap<u32, Vec<Move>>,
    pub(super) labels: Numbering,
    registers: Vec<u64>,
    lanes: Vec<u64>,
    /// Goals of one step with their labels.
    pub(super) goals: Vec<(Vertex, usize)>,
    /// The labels of goals that are still open, as bits.
    pub(super) open: Vec<u64>,
    /// By state the steps to where the nearest open goal can be had.
    pub(super) near: Vec<u32>,
    hard: Option<&'m JointPrice>,
    /// Positions of hard goals that are still open.
    pub(super) hard_open: u64,
    pub(super) weights: Weights,
    /// The number of the state at hand; [`REFUSED`] before the first walk.
    pub(super) state: u32,
    /// By row what it leaves to do from the state at hand, as far as that was asked.
    pub(super) lefts: Vec<Option<Option<i64>>>,
}

impl<'m> Walker<'m> {
    pub(super) fn new(of: &'m Enumerated<'m>) -> Self {
        let Enumerated { part, task: own, explicit, hard } = of;
        let step = explicit.step();
        let (width, label_width) = step.row_widths();
        let reads = part.map.inputs.iter().filter(|(_, kept)| kept.is_some()).map(|(id, _)| id.index());
        let goals = own.vertices().filter(|&vertex| own.steps(vertex) == 1);
        Self {
            part,
            explicit,
            reads: reads.collect(),
            rows: Vec::new(),
            numbers: FxHashMap::default(),
            columns: Vec::new(),
            moves: FxHashMap::default(),
            labels: Numbering::new(label_width),
            registers: Vec::new(),
            lanes: vec![0; 64 * (width + label_width)],
            goals: goals.map(|vertex| (vertex, step.label(vertex, 0))).collect(),
            open: vec![0; label_width],
            near: Vec::new(),
            hard: hard.as_ref(),
            hard_open: 0,
            weights: WEIGHTS[0],
            state: REFUSED,
            lefts: Vec::new(),
        }
    }

    /// The number of the row that the part reads of inputs of the whole.
    pub(super) fn number(&mut self, inputs: &[Value]) -> u32 {
        let row = self.part.map.lower_inputs(inputs);
        if let Some(&number) = self.numbers.get(&row) {
            return number;
        }
        let number = self.rows.len() as u32;
        self.numbers.insert(row.clone(), number);
        self.rows.push(row);
        self.columns.truncate(number as usize / 64);
        number
    }

    /// Takes rows together of which every state of the part makes the same, where that is soon
    /// found out. By row the number that it has then.
    pub(super) fn merge(&mut self, session: &Session<'_>) -> Result<Vec<u32>, Stop> {
        let (states, rows) = (self.explicit.len(), self.rows.len());
        let evaluated = (states * rows.div_ceil(64)).saturating_mul(self.explicit.step().size());
        if evaluated > MOST_MERGING {
            return Ok((0..rows as u32).collect());
        }
        let mut made: Vec<FxHasher> = vec![FxHasher::default(); rows];
        for state in 0..states as u32 {
            session.check_limits()?;
            self.state = state;
            self.expand(0);
            let moves = self.moves.remove(&state).unwrap_or_default();
            made.iter_mut().zip(moves).for_each(|(made, step)| step.hash(made));
        }
        self.state = REFUSED;
        self.columns.clear();
        let mut seen: FxHashMap<u64, u32> = FxHashMap::default();
        let mut kept = Vec::new();
        let mut merged = Vec::with_capacity(rows);
        for (row, made) in std::mem::take(&mut self.rows).into_iter().zip(made) {
            let next = seen.len() as u32;
            let number = *seen.entry(made.finish()).or_insert(next);
            if number == next {
                kept.push(row);
            }
            merged.push(number);
        }
        self.rows = kept;
        self.numbers.values_mut().for_each(|number| *number = merged[*number as usize]);
        Ok(merged)
    }

    /// What the row leads to from the state at hand.
    pub(super) fn lead(&mut self, row: u32) -> Move {
        let known = self.moves.get(&self.state).map_or(0, Vec::len);
        if row as usize >= known {
            self.expand(known);
        }
        self.moves[&self.state][row as usize]
    }

    /// Computes what rows lead to from the state at hand, from row `known` on.
    fn expand(&mut self, known: usize) {
        let step = self.explicit.step();
        let (width, label_width) = step.row_widths();
        let mut moves = self.moves.remove(&self.state).unwrap_or_default();
        for first in (known / 64 * 64..self.rows.len()).step_by(64) {
            let last = self.rows.len().min(first + 64);
            if self.columns.len() <= first / 64 {
                self.columns.push(step.columns_of(&self.rows[first..last]));
            }
            let packed = self.explicit.packed(self.state);
            self.registers.clear();
            self.registers.push(0);
            let bit = |bit: usize| 0u64.wrapping_sub(packed[bit / 64] >> (bit % 64) & 1);
            self.registers.extend((0..step.state_width()).map(bit));
            self.registers.extend(&self.columns[first / 64]);
            step.run(&mut self.registers);
            step.rows(&self.registers, &mut self.lanes);
            let allowed = step.allowed(&self.registers);
            for row in moves.len().max(first)..last {
                let lane = row - first;
                let (next, labels) = self.lanes[lane * (width + label_width)..].split_at(width);
                let to = self.explicit.number(next).filter(|_| allowed >> lane & 1 == 1).unwrap_or(REFUSED);
                moves.push(Move { to, labels: self.labels.intern(&labels[..label_width]) });
            }
        }
        self.moves.insert(self.state, moves);
    }

    /// Number of open goals that a move covers.
    pub(super) fn covers(&self, step: Move) -> u32 {
        self.labels
            .row(step.labels)
            .iter()
            .zip(&self.open)
            .map(|(labels, open)| (labels & open).count_ones())
            .sum()
    }

    /// What is left to do from a state, as weighed.
    pub(super) fn away(&self, state: u32) -> i64 {
        self.weights.nearest * self.nearest(state) + self.together(state, self.hard_open)
    }

    /// How many steps the nearest open goal is away, its own included; 0 where none is open. A
    /// state from which none is in reach is further away than any other.
    fn nearest(&self, state: u32) -> i64 {
        match self.near[state as usize] {
            FAR if self.open.iter().all(|&open| open == 0) => 0,
            FAR => 2 + i64::from(HORIZON),
            away => 1 + i64::from(away.min(HORIZON)),
        }
    }

    /// What these hard goals cost together from a state, as weighed.
    fn together(&self, state: u32, open: u64) -> i64 {
        match self.weights.together {
            0 => 0,
            weight => weight * i64::from(self.price(state, open)),
        }
    }

    /// How much a row leaves to do in the part, as weighed. `None`: it is refused.
    pub(super) fn left(&mut self, row: u32) -> Option<i64> {
        if let Some(Some(known)) = self.lefts.get(row as usize) {
            return *known;
        }
        let step = self.lead(row);
        let left = self.left_by(step);
        if self.lefts.len() <= row as usize {
            self.lefts.resize(self.rows.len(), None);
        }
        self.lefts[row as usize] = Some(left);
        left
    }

    /// How much a move leaves to do in the part, as weighed.
    fn left_by(&self, step: Move) -> Option<i64> {
        match self.covers(step) {
            _ if step.to == REFUSED => None,
            0 => Some(self.away(step.to)),
            covered => {
                let open = self.hard_open & !self.hard_goals(step.labels);
                Some(1 - i64::from(covered) + self.together(step.to, open))
            }
        }
    }

    /// Whether a move covers an open goal, or leads nearer to one.
    pub(super) fn advances(&self, step: Move) -> bool {
        step.to != REFUSED
            && (self.covers(step) > 0 || self.near[step.to as usize] < self.near[self.state as usize])
    }

    /// Goes to a state.
    pub(super) fn enter(&mut self, state: u32) {
        self.state = state;
        self.lefts.clear();
    }

    /// Looks again how far goals are away.
    pub(super) fn look(&mut self) {
        self.lefts.clear();
        let mut near = vec![FAR; self.explicit.len()];
        for &(vertex, label) in &self.goals {
            if self.open[label / 64] >> (label % 64) & 1 == 1 {
                let away = self.explicit.to_event(vertex);
                near.iter_mut().zip(away).for_each(|(near, &away)| *near = (*near).min(away));
            }
        }
        self.near = near;
        self.hard_open = self.hard.map_or(0, |hard| hard.among(&self.open));
    }

    /// Number of states.
    pub(super) fn states(&self) -> usize {
        self.explicit.len()
    }

    /// The states before a state.
    pub(super) fn sources(&self, state: u32) -> &[u32] {
        self.explicit.sources(state)
    }

    /// Number of moves from all states, by the rows so far.
    pub(super) fn moves_in_all(&self) -> usize {
        self.explicit.len() * self.rows.len()
    }

    /// What all rows lead to from a state.
    pub(super) fn all_moves(&mut self, state: u32) -> &[Move] {
        let at_hand = std::mem::replace(&mut self.state, state);
        let last = self.rows.len() as u32 - 1;
        self.lead(last);
        self.state = at_hand;
        &self.moves[&state]
    }

    /// Steps from Init to the hard goal that is farthest away.
    pub(super) fn farthest(&self) -> Option<u32> {
        self.hard.map(|hard| hard.farthest(self.explicit))
    }

    /// Positions of the hard goals that are more than so many steps away from Init.
    pub(super) fn hard_beyond(&self, steps: u32) -> u64 {
        self.hard.map_or(0, |hard| hard.beyond(steps, self.explicit))
    }

    /// Positions of the hard goals among the labels of this number.
    pub(super) fn hard_goals(&self, labels: u32) -> u64 {
        self.hard.map_or(0, |hard| hard.among(self.labels.row(labels)))
    }

    /// What these hard goals cost together from a state.
    pub(super) fn price(&self, state: u32, open: u64) -> u32 {
        self.hard.map_or(0, |hard| hard.table.bound(state, open))
    }
}
