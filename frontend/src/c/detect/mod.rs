//! Finding out what a program's parts are for: step, initialisation, properties.
//!
//! What the request names is taken; what it leaves open is looked for. Property functions reveal the step function (it
//! is what they call under assumptions), an endless loop that reads inputs is a step itself, and code generators name their
//! functions in known ways. Every choice made here is reported as a [`Finding`].

pub(crate) mod walk;

use crate::c::exec::{Meaning, meaning};
use crate::c::ir::stmt::{Block, Stmt, StmtKind};
use crate::c::ir::{FunctionId, Program};
use crate::c::request::{Finding, Request, StepFunction};
use crate::diagnostics::Diagnostics;
use crate::source::Span;
use std::collections::BTreeMap;
use walk::{FoundLoop, calls, loops, reaches};

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
}

/// Name of the function that assumes what holds in every step.
const ASSUME: &str = "chaincover_assume";
/// Name of the function that assumes what holds where chains end.
const FINAL: &str = "chaincover_final";

/// Ends of the names of step functions, most telling first.
const STEP_ENDINGS: &[&str] = &["_step", "_compute", "_Step", "_Compute", "_run", "_cycle", "_update"];
/// Names of step functions that stand alone.
const STEP_NAMES: &[&str] = &["step", "compute", "Step", "cycle"];
/// Ends of the names of initialisation functions, most telling first.
const INIT_ENDINGS: &[&str] = &["_initialize", "_init", "_Init", "_reset", "_Initialize", "_start"];
/// Names of initialisation functions that stand alone.
const INIT_NAMES: &[&str] = &["init", "initialize", "reset", "Init"];

/// Finds the parts of a program.
pub(crate) fn detect(program: &Program, request: &Request) -> Result<Entry, Diagnostics> {
    let mut search =
        Search { program, request, entry: Entry::default(), diagnostics: Diagnostics::default() };
    search.find_step();
    if search.diagnostics.has_errors() {
        return Err(search.diagnostics);
    }
    search.find_init();
    search.find_properties();
    if search.diagnostics.has_errors() { Err(search.diagnostics) } else { Ok(search.entry) }
}

struct Search<'p> {
    program: &'p Program,
    request: &'p Request,
    entry: Entry,
    diagnostics: Diagnostics,
}

