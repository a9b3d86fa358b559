//! Goals that localizations prove unreachable or late.
//!
//! Most of what is never reached in generated code is so for a reason near by: a counter has a
//! guard, two outputs are decoded from one mode. The reason is a fact about a few words, however
//! large the rest of the step is, and [localized] systems are as small as these. Property directed
//! reachability answers there in a fraction of the time.
//!
//! Which words matter is found from few steps: where a localization reaches a goal that the system
//! does not reach in so many steps, the refutation in the system names words that are needed (K. L.
//! McMillan, N. Amla, Automatic abstraction without counterexamples, TACAS 2003), and the
//! localization grows by a smallest set of these. Results of operations with large circuits stay
//! open throughout, so not every goal can be proven unreachable here. How long a localization takes
//! to reach a goal bounds how long the system takes.

mod depth;
mod few_steps;
mod words;

use crate::error::StopReason;
use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::chains::first_occurrence;
use crate::knowledge::distances::Proof;
use crate::knowledge::known::Knowledge;
use crate::knowledge::status::GoalStatus;
use crate::knowledge::task::{Task, all_goals};
use crate::knowledge::vertex::Vertex;
use crate::provers::abstraction::words_behind;
use crate::provers::part::Part;
use crate::provers::pdr::{BitCube, BitValue, Cube, Prover as Reachability, Question, Verdict, bit_cubes};
use crate::session::{Engine, Session, Stop};
use crate::turn::{Prover, Turn};
use depth::depth;
use few_steps::{DEEPEST, FIRST, FewSteps, Lesson};
use model::dependencies::Words;
use model::id::Id;
use model::localization::{localized, loose};
use model::slice::StateFate;
use model::system::{GoalId, StateId};
use model::validate::validate;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use words::{Localization, MOST_WORDS, modes};

/// Most goals of a turn.
const MOST_GOALS: usize = 64;
/// Most goals whose depth is measured in a turn.
const MOST_MEASURED: usize = 6;
/// One of so many parts of the effort that is left for a goal is for the next of its localizations.
const SHARE_OF_RUNG: u64 = 2;
/// Queries about one localization at most.
const QUERIES: u64 = 30_000;

/// See the module text.
pub(crate) struct Localized<'s> {
    task: &'s Task<'s>,
    /// For each word whether it is a mode: narrow and, as far as simulation has seen, with few values.
    modes: Vec<bool>,
    /// By goal, once it was asked about.
    localizations: BTreeMap<Vertex, Localization>,
    /// Goals whose depth was measured.
    measured: BTreeSet<Vertex>,
    /// How many goals were looked at: the next turn begins with the one behind them.
    looked_at: usize,
}

