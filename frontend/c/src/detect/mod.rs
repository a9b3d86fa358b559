//! Finding out what a program's parts are for: step, initialisation, properties.
//!
//! What the request names is taken; what it leaves open is looked for. Property functions reveal
//! the step function (it is what they call under assumptions), an endless loop that reads inputs is
//! a step itself, and code generators name their functions in known ways. Every choice made here is
//! reported as a [`Finding`].

mod driver;
mod frame;
mod init;
pub(crate) mod names;
mod property;
mod step;
pub(crate) mod walk;

use crate::exec::format_position;
use crate::ir::stmt::Block;
use crate::ir::{FunctionId, Program};
pub(crate) use frame::{attach_timer, framed_step};
use frontend::Topic;
use frontend::diagnostics::Diagnostics;
use frontend::source::Span;
use frontend::{Finding, Request};
use names::is_frame;
use std::collections::{BTreeMap, BTreeSet};
use walk::{calls, calls_in};

/// The parts of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    /// Step functions in call order, with their rates.
    pub(crate) steps: Vec<Scheduled>,
    /// The driver loop that is the step instead.
    pub(crate) driver: Option<DriverLoop>,
    /// Initialisation.
    pub(crate) init: Option<FunctionId>,
    /// Property functions.
    pub(crate) properties: Vec<FunctionId>,
    /// `chaincover_assume`.
    pub(crate) assume: Option<FunctionId>,
    /// `chaincover_final`.
    pub(crate) end: Option<FunctionId>,
    /// What was decided.
    pub(crate) findings: Vec<Finding>,
    /// What may have been decided wrongly.
    pub(crate) warnings: Diagnostics,
}

/// A step function and its rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scheduled {
    /// The function.
    pub(crate) function: FunctionId,
    /// Called in every `every`-th step.
    pub(crate) every: u32,
    /// First step of the call.
    pub(crate) phase: u32,
}

/// An endless loop whose rounds are the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DriverLoop {
    /// The function it stands in.
    pub(crate) function: FunctionId,
    /// The function where execution starts: it is or calls `function`.
    pub(crate) start: FunctionId,
    /// Where it stands.
    pub(crate) span: Span,
    /// Whether it is a loop in the text, too, and all that it does stands there.
    pub(crate) is_in_text: bool,
    /// The function for a timer that is the step, where that is what the loop is for: the model's
    /// own memory holds the inputs then.
    pub(crate) timer: Option<FunctionId>,
}

impl Entry {
    /// Whether the step reads its inputs itself; else they are memory that the environment writes
    /// before it.
    pub(crate) fn reads_inputs(&self) -> bool {
        self.driver.is_some_and(|driver| driver.timer.is_none())
    }
}

/// Name of the function where a program begins.
const MAIN: &str = "main";
/// Name of the function that assumes what holds in every step.
const ASSUME: &str = "chaincover_assume";
/// Name of the function that assumes what holds where chains end.
const FINAL: &str = "chaincover_final";

/// Finds the parts of a program.
pub(crate) fn detect(program: &Program, request: &Request) -> Result<Entry, Diagnostics> {
    let mut search = Search::new(program, request);
    search.find_step();
    if search.diagnostics.has_errors() {
        return Err(search.diagnostics);
    }
    search.warn_of_task_number();
    search.find_init();
    search.find_properties();
    match search.diagnostics.has_errors() {
        true => Err(search.diagnostics),
        false => Ok(Entry { warnings: search.diagnostics, ..search.entry }),
    }
}

struct Search<'p> {
    program: &'p Program,
    request: &'p Request,
    /// The defined functions that call a function by its name.
    callers: BTreeMap<FunctionId, BTreeSet<FunctionId>>,
    /// Functions whose names may be those of initialisations.
    initialisers: Vec<FunctionId>,
    entry: Entry,
    diagnostics: Diagnostics,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program, request: &'p Request) -> Self {
        let mut callers: BTreeMap<FunctionId, BTreeSet<FunctionId>> = BTreeMap::new();
        let mut initialisers = Vec::new();
        for (function, declaration) in program.functions.iter() {
            let Some(body) = &declaration.body else { continue };
            for call in calls_in(body) {
                callers.entry(call.callee).or_default().insert(function);
            }
            if names::may_initialise(&declaration.name) {
                initialisers.push(function);
            }
        }
        let (entry, diagnostics) = (Entry::default(), Diagnostics::default());
        Self { program, request, callers, initialisers, entry, diagnostics }
    }
}

