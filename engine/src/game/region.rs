//! The positions that are known to be lost, and how they become more.

use super::Effort;
use super::board::{Board, Cube};
use super::challenger::{Challenger, Exhausted, Proposal};
use super::falling::Measure;
use super::responder::{Responder, Response};
use encoder::EncodeError;
use model::value::Value;

/// When a cube of lost positions counts as a bad end of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// When its level is complete.
    Levelled,
    /// At once.
    Eager,
}

/// What came of some rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    /// No more positions are lost, and the initial state is not.
    Closed,
    /// The initial state is lost.
    Lost,
    /// The level is complete; there may be more.
    Open,
    /// A limit was reached.
    GivenUp,
}

/// Positions from which the environment wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostCube {
    /// A state bit and its value, for each of some bits, ascending. Bits are numbered through all
    /// words, lowest first.
    pub cube: Vec<(usize, bool)>,
    /// Levels: steps in which the environment wins at most. In the eager manner all have level 1.
    pub level: usize,
    /// The bits of the stimuli that win.
    pub stimuli: Vec<bool>,
    /// Where answers may lead back into the cube, what falls then.
    pub measure: Option<Measure>,
}

impl LostCube {
    /// Whether a state lies in it.
    pub(super) fn holds(&self, state: &[bool]) -> bool {
        self.cube.iter().all(|&(bit, is_set)| state[bit] == is_set)
    }
}

/// What an outcome rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grounds {
    /// Lost positions, in the order in which they were found: each is lost because of those before
    /// it and of a measure that falls, unless it has no answer at all.
    pub lost: Vec<LostCube>,
    /// Choices of which one always leads to no lost position, as bits.
    pub moves: Vec<Vec<bool>>,
    /// Whether levels mean nothing.
    pub is_eager: bool,
    /// Whether some of the positions are perhaps not lost: it is enough that the system, which wins,
    /// avoids them.
    pub has_avoided: bool,
}

impl Grounds {
    /// Lost positions without what shows that they are.
    pub(super) fn of_positions(cubes: Vec<Cube>) -> Self {
        let lost = |cube| LostCube { cube, level: 1, stimuli: Vec::new(), measure: None };
        Self {
            lost: cubes.into_iter().map(lost).collect(),
            moves: Vec::new(),
            is_eager: true,
            has_avoided: false,
        }
    }
}

/// Moves that are kept at most: each of them is a copy of the step.
pub(super) const MOST_MOVES: usize = 2_000;

/// Number of lost cubes from which on a measure that falls is looked for, in the eager manner.
/// Where there is none, the next attempt is made with twice as many.
const FIRST_MEASURED: usize = 8;

/// See the module text.
pub(super) struct Region<'s> {
    board: Board<'s>,
    manner: Manner,
    effort: Effort,
    challenger: Challenger,
    responder: Responder,
    lost: Vec<LostCube>,
    /// The choices of the candidate moves.
    moves: Vec<Vec<bool>>,
    /// Number of lost cubes of complete levels, or of all in the eager manner.
    counted: usize,
    /// The level at hand, from 1 on.
    level: usize,
    rounds: u64,
    /// Number of lost cubes from which on a measure that falls is looked for.
    measured_from: usize,
    /// What all positions have in common that are looked at.
    fixed: Cube,
}

/// What came of one proposal.
enum Proposed {
    /// There was none.
    Nothing,
    /// It has an answer, which is known from now on.
    Answered,
    /// It has none.
    Lost,
    /// A limit was reached.
    GivenUp,
}

impl<'s> Region<'s> {
    pub(super) fn new(mut board: Board<'s>, manner: Manner, effort: &Effort) -> Result<Self, EncodeError> {
        let responder = Responder::new(&mut board, effort.backend.open())?;
        let challenger = Challenger::new(&board, effort.backend.open());
        Ok(Self {
            board,
            manner,
            effort: effort.clone(),
            challenger,
            responder,
            lost: Vec::new(),
            moves: Vec::new(),
            counted: 0,
            level: 1,
            rounds: 0,
            measured_from: FIRST_MEASURED,
            fixed: Cube::new(),
        })
    }

    /// From now on another initial state is asked about, with so many proposals. All positions that
    /// are looked at have the values of a cube, as that state has.
    pub(super) fn start_from(&mut self, initial: Vec<bool>, fixed: Cube, rounds: u64) {
        self.board.initial = initial;
        self.fixed = fixed;
        self.rounds = 0;
        self.effort.rounds = rounds;
    }

    /// From now on there may be so many proposals in all.
    pub(super) fn allow(&mut self, rounds: u64) {
        self.effort.rounds = rounds;
    }

    /// Takes over what was found out of the same game by another search in the eager manner.
    pub(super) fn take_over(&mut self, lost: Vec<LostCube>) {
        lost.iter().for_each(|lost| self.challenger.exclude(&lost.cube));
        self.lost.extend(lost);
        self.count();
    }

    /// The cubes that are known to be lost.
    pub(super) fn lost(&self) -> &[LostCube] {
        &self.lost
    }

    /// The number of candidate moves.
    pub(super) fn moves(&self) -> usize {
        self.moves.len()
    }

    /// The initial state.
    pub(super) fn initial(&self) -> &[bool] {
        &self.board.initial
    }

