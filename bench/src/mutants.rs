//! Mutants of the C models of the corpus: what becomes of them, and what other tests reveal of
//! them.
//!
//! Each model is judged by a process of its own, as are the tests that its mutants are scored with.

use super::corpus::Case;
use super::machine::Machine;
use super::row::Settings;
use super::table::Table;
use chaincover::mutation::{MutationFile, Step};
use chaincover::write;
use engine::random_simulation::Random;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

/// What was measured of the mutants of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MutantRow {
    /// Name of the case.
    pub case: String,
    /// How many have each verdict.
    pub verdicts: BTreeMap<String, usize>,
    /// How many are told to be no other system by each kind of proof.
    pub proofs: BTreeMap<String, usize>,
    /// Why how many stay undecided.
    pub undecided: BTreeMap<String, usize>,
    /// Chains that reveal all that were killed.
    pub chains: usize,
    /// Their steps.
    pub length: u64,
    /// Steps that any chains need that reveal as much.
    pub lower_bound: u64,
    /// Whether fewer chains, or as many with fewer steps, are proven not to reveal as much.
    pub minimal: bool,
    /// Steps of one test for each mutant.
    pub single: u64,
    /// Of those killed, how many the ordinary chain for the goals kills; `None`: it was not found.
    pub goal_chain: Option<Score>,
    /// Of those killed, how many as many random steps kill as the chains have.
    pub random: Option<Score>,
    /// And how many ten times as many do.
    pub more_random: Option<Score>,
    /// Steps of chains by the greedy strategy, and how many these kill.
    pub greedy: Option<Score>,
    /// Wall-clock seconds of `mutate`.
    pub seconds: f64,
    /// Seconds of processors, compiled mutants included, where the system tells them.
    pub processor_seconds: Option<f64>,
    /// Why there is no result.
    pub error: Option<String>,
}

/// What tests kill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// Steps of the tests.
    pub steps: u64,
    /// Mutants that they kill.
    pub killed: usize,
}

/// All that was measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MutantResults {
    /// Where.
    pub machine: Machine,
    /// Time limit of a model in seconds.
    pub timeout: f64,
    /// What else a reader should know.
    #[serde(default)]
    pub remark: Option<String>,
    /// The rows, by case.
    pub rows: Vec<MutantRow>,
}

impl MutantRow {
    fn of(&self, verdict: &str) -> usize {
        self.verdicts.get(verdict).copied().unwrap_or(0)
    }

    /// All mutants.
    pub fn mutants(&self) -> usize {
        self.verdicts.values().sum()
    }

    /// Those with a verdict.
    pub fn decided(&self) -> usize {
        self.mutants() - self.of("undecided")
    }
}

/// Seconds that processors spent for processes which this one has waited for, in Linux.
fn processor_seconds() -> Option<f64> {
    // The name of the program stands in brackets and may hold spaces.
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<f64>().ok();
    // Children in user and in kernel mode; the kernel shows hundredths of a second to programs.
    Some((ticks(13)? + ticks(14)?) / 100.0)
}

/// What a call of the program writes to standard output.
fn called(settings: &Settings, arguments: &[&str]) -> std::io::Result<Result<Vec<u8>, String>> {
    let mut command = settings.command();
    command.args(arguments).arg("--quiet").stdin(Stdio::null());
    let output = command.output()?;
    if output.stdout.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Ok(Err(said.lines().next().unwrap_or("no result").to_owned()));
    }
    Ok(Ok(output.stdout))
}

/// Decides the mutants of a case by the standard operators, and scores other tests with them.
///
/// # Errors
/// If the program cannot start itself, or the folder cannot be written.
pub fn measure(case: &Case, settings: &Settings, scratch: &Path) -> std::io::Result<MutantRow> {
    let folder = case.folder.display().to_string();
    let limit = format!("{}s", settings.timeout.as_secs_f64());
    let mutate = ["mutate", &folder, "--timeout", &limit, "--json", "-"];
    let (start, before) = (Instant::now(), processor_seconds());
    let written = called(settings, &mutate)?;
    let seconds = start.elapsed().as_secs_f64();
    let spent = processor_seconds().zip(before).map(|(after, before)| after - before);
    let file = match written.map(|text| MutationFile::parse(&String::from_utf8_lossy(&text))) {
        Ok(Ok(file)) => file,
        Ok(Err(error)) => return Ok(without_result(case, error.to_string())),
        Err(why) => return Ok(without_result(case, why)),
    };
    let mut row = MutantRow { seconds, processor_seconds: spent, ..of_file(case, &file) };
    let wanted: BTreeSet<String> = killed(&file).collect();
    let score = |tests: &Path| scored(settings, &folder, tests, &wanted);
    let path = |name: &str| scratch.join(format!("{}-{name}", case.name));
    let goals = path("chain.json");
    let chain = ["chain", &folder, "--timeout", &limit, "--violations", "off", "--json", "-"];
    if let Ok(text) = called(settings, &chain)? {
        write::atomically(&goals, &text).map_err(std::io::Error::other)?;
        let steps = serde_json::from_slice::<Json>(&text).ok();
        let steps = steps.and_then(|chain| chain["summary"]["length"].as_u64()).unwrap_or(0);
        row.goal_chain = score(&goals)?.map(|killed| Score { steps, killed });
    }
    for (times, name) in [(1, "random"), (10, "more")] {
        let steps = times * file.length;
        let table = path(&format!("{name}.csv"));
        write::atomically(&table, random_steps(&file, steps).as_bytes()).map_err(std::io::Error::other)?;
        let found = score(&table)?.map(|killed| Score { steps, killed });
        if times == 1 { row.random = found } else { row.more_random = found }
    }
    let greedy = called(settings, &[&mutate[..], &["--no-replay", "--strategy", "greedy"]].concat())?;
    let greedy = greedy.ok().and_then(|text| MutationFile::parse(&String::from_utf8_lossy(&text)).ok());
    row.greedy = greedy.map(|file| Score {
        steps: file.length,
        killed: killed(&file).filter(|id| wanted.contains(id)).count(),
    });
    Ok(row)
}

