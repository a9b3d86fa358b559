//! Loops that are written with `goto`.
//!
//! `again: s; goto again;` is an endless loop and `again: s; if (c) goto again;` one that ends.
//! Where nothing else jumps to what lies between, they become [loops](StmtKind::Loop), so that they
//! are found as driver loops and bounded as other loops are. The label then stands at the end of
//! the body: whoever jumps to it goes on with the next round.

use crate::detect::walk;
use crate::ir::stmt::{Block, Stmt, StmtKind};
use std::collections::BTreeMap;

/// Makes loops of the jumps back in the body of a function.
pub(super) fn make_loops(body: &mut Block) {
    let all = count_jumps(body);
    if !all.is_empty() {
        make_in_block(body, &all);
    }
}

/// How often each label is jumped to.
type Jumps = BTreeMap<String, usize>;

fn count_jumps(block: &[Stmt]) -> Jumps {
    let mut found = Jumps::new();
    walk::visit(block, &mut |stmt| {
        if let StmtKind::Goto(label) = &stmt.kind {
            *found.entry(label.clone()).or_default() += 1;
        }
    });
    found
}

fn make_in_block(block: &mut Block, all: &Jumps) {
    make_in_parts(block, all);
    let mut start = 0;
    while start < block.len() {
        if let StmtKind::Label(label) = &block[start].kind
            && let Some(end) = end_of_loop(block, start, label, all)
        {
            let made = made_loop(block.drain(start..=end).collect());
            block.insert(start, made);
        }
        start += 1;
    }
}

/// Looks for loops inside of statements. The body of a `switch` stays as it is, because its labels
/// are places in it.
fn make_in_parts(block: &mut Block, all: &Jumps) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::Block(block) => make_in_block(block, all),
            StmtKind::If { then, otherwise, .. } => {
                make_in_block(then, all);
                make_in_block(otherwise, all);
            }
            StmtKind::Loop { body, continuing } => {
                make_in_block(body, all);
                make_in_block(continuing, all);
            }
            StmtKind::Switch { body, .. } => make_in_parts(body, all),
            _ => {}
        }
    }
}

/// The last statement of the loop that begins at a label, if it is one: it jumps back, nothing
/// outside of the loop jumps into it, no `break` or `continue` in it is meant for what stands
/// around it, and no jump in it passes over the declaration of a variable, which keeps its value
/// then and would not in a loop.
fn end_of_loop(block: &[Stmt], start: usize, label: &str, all: &Jumps) -> Option<usize> {
    let end = block.iter().rposition(|stmt| jumps_to(stmt, label)).filter(|&end| end > start)?;
    let inside = &block[start..=end];
    let own = count_jumps(inside);
    let mut is_closed = true;
    walk::visit(inside, &mut |stmt| {
        if let StmtKind::Label(label) = &stmt.kind {
            is_closed &= own.get(label) == all.get(label);
        }
    });
    (is_closed && !leaves_outer(inside, true, true) && !has_label_behind_declaration(inside)).then_some(end)
}

/// Whether a label stands behind the declaration of a variable.
fn has_label_behind_declaration(block: &[Stmt]) -> bool {
    let declares = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Declare(_) | StmtKind::DeclareSet(_));
    let mut behind = block.iter().skip_while(|stmt| !declares(stmt));
    behind.any(|stmt| matches!(stmt.kind, StmtKind::Label(_)))
}

/// Whether a statement does nothing but jump to a label, under a condition or always.
fn jumps_to(stmt: &Stmt, label: &str) -> bool {
    match &stmt.kind {
        StmtKind::Goto(to) => to == label,
        StmtKind::If { then, otherwise, .. } => otherwise.is_empty() && is_jump(then, label),
        _ => false,
    }
}

fn is_jump(block: &[Stmt], label: &str) -> bool {
    match block {
        [Stmt { kind: StmtKind::Goto(to), .. }] => to == label,
        [Stmt { kind: StmtKind::Block(inner), .. }] => is_jump(inner, label),
        _ => false,
    }
}

/// Whether a `break` or `continue` belongs to a statement around the block.
fn leaves_outer(block: &[Stmt], by_break: bool, by_continue: bool) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => by_break,
        StmtKind::Continue => by_continue,
        StmtKind::Block(block) => leaves_outer(block, by_break, by_continue),
        StmtKind::If { then, otherwise, .. } => {
            leaves_outer(then, by_break, by_continue) || leaves_outer(otherwise, by_break, by_continue)
        }
        StmtKind::Switch { body, .. } => leaves_outer(body, false, by_continue),
        _ => false,
    })
}

/// The loop of a label, statements, and a jump back.
fn made_loop(mut stmts: Block) -> Stmt {
    let label = stmts.remove(0);
    let jump = stmts.pop().expect("a loop should end with a jump");
    if let StmtKind::If { condition, .. } = jump.kind {
        let leave = vec![Stmt { kind: StmtKind::Break, span: jump.span }];
        let kind = StmtKind::If { condition, then: Vec::new(), otherwise: leave };
        stmts.push(Stmt { kind, span: jump.span });
    }
    let span = label.span;
    stmts.push(label);
    Stmt { kind: StmtKind::Loop { body: stmts, continuing: Vec::new() }, span }
}
