//! Requirement interfaces: what is asked of them beside chains, and what is said of their chains
//! beside what is said of all.

mod code;
mod interpreter;
mod mutants;
mod observable;
mod pages;
mod players;
mod proofs;
mod running;
mod safety_game;
mod trees;

pub use mutants::{MutantTests, mutate, read_mutant_tests, run_mutant_tests};
pub use pages::{CHECK, PAGE, ResultFile, VERDICT, WrittenInterface, check_files, run_files};
pub(crate) use proofs::verify as verify_check;
pub use proofs::{CheckProofs, result, write_proofs};
pub use running::{System, run};
pub use safety_game::safety_game;

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use ::replay::check::NativeCheck;
use contracts::adaptive::Tree;
use contracts::check::{Means, check_by};
use contracts::goals;
use contracts::judge;
use contracts::log::{LogError, parse, parse_inputs};
use contracts::marks::Mark;
use contracts::out_monitor::OutMonitor;
use contracts::runs::{Finder, Goals, Graded, Runs, accepts, grade, witness};
use contracts::semantics::{Effort, Undecided, Valuation};
use contracts::syntax::Role;
use contracts::vcd::Sampling;
use contracts::{Contracts, ContractsSource, Document, Interface, Unreadable};
use engine::knowledge::status::{GoalStatus, Minimality};
use engine::outcome::{Chain, Outcome};
use frontend::limit::Limit;
use frontend::{FrontEnd, INTERPRETED};
use harness::Report;
pub(crate) use interpreter::recorded;
use interpreter::{EFFORT, Interpreter};
use model::system::GoalId;
use model::trace::{Trace, replay};
use players::Players;
use report::output::chain_file::{ChainFile, WrittenRequirement};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

pub use contracts::check::{Conflicts, Consistency, Refutation};
pub use contracts::fret::{Imported, Wishes as FretWishes};
pub use contracts::judge::describe;
pub use contracts::lustre::{Emitted as LustreContract, Wishes as LustreWishes};
pub use contracts::semantics::Undecided as NoDecision;
pub use contracts::vcd::{Sampling as DumpSampling, Steps as DumpSteps};
pub use contracts::{
    Contract, Document as RequirementDocument, Interface as RequirementInterface, Requirement,
};
pub use harness::Verdict;

/// The code of the message that requirements contradict each other.
pub const INCONSISTENT: &str = contracts::code::Code::Inconsistent.code().text;

/// Observations of a chain for which the first inputs are looked for.
const LONGEST: usize = 200;

/// Whether files are requirement interfaces, by their names.
pub fn are_interfaces(paths: &[PathBuf]) -> bool {
    paths.iter().any(|path| Contracts.reads(path))
}

/// Reads the conjunction of interfaces; each of `define` is `NAME=VALUE`.
///
/// # Errors
/// [`ErrorKind::Source`] with all that is wrong.
pub fn read_interface(paths: &[PathBuf], define: &[String]) -> Result<Document, Error> {
    contracts::read(paths, define).map_err(|error| {
        let Unreadable(failure) = *error;
        failure.into()
    })
}

/// Requirements of FRET's JSON as an interface; what is made of them has been read back.
///
/// ```
/// use chaincover::requirements::{FretWishes, import_fret};
/// let json = r#"[{ "reqid": "R1", "fulltext": "lamp shall always satisfy on",
///     "semantics": { "component_name": "lamp", "ptExpanded": "(H on)" } }]"#;
/// let wishes = FretWishes {
///     outputs: vec!["on".to_owned()],
///     types: vec![("on".to_owned(), "bool".to_owned())],
///     ..FretWishes::default()
/// };
/// let imported = import_fret(json, &wishes)?;
/// assert!(imported.text.contains("always guarantee on'"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Request`]: the file is none of FRET, or leaves open what has to be told.
/// [`ErrorKind::Source`]: what is made of it is no interface.
pub fn import_fret(json: &str, wishes: &FretWishes) -> Result<Imported, Error> {
    let imported = contracts::fret::import(json, wishes)
        .map_err(|why| Error::new(ErrorKind::Request, why.to_string()))?;
    contracts::read_text("the imported requirements", &imported.text).map_err(|error| {
        let Unreadable(failure) = *error;
        Error::from(failure)
    })?;
    Ok(imported)
}

