//! Consistency of an interface: its depth, minimal conflicts, and requirements without effect.

mod conflicts;
mod effect;
mod explain;

pub use conflicts::Conflicts;
pub use explain::{Refutation, describe_inputs};

use crate::game::play;
use crate::interface::Interface;
use crate::parts::{self, Part};
use crate::semantics::{Effort, Interest, Semantics, Undecided};
use crate::symbolic::{Board, MOST_STEPS, Solved, Solver, Turn};
use conflicts::{Boards, Facts};
use effect::{Effect, Effects, Told};
use serde_json::{Value as Json, json};

/// What is known of an interface as a whole.
#[derive(Clone, Debug)]
pub struct Consistency {
    /// Whether no system can meet the requirements for ever.
    pub is_lost: bool,
    /// The least k for which it is not k-consistent; none where it is consistent, or where that k
    /// was not found.
    pub depth: Option<usize>,
    /// Minimal sets of requirements that are not k-consistent for that k.
    pub conflicts: Conflicts,
    /// Minimal sets of requirements that are not consistent.
    pub any_depth: Conflicts,
    /// How the environment wins, where it does.
    pub refutation: Option<Refutation>,
    /// Requirements whose assumptions never hold while the system answers well; all of them are
    /// listed.
    pub void: Vec<usize>,
    /// Requirements that every allowed step of the others keeps. Each of them can be left out, but
    /// perhaps not two of them at once.
    pub implied: Vec<usize>,
    /// Requirements that are not implied, but in no step that a system can come to could the others
    /// be kept and this one not.
    pub never_deciding: Vec<usize>,
    /// Requirements whose effect could not be found out.
    pub unknown_effect: Vec<usize>,
    /// Requirements of which it was not found out whether they are void.
    pub unknown_void: Vec<usize>,
    /// Whether some allowed answers lead where the system is lost later, in a consistent interface;
    /// none where it was not found out.
    pub has_lost_positions: Option<bool>,
    /// Whether the environment has no inputs for step 0 already, so that nothing is asked of a
    /// system; none where it was not found out.
    pub has_no_inputs: Option<bool>,
    /// Whether the environment runs out of inputs somewhere; none where it was not found out.
    pub has_dead_end: Option<bool>,
}

/// How consistency is decided: by enumeration of positions, and by a solver of games, if there is
/// one, where there are too many.
pub struct Means<'a> {
    /// For enumeration.
    pub effort: Effort,
    /// For parts that are too large to be enumerated.
    pub solver: Option<&'a dyn Solver>,
    /// Values that are tried for one part before the solver has its turn.
    pub before_solver: u64,
    /// Values that are tried for one part where the solver's first turn leaves something open: who
    /// wins, or what requirements do.
    pub after_solver: u64,
}

/// Values that are tried to find inputs for step 0.
const PER_START: u64 = 20_000;

/// What was found out about a part.
enum Known<'a> {
    /// All its positions.
    Enumerated(Part<'a>),
    /// Who wins.
    Solved(Box<Board>, Solved),
    /// That the environment wins, but not how soon.
    LostSomewhere,
    /// Nothing.
    Open,
}

impl Known<'_> {
    fn depth(&self) -> Option<usize> {
        match self {
            Self::Enumerated(part) => part.ranks.depth(),
            Self::Solved(_, Solved::Kept(_)) | Self::LostSomewhere | Self::Open => None,
            Self::Solved(_, Solved::Lost { depth, .. }) => Some(*depth),
        }
    }
    fn is_lost(&self) -> bool {
        matches!(self, Self::LostSomewhere) || self.depth().is_some()
    }
}

