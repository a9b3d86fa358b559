//! Two systems under the same inputs: where they differ in what is seen.
//!
//! A [`Join`] holds an original system and grows by versions of it. A word of a version that is
//! bound to have the value of the original's word of the same name, because both start and change
//! alike, is that word; only the others are added. The words that are alike are the greatest set
//! that is consistent: all are taken to be alike, and those that start otherwise or change
//! otherwise are taken out until nothing changes any more (van Eijk, *Sequential equivalence
//! checking based on structural similarities*, TCAD 2000, with equality of terms in place of
//! queries). So it is with external calls: one with the arguments of the original's has its result,
//! another one has a result of its own, under what is known of the library.

use crate::external::Call;
use crate::id::Id;
use crate::sort::Sort;
use crate::system::{Assumption, Goal, InputId, InputRole, StateId, TransitionSystem};
use crate::term::{BinaryOp, SymbolId, TermId, TermPool, UnaryOp};
use crate::trace::Trace;
use crate::validate::{Meaning, Validated};
use crate::visit::Transfer;
use rustc_hash::{FxHashMap, FxHashSet};

/// The name of the original's word that a version's word of this name stands beside, in a join.
pub fn twin_name(name: &str) -> Option<&str> {
    let (original, number) = name.rsplit_once('@')?;
    number.parse::<usize>().is_ok().then_some(original)
}

/// Whose twin the word of a version is that says that it has had a meaning so far: of none, since a
/// name of the original has no such form.
pub const DEFINED: &str = "@defined";

/// The words of a join that have twins: the original's, and a version's of the same name and sort.
pub fn twins(system: &TransitionSystem) -> impl Iterator<Item = [StateId; 2]> + '_ {
    let words: FxHashMap<&str, StateId> =
        system.states.ids().map(|state| (system.state_name(state), state)).collect();
    let sort = |state: StateId| system.terms.symbol(system.states[state].symbol).sort;
    system.states.ids().filter_map(move |state| {
        let twin = *words.get(twin_name(system.state_name(state))?)?;
        (sort(twin) == sort(state)).then_some([twin, state])
    })
}

/// What a version is compared by.
#[derive(Clone, Debug, Default)]
pub struct Observation {
    /// Positions of outputs that are seen, of the original and of the version.
    pub outputs: Vec<(usize, usize)>,
    /// Conditions over (state, input) of the version, all of which hold while it has a meaning.
    pub defined: Vec<TermId>,
    /// Assumptions of the version that hold of every library that its calls may ask: they say what
    /// the results of calls are, and not which executions count.
    pub facts: Vec<TermId>,
    /// How soon a difference has to be seen; none: in any step.
    pub soon: Option<Soon>,
}

/// How soon a difference has to be seen.
#[derive(Clone, Debug)]
pub struct Soon {
    /// Steps from the first difference to the one after which it is seen, at most.
    pub most: u32,
    /// Positions of outputs of the original and of the version: there is a difference after a step
    /// where two of them differ. What is seen has to be among them.
    pub differing: Vec<(usize, usize)>,
}

/// What is known of a version without any search, and the truths to search for.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Truth over (state, input) of the join: an output that is seen differs after the step, soon
    /// enough, and the version has had a meaning up to there.
    pub kills: TermId,
    /// Truth over (state, input): the version loses its meaning in this step, which is soon enough
    /// for a difference to be seen.
    pub leaves: TermId,
    /// State words of the version that are not the original's.
    pub own_words: usize,
}

/// What a version does not share with the original.
#[derive(Clone, Debug, Default, PartialEq)]
struct Own {
    /// For words of the version those of the join that stand for them.
    words: FxHashMap<StateId, StateId>,
    /// For results of its calls the inputs of the join that stand for them.
    results: FxHashMap<InputId, InputId>,
}

/// A step of a version beside the original's.
struct Compared {
    /// Truth: an output that is seen differs.
    differs: TermId,
    /// Truth: the version has a meaning.
    holds: TermId,
}

/// Why a version cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmatched {
    /// It reads something that the original does not.
    #[error("it reads the input {0}, which the original does not read, or not with this type")]
    Input(String),
    /// Its initial state is restricted otherwise.
    #[error("its initial state is restricted otherwise than the original's")]
    Start,
    /// It reads memory that the original does not keep.
    #[error("it reads {0} of the step before, which the original does not")]
    Memory(String),
    /// It calls functions of mathematics otherwise.
    #[error(
        "it calls functions of mathematics otherwise than the original, whose results are not known to be alike"
    )]
    Call,
}

