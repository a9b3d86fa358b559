//! From what the search has found to chains.

use super::code::Program;
use super::guards::Guards;
use super::search::{Budget, Search, Way};
use super::shorten::cut_loops;
use crate::chain::check::{Candidate, cut, longest_run};
use crate::problem::Problem;
use crate::reach::explicit::InitialState;
use crate::reach::graph::Engine;
use crate::stats::{Context, Halt};
use model::sort::Sort;
use model::trace::{Start, Trace};
use model::value::Value;

/// Chains that each end in Final; they cover goals, but not necessarily all. The evaluator has accepted each. Where the goals need several chains,
/// later chains cover what earlier ones do not.
pub(crate) fn chains(
    problem: &Problem<'_>,
    goals: &[usize],
    initial: &[InitialState],
    budget: Budget,
    context: &Context<'_>,
) -> Result<Vec<Candidate>, Halt> {
    let program = Program::compile(problem);
    let narrow = |sort: &Sort| sort.width() <= 64;
    if !program.state_sorts.iter().chain(&program.input_sorts).all(narrow) || initial.is_empty() {
        return Ok(Vec::new());
    }
    let states: Vec<Vec<u64>> = initial.iter().map(|initial| bits(&initial.state)).collect();
    let mut open = goals.to_vec();
    let mut chains = Vec::new();
    while !open.is_empty() {
        let seed = context.options.seed.wrapping_add(chains.len() as u64);
        let guards = Guards::new(problem, context.options.backend);
        let mut search = Search::new((problem.system, guards), &program, &states, &open, seed);
        // What the first chain does not cover is mostly not to be found: less is spent on it.
        let share = if chains.is_empty() { 1 } else { 2 };
        search.run(Budget { total: budget.total / share, idle: budget.idle / share }, context);
        let Some(way) = search.found() else { break };
        let start = way.start;
        let way = search.shorten(way, &states[start], budget.idle / 4, context);
        let trace = trace(&search, &program, initial, &way);
        let Some(chain) = accepted(problem, &open, &trace)? else { break };
        open.retain(|&goal| !chain.covers(problem.goal(goal)));
        let (covered, steps) = (goals.len() - open.len(), chain.length());
        let text = format!("{covered} of {} goals covered, the last chain has {steps} steps", goals.len());
        context.record(Engine::Simulation, text);
        chains.push(chain);
        if context.stopped().is_some() {
            break;
        }
    }
    Ok(chains)
}

/// The chain of an execution, without loops; it covers those of the goals that the evaluator sees. `None`: there are none.
fn accepted(problem: &Problem<'_>, goals: &[usize], trace: &Trace) -> Result<Option<Candidate>, Halt> {
    let whole = longest_run(problem, trace)?;
    let covered: Vec<usize> =
        goals.iter().copied().filter(|&goal| whole.covers(problem.goal(goal))).collect();
    if covered.is_empty() {
        return Ok(None);
    }
    let Some(chain) = cut(problem, trace, &covered)? else { return Ok(None) };
    let straight = cut(problem, &cut_loops(problem, &chain, &covered), &covered)?;
    Ok(Some(straight.filter(|straight| straight.length() <= chain.length()).unwrap_or(chain)))
}

/// Bit patterns of values.
fn bits(values: &[Value]) -> Vec<u64> {
    values.iter().map(|value| value.bits() as u64).collect()
}

/// The execution step by step.
fn trace(search: &Search<'_>, program: &Program, initial: &[InitialState], way: &Way) -> Trace {
    let mut inputs = Vec::with_capacity(way.length as usize);
    for hold in &way.holds {
        let bits = search.vector(hold.inputs).iter().zip(&program.input_sorts);
        let values: Vec<Value> = bits.map(|(&bits, &sort)| Value::new(sort, bits.into())).collect();
        inputs.extend(std::iter::repeat_n(values, hold.steps as usize));
    }
    Trace { start: Start::Initial(initial[way.start].inputs.clone()), inputs }
}
