//! Syntax trees of timed symbolic systems.

use spec::lexer::Extent;
use spec::syntax::{Assignment, Common, Expr, Name, TypeExpr};

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its declarations in the order of the text.
    pub declarations: Vec<Declaration>,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// What all specification languages share.
    Common(Common),
    /// `timed NAME`.
    System(Name),
    /// `param x, y: T [= e]`, `var x: T [= e]`.
    Data {
        /// Whether the values never change.
        is_param: bool,
        /// The variables.
        names: Vec<Name>,
        /// Their type.
        ty: TypeExpr,
        /// The value at the start; none: unknown.
        initial: Option<Expr>,
    },
    /// `clock c, d`.
    Clocks(Vec<Name>),
    /// `input C(T, ..) [uncontrollable], ..`, `output C(T, ..), ..`.
    Channels {
        /// Whether the system receives on them.
        is_input: bool,
        /// The channels.
        channels: Vec<Channel>,
    },
    /// `initial q`.
    Initial(Name),
    /// `final q, r`.
    Final(Vec<Name>),
    /// `edge ..`.
    Edge(Box<Edge>),
    /// `purpose p = e.f.g`.
    Purpose {
        /// Its name.
        name: Name,
        /// The transitions in order.
        edges: Vec<Name>,
    },
    /// `goal transitions`, `goal NAME when e`.
    Goal(Goal, Extent),
    /// `timeout 5`.
    Timeout(Expr),
    /// `tick 1/2`.
    Tick(Expr),
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its name.
    pub name: Name,
    /// Types of the values of a message; none: `int`, integers without bounds.
    pub args: Vec<Option<TypeExpr>>,
    /// Whether others than the tester send on it.
    pub is_uncontrollable: bool,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its name.
    pub name: Name,
    /// Where it starts.
    pub from: Name,
    /// Where it ends.
    pub to: Name,
    /// When it can be taken; none: always.
    pub guard: Option<Expr>,
    /// The channel.
    pub channel: Name,
    /// What happens on it.
    pub action: Action,
    /// Clocks set to 0.
    pub resets: Vec<Name>,
    /// Assignments, all at once.
    pub updates: Vec<Assignment>,
}

/// What happens on a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `C?(x, y)`: values are received into variables.
    Receive(Vec<Name>),
    /// `C!(e, f)`: values are sent.
    Send(Vec<Expr>),
}

/// What is to be covered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Every transition.
    Transitions,
    /// Every pair of transitions that join.
    Pairs,
    /// Every state.
    States,
    /// Every purpose.
    Purposes,
    /// A condition on data and clocks after a step.
    Condition(Name, Expr),
}
