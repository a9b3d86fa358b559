//! Typed requirement interfaces: the conjunction of all views.

use crate::syntax::Role;
use model::id::IdVec;
use spec::lexer::Extent;
use spec::scope::{Scope, VariableId};
use spec::typed::Expr;

/// An interface: the union of the variables and contracts of all its views.
#[derive(Clone, Debug)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// All names.
    pub scope: Scope,
    /// Who chooses each variable: an input that another view has as an output is an output.
    pub roles: IdVec<VariableId, Role>,
    /// The names of the views, in order; the first is the interface's own, which is empty where all
    /// stands in views.
    pub views: Vec<String>,
    /// The requirements, in order of the text.
    pub requirements: Vec<Requirement>,
    /// What is to be observed.
    pub purposes: Vec<Purpose>,
    /// Which inputs occur.
    pub environment: Vec<Restriction>,
}

/// A requirement.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// The identifier.
    pub name: String,
    /// What it says, in words.
    pub text: Option<String>,
    /// Position in [`Interface::views`].
    pub view: usize,
    /// Contracts on step 0.
    pub initial: Vec<Contract>,
    /// Contracts on each later step.
    pub update: Vec<Contract>,
    /// Where the identifier stands.
    pub extent: Extent,
}

/// Assumption and guarantee, which mean that the first implies the second. In an initial contract
/// all variables are primed.
#[derive(Clone, Debug)]
pub struct Contract {
    /// Truth over the step before and the inputs now; none where nothing is assumed.
    pub assumption: Option<Expr>,
    /// Truth over the step before and the step now.
    pub guarantee: Expr,
    /// Where it stands.
    pub extent: Extent,
}

/// What a test is to show.
#[derive(Clone, Debug)]
pub struct Purpose {
    /// The name.
    pub name: String,
    /// What it is for, in words.
    pub text: Option<String>,
    /// Truth over inputs and outputs of the step before and the step now.
    pub body: Expr,
    /// Whether it speaks of the step before: it then cannot be met in step 0.
    pub needs_before: bool,
    /// Where it stands.
    pub extent: Extent,
}

/// A condition on inputs.
#[derive(Clone, Debug)]
pub struct Restriction {
    /// Truth over the step before and the inputs now.
    pub condition: Expr,
    /// Whether it speaks of the step before: it then does not concern step 0.
    pub needs_before: bool,
}

impl Requirement {
    /// The contracts that hold in step 0, or those that hold in later steps.
    pub fn contracts(&self, is_first: bool) -> &[Contract] {
        if is_first { &self.initial } else { &self.update }
    }
    /// All contracts: on step 0, then on later steps. One that always holds stands in both lists.
    pub fn every_contract(&self) -> impl Iterator<Item = &Contract> {
        self.initial.iter().chain(&self.update)
    }
}

impl Interface {
    /// The variables of a role, in order of their declarations.
    pub fn variables(&self, role: Role) -> impl Iterator<Item = VariableId> + '_ {
        self.roles.iter().filter(move |(_, found)| **found == role).map(|(id, _)| id)
    }
    /// The variables that the system chooses, in order of their declarations.
    pub fn controlled(&self) -> impl Iterator<Item = VariableId> + '_ {
        self.roles.iter().filter(|(_, role)| **role != Role::Input).map(|(id, _)| id)
    }
    /// The variables that are seen from outside, in order of their declarations.
    pub fn observable(&self) -> impl Iterator<Item = VariableId> + '_ {
        self.roles.iter().filter(|(_, role)| **role != Role::Hidden).map(|(id, _)| id)
    }
    /// Number of initial and of update contracts.
    pub fn counts(&self) -> (usize, usize) {
        let sum = |is_first: bool| self.requirements.iter().map(|req| req.contracts(is_first).len()).sum();
        (sum(true), sum(false))
    }
    /// The names of the goals: requirements (their triggers), then purposes.
    pub fn goals(&self) -> impl Iterator<Item = &str> {
        let requirements = self.requirements.iter().map(|requirement| requirement.name.as_str());
        requirements.chain(self.purposes.iter().map(|purpose| purpose.name.as_str()))
    }
    /// Number of views that own something.
    pub fn view_count(&self) -> usize {
        let is_used = |view: usize| self.requirements.iter().any(|requirement| requirement.view == view);
        (0..self.views.len()).filter(|&view| view > 0 || is_used(view)).count()
    }
    /// The identifiers of some requirements.
    pub fn names(&self, requirements: impl IntoIterator<Item = usize>) -> Vec<String> {
        requirements.into_iter().map(|index| self.requirements[index].name.clone()).collect()
    }
}

/// Whether a truth speaks of the step before.
pub(crate) fn reads_before(expr: &Expr) -> bool {
    expr.reads().iter().any(|read| !read.primed)
}
