//! `chaincover chain`: the main job.

use super::args::{ChainArguments, Emit, FailOn, LogFormat, Verbosity};
use super::exit::Exit;
use super::failure::Failure;
use super::log::Log;
use super::{emit, export, load, print, search, smooth, watch};
use chaincover::{
    ChainFile, ExportOptions, Exported, Limit, Model, NativeCheck, Occasion, Options, Origin, Outcome, Place,
    evidence, find_chains, graph, report, sha256, summary, to_json, vectors, visible, write,
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
    let mut options = search::options(&arguments.search)?;
    let schedule = Schedule::new(arguments, start, &options);
    if arguments.output.is_none() && !arguments.formats.format.is_empty() {
        return Err(Failure::new(Exit::Usage, "--format writes files: name their folder with -o"));
    }
    // Found out before the search, not after it.
    let formats = export::options(&arguments.formats);
    let place = open_place(arguments, &formats)?;
    arguments.json.as_deref().map_or(Ok(()), write::check_target)?;
    let loaded = load(arguments, search::limit(&options))?;
    formats.check(&loaded)?;
    if let Some(stage @ (Emit::Ir | Emit::System | Emit::Btor2 | Emit::Aig | Emit::Cnf)) = arguments.emit {
        return emit::front(&loaded, stage);
    }
    options.smoothing = smooth::smoothing(&arguments.inputs, &loaded)?;
    let log = Log::new(arguments.log_format, arguments.verbosity.quiet);
    let searching = Options { deadline: schedule.search, ..options.clone() };
    let outcome = find_chains(&loaded, &searching, &log);
    log.finish();
    let outcome = outcome?;
    let replaying = schedule.replay(&options);
    let checks = native_checks(&loaded, &outcome, arguments.no_replay, &replaying);
    let settings = load::settings(&arguments.model.source, Limit::default());
    let file = report(&loaded, (&outcome, &checks), (&settings, &options), start.elapsed());
    // A full disk is no reason to keep the result from the screen.
    let found =
        Found { loaded: &loaded, outcome: &outcome, file: &file, options: &options, replaying: &replaying };
    let written = found.write(arguments, place, &log);
    watch::writing(|| print_result(arguments, &outcome, &file))?;
    explain(arguments.verbosity, &log, &outcome, &checks, &file);
    smooth::explain(arguments, &log, &outcome);
    if let Some(path) = super::timed::only(&arguments.model.model) {
        super::timed::times(arguments, path, &outcome, &searching)?;
    }
    written?.complete()?;
    Ok(checks.iter().fold(search::exit_for(&outcome, &arguments.fail_on), |exit, check| match check {
        NativeCheck::Disagrees { .. } => exit.combine(Exit::SelfCheck),
        NativeCheck::Dies { .. } if arguments.fail_on.contains(&FailOn::Violated) => {
            exit.combine(Exit::Violated)
        }
        _ => exit,
    }))
}

/// Reads the model; what there is to say of it goes where messages go.
fn load(arguments: &ChainArguments, limit: Limit) -> Result<Model, Failure> {
    match arguments.log_format {
        LogFormat::Text => load::load(&arguments.model, limit, arguments.verbosity),
        LogFormat::Json => {
            let loaded = load::load(&arguments.model, limit, Verbosity { quiet: true, verbose: 0 })?;
            load::tell(&loaded, arguments.verbosity, &Log::new(LogFormat::Json, false));
            Ok(loaded)
        }
    }
}

/// When the parts of a run end.
struct Schedule {
    /// The search.
    search: Option<Instant>,
    /// What a time limit may be exceeded by.
    grace: Duration,
}

/// The search may take one of so many parts of the time where evidence is to be made, too.
const PARTS_WITH_PROOFS: u32 = 2;

/// Part of what a time limit may be exceeded by which is left to writing the result.
const PARTS_FOR_WRITING: u32 = 4;

/// What is left of a grace for what comes before writing.
fn before_writing(grace: Duration) -> Duration {
    grace - grace / PARTS_FOR_WRITING
}

impl Schedule {
    fn new(arguments: &ChainArguments, start: Instant, options: &Options) -> Self {
        let search = match arguments.search.timeout {
            Some(limit) if arguments.proofs => start.checked_add(limit / PARTS_WITH_PROOFS),
            _ => options.deadline,
        };
        let grace = before_writing(watch::grace(arguments.search.timeout.unwrap_or_default()));
        Self { search, grace }
    }

    /// The limit of replaying the chains. A result that was replayed is worth a little where the
    /// time is up; a compiler that takes minutes for large arrays is not.
    fn replay(&self, options: &Options) -> Limit {
        if options.interruption().is_some() {
            let deadline = Instant::now().checked_add(before_writing(watch::grace(Duration::ZERO)));
            return Limit { deadline, ..Limit::default() };
        }
        let late = Instant::now().checked_add(self.grace);
        let deadline = self.search.and_then(|deadline| deadline.checked_add(self.grace).max(late));
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

    /// Fills the folder, and removes what earlier runs wrote there and is no part of this result.
    fn write_folder(
        self,
        arguments: &ChainArguments,
        (folder, mut place): (&Path, Place),
        json: &str,
        log: &Log,
    ) -> Result<Exported, Failure> {
        let file = self.file;
        let origin = Origin { model: file.model.name.clone(), result: sha256(json) };
        let limits = self.options.smoothing.as_ref().map(|wishes| wishes.limits.clone()).unwrap_or_default();
        let (made, notes) = watch::writing(|| {
            let refused = place.write(&origin, [(RESULT, json.as_bytes())])?;
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

/// Standard output holds the JSON, an artefact, or the summary.
fn print_result(arguments: &ChainArguments, outcome: &Outcome, file: &ChainFile) -> Result<(), Failure> {
    let on_stdout = arguments.json.as_deref() == Some(Path::new("-"));
    let text = match arguments.emit {
        Some(Emit::Graph) => match &outcome.graph {
            Some(found) => visible::json(&format!("{:#}\n", graph::to_json(found))),
            None => return Err(Failure::new(Exit::Usage, "this strategy builds no graph")),
        },
        Some(_) => to_json(file),
        None if on_stdout => return Ok(()),
        None => summary::text(file),
    };
    print(&text).map(drop)
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
