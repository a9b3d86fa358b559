//! Shorter chains by many small changes of whole chains.
//!
//! Simulation lets a chain grow from goal to goal, so much of it is waiting that later goals make
//! superfluous, and goals whose timers could run side by side follow one another. Annealing changes
//! the whole chain: it leaves holds out, shortens them, moves or copies them to another place, lets
//! them take some of their inputs from other holds, or gives them new ones. It goes on from a
//! changed chain that still covers everything if that is not longer, or longer by little, less and
//! less so as the effort is spent (G. Dueck, T. Scheuer, Threshold accepting, Journal of
//! Computational Physics 90 (1990)), and returns the shortest chain.

use super::archive::Hold;
use super::goals::Goals;
use super::player::{Player, Position};
use super::search::Budget;
use super::shorten::{Limit, Shortening};
use super::stimuli::Stimuli;
use super::vectors::{Vectors, bits};
use crate::knowledge::chains::{CheckedChain, cut, is_covered, total};
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::random_simulation::Random;
use crate::session::{Engine, Session, Stop};
use crate::step::code::Program;
use crate::step::external::complete;
use crate::tuning::Constant;
use crate::turn::{Finder, Found, Turn};
use model::trace::Trace;
use std::sync::Arc;
use std::time::Duration;

/// Most words of the states between the holds of a chain that is changed.
const MOST_WORDS: usize = 1 << 24;
/// Most input vectors that are kept apart.
const MOST_VECTORS: usize = 1_000_000;
/// Most changes in a row that are tried without getting shorter than ever.
const MOST_IDLE: usize = 20_000;
/// Changes that are tried at once where they are judged side by side.
const SIDE_BY_SIDE: usize = 32;
/// What the evaluator takes for a term, at most.
const NANOSECONDS: u64 = 15;
/// A chain may get longer for a while by 1 in so many of its steps.
const TOLERANCE: u64 = 100;

/// What a first turn may cost, in evaluated instructions.
pub(crate) const FIRST_TURN: u64 = 2_000_000_000;
/// Annealing may spend 1 in so many of its evaluated instructions without progress.
pub(crate) const IDLE_SHARE: Constant = Constant {
    name: "annealing.idle-share",
    usual: 3,
    unit: "1 in so many",
    purpose: "what share of a turn may pass without progress",
};

/// Whole chains, made shorter one by one.
pub(crate) struct Annealing<'s> {
    task: &'s Task<'s>,
    turns: u64,
    /// What the last turn came to: no hold of it can be left out or made shorter alone.
    trimmed: Vec<Arc<Trace>>,
}

impl<'s> Annealing<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self { task, turns: 0, trimmed: Vec::new() }
    }
}

impl Finder for Annealing<'_> {
    fn run(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        let seed = self.turns;
        self.turns += 1;
        let chains = known.chains().to_vec();
        // What comes of it is run once more, and so it is behind the search.
        let evaluated = total(&chains).saturating_mul(self.task.system.terms.len() as u64);
        let time = Duration::from_nanos(evaluated.saturating_mul(NANOSECONDS));
        let anneal = || shortened(self.task, chains, &self.trimmed, (work, seed), session);
        let shorter = session.leaving(time, anneal)?;
        self.trimmed = shorter.iter().map(|chain| Arc::clone(&chain.trace)).collect();
        found.offer(shorter);
        Ok(Turn::Open)
    }
}

/// The chains, or shorter ones. Each goes on covering what none of the chains before it covers.
/// Some were trimmed before.
pub(crate) fn shortened(
    task: &Task<'_>,
    chains: Vec<CheckedChain>,
    trimmed: &[Arc<Trace>],
    (work, seed): (u64, u64),
    session: &Session<'_>,
) -> Result<Vec<CheckedChain>, Stop> {
    let before = total(&chains);
    let budget = Budget { total: work, idle: work / session.options.tuning.value(&IDLE_SHARE).max(1) };
    let mut shorter: Vec<CheckedChain> = Vec::new();
    for chain in chains {
        let is_new = |&goal: &Vertex| chain.covers(task.goal(goal)) && !is_covered(task, &shorter, goal);
        let goals: Vec<Vertex> = task.vertices().filter(is_new).collect();
        let is_trimmed = trimmed.contains(&chain.trace);
        let annealed = || annealed(task, (chain.clone(), is_trimmed), &goals, (budget, seed), session);
        match session.stage("condense", annealed) {
            Err(Stop::Limit(_)) => shorter.push(chain),
            annealed => shorter.push(annealed?),
        }
    }
    if total(&shorter) < before {
        let text = format!("chains of {before} steps are made shorter: {} steps", total(&shorter));
        session.record(Engine::Simulation, text);
    }
    Ok(shorter)
}

