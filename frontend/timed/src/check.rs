//! From syntax trees to typed systems.

use crate::code::Code;
use crate::linear;
use crate::syntax::{self, Declaration, File};
use crate::system::{Action, Channel, Data, Direction, Edge, Goal, Purpose, System};
use frontend::diagnostics::Diagnostics;
use num_rational::BigRational;
use num_traits::Signed;
use spec::check::Checker;
use spec::code::Code as CoreCode;
use spec::fit::{Fit, fit};
use spec::lexer::Extent;
use spec::parser::{Parsed, Reported};
use spec::scope::{Scope, Variable, VariableId};
use spec::syntax::{Assignment, Common, Name};
use spec::typed::Expr;
use spec::types::Type;
use spec::value::Value;
use std::collections::HashMap;

/// Types that variables get: of clocks, and in place of `rational`.
pub struct Numbers<'a> {
    /// The type of a clock.
    pub clock: &'a dyn Fn(&str) -> Type,
    /// The type of rational data.
    pub rational: Type,
}

/// The typed system of a file, in dense time.
///
/// # Errors
/// Whatever is wrong has been reported, with all that could be found beside it.
pub fn check(file: &File, scope: Scope, diagnostics: &mut Diagnostics) -> Parsed<System> {
    let dense = Numbers { clock: &|_| Type::Rational, rational: Type::Rational };
    check_with(file, scope, &dense, diagnostics)
}

/// As [`check`], with other types of numbers: of a search over ticks. `scope` has the values of the
/// command line for constants and nothing else.
///
/// # Errors
/// As [`check`].
pub fn check_with(
    file: &File,
    scope: Scope,
    numbers: &Numbers<'_>,
    diagnostics: &mut Diagnostics,
) -> Parsed<System> {
    let system = System {
        name: String::new(),
        scope,
        data: Vec::new(),
        clocks: Vec::new(),
        channels: Vec::new(),
        states: Vec::new(),
        finals: Vec::new(),
        edges: Vec::new(),
        purposes: Vec::new(),
        goals: Vec::new(),
        timeout: None,
        tick: None,
    };
    let mut builder = Builder { system, numbers, diagnostics, failed: false };
    builder.file(file);
    if builder.failed { Err(Reported) } else { Ok(builder.system) }
}

struct Builder<'a, 'd> {
    system: System,
    numbers: &'a Numbers<'a>,
    diagnostics: &'d mut Diagnostics,
    failed: bool,
}

impl Builder<'_, '_> {
    fn keep<T>(&mut self, result: Parsed<T>) -> Option<T> {
        self.failed |= result.is_err();
        result.ok()
    }
    fn error(&mut self, code: Code, place: Extent, message: impl Into<String>) -> Reported {
        self.failed = true;
        self.diagnostics.error(code, Some(place.span), message);
        Reported
    }

    /// Declares in the order in which names may be used.
    fn file(&mut self, file: &File) {
        let all = &file.declarations;
        for declaration in all {
            if let Declaration::Common(common @ (Common::Const { .. } | Common::Type { .. })) = declaration {
                let declared = self.system.scope.declare_common(common, self.diagnostics);
                self.keep(declared);
            }
        }
        self.system.scope.check_overrides(self.diagnostics);
        for declaration in all {
            self.variables(declaration);
        }
        for declaration in all {
            match declaration {
                Declaration::Common(common @ Common::Define { .. }) => {
                    let declared = self.system.scope.declare_common(common, self.diagnostics);
                    self.keep(declared);
                }
                Declaration::Channels { is_input, channels } => {
                    channels.iter().for_each(|channel| self.channel(channel, *is_input));
                }
                _ => {}
            }
        }
        self.once(all);
        for declaration in all {
            if let Declaration::Edge(edge) = declaration {
                let edge = self.edge(edge);
                if let Some(edge) = self.keep(edge) {
                    self.system.edges.push(edge);
                }
            }
        }
        let has_broken_edges = self.failed;
        for declaration in all {
            match declaration {
                Declaration::Final(names) => names.iter().for_each(|name| self.final_state(name)),
                Declaration::Purpose { name, edges } if !has_broken_edges => self.purpose(name, edges),
                Declaration::Goal(goal, place) => self.goal(goal, *place),
                _ => {}
            }
        }
        self.goals_once();
        self.warn_of_clocks();
    }

