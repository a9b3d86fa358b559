//! What few steps tell about the words that matter.

use super::words::Localization;
use crate::knowledge::task::Task;
use crate::knowledge::vertex::Vertex;
use crate::provers::pdr::{BitCube, BitValue};
use crate::session::{Session, Stop};
use crate::step::frames::Frames;
use encoder::EncodeError;
use encoder::unroll::Start;
use model::system::StateId;
use solver::sat::Lit;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Steps that the first words are learned from.
pub(super) const FIRST: u32 = 3;
/// Most steps that words are learned from.
pub(super) const DEEPEST: u32 = 24;

/// Ways are followed as far as their steps have no more terms together.
const MOST_TERMS: u64 = 60_000;

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
    /// For each word that matters the one that says whether it is kept.
    words: BTreeMap<StateId, StateId>,
    /// And the literal that is true where it is.
    kept: BTreeMap<StateId, Lit>,
}

impl<'f> FewSteps<'f> {
    /// The task is one over a [loose](model::localization::loose) system, in which the words that
    /// matter are these; beside each the one that says whether it is kept.
    pub(super) fn new(
        task: &Task<'f>,
        words: BTreeMap<StateId, StateId>,
        session: &Session<'_>,
    ) -> Result<Self, EncodeError> {
        let mut frames = Frames::new(task, Start::Initial, session)?;
        let mut kept = BTreeMap::new();
        for (&word, &is_kept) in &words {
            kept.insert(word, frames.word(is_kept, 0)?[0]);
        }
        Ok(Self { frames, words, kept })
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
        self.needed(&[occurs, running], words, session)
    }

    /// Whether all of these hold together where these words are kept; else those of them that this
    /// rests on.
    fn needed(
        &mut self,
        fixed: &[Lit],
        words: &BTreeSet<StateId>,
        session: &Session<'_>,
    ) -> Result<Option<BTreeSet<StateId>>, Stop> {
        let kept = words.iter().filter_map(|word| self.kept.get(word));
        let assumptions: Vec<Lit> = fixed.iter().chain(kept).copied().collect();
        if session.solve(&mut self.frames.solver, &assumptions)? {
            return Ok(None);
        }
        let core = self.frames.solver.core();
        let is_needed = |word: &StateId| self.kept.get(word).is_some_and(|kept| core.contains(kept));
        Ok(Some(words.iter().copied().filter(|word| is_needed(word)).collect()))
    }

    /// Whether the system can follow a way of the localization to the goal, by these bits of the
    /// states on it. If not, adds a smallest set of words because of which it cannot: narrow ones
    /// where there is a choice.
    pub(super) fn follow(
        &self,
        (task, goal): (&Task<'f>, Vertex),
        localization: &mut Localization,
        way: &[BitCube],
        session: &Session<'_>,
    ) -> Result<Lesson, Stop> {
        let depth = u32::try_from(way.len() - 1).expect("a way should have few steps");
        if u64::from(depth) * task.system.terms.len() as u64 > MOST_TERMS {
            return Ok(Lesson::Nothing);
        }
        // All later queries of a solver with so many frames would be slow.
        let mut long = Self::new(task, self.words.clone(), session)?;
        let occurs = long.frames.literal(task.target(goal).antecedent, depth)?;
        let running = long.frames.running(depth + task.steps(goal))?;
        let mut fixed = vec![occurs, running];
        for (frame, cube) in (0..).zip(way) {
            for &BitValue { word, bit, set } in cube {
                let literal = long.frames.word(word, frame)?[bit as usize];
                fixed.push(if set { literal } else { !literal });
            }
        }
        fixed.into_iter().for_each(|literal| long.frames.solver.clause(&[literal]));
        let all = long.words.keys().copied().collect();
        let Some(mut needed) = long.needed(&[], &all, session)? else { return Ok(Lesson::Reached) };
        let width = |word: &StateId| task.system.terms.symbol(task.system.states[*word].symbol).sort.width();
        let mut removed: Vec<StateId> = needed.iter().copied().collect();
        removed.sort_by_key(|word| Reverse(width(word)));
        for word in removed {
            let mut fewer = needed.clone();
            if fewer.remove(&word)
                && let Some(core) = long.needed(&[], &fewer, session)?
            {
                needed = core;
            }
        }
        let known = localization.words.len();
        localization.words.extend(needed);
        Ok(if localization.words.len() > known { Lesson::More } else { Lesson::Nothing })
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
