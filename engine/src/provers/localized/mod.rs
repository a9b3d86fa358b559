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
//! localization grows by a smallest set of these. Where few steps refute nothing, one way there is
//! followed in the system, however long. Facts about several counters are met by enumeration, with
//! [states](enumeration) that few words have. Results of operations with large circuits stay
//! open throughout, so not every goal can be proven unreachable here. How long a localization takes
//! to reach a goal bounds how long the system takes.

mod depth;
mod enumeration;
mod few_steps;
mod words;

use crate::error::StopReason;
use crate::knowledge::bound::{Bound, Claim};
use crate::knowledge::chains::first_occurrence;
use crate::knowledge::distances::Proof;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::{Task, all_goals};
use crate::knowledge::vertex::Vertex;
use crate::provers::abstraction::words_behind;
use crate::provers::part::Part;
use crate::provers::pdr::{BitCube, BitValue, Prover as Reachability, Question, Verdict, bit_cubes};
use crate::session::{Engine, Session, Stop};
use crate::turn::{Prover, Turn};
use depth::depth;
use enumeration::{Enumeration, enumerate};
use few_steps::{DEEPEST, FIRST, FewSteps, Lesson};
use model::dependencies::Words;
use model::id::Id;
use model::localization::{localized, loose};
use model::slice::StateFate;
use model::system::{GoalId, StateId};
use model::validate::validate;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use words::{Localization, MOST_WORDS, STATES_PER_CONFLICT, modes};

/// Most goals of a turn.
const MOST_GOALS: usize = 64;
/// Most goals whose depth is measured in a turn.
const MOST_MEASURED: usize = 6;
/// One of so many parts of the effort that is left for a goal is for the next of its localizations.
const SHARE_OF_RUNG: u64 = 2;
/// One of so many parts of the effort that is left for a localization is for queries.
const SHARE_OF_QUERIES: u64 = 2;
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
            if let Some(Exclusion { proof, .. }) = ask(look, localization, session)? {
                known.exclude(task, look.goal, (Engine::Sat, proof), session)?;
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
        let matters = matters.into_iter().map(StateId::new).map(|word| (word, loose.kept[word])).collect();
        let mut steps = FewSteps::new(&own, matters, session)?;
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

    /// See [`FewSteps::follow`].
    fn follow(
        &self,
        localization: &mut Localization,
        way: &[BitCube],
        session: &Session<'_>,
    ) -> Result<Lesson, Stop> {
        self.steps.follow(self.asked, localization, way, session)
    }
}

/// Cubes of states that exclude a goal: no step leads into one of them from a state that is in none.
/// `None`: no localization was found with so much effort, in conflicts, that misses the goal, or
/// too many cubes would be needed.
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
        localization.wants_cubes = true;
        found = ask(look, localization, session)?.and_then(|exclusion| exclusion.cubes);
        Ok(())
    };
    session.within(effort, || Localized::new(task).each(vec![goal], &mut keep, session))?;
    Ok(found)
}

/// Why a goal does not occur.
struct Exclusion {
    proof: Proof,
    /// Cubes of states, none of which is reached, that exclude it; `None`: too many, or not wanted.
    cubes: Option<Vec<BitCube>>,
}

/// Asks localizations of a goal, one larger than the other, for a reason why it does not occur;
/// `None` where the queries do not suffice, or it is hopeless.
fn ask(
    look: &mut Look<'_, '_>,
    localization: &mut Localization,
    session: &Session<'_>,
) -> Result<Option<Exclusion>, Stop> {
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
            Ok(Answer::Never(exclusion)) => return Ok(Some(exclusion)),
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
    Never(Exclusion),
    /// There it does.
    Reached,
    Unknown,
}

impl Answer {
    /// The goal does not occur, as cubes say that no execution of a part with these words meets.
    fn never(
        proof: Proof,
        cubes: Option<Vec<BitCube>>,
        (part, words): (&Part, &Words),
        task: &Task<'_>,
    ) -> Self {
        let cubes = cubes.map(|cubes| excluding(cubes, part, words, task));
        Self::Never(Exclusion { proof, cubes })
    }
}

