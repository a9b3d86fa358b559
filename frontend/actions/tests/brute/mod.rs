//! Action systems for tests: own trees, texts, relations, refinement and conformance, by enumeration.

use rand::Rng;
use rand::rngs::SmallRng;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub(crate) type State = Vec<i64>;

#[derive(Clone, Debug)]
pub(crate) enum Number {
    Variable(usize),
    Parameter,
    Constant(i64),
    Sum(Box<Number>, Box<Number>),
    Difference(Box<Number>, Box<Number>),
}

#[derive(Clone, Debug)]
pub(crate) enum Truth {
    True,
    Compare(usize, Number, Number),
    And(Box<Truth>, Box<Truth>),
    Or(Box<Truth>, Box<Truth>),
    Not(Box<Truth>),
}

const COMPARISONS: [&str; 6] = ["=", "!=", "<", "<=", ">", ">="];

#[derive(Clone, Debug)]
pub(crate) enum Body {
    Skip,
    Assign(Vec<(usize, Number)>),
    Any(usize, Number, Number),
    Guard(Truth, Box<Body>),
    Sequence(Vec<Body>),
    Prioritised(Vec<Body>),
    Choice(Vec<Body>),
}

#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) kind: &'static str,
    pub(crate) greatest: Option<i64>,
    pub(crate) when: Option<Truth>,
    pub(crate) body: Body,
}

#[derive(Clone, Debug)]
pub(crate) enum Block {
    Action(usize),
    Prioritised(Vec<Block>),
    Choice(Vec<Block>),
}

#[derive(Clone, Debug)]
pub(crate) struct System {
    /// Greatest and initial value of each variable.
    pub(crate) variables: Vec<(i64, i64)>,
    pub(crate) actions: Vec<Action>,
    pub(crate) block: Option<Block>,
}

// ---- texts ----

impl Number {
    fn text(&self) -> String {
        match self {
            Self::Variable(number) => format!("x{number}"),
            Self::Parameter => "p".to_owned(),
            Self::Constant(value) => value.to_string(),
            Self::Sum(left, right) => format!("({} + {})", left.text(), right.text()),
            Self::Difference(left, right) => format!("({} - {})", left.text(), right.text()),
        }
    }
}

impl Truth {
    fn text(&self) -> String {
        match self {
            Self::True => "true".to_owned(),
            Self::Compare(op, left, right) => {
                format!("({} {} {})", left.text(), COMPARISONS[*op], right.text())
            }
            Self::And(left, right) => format!("({} and {})", left.text(), right.text()),
            Self::Or(left, right) => format!("({} or {})", left.text(), right.text()),
            Self::Not(truth) => format!("(not {})", truth.text()),
        }
    }
}

impl Body {
    fn text(&self) -> String {
        let joined = |parts: &[Self], operator: &str| {
            let parts: Vec<String> = parts.iter().map(|part| format!("({})", part.text())).collect();
            parts.join(operator)
        };
        match self {
            Self::Skip => "skip".to_owned(),
            Self::Assign(assignments) => {
                let targets: Vec<String> =
                    assignments.iter().map(|(target, _)| format!("x{target}")).collect();
                let values: Vec<String> = assignments.iter().map(|(_, value)| value.text()).collect();
                format!("{} := {}", targets.join(", "), values.join(", "))
            }
            Self::Any(target, lo, hi) => format!("x{target} :in {}..{}", lo.text(), hi.text()),
            Self::Guard(guard, body) => format!("{} => ({})", guard.text(), body.text()),
            Self::Sequence(parts) => joined(parts, "; "),
            Self::Prioritised(parts) => joined(parts, " // "),
            Self::Choice(parts) => joined(parts, " [] "),
        }
    }
}

impl Block {
    fn text(&self) -> String {
        let joined = |parts: &[Self], operator: &str| {
            let parts: Vec<String> = parts.iter().map(|part| format!("({})", part.text())).collect();
            parts.join(operator)
        };
        match self {
            Self::Action(number) => format!("a{number}"),
            Self::Prioritised(parts) => joined(parts, " // "),
            Self::Choice(parts) => joined(parts, " [] "),
        }
    }
}

