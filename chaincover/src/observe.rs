//! Watching a long call from the thread that made it, and ending it from there.

use engine::session::Progress;
use frontend_c::deep_stack;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How far a search is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// The stage at work; empty before the first begins.
    pub stage: String,
    /// Depth asked so far.
    pub depth: u32,
    /// Goals known to be reachable.
    pub covered: usize,
    /// Total length of the best chains so far, in steps.
    pub best: Option<u64>,
    /// Lower bound of that length.
    pub bound: u64,
}

/// The latest state of a search, for another thread.
#[derive(Default)]
struct Latest(Mutex<Snapshot>);

impl Latest {
    fn change(&self, change: impl FnOnce(&mut Snapshot)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn get(&self) -> Snapshot {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Progress for Latest {
    fn stage(&self, name: &str) {
        self.change(|snapshot| name.clone_into(&mut snapshot.stage));
    }
    fn update(&self, depth: u32, covered: usize, best: Option<u64>, bound: u64) {
        self.change(|snapshot| {
            *snapshot = Snapshot { stage: std::mem::take(&mut snapshot.stage), depth, covered, best, bound };
        });
    }
}

/// Ends the work where the thread that watches it panics.
struct StopsOnPanic<'a>(&'a AtomicBool);

impl Drop for StopsOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::SeqCst);
        }
    }
}

/// Time between two looks at the work.
const PERIOD: Duration = Duration::from_millis(50);

/// Runs `work` on a thread of its own, and `observer` on this one: before the work begins, every 50
/// milliseconds, and when it has ended. At the observer's first `Break`, `stop` is set, unless the
/// work has ended; the observer is not called again. The work has
/// to look at `stop`: it is [`Options::stop`](crate::Options) of a search and
/// [`Limit::stop`](crate::Limit) of reading. What the work returns then is the best result so far.
///
/// Where no thread can be had, the work is done on this one, and is not watched.
///
/// ```
/// # use chaincover::{Options, Settings, find_chains, observe, read};
/// # use std::ops::ControlFlow;
/// # use std::sync::Arc;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "int on; void step(int press) { if (press) on = !on; __CPROVER_cover(on); }")?;
/// let model = read([&path], &Settings::default())?;
/// let options = Options::default();
/// let mut lengths = Vec::new();
/// let outcome = observe(
///     &options.stop,
///     |snapshot| {
///         lengths.push(snapshot.best);
///         ControlFlow::Continue(())
///     },
///     |progress| find_chains(&model, &options, progress),
/// )?;
/// assert_eq!((outcome.length(), lengths.first()), (1, Some(&None)));
///
/// let stopped = Options::default();
/// let outcome = observe(&stopped.stop, |_| ControlFlow::Break(()), |progress| find_chains(&model, &stopped, progress))?;
/// assert!(outcome.stopped.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn observe<T: Send>(
    stop: &AtomicBool,
    mut observer: impl FnMut(&Snapshot) -> ControlFlow<()>,
    work: impl FnOnce(&dyn Progress) -> T + Send,
) -> T {
    let latest = Latest::default();
    let mut is_stopped = false;
    let mut look = || {
        if !is_stopped && observer(&latest.get()).is_break() {
            is_stopped = true;
            stop.store(true, Ordering::SeqCst);
        }
    };
    look();
    let work = Mutex::new(Some(work));
    let take = || work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let run = || take().map(|work| deep_stack(|| work(&latest)));
    let done = std::thread::scope(|scope| {
        let _guard = StopsOnPanic(stop);
        let (sender, ended) = mpsc::channel::<()>();
        let thread = std::thread::Builder::new().spawn_scoped(scope, move || {
            // Dropped at the end of the work, which the other end notices.
            let _sender = sender;
            run()
        });
        let Ok(thread) = thread else { return run() };
        while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
            look();
        }
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    if !is_stopped {
        // There is nothing left that an answer could end.
        let _ = observer(&latest.get());
    }
    done.expect("the work should be done once")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn work_sees_that_it_is_to_stop_and_its_result_counts() {
        let stop = AtomicBool::new(false);
        let mut depths = Vec::new();
        let observer = |snapshot: &Snapshot| {
            depths.push(snapshot.depth);
            if snapshot.depth == 7 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let result = observe(&stop, observer, |progress| {
            progress.stage("wait");
            progress.update(7, 1, Some(3), 2);
            let began = Instant::now();
            while !stop.load(Ordering::SeqCst) && began.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(Duration::from_millis(1));
            }
            stop.load(Ordering::SeqCst)
        });
        assert!(result);
        assert_eq!((depths.first(), depths.last()), (Some(&0), Some(&7)));
        assert_eq!(depths.iter().filter(|&&depth| depth == 7).count(), 1, "no call after the answer");
    }

    /// Ended before the observer's second look, were it not for a machine under load: then the work
    /// sees that it is to stop.
    #[test]
    fn an_answer_after_the_end_stops_nothing() {
        let stop = AtomicBool::new(false);
        let mut calls = 0;
        let observer = |_: &Snapshot| {
            calls += 1;
            if calls == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let (began, seen) = observe(&stop, observer, |_| (Instant::now(), stop.load(Ordering::SeqCst)));
        let is_quick = began.elapsed() < PERIOD / 2;
        assert!(!is_quick || !seen && !stop.load(Ordering::SeqCst));
        assert_eq!(calls, 2);
    }

    #[test]
    fn panics_of_both_sides_pass_through_and_end_the_work() {
        let stop = AtomicBool::new(false);
        let observed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            observe(&stop, |_| ControlFlow::Continue(()), |_| panic!("of the work"))
        }));
        assert!(observed.is_err());
        stop.store(false, Ordering::SeqCst);
        let mut calls = 0;
        let observed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let observer = |_: &Snapshot| {
                calls += 1;
                assert!(calls < 2, "of the observer");
                ControlFlow::Continue(())
            };
            observe(&stop, observer, |_| {
                let began = Instant::now();
                while !stop.load(Ordering::SeqCst) && began.elapsed() < Duration::from_secs(60) {
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
        }));
        assert!(observed.is_err() && stop.load(Ordering::SeqCst));
    }
}
