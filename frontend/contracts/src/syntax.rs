//! Syntax trees of requirement interfaces.

use spec::syntax::{Common, Expr, Name, TypeExpr};

/// The declarations of one file, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The declarations.
    pub items: Vec<Item>,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// `interface buffer`.
    Interface(Name),
    /// `const`, `type`, `define`.
    Common(Common),
    /// `input enq, deq : bool`.
    Variables {
        /// Who chooses and sees them.
        role: Role,
        /// Their names.
        names: Vec<Name>,
        /// Their type.
        ty: TypeExpr,
    },
    /// `view power`: what follows belongs to it, until the next view or purpose.
    View(Name),
    /// `req r1 "..." assume e guarantee f`.
    Requirement {
        /// The identifier.
        name: Name,
        /// What it says, in words.
        text: Option<String>,
        /// Its contracts.
        contracts: Vec<Contract>,
    },
    /// `purpose full: e`.
    Purpose {
        /// The name.
        name: Name,
        /// What it is for, in words.
        text: Option<String>,
        /// What is to be observed.
        body: Expr,
    },
    /// `environment e`: the inputs that occur.
    Environment(Expr),
}

/// Who chooses the values of a variable, and who sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The environment chooses them.
    Input,
    /// The system chooses them.
    Output,
    /// The system chooses them, and nobody else sees them.
    Hidden,
}

impl Role {
    /// The word that declares them.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::Hidden => "hidden",
        }
    }
}

/// In which steps a contract holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// `initially`: in step 0.
    Initially,
    /// No keyword: in every step but the first.
    Later,
    /// `always`: in every step.
    Always,
}

/// `[initially|always] [assume e] guarantee f`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// In which steps.
    pub moment: Moment,
    /// Under which condition.
    pub assumption: Option<Expr>,
    /// What is required.
    pub guarantee: Expr,
}
