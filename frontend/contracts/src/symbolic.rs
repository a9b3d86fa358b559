//! Consistency without enumeration: the game of a part of an interface in words, for a solver of
//! games that somebody else brings along.

mod course;

pub use course::{Course, Question, Reached, Runner, Target};

use crate::game::{Play, PlayedMove};
use crate::interface::Interface;
use crate::lower::{Answering, BoardTerms, Lowered, Selectors, board, selective_board};
use crate::semantics::{Effort, Interest, Position, Semantics, Step, Undecided, Valuation, id_index};
use crate::syntax::Role;
use frontend::diagnostics::Diagnostics;
use model::system::{StateId, TransitionSystem};
use model::term::TermId;
use model::trace::{Start, Trace, replay};
use model::validate::{Validated, validate};
use model::value::Value;

/// The game of some requirements: its positions are the states of the system, inputs its stimuli,
/// answers its choices.
pub struct Board {
    /// The system; all that is allowed is assumed.
    pub system: Validated,
    /// Truth over states and stimuli: the inputs may occur.
    pub environment: TermId,
    /// Truth over states and inputs: the answer is allowed.
    pub allowed: TermId,
    /// Truth over states: allowed answers lead to such states only.
    pub position: TermId,
    interface: Interface,
    lowered: Lowered,
}

/// The outcome of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solved {
    /// Whatever the inputs are, there is always an answer.
    Kept(Kept),
    /// Some inputs have no answer in step `depth`, and at least one has before.
    Lost {
        /// The least k for which the requirements are not k-consistent.
        depth: usize,
        /// Values of all inputs of the system in each step of a play of that length.
        play: Vec<Vec<Value>>,
    },
}

/// Where a system that can answer for ever does so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Positions that are lost, as cubes: a state bit and its value, for each of some bits, which
    /// are numbered through all states, lowest first. From all others there is always an answer to
    /// another one.
    pub lost: Vec<Vec<(usize, bool)>>,
    /// Whether all of them are lost: else some are perhaps only positions that a system can avoid.
    pub is_exact: bool,
    /// Whether it is excluded that allowed answers lead from elsewhere to lost positions.
    pub excludes_doomed: bool,
}

impl Kept {
    fn is_lost(&self, bits: &[bool]) -> bool {
        self.lost.iter().any(|cube| cube.iter().all(|&(bit, is_set)| bits[bit] == is_set))
    }
}

/// How much work a game may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// As little as most games take: other ways are tried where it is not enough.
    First,
    /// As much as there is.
    Last,
}

/// The game of some requirements of which a question says which ones count, and how long.
pub struct SelectiveBoard {
    /// The system; see [`Board`].
    pub system: Validated,
    /// See [`Board`].
    pub environment: TermId,
    /// See [`Board`].
    pub allowed: TermId,
    /// See [`Board`].
    pub position: TermId,
    /// The states of one bit whose initial values are the question. The more of them hold, the
    /// fewer answers there are.
    pub parameters: Vec<StateId>,
    requirements: Vec<usize>,
    steps: usize,
}

/// Steps of a [`SelectiveBoard`] at most.
pub(crate) const MOST_STEPS: usize = 64;

impl SelectiveBoard {
    /// The game of some requirements, for questions about so many steps and about all steps.
    ///
    /// # Errors
    /// [`Undecided::TooLarge`]: there are values without words, or too many steps.
    pub fn new(interface: &Interface, requirements: &[usize], steps: usize) -> Result<Self, Undecided> {
        let interface = only(interface, requirements);
        let mut diagnostics = Diagnostics::default();
        let made = (steps <= MOST_STEPS).then(|| selective_board(&interface, steps, &mut diagnostics));
        let Some(Ok((made, selectors))) = made else { return Err(Undecided::TooLarge) };
        let BoardTerms { environment, allowed, position, lowered, .. } = made;
        let system = validate(lowered.system).map_err(|_| Undecided::TooLarge)?;
        let Selectors { counts, steps: timed, always } = selectors;
        let parameters = [counts, timed, vec![always]].concat();
        Ok(Self {
            system,
            environment,
            allowed,
            position,
            parameters,
            requirements: requirements.to_vec(),
            steps,
        })
    }

    /// The values of the parameters for a question: do these requirements contradict each other, in
    /// the steps of the board or in any steps?
    pub(crate) fn question(&self, chosen: &[usize], is_endless: bool) -> Vec<bool> {
        let counts = self.requirements.iter().map(|index| chosen.contains(index));
        counts.chain(std::iter::repeat_n(true, self.steps)).chain([is_endless]).collect()
    }

    /// The requirements among some parameters, given by their places.
    pub(crate) fn requirements(&self, places: &[usize]) -> Vec<usize> {
        places.iter().filter_map(|&place| self.requirements.get(place).copied()).collect()
    }
}

/// Some requirements of an interface and nothing that is wanted of it.
fn only(interface: &Interface, requirements: &[usize]) -> Interface {
    let chosen = requirements.iter().map(|&index| interface.requirements[index].clone());
    Interface { requirements: chosen.collect(), purposes: Vec::new(), ..interface.clone() }
}

/// Who answers questions about one [`SelectiveBoard`], and learns from each of them for the next.
pub trait Selective {
    /// The places of the parameters because of which the environment wins, where it does for these
    /// values of the parameters.
    ///
    /// # Errors
    /// It takes too long.
    fn lost(&mut self, values: &[bool]) -> Result<Option<Vec<usize>>, Undecided>;
}

