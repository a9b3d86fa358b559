//! Mutants of a model, what becomes of each, and the fewest and shortest chains that reveal them.

mod output;
mod proofs;
mod tests;
mod visits;

use crate::choice::{MOST_PAIRS, pairs, sampled};
use crate::error::{Error, ErrorKind};
use crate::patch::patch_mutant;
use actions::analysis::{self, Bounds, Explored, Finding, Kill, Source, explore};
use actions::explore::space::LabelNo;
use actions::interpret::{Machine, Seen, TooMany};
use actions::mutate::{Mutation, Operator, Operators};
use actions::player::value_json;
use actions::replay::{Label, Move, Refused};
use actions::system::System;
use engine::options::{Options, part_of_time};
use frontend::limit::Reason;
use report::mutation::{self, MutationFile};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

/// So many of that many parts of the time that is left are for finding; the others are for making
/// chains of what was found, and for running these.
const TAKEN: u32 = 2;
const PARTS: u32 = 3;

/// What tests are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tests {
    /// As few chains as are found, and as short: where the system answers otherwise than a chain
    /// wants, it ends without a verdict.
    #[default]
    Chain,
    /// Trees that begin as these chains and go on after each answer that is allowed.
    Adaptive,
    /// A shortest chain for each mutant.
    Single,
}

impl FromStr for Tests {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "chain" => Ok(Self::Chain),
            "adaptive" => Ok(Self::Adaptive),
            "single" => Ok(Self::Single),
            _ => Err(format!("unknown tests `{text}`: expected chain, adaptive or single")),
        }
    }
}

impl fmt::Display for Tests {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Chain => "chain",
            Self::Adaptive => "adaptive",
            Self::Single => "single",
        })
    }
}

/// How mutants are made and judged.
#[derive(Clone, Debug)]
pub struct MutateOptions {
    /// Which mutants are made; none: those of the language's default.
    pub operators: Option<Operators>,
    /// When a chain kills a mutant.
    pub kill: Kill,
    /// At the level `output`: a chain kills a mutant only by what comes at most so many steps after
    /// the first step that the original does not take; none: whenever it comes.
    pub within: Option<u32>,
    /// Whether stimuli count as outputs, too.
    pub all_outputs: bool,
    /// Values of constants, `NAME=VALUE`.
    pub constants: Vec<String>,
    /// States of all systems together at most.
    pub states: usize,
    /// Other versions of the model, or unified diffs (`*.patch`, `*.diff`) of it: they are the mutants
    /// then, and no others are made.
    pub others: Vec<PathBuf>,
    /// Chains to be judged in place of a search, as a result holds them; at the level `output`
    /// only.
    pub score: Option<Vec<mutation::Chain>>,
    /// Only mutants in these lines of a file, by its path; none: all.
    pub lines: Option<Vec<(PathBuf, u32)>>,
    /// So many mutants at most, spread evenly over the text.
    pub sample: Option<usize>,
    /// Whether each mutant has two changes; there are at most `sample` of them, or [`MOST_PAIRS`].
    pub pairs: bool,
    /// What tests are made of.
    pub tests: Tests,
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
            within: None,
            all_outputs: false,
            constants: Vec::new(),
            others: Vec::new(),
            score: None,
            states: Bounds::default().states,
            lines: None,
            sample: None,
            pairs: false,
            tests: Tests::default(),
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
    check_within(options.within, options.kill)?;
    if options.tests != Tests::Chain && options.kill != Kill::Output {
        let message = "tests that adapt, and single ones, are made of what is seen: --kill output";
        return Err(Error::new(ErrorKind::Request, message));
    }
    let (source, mutants) = made(path, options)?;
    let others = versions(&source, options)?;
    let own = mutants.iter().map(|(_, mutant)| mutant.system.as_ref().ok());
    let systems: Vec<_> = own.chain(others.iter().map(|other| other.system.as_ref())).collect();
    let MutateOptions { states, deadline, all_outputs, within, .. } = *options;
    // What is found of mutants has to be made chains of.
    let deadline = part_of_time(deadline, TAKEN, PARTS);
    let bounds = Bounds { states, deadline, all_outputs, within, ..Bounds::default() };
    let explored = explore(&source.system, &systems, options.kill, &bounds);
    let mut file = listed(&source, &mutants, options);
    file.mutants.extend(others.iter().map(|other| other.described.clone()));
    file.model = std::iter::once(path.display().to_string()).chain(options.constants.clone()).collect();
    let explored = match explored {
        Ok(explored) => explored,
        Err(why) => {
            let reason = why.to_string();
            proofs::prove(&source.system, &systems, &mut file, (&options.search, &reason))?;
            // What is said of no mutant is no result.
            return if file.count("equivalent") > 0 { Ok(file) } else { Err(too_many(&why)) };
        }
    };
    let mut judging = Judging { source: &source, systems, explored, options, file };
    judging.undecided()?;
    match options.kill {
        Kill::Output => judging.outputs()?,
        Kill::State | Kill::Step => judging.visits()?,
    }
    Ok(judging.file)
}

