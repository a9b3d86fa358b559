//! From mutants to verdicts and chains.

mod infection;

use super::reading::{Reading, TOO_LONG};
use super::{Change, CodeMutateOptions, Outputs, exploring, score};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::search::check_trace;
use crate::threads::each;
use crate::versions::{Refused, Run, Shown, Version, execution_by, goes_on};
use ::actions::analysis::Kill;
use ::replay::check::NativeCheck;
use engine::error::EngineError;
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::options::{EngineId, Options, part_of_time};
use engine::outcome::Outcome;
use engine::session::Silent;
use frontend::limit::Limit;
use model::product::{Difference, Join};
use model::simulate::Simulator;
use model::system::HazardEffect;
use model::trace::{Trace, TraceError, replay};
use model::validate::{Validated, validate};
use model::value::Value;
use report::mutation::{self, MutationFile};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long all takes at most where no time limit is given.
pub(super) const LONGEST: Duration = Duration::from_secs(60);

/// Part of the time that is left which one query may take.
const SHARE: u32 = 4;

/// What a verdict rests on where no time was left to run the compiled mutant.
const LATE: &str = "chain, by the evaluator alone: the time was up";

/// Why a mutant is undecided that nothing was done about.
const TIME_UP: &str = "the time was up";

/// Mutants that a chain is asked for at first, and by which the question grows at least.
const FIRST: usize = 8;

/// Mutants that known executions leave open, from which on chains that cover the code are looked
/// for.
const MANY_OPEN: usize = 16;

/// Part of the time that is left which these chains may take.
const EXPLORES: u32 = 3;

/// Part of the time that is left in which mutants are read again that took too long.
const READS_AGAIN: u32 = 12;

/// Rounds of executions that leave known ones, of which none kills a mutant, before it is given up.
const IN_VAIN: u32 = 4;

/// Part of the time after which nothing is searched for any more: so many of so many.
const SEARCHES: (u32, u32) = (11, 12);

/// The part of what a question about a mutant may take in which it begins with infections.
const FROM: u32 = 3;

/// Rounds of random executions beyond the first one.
const ROUNDS: u64 = 16;

/// Part of the time that is left which these rounds may take.
const SIMULATES: u32 = 6;

/// The part of the time that is left which each of so many questions may take where so many are
/// asked at once; what one of them leaves is for the others.
pub(super) fn fair_share(waiting: usize, jobs: usize) -> u32 {
    u32::try_from(waiting.div_ceil(jobs.max(1))).unwrap_or(u32::MAX).max(1)
}

/// What is done about a version, which has this number.
type Work<'a> = dyn Fn((usize, &Version)) -> Result<Found, Error> + Sync + 'a;

/// Executions that are known, by the search so far.
type Known = Mutex<Vec<Arc<Run>>>;

/// What a question about one mutant may cost: one of so many parts of the time until then, and who
/// works.
type Effort = (Option<Instant>, u32, Engines);

/// Who works on a question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Engines {
    All,
    /// Who proves soon that there is no difference, if anybody can.
    OfExclusion,
}

