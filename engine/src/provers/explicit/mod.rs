//! The explicit engine: all reachable states, one by one.
//!
//! Where the reachable states are few, enumerating them answers everything exactly: the set is the
//! strongest invariant, all distances between occurrences come from breadth-first searches, what is
//! not connected is proven unreachable, and optimal chains can be searched for directly. The engine
//! stands behind the same [`DistanceEngine`] as the SAT engine.

mod abstractions;
mod attempt;
mod cover;
mod distances;
pub(crate) mod joint_price;
mod landmarks;
pub(crate) mod numbering;
mod pattern_databases;
mod sequence;
mod states;
mod transitions;
pub(crate) mod windows;

use crate::step::bits::Unsuited;
use crate::step::initial::InitialState;
pub(crate) use abstractions::Projection;
pub(crate) use cover::MOST_GOALS;
pub(crate) use pattern_databases::Table;
pub(crate) use states::Limits;
pub(crate) use transitions::{Expansion, Transition, Transitions};

use crate::knowledge::distances::{Proof, ReachGraph};
use crate::knowledge::task::Task;
use crate::knowledge::vertex::{ByVertex, Vertex, by_vertex};
use crate::provers::distance_engine::{Chains, DistanceEngine, Search};
use crate::search::breadth_first::FAR;
use crate::session::Engine;
use crate::session::{Session, Stop};
use crate::step::bits::alphabet::distinct;
use crate::step::bits::{Alphabet, MOST_CONJUNCTIONS, Step};
use crate::step::bmc_solver::{Answer, Effort};
use abstractions::Sizes;
use attempt::Attempt;
use cover::{Cheapest, Coverage, Tails, View};
use distances::{Space, StateSet};
use model::system::StateId;
use model::trace::{Start, Trace};
use model::value::Value;
use pattern_databases::Edges;
use sequence::{Guide, Path, Request};
use states::States;
use transitions::is_set;

/// Where a goal can begin in at most 1 state in so many, these are listed: goals may be thousands,
/// and between any two of them distances are asked for.
const FEW: usize = 8;

/// See the module text.
pub(crate) struct Explicit<'s> {
    task: &'s Task<'s>,
    step: Step,
    states: States,
    /// The initial states, in order of their numbers unless this is a projection.
    initial: Vec<InitialState>,
    /// When the search for chains looks at projections.
    sizes: Sizes,
    /// What the search for chains may cost: one attempt after the other.
    attempts: &'static [Attempt],
    /// By source: whether its distances have been entered.
    filled: ByVertex<bool>,
    /// Steps from each state to where the goal can begin; for the depot: to where a chain may end.
    to_event: ByVertex<Vec<u32>>,
    /// The states in which the goal can begin, ascending, where these are few; for the depot, those
    /// in which a chain may end.
    at_event: ByVertex<Option<Vec<u32>>>,
}

impl<'s> Explicit<'s> {
    /// Enumerates the states reachable from these initial ones (all of them, each once). `None`:
    /// beyond the limits.
    pub(crate) fn enumerate(
        task: &'s Task<'s>,
        initial: &[InitialState],
        limits: Limits,
        session: &Session<'_>,
    ) -> Result<Option<Self>, ExplicitStop> {
        let alphabet = Alphabet::Classes {
            most: limits.classes,
            outcomes: limits.outcomes,
            reached_from: Some(initial),
        };
        let step = Step::compile(task, &|_| true, alphabet, session).map_err(|why| unsuited(why, limits))?;
        Self::of(task, step, initial, limits, session)
    }

    /// The same for the projection to the state words for which `kept` says so: what it finds are
    /// bounds and exclusions, its runs are none of the system.
    pub(crate) fn project(
        task: &'s Task<'s>,
        kept: &dyn Fn(StateId) -> bool,
        initial: &[InitialState],
        limits: Limits,
        session: &Session<'_>,
    ) -> Result<Option<Self>, ExplicitStop> {
        let (most, outcomes) = (limits.classes, limits.outcomes);
        let alphabet = Alphabet::Classes { most, outcomes, reached_from: None };
        let step = Step::compile(task, kept, alphabet, session).map_err(|why| unsuited(why, limits))?;
        Self::of(task, step, initial, limits, session)
    }

