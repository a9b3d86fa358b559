//! What names mean: constants, types, enumerators, definitions, and the variables that a language
//! declares.

use crate::check::Checker;
use crate::code::Code;
use crate::language::nearest;
use crate::lexer::{Extent, tokens};
use crate::parser::{Parsed, Parser, Reported};
use crate::syntax::{self, Common, Name};
use crate::typed::Expr;
use crate::types::{Enumeration, Type};
use crate::value::Value;
use frontend::diagnostics::Diagnostics;
use frontend::source::SourceMap;
use model::define_id;
use model::id::IdVec;
use rustc_hash::FxHashMap;
use std::sync::Arc;

define_id!(
    /// A variable of a [`Scope`].
    VariableId, "v"
);

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub ty: Type,
    /// What messages call it: "input", "clock", "parameter".
    pub role: &'static str,
    /// Whether `x'` may be written.
    pub can_be_primed: bool,
    /// Where it is declared.
    pub extent: Extent,
}

/// What a name means.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// A variable.
    Variable(VariableId),
    /// A constant or enumerator.
    Constant(Value, Type),
    /// A type.
    Type(Type),
    /// What `define` gave a name.
    Definition(Arc<Expr>),
    /// A declaration that is wrong and was reported; its uses are not reported again.
    Broken,
}

#[derive(Clone, Debug)]
struct Entry {
    meaning: Meaning,
    extent: Extent,
}

/// Values of constants from the command line.
#[derive(Clone, Debug)]
struct Override {
    name: String,
    value: syntax::Expr,
    is_used: bool,
}

/// All names. Callers declare in the order in which names may be used: constants and types first,
/// then variables, then definitions; names of one phase in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    variables: IdVec<VariableId, Variable>,
    entries: FxHashMap<String, Entry>,
    /// Names in the order of their declaration, for [`Scope::restore`].
    order: Vec<String>,
    overrides: Vec<Override>,
}

/// A state of a [`Scope`] to return to.
#[derive(Clone, Copy, Debug)]
pub struct Mark(usize);

impl Scope {
    /// A scope without names.
    pub fn new() -> Self {
        Self::default()
    }
    /// The variables, those that [`Scope::restore`] took out of sight as well.
    pub fn variables(&self) -> &IdVec<VariableId, Variable> {
        &self.variables
    }
    /// A variable.
    pub fn variable(&self, variable: VariableId) -> &Variable {
        &self.variables[variable]
    }
    /// What a name means.
    pub fn meaning(&self, name: &str) -> Option<&Meaning> {
        self.entries.get(name).map(|entry| &entry.meaning)
    }
    /// The visible variable of a name.
    pub fn variable_named(&self, name: &str) -> Option<VariableId> {
        match self.meaning(name) {
            Some(Meaning::Variable(variable)) => Some(*variable),
            _ => None,
        }
    }
    /// The visible variable of a name that has to be one.
    ///
    /// # Errors
    /// If there is none.
    pub fn expect_variable(&self, name: &Name, diagnostics: &mut Diagnostics) -> Parsed<VariableId> {
        match self.meaning(&name.text) {
            Some(Meaning::Variable(variable)) => Ok(*variable),
            Some(Meaning::Broken) => Err(Reported),
            Some(_) => {
                let message = format!("`{}` is no variable", name.text);
                let declared = self.entries[&name.text].extent.span;
                diagnostics
                    .error(Code::WrongKind, Some(name.extent.span), message)
                    .related("declared here", declared);
                Err(Reported)
            }
            None => Err(self.unknown(&name.text, name.extent, "variable", diagnostics)),
        }
    }

