//! Goals that localizations prove unreachable.
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
//! open throughout, so not every goal can be proven unreachable here.

use crate::error::{EngineError, StopReason};
use crate::knowledge::distances::Proof;
use crate::knowledge::known::Knowledge;
use crate::knowledge::status::GoalStatus;
use crate::knowledge::task::{Task, all_goals};
use crate::knowledge::vertex::Vertex;
use crate::provers::abstraction::{states_in, values, words_behind};
use crate::provers::part::Part;
use crate::provers::pdr::{Cube, Prover as Reachability, Question, Verdict};
use crate::session::{Engine, Session, Stop};
use crate::step::frames::Frames;
use crate::turn::{Prover, Turn};
use encoder::unroll::Start;
use model::dependencies::Words;
use model::id::Id;
use model::localization::{left_behind, localized, loose};
use model::slice::StateFate;
use model::sort::Sort;
use model::system::{GoalId, StateId, TransitionSystem};
use model::term::TermId;
use model::validate::validate;
use solver::sat::Lit;
use std::collections::{BTreeMap, BTreeSet};

/// Most goals of a turn.
const MOST_GOALS: usize = 64;
/// Most words that are told apart.
const MOST_WORDS: usize = 3_000;
/// Steps that the first words are learned from.
const FIRST: u32 = 3;
/// Most steps that words are learned from.
const DEEPEST: u32 = 24;
/// How localizations grow beyond the words that few steps name, one after the other, as reasons may
/// lie further back: which of the words that next values are made of are added, and how often.
const RUNGS: [(Behind, usize); 7] = [
    (Behind::Nothing, 0),
    (Behind::Modes, 1),
    (Behind::Modes, usize::MAX),
    (Behind::Words(8), 1),
    (Behind::Words(32), 1),
    (Behind::Words(32), 2),
    (Behind::Words(32), usize::MAX),
];
/// Widest word that may be a mode, in bits.
const WIDEST_MODE: u32 = 8;
/// Most values of a mode that simulation has seen.
const MOST_MODES: usize = 12;
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
    /// How many goals were looked at: the next turn begins with the one behind them.
    looked_at: usize,
}

/// Which words are added to a localization.
#[derive(Clone, Copy)]
enum Behind {
    Nothing,
    /// Narrow words with few values.
    Modes,
    /// Integers of at most so many bits.
    Words(u32),
}

/// One bit of a word of the state has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitValue {
    /// The word.
    pub word: StateId,
    /// The bit, the lowest is 0.
    pub bit: u32,
    /// Its value.
    pub set: bool,
}

/// The states in which all these bits have these values.
pub type BitCube = Vec<BitValue>;

/// What is known of the localizations of a goal.
struct Localization {
    /// The words that few steps name, and those that each of its localizations has.
    words: BTreeSet<StateId>,
    /// They suffice to miss the goal within so many steps.
    depth: u32,
    /// Positions in [`RUNGS`] of those that may exclude the goal. None are left where the goal may
    /// well be reached.
    rungs: Vec<usize>,
}

impl Localization {
    fn new(task: &Task<'_>, goal: Vertex) -> Self {
        let words = left_behind(task.system, task.goal(goal)).into_iter().collect();
        Self { words, depth: 0, rungs: (0..RUNGS.len()).collect() }
    }

    /// The words of a rung.
    fn grown(&self, rung: usize, task: &Task<'_>, modes: &[bool]) -> Words {
        let (behind, times) = RUNGS[rung];
        let system = task.system;
        let is_added = |word: &StateId| match behind {
            Behind::Nothing => false,
            Behind::Modes => modes[word.index()],
            Behind::Words(width) => is_narrow(system, *word, width),
        };
        let mut words = self.words.clone();
        for _ in 0..times {
            let before = words.len();
            let read = words.iter().flat_map(|&word| states_in(system, system.states[word].next));
            let added: Vec<StateId> = read.filter(is_added).collect();
            words.extend(added);
            if words.len() == before {
                break;
            }
        }
        words.into_iter().collect()
    }
}

/// Whether a word is an integer of at most so many bits.
fn is_narrow(system: &TransitionSystem, word: StateId, width: u32) -> bool {
    let sort = system.terms.symbol(system.states[word].symbol).sort;
    matches!(sort, Sort::Word(_)) && sort.width() <= width
}

/// For each word whether it is a mode.
fn modes(task: &Task<'_>, session: &Session<'_>) -> Vec<bool> {
    let seen = task.sample(session);
    let is_mode = |word| is_narrow(task.system, word, WIDEST_MODE) && values(word, seen) <= MOST_MODES;
    task.system.states.ids().map(is_mode).collect()
}

/// What few steps tell about a localization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lesson {
    /// It needed more words, and has them now.
    More,
    /// It does not reach the goal in these steps.
    Nothing,
    /// With all words the goal is reached.
    Reached,
}

/// Few steps of the system, of which each word may be left out.
struct FewSteps<'f> {
    frames: Frames<'f>,
    /// For each word that matters what is true where it is kept.
    kept: BTreeMap<StateId, Lit>,
}

