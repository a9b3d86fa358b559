//! Old tests of a model: stored chains and tables of vectors as executions from the initial state.
//!
//! | file | what is read |
//! |---|---|
//! | `.json` | `chain.json`, `mutate.json`: each of their chains |
//! | `.csv` | a column for each input, a row for each step; the dialects of `--format` |
//! | `.xml` | test inputs of Test-Comp, one `<input>` for each input of each step |
//!
//! Nothing is guessed: what does not fit the model is an error that names file, line and input.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::stored::{read_stored, trace};
use crate::test_comp::{root, test_inputs};
use crate::written_test::{MOST_STEPS, Misfit, Written, cell_value, choice, of_rows, row, sort, untold};
use model::id::Id;
use model::system::GoalId;
use model::trace::{Execution, Trace, TraceError, replay};
use model::value::Value;
use report::mutation::{self, MutationFile};
use report::output::summary::counted;
use report::output::visible::cell;
use report::output::{chain_file, number};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An old test that is an execution of the model.
#[derive(Clone, Debug)]
pub struct OldTest {
    /// The file it was read from.
    pub path: PathBuf,
    /// Its number within the file, from 1.
    pub number: usize,
    /// Its inputs, and results of functions of mathematics.
    pub trace: Trace,
    /// What the evaluator sees.
    pub run: Execution,
}

/// Old tests, and what was left out of folders.
#[derive(Clone, Debug, Default)]
pub struct OldTests {
    /// The tests, in the order of the files; of equal ones the first.
    pub tests: Vec<OldTest>,
    /// Files of folders that are no tests by what they are (reports, tables without any input), or
    /// that cannot tell what the model starts with or chooses; with the reason.
    pub skipped: Vec<(PathBuf, String)>,
}

impl OldTest {
    /// The goals that occur in it, ascending.
    pub fn covers(&self) -> Vec<GoalId> {
        let reached = |&(_, found): &(GoalId, &Vec<_>)| !found.is_empty();
        self.run.occurrences.iter().filter(reached).map(|(goal, _)| goal).collect()
    }
}

/// Reads old tests and runs each of them on the model. A folder stands for the files `*.json`,
/// `*.csv` and `*.xml` directly in it.
///
/// ```
/// # use chaincover::{Settings, read, read_old_tests};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("lamp.c");
/// # std::fs::write(&path, "int on; void step(_Bool press) { if (press) on = !on; __CPROVER_cover(on); }")?;
/// let model = read([&path], &Settings::default())?;
/// let table = folder.path().join("old.csv");
/// std::fs::write(&table, "press\n0\n1\n")?;
/// let old = read_old_tests(&model, &[table])?;
/// assert_eq!((old.tests[0].trace.inputs.len(), old.tests[0].covers().len()), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Request`]: files that cannot be read, or that do not fit the model: an unknown or
/// a missing input, a value out of its range, a step that violates an assumption; a line for each
/// test.
pub fn read_old_tests(model: &Model, paths: &[PathBuf]) -> Result<OldTests, Error> {
    let mut found = OldTests::default();
    let mut refusals = Vec::new();
    for (path, is_of_folder) in files(paths)? {
        if is_of_folder && let Some(why) = no_test(model, &path) {
            found.skipped.push((path, why));
            continue;
        }
        let read = match written(model, &path, true) {
            Ok(read) => read,
            Err(error) => {
                refusals.push(error.brief());
                continue;
            }
        };
        for (index, test) in read.into_iter().enumerate() {
            if found.tests.iter().any(|known| known.trace == test.trace) {
                continue;
            }
            match replay(&model.system, &test.trace) {
                Ok(run) => {
                    let (path, trace) = (path.clone(), test.trace);
                    found.tests.push(OldTest { path, number: index + 1, trace, run });
                }
                Err(error) => refusals.push(refused(model, (&path, index), &test, &error)),
            }
        }
    }
    if !refusals.is_empty() {
        return Err(Error::new(ErrorKind::Request, refusals.join("\n")));
    }
    Ok(found)
}

