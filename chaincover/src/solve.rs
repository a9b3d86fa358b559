//! The whole job: chains, verdicts beside them, and what the compiled code says, as one result.

use crate::complement::{Complement, complement};
use crate::cost::LeastCost;
use crate::error::{Error, ErrorKind};
use crate::export::{Exported, export};
use crate::export_options::ExportOptions;
use crate::model::Model;
use crate::old_tests::OldTests;
use crate::requirements::{self, Answers};
use crate::search::{check_natively, find_chains_from, report, to_json};
use crate::settings::Settings;
use crate::vectors::vectors;
use crate::verdicts::{Appended, Judged, Known, Verdicts, find_chains_with_violations, verdicts};
use crate::{cost, timed};
use ::replay::check::NativeCheck;
use engine::exchange::Exchange;
use engine::knowledge::status::GoalStatus;
use engine::options::Options;
use engine::outcome::Outcome;
use engine::session::Progress;
use frontend::limit::Limit;
use report::html::Occasion;
use report::output::chain_file::ChainFile;
use report::output::digest::sha256;
use report::output::owned::Origin;
use report::output::place::Place;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What becomes of violations of requirements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Violations {
    /// The chain stays as short as the goals allow; each violation has its own shortest execution.
    #[default]
    Beside,
    /// Violations join the goals: one optimum over both.
    Append,
    /// Nothing is said about all executions.
    Off,
}

/// What is wanted beside chains, and how the time is parted.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// When the run began: its result tells the time since.
    pub start: Instant,
    /// The time that was given, of which [`Options::deadline`] is the end.
    pub timeout: Option<Duration>,
    /// What becomes of violations.
    pub violations: Violations,
    /// Whether chains are run on the compiled code.
    pub replay: bool,
    /// Whether time is left to making evidence.
    pub proofs: bool,
    /// What replaying may take after the run was ended by [`Options::stop`].
    pub patience: Duration,
    /// Executions that the search begins with; its result never covers less than they do.
    pub old_tests: OldTests,
    /// Whether the chain is to have least cost in place of the fewest steps.
    pub least_cost: bool,
    /// What chains of timed systems have least of.
    pub minimise: timed::Minimise,
    /// Other processes that search the same model, with which the search for chains exchanges what
    /// is found. What comes after it, evidence too, rests on this process alone.
    pub exchange: Option<Arc<Exchange>>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            timeout: None,
            violations: Violations::default(),
            replay: true,
            proofs: false,
            patience: before_writing(LEAST_GRACE),
            old_tests: OldTests::default(),
            least_cost: false,
            minimise: timed::Minimise::default(),
            exchange: None,
        }
    }
}

/// What a whole run came to.
pub struct Solved {
    /// The chains and what became of the goals.
    pub outcome: Outcome,
    /// What the compiled code says of each chain.
    pub checks: Vec<NativeCheck>,
    /// What holds of all executions.
    pub judged: Judged,
    /// What requirement interfaces allow along the chains; none where the model is none.
    pub answers: Option<Answers>,
    /// What is known of the time that the chains take; none where the model is no timed system.
    pub timing: Option<timed::Timing>,
    /// The result as `chain.json` has it.
    pub file: ChainFile,
    /// The best way to cover what old tests miss, as a result of its own: [`COMPLEMENT`].
    pub completed: Option<ChainFile>,
    /// When the search for chains had to end.
    pub searched_until: Option<Instant>,
    /// The limit of running compiled code for this result.
    pub replaying: Limit,
}

/// Name of the file that [`Solved::write`] writes the result into.
pub const RESULT: &str = "chain.json";

/// Name of the file that [`Solved::write`] writes into what old tests miss.
pub const COMPLEMENT: &str = "complement.json";

/// What was written, and what is to be said of it.
pub struct WrittenResult {
    /// The files of the formats, and what stood in the way of others.
    pub exported: Exported,
    /// What the user should know of the vectors.
    pub notes: Vec<String>,
    /// What the files were made from.
    pub origin: Origin,
    /// Names of files that were not written since they would replace files of the user.
    pub unwritten: Vec<String>,
}