/// The contract of a node of Lustre, as Kind 2 has them, as an interface; what is made of it has been
/// read back.
///
/// ```
/// use chaincover::requirements::{LustreWishes, import_lustre};
/// let text = "node imported lamp (press: bool) returns (lit: bool);
///     con guarantee \"R1\" lit = (press -> press or pre lit); noc";
/// let imported = import_lustre(text, &LustreWishes::default())?;
/// assert!(imported.text.contains("guarantee (lit' = (press' or lit))"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Source`]: the text does not parse, or says what has no place in an interface.
pub fn import_lustre(text: &str, wishes: &LustreWishes) -> Result<Imported, Error> {
    let imported = contracts::lustre::import(text, wishes)
        .map_err(|why| Error::new(ErrorKind::Source, why.to_string()))?;
    contracts::read_text("the imported contract", &imported.text).map_err(|error| {
        let Unreadable(failure) = *error;
        Error::from(failure)
    })?;
    Ok(imported)
}

/// An interface as the contract of a node of Lustre, as Kind 2 has them.
///
/// # Errors
/// [`ErrorKind::Source`]: it has values or names that Lustre has not.
pub fn lustre(interface: &Interface) -> Result<LustreContract, Error> {
    contracts::lustre::emit(interface).map_err(|error| Error::new(ErrorKind::Source, error.to_string()))
}

/// Whether an interface is consistent, which requirements contradict each other, and which have no
/// effect. Parts of it with too many positions to be enumerated are decided by two SAT solvers that
/// refute each other ([`engine::game`]).
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("twice.ri");
/// # let text = "output b : bool  req x always guarantee b'  req y always guarantee not b'";
/// # std::fs::write(&path, text)?;
/// use chaincover::{Limit, requirements};
/// let document = requirements::read_interface(&[path], &[])?;
/// let found = requirements::consistency(&document.interface, &Limit::default());
/// let found = found.expect("a small interface");
/// assert_eq!((found.depth, found.conflicts.sets), (Some(0), vec![vec![0, 1]]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// It is too large, or the limit was reached.
pub fn consistency(interface: &Interface, limit: &Limit) -> Result<Consistency, Undecided> {
    consistency_after(interface, [BEFORE_SOLVER, AFTER_SOLVER], limit)
}

/// As [`consistency`], where enumeration gets that many values for each part of the interface
/// before the solvers have their turn, and behind it, for what only enumeration tells.
///
/// # Errors
/// As [`consistency`].
pub fn consistency_after(
    interface: &Interface,
    [before_solver, after_solver]: [u64; 2],
    limit: &Limit,
) -> Result<Consistency, Undecided> {
    let effort = Effort::new(EFFORT, limit.clone());
    let players = Players::new(limit);
    let mut means = Means { effort, solver: Some(&players), before_solver, after_solver };
    check_by(interface, &mut means)
}

/// Values that are tried for one part of an interface before solvers have their turn: what takes
/// more is mostly decided by them sooner.
const BEFORE_SOLVER: u64 = 20_000;

/// Values that are tried for one part behind the first turn of the solvers.
const AFTER_SOLVER: u64 = 1_000_000;

/// Whether an interface is k-consistent, as a question in SMT-LIB.
///
/// # Errors
/// [`ErrorKind::Source`]: it has machine integers or scaled numbers.
pub fn smt(interface: &Interface, k: u32) -> Result<String, Error> {
    contracts::smt::consistency(interface, k)
        .map_err(|error| Error::new(ErrorKind::Source, error.to_string()))
}

/// Finds the interface that a model was made of; none where it was made of something else.
fn source_of(model: &Model) -> Option<&ContractsSource> {
    model.translated.source.as_any()?.downcast_ref()
}