/// Where differences have to be seen soon, they have to be seen at all.
///
/// # Errors
/// [`ErrorKind::Request`]: mutants are killed by something else.
pub(crate) fn check_within(within: Option<u32>, kill: Kill) -> Result<(), Error> {
    if within.is_some() && kill != Kill::Output {
        let message = format!(
            "--within counts the steps until a difference is seen: with --kill output, not with --kill {kill}"
        );
        return Err(Error::new(ErrorKind::Request, message));
    }
    Ok(())
}

/// The mutants of an action system without any verdict.
///
/// # Errors
/// As for [`mutate`].
pub fn list_mutants(path: &Path, options: &MutateOptions) -> Result<MutationFile, Error> {
    let (source, mutants) = made(path, options)?;
    let mut file = listed(&source, &mutants, options);
    file.mutants.extend(versions(&source, options)?.into_iter().map(|other| other.described));
    Ok(file)
}

/// The model and those of its mutants that are wanted.
fn made(path: &Path, options: &MutateOptions) -> Result<(Source, Vec<(String, analysis::Mutant)>), Error> {
    let source = analysis::read(path, &options.constants)?;
    let all = if options.others.is_empty() { source.changes(&operators(options)) } else { Vec::new() };
    let mut changes: Vec<(String, Mutation)> =
        all.into_iter().enumerate().map(|(number, change)| (format!("m{}", number + 1), change)).collect();
    if let Some(lines) = &options.lines {
        changes.retain(|(_, mutation)| {
            let (path, line) = source.sources.written(mutation.extent.span);
            lines.iter().any(|(changed, number)| *number == line && is_same_file(path, changed))
        });
    }
    let changes = match options.pairs {
        false => sampled(changes, options.sample),
        true => {
            let most = options.sample.unwrap_or(MOST_PAIRS);
            let fit = |one: usize, other: usize| changes[one].1.is_apart(&changes[other].1);
            let both = |(one, other): (usize, usize)| {
                let ((one, change), (other, further)) = (&changes[one], &changes[other]);
                (format!("{one}+{other}"), change.and(further))
            };
            pairs(changes.len(), most, fit).into_iter().map(both).collect()
        }
    };
    let (ids, changes): (Vec<String>, Vec<Mutation>) = changes.into_iter().unzip();
    let mutants = ids.into_iter().zip(source.mutants(changes)).collect();
    Ok((source, mutants))
}

/// Another version of the model; its system, unless it is none, or none of the same actions.
struct Version {
    described: mutation::Mutant,
    system: Option<System>,
}

fn versions(source: &Source, options: &MutateOptions) -> Result<Vec<Version>, Error> {
    let others = sampled(options.others.clone(), options.sample);
    others.iter().enumerate().map(|(number, path)| version(source, (number, path), options)).collect()
}

fn version(
    source: &Source,
    (number, path): (usize, &PathBuf),
    options: &MutateOptions,
) -> Result<Version, Error> {
    let (mut described, system) = if is_patch(path) {
        let files: Vec<PathBuf> = source.sources.files.values().map(|file| file.path.clone()).collect();
        let (described, patched) = patch_mutant(&files, path)?;
        let main = files.first().cloned().unwrap_or_default();
        (described, patched.and_then(|patched| comparable(source, &patched.place(&main), options)))
    } else {
        let described = mutation::Mutant {
            id: format!("v{}", number + 1),
            operator: mutation::VERSION.to_owned(),
            file: path.display().to_string(),
            line: 1,
            column: 1,
            new: path.display().to_string(),
            ..mutation::Mutant::default()
        };
        (described, comparable(source, path, options))
    };
    if let Err(why) = &system {
        (described.verdict, described.by) = ("unviable".to_owned(), why.clone());
    }
    Ok(Version { described, system: system.ok() })
}

/// Whether a file is a change of the model and no version of it.
fn is_patch(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "patch" || ending == "diff")
}

/// The system of a file, where it can be compared with the original; else why not.
fn comparable(source: &Source, path: &Path, options: &MutateOptions) -> Result<System, String> {
    match analysis::read(path, &options.constants) {
        Ok(other) => analysis::comparable(&source.system, &other.system).map(|()| other.system),
        Err(failure) => {
            let first = failure.diagnostics.errors().next();
            Err(first.map_or_else(String::new, |error| error.message.clone()))
        }
    }
}

