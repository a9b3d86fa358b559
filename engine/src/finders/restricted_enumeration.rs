//! The best chains under the inputs of known chains.
//!
//! Chains by simulation or by queries about single goals take detours: they were found goal by
//! goal, in an order that nothing chose. But the inputs in them are those that matter. With only
//! these inputs a system has far fewer states, often few enough to be enumerated and searched for
//! the best chains as a small system would be. The chains that this search finds are chains of the
//! whole system; its bounds and exclusions are not, and are dropped.

use crate::error::EngineError;
use crate::finders::simulation::INITIAL_STATES;
use crate::knowledge::chains::{CheckedChain, accepted, covering, missed, total};
use crate::knowledge::distances::ReachGraph;
use crate::knowledge::known::Knowledge;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::distance_engine::{Chains, DistanceEngine, Search};
use crate::provers::explicit::{Explicit, Limits, if_suited};
use crate::session::Engine;
use crate::session::{Session, Stop};
use crate::step::initial::initial_states;
use crate::turn::{Finder, Found, Turn};
use model::value::Value;
use rustc_hash::FxHashSet;

/// Classes of inputs that are told apart in one state at most.
const CLASSES: usize = 128;
/// What the enumeration of a state may cost on average, in evaluated instructions.
const WORK_PER_STATE: u64 = 1_250;
/// Most different inputs that are looked at.
const MOST_INPUTS: usize = 4_000;
/// Most states in which inputs are compared.
const COMPARED: usize = 200;

/// The result of a search.
enum Searched {
    /// Chains that are fewer or shorter, or cover more of the goals.
    Better(Vec<CheckedChain>),
    /// No better ones, or the attempt was stopped.
    Nothing,
    /// The inputs lead to too many states, or goals look at more than one step.
    TooLarge,
}

/// The best chains under the inputs of known chains alone.
pub(crate) struct RestrictedEnumeration<'s>(&'s Task<'s>);

impl<'s> RestrictedEnumeration<'s> {
    pub(crate) fn new(task: &'s Task<'s>) -> Self {
        Self(task)
    }
}

/// The limits of a turn.
fn limits(states: u64) -> Limits {
    Limits::of_states(states, CLASSES, WORK_PER_STATE)
}

impl Finder for RestrictedEnumeration<'_> {
    fn run(
        &mut self,
        known: &Knowledge,
        found: &mut Found,
        work: u64,
        session: &Session<'_>,
    ) -> Result<Turn, Stop> {
        // What the C library gives depends on states that a recombination may change.
        if known.chains().is_empty() || !self.0.calls().is_empty() {
            return Ok(Turn::Idle);
        }
        match session.stage("recombine", || search(self.0, known.chains(), limits(work), session)) {
            Ok(Searched::Better(better)) => {
                let (number, steps) = (better.len(), total(&better));
                let text = format!("what is known, put together anew: {steps} steps in chains: {number}");
                session.record(Engine::Explicit, text);
                found.offer(better);
                Ok(Turn::Idle)
            }
            Ok(Searched::Nothing) | Err(Stop::Limit(_)) => Ok(Turn::Idle),
            Ok(Searched::TooLarge) => Ok(Turn::Open),
            Err(failed) => Err(failed),
        }
    }
}

fn search(
    task: &Task<'_>,
    chains: &[CheckedChain],
    limits: Limits,
    session: &Session<'_>,
) -> Result<Searched, Stop> {
    let Some(initial) = initial_states(task, INITIAL_STATES, session)? else {
        return Ok(Searched::Nothing);
    };
    let inputs = inputs(chains);
    let states: Vec<&Vec<Value>> = chains.iter().flat_map(|chain| &chain.run.states).collect();
    let stride = states.len().div_ceil(COMPARED).max(1);
    let states: Vec<&Vec<Value>> = states.into_iter().step_by(stride).collect();
    let enumerated = Explicit::among(task, &inputs, &states, &initial, limits, session);
    let Some(mut explicit) = if_suited(enumerated)? else { return Ok(Searched::TooLarge) };
    let mut graph = task.empty_graph();
    let goals = coverable(task, &mut explicit, &mut graph, session)?;
    let known = missed(task, chains, &goals).is_empty().then(|| (chains.len(), total(chains)));
    let reset = session.options.reset_cost;
    let answer = explicit.cheapest_chains(&goals, reset, known, Search::Thorough, &mut graph, session)?;
    let Chains::Bounded { better: Some(traces), .. } = answer else { return Ok(Searched::Nothing) };
    let better: Result<_, EngineError> =
        traces.iter().map(|trace| accepted(covering(task, trace.clone(), &goals)?, trace)).collect();
    Ok(Searched::Better(better?))
}

