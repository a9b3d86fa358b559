//! `chaincover bench`: benchmark tables, plots and the result file.

use super::args::BenchArguments;
use super::exit::Exit;
use super::failure::Failure;
use super::own::Program;
use super::print;
use bench::corpus::{self, Case};
use bench::curves::CURVES;
use bench::external::Tool;
use bench::external::speed;
use bench::judge::{REFERENCE, complaints};
use bench::machine::Machine;
use bench::mutants::{self, MutantResults, MutantRow};
use bench::results::{Results, table};
use bench::row::{Row, Settings, WITHOUT, measure};
use bench::table::Table;
use bench::{deep, expect, external, families, published, strategies, subject};
use chaincover::{ENGINES, Strategy, write};
use serde_json::json;
use std::path::Path;

/// Strategies of an ordinary run.
const ORDINARY: [&str; 2] = [REFERENCE, "monolithic"];

/// Runs the cases under the strategies, prints one row each and writes what was asked for.
pub(crate) fn run(arguments: &BenchArguments, program: &Program) -> Result<Exit, Failure> {
    let scratch = tempfile::tempdir().map_err(|error| internal(&error))?;
    if let Some(folder) = &arguments.write {
        return write_members(&arguments.cases, folder);
    }
    if arguments.mutants {
        return mutants(arguments, program, scratch.path());
    }
    if arguments.speed {
        return Bench::new(arguments, program, scratch.path())?.speeds();
    }
    let results = match &arguments.from {
        Some(path) => read_results(path)?,
        None => Results {
            machine: Machine::this(),
            timeout: arguments.timeout.as_secs_f64(),
            remark: None,
            rows: Bench::new(arguments, program, scratch.path())?.rows()?,
        },
    };
    let results = Results { remark: arguments.remark.clone().or(results.remark.clone()), ..results };
    write_results(arguments, &results)?;
    let complaints = complaints(&results.rows);
    complaints.iter().for_each(|complaint| eprintln!("error: {complaint}"));
    Ok(if complaints.is_empty() { Exit::Success } else { Exit::Violated })
}

fn internal(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(Exit::Internal, format!("cannot run a row: {error}"))
}

fn usage(why: impl Into<String>) -> Failure {
    Failure::new(Exit::Usage, why)
}

fn read_results<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let text =
        std::fs::read_to_string(path).map_err(|error| usage(format!("{}: {error}", path.display())))?;
    serde_json::from_str(&text).map_err(|error| usage(format!("{}: {error}", path.display())))
}

/// Decides the mutants of each case, and writes what was asked for after each of them: all take
/// long.
fn mutants(arguments: &BenchArguments, program: &Program, scratch: &Path) -> Result<Exit, Failure> {
    let mut results = match &arguments.from {
        Some(path) => read_results(path)?,
        None => MutantResults {
            machine: Machine::this(),
            timeout: arguments.timeout.as_secs_f64(),
            remark: None,
            rows: Vec::new(),
        },
    };
    results.remark = arguments.remark.clone().or(results.remark);
    // Cases that are named are measured anew.
    if arguments.from.is_none() || !arguments.cases.is_empty() {
        let bench = Bench::new(arguments, program, scratch)?;
        for case in bench.cases()? {
            if !arguments.verbosity.quiet {
                eprintln!("mutants of {}", case.name);
            }
            let row = mutants::measure(&case, &bench.settings, scratch).map_err(|error| internal(&error))?;
            match results.rows.iter_mut().find(|known| known.case == row.case) {
                Some(known) => *known = row,
                None => results.rows.push(row),
            }
            write_mutants(arguments, &results)?;
        }
    }
    write_mutants(arguments, &results)?;
    let table = mutants::table(&results.rows);
    write_tables(arguments, &json!(results), &table)?;
    let failed: Vec<&MutantRow> = results.rows.iter().filter(|row| row.error.is_some()).collect();
    failed.iter().for_each(|row| eprintln!("error: {}: {}", row.case, row.error.as_deref().unwrap_or("")));
    Ok(if failed.is_empty() { Exit::Success } else { Exit::Violated })
}

