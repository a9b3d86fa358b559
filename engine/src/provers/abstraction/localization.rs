//! Distances from localizations: projections to the words that a goal speaks about, and to as many
//! of those behind them as can be afforded.
//!
//! What a goal depends on is often too much to be enumerated, because somewhere behind it is a
//! filter, a counter that never rests, or a result of the C library. The modes and timers next to
//! the goal are few, and most of its distance is theirs. So the words are taken one by one, from
//! the goal backwards (localization reduction: R. P. Kurshan, Computer-Aided Verification of
//! Coordinating Processes, 1994), those with few values first; whatever is left out may have any
//! value in any step.

use super::distances::Distances;
use super::states_in;
use crate::knowledge::abstractions::Words;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::abstraction::enumerated::values;
use crate::provers::explicit::Limits;
use crate::session::{Session, Stop};
use crate::step::initial::InitialState;
use model::id::Id;
use model::system::StateId;
use model::term::TermId;
use std::cmp::Reverse;

/// What the enumeration of one localization may cost.
pub(super) const LIMITS: Limits = Limits { states: 200_000, classes: 400, outcomes: true, work: 40_000_000 };
/// Most enumerations that are tried.
const MOST_ATTEMPTS: usize = 80;
/// A word that raises no distance is kept where it makes the states no more than this many times as
/// many: it may matter with another one.
const CHEAP: usize = 4;

/// Enters what localizations say about distances between goals and from Init. `done`: cones that
/// have been enumerated as a whole.
pub(super) fn enter(
    task: &Task<'_>,
    initial: &[InitialState],
    done: &[Words],
    graph: &mut ReachGraph,
    session: &Session<'_>,
) -> Result<(), Stop> {
    let mut found: Vec<Words> = done.to_vec();
    // Results of the C library are inputs as wide as a float; what they are is found out again and
    // again.
    if !task.calls().is_empty() {
        return Ok(());
    }
    let mut localizer = Localizer::new(task, initial, session);
    for vertex in task.vertices() {
        let root = words_in(task, task.target(vertex).antecedent);
        if root.is_empty() || found.iter().any(|words| root.is_subset(words)) {
            continue;
        }
        let Some(localization) = localizer.localize(root)? else { continue };
        localization.distances.enter(graph);
        found.push(localization.words);
    }
    Ok(())
}

/// A localization that was enumerated.
struct Localization {
    words: Words,
    distances: Distances,
}

struct Localizer<'a> {
    task: &'a Task<'a>,
    initial: &'a [InitialState],
    session: &'a Session<'a>,
    /// By word: how many values simulation has seen.
    values: Vec<usize>,
    attempts: usize,
}

impl<'a> Localizer<'a> {
    fn new(task: &'a Task<'a>, initial: &'a [InitialState], session: &'a Session<'a>) -> Self {
        let seen = task.sample(session);
        let values = task.system.states.ids().map(|word| values(word, seen)).collect();
        Self { task, initial, session, values, attempts: 0 }
    }

    /// The localization that grows from these words; `None` where not even they can be enumerated.
    fn localize(&mut self, root: Words) -> Result<Option<Localization>, Stop> {
        let Some(mut best) = self.enumerate(root)? else { return Ok(None) };
        let mut dropped = Words::new();
        while let Some(wider) = self.widened(&best, &mut dropped)? {
            best = wider;
        }
        Ok(Some(best))
    }

    /// A localization with one more of the words behind those kept: the one that raises distances
    /// most or, where none does, leaves the fewest states. Words that cannot be afforded are
    /// dropped.
    fn widened(&mut self, narrow: &Localization, dropped: &mut Words) -> Result<Option<Localization>, Stop> {
        let mut best: Option<Localization> = None;
        for word in self.behind(&narrow.words) {
            if dropped.contains(&word) {
                continue;
            }
            let wider = narrow.words.iter().copied().chain([word]).collect();
            let Some(wider) = self.enumerate(wider)? else {
                dropped.insert(word);
                continue;
            };
            let gains = wider.distances.worth() > narrow.distances.worth();
            if !gains && wider.distances.states > CHEAP * narrow.distances.states {
                continue;
            }
            let rank = |known: &Localization| (known.distances.worth(), Reverse(known.distances.states));
            if best.as_ref().is_none_or(|best| rank(best) < rank(&wider)) {
                best = Some(wider);
            }
        }
        Ok(best)
    }