/// An original system with versions beside it; its goals are those that are added.
#[derive(Clone)]
pub struct Join {
    /// The system so far. Its first words and inputs are the original's.
    pub system: TransitionSystem,
    inputs: FxHashMap<String, (SymbolId, Sort)>,
    words: FxHashMap<String, StateId>,
    originals: usize,
    original_calls: usize,
    original_inputs: usize,
    outputs: Vec<TermId>,
    assumed: FxHashSet<TermId>,
    assumed_at_start: FxHashSet<TermId>,
    hazards: FxHashSet<TermId>,
    versions: usize,
}

impl Join {
    /// The original alone, without goals and without a condition on the end. Its executions are
    /// those in which all of `defined` hold and no hazard is met that leaves open what follows.
    pub fn new(original: &Validated, defined: &[TermId]) -> Self {
        let mut system: TransitionSystem = (**original).clone();
        system.goals = std::iter::empty().collect();
        system.end = None;
        let hazards: FxHashSet<TermId> = open_hazards(original).collect();
        let excluded: Vec<TermId> = hazards.iter().copied().collect();
        let mut excluded: Vec<TermId> = excluded.into_iter().map(|hazard| system.terms.not(hazard)).collect();
        excluded.sort_unstable();
        excluded.extend_from_slice(defined);
        for condition in excluded {
            let assumption = Assumption { condition, origin: None };
            system.assumptions.push(assumption);
        }
        system.hazards.clear();
        let names = |symbol: SymbolId| {
            let symbol = system.terms.symbol(symbol);
            (symbol.name.clone(), symbol.sort)
        };
        let all = system.inputs.values().chain(system.initial_inputs.values());
        let inputs = all.map(|input| {
            let (name, sort) = names(input.symbol);
            (name, (input.symbol, sort))
        });
        let inputs = inputs.collect();
        let words = system.states.iter().map(|(id, state)| (names(state.symbol).0, id)).collect();
        let conditions = |list: &[Assumption]| list.iter().map(|one| one.condition).collect();
        Self {
            inputs,
            words,
            originals: system.states.len(),
            original_calls: system.external_calls.len(),
            original_inputs: system.inputs.len(),
            outputs: system.outputs.iter().map(|output| output.value).collect(),
            assumed: conditions(&system.assumptions),
            assumed_at_start: conditions(&system.initial_assumptions),
            hazards,
            versions: 0,
            system,
        }
    }

    /// Adds a version.
    ///
    /// # Errors
    /// Where it is no version of the original: see [`Unmatched`]. Nothing is added then that
    /// matters.
    pub fn add(&mut self, version: &Validated, seen: &Observation) -> Result<Difference, Unmatched> {
        self.versions += 1;
        let mut own = Own::default();
        let mut starts = Transfer::new();
        let mut init: Vec<TermId> = Vec::new();
        for (id, state) in version.states.iter() {
            let copy = self.copy(&mut starts, version, &own, state.init)?;
            init.push(copy);
            let twin = self.twin(version, id).map(|twin| self.system.states[twin].init);
            if twin != Some(copy) {
                self.split(version, id, &mut own);
            }
        }
        for assumption in &version.initial_assumptions {
            let copy = self.copy(&mut starts, version, &own, assumption.condition)?;
            if !self.assumed_at_start.contains(&copy) && !self.is_true(copy) {
                return Err(Unmatched::Start);
            }
        }
        for call in &version.external_calls {
            if self.twin_call(version, call).is_none() {
                self.split_call(version, call, &mut own);
            }
        }
        let mut steps = loop {
            let mut transfer = Transfer::new();
            let known = own.clone();
            for (id, state) in version.states.iter() {
                let copy = self.copy(&mut transfer, version, &own, state.next)?;
                let twin = self.twin(version, id).map(|twin| self.system.states[twin].next);
                if !own.words.contains_key(&id) && twin != Some(copy) {
                    self.split(version, id, &mut own);
                }
            }
            for call in &version.external_calls {
                let arguments = self.arguments(&mut transfer, version, &own, call)?;
                let twin = self.twin_call(version, call).map(|twin| &twin.arguments);
                if !own.results.contains_key(&call.input) && twin != Some(&arguments) {
                    self.split_call(version, call, &mut own);
                }
            }
            if own == known {
                break transfer;
            }
        };
        for (id, state) in version.states.iter() {
            if let Some(&word) = own.words.get(&id) {
                self.system.states[word].init = init[id.index()];
                self.system.states[word].next = self.copy(&mut steps, version, &own, state.next)?;
            }
        }
        self.add_calls(&mut steps, version, &own)?;
        let (mut difference, still) = self.difference(&mut steps, version, &own, seen)?;
        let is_over = self.system.terms.not(still);
        let mut done = self.system.terms.or(difference.kills, is_over);
        if let Some(soon) = &seen.soon {
            let is_late = self.limit(&mut steps, version, &own, (soon, &mut difference))?;
            done = self.system.terms.or(done, is_late);
        }
        self.rejoin(version, &own, done);
        Ok(difference)
    }

