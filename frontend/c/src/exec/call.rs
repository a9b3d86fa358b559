//! Executing calls in place.
//!
//! A call gets its own objects for parameters and variables; they are the same for every call of
//! the function at the same depth of recursion, since only one of these is running at a time, and
//! they are forgotten when it ends.

use super::branch::with_path;
use super::events::Premise;
use super::hazard::HazardKind;
use super::object::{ObjectId, Origin};
use super::place::{Content, Target};
use super::pointer::Offset;
use super::state::State;
use super::{Frame, Machine, Outcome, Stop};
use crate::code::Code;
use crate::ir::expr::Expr;
use crate::ir::print::expression_text;
use crate::ir::stmt::{Block, Callee, Place};
use crate::ir::types::{Type, TypeId};
use crate::ir::{Function, FunctionId, LocalId};
use frontend::Topic;
use frontend::source::Span;
use model::id::IdVec;
use model::term::TermId;

/// Deepest recursion, whatever the limit for loops is.
const DEEPEST: u32 = 1000;

/// Depth of recursion from which on the decisions that lead to a call are looked at together:
/// charts that send an event to themselves end because the state that the event leads to does not
/// send it again.
const PATIENCE: u32 = 2;

/// Depth of recursion up to which each call is worth all effort. Conditions of a path grow with the
/// depth, so that looking at all of them would take the square of it.
const SHALLOW: u32 = 32;

/// Whether the decisions that lead to a call at a depth of recursion are looked at: the deeper, the
/// more seldom.
const fn is_looked_at(depth: u32) -> bool {
    depth >= PATIENCE && depth.is_multiple_of(1 + depth / SHALLOW)
}

/// What looking at a call at a depth of recursion may cost, as part of all that it is worth.
fn effort_at(depth: u32) -> f64 {
    f64::from(SHALLOW) / f64::from(depth.max(SHALLOW))
}

