//! Random interfaces and what they mean, by enumeration of all values of all variables: it shares
//! nothing with the library but the text.

#![allow(dead_code, unreachable_pub, missing_docs)]

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub type State = Vec<i64>;

/// Where runs may be, and which goals they miss.
type Belief = BTreeSet<(Option<State>, BTreeSet<usize>)>;

/// For a state before and inputs the requirements that decide the step.
pub type Decided = BTreeMap<(Option<State>, State), BTreeSet<usize>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Input,
    Output,
    Hidden,
}

#[derive(Clone, Debug)]
pub enum Number {
    Value(usize, bool),
    Plus(usize, bool, i64),
    Constant(i64),
}

#[derive(Clone, Debug)]
pub enum Truth {
    Compare(&'static str, Number, Number),
    And(Box<Truth>, Box<Truth>),
    Or(Box<Truth>, Box<Truth>),
    Not(Box<Truth>),
}

#[derive(Clone, Debug)]
pub struct Contract {
    pub is_first: bool,
    pub assumption: Option<Truth>,
    pub guarantee: Truth,
}

#[derive(Clone, Debug)]
pub struct Random {
    /// Role and greatest value of each variable.
    pub variables: Vec<(Role, i64)>,
    pub requirements: Vec<Vec<Contract>>,
    pub purposes: Vec<Truth>,
    /// Which inputs occur.
    pub environment: Vec<Truth>,
    /// Whether some written assumption holds in each step of a chain but the first.
    pub no_idle: bool,
    /// The requirements that decide steps, by state before and inputs, as far as they were asked
    /// for.
    pub decided: RefCell<Decided>,
}

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

impl Number {
    fn text(&self) -> String {
        let name =
            |variable: usize, primed: bool| format!("{}{}", NAMES[variable], if primed { "'" } else { "" });
        match *self {
            Self::Value(variable, primed) => name(variable, primed),
            Self::Plus(variable, primed, constant) => format!("{} + {constant}", name(variable, primed)),
            Self::Constant(constant) => constant.to_string(),
        }
    }
    fn value(&self, before: &State, now: &State) -> i64 {
        let of = |variable: usize, primed: bool| if primed { now[variable] } else { before[variable] };
        match *self {
            Self::Value(variable, primed) => of(variable, primed),
            Self::Plus(variable, primed, constant) => of(variable, primed) + constant,
            Self::Constant(constant) => constant,
        }
    }
}

impl Truth {
    fn text(&self) -> String {
        match self {
            Self::Compare(op, left, right) => format!("{} {op} {}", left.text(), right.text()),
            Self::And(left, right) => format!("({}) and ({})", left.text(), right.text()),
            Self::Or(left, right) => format!("({}) or ({})", left.text(), right.text()),
            Self::Not(arg) => format!("not ({})", arg.text()),
        }
    }
    pub fn holds(&self, before: &State, now: &State) -> bool {
        match self {
            Self::Compare(op, left, right) => {
                let (left, right) = (left.value(before, now), right.value(before, now));
                match *op {
                    "=" => left == right,
                    "!=" => left != right,
                    "<" => left < right,
                    _ => left <= right,
                }
            }
            Self::And(left, right) => left.holds(before, now) && right.holds(before, now),
            Self::Or(left, right) => left.holds(before, now) || right.holds(before, now),
            Self::Not(arg) => !arg.holds(before, now),
        }
    }
}

struct Maker<'r> {
    random: &'r mut StdRng,
    variables: Vec<(Role, i64)>,
}

