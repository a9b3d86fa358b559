//! Which transition of its window each part of a goal speaks about.
//!
//! The formula of a goal of J steps is a conjunction over a window of J + 1 states and J inputs. A
//! conjunct that speaks about one transition (the state and the inputs before it, the state after
//! it) is judged when that transition is taken. *Label* (g, k) is the conjunction of what speaks
//! about transition k of goal g: an occurrence of the goal is a run of J transitions of which
//! number k has label (g, k).

use crate::knowledge::task::Target;
use model::term::{SymbolId, TermId};
use model::validate::{Meaning, Validated};
use model::visit::support;

/// The conjuncts of a goal's formula.
pub(super) struct Labels {
    /// By transition of the window: what is judged there.
    pub(super) conjuncts: Vec<Vec<TermId>>,
    /// Whether there are further conjuncts, which no single transition decides.
    pub(super) are_partial: bool,
}

impl Labels {
    /// The labels of a goal. A conjunct over one state belongs to the transition that leads there,
    /// where the window has one: so it is judged as early as possible.
    pub(super) fn of(system: &Validated, target: &Target) -> Self {
        let mut labels = Self { conjuncts: vec![Vec::new(); target.steps as usize], are_partial: false };
        for conjunct in system.terms.conjuncts(target.antecedent) {
            let transition = transition(system, conjunct).map(|transition| transition as usize);
            match transition.and_then(|transition| labels.conjuncts.get_mut(transition)) {
                Some(conjuncts) => conjuncts.push(conjunct),
                None => labels.are_partial = true,
            }
        }
        labels
    }
}

/// The one transition that a conjunct speaks about, by number.
fn transition(system: &Validated, conjunct: TermId) -> Option<u32> {
    let symbols = support(&system.terms, &[conjunct]);
    let places: Vec<(Meaning, u32)> = symbols.into_iter().map(|symbol| place(system, symbol)).collect();
    let is_input = |place: &&(Meaning, u32)| matches!(place.0, Meaning::Input(_));
    let transition = match places.iter().find(is_input) {
        Some(&(_, offset)) => offset,
        None => places.iter().map(|&(_, offset)| offset).max().unwrap_or(0).saturating_sub(1),
    };
    let fits = |&(meaning, offset): &(Meaning, u32)| match meaning {
        Meaning::State(_) => offset == transition || offset == transition + 1,
        Meaning::Input(_) => offset == transition,
        _ => false,
    };
    places.iter().all(fits).then_some(transition)
}

/// What a symbol of a window stands for, and the steps after the first state of the window.
pub(super) fn place(system: &Validated, symbol: SymbolId) -> (Meaning, u32) {
    match system.meaning(symbol) {
        Meaning::Framed { base, offset } => (system.meaning(base), offset),
        meaning => (meaning, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::task::{Task, all_goals};
    use crate::knowledge::vertex::Vertex;
    use model::text::parse;
    use model::validate::validate;

    /// Formula of a goal of two steps, the number of conjuncts of each transition, and whether some
    /// are left.
    #[test]
    fn conjuncts_belong_to_the_transition_that_decides_them() {
        let table = [
            ("(eq x 1)", [1, 0], false),
            ("(eq x@1 1)", [1, 0], false),
            ("(eq x@2 1)", [0, 1], false),
            ("(eq x@1 i@1)", [0, 1], false),
            ("(eq i x@1)", [1, 0], false),
            ("(and (eq x 1) (and (eq x@1 x@2) (eq i 2)))", [2, 1], false),
            ("(eq x x@2)", [0, 0], true),
            ("(eq i x@2)", [0, 0], true),
            ("(and (eq i i@1) (eq i@1 3))", [0, 1], true),
            ("(eq i@1 x)", [0, 0], true),
        ];
        for (formula, numbers, are_partial) in table {
            let text = format!("input i w2 state x w2 init 0 next i goal g steps 2 when {formula}");
            let system = validate(parse(&text).expect("a text")).expect("a system");
            let task = Task::new(&system, &all_goals(&system), Vec::new());
            let labels = Labels::of(&system, task.target(Vertex::of_position(0)));
            let found: Vec<usize> = labels.conjuncts.iter().map(Vec::len).collect();
            assert_eq!((&found[..], labels.are_partial), (&numbers[..], are_partial), "{formula}");
        }
    }
}
