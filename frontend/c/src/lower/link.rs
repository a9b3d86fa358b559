//! What the files of a program share: types, objects and functions with external linkage.

use super::frame::{Lower, Lowering, Reported};
use super::name::hidden_in_file;
use super::scope::{Entity, Qualified};
use super::types::Types;
use crate::code::Code;
use crate::ir::target::Target;
use crate::ir::types::{RecordId, Type, TypeId};
use crate::ir::{Function, FunctionId, Global, GlobalId, Linkage, LocalId, Program, UnitId};
use crate::syntax::ast::{Declarator, Position};
use frontend::diagnostics::{Diagnostic, Diagnostics, Severity};
use frontend::source::{FileId, Span};
use model::id::{Id, IdVec};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::ops::Range;

/// The text of a definition, and its record.
type SharedRecord = (Option<String>, RecordId);

/// The program under construction.
pub(super) struct Linker {
    /// Without types: they are in `types` until the end.
    pub(super) program: Program,
    pub(super) types: Types,
    pub(super) function_types: IdVec<FunctionId, TypeId>,
    pub(super) external: FxHashMap<String, Entity>,
    /// Functions that were used without declaration; a declaration with another type makes another
    /// function of the same name.
    pub(super) assumed: FxHashSet<FunctionId>,
    pub(super) static_locals: FxHashMap<(FunctionId, String), Vec<GlobalId>>,
    /// The types that the declarations of one file give an object.
    pub(super) declared_types: FxHashMap<(UnitId, GlobalId), TypeId>,
    /// Errors about what is not supported in the body of a function, by their places among
    /// all messages.
    pub(super) unsupported: Vec<(FunctionId, Range<usize>)>,
    /// How many elements of its flexible array member an object is initialised with.
    pub(super) flexible: BTreeMap<GlobalId, u64>,
    /// Tags at file scope: for each text of a definition one record. A record that is nowhere
    /// defined has no text.
    shared: FxHashMap<(bool, String), Vec<SharedRecord>>,
    defined_records: FxHashSet<(RecordId, UnitId)>,
    /// Objects and functions with internal linkage of the model's own files, by their place: a
    /// property file that includes a file of the model means these and no second copy.
    statics: FxHashMap<(FileId, u32, String), Entity>,
    /// The calls that have these places: two that a macro makes have one place in the source, but are
    /// two goals.
    pub(super) calls: FxHashMap<(UnitId, Span), Position>,
    /// Whether functions are lowered with what coverage looks at.
    pub(super) instruments: bool,
    pub(super) diagnostics: Diagnostics,
}

impl Linker {
    pub(super) fn new(target: Target) -> Self {
        let program = Program {
            target,
            sources: Default::default(),
            units: IdVec::new(),
            types: Default::default(),
            globals: IdVec::new(),
            functions: IdVec::new(),
            conditions: Vec::new(),
            unsupported: BTreeMap::new(),
            instruments: Default::default(),
            warnings: Diagnostics::default(),
        };
        Self {
            program,
            types: Types::new(target),
            function_types: IdVec::new(),
            external: FxHashMap::default(),
            assumed: FxHashSet::default(),
            static_locals: FxHashMap::default(),
            declared_types: FxHashMap::default(),
            unsupported: Vec::new(),
            flexible: BTreeMap::new(),
            shared: FxHashMap::default(),
            defined_records: FxHashSet::default(),
            statics: FxHashMap::default(),
            calls: FxHashMap::default(),
            instruments: false,
            diagnostics: Diagnostics::default(),
        }
    }

    /// The record of a tag at file scope: that of another file where the tag is defined alike, or
    /// not at all.
    pub(super) fn shared_record(&mut self, key: (bool, String), body: Option<String>) -> RecordId {
        let (is_union, tag) = key.clone();
        let entries = self.shared.entry(key).or_default();
        let index = match &body {
            Some(_) => entries
                .iter()
                .position(|(other, _)| *other == body)
                .or_else(|| entries.iter().position(|(other, _)| other.is_none())),
            None => (!entries.is_empty()).then_some(0),
        };
        match index {
            Some(index) => {
                let entry = &mut entries[index];
                entry.0 = entry.0.take().or(body);
                entry.1
            }
            None => {
                let id = self.types.new_record(&tag, is_union);
                entries.push((body, id));
                id
            }
        }
    }

