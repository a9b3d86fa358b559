//! Mutants of a model, what becomes of each, and the fewest and shortest chains that reveal them.

mod output;
mod visits;

use crate::error::{Error, ErrorKind};
use actions::analysis::{self, Bounds, Explored, Finding, Kill, Source, explore};
use actions::explore::space::LabelNo;
use actions::interpret::{Machine, Seen};
use actions::mutate::{Operator, Operators};
use actions::replay::{Label, Move, Refused};
use engine::options::Options;
use report::mutation::{self, MutationFile};
use spec::types::Type;
use spec::value::Value;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How mutants are made and judged.
#[derive(Clone, Debug)]
pub struct MutateOptions {
    /// Which mutants are made; none: those of the language's default.
    pub operators: Option<Operators>,
    /// When a chain kills a mutant.
    pub kill: Kill,
    /// Whether stimuli count as outputs, too.
    pub all_outputs: bool,
    /// Values of constants, `NAME=VALUE`.
    pub constants: Vec<String>,
    /// States of all systems together at most.
    pub states: usize,
    /// Other versions of the model: they are the mutants then, and no others are made.
    pub others: Vec<PathBuf>,
    /// Chains to be judged in place of a search, as a result holds them; at the level `output`
    /// only.
    pub score: Option<Vec<mutation::Chain>>,
    /// Only mutants in these lines of a file, by its path; none: all.
    pub lines: Option<Vec<(PathBuf, u32)>>,
    /// So many mutants at most, spread evenly over the text.
    pub sample: Option<usize>,
    /// When mutants that are not decided stay undecided.
    pub deadline: Option<Instant>,
    /// How chains are searched for, and until when.
    pub search: Options,
}

impl Default for MutateOptions {
    fn default() -> Self {
        Self {
            operators: None,
            kill: Kill::default(),
            all_outputs: false,
            constants: Vec::new(),
            others: Vec::new(),
            score: None,
            states: Bounds::default().states,
            lines: None,
            sample: None,
            deadline: None,
            search: Options::default(),
        }
    }
}

/// The mutants of an action system (`*.as`): verdicts, and chains that reveal all that can be
/// revealed. Each verdict of a killed mutant has been found again by the interpreter.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("lamp.as");
/// let text = "system lamp  var on : bool := false
///     ctr Press is on := not on  obs Shine when on is skip";
/// std::fs::write(&path, text)?;
/// let mutated = chaincover::mutate(&path, &chaincover::MutateOptions::default())?;
/// assert_eq!((mutated.mutants.len(), mutated.count("killed")), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Source`]: the file is no action system, or too large to be enumerated.
/// [`ErrorKind::SelfCheck`]: the interpreter refuses what was found.
pub fn mutate(path: &Path, options: &MutateOptions) -> Result<MutationFile, Error> {
    if options.score.is_some() && (options.kill != Kill::Output || options.all_outputs) {
        return Err(Error::new(
            ErrorKind::Request,
            "stored chains are judged by what is seen: --kill output",
        ));
    }
    let (source, mutants) = made(path, options)?;
    let others = versions(&source, options);
    let own = mutants.iter().map(|mutant| mutant.system.as_ref().ok());
    let systems: Vec<_> = own.chain(others.iter().map(|other| other.system.as_ref().ok())).collect();
    let bounds =
        Bounds { states: options.states, deadline: options.deadline, all_outputs: options.all_outputs };
    let explored = explore(&source.system, &systems, options.kill, &bounds).map_err(|_| too_many())?;
    let mut file = listed(&source, &mutants, options);
    file.mutants.extend(others.iter().enumerate().map(|(number, other)| other.described(number)));
    let mut judging = Judging { source: &source, systems, explored, options, file };
    judging.undecided();
    match options.kill {
        Kill::Output => judging.outputs()?,
        Kill::State | Kill::Step => judging.visits()?,
    }
    Ok(judging.file)
}

/// The mutants of an action system without any verdict.
///
/// # Errors
/// As for [`mutate`].
pub fn list_mutants(path: &Path, options: &MutateOptions) -> Result<MutationFile, Error> {
    let (source, mutants) = made(path, options)?;
    Ok(listed(&source, &mutants, options))
}