    /// Adds a version that does each step from the memory that the original has there (weak
    /// mutation: Howden, *Weak mutation testing and completeness of test sets*, TSE 8(4), 1982).
    /// Memory that is to be compared has to be among the outputs that are seen. A version that
    /// starts with other memory is told from the original in the first step.
    ///
    /// # Errors
    /// As for [`Join::add`].
    pub fn add_step(&mut self, version: &Validated, seen: &Observation) -> Result<Difference, Unmatched> {
        self.versions += 1;
        let own = Own::default();
        let mut starts = Transfer::new();
        let mut starts_alike = self.system.terms.truth(true);
        for (id, state) in version.states.iter() {
            let Some(twin) = self.twin(version, id) else {
                return Err(Unmatched::Memory(version.terms.symbol(state.symbol).name.clone()));
            };
            let copy = self.copy(&mut starts, version, &own, state.init)?;
            let original = self.system.states[twin].init;
            let is_equal = self.system.terms.agree(original, copy);
            starts_alike = self.system.terms.and(starts_alike, is_equal);
        }
        for assumption in &version.initial_assumptions {
            let copy = self.copy(&mut starts, version, &own, assumption.condition)?;
            if !self.assumed_at_start.contains(&copy) && !self.is_true(copy) {
                return Err(Unmatched::Start);
            }
        }
        let mut steps = Transfer::new();
        self.check_calls(&mut steps, version, &own)?;
        let Compared { differs, holds } = self.compare(&mut steps, version, &own, seen)?;
        let mut kills = self.system.terms.and(holds, differs);
        let leaves = self.system.terms.not(holds);
        if !self.is_true(starts_alike) {
            let word = self.system.add_state(&format!("@start@{}", self.versions), Sort::word(1));
            let terms = &mut self.system.terms;
            self.system.states[word].init = terms.not(starts_alike);
            self.system.states[word].next = terms.truth(false);
            let starts_otherwise = self.system.state_term(word);
            kills = self.system.terms.or(kills, starts_otherwise);
        }
        Ok(Difference { kills, leaves, own_words: 0 })
    }

    /// Counts steps from the first difference on, and takes away what comes too late to be seen.
    /// The truth over (state, input) that nothing later can be seen in time. A version that has been
    /// told from the original is late from then on, too.
    fn limit(
        &mut self,
        steps: &mut Transfer,
        version: &Validated,
        own: &Own,
        (soon, difference): (&Soon, &mut Difference),
    ) -> Result<TermId, Unmatched> {
        let differs = self.any_differs(steps, version, own, &soon.differing)?;
        // 0: there was no difference; else the steps since, up to one that is too many.
        let late = u64::from(soon.most) + 1;
        let width = u64::BITS - late.leading_zeros();
        let word = self.system.add_state(&format!("@lag@{}", self.versions), Sort::word(width));
        let lag = self.system.state_term(word);
        let terms = &mut self.system.terms;
        let [none, one, late] = [0, 1, late].map(|steps| terms.word(width, steps.into()));
        let was_none = terms.equal(lag, none);
        let was_late = terms.equal(lag, late);
        let in_time = terms.not(was_late);
        difference.kills = terms.and(difference.kills, in_time);
        difference.leaves = terms.and(difference.leaves, in_time);
        let begun = terms.ite(differs, one, none);
        let more = terms.binary(BinaryOp::Add, lag, one);
        let more = terms.ite(was_late, late, more);
        let next = terms.ite(was_none, begun, more);
        let next = terms.ite(difference.kills, late, next);
        let is_late = terms.equal(next, late);
        self.system.states[word].init = none;
        self.system.states[word].next = next;
        Ok(is_late)
    }

