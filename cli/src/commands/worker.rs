//! `chaincover worker`: a search for the process that started it; see [`workers`](super::workers).

use super::args::{Verbosity, Violations, WorkerArguments};
use super::exit::Exit;
use super::failure::Failure;
use super::own::Program;
use super::workers::{Message, fact, next_line, shared, vary};
use super::{chain, interrupt, job, load, search};
use chaincover::{Exchange, Silent, Wanted, solve};
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

/// Searches, and says what it finds.
pub(crate) fn run(arguments: &WorkerArguments, program: &Program) -> Result<Exit, Failure> {
    let start = Instant::now();
    let WorkerArguments { rank, chain } = arguments;
    say(&Message::Hello { build: job::context(program)?.origin().build }.line());
    let exchange = Exchange::new(|task, news| {
        if let Some(line) = fact(task, news) {
            say(&line);
        }
    });
    let exchange = Arc::new(exchange.patient());
    let door = Arc::clone(&exchange);
    // Without a thread, nothing is heard and the search goes on by itself.
    drop(std::thread::Builder::new().spawn(move || listen(&door)));
    let mut options = search::options(&shared(chain, *rank)?)?;
    vary(&mut options, *rank);
    let loaded = load::load_for(&chain.model, &options, Verbosity { quiet: true, verbose: 0 })?;
    let is_appended = chain.violations == Violations::Append;
    let wanted = Wanted {
        start,
        timeout: chain.search.timeout,
        violations: if is_appended { chaincover::Violations::Append } else { chaincover::Violations::Off },
        replay: false,
        old_tests: chain::old_tests(chain, &loaded)?,
        exchange: Some(exchange),
        ..Wanted::default()
    };
    let settings = chain.model.settings_for(&options);
    solve(&loaded, (&settings, &options), &wanted, &Silent)?;
    say(&Message::End.line());
    Ok(Exit::Success)
}

/// Says a line. Where nobody hears it, nothing more is wanted.
fn say(line: &str) {
    let mut output = std::io::stdout().lock();
    if output.write_all(line.as_bytes()).and_then(|()| output.flush()).is_err() {
        interrupt::leave(Exit::Interrupted);
    }
}

/// Hears what others have found, as long as the process is there that started this one.
fn listen(exchange: &Exchange) {
    let mut input = std::io::stdin().lock();
    while let Some(line) = next_line(&mut input) {
        if let Ok(Message::Fact { task, news }) = serde_json::from_str(&line) {
            exchange.deliver(task, news.get().to_owned());
        }
    }
    interrupt::leave(Exit::Interrupted);
}
