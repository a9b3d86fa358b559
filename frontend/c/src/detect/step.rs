//! Finding the step function.
//!
//! Property functions reveal it (they call it under assumptions), code generators name it in known
//! ways or give it parameters of known types, its initialisation goes by a name like its own; at
//! last it is the only function that others may call and nobody does.

use super::names::{self, CERTAIN, STEP_ENDINGS, STEP_NAMES, is_frame, is_kcg_context, is_kcg_input};
use super::walk::{calls, reaches};
use super::{ASSUME, DriverLoop, FINAL, MAIN, Scheduled, Search, is_condition_function, is_nondet, nearest};
use crate::code::Code;
use crate::exec::{Seen, seen};
use crate::ir::types::Type;
use crate::ir::{FunctionId, Linkage};
use frontend::StepFunction;
use frontend::Topic;
use std::collections::BTreeMap;

/// Most functions that are named to choose from.
const MOST_NAMED: usize = 12;

impl Search<'_> {
    pub(super) fn find_step(&mut self) {
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
            self.found(Topic::Step, &name, "property functions call it under assumptions");
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
            self.found(Topic::Step, &name, reason);
            return;
        }
        match (drivers.as_slice(), weak.as_slice()) {
            ([], [(driver, _)]) => self.take_driver(*driver),
            _ if self.report_rates() => {}
            ([], []) => self.take_main_or_choice(),
            _ => self.no_step(drivers.len() + weak.len()),
        }
    }

    /// Takes `main` where it states goals or reads inputs itself, else the one function that can be
    /// meant, else an endless loop without inputs.
    fn take_main_or_choice(&mut self) {
        let main = self.by_name(MAIN);
        let idle = main.and_then(|main| self.idle_loop(main));
        let has_goals = main.is_some_and(|main| self.states_goals(main));
        match (main, idle, self.choices().as_slice()) {
            (_, Some(driver), _) if has_goals => self.take_driver(driver),
            (Some(main), None, _) if has_goals => {
                self.schedule(main);
                let reason = "it states goals or reads inputs itself; each step is one more call of it";
                self.found(Topic::Step, MAIN, reason);
            }
            (_, Some(driver), []) => self.take_driver(driver),
            _ => self.take_only_choice(),
        }
    }

    /// Whether a function itself states goals or reads inputs by calls.
    fn states_goals(&self, function: FunctionId) -> bool {
        calls(self.program, function).iter().any(|call| {
            let callee = &self.program.functions[call.callee];
            is_nondet(&callee.name) || seen(callee).is_some_and(|seen| seen != Seen::Assumed)
        })
    }

    /// Takes the one function that other files may call and nothing calls.
    fn take_only_choice(&mut self) {
        let [only] = self.choices()[..] else { return self.no_step(0) };
        self.schedule(only);
        let name = self.name(only).to_owned();
        self.found(Topic::Step, &name, "it is the only function that nothing calls and other files may call");
    }

    /// Functions of the model that nothing calls and other files may call.
    fn choices(&self) -> Vec<FunctionId> {
        let is_choice = |function: &FunctionId| {
            let declaration = &self.program.functions[*function];
            declaration.linkage == Linkage::External
                && !self.program.units[declaration.unit].is_property_file
                && !is_frame(&declaration.name)
                && !matches!(declaration.name.as_str(), ASSUME | FINAL)
                && !self.looks_like_property(*function)
                && self.driver_loop_in(*function).is_none()
        };
        self.roots().into_iter().filter(is_choice).collect()
    }

    fn take_step(&mut self, step: &StepFunction) {
        let Some(function) = self.by_name(&step.function) else {
            let names: Vec<String> = self.defined().map(|function| self.name(function).to_owned()).collect();
            let message = format!("there is no function `{}` with a body", step.function);
            let error = self.diagnostics.error(Code::UnknownStep, None, message);
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

    /// Warns of a step function that is told by its caller which of its rates are due.
    pub(super) fn warn_of_task_number(&mut self) {
        for step in self.entry.steps.clone() {
            let declaration = &self.program.functions[step.function];
            let is_number = |local: &crate::ir::Local| {
                local.name == "tid" && matches!(self.program.types.types[local.ty], Type::Integer(_))
            };
            let parameters = declaration.parameters.iter().map(|&local| &declaration.locals[local]);
            let Some(span) = parameters.into_iter().find(|local| is_number(local)).map(|local| local.span)
            else {
                continue;
            };
            let name = declaration.name.clone();
            let message =
                format!("`{name}` gets the number of a task: any number in any step is taken to be possible");
            let advice = format!(
                "add the file whose `rt_OneStep` calls it, and its `main`; or limit it: [input.\"{name}.tid\"] with values = [0]"
            );
            self.diagnostics.warning(Code::TaskNumber, Some(span), message).advice(advice);
        }
    }

    fn schedule(&mut self, function: FunctionId) {
        self.entry.steps.push(Scheduled { function, every: 1, phase: 0 });
    }

    fn take_driver(&mut self, driver: DriverLoop) {
        self.entry.driver = Some(driver);
        let name = self.name(driver.function).to_owned();
        let line = driver.span.line;
        let reason = match driver.timer.map(|timer| self.name(timer)) {
            None => format!(
                "one round of its loop in line {line} is one step; what stands before is initialisation"
            ),
            Some(timer) => format!(
                "one call of `{timer}` by a timer is one step; what it does before its loop in line {line} is initialisation"
            ),
        };
        self.found(Topic::Step, &name, reason);
    }

    fn no_step(&mut self, drivers: usize) {
        let message = if drivers > 1 {
            "cannot tell which of several endless loops is the step"
        } else {
            "cannot find the step function"
        };
        let choices = self.choices();
        let others = self.defined().filter(|function| !choices.contains(function));
        let mut all: Vec<FunctionId> = choices.iter().copied().chain(others).collect();
        all.sort_by_key(|&function| {
            let name = self.name(function);
            !STEP_ENDINGS.iter().any(|ending| name.ends_with(ending))
        });
        let mut names: Vec<&str> = Vec::new();
        for name in all.into_iter().map(|function| self.name(function)) {
            if !names.contains(&name) && names.len() < MOST_NAMED {
                names.push(name);
            }
        }
        let list = if names.is_empty() {
            "the files define no function".to_owned()
        } else {
            format!(
                "functions defined, first those named like steps, then those that nothing calls: {}",
                names.join(", ")
            )
        };
        self.diagnostics.error(Code::NoStep, None, message).advice("name it with --step").advice(list);
    }

    /// Whether property functions tell what the step function is.
    pub(super) fn has_properties(&self) -> bool {
        self.step_of_properties().is_some()
    }

    /// The function that property functions call; `None` where there are none or they disagree, or
    /// where what looks like one is a function of the model that is not used: the step itself, as its
    /// name tells it, calls the function in question.
    fn step_of_properties(&self) -> Option<FunctionId> {
        let found = self.called_by_properties(|_| true)?;
        let calls_it = |step: FunctionId| {
            let name = self.name(found);
            step != found && reaches(self.program, self.body(step), &[], &|called| called == name)
        };
        // A function that other files cannot call, and that nothing calls, is rather left over.
        let may_be_called = |property: FunctionId| {
            let declaration = &self.program.functions[property];
            declaration.linkage == Linkage::External || self.program.units[declaration.unit].is_property_file
        };
        let has_another_step = match self.step_by_shape() {
            Some((step, _)) if step == found => false,
            Some((step, _)) if calls_it(step) => return None,
            Some(_) => true,
            None => matches!(self.choices()[..], [only] if calls_it(only)),
        };
        if has_another_step { self.called_by_properties(may_be_called) } else { Some(found) }
    }

    /// The function that most property functions call, of those that count.
    fn called_by_properties(&self, counts: impl Fn(FunctionId) -> bool) -> Option<FunctionId> {
        let mut votes: BTreeMap<FunctionId, (usize, usize)> = BTreeMap::new();
        for property in self.defined() {
            if !counts(property) || !self.looks_like_property(property) {
                continue;
            }
            let mut called: Vec<FunctionId> = Vec::new();
            for call in calls(self.program, property) {
                let callee = &self.program.functions[call.callee];
                // A function that tells of errors may have a body, too.
                let is_step = callee.is_defined() && !is_helper(&callee.name) && seen(callee).is_none();
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

    /// The step function as its parameters or names tell it, with what told it.
    fn step_by_shape(&self) -> Option<(FunctionId, &'static str)> {
        let roots = self.roots();
        let all: Vec<FunctionId> = self.defined().filter(|&function| !self.chooses_rate(function)).collect();
        let only = |found: Vec<FunctionId>| <[FunctionId; 1]>::try_from(found).ok().map(|[found]| found);
        let among = |functions: &[FunctionId], wanted: &dyn Fn(FunctionId) -> bool| {
            only(functions.iter().copied().filter(|&function| wanted(function)).collect())
        };
        let operator = among(&roots, &|function| self.is_kcg_operator(function, is_kcg_input))
            .or_else(|| among(&roots, &|function| self.is_kcg_operator(function, is_kcg_context)));
        if let Some(step) = operator {
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

    /// Whether a function takes a structure of an operator that has such a name, and is not its
    /// initialisation.
    fn is_kcg_operator(&self, function: FunctionId, is_of_operator: fn(&str) -> bool) -> bool {
        let declaration = &self.program.functions[function];
        let mut types = declaration.parameters.iter().map(|&local| declaration.locals[local].ty);
        let is_context = types.any(|ty| match self.program.types.types[ty] {
            Type::Pointer(to) => match self.program.types.types[to] {
                Type::Record(record) => is_of_operator(&self.program.types.records[record].name),
                _ => false,
            },
            _ => false,
        });
        let name = &declaration.name;
        is_context && !self.defined().any(|operator| names::init_rank(name, self.name(operator)).is_some())
    }

    /// Reports step functions of several rates, where that is why there is not one step function;
    /// whether it is.
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
        let frame =
            "or add the file with the function `rt_OneStep` that calls them (ert_main.c), and its `main`";
        self.diagnostics.error(Code::SeveralRates, None, message).advice(advice).advice(frame);
        true
    }
}

/// Whether a name is that of a function that a property calls beside the step.
fn is_helper(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    is_condition_function(name) || ["assume", "assert", "nondet"].iter().any(|word| lower.contains(word))
}