impl System {
    pub(crate) fn text(&self) -> String {
        let mut text = "system random\n".to_owned();
        for (number, (greatest, initial)) in self.variables.iter().enumerate() {
            text += &format!("var x{number} : 0..{greatest} := {initial}\n");
        }
        for (number, action) in self.actions.iter().enumerate() {
            text += &format!("{} a{number}", action.kind);
            if let Some(greatest) = action.greatest {
                text += &format!("(p : 0..{greatest})");
            }
            if let Some(when) = &action.when {
                text += &format!(" when {}", when.text());
            }
            text += &format!(" is {}\n", action.body.text());
        }
        if let Some(block) = &self.block {
            text += &format!("do {} od\n", block.text());
        }
        text
    }
    /// All states, reached or not.
    pub(crate) fn states(&self) -> Vec<State> {
        let mut found = vec![Vec::new()];
        for (greatest, _) in &self.variables {
            found = found
                .iter()
                .flat_map(|state: &State| {
                    (0..=*greatest).map(move |value| [state.clone(), vec![value]].concat())
                })
                .collect();
        }
        found
    }
    fn initial(&self) -> State {
        self.variables.iter().map(|(_, initial)| *initial).collect()
    }
}

impl Action {
    pub(crate) fn arguments(&self) -> Vec<Option<i64>> {
        self.greatest.map_or_else(|| vec![None], |greatest| (0..=greatest).map(Some).collect())
    }
}

// ---- relations ----

impl Number {
    fn value(&self, state: &State, argument: Option<i64>) -> i64 {
        match self {
            Self::Variable(number) => state[*number],
            Self::Parameter => argument.expect("a parameter"),
            Self::Constant(value) => *value,
            Self::Sum(left, right) => left.value(state, argument) + right.value(state, argument),
            Self::Difference(left, right) => left.value(state, argument) - right.value(state, argument),
        }
    }
}

impl Truth {
    fn holds(&self, state: &State, argument: Option<i64>) -> bool {
        match self {
            Self::True => true,
            Self::Compare(op, left, right) => {
                let (left, right) = (left.value(state, argument), right.value(state, argument));
                [left == right, left != right, left < right, left <= right, left > right, left >= right][*op]
            }
            Self::And(left, right) => left.holds(state, argument) && right.holds(state, argument),
            Self::Or(left, right) => left.holds(state, argument) || right.holds(state, argument),
            Self::Not(truth) => !truth.holds(state, argument),
        }
    }
}

fn posts(system: &System, body: &Body, state: &State, argument: Option<i64>) -> BTreeSet<State> {
    match body {
        Body::Skip => BTreeSet::from([state.clone()]),
        Body::Assign(assignments) => {
            let mut after = state.clone();
            for (target, value) in assignments {
                after[*target] = value.value(state, argument);
            }
            let fits = after
                .iter()
                .zip(&system.variables)
                .all(|(value, (greatest, _))| (0..=*greatest).contains(value));
            if fits { BTreeSet::from([after]) } else { BTreeSet::new() }
        }
        Body::Any(target, lo, hi) => {
            let (lo, hi) = (lo.value(state, argument), hi.value(state, argument));
            let all = 0..=system.variables[*target].0;
            all.filter(|value| lo <= *value && *value <= hi)
                .map(|value| {
                    let mut after = state.clone();
                    after[*target] = value;
                    after
                })
                .collect()
        }
        Body::Guard(guard, body) if guard.holds(state, argument) => posts(system, body, state, argument),
        Body::Guard(..) => BTreeSet::new(),
        Body::Sequence(parts) => parts.iter().fold(BTreeSet::from([state.clone()]), |states, part| {
            states.iter().flat_map(|state| posts(system, part, state, argument)).collect()
        }),
        Body::Prioritised(parts) => {
            let all = parts.iter().map(|part| posts(system, part, state, argument));
            all.into_iter().find(|states| !states.is_empty()).unwrap_or_default()
        }
        Body::Choice(parts) => parts.iter().flat_map(|part| posts(system, part, state, argument)).collect(),
    }
}

fn raw(system: &System, state: &State, action: usize, argument: Option<i64>) -> BTreeSet<State> {
    let description = &system.actions[action];
    if description.when.as_ref().is_some_and(|when| !when.holds(state, argument)) {
        return BTreeSet::new();
    }
    posts(system, &description.body, state, argument)
}

fn has_step(system: &System, state: &State, action: usize) -> bool {
    system.actions[action]
        .arguments()
        .into_iter()
        .any(|argument| !raw(system, state, action, argument).is_empty())
}

