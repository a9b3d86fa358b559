//! All parts on their walk through one execution.

use super::waits::{Effort, Waits};
use super::walker::{REFUSED, Walker};
use super::{Enumerated, MOST_CHAINS, MOST_MOVES, MOST_STEPS, PASSES, WEIGHTS};
use crate::knowledge::chains::{CheckedChain, covering};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::random_simulation::Random;
use crate::search::breadth_first::FAR;
use crate::session::{Session, Stop};
use model::trace::{Start, Trace};
use model::value::Value;

/// How much more one part may count than another when they are arranged before a wait.
const MOST_SHARES: usize = 4;

/// A part, and values of the inputs that it reads.
pub(super) type Offer = (usize, Vec<Value>);

/// All parts on their walk through one execution.
pub(super) struct Team<'m> {
    task: &'m Task<'m>,
    walkers: Vec<Walker<'m>>,
    /// Inputs that lead somewhere in some part.
    offers: Vec<Offer>,
    /// By offer and part: the number of the row that the offer is for the part, where it decides
    /// all that the part reads.
    decided: Vec<Vec<Option<u32>>>,
    /// By part and part: whether the second one reads some of what the first one reads.
    beside: Vec<Vec<bool>>,
    goals: Vec<Vertex>,
    random: Random,
    /// What waits need to know, where they are worth it.
    waits: Option<Waits>,
    /// Whether the focus is drawn; else it is where the nearest goal is nearest.
    draws: bool,
}

impl<'m> Team<'m> {
    pub(super) fn new(
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
            .map(|(number, values): &Offer| {
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
        let waits = Waits::new(&mut walkers, (&offers, &reads), row_of_zeros(task), session)?;
        let goals = known.possible_goals();
        Ok(Self {
            task,
            walkers,
            offers,
            decided,
            beside,
            goals,
            waits,
            random: Random::new(0),
            draws: false,
        })
    }

    /// Chains that cover as many goals of parts as the walk of this number comes to. Half of
    /// the walks, by chance, go on from somewhere along the best one.
    pub(super) fn chains(
        &mut self,
        walk: u64,
        best: &[Vec<Value>],
        session: &Session<'_>,
    ) -> Result<Vec<CheckedChain>, Stop> {
        let task = self.task;
        (self.random, self.draws) = (Random::new(walk), walk >= WEIGHTS.len() as u64);
        let weights = WEIGHTS[walk as usize % WEIGHTS.len()];
        self.walkers.iter_mut().for_each(|walker| walker.weights = weights);
        let effort = self.effort(walk);
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
            let inputs = self.inputs(begun, effort.as_ref(), session)?;
            let trace = Trace { start: Start::Initial(zeros(task)), inputs };
            match covering(task, trace, &open)? {
                Some(chain) => chains.push(chain),
                None => break,
            }
        }
        Ok(chains)
    }

    /// How the walk of this number arranges parts before waits. `None`: not at all.
    fn effort(&mut self, walk: u64) -> Option<Effort> {
        let waits = self.waits.as_ref()?;
        let round = walk / 2;
        let mut share = || 1 + if self.draws { self.random.below(MOST_SHARES) as u32 } else { 0 };
        let shares = self.walkers.iter().map(|_| share()).collect();
        let hold = self.random.below(waits.holds());
        let (width, is_urgent) = (16 << (round % 5), round.is_multiple_of(2));
        walk.is_multiple_of(2).then_some(Effort { width, hold, is_urgent, shares })
    }

    /// The best chain, up to one of the steps in which its inputs change; or nothing of it.
    fn beginning<'b>(&mut self, best: &'b [Vec<Value>]) -> &'b [Vec<Value>] {
        if best.is_empty() || self.random.below(2) == 0 {
            return &[];
        }
        // What is before a long wait is taken as often as what is in it.
        let last = self.random.below(best.len());
        &best[..(1..=last).rev().find(|&step| best[step] != best[step - 1]).unwrap_or(0)]
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
    fn inputs(
        &mut self,
        begun: &[Vec<Value>],
        effort: Option<&Effort>,
        session: &Session<'_>,
    ) -> Result<Vec<Vec<Value>>, Stop> {
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
        while let Some(effort) = effort
            && let Some(waits) = &self.waits
            && let Some(rows) = waits.arrangement(&self.walkers, effort, session)?
        {
            for row in &rows {
                self.step(row);
            }
            inputs.extend(rows);
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

pub(super) fn put(row: &mut [Value], reads: &[usize], values: &[Value]) {
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
