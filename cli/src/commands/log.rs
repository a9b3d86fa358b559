//! What goes to standard error besides results: as text for people, or one JSON object a line for
//! programs.

use super::args::LogFormat;
use super::progress::TerminalProgress;
use chaincover::chain_file::{EngineAccount, Milestone};
use chaincover::diagnostics::visible_lines;
use chaincover::{Progress, visible};
use serde_json::{Value as Json, json};
use std::io::IsTerminal;
use std::time::Instant;

/// Whether messages are coloured: on a terminal, unless `NO_COLOR` is set.
pub(crate) fn is_coloured() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Where messages and progress go.
pub(crate) enum Log {
    /// Sentences, and progress.
    Text(TerminalProgress),
    /// JSON Lines.
    Json {
        /// Errors only.
        quiet: bool,
    },
}

impl Log {
    /// The log that the arguments ask for; `end`: when the time is up.
    pub(crate) fn new(format: LogFormat, quiet: bool, end: Option<Instant>) -> Self {
        match format {
            LogFormat::Text => Self::Text(TerminalProgress::new(quiet, end)),
            LogFormat::Json => Self::Json { quiet },
        }
    }
    /// Ends the display of progress.
    pub(crate) fn finish(&self) {
        if let Self::Text(progress) = self {
            progress.finish();
        }
    }
    /// A message of a level: `error`, `warning`, `note`, `stopped`.
    pub(crate) fn message(&self, level: &str, text: &str) {
        match self {
            Self::Text(_) => eprintln!("{level}: {}", visible_lines(text)),
            Self::Json { .. } => event(&json!({ "event": "message", "level": level, "text": text })),
        }
    }
    /// Time and queries of a stage.
    pub(crate) fn timing(&self, stage: &str, seconds: f64, sat_calls: u64) {
        match self {
            Self::Text(_) => eprintln!("{stage:<12} {seconds:>8.3} s {sat_calls:>8} SAT calls"),
            Self::Json { .. } => {
                event(
                    &json!({ "event": "timing", "stage": stage, "seconds": seconds, "sat_calls": sat_calls }),
                );
            }
        }
    }
    /// What an engine cost and came to.
    pub(crate) fn account(&self, account: &EngineAccount) {
        let EngineAccount { name, turns, seconds, sat_calls, facts } = account;
        match self {
            Self::Text(_) => {
                let turns = if *turns == 1 { "1 turn".to_owned() } else { format!("{turns} turns") };
                eprintln!("{name:<22} {seconds:>8.3} s {sat_calls:>8} SAT calls  {turns}, facts: {facts}");
            }
            Self::Json { .. } => event(&json!({
                "event": "engine", "engine": name, "turns": turns, "seconds": seconds,
                "sat_calls": sat_calls, "facts": facts,
            })),
        }
    }
    /// What an engine came to.
    pub(crate) fn milestone(&self, milestone: &Milestone) {
        let Milestone { seconds, engine, what } = milestone;
        match self {
            Self::Text(_) => eprintln!("after {seconds:>8.3} s  {engine}: {what}"),
            Self::Json { .. } => {
                event(&json!({ "event": "milestone", "seconds": seconds, "engine": engine, "what": what }));
            }
        }
    }
}

fn event(event: &Json) {
    eprintln!("{}", visible::json(&event.to_string()));
}

impl Progress for Log {
    fn stage(&self, name: &str) {
        match self {
            Self::Text(progress) => progress.stage(name),
            Self::Json { quiet: false } => event(&json!({ "event": "stage", "stage": name })),
            Self::Json { quiet: true } => {}
        }
    }
    fn update(&self, depth: u32, covered: usize, best: Option<u64>, bound: u64) {
        match self {
            Self::Text(progress) => progress.update(depth, covered, best, bound),
            Self::Json { quiet: false } => event(&json!({
                "event": "progress", "depth": depth, "covered": covered, "best": best, "bound": bound,
            })),
            Self::Json { quiet: true } => {}
        }
    }
}
