//! Names that only expressions of a configuration may use.
//!
//! They see the file of the step function first, then all other files, but no object of which
//! several files have one; `function::x` is a static local, `file.c::function::x` one where
//! functions of several files have the name, `file.c::x` a name of that file, `old(x)` the value
//! before the step. What belongs to functions stands in [`part`](super::part).

use super::constant;
use super::expression::Operand;
use super::frame::{Lower, Lowering, Reported};
use super::name::candidates;
use super::scope::{Entity, Scope, Tag, similar};
use crate::code::Code;
use crate::ir::expr::{Expr, ExprKind};
use crate::ir::{FunctionId, UnitId};
use crate::syntax::ast::{Expression, ExpressionKind as Kind, Position, Prefix};
use std::path::Path;

impl Lowering<'_> {
    /// Reports the first assignment in an expression of a configuration, which must not change
    /// anything; whether there is one.
    pub(super) fn refuses_effects(&mut self, expression: &Expression) -> bool {
        let Some(effect) = first_effect(expression) else { return false };
        let message = "a condition must not assign anything";
        let _ = match effect.kind {
            Kind::Assign(None, ..) => self.error_with(
                effect.position,
                Code::AssignmentInCondition,
                message,
                "to compare, write `==`",
            ),
            _ => self.error(effect.position, Code::AssignmentInCondition, message),
        };
        true
    }

    /// Reports a constant index of a configuration that lies outside its array: it would never
    /// hold, or designate nothing.
    pub(super) fn refuse_index_outside(
        &mut self,
        index: &Expr,
        length: Option<u64>,
        position: Position,
    ) -> Lower<()> {
        let (Some(_), Some(length)) = (self.configuration, length) else { return Ok(()) };
        match constant::integer(&self.linker.types, index) {
            Some(index) if index < 0 || index >= i128::from(length) => {
                let message =
                    format!("the index {index} lies outside of the array, which has {length} elements");
                Err(self.error(position, Code::IndexOutOfBounds, message))
            }
            _ => Ok(()),
        }
    }

    /// A name of another file than that of the step function; `None` where none or several
    /// different things have it.
    pub(super) fn find_in_configuration(&self, name: &str) -> Option<Entity> {
        match self.configuration_entities(name).as_slice() {
            [(_, single)] => Some(single.clone()),
            _ => None,
        }
    }

    pub(super) fn find_tag_in_configuration(&self, tag: &str) -> Option<Tag> {
        self.configuration?.iter().find_map(|(_, scope)| scope.tags.get(tag)).copied()
    }

    /// What a name means in the files, each meaning once.
    fn configuration_entities(&self, name: &str) -> Vec<(UnitId, Entity)> {
        let mut found: Vec<(UnitId, Entity)> = Vec::new();
        for (unit, scope) in self.configuration.unwrap_or_default() {
            if let Some(entity) = scope.names.get(name)
                && !found.iter().any(|(_, other)| is_same(entity, other))
            {
                found.push((*unit, entity.clone()));
            }
        }
        found
    }

    /// A name that the file of the step function does not have.
    pub(super) fn configuration_name(&mut self, name: &str, position: Position) -> Lower<Operand> {
        let mut found = self.configuration_entities(name);
        match found.len() {
            1 => {
                let (_, entity) = found.remove(0);
                self.entity(name, entity, position)
            }
            0 => {
                let advice = self.configuration_candidates(name);
                let message = format!("`{name}` is not declared in any file of the model");
                Err(match advice {
                    Some(advice) => self.error_with(position, Code::UnknownName, message, advice),
                    None => self.error(position, Code::UnknownName, message),
                })
            }
            _ => Err(self.ambiguous(name, &found, position)),
        }
    }

    fn ambiguous(&mut self, name: &str, found: &[(UnitId, Entity)], position: Position) -> Reported {
        let files: Vec<String> =
            found.iter().map(|(unit, _)| format!("`{}::{name}`", self.file_name(*unit))).collect();
        let advice = format!("write {}", files.join(" or "));
        let message = format!("several files have a `{name}`");
        self.error_with(position, Code::AmbiguousName, message, advice)
    }

    /// Refuses the name of an object in the file of the step function which other files have, too:
    /// who writes it may well mean theirs.
    pub(super) fn refuse_ambiguous(&mut self, name: &str, entity: &Entity, position: Position) -> Lower<()> {
        if self.configuration.is_none() || !matches!(entity, Entity::Global(_)) {
            return Ok(());
        }
        let mut found = self.configuration_entities(name);
        found.retain(|(_, entity)| matches!(entity, Entity::Global(_)));
        if found.len() < 2 {
            return Ok(());
        }
        Err(self.ambiguous(name, &found, position))
    }

    fn file_name(&self, unit: UnitId) -> String {
        self.linker.program.units[unit].file_name()
    }

    /// Names that resemble one: of files, static locals, and parameters of the step function.
    fn configuration_candidates(&self, name: &str) -> Option<String> {
        let scopes = self.configuration.unwrap_or_default();
        let plain = scopes.iter().flat_map(|(_, scope)| scope.names.keys().map(String::as_str));
        let mut found = similar(name, plain);
        let program = &self.linker.program;
        let statics = program.globals.values().filter(|global| global.name == name);
        found.extend(statics.filter_map(|global| {
            let function = &program.functions[global.function?];
            Some(format!("{}::{name}", function.name))
        }));
        if let Some(function) = self.frame.function {
            let step = &program.functions[function];
            let parameters = step.parameters.iter().map(|&local| &step.locals[local].name);
            let same = parameters.filter(|parameter| *parameter == name);
            found.extend(same.map(|parameter| format!("{}.{parameter}", step.name)));
        }
        found.truncate(4);
        candidates(&found)
    }

    /// `scope::name`.
    pub(super) fn qualified(&mut self, scope: &str, name: &str, position: Position) -> Lower<Operand> {
        if let Some((file, function)) = scope.rsplit_once("::") {
            let unit = self.file_named(file, position)?;
            return match self.entity_of(unit, function) {
                Some(Entity::Function(function)) => self.static_local_named(function, name, position),
                _ => {
                    let message = format!("`{file}` has no function `{function}`");
                    Err(self.error(position, Code::UnknownName, message))
                }
            };
        }
        let alike = self.functions_with(scope, name);
        if alike.len() > 1 {
            let files: Vec<String> =
                alike.iter().map(|unit| format!("`{}::{scope}::{name}`", self.file_name(*unit))).collect();
            let advice = format!("write {}", files.join(" or "));
            let message = format!("functions `{scope}` of several files have a `{name}`");
            return Err(self.error_with(position, Code::AmbiguousName, message, advice));
        }
        if let Some(function) = self.function_named(scope) {
            return self.static_local_named(function, name, position);
        }
        let unit = self.file_named(scope, position)?;
        match self.entity_of(unit, name) {
            Some(entity) => self.entity(name, entity, position),
            None => {
                let file = self.scope_of(unit);
                let names = file.into_iter().flat_map(|file| file.names.keys().map(String::as_str));
                let advice = candidates(&similar(name, names));
                let message = format!("`{scope}` has no `{name}`");
                Err(match advice {
                    Some(advice) => self.error_with(position, Code::UnknownName, message, advice),
                    None => self.error(position, Code::UnknownName, message),
                })
            }
        }
    }

    /// Files in which a function of the name has a static variable.
    fn functions_with(&self, function: &str, variable: &str) -> Vec<UnitId> {
        let program = &self.linker.program;
        let globals = program.globals.values().filter(|global| global.name == variable);
        let mut units: Vec<UnitId> = globals
            .filter(|global| global.function.is_some_and(|id| program.functions[id].name == function))
            .map(|global| global.unit)
            .collect();
        units.sort_unstable();
        units.dedup();
        units
    }

    fn scope_of(&self, unit: UnitId) -> Option<&Scope> {
        let scopes = self.configuration.unwrap_or_default();
        scopes.iter().find(|(id, _)| *id == unit).map(|(_, scope)| scope)
    }

    /// What a name means in a file.
    fn entity_of(&self, unit: UnitId, name: &str) -> Option<Entity> {
        self.scope_of(unit).and_then(|file| file.names.get(name)).cloned()
    }

    /// The file of a name or of the end of a path.
    fn file_named(&mut self, scope: &str, position: Position) -> Lower<UnitId> {
        let units: Vec<UnitId> = {
            let units = self.linker.program.units.iter();
            units.filter(|(_, unit)| is_suffix(&unit.path, scope)).map(|(id, _)| id).collect()
        };
        let &[unit] = units.as_slice() else {
            let names: Vec<String> =
                self.linker.program.units.ids().map(|unit| self.file_name(unit)).collect();
            let message = match units.len() {
                0 => format!("`{scope}` is neither a function nor a file of the model"),
                _ => format!("several files are called `{scope}`; write more of the path"),
            };
            let advice = format!("files: {}", names.join(", "));
            return Err(self.error_with(position, Code::UnknownName, message, advice));
        };
        Ok(unit)
    }

    pub(super) fn function_named(&self, name: &str) -> Option<FunctionId> {
        let visible = self.lookup(name).cloned().or_else(|| self.find_in_configuration(name));
        match visible {
            Some(Entity::Function(function)) => Some(function),
            _ => None,
        }
    }

    fn static_local_named(&mut self, function: FunctionId, name: &str, position: Position) -> Lower<Operand> {
        let found = self.linker.static_locals.get(&(function, name.to_owned())).cloned().unwrap_or_default();
        let function_name = self.linker.program.functions[function].name.clone();
        match found.as_slice() {
            [global] => self.entity(name, Entity::Global(*global), position),
            [] => {
                let statics = self.linker.program.globals.values();
                let own = statics
                    .filter(|global| global.function == Some(function))
                    .map(|global| global.name.clone());
                let own: Vec<String> = own.collect();
                let message = format!("the function `{function_name}` has no static variable `{name}`");
                let advice = match own.as_slice() {
                    [] => "it has none at all".to_owned(),
                    own => format!("it has {}", own.join(", ")),
                };
                Err(self.error_with(position, Code::UnknownName, message, advice))
            }
            _ => {
                let message = format!("the function `{function_name}` has several static variables `{name}`");
                Err(self.error(position, Code::AmbiguousName, message))
            }
        }
    }

    /// `old(x)`, `prev(x)`.
    pub(super) fn old(&mut self, name: &str, arguments: &[Expression], position: Position) -> Lower<Operand> {
        let [argument] = arguments else {
            return Err(self.error(position, Code::ArgumentCount, format!("`{name}` takes one argument")));
        };
        let (value, block) = self.in_block(|this| this.value(argument));
        let value = value?;
        if !block.is_empty() {
            let message = format!("`{name}` cannot hold calls or assignments");
            return Err(self.error(position, Code::UnsupportedOld, message));
        }
        if !self.types().table.is_scalar(value.ty) {
            let message = format!("`{name}` needs a number or pointer, not a whole object");
            return Err(self.error(position, Code::TypeMismatch, message));
        }
        let (ty, span) = (value.ty, self.span(position));
        Ok(Operand::Value(Expr { kind: ExprKind::Old(Box::new(value)), ty, span }))
    }
}