impl<'s> Localized<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self {
            task,
            modes: Vec::new(),
            localizations: BTreeMap::new(),
            measured: BTreeSet::new(),
            looked_at: 0,
        }
    }

    /// Asks about open goals that are not hopeless; `None`: there are none.
    fn exclude(
        &mut self,
        known: &mut Knowledge,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Option<Turn>, Stop> {
        let task = self.task;
        let is_hopeless =
            |goal: &Vertex| self.localizations.get(goal).is_some_and(|found| found.rungs.is_empty());
        let mut goals = known.open_goals();
        goals.retain(|goal| !is_hopeless(goal));
        if goals.is_empty() {
            return Ok(None);
        }
        let first = self.looked_at % goals.len();
        goals.rotate_left(first);
        goals.truncate(MOST_GOALS);
        let mut ask = |look: &mut Look<'_, '_>, localization: &mut Localization| {
            if let Some(invariant) = ask(look, localization, session)? {
                let proof = Proof::Inductive { clauses: invariant.len() };
                let name = &task.system.goals[task.goal(look.goal)].name;
                session.record(Engine::Sat, format!("{name} is unreachable: {proof}"));
                known.decide(look.goal, GoalStatus::Unreachable { proof })?;
            }
            Ok(())
        };
        let can_ask = session.within(work, || self.each(goals, &mut ask, session))?;
        Ok(Some(if can_ask { Turn::Open } else { Turn::Exhausted }))
    }

    /// Bounds of the steps that goals take, as far as that may be beyond the bound that is known: of
    /// the ones that the chains reach last first, then of those that they do not reach yet.
    fn deepen(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<Turn, Stop> {
        // Where only short chains are wanted, bounds of longer ones are of no use.
        if session.options.max_k.is_some() {
            return Ok(Turn::Idle);
        }
        let task = self.task;
        let reached = |goal: Vertex| {
            let occurrences =
                known.chains().iter().filter_map(|chain| first_occurrence(&chain.run, task.goal(goal)));
            occurrences.min()
        };
        let bound = known.lower_bound();
        let mut goals: Vec<(u32, Vertex)> = known
            .possible_goals()
            .into_iter()
            .filter(|goal| !self.measured.contains(goal))
            .map(|goal| (reached(goal).unwrap_or(u32::MAX), goal))
            .filter(|&(steps, goal)| u64::from(steps) + u64::from(task.steps(goal)) > bound)
            .collect();
        goals.sort_unstable_by_key(|&(steps, goal)| (steps == u32::MAX, Reverse(steps), goal));
        goals.truncate(MOST_MEASURED);
        if goals.is_empty() {
            return Ok(Turn::Idle);
        }
        let enough: BTreeMap<Vertex, u32> = goals.iter().map(|&(steps, goal)| (goal, steps)).collect();
        let mut measured = BTreeSet::new();
        let mut graph = task.empty_graph();
        known.enter_from_init(&mut graph);
        let mut measure = |look: &mut Look<'_, '_>, localization: &mut Localization| {
            let depth = depth(look, localization, enough[&look.goal], session)?;
            let steps = u64::from(depth + task.steps(look.goal));
            known.raise(Bound::new(&[look.goal], Claim::Steps(steps)))?;
            graph.raise(Vertex::DEPOT, look.goal, depth, Engine::Sat);
            measured.insert(look.goal);
            Ok(())
        };
        let goals = goals.into_iter().map(|(_, goal)| goal).collect();
        let can_ask = session.within(work, || self.each(goals, &mut measure, session));
        self.measured.extend(measured);
        known.learn_distances(&graph);
        Ok(if can_ask? { Turn::Open } else { Turn::Exhausted })
    }

    /// Looks at one goal after the other; each may cost an equal share of what is left of the effort.
    /// Whether the words are few enough to be told apart.
    fn each(
        &mut self,
        mut goals: Vec<Vertex>,
        look_at: &mut dyn FnMut(&mut Look<'_, '_>, &mut Localization) -> Result<(), Stop>,
        session: &Session<'_>,
    ) -> Result<bool, Stop> {
        let task = self.task;
        goals.sort_unstable();
        let ids: Vec<GoalId> = goals.iter().map(|&goal| task.goal(goal)).collect();
        let antecedents = goals.iter().map(|&goal| task.target(goal).antecedent);
        let assumptions = task.system.assumptions.iter().map(|assumption| assumption.condition);
        let matters = words_behind(task.system, &antecedents.chain(assumptions).collect::<Vec<_>>());
        let all: Words = task.system.states.ids().collect();
        let are_few = matters.len() <= MOST_WORDS;
        let whole = are_few.then(|| localized(task.system, &all, &ids)).flatten();
        let Some(whole) = whole else { return Ok(false) };
        if self.modes.is_empty() {
            self.modes = modes(task, session);
        }
        let loose = loose(&validate(whole).expect("a localization should be well-formed"));
        let system = validate(loose.system).expect("a loose system should be well-formed");
        let own = Task::new(&system, &all_goals(&system), Vec::new());
        let matters = matters.into_iter().map(StateId::new);
        let mut steps = FewSteps::new(&own, matters, &loose.kept, session)?;
        for (position, &goal) in goals.iter().enumerate() {
            let left = session.allowance().unwrap_or(0);
            if left == 0 {
                break;
            }
            self.looked_at += 1;
            let share = left / (goals.len() - position) as u64;
            let new = || Localization::new(task, goal);
            let localization = self.localizations.entry(goal).or_insert_with(new);
            let asked = (&own, Vertex::of_position(position));
            let mut look = Look { task, goal, steps: &mut steps, asked, modes: &self.modes };
            match session.at_most(share, || look_at(&mut look, localization)) {
                Ok(()) | Err(Stop::Limit(StopReason::Effort)) => {}
                Err(halt) => return Err(halt),
            }
        }
        Ok(true)
    }
}

/// A goal that is looked at.
struct Look<'l, 'f> {
    task: &'l Task<'l>,
    goal: Vertex,
    steps: &'l mut FewSteps<'f>,
    /// The task over the system of these steps, and the goal there.
    asked: (&'l Task<'f>, Vertex),
    modes: &'l [bool],
}

impl Look<'_, '_> {
    /// See [`FewSteps::learn`].
    fn learn(
        &mut self,
        localization: &mut Localization,
        end: u32,
        session: &Session<'_>,
    ) -> Result<Lesson, Stop> {
        self.steps.learn(self.asked, localization, end, session)
    }
}

/// Cubes of states that exclude a goal: no step leads into one of them from a state that is in none.
/// `None`: no localization was found with so much effort, in conflicts, that misses the goal.
///
/// # Errors
/// Where a limit of the session is reached.
pub fn invariant(
    task: &Task<'_>,
    goal: Vertex,
    effort: u64,
    session: &Session<'_>,
) -> Result<Option<Vec<BitCube>>, Stop> {
    let mut found = None;
    let mut keep = |look: &mut Look<'_, '_>, localization: &mut Localization| {
        found = ask(look, localization, session)?;
        Ok(())
    };
    session.within(effort, || Localized::new(task).each(vec![goal], &mut keep, session))?;
    Ok(found)
}

/// Asks localizations of a goal, one larger than the other, for an invariant that excludes it;
/// `None` where the queries do not suffice, or it is hopeless.
fn ask(
    look: &mut Look<'_, '_>,
    localization: &mut Localization,
    session: &Session<'_>,
) -> Result<Option<Vec<BitCube>>, Stop> {
    let mut lesson = Lesson::More;
    while lesson == Lesson::More && localization.depth < FIRST {
        lesson = look.learn(localization, FIRST, session)?;
    }
    if lesson == Lesson::Reached {
        localization.rungs.clear();
    }
    for rung in localization.rungs.clone() {
        let left = session.allowance().unwrap_or(0);
        if left == 0 {
            break;
        }
        let climb = || try_rung(look, localization, rung, session);
        match session.at_most(left / SHARE_OF_RUNG, climb) {
            Ok(Answer::Never(invariant)) => return Ok(Some(invariant)),
            Ok(Answer::Reached) => localization.rungs.retain(|&other| other != rung),
            Ok(Answer::Unknown) | Err(Stop::Limit(StopReason::Effort)) => {}
            Err(halt) => return Err(halt),
        }
    }
    Ok(None)
}

/// What the localization of a rung says.
enum Answer {
    /// The goal does not occur.
    Never(Vec<BitCube>),
    /// There it does.
    Reached,
    Unknown,
}

/// Asks the localization of a rung; the first one grows as long as few steps name more words.
fn try_rung(
    look: &mut Look<'_, '_>,
    localization: &mut Localization,
    rung: usize,
    session: &Session<'_>,
) -> Result<Answer, Stop> {
    loop {
        let Some((part, words)) = localization.part(rung, (look.task, look.goal), look.modes) else {
            return Ok(Answer::Reached);
        };
        let own = part.task(session);
        let mut prover = Reachability::new(&own, Vertex::DEPOT, session)?;
        match prover.exclude(Question::Event(Vertex::of_position(0)), QUERIES, session)?.0 {
            Verdict::Never { .. } => {
                return Ok(Answer::Never(raised(prover.invariant(), &part, &words, look.task)));
            }
            Verdict::Unknown => return Ok(Answer::Unknown),
            Verdict::Happens if rung > 0 => return Ok(Answer::Reached),
            Verdict::Happens => {}
        }
        match look.learn(localization, DEEPEST, session)? {
            Lesson::More => {}
            Lesson::Nothing => return Ok(Answer::Reached),
            Lesson::Reached => {
                localization.rungs.clear();
                return Ok(Answer::Reached);
            }
        }
    }
}

/// Cubes of a part as cubes of the whole, of which the part has these words; with those that say
/// what the words are that never change there.
fn raised(cubes: &[Cube], part: &Part, words: &Words, task: &Task<'_>) -> Vec<BitCube> {
    let fates = || words.iter().copied().zip(part.map.states.values());
    let whole: BTreeMap<StateId, StateId> = fates()
        .filter_map(|(word, fate)| match *fate {
            StateFate::Kept(own) => Some((own, word)),
            _ => None,
        })
        .collect();
    let mut raised = bit_cubes(cubes, &part.system);
    raised.iter_mut().flatten().for_each(|value| value.word = whole[&value.word]);
    for (word, fate) in fates() {
        let StateFate::Constant(value) = fate else { continue };
        let other = |bit: u32| vec![BitValue { word, bit, set: value.bits() >> bit & 1 == 0 }];
        let width = task.system.terms.symbol(task.system.states[word].symbol).sort.width();
        raised.extend((0..width).map(other));
    }
    raised
}

impl Prover for Localized<'_> {
    fn run(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<Turn, Stop> {
        let excluded = session.stage("localization", || self.exclude(known, work, session))?;
        match excluded {
            Some(Turn::Exhausted) => Ok(Turn::Exhausted),
            excluded => {
                let deepened = session.stage("depth", || self.deepen(known, work, session))?;
                Ok(excluded.unwrap_or(deepened))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::session::Silent;
    use model::text::parse;
    use model::validate::Validated;

    /// A credit that a guard keeps below 50 beside a product that no solver likes, a lamp decoded from
    /// a mode, and goals that are reached: soon, late, and by way of the product alone.
    const SYSTEM: &str = "system s input coin w8 input x w32
        state credit w8 init 0 next (ite (and (ult coin 50) (ult (add credit coin) 50)) (add credit coin) credit)
        state sum w32 init 1 next (add (mul sum sum) x)
        state mode w8 init 0 next (ite (eq sum 12345) 1 (ite (eq mode 1) 2 mode))
        state count w8 init 0 next (ite (ult count 200) (add count 1) count)
        goal rich when (ult 60 credit)
        goal both when (and (eq mode 1) (ult 1 mode))
        goal third when (eq mode 3)
        goal late when (eq count 150)
        goal beyond when (eq count 201)
        goal lit when (eq mode 2)
        goal wide when (ult 60 sum)";

    fn system(text: &str) -> Validated {
        validate(parse(text).expect("a text")).expect("a system")
    }

    #[test]
    fn goals_are_excluded_or_late_by_the_words_next_to_them() {
        let system = system(SYSTEM);
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let mut known = Knowledge::nothing(&task, None);
        let mut engine = Localized::new(&task);
        for _ in 0..3 {
            engine.run(&mut known, 60_000, &session).expect("no limit");
        }
        let open: Vec<usize> = known.open_goals().into_iter().map(Vertex::position).collect();
        assert_eq!(open, [3, 5, 6], "only those can be reached");
        // Nothing is chained yet, so all bounds are about what is sought.
        assert_eq!(known.lower_bound(), 151, "the late goal occurs in step 150, the first step is 0");
    }

    #[test]
    fn few_steps_name_a_smallest_set_of_words() {
        let system = system(SYSTEM);
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let all: Words = system.states.ids().collect();
        let goals: Vec<GoalId> = task.goals();
        let loose = loose(&validate(localized(&system, &all, &goals).expect("words")).expect("a system"));
        let whole = validate(loose.system).expect("a system");
        let own = Task::new(&whole, &all_goals(&whole), Vec::new());
        let mut steps = FewSteps::new(&own, all.iter().copied(), &loose.kept, &session).expect("frames");
        let mut learn = |position: usize| {
            let mut found = Localization::new(&task, Vertex::of_position(position));
            let mut lesson = Lesson::More;
            while lesson == Lesson::More {
                let asked = (&own, Vertex::of_position(position));
                lesson = steps.learn(asked, &mut found, FIRST, &session).expect("no limit");
            }
            (lesson, found.words.iter().map(|word| word.index()).collect::<Vec<_>>())
        };
        assert_eq!(learn(0), (Lesson::Nothing, vec![0]));
        assert_eq!(learn(1), (Lesson::Nothing, vec![]), "no state is in two modes");
        assert_eq!(learn(3), (Lesson::Nothing, vec![3]));
        assert_eq!(learn(6).0, Lesson::Reached, "the product is open");
    }
}
