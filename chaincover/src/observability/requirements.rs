//! Requirements about memory: a goal beside each of them that a violation would be seen at outputs.
//!
//! A rig cannot judge a consequent that reads memory behind the outputs. There the second execution
//! begins where the requirement's last step has ended, with one word that the consequent reads
//! altered so that the consequent fails: another enumerator, or one bit inverted (a single event
//! upset). The goal is reached where an output shows that. Consequents that read outputs and inputs
//! alone are seen as they stand.

use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::observed::{Alteration, Look, Observed};
use crate::versions::goes_on;
use frontend::SignalKind;
use model::counterfactual::{Observer, Sight};
use model::product::{Observation, Unmatched};
use model::sort::Sort;
use model::system::{Goal, GoalId, StateId, TransitionSystem};
use model::term::{BinaryOp, TermId, TermPool, UnaryOp};
use model::validate::Meaning;
use model::value::Value;
use model::visit::{Substitution, support};
use std::collections::BTreeSet;

/// Alterations of the words of one requirement.
const MOST_ALTERATIONS: usize = 512;

/// Adds a goal for each requirement about memory: that a violation would be seen within so many
/// further steps.
///
/// # Errors
/// The limit of the request.
pub(super) fn demand(
    observed: &mut Observed,
    system: &mut TransitionSystem,
    model: &Model,
    depth: u32,
) -> Result<(), Error> {
    let outputs = model.translated.signals.outputs.iter();
    let seen = outputs.filter(|(signal, _)| signal.kind != SignalKind::Pointer);
    let seen = Observation {
        outputs: seen.map(|&(_, position)| (position, position)).collect(),
        defined: goes_on(model),
        facts: model.translated.library_facts.clone(),
        soon: None,
    };
    let limit = &model.configuration.request.limit;
    for goal in model.system.goals.values() {
        if let Some(reason) = limit.reason() {
            let message = "ended before it was known what can be seen of all requirements";
            return Err(Error::new(ErrorKind::Stopped(reason), message));
        }
        let Some(expectation) = goal.expectation else { continue };
        let words = hidden_words(model, (goal, expectation), &seen);
        if words.is_empty() {
            continue;
        }
        let looks = looks(system, model, (goal, expectation, &words), (&seen, depth));
        let id = add(system, goal, depth, looks.as_deref().unwrap_or_default());
        match looks {
            Ok(looks) => {
                observed.looks.insert(id, looks);
            }
            Err(why) => {
                observed.unknown.insert(id, why);
            }
        }
    }
    Ok(())
}

/// The words, as the requirement's last step leaves them, that a consequent reads and that no output
/// shows at once.
fn hidden_words(
    model: &Model,
    (goal, expectation): (&Goal, TermId),
    seen: &Observation,
) -> BTreeSet<StateId> {
    let system = &model.system;
    let shown: Vec<TermId> = seen.outputs.iter().map(|&(at, _)| system.outputs[at].value).collect();
    let is_output = |word: StateId| shown.contains(&system.states[word].next);
    let word = |symbol| match system.meaning(symbol) {
        Meaning::Framed { base, offset } if offset == goal.steps => match system.meaning(base) {
            Meaning::State(word) => Some(word),
            _ => None,
        },
        _ => None,
    };
    let read = support(&system.terms, &[expectation]).into_iter().filter_map(word);
    read.filter(|&word| !is_output(word)).collect()
}

/// Where it may be seen that a word was not another one with which the consequent fails.
fn looks(
    system: &mut TransitionSystem,
    model: &Model,
    (goal, expectation, words): (&Goal, TermId, &BTreeSet<StateId>),
    (seen, depth): (&Observation, u32),
) -> Result<Vec<Look>, String> {
    let mut looks = Vec::new();
    let mut left = MOST_ALTERATIONS;
    for &word in words {
        let symbol = system.states[word].symbol;
        let own = system.terms.framed(symbol, goal.steps);
        let framed = system.terms.as_symbol(own).expect("a word should stay a symbol in each frame");
        let values = altered(&mut system.terms, model, word, own);
        left = left.checked_sub(values.len()).ok_or_else(|| {
            format!("its consequent reads words of more than {MOST_ALTERATIONS} bits in all")
        })?;
        for value in values {
            let fails = {
                let terms = &mut system.terms;
                let other = Substitution::new(terms, [(framed, value)]).apply(terms, expectation);
                let is_same = terms.agree(own, value);
                let holds = terms.or(other, is_same);
                terms.not(holds)
            };
            if system.terms.as_const(fails).is_some_and(|value| !value.is_true()) {
                continue;
            }
            let frames = goal.steps..goal.steps + depth;
            let sights: Result<Vec<Sight>, Unmatched> = Observer::new(system, &goes_on(model)).altered(
                (&model.system, seen),
                (word, value),
                frames.clone(),
            );
            for sight in sights.map_err(|why| why.to_string())? {
                let is_seen = system.terms.and(fails, sight.differs);
                let alteration = Some(Alteration { word, frame: frames.start, value });
                looks.push(Look { sight, is_seen, alteration });
            }
        }
    }
    Ok(looks)
}

/// Other values of a word: all other enumerators, or each of its bits inverted.
fn altered(terms: &mut TermPool, model: &Model, word: StateId, own: TermId) -> Vec<TermId> {
    let sort = terms.sort(own);
    let signal = model.translated.signals.states.iter().find(|(_, id)| *id == word);
    if let Some(SignalKind::Enum { enumerators, .. }) = signal.map(|(signal, _)| &signal.kind) {
        let values = enumerators.iter().map(|&(_, number)| Value::new(sort, number as u128));
        let values: BTreeSet<u128> = values.map(|value| value.bits()).collect();
        return values.into_iter().map(|bits| terms.constant(Value::new(sort, bits))).collect();
    }
    let (width, format) = match sort {
        Sort::Word(width) => (u32::from(width), None),
        Sort::Float(format) => (format.width(), Some(format)),
    };
    let bits = if format.is_some() { terms.unary(UnaryOp::FloatToBits, own) } else { own };
    let inverted = |at: u32| {
        let mask = terms.word(width, 1 << at);
        let other = terms.binary(BinaryOp::Xor, bits, mask);
        format.map_or(other, |format| terms.unary(UnaryOp::FloatFromBits(format), other))
    };
    (0..width).map(inverted).collect()
}

/// The goal beside a requirement.
fn add(system: &mut TransitionSystem, goal: &Goal, depth: u32, looks: &[Look]) -> GoalId {
    let never = system.terms.truth(false);
    let any = looks.iter().fold(never, |any, look| system.terms.or(any, look.is_seen));
    let antecedent = system.terms.and(goal.antecedent, any);
    let (name, steps) = (format!("{} (seen)", goal.name), goal.steps + depth);
    let within = if depth == 1 { "1 further step".to_owned() } else { format!("{depth} further steps") };
    let text = Some(format!("a violation of {} would be seen at outputs within {within}", goal.name));
    system.goals.push(Goal { name, text, antecedent, steps, expectation: None, ..goal.clone() })
}