/// The actions that the block lets move.
fn allowed(system: &System, block: &Block, state: &State) -> BTreeSet<usize> {
    match block {
        Block::Action(action) if has_step(system, state, *action) => BTreeSet::from([*action]),
        Block::Action(_) => BTreeSet::new(),
        Block::Choice(parts) => parts.iter().flat_map(|part| allowed(system, part, state)).collect(),
        Block::Prioritised(parts) => {
            let all = parts.iter().map(|part| allowed(system, part, state));
            all.into_iter().find(|actions| !actions.is_empty()).unwrap_or_default()
        }
    }
}

/// The step relation.
pub(crate) fn steps(system: &System, state: &State, action: usize, argument: Option<i64>) -> BTreeSet<State> {
    match &system.block {
        Some(block) if !allowed(system, block, state).contains(&action) => BTreeSet::new(),
        _ => raw(system, state, action, argument),
    }
}

pub(crate) type Label = (usize, Option<i64>);

fn labels(system: &System) -> Vec<Label> {
    let all = system.actions.iter().enumerate();
    all.flat_map(|(number, action)| action.arguments().into_iter().map(move |argument| (number, argument)))
        .collect()
}

/// Reachable states with their depths.
fn reachable(system: &System) -> BTreeMap<State, u32> {
    let mut depth = BTreeMap::from([(system.initial(), 0)]);
    let mut queue = VecDeque::from([system.initial()]);
    while let Some(state) = queue.pop_front() {
        let next = depth[&state] + 1;
        for (action, argument) in labels(system) {
            for after in steps(system, &state, action, argument) {
                if !depth.contains_key(&after) {
                    depth.insert(after.clone(), next);
                    queue.push_back(after);
                }
            }
        }
    }
    depth
}

// ---- refinement and conformance ----

/// States of the original, with their depths, from which the mutant has a step that the original has not.
pub(crate) fn unsafe_states(original: &System, mutant: &System) -> Vec<(u32, State)> {
    let leaves = |state: &State| {
        labels(original).into_iter().any(|(action, argument)| {
            !steps(mutant, state, action, argument).is_subset(&steps(original, state, action, argument))
        })
    };
    reachable(original)
        .into_iter()
        .filter(|(state, _)| leaves(state))
        .map(|(state, depth)| (depth, state))
        .collect()
}

pub(crate) fn is_equivalent(original: &System, mutant: &System) -> bool {
    let same = |state: &State| {
        labels(original).into_iter().all(|(action, argument)| {
            steps(mutant, state, action, argument) == steps(original, state, action, argument)
        })
    };
    original.initial() == mutant.initial() && reachable(original).keys().all(same)
}

fn closed(system: &System, mut states: BTreeSet<State>) -> BTreeSet<State> {
    loop {
        let more: BTreeSet<State> = states
            .iter()
            .flat_map(|state| labels(system).into_iter().map(move |label| (state, label)))
            .filter(|(_, (action, _))| system.actions[*action].kind == "int")
            .flat_map(|(state, (action, argument))| steps(system, state, action, argument))
            .collect();
        let before = states.len();
        states.extend(more);
        if states.len() == before {
            return states;
        }
    }
}

fn is_quiet(system: &System, state: &State) -> bool {
    labels(system).into_iter().all(|(action, argument)| {
        system.actions[action].kind == "ctr" || steps(system, state, action, argument).is_empty()
    })
}

/// The states after an observation; no label is silence.
fn seen(system: &System, states: &BTreeSet<State>, what: Option<Label>) -> BTreeSet<State> {
    let after = match what {
        Some((action, argument)) => {
            states.iter().flat_map(|state| steps(system, state, action, argument)).collect()
        }
        None => states.iter().filter(|state| is_quiet(system, state)).cloned().collect(),
    };
    closed(system, after)
}

fn stimulated(
    system: &System,
    states: &BTreeSet<State>,
    (action, argument): Label,
    must_ignore: bool,
) -> BTreeSet<State> {
    // Where no state takes it, a tester that knows the system does not give it.
    let is_given =
        must_ignore || states.iter().any(|state| !steps(system, state, action, argument).is_empty());
    let one = |state: &State| {
        let after = steps(system, state, action, argument);
        if after.is_empty() && is_given { BTreeSet::from([state.clone()]) } else { after }
    };
    closed(system, states.iter().flat_map(one).collect())
}

/// Pairs of sets that are looked at for one mutant.
const MOST_PAIRS: usize = 2000;

/// There are more.
#[derive(Debug)]
pub(crate) struct TooMany;

