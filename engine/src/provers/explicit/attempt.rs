//! How much the direct search for chains may cost.
//!
//! Tables of exact costs make hard searches short, but for most systems a search without them is
//! over before the first table is computed. So the search is tried with little effort first, and
//! what it learned bounds the next attempt.

/// Limits of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// Most points that one search may visit.
    pub(super) points: usize,
    /// Most visits of edges that the computation of one table may cost; 0: no tables.
    pub(super) visits: u64,
    /// Most goals for which the costs of all orders are computed.
    pub(super) order_goals: usize,
    /// Most entries of a table.
    pub(super) entries: usize,
    /// Whether it is made before anything else is tried.
    pub(super) is_brief: bool,
    /// Whether projections of large spaces are searched, too.
    pub(super) projects: bool,
}

impl Attempt {
    /// From quick to thorough.
    pub(super) const LADDER: [Self; 4] = [
        Self { points: 6_000, order_goals: 13, ..Self::BRIEF },
        Self { points: 60_000, order_goals: 16, visits: 1_000_000, entries: 1 << 20, ..Self::BRIEF },
        Self { points: 200_000, visits: 10_000_000, entries: 1 << 22, ..Self::BRIEF },
        Self {
            points: 3_000_000,
            visits: 400_000_000,
            entries: 1 << 24,
            is_brief: false,
            projects: true,
            ..Self::BRIEF
        },
    ];
    const BRIEF: Self =
        Self { points: 0, order_goals: 18, visits: 0, entries: 0, is_brief: true, projects: false };
    /// For a table alone, of so many entries at most.
    pub(super) const fn table(entries: usize) -> Self {
        Self { visits: 10_000_000, entries, ..Self::BRIEF }
    }
    /// For chains that need not be the best ones.
    pub(super) const MODEST: [Self; 2] = [
        Self { points: 100_000, ..Self::BRIEF },
        Self { points: 600_000, visits: 60_000_000, entries: 1 << 22, ..Self::BRIEF },
    ];
}