/// What became of a mutant.
enum Found {
    /// An execution of the original kills it; whether it is proven that none is shorter.
    Killed(Trace, bool),
    /// The verdict, and what it rests on.
    Other(&'static str, String),
    /// Nothing in the time that was given, with the reason.
    Open(String),
}

/// Judges all mutants.
pub(super) fn judge(
    (original, outputs): (&Model, &Outputs),
    changes: &[Change],
    file: MutationFile,
    options: &CodeMutateOptions,
) -> Result<MutationFile, Error> {
    let replays = Limit {
        deadline: options.search.deadline,
        stop: Some(options.search.stop.clone()),
        memory: Some(options.search.memory.clone()),
    };
    let mut options = options.clone();
    if options.search.deadline.is_none() && options.score.is_empty() {
        options.search.deadline = Instant::now().checked_add(LONGEST);
    }
    let stored = score::stored(original, &options)?;
    let begin = Instant::now();
    if options.score.is_empty() {
        // Thousands of killed mutants are run along their chains when the search has ended.
        options.search.deadline = part_of_time(options.search.deadline, SEARCHES.0, SEARCHES.1);
    }
    // What takes long to be read leaves time to judge a part of it.
    let end = options.search.deadline.map(|end| begin + end.saturating_duration_since(begin) * 2 / 3);
    let reading = Reading::new((original, outputs), &options);
    let read = |number: usize| match end {
        Some(end) if Instant::now() >= end => Err(Refused { verdict: "undecided", why: TIME_UP.to_owned() }),
        _ => reading.mutant(&changes[number], &|| reading.patient_until()),
    };
    let mut versions = each(changes.len(), options.search.jobs, &read);
    read_again(&mut versions, (&reading, changes), &options);
    let (join, chains, deaths) = (join(original), Vec::new(), BTreeMap::new());
    let options = &options;
    let records = versions.iter().map(|_| Record::default()).collect();
    let simulator = Simulator::new(&original.system);
    let mut judging = Judging {
        original,
        outputs,
        options,
        replays,
        simulator,
        versions,
        file,
        join,
        chains,
        deaths,
        records,
    };
    judging.refused();
    judging.check_start()?;
    match stored {
        Some(stored) => {
            judging.chains = stored.into_iter().map(Arc::new).collect();
            judging.score()?;
        }
        None => judging.search()?,
    }
    judging.write_chains();
    Ok(judging.file)
}

/// Reads again what took too long, in a part of the time that is left.
fn read_again(
    versions: &mut [Result<Version, Refused>],
    (reading, changes): (&Reading<'_>, &[Change]),
    options: &CodeMutateOptions,
) {
    let is_slow =
        |version: &Result<Version, Refused>| version.as_ref().is_err_and(|refused| refused.why == TOO_LONG);
    let slow: Vec<usize> = (0..versions.len()).filter(|&number| is_slow(&versions[number])).collect();
    let Options { deadline, jobs, .. } = options.search;
    let (end, waiting) = (part_of_time(deadline, 1, READS_AGAIN), AtomicUsize::new(slow.len()));
    let again = each(slow.len(), jobs, &|at| {
        let share = fair_share(waiting.fetch_sub(1, Ordering::Relaxed), jobs);
        let until = part_of_time(end, 1, share);
        reading.mutant(&changes[slow[at]], &|| until)
    });
    slow.into_iter().zip(again).for_each(|(number, again)| versions[number] = again);
}

pub(super) fn join(original: &Model) -> Join {
    Join::new(&original.system, &goes_on(original))
}

/// The numbers of what was found that is of a kind.
fn numbers_of(found: &[Option<Result<Found, Error>>], is_one: impl Fn(&Found) -> bool) -> Vec<usize> {
    let is_one = |number: &usize| matches!(&found[*number], Some(Ok(found)) if is_one(found));
    (0..found.len()).filter(is_one).collect()
}

/// Puts what was found at these places; whether a mutant is killed by it.
fn replace(
    found: &mut [Option<Result<Found, Error>>],
    places: Vec<usize>,
    again: Vec<Option<Result<Found, Error>>>,
) -> bool {
    let mut kills = false;
    for (number, again) in places.into_iter().zip(again) {
        kills |= matches!(again, Some(Ok(Found::Killed(..))));
        found[number] = again;
    }
    kills
}

struct Judging<'a> {
    original: &'a Model,
    outputs: &'a Outputs,
    options: &'a CodeMutateOptions,
    /// How long compiled mutants may run; the limit of the user, where there is one.
    replays: Limit,
    /// What runs the original, compiled once.
    simulator: Simulator,
    versions: Vec<Result<Version, Refused>>,
    file: MutationFile,
    join: Join,
    chains: Vec<Arc<Run>>,
    /// For mutants that are known to be killed by the chains: the first of them and the step.
    deaths: BTreeMap<usize, (usize, usize)>,
    records: Vec<Record>,
}

/// What is known of a mutant on the way to its verdict.
#[derive(Default)]
struct Record {
    /// Along how many of the executions that are known it was seen.
    seen: AtomicUsize,
    /// The first of them that ends where it loses its meaning.
    leaves: OnceLock<Trace>,
    /// Why no execution kills it, where that is proven.
    excluded: OnceLock<String>,
}

impl Judging<'_> {
    fn decide(&mut self, number: usize, verdict: &str, by: impl Into<String>) {
        let mutant = &mut self.file.mutants[number];
        (mutant.verdict, mutant.by) = (verdict.to_owned(), by.into());
    }

    /// Mutants that are no programs, or none that can be compared.
    fn refused(&mut self) {
        for number in 0..self.versions.len() {
            if let Err(Refused { verdict, why }) = &self.versions[number] {
                let (verdict, why) = (*verdict, why.clone());
                self.decide(number, verdict, why);
            }
        }
    }

    fn check_start(&mut self) -> Result<(), Error> {
        if let Some(start) = self.original.translated.open_start() {
            let message = format!(
                "initialisation runs into {start}: C leaves open what the code does, so that nothing tells a mutant from it"
            );
            return Err(Error::new(ErrorKind::Source, message));
        }
        Ok(())
    }

    fn version(&self, number: usize) -> Option<&Version> {
        self.versions[number].as_ref().ok()
    }

    // ---- search ----

