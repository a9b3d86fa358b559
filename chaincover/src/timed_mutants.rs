//! Mutants of timed systems: what becomes of each, a shortest trace that kills it, and which of
//! them the covering chains, or stored tests, kill.

mod stored;

use crate::error::{Error, ErrorKind};
use crate::read::read as read_model;
use crate::search::find_chains;
use crate::settings::Settings;
use crate::timed::replayed;
use ::timed::conformance::proof::prove;
use ::timed::conformance::replay::{By, confirm};
use ::timed::conformance::{Cache, Event, Found, Search, Witness};
use ::timed::lower::{TimedChain, Variant};
use ::timed::mutate::{Mutation, Operators, Source, read};
use ::timed::play::to_json;
use ::timed::read_over_ticks;
use ::timed::smt::{SmtError, Solver};
use ::timed::system::{Direction, System};
use engine::options::Options;
use engine::session::Silent;
use report::mutation::{self, MutationFile, TIOCO};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How mutants of a timed system are made and judged.
#[derive(Clone, Debug)]
pub struct TimedMutateOptions {
    /// Which mutants are made.
    pub operators: Operators,
    /// Values of constants, `NAME=VALUE`.
    pub constants: Vec<String>,
    /// Only mutants in these lines of a file, by its path; none: all.
    pub lines: Option<Vec<(PathBuf, u32)>>,
    /// So many mutants at most, spread evenly over the text.
    pub sample: Option<usize>,
    /// Observations of a trace at most.
    pub depth: usize,
    /// The program that answers questions of linear arithmetic.
    pub smt: String,
    /// Chains (`chain.json`) and recorded runs (JSON lines) that are judged; where there are some,
    /// neither traces that kill nor covering chains are searched for.
    pub score: Vec<PathBuf>,
    /// How covering chains are searched for, and until when everything is done.
    pub search: Options,
}

impl Default for TimedMutateOptions {
    fn default() -> Self {
        Self {
            operators: Operators::default(),
            constants: Vec::new(),
            lines: None,
            sample: None,
            depth: 8,
            smt: crate::timed::SMT.to_owned(),
            score: Vec::new(),
            search: Options::default(),
        }
    }
}

/// How long mutants are judged where nobody says it.
const USUAL: Duration = Duration::from_secs(60);
/// How long the solver tries one question in one way, in milliseconds.
const PATIENCE: u32 = 1_000;
/// Paths of a mutant that are gone on with at most.
const MOST_PATHS: usize = 500;

/// The mutants of a timed system (`*.tio`): verdicts by timed input-output conformance, a shortest
/// trace for each that is killed, and which of them the covering chains kill.
///
/// Each trace has been run again, by the interpreter or, where data have too many values, by the
/// solver with the numbers of the trace put in.
///
/// # Errors
/// [`ErrorKind::Source`]: the file is no timed system. [`ErrorKind::Request`]: the SMT solver
/// cannot be started, or a stored test is none of the system. [`ErrorKind::SelfCheck`]: a trace is
/// not what it was found as.
pub fn mutate_timed(path: &Path, options: &TimedMutateOptions) -> Result<MutationFile, Error> {
    let deadline = options.search.deadline.or_else(|| Instant::now().checked_add(USUAL));
    let (source, made) = made(path, options)?;
    let file = listed(&source, &made, options);
    let mut judging = Judging { source: &source, made: &made, options, deadline, solver: None, file };
    judging.solver()?;
    if options.score.is_empty() {
        judging.proofs()?;
        judging.searches()?;
        judging.covering(path)?;
    } else {
        let tests = stored::traces(&options.score, &source.system, judging.solver()?)?;
        judging.tests(&tests)?;
    }
    judging.close();
    Ok(judging.file)
}

/// The mutants of a timed system without any verdict.
///
/// # Errors
/// As for [`mutate_timed`].
pub fn list_timed_mutants(path: &Path, options: &TimedMutateOptions) -> Result<MutationFile, Error> {
    let (source, made) = made(path, options)?;
    Ok(listed(&source, &made, options))
}

/// A mutant; where the changed text is no system, why.
struct Made {
    mutation: Mutation,
    system: Result<System, String>,
}

