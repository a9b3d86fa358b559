//! Several processes that search for the chains of one model: this one, and workers that it starts.
//!
//! Workers are this program, called with the words of this call. Each searches in another way, and
//! they say to each other what they find, a line of JSON for each fact, by way of this process,
//! which alone writes results. The engine judges what is said: chains are run by the evaluator,
//! claims count since they come from the same build. A worker that dies, or says what is no
//! message, is told of and left out. None outlives this process: the system kills it with its
//! parent, and it ends where nobody hears it any more.

use super::args::{ChainArguments, SearchArguments};
use super::exit::Exit;
use super::failure::Failure;
use super::job::context;
use super::memory::Limits;
use super::own::Program;
use super::{orphan, search, words};
use chaincover::{Backend, EngineId, Exchange, Options, process};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Lines that wait for a worker at most. One that does not listen misses facts, and holds up nobody.
const MOST_WAITING: usize = 1_000;

/// Bytes of a line at most.
const LONGEST_LINE: u64 = 256 << 20;

/// How long to wait for the exit code of a worker that says nothing more.
const LINGERING: Duration = Duration::from_millis(500);

/// What processes say to each other, each as one line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Message<'m> {
    /// A worker begins.
    Hello {
        /// The digest of its program.
        build: String,
    },
    /// Something is known of a task.
    Fact {
        /// Which one.
        task: u64,
        /// What.
        #[serde(borrow)]
        news: &'m RawValue,
    },
    /// A worker has done all that it can.
    End,
}

impl Message<'_> {
    /// The message as a line.
    pub(crate) fn line(&self) -> String {
        // Texts and numbers alone: they can always be written.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

/// A fact as a line.
pub(crate) fn fact(task: u64, news: &str) -> Option<String> {
    let news = serde_json::from_str(news).ok()?;
    Some(Message::Fact { task, news }.line())
}

/// The next line without its end; `None`: there is none, or it is cut off or too long.
pub(crate) fn next_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).ok()?;
    line.pop().filter(|&last| last == b'\n')?;
    Some(String::from_utf8_lossy(&line).into_owned())
}

/// How a process searches that is one of several: it has a part of the memory, of the cores, and of
/// the engines. Rank 0 is the one that starts the others.
///
/// # Errors
/// Usage errors: strategies and engines that exchange nothing.
pub(crate) fn shared(arguments: &ChainArguments, rank: u32) -> Result<SearchArguments, Failure> {
    let (mut own, workers) = (arguments.search.clone(), arguments.workers);
    if workers > 1 {
        if own.strategy != "exact" || own.engine != "auto" {
            let message = "--workers needs the strategy `exact` and the engine `auto`";
            return Err(Failure::new(Exit::Usage, message));
        }
        own.memory = Limits::share(own.memory, workers);
        own.jobs = Some(own.jobs.unwrap_or_else(|| (search::cores() / workers as usize).max(1)));
        let left: &[&str] = match rank {
            0 => &LEFT_TO_SECOND,
            1 => &LEFT_TO_FIRST,
            _ => &[],
        };
        // What the user says comes last, and counts.
        own.set = left.iter().map(|&constant| constant.to_owned()).chain(own.set).collect();
    }
    Ok(own)
}

/// What the first process leaves to the second one: proofs about states, distances and open goals.
/// It begins them with little effort, so that it comes to an end where the other one is lost.
const LEFT_TO_SECOND: [&str; 5] = [
    "enumeration.first-turn=100_000",
    "enumeration.growth=2",
    "optimum.first-turn=4_000",
    "exclusion.first-turn=1_000",
    "localization.first-turn=250",
];

/// What the second process leaves to the first one, beside finding chains: one query about whole
/// chains.
const LEFT_TO_FIRST: [&str; 1] = ["latched.first-turn=250"];

/// Finders that worker processes which are to prove leave out: these hear of chains from others.
const FINDERS: [EngineId; 9] = [
    EngineId::PatternWalk,
    EngineId::HeldInputs,
    EngineId::Concolic,
    EngineId::Modes,
    EngineId::Landmarks,
    EngineId::Simulation,
    EngineId::Concatenation,
    EngineId::Annealing,
    EngineId::RestrictedEnumeration,
];

/// Provers that worker processes which are to find chains leave out.
const PROVERS: [EngineId; 3] = [EngineId::Enumeration, EngineId::Latched, EngineId::Optimum];