fn without_result(case: &Case, error: String) -> MutantRow {
    MutantRow { case: case.name.clone(), error: Some(error), ..MutantRow::default() }
}

fn killed(file: &MutationFile) -> impl Iterator<Item = String> + '_ {
    file.mutants.iter().filter(|mutant| mutant.verdict == "killed").map(|mutant| mutant.id.clone())
}

/// How many of some mutants tests kill; `None` where they cannot be judged.
fn scored(
    settings: &Settings,
    folder: &str,
    tests: &Path,
    wanted: &BTreeSet<String>,
) -> std::io::Result<Option<usize>> {
    let tests = tests.display().to_string();
    let found = called(settings, &["mutate", folder, "--no-replay", "--score", &tests, "--json", "-"])?;
    let file = found.ok().and_then(|text| MutationFile::parse(&String::from_utf8_lossy(&text)).ok());
    Ok(file.map(|file| killed(&file).filter(|id| wanted.contains(id)).count()))
}

/// A table of random steps, each with the inputs of some step of the chains, so that assumptions on
/// single steps hold.
fn random_steps(file: &MutationFile, steps: u64) -> String {
    let mut known: Vec<&Step> = Vec::new();
    for step in file.chains.iter().flat_map(|chain| &chain.steps) {
        if !known.iter().any(|other| other.inputs == step.inputs) {
            known.push(step);
        }
    }
    let names: Vec<&String> = known.iter().take(1).flat_map(|step| step.inputs.keys()).collect();
    let mut table = Table::new(names.into_iter().cloned());
    let mut random = Random::new(1);
    for _ in 0..if known.is_empty() { 0 } else { steps } {
        let step = known[random.below(known.len())];
        table.row(step.inputs.values().map(cell).collect());
    }
    table.csv()
}

/// A value as tables have it.
fn cell(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Object(parts) => parts.get("value").map_or_else(String::new, cell),
        other => other.to_string(),
    }
}

/// The kind of a proof: what stands in brackets without numbers.
fn kind(by: &str) -> String {
    let inner = by.split_once('(').map_or(by, |(_, inner)| inner.trim_end_matches(')'));
    inner.split([':', ',']).next().unwrap_or(inner).trim().to_owned()
}

fn of_file(case: &Case, file: &MutationFile) -> MutantRow {
    let mut row = MutantRow {
        case: case.name.clone(),
        chains: file.chains.len(),
        length: file.length,
        lower_bound: file.lower_bound,
        minimal: file.minimal,
        single: file.single,
        ..MutantRow::default()
    };
    for mutant in &file.mutants {
        *row.verdicts.entry(mutant.verdict.clone()).or_default() += 1;
        match mutant.verdict.as_str() {
            "equivalent" => *row.proofs.entry("terms".to_owned()).or_default() += 1,
            "conforms" => *row.proofs.entry(kind(&mutant.by)).or_default() += 1,
            "undecided" => *row.undecided.entry(mutant.by.clone()).or_default() += 1,
            _ => {}
        }
    }
    row
}

