//! Names and literals in expressions: what a name means where it stands, and what is said of one
//! that means nothing.

use super::expression::Operand;
use super::frame::{Lower, Lowering, Reported};
use super::literal::{self, Literal};
use super::scope::{Entity, similar};
use crate::code::Code;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::stmt::{Place, PlaceBase};
use crate::ir::types::IntegerKind;
use crate::ir::{Global, Linkage};
use crate::syntax::ast::Position;

impl Lowering<'_> {
    /// What a name stands for.
    pub(super) fn name(&mut self, name: &str, position: Position) -> Lower<Operand> {
        match self.lookup(name).cloned() {
            Some(entity) => {
                self.refuse_ambiguous(name, &entity, position)?;
                self.entity(name, entity, position)
            }
            None => self.unknown_name(name, position),
        }
    }

    pub(super) fn entity(&mut self, name: &str, entity: Entity, position: Position) -> Lower<Operand> {
        let span = self.span(position);
        let place = |base, ty| Ok(Operand::Place(Place { base, path: Vec::new(), ty, span }));
        match entity {
            Entity::Local(local) => {
                let index = model::id::Id::index(local);
                place(PlaceBase::Local(local), self.frame.locals[index].ty)
            }
            Entity::Global(global) => {
                place(PlaceBase::Global(global), self.linker.program.globals[global].ty)
            }
            Entity::Enumerator { value, ty } => {
                Ok(Operand::Value(Expr { kind: ExprKind::Integer(value), ty, span }))
            }
            Entity::Function(function) => {
                let ty = self.linker.function_types[function];
                let ty = self.types().pointer(ty);
                Ok(Operand::Value(Expr { kind: ExprKind::Function(function), ty, span }))
            }
            Entity::Type(_) => {
                let message = format!("the type `{name}` stands where an expression is expected");
                Err(self.error(position, Code::Syntax, message))
            }
            Entity::Failed => Err(Reported),
            Entity::Unusable(diagnostic) => {
                let mut diagnostic = *diagnostic;
                diagnostic.related("used here", span);
                self.linker.diagnostics.push(diagnostic);
                Err(Reported)
            }
        }
    }

    fn unknown_name(&mut self, name: &str, position: Position) -> Lower<Operand> {
        if self.configuration.is_some() {
            return self.configuration_name(name, position);
        }
        if let Some(text) = self.function_name(name) {
            return self.string(&[format!("\"{text}\"")], position).map(Operand::Value);
        }
        let names = self.scopes.iter().flat_map(|scope| scope.names.keys().map(String::as_str));
        let advice = self.elsewhere(name).or_else(|| candidates(&similar(name, names)));
        let error = format!("`{name}` is not declared");
        match advice {
            Some(advice) => Err(self.error_with(position, Code::UnknownName, error, advice)),
            None => Err(self.error(position, Code::UnknownName, error)),
        }
    }

    /// How a property can speak of an object of this name that the model has and the property does
    /// not see.
    fn elsewhere(&self, name: &str) -> Option<String> {
        let program = &self.linker.program;
        let is_meant =
            |global: &&Global| global.name == name && (global.function.is_some() || self.is_property_file());
        let hidden = program.globals.values().find(is_meant)?;
        let file = program.units[hidden.unit].file_name();
        Some(match hidden.function {
            Some(function) => {
                let function = &program.functions[function].name;
                format!(
                    "it is a static object of `{function}` in {file}, which no other function sees: a [[goal]] in \
                     chaincover.toml names it `{function}::{name}`"
                )
            }
            None if hidden.linkage == Linkage::Internal => hidden_in_file(&file),
            None => format!("{file} has it: declare it here with `extern`, or include a header that does"),
        })
    }

    /// What `__func__` and its other spellings hold; `None` for other names.
    pub(super) fn function_name(&self, name: &str) -> Option<String> {
        let is_meant = matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__");
        if !is_meant || self.configuration.is_some() || self.lookup(name).is_some() {
            return None;
        }
        let function = self.frame.function.map(|id| self.linker.program.functions[id].name.clone());
        Some(function.unwrap_or_default())
    }

    /// An integer or floating constant.
    pub(super) fn number(&mut self, text: &str, position: Position) -> Lower<Expr> {
        let target = self.types().target;
        match literal::number(text, target) {
            Ok(Literal::Integer(value, kind)) => Ok(self.integer(value, kind, position)),
            Ok(Literal::Float(bits, format)) => Ok(self.float(bits, format, position)),
            Err(message) => Err(self.error(position, Code::BadLiteral, format!("`{text}`: {message}"))),
        }
    }

    /// Adjacent string literals: the address of the first character.
    pub(super) fn string(&mut self, literals: &[String], position: Position) -> Lower<Expr> {
        let bytes = literal::string(literals).map_err(|text| self.error(position, Code::BadLiteral, text))?;
        let character = self.types().integer(IntegerKind::Char);
        let ty = self.types().pointer(character);
        Ok(Expr { kind: ExprKind::String(bytes), ty, span: self.span(position) })
    }
}

/// How a property file can speak of an object with internal linkage.
pub(super) fn hidden_in_file(file: &str) -> String {
    format!(
        "the one of {file} is `static`, which no other file sees: write `#include \"{file}\"` in the property file, \
         or the goal as a [[goal]] in chaincover.toml"
    )
}

/// Advice that names candidates.
pub(super) fn candidates(names: &[String]) -> Option<String> {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => None,
        [single] => Some(format!("did you mean {single}?")),
        [several @ .., last] => Some(format!("did you mean {} or {last}?", several.join(", "))),
    }
}
