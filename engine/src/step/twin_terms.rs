//! Terms of a version beside those of the original, in a system that has both.
//!
//! A version computes most of what the original computes, from words that are equal in some states.
//! Whether two terms are equal is a small question, where it is asked from the operands upwards and
//! what was found to be equal is one term from then on (A. Kuehlmann, F. Krohm, DAC 1997: sweeping;
//! here over words); the one whether the results are equal is beyond a solver, where sums and
//! products of floats lie between. Which terms may be equal is seen in steps from reachable states.

use crate::knowledge::task::Task;
use crate::random_simulation::{DRAWS, Random, RandomExecution};
use crate::session::{Session, Stop};
use crate::step::cases::Case;
use crate::step::frames::Frames;
use encoder::EncodeError;
use encoder::circuits::compare::equal;
use model::eval::Evaluator;
use model::product::{DEFINED, twin_name, twins};
use model::sort::Sort;
use model::system::{StateId, TransitionSystem};
use model::term::{BinaryOp, SymbolId, Term, TermId, TermPool, UnaryOp};
use model::value::Value;
use model::visit::cone;
use rustc_hash::FxHashMap;
use solver::sat::Lit;
use std::cmp::Reverse;
use std::mem::discriminant;

/// Steps that terms are compared in.
const STEPS: usize = 512;
/// Terms of the original that one of a version is compared with at most.
const CANDIDATES: usize = 2;
/// Conflicts that all questions about pairs of one case may cost.
const CONFLICTS: u64 = 2_000;
/// Part of the conflicts that are left which one question may cost: where one is too hard, those
/// about what is computed from it mostly are, too.
const SHARE: u64 = 4;
/// Bits from which on arithmetic is hard.
const HARD_WIDTH: u32 = 16;
/// Conflicts that a question may cost in any case.
const FEW_CONFLICTS: u64 = 20;

/// See the module text.
pub(crate) struct TwinTerms {
    /// Terms of the original, operands first.
    originals: Vec<TermId>,
    /// Those of versions that are no terms of the original, operands first.
    own: Vec<TermId>,
    /// Choices of the original between a word that has a twin and something else: of the widest
    /// words first.
    choices: Vec<Choice>,
    /// Where there is one version, the truth that it keeps its meaning, if it may lose it: from
    /// then on it goes on as the original.
    defined: Option<TermId>,
    evaluation: Evaluation,
    steps: Vec<Step>,
}

struct Choice {
    condition: TermId,
    /// The word and its twin.
    words: [StateId; 2],
    /// What it is the alternative to.
    other: TermId,
}

/// A step from a state, with the values of all terms.
struct Step {
    state: Vec<Value>,
    values: Vec<u128>,
}

impl TwinTerms {
    /// Finds the terms of a system in which words have twins, and compares them in steps from these
    /// states, which are reachable. `None`: versions compute nothing that solvers find hard to
    /// compare.
    pub(crate) fn of_hard(task: &Task<'_>, states: &[Vec<Value>], session: &Session<'_>) -> Option<Self> {
        let (system, pool) = (task.system, &task.system.terms);
        let (versions, originals): (Vec<StateId>, Vec<StateId>) =
            system.states.ids().partition(|&state| twin_name(system.state_name(state)).is_some());
        let next = |states: &[StateId]| -> Vec<TermId> {
            states.iter().map(|&state| system.states[state].next).collect()
        };
        let originals = cone(pool, &next(&originals));
        let mut own = next(&versions);
        own.extend(system.goals.values().map(|goal| goal.antecedent));
        let mut own = cone(pool, &own);
        own.retain(|term| originals.binary_search(term).is_err() && pool.as_const(*term).is_none());
        if !own.iter().any(|&term| is_hard(pool, term)) {
            return None;
        }
        let choices = choices(system, &originals);
        let mut defined = versions.iter().filter(|&&word| says_defined(system, word));
        let defined = match (defined.next(), defined.next()) {
            (Some(&only), None) => Some(system.states[only].next).filter(|term| own.contains(term)),
            _ => None,
        };
        let mut evaluation = Evaluation::new(system, originals.iter().chain(&own).copied().collect());
        let mut execution = RandomExecution::new(system, session.options.seed, DRAWS);
        let mut random = Random::new(session.options.seed);
        let mut steps = Vec::new();
        let can_step = evaluation.is_of_one_step() && !states.is_empty();
        while can_step && steps.len() < STEPS {
            let state = states[random.below(states.len())].clone();
            let mut inputs = execution.draw();
            let mut after = state.clone();
            if execution.step(&mut after, &mut inputs) {
                let values = evaluation.of_step(&state, &inputs);
                steps.push(Step { state, values });
            } else if session.is_over() {
                break;
            }
        }
        Some(Self { originals, own, choices, defined, evaluation, steps })
    }

