//! Syntax trees of action systems, without the common core.

use spec::lexer::Extent;
use spec::syntax::{Assignment, Common, Expr, Name, TypeExpr};

/// A file: declarations in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The name behind `system`.
    pub name: Option<Name>,
    /// The declarations.
    pub items: Vec<Item>,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// `const`, `type`, `define`.
    Common(Common),
    /// `var name : type := initial`.
    Variable(Variable),
    /// `ctr`, `obs` or `int`.
    Action(Box<Action>),
    /// `do ... od`.
    Block(Block),
}

/// A state variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: Name,
    /// The type of its values.
    pub ty: TypeExpr,
    /// Its initial value.
    pub initial: Expr,
}

/// Who takes an action, and who sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The tester's.
    Controllable,
    /// The system's, visible.
    Observable,
    /// The system's, invisible.
    Internal,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Controllable, Self::Observable, Self::Internal];
    /// The keyword.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Controllable => "ctr",
            Self::Observable => "obs",
            Self::Internal => "int",
        }
    }
}

/// `kind name(parameters) "text" when guard is body`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Who takes it.
    pub kind: Kind,
    /// Its name.
    pub name: Name,
    /// Name and type of each parameter.
    pub parameters: Vec<(Name, TypeExpr)>,
    /// What it means, in the user's words.
    pub text: Option<String>,
    /// The guard behind `when`.
    pub guard: Option<Expr>,
    /// What it does.
    pub body: Body,
}

/// What an action does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// What it is.
    pub kind: BodyKind,
    /// Where it stands.
    pub extent: Extent,
}

/// What a body is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// `skip`.
    Skip,
    /// `x, y := e, f`.
    Assign(Assignment),
    /// `x :in lo..hi`: any of these values.
    Any {
        /// The variable.
        target: Name,
        /// The least value.
        lo: Expr,
        /// The greatest value.
        hi: Expr,
    },
    /// `guard => body`.
    Guarded {
        /// The guard.
        guard: Expr,
        /// What follows it.
        body: Box<Body>,
    },
    /// `a; b`, at least two.
    Sequence(Vec<Body>),
    /// `a // b`, at least two: the first one that is enabled.
    Prioritised(Vec<Body>),
    /// `a [] b`, at least two.
    Choice(Vec<Body>),
}

/// How the do-od block joins actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// An action.
    Action(Name),
    /// `a // b`, at least two: the first one that has a step.
    Prioritised(Vec<Block>),
    /// `a [] b`, at least two.
    Choice(Vec<Block>),
}