/// Asks the localization of a rung.
fn try_rung(
    look: &mut Look<'_, '_>,
    localization: &mut Localization,
    rung: usize,
    session: &Session<'_>,
) -> Result<Answer, Stop> {
    if rung == 0 {
        return refine(look, localization, session);
    }
    let Some((part, words)) = localization.part(rung, (look.task, look.goal), look.modes) else {
        return Ok(Answer::Reached);
    };
    Ok(match by_queries(&part, session)? {
        Asked::Never(proof, cubes) => Answer::never(proof, cubes, (&part, &words), look.task),
        Asked::Happens(_) => Answer::Reached,
        Asked::Unknown => Answer::Unknown,
    })
}

/// Asks the localization with the words that are known to be needed, which grows as long as it
/// reaches the goal in a way that the system cannot follow.
fn refine(
    look: &mut Look<'_, '_>,
    localization: &mut Localization,
    session: &Session<'_>,
) -> Result<Answer, Stop> {
    loop {
        let Some((part, words)) = localization.part(0, (look.task, look.goal), look.modes) else {
            return Ok(Answer::Reached);
        };
        let way = match by_both((&part, &words), localization, session)? {
            Asked::Never(proof, cubes) => {
                return Ok(Answer::never(proof, cubes, (&part, &words), look.task));
            }
            Asked::Unknown => return Ok(Answer::Unknown),
            Asked::Happens(way) => way,
        };
        let mut lesson = look.learn(localization, DEEPEST, session)?;
        if lesson == Lesson::Nothing {
            localization.is_long = true;
            let way = match way {
                None => by_enumeration((&part, &words), localization, session)?.way(),
                way => way,
            };
            if let Some(mut way) = way {
                raise(&mut way, &part, &words);
                lesson = look.follow(localization, &way, session)?;
            }
        }
        match lesson {
            Lesson::More => {}
            Lesson::Nothing => return Ok(Answer::Reached),
            Lesson::Reached => {
                localization.rungs.clear();
                return Ok(Answer::Reached);
            }
        }
    }
}

/// What is known of the goal in one localization.
enum Asked {
    /// It does not occur, with cubes of the states of the part that are not reached.
    Never(Proof, Option<Vec<BitCube>>),
    /// It does, where that is known with the states on the way there.
    Happens(Option<Vec<BitCube>>),
    Unknown,
}

impl Asked {
    fn way(self) -> Option<Vec<BitCube>> {
        if let Self::Happens(way) = self { way } else { None }
    }
}

/// Asks for an invariant of a localization, with a part of what is left of the effort.
fn by_queries(part: &Part, session: &Session<'_>) -> Result<Asked, Stop> {
    let own = part.task(session);
    let mut prover = Reachability::new(&own, Vertex::DEPOT, session)?;
    let left = session.allowance().unwrap_or(u64::MAX);
    let exclude = || prover.exclude(Question::Event(Vertex::of_position(0)), QUERIES, session);
    Ok(match session.at_most(left / SHARE_OF_QUERIES, exclude) {
        Ok((Verdict::Never { .. }, _)) => {
            let cubes = bit_cubes(prover.invariant(), &part.system);
            Asked::Never(Proof::Inductive { clauses: cubes.len() }, Some(cubes))
        }
        Ok((Verdict::Happens, _)) => Asked::Happens(None),
        Ok((Verdict::Unknown, _)) | Err(Stop::Limit(StopReason::Effort)) => Asked::Unknown,
        Err(halt) => return Err(halt),
    })
}

/// Asks for an invariant, and where there is none enumerates the states; where a way was too long
/// for few steps, it is for queries, too, and these come last.
fn by_both(
    (part, words): (&Part, &Words),
    localization: &mut Localization,
    session: &Session<'_>,
) -> Result<Asked, Stop> {
    if localization.is_long {
        let asked = by_enumeration((part, words), localization, session)?;
        return if let Asked::Unknown = asked { by_queries(part, session) } else { Ok(asked) };
    }
    let asked = by_queries(part, session)?;
    if let Asked::Unknown = asked { by_enumeration((part, words), localization, session) } else { Ok(asked) }
}

