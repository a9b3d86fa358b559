//! What a search hands on: its best tour and its lower bound.

/// A tour and its length under windows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) tour: Vec<usize>,
    pub(crate) length: i64,
}

/// What a search came to.
#[derive(Clone, Debug)]
pub(crate) struct Searched {
    pub(crate) best: Option<Found>,
    /// No tour is shorter; [`FORBIDDEN`](super::instance::FORBIDDEN) where no tour exists. The best
    /// tour is a shortest one where its length is the same.
    pub(crate) lower_bound: i64,
}

impl Searched {
    /// A tour and a bound, the latter lowered to the tour's length.
    pub(crate) fn new(best: Option<Found>, lower_bound: i64) -> Self {
        let length = best.as_ref().map_or(i64::MAX, |best| best.length);
        Self { best, lower_bound: lower_bound.min(length) }
    }

    /// The better tour and the better bound of both.
    pub(crate) fn with(self, other: Self) -> Self {
        let length = |best: &Option<Found>| best.as_ref().map_or(i64::MAX, |best| best.length);
        let best = if length(&other.best) < length(&self.best) { other.best } else { self.best };
        Self::new(best, self.lower_bound.max(other.lower_bound))
    }

    /// Whether nothing is left to find or to prove.
    pub(crate) fn is_complete(&self) -> bool {
        self.lower_bound == self.best.as_ref().map_or(super::instance::FORBIDDEN, |best| best.length)
    }
}
