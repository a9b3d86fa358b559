//! Functions of the C library whose results come from outside: random numbers, clocks, what a user
//! types. Their results are inputs within the limits that the library keeps, but no rig can set
//! them.

use super::events::Premise;
use super::layout::Kind;
use super::place::Content;
use super::state::State;
use super::{Frame, Machine, Outcome};
use crate::ir::expr::Expr;
use crate::ir::stmt::Place;
use crate::ir::types::{Type, TypeId};
use crate::ir::{Function, FunctionId};
use crate::library::{self, Range};
use frontend::Topic;
use frontend::source::Span;
use model::term::{BinaryOp, TermId};
use model::value::Value;

impl Machine<'_> {
    /// A call of a function of the library whose result comes from outside; whether it is declared
    /// as the library's.
    pub(super) fn environment_call(
        &mut self,
        frame: &Frame,
        state: &mut State,
        result: Option<&Place>,
        id: FunctionId,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<bool> {
        let function = &self.program.functions[id];
        let Some((letters, range)) = library::environment(&function.name) else { return Ok(false) };
        if !self.is_declared_with(function, letters) {
            return Ok(false);
        }
        let mut contents = Vec::with_capacity(arguments.len());
        for argument in arguments {
            contents.push(self.content(frame, state, argument)?);
        }
        self.note_extern(&function.name, Topic::Library, told(&function.name));
        let returned = self.undefined_call(frame, state, result, id, (arguments, &contents), span)?;
        let returned = returned.map(Content::scalar);
        if let Some(value) = returned {
            self.keep_within(state, value, (function.result, range), span);
        }
        if function.name == "time" {
            self.time_behind(state, returned, (&arguments[0], &contents[0]), (function, range), span)?;
        }
        Ok(true)
    }

    /// What `time` stores is what it returns.
    fn time_behind(
        &mut self,
        state: &State,
        returned: Option<TermId>,
        (argument, content): (&Expr, &Content),
        (function, range): (&Function, Range),
        span: Span,
    ) -> Outcome<()> {
        let Type::Pointer(pointee) = *self.layouts.type_of(argument.ty) else { return Ok(()) };
        let pointer = content.clone().scalar();
        let is_null = |value: Value| value.bits() == 0;
        let is_time = self.layouts.type_of(pointee) == self.layouts.type_of(function.result);
        if !is_time || self.system.terms.as_const(pointer).is_some_and(is_null) {
            return Ok(());
        }
        let targets = self.pointees(state, pointer, pointee, span)?;
        let stored = self.load_targets(state, &targets, pointee, None, span)?.scalar();
        match returned {
            Some(returned) => {
                let is_same = self.system.terms.equal(stored, returned);
                let is_null = self.system.terms.constant(Value::zero(self.system.terms.sort(pointer)));
                let is_null = self.system.terms.equal(pointer, is_null);
                let holds = self.system.terms.or(is_null, is_same);
                self.note_assumption(state, holds, (span, Premise::Meant));
            }
            None => self.keep_within(state, stored, (pointee, range), span),
        }
        Ok(())
    }

    /// Only executions count in which a result lies where the library has it.
    fn keep_within(&mut self, state: &State, value: TermId, (ty, range): (TypeId, Range), span: Span) {
        let Some(scalar) = self.layouts.scalar(ty, None) else { return };
        let condition = match (range, scalar.kind) {
            (Range::Unit, Kind::Float(_)) => {
                let (zero, one) =
                    (super::math::number(self, value, 0.0), super::math::number(self, value, 1.0));
                let terms = &mut self.system.terms;
                let (low, high) = (
                    terms.binary(BinaryOp::FloatLe, zero, value),
                    terms.binary(BinaryOp::FloatLt, value, one),
                );
                terms.and(low, high)
            }
            (Range::Integer(low, high), Kind::Word) if scalar.signed => {
                let terms = &mut self.system.terms;
                let least = -(1i128 << (scalar.extent - 1));
                let (low, high) = (low.max(least), high.min(-1 - least));
                let (low, high) =
                    (terms.word(scalar.extent, low as u128), terms.word(scalar.extent, high as u128));
                let (above, below) =
                    (terms.binary(BinaryOp::SLe, low, value), terms.binary(BinaryOp::SLe, value, high));
                terms.and(above, below)
            }
            _ => return,
        };
        self.note_assumption(state, condition, (span, Premise::Meant));
    }
}

/// What is told of such a function.
fn told(name: &str) -> String {
    format!(
        "`{name}` is the C library's: its result is an input here, but cannot be controlled from outside on a rig; define `{name}` in a file of the model to make it controllable"
    )
}