    /// The level at hand: its positions are lost in at most that many steps.
    pub(super) fn level(&self) -> usize {
        self.level
    }

    /// The cubes in the order in which they were found, and the candidate moves.
    pub(super) fn grounds(self) -> Grounds {
        let is_eager = self.manner == Manner::Eager;
        Grounds { lost: self.lost, moves: self.moves, is_eager, has_avoided: false }
    }

    /// Completes the level at hand, or in the eager manner the winning region.
    pub(super) fn settle(&mut self) -> Result<Round, EncodeError> {
        loop {
            // The initial state first: it may be lost long before the region is known.
            let initial = self.board.initial.clone();
            let (start, fixed) = (initial.iter().copied().enumerate().collect(), self.fixed.clone());
            let proposed = match self.round(&start)? {
                Proposed::Nothing if self.is_lost(&initial) => return Ok(Round::Lost),
                Proposed::Nothing => self.round(&fixed)?,
                proposed => proposed,
            };
            match proposed {
                Proposed::GivenUp => return Ok(Round::GivenUp),
                Proposed::Nothing if self.manner == Manner::Eager || self.lost.len() == self.counted => {
                    return Ok(Round::Closed);
                }
                Proposed::Nothing => {
                    self.count();
                    self.level += 1;
                    return Ok(Round::Open);
                }
                Proposed::Lost if self.manner == Manner::Eager => self.count(),
                Proposed::Lost | Proposed::Answered => {}
            }
        }
    }

    fn round(&mut self, from: &Cube) -> Result<Proposed, EncodeError> {
        self.rounds += 1;
        let budget = self.effort.budget.clone();
        if self.rounds > self.effort.rounds || budget.is_spent() || self.challenger.moves() > MOST_MOVES {
            return Ok(Proposed::GivenUp);
        }
        let proposal = match self.challenger.propose(from, &budget) {
            Ok(Some(proposal)) => proposal,
            Ok(None) => return Ok(Proposed::Nothing),
            Err(Exhausted) => return Ok(Proposed::GivenUp),
        };
        match self.responder.respond(&proposal, &budget) {
            Err(Exhausted) => Ok(Proposed::GivenUp),
            Ok(Response::Answer(choices)) => {
                let step = self.board.step(Some(&choices))?;
                self.challenger.learn(&self.board, &step);
                self.moves.push(choices);
                Ok(Proposed::Answered)
            }
            Ok(Response::None(cube)) => {
                self.add_lost(cube, proposal.stimuli.clone(), None);
                if self.manner == Manner::Eager && self.lost.len() >= self.measured_from {
                    self.look_for_measure(proposal);
                }
                Ok(Proposed::Lost)
            }
        }
    }

    fn add_lost(&mut self, cube: Cube, stimuli: Vec<bool>, measure: Option<Measure>) {
        self.challenger.exclude(&cube);
        self.lost.push(LostCube { cube, level: self.level, stimuli, measure });
    }

    /// Looks for more positions that are lost by the stimuli of a proposal which has no answer.
    fn look_for_measure(&mut self, proposal: Proposal) {
        if !self.responder.is_answered(&proposal, &self.effort.budget) {
            return;
        }
        let falls = self.responder.falls(&mut self.board, &proposal, &self.effort.budget);
        let known = self.lost.len();
        self.measured_from = if falls.is_some() { known } else { 2 * known };
        if let Some((cube, measure)) = falls {
            self.add_lost(cube, proposal.stimuli, Some(measure));
        }
    }

    /// From now on answers do not lead to the lost positions that are known.
    fn count(&mut self) {
        for lost in &self.lost[self.counted..] {
            self.challenger.forbid(lost.cube.clone());
            self.responder.forbid(&lost.cube, lost.level);
        }
        self.counted = self.lost.len();
    }

    /// The lost cube of the lowest level in which a state lies.
    fn lost_cube(&self, state: &[bool]) -> Option<&LostCube> {
        self.lost.iter().find(|lost| lost.holds(state))
    }
    fn is_lost(&self, state: &[bool]) -> bool {
        self.lost_cube(state).is_some()
    }

    /// A shortest play that the environment wins from the initial state, which is lost, in the
    /// levelled manner; none where a limit is reached.
    pub(super) fn play(&mut self) -> Result<Option<Vec<Vec<Value>>>, EncodeError> {
        let mut state = self.board.initial.clone();
        let mut play = Vec::new();
        while let Some(LostCube { level, stimuli, .. }) = self.lost_cube(&state) {
            let (level, stimuli) = (*level, stimuli.clone());
            let proposal = Proposal { state, stimuli };
            let budget = self.effort.budget.clone();
            // The system lasts as long as it can: one level is all that it must give up.
            let mut answer = self.responder.advance(&proposal, level.saturating_sub(1), &budget);
            if matches!(answer, Ok(None)) {
                answer = self.responder.advance(&proposal, 0, &budget);
            }
            let Ok(answer) = answer else { return Ok(None) };
            let (choices, next) =
                answer.unwrap_or_else(|| (vec![false; self.board.choices.len()], Vec::new()));
            play.push(self.board.inputs(&proposal.stimuli, &choices));
            if next.is_empty() {
                return Ok(Some(play));
            }
            state = next;
        }
        Ok(None)
    }
}