    pub(super) fn is_defined_in(&self, record: RecordId, unit: UnitId) -> bool {
        self.defined_records.contains(&(record, unit))
    }
    pub(super) fn mark_defined(&mut self, record: RecordId, unit: UnitId) {
        self.defined_records.insert((record, unit));
    }

    /// C11 6.9.2: a tentative definition of an array without length has one element.
    pub(super) fn complete_tentative(&mut self) {
        for global in self.program.globals.ids() {
            let entry = &self.program.globals[global];
            let Type::Array { element, length: None } = *self.types.get(entry.ty) else { continue };
            if entry.is_defined {
                self.program.globals[global].ty = self.types.array(element, Some(1));
            }
        }
        for global in self.program.globals.values() {
            if global.is_defined && self.types.size(global.ty).is_none() {
                let message = format!("the type of `{}` is never completed", global.name);
                self.diagnostics.error(Code::IncompleteType, Some(global.span), message);
            }
        }
    }
}

impl Linker {
    /// Refuses `extern` in a property file for what the model keeps within a file: it would be
    /// another object, an input without any meaning.
    pub(super) fn refuse_hidden(&mut self) {
        let program = &self.program;
        for global in program.globals.values() {
            if global.is_defined || !program.units[global.unit].is_property_file {
                continue;
            }
            let is_hidden = |other: &&Global| {
                other.name == global.name && other.function.is_none() && other.linkage == Linkage::Internal
            };
            let Some(hidden) = program.globals.values().find(is_hidden) else { continue };
            let message = format!("this `{}` is not the one of the model", global.name);
            self.diagnostics
                .error(Code::HiddenName, Some(global.span), message)
                .advice(hidden_in_file(&program.units[hidden.unit].file_name()))
                .related("the one of the model", hidden.span);
        }
    }

    /// Gives objects with an initialised flexible array member the memory that it takes.
    /// Their type does not tell of it (`sizeof` leaves it out),
    /// so this comes last.
    pub(super) fn extend_flexible(&mut self) {
        for (global, length) in std::mem::take(&mut self.flexible) {
            let ty = self.program.globals[global].ty;
            if let Some(extended) = self.types.with_flexible(ty, length) {
                self.program.globals[global].ty = extended;
            }
        }
    }
}

impl Linker {
    /// Leaves what is not supported in functions to who executes them, unless there are
    /// other errors.
    pub(super) fn settle_unsupported(&mut self) {
        let entries = &self.diagnostics.entries;
        let is_left = |index: usize| self.unsupported.iter().any(|(_, places)| places.contains(&index));
        let is_wrong =
            |(index, entry): (usize, &Diagnostic)| entry.severity == Severity::Error && !is_left(index);
        if entries.iter().enumerate().any(is_wrong) {
            return;
        }
        for (function, places) in std::mem::take(&mut self.unsupported).into_iter().rev() {
            let found: Vec<Diagnostic> = self.diagnostics.entries.drain(places).collect();
            let (errors, others): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|entry| entry.severity == Severity::Error);
            self.diagnostics.entries.extend(others);
            self.program.unsupported.insert(function, errors);
        }
    }
}

