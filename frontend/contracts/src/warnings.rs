//! What an interface lacks as a whole, and what it may not mean.

use crate::code::Code;
use crate::interface::{Contract, Interface};
use crate::syntax::Role;
use frontend::diagnostics::Diagnostics;
use spec::scope::VariableId;
use spec::typed::Expr;

/// Reports errors and warnings about a whole interface.
pub(crate) fn inspect(interface: &Interface, diagnostics: &mut Diagnostics) {
    if interface.requirements.is_empty() {
        diagnostics
            .error(Code::NoRequirements, None, "there are no requirements")
            .advice("write `req NAME \"text\" assume CONDITION guarantee CONDITION`");
        return;
    }
    if interface.controlled().next().is_none() {
        diagnostics
            .error(Code::NoOutputs, None, "the interface has no outputs: nothing can be required")
            .advice("declare them: `output NAME : TYPE`");
        return;
    }
    for variable in interface.controlled().filter(|&variable| !is_constrained(interface, variable)) {
        let declared = interface.scope.variable(variable);
        let message = format!("no guarantee speaks of the {} `{}'`", declared.role, declared.name);
        diagnostics
            .warning(Code::NeverConstrained, Some(declared.extent.span), message)
            .advice("any value is allowed in every step");
    }
    let contracts = interface.requirements.iter().flat_map(|requirement| &requirement.update);
    for contract in contracts {
        for part in contract.guarantee.conjuncts() {
            fixed_before_input(interface, contract, part, diagnostics);
        }
    }
}

fn is_constrained(interface: &Interface, variable: VariableId) -> bool {
    let contracts = interface.requirements.iter().flat_map(|req| req.initial.iter().chain(&req.update));
    contracts
        .flat_map(|contract| contract.guarantee.reads())
        .any(|read| read.variable == variable && read.primed)
}

/// Warns of `guarantee h = a'` for an input `a` and something `h` that the system chose one step
/// ago: it had to be right before the input was known.
fn fixed_before_input(
    interface: &Interface,
    contract: &Contract,
    part: &Expr,
    diagnostics: &mut Diagnostics,
) {
    let reads = part.reads();
    let input = reads.iter().find(|read| read.primed && interface.roles[read.variable] == Role::Input);
    let answers = reads.iter().any(|read| read.primed && interface.roles[read.variable] != Role::Input);
    let before = reads.iter().find(|read| !read.primed && interface.roles[read.variable] != Role::Input);
    let (Some(input), Some(before), false) = (input, before, answers) else { return };
    let name = |variable| &interface.scope.variable(variable).name;
    let (input, before) = (name(input.variable), name(before.variable));
    let message = format!("`{before}` was chosen before the input `{input}'` is known");
    diagnostics.warning(Code::FixedBeforeInput, Some(contract.extent.span), message).advice(format!(
        "did you mean `{before}'`? The system cannot foresee inputs, whatever traces are allowed"
    ));
}
