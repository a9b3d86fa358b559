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
use crate::step::cases::Modes;
use model::id::Id;
use model::product::{twin_name, twins};
use model::sort::Sort;
use model::system::{StateId, TransitionSystem};
use model::value::Value;
use std::cmp::Reverse;

/// Values of a mode in which twins may differ at most.
const MOST_VALUES: usize = MODE_VALUES / 2;

/// Pairs of twins of which more than equality is said at most, and modes at most.
const MOST: usize = 64;

/// See the module text.
pub(super) struct Twins {
    pairs: Vec<Pair>,
    /// Words of the original of which few values were seen, and how many.
    modes: Vec<(StateId, usize)>,
}

/// Modes that are looked at alone at most.
const MOST_ROUNDS: usize = 4;

/// A word of the original and a version's.
#[derive(Clone)]
struct Pair {
    words: [StateId; 2],
    /// Constants of their sort above zero, ascending; none of floats and single bits.
    limits: Vec<u128>,
}

/// Whether a system has twins.
pub(super) fn are_in(system: &TransitionSystem) -> bool {
    twins(system).next().is_some()
}

impl Twins {
    /// The twins of a system of which these states are reachable.
    pub(super) fn new(system: &TransitionSystem, states: &[Vec<Value>]) -> Self {
        let found: Vec<[StateId; 2]> = twins(system).take(MOST).collect();
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
        let mode = |state: StateId| {
            let is_own = twin_name(system.state_name(state)).is_none() && !is_float(system, state);
            let values = few_values(&all, state).filter(|values| is_own && values.len() > 1)?;
            Some((state, values.len()))
        };
        let modes = system.states.ids().filter_map(mode).take(MOST).collect();
        Self { pairs, modes }
    }

    /// The rounds in which they are guessed about apart: without modes, then for each mode alone,
    /// those with most values first.
    pub(super) fn rounds(&self) -> Vec<Modes> {
        let mut modes = self.modes.clone();
        modes.sort_by_key(|(mode, values)| (Reverse(*values), *mode));
        let each = modes.iter().map(|(mode, _)| Modes::Only(*mode)).take(MOST_ROUNDS);
        std::iter::once(Modes::None).chain(each).collect()
    }

    /// Keeps all pairs, and of the modes only these.
    pub(super) fn of(&self, modes: Modes) -> Self {
        let own = self.modes.iter().copied().filter(|(mode, _)| modes.contain(*mode));
        Self { pairs: self.pairs.clone(), modes: own.collect() }
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
                self.modes.iter().map(|(mode, _)| *mode).chain([*left, *right]).collect()
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
                let modes = self.modes.iter().filter(|(mode, _)| !words.contains(mode));
                let unless = |&(mode, _)| Claim::SameUnless { words, mode, values: vec![value(mode)] };
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
    use crate::provers::houdini::guess;
    use crate::random_simulation::{Effort, reachable_states};
    use crate::session::{Session, Silent};
    use model::id::Id;
    use model::product::{Join, Observation};
    use model::system::StateId;
    use model::text::parse;
    use model::validate::{Validated, validate};

    fn valid(text: &str) -> Validated {
        validate(parse(text).expect("a text of a system")).expect("a valid system")
    }

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
        valid(&text)
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
        guess(&task, &[], &session).expect("no limit should be reached");
        let facts = task.facts();
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

    /// The status of the goal that a version differs from the original in its first output.
    fn difference(original: &Validated, version: &Validated) -> &'static str {
        let seen = Observation { outputs: vec![(0, 0)], ..Observation::default() };
        difference_seen(original, version, &seen)
    }

