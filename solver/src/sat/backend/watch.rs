//! The limits of one query, as a solver's callback sees them.
//!
//! All back ends poll the same object, so that "out of budget" means the same for each. Reading the
//! clock costs as much as a short propagation, hence it is read once in [`POLLS_PER_CLOCK`] polls;
//! the flag is read every time. Once expired, a watch stays so: solvers ask again on their way out,
//! and one that hears "go on" then would.

use crate::sat::Budget;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Polls between two looks at the clock.
const POLLS_PER_CLOCK: u32 = 16;

/// Whether one query has used up its [`Budget`]. The default never ends.
#[derive(Debug, Default)]
pub(super) struct Watch {
    conflicts: u64,
    conflict_limit: Option<u64>,
    deadline: Option<Instant>,
    stop: Option<Arc<AtomicBool>>,
    polls: Cell<u32>,
    expired: Cell<bool>,
}

impl Watch {
    /// Starts to watch a query with that budget.
    pub(super) fn new(budget: &Budget) -> Self {
        Self {
            conflict_limit: budget.conflicts,
            deadline: budget.deadline,
            stop: budget.stop.clone(),
            ..Self::default()
        }
    }

    /// Counts conflicts that the solver had.
    pub(super) fn add_conflicts(&mut self, count: u64) {
        self.conflicts += count;
    }

    /// Whether the query has to end. Cheap enough for every decision.
    pub(super) fn expired(&self) -> bool {
        let polls = self.polls.get();
        self.polls.set((polls + 1) % POLLS_PER_CLOCK);
        let expired = self.expired.get()
            || self.conflict_limit.is_some_and(|limit| self.conflicts >= limit)
            || self.stopped()
            || (polls == 0 && self.late());
        self.expired.set(expired);
        expired
    }

    fn stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn each_limit_expires_alone() {
        let flag = Arc::new(AtomicBool::new(false));
        let mut watch =
            Watch::new(&Budget { conflicts: Some(2), stop: Some(flag.clone()), ..Budget::default() });
        watch.add_conflicts(1);
        assert!(!watch.expired());
        watch.add_conflicts(1);
        assert!(watch.expired());

        let watch = Watch::new(&Budget { stop: Some(flag.clone()), ..Budget::default() });
        assert!(!watch.expired());
        flag.store(true, Ordering::Relaxed);
        assert!(watch.expired());

        let past = Instant::now();
        assert!(Watch::new(&Budget { deadline: Some(past), ..Budget::default() }).expired());
        let later = past + Duration::from_secs(3600);
        assert!(!Watch::new(&Budget { deadline: Some(later), ..Budget::default() }).expired());
        assert!(!Watch::default().expired());
    }

    #[test]
    fn an_expired_watch_stays_so() {
        let flag = Arc::new(AtomicBool::new(true));
        let watch = Watch::new(&Budget { stop: Some(flag.clone()), ..Budget::default() });
        assert!(watch.expired());
        flag.store(false, Ordering::Relaxed);
        assert!(watch.expired());

        let watch = Watch::new(&Budget { deadline: Some(Instant::now()), ..Budget::default() });
        assert!((0..3 * POLLS_PER_CLOCK).all(|_| watch.expired()));
    }

    #[test]
    fn the_clock_is_read_again() {
        let deadline = Instant::now() + Duration::from_millis(2);
        let watch = Watch::new(&Budget { deadline: Some(deadline), ..Budget::default() });
        while Instant::now() < deadline {
            watch.expired();
        }
        assert!((0..POLLS_PER_CLOCK).any(|_| watch.expired()));
    }
}
