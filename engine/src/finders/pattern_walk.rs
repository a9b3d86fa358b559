//! Walks that exact distances in parts of the state guide.
//!
//! Where goals depend on small [parts](crate::provers::part) of the state, these are enumerated:
//! each tells for every one of its states how many steps the nearest of its goals is away (a
//! pattern database; Culberson, Schaeffer, *Pattern databases*, 1998). A step of a walk takes
//! inputs that bring all parts together as near to their next goals as any do. Where none bring
//! them nearer, since what serves one part throws others back, the part whose goal is nearest comes
//! first until it has it: of the inputs that bring it nearer those are taken that serve the others
//! best.
//!
//! A part that looks at its nearest goal alone throws away what the others cost: it leaves a count
//! that all of them wait for. So walks also weigh what goals that cost much cost together, from a
//! table of all of their sets.

use crate::knowledge::chains::{CheckedChain, covering};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::explicit::Explicit;
use crate::provers::explicit::joint_price::{JointPrice, RESET, enumerated};
use crate::provers::explicit::numbering::Numbering;
use crate::provers::part::{Part, cones};
use crate::random_simulation::Random;
use crate::search::breadth_first::FAR;
use crate::session::{Session, Stop};
use crate::turn::{Finder, Found, Turn};
use model::id::Id;
use model::trace::{Start, Trace};
use model::value::Value;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Steps of a walk at most.
const MOST_STEPS: usize = 100_000;
/// Moves that are remembered at most, over all parts.
const MOST_MOVES: usize = 20_000_000;
/// Instructions that may be evaluated to find rows of inputs of which a part makes the same.
const MOST_MERGING: usize = 100_000_000;
/// Chains of one walk at most, where goals cannot all follow one another.
const MOST_CHAINS: usize = 16;
/// How often inputs are improved, part by part, within one step.
const PASSES: usize = 3;
/// Steps beyond which all goals are equally far away.
const HORIZON: u32 = RESET;
/// Weights of the walks, one after the other.
const WEIGHTS: [Weights; 5] = [
    Weights { nearest: 1, together: 2 },
    Weights { nearest: 1, together: 0 },
    Weights { nearest: 1, together: 1 },
    Weights { nearest: 1, together: 5 },
    Weights { nearest: 0, together: 1 },
];

/// What a walk goes by.
#[derive(Clone, Copy)]
struct Weights {
    /// The steps to the nearest open goal of each part count so much.
    nearest: i64,
    /// What open goals of each part cost together counts so much.
    together: i64,
}

/// See the module text.
pub(crate) struct PatternWalk<'s> {
    task: &'s Task<'s>,
    /// Parts of the system, from the first turn on.
    parts: Option<Vec<Part>>,
    /// How many walks were made.
    walks: u64,
    /// The inputs of the shortest chain that a walk has come to.
    best: Vec<Vec<Value>>,
}

impl<'s> PatternWalk<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self { task, parts: None, walks: 0, best: Vec::new() }
    }
}

impl Finder for PatternWalk<'_> {
    fn run(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        session.stage("patterns", || self.walk(known, found, work, session))
    }
}

impl PatternWalk<'_> {
    fn walk(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        let task = self.task;
        let parts = self.parts.get_or_insert_with(|| cones(task));
        let tasks: Vec<Task<'_>> = parts.iter().map(|part| part.task(session)).collect();
        let mut all = Vec::new();
        for (part, task) in parts.iter().zip(&tasks) {
            if let Some(explicit) = enumerated(task, session)? {
                let hard = JointPrice::new(task, &explicit, parts.len(), session)?;
                all.push(Enumerated { part, task, explicit, hard });
            }
        }
        if all.len() < 2 {
            return Ok(Turn::Exhausted);
        }
        // What steps of parts lead to is remembered from walk to walk.
        let mut team = Team::new(task, &all, known, session)?;
        for _ in 0..work {
            let chains = team.chains(self.walks, &self.best, session)?;
            if let [chain] = &chains[..]
                && (self.best.is_empty() || chain.trace.inputs.len() < self.best.len())
            {
                self.best.clone_from(&chain.trace.inputs);
            }
            found.offer(chains);
            self.walks += 1;
        }
        Ok(Turn::Open)
    }
}