    /// What the versions do along known executions is cheap to see. A query decides what that
    /// leaves open, and finds shorter executions while there is time.
    fn search(&mut self) -> Result<(), Error> {
        let known: Known = Mutex::new(exploring::random(self.original, self.options.search.seed));
        let jobs = self.options.search.jobs;
        let numbers: Vec<usize> = (0..self.versions.len()).collect();
        let mut found = self.each(&numbers, &|version| Ok(self.without_search(version, &known)));
        self.simulate(&mut found, &known);
        let mut runs = Vec::new();
        if numbers_of(&found, |found| matches!(found, Found::Open(_))).len() > MANY_OPEN {
            let options = self.alone((self.options.search.deadline, EXPLORES, Engines::All));
            let options = Options { jobs, ..options };
            runs = exploring::along_code(self.original, options);
            known.lock().unwrap_or_else(PoisonError::into_inner).extend(runs.iter().cloned());
            self.look(&mut found, &known);
            self.branch(&mut found, &runs);
        }
        if self.options.kill == Kill::Output {
            runs.extend(self.infect(&mut found, &known)?);
            self.look(&mut found, &known);
            self.propagate(&mut found, &runs);
        }
        let part = |of: u32| part_of_time(self.options.search.deadline, 1, of);
        let most = part_of_time(self.options.search.deadline, 2, 3);
        // First no more is tried than to prove that mutants cannot be told from the original: where
        // that succeeds it does so soon, and no search for an execution would end. What a short
        // search leaves open gets a longer one.
        let efforts = [
            (most, None, Engines::OfExclusion),
            (most, None, Engines::All),
            (most, Some(SHARE), Engines::All),
        ];
        for (end, share, engines) in efforts {
            let open = numbers_of(&found, |found| matches!(found, Found::Open(_)));
            let waiting = AtomicUsize::new(open.len());
            let again = self.each(&open, &|(number, version)| {
                let fair = fair_share(waiting.fetch_sub(1, Ordering::Relaxed), jobs);
                match self.killed_by((number, version), &known) {
                    Some(trace) => Ok(Found::Killed(trace, false)),
                    None if engines == Engines::All && self.records[number].excluded.get().is_none() => {
                        let share = share.unwrap_or(fair);
                        match self.search_infections(version, &runs, (end, share.saturating_mul(FROM)))? {
                            Some(trace) => Ok(Found::Killed(trace, false)),
                            None => self.ask((number, version), &known, (end, share, engines)),
                        }
                    }
                    None => self.ask((number, version), &known, (end, share.unwrap_or(fair), engines)),
                }
            });
            replace(&mut found, open, again);
        }
        // Chains through all of them deserve more time than the shortest one for each.
        let later = part(3);
        let long = numbers_of(&found, |found| matches!(found, Found::Killed(_, false)));
        let waiting = AtomicUsize::new(long.len());
        let shorter = self.each(&long, &|version| {
            let fair = fair_share(waiting.fetch_sub(1, Ordering::Relaxed), jobs);
            match later {
                Some(end) if Instant::now() >= end => Ok(Found::Open(TIME_UP.to_owned())),
                _ => self.ask(version, &known, (later, fair, Engines::All)),
            }
        });
        for (number, shorter) in long.into_iter().zip(shorter) {
            match shorter {
                Some(Ok(Found::Other(verdict, by))) if verdict != "undecided" => {
                    let id = &self.file.mutants[number].id;
                    let message = format!("mutant {id}: an execution kills it, and it is said of it: {by}");
                    return Err(Error::new(ErrorKind::SelfCheck, message));
                }
                Some(Ok(Found::Killed(..)) | Err(_)) => found[number] = shorter,
                _ => {}
            }
        }
        let mut killed: Vec<(usize, Trace)> = Vec::new();
        for (number, found) in found.into_iter().enumerate() {
            match found {
                None => {}
                Some(Err(error)) => return Err(error),
                Some(Ok(Found::Other(verdict, by))) => self.decide(number, verdict, by),
                Some(Ok(Found::Open(why))) => self.decide(number, "undecided", why),
                Some(Ok(Found::Killed(trace, is_shortest))) => {
                    let steps = trace.inputs.len();
                    self.file.single += steps as u64;
                    self.file.mutants[number].alone = u32::try_from(steps).ok().filter(|_| is_shortest);
                    killed.push((number, trace));
                }
            }
        }
        let runs = each(killed.len(), jobs, &|at| self.execution(killed[at].1.clone()).map(Arc::new));
        let with_run =
            |((number, _), run): ((usize, Trace), Result<Arc<Run>, Error>)| Ok::<_, Error>((number, run?));
        let killable = killed.into_iter().zip(runs).map(with_run).collect::<Result<Vec<_>, Error>>()?;
        self.cover(killable)?;
        self.kills(true)
    }

    /// Looks at what is left open along more random executions, while these kill some and a part of
    /// the time lasts: a query about one mutant takes as long as thousands of steps of all.
    fn simulate(&self, found: &mut [Option<Result<Found, Error>>], known: &Known) {
        let Options { seed, deadline, .. } = self.options.search;
        let end = part_of_time(deadline, 1, SIMULATES);
        for round in 1..=ROUNDS {
            let open = numbers_of(found, |found| matches!(found, Found::Open(_)));
            if open.is_empty() || end.is_some_and(|end| Instant::now() >= end) {
                return;
            }
            let runs = exploring::random(self.original, seed.wrapping_add(round));
            known.lock().unwrap_or_else(PoisonError::into_inner).extend(runs);
            if !self.look(found, known) {
                return;
            }
        }
    }