/// The same chain, or a shorter one, which covers the goals of these vertices.
fn annealed(
    task: &Task<'_>,
    (chain, is_trimmed): (CheckedChain, bool),
    vertices: &[Vertex],
    (budget, seed): (Budget, u64),
    session: &Session<'_>,
) -> Result<CheckedChain, Stop> {
    let program = Program::with_library(task);
    if !program.fits_words() {
        return Ok(chain);
    }
    let mut vectors = Vectors::default();
    let holds = vectors.holds(&chain.trace.inputs, task.calls());
    if holds.len().saturating_mul(program.states) > MOST_WORDS {
        return Ok(chain);
    }
    let mut player = Player::new(&program);
    let start = Position::start(bits(&chain.run.states[0]));
    let Some(shortening) = Shortening::new(&mut player, &mut vectors, start, holds) else { return Ok(chain) };
    let limit = Limit { needed: Goals::of(vertices), budget: budget.total, session };
    let stimuli = Stimuli::new(task.system, &program);
    let random = Random::new(session.options.seed.wrapping_add(seed));
    let best = Annealer { shortening, stimuli, random, limit }.run(budget, is_trimmed);
    let inputs = vectors.inputs(&best, &program.input_sorts);
    let trace = Trace { start: chain.trace.start.clone(), inputs };
    let trace = complete(task.system, trace);
    let shorter = cut(task, &trace, vertices)?;
    Ok(shorter.filter(|shorter| shorter.length() < chain.length()).unwrap_or(chain))
}

/// See the module text.
struct Annealer<'a, 'p> {
    shortening: Shortening<'a, 'p>,
    stimuli: Stimuli,
    random: Random,
    limit: Limit<'a>,
}

impl Annealer<'_, '_> {
    /// Goes on until the budget is spent; the shortest execution.
    fn run(mut self, budget: Budget, is_trimmed: bool) -> Vec<Hold> {
        if !is_trimmed {
            self.shortening.trim(&self.limit);
        }
        let mut best = (self.shortening.length(), self.shortening.holds().to_vec());
        let (mut progress, mut idle) = (self.shortening.spent(), 0);
        while self.shortening.spent() < budget.total
            && self.shortening.spent() - progress < budget.idle.max(progress)
            && idle < MOST_IDLE
            && self.limit.session.stopped().is_none()
        {
            let left = budget.total.saturating_sub(self.shortening.spent());
            let tolerated =
                (u128::from(best.0 / TOLERANCE + 2) * u128::from(left) / u128::from(budget.total)) as u64;
            let count = if self.shortening.judges_side_by_side() { SIDE_BY_SIDE } else { 1 };
            idle += count;
            let mut candidates = Vec::with_capacity(count);
            for _ in 0..count {
                let changed = self.changed();
                let length: u64 = changed.iter().map(|hold| hold.steps).sum();
                if length <= best.0 + self.random.below(tolerated as usize + 1) as u64 {
                    candidates.push(changed);
                }
            }
            if !self.shortening.attempt_all(&candidates, &self.limit.needed) {
                continue;
            }
            if count == 1 && self.random.below(4) == 0 {
                let hold = any_hold(self.shortening.holds(), &mut self.random);
                self.shortening.trim_one(hold, &self.limit.needed);
            }
            if self.shortening.length() < best.0 {
                best = (self.shortening.length(), self.shortening.holds().to_vec());
                (progress, idle) = (self.shortening.spent(), 0);
            }
        }
        best.1
    }

    /// One to three changes of the execution.
    fn changed(&mut self) -> Vec<Hold> {
        let mut holds = self.shortening.holds().to_vec();
        for _ in 0..1 + self.random.below(3) {
            if holds.is_empty() {
                break;
            }
            match self.random.below(10) {
                0 | 1 => self.omit(&mut holds),
                2 | 3 => self.shorten(&mut holds),
                4 => self.lend(&mut holds),
                5 => self.relocate(&mut holds),
                6 | 7 => self.borrow_inputs(&mut holds),
                8 => self.split(&mut holds),
                _ => self.vary(&mut holds),
            }
        }
        holds
    }