/// A part with all of its states.
struct Enumerated<'m> {
    part: &'m Part,
    task: &'m Task<'m>,
    explicit: Explicit<'m>,
    hard: Option<JointPrice>,
}

/// What a step of a part leads to.
#[derive(Clone, Copy, Hash)]
struct Move {
    /// The number of the next state; [`REFUSED`] where the assumptions do not allow the step.
    to: u32,
    /// The number of its set of labels.
    labels: u32,
}

/// No state.
const REFUSED: u32 = u32::MAX;

/// A part on its walk.
struct Walker<'m> {
    part: &'m Part,
    explicit: &'m Explicit<'m>,
    /// The inputs of the whole that it reads.
    reads: Vec<usize>,
    /// Inputs of the part by number.
    rows: Vec<Vec<Value>>,
    numbers: FxHashMap<Vec<Value>, u32>,
    /// Bits of the rows, by 64 of them.
    columns: Vec<Vec<u64>>,
    /// By state: what the first rows lead to.
    moves: FxHashMap<u32, Vec<Move>>,
    labels: Numbering,
    registers: Vec<u64>,
    lanes: Vec<u64>,
    /// Goals of one step with their labels.
    goals: Vec<(Vertex, usize)>,
    /// The labels of goals that are still open, as bits.
    open: Vec<u64>,
    /// By state the steps to where the nearest open goal can be had.
    near: Vec<u32>,
    hard: Option<&'m JointPrice>,
    /// Positions of hard goals that are still open.
    hard_open: u64,
    weights: Weights,
    /// The number of the state at hand; [`REFUSED`] before the first walk.
    state: u32,
    /// By row what it leaves to do from the state at hand, as far as that was asked.
    lefts: Vec<Option<Option<i64>>>,
}

