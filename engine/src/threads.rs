//! Work for several threads, where the machine gives them.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};
use std::time::Duration;

/// Does both, side by side where another thread is wanted and can be had (a limit of memory or of
/// processes may forbid it), and one after the other elsewhere.
pub(crate) fn side_by_side<A: Send, B>(
    is_alone: bool,
    other: impl FnOnce() -> A + Send,
    own: impl FnOnce() -> B,
) -> (A, B) {
    if is_alone {
        return (other(), own());
    }
    // The thread takes the work out; where there is no thread it stays there.
    let work = Mutex::new(Some(other));
    let take = || work.lock().unwrap_or_else(PoisonError::into_inner).take();
    scope(|scope| {
        let thread = Builder::new().spawn_scoped(scope, || take().map(|other| other()));
        let done = own();
        let result =
            thread.ok().and_then(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        let result = result.or_else(|| take().map(|other| other()));
        (result.expect("work should be done where it was taken out"), done)
    })
}

/// Does the same work in so many threads, this one among them, or in as many as can be had.
pub(crate) fn in_threads<A: Send>(threads: usize, work: impl Fn() -> Vec<A> + Sync) -> Vec<A> {
    scope(|scope| {
        let spawn = |_| Builder::new().spawn_scoped(scope, &work).ok();
        let others: Vec<_> = (1..threads).map_while(spawn).collect();
        let mut done = work();
        for thread in others {
            done.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    })
}

/// Time that a processor has worked for this thread so far; `None` where the system does not tell.
pub(crate) fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn both_are_done_once_with_and_without_a_thread() {
        for is_alone in [false, true] {
            let count = AtomicU32::new(0);
            let add = |number| count.fetch_add(number, Ordering::SeqCst);
            let both = side_by_side(is_alone, || (add(1), 7).1, || (add(10), 8).1);
            assert_eq!((both, count.into_inner()), ((7, 8), 11));
        }
    }

    #[test]
    fn every_thread_works_and_all_results_come_back() {
        let left = Mutex::new((0..100).collect::<Vec<u32>>());
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut done = in_threads(3, || std::iter::from_fn(next).collect());
        done.sort_unstable();
        assert_eq!(done, (0..100).collect::<Vec<_>>());
    }
}