/// Length of the shortest suspension trace after which the mutant shows what the original cannot, with that observation.
pub(crate) fn shortest_failing(original: &System, mutant: &System) -> Result<Option<u32>, TooMany> {
    let start = [original, mutant].map(|system| closed(system, BTreeSet::from([system.initial()])));
    let mut known = BTreeSet::from([start.clone()]);
    let mut queue = VecDeque::from([(start, 0)]);
    let visible: Vec<Option<Label>> = labels(original)
        .into_iter()
        .filter(|(action, _)| original.actions[*action].kind == "obs")
        .map(Some)
        .chain([None])
        .collect();
    while let Some(([own, other], length)) = queue.pop_front() {
        let mut next = Vec::new();
        for &what in &visible {
            let (after, changed) = (seen(original, &own, what), seen(mutant, &other, what));
            match (after.is_empty(), changed.is_empty()) {
                (true, false) => return Ok(Some(length + 1)),
                (false, false) => next.push([after, changed]),
                _ => {}
            }
        }
        for label in
            labels(original).into_iter().filter(|(action, _)| original.actions[*action].kind == "ctr")
        {
            let after = stimulated(original, &own, label, false);
            if !after.is_empty() {
                next.push([after, stimulated(mutant, &other, label, true)]);
            }
        }
        for pair in next {
            if known.insert(pair.clone()) {
                queue.push_back((pair, length + 1));
            }
        }
        if known.len() > MOST_PAIRS {
            return Err(TooMany);
        }
    }
    Ok(None)
}

/// A run of the mutant: where it ends, and how many steps ago it first took one that the original
/// does not take there; none where it never did.
type Run = (State, Option<u32>);

/// A run prolonged by a step of the chain to a state, which is one of the original's or not.
fn prolonged(age: Option<u32>, after: &State, own: &BTreeSet<State>, most: u32) -> Run {
    let age = match age {
        None => (!own.contains(after)).then_some(0),
        Some(age) => Some((age + 1).min(most + 1)),
    };
    (after.clone(), age)
}

/// The runs with all that invisible steps prolong.
fn closed_runs(original: &System, mutant: &System, mut runs: BTreeSet<Run>) -> BTreeSet<Run> {
    let invisible: Vec<Label> =
        labels(original).into_iter().filter(|(action, _)| original.actions[*action].kind == "int").collect();
    loop {
        let mut more = BTreeSet::new();
        for (state, age) in &runs {
            for &(action, argument) in &invisible {
                let own = steps(original, state, action, argument);
                for after in steps(mutant, state, action, argument) {
                    let leaves = age.is_none() && !own.contains(&after);
                    more.insert((after, if leaves { Some(0) } else { *age }));
                }
            }
        }
        let before = runs.len();
        runs.extend(more);
        if runs.len() == before {
            return runs;
        }
    }
}

/// A step of a chain: a stimulus, or what is seen, where no label is silence.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    Stimulus(Label),
    Seen(Option<Label>),
}

/// The states after an event from one state. A stimulus that is not taken is ignored.
fn posts_of(system: &System, state: &State, event: Event) -> BTreeSet<State> {
    let stays = BTreeSet::from([state.clone()]);
    match event {
        Event::Stimulus((action, argument)) => {
            let after = steps(system, state, action, argument);
            if after.is_empty() { stays } else { after }
        }
        Event::Seen(Some((action, argument))) => steps(system, state, action, argument),
        Event::Seen(None) => {
            if is_quiet(system, state) {
                stays
            } else {
                BTreeSet::new()
            }
        }
    }
}

/// The original's states and the mutant's runs.
type Pair = (BTreeSet<State>, BTreeSet<Run>);

fn start_pair(original: &System, mutant: &System) -> Pair {
    let age = (original.initial() != mutant.initial()).then_some(0);
    let runs = closed_runs(original, mutant, BTreeSet::from([(mutant.initial(), age)]));
    (closed(original, BTreeSet::from([original.initial()])), runs)
}

fn pair_after(original: &System, mutant: &System, (own, runs): &Pair, event: Event, most: u32) -> Pair {
    let after = match event {
        Event::Stimulus(label) => stimulated(original, own, label, false),
        Event::Seen(what) => seen(original, own, what),
    };
    let mut prolonging = BTreeSet::new();
    for (state, age) in runs {
        let theirs = posts_of(original, state, event);
        let posts = posts_of(mutant, state, event);
        prolonging.extend(posts.iter().map(|post| prolonged(*age, post, &theirs, most)));
    }
    (after, closed_runs(original, mutant, prolonging))
}