    /// Looks at what is left open along executions that leave some known ones and go on at random,
    /// while these kill some now and then and a part of the time lasts: chains that cover the code
    /// are as short as possible, and nothing unusual happens along them.
    fn branch(&self, found: &mut [Option<Result<Found, Error>>], runs: &[Arc<Run>]) {
        let Options { seed, deadline, .. } = self.options.search;
        let end = part_of_time(deadline, 1, SIMULATES);
        let mut in_vain = 0;
        for round in 1.. {
            let open = numbers_of(found, |found| matches!(found, Found::Open(_)));
            let is_over =
                end.is_some_and(|end| Instant::now() >= end) || self.options.search.interruption().is_some();
            if open.is_empty() || in_vain == IN_VAIN || is_over {
                return;
            }
            let runs = exploring::branches(self.original, runs, seed.wrapping_add(round));
            let kills = self.look_by(found, open, &|version| self.killed_along(version, &runs));
            in_vain = if kills { 0 } else { in_vain + 1 };
        }
    }

    /// Looks at what is left open along executions that it was not seen along yet. Whether these
    /// kill some.
    fn look(&self, found: &mut [Option<Result<Found, Error>>], known: &Known) -> bool {
        let open = numbers_of(found, |found| matches!(found, Found::Open(_)));
        self.look_by(found, open, &|version| self.killed_by(version, known))
    }

    /// Looks at mutants that are open for an execution that kills them. Whether there is one.
    fn look_by(
        &self,
        found: &mut [Option<Result<Found, Error>>],
        open: Vec<usize>,
        killer: &(dyn Fn((usize, &Version)) -> Option<Trace> + Sync),
    ) -> bool {
        let again = self.each(&open, &|version| {
            let open = || Found::Open(TIME_UP.to_owned());
            Ok(killer(version).map_or_else(open, |trace| Found::Killed(trace, false)))
        });
        replace(found, open, again)
    }

    /// What is said of each of some versions; `None` of what is no version.
    fn each(&self, numbers: &[usize], work: &Work<'_>) -> Vec<Option<Result<Found, Error>>> {
        each(numbers.len(), self.options.search.jobs, &|at| {
            self.version(numbers[at]).map(|version| work((numbers[at], version)))
        })
    }

    /// What needs no query: a known execution that kills, which most mutants have, and equal terms.
    /// What cannot be asked about can still be seen.
    fn without_search(&self, (number, version): (usize, &Version), known: &Known) -> Found {
        if let Some(trace) = self.killed_by((number, version), known) {
            return Found::Killed(trace, false);
        }
        if self.is_over() {
            return Found::Open(TIME_UP.to_owned());
        }
        let mut join = self.join.clone();
        match version.join(&mut join) {
            Err(why) => Found::Other("undecided", why.to_string()),
            Ok(difference) => match by_terms((self.original, self.outputs), version, (&join, &difference)) {
                Some((verdict, by)) => Found::Other(verdict, by.to_owned()),
                None => Found::Open(TIME_UP.to_owned()),
            },
        }
    }

    /// Runs inputs on the original.
    fn execution(&self, trace: Trace) -> Result<Run, Error> {
        execution_by(&mut self.simulator.clone(), self.original, trace)
    }

