//! Declarations: specifiers and declarators become types, names get their meaning.

use super::frame::{Lower, Lowering, Reported};
use super::scope::{Entity, Qualified};
use crate::code::Code;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Block, Place, PlaceBase, Stmt, StmtKind};
use crate::ir::types::{Type, TypeId};
use crate::ir::{FunctionId, GlobalId, Linkage};
use crate::syntax::ast::{
    Declaration, Declarator, Derived, FunctionDefinition, InitDeclarator, Initialiser, Name, Parameter,
    Position, Specifiers, StaticAssert, Storage, TypeSpecifier,
};
use frontend::diagnostics::{Diagnostic, Severity};

impl Lowering<'_> {
    // ---- declarations ----

    /// A declaration at file scope. Where it only declares (no storage, no body) and uses what is
    /// not supported, that is an error only for who uses the name: headers declare more than
    /// programs need.
    pub(super) fn file_declaration(&mut self, declaration: &Declaration) {
        let mark = self.linker.diagnostics.entries.len();
        if is_forward_enumeration(declaration) {
            return;
        }
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

    /// Errors inside headers of the system that are not postponed are of no interest: what they
    /// declare is missing, which is said where it is used.
    fn forget_in_headers(&mut self, mark: usize, position: Position) {
        if self.text.lines.is_system(position) {
            self.linker.diagnostics.entries.truncate(mark);
        }
    }

    /// A function definition. Errors of inline functions in headers, and of inline functions that
    /// use what is not supported, concern only who calls them; what is not supported in the body of
    /// another function, only who executes it.
    pub(super) fn file_function(&mut self, definition: &FunctionDefinition) {
        let mark = self.linker.diagnostics.entries.len();
        let position = definition.specifiers.position;
        let Some(name) = &definition.declarator.name else { return };
        let is_new = !self.scope().names.contains_key(&name.text);
        for error in &definition.unsupported {
            let diagnostic = super::syntax_diagnostic(error, self.text, self.file);
            self.linker.diagnostics.push(diagnostic);
        }
        if self.function_definition(definition).is_ok() && definition.unsupported.is_empty() {
            return;
        }
        let is_error = |entry: &&Diagnostic| entry.severity == Severity::Error;
        let mut errors = self.linker.diagnostics.entries[mark..].iter().filter(is_error);
        let is_unsupported = errors.clone().all(|error| error.code.is_unsupported());
        let Some(first) = errors.next().cloned() else { return self.fail_name(name) };
        let is_internal = self.linkage(&name.text, &definition.specifiers) == Linkage::Internal;
        let is_own = is_new && definition.specifiers.is_inline && is_internal;
        if self.text.lines.is_system(position) || is_own && is_unsupported {
            self.linker.diagnostics.entries.truncate(mark);
            if let Some(Entity::Function(function)) = self.scope().names.get(&name.text).cloned() {
                self.linker.program.functions[function].body = None;
            }
            self.declare(&name.text, Entity::Unusable(Box::new(first)));
        } else if is_unsupported && self.may_stay_unexecuted(definition, &name.text) {
            self.leave_unexecuted(&name.text, mark, is_new && is_internal, first);
        }
    }

    /// Whether nothing is lost where a function is never executed: `main`, properties and
    /// conditions mean something though nothing calls them.
    fn may_stay_unexecuted(&self, definition: &FunctionDefinition, name: &str) -> bool {
        let is_special = name == "main" || name.starts_with("chaincover_");
        !is_special && !definition.may_assume && !self.is_property_file()
    }

    /// Leaves the errors about a function to who executes it. Where even its type is not
    /// supported, its name cannot be used.
    fn leave_unexecuted(&mut self, name: &str, mark: usize, is_own: bool, first: Diagnostic) {
        let end = self.linker.diagnostics.entries.len();
        match self.scopes[0].names.get(name) {
            Some(Entity::Function(function)) if self.linker.program.functions[*function].body.is_some() => {
                self.linker.unsupported.push((*function, mark..end));
            }
            None if is_own => {
                self.linker.diagnostics.entries.truncate(mark);
                self.declare(name, Entity::Unusable(Box::new(first)));
            }
            _ => {}
        }
    }

    /// Makes the name of a failed declaration unusable instead of failing now, if that is enough.
    fn postpone(&mut self, mark: usize, declaration: &Declaration, declarator: &InitDeclarator) {
        let storage = declaration.specifiers.storage;
        let is_function = matches!(declarator.declarator.derived.first(), Some(Derived::Function { .. }));
        let only_declares = matches!(storage, Some(Storage::Typedef | Storage::Extern)) || is_function;
        let errors = &self.linker.diagnostics.entries[mark..];
        let is_unsupported = errors.iter().all(|error| error.code.is_unsupported());
        let Some(name) = &declarator.declarator.name else { return };
        let Some(first) = errors.first().cloned() else { return self.fail_name(name) };
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
    pub(super) fn fail_name(&mut self, name: &Name) {
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
            return Err(self.error(entry.declarator.position, Code::Syntax, "a name is missing"));
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
                return Err(self.error(name.position, Code::Syntax, "a function has no initial value"));
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
                Code::TypeMismatch,
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

    /// Attributes that change layout or meaning are not supported. The alignment of a single object
    /// means nothing: addresses are never seen as numbers; that of a type or member does.
    pub(super) fn refuse_attributes(
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

    pub(super) fn unsupported_attribute(&mut self, name: &Name) -> Reported {
        let message = format!("the attribute `{}` is not supported here", name.text);
        self.error(name.position, Code::UnsupportedAttribute, message)
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
        let ty = self.as_declared_before(ty, name);
        let ty = self.completed(ty, name, initialiser)?;
        let linkage = self.linkage(&name.text, specifiers);
        let global = self.declare_global(&name.text, linkage, ty, name.position)?;
        self.linker.declared_types.insert((self.unit, global), ty.ty);
        self.declare(&name.text, Entity::Global(global));
        let is_definition = initialiser.is_some() || specifiers.storage != Some(Storage::Extern);
        if !is_definition || self.is_foreign_definition(global, name.position) {
            return Ok(());
        }
        self.define_global(global, name.position, initialiser.is_some())?;
        self.initialise_global(global, name.position, initialiser)
    }

    /// An array without length has that of an earlier declaration of the object in this file.
    fn as_declared_before(&mut self, ty: Qualified, name: &Name) -> Qualified {
        let Some(Entity::Global(global)) = self.scopes[0].names.get(&name.text) else { return ty };
        let Some(&known) = self.linker.declared_types.get(&(self.unit, *global)) else { return ty };
        if !self.types().compatible(known, ty.ty) {
            return ty;
        }
        Qualified { ty: self.types().composite(known, ty.ty), ..ty }
    }

    fn initialise_global(
        &mut self,
        global: GlobalId,
        position: Position,
        initialiser: Option<&Initialiser>,
    ) -> Lower<()> {
        let Some(initialiser) = initialiser else { return Ok(()) };
        let place = self.global_place(global, position);
        let (values, flexible) = self.initialise_static(&place, initialiser)?;
        self.linker.program.globals[global].initialiser = values;
        if flexible > 0 {
            self.linker.flexible.insert(global, flexible);
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
        self.initialise_global(global, name.position, initialiser)
    }

    fn global_place(&mut self, global: GlobalId, position: Position) -> Place {
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
        let is_set = initialiser.is_some_and(|initialiser| match initialiser {
            Initialiser::Expression(text) => !self.is_string_for(ty.ty, text),
            Initialiser::List(_) => self.types().table.is_scalar(ty.ty) || !self.frame.labels.is_empty(),
        });
        let kind = if is_set { StmtKind::DeclareSet(local) } else { StmtKind::Declare(local) };
        self.emit(kind, name.position);
        let Some(initialiser) = initialiser else { return Ok(()) };
        let place = Place { base: PlaceBase::Local(local), path: Vec::new(), ty: ty.ty, span };
        self.initialise_automatic(&place, initialiser, name.position)?;
        if let Some(StmtKind::Assign(to, value)) = self.out.last().map(|stmt| &stmt.kind)
            && let (PlaceBase::Local(written), ExprKind::Integer(value)) = (&to.base, &value.kind)
            && (*written, ty.is_const, ty.is_volatile, to.path.is_empty()) == (local, true, false, true)
        {
            self.frame.constants.insert(local, *value);
        }
        Ok(())
    }

    fn incomplete_object(&mut self, name: &Name, ty: TypeId) -> Reported {
        let ty = self.types().name(ty);
        self.error(
            name.position,
            Code::IncompleteType,
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
            return Err(self.error(declarator.position, Code::Syntax, "a name is missing"));
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
                Code::Syntax,
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

    /// The end of `main` returns 0 (C11 5.1.2.2.3).
    fn return_from_main(&mut self, function: FunctionId, block: &mut Block) {
        let int = self.types().int();
        let entry = &self.linker.program.functions[function];
        let is_main = entry.name == "main" && entry.linkage == Linkage::External && entry.result == int;
        let ends = matches!(block.last(), Some(Stmt { kind: StmtKind::Return(_), .. }));
        if is_main && !ends {
            let span = entry.span;
            let zero = Expr { kind: ExprKind::Integer(0), ty: int, span };
            block.push(Stmt { kind: StmtKind::Return(Some(zero)), span });
        }
    }

    fn function_body(
        &mut self,
        function: FunctionId,
        parameters: &[Parameter],
        definition: &FunctionDefinition,
    ) -> Lower<()> {
        let ty = self.linker.function_types[function];
        let Type::Function { result, parameters: types, .. } = self.types().get(ty).clone() else {
            unreachable!("a function should have a function type");
        };
        let mut frame =
            super::frame::Frame { function: Some(function), result: Some(result), ..Default::default() };
        let is_property_file = self.linker.program.units[self.unit].is_property_file;
        let is_system = self.text.lines.is_system(definition.declarator.position);
        frame.found.is_wanted = self.linker.instruments && !is_property_file && !is_system;
        let outer = std::mem::replace(&mut self.frame, frame);
        let ((lowered, parameters), mut block) = self.in_block(|this| {
            this.scoped(|this| {
                let parameters = this.bind_parameters(parameters, &types);
                (this.statements(&definition.body).and(this.check_labels()), parameters)
            })
        });
        let frame = std::mem::replace(&mut self.frame, outer);
        self.settle_decisions(function, frame.found);
        let entry = &mut self.linker.program.functions[function];
        entry.locals = frame.locals.into_iter().collect();
        entry.parameters = parameters;
        super::goto_loop::make_loops(&mut block);
        self.return_from_main(function, &mut block);
        self.linker.program.functions[function].body = Some(block);
        lowered
    }

    pub(super) fn static_assert(&mut self, assertion: &StaticAssert) -> Lower<()> {
        if self.integer_constant(&assertion.condition)? != 0 {
            return Ok(());
        }
        let message = format!("static assertion failed: {}", assertion.message);
        Err(self.error(assertion.condition.position, Code::StaticAssert, message))
    }
}

/// Whether this is `enum tag;`, a GNU form that says nothing.
fn is_forward_enumeration(declaration: &Declaration) -> bool {
    let TypeSpecifier::Enum(specifier) = &declaration.specifiers.ty else { return false };
    specifier.enumerators.is_none() && declaration.declarators.is_empty()
}
