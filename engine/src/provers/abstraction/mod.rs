//! Search for runs where the reachable states are too many to enumerate, but a step is cheap to
//! execute.
//!
//! Two things meet here. Projections to a few state words are enumerated: their distances are lower
//! bounds for all pairs of goals at once, without a query (pattern databases: J. C. Culberson, J.
//! Schaeffer, Computational Intelligence 14 (1998)). And states of the system itself are computed
//! on demand, by best-first search that these distances guide. What it finds are runs; that it
//! finds none means nothing but that.

mod cone_of_influence;
mod distances;
mod enumerated;
mod lazy;
mod localization;
mod rest;
mod subproblem;

pub(crate) use cone_of_influence::words_behind;
pub(crate) use enumerated::values;
pub(crate) use rest::Rest;
pub(crate) use subproblem::{End, MOST_GOALS, Subproblem, Wanted};

use crate::error::StopReason;
use crate::knowledge::abstractions::Words;
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::explicit::Projection;
use crate::search::best_first::{BestFirst, Expansion, SearchResult};
use crate::session::{Session, Stop};
use crate::step::bits::{Alphabet, Step, Unsuited};
use crate::step::initial::{INITIAL_STATES, InitialState, initial_states};
use enumerated::projections;
use lazy::LazyStates;
use model::system::StateId;
use model::term::TermId;
use model::trace::{Start, Trace};
use model::validate::{Meaning, Validated};
use model::value::Value;
use model::visit::support;
use subproblem::Points;

/// Most classes of inputs for which each step is computed.
const MOST_CLASSES: usize = 512;
/// States and transitions that are kept from one subproblem to the next.
const MOST_KEPT: usize = 4_000_000;
/// What the queries for localizations may cost, as of [`Session::within`].
const LOCALIZATIONS: u64 = 40_000;

/// Enters what follows from cones of goals; see [`cone_of_influence`].
pub(crate) fn enter_cones(
    task: &Task<'_>,
    graph: &mut ReachGraph,
    session: &Session<'_>,
) -> Result<(), Stop> {
    graph.take_bounds(&cones_of(task, session)?.1);
    Ok(())
}

/// Enters what follows from localizations of goals; see [`localization`].
pub(crate) fn enter_localized(
    task: &Task<'_>,
    graph: &mut ReachGraph,
    session: &Session<'_>,
) -> Result<(), Stop> {
    graph.take_bounds(localized(task, session)?);
    Ok(())
}

fn localized<'p>(task: &'p Task<'_>, session: &Session<'_>) -> Result<&'p ReachGraph, Stop> {
    let known = &task.projected().localized;
    if let Some(localized) = known.get() {
        return Ok(localized);
    }
    let (cones, _) = cones_of(task, session)?;
    let mut graph = task.empty_graph();
    if let Some(initial) = initial_states(task, INITIAL_STATES, session)? {
        let localize = || localization::enter(task, &initial, cones, &mut graph, session);
        match session.within(LOCALIZATIONS, localize) {
            Ok(()) | Err(Stop::Limit(StopReason::Effort)) => {}
            Err(halt) => return Err(halt),
        }
    }
    Ok(known.get_or_init(|| graph))
}

fn cones_of<'p>(task: &'p Task<'_>, session: &Session<'_>) -> Result<&'p (Vec<Words>, ReachGraph), Stop> {
    let known = &task.projected().cones;
    if let Some(cones) = known.get() {
        return Ok(cones);
    }
    let mut graph = task.empty_graph();
    let entered = match initial_states(task, INITIAL_STATES, session)? {
        Some(initial) => cone_of_influence::enter(task, &initial, &mut graph, session)?,
        None => Vec::new(),
    };
    Ok(known.get_or_init(|| (entered, graph)))
}

/// Steps run for 64 states at once that cost as much as a point of a search.
const STEPS_PER_POINT: u64 = 8;

/// See the module text.
pub(crate) struct Guided<'s> {
    task: &'s Task<'s>,
    initial: Vec<InitialState>,
    space: LazyStates,
    projections: Vec<Projection<'s>>,
    visited: u64,
}