impl<'p> Machine<'p> {
    pub(super) fn call(
        &mut self,
        frame: &Frame,
        state: State,
        result: Option<&Place>,
        callee: &Callee,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<Option<State>> {
        match callee {
            Callee::Function(function) => {
                self.call_function(frame, state, result, *function, arguments, span)
            }
            Callee::Pointer(pointer) => self.call_pointer(frame, state, result, pointer, arguments, span),
        }
    }

    fn call_pointer(
        &mut self,
        frame: &Frame,
        state: State,
        result: Option<&Place>,
        pointer: &Expr,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<Option<State>> {
        let value = self.evaluate(frame, &state, pointer)?;
        let targets = self.targets(value).map_err(|_| {
            self.fail(Code::UnresolvedPointer, span, "cannot find out which function this pointer calls")
        })?;
        if targets.iter().all(|target| target.offset.is_none()) {
            let name = expression_text(self.program, frame.function, pointer);
            let reason = "nothing sets this function pointer; calls through it do nothing and are reported where a chain meets them";
            self.note_extern(&name, Topic::Pointer, reason.to_owned());
        }
        let mut states = Vec::new();
        let mut none = self.system.terms.truth(false);
        let before = state.path;
        let ends = self.events.ends.len();
        for target in targets {
            let object = match target.offset {
                Some(Offset::Known(affine)) => Some(affine.object),
                Some(Offset::Unknown(object, _)) => Some(object),
                None => None,
            };
            let origin = object.map(|object| self.objects.get(object).origin.clone());
            match origin {
                Some(Origin::Function(function)) => {
                    if let Some(guarded) = self.assume(&state, target.guard) {
                        self.check_called_type(
                            frame,
                            pointer,
                            (function, arguments, result.is_some()),
                            span,
                        )?;
                        states.extend(self.call_function(frame, guarded, result, function, arguments, span)?);
                    }
                }
                _ => none = self.system.terms.or(none, target.guard),
            }
        }
        self.hazard(&state, none, HazardKind::BadCall, span);
        states.extend(self.assume(&state, none));
        let joined = self.join(states);
        Ok(with_path(joined, (self.events.ends.len() == ends).then_some(before)))
    }

    /// Refuses a call through a pointer to functions whose parameters or results lie otherwise in
    /// memory than those of the function that it points to: compiled code may do anything there.
    fn check_called_type(
        &mut self,
        frame: &Frame,
        pointer: &Expr,
        (function, arguments, uses_result): (FunctionId, &[Expr], bool),
        span: Span,
    ) -> Outcome<()> {
        let program = self.program;
        let (types, declaration) = (&program.types, &program.functions[function]);
        let alike = |one: TypeId, other: TypeId| {
            let is_float = |ty: TypeId| matches!(types.types[ty], Type::Float(_));
            let lies = |ty: TypeId| (types.size(ty, program.target), types.is_scalar(ty), is_float(ty));
            one == other || lies(one) == lies(other)
        };
        let called = match types.types[pointer.ty] {
            Type::Pointer(to) => to,
            _ => pointer.ty,
        };
        let result = match types.types[called] {
            Type::Function { result, .. } if uses_result => alike(result, declaration.result),
            _ => true,
        };
        let parameters = declaration.parameters.iter().map(|&parameter| declaration.locals[parameter].ty);
        let takes = arguments.len() >= declaration.parameters.len()
            && arguments.iter().zip(parameters).all(|(argument, ty)| alike(argument.ty, ty));
        if result && takes {
            return Ok(());
        }
        let name = &declaration.name;
        let through = expression_text(program, frame.function, pointer);
        let message =
            format!("`{name}` is called through `{through}`, which points to functions of another type");
        Err(self.fail(Code::UnsupportedCall, span, &message))
    }

    fn call_function(
        &mut self,
        frame: &Frame,
        mut state: State,
        result: Option<&Place>,
        function: FunctionId,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<Option<State>> {
        let declaration = &self.program.functions[function];
        if let Some(done) = self.special_call(frame, &state, result, function, arguments, span)? {
            return Ok(done);
        }
        let mut contents = Vec::with_capacity(arguments.len());
        for argument in arguments {
            contents.push(self.content(frame, &state, argument)?);
        }
        if self.property.is_some() && self.steps.contains(&function) {
            let arguments = (arguments, &contents[..]);
            return self.property_step(frame, state, result, function, arguments, span).map(Some);
        }
        if declaration.body.is_none() {
            if !self.environment_call(frame, &mut state, result, function, arguments, span)? {
                self.undefined_call(frame, &mut state, result, function, (arguments, &contents), span)?;
            }
            return Ok(Some(state));
        }
        let copies = self.unset_arguments(frame, &state, arguments, &contents)?;
        let depth = self.depths.get(&function).copied().unwrap_or(0);
        let is_due = is_looked_at(depth) || depth >= self.deepest();
        if is_due && !self.is_possible(state.path, effort_at(depth)) {
            return Ok(None);
        }
        if depth >= self.deepest() && self.assumes_unwound {
            let never = self.system.terms.truth(false);
            self.note_assumption(&state, never, (span, Premise::Unwound(depth)));
            return Ok(None);
        }
        for (&parameter, source) in declaration.parameters.iter().zip(copies) {
            if let (Some(_), variable) = (source, &declaration.locals[parameter]) {
                let (name, ty) = (&variable.name, variable.ty);
                let object = self.variable(function, Some(parameter), depth, name, ty, variable.span)?;
                self.note_copy(self.objects.get(object).first, source);
            }
        }
        let outer = self.library_call;
        if declaration.is_builtin() {
            self.library_call = outer.or(Some(span));
        }
        let caller = self.call_path;
        if self.counting.per_call {
            self.call_path = self.call_paths.extended(caller, span, function);
        }
        let inlined = self.inline(state, function, &contents, span);
        self.call_path = caller;
        self.library_call = outer;
        let (state, value) = inlined?;
        match (state, result, value) {
            (Some(mut state), Some(place), Some(object)) => {
                let target = self.whole(object);
                let content = self.load_targets(&state, &[target], declaration.result, None, span)?;
                self.store(frame, &mut state, place, &content)?;
                self.forget(&mut state, &[object]);
                Ok(Some(state))
            }
            (Some(mut state), _, Some(object)) => {
                self.forget(&mut state, &[object]);
                Ok(Some(state))
            }
            (state, ..) => Ok(state),
        }
    }

    /// Executes the body of a function. Returns the state behind it and the object that holds its
    /// result.
    pub(crate) fn inline(
        &mut self,
        mut state: State,
        function: FunctionId,
        arguments: &[Content],
        span: Span,
    ) -> Outcome<(Option<State>, Option<ObjectId>)> {
        let declaration = &self.program.functions[function];
        let body = declaration.body.as_ref().expect("only defined functions should be executed");
        let depth = self.enter(function, declaration, span)?;
        let mut frame = self.frame(function, depth)?;
        self.pass(&mut state, &frame, declaration, arguments, span)?;
        let before = state.path;
        let escaped = self.escaped();
        let end = self.block(&mut frame, Some(state), body)?;
        self.depths.insert(function, depth);
        let joined = self.join(frame.returns.drain(..).chain(end).collect());
        let mut joined = with_path(joined, (self.escaped() == escaped).then_some(before));
        if let Some(state) = &mut joined
            && self.driver.as_ref().is_none_or(|driver| driver.function != function)
        {
            self.forget(state, frame.locals.as_slice());
            self.bury(state, &|object| match object.origin {
                Origin::Local(local, Some(_), at) => local == function && at == depth,
                _ => false,
            });
        }
        Ok((joined, frame.result))
    }

    /// Executes the body of a property, or the statements before a condition. Returns the state
    /// behind it.
    pub(crate) fn property_body(
        &mut self,
        frame: &mut Frame,
        state: State,
        body: &Block,
    ) -> Outcome<Option<State>> {
        let end = self.block(frame, Some(state), body)?;
        Ok(self.join(frame.returns.drain(..).chain(end).collect()))
    }

    /// States that have left all calls.
    pub(super) fn escaped(&self) -> usize {
        self.events.ends.len() + self.driver.as_ref().map_or(0, |driver| driver.reached.len())
    }

    /// How deep recursion may go.
    fn deepest(&self) -> u32 {
        self.unwind.min(DEEPEST)
    }

    fn enter(&mut self, function: FunctionId, declaration: &Function, span: Span) -> Outcome<u32> {
        let depth = self.depths.get(&function).copied().unwrap_or(0);
        let limit = self.deepest();
        if depth >= limit {
            let message =
                format!("cannot bound this recursion: `{}` calls itself {limit} times", declaration.name);
            return Err(self.fail_with(
                Code::LoopBound,
                span,
                message,
                "a recursion needs a bound that follows from constants or ranges; `--unwind N --assume-unwound` leaves out \
                 executions in which it goes deeper",
            ));
        }
        self.depths.insert(function, depth + 1);
        Ok(depth)
    }

    /// The frame of a function at a depth of recursion.
    pub(crate) fn frame(&mut self, function: FunctionId, depth: u32) -> Outcome<Frame> {
        if let Some(errors) = self.program.unsupported.get(&function) {
            self.diagnostics.entries.extend(errors.iter().cloned());
            return Err(Stop::Failed);
        }
        let declaration = &self.program.functions[function];
        let mut frame = Frame { function: Some(function), ..Frame::outside() };
        let mut objects = IdVec::new();
        for (local, variable) in declaration.locals.iter() {
            objects.push(self.variable(
                function,
                Some(local),
                depth,
                &variable.name,
                variable.ty,
                variable.span,
            )?);
        }
        frame.locals = objects;
        if !matches!(self.layouts.type_of(declaration.result), Type::Void) {
            let result = declaration.result;
            frame.result = Some(self.variable(function, None, depth, "return", result, declaration.span)?);
        }
        Ok(frame)
    }

    fn variable(
        &mut self,
        function: FunctionId,
        local: Option<LocalId>,
        depth: u32,
        name: &str,
        ty: TypeId,
        span: Span,
    ) -> Outcome<ObjectId> {
        let origin = Origin::Local(function, local, depth);
        let added = self.objects.add(&mut self.layouts, origin, name.to_owned(), ty);
        added.map_err(|why| self.no_layout(why, ty, span))
    }

    fn pass(
        &mut self,
        state: &mut State,
        frame: &Frame,
        declaration: &Function,
        arguments: &[Content],
        span: Span,
    ) -> Outcome<()> {
        for (&parameter, content) in declaration.parameters.iter().zip(arguments) {
            let target = self.whole(frame.locals[parameter]);
            let ty = declaration.locals[parameter].ty;
            self.store_targets(state, &[target], ty, None, content, span)?;
        }
        Ok(())
    }

    /// Forgets what objects hold.
    pub(crate) fn forget(&self, state: &mut State, objects: &[ObjectId]) {
        for &object in objects {
            for cell in self.cells_of(object) {
                state.memory.clear(cell);
            }
        }
    }

    /// A whole object as target.
    pub(crate) fn whole(&mut self, object: ObjectId) -> Target {
        let guard = self.system.terms.truth(true);
        Target { guard, object, bit: 0, indices: Vec::new() }
    }

    /// The address of a function.
    pub(super) fn function_address(&mut self, function: FunctionId) -> TermId {
        let object = self.objects.find(&Origin::Function(function));
        self.pointer_to(object.expect("every function should have an address"), 0)
    }

    /// Stores the result of a call that has one.
    pub(super) fn return_scalar(
        &mut self,
        frame: &Frame,
        state: &mut State,
        result: Option<&Place>,
        value: TermId,
    ) -> Outcome<()> {
        match result {
            Some(place) => self.store(frame, state, place, &Content::Scalar(value)),
            None => Ok(()),
        }
    }

    /// The error for a call that is not supported.
    pub(super) fn unsupported_call(&mut self, name: &str, span: Span, advice: &str) -> Stop {
        self.fail_with(Code::UnsupportedCall, span, format!("calls of `{name}` are not supported"), advice)
    }
}
