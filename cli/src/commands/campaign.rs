//! `chaincover campaign`: many models in many variants.

use super::campaign_args::{CampaignCommand, Engine, Retry, RunArguments};
use super::exit::Exit;
use super::failure::Failure;
use super::job;
use super::own::Program;
use super::print_raw;
use campaign::key::Context;
use campaign::slurm::Script;
use campaign::{Campaign, Job, Outcome, Plan, Row, Store, Table};
use chaincover::diagnostics::{visible, visible_lines};
use chaincover::write;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Time between two versions of the page while jobs run.
const REFRESH: Duration = Duration::from_secs(1);

/// Name of the file with the jobs in the folder of the page.
const JOBS: &str = "jobs.jsonl";

/// The module that hands jobs to Dask.
const DASK: &str = "chaincover.engines.dask";

/// Name of the file with what its jobs say of errors.
const SAID: &str = "dask.txt";

/// Its exit code where it has handed jobs in that have no answer.
const LOST: i32 = 5;

/// Name of the array script there.
const SCRIPT: &str = "jobs.sbatch";

/// Runs the command.
pub(crate) fn run(command: &CampaignCommand, program: &Program) -> Result<Exit, Failure> {
    match command {
        CampaignCommand::Run(arguments) => search(arguments, program),
        CampaignCommand::Jobs { campaign } => {
            let (plan, _) = read(campaign, program)?;
            print_raw(&lines(&plan.jobs))
        }
    }
}

/// Reads a campaign whose options `chain` knows. Its jobs are for this program only.
fn read(path: &Path, program: &Program) -> Result<(Plan, Context), Failure> {
    let mut plan = campaign::read(path)?;
    for left_out in &plan.left_out {
        eprintln!("note: {} is no model and is left out", visible(&left_out.display().to_string()));
    }
    if let Some(first) = plan.jobs.first() {
        job::parse(first).map_err(|why| Failure::new(Exit::Usage, format!("{}: {why}", path.display())))?;
    }
    let context = job::context(program)?;
    plan.jobs.iter_mut().for_each(|job| job.origin = Some(context.origin()));
    Ok((plan, context))
}

fn lines(jobs: &[Job]) -> String {
    jobs.iter().map(|job| job.line() + "\n").collect()
}

fn search(arguments: &RunArguments, program: &Program) -> Result<Exit, Failure> {
    if arguments.scheduler.is_some() && arguments.engine != Engine::Dask {
        return Err(Failure::new(Exit::Usage, "--scheduler is for --engine dask"));
    }
    let (plan, context) = read(&arguments.campaign, program)?;
    Table::check_place(&arguments.output)?;
    let beside = || arguments.campaign.with_file_name(".chaincover-store");
    let store = Store::open(&arguments.store.clone().unwrap_or_else(beside))?;
    let name = arguments.campaign.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let text = lines(&plan.jobs);
    let retries = arguments.retry == Some(Retry::Crashed);
    let mut campaign = Campaign::new(&name, plan.jobs, (&store, &context), retries)?;
    campaign.table.write(&arguments.output)?;
    let jobs = arguments.output.join(JOBS);
    write::atomically(&jobs, text.as_bytes())?;
    let (all, open) = (campaign.table.rows.len(), campaign.open.len());
    print_raw(&format!("{all} jobs: {} known, {open} to run ... ", all - open))?;
    if open > 0 {
        match arguments.engine {
            Engine::Local => run_here((arguments, program), (&mut campaign, &store), &jobs)?,
            Engine::Slurm => run_slurm((arguments, program), (&mut campaign, &store), (&name, &jobs))?,
            Engine::Dask => run_dask((arguments, program), (&mut campaign, &store), &jobs)?,
        }
    }
    campaign.table.write(&arguments.output)?;
    let page = arguments.output.join("index.html");
    print_raw(&format!(
        "{}   {} results.csv junit.xml\n",
        campaign.table.summary(),
        visible(&page.display().to_string())
    ))?;
    for row in campaign.table.rows.iter().filter(|row| is_error(row)) {
        eprintln!("{}: {}", visible(&row.job.name), visible_lines(&row.message));
    }
    Ok(campaign.table.rows.iter().fold(Exit::Success, |exit, row| exit.combine(exit_of(row))))
}

fn is_error(row: &Row) -> bool {
    matches!(row.outcome, Outcome::Failed | Outcome::Crashed)
}

fn exit_of(row: &Row) -> Exit {
    match row.outcome {
        Outcome::Waiting => Exit::Undecided,
        _ => Exit::of_code(row.exit),
    }
}