    /// The verdict on one mutant.
    fn ask(
        &self,
        (number, version): (usize, &Version),
        known: &Known,
        effort: Effort,
    ) -> Result<Found, Error> {
        let mut join = self.join.clone();
        let difference = match version.join(&mut join) {
            Ok(difference) => difference,
            Err(why) => return Ok(Found::Other("undecided", why.to_string())),
        };
        let Record { leaves, excluded, .. } = &self.records[number];
        let killed = match excluded.get() {
            Some(proof) => Reached::No(proof.clone()),
            None => reached(&join, (difference.kills, &self.shows_a_difference()), &self.alone(effort))?,
        };
        let why_not = match killed {
            Reached::NothingDefined => return Err(nothing_defined()),
            Reached::Yes(trace, is_shortest) => {
                let run = self.execution(trace.clone())?;
                if !matches!(version.shows(&run.trace, &run.run), Shown::Differs(_)) {
                    let message = "the evaluator does not see the difference that the search found";
                    return Err(Error::new(ErrorKind::SelfCheck, message));
                }
                known.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(run));
                return Ok(Found::Killed(trace, is_shortest));
            }
            Reached::No(proof) => excluded.get_or_init(|| proof),
            Reached::Unknown(why) => return Ok(Found::Open(why)),
        };
        let left = match leaves.get() {
            Some(trace) => Reached::Yes(trace.clone(), false),
            None => reached(&join, (difference.leaves, "leaves the original"), &self.alone(effort))?,
        };
        Ok(match left {
            Reached::No(_) | Reached::NothingDefined => Found::Other("conforms", why_not.clone()),
            Reached::Yes(trace, _) => {
                let (verdict, by) = loss(version, &self.execution(trace)?, self.options.kill);
                Found::Other(verdict, by)
            }
            Reached::Unknown(_) => {
                let soon = if self.options.within.is_some() { " soon enough" } else { "" };
                Found::Open(format!(
                    "nothing differs{soon} while C says what it does; whether it comes to where C does not is open"
                ))
            }
        })
    }

    /// What an execution does that kills.
    fn shows_a_difference(&self) -> String {
        let soon = self.options.within.map(|most| {
            let steps = mutation::count_of_steps(most);
            format!(" at most {steps} after the first one in memory or outputs")
        });
        format!("{SHOWS_A_DIFFERENCE}{}", soon.unwrap_or_default())
    }

    /// An execution that is known and kills a mutant, among those that it was not seen along yet.
    fn killed_by(&self, (number, version): (usize, &Version), known: &Known) -> Option<Trace> {
        // Others go on while these are run.
        let known = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let seen = self.records[number].seen.swap(known.len(), Ordering::Relaxed);
        self.killed_along((number, version), &known[seen..])
    }

    /// An execution among some that kills a mutant.
    fn killed_along(&self, (number, version): (usize, &Version), runs: &[Arc<Run>]) -> Option<Trace> {
        let in_time = || self.options.search.deadline.is_none_or(|end| Instant::now() < end);
        let mut runs = runs.iter().take_while(|_| in_time());
        let up_to = |run: &Run, step: usize| {
            let mut trace = run.trace.clone();
            trace.inputs.truncate(step + 1);
            trace
        };
        runs.find_map(|run| match version.shows(&run.trace, &run.run) {
            Shown::Differs(step) => Some(up_to(run, step)),
            Shown::Leaves(step) => {
                self.records[number].leaves.get_or_init(|| up_to(run, step));
                None
            }
            Shown::Nothing => None,
        })
    }

    /// The options of a question about one mutant.
    fn alone(&self, (end, share, engines): Effort) -> Options {
        let search = &self.options.search;
        let mut without = search.without.clone();
        if engines == Engines::OfExclusion {
            without.extend(EngineId::ALL.iter().filter(|&&engine| engine != EngineId::Exclusion));
        }
        Options { deadline: part_of_time(end, 1, share), jobs: 1, without, ..search.clone() }
    }

    /// Chains that kill all that can be killed. The engine is asked for chains through some mutants;
    /// those that survive them join the question, until none does. A bound for some mutants is one
    /// for all.
    fn cover(&mut self, mut killable: Vec<(usize, Arc<Run>)>) -> Result<(), Error> {
        killable.sort_by_key(|(number, run)| (std::cmp::Reverse(run.trace.inputs.len()), *number));
        let alone = killable.iter().filter_map(|(number, _)| self.file.mutants[*number].alone);
        self.file.lower_bound = u64::from(alone.max().unwrap_or(0));
        let mut asked: BTreeSet<usize> = BTreeSet::new();
        let mut open: Vec<usize> = killable.iter().map(|(number, _)| *number).collect();
        while !self.is_over() {
            let more = FIRST.max(asked.len());
            // Nothing can be asked about the others.
            let joins = |number: &usize| {
                self.version(*number).is_some_and(|version| version.join(&mut self.join.clone()).is_ok())
            };
            let next: Vec<usize> = open.iter().copied().filter(joins).take(more).collect();
            if next.is_empty() {
                break;
            }
            asked.extend(next);
            let Some(outcome) = self.chains_through(&asked)? else { break };
            self.file.lower_bound = self.file.lower_bound.max(outcome.lower_bound_of_any);
            self.chains.clear();
            for chain in &outcome.chains {
                let trace = self.join.of_original(chain.trace.clone());
                self.chains.push(Arc::new(self.execution(trace)?));
            }
            open = self.survivors(killable.iter().map(|(number, _)| *number));
            self.file.minimal = open.is_empty() && outcome.minimal == Minimality::Proven;
            if open.iter().any(|number| asked.contains(number)) {
                break;
            }
        }
        // Where the time was too short for that, each of the others gets a test of its own.
        for (number, run) in killable.into_iter().filter(|(number, _)| open.contains(number)) {
            // Most executions that kill are beginnings of longer ones that do.
            let last = run.trace.inputs.len().saturating_sub(1);
            let death = match (
                self.chains.iter().position(|chain| begins(&chain.trace, &run.trace)),
                self.version(number),
            ) {
                (Some(chain), _) => Some((chain, last)),
                (None, Some(version)) if !self.is_over() => self.first_death(version),
                _ => None,
            };
            let death = death.unwrap_or_else(|| {
                let shown = self.version(number).map(|version| version.shows(&run.trace, &run.run));
                let last = if let Some(Shown::Differs(step)) = shown { step } else { last };
                self.chains.push(run);
                (self.chains.len() - 1, last)
            });
            self.deaths.insert(number, death);
        }
        Ok(())
    }

    /// Whether the search has no time left.
    fn is_over(&self) -> bool {
        self.options.search.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// The first chain that kills a version, and the step.
    fn first_death(&self, version: &Version) -> Option<(usize, usize)> {
        self.chains.iter().enumerate().find_map(|(chain, run)| match version.shows(&run.trace, &run.run) {
            Shown::Differs(step) => Some((chain, step)),
            _ => None,
        })
    }

    /// Mutants that the chains do not kill, as far as there is time to see it.
    fn survivors(&mut self, numbers: impl Iterator<Item = usize>) -> Vec<usize> {
        let numbers: Vec<usize> = numbers.collect();
        let deaths = each(numbers.len(), self.options.search.jobs, &|at| {
            let version = self.version(numbers[at])?;
            if self.is_over() { None } else { self.first_death(version) }
        });
        self.deaths.clear();
        let mut open = Vec::new();
        for (number, death) in numbers.into_iter().zip(deaths) {
            match death {
                Some(death) => drop(self.deaths.insert(number, death)),
                None => open.push(number),
            }
        }
        open
    }

    /// Chains that kill some mutants, as few and as short as the engine finds.
    fn chains_through(&self, numbers: &BTreeSet<usize>) -> Result<Option<Outcome>, Error> {
        let deadline = self.options.search.deadline;
        if deadline.is_some_and(|end| Instant::now() >= end) {
            return Ok(None);
        }
        let mut join = self.join.clone();
        let mut known = BTreeSet::new();
        for &number in numbers {
            let Some(version) = self.version(number) else { continue };
            let added = version.join(&mut join);
            let Ok(Difference { kills, .. }) = added else { continue };
            if known.insert(kills) {
                join.add_goal(&format!("m{}", number + 1), kills);
            }
        }
        let deadline = part_of_time(deadline, 1, 2);
        match ask_engine(join, &Options { deadline, ..self.options.search.clone() })? {
            Answer::Outcome(outcome) => Ok(Some(*outcome)),
            Answer::TimeUp => Ok(None),
            Answer::NothingDefined => Err(nothing_defined()),
        }
    }

    // ---- what the chains kill ----

    /// Judges stored chains.
    fn score(&mut self) -> Result<(), Error> {
        for number in 0..self.versions.len() {
            if self.version(number).is_some() {
                self.decide(number, "alive", format!("no chain {}", self.shows_a_difference()));
            }
        }
        self.kills(false)
    }

    /// Runs every mutant along the chains, by the evaluator and compiled. `all`: each of those
    /// without a verdict should be killed.
    fn kills(&mut self, all: bool) -> Result<(), Error> {
        if !self.options.no_replay && !self.is_late() {
            for chain in &self.chains {
                let check = check_trace(self.original, (&chain.trace, &chain.run), &self.replays);
                if let NativeCheck::Disagrees { .. } = check {
                    return Err(Error::new(ErrorKind::SelfCheck, format!("the original: {check}")));
                }
            }
        }
        let judged = each(self.versions.len(), self.options.search.jobs, &|number| {
            let version = self.version(number)?;
            let is_open = self.file.mutants[number].verdict.is_empty() || !all;
            is_open.then(|| self.killed(version, self.deaths.get(&number).copied()))
        });
        for (number, judged) in judged.into_iter().enumerate() {
            let Some(judged) = judged else { continue };
            let id = self.file.mutants[number].id.clone();
            match judged.map_err(|why| Error::new(ErrorKind::SelfCheck, format!("mutant {id}: {why}")))? {
                Some(kill) => {
                    self.decide(number, "killed", kill.by);
                    let mutant = &mut self.file.mutants[number];
                    (mutant.chain, mutant.step) = (Some(kill.chain), Some(kill.step));
                    (mutant.surely, mutant.shows) = (true, Some(kill.shows));
                }
                None if all => {
                    let message = format!("mutant {id}: the chains do not kill it");
                    return Err(Error::new(ErrorKind::Internal, message));
                }
                None => {}
            }
        }
        Ok(())
    }

    /// The first chain that kills a mutant, where that is not known, with what it shows there; what
    /// the compiled mutant says against it is an error.
    fn killed(&self, version: &Version, known: Option<(usize, usize)>) -> Result<Option<Death>, String> {
        let Some((chain, step)) = known.or_else(|| self.first_death(version)) else { return Ok(None) };
        if self.options.kill == Kill::Step {
            let by = "chain, by the evaluator: a step from the memory of the original".to_owned();
            let shows = shows_in_step(self.original, version, (&*self.chains[chain], step));
            return Ok(Some(Death { chain, step, shows, by }));
        }
        let own = version.trace(&self.chains[chain].trace, step + 1);
        let run = version.replay(&own).map_err(|error| error.to_string())?;
        let shows = shows(self.original, version, (&*self.chains[chain], step), &run.outputs[step]);
        if shows.is_empty() {
            return Err(format!("no output differs in step {step} of chain {chain}"));
        }
        let by = if self.options.no_replay {
            "chain, by the evaluator".to_owned()
        } else if self.is_late() {
            LATE.to_owned()
        } else {
            match check_trace(&version.model, (&own, &run), &self.replays) {
                NativeCheck::Agrees { how } => format!("chain, replayed on the compiled mutant ({how})"),
                NativeCheck::Unavailable { reason } | NativeCheck::Skipped { reason } => {
                    format!("chain, by the evaluator alone: {reason}")
                }
                other @ NativeCheck::Disagrees { .. } => return Err(other.to_string()),
                _ if self.is_late() => LATE.to_owned(),
                other => return Err(other.to_string()),
            }
        };
        Ok(Some(Death { chain, step, shows, by }))
    }

    /// Whether nothing is to be run any more.
    fn is_late(&self) -> bool {
        let is_over = self.replays.deadline.is_some_and(|end| Instant::now() >= end);
        is_over || self.options.search.interruption().is_some()
    }

    /// Adds the chains to the result.
    fn write_chains(&mut self) {
        self.file.length = self.chains.iter().map(|chain| chain.trace.inputs.len() as u64).sum();
        let about = (self.original, self.outputs);
        let chains = (0..).zip(&self.chains).map(|(number, run)| chain(about, (number, &**run), &self.file));
        self.file.chains = chains.collect::<Vec<_>>();
    }
}