impl Means<'_> {
    fn enumerate<'i>(
        &mut self,
        interface: &'i Interface,
        part: &[usize],
        values: u64,
    ) -> Result<Known<'i>, Undecided> {
        let enumerate =
            |effort: &mut Effort| Part::new(interface, part.to_vec(), effort).map(Known::Enumerated);
        match self.solver {
            Some(_) => self.effort.within(values.min(self.before_solver), enumerate),
            None => enumerate(&mut self.effort),
        }
    }

    fn look<'i>(
        &mut self,
        interface: &'i Interface,
        part: &[usize],
        values: u64,
    ) -> Result<Known<'i>, Undecided> {
        let enumerated = self.enumerate(interface, part, values);
        let (Some(solver), Err(Undecided::TooLarge)) = (self.solver, &enumerated) else { return enumerated };
        let board = Board::new(interface, part)?;
        self.play_all(interface, part, (solver, board))
    }

    /// As [`look`](Self::look), for a part of which not yet is known which way is the shorter one.
    fn first_look<'i>(&mut self, interface: &'i Interface, part: &[usize]) -> Result<Known<'i>, Undecided> {
        let enumerated = self.enumerate(interface, part, self.before_solver);
        let (Some(solver), Err(Undecided::TooLarge)) = (self.solver, &enumerated) else { return enumerated };
        let board = Board::new(interface, part)?;
        match solver.solve(&board, Turn::First) {
            Ok(solved) => Ok(Known::Solved(Box::new(board), solved)),
            Err(Undecided::Time) => Err(Undecided::Time),
            Err(Undecided::TooLarge) => self.second_look(interface, part, (solver, board)),
            // What is known stays so, whatever else is found out.
            Err(Undecided::Depth) => {
                self.second_look(interface, part, (solver, board)).map_err(|_| Undecided::Depth)
            }
        }
    }

    /// What is done where the solver's first turn was not enough.
    fn second_look<'i>(
        &mut self,
        interface: &'i Interface,
        part: &[usize],
        (solver, board): (&dyn Solver, Board),
    ) -> Result<Known<'i>, Undecided> {
        let all = |effort: &mut Effort| Part::new(interface, part.to_vec(), effort).map(Known::Enumerated);
        match self.effort.within(self.after_solver, all) {
            Err(Undecided::TooLarge) => self.play_all(interface, part, (solver, board)),
            known => known,
        }
    }

    /// Gives the solver all the work that there is, and enumeration what is then left.
    fn play_all<'i>(
        &mut self,
        interface: &'i Interface,
        part: &[usize],
        (solver, board): (&dyn Solver, Board),
    ) -> Result<Known<'i>, Undecided> {
        let mut all = || Part::new(interface, part.to_vec(), &mut self.effort).map(Known::Enumerated);
        match solver.solve(&board, Turn::Last) {
            Ok(solved) => Ok(Known::Solved(Box::new(board), solved)),
            Err(Undecided::TooLarge) => all(),
            // More positions may tell the depth.
            Err(Undecided::Depth) => all().map_err(|_| Undecided::Depth),
            Err(Undecided::Time) => Err(Undecided::Time),
        }
    }
}

/// Decides whether an interface is consistent, by enumeration; see [`Consistency`].
///
/// # Errors
/// The enumeration is too large, or takes too long.
pub fn check(interface: &Interface, effort: &mut Effort) -> Result<Consistency, Undecided> {
    let mut means = Means { effort: effort.clone(), solver: None, before_solver: 0, after_solver: 0 };
    let found = check_by(interface, &mut means);
    *effort = means.effort;
    found
}