impl Search<'_> {
    fn found(&mut self, topic: &'static str, subject: &str, reason: impl Into<String>) {
        self.entry.findings.push(Finding { topic, subject: subject.to_owned(), reason: reason.into() });
    }

    fn name(&self, function: FunctionId) -> &str {
        &self.program.functions[function].name
    }

    /// The defined functions, in order.
    fn defined(&self) -> impl Iterator<Item = FunctionId> {
        self.program.functions.iter().filter(|(_, function)| function.body.is_some()).map(|(id, _)| id)
    }

    fn by_name(&self, name: &str) -> Option<FunctionId> {
        self.defined().find(|&function| self.name(function) == name)
    }

    fn body(&self, function: FunctionId) -> &Block {
        self.program.functions[function].body.as_ref().expect("only defined functions should be looked into")
    }

    fn find_step(&mut self) {
        if !self.request.step.is_empty() {
            let wanted = self.request.step.clone();
            for step in &wanted {
                self.take_step(step);
            }
            return;
        }
        if let Some(step) = self.step_of_properties() {
            self.schedule(step);
            let name = self.name(step).to_owned();
            self.found("step", &name, "property functions call it under assumptions");
            return;
        }
        let (drivers, weak): (Vec<_>, Vec<_>) =
            self.driver_loops().into_iter().partition(|(_, is_certain)| *is_certain);
        if let [(driver, _)] = drivers.as_slice() {
            return self.take_driver(*driver);
        }
        if let Some(step) = self.step_by_name() {
            self.schedule(step);
            let name = self.name(step).to_owned();
            self.found("step", &name, "its name is one that code generators give to step functions");
            return;
        }
        match (drivers.as_slice(), weak.as_slice()) {
            ([], [(driver, _)]) => self.take_driver(*driver),
            _ => self.no_step(drivers.len() + weak.len()),
        }
    }

    fn take_step(&mut self, step: &StepFunction) {
        let Some(function) = self.by_name(&step.function) else {
            let names: Vec<String> = self.defined().map(|function| self.name(function).to_owned()).collect();
            let message = format!("there is no function `{}` with a body", step.function);
            let error = self.diagnostics.error("unknown-step", None, message);
            if let Some(nearest) = nearest(&step.function, names.iter().map(String::as_str)) {
                error.advice(format!("did you mean `{nearest}`?"));
            }
            return;
        };
        let driver = self.driver_loops().into_iter().find(|(driver, _)| driver.start == function);
        match driver {
            Some((driver, true)) if self.request.step.len() == 1 => self.take_driver(driver),
            _ => self.entry.steps.push(Scheduled { function, every: step.every.max(1), phase: step.phase }),
        }
    }

    fn schedule(&mut self, function: FunctionId) {
        self.entry.steps.push(Scheduled { function, every: 1, phase: 0 });
    }

    fn take_driver(&mut self, driver: DriverLoop) {
        self.entry.driver = Some(driver);
        let name = self.name(driver.function).to_owned();
        self.found(
            "step",
            &name,
            format!(
                "one round of its loop in line {} is one step; what stands before is initialisation",
                driver.span.line
            ),
        );
    }

    fn no_step(&mut self, drivers: usize) {
        let message = if drivers > 1 {
            "cannot tell which of several endless loops is the step"
        } else {
            "cannot find the step function"
        };
        let names: Vec<&str> = self.defined().map(|function| self.name(function)).take(12).collect();
        let list = if names.is_empty() {
            "the files define no function".to_owned()
        } else {
            format!("functions defined: {}", names.join(", "))
        };
        self.diagnostics.error("no-step", None, message).advice("name it with --step").advice(list);
    }

    /// The function that property functions call; `None` where there are none or they disagree.
    fn step_of_properties(&self) -> Option<FunctionId> {
        let mut votes: BTreeMap<FunctionId, (usize, usize)> = BTreeMap::new();
        for property in self.defined() {
            if !self.looks_like_property(property) {
                continue;
            }
            let mut called: Vec<FunctionId> = Vec::new();
            for call in calls(self.program, property) {
                let is_step =
                    self.program.functions[call.callee].body.is_some() && !is_helper(self.name(call.callee));
                if is_step && !called.contains(&call.callee) {
                    called.push(call.callee);
                    let vote = votes.entry(call.callee).or_default();
                    vote.0 += 1;
                    vote.1 += usize::from(!call.uses_result);
                }
            }
        }
        let best = votes.values().max()?;
        let mut winners = votes.iter().filter(|(_, vote)| *vote == best);
        let winner = *winners.next()?.0;
        winners.next().is_none().then_some(winner)
    }

    /// Whether a function states assumptions, is not called by others and is no driver.
    fn looks_like_property(&self, function: FunctionId) -> bool {
        let name = self.name(function);
        if name == ASSUME || name == FINAL || name == "main" || is_condition_function(name) {
            return false;
        }
        let is_called =
            self.defined().any(|other| calls(self.program, other).iter().any(|call| call.callee == function));
        !is_called && self.states_conditions(function, &[]) && self.driver_loop_in(function).is_none()
    }

    fn states_conditions(&self, function: FunctionId, closed: &[FunctionId]) -> bool {
        reaches(self.program, self.body(function), closed, &is_condition_function)
    }

    /// Endless loops that read inputs, in functions that nothing but other drivers call; with whether they call `nondet` functions.
    fn driver_loops(&self) -> Vec<(DriverLoop, bool)> {
        let mut found = Vec::new();
        for start in self.defined() {
            let is_called = self.defined().any(|other| {
                other != start && calls(self.program, other).iter().any(|call| call.callee == start)
            });
            let is_named = self.request.step.iter().any(|step| step.function == self.name(start));
            if is_called && !is_named {
                continue;
            }
            let direct = self.driver_loop_in(start).map(|(found, certain)| (start, found, certain));
            let indirect = || {
                calls(self.program, start).iter().find_map(|call| {
                    self.program.functions[call.callee].body.as_ref()?;
                    let (found, certain) = self.driver_loop_in(call.callee)?;
                    Some((call.callee, found, certain))
                })
            };
            if let Some((function, found_loop, certain)) = direct.or_else(indirect) {
                found.push((DriverLoop { function, start, span: found_loop.span }, certain));
            }
        }
        found
    }

    /// The last outermost loop of a function that does not end by itself and reads inputs.
    fn driver_loop_in(&self, function: FunctionId) -> Option<(FoundLoop<'_>, bool)> {
        let candidates = loops(self.program.functions[function].body.as_ref()?);
        let reads = |wanted: &dyn Fn(&str) -> bool, found: &FoundLoop<'_>| {
            reaches(self.program, found.body, &[], &|name: &str| wanted(name))
                || reaches(self.program, found.continuing, &[], &|name: &str| wanted(name))
        };
        let nondet = candidates.iter().rev().find(|found| reads(&is_nondet, found) && !is_counted(found));
        if let Some(found) = nondet {
            return Some((*found, true));
        }
        let undefined = |name: &str| {
            let named = |function: &&crate::c::ir::Function| function.name == name;
            let found = self.program.functions.values().find(named);
            found.is_some_and(|function| {
                function.body.is_none()
                    && meaning(function) == Meaning::Ordinary
                    && !is_condition_function(name)
            })
        };
        let found = candidates.iter().rev().find(|found| is_endless(found) && reads(&undefined, found))?;
        Some((*found, false))
    }

    fn step_by_name(&self) -> Option<FunctionId> {
        for name in STEP_NAMES {
            if let Some(function) = self.by_name(name) {
                return Some(function);
            }
        }
        for ending in STEP_ENDINGS {
            let named: Vec<FunctionId> =
                self.defined().filter(|&function| self.name(function).ends_with(ending)).collect();
            if let [function] = named.as_slice() {
                return Some(*function);
            }
            let top: Vec<FunctionId> = named
                .iter()
                .copied()
                .filter(|&function| {
                    !self
                        .defined()
                        .any(|other| calls(self.program, other).iter().any(|call| call.callee == function))
                })
                .collect();
            if let [function] = top.as_slice() {
                return Some(*function);
            }
        }
        None
    }

    fn find_init(&mut self) {
        match self.request.init.as_deref() {
            Some("") => {}
            Some(name) => match self.by_name(name) {
                Some(function) => self.entry.init = Some(function),
                None => {
                    let names: Vec<String> =
                        self.defined().map(|function| self.name(function).to_owned()).collect();
                    let message = format!("there is no function `{name}` with a body");
                    let error = self.diagnostics.error("unknown-init", None, message);
                    if let Some(nearest) = nearest(name, names.iter().map(String::as_str)) {
                        error.advice(format!("did you mean `{nearest}`?"));
                    }
                }
            },
            None if self.entry.driver.is_some() => {}
            None => match self.init_by_name() {
                Some(function) => {
                    self.entry.init = Some(function);
                    let name = self.name(function).to_owned();
                    self.found("init", &name, "its name goes with that of the step function");
                }
                None => {
                    self.found("init", "", "no initialisation function was found; static initialisers alone")
                }
            },
        }
        self.report_ignored_drivers();
    }

    fn init_by_name(&self) -> Option<FunctionId> {
        let step = self.entry.steps.first()?.function;
        let step = self.name(step);
        let stems = STEP_ENDINGS.iter().filter_map(|ending| step.strip_suffix(ending));
        for stem in stems.chain([step]) {
            for ending in INIT_ENDINGS {
                if let Some(function) = self.by_name(&format!("{stem}{ending}")) {
                    return Some(function);
                }
            }
        }
        INIT_NAMES.iter().find_map(|name| self.by_name(name))
    }

    fn report_ignored_drivers(&mut self) {
        if self.entry.driver.is_some() {
            return;
        }
        for (driver, is_certain) in self.driver_loops() {
            let name = self.name(driver.start).to_owned();
            if is_certain && !self.is_step(driver.start) {
                self.found("ignored", &name, "its loop drives the step function; the tool does that itself");
            }
        }
    }

    fn is_step(&self, function: FunctionId) -> bool {
        self.entry.steps.iter().any(|step| step.function == function)
    }

    fn find_properties(&mut self) {
        self.entry.assume = self.by_name(ASSUME);
        self.entry.end = self.by_name(FINAL);
        let steps: Vec<FunctionId> = self.entry.steps.iter().map(|step| step.function).collect();
        let candidates: Vec<FunctionId> = self.defined().collect();
        for function in candidates {
            let calls_step = calls(self.program, function).iter().any(|call| steps.contains(&call.callee));
            let is_other = self.is_step(function) || self.entry.init == Some(function);
            if !calls_step || is_other || self.driver_loop_in(function).is_some() {
                continue;
            }
            let declaration = &self.program.functions[function];
            if self.program.units[declaration.unit].is_property_file
                || self.states_conditions(function, &steps)
            {
                self.entry.properties.push(function);
            } else {
                let name = declaration.name.clone();
                self.found(
                    "ignored",
                    &name,
                    "it calls the step function, but states no assumption and no assertion",
                );
            }
        }
    }
}