/// The rows as a table.
pub fn table(rows: &[MutantRow]) -> Table {
    let mut table = Table::new([
        "model",
        "mutants",
        "killed",
        "equivalent",
        "conform",
        "by",
        "crash",
        "hang",
        "unviable",
        "undecided",
        "decided",
        "chains",
        "steps",
        "bound",
        "single",
        "greedy",
        "goal chain",
        "random",
        "10 x random",
        "s",
        "processor s",
    ]);
    for row in rows {
        let percent = |part: usize, whole: usize| match whole {
            0 => "-".to_owned(),
            _ => format!("{} %", 100 * part / whole),
        };
        let score = |score: Option<Score>| match score {
            Some(score) => percent(score.killed, row.of("killed")),
            None => "-".to_owned(),
        };
        let greedy = row.greedy.map_or_else(
            || "-".to_owned(),
            |greedy| match greedy.killed < row.of("killed") {
                true => format!("{} ({})", greedy.steps, percent(greedy.killed, row.of("killed"))),
                false => greedy.steps.to_string(),
            },
        );
        let count = |verdict: &str| row.of(verdict).to_string();
        let proofs: Vec<String> =
            row.proofs.iter().map(|(proof, count)| format!("{proof} {count}")).collect();
        table.row(vec![
            row.case.clone(),
            row.mutants().to_string(),
            count("killed"),
            count("equivalent"),
            count("conforms"),
            proofs.join("; "),
            count("crash"),
            count("hang"),
            count("unviable"),
            count("undecided"),
            row.error.clone().unwrap_or_else(|| percent(row.decided(), row.mutants())),
            row.chains.to_string(),
            row.length.to_string(),
            if row.minimal { "proven".to_owned() } else { row.lower_bound.to_string() },
            row.single.to_string(),
            greedy,
            score(row.goal_chain),
            score(row.random),
            score(row.more_random),
            format!("{:.0}", row.seconds),
            row.processor_seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.0}")),
        ]);
    }
    table
}

impl MutantResults {
    /// The text of `MUTANTS.md`.
    pub fn markdown(&self) -> String {
        let Machine { cpu, cores, chaincover, .. } = &self.machine;
        let (all, decided) = self
            .rows
            .iter()
            .fold((0, 0), |(all, decided), row| (all + row.mutants(), decided + row.decided()));
        let remark = self.remark.as_ref().map_or_else(String::new, |remark| format!(" {remark}"));
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for (why, count) in self.rows.iter().flat_map(|row| &row.undecided) {
            *reasons.entry(why).or_default() += count;
        }
        let reasons: Vec<String> = reasons.iter().map(|(why, count)| format!("- {count}: {why}\n")).collect();
        format!(
            "# Mutants of the C models of the corpus\n\nWritten by `chaincover bench --mutants --results DIR`. \
             Standard operators, {} s a model, on {cores} cores ({cpu}; ChainCover {chaincover}).{remark}\n\n\
             Of {all} mutants {decided} are decided ({:.1} %). `single`: steps of one test for each mutant; `greedy`: steps of the chains by \
             `--strategy greedy`, with the part of the kills where it is less; then the part of the killed mutants that die by the ordinary chain for the goals (`chain`), by as many random steps as \
             the chains have, and by ten times as many, each with the inputs of some step of the chains. \
             `proven`: no fewer chains, and no as many with fewer steps, reveal as much.\n\n{}\nWhy mutants are undecided:\n\n{}",
            self.timeout,
            100.0 * decided as f64 / all.max(1) as f64,
            table(&self.rows).markdown(),
            reasons.concat(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> MutantRow {
        let count =
            |pairs: &[(&str, usize)]| pairs.iter().map(|&(name, count)| (name.to_owned(), count)).collect();
        MutantRow {
            case: "lamp".to_owned(),
            verdicts: count(&[("killed", 8), ("conforms", 1), ("undecided", 1)]),
            proofs: count(&[("exhaustive", 1)]),
            undecided: count(&[("the time was up", 1)]),
            chains: 1,
            length: 6,
            lower_bound: 4,
            single: 20,
            goal_chain: Some(Score { steps: 3, killed: 4 }),
            greedy: Some(Score { steps: 9, killed: 8 }),
            seconds: 1.6,
            ..MutantRow::default()
        }
    }

    #[test]
    fn the_table_says_what_the_rows_say() {
        let results =
            MutantResults { machine: Machine::this(), timeout: 60.0, remark: None, rows: vec![row()] };
        let text = results.markdown();
        for expected in [
            "| lamp | 10 | 8 | 0 | 1 | exhaustive 1 | 0 | 0 | 0 | 1 | 90 % | 1 | 6 | 4 | 20 | 9 | 50 % | - | - | 2 | - |",
            "Of 10 mutants 9 are decided (90.0 %).",
            "- 1: the time was up",
        ] {
            assert!(text.contains(expected), "{expected} is missing in\n{text}");
        }
    }

    #[test]
    fn proofs_have_kinds() {
        for (by, expected) in [
            ("no execution shows a difference (exhaustive: 8 reachable states)", "exhaustive"),
            ("no execution shows a difference (induction, 3 steps)", "induction"),
            (
                "no output that is seen depends on what differs",
                "no output that is seen depends on what differs",
            ),
        ] {
            assert_eq!(kind(by), expected);
        }
    }
}