/// What the interpreter says of the chains of an interface.
#[derive(Clone, Debug)]
pub struct Answers {
    /// The interface.
    pub interface: Interface,
    /// The requirements as they are written.
    written: Vec<WrittenRequirement>,
    /// For each chain its steps and whether it is certain; none where there are too many runs.
    pub chains: Vec<Option<Graded>>,
    /// For each chain why the interpreter has not run it; none where it has.
    not_interpreted: Vec<Option<String>>,
    /// For each chain what each requirement says of each step; nothing where there are too many
    /// runs.
    marks: Vec<Vec<Vec<Mark>>>,
    /// For each chain that is not certain the adaptive test with the least worst case that meets
    /// the same goals whatever is answered.
    pub trees: Vec<Option<Tree>>,
}

/// Whether the reference interpreter of requirements runs the chains of a model.
pub(crate) fn are_interpreted(model: &Model) -> bool {
    source_of(model).is_some()
}

/// Puts the first of all inputs of the same length in place of those that were found, as far as
/// that is quick, and follows all runs under them. None where the model is no interface.
///
/// # Errors
/// [`ErrorKind::SelfCheck`]: the reference interpreter does not accept a chain.
pub fn refine(model: &Model, outcome: &mut Outcome, limit: &Limit) -> Result<Option<Answers>, Error> {
    let Some(interpreter) = Interpreter::of(model) else { return Ok(None) };
    let Interpreter { source, runs, all } = &interpreter;
    let interface = source.interface();
    let is_single = outcome.chains.len() == 1 && outcome.minimal == Minimality::Proven;
    let (mut chains, mut trees, mut marks) = (Vec::new(), Vec::new(), Vec::new());
    let mut not_interpreted = Vec::new();
    for (index, chain) in outcome.chains.iter_mut().enumerate() {
        let mut effort = Effort::new(EFFORT, limit.clone());
        let names: Vec<&str> =
            chain.order.iter().map(|&goal| model.system.goals[goal].name.as_str()).collect();
        let goals = Goals::first(interface, names.iter().copied());
        let is_whole = Goals::new(interface, names.iter().copied()).is_some();
        let inputs = interpreter.inputs(&chain.trace, &chain.run);
        // Parts of the interface that say nothing about chains are answered here, too.
        let run = witness(runs, &goals, &inputs, &mut effort);
        match run.and_then(|run| run.map(|run| source.trace(&run, &mut effort)).transpose()) {
            Ok(Some(trace)) => {
                *chain = rerun(model, trace, chain)?;
                not_interpreted.push(None);
            }
            Ok(None) => return Err(refused()),
            Err(undecided) => {
                outcome.notes.push(format!(
                    "the reference interpreter did not replay chain {}: {undecided}; the evaluator did",
                    index + 1
                ));
                not_interpreted.push(Some(undecided.to_string()));
            }
        }
        let is_short = chain.trace.inputs.len() <= LONGEST;
        if is_single
            && is_whole
            && is_short
            && let Ok(Some(first)) = first_chain(source, [all, runs], &goals, chain, &mut effort)
        {
            *chain = rerun(model, Some(first), chain)?;
            // What is known of the inputs that were found says nothing of others.
            if interpreter.inputs(&chain.trace, &chain.run) != inputs
                && let Some(smoothed) = outcome.smoothing.get_mut(index)
            {
                smoothed.free.clear();
            }
            check_chain(source, runs, &goals, chain, &mut effort)?;
        }
        for &goal in &chain.order {
            let first = chain.run.occurrences[goal].first().map_or(0, |first| first.step);
            let at = u32::try_from(first).unwrap_or(u32::MAX);
            outcome.goals[goal].status = GoalStatus::Covered { chain: index, at };
        }
        let inputs = interpreter.inputs(&chain.trace, &chain.run);
        let said = interpreter.said(&names, &inputs, &mut effort);
        if let Err(undecided) = &said.tree {
            outcome.notes.push(format!(
                "whether an adaptive test meets the goals of chain {} is not known: {undecided}",
                index + 1
            ));
        }
        marks.push(said.marks);
        chains.push(said.graded);
        trees.push(said.tree.ok().flatten());
    }
    let written = WrittenInterface::of_source(source).requirements();
    Ok(Some(Answers { interface: interface.clone(), written, chains, not_interpreted, marks, trees }))
}

