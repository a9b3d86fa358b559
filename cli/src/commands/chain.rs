//! `chaincover chain`: the main job.

use super::args::{ChainArguments, Emit, FailOn, LogFormat, Verbosity, Violations};
use super::exit::Exit;
use super::failure::Failure;
use super::log::Log;
use super::verdict::{self, Judged};
use super::{emit, export, load, print, requirements, search, smooth, watch};
use chaincover::{
    Appended, ChainFile, ExportOptions, Exported, GoalStatus, Known, Limit, Model, NativeCheck, Occasion,
    OldTest, Options, Outcome, Place, Progress, Verdicts, evidence, find_chains_from,
    find_chains_with_violations, graph, justifications, read_old_tests, report, summary, to_json,
    told_old_tests, vectors, verdicts, visible, write,
};
use std::path::Path;
use std::time::{Duration, Instant};

/// Finds the chains, replays them, prints and writes them.
pub(crate) fn run(arguments: &ChainArguments) -> Result<Exit, Failure> {
    find(arguments).map_err(|failure| match arguments.log_format {
        LogFormat::Json if !failure.message.is_empty() => {
            Log::new(LogFormat::Json, false).message("error", failure.message.trim_end());
            Failure { message: String::new(), ..failure }
        }
        _ => failure,
    })
}

fn find(arguments: &ChainArguments) -> Result<Exit, Failure> {
    let start = Instant::now();
    if let Some(given) = &arguments.given {
        return requirements::given(arguments, given);
    }
    let mut options = search::options(&arguments.search)?;
    if arguments.proofs && arguments.violations == Violations::Append {
        let message = "--proofs certifies chains for goals, and --violations append makes them for violations, too: choose one of them";
        return Err(Failure::new(Exit::Usage, message));
    }
    if arguments.output.is_none() && !arguments.formats.format.is_empty() {
        return Err(Failure::new(Exit::Usage, "--format writes files: name their folder with -o"));
    }
    // Found out before the search, not after it.
    let formats = export::options(&arguments.formats);
    let place = open_place(arguments, &formats)?;
    arguments.json.as_deref().map_or(Ok(()), write::check_target)?;
    let loaded = load(arguments, &options)?;
    formats.check(&loaded)?;
    justifications(&loaded)?;
    if let Some(stage @ (Emit::Ir | Emit::System | Emit::Btor2 | Emit::Aig | Emit::Cnf)) = arguments.emit {
        return emit::front(&loaded, stage);
    }
    let old = old_tests(arguments, &loaded)?;
    options.smoothing = smooth::smoothing(&arguments.inputs, &loaded)?;
    let log = Log::new(arguments.log_format, arguments.verbosity.quiet);
    let is_asked = arguments.violations != Violations::Off && arguments.emit != Some(Emit::Graph);
    let wants_verdicts = is_asked && !loaded.requirements().is_empty();
    let schedule = Schedule::new(arguments, start, &options, wants_verdicts);
    let searched = search(arguments, &loaded, &old, (&options, &schedule), &log);
    log.finish();
    let (mut outcome, found) = searched?;
    let replaying = schedule.replay(&options);
    let answers = requirements::refine(&loaded, &mut outcome, &replaying)?;
    let checks = match &answers {
        Some(answers) => answers.checks(&outcome),
        None => native_checks(&loaded, &outcome, arguments.no_replay, &replaying),
    };
    let replays = (!arguments.no_replay).then_some(&replaying);
    let judged = Judged::new(&loaded, found, replays);
    let settings = load::settings_for(&arguments.model.source, &options);
    let mut file = report(&loaded, (&outcome, &checks), (&settings, &options), start.elapsed());
    if let Some(answers) = &answers {
        answers.record(&mut file);
    }
    file.notes.extend(told_old_tests(&loaded, &old));
    if wants_verdicts {
        judged.add_to(&mut file, &loaded, arguments.output.is_some());
    }
    if arguments.violations == Violations::Append && wants_verdicts {
        file.notes.push(APPENDED.to_owned());
    }
    // A full disk is no reason to keep the result from the screen.
    let found = Found {
        loaded: &loaded,
        outcome: &outcome,
        judged: &judged,
        file: &file,
        options: &options,
        replaying: &replaying,
    };
    let written = found.write(arguments, place, &log);
    watch::writing(|| match &answers {
        Some(answers) if arguments.emit.is_none() => requirements::print_chains(arguments, &file, answers),
        _ => found.print(arguments),
    })?;
    explain(arguments.verbosity, &log, &outcome, &checks, &file);
    judged.messages().for_each(|(level, text)| log.message(level, &text));
    smooth::explain(arguments, &log, &outcome);
    if let Some(path) = super::timed::only(&arguments.model.model) {
        let searching = Options { deadline: schedule.search, ..options.clone() };
        super::timed::times(arguments, path, &outcome, &searching)?;
    }
    written?.complete()?;
    Ok(exit(arguments, &found, &checks))
}

