//! A machine of xLIA, and the syntax trees of this crate that mean the same.

use crate::code::Code;
use crate::syntax::{Action, Channel, Declaration, Edge, File};
use frontend::diagnostics::Diagnostics;
use spec::code::Code as CoreCode;
use spec::lexer::Extent;
use spec::parser::{Parsed, Reported};
use spec::syntax::{
    Assignment, BinaryOp, Common, Expr, ExprKind, Link, Name, Set, TypeExpr, TypeKind, UnaryOp,
};
use std::collections::{BTreeMap, BTreeSet};

/// A flat state machine.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) name: Name,
    pub(super) ports: Vec<Port>,
    pub(super) variables: Vec<Variable>,
    pub(super) states: Vec<State>,
    /// Values at the start.
    pub(super) initial: Vec<(Name, Expr)>,
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    /// Integers.
    Int,
    /// Integers from 0.
    Natural,
    /// Rationals.
    Rational,
    /// Rationals from 0.
    Duration,
    /// Truths.
    Bool,
}

#[derive(Debug)]
pub(super) struct Port {
    pub(super) name: Name,
    pub(super) is_input: bool,
    pub(super) args: Vec<(Scalar, Extent)>,
}

#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: Name,
    pub(super) scalar: Scalar,
    pub(super) is_const: bool,
    pub(super) is_clock: bool,
    pub(super) value: Option<Expr>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) name: Name,
    /// Whether runs begin here.
    pub(super) is_start: bool,
    pub(super) transitions: Vec<Transition>,
}

#[derive(Debug)]
pub(super) struct Transition {
    pub(super) name: Name,
    pub(super) to: Name,
    pub(super) statements: Vec<Statement>,
}

#[derive(Debug)]
pub(super) enum Statement {
    Input(Name, Vec<Name>),
    Output(Name, Vec<Expr>),
    Guard(Expr),
    Assign(Name, Expr),
}

/// The absolute values of the least and the greatest integer. Those without sign end with the
/// greatest, too, so that they can be sent where integers with sign are.
const INT: (&str, &str) = ("2147483648", "2147483647");

impl Scalar {
    fn tree(self, extent: Extent) -> TypeExpr {
        let number = |text: &str| Box::new(number(text, extent));
        let negative = |text| {
            Box::new(Expr { kind: ExprKind::Unary { op: UnaryOp::Negate, arg: number(text) }, extent })
        };
        let kind = match self {
            Self::Int => TypeKind::Range { lo: negative(INT.0), hi: number(INT.1), step: None },
            Self::Natural => TypeKind::Range { lo: number("0"), hi: number(INT.1), step: None },
            Self::Rational | Self::Duration => TypeKind::Word("rational"),
            Self::Bool => TypeKind::Word("bool"),
        };
        TypeExpr { kind, extent }
    }
}

fn number(text: &str, extent: Extent) -> Expr {
    Expr { kind: ExprKind::Number(text.to_owned()), extent }
}