/// Writes the table now and then, and tells of jobs where that is asked for.
fn progress(arguments: &RunArguments) -> impl FnMut(&Table, &Row) -> Result<(), campaign::Error> {
    let mut last = Instant::now();
    move |table, row| {
        if arguments.verbose {
            eprintln!("{}: {}", visible(&row.job.name), row.outcome.name());
        }
        if last.elapsed() >= REFRESH {
            table.write(&arguments.output)?;
            last = Instant::now();
        }
        Ok(())
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Threads of one of so many searches at the same time.
fn threads(workers: usize) -> usize {
    (cores() / workers.max(1)).max(1)
}

fn run_here(
    (arguments, program): (&RunArguments, &Program),
    (campaign, store): (&mut Campaign<'_>, &Store),
    jobs: &Path,
) -> Result<(), Failure> {
    let workers = arguments.jobs.unwrap_or_else(cores).clamp(1, campaign.open.len());
    let threads = threads(workers).to_string();
    let command = |index: usize| {
        let mut call = job::own_call(program, "job")?;
        call.arg("--store").arg(store.folder()).args(["--threads", &threads]);
        call.args(["--line", &(index + 1).to_string(), "--"]).arg(jobs);
        Ok(call)
    };
    Ok(campaign.run(workers, &command, &mut progress(arguments))?)
}

/// Hands the open jobs to Dask, and waits for their results in the store.
fn run_dask(
    (arguments, program): (&RunArguments, &Program),
    (campaign, store): (&mut Campaign<'_>, &Store),
    jobs: &Path,
) -> Result<(), Failure> {
    let fail = |why: String| Failure::new(Exit::Usage, why);
    let absolute = |path: &Path| std::path::absolute(path).map_err(|error| fail(error.to_string()));
    let python = program.python();
    let module = format!("{} -m {DASK}", python.display());
    let (program, words) = program.words().map_err(|error| fail(format!("this program's file: {error}")))?;
    let lines: Vec<String> = campaign.open.iter().map(|index| (index + 1).to_string()).collect();
    let workers = arguments.jobs.unwrap_or_else(cores).clamp(1, lines.len());
    let mut call = Command::new(python);
    call.args(["-m", DASK, "--program"]).arg(program).arg("--store").arg(absolute(store.folder())?);
    for word in words {
        // In one word: it may begin with a dash.
        let mut argument = OsString::from("--word=");
        argument.push(word);
        call.arg(argument);
    }
    call.args(["--threads", &threads(workers).to_string(), "--workers", &workers.to_string()]);
    call.args(["--lines", &lines.join(",")]);
    if let Some(address) = &arguments.scheduler {
        call.args(["--scheduler", address]);
    }
    let said = arguments.output.join(SAID);
    let file = std::fs::File::create(&said)
        .map_err(|error| fail(format!("{}: cannot be written: {error}", said.display())))?;
    call.arg("--").arg(absolute(jobs)?).stdin(Stdio::null()).stdout(file);
    campaign.forget_failures()?;
    let started = call.spawn();
    let mut child =
        started.map_err(|error| fail(format!("{} cannot be started: {error}", python.display())))?;
    // Where it cannot be asked, it is taken to have ended.
    campaign.wait(&mut || matches!(child.try_wait(), Ok(None)), &mut progress(arguments))?;
    let ended = child.wait().map_err(|error| fail(format!("{module}: {error}")))?;
    if !ended.success() && ended.code() != Some(LOST) {
        return Err(fail(format!("{module}: {ended}: the jobs cannot be handed to Dask")));
    }
    if !campaign.open.is_empty() {
        let open = campaign.open.len();
        eprintln!(
            "warning: {module}: {ended}; jobs without a result: {open}; run the command again (what jobs said: {})",
            visible(&said.display().to_string())
        );
    }
    Ok(())
}

/// Hands the open jobs to Slurm, and waits for their results in the store.
fn run_slurm(
    (arguments, program): (&RunArguments, &Program),
    (campaign, store): (&mut Campaign<'_>, &Store),
    (name, jobs): (&str, &Path),
) -> Result<(), Failure> {
    let fail = |why: String| Failure::new(Exit::Usage, why);
    let absolute = |path: &Path| std::path::absolute(path).map_err(|error| fail(error.to_string()));
    let (program, words) = program.words().map_err(|error| fail(format!("this program's file: {error}")))?;
    let lines: Vec<usize> = campaign.open.iter().map(|index| index + 1).collect();
    let memory_bytes = campaign.table.rows.iter().find_map(|row| row.job.budget.memory_bytes);
    let jobs = absolute(jobs)?;
    let (program, store) = (program.as_os_str(), store.folder());
    let threads = threads(arguments.jobs.unwrap_or_else(cores));
    let script =
        Script { name, program, words, store, jobs: &jobs, lines: &lines, threads, memory_bytes }.text();
    let path = absolute(&arguments.output.join(SCRIPT))?;
    write::atomically(&path, script.as_bytes())?;
    campaign.forget_failures()?;
    let mut sbatch = Command::new("sbatch");
    sbatch.arg("--parsable").arg("--output").arg(path.with_file_name("slurm-%A_%a.txt")).arg(&path);
    let submitted = sbatch.output().map_err(|error| {
        let advice = "Slurm's commands are needed here; the script is written";
        fail(format!("sbatch cannot be started: {error}; {advice}: {}", path.display()))
    })?;
    if !submitted.status.success() {
        return Err(fail(format!("sbatch: {}", String::from_utf8_lossy(&submitted.stderr).trim_end())));
    }
    // `number` or `number;cluster`.
    let text = String::from_utf8_lossy(&submitted.stdout).into_owned();
    let number = text.trim().split(';').next().unwrap_or_default().to_owned();
    Ok(campaign.wait(&mut || is_queued(&number), &mut progress(arguments))?)
}

/// Whether Slurm still has a part of an array; where it does not say, it is taken to have.
fn is_queued(number: &str) -> bool {
    match Command::new("squeue").args(["--noheader", "--jobs", number]).output() {
        Ok(answer) => answer.status.success() && !answer.stdout.trim_ascii().is_empty(),
        Err(_) => true,
    }
}