    /// A condition beside those that are known on which it depends in frame 0 what the versions
    /// compute: whether one keeps its meaning, and, where words are looked at, whether one is used
    /// that its twin may differ from.
    ///
    /// # Errors
    /// Where a step cannot be encoded.
    pub(crate) fn undetermined(
        &self,
        frames: &mut Frames<'_>,
        known: &[(TermId, bool)],
        looks_at_words: bool,
    ) -> Result<Option<TermId>, EncodeError> {
        let unrolling = &mut frames.unrolling;
        if let Some(defined) = self.defined.filter(|_| known.is_empty())
            && unrolling.truth(defined, 0)?.constant().is_none()
        {
            return Ok(Some(defined));
        }
        if !looks_at_words || self.is_over(known) {
            return Ok(None);
        }
        for &Choice { condition, words: [own, twin], other } in &self.choices {
            let word = unrolling.state_word(own, 0)?;
            if !known.iter().any(|(term, _)| *term == condition)
                && word != unrolling.state_word(twin, 0)?
                && unrolling.truth(condition, 0)?.constant().is_none()
                && word != unrolling.word(other, 0)?
            {
                return Ok(Some(condition));
            }
        }
        Ok(None)
    }

    /// Whether the version has no meaning in steps in which conditions have these values.
    fn is_over(&self, conditions: &[(TermId, bool)]) -> bool {
        self.defined.is_some_and(|defined| conditions.contains(&(defined, false)))
    }

    /// Makes terms one in frame 0 that are equal in every step of these frames that can be
    /// executed, as far as that is soon told. The frames are those of a case and of values of
    /// conditions; what is `assumed` holds in frame 0.
    ///
    /// # Errors
    /// Where a limit ends it, or a step cannot be encoded.
    pub(crate) fn merge(
        &self,
        frames: &mut Frames<'_>,
        (case, conditions): (&Case, &[(TermId, bool)]),
        assumed: &[Lit],
        session: &Session<'_>,
    ) -> Result<(), Stop> {
        let place = |term: TermId| self.evaluation.places[&term];
        let is_of_case = |step: &&Step| {
            let has = |&(term, value): &(TermId, bool)| (step.values[place(term)] != 0) == value;
            case.contains(&step.state) && conditions.iter().all(has)
        };
        let seen: Vec<&[u128]> =
            self.steps.iter().filter(is_of_case).map(|step| step.values.as_slice()).collect();
        if seen.is_empty() || self.is_over(conditions) {
            return Ok(());
        }
        let pool = &frames.unrolling.system().terms;
        let signature = |term: TermId| -> (Sort, Vec<u128>) {
            (pool.sort(term), seen.iter().map(|values| values[place(term)]).collect())
        };
        let mut alike: FxHashMap<(Sort, Vec<u128>), Vec<TermId>> = FxHashMap::default();
        for &term in &self.originals {
            alike.entry(signature(term)).or_default().push(term);
        }
        let candidates: Vec<(TermId, Vec<TermId>)> = self
            .own
            .iter()
            .filter_map(|&own| {
                let mut all = alike.get(&signature(own))?.clone();
                let shape = discriminant(&pool.node(own));
                all.sort_by_key(|&term| discriminant(&pool.node(term)) != shape);
                all.truncate(CANDIDATES);
                Some((own, all))
            })
            .collect();
        let mut question = assumed.to_vec();
        question.push(frames.running(1)?);
        let leaves = self.evaluation.leaves(frames)?;
        let mut left = CONFLICTS;
        let mut refuting: Vec<Vec<u128>> = Vec::new();
        let mut evaluator = self.evaluation.evaluator.clone();
        for (own, all) in candidates {
            for term in all {
                if refuting.iter().any(|values| values[place(own)] != values[place(term)]) {
                    continue;
                }
                let words = [frames.unrolling.word(own, 0)?, frames.unrolling.word(term, 0)?];
                if words[0] == words[1] {
                    break;
                }
                let conflicts = (left / SHARE).max(FEW_CONFLICTS);
                let differ = !equal(frames.unrolling.graph(), &words[0], &words[1]);
                let differ = frames.encode(differ, 0);
                question.push(differ);
                let answer = frames.ask(&question, conflicts, session)?;
                question.pop();
                match answer {
                    Some(true) => refuting.push(of_model(&mut evaluator, &leaves, frames)),
                    Some(false) => {
                        frames.unrolling.merge([term, own], 0)?;
                        break;
                    }
                    None => left = left.saturating_sub(conflicts),
                }
            }
        }
        Ok(())
    }
}

/// Whether a word says that a version has had a meaning so far.
fn says_defined(system: &TransitionSystem, word: StateId) -> bool {
    twin_name(system.state_name(word)) == Some(DEFINED)
}

