//! Requirements without effect: void ones, whose assumptions never hold, and implied ones, which
//! the others keep. Both are told from the positions that a system can come to.

use super::Means;
use crate::game::{Walked, walk};
use crate::interface::{Contract, Interface};
use crate::parts::Part;
use crate::semantics::{Deciding, Effort, Interest, Position, Semantics, Undecided, Valuation};
use crate::symbolic::{Board, Kept};
use std::ops::ControlFlow;

/// What is known of requirements of a part that a system can meet, beside that.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    pub(super) void: Vec<usize>,
    pub(super) implied: Vec<usize>,
    pub(super) never_deciding: Vec<usize>,
    pub(super) unknown_effect: Vec<usize>,
    pub(super) unknown_void: Vec<usize>,
    /// Whether some allowed answers lead to lost positions; none: unknown.
    pub(super) has_lost_positions: Option<bool>,
    /// Whether the environment runs out of inputs somewhere; none: unknown.
    pub(super) has_dead_end: Option<bool>,
}

/// Positions that a system can come to while it is not lost, each with the inputs that may occur.
struct Reached<'a> {
    semantics: Semantics<'a>,
    /// The start first.
    steps: Vec<(Option<Position>, Vec<Valuation>)>,
    /// Whether these are all.
    is_all: bool,
}

/// Values that are tried for one requirement of a part whose positions are too many to enumerate.
const PER_LOOK: u64 = 20_000;

/// Values that are tried to find positions of such a part.
const PER_WALK: u64 = 100_000;

impl Effects {
    /// The effects in a part whose positions are known.
    pub(super) fn of_part(part: Part<'_>, effort: &mut Effort) -> Self {
        let Part { semantics, arena, ranks } = part;
        let has_lost_positions = Some(ranks.has_lost_positions());
        let has_dead_end = Some(arena.moves.iter().any(Vec::is_empty));
        let inputs = |number: usize| arena.moves[number].iter().map(|one| one.inputs.clone()).collect();
        let reached = arena.reachable_unlost(&ranks).into_iter();
        let steps = reached.map(|number| (arena.positions[number].clone(), inputs(number))).collect();
        let reached = Reached { semantics, steps, is_all: true };
        Self { has_lost_positions, has_dead_end, ..reached.effects(u64::MAX, effort) }
    }

    /// The effects in a part of which is known where a system is not lost. The positions next to
    /// the start mostly tell them; all are enumerated where they do not.
    pub(super) fn of_kept(
        (interface, members): (&Interface, &[usize]),
        (board, kept): (&Board, &Kept),
        means: &mut Means<'_>,
    ) -> Self {
        let (mut effects, all) = Self::nearby((interface, members), (board, kept), &mut means.effort);
        if let (Some(solver), false) = (means.solver, effects.unknown_void.is_empty()) {
            effects.learn(members, &solver.live(board, kept));
        }
        if effects.is_known() || all > means.after_solver {
            return effects;
        }
        let all = |effort: &mut Effort| Part::new(interface, members.to_vec(), effort);
        match means.effort.within(means.after_solver, all) {
            Ok(part) => Self::of_part(part, &mut means.effort),
            Err(_) => effects,
        }
    }

    /// What the positions next to the start tell, and how many values all positions take at least.
    fn nearby(
        (interface, members): (&Interface, &[usize]),
        (board, kept): (&Board, &Kept),
        effort: &mut Effort,
    ) -> (Self, u64) {
        let semantics = Semantics::new(interface, members.to_vec(), &Interest::default());
        let mut steps = Vec::new();
        let (mut is_doomed, mut is_told) = (false, true);
        let mut enters = |position: &Position| {
            let is_lost = board.is_lost(kept, position);
            is_doomed |= is_lost == Some(true);
            is_told &= is_lost.is_some();
            is_lost == Some(false)
        };
        let mut visit = |before: Option<&Position>, inputs: Vec<Valuation>, _: &mut Effort| {
            steps.push((before.cloned(), inputs));
            Ok(ControlFlow::Continue(()))
        };
        let walked = effort.within(PER_WALK, |effort| walk(&semantics, &mut enters, &mut visit, effort));
        let is_all = walked == Ok(Walked::All) && is_told;
        let least = if let Ok(Walked::Some(least)) = walked { least } else { 0 };
        let has_lost_positions = match (is_doomed, kept.excludes_doomed || is_all) {
            (true, _) => Some(true),
            (false, is_excluded) => is_excluded.then_some(false),
        };
        let runs_out = steps.iter().any(|(_, inputs)| inputs.is_empty());
        let has_dead_end = match (runs_out, is_all && !is_doomed) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => super::dead_end(&semantics, effort).1,
        };
        let reached = Reached { semantics, steps, is_all };
        (Self { has_lost_positions, has_dead_end, ..reached.effects(PER_LOOK, effort) }, least)
    }

    /// Takes over which requirements apply in some step, where it was found out.
    fn learn(&mut self, members: &[usize], live: &[Option<bool>]) {
        for (&index, is_live) in members.iter().zip(live) {
            let Some(is_live) = is_live else { continue };
            if !self.unknown_void.contains(&index) {
                continue;
            }
            self.unknown_void.retain(|other| *other != index);
            if !is_live {
                for list in [&mut self.implied, &mut self.never_deciding, &mut self.unknown_effect] {
                    list.retain(|other| *other != index);
                }
                self.void.push(index);
            }
        }
    }

    fn is_known(&self) -> bool {
        let Self { unknown_effect, unknown_void, has_lost_positions, has_dead_end, .. } = self;
        unknown_effect.is_empty()
            && unknown_void.is_empty()
            && has_lost_positions.is_some()
            && has_dead_end.is_some()
    }
}

