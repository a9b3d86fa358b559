//! Shorter chains by beam search over what known chains do.
//!
//! Known chains hold the inputs that matter, but their goals came one by one, in an order that
//! nothing chose. Here these inputs are tried breadth first from Init, with the goals covered so
//! far as part of where an execution is (B. T. Lowerre, The HARPY speech recognition system, 1976,
//! for the beam): after each step only so many executions are kept, more of those that have covered
//! more. As long as no more come up than are kept, the search is complete, and what it finds is the
//! shortest that these inputs can do. Only the words on which the missed goals depend tell where an
//! execution is: counters that serve others do not keep executions apart. Distances
//! from [patterns](crate::provers::abstraction::Pattern) tell which executions are near to what
//! they miss, which come too late, and which never will.

use super::goals::{Goals, MOST_GOALS};
use super::player::{Position, step_goals};
use super::vectors::{Vectors, bits, values};
use crate::knowledge::chains::{CheckedChain, covered, cut, is_covered, total};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::abstraction::{Pattern, patterns, words_behind};
use crate::session::{Engine, Session, Stop};
use crate::step::code::Program;
use crate::step::external::complete;
use crate::step::lanes::{LANES, Lanes, lanes};
use crate::turn::{Finder, Found, Turn};
use model::term::TermId;
use model::trace::{Start, Trace};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// Most executions that are kept after a step.
const WIDEST: u64 = 60_000;
/// Fewest executions that are worth keeping after a step: fewer find nothing.
const NARROWEST: u64 = 48;
/// What it costs beside the step to tell whether an execution is new and where it is, in evaluated
/// instructions.
const OVERHEAD: u64 = 400;
/// States of the chains in which inputs are compared.
const COMPARED: usize = 128;
/// Steps by which one chain may be longer than those in whose place it comes.
const SPARE: u64 = 64;
/// Where there are several chains, the search for one in the place of all gets 1 in so many of the
/// evaluated instructions, and the searches for each of them as many together.
const ONE_FOR_ALL: u64 = 2;

/// Beam search over the inputs of known chains.
pub(crate) struct BeamSearch<'s>(&'s Task<'s>);

impl<'s> BeamSearch<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self(task)
    }
}

impl Finder for BeamSearch<'_> {
    fn run(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        match session.stage("beam", || shorter(self.0, known.chains(), work, session)) {
            Ok(Some(chains)) => {
                let (number, steps) = (chains.len(), total(&chains));
                let text =
                    format!("the inputs of known chains, tried again: {steps} steps in chains: {number}");
                session.record(Engine::Simulation, text);
                found.offer(chains);
            }
            Ok(None) | Err(Stop::Limit(_)) => {}
            Err(failed) => return Err(failed),
        }
        Ok(Turn::Idle)
    }
}

/// Fewer chains, or chains of fewer steps, that cover the same; `None`: none were found for so many
/// evaluated instructions.
fn shorter(
    task: &Task<'_>,
    chains: &[CheckedChain],
    budget: u64,
    session: &Session<'_>,
) -> Result<Option<Vec<CheckedChain>>, Stop> {
    let program = Program::with_library(task);
    if chains.is_empty() || !program.fits_words() || task.len() > MOST_GOALS {
        return Ok(None);
    }
    let steps: u64 = chains.iter().map(|chain| u64::from(chain.length())).sum();
    let goals = covered(task, chains, task.vertices());
    let most = match (chains.len() as u64, session.options.reset_cost) {
        (1, _) => steps.saturating_sub(1),
        (_, None) => steps + SPARE,
        (number, Some(price)) => (steps + price.saturating_mul(number - 1)).min(steps + SPARE) - 1,
    };
    let patterns = patterns(task, session)?;
    let patterns = &patterns;
    let share = if chains.len() == 1 { budget } else { budget / ONE_FOR_ALL };
    if let Some(one) = Beam::new((task, &program), patterns, chains, &goals, session).run(most, share)? {
        return Ok(Some(vec![one]));
    }
    if chains.len() == 1 {
        return Ok(None);
    }
    let (mut better, mut helped) = (chains.to_vec(), false);
    for number in 0..chains.len() {
        let (before, rest) = better.split_at(number);
        let own = |&goal: &Vertex| {
            rest[0].covers(task.goal(goal))
                && !is_covered(task, before, goal)
                && !is_covered(task, &rest[1..], goal)
        };
        let goals: Vec<Vertex> = task.vertices().filter(own).collect();
        let most = u64::from(rest[0].length()).saturating_sub(1);
        let share = share / chains.len() as u64;
        if let Some(one) = Beam::new((task, &program), patterns, chains, &goals, session).run(most, share)? {
            better[number] = one;
            helped = true;
        }
    }
    Ok(helped.then_some(better))
}

