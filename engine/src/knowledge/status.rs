//! What is known about goals and about the minimality of chains.

use crate::knowledge::distances::Proof;

/// What became of a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoalStatus {
    /// It occurs in a chain.
    Covered {
        /// Index of the chain.
        chain: usize,
        /// First step of its first occurrence there.
        at: u32,
    },
    /// No execution has an occurrence.
    Unreachable {
        /// Why.
        proof: Proof,
    },
    /// It occurs, but no execution goes on from an occurrence to Final.
    EndUnreachable {
        /// Why.
        proof: Proof,
    },
    /// No occurrence was found, and none was excluded.
    Undecided {
        /// No execution has an occurrence that starts within this many steps.
        bound: u32,
    },
    /// It occurs, but no way on to Final was found, and none was excluded.
    EndUndecided {
        /// No execution of at most this many steps covers it and ends in Final.
        bound: u32,
    },
    /// No chain that covers it was found before the search ended; nothing is excluded.
    NotChained,
}

impl GoalStatus {
    /// `covered`, `unreachable` or `undecided`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Covered { .. } => "covered",
            Self::Unreachable { .. } | Self::EndUnreachable { .. } => "unreachable",
            Self::Undecided { .. } | Self::EndUndecided { .. } | Self::NotChained => "undecided",
        }
    }

    /// Why the goal is not covered, in words; `None` where it is.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Covered { .. } => None,
            Self::Unreachable { proof } => Some(format!("no execution reaches it ({proof})")),
            Self::EndUnreachable { proof } => {
                Some(format!("Final cannot be reached from any of its occurrences ({proof})"))
            }
            Self::Undecided { bound: 0 } => {
                Some("no chain to it was found, and it is not excluded either".to_owned())
            }
            Self::Undecided { bound } => Some(format!(
                "no chain to it was found; it is proven not to start before step {}, but not excluded later",
                bound + 1
            )),
            Self::EndUndecided { bound } => Some(format!(
                "no chain that covers it and ends in Final was found; such a chain is proven to need more than {bound} steps, but not excluded"
            )),
            Self::NotChained => Some(
                "the search ended before it found a chain that covers it; nothing is excluded".to_owned(),
            ),
        }
    }
}

/// What is known about the minimality of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Minimality {
    /// No set of chains that covers the same goals has fewer chains, nor as many with fewer steps.
    Proven,
    /// The total length is above the proven lower bound.
    Gap,
    /// Nothing is claimed.
    Unknown,
}

impl Minimality {
    /// The name in `chain.json`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Gap => "gap",
            Self::Unknown => "unknown",
        }
    }
}
