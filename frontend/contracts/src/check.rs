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
use crate::symbolic::{Board, Solved, Solver};
use conflicts::{Boards, Facts};
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
    /// Whether some allowed answers lead where the system is lost later, in a consistent interface.
    pub has_lost_positions: bool,
    /// Whether the environment has no inputs for step 0 already: nothing is then asked of a system.
    pub has_no_inputs: bool,
    /// Whether the environment runs out of inputs somewhere.
    pub has_dead_end: bool,
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
}

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
            Self::Solved(_, Solved::Kept) | Self::LostSomewhere | Self::Open => None,
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
        let mut all = || Part::new(interface, part.to_vec(), &mut self.effort).map(Known::Enumerated);
        match solver.solve(&board) {
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
    let mut means = Means { effort: effort.clone(), solver: None, before_solver: 0 };
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
        has_lost_positions: false,
        has_no_inputs: false,
        has_dead_end: false,
    };
    for (members, known) in parts {
        let decides = depth.is_some() && decides(&known) && found.refutation.is_none();
        match known {
            Known::Enumerated(Part { semantics, arena, ranks }) => {
                found.has_no_inputs |= arena.moves.first().is_some_and(Vec::is_empty);
                found.has_dead_end |= arena.moves.iter().any(Vec::is_empty);
                if !is_lost {
                    found.has_lost_positions |= ranks.has_lost_positions();
                    effect::void(&semantics, &arena, &ranks, &mut found.void);
                } else if decides {
                    found.refutation = play(&arena, &ranks).map(|play| explain::refutation(&semantics, play));
                }
            }
            Known::Solved(board, Solved::Lost { play, .. }) if decides => {
                let semantics = Semantics::new(interface, members, &Interest::default());
                let play = board.play(&play, &mut means.effort);
                found.refutation = play.ok().map(|play| explain::refutation(&semantics, play));
            }
            Known::Solved(..) | Known::LostSomewhere | Known::Open => found.unknown_void.extend(members),
        }
    }
    found.void.sort_unstable();
    found.unknown_void.sort_unstable();
    if is_lost {
        found.unknown_void.clear();
        let mut facts = Facts::default();
        found.conflicts = match depth {
            Some(_) => conflicts::minimal(interface, (&deciding, depth), means, (&boards, &mut facts)),
            None => Conflicts { is_complete: false, ..Conflicts::none() },
        };
        // What is known from there may be smaller.
        let known = found.conflicts.sets.first().or(found.conflicts.unfinished.as_ref());
        let known = (known.map_or(&*deciding, |known| known), None);
        found.any_depth = conflicts::minimal(interface, known, means, (&boards, &mut facts));
        if let Some(refutation) = &mut found.refutation {
            // Only those that contradict each other are of interest.
            let Conflicts { sets, unfinished, .. } = &found.conflicts;
            refutation
                .asked
                .retain(|(index, _)| sets.iter().chain(unfinished).any(|set| set.contains(index)));
        }
    } else {
        effect::implied(interface, &mut found, &mut means.effort);
    }
    Ok(found)
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
        let known = means.look(interface, &part, means.before_solver).unwrap_or_else(|why| {
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