impl Search<'_> {
    /// Whether a function is called by its name, by others than itself.
    fn is_called_by_others(&self, function: FunctionId) -> bool {
        let callers = self.callers.get(&function);
        callers.is_some_and(|callers| callers.iter().any(|caller| *caller != function))
    }

    fn found(&mut self, topic: Topic, subject: &str, reason: impl Into<String>) {
        self.entry.findings.push(Finding { topic, subject: subject.to_owned(), reason: reason.into() });
    }

    fn name(&self, function: FunctionId) -> &str {
        &self.program.functions[function].name
    }

    /// The defined functions, in order.
    fn defined(&self) -> impl Iterator<Item = FunctionId> {
        self.program.functions.iter().filter(|(_, function)| function.is_defined()).map(|(id, _)| id)
    }

    fn by_name(&self, name: &str) -> Option<FunctionId> {
        self.defined().find(|&function| self.name(function) == name)
    }

    /// The defined functions that nothing calls but frames around the model.
    fn roots(&self) -> Vec<FunctionId> {
        let is_frame = |function| {
            is_frame(self.name(function))
                || self.driver_loop_in(function).is_some()
                || self.looks_like_property(function)
                || self.chooses_rate(function)
        };
        let callers: Vec<FunctionId> = self.defined().filter(|&function| !is_frame(function)).collect();
        let called: BTreeSet<FunctionId> = callers
            .into_iter()
            .flat_map(|caller| calls(self.program, caller).into_iter().map(move |call| (caller, call.callee)))
            .filter(|(caller, callee)| caller != callee)
            .map(|(_, callee)| callee)
            .collect();
        self.defined()
            .filter(|function| !called.contains(function) && !self.chooses_rate(*function))
            .collect()
    }

    /// Whether a function does nothing but call the step function of the rate whose number it gets
    /// (`X_step(tid)` calls `X_step0`, `X_step1`).
    fn chooses_rate(&self, function: FunctionId) -> bool {
        let name = self.name(function);
        let called = calls(self.program, function);
        let is_of_rate = |call: &walk::CallSite<'_>| {
            names::rate(self.name(call.callee)).is_some_and(|(stem, _)| stem == name)
        };
        called.len() > 1 && called.iter().all(is_of_rate)
    }

    fn is_step(&self, function: FunctionId) -> bool {
        self.entry.steps.iter().any(|step| step.function == function)
    }

    fn body(&self, function: FunctionId) -> &Block {
        self.program.functions[function].body.as_ref().expect("only defined functions should be looked into")
    }
}

/// Whether a name is that of a function that states a condition.
fn is_condition_function(name: &str) -> bool {
    matches!(
        name,
        "__CPROVER_assume"
            | "__ESBMC_assume"
            | "__VERIFIER_assume"
            | "assume"
            | "abort"
            | "assert"
            | "__chaincover_assert"
            | "__CPROVER_assert"
            | "__ESBMC_assert"
            | "__VERIFIER_assert"
            | "__assert_fail"
    )
}

/// Whether a name is that of a function with an arbitrary result, or of one that reads from
/// outside.
pub(crate) fn is_nondet(name: &str) -> bool {
    let prefixes = ["nondet", "__VERIFIER_nondet", "__CPROVER_nondet"];
    prefixes.iter().any(|prefix| name.starts_with(prefix)) || format_position(name).is_some()
}

/// The name most like the given one, where any is like it at all.
pub(crate) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = name.len() / 2 + 1;
    names
        .map(|other| (distance(name, other), other))
        .filter(|&(distance, _)| distance <= limit)
        .min()
        .map(|(_, other)| other)
}

/// Levenshtein's distance.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, character) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (position, other) in right.iter().enumerate() {
            let cost = diagonal + usize::from(character != *other);
            diagonal = row[position + 1];
            row[position + 1] = cost.min(diagonal + 1).min(row[position] + 1);
        }
    }
    row[right.len()]
}
