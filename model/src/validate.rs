//! The invariants of a well-formed system, and the type that stands for having checked them.
//!
//! Everything downstream takes a [`Validated`] and indexes freely. [`validate`] checks that
//!
//! * **terms** refer only to operands with smaller ids, and have the sort that their operator gives
//!   them;
//! * **tables** name terms and symbols of the pool; a symbol stands for one state, one input or one
//!   initial input, not for two of them; the symbols of tables are not framed;
//! * **initial inputs**: `initial_assumptions` are truths over initial inputs;
//! * **states**: `init` is over initial inputs, `next` over (state, input), both of the state's
//!   sort;
//! * **steps**: `outputs`, `assumptions` and `hazards` are over (state, input), the latter two
//!   truths;
//! * **state predicates**: `invariants` and `end` are truths over states;
//! * **external calls**: as many arguments as the function has, over (state, input), and an input
//!   for the result, all of the call's format;
//! * **goals** have different names and windows of one step or more; antecedent and expectation are
//!   truths over the window: states at frames `0 ..= steps`, inputs at frames `0 .. steps`.
//!
//! "Over (state, input)" means: every symbol that the term depends on is an unframed state or input
//! symbol of the tables. A symbol of the pool may stand in no table; then no term of the system
//! depends on it.

use crate::external::Call;
use crate::id::{Id, IdVec};
use crate::sort::Sort;
use crate::system::{Goal, InitialInputId, InputId, StateId, TransitionSystem};
use crate::term::{SymbolId, TermId};
use crate::visit::cone;
use rustc_hash::FxHashSet;
use std::ops::Deref;
use thiserror::Error;

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A state word before the step, or at the start of a window.
    State(StateId),
    /// An input of the step, or of the first step of a window.
    Input(InputId),
    /// An initial input.
    Initial(InitialInputId),
    /// A symbol at a later frame of a window.
    Framed {
        /// The symbol, which is itself not framed.
        base: SymbolId,
        /// Steps after the window's first state, at least 1.
        offset: u32,
    },
    /// Nothing: no term of the system depends on it.
    Nothing,
}

/// A system whose invariants were checked, with the meaning of its symbols.
#[derive(Clone)]
pub struct Validated {
    system: TransitionSystem,
    meanings: IdVec<SymbolId, Meaning>,
}

impl Validated {
    /// What a symbol of the pool stands for.
    pub fn meaning(&self, symbol: SymbolId) -> Meaning {
        self.meanings[symbol]
    }
    /// The system, for further changes; they must be validated again.
    pub fn into_system(self) -> TransitionSystem {
        self.system
    }
}

impl Deref for Validated {
    type Target = TransitionSystem;
    fn deref(&self) -> &TransitionSystem {
        &self.system
    }
}

/// A violated invariant: a defect of whoever built the system.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Malformed {
    /// A term that is not well-sorted or refers forwards.
    #[error("term {term:?} is malformed: {reason}")]
    Term {
        /// The term.
        term: TermId,
        /// What is wrong with it.
        reason: String,
    },
    /// A table entry whose term is not in the pool.
    #[error("{place} is no term of the system's pool")]
    DanglingTerm {
        /// The entry.
        place: String,
    },
    /// A table entry whose symbol is not in the pool.
    #[error("{place} has no symbol of the system's pool")]
    DanglingSymbol {
        /// The entry.
        place: String,
    },
    /// A symbol that two table entries share.
    #[error("symbol `{name}` stands for more than one state or input")]
    SharedSymbol {
        /// Name of the symbol.
        name: String,
    },
    /// A framed symbol in a table.
    #[error("symbol `{name}` is framed and cannot stand for a state or input")]
    FramedSymbol {
        /// Name of the symbol.
        name: String,
    },
    /// A term of the wrong sort for its entry.
    #[error("{place} should have sort {expected}, not {found}")]
    Sort {
        /// The entry.
        place: String,
        /// The sort needed.
        expected: Sort,
        /// The term's sort.
        found: Sort,
    },
    /// A term that depends on a symbol it must not depend on.
    #[error("{place} should not depend on `{symbol}`: it is over {allowed}")]
    Symbol {
        /// The entry.
        place: String,
        /// Name of the symbol.
        symbol: String,
        /// What it may depend on.
        allowed: &'static str,
    },
    /// A goal with an empty window.
    #[error("goal `{name}` has a window of no steps")]
    EmptyWindow {
        /// Name of the goal.
        name: String,
    },
    /// An external call without an input for its result, or with another number of arguments than
    /// its function.
    #[error("external call {number} has no input for its result or not the arguments of its function")]
    ExternalCall {
        /// Its number.
        number: usize,
    },
    /// A second goal of the same name.
    #[error("more than one goal is named `{name}`")]
    GoalName {
        /// The shared name.
        name: String,
    },
}