    /// Makes a version that was told from the original, or has no meaning any more, or differs too
    /// late to be told (`done`), go on as the original: what it would do then tells nothing that is
    /// not known, and states in which versions differ would be many. A chain has an occurrence of
    /// `kills` only if it has one before which this changes nothing.
    fn rejoin(&mut self, version: &Validated, own: &Own, done: TermId) {
        for (id, _) in version.states.iter() {
            let Some(&word) = own.words.get(&id) else { continue };
            let target = match self.twin(version, id) {
                Some(twin) => self.system.states[twin].next,
                None => self.system.states[word].init,
            };
            let is_over_start = !self.system.initial_inputs.is_empty();
            if is_over_start && self.twin(version, id).is_none() {
                continue;
            }
            let next = self.system.states[word].next;
            self.system.states[word].next = self.system.terms.ite(done, target, next);
        }
    }

    /// The truth that one of these pairs of outputs, of the original and of the version, differs.
    fn any_differs(
        &mut self,
        steps: &mut Transfer,
        version: &Validated,
        own: &Own,
        pairs: &[(usize, usize)],
    ) -> Result<TermId, Unmatched> {
        let mut differs = self.system.terms.truth(false);
        for &(one, other) in pairs {
            let value = self.copy(steps, version, own, version.outputs[other].value)?;
            let terms = &mut self.system.terms;
            let is_equal = terms.agree(self.outputs[one], value);
            let differ = terms.not(is_equal);
            differs = terms.or(differs, differ);
        }
        Ok(differs)
    }

    /// What a step of a version shows beside that of the original.
    fn compare(
        &mut self,
        steps: &mut Transfer,
        version: &Validated,
        own: &Own,
        seen: &Observation,
    ) -> Result<Compared, Unmatched> {
        let differs = self.any_differs(steps, version, own, &seen.outputs)?;
        let mut holds = self.system.terms.truth(true);
        let assumptions = version.assumptions.iter().map(|assumption| assumption.condition);
        for condition in assumptions.chain(seen.defined.iter().copied()) {
            let copy = self.copy(steps, version, own, condition)?;
            if seen.facts.contains(&condition) {
                self.assume(copy);
            } else if !self.assumed.contains(&copy) {
                holds = self.system.terms.and(holds, copy);
            }
        }
        for hazard in open_hazards(version).collect::<Vec<_>>() {
            let copy = self.copy(steps, version, own, hazard)?;
            if !self.hazards.contains(&copy) {
                let excluded = self.system.terms.not(copy);
                holds = self.system.terms.and(holds, excluded);
            }
        }
        Ok(Compared { differs, holds })
    }

    /// The difference, and the truth that the version has had a meaning up to the end of the step.
    fn difference(
        &mut self,
        steps: &mut Transfer,
        version: &Validated,
        own: &Own,
        seen: &Observation,
    ) -> Result<(Difference, TermId), Unmatched> {
        let Compared { differs, holds } = self.compare(steps, version, own, seen)?;
        let (mut kills, mut leaves) = (differs, self.system.terms.truth(false));
        let mut still = self.system.terms.truth(true);
        if !self.is_true(holds) {
            let word = self.system.add_state(&format!("{DEFINED}@{}", self.versions), Sort::word(1));
            let so_far = self.system.state_term(word);
            let terms = &mut self.system.terms;
            still = terms.and(so_far, holds);
            let fails = terms.not(holds);
            leaves = terms.and(so_far, fails);
            kills = terms.and(still, differs);
            self.system.states[word].init = terms.truth(true);
            self.system.states[word].next = still;
        }
        Ok((Difference { kills, leaves, own_words: own.words.len() }, still))
    }

    /// An execution of the join as one of the original: results of calls that versions make
    /// otherwise are none of its inputs.
    pub fn of_original(&self, mut trace: Trace) -> Trace {
        trace.inputs.iter_mut().for_each(|row| row.truncate(self.original_inputs));
        trace
    }