    /// The words that those kept depend on, those with few values first.
    fn behind(&self, kept: &Words) -> Vec<usize> {
        let system = self.task.system;
        let next = kept.iter().map(|&word| system.states[StateId::new(word)].next);
        let behind: Words = next.flat_map(|next| words_in(self.task, next)).collect();
        let mut behind: Vec<usize> = behind.difference(kept).copied().collect();
        behind.sort_by_key(|&word| self.values[word]);
        behind
    }

    /// `None`: beyond the limits.
    fn enumerate(&mut self, words: Words) -> Result<Option<Localization>, Stop> {
        if self.attempts == MOST_ATTEMPTS {
            return Ok(None);
        }
        self.attempts += 1;
        self.session.check_limits()?;
        let task = self.task;
        let speaks = |&goal: &Vertex| !words_in(task, task.target(goal).antecedent).is_disjoint(&words);
        let goals: Vec<Vertex> = task.vertices().filter(speaks).collect();
        let distances = Distances::over(task, &words, &goals, self.initial, LIMITS, self.session)?;
        Ok(distances.map(|distances| Localization { words, distances }))
    }
}

/// The words that a term speaks about.
pub(super) fn words_in(task: &Task<'_>, term: TermId) -> Words {
    states_in(task.system, term).map(Id::index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use crate::knowledge::vertex::numbered;
    use crate::options::Options;
    use crate::provers::explicit::Explicit;
    use crate::session::Silent;
    use crate::step::initial::initial_states;
    use model::text::parse;
    use model::validate::{Validated, validate};

    /// A mode that a filter of 16 bits switches, a timer in that mode, and an input that is
    /// compared with the filter.
    fn system(width: u32, end: &str) -> Validated {
        let text = format!(
            "system s input x w{width} input go w1
            state filter w{width} init 0 next (add (lshr filter 1) (lshr x 1))
            state mode w2 init 0 next (ite (eq timer 9) 2 (ite (ult 2 filter) (ite (eq go 1) 1 mode) (ite (ult x filter) 0 mode)))
            state timer w4 init 0 next (ite (eq mode 1) (ite (eq timer 9) 9 (add timer 1)) 0)
            goal on when (eq mode 1)
            goal late when (eq timer 7)
            goal tripped when (eq mode 2)
            goal never when (eq mode 3)
            goal again when (and (eq mode 1) (eq filter 3))
            {end}"
        );
        validate(parse(&text).expect("text of a system")).expect("a valid system")
    }

    fn localized(task: &Task<'_>, session: &Session<'_>) -> ReachGraph {
        let Ok(Some(initial)) = initial_states(task, 10, session) else { panic!("one initial state") };
        let mut graph = task.empty_graph();
        assert!(enter(task, &initial, &[], &mut graph, session).is_ok());
        graph
    }

    #[test]
    fn what_is_next_to_a_goal_gives_its_distance_whatever_is_behind() {
        let system = system(16, "");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let graph = localized(&task, &session);
        let [one, two, three, four] = numbered([1, 2, 3, 4]);
        let lower = |goal| graph.lower(Vertex::DEPOT, goal);
        assert_eq!([lower(one), lower(two), lower(three), lower(four)], [Some(1), Some(8), Some(11), None]);
        assert_eq!([graph.lower(two, three), graph.lower(three, two)], [Some(3), Some(8)]);
    }

    #[test]
    fn localizations_never_say_more_than_all_states_do() {
        for (width, end) in [(4, ""), (6, ""), (6, "end (eq mode 0)"), (8, "end (eq timer 0)")] {
            let system = system(width, end);
            let task = Task::new(&system, &all_goals(&system), Vec::new());
            let options = Options::default();
            let session = Session::new(&options, &Silent);
            let Ok(Some(initial)) = initial_states(&task, 10, &session) else { panic!("one state") };
            let limits = Limits { states: 100_000, classes: 1_000, outcomes: false, work: u64::MAX };
            let Ok(Some(all)) = Explicit::enumerate(&task, &initial, limits, &session) else {
                panic!("few states")
            };
            let graph = localized(&task, &session);
            for source in graph.vertices() {
                for (target, distance) in all.row(source) {
                    let lower = graph.lower(source, target);
                    let is_sound =
                        lower.map_or(distance.is_none(), |lower| distance.is_none_or(|steps| lower <= steps));
                    assert!(is_sound, "{source} to {target}: {lower:?} of {distance:?}");
                }
            }
        }
    }
}
