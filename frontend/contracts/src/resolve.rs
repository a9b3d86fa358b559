//! From syntax trees to typed interfaces.

use crate::code::Code;
use crate::interface::{Contract, Interface, Purpose, Requirement, Restriction, reads_before};
use crate::syntax::{self, File, Item, Moment, Role};
use frontend::diagnostics::Diagnostics;
use model::id::IdVec;
use spec::check::Checker;
use spec::lexer::Extent;
use spec::parser::{Parsed, Reported};
use spec::scope::{Scope, Variable, VariableId};
use spec::syntax::{Common, Expr as Tree, Name, TypeExpr};
use spec::typed::Expr;

/// The conjunction of the interfaces of some files. `scope` may hold values for constants from the
/// command line. What is wrong is reported; the interface then lacks it.
pub(crate) fn resolve(files: &[File], scope: Scope, diagnostics: &mut Diagnostics) -> Interface {
    let interface = Interface {
        name: String::new(),
        scope,
        roles: IdVec::default(),
        views: Vec::new(),
        requirements: Vec::new(),
        purposes: Vec::new(),
        environment: Vec::new(),
    };
    let mut resolver = Resolver { interface, views: Vec::new(), names: Vec::new(), diagnostics };
    let items = || files.iter().flat_map(|file| &file.items);
    for item in items() {
        if let Item::Common(common @ (Common::Const { .. } | Common::Type { .. })) = item {
            // What is wrong with it is reported; so below.
            let _ = resolver.interface.scope.declare_common(common, resolver.diagnostics);
        }
    }
    resolver.interface.scope.check_overrides(resolver.diagnostics);
    for file in files {
        resolver.declarations(file);
    }
    for item in items() {
        if let Item::Common(common @ Common::Define { .. }) = item {
            let _ = resolver.interface.scope.declare_common(common, resolver.diagnostics);
        }
    }
    for file in files {
        resolver.conditions(file);
    }
    resolver.interface
}

struct Resolver<'a> {
    interface: Interface,
    /// For each variable the view of its last declaration.
    views: Vec<(VariableId, usize)>,
    /// Names of requirements and purposes, and where they stand.
    names: Vec<(String, Extent)>,
    diagnostics: &'a mut Diagnostics,
}

