//! Minimal conflicts: sets of requirements that are inconsistent while each smaller one is not; and
//! *repairs*, minimal sets of requirements without which the others do not contradict each other.
//!
//! One conflict is found by QuickXPlain (Junker, AAAI 2004), which prefers requirements that come
//! first in the file. Repairs are the minimal sets that have a member of every conflict. So all
//! conflicts are found by turns (Gunopulos et al., "Discovering all most specific sentences", TODS
//! 28, 2003; MARCO by Liffiton et al., Constraints 21, 2016, takes the same steps with a solver for
//! the sets that are left): of those found, all minimal sets that meet each of them are computed;
//! where the requirements outside of one still contradict each other, they hold a new conflict;
//! where they do for none, the conflicts are all, and the sets are the repairs.

use super::{Means, part_depth};
use crate::interface::Interface;
use crate::parts::parts;
use crate::semantics::Undecided;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Minimal conflicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflicts {
    /// The sets: smaller ones first, then in order of the file; each ascending.
    pub sets: Vec<Vec<usize>>,
    /// Minimal sets of requirements without which the others are no conflict, in the same order. All
    /// of them where the conflicts are complete, else those that were found.
    pub repairs: Vec<Vec<usize>>,
    /// Whether these are all.
    pub is_complete: bool,
}

impl Conflicts {
    /// No conflicts.
    pub(super) fn none() -> Self {
        Self { sets: Vec::new(), repairs: Vec::new(), is_complete: true }
    }
}

/// Sets that meet all conflicts at most: beyond, the search for further conflicts is given up.
const MOST_SETS: usize = 2000;

/// Values that are tried for a set before solvers have their turn: there are many sets, and those of
/// one part are mostly as large as the part.
const BEFORE_SOLVER: u64 = 50_000;

/// The minimal sets of requirements that are not k-consistent (`within` k), or not consistent.
pub(super) fn minimal(
    interface: &Interface,
    all: &[usize],
    within: Option<usize>,
    means: &mut Means<'_>,
) -> Conflicts {
    let given = means.before_solver;
    means.before_solver = given.min(BEFORE_SOLVER);
    let mut oracle = Oracle { interface, within, means: &mut *means, known: FxHashMap::default() };
    let mut sets: Vec<Vec<usize>> = Vec::new();
    let mut repairs = BTreeSet::from([Vec::new()]);
    let (mut kept, mut open) = (BTreeSet::new(), BTreeSet::new());
    // Small sets leave many requirements, among which conflicts are likely.
    let next = |repairs: &BTreeSet<Vec<usize>>, done: &BTreeSet<Vec<usize>>, open: &BTreeSet<Vec<usize>>| {
        let left = repairs.iter().filter(|set| !done.contains(*set) && !open.contains(*set));
        left.min_by_key(|set| (set.len(), (*set).clone())).cloned()
    };
    while let Some(without) = next(&repairs, &kept, &open) {
        let rest: Vec<usize> = all.iter().copied().filter(|index| !without.contains(index)).collect();
        match oracle.one(&rest) {
            Ok(None) => {
                kept.insert(without);
            }
            Ok(Some(conflict)) => {
                repairs = meeting(&repairs, &conflict);
                sets.push(conflict);
            }
            Err(_) => {
                open.insert(without);
            }
        }
        if repairs.len() > MOST_SETS {
            break;
        }
    }
    means.before_solver = given;
    let is_complete = repairs.iter().all(|set| kept.contains(set));
    let mut repairs: Vec<Vec<usize>> = repairs.into_iter().filter(|set| kept.contains(set)).collect();
    for sets in [&mut sets, &mut repairs] {
        sets.sort_by_key(|set| (set.len(), set.clone()));
    }
    Conflicts { sets, repairs, is_complete }
}

/// The minimal sets that meet those which some sets meet, and one more.
fn meeting(sets: &BTreeSet<Vec<usize>>, conflict: &[usize]) -> BTreeSet<Vec<usize>> {
    let meets = |set: &&Vec<usize>| conflict.iter().any(|index| set.contains(index));
    let (mut meeting, missing): (BTreeSet<Vec<usize>>, Vec<Vec<usize>>) = (
        sets.iter().filter(meets).cloned().collect(),
        sets.iter().filter(|set| !meets(set)).cloned().collect(),
    );
    let already: Vec<Vec<usize>> = meeting.iter().cloned().collect();
    for set in missing {
        for &member in conflict {
            let mut larger = set.clone();
            larger.push(member);
            larger.sort_unstable();
            // Of sets that are made larger none lies in another one, unless both are the same.
            if !already.iter().any(|known| known.iter().all(|index| larger.contains(index))) {
                meeting.insert(larger);
            }
        }
    }
    meeting
}

struct Oracle<'a, 'm> {
    interface: &'a Interface,
    within: Option<usize>,
    means: &'a mut Means<'m>,
    /// By independent part: whether it is a conflict.
    known: FxHashMap<Vec<usize>, bool>,
}

impl Oracle<'_, '_> {
    /// Whether some requirements are a conflict: one of their parts is.
    fn is_conflict(&mut self, set: &[usize]) -> Result<bool, Undecided> {
        let mut undecided = None;
        for part in parts(self.interface, set) {
            match self.is_conflict_alone(part) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(why) => undecided = Some(why),
            }
        }
        undecided.map_or(Ok(false), Err)
    }
    fn is_conflict_alone(&mut self, part: Vec<usize>) -> Result<bool, Undecided> {
        if let Some(&known) = self.known.get(&part) {
            return Ok(known);
        }
        let is_conflict = match (part_depth(self.interface, &part, self.means), self.within) {
            (Ok(None), _) => false,
            (Ok(Some(_)) | Err(Undecided::Depth), None) => true,
            (Ok(Some(depth)), Some(within)) => depth <= within,
            (Err(undecided), _) => return Err(undecided),
        };
        self.known.insert(part, is_conflict);
        Ok(is_conflict)
    }
    /// A minimal conflict among some requirements.
    fn one(&mut self, among: &[usize]) -> Result<Option<Vec<usize>>, Undecided> {
        if !self.is_conflict(among)? {
            return Ok(None);
        }
        let mut conflict = self.quick_explain(&[], false, among)?;
        conflict.sort_unstable();
        Ok(Some(conflict))
    }
    /// QuickXPlain: what of `among` is needed beside `background`, which has grown since it was
    /// asked of last where `has_grown`.
    fn quick_explain(
        &mut self,
        background: &[usize],
        has_grown: bool,
        among: &[usize],
    ) -> Result<Vec<usize>, Undecided> {
        if has_grown && self.is_conflict(background)? {
            return Ok(Vec::new());
        }
        if let [single] = among {
            return Ok(vec![*single]);
        }
        let (first, last) = among.split_at(among.len() / 2);
        let with_first: Vec<usize> = background.iter().chain(first).copied().collect();
        let of_last = self.quick_explain(&with_first, !first.is_empty(), last)?;
        let with_last: Vec<usize> = background.iter().chain(&of_last).copied().collect();
        let mut of_first = self.quick_explain(&with_last, !of_last.is_empty(), first)?;
        of_first.extend(of_last);
        Ok(of_first)
    }
}
