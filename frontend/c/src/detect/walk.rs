//! Looking at function bodies without executing them.

use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Block, Callee, Place, PlaceBase, Projection, Stmt, StmtKind};
use crate::ir::{FunctionId, Program};
use frontend::source::Span;
use std::collections::BTreeSet;

/// Visits all expressions of a statement but not those of statements in it, outer ones first.
pub(crate) fn visit_expressions<'p>(stmt: &'p Stmt, visitor: &mut impl FnMut(&'p Expr)) {
    match &stmt.kind {
        StmtKind::Assign(place, value) => {
            visit_place(place, visitor);
            visit_expression(value, visitor);
        }
        StmtKind::Call { result, callee, arguments } => {
            if let Some(place) = result {
                visit_place(place, visitor);
            }
            if let Callee::Pointer(pointer) = callee {
                visit_expression(pointer, visitor);
            }
            for argument in arguments {
                visit_expression(argument, visitor);
            }
        }
        StmtKind::If { condition: value, .. }
        | StmtKind::Switch { value, .. }
        | StmtKind::Return(Some(value)) => {
            visit_expression(value, visitor);
        }
        _ => {}
    }
}

/// Visits an expression and all its parts.
pub(crate) fn visit_expression<'p>(expr: &'p Expr, visitor: &mut impl FnMut(&'p Expr)) {
    visitor(expr);
    match &expr.kind {
        ExprKind::Load(place) | ExprKind::AddressOf(place) => visit_place(place, visitor),
        ExprKind::Unary(_, inner)
        | ExprKind::Convert(inner)
        | ExprKind::Probe(_, inner)
        | ExprKind::Old(inner) => {
            visit_expression(inner, visitor);
        }
        ExprKind::Binary(_, left, right) | ExprKind::And(left, right) | ExprKind::Or(left, right) => {
            visit_expression(left, visitor);
            visit_expression(right, visitor);
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            for part in [condition, then, otherwise] {
                visit_expression(part, visitor);
            }
        }
        ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::Zero
        | ExprKind::String(_)
        | ExprKind::Function(_) => {}
    }
}

fn visit_place<'p>(place: &'p Place, visitor: &mut impl FnMut(&'p Expr)) {
    if let PlaceBase::Deref(pointer) = &place.base {
        visit_expression(pointer, visitor);
    }
    for projection in &place.path {
        if let Projection::Index { index, .. } = projection {
            visit_expression(index, visitor);
        }
    }
}

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
pub(crate) fn visit<'p>(block: &'p [Stmt], visitor: &mut impl FnMut(&'p Stmt)) {
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

/// Functions without a body that functions of the model call or take the address of.
pub(crate) fn outside_functions(program: &Program) -> BTreeSet<FunctionId> {
    let mut used = BTreeSet::new();
    for function in program.functions.values() {
        if program.units[function.unit].is_property_file {
            continue;
        }
        visit(function.body.as_deref().unwrap_or(&[]), &mut |stmt| {
            if let StmtKind::Call { callee: Callee::Function(callee), .. } = &stmt.kind {
                used.insert(*callee);
            }
            visit_expressions(stmt, &mut |expr| {
                if let ExprKind::Function(function) = expr.kind {
                    used.insert(function);
                }
            });
        });
    }
    used.retain(|&function| program.functions[function].body.is_none());
    used
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

/// Whether a block calls, directly or through defined functions, one that `wanted` accepts. Calls
/// of functions in `closed` are not followed.
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

impl FoundLoop<'_> {
    /// Whether the text has this loop, and all that it does: what was made into one, or added to
    /// it, stands at the place of the loop itself.
    pub(crate) fn is_in_text(&self) -> bool {
        !self.body.iter().any(|stmt| stmt.span == self.span)
    }
}

/// The outermost loops of a block, in order.
pub(crate) fn loops(block: &Block) -> Vec<FoundLoop<'_>> {
    let mut found = Vec::new();
    collect_loops(block, &mut found);
    found
}

/// Whether a jump from elsewhere in a function leads into the midst of a loop: its first round need
/// not begin where the others do, and what stands behind it may come back into it.
pub(crate) fn is_entered_within(body: &Block, found: &FoundLoop<'_>) -> bool {
    let labels = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Label(label) => Some(label.clone()),
        _ => None,
    };
    let jumps = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Goto(label) => Some(label.clone()),
        _ => None,
    };
    let inside = || [found.body, found.continuing];
    let marked: BTreeSet<String> = inside().into_iter().flat_map(|part| named(part, labels)).collect();
    let to = |label: &String| marked.contains(label);
    let all = named(body, jumps).into_iter().filter(to).count();
    let own = inside().into_iter().flat_map(|part| named(part, jumps)).filter(to).count();
    all > own
}

/// The labels that a function finds in statements of a block.
fn named(block: &Block, find: impl Fn(&Stmt) -> Option<String>) -> Vec<String> {
    let mut all = Vec::new();
    visit(block, &mut |stmt| all.extend(find(stmt)));
    all
}

/// What stands behind a loop, from the innermost block outwards; `None` where a `switch` is around
/// it.
pub(crate) fn behind(block: &Block, span: Span) -> Option<Vec<&[Stmt]>> {
    block.iter().enumerate().find_map(|(at, stmt)| {
        let mut inner = match &stmt.kind {
            StmtKind::Loop { .. } if stmt.span == span => Vec::new(),
            StmtKind::Block(block) => behind(block, span)?,
            StmtKind::If { then, otherwise, .. } => behind(then, span).or_else(|| behind(otherwise, span))?,
            _ => return None,
        };
        inner.push(&block[at + 1..]);
        Some(inner)
    })
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
