//! Looking at function bodies without executing them.

use crate::c::ir::expr::Expr;
use crate::c::ir::stmt::{Block, Callee, Stmt, StmtKind};
use crate::c::ir::{FunctionId, Program};
use crate::source::Span;
use std::collections::BTreeSet;

/// A call of a named function.
#[derive(Clone, Copy)]
pub(crate) struct CallSite<'p> {
    /// What is called.
    pub(crate) callee: FunctionId,
    /// With which arguments.
    pub(crate) arguments: &'p [Expr],
    /// Whether the result is used.
    pub(crate) uses_result: bool,
}

/// Visits all statements, outer ones first.
pub(crate) fn visit<'p>(block: &'p Block, visitor: &mut impl FnMut(&'p Stmt)) {
    for stmt in block {
        visitor(stmt);
        match &stmt.kind {
            StmtKind::Block(block) => visit(block, visitor),
            StmtKind::If { then, otherwise, .. } => {
                visit(then, visitor);
                visit(otherwise, visitor);
            }
            StmtKind::Loop { body, continuing } => {
                visit(body, visitor);
                visit(continuing, visitor);
            }
            StmtKind::Switch { body, .. } => visit(body, visitor),
            _ => {}
        }
    }
}

/// All calls of named functions in a block, in order.
pub(crate) fn calls_in(block: &Block) -> Vec<CallSite<'_>> {
    let mut found = Vec::new();
    visit(block, &mut |stmt| {
        if let StmtKind::Call { callee: Callee::Function(callee), arguments, result } = &stmt.kind {
            found.push(CallSite { callee: *callee, arguments, uses_result: result.is_some() });
        }
    });
    found
}

/// All calls of named functions in a function.
pub(crate) fn calls(program: &Program, function: FunctionId) -> Vec<CallSite<'_>> {
    program.functions[function].body.as_ref().map_or_else(Vec::new, calls_in)
}

/// Whether a block calls, directly or through defined functions, one that `wanted` accepts. Calls of functions in `closed`
/// are not followed.
pub(crate) fn reaches(
    program: &Program,
    block: &Block,
    closed: &[FunctionId],
    wanted: &impl Fn(&str) -> bool,
) -> bool {
    let mut seen: BTreeSet<FunctionId> = closed.iter().copied().collect();
    let mut waiting: Vec<FunctionId> = calls_in(block).iter().map(|call| call.callee).collect();
    while let Some(function) = waiting.pop() {
        if !seen.insert(function) {
            continue;
        }
        if wanted(&program.functions[function].name) {
            return true;
        }
        waiting.extend(calls(program, function).iter().map(|call| call.callee));
    }
    false
}

/// An outermost loop of a function: its place and statements.
#[derive(Clone, Copy)]
pub(crate) struct FoundLoop<'p> {
    /// Where it stands.
    pub(crate) span: Span,
    /// Its body.
    pub(crate) body: &'p Block,
    /// What runs after each round.
    pub(crate) continuing: &'p Block,
}

/// The outermost loops of a block, in order.
pub(crate) fn loops(block: &Block) -> Vec<FoundLoop<'_>> {
    let mut found = Vec::new();
    collect_loops(block, &mut found);
    found
}

fn collect_loops<'p>(block: &'p Block, found: &mut Vec<FoundLoop<'p>>) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Loop { body, continuing } => {
                found.push(FoundLoop { span: stmt.span, body, continuing });
            }
            StmtKind::Block(block) => collect_loops(block, found),
            StmtKind::If { then, otherwise, .. } => {
                collect_loops(then, found);
                collect_loops(otherwise, found);
            }
            StmtKind::Switch { body, .. } => collect_loops(body, found),
            _ => {}
        }
    }
}