/// The model and those of its mutants that are wanted.
fn made(path: &Path, options: &MutateOptions) -> Result<(Source, Vec<analysis::Mutant>), Error> {
    let source = analysis::read(path, &options.constants)?;
    let mut mutants =
        if options.others.is_empty() { source.mutants(&operators(options)) } else { Vec::new() };
    if let Some(lines) = &options.lines {
        mutants.retain(|mutant| {
            let (path, line) = source.sources.written(mutant.mutation.extent.span);
            lines.iter().any(|(changed, number)| *number == line && is_same_file(path, changed))
        });
    }
    if let Some(sample) = options.sample.filter(|&sample| sample < mutants.len()) {
        let count = mutants.len();
        let mut number = 0;
        mutants.retain(|_| {
            number += 1;
            number * sample / count > (number - 1) * sample / count
        });
    }
    Ok((source, mutants))
}

/// What takes the place of an operator where another version of the model is the mutant.
const VERSION: &str = "version";

/// Another version of the model, which is no system, or none of the same actions, for the reason
/// that is given.
struct Version {
    path: PathBuf,
    system: Result<actions::system::System, String>,
}

impl Version {
    fn described(&self, number: usize) -> mutation::Mutant {
        mutation::Mutant {
            id: format!("v{}", number + 1),
            operator: VERSION.to_owned(),
            file: self.path.display().to_string(),
            line: 1,
            column: 1,
            new: self.path.display().to_string(),
            verdict: if self.system.is_err() { "unviable" } else { "" }.to_owned(),
            by: self.system.as_ref().err().cloned().unwrap_or_default(),
            ..mutation::Mutant::default()
        }
    }
}

fn versions(source: &Source, options: &MutateOptions) -> Vec<Version> {
    let read = |path: &PathBuf| {
        let system = match analysis::read(path, &options.constants) {
            Ok(other) => analysis::comparable(&source.system, &other.system).map(|()| other.system),
            Err(failure) => {
                let first = failure.diagnostics.errors().next();
                Err(first.map_or_else(String::new, |error| error.message.clone()))
            }
        };
        Version { path: path.clone(), system }
    };
    options.others.iter().map(read).collect()
}

fn operators(options: &MutateOptions) -> Operators {
    options.operators.clone().unwrap_or_else(|| Operators(Operator::PAPER.to_vec()))
}

fn listed(source: &Source, mutants: &[analysis::Mutant], options: &MutateOptions) -> MutationFile {
    MutationFile {
        schema: mutation::SCHEMA.to_owned(),
        system: source.system.name.clone(),
        kill: options.kill.name().to_owned(),
        operators: match options.others.is_empty() {
            true => operators(options).0.iter().map(ToString::to_string).collect(),
            false => vec![VERSION.to_owned()],
        },
        mutants: mutants
            .iter()
            .enumerate()
            .map(|(number, mutant)| described(source, number, mutant))
            .collect(),
        ..MutationFile::default()
    }
}

/// Whether a path of a diff, which may begin elsewhere, means a file.
fn is_same_file(path: &Path, named: &Path) -> bool {
    path.ends_with(named) || named.ends_with(path)
}

fn too_many() -> Error {
    let message =
        "the system has more states, labels or branches than are enumerated (--states N allows more states)";
    Error::new(ErrorKind::Source, message)
}

fn described(source: &Source, number: usize, mutant: &analysis::Mutant) -> mutation::Mutant {
    let change = &mutant.mutation;
    let span = change.extent.span;
    let (path, _) = source.sources.written(span);
    let unviable = mutant.system.as_ref().err();
    let why = unviable.and_then(|diagnostics| diagnostics.errors().next()).map(|error| error.message.clone());
    mutation::Mutant {
        id: format!("m{}", number + 1),
        operator: change.operator.name().to_owned(),
        file: path.display().to_string(),
        line: span.line,
        column: span.column,
        old: change.old.clone(),
        new: change.new.clone(),
        verdict: if unviable.is_some() { "unviable" } else { "" }.to_owned(),
        by: why.unwrap_or_default(),
        ..mutation::Mutant::default()
    }
}

/// Mutants on their way to verdicts.
struct Judging<'a> {
    source: &'a Source,
    systems: Vec<Option<&'a actions::system::System>>,
    explored: Explored,
    options: &'a MutateOptions,
    file: MutationFile,
}

