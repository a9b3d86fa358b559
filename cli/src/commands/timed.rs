//! Commands of timed symbolic systems: `check`, `testcase`, `monitor`, `run`, and the times of
//! chains.

use super::args::{ChainArguments, CheckArguments, Minimise};
use super::exit::Exit;
use super::failure::Failure;
use super::test_args::{Choose, MonitorArguments, RunArguments, TestcaseArguments};
use super::{log, print, search, tell};
use chaincover::diagnostics::render;
use chaincover::requirements;
use chaincover::timed::{
    self, ChainRun, Checked, Excuse, Observed, RealTime, Report, RunOptions, TestOptions, Timing, Verdict,
};
use chaincover::write;
use serde_json::{Value as Json, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The one file of a model, where it is a timed system.
pub(crate) fn only(paths: &[PathBuf]) -> Option<&Path> {
    match paths {
        [path] if timed::is_timed(path) => Some(path),
        _ => None,
    }
}

/// Reads a timed system, judges its purposes, prints what was found.
pub(crate) fn check(arguments: &CheckArguments, path: &Path) -> Result<Exit, Failure> {
    let deadline = search::deadline(arguments.timeout);
    let checked = timed::check(path, &arguments.model.source.define, timed::SMT, deadline)?;
    if !arguments.verbosity.quiet {
        eprint!("{}", render(&checked.model.diagnostics, &checked.model.sources, log::is_coloured()));
    }
    match &arguments.json {
        Some(path) => write::to_file_or_stdout(path, &format!("{:#}\n", check_json(&checked)))?,
        None => {
            print(&check_text(&checked))?;
        }
    }
    if let Some(why) = &checked.unanswered {
        let open = checked.purposes.iter().filter(|(_, judged)| judged.is_none());
        let names: Vec<&str> = open.map(|(name, _)| name.as_str()).collect();
        eprintln!(
            "warning: {why}; nothing is said of whether these purposes are feasible and trace-deterministic, and of where silence is specified: {}",
            names.join(", ")
        );
        let is_over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        return Ok(if is_over { Exit::TimeOut } else { Exit::Undecided });
    }
    let mut judged = checked.purposes.iter().flat_map(|(_, judged)| judged);
    let is_good = judged.all(|judged| is_feasible(judged) && judged.twin.is_none());
    Ok(if is_good { Exit::Success } else { Exit::Source })
}

fn is_feasible(judged: &timed::Judged) -> bool {
    judged.feasible == judged.length
}

fn check_json(checked: &Checked) -> Json {
    let purposes: Vec<Json> = checked
        .purposes
        .iter()
        .map(|(name, judged)| {
            let Some(judged) = judged else { return json!({ "name": name }) };
            json!({
                "name": name,
                "feasible": is_feasible(judged),
                "deterministic": is_feasible(judged).then_some(judged.twin.is_none()),
                "quiescent_at": judged.quiescent,
            })
        })
        .collect();
    json!({ "schema": "chaincover/check/1", "kind": "timed", "model": checked.model.system.name, "purposes": purposes })
}

fn check_text(checked: &Checked) -> String {
    let system = &checked.model.system;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "timed system {}: {} states, {} transitions, {} variables, {} clocks",
        system.name,
        system.states.len(),
        system.edges.len(),
        system.data.len(),
        system.clocks.len()
    );
    for channel in &system.channels {
        let args: Vec<String> = channel
            .args
            .iter()
            .map(|arg| arg.as_ref().map_or_else(|| "int".to_owned(), ToString::to_string))
            .collect();
        let kind = timed::direction_name(channel.direction);
        let _ = writeln!(text, "  {kind:<15} {}({})", channel.name, args.join(", "));
    }
    for (purpose, (name, judged)) in system.purposes.iter().zip(&checked.purposes) {
        let path = system.path_text(&purpose.edges);
        let _ = write!(text, "purpose {name} = {path}: ");
        let Some(judged) = judged else {
            let _ = writeln!(text, "not judged");
            continue;
        };
        if !is_feasible(judged) {
            let prefix = system.path_text(&purpose.edges[..=judged.feasible]);
            let _ = writeln!(text, "infeasible: {prefix} cannot be taken");
            continue;
        }
        let _ = match &judged.twin {
            None => write!(text, "feasible, trace-deterministic"),
            Some((context, edge, trace)) => {
                let on = &system.edges[purpose.edges[*context]].name;
                let other = &system.edges[*edge].name;
                write!(text, "feasible, NOT trace-deterministic: {on} and {other} share {}", trace.join(""))
            }
        };
        let quiescent: Vec<String> = judged.quiescent.iter().map(ToString::to_string).collect();
        let none = if quiescent.is_empty() { "nowhere".to_owned() } else { quiescent.join(", ") };
        let _ = writeln!(text, "; silence is specified in context {none}");
    }
    text
}

