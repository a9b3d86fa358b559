//! What must be so before a goal can occur: necessary conditions, one behind the other.
//!
//! A hoist moves at full speed only with a permit of the third level and in the mode "move"; that
//! level comes after the second one, that mode after "release". So a SAT solver is asked for steps,
//! from any state, in which a goal occurs that did not occur a step before. The facts that all these
//! steps begin with are needed, and the same is asked about each of them. How many needed facts a
//! state lacks says how far it is from the goal, and in the last ones of them, which are to come
//! next, the inputs of such a step say what brings them about. (After J. Hoffmann, J. Porteous,
//! L. Sebastia, Ordered landmarks in planning, JAIR 22 (2004), and S. Richter, M. Westphal, The LAMA
//! planner, JAIR 39 (2010). The solver knows less of the states than the truth, so needed facts may
//! be missing; where a query gives up, some may be wrong. They guide, and nothing is claimed.)

use super::look;
use super::novel::{COST_PER_GATE, FactLiterals, Novelty, priced};
use crate::finders::simulate::aims::{Aim, that_matter};
use crate::finders::simulate::player::{Ended, Order, Player, Position};
use crate::finders::simulate::vectors::bits;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::random_simulation::Random;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::{BmcSolver, if_small};
use encoder::EncodeError;
use encoder::unroll::Start;
use model::trace::{Start as First, Trace};
use rustc_hash::{FxHashMap, FxHashSet};
use solver::sat::Lit;
use std::ops::RangeInclusive;

/// Gates of a step beyond which nothing is asked.
const MOST_GATES: u64 = 200_000;
/// Conflicts of one query.
const CONFLICTS: u64 = 300;
/// Steps that are looked at for one subject.
const MOST_STEPS: usize = 48;
/// Steps of a subject, the first ones, whose states are varied, word by word.
const VARIED: usize = 1;
/// Values that are tried in place of that of a word, of those that matter and of random ones.
const MOST_VALUES: usize = 4;
/// Facts of which one is needed: more say little.
const MOST_ALTERNATIVES: usize = 4;
/// Steps of a subject whose inputs are remembered.
const MOST_AIMS: usize = 4;
/// Goals that states are compared for.
const MOST_GOALS: usize = 64;
/// Steps that are looked ahead from a state that is near to a goal, one after the other.
const AHEAD: [u32; 3] = [9, 18, 36];
/// States that are remembered for a goal.
const MOST_NEAR: usize = 48;
/// Tries that make a state no better than one that lacks a fact more.
const TRIES_PER_FACT: u32 = 24;

/// What conditions are needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Subject {
    Goal(Vertex),
    Fact(usize),
}

/// What is needed for something that is not so yet.
#[derive(Debug, Default)]
struct Conditions {
    /// One fact of each list is needed.
    needed: Vec<Vec<usize>>,
    /// Inputs that matter, of some steps that bring it about.
    aims: Vec<Aim>,
}

/// See the module text.
pub(super) struct Needs<'s> {
    task: &'s Task<'s>,
    gates: Option<u64>,
    solver: Option<BmcSolver<'s>>,
    literals: FactLiterals,
    conditions: FxHashMap<Subject, Conditions>,
}

/// What is lacking for a goal in some state.
#[derive(Debug, Default)]
pub(super) struct Lack {
    /// How many facts.
    facts: u32,
    /// Those that nothing else is lacking for.
    next: Vec<usize>,
    /// What is lacking for the goal itself, for that, and so on.
    pub(super) levels: Vec<Vec<usize>>,
    /// What is needed on the way and is so: one fact of each list.
    pub(super) met: Vec<Vec<usize>>,
}

#[cfg(test)]
impl Lack {
    pub(super) fn facts(&self) -> u32 {
        self.facts
    }
}

impl<'s> Needs<'s> {
    /// `gates`: those of a step; `None` where nothing may be asked.
    pub(super) fn new(task: &'s Task<'s>, gates: Option<u64>) -> Self {
        Self {
            task,
            gates: gates.filter(|&gates| gates <= MOST_GATES),
            solver: None,
            literals: FactLiterals::default(),
            conditions: FxHashMap::default(),
        }
    }