    /// Leaves out a few holds in a row.
    fn omit(&mut self, holds: &mut Vec<Hold>) {
        let (begin, end) = self.segment(holds.len());
        holds.drain(begin..end);
    }

    /// Shortens a hold.
    fn shorten(&mut self, holds: &mut [Hold]) {
        let hold = any_hold(holds, &mut self.random);
        holds[hold].steps -= self.part(holds[hold].steps);
    }

    /// Gives some steps of one hold to another one.
    fn lend(&mut self, holds: &mut [Hold]) {
        let (from, to) = (any_hold(holds, &mut self.random), self.random.below(holds.len()));
        let steps = self.part(holds[from].steps);
        holds[from].steps -= steps;
        holds[to].steps += match self.random.below(2) {
            0 => steps,
            _ => self.random.below(steps as usize + 1) as u64,
        };
    }

    /// Moves a few holds in a row to another place.
    fn relocate(&mut self, holds: &mut Vec<Hold>) {
        let (begin, end) = self.segment(holds.len());
        let moved: Vec<Hold> = holds.drain(begin..end).collect();
        let to = self.random.below(holds.len() + 1);
        holds.splice(to..to, moved);
    }

    /// One input of a few holds in a row is as in another hold, mostly the one before or behind.
    fn borrow_inputs(&mut self, holds: &mut [Hold]) {
        let (begin, end) = self.segment(holds.len());
        let from = match self.random.below(4) {
            0 => begin.saturating_sub(1),
            1 => end.min(holds.len() - 1),
            _ => self.random.below(holds.len()),
        };
        let other = self.shortening.vectors.get(holds[from].inputs).to_vec();
        let input = self.random.below(other.len());
        for hold in &mut holds[begin..end] {
            let mut inputs = self.shortening.vectors.get(hold.inputs).to_vec();
            if let Some(value) = inputs.get_mut(input) {
                *value = other[input];
            }
            hold.inputs = self.shortening.vectors.number(&inputs);
        }
    }

    /// Divides a hold in two, one of which gets new inputs.
    fn split(&mut self, holds: &mut Vec<Hold>) {
        let number = any_hold(holds, &mut self.random);
        let Hold { inputs, steps } = holds[number];
        let first = self.part(steps);
        holds[number].steps = steps - first;
        holds.insert(number, Hold { inputs, steps: first });
        let changed = number + self.random.below(2);
        self.vary_one(&mut holds[changed], number);
    }

    /// A hold gets new inputs, and may get shorter: inputs that do more need less time for it.
    fn vary(&mut self, holds: &mut [Hold]) {
        let number = any_hold(holds, &mut self.random);
        self.vary_one(&mut holds[number], number);
        if self.random.below(2) == 0 {
            holds[number].steps -= self.part(holds[number].steps);
        }
    }

    fn vary_one(&mut self, hold: &mut Hold, near: usize) {
        if self.shortening.vectors.len() >= MOST_VECTORS {
            return;
        }
        let mut inputs = self.shortening.vectors.get(hold.inputs).to_vec();
        let near = near.min(self.shortening.holds().len());
        self.stimuli.change(&mut inputs, self.shortening.state(near), &mut self.random);
        hold.inputs = self.shortening.vectors.number(&inputs);
    }

    /// A few holds in a row: mostly one or two.
    fn segment(&mut self, count: usize) -> (usize, usize) {
        let length = 1 + (self.random.next_word() | 1 << 5).trailing_zeros() as usize;
        let begin = self.random.below(count);
        (begin, (begin + length).min(count))
    }

    /// Some of so many steps, one at least where there are any: all, one, or something between.
    fn part(&mut self, steps: u64) -> u64 {
        let part = match self.random.below(4) {
            0 => 1,
            1 => steps,
            2 => (steps >> (1 + self.random.below(6))).max(1),
            _ => 1 + self.random.below(steps as usize) as u64,
        };
        part.min(steps)
    }
}