/// A chain with this number as results have it.
pub(super) fn chain(
    (original, outputs): (&Model, &Outputs),
    (number, Run { trace, run }): (usize, &Run),
    file: &MutationFile,
) -> mutation::Chain {
    let signals = &original.translated.signals;
    let value = report::output::number::to_json;
    let step = |at: usize| {
        let inputs = signals.inputs.iter().map(|signal| {
            let value = value(trace.inputs[at][model::id::Id::index(signal.input)], &signal.signal.kind);
            (signal.signal.name.clone(), value)
        });
        let own = signals.outputs.iter().filter(|(signal, _)| outputs.all.contains(&signal.lvalue));
        let outputs = own
            .map(|(signal, position)| (signal.name.clone(), value(run.outputs[at][*position], &signal.kind)));
        let reveals = file.mutants.iter().filter(|mutant| {
            mutant.verdict == "killed" && (mutant.chain, mutant.step) == (Some(number), Some(at))
        });
        mutation::Step {
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            reveals: reveals.map(|mutant| mutant.id.clone()).collect(),
            ..mutation::Step::default()
        }
    };
    mutation::Chain { steps: (0..trace.inputs.len()).map(step).collect() }
}

/// The first output that a version with these outputs shows otherwise after a step, with both
/// values; empty where there is none.
pub(super) fn shows(
    original: &Model,
    version: &Version,
    (run, step): (&Run, usize),
    theirs: &[Value],
) -> String {
    let ours = &run.run.outputs[step];
    let differs = |&(one, other): &(usize, usize)| !ours[one].agrees_with(theirs[other]);
    let Some(&(one, other)) = version.seen.outputs.iter().find(|pair| differs(pair)) else {
        return String::new();
    };
    let outputs = &original.translated.signals.outputs;
    let Some((signal, _)) = outputs.iter().find(|(_, position)| *position == one) else {
        return String::new();
    };
    let text = |value| report::output::number::display(value, &signal.kind);
    format!("{} = {} (original: {})", signal.name, text(theirs[other]), text(ours[one]))
}

