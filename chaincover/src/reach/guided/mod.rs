//! Search for runs where the reachable states are too many to enumerate, but a step is cheap to execute.
//!
//! Two things meet here. Projections to a few state words are enumerated: their distances are lower bounds for all pairs of goals at
//! once, without a query (pattern databases: J. C. Culberson, J. Schaeffer, Computational Intelligence 14 (1998)). And states
//! of the system itself are computed on demand, by best-first search that these distances guide. What it finds are runs; that it finds
//! none means nothing but that.

mod cones;
mod errand;
mod lazy;
mod projection;
mod rest;

pub(crate) use cones::enter_cones;
pub(crate) use errand::{End, Errand, MOST_GOALS, Walk, Wanted};
pub(crate) use rest::Rest;

use crate::problem::Problem;
use crate::reach::explicit::InitialState;
use crate::reach::explicit::step::{Step, Unsuited};
use crate::reach::graph::ReachGraph;
use crate::reach::sample::{Effort, reachable_states};
use crate::stats::{Context, Halt};
use errand::Search;
use lazy::LazyStates;
use model::system::StateId;
use model::term::TermId;
use model::trace::{Start, Trace};
use model::validate::{Meaning, Validated};
use model::value::Value;
use model::visit::support;
use projection::{Projection, projections};

/// Most classes of inputs for which each step is computed.
const MOST_CLASSES: usize = 512;
/// States and transitions that are kept from one errand to the next.
const MOST_KEPT: usize = 4_000_000;
/// Simulation that estimates how many values words take.
const SAMPLE: Effort = Effort { executions: 32, steps: 500 };

/// See the module text.
pub(crate) struct Guided<'s> {
    problem: &'s Problem<'s>,
    initial: Vec<InitialState>,
    space: LazyStates,
    projections: Vec<Projection<'s>>,
    visited: u64,
}

impl<'s> Guided<'s> {
    /// Prepares the search; `None` where a step cannot be computed for each class of inputs.
    pub(crate) fn new(
        problem: &'s Problem<'s>,
        initial: Vec<InitialState>,
        context: &Context<'_>,
    ) -> Result<Option<Self>, Halt> {
        let step = match Step::compile(problem, &|_| true, MOST_CLASSES, context) {
            Ok(step) => step,
            Err(Unsuited::Halt(halt)) => return Err(halt),
            Err(Unsuited::Encode(error)) => return Err(error.into()),
            Err(Unsuited::Goal(_) | Unsuited::Inputs) => return Ok(None),
        };
        let seen = reachable_states(problem.system, &[], SAMPLE, context.options.seed);
        let projections = projections(problem, &step, &initial, &seen, context)?;
        Ok(Some(Self { problem, initial, space: LazyStates::new(step), projections, visited: 0 }))
    }

    /// Enters the lower bounds of distances that the projections give.
    pub(crate) fn enter_bounds(&self, graph: &mut ReachGraph) {
        self.projections.iter().for_each(|projection| projection.enter(graph));
    }

    /// Runs an errand.
    ///
    /// # Panics
    /// If all of too many goals are wanted.
    pub(crate) fn walk(
        &mut self,
        errand: Errand<'_>,
        graph: &ReachGraph,
        context: &Context<'_>,
    ) -> Result<Walk, Halt> {
        if self.space.size() > MOST_KEPT {
            self.space.clear();
        }
        let mut search = Search::new(self.problem, &mut self.space, &self.projections, errand, graph);
        let walk = search.run(context);
        self.visited += search.visited();
        walk
    }

    /// Number of points that all errands together have visited: a measure of effort that does not depend on the machine.
    pub(crate) fn visited(&self) -> u64 {
        self.visited
    }

    /// The initial state from which a lower bound of the way to a goal is least.
    pub(crate) fn start_toward(&self, goal: usize) -> Option<&InitialState> {
        self.initial.iter().min_by_key(|initial| {
            let packed = self.pack(&initial.state);
            let away = |projection: &Projection<'_>| {
                projection.explicit.to_event(goal)[projection.number(&packed) as usize]
            };
            self.projections.iter().map(away).max()
        })
    }

    /// The bits of a packed state that a continuation depends on, each one alone.
    pub(crate) fn needed_bits(&self, state: &[u64], rest: &Rest<'_>) -> Vec<u64> {
        rest::needed_bits(self.problem, self.space.step(), state, rest)
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

/// The state words that a term over states and inputs, framed or not, speaks about; a word may come more than once.
fn states_in(system: &Validated, term: TermId) -> impl Iterator<Item = StateId> + '_ {
    support(&system.terms, &[term]).into_iter().filter_map(|symbol| match system.meaning(symbol) {
        Meaning::State(state) => Some(state),
        Meaning::Framed { base, .. } => match system.meaning(base) {
            Meaning::State(state) => Some(state),
            _ => None,
        },
        _ => None,
    })
}
