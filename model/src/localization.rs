//! Localizations: some words of the state and what becomes of them, whatever all others do.
//!
//! The words that are left out become inputs, which may have any value in any step, and so do the
//! results of operations whose circuits are large (localization reduction: R. P. Kurshan,
//! Computer-Aided Verification of Coordinating Processes, 1994). So a localization has an execution
//! for each one of the system, with the same occurrences of goals, and as a rule many more: what
//! none of its executions reaches is unreachable in the system, and nothing else follows.

use crate::dependencies::Words;
use crate::id::IdVec;
use crate::sort::Sort;
use crate::system::{GoalId, Input, InputRole, StateId, TransitionSystem};
use crate::term::{BinaryOp, Term, TermId, TermPool, UnaryOp};
use crate::validate::{Meaning, Validated};
use crate::visit::{Substitution, cone, support};

/// The localization to these words, with these goals in their order. `None`: a goal speaks about a
/// word that is left out as the last step of its window leaves it, where there are no inputs.
///
/// Assumptions stay. Final, outputs, hazards, invariants and external calls are left out: results
/// of calls are inputs.
pub fn localized(system: &Validated, words: &Words, goals: &[GoalId]) -> Option<TransitionSystem> {
    let is_kept = |state: StateId| words.binary_search(&state).is_ok();
    if goals.iter().any(|&goal| left_behind(system, goal).into_iter().any(|word| !is_kept(word))) {
        return None;
    }
    let mut part: TransitionSystem = (**system).clone();
    part.goals = goals.iter().map(|&goal| system.goals[goal].clone()).collect();
    part.end = None;
    part.outputs.clear();
    part.hazards.clear();
    part.invariants.clear();
    part.external_calls.clear();
    part.states = words.iter().map(|&word| system.states[word].clone()).collect();
    for (_, state) in system.states.iter().filter(|(id, _)| !is_kept(*id)) {
        part.inputs.push(Input { symbol: state.symbol, role: InputRole::Choice });
    }
    let TransitionSystem { terms, inputs, states, assumptions, goals, .. } = &mut part;
    goals.values_mut().for_each(|goal| goal.expectation = None);
    let next = states.values_mut().map(|state| &mut state.next);
    let conditions = assumptions.iter_mut().map(|assumption| &mut assumption.condition);
    let antecedents = goals.values_mut().map(|goal| &mut goal.antecedent);
    let mut roots: Vec<&mut TermId> = next.chain(conditions).chain(antecedents).collect();
    let all: Vec<TermId> = roots.iter().map(|root| **root).collect();
    let large: Vec<TermId> = cone(terms, &all).into_iter().filter(|&term| is_large(terms, term)).collect();
    let cut: Vec<(TermId, TermId)> = large
        .into_iter()
        .enumerate()
        .map(|(number, term)| {
            let symbol = terms.fresh_symbol(&format!("result {number}"), terms.sort(term));
            inputs.push(Input { symbol, role: InputRole::Choice });
            (term, terms.symbol_term(symbol))
        })
        .collect();
    let mut substitution = Substitution::of_terms(cut);
    roots.iter_mut().for_each(|root| **root = substitution.apply(terms, **root));
    Some(part)
}

/// A system whose words can each be left out at will.
pub struct Loose {
    /// The system.
    pub system: TransitionSystem,
    /// For each word of the given system the one that says, in every frame, whether it is kept: it
    /// never changes, and may be either at first. The words before it are those of the given system,
    /// with their numbers.
    pub kept: IdVec<StateId, StateId>,
}

/// The system with a further word for each one that says whether it is kept. What is not kept may
/// have any value in any step. So one query about all of them can tell which ones an answer needs
/// (K. L. McMillan, N. Amla, Automatic abstraction without counterexamples, TACAS 2003).
pub fn loose(system: &Validated) -> Loose {
    let mut loose: TransitionSystem = (**system).clone();
    let mut kept = IdVec::new();
    for word in system.states.ids() {
        let name = system.state_name(word).to_owned();
        let sort = system.terms.symbol(system.states[word].symbol).sort;
        let own = |what: &str| format!("{what} of {name}");
        let choice = loose.add_initial_input(&own("choice"), Sort::TRUTH, InputRole::Choice);
        let start = loose.add_initial_input(&own("start"), sort, InputRole::Choice);
        let value = loose.add_input(&own("value"), sort, InputRole::Choice);
        let is_kept = loose.add_state(&own("kept"), Sort::TRUTH);
        let choice = loose.terms.symbol_term(loose.initial_inputs[choice].symbol);
        let start = loose.terms.symbol_term(loose.initial_inputs[start].symbol);
        let (value, keeps) = (loose.input_term(value), loose.state_term(is_kept));
        loose.states[is_kept].init = choice;
        let (init, next) = (loose.states[word].init, loose.states[word].next);
        loose.states[word].init = loose.terms.ite(choice, init, start);
        loose.states[word].next = loose.terms.ite(keeps, next, value);
        kept.push(is_kept);
    }
    Loose { system: loose, kept }
}