fn operators(options: &MutateOptions) -> Operators {
    options.operators.clone().unwrap_or_else(|| Operators(Operator::PAPER.to_vec()))
}

fn listed(source: &Source, mutants: &[(String, analysis::Mutant)], options: &MutateOptions) -> MutationFile {
    MutationFile {
        schema: mutation::SCHEMA.to_owned(),
        system: source.system.name.clone(),
        kill: options.kill.name().to_owned(),
        within: options.within,
        operators: match options.others.is_empty() {
            true => operators(options).0.iter().map(ToString::to_string).collect(),
            false => vec![mutation::VERSION.to_owned(), mutation::PATCH.to_owned()],
        },
        order: if options.pairs { 2 } else { 1 },
        mutants: mutants.iter().map(|(id, mutant)| described(source, id, mutant)).collect(),
        ..MutationFile::default()
    }
}

/// The mutant of a number, or of two with a plus sign between them, as a result names it that was
/// made by some operators (none: those of the paper).
///
/// # Errors
/// [`ErrorKind::Request`]: there is no such mutant, or it is no system.
pub(crate) fn mutant_named(source: &Source, operators: &[String], id: &str) -> Result<System, Error> {
    let refuse = |why: String| Error::new(ErrorKind::Request, format!("there is no mutant `{id}`: {why}"));
    let operators = match operators.is_empty() {
        true => Operators(Operator::PAPER.to_vec()),
        false => operators.join(",").parse().map_err(refuse)?,
    };
    let changes = source.changes(&operators);
    let numbers = id.split('+').map(|name| {
        let number = name.strip_prefix('m').and_then(|number| number.parse::<usize>().ok());
        number.filter(|number| (1..=changes.len()).contains(number)).map(|number| &changes[number - 1])
    });
    let named: Option<Vec<&Mutation>> = numbers.collect();
    let change = match named.as_deref() {
        Some([one]) => (*one).clone(),
        Some([one, other]) if one.is_apart(other) => one.and(other),
        _ => return Err(refuse(format!("`chaincover mutate` names m1 to m{}", changes.len()))),
    };
    let mutant = source.mutants(vec![change]).pop().map(|mutant| mutant.system);
    match mutant {
        Some(Ok(system)) => Ok(system),
        Some(Err(why)) => {
            Err(refuse(why.errors().next().map_or_else(String::new, |error| error.message.clone())))
        }
        None => Err(refuse("nothing is changed".to_owned())),
    }
}

/// Whether a path of a diff, which may begin elsewhere, means a file.
fn is_same_file(path: &Path, named: &Path) -> bool {
    path.ends_with(named) || named.ends_with(path)
}

fn too_many(why: &TooMany) -> Error {
    let kind = match why {
        TooMany::Time => ErrorKind::Stopped(Reason::Deadline),
        _ => ErrorKind::Source,
    };
    Error::new(kind, why.to_string())
}

fn described(source: &Source, id: &str, mutant: &analysis::Mutant) -> mutation::Mutant {
    let all = std::iter::successors(Some(&mutant.mutation), |change| change.further.as_deref());
    let change = |change: &Mutation| {
        let span = change.extent.span;
        mutation::Change {
            operator: change.operator.name().to_owned(),
            file: source.sources.written(span).0.display().to_string(),
            line: span.line,
            column: span.column,
            old: change.old.clone(),
            new: change.new.clone(),
        }
    };
    let unviable = mutant.system.as_ref().err();
    let why = unviable.and_then(|diagnostics| diagnostics.errors().next()).map(|error| error.message.clone());
    mutation::Mutant {
        id: id.to_owned(),
        verdict: if unviable.is_some() { "unviable" } else { "" }.to_owned(),
        by: why.unwrap_or_default(),
        ..mutation::Mutant::of_changes(all.map(change))
    }
}

/// Mutants on their way to verdicts.
struct Judging<'a> {
    source: &'a Source,
    systems: Vec<Option<&'a System>>,
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
            let fails_late = finding.product.as_ref().is_some_and(|product| product.fails_late);
            let shows = match self.options.within.filter(|_| fails_late) {
                Some(most) => format!(
                    "what is not allowed comes more than {} after the first difference",
                    mutation::count_of_steps(most)
                ),
                None => "it shows what is allowed".to_owned(),
            };
            let by = format!("{pairs} pairs of sets of states, in all of which {shows}");
            self.decide(number, "conforms", by);
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
                action.parameters.iter().zip(args).map(|(parameter, value)| value_json(&parameter.ty, value));
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

/// What the interpreter says against a result: a defect.
fn refused(what: &str, why: &Refused) -> Error {
    Error::new(ErrorKind::SelfCheck, format!("the interpreter refuses {what}: {why:?}"))
}