/// Writes the result file of mutants.
fn write_mutants(arguments: &BenchArguments, results: &MutantResults) -> Result<(), Failure> {
    let Some(folder) = &arguments.results else { return Ok(()) };
    write::folder(folder)?;
    write::atomically(&folder.join("mutants.json"), format!("{:#}\n", json!(results)).as_bytes())?;
    write::atomically(&folder.join("MUTANTS.md"), results.markdown().as_bytes())?;
    Ok(())
}

/// Writes members of families into a folder instead of running them.
fn write_members(wanted: &[String], folder: &Path) -> Result<Exit, Failure> {
    for name in wanted {
        let members = families::members(name);
        for member in if members.is_empty() { vec![name.clone()] } else { members } {
            let written = families::write(&member, folder).map_err(|error| usage(error.to_string()))?;
            written.ok_or_else(|| usage(format!("`{member}` belongs to no family")))?;
        }
    }
    Ok(Exit::Success)
}

/// The exact strategy, and without each engine in turn.
fn ablated() -> Vec<String> {
    let without = ENGINES.iter().map(|row| format!("{WITHOUT}{}", row.engine));
    std::iter::once(REFERENCE.to_owned()).chain(without).collect()
}

/// What is to be run.
struct Bench<'a> {
    arguments: &'a BenchArguments,
    settings: Settings,
    /// Where members of families are written.
    scratch: &'a Path,
}

impl<'a> Bench<'a> {
    fn new(arguments: &'a BenchArguments, program: &Program, scratch: &'a Path) -> Result<Self, Failure> {
        for name in &arguments.strategy {
            if Tool::named(name).is_none() {
                name.parse::<Strategy>().map_err(|why| {
                    usage(format!("--strategy: {why}, or a tool outside: {}", Tool::names()))
                })?;
            }
        }
        let (program, words) = program.words().map_err(|error| internal(&error))?;
        let settings = Settings {
            program,
            words: words.to_vec(),
            timeout: arguments.timeout,
            solver: arguments.solver.clone(),
        };
        Ok(Self { arguments, settings, scratch })
    }

    fn rows(&self) -> Result<Vec<Row>, Failure> {
        if self.arguments.results.is_some() && self.arguments.cases.is_empty() {
            return self.rows_of_results();
        }
        let cases = self.cases()?;
        let ordinary: Vec<String> = match self.arguments.quick {
            true => vec![REFERENCE.to_owned()],
            false => ORDINARY.map(str::to_owned).to_vec(),
        };
        let ordinary = match self.arguments.ablate {
            true => ablated(),
            false => ordinary,
        };
        let strategies =
            if self.arguments.strategy.is_empty() { &ordinary } else { &self.arguments.strategy };
        let mut rows = Vec::new();
        for case in &cases {
            for strategy in strategies {
                rows.push(self.row(case, strategy)?);
            }
        }
        Ok(rows)
    }

    /// The cases of the paper's table under all strategies and tools, the deep models, the other
    /// cases under the paper's strategies, then the growth curves.
    fn rows_of_results(&self) -> Result<Vec<Row>, Failure> {
        let mut rows = Vec::new();
        let built_in = Strategy::ALL.iter().map(|strategy| strategy.name());
        let all: Vec<&str> = built_in.chain(Tool::ALL.iter().map(|tool| tool.name())).collect();
        for case in self.corpus(&published::cases())? {
            for strategy in &all {
                rows.push(self.row(&case, strategy)?);
            }
        }
        for name in deep::CASES {
            let case = self.case(name)?;
            for strategy in deep::STRATEGIES {
                rows.push(self.row(&case, strategy)?);
            }
        }
        for case in self.corpus(&[])?.iter().filter(|case| !published::cases().contains(&case.name)) {
            for strategy in strategies::STRATEGIES {
                if !rows.iter().any(|row: &Row| row.case == case.name && row.strategy == strategy) {
                    rows.push(self.row(case, strategy)?);
                }
            }
        }
        for curve in &CURVES {
            for strategy in curve.strategies {
                for name in curve.cases() {
                    let case = self.case(&name)?;
                    let row = self.row(&case, strategy)?;
                    let managed = row.has_result();
                    rows.push(row);
                    if !managed {
                        break;
                    }
                }
            }
        }
        Ok(rows)
    }

