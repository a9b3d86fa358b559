//! Consistency as a game: the environment gives inputs, the system answers.
//!
//! All positions that allowed answers lead to are enumerated, then the lost ones are found
//! backwards: a position is lost in n steps if there are inputs for which every answer leads to a
//! position that is lost in fewer. What is never lost is the greatest fixpoint W of "for all inputs
//! there is an answer into W". (Thomas: "On the synthesis of strategies in infinite games", STACS
//! 1995.)

use crate::semantics::{Effort, Found, Position, Semantics, Step, Undecided, Valuation};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Positions of a graph at most.
const MOST_POSITIONS: usize = 1 << 20;

/// Values in all positions of a graph at most: they are what it takes memory for.
const MOST_VALUES: usize = 1 << 23;

fn most_positions(semantics: &Semantics<'_>) -> usize {
    MOST_POSITIONS.min(MOST_VALUES / semantics.remembered.len().max(1))
}

/// The number of the place before step 0.
pub const START: usize = 0;

/// All positions that allowed answers lead to. Number 0 is the place before step 0.
#[derive(Clone, Debug)]
pub struct Arena {
    /// The positions; none before step 0.
    pub positions: Vec<Option<Position>>,
    /// For each position the moves of the environment, in ascending order.
    pub moves: Vec<Vec<Move>>,
}

/// Inputs, and the positions that answers lead to.
#[derive(Clone, Debug)]
pub struct Move {
    /// The inputs.
    pub inputs: Valuation,
    /// The positions, ascending, each once.
    pub answers: Vec<usize>,
}

/// Who wins from where.
#[derive(Clone, Debug)]
pub struct Ranks {
    /// For each position in how many steps (at least 1) the environment can bring the system to a
    /// step without an answer; none: never.
    pub lost_in: Vec<Option<usize>>,
}

impl Arena {
    /// Enumerates the positions.
    ///
    /// # Errors
    /// There are too many.
    pub fn new(semantics: &Semantics<'_>, effort: &mut Effort) -> Result<Self, Undecided> {
        let mut arena = Self { positions: vec![None], moves: Vec::new() };
        let mut known: FxHashMap<Position, usize> = FxHashMap::default();
        let most = most_positions(semantics);
        while arena.moves.len() < arena.positions.len() {
            let before = arena.positions[arena.moves.len()].clone();
            let mut moves = Vec::new();
            for inputs in semantics.occurring(before.as_ref(), effort)? {
                let mut found: Vec<Position> = Vec::new();
                let mut visit = |now: &Valuation| {
                    found.push(semantics.position(now));
                    if found.len() < 2 * most {
                        return ControlFlow::Continue(());
                    }
                    // One position may have been found several times.
                    let mut is_known = FxHashSet::default();
                    found.retain(|position| is_known.insert(position.clone()));
                    if found.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                };
                let step = Step { before: before.as_ref(), known: &inputs };
                if semantics.answers(step, &mut visit, effort)?.is_break() {
                    return Err(Undecided::TooLarge);
                }
                let mut answers: Vec<usize> = Vec::with_capacity(found.len());
                for position in found {
                    let next = arena.positions.len();
                    let number = *known.entry(position).or_insert_with_key(|position| {
                        arena.positions.push(Some(position.clone()));
                        next
                    });
                    answers.push(number);
                }
                answers.sort_unstable();
                answers.dedup();
                moves.push(Move { inputs, answers });
            }
            arena.moves.push(moves);
            if arena.positions.len() > most {
                return Err(Undecided::TooLarge);
            }
        }
        Ok(arena)
    }

    /// The number of a position.
    pub fn number(&self, position: &Position) -> Option<usize> {
        self.positions.iter().position(|known| known.as_ref() == Some(position))
    }

    /// Who wins from where.
    pub fn ranks(&self) -> Ranks {
        let mut lost_in = vec![None; self.positions.len()];
        // For each position the moves that have an answer there.
        let mut arrivals: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.positions.len()];
        let mut left: Vec<Vec<usize>> = Vec::with_capacity(self.moves.len());
        let mut queue = VecDeque::new();
        for (number, moves) in self.moves.iter().enumerate() {
            left.push(moves.iter().map(|one| one.answers.len()).collect());
            for (index, one) in moves.iter().enumerate() {
                one.answers.iter().for_each(|&answer| arrivals[answer].push((number, index)));
            }
            if moves.iter().any(|one| one.answers.is_empty()) {
                lost_in[number] = Some(1);
                queue.push_back(number);
            }
        }
        while let Some(lost) = queue.pop_front() {
            for &(number, index) in &arrivals[lost] {
                left[number][index] -= 1;
                if left[number][index] == 0 && lost_in[number].is_none() {
                    lost_in[number] = lost_in[lost].map(|steps| steps + 1);
                    queue.push_back(number);
                }
            }
        }
        Ranks { lost_in }
    }

    /// Positions that can be reached while the system stays where it is not lost, the start among
    /// them unless it is lost itself. With `anywhere` all positions.
    pub fn reachable_unlost(&self, ranks: &Ranks) -> Vec<usize> {
        let mut is_found = vec![false; self.positions.len()];
        let mut found = Vec::new();
        if ranks.lost_in[START].is_none() {
            is_found[START] = true;
            found.push(START);
        }
        let mut next = 0;
        while let Some(&number) = found.get(next) {
            next += 1;
            for &answer in self.moves[number].iter().flat_map(|one| &one.answers) {
                if ranks.lost_in[answer].is_none() && !is_found[answer] {
                    is_found[answer] = true;
                    found.push(answer);
                }
            }
        }
        found
    }
}