/// Checks the invariants that the module text lists.
///
/// # Errors
/// All violations found; where terms or tables are broken, only those.
pub fn validate(system: TransitionSystem) -> Result<Validated, Vec<Malformed>> {
    let mut malformed = malformed_terms(&system);
    malformed.extend(dangling_entries(&system));
    malformed.extend(malformed_calls(&system));
    if !malformed.is_empty() {
        return Err(malformed);
    }
    let (meanings, mut malformed) = meanings(&system);
    let checker =
        Checker { dependencies: dependencies(&system, &meanings), system: &system, meanings: &meanings };
    malformed.extend(checker.malformed_entries());
    if malformed.is_empty() { Ok(Validated { system, meanings }) } else { Err(malformed) }
}

fn malformed_calls(system: &TransitionSystem) -> impl Iterator<Item = Malformed> + '_ {
    let is_malformed = |call: &Call| {
        let input = system.inputs.get(call.input).and_then(|input| system.terms.symbols().get(input.symbol));
        call.arguments.len() != call.function.arguments()
            || input.is_none_or(|symbol| symbol.sort != Sort::Float(call.format))
    };
    let calls = system.external_calls.iter().enumerate();
    calls.filter(move |(_, call)| is_malformed(call)).map(|(number, _)| Malformed::ExternalCall { number })
}

fn malformed_terms(system: &TransitionSystem) -> Vec<Malformed> {
    let pool = &system.terms;
    let mut malformed = Vec::new();
    for term in (0..pool.len()).map(TermId::new) {
        let node = pool.node(term);
        if node.operands().any(|operand| operand >= term) {
            malformed.push(Malformed::Term { term, reason: "an operand does not precede it".to_owned() });
            continue;
        }
        match pool.sort_of(&node) {
            Ok(sort) if sort == pool.sort(term) => {}
            Ok(sort) => {
                let reason = format!("its sort is {sort}, not {}", pool.sort(term));
                malformed.push(Malformed::Term { term, reason });
            }
            Err(reason) => malformed.push(Malformed::Term { term, reason }),
        }
    }
    malformed
}

/// What a root term of a system is over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Initial,
    Step,
    State,
    Window { steps: u32 },
}

impl Scope {
    const fn description(self) -> &'static str {
        match self {
            Self::Initial => "initial inputs",
            Self::Step => "states and inputs",
            Self::State => "states",
            Self::Window { .. } => "the states and inputs of its window",
        }
    }
}

/// A root term with its place in the tables.
struct Entry {
    place: String,
    term: TermId,
    scope: Scope,
    /// The sort it must have; `None` where every sort will do.
    sort: Option<Sort>,
}