/// The reference interpreter, which shares no code with the lowering, accepts a chain.
fn check_chain(
    source: &ContractsSource,
    runs: &Runs<'_>,
    goals: &Goals<'_>,
    chain: &Chain,
    effort: &mut Effort,
) -> Result<(), Error> {
    match accepts(runs, goals, &source.valuations(&chain.trace, &chain.run), effort) {
        Ok(true) | Err(_) => Ok(()),
        Ok(false) => Err(refused()),
    }
}

fn refused() -> Error {
    let message = "the reference interpreter of the requirements does not accept the chain";
    Error::new(ErrorKind::SelfCheck, message)
}

/// The first inputs of the length of a chain that surely meet its goals, else those that may, with
/// a run.
fn first_chain(
    source: &ContractsSource,
    [all, runs]: [&Runs<'_>; 2],
    goals: &Goals<'_>,
    chain: &Chain,
    effort: &mut Effort,
) -> Result<Option<Trace>, Undecided> {
    let length = chain.trace.inputs.len();
    for (tried, is_certain) in [(all, true), (runs, false)] {
        let Some(inputs) = Finder::new(tried, goals, is_certain).first(length, effort)? else { continue };
        let Some(run) = witness(runs, goals, &inputs, effort)? else { return Ok(None) };
        return source.trace(&run, effort);
    }
    Ok(None)
}

/// A chain with another trace, that of a run of the interpreter.
fn rerun(model: &Model, trace: Option<Trace>, chain: &Chain) -> Result<Chain, Error> {
    let refuse = |why: String| Error::new(ErrorKind::SelfCheck, why);
    let trace = trace.ok_or_else(|| refuse("a value of a run has no word".to_owned()))?;
    let run = replay(&model.system, &trace).map_err(|error| {
        refuse(format!("the evaluator does not accept a run of the interpreter: {error}"))
    })?;
    let first = |goal: &GoalId| run.occurrences[*goal].first().map_or(usize::MAX, |first| first.step);
    let mut order = chain.order.clone();
    order.sort_by_key(|goal| (first(goal), *goal));
    if order.iter().any(|goal| first(goal) == usize::MAX) {
        return Err(refuse("the evaluator does not see a goal that the interpreter sees".to_owned()));
    }
    Ok(Chain { trace, order, run })
}

impl Answers {
    /// What stands in place of a replay on compiled code: the reference interpreter made each chain,
    /// or there were too many values for it.
    pub fn checks(&self) -> Vec<NativeCheck> {
        let check = |reason: &Option<String>| match reason {
            None => NativeCheck::Agrees { how: INTERPRETED.to_owned() },
            Some(why) => NativeCheck::Skipped {
                reason: format!(
                    "requirements have no compiled code, and their interpreter did not run the chain: {why}"
                ),
            },
        };
        self.not_interpreted.iter().map(check).collect()
    }
    /// `certain`, `adaptive` or `possible`; none where it is not known.
    pub fn grade(&self, chain: usize) -> Option<&'static str> {
        let graded = self.chains.get(chain)?.as_ref()?;
        Some(match (graded.is_certain, self.trees.get(chain)) {
            (true, _) => "certain",
            (false, Some(Some(_))) => "adaptive",
            (false, _) => "possible",
        })
    }
    /// The adaptive test for the goals of a chain: observations of its longest run, and its nodes
    /// for people.
    pub fn tree(&self, chain: usize) -> Option<(usize, String)> {
        let tree = self.trees.get(chain)?.as_ref()?;
        Some((tree.worst(), trees::describe(&self.interface, tree)))
    }
    /// Adds grades and allowed outputs to a result.
    pub fn record(&self, file: &mut ChainFile) {
        file.contracts.clone_from(&self.written);
        for (index, chain) in file.chains.iter_mut().enumerate() {
            chain.grade = self.grade(index).map(str::to_owned);
            let tree = self.trees.get(index).and_then(Option::as_ref);
            chain.tree = tree.map_or_else(Vec::new, |tree| trees::nodes(&self.interface, tree));
            for (step, marks) in chain.steps.iter_mut().zip(self.marks.get(index).into_iter().flatten()) {
                step.marks = pages::marks(&self.interface, marks);
            }
            let Some(Some(graded)) = self.chains.get(index) else { continue };
            for (step, row) in chain.steps.iter_mut().zip(&graded.rows) {
                step.allowed = Some(row.allowed.describe(&self.interface));
            }
        }
    }
    /// What is allowed in each step of a chain, and the goals that are met, as a table.
    pub fn table(&self, chain: usize) -> Option<String> {
        self.chains.get(chain)?.as_ref().map(|graded| table(&self.interface, graded))
    }
}

