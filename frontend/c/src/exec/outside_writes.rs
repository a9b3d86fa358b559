//! What a function that no file defines writes through the pointers that it is given.

use super::initial_memory::Slot;
use super::object::Origin;
use super::place::Target;
use super::pointer::{Affine, Offset, Pointed};
use super::state::State;
use super::{Machine, Outcome};
use crate::code::Code;
use crate::ir::expr::Expr;
use crate::ir::types::{IntegerKind, Type, TypeId, TypeTable};
use crate::ir::written::written;
use crate::ir::{Function, parameter_name};
use frontend::source::Span;
use model::term::TermId;
use model::value::Value;

impl Machine<'_> {
    /// Makes inputs of what a call writes behind its argument of this index.
    pub(super) fn written_behind(
        &mut self,
        state: &mut State,
        function: &Function,
        index: usize,
        (argument, pointer): (&Expr, TermId),
        span: Span,
    ) -> Outcome<()> {
        let parameter = function.parameters.get(index).map(|&local| &function.locals[local]);
        let is_null = |value: Value| value.bits() == 0;
        if self.system.terms.as_const(pointer).is_some_and(is_null) {
            return Ok(());
        }
        if parameter.is_none() {
            return self.passed_behind_ellipsis(function, pointer, span);
        }
        let of = parameter_name(parameter.map_or("#", |parameter| parameter.name.as_str()), index);
        let name = format!("{}.{of}", function.name);
        let slot = Slot::Parameter(index);
        match written(&self.program.types, self.program.target, parameter, argument) {
            Some(written) => {
                let stride = 8 * self.layouts.size(written.element).unwrap_or(0);
                let targets = self.pointees(state, pointer, written.element, span)?;
                for number in 0..written.count {
                    let name = if written.is_array { format!("{name}[{number}]") } else { name.clone() };
                    let targets = targets.iter().cloned();
                    let moved = targets.map(|target| Target { bit: target.bit + number * stride, ..target });
                    let place = (written.element, number * stride);
                    self.write_unknown(state, moved.collect(), place, (&name, slot), span)?;
                }
                Ok(())
            }
            None if parameter.is_some_and(|parameter| parameter.is_read_only) => Ok(()),
            None => self.written_behind_void(state, argument.ty, pointer, (&name, slot), span),
        }
    }

    /// What is passed behind a format is printed. Of other arguments that no parameter is declared
    /// for, nothing is known.
    fn passed_behind_ellipsis(&mut self, function: &Function, pointer: TermId, span: Span) -> Outcome<()> {
        let last = function.parameters.last().map(|&local| &function.locals[local]);
        let has_format = last.is_some_and(|last| last.is_read_only && is_text(&self.program.types, last.ty));
        let pointed = self.targets(pointer).unwrap_or_default();
        let mut objects = pointed.iter().filter_map(|pointed| pointed.offset.as_ref()).map(Offset::object);
        let is_open = objects.any(|object| {
            let description = self.objects.get(object);
            !description.is_const && !matches!(description.origin, Origin::Function(_))
        });
        if has_format || !is_open {
            return Ok(());
        }
        let name = &function.name;
        let message = format!(
            "cannot find out what `{name}` writes through a pointer that no parameter is declared for"
        );
        let advice = "declare the parameters of the function with their types, or define it";
        Err(self.fail_with(Code::UnsupportedVariadicOutput, span, message, advice))
    }

    /// Behind a `void *` lie whole objects, if anything is known.
    fn written_behind_void(
        &mut self,
        state: &mut State,
        ty: TypeId,
        pointer: TermId,
        (name, slot): (&str, Slot),
        span: Span,
    ) -> Outcome<()> {
        let Type::Pointer(pointee) = *self.layouts.type_of(ty) else { return Ok(()) };
        if !matches!(self.layouts.type_of(pointee), Type::Void) {
            return Ok(());
        }
        // What nobody gave the address of an object is nothing that can be written.
        let Ok(pointed) = self.targets(pointer) else { return Ok(()) };
        for Pointed { guard, offset } in pointed {
            let Some(offset) = offset else { continue };
            let object = offset.object();
            let is_whole =
                matches!(&offset, Offset::Known(Affine { base: 0, parts, .. }) if parts.is_empty());
            let description = self.objects.get(object);
            if matches!(description.origin, Origin::Function(_) | Origin::Text(_) | Origin::Gone)
                || description.is_const
            {
                continue;
            }
            if !is_whole {
                let message = format!("cannot find out what is written through `{name}`, a `void *`");
                let advice = "declare the parameter with the type of what it points to, `const void *` if nothing is written, or define the function";
                return Err(self.fail_with(Code::UnsupportedVoidOutput, span, message, advice));
            }
            let target = Target { guard, object, bit: 0, indices: Vec::new() };
            let ty = description.ty;
            self.write_unknown(state, vec![target], (ty, 0), (name, slot), span)?;
        }
        Ok(())
    }

    /// Makes an input of what targets designate: a value of this type, so many bits behind what the
    /// parameter points to.
    fn write_unknown(
        &mut self,
        state: &mut State,
        mut targets: Vec<Target>,
        (ty, shift): (TypeId, u64),
        (name, slot): (&str, Slot),
        span: Span,
    ) -> Outcome<()> {
        targets.retain(|target| !self.objects.get(target.object).is_const);
        if targets.is_empty() {
            return Ok(());
        }
        let content = self.unknown_content(ty, name, Some((slot, shift)), span)?;
        self.store_targets(state, &targets, ty, None, &content, span)
    }
}

/// Whether a type is a pointer to characters.
fn is_text(types: &TypeTable, ty: TypeId) -> bool {
    matches!(types.types[ty], Type::Pointer(to) if matches!(types.types[to], Type::Integer(IntegerKind::Char)))
}