    /// Enumerates the states that can be reached with these inputs alone; of inputs that make the
    /// same of all of these states one is taken. What it finds can be done; that it does not find
    /// something, or finds nothing shorter, says nothing about the system.
    pub(crate) fn among(
        task: &'s Task<'s>,
        inputs: &[Vec<Value>],
        states: &[&Vec<Value>],
        initial: &[InitialState],
        limits: Limits,
        session: &Session<'_>,
    ) -> Result<Option<Self>, ExplicitStop> {
        let mut step = Step::compile(task, &|_| true, Alphabet::Among(inputs), session)
            .map_err(|why| unsuited(why, limits))?;
        step.retain(&distinct(&step, states));
        if step.classes() > limits.classes {
            return Ok(None);
        }
        let explicit = Self::of(task, step, initial, limits, session)?;
        Ok(explicit.map(|explicit| Self { attempts: &Attempt::MODEST, ..explicit }))
    }

    /// Enumerates the states that this step reaches.
    fn of(
        task: &'s Task<'s>,
        step: Step,
        initial: &[InitialState],
        limits: Limits,
        session: &Session<'_>,
    ) -> Result<Option<Self>, ExplicitStop> {
        let states: Vec<Vec<Value>> = initial.iter().map(|initial| initial.state.clone()).collect();
        let Some(states) = States::enumerate(&step, &states, limits, session).map_err(ExplicitStop::Stop)?
        else {
            return Ok(None);
        };
        let initial = initial.to_vec();
        let mut explicit = Self {
            task,
            step,
            states,
            initial,
            sizes: Sizes::USUAL,
            attempts: &Attempt::LADDER,
            filled: by_vertex(task.len(), |_| false),
            to_event: ByVertex::new(),
            at_event: ByVertex::new(),
        };
        let events = |vertex: Vertex| {
            let space = explicit.space();
            space.distances_to(&if vertex.is_depot() { space.ends() } else { space.begins(vertex) })
        };
        explicit.to_event = by_vertex(task.len(), events);
        explicit.at_event = by_vertex(task.len(), |vertex| few_zeros(&explicit.to_event[vertex]));
        Ok(Some(explicit))
    }

    /// Enters all distances from one source.
    fn fill_row(&self, source: Vertex, graph: &mut ReachGraph) {
        for (target, distance) in self.row(source) {
            match distance {
                None => {
                    let proof = Proof::Exhaustive { states: self.states.len() };
                    graph.never(source, target, proof, Engine::Explicit);
                }
                Some(steps) => {
                    graph.raise(source, target, steps, Engine::Explicit);
                    graph.found(source, target, steps, None, Engine::Explicit);
                    graph.asked(steps);
                }
            }
        }
    }

    /// All distances from one source, by target; `None`: there is no way. Of a projection they are
    /// lower bounds.
    pub(crate) fn row(&self, source: Vertex) -> Vec<(Vertex, Option<u32>)> {
        let space = self.space();
        let begin = if source.is_depot() { space.initial() } else { space.after(source, Vertex::DEPOT, 0) };
        let distance = space.distances(&begin);
        let beside = match source.is_depot() {
            true => Vec::new(),
            false => self.states.labels_beside(self.step.label(source, 0)),
        };
        let weight = |target: Vertex| {
            let apart = self.least_at(target, &distance).saturating_add(self.task.steps(source));
            let steps = self.overlap(source, target, &beside).map_or(apart, |shift| apart.min(shift));
            (steps != FAR).then_some(steps)
        };
        let end = self.task.has_end().then_some(Vertex::DEPOT);
        let targets = end.into_iter().chain(self.task.vertices()).filter(|&target| target != source);
        targets.map(|target| (target, weight(target))).collect()
    }

