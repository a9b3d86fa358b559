//! Finding driver loops: endless loops that read inputs, one round of which is a step.

use super::walk::{FoundLoop, calls, is_entered_within, loops, reaches};
use super::{DriverLoop, Search, is_condition_function, is_nondet};
use crate::exec::{Meaning, meaning};
use crate::ir::FunctionId;
use crate::ir::stmt::{Block, Stmt, StmtKind};
use frontend::Topic;

impl Search<'_> {
    /// Endless loops that read inputs, in functions that nothing but other drivers call; with
    /// whether they call `nondet` functions.
    pub(super) fn driver_loops(&self) -> Vec<(DriverLoop, bool)> {
        let mut found = Vec::new();
        for start in self.defined() {
            let is_named = self.request.step.iter().any(|step| step.function == self.name(start));
            if self.is_called_by_others(start) && !is_named {
                continue;
            }
            if let Some((spinning, timer)) = self.frame_loop(start) {
                let driver = DriverLoop { timer: Some(timer), ..driver_loop(start, start, &spinning) };
                found.push((driver, true));
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
                found.push((driver_loop(start, function, &found_loop), certain));
            }
        }
        found
    }

    /// The last outermost loop of a function that does not end by itself and reads inputs.
    pub(super) fn driver_loop_in(&self, function: FunctionId) -> Option<(FoundLoop<'_>, bool)> {
        let candidates = self.closed_loops(function)?;
        let reads = |wanted: &dyn Fn(&str) -> bool, found: &FoundLoop<'_>| {
            reaches(self.program, found.body, &[], &|name: &str| wanted(name))
                || reaches(self.program, found.continuing, &[], &|name: &str| wanted(name))
        };
        let nondet = candidates.iter().rev().find(|found| reads(&is_nondet, found) && !is_counted(found));
        if let Some(found) = nondet {
            return Some((*found, true));
        }
        let undefined = |name: &str| {
            let named = |function: &&crate::ir::Function| function.name == name;
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

    /// The outermost loops of a function that begin at their beginnings alone.
    fn closed_loops(&self, function: FunctionId) -> Option<Vec<FoundLoop<'_>>> {
        let body = self.program.functions[function].body.as_ref()?;
        let is_closed = |found: &FoundLoop<'_>| !is_entered_within(body, found);
        Some(loops(body).into_iter().filter(is_closed).collect())
    }

    /// The only endless loop of a function, where it reads no inputs.
    pub(super) fn idle_loop(&self, function: FunctionId) -> Option<DriverLoop> {
        let all = self.closed_loops(function)?;
        let endless: Vec<&FoundLoop<'_>> = all.iter().filter(|found| is_endless(found)).collect();
        match endless.as_slice() {
            [only] if !only.body.is_empty() => Some(driver_loop(function, function, only)),
            _ => None,
        }
    }

    pub(super) fn report_ignored_drivers(&mut self) {
        if self.entry.driver.is_some() {
            return;
        }
        for (driver, is_certain) in self.driver_loops() {
            let name = self.name(driver.start).to_owned();
            if is_certain && !self.is_step(driver.start) {
                self.found(
                    Topic::Ignored,
                    &name,
                    "its loop drives the step function; the tool does that itself",
                );
            }
        }
    }
}

fn driver_loop(start: FunctionId, function: FunctionId, found: &FoundLoop<'_>) -> DriverLoop {
    DriverLoop { function, start, span: found.span, is_in_text: found.is_in_text(), timer: None }
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

/// Whether the loop has a counter that ends it: its condition stands first and does not come from a
/// call.
fn is_counted(found: &FoundLoop<'_>) -> bool {
    !is_endless(found) && !found.continuing.is_empty()
}
