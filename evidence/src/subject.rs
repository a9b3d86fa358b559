//! The system that claims speak of, in the form in which queries ask about it.
//!
//! Goals of several steps are split into *labels*, conditions on single steps: a conjunct of an
//! antecedent that speaks about one step of the window belongs to that step's label. Conjuncts that
//! compare states further apart are left out, which makes labels weaker than the goal, so that
//! costs become too small rather than too great. Nothing is simplified: the proofs are about the
//! system as the front end made it.

use engine::knowledge::task::SEARCHED;
use engine::options::HazardPolicy;
use engine::pipeline::searched;
use model::slice::Keep;
use model::slice::{SliceMap, cone_of_influence, slice};
use model::system::{Goal, StateId, TransitionSystem};
use model::term::{SymbolId, TermId};
use model::validate::{Meaning, Validated, validate};
use model::visit::{Substitution, support};

/// What evidence is about: it takes results of external calls for inputs, so what their arguments
/// depend on is left out.
const CLAIMED: Keep = Keep { external_calls: false, ..SEARCHED };

/// See the module text.
pub(crate) struct Subject {
    /// The system; its goals are the labels, each of one step.
    pub(crate) system: Validated,
    /// For each label: name of the goal and number of the step.
    pub(crate) labels: Vec<(String, u32)>,
    /// The state words that goals, assumptions and Final depend on.
    pub(crate) words: Vec<StateId>,
}

impl Subject {
    /// Of a system under a treatment of undefined operations.
    pub(crate) fn new(system: &Validated, hazards: HazardPolicy) -> Self {
        let system = searched(system, hazards);
        let (split, labels) = split(&system);
        let system = validate(split).expect("labels of a valid system should be valid goals");
        let needed = cone_of_influence(&system, CLAIMED);
        let words = system.states.ids().filter(|&state| needed.states[state]).collect();
        Self { system, labels, words }
    }

    /// The same, as far as these of its words and labels speak of it; other words may have any
    /// value at any time. `None`: it does not have them in that order.
    pub(crate) fn restricted(
        &self,
        words: &[String],
        labels: impl IntoIterator<Item = (String, u32)>,
    ) -> Option<Self> {
        let mut own_words = self.words.iter().copied();
        let kept_words = words
            .iter()
            .map(|name| own_words.find(|&word| self.word_name(word) == *name))
            .collect::<Option<_>>()?;
        let mut own_labels = self.labels.iter().zip(self.system.goals.values());
        let kept: Vec<((String, u32), Goal)> = labels
            .into_iter()
            .map(|label| own_labels.find(|(own, _)| **own == label).map(|(_, goal)| (label, goal.clone())))
            .collect::<Option<_>>()?;
        let (labels, goals): (Vec<_>, Vec<Goal>) = kept.into_iter().unzip();
        let mut system: TransitionSystem = (*self.system).clone();
        system.goals = goals.into_iter().collect();
        let system = validate(system).expect("a valid system with fewer goals should be valid");
        Some(Self { system, labels, words: kept_words })
    }

    /// Name of a state word.
    pub(crate) fn word_name(&self, word: StateId) -> String {
        self.system.state_name(word).to_owned()
    }
}

/// The system as the search sees it, and what became of the words: where evidence is looked for,
/// less is quicker.
pub(super) fn sliced(system: &Validated, hazards: HazardPolicy) -> (Validated, SliceMap) {
    let (small, map) = slice(&searched(system, hazards), CLAIMED);
    (validate(small).expect("a slice of a valid system should be valid"), map)
}

/// The system with one goal for each step of a goal's window.
fn split(system: &Validated) -> (TransitionSystem, Vec<(String, u32)>) {
    let mut changed: TransitionSystem = (**system).clone();
    let (mut goals, mut labels) = (Vec::new(), Vec::new());
    for goal in system.goals.values() {
        let mut parts = vec![Vec::new(); goal.steps as usize];
        for conjunct in system.terms.conjuncts(goal.antecedent) {
            if let Some(step) = step_of(system, conjunct, goal.steps) {
                parts[step as usize].push(conjunct);
            }
        }
        for (step, parts) in (0u32..).zip(parts) {
            let parts: Vec<TermId> =
                parts.into_iter().map(|part| shifted(system, &mut changed, part, step)).collect();
            let antecedent = changed.terms.conjunction(parts);
            let name = format!("{}#{step}", goal.name);
            goals.push(Goal { name, steps: 1, antecedent, expectation: None, ..goal.clone() });
            labels.push((goal.name.clone(), step));
        }
    }
    changed.goals = goals.into_iter().collect();
    (changed, labels)
}

/// Base symbol and frame of a symbol; whether it is an input.
fn place(system: &Validated, symbol: SymbolId) -> (SymbolId, u32, bool) {
    let (base, frame) = match system.meaning(symbol) {
        Meaning::Framed { base, offset } => (base, offset),
        _ => (symbol, 0),
    };
    (base, frame, matches!(system.meaning(base), Meaning::Input(_)))
}

/// The one step that a conjunct speaks about.
fn step_of(system: &Validated, conjunct: TermId, steps: u32) -> Option<u32> {
    let places: Vec<_> =
        support(&system.terms, &[conjunct]).into_iter().map(|symbol| place(system, symbol)).collect();
    let first = places.iter().map(|&(_, frame, _)| frame).min().unwrap_or(0);
    let step = first.min(steps - 1);
    let fits =
        |&(_, frame, is_input): &(SymbolId, u32, bool)| frame == step || (!is_input && frame == step + 1);
    places.iter().all(fits).then_some(step)
}

/// The conjunct about step `step` as a condition on step 0.
fn shifted(system: &Validated, changed: &mut TransitionSystem, conjunct: TermId, step: u32) -> TermId {
    let pool = &mut changed.terms;
    let mut replacements = Vec::new();
    for symbol in support(&system.terms, &[conjunct]) {
        let (base, frame, _) = place(system, symbol);
        let earlier = if frame == step { pool.symbol_term(base) } else { pool.framed(base, frame - step) };
        replacements.push((symbol, earlier));
    }
    Substitution::new(pool, replacements).apply(pool, conjunct)
}