    fn variables(&mut self, declaration: &Declaration) {
        match declaration {
            Declaration::Data { is_param, names, ty, initial } => {
                let resolved = self.system.scope.resolve(ty, self.diagnostics);
                let allowed = resolved.and_then(|found| self.allowed(found, ty.extent));
                let Some(ty) = self.keep(allowed) else {
                    names.iter().for_each(|name| self.system.scope.declare_broken(name));
                    return;
                };
                let value = initial.as_ref().map(|initial| self.initial(initial, &ty));
                let value = match value {
                    None => None,
                    Some(value) => match self.keep(value) {
                        None => return names.iter().for_each(|name| self.system.scope.declare_broken(name)),
                        value => value,
                    },
                };
                let role = if *is_param { "parameter" } else { "variable" };
                for name in names {
                    if let Some(variable) = self.declare(name, ty.clone(), role) {
                        self.system.data.push(Data { variable, is_param: *is_param, initial: value.clone() });
                    }
                }
            }
            Declaration::Clocks(names) => {
                for name in names {
                    let ty = (self.numbers.clock)(&name.text);
                    let declared = self.declare(name, ty, "clock");
                    self.system.clocks.extend(declared);
                }
            }
            _ => {}
        }
    }
    fn declare(&mut self, name: &Name, ty: Type, role: &'static str) -> Option<VariableId> {
        let variable =
            Variable { name: name.text.clone(), ty, role, can_be_primed: false, extent: name.extent };
        let declared = self.system.scope.declare(variable, self.diagnostics);
        self.keep(declared)
    }
    fn initial(&mut self, initial: &spec::syntax::Expr, ty: &Type) -> Parsed<Value> {
        let mut checker = Checker::new(&self.system.scope, self.diagnostics);
        let (value, found) = checker.constant(initial)?;
        checker.coerced(Expr::constant(value.clone(), found, initial.extent), ty)?;
        if ty.contains(&value) {
            return Ok(value);
        }
        let message = format!("{value} is no value of {ty}");
        self.diagnostics.error(CoreCode::TypeMismatch, Some(initial.extent.span), message);
        Err(Reported)
    }
    /// A type that timed systems have.
    fn allowed(&mut self, ty: Type, place: Extent) -> Parsed<Type> {
        match ty {
            Type::Bool | Type::Number(_) | Type::Set(_) | Type::Enum(_) => Ok(ty),
            Type::Rational => Ok(self.numbers.rational.clone()),
            Type::Machine { .. } | Type::Float(_) => {
                let message = format!("timed systems compute with exact numbers, not with {ty}");
                self.diagnostics
                    .error(Code::TimedType, Some(place.span), message)
                    .advice("`lo..hi`, `lo..hi step d`, `bool`, enumerations and `rational` are their types");
                Err(Reported)
            }
        }
    }

    fn channel(&mut self, channel: &syntax::Channel, is_input: bool) {
        if let Some(known) = self.system.channels.iter().find(|known| known.name == channel.name.text) {
            let first = known.extent.span;
            let message = format!("the channel `{}` is declared twice", channel.name.text);
            self.failed = true;
            self.diagnostics
                .error(CoreCode::DeclaredTwice, Some(channel.name.extent.span), message)
                .related("first here", first);
            return;
        }
        let mut args = Vec::new();
        for arg in &channel.args {
            let Some(written) = arg else {
                if is_input {
                    self.error(
                        Code::UnboundedInt,
                        channel.name.extent,
                        "values of inputs need bounds: `lo..hi`",
                    );
                }
                args.push(None);
                continue;
            };
            let resolved = self.system.scope.resolve(written, self.diagnostics);
            let allowed = resolved.and_then(|found| self.allowed(found, written.extent));
            args.push(self.keep(allowed));
        }
        let direction = match (is_input, channel.is_uncontrollable) {
            (false, _) => Direction::Output,
            (true, true) => Direction::Uncontrollable,
            (true, false) => Direction::Input,
        };
        let name = channel.name.text.clone();
        self.system.channels.push(Channel { name, direction, args, extent: channel.name.extent });
    }