impl FewSteps<'_> {
    /// Whether the goal can occur after so many steps where these words are kept; else those of them
    /// that this rests on.
    fn reaches(
        &mut self,
        (task, goal): (&Task<'_>, Vertex),
        depth: u32,
        words: &BTreeSet<StateId>,
        session: &Session<'_>,
    ) -> Result<Option<BTreeSet<StateId>>, Stop> {
        let occurs = self.frames.literal(task.target(goal).antecedent, depth)?;
        let running = self.frames.running(depth + task.steps(goal))?;
        let mut assumptions = vec![occurs, running];
        assumptions.extend(words.iter().map(|word| self.kept[word]));
        if session.solve(&mut self.frames.solver, &assumptions)? {
            return Ok(None);
        }
        let core = self.frames.solver.core();
        Ok(Some(words.iter().copied().filter(|word| core.contains(&self.kept[word])).collect()))
    }

    /// Looks for the least number of steps below `end` in which the localization reaches the goal,
    /// and adds a smallest set of words that makes it miss the goal there.
    fn learn(
        &mut self,
        asked: (&Task<'_>, Vertex),
        localization: &mut Localization,
        end: u32,
        session: &Session<'_>,
    ) -> Result<Lesson, Stop> {
        while localization.depth < end {
            let depth = localization.depth;
            if self.reaches(asked, depth, &localization.words, session)?.is_some() {
                localization.depth += 1;
                continue;
            }
            let all = self.kept.keys().copied().collect();
            let Some(mut needed) = self.reaches(asked, depth, &all, session)? else {
                return Ok(Lesson::Reached);
            };
            for word in needed.clone() {
                let mut fewer: BTreeSet<StateId> = needed.union(&localization.words).copied().collect();
                if localization.words.contains(&word) || !fewer.remove(&word) {
                    continue;
                }
                if let Some(core) = self.reaches(asked, depth, &fewer, session)? {
                    needed = core;
                }
            }
            localization.words.extend(needed);
            localization.depth += 1;
            return Ok(Lesson::More);
        }
        Ok(Lesson::Nothing)
    }
}

impl<'s> Localized<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self { task, modes: Vec::new(), localizations: BTreeMap::new(), looked_at: 0 }
    }

    /// Asks about open goals that are not hopeless.
    fn exclude(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<Turn, Stop> {
        let task = self.task;
        let is_hopeless =
            |goal: &Vertex| self.localizations.get(goal).is_some_and(|found| found.rungs.is_empty());
        let mut goals = known.open_goals();
        goals.retain(|goal| !is_hopeless(goal));
        if goals.is_empty() {
            return Ok(Turn::Exhausted);
        }
        let first = self.looked_at % goals.len();
        goals.rotate_left(first);
        goals.truncate(MOST_GOALS);
        let mut decide = |goal: Vertex, invariant: Vec<BitCube>| {
            let proof = Proof::Inductive { clauses: invariant.len() };
            let name = &task.system.goals[task.goal(goal)].name;
            session.record(Engine::Sat, format!("{name} is unreachable: {proof}"));
            known.decide(goal, GoalStatus::Unreachable { proof }).map(drop)
        };
        let can_ask = session.within(work, || self.ask_each(goals, &mut decide, session))?;
        Ok(if can_ask { Turn::Open } else { Turn::Exhausted })
    }

    /// Asks about one goal after the other; each may cost an equal share of what is left of the
    /// effort. `excluded` is told the invariant that excludes a goal. Whether the words are few enough
    /// to be told apart.
    fn ask_each(
        &mut self,
        mut goals: Vec<Vertex>,
        excluded: &mut dyn FnMut(Vertex, Vec<BitCube>) -> Result<(), EngineError>,
        session: &Session<'_>,
    ) -> Result<bool, Stop> {
        let task = self.task;
        goals.sort_unstable();
        let ids: Vec<GoalId> = goals.iter().map(|&goal| task.goal(goal)).collect();
        let antecedents: Vec<TermId> = goals.iter().map(|&goal| task.target(goal).antecedent).collect();
        let matters = words_behind(task.system, &antecedents);
        let all: Words = task.system.states.ids().collect();
        let whole = localized(task.system, &all, &ids).filter(|_| matters.len() <= MOST_WORDS);
        let Some(whole) = whole else { return Ok(false) };
        if self.modes.is_empty() {
            self.modes = modes(task, session);
        }
        let loose = loose(&validate(whole).expect("a localization should be well-formed"));
        let system = validate(loose.system).expect("a loose system should be well-formed");
        let own = Task::new(&system, &all_goals(&system), Vec::new());
        let mut frames = Frames::new(&own, Start::Initial, session)?;
        let mut kept = BTreeMap::new();
        for word in matters.into_iter().map(StateId::new) {
            kept.insert(word, frames.word(loose.kept[word], 0)?[0]);
        }
        let mut steps = FewSteps { frames, kept };
        for (position, &goal) in goals.iter().enumerate() {
            let left = session.allowance().unwrap_or(0);
            if left == 0 {
                break;
            }
            self.looked_at += 1;
            let share = left / (goals.len() - position) as u64;
            let asked = (&own, Vertex::of_position(position));
            let new = || Localization::new(task, goal);
            let localization = self.localizations.entry(goal).or_insert_with(new);
            let modes = &self.modes;
            let ask = || ask((task, goal), (&mut steps, asked), localization, modes, session);
            match session.at_most(share, ask) {
                Ok(Some(invariant)) => excluded(goal, invariant)?,
                Ok(None) | Err(Stop::Limit(StopReason::Effort)) => {}
                Err(halt) => return Err(halt),
            }
        }
        Ok(true)
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
    let mut keep = |_, invariant| {
        found = Some(invariant);
        Ok(())
    };
    session.within(effort, || Localized::new(task).ask_each(vec![goal], &mut keep, session))?;
    Ok(found)
}

/// Asks localizations of a goal, one larger than the other, for an invariant that excludes it;
/// `None` where the queries do not suffice, or it is hopeless.
fn ask(
    (task, goal): (&Task<'_>, Vertex),
    (steps, asked): (&mut FewSteps<'_>, (&Task<'_>, Vertex)),
    localization: &mut Localization,
    modes: &[bool],
    session: &Session<'_>,
) -> Result<Option<Vec<BitCube>>, Stop> {
    let mut lesson = Lesson::More;
    while lesson == Lesson::More && localization.depth < FIRST {
        lesson = steps.learn(asked, localization, FIRST, session)?;
    }
    if lesson == Lesson::Reached {
        localization.rungs.clear();
    }
    for rung in localization.rungs.clone() {
        let left = session.allowance().unwrap_or(0);
        if left == 0 {
            break;
        }
        let climb = || try_rung((task, goal), (steps, asked), localization, (rung, modes), session);
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
    (task, goal): (&Task<'_>, Vertex),
    (steps, asked): (&mut FewSteps<'_>, (&Task<'_>, Vertex)),
    localization: &mut Localization,
    (rung, modes): (usize, &[bool]),
    session: &Session<'_>,
) -> Result<Answer, Stop> {
    let ids = [task.goal(goal)];
    loop {
        let words = localization.grown(rung, task, modes);
        let is_known = rung > 0 && words == localization.grown(rung - 1, task, modes);
        if is_known || words.len() > MOST_WORDS {
            return Ok(Answer::Reached);
        }
        let Some(part) = localized(task.system, &words, &ids) else { return Ok(Answer::Reached) };
        let part = Part::new(task, part, &ids);
        let own = part.task(session);
        let mut prover = Reachability::new(&own, Vertex::DEPOT, session)?;
        match prover.exclude(Question::Event(Vertex::of_position(0)), QUERIES, session)?.0 {
            Verdict::Never { .. } => {
                return Ok(Answer::Never(raised(prover.invariant(), &part, &words, task)));
            }
            Verdict::Unknown => return Ok(Answer::Unknown),
            Verdict::Happens if rung > 0 => return Ok(Answer::Reached),
            Verdict::Happens => {}
        }
        match steps.learn(asked, localization, DEEPEST, session)? {
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
    let width = |word: StateId| {
        let system = task.system;
        system.terms.symbol(system.states[word].symbol).sort.width()
    };
    let fates = || words.iter().copied().zip(part.map.states.values());
    let mut kept: Vec<(StateId, StateId)> = fates()
        .filter_map(|(word, fate)| match *fate {
            StateFate::Kept(own) => Some((own, word)),
            _ => None,
        })
        .collect();
    kept.sort_unstable();
    let bits: Vec<(StateId, u32)> =
        kept.into_iter().flat_map(|(_, word)| (0..width(word)).map(move |bit| (word, bit))).collect();
    let literal = |&literal: &u32| {
        let (word, bit) = bits[(literal >> 1) as usize];
        BitValue { word, bit, set: literal & 1 == 0 }
    };
    let mut raised: Vec<BitCube> = cubes.iter().map(|cube| cube.iter().map(literal).collect()).collect();
    for (word, fate) in fates() {
        let StateFate::Constant(value) = fate else { continue };
        let other = |bit: u32| vec![BitValue { word, bit, set: value.bits() >> bit & 1 == 0 }];
        raised.extend((0..width(word)).map(other));
    }
    raised
}

impl Prover for Localized<'_> {
    fn run(&mut self, known: &mut Knowledge, work: u64, session: &Session<'_>) -> Result<Turn, Stop> {
        session.stage("localization", || self.exclude(known, work, session))
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
    fn goals_are_excluded_by_the_words_next_to_them() {
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
        let mut frames = Frames::new(&own, Start::Initial, &session).expect("frames");
        let mut literal = |word| frames.word(loose.kept[word], 0).expect("a word")[0];
        let kept = all.iter().map(|&word| (word, literal(word))).collect();
        let mut steps = FewSteps { frames, kept };
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
