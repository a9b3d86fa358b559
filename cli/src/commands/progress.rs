//! Progress on standard error: a line that changes on a terminal, now and then a line of its own
//! elsewhere.

use chaincover::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Widest message: with the time before it a line fits 60 columns.
const WIDEST: usize = 50;
/// How often there is a line of its own where standard error is no terminal.
const EVERY: Duration = Duration::from_secs(60);

/// Tells goals covered, best length, bound, time left, and what is being tried.
pub(crate) struct TerminalProgress {
    /// Where lines change.
    bar: Option<ProgressBar>,
    /// When the time is up.
    end: Option<Instant>,
    began: Instant,
    state: Mutex<State>,
}

/// How far the search is, as far as it was told.
#[derive(Default)]
struct State {
    stage: String,
    covered: usize,
    best: Option<u64>,
    bound: u64,
    /// When the last line of its own was printed.
    told: Option<Instant>,
}

impl State {
    /// One line; what does not fit is cut off its end, where the least important word stands.
    fn line(&self, left: Option<Duration>) -> String {
        let Self { stage, covered, best, bound, .. } = self;
        let best = best.map_or_else(|| "none".to_owned(), |length| length.to_string());
        let left = left.map_or_else(String::new, |left| format!(", {} s left", left.as_secs()));
        let line = format!("{covered} goals, best {best}, bound {bound}{left}: {stage}");
        line.chars().take(WIDEST).collect()
    }
}

impl TerminalProgress {
    /// Shows nothing where `quiet` is set. `end`: when the time is up.
    pub(crate) fn new(quiet: bool, end: Option<Instant>) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let bar = (!quiet && is_terminal).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        let began = Instant::now();
        let told = (!quiet && !is_terminal).then_some(began);
        Self { bar, end, began, state: Mutex::new(State { told, ..State::default() }) }
    }
    /// Removes the line.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
    /// Tells what has changed.
    fn tell(&self, change: impl FnOnce(&mut State)) {
        let Ok(mut state) = self.state.lock() else { return };
        change(&mut state);
        let now = Instant::now();
        let line = || state.line(self.end.map(|end| end.saturating_duration_since(now)));
        match (&self.bar, state.told) {
            (Some(bar), _) => bar.set_message(line()),
            (None, Some(told)) if now.saturating_duration_since(told) >= EVERY => {
                eprintln!("after {} s: {}", now.saturating_duration_since(self.began).as_secs(), line());
                state.told = Some(now);
            }
            (None, _) => {}
        }
    }
}

impl Progress for TerminalProgress {
    fn stage(&self, name: &str) {
        self.tell(|state| name.clone_into(&mut state.stage));
    }
    fn update(&self, _depth: u32, covered: usize, best: Option<u64>, bound: u64) {
        self.tell(|state| (state.covered, state.best, state.bound) = (covered, best, bound));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_fits_whatever_it_tells() {
        let state = |covered, best, stage: &str| State {
            covered,
            best,
            bound: 271,
            stage: stage.to_owned(),
            ..State::default()
        };
        let left = Some(Duration::from_millis(43_900));
        let table = [
            (state(5, None, "simulate"), None, "5 goals, best none, bound 271: simulate"),
            (state(5, Some(40), "guide"), left, "5 goals, best 40, bound 271, 43 s left: guide"),
            (
                state(1_709, Some(14_127), "restricted"),
                Some(Duration::from_secs(3_600)),
                "1709 goals, best 14127, bound 271, 3600 s left: re",
            ),
        ];
        for (state, left, expected) in table {
            let line = state.line(left);
            assert_eq!(line, expected);
            assert!(line.len() <= WIDEST);
        }
    }
}
