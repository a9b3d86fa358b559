//! The command line: arguments in, exit code out.
//!
//! Results go to standard output, everything else to standard error. Each command is one module.

mod args;
mod atsp;
mod bench;
mod chain;
mod check;
mod emit;
mod exit;
mod explain;
mod export;
mod failure;
mod graph;
mod init;
mod interrupt;
mod load;
mod log;
mod manual;
mod progress;
mod replay;
mod search;
mod setup;
mod smooth;
mod vectors;
mod verify;

use args::{Arguments, Command};
use clap::{CommandFactory, Parser};
use exit::Exit;
use failure::Failure;
use frontend::diagnostics::visible_lines;
use std::process::ExitCode;

/// Runs the program on the process's arguments.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // clap prints help and versions to standard output and calls that no error.
            let printed = error.print();
            let failed = error.use_stderr() || printed.is_err();
            return ExitCode::from(if failed { Exit::Usage.code() } else { Exit::Success.code() });
        }
    };
    std::panic::set_hook(Box::new(report_defect));
    let result = std::panic::catch_unwind(|| on_large_stack(|| run(&arguments)));
    let exit = match result {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => {
            report(&failure);
            failure.exit
        }
        Err(_) => Exit::Internal,
    };
    ExitCode::from(exit.code())
}

/// Deeply nested C expressions are walked recursively by the parser; a worker thread with a large stack gives them room.
fn on_large_stack(work: impl FnOnce() -> Result<Exit, Failure> + Send) -> Result<Exit, Failure> {
    const STACK: usize = 512 << 20;
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match worker {
            Ok(worker) => worker.join().unwrap_or_else(|_| Err(Failure::new(Exit::Internal, ""))),
            Err(error) => Err(Failure::new(Exit::Internal, format!("cannot start a thread: {error}"))),
        }
    })
}

fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Chain(arguments) => chain::run(arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Graph(arguments) => graph::run(arguments),
        Command::Replay(arguments) => replay::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Explain(arguments) => explain::run(arguments),
        Command::Init(arguments) => init::run(arguments),
        Command::Export(arguments) => export::run(arguments),
        Command::Atsp(arguments) => atsp::run(arguments),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Completions { shell } => completions(*shell),
        Command::Man => manual(),
    }
}

fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "chaincover", &mut script);
    print_raw(&String::from_utf8_lossy(&script))
}

fn manual() -> Result<Exit, Failure> {
    let page = manual::page().map_err(|error| Failure::new(Exit::Internal, error.to_string()))?;
    print_raw(&String::from_utf8_lossy(&page))
}

/// Prints a result for people: what is not seen in it cannot steer the terminal.
fn print(text: &str) -> Result<Exit, Failure> {
    print_raw(&visible_lines(text))
}

/// Prints text for programs as it is.
fn print_raw(text: &str) -> Result<Exit, Failure> {
    let printed = crate::output::write::stdout(text);
    printed
        .map_err(|error| Failure::new(Exit::Usage, format!("cannot write to standard output: {error}")))?;
    Ok(Exit::Success)
}

fn report(failure: &Failure) {
    if failure.rendered {
        eprint!("{}", failure.message);
    } else if !failure.message.is_empty() {
        eprintln!("error: {}", visible_lines(&failure.message));
    }
}

fn report_defect(panic: &std::panic::PanicHookInfo<'_>) {
    let place =
        panic.location().map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
    let payload = panic.payload();
    let what = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    eprintln!("internal error{place}: {}", what.unwrap_or("unknown"));
    eprintln!(
        "This is a defect of chaincover, not of the model; please report it with the model and the command line."
    );
}