/// Makes the test case of a purpose, or those of chains.
pub(crate) fn testcase(arguments: &TestcaseArguments) -> Result<Exit, Failure> {
    let options = TestOptions {
        timeout: arguments.timeout.as_deref(),
        excuse: arguments.silence.into(),
        prune: arguments.prune,
        smt: arguments.smt.program(),
    };
    let (system, define) = (&arguments.system, &arguments.define);
    let files = match (&arguments.purpose, &arguments.chain) {
        (Some(purpose), _) => vec![timed::testcase(system, define, purpose, &options)?],
        (None, Some(chain)) => {
            timed::testcases_of_chains(system, define, chain, arguments.adaptive, &options)?
        }
        (None, None) => {
            let message = "--tests is for action systems (*.as); name a --purpose, or a --chain";
            return Err(Failure::new(Exit::Usage, message));
        }
    };
    if arguments.format.is_some() && files.iter().any(|files| files.sptg.is_none()) {
        let message = "SPTG's test cases have one path: leave `--format sptg` or `--adaptive` away";
        return Err(Failure::new(Exit::Usage, message));
    }
    if let Some(folder) = &arguments.output {
        write::folder(folder)?;
        for (index, test) in files.iter().enumerate() {
            let number = if files.len() == 1 { String::new() } else { format!("-{}", index + 1) };
            let parts =
                [("json", &test.json), ("smt2", &test.smt2), ("dot", &test.dot), ("html", &test.html)];
            let more = arguments.format.and(test.sptg.as_ref()).map(|sptg| ("sptg.json", sptg));
            for (ending, text) in parts.into_iter().chain(more) {
                write::to_file_or_stdout(&folder.join(format!("testcase{number}.{ending}")), text)?;
            }
        }
    }
    print(&files.iter().map(|files| format!("{}\n", files.summary)).collect::<String>())
}

fn read_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::new(Exit::Usage, format!("cannot read {}: {error}", path.display())))
}

/// The text of a test case, where a file holds one; `None`: it is something else.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn test_text(path: &Path) -> Result<Option<String>, Failure> {
    if path.extension().is_none_or(|ending| ending != "json") {
        return Ok(None);
    }
    let text = read_text(path)?;
    let is_test = serde_json::from_str::<Json>(&text).is_ok_and(|json| json.get("transitions").is_some());
    Ok(is_test.then_some(text))
}

/// Judges a recorded run by a test case.
pub(crate) fn monitor(test: &str, arguments: &MonitorArguments) -> Result<Exit, Failure> {
    let report = timed::monitor(test, &arguments.log, arguments.smt.program())?;
    judged(&report, arguments.json.as_deref())
}

fn run_options(arguments: &RunArguments) -> RunOptions {
    RunOptions {
        sut: arguments.sut.clone(),
        is_random: arguments.choose == Choose::Random,
        seed: arguments.seed,
        answer: arguments.answer_within,
        deadline: search::deadline(arguments.timeout),
        real: arguments.unit.map(|unit| RealTime { unit, slack: arguments.slack }),
    }
}