/// Enumerates the states of the localization with these words, as many as the effort that is left
/// allows, unless about as many were too few before.
fn by_enumeration(
    (part, words): (&Part, &Words),
    localization: &mut Localization,
    session: &Session<'_>,
) -> Result<Asked, Stop> {
    let Some(limits) = localization.limits(words, session.allowance()) else { return Ok(Asked::Unknown) };
    let found = enumerate(part, limits, localization.wants_cubes, session)?;
    let states = found.as_ref().map_or(limits.states, |found| found.states);
    session.spend(states as u64 / STATES_PER_CONFLICT);
    let Some(Enumeration { states, answer }) = found else { return Ok(Asked::Unknown) };
    Ok(match answer {
        enumeration::Answer::Way(way) => Asked::Happens(Some(way)),
        enumeration::Answer::Never(cubes) => Asked::Never(Proof::Projection { states }, cubes),
    })
}

/// Makes cubes of a part, which has these words of the whole, cubes of the whole.
fn raise(cubes: &mut [BitCube], part: &Part, words: &Words) {
    let fates = words.iter().copied().zip(part.map.states.values());
    let whole: BTreeMap<StateId, StateId> = fates
        .filter_map(|(word, fate)| match *fate {
            StateFate::Kept(own) => Some((own, word)),
            _ => None,
        })
        .collect();
    cubes.iter_mut().flatten().for_each(|value| value.word = whole[&value.word]);
}

/// Cubes of a part that no execution meets as cubes of the whole, with those that say what the
/// words are that never change in the part.
fn excluding(mut cubes: Vec<BitCube>, part: &Part, words: &Words, task: &Task<'_>) -> Vec<BitCube> {
    raise(&mut cubes, part, words);
    for (&word, fate) in words.iter().zip(part.map.states.values()) {
        let StateFate::Constant(value) = fate else { continue };
        let other = |bit: u32| vec![BitValue { word, bit, set: value.bits() >> bit & 1 == 0 }];
        let width = task.system.terms.symbol(task.system.states[word].symbol).sort.width();
        cubes.extend((0..width).map(other));
    }
    cubes
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
    use crate::random_simulation::Random;
    use crate::session::Silent;
    use model::text::parse;
    use model::trace::{Start, Trace, replay};
    use model::validate::Validated;
    use model::value::Value;

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

    /// Two counters behind a divider that keep step with each other, beside a product.
    const COUNTERS: &str = "system s input go w1 input x w32
        state sum w32 init 0 next (add (mul sum sum) x)
        state divider w4 init 0 next (ite (eq divider 9) 0 (add divider 1))
        state slow w8 init 0 next (ite (eq divider 9) (ite (eq go 0) 0 (ite (ult slow 30) (add slow 1) slow)) slow)
        state shadow w8 init 7 next (ite (eq divider 9) (ite (eq go 0) 7 (ite (ult shadow 36) (add shadow 1) shadow)) shadow)
        goal apart when (and (eq slow 30) (ult shadow 36))
        goal last when (and (eq slow 30) (eq shadow 36))";

    #[test]
    fn counters_that_keep_step_are_enumerated() {
        let system = system(COUNTERS);
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let of =
            |goal: usize| invariant(&task, Vertex::of_position(goal), 60_000, &session).expect("no limit");
        assert!(of(1).is_none(), "it is reached after 300 steps");
        let cubes = of(0).expect("an invariant");
        let holds = |state: &[Value], cube: &BitCube| {
            cube.iter().all(|bit| (state[bit.word.index()].bits() >> bit.bit & 1 == 1) == bit.set)
        };
        let mut random = Random::new(1);
        let inputs = (0..2_000).map(|_| {
            let go = random.below(40) != 0;
            vec![Value::truth(go), Value::word(32, random.next_word().into())]
        });
        let trace = Trace { start: Start::Initial(Vec::new()), inputs: inputs.collect() };
        let run = replay(&system, &trace).expect("an execution");
        assert!(!run.occurrences[GoalId::new(1)].is_empty());
        for state in &run.states {
            assert!(!cubes.iter().any(|cube| holds(state, cube)), "{state:?}");
        }
        let never = |slow: u128, shadow: u128| {
            let state = [0, 0, slow, shadow].map(|value| Value::word(32, value));
            cubes.iter().any(|cube| holds(&state, cube))
        };
        assert!(never(30, 35) && never(0, 8) && !never(30, 36) && !never(3, 10));
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
        let all = all.iter().map(|&word| (word, loose.kept[word])).collect();
        let mut steps = FewSteps::new(&own, all, &session).expect("frames");
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
