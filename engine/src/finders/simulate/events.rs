//! Shorter chains whose inputs change where something happens.
//!
//! Between two events (a comparison that guards look at turns, a goal occurs) nothing new can be
//! decided: to change the inputs later than at an event mostly only wastes steps. In scheduling
//! such plans, in which every operation begins when another one ends, are called semi-active; among
//! them is a shortest one (A. Sprecher, R. Kolisch, A. Drexl, Semi-active, active and non-delay
//! schedules, European Journal of Operational Research 80 (1995)). So a chain of thousands of steps
//! is a matter of some dozen decisions. Here each decision is tried with all inputs that do
//! something different: those of known chains, and those that differ from what was held last in one
//! input. They are held for one step, and until the next event. What was reached is kept by cell
//! and by the goals covered, the earliest executions first; see [`cell`](super::cell). Known chains
//! are what the search begins with, so it goes on from each of their decisions as well.

use super::archive::{Hold, join};
use super::cell::{Features, View, size};
use super::goals::Goals;
use super::player::{Ended, Order, PATIENCE, Player, Position};
use super::vectors::{Vectors, bits};
use crate::knowledge::chains::{CheckedChain, covered, covering, cut, total};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::random_simulation::Random;
use crate::session::{Engine, Session, Stop};
use crate::step::code::Program;
use crate::step::external::complete;
use crate::step::lanes::{LANES, Lanes, lanes};
use crate::turn::{Finder, Found, Turn};
use model::trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// Steps for which inputs are held to see what changes all the time.
const OBSERVED: usize = 128;
/// Changes within these steps from which on something changes all the time.
const RESTLESS: u16 = 12;
/// States of the known chains from which that is observed.
const OBSERVED_STATES: usize = 8 * LANES;
/// Most inputs of known chains that are tried in every place.
const MOST_KNOWN: usize = 64;
/// Most values of one input that are tried in every place.
const MOST_VALUES: usize = 8;
/// Most inputs that are tried in one place.
const MOST_TRIED: usize = 512;
/// Executions that are kept of each cell.
const KEPT: u8 = 4;
/// Most nodes, and most words of their states.
const MOST_NODES: usize = 1 << 20;
const MOST_WORDS: usize = 1 << 25;
/// 1 choice in so many takes any node and not the earliest one.
const ANY_SHARE: usize = 4;
/// 1 choice in so many takes any number of goals covered.
const ANY_LEVEL_SHARE: usize = 4;

/// See the module text.
pub(crate) struct EventSearch<'s> {
    task: &'s Task<'s>,
    turns: u64,
}

impl<'s> EventSearch<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self { task, turns: 0 }
    }
}

impl Finder for EventSearch<'_> {
    fn run(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        let (task, chains) = (self.task, known.chains());
        let program = Program::with_library(task);
        if !program.fits_words() {
            return Ok(Turn::Exhausted);
        }
        if chains.is_empty() {
            return Ok(Turn::Idle);
        }
        let seed = session.options.seed.wrapping_add(self.turns);
        self.turns += 1;
        let mut search = Decisions::new((task, &program), chains, (&known.possible_goals(), seed), session);
        let is_over = session.stage("decide", || search.run(work, session));
        search.offer(chains, &known.open_goals(), found, session)?;
        Ok(if is_over { Turn::Idle } else { Turn::Open })
    }
}

/// An execution up to a decision.
struct Node {
    state: Box<[u64]>,
    covered: Goals,
    /// Occurrences under way.
    active: Vec<(usize, usize)>,
    /// Number of steps so far.
    steps: u64,
    /// The node before; itself at the beginning of a chain.
    parent: u32,
    /// What led here from there; at the beginning of a chain, whose number is in place of inputs.
    hold: Hold,
}

/// What is known of a cell.
#[derive(Clone, Copy)]
struct Cell {
    kept: u8,
    /// The steps of the earliest execution.
    earliest: u64,
}