impl OldTests {
    /// The tests as executions.
    pub fn traces(&self) -> Vec<Trace> {
        self.tests.iter().map(|test| test.trace.clone()).collect()
    }

    /// What the tests come to, a sentence each: how many of the goals they cover, which
    /// expectations they violate, and what was left out. None: no files.
    pub fn told(&self, model: &Model) -> Vec<String> {
        let mut told = Vec::new();
        for (path, why) in &self.skipped {
            told.push(format!("old tests: {} was left out: {why}", path.display()));
        }
        if self.tests.is_empty() {
            return told;
        }
        let goals = &model.system.goals;
        let is_covered =
            |goal: &GoalId| self.tests.iter().any(|test| !test.run.occurrences[*goal].is_empty());
        let covered = goals.ids().filter(is_covered).count();
        let steps: usize = self.tests.iter().map(|test| test.trace.inputs.len()).sum();
        let number = counted(self.tests.len(), "test");
        let steps = counted(steps, "step");
        told.push(format!("old tests: {number}, {steps}, cover {covered} of {} goals", goals.len()));
        for (id, goal) in goals.iter() {
            let broken = self.tests.iter().find_map(|test| {
                let found = test.run.occurrences[id].iter().find(|found| found.expectation == Some(false))?;
                Some((test, found.step))
            });
            if let Some((test, step)) = broken {
                let place = format!("{} (test {}), step {step}", test.path.display(), test.number);
                told.push(format!("old tests: the expectation of {} is violated in {place}", goal.name));
            }
        }
        told
    }
}

/// The files that paths stand for, and whether each of them stands for itself or is one of a folder.
fn files(paths: &[PathBuf]) -> Result<Vec<(PathBuf, bool)>, Error> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push((path.clone(), false));
            continue;
        }
        let refuse = |why: &dyn std::fmt::Display| {
            Error::new(ErrorKind::Request, format!("{}: {why}", path.display()))
        };
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(|error| refuse(&error))? {
            let file = entry.map_err(|error| refuse(&error))?.path();
            let is_hidden = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            let is_test = ["json", "csv", "xml"].iter().any(|ending| has_ending(&file, ending));
            if is_test && !is_hidden && file.is_file() {
                inside.push(file);
            }
        }
        if inside.is_empty() {
            return Err(refuse(&"there are no tests in this folder (*.json, *.csv, *.xml)"));
        }
        inside.sort();
        found.extend(inside.into_iter().map(|path| (path, true)));
    }
    Ok(found)
}

/// Why a file of a folder is no test; `None`: it may be one. What cannot be read, or not be told, is
/// taken for one: reading it says what is wrong.
fn no_test(model: &Model, path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let no_input = || "it is a table without any input of the model".to_owned();
    if has_ending(path, "csv") {
        let names = csv_reader(&text).headers().ok()?.clone();
        let signals = &model.translated.signals.inputs;
        let is_input = |name: &str| signals.iter().any(|input| is_named(name, &input.signal));
        return if names.iter().any(is_input) { untold(model) } else { Some(no_input()) };
    }
    if has_ending(path, "xml") {
        let root = root(&text)?;
        return if root == "testcase" { choice(model) } else { Some(other_root(&root)) };
    }
    let json = serde_json::from_str::<Json>(&text).ok()?;
    let is_known = [mutation::SCHEMA, chain_file::SCHEMA].iter().any(|known| json["schema"] == *known);
    (!is_known).then(|| "it is no result with chains".to_owned())
}

