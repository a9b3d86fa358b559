//! What searches of one task in several processes say to each other.
//!
//! This room carries it. What is said, and what of it counts, is a matter of what is known; how it
//! comes from one process to another, of those who start them.

use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Bytes that wait for a search at most. What comes beyond that is lost, which costs time at most.
const MOST_WAITING: usize = 256 << 20;

/// Hands a text about a task to other processes.
type Say = dyn Fn(u64, &str) + Send + Sync;

/// Between this process and others; shared by threads.
pub struct Exchange {
    say: Box<Say>,
    inbox: Mutex<Inbox>,
    arrived: Condvar,
    /// See [`Exchange::patient`].
    is_patient: bool,
}

/// What others have said and nobody has heard yet.
#[derive(Default)]
struct Inbox {
    by_task: FxHashMap<u64, Vec<String>>,
    bytes: usize,
}

impl Exchange {
    /// `say` hands a text about a task to the other processes, as one line of JSON.
    pub fn new(say: impl Fn(u64, &str) + Send + Sync + 'static) -> Self {
        Self { say: Box::new(say), inbox: Mutex::default(), arrived: Condvar::new(), is_patient: false }
    }

    /// A search that has nothing left to do waits for what others find: it helps somebody who ends
    /// it.
    #[must_use]
    pub fn patient(self) -> Self {
        Self { is_patient: true, ..self }
    }

    pub(crate) const fn is_patient(&self) -> bool {
        self.is_patient
    }

    /// Takes what another process of the same build says of a task.
    pub fn deliver(&self, task: u64, text: String) {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        if inbox.bytes + text.len() <= MOST_WAITING {
            inbox.bytes += text.len();
            inbox.by_task.entry(task).or_default().push(text);
            self.arrived.notify_all();
        }
    }

    /// Says something of a task to the others.
    pub(crate) fn say(&self, task: u64, text: &str) {
        (self.say)(task, text);
    }

    /// What the others have said of a task since the last call, or say within this time.
    pub(crate) fn heard(&self, task: u64, longest: Duration) -> Vec<String> {
        let inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let is_silent = |inbox: &mut Inbox| !inbox.by_task.contains_key(&task);
        let waited = self.arrived.wait_timeout_while(inbox, longest, is_silent);
        let mut inbox = waited.unwrap_or_else(PoisonError::into_inner).0;
        let heard = inbox.by_task.remove(&task).unwrap_or_default();
        inbox.bytes -= heard.iter().map(String::len).sum::<usize>();
        heard
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Exchange")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_hears_its_own() {
        let exchange = Exchange::new(|_, _| {});
        exchange.deliver(1, "a".to_owned());
        exchange.deliver(2, "b".to_owned());
        exchange.deliver(1, "c".to_owned());
        assert_eq!(exchange.heard(1, Duration::ZERO), ["a", "c"]);
        assert!(exchange.heard(1, Duration::from_millis(5)).is_empty());
        exchange.deliver(3, "x".repeat(MOST_WAITING));
        assert!(exchange.heard(3, Duration::ZERO).is_empty(), "too much is lost");
        assert_eq!(exchange.heard(2, Duration::ZERO), ["b"]);
    }
}