    /// The least of these numbers, one for each state, where the goal of the vertex begins; for the
    /// depot where a chain may end. `u32::MAX`: nowhere.
    pub(crate) fn least_at(&self, vertex: Vertex, by_state: &[u32]) -> u32 {
        let least = match &self.at_event[vertex] {
            Some(states) => states.iter().map(|&state| by_state[state as usize]).min(),
            None => {
                let numbers = by_state.iter().zip(&self.to_event[vertex]);
                numbers.filter(|&(_, &away)| away == 0).map(|(&number, _)| number).min()
            }
        };
        least.unwrap_or(FAR)
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }
    /// The program of one step.
    pub(crate) fn step(&self) -> &Step {
        &self.step
    }
    /// The number of a state by its packed bits, if it is reachable.
    pub(crate) fn number(&self, packed: &[u64]) -> Option<u32> {
        self.states.number(packed)
    }
    /// The packed bits of a state.
    pub(crate) fn packed(&self, state: u32) -> &[u64] {
        self.states.packed(state)
    }
    /// The states from which a transition leads into a state, ascending.
    pub(crate) fn sources(&self, state: u32) -> &[u32] {
        self.states.sources(state)
    }
    /// Steps from each state to where the goal of the vertex can begin; for the depot to where a
    /// chain may end. `u32::MAX`: no way.
    pub(crate) fn to_event(&self, vertex: Vertex) -> &[u32] {
        &self.to_event[vertex]
    }
    /// The states of a shortest way from an initial state to one where the goal can begin.
    pub(crate) fn way_to(&self, goal: Vertex) -> Option<Vec<u32>> {
        let away = |state: u32| self.to_event[goal][state as usize];
        let mut at = (0..self.states.initial() as u32).min_by_key(|&state| away(state))?;
        let mut way = vec![at];
        while away(at) > 0 {
            let next = self.states.from(at).iter().map(|transition| transition.to);
            at = next.min_by_key(|&state| away(state)).filter(|&state| away(state) < away(at))?;
            way.push(at);
        }
        Some(way)
    }
    /// Fewest steps from each state to the states of these numbers. `u32::MAX`: no way.
    pub(crate) fn to_states(&self, numbers: &[u32]) -> Vec<u32> {
        let mut set = vec![false; self.states.len()];
        numbers.iter().for_each(|&number| set[number as usize] = true);
        self.space().distances_to(&set)
    }

    /// The least shift at which an occurrence of the target begins within the window of the source,
    /// whose first label comes together with the labels `beside`.
    fn overlap(&self, source: Vertex, target: Vertex, beside: &[u64]) -> Option<u32> {
        if source.is_depot() || target.is_depot() {
            return None;
        }
        if self.task.steps(source) == 1 && self.task.steps(target) == 1 {
            let meets = !beside.is_empty() && is_set(beside, self.step.label(target, 0));
            return meets.then_some(0);
        }
        let is_possible = |&shift: &u32| self.space().after(source, target, shift).contains(&true);
        (0..self.task.steps(source)).find(is_possible)
    }

    /// What those of these goals cost together from each state that cost most: a pattern database.
    /// Where they cannot all follow one another, it goes back to Init at this price. No more than
    /// [`MOST_GOALS`] goals may be given; `None`: all are at hand in the initial states, or the table
    /// would have more than so many entries.
    pub(crate) fn table(
        &self,
        goals: &[Vertex],
        (reset, entries): (u32, usize),
        session: &Session<'_>,
    ) -> Result<Option<Table>, Stop> {
        let attempt = Attempt::table(entries);
        let (space, coverage) = (self.space(), self.coverage(goals, reset, &attempt));
        let away = |&goal: &usize| coverage.to_goal[goal].first().copied().filter(|&away| away != FAR);
        let farthest =
            (0..goals.len()).max_by_key(away).filter(|goal| away(goal).is_some_and(|away| away > 0));
        let Some(seed) = farthest.filter(|_| Table::is_worthwhile(&space, &attempt)) else {
            return Ok(None);
        };
        let edges = Edges::new(&space, &coverage);
        Table::grow(&space, &edges, &coverage, None, seed, 0, session).map(Some)
    }