fn other_root(root: &str) -> String {
    format!("<{root}> is no <testcase> of Test-Comp")
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

/// The tests of a file; messages name it. `is_strict`: a table has no columns that the model knows
/// nothing of.
pub(crate) fn written(model: &Model, path: &Path, is_strict: bool) -> Result<Vec<Written>, Error> {
    read_tests(model, path, is_strict).map_err(|Misfit { line, error }| {
        let line = line.map_or_else(String::new, |line| format!(":{line}"));
        Error::new(error.kind, format!("{}{line}: {}", path.display(), error.brief()))
    })
}

fn read_tests(model: &Model, path: &Path, is_strict: bool) -> Result<Vec<Written>, Misfit> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::request(&error))?;
    if has_ending(path, "csv") {
        return table(model, &text, is_strict);
    }
    if has_ending(path, "xml") {
        if let Some(other) = root(&text).filter(|root| root != "testcase") {
            return Err(Error::new(ErrorKind::Request, other_root(&other)).into());
        }
        return Ok(vec![test_inputs(model, &text)?]);
    }
    let json: Json = serde_json::from_str(&text).map_err(|error| Error::request(&error))?;
    let plain = |trace| Written { trace, lines: Vec::new() };
    if json["schema"] == mutation::SCHEMA {
        let file = MutationFile::parse(&text).map_err(|error| Error::request(&error))?;
        return file.chains.iter().map(|chain| Ok(plain(of_mutants(model, chain)?))).collect();
    }
    let file = read_stored(path)?;
    let known = &model.translated.signals.inputs;
    let unknown = file.inputs.iter().find(|input| known.iter().all(|own| own.signal.name != input.name));
    if let Some(unknown) = unknown.filter(|_| is_strict) {
        let message = format!("`{}` is no input of the model; {}", unknown.name, inputs_listed(model));
        return Err(Error::new(ErrorKind::Request, message).into());
    }
    let chains = file.chains.iter().enumerate();
    chains.map(|(index, chain)| Ok(plain(trace(model, chain, index)?))).collect()
}

fn inputs_listed(model: &Model) -> String {
    let names: Vec<&str> =
        model.translated.signals.inputs.iter().map(|input| input.signal.name.as_str()).collect();
    match names.is_empty() {
        true => "it has none".to_owned(),
        false => format!("its inputs are {}", names.join(", ")),
    }
}

/// Why the test with a number of a file is no execution of the model; names the file, and the line
/// where it is known.
pub(crate) fn refused(
    model: &Model,
    (path, index): (&Path, usize),
    test: &Written,
    error: &TraceError,
) -> String {
    let (place, why) = refusal(model, &test.trace, error);
    let line = place.and_then(|step| test.lines.get(step));
    let line = line.map_or_else(|| format!(": test {}", index + 1), |line| format!(":{line}"));
    format!("{}{line}: {why}", path.display())
}

/// Why a test is no execution of the model: the step, where there is one, and the reason.
fn refusal(model: &Model, trace: &Trace, error: &TraceError) -> (Option<usize>, String) {
    match error {
        TraceError::Assumption { step, assumption } => {
            let why = broken_assumption(model, &trace.inputs[*step], *assumption);
            (Some(*step), format!("step {step}: {why}"))
        }
        error => (None, error.to_string()),
    }
}

/// What is wrong with the inputs of a step that break an assumption of the model, by its position.
pub(crate) fn broken_assumption(model: &Model, inputs: &[Value], assumption: usize) -> String {
    let broken = &model.system.assumptions[assumption];
    let limited = model.translated.signals.inputs.iter().find(|input| input.limit == Some(broken.condition));
    let place = broken.origin.map(|origin| model.translated.source.locate(origin));
    let place = place.map_or_else(String::new, |place| format!(" ({}:{})", place.file.display(), place.line));
    match limited {
        Some(input) => {
            let value = number::text(inputs[input.input.index()], &input.signal.kind);
            format!("{value} is out of the range of `{}`{place}", input.signal.name)
        }
        None => format!("an assumption of the model does not hold{place}"),
    }
}