    /// Finds out what is needed for what a state with these facts lacks for a goal, as far as that
    /// costs at most about `work` evaluated instructions. Returns what it costs.
    ///
    /// # Errors
    /// Limits that end the whole search.
    pub(super) fn ask(
        &mut self,
        (goal, own): (Vertex, &[usize]),
        (novelty, player): (&Novelty, &mut Player<'_>),
        work: u64,
        session: &Session<'_>,
    ) -> Result<u64, Stop> {
        let Some(gates) = self.gates else { return Ok(0) };
        let mut cost = 0;
        if self.solver.is_none() {
            cost += 2 * gates * COST_PER_GATE;
            self.solver = if_small(BmcSolver::new(self.task, Start::Free, session))?;
            self.gates = self.gates.filter(|_| self.solver.is_some());
            let Some(solver) = &mut self.solver else { return Ok(cost) };
            // Without that, modes that do not exist would do what the last `else` does.
            for facts in novelty.given() {
                let mut clause = Vec::new();
                for fact in facts {
                    clause.push(self.literals.literal((fact, novelty), 0, solver)?);
                }
                if !clause.is_empty() {
                    solver.solver().clause(&clause);
                }
            }
        }
        while cost < work
            && let Some(subject) = self.unknown(goal, own)
        {
            session.check_limits()?;
            let found = self.find(subject, (novelty, player), &mut cost, session)?;
            self.conditions.insert(subject, found);
        }
        Ok(cost)
    }

    /// What was not asked about yet.
    fn unknown(&self, goal: Vertex, own: &[usize]) -> Option<Subject> {
        match self.lack(goal, own) {
            Some(lack) => lack
                .next
                .into_iter()
                .map(Subject::Fact)
                .find(|subject| !self.conditions.contains_key(subject)),
            None => Some(Subject::Goal(goal)).filter(|subject| !self.conditions.contains_key(subject)),
        }
    }

    /// Looks at steps that bring something about, each unlike those before it in some fact that all
    /// of them had in common.
    fn find(
        &mut self,
        subject: Subject,
        (novelty, player): (&Novelty, &mut Player<'_>),
        cost: &mut u64,
        session: &Session<'_>,
    ) -> Result<Conditions, Stop> {
        let Self { task, solver: Some(solver), literals, .. } = self else {
            return Ok(Conditions::default());
        };
        let asked = asked(task, subject, (solver, literals, novelty))?;
        let frames = match subject {
            Subject::Goal(_) => 2,
            Subject::Fact(_) => 1,
        };
        // What a goal's own step begins with comes about in the step before it. Were it needed as
        // well, words that change in each step would be lacking before or at that step.
        let mut common = Common::new(novelty);
        let mut then = Common::new(novelty);
        let (mut found, mut is_complete) = (Conditions::default(), false);
        for number in 0..MOST_STEPS {
            let mut assumptions = asked.to_vec();
            if number > 0 {
                let differs = solver.solver().fresh().positive();
                let mut clause = vec![!differs];
                common.differs((solver, literals, novelty), &mut clause)?;
                solver.solver().clause(&clause);
                assumptions.push(differs);
            }
            let answer = priced(solver, &assumptions, CONFLICTS, cost, session)?;
            if answer != Some(true) {
                is_complete = answer == Some(false);
                break;
            }
            let run = solver.run(frames);
            let First::State(state) = &run.start else { break };
            let is_new = common.note(&facts_of(&bits(state), novelty, player), novelty);
            if let Some(after) = next_facts(&bits(state), &bits(&run.inputs[0]), novelty, player) {
                then.note(&after, novelty);
            }
            if !is_new && number > 0 {
                break;
            }
            if number < VARIED {
                vary(&run, subject, (novelty, player), (&mut common, &mut then));
            }
            if found.aims.len() < MOST_AIMS
                && let Some(aim) = aim(&run, subject, novelty, player)
                && !found.aims.contains(&aim)
            {
                found.aims.push(aim);
            }
        }
        // What a few steps have in common by chance is mostly one of several facts.
        let most = if is_complete { MOST_ALTERNATIVES } else { 1 };
        if let Subject::Goal(_) = subject {
            common.prefer(&then);
        }
        found.needed = common.into_needed(most);
        found.needed.sort_unstable();
        found.needed.dedup();
        Ok(found)
    }

    /// What a state with these facts, in ascending order, lacks for a goal; `None` where it was not
    /// asked about.
    pub(super) fn lack(&self, goal: Vertex, own: &[usize]) -> Option<Lack> {
        let conditions = self.conditions.get(&Subject::Goal(goal))?;
        let unmet = |conditions: &Conditions| conditions.needed.len() - count_met(&conditions.needed, own);
        let unmet_for = |fact: usize| self.conditions.get(&Subject::Fact(fact)).map_or(0, unmet);
        let (mut lack, mut seen) = (Lack::default(), FxHashSet::default());
        let mut level = vec![conditions];
        while !level.is_empty() {
            let (mut lacking, mut below) = (Vec::new(), Vec::new());
            for needed in level.iter().flat_map(|conditions| &conditions.needed) {
                if is_met(needed, own) {
                    lack.met.push(needed.clone());
                    continue;
                }
                let Some(&easiest) = needed.iter().min_by_key(|&&fact| unmet_for(fact)) else { continue };
                if !seen.insert(easiest) {
                    continue;
                }
                lack.facts += 1;
                lacking.extend_from_slice(needed);
                match self.conditions.get(&Subject::Fact(easiest)) {
                    Some(conditions) if unmet(conditions) > 0 => below.push(conditions),
                    _ => lack.next.push(easiest),
                }
            }
            if !lacking.is_empty() {
                lack.levels.push(lacking);
            }
            level = below;
        }
        lack.met.sort_unstable();
        lack.met.dedup();
        Some(lack)
    }

    /// Whether no step is known that leads to a goal.
    fn is_hopeless(&self, goal: Vertex) -> bool {
        self.conditions.get(&Subject::Goal(goal)).is_some_and(|conditions| conditions.aims.is_empty())
    }

    /// Inputs that bring about what a state with these facts lacks next for a goal, or the goal: for
    /// each thing that is lacking some that bring it about, in random order.
    pub(super) fn aims(&self, goal: Vertex, own: &[usize], random: &mut Random) -> Vec<&Aim> {
        let Some(lack) = self.lack(goal, own) else { return Vec::new() };
        let mut subjects: Vec<Subject> = lack.next.into_iter().map(Subject::Fact).collect();
        if subjects.is_empty() {
            subjects.push(Subject::Goal(goal));
        }
        random.shuffle(&mut subjects);
        let aims =
            subjects.iter().filter_map(|subject| self.conditions.get(subject)).map(|found| &found.aims);
        aims.filter(|aims| !aims.is_empty()).map(|aims| &aims[random.below(aims.len())]).collect()
    }
}

/// How many of the facts of which one of each list is needed are among these, in ascending order.
pub(super) fn count_met(needed: &[Vec<usize>], own: &[usize]) -> usize {
    needed.iter().filter(|one| is_met(one, own)).count()
}

/// Whether one of the facts is among these, in ascending order.
fn is_met(needed: &[usize], own: &[usize]) -> bool {
    needed.iter().any(|fact| own.binary_search(fact).is_ok())
}

/// Literals that imply, together: what is asked about is so in frame 1, was not in frame 0, and the
/// steps can be executed.
fn asked(
    task: &Task<'_>,
    subject: Subject,
    (solver, literals, novelty): (&mut BmcSolver<'_>, &mut FactLiterals, &Novelty),
) -> Result<[Lit; 3], EncodeError> {
    match subject {
        Subject::Goal(goal) => {
            let running = solver.running(1 + task.steps(goal))?;
            let mut holds = |at: u32| {
                solver.condition(goal, at).map(|literal| literal.expect("a goal should have a condition"))
            };
            Ok([!holds(0)?, holds(1)?, running])
        }
        Subject::Fact(fact) => {
            let before = literals.negated((fact, novelty), 0, solver)?;
            Ok([before, literals.literal((fact, novelty), 1, solver)?, solver.running(1)?])
        }
    }
}

/// Gives each word of the first state other values, one word at a time: where the same comes about,
/// their facts are not needed. That costs much less than to ask for one such state after the other.
fn vary(
    run: &Trace,
    subject: Subject,
    (novelty, player): (&Novelty, &mut Player<'_>),
    (common, then): (&mut Common, &mut Common),
) {
    let First::State(state) = &run.start else { return };
    let (mut state, inputs) = (bits(state), run.inputs.iter().map(|row| bits(row)).collect::<Vec<_>>());
    let sorts = player.program().state_sorts.clone();
    let mut random = Random::new(0);
    for word in 0..state.len() {
        let (value, mask) = (state[word], sorts[word].mask() as u64);
        let (mut others, is_given) = novelty.values(word);
        others.truncate(MOST_VALUES);
        if !is_given {
            others.extend([0, value.wrapping_add(1) & mask, random.next_word() & mask]);
        }
        for other in others.into_iter().filter(|&other| other != value) {
            state[word] = other;
            if let Some((before, after)) = brought_about(&state, &inputs, subject, novelty, player) {
                common.note(&before, novelty);
                then.note(&after, novelty);
            }
            state[word] = value;
        }
    }
}

/// The facts of the state behind one step; `None`: the inputs are not allowed.
pub(super) fn next_facts(
    state: &[u64],
    inputs: &[u64],
    novelty: &Novelty,
    player: &mut Player<'_>,
) -> Option<Vec<usize>> {
    let mut position = Position::start(state.to_vec());
    let ended = player.hold(&mut position, inputs, Order::exactly(1));
    (ended == Ended::Done).then(|| facts_of(&position.state, novelty, player))
}

/// Whether these inputs bring something about from a state, where it was not so before: the facts of
/// that state, and of the next one.
fn brought_about(
    state: &[u64],
    inputs: &[Vec<u64>],
    subject: Subject,
    novelty: &Novelty,
    player: &mut Player<'_>,
) -> Option<(Vec<usize>, Vec<usize>)> {
    let mut position = Position::start(state.to_vec());
    let before = facts_of(state, novelty, player);
    let is_brought_about = match subject {
        Subject::Fact(fact) => {
            !before.contains(&fact)
                && player.hold(&mut position, &inputs[0], Order::exactly(1)) == Ended::Done
                && facts_of(&position.state, novelty, player).contains(&fact)
        }
        Subject::Goal(goal) => {
            let label = player.program().labels[goal][0];
            let occurs = |state: &[u64], inputs: &[u64], player: &mut Player<'_>| {
                player.computed(state, inputs, [label].into_iter())[0] != 0
            };
            !occurs(state, &inputs[0], player)
                && player.hold(&mut position, &inputs[0], Order::exactly(1)) == Ended::Done
                && occurs(&position.state, &inputs[1], player)
        }
    };
    is_brought_about.then(|| (before, facts_of(&position.state, novelty, player)))
}

fn facts_of(state: &[u64], novelty: &Novelty, player: &mut Player<'_>) -> Vec<usize> {
    let (truths, _) = look(player, state);
    novelty.of((state, &truths))
}

/// The inputs that matter in the step that brings something about.
fn aim(run: &Trace, subject: Subject, novelty: &Novelty, player: &mut Player<'_>) -> Option<Aim> {
    let First::State(state) = &run.start else { return None };
    let (first, sorts) = (bits(&run.inputs[0]), player.program().input_sorts.clone());
    let mut position = Position::start(bits(state));
    match subject {
        Subject::Fact(fact) => {
            let occurs = |inputs: &[u64]| {
                next_facts(&position.state, inputs, novelty, player).map(|facts| facts.contains(&fact))
            };
            that_matter(&first, &sorts, occurs)
        }
        Subject::Goal(goal) => {
            let (label, then) = (player.program().labels[goal][0], bits(&run.inputs[1]));
            let before = position.clone();
            // What matters at the step before it brings the state about, what matters at its own
            // step comes then.
            let occurs = |inputs: &[u64]| {
                let mut position = before.clone();
                let ended = player.hold(&mut position, inputs, Order::exactly(1));
                (ended == Ended::Done)
                    .then(|| player.computed(&position.state, &then, [label].into_iter())[0] != 0)
            };
            let mut aim = that_matter(&first, &sorts, occurs)?;
            player.hold(&mut position, &first, Order::exactly(1));
            let slots = [label, player.program().allowed];
            let occurs = |inputs: &[u64]| {
                let truths = player.computed(&position.state, inputs, slots.into_iter());
                (truths[1] != 0).then_some(truths[0] != 0)
            };
            aim.extend(that_matter(&then, &sorts, occurs)?);
            Some(aim)
        }
    }
}

/// What the states before the steps that were looked at so far have in common.
struct Common {
    groups: Vec<Group>,
}

/// Facts at most one of which is so at a time.
struct Group {
    facts: Vec<usize>,
    /// Those that were so in some state.
    seen: Vec<usize>,
    /// Whether any may be so, or none.
    is_free: bool,
    /// Implies that none of the first ones that were seen is so, and how many these are.
    other: Option<(Lit, usize)>,
}

impl Common {
    fn new(novelty: &Novelty) -> Self {
        let group = |facts| Group { facts, seen: Vec::new(), is_free: false, other: None };
        Self { groups: novelty.alternatives().into_iter().map(group).collect() }
    }

    /// Adds to a clause what another state may have that none had so far.
    fn differs(
        &mut self,
        (solver, literals, novelty): (&mut BmcSolver<'_>, &mut FactLiterals, &Novelty),
        clause: &mut Vec<Lit>,
    ) -> Result<(), EncodeError> {
        for group in self.groups.iter_mut().filter(|group| !group.is_free) {
            let (other, told) = match group.other {
                Some(known) => known,
                None => (solver.solver().fresh().positive(), 0),
            };
            for &fact in &group.seen[told..] {
                let not = literals.negated((fact, novelty), 0, solver)?;
                solver.solver().clause(&[!other, not]);
            }
            group.other = Some((other, group.seen.len()));
            clause.push(other);
        }
        Ok(())
    }

    /// Notes the facts of a state; whether less is in common now. What all known states have is not
    /// worth asking about.
    fn note(&mut self, facts: &[usize], novelty: &Novelty) -> bool {
        let mut is_less = false;
        for group in self.groups.iter_mut().filter(|group| !group.is_free) {
            match group.facts.iter().find(|fact| facts.contains(fact)) {
                Some(fact) if group.seen.contains(fact) => continue,
                Some(&fact) if novelty.is_only(fact, &group.facts) => group.is_free = true,
                Some(&fact) => group.seen.push(fact),
                None => group.is_free = true,
            }
            group.is_free |= group.seen.len() == group.facts.len();
            is_less = true;
        }
        is_less
    }

    /// Leaves of what is needed before a step, where there is a choice, what the states behind such
    /// steps have as well: a goal that needs several modes at once comes about where the others are
    /// there already.
    fn prefer(&mut self, then: &Self) {
        for (group, behind) in self.groups.iter_mut().zip(&then.groups) {
            if behind.is_free {
                continue;
            }
            let both: Vec<usize> =
                group.seen.iter().copied().filter(|fact| behind.seen.contains(fact)).collect();
            if !both.is_empty() {
                group.seen = both;
            }
        }
    }

    /// Facts of each of which one is needed, at most so many.
    fn into_needed(self, most: usize) -> Vec<Vec<usize>> {
        let says_much = move |group: &Group| !group.is_free && group.seen.len() <= most;
        let groups = self.groups.into_iter().filter(says_much);
        groups
            .map(|mut group| {
                group.seen.sort_unstable();
                group.seen
            })
            .collect()
    }
}

/// A state, by what it lacks for a goal.
#[derive(Clone, Copy, Debug)]
struct Near {
    lacks: u32,
    entry: u32,
    length: u64,
    tries: u32,
    /// How often was looked ahead from it.
    looks: usize,
}

impl Near {
    fn rank(&self) -> (u32, u64, u32) {
        (self.lacks + self.tries / TRIES_PER_FACT, self.length, self.entry)
    }
}

/// The states that are nearest to each open goal.
#[derive(Default)]
pub(super) struct Nearest {
    goals: Vec<(Vertex, Vec<Near>)>,
    /// By purpose: position of the goal whose turn it was last.
    next: [usize; 2],
}

/// What states near to goals are looked for for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To hold inputs from them.
    Hold,
    /// To ask for ways from them.
    Look,
}

impl Nearest {
    /// Leaves out goals that are no longer open, and takes in others as far as there is room.
    pub(super) fn keep(&mut self, open: &[Vertex], needs: &Needs<'_>) {
        self.goals.retain(|(goal, _)| open.contains(goal));
        for &goal in open {
            let is_known = self.goals.iter().any(|(known, _)| *known == goal);
            if self.goals.len() < MOST_GOALS && !is_known && !needs.is_hopeless(goal) {
                self.goals.push((goal, Vec::new()));
            }
        }
    }

    /// Notes an entry with these facts, after so many steps. Whether it is nearer to some goal than
    /// all before.
    pub(super) fn note(&mut self, needs: &Needs<'_>, (entry, length): (u32, u64), own: &[usize]) -> bool {
        let mut is_nearer = false;
        for (goal, near) in &mut self.goals {
            // Any state may be the nearest to a goal that was not asked about.
            let lacks = needs.lack(*goal, own).map_or(0, |lack| lack.facts);
            is_nearer |= near.iter().all(|known| known.lacks > lacks);
            let new = Near { lacks, entry, length, tries: 0, looks: 0 };
            if near.len() < MOST_NEAR {
                near.push(new);
            } else if let Some(worst) = near.iter_mut().max_by_key(|known| known.rank())
                && worst.rank() > new.rank()
            {
                *worst = new;
            }
        }
        is_nearer
    }

    /// The goals, those that wait longest first.
    pub(super) fn in_turn(&mut self, purpose: Purpose) -> Vec<Vertex> {
        let mut goals: Vec<Vertex> = self.goals.iter().map(|(goal, _)| *goal).collect();
        if !goals.is_empty() {
            let next = &mut self.next[purpose as usize];
            *next = (*next + 1) % goals.len();
            goals.rotate_left(*next);
        }
        goals
    }

    /// The entry that is nearest to a goal as far as is known.
    pub(super) fn best(&self, goal: Vertex, purpose: Purpose) -> Option<u32> {
        let (_, near) = self.goals.iter().find(|(known, _)| *known == goal)?;
        let fits = |known: &&Near| purpose == Purpose::Hold || known.looks < AHEAD.len();
        near.iter().filter(fits).min_by_key(|known| known.rank()).map(|known| known.entry)
    }

    /// Notes that inputs are held from an entry near to a goal.
    pub(super) fn note_try(&mut self, goal: Vertex, entry: u32) {
        self.of(goal, entry).for_each(|known| known.tries += 1);
    }

    /// The frames that are to be looked at next from an entry near to a goal.
    pub(super) fn next_look(&mut self, goal: Vertex, entry: u32) -> RangeInclusive<u32> {
        let mut looks = 0;
        self.of(goal, entry).for_each(|known| {
            looks = known.looks.min(AHEAD.len() - 1);
            known.looks += 1;
        });
        1..=AHEAD[looks]
    }

    fn of(&mut self, goal: Vertex, entry: u32) -> impl Iterator<Item = &mut Near> {
        let near = self.goals.iter_mut().filter(move |(known, _)| *known == goal);
        near.flat_map(|(_, near)| near).filter(move |known| known.entry == entry)
    }

    /// Takes notice of what an entry with these facts lacks for a goal, or that nothing leads to the
    /// goal. Whether it is known what the entry lacks.
    pub(super) fn correct(&mut self, needs: &Needs<'_>, (goal, entry): (Vertex, u32), own: &[usize]) -> bool {
        if needs.is_hopeless(goal) {
            self.goals.retain(|(known, _)| *known != goal);
            return false;
        }
        let Some(lack) = needs.lack(goal, own) else { return false };
        self.of(goal, entry).for_each(|known| known.lacks = lack.facts);
        true
    }
}
