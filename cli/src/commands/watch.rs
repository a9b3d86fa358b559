//! What ends a run from outside: signals, time and memory.
//!
//! The first signal, or too much memory, raises a flag at which the work in hand ends with the best
//! result so far; it looks at the time itself. A thread watches beside it. Where the work does not
//! end although it should, the thread ends the process: no result is better than a machine that is
//! lost.

use super::exit::Exit;
use super::interrupt;
use super::memory::{Limits, Usage};
use chaincover::grace;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Flags that end the work in hand.
pub(crate) struct Flags {
    /// It has to end.
    pub(crate) stop: Arc<AtomicBool>,
    /// Memory is the reason.
    pub(crate) memory: Arc<AtomicBool>,
}

/// How often the thread looks.
const PERIOD: Duration = Duration::from_millis(20);

/// Times the grace, by the processor's time, after which work that goes on is ended.
const PATIENCE: u32 = 2;
/// Times the grace, by the clock, after which work is ended that does not even compute.
const WAITING: u32 = 10;

/// Results are being written, which takes what it takes.
static WRITING: AtomicUsize = AtomicUsize::new(0);

/// Watches over this run from now on; `deadline` with the time that was given.
pub(crate) fn begin(deadline: Option<(Instant, Duration)>, memory: Option<u64>) -> Flags {
    let flags = Flags { stop: interrupt::flag(), memory: Arc::default() };
    let watch = Watch {
        stop: Arc::clone(&flags.stop),
        memory: Arc::clone(&flags.memory),
        deadline,
        limits: Limits::new(memory),
        overdue: None,
    };
    // Without a thread, the work still looks at time and signals itself.
    drop(std::thread::Builder::new().stack_size(1 << 18).spawn(|| watch.run()));
    flags
}

/// Writes results: this is not ended for taking long.
pub(crate) fn writing<T>(work: impl FnOnce() -> T) -> T {
    WRITING.fetch_add(1, Ordering::SeqCst);
    let done = work();
    WRITING.fetch_sub(1, Ordering::SeqCst);
    done
}

struct Watch {
    stop: Arc<AtomicBool>,
    memory: Arc<AtomicBool>,
    deadline: Option<(Instant, Duration)>,
    limits: Limits,
    /// Since when the work should have ended, and what the process had computed by then.
    overdue: Option<(Instant, Duration)>,
}

impl Watch {
    fn run(mut self) {
        loop {
            std::thread::sleep(PERIOD);
            if let Some(usage) = Usage::now() {
                self.look_at_memory(usage);
            }
            self.look_at_time();
        }
    }

    fn look_at_memory(&self, usage: Usage) {
        if self.limits.are_exceeded(usage) && !self.stop.load(Ordering::SeqCst) {
            self.memory.store(true, Ordering::SeqCst);
            self.stop.store(true, Ordering::SeqCst);
        }
        if self.limits.beyond().are_exceeded(usage) {
            end(Exit::TimeOut, "out of memory: more than --memory allows is in use");
        }
    }

    /// Ends the process where the work in hand should have ended long ago.
    fn look_at_time(&mut self) {
        let is_late = self.deadline.is_some_and(|(deadline, _)| Instant::now() >= deadline);
        let is_due = is_late || self.stop.load(Ordering::SeqCst);
        if !is_due || WRITING.load(Ordering::SeqCst) > 0 {
            self.overdue = None;
            return;
        }
        let computed = processor_time().unwrap_or_default();
        let (since, before) = *self.overdue.get_or_insert((Instant::now(), computed));
        let grace = grace(self.deadline.map_or(Duration::ZERO, |(_, limit)| limit));
        let is_stuck =
            computed.saturating_sub(before) > grace * PATIENCE && since.elapsed() > grace * PATIENCE;
        if is_stuck || since.elapsed() > grace * WAITING {
            let (exit, what) = self.reason(is_late);
            end(exit, what);
        }
    }

    fn reason(&self, is_late: bool) -> (Exit, &'static str) {
        if self.memory.load(Ordering::SeqCst) {
            (Exit::TimeOut, "out of memory: as much as --memory allows is in use")
        } else if is_late {
            (Exit::TimeOut, "the time is up")
        } else {
            (Exit::Interrupted, "interrupted")
        }
    }
}

/// Ends the process without a result.
fn end(exit: Exit, what: &str) -> ! {
    eprintln!("error: {what}, and the work in hand could not be ended in another way; its result is lost");
    interrupt::leave(exit)
}

/// Processor time of this process so far.
fn processor_time() -> Option<Duration> {
    /// What the system counts in is the same on all machines: hundredths of a second.
    const TICK: u64 = 10;
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program may hold spaces and parentheses.
    let (_, rest) = text.rsplit_once(')')?;
    let mut numbers = rest.split_ascii_whitespace().skip(11).map(str::parse::<u64>);
    let (user, system) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some(Duration::from_millis((user + system) * TICK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_grows_with_work() {
        let before = processor_time().expect("the system should tell");
        let started = Instant::now();
        let mut sum = 0_u64;
        while processor_time().is_some_and(|now| now < before + Duration::from_millis(50)) {
            sum = sum.wrapping_mul(3).wrapping_add(1);
            assert!(started.elapsed() < Duration::from_secs(60), "{sum}");
        }
    }
}