impl<'m> Walker<'m> {
    fn new(of: &'m Enumerated<'m>) -> Self {
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
    fn number(&mut self, inputs: &[Value]) -> u32 {
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
    fn merge(&mut self, session: &Session<'_>) -> Result<Vec<u32>, Stop> {
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
    fn lead(&mut self, row: u32) -> Move {
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
    fn covers(&self, step: Move) -> u32 {
        self.labels
            .row(step.labels)
            .iter()
            .zip(&self.open)
            .map(|(labels, open)| (labels & open).count_ones())
            .sum()
    }

    /// What is left to do from a state, as weighed.
    fn away(&self, state: u32) -> i64 {
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
        match self.hard {
            Some(hard) if self.weights.together > 0 => {
                self.weights.together * i64::from(hard.table.bound(state, open))
            }
            _ => 0,
        }
    }

    /// How much a row leaves to do in the part, as weighed. `None`: it is refused.
    fn left(&mut self, row: u32) -> Option<i64> {
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
                let covers_hard = |hard: &JointPrice| hard.among(self.labels.row(step.labels));
                let open = self.hard_open & !self.hard.map_or(0, covers_hard);
                Some(1 - i64::from(covered) + self.together(step.to, open))
            }
        }
    }

    /// Whether a move covers an open goal, or leads nearer to one.
    fn advances(&self, step: Move) -> bool {
        step.to != REFUSED
            && (self.covers(step) > 0 || self.near[step.to as usize] < self.near[self.state as usize])
    }

    /// Goes to a state.
    fn enter(&mut self, state: u32) {
        self.state = state;
        self.lefts.clear();
    }

    /// Looks again how far goals are away.
    fn look(&mut self) {
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
}

/// All parts on their walk through one execution.
struct Team<'m> {
    task: &'m Task<'m>,
    walkers: Vec<Walker<'m>>,
    /// Inputs that lead somewhere in some part: the part, and values of what it reads.
    offers: Vec<(usize, Vec<Value>)>,
    /// By offer and part: the number of the row that the offer is for the part, where it decides
    /// all that the part reads.
    decided: Vec<Vec<Option<u32>>>,
    /// By part and part: whether the second one reads some of what the first one reads.
    beside: Vec<Vec<bool>>,
    goals: Vec<Vertex>,
    random: Random,
    /// Whether the focus is drawn; else it is where the nearest goal is nearest.
    draws: bool,
}

impl<'m> Team<'m> {
    fn new(
        task: &'m Task<'m>,
        parts: &'m [Enumerated<'m>],
        known: &Knowledge,
        session: &Session<'_>,
    ) -> Result<Self, Stop> {
        let mut walkers: Vec<Walker<'_>> = parts.iter().map(Walker::new).collect();
        let mut offers = Vec::new();
        for (number, Enumerated { part, explicit, .. }) in parts.iter().enumerate() {
            for class in 0..explicit.step().classes() as u32 {
                let raised = part.map.raise_inputs(task.system, &explicit.step().inputs(class));
                let values = walkers[number].reads.iter().map(|&input| raised[input]).collect();
                offers.push((number, values));
            }
        }
        let reads: Vec<Vec<usize>> = walkers.iter().map(|walker| walker.reads.clone()).collect();
        let shares = |own: &Vec<usize>, other: &Vec<usize>| other.iter().any(|input| own.contains(input));
        let beside: Vec<Vec<bool>> =
            reads.iter().map(|own| reads.iter().map(|other| shares(own, other)).collect()).collect();
        let mut row = row_of_zeros(task);
        let mut decided: Vec<Vec<Option<u32>>> = offers
            .iter()
            .map(|(number, values): &(usize, Vec<Value>)| {
                put(&mut row, &reads[*number], values);
                let decides = |other: usize| reads[other].iter().all(|input| reads[*number].contains(input));
                (0..reads.len()).map(|other| decides(other).then(|| walkers[other].number(&row))).collect()
            })
            .collect();
        for (number, walker) in walkers.iter_mut().enumerate() {
            let merged = walker.merge(session)?;
            let own = decided.iter_mut().filter_map(|decided| decided[number].as_mut());
            own.for_each(|row| *row = merged[*row as usize]);
        }
        let goals = known.possible_goals();
        Ok(Self { task, walkers, offers, decided, beside, goals, random: Random::new(0), draws: false })
    }

    /// Chains that cover as many goals of parts as the walk of this number comes to. Half of
    /// the walks, by chance, go on from somewhere along the best one.
    fn chains(
        &mut self,
        walk: u64,
        best: &[Vec<Value>],
        session: &Session<'_>,
    ) -> Result<Vec<CheckedChain>, Stop> {
        let task = self.task;
        (self.random, self.draws) = (Random::new(walk), walk >= WEIGHTS.len() as u64);
        let weights = WEIGHTS[walk as usize % WEIGHTS.len()];
        self.walkers.iter_mut().for_each(|walker| walker.weights = weights);
        let mut chains: Vec<CheckedChain> = Vec::new();
        while chains.len() < MOST_CHAINS {
            let open: Vec<Vertex> = self
                .goals
                .iter()
                .copied()
                .filter(|&goal| !chains.iter().any(|chain| chain.covers(task.goal(goal))))
                .collect();
            self.begin(&open);
            let begun = if self.draws && chains.is_empty() { self.beginning(best) } else { &[] };
            let inputs = self.inputs(begun, session)?;
            let trace = Trace { start: Start::Initial(zeros(task)), inputs };
            match covering(task, trace, &open)? {
                Some(chain) => chains.push(chain),
                None => break,
            }
        }
        Ok(chains)
    }

    /// The best chain, up to one of the steps in which its inputs change; or nothing of it.
    fn beginning<'b>(&mut self, best: &'b [Vec<Value>]) -> &'b [Vec<Value>] {
        let changes: Vec<usize> = (1..best.len()).filter(|&step| best[step] != best[step - 1]).collect();
        if changes.is_empty() || self.random.below(2) == 0 {
            return &[];
        }
        &best[..changes[self.random.below(changes.len())]]
    }

    /// Goes back to Init, with these goals open.
    fn begin(&mut self, open: &[Vertex]) {
        let initial = self.task.initial_state(&zeros(self.task));
        for walker in &mut self.walkers {
            let step = walker.explicit.step();
            let state = step.pack(&walker.part.map.lower_state(&initial));
            walker.enter(walker.explicit.number(&state).unwrap_or(REFUSED));
            walker.open.fill(0);
            for &(vertex, label) in &walker.goals {
                if open.contains(&walker.part.vertices[vertex.position()]) {
                    walker.open[label / 64] |= 1 << (label % 64);
                }
            }
            walker.look();
        }
    }

    /// The inputs of a walk from Init, which begins so, until no goal can be come nearer to.
    fn inputs(&mut self, begun: &[Vec<Value>], session: &Session<'_>) -> Result<Vec<Vec<Value>>, Stop> {
        let mut inputs: Vec<Vec<Value>> = Vec::new();
        if self.walkers.iter().any(|walker| walker.state == REFUSED) {
            return Ok(inputs);
        }
        let mut row = row_of_zeros(self.task);
        for known in begun {
            row.clone_from(known);
            self.step(&row);
            inputs.push(row.clone());
        }
        // Parts whose nearest goal the others stand in the way of.
        let mut blocked = vec![false; self.walkers.len()];
        let mut focus = None;
        while inputs.len() < MOST_STEPS {
            session.check_limits()?;
            if focus.is_none() {
                let before: i64 = self.walkers.iter().map(|walker| walker.away(walker.state)).sum();
                match self.best(None, &row) {
                    Some((best, left)) if left < before => row = best,
                    _ => {
                        focus = self.focus(&blocked);
                        if focus.is_none() {
                            break;
                        }
                    }
                }
            }
            if let Some(number) = focus {
                let Some((best, _)) = self.best(focus, &row) else {
                    blocked[number] = true;
                    focus = None;
                    continue;
                };
                row = best;
            }
            let covered = self.step(&row);
            inputs.push(row.clone());
            if covered.iter().any(|&covered| covered) {
                blocked.fill(false);
            }
            focus = focus.filter(|&number| !covered[number]);
            let moves: usize = self.walkers.iter().map(|walker| walker.moves.len() * walker.rows.len()).sum();
            if moves > MOST_MOVES {
                self.walkers.iter_mut().for_each(|walker| walker.moves.clear());
            }
        }
        Ok(inputs)
    }

    /// The part to bring forward.
    fn focus(&mut self, blocked: &[bool]) -> Option<usize> {
        let away = |number: usize| self.walkers[number].near[self.walkers[number].state as usize];
        let possible: Vec<usize> =
            (0..self.walkers.len()).filter(|&number| !blocked[number] && away(number) != FAR).collect();
        if self.draws && self.random.below(2) == 0 && !possible.is_empty() {
            return Some(possible[self.random.below(possible.len())]);
        }
        possible.into_iter().min_by_key(|&number| away(number))
    }

    /// Takes a step. Which parts have covered a goal.
    fn step(&mut self, row: &[Value]) -> Vec<bool> {
        let take = |walker: &mut Walker<'_>| {
            let own = walker.number(row);
            let step = walker.lead(own);
            let has_covered = walker.covers(step) > 0;
            if has_covered {
                for (open, labels) in walker.open.iter_mut().zip(walker.labels.row(step.labels)) {
                    *open &= !labels;
                }
                walker.look();
            }
            walker.enter(step.to);
            has_covered
        };
        self.walkers.iter_mut().map(take).collect()
    }

    /// The inputs that leave the fewest steps of all parts to do, and how many; of those that bring
    /// the part in focus forward, where there is one.
    fn best(&mut self, focus: Option<usize>, before: &[Value]) -> Option<(Vec<Value>, i64)> {
        let mut row = before.to_vec();
        let mut best: Option<i64> = None;
        for _ in 0..PASSES {
            let mut left = Vec::with_capacity(self.walkers.len());
            let mut is_forward = true;
            for (number, walker) in self.walkers.iter_mut().enumerate() {
                let own = walker.number(&row);
                let step = walker.lead(own);
                is_forward &= focus != Some(number) || walker.advances(step);
                left.push(walker.left(own));
            }
            if best.is_none() && is_forward {
                best = left.iter().copied().sum();
            }
            let mut better: Option<usize> = None;
            // Of equally good inputs walks take others, by where they begin to look.
            let first = if self.draws { self.random.below(self.offers.len()) } else { 0 };
            for offer in (first..self.offers.len()).chain(0..first) {
                if let Some(value) = self.left(offer, focus.filter(|_| !is_forward), focus, &row, &left)
                    && best.is_none_or(|best| value < best)
                {
                    (best, better) = (Some(value), Some(offer));
                }
            }
            let Some(offer) = better else { break };
            let (number, values) = &self.offers[offer];
            put(&mut row, &self.walkers[*number].reads, values);
        }
        best.map(|best| (row, best))
    }

    /// How many steps inputs leave to do with an offer put into them; `left`: by part without it.
    /// `None`: a part refuses them, or the part in focus does not come forward. `waiting`: that
    /// part, where it does not come forward without the offer.
    fn left(
        &mut self,
        offer: usize,
        waiting: Option<usize>,
        focus: Option<usize>,
        row: &[Value],
        left: &[Option<i64>],
    ) -> Option<i64> {
        let number = self.offers[offer].0;
        if waiting.is_some_and(|focus| !self.beside[number][focus]) {
            return None;
        }
        let mut whole: Option<Vec<Value>> = None;
        let mut value = 0;
        for other in 0..self.walkers.len() {
            if !self.beside[number][other] {
                value += left[other]?;
                continue;
            }
            let own = match self.decided[offer][other] {
                Some(own) => own,
                None => {
                    let whole = whole.get_or_insert_with(|| {
                        let mut whole = row.to_vec();
                        put(&mut whole, &self.walkers[number].reads, &self.offers[offer].1);
                        whole
                    });
                    self.walkers[other].number(whole)
                }
            };
            let walker = &mut self.walkers[other];
            if focus == Some(other) {
                let step = walker.lead(own);
                if !walker.advances(step) {
                    return None;
                }
            }
            value += walker.left(own)?;
        }
        Some(value)
    }
}

