//! What becomes of each mutant: verdicts, with the evidence that chains are made of.

use crate::explore::conform::{Determined, MOST_PAIRS, Product};
use crate::explore::refine::{Difference, compare};
use crate::explore::space::{Machine, Reached, Space};
use crate::explore::walks::walk;
use crate::interpret::TooMany;
use crate::mutate::{Mutation, Operators, mutant, mutations};
use crate::parser::parse;
use crate::syntax::File;
use crate::system::System;
use crate::values::Alphabet;
use frontend::Failure;
use frontend::diagnostics::Diagnostics;
use frontend::source::SourceMap;
use spec::scope::Scope;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Instant;

/// When a chain kills a mutant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kill {
    /// It visits a state in which the mutant can leave the original.
    State,
    /// It takes a step there on which the mutant can differ.
    Step,
    /// It watches where the mutant can show what the original cannot.
    #[default]
    Output,
}

impl Kill {
    /// The name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Step => "step",
            Self::Output => "output",
        }
    }
}

impl fmt::Display for Kill {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

impl FromStr for Kill {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::State, Self::Step, Self::Output];
        let found = all.into_iter().find(|kill| kill.name() == text);
        found.ok_or_else(|| format!("unknown level `{text}`: expected state, step or output"))
    }
}

/// A file that was read, with all that its mutants need.
#[derive(Debug)]
pub struct Source {
    /// The files.
    pub sources: SourceMap,
    /// Warnings.
    pub diagnostics: Diagnostics,
    /// The syntax tree.
    pub file: File,
    /// What it describes.
    pub system: System,
    /// Names before those of the file: values of constants from the command line.
    scope: Scope,
    stem: String,
}

/// Reads a file; `constants` are `NAME=VALUE`.
///
/// # Errors
/// What is wrong with it.
pub fn read(path: &Path, constants: &[String]) -> Result<Source, Failure> {
    read_with(SourceMap::default(), path, constants)
}

/// As [`read`], for a text that stands in no file; messages give it that name.
///
/// # Errors
/// As [`read`].
pub fn read_text(name: &str, text: &str) -> Result<Source, Failure> {
    let mut sources = SourceMap::default();
    sources.add_text(Path::new(name), text);
    read_with(sources, Path::new(name), &[])
}

fn read_with(mut sources: SourceMap, path: &Path, constants: &[String]) -> Result<Source, Failure> {
    let mut diagnostics = Diagnostics::default();
    let mut scope = Scope::new();
    for text in constants {
        let _ = scope.override_constant(text, &mut sources, &mut diagnostics);
    }
    let file = parse(path, &mut sources, &mut diagnostics);
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let system = match diagnostics.has_errors() {
        // Names that a broken declaration would declare are not reported as unknown.
        true => None,
        false => crate::check::check(&file, scope.clone(), &stem, &mut diagnostics).ok(),
    };
    match system {
        Some(system) => Ok(Source { sources, diagnostics, file, system, scope, stem }),
        None => Err(Failure { diagnostics, sources }),
    }
}

/// A mutant.
#[derive(Debug)]
pub struct Mutant {
    /// What was changed.
    pub mutation: Mutation,
    /// The changed system; where there is none, why.
    pub system: Result<System, Diagnostics>,
}

impl Source {
    /// All changes by some operators, in the order of the text.
    pub fn changes(&self, operators: &Operators) -> Vec<Mutation> {
        mutations(&self.file, &self.system, operators)
    }
    /// The mutants that changes make.
    pub fn mutants(&self, changes: Vec<Mutation>) -> Vec<Mutant> {
        let one = |mutation: Mutation| {
            let system = mutant(&mutation, &self.file, &self.scope, &self.stem);
            Mutant { mutation, system }
        };
        changes.into_iter().map(one).collect()
    }
}

/// Whether two systems have the same variables, actions and parameters, so that one can be the
/// other's mutant.
///
/// # Errors
/// The first difference.
pub fn comparable(one: &System, other: &System) -> Result<(), String> {
    let variables = |system: &System| -> Vec<String> {
        let shown =
            |variable: &crate::system::Variable| format!("variable `{} : {}`", variable.name, variable.ty);
        system.variables.iter().map(shown).collect()
    };
    let actions = |system: &System| -> Vec<String> {
        let shown = |action: &crate::system::Action| {
            let types: Vec<String> =
                action.parameters.iter().map(|parameter| parameter.ty.to_string()).collect();
            format!("action `{} {}({})`", action.kind.word(), action.name, types.join(", "))
        };
        system.actions.iter().map(shown).collect()
    };
    for (own, others) in [(variables(one), variables(other)), (actions(one), actions(other))] {
        if let Some((own, other)) = own.iter().zip(&others).find(|(own, other)| own != other) {
            return Err(format!("it has the {other} in place of the {own}"));
        }
        if own.len() != others.len() {
            let (more, about) = if own.len() > others.len() { (&own, "lacks") } else { (&others, "adds") };
            return Err(format!("it {about} the {}", more[own.len().min(others.len())]));
        }
    }
    Ok(())
}