    /// The cases that were asked for, in their order: of the corpus, of the paper's table, of
    /// families.
    fn cases(&self) -> Result<Vec<Case>, Failure> {
        let mut cases = Vec::new();
        if self.arguments.cases.is_empty() {
            cases = self.corpus(&[])?;
        }
        for name in &self.arguments.cases {
            let members = families::members(name);
            if name == "table1" {
                cases.extend(self.corpus(&published::cases())?);
            } else if name == "deep" {
                cases.extend(self.corpus(&deep::CASES.map(str::to_owned))?);
            } else if members.is_empty() {
                cases.extend(match families::member(name) {
                    Some(_) => vec![self.case(name)?],
                    None => self.corpus(std::slice::from_ref(name))?,
                });
            } else {
                for member in members {
                    cases.push(self.case(&member)?);
                }
            }
        }
        if self.arguments.quick {
            cases.retain(|case| expect::read(&case.folder).is_ok_and(|expected| expected.slow.is_none()));
        }
        Ok(cases)
    }

    /// Cases of the corpus in the order of the names.
    fn corpus(&self, wanted: &[String]) -> Result<Vec<Case>, Failure> {
        let cases = corpus::cases(&self.arguments.corpus, wanted).map_err(usage)?;
        if wanted.is_empty() {
            return Ok(cases);
        }
        let place = |case: &Case| wanted.iter().position(|name| corpus::selects(name, &case.name));
        let mut cases = cases;
        cases.sort_by_key(place);
        Ok(cases)
    }

    /// A single case: of a family, else of the corpus.
    fn case(&self, name: &str) -> Result<Case, Failure> {
        if let Some(case) = families::write(name, self.scratch).map_err(|error| internal(&error))? {
            return Ok(case);
        }
        let found = self.corpus(&[name.to_owned()])?.into_iter().find(|case| case.name == name);
        found.ok_or_else(|| usage(format!("there is no case `{name}`")))
    }

    /// Steps per second of each case, as a table.
    fn speeds(&self) -> Result<Exit, Failure> {
        let million = |rate: f64| format!("{:.1}", rate / 1e6);
        let mut table = Table::new(["case", "instructions", "simulated M/s", "compiled M/s", "ratio"]);
        for case in self.cases()? {
            let subject = subject::load(&case.folder).map_err(usage)?;
            let folder = self.scratch.join(format!("speed-{}", case.name));
            write::folder(&folder)?;
            match speed::measure(&subject.reduced, &folder) {
                Ok(speed) => table.row(vec![
                    case.name.clone(),
                    speed.instructions.to_string(),
                    million(speed.simulated),
                    million(speed.compiled),
                    format!("{:.2}", speed.simulated / speed.compiled),
                ]),
                Err(why) => eprintln!("{}: {why}", case.name),
            }
        }
        print(&table.terminal())
    }

    fn row(&self, case: &Case, strategy: &str) -> Result<Row, Failure> {
        if !self.arguments.verbosity.quiet {
            eprintln!("{} with {strategy}", case.name);
        }
        let row = match Tool::named(strategy) {
            Some(tool) => external::measure(case, tool, &self.settings),
            None => measure(case, strategy, &self.settings),
        };
        row.map_err(|error| internal(&error))
    }
}

/// Prints and writes all that was asked for; the terminal gets the table unless standard output is
/// taken.
fn write_results(arguments: &BenchArguments, results: &Results) -> Result<(), Failure> {
    let rows = table(&results.rows);
    let report = json!(results);
    if let Some(folder) = &arguments.results {
        write::folder(folder)?;
        write::folder(&folder.join("plots"))?;
        write::atomically(&folder.join("results.json"), format!("{report:#}\n").as_bytes())?;
        for (name, text) in results.files() {
            write::atomically(&folder.join(name), text.as_bytes())?;
        }
    }
    write_tables(arguments, &report, &rows)
}

/// Writes a table in the forms that were asked for.
fn write_tables(arguments: &BenchArguments, report: &serde_json::Value, rows: &Table) -> Result<(), Failure> {
    let outputs = [
        (&arguments.json, format!("{report:#}\n")),
        (&arguments.markdown, rows.markdown()),
        (&arguments.csv, rows.csv()),
    ];
    let mut taken = false;
    for (path, text) in outputs {
        if let Some(path) = path {
            write::to_file_or_stdout(path, &text)?;
            taken |= path.as_os_str() == "-";
        }
    }
    if taken { Ok(()) } else { print(&rows.terminal()).map(drop) }
}
