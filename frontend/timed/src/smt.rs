//! An SMT solver as a process that speaks SMT-LIB 2.6.
//!
//! Questions of test cases are path-sized, over exact integers and rationals, with quantifiers:
//! Debian's Z3 (4.8.12) answers them in milliseconds. "Unknown" is an answer; callers say so.

use num_bigint::BigInt;
use num_rational::BigRational;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What the solver says of some assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Some values satisfy them.
    Sat,
    /// No values do.
    Unsat,
    /// It gave up.
    Unknown,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SmtError {
    /// The program cannot be started.
    #[error("the SMT solver `{0}` cannot be started ({1}); Debian's package `z3` has one")]
    NotStarted(String, String),
    /// It ended or kept silent.
    #[error("the SMT solver ended or kept silent for {} s", WAIT.as_secs())]
    Silent,
    /// The time for all questions is up.
    #[error("the time is up")]
    TimeUp,
    /// It said something that was not expected.
    #[error("the SMT solver said: {0}")]
    Said(String),
    /// It gave up on a question that needs an answer.
    #[error("the SMT solver gave up on whether {0}")]
    GaveUp(String),
}

/// How long to wait for one answer.
const WAIT: Duration = Duration::from_secs(60);

/// How long the solver itself tries, in milliseconds.
const PATIENCE: u32 = 20_000;

/// A running solver.
#[derive(Debug)]
pub struct Solver {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    is_z3: bool,
    deadline: Option<Instant>,
    patience: u32,
}

/// How long it first tries, in milliseconds, where questions are many.
const HURRY: u32 = 40;

/// How long the solver may answer after it should have given up.
const GRACE: Duration = Duration::from_millis(300);

/// What Z3 is asked where its incremental solver gives up on quantifiers: to eliminate them first.
const TACTICS: [&str; 2] = ["(then simplify qe smt)", "(then qe2 smt)"];