    fn space(&self) -> Space<'_> {
        Space { task: self.task, step: &self.step, states: &self.states }
    }

    fn search(&self, request: &Request<'_>, graph: &ReachGraph) -> Option<Path> {
        let mut next: Vec<&[u32]> = request.goals.iter().map(|&goal| &self.to_event[goal][..]).collect();
        next.push(&self.to_event[Vertex::DEPOT]);
        let goals = request.goals;
        let mut rest = vec![0; goals.len() + 1];
        if let (Some(&last), true) = (goals.last(), request.to_end) {
            rest[goals.len() - 1] = graph.lower(last, Vertex::DEPOT)?;
        }
        for position in (1..goals.len()).rev() {
            rest[position - 1] = rest[position] + graph.lower(goals[position - 1], goals[position])?;
        }
        self.space().path(request, &Guide { next, rest })
    }

    fn coverage<'a>(&'a self, goals: &'a [Vertex], reset: u32, attempt: &'a Attempt) -> Coverage<'a> {
        Coverage {
            goals,
            reset,
            to_goal: goals.iter().map(|&goal| &self.to_event[goal][..]).collect(),
            to_end: &self.to_event[Vertex::DEPOT],
            attempt,
        }
    }

    /// The cheapest chains below a known cost, sought with more and more effort until they are
    /// proven to be the cheapest. Where time runs out the best so far are returned.
    fn climb(
        &self,
        goals: &[Vertex],
        reset: u32,
        known: u32,
        search: Search,
        graph: &ReachGraph,
        session: &Session<'_>,
    ) -> Result<Cheapest, Stop> {
        let mut cheapest = Cheapest { paths: None, bound: 0 };
        let mut limit = known;
        let goals = &landmarks::without_landmarks(goals, &self.space(), session)?;
        let (none, mut tails) = (Tails::none(), None);
        for attempt in self.attempts.iter().filter(|attempt| search == Search::Thorough || attempt.is_brief) {
            let coverage = self.coverage(goals, reset, attempt);
            if tails.is_none() && goals.len() <= attempt.order_goals {
                tails = Some(Tails::new(goals, reset, graph));
            }
            let tails = tails.as_ref().unwrap_or(&none);
            let found = match self.attempt(coverage, tails, limit, graph, session) {
                Ok(found) => found,
                Err(Stop::Limit(_)) if cheapest.paths.is_some() => break,
                Err(halt) => return Err(halt),
            };
            cheapest.bound = cheapest.bound.max(found.bound);
            if let Some(paths) = found.paths {
                limit = cover::cost(&paths, reset);
                cheapest.paths = Some(paths);
            }
            if cheapest.bound >= limit {
                break;
            }
        }
        Ok(cheapest)
    }

    fn attempt(
        &self,
        coverage: Coverage<'_>,
        tails: &Tails,
        known: u32,
        graph: &ReachGraph,
        session: &Session<'_>,
    ) -> Result<Cheapest, Stop> {
        let projections = match coverage.attempt.projects {
            true => self.projections(session)?,
            false => Vec::new(),
        };
        let mut views = Vec::new();
        for (projection, numbers) in &projections {
            let projection = &projection.explicit;
            let coverage = projection.coverage(coverage.goals, coverage.reset, coverage.attempt);
            views.push(View::new(projection.space(), coverage, tails, Some(numbers), graph, session)?);
        }
        let own = View::new(self.space(), coverage, tails, None, graph, session)?;
        cover::cheapest_chains(&own, &views, known, session)
    }

    /// No shortest chain through all these goals is longer: on the way to the next event no state
    /// is passed twice.
    fn greatest_total(&self, goals: &[Vertex]) -> u64 {
        let windows: u64 = goals.iter().map(|&goal| u64::from(self.task.steps(goal))).sum();
        self.states.len() as u64 * (goals.len() as u64 + 1) + windows
    }

    /// Lets a path to the beginning of a goal of one step take the last transition, of those with
    /// that goal, behind which fewest of the targets are out of reach, and another one is nearest.
    fn end_well(&self, path: &mut Path, goal: Vertex, targets: &[Vertex]) {
        if goal.is_depot() || self.task.steps(goal) != 1 {
            return;
        }
        let Some((last, before)) = path.inputs.split_last_mut() else { return };
        let mut at = path.start;
        for &input in before.iter() {
            let taken = self.states.from(at).iter().find(|transition| transition.input == input);
            let Some(transition) = taken else { return };
            at = transition.to;
        }
        let label = self.step.label(goal, 0);
        let price = |transition: &Transition| {
            let is_met = |&target: &Vertex| !target.is_depot() && self.space().may_begin(target, *transition);
            let rest = targets.iter().filter(|target| !is_met(target));
            let away = rest.map(|&target| self.to_event[target][transition.to as usize]);
            away.fold((0u32, FAR), |(lost, nearest), away| (lost + u32::from(away == FAR), nearest.min(away)))
        };
        let fitting = self.states.from(at).iter().filter(|&&transition| self.states.has(transition, label));
        if let Some(best) = fitting.min_by_key(|transition| price(transition)) {
            *last = best.input;
        }
    }

    fn trace(&self, path: &Path, from_init: bool) -> Trace {
        let start = match from_init {
            true => Start::Initial(self.initial[path.start as usize].inputs.clone()),
            false => Start::State(self.step.unpack(self.states.packed(path.start))),
        };
        let inputs = path.inputs.iter().map(|&input| self.step.inputs(input)).collect();
        Trace { start, inputs }
    }
}

