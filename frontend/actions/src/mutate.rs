//! Mutants: one small change each, in the syntax tree, so that each can be printed, applied and
//! checked alone.

mod operators;
mod walk;

use crate::check::check;
use crate::print::{body, written};
use crate::syntax::{Body, File};
use crate::system::System;
use frontend::diagnostics::Diagnostics;
use operators::Finder;
use spec::lexer::Extent;
use spec::scope::Scope;
use spec::syntax::{BinaryOp, Expr};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// What a mutant changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// A guard becomes `true`.
    GuardTrue,
    /// `=` becomes `!=`.
    Equal,
    /// `!=` becomes `=`.
    NotEqual,
    /// An integer constant becomes the next one.
    Constant,
    /// An initial value becomes the next one.
    Initial,
    /// A guard becomes `false`.
    GuardFalse,
    /// `<` becomes `<=`, and so on with `<=`, `>`, `>=`.
    Boundary,
    /// A comparison by order becomes its negation.
    Negated,
    /// `and` becomes `or`, and the other way round.
    Connective,
    /// `+` becomes `-`, and the other way round.
    Arithmetic,
    /// An integer constant becomes the one before.
    ConstantMinus,
    /// An assignment is left out.
    Removed,
}

impl Operator {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::GuardTrue,
        Self::Equal,
        Self::NotEqual,
        Self::Constant,
        Self::Initial,
        Self::GuardFalse,
        Self::Boundary,
        Self::Negated,
        Self::Connective,
        Self::Arithmetic,
        Self::ConstantMinus,
        Self::Removed,
    ];
    /// Those of the paper (section 5): guards, comparisons, constants.
    pub const PAPER: [Self; 5] =
        [Self::GuardTrue, Self::Equal, Self::NotEqual, Self::Constant, Self::Initial];

    /// The name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GuardTrue => "guard",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Constant => "constant",
            Self::Initial => "initial",
            Self::GuardFalse => "guard-false",
            Self::Boundary => "boundary",
            Self::Negated => "negated",
            Self::Connective => "connective",
            Self::Arithmetic => "arithmetic",
            Self::ConstantMinus => "constant-minus",
            Self::Removed => "removed",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

/// Which operators are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operators(pub Vec<Operator>);

impl FromStr for Operators {
    type Err = String;
    /// `paper`, `standard`, or names with commas between them.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut found = Vec::new();
        for name in text.split(',').map(str::trim) {
            match name {
                "paper" => found.extend(Operator::PAPER),
                "standard" => found.extend(Operator::ALL),
                _ => match Operator::ALL.into_iter().find(|operator| operator.name() == name) {
                    Some(operator) => found.push(operator),
                    None => {
                        let names: Vec<&str> = Operator::ALL.iter().map(|operator| operator.name()).collect();
                        let known = names.join(", ");
                        return Err(format!(
                            "there is no mutation operator `{name}`: paper, standard, {known}"
                        ));
                    }
                },
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(Self(found))
    }
}

/// What stands in place of what.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Replacement {
    /// An expression, by its number in the walk.
    Expr(usize, Expr),
    /// A statement, likewise.
    Body(usize, Body),
    /// An operator of a chain, by the number of the chain and its position there. Operands keep
    /// what else is changed in them.
    Operator(usize, usize, BinaryOp),
    /// The negation of an expression; its parts keep what else is changed in them.
    Negation(usize),
}

impl Replacement {
    /// The number of the node that is changed.
    fn node(&self) -> usize {
        match self {
            Self::Expr(node, _) | Self::Body(node, _) | Self::Operator(node, ..) | Self::Negation(node) => {
                *node
            }
        }
    }
    /// Whether the parts of the node stay.
    fn keeps_parts(&self) -> bool {
        matches!(self, Self::Operator(..) | Self::Negation(_))
    }
    fn apply(&self, node: walk::Node<'_>) {
        match (self, node) {
            (Self::Expr(_, new), walk::Node::Expr(expr)) => *expr = new.clone(),
            (Self::Body(_, new), walk::Node::Body(body)) => *body = new.clone(),
            (Self::Operator(_, position, op), walk::Node::Expr(expr)) => {
                if let Some((changed, _)) = operators::exchanged(expr, *position, *op) {
                    *expr = changed;
                }
            }
            (Self::Negation(_), walk::Node::Expr(expr)) => expr.kind = operators::negated(expr),
            _ => {}
        }
    }
}

