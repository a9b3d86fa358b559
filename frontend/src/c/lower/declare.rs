//! Declarations: specifiers and declarators become types, names get their meaning.

use super::expression::candidates;
use super::frame::{Lower, Lowering, Reported};
use super::scope::{Entity, Qualified, Tag, similar};
use super::types::{LayoutError, PlannedField};
use crate::c::ir::stmt::{Place, PlaceBase, StmtKind};
use crate::c::ir::types::{Enum, IntegerKind, RecordId, Type, TypeId};
use crate::c::ir::{Linkage, Local};
use crate::c::syntax::ast::{
    Declaration, Declarator, Derived, EnumSpecifier, FieldDeclarator, FunctionDefinition, InitDeclarator,
    Initialiser, Member, Name, Parameter, Position, RecordSpecifier, Specifiers, StaticAssert, Storage,
    TypeName, TypeSpecifier,
};
use model::sort::FloatFormat;

impl Lowering<'_> {
    // ---- declarations ----

    /// A declaration at file scope. Where it only declares (no storage, no body) and uses what is not supported, that is an error only for who uses the
    /// name: headers declare more than programs need.
    pub(super) fn file_declaration(&mut self, declaration: &Declaration) {
        let mark = self.linker.diagnostics.entries.len();
        let Ok(base) = self.declaration_base(declaration) else {
            for declarator in &declaration.declarators {
                self.postpone(mark, declaration, declarator);
            }
            self.forget_in_headers(mark, declaration.specifiers.position);
            return;
        };
        for declarator in &declaration.declarators {
            let mark = self.linker.diagnostics.entries.len();
            if self.declarator(&declaration.specifiers, base, declarator).is_err() {
                self.postpone(mark, declaration, declarator);
                self.forget_in_headers(mark, declaration.specifiers.position);
            }
        }
    }

    /// Errors inside headers of the system that are not postponed are of no interest: what they declare is missing, which is said where it is used.
    fn forget_in_headers(&mut self, mark: usize, position: Position) {
        if self.text.lines.is_system(position) {
            self.linker.diagnostics.entries.truncate(mark);
        }
    }

    /// A function definition. Errors of inline functions in headers, and of inline functions that use what is not supported, concern only who calls
    /// them.
    pub(super) fn file_function(&mut self, definition: &FunctionDefinition) {
        let mark = self.linker.diagnostics.entries.len();
        let position = definition.specifiers.position;
        let Some(name) = &definition.declarator.name else { return };
        let is_new = !self.scope().names.contains_key(&name.text);
        if self.function_definition(definition).is_ok() {
            return;
        }
        let errors = &self.linker.diagnostics.entries[mark..];
        let is_unsupported = errors.iter().all(|error| error.code.starts_with("unsupported"));
        let is_own = is_new
            && definition.specifiers.is_inline
            && self.linkage(&name.text, &definition.specifiers) == Linkage::Internal;
        let Some(first) = errors.first().cloned() else { return };
        if self.text.lines.is_system(position) || is_own && is_unsupported {
            self.linker.diagnostics.entries.truncate(mark);
            if let Some(Entity::Function(function)) = self.scope().names.get(&name.text).cloned() {
                self.linker.program.functions[function].body = None;
            }
            self.declare(&name.text, Entity::Unusable(Box::new(first)));
        }
    }

    /// Makes the name of a failed declaration unusable instead of failing now, if that is enough.
    fn postpone(&mut self, mark: usize, declaration: &Declaration, declarator: &InitDeclarator) {
        let storage = declaration.specifiers.storage;
        let is_function = matches!(declarator.declarator.derived.first(), Some(Derived::Function { .. }));
        let only_declares = matches!(storage, Some(Storage::Typedef | Storage::Extern)) || is_function;
        let errors = &self.linker.diagnostics.entries[mark..];
        let is_unsupported = errors.iter().all(|error| error.code.starts_with("unsupported"));
        let (Some(first), Some(name)) = (errors.first().cloned(), &declarator.declarator.name) else {
            return;
        };
        let is_system = self.text.lines.is_system(name.position);
        if is_system || only_declares && is_unsupported && declarator.initialiser.is_none() {
            self.linker.diagnostics.entries.truncate(mark);
            if !self.scope().names.contains_key(&name.text) {
                self.declare(&name.text, Entity::Unusable(Box::new(first)));
            }
        } else {
            self.fail_name(name);
        }
    }

    /// Notes that the declaration of a name is wrong, so that its uses are not reported as well.
    fn fail_name(&mut self, name: &Name) {
        if !self.scope().names.contains_key(&name.text) {
            self.declare(&name.text, Entity::Failed);
        }
    }

    /// The type of the specifiers; an untagged record in a `typedef` gets the first plain name.
    fn declaration_base(&mut self, declaration: &Declaration) -> Lower<Qualified> {
        let is_typedef = declaration.specifiers.storage == Some(Storage::Typedef);
        let plain = declaration.declarators.iter().find(|entry| entry.declarator.derived.is_empty());
        let hint = plain.filter(|_| is_typedef).and_then(|entry| entry.declarator.name.as_ref());
        self.specifiers(&declaration.specifiers, hint.map(|name| name.text.as_str()))
    }

    /// A declaration inside of a function.
    pub(super) fn local_declaration(&mut self, declaration: &Declaration) -> Lower<()> {
        let base = self.declaration_base(declaration);
        let mut result = base.map(drop);
        for declarator in &declaration.declarators {
            let lowered = base.and_then(|base| self.declarator(&declaration.specifiers, base, declarator));
            if let (Err(_), Some(name)) = (lowered, &declarator.declarator.name) {
                self.fail_name(name);
            }
            result = result.and(lowered);
        }
        result
    }

    fn declarator(&mut self, specifiers: &Specifiers, base: Qualified, entry: &InitDeclarator) -> Lower<()> {
        let Some(name) = &entry.declarator.name else {
            return Err(self.error(entry.declarator.position, "syntax", "a name is missing"));
        };
        let is_type = specifiers.storage == Some(Storage::Typedef);
        self.refuse_attributes(specifiers, &entry.declarator, is_type)?;
        let ty = self.declared_type(base, &entry.declarator)?;
        if is_type {
            let ty = Qualified { ty: self.types().under_name(ty.ty, &name.text), ..ty };
            self.declare(&name.text, Entity::Type(ty));
            return Ok(());
        }
        if matches!(self.types().get(ty.ty), Type::Function { .. }) {
            if entry.initialiser.is_some() {
                return Err(self.error(name.position, "syntax", "a function has no initial value"));
            }
            let linkage = self.linkage(&name.text, specifiers);
            let function =
                self.declare_function(&name.text, linkage, ty.ty, Some(&entry.declarator), name.position)?;
            self.declare(&name.text, Entity::Function(function));
            return Ok(());
        }
        if self.types().is_void(ty.ty) {
            return Err(self.error(
                name.position,
                "type-mismatch",
                format!("`{}` has type `void`", name.text),
            ));
        }
        match specifiers.storage {
            _ if self.is_file_scope() => self.file_object(name, ty, specifiers, entry.initialiser.as_ref()),
            Some(Storage::Extern) => self.file_object(name, ty, specifiers, entry.initialiser.as_ref()),
            Some(Storage::Static) => self.static_local(name, ty, entry.initialiser.as_ref()),
            _ => self.automatic(name, ty, entry.initialiser.as_ref()),
        }
    }

    /// Attributes that change layout or meaning are not supported. The alignment of a single object means nothing: addresses are never seen as
    /// numbers; that of a type or member does.
    fn refuse_attributes(
        &mut self,
        specifiers: &Specifiers,
        declarator: &Declarator,
        is_layout: bool,
    ) -> Lower<()> {
        for name in specifiers.attribute.iter().chain(&declarator.attribute) {
            if is_layout || !name.text.trim_matches('_').starts_with("align") {
                return Err(self.unsupported_attribute(name));
            }
        }
        Ok(())
    }

    fn unsupported_attribute(&mut self, name: &Name) -> Reported {
        let message = format!("the attribute `{}` is not supported here", name.text);
        self.error(name.position, "unsupported-attribute", message)
    }

    /// C11 6.2.2: `static` is internal; `extern` and functions follow an earlier declaration.
    fn linkage(&self, name: &str, specifiers: &Specifiers) -> Linkage {
        let is_internal_inline = specifiers.is_inline && specifiers.storage != Some(Storage::Extern);
        match specifiers.storage {
            Some(Storage::Static) => Linkage::Internal,
            _ if is_internal_inline => Linkage::Internal,
            _ => match self.lookup(name) {
                Some(Entity::Global(global)) => self.linker.program.globals[*global].linkage,
                Some(Entity::Function(function)) => self.linker.program.functions[*function].linkage,
                _ => Linkage::External,
            },
        }
    }

    fn file_object(
        &mut self,
        name: &Name,
        ty: Qualified,
        specifiers: &Specifiers,
        initialiser: Option<&Initialiser>,
    ) -> Lower<()> {
        let ty = self.completed(ty, name, initialiser)?;
        let linkage = self.linkage(&name.text, specifiers);
        let global = self.declare_global(&name.text, linkage, ty, name.position)?;
        self.declare(&name.text, Entity::Global(global));
        let is_definition = initialiser.is_some() || specifiers.storage != Some(Storage::Extern);
        if !is_definition || self.is_foreign_definition(global, name.position) {
            return Ok(());
        }
        self.define_global(global, name.position, initialiser.is_some())?;
        if let Some(initialiser) = initialiser {
            let place = self.global_place(global, name.position);
            let values = self.initialise_static(&place, initialiser)?;
            self.linker.program.globals[global].initialiser = values;
        }
        Ok(())
    }

    fn static_local(&mut self, name: &Name, ty: Qualified, initialiser: Option<&Initialiser>) -> Lower<()> {
        let ty = self.completed(ty, name, initialiser)?;
        if self.types().size(ty.ty).is_none() {
            return Err(self.incomplete_object(name, ty.ty));
        }
        let global = self.new_global(&name.text, Linkage::Internal, ty, name.position);
        let entry = &mut self.linker.program.globals[global];
        entry.function = self.frame.function;
        entry.is_defined = true;
        entry.is_initialised = initialiser.is_some();
        self.declare(&name.text, Entity::Global(global));
        if let Some(function) = self.frame.function {
            self.linker.static_locals.entry((function, name.text.clone())).or_default().push(global);
        }
        if let Some(initialiser) = initialiser {
            let place = self.global_place(global, name.position);
            let values = self.initialise_static(&place, initialiser)?;
            self.linker.program.globals[global].initialiser = values;
        }
        Ok(())
    }

    fn global_place(&mut self, global: crate::c::ir::GlobalId, position: Position) -> Place {
        let ty = self.linker.program.globals[global].ty;
        Place { base: PlaceBase::Global(global), path: Vec::new(), ty, span: self.span(position) }
    }

    fn automatic(&mut self, name: &Name, ty: Qualified, initialiser: Option<&Initialiser>) -> Lower<()> {
        let ty = self.completed(ty, name, initialiser)?;
        let span = self.span(name.position);
        let local = self.new_local(name.text.clone(), ty.ty, span);
        self.declare(&name.text, Entity::Local(local));
        if self.types().size(ty.ty).is_none() {
            return Err(self.incomplete_object(name, ty.ty));
        }
        self.emit(StmtKind::Declare(local), name.position);
        let Some(initialiser) = initialiser else { return Ok(()) };
        let place = Place { base: PlaceBase::Local(local), path: Vec::new(), ty: ty.ty, span };
        self.initialise_automatic(&place, initialiser, name.position)
    }

    fn incomplete_object(&mut self, name: &Name, ty: TypeId) -> Reported {
        let ty = self.types().name(ty);
        self.error(
            name.position,
            "incomplete-type",
            format!("the type `{ty}` of `{}` is incomplete here", name.text),
        )
    }

    /// An array of unknown length gets the length of its initialiser.
    fn completed(
        &mut self,
        ty: Qualified,
        name: &Name,
        initialiser: Option<&Initialiser>,
    ) -> Lower<Qualified> {
        let Type::Array { element, length: None } = *self.types().get(ty.ty) else { return Ok(ty) };
        let Some(initialiser) = initialiser else { return Ok(ty) };
        let base = PlaceBase::Local(model::id::Id::new(0)); // never looked at: only the shape counts
        let place = Place { base, path: Vec::new(), ty: ty.ty, span: self.span(name.position) };
        let length = self.initialised_length(&place, initialiser)?;
        Ok(Qualified { ty: self.types().array(element, Some(length)), ..ty })
    }

    // ---- functions ----

    /// A function with its body.
    pub(super) fn function_definition(&mut self, definition: &FunctionDefinition) -> Lower<()> {
        let declarator = &definition.declarator;
        let Some(name) = &declarator.name else {
            return Err(self.error(declarator.position, "syntax", "a name is missing"));
        };
        self.refuse_attributes(&definition.specifiers, declarator, false)?;
        let base = self.specifiers(&definition.specifiers, None)?;
        let ty = self.declared_type(base, declarator)?.ty;
        let ty = self.definition_type(ty);
        let linkage = self.linkage(&name.text, &definition.specifiers);
        let function = self.declare_function(&name.text, linkage, ty, Some(declarator), name.position)?;
        self.declare(&name.text, Entity::Function(function));
        if self.is_foreign_function(function, name.position) {
            return Ok(());
        }
        let Some(Derived::Function { parameters, .. }) = declarator.derived.first() else {
            return Err(self.error(
                name.position,
                "syntax",
                "a function definition needs its parameter list",
            ));
        };
        self.begin_definition(function, ty, name.position)?;
        self.function_body(function, parameters, definition)
    }

    /// `f()` in a definition takes no arguments.
    fn definition_type(&mut self, ty: TypeId) -> TypeId {
        match self.types().get(ty).clone() {
            Type::Function { result, parameters, is_variadic: true } if parameters.is_empty() => {
                self.types().intern(Type::Function { result, parameters, is_variadic: false })
            }
            _ => ty,
        }
    }

    fn function_body(
        &mut self,
        function: crate::c::ir::FunctionId,
        parameters: &[Parameter],
        definition: &FunctionDefinition,
    ) -> Lower<()> {
        let ty = self.linker.function_types[function];
        let Type::Function { result, parameters: types, .. } = self.types().get(ty).clone() else {
            unreachable!("a function should have a function type");
        };
        let frame =
            super::frame::Frame { function: Some(function), result: Some(result), ..Default::default() };
        let outer = std::mem::replace(&mut self.frame, frame);
        let ((lowered, parameters), block) = self.in_block(|this| {
            this.scoped(|this| {
                let parameters = this.bind_parameters(parameters, &types);
                (this.statements(&definition.body).and(this.check_labels()), parameters)
            })
        });
        let frame = std::mem::replace(&mut self.frame, outer);
        let entry = &mut self.linker.program.functions[function];
        entry.locals = frame.locals.into_iter().collect();
        entry.parameters = parameters;
        entry.body = Some(block);
        lowered
    }

    fn bind_parameters(&mut self, parameters: &[Parameter], types: &[TypeId]) -> Vec<crate::c::ir::LocalId> {
        let mut locals = Vec::new();
        for (index, (parameter, &ty)) in parameters.iter().zip(types).enumerate() {
            let span = self.span(parameter.declarator.position);
            let name = parameter.declarator.name.as_ref();
            let text = name.map_or_else(|| format!("#{}", index + 1), |name| name.text.clone());
            let local = self.new_local(text, ty, span);
            let array = self.declared_array(parameter, ty);
            self.frame.locals[model::id::Id::index(local)].array = array;
            if let Some(name) = name {
                self.declare(&name.text, Entity::Local(local));
            }
            locals.push(local);
        }
        locals
    }

    /// The array type of known length that a parameter was declared with before it became a pointer.
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
                let named = self.named_type(name, parameter.specifiers.position).ok()?.ty;
                matches!(self.types().get(named), Type::Array { length: Some(_), .. }).then_some(named)
            }
            _ => None,
        }
    }

    /// Parameters of a function that is only declared.
    pub(super) fn declared_parameters(
        &mut self,
        types: &[TypeId],
        declarator: Option<&Declarator>,
    ) -> Vec<Local> {
        let names: Vec<Option<&Name>> = match declarator.and_then(|declarator| declarator.derived.first()) {
            Some(Derived::Function { parameters, .. }) => {
                parameters.iter().map(|parameter| parameter.declarator.name.as_ref()).collect()
            }
            _ => Vec::new(),
        };
        let position = declarator.map_or(Position(0), |declarator| declarator.position);
        let local = |(index, &ty): (usize, &TypeId)| {
            let name = names.get(index).copied().flatten();
            Local {
                name: name.map_or_else(|| format!("#{}", index + 1), |name| name.text.clone()),
                ty,
                array: None,
                span: self.span(name.map_or(position, |name| name.position)),
            }
        };
        types.iter().enumerate().map(local).collect()
    }

    pub(super) fn static_assert(&mut self, assertion: &StaticAssert) -> Lower<()> {
        if self.integer_constant(&assertion.condition)? != 0 {
            return Ok(());
        }
        let message = format!("static assertion failed: {}", assertion.message);
        Err(self.error(assertion.condition.position, "static-assert", message))
    }

    // ---- types ----

    /// A type without a declared name.
    pub(super) fn type_name(&mut self, name: &TypeName) -> Lower<TypeId> {
        self.refuse_attributes(&name.specifiers, &name.declarator, true)?;
        let base = self.specifiers(&name.specifiers, None)?;
        Ok(self.declared_type(base, &name.declarator)?.ty)
    }

    /// The type that a declarator derives from the specifiers' type.
    fn declared_type(&mut self, base: Qualified, declarator: &Declarator) -> Lower<Qualified> {
        let mut result = base;
        for derived in declarator.derived.iter().rev() {
            result = match derived {
                Derived::Pointer { is_const, is_volatile } => {
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

    fn array_length(&mut self, length: &crate::c::syntax::ast::Expression) -> Lower<u64> {
        let mark = self.linker.diagnostics.entries.len();
        let value = self.integer_constant(length);
        if value.is_err() && self.frame.function.is_some() {
            let is_variable =
                self.linker.diagnostics.entries[mark..].iter().all(|entry| entry.code == "not-constant");
            if is_variable {
                self.linker.diagnostics.entries.truncate(mark);
                let message = "arrays of variable length are not supported";
                let advice = "give the array a constant length that is large enough";
                return Err(self.error_with(length.position, "unsupported-vla", message, advice));
            }
        }
        let value = value?;
        u64::try_from(value)
            .map_err(|_| self.error(length.position, "bad-length", "the length of an array is negative"))
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
                "incomplete-type",
                format!("an array cannot have elements of type `{name}`"),
            ));
        }
        let ty = self.types().array(element, length);
        let size = if is_object { self.types().size(ty) } else { Some(0) };
        if length.is_some() && size.is_none_or(|size| size > 1 << 31) {
            return Err(self.error(position, "bad-length", "this array is too large"));
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
            return Err(self.error(position, "type-mismatch", format!("a function cannot return `{name}`")));
        }
        let parameters = match parameters {
            [only] if self.is_lone_void(only)? => Vec::new(),
            parameters => {
                parameters.iter().map(|parameter| self.parameter_type(parameter)).collect::<Lower<_>>()?
            }
        };
        Ok(self.types().intern(Type::Function { result, parameters, is_variadic }))
    }

    /// Whether a parameter list is `(void)`, with `void` under another name (`Void`, `VOID`), which only the types tell.
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
                Err(self.error(declarator.position, "type-mismatch", "a parameter has type `void`"))
            }
            _ => Ok(ty),
        }
    }

    /// The type that specifiers name. `hint`: a name for a record or enumeration without tag.
    fn specifiers(&mut self, specifiers: &Specifiers, hint: Option<&str>) -> Lower<Qualified> {
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
            TypeSpecifier::TypeofType(ty) => self.type_name(ty)?,
            TypeSpecifier::Unsupported(what) => {
                let advice = match *what {
                    "long double" => "use `double`, on which IEEE 754 and this tool agree",
                    _ => "use another type",
                };
                let message = format!("the type `{what}` is not supported");
                return Err(self.error_with(position, "unsupported-type", message, advice));
            }
        };
        Ok(Qualified { ty, is_const, is_volatile })
    }

    fn named_type(&mut self, name: &str, position: Position) -> Lower<Qualified> {
        let entity = self.lookup(name).cloned().or_else(|| self.find_in_configuration(name));
        match entity {
            Some(Entity::Type(ty)) => Ok(ty),
            Some(Entity::Unusable(_) | Entity::Failed) => {
                let entity = entity.expect("it was just found");
                Err(self.entity(name, entity, position).err().unwrap_or(Reported))
            }
            _ if name == "__builtin_va_list" => {
                let void = self.types().void();
                let ty = self.types().pointer(void);
                Ok(Qualified { ty, is_const: false, is_volatile: false })
            }
            _ => {
                let names = self.scopes.iter().flat_map(|scope| scope.names.keys().map(String::as_str));
                let found = candidates(&similar(name, names))
                    .unwrap_or_else(|| "include the header that defines it".into());
                Err(self.error_with(position, "unknown-type", format!("unknown type name `{name}`"), found))
            }
        }
    }

    // ---- records ----

    fn record(&mut self, specifier: &RecordSpecifier, hint: Option<&str>) -> Lower<TypeId> {
        if let Some(name) = &specifier.attribute {
            return Err(self.unsupported_attribute(name));
        }
        let Some(members) = &specifier.members else { return self.record_reference(specifier) };
        let name = specifier.tag.as_ref().map(|tag| tag.text.as_str()).or(hint).unwrap_or("");
        let tagged = match &specifier.tag {
            Some(tag) => Some(self.record_to_define(specifier, &tag.text)?),
            None => None,
        };
        let planned = self.members(members)?;
        let layout = self.linker.types.layout(name, specifier.is_union, &planned, specifier.pack);
        let record = layout.map_err(|error| self.layout_error(error, &planned, specifier.position))?;
        let Some(id) = tagged else {
            let id = self.types().untagged_record(record);
            return Ok(self.types().intern(Type::Record(id)));
        };
        let entry = &mut self.linker.types.table.records[id];
        if entry.fields.is_none() {
            *entry = record;
        } else if *entry != record {
            let message = format!("`{name}` is defined differently in another file, though written alike");
            return Err(self.error(specifier.position, "conflicting-types", message));
        }
        Ok(self.types().intern(Type::Record(id)))
    }

    fn layout_error(&mut self, error: LayoutError, planned: &[PlannedField], position: Position) -> Reported {
        match error {
            LayoutError::Incomplete(index) => {
                let ty = self.types().name(planned[index].ty);
                let message = format!("the member `{}` has the incomplete type `{ty}`", planned[index].name);
                self.error(position, "incomplete-type", message)
            }
            LayoutError::TooLarge => self.error(position, "bad-length", "this type is too large"),
            LayoutError::Straddles(index) => {
                let message = format!("the packed bit-field `{}` is not supported", planned[index].name);
                self.error(position, "unsupported-bit-field", message)
            }
        }
    }

    /// `struct tag` without members: what is visible, or a new incomplete record.
    fn record_reference(&mut self, specifier: &RecordSpecifier) -> Lower<TypeId> {
        let tag = specifier.tag.as_ref().expect("a record without members should have a tag");
        let visible = self.lookup_tag(&tag.text).or_else(|| self.find_tag_in_configuration(&tag.text));
        match visible {
            Some(Tag::Record(id)) if self.linker.types.table.records[id].is_union == specifier.is_union => {
                Ok(self.types().intern(Type::Record(id)))
            }
            Some(_) => Err(self.wrong_tag(tag)),
            None => {
                let id = self.new_tagged_record(specifier, &tag.text);
                Ok(self.types().intern(Type::Record(id)))
            }
        }
    }

    fn wrong_tag(&mut self, tag: &Name) -> Reported {
        self.error(tag.position, "conflicting-types", format!("the tag `{}` means something else", tag.text))
    }

    /// The record that a definition completes.
    fn record_to_define(&mut self, specifier: &RecordSpecifier, tag: &str) -> Lower<RecordId> {
        match self.scope().tags.get(tag).copied() {
            Some(Tag::Record(id)) => {
                let record = &self.linker.types.table.records[id];
                let is_redefined = record.fields.is_some() && self.linker.is_defined_in(id, self.unit);
                if record.is_union != specifier.is_union || is_redefined {
                    let message = format!("`{tag}` is defined already");
                    return Err(self.error(specifier.position, "conflicting-types", message));
                }
                self.linker.mark_defined(id, self.unit);
                Ok(id)
            }
            Some(Tag::Enum(_)) => {
                let message = format!("the tag `{tag}` means something else");
                Err(self.error(specifier.position, "conflicting-types", message))
            }
            None => {
                let id = self.new_tagged_record(specifier, tag);
                self.linker.mark_defined(id, self.unit);
                Ok(id)
            }
        }
    }

    /// A record for a tag that is new in this scope. At file scope it is shared with files that define the tag alike.
    fn new_tagged_record(&mut self, specifier: &RecordSpecifier, tag: &str) -> RecordId {
        let id = if self.is_file_scope() {
            let key = (specifier.is_union, tag.to_owned());
            let body = self.tag_bodies.get(&key).cloned();
            self.linker.shared_record(key, body)
        } else {
            self.types().new_record(tag, specifier.is_union)
        };
        self.scope().tags.insert(tag.to_owned(), Tag::Record(id));
        id
    }

    fn members(&mut self, members: &[Member]) -> Lower<Vec<PlannedField>> {
        let mut planned: Vec<PlannedField> = Vec::new();
        for member in members {
            match member {
                Member::StaticAssert(assertion) => self.static_assert(assertion)?,
                Member::Fields { specifiers, declarators } => {
                    let base = self.specifiers(specifiers, None)?;
                    if declarators.is_empty() {
                        let is_unnamed =
                            matches!(&specifiers.ty, TypeSpecifier::Record(record) if record.tag.is_none());
                        if is_unnamed {
                            planned.push(PlannedField { name: String::new(), ty: base.ty, width: None });
                        }
                    }
                    for declarator in declarators {
                        self.refuse_attributes(specifiers, &declarator.declarator, true)?;
                        let field = self.field(base, declarator)?;
                        let is_duplicate =
                            !field.name.is_empty() && planned.iter().any(|other| other.name == field.name);
                        if is_duplicate {
                            let message = format!("there are two members `{}`", field.name);
                            return Err(self.error(
                                declarator.declarator.position,
                                "conflicting-types",
                                message,
                            ));
                        }
                        planned.push(field);
                    }
                }
            }
        }
        Ok(planned)
    }

    fn field(&mut self, base: Qualified, field: &FieldDeclarator) -> Lower<PlannedField> {
        let position = field.declarator.position;
        let ty = self.declared_type(base, &field.declarator)?.ty;
        if matches!(self.types().get(ty), Type::Function { .. } | Type::Void) {
            return Err(self.error(position, "type-mismatch", "a member cannot have this type"));
        }
        let name = field.declarator.name.as_ref().map_or_else(String::new, |name| name.text.clone());
        let Some(width) = &field.width else { return Ok(PlannedField { name, ty, width: None }) };
        let value = self.integer_constant(width)?;
        let limit = match self.types().kind(ty) {
            Some(kind) => kind.bits(self.types().target),
            None => return Err(self.error(position, "type-mismatch", "a bit-field must be an integer")),
        };
        match u32::try_from(value) {
            Ok(bits) if bits <= limit && (bits > 0 || name.is_empty()) => {
                Ok(PlannedField { name, ty, width: Some(bits) })
            }
            _ => Err(self.error(
                width.position,
                "bad-length",
                format!("the width of this bit-field is not 1 to {limit}"),
            )),
        }
    }

    // ---- enumerations ----

    fn enumeration(&mut self, specifier: &EnumSpecifier, hint: Option<&str>) -> Lower<TypeId> {
        let Some(enumerators) = &specifier.enumerators else {
            let tag = specifier.tag.as_ref().expect("an enumeration without enumerators should have a tag");
            let visible = self.lookup_tag(&tag.text).or_else(|| self.find_tag_in_configuration(&tag.text));
            return match visible {
                Some(Tag::Enum(ty)) => Ok(ty),
                Some(_) => Err(self.wrong_tag(tag)),
                None => {
                    let message = format!("the enumeration `{}` is not defined", tag.text);
                    Err(self.error(tag.position, "unknown-type", message))
                }
            };
        };
        let mut values: Vec<(String, i128)> = Vec::new();
        for (name, value) in enumerators {
            let value = match value {
                Some(value) => self.integer_constant(value)?,
                None => values.last().map_or(0, |(_, previous)| previous + 1),
            };
            // Later enumerators may use it; its type is settled below.
            let kind =
                if fits(value, IntegerKind::Int, self) { IntegerKind::Int } else { IntegerKind::LongLong };
            let ty = self.types().integer(kind);
            self.declare(&name.text, Entity::Enumerator { value, ty });
            values.push((name.text.clone(), value));
        }
        let Some(underlying) = self.underlying(&values) else {
            return Err(self.error(
                specifier.position,
                "bad-literal",
                "no integer type holds all values of this enumeration",
            ));
        };
        for (name, value) in &values {
            let kind = if fits(*value, IntegerKind::Int, self) { IntegerKind::Int } else { underlying };
            let ty = self.types().integer(kind);
            self.declare(name, Entity::Enumerator { value: *value, ty });
        }
        let tag = specifier.tag.as_ref();
        let name = tag.map(|tag| tag.text.as_str()).or(hint).unwrap_or("").to_owned();
        let ty = self.types().enumeration(Enum { name, underlying, enumerators: values });
        if let Some(tag) = tag {
            self.scope().tags.insert(tag.text.clone(), Tag::Enum(ty));
        }
        Ok(ty)
    }

    /// gcc's choice of the compatible type.
    fn underlying(&mut self, values: &[(String, i128)]) -> Option<IntegerKind> {
        use IntegerKind::*;
        let is_signed = values.iter().any(|(_, value)| *value < 0);
        let kinds =
            if is_signed { [Int, Long, LongLong] } else { [UnsignedInt, UnsignedLong, UnsignedLongLong] };
        kinds.into_iter().find(|kind| values.iter().all(|(_, value)| fits(*value, *kind, self)))
    }
}

fn fits(value: i128, kind: IntegerKind, lowering: &Lowering) -> bool {
    let (low, high) = kind.range(lowering.linker.types.target);
    (low..=high).contains(&value)
}
