//! Parts of a system that share neither states nor inputs.
//!
//! Two terms belong together if one depends on the other, a word of state belongs to the terms of
//! its initial value and of its next one, and an external call's result to its arguments. What is
//! then connected is a *component*: whatever happens in one says nothing about what may happen in
//! the others. So an execution of the system is one execution of each component, of one length,
//! side by side.
//!
//! Constants connect nothing, and neither do two terms that only occur in one conjunction of
//! assumptions, since each assumption is a term by itself.

use crate::id::Id;
use crate::system::{GoalId, TransitionSystem};
use crate::term::{SymbolId, Term, TermId};
use crate::validate::{Meaning, Validated};
use crate::visit::cone;
use rustc_hash::FxHashMap;

/// A part of a system; see the module text.
#[derive(Clone)]
pub struct Component {
    /// Its goals in the whole system, in the order in which the part has them.
    pub goals: Vec<GoalId>,
    /// The system with these goals, and with those assumptions, external calls and that end that
    /// speak about the component. All words and inputs are still there; slicing leaves out those of
    /// the other components.
    pub system: TransitionSystem,
}

/// The components of a system that have goals, in the order of their first goals. Goals that depend
/// on nothing, and what is assumed of components without any goal, stand in the first one, so that
/// each goal and every assumption stands somewhere. Outputs, hazards and invariants are left out.
pub fn components(system: &Validated) -> Vec<Component> {
    let mut connected = Connected::of(system);
    let mut found: Vec<(Option<usize>, Vec<GoalId>)> = Vec::new();
    let mut positions: FxHashMap<Option<usize>, usize> = FxHashMap::default();
    let tops: Vec<Option<usize>> =
        system.goals.values().map(|goal| connected.top_of(system, goal.antecedent)).collect();
    let first = tops.iter().copied().find(Option::is_some).flatten();
    for (id, top) in system.goals.ids().zip(tops) {
        let top = top.or(first);
        let position = *positions.entry(top).or_insert_with(|| {
            found.push((top, Vec::new()));
            found.len() - 1
        });
        found[position].1.push(id);
    }
    let parts = found.into_iter().enumerate().map(|(number, (top, goals))| {
        let is_here = |term: TermId| {
            let own = connected.top_of(system, term);
            own == top || number == 0 && !positions.contains_key(&own)
        };
        let system = part(system, &goals, is_here);
        Component { goals, system }
    });
    parts.collect()
}

/// The system with these goals, and of the rest what `is_here` says.
fn part(system: &Validated, goals: &[GoalId], mut is_here: impl FnMut(TermId) -> bool) -> TransitionSystem {
    let mut part: TransitionSystem = (**system).clone();
    part.initial_assumptions.retain(|assumption| is_here(assumption.condition));
    part.assumptions.retain(|assumption| is_here(assumption.condition));
    part.end = part.end.filter(|&end| is_here(end));
    let results: Vec<TermId> = system.external_calls.iter().map(|call| part.input_term(call.input)).collect();
    let mut results = results.into_iter();
    part.external_calls.retain(|_| results.next().is_some_and(&mut is_here));
    part.goals = goals.iter().map(|&goal| system.goals[goal].clone()).collect();
    part.outputs.clear();
    part.hazards.clear();
    part.invariants.clear();
    part
}

/// Which terms belong together: a forest over the terms, and the symbols behind them (Galler,
/// Fischer, *An improved equivalence algorithm*, CACM 1964).
struct Connected {
    above: Vec<usize>,
}