    /// Adds a goal: a step in which a truth of the join holds.
    pub fn add_goal(&mut self, name: &str, antecedent: TermId) {
        self.system.goals.push(Goal {
            name: name.to_owned(),
            requirement: None,
            text: None,
            origin: None,
            steps: 1,
            antecedent,
            expectation: None,
        });
    }

    /// Whether a term is the truth that never holds.
    pub fn is_false(&self, term: TermId) -> bool {
        self.system.terms.as_const(term).is_some_and(|value| value.bits() == 0)
    }

    fn is_true(&self, term: TermId) -> bool {
        self.system.terms.as_const(term).is_some_and(|value| value.bits() == 1)
    }

    /// The original's word of the name and sort of a version's.
    fn twin(&self, version: &Validated, id: StateId) -> Option<StateId> {
        let symbol = version.terms.symbol(version.states[id].symbol);
        let twin = *self.words.get(&symbol.name)?;
        let sort = self.system.terms.symbol(self.system.states[twin].symbol).sort;
        (sort == symbol.sort && twin.index() < self.originals).then_some(twin)
    }

    fn split(&mut self, version: &Validated, id: StateId, own: &mut Own) {
        let symbol = version.terms.symbol(version.states[id].symbol);
        let name = format!("{}@{}", symbol.name, self.versions);
        let word = self.system.add_state(&name, symbol.sort);
        own.words.insert(id, word);
    }

    fn copy(
        &mut self,
        transfer: &mut Transfer,
        version: &Validated,
        own: &Own,
        root: TermId,
    ) -> Result<TermId, Unmatched> {
        let mut missing = None;
        let (states, inputs, words) = (&self.system.states, &self.inputs, &self.words);
        let results = &self.system.inputs;
        let symbol = |pool: &mut TermPool, symbol: SymbolId| {
            let declared = version.terms.symbol(symbol);
            let own_result = |id| own.results.get(&id).map(|&input| results[input].symbol);
            let target = match version.meaning(symbol) {
                Meaning::State(id) => {
                    own.words.get(&id).or_else(|| words.get(&declared.name)).map(|&word| states[word].symbol)
                }
                Meaning::Input(id) if own.results.contains_key(&id) => own_result(id),
                _ => inputs.get(&declared.name).filter(|(_, sort)| *sort == declared.sort).map(|(id, _)| *id),
            };
            let target = target.unwrap_or_else(|| {
                missing = Some(declared.name.clone());
                pool.fresh_symbol(&declared.name, declared.sort)
            });
            pool.symbol_term(target)
        };
        let copy = transfer.copy(&version.terms, &mut self.system.terms, root, symbol);
        missing.map_or(Ok(copy), |name| Err(Unmatched::Input(name)))
    }

    /// Adds a condition to those under which executions count.
    fn assume(&mut self, condition: TermId) {
        if !self.is_true(condition) && self.assumed.insert(condition) {
            self.system.assumptions.push(Assumption { condition, origin: None });
        }
    }

    /// The original's call of the function of a version's whose result has the same name.
    fn twin_call(&self, version: &Validated, call: &Call) -> Option<&Call> {
        let name = version.input_name(call.input);
        self.system.external_calls.iter().take(self.original_calls).find(|known| {
            (known.function, known.format) == (call.function, call.format)
                && self.system.input_name(known.input) == name
        })
    }

    /// Gives a call of a version a result of its own.
    fn split_call(&mut self, version: &Validated, call: &Call, own: &mut Own) {
        let name = format!("{}@{}", version.input_name(call.input), self.versions);
        let result = self.system.add_input(&name, Sort::Float(call.format), InputRole::Choice);
        own.results.insert(call.input, result);
    }

    /// The arguments of a call of a version, as terms of the join.
    fn arguments(
        &mut self,
        steps: &mut Transfer,
        version: &Validated,
        own: &Own,
        call: &Call,
    ) -> Result<Vec<TermId>, Unmatched> {
        call.arguments.iter().map(|&argument| self.copy(steps, version, own, argument)).collect()
    }