/// The first assignment, increment or decrement in an expression.
fn first_effect(expression: &Expression) -> Option<&Expression> {
    let parts: Vec<&Expression> = match &expression.kind {
        Kind::Assign(..) | Kind::Postfix(..) | Kind::Prefix(Prefix::Increment | Prefix::Decrement, _) => {
            return Some(expression);
        }
        Kind::Prefix(_, inner) | Kind::Member(inner, ..) | Kind::Cast(_, inner) => vec![inner],
        Kind::Infix(_, left, right)
        | Kind::LogicalAnd(left, right)
        | Kind::LogicalOr(left, right)
        | Kind::Comma(left, right)
        | Kind::Index(left, right) => vec![left, right],
        Kind::Conditional(condition, then, otherwise) => {
            [Some(&**condition), then.as_deref(), Some(&**otherwise)].into_iter().flatten().collect()
        }
        Kind::Generic(_, choices) => choices.iter().map(|(_, choice)| choice).collect(),
        Kind::Call(callee, arguments) => std::iter::once(&**callee).chain(arguments).collect(),
        _ => Vec::new(),
    };
    parts.into_iter().find_map(first_effect)
}

fn is_same(left: &Entity, right: &Entity) -> bool {
    match (left, right) {
        (Entity::Type(left), Entity::Type(right)) => left.ty == right.ty,
        (Entity::Global(left), Entity::Global(right)) => left == right,
        (Entity::Function(left), Entity::Function(right)) => left == right,
        (Entity::Enumerator { value: left, .. }, Entity::Enumerator { value: right, .. }) => left == right,
        (Entity::Unusable(_) | Entity::Failed, Entity::Unusable(_) | Entity::Failed) => true,
        _ => false,
    }
}

/// Whether a path ends in the given file name or path.
fn is_suffix(path: &Path, end: &str) -> bool {
    path.ends_with(Path::new(end)) || path == Path::new(end)
}
