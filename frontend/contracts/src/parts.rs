//! Independent parts of an interface: requirements that share no controlled variable, by way of
//! others or at once, are answered apart from each other. A set of them is not k-consistent if and
//! only if one part is not, since inputs are given and not agreed on.

use crate::game::{Arena, Ranks, START};
use crate::interface::Interface;
use crate::semantics::{Effort, Interest, Position, Semantics, Undecided};
use crate::syntax::Role;
use spec::scope::VariableId;
use spec::typed::Expr;

/// The parts of some requirements; each is ascending.
pub fn parts(interface: &Interface, requirements: &[usize]) -> Vec<Vec<usize>> {
    let is_controlled = |variable: &VariableId| interface.roles[*variable] != Role::Input;
    let restrictions = interface.environment.iter().map(|restriction| &restriction.condition);
    // Inputs that depend on answers connect all.
    if restrictions.flat_map(Expr::reads).any(|read| is_controlled(&read.variable)) {
        return vec![requirements.to_vec()];
    }
    let mut parts: Vec<(Vec<usize>, Vec<VariableId>)> = Vec::new();
    for &index in requirements {
        let requirement = &interface.requirements[index];
        let contracts = requirement.initial.iter().chain(&requirement.update);
        let exprs = contracts.flat_map(|contract| contract.assumption.iter().chain([&contract.guarantee]));
        let reads = exprs.flat_map(Expr::reads).map(|read| read.variable).filter(is_controlled);
        let mut merged = (vec![index], reads.collect::<Vec<_>>());
        let (touched, apart): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(_, variables)| variables.iter().any(|id| merged.1.contains(id)));
        for (members, variables) in touched {
            merged.0.extend(members);
            merged.1.extend(variables);
        }
        parts = apart;
        parts.push(merged);
    }
    let mut parts: Vec<Vec<usize>> = parts.into_iter().map(|(members, _)| members).collect();
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts.sort();
    parts
}

/// A part whose positions are known.
#[derive(Clone, Debug)]
pub(crate) struct Part<'a> {
    /// Its requirements.
    pub(crate) semantics: Semantics<'a>,
    /// Its positions.
    pub(crate) arena: Arena,
    /// Who wins from where.
    pub(crate) ranks: Ranks,
}

/// Positions of a part from which no system can go on for ever.
#[derive(Clone, Debug)]
pub struct Lost {
    /// The variables that make up the positions.
    pub variables: Vec<VariableId>,
    /// Their values.
    pub positions: Vec<Position>,
}

impl<'a> Part<'a> {
    /// Enumerates the positions of a part.
    ///
    /// # Errors
    /// There are too many.
    pub(crate) fn new(
        interface: &'a Interface,
        requirements: Vec<usize>,
        effort: &mut Effort,
    ) -> Result<Self, Undecided> {
        let semantics = Semantics::new(interface, requirements, &Interest::default());
        let arena = Arena::new(&semantics, effort)?;
        let ranks = arena.ranks();
        Ok(Self { semantics, arena, ranks })
    }
    /// The lost positions.
    pub(crate) fn lost(&self) -> Lost {
        let is_lost = |number: &usize| *number != START && self.ranks.lost_in[*number].is_some();
        let numbers = (0..self.arena.positions.len()).filter(is_lost);
        Lost {
            variables: self.semantics.remembered.clone(),
            positions: numbers.filter_map(|number| self.arena.positions[number].clone()).collect(),
        }
    }
}

/// All positions from which no system can go on for ever.
///
/// # Errors
/// There are too many positions.
pub fn lost(interface: &Interface, effort: &mut Effort) -> Result<Vec<Lost>, Undecided> {
    let all: Vec<usize> = (0..interface.requirements.len()).collect();
    let parts = parts(interface, &all).into_iter();
    parts.map(|part| Ok(Part::new(interface, part, effort)?.lost())).collect()
}