impl JudgedRun {
    /// Judges the run as Aichernig et al. do: it passes if all was allowed to its end, whether the
    /// goals of the test were met or not.
    #[must_use]
    pub fn passed_if_allowed(self) -> Self {
        let report = self.report;
        let report = match report.rule.as_deref() == Some(judge::MISSED) {
            true => Report { verdict: Verdict::Pass, ..report },
            false => report,
        };
        Self { report, ..self }
    }
}

/// What an interface allows under the inputs of a table: as a table for people, with an automaton
/// where outputs depend on earlier ones, and as JSON.
///
/// # Errors
/// [`ErrorKind::Request`]: the inputs cannot be read, or there are too many runs.
pub fn under_inputs(
    interface: &Interface,
    goals: &[String],
    path: &Path,
    limit: &Limit,
) -> Result<(String, Json), Error> {
    let request = |why: String| Error::new(ErrorKind::Request, why);
    let text = read_text(path)?;
    let inputs = parse_inputs(interface, &text, limit).map_err(|error| log_error(path, &error))?;
    let wanted = goals::wanted(interface, goals, None).map_err(unknown_goal)?;
    if let Some(outside) = inputs.iter().enumerate().find_map(|(step, now)| outside(interface, step, now)) {
        return Err(request(outside));
    }
    let runs = Runs::new(interface, &[]);
    let goals = Goals::new(interface, wanted.iter().map(|goal| &*goal.name)).ok_or_else(|| {
        request("there are more goals than can be followed: name some by --goals".to_owned())
    })?;
    let mut effort = Effort::new(EFFORT, limit.clone());
    let graded = grade(&runs, &goals, &inputs, &mut effort).map_err(|error| request(error.to_string()))?;
    let monitor = OutMonitor::new(&runs, &inputs, &mut effort);
    Ok((observable::describe(interface, &graded, &monitor), observable::json(interface, &graded, &monitor)))
}

/// An input outside its type, in words.
fn outside(interface: &Interface, step: usize, now: &Valuation) -> Option<String> {
    interface.variables(Role::Input).find_map(|id| {
        let variable = interface.scope.variable(id);
        let value = now[contracts::semantics::id_index(id)].as_ref()?;
        let (name, ty) = (&variable.name, &variable.ty);
        (!ty.contains(value)).then(|| format!("step {step}: {name} = {} is outside {ty}", ty.show(value)))
    })
}

fn unknown_goal(name: &str) -> Error {
    Error::new(ErrorKind::Request, format!("there is no {} `{name}`", goals::WHAT))
}

fn read_text(path: &Path) -> Result<String, Error> {
    let bytes = std::fs::read(path)
        .map_err(|error| Error::new(ErrorKind::Request, format!("{}: {error}", path.display())))?;
    Ok(frontend::source::decode(&bytes).into_owned())
}