/// All root terms of a system. States' symbols must be in the pool.
fn entries(system: &TransitionSystem) -> Vec<Entry> {
    let mut entries = Vec::new();
    let truth = Some(Sort::TRUTH);
    let mut add = |place: String, term, scope, sort| entries.push(Entry { place, term, scope, sort });
    for (id, state) in system.states.iter() {
        let sort = Some(system.terms.symbol(state.symbol).sort);
        add(format!("init of state `{}`", system.state_name(id)), state.init, Scope::Initial, sort);
        add(format!("next of state `{}`", system.state_name(id)), state.next, Scope::Step, sort);
    }
    for (number, assumption) in system.initial_assumptions.iter().enumerate() {
        add(format!("initial assumption {number}"), assumption.condition, Scope::Initial, truth);
    }
    for output in &system.outputs {
        add(format!("output `{}`", output.name), output.value, Scope::Step, None);
    }
    for (number, assumption) in system.assumptions.iter().enumerate() {
        add(format!("assumption {number}"), assumption.condition, Scope::Step, truth);
    }
    for (number, invariant) in system.invariants.iter().enumerate() {
        add(format!("invariant {number}"), invariant.condition, Scope::State, truth);
    }
    for goal in system.goals.values() {
        let scope = Scope::Window { steps: goal.steps };
        add(format!("antecedent of goal `{}`", goal.name), goal.antecedent, scope, truth);
        if let Some(expectation) = goal.expectation {
            add(format!("expectation of goal `{}`", goal.name), expectation, scope, truth);
        }
    }
    if let Some(end) = system.end {
        add("end".to_owned(), end, Scope::State, truth);
    }
    for (number, hazard) in system.hazards.iter().enumerate() {
        add(format!("hazard {number}"), hazard.condition, Scope::Step, truth);
    }
    for (number, call) in system.external_calls.iter().enumerate() {
        for &argument in &call.arguments {
            let sort = Some(Sort::Float(call.format));
            add(format!("argument of external call {number}"), argument, Scope::Step, sort);
        }
    }
    entries
}

/// The symbols of all tables with their places and meanings.
fn table_symbols(system: &TransitionSystem) -> impl Iterator<Item = (String, SymbolId, Meaning)> {
    let states = system.states.iter();
    let inputs = system.inputs.iter();
    let initial_inputs = system.initial_inputs.iter();
    states
        .map(|(id, state)| (format!("state {id:?}"), state.symbol, Meaning::State(id)))
        .chain(inputs.map(|(id, input)| (format!("input {id:?}"), input.symbol, Meaning::Input(id))))
        .chain(
            initial_inputs
                .map(|(id, input)| (format!("initial input {id:?}"), input.symbol, Meaning::Initial(id))),
        )
}

fn dangling_entries(system: &TransitionSystem) -> Vec<Malformed> {
    let dangling: Vec<Malformed> = table_symbols(system)
        .filter(|(_, symbol, _)| system.terms.symbols().get(*symbol).is_none())
        .map(|(place, ..)| Malformed::DanglingSymbol { place })
        .collect();
    if !dangling.is_empty() {
        return dangling;
    }
    let entries = entries(system).into_iter().filter(|entry| entry.term.index() >= system.terms.len());
    entries.map(|entry| Malformed::DanglingTerm { place: entry.place }).collect()
}

/// The meaning of every symbol, and the symbols that have more than one or a wrong one.
fn meanings(system: &TransitionSystem) -> (IdVec<SymbolId, Meaning>, Vec<Malformed>) {
    let symbols = system.terms.symbols();
    let mut meanings: IdVec<SymbolId, Meaning> = symbols
        .values()
        .map(|symbol| match symbol.framed {
            Some(framed) => Meaning::Framed { base: framed.base, offset: framed.offset },
            None => Meaning::Nothing,
        })
        .collect();
    let mut malformed = Vec::new();
    for (_, symbol, meaning) in table_symbols(system) {
        let name = || symbols[symbol].name.clone();
        match meanings[symbol] {
            Meaning::Nothing => meanings[symbol] = meaning,
            Meaning::Framed { .. } => malformed.push(Malformed::FramedSymbol { name: name() }),
            _ => malformed.push(Malformed::SharedSymbol { name: name() }),
        }
    }
    (meanings, malformed)
}

/// What a term depends on, summed up.
#[derive(Clone, Copy, Default)]
struct Dependencies {
    initial: bool,
    unknown: bool,
    /// One more than the latest frame of a state or input symbol; 0 where there is none.
    state_frames: u32,
    input_frames: u32,
}