/// See the module text.
struct Decisions<'a> {
    task: &'a Task<'a>,
    program: &'a Program,
    machine: Box<dyn Lanes + 'a>,
    player: Player<'a>,
    features: Features,
    vectors: Vectors,
    /// Inputs that are tried in every place.
    tried: Vec<u32>,
    /// By input: values that are tried in every place.
    values: Vec<Vec<u64>>,
    /// All goals that count.
    wanted: Goals,
    /// What the known chains cover.
    needed: Goals,
    nodes: Vec<Node>,
    /// By number of goals covered: nodes that were not gone on from, by their steps.
    levels: Vec<BTreeSet<(u64, u32)>>,
    cells: FxHashMap<(u64, Goals), Cell>,
    /// By state and occurrences under way: what the earliest execution covered.
    seen: FxHashMap<u64, (Goals, u64)>,
    /// Longer executions are of no interest.
    limit: u64,
    best: Option<u32>,
    /// By goal that no known chain covers: the first node that does.
    firsts: FxHashMap<usize, u32>,
    random: Random,
    /// How long inputs are held without an event.
    patience: u64,
    /// What trying inputs side by side has cost, in evaluated instructions.
    spent: u64,
}

impl<'a> Decisions<'a> {
    fn new(
        (task, program): (&'a Task<'a>, &'a Program),
        chains: &[CheckedChain],
        (goals, seed): (&[usize], u64),
        session: &Session<'_>,
    ) -> Self {
        let mut vectors = Vectors::default();
        let holds: Vec<Vec<Hold>> =
            chains.iter().map(|chain| vectors.holds(&chain.trace.inputs, task.calls())).collect();
        let longest = holds.iter().flatten().map(|hold| hold.steps).max().unwrap_or(0);
        let mut machine = lanes(program);
        let (features, cost) = features(program, &mut *machine, chains, &holds, &vectors);
        let mut player = Player::new(program);
        player.ignore(&features.quiet);
        let limit = match chains {
            [one] => u64::from(one.length()),
            _ => total(chains).saturating_add(session.options.reset_cost.unwrap_or(total(chains))),
        };
        let mut search = Self {
            task,
            program,
            machine,
            player,
            features,
            tried: most_held(&holds, MOST_KNOWN),
            values: values_of(program, &holds, &vectors),
            vectors,
            wanted: Goals::of(goals),
            needed: Goals::of(&covered(task, chains, task.vertices())),
            nodes: Vec::new(),
            levels: Vec::new(),
            cells: FxHashMap::default(),
            seen: FxHashMap::default(),
            limit,
            best: None,
            firsts: FxHashMap::default(),
            random: Random::new(seed),
            patience: PATIENCE.max(2 * longest),
            spent: cost,
        };
        for (number, (chain, holds)) in chains.iter().zip(&holds).enumerate() {
            search.follow(number, chain, holds);
        }
        search
    }

    /// Enters a known chain with its decisions and its events.
    fn follow(&mut self, number: usize, chain: &CheckedChain, holds: &[Hold]) {
        let mut position = Position::start(bits(&chain.run.states[0]));
        let beginning = Hold { inputs: number as u32, steps: 0 };
        let Some(mut from) = self.enter(&position, None, beginning) else { return };
        for &Hold { inputs, steps } in holds {
            let end = position.steps + steps;
            while position.steps < end {
                let before = position.steps;
                let order = Order { events: 1, hopes: false, ..Order::steps(end - before) };
                self.player.hold(&mut position, self.vectors.get(inputs), order);
                if position.steps == before {
                    return;
                }
                let hold = Hold { inputs, steps: position.steps - before };
                from = match self.enter(&position, Some(from), hold) {
                    Some(entered) => entered,
                    None => self.attach(&position, from, hold),
                };
            }
        }
    }

    /// Goes on until so much is spent. Whether there is nothing left to try.
    fn run(&mut self, work: u64, session: &Session<'_>) -> bool {
        while self.spent + self.player.cost < work && session.stopped().is_none() {
            if self.nodes.len() >= MOST_NODES || self.nodes.len() * self.program.states >= MOST_WORDS {
                return false;
            }
            let Some(number) = self.choose() else { return true };
            self.expand(number);
        }
        false
    }

    /// The node to go on from: mostly of those that have covered much, the earliest one.
    fn choose(&mut self) -> Option<u32> {
        for level in &mut self.levels {
            while level.last().is_some_and(|&(steps, _)| steps + 1 >= self.limit) {
                level.pop_last();
            }
        }
        let filled: Vec<usize> =
            (0..self.levels.len()).rev().filter(|&level| !self.levels[level].is_empty()).collect();
        if filled.is_empty() {
            return None;
        }
        let depth = match self.random.below(ANY_LEVEL_SHARE) {
            0 => self.random.below(filled.len()),
            _ => (self.random.next_word() | 1 << 63).trailing_zeros() as usize,
        };
        let level = &mut self.levels[filled[depth.min(filled.len() - 1)]];
        let (first, last) = (*level.first()?, *level.last()?);
        let chosen = match self.random.below(ANY_SHARE) {
            0 => {
                let steps = first.0 + self.random.next_word() % (last.0 - first.0 + 1);
                *level.range((steps, 0)..).next()?
            }
            _ => first,
        };
        level.remove(&chosen);
        Some(chosen.1)
    }

    /// Tries all inputs from a node that do something different.
    fn expand(&mut self, number: u32) {
        let (state, last) = {
            let node = &self.nodes[number as usize];
            (node.state.clone(), (node.parent != number).then_some(node.hold.inputs))
        };
        for inputs in self.different(&state, last) {
            for one_step in [true, false] {
                let mut position = self.position(number);
                let before = position.steps;
                let left = self.limit.saturating_sub(before);
                let order = match one_step {
                    true => Order::exactly(left.min(1)),
                    false => Order { events: 1, patience: self.patience, ..Order::steps(left) },
                };
                let ended = self.player.hold(&mut position, self.vectors.get(inputs), order);
                let steps = position.steps - before;
                let is_worth = steps > 0 && (one_step || (steps > 1 && ended != Ended::Idle));
                if is_worth {
                    self.enter(&position, Some(number), Hold { inputs, steps });
                }
            }
        }
    }

    fn position(&self, number: u32) -> Position {
        let node = &self.nodes[number as usize];
        Position {
            state: node.state.to_vec(),
            covered: node.covered,
            active: node.active.clone(),
            steps: node.steps,
        }
    }

    /// Of inputs that do the same in a state, the first ones; those held last come first.
    fn different(&mut self, state: &[u64], last: Option<u32>) -> Vec<u32> {
        let mut all: Vec<u32> = last.into_iter().chain(self.tried.iter().copied()).collect();
        if let Some(last) = last {
            let last = self.vectors.get(last).to_vec();
            for (input, values) in self.values.iter().enumerate() {
                for &value in values.iter().filter(|&&value| value != last[input]) {
                    let mut changed = last.clone();
                    changed[input] = value;
                    all.push(self.vectors.number(&changed));
                }
            }
        }
        let mut met = FxHashSet::default();
        all.retain(|&number| met.insert(number));
        while all.len() > MOST_TRIED {
            let chosen = 1 + self.random.below(all.len() - 1);
            all.swap_remove(chosen);
        }
        let (mut done, mut different, mut after) = (FxHashSet::default(), Vec::new(), Vec::new());
        for batch in all.chunks(LANES) {
            for (lane, &number) in batch.iter().enumerate() {
                self.machine.load(lane, state);
                self.machine.feed(lane, self.vectors.get(number));
            }
            self.machine.evaluate();
            self.spent += self.program.cost * batch.len() as u64;
            let mut hashers = vec![FxHasher::default(); batch.len()];
            for (lane, hasher) in hashers.iter_mut().enumerate() {
                let labels = self.program.labels.iter().flatten();
                labels.for_each(|&slot| self.machine.word(slot, lane).hash(hasher));
            }
            let allowed: Vec<bool> =
                (0..batch.len()).map(|lane| self.machine.word(self.program.allowed, lane) != 0).collect();
            self.machine.advance();
            for (lane, (&number, mut hasher)) in batch.iter().zip(hashers).enumerate() {
                self.machine.save(lane, &mut after);
                after.hash(&mut hasher);
                if allowed[lane] && done.insert(hasher.finish()) {
                    different.push(number);
                }
            }
        }
        different
    }

    /// Keeps an execution if it is earlier than what is known of its cell, or one of the first
    /// there; its node.
    fn enter(&mut self, position: &Position, parent: Option<u32>, hold: Hold) -> Option<u32> {
        let mut covered = position.covered;
        covered.keep(&self.wanted);
        let steps = position.steps;
        if steps >= self.limit {
            return None;
        }
        let mut hasher = FxHasher::default();
        (&position.state, &position.active).hash(&mut hasher);
        let seen = self.seen.entry(hasher.finish()).or_insert((Goals::default(), u64::MAX));
        if seen.1 <= steps && seen.0.holds_all(&covered) {
            return None;
        }
        if seen.1 == u64::MAX || covered.holds_all(&seen.0) {
            *seen = (covered, steps);
        }
        let reference = self.vectors.get(0).to_vec();
        let (atoms, end) = self.player.look_under(&position.state, &reference);
        let cell = self.features.cell(&position.state, &atoms);
        let known = self.cells.entry((cell, covered)).or_insert(Cell { kept: 0, earliest: u64::MAX });
        let is_complete = covered.holds_all(&self.needed) && end;
        if known.kept >= KEPT && known.earliest <= steps && !is_complete {
            return None;
        }
        known.kept = known.kept.saturating_add(1);
        known.earliest = known.earliest.min(steps);
        let number = self.push(position, covered, parent, hold);
        let level = covered.len();
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, BTreeSet::new);
        }
        self.levels[level].insert((steps, number));
        if is_complete {
            (self.best, self.limit) = (Some(number), steps);
        }
        Some(number)
    }

    /// A node that is on the way of a known chain, though nothing goes on from it.
    fn attach(&mut self, position: &Position, parent: u32, hold: Hold) -> u32 {
        let mut covered = position.covered;
        covered.keep(&self.wanted);
        self.push(position, covered, Some(parent), hold)
    }

    fn push(&mut self, position: &Position, covered: Goals, parent: Option<u32>, hold: Hold) -> u32 {
        let number = self.nodes.len() as u32;
        for half in 0..16 {
            let mut open = self.needed.missing(&covered, half);
            while open != 0 {
                let vertex = half * 32 + open.trailing_zeros() as usize + 1;
                open &= open - 1;
                self.firsts.entry(vertex).or_insert(number);
            }
        }
        self.nodes.push(Node {
            state: position.state.as_slice().into(),
            covered,
            active: position.active.clone(),
            steps: position.steps,
            parent: parent.unwrap_or(number),
            hold,
        });
        number
    }

    /// The way to a node: the number of the chain with its beginning, and what is held.
    fn way(&self, number: u32) -> (usize, Vec<Hold>) {
        let (mut at, mut parts) = (&self.nodes[number as usize], Vec::new());
        let mut number = number;
        while at.parent != number {
            parts.push(at.hold);
            number = at.parent;
            at = &self.nodes[number as usize];
        }
        let mut holds = Vec::new();
        parts.into_iter().rev().for_each(|hold| join(&mut holds, hold));
        (at.hold.inputs as usize, holds)
    }

    fn trace(&self, chains: &[CheckedChain], number: u32) -> Trace {
        let (chain, holds) = self.way(number);
        let inputs = self.vectors.inputs(&holds, &self.program.input_sorts);
        complete(self.task.system, Trace { start: chains[chain].trace.start.clone(), inputs })
    }

    /// Offers what was found: a shorter chain for all that is covered, and chains for more.
    fn offer(
        &self,
        chains: &[CheckedChain],
        open: &[usize],
        found: &mut Found,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        let task = self.task;
        let mut best = chains.to_vec();
        if let Some(number) = self.best {
            let goals = covered(task, chains, task.vertices());
            if let Some(chain) = cut(task, &self.trace(chains, number), &goals)? {
                let text = format!("inputs changed at events: {} steps in one chain", chain.length());
                session.record(Engine::Simulation, text);
                best = vec![chain];
                found.offer(best.clone());
            }
        }
        for goal in open {
            let is_open = best.iter().all(|chain| !chain.covers(task.goal(*goal)));
            let Some(&number) = self.firsts.get(goal).filter(|_| is_open) else { continue };
            let goals: Vec<usize> = task.vertices().collect();
            if let Some(chain) = covering(task, self.trace(chains, number), &goals)? {
                best.push(chain);
                let text = format!("a goal covered by inputs changed at events, in {} chains", best.len());
                session.record(Engine::Simulation, text);
            }
        }
        found.offer(best);
        Ok(())
    }
}

