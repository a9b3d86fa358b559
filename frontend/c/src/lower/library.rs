//! Functions of the C library that no file defines: they get bodies from the texts of the library.

use super::frame::{Frame, Lower, Lowering, TagBodies};
use super::link::Linker;
use super::scope::{Entity, Qualified, Scope};
use super::types::Types;
use crate::detect::walk;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Callee, Stmt, StmtKind};
use crate::ir::types::{IntegerKind, Type, TypeId};
use crate::ir::{Condition, FunctionId, Linkage, UnitId};
use crate::library::{self, Entry};
use crate::preprocess::line_map::strip_markers;
use crate::preprocess::predefined;
use crate::syntax::ast::{Expression, Item, Position};
use crate::syntax::{self, Parsed};
use model::sort::FloatFormat;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Where the tool's own texts of functions seem to lie.
pub(super) const FOLDER: &str = "<chaincover>";

/// Functions of compilers for any floating-point type, and those for `double` that mean the same;
/// with `f` in place of `d` at the end they are for `float`.
const FOR_ANY_FLOAT: [(&str, &str); 9] = [
    ("__builtin_isgreater", "__CPROVER_isgreaterd"),
    ("__builtin_isgreaterequal", "__CPROVER_isgreaterequald"),
    ("__builtin_isless", "__CPROVER_islessd"),
    ("__builtin_islessequal", "__CPROVER_islessequald"),
    ("__builtin_islessgreater", "__CPROVER_islessgreaterd"),
    ("__builtin_isunordered", "__CPROVER_isunorderedd"),
    ("__builtin_isnormal", "__CPROVER_isnormald"),
    ("__builtin_isinf_sign", "__chaincover_infinite_signd"),
    ("__builtin_fpclassify", "__chaincover_classifyd"),
];

impl Linker {
    /// Gives functions that are used and that no file defines the bodies of the library, if it has
    /// them under their names and with their types.
    pub(super) fn link_library(&mut self, conditions: &[Option<Condition>]) {
        let mut tried = BTreeSet::new();
        loop {
            let wanted = self.wanted(conditions);
            let new: Vec<(FunctionId, &Entry)> =
                wanted.into_iter().filter(|(function, _)| tried.insert(*function)).collect();
            if new.is_empty() {
                return;
            }
            for (function, entry) in new {
                let unit = self.program.functions[function].unit;
                let structure = self.result_of(function);
                lower_text(self, unit, (entry.name, entry.text), structure);
                self.program.functions[function].is_library = true;
            }
        }
    }

    /// Functions without a body that something calls or takes the address of, and that the library
    /// has.
    fn wanted(&mut self, conditions: &[Option<Condition>]) -> Vec<(FunctionId, &'static Entry)> {
        let mut used = BTreeSet::new();
        let bodies = self.program.functions.values().filter_map(|function| function.body.as_deref());
        let preludes = conditions.iter().flatten().map(|condition| condition.prelude.as_slice());
        bodies.chain(preludes).for_each(|body| note_used(body, &mut used));
        for value in self.program.globals.values().flat_map(|global| &global.initialiser) {
            walk::visit_expression(&value.value, &mut |expr| note_named(expr, &mut used));
        }
        let mut found = Vec::new();
        for function in used {
            let declaration = &self.program.functions[function];
            if declaration.body.is_some() || declaration.linkage == Linkage::Internal {
                continue;
            }
            let Some(entry) = library::find(&declaration.name) else { continue };
            let is_known =
                matches!(self.external.get(entry.name), Some(Entity::Function(known)) if *known == function);
            if is_known && self.is_declared_as(function, entry.codes) {
                found.push((function, entry));
            }
        }
        found
    }

    /// The result type of a function that returns a structure.
    fn result_of(&self, function: FunctionId) -> Option<TypeId> {
        let result = self.program.functions[function].result;
        self.types.record(result).map(|_| result)
    }

    /// Whether a function is declared with the types that codes stand for.
    fn is_declared_as(&mut self, function: FunctionId, codes: &str) -> bool {
        let ty = self.function_types[function];
        let Type::Function { result, parameters, is_variadic: false } = self.types.get(ty).clone() else {
            return false;
        };
        let types = std::iter::once(result).chain(parameters.iter().copied());
        codes.len() == parameters.len() + 1
            && codes.chars().zip(types).all(|(code, ty)| self.types.is_coded(code, ty))
    }
}

fn note_used(body: &[Stmt], used: &mut BTreeSet<FunctionId>) {
    walk::visit(body, &mut |stmt| {
        if let StmtKind::Call { callee: Callee::Function(callee), .. } = &stmt.kind {
            used.insert(*callee);
        }
        walk::visit_expressions(stmt, &mut |expr| note_named(expr, used));
    });
}

fn note_named(expr: &Expr, used: &mut BTreeSet<FunctionId>) {
    if let ExprKind::Function(function) = expr.kind {
        used.insert(function);
    }
}

