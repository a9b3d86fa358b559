//! Consistency of an interface: its depth, minimal conflicts, and requirements without effect.

mod conflicts;
mod effect;
mod explain;

pub use conflicts::Conflicts;
pub use explain::{Refutation, describe_inputs};

use crate::game::play;
use crate::interface::Interface;
use crate::parts::{self, Part};
use crate::semantics::{Effort, Undecided};
use serde_json::{Value as Json, json};

/// What is known of an interface as a whole.
#[derive(Clone, Debug)]
pub struct Consistency {
    /// The least k for which it is not k-consistent; none where it is consistent.
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
    /// Whether some allowed answers lead where the system is lost later, in a consistent interface.
    pub has_lost_positions: bool,
    /// Whether the environment runs out of inputs somewhere.
    pub has_dead_end: bool,
}

/// Decides whether an interface is consistent, by enumeration; see [`Consistency`].
///
/// # Errors
/// The enumeration is too large, or takes too long.
pub fn check(interface: &Interface, effort: &mut Effort) -> Result<Consistency, Undecided> {
    let all: Vec<usize> = (0..interface.requirements.len()).collect();
    let depth = depth(interface, &all, effort)?;
    let mut found = Consistency {
        depth,
        conflicts: Conflicts::none(),
        any_depth: Conflicts::none(),
        refutation: None,
        void: Vec::new(),
        implied: Vec::new(),
        never_deciding: Vec::new(),
        unknown_effect: Vec::new(),
        has_lost_positions: false,
        has_dead_end: false,
    };
    for part in parts::parts(interface, &all) {
        let Part { semantics, arena, ranks } = Part::new(interface, part, effort)?;
        found.has_dead_end |= arena.moves.iter().any(Vec::is_empty);
        match (depth, ranks.depth()) {
            (None, _) => {
                found.has_lost_positions |= ranks.has_lost_positions();
                effect::void(&semantics, &arena, &ranks, &mut found.void);
            }
            (Some(depth), Some(own)) if own == depth && found.refutation.is_none() => {
                found.refutation = play(&arena, &ranks).map(|play| explain::refutation(&semantics, play));
            }
            _ => {}
        }
    }
    found.void.sort_unstable();
    match depth {
        None => effect::implied(interface, &mut found, effort),
        Some(depth) => {
            found.conflicts = conflicts::minimal(interface, &all, Some(depth), effort);
            found.any_depth = conflicts::minimal(interface, &all, None, effort);
            if let Some(refutation) = &mut found.refutation {
                // Only those that contradict each other are of interest.
                let sets = &found.conflicts.sets;
                refutation
                    .asked
                    .retain(|(index, _)| sets.is_empty() || sets.iter().any(|set| set.contains(index)));
            }
        }
    }
    Ok(found)
}

/// The least k for which some requirements are not k-consistent; none where they are consistent.
///
/// # Errors
/// The enumeration is too large, or takes too long.
pub fn depth(
    interface: &Interface,
    requirements: &[usize],
    effort: &mut Effort,
) -> Result<Option<usize>, Undecided> {
    let mut least: Option<usize> = None;
    for part in parts::parts(interface, requirements) {
        let own = Part::new(interface, part, effort)?.ranks.depth();
        least = [least, own].into_iter().flatten().min();
    }
    Ok(least)
}

impl Consistency {
    /// Whether the interface is consistent.
    pub fn is_consistent(&self) -> bool {
        self.depth.is_none()
    }
    /// The result as `check --json` writes it.
    pub fn to_json(&self, interface: &Interface) -> Json {
        let names = |set: &[usize]| interface.names(set.iter().copied());
        let sets = |conflicts: &Conflicts| conflicts.sets.iter().map(|set| names(set)).collect::<Vec<_>>();
        let (initial, update) = interface.counts();
        json!({
            "kind": "contracts",
            "name": interface.name,
            "views": interface.view_count(),
            "requirements": interface.requirements.len(),
            "initial_contracts": initial,
            "update_contracts": update,
            "consistent": self.is_consistent(),
            "depth": self.depth,
            "conflicts": sets(&self.conflicts),
            "conflicts_any_depth": sets(&self.any_depth),
            "all_conflicts": self.conflicts.is_complete && self.any_depth.is_complete,
            "play": self.refutation.as_ref().map(|refutation| refutation.to_json(interface)),
            "void": names(&self.void),
            "implied": names(&self.implied),
            "never_deciding": names(&self.never_deciding),
            "unknown_effect": names(&self.unknown_effect),
            "doomed_answers": self.has_lost_positions,
            "environment_dead_end": self.has_dead_end,
        })
    }
}