/// The words that a goal speaks about as the last step of its window leaves them: each of its
/// localizations has them.
pub fn left_behind(system: &Validated, goal: GoalId) -> Vec<StateId> {
    let goal = &system.goals[goal];
    let word = |symbol| match system.meaning(symbol) {
        Meaning::Framed { base, offset } if offset >= goal.steps => match system.meaning(base) {
            Meaning::State(word) => Some(word),
            _ => None,
        },
        _ => None,
    };
    support(&system.terms, &[goal.antecedent]).into_iter().filter_map(word).collect()
}

/// Whether the circuit of an operation is much larger than that of a sum.
fn is_large(terms: &TermPool, term: TermId) -> bool {
    let is_constant = |term: TermId| terms.as_const(term).is_some();
    match terms.node(term) {
        Term::Unary { op, .. } => matches!(
            op,
            UnaryOp::FloatSqrt
                | UnaryOp::FloatRound(_)
                | UnaryOp::FloatConvert(_)
                | UnaryOp::FloatFromUnsigned(_)
                | UnaryOp::FloatFromSigned(_)
                | UnaryOp::FloatToUnsigned(_)
                | UnaryOp::FloatToSigned(_)
        ),
        Term::Binary { op, lhs, rhs } => match op {
            BinaryOp::Mul => !is_constant(lhs) && !is_constant(rhs),
            BinaryOp::UDiv
            | BinaryOp::URem
            | BinaryOp::SDiv
            | BinaryOp::SRem
            | BinaryOp::FloatAdd
            | BinaryOp::FloatSub
            | BinaryOp::FloatMul
            | BinaryOp::FloatDiv
            | BinaryOp::FloatFmod
            | BinaryOp::FloatRemainder => true,
            _ => false,
        },
        Term::FloatFma { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id;
    use crate::slice::{Keep, reduce};
    use crate::text::parse;
    use crate::trace::{Start, Trace, replay};
    use crate::validate::validate;
    use crate::value::Value;

    const SYSTEM: &str = "input x w8
        state n w8 init 0 next (ite (ult (mul m x) 9) (add n 1) 0)
        state m w8 init 1 next (add m n)
        state mode w2 init 0 next (ite (eq n 3) 1 mode)
        assume (ult x 200)
        goal late when (and (eq mode 1) (ult m 5))
        goal both steps 1 when (and (eq mode@1 1) (eq m 7))
        goal end steps 1 when (and (eq mode@1 1) (eq m@1 7))";

    fn system() -> Validated {
        validate(parse(SYSTEM).expect("a text")).expect("a system")
    }

    fn ids<I: Id>(numbers: &[usize]) -> Vec<I> {
        numbers.iter().map(|&number| I::new(number)).collect()
    }

    #[test]
    fn words_that_are_left_out_and_large_results_are_inputs() {
        let system = system();
        let part = localized(&system, &ids(&[0, 2]), &ids(&[0, 1])).expect("no goal needs the end");
        let keep = Keep { outputs: false, hazards: false, invariants: false, external_calls: true };
        let part = validate(part).expect("a localization should be well-formed");
        assert_eq!((part.states.len(), part.inputs.len(), part.assumptions.len()), (2, 3, 1));
        let (small, _) = reduce(&part, keep);
        let names: Vec<&str> = small.inputs.ids().map(|input| small.input_name(input)).collect();
        assert_eq!(names, ["x", "m", "result 0"]);
    }

    #[test]
    fn words_are_kept_or_not_from_the_first_step_on() {
        let given = system();
        let Loose { system, kept } = loose(&given);
        let system = validate(system).expect("a loose system should be well-formed");
        assert_eq!((system.states.len(), kept.len(), system.inputs.len()), (6, 3, 4));
        // Each word has its choice and its start; only the last one is not kept.
        let choices = [1, 9, 1, 9, 0, 1].map(|bits| u128::from(bits as u32));
        let values = system.initial_inputs.values().zip(choices);
        let starts = values.map(|(input, bits)| Value::new(system.terms.symbol(input.symbol).sort, bits));
        let values = system.inputs.values().zip([1, 7, 7, 2]);
        let inputs = values.map(|(input, bits)| Value::new(system.terms.symbol(input.symbol).sort, bits));
        let trace = Trace { start: Start::Initial(starts.collect()), inputs: vec![inputs.collect()] };
        let run = replay(&system, &trace).expect("an execution");
        let words = |step: usize| [0, 1, 2].map(|word| run.states[step][word].bits());
        assert_eq!([words(0), words(1)], [[0, 1, 1], [1, 1, 2]]);
    }

    #[test]
    fn what_the_last_step_leaves_is_no_input() {
        let system = system();
        assert_eq!(left_behind(&system, GoalId::new(2)), ids::<StateId>(&[2, 1]));
        assert!(localized(&system, &ids(&[0, 2]), &ids(&[2])).is_none());
        assert!(localized(&system, &ids(&[1, 2]), &ids(&[2])).is_some());
    }
}
