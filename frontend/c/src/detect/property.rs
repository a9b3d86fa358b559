//! Finding property functions: those that call the step function and state what holds around the
//! call.

use super::names::is_frame;
use super::walk::{CallSite, calls, reaches, visit, visit_expressions};
use super::{ASSUME, FINAL, Search, is_condition_function};
use crate::code::Code;
use crate::exec::is_cover;
use crate::ir::expr::ExprKind;
use crate::ir::stmt::{Place, PlaceBase, Projection, StmtKind};
use crate::ir::{FunctionId, GlobalId};
use frontend::Topic;
use std::collections::BTreeSet;

impl Search<'_> {
    /// Whether a function states assumptions, is not called by others and is no driver.
    pub(super) fn looks_like_property(&self, function: FunctionId) -> bool {
        let name = self.name(function);
        if name == ASSUME || name == FINAL || is_frame(name) || is_condition_function(name) {
            return false;
        }
        !self.callers.contains_key(&function)
            && self.states_conditions(function, &[])
            && !self.states_covers(function)
            && !self.keeps_state(function)
            && self.driver_loop_in(function).is_none()
    }

    /// Whether goals stand in a function itself: they are about executions of it, and it is part of
    /// the code that is tested.
    fn states_covers(&self, function: FunctionId) -> bool {
        calls(self.program, function).iter().any(|call| is_cover(&self.program.functions[call.callee]))
    }

    /// Whether a function computes what it stores in a static object from what it has stored there
    /// before: a step does so, while a property only sets inputs and states what holds.
    fn keeps_state(&self, function: FunctionId) -> bool {
        let (mut written, mut read) = (BTreeSet::new(), BTreeSet::new());
        visit(self.body(function), &mut |stmt| {
            if let StmtKind::Assign(place, _) = &stmt.kind {
                written.extend(member(place));
            }
            // What a condition function is given is read to state something.
            if !matches!(stmt.kind, StmtKind::Call { .. }) {
                visit_expressions(stmt, &mut |expr| {
                    if let ExprKind::Load(place) = &expr.kind {
                        read.extend(member(place));
                    }
                });
            }
        });
        written.intersection(&read).next().is_some()
    }

    fn states_conditions(&self, function: FunctionId, closed: &[FunctionId]) -> bool {
        reaches(self.program, self.body(function), closed, &is_condition_function)
    }

    pub(super) fn find_properties(&mut self) {
        self.entry.assume = self.by_name(ASSUME);
        self.entry.end = self.by_name(FINAL);
        let steps: Vec<FunctionId> = self.entry.steps.iter().map(|step| step.function).collect();
        let candidates: Vec<FunctionId> = self.defined().collect();
        for function in candidates {
            let calls_step = calls(self.program, function).iter().any(|call| steps.contains(&call.callee));
            let is_other =
                self.is_step(function) || self.entry.init == Some(function) || self.states_covers(function);
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
                    Topic::Ignored,
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
            .warning(Code::IndirectProperty, Some(span), message)
            .advice("a property function calls the step function itself, once for each step of its window");
    }
}

/// The static object of a place and the members that lead into it; elements of arrays are not told
/// apart.
fn member(place: &Place) -> Option<(GlobalId, Vec<usize>)> {
    let PlaceBase::Global(object) = place.base else { return None };
    let fields = place.path.iter().filter_map(|projection| match projection {
        Projection::Field { index, .. } => Some(*index),
        Projection::Index { .. } => None,
    });
    Some((object, fields.collect()))
}
