//! What must hold in all executions: the antecedents and consequents that a model states.

use crate::translated::{Location, SignalKind};
use model::system::{Goal, GoalId};
use model::term::TermId;

/// What states a [`Requirement`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequirementKind {
    /// A property function, or a goal of the configuration with an expectation.
    Property,
    /// An assertion in the code of the step.
    Assertion,
    /// A call of an error function in the code of the step: no execution may reach it.
    Error,
    /// An operation in the code of the step that the language leaves undefined under some values.
    Hazard,
}

impl RequirementKind {
    /// Whether somebody stated it: that it never applies is worth knowing then.
    pub const fn is_stated(self) -> bool {
        !matches!(self, Self::Hazard)
    }

    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Property => "property",
            Self::Assertion => "assertion",
            Self::Error => "error",
            Self::Hazard => "hazard",
        }
    }
}

/// Something that must hold in all executions: wherever the antecedent of the statement holds, its
/// expectation does.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// What states it.
    pub kind: RequirementKind,
    /// The goal of the system that it belongs to, if there is one.
    pub goal: Option<GoalId>,
    /// Its name, which no other requirement has, where it was written, its window, and antecedent
    /// and expectation, which is always there.
    pub statement: Goal,
    /// The claims that the expectation consists of.
    pub claims: Vec<Claim>,
}

/// One claim at one time: the formula of an assertion in a round of a loop, an expectation.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Truth over the window: the claim is made and does not hold.
    pub fails: TermId,
    /// The formula as it was written.
    pub text: String,
    /// Where it was written.
    pub place: Option<Location>,
    /// What the formula reads.
    pub read: Vec<Reading>,
}

/// A value that a claim reads.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What is read, as C writes it.
    pub text: String,
    /// Its value over the window.
    pub value: TermId,
    /// Truth over the window: it is read. `a && b` reads `b` only where `a` holds.
    pub is_read: TermId,
    /// How its bits are to be read.
    pub kind: SignalKind,
}