/// What may be seen.
fn observations(system: &System) -> Vec<Event> {
    let visible = labels(system).into_iter().filter(|(action, _)| system.actions[*action].kind == "obs");
    visible.map(Some).chain([None]).map(Event::Seen).collect()
}

/// Whether watching may show in time what the original cannot do there, after some events; and then
/// whether it does, whatever the mutant chose.
pub(crate) fn watched(original: &System, mutant: &System, events: &[Event], most: u32) -> Option<bool> {
    let mut pair = start_pair(original, mutant);
    for &event in events {
        pair = pair_after(original, mutant, &pair, event, most);
    }
    let (own, runs) = pair;
    let (mut may_fail, mut is_sure) = (false, true);
    for event in observations(original) {
        let Event::Seen(what) = event else { continue };
        let is_allowed = !seen(original, &own, what).is_empty();
        for (_, age) in runs.iter().filter(|(state, _)| !posts_of(mutant, state, event).is_empty()) {
            let fails = !is_allowed && age.is_none_or(|age| age < most);
            may_fail |= fails;
            is_sure &= fails;
        }
    }
    may_fail.then_some(is_sure)
}

/// As [`shortest_failing`], where an observation counts that comes at most so many steps after the
/// first step of its run that the original does not take.
pub(crate) fn shortest_failing_within(
    original: &System,
    mutant: &System,
    most: u32,
) -> Result<Option<u32>, TooMany> {
    let start = start_pair(original, mutant);
    let mut known = BTreeSet::from([start.clone()]);
    let mut queue = VecDeque::from([(start, 0)]);
    let stimuli: Vec<Event> = labels(original)
        .into_iter()
        .filter(|(action, _)| original.actions[*action].kind == "ctr")
        .map(Event::Stimulus)
        .collect();
    while let Some((pair, length)) = queue.pop_front() {
        for event in observations(original).into_iter().chain(stimuli.iter().copied()) {
            let next = pair_after(original, mutant, &pair, event, most);
            let is_stimulus = matches!(event, Event::Stimulus(_));
            let shows = |(state, age): &Run| {
                age.is_none_or(|age| age < most) && !posts_of(mutant, state, event).is_empty()
            };
            if next.0.is_empty() && !is_stimulus && pair.1.iter().any(shows) {
                return Ok(Some(length + 1));
            }
            if !next.0.is_empty() && !next.1.is_empty() && known.insert(next.clone()) {
                queue.push_back((next, length + 1));
            }
        }
        if known.len() > MOST_PAIRS {
            return Err(TooMany);
        }
    }
    Ok(None)
}

// ---- generation ----

pub(crate) struct Generator(pub(crate) SmallRng);

impl Generator {
    fn below(&mut self, bound: usize) -> usize {
        self.0.random_range(0..bound)
    }
    fn chance(&mut self, percent: u32) -> bool {
        self.0.random_range(0..100) < percent
    }

