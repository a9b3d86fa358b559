//! Minimal conflicts: sets of requirements that are inconsistent while each smaller one is not; and
//! *repairs*, minimal sets of requirements without which the others do not contradict each other.
//!
//! One conflict is found by QuickXPlain (Junker, AAAI 2004), which prefers requirements that come
//! first in the file, or, where a solver of games names the requirements that it needed, by leaving
//! one after the other out of those. Repairs are the minimal sets that have a member of every
//! conflict. So all conflicts are found by turns (Gunopulos et al., "Discovering all most specific
//! sentences", TODS 28, 2003; MARCO by Liffiton et al., Constraints 21, 2016, takes the same steps
//! with a solver for the sets that are left): of those found, all minimal sets that meet each of
//! them are computed; where the requirements outside of one still contradict each other, they hold
//! a new conflict; where they do for none, the conflicts are all, and the sets are the repairs.

mod oracle;

pub(super) use oracle::{Boards, Facts};

use super::Means;
use crate::interface::Interface;
use crate::semantics::Undecided;
use oracle::{Found, Oracle};
use std::collections::BTreeSet;

/// Minimal conflicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflicts {
    /// The sets: smaller ones first, then in order of the file; each ascending.
    pub sets: Vec<Vec<usize>>,
    /// Minimal sets of requirements without which the others are no conflict, in the same order. All
    /// of them where the conflicts are complete, else those that were found.
    pub repairs: Vec<Vec<usize>>,
    /// The smallest conflict that was found while no minimal one was: a limit was reached before.
    pub unfinished: Option<Vec<usize>>,
    /// Whether these are all.
    pub is_complete: bool,
}

impl Conflicts {
    /// No conflicts.
    pub(super) fn none() -> Self {
        Self { sets: Vec::new(), repairs: Vec::new(), unfinished: None, is_complete: true }
    }
}

/// Sets that meet all conflicts at most: beyond, the search for further conflicts is given up.
const MOST_SETS: usize = 2000;

/// The minimal sets of requirements that are not k-consistent (`within` k), or not consistent; the
/// set `known` is one that may not be minimal.
pub(super) fn minimal(
    interface: &Interface,
    (known, within): (&[usize], Option<usize>),
    means: &mut Means<'_>,
    (boards, facts): (&Boards, &mut Facts),
) -> Conflicts {
    let all: Vec<usize> = (0..interface.requirements.len()).collect();
    let mut oracle = Oracle::new(interface, within, means, boards, facts);
    let mut unfinished = known.to_vec();
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
            Ok(Some(Found { conflict, is_minimal: true })) => {
                repairs = meeting(&repairs, &conflict);
                sets.push(conflict);
            }
            Ok(Some(Found { conflict, .. })) => {
                if conflict.len() < unfinished.len() {
                    unfinished = conflict;
                }
                open.insert(without);
            }
            Err(Undecided::Time) => break,
            Err(_) => {
                open.insert(without);
            }
        }
        if repairs.len() > MOST_SETS {
            break;
        }
    }
    let is_complete = repairs.iter().all(|set| kept.contains(set));
    let mut repairs: Vec<Vec<usize>> = repairs.into_iter().filter(|set| kept.contains(set)).collect();
    for sets in [&mut sets, &mut repairs] {
        sets.sort_by_key(|set| (set.len(), set.clone()));
    }
    let unfinished = sets.is_empty().then_some(unfinished);
    Conflicts { sets, repairs, unfinished, is_complete }
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
