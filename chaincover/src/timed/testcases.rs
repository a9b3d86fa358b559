//! Test cases of timed systems, and their runs: of purposes, of paths, of chains.

use super::test_page::page;
use super::{covered, replayed, with_goals};
use crate::error::{Error, ErrorKind};
use ::timed::adaptive::{Continuation, Tree};
use ::timed::judge::{JudgeError, Observed, TestFile, trace};
use ::timed::lower::Variant;
use ::timed::play::Player;
use ::timed::read::{is_timed, read};
use ::timed::run::Source;
use ::timed::smt::Solver;
use ::timed::system::{Direction, System};
use ::timed::testcase::{Excuse, Patience, TestCaseError, generate};
use ::timed::{read_over_ticks, write};
use engine::error::EngineError;
use engine::options::Options;
use engine::session::Silent;
use frontend::limit::Limit;
use harness::{Events, Live, Process, Report};
use num_rational::BigRational;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use report::output::chain_file::{Chain, ChainFile, TimedEvent};
use std::path::Path;
use std::time::{Duration, Instant};

/// The files of a test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestFiles {
    /// One line about it.
    pub summary: String,
    /// `testcase.json`.
    pub json: String,
    /// All guards as SMT-LIB.
    pub smt2: String,
    /// A picture for Graphviz.
    pub dot: String,
    /// A page: the test as a tree with its guards.
    pub html: String,
    /// The test case with the names of SPTG; none of one that goes on behind deviations.
    pub sptg: Option<String>,
}

/// What a test case is made with.
#[derive(Clone, Copy, Debug)]
pub struct TestOptions<'o> {
    /// How long a tester waits for an event; none: what the text says.
    pub timeout: Option<&'o str>,
    /// What excuses a silence.
    pub excuse: Excuse,
    /// Whether transitions that can never be taken are dropped.
    pub prune: bool,
    /// The SMT solver.
    pub smt: &'o str,
}

impl TestOptions<'_> {
    fn patience(&self, system: &System) -> Result<Patience, Error> {
        let timeout = match self.timeout {
            Some(text) => {
                let time =
                    harness::Time::parse(text).ok_or_else(|| request(format!("`{text}` is no time")))?;
                time.value().clone()
            }
            None => system
                .timeout
                .clone()
                .ok_or_else(|| request("how long to wait for an event: the text of the system has no `timeout`, and no time was given".to_owned()))?,
        };
        Ok(Patience { timeout, excuse: self.excuse })
    }
    fn generate<'s>(
        &self,
        system: &'s System,
        purpose: (&str, &[usize]),
        solver: &mut Solver,
    ) -> Result<Tree<'s>, Error> {
        let mut test = generate(system, purpose, self.patience(system)?, solver)?;
        if self.prune {
            test.prune(solver)?;
        }
        Ok(test.into())
    }
}

impl From<TestCaseError> for Error {
    fn from(error: TestCaseError) -> Self {
        match error {
            TestCaseError::Smt(error) => error.into(),
            other => Self::new(ErrorKind::Source, other.to_string()),
        }
    }
}

impl From<&Tree<'_>> for TestFiles {
    fn from(tree: &Tree<'_>) -> Self {
        let json = write::json(tree);
        Self {
            summary: tree.summary(),
            html: page(tree, &json).html(),
            json: format!("{json:#}\n"),
            smt2: write::smt2(tree),
            dot: write::dot(tree),
            sptg: (tree.parts.len() == 1).then(|| format!("{:#}\n", write::sptg::json(&tree.parts[0]))),
        }
    }
}

/// Makes the test case of a purpose, or of a path: names of transitions with dots between.
///
/// # Errors
/// There is no such purpose, it is infeasible or not trace-deterministic, there is no time-out, or
/// the solver does not answer.
pub fn testcase(
    path: &Path,
    define: &[String],
    purpose: &str,
    options: &TestOptions<'_>,
) -> Result<TestFiles, Error> {
    let model = read(path, define)?;
    let edges = path_of(&model.system, purpose)?;
    let mut solver = Solver::start(options.smt)?;
    Ok((&options.generate(&model.system, (purpose, &edges), &mut solver)?).into())
}

/// How long the search for one continuation of an adaptive test case may take.
const PLANNING: Duration = Duration::from_secs(10);

