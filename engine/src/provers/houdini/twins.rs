//! What may be said of a word of a system and its twin, the same word of another version of it.
//!
//! Versions that nobody can tell apart often differ in memory that is not read: a timer in states
//! that do not ask for it, counters beyond the last number that they are compared with. So twins
//! are taken to be equal, unless a third word (a mode) has one of a few values, or as long as one
//! of them is below a constant. Where a state refutes that, what is weaker takes its place: one
//! more value, a smaller constant.

use super::{MODE_VALUES, few_values, is_float, sort};
use crate::knowledge::invariants::{Claim, Fact};
use crate::random_simulation::constants;
use model::id::Id;
use model::product::twin_name;
use model::sort::Sort;
use model::system::{StateId, TransitionSystem};
use model::value::Value;
use rustc_hash::FxHashMap;

/// Values of a mode in which twins may differ at most.
const MOST_VALUES: usize = MODE_VALUES / 2;

/// Pairs of twins of which more than equality is said at most, and modes at most.
const MOST: usize = 64;

/// See the module text.
pub(super) struct Twins {
    pairs: Vec<Pair>,
    /// Words of the original of which few values were seen.
    modes: Vec<StateId>,
}

/// A word of the original and a version's.
struct Pair {
    words: [StateId; 2],
    /// Constants of their sort above zero, ascending; none of floats and single bits.
    limits: Vec<u128>,
}

impl Twins {
    /// The twins of a system of which these states are reachable.
    pub(super) fn new(system: &TransitionSystem, states: &[Vec<Value>]) -> Self {
        let name = |state: StateId| system.terms.symbol(system.states[state].symbol).name.as_str();
        let words: FxHashMap<&str, StateId> = system.states.ids().map(|state| (name(state), state)).collect();
        let twin = |state: StateId| {
            let twin = *words.get(twin_name(name(state))?)?;
            (sort(system, twin) == sort(system, state)).then_some([twin, state])
        };
        let found: Vec<[StateId; 2]> = system.states.ids().filter_map(twin).take(MOST).collect();
        if found.is_empty() {
            return Self { pairs: Vec::new(), modes: Vec::new() };
        }
        let constants = constants(system);
        let limits = |[word, _]: [StateId; 2]| {
            let own = constants.iter().find(|(known, _)| *known == sort(system, word));
            let own = own.filter(|(sort, _)| matches!(sort, Sort::Word(width) if *width > 1));
            own.map_or_else(Vec::new, |(_, values)| {
                values.iter().copied().filter(|&value| value > 0).collect()
            })
        };
        let pairs = found.into_iter().map(|words| Pair { words, limits: limits(words) }).collect();
        let all: Vec<&Vec<Value>> = states.iter().collect();
        let is_mode = |&state: &StateId| {
            let is_own = twin_name(name(state)).is_none() && !is_float(system, state);
            is_own && few_values(&all, state).is_some_and(|values| values.len() > 1)
        };
        let modes = system.states.ids().filter(is_mode).take(MOST).collect();
        Self { pairs, modes }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The strongest facts about twins that all the states satisfy.
    pub(super) fn candidates(&self, states: &[Vec<Value>]) -> Vec<Fact> {
        let mut facts = Vec::new();
        for &Pair { words: [left, right], .. } in &self.pairs {
            let mut own = vec![Fact { guard: None, claim: Claim::Same(left, right) }];
            for state in states {
                let (holding, broken): (Vec<Fact>, Vec<Fact>) =
                    own.into_iter().partition(|fact| fact.holds(state));
                own = holding;
                for fact in broken {
                    own.extend(self.weaker(&fact, &|word| state[word.index()].bits()));
                }
            }
            facts.extend(own);
        }
        facts
    }

    /// The words on whose values it depends what is weaker than a fact.
    pub(super) fn words_of(&self, fact: &Fact) -> Vec<StateId> {
        match &fact.claim {
            Claim::Same(left, right) if self.pair([*left, *right]).is_some() => {
                self.modes.iter().copied().chain([*left, *right]).collect()
            }
            Claim::SameUnless { mode, .. } => vec![*mode],
            Claim::SameBelow { words, .. } => words.to_vec(),
            _ => Vec::new(),
        }
    }

    /// What is weaker than a fact about twins that is broken by a state with these values, and
    /// holds there.
    pub(super) fn weaker(&self, fact: &Fact, value: &dyn Fn(StateId) -> u128) -> Vec<Fact> {
        let claims = match &fact.claim {
            Claim::Same(left, right) => {
                let words = [*left, *right];
                let Some(pair) = self.pair(words) else { return Vec::new() };
                let modes = self.modes.iter().filter(|mode| !words.contains(mode));
                let unless = |&mode| Claim::SameUnless { words, mode, values: vec![value(mode)] };
                modes.map(unless).chain(pair.below(value)).collect()
            }
            Claim::SameUnless { words, mode, values } if values.len() < MOST_VALUES => {
                let mut values = values.clone();
                values.push(value(*mode));
                values.sort_unstable();
                vec![Claim::SameUnless { words: *words, mode: *mode, values }]
            }
            Claim::SameBelow { words, .. } => {
                self.pair(*words).and_then(|pair| pair.below(value)).into_iter().collect()
            }
            _ => Vec::new(),
        };
        claims.into_iter().map(|claim| Fact { guard: None, claim }).collect()
    }

    fn pair(&self, words: [StateId; 2]) -> Option<&Pair> {
        self.pairs.iter().find(|pair| pair.words == words)
    }
}

impl Pair {
    /// The words are equal as long as one of them is below the greatest constant that neither of
    /// these values is below.
    fn below(&self, value: &dyn Fn(StateId) -> u128) -> Option<Claim> {
        let least = self.words.map(value).into_iter().min()?;
        let &limit = self.limits.iter().rfind(|&&limit| limit <= least)?;
        Some(Claim::SameBelow { words: self.words, limit })
    }
}

#[cfg(test)]
mod tests {
    use crate::knowledge::invariants::{Claim, Fact};
    use crate::knowledge::task::Task;
    use crate::options::Options;
    use crate::provers::houdini::invariants;
    use crate::random_simulation::{Effort, reachable_states};
    use crate::session::{Session, Silent};
    use model::id::Id;
    use model::product::{Join, Observation};
    use model::system::StateId;
    use model::text::parse;
    use model::validate::{Validated, validate};