impl Judging<'_> {
    fn finding(&self, number: usize) -> Option<&Finding> {
        self.explored.mutants[number].as_ref()
    }
    fn decide(&mut self, number: usize, verdict: &str, by: impl Into<String>) {
        let mutant = &mut self.file.mutants[number];
        mutant.verdict = verdict.to_owned();
        mutant.by = by.into();
    }
    /// Mutants that were not decided in time, or that need too much.
    fn undecided(&mut self) {
        for number in 0..self.systems.len() {
            if self.systems[number].is_some() && self.finding(number).is_none() {
                self.decide(number, "undecided", "more than is enumerated, or the time was up");
            }
        }
    }
    /// A mutant that no chain kills: what is known of it beside that.
    fn survives(&mut self, number: usize) {
        let Some(finding) = self.finding(number) else { return };
        let count = self.explored.reached.states.len();
        if finding.is_equivalent() {
            let by = format!(
                "its start, and its steps in the {count} states that are reached, are the original's"
            );
            self.decide(number, "equivalent", by);
        } else if self.options.kill == Kill::Output {
            let pairs = finding.product.as_ref().map_or(0, |product| product.pairs.len());
            self.decide(
                number,
                "conforms",
                format!("{pairs} pairs of sets of states, in all of which it shows what is allowed"),
            );
        } else if finding.same_start {
            self.decide(
                number,
                "conforms",
                format!("it refines the original in the {count} states that are reached"),
            );
        } else {
            self.decide(number, "initial", "it starts elsewhere, which refinement does not see");
        }
    }

    fn original(&self) -> Machine<'_> {
        Machine { system: &self.source.system, alphabet: &self.explored.alphabet }
    }
    fn mutant(&self, number: usize) -> Machine<'_> {
        let system = self.systems[number].unwrap_or(&self.source.system);
        Machine { system, alphabet: &self.explored.alphabet }
    }
    fn label(&self, label: LabelNo) -> Label {
        let (action, args) = self.explored.space.label(label);
        (action, args.into())
    }

    /// A step of a chain as the file has it.
    fn step(&self, what: &Move) -> mutation::Step {
        let system = &self.source.system;
        let named = |(action, args): &Label| {
            let action = &system.actions[*action];
            let args =
                action.parameters.iter().zip(args).map(|(parameter, value)| json(&parameter.ty, value));
            (Some(action.name.clone()), args.collect())
        };
        let step = mutation::Step::default();
        match what {
            Move::Stimulate(label) | Move::Probe(label) => {
                let (input, args) = named(label);
                mutation::Step { input, args, probe: matches!(what, Move::Probe(_)), ..step }
            }
            Move::Watch(Seen::Label(action, args)) => {
                let (output, args) = named(&(*action, args.clone()));
                mutation::Step { output, args, ..step }
            }
            Move::Invisible(label) => {
                let (output, args) = named(label);
                mutation::Step { output, args, ..step }
            }
            Move::Look => step,
            Move::Watch(Seen::Quiet) => mutation::Step { quiet: true, ..step },
        }
    }
    /// Adds chains to the file, with what each step reveals; `others` are, for each step, what else
    /// the original may show.
    fn add_chains(&mut self, chains: &[Vec<Move>], others: &[Vec<Vec<Move>>]) {
        self.file.length = chains.iter().map(|chain| chain.len() as u64).sum();
        for (number, chain) in chains.iter().enumerate() {
            let mut steps: Vec<mutation::Step> = chain.iter().map(|what| self.step(what)).collect();
            for (step, others) in steps.iter_mut().zip(others.get(number).into_iter().flatten()) {
                step.others = others.iter().map(|other| self.step(other).to_string()).collect();
            }
            for mutant in &self.file.mutants {
                if mutant.chain == Some(number)
                    && let Some(step) = mutant.step.and_then(|step| steps.get_mut(step))
                {
                    step.reveals.push(mutant.id.clone());
                }
            }
            self.file.chains.push(mutation::Chain { steps });
        }
    }
}

fn json(ty: &Type, value: &Value) -> serde_json::Value {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Integer(number) => match i64::try_from(*number) {
            Ok(number) => number.into(),
            Err(_) => number.to_string().into(),
        },
        _ => ty.show(value).into(),
    }
}

/// What the interpreter says against a result: a defect.
fn refused(what: &str, why: &Refused) -> Error {
    Error::new(ErrorKind::SelfCheck, format!("the interpreter refuses {what}: {why:?}"))
}
