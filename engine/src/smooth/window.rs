//! Solving a stretch of a chain anew, by SAT, with fewer changes.
//!
//! The stretch starts in the concrete state the chain has there. Every demanded occurrence inside
//! stays at its step; at its end the stretch comes back to the chain's state (the words that
//! anything depends on), or may end where the chain ends. So the rest of the chain goes on as
//! before. Changes of inputs are counted by a counter whose bound is lowered until no better inputs
//! are found; bounds are asked by assumption, so that one solver serves all.

use super::changes::{count, stimuli};
use super::{Requirements, cardinality, slew};
use crate::knowledge::chains::CheckedChain;
use crate::options::Limits;
use crate::session::{Session, Stop};
use encoder::unroll::{Start, Unrolling};
use model::id::Id;
use model::slice::{Keep, SliceMap, reduce};
use model::sort::Sort;
use model::system::{Assumption, InputId, TransitionSystem};
use model::validate::{Validated, validate};
use model::value::Value;
use solver::sat::{ClauseSink, IncrementalSat, Lit};
use std::ops::Range;

/// Conflicts that one query may cost.
const CONFLICTS: u64 = 250;
/// Conflicts that the query for limits may cost: a wish that was expressed is worth more than one
/// change less.
const LIMIT_CONFLICTS: u64 = 50_000;
/// Nodes of the unrolled graph at most: larger stretches are left as they are.
const NODES: u64 = 150_000;
/// Nodes of all stretches of a chain together at most.
const ALL_NODES: u64 = 400_000;
/// Queries for a chain at most.
const QUERIES: usize = 300;
/// Queries that may be given up before no further ones are asked: arithmetic that costs so much now
/// will cost it again.
const HARD_QUERIES: usize = 4;
/// Entries of a counter at most; stretches are cut so that theirs are fewer.
const COUNTER: usize = 40_000;
/// Steps of a stretch at least, where the chain has as many.
const SHORTEST: usize = 6;
/// Steps of a stretch at most.
const LONGEST: usize = 80;

/// What smoothing by stretches may still cost.
struct Effort {
    nodes: u64,
    queries: usize,
    hard: usize,
}

impl Effort {
    fn is_spent(&self) -> bool {
        self.nodes == 0 || self.queries == 0 || self.hard == 0
    }
}

/// Solves the whole chain so that it keeps limits, if that succeeds within the effort. `true`: that
/// is proven impossible.
pub(super) fn keep_limits(
    required: &Requirements<'_>,
    best: &mut CheckedChain,
    limits: &Limits,
    session: &Session<'_>,
) -> Result<bool, Stop> {
    session.check_limits()?;
    let (system, map) = searched(required);
    let stretch = 0..best.trace.inputs.len();
    let Some(mut query) = Query::new(required, &system, &map, best, &stretch, limits, session)? else {
        return Ok(false);
    };
    match query.solve(None, LIMIT_CONFLICTS, session)? {
        Found::Inputs(inputs) => {
            if let Some(better) = required.judge(best, query.replaced(best, &stretch, inputs)) {
                *best = better;
            }
            Ok(false)
        }
        Found::None => Ok(true),
        Found::GaveUp => Ok(false),
    }
}

/// Solves stretches that overlap by half, longer ones first, until none helps.
pub(super) fn windows(
    required: &Requirements<'_>,
    best: &mut CheckedChain,
    session: &Session<'_>,
) -> Result<(), Stop> {
    session.check_limits()?;
    let length = best.trace.inputs.len();
    let (system, map) = searched(required);
    let mut size = longest(required, best);
    let mut effort = Effort { nodes: ALL_NODES, queries: QUERIES, hard: HARD_QUERIES };
    while size >= SHORTEST.min(length) && size > 0 {
        let mut helped = false;
        let mut first = 0;
        loop {
            let stretch = widened(required, first..(first + size).min(length));
            if effort.is_spent() {
                return Ok(());
            }
            match solve(required, &system, &map, best, &stretch, &mut effort, session)? {
                Solved::TooLarge => break,
                Solved::Better => helped = true,
                Solved::Same => {}
            }
            if first + size >= length {
                break;
            }
            first += size.div_ceil(2);
        }
        if !helped || size >= length {
            size /= 2;
        }
    }
    Ok(())
}

