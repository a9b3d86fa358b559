//! Minimal conflicts: sets of requirements that are inconsistent while each smaller one is not.
//!
//! One is found by QuickXPlain (Junker, AAAI 2004), which prefers requirements that come first in
//! the file; all of them by leaving out, one after the other, each member of each conflict found
//! (Reiter, "A theory of diagnosis from first principles", AIJ 32, 1987): a minimal conflict that
//! differs from one found lacks one of its members, so it stays when that member is left out.

use super::{Means, depth_by};
use crate::interface::Interface;
use crate::semantics::Undecided;
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// Minimal conflicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflicts {
    /// The sets: smaller ones first, then in order of the file; each ascending.
    pub sets: Vec<Vec<usize>>,
    /// Whether these are all.
    pub is_complete: bool,
}

impl Conflicts {
    /// No conflicts.
    pub(super) fn none() -> Self {
        Self { sets: Vec::new(), is_complete: true }
    }
}

/// Sets that are looked at until the search for further conflicts is given up.
const MOST_SETS: usize = 2000;

/// The minimal sets of requirements that are not k-consistent (`within` k), or not consistent.
pub(super) fn minimal(
    interface: &Interface,
    all: &[usize],
    within: Option<usize>,
    means: &mut Means<'_>,
) -> Conflicts {
    let mut oracle = Oracle { interface, within, means, known: FxHashMap::default() };
    let mut found: BTreeSet<Vec<usize>> = BTreeSet::new();
    let mut seen: BTreeSet<Vec<usize>> = BTreeSet::new();
    let mut queue = VecDeque::from([Vec::new()]);
    let mut is_complete = true;
    while let Some(without) = queue.pop_front() {
        if seen.len() > MOST_SETS {
            is_complete = false;
            break;
        }
        let rest: Vec<usize> = all.iter().copied().filter(|index| !without.contains(index)).collect();
        let known = found.iter().find(|set| set.iter().all(|index| rest.contains(index))).cloned();
        let conflict = match known {
            Some(known) => Ok(Some(known)),
            None => oracle.one(&rest),
        };
        match conflict {
            Ok(None) => {}
            Ok(Some(conflict)) => {
                for &member in &conflict {
                    let mut next: Vec<usize> = without.iter().copied().chain([member]).collect();
                    next.sort_unstable();
                    if seen.insert(next.clone()) {
                        queue.push_back(next);
                    }
                }
                found.insert(conflict);
            }
            Err(_) => is_complete = false,
        }
    }
    let mut sets: Vec<Vec<usize>> = found.into_iter().collect();
    sets.sort_by_key(|set| (set.len(), set.clone()));
    Conflicts { sets, is_complete }
}

struct Oracle<'a, 'm> {
    interface: &'a Interface,
    within: Option<usize>,
    means: &'a mut Means<'m>,
    known: FxHashMap<Vec<usize>, bool>,
}

impl Oracle<'_, '_> {
    fn is_conflict(&mut self, set: &[usize]) -> Result<bool, Undecided> {
        let mut set = set.to_vec();
        set.sort_unstable();
        if let Some(&known) = self.known.get(&set) {
            return Ok(known);
        }
        let is_conflict = match (depth_by(self.interface, &set, self.means), self.within) {
            (Ok(None), _) => false,
            (Ok(Some(_)) | Err(Undecided::Depth), None) => true,
            (Ok(Some(depth)), Some(within)) => depth <= within,
            (Err(undecided), _) => return Err(undecided),
        };
        self.known.insert(set, is_conflict);
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