    fn system(timer: &str, most: u32) -> Validated {
        let text = format!(
            "system job input x w1 input y w1
             state flag w1 init 0 next (xor flag (and x y))
             state mode w2 init 0 next (ite (eq mode 0) (ite (eq x 1) 1 0)
                 (ite (eq mode 1) (ite (eq timer 5) 2 1) (ite (eq x 1) 0 2)))
             state timer w8 init 0 next (ite (eq mode 1) (add timer 1) {timer})
             state count w8 init 0 next (ite (ult count {most}) (add count 1) count)
             output done (eq mode 2) output late (ult 20 count)"
        );
        validate(parse(&text).expect("a text of a system")).expect("a valid system")
    }

    /// A timer that a version does not reset where nobody asks for it, and a counter that stops one
    /// step later, long after what it is compared with.
    #[test]
    fn twins_differ_where_nobody_looks() {
        let mut join = Join::new(&system("0", 240), &[]);
        let seen = Observation { outputs: vec![(0, 0), (1, 1)], ..Observation::default() };
        let version = system("(ite (eq mode 2) timer 0)", 241);
        let kills = join.add(&version, &seen).expect("a version").kills;
        join.add_goal("difference", kills);
        let joined = validate(join.system).expect("a valid system");
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let task = Task::new(&joined, &[], Vec::new());
        let facts = invariants(&task, &[], &session).expect("no limit should be reached");
        let word = |name: &str| {
            let is_it = |&id: &StateId| joined.terms.symbol(joined.states[id].symbol).name == name;
            joined.states.ids().find(is_it).expect("a word")
        };
        let fact = |claim| Fact { guard: None, claim };
        let timers = [word("timer"), word("timer@1")];
        let counts = [word("count"), word("count@1")];
        let unless = Claim::SameUnless { words: timers, mode: word("mode"), values: vec![0, 2] };
        let below = Claim::SameBelow { words: counts, limit: 240 };
        assert!(facts.contains(&fact(unless)), "{facts:?}");
        assert!(facts.contains(&fact(below)), "{facts:?}");
        let states = reachable_states(&joined, &[], Effort { executions: 40, steps: 400 }, &session);
        let greatest = states.iter().map(|state| state[counts[1].index()].bits()).max();
        assert_eq!(greatest, Some(241));
        for fact in &facts {
            assert!(states.iter().all(|state| fact.holds(state)), "{fact:?}");
        }
        let outcome = crate::find_chains(&joined, &options, &Silent).expect("an outcome");
        let status = outcome.goals.values().next().expect("a goal").status.name();
        assert_eq!(status, "unreachable");
    }
}