/// How much is looked at.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// States of all systems together at most.
    pub states: usize,
    /// States of the original at most; the first ones are looked at where it has more.
    pub original: usize,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Whether all labels count as outputs, as tools without inputs have it.
    pub all_outputs: bool,
    /// How many steps after the first difference a failing watch may come that counts, where
    /// outputs are asked for; none: as many as it takes.
    pub within: Option<u32>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { states: 1 << 20, original: usize::MAX, deadline: None, all_outputs: false, within: None }
    }
}

impl Bounds {
    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
    /// When half of the time that is left will be over.
    fn halfway(&self) -> Option<Instant> {
        let now = Instant::now();
        self.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 2)
    }
}

/// Original and mutants in one space.
#[derive(Debug)]
pub struct Explored {
    /// States, labels, steps.
    pub space: Space,
    /// The labels that tell the systems apart.
    pub alphabet: Alphabet,
    /// The original.
    pub original: Machine,
    /// Its states.
    pub reached: Reached,
    /// It over events, with all sets that its suspension traces lead to.
    pub automaton: Determined,
    /// What was found of each mutant; none where it was not decided in time, or needs too much.
    pub mutants: Vec<Option<Finding>>,
}

/// What was found of a mutant.
#[derive(Debug)]
pub struct Finding {
    /// The mutant.
    pub machine: Machine,
    /// How its steps differ from those of the original.
    pub difference: Difference,
    /// It and the original under the same events; only where outputs were asked for.
    pub product: Option<Product>,
    /// Whether it starts where the original does.
    pub same_start: bool,
}

impl Finding {
    fn new(machine: Machine, original: &Machine, difference: Difference, product: Option<Product>) -> Self {
        let same_start = machine.initial == original.initial;
        Self { machine, difference, product, same_start }
    }

    /// Whether pairs are left out of what is known of the mutant.
    fn is_partial(&self) -> bool {
        self.product.as_ref().is_some_and(|product| product.is_partial)
    }

    /// Whether it has the original's start and steps.
    pub fn is_equivalent(&self) -> bool {
        self.same_start && !self.difference.is_partial && self.is_safe() && !self.difference.lacks
    }
    /// Whether it has no step that the original has not, in the states that were looked at.
    fn is_safe(&self) -> bool {
        self.difference.unsafe_states.is_empty()
    }
    /// Whether more states might show more of the mutant than is known.
    fn is_open(&self) -> bool {
        match &self.product {
            Some(_) => false,
            None => self.difference.is_partial && self.is_safe(),
        }
    }
}

