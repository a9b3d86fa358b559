//! Independent parts of an interface: requirements that share no controlled variable, by way of
//! others or at once, are answered apart from each other. A set of them is not k-consistent if and
//! only if one part is not, since inputs are given and not agreed on.

use crate::interface::Interface;
use crate::syntax::Role;
use spec::scope::VariableId;
use spec::typed::Expr;

/// The parts of some requirements; each is ascending.
pub(super) fn parts(interface: &Interface, requirements: &[usize]) -> Vec<Vec<usize>> {
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
