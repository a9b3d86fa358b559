//! Ways from the end of one chain into another.
//!
//! A chain that cannot follow another as it is may be able to from a later step on, or after a few
//! steps that lead back to where it once was: a reset message, waiting. It need not be the very
//! same state. It is enough that the words agree on which the goals depend that only the second
//! chain covers (and Final): these decide by themselves, with the inputs, what becomes of them. So
//! known inputs are tried breadth first from the end of the first chain, until the words are those
//! that the second chain has somewhere before its first such goal.

use super::joined;
use crate::error::EngineError;
use crate::knowledge::chains::{CheckedChain, covered, first_occurrence, missed};
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::abstraction::words_behind;
use model::simulate::Simulator;
use model::term::TermId;
use model::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// Most different inputs that are tried.
const MOST_INPUTS: usize = 64;

/// The words that matter, of a state.
type Part = Vec<Value>;

/// A state that the search has reached.
struct Place {
    state: Vec<Value>,
    /// The place before and the number of the inputs that lead here; `None` at the end of the first
    /// chain.
    from: Option<(usize, usize)>,
}

/// Both chains in one, by the shortest way from the end of the first that known inputs make.
/// `effort` are the steps that the search for it may still simulate.
pub(super) fn bridged(
    task: &Task<'_>,
    [first, second]: [&CheckedChain; 2],
    inputs: &[Vec<Value>],
    effort: &mut usize,
) -> Result<Option<CheckedChain>, EngineError> {
    let needed = missed(task, std::slice::from_ref(first), &covered(task, [second], task.vertices()));
    let at = |&vertex: &Vertex| first_occurrence(&second.run, task.goal(vertex));
    let Some(latest) = needed.iter().filter_map(at).min() else { return Ok(None) };
    let antecedents = needed.iter().map(|&vertex| task.target(vertex).antecedent);
    let terms: Vec<TermId> = antecedents.chain(task.system.end).collect();
    let words = words_behind(task.system, &terms);
    let part = |state: &[Value]| -> Part { words.iter().map(|&word| state[word]).collect() };
    let entries: FxHashMap<Part, usize> =
        (0..=latest as usize).map(|step| (part(&second.run.states[step]), step)).collect();
    let Some((way, step)) = way(task, first, inputs, part, &entries, effort) else { return Ok(None) };
    joined(task, [first, second], &way, step)
}

/// The shortest way from the end of a chain to a part of a state that is an entry, and the step of
/// the entry.
fn way(
    task: &Task<'_>,
    first: &CheckedChain,
    inputs: &[Vec<Value>],
    part: impl Fn(&[Value]) -> Part,
    entries: &FxHashMap<Part, usize>,
    effort: &mut usize,
) -> Option<(Vec<Vec<Value>>, usize)> {
    let mut simulator = Simulator::new(task.system);
    let end = first.run.states.last()?;
    if let Some(&step) = entries.get(&part(end)) {
        return Some((Vec::new(), step));
    }
    let mut seen: FxHashSet<Part> = FxHashSet::from_iter([part(end)]);
    let mut places = vec![Place { state: end.clone(), from: None }];
    let mut next = 0;
    while next < places.len() {
        for (number, row) in inputs.iter().take(MOST_INPUTS).enumerate() {
            *effort = effort.checked_sub(1)?;
            let done = simulator.step(&places[next].state, row);
            if done.violated.is_some() {
                continue;
            }
            let here = part(&done.next);
            if let Some(&step) = entries.get(&here) {
                let mut way = vec![row.clone()];
                let mut back = &places[next];
                while let Some((before, number)) = back.from {
                    way.push(inputs[number].clone());
                    back = &places[before];
                }
                way.reverse();
                return Some((way, step));
            }
            if seen.insert(here) {
                places.push(Place { state: done.next, from: Some((next, number)) });
            }
        }
        next += 1;
    }
    None
}
