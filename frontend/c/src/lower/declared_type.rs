//! The types that declarations and type names say.

use super::frame::{Lower, Lowering, Reported};
use super::name::candidates;
use super::scope::{Entity, Qualified, similar};
use crate::code::Code;
use crate::ir::types::{IntegerKind, Type, TypeId};
use crate::syntax::ast::{Declarator, Derived, Parameter, Position, Specifiers, TypeName, TypeSpecifier};
use model::sort::FloatFormat;

impl Lowering<'_> {
    /// A type without a declared name.
    pub(super) fn type_name(&mut self, name: &TypeName) -> Lower<TypeId> {
        self.refuse_attributes(&name.specifiers, &name.declarator, true)?;
        let base = self.specifiers(&name.specifiers, None)?;
        Ok(self.declared_type(base, &name.declarator)?.ty)
    }

    /// The type that a declarator derives from the specifiers' type.
    pub(super) fn declared_type(&mut self, base: Qualified, declarator: &Declarator) -> Lower<Qualified> {
        let mut result = base;
        for derived in declarator.derived.iter().rev() {
            result = match derived {
                Derived::Pointer { is_const, is_volatile } => {
                    if result.is_volatile {
                        self.types().table.behind_volatile.insert(result.ty);
                    }
                    let ty = self.types().pointer(result.ty);
                    Qualified { ty, is_const: *is_const, is_volatile: *is_volatile }
                }
                Derived::Array { length, position } => {
                    let length = length.as_ref().map(|length| self.array_length(length)).transpose()?;
                    Qualified { ty: self.array_of(result.ty, length, *position)?, ..result }
                }
                Derived::Function { parameters, is_variadic, is_unspecified } => {
                    let ty = self.function_type(
                        result.ty,
                        parameters,
                        *is_variadic || *is_unspecified,
                        declarator.position,
                    )?;
                    Qualified { ty, is_const: false, is_volatile: false }
                }
            };
        }
        Ok(result)
    }

    fn array_length(&mut self, length: &crate::syntax::ast::Expression) -> Lower<u64> {
        let mark = self.linker.diagnostics.entries.len();
        let value = self.integer_constant(length);
        if value.is_err() && self.frame.function.is_some() {
            let is_variable =
                self.linker.diagnostics.entries[mark..].iter().all(|entry| entry.code == Code::NotConstant);
            if is_variable {
                self.linker.diagnostics.entries.truncate(mark);
                let message = "arrays of variable length are not supported";
                let advice = "give the array a constant length that is large enough";
                return Err(self.error_with(length.position, Code::UnsupportedVla, message, advice));
            }
        }
        let value = value?;
        u64::try_from(value)
            .map_err(|_| self.error(length.position, Code::BadLength, "the length of an array is negative"))
    }

    fn array_of(&mut self, element: TypeId, length: Option<u64>, position: Position) -> Lower<TypeId> {
        let is_flexible = matches!(self.types().get(element), Type::Array { length: None, .. });
        let is_object = self.types().size(element).is_some() && !is_flexible;
        // An array of a record that is completed later may be declared (not defined) before.
        let is_later = self.types().record(element).is_some();
        if !is_object && !is_later {
            let name = self.types().name(element);
            return Err(self.error(
                position,
                Code::IncompleteType,
                format!("an array cannot have elements of type `{name}`"),
            ));
        }
        let ty = self.types().array(element, length);
        let size = if is_object { self.types().size(ty) } else { Some(0) };
        if length.is_some() && size.is_none_or(|size| size > 1 << 31) {
            return Err(self.error(position, Code::BadLength, "this array is too large"));
        }
        Ok(ty)
    }

    fn function_type(
        &mut self,
        result: TypeId,
        parameters: &[Parameter],
        is_variadic: bool,
        position: Position,
    ) -> Lower<TypeId> {
        if matches!(self.types().get(result), Type::Array { .. } | Type::Function { .. }) {
            let name = self.types().name(result);
            return Err(self.error(
                position,
                Code::TypeMismatch,
                format!("a function cannot return `{name}`"),
            ));
        }
        let parameters = match parameters {
            [only] if self.is_lone_void(only)? => Vec::new(),
            parameters => {
                parameters.iter().map(|parameter| self.parameter_type(parameter)).collect::<Lower<_>>()?
            }
        };
        Ok(self.types().intern(Type::Function { result, parameters, is_variadic }))
    }

    /// Whether a parameter list is `(void)`, with `void` under another name (`Void`, `VOID`), which
    /// only the types tell.
    fn is_lone_void(&mut self, parameter: &Parameter) -> Lower<bool> {
        let declarator = &parameter.declarator;
        if declarator.name.is_some() || !declarator.derived.is_empty() {
            return Ok(false);
        }
        let ty = self.specifiers(&parameter.specifiers, None)?;
        Ok(matches!(self.types().get(ty.ty), Type::Void))
    }

    /// The type of a parameter; arrays and functions are pointers.
    fn parameter_type(&mut self, parameter: &Parameter) -> Lower<TypeId> {
        self.refuse_attributes(&parameter.specifiers, &parameter.declarator, false)?;
        let base = self.specifiers(&parameter.specifiers, None)?;
        let mut declarator = parameter.declarator.clone();
        if let Some(first @ Derived::Array { .. }) = declarator.derived.first_mut() {
            *first = Derived::Pointer { is_const: false, is_volatile: false };
        }
        let ty = self.declared_type(base, &declarator)?.ty;
        match *self.types().get(ty) {
            Type::Array { element, .. } => Ok(self.types().pointer(element)),
            Type::Function { .. } => Ok(self.types().pointer(ty)),
            Type::Void => {
                Err(self.error(declarator.position, Code::TypeMismatch, "a parameter has type `void`"))
            }
            _ => Ok(ty),
        }
    }

    /// The type that specifiers name. `hint`: a name for a record or enumeration without tag.
    pub(super) fn specifiers(&mut self, specifiers: &Specifiers, hint: Option<&str>) -> Lower<Qualified> {
        let Specifiers { is_const, is_volatile, position, .. } = *specifiers;
        let ty = match &specifiers.ty {
            TypeSpecifier::Void => self.types().void(),
            TypeSpecifier::Integer(kind) => self.types().integer(*kind),
            TypeSpecifier::Float => self.types().float(FloatFormat::Single),
            TypeSpecifier::Double => self.types().float(FloatFormat::Double),
            TypeSpecifier::Named(name) => {
                let named = self.named_type(name, position)?;
                return Ok(Qualified {
                    ty: named.ty,
                    is_const: is_const || named.is_const,
                    is_volatile: is_volatile || named.is_volatile,
                });
            }
            TypeSpecifier::Record(record) => self.record(record, hint)?,
            TypeSpecifier::Enum(enumeration) => self.enumeration(enumeration, hint)?,
            TypeSpecifier::TypeofExpression(expression) => self.type_of(expression)?,
            TypeSpecifier::TypeofValue(value) => self.in_vain(|this| this.value(value))?.ty,
            TypeSpecifier::TypeofType(ty) => self.type_name(ty)?,
            TypeSpecifier::Unsupported(what) => {
                let advice = match *what {
                    "long double" => "use `double`, on which IEEE 754 and this tool agree",
                    _ => "use another type",
                };
                let message = format!("the type `{what}` is not supported");
                return Err(self.error_with(position, Code::UnsupportedType, message, advice));
            }
        };
        Ok(Qualified { ty, is_const, is_volatile })
    }

    /// A type that needs no declaration.
    fn builtin_type(&mut self, name: &str) -> Option<TypeId> {
        let (size, signed_size) = (self.types().size_kind(), self.types().pointer_sized());
        let kind = match name {
            "__builtin_va_list" => {
                let void = self.types().void();
                return Some(self.types().pointer(void));
            }
            "__CPROVER_size_t" => size,
            "__CPROVER_ssize_t" => signed_size,
            "__CPROVER_bool" => IntegerKind::Bool,
            _ => return None,
        };
        Some(self.types().integer(kind))
    }

    pub(super) fn named_type(&mut self, name: &str, position: Position) -> Lower<Qualified> {
        let entity = self.lookup(name).cloned().or_else(|| self.find_in_configuration(name));
        match entity {
            Some(Entity::Type(ty)) => Ok(ty),
            Some(Entity::Unusable(_) | Entity::Failed) => {
                let entity = entity.expect("it was just found");
                Err(self.entity(name, entity, position).err().unwrap_or(Reported))
            }
            _ => {
                if let Some(ty) = self.builtin_type(name) {
                    return Ok(Qualified { ty, is_const: false, is_volatile: false });
                }
                let names = self.scopes.iter().flat_map(|scope| scope.names.keys().map(String::as_str));
                let found = candidates(&similar(name, names))
                    .unwrap_or_else(|| "include the header that defines it".into());
                Err(self.error_with(
                    position,
                    Code::UnknownType,
                    format!("unknown type name `{name}`"),
                    found,
                ))
            }
        }
    }
}
