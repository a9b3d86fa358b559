//! What a function's declaration says of its parameters beside their types.

use super::frame::Lowering;
use crate::ir::types::{Type, TypeId};
use crate::ir::{Local, LocalId};
use crate::syntax::ast::{Declarator, Derived, Name, Parameter, Position, TypeSpecifier};
use model::id::Id;

/// Qualifiers of what a parameter points to.
#[derive(Clone, Copy, Default)]
struct Pointee {
    is_const: bool,
    is_volatile: bool,
}

impl Lowering<'_> {
    /// The parameters of a definition, as variables of its frame.
    pub(super) fn bind_parameters(&mut self, parameters: &[Parameter], types: &[TypeId]) -> Vec<LocalId> {
        let mut locals = Vec::new();
        for (index, (parameter, &ty)) in parameters.iter().zip(types).enumerate() {
            let span = self.span(parameter.declarator.position);
            let name = parameter.declarator.name.as_ref();
            let local = self.new_local(parameter_text(name, index), ty, span);
            self.frame.locals[local.index()].array = self.declared_array(parameter, ty);
            let pointee = self.pointee(parameter);
            self.frame.locals[local.index()].is_read_only = pointee.is_const;
            self.frame.locals[local.index()].points_to_volatile = pointee.is_volatile;
            if let Some(name) = name {
                self.declare(&name.text, super::scope::Entity::Local(local));
            }
            locals.push(local);
        }
        locals
    }

    /// Parameters of a function that is only declared.
    pub(super) fn declared_parameters(
        &mut self,
        types: &[TypeId],
        declarator: Option<&Declarator>,
    ) -> Vec<Local> {
        let parameters = match declarator.and_then(|declarator| declarator.derived.first()) {
            Some(Derived::Function { parameters, .. }) => parameters.as_slice(),
            _ => &[],
        };
        let position = declarator.map_or(Position(0), |declarator| declarator.position);
        let mut locals = Vec::new();
        for (index, &ty) in types.iter().enumerate() {
            let parameter = parameters.get(index);
            let name = parameter.and_then(|parameter| parameter.declarator.name.as_ref());
            let pointee = parameter.map_or(Pointee::default(), |parameter| self.pointee(parameter));
            locals.push(Local {
                name: parameter_text(name, index),
                ty,
                array: parameter.and_then(|parameter| self.declared_array(parameter, ty)),
                passed: None,
                is_read_only: pointee.is_const,
                points_to_volatile: pointee.is_volatile,
                span: self.span(name.map_or(position, |name| name.position)),
            });
        }
        locals
    }

    /// The array type of known length that a parameter was declared with before it became a
    /// pointer.
    fn declared_array(&mut self, parameter: &Parameter, ty: TypeId) -> Option<TypeId> {
        let Type::Pointer(element) = *self.types().get(ty) else { return None };
        match (parameter.declarator.derived.first(), &parameter.specifiers.ty) {
            (Some(Derived::Array { length: Some(length), .. }), _) => {
                let mark = self.linker.diagnostics.entries.len();
                let length = self.integer_constant(length).ok().and_then(|length| u64::try_from(length).ok());
                self.linker.diagnostics.entries.truncate(mark);
                length.filter(|&length| length > 0).map(|length| self.types().array(element, Some(length)))
            }
            (None, TypeSpecifier::Named(name)) => {
                let named = self.quietly(|this| this.named_type(name, parameter.specifiers.position))?.ty;
                matches!(self.types().get(named), Type::Array { length: Some(_), .. }).then_some(named)
            }
            _ => None,
        }
    }

    /// The qualifiers of what a parameter points to; none where it is no pointer.
    fn pointee(&mut self, parameter: &Parameter) -> Pointee {
        let Some((Derived::Pointer { .. } | Derived::Array { .. }, rest)) =
            parameter.declarator.derived.split_first()
        else {
            return Pointee::default();
        };
        let pointee = rest.iter().find(|derived| !matches!(derived, Derived::Array { .. }));
        let (mut is_const, mut is_volatile) =
            (parameter.specifiers.is_const, parameter.specifiers.is_volatile);
        match (pointee, &parameter.specifiers.ty) {
            (Some(&Derived::Pointer { is_const, is_volatile }), _) => Pointee { is_const, is_volatile },
            (Some(_), _) => Pointee::default(),
            (None, TypeSpecifier::Named(name)) => {
                let named = self.quietly(|this| this.named_type(name, parameter.specifiers.position));
                is_const |= named.is_some_and(|named| named.is_const);
                is_volatile |= named.is_some_and(|named| named.is_volatile);
                Pointee { is_const, is_volatile }
            }
            (None, _) => Pointee { is_const, is_volatile },
        }
    }

    /// What is looked up without a word about failing.
    fn quietly<T>(&mut self, look_up: impl FnOnce(&mut Self) -> super::frame::Lower<T>) -> Option<T> {
        let mark = self.linker.diagnostics.entries.len();
        let found = look_up(self).ok();
        self.linker.diagnostics.entries.truncate(mark);
        found
    }
}

/// The name of a parameter in the intermediate representation.
fn parameter_text(name: Option<&Name>, index: usize) -> String {
    name.map_or_else(|| format!("#{}", index + 1), |name| name.text.clone())
}
