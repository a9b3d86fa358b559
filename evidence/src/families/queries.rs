//! The queries that tie [families](checker::families) of nodes to a system; the same as those of a
//! [graph](super::super::queries), with a free ranged word.
//!
//! | query | asks for |
//! |---|---|
//! | `initial` | an initial state outside all initial families |
//! | `end-N` | a state of Final in a family of batch N that is not marked as an end |
//! | `step-N` | a step from a state in a family of batch N without a matching edge |

use super::super::queries::{Query, state};
use super::super::subject::Subject;
use checker::families::{Families, Family, FamilyEdge, Ranged};
use encoder::EncodeError;
use encoder::aig::Literal;
use encoder::bits::BitBuilder;
use encoder::circuits::{add, compare};
use encoder::unroll::{Start, Unrolling};
use model::id::Id;
use model::system::StateId;
use model::value::Value;
use solver::sat::{ClauseSink, Formula, Lit};

/// Families of one query.
const BATCH: usize = 256;

/// All queries of families, with their names, made one at a time.
pub(crate) fn queries<'f>(
    subject: &'f Subject,
    families: &'f Families,
) -> impl Iterator<Item = (String, Result<Query, EncodeError>)> + 'f {
    let batches = families.families.chunks(BATCH).enumerate();
    let of_batch = move |(number, batch): (usize, &'f [Family])| {
        let has_other_ends = subject.system.end.is_some() && batch.iter().any(|family| !family.end);
        let end = has_other_ends.then(|| (format!("end-{number}"), end(batch, subject, families.ranged)));
        let step = (format!("step-{number}"), step(batch, subject, families.ranged));
        end.into_iter().chain([step])
    };
    let initial = std::iter::once_with(move || ("initial".to_owned(), initial(subject, families)));
    initial.chain(batches.flat_map(of_batch))
}

fn initial(subject: &Subject, families: &Families) -> Result<Query, EncodeError> {
    let mut sink = Formula::new();
    let mut unrolling = Unrolling::new(&subject.system, Start::Initial);
    let state = state(subject, &mut unrolling, 0, &mut sink)?;
    let running = unrolling.running(0, &mut sink)?;
    sink.clause(&[running]);
    let word = subject.words[families.ranged];
    for family in families.families.iter().filter(|family| family.initial) {
        let within = within(&mut unrolling, word, (family.low, family.high))?;
        let mut clause = vec![!unrolling.encode(within, 0, &mut sink)];
        clause.extend(others_differ(&state, &family.values, families.ranged));
        sink.clause(&clause);
    }
    Ok(Query { formula: sink, parts: Vec::new() })
}

fn end(batch: &[Family], subject: &Subject, ranged: usize) -> Result<Query, EncodeError> {
    let mut query = Query::default();
    for family in batch.iter().filter(|family| !family.end) {
        query.part(|sink, selector| {
            let Some(end) = subject.system.end else { return Ok(()) };
            let mut unrolling = from_family(subject, ranged, &family.values, (family.low, family.high));
            let holds = unrolling.literal(end, 0, sink)?;
            let within = within(&mut unrolling, subject.words[ranged], (family.low, family.high))?;
            let within = unrolling.encode(within, 0, sink);
            sink.clause(&[!selector, holds]);
            sink.clause(&[!selector, within]);
            Ok(())
        })?;
    }
    Ok(query.one_of_the_parts())
}

fn step(batch: &[Family], subject: &Subject, ranged: usize) -> Result<Query, EncodeError> {
    let mut query = Query::default();
    for family in batch {
        query.part(|sink, selector| {
            let range = (family.low, family.high);
            let mut step = FamilyStep::new(subject, ranged, &family.values, range, sink)?;
            let within = step.within(range, sink)?;
            sink.clause(&[!selector, step.running]);
            sink.clause(&[!selector, within]);
            for edge in &family.edges {
                if let Some(mut clause) = step.exceeds(edge, sink)? {
                    clause.push(!selector);
                    sink.clause(&clause);
                }
            }
            Ok(())
        })?;
    }
    Ok(query.one_of_the_parts())
}

/// The system in the states of a family: words that the subject does not have may have any value.
fn from_family<'s>(
    subject: &'s Subject,
    ranged: usize,
    values: &[u128],
    (low, high): (u64, u64),
) -> Unrolling<'s> {
    let mut state: Vec<Option<Value>> = vec![None; subject.system.states.len()];
    for (position, (&word, &bits)) in subject.words.iter().zip(values).enumerate() {
        let sort = subject.system.terms.symbol(subject.system.states[word].symbol).sort;
        let fixed = if position == ranged { (low == high).then_some(u128::from(low)) } else { Some(bits) };
        state[word.index()] = fixed.map(|bits| Value::new(sort, bits));
    }
    Unrolling::new(&subject.system, Start::Partial(state))
}