/// Any hold, or that of any step: what is gained at long ones counts.
fn any_hold(holds: &[Hold], random: &mut Random) -> usize {
    if random.below(2) == 0 {
        return random.below(holds.len());
    }
    let steps: u64 = holds.iter().map(|hold| hold.steps).sum();
    let mut step = random.below(steps as usize) as u64;
    let is_there = |hold: &Hold| {
        let is_there = step < hold.steps;
        step = step.saturating_sub(hold.steps);
        is_there
    };
    holds.iter().position(is_there).unwrap_or(0)
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
    use model::trace::Start;
    use model::validate::validate;
    use model::value::Value;

    /// Two timers that can run side by side, and a mode that one of them locks.
    const TIMERS: &str = "input a w1 input b w1 input reset w1
        state x w12 next (ite a (ite (ult x 700) (add x 1) x) 0)
        state y w12 next (ite b (ite (ult y 500) (add y 1) y) 0)
        state lost w1 next (or lost (and reset (eq y 500)))
        goal first when (eq x 700) goal second when (eq y 500) goal third when (and lost (eq x 300))
        end (eq x 0)";

    #[test]
    fn timers_that_follow_one_another_run_side_by_side() {
        let system = validate(parse(TIMERS).expect("a text")).expect("a system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let parts = [
            (1, 0, 0, 900),
            (0, 0, 0, 50),
            (0, 1, 0, 600),
            (0, 1, 1, 20),
            (0, 0, 0, 9),
            (1, 0, 0, 400),
            (0, 0, 0, 1),
        ];
        let inputs = parts.iter().flat_map(|&(a, b, reset, steps)| {
            std::iter::repeat_n([a, b, reset].map(|bit| Value::truth(bit == 1)).to_vec(), steps)
        });
        let trace = Trace { start: Start::Initial(Vec::new()), inputs: inputs.collect() };
        let goals = numbered([1, 2, 3]);
        let chain = cut(&task, &trace, &goals).expect("a run").expect("all goals");
        assert_eq!(chain.length(), 1_980);
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let budget = Budget { total: 80_000_000, idle: 20_000_000 };
        let anneal =
            |chain: CheckedChain| match annealed(&task, (chain, false), &goals, (budget, 0), &session) {
                Ok(chain) => chain,
                Err(_) => panic!("no limit should be reached"),
            };
        let short = anneal(chain.clone());
        assert!(goals.iter().all(|&goal| short.covers(task.goal(goal))));
        // The second timer runs for 500 steps, and the first one begins 200 steps after it: 200 +
        // 700 steps and a few.
        assert!((900..920).contains(&short.length()), "{} steps", short.length());
        assert_eq!(anneal(chain).trace, short.trace, "a seed determines the chain");
        assert!(anneal(short.clone()).length() <= short.length());
    }

    /// A vessel that is heated and cooled, with a filter: nothing that could be leapt over.
    const VESSEL: &str = "input heat w8 input open w1
        let power (ite (ult heat 200) heat 0)
        state hot w16 next (add (sub hot (lshr hot 6)) (zext w16 power))
        state mean w16 next (add (sub mean (lshr mean 5)) (lshr hot 3))
        state done w1 next (or done (and open (ult 11000 hot)))
        goal warm when (ult 8000 hot) goal through when (and done (ult 20000 mean))
        goal cold when (and done (ult hot 500)) end done";

    #[test]
    fn what_moves_all_the_time_is_shortened_side_by_side() {
        let system = validate(parse(VESSEL).expect("a text")).expect("a system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let parts = [(20, 0, 300), (140, 0, 200), (190, 1, 900), (3, 0, 1_200), (1, 0, 700)];
        let inputs = parts.iter().flat_map(|&(heat, open, steps)| {
            std::iter::repeat_n(vec![Value::new(Sort::word(8), heat), Value::truth(open == 1)], steps)
        });
        let trace = Trace { start: Start::Initial(Vec::new()), inputs: inputs.collect() };
        let goals = numbered([1, 2, 3]);
        let chain = cut(&task, &trace, &goals).expect("a run").expect("all goals");
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let budget = Budget { total: 150_000_000, idle: 50_000_000 };
        let Ok(short) = annealed(&task, (chain.clone(), false), &goals, (budget, 0), &session) else {
            panic!("no limit should be reached")
        };
        assert!(goals.iter().all(|&goal| short.covers(task.goal(goal))));
        println!("{} -> {}", chain.length(), short.length());
        assert!(2 * short.length() < chain.length(), "{} of {}", short.length(), chain.length());
    }
}
