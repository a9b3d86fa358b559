//! `chaincover adapt`: an old chain on changed code, or what two versions of code differ in.

use super::args::{FailOn, ModelArguments, SearchArguments, Verbosity};
use super::exit::Exit;
use super::failure::Failure;
use super::log::Log;
use super::{close, load, print, search, verdict};
use chaincover::{
    Adapted, AdaptedChain, CodeDifference, KeptPrefix, Model, NativeCheck, Origin, Place, Preference, RESULT,
    adapt, check_natively, code_difference, justifications, report, sha256, summary, to_json,
    with_coverage_of, write,
};
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// `adapt`.
#[derive(Debug, Args)]
pub(crate) struct AdaptArguments {
    /// The old chain: chain.json, a table (CSV), or test inputs of Test-Comp (XML); with
    /// --difference the old version of the code
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,
    /// The changed model.
    #[command(flatten)]
    pub(crate) model: ModelArguments,
    /// The search.
    #[command(flatten)]
    pub(crate) search: SearchArguments,
    /// Compare two versions of C code: the shortest inputs after which an output differs, or a
    /// proof that there are none
    #[arg(long)]
    pub(crate) difference: bool,
    /// An input or output of the old chain that has another name now; may be repeated
    #[arg(long, value_name = "OLD=NEW", conflicts_with = "difference", value_parser = renamed)]
    pub(crate) rename: Vec<(String, String)>,
    /// What is kept of the old chain, before all else: as many steps as possible, or as many from
    /// its start
    #[arg(long, value_enum, value_name = "WHAT", default_value_t, conflicts_with = "difference")]
    pub(crate) prefer: Prefer,
    /// Write the adapted chains into a folder (chain.json); with --difference the execution that
    /// shows it, as result of the new version (difference_1.json) and of the old one
    /// (difference_1_old.json)
    #[arg(short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// With -o: replace files there that chaincover did not write
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Write the adapted chains, or with --difference what was found, as JSON to a file, or to
    /// standard output with -
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// What the exit code tells, separated by commas; a failed self-check always (default:
    /// violated, goals that are undecided or unreachable, stopped)
    #[arg(long, value_enum, value_name = "EVENTS", value_delimiter = ',', conflicts_with = "difference")]
    pub(crate) fail_on: Option<Vec<FailOn>>,
    /// Do not run anything on the compiled code
    #[arg(long)]
    pub(crate) no_replay: bool,
    /// Verbosity.
    #[command(flatten)]
    pub(crate) verbosity: Verbosity,
}

/// What is kept of an old chain, before all else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Prefer {
    /// As many steps as possible.
    #[default]
    Edits,
    /// As many steps from the start as possible.
    Prefix,
}

impl From<Prefer> for Preference {
    fn from(prefer: Prefer) -> Self {
        match prefer {
            Prefer::Edits => Self::FewestEdits,
            Prefer::Prefix => Self::LongestPrefix,
        }
    }
}

/// The two names of `OLD=NEW`.
fn renamed(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(old, new)| !old.is_empty() && !new.is_empty());
    let (old, new) = parts.ok_or("two names with = between them are needed")?;
    Ok((old.to_owned(), new.to_owned()))
}

/// Adapts, prints and writes.
pub(crate) fn run(arguments: &AdaptArguments) -> Result<Exit, Failure> {
    let start = Instant::now();
    if arguments.search.strategy != "exact" {
        return Err(Failure::new(Exit::Usage, "adapt needs the strategy `exact`"));
    }
    if arguments.difference {
        return difference(arguments);
    }
    arguments.json.as_deref().map_or(Ok(()), write::check_target)?;
    let options = search::options(&arguments.search)?;
    let place = open(arguments, &[RESULT])?;
    let settings = with_coverage_of(arguments.model.settings_for(&options), &arguments.old);
    let loaded = load::load_with(&arguments.model, &settings, arguments.verbosity)?;
    justifications(&loaded)?;
    let log = Log::new(super::args::LogFormat::Text, arguments.verbosity.quiet, options.deadline);
    let adapted =
        adapt(&loaded, &arguments.old, (&arguments.rename, arguments.prefer.into()), &options, &log);
    log.finish();
    let adapted = adapted?;
    let checks = if arguments.no_replay {
        vec![NativeCheck::Skipped { reason: "--no-replay".to_owned() }; adapted.outcome.chains.len()]
    } else {
        check_natively(&loaded, &adapted.outcome, &search::limit(&options))
    };
    let mut file = report(&loaded, (&adapted.outcome, &checks), (&settings, &options), start.elapsed());
    let told = told(&adapted);
    file.notes.extend(told.lines().map(|line| format!("adapted: {}", line.trim())));
    if let Some(path) = &arguments.json {
        write::to_file_or_stdout(path, &to_json(&file))?;
    }
    if let Some((folder, place)) = place {
        let json = to_json(&file);
        let origin = verdict::origin(&file, &json);
        write_files(&origin, &[(RESULT, json)], (folder, place), arguments.verbosity)?;
    }
    let text = told + "\n" + &summary::text(&file);
    match arguments.json.as_deref() == Some(Path::new("-")) {
        false => print(&text).map(drop)?,
        true if !arguments.verbosity.quiet => eprint!("{}", chaincover::diagnostics::visible_lines(&text)),
        true => {}
    }
    let fail_on = arguments.fail_on.as_deref().unwrap_or(&FailOn::DEFAULT);
    let exit = exit(&loaded, &adapted, &checks, fail_on);
    Ok(exit.combine(search::exit_for_coverage(file.coverage.as_ref(), fail_on)))
}