/// The old tests that the search begins with.
fn old_tests(arguments: &ChainArguments, loaded: &Model) -> Result<Vec<OldTest>, Failure> {
    if arguments.start_from.is_empty() {
        return Ok(Vec::new());
    }
    if arguments.search.strategy != "exact" || arguments.violations == Violations::Append {
        let message = "--start-from needs the strategy `exact`, and goals alone (not --violations append)";
        return Err(Failure::new(Exit::Usage, message));
    }
    Ok(read_old_tests(loaded, &arguments.start_from)?)
}

/// What the length means where violations are appended.
const APPENDED: &str =
    "--violations append: length and bound are about the goals and the violations of requirements together";

/// The chains, and verdicts where they are wanted.
fn search(
    arguments: &ChainArguments,
    loaded: &Model,
    old: &[OldTest],
    (options, schedule): (&Options, &Schedule),
    log: &Log,
) -> Result<(Outcome, Verdicts), Failure> {
    let began = Instant::now();
    let searching = Options { deadline: schedule.search, ..options.clone() };
    let violations = if schedule.wants_verdicts { arguments.violations } else { Violations::Off };
    let (outcome, statuses): (Outcome, Option<Vec<GoalStatus>>) = match violations {
        Violations::Append => {
            let Appended { outcome, violations } = find_chains_with_violations(loaded, &searching, log)?;
            (outcome, Some(violations))
        }
        Violations::Beside | Violations::Off => {
            let known: Vec<_> = old.iter().map(|test| test.trace.clone()).collect();
            (find_chains_from(loaded, &known, &searching, log)?, None)
        }
    };
    if violations == Violations::Off {
        return Ok((outcome, Verdicts::default()));
    }
    log.stage("verdicts");
    let known = Known {
        outcome: Some(&outcome),
        shows_violations: violations == Violations::Append,
        violations: statuses.as_deref(),
    };
    let all: Vec<usize> = (0..loaded.requirements().len()).collect();
    let options = verdict::deadline(options, (schedule.verdicts, arguments.search.timeout), began.elapsed());
    let found = verdicts(loaded, &all, known, &options, log)?;
    Ok((outcome, found))
}

/// The exit code: of all that happened, what is wanted, and a failed self-check always.
fn exit(arguments: &ChainArguments, found: &Found<'_>, checks: &[NativeCheck]) -> Exit {
    let default = FailOn::DEFAULT;
    let goals = arguments.fail_on.as_deref().unwrap_or(&default);
    // What is open about requirements is told, and fails only where that is asked for.
    let requirements = arguments.fail_on.as_deref().unwrap_or(&[FailOn::Violated]);
    let exit = search::exit_for(found.loaded, found.outcome, goals);
    let exit = exit.combine(search::exit_for_coverage(found.file.coverage.as_ref(), goals));
    let exit = exit.combine(verdict::exit(found.judged, found.loaded, requirements));
    let exit = match found.options.interruption() {
        Some(_) if goals.contains(&FailOn::Stopped) => {
            exit.combine(verdict::stopped(found.judged, found.options))
        }
        _ => exit,
    };
    checks.iter().fold(exit, |exit, check| match check {
        NativeCheck::Disagrees { .. } => exit.combine(Exit::SelfCheck),
        NativeCheck::Dies { .. } if goals.contains(&FailOn::Violated) => exit.combine(Exit::Violated),
        _ => exit,
    })
}

/// Reads the model; what there is to say of it goes where messages go.
fn load(arguments: &ChainArguments, options: &Options) -> Result<Model, Failure> {
    match arguments.log_format {
        LogFormat::Text => load::load_for(&arguments.model, options, arguments.verbosity),
        LogFormat::Json => {
            let loaded = load::load_for(&arguments.model, options, Verbosity { quiet: true, verbose: 0 })?;
            load::tell(&loaded, arguments.verbosity, &Log::new(LogFormat::Json, false));
            Ok(loaded)
        }
    }
}

