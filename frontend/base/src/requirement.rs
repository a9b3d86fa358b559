//! What must hold in all executions: the antecedents and consequents that a model states.

use crate::translated::{Location, SignalKind};
use model::system::{Goal, GoalId};
use model::term::{SymbolId, TermId};
use model::value::Value;

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
    /// The same as somebody sees it who looks at the system between steps, or why it cannot be seen
    /// so.
    pub observed: Result<Observed, Unobservable>,
}

/// A requirement over what memory holds between steps, whatever the steps do: what a rig can judge
/// by values that it measures.
///
/// Memory that steps write is read through symbols of its own ([`Translated::observed`]), unframed
/// as it is before the first step of the window, and [framed](model::term::TermPool::framed) by `k`
/// behind its `k`-th step. All other symbols are inputs.
///
/// [`Translated::observed`]: crate::Translated::observed
#[derive(Clone, Debug)]
pub struct Observed {
    /// Truth over the window: the requirement applies.
    pub antecedent: TermId,
    /// Truth over the window: what must hold then.
    pub expectation: TermId,
    /// The claims that the expectation consists of.
    pub claims: Vec<Claim>,
}

/// A symbol that stands for what a place of memory holds between steps.
#[derive(Clone, Debug)]
pub struct ObservedPlace {
    /// The symbol.
    pub symbol: SymbolId,
    /// How C reaches the place, as that of signals.
    pub lvalue: String,
    /// What it holds before the first step, where that is one value.
    pub initial: Option<Value>,
}

/// Why a requirement cannot be judged by somebody who looks at the system between steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unobservable {
    /// It stands in the code of the step.
    InStep,
    /// It asks for values of the step before its window.
    LooksBack,
    /// The front end does not know it so.
    Unknown,
}

impl Unobservable {
    /// The reason, as a clause.
    pub const fn text(self) -> &'static str {
        match self {
            Self::InStep => "it stands in the code of the step",
            Self::LooksBack => "it asks for values of the step before its window",
            Self::Unknown => "it is about the state of the model",
        }
    }
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