    /// Declares a variable.
    ///
    /// # Errors
    /// If the name has a meaning.
    pub fn declare(&mut self, variable: Variable, diagnostics: &mut Diagnostics) -> Parsed<VariableId> {
        let name = Name { text: variable.name.clone(), extent: variable.extent };
        self.check_new(&name, diagnostics)?;
        let id = self.variables.push(variable);
        self.add(&name, Meaning::Variable(id));
        Ok(id)
    }
    /// Gives a name whose declaration is wrong, and was reported, the meaning that its uses are not
    /// reported again. A name that has a meaning keeps it.
    pub fn declare_broken(&mut self, name: &Name) {
        if !self.entries.contains_key(&name.text) {
            self.add(name, Meaning::Broken);
        }
    }
    /// The names that are visible now.
    pub fn mark(&self) -> Mark {
        Mark(self.order.len())
    }
    /// Takes the names that were declared since then out of sight: parameters, behind what they are
    /// the parameters of.
    pub fn restore(&mut self, mark: Mark) {
        for name in self.order.drain(mark.0.min(self.order.len())..) {
            self.entries.remove(&name);
        }
    }

    /// Declares what all languages share.
    ///
    /// # Errors
    /// If the name has a meaning, or what it stands for is wrong; its uses are then not reported
    /// again.
    pub fn declare_common(&mut self, declaration: &Common, diagnostics: &mut Diagnostics) -> Parsed<()> {
        let (Common::Const { name, .. } | Common::Type { name, .. } | Common::Define { name, .. }) =
            declaration;
        self.check_new(name, diagnostics)?;
        let meaning = self.meaning_of(declaration, diagnostics);
        self.add(name, meaning.clone().unwrap_or(Meaning::Broken));
        meaning.map(|_| ())
    }
    fn meaning_of(&mut self, declaration: &Common, diagnostics: &mut Diagnostics) -> Parsed<Meaning> {
        match declaration {
            Common::Const { name, value } => {
                let chosen = self.overridden(&name.text).unwrap_or_else(|| value.clone());
                let (value, ty) = Checker::new(self, diagnostics).constant(&chosen)?;
                Ok(Meaning::Constant(value, ty))
            }
            Common::Type { name, ty } => self.resolve_named(ty, &name.text, diagnostics).map(Meaning::Type),
            Common::Define { body, .. } => {
                let expr = Checker::new(self, diagnostics).expression(body)?;
                Ok(Meaning::Definition(Arc::new(expr)))
            }
        }
    }
    /// The type that is written, without a name. Enumerators of an enumeration are declared.
    ///
    /// # Errors
    /// If there is no such type.
    pub fn resolve(&mut self, ty: &syntax::TypeExpr, diagnostics: &mut Diagnostics) -> Parsed<Type> {
        self.resolve_named(ty, "", diagnostics)
    }

    fn resolve_named(
        &mut self,
        ty: &syntax::TypeExpr,
        name: &str,
        diagnostics: &mut Diagnostics,
    ) -> Parsed<Type> {
        let Some(names) = enumerators(ty) else {
            return Checker::new(self, diagnostics).type_of(ty);
        };
        for (index, (name, extent)) in names.iter().enumerate() {
            let known = Name { text: (*name).to_owned(), extent: *extent };
            self.check_new(&known, diagnostics)?;
            if let Some((_, first)) = names[..index].iter().find(|(earlier, _)| earlier == name) {
                return Err(declared_twice(name, *extent, *first, diagnostics));
            }
        }
        let texts = names.iter().map(|(name, _)| (*name).to_owned()).collect();
        let enumeration = Type::Enum(Arc::new(Enumeration { name: name.to_owned(), names: texts }));
        for (index, (name, extent)) in names.iter().enumerate() {
            let value = Value::Enumerator(index as u32);
            let name = Name { text: (*name).to_owned(), extent: *extent };
            self.add(&name, Meaning::Constant(value, enumeration.clone()));
        }
        Ok(enumeration)
    }