fn made(path: &Path, options: &TimedMutateOptions) -> Result<(Source, Vec<Made>), Error> {
    let source = read(path, &options.constants)?;
    let mut mutations = source.mutations(&options.operators);
    if let Some(lines) = &options.lines {
        mutations.retain(|mutation| {
            let (path, line) = source.sources.written(mutation.extent.span);
            let is_same = |named: &Path| path.ends_with(named) || named.ends_with(path);
            lines.iter().any(|(changed, number)| *number == line && is_same(changed))
        });
    }
    let count = mutations.len();
    if let Some(sample) = options.sample.filter(|&sample| sample < count) {
        let mut number = 0;
        mutations.retain(|_| {
            number += 1;
            number * sample / count > (number - 1) * sample / count
        });
    }
    let made = mutations.into_iter().map(|mutation| Made { system: source.mutant(&mutation), mutation });
    let made = made.collect();
    Ok((source, made))
}

fn listed(source: &Source, made: &[Made], options: &TimedMutateOptions) -> MutationFile {
    let described = |(number, made): (usize, &Made)| {
        let change = &made.mutation;
        let (path, line) = source.sources.written(change.extent.span);
        let why = made.system.as_ref().err();
        mutation::Mutant {
            id: format!("m{}", number + 1),
            operator: change.operator.name().to_owned(),
            file: path.display().to_string(),
            line,
            column: change.extent.span.column,
            old: change.old.clone(),
            new: change.new.clone(),
            verdict: if why.is_some() { "unviable" } else { "" }.to_owned(),
            by: why.cloned().unwrap_or_default(),
            ..mutation::Mutant::default()
        }
    };
    MutationFile {
        schema: mutation::SCHEMA.to_owned(),
        system: source.system.name.clone(),
        kill: TIOCO.to_owned(),
        operators: options.operators.0.iter().map(ToString::to_string).collect(),
        mutants: made.iter().enumerate().map(described).collect(),
        ..MutationFile::default()
    }
}

/// The time is up, or somebody ended the call: what is open stays open.
struct Over;

struct Judging<'a> {
    source: &'a Source,
    made: &'a [Made],
    options: &'a TimedMutateOptions,
    deadline: Option<Instant>,
    solver: Option<Solver>,
    file: MutationFile,
}

