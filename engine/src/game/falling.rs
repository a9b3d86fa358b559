//! Positions that are lost in many steps, found at once.
//!
//! A counter that the environment drives down is lost after as many steps as it counts. One cube of
//! lost positions for each of them is too much, so a *measure* is looked for: a number that some
//! state bits are. If, from each position of a cube and by the same stimuli, every answer leads to
//! lost positions or back into the cube with a smaller measure, the whole cube is lost, since no
//! measure falls for ever. (So ranking functions show that programs end: Podelski, Rybalchenko: "A
//! complete method for the synthesis of linear ranking functions", VMCAI 2004.) How many steps the
//! environment needs is not known then.
//!
//! The cube is the strongest one that the steps lead back into: it starts as the one position that
//! was found to be lost, with the bits of the measure left open, and loses those bits that a step
//! changes (Houdini: Flanagan, Leino, FME 2001).

use super::board::{Board, Cube};
use super::challenger::{Proposal, differs};
use super::responder::{CONFLICTS_PER_BIT, Responder};
use encoder::aig::{Aig, Literal};
use encoder::bits::BitBuilder;
use solver::sat::{Budget, Lit, Verdict};
use std::ops::Range;

/// A number that state bits are, lowest bit first: for each bit whether it counts inverted.
pub type Measure = Vec<(usize, bool)>;

/// Measures that are made of two words at most.
const MOST_PAIRS: usize = 200;

/// Greatest width of a word that counts below another one in a measure.
const LOW_WIDTH: usize = 2;

/// The answer that a question about a cube and a measure got.
enum Fall {
    /// The measure falls from all positions of the cube that are left of it.
    Everywhere(Cube),
    /// An answer leaves the cube by these places of it, but the measure falls.
    Leaves(Vec<usize>),
    /// It does not always fall, or that was not found out.
    Not,
}

/// The words that may fall, in both directions, as numbers with and without a sign; then each of
/// them above a small word.
fn measures(words: &[Range<usize>]) -> Vec<Measure> {
    let orders = |word: &Range<usize>| -> Vec<Measure> {
        let top = word.end - 1;
        let order = |falls: bool, is_signed: bool| {
            word.clone().map(|bit| (bit, falls != (is_signed && bit == top))).collect()
        };
        [(false, false), (true, false), (false, true), (true, true)].map(|(up, sign)| order(up, sign)).into()
    };
    let wide: Vec<Measure> = words.iter().filter(|word| word.len() > 1).flat_map(orders).collect();
    let low: Vec<Measure> = words.iter().filter(|word| word.len() <= LOW_WIDTH).flat_map(orders).collect();
    let pairs = wide.iter().flat_map(|high| {
        let apart = low.iter().filter(|low| low[0].0 != high[0].0);
        apart.map(|low| [low.as_slice(), high].concat())
    });
    let mut found: Vec<Measure> = wide.iter().cloned().chain(pairs.take(MOST_PAIRS)).collect();
    // Numbers of one bit have no sign.
    found.sort_by_key(Vec::len);
    found.dedup();
    found
}

/// Whether one number, whose bits are given, is below another one.
fn is_below(aig: &mut Aig, numbers: impl Iterator<Item = (Literal, Literal)>) -> Literal {
    numbers.fold(Literal::FALSE, |below, (one, other)| aig.majority(one.flipped(true), other, below))
}

impl Responder {
    /// Whether a proposal has an answer, though to lost positions: else nothing tells what falls.
    pub(super) fn is_answered(&mut self, to: &Proposal, budget: &Budget) -> bool {
        let here: Cube = to.state.iter().copied().enumerate().collect();
        self.ask(&here, &to.stimuli, 0, budget) == Verdict::Sat
    }

