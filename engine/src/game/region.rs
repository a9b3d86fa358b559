//! The positions that are known to be lost, and how they become more.

use super::Effort;
use super::board::{Board, Cube};
use super::challenger::{Challenger, Exhausted, Proposal};
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
    /// it, unless it has no answer at all.
    pub lost: Vec<LostCube>,
    /// Choices of which one always leads to no lost position, as bits.
    pub moves: Vec<Vec<bool>>,
    /// Whether levels mean nothing.
    pub is_eager: bool,
}

/// Moves that are kept at most: each of them is a copy of the step.
pub(super) const MOST_MOVES: usize = 2_000;

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
        Grounds { lost: self.lost, moves: self.moves, is_eager }
    }

    /// Completes the level at hand, or in the eager manner the winning region.
    pub(super) fn settle(&mut self) -> Result<Round, EncodeError> {
        let first = self.lost.len();
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
                Proposed::Nothing if self.manner == Manner::Eager || self.lost.len() == first => {
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
                self.challenger.exclude(&cube);
                self.lost.push(LostCube { cube, level: self.level, stimuli: proposal.stimuli });
                Ok(Proposed::Lost)
            }
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
