//! Requirements without effect: void ones, whose assumptions never hold, and implied ones, which
//! the others keep. Both are told from the positions that a system can come to.

use super::Means;
use crate::game::{Walked, walk};
use crate::interface::{Contract, Interface};
use crate::parts::Part;
use crate::semantics::{Deciding, Effort, Interest, Position, Semantics, Undecided, Valuation};
use crate::symbolic::{Board, Course, Kept, Target};
use std::ops::ControlFlow;

/// What is known of requirements of a part that a system can meet, beside that.
#[derive(Clone, Debug)]
pub(super) struct Effects {
    /// For each requirement of the part its index, and what is known of it.
    pub(super) told: Vec<(usize, Told)>,
    /// Whether some allowed answers lead to lost positions; none: unknown.
    pub(super) has_lost_positions: Option<bool>,
    /// Whether the environment runs out of inputs somewhere; none: unknown.
    pub(super) has_dead_end: Option<bool>,
}

/// What is known of a requirement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// Whether it applies in some step.
    pub(super) is_live: Option<bool>,
    /// What it does.
    pub(super) effect: Option<Effect>,
}

/// What a requirement does beside the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing, whatever steps the others allow.
    Implied,
    /// Nothing in steps that a system can come to.
    Never,
    /// It decides a step that a system can come to.
    Decides,
}

/// Positions that a system can come to while it is not lost, each with the inputs that may occur.
struct Reached<'a> {
    semantics: Semantics<'a>,
    /// The start first.
    steps: Vec<(Option<Position>, Vec<Valuation>)>,
    /// Whether these are all.
    is_all: bool,
}

/// Values that are tried for one requirement of a part before solvers have their turn, or whose
/// positions are too many to enumerate.
const PER_LOOK: u64 = 20_000;

/// Values that are tried to find positions of such a part.
const PER_WALK: u64 = 100_000;

impl Told {
    /// Whether nothing is left to be found out. What never applies has no effect.
    fn is_known(self) -> bool {
        self.is_live == Some(false) || (self.is_live.is_some() && self.effect.is_some())
    }
    /// What two sources know.
    fn or(self, other: Self) -> Self {
        Self { is_live: self.is_live.or(other.is_live), effect: self.effect.or(other.effect) }
    }
}

impl Effects {
    /// Nothing is known of the requirements of a part.
    fn unknown(members: &[usize]) -> Self {
        let told = members.iter().map(|&index| (index, Told::default())).collect();
        Self { told, has_lost_positions: None, has_dead_end: None }
    }

    /// The effects in a part whose positions are known.
    pub(super) fn of_part(part: Part<'_>, means: &mut Means<'_>) -> Self {
        let Part { semantics, arena, ranks } = part;
        let inputs = |number: usize| arena.moves[number].iter().map(|one| one.inputs.clone()).collect();
        let reached = arena.reachable_unlost(&ranks).into_iter();
        let steps = reached.map(|number| (arena.positions[number].clone(), inputs(number))).collect();
        let mut found = Self::unknown(&semantics.selected);
        found.has_lost_positions = Some(ranks.has_lost_positions());
        found.has_dead_end = Some(arena.moves.iter().any(Vec::is_empty));
        let reached = Reached { semantics, steps, is_all: true };
        if means.solver.is_some() {
            found.look(&reached, PER_LOOK, &mut means.effort);
            // Positions are few, but answers may be too many to be tried.
            if !found.is_known() {
                let Semantics { interface, selected, .. } = &reached.semantics;
                if let Ok(course) = Course::new(interface, selected) {
                    let numbered = arena.positions.iter().zip(&ranks.lost_in);
                    let lost = numbered.filter(|(_, lost_in)| lost_in.is_some());
                    let kept = course.kept(lost.filter_map(|(position, _)| position.as_ref()));
                    kept.into_iter().for_each(|kept| found.ask((&course, &kept), means));
                }
            }
        }
        found.look(&reached, u64::MAX, &mut means.effort);
        found
    }

    /// The effects in a part of which is known where a system is not lost. Solvers tell most of
    /// them, positions next to the start some others; all are enumerated where both do not.
    pub(super) fn of_kept(
        (interface, members): (&Interface, &[usize]),
        (board, kept): (&Board, &Kept),
        means: &mut Means<'_>,
    ) -> Self {
        let semantics = Semantics::new(interface, members.to_vec(), &Interest::default());
        let mut found = Self::unknown(members);
        found.has_lost_positions = kept.excludes_doomed.then_some(false);
        found.has_dead_end = super::dead_end(&semantics, &mut means.effort).1;
        // Where a system can be is known only where it is known which positions are lost.
        if kept.is_exact {
            if let Ok(course) = Course::new(interface, members) {
                found.ask((&course, kept), means);
            }
            if found.is_known() {
                return found;
            }
            let all = found.nearby(semantics, (board, kept), &mut means.effort);
            if found.is_known() || all > means.after_solver {
                return found;
            }
        }
        let all = |effort: &mut Effort| Part::new(interface, members.to_vec(), effort);
        if let Ok(part) = means.effort.within(means.after_solver, all) {
            let other = Self::of_part(part, means);
            for ((_, told), (_, more)) in found.told.iter_mut().zip(other.told) {
                *told = told.or(more);
            }
            found.has_lost_positions = found.has_lost_positions.or(other.has_lost_positions);
            found.has_dead_end = found.has_dead_end.or(other.has_dead_end);
        }
        found
    }