/// Makes a test case of each chain of a `chain.json` of the system. Behind outputs and
/// uncontrollable inputs that the specification allows but the chain does not have, the test goes on
/// by the shortest chain that begins so and reaches the goals of that chain that can still be
/// reached; behind deviations of that one, too, `depth` deviations deep.
///
/// # Errors
/// As for [`testcase`]; the file has no chains, or those of another system.
pub fn testcases_of_chains(
    path: &Path,
    define: &[String],
    chains: &Path,
    depth: usize,
    options: &TestOptions<'_>,
) -> Result<Vec<TestFiles>, Error> {
    let model = read(path, define)?;
    let system = &model.system;
    let stored = chains_of(chains)?;
    let mut solver = Solver::start(options.smt)?;
    let mut files = Vec::new();
    for index in 0..stored.chains.len() {
        let planner = Planner::new((path, define), system, (index, &stored.chains[index]));
        let mut tree = planner.first(options, &mut solver)?;
        tree.grow(depth, &mut solver, &mut |taken| planner.continuation(taken))?;
        files.push((&tree).into());
    }
    Ok(files)
}

fn request(why: String) -> Error {
    Error::new(ErrorKind::Request, why)
}

/// A `chain.json` that has chains.
fn chains_of(path: &Path) -> Result<ChainFile, Error> {
    let stored = crate::stored::read_stored(path)?;
    match stored.chains.is_empty() {
        true => Err(request(format!("{}: there is no chain", path.display()))),
        false => Ok(stored),
    }
}

/// Leaves out inputs behind the last output of a path, but none of its first `kept` transitions;
/// whether it ends in an output then, and is longer than these.
fn until_output(system: &System, path: &mut Vec<usize>, kept: usize) -> bool {
    let is_output = |&edge: &usize| system.channel(&system.edges[edge]).direction == Direction::Output;
    while path.len() > kept {
        if path.last().is_some_and(is_output) {
            return true;
        }
        path.pop();
    }
    false
}

/// Plans how the adaptive test case of a chain goes on.
struct Planner<'a> {
    /// The file of the system, and values of its constants.
    text: (&'a Path, &'a [String]),
    system: &'a System,
    /// What the chain is called.
    name: String,
    chain: &'a Chain,
}

impl<'a> Planner<'a> {
    fn new(text: (&'a Path, &'a [String]), system: &'a System, (index, chain): (usize, &'a Chain)) -> Self {
        Self { text, system, name: format!("chain {}", index + 1), chain }
    }
    /// The test case of the chain, up to its last output.
    fn first(&self, options: &TestOptions<'_>, solver: &mut Solver) -> Result<Tree<'a>, Error> {
        let named = |why: String| Error::new(ErrorKind::Request, format!("{}: {why}", self.name));
        let names = self.chain.events.iter().map(|event: &TimedEvent| event.transition.as_str());
        let mut edges = edges_named(self.system, names).map_err(named)?;
        check_path(self.system, &edges).map_err(named)?;
        if !until_output(self.system, &mut edges, 0) {
            return Err(named("it has no output, so there is nothing to observe".to_owned()));
        }
        let made = options.generate(self.system, (&self.name, &edges), solver);
        made.map_err(|error| Error::new(error.kind, format!("{}: {error}", self.name)))
    }
    /// The shortest chain that begins with some transitions and reaches all goals that can be reached
    /// so; where that takes several chains, the one that reaches most.
    fn continuation(&self, taken: &[usize]) -> Result<Continuation, Error> {
        let (mut lowered, ..) = read_over_ticks(self.text.0, self.text.1, Variant::default())?;
        lowered.begin_with(taken);
        let goals = lowered.system.goals.values();
        let is_wanted: Vec<bool> = goals.map(|goal| self.chain.order.contains(&goal.name)).collect();
        let Some(tried) = with_goals(&lowered.system, &is_wanted) else { return Ok(Continuation::Nothing) };
        let options = Options { deadline: Some(Instant::now() + PLANNING), ..Options::default() };
        let found = match engine::find_chains(&tried, &options, &Silent) {
            Err(EngineError::NoExecution(_)) => return Ok(Continuation::Nothing),
            found => found?,
        };
        let Some(most) = found.chains.iter().max_by_key(|chain| chain.order.len()) else {
            return Ok(Continuation::Nothing);
        };
        let chains = replayed(&lowered, self.system, &most.trace)?;
        let mut path: Vec<usize> =
            chains.iter().flat_map(|chain| &chain.events).map(|event| event.edge).collect();
        if path.len() <= taken.len() {
            let is_done = found.chains.len() == 1 && found.goals.values().all(covered);
            return Ok(if is_done { Continuation::Done } else { Continuation::Nothing });
        }
        let goes_on = until_output(self.system, &mut path, taken.len());
        Ok(if goes_on { Continuation::Path(path) } else { Continuation::Nothing })
    }
}

