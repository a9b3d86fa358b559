//! Local variables that outlive a round of a driver's loop.
//!
//! A round of a loop ends the block of its body, and with it the lives of what is declared there.
//! What stands between a label and the jump back to it is no block of its own: its variables live
//! as long as the block around it (C11 6.2.4, 5 and 6). By name nothing reaches such a variable in
//! front of its declaration, so only a pointer shows that it lived on.

use crate::detect::{DriverLoop, walk};
use crate::exec::Machine;
use crate::exec::lifetime::{declared_in, is_made_of_jumps};
use crate::ir::expr::ExprKind;
use crate::ir::stmt::{PlaceBase, Stmt, StmtKind};
use crate::ir::{FunctionId, LocalId, Program};
use frontend::{Finding, Topic};
use std::collections::BTreeSet;

/// The local variables that outlive a round: in the driver's function those that are not declared
/// in its loop, or that live on there; in the function that calls it those that pointers may lead
/// to.
pub(crate) fn kept_locals(program: &Program, driver: DriverLoop) -> BTreeSet<(FunctionId, LocalId)> {
    let function = &program.functions[driver.function];
    let passing = passing_locals(program, driver);
    let all = function.locals.iter().map(|(local, _)| local);
    let mut kept: BTreeSet<(FunctionId, LocalId)> =
        all.filter(|local| !passing.contains(local)).map(|local| (driver.function, local)).collect();
    if driver.start != driver.function {
        let body = program.functions[driver.start].body.as_deref().unwrap_or(&[]);
        kept.extend(pointed_to(body).into_iter().map(|local| (driver.start, local)));
    }
    kept
}

/// Variables of a driver's function that do not outlive a round.
fn passing_locals(program: &Program, driver: DriverLoop) -> BTreeSet<LocalId> {
    let function = &program.functions[driver.function];
    let is_unnamed = |local: LocalId| function.locals[local].name.starts_with('%');
    let mut passing: BTreeSet<LocalId> = function.locals.ids().filter(|&local| is_unnamed(local)).collect();
    let body = function.body.as_ref().expect("a driver should have a body");
    for found in walk::loops(body).iter().filter(|found| found.span == driver.span) {
        for block in [found.body, found.continuing] {
            walk::visit(block, &mut |stmt| {
                if let StmtKind::Declare(local) | StmtKind::DeclareSet(local) = stmt.kind {
                    passing.insert(local);
                }
            });
        }
        if is_made_of_jumps(found.body, found.span) {
            let declared = declared_in(found.body);
            // A compound literal counts as living until its call ends, which a driver's does not.
            let lives = |local: &LocalId| declared.contains(local) || is_unnamed(*local);
            for local in pointed_to(found.body).into_iter().filter(lives) {
                passing.remove(&local);
            }
        }
    }
    passing
}

/// Local variables whose addresses are taken.
fn pointed_to(block: &[Stmt]) -> BTreeSet<LocalId> {
    let mut found = BTreeSet::new();
    walk::visit(block, &mut |stmt| {
        walk::visit_expressions(stmt, &mut |expr| {
            if let ExprKind::AddressOf(place) = &expr.kind
                && let PlaceBase::Local(local) = place.base
            {
                found.insert(local);
            }
        });
    });
    found
}

/// What to say of variables that a step may leave without a value and the next one reads: claims
/// rest on the value that is taken.
pub(crate) fn left_without_value(machine: &Machine<'_>) -> Vec<Finding> {
    let left = machine.initial_memory.left.written.entries().into_iter().map(|(cell, _)| cell);
    let read = left.filter(|cell| machine.initial_memory.read_first.contains(cell));
    let finding = |cell: usize| Finding {
        topic: Topic::Assumed,
        subject: machine.cell_name(cell),
        reason: "a step may leave it without a value, which the next one takes to be 0".to_owned(),
    };
    read.map(finding).collect()
}
