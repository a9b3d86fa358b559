//! Which words abstractions keep, and what they say about distances.

use crate::knowledge::distances::ReachGraph;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// State words, as their numbers.
pub(crate) type Words = BTreeSet<usize>;

/// What projections say about distances of a task; each is found out once.
#[derive(Default)]
pub(crate) struct Projected {
    /// Cones that were enumerated, and what they say.
    pub(crate) cones: OnceLock<(Vec<Words>, ReachGraph)>,
    /// Words of cones and localizations, and what they say.
    pub(crate) localized: OnceLock<ReachGraph>,
}
