//! Deciding steps as goals: a step has *another answer* beside the one that is given, which keeps
//! all other requirements and breaks the one in question. Inputs of the system stand for it, as far
//! as equations of the others do not determine it; each goal has its own, since one step may meet
//! several of them.

use super::{Builder, Wishes, encoded};
use crate::semantics::{Deciding, Effort, Semantics, Step, Undecided};
use model::system::InputRole;
use model::term::TermId;
use spec::parser::Parsed;
use spec::scope::VariableId;

/// The other answer of a goal, which the interpreter can find.
#[derive(Clone, Debug)]
pub(crate) struct OtherAnswer {
    /// The requirement that it breaks.
    requirement: usize,
    /// The others of its part.
    others: Vec<usize>,
    /// The variables that have an input each, in the order of these.
    variables: Vec<VariableId>,
}

impl OtherAnswer {
    /// The words of its inputs in a step; where there is no such answer, those of any values. A
    /// word is missing where a value has none.
    ///
    /// # Errors
    /// There are too many values to try.
    pub(super) fn encode(
        &self,
        semantics: &Semantics<'_>,
        step: Step<'_>,
        effort: &mut Effort,
    ) -> Result<Vec<Option<model::value::Value>>, Undecided> {
        let interface = semantics.interface;
        let deciding = Deciding::new(interface, self.requirement, &self.others);
        let answer = deciding.answer(semantics, step, effort)?;
        let answer = answer.unwrap_or_else(|| vec![None; interface.roles.len()]);
        Ok(self.variables.iter().map(|&id| encoded(interface, id, &answer)).collect())
    }
}

impl Builder<'_> {
    /// Whether a requirement decides a step. The goal's name tells the inputs of its other answer
    /// from those of others.
    pub(super) fn decides(
        &mut self,
        deciding: &Deciding<'_>,
        goal: &str,
        keeps_wording: bool,
    ) -> Parsed<TermId> {
        let interface = self.interface;
        let given = self.words.clone();
        let variables = deciding.answered(interface);
        for &id in &variables {
            let variable = interface.scope.variable(id);
            let sort = self.lowered.system.terms.sort(given[id].1);
            let name = format!("{} ({goal})", variable.name);
            let input = self.lowered.system.add_input(&name, sort, InputRole::Choice);
            self.words[id].1 = self.lowered.system.input_term(input);
        }
        let others = deciding.others.iter().map(|&other| &interface.requirements[other]);
        if !keeps_wording {
            self.determine(others.clone(), variables.clone(), &Wishes::default())?;
        }
        let mut conditions = Vec::new();
        for &id in &variables {
            conditions.push(self.domain(id, self.words[id].1));
        }
        let mut kept = Vec::new();
        for is_first in [true, false] {
            for contract in others.clone().flat_map(|other| other.contracts(is_first)) {
                conditions.push(self.kept(contract, is_first)?);
            }
            for contract in deciding.requirement.contracts(is_first) {
                kept.push(self.kept(contract, is_first)?);
            }
        }
        self.words = given;
        let terms = &mut self.lowered.system.terms;
        let is_kept = terms.conjunction(kept);
        conditions.push(terms.not(is_kept));
        let met = terms.conjunction(conditions);
        self.lowered.other_answers.push(OtherAnswer {
            requirement: deciding.index(),
            others: deciding.others.clone(),
            variables,
        });
        Ok(met)
    }
}
