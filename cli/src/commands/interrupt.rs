//! Ctrl-C, and what batch systems send (SIGTERM, SIGHUP): the first one asks for the best result so
//! far, the second one ends the process.

use super::exit::Exit;
use chaincover::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that the first such signal sets. A second one ends the process at once with exit
/// code 130.
pub(crate) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&flag);
    let installed = ctrlc::set_handler(move || {
        if raised.swap(true, Ordering::SeqCst) {
            leave(Exit::Interrupted);
        }
    });
    // A handler that cannot be installed leaves the system's own: Ctrl-C then ends the process at
    // once.
    drop(installed);
    flag
}

/// From now on, the first such signal ends the process: for commands that have no result before
/// they are done.
pub(crate) fn ends_at_once() {
    drop(ctrlc::set_handler(|| leave(Exit::Interrupted)));
}

/// Ends this process at once, and all that it has started.
pub(crate) fn leave(exit: Exit) -> ! {
    process::end_all();
    std::process::exit(i32::from(exit.code()))
}
