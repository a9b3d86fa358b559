//! Calls of functions that no file defines: what they return and write is chosen by the
//! environment, what they are passed leaves the model.
//!
//! Conditions of a configuration name what comes from outside by objects that nothing writes:
//! [`Origin::Outside`]. Their cells hold the inputs that the calls of a step made.

use super::events::{AssumptionSite, Premise};
use super::initial_memory::{CallPart, InputOrigin, Phase, Slot};
use super::layout::{Cell, Kind, Scalar};
use super::object::{ObjectId, Origin};
use super::place::{Content, Part};
use super::state::State;
use super::{Frame, Machine, Outcome};
use crate::code::Code;
use crate::goals::meant_values;
use crate::ir::FunctionId;
use crate::ir::expr::Expr;
use crate::ir::stmt::{FunctionPart, PartKind, Place};
use crate::ir::types::{Type, TypeId};
use crate::library;
use frontend::Topic;
use frontend::source::Span;
use model::term::TermId;
use model::value::Value;

impl Machine<'_> {
    /// A call of a function that no file defines: its result and what it writes through pointers
    /// are inputs. Returns the result.
    pub(super) fn undefined_call(
        &mut self,
        frame: &Frame,
        state: &mut State,
        result: Option<&Place>,
        function: FunctionId,
        (arguments, contents): (&[Expr], &[Content]),
        span: Span,
    ) -> Outcome<Option<Content>> {
        let declaration = &self.program.functions[function];
        let name = &declaration.name;
        let reason = match library::is_known(name) {
            true => {
                "has other types than the C library's function of its name and is taken for another one, which no file defines"
            }
            false => "is not defined in any file",
        };
        self.note_extern(
            name,
            Topic::Extern,
            format!("`{name}` {reason}; its result and what it writes are inputs; add the file that defines it, or limit them in [input]"),
        );
        self.note_outside_call(state, function);
        self.note_passed(state, function, contents, span)?;
        for (index, (argument, content)) in arguments.iter().zip(contents).enumerate() {
            if matches!(self.layouts.type_of(argument.ty), Type::Pointer(_)) {
                let pointer = content.clone().scalar();
                self.written_behind(state, declaration, index, (argument, pointer), span)?;
            }
        }
        let Some(place) = result else { return Ok(None) };
        let name = format!("{name}.return");
        let content = self.unknown_content(declaration.result, &name, Some((Slot::Result, 0)), span)?;
        self.store(frame, state, place, &content)?;
        Ok(Some(content))
    }

    /// Keeps what is passed by value to a function that no file defines: outputs of the model.
    fn note_passed(
        &mut self,
        state: &mut State,
        function: FunctionId,
        contents: &[Content],
        span: Span,
    ) -> Outcome<()> {
        if self.property.is_some() {
            return Ok(());
        }
        let declaration = &self.program.functions[function];
        for ((index, &local), content) in declaration.parameters.iter().enumerate().zip(contents) {
            if let Some(object) = self.objects.find(&Origin::Passed(function, Some(index))) {
                let target = self.whole(object);
                self.store_targets(state, &[target], declaration.locals[local].ty, None, content, span)?;
            }
        }
        self.set_called(state, function, true);
        Ok(())
    }

    /// Notes whether the step called a function that no file defines.
    fn set_called(&mut self, state: &mut State, function: FunctionId, is_called: bool) {
        let Some(object) = self.objects.find(&Origin::Passed(function, None)) else { return };
        let description = self.objects.get(object);
        let (cell, sort) = (description.first, description.layout.cells[0].scalar.sort());
        let value = self.system.terms.constant(Value::new(sort, u128::from(is_called)));
        state.memory.set(cell, value);
    }

    /// At the beginning of a step: it has called nothing yet.
    pub(crate) fn forget_calls(&mut self, state: &mut State) {
        for function in self.program.functions.ids() {
            self.set_called(state, function, false);
        }
    }

    /// A value of which nothing is known: inputs. `slot` says where a call puts it, and how many
    /// bits behind the beginning.
    pub(crate) fn unknown_content(
        &mut self,
        ty: TypeId,
        name: &str,
        slot: Option<(Slot, u64)>,
        span: Span,
    ) -> Outcome<Content> {
        if let Some(scalar) = self.layouts.scalar(ty, None) {
            return Ok(Content::Scalar(self.unknown_scalar((ty, scalar), name, slot, span)?));
        }
        let layout = self.layouts.layout(ty).map_err(|why| self.no_layout(why, ty, span))?;
        let mut parts = Vec::new();
        for cell in &layout.cells {
            let Some(way) = self.layouts.named_way(ty, cell.bit, cell.scalar.extent) else {
                parts.push(Part::set(self.system.terms.constant(Value::zero(cell.scalar.sort()))));
                continue;
            };
            let name = format!("{name}{way}");
            let slot = slot.map(|(slot, shift)| (slot, shift + cell.bit));
            parts.push(Part::set(self.unknown_scalar((cell.ty, cell.scalar), &name, slot, span)?));
        }
        Ok(Content::Aggregate(parts))
    }

    pub(super) fn unknown_scalar(
        &mut self,
        (ty, scalar): (TypeId, Scalar),
        name: &str,
        slot: Option<(Slot, u64)>,
        span: Span,
    ) -> Outcome<TermId> {
        if scalar.kind == Kind::Pointer {
            return Err(self.fail_with(
                Code::UnsupportedPointerInput,
                span,
                format!("`{name}` is a pointer that comes from outside"),
                "define the function in one of the model's files, so that the pointer is the address of an object",
            ));
        }
        // What initialisation takes has a name of its own: `#2` is the second call in a step.
        let is_initial = self.initial_memory.phase == Phase::Init && slot.is_some();
        let own = if is_initial { format!("{name}@init") } else { name.to_owned() };
        let symbol = self.unknown(&own, ty, scalar, "it comes from a function that no file defines");
        if let (Some((slot, bit)), None, Some(call)) =
            (slot, &self.property, self.initial_memory.calls.last_mut())
        {
            call.parts.push(CallPart { slot, bit, scalar, symbol });
        }
        let value = self.system.terms.symbol_term(symbol);
        if self.initial_memory.phase == Phase::Init
            && self.property.is_none()
            && !self.limited.contains(name)
            && let Some((condition, _)) = meant_values(self, value, ty)
        {
            let (operands, premise) = (Vec::new(), Premise::Meant);
            let path = self.system.terms.truth(true);
            self.events.assumptions.push(AssumptionSite { path, condition, operands, span, premise });
        }
        Ok(value)
    }

    // ---- conditions ----

    /// The object that a part of a function is in a condition.
    pub(super) fn part(&mut self, part: FunctionPart, span: Span) -> Outcome<ObjectId> {
        let declaration = &self.program.functions[part.function];
        let (function, is_outside) = (part.function, declaration.body.is_none());
        match part.kind {
            PartKind::Parameter(index) => self.parameter(function, index, span),
            PartKind::Called => self.parameter(function, declaration.parameters.len(), span),
            PartKind::Result if is_outside => self.outside_object(part, Slot::Result, span),
            PartKind::Written(index) => self.outside_object(part, Slot::Parameter(index), span),
            PartKind::Result => self.objects.find(&Origin::Returned(function)).ok_or_else(|| {
                let name = &self.program.functions[function].name;
                let message =
                    format!("`{name}` is not a step function, so what it returns is not known here");
                self.fail(Code::UnknownParameter, span, message)
            }),
        }
    }

    /// The object that stands for what a call takes from outside.
    fn outside_object(&mut self, part: FunctionPart, slot: Slot, span: Span) -> Outcome<ObjectId> {
        let name = self.program.part_name(part);
        let Some(ty) = self.program.part_type(&self.program.types, part) else {
            return Err(self.not_called(part, span));
        };
        let origin = Origin::Outside(part.function, slot, part.call);
        let added = self.objects.add(&mut self.layouts, origin, name, ty);
        let object = added.map_err(|why| self.no_layout(why, ty, span))?;
        let layout = self.objects.get(object).layout.clone();
        let first = self.objects.get(object).first;
        let is_known = |(index, cell): (usize, &Cell)| {
            self.outside_input(first + index).is_some()
                || self.layouts.named_way(ty, cell.bit, cell.scalar.extent).is_none()
        };
        match layout.cells.iter().enumerate().all(is_known) {
            true => Ok(object),
            false => Err(self.not_called(part, span)),
        }
    }

    fn not_called(&mut self, part: FunctionPart, span: Span) -> super::Stop {
        let name = self.program.part_name(part);
        let inputs = self
            .initial_memory
            .inputs
            .iter()
            .filter(|input| input.cell.is_none() && input.read_again.is_none());
        let start = &name[..name.rfind('.').map_or(0, |at| at + 1)];
        let known: Vec<String> = inputs
            .filter(|input| input.lvalue.starts_with(start))
            .map(|input| format!("`{}`", input.lvalue))
            .collect();
        let advice = match known.as_slice() {
            [] => "the step does not call it, or this is asked of a time before the first step".to_owned(),
            known => format!("what the step takes from it: {}", known.join(", ")),
        };
        let call = if part.call > 1 { format!("#{}", part.call) } else { String::new() };
        self.fail_with(
            Code::UnknownParameter,
            span,
            format!("`{name}{call}` is no input of the step"),
            &advice,
        )
    }

    /// The input that a cell of an outside object stands for.
    pub(crate) fn outside_input(&self, cell: usize) -> Option<&InputOrigin> {
        let (object, _) = self.objects.owner(cell);
        let Origin::Outside(_, _, call) = self.objects.get(object).origin else { return None };
        let mut name = self.cell_name(cell);
        if call > 1 {
            name = format!("{name}#{call}");
        }
        self.initial_memory.inputs.iter().find(|input| input.cell.is_none() && input.lvalue == name)
    }

    /// What a cell of an outside object holds.
    pub(super) fn outside_value(&mut self, cell: usize) -> Option<TermId> {
        let input = self.outside_input(cell)?.input;
        let frame = match self.initial_memory.phase {
            Phase::Step { frame } | Phase::Behind { frame } => frame,
            Phase::Init => return None,
        };
        let symbol = self.system.inputs[input].symbol;
        Some(self.system.terms.framed(symbol, frame))
    }
}