impl Resolver<'_> {
    fn error(
        &mut self,
        code: Code,
        place: Extent,
        message: impl Into<String>,
    ) -> &mut frontend::diagnostics::Diagnostic {
        self.diagnostics.error(code, Some(place.span), message)
    }
    /// The number of a view, which is new unless the name is known.
    fn view(&mut self, name: &str) -> usize {
        let views = &mut self.interface.views;
        if let Some(known) = views.iter().position(|view| view == name) {
            return known;
        }
        views.push(name.to_owned());
        views.len() - 1
    }
    /// The view that belongs to no `view`: of the interface itself.
    fn own_view(&mut self, file: &File) -> usize {
        let name = file.items.iter().find_map(|item| match item {
            Item::Interface(name) => Some(name.text.clone()),
            _ => None,
        });
        let name = name.unwrap_or_default();
        if self.interface.views.is_empty() {
            self.interface.name.clone_from(&name);
        }
        self.view(&name)
    }

    /// Interface, views and variables.
    fn declarations(&mut self, file: &File) {
        let own = self.own_view(file);
        let mut view = own;
        for item in &file.items {
            match item {
                Item::View(name) => view = self.view(&name.text),
                Item::Purpose { .. } => view = own,
                Item::Variables { role, names, ty } => self.variables(*role, names, ty, view),
                _ => {}
            }
        }
    }
    fn variables(&mut self, role: Role, names: &[Name], ty: &TypeExpr, view: usize) {
        let resolved = self.interface.scope.resolve(ty, self.diagnostics);
        for name in names {
            let Ok(ty) = &resolved else {
                if self.interface.scope.meaning(&name.text).is_none() {
                    self.interface.scope.declare_broken(name);
                }
                continue;
            };
            if ty.count().is_none() {
                let message = format!("the values of {ty} cannot be enumerated");
                self.error(Code::NotFinite, name.extent, message)
                    .advice("`lo..hi step d` is a type of exact numbers with which it can work");
                self.interface.scope.declare_broken(name);
                continue;
            }
            let known = self.interface.scope.variable_named(&name.text);
            match known {
                Some(known) => self.shared(known, role, name, ty, view),
                None => self.new_variable(role, name, ty.clone(), view),
            }
        }
    }
    fn new_variable(&mut self, role: Role, name: &Name, ty: spec::types::Type, view: usize) {
        let described = if role == Role::Hidden { "hidden variable" } else { role.word() };
        let variable = Variable {
            name: name.text.clone(),
            ty,
            role: described,
            can_be_primed: true,
            extent: name.extent,
        };
        if let Ok(id) = self.interface.scope.declare(variable, self.diagnostics) {
            self.interface.roles.push(role);
            self.views.push((id, view));
        }
    }
    /// A variable of several views: one of them may give what another takes.
    fn shared(&mut self, known: VariableId, role: Role, name: &Name, ty: &spec::types::Type, view: usize) {
        let variable = self.interface.scope.variable(known).clone();
        let first = variable.extent.span;
        let found = self.interface.roles[known];
        let is_hidden = found == Role::Hidden || role == Role::Hidden;
        let last = self.views.iter_mut().find(|(id, _)| *id == known);
        let is_same_view = last.as_ref().is_some_and(|(_, last)| *last == view);
        let message = if is_same_view {
            format!("`{}` is declared twice", name.text)
        } else if variable.ty != *ty {
            format!("`{}` has type {} in another view, and {ty} here", name.text, variable.ty)
        } else if is_hidden && found != role {
            format!("`{}` is hidden in one view and not in another", name.text)
        } else {
            if found == Role::Input {
                self.interface.roles[known] = role;
            }
            if let Some((_, last)) = last {
                *last = view;
            }
            return;
        };
        self.error(Code::RolesDiffer, name.extent, message).related("first here", first);
    }

    /// Requirements, purposes and the environment.
    fn conditions(&mut self, file: &File) {
        let own = self.own_view(file);
        let mut view = own;
        for item in &file.items {
            match item {
                Item::View(name) => view = self.view(&name.text),
                Item::Requirement { name, text, contracts } => {
                    self.requirement(name, text.as_deref(), contracts, view);
                }
                Item::Purpose { name, text, body } => {
                    view = own;
                    // What is wrong is reported.
                    let _ = self.purpose(name, text.as_deref(), body);
                }
                Item::Environment(body) => {
                    let _ = self.environment(body);
                }
                Item::Interface(_) | Item::Common(_) | Item::Variables { .. } => {}
            }
        }
    }
    fn condition(&mut self, tree: &Tree) -> Parsed<Expr> {
        let expr = Checker::new(&self.interface.scope, self.diagnostics).condition(tree)?;
        if expr.defined().as_constant().is_none() {
            let message = "this may divide by zero: nothing is allowed where it does";
            self.diagnostics.warning(Code::MayDivideByZero, Some(tree.extent.span), message);
        }
        Ok(expr)
    }
    fn new_name(&mut self, name: &Name, what: &str) {
        let known = self.names.iter().find(|(known, _)| *known == name.text).map(|(_, first)| first.span);
        if let Some(first) = known {
            let message = format!("the name `{}` of this {what} is taken", name.text);
            self.error(Code::NameTwice, name.extent, message).related("first here", first);
        }
        self.names.push((name.text.clone(), name.extent));
    }

    fn requirement(&mut self, name: &Name, text: Option<&str>, contracts: &[syntax::Contract], view: usize) {
        self.new_name(name, "requirement");
        let mut requirement = Requirement {
            name: name.text.clone(),
            text: text.map(str::to_owned),
            view,
            initial: Vec::new(),
            update: Vec::new(),
            extent: name.extent,
        };
        for contract in contracts {
            let Ok(checked) = self.contract(contract) else { continue };
            if contract.moment != Moment::Later {
                requirement.initial.push(checked.clone());
            }
            if contract.moment != Moment::Initially {
                requirement.update.push(checked);
            }
        }
        self.interface.requirements.push(requirement);
    }
    fn contract(&mut self, contract: &syntax::Contract) -> Parsed<Contract> {
        let assumption = contract.assumption.as_ref().map(|tree| self.condition(tree)).transpose();
        let guarantee = self.condition(&contract.guarantee);
        let (assumption, guarantee) = (assumption?, guarantee?);
        if contract.moment != Moment::Later {
            let word = if contract.moment == Moment::Always { "always" } else { "initially" };
            let read = assumption.iter().chain([&guarantee]).flat_map(Expr::reads).find(|read| !read.primed);
            if let Some(read) = read {
                let name = self.interface.scope.variable(read.variable).name.clone();
                let message = format!("`{name}` without a prime is its value one step ago: step 0 has none");
                self.error(Code::UnprimedInitially, read.extent, message)
                    .advice(format!("`{word}` speaks of step 0; did you mean `{name}'`?"));
                return Err(Reported);
            }
        }
        if let Some(assumption) = &assumption {
            self.no_answers(assumption, Code::AnswerInAssumption, "an assumption")?;
        }
        Ok(Contract { assumption, guarantee, extent: contract.guarantee.extent })
    }
    /// A condition may not speak of what the system chooses in the same step.
    fn no_answers(&mut self, expr: &Expr, code: Code, what: &str) -> Parsed<()> {
        let is_answer = |read: &spec::typed::Read| {
            read.primed && self.interface.roles.get(read.variable).is_some_and(|role| *role != Role::Input)
        };
        let Some(read) = expr.reads().into_iter().find(is_answer) else { return Ok(()) };
        let name = self.interface.scope.variable(read.variable).name.clone();
        let message = format!("{what} over `{name}'`, which the system chooses in the same step");
        let advice = format!("`{name}` is its value one step ago; `guarantee a -> b` relates answers");
        self.error(code, read.extent, message).advice(advice);
        Err(Reported)
    }
    fn not_hidden(&mut self, expr: &Expr, what: &str) -> Parsed<()> {
        let is_hidden =
            |read: &spec::typed::Read| self.interface.roles.get(read.variable) == Some(&Role::Hidden);
        let Some(read) = expr.reads().into_iter().find(is_hidden) else { return Ok(()) };
        let name = self.interface.scope.variable(read.variable).name.clone();
        let message = format!("{what} over `{name}`, which is hidden: nobody can observe it");
        self.error(Code::HiddenPurpose, read.extent, message)
            .advice("speak of inputs and outputs that show it");
        Err(Reported)
    }

    fn purpose(&mut self, name: &Name, text: Option<&str>, body: &Tree) -> Parsed<()> {
        self.new_name(name, "purpose");
        let body = self.condition(body)?;
        self.not_hidden(&body, "a purpose")?;
        if !body.reads().iter().any(|read| read.primed) {
            let message = format!("the purpose `{}` says nothing of the current step", name.text);
            self.diagnostics
                .warning(Code::NoPrime, Some(name.extent.span), message)
                .advice("`x'` is the value now, `x` the one a step ago");
        }
        self.interface.purposes.push(Purpose {
            name: name.text.clone(),
            text: text.map(str::to_owned),
            needs_before: reads_before(&body),
            body,
            extent: name.extent,
        });
        Ok(())
    }
    fn environment(&mut self, body: &Tree) -> Parsed<()> {
        let condition = self.condition(body)?;
        self.no_answers(&condition, Code::AnswerInEnvironment, "a condition on the environment")?;
        self.not_hidden(&condition, "a condition on the environment")?;
        let needs_before = reads_before(&condition);
        self.interface.environment.push(Restriction { condition, needs_before });
        Ok(())
    }
}