    /// Takes `NAME=VALUE` from the command line: `const NAME` gets that value.
    ///
    /// # Errors
    /// If the text is not of that form.
    pub fn override_constant(
        &mut self,
        text: &str,
        sources: &mut SourceMap,
        diagnostics: &mut Diagnostics,
    ) -> Parsed<()> {
        let Some((name, value)) = text.split_once('=') else {
            let message = format!("`-D {text}` gives no value");
            diagnostics.error(Code::BadOverride, None, message).advice("write `-D NAME=VALUE`");
            return Err(Reported);
        };
        let name = name.trim();
        let file = sources.add_expression(&format!("-D {name}"), value, None);
        // Values have the words of all languages; those of one are no values.
        let language = &crate::language::CONTRACTS;
        let read = tokens(sources, file, language, diagnostics);
        let mut parser = Parser::new(&read, language, diagnostics);
        let value = parser.expression()?;
        if !parser.is_at_end() {
            return Err(parser.unexpected("the end of the value"));
        }
        self.overrides.retain(|known| known.name != name);
        self.overrides.push(Override { name: name.to_owned(), value, is_used: false });
        Ok(())
    }
    fn overridden(&mut self, name: &str) -> Option<syntax::Expr> {
        let found = self.overrides.iter_mut().find(|known| known.name == name)?;
        found.is_used = true;
        Some(found.value.clone())
    }
    /// Reports values of the command line for constants that were not declared; call it when all
    /// constants are.
    pub fn check_overrides(&self, diagnostics: &mut Diagnostics) {
        for unused in self.overrides.iter().filter(|known| !known.is_used) {
            let message = format!("`-D {}`: there is no constant of that name", unused.name);
            let error = diagnostics.error(Code::BadOverride, None, message);
            let constants =
                self.order.iter().filter(|name| matches!(self.meaning(name), Some(Meaning::Constant(..))));
            if let Some(nearest) = nearest(&unused.name, constants.map(String::as_str)) {
                error.advice(format!("did you mean `{nearest}`?"));
            }
        }
    }

    /// Reports that a name has no meaning and offers the nearest.
    pub fn unknown(&self, name: &str, place: Extent, what: &str, diagnostics: &mut Diagnostics) -> Reported {
        let message = format!("there is no {what} `{name}`");
        let error = diagnostics.error(Code::UnknownName, Some(place.span), message);
        if let Some(nearest) = nearest(name, self.order.iter().map(String::as_str)) {
            error.advice(format!("did you mean `{nearest}`?"));
            if let Some(entry) = self.entries.get(nearest) {
                error.related(format!("`{nearest}` is declared here"), entry.extent.span);
            }
        }
        Reported
    }
    /// Where a name is declared.
    pub fn declared(&self, name: &str) -> Option<Extent> {
        self.entries.get(name).map(|entry| entry.extent)
    }
    fn check_new(&self, name: &Name, diagnostics: &mut Diagnostics) -> Parsed<()> {
        match self.entries.get(&name.text) {
            None => Ok(()),
            Some(entry) => Err(declared_twice(&name.text, name.extent, entry.extent, diagnostics)),
        }
    }
    fn add(&mut self, name: &Name, meaning: Meaning) {
        self.entries.insert(name.text.clone(), Entry { meaning, extent: name.extent });
        self.order.push(name.text.clone());
    }
}

fn declared_twice(name: &str, place: Extent, first: Extent, diagnostics: &mut Diagnostics) -> Reported {
    diagnostics
        .error(Code::DeclaredTwice, Some(place.span), format!("`{name}` is declared twice"))
        .related("first here", first.span);
    Reported
}

/// The enumerators of `{ OFF, ON }`; none where other types are written.
fn enumerators(ty: &syntax::TypeExpr) -> Option<Vec<(&str, Extent)>> {
    let syntax::TypeKind::Braces(values) = &ty.kind else { return None };
    let is_name = |value: &syntax::Expr| matches!(value.kind, syntax::ExprKind::Name { primed: false, .. });
    if !values.iter().all(is_name) {
        return None;
    }
    let names = values.iter().filter_map(|value| match &value.kind {
        syntax::ExprKind::Name { name, .. } => Some((name.as_str(), value.extent)),
        _ => None,
    });
    Some(names.collect())
}