/// The first output or memory that differs after one step from the memory of the original.
pub(super) fn shows_in_step(original: &Model, version: &Version, (run, step): (&Run, usize)) -> String {
    let found = version.step(&run.trace, &run.run, step);
    let shown = found.map(|found| shows(original, version, (run, step), &found.outputs));
    let shown = shown.filter(|shown| !shown.is_empty());
    shown.unwrap_or_else(|| "other memory at the start".to_owned())
}

/// The verdict where terms alone say it, and what it rests on.
pub(super) fn by_terms(
    (original, outputs): (&Model, &Outputs),
    version: &Version,
    (join, difference): (&Join, &Difference),
) -> Option<(&'static str, &'static str)> {
    if difference.own_words > 0 || !join.is_false(difference.kills) || !join.is_false(difference.leaves) {
        return None;
    }
    // Outputs that nobody looks at may differ, and memory that the version does not keep.
    let keeps = |system: &Validated| system.states.len();
    let is_all = version.seen.outputs.len() == outputs.all.len()
        && keeps(&version.model.system) == keeps(&original.system);
    Some(match is_all {
        true => ("equivalent", "the step and the start are the original's, term by term"),
        false => ("conforms", "the start and all that is observed are the original's, term by term"),
    })
}

/// Whether an execution begins with another one.
fn begins(chain: &Trace, first: &Trace) -> bool {
    chain.start == first.start && chain.inputs.starts_with(&first.inputs)
}

/// What a mutant runs into that leaves open what it does, and the verdict.
pub(super) fn loss(version: &Version, run: &Run, kill: Kill) -> (&'static str, String) {
    let step = match version.shows(&run.trace, &run.run) {
        Shown::Leaves(step) => step,
        _ => return ("crash", "it runs into what C leaves undefined".to_owned()),
    };
    if kill == Kill::Step {
        let what = "undefined, an end, an excluded input, or a loop that goes on for too long";
        return ("crash", format!("nothing differs before a step that has no result: {what} (step {step})"));
    }
    let verdict = if hangs(version, &run.trace, step) { "hang" } else { "crash" };
    let what = ran_into(version, &run.trace, step);
    (verdict, format!("no output differs before it runs into this: {what} (step {step})"))
}

/// Whether a step of a version runs into a loop that never ends and nothing else that C leaves
/// open.
fn hangs(version: &Version, trace: &Trace, step: usize) -> bool {
    let Ok(own) = replay(&version.model.system, &version.trace(trace, step + 1)) else { return false };
    let met = own.hazards.iter().filter(|met| met.step == step);
    let met = met.map(|met| &version.model.system.hazards[met.hazard]);
    let mut open = met.filter(|hazard| hazard.effect == HazardEffect::Open).peekable();
    let endless = &version.model.translated.endless;
    open.peek().is_some() && open.all(|hazard| hazard.origin.is_some_and(|origin| endless.contains(&origin)))
}

