//! Ctrl-C, and what batch systems send (SIGTERM, SIGHUP): the first one asks for the best result so far, the second one ends the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that the first such signal sets. A second one ends the process at once with exit code 130.
pub(crate) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    let installed = ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    // A handler that cannot be installed leaves the system's own: Ctrl-C then ends the process at once.
    drop(installed);
    flag
}
