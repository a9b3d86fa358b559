//! When reading a model has to end, whether it is done or not.
//!
//! Executing code symbolically may take minutes where other code of the same size takes milliseconds. Whoever asks for a model
//! says how long that is worth waiting for; a front end looks at the limit between units of work (a file, a statement).

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
    /// Set from outside when the user wants an end.
    pub stop: Option<Arc<AtomicBool>>,
}

/// Code of the error that says that the time was up.
pub const TIMED_OUT: &str = "time-limit";

/// Code of the error that says that the user ended the run.
pub const INTERRUPTED: &str = "interrupted";

impl Limit {
    /// Reports an error where the limit is reached; `span` is what was at work. Returns whether it is.
    pub fn is_reached(&self, span: Option<Span>, diagnostics: &mut Diagnostics) -> bool {
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            let message = "interrupted while the model was read; no search has begun";
            diagnostics.error(INTERRUPTED, span, message);
            return true;
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            let message = "the time limit was reached while the model was read; no search has begun";
            diagnostics.error(TIMED_OUT, span, message).advice(
                "a longer --timeout gives it more time; where loops or recursion make it large, --unwind limits their rounds",
            );
            return true;
        }
        false
    }
}