/// The transitions of a purpose; where there is none of that name, of a path that can be a purpose.
fn path_of(system: &System, purpose: &str) -> Result<Vec<usize>, Error> {
    if let Some(found) = system.purpose(purpose) {
        return Ok(found.edges.clone());
    }
    let Some(path) = system.path_named(purpose) else {
        let names: Vec<&str> = system.purposes.iter().map(|purpose| purpose.name.as_str()).collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let message = format!(
            "there is no purpose `{purpose}` and no transitions of these names; there are purposes: {known}"
        );
        return Err(request(message));
    };
    check_path(system, &path).map_err(request)?;
    match path.last() {
        Some(&last) if system.channel(&system.edges[last]).direction == Direction::Output => Ok(path),
        _ => Err(request(format!("`{purpose}` ends in an input, behind which there is nothing to observe"))),
    }
}

/// The transitions of some names.
fn edges_named<'n>(system: &System, mut names: impl Iterator<Item = &'n str>) -> Result<Vec<usize>, String> {
    let edge = |name: &str| {
        let found = system.edges.iter().position(|edge| edge.name == name);
        found.ok_or_else(|| format!("the system has no transition `{name}`"))
    };
    names.try_fold(Vec::new(), |mut edges, name| {
        edges.push(edge(name)?);
        Ok(edges)
    })
}

/// Why transitions cannot follow one another from the initial state, where they cannot.
fn check_path(system: &System, path: &[usize]) -> Result<(), String> {
    let mut at = 0;
    for &edge in path {
        let edge = &system.edges[edge];
        if edge.from != at {
            return Err(format!("`{}` does not start in `{}`", edge.name, system.states[at]));
        }
        at = edge.to;
    }
    Ok(())
}

/// Judges a recorded run, a file of JSON lines, by the text of a test case.
///
/// # Errors
/// The test case or the run is wrong, or the solver does not answer.
pub fn monitor(testcase: &str, log: &Path, smt: &str) -> Result<Report, Error> {
    let test = TestFile::read(testcase)?;
    let trace = recorded(log)?;
    let report = ::timed::run::monitor(&test, &trace, &mut Solver::start(smt)?);
    report.map_err(|error| placed(log, error))
}

/// Reads a recorded run: its events, each with its line.
pub(crate) fn recorded(path: &Path) -> Result<Vec<(usize, Observed)>, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| request(format!("cannot read {}: {error}", path.display())))?;
    trace(&text).map_err(|error| placed(path, error))
}

/// What is wrong with a recorded run, with its file.
pub(crate) fn placed(path: &Path, error: JudgeError) -> Error {
    match error {
        JudgeError::BadTrace { line, why } => request(format!("{}:{line}: {why}", path.display())),
        other => other.into(),
    }
}

/// How a test is run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// A command of the shell, or a timed system that plays the system.
    pub sut: String,
    /// Whether stimuli are chosen at random.
    pub is_random: bool,
    /// Where random numbers begin.
    pub seed: u64,
    /// How long one answer may take.
    pub answer: Duration,
    /// When a command that tells times itself is not waited for any more.
    pub deadline: Option<Instant>,
    /// Real time; none: the system tells times.
    pub real: Option<RealTime>,
}

/// Running a test in real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RealTime {
    /// The length of a unit of time of the specification, above 0.
    pub unit: Duration,
    /// How far the tester's stamps may be wrong.
    pub slack: Duration,
}

/// Runs a test case against a system; returns the verdict and what was observed.
///
/// # Errors
/// The test case is wrong, or the solver does not answer.
pub fn run(testcase: &str, options: &RunOptions, smt: &str) -> Result<(Report, Vec<Observed>), Error> {
    let test = TestFile::read(testcase)?;
    let mut random = options.random();
    against(options, smt, &mut |sut, slack| {
        Ok(::timed::run::run(&test, sut, &mut Solver::start(smt)?, slack, random.source())?)
    })
}