impl Machine {
    /// The syntax trees of the machine.
    ///
    /// # Errors
    /// What has no counterpart has been reported.
    pub(super) fn trees(&self, diagnostics: &mut Diagnostics) -> Parsed<File> {
        let mut declarations = vec![Declaration::System(self.name.clone())];
        declarations.extend(self.ports.iter().map(|port| Declaration::Channels {
            is_input: port.is_input,
            channels: vec![Channel {
                name: port.name.clone(),
                args: port.args.iter().map(|(scalar, extent)| Some(scalar.tree(*extent))).collect(),
                is_uncontrollable: false,
            }],
        }));
        self.check_initial(diagnostics)?;
        declarations.extend(self.variables.iter().map(|variable| self.variable(variable)));
        let starts: Vec<&State> = self.states.iter().filter(|state| state.is_start).collect();
        let [start] = starts[..] else {
            let message = format!("one state has to be `< start >`, not {}", starts.len());
            diagnostics.error(Code::Declarations, Some(self.name.extent.span), message);
            return Err(Reported);
        };
        self.check_states(diagnostics)?;
        declarations.push(Declaration::Initial(start.name.clone()));
        let names = self.names();
        for state in &self.states {
            for transition in &state.transitions {
                let edge = self.edge(state, transition, &names, diagnostics)?;
                declarations.push(Declaration::Edge(Box::new(edge)));
            }
        }
        Ok(File { declarations })
    }
    fn variable(&self, variable: &Variable) -> Declaration {
        let name = variable.name.clone();
        if variable.is_clock {
            return Declaration::Clocks(vec![name]);
        }
        if let (true, Some(value)) = (variable.is_const, &variable.value) {
            return Declaration::Common(Common::Const { name, value: value.clone() });
        }
        let initial = self.initial.iter().rfind(|(other, _)| other.text == name.text);
        let initial = initial.map(|(_, value)| value).or(variable.value.as_ref()).cloned();
        let ty = variable.scalar.tree(name.extent);
        Declaration::Data { is_param: variable.is_const, names: vec![name], ty, initial }
    }
    /// What `@init` assigns are variables.
    fn check_initial(&self, diagnostics: &mut Diagnostics) -> Parsed<()> {
        for (name, _) in &self.initial {
            let is_variable =
                |known: &Variable| known.name.text == name.text && !known.is_const && !known.is_clock;
            if !self.variables.iter().any(is_variable) {
                let message = format!("`{}` is no variable that could have a value at the start", name.text);
                diagnostics.error(CoreCode::UnknownName, Some(name.extent.span), message);
                return Err(Reported);
            }
        }
        Ok(())
    }
    /// Targets of transitions are states, and states stand once.
    fn check_states(&self, diagnostics: &mut Diagnostics) -> Parsed<()> {
        let mut known = BTreeSet::new();
        for state in &self.states {
            if !known.insert(&state.name.text) {
                let message = format!("the state `{}` is declared twice", state.name.text);
                diagnostics.error(CoreCode::DeclaredTwice, Some(state.name.extent.span), message);
                return Err(Reported);
            }
        }
        for transition in self.states.iter().flat_map(|state| &state.transitions) {
            if !known.contains(&transition.to.text) {
                let message = format!("there is no state `{}`", transition.to.text);
                diagnostics.error(CoreCode::UnknownName, Some(transition.to.extent.span), message);
                return Err(Reported);
            }
        }
        Ok(())
    }
    /// How often each name of transitions stands.
    fn names(&self) -> BTreeMap<&str, usize> {
        let mut found: BTreeMap<&str, usize> = BTreeMap::new();
        for transition in self.states.iter().flat_map(|state| &state.transitions) {
            *found.entry(transition.name.text.as_str()).or_default() += 1;
        }
        found
    }

    fn edge(
        &self,
        state: &State,
        transition: &Transition,
        names: &BTreeMap<&str, usize>,
        diagnostics: &mut Diagnostics,
    ) -> Parsed<Edge> {
        let mut name = transition.name.clone();
        if names.get(name.text.as_str()).is_some_and(|&count| count > 1) {
            name.text = format!("{}.{}", state.name.text, name.text);
        }
        let mut doing = Doing::new(name.extent, self, diagnostics);
        if state.is_start {
            doing.conditions.extend(self.unsigned_parameters());
        }
        transition.statements.iter().try_for_each(|statement| doing.statement(statement))?;
        let Some((channel, action)) = doing.message else {
            let message =
                format!("in xLIA, transitions without a message, such as `{}`, are not supported", name.text);
            doing.diagnostics.error(Code::Xlia, Some(name.extent.span), message);
            return Err(Reported);
        };
        let conditions = std::mem::take(&mut doing.conditions);
        Ok(Edge {
            guard: all(conditions),
            channel,
            action,
            resets: doing.resets,
            updates: doing.updates,
            from: state.name.clone(),
            to: transition.to.clone(),
            name,
        })
    }
    /// That parameters whose type says so are at least 0.
    fn unsigned_parameters(&self) -> Vec<Expr> {
        let unsigned = self.variables.iter().filter(|variable| {
            variable.is_const && variable.value.is_none() && variable.scalar == Scalar::Duration
        });
        unsigned.map(|variable| at_least_zero(&variable.name)).collect()
    }
    fn variable_named(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name.text == name)
    }
}

/// What the statements of a transition have come to.
struct Doing<'m, 'd> {
    machine: &'m Machine,
    diagnostics: &'d mut Diagnostics,
    place: Extent,
    conditions: Vec<Expr>,
    has_guard: bool,
    message: Option<(Name, Action)>,
    resets: Vec<Name>,
    updates: Vec<Assignment>,
    /// New values, by variable.
    values: BTreeMap<String, Expr>,
}