/// Steps at least to the goals that an execution misses, as far as patterns tell.
#[derive(Clone, Copy, Debug, Default)]
struct Away {
    /// To the nearest.
    nearest: u32,
    /// To the farthest, with its window.
    farthest: u32,
    /// To all together, one by one.
    sum: u64,
}

/// The executions that are kept after as many steps.
#[derive(Default)]
struct Layer {
    /// The states one behind the other.
    states: Vec<u64>,
    covered: Vec<Goals>,
    /// Occurrences under way.
    active: Vec<Vec<(Vertex, usize)>>,
    away: Vec<Away>,
    /// The execution in the layer before, and the number of the inputs that lead on from it.
    links: Vec<(u32, u32)>,
}

impl Layer {
    fn len(&self) -> usize {
        self.covered.len()
    }

    fn push(&mut self, state: &[u64], position: &Position, away: Away, link: (u32, u32)) {
        self.away.push(away);
        self.states.extend_from_slice(state);
        self.covered.push(position.covered);
        self.active.push(position.active.clone());
        self.links.push(link);
    }

    /// Those of these numbers.
    fn chosen(&self, numbers: &[usize], words: usize) -> Self {
        Self {
            states: numbers.iter().flat_map(|&number| self.state(number, words)).copied().collect(),
            covered: numbers.iter().map(|&number| self.covered[number]).collect(),
            active: numbers.iter().map(|&number| self.active[number].clone()).collect(),
            away: numbers.iter().map(|&number| self.away[number]).collect(),
            links: numbers.iter().map(|&number| self.links[number]).collect(),
        }
    }

    fn state(&self, number: usize, words: usize) -> &[u64] {
        &self.states[number * words..(number + 1) * words]
    }
}

/// See the module text.
struct Beam<'a> {
    task: &'a Task<'a>,
    program: &'a Program,
    patterns: &'a [Pattern],
    chains: &'a [CheckedChain],
    goals: &'a [Vertex],
    needed: Goals,
    session: &'a Session<'a>,
    machine: Box<dyn Lanes + 'a>,
    vectors: Vectors,
    /// Numbers of the vectors that are tried.
    inputs: Vec<u32>,
    /// By goals covered: the words on which the others, Final and the assumptions depend.
    words: FxHashMap<Goals, Vec<usize>>,
    /// By what tells where an execution is: goals that one had covered there.
    seen: FxHashMap<u64, Goals>,
}