    /// What may stand once.
    fn once(&mut self, all: &[Declaration]) {
        let mut initial: Option<&Name> = None;
        for declaration in all {
            match declaration {
                Declaration::System(name) if self.system.name.is_empty() => {
                    self.system.name.clone_from(&name.text);
                }
                Declaration::System(name) => {
                    self.error(Code::Declarations, name.extent, "a file describes one system");
                }
                Declaration::Initial(name) if initial.is_none() => initial = Some(name),
                Declaration::Initial(name) => {
                    self.error(Code::Declarations, name.extent, "there is one initial state");
                }
                Declaration::Timeout(value) => self.system.timeout = self.positive(value),
                Declaration::Tick(value) => self.system.tick = self.positive(value),
                _ => {}
            }
        }
        let Some(name) = initial else {
            self.failed = true;
            let message = "no state is initial";
            let named = all.iter().find_map(|declaration| match declaration {
                Declaration::System(name) => Some(name.extent.span),
                _ => None,
            });
            self.diagnostics.error(Code::Declarations, named, message).advice("write `initial NAME`");
            return;
        };
        let from_it = |declaration: &Declaration| matches!(declaration, Declaration::Edge(edge) if edge.from.text == name.text);
        if !all.iter().any(from_it) {
            let message = format!("no transition starts in the initial state `{}`", name.text);
            self.error(Code::Declarations, name.extent, message);
        }
        self.system.states.push(name.text.clone());
    }
    fn positive(&mut self, value: &spec::syntax::Expr) -> Option<BigRational> {
        let found = Checker::new(&self.system.scope, self.diagnostics).constant(value);
        let (found, _) = self.keep(found)?;
        match found.as_number() {
            Some(number) if number.is_positive() => Some(number),
            _ => {
                self.error(Code::Declarations, value.extent, "a time above 0 has to stand here");
                None
            }
        }
    }

    fn state(&mut self, name: &Name) -> usize {
        let known = self.system.states.iter().position(|known| *known == name.text);
        known.unwrap_or_else(|| {
            self.system.states.push(name.text.clone());
            self.system.states.len() - 1
        })
    }
    fn known_state(&mut self, name: &Name) -> Option<usize> {
        let known = self.system.states.iter().position(|known| *known == name.text);
        if known.is_none() {
            let message = format!("no transition starts or ends in `{}`", name.text);
            self.failed = true;
            let error = self.diagnostics.error(CoreCode::UnknownName, Some(name.extent.span), message);
            let names = self.system.states.iter().map(String::as_str);
            if let Some(nearest) = spec::language::nearest(&name.text, names) {
                error.advice(format!("did you mean `{nearest}`?"));
            }
        }
        known
    }
    fn final_state(&mut self, name: &Name) {
        let state = self.known_state(name);
        self.system.finals.extend(state);
    }

    fn edge(&mut self, edge: &syntax::Edge) -> Parsed<Edge> {
        let (from, to) = (self.state(&edge.from), self.state(&edge.to));
        if let Some(known) = self.system.edges.iter().find(|known| known.name == edge.name.text) {
            let first = known.extent.span;
            let message = format!("the transition `{}` is declared twice", edge.name.text);
            self.diagnostics
                .error(CoreCode::DeclaredTwice, Some(edge.name.extent.span), message)
                .related("first here", first);
            return Err(Reported);
        }
        let guard = match &edge.guard {
            Some(guard) => Checker::new(&self.system.scope, self.diagnostics).condition(guard),
            None => Ok(Expr::truth(true, edge.name.extent)),
        };
        let guard = guard.and_then(|guard| {
            linear::check_guard(&guard, &self.system, self.diagnostics)?;
            Ok(guard)
        });
        let action = self.action(edge);
        let resets: Vec<Parsed<usize>> = edge.resets.iter().map(|name| self.clock(name)).collect();
        let updates: Vec<Parsed<Vec<(VariableId, Expr)>>> =
            edge.updates.iter().map(|update| self.update(update)).collect();
        let updates: Vec<(VariableId, Expr)> =
            updates.into_iter().collect::<Parsed<Vec<_>>>()?.into_iter().flatten().collect();
        for (index, (variable, value)) in updates.iter().enumerate() {
            if updates[..index].iter().any(|(other, _)| other == variable) {
                let message = format!("`{}` is assigned twice", self.system.name_of(*variable));
                self.diagnostics.error(CoreCode::DeclaredTwice, Some(value.extent().span), message);
                return Err(Reported);
            }
        }
        let guard = guard?;
        if guard.as_constant() == Some(&Value::Bool(false)) {
            let message = format!("`{}` can never be taken", edge.name.text);
            self.diagnostics.warning(Code::NeverEnabled, Some(guard.extent().span), message);
        }
        let (channel, action) = action?;
        let resets = resets.into_iter().collect::<Parsed<_>>()?;
        let (name, extent) = (edge.name.text.clone(), edge.name.extent);
        Ok(Edge { name, from, to, guard, channel, action, resets, updates, extent })
    }