    /// A system of which one of several variables is seen.
    pub(crate) fn secretive(&mut self) -> System {
        let mut system = self.system();
        while system.variables.len() < 2 {
            system = self.system();
        }
        for action in &mut system.actions {
            action.kind = if self.chance(90) { "ctr" } else { "int" };
        }
        let when = Some(Truth::Compare(0, Number::Parameter, Number::Variable(0)));
        let greatest = Some(system.variables[0].0);
        system.actions.push(Action { kind: "obs", greatest, when, body: Body::Skip });
        system.block = None;
        system
    }
    pub(crate) fn system(&mut self) -> System {
        let variables: Vec<(i64, i64)> = (0..1 + self.below(3))
            .map(|_| {
                let greatest = 1 + self.below(3) as i64;
                (greatest, self.below(greatest as usize + 1) as i64)
            })
            .collect();
        let count = 2 + self.below(4);
        let actions = (0..count)
            .map(|_| {
                let kind = ["ctr", "ctr", "obs", "obs", "int"][self.below(5)];
                let greatest = self.chance(30).then(|| 1 + self.below(3) as i64);
                let when = self.chance(60).then(|| self.truth(&variables, greatest, 2));
                let body = self.body(&variables, greatest, 3);
                Action { kind, greatest, when, body }
            })
            .collect();
        let block = self.chance(35).then(|| self.block((0..count).collect()));
        System { variables, actions, block }
    }
    fn block(&mut self, actions: Vec<usize>) -> Block {
        if let [only] = actions[..] {
            return Block::Action(only);
        }
        let cut = 1 + self.below(actions.len() - 1);
        let parts = vec![self.block(actions[..cut].to_vec()), self.block(actions[cut..].to_vec())];
        if self.chance(60) { Block::Prioritised(parts) } else { Block::Choice(parts) }
    }
    fn number(&mut self, variables: &[(i64, i64)], parameter: Option<i64>, depth: u32) -> Number {
        match self.below(if depth == 0 { 6 } else { 8 }) {
            0 | 1 => Number::Constant(self.below(4) as i64),
            2 if parameter.is_some() => Number::Parameter,
            2..=5 => Number::Variable(self.below(variables.len())),
            6 => {
                let parts = [0, 1].map(|_| Box::new(self.number(variables, parameter, depth - 1)));
                let [left, right] = parts;
                Number::Sum(left, right)
            }
            _ => {
                let parts = [0, 1].map(|_| Box::new(self.number(variables, parameter, depth - 1)));
                let [left, right] = parts;
                Number::Difference(left, right)
            }
        }
    }
    fn truth(&mut self, variables: &[(i64, i64)], parameter: Option<i64>, depth: u32) -> Truth {
        match self.below(if depth == 0 { 5 } else { 8 }) {
            0 => Truth::True,
            1..=4 => {
                let left = match parameter {
                    Some(_) if self.chance(40) => Number::Parameter,
                    _ => self.number(variables, parameter, 1),
                };
                Truth::Compare(self.below(6), left, self.number(variables, parameter, 1))
            }
            number => {
                let left = Box::new(self.truth(variables, parameter, depth - 1));
                let right = Box::new(self.truth(variables, parameter, depth - 1));
                match number {
                    5 => Truth::And(left, right),
                    6 => Truth::Or(left, right),
                    _ => Truth::Not(left),
                }
            }
        }
    }
    fn body(&mut self, variables: &[(i64, i64)], parameter: Option<i64>, depth: u32) -> Body {
        match self.below(if depth == 0 { 5 } else { 11 }) {
            0 => Body::Skip,
            1..=3 => {
                let first = self.below(variables.len());
                let mut assignments = vec![(first, self.number(variables, parameter, 1))];
                if variables.len() > 1 && self.chance(30) {
                    assignments.push(((first + 1) % variables.len(), self.number(variables, parameter, 1)));
                }
                Body::Assign(assignments)
            }
            4 => {
                let target = self.below(variables.len());
                Body::Any(target, self.number(variables, parameter, 0), self.number(variables, parameter, 1))
            }
            5 | 6 => {
                let guard = self.truth(variables, parameter, 1);
                Body::Guard(guard, Box::new(self.body(variables, parameter, depth - 1)))
            }
            number => {
                let count = 2 + usize::from(self.chance(20));
                let parts = (0..count).map(|_| self.body(variables, parameter, depth - 1)).collect();
                match number {
                    7 => Body::Sequence(parts),
                    8 => Body::Prioritised(parts),
                    _ => Body::Choice(parts),
                }
            }
        }
    }

    /// The system with another guard, body, block or initial value.
    pub(crate) fn mutant(&mut self, original: &System) -> System {
        let mut mutant = original.clone();
        let variables = original.variables.clone();
        if self.chance(10) {
            let number = self.below(variables.len());
            let (greatest, initial) = variables[number];
            mutant.variables[number].1 = (initial + 1) % (greatest + 1);
            return mutant;
        }
        let number = self.below(original.actions.len());
        let action = &mut mutant.actions[number];
        match self.below(4) {
            0 => action.when = Some(self.truth(&variables, action.greatest, 1)),
            1 => action.when = None,
            _ => {
                let parameter = action.greatest;
                self.change(&mut action.body, &variables, parameter);
            }
        }
        mutant
    }
    /// Changes one part of a body.
    fn change(&mut self, body: &mut Body, variables: &[(i64, i64)], parameter: Option<i64>) {
        match body {
            Body::Guard(guard, inner) => {
                if self.chance(50) {
                    *guard = self.truth(variables, parameter, 1);
                } else {
                    self.change(inner, variables, parameter);
                }
            }
            Body::Sequence(parts) | Body::Prioritised(parts) | Body::Choice(parts) => {
                let number = self.below(parts.len());
                self.change(&mut parts[number], variables, parameter);
            }
            Body::Assign(assignments) => {
                let number = self.below(assignments.len());
                assignments[number].1 = self.number(variables, parameter, 1);
            }
            Body::Skip | Body::Any(..) => *body = self.body(variables, parameter, 0),
        }
    }
}