impl Ranks {
    /// The least k for which the interface is not k-consistent; none where it is consistent.
    pub fn depth(&self) -> Option<usize> {
        self.lost_in[START].map(|steps| steps - 1)
    }
    /// Whether some position is lost that an allowed answer leads to.
    pub fn has_lost_positions(&self) -> bool {
        self.lost_in.iter().skip(1).any(Option::is_some)
    }
}

/// How far a walk came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walked {
    /// All positions were visited.
    All,
    /// Some were; enumerating all takes this many values or more.
    Some(u64),
    /// The visitor has seen enough.
    Stopped,
}

/// The part of the values that are left which the steps from one position may try, one of so many:
/// very many answers leave something for the positions that some of them lead to.
const SHARE_OF_STEP: u64 = 8;

/// What is done with a position and the inputs that may occur there.
pub(crate) type Visit<'v> =
    dyn FnMut(Option<&Position>, Vec<Valuation>, &mut Effort) -> Result<Found, Undecided> + 'v;

/// Visits positions, each once, from the start on, by allowed answers that lead to positions which
/// are entered. The nearest ones come first.
///
/// # Errors
/// The visitor's. Where there are too many positions, the walk visits some.
pub(crate) fn walk(
    semantics: &Semantics<'_>,
    enters: &mut dyn FnMut(&Position) -> bool,
    visit: &mut Visit<'_>,
    effort: &mut Effort,
) -> Result<Walked, Undecided> {
    let most = most_positions(semantics);
    let mut queue = VecDeque::from([None]);
    let mut known: FxHashSet<Position> = FxHashSet::default();
    let mut is_all = true;
    while let Some(before) = queue.pop_front() {
        let moves = match semantics.occurring(before.as_ref(), effort) {
            Err(Undecided::TooLarge) => {
                is_all = false;
                break;
            }
            moves => moves?,
        };
        if visit(before.as_ref(), moves.clone(), effort)?.is_break() {
            return Ok(Walked::Stopped);
        }
        let step = |effort: &mut Effort| {
            let mut arrive = |now: &Valuation| {
                let position = semantics.position(now);
                if !known.contains(&position) {
                    known.insert(position.clone());
                    if enters(&position) {
                        queue.push_back(Some(position));
                    }
                }
                if known.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let mut steps = moves.iter().map(|known| Step { before: before.as_ref(), known });
            steps.try_for_each(|step| match semantics.answers(step, &mut arrive, effort)? {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(Undecided::TooLarge),
            })
        };
        match effort.share(SHARE_OF_STEP, step) {
            Err(Undecided::TooLarge) => is_all = false,
            done => done?,
        }
    }
    let each = semantics.combinations().unwrap_or(u64::MAX);
    Ok(if is_all { Walked::All } else { Walked::Some(each.saturating_mul(known.len() as u64 + 1)) })
}

/// A shortest way for the environment to win: for each step its inputs, and whether all others
/// would do as well. The last one has no answer.
#[derive(Clone, Debug)]
pub struct Play {
    /// The moves.
    pub moves: Vec<PlayedMove>,
}

/// A step of a [`Play`].
#[derive(Clone, Debug)]
pub struct PlayedMove {
    /// The position before the step; none in step 0.
    pub before: Option<Position>,
    /// The inputs.
    pub inputs: Valuation,
    /// Whether all inputs that may occur do as well.
    pub any_do: bool,
}

/// How the environment wins, where it does: the system answers such that it lasts as long as it
/// can, else by the first position found.
pub fn play(arena: &Arena, ranks: &Ranks) -> Option<Play> {
    let mut moves = Vec::new();
    let mut at = START;
    let mut left = ranks.lost_in[START]?;
    loop {
        let worst = |one: &Move| -> Option<usize> {
            let lost: Option<Vec<usize>> = one.answers.iter().map(|&answer| ranks.lost_in[answer]).collect();
            lost.map(|lost| lost.into_iter().max().unwrap_or(0))
        };
        let wins = |one: &&Move| worst(one).is_some_and(|steps| steps < left);
        let chosen = arena.moves[at].iter().find(wins)?;
        let any_do = arena.moves[at].len() > 1 && arena.moves[at].iter().all(|one| wins(&one));
        let before = arena.positions[at].clone();
        moves.push(PlayedMove { before, inputs: chosen.inputs.clone(), any_do });
        if chosen.answers.is_empty() {
            return Some(Play { moves });
        }
        left = worst(chosen)?;
        let next = chosen.answers.iter().find(|&&answer| ranks.lost_in[answer] == Some(left));
        at = *next?;
    }
}
