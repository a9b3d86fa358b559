//! `chaincover prove`: what holds of all executions.

use super::args::{FailOn, ModelArguments, ProveArguments};
use super::exit::Exit;
use super::failure::Failure;
use super::progress::TerminalProgress;
use super::{export, load, print, search, smooth, verdict, watch};
use chaincover::chain_file::{ChainFile, VerdictName};
use chaincover::evidence::VERDICTS as RESULT;
use chaincover::{
    ExportOptions, Judged, Known, Limit, Model, Occasion, Options, Origin, Outcome, Place, Topic, Vectors,
    assumptions, evidence, report, summary, to_json, verdicts, write,
};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What makes the exit code other than 0 where nothing else is asked for.
const DEFAULT: [FailOn; 4] = [FailOn::Violated, FailOn::Undecided, FailOn::Vacuous, FailOn::Stopped];

/// Asks for verdicts, prints and writes them.
pub(crate) fn run(arguments: &ProveArguments) -> Result<Exit, Failure> {
    let start = Instant::now();
    let mut options = search::options(&arguments.search)?;
    if arguments.output.is_none() && !arguments.formats.format.is_empty() {
        return Err(Failure::new(Exit::Usage, "--format writes files: name their folder with -o"));
    }
    let place = arguments.output.as_deref().map(|folder| Place::open(folder, arguments.force)).transpose()?;
    place.as_ref().map_or(Ok(()), |place| place.expect([RESULT]))?;
    if arguments.proofs {
        let folder = evidence::Part::Verdicts.folder();
        place.as_ref().map_or(Ok(()), |place| place.expect_evidence(folder, evidence::is_evidence))?;
    }
    arguments.json.as_deref().map_or(Ok(()), write::check_target)?;
    let (model, names) = parted(&arguments.names);
    let model = ModelArguments {
        model: model.to_vec(),
        source: arguments.source.clone(),
        ..ModelArguments::default()
    };
    let loaded = load::load_for(&model, &options, arguments.verbosity)?;
    options.smoothing = smooth::smoothing(&arguments.inputs, &loaded)?;
    let names: Vec<String> = names.iter().map(|name| name.display().to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let asked = loaded.requirements_named(&names)?;
    if asked.is_empty() && safe_operations(&loaded).is_none() {
        let message = "there is no requirement: write an assertion, a property function with one, or a [[goal]] with `expect`; --robustness asks for undefined operations";
        return Err(Failure::new(Exit::Usage, message));
    }
    let progress = TerminalProgress::new(arguments.verbosity.quiet, options.deadline);
    let known = Known { with_applications: arguments.proofs, ..Known::default() };
    let searching = Options { deadline: search_end(arguments, &options), ..options.clone() };
    let found = verdicts(&loaded, &asked, known, &searching, &progress);
    progress.finish();
    let grace = chaincover::grace(arguments.search.timeout.unwrap_or_default());
    let end = options.deadline.map(|deadline| deadline.max(Instant::now()) + grace);
    let limit = Limit { deadline: end, ..search::limit(&options) };
    let judged = Judged::new(&loaded, found?, (!arguments.no_replay).then_some(&limit));
    let settings = load::settings_for(&arguments.source, &options);
    let mut file =
        report(&loaded, (&nothing(&loaded, &options), &[]), (&settings, &options), start.elapsed());
    file.goals.clear();
    (file.summary.goals, file.summary.reset_cost) = (0, None);
    judged.add_to(&mut file, &loaded);
    if arguments.output.is_some() {
        judged.name_files(&mut file);
    }
    let result = Proved { loaded: &loaded, judged: &judged, file: &file, options: &options };
    let written = result.write(arguments, place, &limit);
    watch::writing(|| result.print(arguments))?;
    verdict::messages(&judged).for_each(|(level, text)| eprintln!("{level}: {text}"));
    if !arguments.verbosity.quiet {
        file.notes.iter().for_each(|note| eprintln!("note: {note}"));
    }
    written?;
    let wanted = arguments.fail_on.as_deref().unwrap_or(&DEFAULT);
    let exit = verdict::exit(&judged, &loaded, wanted);
    Ok(if wanted.contains(&FailOn::Stopped) {
        exit.combine(verdict::stopped(&judged, &options))
    } else {
        exit
    })
}

/// The end of the search: where evidence is to be made, it gets half of the time.
fn search_end(arguments: &ProveArguments, options: &Options) -> Option<Instant> {
    if arguments.proofs { options.within_part(1, 2).deadline } else { options.deadline }
}

/// The paths of the model, and names of requirements behind them.
fn parted(names: &[PathBuf]) -> (&[PathBuf], &[PathBuf]) {
    let is_path = |name: &PathBuf| {
        let ending = name.extension().and_then(|ending| ending.to_str());
        name.exists() || matches!(ending, Some("c" | "i" | "toml" | "btor2" | "aag" | "aig" | "sv" | "v"))
    };
    let models = names.iter().skip(1).take_while(|name| is_path(name)).count();
    names.split_at(names.len().min(models + 1))
}

/// Tells how many operations are no requirements because they are never undefined.
fn safe_operations(loaded: &Model) -> Option<String> {
    let findings = &loaded.translated.findings;
    let found = findings.iter().find(|finding| finding.topic == Topic::Robustness)?;
    Some(format!("{}: {}", found.subject, found.reason))
}

/// No chains: what a result is made of in which goals play no part.
fn nothing(loaded: &Model, options: &Options) -> Outcome {
    chaincover::no_chains(loaded, options)
}

/// What was found.
#[derive(Clone, Copy)]
struct Proved<'a> {
    loaded: &'a Model,
    judged: &'a Judged,
    file: &'a ChainFile,
    options: &'a Options,
}

