//! Processes that end with the one that started them, however that one ends: nobody waits for the
//! result of a search whose job was killed.

use std::process::Command;

/// Holds the number of the parent.
const PARENT: &str = "CHAINCOVER_PARENT";

/// Lets a process of this program that is going to be started end with this one.
pub(crate) fn mark(command: &mut Command) {
    command.env(PARENT, std::process::id().to_string());
}

/// From now on, this process is killed where the one that started it has ended, if that one marked
/// it. Only Linux can do so; elsewhere it goes on, and its result is lost.
pub(crate) fn end_with_parent() {
    let parent = std::env::var(PARENT).ok().and_then(|text| text.parse::<u32>().ok());
    if parent.is_some_and(|parent| parent == std::os::unix::process::parent_id()) {
        kill_with_parent();
    }
}

#[cfg(target_os = "linux")]
fn kill_with_parent() {
    // Without it the process goes on alone, which costs time and harms no result.
    let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
}

#[cfg(not(target_os = "linux"))]
fn kill_with_parent() {}