impl<'m, 'd> Doing<'m, 'd> {
    fn new(place: Extent, machine: &'m Machine, diagnostics: &'d mut Diagnostics) -> Self {
        Self {
            machine,
            diagnostics,
            place,
            conditions: Vec::new(),
            has_guard: false,
            message: None,
            resets: Vec::new(),
            updates: Vec::new(),
            values: BTreeMap::new(),
        }
    }
    fn unsupported(&mut self, place: Extent, what: &str) -> Reported {
        let message = format!("in xLIA, {what} not supported");
        self.diagnostics.error(Code::Xlia, Some(place.span), message);
        Reported
    }
    fn statement(&mut self, statement: &Statement) -> Parsed<()> {
        match statement {
            Statement::Input(port, variables) => self.receive(port, variables),
            Statement::Output(port, terms) => {
                let terms = terms.iter().map(|term| self.now(term)).collect();
                self.send(port, Action::Send(terms))
            }
            Statement::Guard(condition) => {
                let condition = self.now(condition);
                self.conditions.push(condition);
                self.has_guard = true;
                Ok(())
            }
            Statement::Assign(name, value) => self.assign(name, value),
        }
    }
    fn send(&mut self, port: &Name, action: Action) -> Parsed<()> {
        if self.message.is_some() {
            return Err(self.unsupported(self.place, "transitions with several messages are"));
        }
        self.message = Some((port.clone(), action));
        Ok(())
    }
    fn receive(&mut self, port: &Name, variables: &[Name]) -> Parsed<()> {
        if !self.values.is_empty() || self.has_guard {
            return Err(self.unsupported(port.extent, "statements before an input are"));
        }
        let args = self.machine.ports.iter().find(|known| known.name.text == port.text);
        let args = args.map_or(&[][..], |port| &port.args);
        for (position, variable) in variables.iter().enumerate() {
            let own = self.machine.variable_named(&variable.text).map(|known| known.scalar);
            let of_port = args.get(position).map(|(scalar, _)| *scalar);
            if [own, of_port].contains(&Some(Scalar::Duration)) {
                self.conditions.push(at_least_zero(variable));
            }
        }
        self.send(port, Action::Receive(variables.to_vec()))
    }
    fn assign(&mut self, name: &Name, value: &Expr) -> Parsed<()> {
        let is_clock = self.machine.variable_named(&name.text).is_some_and(|known| known.is_clock);
        let value = self.now(value);
        if is_clock {
            if value.kind != ExprKind::Number("0".to_owned()) {
                return Err(self.unsupported(name.extent, "clocks that are set to anything but 0 are"));
            }
            if !self.resets.contains(name) {
                self.resets.push(name.clone());
            }
        } else {
            self.updates.retain(|update| update.targets[0].text != name.text);
            self.updates.push(Assignment { targets: vec![name.clone()], values: vec![value.clone()] });
        }
        self.values.insert(name.text.clone(), value);
        Ok(())
    }
    /// An expression with the new values of variables in it.
    fn now(&self, expr: &Expr) -> Expr {
        let part = |expr: &Expr| Box::new(self.now(expr));
        let kind = match &expr.kind {
            ExprKind::Name { name, primed: false } if self.values.contains_key(name) => {
                return self.values[name].clone();
            }
            ExprKind::Unary { op, arg } => ExprKind::Unary { op: *op, arg: part(arg) },
            ExprKind::Chain { first, rest } => ExprKind::Chain {
                first: part(first),
                rest: rest
                    .iter()
                    .map(|link| Link { operand: self.now(&link.operand), ..link.clone() })
                    .collect(),
            },
            ExprKind::In { arg, set } => ExprKind::In {
                arg: part(arg),
                set: match set {
                    Set::Range(lo, hi) => Set::Range(part(lo), part(hi)),
                    Set::Values(values) => Set::Values(values.iter().map(|value| self.now(value)).collect()),
                },
            },
            ExprKind::If { condition, then, otherwise } => {
                ExprKind::If { condition: part(condition), then: part(then), otherwise: part(otherwise) }
            }
            ExprKind::Call { function, args } => {
                ExprKind::Call { function: *function, args: args.iter().map(|arg| self.now(arg)).collect() }
            }
            ExprKind::Cast { cast, ty, arg } => {
                ExprKind::Cast { cast: *cast, ty: ty.clone(), arg: part(arg) }
            }
            ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Name { .. } => return expr.clone(),
        };
        Expr { kind, extent: expr.extent }
    }
}

fn at_least_zero(variable: &Name) -> Expr {
    let extent = variable.extent;
    let first = Expr { kind: ExprKind::Name { name: variable.text.clone(), primed: false }, extent };
    let link = Link { op: BinaryOp::GreaterEqual, place: extent, operand: number("0", extent) };
    Expr { kind: ExprKind::Chain { first: Box::new(first), rest: vec![link] }, extent }
}

/// The conjunction of some conditions; none where there are none.
fn all(conditions: Vec<Expr>) -> Option<Expr> {
    let mut conditions = conditions.into_iter();
    let first = conditions.next()?;
    let extent = first.extent;
    let rest: Vec<Link> =
        conditions.map(|operand| Link { op: BinaryOp::And, place: operand.extent, operand }).collect();
    Some(if rest.is_empty() {
        first
    } else {
        Expr { kind: ExprKind::Chain { first: Box::new(first), rest }, extent }
    })
}
