//! Goals in code that no execution enters: the symbolic execution leaves it out, and still they were asked for.

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

/// Goals for places in the step's code that were not met while it was executed: nothing reaches them.
pub(super) fn goals(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    met: &[Draft],
    skips_tail: bool,
) -> Vec<Draft> {
    let known: BTreeSet<Span> = met.iter().filter_map(|draft| draft.span).collect();
    let never = machine.system.terms.truth(false);
    let is_goal = |site: &Site| site.kind != Some(RequirementKind::Assertion);
    let missing =
        sites(task, skips_tail).into_iter().filter(|site| is_goal(site) && !known.contains(&site.span));
    missing
        .map(|site| {
            let name = site.name.unwrap_or_else(|| super::place_name(machine, site.span));
            Draft { kind: site.kind, is_never: site.is_never, ..Draft::in_step(name, site.span, never, None) }
        })
        .collect()
}

/// Assertions in the step's code that were not met while it was executed. They are no goals: nobody asked
/// for executions that reach them.
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
    let mut missing: Vec<Site> = sites(task, skips_tail).into_iter().filter(is_missing).collect();
    missing.sort_by_key(|site| site.span);
    missing.dedup_by_key(|site| site.span);
    let draft = |site: Site| {
        let name = super::place_name(machine, site.span);
        let draft = Draft::in_step(name, site.span, never, Some(always));
        Draft { kind: site.kind, is_never: site.is_never, ..draft }
    };
    missing.into_iter().map(draft).collect()
}

/// All such places in what the step may call; with `skips_tail`, nothing behind a driver's loop.
fn sites(task: &Task<'_>, skips_tail: bool) -> Vec<Site> {
    let mut search =
        Search { program: task.program, seen: BTreeSet::new(), waiting: Vec::new(), sites: Vec::new() };
    match task.entry.driver {
        Some(driver) => {
            let body = task.program.functions[driver.function].body.as_ref();
            let all = body.map(walk::loops).unwrap_or_default();
            for found in all.into_iter().filter(|found| found.span == driver.span) {
                search.look(found.body);
                search.look(found.continuing);
            }
            let behind = body.and_then(|body| walk::behind(body, driver.span)).unwrap_or_default();
            if !skips_tail {
                behind.into_iter().for_each(|rest| search.look(rest));
            }
        }
        None => search.waiting.extend(task.entry.steps.iter().map(|step| step.function)),
    }
    while let Some(function) = search.waiting.pop() {
        if search.seen.insert(function)
            && let Some(body) = &task.program.functions[function].body
        {
            search.look(body);
        }
    }
    search.sites
}

struct Search<'p> {
    program: &'p Program,
    seen: BTreeSet<FunctionId>,
    waiting: Vec<FunctionId>,
    sites: Vec<Site>,
}

impl Search<'_> {
    fn look(&mut self, block: &[Stmt]) {
        walk::visit(block, &mut |stmt| {
            walk::visit_expressions(stmt, &mut |expr| {
                if let ExprKind::Function(function) = expr.kind {
                    self.waiting.push(function);
                }
            });
            let StmtKind::Call { callee: Callee::Function(callee), arguments, .. } = &stmt.kind else {
                return;
            };
            let function = &self.program.functions[*callee];
            match meaning(function) {
                Meaning::Error => {
                    let number = match arguments.as_slice() {
                        [only] => constant(only),
                        _ => None,
                    };
                    let name = number.map(|number| format!("error_{number}"));
                    let kind = Some(RequirementKind::Error);
                    self.sites.push(Site { span: stmt.span, name, kind, is_never: true });
                }
                Meaning::FailedAssertion => {
                    let kind = Some(RequirementKind::Assertion);
                    self.sites.push(Site { span: stmt.span, name: None, kind, is_never: true });
                }
                _ if is_assertion(function) => {
                    let kind = Some(RequirementKind::Assertion);
                    let is_never = arguments.first().and_then(constant) == Some(0);
                    self.sites.push(Site { span: stmt.span, name: None, kind, is_never });
                    if meaning(function) == Meaning::Ordinary {
                        self.waiting.push(*callee);
                    }
                }
                Meaning::Nothing if is_cover(function) => {
                    self.sites.push(Site { span: stmt.span, name: None, kind: None, is_never: false })
                }
                Meaning::Ordinary => self.waiting.push(*callee),
                _ => {}
            }
        });
    }
}

/// The number that an expression is by its form.
fn constant(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Integer(number) => Some(*number),
        ExprKind::Convert(inner) => constant(inner),
        _ => None,
    }
}