/// Decides whether an interface is consistent.
///
/// # Errors
/// It takes too much work.
pub fn check_by(interface: &Interface, means: &mut Means<'_>) -> Result<Consistency, Undecided> {
    let (parts, depth) = known_parts(interface, means)?;
    let is_lost = parts.iter().any(|(_, known)| known.is_lost());
    let boards = Boards::new(&parts, depth.map_or(0, |depth| depth + 1));
    let decides = |known: &Known<'_>| known.is_lost() && (depth.is_none() || known.depth() == depth);
    let deciding = parts.iter().find(|(_, known)| decides(known));
    let deciding = deciding.map_or_else(Vec::new, |(members, _)| members.clone());
    let mut found = Consistency {
        is_lost,
        depth,
        conflicts: Conflicts::none(),
        any_depth: Conflicts::none(),
        refutation: None,
        void: Vec::new(),
        implied: Vec::new(),
        never_deciding: Vec::new(),
        unknown_effect: Vec::new(),
        unknown_void: Vec::new(),
        has_lost_positions: Some(false),
        has_no_inputs: Some(false),
        has_dead_end: Some(false),
    };
    for (members, known) in parts {
        let decides = depth.is_some() && decides(&known) && found.refutation.is_none();
        let semantics = Semantics::new(interface, members.clone(), &Interest::default());
        let (no_inputs, mut dead_end) = dead_end(&semantics, &mut means.effort);
        match known {
            Known::Enumerated(part) if !is_lost => {
                let effects = Effects::of_part(part, means);
                dead_end = effects.has_dead_end;
                found.add(effects);
            }
            Known::Enumerated(Part { semantics, arena, ranks }) => {
                dead_end = Some(arena.moves.iter().any(Vec::is_empty));
                if decides {
                    found.refutation = play(&arena, &ranks).map(|play| explain::refutation(&semantics, play));
                }
            }
            Known::Solved(board, Solved::Kept(kept)) if !is_lost => {
                let effects = Effects::of_kept((interface, &members), (&board, &kept), means);
                dead_end = effects.has_dead_end;
                found.add(effects);
            }
            Known::Solved(board, Solved::Lost { play, .. }) if decides => {
                let play = board.play(&play, &mut means.effort);
                found.refutation = play.ok().map(|play| explain::refutation(&semantics, play));
            }
            Known::Solved(..) | Known::LostSomewhere | Known::Open => {}
        }
        found.has_no_inputs = either(found.has_no_inputs, no_inputs);
        found.has_dead_end = either(found.has_dead_end, dead_end);
    }
    if is_lost {
        let mut facts = Facts::default();
        // One game answers all questions about many steps, but not about so many.
        let is_deep = depth.is_some_and(|depth| depth >= MOST_STEPS);
        if is_deep {
            found.any_depth = conflicts::minimal(interface, (&deciding, None), means, (&boards, &mut facts));
        }
        found.conflicts = match depth {
            Some(_) => conflicts::minimal(interface, (&deciding, depth), means, (&boards, &mut facts)),
            None => Conflicts { is_complete: false, ..Conflicts::none() },
        };
        // What is known from there may be smaller.
        let known = found.conflicts.sets.first().or(found.conflicts.unfinished.as_ref());
        let known = (known.map_or(&*deciding, |known| known), None);
        if !is_deep {
            found.any_depth = conflicts::minimal(interface, known, means, (&boards, &mut facts));
        }
        if let Some(refutation) = &mut found.refutation {
            // Only those that contradict each other are of interest.
            let Conflicts { sets, unfinished, .. } = &found.conflicts;
            refutation
                .asked
                .retain(|(index, _)| sets.iter().chain(unfinished).any(|set| set.contains(index)));
        }
    }
    Ok(found)
}

/// Whether one of two things is so, each of which may be unknown.
fn either(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), other) => other,
        (None, _) => None,
    }
}

/// Whether the environment has no inputs for step 0, and whether it runs out of them somewhere, as
/// far as the restrictions show that.
fn dead_end(semantics: &Semantics<'_>, effort: &mut Effort) -> (Option<bool>, Option<bool>) {
    let restrictions = &semantics.interface.environment;
    if restrictions.is_empty() {
        return (Some(false), Some(false));
    }
    let has_none = effort.within(PER_START, |effort| semantics.can_occur(None, effort));
    let has_none = has_none.ok().map(|can_occur| !can_occur);
    // Each step is then like step 0.
    let is_static = restrictions.iter().flat_map(|one| one.condition.reads()).all(|read| read.primed);
    (has_none, if is_static || has_none == Some(true) { has_none } else { None })
}

/// The independent parts of an interface with what was found out about each of them, and the least
/// step that cannot be answered, where it is known.
type Parts<'i> = (Vec<(Vec<usize>, Known<'i>)>, Option<usize>);