/// The exit code: that of `chain`, for the adapted chains.
fn exit(loaded: &Model, adapted: &Adapted, checks: &[NativeCheck], fail_on: &[FailOn]) -> Exit {
    let exit = match fail_on.contains(&FailOn::Lost) && !adapted.lost.is_empty() {
        true => Exit::Unreachable,
        false => Exit::Success,
    };
    let exit = exit.combine(search::exit_for(loaded, &adapted.outcome, fail_on));
    checks.iter().fold(exit, |exit, check| match check {
        NativeCheck::Disagrees { .. } => exit.combine(Exit::SelfCheck),
        NativeCheck::Dies { .. } if fail_on.contains(&FailOn::Violated) => exit.combine(Exit::Violated),
        _ => exit,
    })
}

/// What became of the old chains, for people.
fn told(adapted: &Adapted) -> String {
    let mut text = String::new();
    for note in &adapted.notes {
        let _ = writeln!(text, "{note}");
    }
    for (index, chain) in adapted.chains.iter().enumerate() {
        let AdaptedChain {
            old_steps,
            has_goals,
            refused,
            difference,
            causes,
            new_steps,
            is_shortest,
            edits,
            changes,
            changed_values,
            fewest_values,
            fewest_edits,
            prefix,
        } = chain;
        let number = index + 1;
        if let Some(step) = refused {
            let _ = writeln!(
                text,
                "chain {number}: the model does not accept the inputs of step {step} as they were"
            );
        }
        if let Some(difference) = difference {
            let _ = writeln!(text, "chain {number}: first difference: {difference}");
        }
        for cause in causes {
            let _ = writeln!(text, "   {cause}");
        }
        let _ = match new_steps {
            Some(steps) => {
                let edited = summary::counted(*edits as usize, "step");
                let values = match changed_values {
                    0 => String::new(),
                    count => {
                        let proven = if count == fewest_values { ", fewest possible (proven)" } else { "" };
                        format!("; {} changed{proven}", summary::counted(*count, "input value"))
                    }
                };
                let kept = match prefix {
                    None if edits == fewest_edits => format!("{edited} edited, fewest possible (proven)"),
                    None => format!("{edited} edited, at least {fewest_edits} are needed (proven)"),
                    Some(KeptPrefix { steps, most }) => {
                        let kept =
                            format!("it begins with {} of the old one", summary::counted(*steps, "step"));
                        match steps == most {
                            true => format!("{kept}, most possible (proven)"),
                            false => format!("{kept}, at most {most} are possible (proven)"),
                        }
                    }
                };
                let shortest = match (is_shortest, prefix) {
                    (false, _) => "",
                    (true, None) => "; no shorter one has as few",
                    (true, Some(_)) => "; no shorter one keeps as many",
                };
                writeln!(text, "chain {number}: {old_steps} -> {steps} steps; {kept}{shortest}{values}")
            }
            None if !has_goals => {
                writeln!(text, "chain {number}: nothing that it covers can be covered; it is left out")
            }
            None => writeln!(text, "chain {number}: no adaptation of it was found"),
        };
        for change in changes {
            let _ = writeln!(text, "   {change}");
        }
    }
    if !adapted.lost.is_empty() {
        let lost: Vec<String> =
            adapted.lost.iter().map(|(name, state)| format!("{name} ({state})")).collect();
        let _ = writeln!(text, "lost goals: {}", lost.join(", "));
    }
    text
}

