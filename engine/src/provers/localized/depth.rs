//! How long localizations take to reach a goal: no less than the system does.

use super::Look;
use super::few_steps::{DEEPEST, Lesson};
use super::words::{Localization, RUNGS};
use crate::error::StopReason;
use crate::knowledge::vertex::Vertex;
use crate::provers::explicit::{Explicit, Limits, if_suited};
use crate::session::{Session, Stop};
use crate::step::initial::{INITIAL_STATES, initial_states};

/// What the enumeration of one localization may cost.
const LIMITS: Limits = Limits { states: 200_000, classes: 400, outcomes: true, work: 40_000_000 };

/// Steps before which the goal cannot occur, from the words that few steps name and from
/// localizations that can be enumerated; where `enough` are shown nothing larger is looked at.
pub(super) fn depth(
    look: &mut Look<'_, '_>,
    localization: &mut Localization,
    enough: u32,
    session: &Session<'_>,
) -> Result<u32, Stop> {
    let half = session.allowance().unwrap_or(u64::MAX) / 2;
    let mut lesson = Lesson::More;
    while lesson == Lesson::More {
        lesson = match session.at_most(half, || look.learn(localization, DEEPEST, session)) {
            Err(Stop::Limit(StopReason::Effort)) => break,
            learned => learned?,
        };
    }
    let mut deepest = localization.depth;
    for rung in 0..RUNGS.len() {
        if deepest >= enough {
            break;
        }
        let Some((part, _)) = localization.part(rung, (look.task, look.goal), look.modes) else { continue };
        let own = part.task(session);
        let Some(initial) = initial_states(&own, INITIAL_STATES, session)? else { continue };
        let enumerated = Explicit::enumerate(&own, &initial, LIMITS, session);
        let Some(explicit) = if_suited(enumerated)? else { break };
        let goal = Vertex::of_position(0);
        let steps = explicit.row(Vertex::DEPOT).into_iter().find(|&(target, _)| target == goal);
        deepest = deepest.max(steps.and_then(|(_, steps)| steps).unwrap_or(0));
    }
    Ok(deepest)
}