/// When the parts of a run end.
struct Schedule {
    /// The search for chains.
    search: Option<Instant>,
    /// The search for verdicts.
    verdicts: Option<Instant>,
    /// Whether there is one.
    wants_verdicts: bool,
    /// What a time limit may be exceeded by.
    grace: Duration,
}

/// The time of a run is parted into so many: two for chains, one for verdicts, where these are
/// wanted; where evidence is to be made, too, one for each.
const PARTS: u32 = 3;

/// Likewise where evidence is to be made, but no verdicts are wanted.
const PARTS_WITH_PROOFS: u32 = 2;

/// Part of what a time limit may be exceeded by which is left to writing the result.
const PARTS_FOR_WRITING: u32 = 4;

/// What is left of a grace for what comes before writing.
fn before_writing(grace: Duration) -> Duration {
    grace - grace / PARTS_FOR_WRITING
}

impl Schedule {
    fn new(arguments: &ChainArguments, start: Instant, options: &Options, wants_verdicts: bool) -> Self {
        let end = options.deadline;
        let after = |parts: u32, of: u32| {
            arguments.search.timeout.and_then(|limit| start.checked_add(limit / of * parts)).or(end)
        };
        let (search, verdicts) = match (wants_verdicts, arguments.proofs) {
            (true, true) => (after(1, PARTS), after(2, PARTS)),
            (true, false) => (after(2, PARTS), end),
            (false, true) => (after(1, PARTS_WITH_PROOFS), end),
            (false, false) => (end, end),
        };
        let grace = before_writing(watch::grace(arguments.search.timeout.unwrap_or_default()));
        Self { search, verdicts, wants_verdicts, grace }
    }

    /// The limit of replaying the chains. A result that was replayed is worth a little where the
    /// time is up; a compiler that takes minutes for large arrays is not.
    fn replay(&self, options: &Options) -> Limit {
        if options.interruption().is_some() {
            let deadline = Instant::now().checked_add(before_writing(watch::grace(Duration::ZERO)));
            return Limit { deadline, ..Limit::default() };
        }
        let late = Instant::now().checked_add(self.grace);
        let last = self.search.max(self.verdicts);
        let deadline = last.and_then(|deadline| deadline.checked_add(self.grace).max(late));
        Limit { deadline, ..search::limit(options) }
    }
}

fn native_checks(loaded: &Model, outcome: &Outcome, skip: bool, limit: &Limit) -> Vec<NativeCheck> {
    let skipped = NativeCheck::Skipped { reason: "--no-replay".to_owned() };
    if skip {
        vec![skipped; outcome.chains.len()]
    } else {
        chaincover::check_natively(loaded, outcome, limit)
    }
}

/// Opens the folder that results go to, if there is one. It can be written to, no other run does
/// so, and what is there may be replaced.
fn open_place(arguments: &ChainArguments, formats: &ExportOptions) -> Result<Option<Place>, Failure> {
    let Some(folder) = &arguments.output else { return Ok(None) };
    let place = Place::open(folder, arguments.force)?;
    let names = formats.certain_names();
    place.expect(std::iter::once(RESULT).chain(names))?;
    if arguments.proofs {
        place.expect_evidence(evidence::FOLDER, evidence::is_evidence)?;
    }
    Ok(Some(place))
}

/// Name of the file with the result.
const RESULT: &str = "chain.json";

/// What a search came to.
#[derive(Clone, Copy)]
struct Found<'a> {
    loaded: &'a Model,
    outcome: &'a Outcome,
    judged: &'a Judged,
    file: &'a ChainFile,
    options: &'a Options,
    /// The limit of running compiled code for files.
    replaying: &'a Limit,
}