impl Reached<'_> {
    /// What each requirement does, where each may take so many values.
    fn effects(&self, values: u64, effort: &mut Effort) -> Effects {
        let mut found = Effects::default();
        for &index in &self.semantics.selected {
            match (self.is_live(index), self.is_all) {
                (true, _) => {}
                (false, true) => {
                    found.void.push(index);
                    continue;
                }
                (false, false) => found.unknown_void.push(index),
            }
            let deciding = Deciding::new(self.semantics.interface, index, &self.semantics.selected);
            match effort.within(values, |effort| self.effect(&deciding, effort)) {
                Ok(Effect::Implied) => found.implied.push(index),
                Ok(Effect::Never) => found.never_deciding.push(index),
                Ok(Effect::Decides) => {}
                Err(_) => found.unknown_effect.push(index),
            }
        }
        found
    }

    /// Whether an assumption of a requirement holds in a step from one of the positions.
    fn is_live(&self, index: usize) -> bool {
        let Self { semantics, steps, .. } = self;
        let is_triggered = |contract: &Contract, is_first: bool| {
            let mut steps = steps.iter().filter(|(before, _)| before.is_none() == is_first);
            steps.any(|(before, inputs)| {
                inputs.iter().any(|inputs| semantics.is_triggered(contract, before.as_ref(), inputs))
            })
        };
        let requirement = &semantics.interface.requirements[index];
        [true, false].into_iter().any(|is_first| {
            requirement.contracts(is_first).iter().any(|contract| is_triggered(contract, is_first))
        })
    }

    fn effect(&self, deciding: &Deciding<'_>, effort: &mut Effort) -> Result<Effect, Undecided> {
        let interface = self.semantics.interface;
        let semantics = judging(interface, deciding, self.semantics.selected.clone());
        // Step 0 often shows it; many positions are needed elsewhere.
        if may_decide(&semantics, deciding, None, effort)? {
            return Ok(Effect::Decides);
        }
        // What is left is for the positions that are known.
        let is_implied = effort.share(2, |effort| is_implied(interface, deciding, effort));
        if is_implied == Ok(true) {
            return Ok(Effect::Implied);
        }
        for (before, _) in self.steps.iter().skip(1) {
            if may_decide(&semantics, deciding, before.as_ref(), effort)? {
                return Ok(Effect::Decides);
            }
        }
        is_implied.and(if self.is_all { Ok(Effect::Never) } else { Err(Undecided::TooLarge) })
    }
}

/// What a requirement does beside the others.
enum Effect {
    /// Nothing, whatever steps the others allow.
    Implied,
    /// Nothing in steps that a system can come to.
    Never,
    /// It decides a step that a system can come to.
    Decides,
}

/// What some requirements of an interface allow, where one that may not be among them is judged.
fn judging<'a>(interface: &'a Interface, deciding: &Deciding<'a>, selected: Vec<usize>) -> Semantics<'a> {
    let contracts = deciding.requirement.every_contract().collect();
    Semantics::new(interface, selected, &Interest { contracts, ..Interest::default() })
}

/// Whether every step that the others allow, from every position that they can reach, keeps a
/// requirement.
fn is_implied(
    interface: &Interface,
    deciding: &Deciding<'_>,
    effort: &mut Effort,
) -> Result<bool, Undecided> {
    let semantics = judging(interface, deciding, deciding.others.clone());
    let mut visit = |before: Option<&Position>, _: Vec<Valuation>, effort: &mut Effort| {
        let decides = may_decide(&semantics, deciding, before, effort)?;
        Ok(if decides { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    match walk(&semantics, &mut |_| true, &mut visit, effort)? {
        Walked::All => Ok(true),
        Walked::Stopped => Ok(false),
        Walked::Some(_) => Err(Undecided::TooLarge),
    }
}

/// Whether a requirement decides some step from a position.
fn may_decide(
    semantics: &Semantics<'_>,
    deciding: &Deciding<'_>,
    before: Option<&Position>,
    effort: &mut Effort,
) -> Result<bool, Undecided> {
    for inputs in semantics.occurring(before, effort)? {
        if deciding.decides(semantics, before, &inputs, effort)? {
            return Ok(true);
        }
    }
    Ok(false)
}