impl<'a> Beam<'a> {
    fn new(
        (task, program): (&'a Task<'a>, &'a Program),
        patterns: &'a [Pattern],
        chains: &'a [CheckedChain],
        goals: &'a [Vertex],
        session: &'a Session<'a>,
    ) -> Self {
        let mut beam = Self {
            task,
            program,
            patterns,
            chains,
            goals,
            needed: Goals::of(goals),
            session,
            machine: lanes(program),
            vectors: Vectors::default(),
            inputs: Vec::new(),
            words: FxHashMap::default(),
            seen: FxHashMap::default(),
        };
        for chain in chains {
            beam.vectors.holds(&chain.trace.inputs, task.calls());
        }
        beam.inputs = beam.different_inputs();
        beam
    }

    /// Of inputs that do the same in states of the chains, the first ones.
    fn different_inputs(&mut self) -> Vec<u32> {
        let states: Vec<Vec<u64>> =
            self.chains.iter().flat_map(|chain| chain.run.states.iter().map(|state| bits(state))).collect();
        let stride = states.len().div_ceil(COMPARED).max(1);
        let mut hashers = vec![FxHasher::default(); self.vectors.len()];
        let mut after = Vec::new();
        for state in states.iter().step_by(stride) {
            for first in (0..self.vectors.len()).step_by(LANES) {
                let batch = first..self.vectors.len().min(first + LANES);
                for number in batch.clone() {
                    self.machine.load(number - first, state);
                    self.machine.feed(number - first, self.vectors.get(number as u32));
                }
                self.machine.evaluate();
                for number in batch.clone() {
                    let word = |slot: u32| self.machine.word(slot, number - first);
                    let labels = self.program.labels.values().flatten().map(|&slot| word(slot));
                    labels.for_each(|label| label.hash(&mut hashers[number]));
                    word(self.program.allowed).hash(&mut hashers[number]);
                }
                self.machine.advance();
                for number in batch {
                    self.machine.save(number - first, &mut after);
                    after.hash(&mut hashers[number]);
                }
            }
        }
        let mut firsts: BTreeMap<u64, u32> = BTreeMap::new();
        for (number, hasher) in hashers.iter().enumerate() {
            firsts.entry(hasher.finish()).or_insert(number as u32);
        }
        let mut inputs: Vec<u32> = firsts.into_values().collect();
        inputs.sort_unstable();
        inputs
    }

    /// A chain of at most so many steps.
    fn run(mut self, most: u64, budget: u64) -> Result<Option<CheckedChain>, Stop> {
        let cost = (self.program.cost + OVERHEAD) * self.inputs.len() as u64;
        let width = (budget / (cost * most).max(1)).min(WIDEST);
        if most == 0 || self.goals.is_empty() || width < NARROWEST {
            return Ok(None);
        }
        let words = self.program.states;
        let mut layers: Vec<Vec<(u32, u32)>> = Vec::new();
        let mut layer = Layer::default();
        for (number, chain) in self.chains.iter().enumerate() {
            let state = bits(&chain.run.states[0]);
            if self.is_new(&state, &Position::start(Vec::new())) {
                layer.push(&state, &Position::start(Vec::new()), Away::default(), (number as u32, 0));
            }
        }
        for left in (0..=most).rev() {
            self.session.check_limits()?;
            let (next, found) = self.expand(&layer, left);
            if let Some(number) = found {
                layers.push(layer.links);
                return self.chain(&layers, number);
            }
            let next = match next.len() as u64 > width {
                true => next.chosen(&selected(&next, width as usize), words),
                false => next,
            };
            layers.push(std::mem::replace(&mut layer, next).links);
            if layer.len() == 0 {
                break;
            }
        }
        Ok(None)
    }

    /// What one of so many steps that are left leads to; and the number of an execution that covers
    /// everything and may end.
    fn expand(&mut self, layer: &Layer, left: u64) -> (Layer, Option<usize>) {
        let words = self.program.states;
        let mut next = Layer::default();
        let all: Vec<(usize, u32)> = (0..layer.len())
            .flat_map(|number| self.inputs.iter().map(move |&inputs| (number, inputs)))
            .collect();
        let mut after = Vec::new();
        for batch in all.chunks(LANES) {
            for (lane, &(number, inputs)) in batch.iter().enumerate() {
                self.machine.load(lane, layer.state(number, words));
                self.machine.feed(lane, self.vectors.get(inputs));
            }
            self.machine.evaluate();
            let mut positions: Vec<Option<Position>> = Vec::with_capacity(LANES);
            for (lane, &(number, _)) in batch.iter().enumerate() {
                let word = |slot: u32| self.machine.word(slot, lane);
                if layer.covered[number].holds_all(&self.needed) && word(self.program.end) != 0 {
                    return (next, Some(number));
                }
                positions.push((word(self.program.allowed) != 0).then(|| {
                    let (covered, active) = (layer.covered[number], layer.active[number].clone());
                    let mut position = Position { covered, active, ..Position::start(Vec::new()) };
                    step_goals(self.program, &mut position, word);
                    position.covered.keep(&self.needed);
                    position
                }));
            }
            self.machine.advance();
            for (lane, (&(number, inputs), position)) in batch.iter().zip(positions).enumerate() {
                let Some(position) = position else { continue };
                self.machine.save(lane, &mut after);
                if !self.is_new(&after, &position) {
                    continue;
                }
                if let Some(away) = self.away(&after, &position)
                    && u64::from(away.farthest) < left
                {
                    next.push(&after, &position, away, (number as u32, inputs));
                }
            }
        }
        (next, None)
    }

    /// How far goals are that an execution misses; `None`: one of them cannot occur any more.
    fn away(&self, state: &[u64], position: &Position) -> Option<Away> {
        let mut farthest_of: Vec<(Vertex, u32)> = Vec::new();
        let mut key = Vec::new();
        let is_missed = |goal: Vertex| {
            self.needed.contains(goal)
                && !position.covered.contains(goal)
                && !position.active.iter().any(|&(active, _)| active == goal)
        };
        for pattern in self.patterns {
            for (goal, steps) in pattern.distances(state, &mut key).filter(|&(goal, _)| is_missed(goal)) {
                match farthest_of.iter_mut().find(|(known, _)| *known == goal) {
                    Some((_, known)) => *known = steps.max(*known),
                    None => farthest_of.push((goal, steps)),
                }
            }
        }
        if farthest_of.iter().any(|&(_, steps)| steps == u32::MAX) {
            return None;
        }
        let ends = farthest_of.iter().map(|&(goal, steps)| steps + self.task.steps(goal));
        Some(Away {
            nearest: farthest_of.iter().map(|&(_, steps)| steps).min().unwrap_or(0),
            farthest: ends.max().unwrap_or(0),
            sum: farthest_of.iter().map(|&(_, steps)| u64::from(steps)).sum(),
        })
    }

    /// Whether no execution was there before that had covered as much.
    fn is_new(&mut self, state: &[u64], position: &Position) -> bool {
        let (task, goals) = (self.task, self.goals);
        let words =
            self.words.entry(position.covered).or_insert_with(|| words(task, goals, &position.covered));
        let mut hasher = FxHasher::default();
        words.iter().for_each(|&word| state[word].hash(&mut hasher));
        position.active.hash(&mut hasher);
        let known = self.seen.entry(hasher.finish());
        match known {
            std::collections::hash_map::Entry::Occupied(mut known) => {
                let is_new = !known.get().holds_all(&position.covered);
                if is_new {
                    known.insert(position.covered);
                }
                is_new
            }
            std::collections::hash_map::Entry::Vacant(unknown) => {
                unknown.insert(position.covered);
                true
            }
        }
    }

    /// The chain that ends with an execution of the last layer.
    fn chain(&self, layers: &[Vec<(u32, u32)>], last: usize) -> Result<Option<CheckedChain>, Stop> {
        let mut inputs = Vec::new();
        let mut at = last;
        for links in layers[1..].iter().rev() {
            let (before, vector) = links[at];
            inputs.push(values(self.vectors.get(vector), &self.program.input_sorts));
            at = before as usize;
        }
        inputs.reverse();
        let start: Start = self.chains[layers[0][at].0 as usize].trace.start.clone();
        let trace = complete(self.task.system, Trace { start, inputs });
        Ok(cut(self.task, &trace, self.goals)?)
    }
}

/// The words on which goals that are not covered, Final and the assumptions depend.
fn words(task: &Task<'_>, goals: &[Vertex], covered: &Goals) -> Vec<usize> {
    let missed = goals.iter().filter(|&&goal| !covered.contains(goal));
    let mut terms: Vec<TermId> = missed.map(|&goal| task.target(goal).antecedent).collect();
    terms.extend(task.system.end);
    terms.extend(task.system.assumptions.iter().map(|assumption| assumption.condition));
    words_behind(task.system, &terms).into_iter().collect()
}

/// The numbers of those that are kept: half of them have covered most, half of the others next to
/// most, and so on; as many of each set of goals.
fn selected(layer: &Layer, width: usize) -> Vec<usize> {
    let mut levels: BTreeMap<Reverse<usize>, BTreeMap<Goals, Vec<usize>>> = BTreeMap::new();
    for (number, covered) in layer.covered.iter().enumerate() {
        levels.entry(Reverse(covered.len())).or_default().entry(*covered).or_default().push(number);
    }
    let mut orders: Vec<_> = levels.into_values().map(|groups| in_turn(layer, groups)).collect();
    let mut kept = Vec::with_capacity(width);
    while kept.len() < width {
        for order in &mut orders {
            let part = (width - kept.len()).div_ceil(2);
            kept.extend(order.by_ref().take(part));
        }
    }
    kept.sort_unstable();
    kept
}

/// One of each group in turn.
fn in_turn(layer: &Layer, groups: BTreeMap<Goals, Vec<usize>>) -> std::vec::IntoIter<usize> {
    let mut ranked: Vec<(usize, usize, usize)> = Vec::new();
    for (group, numbers) in groups.into_values().enumerate() {
        let numbers = mixed(layer, numbers).into_iter();
        ranked.extend(numbers.enumerate().map(|(rank, number)| (rank, group, number)));
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, _, number)| number).collect::<Vec<usize>>().into_iter()
}