impl Solver {
    /// Starts `z3`, or `cvc5` where that is asked for.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn start(program: &str) -> Result<Self, SmtError> {
        let args: &[&str] = match program {
            "cvc5" => &["--lang=smt2", "--incremental", "--produce-models"],
            _ => &["-in", "-smt2"],
        };
        let failed = |why: String| SmtError::NotStarted(program.to_owned(), why);
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("no pipes".to_owned()));
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut solver =
            Self { child, stdin, lines, is_z3: program != "cvc5", deadline: None, patience: PATIENCE };
        solver.tell("(set-option :produce-models true)\n")?;
        match program {
            "cvc5" => solver.tell("(set-logic ALL)\n")?,
            _ => solver.tell(&format!("(set-option :timeout {PATIENCE})\n"))?,
        }
        Ok(solver)
    }

    /// Until when questions are answered, and for how many milliseconds the solver tries each of
    /// them at most. Behind the deadline every question ends with [`SmtError::TimeUp`].
    pub fn limit(&mut self, deadline: Option<Instant>, patience: u32) {
        (self.deadline, self.patience) = (deadline, patience.clamp(1, PATIENCE));
    }
    /// The time until the deadline; none: there is none.
    fn left(&self) -> Result<Option<Duration>, SmtError> {
        let Some(deadline) = self.deadline else { return Ok(None) };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(SmtError::TimeUp) } else { Ok(Some(left)) }
    }

    /// Sends commands that have no answer.
    ///
    /// # Errors
    /// If the solver has ended.
    pub fn tell(&mut self, commands: &str) -> Result<(), SmtError> {
        self.stdin.write_all(commands.as_bytes()).map_err(|_| SmtError::Silent)
    }
    /// Sends an assertion.
    ///
    /// # Errors
    /// If the solver has ended.
    pub fn assert(&mut self, formula: &str) -> Result<(), SmtError> {
        self.tell(&format!("(assert {formula})\n"))
    }
    /// Opens a scope of declarations and assertions.
    ///
    /// # Errors
    /// If the solver has ended.
    pub fn push(&mut self) -> Result<(), SmtError> {
        self.tell("(push 1)\n")
    }
    /// Closes it.
    ///
    /// # Errors
    /// If the solver has ended.
    pub fn pop(&mut self) -> Result<(), SmtError> {
        self.tell("(pop 1)\n")
    }
    /// Whether some values satisfy all assertions.
    ///
    /// # Errors
    /// If the solver does not answer.
    pub fn check(&mut self) -> Result<Answer, SmtError> {
        let is_hurried = self.is_z3 && self.patience < PATIENCE;
        // Where questions are many, eliminating quantifiers comes before a long try without.
        let first = if is_hurried { self.patience.min(HURRY) } else { self.patience };
        let mut answer = self.ask("(check-sat)\n", first)?;
        for tactic in TACTICS {
            if answer == Answer::Unknown && self.is_z3 {
                answer = self.ask(&format!("(check-sat-using {tactic})\n"), self.patience)?;
            }
        }
        if answer == Answer::Unknown && is_hurried {
            answer = self.ask("(check-sat)\n", self.patience)?;
        }
        Ok(answer)
    }
    fn ask(&mut self, command: &str, patience: u32) -> Result<Answer, SmtError> {
        let left = self.left()?;
        if self.is_z3 && (left.is_some() || self.patience < PATIENCE) {
            let left = left.and_then(|left| u32::try_from(left.as_millis()).ok());
            let most = left.unwrap_or(PATIENCE).clamp(1, patience);
            self.tell(&format!("(set-option :timeout {most})\n"))?;
        }
        self.tell(command)?;
        self.stdin.flush().map_err(|_| SmtError::Silent)?;
        match self.line()?.trim() {
            "sat" => Ok(Answer::Sat),
            "unsat" => Ok(Answer::Unsat),
            "unknown" => Ok(Answer::Unknown),
            other => Err(SmtError::Said(other.to_owned())),
        }
    }
    /// As [`Solver::check`] under further assertions, which do not stay.
    ///
    /// # Errors
    /// If the solver does not answer.
    pub fn check_with<'f>(
        &mut self,
        formulas: impl IntoIterator<Item = &'f str>,
    ) -> Result<Answer, SmtError> {
        self.push()?;
        for formula in formulas {
            self.assert(formula)?;
        }
        let answer = self.check()?;
        self.pop()?;
        Ok(answer)
    }
    /// The values of some symbols after an answer [`Answer::Sat`]; truths are 0 and 1.
    ///
    /// # Errors
    /// If the solver does not answer.
    pub fn values(&mut self, symbols: &[String]) -> Result<Vec<BigRational>, SmtError> {
        symbols.iter().map(|symbol| self.value(symbol)).collect()
    }
    fn value(&mut self, symbol: &str) -> Result<BigRational, SmtError> {
        self.tell(&format!("(get-value ({symbol}))\n"))?;
        self.stdin.flush().map_err(|_| SmtError::Silent)?;
        let mut text = self.line()?;
        while text.matches('(').count() > text.matches(')').count() {
            text = text + " " + &self.line()?;
        }
        let inner = text.trim().trim_start_matches("((").trim_end_matches(char::is_whitespace);
        let inner = inner.strip_suffix("))").unwrap_or(inner);
        let value = inner.strip_prefix(symbol).unwrap_or(inner);
        parse_value(value).ok_or(SmtError::Said(text))
    }
    fn line(&mut self) -> Result<String, SmtError> {
        let left = self.left()?;
        match self.lines.recv_timeout(left.map_or(WAIT, |left| WAIT.min(left + GRACE))) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) if self.left().is_err() => Err(SmtError::TimeUp),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(SmtError::Silent),
        }
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        // It answers no more questions; waiting for it removes it from the table of processes.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `5`, `5.0`, `(- 5)`, `(/ 1.0 2.0)`, `(- (/ 1 2))`, `true`.
fn parse_value(text: &str) -> Option<BigRational> {
    let text = text.trim();
    match text {
        "true" => return Some(BigRational::from_integer(1.into())),
        "false" => return Some(BigRational::from_integer(0.into())),
        _ => {}
    }
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let part = part.trim_end_matches('0');
        let units: BigInt = format!("{whole}{part}").parse().ok()?;
        return Some(BigRational::new(units, BigInt::from(10).pow(u32::try_from(part.len()).ok()?)));
    };
    if let Some(rest) = inner.strip_prefix('-') {
        return Some(-parse_value(rest)?);
    }
    let rest = inner.strip_prefix('/')?.trim();
    let split = if rest.starts_with('(') { rest.find(')')? + 1 } else { rest.find(' ')? };
    let (upper, lower) = (parse_value(&rest[..split])?, parse_value(&rest[split..])?);
    (lower != BigRational::from_integer(0.into())).then(|| upper / lower)
}

/// A symbol as SMT-LIB writes it: in bars where it needs them.
pub fn symbol(name: &str) -> String {
    let is_plain = name.chars().all(|one| one.is_ascii_alphanumeric() || "_.".contains(one))
        && !name.starts_with(|one: char| one.is_ascii_digit());
    if is_plain { name.to_owned() } else { format!("|{}|", name.replace(['|', '\\'], "_")) }
}

#[cfg(test)]
mod tests {
    use super::parse_value;

    #[test]
    fn values_are_read_as_solvers_write_them() {
        let table = [("5", "5"), ("5.50", "11/2"), ("(- 5)", "-5"), ("(/ 1.0 2.0)", "1/2")];
        let more = [("(- (/ 1 2))", "-1/2"), ("(/ (- 1) 2)", "-1/2"), ("true", "1")];
        for (text, value) in table.into_iter().chain(more) {
            assert_eq!(parse_value(text).map(|value| value.to_string()).as_deref(), Some(value), "{text}");
        }
        assert_eq!(parse_value("(/ 1 0)"), None);
    }
}