/// What makes a cell, as observed where the inputs of known chains are held on; and what that cost.
fn features(
    program: &Program,
    machine: &mut dyn Lanes,
    chains: &[CheckedChain],
    holds: &[Vec<Hold>],
    vectors: &Vectors,
) -> (Features, u64) {
    let mut features = Features::all(program);
    features.words = vec![View::Value; program.states];
    let steps: usize = chains.iter().map(|chain| chain.trace.inputs.len()).sum();
    let stride = (steps / OBSERVED_STATES).max(1);
    let mut starts: Vec<(Vec<u64>, u32)> = Vec::new();
    for (chain, holds) in chains.iter().zip(holds) {
        let inputs = holds.iter().flat_map(|hold| std::iter::repeat_n(hold.inputs, hold.steps as usize));
        let sampled = chain.run.states.iter().zip(inputs).step_by(stride);
        starts.extend(sampled.map(|(state, inputs)| (bits(state), inputs)));
    }
    let mut cost = 0;
    for batch in starts.chunks(LANES) {
        for (lane, (state, inputs)) in batch.iter().enumerate() {
            machine.load(lane, state);
            machine.feed(lane, vectors.get(*inputs));
        }
        let mut atoms: Vec<[u16; 32]> = vec![[0; 32]; program.packed_atoms.len()];
        let mut words = vec![(0_u16, 0_u16); program.states];
        let mut seen: Vec<(Vec<u64>, Vec<u32>)> = Vec::new();
        let mut counts = vec![(atoms.clone(), words.clone()); batch.len()];
        let mut state = Vec::new();
        for step in 0..OBSERVED {
            machine.evaluate();
            cost += program.cost * batch.len() as u64;
            for (lane, (atoms, words)) in counts.iter_mut().enumerate() {
                machine.save(lane, &mut state);
                let now: Vec<u32> =
                    program.packed_atoms.iter().map(|&slot| machine.word(slot, lane) as u32).collect();
                if step == 0 {
                    seen.push((state.clone(), now));
                    continue;
                }
                for (counts, (before, after)) in atoms.iter_mut().zip(seen[lane].1.iter().zip(&now)) {
                    let changed = before ^ after;
                    (0..32).filter(|bit| changed >> bit & 1 == 1).for_each(|bit| counts[bit] += 1);
                }
                let changes = seen[lane].0.iter().zip(&state).zip(&program.state_sorts);
                for (count, ((&before, &after), &sort)) in words.iter_mut().zip(changes) {
                    count.0 += u16::from(before != after);
                    count.1 += u16::from(size(before, sort) != size(after, sort));
                }
                seen[lane] = (state.clone(), now);
            }
            machine.advance();
        }
        for (lane_atoms, lane_words) in counts {
            for (all, one) in atoms.iter_mut().zip(lane_atoms) {
                all.iter_mut().zip(one).for_each(|(all, one)| *all = (*all).max(one));
            }
            for (all, one) in words.iter_mut().zip(lane_words) {
                *all = (all.0.max(one.0), all.1.max(one.1));
            }
        }
        for (quiet, counts) in features.quiet.iter_mut().zip(&atoms) {
            (0..32).filter(|&bit| counts[bit] >= RESTLESS).for_each(|bit| *quiet &= !(1 << bit));
        }
        for (view, &(values, sizes)) in features.words.iter_mut().zip(&words) {
            if sizes >= RESTLESS {
                *view = View::Nothing;
            } else if values >= RESTLESS && *view == View::Value {
                *view = View::Size;
            }
        }
    }
    (features, cost)
}