/// The positions of zeros; `None`: they are more than 1 in [`FEW`].
fn few_zeros(numbers: &[u32]) -> Option<Vec<u32>> {
    let is_zero = |&position: &u32| numbers[position as usize] == 0;
    let zeros = (0..numbers.len() as u32).filter(is_zero);
    let found: Vec<u32> = zeros.take(numbers.len() / FEW + 1).collect();
    (found.len() <= numbers.len() / FEW).then_some(found)
}

fn unsuited(why: Unsuited, limits: Limits) -> ExplicitStop {
    match why {
        Unsuited::Goal(name) => {
            ExplicitStop::Unsuited(format!("goal `{name}` compares states more than one step apart"))
        }
        Unsuited::Inputs => {
            let most = limits.classes;
            ExplicitStop::Unsuited(format!(
                "there are more than {most} classes of inputs, or they are hard to find"
            ))
        }
        Unsuited::Size => {
            ExplicitStop::Unsuited(format!("a step has more than {MOST_CONJUNCTIONS} conjunctions"))
        }
        Unsuited::Encode(error) => ExplicitStop::Stop(error.into()),
        Unsuited::Stop(halt) => ExplicitStop::Stop(halt),
    }
}

/// Why there is no explicit engine.
pub(crate) enum ExplicitStop {
    /// The system does not suit it; why.
    Unsuited(String),
    /// A limit or an error.
    Stop(Stop),
}

/// What was enumerated; `None`: the system does not suit the engine, or it is beyond the limits.
pub(crate) fn if_suited<T>(enumerated: Result<Option<T>, ExplicitStop>) -> Result<Option<T>, Stop> {
    match enumerated {
        Ok(found) => Ok(found),
        Err(ExplicitStop::Unsuited(_)) => Ok(None),
        Err(ExplicitStop::Stop(halt)) => Err(halt),
    }
}