impl Proved<'_> {
    fn write(self, arguments: &ProveArguments, place: Option<Place>, limit: &Limit) -> Result<(), Failure> {
        let json = to_json(self.file);
        if let Some(path) = &arguments.json {
            write::to_file_or_stdout(path, &json)?;
        }
        let Some(mut place) = place else { return Ok(()) };
        let origin = verdict::origin(self.file, &json);
        let settings = load::settings_for(&arguments.source, self.options);
        watch::writing(|| {
            let mut refused = place.write(&origin, [(RESULT, json.as_bytes())])?;
            refused.extend(self.judged.write(
                self.loaded,
                (&settings, self.options),
                (&mut place, &origin),
            )?);
            if !arguments.formats.format.is_empty() {
                let formats = export::options(&arguments.formats);
                let formats = ExportOptions { without_running: arguments.no_replay, ..formats };
                let vectors = Vectors::own(self.file);
                let occasion = Occasion { output: arguments.output.clone(), ..Occasion::default() };
                let mut made =
                    chaincover::export(self.file, (&vectors, Some(self.loaded)), &formats, &occasion, limit)?;
                made.refused.append(&mut refused);
                made.write(&mut place, &origin)?;
                made.complete()?;
            }
            if arguments.proofs {
                self.write_proofs(arguments, &mut place, &origin)?;
            }
            // What other runs wrote there stays.
            place.close(|_| false)?;
            match refused.is_empty() {
                true => Ok(()),
                false => Err(Failure::new(Exit::Usage, refused.join("; "))),
            }
        })
    }

    /// Writes the evidence, where something is claimed.
    fn write_proofs(
        self,
        arguments: &ProveArguments,
        place: &mut Place,
        origin: &Origin,
    ) -> Result<(), Failure> {
        let Some(folder) = &arguments.output else { return Ok(()) };
        let name = evidence::Part::Verdicts.folder();
        place.begin_evidence(origin, name)?;
        let found = (&self.judged.verdicts, self.file);
        let written = evidence::write_evidence_of_verdicts(folder, self.loaded, found, self.options)?;
        verdict::tell_evidence(&written, arguments.verbosity.quiet);
        place.end_evidence(origin, name, written.files);
        Ok(())
    }

    fn print(self, arguments: &ProveArguments) -> Result<(), Failure> {
        if arguments.json.as_deref() == Some(Path::new("-")) {
            return Ok(());
        }
        let folder = arguments.output.as_deref();
        let mut text = headline(self.file);
        text += &summary::further_verdicts(&verdict::with_folder(self.file, folder));
        if let Some(safe) = safe_operations(self.loaded) {
            let _ = writeln!(text, "   {safe}");
        }
        let assumed = assumptions(self.loaded, self.options);
        if !assumed.is_empty() {
            text += "\nof all executions in which\n";
            for line in assumed {
                let _ = writeln!(text, "  {line}");
            }
        }
        if folder.is_none() {
            let settings = load::settings_for(&arguments.source, self.options);
            text += &self.judged.tables(self.loaded, (&settings, self.options));
        }
        print(&text).map(drop)
    }
}

/// `lift: 3 requirements: 1 proven, 1 violated, 1 undecided`.
fn headline(file: &ChainFile) -> String {
    use VerdictName::{Proven, Undecided, Vacuous, Violated};
    let count = |name: VerdictName| file.verdicts.iter().filter(|verdict| verdict.verdict == name).count();
    let parts = [Proven, Violated, Vacuous, Undecided].map(|name| (count(name), name.name()));
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    let all = file.verdicts.len();
    let plural = if all == 1 { "requirement" } else { "requirements" };
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    format!("{}: {all} {plural}{parts}\n\n", file.model.name)
}