/// Names of the files with the execution that tells two versions apart: of the new version and of
/// the old one.
const DIFFERENCE: [&str; 2] = ["difference_1.json", "difference_1_old.json"];

/// Compares two versions.
fn difference(arguments: &AdaptArguments) -> Result<Exit, Failure> {
    arguments.json.as_deref().map_or(Ok(()), write::check_target)?;
    let place = open(arguments, &DIFFERENCE)?;
    let options = search::options(&arguments.search)?;
    let settings = arguments.model.settings_for(&options);
    let old = [arguments.old.clone()];
    let found = code_difference(&old, &arguments.model.model, &settings, &options, arguments.no_replay)?;
    let mut text = String::new();
    let exit = match &found {
        CodeDifference::None(proof) => {
            let _ = writeln!(text, "no output ever differs, and both go on alike ({proof})");
            Exit::Success
        }
        CodeDifference::Undecided(why) => {
            let _ = writeln!(text, "undecided: {why}");
            search::stopped(&options).combine(Exit::Undecided)
        }
        CodeDifference::Shown(shown) => {
            let steps = summary::counted(shown.inputs.len(), "step");
            let proven = if shown.is_shortest { "proven shortest" } else { "perhaps not the shortest" };
            let _ = writeln!(text, "outputs differ after {steps} ({proven}); {}", shown.replayed);
            text += &listed(&shown.inputs);
            for (name, old, new) in &shown.outputs {
                let _ = writeln!(text, "   {name}: old {old}, new {new}");
            }
            Exit::Violated
        }
        CodeDifference::Ends(end) => {
            let (which, other) = if end.is_old { ("old", "new") } else { ("new", "old") };
            let proven = if end.is_shortest { "proven shortest" } else { "perhaps not the shortest" };
            let step = end.inputs.len().saturating_sub(1);
            let _ = writeln!(text, "no output differs as long as both versions go on ({})", end.proof);
            let _ = writeln!(
                text,
                "in step {step} the {which} version runs into this, and the {other} one goes on ({proven}): {}",
                end.reason
            );
            text += &listed(&end.inputs);
            Exit::Violated
        }
    };
    if let Some((folder, place)) = place {
        let origin = Origin { model: "difference".to_owned(), result: sha256(found.to_json()) };
        let name = |run: &chaincover::VersionRun| DIFFERENCE[usize::from(run.name == "old")];
        let files = found.executions().iter().map(|run| (name(run), to_json(&run.result)));
        let files: Vec<(&str, String)> = files.collect();
        let written = write_files(&origin, &files, (folder, place), arguments.verbosity)?;
        let names = files.iter().map(|(name, _)| name);
        for (run, name) in found.executions().iter().zip(names).filter(|(_, name)| written.contains(name)) {
            let _ = writeln!(text, "{}: the {} version", folder.join(name).display(), run.name);
        }
    }
    match &arguments.json {
        Some(path) => write::to_file_or_stdout(path, &found.to_json())?,
        None => print(&text).map(drop)?,
    }
    Ok(exit)
}

/// Opens the folder that results go to, if there is one; files of these names may be written there.
fn open<'a>(arguments: &'a AdaptArguments, names: &[&str]) -> Result<Option<(&'a Path, Place)>, Failure> {
    let Some(folder) = arguments.output.as_deref() else { return Ok(None) };
    let place = Place::open(folder, arguments.force)?;
    place.expect(names.iter().copied())?;
    Ok(Some((folder, place)))
}

/// Writes the files of a result, and clears the folder of those of an earlier one. The names of
/// those that were written, and not kept back.
fn write_files<'n>(
    origin: &Origin,
    files: &[(&'n str, String)],
    (folder, mut place): (&Path, Place),
    verbosity: Verbosity,
) -> Result<Vec<&'n str>, Failure> {
    let (mut written, mut refused) = (Vec::new(), Vec::new());
    for (name, text) in files {
        let kept_back = place.write(origin, [(*name, text.as_bytes())])?;
        if kept_back.is_empty() {
            written.push(*name);
        }
        refused.extend(kept_back);
    }
    let is_stale = |other: &Origin| other.model == origin.model && other != origin;
    close(place, is_stale, (folder, &refused), verbosity.quiet)?;
    Ok(written)
}

/// The inputs of an execution, a line for each step.
fn listed(inputs: &[Vec<(String, String)>]) -> String {
    let mut text = String::new();
    for (step, inputs) in inputs.iter().enumerate() {
        let inputs: Vec<String> = inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let _ = writeln!(text, "   step {step}: {}", inputs.join(", "));
    }
    text
}