impl Dependencies {
    fn of_symbol(symbol: SymbolId, meanings: &IdVec<SymbolId, Meaning>) -> Self {
        let (base, offset) = match meanings[symbol] {
            Meaning::Framed { base, offset } => (meanings[base], offset),
            meaning => (meaning, 0),
        };
        match base {
            Meaning::State(_) => Self { state_frames: offset.saturating_add(1), ..Self::default() },
            Meaning::Input(_) => Self { input_frames: offset.saturating_add(1), ..Self::default() },
            Meaning::Initial(_) if offset == 0 => Self { initial: true, ..Self::default() },
            _ => Self { unknown: true, ..Self::default() },
        }
    }

    fn join(self, other: Self) -> Self {
        Self {
            initial: self.initial | other.initial,
            unknown: self.unknown | other.unknown,
            state_frames: self.state_frames.max(other.state_frames),
            input_frames: self.input_frames.max(other.input_frames),
        }
    }

    fn fit(self, scope: Scope) -> bool {
        let (initial, state_frames, input_frames) = match scope {
            Scope::Initial => (true, 0, 0),
            Scope::Step => (false, 1, 1),
            Scope::State => (false, 1, 0),
            Scope::Window { steps } => (false, steps.saturating_add(1), steps),
        };
        !self.unknown
            && (initial || !self.initial)
            && self.state_frames <= state_frames
            && self.input_frames <= input_frames
    }
}

fn dependencies(
    system: &TransitionSystem,
    meanings: &IdVec<SymbolId, Meaning>,
) -> IdVec<TermId, Dependencies> {
    let mut dependencies: IdVec<TermId, Dependencies> = IdVec::new();
    for term in (0..system.terms.len()).map(TermId::new) {
        let own = match system.terms.as_symbol(term) {
            Some(symbol) => Dependencies::of_symbol(symbol, meanings),
            None => Dependencies::default(),
        };
        let operands = system.terms.node(term).operands();
        let all = operands.fold(own, |all, operand| all.join(dependencies[operand]));
        dependencies.push(all);
    }
    dependencies
}

struct Checker<'a> {
    system: &'a TransitionSystem,
    meanings: &'a IdVec<SymbolId, Meaning>,
    dependencies: IdVec<TermId, Dependencies>,
}