/// Steps of a stretch whose counter stays small.
fn longest(required: &Requirements<'_>, best: &CheckedChain) -> usize {
    let length = best.trace.inputs.len();
    let columns = stimuli(required.task.system).count().max(1);
    let density = count(required.task.system, &best.trace.inputs) as f64 / length.max(1) as f64;
    let fits = |size: &usize| (*size * columns) as f64 * (density * *size as f64) <= COUNTER as f64;
    (1..=length.min(LONGEST)).rev().find(fits).unwrap_or(1)
}

/// The stretch, widened so that no demanded occurrence lies across one of its ends.
fn widened(required: &Requirements<'_>, mut stretch: Range<usize>) -> Range<usize> {
    loop {
        let before = stretch.clone();
        for demand in &required.demands.occurrences {
            let end = demand.step + required.task.system.goals[demand.goal].steps as usize;
            for border in [stretch.start, stretch.end] {
                if demand.step < border && border < end {
                    stretch = stretch.start.min(demand.step)..stretch.end.max(end);
                }
            }
        }
        if stretch == before {
            return stretch;
        }
    }
}

/// The part of the system that matters, without the hazards the chain must stay without.
fn searched(required: &Requirements<'_>) -> (Validated, SliceMap) {
    let mut system: TransitionSystem = (**required.task.system).clone();
    if required.demands.no_hazards {
        for hazard in &required.task.system.hazards {
            let condition = system.terms.not(hazard.condition);
            system.assumptions.push(Assumption { condition, origin: hazard.origin });
        }
    }
    let system = validate(system).expect("a valid system should stay valid with further assumptions");
    reduce(&system, Keep { outputs: false, hazards: false, invariants: false, external_calls: false })
}

enum Solved {
    Better,
    Same,
    TooLarge,
}

fn solve(
    required: &Requirements<'_>,
    system: &Validated,
    map: &SliceMap,
    best: &mut CheckedChain,
    stretch: &Range<usize>,
    effort: &mut Effort,
    session: &Session<'_>,
) -> Result<Solved, Stop> {
    let inputs = &best.trace.inputs;
    let around = stretch.start.saturating_sub(1)..(stretch.end + 1).min(inputs.len());
    if count(required.task.system, &inputs[around]) == 0 {
        return Ok(Solved::Same);
    }
    let Some(mut query) = Query::new(required, system, map, best, stretch, &required.limits, session)? else {
        effort.nodes = effort.nodes.saturating_sub(NODES);
        return Ok(Solved::TooLarge);
    };
    effort.nodes = effort.nodes.saturating_sub(query.unrolling.statistics().conjunctions);
    let mut helped = Solved::Same;
    let mut least = 0;
    loop {
        let now = query.changes(best, stretch);
        if now <= least || effort.is_spent() {
            return Ok(helped);
        }
        effort.queries -= 1;
        // Half of what is possible first: a bound far below is refuted or met quickly.
        let bound = least + (now - least - 1) / 2;
        match query.solve(Some(bound), CONFLICTS, session)? {
            Found::Inputs(inputs) => {
                let Some(better) = required.judge(best, query.replaced(best, stretch, inputs)) else {
                    return Ok(helped);
                };
                if count(required.task.system, &better.trace.inputs)
                    >= count(required.task.system, &best.trace.inputs)
                {
                    return Ok(helped);
                }
                *best = better;
                helped = Solved::Better;
            }
            Found::None => least = bound + 1,
            Found::GaveUp => {
                effort.hard -= 1;
                return Ok(helped);
            }
        }
    }
}

/// The answer to a query.
enum Found {
    /// For each step and input its value; none for inputs that nothing depends on.
    Inputs(Vec<Vec<Option<Value>>>),
    /// There are no such inputs.
    None,
    /// The conflicts are spent.
    GaveUp,
}

