//! Lower bounds of distances without unrolling: all states that so many steps can reach, enclosed
//! in ranges.
//!
//! From the states in which a goal occurs, as [`starts`] encloses them, the step is evaluated over
//! [ranges](ranges) of words, again and again: what the ranges exclude after t steps cannot occur
//! after t steps. A step costs microseconds, so goals that are thousands of steps away are known to
//! be, also where states cannot be enumerated: free counters, integrators, timers that wait for
//! each other. What ranges do not see is how words belong together; such distances come out too
//! small, never too large. (Interval analysis, P. Cousot, R. Cousot, POPL 1977, without widening.)

mod fixpoint;
mod ranges;
mod starts;
#[cfg(test)]
mod tests;

use crate::knowledge::distances::ReachGraph;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::Engine;
use crate::session::{Session, Stop};
use crate::step::code::Program;
use crate::step::lanes::scalar;
pub(crate) use fixpoint::ReachableRanges;
use ranges::{Ranges, apply};
use starts::{Start, Starts};

/// What all distances together may usually cost, in evaluated instructions.
pub(crate) const BUDGET: u64 = 60_000_000;
/// Fewest steps that are looked ahead.
const LEAST_HORIZON: u32 = 2_000;

/// Raises the bounds of all distances from these vertices that are not settled, where that gives
/// `least` steps or more, for so many evaluated instructions. The number of steps that were looked
/// ahead at most.
pub(crate) fn enter_bounds(
    task: &Task<'_>,
    graph: &mut ReachGraph,
    sources: &[Vertex],
    (least, budget): (u32, u64),
    session: &Session<'_>,
) -> Result<u32, Stop> {
    let program = Program::compile(task);
    let mut steps = Steps::new(&program);
    let inputs = starts::inputs(task, session)?;
    let share = budget / sources.len().max(1) as u64 / (program.instructions.len() as u64 + 1);
    let horizon = LEAST_HORIZON.max(graph.farthest().saturating_add(1)).min(share.min(1 << 24) as u32);
    // Each is made where a source asks for it.
    let (mut from_init, mut from_anywhere) = (None, None);
    for &source in sources {
        let open: Vec<Vertex> = graph
            .vertices()
            .filter(|&target| target != source)
            .filter(|&target| !graph.is_settled(source, target) && (!target.is_depot() || task.has_end()))
            .collect();
        if open.is_empty() {
            continue;
        }
        let (starts, first) = match source.is_depot() {
            true => (&mut from_init, encoder::unroll::Start::Initial),
            false => (&mut from_anywhere, encoder::unroll::Start::Free),
        };
        let starts = match starts {
            Some(starts) => starts,
            none => none.insert(Starts::new(task, first, session)?),
        };
        let Some(start) = starts.start(source, &open, session)? else { continue };
        for (target, bound) in distances(&mut steps, &inputs, start, horizon, session)? {
            let seen = graph.upper(source, target);
            let bound = match bound {
                Distance::From(time) if seen.is_some_and(|seen| seen < time) => {
                    panic!("ranges should hold every state that was seen")
                }
                Distance::From(time) => Some(time),
                Distance::Excluded => seen.map(|seen| seen.min(horizon)),
            };
            if let Some(bound) = bound.filter(|&bound| bound >= least) {
                graph.raise(source, target, bound, Engine::Interval);
            }
        }
    }
    Ok(horizon)
}

/// What ranges say of a distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Distance {
    /// It is at least so much.
    From(u32),
    /// The target is excluded as far as ranges were followed, or for good: whether it can occur at
    /// all is for others to say.
    Excluded,
}

/// Lower bounds of the distances to the targets that the start leaves open.
fn distances(
    steps: &mut Steps<'_>,
    inputs: &[Ranges],
    start: Start,
    horizon: u32,
    session: &Session<'_>,
) -> Result<Vec<(Vertex, Distance)>, Stop> {
    let Start { mut state, step, mut open } = start;
    let mut bounds = Vec::with_capacity(open.len());
    for time in step..horizon {
        steps.evaluate(&state, inputs);
        open.retain(|&target| {
            let possible = steps.may_occur(target);
            if possible {
                bounds.push((target, Distance::From(time)));
            }
            !possible
        });
        let next = steps.next();
        if open.is_empty() || !steps.may_go_on() || next == state {
            break;
        }
        state = next;
        if time % 1_024 == 0 {
            session.check_limits()?;
        }
    }
    bounds.extend(open.into_iter().map(|target| (target, Distance::Excluded)));
    Ok(bounds)
}

/// Evaluates the step over ranges.
struct Steps<'p> {
    program: &'p Program,
    /// By slot.
    values: Vec<Ranges>,
    /// Widths of the results of instructions.
    widths: Vec<u32>,
    /// Widths of state words.
    state_widths: Vec<u32>,
}

impl<'p> Steps<'p> {
    fn new(program: &'p Program) -> Self {
        let mut values = vec![Ranges::NOTHING; program.slots()];
        let first = program.states + program.inputs;
        for (value, &bits) in values[first..].iter_mut().zip(&program.constants) {
            *value = Ranges::single(bits);
        }
        let widths =
            program.instructions.iter().map(|instruction| program.result_width(instruction)).collect();
        let state_widths = program.state_sorts.iter().map(|sort| sort.width()).collect();
        Self { program, values, widths, state_widths }
    }

    fn evaluate(&mut self, state: &[Ranges], inputs: &[Ranges]) {
        self.values[..state.len()].copy_from_slice(state);
        self.values[state.len()..state.len() + inputs.len()].copy_from_slice(inputs);
        let first = self.program.first_result();
        for (number, instruction) in self.program.instructions.iter().enumerate() {
            let operands =
                [instruction.a, instruction.b, instruction.c].map(|slot| self.values[slot as usize]);
            let compute = |operands| scalar(self.program, instruction, operands);
            self.values[first + number] = apply(instruction, self.widths[number], operands, compute);
        }
    }

    fn may_hold(&self, slot: u32) -> bool {
        self.values[slot as usize].contains(1)
    }
    fn may_go_on(&self) -> bool {
        self.may_hold(self.program.allowed)
    }
    /// Whether a goal may begin here; for the depot, whether an execution may end.
    fn may_occur(&self, vertex: Vertex) -> bool {
        match vertex.is_depot() {
            true => self.may_hold(self.program.end),
            false => self.may_go_on() && self.may_hold(self.program.labels[vertex][0]),
        }
    }
    fn next(&self) -> Vec<Ranges> {
        let next = self.program.next.iter().zip(&self.state_widths);
        next.map(|(&slot, &width)| self.values[slot as usize].split(width)).collect()
    }
}
