//! Finding out what a program's parts are for: step, initialisation, properties.
//!
//! What the request names is taken; what it leaves open is looked for. Property functions reveal the step function (it
//! is what they call under assumptions), an endless loop that reads inputs is a step itself, and code generators name their
//! functions in known ways. Every choice made here is reported as a [`Finding`].

pub(crate) mod names;
pub(crate) mod walk;

use crate::c::exec::{Meaning, meaning};
use crate::c::ir::stmt::{Block, Stmt, StmtKind};
use crate::c::ir::types::Type;
use crate::c::ir::{FunctionId, Program};
use crate::c::request::{Finding, Request, StepFunction};
use crate::diagnostics::Diagnostics;
use crate::source::Span;
use names::{CERTAIN, INIT_NAMES, STEP_ENDINGS, STEP_NAMES, is_frame, is_kcg_context};
use std::collections::{BTreeMap, BTreeSet};
use walk::{CallSite, FoundLoop, calls, loops, reaches};

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
}

/// Name of the function that assumes what holds in every step.
const ASSUME: &str = "chaincover_assume";
/// Name of the function that assumes what holds where chains end.
const FINAL: &str = "chaincover_final";

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
    match search.diagnostics.has_errors() {
        true => Err(search.diagnostics),
        false => Ok(Entry { warnings: search.diagnostics, ..search.entry }),
    }
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
        if let Some((step, reason)) = self.step_by_shape() {
            self.schedule(step);
            let name = self.name(step).to_owned();
            self.found("step", &name, reason);
            return;
        }
        match (drivers.as_slice(), weak.as_slice()) {
            ([], [(driver, _)]) => self.take_driver(*driver),
            _ if !self.report_rates() => self.no_step(drivers.len() + weak.len()),
            _ => {}
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
        let roots = self.roots();
        let others = self.defined().filter(|function| !roots.contains(function));
        let names: Vec<&str> =
            roots.iter().copied().chain(others).map(|function| self.name(function)).take(12).collect();
        let list = if names.is_empty() {
            "the files define no function".to_owned()
        } else {
            format!("functions defined, those first that nothing calls: {}", names.join(", "))
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

    /// The step function as its parameters or names tell it, with what told it.
    fn step_by_shape(&self) -> Option<(FunctionId, &'static str)> {
        let roots = self.roots();
        let all: Vec<FunctionId> = self.defined().collect();
        let only = |found: Vec<FunctionId>| <[FunctionId; 1]>::try_from(found).ok().map(|[found]| found);
        let among = |functions: &[FunctionId], wanted: &dyn Fn(FunctionId) -> bool| {
            only(functions.iter().copied().filter(|&function| wanted(function)).collect())
        };
        if let Some(step) = among(&roots, &|function| self.is_kcg_operator(function)) {
            return Some((
                step,
                "its parameters are the input structure and the context of an operator, as KCG has it",
            ));
        }
        let named = |functions: &[FunctionId], endings: &[&str]| {
            let name = STEP_NAMES.iter().find_map(|name| among(functions, &|step| self.name(step) == *name));
            let ending = |ending: &&str| among(functions, &|step| self.name(step).ends_with(*ending));
            name.or_else(|| endings.iter().find_map(ending))
        };
        if let Some(step) = named(&roots, STEP_ENDINGS).or_else(|| named(&all, &STEP_ENDINGS[..CERTAIN])) {
            return Some((step, "its name is one that code generators give to step functions"));
        }
        let paired =
            among(&roots, &|function| !is_frame(self.name(function)) && self.init_for(function).is_some())?;
        Some((paired, "its name goes with that of an initialisation function, and nothing else calls it"))
    }

    /// The defined functions that nothing calls but frames around the model.
    fn roots(&self) -> Vec<FunctionId> {
        let is_frame = |function| {
            is_frame(self.name(function))
                || self.driver_loop_in(function).is_some()
                || self.looks_like_property(function)
        };
        let callers: Vec<FunctionId> = self.defined().filter(|&function| !is_frame(function)).collect();
        let called: BTreeSet<FunctionId> = callers
            .into_iter()
            .flat_map(|caller| calls(self.program, caller).into_iter().map(move |call| (caller, call.callee)))
            .filter(|(caller, callee)| caller != callee)
            .map(|(_, callee)| callee)
            .collect();
        self.defined().filter(|function| !called.contains(function)).collect()
    }

    /// Whether a function takes the context of an operator, and is not its initialisation.
    fn is_kcg_operator(&self, function: FunctionId) -> bool {
        let declaration = &self.program.functions[function];
        let mut types = declaration.parameters.iter().map(|&local| declaration.locals[local].ty);
        let is_context = types.any(|ty| match self.program.types.types[ty] {
            Type::Pointer(to) => match self.program.types.types[to] {
                Type::Record(record) => is_kcg_context(&self.program.types.records[record].name),
                _ => false,
            },
            _ => false,
        });
        let name = &declaration.name;
        is_context && !self.defined().any(|operator| names::init_rank(name, self.name(operator)).is_some())
    }

    /// Reports step functions of several rates, where that is why there is not one step function; whether it is.
    fn report_rates(&mut self) -> bool {
        let mut rates: Vec<(u32, &str)> = Vec::new();
        for function in self.roots() {
            rates.extend(names::rate(self.name(function)).map(|(_, number)| (number, self.name(function))));
        }
        rates.sort_unstable();
        let [(_, fastest), slower @ ..] = rates.as_slice() else { return false };
        let slower: Vec<String> =
            slower.iter().map(|(_, name)| format!(", {{ fn = \"{name}\", every = 10 }}")).collect();
        let advice = format!(
            "say in the section [model] how often each is called, for example step = [{{ fn = \"{fastest}\" }}{}]",
            slower.concat()
        );
        let message = "the model has a step function for each of its rates";
        self.diagnostics.error("several-rates", None, message).advice(advice);
        true
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
                    self.found("init", "", "no initialisation function was found; static initialisers alone");
                    self.warn_of_init();
                }
            },
        }
        self.report_ignored_drivers();
    }

    fn init_by_name(&self) -> Option<FunctionId> {
        let step = self.entry.steps.first()?.function;
        let alone = || INIT_NAMES.iter().find_map(|name| self.by_name(name));
        self.init_for(step).or_else(alone).or_else(|| self.init_of_object(step))
    }

    /// The one function of the object that a step function is for (`lock_init` for `lock_tick`) which initialises it, and which nothing
    /// else calls.
    fn init_of_object(&self, step: FunctionId) -> Option<FunctionId> {
        let object = |function: FunctionId| names::initialised(self.name(function));
        let fits = |function: &FunctionId| {
            let is_of = |object| names::is_function_of(self.name(step), object);
            *function != step && !self.takes_numbers(*function) && object(*function).is_some_and(is_of)
        };
        let mut found: Vec<FunctionId> = self.roots().into_iter().filter(fits).collect();
        found.sort_by_key(|&function| std::cmp::Reverse(object(function).map_or(0, str::len)));
        match found[..] {
            [one] => Some(one),
            [first, second, ..] if object(first) != object(second) => Some(first),
            _ => None,
        }
    }

    /// Warns of what may be the initialisation, where none was found.
    fn warn_of_init(&mut self) {
        let Some(step) = self.entry.steps.first().map(|step| step.function) else { return };
        let is_candidate =
            |function: &FunctionId| *function != step && names::initialised(self.name(*function)).is_some();
        let candidates: Vec<String> = self
            .roots()
            .into_iter()
            .filter(is_candidate)
            .map(|function| format!("`{}`", self.name(function)))
            .collect();
        if candidates.is_empty() {
            return;
        }
        let message = format!(
            "no initialisation function is called: by their names, {} could be one for `{}`",
            candidates.join(", "),
            self.name(step)
        );
        self.diagnostics
            .warning("no-init", None, message)
            .advice("name it with `init`, or write init = \"\" where static initialisers are all there is");
    }

    /// The initialisation whose name goes with that of a step function.
    fn init_for(&self, step: FunctionId) -> Option<FunctionId> {
        let step_name = self.name(step);
        let without_rate = names::rate(step_name).map_or(step_name, |(stem, _)| stem);
        let candidates = self.defined().filter(|&function| function != step);
        candidates
            .filter_map(|function| {
                let name = self.name(function);
                let rank = |stem: &str| names::init_rank(name, stem);
                let rank = rank(names::stem(without_rate)).or_else(|| rank(step_name))?;
                Some((self.takes_numbers(function), rank, function))
            })
            .min()
            .map(|(.., function)| function)
    }

    /// Whether a function has parameters that are no pointers: whoever calls it for a model knows their values, the tool does not.
    fn takes_numbers(&self, function: FunctionId) -> bool {
        let declaration = &self.program.functions[function];
        let types = &self.program.types.types;
        declaration.parameters.iter().any(|&local| {
            let ty = declaration.locals[local].ty;
            !matches!(types[ty], Type::Pointer(_))
        })
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
            if is_other || self.driver_loop_in(function).is_some() {
                continue;
            }
            if !calls_step {
                self.warn_of_indirect(function, &steps);
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

    /// Warns of a function that would be a property if it called the step function itself.
    fn warn_of_indirect(&mut self, function: FunctionId, steps: &[FunctionId]) {
        let declaration = &self.program.functions[function];
        let states = |callee: FunctionId| {
            let calls = calls(self.program, callee);
            calls.iter().any(|call| is_condition_function(&self.program.functions[call.callee].name))
        };
        let by_way_of = calls(self.program, function).into_iter().map(|call| call.callee).find(|&callee| {
            let is_step = |call: &CallSite<'_>| steps.contains(&call.callee);
            !steps.contains(&callee) && !states(callee) && calls(self.program, callee).iter().any(is_step)
        });
        let Some(by_way_of) = by_way_of.filter(|_| states(function)) else { return };
        let (name, other, span) = (&declaration.name, self.name(by_way_of).to_owned(), declaration.span);
        let message = format!("`{name}` is no goal: it calls the step function only by way of `{other}`");
        self.diagnostics
            .warning("indirect-property", Some(span), message)
            .advice("a property function calls the step function itself, once for each step of its window");
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