impl Checker<'_> {
    fn malformed_entries(&self) -> Vec<Malformed> {
        let mut malformed = Vec::new();
        for entry in entries(self.system) {
            let found = self.system.terms.sort(entry.term);
            if let Some(expected) = entry.sort.filter(|&expected| expected != found) {
                malformed.push(Malformed::Sort { place: entry.place.clone(), expected, found });
            }
            if !self.dependencies[entry.term].fit(entry.scope) {
                malformed.push(self.misplaced_symbol(entry));
            }
        }
        let mut names = FxHashSet::default();
        for Goal { name, steps, .. } in self.system.goals.values() {
            if *steps == 0 {
                malformed.push(Malformed::EmptyWindow { name: name.clone() });
            }
            if !names.insert(name) {
                malformed.push(Malformed::GoalName { name: name.clone() });
            }
        }
        malformed
    }

    /// The first symbol in the cone of the entry's term that does not fit its scope.
    fn misplaced_symbol(&self, entry: Entry) -> Malformed {
        let pool = &self.system.terms;
        let symbol = cone(pool, &[entry.term])
            .into_iter()
            .filter_map(|term| pool.as_symbol(term))
            .find(|&symbol| !Dependencies::of_symbol(symbol, self.meanings).fit(entry.scope))
            .expect("a term out of scope should depend on a symbol out of scope");
        Malformed::Symbol {
            place: entry.place,
            symbol: pool.symbol(symbol).name.clone(),
            allowed: entry.scope.description(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{InputRole, State};
    use crate::term::TermPool;
    use crate::text::parse;

    const fn assert_shareable<T: Send + Sync>() {}
    const _: () = assert_shareable::<Validated>();

    #[test]
    fn meanings_of_symbols() {
        let text = "initial-input k w8 input up w1 state n w8 init k next (ite up (add n 1) n)
                    goal g steps 2 when (and up@1 (eq n@2 5))";
        let valid = validate(parse(text).expect("the text should parse")).expect("the system is well-formed");
        let meaning = |name| valid.meaning(valid.terms.symbol_named(name).expect("the name is declared"));
        let base = valid.terms.symbol_named("n").expect("the name is declared");
        assert_eq!(meaning("k"), Meaning::Initial(Id::new(0)));
        assert_eq!(meaning("up"), Meaning::Input(Id::new(0)));
        assert_eq!(meaning("n"), Meaning::State(Id::new(0)));
        assert_eq!(meaning("n@2"), Meaning::Framed { base, offset: 2 });
    }

    #[test]
    fn malformed_texts() {
        let declarations =
            "initial-input k w8 initial-input q w1 input u w1 state n w8 init k next n state b w1 ";
        let table = [
            ("state m w8 init n", "init of state `m` should not depend on `n`: it is over initial inputs"),
            ("state m w8 next k", "next of state `m` should not depend on `k`: it is over states and inputs"),
            (
                "state m w8 next n@1",
                "next of state `m` should not depend on `n@1`: it is over states and inputs",
            ),
            ("assume q", "assumption 0 should not depend on `q`: it is over states and inputs"),
            ("initial-assume b", "initial assumption 0 should not depend on `b`: it is over initial inputs"),
            ("output o u@1", "output `o` should not depend on `u@1`: it is over states and inputs"),
            ("invariant u", "invariant 0 should not depend on `u`: it is over states"),
            ("end (eq n@1 2)", "end should not depend on `n@1`: it is over states"),
            ("hazard \"h\" q", "hazard 0 should not depend on `q`: it is over states and inputs"),
            (
                "goal g when u@1",
                "antecedent of goal `g` should not depend on `u@1`: it is over the states and inputs of its window",
            ),
            (
                "goal g when u expect b@2",
                "expectation of goal `g` should not depend on `b@2`: it is over the states and inputs of its window",
            ),
            (
                "goal g steps 2 when u@1 expect q",
                "expectation of goal `g` should not depend on `q`: it is over the states and inputs of its window",
            ),
            (
                "goal g when q@1",
                "antecedent of goal `g` should not depend on `q@1`: it is over the states and inputs of its window",
            ),
            ("goal g steps 0 when b", "goal `g` has a window of no steps"),
            ("goal g when b goal h when u goal g when u", "more than one goal is named `g`"),
        ];
        for (statement, message) in table {
            let system = parse(&format!("{declarations}{statement}")).expect("the text should parse");
            let malformed = validate(system).err().expect(statement);
            assert_eq!(
                malformed.iter().map(Malformed::to_string).collect::<Vec<_>>(),
                [message],
                "{statement}"
            );
        }
    }

    #[test]
    fn well_formed_windows_reach_to_their_last_state() {
        let text =
            "input u w1 state b w1 goal g steps 3 when (and u u@2 b) expect b@3 goal h when u expect b@1";
        assert!(validate(parse(text).expect("the text should parse")).is_ok());
    }

    #[test]
    fn broken_tables() {
        let mut system = TransitionSystem::default();
        let input = system.add_input("u", Sort::word(8), InputRole::Stimulus);
        let symbol = system.inputs[input].symbol;
        let term = system.input_term(input);
        let framed = system.terms.framed(symbol, 1);
        let framed = system.terms.as_symbol(framed).expect("a framed symbol is a symbol");
        system.end = Some(term);
        let shared = State { symbol, init: term, next: term };
        let mut copy = system.clone();
        copy.states.push(shared);
        let messages = |system| -> Vec<String> {
            validate(system).err().expect("the system is broken").iter().map(Malformed::to_string).collect()
        };
        assert!(messages(copy).contains(&"symbol `u` stands for more than one state or input".to_owned()));
        let mut copy = system.clone();
        copy.inputs[input].symbol = framed;
        assert!(messages(copy)[0].contains("`u@1` is framed"));
        assert!(messages(system.clone()).contains(&"end should have sort w1, not w8".to_owned()));

        system.terms = TermPool::new();
        assert_eq!(messages(system.clone()), ["input i0 has no symbol of the system's pool"]);
        system.inputs = IdVec::new();
        assert_eq!(messages(system), ["end is no term of the system's pool"]);
    }
}