/// The inputs that are held most often, at most so many.
fn most_held(holds: &[Vec<Hold>], most: usize) -> Vec<u32> {
    let mut counts: FxHashMap<u32, u64> = FxHashMap::default();
    holds.iter().flatten().for_each(|hold| *counts.entry(hold.inputs).or_default() += 1);
    let mut ranked: Vec<(u32, u64)> = counts.into_iter().collect();
    ranked.sort_unstable_by_key(|&(inputs, count)| (std::cmp::Reverse(count), inputs));
    ranked.into_iter().take(most).map(|(inputs, _)| inputs).collect()
}

/// By input: the values that known chains hold most often.
fn values_of(program: &Program, holds: &[Vec<Hold>], vectors: &Vectors) -> Vec<Vec<u64>> {
    let of_input = |input: usize| {
        let mut counts: FxHashMap<u64, u64> = FxHashMap::default();
        for hold in holds.iter().flatten() {
            *counts.entry(vectors.get(hold.inputs)[input]).or_default() += 1;
        }
        let mut ranked: Vec<(u64, u64)> = counts.into_iter().collect();
        ranked.sort_unstable_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
        ranked.into_iter().take(MOST_VALUES).map(|(value, _)| value).collect()
    };
    (0..program.inputs).map(of_input).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use crate::options::Options;
    use crate::session::Silent;
    use model::sort::Sort;
    use model::text::parse;
    use model::trace::Start;
    use model::validate::validate;
    use model::value::Value;

    /// Two timers that can run side by side; a counter of all steps, a divider of the clock and a
    /// counter of restarts.
    const TIMERS: &str = "input a w1 input b w1
        state x w12 next (ite a (ite (ult x 700) (add x 1) x) 0)
        state y w12 next (ite b (ite (ult y 500) (add y 1) y) 0)
        state tick w4 next (ite (eq tick 9) 0 (add tick 1))
        state steps w32 next (add steps 1)
        state restarts w4 next (ite (and (eq y 500) (not b)) (add restarts 1) restarts)
        goal first when (eq x 700) goal second when (eq y 500)
        goal third when (and (eq restarts 1) (eq tick 0)) goal fourth when (eq restarts 2)
        end (eq x 0)";

    fn chain(task: &Task<'_>, parts: &[(u128, u128, usize)], goals: &[usize]) -> CheckedChain {
        let rows = parts.iter().flat_map(|&(a, b, steps)| {
            std::iter::repeat_n([a, b].map(|bit| Value::new(Sort::word(1), bit)).to_vec(), steps)
        });
        let trace = Trace { start: Start::Initial(Vec::new()), inputs: rows.collect() };
        cut(task, &trace, goals).expect("a run").expect("the goals")
    }

    fn searched(task: &Task<'_>, chains: &[CheckedChain], goals: &[usize]) -> Vec<Vec<CheckedChain>> {
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let program = Program::with_library(task);
        let mut search = Decisions::new((task, &program), chains, (goals, 0), &session);
        let mut found = Found::default();
        search.run(20_000_000, &session);
        let open: Vec<usize> = goals
            .iter()
            .copied()
            .filter(|&goal| chains.iter().all(|one| !one.covers(task.goal(goal))))
            .collect();
        assert!(search.offer(chains, &open, &mut found, &session).is_ok(), "no limit should be reached");
        found.into_sets()
    }

    #[test]
    fn timers_run_side_by_side() {
        let system = validate(parse(TIMERS).expect("a text")).expect("a system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let one_by_one = [(1, 0, 900), (0, 0, 40), (0, 1, 600), (0, 0, 20), (0, 1, 501), (0, 0, 20)];
        let long = chain(&task, &one_by_one, &[1, 2, 3, 4]);
        assert!(long.length() > 2_000);
        let sets = searched(&task, &[long], &[1, 2, 3, 4]);
        let [best] = &sets[0][..] else { panic!("one chain") };
        assert!((1..=4).all(|goal| best.covers(task.goal(goal))));
        // The second timer twice, one step to restart it, one to see that, one to go back to rest.
        assert!((1_002..1_012).contains(&best.length()), "{} steps", best.length());
    }

    #[test]
    fn goals_that_nothing_covers_are_covered() {
        let system = validate(parse(TIMERS).expect("a text")).expect("a system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let second = chain(&task, &[(0, 1, 501), (0, 0, 3)], &[2]);
        let sets = searched(&task, &[second], &[1, 2, 3, 4]);
        let covers = |goal: usize| sets.iter().flatten().any(|chain| chain.covers(task.goal(goal)));
        // No known chain holds the input of the first timer.
        assert!(covers(3) && covers(4) && !covers(1));
    }
}
