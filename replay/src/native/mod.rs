//! Running a chain on the natively compiled code.
//!
//! The code is the user's: it runs [confined](confine), within limits of time, memory and output.
//!
//! The front end says what to compile and run ([`ReplayPlan`]); this module does it in a temporary
//! folder, reads what the program printed ([`Observation`]), and compares it with what the
//! evaluator computed. It is the third of three semantics that share no code: encoder, evaluator,
//! compiler.

mod confine;
pub mod coverage;
mod observe;
mod process;

pub use observe::{Observation, ProtocolError};

use confine::Writing;
use frontend::process::{Allowance, MOST_BYTES, MOST_FILES};
use frontend::{ReplayPlan, SIMULATED, Signal};
use model::value::Value;
use std::path::Path;
use std::time::Duration;

/// Longest time that one compiler or program call may take.
pub const CALL_LIMIT: Duration = Duration::from_secs(120);

/// Why a chain could not be run natively.
#[derive(Debug, thiserror::Error)]
pub enum NativeError {
    /// Temporary files could not be written.
    #[error("cannot write the replay program: {0}")]
    Files(std::io::Error),
    /// A program could not be started: mostly no compiler.
    #[error("cannot run `{program}`: {source}")]
    Start {
        /// The program.
        program: String,
        /// Why not.
        source: std::io::Error,
    },
    /// The compiler refused the program.
    #[error("`{command}` failed:\n{output}")]
    Compile {
        /// The call.
        command: String,
        /// What it printed, shortened.
        output: String,
    },
    /// The program did not end in time.
    #[error("`{command}` did not end within {:.0} s", limit.as_secs_f64())]
    TimeOut {
        /// The call.
        command: String,
        /// What it was given.
        limit: Duration,
    },
    /// The limit of the whole run was reached first.
    #[error("`{command}` did not end before the limit of the run (--timeout, --memory, Ctrl-C)")]
    Stopped {
        /// The call.
        command: String,
    },
    /// The program writes without end.
    #[error("`{command}` wrote more than {bytes} bytes")]
    Flood {
        /// The call.
        command: String,
        /// What it was given.
        bytes: usize,
    },
    /// The program takes too much memory.
    #[error("`{command}` took more than {bytes} bytes of memory")]
    Memory {
        /// The call.
        command: String,
        /// What it was given.
        bytes: u64,
    },
    /// The program fills the disk.
    #[error("`{command}` made more than {MOST_FILES} files, or more than {} MiB", MOST_BYTES >> 20)]
    Disk {
        /// The call.
        command: String,
    },
    /// What the program printed is not the protocol.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
}

impl NativeError {
    /// The error of a program that a launcher has started.
    fn of(self, program: &[String]) -> Self {
        let command = program.join(" ");
        match self {
            Self::TimeOut { limit, .. } => Self::TimeOut { command, limit },
            Self::Stopped { .. } => Self::Stopped { command },
            Self::Flood { bytes, .. } => Self::Flood { command, bytes },
            Self::Memory { bytes, .. } => Self::Memory { command, bytes },
            Self::Disk { .. } => Self::Disk { command },
            other => other,
        }
    }
}

/// What the program did.
#[derive(Debug)]
pub struct NativeRun {
    /// What it printed.
    pub observation: Observation,
    /// If it did not end by itself with success: how it ended (`signal 8`, `exit code 1`).
    pub crash: Option<String>,
    /// What it was not kept from, though kernels know how.
    pub lacks: Option<&'static str>,
}

/// Compiles and runs a plan within limits, each of its calls.
///
/// # Errors
/// Whatever keeps the program from being compiled and started, limits, and output outside the
/// protocol.
pub fn run(plan: &ReplayPlan, allowance: &Allowance) -> Result<NativeRun, NativeError> {
    let folder =
        tempfile::Builder::new().prefix("chaincover-replay-").tempdir().map_err(NativeError::Files)?;
    for (name, text) in &plan.files {
        let path = folder.path().join(name);
        let parent = path.parent().unwrap_or(folder.path());
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(NativeError::Files)?;
    }
    let (last, compilations) = plan.commands.split_last().expect("a replay plan should hold a command");
    let writing = match plan.how.starts_with(SIMULATED) {
        true => Writing::Files,
        false => Writing::Nothing,
    };
    let confined = std::thread::scope(|scope| {
        // What confines the program is compiled beside it.
        let confined = scope.spawn(|| confine::confined(last, folder.path(), writing, allowance));
        let compiled = compile(compilations, folder.path(), allowance);
        let confined = confined.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        compiled.and(confined)
    })?;
    let makes_files = writing == Writing::Files;
    let own = Allowance { folder: makes_files.then(|| folder.path().to_owned()), ..allowance.clone() };
    let ended = process::call(&confined.command, folder.path(), &own);
    let ended = ended.map_err(|error| error.of(last))?;
    let tag = plan.secrets.first().map(String::as_str);
    let observation = Observation::parse(&ended.stdout, ended.failure.is_some(), tag)?;
    Ok(NativeRun { observation, crash: ended.failure, lacks: confined.lacks })
}

