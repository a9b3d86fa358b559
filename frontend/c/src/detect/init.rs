//! Finding the initialisation that goes with the step function: by its name, or by the object that
//! it is for. What might be one but has no telling name is told, not taken.

use super::names::{self, INIT_NAMES};
use super::{Search, nearest, walk};
use crate::code::Code;
use crate::ir::expr::ExprKind;
use crate::ir::stmt::{Place, PlaceBase, StmtKind};
use crate::ir::types::{Type, TypeId};
use crate::ir::{FunctionId, GlobalId};
use frontend::Topic;
use std::collections::BTreeSet;

impl Search<'_> {
    pub(super) fn find_init(&mut self) {
        match self.request.init.as_deref() {
            Some("") => {}
            Some(name) => match self.by_name(name) {
                Some(function) => self.entry.init = Some(function),
                None => {
                    let names: Vec<String> =
                        self.defined().map(|function| self.name(function).to_owned()).collect();
                    let message = format!("there is no function `{name}` with a body");
                    let error = self.diagnostics.error(Code::UnknownInit, None, message);
                    if let Some(nearest) = nearest(name, names.iter().map(String::as_str)) {
                        error.advice(format!("did you mean `{nearest}`?"));
                    }
                }
            },
            None => match (self.entry.driver, self.init_by_name()) {
                (Some(driver), _) => {
                    let name = self.name(driver.function).to_owned();
                    self.found(Topic::Init, &name, "what it does before its loop");
                }
                (None, Some(function)) => {
                    self.entry.init = Some(function);
                    let name = self.name(function).to_owned();
                    self.found(Topic::Init, &name, "its name goes with that of the step function");
                }
                (None, None) => {
                    self.found(
                        Topic::Init,
                        "",
                        "no initialisation function was found; static initialisers alone",
                    );
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

    /// The one function of the object that a step function is for (`lock_init` for `lock_tick`)
    /// which initialises it, and which nothing else calls.
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
        let named: Vec<FunctionId> = self.roots().into_iter().filter(is_candidate).collect();
        let name = self.name(step).to_owned();
        let (candidates, reason) = if named.is_empty() {
            (self.writers_for(step), "which reads what it writes")
        } else {
            (named, "by its name")
        };
        if candidates.is_empty() || candidates.len() > MOST_TOLD {
            return;
        }
        let names: Vec<String> =
            candidates.iter().map(|&function| format!("`{}`", self.name(function))).collect();
        let names = names.join(" or ");
        let message =
            format!("no initialisation function is called: {names} could be one for `{name}`, {reason}");
        self.diagnostics
            .warning(Code::NoInit, None, message)
            .advice("name it with `init`, or write init = \"\" where static initialisers are all there is");
    }

    /// The initialisation whose name goes with that of a step function.
    pub(super) fn init_for(&self, step: FunctionId) -> Option<FunctionId> {
        let step_name = self.name(step);
        let without_rate = names::rate(step_name).map_or(step_name, |(stem, _)| stem);
        let candidates = self.initialisers.iter().copied().filter(|&function| function != step);
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

    /// Whether a function has parameters that are no pointers: whoever calls it for a model knows
    /// their values, the tool does not.
    fn takes_numbers(&self, function: FunctionId) -> bool {
        let declaration = &self.program.functions[function];
        let types = &self.program.types.types;
        declaration.parameters.iter().any(|&local| {
            let ty = declaration.locals[local].ty;
            !matches!(types[ty], Type::Pointer(_))
        })
    }

    /// Functions that nothing calls, that take no numbers, and that write variables, or what
    /// parameters of the same type point to, which a step function reads.
    fn writers_for(&self, step: FunctionId) -> Vec<FunctionId> {
        let read = self.touched(step).0;
        let writes = |&function: &FunctionId| {
            let declaration = &self.program.functions[function];
            function != step
                && !self.program.units[declaration.unit].is_property_file
                && !names::is_frame(&declaration.name)
                && !self.looks_like_property(function)
                && !self.takes_numbers(function)
                && !walk::calls(self.program, function).iter().any(|call| call.callee == step)
                && !self.touched(function).1.is_disjoint(&read)
        };
        self.roots().into_iter().filter(writes).collect()
    }

    /// What a function and those that it calls read and write: variables of static storage
    /// duration, and types behind pointers.
    fn touched(&self, function: FunctionId) -> (BTreeSet<Touched>, BTreeSet<Touched>) {
        let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![function]);
        while let Some(function) = waiting.pop() {
            let Some(body) = self.program.functions[function].body.as_ref().filter(|_| seen.insert(function))
            else {
                continue;
            };
            waiting.extend(walk::calls(self.program, function).iter().map(|call| call.callee));
            walk::visit(body, &mut |stmt| {
                if let StmtKind::Assign(place, _) | StmtKind::Call { result: Some(place), .. } = &stmt.kind {
                    written.extend(touched(place));
                }
                walk::visit_expressions(stmt, &mut |expr| {
                    if let ExprKind::Load(place) = &expr.kind {
                        read.extend(touched(place));
                    }
                });
            });
        }
        (read, written)
    }
}

/// Most functions that are told as possible initialisations.
const MOST_TOLD: usize = 4;

/// Something that functions share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Touched {
    /// A variable.
    Global(GlobalId),
    /// What a pointer of a type points to.
    Behind(TypeId),
}

/// What a place is part of, where that is shared.
fn touched(place: &Place) -> Option<Touched> {
    match &place.base {
        PlaceBase::Global(global) => Some(Touched::Global(*global)),
        PlaceBase::Deref(pointer) => Some(Touched::Behind(pointer.ty)),
        _ => None,
    }
}
