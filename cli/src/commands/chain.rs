//! `chaincover chain`: the main job.

use super::args::{ChainArguments, Emit, FailOn, LogFormat, Minimise, Verbosity, Violations};
use super::exit::Exit;
use super::failure::Failure;
use super::log::Log;
use super::own::Program;
use super::workers::{self, Workers};
use super::{emit, export, load, print, requirements, search, smooth, verdict, watch};
use chaincover::chain_file::{Status, VerdictName};
use chaincover::{
    ChainFile, ExportOptions, Exported, Model, NativeCheck, Occasion, OldTests, Options, Outcome, Place,
    RESULT, Solved, Wanted, WrittenResult, evidence, graph, justifications, read_old_tests, solve, summary,
    to_json, visible, write,
};
use std::path::Path;
use std::time::Instant;

/// Finds the chains, replays them, prints and writes them.
pub(crate) fn run(arguments: &ChainArguments, program: &Program) -> Result<Exit, Failure> {
    find(arguments, program).map_err(|failure| match arguments.log_format {
        LogFormat::Json if !failure.message.is_empty() => {
            Log::new(LogFormat::Json, false, None).message("error", failure.message.trim_end());
            Failure { message: String::new(), ..failure }
        }
        _ => failure,
    })
}

fn find(arguments: &ChainArguments, program: &Program) -> Result<Exit, Failure> {
    let start = Instant::now();
    if let Some(given) = &arguments.given {
        return requirements::given(arguments, given);
    }
    let mut options = search::options(&workers::shared(arguments, 0)?)?;
    if arguments.proofs && arguments.violations == Violations::Append {
        let message = "--proofs certifies chains for goals, and --violations append makes them for violations, too: choose one of them";
        return Err(Failure::new(Exit::Usage, message));
    }
    super::timed::check_minimise(arguments)?;
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
    let old_tests = old_tests(arguments, &loaded)?;
    options.smoothing = smooth::smoothing(&arguments.inputs, &loaded)?;
    let log = Log::new(arguments.log_format, arguments.verbosity.quiet, options.deadline);
    let workers = Workers::start(arguments, program)?;
    let is_asked = arguments.emit != Some(Emit::Graph);
    let wanted = Wanted {
        start,
        timeout: arguments.search.timeout,
        violations: if is_asked { arguments.violations.into() } else { chaincover::Violations::Off },
        replay: !arguments.no_replay,
        proofs: arguments.proofs,
        old_tests,
        least_cost: arguments.minimise == Minimise::Cost,
        minimise: arguments.minimise.into(),
        exchange: workers.as_ref().map(Workers::exchange),
        ..Wanted::default()
    };
    let settings = arguments.model.settings_for(&options);
    let solved = solve(&loaded, (&settings, &options), &wanted, &log);
    log.finish();
    let mut solved = solved?;
    solved.file.notes.extend(workers.into_iter().flat_map(Workers::finish));
    if arguments.output.is_some() {
        solved.judged.name_files(&mut solved.file);
    }
    let Solved { outcome, checks, judged, answers, file, .. } = &solved;
    // A full disk is no reason to keep the result from the screen.
    let found = Found { loaded: &loaded, solved: &solved, options: &options };
    let written = found.write(arguments, place, &log);
    watch::writing(|| match answers {
        Some(answers) if arguments.emit.is_none() => requirements::print_chains(arguments, file, answers),
        _ => found.print(arguments),
    })?;
    explain(arguments.verbosity, &log, outcome, checks, file);
    verdict::messages(judged).for_each(|(level, text)| log.message(level, &text));
    smooth::explain(arguments, &log, outcome);
    if let Some(timing) = &solved.timing {
        super::timed::times(arguments, timing)?;
    }
    written?.complete()?;
    let exit = exit(arguments, &found);
    if let (Some(why), false) = (why(exit, &found, fail_on(arguments)), arguments.verbosity.quiet) {
        log.message("note", &format!("exit code {}: {why}", exit.code()));
    }
    Ok(exit)
}

/// What an exit code means that a newcomer would take for a failure, and what to do.
fn why(exit: Exit, found: &Found<'_>, fail_on: &[FailOn]) -> Option<String> {
    let file = &found.solved.file;
    let goals = |status: Status| {
        let goals = file.goals.iter().filter(|goal| goal.status == status);
        goals.map(|goal| &*goal.name).collect::<Vec<&str>>()
    };
    match exit {
        Exit::Unreachable => {
            let is_told = |event: FailOn| fail_on.contains(&event);
            let unreachable = goals(Status::Unreachable);
            let is_asked = is_told(FailOn::Unreachable) || is_told(FailOn::Uncovered);
            if let (Some(first), true) = (unreachable.first(), is_asked) {
                let (goals, first) = (named(&unreachable, "goals"), visible::shell_word(first));
                return Some(format!(
                    "no execution reaches {goals}, which is proven; `chaincover explain {first} MODEL` names what is \
                     in the way. If that is as it should be: --fail-on violated,undecided,stopped"
                ));
            }
            let stale: Vec<&str> = file
                .coverage
                .iter()
                .flat_map(|coverage| &coverage.stale)
                .filter(|_| is_told(FailOn::Stale))
                .map(|stale| &*stale.goal)
                .collect();
            if !stale.is_empty() {
                let goals = named(&stale, "goals");
                return Some(format!(
                    "justifications that excuse nothing any more: {goals}; remove them, or judge anew"
                ));
            }
            let verdicts = file.verdicts.iter().filter(|known| known.verdict == VerdictName::Vacuous);
            let vacuous: Vec<&str> = verdicts.map(|verdict| &*verdict.name).collect();
            (!vacuous.is_empty()).then(|| format!("never applies: {}", named(&vacuous, "requirements")))
        }
        Exit::Undecided => {
            let open = goals(Status::Undecided);
            (!open.is_empty()).then(|| {
                let goals = named(&open, "goals");
                format!("undecided: {goals}; a longer --timeout or a larger --max-k may decide")
            })
        }
        _ => None,
    }
}