/// A stretch in the solver.
struct Query<'s> {
    unrolling: Unrolling<'s>,
    solver: Box<dyn IncrementalSat + Send>,
    wanted: Vec<Lit>,
    /// For each step of the stretch and input of the whole system: its bits; empty for inputs that
    /// nothing depends on.
    words: Vec<Vec<Vec<Lit>>>,
    sorts: Vec<Sort>,
    counter: Vec<Lit>,
    system: &'s Validated,
}

impl<'s> Query<'s> {
    /// `None` where the stretch is too large.
    fn new(
        required: &Requirements<'_>,
        system: &'s Validated,
        map: &SliceMap,
        chain: &CheckedChain,
        stretch: &Range<usize>,
        limits: &Limits,
        session: &Session<'_>,
    ) -> Result<Option<Self>, Stop> {
        let start = Start::Concrete(map.lower_state(&chain.run.states[stretch.start]));
        let mut query = Self {
            unrolling: session.unrolling(system, start),
            solver: session.options.backend.open(),
            wanted: Vec::new(),
            words: Vec::new(),
            sorts: Vec::new(),
            counter: Vec::new(),
            system,
        };
        for steps in 1..=stretch.len() as u32 {
            session.check_limits()?;
            let running = query.unrolling.running(steps, &mut query.solver)?;
            query.wanted = vec![running];
            // What follows speaks about states far behind: unrolled step by step, they cannot
            // outgrow the limits unseen.
            for state in system.states.ids() {
                query.unrolling.state_word(state, steps)?;
            }
            if query.unrolling.statistics().conjunctions > NODES {
                return Ok(None);
            }
        }
        query.demand(required, stretch)?;
        query.come_back(required, map, chain, stretch)?;
        query.read_words(required, map, stretch.len());
        let changes = query.change_literals(required, chain, stretch);
        query.restrict(required, limits, chain, stretch, &changes);
        let most = query.changes(chain, stretch);
        let all: Vec<Lit> = changes.into_iter().flatten().flatten().collect();
        query.counter = cardinality::count(&all, most.max(1), &mut query.solver);
        Ok(Some(query))
    }

    /// Demanded occurrences inside the stretch.
    fn demand(&mut self, required: &Requirements<'_>, stretch: &Range<usize>) -> Result<(), Stop> {
        for demand in &required.demands.occurrences {
            let goal = &self.system.goals[demand.goal];
            let end = demand.step + goal.steps as usize;
            if demand.step < stretch.start || end > stretch.end {
                continue;
            }
            let at = (demand.step - stretch.start) as u32;
            let occurs = self.unrolling.literal(goal.antecedent, at, &mut self.solver)?;
            self.wanted.push(occurs);
            if let (true, Some(expectation)) = (demand.violated, goal.expectation) {
                let held = self.unrolling.literal(expectation, at, &mut self.solver)?;
                self.wanted.push(!held);
            }
        }
        Ok(())
    }

    /// The chain's own state at the end of the stretch; Final at the end of the chain.
    fn come_back(
        &mut self,
        required: &Requirements<'_>,
        map: &SliceMap,
        chain: &CheckedChain,
        stretch: &Range<usize>,
    ) -> Result<(), Stop> {
        let at = stretch.len() as u32;
        if stretch.end == chain.trace.inputs.len() {
            if let Some(end) = self.system.end.filter(|_| required.demands.ends) {
                let ends = self.unrolling.literal(end, at, &mut self.solver)?;
                self.wanted.push(ends);
            }
            return Ok(());
        }
        let state = map.lower_state(&chain.run.states[stretch.end]);
        for (id, value) in self.system.states.ids().zip(&state) {
            let bits = self.unrolling.state_literals(id, at, &mut self.solver)?;
            let equal =
                |(position, bit): (usize, Lit)| if value.bits() >> position & 1 == 1 { bit } else { !bit };
            self.wanted.extend(bits.into_iter().enumerate().map(equal));
        }
        Ok(())
    }

