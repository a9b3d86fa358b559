//! One step of a game as a circuit over the bits of a state, of stimuli and of choices.

use super::Game;
use encoder::EncodeError;
use encoder::aig::{Aig, Literal};
use encoder::bits::BitBuilder;
use encoder::blast::{Blaster, Words};
use model::system::{InputRole, StateId};
use model::term::{SymbolId, TermId};
use model::value::Value;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A state bit and its value, for each of some bits; ascending.
pub(super) type Cube = Vec<(usize, bool)>;

/// A step whose answer is some word of choices.
pub(super) struct Step {
    /// Whether the answer is allowed.
    pub(super) allowed: Literal,
    /// The bits of the state afterwards.
    pub(super) next: Vec<Literal>,
}

/// See the module text. Bits are numbered through all words, lowest first.
pub(super) struct Board<'s> {
    game: Game<'s>,
    pub(super) aig: Aig,
    blaster: Blaster<'s>,
    /// The bits of each word, lowest first.
    pub(super) words: FxHashMap<SymbolId, Vec<Literal>>,
    /// The bits of the state before the step.
    pub(super) states: Vec<Literal>,
    /// For each state the places of its bits.
    pub(super) state_words: Vec<Range<usize>>,
    /// The bits that the environment gives.
    pub(super) stimuli: Vec<Literal>,
    /// The bits that the system chooses.
    pub(super) choices: Vec<Literal>,
    /// The values of the state bits at the start.
    pub(super) initial: Vec<bool>,
    /// By state bit: whether it is a parameter, which may have either value at the start.
    pub(super) is_parameter: Vec<bool>,
    /// Whether the environment may give the stimuli.
    pub(super) environment: Literal,
    /// Whether the state before the step is the initial one or may come later.
    pub(super) possible: Literal,
}

impl<'s> Board<'s> {
    /// The circuit of the environment's part.
    pub(super) fn new(game: &Game<'s>) -> Result<Self, EncodeError> {
        Self::with_parameters(game, &[])
    }

    /// Likewise, where the initial values of some states of one bit are open.
    pub(super) fn with_parameters(game: &Game<'s>, parameters: &[StateId]) -> Result<Self, EncodeError> {
        let system = game.system;
        let mut aig = Aig::new();
        let mut words = FxHashMap::default();
        let mut word = |aig: &mut Aig, symbol: SymbolId, into: &mut Vec<Literal>| {
            let width = system.terms.symbol(symbol).sort.width();
            let bits: Vec<Literal> = (0..width).map(|_| aig.input()).collect();
            into.extend(&bits);
            words.insert(symbol, bits);
        };
        let (mut states, mut stimuli, mut choices) = (Vec::new(), Vec::new(), Vec::new());
        let mut state_words = Vec::new();
        for state in system.states.values() {
            let first = states.len();
            word(&mut aig, state.symbol, &mut states);
            state_words.push(first..states.len());
        }
        for input in system.inputs.values() {
            let is_chosen = input.role == InputRole::Choice;
            word(&mut aig, input.symbol, if is_chosen { &mut choices } else { &mut stimuli });
        }
        let mut board = Self {
            game: *game,
            blaster: Blaster::new(&system.terms),
            words,
            states,
            state_words,
            stimuli,
            choices,
            initial: Vec::new(),
            is_parameter: Vec::new(),
            environment: Literal::FALSE,
            possible: Literal::FALSE,
            aig,
        };
        let mut memo = Words::default();
        for (id, state) in system.states.iter() {
            let init = board.word(state.init, None, &mut memo)?;
            board.is_parameter.resize(board.is_parameter.len() + init.len(), parameters.contains(&id));
            let bits: Option<Vec<bool>> = init.iter().map(|bit| bit.constant()).collect();
            let name = || system.terms.symbol(state.symbol).name.clone();
            let unbound =
                || EncodeError::UnboundSymbol { name: name(), place: "the initial state of a game" };
            board.initial.extend(bits.ok_or_else(unbound)?);
        }
        board.environment = board.word(game.environment, None, &mut memo)?[0];
        let later = board.word(game.position, None, &mut memo)?[0];
        let fixed = board.states.iter().zip(&board.initial).zip(&board.is_parameter);
        let fixed = fixed.filter(|(_, is_parameter)| !**is_parameter);
        let at_start: Vec<Literal> = fixed.map(|((&bit, &is_set), _)| bit.flipped(!is_set)).collect();
        let is_start = board.aig.all(&at_start);
        board.possible = board.aig.or(is_start, later);
        Ok(board)
    }

    /// The step with free choices, or with given ones.
    pub(super) fn step(&mut self, chosen: Option<&[bool]>) -> Result<Step, EncodeError> {
        let system = self.game.system;
        let mut memo = Words::default();
        let allowed = self.word(self.game.allowed, chosen, &mut memo)?[0];
        let mut next = Vec::with_capacity(self.states.len());
        for state in system.states.values() {
            next.extend(self.word(state.next, chosen, &mut memo)?);
        }
        Ok(Step { allowed, next })
    }

    /// A truth over the state and the stimuli before a step.
    pub(super) fn truth(&mut self, term: TermId) -> Result<Literal, EncodeError> {
        Ok(self.word(term, None, &mut Words::default())?[0])
    }

    fn word(
        &mut self,
        term: TermId,
        chosen: Option<&[bool]>,
        memo: &mut Words<Literal>,
    ) -> Result<Vec<Literal>, EncodeError> {
        let Self { game, aig, blaster, words, choices, .. } = self;
        let mut leaf = |aig: &mut Aig, symbol: SymbolId| {
            let word = words.get(&symbol).ok_or_else(|| EncodeError::UnboundSymbol {
                name: game.system.terms.symbol(symbol).name.clone(),
                place: "a step of a game",
            })?;
            let fixed = |bit: &Literal| match chosen {
                Some(values) => match choices.binary_search(bit) {
                    Ok(number) => aig.constant(values[number]),
                    Err(_) => *bit,
                },
                None => *bit,
            };
            Ok(word.iter().map(fixed).collect())
        };
        blaster.blast(term, memo, aig, &mut leaf)?;
        Ok(blaster.known(term, memo).unwrap_or_default().to_vec())
    }

    /// The values of all inputs of the system, from the bits of stimuli and of choices.
    pub(super) fn inputs(&self, stimuli: &[bool], choices: &[bool]) -> Vec<Value> {
        let system = self.game.system;
        let (mut stimuli, mut choices) = (stimuli.iter(), choices.iter());
        let value = |input: &model::system::Input| {
            let sort = system.terms.symbol(input.symbol).sort;
            let bits = if input.role == InputRole::Choice { &mut choices } else { &mut stimuli };
            let number = bits.take(sort.width() as usize).enumerate();
            Value::new(sort, number.fold(0, |sum, (place, &is_set)| sum | u128::from(is_set) << place))
        };
        system.inputs.values().map(value).collect()
    }
}