impl Judging<'_> {
    /// The solver; a new one where the last one had to be given up.
    fn solver(&mut self) -> Result<&mut Solver, SmtError> {
        let started = match self.solver.take() {
            Some(solver) => solver,
            None => Solver::start(&self.options.smt)?,
        };
        let solver = self.solver.insert(started);
        solver.limit(self.deadline, PATIENCE);
        Ok(solver)
    }
    /// What an answer means for one mutant; none: it stays open.
    fn answered<T>(&mut self, answer: Result<T, SmtError>) -> Result<Result<Option<T>, Over>, Error> {
        match answer {
            Ok(answer) => Ok(Ok(Some(answer))),
            Err(error) => {
                // Scopes are open that nobody closes.
                self.solver = None;
                match error {
                    SmtError::TimeUp => Ok(Err(Over)),
                    SmtError::GaveUp(_) | SmtError::Silent => Ok(Ok(None)),
                    other => Err(other.into()),
                }
            }
        }
    }
    fn is_over(&self, until: Option<Instant>) -> bool {
        self.options.search.interruption().is_some() || until.is_some_and(|until| Instant::now() >= until)
    }
    fn open(&self) -> Vec<usize> {
        (0..self.made.len()).filter(|&index| self.file.mutants[index].verdict.is_empty()).collect()
    }

    /// Finds mutants that conform at any depth.
    fn proofs(&mut self) -> Result<(), Error> {
        let (source, made) = (self.source, self.made);
        for index in self.open() {
            let Ok(system) = &made[index].system else { continue };
            if self.is_over(self.deadline) {
                return Ok(());
            }
            let edge = made[index].mutation.edge;
            let proof = prove(&source.system, system, edge, self.solver()?);
            let Ok(proof) = self.answered(proof)? else { return Ok(()) };
            if let Some(proof) = proof.flatten() {
                let verdict = if proof.is_equivalence() { "equivalent" } else { "conforms" };
                let mutant = &mut self.file.mutants[index];
                (mutant.verdict, mutant.by) = (verdict.to_owned(), proof.text().to_owned());
            }
        }
        Ok(())
    }

    /// Searches for traces that kill, of all mutants up to one length before the next.
    fn searches(&mut self) -> Result<(), Error> {
        let (source, made) = (self.source, self.made);
        let original = &source.system;
        // The last part of the time is for the covering chains.
        let until = self.deadline.map(|deadline| {
            let left = deadline.saturating_duration_since(Instant::now());
            deadline - left / 4
        });
        let of = |index: usize| {
            let system = made[index].system.as_ref().ok()?;
            Some((index, system, Search::new(original, system, made[index].mutation.edge)))
        };
        let mut open: Vec<_> = self.open().into_iter().filter_map(of).collect();
        let mut cache = Cache::default();
        for _ in 0..self.options.depth {
            let mut next = Vec::new();
            // Where few paths are left, much is decided in little time.
            open.sort_by_key(|(_, _, search)| search.paths());
            for (index, system, mut search) in std::mem::take(&mut open) {
                if self.is_over(until) {
                    return Ok(());
                }
                let solver = self.solver()?;
                solver.limit(until, PATIENCE);
                let found = search.deepen(solver, &mut cache);
                let Ok(found) = self.answered(found)? else { return Ok(()) };
                let mutant = &mut self.file.mutants[index];
                if found.is_some() && search.is_exact() {
                    mutant.depth = Some(search.depth());
                }
                match found {
                    Some(Found::Witness(witness)) => self.killed(index, system, &witness)?,
                    Some(Found::Exhausted) => {
                        let count = search.depth();
                        mutant.verdict = "conforms".to_owned();
                        mutant.depth = None;
                        let plural = if count == 1 { "" } else { "s" };
                        mutant.by = format!(
                            "all shared traces that reach the change are tried: they have at most {count} observation{plural}"
                        );
                    }
                    Some(Found::Nothing) if search.paths() <= MOST_PATHS => {
                        next.push((index, system, search));
                    }
                    Some(Found::Nothing) | None => {}
                }
            }
            open = next;
        }
        Ok(())
    }
    /// Notes a kill that has been run again.
    fn killed(&mut self, index: usize, system: &System, witness: &Witness) -> Result<(), Error> {
        let source = self.source;
        let confirmed = confirm(&source.system, system, witness, self.solver()?);
        let Ok(Some(confirmed)) = self.answered(confirmed)? else { return Ok(()) };
        let id = self.file.mutants[index].id.clone();
        let Some(by) = confirmed else {
            let trace: String = steps(&source.system, witness).iter().map(ToString::to_string).collect();
            let message = format!("{trace}, which should kill {id}, does not when it is run again");
            return Err(Error::new(ErrorKind::SelfCheck, message));
        };
        let mutant = &mut self.file.mutants[index];
        mutant.verdict = "killed".to_owned();
        mutant.depth = None;
        mutant.witness = steps(&source.system, witness);
        mutant.alone = u32::try_from(mutant.witness.len()).ok();
        mutant.by = match by {
            By::Interpreter => "run again by the interpreter".to_owned(),
            By::Solver => "run again by the solver with these numbers: data have many values".to_owned(),
        };
        Ok(())
    }

    /// Which mutants the covering chains kill, which are searched for.
    fn covering(&mut self, path: &Path) -> Result<(), Error> {
        if self.is_over(self.deadline) {
            self.file.notes.push("the time was up before covering chains were searched for".to_owned());
            return Ok(());
        }
        let chains = match covering(path, self.options, self.deadline) {
            Ok(chains) => chains,
            Err(error) if error.kind == ErrorKind::SelfCheck => return Err(error),
            Err(error) => {
                self.file.notes.push(format!("there are no covering chains: {}", error.brief()));
                return Ok(());
            }
        };
        self.tests(&chains)
    }
    /// Which mutants some tests kill.
    fn tests(&mut self, tests: &[Vec<Event>]) -> Result<(), Error> {
        let (source, made) = (self.source, self.made);
        let system = &source.system;
        let are_stored = !self.options.score.is_empty();
        let mut is_complete = true;
        for (number, chain) in tests.iter().enumerate() {
            self.file.length += chain.len() as u64;
            let steps = chain.iter().map(|event| step(system, event)).collect();
            self.file.chains.push(mutation::Chain { steps });
            let mut cache = Cache::default();
            for (index, made) in made.iter().enumerate() {
                let mutant = &self.file.mutants[index];
                let Ok(mutated) = &made.system else { continue };
                let may_die = if are_stored { mutant.verdict.is_empty() } else { mutant.verdict == "killed" };
                if !may_die || mutant.chain.is_some() || !is_complete {
                    continue;
                }
                let search = Search::new(system, mutated, made.mutation.edge).along(chain);
                match self.kill_of(search, chain.len(), made, &mut cache)? {
                    Ok(Some(at)) => {
                        let mutant = &mut self.file.mutants[index];
                        (mutant.chain, mutant.step) = (Some(number), Some(at));
                        if are_stored {
                            (mutant.verdict, mutant.by) = ("killed".to_owned(), "a stored test".to_owned());
                        }
                        let id = mutant.id.clone();
                        self.file.chains[number].steps[at].reveals.push(id);
                    }
                    Ok(None) => {}
                    Err(Over) => is_complete = false,
                }
            }
        }
        if !is_complete {
            let note = "the time was up: the tests may kill more mutants than is said";
            self.file.notes.push(note.to_owned());
        } else if are_stored {
            for index in self.open() {
                let mutant = &mut self.file.mutants[index];
                (mutant.verdict, mutant.by) =
                    ("alive".to_owned(), "no stored test shows a difference".to_owned());
            }
        }
        Ok(())
    }
    /// The step of a chain in which a mutant is killed first.
    fn kill_of(
        &mut self,
        mut search: Search<'_>,
        length: usize,
        made: &Made,
        cache: &mut Cache,
    ) -> Result<Result<Option<usize>, Over>, Error> {
        let source = self.source;
        for at in 0..length {
            if self.is_over(self.deadline) {
                return Ok(Err(Over));
            }
            let found = search.deepen(self.solver()?, cache);
            let Ok(found) = self.answered(found)? else { return Ok(Err(Over)) };
            match found {
                Some(Found::Nothing) => {}
                Some(Found::Witness(witness)) => {
                    let Ok(mutated) = &made.system else { return Ok(Ok(None)) };
                    let confirmed = confirm(&source.system, mutated, &witness, self.solver()?);
                    return match self.answered(confirmed)? {
                        Ok(Some(Some(_))) => Ok(Ok(Some(at))),
                        Ok(Some(None)) => {
                            let message = "a chain does not kill a mutant when it is run again";
                            Err(Error::new(ErrorKind::SelfCheck, message))
                        }
                        Ok(None) => Ok(Ok(None)),
                        Err(Over) => Ok(Err(Over)),
                    };
                }
                Some(Found::Exhausted) | None => return Ok(Ok(None)),
            }
        }
        Ok(Ok(None))
    }

    /// What is open is undecided.
    fn close(&mut self) {
        for mutant in &mut self.file.mutants {
            if mutant.verdict.is_empty() {
                mutant.verdict = "undecided".to_owned();
                mutant.by = match mutant.depth {
                    Some(1) => "no trace of one observation kills it".to_owned(),
                    Some(depth) => format!("no trace of up to {depth} observations kills it"),
                    None => "the time was up, or the solver gave up".to_owned(),
                };
            }
        }
        self.file.single = self.file.mutants.iter().filter_map(|mutant| mutant.alone).map(u64::from).sum();
    }
}