    /// Adds the calls whose results are a version's own. A function gives equal results for equal
    /// arguments, whoever calls it (W. Ackermann, *Solvable cases of the decision problem*, 1954).
    fn add_calls(&mut self, steps: &mut Transfer, version: &Validated, own: &Own) -> Result<(), Unmatched> {
        for call in &version.external_calls {
            let Some(&input) = own.results.get(&call.input) else { continue };
            let arguments = self.arguments(steps, version, own, call)?;
            let is_like = |known: &&Call| (known.function, known.format) == (call.function, call.format);
            let calls = self.system.external_calls.iter().take(self.original_calls);
            let known: Vec<Call> = calls.filter(is_like).cloned().collect();
            for known in known {
                let result = (self.system.input_term(known.input), self.system.input_term(input));
                let pairs = known.arguments.iter().copied().zip(arguments.iter().copied());
                let are_same: Vec<TermId> = pairs.map(|pair| self.has_same_bits(pair)).collect();
                let are_same = self.system.terms.conjunction(are_same);
                let is_same = self.has_same_bits(result);
                let condition = self.system.terms.implies(are_same, is_same);
                self.assume(condition);
            }
            // Where it stands in the version is no place in the original.
            self.system.external_calls.push(Call { input, arguments, origin: None, ..call.clone() });
        }
        Ok(())
    }

    /// The truth that two floats have the same bits.
    fn has_same_bits(&mut self, (left, right): (TermId, TermId)) -> TermId {
        let terms = &mut self.system.terms;
        let [left, right] = [left, right].map(|float| terms.unary(UnaryOp::FloatToBits, float));
        terms.equal(left, right)
    }

    /// Results of external calls are inputs; they are alike only where the calls are.
    fn check_calls(&mut self, steps: &mut Transfer, version: &Validated, own: &Own) -> Result<(), Unmatched> {
        let calls = version.external_calls.clone();
        let name = |system: &TransitionSystem, input| system.input_name(input).to_owned();
        for call in &calls {
            let result = name(version, call.input);
            let known =
                self.system.external_calls.iter().find(|known| name(&self.system, known.input) == result);
            let known = known.cloned().ok_or(Unmatched::Call)?;
            let mut copies = Vec::new();
            for &argument in &call.arguments {
                copies.push(self.copy(steps, version, own, argument)?);
            }
            if known.function != call.function || known.arguments != copies {
                return Err(Unmatched::Call);
            }
        }
        Ok(())
    }
}

/// The conditions of hazards behind which anything may happen.
pub(crate) fn open_hazards(system: &TransitionSystem) -> impl Iterator<Item = TermId> {
    let is_open = |hazard: &&crate::system::Hazard| hazard.effect == crate::system::HazardEffect::Open;
    system.hazards.iter().filter(is_open).map(|hazard| hazard.condition)
}

/// For each input of a version the position of the original's input of the same name and sort.
/// `None`: the result of an external call, which is computed.
///
/// # Errors
/// [`Unmatched::Input`]: an input that the original does not have.
pub fn inputs_of(version: &Validated, original: &Validated) -> Result<Vec<Option<usize>>, Unmatched> {
    let positions = version.inputs.iter().map(|(id, input)| {
        let known = original.inputs.values().map(|input| input.symbol);
        let found = position(version, input.symbol, original, known);
        let is_result = version.external_calls.iter().any(|call| call.input == id);
        match found {
            Err(_) if is_result => Ok(None),
            found => found.map(Some),
        }
    });
    positions.collect()
}

/// As [`inputs_of`], for the inputs of the initial state.
///
/// # Errors
/// As for [`inputs_of`].
pub fn initial_inputs_of(version: &Validated, original: &Validated) -> Result<Vec<usize>, Unmatched> {
    let known = || original.initial_inputs.values().map(|input| input.symbol);
    let inputs = version.initial_inputs.values();
    inputs.map(|input| position(version, input.symbol, original, known())).collect()
}

/// The position of the symbol among those of the original that are given.
fn position(
    version: &Validated,
    symbol: SymbolId,
    original: &Validated,
    mut known: impl Iterator<Item = SymbolId>,
) -> Result<usize, Unmatched> {
    let symbol = version.terms.symbol(symbol);
    let is_it = |other: SymbolId| {
        let other = original.terms.symbol(other);
        other.name == symbol.name && other.sort == symbol.sort
    };
    known.position(is_it).ok_or_else(|| Unmatched::Input(symbol.name.clone()))
}