    fn action(&mut self, edge: &syntax::Edge) -> Parsed<(usize, Action)> {
        let name = &edge.channel;
        let Some(position) = self.system.channel_named(&name.text) else {
            let message = format!("there is no channel `{}`", name.text);
            let error = self.diagnostics.error(CoreCode::UnknownName, Some(name.extent.span), message);
            let names = self.system.channels.iter().map(|channel| channel.name.as_str());
            if let Some(nearest) = spec::language::nearest(&name.text, names) {
                error.advice(format!("did you mean `{nearest}`?"));
            }
            return Err(Reported);
        };
        let channel = self.system.channels[position].clone();
        let is_output = channel.direction == Direction::Output;
        let count = match &edge.action {
            syntax::Action::Receive(names) => names.len(),
            syntax::Action::Send(terms) => terms.len(),
        };
        if is_output != matches!(edge.action, syntax::Action::Send(_)) {
            let (what, sign) = if is_output { ("output", '!') } else { ("input", '?') };
            let message = format!("`{}` is an {what}: write `{}{sign}`", channel.name, channel.name);
            self.diagnostics
                .error(CoreCode::WrongKind, Some(name.extent.span), message)
                .related("declared here", channel.extent.span);
            return Err(Reported);
        }
        if count != channel.args.len() {
            let message = format!("`{}` has {} values, not {count}", channel.name, channel.args.len());
            self.diagnostics
                .error(CoreCode::ArgumentCount, Some(name.extent.span), message)
                .related("declared here", channel.extent.span);
            return Err(Reported);
        }
        let action = match &edge.action {
            syntax::Action::Receive(names) => Action::Receive(self.received(names, &channel)?),
            syntax::Action::Send(terms) => Action::Send(self.sent(terms, &channel)?),
        };
        Ok((position, action))
    }
    fn received(&mut self, names: &[Name], channel: &Channel) -> Parsed<Vec<VariableId>> {
        let mut variables = Vec::new();
        for (name, arg) in names.iter().zip(&channel.args) {
            let variable = self.changeable(name)?;
            if variables.contains(&variable) {
                let message = format!("`{}` receives two values", name.text);
                self.diagnostics.error(CoreCode::DeclaredTwice, Some(name.extent.span), message);
                return Err(Reported);
            }
            let ty = self.system.ty(variable).clone();
            if let Some(arg) = arg {
                let is_number = |ty: &Type| ty.is_exact() || *ty == Type::Rational;
                if *arg != ty && !(is_number(arg) && is_number(&ty)) {
                    let message =
                        format!("`{}` is {ty}, the channel `{}` has {arg}", name.text, channel.name);
                    self.diagnostics.error(CoreCode::TypeMismatch, Some(name.extent.span), message);
                    return Err(Reported);
                }
            }
            variables.push(variable);
        }
        Ok(variables)
    }
    fn sent(&mut self, terms: &[spec::syntax::Expr], channel: &Channel) -> Parsed<Vec<Expr>> {
        let mut found = Vec::new();
        for (term, arg) in terms.iter().zip(&channel.args) {
            let mut checker = Checker::new(&self.system.scope, self.diagnostics);
            let expr = match arg {
                Some(ty) => checker.assigned(term, ty)?,
                None => checker.expression(term)?,
            };
            if arg.is_none() && !expr.ty().range().is_some_and(|range| range.is_integral()) {
                let message = format!("`{}` sends integers, not {}", channel.name, expr.ty());
                self.diagnostics.error(CoreCode::TypeMismatch, Some(term.extent.span), message);
                return Err(Reported);
            }
            linear::check_data(&expr, &self.system, self.diagnostics)?;
            found.push(expr);
        }
        Ok(found)
    }
    /// A data variable that may get a new value.
    fn changeable(&mut self, name: &Name) -> Parsed<VariableId> {
        let variable = self.system.scope.expect_variable(name, self.diagnostics)?;
        let is_variable = self.system.data.iter().any(|data| data.variable == variable && !data.is_param);
        if is_variable {
            return Ok(variable);
        }
        let known = self.system.scope.variable(variable);
        let message = format!("the {} `{}` cannot be assigned", known.role, known.name);
        let declared = known.extent.span;
        self.diagnostics
            .error(CoreCode::WrongKind, Some(name.extent.span), message)
            .related("declared here", declared);
        Err(Reported)
    }
    fn clock(&mut self, name: &Name) -> Parsed<usize> {
        let variable = self.system.scope.expect_variable(name, self.diagnostics)?;
        match self.system.clocks.iter().position(|&clock| clock == variable) {
            Some(position) => Ok(position),
            None => {
                let message = format!("`{}` is no clock", name.text);
                self.diagnostics.error(CoreCode::WrongKind, Some(name.extent.span), message);
                Err(Reported)
            }
        }
    }
    fn update(&mut self, update: &Assignment) -> Parsed<Vec<(VariableId, Expr)>> {
        let mut found = Vec::new();
        for (target, value) in update.targets.iter().zip(&update.values) {
            let variable = self.changeable(target)?;
            let ty = self.system.ty(variable).clone();
            let value = Checker::new(&self.system.scope, self.diagnostics).assigned(value, &ty)?;
            linear::check_data(&value, &self.system, self.diagnostics)?;
            if fit(&value, &ty) != Fit::Always {
                let message = format!(
                    "where this leaves {ty}, the range of `{}`, the transition cannot be taken",
                    target.text
                );
                self.diagnostics.warning(Code::MayLeaveRange, Some(value.extent().span), message);
            }
            found.push((variable, value));
        }
        Ok(found)
    }