    /// The bits of all stimuli; a bit that nothing depends on gets a variable of its own where
    /// others of its word matter.
    fn read_words(&mut self, required: &Requirements<'_>, map: &SliceMap, steps: usize) {
        let whole = required.task.system;
        self.sorts = whole.inputs.values().map(|input| whole.terms.symbol(input.symbol).sort).collect();
        let places: Vec<Option<InputId>> = kept_inputs(whole, map, self.system);
        for step in 0..steps as u32 {
            let mut row = vec![Vec::new(); whole.inputs.len()];
            for input in stimuli(whole) {
                let Some(kept) = places[input.index()] else { continue };
                let bits = self.unrolling.input_literals(kept, step);
                row[input.index()] = bits
                    .into_iter()
                    .map(|bit| bit.unwrap_or_else(|| self.solver.fresh().positive()))
                    .collect();
            }
            self.words.push(row);
        }
    }

    /// For each step from the first to the one behind the stretch, and each input: a literal
    /// implied by a change against the step before. `None` where there is no such step or the input
    /// is none that is solved for.
    fn change_literals(
        &mut self,
        required: &Requirements<'_>,
        chain: &CheckedChain,
        stretch: &Range<usize>,
    ) -> Vec<Vec<Option<Lit>>> {
        let columns = required.task.system.inputs.len();
        let inputs = &chain.trace.inputs;
        let mut all = Vec::new();
        for step in stretch.start..=stretch.end {
            let row = (0..columns).map(|column| {
                if step == 0 || step >= inputs.len() || self.words[0][column].is_empty() {
                    return None;
                }
                let change = self.solver.fresh().positive();
                let word = |at: usize| {
                    (at >= stretch.start && at < stretch.end).then(|| &self.words[at - stretch.start][column])
                };
                let sides = [(word(step - 1), inputs[step - 1][column]), (word(step), inputs[step][column])];
                differ(&mut self.solver, change, sides);
                Some(change)
            });
            all.push(row.collect());
        }
        all
    }

    /// Clauses for the limits.
    fn restrict(
        &mut self,
        required: &Requirements<'_>,
        limits: &Limits,
        chain: &CheckedChain,
        stretch: &Range<usize>,
        changes: &[Vec<Option<Lit>>],
    ) {
        let inputs = &chain.trace.inputs;
        if limits.single_change {
            for row in changes {
                let row: Vec<Lit> = row.iter().flatten().copied().collect();
                for (position, &one) in row.iter().enumerate() {
                    row[..position].iter().for_each(|&other| self.solver.clause(&[!one, !other]));
                }
            }
        }
        for column in 0..required.task.system.inputs.len() {
            let changed_outside = |step: usize| {
                step >= 1 && step < inputs.len() && inputs[step - 1][column] != inputs[step][column]
            };
            for (offset, change) in
                changes.iter().enumerate().filter_map(|(at, row)| Some((at, row[column]?)))
            {
                let step = stretch.start + offset;
                for distance in 1..limits.dwell {
                    match changes.get(offset + distance) {
                        Some(row) => {
                            row[column].iter().for_each(|&other| self.solver.clause(&[!change, !other]))
                        }
                        None if changed_outside(step + distance) => self.solver.clause(&[!change]),
                        None => {}
                    }
                    if offset < distance && step > distance && changed_outside(step - distance) {
                        self.solver.clause(&[!change]);
                    }
                }
            }
        }
        self.restrict_slew(limits, chain, stretch);
    }

    /// Clauses for slew limits of words; those of floats are only checked.
    fn restrict_slew(&mut self, limits: &Limits, chain: &CheckedChain, stretch: &Range<usize>) {
        let inputs = &chain.trace.inputs;
        let truth = self.unrolling.fixed_true(&mut self.solver);
        for (input, slew) in limits.slew.iter() {
            let (Some(slew), column) = (slew, input.index()) else { continue };
            let Sort::Word(width) = self.sorts[column] else { continue };
            if self.words[0][column].is_empty() {
                continue;
            }
            let word = |step: usize| match step.checked_sub(stretch.start).and_then(|at| self.words.get(at)) {
                Some(row) => row[column].clone(),
                None => slew::constant(inputs[step][column].bits(), u32::from(width), truth),
            };
            for step in stretch.start.max(1)..(stretch.end + 1).min(inputs.len()) {
                let (before, after) = (word(step - 1), word(step));
                slew::close(&before, &after, slew.limit as u128, slew.signed, &mut self.solver);
            }
        }
    }