fn print_observed(observed: &[Observed], json: Option<&Path>) -> Result<(), Failure> {
    if json == Some(Path::new("-")) {
        return Ok(());
    }
    let lines: Vec<String> = observed.iter().map(|one| format!("{}\n", one.to_json())).collect();
    print(&lines.concat()).map(drop)
}

/// Runs a test case against a system.
pub(crate) fn run(test: &str, arguments: &RunArguments) -> Result<Exit, Failure> {
    let (report, observed) = timed::run(test, &run_options(arguments), arguments.smt.program())?;
    print_observed(&observed, arguments.json.as_deref())?;
    judged(&report, arguments.json.as_deref())
}

/// Runs the chains of a result against a system.
pub(crate) fn run_chains(
    system: &Path,
    define: &[String],
    arguments: &RunArguments,
) -> Result<Exit, Failure> {
    let test = TestOptions {
        timeout: arguments.wait.as_deref(),
        excuse: Excuse::default(),
        prune: false,
        smt: arguments.smt.program(),
    };
    let how = ChainRun { path: system, define, test, adaptive: arguments.adaptive };
    let runs = timed::run_chains(&arguments.test, &how, &run_options(arguments))?;
    let reports: Vec<Report> = runs.iter().map(|(report, _)| report.clone()).collect();
    if let ([report], [(_, observed)]) = (&reports[..], &runs[..]) {
        print_observed(observed, arguments.json.as_deref())?;
        return judged(report, arguments.json.as_deref());
    }
    for (index, (report, observed)) in runs.iter().enumerate() {
        if arguments.json.as_deref() != Some(Path::new("-")) {
            print(&format!("chain {}:\n", index + 1))?;
        }
        print_observed(observed, arguments.json.as_deref())?;
        if arguments.json.is_none() {
            print(&format!("{}\n", verdict_line(report)))?;
        }
    }
    if let Some(path) = &arguments.json {
        tell(Some(path), &requirements::to_json(&reports), "")?;
    }
    Ok(Exit::from(requirements::combined(&reports)))
}

/// The verdict of a run in one line.
fn verdict_line(report: &Report) -> String {
    let rule = report.rule.clone().unwrap_or_else(|| report.verdict.name().to_owned());
    let reason = report.reason.clone().unwrap_or_default();
    let step = report.step.map_or(String::new(), |step| format!(" at event {}", step + 1));
    format!("{rule}{step}: {reason}")
}

fn judged(report: &Report, json: Option<&Path>) -> Result<Exit, Failure> {
    tell(json, &report.to_json(), &format!("{}\n", verdict_line(report)))?;
    Ok(match report.verdict {
        Verdict::Pass => Exit::Success,
        Verdict::Fail => Exit::Violated,
        Verdict::Inconclusive => Exit::Inconclusive,
        Verdict::Error => Exit::Unusable,
    })
}

/// Refuses `--minimise` where nothing would come of it.
pub(crate) fn check_minimise(arguments: &ChainArguments) -> Result<(), Failure> {
    // What is said of costs stands in the model.
    if matches!(arguments.minimise, Minimise::Steps | Minimise::Cost) {
        return Ok(());
    }
    let message = if only(&arguments.model.model).is_none() {
        "--minimise time is about timed systems (*.tio, *.xlia): a step of another model takes no time; `--minimise cost` is about costs that `[cost]` in chaincover.toml states"
    } else {
        return Ok(());
    };
    Err(Failure::new(Exit::Usage, message))
}

/// Prints the chains in exact time: the least at their length, or the quickest of all.
pub(crate) fn times(arguments: &ChainArguments, timing: &Timing) -> Result<(), Failure> {
    let on_stdout = arguments.json.as_deref() == Some(Path::new("-"));
    if on_stdout || arguments.emit.is_some() {
        return Ok(());
    }
    let mut text = format!("\ntime: {}\n", timing.summary(arguments.minimise.into()));
    for (index, chain) in timing.chains.iter().enumerate() {
        let _ = writeln!(text, "  chain {}: {chain}", index + 1);
    }
    print(&text).map(drop)
}