/// Finds chains, then verdicts on requirements where there are any, runs the chains on the compiled
/// code, and makes one result of all that. `settings` are those that the model was read with.
///
/// ```
/// # use chaincover::{Options, Settings, Silent, Wanted, read, solve};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "int on; void step(int press) { if (press) on = !on; __CPROVER_cover(on); }")?;
/// let settings = Settings::default();
/// let model = read([&path], &settings)?;
/// let solved = solve(&model, (&settings, &Options::default()), &Wanted::default(), &Silent)?;
/// assert_eq!((solved.file.summary.length, solved.file.summary.covered), (1, 1));
/// assert_eq!(solved.file.chains[0].replayed, true);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`find_chains`](crate::find_chains()). That the compiled code disagrees is no error here: it stands in
/// [`Solved::checks`].
pub fn solve(
    model: &Model,
    (settings, options): (&Settings, &Options),
    wanted: &Wanted,
    progress: &dyn Progress,
) -> Result<Solved, Error> {
    if wanted.least_cost {
        cost::check(model, options)?;
        if wanted.violations == Violations::Append {
            let message =
                "--minimise cost: the chain is about the goals alone: leave `--violations append` away";
            return Err(Error::new(ErrorKind::Request, message));
        }
    }
    let is_judged = wanted.violations != Violations::Off && !model.requirements().is_empty();
    let schedule = Schedule::new(wanted, options, is_judged);
    let Found { mut outcome, complement, verdicts: found, least_cost } =
        search(model, (options, wanted), &schedule, progress)?;
    let replaying = schedule.replay(wanted, options);
    let searching = Options { deadline: schedule.search, ..options.clone() };
    let answers = requirements::refine(model, &mut outcome, &replaying)?;
    let timing = timed::quicken(model, &mut outcome, &searching, wanted.minimise)?;
    let checks = match &answers {
        Some(answers) => answers.checks(),
        None if wanted.replay => check_natively(model, &outcome, &replaying),
        None => vec![NativeCheck::Skipped { reason: "--no-replay".to_owned() }; outcome.chains.len()],
    };
    let judged = Judged::new(model, found, wanted.replay.then_some(&replaying));
    let mut file = report(model, (&outcome, &checks), (settings, options), wanted.start.elapsed());
    if let Some(answers) = &answers {
        answers.record(&mut file);
    }
    timed::record(model, (&outcome, timing.as_ref()), &searching, &mut file)?;
    if let Some(cost) = &mut file.summary.cost {
        cost.lower_bound = least_cost;
    }
    file.notes.extend(wanted.old_tests.told(model));
    let completed = match &complement {
        Some(complement) => {
            complement.record(model, &wanted.old_tests, &mut file);
            let found = complement.outcome(model, &outcome, wanted.replay.then_some(&replaying));
            found.map(|(outcome, checks)| {
                report(model, (&outcome, &checks), (settings, options), wanted.start.elapsed())
            })
        }
        None => None,
    };
    if is_judged {
        judged.add_to(&mut file, model);
        if wanted.violations == Violations::Append {
            file.notes.push(APPENDED.to_owned());
        }
    }
    let searched_until = schedule.search;
    Ok(Solved { outcome, checks, judged, answers, timing, file, completed, searched_until, replaying })
}

/// What the length means where violations are appended.
const APPENDED: &str =
    "--violations append: length and bound are about the goals and the violations of requirements together";

/// What the searches came to.
struct Found {
    outcome: Outcome,
    /// What old tests miss.
    complement: Option<Complement>,
    verdicts: Verdicts,
    /// What chains cost at least, where least cost was sought.
    least_cost: Option<u64>,
}

/// The chains, and verdicts where they are wanted.
fn search(
    model: &Model,
    (options, wanted): (&Options, &Wanted),
    schedule: &Schedule,
    progress: &dyn Progress,
) -> Result<Found, Error> {
    let began = Instant::now();
    let searching = Options { deadline: schedule.search, ..options.clone() };
    // Half of the time is for chains of least cost, where these are wanted.
    let first = if wanted.least_cost { searching.within_part(1, 2) } else { searching.clone() };
    let first = Options { exchange: wanted.exchange.clone(), ..first };
    let violations = if schedule.is_judged { wanted.violations } else { Violations::Off };
    let old = wanted.old_tests.traces();
    let (outcome, statuses): (Outcome, Option<Vec<GoalStatus>>) = match violations {
        Violations::Append => {
            let Appended { outcome, violations } =
                find_chains_with_violations(model, &old, &first, progress)?;
            (outcome, Some(violations))
        }
        Violations::Beside | Violations::Off => (find_chains_from(model, &old, &first, progress)?, None),
    };
    let (outcome, least_cost) = match wanted.least_cost {
        true => {
            let LeastCost { outcome, bound, .. } = cost::least_cost(model, outcome, &searching, progress)?;
            (outcome, Some(bound))
        }
        false => (outcome, None),
    };
    let completing = Options { deadline: schedule.complement, ..options.clone() };
    let complement = match completing.interruption() {
        None => complement(model, &wanted.old_tests, &outcome, &completing)?,
        Some(_) => None,
    };
    if violations == Violations::Off {
        return Ok(Found { outcome, complement, verdicts: Verdicts::default(), least_cost });
    }
    progress.stage("verdicts");
    let known = Known {
        outcome: Some(&outcome),
        shows_violations: violations == Violations::Append,
        violations: statuses.as_deref(),
        with_applications: wanted.proofs,
    };
    let all: Vec<usize> = (0..model.requirements().len()).collect();
    let options = verdicts_options(options, (schedule.verdicts, wanted.timeout), began.elapsed());
    let verdicts = verdicts(model, &all, known, &options, progress)?;
    Ok(Found { outcome, complement, verdicts, least_cost })
}

