//! The ways in which calls lead to code, where coverage goals count for each of them.

use super::super::unreached::Code;
use crate::code::Code as ErrorCode;
use crate::detect::walk;
use crate::exec::call_paths::{CallPath, CallPaths, LastCall};
use crate::exec::{Machine, Outcome};
use crate::ir::stmt::{Callee, StmtKind};
use crate::ir::{FunctionId, Program};
use crate::translate::setup::Task;
use frontend::Location;
use frontend::source::Span;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Most paths of calls that are told apart.
const MOST_PATHS: usize = 4096;

/// The paths of calls that lead to each function.
pub(super) struct Ways<'p> {
    program: &'p Program,
    paths: CallPaths,
    to: BTreeMap<FunctionId, Vec<CallPath>>,
    /// For the place of a call, and the function that it names, the function that it stands in, with
    /// its number there among calls of the same function from the second on. Calls of pointers name
    /// none.
    callers: FxHashMap<(Span, Option<FunctionId>), String>,
}

impl<'p> Ways<'p> {
    /// All paths through the code: calls of functions by their names, and what else was met.
    pub(super) fn new(task: &Task<'p>, machine: &mut Machine<'_>, code: &[Code<'p>]) -> Outcome<Self> {
        let mut ways = Self {
            program: task.program,
            paths: machine.call_paths.clone(),
            to: BTreeMap::new(),
            callers: FxHashMap::default(),
        };
        if !task.request.coverage.per_call {
            return Ok(ways);
        }
        let mut calls: BTreeMap<Option<FunctionId>, Vec<(Span, FunctionId)>> = BTreeMap::new();
        for Code { function, block } in code {
            let caller = function.or(task.entry.driver.map(|driver| driver.function));
            let here = ways.note_calls(caller, block);
            calls.entry(*function).or_default().extend(here);
        }
        let steps = task.entry.steps.iter().map(|step| Some(step.function));
        let starts = [task.entry.init, task.entry.driver.map(|driver| driver.start)];
        for root in steps.chain(starts).chain([None]) {
            for &(span, callee) in calls.get(&root).into_iter().flatten() {
                ways.paths.extended(CallPath::ROOT, span, callee);
            }
            ways.to.extend(root.map(|function| (function, vec![CallPath::ROOT])));
        }
        let mut number = 1;
        while let Some(path) = ways.paths.numbered(number) {
            let Some(LastCall { callee, span, .. }) = ways.paths.last_call(path) else { break };
            if number > MOST_PATHS {
                let message = format!("more than {MOST_PATHS} ways lead through calls to code");
                let advice =
                    "leave out `per_call`, or functions that are called from many places (`exclude`)";
                return Err(machine.fail_with(ErrorCode::CallPaths, span, message, advice));
            }
            for &(span, callee) in calls.get(&Some(callee)).into_iter().flatten() {
                ways.paths.extended(path, span, callee);
            }
            ways.to.entry(callee).or_default().push(path);
            number += 1;
        }
        Ok(ways)
    }

    /// Notes the calls in a function's statements; returns those of functions with code.
    fn note_calls(
        &mut self,
        caller: Option<FunctionId>,
        block: &'p [crate::ir::stmt::Stmt],
    ) -> Vec<(Span, FunctionId)> {
        let program = self.program;
        let name = caller.map_or("", |caller| program.functions[caller].name.as_str());
        let mut counts: BTreeMap<Option<FunctionId>, usize> = BTreeMap::new();
        let mut calls = Vec::new();
        walk::visit(block, &mut |stmt| {
            let StmtKind::Call { callee, .. } = &stmt.kind else { return };
            let named = match callee {
                Callee::Function(function) => Some(*function),
                Callee::Pointer(_) => None,
            };
            let count = counts.entry(named).or_default();
            *count += 1;
            let number = if *count == 1 { String::new() } else { format!("#{count}") };
            self.callers.entry((stmt.span, named)).or_insert_with(|| format!("{name}{number}"));
            let is_code = |function: &FunctionId| program.functions[*function].body.is_some();
            calls.extend(named.filter(is_code).map(|function| (stmt.span, function)));
        });
        calls
    }

    /// The paths that lead to a function.
    pub(super) fn to(&self, function: FunctionId) -> &[CallPath] {
        self.to.get(&function).map_or(&[CallPath::ROOT], Vec::as_slice)
    }

    /// A path in the identity of a goal, from the innermost call outwards: `@mid#2@step`.
    pub(super) fn identity(&self, path: CallPath) -> String {
        let caller = |call: &LastCall| {
            let named = self.callers.get(&(call.span, Some(call.callee)));
            let known = named.or_else(|| self.callers.get(&(call.span, None)));
            format!("@{}", known.map_or("", String::as_str))
        };
        self.paths.calls(path).iter().rev().map(caller).collect()
    }

    /// Where the calls of a path stand, the outermost one first.
    pub(super) fn places(&self, path: CallPath) -> Vec<Location> {
        let place = |call: &LastCall| {
            let (file, line) = self.program.sources.written(call.span);
            Location { file: file.to_owned(), line }
        };
        self.paths.calls(path).iter().map(place).collect()
    }
}
