//! The frame that Embedded Coder puts around a model: `main` initialises it and spins, and a
//! function for a timer (`rt_OneStep`) runs it.
//!
//! Where the timer's function only calls one step function without arguments, the frame says
//! nothing that names do not. Where it passes that what it works on, or calls several, only the
//! frame knows how instances are wired and when rates are due: then one call of the timer's
//! function is a step.

use super::names::{self, is_timer};
use super::walk::{FoundLoop, calls, calls_in, is_entered_within, loops};
use super::{DriverLoop, MAIN, Search};
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Block, Callee, Place, PlaceBase, Stmt, StmtKind};
use crate::ir::types::{Type, TypeId};
use crate::ir::{FunctionId, Program};
use frontend::Request;
use frontend::source::Span;

/// Lets the endless loop of `main` call the timer's function, where `main` leaves that to a timer
/// and the frame is to be followed.
pub(crate) fn attach_timer(program: &mut Program, request: &Request) {
    let Some((main, call)) = missing_call(program, request) else { return };
    if let Some(body) = &mut program.functions[main].body {
        add_to_loop(body, &call);
    }
}

/// `main`, and the call that its loop lacks.
fn missing_call(program: &Program, request: &Request) -> Option<(FunctionId, Stmt)> {
    if request.step.iter().any(|step| step.function != MAIN) {
        return None;
    }
    let search = Search::new(program, request);
    if search.has_properties() {
        return None;
    }
    let main = search.by_name(MAIN)?;
    let timer = search.timer()?;
    let spinning = spinning_loop(search.body(main))?;
    let stepped: Vec<FunctionId> = calls(program, timer).iter().map(|call| call.callee).collect();
    let runs = |call: &FunctionId| *call == timer || stepped.contains(call);
    if calls(program, main).iter().any(|call| runs(&call.callee)) {
        return None;
    }
    let parameters = program.functions[timer].parameters.iter();
    let arguments: Option<Vec<Expr>> = parameters
        .map(|&local| {
            let parameter = &program.functions[timer].locals[local];
            argument(program, main, (&parameter.name, parameter.ty), spinning.span)
        })
        .collect();
    let kind = StmtKind::Call { result: None, callee: Callee::Function(timer), arguments: arguments? };
    Some((main, Stmt { kind, span: spinning.span }))
}

/// The variable of `main`, else of the program, that a parameter of the timer's function stands
/// for.
fn argument(program: &Program, main: FunctionId, (name, ty): (&str, TypeId), span: Span) -> Option<Expr> {
    let locals = program.functions[main].locals.iter().filter(|(_, local)| local.ty == ty);
    let locals: Vec<_> = locals.filter(|(_, local)| !local.name.starts_with('%')).collect();
    let named = locals.iter().find(|(_, local)| local.name == name).or(match &locals[..] {
        [only] => Some(only),
        _ => None,
    });
    let global = || {
        let mut fitting = program.globals.iter().filter(|(_, global)| global.ty == ty);
        let only = fitting.next().filter(|_| fitting.next().is_none());
        only.map(|(global, _)| PlaceBase::Global(global))
    };
    let base = named.map(|(local, _)| PlaceBase::Local(*local)).or_else(global)?;
    let place = Place { base, path: Vec::new(), ty, span };
    Some(Expr { kind: ExprKind::Load(place), ty, span })
}

/// Adds a call to the loop whose place it has.
fn add_to_loop(block: &mut Block, call: &Stmt) {
    for stmt in block {
        let span = stmt.span;
        match &mut stmt.kind {
            StmtKind::Loop { body, .. } if span == call.span => body.push(call.clone()),
            StmtKind::Block(inner) => add_to_loop(inner, call),
            StmtKind::If { then, otherwise, .. } => {
                add_to_loop(then, call);
                add_to_loop(otherwise, call);
            }
            _ => {}
        }
    }
}

/// The first step function that the frame around a model runs.
pub(crate) fn framed_step(program: &Program, driver: DriverLoop) -> Option<FunctionId> {
    let called = calls(program, driver.timer?).into_iter().map(|call| call.callee);
    called.into_iter().find(|&callee| program.functions[callee].is_defined())
}

/// The last loop of `main`, where it can be that of a frame: it counts nothing, and all its rounds
/// begin where it begins.
fn spinning_loop(body: &Block) -> Option<FoundLoop<'_>> {
    let last = loops(body).pop()?;
    (last.continuing.is_empty() && !is_entered_within(body, &last)).then_some(last)
}

impl Search<'_> {
    /// The loop of `main` that runs the timer's function, where the frame is to be followed; and
    /// that function.
    pub(super) fn frame_loop(&self, function: FunctionId) -> Option<(FoundLoop<'_>, FunctionId)> {
        if self.name(function) != MAIN || self.has_properties() {
            return None;
        }
        let timer = self.timer()?;
        let spinning = spinning_loop(self.body(function))?;
        let runs = calls_in(spinning.body).iter().any(|call| call.callee == timer);
        runs.then_some((spinning, timer))
    }

    /// The timer's function, if it knows more of the model than names tell: it passes a step
    /// function what that works on, or calls several.
    fn timer(&self) -> Option<FunctionId> {
        let timer = self.defined().find(|&function| is_timer(self.name(function)))?;
        let called: Vec<FunctionId> = calls(self.program, timer).iter().map(|call| call.callee).collect();
        let steps: Vec<FunctionId> =
            called.into_iter().filter(|&callee| self.is_model_step(callee)).collect();
        let is_wired = |step: &FunctionId| self.takes_structures(*step);
        (steps.len() > 1 || steps.iter().any(is_wired)).then_some(timer)
    }

    /// Whether a defined function has the name of a step function.
    fn is_model_step(&self, function: FunctionId) -> bool {
        let name = self.name(function);
        self.program.functions[function].is_defined()
            && (names::stem(name) != name || names::rate(name).is_some())
    }

    /// Whether a function is passed addresses of structures.
    fn takes_structures(&self, function: FunctionId) -> bool {
        let declaration = &self.program.functions[function];
        let types = &self.program.types.types;
        declaration.parameters.iter().any(|&local| match types[declaration.locals[local].ty] {
            Type::Pointer(to) => matches!(types[to], Type::Record(_)),
            _ => false,
        })
    }
}
