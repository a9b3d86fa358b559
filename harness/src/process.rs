//! A process that speaks the protocol on its standard input and output.
//!
//! Each request gets one answer within a time limit. A process that died, kept silent or answered
//! ill-formed is killed; the next reset starts a new one, so that no late answer is taken for
//! another. What it starts itself is killed with it.

use crate::message::{self, Event, Reply};
use crate::system::{Broken, Events, Fields, Synchronous};
use crate::time::Time;
use frontend::limit::{Limit, Reason};
use frontend::process::Group;
use serde_json::Value as Json;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of one answer at most.
const LONGEST_LINE: u64 = 1 << 20;

/// Bytes of standard error that are kept.
const KEPT: usize = 2000;

/// Answers that may wait to be read; a system that writes more is held up.
const WAITING: usize = 16;

/// How long to wait for an answer before it is looked whether the user wants an end.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// How long to wait for the status of a process that has closed its output.
const ENDING: Duration = Duration::from_millis(500);

/// A system under test behind a command of the shell.
#[derive(Debug)]
pub struct Process {
    command: String,
    limit: Duration,
    /// When the whole run ends.
    whole: Limit,
    running: Option<Running>,
    starts: usize,
    /// Whether it has been reset since its last test.
    is_fresh: bool,
}

impl Process {
    /// A system that is started by a command of the shell at the first reset; `limit` is the time
    /// for each answer.
    pub fn new(command: impl Into<String>, limit: Duration) -> Self {
        let (command, whole) = (command.into(), Limit::default());
        Self { command, limit, whole, running: None, starts: 0, is_fresh: false }
    }
    /// Waits for answers of this system until the whole run ends.
    pub fn until(self, whole: Limit) -> Self {
        Self { whole, ..self }
    }
    /// How often the process was started.
    pub fn starts(&self) -> usize {
        self.starts
    }

    /// Starts the process where none runs, and resets it.
    fn begin(&mut self) -> Result<(), Broken> {
        // One that has ended between two tests is replaced.
        if self.running.as_mut().is_some_and(Running::has_ended) {
            self.running = None;
        }
        if std::mem::take(&mut self.is_fresh) && self.running.is_some() {
            return Ok(());
        }
        if self.running.is_none() {
            let started = Running::start(&self.command, Lines::Answers);
            self.running = Some(started.map_err(|error| Broken::NotStarted(error.to_string()))?);
            self.starts += 1;
        }
        let answer = self.ask(&message::reset())?;
        self.kept(message::acknowledged(&answer))
    }
    /// The answer to a request.
    fn ask(&mut self, request: &Json) -> Result<Json, Broken> {
        let Some(running) = &mut self.running else {
            return Err(Broken::NotStarted("it was not reset since it broke".to_owned()));
        };
        let answer = running.ask(request, self.limit, &self.whole).and_then(|line| message::answer(&line));
        self.kept(answer)
    }
    /// Resets the system behind a test. Where it has answered one request twice, each answer behind
    /// that is one to an earlier request, and so is the one to this.
    fn settle(&mut self) -> Result<(), Broken> {
        let Some(running) = &mut self.running else { return Ok(()) };
        let answer =
            running.ask(&message::reset(), self.limit, &self.whole).and_then(|line| message::answer(&line));
        let settled = match answer.and_then(|answer| message::acknowledged(&answer)) {
            Err(broken @ Broken::IllFormed { .. }) => Err(broken),
            // A system that ends, or cannot go on, after its last answer has answered all.
            Err(_) => {
                self.running = None;
                Ok(())
            }
            Ok(()) => {
                self.is_fresh = true;
                Ok(())
            }
        };
        self.kept(settled)
    }
    /// Ends the process where it cannot be used any more.
    fn kept<T>(&mut self, result: Result<T, Broken>) -> Result<T, Broken> {
        if result.is_err() {
            self.running = None;
        }
        result
    }
}

impl Synchronous for Process {
    fn reset(&mut self) -> Result<(), Broken> {
        self.begin()
    }
    fn step(&mut self, number: u64, inputs: &Fields) -> Result<Fields, Broken> {
        let answer = self.ask(&message::step(number, inputs))?;
        self.kept(message::outputs(&answer, number))
    }
    fn end(&mut self) -> Result<(), Broken> {
        self.settle()
    }
}

impl Events for Process {
    fn reset(&mut self) -> Result<(), Broken> {
        self.begin()
    }
    fn input(&mut self, event: &Event) -> Result<Reply, Broken> {
        let answer = self.ask(&message::input(event))?;
        let reply = message::reply(&answer, event.after.is_some());
        let reply = reply.and_then(|reply| match reply {
            Reply::Quiet(_) => Err(misplaced(&answer, "`quiet` is no answer to an input")),
            reply => Ok(reply),
        });
        self.kept(reply)
    }
    fn watch(&mut self, time: Option<&Time>) -> Result<Reply, Broken> {
        let answer = self.ask(&message::watch(time))?;
        let reply = message::reply(&answer, time.is_some());
        let reply = reply.and_then(|reply| match reply {
            Reply::Output(_) | Reply::Quiet(_) => Ok(reply),
            _ => Err(misplaced(&answer, "`out` or `quiet` is the answer to `watch`")),
        });
        self.kept(reply)
    }
    fn end(&mut self) -> Result<(), Broken> {
        self.settle()
    }
}

fn misplaced(answer: &Json, why: &str) -> Broken {
    Broken::IllFormed { line: answer.to_string(), why: why.to_owned() }
}

/// What a system writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    /// One line for each request.
    Answers,
    /// Lines whenever it likes.
    Free,
}

