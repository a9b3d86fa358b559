//! Goals in code that no execution enters: the symbolic execution leaves it out, and still they
//! were asked for.

use super::Draft;
use crate::detect::walk;
use crate::exec::{Machine, Meaning, is_assertion, is_cover, meaning};
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Callee, Stmt, StmtKind};
use crate::ir::{FunctionId, Program};
use crate::translate::setup::Task;
use frontend::RequirementKind;
use frontend::source::Span;
use std::collections::BTreeSet;

/// A place in the code that is a goal.
struct Site {
    span: Span,
    name: Option<String>,
    kind: Option<RequirementKind>,
    /// Whether it says that nothing reaches it.
    is_never: bool,
}

/// Goals for places in the step's code that were not met while it was executed: nothing reaches
/// them.
pub(super) fn goals(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    met: &[Draft],
    skips_tail: bool,
) -> Vec<Draft> {
    let known: BTreeSet<Span> = met.iter().filter_map(|draft| draft.span).collect();
    let never = machine.system.terms.truth(false);
    let is_goal = |site: &Site| site.kind != Some(RequirementKind::Assertion);
    let missing = sites(task.program, &code_of_step(task, skips_tail))
        .into_iter()
        .filter(|site| is_goal(site) && !known.contains(&site.span));
    missing
        .map(|site| {
            let name = site.name.unwrap_or_else(|| super::place_name(machine, site.span));
            Draft { kind: site.kind, is_never: site.is_never, ..Draft::in_step(name, site.span, never, None) }
        })
        .collect()
}

/// Assertions in the step's code that were not met while it was executed. They are no goals: nobody
/// asked for executions that reach them.
pub(crate) fn assertions(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    met: &[Draft],
    skips_tail: bool,
) -> Vec<Draft> {
    let known: BTreeSet<Span> = met.iter().filter_map(|draft| draft.span).collect();
    let (never, always) = (machine.system.terms.truth(false), machine.system.terms.truth(true));
    let is_missing =
        |site: &Site| site.kind == Some(RequirementKind::Assertion) && !known.contains(&site.span);
    let all = sites(task.program, &code_of_step(task, skips_tail));
    let mut missing: Vec<Site> = all.into_iter().filter(is_missing).collect();
    missing.sort_by_key(|site| site.span);
    missing.dedup_by_key(|site| site.span);
    let draft = |site: Site| {
        let name = super::place_name(machine, site.span);
        let draft = Draft::in_step(name, site.span, never, Some(always));
        Draft { kind: site.kind, is_never: site.is_never, ..draft }
    };
    missing.into_iter().map(draft).collect()
}

/// Statements that a step may execute, and the function whose whole body they are.
pub(super) struct Code<'p> {
    /// The function; `None` where only a part of it belongs to the step.
    pub(super) function: Option<FunctionId>,
    /// The statements.
    pub(super) block: &'p [Stmt],
}

/// All code that the step may call; with `skips_tail`, nothing behind a driver's loop.
pub(super) fn code_of_step<'p>(task: &Task<'p>, skips_tail: bool) -> Vec<Code<'p>> {
    let mut search = Search::new(task.program);
    match task.entry.driver {
        Some(driver) => {
            let body = task.program.functions[driver.function].body.as_ref();
            let all = body.map(walk::loops).unwrap_or_default();
            for found in all.into_iter().filter(|found| found.span == driver.span) {
                search.look(None, found.body);
                search.look(None, found.continuing);
            }
            let behind = body.and_then(|body| walk::behind(body, driver.span)).unwrap_or_default();
            if !skips_tail {
                behind.into_iter().for_each(|rest| search.look(None, rest));
            }
        }
        None => search.waiting.extend(task.entry.steps.iter().map(|step| step.function)),
    }
    search.all()
}

/// All code that initialisation may call. Of a driver that is the functions around its loop, too.
pub(super) fn code_of_init<'p>(task: &Task<'p>) -> Vec<Code<'p>> {
    let functions = match task.entry.driver {
        Some(driver) => vec![driver.start, driver.function],
        None => task.entry.init.into_iter().collect(),
    };
    let mut search = Search::new(task.program);
    search.waiting = functions;
    search.all()
}

struct Search<'p> {
    program: &'p Program,
    seen: BTreeSet<FunctionId>,
    waiting: Vec<FunctionId>,
    code: Vec<Code<'p>>,
}

impl<'p> Search<'p> {
    fn new(program: &'p Program) -> Self {
        Self { program, seen: BTreeSet::new(), waiting: Vec::new(), code: Vec::new() }
    }

    /// What was looked at, and all that it may call.
    fn all(mut self) -> Vec<Code<'p>> {
        while let Some(function) = self.waiting.pop() {
            if self.seen.insert(function)
                && let Some(body) = &self.program.functions[function].body
            {
                self.look(Some(function), body);
            }
        }
        self.code
    }

    fn look(&mut self, function: Option<FunctionId>, block: &'p [Stmt]) {
        self.code.push(Code { function, block });
        walk::visit(block, &mut |stmt| {
            walk::visit_expressions(stmt, &mut |expr| {
                if let ExprKind::Function(function) = expr.kind {
                    self.waiting.push(function);
                }
            });
            if let StmtKind::Call { callee: Callee::Function(callee), .. } = &stmt.kind
                && meaning(&self.program.functions[*callee]) == Meaning::Ordinary
            {
                self.waiting.push(*callee);
            }
        });
    }
}

/// All places in such code that are goals.
fn sites(program: &Program, code: &[Code<'_>]) -> Vec<Site> {
    let mut sites = Vec::new();
    for Code { block, .. } in code {
        walk::visit(block, &mut |stmt| {
            let StmtKind::Call { callee: Callee::Function(callee), arguments, .. } = &stmt.kind else {
                return;
            };
            let function = &program.functions[*callee];
            match meaning(function) {
                Meaning::Error => {
                    let number = match arguments.as_slice() {
                        [only] => constant(only),
                        _ => None,
                    };
                    let name = number.map(|number| format!("error_{number}"));
                    let kind = Some(RequirementKind::Error);
                    sites.push(Site { span: stmt.span, name, kind, is_never: true });
                }
                Meaning::FailedAssertion => {
                    let kind = Some(RequirementKind::Assertion);
                    sites.push(Site { span: stmt.span, name: None, kind, is_never: true });
                }
                _ if is_assertion(function) => {
                    let kind = Some(RequirementKind::Assertion);
                    let is_never = arguments.first().and_then(constant) == Some(0);
                    sites.push(Site { span: stmt.span, name: None, kind, is_never });
                }
                Meaning::Nothing if is_cover(function) => {
                    sites.push(Site { span: stmt.span, name: None, kind: None, is_never: false });
                }
                _ => {}
            }
        });
    }
    sites
}

/// The number that an expression is by its form.
fn constant(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Integer(number) => Some(*number),
        ExprKind::Convert(inner) => constant(inner),
        _ => None,
    }
}
