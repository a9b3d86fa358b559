//! Faults in contracts: mutants of an interface, and inputs that reveal them.
//!
//! A mutant stands for a system that keeps the mutated contracts. It is *revealed* by a run whose
//! outputs the original forbids, whatever the hidden values are (its language is not contained in
//! the original's). The runs of mutant and original are followed together: nodes are pairs of the
//! belief about the original and the position of the mutant.

mod chains;
mod operators;
mod product;

pub use chains::{Revealing, difference, reveal};
pub use product::Verdict;

use crate::interface::Interface;
use crate::print;
use crate::read::Document;
use crate::syntax::{Contract, File, Item};
use frontend::diagnostics::Diagnostics;
use frontend::limit::Limit;
use frontend::source::{SourceMap, Span};
use spec::language::CONTRACTS;
use spec::lexer::Extent;
use spec::scope::Scope;
use spec::syntax::Expr;

/// A fault that can be put into an interface.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The requirement and a number within it: `r1.2`.
    pub id: String,
    /// The requirement.
    pub requirement: String,
    /// The operator that made it.
    pub operator: &'static str,
    /// Where it stands.
    pub span: Span,
    /// What stood there.
    pub old: String,
    /// What stands there instead.
    pub new: String,
    /// The file and the place there of the requirement, whose contracts are then these.
    changed: (usize, usize, Vec<Contract>),
}

/// All mutants of an interface that have a meaning, in order of the text; behind the limit, also
/// those that may have none.
pub fn mutants(document: &Document, limit: &Limit) -> Vec<Mutant> {
    let mut found = Vec::new();
    for (file, content) in document.files.iter().enumerate() {
        for (place, item) in content.items.iter().enumerate() {
            if let Item::Requirement { name, contracts, .. } = item {
                for (number, changed) in contract_mutants(contracts, name.extent).into_iter().enumerate() {
                    found.push(Mutant {
                        id: format!("{}.{}", name.text, number + 1),
                        requirement: name.text.clone(),
                        operator: changed.operator,
                        span: changed.place.span,
                        old: changed.old,
                        new: changed.new,
                        changed: (file, place, changed.contracts),
                    });
                }
            }
        }
    }
    found.retain(|mutant| limit.reason().is_some() || interface(document, mutant).is_some());
    found
}

/// The interface with a fault; none where it has no meaning, such as a prime on a constant.
pub fn interface(document: &Document, mutant: &Mutant) -> Option<Interface> {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let mut scope = Scope::new();
    for text in &document.define {
        scope.override_constant(text, &mut sources, &mut diagnostics).ok()?;
    }
    let mut files: Vec<File> = document.files.clone();
    let (file, place, changed) = &mutant.changed;
    if let Item::Requirement { contracts, .. } = &mut files[*file].items[*place] {
        contracts.clone_from(changed);
    }
    let mut interface = crate::resolve::resolve(&files, scope, &mut diagnostics);
    interface.name.clone_from(&document.interface.name);
    (!diagnostics.has_errors()).then_some(interface)
}

struct Changed {
    contracts: Vec<Contract>,
    operator: &'static str,
    place: Extent,
    old: String,
    new: String,
}

/// The contracts of a requirement with one fault each.
fn contract_mutants(contracts: &[Contract], name: Extent) -> Vec<Changed> {
    let mut found = Vec::new();
    let with = |index: usize, contract: Contract| {
        let mut changed = contracts.to_vec();
        changed[index] = contract;
        changed
    };
    let text = |expr: &Expr| spec::print::expression(expr, &CONTRACTS);
    for (index, contract) in contracts.iter().enumerate() {
        let parts = contract.assumption.iter().map(|expr| (expr, true));
        for (expr, is_assumption) in parts.chain([(&contract.guarantee, false)]) {
            for variant in operators::variants(expr) {
                let mut changed = contract.clone();
                if is_assumption {
                    changed.assumption = Some(variant.whole);
                } else {
                    changed.guarantee = variant.whole;
                }
                found.push(Changed {
                    contracts: with(index, changed),
                    operator: variant.operator,
                    place: variant.old.extent,
                    old: text(&variant.old),
                    new: variant.new.as_ref().map_or_else(String::new, text),
                });
            }
        }
        let mut rest = contracts.to_vec();
        rest.remove(index);
        found.push(Changed {
            contracts: rest,
            operator: "drop contract",
            place: name,
            old: print::contract(contract),
            new: String::new(),
        });
    }
    found
}
