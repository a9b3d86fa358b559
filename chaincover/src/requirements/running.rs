//! Tests of requirements against systems under test.

use super::code::CodeSystem;
use super::interpreter::EFFORT;
use super::{JudgedRun, read_interface, source_of, trees};
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use contracts::adaptive::Tree;
use contracts::judge::{self, Ran, Replanning, Test};
use contracts::mutation;
use contracts::semantics::{Effort, Valuation};
use contracts::{ContractsSource, Interface, Player};
use engine::options::Options;
use engine::session::Silent;
use frontend::limit::Limit;
use harness::{Process, Synchronous};
use model::validate::validate;
use report::output::chain_file::ChainFile;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A system under test.
pub enum System {
    /// A command of the shell that speaks the protocol, and the time for each of its answers.
    Command(String, Duration),
    /// A model in C, whose steps the evaluator executes, and which signals of it the variables of
    /// the interface are (left out: those of their names).
    Code(Box<Model>, Vec<(String, String)>),
    /// An interface that plays the system.
    Interface {
        /// Its file.
        path: PathBuf,
        /// Values of its constants, `NAME=VALUE`.
        define: Vec<String>,
        /// The seed of its choices.
        seed: u64,
        /// The identifier of a mutant of it that plays instead.
        mutant: Option<String>,
    },
}

/// Runs the chains of a stored result against a system, or their adaptive tests where they have
/// some: the verdict on each. Where a chain may miss goals because the system goes another way that
/// is allowed, it goes on as the shortest chain behind what was observed, up to `replans` times.
///
/// # Errors
/// [`ErrorKind::Request`]: the result was not made of requirements; reading errors.
pub fn run(
    model: &Model,
    stored: &ChainFile,
    system: &System,
    replans: usize,
    limit: &Limit,
) -> Result<Vec<JudgedRun>, Error> {
    let Some(source) = source_of(model) else {
        let message =
            "the chain was not made of requirements; `replay` runs chains of C on the compiled code";
        return Err(Error::new(ErrorKind::Request, message));
    };
    let interface = source.interface();
    let tests = stored.chains.iter().enumerate().map(|(index, chain)| {
        if !chain.tree.is_empty() {
            let tree = trees::tree(interface, &chain.tree).map_err(|why| {
                Error::new(ErrorKind::Request, format!("the tree of chain {}: {why}", index + 1))
            })?;
            return Ok(Planned::Tree(tree, chain.order.clone()));
        }
        let trace = crate::stored::trace(model, chain, index)?;
        let executed = crate::stored::execute(model, &trace, index)?;
        let steps = source.valuations(&trace, &executed);
        Ok(Planned::Chain(Test { steps, goals: chain.order.clone() }))
    });
    let tests: Vec<Planned> = tests.collect::<Result<_, Error>>()?;
    let all = |system: &mut dyn Synchronous| {
        tests.iter().map(|test| test.run(source, system, replans, limit)).collect()
    };
    system.with(interface, limit, all)
}

impl System {
    /// Starts the system, with which something is done.
    ///
    /// # Errors
    /// [`ErrorKind::Request`]: the system does not fit the interface; reading errors.
    pub(super) fn with<T>(
        &self,
        interface: &Interface,
        limit: &Limit,
        work: impl FnOnce(&mut dyn Synchronous) -> T,
    ) -> Result<T, Error> {
        Ok(match self {
            Self::Command(command, within) => {
                work(&mut Process::new(command.clone(), *within).until(limit.clone()))
            }
            Self::Code(code, names) => work(&mut CodeSystem::new(interface, code, names)?),
            Self::Interface { path, define, seed, mutant } => {
                let played = played(path, define, mutant.as_deref())?;
                let lost = contracts::lost_as_known(&played, &Effort::new(EFFORT, limit.clone()));
                work(&mut Player::new(&played, &lost, *seed))
            }
        })
    }
}

/// A test that was read, with the goals that it is made for.
enum Planned {
    Chain(Test),
    Tree(Tree, Vec<String>),
}

impl Planned {
    fn run(
        &self,
        source: &ContractsSource,
        system: &mut dyn Synchronous,
        replans: usize,
        limit: &Limit,
    ) -> JudgedRun {
        let interface = source.interface();
        let plan = &mut |observed: &[Valuation], missed: &[&str]| rest(source, observed, missed, limit);
        let replanning = (replans > 0).then_some(Replanning { most: replans, plan });
        let Ran { report, observed } = match self {
            Self::Chain(test) => judge::run(interface, test, system, replanning, limit),
            Self::Tree(tree, goals) => judge::run_tree(interface, tree, goals, system, limit),
        };
        JudgedRun { report, observed }
    }
}

/// Time in which it is planned how a run goes on: a system under test waits.
const PLANNING: Duration = Duration::from_secs(10);

/// The steps behind those that were observed, of a shortest chain that still meets missed goals;
/// none where none is found.
fn rest(
    source: &ContractsSource,
    observed: &[Valuation],
    missed: &[&str],
    limit: &Limit,
) -> Option<Vec<Valuation>> {
    let system = validate(source.behind(observed, missed)?).ok()?;
    let longest = Instant::now().checked_add(PLANNING)?;
    let mut options = Options {
        deadline: Some(limit.deadline.map_or(longest, |deadline| deadline.min(longest))),
        ..Options::default()
    };
    if let Some(stop) = &limit.stop {
        options.stop = stop.clone();
    }
    let outcome = engine::find_chains(&system, &options, &Silent).ok()?;
    let best = outcome.chains.iter().max_by_key(|chain| chain.order.len())?;
    Some(source.valuations(&best.trace, &best.run).split_off(observed.len()))
}

/// The interface of a file, or a mutant of it.
fn played(path: &Path, define: &[String], mutant: Option<&str>) -> Result<Interface, Error> {
    let document = read_interface(&[path.to_owned()], define)?;
    let Some(id) = mutant else { return Ok(document.interface) };
    let mutants = mutation::mutants(&document, &Limit::default());
    let found = mutants.iter().find(|mutant| mutant.id == id);
    found.and_then(|mutant| mutation::interface(&document, mutant)).ok_or_else(|| {
        let message = format!("there is no mutant `{id}`; `chaincover mutate` lists them");
        Error::new(ErrorKind::Request, message)
    })
}
