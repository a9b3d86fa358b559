//! How long localizations take to reach a goal: no less than the system does.

use super::Look;
use super::enumeration::{Answer, enumerate};
use super::few_steps::{DEEPEST, Lesson};
use super::words::{ENUMERATED, Localization, RUNGS};
use crate::error::StopReason;
use crate::session::{Session, Stop};

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
        let Some(enumeration) = enumerate(&part, ENUMERATED, false, session)? else { break };
        let Answer::Way(states) = enumeration.answer else { continue };
        deepest = deepest.max(states.len() as u32 - 1);
    }
    Ok(deepest)
}