/// Compares each of some systems with their original. Systems that are none stay undecided, and so
/// do those that behave like the original in its first states, where it has too many.
///
/// # Errors
/// If the original has more labels, branches or choices than are enumerated.
pub fn explore(
    original: &System,
    mutants: &[Option<&System>],
    kill: Kill,
    bounds: &Bounds,
) -> Result<Explored, TooMany> {
    let mut alphabet = Alphabet::new(original);
    for (position, action) in original.actions.iter().enumerate() {
        let others = mutants.iter().flatten().filter_map(|mutant| mutant.actions.get(position));
        others
            .filter(|other| other.body != action.body)
            .for_each(|other| alphabet.add_action(position, other));
    }
    let empty = || Space::new(original, alphabet.clone(), bounds.all_outputs, bounds.states);
    let mut space = empty().until(bounds.halfway());
    let mut machine = space.machine(original)?;
    let mut reached = Reached::first(&mut space, &machine, bounds.original);
    let is_large = |reached: &Reached| reached.is_partial && reached.states.len() > FIRST_STATES;
    if matches!(reached, Err(TooMany::States)) || reached.as_ref().is_ok_and(is_large) {
        // States of mutants have to find room, and time, beside those of the original.
        space = empty().until(bounds.deadline);
        machine = space.machine(original)?;
        reached = Reached::first(&mut space, &machine, FIRST_STATES.min(bounds.states));
    }
    let reached = reached?;
    let mut space = space.until(bounds.deadline);
    let mut automaton = Determined::new(&mut space, &machine)?;
    let mut found: Vec<Option<Finding>> = mutants.iter().map(|_| None).collect();
    // What few pairs tell comes first: a mutant that needs many must not take the time of all
    // others.
    let traces_before = if reached.is_partial { FEW_PAIRS } else { MANY_PAIRS };
    for most in [FEW_PAIRS, MANY_PAIRS, MOST_PAIRS] {
        if most == traces_before && kill == Kill::Output {
            along_traces(&mut space, (&machine, &reached), &mut automaton, (mutants, &mut found), bounds);
        }
        for (mutant, found) in mutants.iter().zip(&mut found) {
            let is_known = found.as_ref().is_some_and(|found| !found.is_partial());
            let Some(mutant) = mutant.filter(|_| !is_known && !bounds.is_over()) else { continue };
            let wanted = (kill, bounds.within, most);
            if let Ok(one) = find(&mut space, (&machine, &reached), &mut automaton, mutant, wanted)
                && !one.is_open()
            {
                *found = Some(one);
            }
        }
    }
    for one in &mut found {
        if let Some(Finding { product: Some(product), machine: mutant, .. }) = one
            && product.complete(&mut space, (&automaton, &machine), mutant).is_err()
        {
            *one = None;
        }
    }
    Ok(Explored { space, alphabet, original: machine, reached, automaton, mutants: found })
}

/// Looks for what kills mutants of which nothing is known along random traces.
fn along_traces(
    space: &mut Space,
    (original, reached): (&Machine, &Reached),
    automaton: &mut Determined,
    (mutants, found): (&[Option<&System>], &mut [Option<Finding>]),
    bounds: &Bounds,
) {
    let mut open = Vec::new();
    for (number, mutant) in mutants.iter().enumerate().filter(|(number, _)| found[*number].is_none()) {
        if let Some(Ok(machine)) = mutant.map(|mutant| space.machine(mutant)) {
            open.push((number, machine));
        }
    }
    let within = bounds.within.filter(|&most| most < UNLIMITED);
    for (number, product) in walk(space, (automaton, original), &open, (within, bounds.halfway())) {
        let Some((_, machine)) = open.iter().find(|(open, _)| *open == number) else { continue };
        // What kills is known, however its steps differ.
        let unknown = Difference { is_partial: true, ..Difference::default() };
        let difference = compare(space, (original, reached), machine).unwrap_or(unknown);
        found[number] = Some(Finding::new(machine.clone(), original, difference, Some(product)));
    }
}

fn find(
    space: &mut Space,
    (original, reached): (&Machine, &Reached),
    automaton: &mut Determined,
    mutant: &System,
    (kill, within, most): (Kill, Option<u32>, usize),
) -> Result<Finding, TooMany> {
    let machine = space.machine(mutant)?;
    let product = match kill {
        Kill::Output => Some(product(space, (automaton, original), &machine, (within, most))?),
        Kill::State | Kill::Step => None,
    };
    let difference = compare(space, (original, reached), &machine)?;
    Ok(Finding::new(machine, original, difference, product))
}

/// Pairs of a mutant that are looked at before any has many.
const FEW_PAIRS: usize = 1 << 12;

/// Pairs of a mutant that are looked at before any has all that it may have.
const MANY_PAIRS: usize = 1 << 15;

/// States of an original that are looked at where it has too many.
const FIRST_STATES: usize = 1 << 13;

/// More steps after a first difference than any chain has.
const UNLIMITED: u32 = 1 << 20;

/// Original and mutant under the same events. Where the lags of runs make too many pairs, what is
/// never shown is not shown in time.
fn product(
    space: &mut Space,
    (automaton, original): (&mut Determined, &Machine),
    mutant: &Machine,
    (within, most): (Option<u32>, usize),
) -> Result<Product, TooMany> {
    let within = within.filter(|&most| most < UNLIMITED);
    match Product::new(space, (automaton, original), mutant, (within, most)) {
        Err(why) if within.is_some() => {
            let whenever = Product::new(space, (automaton, original), mutant, (None, most))?;
            if whenever.shortest.is_none() { Ok(whenever) } else { Err(why) }
        }
        found => found,
    }
}
