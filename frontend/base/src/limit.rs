//! When reading a model has to end, whether it is done or not.
//!
//! Executing code symbolically may take minutes where other code of the same size takes
//! milliseconds. Whoever asks for a model says how long that is worth waiting for; a front end
//! looks at the limit between units of work (a file, a statement).

use crate::code::Common;
use crate::diagnostics::Diagnostics;
use crate::source::Span;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// When to give up. The default never is.
#[derive(Clone, Debug, Default)]
pub struct Limit {
    /// When the time is up.
    pub deadline: Option<Instant>,
    /// Set from outside when the user wants an end, or when memory runs out.
    pub stop: Option<Arc<AtomicBool>>,
    /// Set, before `stop` is, where memory is the reason.
    pub memory: Option<Arc<AtomicBool>>,
}

/// Why to give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The time is up.
    Deadline,
    /// The user wants an end.
    Interrupted,
    /// More memory is in use than may be.
    Memory,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Deadline => "the time limit was reached",
            Self::Interrupted => "interrupted",
            Self::Memory => "more memory was in use than may be",
        })
    }
}

impl Limit {
    /// Whether the limit is reached, and why.
    pub fn reason(&self) -> Option<Reason> {
        let is_set =
            |flag: &Option<Arc<AtomicBool>>| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        if is_set(&self.stop) {
            return Some(if is_set(&self.memory) { Reason::Memory } else { Reason::Interrupted });
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Reason::Deadline)
    }

    /// Reports an error where the limit is reached; `span` is what was at work. Returns whether it
    /// is.
    pub fn is_reached(&self, span: Option<Span>, diagnostics: &mut Diagnostics) -> bool {
        let Some(reason) = self.reason() else { return false };
        match reason {
            Reason::Interrupted => {
                let message = "interrupted while the model was read; no search has begun";
                diagnostics.error(Common::Interrupted, span, message);
            }
            Reason::Memory => {
                let message = "the memory limit was reached while the model was read; no search has begun";
                diagnostics
                    .error(Common::MemoryLimit, span, message)
                    .advice("--memory SIZE allows more, where the machine has more");
            }
            Reason::Deadline => {
                let message = "the time limit was reached while the model was read; no search has begun";
                diagnostics.error(Common::TimeLimit, span, message).advice(
                    "a longer --timeout gives it more time; where loops or recursion make it large, --unwind limits their rounds",
                );
            }
        }
        true
    }
}

/// Bytes of address space that this process may have, where that is limited (`ulimit -v`).
pub fn address_space() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    address_space_of(&limits)
}

/// The number of bytes in the line of a file of the system (`/proc/self/status`) that begins so.
pub fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    number.checked_mul(1024)
}

fn address_space_of(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_address_space_as_the_system_writes_them() {
        let text = |limit: &str| {
            format!(
                "Limit    Soft Limit   Hard Limit   Units\nMax cpu time  unlimited  unlimited  seconds\n\
                 Max address space         {limit}            unlimited            bytes\n"
            )
        };
        assert_eq!(address_space_of(&text("614400000")), Some(614_400_000));
        assert_eq!(address_space_of(&text("unlimited")), None);
        assert_eq!(address_space_of(""), None);
    }

    #[test]
    fn memory_is_told_from_a_signal() {
        let raised = || Some(Arc::new(AtomicBool::new(true)));
        let memory = Limit { stop: raised(), memory: raised(), deadline: None };
        let signal = Limit { stop: raised(), ..Limit::default() };
        let time = Limit { deadline: Some(Instant::now()), ..Limit::default() };
        let reasons = [&memory, &signal, &time, &Limit::default()].map(Limit::reason);
        assert_eq!(reasons, [Some(Reason::Memory), Some(Reason::Interrupted), Some(Reason::Deadline), None]);
    }
}