/// Time that verdicts beside chains get at least.
const LEAST: Duration = Duration::from_secs(20);
/// One of so many parts of the time limit is for verdicts, at least.
const SHARE: u32 = 3;

/// Options of the search for verdicts that come beside chains which took so long. It ends after as
/// long as these took, or its share of the time limit, and not beyond `end`: a requirement that
/// stays open must not use up what a generous limit allows. With `--max-k` and without a time limit
/// the search ends by itself.
fn verdicts_options(
    options: &Options,
    (end, limit): (Option<Instant>, Option<Duration>),
    took: Duration,
) -> Options {
    let share = limit.unwrap_or_default() / SHARE;
    let own = Instant::now().checked_add(took.max(share).max(LEAST));
    let own = own.filter(|_| limit.is_some() || options.max_k.is_none());
    let deadline = [own, end].into_iter().flatten().min();
    Options { deadline, ..options.clone() }
}

/// What work may take longer than it should, at least.
const LEAST_GRACE: Duration = Duration::from_secs(1);
/// What it may take longer, as a part of the time that it was given.
const GRACE_SHARE: u32 = 20;

/// What may come after a time limit: a second, or 5 %.
pub fn grace(limit: Duration) -> Duration {
    (limit / GRACE_SHARE).max(LEAST_GRACE)
}

/// Part of what a time limit may be exceeded by which is left to writing the result.
const PARTS_FOR_WRITING: u32 = 4;

/// What is left of a grace for what comes before writing.
const fn before_writing(grace: Duration) -> Duration {
    Duration::from_micros(
        grace.as_micros() as u64 / PARTS_FOR_WRITING as u64 * (PARTS_FOR_WRITING as u64 - 1),
    )
}

/// When the parts of a run end.
struct Schedule {
    /// The search for chains.
    search: Option<Instant>,
    /// The search for what old tests miss.
    complement: Option<Instant>,
    /// The search for verdicts.
    verdicts: Option<Instant>,
    /// Whether there is one.
    is_judged: bool,
    /// What a time limit may be exceeded by.
    grace: Duration,
}

/// The time of a run is parted into so many where verdicts are wanted: one is for them, the others
/// are for chains. Most verdicts come quickly, from what the search for chains found out.
const PARTS_WITH_VERDICTS: u32 = 5;

/// Where evidence is to be made, too: one part for chains, one for verdicts, one for evidence.
const PARTS: u32 = 3;

/// Likewise where evidence is to be made, but no verdicts are wanted.
const PARTS_WITH_PROOFS: u32 = 2;

impl Schedule {
    fn new(wanted: &Wanted, options: &Options, is_judged: bool) -> Self {
        let end = options.deadline;
        let after = |parts: u32, of: u32| {
            wanted.timeout.and_then(|limit| wanted.start.checked_add(limit / of * parts)).or(end)
        };
        let (complement, verdicts) = match (is_judged, wanted.proofs) {
            (true, true) => (after(1, PARTS), after(2, PARTS)),
            (true, false) => (after(PARTS_WITH_VERDICTS - 1, PARTS_WITH_VERDICTS), end),
            (false, true) => (after(1, PARTS_WITH_PROOFS), end),
            (false, false) => (end, end),
        };
        // What old tests miss is known when chains for all goals are.
        let search = match wanted.old_tests.tests.is_empty() {
            true => complement,
            false if is_judged => after(PARTS_WITH_VERDICTS - 2, PARTS_WITH_VERDICTS),
            false => after(PARTS_WITH_VERDICTS - 1, PARTS_WITH_VERDICTS),
        };
        Self {
            search,
            complement,
            verdicts,
            is_judged,
            grace: before_writing(grace(wanted.timeout.unwrap_or_default())),
        }
    }

