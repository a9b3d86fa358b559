//! Progress on a terminal; silent elsewhere.

use chaincover::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;

/// A line on standard error that tells stage, depth, goals covered, best length and bound.
pub(crate) struct TerminalProgress {
    bar: ProgressBar,
    stage: Mutex<String>,
}

impl TerminalProgress {
    /// Shows something only where standard error is a terminal and `quiet` is not set.
    pub(crate) fn new(quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let bar = ProgressBar::with_draw_target(
            None,
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() },
        );
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            bar.set_style(style);
        }
        if shown {
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Self { bar, stage: Mutex::new(String::new()) }
    }
    /// Removes the line.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
    fn current_stage(&self) -> String {
        self.stage.lock().map(|stage| stage.clone()).unwrap_or_default()
    }
}

impl Progress for TerminalProgress {
    fn stage(&self, name: &str) {
        if let Ok(mut stage) = self.stage.lock() {
            name.clone_into(&mut stage);
        }
        self.bar.set_message(name.to_owned());
    }
    fn update(&self, depth: u32, covered: usize, best: Option<u64>, bound: u64) {
        let best = best.map_or_else(|| "none yet".to_owned(), |length| length.to_string());
        let stage = self.current_stage();
        self.bar.set_message(format!(
            "{stage}: depth {depth}, {covered} goals reached, best {best}, bound {bound}"
        ));
    }
}
