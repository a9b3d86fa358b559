//! From syntax trees to typed action systems.

use crate::code::Code;
use crate::syntax::{self, BodyKind, File, Item};
use crate::system::{Action, Block, Body, Parameter, System, Variable};
use frontend::diagnostics::Diagnostics;
use spec::check::Checker;
use spec::parser::{Parsed, Reported};
use spec::scope::{self, Scope, VariableId};
use spec::syntax::{Assignment, Common, Expr as Written, Name};
use spec::typed::Expr;
use spec::types::Type;

/// The system that a file describes. `scope` may hold values of constants from the command line;
/// `stem` is the name of a system that has none.
///
/// # Errors
/// What is wrong has been reported, as much of it as can be found.
pub fn check(file: &File, scope: Scope, stem: &str, diagnostics: &mut Diagnostics) -> Parsed<System> {
    let errors = |diagnostics: &Diagnostics| diagnostics.errors().count();
    let before = errors(diagnostics);
    let mut builder =
        Builder { scope, diagnostics, variables: Vec::new(), actions: Vec::new(), names: Vec::new() };
    builder.declare(file);
    builder.actions(file);
    let block = builder.block(file);
    let Builder { scope, variables, actions, diagnostics, .. } = builder;
    if errors(diagnostics) > before {
        return Err(Reported);
    }
    let name = file.name.as_ref().map_or(stem, |name| &name.text).to_owned();
    Ok(System { name, scope, variables, actions, block: block? })
}

struct Builder<'a> {
    scope: Scope,
    diagnostics: &'a mut Diagnostics,
    variables: Vec<Variable>,
    actions: Vec<Action>,
    /// The names of all actions, those of wrong ones as well.
    names: Vec<Name>,
}