fn compile(commands: &[Vec<String>], folder: &Path, allowance: &Allowance) -> Result<(), NativeError> {
    for command in commands {
        let ended = process::call(command, folder, allowance)?;
        if ended.failure.is_some() {
            return Err(NativeError::Compile { command: command.join(" "), output: shorten(&ended.stderr) });
        }
    }
    Ok(())
}

fn shorten(text: &str) -> String {
    const LINES: usize = 20;
    let mut lines: Vec<&str> = text.lines().take(LINES).collect();
    if text.lines().count() > LINES {
        lines.push("...");
    }
    lines.join("\n")
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// A state word before a step.
    State,
    /// An output after a step.
    Output,
}

impl std::fmt::Display for Compared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::State => "state",
            Self::Output => "output",
        })
    }
}

/// A value in which the compiled code and the evaluator differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// What the signal is.
    pub kind: Compared,
    /// Name of the signal.
    pub signal: String,
    /// The step: a state is compared before it, an output after it.
    pub step: usize,
    /// What the evaluator computed.
    pub computed: Value,
    /// What the compiled code had; `None`: nothing was printed.
    pub observed: Option<Value>,
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kind, signal, step, computed, observed } = self;
        write!(formatter, "{kind} {signal} at step {step}: computed {computed}, ")?;
        match observed {
            Some(value) => write!(formatter, "compiled code has {value}"),
            None => write!(formatter, "compiled code printed nothing"),
        }
    }
}

/// Compares one row of computed values with what was observed; values are bit patterns, all NaNs
/// are equal.
pub fn compare<'s>(
    kind: Compared,
    step: usize,
    signals: impl Iterator<Item = &'s Signal>,
    computed: &[Value],
    observed: impl Fn(usize) -> Option<u128>,
) -> Vec<Disagreement> {
    let differs = |index: usize, signal: &Signal| {
        let value = computed[index];
        let seen = observed(index).map(|bits| Value::new(value.sort(), bits));
        let agrees = seen.is_some_and(|seen| seen.agrees_with(value));
        (!agrees).then(|| Disagreement {
            kind,
            signal: signal.name.clone(),
            step,
            computed: value,
            observed: seen,
        })
    };
    signals.enumerate().filter_map(|(index, signal)| differs(index, signal)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(program: &str) -> ReplayPlan {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect();
        ReplayPlan {
            files: vec![("main.c".into(), program.into())],
            commands: vec![words("cc -o main main.c"), words("./main")],
            how: "native".into(),
            goals: Vec::new(),
            secrets: Vec::new(),
        }
    }

    fn generous() -> Allowance {
        Allowance::new(CALL_LIMIT)
    }

    #[test]
    fn reads_what_the_program_prints() {
        let program =
            "#include <stdio.h>\nint main(void) { puts(\"B 0\\nS 0 0 ff\\nO 0 0 1\\nS 1 0 0\"); return 0; }";
        let run = run(&plan(program), &generous()).unwrap();
        assert_eq!(run.crash, None);
        assert_eq!(run.observation.state(0, 0), Some(0xff));
        assert_eq!(run.observation.output(0, 0), Some(1));
        assert_eq!(run.observation.state(2, 0), None);
    }

    #[test]
    fn a_crash_is_placed() {
        let program = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(\"B 0\\nB 1\"); fflush(stdout); abort(); }";
        let run = run(&plan(program), &generous()).unwrap();
        assert_eq!(run.observation.entered_steps(), 2);
        assert_eq!(run.crash.as_deref(), Some("signal 6"));
    }

    #[test]
    fn a_call_that_takes_too_long_is_ended() {
        let plan = plan("int main(void) { for (;;) { } }");
        let error = run(&plan, &Allowance::new(Duration::from_secs(2))).unwrap_err().to_string();
        assert_eq!(error, "`./main` did not end within 2 s");
    }

    #[test]
    fn compiler_errors_are_shown() {
        let error = run(&plan("int main(void) { return undeclared; }"), &generous()).unwrap_err().to_string();
        assert!(error.contains("undeclared") && error.contains("cc -o main main.c"), "{error}");
    }
}