/// What the reader of standard output found.
enum Output {
    /// A line, and when it was read.
    Line(Vec<u8>, Instant),
    /// A line with more behind it, which came at the same time.
    Several(Vec<u8>),
    /// A line without end.
    Flood,
}

/// A process with the threads that read and write for it.
pub(crate) struct Running {
    child: Child,
    /// Kills the process and what it started when this goes.
    _group: Group,
    requests: Sender<String>,
    answers: Receiver<Output>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Running({})", self.child.id())
    }
}

impl Running {
    pub(crate) fn start(command: &str, lines: Lines) -> std::io::Result<Self> {
        let mut child = Command::new("sh")
            .args(["-c", command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let group = Group::of(&child)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (requests, to_write) = channel();
        let (read, answers) = sync_channel(WAITING);
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        let keep = Arc::clone(&kept);
        let spawn = |work: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new().stack_size(1 << 17).spawn(work).map(drop)
        };
        spawn(Box::new(move || write_requests(stdin, &to_write)))?;
        spawn(Box::new(move || read_answers(stdout, &read, lines)))?;
        spawn(Box::new(move || keep_end(stderr, &keep)))?;
        Ok(Self { child, _group: group, requests, answers, stderr: kept })
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Writes a request and waits for the line that answers it: so long, and until the run ends.
    pub(crate) fn ask(&mut self, request: &Json, limit: Duration, whole: &Limit) -> Result<String, Broken> {
        if let Ok(output) = self.answers.try_recv() {
            return Err(unasked(output));
        }
        // The writer goes when the process does; the answer is missing then, too.
        let _ = self.requests.send(format!("{request}\n"));
        let begin = Instant::now();
        loop {
            let now = Instant::now();
            let left = limit.saturating_sub(now - begin);
            let of_run = whole.deadline.map_or(left, |deadline| deadline.saturating_duration_since(now));
            if let Some((line, _)) = self.line(left.min(of_run).min(BETWEEN_LOOKS))? {
                return Ok(line);
            }
            match whole.reason() {
                Some(Reason::Deadline) => return Err(Broken::TimeIsUp),
                Some(Reason::Interrupted | Reason::Memory) => return Err(Broken::Interrupted),
                None if left.is_zero() => return Err(Broken::Silent { limit, stderr: self.told() }),
                None => {}
            }
        }
    }
    /// Writes a request that has no answer.
    pub(crate) fn tell(&mut self, request: &Json) {
        let _ = self.requests.send(format!("{request}\n"));
    }
    /// The next line, with the time when it was read; none where none comes within a time.
    pub(crate) fn line(&mut self, within: Duration) -> Result<Option<(String, Instant)>, Broken> {
        match self.answers.recv_timeout(within) {
            Ok(Output::Line(line, at)) => match String::from_utf8(line) {
                Ok(line) => Ok(Some((line, at))),
                Err(error) => Err(Broken::IllFormed {
                    line: String::from_utf8_lossy(error.as_bytes()).into_owned(),
                    why: "not UTF-8".to_owned(),
                }),
            },
            Ok(output @ (Output::Several(_) | Output::Flood)) => Err(unasked(output)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    /// Why there is no more output.
    fn ended(&mut self) -> Broken {
        let end = Instant::now() + ENDING;
        let how = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status.to_string(),
                Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(1)),
                Ok(None) => break "closed its standard output".to_owned(),
                Err(error) => break error.to_string(),
            }
        };
        // What was written last is read by another thread.
        std::thread::sleep(Duration::from_millis(10));
        Broken::Ended { how, stderr: self.told() }
    }

    fn told(&self) -> String {
        let kept = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It is dead or about to be; waiting for it removes it from the table of processes.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Output that came where nothing was asked.
fn unasked(output: Output) -> Broken {
    match output {
        Output::Line(line, _) => {
            let line = String::from_utf8_lossy(&line).trim_end().to_owned();
            Broken::IllFormed { line, why: "nothing was asked".to_owned() }
        }
        Output::Several(line) => {
            let line = String::from_utf8_lossy(&line).trim_end().to_owned();
            Broken::IllFormed { line, why: "more than one line".to_owned() }
        }
        Output::Flood => flood(),
    }
}

fn flood() -> Broken {
    let why = format!("a line of more than {LONGEST_LINE} bytes");
    Broken::IllFormed { line: "...".to_owned(), why }
}

fn write_requests(stdin: Option<ChildStdin>, requests: &Receiver<String>) {
    let Some(mut stdin) = stdin else { return };
    for request in requests {
        if stdin.write_all(request.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_answers(stdout: Option<ChildStdout>, answers: &SyncSender<Output>, lines: Lines) {
    let Some(stdout) = stdout else { return };
    let mut reader = BufReader::new(stdout);
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            _ => return,
        }
        let is_whole = line.last() == Some(&b'\n') || (line.len() as u64) < LONGEST_LINE;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let has_more = !reader.buffer().iter().all(u8::is_ascii_whitespace);
        let output = match (is_whole, has_more && lines == Lines::Answers) {
            (false, _) => Output::Flood,
            (true, false) => Output::Line(line, Instant::now()),
            (true, true) => Output::Several(line),
        };
        if answers.send(output).is_err() || !is_whole {
            return;
        }
    }
}

/// Keeps the end of what a process writes to standard error.
fn keep_end(stderr: Option<ChildStderr>, kept: &Mutex<VecDeque<u8>>) {
    let Some(mut stderr) = stderr else { return };
    let mut part = [0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut part) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&part[..count]);
        let surplus = kept.len().saturating_sub(KEPT);
        kept.drain(..surplus);
    }
}