fn put(row: &mut [Value], reads: &[usize], values: &[Value]) {
    reads.iter().zip(values).for_each(|(&input, &value)| row[input] = value);
}

/// Inputs of a step that are all zero.
fn row_of_zeros(task: &Task<'_>) -> Vec<Value> {
    task.zeros(task.system.inputs.values())
}

/// Initial inputs that are all zero.
fn zeros(task: &Task<'_>) -> Vec<Value> {
    task.zeros(task.system.initial_inputs.values())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use crate::options::Options;
    use crate::session::Silent;
    use model::text::parse;
    use model::validate::validate;

    fn walked(text: &str) -> Option<(usize, u32)> {
        let system = validate(parse(text).expect("a text")).expect("a system");
        let (options, task) = (Options::default(), Task::new(&system, &all_goals(&system), Vec::new()));
        let session = Session::new(&options, &Silent);
        let mut found = Found::default();
        let known = Knowledge::nothing(&task, None);
        PatternWalk::new(&task).run(&known, &mut found, 1, &session).expect("a turn");
        let chains = found.into_sets().into_iter().next()?;
        let covered = crate::knowledge::chains::covered(&task, &chains, task.vertices());
        Some((covered.len(), chains.iter().map(CheckedChain::length).sum()))
    }

    #[test]
    fn timers_that_can_run_side_by_side_do() {
        // Both count under x = 1, each has a goal of its own besides.
        let together = "input x w2
            state a w8 init 0 next (ite (eq x 1) (add a 1) 0)
            state b w8 init 0 next (ite (ult 0 x) (add b 1) 0)
            goal late when (eq a 40) goal later when (eq b 50) goal other when (and (eq b 3) (eq x 3))";
        let (covered, steps) = walked(together).expect("a walk");
        assert_eq!(covered, 3);
        assert!(steps <= 56, "{steps} steps, where 51 are needed");
    }

    #[test]
    fn what_throws_the_other_back_comes_one_after_the_other() {
        let apart = "input x w1
            state a w4 init 0 next (ite (eq x 1) (add a 1) 0)
            state b w4 init 0 next (ite (eq x 0) (add b 1) 0)
            goal a when (eq a 9) goal b when (eq b 9)";
        assert_eq!(walked(apart), Some((2, 19)));
    }

    #[test]
    fn goals_that_cannot_follow_one_another_have_chains_of_their_own() {
        let traps = "input x w1 input y w1
            state a w2 init 0 next (ite (eq a 0) (ite x 1 2) a)
            state b w2 init 0 next (ite (eq b 0) (ite y 1 2) b)
            goal a1 when (eq a 1) goal a2 when (eq a 2) goal b1 when (eq b 1) goal b2 when (eq b 2)";
        assert_eq!(walked(traps), Some((4, 4)));
        let one = "input x w1 state a w4 init 0 next (add a 1) goal a when (eq a 9)";
        assert_eq!(walked(one), None, "one part is the whole");
    }
}