/// Names in a sentence; of many the first, and how many more `things` there are.
fn named(names: &[&str], things: &str) -> String {
    match names {
        [one] => (*one).to_owned(),
        [one, .., _] if names.len() > 3 => format!("{one} and {} more {things}", names.len() - 1),
        [some @ .., last] => format!("{} and {last}", some.join(", ")),
        [] => String::new(),
    }
}

/// The old tests that the search begins with.
pub(crate) fn old_tests(arguments: &ChainArguments, loaded: &Model) -> Result<OldTests, Failure> {
    if arguments.start_from.is_empty() {
        return Ok(OldTests::default());
    }
    if arguments.search.strategy != "exact" {
        return Err(Failure::new(Exit::Usage, "--start-from needs the strategy `exact`"));
    }
    Ok(read_old_tests(loaded, &arguments.start_from)?)
}

/// What the exit code tells of goals.
fn fail_on(arguments: &ChainArguments) -> &[FailOn] {
    arguments.fail_on.as_deref().unwrap_or(&FailOn::DEFAULT)
}

/// The exit code: of all that happened, what is wanted, and a failed self-check always.
fn exit(arguments: &ChainArguments, found: &Found<'_>) -> Exit {
    let Solved { outcome, checks, judged, file, .. } = found.solved;
    let goals = fail_on(arguments);
    // What is open about requirements is told, and fails only where that is asked for.
    let requirements = arguments.fail_on.as_deref().unwrap_or(&[FailOn::Violated]);
    let exit = search::exit_for(found.loaded, outcome, goals);
    let exit = exit.combine(search::exit_for_coverage(file.coverage.as_ref(), goals));
    let exit = exit.combine(verdict::exit(judged, found.loaded, requirements));
    let exit = match found.options.interruption() {
        Some(_) if goals.contains(&FailOn::Stopped) => exit.combine(verdict::stopped(judged, found.options)),
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
            load::tell(&loaded, arguments.verbosity, &Log::new(LogFormat::Json, false, None));
            Ok(loaded)
        }
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
        for part in evidence::Part::ALL {
            place.expect_evidence(part.folder(), evidence::is_evidence)?;
        }
    }
    Ok(Some(place))
}

/// What a search came to.
#[derive(Clone, Copy)]
struct Found<'a> {
    loaded: &'a Model,
    solved: &'a Solved,
    options: &'a Options,
}

impl Found<'_> {
    /// Writes all that is asked for. A format that cannot express the result does not stand in the
    /// way of the others.
    fn write(self, arguments: &ChainArguments, place: Option<Place>, log: &Log) -> Result<Exported, Failure> {
        let made = match (&arguments.output, place) {
            (Some(folder), Some(place)) => self.write_folder(arguments, (folder, place), log),
            _ => Ok(Exported::default()),
        };
        if let Some(path) = &arguments.json {
            write::to_file_or_stdout(path, &to_json(&self.solved.file))?;
        }
        made
    }

    /// Standard output holds the JSON, an artefact, or the summary.
    fn print(self, arguments: &ChainArguments) -> Result<(), Failure> {
        let on_stdout = arguments.json.as_deref() == Some(Path::new("-"));
        let text = match arguments.emit {
            Some(Emit::Graph) => match &self.solved.outcome.graph {
                Some(found) => visible::json(&format!("{:#}\n", graph::to_json(found))),
                None => return Err(Failure::new(Exit::Usage, "this strategy builds no graph")),
            },
            Some(_) => to_json(&self.solved.file),
            None if on_stdout => return Ok(()),
            None => self.summary(arguments),
        };
        print(&text).map(drop)
    }

    /// The summary; counterexamples stand in it where they are not written into files.
    fn summary(self, arguments: &ChainArguments) -> String {
        let folder = arguments.output.as_deref();
        let text = summary::text(&verdict::with_folder(&self.solved.file, folder));
        match folder {
            Some(_) => text,
            None => {
                let settings = arguments.model.settings_for(self.options);
                text + &self.solved.judged.tables(self.loaded, (&settings, self.options))
            }
        }
    }

    /// Fills the folder, and removes what earlier runs wrote there and is no part of this result.
    fn write_folder(
        self,
        arguments: &ChainArguments,
        (folder, mut place): (&Path, Place),
        log: &Log,
    ) -> Result<Exported, Failure> {
        let output = Some(folder.to_owned());
        let occasion = Occasion { command: Some(super::command_line()), output, ..Occasion::default() };
        let formats = export::options(&arguments.formats);
        let settings = arguments.model.settings_for(self.options);
        let read_with = (&settings, self.options);
        let WrittenResult { exported: made, notes, origin, .. } = watch::writing(|| {
            self.solved.write(
                self.loaded,
                read_with,
                &mut place,
                (&formats, &occasion),
                &self.solved.replaying,
            )
        })?;
        if arguments.proofs {
            let folders = || evidence::parts(&self.solved.file).map(evidence::Part::folder);
            folders().try_for_each(|name| place.begin_evidence(&origin, name))?;
            let files = self.write_proofs(arguments, folder)?;
            folders().for_each(|name| place.end_evidence(&origin, name, []));
            place.add(&origin, files);
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
        let Solved { outcome, judged, file, .. } = self.solved;
        let result = (outcome, &judged.verdicts, file);
        let written = evidence::write_evidence(folder, self.loaded, result, self.options)?;
        verdict::tell_evidence(&written, arguments.verbosity.quiet);
        Ok(written.files)
    }
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