impl DistanceEngine for Explicit<'_> {
    fn solver_name(&self) -> String {
        "explicit enumeration".to_owned()
    }

    fn is_exhaustive(&self) -> bool {
        true
    }

    fn engine(&self) -> Engine {
        Engine::Explicit
    }

    fn deepen(
        &mut self,
        source: Vertex,
        _: &[Vertex],
        graph: &mut ReachGraph,
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        session.check_limits()?;
        if !std::mem::replace(&mut self.filled[source], true) {
            self.fill_row(source, graph);
        }
        Ok(())
    }

    fn exclude(&mut self, _: Vertex, _: Vertex, _: &mut ReachGraph, _: &Session<'_>) -> Result<bool, Stop> {
        Ok(false)
    }

    fn sequence(
        &mut self,
        sequence: &[Vertex],
        steps: u32,
        graph: &ReachGraph,
        _: Effort,
        session: &Session<'_>,
    ) -> Result<Answer, Stop> {
        session.check_limits()?;
        let from_init = sequence[0].is_depot();
        let to_end = sequence[sequence.len() - 1].is_depot();
        let goals = &sequence[usize::from(from_init)..sequence.len() - usize::from(to_end)];
        let from = if from_init { self.space().initial() } else { vec![true; self.states.len()] };
        let request = Request { goals, from: &from, at_once: !from_init, to_end, steps };
        let path = self.search(&request, graph);
        Ok(path.map_or(Answer::None, |path| Answer::Run(self.trace(&path, from_init))))
    }

    fn nearest(
        &mut self,
        state: &[Value],
        targets: &[Vertex],
        steps: u32,
        _: Effort,
        session: &Session<'_>,
    ) -> Result<Answer, Stop> {
        session.check_limits()?;
        let Some(number) = self.states.number(&self.step.pack(state)) else { return Ok(Answer::None) };
        let distance = |&target: &Vertex| self.to_event[target][number as usize];
        let Some(target) = targets.iter().copied().min_by_key(distance) else { return Ok(Answer::None) };
        let away = distance(&target);
        if away > steps {
            return Ok(Answer::None);
        }
        let mut from: StateSet = vec![false; self.states.len()];
        from[number as usize] = true;
        let goals: &[Vertex] = if target.is_depot() { &[] } else { &[target] };
        let request = Request { goals, from: &from, at_once: false, to_end: target.is_depot(), steps: away };
        let next = vec![&self.to_event[target][..]; 2];
        let path = self.space().path(&request, &Guide { next, rest: vec![0; 2] });
        Ok(path.map_or(Answer::None, |mut path| {
            self.end_well(&mut path, target, targets);
            Answer::Run(self.trace(&path, false))
        }))
    }

    fn cheapest_chains(
        &mut self,
        goals: &[Vertex],
        reset: Option<u64>,
        known: Option<(usize, u64)>,
        search: Search,
        graph: &mut ReachGraph,
        session: &Session<'_>,
    ) -> Result<Chains, Stop> {
        if goals.len() > MOST_GOALS {
            return Ok(Chains::TooHard);
        }
        for &source in goals {
            self.deepen(source, &[], graph, session)?;
        }
        let has_price = reset.is_some();
        let longest = self.greatest_total(goals);
        let reset = reset.unwrap_or(longest + 1);
        let total = (longest + reset).saturating_mul(goals.len() as u64);
        let Some(reset) = u32::try_from(reset).ok().filter(|_| total < u64::from(u32::MAX / 2)) else {
            return Ok(Chains::TooHard);
        };
        let known_cost = known.map_or(u32::MAX, |(chains, length)| {
            u32::try_from(length + (chains as u64 - 1) * u64::from(reset)).unwrap_or(u32::MAX)
        });
        let Cheapest { paths, bound } = self.climb(goals, reset, known_cost, search, graph, session)?;
        let better: Option<Vec<Trace>> =
            paths.as_ref().map(|paths| paths.iter().map(|path| self.trace(path, true)).collect());
        let cost = paths.as_ref().map_or(known_cost, |paths| cover::cost(paths, reset));
        if cost > bound && has_price {
            return Ok(Chains::TooHard);
        }
        let further = match (&paths, known) {
            _ if cost > bound => (bound / reset) as usize,
            (Some(paths), _) => paths.len() - 1,
            (None, known) => known.expect("a limit should come from known chains").0 - 1,
        };
        let steps = u64::from(bound) - further as u64 * u64::from(reset);
        Ok(Chains::Bounded { better, chains: further + 1, steps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use crate::options::Options;
    use crate::session::Silent;
    use crate::step::initial::initial_states;
    use model::text::parse;
    use model::validate::validate;

    /// In the step in which the first goal occurs one of two inputs leads back to where the second
    /// one is far away.
    #[test]
    fn the_way_to_a_goal_ends_where_the_next_one_is_near() {
        let limits = Limits { states: 100, classes: 10, outcomes: false, work: 1_000_000 };
        for (back, on) in [("x", 0), ("(not x)", 1)] {
            let text = format!(
                "system s input x w1
                state n w4 init 0 next (ite {back} 0 (ite (ult n 9) (add n 1) n))
                goal five when (eq n 5) goal nine when (eq n 9)"
            );
            let system = validate(parse(&text).expect("a text")).expect("a system");
            let task = Task::new(&system, &all_goals(&system), Vec::new());
            let options = Options::default();
            let session = Session::new(&options, &Silent);
            let initial = initial_states(&task, 10, &session).expect("no limit").expect("few states");
            let Ok(Some(mut explicit)) = Explicit::enumerate(&task, &initial, limits, &session) else {
                panic!("there should be ten states");
            };
            let goals: Vec<Vertex> = task.vertices().collect();
            let at = system.states.values().map(|_| Value::word(4, 5)).collect::<Vec<_>>();
            let answer = explicit.nearest(&at, &goals, 20, Effort::Any, &session).expect("no limit");
            let Answer::Run(run) = answer else { panic!("a goal should be at hand") };
            assert_eq!(run.inputs.len(), 1);
            assert_eq!(run.inputs[0][0].bits(), on, "back under {back}");
        }
    }
}