/// Whether a name is that of a function that states a condition.
fn is_condition_function(name: &str) -> bool {
    matches!(
        name,
        "__CPROVER_assume"
            | "__VERIFIER_assume"
            | "assume"
            | "abort"
            | "assert"
            | "__chaincover_assert"
            | "__CPROVER_assert"
            | "__VERIFIER_assert"
            | "__assert_fail"
    )
}

/// Whether a name is that of a function that a property calls beside the step.
fn is_helper(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    is_condition_function(name) || ["assume", "assert", "nondet"].iter().any(|word| lower.contains(word))
}

/// Whether a name is that of a function with an arbitrary result.
pub(crate) fn is_nondet(name: &str) -> bool {
    ["nondet", "__VERIFIER_nondet", "__CPROVER_nondet"].iter().any(|prefix| name.starts_with(prefix))
}

/// Whether nothing but a jump from the midst of its body ends the loop.
fn is_endless(found: &FoundLoop<'_>) -> bool {
    let leaves = |block: &Block| matches!(block.first().map(|stmt| &stmt.kind), Some(StmtKind::Break));
    let is_exit = |stmt: &Stmt| match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => leaves(then) || leaves(otherwise),
        _ => false,
    };
    !found.body.iter().chain(found.continuing).any(is_exit)
}

/// Whether the loop has a counter that ends it: its condition stands first and does not come from a call.
fn is_counted(found: &FoundLoop<'_>) -> bool {
    !is_endless(found) && !found.continuing.is_empty()
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