    fn purpose(&mut self, name: &Name, edges: &[Name]) {
        if let Some(known) = self.system.purpose(&name.text) {
            let first = known.extent.span;
            let message = format!("the purpose `{}` is declared twice", name.text);
            self.failed = true;
            self.diagnostics
                .error(CoreCode::DeclaredTwice, Some(name.extent.span), message)
                .related("first here", first);
            return;
        }
        let mut path: Vec<usize> = Vec::new();
        let mut at = 0;
        for edge in edges {
            let Some(found) = self.system.edges.iter().position(|known| known.name == edge.text) else {
                let message = format!("there is no transition `{}`", edge.text);
                self.failed = true;
                let error = self.diagnostics.error(CoreCode::UnknownName, Some(edge.extent.span), message);
                let names = self.system.edges.iter().map(|edge| edge.name.as_str());
                if let Some(nearest) = spec::language::nearest(&edge.text, names) {
                    error.advice(format!("did you mean `{nearest}`?"));
                }
                return;
            };
            if self.system.edges[found].from != at {
                let starts = &self.system.states[self.system.edges[found].from];
                let before = match path.last() {
                    Some(&last) => format!("`{}` ends", self.system.edges[last].name),
                    None => "the system starts".to_owned(),
                };
                let message = format!(
                    "{before} in `{}`, and `{}` starts in `{starts}`",
                    self.system.states[at], edge.text
                );
                self.error(Code::PurposeBroken, edge.extent, message);
                return;
            }
            at = self.system.edges[found].to;
            path.push(found);
        }
        let last = path.last().map(|&edge| self.system.channel(&self.system.edges[edge]).direction);
        if last.is_some_and(|direction| direction != Direction::Output) {
            let message =
                format!("`{}` ends in an input, behind which there is nothing to observe", name.text);
            self.error(Code::PurposeEndsInInput, edges[edges.len() - 1].extent, message);
            return;
        }
        self.system.purposes.push(Purpose { name: name.text.clone(), edges: path, extent: name.extent });
    }

    fn goal(&mut self, goal: &syntax::Goal, place: Extent) {
        let goal = match goal {
            syntax::Goal::Transitions => Goal::Transitions(place),
            syntax::Goal::Pairs => Goal::Pairs(place),
            syntax::Goal::States => Goal::States(place),
            syntax::Goal::Purposes => Goal::Purposes(place),
            syntax::Goal::Condition(name, condition) => {
                let checked = Checker::new(&self.system.scope, self.diagnostics).condition(condition);
                let Some(condition) = self.keep(checked) else { return };
                let linear = linear::check_guard(&condition, &self.system, self.diagnostics);
                if self.keep(linear).is_none() {
                    return;
                }
                Goal::Condition(name.text.clone(), condition, name.extent)
            }
        };
        self.system.goals.push(goal);
    }

    /// Goals of one name that are not the same are an error: reports tell them by it.
    fn goals_once(&mut self) {
        let mut known: HashMap<String, Extent> = HashMap::new();
        for goal in self.system.named_goals() {
            match known.get(&goal.name) {
                None => drop(known.insert(goal.name, goal.extent)),
                Some(first) => {
                    let message = format!("two goals are called `{}`", goal.name);
                    self.failed = true;
                    self.diagnostics
                        .error(CoreCode::DeclaredTwice, Some(goal.extent.span), message)
                        .related("the first one", first.span);
                }
            }
        }
    }

    fn warn_of_clocks(&mut self) {
        for &clock in &self.system.clocks {
            let reads = |expr: &Expr| expr.reads().iter().any(|read| read.variable == clock);
            let is_read = self.system.edges.iter().any(|edge| reads(&edge.guard))
                || self
                    .system
                    .goals
                    .iter()
                    .any(|goal| matches!(goal, Goal::Condition(_, expr, _) if reads(expr)));
            if !is_read && !self.failed {
                let variable = self.system.scope.variable(clock);
                let message = format!("no guard reads the clock `{}`", variable.name);
                self.diagnostics.warning(Code::ClockUnused, Some(variable.extent.span), message);
            }
        }
    }
}