impl Maker<'_> {
    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.random.random_range(0..of.len())].clone()
    }
    /// Readings that are allowed.
    fn readings(&self, is_allowed: impl Fn(Role, bool) -> bool) -> Vec<(usize, bool)> {
        let all = (0..self.variables.len()).flat_map(|variable| [(variable, false), (variable, true)]);
        all.filter(|&(variable, primed)| is_allowed(self.variables[variable].0, primed)).collect()
    }
    fn truth(&mut self, of: &[(usize, bool)], depth: u32) -> Truth {
        if depth > 0 && self.random.random_bool(0.4) {
            let left = Box::new(self.truth(of, depth - 1));
            let right = Box::new(self.truth(of, depth - 1));
            return match self.random.random_range(0..3) {
                0 => Truth::And(left, right),
                1 => Truth::Or(left, right),
                _ => Truth::Not(left),
            };
        }
        let (variable, primed) = self.pick(of);
        let left = Number::Value(variable, primed);
        let right = match self.random.random_range(0..3) {
            0 => Number::Constant(self.random.random_range(0..=2)),
            kind => {
                let (variable, primed) = self.pick(of);
                match kind {
                    1 => Number::Value(variable, primed),
                    _ => Number::Plus(variable, primed, self.random.random_range(1..=2)),
                }
            }
        };
        Truth::Compare(self.pick(&["=", "=", "=", "!=", "<", "<="]), left, right)
    }
}

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let mut variables = vec![(Role::Input, 1), (Role::Output, random.random_range(1..=2))];
        for _ in 0..random.random_range(0..=2) {
            let role = [Role::Input, Role::Output, Role::Hidden, Role::Hidden][random.random_range(0..4)];
            variables.push((role, random.random_range(1..=2)));
        }
        let number = random.random_range(1..=5);
        let mut maker = Maker { random: &mut random, variables: variables.clone() };
        let requirements = (0..number)
            .map(|_| {
                let several = 1 + usize::from(maker.random.random_bool(0.2));
                (0..several).map(|_| contract(&mut maker)).collect()
            })
            .collect();
        let seen = maker.readings(|role, _| role != Role::Hidden);
        let purposes = (0..2).map(|_| maker.truth(&seen, 1)).collect();
        Self {
            variables,
            requirements,
            purposes,
            environment: Vec::new(),
            no_idle: false,
            decided: RefCell::default(),
        }
    }
    /// As [`new`](Self::new), with conditions on inputs, which may speak of earlier outputs.
    pub fn restricted(seed: u64) -> Self {
        let mut made = Self::new(seed);
        let mut random = StdRng::seed_from_u64(!seed);
        let number = random.random_range(1..=2);
        let mut maker = Maker { random: &mut random, variables: made.variables.clone() };
        let readings = maker.readings(|role, primed| !primed || role == Role::Input);
        made.decided.take();
        made.environment = (0..number).map(|_| maker.truth(&readings, 1)).collect();
        made
    }
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (index, (role, most)) in self.variables.iter().enumerate() {
            let word = match role {
                Role::Input => "input",
                Role::Output => "output",
                Role::Hidden => "hidden",
            };
            let _ = writeln!(text, "{word} {} : 0..{most}", NAMES[index]);
        }
        for (index, contracts) in self.requirements.iter().enumerate() {
            let _ = write!(text, "req r{index}");
            for contract in contracts {
                let first = if contract.is_first { " initially" } else { "" };
                let assumption = contract.assumption.as_ref();
                let assumption =
                    assumption.map_or_else(String::new, |truth| format!(" assume {}", truth.text()));
                let _ = write!(text, "{first}{assumption} guarantee {}", contract.guarantee.text());
            }
            text.push('\n');
        }
        for (index, purpose) in self.purposes.iter().enumerate() {
            let _ = writeln!(text, "purpose p{index}: {}", purpose.text());
        }
        for condition in &self.environment {
            let _ = writeln!(text, "environment {}", condition.text());
        }
        text
    }

    /// All values of the variables of some roles, the others from a state.
    pub fn completions(&self, from: &State, of: &[Role]) -> Vec<State> {
        let mut found = vec![from.clone()];
        for (variable, (role, most)) in self.variables.iter().enumerate() {
            if of.contains(role) {
                found = found
                    .into_iter()
                    .flat_map(|state| {
                        (0..=*most).map(move |value| {
                            let mut next = state.clone();
                            next[variable] = value;
                            next
                        })
                    })
                    .collect();
            }
        }
        found
    }
    pub fn zero(&self) -> State {
        vec![0; self.variables.len()]
    }
    pub fn inputs(&self) -> Vec<State> {
        self.completions(&self.zero(), &[Role::Input])
    }
    pub fn answers(&self, inputs: &State) -> Vec<State> {
        self.completions(inputs, &[Role::Output, Role::Hidden])
    }
    /// The requirements that a step violates; no state before: step 0.
    pub fn violated(&self, before: Option<&State>, now: &State) -> BTreeSet<usize> {
        let zero = self.zero();
        let old = before.unwrap_or(&zero);
        let is_violated = |contract: &Contract| {
            contract.is_first == before.is_none()
                && contract.assumption.as_ref().is_none_or(|truth| truth.holds(old, now))
                && !contract.guarantee.holds(old, now)
        };
        let requirements = self.requirements.iter().enumerate();
        requirements
            .filter(|(_, contracts)| contracts.iter().any(is_violated))
            .map(|(index, _)| index)
            .collect()
    }
    /// Whether inputs occur behind a state, or in step 0.
    pub fn occurs(&self, before: Option<&State>, now: &State) -> bool {
        let zero = self.zero();
        let old = before.unwrap_or(&zero);
        let is_kept =
            |truth: &Truth| (before.is_none() && reads_before(&truth.text())) || truth.holds(old, now);
        self.environment.iter().all(is_kept)
    }
    pub fn allows(&self, selected: &BTreeSet<usize>, before: Option<&State>, now: &State) -> bool {
        self.violated(before, now).is_disjoint(selected)
    }
    pub fn all(&self) -> BTreeSet<usize> {
        (0..self.requirements.len()).collect()
    }
    fn states(&self) -> Vec<State> {
        self.completions(&self.zero(), &[Role::Input, Role::Output, Role::Hidden])
    }
    /// The states from which the system can go on for ever, and the least k for which it is not
    /// k-consistent.
    pub fn solve(&self, selected: &BTreeSet<usize>) -> (BTreeSet<State>, Option<usize>) {
        let mut good: BTreeSet<State> = self.states().into_iter().collect();
        let can = |before: Option<&State>, good: &BTreeSet<State>| {
            self.inputs().iter().filter(|inputs| self.occurs(before, inputs)).all(|inputs| {
                self.answers(inputs)
                    .iter()
                    .any(|now| good.contains(now) && self.allows(selected, before, now))
            })
        };
        let mut depth = 0;
        loop {
            if !can(None, &good) {
                return (good, Some(depth));
            }
            let next: BTreeSet<State> =
                good.iter().filter(|state| can(Some(state), &good)).cloned().collect();
            if next == good {
                return (good, None);
            }
            good = next;
            depth += 1;
        }
    }
    /// Minimal sets of requirements that are not k-consistent; none: for some k.
    pub fn conflicts(&self, within: Option<usize>) -> BTreeSet<Vec<usize>> {
        let number = self.requirements.len();
        let subset =
            |bits: usize| (0..number).filter(|index| bits >> index & 1 == 1).collect::<BTreeSet<usize>>();
        let is_conflict = |bits: usize| match self.solve(&subset(bits)).1 {
            None => false,
            Some(depth) => within.is_none_or(|within| depth <= within),
        };
        let known: Vec<bool> = (0..1 << number).map(is_conflict).collect();
        let is_minimal = |bits: &usize| {
            known[*bits] && (0..number).all(|index| bits >> index & 1 == 0 || !known[bits & !(1 << index)])
        };
        (0..1 << number).filter(is_minimal).map(|bits| subset(bits).into_iter().collect()).collect()
    }
    /// Minimal sets of requirements without which the others are consistent.
    pub fn repairs(&self) -> BTreeSet<Vec<usize>> {
        let number = self.requirements.len();
        let subset =
            |bits: usize| (0..number).filter(|index| bits >> index & 1 == 1).collect::<BTreeSet<usize>>();
        let known: Vec<bool> =
            (0..1 << number).map(|bits: usize| self.solve(&subset(!bits)).1.is_none()).collect();
        let is_minimal = |bits: &usize| {
            known[*bits] && (0..number).all(|index| bits >> index & 1 == 0 || !known[bits & !(1 << index)])
        };
        (0..1 << number).filter(is_minimal).map(|bits| subset(bits).into_iter().collect()).collect()
    }
    /// The branches of requirements that apply for several reasons: a contract, and one of the
    /// alternatives that it assumes.
    pub fn branches(&self) -> Vec<(&Contract, Option<&Truth>)> {
        fn alternatives(truth: &Truth) -> Vec<&Truth> {
            match truth {
                Truth::Or(left, right) => [alternatives(left), alternatives(right)].concat(),
                _ => vec![truth],
            }
        }
        let of = |contracts: &'_ [Contract]| -> usize {
            let count = |one: &Contract| one.assumption.as_ref().map_or(1, |all| alternatives(all).len());
            contracts.iter().map(count).sum()
        };
        let mut found = Vec::new();
        for contract in self.requirements.iter().filter(|contracts| of(contracts) > 1).flatten() {
            match &contract.assumption {
                None => found.push((contract, None)),
                Some(all) => found.extend(alternatives(all).into_iter().map(|one| (contract, Some(one)))),
            }
        }
        found
    }
    /// The requirements that decide a step: some answer breaks only that one.
    pub fn deciding(&self, before: Option<&State>, now: &State) -> BTreeSet<usize> {
        let mut inputs = now.clone();
        for (value, (role, _)) in inputs.iter_mut().zip(&self.variables) {
            if *role != Role::Input {
                *value = 0;
            }
        }
        let key = (before.cloned(), inputs);
        if let Some(known) = self.decided.borrow().get(&key) {
            return known.clone();
        }
        let broken = self.answers(&key.1).into_iter().map(|other| self.violated(before, &other));
        let found: BTreeSet<usize> = broken.filter(|broken| broken.len() == 1).flatten().collect();
        self.decided.borrow_mut().insert(key, found.clone());
        found
    }
    /// The goals that a step meets: requirements, then purposes, then branches, then for each
    /// requirement whether it decides the step. A purpose over the step before is not met in step
    /// 0.
    pub fn met(&self, before: Option<&State>, now: &State) -> BTreeSet<usize> {
        let zero = self.zero();
        let old = before.unwrap_or(&zero);
        let number = self.requirements.len();
        let is_triggered = |contract: &Contract| {
            contract.is_first == before.is_none()
                && contract.assumption.as_ref().is_none_or(|truth| truth.holds(old, now))
        };
        let requirements = (0..number).filter(|&index| self.requirements[index].iter().any(is_triggered));
        let is_met =
            |purpose: &Truth| (before.is_some() || !reads_before(&purpose.text())) && purpose.holds(old, now);
        let purposes = (0..self.purposes.len()).filter(|&index| is_met(&self.purposes[index]));
        let branches = self.branches();
        let is_taken = |&index: &usize| {
            let (contract, alternative) = branches[index];
            is_triggered(contract) && alternative.is_none_or(|truth| truth.holds(old, now))
        };
        let first = number + self.purposes.len();
        let last = first + branches.len();
        let taken = (0..branches.len()).filter(is_taken).map(|index| first + index);
        let deciding = self.deciding(before, now).into_iter().map(|index| last + index);
        requirements.chain(purposes.map(|index| number + index)).chain(taken).chain(deciding).collect()
    }
    /// The requirements that decide some step that a system can come to that always goes on.
    pub fn ever_deciding(&self) -> BTreeSet<usize> {
        let (good, _) = self.solve(&self.all());
        let mut open: Vec<Option<State>> = vec![None];
        let mut seen: BTreeSet<State> = BTreeSet::new();
        let mut found = BTreeSet::new();
        while let Some(before) = open.pop() {
            for inputs in self.inputs().iter().filter(|inputs| self.occurs(before.as_ref(), inputs)) {
                found.extend(self.deciding(before.as_ref(), inputs));
                for now in self.answers(inputs) {
                    let is_right = good.contains(&now) && self.allows(&self.all(), before.as_ref(), &now);
                    if is_right && seen.insert(now.clone()) {
                        open.push(Some(now));
                    }
                }
            }
        }
        found
    }
    /// Whether a tester may not give the inputs of a step.
    fn is_refused(&self, before: Option<&State>, inputs: &State) -> bool {
        !self.occurs(before, inputs) || self.is_idle(before, inputs)
    }
    /// Whether a step has no place in a chain.
    fn is_idle(&self, before: Option<&State>, now: &State) -> bool {
        let is_triggered = |contract: &Contract| {
            let assumption = contract.assumption.as_ref().filter(|_| !contract.is_first);
            assumption.zip(before).is_some_and(|(truth, old)| truth.holds(old, now))
        };
        self.no_idle && before.is_some() && !self.requirements.iter().flatten().any(is_triggered)
    }
    /// Whether some execution meets a goal, also one that no system could go on from.
    pub fn reaches(&self, goal: usize) -> bool {
        let all = self.all();
        let mut open: Vec<Option<State>> = vec![None];
        let mut seen: BTreeSet<State> = BTreeSet::new();
        while let Some(before) = open.pop() {
            for now in self.inputs().iter().flat_map(|inputs| self.answers(inputs)) {
                if self.occurs(before.as_ref(), &now) && self.allows(&all, before.as_ref(), &now) {
                    if self.met(before.as_ref(), &now).contains(&goal) {
                        return true;
                    }
                    if seen.insert(now.clone()) {
                        open.push(Some(now));
                    }
                }
            }
        }
        false
    }
    /// The least number of steps in which some run meets the goals, as far as they can be met
    /// within a bound.
    pub fn shortest(&self, goals: &BTreeSet<usize>, most: usize) -> Option<usize> {
        let all = self.all();
        let (good, _) = self.solve(&all);
        let mut states: BTreeSet<(Option<State>, BTreeSet<usize>)> = BTreeSet::from([(None, goals.clone())]);
        for length in 1..=most {
            let mut next = BTreeSet::new();
            for (before, missing) in &states {
                for now in self.inputs().iter().flat_map(|inputs| self.answers(inputs)) {
                    let is_refused = self.is_refused(before.as_ref(), &now);
                    if !is_refused && good.contains(&now) && self.allows(&all, before.as_ref(), &now) {
                        let met = self.met(before.as_ref(), &now);
                        let left: BTreeSet<usize> = missing.difference(&met).copied().collect();
                        if left.is_empty() {
                            return Some(length);
                        }
                        next.insert((Some(now), left));
                    }
                }
            }
            states = next;
        }
        None
    }
    /// Whether all runs under given inputs meet the goals, and the tester may give these in all.
    pub fn is_certain(&self, goals: &BTreeSet<usize>, inputs: &[State]) -> bool {
        let all = self.all();
        let (good, _) = self.solve(&all);
        let mut states: BTreeSet<(Option<State>, BTreeSet<usize>)> = BTreeSet::from([(None, goals.clone())]);
        for given in inputs {
            let mut next = BTreeSet::new();
            for (before, missing) in &states {
                if self.is_refused(before.as_ref(), given) {
                    return false;
                }
                for now in self.answers(given) {
                    if good.contains(&now) && self.allows(&all, before.as_ref(), &now) {
                        let met = self.met(before.as_ref(), &now);
                        next.insert((Some(now), missing.difference(&met).copied().collect()));
                    }
                }
            }
            states = next;
        }
        states.iter().all(|(_, missing)| missing.is_empty())
    }
    /// The logs that show all that is allowed under given inputs; hidden values are 0.
    pub fn logs(&self, inputs: &[State]) -> Vec<Vec<State>> {
        let mut found: Vec<(Vec<State>, BTreeSet<Option<State>>)> =
            vec![(Vec::new(), BTreeSet::from([None]))];
        for given in inputs {
            let longer = found.into_iter().flat_map(|(log, belief)| {
                let next = self.seen_behind(&belief, given);
                next.into_iter().map(move |(seen, behind)| {
                    let log: Vec<State> = log.iter().cloned().chain([seen]).collect();
                    (log, behind)
                })
            });
            found = longer.collect();
        }
        found.into_iter().map(|(log, _)| log).collect()
    }
    /// What may be seen of a step, each with the states where the system may be then.
    fn seen_behind(
        &self,
        belief: &BTreeSet<Option<State>>,
        inputs: &State,
    ) -> BTreeMap<State, BTreeSet<Option<State>>> {
        let all = self.all();
        let mut found: BTreeMap<State, BTreeSet<Option<State>>> = BTreeMap::new();
        for before in belief {
            for now in self.answers(inputs) {
                if self.allows(&all, before.as_ref(), &now) {
                    found.entry(self.seen(&now)).or_default().insert(Some(now));
                }
            }
        }
        found
    }
    /// Whether some inputs of so many steps behind a log leave no way to be answered, whatever
    /// hidden values and outputs are chosen.
    pub fn is_doomed(&self, log: &[State], steps: usize) -> bool {
        let mut belief = BTreeSet::from([None]);
        for now in log {
            belief = self.seen_behind(&belief, now).remove(&self.seen(now)).unwrap_or_default();
        }
        self.can_be_stuck(&belief, steps)
    }
    fn can_be_stuck(&self, belief: &BTreeSet<Option<State>>, steps: usize) -> bool {
        steps > 0
            && self.inputs().iter().any(|inputs| {
                let occurs = belief.iter().all(|before| self.occurs(before.as_ref(), inputs));
                let behind = self.seen_behind(belief, inputs);
                occurs && behind.values().all(|next| self.can_be_stuck(next, steps - 1))
            })
    }
    /// The least number of steps in which inputs that depend on what is seen meet the goals
    /// whatever is answered, as far as a bound allows.
    pub fn adaptive(&self, goals: &BTreeSet<usize>, most: usize) -> Option<usize> {
        let (good, _) = self.solve(&self.all());
        let start = BTreeSet::from([(None, goals.clone())]);
        (0..=most).find(|&steps| self.can_adapt(&good, &start, steps))
    }
    fn can_adapt(&self, good: &BTreeSet<State>, belief: &Belief, left: usize) -> bool {
        if belief.iter().all(|(_, missing)| missing.is_empty()) {
            return true;
        }
        let all = self.all();
        left > 0
            && self.inputs().iter().any(|inputs| {
                if belief.iter().any(|(before, _)| self.is_refused(before.as_ref(), inputs)) {
                    return false;
                }
                let mut seen: BTreeMap<State, Belief> = BTreeMap::new();
                for (before, missing) in belief {
                    for now in self.answers(inputs) {
                        if good.contains(&now) && self.allows(&all, before.as_ref(), &now) {
                            let met = self.met(before.as_ref(), &now);
                            let missing = missing.difference(&met).copied().collect();
                            seen.entry(self.seen(&now)).or_default().insert((Some(now), missing));
                        }
                    }
                }
                seen.values().all(|next| self.can_adapt(good, next, left - 1))
            })
    }
    /// A state with 0 for hidden values.
    fn seen(&self, state: &State) -> State {
        let values = self.variables.iter().zip(state);
        values.map(|((role, _), &value)| if *role == Role::Hidden { 0 } else { value }).collect()
    }
    /// A log whose steps are mostly allowed where something is.
    pub fn log(&self, chance: &mut StdRng) -> Vec<State> {
        let mut steps: Vec<State> = Vec::new();
        for _ in 0..chance.random_range(1..=6) {
            let inputs = self.inputs();
            let inputs = &inputs[chance.random_range(0..inputs.len())];
            let answers = self.answers(inputs);
            let allowed: Vec<&State> =
                answers.iter().filter(|now| self.allows(&self.all(), steps.last(), now)).collect();
            let is_honest = !allowed.is_empty() && chance.random_bool(0.85);
            steps.push(match is_honest {
                true => allowed[chance.random_range(0..allowed.len())].clone(),
                false => answers[chance.random_range(0..answers.len())].clone(),
            });
        }
        steps
    }
    /// For each step of a log, up to the first that is not allowed, what each requirement says: in
    /// how many of the states where the system may be it is triggered, of how many, and whether it
    /// decides.
    pub fn marks(&self, log: &[State]) -> Vec<Vec<(usize, usize, bool)>> {
        let all = self.all();
        let mut belief: BTreeSet<Option<State>> = BTreeSet::from([None]);
        let mut found = Vec::new();
        for observed in log {
            if belief.is_empty() {
                break;
            }
            let of = |index: usize| {
                let is_triggered =
                    |before: &&Option<State>| self.met(before.as_ref(), observed).contains(&index);
                let triggered: Vec<&Option<State>> = belief.iter().filter(is_triggered).collect();
                let decides = triggered.iter().any(|before| {
                    let only = BTreeSet::from([index]);
                    self.answers(observed).iter().any(|now| self.violated(before.as_ref(), now) == only)
                });
                (triggered.len(), belief.len(), decides)
            };
            found.push((0..self.requirements.len()).map(of).collect());
            let next = belief.iter().flat_map(|before| {
                let now = self.completions(observed, &[Role::Hidden]).into_iter();
                now.filter(|now| self.allows(&all, before.as_ref(), now))
            });
            belief = next.map(Some).collect();
        }
        found
    }
    /// All logs that agree with one but for some outputs, which may have any values.
    pub fn completed(&self, log: &[State], unseen: &[usize]) -> Vec<Vec<State>> {
        let mut found: Vec<Vec<State>> = vec![Vec::new()];
        for observed in log {
            let mut steps = vec![observed.clone()];
            for &variable in unseen {
                let of = |step: State| {
                    (0..=self.variables[variable].1).map(move |value| {
                        let mut step = step.clone();
                        step[variable] = value;
                        step
                    })
                };
                steps = steps.into_iter().flat_map(of).collect();
            }
            let longer =
                |log: Vec<State>| steps.clone().into_iter().map(move |step| [&log[..], &[step]].concat());
            found = found.into_iter().flat_map(longer).collect();
        }
        found
    }
    /// Whether a log breaks the requirements before it has inputs that do not occur.
    pub fn fails(&self, log: &[State]) -> bool {
        let failed = self.judge(log).map(|(step, _)| step);
        // The environment does not speak of hidden values.
        let refused = (0..log.len()).find(|&step| {
            let before = step.checked_sub(1).map(|before| &log[before]);
            !self.occurs(before, &log[step])
        });
        failed.is_some_and(|failed| refused.is_none_or(|refused| failed < refused))
    }
    /// The first step of a log that no hidden values allow, and the minimal sets of requirements
    /// that explain it.
    pub fn judge(&self, log: &[State]) -> Option<(usize, BTreeSet<Vec<usize>>)> {
        let all = self.all();
        let mut belief: BTreeSet<Option<State>> = BTreeSet::from([None]);
        for (step, observed) in log.iter().enumerate() {
            let mut next = BTreeSet::new();
            let mut violated: BTreeMap<Vec<usize>, ()> = BTreeMap::new();
            for before in &belief {
                for now in self.completions(observed, &[Role::Hidden]) {
                    if self.allows(&all, before.as_ref(), &now) {
                        next.insert(Some(now));
                    } else {
                        violated.insert(self.violated(before.as_ref(), &now).into_iter().collect(), ());
                    }
                }
            }
            if next.is_empty() {
                let sets: Vec<BTreeSet<usize>> =
                    violated.keys().map(|set| set.iter().copied().collect()).collect();
                let is_minimal =
                    |set: &&BTreeSet<usize>| !sets.iter().any(|other| other != *set && other.is_subset(set));
                let minimal = sets.iter().filter(is_minimal).map(|set| set.iter().copied().collect());
                return Some((step, minimal.collect()));
            }
            belief = next;
        }
        None
    }
}

fn contract(maker: &mut Maker<'_>) -> Contract {
    let is_first = maker.random.random_bool(0.3);
    let assumed = maker.readings(|role, primed| if primed { role == Role::Input } else { !is_first });
    let guaranteed = maker.readings(|_, primed| primed || !is_first);
    let assumption = maker.random.random_bool(0.6).then(|| maker.truth(&assumed, 1));
    Contract { is_first, assumption, guarantee: maker.truth(&guaranteed, 2) }
}

/// Whether a purpose of a text speaks of the step before.
pub fn reads_before(text: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic() && c != '\'').any(|word| NAMES.contains(&word))
}
