//! The command line: arguments in, exit code out.
//!
//! Results go to standard output, everything else to standard error. Each command is one module.

mod adapt;
mod args;
mod arguments;
mod atsp;
mod bench;
mod campaign;
mod campaign_args;
mod chain;
mod check;
mod code_mutants;
mod emit;
mod engines;
mod exit;
mod explain;
mod export;
mod failure;
mod graph;
mod guard;
mod import;
mod init;
mod interrupt;
mod job;
mod judge;
mod load;
mod log;
mod manual;
mod memory;
mod monitor;
mod mutants;
mod mutate;
mod oracle;
mod orphan;
pub(crate) mod own;
mod progress;
mod prove;
mod repeat;
mod replay;
mod requirement_mutants;
mod requirements;
mod run;
mod search;
mod smooth;
mod test_args;
mod timed;
mod timed_mutants;
mod verdict;
mod verify;
mod watch;
mod witness;
mod worker;
mod workers;

use arguments::{Arguments, Command};
use chaincover::diagnostics::visible_lines;
use chaincover::{Origin, Place, sha256, visible};
use clap::{CommandFactory, Parser};
use exit::Exit;
use failure::Failure;
use own::Program;
use serde_json::Value as Json;
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;

/// The words of the command line behind the name of the program.
static WORDS: OnceLock<Vec<OsString>> = OnceLock::new();

/// The words of the command line behind the name of the program.
fn words() -> &'static [OsString] {
    WORDS.get().map_or(&[], Vec::as_slice)
}

/// The command line of this process, with quotes where a shell needs them.
fn command_line() -> String {
    let quoted = |word: String| {
        let plain = |character: char| character.is_alphanumeric() || "-_./=,:+@%".contains(character);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let words = words().iter().map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("chaincover".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Runs the program on the words behind its name.
pub(crate) fn main(words: Vec<OsString>, program: &Program) -> u8 {
    // A program is run once in a process.
    let words = WORDS.get_or_init(|| words);
    let arguments =
        match Arguments::try_parse_from(std::iter::once(&OsString::from("chaincover")).chain(words)) {
            Ok(arguments) => arguments,
            Err(error) => {
                // clap prints help and versions to standard output and calls that no error.
                let printed = error.print();
                let failed = error.use_stderr() || printed.is_err();
                return if failed { Exit::Usage.code() } else { Exit::Success.code() };
            }
        };
    orphan::end_with_parent();
    if let Some(code) = guard::run_as_child(program, words) {
        return code;
    }
    std::panic::set_hook(Box::new(report_defect));
    let result = std::panic::catch_unwind(|| chaincover::deep_stack(|| run(&arguments, program)));
    let exit = match result {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => {
            report(&failure);
            failure.exit
        }
        Err(_) => Exit::Internal,
    };
    exit.code()
}

fn run(arguments: &Arguments, program: &Program) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Chain(arguments) => chain::run(arguments, program),
        Command::Check(arguments) if arguments.watch => at_once(|| repeat::run(arguments)),
        Command::Check(arguments) => check::run(arguments),
        Command::Graph(arguments) => graph::run(arguments),
        Command::Adapt(arguments) => adapt::run(arguments),
        Command::Replay(arguments) => at_once(|| replay::run(arguments)),
        Command::Verify(arguments) => at_once(|| verify::run(arguments)),
        Command::Prove(arguments) => prove::run(arguments),
        Command::Judge(arguments) => at_once(|| judge::run(arguments)),
        Command::Explain(arguments) => explain::run(arguments),
        Command::Init(arguments) => at_once(|| init::run(arguments)),
        Command::Export(arguments) => at_once(|| export::run(arguments)),
        Command::Monitor(arguments) => monitor::run(arguments),
        Command::Emit(arguments) => at_once(|| oracle::run(arguments)),
        Command::Import(arguments) => at_once(|| import::run(arguments)),
        Command::Mutate(arguments) => mutate::run(arguments),
        Command::Run(arguments) => run::run(arguments),
        Command::Witness(arguments) => at_once(|| witness::judge(arguments)),
        Command::Atsp(arguments) => atsp::run(arguments),
        Command::Bench(arguments) => bench::run(arguments, program),
        Command::Campaign(arguments) => at_once(|| campaign::run(&arguments.command, program)),
        Command::Job(arguments) => at_once(|| job::run(arguments, program)),
        Command::Worker(arguments) => worker::run(arguments, program),
        Command::Testcase(arguments) => at_once(|| match mutate::is_action_system(&arguments.system) {
            true => mutate::testcase(arguments),
            false => timed::testcase(arguments),
        }),
        Command::Schema => print_raw(&chaincover::schema()),
        Command::Completions { shell } => completions(*shell),
        Command::Engines { constants } => engines::run(*constants),
        Command::Man => manual(),
    }
}

/// Runs a command that signals end at once.
fn at_once(command: impl FnOnce() -> Result<Exit, Failure>) -> Result<Exit, Failure> {
    interrupt::ends_at_once();
    command()
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

/// Tells a result: as JSON to `json` (`-`: standard output), where it is given, and to people
/// unless standard output is for programs.
fn tell(json: Option<&Path>, result: &Json, text: &str) -> Result<(), Failure> {
    if let Some(path) = json {
        chaincover::write::to_file_or_stdout(path, &visible::json(&format!("{result:#}\n")))?;
    }
    if json != Some(Path::new("-")) {
        print(text)?;
    }
    Ok(())
}

/// Writes the files of a result about an interface into a folder.
fn write_result(
    (folder, force): (&Path, bool),
    model: &str,
    files: &[(&str, String)],
) -> Result<(), Failure> {
    let mut place = Place::open(folder, force)?;
    place.expect(files.iter().map(|(name, _)| *name))?;
    let whole: String = files.iter().map(|(_, text)| text.as_str()).collect();
    let origin = Origin { model: model.to_owned(), result: sha256(&whole) };
    let refused = place.write(&origin, files.iter().map(|(name, text)| (*name, text.as_bytes())))?;
    close(place, |other| *other != origin, (folder, &refused), false)
}

/// Ends the writing of a folder, and tells what was not written there and what was cleared away.
fn close(
    place: Place,
    is_stale: impl Fn(&Origin) -> bool,
    (folder, refused): (&Path, &[String]),
    is_quiet: bool,
) -> Result<(), Failure> {
    let cleared = place.close(is_stale)?;
    if !is_quiet {
        refused.iter().for_each(|why| eprintln!("warning: {why}"));
        cleared.messages(folder).iter().for_each(|(level, text)| eprintln!("{level}: {text}"));
    }
    Ok(())
}

/// Prints text for programs as it is.
fn print_raw(text: &str) -> Result<Exit, Failure> {
    let printed = chaincover::write::stdout(text);
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
    if cfg!(panic = "abort") {
        // Such a program has nothing that a panic could be caught by.
        std::process::exit(Exit::Internal.code().into());
    }
}