/// Whether a term is arithmetic that solvers find hard to compare.
fn is_hard(pool: &TermPool, term: TermId) -> bool {
    use BinaryOp::{FloatAdd, FloatDiv, FloatFmod, FloatMul, FloatRemainder, FloatSub};
    use BinaryOp::{Mul, SDiv, SRem, UDiv, URem};
    match pool.node(term) {
        Term::FloatFma { .. } | Term::Unary { op: UnaryOp::FloatSqrt, .. } => true,
        Term::Binary { op: Mul | UDiv | URem | SDiv | SRem, .. } => pool.width(term) >= HARD_WIDTH,
        Term::Binary { op, .. } => {
            matches!(op, FloatAdd | FloatSub | FloatMul | FloatDiv | FloatFmod | FloatRemainder)
        }
        _ => false,
    }
}

/// See [`TwinTerms`].
fn choices(system: &TransitionSystem, originals: &[TermId]) -> Vec<Choice> {
    let pool = &system.terms;
    let twins: FxHashMap<SymbolId, [StateId; 2]> =
        twins(system).map(|words| (system.states[words[0]].symbol, words)).collect();
    let mut found = Vec::new();
    for &term in originals {
        let Term::Ite { condition, then, otherwise } = pool.node(term) else { continue };
        for (word, other) in [(then, otherwise), (otherwise, then)] {
            let words = pool.as_symbol(word).and_then(|symbol| twins.get(&symbol));
            found.extend(words.map(|&words| Choice { condition, words, other }));
        }
    }
    // Only what is hard to compare is worth cases of its own.
    let width = |choice: &Choice| pool.symbol(system.states[choice.words[0]].symbol).sort.width();
    found.retain(|choice| width(choice) >= HARD_WIDTH);
    found.sort_by_key(|choice| Reverse(width(choice)));
    found
}

/// Computes the values of terms.
struct Evaluation {
    evaluator: Evaluator,
    /// For each term its place among the values.
    places: FxHashMap<TermId, usize>,
    /// The symbols among the terms.
    symbols: FxHashMap<SymbolId, TermId>,
    /// Places of symbols among state words, or among inputs behind these.
    sources: FxHashMap<SymbolId, usize>,
}

impl Evaluation {
    fn new(system: &TransitionSystem, terms: Vec<TermId>) -> Self {
        let words = system.states.values().map(|state| state.symbol);
        let all = words.chain(system.inputs.values().map(|input| input.symbol));
        let sources = all.enumerate().map(|(place, symbol)| (symbol, place)).collect();
        let symbol = |&term: &TermId| Some((system.terms.as_symbol(term)?, term));
        let symbols = terms.iter().filter_map(symbol).collect();
        let places = terms.iter().enumerate().map(|(place, &term)| (term, place)).collect();
        Self { evaluator: Evaluator::new(&system.terms, terms), places, symbols, sources }
    }

    fn of_step(&mut self, state: &[Value], inputs: &[Value]) -> Vec<u128> {
        let Self { evaluator, sources, .. } = self;
        values(evaluator, |symbol| {
            let place = sources[&symbol];
            state.get(place).copied().unwrap_or_else(|| inputs[place - state.len()])
        })
    }

    /// The bits of all symbols among the terms in frame 0.
    fn leaves(&self, frames: &mut Frames<'_>) -> Result<Leaves, EncodeError> {
        let mut leaf = |(&symbol, &term): (&SymbolId, &TermId)| {
            Ok((symbol, frames.unrolling.word_literals(term, 0, &mut frames.solver)?))
        };
        self.symbols.iter().map(&mut leaf).collect()
    }

    /// Whether it can compute them all: whether they are about one step.
    fn is_of_one_step(&self) -> bool {
        self.evaluator.symbols().iter().all(|(symbol, _)| self.sources.contains_key(symbol))
    }
}

/// The values of an evaluator's roots.
fn values(evaluator: &mut Evaluator, environment: impl FnMut(SymbolId) -> Value) -> Vec<u128> {
    evaluator.run(environment);
    (0..evaluator.roots()).map(|root| evaluator.value(root).bits()).collect()
}

/// The values of an evaluator's roots in the solver's model.
fn of_model(evaluator: &mut Evaluator, leaves: &Leaves, frames: &Frames<'_>) -> Vec<u128> {
    let terms = &frames.unrolling.system().terms;
    values(evaluator, |symbol| {
        let bits = leaves[&symbol].iter().enumerate();
        let set = bits.filter(|(_, literal)| frames.solver.is_true(**literal));
        let value = set.fold(0u128, |value, (bit, _)| value | 1 << bit);
        Value::new(terms.symbol(symbol).sort, value)
    })
}

/// The bits of symbols.
type Leaves = FxHashMap<SymbolId, Vec<Lit>>;