/// The chains that cover the goals of a system, in exact time.
fn covering(
    path: &Path,
    options: &TimedMutateOptions,
    deadline: Option<Instant>,
) -> Result<Vec<Vec<Event>>, Error> {
    let settings = Settings { define: options.constants.clone(), ..Settings::default() };
    let model = read_model([path], &settings)?;
    let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let until = deadline.zip(left).map(|(deadline, left)| deadline - left / 2);
    let search = Options { deadline: until, smoothing: None, ..options.search.clone() };
    let outcome = find_chains(&model, &search, &Silent)?;
    let (lowered, system, ..) = read_over_ticks(path, &options.constants, Variant::default())?;
    let mut found = Vec::new();
    for chain in &outcome.chains {
        found.extend(replayed(&lowered, &system, &chain.trace)?.iter().map(|chain| events(chain, &system)));
    }
    Ok(found)
}

fn events(chain: &TimedChain, system: &System) -> Vec<Event> {
    let messages = chain.replay(system).unwrap_or_default();
    let event = |(event, values): (&::timed::lower::Event, Vec<::timed::Value>)| Event {
        channel: system.edges[event.edge].channel,
        delay: event.delay.clone(),
        values,
    };
    chain.events.iter().zip(messages).map(event).collect()
}

/// A witness as steps of a test.
fn steps(system: &System, witness: &Witness) -> Vec<mutation::Step> {
    let events = witness.events.iter().map(|event| step(system, event));
    let silence = witness.silence.iter().map(|silence| mutation::Step {
        after: Some(harness::Time::new(silence.clone()).unwrap_or_default().to_string()),
        quiet: true,
        ..mutation::Step::default()
    });
    events.chain(silence).collect()
}

fn step(system: &System, event: &Event) -> mutation::Step {
    let channel = &system.channels[event.channel];
    let is_output = channel.direction == Direction::Output;
    let name = |is_it: bool| is_it.then(|| channel.name.clone());
    mutation::Step {
        input: name(!is_output),
        output: name(is_output),
        args: event.values.iter().zip(&channel.args).map(|(value, ty)| to_json(value, ty.as_ref())).collect(),
        after: Some(harness::Time::new(event.delay.clone()).unwrap_or_default().to_string()),
        ..mutation::Step::default()
    }
}
