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
/// milliseconds, and when it has ended. At the observer's first `Break`, `stop` is set. The work has
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
    let mut look = |is_stopped: &mut bool| {
        if !*is_stopped && observer(&latest.get()).is_break() {
            *is_stopped = true;
            stop.store(true, Ordering::SeqCst);
        }
    };
    let mut is_stopped = false;
    look(&mut is_stopped);
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
            look(&mut is_stopped);
        }
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    look(&mut is_stopped);
    done.expect("the work should be done once")
}