fn log_error(path: &Path, error: &LogError) -> Error {
    let kind = match error {
        LogError::Stopped(reason) => ErrorKind::Stopped(*reason),
        _ => ErrorKind::Request,
    };
    Error::new(kind, format!("{}: {error}", path.display()))
}

/// Steps of a table that are shown.
const SHOWN: usize = 200;

fn table(interface: &Interface, graded: &Graded) -> String {
    let inputs: Vec<_> = interface.variables(Role::Input).collect();
    let mut rows = vec![vec!["step".to_owned()]];
    rows[0].extend(inputs.iter().map(|&id| interface.scope.variable(id).name.clone()));
    rows[0].extend(["allowed outputs".to_owned(), "goals".to_owned()]);
    for (number, row) in graded.rows.iter().enumerate().take(SHOWN) {
        let mut cells = vec![number.to_string()];
        cells.extend(inputs.iter().map(|&id| {
            let ty = &interface.scope.variable(id).ty;
            let value = row.inputs[contracts::semantics::id_index(id)].as_ref();
            value.map_or_else(String::new, |value| match value.as_bool() {
                Some(truth) => u8::from(truth).to_string(),
                None => ty.show(value),
            })
        }));
        let none = row.allowed.is_empty();
        cells.push(match (row.is_given, none) {
            (false, _) => "inputs that the environment does not give".to_owned(),
            (true, true) => "none".to_owned(),
            (true, false) => row.allowed.describe(interface),
        });
        let perhaps = row.perhaps.iter().map(|goal| format!("{goal}?"));
        cells.push(row.met.iter().cloned().chain(perhaps).collect::<Vec<_>>().join(", "));
        rows.push(cells);
    }
    let mut text = aligned(&rows);
    if graded.rows.len() > SHOWN {
        text += &format!("... {} more steps\n", graded.rows.len() - SHOWN);
    }
    text
}

/// Columns of equal width: numbers to the right, the last two to the left behind a bar.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().enumerate().map(|(column, cell)| match columns - column {
            2 => format!("| {cell:<width$}", width = widths[column]),
            1 => cell.clone(),
            _ => format!("{cell:>width$}", width = widths[column]),
        });
        let line = cells.collect::<Vec<_>>().join(" ");
        text += &format!("  {}\n", line.trim_end());
    }
    text
}

/// A run and its verdict.
#[derive(Clone, Debug)]
pub struct JudgedRun {
    /// The verdict.
    pub report: Report,
    /// Inputs and outputs of its steps, up to the verdict.
    observed: Vec<Valuation>,
}

/// The verdict on a recorded run. `sampling` says how a VCD is read.
///
/// # Errors
/// [`ErrorKind::Request`]: the log cannot be read, a goal is unknown.
pub fn monitor(
    interface: &Interface,
    (log, sampling): (&Path, &Sampling),
    goals: &[String],
    limit: &Limit,
) -> Result<JudgedRun, Error> {
    let goals = match goals {
        [] => Vec::new(),
        goals => goals::wanted(interface, goals, None).map_err(unknown_goal)?,
    };
    let goals: Vec<String> = goals.into_iter().map(|goal| goal.name).collect();
    let mut observed =
        parse(interface, &read_text(log)?, sampling, limit).map_err(|error| log_error(log, &error))?;
    let report = judge::monitor(interface, &observed, &goals, limit);
    if let Some(last) = report.step {
        observed.truncate(usize::try_from(last).unwrap_or(usize::MAX).saturating_add(1));
    }
    Ok(JudgedRun { report, observed })
}

/// The verdicts on several tests as one JSON value: the one report, or the worst verdict with all
/// reports.
pub fn to_json(reports: &[Report]) -> Json {
    match reports {
        [one] => one.to_json(),
        reports => json!({
            "verdict": combined(reports).name(),
            "tests": reports.iter().map(Report::to_json).collect::<Vec<_>>(),
        }),
    }
}

/// The verdict of several tests together.
pub fn combined(reports: &[Report]) -> Verdict {
    reports.iter().fold(Verdict::Pass, |verdict, report| verdict.combine(report.verdict))
}