/// A chain of an earlier result of `mutate`.
fn of_mutants(model: &Model, chain: &mutation::Chain) -> Result<Trace, Error> {
    let rows = chain.steps.iter().enumerate().map(|(step, listed)| {
        row(model, |signal| {
            let json = listed.inputs.get(&signal.signal.name);
            let sort = sort(model, signal);
            json.and_then(|json| number::from_json(json, sort))
                .ok_or_else(|| format!("step {step} has no value for {}", signal.signal.name))
                .map_err(|why| Error::new(ErrorKind::Request, why))
        })
    });
    of_rows(model, rows.collect::<Result<_, _>>()?)
}

/// How the rows of a table are placed in time.
#[derive(Clone, Copy, PartialEq)]
enum Axis {
    /// A row is a step.
    Rows,
    /// A column counts steps.
    Steps,
    /// A column has the time; one unit of it is so long.
    Time(Duration),
}

/// What stands where in a table.
struct Layout {
    /// The column with the number of the test.
    test: Option<usize>,
    axis: (Axis, usize),
    /// Whether the last row only holds the inputs of the one before, for a whole period.
    has_holding_row: bool,
    /// For each input its column.
    inputs: Vec<usize>,
}

impl Layout {
    fn new(model: &Model, names: &csv::StringRecord, is_strict: bool) -> Result<Self, String> {
        let signals = &model.translated.signals;
        let mut inputs = Vec::new();
        for input in &signals.inputs {
            let mut columns = (0..names.len()).filter(|&at| is_named(&names[at], &input.signal));
            let column = columns
                .next()
                .ok_or_else(|| format!("there is no column for the input {}", input.signal.name))?;
            if columns.next().is_some() {
                return Err(format!("two columns for the input {}", input.signal.name));
            }
            inputs.push(column);
        }
        let position = |wanted: &str| {
            (0..names.len()).find(|at| !inputs.contains(at) && names[*at].eq_ignore_ascii_case(wanted))
        };
        let period = model.configuration.period.as_ref();
        let axis = match (position("timestamp"), position("time"), position("step")) {
            (Some(at), ..) => (Axis::Time(Duration::from_millis(1)), at),
            (_, Some(at), _) => (Axis::Time(Duration::from_secs(1)), at),
            (_, _, Some(at)) => (Axis::Steps, at),
            _ => (Axis::Rows, 0),
        };
        let covers = position("covers");
        let is_known = |at: usize| {
            let name = &names[at];
            let is_output = |(signal, _): &(frontend::Signal, usize)| is_named(name, signal);
            let is_time = ["time", "timestamp", "step", "chain", "covers"]
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known));
            inputs.contains(&at)
                || is_time
                || name.starts_with("#EXP(")
                || signals.outputs.iter().any(is_output)
        };
        if let Some(unknown) = (0..names.len()).find(|&at| is_strict && !is_known(at)) {
            return Err(format!(
                "the column `{}` is neither an input nor an output of the model; {}",
                &names[unknown],
                inputs_listed(model)
            ));
        }
        let unit = match axis.0 {
            Axis::Time(unit) if period.is_none() && unit < Duration::from_secs(1) => Duration::from_millis(1),
            Axis::Time(unit) => unit,
            _ => Duration::ZERO,
        };
        let axis = if let Axis::Time(_) = axis.0 { (Axis::Time(unit), axis.1) } else { axis };
        let has_holding_row = matches!(axis.0, Axis::Time(_)) && covers.is_none();
        Ok(Self { test: position("chain"), axis, has_holding_row, inputs })
    }

    /// The step that a row stands for.
    fn step(&self, model: &Model, record: &csv::StringRecord, next: usize) -> Result<usize, String> {
        let text = record.get(self.axis.1).unwrap_or("");
        let step = match self.axis.0 {
            Axis::Rows => return Ok(next),
            Axis::Steps => text.parse().ok(),
            Axis::Time(unit) => {
                let period = model.configuration.period.as_ref();
                let period = period.map_or(Duration::from_secs(1), |(_, period)| *period);
                let steps =
                    text.parse::<f64>().ok().map(|time| time * unit.as_secs_f64() / period.as_secs_f64());
                // Times are decimals of periods; they may be off by what a double rounds.
                let is_whole = |steps: &f64| *steps >= 0.0 && (steps - steps.round()).abs() < 1e-6;
                steps.filter(is_whole).map(|steps| steps.round() as usize)
            }
        };
        let step = step.ok_or_else(|| format!("`{text}` is not the time of a step"))?;
        if step > MOST_STEPS {
            return Err(format!("a test has {MOST_STEPS} steps at most"));
        }
        Ok(step)
    }
}