impl Connected {
    fn of(system: &Validated) -> Self {
        let pool = &system.terms;
        let mut connected = Self { above: (0..pool.len() + pool.symbols().len()).collect() };
        let assumptions = system.initial_assumptions.iter().chain(&system.assumptions);
        let mut roots: Vec<TermId> = assumptions.map(|assumption| assumption.condition).collect();
        roots.extend(system.states.values().flat_map(|state| [state.init, state.next]));
        roots.extend(
            system.goals.values().flat_map(|goal| [Some(goal.antecedent), goal.expectation]).flatten(),
        );
        roots.extend(system.end);
        roots.extend(system.external_calls.iter().flat_map(|call| call.arguments.iter().copied()));
        for term in cone(pool, &roots) {
            for operand in pool.node(term).operands() {
                connected.join(node(system, term), node(system, operand));
            }
        }
        for state in system.states.values() {
            for term in [state.init, state.next] {
                connected.join(Some(symbol(system, state.symbol)), node(system, term));
            }
        }
        for call in &system.external_calls {
            let result = symbol(system, system.inputs[call.input].symbol);
            for &argument in &call.arguments {
                connected.join(Some(result), node(system, argument));
            }
        }
        for goal in system.goals.values() {
            connected
                .join(node(system, goal.antecedent), goal.expectation.and_then(|term| node(system, term)));
        }
        connected
    }

    /// Joins two nodes; constants are none.
    fn join(&mut self, one: Option<usize>, other: Option<usize>) {
        if let (Some(one), Some(other)) = (one, other) {
            let (one, other) = (self.top(one), self.top(other));
            self.above[one.max(other)] = one.min(other);
        }
    }

    /// The node that stands for all that belong together with this one.
    fn top(&mut self, mut node: usize) -> usize {
        while self.above[node] != node {
            // Path halving keeps the ways short.
            self.above[node] = self.above[self.above[node]];
            node = self.above[node];
        }
        node
    }

    /// What stands for all that belongs together with a term; `None`: it depends on nothing.
    fn top_of(&mut self, system: &Validated, term: TermId) -> Option<usize> {
        node(system, term).map(|node| self.top(node))
    }
}

/// The node of a term: that of its symbol, where it is one. Constants have none.
fn node(system: &Validated, term: TermId) -> Option<usize> {
    match system.terms.node(term) {
        Term::Const(_) => None,
        Term::Symbol(known) => Some(symbol(system, known)),
        _ => Some(term.index()),
    }
}

/// The node of a symbol, in whichever frame.
fn symbol(system: &Validated, symbol: SymbolId) -> usize {
    let base = match system.meaning(symbol) {
        Meaning::Framed { base, .. } => base,
        _ => symbol,
    };
    system.terms.len() + base.index()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;
    use crate::validate::validate;

    fn goals_of(text: &str) -> Vec<Vec<usize>> {
        let system = validate(parse(text).expect("a text")).expect("a system");
        components(&system).iter().map(|part| part.goals.iter().map(|goal| goal.index()).collect()).collect()
    }

    #[test]
    fn what_shares_words_inputs_or_assumptions_belongs_together() {
        let two = "input a w1 input b w1 state m w1 next a state n w1 next b goal m when (eq m 1) goal n when (eq n 1)";
        assert_eq!(goals_of(two), [[0], [1]]);
        assert_eq!(goals_of(&format!("{two} goal both when (and m n)")), [[0, 1, 2]]);
        assert_eq!(goals_of(&format!("{two} assume (or a b)")), [[0, 1]]);
        assert_eq!(goals_of(&format!("{two} end (and m n)")), [[0, 1]]);
        assert_eq!(goals_of(&two.replace("next b", "next a")), [[0, 1]], "one input steers both");
        assert_eq!(goals_of(&format!("{two} goal always when 1")), [vec![0, 2], vec![1]]);
    }

    #[test]
    fn assumptions_about_what_no_goal_depends_on_stand_in_the_first_component() {
        let text = "input a w1 input b w1 input c w1 state m w1 next a state n w1 next b
                    goal m when (eq m 1) goal n when (eq n 1) assume c assume b";
        let system = validate(parse(text).expect("a text")).expect("a system");
        let assumptions: Vec<usize> =
            components(&system).iter().map(|part| part.system.assumptions.len()).collect();
        assert_eq!(assumptions, [1, 1]);
    }
}