/// Who solves games.
pub trait Solver {
    /// Solves a game.
    ///
    /// # Errors
    /// It takes too long.
    fn solve(&self, board: &Board, turn: Turn) -> Result<Solved, Undecided>;

    /// Somebody who answers questions about runs, of which some avoid lost positions; none where
    /// there is nobody.
    fn runner<'b>(&'b self, course: &'b Course, kept: &'b Kept) -> Option<Box<dyn Runner + 'b>>;

    /// Somebody who answers questions about a board; none where it cannot be encoded.
    fn selective<'b>(&'b self, board: &'b SelectiveBoard) -> Option<Box<dyn Selective + 'b>>;
}

impl Board {
    /// The game of some requirements of an interface.
    ///
    /// # Errors
    /// [`Undecided::TooLarge`]: there are values without words.
    pub fn new(interface: &Interface, requirements: &[usize]) -> Result<Self, Undecided> {
        let interface = only(interface, requirements);
        let mut diagnostics = Diagnostics::default();
        let made = board(&interface, Answering::Determined, &mut diagnostics);
        Self::of(made.map_err(|_| Undecided::TooLarge)?, interface).ok_or(Undecided::TooLarge)
    }

    /// The game of a whole interface in which each choice is the value of its variable, for players
    /// who know nothing of the contracts.
    ///
    /// # Errors
    /// There are values without words.
    pub fn with_all_choices(interface: &Interface) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::default();
        let made = board(interface, Answering::Chosen, &mut diagnostics).ok();
        made.and_then(|made| Self::of(made, interface.clone())).ok_or(diagnostics)
    }

    fn of(made: BoardTerms, interface: Interface) -> Option<Self> {
        let system: TransitionSystem = made.lowered.system.clone();
        let system = validate(system).ok()?;
        let BoardTerms { environment, allowed, position, lowered } = made;
        Some(Self { system, environment, allowed, position, interface, lowered })
    }

    /// Whether a position of the requirements is lost, in a game that the system wins; none where a
    /// value has no word.
    pub(crate) fn is_lost(&self, kept: &Kept, position: &Position) -> Option<bool> {
        state_bits(&self.lowered, &self.interface, position).map(|bits| kept.is_lost(&bits))
    }

    /// A play in values, if the reference interpreter agrees that all its steps but the last are
    /// allowed, and that the last has no answer.
    ///
    /// # Errors
    /// The interpreter does not come to an end.
    ///
    /// # Panics
    /// If the interpreter does not agree: a defect of the solver or of the translation.
    pub(crate) fn play(&self, inputs: &[Vec<Value>], effort: &mut Effort) -> Result<Play, Undecided> {
        let interface = &self.interface;
        let semantics =
            Semantics::new(interface, (0..interface.requirements.len()).collect(), &Interest::default());
        let steps = self.steps(inputs);
        let mut before = None;
        let mut moves = Vec::new();
        for (number, now) in steps.iter().enumerate() {
            let mut given = now.clone();
            interface.controlled().for_each(|id| given[id_index(id)] = None);
            let known = if number + 1 < steps.len() { now } else { &given };
            let may_occur = semantics.may_occur(before.as_ref(), now);
            let is_answered = semantics.can_answer(Step { before: before.as_ref(), known }, effort)?;
            let is_right = may_occur && is_answered == (number + 1 < steps.len());
            assert!(is_right, "the reference interpreter should accept step {number} of a play");
            for id in interface.variables(Role::Input).filter(|id| !semantics.inputs.contains(id)) {
                given[id_index(id)] = None;
            }
            moves.push(PlayedMove { before: before.clone(), inputs: given, any_do: false });
            if number + 1 < steps.len() {
                before = Some(semantics.position(now));
            }
        }
        Ok(Play { moves })
    }

    /// The values of all variables in each step; of the last one those of inputs count.
    fn steps(&self, inputs: &[Vec<Value>]) -> Vec<Valuation> {
        let (last, answered) = match inputs.split_last() {
            Some((last, answered)) => (Some(last), answered),
            None => (None, inputs),
        };
        let mut steps = values_of((&self.system, &self.lowered, &self.interface), answered);
        steps.extend(last.map(|inputs| self.lowered.decode(&self.interface, inputs, &[])));
        steps
    }
}

/// The values of all variables in the steps of a run.
fn values_of(
    (system, lowered, interface): (&Validated, &Lowered, &Interface),
    inputs: &[Vec<Value>],
) -> Vec<Valuation> {
    let trace = Trace { start: Start::Initial(Vec::new()), inputs: inputs.to_vec() };
    let run =
        replay(system, &trace).unwrap_or_else(|error| panic!("the evaluator should accept a run: {error}"));
    let steps = inputs.iter().zip(&run.outputs);
    steps.map(|(inputs, outputs)| lowered.decode(interface, inputs, outputs)).collect()
}

/// The bits of a position as a state; none where a value has no word.
fn state_bits(lowered: &Lowered, interface: &Interface, position: &Position) -> Option<Vec<bool>> {
    // The first state says that there was a step, and each remembered value has one.
    let mut bits = vec![true];
    for (&(id, _), value) in lowered.states.iter().zip(position) {
        let word = interface.scope.variable(id).ty.encode(value)?;
        bits.extend((0..word.sort().width()).map(|place| word.bits() >> place & 1 == 1));
    }
    Some(bits)
}