    /// A cube of lost positions around one that was proposed and has no answer but to lost ones.
    /// None where no measure falls.
    pub(super) fn falls(
        &mut self,
        board: &mut Board<'_>,
        to: &Proposal,
        budget: &Budget,
    ) -> Option<(Cube, Measure)> {
        let budget = Budget { conflicts: Some(CONFLICTS_PER_BIT), ..budget.clone() };
        let here: Cube = to.state.iter().copied().enumerate().collect();
        for measure in measures(&board.state_words) {
            if budget.is_spent() {
                return None;
            }
            let falls = self.falling(board, &measure);
            let stays = self.with_guard(|responder, guard| {
                responder.solver.clause(&[!guard, !falls]);
                responder.asked_with(guard, &here, &to.stimuli, 0, &budget)
            });
            if stays != Verdict::Unsat {
                continue;
            }
            // Where a number falls from some value on only, the cube names its highest bits.
            for told in 0..measure.len() {
                let open = &measure[..measure.len() - told];
                if let Some(cube) = self.closed(&here, (open, &measure, falls), to, &budget) {
                    return Some((cube, measure));
                }
            }
        }
        None
    }

    /// Whether the measure falls in a step.
    fn falling(&mut self, board: &mut Board<'_>, measure: &Measure) -> Lit {
        let numbers = measure.iter().map(|&(bit, is_inverted)| {
            [self.next_bits[bit], board.states[bit]].map(|one| one.flipped(is_inverted))
        });
        let falls = is_below(&mut board.aig, numbers.map(|[next, here]| (next, here)));
        self.cnf.literal(&board.aig, falls, &mut self.solver)
    }

    /// The cube around a position, without the open bits of a measure, into which all steps lead
    /// back while the measure falls.
    fn closed(
        &mut self,
        here: &Cube,
        (open, measure, falls): (&[(usize, bool)], &Measure, Lit),
        to: &Proposal,
        budget: &Budget,
    ) -> Option<Cube> {
        let is_of = |bits: &[(usize, bool)], bit: usize| bits.iter().any(|&(other, _)| other == bit);
        // Where more parameters hold, there are no more answers.
        let is_kept = |bit: usize, is_set: bool| !is_of(open, bit) && (is_set || !self.is_parameter[bit]);
        let mut cube: Cube = here.iter().copied().filter(|&(bit, is_set)| is_kept(bit, is_set)).collect();
        loop {
            match self.leads_back(&cube, falls, to, budget) {
                Fall::Not => return None,
                Fall::Leaves(places) if places.iter().any(|&place| is_of(measure, cube[place].0)) => {
                    return None;
                }
                Fall::Leaves(places) => places.iter().rev().for_each(|&place| _ = cube.remove(place)),
                Fall::Everywhere(smaller) => {
                    cube = smaller;
                    break;
                }
            }
        }
        let mut place = cube.len();
        while place > 0 {
            place -= 1;
            let mut smaller = cube.clone();
            smaller.remove(place);
            if let Fall::Everywhere(smaller) = self.leads_back(&smaller, falls, to, budget) {
                place = place.min(smaller.len());
                cube = smaller;
            }
        }
        Some(cube)
    }

    /// Whether, from all positions of a cube, each answer leads to lost positions or back into it
    /// while the measure falls.
    fn leads_back(&mut self, cube: &Cube, falls: Lit, to: &Proposal, budget: &Budget) -> Fall {
        self.with_guard(|responder, guard| {
            let leaves = cube.iter().map(|&(bit, is_set)| differs(responder.next[bit], is_set));
            let clause: Vec<Lit> =
                [!guard, !responder.environment, !falls].into_iter().chain(leaves).collect();
            responder.solver.clause(&clause);
            match responder.asked_with(guard, cube, &to.stimuli, responder.levels.len(), budget) {
                // What is left of a cube holds the cube, into which all steps lead back.
                Verdict::Unsat => {
                    let mut smaller = cube.clone();
                    responder.keep_core(&mut smaller);
                    Fall::Everywhere(smaller)
                }
                Verdict::Unknown => Fall::Not,
                Verdict::Sat => {
                    let is_true = |lit: Lit| responder.solver.is_true(lit);
                    if !is_true(responder.environment) || !is_true(falls) {
                        return Fall::Not;
                    }
                    let left = |&place: &usize| {
                        let (bit, is_set) = cube[place];
                        is_true(responder.next[bit]) != is_set
                    };
                    Fall::Leaves((0..cube.len()).filter(left).collect())
                }
            }
        })
    }

    /// Asks something with clauses that count no longer behind it.
    fn with_guard<T>(&mut self, ask: impl FnOnce(&mut Self, Lit) -> T) -> T {
        let guard = self.solver.fresh().positive();
        let answer = ask(self, guard);
        self.solver.clause(&[!guard]);
        answer
    }
}