    /// Changes that the chain has in and around the stretch, of the inputs solved for.
    fn changes(&self, chain: &CheckedChain, stretch: &Range<usize>) -> usize {
        let inputs = &chain.trace.inputs;
        let steps = stretch.start.max(1)..(stretch.end + 1).min(inputs.len());
        let changed = |step: usize| {
            let columns = (0..inputs[step].len()).filter(|&column| !self.words[0][column].is_empty());
            columns.filter(|&column| inputs[step - 1][column] != inputs[step][column]).count()
        };
        steps.map(changed).sum()
    }

    /// Values of the inputs of each step, with at most `bound` changes.
    fn solve(&mut self, bound: Option<usize>, conflicts: u64, session: &Session<'_>) -> Result<Found, Stop> {
        let mut assumptions = self.wanted.clone();
        if let Some(&more) = bound.and_then(|bound| self.counter.get(bound)) {
            assumptions.push(!more);
        }
        match session.solve_within(&mut self.solver, &assumptions, Some(conflicts))? {
            Some(true) => {}
            Some(false) => return Ok(Found::None),
            None => return Ok(Found::GaveUp),
        }
        let bit = |literal: &Lit| u128::from(self.solver.is_true(*literal));
        let value = |(column, word): (usize, &Vec<Lit>)| {
            let bits = word.iter().rev().fold(0, |bits, literal| bits << 1 | bit(literal));
            (!word.is_empty()).then(|| Value::new(self.sorts[column], bits))
        };
        Ok(Found::Inputs(self.words.iter().map(|row| row.iter().enumerate().map(value).collect()).collect()))
    }

    /// The chain's inputs with those of the stretch replaced.
    fn replaced(
        &self,
        chain: &CheckedChain,
        stretch: &Range<usize>,
        found: Vec<Vec<Option<Value>>>,
    ) -> Vec<Vec<Value>> {
        let mut inputs = chain.trace.inputs.clone();
        for (row, found) in inputs[stretch.clone()].iter_mut().zip(found) {
            for (value, found) in row.iter_mut().zip(found) {
                *value = found.unwrap_or(*value);
            }
        }
        inputs
    }
}

/// For each input of the whole system, where it is in the reduced one.
pub(super) fn kept_inputs(whole: &Validated, map: &SliceMap, reduced: &Validated) -> Vec<Option<InputId>> {
    // Mark each input by a value that no other has: its name is unique only within one system.
    let mut places = vec![None; whole.inputs.len()];
    for input in whole.inputs.ids() {
        let marked: Vec<Value> = whole
            .inputs
            .iter()
            .map(|(id, other)| {
                let sort = whole.terms.symbol(other.symbol).sort;
                Value::new(sort, u128::from(id == input))
            })
            .collect();
        let lowered = map.lower_inputs(&marked);
        let place = reduced.inputs.ids().find(|id| lowered[id.index()].bits() == 1);
        places[input.index()] = place;
    }
    places
}

/// Clauses: where the two sides differ, `change` is true. A side is bits, or else a value.
fn differ(sink: &mut dyn ClauseSink, change: Lit, sides: [(Option<&Vec<Lit>>, Value); 2]) {
    let [(left, left_value), (right, right_value)] = sides;
    let width = left_value.sort().width();
    for position in 0..width as usize {
        let constant = |value: Value| value.bits() >> position & 1 == 1;
        match (left, right) {
            (Some(left), Some(right)) => {
                sink.clause(&[change, !left[position], right[position]]);
                sink.clause(&[change, left[position], !right[position]]);
            }
            (Some(bits), None) => {
                sink.clause(&[change, if constant(right_value) { bits[position] } else { !bits[position] }]);
            }
            (None, Some(bits)) => {
                sink.clause(&[change, if constant(left_value) { bits[position] } else { !bits[position] }]);
            }
            (None, None) => {
                if constant(left_value) != constant(right_value) {
                    sink.clause(&[change]);
                }
            }
        }
    }
}
