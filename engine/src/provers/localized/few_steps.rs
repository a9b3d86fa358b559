//! What few steps tell about the words that matter.

use super::words::Localization;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::session::{Session, Stop};
use crate::step::frames::Frames;
use encoder::EncodeError;
use encoder::unroll::Start;
use model::id::IdVec;
use model::system::StateId;
use solver::sat::Lit;
use std::collections::{BTreeMap, BTreeSet};

/// Steps that the first words are learned from.
pub(super) const FIRST: u32 = 3;
/// Most steps that words are learned from.
pub(super) const DEEPEST: u32 = 24;

/// What few steps tell about a localization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lesson {
    /// It needed more words, and has them now.
    More,
    /// It does not reach the goal in these steps.
    Nothing,
    /// With all words the goal is reached.
    Reached,
}

/// Few steps of the system, of which each word may be left out.
pub(super) struct FewSteps<'f> {
    frames: Frames<'f>,
    /// For each word that matters what is true where it is kept.
    kept: BTreeMap<StateId, Lit>,
}

impl<'f> FewSteps<'f> {
    /// The task is one over a [loose](model::localization::loose) system, in which these words
    /// matter; `kept` tells which word says of each whether it is kept.
    pub(super) fn new(
        task: &Task<'f>,
        words: impl Iterator<Item = StateId>,
        kept: &IdVec<StateId, StateId>,
        session: &Session<'_>,
    ) -> Result<Self, EncodeError> {
        let mut frames = Frames::new(task, Start::Initial, session)?;
        let mut literals = BTreeMap::new();
        for word in words {
            literals.insert(word, frames.word(kept[word], 0)?[0]);
        }
        Ok(Self { frames, kept: literals })
    }

    /// Whether the goal can occur after so many steps where these words are kept; else those of them
    /// that this rests on.
    fn reaches(
        &mut self,
        (task, goal): (&Task<'_>, Vertex),
        depth: u32,
        words: &BTreeSet<StateId>,
        session: &Session<'_>,
    ) -> Result<Option<BTreeSet<StateId>>, Stop> {
        let occurs = self.frames.literal(task.target(goal).antecedent, depth)?;
        let running = self.frames.running(depth + task.steps(goal))?;
        let mut assumptions = vec![occurs, running];
        assumptions.extend(words.iter().filter_map(|word| self.kept.get(word)));
        if session.solve(&mut self.frames.solver, &assumptions)? {
            return Ok(None);
        }
        let core = self.frames.solver.core();
        let is_needed = |word: &StateId| self.kept.get(word).is_some_and(|kept| core.contains(kept));
        Ok(Some(words.iter().copied().filter(|word| is_needed(word)).collect()))
    }

    /// Looks for the least number of steps below `end` in which the localization reaches the goal,
    /// and adds a smallest set of words that makes it miss the goal there.
    pub(super) fn learn(
        &mut self,
        asked: (&Task<'_>, Vertex),
        localization: &mut Localization,
        end: u32,
        session: &Session<'_>,
    ) -> Result<Lesson, Stop> {
        while localization.depth < end {
            let depth = localization.depth;
            if self.reaches(asked, depth, &localization.words, session)?.is_some() {
                localization.depth += 1;
                continue;
            }
            let all = self.kept.keys().copied().collect();
            let Some(mut needed) = self.reaches(asked, depth, &all, session)? else {
                return Ok(Lesson::Reached);
            };
            for word in needed.clone() {
                let mut fewer: BTreeSet<StateId> = needed.union(&localization.words).copied().collect();
                if localization.words.contains(&word) || !fewer.remove(&word) {
                    continue;
                }
                if let Some(core) = self.reaches(asked, depth, &fewer, session)? {
                    needed = core;
                }
            }
            localization.words.extend(needed);
            localization.depth += 1;
            return Ok(Lesson::More);
        }
        Ok(Lesson::Nothing)
    }
}
