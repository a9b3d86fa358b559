//! Work for several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Results for numbers, by several threads, in the order of the numbers.
pub(crate) fn each<T: Send>(count: usize, jobs: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(count)));
    let turn = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let result = work(number);
            found.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, count.max(1)) {
            scope.spawn(turn);
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|(number, _)| *number);
    found.into_iter().map(|(_, result)| result).collect()
}