    /// The limit of replaying the chains. A result that was replayed is worth a little where the
    /// time is up; a compiler that takes minutes for large arrays is not.
    fn replay(&self, wanted: &Wanted, options: &Options) -> Limit {
        if options.interruption().is_some() {
            return Limit { deadline: Instant::now().checked_add(wanted.patience), ..Limit::default() };
        }
        let late = Instant::now().checked_add(self.grace);
        let last = self.search.max(self.verdicts);
        let deadline = last.and_then(|deadline| deadline.checked_add(self.grace).max(late));
        let (stop, memory) = (Arc::clone(&options.stop), Arc::clone(&options.memory));
        Limit { deadline, stop: Some(stop), memory: Some(memory) }
    }
}

impl Solved {
    /// Whether what ended the run was not the search itself: a limit or the caller.
    pub fn is_stopped(&self) -> bool {
        self.outcome.stopped.is_some() || self.judged.verdicts.is_stopped
    }

    /// What the compiled code says of chains and counterexamples.
    pub fn all_checks(&self) -> impl Iterator<Item = &NativeCheck> {
        self.checks.iter().chain(self.judged.checks())
    }

    /// Writes the result, its counterexamples and the formats into a folder; what would replace
    /// files of the user is left out. The place is still to be [closed](Place::close). `settings`
    /// are those that the model was read with; `limit` ends compiled code that is run for a report.
    ///
    /// # Errors
    /// Where a file cannot be written, or the formats do not fit the result.
    pub fn write(
        &self,
        model: &Model,
        (settings, options): (&Settings, &Options),
        place: &mut Place,
        (formats, occasion): (&ExportOptions, &Occasion),
        limit: &Limit,
    ) -> Result<WrittenResult, Error> {
        let mut file = self.file.clone();
        self.judged.name_files(&mut file);
        let json = to_json(&file);
        let origin = Origin { model: file.model.name.clone(), result: sha256(&json) };
        let mut refused = place.write(&origin, [(RESULT, json.as_bytes())])?;
        if let Some(completed) = &self.completed {
            refused.extend(place.write(&origin, [(COMPLEMENT, to_json(completed).as_bytes())])?);
        }
        refused.extend(self.judged.write(model, (settings, options), (place, &origin))?);
        let limits = options.smoothing.as_ref().map(|wishes| wishes.limits.clone()).unwrap_or_default();
        let vectors = vectors(&file, model, formats, &limits)?;
        // Who does not want chains to be run does not want them to be run for a report either.
        let is_skipped = |check: &NativeCheck| matches!(check, NativeCheck::Skipped { .. });
        let without_running = formats.without_running || self.checks.iter().any(is_skipped);
        let formats = ExportOptions { without_running, ..formats.clone() };
        let mut exported = export(&file, (&vectors, Some(model)), &formats, occasion, limit)?;
        exported.refused.extend(refused);
        let unwritten = exported.write(place, &origin)?;
        Ok(WrittenResult { notes: vectors.notes, exported, origin, unwritten })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grace_is_a_second_or_a_part() {
        assert_eq!(grace(Duration::from_secs(5)), Duration::from_secs(1));
        assert_eq!(grace(Duration::from_secs(600)), Duration::from_secs(30));
        assert_eq!(before_writing(Duration::from_secs(1)), Duration::from_millis(750));
    }

    #[test]
    fn time_is_parted_by_what_is_wanted() {
        let (start, limit) = (Instant::now(), Duration::from_secs(60));
        let end = start + limit;
        let options = Options { deadline: Some(end), ..Options::default() };
        for (is_judged, proofs, expected) in [
            (false, false, [60, 60]),
            (true, false, [48, 60]),
            (false, true, [30, 60]),
            (true, true, [20, 40]),
        ] {
            let wanted = Wanted { start, timeout: Some(limit), proofs, ..Wanted::default() };
            let schedule = Schedule::new(&wanted, &options, is_judged);
            let seconds =
                [schedule.search, schedule.verdicts].map(|time| time.map(|time| (time - start).as_secs()));
            assert_eq!(seconds, expected.map(Some), "{is_judged} {proofs}");
        }
    }
}