/// A change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// What kind of change it is.
    pub operator: Operator,
    /// Where the changed part stands.
    pub extent: Extent,
    /// What stood there.
    pub old: String,
    /// What stands there now.
    pub new: String,
    replacement: Replacement,
    /// The numbers of the changed node and of its parts.
    nodes: Range<usize>,
    /// The second change, where there is one.
    pub further: Option<Box<Mutation>>,
}

impl Mutation {
    fn of_expr(operator: Operator, number: usize, old: &Expr, new: Expr) -> Self {
        let (extent, texts) = (old.extent, (written(old), written(&new)));
        Self {
            operator,
            extent,
            old: texts.0,
            new: texts.1,
            replacement: Replacement::Expr(number, new),
            nodes: 0..0,
            further: None,
        }
    }
    fn of_body(operator: Operator, number: usize, old: &Body, new: Body) -> Self {
        let (extent, texts) = (old.extent, (body(old), body(&new)));
        Self {
            operator,
            extent,
            old: texts.0,
            new: texts.1,
            replacement: Replacement::Body(number, new),
            nodes: 0..0,
            further: None,
        }
    }
    /// This change and another one, which is to be apart from it ([`Mutation::is_apart`]).
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self { further: Some(Box::new(other.clone())), ..self.clone() }
    }
    /// Whether neither of two changes undoes the other.
    pub fn is_apart(&self, other: &Self) -> bool {
        let is_within = |part: &Self, whole: &Self| whole.nodes.contains(&part.nodes.start);
        match (is_within(self, other), is_within(other, self)) {
            (true, true) => false,
            (true, false) => other.replacement.keeps_parts(),
            (false, true) => self.replacement.keeps_parts(),
            (false, false) => true,
        }
    }
    /// The changed file.
    pub fn apply(&self, file: &File) -> File {
        let mut changed = file.clone();
        walk::walk(&mut changed, &|_, _| None, &mut |nodes, node, _| {
            if let Some(replacement) = self.replacement_of(nodes.start) {
                replacement.apply(node);
            }
        });
        changed
    }
    /// What takes the place of a node of the walk.
    fn replacement_of(&self, number: usize) -> Option<&Replacement> {
        let all = std::iter::successors(Some(self), |mutation| mutation.further.as_deref());
        all.map(|mutation| &mutation.replacement).find(|replacement| replacement.node() == number)
    }
}

/// All mutations of a file by some operators, in the order of the text. `system` is what the file
/// describes.
pub fn mutations(file: &File, system: &System, operators: &Operators) -> Vec<Mutation> {
    let mut finder = Finder { system, operators, found: Vec::new() };
    let mut copy = file.clone();
    let lookup = |name: &str, action: Option<&str>| finder_type(system, name, action);
    walk::walk(&mut copy, &lookup, &mut |nodes, node, place| {
        let before = finder.found.len();
        match node {
            walk::Node::Expr(expr) => finder.expr(nodes.start, expr, place),
            walk::Node::Body(body) => finder.body(nodes.start, body),
        }
        finder.found[before..].iter_mut().for_each(|mutation| mutation.nodes = nodes.clone());
    });
    let mut found = finder.found;
    found.sort_by_key(|mutation| (mutation.extent.span, mutation.operator));
    found
}

/// The type of a variable, or of a parameter of an action.
fn finder_type(system: &System, name: &str, action: Option<&str>) -> Option<spec::types::Type> {
    let own = action.and_then(|action| system.action_named(action)).map(|position| &system.actions[position]);
    let parameters = own.into_iter().flat_map(|action| &action.parameters);
    let parameter = parameters.into_iter().find(|parameter| parameter.name == name);
    let variable = || system.variables.iter().find(|variable| variable.name == name);
    parameter.map(|parameter| parameter.ty.clone()).or_else(|| variable().map(|variable| variable.ty.clone()))
}

/// The system that a changed file describes; else why there is none. `scope` holds values of
/// constants from the command line, as for the original.
///
/// # Errors
/// The messages.
pub fn mutant(mutation: &Mutation, file: &File, scope: &Scope, stem: &str) -> Result<System, Diagnostics> {
    let changed = mutation.apply(file);
    let mut diagnostics = Diagnostics::default();
    check(&changed, scope.clone(), stem, &mut diagnostics).map_err(|_| diagnostics)
}
