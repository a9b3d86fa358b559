//! Path conditions: which decisions lead to a point of the execution.
//!
//! A path is a list of conditions with shared beginnings. Keeping the list, not only its
//! conjunction, lets a join see where two paths parted: what selects between them is the short
//! rest, and where the rests are complementary the joined path is simply the common beginning.

use super::bounds::{Bound, Follows, bound, follows};
use model::define_id;
use model::id::{Id, IdVec};
use model::term::{TermId, TermPool};
use rustc_hash::FxHashMap;

define_id!(
    /// A path condition.
    PathId, "p"
);

#[derive(Clone)]
struct Node {
    parent: Option<PathId>,
    condition: TermId,
    conjunction: TermId,
    depth: u32,
}

/// Conditions looked through for a repeated or contradicted one.
const LOOK_BACK: usize = 64;

/// All path conditions of an execution.
#[derive(Clone)]
pub(crate) struct Paths {
    nodes: IdVec<PathId, Node>,
    known: FxHashMap<(PathId, TermId), PathId>,
}

/// How two paths relate.
pub(crate) struct Parting {
    /// What both have in common.
    pub(crate) common: PathId,
    /// Conditions of the first path behind that, joined.
    pub(crate) left: TermId,
    /// How many there are.
    pub(crate) left_length: u32,
    /// Conditions of the second path behind that, joined.
    pub(crate) right: TermId,
    /// How many there are.
    pub(crate) right_length: u32,
}

impl Paths {
    /// Only the path without conditions.
    pub(crate) fn new(pool: &mut TermPool) -> Self {
        let truth = pool.truth(true);
        let mut nodes = IdVec::new();
        nodes.push(Node { parent: None, condition: truth, conjunction: truth, depth: 0 });
        Self { nodes, known: FxHashMap::default() }
    }
    /// The path without conditions.
    pub(crate) fn root(&self) -> PathId {
        PathId::new(0)
    }
    /// All conditions of a path, joined.
    pub(crate) fn conjunction(&self, path: PathId) -> TermId {
        self.nodes[path].conjunction
    }
    /// The path with one more condition; `None` where the conditions contradict each other openly.
    pub(crate) fn extend(&mut self, pool: &mut TermPool, path: PathId, condition: TermId) -> Option<PathId> {
        if let Some(value) = pool.as_const(condition) {
            return value.is_true().then_some(path);
        }
        if let Some(&known) = self.known.get(&(path, condition)) {
            return Some(known);
        }
        let negated = pool.not(condition);
        let mut earlier = path;
        for _ in 0..LOOK_BACK {
            let node = &self.nodes[earlier];
            if node.condition == condition {
                return Some(path);
            }
            if node.condition == negated {
                return None;
            }
            let Some(parent) = node.parent else { break };
            earlier = parent;
        }
        match bound(pool, condition).and_then(|wanted| follows(wanted, self.bounds(pool, path))) {
            Some(Follows::Always) => return Some(path),
            Some(Follows::Never) => return None,
            None => {}
        }
        let conjunction = pool.and(self.nodes[path].conjunction, condition);
        let depth = self.nodes[path].depth + 1;
        let longer = self.nodes.push(Node { parent: Some(path), condition, conjunction, depth });
        self.known.insert((path, condition), longer);
        Some(longer)
    }
    /// What the latest conditions of a path, each operand of a conjunction alone, say as bounds.
    fn bounds<'p>(&'p self, pool: &'p TermPool, path: PathId) -> impl Iterator<Item = Bound> + 'p {
        let conditions = std::iter::successors(Some(path), |&path| self.nodes[path].parent);
        let latest = conditions.take(LOOK_BACK).flat_map(|path| pool.conjuncts(self.nodes[path].condition));
        latest.filter_map(|condition| bound(pool, condition))
    }
    /// The last condition of a path and the path before it.
    pub(crate) fn last_condition(&self, path: PathId) -> Option<(PathId, TermId)> {
        let node = &self.nodes[path];
        Some((node.parent?, node.condition))
    }
    /// Conditions that two paths have in common, counted.
    pub(crate) fn shared(&self, left: PathId, right: PathId) -> u32 {
        self.nodes[self.common(left, right)].depth
    }
    fn common(&self, mut left: PathId, mut right: PathId) -> PathId {
        let step = |path: PathId| self.nodes[path].parent.expect("two paths should have the root in common");
        while left != right {
            let (left_depth, right_depth) = (self.nodes[left].depth, self.nodes[right].depth);
            if left_depth >= right_depth {
                left = step(left);
            }
            if right_depth >= left_depth {
                right = step(right);
            }
        }
        left
    }
    /// Where two paths part, and how.
    pub(crate) fn part(&self, pool: &mut TermPool, left: PathId, right: PathId) -> Parting {
        let common = self.common(left, right);
        let depth = self.nodes[common].depth;
        Parting {
            common,
            left: self.rest(pool, common, left),
            left_length: self.nodes[left].depth - depth,
            right: self.rest(pool, common, right),
            right_length: self.nodes[right].depth - depth,
        }
    }
    fn rest(&self, pool: &mut TermPool, from: PathId, to: PathId) -> TermId {
        let mut conditions = Vec::new();
        let mut path = to;
        while path != from {
            conditions.push(self.nodes[path].condition);
            path =
                self.nodes[path].parent.expect("a path should start with what it has in common with another");
        }
        conditions.reverse();
        pool.conjunction(conditions)
    }
}