    fn difference_seen(original: &Validated, version: &Validated, seen: &Observation) -> &'static str {
        let mut join = Join::new(original, &[]);
        let kills = join.add(version, seen).expect("a version").kills;
        join.add_goal("difference", kills);
        let joined = validate(join.system).expect("a valid system");
        let outcome = crate::find_chains(&joined, &Options::default(), &Silent).expect("an outcome");
        outcome.goals.values().next().expect("a goal").status.name()
    }

    /// Sums and products of floats, which nobody could prove equal bit by bit, in versions that
    /// differ in a word that nobody reads.
    #[test]
    fn arithmetic_over_equal_words_is_equal() {
        let controller = |unread: &str| {
            let text = format!(
                "system controller input x f32 input reset w1
                 state integral f32 init 0.0:f32
                     next (ite reset 0.0:f32 (float-add (float-mul integral 0.875:f32) x))
                 state filter f64 init 0.0:f64
                     next (float-add (float-mul filter 0.75:f64) (float-convert f64 integral))
                 state unread w8 init 0 next {unread}
                 output y (float-mul (float-convert f64 x) (float-add filter filter))"
            );
            valid(&text)
        };
        let reset = controller("(ite reset 0 (add unread 1))");
        assert_eq!(difference(&reset, &controller("(add unread 1)")), "unreachable");
    }

    /// An integral that starts elsewhere and is reset before it is used: equal in all modes but the
    /// first one.
    #[test]
    fn arithmetic_is_equal_in_each_mode() {
        let controller = |start: &str, gain: &str| {
            let text = format!(
                "system controller input x f32 input go w1
                 state mode w2 init 0 next (ite (eq mode 0) (ite go 1 0) (ite go 1 2))
                 state integral f32 init {start}:f32
                     next (ite (eq mode 0) (ite go 0.0:f32 integral) (float-add (float-mul integral {gain}:f32) x))
                 output y (ite (eq mode 0) 0.0:f32 (float-mul (float-add integral x) x))"
            );
            valid(&text)
        };
        let original = controller("0.0", "0.875");
        assert_eq!(difference(&original, &controller("1.0", "0.875")), "unreachable");
        assert_eq!(difference(&original, &controller("0.0", "0.75")), "covered");
    }

    /// Terms that are computed otherwise and have equal values lie between sums and products: a
    /// limit that is met is the same from either side.
    #[test]
    fn arithmetic_over_equal_terms_is_equal() {
        let controller = |is_above: &str, limit: &str| {
            let sum = "(float-add integral (float-mul x 0.5:f32))";
            let limited = format!("(ite ({is_above} {limit}:f32 {sum}) {limit}:f32 {sum})");
            let text = format!(
                "system controller input x f32 state integral f32 init 0.0:f32 next {limited}
                 output y (float-mul (float-add {limited} x) x)"
            );
            valid(&text)
        };
        let original = controller("float-lt", "15.0");
        assert_eq!(difference(&original, &controller("float-le", "15.0")), "unreachable");
        assert_eq!(difference(&original, &controller("float-le", "15.5")), "covered");
    }

    /// An integral that starts elsewhere, and is reset in the very step that uses it first.
    #[test]
    fn arithmetic_is_equal_where_a_word_is_reset_before_it_is_used() {
        let controller = |start: &str, reset: &str| {
            let runs = "(or (not (eq mode 0)) go)";
            let before = format!("(ite (eq mode 0) (ite go {reset}:f32 integral) integral)");
            let text = format!(
                "system controller input x f32 input go w1
                 state mode w2 init 0 next (ite (eq mode 0) (ite go 1 0) (ite go 1 2))
                 state integral f32 init {start}:f32
                     next (ite {runs} (float-add (float-mul {before} 0.875:f32) x) {before})
                 output y (ite {runs} (float-mul (float-add {before} x) x) 0.0:f32)"
            );
            valid(&text)
        };
        let original = controller("0.0", "0.0");
        assert_eq!(difference(&original, &controller("1.0", "0.0")), "unreachable");
        assert_eq!(difference(&original, &controller("0.0", "0.5")), "covered");
    }

    /// A version that loses its meaning where it would differ shows no difference, now or later.
    #[test]
    fn versions_that_lose_their_meaning_are_equal_before() {
        let controller = |otherwise: &str| {
            let sum = "(float-add (float-mul integral 0.875:f32) x)";
            let limited = format!("(ite (float-lt 60.0:f32 {sum}) {otherwise} {sum})");
            let text = format!(
                "system controller input x f32 state integral f32 init 0.0:f32 next {limited}
                 output y (float-mul {limited} x) output defined (not (float-lt 60.0:f32 {sum}))"
            );
            valid(&text)
        };
        let (original, version) = (controller("60.0:f32"), controller("x"));
        assert_eq!(difference(&original, &version), "covered");
        let defined = vec![version.outputs[1].value];
        let seen = Observation { outputs: vec![(0, 0)], defined, ..Observation::default() };
        assert_eq!(difference_seen(&original, &version, &seen), "unreachable");
    }
}