impl Builder<'_> {
    /// Constants and types, then variables, then definitions. What is wrong is reported.
    fn declare(&mut self, file: &File) {
        let commons = || {
            file.items.iter().filter_map(|item| match item {
                Item::Common(common) => Some(common),
                _ => None,
            })
        };
        let is_definition = |common: &Common| matches!(common, Common::Define { .. });
        for common in commons().filter(|common| !is_definition(common)) {
            let _ = self.scope.declare_common(common, self.diagnostics);
        }
        self.scope.check_overrides(self.diagnostics);
        for item in &file.items {
            if let Item::Variable(variable) = item {
                let _ = self.variable(variable);
            }
        }
        for common in commons().filter(|common| is_definition(common)) {
            let _ = self.scope.declare_common(common, self.diagnostics);
        }
        if self.variables.is_empty() && !self.diagnostics.has_errors() {
            self.diagnostics
                .error(Code::Incomplete, None, "the system has no variable")
                .advice("`var x : 0..3 := 0` declares one");
        }
    }

    fn variable(&mut self, written: &syntax::Variable) -> Parsed<()> {
        let ty = self.finite(&written.ty);
        let Ok(ty) = ty else {
            return self.declare_variable(&written.name, Type::Bool, "variable").and(Err(Reported));
        };
        self.declare_variable(&written.name, ty.clone(), "variable")?;
        let mut checker = Checker::new(&self.scope, self.diagnostics);
        let initial = checker.assigned(&written.initial, &ty);
        let place = written.initial.extent;
        // A variable that is wrong still has its place, so that numbers and uses stay right.
        let value = initial.and_then(|expr| match expr.as_constant() {
            Some(value) if ty.contains(value) => Ok(value.clone()),
            Some(value) => {
                let message = format!("the initial value {} lies outside {ty}", ty.show(value));
                self.diagnostics.error(Code::BadInitial, Some(place.span), message);
                Err(Reported)
            }
            None => {
                let message = "an initial value is known before any step";
                self.diagnostics.error(spec::code::Code::NotConstant, Some(place.span), message);
                Err(Reported)
            }
        });
        let (initial, result) = match value {
            Ok(value) => (value, Ok(())),
            Err(Reported) => (spec::value::Value::Bool(false), Err(Reported)),
        };
        let Name { text, extent } = written.name.clone();
        self.variables.push(Variable { name: text, ty, initial, extent });
        result
    }

    /// A type that a state can have: rational numbers have no end.
    fn finite(&mut self, ty: &spec::syntax::TypeExpr) -> Parsed<Type> {
        let resolved = self.scope.resolve(ty, self.diagnostics)?;
        if matches!(resolved, Type::Rational) {
            let message = "variables and parameters of action systems have finitely many values";
            self.diagnostics
                .error(Code::Infinite, Some(ty.extent.span), message)
                .advice("`lo..hi step d` is a type of exact numbers");
            return Err(Reported);
        }
        Ok(resolved)
    }

    fn declare_variable(&mut self, name: &Name, ty: Type, role: &'static str) -> Parsed<VariableId> {
        let variable =
            scope::Variable { name: name.text.clone(), ty, role, can_be_primed: false, extent: name.extent };
        self.scope.declare(variable, self.diagnostics)
    }

    fn actions(&mut self, file: &File) {
        for item in &file.items {
            let Item::Action(written) = item else { continue };
            if let Some(first) = self.names.iter().find(|name| name.text == written.name.text) {
                let message = format!("the action `{}` is declared twice", written.name.text);
                let first = first.extent.span;
                self.diagnostics
                    .error(spec::code::Code::DeclaredTwice, Some(written.name.extent.span), message)
                    .related("first here", first);
                continue;
            }
            self.names.push(written.name.clone());
            let mark = self.scope.mark();
            let action = self.action(written);
            self.scope.restore(mark);
            self.actions.extend(action);
        }
        if !file.items.iter().any(|item| matches!(item, Item::Action(_))) && !self.diagnostics.has_errors() {
            self.diagnostics
                .error(Code::Incomplete, None, "the system has no action")
                .advice("`ctr name is body` declares one; so do `obs` and `int`");
        }
    }

    fn action(&mut self, written: &syntax::Action) -> Parsed<Action> {
        let first_parameter = self.scope.variables().len();
        let mut parameters = Vec::new();
        for (name, ty) in &written.parameters {
            let ty = self.finite(ty)?;
            self.declare_variable(name, ty.clone(), "parameter")?;
            parameters.push(Parameter { name: name.text.clone(), ty });
        }
        let guard = written.guard.as_ref().map(|guard| self.condition(guard));
        let body = self.body(&written.body, first_parameter);
        let body = match guard {
            Some(guard) => Body::Guarded(guard?, Box::new(body?)),
            None => body?,
        };
        Ok(Action {
            kind: written.kind,
            name: written.name.text.clone(),
            text: written.text.clone(),
            parameters,
            first_parameter,
            body,
            extent: written.name.extent,
        })
    }

    fn condition(&mut self, written: &Written) -> Parsed<Expr> {
        Checker::new(&self.scope, self.diagnostics).condition(written)
    }

    fn body(&mut self, written: &syntax::Body, parameters: usize) -> Parsed<Body> {
        Ok(match &written.kind {
            BodyKind::Skip => Body::Skip,
            BodyKind::Assign(assignment) => Body::Assign(self.assignment(assignment, parameters)?),
            BodyKind::Any { target, lo, hi } => {
                let variable = self.target(target, parameters)?;
                let ty = self.scope.variable(variable).ty.clone();
                if ty.range().is_none() {
                    let message = format!("`:in` chooses a number, but `{}` is of type {ty}", target.text);
                    self.diagnostics.error(spec::code::Code::TypeMismatch, Some(target.extent.span), message);
                    return Err(Reported);
                }
                let mut checker = Checker::new(&self.scope, self.diagnostics);
                let (lo, hi) = (bound(&mut checker, lo), bound(&mut checker, hi));
                Body::Any { target: variable, lo: lo?, hi: hi?, extent: written.extent }
            }
            BodyKind::Guarded { guard, body } => {
                let guard = self.condition(guard);
                let body = self.body(body, parameters);
                Body::Guarded(guard?, Box::new(body?))
            }
            BodyKind::Sequence(parts) => Body::Sequence(self.parts(parts, parameters)?),
            BodyKind::Prioritised(parts) => Body::Prioritised(self.parts(parts, parameters)?),
            BodyKind::Choice(parts) => Body::Choice(self.parts(parts, parameters)?),
        })
    }
    /// All parts are looked at before the first error returns.
    fn parts(&mut self, parts: &[syntax::Body], parameters: usize) -> Parsed<Vec<Body>> {
        let checked: Vec<Parsed<Body>> = parts.iter().map(|part| self.body(part, parameters)).collect();
        checked.into_iter().collect()
    }
    fn assignment(&mut self, written: &Assignment, parameters: usize) -> Parsed<Vec<(VariableId, Expr)>> {
        let mut found: Vec<(VariableId, Expr)> = Vec::new();
        let mut result = Ok(());
        for (target, value) in written.targets.iter().zip(&written.values) {
            let Ok(variable) = self.target(target, parameters) else {
                result = Err(Reported);
                continue;
            };
            if found.iter().any(|(earlier, _)| *earlier == variable) {
                let message = format!("`{}` gets two values at once", target.text);
                self.diagnostics.error(Code::BadBody, Some(target.extent.span), message);
                result = Err(Reported);
                continue;
            }
            let ty = self.scope.variable(variable).ty.clone();
            match Checker::new(&self.scope, self.diagnostics).assigned(value, &ty) {
                Ok(value) => found.push((variable, value)),
                Err(Reported) => result = Err(Reported),
            }
        }
        result.map(|()| found)
    }
    /// A variable that an action may change: no parameter.
    fn target(&mut self, name: &Name, parameters: usize) -> Parsed<VariableId> {
        let variable = self.scope.expect_variable(name, self.diagnostics)?;
        if model::id::Id::index(variable) >= parameters {
            let message = format!("`{}` is a parameter: it has the value of the label", name.text);
            self.diagnostics.error(spec::code::Code::WrongKind, Some(name.extent.span), message);
            return Err(Reported);
        }
        Ok(variable)
    }

    fn block(&mut self, file: &File) -> Parsed<Block> {
        let mut blocks = file.items.iter().filter_map(|item| match item {
            Item::Block(block) => Some(block),
            _ => None,
        });
        let Some(block) = blocks.next() else {
            return Ok(Block::Choice((0..self.actions.len()).map(Block::Action).collect()));
        };
        if blocks.next().is_some() {
            self.diagnostics.error(
                Code::Incomplete,
                None,
                "a system has one `do ... od` block, here are two",
            );
            return Err(Reported);
        }
        let block = self.joined(block)?;
        let mut is_used = vec![false; self.actions.len()];
        block.for_each_action(&mut |action| is_used[action] = true);
        for (action, _) in self.actions.iter().zip(is_used).filter(|(_, is_used)| !is_used) {
            let message = format!("the block does not mention the action `{}`: it never moves", action.name);
            self.diagnostics.warning(Code::NotInBlock, Some(action.extent.span), message);
        }
        Ok(block)
    }
    fn joined(&mut self, written: &syntax::Block) -> Parsed<Block> {
        let mut all =
            |parts: &[syntax::Block]| parts.iter().map(|part| self.joined(part)).collect::<Parsed<_>>();
        match written {
            syntax::Block::Choice(parts) => all(parts).map(Block::Choice),
            syntax::Block::Prioritised(parts) => all(parts).map(Block::Prioritised),
            syntax::Block::Action(name) => {
                let found = self.actions.iter().position(|action| action.name == name.text);
                found.map(Block::Action).ok_or_else(|| {
                    // What is wrong with an action was reported where it is declared.
                    if self.names.iter().any(|known| known.text == name.text) {
                        return Reported;
                    }
                    let message = format!("there is no action `{}`", name.text);
                    let error = self.diagnostics.error(
                        spec::code::Code::UnknownName,
                        Some(name.extent.span),
                        message,
                    );
                    let names = self.actions.iter().map(|action| action.name.as_str());
                    if let Some(near) = spec::language::nearest(&name.text, names) {
                        error.advice(format!("did you mean `{near}`?"));
                    }
                    Reported
                })
            }
        }
    }
}

/// A bound of `:in`: a number.
fn bound(checker: &mut Checker<'_>, written: &Written) -> Parsed<Expr> {
    let expr = checker.expression(written)?;
    if expr.ty().range().is_some() {
        return Ok(expr);
    }
    let message = format!("a bound of `:in` is a number, found {}", expr.ty());
    checker.diagnostics.error(spec::code::Code::TypeMismatch, Some(expr.extent().span), message);
    Err(Reported)
}