impl Types {
    /// The type that a code stands for; see [`library`]. Structures have no code of their own: they
    /// are `void` here.
    pub(super) fn coded(&mut self, code: char) -> TypeId {
        use IntegerKind::*;
        let kind = match code {
            'b' => Bool,
            'c' => Char,
            'C' => UnsignedChar,
            's' => Short,
            'S' => UnsignedShort,
            'i' => Int,
            'I' => UnsignedInt,
            'l' => Long,
            'L' => UnsignedLong,
            'q' => LongLong,
            'Q' => UnsignedLongLong,
            'm' => predefined::exact(64, self.target),
            'N' => predefined::exact(64, self.target).to_unsigned(),
            'z' => self.size_kind(),
            'f' => return self.float(FloatFormat::Single),
            'd' => return self.float(FloatFormat::Double),
            _ => {
                let void = self.void();
                let pointee = match code {
                    'p' => void,
                    't' => self.integer(Char),
                    'T' => self.coded('t'),
                    'j' => self.int(),
                    'e' => self.float(FloatFormat::Double),
                    'g' => self.float(FloatFormat::Single),
                    _ => return void,
                };
                return self.pointer(pointee);
            }
        };
        self.integer(kind)
    }

    fn is_coded(&mut self, code: char, ty: TypeId) -> bool {
        let member = match code {
            'D' => 'i',
            'G' => 'l',
            'H' => 'q',
            'M' => 'm',
            _ => {
                let coded = self.coded(code);
                return self.compatible(coded, ty);
            }
        };
        let member = self.coded(member);
        let Some(record) = self.record(ty) else { return false };
        let record = &self.table.records[record];
        match record.fields.as_deref() {
            Some([quotient, remainder]) => {
                let is_one = |field: &crate::ir::types::Field, name: &str| {
                    field.name == name && field.ty == member && field.bits.is_none()
                };
                !record.is_union && is_one(quotient, "quot") && is_one(remainder, "rem")
            }
            _ => false,
        }
    }
}

impl Lowering<'_> {
    /// Whether what is being lowered is one of the tool's own texts.
    pub(super) fn is_own_text(&self) -> bool {
        self.linker.program.sources.files[self.file].path.starts_with(FOLDER)
    }

    /// The function for `float` or `double` that a compiler's function for both means; `None` where
    /// the name is none of these.
    pub(super) fn function_for_any_float(
        &mut self,
        name: &str,
        arguments: &[Expression],
        position: Position,
    ) -> Lower<Option<FunctionId>> {
        let Some((_, double)) = FOR_ANY_FLOAT.iter().find(|(generic, _)| *generic == name) else {
            return Ok(None);
        };
        let mut is_single = true;
        let numbers = if name.ends_with("classify") { arguments.len().saturating_sub(1) } else { 0 };
        for argument in &arguments[numbers..] {
            let ty = self.in_vain(|this| this.value(argument))?.ty;
            is_single &= self.types().format(ty) == Some(FloatFormat::Single);
        }
        let stem = &double[..double.len() - 1];
        let name = format!("{stem}{}", if is_single { "f" } else { "d" });
        self.library_function(&name, position)
    }

    /// A function of the library, declared with its own types.
    pub(super) fn library_function(&mut self, name: &str, position: Position) -> Lower<Option<FunctionId>> {
        let Some(entry) = library::find(name) else { return Ok(None) };
        if let Some(&Entity::Function(function)) = self.linker.external.get(name) {
            self.linker.program.functions[function].is_assumed = true;
            return Ok(Some(function));
        }
        let ty = self.signature(entry.codes);
        let function = self.declare_function(name, Linkage::External, ty, None, position)?;
        self.assume_declared(function);
        Ok(Some(function))
    }
}

/// Lowers the text of a function as one of a unit; what its name means then. A structure that it
/// returns has the name `__chaincover_NAME` in the text, and is that of the program.
pub(super) fn lower_text(
    linker: &mut Linker,
    unit: UnitId,
    (name, text): (&str, &str),
    structure: Option<TypeId>,
) -> Option<Entity> {
    let path = PathBuf::from(FOLDER).join(name);
    let target = linker.types.target;
    let mut text = text.replace("__SIZE_TYPE__", linker.types.size_kind().name());
    for bits in [16, 32, 64] {
        let kind = predefined::exact(bits, target);
        text = text.replace(&format!("__UINT{bits}_TYPE__"), kind.to_unsigned().name());
        text = text.replace(&format!("__INT{bits}_TYPE__"), kind.name());
    }
    let file = linker.program.sources.add_text(&path, &text);
    let text = strip_markers(&text, &path, &mut linker.program.sources, |name| PathBuf::from(name));
    let Parsed { items, .. } = syntax::parse_file(&text.text, &text.packing);
    let tag_bodies = TagBodies::default();
    let mut lowering = Lowering {
        linker,
        text: &text,
        file,
        unit,
        tag_bodies: &tag_bodies,
        scopes: vec![Scope::default()],
        frame: Frame::default(),
        out: Vec::new(),
        configuration: None,
    };
    for item in &items {
        match item {
            Item::Function(definition) => lowering.file_function(definition),
            Item::Declaration(declaration) => {
                lowering.file_declaration(declaration);
                if let Some(ty) = structure {
                    let structure = Entity::Type(Qualified { ty, is_const: false, is_volatile: false });
                    lowering.scopes[0].names.insert(format!("__chaincover_{name}"), structure);
                }
            }
            Item::StaticAssert(_) | Item::Failed(_) => {}
        }
    }
    lowering.scopes[0].names.get(name).cloned()
}