/// In turn one that is nearest to a goal, one that is near to all of them, and any one.
fn mixed(layer: &Layer, numbers: Vec<usize>) -> Vec<usize> {
    let scattered = |number: usize| (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    let mut orders = [numbers.clone(), numbers.clone(), numbers];
    orders[0].sort_by_key(|&number| (layer.away[number].nearest, scattered(number)));
    orders[1].sort_by_key(|&number| (layer.away[number].sum, scattered(number)));
    orders[2].sort_by_key(|&number| scattered(number));
    let mut taken = FxHashSet::default();
    let in_turn = (0..orders[0].len()).flat_map(|rank| orders.each_ref().map(|order| order[rank]));
    in_turn.filter(|&number| taken.insert(number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use crate::knowledge::vertex::numbered;
    use crate::options::Options;
    use crate::session::Silent;
    use model::sort::Sort;
    use model::text::parse;
    use model::validate::{Validated, validate};
    use model::value::Value;

    /// A walk on a line; a counter of all steps that only one goal looks at.
    const LINE: &str = "system line input go w2
        state place w6 init 8 next (ite (eq go 1) (ite (ult place 63) (add place 1) place)
            (ite (eq go 2) (ite (ult 0 place) (sub place 1) place) place))
        state steps w32 next (add steps 1)
        goal up when (eq place 14) goal down when (eq place 3) goal pair steps 2 when (and (eq place 9) (eq place@1 9))
        goal late when (ult 4 steps) end (eq place 8)";

    fn system() -> Validated {
        validate(parse(LINE).expect("a text")).expect("a system")
    }

    fn chain(task: &Task<'_>, parts: &[(u128, usize)], goals: &[Vertex]) -> CheckedChain {
        let rows = parts
            .iter()
            .flat_map(|&(go, times)| std::iter::repeat_n(vec![Value::new(Sort::word(2), go)], times));
        let trace = Trace { start: Start::Initial(Vec::new()), inputs: rows.collect() };
        cut(task, &trace, goals).expect("a run").expect("the goals")
    }

    #[test]
    fn detours_go_and_chains_become_one() {
        let system = system();
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let lengths = |chains: &[CheckedChain]| match shorter(&task, chains, 400_000_000, &session) {
            Ok(better) => better.map(|chains| chains.iter().map(CheckedChain::length).collect::<Vec<_>>()),
            Err(_) => panic!("no limit should be reached"),
        };
        // Up and down and up again, though the pair lies on the way.
        let detours = chain(&task, &[(1, 6), (2, 11), (1, 6), (3, 1), (2, 1)], &numbered([1, 2, 3, 4]));
        assert_eq!(detours.length(), 25);
        assert_eq!(lengths(&[detours]), Some(vec![6 + 11 + 5 + 1]));
        let (up, down) = (
            chain(&task, &[(1, 7), (2, 7)], &numbered([1])),
            chain(&task, &[(2, 5), (1, 5)], &numbered([2])),
        );
        assert_eq!(lengths(&[up.clone(), down]), Some(vec![22]));
        let shortest = chain(&task, &[(1, 6), (2, 6)], &numbered([1]));
        assert_eq!(lengths(std::slice::from_ref(&shortest)), None, "nothing is shorter");
        let none = shorter(&task, &[shortest], 10, &session);
        assert!(matches!(none, Ok(None)));
    }

    #[test]
    fn more_of_those_that_covered_more_are_kept() {
        let mut layer = Layer::default();
        for number in 0..100_usize {
            let covered = Goals::of(&numbered([1, 2])[..if number < 90 { 1 } else { 2 }]);
            layer.push(
                &[number as u64],
                &Position { covered, ..Position::start(Vec::new()) },
                Away::default(),
                (0, 0),
            );
        }
        let kept = selected(&layer, 16);
        assert_eq!(kept.len(), 16);
        assert_eq!(kept.iter().filter(|&&number| number >= 90).count(), 10);
        assert_eq!(selected(&layer, 4).iter().filter(|&&number| number >= 90).count(), 3);
    }
}