/// Lets a worker search in another way than the process that started it: the first one proves what
/// that one leaves to it, the second one finds, the third one proves by another solver, and so on.
pub(crate) fn vary(options: &mut Options, rank: u32) {
    options.seed = options.seed.wrapping_add(u64::from(rank));
    match rank % 4 {
        1 | 3 => options.without.extend(FINDERS),
        2 => options.without.extend(PROVERS),
        _ => {}
    }
    if matches!(rank % 4, 0 | 3) && rank > 0 {
        options.backend = match options.backend {
            Backend::Cadical => Backend::Batsat,
            _ => Backend::Cadical,
        };
    }
}

/// The workers of this process.
pub(crate) struct Workers {
    hub: Arc<Hub>,
    exchange: Arc<Exchange>,
    readers: Vec<JoinHandle<()>>,
}

/// What threads share.
struct Hub {
    build: String,
    doors: Vec<SyncSender<Arc<str>>>,
    groups: Mutex<Vec<Option<process::Group>>>,
    /// Which workers were lost, and why.
    losses: Mutex<Vec<String>>,
    /// Nothing more is wanted.
    is_over: AtomicBool,
}

impl Workers {
    /// Starts the workers that the arguments ask for, if any.
    ///
    /// # Errors
    /// They cannot be started.
    pub(crate) fn start(arguments: &ChainArguments, program: &Program) -> Result<Option<Self>, Failure> {
        if arguments.workers < 2 {
            return Ok(None);
        }
        let fail = |error: std::io::Error| {
            Failure::new(Exit::Usage, format!("--workers: a worker cannot be started: {error}"))
        };
        let mut children = Vec::new();
        for rank in 1..arguments.workers {
            children.push(start(rank, program).map_err(fail)?);
        }
        let build = context(program)?.origin().build;
        Self::of(children, build).map(Some).map_err(fail)
    }