/// What a version runs into in a step behind which nothing is known of it.
pub(super) fn ran_into(version: &Version, trace: &Trace, step: usize) -> String {
    let system = &version.model.system;
    let place = |origin: Option<model::system::OriginId>| {
        let place = origin.map(|origin| version.model.translated.source.locate(origin));
        place.map_or_else(String::new, |place| format!(" in line {}", place.line))
    };
    let request = &version.model.configuration.request;
    let long = match request.unwind.filter(|_| request.assumes_unwound) {
        Some(rounds) => format!("a loop that goes on for more than {rounds} rounds"),
        None => "a loop that goes on for too long".to_owned(),
    };
    let unknown = format!("{long}, or the end of the program");
    match replay(system, &version.trace(trace, step + 1)) {
        Ok(own) => match own.hazards.iter().find(|met| met.step == step) {
            Some(met) => {
                let hazard = &system.hazards[met.hazard];
                format!("{}{}", hazard.description, place(hazard.origin))
            }
            None => unknown,
        },
        Err(TraceError::Assumption { assumption, .. }) => {
            let place = place(system.assumptions[assumption].origin);
            match request.assumes_unwound {
                true => format!("{long} or an assumption that excludes these inputs{place}"),
                false => format!("an assumption{place} that excludes these inputs"),
            }
        }
        Err(_) => unknown,
    }
}

/// What an execution does that tells versions apart.
pub(super) const SHOWS_A_DIFFERENCE: &str = "shows a difference";

/// Whether a truth of a join can be reached: whether an execution does what the words say.
pub(super) fn reached(
    join: &Join,
    (goal, what): (model::term::TermId, &str),
    options: &Options,
) -> Result<Reached, Error> {
    if join.is_false(goal) {
        return Ok(Reached::No("no output that is seen depends on what differs".to_owned()));
    }
    let mut asked = join.clone();
    asked.add_goal("difference", goal);
    let outcome = match ask_engine(asked, options)? {
        Answer::Outcome(outcome) => outcome,
        Answer::TimeUp => return Ok(Reached::Unknown(TIME_UP.to_owned())),
        Answer::NothingDefined => return Ok(Reached::NothingDefined),
    };
    let Some(result) = outcome.goals.values().next() else {
        return Ok(Reached::Unknown(TIME_UP.to_owned()));
    };
    let trace = outcome.chains.first().map(|chain| join.of_original(chain.trace.clone()));
    Ok(match (&result.status, trace) {
        (GoalStatus::Covered { at, .. }, Some(mut trace)) => {
            let is_shortest = outcome.minimal == Minimality::Proven;
            trace.inputs.truncate(*at as usize + 1);
            Reached::Yes(trace, is_shortest)
        }
        (GoalStatus::Unreachable { proof }, _) => Reached::No(format!("no execution {what} ({proof})")),
        (status, _) => Reached::Unknown(status.reason().unwrap_or_default()),
    })
}

/// What the engine says of a joined system.
enum Answer {
    Outcome(Box<Outcome>),
    TimeUp,
    /// The original has no execution in which it has a meaning: the join admits no others.
    NothingDefined,
}

fn ask_engine(join: Join, options: &Options) -> Result<Answer, Error> {
    ask_engine_from(join, &[], options)
}

/// As [`ask_engine`], from executions that are known.
fn ask_engine_from(join: Join, known: &[Trace], options: &Options) -> Result<Answer, Error> {
    let system = validate(join.system).map_err(|malformed| {
        let list: Vec<String> = malformed.iter().map(ToString::to_string).collect();
        Error::new(ErrorKind::Internal, format!("the joined system is malformed: {}", list.join("; ")))
    })?;
    match engine::find_chains_from(&system, known, options, &Silent) {
        Ok(outcome) => Ok(Answer::Outcome(Box::new(outcome))),
        Err(EngineError::NoExecution(_)) if options.deadline.is_some_and(|end| Instant::now() >= end) => {
            Ok(Answer::TimeUp)
        }
        Err(EngineError::NoExecution(_)) => Ok(Answer::NothingDefined),
        Err(error) => Err(error.into()),
    }
}

/// There is nothing that other versions could be compared with.
pub(super) fn nothing_defined() -> Error {
    let message = "the model has no execution that both satisfies the assumptions and runs into no undefined operation: there is nothing to compare with";
    Error::new(ErrorKind::Request, message)
}

/// How a mutant dies.
struct Death {
    chain: usize,
    step: usize,
    shows: String,
    by: String,
}

/// The answer to a query.
pub(super) enum Reached {
    /// By these inputs; whether none are shorter.
    Yes(Trace, bool),
    /// Never, with the proof.
    No(String),
    /// Nothing is known, with the reason.
    Unknown(String),
    /// The original has no execution in which it does only what C defines.
    NothingDefined,
}
