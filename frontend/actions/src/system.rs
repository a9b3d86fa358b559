//! Typed action systems.

use crate::syntax::Kind;
use spec::lexer::Extent;
use spec::scope::{Scope, VariableId};
use spec::typed::Expr;
use spec::types::Type;
use spec::value::Value;

/// A state: one value for each variable, in their order.
pub type State = Box<[Value]>;

/// An action system whose names and types are right.
#[derive(Clone, Debug)]
pub struct System {
    /// Its name.
    pub name: String,
    /// All names.
    pub scope: Scope,
    /// The variables; the one at a position has that number as its [`VariableId`].
    pub variables: Vec<Variable>,
    /// The actions.
    pub actions: Vec<Action>,
    /// How they are joined.
    pub block: Block,
}

/// A state variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub ty: Type,
    /// Its initial value, one of the type.
    pub initial: Value,
    /// Where it is declared.
    pub extent: Extent,
}

/// A parameter of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub ty: Type,
}

/// An action.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Who takes it, and who sees it.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// What it means, in the user's words.
    pub text: Option<String>,
    /// Its parameters; their [`VariableId`]s follow each other from `first_parameter` on.
    pub parameters: Vec<Parameter>,
    /// The number of the first parameter among all variables of the scope.
    pub first_parameter: usize,
    /// What it does; the guard behind `when` is its outermost [`Body::Guarded`].
    pub body: Body,
    /// Where its name stands.
    pub extent: Extent,
}

/// What an action does: a relation between states before and after.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// The state stays.
    Skip,
    /// Variables get values, all at once.
    Assign(Vec<(VariableId, Expr)>),
    /// A variable gets any value between two bounds.
    Any {
        /// The variable.
        target: VariableId,
        /// The least value.
        lo: Expr,
        /// The greatest value.
        hi: Expr,
        /// Where it stands.
        extent: Extent,
    },
    /// The body, where the guard holds.
    Guarded(Expr, Box<Body>),
    /// One after the other.
    Sequence(Vec<Body>),
    /// The first that is enabled.
    Prioritised(Vec<Body>),
    /// Any of them.
    Choice(Vec<Body>),
}

impl Body {
    /// Calls `visit` with each guard, value and bound.
    pub fn for_each_expr(&self, visit: &mut impl FnMut(&Expr)) {
        match self {
            Self::Skip => {}
            Self::Assign(assignments) => assignments.iter().for_each(|(_, value)| visit(value)),
            Self::Any { lo, hi, .. } => [lo, hi].into_iter().for_each(visit),
            Self::Guarded(guard, body) => {
                visit(guard);
                body.for_each_expr(visit);
            }
            Self::Sequence(parts) | Self::Prioritised(parts) | Self::Choice(parts) => {
                parts.iter().for_each(|part| part.for_each_expr(visit));
            }
        }
    }
}

/// How actions are joined; positions are those of [`System::actions`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// An action.
    Action(usize),
    /// The first that has a step.
    Prioritised(Vec<Block>),
    /// Any of them.
    Choice(Vec<Block>),
}

impl Block {
    /// Whether no action waits for others to have no step.
    pub fn is_plain(&self) -> bool {
        match self {
            Self::Action(_) => true,
            Self::Prioritised(_) => false,
            Self::Choice(parts) => parts.iter().all(Self::is_plain),
        }
    }
    /// Calls `visit` with each action that is mentioned.
    pub fn for_each_action(&self, visit: &mut impl FnMut(usize)) {
        match self {
            Self::Action(action) => visit(*action),
            Self::Prioritised(parts) | Self::Choice(parts) => {
                parts.iter().for_each(|part| part.for_each_action(visit));
            }
        }
    }
    /// The actions that may take a step, where `has_step` says which have one.
    pub fn allowed<E>(&self, has_step: &mut impl FnMut(usize) -> Result<bool, E>) -> Result<Vec<usize>, E> {
        match self {
            Self::Action(action) => Ok(if has_step(*action)? { vec![*action] } else { Vec::new() }),
            Self::Choice(parts) => {
                let mut found = Vec::new();
                for part in parts {
                    found.extend(part.allowed(has_step)?);
                }
                found.sort_unstable();
                found.dedup();
                Ok(found)
            }
            Self::Prioritised(parts) => {
                for part in parts {
                    let found = part.allowed(has_step)?;
                    if !found.is_empty() {
                        return Ok(found);
                    }
                }
                Ok(Vec::new())
            }
        }
    }
}

impl System {
    /// The initial state.
    pub fn initial(&self) -> State {
        self.variables.iter().map(|variable| variable.initial.clone()).collect()
    }
    /// A state as users read it: `a = 6, off = 0`.
    pub fn show_state(&self, state: &[Value]) -> String {
        let parts = self.variables.iter().zip(state);
        let parts = parts.map(|(variable, value)| format!("{} = {}", variable.name, variable.ty.show(value)));
        parts.collect::<Vec<_>>().join(", ")
    }
    /// The label of a step as users read it: `after(20)`.
    pub fn show_label(&self, action: usize, args: &[Value]) -> String {
        let action = &self.actions[action];
        if args.is_empty() {
            return action.name.clone();
        }
        let args = action.parameters.iter().zip(args);
        let args: Vec<String> = args.map(|(parameter, value)| parameter.ty.show(value)).collect();
        format!("{}({})", action.name, args.join(", "))
    }
    /// The position of an action.
    pub fn action_named(&self, name: &str) -> Option<usize> {
        self.actions.iter().position(|action| action.name == name)
    }
}

impl Action {
    /// The value of a variable: a parameter's among `args`, another's in `state`.
    pub fn value(&self, variable: VariableId, state: &[Value], args: &[Value]) -> Value {
        let number = model::id::Id::index(variable);
        match number.checked_sub(self.first_parameter) {
            Some(position) if number >= state.len() => args[position].clone(),
            _ => state[number].clone(),
        }
    }
}