impl Lowering<'_> {
    pub(super) fn is_property_file(&self) -> bool {
        self.linker.program.units[self.unit].is_property_file
    }

    /// Notes where an internal name of the model is declared; returns what it already means in a
    /// property file.
    fn known_static(&mut self, name: &str, span: Span) -> Option<Entity> {
        let key = (span.file, span.line, name.to_owned());
        if self.is_property_file() { self.linker.statics.get(&key).cloned() } else { None }
    }

    fn note_static(&mut self, name: &str, span: Span, entity: Entity) {
        if !self.is_property_file() && span.file == self.file {
            self.linker.statics.insert((span.file, span.line, name.to_owned()), entity);
        }
    }

    /// Notes that a function is called without a declaration.
    pub(super) fn assume_declared(&mut self, function: FunctionId) {
        self.linker.assumed.insert(function);
        self.linker.program.functions[function].is_assumed = true;
    }

    /// What the name was declared as before, here or (with external linkage) in another file.
    fn earlier(&self, name: &str, linkage: Linkage) -> Option<Entity> {
        let here = self.scopes[0].names.get(name).cloned();
        here.or_else(|| match linkage {
            Linkage::External => self.linker.external.get(name).cloned(),
            Linkage::Internal => None,
        })
    }

    fn conflict(&mut self, name: &str, position: Position, earlier: Span) -> Reported {
        let span = self.span(position);
        let message = format!("`{name}` is declared with another type before");
        self.linker
            .diagnostics
            .error(Code::ConflictingTypes, Some(span), message)
            .related("declared here", earlier);
        Reported
    }

    fn duplicate(&mut self, name: &str, position: Position, earlier: Span) -> Reported {
        let span = self.span(position);
        let message = format!("`{name}` is defined twice");
        self.linker
            .diagnostics
            .error(Code::DuplicateDefinition, Some(span), message)
            .related("defined here", earlier);
        Reported
    }

    // ---- objects ----

    pub(super) fn new_global(
        &mut self,
        name: &str,
        linkage: Linkage,
        ty: Qualified,
        position: Position,
    ) -> GlobalId {
        let span = self.span(position);
        self.linker.program.globals.push(Global {
            name: name.to_owned(),
            unit: self.unit,
            linkage,
            function: None,
            ty: ty.ty,
            is_const: ty.is_const,
            is_volatile: ty.is_volatile,
            is_defined: false,
            is_initialised: false,
            initialiser: Vec::new(),
            span,
        })
    }

    /// A declaration of an object at file scope (or `extern` in a block).
    pub(super) fn declare_global(
        &mut self,
        name: &str,
        linkage: Linkage,
        ty: Qualified,
        position: Position,
    ) -> Lower<GlobalId> {
        let span = self.span(position);
        let earlier = match self.earlier(name, linkage) {
            None if linkage == Linkage::Internal => self.known_static(name, span),
            earlier => earlier,
        };
        match earlier {
            Some(Entity::Global(global)) => {
                let entry = &self.linker.program.globals[global];
                let (known, first) = (entry.ty, entry.span);
                if !self.types().compatible(known, ty.ty) {
                    return Err(self.conflict(name, position, first));
                }
                let composite = self.types().composite(known, ty.ty);
                let entry = &mut self.linker.program.globals[global];
                entry.ty = composite;
                entry.is_const |= ty.is_const;
                entry.is_volatile |= ty.is_volatile;
                Ok(global)
            }
            Some(Entity::Function(function)) => {
                let first = self.linker.program.functions[function].span;
                Err(self.conflict(name, position, first))
            }
            _ => {
                let global = self.new_global(name, linkage, ty, position);
                match linkage {
                    Linkage::External => {
                        self.linker.external.insert(name.to_owned(), Entity::Global(global));
                    }
                    Linkage::Internal => self.note_static(name, span, Entity::Global(global)),
                }
                Ok(global)
            }
        }
    }

    /// Whether a property file repeats a definition of the model by including its file.
    pub(super) fn is_foreign_definition(&mut self, global: GlobalId, position: Position) -> bool {
        let span = self.span(position);
        let entry = &self.linker.program.globals[global];
        self.is_property_file() && entry.is_defined && entry.unit != self.unit && entry.span == span
    }

    pub(super) fn define_global(
        &mut self,
        global: GlobalId,
        position: Position,
        is_initialised: bool,
    ) -> Lower<()> {
        let span = self.span(position);
        let unit = self.unit;
        let entry = &mut self.linker.program.globals[global];
        if entry.is_initialised && is_initialised {
            let (name, first) = (entry.name.clone(), entry.span);
            return Err(self.duplicate(&name, position, first));
        }
        if !entry.is_defined || is_initialised {
            entry.unit = unit;
            entry.span = span;
        }
        entry.is_defined = true;
        entry.is_initialised |= is_initialised;
        Ok(())
    }

    // ---- functions ----

    /// A declaration of a function.
    pub(super) fn declare_function(
        &mut self,
        name: &str,
        linkage: Linkage,
        ty: TypeId,
        declarator: Option<&Declarator>,
        position: Position,
    ) -> Lower<FunctionId> {
        let span = self.span(position);
        let earlier = match self.earlier(name, linkage) {
            None if linkage == Linkage::Internal => self.known_static(name, span),
            earlier => earlier,
        };
        match earlier {
            Some(Entity::Function(function)) => {
                let known = self.linker.function_types[function];
                if !self.types().compatible(known, ty) {
                    if self.linker.assumed.contains(&function) {
                        return Ok(self.new_function(name, linkage, ty, declarator, span));
                    }
                    let first = self.linker.program.functions[function].span;
                    return Err(self.conflict(name, position, first));
                }
                if self.is_unspecified(known) && !self.is_unspecified(ty) {
                    self.set_signature(function, ty, declarator);
                }
                if linkage == Linkage::Internal {
                    self.note_static(name, span, Entity::Function(function));
                }
                Ok(function)
            }
            Some(Entity::Global(global)) => {
                let first = self.linker.program.globals[global].span;
                Err(self.conflict(name, position, first))
            }
            _ => Ok(self.new_function(name, linkage, ty, declarator, span)),
        }
    }

    fn new_function(
        &mut self,
        name: &str,
        linkage: Linkage,
        ty: TypeId,
        declarator: Option<&Declarator>,
        span: Span,
    ) -> FunctionId {
        let function = self.linker.program.functions.push(Function {
            name: name.to_owned(),
            unit: self.unit,
            linkage,
            result: ty,
            parameters: Vec::new(),
            is_variadic: false,
            is_result_used: false,
            is_library: false,
            is_assumed: false,
            locals: IdVec::new(),
            body: None,
            span,
        });
        self.linker.function_types.push(ty);
        self.set_signature(function, ty, declarator);
        match linkage {
            Linkage::External => {
                self.linker.external.insert(name.to_owned(), Entity::Function(function));
            }
            Linkage::Internal => self.note_static(name, span, Entity::Function(function)),
        }
        function
    }

    /// `f()` in a declaration says nothing about parameters.
    fn is_unspecified(&mut self, ty: TypeId) -> bool {
        matches!(self.types().get(ty), Type::Function { parameters, is_variadic: true, .. } if parameters.is_empty())
    }

    fn set_signature(&mut self, function: FunctionId, ty: TypeId, declarator: Option<&Declarator>) {
        let Type::Function { result, parameters, is_variadic } = self.types().get(ty).clone() else {
            unreachable!("a function should have a function type");
        };
        let locals = self.declared_parameters(&parameters, declarator);
        self.linker.function_types[function] = ty;
        let entry = &mut self.linker.program.functions[function];
        entry.result = result;
        entry.is_variadic = is_variadic;
        entry.parameters = (0..locals.len()).map(LocalId::new).collect();
        entry.locals = locals.into_iter().collect();
    }

    /// Whether a property file repeats a definition of the model by including its file.
    pub(super) fn is_foreign_function(&mut self, function: FunctionId, position: Position) -> bool {
        let span = self.span(position);
        let entry = &self.linker.program.functions[function];
        self.is_property_file() && entry.body.is_some() && entry.unit != self.unit && entry.span == span
    }

    /// Prepares a function for its body.
    pub(super) fn begin_definition(
        &mut self,
        function: FunctionId,
        ty: TypeId,
        position: Position,
    ) -> Lower<()> {
        let entry = &self.linker.program.functions[function];
        if entry.body.is_some() {
            let (name, first) = (entry.name.clone(), entry.span);
            return Err(self.duplicate(&name, position, first));
        }
        let (span, unit) = (self.span(position), self.unit);
        self.set_signature(function, ty, None);
        let entry = &mut self.linker.program.functions[function];
        entry.span = span;
        entry.unit = unit;
        Ok(())
    }
}