impl Found<'_> {
    /// Writes all that is asked for. A format that cannot express the result does not stand in the
    /// way of the others.
    fn write(self, arguments: &ChainArguments, place: Option<Place>, log: &Log) -> Result<Exported, Failure> {
        let json = to_json(self.file);
        let made = match (&arguments.output, place) {
            (Some(folder), Some(place)) => self.write_folder(arguments, (folder, place), &json, log),
            _ => Ok(Exported::default()),
        };
        if let Some(path) = &arguments.json {
            write::to_file_or_stdout(path, &json)?;
        }
        made
    }

    /// Standard output holds the JSON, an artefact, or the summary.
    fn print(self, arguments: &ChainArguments) -> Result<(), Failure> {
        let on_stdout = arguments.json.as_deref() == Some(Path::new("-"));
        let text = match arguments.emit {
            Some(Emit::Graph) => match &self.outcome.graph {
                Some(found) => visible::json(&format!("{:#}\n", graph::to_json(found))),
                None => return Err(Failure::new(Exit::Usage, "this strategy builds no graph")),
            },
            Some(_) => to_json(self.file),
            None if on_stdout => return Ok(()),
            None => self.summary(arguments),
        };
        print(&text).map(drop)
    }

    /// The summary; counterexamples stand in it where they are not written into files.
    fn summary(self, arguments: &ChainArguments) -> String {
        let folder = arguments.output.as_deref();
        let text = summary::text(&verdict::with_folder(self.file, folder));
        match folder {
            Some(_) => text,
            None => {
                let settings = load::settings_for(&arguments.model.source, self.options);
                text + &self.judged.tables(self.loaded, (&settings, self.options))
            }
        }
    }

    /// Fills the folder, and removes what earlier runs wrote there and is no part of this result.
    fn write_folder(
        self,
        arguments: &ChainArguments,
        (folder, mut place): (&Path, Place),
        json: &str,
        log: &Log,
    ) -> Result<Exported, Failure> {
        let file = self.file;
        let origin = verdict::origin(file, json);
        let limits = self.options.smoothing.as_ref().map(|wishes| wishes.limits.clone()).unwrap_or_default();
        let (made, notes) = watch::writing(|| {
            let mut refused = place.write(&origin, [(RESULT, json.as_bytes())])?;
            let settings = load::settings_for(&arguments.model.source, self.options);
            let read_with = (&settings, self.options);
            refused.extend(self.judged.write(self.loaded, read_with, (&mut place, &origin))?);
            let formats = export::options(&arguments.formats);
            let vectors = vectors(file, self.loaded, &formats, &limits)?;
            let output = Some(folder.to_owned());
            let occasion = Occasion { command: Some(command_line()), output, ..Occasion::default() };
            let written = (&vectors, Some(self.loaded));
            let mut made = chaincover::export(file, written, &formats, &occasion, self.replaying)?;
            made.refused.extend(refused);
            made.write(&mut place, &origin)?;
            Ok::<_, Failure>((made, vectors.notes))
        })?;
        if arguments.proofs {
            place.begin_evidence(&origin, evidence::FOLDER)?;
            let files = self.write_proofs(arguments, folder)?;
            place.end_evidence(&origin, evidence::FOLDER, files);
        }
        let cleared = place.close(|other| *other != origin)?;
        if !arguments.verbosity.quiet {
            notes.iter().for_each(|note| log.message("note", note));
            cleared.messages(folder).iter().for_each(|(level, text)| log.message(level, text));
        }
        Ok(made)
    }

    /// Writes the evidence; returns its files with their digests.
    fn write_proofs(
        self,
        arguments: &ChainArguments,
        folder: &Path,
    ) -> Result<Vec<(String, String)>, Failure> {
        let result = (self.outcome, self.file);
        let written = evidence::write_evidence(folder, self.loaded, result, self.options)?;
        if !arguments.verbosity.quiet {
            let (certified, claims, kib) = (written.certified, written.claims, written.bytes.div_ceil(1024));
            eprintln!("proofs: {certified} of {claims} claims certified, {kib} KiB");
        }
        Ok(written.files)
    }
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
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("chaincover".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// What goes to standard error beside the result.
fn explain(verbosity: Verbosity, log: &Log, outcome: &Outcome, checks: &[NativeCheck], file: &ChainFile) {
    for check in checks {
        match check {
            NativeCheck::Disagrees { .. } | NativeCheck::Dies { .. } => {
                log.message("error", &check.to_string());
            }
            NativeCheck::Unavailable { .. } if !verbosity.quiet => log.message("warning", &check.to_string()),
            _ => {}
        }
    }
    if !verbosity.quiet {
        file.notes.iter().for_each(|note| log.message("note", note));
    }
    if let Some(reason) = outcome.stopped {
        log.message("stopped", &format!("{reason}; this is the best result so far"));
    }
    if verbosity.verbose > 0 {
        for stage in &file.stages {
            log.timing(&stage.name, stage.seconds, stage.sat_calls);
        }
        for engine in &file.engines {
            log.account(engine);
        }
        for milestone in &file.milestones {
            log.milestone(milestone);
        }
    }
}