    /// Asks solvers for what is not known yet.
    fn ask(&mut self, (course, kept): (&Course, &Kept), means: &Means<'_>) {
        let Some(mut runner) = means.solver.and_then(|solver| solver.runner(course, kept)) else { return };
        let mut reaches = |asked: Target| course.reaches(&mut *runner, (asked, kept)).ok();
        for (number, (_, told)) in self.told.iter_mut().enumerate().filter(|(_, (_, told))| !told.is_known())
        {
            if told.effect.is_none() {
                let decides = reaches(Target::Decides(number));
                told.effect = match decides {
                    Some(true) => Some(Effect::Decides),
                    _ => match (reaches(Target::DecidesAmongOthers(number)), decides) {
                        (Some(false), _) => Some(Effect::Implied),
                        (Some(true), Some(false)) => Some(Effect::Never),
                        _ => None,
                    },
                };
            }
            // What decides a step applies there.
            let is_live = |effect: Option<Effect>| (effect == Some(Effect::Decides)).then_some(true);
            told.is_live = told.is_live.or(is_live(told.effect)).or_else(|| reaches(Target::Applies(number)));
        }
        self.has_lost_positions = self.has_lost_positions.or_else(|| reaches(Target::Dooms));
    }

    /// Takes over what the positions next to the start tell, and returns how many values all
    /// positions take at least.
    fn nearby(
        &mut self,
        semantics: Semantics<'_>,
        (board, kept): (&Board, &Kept),
        effort: &mut Effort,
    ) -> u64 {
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
        self.has_lost_positions = self.has_lost_positions.or(match (is_doomed, is_all) {
            (true, _) => Some(true),
            (false, is_all) => is_all.then_some(false),
        });
        let runs_out = steps.iter().any(|(_, inputs)| inputs.is_empty());
        self.has_dead_end = self.has_dead_end.or(match (runs_out, is_all && !is_doomed) {
            (true, _) => Some(true),
            (false, is_all) => is_all.then_some(false),
        });
        self.look(&Reached { semantics, steps, is_all }, PER_LOOK, effort);
        least
    }

    /// Takes over what positions tell of requirements of which something is not known yet, where
    /// each may take so many values.
    fn look(&mut self, reached: &Reached<'_>, values: u64, effort: &mut Effort) {
        for (index, told) in self.told.iter_mut().filter(|(_, told)| !told.is_known()) {
            if effort.is_over() {
                return;
            }
            *told = told.or(reached.told(*index, values, effort));
        }
    }

    fn is_known(&self) -> bool {
        let Self { told, has_lost_positions, has_dead_end } = self;
        told.iter().all(|(_, told)| told.is_known()) && has_lost_positions.is_some() && has_dead_end.is_some()
    }
}

impl Reached<'_> {
    /// What a requirement does, which may take so many values.
    fn told(&self, index: usize, values: u64, effort: &mut Effort) -> Told {
        let is_live = match (effort.within(values, |effort| self.is_live(index, effort)), self.is_all) {
            (Ok(true), _) => Some(true),
            (Ok(false), true) => return Told { is_live: Some(false), effect: None },
            (Ok(false), false) | (Err(_), _) => None,
        };
        let deciding = Deciding::new(self.semantics.interface, index, &self.semantics.selected);
        let effect = effort.within(values, |effort| self.effect(&deciding, effort));
        Told { is_live, effect: effect.ok() }
    }

    /// Whether an assumption of a requirement holds in a step from one of the positions.
    fn is_live(&self, index: usize, effort: &mut Effort) -> Result<bool, Undecided> {
        let Self { semantics, steps, .. } = self;
        let requirement = &semantics.interface.requirements[index];
        for (before, inputs) in steps {
            let contracts = requirement.contracts(before.is_none());
            effort.spend_for(contracts.len() * inputs.len())?;
            let is_triggered = |contract: &Contract| {
                inputs.iter().any(|inputs| semantics.is_triggered(contract, before.as_ref(), inputs))
            };
            if contracts.iter().any(is_triggered) {
                return Ok(true);
            }
        }
        Ok(false)
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