impl<'s> Guided<'s> {
    /// Prepares the search; `None` where a step cannot be computed for each class of inputs.
    pub(crate) fn new(
        task: &'s Task<'s>,
        initial: Vec<InitialState>,
        session: &Session<'_>,
    ) -> Result<Option<Self>, Stop> {
        let outcomes = task.calls().is_empty();
        let alphabet = Alphabet::Classes { most: MOST_CLASSES, outcomes, reached_from: None };
        let step = match Step::compile(task, &|_| true, alphabet, session) {
            Ok(step) => step,
            Err(Unsuited::Stop(halt)) => return Err(halt),
            Err(Unsuited::Encode(error)) => return Err(error.into()),
            Err(Unsuited::Goal(_) | Unsuited::Inputs | Unsuited::Size) => return Ok(None),
        };
        let projections = projections(task, &step, &initial, task.sample(session), session)?;
        Ok(Some(Self { task, initial, space: LazyStates::new(step), projections, visited: 0 }))
    }

    /// Enters the lower bounds of distances that the projections give.
    pub(crate) fn enter_bounds(&self, graph: &mut ReachGraph) {
        self.projections.iter().for_each(|projection| projection.enter(graph));
    }

    /// Looks for a shortest run that solves the subproblem: the classes of its inputs.
    ///
    /// # Panics
    /// If all of too many goals are wanted.
    pub(crate) fn solve(
        &mut self,
        subproblem: Subproblem<'_>,
        graph: &ReachGraph,
        session: &Session<'_>,
    ) -> Result<SearchResult<Vec<u32>>, Stop> {
        if self.space.size() > MOST_KEPT {
            self.space.clear();
        }
        let mut points = Points::new(self.task, &mut self.space, &self.projections, subproblem, graph);
        let start = (points.start(), None);
        let mut search = BestFirst::new(points, Expansion::Whole, subproblem.points);
        let result = search.run([start], || session.check_limits());
        self.visited += search.len() as u64;
        Ok(result?.map(|path| path.into_iter().filter_map(|(_, class)| class).collect()))
    }

    /// Number of points that all subproblems together have visited: a measure of effort that does
    /// not depend on the machine.
    pub(crate) fn visited(&self) -> u64 {
        self.visited
    }

    /// The initial state from which a lower bound of the way to a goal is least.
    pub(crate) fn start_toward(&self, goal: Vertex) -> Option<&InitialState> {
        self.initial.iter().min_by_key(|initial| {
            let packed = self.pack(&initial.state);
            let away = |projection: &Projection<'_>| {
                projection.explicit.to_event(goal)[projection.number(&packed) as usize]
            };
            self.projections.iter().map(away).max()
        })
    }

    /// The bits of a packed state that a continuation depends on, each one alone. Running it counts
    /// as points visited.
    pub(crate) fn needed_bits(&mut self, state: &[u64], rest: &Rest<'_>) -> Vec<u64> {
        self.visited += rest.inputs.len() as u64 * state.len() as u64 / STEPS_PER_POINT;
        rest::needed_bits(self.task, self.space.step(), state, rest)
    }

    /// The packed bits of a state.
    pub(crate) fn pack(&self, state: &[Value]) -> Vec<u64> {
        self.space.step().pack(state)
    }
    /// The inputs of these classes.
    pub(crate) fn inputs(&self, classes: &[u32]) -> Vec<Vec<Value>> {
        classes.iter().map(|&class| self.space.step().inputs(class)).collect()
    }
    /// A trace of these inputs from an initial state.
    pub(crate) fn trace(initial: &InitialState) -> Trace {
        Trace { start: Start::Initial(initial.inputs.clone()), inputs: Vec::new() }
    }
}

/// The state words that a term over states and inputs, framed or not, speaks about; a word may come
/// more than once.
pub(crate) fn states_in(system: &Validated, term: TermId) -> impl Iterator<Item = StateId> + '_ {
    support(&system.terms, &[term]).into_iter().filter_map(|symbol| match system.meaning(symbol) {
        Meaning::State(state) => Some(state),
        Meaning::Framed { base, .. } => match system.meaning(base) {
            Meaning::State(state) => Some(state),
            _ => None,
        },
        _ => None,
    })
}