/// Whether a word of the first state lies between two values.
fn within(
    unrolling: &mut Unrolling<'_>,
    word: StateId,
    (low, high): (u64, u64),
) -> Result<Literal, EncodeError> {
    let value = unrolling.state_word(word, 0)?;
    let graph = unrolling.graph();
    let constant =
        |graph: &mut encoder::aig::Aig, number: u64| graph.constant_word(value.len(), u128::from(number));
    let (low, high) = (constant(graph, low), constant(graph, high));
    let above = compare::unsigned_less_equal(graph, &low, &value);
    let below = compare::unsigned_less_equal(graph, &value, &high);
    Ok(graph.and(above, below))
}

/// The literals of a clause that some word but the ranged one has another value.
fn others_differ(state: &[Vec<Lit>], values: &[u128], ranged: usize) -> Vec<Lit> {
    let mut clause = Vec::new();
    for (position, (word, &value)) in state.iter().zip(values).enumerate() {
        if position != ranged {
            let differs =
                |(bit, &literal): (usize, &Lit)| if value >> bit & 1 == 1 { !literal } else { literal };
            clause.extend(word.iter().enumerate().map(differs));
        }
    }
    clause
}

/// The literals of one step from the states of a family; what these decide is the fixed truth or
/// its negation.
pub(super) struct FamilyStep<'s> {
    unrolling: Unrolling<'s>,
    word: StateId,
    ranged: usize,
    /// The ranged word before the step.
    pub(super) before: Vec<Lit>,
    /// Implies that the step can be made.
    pub(super) running: Lit,
    /// The state after it.
    pub(super) next: Vec<Vec<Lit>>,
    /// Whether the step has each label.
    pub(super) labels: Vec<Lit>,
    truth: Lit,
}

impl<'s> FamilyStep<'s> {
    /// From the states with these values of all words but the ranged one, which is free where the
    /// range has more than one value.
    pub(super) fn new(
        subject: &'s Subject,
        ranged: usize,
        values: &[u128],
        range: (u64, u64),
        sink: &mut dyn ClauseSink,
    ) -> Result<Self, EncodeError> {
        let mut unrolling = from_family(subject, ranged, values, range);
        let word = subject.words[ranged];
        let next = state(subject, &mut unrolling, 1, sink)?;
        let mut labels = Vec::new();
        for label in subject.system.goals.values() {
            labels.push(unrolling.literal(label.antecedent, 0, sink)?);
        }
        let running = unrolling.running(1, sink)?;
        let before = unrolling.state_literals(word, 0, sink)?;
        let truth = unrolling.fixed_true(sink);
        Ok(Self { unrolling, word, ranged, before, running, next, labels, truth })
    }

    /// Whether the ranged word lies between two values before the step.
    pub(super) fn within(
        &mut self,
        range: (u64, u64),
        sink: &mut dyn ClauseSink,
    ) -> Result<Lit, EncodeError> {
        let within = within(&mut self.unrolling, self.word, range)?;
        Ok(self.unrolling.encode(within, 0, sink))
    }

    /// The clause that the step goes elsewhere or has other labels than the edge. `None`: it does
    /// in any case.
    pub(super) fn exceeds(
        &mut self,
        edge: &FamilyEdge,
        sink: &mut dyn ClauseSink,
    ) -> Result<Option<Vec<Lit>>, EncodeError> {
        let mut clause = vec![!self.arrives(edge.ranged, sink)?];
        clause.extend(others_differ(&self.next, &edge.values, self.ranged));
        let missing = (0..self.labels.len()).filter(|label| edge.labels.binary_search(label).is_err());
        clause.extend(missing.map(|label| self.labels[label]));
        clause.retain(|&literal| literal != !self.truth);
        Ok((!clause.contains(&self.truth)).then_some(clause))
    }

    /// Whether the ranged word is as the edge says after the step.
    fn arrives(&mut self, ranged: Ranged, sink: &mut dyn ClauseSink) -> Result<Lit, EncodeError> {
        let (before, after) =
            (self.unrolling.state_word(self.word, 0)?, self.unrolling.state_word(self.word, 1)?);
        let graph = self.unrolling.graph();
        let expected = match ranged {
            Ranged::Value(value) => graph.constant_word(after.len(), u128::from(value)),
            Ranged::Shift(shift) => {
                let shift = graph.constant_word(before.len(), shift as i128 as u128);
                add::add(graph, &before, &shift)
            }
        };
        let arrives = compare::equal(graph, &after, &expected);
        Ok(self.unrolling.encode(arrives, 0, sink))
    }
}