/// The goals that chains of these steps can cover.
fn coverable(
    task: &Task<'_>,
    explicit: &mut Explicit<'_>,
    graph: &mut ReachGraph,
    session: &Session<'_>,
) -> Result<Vec<Vertex>, Stop> {
    explicit.deepen(Vertex::DEPOT, &[], graph, session)?;
    let mut goals = Vec::new();
    for goal in task.vertices() {
        explicit.deepen(goal, &[], graph, session)?;
        if graph.lower(Vertex::DEPOT, goal).is_some()
            && (!task.has_end() || graph.lower(goal, Vertex::DEPOT).is_some())
        {
            goals.push(goal);
        }
    }
    Ok(goals)
}

/// The different inputs of the chains.
pub(super) fn inputs(chains: &[CheckedChain]) -> Vec<Vec<Value>> {
    let mut known = FxHashSet::default();
    let mut inputs = Vec::new();
    for input in chains.iter().flat_map(|chain| &chain.trace.inputs) {
        if inputs.len() < MOST_INPUTS && known.insert(input) {
            inputs.push(input.clone());
        }
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::all_goals;
    use crate::options::Options;
    use crate::session::Silent;
    use model::sort::Sort;
    use model::text::parse;
    use model::trace::{Start, Trace};
    use model::validate::validate;

    /// A walk on a line of 60 places; the input's upper bits do nothing but fill a sum without end.
    const SYSTEM: &str = "system s input go w16
        state place w6 init 0 next (ite (eq (extract 1 0 go) 1) (ite (ult place 59) (add place 1) place)
            (ite (eq (extract 1 0 go) 2) (ite (ult 0 place) (sub place 1) place) place))
        goal near when (eq place 3)
        goal far when (eq place 9)
        goal back when (and (eq place 1) (eq go 7))
        end (eq place 0)";

    #[test]
    fn detours_of_known_chains_are_left_out() {
        let system = validate(parse(SYSTEM).expect("text of a system")).expect("a valid system");
        let task = Task::new(&system, &all_goals(&system), Vec::new());
        let options = Options::default();
        let session = Session::new(&options, &Silent);
        let held = |go: u128, times: usize| vec![vec![Value::new(Sort::word(16), go)]; times];
        let chain = |inputs: Vec<Vec<Vec<Value>>>| {
            let trace = Trace { start: Start::Initial(Vec::new()), inputs: inputs.concat() };
            let goals: Vec<Vertex> = task.vertices().collect();
            covering(&task, trace, &goals).expect("a run").expect("a chain")
        };
        let far = chain(vec![held(1, 4), held(2, 2), held(1, 9), held(2, 11)]);
        let back = chain(vec![held(1, 5), held(2, 4), held(7, 1), held(6, 1)]);
        let found = search(&task, &[far.clone(), back.clone()], limits(200_000), &session);
        let Ok(Searched::Better(better)) = found else { panic!("better chains") };
        assert_eq!(better.iter().map(CheckedChain::length).collect::<Vec<_>>(), [9 + 8 + 1 + 1]);
        let again = search(&task, &better, limits(200_000), &session);
        assert!(matches!(again, Ok(Searched::Nothing)), "what is best is left as it is");
        assert!(matches!(search(&task, &[far, back], limits(5), &session), Ok(Searched::TooLarge)));
    }
}
