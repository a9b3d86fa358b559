//! Inputs under which goals occur in some state.
//!
//! Every second day at six in the morning a pump starts, if its tank is full and it does not rain.
//! Inputs drawn at random seldom meet all such conditions at the one step at which they matter. So a
//! SAT solver is asked for any state and inputs of a step in which a goal occurs, and which of these
//! inputs matter there: that is what is held while time passes.

use super::player::Player;
use super::vectors::bits;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::{ByVertex, Vertex};
use crate::random_simulation::Random;
use crate::session::{Session, Stop};
use crate::step::bmc_solver::{Answer, BmcSolver, Effort, if_small};
use crate::step::size::Size;
use encoder::unroll::Start as First;
use model::sort::Sort;
use model::trace::{Start, Trace};

/// Gates of a step beyond which no query is asked.
const MOST_GATES: usize = 100_000;
/// Conflicts of one query.
const EFFORT: Effort = Effort::Conflicts(300);
/// What a query counts for, in evaluated instructions, for each gate of the step.
const COST_PER_GATE: u64 = 20;
/// Most goals that are asked about in a turn.
const MOST_ASKED: usize = 64;
/// Values that are tried in place of one that may matter.
const TRIED: usize = 4;

/// What is known of a goal.
#[derive(Clone, Debug, Default)]
enum Known {
    /// It was not asked about.
    #[default]
    Nothing,
    /// No inputs are known.
    None,
    /// Inputs that matter, and their values.
    Inputs(Aim),
}

/// Numbers of inputs, and values for them.
pub(crate) type Aim = Vec<(usize, u64)>;

/// See the module text.
#[derive(Default)]
pub(crate) struct Aims {
    known: Option<ByVertex<Known>>,
}

impl Aims {
    /// Asks about goals that were not asked about yet; what that costs, in evaluated instructions.
    ///
    /// # Errors
    /// Limits that end the whole search.
    pub(crate) fn ask(
        &mut self,
        task: &Task<'_>,
        goals: &[Vertex],
        player: &mut Player<'_>,
        session: &Session<'_>,
    ) -> Result<u64, Stop> {
        let known =
            self.known.get_or_insert_with(|| Vertex::all(task.len()).map(|_| Known::Nothing).collect());
        let is_new = |goal: &&Vertex| matches!(known[**goal], Known::Nothing);
        let asked: Vec<Vertex> = goals.iter().filter(is_new).copied().take(MOST_ASKED).collect();
        if asked.is_empty() {
            return Ok(0);
        }
        asked.iter().for_each(|&goal| known[goal] = Known::None);
        let Some(gates) = Size::of(task.system).gates.filter(|&gates| gates <= MOST_GATES) else {
            return Ok(0);
        };
        let Ok(mut solver) = BmcSolver::new(task, First::Free, session) else { return Ok(0) };
        for &goal in &asked {
            session.check_limits()?;
            if let Some(trace) = occurrence(&mut solver, goal, session)? {
                known[goal] = needed(&trace, goal, player);
            }
        }
        Ok(asked.len() as u64 * gates as u64 * COST_PER_GATE)
    }

    /// What different inputs matter for these goals: each is as likely to be taken.
    pub(crate) fn of(&self, goals: &[Vertex]) -> Vec<Aim> {
        let mut found: Vec<Aim> = Vec::new();
        for &goal in goals {
            if let Some(Known::Inputs(aim)) = self.known.as_ref().map(|known| &known[goal])
                && !aim.is_empty()
                && !found.contains(aim)
            {
                found.push(aim.clone());
            }
        }
        found
    }
}

/// Sets inputs as one of these aims needs them, if there are any.
pub(crate) fn take_one(aims: &[Aim], inputs: &mut [u64], random: &mut Random) {
    if !aims.is_empty() {
        aims[random.below(aims.len())].iter().for_each(|&(input, value)| inputs[input] = value);
    }
}

/// A step from any state in which the goal occurs, as far as that is soon known.
fn occurrence(
    solver: &mut BmcSolver<'_>,
    goal: Vertex,
    session: &Session<'_>,
) -> Result<Option<Trace>, Stop> {
    let Some(event) = if_small(solver.event(goal, 0))? else { return Ok(None) };
    Ok(match solver.look_for(session, &[event], 1, EFFORT)? {
        Answer::Run(trace) => Some(trace),
        Answer::None | Answer::GaveUp => None,
    })
}

/// The inputs that matter for a goal in the first step.
fn needed(trace: &Trace, goal: Vertex, player: &mut Player<'_>) -> Known {
    let Start::State(state) = &trace.start else { return Known::None };
    let (state, label) = (bits(state), player.program().labels[goal][0]);
    let sorts = player.program().input_sorts.clone();
    let slots = [label, player.program().allowed];
    let occurs = |inputs: &[u64]| {
        let truths = player.computed(&state, inputs, slots.into_iter());
        (truths[1] != 0).then_some(truths[0] != 0)
    };
    that_matter(&bits(&trace.inputs[0]), &sorts, occurs).map_or(Known::None, Known::Inputs)
}

/// The inputs that matter, of these sorts: something does not occur where one of them has some other
/// value. `occurs` says `None` of inputs that are not allowed, which tell nothing. `None`: it does
/// not occur.
pub(crate) fn that_matter(
    inputs: &[u64],
    sorts: &[Sort],
    mut occurs: impl FnMut(&[u64]) -> Option<bool>,
) -> Option<Aim> {
    let mut inputs = inputs.to_vec();
    if occurs(&inputs) != Some(true) {
        return None;
    }
    let mut random = Random::new(0);
    let mut found = Vec::new();
    for input in 0..inputs.len() {
        let (value, mask) = (inputs[input], sorts[input].mask() as u64);
        let mut matters = |other: u64| {
            inputs[input] = other & mask;
            let occurs = occurs(&inputs);
            inputs[input] = value;
            occurs == Some(false)
        };
        // Declared ranges mostly allow small numbers.
        let near = [0, 1, value / 2, value.wrapping_mul(2), value ^ 1, u64::MAX];
        let others: Vec<u64> = near.into_iter().chain((0..TRIED).map(|_| random.next_word())).collect();
        if others.into_iter().any(&mut matters) {
            found.push((input, value));
        }
    }
    Some(found)
}