    /// Listens to processes that were started.
    fn of(children: Vec<Running>, build: String) -> std::io::Result<Self> {
        let (mut doors, mut groups, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
        for Running { mut child, group } in children {
            let (door, lines) = sync_channel(MOST_WAITING);
            if let Some(input) = child.stdin.take() {
                std::thread::Builder::new().spawn(move || write(input, &lines))?;
            }
            doors.push(door);
            groups.push(Some(group));
            outputs.push(child);
        }
        let (groups, losses, is_over) = (Mutex::new(groups), Mutex::default(), AtomicBool::new(false));
        let hub = Arc::new(Hub { build, doors, groups, losses, is_over });
        let speaker = Arc::clone(&hub);
        let say = move |task: u64, news: &str| {
            if let Some(line) = fact(task, news) {
                speaker.hand_on(&line, None);
            }
        };
        let exchange = Arc::new(Exchange::new(say));
        let mut readers = Vec::new();
        for (index, child) in outputs.into_iter().enumerate() {
            let (hub, exchange) = (Arc::clone(&hub), Arc::clone(&exchange));
            readers.push(std::thread::Builder::new().spawn(move || hub.attend(index, child, &exchange))?);
        }
        Ok(Self { hub, exchange, readers })
    }

    /// What the search exchanges facts by.
    pub(crate) fn exchange(&self) -> Arc<Exchange> {
        Arc::clone(&self.exchange)
    }

    /// Ends all workers; returns what a user should know of the result.
    pub(crate) fn finish(mut self) -> Vec<String> {
        self.hub.end_all();
        for reader in self.readers.drain(..) {
            // A reader that panicked has lost its worker.
            drop(reader.join());
        }
        let number = self.hub.doors.len() + 1;
        let mut notes = vec![format!(
            "--workers: {number} processes searched side by side and told each other what they found; bounds and exclusions rest \
             on all of them, and another run may give other chains of equal length"
        )];
        notes.append(&mut locked(&self.hub.losses));
        notes
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.hub.end_all();
    }
}

/// A worker with its process group.
struct Running {
    child: Child,
    group: process::Group,
}

/// Starts a worker. Signals of the terminal reach it by way of this process only.
fn start(rank: u32, program: &Program) -> std::io::Result<Running> {
    let mut command = program.call()?;
    command.args(["worker", "--rank", &rank.to_string()]).args(words().iter().skip(1));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    orphan::mark(&mut command);
    let child = command.spawn()?;
    let group = process::Group::of(&child)?;
    Ok(Running { child, group })
}

/// Writes lines to a worker, until it does not read or there are no more.
fn write(mut input: ChildStdin, lines: &Receiver<Arc<str>>) {
    for line in lines {
        if input.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    /// Hands a line on to all workers but one.
    fn hand_on(&self, line: &str, except: Option<usize>) {
        let line: Arc<str> = line.into();
        for (index, door) in self.doors.iter().enumerate() {
            if Some(index) != except {
                // A worker that does not listen, or is no more, misses it.
                drop(door.try_send(Arc::clone(&line)));
            }
        }
    }

    /// Listens to a worker until it ends.
    fn attend(&self, index: usize, mut child: Child, exchange: &Exchange) {
        let heard = self.listen(index, &mut child, exchange);
        let status = self.end(index, &mut child);
        let why = match heard {
            Ok(true) => return,
            Ok(false) => how_ended(status),
            Err(why) => why.to_owned(),
        };
        if !self.is_over.load(Ordering::SeqCst) {
            let (rank, all) = (index + 2, self.doors.len() + 1);
            locked(&self.losses).push(format!("worker {rank} of {all} {why}; the search went on without it"));
        }
    }

    /// Hears what a worker says: whether it has come to its end; else what is wrong with it.
    fn listen(&self, index: usize, child: &mut Child, exchange: &Exchange) -> Result<bool, &'static str> {
        const NONSENSE: &str = "said what is no message";
        let Some(output) = child.stdout.take() else { return Ok(false) };
        let mut reader = BufReader::new(output);
        let Some(line) = next_line(&mut reader) else { return Ok(false) };
        match serde_json::from_str(&line) {
            Ok(Message::Hello { build }) if build == self.build => {}
            Ok(Message::Hello { .. }) => return Err("is another build, whose claims do not count"),
            _ => return Err(NONSENSE),
        }
        while let Some(line) = next_line(&mut reader) {
            match serde_json::from_str(&line) {
                Ok(Message::Fact { task, news }) => {
                    exchange.deliver(task, news.get().to_owned());
                    self.hand_on(&(line + "\n"), Some(index));
                }
                Ok(Message::End) => return Ok(true),
                _ => return Err(NONSENSE),
            }
        }
        Ok(false)
    }

    /// Ends a worker with all that it has started, unless it ends by itself.
    fn end(&self, index: usize, child: &mut Child) -> std::io::Result<ExitStatus> {
        let late = Instant::now() + LINGERING;
        while Instant::now() < late {
            if let Some(status) = child.try_wait()? {
                drop(locked(&self.groups)[index].take());
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(locked(&self.groups)[index].take());
        child.wait()
    }

    fn end_all(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        locked(&self.groups).iter_mut().for_each(|group| drop(group.take()));
    }
}

/// How a process ended that should not have.
fn how_ended(status: std::io::Result<ExitStatus>) -> String {
    match status.map(|status| (status.signal(), status.code())) {
        Ok((Some(signal), _)) => format!("was ended by signal {signal}"),
        Ok((None, Some(code))) => format!("ended with exit code {code}"),
        _ => "was lost".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn running(script: &str) -> Running {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let child = command.spawn().expect("a shell should start");
        let group = process::Group::of(&child).expect("a group");
        Running { child, group }
    }

    /// Workers that are none, and one that is; what is said of them.
    #[test]
    fn what_is_no_worker_is_told_and_does_not_count() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let heard = folder.path().join("heard");
        let hello = |build: &str| Message::Hello { build: build.to_owned() }.line().replace('\n', "");
        let told = fact(7, r#"{"bound":{}}"#).expect("a line").replace('\n', "");
        let children = [
            format!("echo '{}'; echo '{told}'; sleep 60", hello("another")),
            "echo nonsense; sleep 60".to_owned(),
            format!("echo '{}'; echo '{told}'; yes nonsense", hello("own")),
            format!("echo '{}'; kill -9 $$", hello("own")),
            format!("echo '{}'; echo '\"end\"'; exec cat > {}", hello("own"), heard.display()),
            "exit 3".to_owned(),
        ];
        let children = children.iter().map(|script| running(script)).collect();
        let workers = Workers::of(children, "own".to_owned()).expect("threads");
        let late = Instant::now() + Duration::from_secs(60);
        while locked(&workers.hub.losses).len() < 5 && Instant::now() < late {
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut notes = workers.finish();
        assert!(notes.remove(0).contains("7 processes searched side by side"), "{notes:?}");
        notes.sort();
        let rest = "; the search went on without it";
        assert_eq!(
            notes,
            [
                format!("worker 2 of 7 is another build, whose claims do not count{rest}"),
                format!("worker 3 of 7 said what is no message{rest}"),
                format!("worker 4 of 7 said what is no message{rest}"),
                format!("worker 5 of 7 was ended by signal 9{rest}"),
                format!("worker 7 of 7 ended with exit code 3{rest}"),
            ]
        );
        // Only what a worker of the same build said before it spoke nonsense was handed on.
        let heard = std::fs::read_to_string(heard).expect("a file");
        assert_eq!(heard.trim_end(), told);
    }
}