/// The independent parts of an interface, and what was found out about each of them.
///
/// # Errors
/// A part is undecided, and no part is lost.
fn known_parts<'i>(interface: &'i Interface, means: &mut Means<'_>) -> Result<Parts<'i>, Undecided> {
    let all: Vec<usize> = (0..interface.requirements.len()).collect();
    let mut undecided = None;
    let mut found = Vec::new();
    for part in parts::parts(interface, &all) {
        // Small parts take too little work each to look at the clock.
        let looked = match means.effort.is_over() {
            true => Err(Undecided::Time),
            false => means.first_look(interface, &part),
        };
        let known = looked.unwrap_or_else(|why| {
            undecided = Some(why);
            if why == Undecided::Depth { Known::LostSomewhere } else { Known::Open }
        });
        found.push((part, known));
    }
    let depth = found.iter().filter_map(|(_, known)| known.depth()).min();
    let is_lost = found.iter().any(|(_, known)| known.is_lost());
    match undecided {
        Some(why) if !is_lost => Err(why),
        // A part that is not decided may be lost before, but no part is before step 0.
        Some(_) => Ok((found, depth.filter(|&depth| depth == 0))),
        None => Ok((found, depth)),
    }
}

impl Consistency {
    /// Adds what is known of a part.
    fn add(&mut self, effects: Effects) {
        for &(index, Told { is_live, effect }) in &effects.told {
            let list = match effect {
                // What never applies has no other effect.
                _ if is_live == Some(false) => Some(&mut self.void),
                Some(Effect::Implied) => Some(&mut self.implied),
                Some(Effect::Never) => Some(&mut self.never_deciding),
                Some(Effect::Decides) => None,
                None => Some(&mut self.unknown_effect),
            };
            list.into_iter().for_each(|list| list.push(index));
            if is_live.is_none() {
                self.unknown_void.push(index);
            }
        }
        for list in [
            &mut self.void,
            &mut self.implied,
            &mut self.never_deciding,
            &mut self.unknown_effect,
            &mut self.unknown_void,
        ] {
            list.sort_unstable();
        }
        self.has_lost_positions = either(self.has_lost_positions, effects.has_lost_positions);
    }
    /// Whether the interface is consistent.
    pub fn is_consistent(&self) -> bool {
        !self.is_lost
    }
    /// What was not found out of an inconsistent interface.
    pub fn undecided(&self) -> Option<Undecided> {
        (self.is_lost && self.depth.is_none()).then_some(Undecided::Depth)
    }
    /// The result as `check --json` writes it.
    pub fn to_json(&self, interface: &Interface) -> Json {
        let names = |set: &[usize]| interface.names(set.iter().copied());
        let listed = |sets: &[Vec<usize>]| sets.iter().map(|set| names(set)).collect::<Vec<_>>();
        let (initial, update) = interface.counts();
        json!({
            "kind": "contracts",
            "name": interface.name,
            "views": interface.view_count(),
            "requirements": interface.requirements.len(),
            "initial_contracts": initial,
            "update_contracts": update,
            "consistent": self.is_consistent(),
            "undecided": self.undecided().map(|why| why.to_string()),
            "depth": self.depth,
            "conflicts": listed(&self.conflicts.sets),
            "conflicts_any_depth": listed(&self.any_depth.sets),
            "conflict_not_minimal": self.conflicts.unfinished.as_ref().map(|set| names(set)),
            "conflict_any_depth_not_minimal": self.any_depth.unfinished.as_ref().map(|set| names(set)),
            "repairs": listed(&self.any_depth.repairs),
            "all_conflicts": self.conflicts.is_complete && self.any_depth.is_complete,
            "play": self.refutation.as_ref().map(|refutation| refutation.to_json(interface)),
            "void": names(&self.void),
            "implied": names(&self.implied),
            "never_deciding": names(&self.never_deciding),
            "unknown_effect": names(&self.unknown_effect),
            "unknown_void": names(&self.unknown_void),
            "doomed_answers": self.has_lost_positions,
            "environment_dead_end": self.has_dead_end,
            "environment_empty": self.has_no_inputs,
        })
    }
}