/// How chains of a timed system are run.
#[derive(Clone, Copy, Debug)]
pub struct ChainRun<'o> {
    /// The file of the system.
    pub path: &'o Path,
    /// Values of its constants.
    pub define: &'o [String],
    /// How test cases are made of the chains.
    pub test: TestOptions<'o>,
    /// How often in a run a test goes on behind a deviation.
    pub adaptive: usize,
}

/// Runs the test case of each chain of a `chain.json` against a system; returns the verdicts and
/// what was observed. Behind a deviation the test goes on as those of [`testcases_of_chains`] do,
/// planned when it is needed.
///
/// # Errors
/// As for [`testcases_of_chains`]; real time, since planning takes time.
pub fn run_chains(
    chains: &Path,
    how: &ChainRun<'_>,
    options: &RunOptions,
) -> Result<Vec<(Report, Vec<Observed>)>, Error> {
    if options.real.is_some() {
        let why = "in real time the system does not wait until a continuation is planned: make a test case \
                   with `testcase --chain .. --adaptive N`, and run that";
        return Err(request(why.to_owned()));
    }
    let model = read(how.path, how.define)?;
    let system = &model.system;
    let stored = chains_of(chains)?;
    let (mut planning, mut judging) = (Solver::start(how.test.smt)?, Solver::start(how.test.smt)?);
    let mut random = options.random();
    let mut runs = Vec::new();
    for (index, chain) in stored.chains.iter().enumerate() {
        let planner = Planner::new((how.path, how.define), system, (index, chain));
        let mut tree = planner.first(&how.test, &mut planning)?;
        let first = file_of(&tree)?;
        let mut left = how.adaptive;
        let mut grown = |taken: &[String]| -> Result<Option<TestFile>, Error> {
            let Some(less) = left.checked_sub(1) else { return Ok(None) };
            left = less;
            let taken = edges_named(system, taken.iter().map(String::as_str)).map_err(request)?;
            // The run is in the part that was hung in last.
            let part = tree.parts.len() - 1;
            let has_grown = tree.grow_part(part, &mut planning, &mut |path| match path == taken {
                true => planner.continuation(path),
                false => Ok(Continuation::Nothing),
            })?;
            has_grown.then(|| file_of(&tree)).transpose()
        };
        runs.push(against(options, how.test.smt, &mut |sut, _| {
            ::timed::run::run_on(first.clone(), sut, &mut judging, random.source(), &mut grown)
        })?);
    }
    Ok(runs)
}

/// A test case as those who run it read it.
fn file_of(tree: &Tree<'_>) -> Result<TestFile, Error> {
    Ok(TestFile::read(&write::json(tree).to_string())?)
}

/// Random choices, where stimuli are chosen at random.
struct Random(Option<Box<dyn FnMut(u64) -> u64>>);

impl Random {
    fn source(&mut self) -> Option<Source<'_>> {
        self.0.as_mut().map(|source| &mut **source as Source<'_>)
    }
}

impl RunOptions {
    fn random(&self) -> Random {
        let mut random = StdRng::seed_from_u64(self.seed);
        let source = move |below: u64| random.random_range(0..below.max(1));
        Random(self.is_random.then(|| Box::new(source) as Box<_>))
    }
}

/// What a run against a system gives.
type Ran = Result<(Report, Vec<Observed>), Error>;

/// Connects a system, with what its stamps may be wrong by in real time. `smt` is the SMT solver of
/// a specification that plays the system.
fn against(
    options: &RunOptions,
    smt: &str,
    work: &mut dyn FnMut(&mut dyn Events, Option<&harness::Time>) -> Ran,
) -> Ran {
    let path = Path::new(&options.sut);
    if let Some(RealTime { unit, slack }) = options.real {
        if is_timed(path) {
            let why = "a specification plays the system in simulated time: leave `--unit` away";
            return Err(request(why.to_owned()));
        }
        if unit.is_zero() {
            return Err(request("a unit of real time has to be longer than 0".to_owned()));
        }
        let slack = BigRational::new(slack.as_nanos().into(), unit.as_nanos().into());
        let mut live = Live::new(options.sut.clone(), options.answer, unit);
        return work(&mut live, harness::Time::new(slack).as_ref());
    }
    if is_timed(path) {
        let model = read(path, &[])?;
        return work(&mut Player::new(&model.system, options.seed, smt), None);
    }
    work(
        &mut Process::new(options.sut.clone(), options.answer)
            .until(Limit { deadline: options.deadline, ..Limit::default() }),
        None,
    )
}