/// Whether a column has the name of a signal.
fn is_named(name: &str, signal: &frontend::Signal) -> bool {
    [&signal.name, &signal.lvalue].iter().any(|own| *own == name || cell(own) == name)
}

fn csv_reader(text: &str) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(text.as_bytes())
}

/// The rows of one test so far.
#[derive(Default)]
struct Rows {
    name: String,
    values: Vec<Vec<Value>>,
    lines: Vec<u64>,
}

/// A table of values: a column for each input, named as in results or as in C; see the module text
/// and `docs/old-tests.md`.
fn table(model: &Model, text: &str, is_strict: bool) -> Result<Vec<Written>, Misfit> {
    let mut reader = csv_reader(text);
    let names = reader.headers().map_err(|error| Misfit::of_table(&error))?.clone();
    let first = names.position().map_or(1, csv::Position::line);
    let layout = Layout::new(model, &names, is_strict).map_err(|why| Misfit::at(first, why))?;
    let mut tests: Vec<Rows> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| Misfit::of_table(&error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let at = |why: String| Misfit::at(line, why);
        if is_remark(&record) {
            continue;
        }
        let name = layout.test.and_then(|column| record.get(column)).unwrap_or("");
        if tests.last().is_none_or(|test| test.name != name) {
            if tests.iter().any(|test| test.name == name) {
                return Err(at(format!("the rows of test {name} do not stand together")));
            }
            tests.push(Rows { name: name.to_owned(), ..Rows::default() });
        }
        let Some(rows) = tests.last_mut() else { continue };
        let step = layout.step(model, &record, rows.values.len()).map_err(at)?;
        let before = rows.values.last();
        let values = row(model, |signal| {
            let index = model.translated.signals.inputs.iter().position(|own| own.input == signal.input);
            let text = index.and_then(|index| record.get(layout.inputs[index])).unwrap_or("");
            match before.filter(|_| text.is_empty()) {
                Some(before) => Ok(before[signal.input.index()]),
                None => cell_value(model, signal, text).ok_or_else(|| {
                    let signal = &signal.signal;
                    at(format!("`{text}` is no value of type {} for {}", signal.type_name, signal.name))
                }),
            }
        })?;
        if step + 1 < rows.values.len() || (step > 0 && rows.values.is_empty()) {
            return Err(at(format!("step {step} does not follow the row above")));
        }
        // At an edge, tables for readers that interpolate have two rows for one time.
        rows.values.truncate(step);
        rows.lines.truncate(step);
        while let Some(last) = rows.values.last().filter(|_| rows.values.len() < step) {
            rows.values.push(last.clone());
            rows.lines.push(line);
        }
        rows.values.push(values);
        rows.lines.push(line);
    }
    let finished = |mut rows: Rows| {
        let is_held = rows.values.last().is_some_and(|last| rows.values.iter().rev().nth(1) == Some(last));
        if layout.has_holding_row && is_held {
            rows.values.pop();
        }
        Ok(Written { trace: of_rows(model, rows.values)?, lines: rows.lines })
    };
    tests.into_iter().map(finished).collect()
}

/// Whether a row tells types and units of columns, and has no values.
fn is_remark(record: &csv::StringRecord) -> bool {
    let is_remark =
        |text: &str| ["Type:", "Enum:", "Unit:", "Interp:"].iter().any(|start| text.starts_with(start));
    record.iter().any(is_remark) && record.iter().all(|text| text.is_empty() || is_remark(text))
}
