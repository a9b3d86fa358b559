//! `chaincover chain`: the main job.

use super::args::{ChainArguments, Emit, FailOn, LogFormat, Verbosity};
use super::exit::Exit;
use super::export::Made;
use super::failure::Failure;
use super::load::Loaded;
use super::log::Log;
use super::{emit, export, load, print, search, smooth, watch};
use crate::check_native::{self, NativeCheck};
use crate::export::read::ReadError;
use crate::html::Occasion;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::output::chain_file::ChainFile;
use crate::output::digest::sha256;
use crate::output::owned::{Origin, Owned};
use crate::output::{graph, summary, write};
use crate::proofs;
use crate::proofs::write::ProofError;
use crate::refine;
use crate::report;
use frontend::limit::Limit;
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
    if let Some(folder) = &arguments.output {
        // Found out before the search, not after it.
        write::folder(folder)?;
    }
    let loaded = load(arguments, search::limit(&options))?;
    check_tolerances(arguments, &loaded)?;
    if let Some(stage @ (Emit::Ir | Emit::System | Emit::Btor2 | Emit::Aig | Emit::Cnf)) = arguments.emit {
        return emit::front(&loaded, stage);
    }
    options.smoothing = smooth::smoothing(&arguments.inputs, &loaded)?;
    let log = Log::new(arguments.log_format, arguments.verbosity.quiet);
    let searching = Options { deadline: schedule.search, ..options.clone() };
    let outcome = refine::find_chains(loaded.subject(), &searching, &log);
    log.finish();
    let outcome = outcome.map_err(|error| search::failure(&error))?;
    let replaying = schedule.replay(&options);
    let checks = native_checks(&loaded, &outcome, arguments.no_replay, &replaying);
    let mut file = report::chain_file(
        &loaded.model,
        &loaded.translated,
        &loaded.system,
        &outcome,
        &checks,
        start.elapsed(),
    );
    file.summary.reset_cost = options.reset_cost;
    // A full disk is no reason to keep the result from the screen.
    let written = watch::writing(|| write_results(arguments, &file, &replaying)).and_then(|made| {
        let proofs = match arguments.proofs {
            true => write_proofs(arguments, &loaded, (&outcome, &file), &options)?,
            false => Vec::new(),
        };
        clear_folder(arguments, &file, (&made, proofs), &log)?;
        Ok(made)
    });
    watch::writing(|| print_result(arguments, &outcome, &file))?;
    explain(arguments.verbosity, &log, &outcome, &checks, &file);
    smooth::explain(arguments, &log, &outcome);
    written?.complete()?;
    Ok(checks.iter().fold(search::exit_for(&outcome, &arguments.fail_on), |exit, check| match check {
        NativeCheck::Disagrees { .. } => exit.combine(Exit::SelfCheck),
        NativeCheck::Dies { .. } if arguments.fail_on.contains(&FailOn::Violated) => {
            exit.combine(Exit::Violated)
        }
        _ => exit,
    }))
}

/// Tolerances must speak of outputs: found out before the search, not after it.
fn check_tolerances(arguments: &ChainArguments, loaded: &Loaded) -> Result<(), Failure> {
    let outputs = || loaded.translated.signals.outputs.iter().map(|(signal, _)| signal);
    for (name, _) in &arguments.formats.tolerance {
        if !outputs().any(|signal| signal.name == *name || signal.lvalue == *name) {
            let error = ReadError::Tolerance(name.clone());
            return Err(Failure::new(Exit::Usage, error.to_string()));
        }
    }
    Ok(())
}

/// Reads the model; what there is to say of it goes where messages go.
fn load(arguments: &ChainArguments, limit: Limit) -> Result<Loaded, Failure> {
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

fn native_checks(loaded: &Loaded, outcome: &Outcome, skip: bool, limit: &Limit) -> Vec<NativeCheck> {
    let check = |chain: &crate::outcome::Chain| {
        if skip {
            return NativeCheck::Skipped { reason: "--no-replay".to_owned() };
        }
        check_native::check_within(&loaded.translated, &loaded.system, (&chain.trace, &chain.run), limit)
    };
    outcome.chains.iter().map(check).collect()
}

/// Writes the files; a format that cannot express the result does not stand in the way of the others.
fn write_results(arguments: &ChainArguments, file: &ChainFile, limit: &Limit) -> Result<Made, Failure> {
    let json = json_text(file)?;
    let mut made = Made::default();
    if let Some(folder) = &arguments.output {
        write::atomically(&folder.join("chain.json"), json.as_bytes())?;
        let occasion =
            Occasion { command: Some(command_line()), output: Some(folder.clone()), ..Occasion::default() };
        made = export::files(file, &arguments.formats, &occasion, limit)?;
        export::write_files(folder, &made.files)?;
    }
    if let Some(path) = &arguments.json {
        write::to_file_or_stdout(path, &json)?;
    }
    Ok(made)
}

/// Removes what earlier runs wrote into the folder and what is no part of this result, and notes what is.
fn clear_folder(
    arguments: &ChainArguments,
    file: &ChainFile,
    (made, proofs): (&Made, Vec<(String, String)>),
    log: &Log,
) -> Result<(), Failure> {
    let Some(folder) = &arguments.output else { return Ok(()) };
    let origin = Origin { model: file.model.name.clone(), result: sha256(json_text(file)?) };
    let mut owned = Owned::read(folder);
    owned.add(&origin, made.digests().chain(proofs));
    let cleared = owned.clear(|other| *other != origin);
    if !arguments.verbosity.quiet {
        cleared.messages(folder).iter().for_each(|(level, text)| log.message(level, text));
    }
    Ok(owned.write()?)
}

/// Writes the evidence; returns its files with their digests.
fn write_proofs(
    arguments: &ChainArguments,
    loaded: &Loaded,
    (outcome, file): (&Outcome, &ChainFile),
    options: &Options,
) -> Result<Vec<(String, String)>, Failure> {
    let Some(folder) = &arguments.output else { return Ok(Vec::new()) };
    let calls = &loaded.translated.libm;
    let result = (outcome, file);
    let written = proofs::write::write(folder, &loaded.system, calls, result, options).map_err(|error| {
        let exit = match &error {
            ProofError::Engine(_) => Exit::SelfCheck,
            ProofError::Write(_) | ProofError::Remove { .. } => Exit::Usage,
        };
        Failure::new(exit, error.to_string())
    })?;
    if !arguments.verbosity.quiet {
        let (certified, claims, kib) = (written.certified, written.claims, written.bytes.div_ceil(1024));
        eprintln!("proofs: {certified} of {claims} claims certified, {kib} KiB");
    }
    Ok(written.files)
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

/// The text of `chain.json`.
pub(crate) fn json_text(file: &ChainFile) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(file);
    text.map(|text| text + "\n").map_err(|error| Failure::new(Exit::Internal, error.to_string()))
}

/// Standard output holds the JSON, an artefact, or the summary.
fn print_result(arguments: &ChainArguments, outcome: &Outcome, file: &ChainFile) -> Result<(), Failure> {
    let on_stdout = arguments.json.as_deref() == Some(Path::new("-"));
    let text = match arguments.emit {
        Some(Emit::Graph) => match &outcome.graph {
            Some(found) => format!("{:#}\n", graph::to_json(found)),
            None => return Err(Failure::new(Exit::Usage, "this strategy builds no graph")),
        },
        Some(_) => json_text(file)?,
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
        for milestone in &file.milestones {
            log.milestone(milestone);
        }
    }
}
